"""The detectors exactly as the papers print them. Cells are top, bitmap of its items (some words), number of rows."""

import numpy as np

from discreet.kernels.common import grow_cells, inner, jit, make_cells, trim
from discreet.kernels.shapes import ONE
from discreet.kernels.words import popcount


@jit
def by_all_supports(offsets, items, supports, many, tops, limit):
    """Return the cells of ``tops`` by Algorithm 1 of k-anonymous patterns: the signed sum of each base's supersets.

    All subsets of a top must be among the itemsets, which are in dictionary order; a top has fewer than 60 items.
    """
    cells, found = make_cells(np.empty((1024, 1), np.uint64)), 0
    starts = find_first_items(offsets, items, many)
    for number in range(tops.size):
        first = offsets[tops[number]]
        length = offsets[tops[number] + 1] - first
        held, wanted = np.empty(1 << length, np.int64), np.empty(length, items.dtype)
        for subset in range(1 << length):
            size = 0
            for at in range(length):
                if subset >> at & 1:
                    wanted[size] = items[first + at]
                    size += 1
            held[subset] = supports[find(offsets, items, starts, wanted, size)]
        for base in range(1 << length):
            rows = signed_sum(held, base, (1 << length) - 1 ^ base)
            if rows != 0 and rows < limit:
                cells = grow_cells(cells, found + 1)
                cells.tops[found], cells.maps[found, 0], cells.counts[found] = number, base, rows
                found += 1
    return trim(cells, found)


@inner
def signed_sum(held, base, rest):
    """Return the sum of ``held`` over the sets from base to base and ``rest``, odd ones subtracted (Lemma 8)."""
    rows, part = np.int64(0), rest
    while True:
        rows += -held[base | part] if popcount(np.uint64(part)) & ONE else held[base | part]
        if part == 0:
            return rows
        part = (part - 1) & rest


@inner
def find_first_items(offsets, items, many):
    """Return for each item the first itemset that starts with it or a later item, and last the number of itemsets."""
    starts = np.full(many + 1, offsets.size - 1, np.int64)
    for number in range(offsets.size - 2, -1, -1):
        if offsets[number + 1] > offsets[number]:
            starts[items[offsets[number]]] = number
    for item in range(many - 1, -1, -1):
        starts[item] = min(starts[item], starts[item + 1])
    return starts


@inner
def find(offsets, items, starts, wanted, size):
    """Return the number of the itemset ``wanted[:size]``, by bisection of those that start with its first item."""
    if size == 0:
        return np.int64(0)
    low, high = starts[wanted[0]], starts[wanted[0] + 1]
    while high - low > 1:
        middle = (low + high) >> 1
        at, length = 0, offsets[middle + 1] - offsets[middle]
        while at < size and at < length and items[offsets[middle] + at] == wanted[at]:
            at += 1
        later = at < length and (at == size or items[offsets[middle] + at] > wanted[at])
        low, high = (low, middle) if later else (middle, high)
    return low


@jit
def by_closed_supports(offsets, items, supports, order, many, tops, cut, limit):
    """Return the cells of ``tops`` by Algorithm 2 of k-anonymous patterns (OICD): closed bases, summed up as above.

    A top has fewer than 60 items. The support of an itemset between base and top is the largest of a closed superset
    within the top, so the closed itemsets are searched by falling support, in ``order``. Tops of ``cut`` items, where
    longer ones were cut off, need not be closed: there closed itemsets that reach beyond the top count too.
    """
    cells, found = make_cells(np.empty((1024, 1), np.uint64)), 0
    place = np.full(many, -1, np.int64)
    maps, held = np.empty(supports.size, np.uint64), np.empty(supports.size, np.int64)
    for number in range(tops.size):
        first, last = offsets[tops[number]], offsets[tops[number] + 1]
        for at in range(first, last):
            place[items[at]] = at - first
        size = 0
        for closed in order:
            bits, inside = np.uint64(0), True
            for at in range(offsets[closed], offsets[closed + 1]):
                bit = place[items[at]]
                if bit >= 0:
                    bits |= ONE << np.uint64(bit)
                elif last - first < cut:
                    inside = False
                    break
            is_new = inside
            for other in range(size if last - first == cut else 0):
                is_new &= maps[other] != bits
            if is_new:
                maps[size], held[size] = bits, supports[closed]
                size += 1
        for at in range(first, last):
            place[items[at]] = -1
        for base in maps[:size]:
            rows = signed_sum_of_closed(maps, held, base, (ONE << np.uint64(last - first)) - ONE ^ base)
            if rows != 0 and rows < limit:
                cells = grow_cells(cells, found + 1)
                cells.tops[found], cells.maps[found, 0], cells.counts[found] = number, base, rows
                found += 1
    return trim(cells, found)


@inner
def signed_sum_of_closed(maps, held, base, rest):
    """Do what ``signed_sum`` does where only closed itemsets have a support of their own."""
    rows, part = np.int64(0), rest
    while True:
        at, wanted = 0, base | part
        while maps[at] & wanted != wanted:
            at += 1
        rows += -held[at] if popcount(part) & ONE else held[at]
        if part == 0:
            return rows
        part = (part - ONE) & rest


@jit
def project(offsets, items, place, maps):
    """Write rows as bitmaps of the items with a ``place`` (not -1); all bitmaps are 0 before."""
    for row in range(offsets.size - 1):
        for at in range(offsets[row], offsets[row + 1]):
            bit = place[items[at]]
            if bit >= 0:
                maps[bit >> 6, row] |= ONE << np.uint64(bit & 63)
