"""Exact: as few legitimate itemsets are lost as can be, by a program of whole numbers."""

import math
from importlib import import_module
from time import monotonic
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.hiding.border import least_harm
from discreet.hiding.legitimate import Legitimate, legitimate, lost
from discreet.hiding.problem import Answer, Changes, Gap, Problem
from discreet.hiding.row_types import Kinds, Ways, changed, counts_of, kinds_of
from discreet.runtime.solver import Floats, Program, Terms, each, entries

CHEAP: Final = {"naive": "victims", "minfia": "victims", "maxfia": "victims", "iga": "victims", "swa": "swa"}
"""Methods that are tried as well, since it costs little: no solution shall be worse than theirs."""
SHORTEST: Final = 0.1
"""Seconds that the solver has in any case."""
CLOSE: Final = 1e-6
"""How far a bound may be off, by the solver's rounding."""


class Best(NamedTuple):
    """How many legitimate itemsets are lost, how many items are removed, and which: less of these is better."""

    lost: int
    removed: int
    changes: Changes


def answer(problem: Problem, method: str) -> Answer:  # noqa: ARG001 - one signature for all methods
    """Return what is removed so that the fewest legitimate itemsets are lost, and of such changes the fewest items.

    The program (Gkoulalas-Divanis and Verykios, 2006, solve one for the border alone) has a number for each way to
    change each kind of sensitive rows, and a choice for each legitimate itemset that can be lost: it is, or it keeps as
    many rows as make it frequent. The best of all other methods is where it starts. If it would be too large, that is
    the answer, and nothing is proven of it; so it is if time runs out before anything better is found.

    >>> from discreet import hide
    >>> rows = [["a", "b", "c"], ["a", "b"], ["a", "b", "d"], ["a", "c"], ["b"]]
    >>> hide(rows, [["a", "b"]], below=2, method="exact").gap
    Gap(lost=0, bound=0, stopped=False, skipped=False)
    """
    until = monotonic() + problem.seconds
    others = legitimate(problem)
    best = _start(problem, others)
    found = kinds_of(problem, others) if any(problem.to_lose) else None
    if found is None:
        return Answer(best.changes, Gap(best.lost, 0, skipped=best.lost > 0))
    return _solved(problem, others, best, found, until)


def _start(problem: Problem, others: Legitimate) -> Best:
    """Return the best of what the other methods remove; the first of those that are equal."""
    answers = [
        import_module(f"discreet.hiding.{module}").answer(problem, name).changes for name, module in CHEAP.items()
    ]
    known = [_judged(problem, others, changes) for changes in [least_harm(problem, others), *answers]]
    return min(known, key=lambda one: one[:2])


def _judged(problem: Problem, others: Legitimate, changes: Changes) -> Best:
    return Best(lost(problem, others, changes), changes.items.size, changes)


def _solved(problem: Problem, others: Legitimate, best: Best, found: tuple[Kinds, Ways], until: float) -> Answer:
    """Return the best solution that is found until then."""
    kinds, ways = found
    # One itemset lost is worse than all items removed that can be.
    heavy = 1 + int((kinds.counts[ways.kinds] * ways.removed.sum(axis=1)).sum())
    many = counts_of(kinds, ways, others, best.changes)
    start = np.concatenate([many, ways.hits @ many > ways.slack]).astype(np.float64)
    seconds = max(SHORTEST, until - monotonic())
    values, bound, stopped = _program(problem, kinds, ways, heavy).solve(seconds=seconds, gap=0.0, start=start)
    for counts in (many, _counts(problem, kinds, ways, values)):
        if counts is not None:
            known = _judged(problem, others, changed(kinds, ways, others, counts))
            best = min(best, known, key=lambda one: one[:2])
    # The bound is on both costs together; of removed items there are fewer than one lost itemset costs.
    least = math.ceil((bound - heavy + 1) / heavy - CLOSE) if math.isfinite(bound) else 0
    return Answer(best.changes, Gap(best.lost, min(max(0, least), best.lost), stopped))


def _program(problem: Problem, kinds: Kinds, ways: Ways, heavy: int) -> Program:
    """Return the program: first how many rows are changed in each way, then which legitimate itemsets are lost."""
    program, room = Program(), kinds.counts[ways.kinds]
    many = program.columns(ways.kinds.size, cost=ways.removed.sum(axis=1), upper=room, whole=True)
    gone = program.columns(ways.slack.size, cost=heavy * ways.times, upper=1, whole=True)
    program.rows(kinds.counts.size, Terms(ways.kinds, many, np.ones(many.size)), upper=kinds.counts)
    program.rows(len(problem.to_lose), entries(ways.hides, many), lower=problem.to_lose)
    # No more rows than these can be lost, so that whatever is lost may lose them all.
    most = np.array([_most(line, ways.kinds, kinds.counts) for line in ways.hits], dtype=np.int64)
    program.rows(ways.slack.size, entries(ways.hits, many), each(gone, ways.slack - most), upper=ways.slack)
    return program


def _most(hit: NDArray[np.bool_], of: NDArray[np.int64], counts: NDArray[np.int64]) -> int:
    """Return how many rows there are of all the kinds that some ways change."""
    return int(counts[np.unique(of[hit])].sum())


def _counts(problem: Problem, kinds: Kinds, ways: Ways, values: Floats | None) -> NDArray[np.int64] | None:
    """Return how many rows are changed in each way, in whole numbers, if there is a solution that keeps to the limits.

    The solver takes what is very close to a whole number for one.
    """
    if values is None:
        return None
    counts = np.rint(values[: ways.kinds.size]).astype(np.int64)
    used = np.bincount(ways.kinds, weights=counts, minlength=kinds.counts.size)
    fits = (used <= kinds.counts).all() and (ways.hides @ counts >= problem.to_lose).all()
    return counts if fits else None
