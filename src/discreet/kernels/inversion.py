"""Kernels that compute the cells of tops from supports, by Möbius inversion.

Itemset ``i`` is ``items[offsets[i]:offsets[i + 1]]``, in dictionary order, with ``supports[i]``. A cell of a top is a
bitmap of its items: bit ``j`` is the top's ``j``-th item. These tops are closed and have at most 64 items;
open_tops.py does the same for others.
"""

import numpy as np

from discreet.kernels.common import grow_cells, inner, jit, make_cells, trim
from discreet.kernels.shapes import ONE
from discreet.kernels.words import lowest_bit

TWO = np.uint64(2)


@jit
def plant(offsets, items):
    """Return the trie of the itemsets, its nodes in dictionary order: item, depth, end, skip.

    The end is the number of the itemset that ends there, from 1 on, or 0; skip is the first node that is not below.
    The empty itemset has no node. All are unsigned: Numba checks the sign of a signed index at each use.
    """
    nodes = offsets[offsets.size - 1] - offsets[0]
    for number in range(1, offsets.size - 1):
        before = offsets[number - 1]
        step = offsets[number] - before
        while before < offsets[number] and items[before] == items[before + step]:
            before += 1
            nodes -= 1
    node_items, depths = np.empty(nodes, np.uint32), np.empty(nodes, np.uint64)
    ends, skips = np.zeros(nodes, np.uint64), np.empty(nodes, np.uint64)
    path = np.empty(nodes, np.int64)
    size = depth = 0
    for number in range(offsets.size - 1):
        first, length = offsets[number], offsets[number + 1] - offsets[number]
        same = 0
        while same < depth and same < length and node_items[path[same]] == items[first + same]:
            same += 1
        while depth > same:
            depth -= 1
            skips[path[depth]] = size
        while depth < length:
            node_items[size], depths[size], path[depth] = items[first + depth], depth, size
            depth += 1
            size += 1
        if length:
            ends[size - 1] = number + 1
    for node in path[:depth]:
        skips[node] = size
    return node_items, depths, ends, skips


@inner
def gather_tops(offsets, items, tops, start, holders, place, chosen):
    """Return where a batch of at most 64 tops and 64 items ends, and how many items; write their places and tops."""
    stop, size = start, np.uint64(0)
    while stop < tops.size and stop - start < 64:
        first, last = np.uint64(offsets[tops[stop]]), np.uint64(offsets[tops[stop] + 1])
        more = np.uint64(0)
        for at in range(first, last):
            more += np.uint64(holders[np.uint32(items[at])] == 0)
        if size + more > np.uint64(64):
            break
        for at in range(first, last):
            item = np.uint32(items[at])
            if holders[item] == 0:
                place[item], chosen[size] = size, item
                size += ONE
            holders[item] |= ONE << np.uint64(stop - start)
        stop += 1
    return stop, np.int64(size)


@inner
def order_from_above(trie, many):
    """Return the turn of each of ``many`` itemsets, by its end, so that its supersets come first; the last is for 0.

    A walk through the trie leaves them in this order: of two that part at some depth, only the one with the smaller
    item there can be a superset of the other.
    """
    _, depths, ends, _ = trie
    size, depth = np.uint64(0), np.uint64(0)
    places, path = np.full(many + 1, many, np.uint64), np.empty(depths.size, np.uint64)
    for node in range(ends.size + 1):
        while depth > (depths[node] if node < ends.size else np.uint64(0)):
            depth -= ONE
            places[path[depth]] = size
            size += np.uint64(path[depth] > 0)
        if node < ends.size:
            path[depth] = ends[node]
            depth += ONE
    places[0] = many
    return places


@inner
def walk(trie, supports, holders, place, turns, paths, stream):
    """Write the itemsets within any top of a batch to ``stream``, at their ``turns``: tops, bitmap, support.

    ``holders`` and ``place`` are those of ``gather_tops``, ``supports`` and ``turns`` by the ends of nodes. ``paths``
    has a line for each depth, tops and bitmap; the first is all tops and no item.
    """
    node_items, depths, ends, skips = trie
    above, prefixes = paths
    alive_tops, maps, counts = stream
    node, nodes = np.uint64(0), np.uint64(node_items.size)
    alive_tops[:] = 0
    while node < nodes:
        item, depth, end = node_items[node], depths[node], ends[node]
        alive = above[depth] & holders[item]
        prefix = prefixes[depth] | ONE << place[item]
        above[depth + ONE], prefixes[depth + ONE] = alive, prefix
        # Free of branches: where no itemset ends, the spare last turn is written.
        turn = turns[end]
        alive_tops[turn], maps[turn], counts[turn] = alive, prefix, supports[end]
        node = node + ONE if alive else skips[node]
    alive_tops[alive_tops.size - 1] = 0


