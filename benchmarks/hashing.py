"""The baseline for detectors: one plain hash pass over merged rows for each maximal itemset, compiled.

Rows are cut to the items of the maximal itemsets and equal ones are merged, once. Then, for each itemset, every merged
row is cut to it and counted in a hash table, and the small counts are the channels. Nothing is shared between itemsets.
"""

from typing import Any, Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from discreet import Patterns, Transactions

jit = njit(cache=True, nogil=True)

ONE: Final = np.uint64(1)
SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)
"""2 ** 64 over the golden ratio: the high bits of a product with it tell words apart."""


def channels(maximal: Patterns, rows: Transactions, *, k: int) -> int:
    """Return how many channels below ``k`` there are under the maximal itemsets of the rows.

    >>> from discreet import mine
    >>> rows = Transactions([["a", "b"]] * 5 + [["a"]] * 2 + [[]])
    >>> channels(mine(rows, min_support=2, kind="maximal"), rows, k=3)
    2
    """
    used = np.unique(maximal.items)
    place = np.full(len(rows.labels), -1, dtype=np.int64)
    place[used] = np.arange(used.size)
    words = max(1, -(-used.size // 64))
    tops = bitmaps(maximal.offsets, maximal.items, place, words)
    maps, weights = merged(bitmaps(rows.offsets, rows.items, place, words), np.ones(len(rows), dtype=np.int64))
    if words == 1:
        return int(small_cells_of_words(maps[:, 0], weights, tops[:, 0], k))
    return int(small_cells(maps, weights, tops, k))


@jit
def bitmaps(offsets: NDArray[Any], items: NDArray[Any], place: NDArray[Any], words: int) -> NDArray[np.uint64]:
    """Return itemsets as bitmaps: item ``i`` is bit ``place[i]``, left out where that is -1."""
    maps = np.zeros((offsets.size - 1, words), np.uint64)
    for number in range(offsets.size - 1):
        for at in range(offsets[number], offsets[number + 1]):
            bit = place[items[at]]
            if bit >= 0:
                maps[number, bit >> 6] |= ONE << np.uint64(bit & 63)
    return maps


@jit
def merged(maps: NDArray[np.uint64], weights: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the different bitmaps and what each weighs."""
    kept, total = np.empty_like(maps), np.empty_like(weights)
    slots, shift = table(weights.size)
    every = np.full(maps.shape[1], ~np.uint64(0))
    used = count(maps, weights, every, kept, total, slots, shift, 1)
    return kept[:used].copy(), total[:used].copy()


@jit
def table(rows: int) -> tuple[NDArray[np.int64], np.uint64]:
    """Return empty slots, a power of 2 at least twice the number of rows, and the shift that makes a hash a slot."""
    bits = 1
    while 1 << bits < 2 * rows:
        bits += 1
    return np.zeros(1 << bits, np.int64), np.uint64(64 - bits)


@jit
def small_cells(maps: NDArray[np.uint64], weights: NDArray[np.int64], tops: NDArray[np.uint64], limit: int) -> int:
    """Return how many cells of ``tops`` weigh less than ``limit``: one pass over the rows for each."""
    kept, total = np.empty_like(maps), np.empty_like(weights)
    slots, shift = table(weights.size)
    small = 0
    for top in range(tops.shape[0]):
        used = count(maps, weights, tops[top], kept, total, slots, shift, top + 1)
        for entry in range(used):
            small += total[entry] < limit
    return small


@jit
def count(
    maps: NDArray[np.uint64],
    weights: NDArray[np.int64],
    keep: NDArray[np.uint64],
    kept: NDArray[np.uint64],
    total: NDArray[np.int64],
    slots: NDArray[np.int64],
    shift: np.uint64,
    stamp: int,
) -> int:
    """Write the different bitmaps, cut to ``keep``, to ``kept`` and what they weigh to ``total``; return how many.

    A slot holds a stamp and the number of an entry; what earlier stamps left in ``slots`` counts as empty.
    """
    words, used, last = keep.size, 0, slots.size - 1
    for row in range(weights.size):
        spread = np.uint64(0)
        for word in range(words):
            kept[used, word] = maps[row, word] & keep[word]
            spread = ((spread ^ spread >> np.uint64(32)) + kept[used, word]) * SPREAD
        slot = np.int64(spread >> shift)
        while slots[slot] >> 32 == stamp and not same(kept, slots[slot] & 0xFFFFFFFF, used):
            slot = (slot + 1) & last
        if slots[slot] >> 32 == stamp:
            total[slots[slot] & 0xFFFFFFFF] += weights[row]
        else:
            slots[slot] = (stamp << 32) | used
            total[used] = weights[row]
            used += 1
    return used


@jit
def same(maps: NDArray[np.uint64], left: int, right: int) -> bool:
    """Return whether two bitmaps are equal."""
    for word in range(maps.shape[1]):  # noqa: SIM110 - Numba compiles no generator expressions
        if maps[left, word] != maps[right, word]:
            return False
    return True


@jit
def small_cells_of_words(
    maps: NDArray[np.uint64], weights: NDArray[np.int64], tops: NDArray[np.uint64], limit: int
) -> int:
    """Return what ``small_cells`` returns, where a word holds all items: without loops over words."""
    kept, total = np.empty(maps.size, np.uint64), np.empty_like(weights)
    slots, shift = table(weights.size)
    small, last = 0, slots.size - 1
    for top in range(tops.size):
        used, stamp = 0, top + 1
        for row in range(maps.size):
            cut = maps[row] & tops[top]
            slot = np.int64((cut * SPREAD) >> shift)
            while slots[slot] >> 32 == stamp and kept[slots[slot] & 0xFFFFFFFF] != cut:
                slot = (slot + 1) & last
            if slots[slot] >> 32 == stamp:
                total[slots[slot] & 0xFFFFFFFF] += weights[row]
            else:
                slots[slot] = (stamp << 32) | used
                kept[used] = cut
                total[used] = weights[row]
                used += 1
        for entry in range(used):
            small += total[entry] < limit
    return small
