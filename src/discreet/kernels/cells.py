"""Kernels that count the cells of many tops at once, and find the implications that follow from cells.

Rows and tops are bitmaps of one word over the places of some items. The tops are split in two again and again. On the
way down rows lose the items that no top of their part has, and equal rows are merged, so that few rows are left near
the leaves, where most of the work is.

Places in arrays are unsigned where speed counts: Numba checks the sign of a signed index at each use.
"""

import numpy as np

from discreet.kernels.common import grow_cells, inner, jit, make_cells, size_table, trim
from discreet.kernels.shapes import ONE
from discreet.kernels.words import copy, grow, lowest_bit, mix, popcount

HALF, FEW, TABLE = np.uint64(32), 4, 12


@jit
def group(offsets, items, order, many, room, most):
    """Return where groups of at most ``most`` tops with at most ``room`` items start; ``order`` is by likeness."""
    starts, groups = np.empty(order.size + 1, np.int64), 0
    seen, held = np.full(many, -1, np.int64), 0
    for at in range(order.size):
        first, last, more = offsets[order[at]], offsets[order[at] + 1], 0
        for item in items[first:last]:
            more += seen[item] != groups
        if groups == 0 or held + more > room or at - starts[groups - 1] == most:
            starts[groups], more, held = at, last - first, 0
            groups += 1
        held += more
        for item in items[first:last]:
            seen[item] = groups
    starts[groups] = order.size
    return starts[: groups + 1].copy()


@jit
def map_itemsets(offsets, items, place):
    """Return the itemsets as bitmaps: item ``i`` is bit ``place[i]``, left out where that is -1."""
    maps = np.zeros(offsets.size - 1, np.uint64)
    for row in range(offsets.size - 1):
        for at in range(offsets[row], offsets[row + 1]):
            bit = place[items[at]]
            if bit >= 0:
                maps[row] |= ONE << np.uint64(bit)
    return maps


@jit
def map_listed(lists, list_offsets, chosen, maps, touched):
    """Set in ``maps`` bit ``j`` of each row with ``chosen[j]``; write these rows to ``touched``, return how many."""
    size = 0
    for bit in range(chosen.size):
        for at in range(list_offsets[chosen[bit]], list_offsets[chosen[bit] + 1]):
            row = lists[at]
            touched[size] = row
            size += maps[row] == 0
            maps[row] |= ONE << np.uint64(bit)
    return size


@jit
def gather(maps, touched, weights, total):
    """Return the touched rows with their weights, and one row for all others; the sum of weights is ``total``."""
    rows, held = np.zeros(touched.size + 1, np.uint64), np.empty(touched.size + 1, np.int64)
    for at in range(touched.size):
        rows[at], held[at] = maps[touched[at]], weights[touched[at]]
        total -= held[at]
    held[touched.size] = total
    size = touched.size + (total > 0)
    return rows[:size], held[:size]


@inner
def project(maps, weights, start, stop, keep, slots, stamp):
    """Write the rows from ``start`` to ``stop``, cut to the items of ``keep``, behind them, equal ones merged.

    Return where they end. There must be room for as many again. ``slots`` has a power of 2 of entries, at least twice
    as many; entries of earlier stamps count as empty. All numbers are unsigned.
    """
    low, end = np.uint64(size_table(np.int64(stop - start)) - 1), stop
    for row in range(start, stop):
        cut = maps[row] & keep
        slot = mix(cut) & low
        while True:
            held = slots[slot]
            if held >> HALF != stamp:
                slots[slot] = (stamp << HALF) | end
                maps[end], weights[end] = cut, weights[row]
                end += ONE
                break
            other = held & np.uint64(0xFFFFFFFF)
            if maps[other] == cut:
                weights[other] += weights[row]
                break
            slot = (slot + ONE) & low
    return end


@inner
def tally(maps, weights, start, stop, top, index, table):
    """Add up in ``table`` the weights of rows by their items of ``top``: item by item, many rows at once."""
    bits, bit = top, np.uint64(0)
    for at in range(stop - start):
        index[at] = 0
    while bits:
        place = np.uint64(lowest_bit(bits))
        bits &= bits - ONE
        for at in range(stop - start):
            index[at] |= ((maps[start + at] >> place) & ONE) << bit
        bit += ONE
    for at in range(stop - start):
        table[index[at]] += weights[start + at]


