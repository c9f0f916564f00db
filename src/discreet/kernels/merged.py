"""Kernels on merged rows: each different row once (CSR), and how many are like it."""

import numpy as np
from numba import njit

from discreet.kernels.bits import mixed

jit = njit(cache=True, nogil=True)

ONE = np.uint64(1)


@jit
def merge(offsets, items, is_used):
    """Return the rows cut to the items in use, equal ones merged, in the order in which they first come.

    Return where each starts, their items, how many are like each, and for each row which of them it is.
    """
    rows, size = offsets.size - 1, 16
    while size < 2 * rows:
        size *= 2
    slots, low = np.full(size, -1, np.int64), np.uint64(size - 1)
    starts, kept = np.zeros(rows + 1, np.int64), np.empty(offsets[rows] - offsets[0], np.int32)
    weights, numbers = np.zeros(rows, np.int64), np.empty(rows, np.int64)
    many, start = 0, 0
    for row in range(rows):
        end, key = start, np.uint64(0)
        for at in range(offsets[row], offsets[row + 1]):
            if is_used[items[at]]:
                kept[end] = items[at]
                end += 1
                key = mixed(key ^ np.uint64(items[at] + 1))
        slot = key & low
        while slots[slot] >= 0 and not is_same(starts, kept, slots[slot], start, end):
            slot = (slot + ONE) & low
        if slots[slot] < 0:
            slots[slot] = many
            many += 1
            starts[many] = end
            start = end
        numbers[row] = slots[slot]
        weights[slots[slot]] += 1
    return starts[: many + 1].copy(), kept[:start].copy(), weights[:many].copy(), numbers


@jit
def is_same(starts, kept, number, start, end):
    """Return whether a merged row has the items from ``start`` to ``end``."""
    first = starts[number]
    if starts[number + 1] - first != end - start:
        return False
    for at in range(end - start):
        if kept[first + at] != kept[start + at]:
            return False
    return True