@inner
def deal(stream, starts, maps, counts):
    """Give each top of a batch its itemsets: top ``t`` gets those from ``starts[t]`` to ``starts[t + 1]``."""
    alive_tops, stream_maps, stream_counts = stream
    starts[:] = 0
    for entry in range(np.uint64(alive_tops.size)):
        alive = alive_tops[entry]
        while alive:
            starts[np.uint64(lowest_bit(alive)) + TWO] += ONE
            alive &= alive - ONE
    for number in range(64):
        starts[number + 2] += starts[number + 1]
    if starts[65] > maps.size:
        maps, counts = np.empty(2 * starts[65], np.uint64), np.empty(2 * starts[65], np.int64)
    for entry in range(np.uint64(alive_tops.size)):
        alive = alive_tops[entry]
        while alive:
            top = np.uint64(lowest_bit(alive)) + ONE
            maps[starts[top]], counts[starts[top]] = stream_maps[entry], stream_counts[entry]
            starts[top] += ONE
            alive &= alive - ONE
    return maps, counts


@inner
def invert(maps, counts, first, last):
    """Turn the supports from ``first`` to ``last`` into cells, each its support less the cells above; return their sum.

    The itemsets must be all intersections of the top with a row, but for the empty one, each after its supersets.
    """
    total = np.int64(0)
    for number in range(first, last):
        count = counts[number]
        if count != 0:
            others = ~maps[number]
            for later in range(number + ONE, last):
                counts[later] -= count if maps[later] & others == 0 else 0
            total += count
    return total


@jit
def cells_of_closed(trie, offsets, items, supports, tops, many, limit):
    """Return the cells of ``tops`` with fewer than ``limit`` rows (top, bitmap, rows), and how many itemsets were met.

    Tops are numbers of closed itemsets of at most 64 of ``many`` items; ``supports`` starts with that of the empty
    itemset, or 0 if it is not listed. A row meets a closed itemset in a closed one, so the itemsets within a top are
    enough. A negative number of rows means that no rows can have these supports.
    """
    holders, place, chosen = np.zeros(many, np.uint64), np.zeros(many, np.uint64), np.empty(64, np.int64)
    paths = (np.full(66, ~np.uint64(0), np.uint64), np.zeros(66, np.uint64))
    turns = order_from_above(trie, supports.size - 1)
    stream = (np.empty(turns.size, np.uint64), np.empty(turns.size, np.uint64), np.empty(turns.size, np.int64))
    starts, maps, counts = np.empty(66, np.uint64), np.empty(1024, np.uint64), np.empty(1024, np.int64)
    cells, found, met, start = make_cells(np.empty(1024, np.uint64)), np.uint64(0), np.uint64(0), 0
    while start < tops.size:
        stop, used = gather_tops(offsets, items, tops, start, holders, place, chosen)
        walk(trie, supports, holders, place, turns, paths, stream)
        maps, counts = deal(stream, starts, maps, counts)
        met += starts[64]
        for number in range(start, stop):
            begin, end = starts[number - start], starts[number - start + 1]
            rest = supports[0] - invert(maps, counts, begin, end)
            cells = grow_cells(cells, np.int64(found + (end - begin) + ONE))
            bits, rows, before = cells.maps, cells.counts, found
            for at in range(begin, end):
                # Free of branches: a cell that is not small is overwritten.
                bits[found], rows[found] = maps[at], counts[at]
                found += np.uint64((counts[at] != 0) & (counts[at] < limit))
            if supports[0] != 0 and rest != 0 and rest < limit:
                bits[found], rows[found] = 0, rest
                found += ONE
            first, last = offsets[tops[number]], offsets[tops[number] + 1]
            for cell in range(before, found):
                cells.tops[cell] = number
                bits[cell] = pack_cell(bits[cell], items, first, last, place)
        for item in chosen[:used]:
            holders[item] = 0
        start = stop
    found_tops, found_maps, found_counts = trim(cells, found)
    return found_tops, found_maps, found_counts, np.int64(met)


@inner
def pack_cell(cell, items, first, last, place):
    """Return a bitmap over ``place`` as one over the items of a top."""
    bits = np.uint64(0)
    for at in range(first, last):
        bits |= (cell >> place[items[at]] & ONE) << np.uint64(at - first)
    return bits
