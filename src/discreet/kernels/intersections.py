"""Kernels that intersect itemsets with a top that need not be closed, and may have any number of items.

Itemset ``i`` is ``items[offsets[i]:offsets[i + 1]]``, with ``supports[i]``. Its intersection with a top is a bitmap of
the top's items, of several words, one line per word: bit ``j`` is the top's ``j``-th item.
"""

import numpy as np
from numba import njit

from discreet.kernels.common import ONE, grow, mix, popcount

jit = njit(cache=True, nogil=True)


@jit
def meet(offsets, items, supports, place, maps, counts, numbers):
    """Write each different intersection with a top, its support, and the itemset with that support; return how many.

    An intersection that is not listed has the largest support of a superset, of several the shortest.
    """
    words, size, room = maps.shape[0], 0, 16
    while room < 2 * offsets.size:
        room *= 2
    slots, low = np.zeros(room, np.int64), np.uint64(room - 1)
    for number in range(offsets.size - 1):
        for word in range(words):
            maps[word, size] = 0
        for at in range(offsets[number], offsets[number + 1]):
            bit = place[items[at]]
            if bit >= 0:
                maps[bit >> 6, size] |= ONE << np.uint64(bit & 63)
        slot = np.uint64(0)
        for word in range(words):
            slot = mix(slot ^ maps[word, size])
        slot &= low
        while slots[slot]:
            other, same = slots[slot] - 1, True
            for word in range(words):
                same &= maps[word, other] == maps[word, size]
            if same:
                break
            slot = (slot + ONE) & low
        if not slots[slot]:
            counts[size] = supports[number]
            numbers[size] = number
            size += 1
            slots[slot] = size
            continue
        other = slots[slot] - 1
        if is_better(offsets, supports, number, numbers[other]):
            counts[other] = supports[number]
            numbers[other] = number
    for one in range(size):
        length = 0
        for word in range(words):
            length += popcount(maps[word, one])
        if length == offsets[numbers[one] + 1] - offsets[numbers[one]]:
            continue
        for other in range(size):
            if is_within(maps, one, maps, other) and is_better(offsets, supports, numbers[other], numbers[one]):
                counts[one] = counts[other]
                numbers[one] = numbers[other]
    return size


@jit
def is_better(offsets, supports, number, other):
    """Return whether an itemset has more support than another, or the same and fewer items."""
    if supports[number] != supports[other]:
        return supports[number] > supports[other]
    return offsets[number + 1] - offsets[number] < offsets[other + 1] - offsets[other]


@jit
def invert_words(maps, counts, size, cells, held):
    """Write the cells that are not 0 to ``cells`` and ``held``; return how many.

    A support is the sum of the cells above it, so the largest itemsets come first, and a cell is its support less the
    cells above. The itemsets must be all intersections of the top with a row.
    """
    words = maps.shape[0]
    lengths = np.zeros(size, np.int64)
    for number in range(size):
        for word in range(words):
            lengths[number] -= np.int64(popcount(maps[word, number]))
    many = 0
    for number in np.argsort(lengths, kind="mergesort"):
        left = counts[number]
        for cell in range(many):
            left -= held[cell] if is_within(maps, number, cells, cell) else 0
        if left != 0:
            for word in range(words):
                cells[word, many] = maps[word, number]
            held[many] = left
            many += 1
    return many


@jit
def cells_of(offsets, items, supports, tops, many, words, limit):
    """Return the cells of ``tops`` that hold fewer than ``limit`` rows: top, bitmap of some words, number of rows.

    Tops are numbers of itemsets, which need not be closed, of ``many`` items: every itemset that meets a top counts.
    """
    place, total = np.full(many, -1, np.int64), offsets.size - 1
    maps, counts = np.empty((words, total + 1), np.uint64), np.empty(total + 1, np.int64)
    cells, held = np.empty((words, total + 1), np.uint64), np.empty(total + 1, np.int64)
    numbers = np.empty(total + 1, np.int64)
    found, room = 0, 1024
    found_tops, found_maps = np.empty(room, np.int32), np.empty((room, words), np.uint64)
    found_counts = np.empty(room, np.int64)
    for number in range(tops.size):
        first, last = offsets[tops[number]], offsets[tops[number] + 1]
        for at in range(first, last):
            place[items[at]] = at - first
        size = meet(offsets, items, supports, place, maps, counts, numbers)
        for at in range(first, last):
            place[items[at]] = -1
        many_cells = invert_words(maps, counts, size, cells, held)
        if found + many_cells > room:
            room = 2 * (found + many_cells)
            found_tops, found_counts = grow(found_tops, room), grow(found_counts, room)
            found_maps = grow(found_maps, room)
        for cell in range(many_cells):
            if held[cell] < limit:
                found_tops[found] = number
                found_counts[found] = held[cell]
                for word in range(words):
                    found_maps[found, word] = cells[word, cell]
                found += 1
    return found_tops[:found].copy(), found_maps[:found].copy(), found_counts[:found].copy()


@jit
def find_coefficients(maps, counts, size, base):
    """Return the coefficient of each support in the sum for the cell ``base``: the Möbius function of the family.

    Only supersets of ``base`` without a superset of the same support count; the smallest of them counts once.
    """
    words = maps.shape[0]
    chosen, lengths, many = np.empty(size, np.int64), np.empty(size, np.int64), 0
    for number in range(size):
        if is_within(base, 0, maps, number):
            chosen[many], lengths[many] = number, 0
            for word in range(words):
                lengths[many] += popcount(maps[word, number])
            many += 1
    order, result = chosen[:many][np.argsort(lengths[:many], kind="mergesort")], np.zeros(size, np.int64)
    for at in range(many):
        number, free = order[at], True
        for after in order[at + 1 :]:
            if counts[after] == counts[number] and is_within(maps, number, maps, after):
                free = False
                break
        if not free:
            continue
        result[number] = 1
        for before in order[:at]:
            if result[before] != 0 and is_within(maps, before, maps, number):
                # The first counts once; each other takes back the sum of those below it.
                result[number] = 0
                break
        if result[number] == 0:
            for before in order[:at]:
                if result[before] != 0 and is_within(maps, before, maps, number):
                    result[number] -= result[before]
    return result


@jit
def is_within(maps, small, others, large):
    """Return whether bitmap ``small`` of ``maps`` is part of bitmap ``large`` of ``others``."""
    for word in range(maps.shape[0]):
        if maps[word, small] & others[word, large] != maps[word, small]:
            return False
    return True
