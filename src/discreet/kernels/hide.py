"""Kernels that remove items from rows (CSR), and see that nothing else was changed.

``marks`` stand beside the items of all rows: KEPT, REMOVED, or FINAL where an item is removed and must not come back.
"""

import numpy as np
from numba import njit

from discreet.kernels.bits import popcount

jit = njit(cache=True, nogil=True)

ONE = np.uint64(1)
KEPT, REMOVED, FINAL = 0, 1, 2


@jit
def count(rows, degrees):
    """Add 1 to the degree of each of some rows."""
    for row in rows:
        degrees[row] += 1


@jit
def choose(rows, ranks, chosen):
    """Fill ``chosen`` with the rows of least rank, the earlier ones where ranks tie, in the order of ``rows``.

    ``ranks`` are those of ``rows``, from 0 on. There are as many rows as ``chosen`` has room for, or more.
    """
    highest = np.int64(0)
    for rank in ranks:
        highest = max(highest, rank)
    times = np.zeros(highest + 1, np.int64)
    for rank in ranks:
        times[rank] += 1
    last, left = 0, chosen.size
    while times[last] < left:
        left -= times[last]
        last += 1
    size = 0
    for at in range(rows.size):
        is_last = ranks[at] == last and left > 0
        if ranks[at] < last or is_last:
            chosen[size] = rows[at]
            size += 1
            left -= is_last


@jit
def note(rows, number, words):
    """Set bit ``number`` of the words of each of some rows."""
    for row in rows:
        words[row, number >> 6] |= ONE << np.uint64(number & 63)


@jit
def mark(offsets, items, lost, line, removed, final, marks):
    """Mark the items that rows lose with the itemsets whose bits are set in ``lost``; a higher mark stays.

    An item that has a line, and not -1, is removed with the itemsets whose bits ``removed`` has in that line, and must
    not come back after those that ``final`` has there as well.
    """
    for row in range(offsets.size - 1):
        every = np.uint64(0)
        for word in range(lost.shape[1]):
            every |= lost[row, word]
        if every == 0:
            continue
        for at in range(offsets[row], offsets[row + 1]):
            place = line[items[at]]
            if place >= 0:
                sign = KEPT
                for word in range(lost.shape[1]):
                    if lost[row, word] & removed[place, word]:
                        sign = max(sign, FINAL if lost[row, word] & final[place, word] else REMOVED)
                marks[at - offsets[0]] = max(marks[at - offsets[0]], sign)


@jit
def keep_one(offsets, items, supports, marks):
    """Keep the item of highest support, the first where supports tie, of each row of which all items are removed.

    An item that must not come back does not.
    """
    first = offsets[0]
    for row in range(offsets.size - 1):
        start, stop = offsets[row], offsets[row + 1]
        at = start
        while at < stop and marks[at - first] != KEPT:
            at += 1
        if at < stop:
            continue
        best = -1
        for place in range(start, stop):
            if marks[place - first] == REMOVED and (best < 0 or supports[items[place]] > supports[items[best]]):
                best = place
        if best >= 0:
            marks[best - first] = KEPT


@jit
def list_marked(offsets, items, marks):
    """Return the rows with items that are removed, where the items of each start, and these."""
    rows = size = 0
    for row in range(offsets.size - 1):
        before = size
        for at in range(offsets[row], offsets[row + 1]):
            size += marks[at - offsets[0]] != KEPT
        rows += size > before
    changed, starts, removed = np.empty(rows, np.int64), np.empty(rows + 1, np.int64), np.empty(size, np.int32)
    rows = size = 0
    for row in range(offsets.size - 1):
        before = size
        for at in range(offsets[row], offsets[row + 1]):
            if marks[at - offsets[0]] != KEPT:
                removed[size] = items[at]
                size += 1
        if size > before:
            changed[rows], starts[rows] = row, before
            rows += 1
    starts[rows] = size
    return changed, starts, removed


@jit
def drop(offsets, items, changed, starts, removed, new_offsets, new_items):
    """Write the rows without what is removed, which they hold; return how many items are left.

    Changed rows and removed items increase. There must be room for as many items as the rows have.
    """
    size = change = 0
    for row in range(offsets.size - 1):
        new_offsets[row] = size
        gone = end = np.int64(0)
        if change < changed.size and changed[change] == row:
            gone, end = starts[change], starts[change + 1]
            change += 1
        for at in range(offsets[row], offsets[row + 1]):
            if gone < end and removed[gone] == items[at]:
                gone += 1
            else:
                new_items[size] = items[at]
                size += 1
    new_offsets[offsets.size - 1] = size
    return size


@jit
def is_told(before, after, changes, is_sensitive):
    """Return whether rows are as before but for what the changes tell, all of it in sensitive rows; as many rows."""
    offsets, items = before
    new_offsets, new_items = after
    changed, starts, removed = changes
    change = 0
    for row in range(offsets.size - 1):
        at, stop = new_offsets[row], new_offsets[row + 1]
        gone = end = np.int64(0)
        if change < changed.size and changed[change] == row:
            gone, end = starts[change], starts[change + 1]
            change += 1
            if gone == end or not is_sensitive[row]:
                return False
        for place in range(offsets[row], offsets[row + 1]):
            if at < stop and new_items[at] == items[place]:
                at += 1
            elif gone < end and removed[gone] == items[place]:
                gone += 1
            else:
                return False
        if at < stop or gone < end:
            return False
    return change == changed.size


@jit
def still_holding(rows, number, held):
    """Return those of some rows that have bit ``number`` set."""
    found, size = np.empty_like(rows), 0
    for row in rows:
        if (held[row, number >> 6] >> np.uint64(number & 63)) & ONE:
            found[size] = row
            size += 1
    return found[:size]


@jit
def lose(rows, lost, held, degrees):
    """Take the itemsets whose bits are set in ``lost`` from those that each of some rows holds, and from its degree."""
    for row in rows:
        for word in range(lost.size):
            bits = held[row, word] & lost[word]
            degrees[row] -= np.int64(popcount(bits))
            held[row, word] ^= bits
