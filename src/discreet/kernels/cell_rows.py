"""Kernels that find the rows in channels, and count the rows that hold itemsets; both are laid flat."""

import numpy as np

from discreet.kernels.common import find_longest, inner, jit
from discreet.kernels.shapes import ONE
from discreet.kernels.words import grow, lowest_bit, popcount

BLOCK = 1 << 16


@jit
def count_channels(rows, channels, code, many, times, smallest):
    """Count for each row the channels that single it out, and lower ``smallest`` to the smallest count among them.

    ``channels`` are their tops, bases, counts and the itemsets of the tops. ``code`` gives the items of channels their
    codes in the rows, of which there are ``many``; -1 if no row holds one.
    """
    (offsets, items), counts = rows, channels[3]
    total, (line, lines), longest = offsets.size - 1, number_tops(channels, code, many), find_longest(channels[4])
    words = (min(BLOCK, total) + 63) >> 6
    # A line more for items that no row holds.
    maps, held = np.empty((lines + 1, words), np.uint64), np.empty((longest + 1, words), np.uint64)
    held[0] = ~np.uint64(0)
    wanted = np.zeros(longest, np.bool_)
    for start in range(0, total, BLOCK):
        stop = min(start + BLOCK, total)
        map_block(offsets, items, start, stop, line, maps)
        for channel in range(counts.size):
            depth = narrow_to(channel, channels, code, line, maps, wanted, held)
            for word in range((stop - start + 63) >> 6):
                bits = held[depth, word]
                while bits:
                    row = start + (word << 6) + lowest_bit(bits)
                    bits &= bits - ONE
                    if row < stop:
                        times[row] += 1
                        smallest[row] = min(smallest[row], counts[channel])


@jit
def find_members(rows, channels, many):
    """Return pairs of a channel and a row in it, by their numbers; by blocks of rows, and then by channels.

    ``channels`` are as above, in the codes of the rows, of which there are ``many``.
    """
    (offsets, items), code = rows, np.arange(many)
    total, (line, lines), longest = offsets.size - 1, number_tops(channels, code, many), find_longest(channels[4])
    words = (min(BLOCK, total) + 63) >> 6
    maps, held = np.empty((lines + 1, words), np.uint64), np.empty((longest + 1, words), np.uint64)
    held[0] = ~np.uint64(0)
    wanted = np.zeros(longest, np.bool_)
    pairs, size = np.empty((1 << 10, 2), np.int64), 0
    for start in range(0, total, BLOCK):
        stop = min(start + BLOCK, total)
        map_block(offsets, items, start, stop, line, maps)
        for channel in range(channels[0].size):
            depth = narrow_to(channel, channels, code, line, maps, wanted, held)
            for word in range((stop - start + 63) >> 6):
                bits = held[depth, word]
                while bits:
                    row = start + (word << 6) + lowest_bit(bits)
                    bits &= bits - ONE
                    if row < stop:
                        if size == len(pairs):
                            pairs = grow(pairs, 2 * size)
                        pairs[size, 0], pairs[size, 1] = channel, row
                        size += 1
    return pairs[:size].copy()


@inner
def number_tops(channels, code, many):
    """Return a line of bitmaps for each item of the tops of channels, and how many there are."""
    tops, top_offsets, top_items = channels[0], channels[4], channels[5]
    line, lines = np.full(many, -1, np.int64), 0
    for top in tops:
        for at in range(top_offsets[top], top_offsets[top + 1]):
            item = code[top_items[at]]
            if item >= 0 and line[item] < 0:
                line[item], lines = lines, lines + 1
    return line, lines


@inner
def narrow_to(channel, channels, code, line, maps, wanted, held):
    """Write the rows of a channel to ``held``, and return its line; ``wanted`` is the base that was written before."""
    tops, base_offsets, bases, _, top_offsets, top_items = channels
    first, last = top_offsets[tops[channel]], top_offsets[tops[channel] + 1]
    # Channels of one top stand together, and many share the rows that their first items leave.
    known = channel > 0 and tops[channel - 1] == tops[channel]
    entry = base_offsets[channel]
    for at in range(last - first):
        want = entry < base_offsets[channel + 1] and bases[entry] == top_items[first + at]
        entry += want
        known &= wanted[at] == want
        wanted[at] = want
        if not known:
            item = code[top_items[first + at]]
            narrow(held, at, maps, line[item] if item >= 0 else len(maps) - 1, want)
    return last - first


