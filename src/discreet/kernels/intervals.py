"""Intervals of supports: each itemset with all listed ones below it, found in the trie of kernels/lattice.py."""

import numpy as np
from numba import njit

from discreet.kernels.room import grown

jit = njit(cache=True, nogil=True)

NONE = -1


@jit
def first(trie, offsets, inside):
    """Return the first listed itemset of items that are ``inside``, or NONE, and the node of the trie behind it."""
    if offsets[0] == offsets[1]:  # the empty one, which has no node
        return np.int64(0), np.int64(0)
    return after(trie, np.int64(0), inside)


@jit
def after(trie, node, inside):
    """Return the first listed itemset of items that are ``inside`` from ``node`` on, or NONE, and the node behind."""
    node_items, _, ends, skips = trie
    while node < node_items.size:
        if inside[node_items[node]]:
            number = np.int64(ends[node]) - 1
            node += 1
            if number >= 0:
                return number, node
        else:
            node = np.int64(skips[node])
    return np.int64(NONE), node


@jit
def enter(inside, offsets, items, number):
    """Say of each item of an itemset that it is inside."""
    for at in range(offsets[number], offsets[number + 1]):
        inside[items[at]] = True


@jit
def leave(inside, offsets, items, number):
    """Say of each item of an itemset that it is inside no longer."""
    for at in range(offsets[number], offsets[number + 1]):
        inside[items[at]] = False


@jit
def narrow(trie, offsets, items, low, high, many):
    """Narrow the limits of all itemsets: one has no more rows than those below it, and no fewer than those above.

    Limits that cross are left so, for the caller to see. Return how many limits have changed.
    """
    inside, changed = np.zeros(many, np.bool_), 0
    for number in range(offsets.size - 1):
        enter(inside, offsets, items, number)
        smaller, node = first(trie, offsets, inside)
        while smaller != NONE:
            if high[number] > high[smaller]:
                high[number] = high[smaller]
                changed += 1
            if low[smaller] < low[number]:
                low[smaller] = low[number]
                changed += 1
            smaller, node = after(trie, node, inside)
        leave(inside, offsets, items, number)
    return changed


@jit
def gaps(trie, offsets, items, low, high, many, k, most):
    """Return pairs of itemsets, the second a superset, that 1 to k − 1 rows tell apart for sure: at most ``most``."""
    inside, found = np.zeros(many, np.bool_), 0
    pairs = np.empty((1024, 2), np.int64)
    for number in range(offsets.size - 1):
        enter(inside, offsets, items, number)
        smaller, node = first(trie, offsets, inside)
        while smaller != NONE and found < most:
            if low[smaller] - high[number] > 0 and high[smaller] - low[number] < k:
                if found == pairs.shape[0]:
                    pairs = grown(pairs, 2 * found)
                pairs[found, 0], pairs[found, 1] = smaller, number
                found += 1
            smaller, node = after(trie, node, inside)
        leave(inside, offsets, items, number)
    return pairs[:found].copy()


@jit
def extensions(trie, offsets, items, supports, many, start, stop, best):
    """Raise ``best[base − start, item]`` to the support of each listed itemset with that item and all of the base.

    The bases are the listed itemsets from ``start`` on, before ``stop``; ``best`` has a line for each.
    """
    inside = np.zeros(many, np.bool_)
    for number in range(offsets.size - 1):
        enter(inside, offsets, items, number)
        smaller, node = first(trie, offsets, inside)
        while smaller != NONE:
            if start <= smaller < stop:
                for at in range(offsets[number], offsets[number + 1]):
                    best[smaller - start, items[at]] = max(best[smaller - start, items[at]], supports[number])
            smaller, node = after(trie, node, inside)
        leave(inside, offsets, items, number)
