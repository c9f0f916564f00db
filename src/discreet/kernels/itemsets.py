"""Kernels on itemsets and rows laid flat: ``items[offsets[i]:offsets[i + 1]]`` is itemset ``i``."""

import numpy as np

from discreet.kernels.common import find_longest, inner, jit
from discreet.kernels.shapes import HEAD, ONE
from discreet.kernels.words import lowest_bit

SHORT_ROW = 32
DIGIT = 8  # bits: a count for each value of so many fits the fastest cache
LOW = np.uint64((1 << DIGIT) - 1)


@inner
def is_rising(items, start, stop):
    """Return whether each item from ``start`` to ``stop`` is greater than the one before it."""
    rising = True
    for at in range(start + 1, stop):
        rising &= items[at - 1] < items[at]
    return rising


@inner
def sort_row(items, start, stop):
    """Sort ``items`` from ``start`` to ``stop`` by insertion; where they are many, first those some steps apart."""
    step = 1
    while step * SHORT_ROW < stop - start:
        step = 3 * step + 1
    while step:
        for place in range(start + step, stop):
            item, at = items[place], place
            while at >= start + step and items[at - step] > item:
                items[at] = items[at - step]
                at -= step
            items[at] = item
        step //= 3


@jit
def sort_rows(offsets, items):
    """Sort each row and drop repeated items, in place; return how many items are left, to which the caller cuts."""
    size, start = 0, offsets[0]
    for row in range(offsets.size - 1):
        stop = offsets[row + 1]
        offsets[row] = size
        if size == start and is_rising(items, start, stop):
            size = start = stop
            continue
        sort_row(items, start, stop)
        first = size
        for at in range(start, stop):
            if size == first or items[size - 1] != items[at]:
                items[size] = items[at]
                size += 1
        start = stop
    offsets[offsets.size - 1] = size
    return size


@jit
def count_holders(offsets, items, owners, groups, once, twice):
    """Count for each group how many rows hold an item of it in ``once``, and how many hold two in ``twice``.

    The groups of item ``i`` are ``groups[owners[i]:owners[i + 1]]``.
    """
    held = np.full(once.size, -1, np.int64)
    counted = np.full(once.size, -1, np.int64)
    for row in range(offsets.size - 1):
        for at in range(offsets[row], offsets[row + 1]):
            for place in range(owners[items[at]], owners[items[at] + 1]):
                group = groups[place]
                if held[group] != row:
                    held[group] = row
                    once[group] += 1
                elif counted[group] != row:
                    counted[group] = row
                    twice[group] += 1


@jit
def contain(offsets, items, wanted, is_holding):
    """Set ``is_holding[row]`` to whether the row holds every code of ``wanted``; both strictly increasing."""
    for row in range(offsets.size - 1):
        at, stop, met = offsets[row], offsets[row + 1], 0
        while met < wanted.size and at < stop:
            if items[at] == wanted[met]:
                met += 1
            elif items[at] > wanted[met]:
                break
            at += 1
        is_holding[row] = met == wanted.size


@jit
def deal_rows(offsets, items, heap_of, many):
    """Return where the rows of each of ``many`` heaps start, and the rows with an item of it (``heap_of`` -1: none)."""
    last, starts = np.full(many, -1, np.int64), np.zeros(many + 1, np.int64)
    for row in range(offsets.size - 1):
        for at in range(offsets[row], offsets[row + 1]):
            heap = heap_of[items[at]]
            if heap >= 0 and last[heap] != row:
                last[heap] = row
                starts[heap + 1] += 1
    for heap in range(many):
        starts[heap + 1] += starts[heap]
    rows, ends, last = np.empty(starts[many], np.int64), starts[:-1].copy(), np.full(many, -1, np.int64)
    for row in range(offsets.size - 1):
        for at in range(offsets[row], offsets[row + 1]):
            heap = heap_of[items[at]]
            if heap >= 0 and last[heap] != row:
                last[heap] = row
                rows[ends[heap]] = row
                ends[heap] += 1
    return starts, rows