@jit
def weigh(rows, weights, cells, tops, many, sums):
    """Add to ``sums`` the weight of the rows in each cell (number of a top, base); rows are few, of ``many`` items."""
    (offsets, items), (top_numbers, base_offsets, bases), (top_offsets, top_items) = rows, cells, tops
    (line, lines), longest, total = number_items(top_items, many), find_longest(top_offsets), offsets.size - 1
    words = (total + 63) >> 6
    maps = np.empty((words, lines), np.uint64)
    map_block(offsets, items, 0, total, line, maps.T)
    chosen, lacking = np.empty(longest, np.uint64), np.empty(longest, np.uint64)
    for cell in range(sums.size):
        first, last = top_offsets[top_numbers[cell]], top_offsets[top_numbers[cell] + 1]
        entry, end = base_offsets[cell], base_offsets[cell + 1]
        length = np.uint64(last - first)
        for at in range(last - first):
            wants = entry < end and bases[entry] == top_items[first + at]
            entry += wants
            chosen[at] = np.uint64(line[top_items[first + at]])
            lacking[at] = np.uint64(0) if wants else ~np.uint64(0)
        for word in range(words):
            met = ~np.uint64(0)
            for at in range(length):
                met &= maps[word, chosen[at]] ^ lacking[at]
            while met:
                row = (word << 6) + lowest_bit(met)
                met &= met - ONE
                if row < total:
                    sums[cell] += weights[row]


@inner
def narrow(held, at, maps, line, want):
    """Write behind line ``at`` of ``held`` those of its rows that hold the item of a line of ``maps``, or do not."""
    lacking = np.uint64(0) if want else ~np.uint64(0)
    for word in range(maps.shape[1]):
        held[at + 1, word] = held[at, word] & (maps[line, word] ^ lacking)


@jit
def count_supports(rows, weights, itemsets, many, held):
    """Add to ``held`` the weight of the rows that hold each itemset; there are ``many`` items.

    Rows are taken in blocks, as bitmaps. Items that an itemset shares with the one before are not looked up again.
    """
    (offsets, items), (starts, chosen) = rows, itemsets
    (line, lines), longest, total = number_items(chosen, many), find_longest(starts), offsets.size - 1
    words = (min(BLOCK, total) + 63) >> 6
    maps, met = np.empty((lines, words), np.uint64), np.empty((longest + 1, words), np.uint64)
    each = np.empty(words, np.int64)
    for start in range(0, total, BLOCK):
        stop = min(start + BLOCK, total)
        map_block(offsets, items, start, stop, line, maps)
        for word in range(words):
            each[word] = share_weight(weights, start + (word << 6), min(start + (word + 1 << 6), stop))
        met[0] = ~np.uint64(0)
        before, depth = np.int64(0), np.int64(0)
        for number in range(held.size):
            first, last, same = starts[number], starts[number + 1], np.int64(0)
            while same < depth and first + same < last and chosen[before + same] == chosen[first + same]:
                same += 1
            before, depth = first, last - first
            if depth == 0:
                for row in range(start, stop):
                    held[number] += weights[row]
                continue
            for level in range(same, depth):
                other = line[chosen[first + level]]
                for word in range(words):
                    met[level + 1, word] = met[level, word] & maps[other, word]
            for word in range(words):
                if each[word]:
                    held[number] += each[word] * np.int64(popcount(met[depth, word]))
                else:
                    held[number] += weigh_bits(met[depth, word], weights, start + (word << 6))


@inner
def number_items(items, many):
    """Return a number for each of ``many`` items, -1 for those not among ``items``, and how many have one."""
    line, lines = np.full(many, -1, np.int64), 0
    for item in items:
        if line[item] < 0:
            line[item], lines = lines, lines + 1
    return line, lines


@inner
def share_weight(weights, start, stop):
    """Return the weight that all rows from ``start`` to ``stop`` share; 0 if they differ."""
    for row in range(start + 1, stop):
        if weights[row] != weights[start]:
            return np.int64(0)
    return weights[start] if start < stop else np.int64(0)


@inner
def weigh_bits(bits, weights, start):
    """Return the weight of the rows whose bits are set; bit 0 is row ``start``."""
    total = np.int64(0)
    while bits:
        total += weights[start + lowest_bit(bits)]
        bits &= bits - ONE
    return total


@inner
def map_block(offsets, items, start, stop, line, maps):
    """Write the rows from ``start`` to ``stop`` as a bitmap for each item that has a ``line``."""
    maps[:] = 0
    for row in range(start, stop):
        bit = ONE << np.uint64((row - start) & 63)
        for at in range(offsets[row], offsets[row + 1]):
            if line[items[at]] >= 0:
                maps[line[items[at]], (row - start) >> 6] |= bit
