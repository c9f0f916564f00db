"""Optimal: the least distortion that can be found in time, and how far it is from the best."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from time import monotonic
from typing import Final

from discreet.blocking import add, attacker_proof, suppress
from discreet.blocking.distortion import distortion
from discreet.blocking.findings import inferred
from discreet.blocking.optimal import exhaustive, keep_all
from discreet.blocking.optimal.row_types import Found
from discreet.blocking.problem import NOBODY, NONE, Answer, Problem
from discreet.blocking.release.release import Proof, witness
from discreet.data.itemsets import Weighted
from discreet.disclosure.attacks.finding import Finding
from discreet.disclosure.attacks.formula import Pattern
from discreet.errors import BudgetError, Either

SAME: Final = 1e-6
"""A bound as close as this, as a share of the average, is met."""
SHARE: Final = 0.5
"""The share of the time that is left for a search that others may follow."""


def answer(problem: Problem) -> Answer:
    """Return the answer of the least average distortion that is found, with the proof of how good it is.

    Where there are few items, all rows that can be are looked through, and itemsets may be lost if that costs less
    (block/every.py); elsewhere every itemset is kept, and some kinds of rows may change (block/kept.py). It is never
    worse than "add", merged or not, or "suppress"; with ``keep_n`` these count only where they keep the number of rows.

    Against a stronger attacker, what he infers from the best answer is cut off: it must hold for no row or for k, and
    the search starts again, until he finds nothing. Other releases might be safe without that, so the bound is that of
    the first search, which knows of channels alone.
    """
    until = monotonic() + problem.seconds
    same = Answer(problem.patterns, NOBODY, NONE, proof=Proof(0.0, 0.0, 0, whole=True, stopped=False))
    if not len(problem.channels) and not _inferred(problem, same):
        return same
    starts = (
        (add.answer, suppress.answer)
        if problem.against == "plain"
        else (attacker_proof.added, attacker_proof.suppressed)
    )
    known = _kept(problem, [_tried(start, problem) for start in starts])
    costs = [distortion(problem.patterns, start.patterns) for start in known]
    itemsets = distortion(problem.patterns, problem.patterns).itemsets
    most = min([cost.average for cost in costs], default=1.0)
    found = _searched(problem, most * itemsets, until)
    # Merged rows are no start of the search, which did worse from there, but an answer if nothing better is found.
    more = _kept(problem, [found.answer, _tried(starts[0], replace(problem, merge=True))])
    known += more
    costs += [distortion(problem.patterns, one.patterns) for one in more]
    if not known:
        raise BudgetError(
            f"no safe release{' of as many rows' * problem.keep_n} was found in {problem.seconds:g} seconds; ",
            Either(
                ("raise {}", "seconds"), ("leave {} out", "keep_n") if problem.keep_n else ("raise {}", "min_support")
            ),
        )
    average, at = min((cost.average, at) for at, cost in enumerate(costs))
    bound = max(0.0, found.bound / itemsets)
    # The solver counts in floats: what is this close is the same.
    bound = bound if bound < (1 - SAME) * average else average
    proof = Proof(average, bound, found.kinds, found.whole, found.stopped)
    return known[at]._replace(proof=proof, rounds=None)


def _searched(problem: Problem, most: float, until: float) -> Found:
    """Return what is found, with an answer from which the attacker infers nothing, if there is one."""
    least = exhaustive.least if exhaustive.fits(problem) else keep_all.least
    if problem.against == "plain":
        return least(problem, most, until)
    found = least(problem, most, _soon(until))
    best, cuts = found.answer, tuple[Pattern, ...]()
    try:
        while best is not None and (findings := _inferred(problem, best)):
            cuts += tuple(finding.pattern for finding in findings)
            best = least(problem, most, _soon(until), cuts).answer if monotonic() < until else None
    except BudgetError:  # too many cuts, or it cannot be told what he infers
        best = None
    return found._replace(answer=best, stopped=found.stopped or (best is None and found.answer is not None))


def _soon(until: float) -> float:
    """Return when a share of the time that is left is over: what is found may not be the last."""
    return until - (1 - SHARE) * (until - monotonic())


def _inferred(problem: Problem, found: Answer) -> tuple[Finding, ...]:
    """Return what the attacker infers from an answer."""
    if problem.against == "plain":
        return ()
    rows = witness(problem.rows, found.suppressed, found.added)
    return inferred(problem, found.patterns, Weighted(rows.offsets, rows.items, rows.weights))


def _tried(start: Callable[[Problem], Answer], problem: Problem) -> Answer | None:
    """Return what another method answers, if it can."""
    try:
        return start(problem)
    except BudgetError:
        return None


def _kept(problem: Problem, answers: Iterable[Answer | None]) -> list[Answer]:
    """Return the answers that there are, of those that keep the number of rows, where they must."""
    n = problem.patterns.n
    return [one for one in answers if one is not None and (not problem.keep_n or one.patterns.n == n)]
