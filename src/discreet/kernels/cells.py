"""Kernels that count the cells of many tops at once: how many rows meet a top in which of its items.

Rows and tops are bitmaps over the places of some items, a few words each. The tops are parted in two again and again;
on the way down rows lose the items that no top of their part has, and equal rows are merged, so that near the leaves,
where most of the work is, few rows are left. At a leaf there is one top, and its rows are its cells.
"""

import numpy as np
from numba import njit

from discreet.kernels.bits import lowest_bit
from discreet.kernels.room import grown

jit = njit(cache=True, nogil=True)

ONE = np.uint64(1)


@jit
def group(offsets, items, ranks, many, room):
    """Return where groups of tops start whose items are at most ``room`` together, or one top that has more.

    ``ranks`` orders the tops so that like ones stand together; there are ``many`` items.
    """
    starts, groups = np.empty(ranks.size + 1, np.int64), 0
    seen, held = np.full(many, -1, np.int64), 0
    for at in range(ranks.size):
        more = 0
        for entry in range(offsets[ranks[at]], offsets[ranks[at] + 1]):
            more += seen[items[entry]] != groups
        if groups == 0 or held + more > room:
            starts[groups] = at
            groups += 1
            held = 0
        for entry in range(offsets[ranks[at]], offsets[ranks[at] + 1]):
            if seen[items[entry]] != groups:
                seen[items[entry]] = groups
                held += 1
    starts[groups] = ranks.size
    return starts[: groups + 1].copy()


@jit
def map_itemsets(offsets, items, place, words):
    """Return the itemsets as bitmaps: item ``i`` is bit ``place[i]``, left out where that is -1."""
    maps = np.zeros((offsets.size - 1, words), np.uint64)
    for row in range(offsets.size - 1):
        for at in range(offsets[row], offsets[row + 1]):
            bit = place[items[at]]
            if bit >= 0:
                maps[row, bit >> 6] |= ONE << np.uint64(bit & 63)
    return maps


@jit
def map_listed(lists, list_offsets, chosen, words, maps, touched):
    """Set in ``maps``, which is 0, bit ``j`` of each row that holds the item ``chosen[j]``, by the rows of each item.

    Write the rows that hold any of them to ``touched``; return how many.
    """
    size = 0
    for bit in range(chosen.size):
        word, mask = bit >> 6, ONE << np.uint64(bit & 63)
        for at in range(list_offsets[chosen[bit]], list_offsets[chosen[bit] + 1]):
            row = lists[at]
            empty = True
            for other in range(words):
                empty &= maps[row, other] == 0
            if empty:
                touched[size] = row
                size += 1
            maps[row, word] |= mask
    return size


@jit
def gather(maps, touched, weights, words, total):
    """Return the rows that were touched, with their weights, and one for all the others; ``maps`` is 0 again.

    All rows together weigh ``total``.
    """
    rows, held = np.zeros((touched.size + 1, words), np.uint64), np.empty(touched.size + 1, np.int64)
    for at in range(touched.size):
        for word in range(words):
            rows[at, word] = maps[touched[at], word]
            maps[touched[at], word] = 0
        held[at] = weights[touched[at]]
        total -= held[at]
    held[touched.size] = total
    size = touched.size + (total > 0)
    return rows[:size], held[:size]


@jit
def project(maps, weights, start, stop, keep, slots, stamp):
    """Write the rows from ``start`` to ``stop``, cut to the items of ``keep``, behind them, equal ones merged.

    Return where they end. There must be room for as many again; ``slots`` has a power of 2 of entries, at least twice
    as many, and what it holds of earlier stamps counts as empty.
    """
    words, size = keep.size, 16
    while size < 2 * (stop - start):
        size *= 2
    low, end = np.uint64(size - 1), stop
    for row in range(start, stop):
        slot = np.uint64(0)
        for word in range(words):
            cut = maps[row, word] & keep[word]
            maps[end, word] = cut
            slot ^= cut
            slot ^= slot << np.uint64(13)
            slot ^= slot >> np.uint64(7)
            slot ^= slot << np.uint64(17)
        slot &= low
        while True:
            held = slots[slot]
            if held >> 32 != stamp:
                slots[slot] = (stamp << 32) | end
                weights[end] = weights[row]
                end += 1
                break
            other, same = held & 0xFFFFFFFF, True
            for word in range(words):
                same &= maps[other, word] == maps[end, word]
            if same:
                weights[other] += weights[row]
                break
            slot = (slot + ONE) & low
    return end


