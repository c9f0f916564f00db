"""Kernels that count items, merge equal rows, and make rows ready for the search."""

import numpy as np

from discreet.kernels.common import inner, jit, size_table
from discreet.kernels.shapes import HEAD, ONE, Frame
from discreet.kernels.words import grow, mix


@jit
def count(offsets, items, weights, many):
    """Return how many rows hold each of ``many`` items, where row r stands for ``weights[r]`` rows."""
    counts = np.zeros(many, np.int64)
    for row in range(weights.size):
        weight = weights[row]
        for at in range(offsets[row], offsets[row + 1]):
            counts[items[at]] += weight
    return counts


@jit
def merge_to_records(offsets, items, weights, code, records, starts):
    """Write the rows in new codes, equal ones merged, as records (length, weight, items); return where they end.

    Row r stands for ``weights[r]`` rows. Items with ``code`` -1 are left out, and rows without any other. ``records``
    has room for all, and one more; ``starts`` gets where each starts. Return how many there are, too.
    """
    rows = offsets.size - 1
    slots, hashes = np.full(size_table(rows), -1, np.int32), np.empty(code.size, np.uint64)
    mask = np.uint64(slots.size - 1)
    for item in range(code.size):
        hashes[item] = mix(mix(np.uint64(item + 1)))
    many, start = 0, 0
    for row in range(rows):
        end, slot = start + HEAD, np.uint64(0)
        for at in range(offsets[row], offsets[row + 1]):
            records[end] = code[items[at]]
            end += records[end] >= 0
        for at in range(start + HEAD, end):
            slot ^= hashes[records[at]]
        if end == start + HEAD:
            continue
        records[start] = end - start - HEAD
        slot = mix(slot) & mask
        while slots[slot] >= 0 and not is_same_record(records, slots[slot], start):
            slot = (slot + ONE) & mask
        if slots[slot] < 0:
            slots[slot], starts[many], records[start + 1] = start, start, weights[row]
            many, start = many + 1, end
        else:
            records[slots[slot] + 1] += weights[row]
    return start, many


@inner
def is_same_record(records, left, right):
    """Return whether two records have the same items in the same order."""
    if records[left] != records[right]:
        return False
    for i in range(HEAD, HEAD + records[left]):
        if records[left + i] != records[right + i]:
            return False
    return True


@jit
def split_weights(records, starts, split, rows, shifts):
    """Write to ``split`` records of weights that are powers of 2 (13 = 1 + 4 + 8), by rising weight.

    ``rows`` gets their starts, and ``shifts`` the powers.
    """
    held, at = np.zeros(65, np.int64), 0
    for start in starts:
        weight, shift = records[start + 1], 0
        while weight:
            held[shift + 1] += weight & 1
            weight, shift = weight >> 1, shift + 1
    for shift in range(64):
        held[shift + 1] += held[shift]
    for start in starts:
        weight, shift = records[start + 1], 0
        while weight:
            if weight & 1:
                rows[held[shift]], shifts[held[shift]] = start, shift
                held[shift] += 1
            weight, shift = weight >> 1, shift + 1
    for row in range(rows.size):
        start, rows[row] = rows[row], at
        split[at], split[at + 1] = records[start], np.int64(1) << shifts[row]
        for i in range(HEAD, HEAD + records[start]):
            split[at + i] = records[start + i]
        at += HEAD + records[start]


@jit
def map_all(records, rows, shifts, many):
    """Return the frame of all rows and ``many`` items."""
    words = 0
    for row in range(rows.size):
        if row == 0 or shifts[row] != shifts[row - 1]:
            start = row
        words += (row - start) & 63 == 0
    maps, word_shifts = np.zeros((many, words), np.uint64), np.empty(words, np.int64)
    sets, starts = np.zeros((words << 6, (many + 63) >> 6), np.uint64), np.empty(words << 6, np.int32)
    word, longest = -1, 0
    for row in range(rows.size):
        if row == 0 or shifts[row] != shifts[row - 1]:
            start = row
        if (row - start) & 63 == 0:
            word += 1
            word_shifts[word] = shifts[row]
        bit, line = ONE << np.uint64((row - start) & 63), (word << 6) + ((row - start) & 63)
        starts[line] = rows[row]
        for entry in range(rows[row] + HEAD, rows[row] + HEAD + records[rows[row]]):
            item = records[entry]
            maps[item, word] |= bit
            sets[line, item >> 6] |= ONE << np.uint64(item & 63)
        longest = max(longest, records[rows[row]])
    return Frame(maps, sets, word_shifts, longest, records, starts, 0, 0)


@jit
def list_rows(records, rows, many, lists):
    """Write to ``lists`` for each of ``many`` items the rows that hold it; return where each list starts."""
    offsets = np.zeros(many + 1, np.int64)
    for record in rows:
        for entry in range(record + HEAD, record + HEAD + records[record]):
            offsets[records[entry] + 1] += 1
    for item in range(many):
        offsets[item + 1] += offsets[item]
    free = offsets[:many].copy()
    for row in range(rows.size):
        for entry in range(rows[row] + HEAD, rows[row] + HEAD + records[rows[row]]):
            item = records[entry]
            lists[free[item]] = row
            free[item] += 1
    return offsets


@jit
def order_rows(records, rows, offsets, lists):
    """Sort the items of each record, in place, by reading the rows of each item."""
    free = rows + np.int32(HEAD)
    for item in range(offsets.size - 1):
        for at in range(offsets[item], offsets[item + 1]):
            row = lists[at]
            records[free[row]] = item
            free[row] += 1


