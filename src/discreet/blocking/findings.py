"""Inferred: what an attacker who infers more than channels finds in an answer, and for which rows that holds."""

from collections.abc import Iterable
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from discreet.blocking.problem import Problem
from discreet.data.itemsets import Itemsets, Weighted
from discreet.data.merged import Merged
from discreet.data.patterns import Patterns
from discreet.disclosure.attacks.attack import attack
from discreet.disclosure.attacks.finding import Finding
from discreet.disclosure.attacks.formula import Pattern
from discreet.errors import BudgetError, Option


def inferred(problem: Problem, patterns: Patterns, rows: Weighted, *, is_whole: bool = True) -> tuple[Finding, ...]:
    """Return what the attacker finds in the patterns of rows; refuse them if he left something undecided."""
    if not len(patterns):
        return ()
    found = attack(patterns, k=problem.k, level=problem.against, complete=is_whole, rows=merged(problem, rows))
    if found.undecided and not found.findings:
        raise BudgetError(
            f"it cannot be told whether the release withstands the attacker {problem.against!r} "
            f"({found.undecided[0]}); nothing is released: raise ",
            Option("min_support"),
        )
    return found.findings


def holding(rows: Itemsets, patterns: Iterable[Pattern]) -> NDArray[np.bool_]:
    """Return for each row whether one of the patterns is true for it."""
    wanted = list(patterns)
    items = np.array(sorted(set(chain.from_iterable(pattern.over for pattern in wanted))), dtype=np.int64)
    place = np.full(int(max(rows.items.max(initial=-1), items.max(initial=-1))) + 1, items.size)
    place[items] = np.arange(items.size)
    held = np.zeros((len(rows), items.size + 1), dtype=np.bool_)
    held[rows.owners, place[rows.entries]] = True
    found = np.zeros(len(rows), dtype=np.bool_)
    for pattern in wanted:
        over = sorted(pattern.over)
        for cell in pattern.cells:
            found |= (held[:, place[over]] == [item in cell for item in over]).all(axis=1)
    return found


def merged(problem: Problem, rows: Weighted) -> Merged:
    """Return rows to be looked at by themselves, in the codes of the problem."""
    return Merged(rows, problem.patterns.labels, int(rows.weights.sum()), problem.least)
