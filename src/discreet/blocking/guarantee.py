"""The guarantee, checked every time: no channel in what would be published, and rows that have its supports."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.blocking.distortion import distortion, supports_in
from discreet.blocking.problem import Answer, Problem
from discreet.blocking.release.release import witness
from discreet.data.itemsets import Weighted
from discreet.data.lattice import family_of, taken, told_by
from discreet.data.merged import Rows
from discreet.data.patterns import Patterns
from discreet.errors import GuaranteeError, InconsistencyError


def check(problem: Problem, answer: Answer) -> None:
    """Refuse an answer with a channel, or with a support that its witness, or without one the rows, do not have."""
    patterns = answer.patterns
    if (
        has_small_sum(problem, answer.added)
        if only_adds(problem, answer)
        else has_channel(problem, patterns, is_whole=answer.is_whole)
    ):
        raise GuaranteeError("channels are left after blocking; nothing is released: please report this as a bug")
    if (patterns.supports < problem.least).any() or not has_supports(problem, answer):
        raise GuaranteeError(
            "supports after blocking are not those of any rows; nothing is released: please report this as a bug"
        )


def only_adds(problem: Problem, answer: Answer) -> bool:
    """Return whether the itemsets are those of the rows, of which none is suppressed."""
    return answer.is_whole and not answer.suppressed.size and answer.patterns.offsets is problem.patterns.offsets


def has_small_sum(problem: Problem, added: Weighted) -> bool:
    """Return whether a cell holds from 1 to k − 1 rows once some are added.

    Cells are sums and differences of supports, so a cell of all rows together is that of the rows, which is known if
    it is small, and that of the added ones, which are counted here. That the supports are those of all rows together
    is for ``has_supports`` to see.
    """
    cells, many = problem.cells, len(problem.patterns.labels)
    sums = cells.counts.copy()
    tops = problem.told.top_itemsets()
    kernels.cell_rows.weigh(added.flat, added.weights, (cells.tops, *cells.bases.flat), tops, many, sums)
    return bool((added.weights < problem.k).any() or (sums < problem.k).any())


def has_channel(problem: Problem, patterns: Patterns, *, is_whole: bool = True) -> bool:
    """Return whether a cell of the patterns holds from 1 to k − 1 rows, or none can be told.

    Only in a whole list may what is missing count as 0.
    """
    if not len(patterns):
        return False
    try:
        family = told_by(patterns) if is_whole else family_of(patterns)
    except InconsistencyError:
        return True
    # Cells of fewer than no rows, which no rows have, are too small as well.
    return bool(family.smallest_cells(family.tops, problem.k)[1].size)


def has_supports(problem: Problem, answer: Answer) -> bool:
    """Return whether the supports are those of the witness, or where there is none those of the rows themselves."""
    patterns, before = answer.patterns, problem.patterns
    if not answer.is_whole:
        cost = distortion(before, patterns)
        return cost.changed == cost.lost and patterns.n == before.n
    gone = some_of(problem.rows, answer.suppressed)
    n = before.n - int(gone.weights.sum()) + int(answer.added.weights.sum())
    if only_adds(problem, answer):
        is_kept = np.array_equal(before.supports + weighed(answer.added, before), patterns.supports)
        return is_kept and patterns.n == n
    places = kernels.closure.places(patterns.offsets, patterns.items, before.offsets, before.items)
    if places.min(initial=0) < 0:
        rows = witness(problem.rows, answer.suppressed, answer.added)
        left = Weighted(rows.offsets, rows.items, rows.weights)
        return patterns.n == n and np.array_equal(weighed(left, patterns), patterns.supports)
    # Only what was suppressed and added needs to be counted: the rest is as it was mined.
    supports = before.supports + weighed(answer.added, before) - weighed(gone, before)
    is_kept = np.array_equal(supports[places], patterns.supports)
    return patterns.n == n and is_kept and is_complete(patterns, before, places, supports)


def some_of(rows: Rows, numbers: NDArray[np.intp]) -> Weighted:
    """Return some of the rows, by their numbers."""
    return Weighted(*taken(rows.offsets, rows.items, numbers), rows.weights[numbers])


def is_complete(patterns: Patterns, before: Patterns, places: NDArray[np.int64], supports: NDArray[np.int64]) -> bool:
    """Return whether itemsets that are not listed any more, but still frequent, follow from those that are."""
    is_listed = np.zeros(len(before), dtype=np.bool_)
    is_listed[places] = True
    gone = np.flatnonzero(~is_listed & (supports >= patterns.min_support))
    if not gone.size:
        return True
    left = replace(before.take(gone), supports=supports[gone], n=patterns.n)
    return np.array_equal(supports_in(patterns, left), supports[gone])


def weighed(rows: Weighted, patterns: Patterns) -> NDArray[np.int64]:
    """Return how much the rows weigh that hold each of the patterns, whose codes are those of the rows."""
    supports = np.zeros(len(patterns), dtype=np.int64)
    itemsets = (patterns.offsets, patterns.items)
    if rows.weights.size:
        kernels.cell_rows.supports(rows.flat, rows.weights, itemsets, len(patterns.labels), supports)
    return supports
