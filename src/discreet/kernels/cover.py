"""Kernels that find which itemsets meet which tops in the base of a channel.

Tops are of at most 64 items. Channels stand top by top, as bitmaps: bit ``j`` is the top's ``j``-th item.
"""

import numpy as np
from numba import njit

jit = njit(cache=True, nogil=True)

ONE = np.uint64(1)


@jit
def map_bases(top_offsets, top_items, tops, base_offsets, bases, many):
    """Return the bases of channels as bitmaps of their tops."""
    place, maps = np.zeros(many, np.int64), np.zeros(tops.size, np.uint64)
    for channel in range(tops.size):
        first = top_offsets[tops[channel]]
        for at in range(first, top_offsets[tops[channel] + 1]):
            place[top_items[at]] = at - first
        for at in range(base_offsets[channel], base_offsets[channel + 1]):
            maps[channel] |= ONE << np.uint64(place[bases[at]])
    return maps


@jit
def cover(itemsets, channels, top_itemsets, many, most):
    """Return which itemsets cover which channels: pairs of numbers, at most ``most`` and one more.

    An itemset covers a channel that it meets the top of in its base. Channels are tops, by number, and bitmaps.
    """
    offsets, items = itemsets
    tops, maps = channels
    top_offsets, top_items = top_itemsets
    place = np.full(many, -1, np.int64)
    pairs, found = np.empty((1024, 2), np.int64), 0
    start = 0
    while start < tops.size and found <= most:
        stop = start
        while stop < tops.size and tops[stop] == tops[start]:
            stop += 1
        first, last = top_offsets[tops[start]], top_offsets[tops[start] + 1]
        for at in range(first, last):
            place[top_items[at]] = at - first
        for number in range(offsets.size - 1):
            met = np.uint64(0)
            for at in range(offsets[number], offsets[number + 1]):
                if place[items[at]] >= 0:
                    met |= ONE << np.uint64(place[items[at]])
            for channel in range(start, stop):
                if maps[channel] == met:
                    if found == pairs.shape[0]:
                        longer = np.empty((2 * found, 2), np.int64)
                        longer[:found] = pairs
                        pairs = longer
                    pairs[found, 0], pairs[found, 1] = number, channel
                    found += 1
                    break
            if found > most:
                break
        for at in range(first, last):
            place[top_items[at]] = -1
        start = stop
    return pairs[:found].copy()
