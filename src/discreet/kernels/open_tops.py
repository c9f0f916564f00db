"""Kernels that compute the cells of tops that need not be closed, or have more than 64 items, from supports.

Itemset ``i`` is ``items[offsets[i]:offsets[i + 1]]``, in dictionary order, with ``supports[i]``. The bitmaps of cells,
and of the intersections of itemsets with a top, have several words, one line per word; bit ``j`` is the top's ``j``-th
item. In bitmaps of a short top, of one word, intersections are numbered by themselves.
"""

import numpy as np

from discreet.kernels.common import grow_cells, inner, jit, make_cells, size_table, trim
from discreet.kernels.shapes import ONE, Short
from discreet.kernels.words import lowest_bit, mix, popcount

SHORT = 12  # items of a short top: there is room for a number for each of its subsets


@jit
def list_holders(offsets, items, many):
    """Return for each item where the numbers of the itemsets that hold it start, and these numbers."""
    starts, numbers = np.zeros(many + 1, np.int64), np.empty(offsets[-1] - offsets[0], np.int64)
    for at in range(offsets[0], offsets[-1]):
        starts[items[at]] += 1
    for item in range(many):
        starts[item + 1] += starts[item]
    for number in range(offsets.size - 2, -1, -1):
        for at in range(offsets[number], offsets[number + 1]):
            starts[items[at]] -= 1
            numbers[starts[items[at]]] = number
    return starts, numbers


@inner
def choose_holders(starts, numbers, items, order, marks, chosen):
    """Write the itemsets that hold one of some items, and the first in ``order`` of the others; return how many.

    ``marks`` have a bit for each itemset, 0 before and after.
    """
    for item in items:
        for number in numbers[starts[item] : starts[item + 1]]:
            marks[number >> 6] |= ONE << np.uint64(number & 63)
    size = 0
    for number in order:
        if not marks[number >> 6] >> np.uint64(number & 63) & ONE:
            marks[number >> 6] |= ONE << np.uint64(number & 63)
            break
    for word in range(marks.size):
        bits, marks[word] = marks[word], 0
        while bits:
            chosen[size] = (word << 6) + lowest_bit(bits)
            bits &= bits - ONE
            size += 1
    return size


@jit
def meet(offsets, items, supports, chosen, place, maps, counts, numbers):
    """Write each intersection of a chosen itemset with a top, its support and the itemset that it is from.

    The support is the largest of a superset. Return how many intersections there are.
    """
    words, size = maps.shape[0], 0
    slots = np.zeros(size_table(chosen.size + 1), np.int64)
    low = np.uint64(slots.size - 1)
    for number in chosen:
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
            counts[size], numbers[size] = supports[number], number
            size += 1
            slots[slot] = size
            continue
        other = slots[slot] - 1
        if is_better(offsets, supports, number, numbers[other]):
            counts[other], numbers[other] = supports[number], number
    for one in range(size):
        if count_bits(maps, one) == offsets[numbers[one] + 1] - offsets[numbers[one]]:
            continue
        for other in range(size):
            if is_within(maps, one, maps, other) and is_better(offsets, supports, numbers[other], numbers[one]):
                counts[one], numbers[one] = counts[other], numbers[other]
    return size


@inner
def is_better(offsets, supports, number, other):
    """Return whether an itemset has more support than another, or the same and fewer items."""
    if supports[number] != supports[other]:
        return supports[number] > supports[other]
    return offsets[number + 1] - offsets[number] < offsets[other + 1] - offsets[other]


@inner
def invert_words(maps, counts, size, cells, held):
    """Do what ``invert`` does for bitmaps of several words: write the cells that are not 0; return how many."""
    lengths, many = np.empty(size, np.int64), 0
    for number in range(size):
        lengths[number] = count_bits(maps, number)
    for length in range(64 * maps.shape[0], -1, -1):
        for number in range(size):
            if lengths[number] != length:
                continue
            left = counts[number]
            for cell in range(many):
                left -= held[cell] if is_within(maps, number, cells, cell) else 0
            if left != 0:
                held[many] = left
                for word in range(maps.shape[0]):
                    cells[word, many] = maps[word, number]
                many += 1
    return many


@inner
def make_short(total):
    """Return room for intersections of ``total`` itemsets with a short top."""
    size = 1 << SHORT
    touched, bests, firsts = np.empty(total, np.int64), np.full(size, -1, np.int64), np.full(size, -1, np.int64)
    return Short(np.zeros(total, np.int64), touched, bests, firsts, np.empty(size, np.int64))


