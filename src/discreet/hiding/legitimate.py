"""What hiding may lose: the frequent itemsets that hold no sensitive one, but share an item with one."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.patterns import Patterns
from discreet.errors import BudgetError
from discreet.hiding.problem import Changes, Problem
from discreet.mining.mine import mine
from discreet.runtime.resources import as_threads, share

MOST: Final = 10_000_000
"""If more itemsets are frequent, only the shorter ones are looked at,"""
LENGTHS: Final = (None, 6, 4, 3, 2, 1)
"""of up to so many items: the most that are not too many."""


class Legitimate(NamedTuple):
    """Legitimate itemsets that can be lost, in dictionary order (CSR), by places of their items in ``codes``.

    ``slack`` is how many rows more each can lose and still be frequent. The items of sensitive itemsets have places
    too.
    """

    codes: NDArray[np.int32]
    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    slack: NDArray[np.int64]

    def places(self, itemset: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the places of the items of an itemset."""
        return np.searchsorted(self.codes, itemset)


def legitimate(problem: Problem) -> Legitimate:
    """Return the itemsets that hiding may lose: frequent, not restricted, with an item of a sensitive itemset.

    Whether an itemset is frequent goes by ``below``. Without it, it goes by the least support of a sensitive itemset:
    whoever mines with more would not have found them all in the first place.

    If too many are frequent, they are those of a few items only: "border" then protects these, and "exact" counts them.
    """
    least = problem.below or max(1, int(problem.supports.min(initial=len(problem.rows))))
    found = _mined(problem, least)
    sensitive = np.zeros(len(found.labels), dtype=np.bool_)
    sensitive[np.concatenate(problem.itemsets)] = True
    kept = kernels.hiding.find_touched(found.offsets, found.items, sensitive) & ~restricted(found, problem.itemsets)
    offsets, items = found.itemsets.take(np.flatnonzero(kept)).flat
    used = sensitive.copy()
    used[items] = True
    codes = np.flatnonzero(used).astype(np.int32)
    line = np.zeros(used.size, dtype=np.int32)
    line[codes] = np.arange(codes.size, dtype=np.int32)
    return Legitimate(codes, offsets, line[items], found.supports[kept] - least)


def bitmaps(problem: Problem, codes: NDArray[np.int32], rows: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return for each of some items a bitmap of some rows, numbered as they stand: which of them hold it."""
    line = np.full(len(problem.rows.labels), -1, dtype=np.int32)
    line[codes] = np.arange(codes.size, dtype=np.int32)
    maps = np.zeros((codes.size, words(rows.size)), dtype=np.uint64)
    kernels.hiding.map_rows(problem.rows.offsets, problem.rows.items, rows, line, maps)
    return maps


def lost(problem: Problem, others: Legitimate, changes: Changes) -> int:
    """Return how many legitimate itemsets are not frequent any more after the changes."""
    maps = bitmaps(problem, others.codes, changes.rows)
    left = maps.copy()
    rows = np.repeat(np.arange(changes.rows.size), np.diff(changes.offsets))
    kernels.hiding.clear_bits(left, others.places(changes.items), rows)
    threads = as_threads(problem.threads)
    before, after = (counted(others, which, threads) for which in (maps, left))
    return int(np.count_nonzero(before - after > others.slack))


def counted(others: Legitimate, maps: NDArray[np.uint64], threads: int) -> NDArray[np.int64]:
    """Return how many of the rows of bitmaps hold each itemset."""
    counts = np.zeros(others.slack.size, dtype=np.int64)
    share(
        lambda start, stop: kernels.hiding.count_rows(others.offsets, others.items, start, stop, maps, counts),
        parts(counts.size, threads),
        threads,
    )
    return counts


def parts(size: int, threads: int) -> list[tuple[int, int]]:
    """Return where the parts of a list start and stop, one for each thread.

    >>> parts(5, 2)
    [(0, 2), (2, 5)]
    """
    return [(size * part // threads, size * (part + 1) // threads) for part in range(threads)]


def words(rows: int) -> int:
    """Return how many words the bitmap of so many rows takes."""
    return (rows + 63) >> 6


def _mined(problem: Problem, least: int) -> Patterns:
    for longest in LENGTHS:
        try:
            return mine(
                problem.rows,
                min_support=least,
                kind="frequent",
                max_length=longest,
                threads=problem.threads,
                max_patterns=MOST,
            )
        except BudgetError:
            if longest == LENGTHS[-1]:
                raise
    raise AssertionError


def restricted(found: Patterns, sensitive: Sequence[NDArray[np.int32]]) -> NDArray[np.bool_]:
    """Return which itemsets hold a sensitive one, given by its codes."""
    known = sorted(sensitive, key=lambda itemset: int(itemset[-1]))
    starts = np.searchsorted([itemset[-1] for itemset in known], np.arange(len(found.labels) + 1))
    offsets = np.cumsum([0, *(itemset.size for itemset in known)], dtype=np.int64)
    marks = np.zeros(len(found), dtype=np.bool_)
    items = np.concatenate([np.empty(0, dtype=np.int32), *known])
    kernels.hiding.mark_holders(found.offsets, found.items, starts, offsets, items, marks)
    return marks
