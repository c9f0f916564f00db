"""Kernels that compare long lists of itemsets: with a few that they may hold, and with each other."""

import numpy as np
from numba import njit

jit = njit(cache=True, nogil=True)


@jit
def holding(offsets, items, starts, wanted_offsets, wanted_items, found):
    """Mark in ``found`` the itemsets, which are in dictionary order, that hold all items of one that is wanted.

    The wanted ones whose last item is ``item`` are those from ``starts[item]`` to ``starts[item + 1]``. An itemset
    holds one if its first items do, or if its last item completes one. So only what an itemset has not in common with
    the one before it is looked at: about an item each.
    """
    longest = 0
    for number in range(found.size):
        longest = max(longest, offsets[number + 1] - offsets[number])
    holds, inside = np.zeros(longest + 1, np.bool_), np.zeros(starts.size - 1, np.bool_)
    before, size = 0, 0
    for number in range(found.size):
        first, length, common = offsets[number], offsets[number + 1] - offsets[number], 0
        while common < min(size, length) and items[before + common] == items[first + common]:
            common += 1
        for at in range(before + common, before + size):
            inside[items[at]] = False
        for at in range(common, length):
            inside[items[first + at]] = True
            holds[at + 1] = holds[at] or completes(items[first + at], inside, starts, wanted_offsets, wanted_items)
        found[number] = holds[length]
        before, size = first, length


@jit
def completes(item, inside, starts, wanted_offsets, wanted_items):
    """Return whether all items of an itemset that is wanted and ends in ``item`` are ``inside``."""
    for number in range(starts[item], starts[item + 1]):
        at = wanted_offsets[number]
        while at < wanted_offsets[number + 1] and inside[wanted_items[at]]:
            at += 1
        if at == wanted_offsets[number + 1]:
            return True
    return False


@jit
def common(offsets, marks, places, others, other_marks):
    """Return how many items are marked in two lists; itemset ``i`` is ``places[i]`` of the other, or -1 for none."""
    total = 0
    for number in range(places.size):
        if places[number] >= 0:
            step = others[places[number]] - offsets[number]
            for at in range(offsets[number], offsets[number + 1]):
                total += marks[at] and other_marks[at + step]
    return total
