"""Optimal: the least distortion that can be found in time, and how far it is from the best."""

from dataclasses import replace
from time import monotonic
from typing import Final

from discreet.block import add, every, kept, suppress
from discreet.block.problem import NOBODY, NONE, Answer, Problem
from discreet.errors import BudgetError
from discreet.measure import distortion
from discreet.release import Proof

SAME: Final = 1e-6
"""A bound as close as this, as a share of the average, is met."""


def answer(problem: Problem) -> Answer:
    """Return the answer of the least average distortion that is found, with the proof of how good it is.

    Where there are few items, all rows that can be are looked through, and itemsets may be lost if that costs less
    (block/every.py); elsewhere every itemset is kept, and some kinds of rows may change (block/kept.py). It is never
    worse than "add", merged or not, or "suppress"; with ``keep_n`` these count only where they keep the number of rows.
    """
    if not len(problem.channels):
        return Answer(problem.patterns, NOBODY, NONE, proof=Proof(0.0, 0.0, 0, whole=True, stopped=False))
    until = monotonic() + problem.seconds
    known = [start for start in (add.answer(problem), suppress.answer(problem)) if _may_be(problem, start)]
    costs = [distortion(problem.patterns, start.patterns) for start in known]
    itemsets = distortion(problem.patterns, problem.patterns).itemsets
    most = min([cost.average for cost in costs], default=1.0)
    found = (every if every.fits(problem) else kept).least(problem, most * itemsets, until)
    # Merged rows are no start of the search, which did worse from there, but an answer if nothing better is found.
    for more in (found.answer, _merged(problem)):
        if more is not None and _may_be(problem, more):
            known.append(more)
            costs.append(distortion(problem.patterns, more.patterns))
    if not known:
        raise BudgetError(
            f"no safe release of as many rows was found in {problem.seconds:g} seconds; give more seconds, or leave "
            "keep_n out"
        )
    average, at = min((cost.average, at) for at, cost in enumerate(costs))
    bound = max(0.0, found.bound / itemsets)
    # The solver counts in floats: what is this close is the same.
    bound = bound if bound < (1 - SAME) * average else average
    proof = Proof(average, bound, found.kinds, found.whole, found.stopped)
    return known[at]._replace(proof=proof, rounds=None)


def _merged(problem: Problem) -> Answer | None:
    """Return what "add" answers with merged rows, if it can."""
    try:
        return add.answer(replace(problem, merge=True))
    except BudgetError:
        return None


def _may_be(problem: Problem, start: Answer) -> bool:
    """Return whether an answer keeps the number of rows, where it must."""
    return not problem.keep_n or start.patterns.n == problem.patterns.n
