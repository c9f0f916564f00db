"""Kernels on rows of item codes (CSR: ``items[offsets[r]:offsets[r + 1]]`` is row ``r``)."""

import numpy as np
from numba import njit

jit = njit(cache=True, nogil=True)


SHORT = 32


@jit
def rises(items, start, stop):
    """Return whether each item from ``start`` to ``stop`` is greater than the one before it."""
    rising = True
    for at in range(start + 1, stop):
        rising &= items[at - 1] < items[at]
    return rising


@jit
def sort(items, start, stop):
    """Sort ``items`` from ``start`` to ``stop``: by insertion where they are few, since most rows are short."""
    if stop - start > SHORT:
        items[start:stop].sort()
        return
    for place in range(start + 1, stop):
        item = items[place]
        at = place
        while at > start and items[at - 1] > item:
            items[at] = items[at - 1]
            at -= 1
        items[at] = item


@jit
def sort_rows(offsets, items):
    """Sort each row in place and drop repeated items; return how many items are left.

    ``offsets`` and ``items`` are both rewritten; the caller cuts ``items`` to the returned size.
    """
    size = 0
    start = offsets[0]
    for row in range(offsets.size - 1):
        stop = offsets[row + 1]
        offsets[row] = size
        if size == start and rises(items, start, stop):
            size = start = stop
            continue
        sort(items, start, stop)
        first = size
        for at in range(start, stop):
            if size == first or items[size - 1] != items[at]:
                items[size] = items[at]
                size += 1
        start = stop
    offsets[offsets.size - 1] = size
    return size


@jit
def holding(offsets, items, wanted, found):
    """Set ``found[row]`` for each row that holds every code of ``wanted``; both strictly increasing."""
    for row in range(offsets.size - 1):
        at = offsets[row]
        stop = offsets[row + 1]
        met = 0
        while met < wanted.size and at < stop:
            if items[at] == wanted[met]:
                met += 1
            elif items[at] > wanted[met]:
                break
            at += 1
        found[row] = met == wanted.size


@jit
def deal(offsets, items, heap_of, many):
    """Return for each of ``many`` heaps the rows that have an item of it: where they start, and their numbers.

    An item whose ``heap_of`` is -1 is of no heap.
    """
    last = np.full(many, -1, np.int64)
    starts = np.zeros(many + 1, np.int64)
    for row in range(offsets.size - 1):
        for at in range(offsets[row], offsets[row + 1]):
            heap = heap_of[items[at]]
            if heap >= 0 and last[heap] != row:
                last[heap] = row
                starts[heap + 1] += 1
    for heap in range(many):
        starts[heap + 1] += starts[heap]
    rows = np.empty(starts[many], np.int64)
    ends = starts[:-1].copy()
    last[:] = -1
    for row in range(offsets.size - 1):
        for at in range(offsets[row], offsets[row + 1]):
            heap = heap_of[items[at]]
            if heap >= 0 and last[heap] != row:
                last[heap] = row
                rows[ends[heap]] = row
                ends[heap] += 1
    return starts, rows


@jit
def mark(offsets, items, slots, bitmaps):
    """Set bit ``row % 8`` of ``bitmaps[slots[item], row // 8]`` for each item of each row that has a slot above 0.

    ``bitmaps`` come empty. Rows are increasing, and no item from ``slots.size`` on has a slot.
    """
    for row in range(offsets.size - 1):
        bit = 1 << (row & 7)
        for at in range(offsets[row], offsets[row + 1]):
            item = items[at]
            if item >= slots.size:
                break
            slot = slots[item]
            if slot > 0:
                bitmaps[slot, row >> 3] |= bit
