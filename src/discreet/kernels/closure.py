"""Kernels that walk through a trie of itemsets to find those within others.

The trie is that of inversion.py. Itemsets are laid flat, in dictionary order. The empty one has no node; if it is
listed (``rooted``), it is the first.
"""

import numpy as np

from discreet.kernels.common import inner, jit
from discreet.kernels.shapes import ONE
from discreet.kernels.words import grow


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


@inner
def walk_within(trie, rooted, offsets, items, number, inside, found):
    """Do what ``walk`` does for the items of an itemset; ``inside`` is False before and after."""
    for at in range(offsets[number], offsets[number + 1]):
        inside[items[at]] = True
    size = walk(trie, rooted, inside, found)
    for at in range(offsets[number], offsets[number + 1]):
        inside[items[at]] = False
    return size


@jit
def add_up(trie, rooted, rows, weights, many, totals):
    """Add to ``totals`` the weight of the rows that hold each itemset of the trie; there are ``many`` items."""
    offsets, items = rows
    inside, found = np.zeros(many, np.bool_), np.empty(totals.size + 2, np.int64)
    for row in range(offsets.size - 1):
        for at in range(walk_within(trie, rooted, offsets, items, row, inside, found)):
            totals[found[at]] += weights[row]


@jit
def sum_up(trie, rooted, others, values, many, sums):
    """Write to ``sums`` for each of the others the sum of the ``values`` of the trie's itemsets within it."""
    offsets, items = others
    inside, found = np.zeros(many, np.bool_), np.empty(values.size + 2, np.int64)
    for other in range(offsets.size - 1):
        sums[other] = 0
        for at in range(walk_within(trie, rooted, offsets, items, other, inside, found)):
            sums[other] += values[found[at]]


@jit
def close(trie, rooted, others, supports, many, closures):
    """Write to ``closures`` (-1 before) each itemset's superset of largest support, of these the shortest."""
    offsets, items = others
    inside, found = np.zeros(many, np.bool_), np.empty(closures.size + 2, np.int64)
    for other in range(offsets.size - 1):
        length = offsets[other + 1] - offsets[other]
        for at in range(walk_within(trie, rooted, offsets, items, other, inside, found)):
            known = closures[found[at]]
            shorter = known >= 0 and supports[known] == supports[other] and length < offsets[known + 1] - offsets[known]
            if known < 0 or supports[known] < supports[other] or shorter:
                closures[found[at]] = other


@jit
def count_classes(trie, rooted, offsets, items, order, many, sizes):
    """Write to ``sizes`` how many itemsets each closed one stands for: its subsets within no smaller closed one.

    ``order`` brings the smaller ones first; ``sizes``, unsigned, are 0. They must be below 2 ** 64.
    """
    inside, found = np.zeros(many, np.bool_), np.empty(sizes.size + 2, np.int64)
    for number in order:
        size = ONE << np.uint64(offsets[number + 1] - offsets[number])
        for at in range(walk_within(trie, rooted, offsets, items, number, inside, found)):
            size -= sizes[found[at]]
        sizes[number] = size


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


@inner
def compare(items, start, stop, others, first, last):
    """Return less than 0, 0 or more than 0 as an itemset comes before, is, or comes after another."""
    for at in range(min(stop - start, last - first)):
        step = np.int64(items[start + at]) - np.int64(others[first + at])
        if step != 0:
            return step
    return (stop - start) - (last - first)


@jit
def find_closed(offsets, items, supports, is_known, order):
    """Return the itemsets without a superset of the same support; ``order`` is by support, the shorter ones first."""
    total, closed, size = supports.size, np.empty(supports.size, np.int64), 0
    is_open = np.zeros(total, np.bool_)
    for at in range(total):
        number, after = order[at], total if is_known[order[at]] else at + 1
        while after < total and supports[order[after]] == supports[number]:
            if is_held(offsets, items, number, order[after]):
                is_open[number] = True
                break
            after += 1
    for number in range(total):
        if not is_open[number]:
            closed[size] = number
            size += 1
    return closed[:size].copy()


@inner
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
    """Narrow limits: no itemset has more rows than a subset. Limits that cross stay so. Return how many changed."""
    inside, found, changed = np.zeros(many, np.bool_), np.empty(offsets.size + 1, np.int64), 0
    for number in range(offsets.size - 1):
        for at in range(walk_within(trie, offsets[0] == offsets[1], offsets, items, number, inside, found)):
            smaller = found[at]
            if high[number] > high[smaller]:
                high[number] = high[smaller]
                changed += 1
            if low[smaller] < low[number]:
                low[smaller] = low[number]
                changed += 1
    return changed


@jit
def find_gaps(trie, offsets, items, low, high, many, k, most):
    """Return pairs of itemsets, the second a superset, that certainly differ by 1 to k - 1 rows: at most ``most``."""
    inside, found, size = np.zeros(many, np.bool_), np.empty(offsets.size + 1, np.int64), 0
    pairs = np.empty((1024, 2), np.int64)
    for number in range(offsets.size - 1):
        for at in range(walk_within(trie, offsets[0] == offsets[1], offsets, items, number, inside, found)):
            smaller = found[at]
            if low[smaller] - high[number] > 0 and high[smaller] - low[number] < k and size < most:
                if size == pairs.shape[0]:
                    pairs = grow(pairs, 2 * size)
                pairs[size, 0], pairs[size, 1] = smaller, number
                size += 1
        if size == most:
            break
    return pairs[:size].copy()
