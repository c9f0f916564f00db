"""Kernels on itemsets and rows laid flat: ``items[offsets[i]:offsets[i + 1]]`` is itemset ``i``."""

import numpy as np

from discreet.kernels.common import inner, jit
from discreet.kernels.shapes import HEAD, ONE
from discreet.kernels.words import copy, lowest_bit

SHORT_ROW = 32
SHORT_RUN = 16


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
def measure(stream):
    """Return how many itemsets and how many items a stream of records (length, support, items) holds."""
    at = itemsets = entries = 0
    while at < stream.size:
        itemsets += 1
        entries += stream[at]
        at += stream[at] + HEAD
    return itemsets, entries


@jit
def unpack(stream, names, offsets, items, supports):
    """Write the records of a stream as itemsets, with ``names`` for its items, which need not rise."""
    at = entry = offsets[0] = 0
    for number in range(supports.size):
        length, supports[number] = stream[at], stream[at + 1]
        for i in range(at + HEAD, at + HEAD + length):
            items[entry] = names[stream[i]]
            entry += 1
        offsets[number + 1] = entry
        at += HEAD + length


@jit
def unpack_in_order(stream, ranks, ranked, offsets, items, supports):
    """Do what ``unpack`` does, in the order of ``ranks``, by setting and reading bits: best if they fit a few words."""
    bits = np.zeros((ranked.size + 63) >> 6, np.uint64)
    at = entry = offsets[0] = 0
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
        offsets[number + 1] = entry
        at += HEAD + length


@jit
def mark(items, present):
    """Set ``present[item]`` for each item."""
    for at in range(items.size):
        present[items[at]] = True


@jit
def pack(offsets, items, ranks, bits, keys):
    """Write to ``keys`` the ranks of each itemset's first items, ``bits`` bits each: keys compare as itemsets do.

    Ranks start at 1: 0 stands for no item, so that a shorter itemset comes first. Longer ones may share a key.
    """
    fit = 64 // bits
    for number in range(keys.size):
        key, length = np.uint64(0), offsets[number + 1] - offsets[number]
        for i in range(min(fit, length)):
            key = (key << np.uint64(bits)) | np.uint64(ranks[items[offsets[number] + i]])
        for _ in range(fit - length):
            key <<= np.uint64(bits)
        keys[number] = key


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


@jit
def settle(offsets, items, keys, order, spare):
    """Sort each run of equal keys in ``order``, which is sorted by key; return a repeated itemset, or -1."""
    again, start = -1, 0
    while start < order.size:
        stop = start + 1
        while stop < order.size and keys[order[stop]] == keys[order[start]]:
            stop += 1
        if stop - start <= SHORT_RUN:
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
            copy(spare, start, stop, order, start)
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