@inner
def meet_short(offsets, supports, starts, holders, top, best, room):
    """Write the intersections with a short top to ``masks`` in the order of ``sort_masks``; return how many.

    The support of one is that of its itemset in ``bests``. Itemset ``best`` has the most support of all.
    """
    touched, size = 0, 0
    for place in range(top.size):
        for number in holders[starts[top[place]] : starts[top[place] + 1]]:
            if room.bits[number] == 0:
                room.touched[touched] = number
                touched += 1
            room.bits[number] |= 1 << place
    if touched < room.touched.size:
        room.masks[0], room.bests[0], room.firsts[0], size = 0, best, 0, 1
    for at in range(touched):
        number = room.touched[at]
        mask = room.bits[number]
        room.bits[number] = 0
        if room.firsts[mask] < 0:
            room.masks[size], room.bests[mask], room.firsts[mask] = mask, number, number
            size += 1
            continue
        room.firsts[mask] = min(room.firsts[mask], number)
        if is_better(offsets, supports, number, room.bests[mask]):
            room.bests[mask] = number
    sort_masks(room.masks, size, room.firsts)
    for at in range(size):
        mask = room.masks[at]
        number = room.bests[mask]
        if offsets[number + 1] - offsets[number] == np.int64(popcount(np.uint64(mask))):
            continue
        for other in room.masks[:at]:
            if other & mask == mask and is_better(offsets, supports, room.bests[other], room.bests[mask]):
                room.bests[mask] = room.bests[other]
    return size


@inner
def sort_masks(masks, size, firsts):
    """Sort the first ``size`` masks: more items come first, and of equally many the one that was found first."""
    for start in range(1, size):
        mask, at = masks[start], start
        length = popcount(np.uint64(mask))
        while at > 0:
            before = popcount(np.uint64(masks[at - 1]))
            if before > length or (before == length and firsts[masks[at - 1]] < firsts[mask]):
                break
            masks[at] = masks[at - 1]
            at -= 1
        masks[at] = mask


@inner
def invert_short(supports, room, size, held):
    """Keep the masks whose cells are not 0, and write those to ``held``; return how many."""
    many = 0
    for at in range(size):
        mask = room.masks[at]
        left = supports[room.bests[mask]]
        room.bests[mask], room.firsts[mask] = -1, -1
        for cell in range(many):
            left -= held[cell] if room.masks[cell] & mask == mask else 0
        if left != 0:
            held[many], room.masks[many] = left, mask
            many += 1
    return many


@jit
def cells_of_any(offsets, items, supports, order, tops, many, words, limit):
    """Do what ``cells_of_closed`` does for tops that need not be closed: every itemset that meets a top counts.

    Those that do not meet it have one intersection, the empty one, whose support is the largest of all; unless the
    empty itemset is listed with less, which no rows have. ``order`` is by falling support.
    """
    place, total = np.full(many, -1, np.int64), offsets.size - 1
    starts, holders = list_holders(offsets, items, many)
    marks = np.zeros((total >> 6) + 1, np.uint64)
    is_sound = total > 0 and (offsets[0] < offsets[1] or order[0] == 0)
    maps, counts = np.empty((words, total + 1), np.uint64), np.empty(total + 1, np.int64)
    bases, held = np.empty((words, total + 1), np.uint64), np.empty(total + 1, np.int64)
    numbers, chosen, room = np.empty(total + 1, np.int64), np.empty(total, np.int64), make_short(total)
    cells, found = make_cells(np.empty((1024, words), np.uint64)), 0
    for number in range(total):
        chosen[number] = number
    for number in range(tops.size):
        first, last = offsets[tops[number]], offsets[tops[number] + 1]
        is_short = is_sound and last - first <= SHORT
        if is_short:
            size = meet_short(offsets, supports, starts, holders, items[first:last], order[0], room)
            size = invert_short(supports, room, size, held)
        else:
            for at in range(first, last):
                place[items[at]] = at - first
            met = choose_holders(starts, holders, items[first:last], order, marks, chosen) if is_sound else total
            size = meet(offsets, items, supports, chosen[:met], place, maps, counts, numbers)
            for at in range(first, last):
                place[items[at]] = -1
            size = invert_words(maps, counts, size, bases, held)
        cells = grow_cells(cells, found + size)
        for cell in range(size):
            if held[cell] < limit:
                cells.tops[found], cells.counts[found] = number, held[cell]
                for word in range(words):
                    bits = np.uint64(room.masks[cell] if word == 0 else 0) if is_short else bases[word, cell]
                    cells.maps[found, word] = bits
                found += 1
    return trim(cells, found)


@jit
def find_coefficients(maps, counts, order, base):
    """Return the coefficient of each support in the sum for the cell ``base``: the Möbius function of the family.

    Supersets count, unless one of their own has the same support: the smallest once, others less those below. In
    ``order`` smaller ones come first.
    """
    chosen, result, many = np.empty(order.size, np.int64), np.zeros(order.size, np.int64), 0
    for number in order:
        if is_within(base, 0, maps, number):
            chosen[many] = number
            many += 1
    for at in range(many):
        number, free, first = chosen[at], True, True
        for after in range(at + 1, many):
            if counts[chosen[after]] == counts[number] and is_within(maps, number, maps, chosen[after]):
                free = False
                break
        if free:
            for before in range(at):
                if result[chosen[before]] != 0 and is_within(maps, chosen[before], maps, number):
                    result[number] -= result[chosen[before]]
                    first = False
            result[number] += first
    return result


@inner
def count_bits(maps, number):
    """Return how many bits of a bitmap are set."""
    bits = np.int64(0)
    for word in range(maps.shape[0]):
        bits += np.int64(popcount(maps[word, number]))
    return bits


@inner
def is_within(maps, small, others, large):
    """Return whether bitmap ``small`` of ``maps`` is part of bitmap ``large`` of ``others``."""
    for word in range(maps.shape[0]):
        if maps[word, small] & others[word, large] != maps[word, small]:
            return False
    return True
