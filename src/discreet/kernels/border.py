"""Kernels that weigh what hiding may lose: itemsets (CSR, in dictionary order) among rows that are kept as bitmaps.

``maps[item]`` has a bit for each row that holds the item; an itemset has at least one item.
"""

import numpy as np
from numba import njit

from discreet.kernels.bits import lowest_bit, popcount

jit = njit(cache=True, nogil=True)

ONE = np.uint64(1)


@jit
def stand(offsets, items, rows, line, maps):
    """Set in ``maps[line[item]]`` the bit of each of some rows that holds the item; those of line -1 are left out."""
    for at in range(rows.size):
        for i in range(offsets[rows[at]], offsets[rows[at] + 1]):
            if line[items[i]] >= 0:
                maps[line[items[i]], at >> 6] |= ONE << np.uint64(at & 63)


@jit
def narrow(maps, rows, narrowed):
    """Write to ``narrowed``, which is 0, the bitmaps of some of the rows, which are then numbered as they stand."""
    for item in range(maps.shape[0]):
        for at in range(rows.size):
            bit = (maps[item, rows[at] >> 6] >> np.uint64(rows[at] & 63)) & ONE
            narrowed[item, at >> 6] |= bit << np.uint64(at & 63)


@jit
def clear(maps, items, rows):
    """Take item ``items[i]`` off row ``rows[i]``, for each i."""
    for at in range(rows.size):
        maps[items[at], rows[at] >> 6] &= ~(ONE << np.uint64(rows[at] & 63))


@jit
def touching(offsets, items, wanted):
    """Return for each itemset whether one of its items is ``wanted``."""
    found = np.zeros(offsets.size - 1, np.bool_)
    for number in range(found.size):
        for at in range(offsets[number], offsets[number + 1]):
            found[number] |= wanted[items[at]]
    return found


@jit
def meet(offsets, items, number, before, maps, stack):
    """Write to the ``stack`` the rows that hold the first items of an itemset: one, two and so on; return how many.

    What it has in common with the itemset ``before`` it, if that is not -1, stands there already.
    """
    first, length, common = offsets[number], offsets[number + 1] - offsets[number], 0
    if before >= 0:
        last = min(length, offsets[before + 1] - offsets[before])
        while common < last and items[first + common] == items[offsets[before] + common]:
            common += 1
    for depth in range(common, length):
        bits = maps[items[first + depth]]
        if depth == 0:
            stack[0] = bits
        else:
            for word in range(bits.size):
                stack[depth, word] = stack[depth - 1, word] & bits[word]
    return length


@jit
def count(offsets, items, start, stop, maps, counts):
    """Write how many rows hold each itemset from ``start`` to ``stop``."""
    longest = 1
    for number in range(start, stop):
        longest = max(longest, offsets[number + 1] - offsets[number])
    stack, before = np.empty((longest, maps.shape[1]), np.uint64), -1
    for number in range(start, stop):
        length = meet(offsets, items, number, before, maps, stack)
        before, held = number, 0
        for word in range(maps.shape[1]):
            held += popcount(stack[length - 1, word])
        counts[number] = held


@jit
def weigh(offsets, items, numbers, slack, maps, is_open, place, gone, heaviest, planes):
    """Sum up, for rows that are open and some items, what it may cost to take the item off the row.

    An item has a ``place`` among the items in question, or -1. ``gone[place]`` are the rows that have just lost it;
    that is taken off the ``slack`` of each itemset: how many rows more it can lose. It weighs nothing if it is lost, or
    if all open rows that hold it are within its slack. Else it weighs 2 to the power of ``heaviest`` minus the length
    of its slack + 1 in bits, for each of its items in question and each open row that holds it.

    Sums are bits in ``planes[place]``, the bits of value 2 ** i of all rows side by side in line i: so 64 rows are
    added up at a time, and most carries end at once.
    """
    longest = 1
    for number in numbers:
        longest = max(longest, offsets[number + 1] - offsets[number])
    stack, before, words = np.empty((longest, maps.shape[1]), np.uint64), -1, maps.shape[1]
    for number in numbers:
        if slack[number] < 0:
            continue
        length = meet(offsets, items, number, before, maps, stack)
        before, top, open_rows = number, stack[length - 1], 0
        for word in range(words):
            open_rows += popcount(top[word] & is_open[word])
        for at in range(offsets[number], offsets[number + 1]):
            if place[items[at]] >= 0:
                for word in range(words):
                    slack[number] -= popcount(top[word] & gone[place[items[at]], word])
        if slack[number] < 0 or open_rows <= slack[number]:
            continue
        bits, rest = heaviest, slack[number] + 1
        while rest:
            rest >>= 1
            bits -= 1
        for at in range(offsets[number], offsets[number + 1]):
            if place[items[at]] >= 0:
                lines = planes[place[items[at]]]
                for word in range(words):
                    carry, line = top[word] & is_open[word], bits
                    while carry:
                        held = lines[line, word]
                        lines[line, word] = held ^ carry
                        carry &= held
                        line += 1


@jit
def tally(planes, scores):
    """Add to ``scores[place, row]`` the sums that stand in planes of bits."""
    for place in range(planes.shape[0]):
        for line in range(planes.shape[1]):
            for word in range(planes.shape[2]):
                rest = planes[place, line, word]
                while rest:
                    scores[place, (word << 6) + lowest_bit(rest)] += np.int64(1) << line
                    rest &= rest - ONE
