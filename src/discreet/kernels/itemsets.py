"""Kernels that bring itemsets into dictionary order (CSR: ``items[offsets[i]:offsets[i + 1]]`` is itemset ``i``)."""

import numpy as np
from numba import njit

from discreet.kernels.bits import lowest_bit

jit = njit(cache=True, nogil=True)

SHORT = 16


@jit
def size(stream):
    """Return how many itemsets, and how many items in all, a stream of records holds.

    A record is a length, a support and that many items.
    """
    at = itemsets = entries = 0
    while at < stream.size:
        itemsets += 1
        entries += stream[at]
        at += stream[at] + 2
    return itemsets, entries


@jit
def unpack(stream, names, offsets, items, supports):
    """Write the records of a stream as itemsets, with ``names`` for its items, which need not rise."""
    at = entry = 0
    offsets[0] = 0
    for number in range(supports.size):
        length = stream[at]
        supports[number] = stream[at + 1]
        for i in range(at + 2, at + 2 + length):
            items[entry] = names[stream[i]]
            entry += 1
        offsets[number + 1] = entry
        at += length + 2


@jit
def unpack_in_order(stream, ranks, ranked, offsets, items, supports):
    """Write the records of a stream as itemsets, each in the order of its items' ``ranks``.

    ``ranked`` holds the names by rank. Sorting by setting and reading bits has no branches to guess, and wins where the
    ranks fit a few words.
    """
    bits = np.zeros((ranked.size + 63) >> 6, np.uint64)
    at = entry = 0
    offsets[0] = 0
    for number in range(supports.size):
        length = stream[at]
        supports[number] = stream[at + 1]
        for i in range(at + 2, at + 2 + length):
            rank = ranks[stream[i]]
            bits[rank >> 6] |= np.uint64(1) << np.uint64(rank & 63)
        for w in range(bits.size):
            word = bits[w]
            bits[w] = 0
            while word:
                items[entry] = ranked[(w << 6) + lowest_bit(word)]
                entry += 1
                word &= word - np.uint64(1)
        offsets[number + 1] = entry
        at += length + 2


@jit
def mark(items, present):
    """Set ``present[item]`` for each item."""
    for item in items:
        present[item] = True


@jit
def pack(offsets, items, ranks, bits, keys):
    """Write to ``keys`` the ranks of each itemset's first items, ``bits`` bits each.

    Keys compare as itemsets do; itemsets with equal keys may still differ further on. Ranks are from 1: 0 stands for
    no item, so that a shorter itemset comes first.
    """
    fit = 64 // bits
    for number in range(keys.size):
        key = np.uint64(0)
        length = offsets[number + 1] - offsets[number]
        for i in range(min(fit, length)):
            key = (key << np.uint64(bits)) | np.uint64(ranks[items[offsets[number] + i]])
        for _ in range(fit - length):
            key <<= np.uint64(bits)
        keys[number] = key


@jit
def compare(offsets, items, left, right):
    """Return less than 0, 0 or more than 0 as itemset ``left`` comes before, is, or comes after ``right``."""
    size = offsets[left + 1] - offsets[left]
    other = offsets[right + 1] - offsets[right]
    for i in range(min(size, other)):
        step = np.int64(items[offsets[left] + i]) - np.int64(items[offsets[right] + i])
        if step != 0:
            return step
    return size - other


@jit
def in_order(offsets, items):
    """Return whether each itemset comes after the one before it."""
    for number in range(1, offsets.size - 1):
        if compare(offsets, items, number - 1, number) >= 0:
            return False
    return True


@jit
def settle(offsets, items, keys, order, spare):
    """Sort each run of equal keys in ``order``, which is sorted by key; ``spare`` is as long as ``order``.

    Return the number of an itemset that is there twice, or -1.
    """
    again = -1
    start = 0
    while start < order.size:
        stop = start + 1
        while stop < order.size and keys[order[stop]] == keys[order[start]]:
            stop += 1
        if stop - start <= SHORT:
            for place in range(start + 1, stop):
                number, at = order[place], place
                while at > start:
                    step = compare(offsets, items, order[at - 1], number)
                    again = number if step == 0 else again
                    if step <= 0:
                        break
                    order[at] = order[at - 1]
                    at -= 1
                order[at] = number
            start = stop
            continue
        width = 1
        while width < stop - start:
            for low in range(start, stop, 2 * width):
                middle, high = min(low + width, stop), min(low + 2 * width, stop)
                left, right = low, middle
                for at in range(low, high):
                    step = -1
                    if left == middle:
                        step = 1
                    elif right < high:
                        step = compare(offsets, items, order[left], order[right])
                        again = order[right] if step == 0 else again
                    if step <= 0:
                        spare[at] = order[left]
                        left += 1
                    else:
                        spare[at] = order[right]
                        right += 1
            order[start:stop] = spare[start:stop]
            width *= 2
        start = stop
    return again


@jit
def take(offsets, items, order, entry, moved, taken):
    """Write the itemsets in the given order to ``taken`` from ``entry`` on, and where each ends to ``moved``."""
    for at in range(order.size):
        for i in range(offsets[order[at]], offsets[order[at] + 1]):
            taken[entry] = items[i]
            entry += 1
        moved[at] = entry
