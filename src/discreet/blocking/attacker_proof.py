"""Block against an attacker who infers more than channels: each method goes on until they find nothing either."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import chain, count
from typing import Final

import numpy as np
from numpy.typing import NDArray

from discreet.blocking import add, suppress, withhold
from discreet.blocking.problem import NOBODY, NONE, BlockProblem, BlockSolution
from discreet.data.itemsets import Itemsets, Weighted
from discreet.data.patterns import Patterns
from discreet.data.transactions import Merged
from discreet.disclosure.attacks.attack import attack
from discreet.disclosure.attacks.certificate import itemsets_of
from discreet.disclosure.attacks.facts import Codes
from discreet.disclosure.attacks.finding import Finding
from discreet.disclosure.attacks.formula import Pattern
from discreet.errors import BudgetError, GuaranteeError, Option
from discreet.mining.mine import mine

ROUNDS: Final = 16
"""Rounds in which rows are added; later ones suppress rows instead."""


def suppress_more(problem: BlockProblem) -> BlockSolution:
    """Suppress the rows that channels single out, and then the rows that other inferences hold for.

    Each round that infers something suppresses at least one row, since an inference holds for some rows: it ends.
    """
    rows, numbers = problem.merged
    is_left = np.ones(len(rows), dtype=np.bool_)
    left, rounds = problem.patterns, 0
    while True:
        part = np.flatnonzero(is_left)
        plain = suppress.solve(replace(problem, rows=problem.as_rows(rows.take(part)), patterns=left))
        is_left[part[plain.suppressed]] = False
        left, rounds = plain.patterns, rounds + (plain.rounds or 0) + 1
        findings = find_inferences(problem, left, rows.take(np.flatnonzero(is_left)))
        if not findings:
            return BlockSolution.of(problem, left, np.flatnonzero(~is_left[numbers]), rounds=rounds)
        hit = np.flatnonzero(is_left & match_rows(rows, [finding.pattern for finding in findings]))
        if not hit.size:
            raise GuaranteeError("no row is left that an inference holds for; nothing is released: please report this")
        is_left[hit] = False
        left = suppress.remove_rows(left, rows.take(hit))


def add_more(problem: BlockProblem, solve: Callable[[BlockProblem], BlockSolution] = add.solve) -> BlockSolution:
    """Add k rows for each channel, and for each other inference where that is allowed.

    An added row must be a frequent itemset, or others would become frequent (Theorem A2 of docs/guarantee.md). Where
    no such row fits an inference, the rows that it holds for are suppressed instead; after some rounds, all are. An
    inference about 1 to k − 1 rows holds for no added row, since those come in k. So each later round suppresses an
    original row, and it ends.
    """
    rows, numbers = problem.merged
    is_left = np.ones(len(rows), dtype=np.bool_)
    left, more = problem.patterns, NONE
    for turn in count():
        plain = solve(replace(problem, rows=Merged(NONE, left.labels, left.n, problem.least), patterns=left))
        more = Weighted.concat([more, plain.added])
        every = Weighted.concat([rows.take(np.flatnonzero(is_left)), more])
        findings = find_inferences(problem, plain.patterns, every)
        if not findings:
            return BlockSolution.of(problem, plain.patterns, np.flatnonzero(~is_left[numbers]), more)
        bases = [_find_base(finding, problem.least) if turn < ROUNDS else None for finding in findings]
        more = Weighted.concat([more, _copy({base for base in bases if base is not None}, problem.k)])
        rare = [finding.pattern for finding, base in zip(findings, bases, strict=True) if base is None]
        is_left &= ~match_rows(rows, rare)
        # An added row may be closed that was not before, so the itemsets are mined again.
        every = Weighted.concat([rows.take(np.flatnonzero(is_left)), more])
        left = mine(problem.as_rows(every), min_support=problem.least, threads=problem.threads)
    raise AssertionError


def add_merged_more(problem: BlockProblem) -> BlockSolution:
    """Do the same with rows that each serve several channels."""
    return add_more(problem, add.solve_merged)


def withhold_more(problem: BlockProblem) -> BlockSolution:
    """Withhold itemsets with too small cells, and then those on which inferences rest.

    From each inference it takes the longest itemset in its sums, and with it all that contain that one. So every
    subset of a published itemset stays published, and as each round withholds one, it ends.
    """
    rows, _ = problem.merged
    patterns = withhold.solve(problem).patterns
    while findings := find_inferences(problem, patterns, rows, is_whole=False):
        longest = [Pattern.conjunction(_find_longest(finding)) for finding in findings]
        patterns = patterns.take(np.flatnonzero(~match_rows(patterns.itemsets, longest)))
    return BlockSolution.of(problem, patterns, NOBODY, is_whole=False)


def find_inferences(
    problem: BlockProblem, patterns: Patterns, rows: Weighted, *, is_whole: bool = True
) -> tuple[Finding, ...]:
    """Return what the attacker infers from the patterns of rows; refuse these if that is undecided."""
    if not len(patterns):
        return ()
    result = attack(patterns, k=problem.k, level=problem.against, complete=is_whole, rows=problem.as_rows(rows))
    if result.undecided and not result.findings:
        raise BudgetError(
            f"it was not decided whether the release withstands the attacker {problem.against!r} "
            f"({result.undecided[0]}); nothing is released: raise ",
            Option("min_support"),
        )
    return result.findings


def match_rows(rows: Itemsets, patterns: Iterable[Pattern]) -> NDArray[np.bool_]:
    """Return for each row whether one of the patterns is true for it."""
    wanted = list(patterns)
    items = np.array(sorted(set(chain.from_iterable(pattern.over for pattern in wanted))), dtype=np.int64)
    place = np.full(int(max(rows.items.max(initial=-1), items.max(initial=-1))) + 1, items.size)
    place[items] = np.arange(items.size)
    holds = np.zeros((len(rows), items.size + 1), dtype=np.bool_)
    holds[rows.owners, place[rows.entries]] = True
    is_matched = np.zeros(len(rows), dtype=np.bool_)
    for pattern in wanted:
        over = sorted(pattern.over)
        for cell in pattern.cells:
            is_matched |= (holds[:, place[over]] == [item in cell for item in over]).all(axis=1)
    return is_matched


def _find_longest(finding: Finding) -> Codes:
    """Return the longest published itemset in the sums that prove a finding; of several, the last."""
    used = itemsets_of(finding.certificate, finding.facts)
    published = (itemset for itemset in used if itemset in finding.facts.listed)
    return max(published, key=lambda itemset: (len(itemset), sorted(itemset)))


def _find_base(finding: Finding, least: int) -> Codes | None:
    """Return the first cell of a finding that is a frequent itemset, or None."""
    cells = sorted(finding.pattern.cells, key=lambda cell: (len(cell), sorted(cell)))
    return next((cell for cell in cells if finding.facts.limits(cell)[0] >= least), None)


def _copy(bases: set[Codes], k: int) -> Weighted:
    return Itemsets.of(sorted(map(sorted, bases))).weigh(np.full(len(bases), k, dtype=np.int64))
