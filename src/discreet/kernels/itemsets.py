"""Kernels that bring itemsets into dictionary order (CSR: ``items[offsets[i]:offsets[i + 1]]`` is itemset ``i``)."""

import numpy as np
from numba import njit

jit = njit(cache=True, nogil=True)


@jit
def size(stream):
    """Return how many itemsets a stream holds (records of a length, a support and that many items), and how many items."""
    at = itemsets = entries = 0
    while at < stream.size:
        itemsets += 1
        entries += stream[at]
        at += stream[at] + 2
    return itemsets, entries


@jit
def unpack(stream, names, offsets, items, supports):
    """Write the records of a stream as itemsets, with ``names`` for its items."""
    at = entry = 0
    for number in range(supports.size):
        length = stream[at]
        supports[number] = stream[at + 1]
        for i in range(at + 2, at + 2 + length):
            items[entry] = names[stream[i]]
            entry += 1
        offsets[number + 1] = offsets[0] + entry
        at += length + 2


@jit
def pack(offsets, items, bits, keys):
    """Write to ``keys`` the first items of each itemset, ``bits`` bits each, so that keys compare as itemsets do.

    Itemsets with equal keys may still differ further on. 0 stands for no item, so a shorter itemset comes first.
    """
    fit = 64 // bits
    for number in range(keys.size):
        key = np.uint64(0)
        length = offsets[number + 1] - offsets[number]
        for i in range(min(fit, length)):
            key = (key << np.uint64(bits)) | np.uint64(items[offsets[number] + i] + 1)
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
def settle(offsets, items, keys, order, spare):
    """Sort each run of equal keys in ``order``, which is sorted by key; ``spare`` is as long as ``order``."""
    start = 0
    while start < order.size:
        stop = start + 1
        while stop < order.size and keys[order[stop]] == keys[order[start]]:
            stop += 1
        width = 1
        while width < stop - start:
            for low in range(start, stop, 2 * width):
                middle, high = min(low + width, stop), min(low + 2 * width, stop)
                left, right = low, middle
                for at in range(low, high):
                    if right == high or (
                        left < middle and compare(offsets, items, order[left], order[right]) <= 0
                    ):
                        spare[at] = order[left]
                        left += 1
                    else:
                        spare[at] = order[right]
                        right += 1
            order[start:stop] = spare[start:stop]
            width *= 2
        start = stop


@jit
def twice(offsets, items, order):
    """Return the number of an itemset that stands twice in a row in ``order``, or -1."""
    for at in range(1, order.size):
        if compare(offsets, items, order[at - 1], order[at]) == 0:
            return order[at]
    return -1


@jit
def take(offsets, items, order, moved, taken):
    """Write the itemsets in the given order to ``moved`` (offsets) and ``taken`` (items)."""
    entry = 0
    moved[0] = 0
    for at in range(order.size):
        for i in range(offsets[order[at]], offsets[order[at] + 1]):
            taken[entry] = items[i]
            entry += 1
        moved[at + 1] = entry