@jit
def part(tops, order, low, high, counts):
    """Part the tops from ``low`` to ``high`` of ``order`` by the item that most nearly half of them have.

    Return where the second part starts. ``counts`` has room for every item.
    """
    counts[:] = 0
    for at in range(low, high):
        for word in range(tops.shape[1]):
            bits = tops[order[at], word]
            while bits:
                counts[(word << 6) + lowest_bit(bits)] += 1
                bits &= bits - ONE
    best, item = -1, 0
    for bit in range(counts.size):
        less = min(counts[bit], high - low - counts[bit])
        if less > best:
            best, item = less, bit
    word, mask, middle = item >> 6, ONE << np.uint64(item & 63), low
    for at in range(low, high):
        if tops[order[at], word] & mask:
            order[at], order[middle] = order[middle], order[at]
            middle += 1
    return middle


@jit
def cells_of(maps, weights, tops, limit):
    """Return the cells of ``tops`` that hold fewer than ``limit`` rows: top, bitmap and number of rows of each.

    ``maps`` are rows that weigh ``weights``; no two tops are equal.
    """
    words, many = tops.shape[1], tops.shape[0]
    order, counts, keep = np.arange(many), np.empty(words << 6, np.int64), np.empty(words, np.uint64)
    stack, depth = np.empty((many + 1, 4), np.int64), min(1, many)
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, many, 0, weights.size
    slots, stamp = np.zeros(16, np.int64), 0
    found, room = 0, 1024
    found_tops, found_maps = np.empty(room, np.int32), np.empty((room, words), np.uint64)
    found_counts = np.empty(room, np.int64)
    while depth:
        depth -= 1
        low, high, start, stop = stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3]
        keep[:] = 0
        for at in range(low, high):
            for word in range(words):
                keep[word] |= tops[order[at], word]
        if 2 * stop - start > weights.size:
            maps, weights = grown(maps, 2 * (2 * stop - start)), grown(weights, 2 * (2 * stop - start))
        if slots.size < 2 * (stop - start):
            wider = slots.size
            while wider < 2 * (stop - start):
                wider *= 2
            slots = np.zeros(wider, np.int64)
        stamp += 1
        end = project(maps, weights, start, stop, keep, slots, stamp)
        if high - low > 1:
            middle = part(tops, order, low, high, counts)
            stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3] = middle, high, stop, end
            depth += 1
            stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3] = low, middle, stop, end
            depth += 1
            continue
        if found + end - stop > room:
            room = 2 * (found + end - stop)
            found_tops, found_counts = grown(found_tops, room), grown(found_counts, room)
            found_maps = grown(found_maps, room)
        for row in range(stop, end):
            if weights[row] < limit:
                found_tops[found] = order[low]
                found_counts[found] = weights[row]
                for word in range(words):
                    found_maps[found, word] = maps[row, word]
                found += 1
    return found_tops[:found].copy(), found_maps[:found].copy(), found_counts[:found].copy()


@jit
def write_bases(maps, tops, offsets, items, place, base_offsets, bases):
    """Write the items of each cell: those of its top, ``items[offsets[t]:offsets[t + 1]]``, whose bits are set.

    ``place[item]`` is the bit of an item; if it is empty, the j-th item of the top has bit j.
    """
    entry = 0
    base_offsets[0] = 0
    for cell in range(tops.size):
        first = offsets[tops[cell]]
        for at in range(first, offsets[tops[cell] + 1]):
            bit = place[items[at]] if place.size else at - first
            if maps[cell, bit >> 6] >> np.uint64(bit & 63) & ONE:
                bases[entry] = items[at]
                entry += 1
        base_offsets[cell + 1] = entry
    return entry
