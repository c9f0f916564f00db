"""Kernels on lists of itemsets with supports: maximal itemsets, missing ones, and cells where all are listed.

Itemset ``i`` is ``items[offsets[i]:offsets[i + 1]]``, in dictionary order, with ``supports[i]``.
"""

import numpy as np

from discreet.kernels.common import find_longest, grow_cells, inner, jit, make_cells, size_table, trim
from discreet.kernels.shapes import ONE
from discreet.kernels.words import mix

MISSING, RISING = 1, 2
NEAR = 4


@inner
def sort_by_length(offsets):
    """Return the numbers of the itemsets, longest first; equal lengths keep their order."""
    total, longest = offsets.size - 1, find_longest(offsets)
    starts = np.zeros(longest + 2, np.int64)
    for number in range(total):
        starts[longest - (offsets[number + 1] - offsets[number]) + 1] += 1
    for length in range(longest + 1):
        starts[length + 1] += starts[length]
    order = np.empty(total, np.int64)
    for number in range(total):
        length = longest - (offsets[number + 1] - offsets[number])
        order[starts[length]] = number
        starts[length] += 1
    return order


@jit
def find_maximal(offsets, items, many):
    """Return for each itemset whether it has no superset; there are ``many`` items, and no itemset twice.

    Longer ones come first: a shorter one is maximal if no maximal one so far, a bit in ``held``, holds its items.
    """
    found, held, tops = np.zeros(offsets.size - 1, np.bool_), np.zeros((many, 4), np.uint64), 0
    for number in sort_by_length(offsets):
        first, last = offsets[number], offsets[number + 1]
        if is_covered(items, first, last, held, tops):
            continue
        found[number] = True
        if tops >> 6 >= held.shape[1]:
            wider = np.zeros((many, 2 * held.shape[1]), np.uint64)
            for item in range(many):
                for word in range(held.shape[1]):
                    wider[item, word] = held[item, word]
            held = wider
        for at in range(first, last):
            held[items[at], tops >> 6] |= ONE << np.uint64(tops & 63)
        tops += 1
    return found


@inner
def is_covered(items, first, last, held, tops):
    """Return whether one of the ``tops`` holds the items from first to last; each item has a bitmap of tops."""
    if first == last:
        return tops > 0
    for word in range((tops + 63) >> 6):
        bits = held[items[first], word]
        at = first + 1
        while bits and at < last:
            bits &= held[items[at], word]
            at += 1
        if bits:
            return True
    return False


@inner
def hash_items(items, first, last, without):
    """Return a hash of the items from first to last, except the one at ``without``."""
    word = np.uint64(0)
    for at in range(first, last):
        if at != without:
            word = mix(word ^ np.uint64(items[at] + 1))
    return word


@jit
def index(offsets, items):
    """Return a hash table of the itemsets: their numbers from 1, 0 for empty; its size is a power of 2."""
    slots = np.zeros(size_table(offsets.size), np.int64)
    low = np.uint64(slots.size - 1)
    for number in range(offsets.size - 1):
        slot = hash_items(items, offsets[number], offsets[number + 1], -1) & low
        while slots[slot]:
            slot = (slot + ONE) & low
        slots[slot] = number + 1
    return slots


@inner
def find_without(slots, offsets, items, number, without):
    """Return the number of the itemset that is ``number`` without its item at ``without``; -1 if there is none."""
    first, last, low = offsets[number], offsets[number + 1], np.uint64(slots.size - 1)
    slot = hash_items(items, first, last, without) & low
    while slots[slot]:
        other = slots[slot] - 1
        if offsets[other + 1] - offsets[other] == last - first - 1:
            at, same = offsets[other], True
            for i in range(first, last):
                if i != without:
                    same &= items[at] == items[i]
                    at += 1
            if same:
                return other
        slot = (slot + ONE) & low
    return np.int64(-1)


@jit
def check_subsets(slots, offsets, items, supports, is_open, is_held):
    """Return the first fault as (fault, itemset, place of the item left out), or (0, -1, -1).

    A fault is a subset with one item less that is MISSING, or that has less support (RISING). Itemsets with a superset
    of the same support are marked in ``is_open``, those with any superset in ``is_held``.
    """
    for number in range(offsets.size - 1):
        for at in range(offsets[number], offsets[number + 1]):
            other = find_without(slots, offsets, items, number, at)
            if other < 0:
                return MISSING, number, at - offsets[number]
            if supports[other] < supports[number]:
                return RISING, number, at - offsets[number]
            is_open[other] |= supports[other] == supports[number]
            is_held[other] = True
    return 0, -1, -1


@jit
def link(slots, offsets, items, numbers):
    """Write to ``numbers``, for each item of each itemset, the number of the itemset without it; -1 if missing."""
    for number in range(offsets.size - 1):
        for at in range(offsets[number], offsets[number + 1]):
            numbers[at] = find_without(slots, offsets, items, number, at)


