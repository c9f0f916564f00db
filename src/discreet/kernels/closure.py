"""Kernels that walk through a trie of itemsets to find those within others.

The trie is that of inversion.py. Itemsets are laid flat, in dictionary order. The empty one has no node; if it is
listed (``rooted``), it is the first.
"""

import numpy as np
from numba import njit

from discreet.kernels.common import ONE, grow

jit = njit(cache=True, nogil=True)


@jit
def walk(trie, rooted, inside, found):
    """Write the numbers of the itemsets whose items are all ``inside`` to ``found``; return how many."""
    node_items, _, ends, skips = trie
    found[0] = 0
    size, node, nodes = np.int64(rooted), np.uint64(0), np.uint64(node_items.size)
    while node < nodes:
        if inside[node_items[node]]:
            found[size] = np.int64(ends[node]) - 1
            size += np.int64(ends[node] > 0)
            node += ONE
        else:
            node = skips[node]
    return size


@jit
def put_in(offsets, items, number, inside):
    """Mark the items of an itemset as ``inside``."""
    for at in range(offsets[number], offsets[number + 1]):
        inside[items[at]] = True


@jit
def take_out(offsets, items, number, inside):
    """Mark the items of an itemset as outside again."""
    for at in range(offsets[number], offsets[number + 1]):
        inside[items[at]] = False


@jit
def add_up(trie, rooted, rows, weights, many, totals):
    """Add to ``totals`` the weight of the rows that hold each itemset of the trie; there are ``many`` items."""
    offsets, items = rows
    inside, found = np.zeros(many, np.bool_), np.empty(totals.size + 2, np.int64)
    for row in range(offsets.size - 1):
        put_in(offsets, items, row, inside)
        for at in range(walk(trie, rooted, inside, found)):
            totals[found[at]] += weights[row]
        take_out(offsets, items, row, inside)


@jit
def sum_up(trie, rooted, others, values, many, sums):
    """Write for each of the others the sum of the ``values`` of the trie's itemsets within it."""
    offsets, items = others
    inside, found = np.zeros(many, np.bool_), np.empty(values.size + 2, np.int64)
    for other in range(offsets.size - 1):
        put_in(offsets, items, other, inside)
        sums[other] = 0
        for at in range(walk(trie, rooted, inside, found)):
            sums[other] += values[found[at]]
        take_out(offsets, items, other, inside)


@jit
def close(trie, rooted, others, supports, many, closures):
    """Write for each itemset of the trie which superset among the others has the largest support, the shortest first.

    ``closures`` are -1 before, and stay so where there is no superset.
    """
    offsets, items = others
    inside, found = np.zeros(many, np.bool_), np.empty(closures.size + 2, np.int64)
    for other in range(offsets.size - 1):
        put_in(offsets, items, other, inside)
        length = offsets[other + 1] - offsets[other]
        for at in range(walk(trie, rooted, inside, found)):
            known = closures[found[at]]
            if (
                known < 0
                or supports[known] < supports[other]
                or (supports[known] == supports[other] and length < offsets[known + 1] - offsets[known])
            ):
                closures[found[at]] = other
        take_out(offsets, items, other, inside)


@jit
def count_classes(trie, rooted, offsets, items, order, many, sizes):
    """Write how many itemsets each closed one stands for: its subsets that lie within no smaller closed one.

    ``order`` brings the smaller ones first; ``sizes``, unsigned, are 0. They must be below 2 ** 64.
    """
    inside, found = np.zeros(many, np.bool_), np.empty(sizes.size + 2, np.int64)
    for number in order:
        put_in(offsets, items, number, inside)
        size = ONE << np.uint64(offsets[number + 1] - offsets[number])
        for at in range(walk(trie, rooted, inside, found)):
            size -= sizes[found[at]]
        sizes[number] = size
        take_out(offsets, items, number, inside)


@jit
def match(offsets, items, others, other_items):
    """Return for each itemset its number among the others, or -1; both are in dictionary order."""
    found, other = np.full(offsets.size - 1, -1, np.int64), 0
    for number in range(offsets.size - 1):
        step = 1
        while other < others.size - 1 and step > 0:
            step = compare(items, offsets[number], offsets[number + 1], other_items, others[other], others[other + 1])
            other += step > 0
        if step == 0:
            found[number] = other
    return found


@jit
def compare(items, start, stop, others, first, last):
    """Return less than 0, 0 or more than 0 as an itemset comes before, is, or comes after another."""
    for at in range(min(stop - start, last - first)):
        step = np.int64(items[start + at]) - np.int64(others[first + at])
        if step != 0:
            return step
    return (stop - start) - (last - first)


@jit
def find_closed(offsets, items, supports, is_known, order):
    """Return the numbers of the itemsets without a superset of the same support; some are known to be closed.

    ``order`` brings those of one support together, the shorter ones first.
    """
    total = supports.size
    is_open, start = np.zeros(total, np.bool_), 0
    while start < total:
        stop = start + 1
        while stop < total and supports[order[stop]] == supports[order[start]]:
            stop += 1
        for at in range(start, stop):
            number = order[at]
            if is_known[number]:
                continue
            for other in order[at + 1 : stop]:
                if is_held(offsets, items, number, other):
                    is_open[number] = True
                    break
        start = stop
    return np.flatnonzero(~is_open)


@jit
def is_held(offsets, items, number, other):
    """Return whether itemset ``other`` holds all items of ``number``."""
    at, last = offsets[other], offsets[other + 1]
    for i in range(offsets[number], offsets[number + 1]):
        while at < last and items[at] < items[i]:
            at += 1
        if at == last or items[at] != items[i]:
            return False
    return True


@jit
def narrow_limits(trie, offsets, items, low, high, many):
    """Narrow the limits of all itemsets: one has no more rows than those below it, and no fewer than those above.

    Limits that cross stay so, for the caller to see. Return how many limits have changed.
    """
    inside, found, changed = np.zeros(many, np.bool_), np.empty(offsets.size + 1, np.int64), 0
    for number in range(offsets.size - 1):
        put_in(offsets, items, number, inside)
        for at in range(walk(trie, offsets[0] == offsets[1], inside, found)):
            smaller = found[at]
            if high[number] > high[smaller]:
                high[number] = high[smaller]
                changed += 1
            if low[smaller] < low[number]:
                low[smaller] = low[number]
                changed += 1
        take_out(offsets, items, number, inside)
    return changed


@jit
def find_gaps(trie, offsets, items, low, high, many, k, most):
    """Return pairs of itemsets, the second a superset, that certainly differ by 1 to k - 1 rows: at most ``most``."""
    inside, found, size = np.zeros(many, np.bool_), np.empty(offsets.size + 1, np.int64), 0
    pairs = np.empty((1024, 2), np.int64)
    for number in range(offsets.size - 1):
        put_in(offsets, items, number, inside)
        for at in range(walk(trie, offsets[0] == offsets[1], inside, found)):
            smaller = found[at]
            if low[smaller] - high[number] > 0 and high[smaller] - low[number] < k and size < most:
                if size == pairs.shape[0]:
                    pairs = grow(pairs, 2 * size)
                pairs[size, 0], pairs[size, 1] = smaller, number
                size += 1
        take_out(offsets, items, number, inside)
        if size == most:
            break
    return pairs[:size].copy()