@jit
def map_rows(offsets, lists, line, maps):
    """Set in line ``line[item]`` of ``maps``, unless it is -1, the bits of the rows that hold the item."""
    for item in range(line.size):
        if line[item] >= 0:
            for at in range(offsets[item], offsets[item + 1]):
                maps[line[item], lists[at] >> 6] |= ONE << np.uint64(lists[at] & 63)


@jit
def pair_up(records, starts, many, low, stop, least, room):
    """Return the frequent pairs of the items from ``low`` to ``stop``: where partners start, partners, supports.

    A pair stands with its lower item. Supports are counted in a table of ``room`` cells, which should fit the cache,
    for as many lower items at a time as fit; each row remembers how far it was paired up.
    """
    offsets, first, size = np.zeros(stop - low + 1, np.int64), low, 0
    partners, supports = np.empty(1024, np.int32), np.empty(1024, np.int64)
    table, line = np.zeros(max(room, many), np.int32), np.empty(many, np.int64)
    reached = starts + np.int32(HEAD)
    for row in range(starts.size):
        end = starts[row] + HEAD + records[starts[row]]
        while reached[row] < end and records[reached[row]] < low:
            reached[row] += 1
    while low < stop:
        high, cells = low, 0
        while high < stop and cells + many - high - 1 <= table.size:
            line[high] = cells - high - 1
            cells += many - high - 1
            high += 1
        for row in range(starts.size):
            record, at = starts[row], reached[row]
            end = record + HEAD + records[record]
            while at < end and records[at] < high:
                start, at = line[records[at]], at + 1
                for other in range(at, end):
                    table[start + records[other]] += records[record + 1]
            reached[row] = at
        for item in range(low, high):
            if size + many - item > partners.size:
                partners, supports = grow(partners, 2 * (size + many - item)), grow(supports, 2 * (size + many - item))
            for other in range(item + 1, many):
                if table[line[item] + other] >= least:
                    partners[size], supports[size] = other, table[line[item] + other]
                    size += 1
            offsets[item + 1 - first] = size
        table[:cells] = 0
        low = high
    return offsets, partners[:size].copy(), supports[:size].copy()


@jit
def turn_pairs(offsets, partners, supports):
    """Return the pairs by their higher item, as ``pair_up`` gives them by the lower one."""
    many, starts = offsets.size - 1, np.zeros(offsets.size, np.int64)
    for item in partners:
        starts[item + 1] += 1
    for item in range(many):
        starts[item + 1] += starts[item]
    free = starts[:many].copy()
    lower, counts = np.empty(partners.size, np.int32), np.empty(partners.size, np.int64)
    for item in range(many):
        for at in range(offsets[item], offsets[item + 1]):
            lower[free[partners[at]]], counts[free[partners[at]]] = item, supports[at]
            free[partners[at]] += 1
    return starts, lower, counts


@jit
def merge(offsets, items, weights, code):
    """Return the rows in new codes (-1: left out), equal ones merged, in the order of their first.

    Row r stands for ``weights[r]`` rows. Return starts, items, weights, and for each row its number among them.
    """
    rows = offsets.size - 1
    slots = np.full(size_table(rows), -1, np.int64)
    starts, kept = np.zeros(rows + 1, np.int64), np.empty(offsets[rows] - offsets[0], np.int32)
    sums, numbers = np.zeros(rows, np.int64), np.empty(rows, np.int64)
    many, start = 0, 0
    for row in range(rows):
        end = start
        for at in range(offsets[row], offsets[row + 1]):
            kept[end] = code[items[at]]
            end += kept[end] >= 0
        slot = find_row(slots, starts, kept, start, end)
        if slots[slot] < 0:
            slots[slot], many, start = many, many + 1, end
            starts[many] = end
        numbers[row] = slots[slot]
        sums[slots[slot]] += weights[row]
    return starts[: many + 1].copy(), kept[:start].copy(), sums[:many].copy(), numbers


@jit
def merge_more(offsets, items, slots, starts, kept, weights, many):
    """Add rows to ``many`` merged ones: known ones gain weight, others are appended. Return how many there are.

    There is room for all rows. ``slots``, a power of 2, are places by hash, of which half stay free (-1).
    """
    for row in range(offsets.size - 1):
        start = end = starts[many]
        for at in range(offsets[row], offsets[row + 1]):
            kept[end] = items[at]
            end += 1
        slot = find_row(slots, starts, kept, start, end)
        if slots[slot] < 0:
            slots[slot], weights[many], many = many, 0, many + 1
            starts[many] = end
        weights[slots[slot]] += 1
    return many


@jit
def place_rows(starts, kept, many, slots):
    """Write the places of ``many`` different rows by hash to ``slots``, which are all free (-1)."""
    for row in range(many):
        slots[find_row(slots, starts, kept, starts[row], starts[row + 1])] = row


@inner
def find_row(slots, starts, kept, start, end):
    """Return the slot of the row ``kept[start:end]``: that of an equal merged row, or a free one."""
    slot, low = np.uint64(0), np.uint64(slots.size - 1)
    for at in range(start, end):
        slot = mix(slot ^ np.uint64(kept[at] + 1))
    slot &= low
    while slots[slot] >= 0 and not is_same_row(starts, kept, slots[slot], start, end):
        slot = (slot + ONE) & low
    return slot


@inner
def is_same_row(starts, kept, number, start, end):
    """Return whether a merged row has the items from ``start`` to ``end``."""
    first = starts[number]
    if starts[number + 1] - first != end - start:
        return False
    for at in range(end - start):
        if kept[first + at] != kept[start + at]:
            return False
    return True