@inner
def split(tops, order, low, high, counts):
    """Split the tops ``order[low:high]`` by the item that most nearly half of them have; return the boundary."""
    counts[:] = 0
    for at in range(low, high):
        bits = tops[order[at]]
        while bits:
            counts[lowest_bit(bits)] += 1
            bits &= bits - ONE
    best, item = -1, 0
    for bit in range(counts.size):
        less = min(counts[bit], high - low - counts[bit])
        if less > best:
            best, item = less, bit
    mask, middle = ONE << np.uint64(item), low
    for at in range(low, high):
        if tops[order[at]] & mask:
            order[at], order[middle] = order[middle], order[at]
            middle += 1
    return middle


@inner
def spread(cell, top):
    """Return the bits of ``cell``, one for each item of ``top``, at the places of these items."""
    result, bits = np.uint64(0), top
    while cell:
        if cell & ONE:
            result |= bits & ~(bits - ONE)
        bits &= bits - ONE
        cell >>= ONE
    return result


@jit
def cells_of(maps, weights, tops, limit):
    """Return the cells of ``tops``, all different, with fewer than ``limit`` rows: top, bitmap and number of rows."""
    many = tops.size
    order, counts = np.arange(many), np.empty(64, np.int64)
    stack, depth = np.empty((many + 1, 4), np.int64), min(1, many)
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, many, 0, weights.size
    slots, stamp = np.zeros(16, np.uint64), np.uint64(0)
    index, table = np.empty(16, np.uint64), np.zeros(1 << TABLE, np.int64)
    cells, found = make_cells(np.empty(1024, np.uint64)), 0
    while depth:
        depth -= 1
        low, high, start, stop = stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3]
        keep = np.uint64(0)
        for at in range(low, high):
            keep |= tops[order[at]]
        # Room for the rows of this part, and behind them for those of one top.
        if 3 * stop - 2 * start > weights.size:
            maps, weights = grow(maps, 2 * (3 * stop - 2 * start)), grow(weights, 2 * (3 * stop - 2 * start))
        size = size_table(stop - start)
        if slots.size < size:
            slots, index = np.zeros(size, np.uint64), np.empty(size, np.uint64)
        stamp += ONE
        end = np.int64(project(maps, weights, np.uint64(start), np.uint64(stop), keep, slots, stamp))
        if high - low > FEW:
            middle = split(tops, order, low, high, counts)
            stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3] = middle, high, stop, end
            depth += 2
            stack[depth - 1, 0], stack[depth - 1, 1], stack[depth - 1, 2], stack[depth - 1, 3] = low, middle, stop, end
            continue
        for at in range(low, high):
            top = tops[order[at]]
            size = np.int64(popcount(top))
            small = size <= TABLE and 1 << size <= 4 * (end - stop)
            if small:
                tally(maps, weights, stop, end, top, index, table)
                size = np.int64(1) << size
            else:
                stamp += ONE
                size = np.int64(project(maps, weights, np.uint64(stop), np.uint64(end), top, slots, stamp)) - end
            cells = grow_cells(cells, found + size)
            for cell in range(size):
                held = table[cell] if small else weights[end + cell]
                if 0 < held < limit:
                    cells.tops[found], cells.counts[found] = order[at], held
                    cells.maps[found] = spread(np.uint64(cell), top) if small else maps[end + cell]
                    found += 1
                if small:
                    table[cell] = 0
    return trim(cells, found)


@jit
def write_bases(maps, tops, offsets, items, place, base_offsets, bases):
    """Write the items of each cell: those of its top, ``items[offsets[t]:offsets[t + 1]]``, whose bits are set.

    Bitmaps are of some words. ``place[item]`` is the bit of an item; if it is empty, a top's j-th item has bit j.
    """
    entry = base_offsets[0] = 0
    for cell in range(tops.size):
        first = offsets[tops[cell]]
        for at in range(first, offsets[tops[cell] + 1]):
            bit = place[items[at]] if place.size else at - first
            if maps[cell, bit >> 6] >> np.uint64(bit & 63) & ONE:
                bases[entry] = items[at]
                entry += 1
        base_offsets[cell + 1] = entry
    return entry


