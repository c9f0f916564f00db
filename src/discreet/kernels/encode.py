"""Kernels that make rows ready for the search."""

import numpy as np
from numba import njit

jit = njit(cache=True, nogil=True)

HEAD = 2
"""A record starts with its length and its weight."""


@jit
def count(items, many):
    """Return how often each of ``many`` items stands in ``items``."""
    counts = np.zeros(many, np.int64)
    for item in items:
        counts[item] += 1
    return counts


@jit
def merge_rows(offsets, items, code, entries):
    """Return the rows in new codes, equal ones merged, as records: a length, a weight and that many items.

    Items whose ``code`` is -1 are left out, and rows without any other; ``entries`` is how many are left.
    A record is known by where it starts. Return the records and where each of them starts.
    """
    rows = offsets.size - 1
    size = 16
    while size < 2 * rows:
        size *= 2
    slots = np.full(size, -1, np.int32)
    mask = np.uint64(size - 1)
    records, starts = np.empty(entries + HEAD * rows, np.int32), np.empty(rows, np.int32)
    many, start = 0, 0
    for row in range(rows):
        end = start + HEAD
        slot = np.uint64(0)
        for at in range(offsets[row], offsets[row + 1]):
            item = code[items[at]]
            if item >= 0:
                records[end] = item
                end += 1
                slot ^= np.uint64(item)
                slot ^= slot << np.uint64(13)
                slot ^= slot >> np.uint64(7)
                slot ^= slot << np.uint64(17)
        if end == start + HEAD:
            continue
        records[start] = end - start - HEAD
        slot ^= slot >> np.uint64(32)
        slot &= mask
        while slots[slot] >= 0 and not same(records, slots[slot], start):
            slot = (slot + np.uint64(1)) & mask
        if slots[slot] < 0:
            slots[slot] = start
            records[start + 1] = 1
            starts[many] = start
            many += 1
            start = end
        else:
            records[slots[slot] + 1] += 1
    return records[:start].copy(), starts[:many].copy()


@jit
def same(records, left, right):
    """Return whether two records have the same items."""
    if records[left] != records[right]:
        return False
    for i in range(HEAD, HEAD + records[left]):
        if records[left + i] != records[right + i]:
            return False
    return True


@jit
def list_rows(records, starts, many):
    """Return for each of ``many`` items the records that hold it: where its list starts, and the lists."""
    offsets = np.zeros(many + 1, np.int64)
    for row in starts:
        for entry in range(row + HEAD, row + HEAD + records[row]):
            offsets[records[entry] + 1] += 1
    for item in range(many):
        offsets[item + 1] += offsets[item]
    free = offsets[:many].copy()
    lists = np.empty(offsets[many], np.int32)
    for row in starts:
        for entry in range(row + HEAD, row + HEAD + records[row]):
            item = records[entry]
            lists[free[item]] = row
            free[item] += 1
    return offsets, lists