@jit
def set_bits(offsets, items, slots, bitmaps):
    """Set bit ``row % 8`` of ``bitmaps[slots[item], row // 8]`` for each item with a slot above 0; rows rise."""
    for row in range(offsets.size - 1):
        bit = 1 << (row & 7)
        for at in range(offsets[row], offsets[row + 1]):
            if items[at] >= slots.size:
                break
            if slots[items[at]] > 0:
                bitmaps[slots[items[at]], row >> 3] |= bit


@jit
def unpack(stream, names, entry, ends, items, supports):
    """Write the records of a stream as itemsets, with ``names`` for its items, which are sorted.

    Items go to ``items`` from ``entry`` on, and where each itemset ends to ``ends``.
    """
    at = 0
    for number in range(supports.size):
        length, supports[number] = stream[at], stream[at + 1]
        for i in range(length):
            items[entry + i] = names[stream[at + HEAD + i]]
        sort_row(items, entry, entry + length)
        entry += length
        ends[number] = entry
        at += HEAD + length


@jit
def unpack_in_order(stream, ranks, ranked, entry, ends, items, supports):
    """Do what ``unpack`` does, in the order of ``ranks``, by setting and reading bits: quicker if these are few."""
    bits, at = np.zeros((ranked.size + 63) >> 6, np.uint64), 0
    for number in range(supports.size):
        length, supports[number] = stream[at], stream[at + 1]
        for i in range(at + HEAD, at + HEAD + length):
            rank = ranks[stream[i]]
            bits[rank >> 6] |= ONE << np.uint64(rank & 63)
        for w in range(bits.size):
            word, bits[w] = bits[w], 0
            while word:
                items[entry] = ranked[(w << 6) + lowest_bit(word)]
                entry += 1
                word &= word - ONE
        ends[number] = entry
        at += HEAD + length


@jit
def mark(items, present):
    """Set ``present[item]`` for each item."""
    for at in range(items.size):
        present[items[at]] = True


@inner
def compare(offsets, items, left, right):
    """Return less than 0, 0 or more than 0 as itemset ``left`` comes before, is, or comes after ``right``."""
    size, other = offsets[left + 1] - offsets[left], offsets[right + 1] - offsets[right]
    for i in range(min(size, other)):
        step = np.int64(items[offsets[left] + i]) - np.int64(items[offsets[right] + i])
        if step != 0:
            return step
    return size - other


@jit
def is_in_order(offsets, items):
    """Return whether each itemset comes after the one before it."""
    for number in range(1, offsets.size - 1):
        if compare(offsets, items, number - 1, number) >= 0:
            return False
    return True


@inner
def pack(offsets, items, ranks, bits, number, word):
    """Return one word of an itemset: the ranks of as many of its items as fit, ``bits`` bits each.

    Ranks start at 1: 0 stands for no item, so that a shorter itemset comes first.
    """
    fit, key = 64 // bits, np.uint64(0)
    start, stop = offsets[number] + fit * word, offsets[number + 1]
    for at in range(start, start + fit):
        key <<= np.uint64(bits)
        if at < stop:
            key |= np.uint64(ranks[items[at]])
    return key


@inner
def pack_whole(offsets, items, ranks, many, number):
    """Return the place of an itemset in dictionary order among all itemsets of ``many`` items, fewer than 64.

    Behind an item of rank r, 2 ** (many - r) itemsets begin alike. So each item adds 1, and as many as begin with the
    ranks that it leaves out: 2 ** (many - the rank before it) - 2 * 2 ** (many - its own). With the items as bits, of
    rank r worth 2 ** (many - r), these add up to 2 ** many + length - bits - the lowest bit.
    """
    bits = np.uint64(0)
    for at in range(offsets[number], offsets[number + 1]):
        bits |= ONE << np.uint64(many - ranks[items[at]])
    length = offsets[number + 1] - offsets[number]
    return (ONE << np.uint64(many)) + np.uint64(length) - bits - (bits & (~bits + ONE)) if length else bits