@jit
def find_implications(cells, base_offsets, bases, top_offsets, top_items, many, most):
    """Return bases, laid flat, the item that each implies, and whether there are more than ``most``; each once.

    ``cells`` are the tops of all cells, in rising order, with their bases; a top has at most 64 of ``many`` items.
    """
    tops = top_offsets.size - 1
    held = np.zeros((many, (tops + 63) >> 6), np.uint64)
    for top in range(tops):
        for at in range(top_offsets[top], top_offsets[top + 1]):
            held[top_items[at], top >> 6] |= ONE << np.uint64(top & 63)
    offsets, items, found_bases = np.zeros(1025, np.int64), np.empty(1024, np.int32), np.empty(4096, np.int32)
    maps, edges, place = np.empty(64, np.uint64), np.empty(64, np.uint64), np.empty(many, np.int64)
    found = entries = cell = 0
    for top in range(tops):
        first, last = top_offsets[top], top_offsets[top + 1]
        for at in range(first, last):
            place[top_items[at]] = at - first
        size = 0
        while cell < cells.size and cells[cell] == top:
            if size == maps.size:
                maps, edges = grow(maps, 2 * size), grow(edges, 2 * size)
            maps[size] = 0
            for at in range(base_offsets[cell], base_offsets[cell + 1]):
                maps[size] |= ONE << np.uint64(place[bases[at]])
            size += 1
            cell += 1
        full = ~np.uint64(0) >> np.uint64(64 - (last - first)) if last > first else np.uint64(0)
        for item in range(last - first):
            bit, lacking = ONE << np.uint64(item), 0
            for number in range(size):
                if not maps[number] & bit:
                    edges[lacking] = full & ~maps[number] & ~bit
                    lacking += 1
            for hit in find_transversals(edges, keep_smallest(edges, lacking)):
                if not is_first(held, top_items, first, hit | bit, top):
                    continue
                if found == most:
                    return offsets[: found + 1].copy(), found_bases[:entries].copy(), items[:found].copy(), True
                if found == items.size:
                    offsets, items = grow(offsets, 2 * found + 1), grow(items, 2 * found)
                if entries + 64 > found_bases.size:
                    found_bases = grow(found_bases, 2 * (entries + 64))
                bits = hit
                while bits:
                    found_bases[entries] = top_items[first + lowest_bit(bits)]
                    entries += 1
                    bits &= bits - ONE
                items[found] = top_items[first + item]
                found += 1
                offsets[found] = entries
    return offsets[: found + 1].copy(), found_bases[:entries].copy(), items[:found].copy(), False


@inner
def keep_smallest(edges, size):
    """Move the edges that hold no other one to the front, smaller ones first; return how many."""
    kept, others = 0, edges[:size].copy()
    for bits in range(65):
        for edge in others:
            if popcount(edge) == bits and is_minimal(edges, kept, edge):
                edges[kept] = edge
                kept += 1
    return kept


@inner
def is_minimal(others, size, bits):
    """Return whether none of ``others[:size]`` is part of ``bits``."""
    for other in range(size):
        if others[other] & bits == others[other]:
            return False
    return True


@inner
def find_transversals(edges, size):
    """Return the minimal itemsets that meet each edge: edge by edge, those that miss it take one of its items more."""
    hits = np.zeros(1, np.uint64)
    for number in range(size):
        edge, kept = edges[number], 0
        meeting = np.empty(hits.size, np.uint64)
        for hit in hits:
            if hit & edge:
                meeting[kept] = hit
                kept += 1
        longer, many = np.empty(kept + (hits.size - kept) * np.int64(popcount(edge)), np.uint64), kept
        copy(meeting, 0, kept, longer, 0)
        for hit in hits:
            bits = np.uint64(0) if hit & edge else edge
            while bits:
                wider = hit | (bits & ~(bits - ONE))
                bits &= bits - ONE
                if is_minimal(longer, kept, wider):
                    longer[many] = wider
                    many += 1
        hits = longer[:many].copy()
    return hits


@inner
def is_first(held, items, first, bits, top):
    """Return whether no top before ``top`` has all items whose bits are set; bit 0 is the item at ``first``."""
    for word in range((top >> 6) + 1):
        tops, rest = ~np.uint64(0), bits
        while rest and tops:
            tops &= held[items[first + lowest_bit(rest)], word]
            rest &= rest - ONE
        if tops:
            return (word << 6) + lowest_bit(tops) == top
    return True
