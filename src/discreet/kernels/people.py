"""Kernels that count the people and the rows in each cell of many tops; rows and tops are bitmaps of some words."""

import numpy as np

from discreet.kernels.common import inner, jit, size_table
from discreet.kernels.shapes import ONE
from discreet.kernels.words import grow, mix

HALF, LOWER = np.uint64(32), np.uint64(0xFFFFFFFF)


@jit
def map_itemsets(offsets, items, place, maps):
    """Set the bits of each itemset in its column of ``maps``: item ``i`` is bit ``place[i]``, left out if that is -1.

    ``maps`` must be 0, with a line for each word.
    """
    for number in range(offsets.size - 1):
        for at in range(offsets[number], offsets[number + 1]):
            bit = place[items[at]]
            if bit >= 0:
                maps[bit >> 6, number] |= ONE << np.uint64(bit & 63)


@jit
def find_cells(rows, weights, people, tops, limit):
    """Return the cells of ``tops`` with fewer than ``limit`` people: top, bitmap, number of people, number of rows.

    Bitmaps are in columns. Row r stands for ``weights[r]`` rows of the person ``people[r]``, which must rise: a person
    is new to a cell if the last one there was another.
    """
    words, many = rows.shape[0], weights.size
    slots = np.zeros(size_table(many), np.uint64)
    mask = np.uint64(slots.size - 1)
    # Each cell of a top: its first row, its people, the last of them, and its rows.
    first, met = np.empty(many, np.int64), np.empty(many, np.int64)
    last, held = np.empty(many, np.int64), np.empty(many, np.int64)
    used, masks = np.empty(words, np.int64), np.empty(words, np.uint64)
    numbers, maps = np.empty(1024, np.int32), np.empty((1024, words), np.uint64)
    counts, found = np.empty((1024, 2), np.int64), 0
    for top in range(tops.shape[1]):
        size, stamp = 0, np.uint64(top + 1) << HALF
        for word in range(words):
            if tops[word, top]:
                used[size], masks[size] = word, tops[word, top]
                size += 1
        cells = 0
        for row in range(many):
            slot = np.uint64(0)
            for at in range(size):
                slot = mix(slot ^ (rows[used[at], row] & masks[at]))
            slot &= mask
            while slots[slot] & ~LOWER == stamp:
                cell = np.int64(slots[slot] & LOWER)
                if is_same(rows, first[cell], row, used, masks, size):
                    break
                slot = (slot + ONE) & mask
            else:
                cell = np.int64(cells)
                slots[slot] = stamp | np.uint64(cell)
                first[cell], met[cell], last[cell], held[cell] = row, 0, -1, 0
                cells += 1
            held[cell] += weights[row]
            met[cell] += last[cell] != people[row]
            last[cell] = people[row]
        for number in range(cells):
            if met[number] >= limit:
                continue
            if found == numbers.size:
                numbers, maps, counts = grow(numbers, 2 * found), grow(maps, 2 * found), grow(counts, 2 * found)
            numbers[found], counts[found, 0], counts[found, 1] = top, met[number], held[number]
            for word in range(words):
                maps[found, word] = rows[word, first[number]] & tops[word, top]
            found += 1
    return numbers[:found].copy(), maps[:found].copy(), counts[:found, 0].copy(), counts[:found, 1].copy()


@inner
def is_same(rows, left, right, used, masks, size):
    """Return whether two rows have the same items of a top, whose words are ``used``."""
    for at in range(size):
        if (rows[used[at], left] ^ rows[used[at], right]) & masks[at]:
            return False
    return True