@inner
def arrange(order, keys, side, start, shift):
    """Write the keys from ``start`` on, and ``order`` with them, to the other side, sorted by one digit of each key."""
    ends, place = np.zeros(1 << DIGIT, np.int64), start
    for at in range(start, order.shape[1]):
        ends[keys[side, at] >> shift & LOW] += 1
    for digit in range(ends.size):
        ends[digit], place = place, place + ends[digit]
    for at in range(start, order.shape[1]):
        digit = keys[side, at] >> shift & LOW
        place, ends[digit] = ends[digit], ends[digit] + 1
        order[1 - side, place], keys[1 - side, place] = order[side, at], keys[side, at]


@jit
def select(offsets, items, low, high, numbers):
    """Write to ``numbers`` the itemsets before ``high``, but not before ``low`` (-1: no limit); return how many."""
    size = 0
    for number in range(offsets.size - 1):
        if low >= 0 and compare(offsets, items, number, low) < 0:
            continue
        if high < 0 or compare(offsets, items, number, high) < 0:
            numbers[size] = number
            size += 1
    return size


@jit
def sort(offsets, items, ranks, leads, numbers, order, keys):
    """Sort itemsets by ``leads``, if there are any, then in dictionary order, in one of the two lines of ``order``.

    Return which line that is, and one of several equal itemsets, or -1; they keep their order. The ranks of items, from
    1 on, are packed into words, which are sorted digit by digit, the last word first. Itemsets that have no such word
    join in front of those that have one, and so come before them if all earlier words are equal. Of fewer than 64
    items, one word says it all. ``keys`` is for the words.
    """
    many, different, bits = numbers.size, ranks[ranks.size - 1], 1
    while different >> bits:
        bits += 1
    is_whole = different < 64
    fit, width = (64, different) if is_whole else (64 // bits, 64 // bits * bits)
    starts = np.zeros(find_longest(offsets) // fit + 3, np.int64)
    for number in numbers:
        starts[(offsets[number + 1] - offsets[number] + fit - 1) // fit + 1] += 1
    for word in range(starts.size - 1):
        starts[word + 1] += starts[word]
    free, side = starts.copy(), 0
    for at in range(many):
        number = numbers[at]
        words = (offsets[number + 1] - offsets[number] + fit - 1) // fit
        order[0, free[words]] = order[1, free[words]] = number
        keys[0, at] = keys[1, at] = 0
        free[words] += 1
    for word in range(starts.size - 3, -1, -1):
        for at in range(starts[word + 1], many):
            if is_whole:
                keys[side, at] = pack_whole(offsets, items, ranks, different, order[side, at])
            else:
                keys[side, at] = pack(offsets, items, ranks, bits, order[side, at], word)
        for shift in range(0, width, DIGIT):
            arrange(order, keys, side, starts[word + 1], np.uint64(shift))
            side = 1 - side
    again, most = -1, 0
    for at in range(leads.size):
        keys[side, at] = leads[order[side, at]]
        most = max(most, leads[at])
    for shift in range(0, 64, DIGIT):
        if most >> shift:
            arrange(order, keys, side, 0, np.uint64(shift))
            side = 1 - side
    for at in range(1, many):
        if keys[side, at - 1] == keys[side, at] and compare(offsets, items, order[side, at - 1], order[side, at]) == 0:
            again = order[side, at]
    return side, again


@jit
def take(offsets, items, order, entry, moved, taken):
    """Write the itemsets in the given order to ``taken`` from ``entry`` on, and where each ends to ``moved``."""
    for at in range(order.size):
        for i in range(offsets[order[at]], offsets[order[at] + 1]):
            taken[entry] = items[i]
            entry += 1
        moved[at] = entry