@jit
def find_missing_meet(offsets, items, cut):
    """Return two itemsets near each other, both shorter than ``cut``, without their intersection; or (-1, -1)."""
    slots = index(offsets, items)
    low, both = np.uint64(slots.size - 1), np.empty(cut, items.dtype)
    for number in range(offsets.size - 1):
        for before in range(max(0, number - NEAR), number):
            if max(offsets[number + 1] - offsets[number], offsets[before + 1] - offsets[before]) >= cut:
                continue
            left, right, size = offsets[before], offsets[number], 0
            while left < offsets[before + 1] and right < offsets[number + 1]:
                if items[left] == items[right]:
                    both[size] = items[left]
                    size += 1
                step = np.int64(items[left]) - np.int64(items[right])
                left += step <= 0
                right += step >= 0
            slot, listed = hash_items(both, 0, size, -1) & low, False
            while slots[slot] and not listed:
                listed = is_same(offsets, items, slots[slot] - 1, both, size)
                slot = (slot + ONE) & low
            if not listed:
                return before, number
    return -1, -1


@jit
def may_be_cut(starts, chosen, many):
    """Return whether longer itemsets than these, all of one length, may have been left out; there are ``many`` items.

    If one is frequent, all its subsets of this length are listed, and this finds them.
    """
    longest, used = starts[1] if starts.size > 1 else 0, np.zeros(many, np.bool_)
    for at in range(chosen.size):
        used[chosen[at]] = True
    slots, wider = index(starts, chosen), np.empty(longest + 1, chosen.dtype)
    low = np.uint64(slots.size - 1)
    for number in range(starts.size - 1):
        for item in range(many):
            place = longest
            for i in range(longest - 1, -1, -1):
                if chosen[starts[number] + i] >= item:
                    place = i
            if not used[item] or (place < longest and chosen[starts[number] + place] == item):
                continue
            for i in range(longest + 1):
                wider[i] = item if i == place else chosen[starts[number] + i - (i > place)]
            listed, without = True, 0
            while listed and without <= longest:
                slot = hash_items(wider, 0, longest + 1, without) & low
                listed = False
                while slots[slot] and not listed:
                    listed = is_rest(chosen, starts[slots[slot] - 1], wider, without)
                    slot = (slot + ONE) & low
                without += 1
            if listed:
                return True
    return False


@inner
def is_same(offsets, items, number, wanted, size):
    """Return whether an itemset is ``wanted[:size]``."""
    if offsets[number + 1] - offsets[number] != size:
        return False
    for at in range(size):
        if items[offsets[number] + at] != wanted[at]:
            return False
    return True


@inner
def is_rest(items, start, wider, without):
    """Return whether the items from ``start`` are ``wider`` without the item at ``without``."""
    for at in range(wider.size - 1):
        if items[start + at] != wider[at + (at >= without)]:
            return False
    return True


@jit
def look_up(slots, offsets, items, wanted_offsets, wanted_items, wanted_supports, supports):
    """Write the support of each wanted itemset to its place in the list; all are listed."""
    low = np.uint64(slots.size - 1)
    for number in range(wanted_offsets.size - 1):
        first, last = wanted_offsets[number], wanted_offsets[number + 1]
        slot = hash_items(wanted_items, first, last, -1) & low
        while not is_same(offsets, items, slots[slot] - 1, wanted_items[first:last], last - first):
            slot = (slot + ONE) & low
        supports[slots[slot] - 1] = wanted_supports[number]


@jit
def find_item_supports(offsets, items, supports, many):
    """Return for each item the largest support of an itemset that holds it, 0 for none."""
    result = np.zeros(many, np.int64)
    for number in range(offsets.size - 1):
        for at in range(offsets[number], offsets[number + 1]):
            result[items[at]] = max(result[items[at]], supports[number])
    return result


@jit
def inherit(slots, offsets, items, supports):
    """Raise the support of each itemset to that of its supersets: longest first, each passes its own on."""
    for number in sort_by_length(offsets):
        for at in range(offsets[number], offsets[number + 1]):
            other = find_without(slots, offsets, items, number, at)
            supports[other] = max(supports[other], supports[number])


@jit
def cells_of_all(slots, offsets, items, supports, tops, limit):
    """Return the cells of ``tops`` that hold fewer than ``limit`` rows: top, bitmap, number of rows.

    All subsets of tops are listed. A support is the sum of the cells above it, so the items are taken off one by one.
    """
    cells, found, low = make_cells(np.empty(1024, np.uint64)), 0, np.uint64(slots.size - 1)
    for number in range(tops.size):
        first, last = offsets[tops[number]], offsets[tops[number] + 1]
        size, wanted = 1 << (last - first), np.empty(last - first, items.dtype)
        held = np.empty(size, np.int64)
        for subset in range(size):
            length = 0
            for at in range(last - first):
                if subset >> at & 1:
                    wanted[length] = items[first + at]
                    length += 1
            slot = hash_items(wanted, 0, length, -1) & low
            while not is_same(offsets, items, slots[slot] - 1, wanted, length):
                slot = (slot + ONE) & low
            held[subset] = supports[slots[slot] - 1]
        for at in range(last - first):
            for subset in range(size):
                if not subset >> at & 1:
                    held[subset] -= held[subset | 1 << at]
        for cell in range(size):
            if held[cell] != 0 and held[cell] < limit:
                cells = grow_cells(cells, found + 1)
                cells.tops[found], cells.maps[found], cells.counts[found] = number, cell, held[cell]
                found += 1
    return trim(cells, found)


@jit
def mark_followers(slots, offsets, items, supports, needed, follows):
    """Mark each item whose itemset has the support that the itemset of its other items, which exist, ``needed``."""
    for number in range(offsets.size - 1):
        if offsets[number + 1] - offsets[number] > 1:
            for at in range(offsets[number], offsets[number + 1]):
                other = find_without(slots, offsets, items, number, at)
                follows[at] = supports[number] >= needed[other]
