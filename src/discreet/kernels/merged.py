"""Kernels on merged rows: each different row once (CSR), and how many are like it."""

import numpy as np
from numba import njit

from discreet.kernels.bits import mixed

jit = njit(cache=True, nogil=True)

ONE = np.uint64(1)


@jit
def merge(offsets, items, weights, code):
    """Return the rows in new codes, equal ones merged, in the order in which they first come.

    Row r stands for ``weights[r]`` rows. Items whose ``code`` is -1 are left out. Return where each starts, their
    items, how many rows it stands for, and for each row which of them it is.
    """
    rows, size = offsets.size - 1, 16
    while size < 2 * rows:
        size *= 2
    slots, low = np.full(size, -1, np.int64), np.uint64(size - 1)
    starts, kept = np.zeros(rows + 1, np.int64), np.empty(offsets[rows] - offsets[0], np.int32)
    sums, numbers = np.zeros(rows, np.int64), np.empty(rows, np.int64)
    many, start = 0, 0
    for row in range(rows):
        end, key = start, np.uint64(0)
        for at in range(offsets[row], offsets[row + 1]):
            item = code[items[at]]
            if item >= 0:
                kept[end] = item
                end += 1
                key = mixed(key ^ np.uint64(item + 1))
        slot = key & low
        while slots[slot] >= 0 and not is_same(starts, kept, slots[slot], start, end):
            slot = (slot + ONE) & low
        if slots[slot] < 0:
            slots[slot] = many
            many += 1
            starts[many] = end
            start = end
        numbers[row] = slots[slot]
        sums[slots[slot]] += weights[row]
    return starts[: many + 1].copy(), kept[:start].copy(), sums[:many].copy(), numbers


@jit
def merge_more(offsets, items, slots, starts, kept, weights, many):
    """Add rows to ``many`` merged ones: those that are there already weigh more, others come behind. Return how many.

    ``slots`` are their places by hash, a power of 2 and more than half of them free (-1) even if no row is there yet;
    in the other arrays there is room for all rows more.
    """
    low = np.uint64(slots.size - 1)
    for row in range(offsets.size - 1):
        start = end = starts[many]
        for at in range(offsets[row], offsets[row + 1]):
            kept[end] = items[at]
            end += 1
        slot = hashed(kept, start, end) & low
        while slots[slot] >= 0 and not is_same(starts, kept, slots[slot], start, end):
            slot = (slot + ONE) & low
        if slots[slot] < 0:
            slots[slot] = many
            weights[many] = 0
            many += 1
            starts[many] = end
        weights[slots[slot]] += 1
    return many


@jit
def place(starts, kept, many, slots):
    """Write the places of ``many`` different rows by hash to ``slots``: all are free, -1, and most stay so."""
    low = np.uint64(slots.size - 1)
    for row in range(many):
        slot = hashed(kept, starts[row], starts[row + 1]) & low
        while slots[slot] >= 0:
            slot = (slot + ONE) & low
        slots[slot] = row


@jit
def hashed(kept, start, end):
    """Return a hash of the items from ``start`` to ``end``."""
    key = np.uint64(0)
    for at in range(start, end):
        key = mixed(key ^ np.uint64(kept[at] + 1))
    return key


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
