"""The guarantee, checked every time: no channel in what would be published, and rows that have its supports."""

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.block.problem import NONE, Answer, Problem
from discreet.errors import GuaranteeError, InconsistencyError
from discreet.family import family_of, taken
from discreet.measure import distortion
from discreet.patterns import Patterns
from discreet.release import Merged, witness
from discreet.transactions import Transactions


def check(problem: Problem, answer: Answer) -> None:
    """Refuse an answer with a channel, or with a support that its witness, or without one the rows, do not have."""
    patterns = answer.patterns
    if has_channel(problem, patterns):
        raise GuaranteeError("channels are left after blocking; nothing is released: please report this as a bug")
    if (patterns.supports < problem.least).any() or not has_supports(problem, answer):
        raise GuaranteeError(
            "supports after blocking are not those of any rows; nothing is released: please report this as a bug"
        )


def has_channel(problem: Problem, patterns: Patterns) -> bool:
    """Return whether a cell of the patterns holds from 1 to k − 1 rows, or none can be told."""
    if not len(patterns):
        return False
    try:
        if patterns.offsets is problem.patterns.offsets:
            family = problem.family.with_supports(patterns.supports, patterns.n)
        else:
            family = family_of(patterns)
        return bool(family.cells(problem.k, problem.threads).counts.size)
    except InconsistencyError:
        return True


def has_supports(problem: Problem, answer: Answer) -> bool:
    """Return whether the supports are those of the witness, or where there is none those of the rows themselves."""
    patterns, before = answer.patterns, problem.patterns
    if not answer.is_whole:
        cost = distortion(before, patterns)
        return cost.changed == cost.lost and patterns.n == before.n
    n = before.n - answer.suppressed.size + int(answer.added.weights.sum())
    places = kernels.within.places(patterns.offsets, patterns.items, before.offsets, before.items)
    if (places < 0).any():
        supports = counted(witness(problem.rows, answer.suppressed, answer.added), patterns)
    else:
        # Only what was suppressed and added needs to be counted: the rest is as it was mined.
        gone = witness(problem.rows, np.delete(np.arange(len(problem.rows)), answer.suppressed), NONE)
        supports = before.supports[places] - counted(gone, patterns) + weighed(answer.added, patterns)
    return patterns.n == n and np.array_equal(supports, patterns.supports)


def weighed(rows: Merged, patterns: Patterns) -> NDArray[np.int64]:
    """Return how much the merged rows weigh that hold each of the patterns; those of one weight are counted at once."""
    supports = np.zeros(len(patterns), dtype=np.int64)
    for weight in np.unique(rows.weights).tolist():
        alike = taken(rows.offsets, rows.items, np.flatnonzero(rows.weights == weight))
        supports += weight * counted(Transactions.from_codes(*alike, patterns.labels), patterns)
    return supports


def counted(rows: Transactions, patterns: Patterns) -> NDArray[np.int64]:
    """Return how many rows hold each of the patterns, whose codes are those of the rows."""
    supports = np.zeros(len(patterns), dtype=np.int64)
    kernels.exposed.supports((rows.offsets, rows.items), (patterns.offsets, patterns.items), len(rows.labels), supports)
    return supports
