"""Kernels on closed itemsets with supports: the cells of tops (maximal itemsets) by Möbius inversion.

Itemset ``i`` is ``items[offsets[i]:offsets[i + 1]]``, in dictionary order, with ``supports[i]``. A cell of a top is a
bitmap of its items: bit ``j`` is the top's ``j``-th item.
"""

import numpy as np
from numba import njit

from discreet.kernels.common import ONE, grow, lowest_bit

jit = njit(cache=True, nogil=True)

TWO = np.uint64(2)


@jit
def plant(offsets, items):
    """Return the trie of the itemsets, its nodes in dictionary order: item, depth, end, skip.

    The end is the number of the itemset that ends there, from 1 on, or 0; skip is the first node that is not below.
    The empty itemset has no node. All are unsigned: Numba checks the sign of a signed index at each use.
    """
    nodes, longest = 0, 0
    for number in range(offsets.size - 1):
        length = offsets[number + 1] - offsets[number]
        longest, nodes = max(longest, length), nodes + length
        if number:
            before, same = offsets[number - 1], 0
            while before + same < offsets[number] and items[before + same] == items[offsets[number] + same]:
                same += 1
            nodes -= same
    node_items, depths = np.empty(nodes, np.uint32), np.empty(nodes, np.uint64)
    ends, skips = np.zeros(nodes, np.uint64), np.empty(nodes, np.uint64)
    path = np.empty(longest + 1, np.int64)
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
            node_items[size] = items[first + depth]
            depths[size] = depth
            path[depth] = size
            depth += 1
            size += 1
        if length:
            ends[size - 1] = number + 1
    while depth > 0:
        depth -= 1
        skips[path[depth]] = size
    return node_items, depths, ends, skips


@jit
def gather_tops(offsets, items, tops, start, holders, place, chosen):
    """Return where a batch of tops from ``start`` on ends, and how many items it has: at most 64 of each.

    Each of its items gets a ``place``, a bit for each of its tops in ``holders``, and is written to ``chosen``.
    """
    stop, size = start, np.uint64(0)
    while stop < tops.size and stop - start < 64:
        first, last = np.uint64(offsets[tops[stop]]), np.uint64(offsets[tops[stop] + 1])
        more = np.uint64(0)
        for at in range(first, last):
            more += np.uint64(holders[np.uint32(items[at])] == 0)
        if size + more > np.uint64(64):
            break
        bit = ONE << np.uint64(stop - start)
        for at in range(first, last):
            item = np.uint32(items[at])
            if holders[item] == 0:
                place[item] = size
                chosen[size] = item
                size += ONE
            holders[item] |= bit
        stop += 1
    return stop, np.int64(size)


@jit
def order_from_above(trie, many):
    """Return the turn of each of ``many`` itemsets, by its end, so that its supersets come first; the last is for 0.

    It is the order in which a walk through the trie leaves them: of two that part at some depth, only the one with the
    smaller item there can be a superset of the other.
    """
    _, depths, ends, _ = trie
    size, depth, deepest = np.uint64(0), np.uint64(0), np.uint64(0)
    for node in range(depths.size):
        deepest = max(deepest, depths[node])
    places, path = np.full(many + 1, many, np.uint64), np.zeros(deepest + ONE, np.uint64)
    for node in range(ends.size):
        while depth > depths[node]:
            depth -= ONE
            places[path[depth]] = size
            size += np.uint64(path[depth] > 0)
        path[depth] = ends[node]
        depth += ONE
    while depth > 0:
        depth -= ONE
        places[path[depth]] = size
        size += np.uint64(path[depth] > 0)
    places[0] = many
    return places


@jit
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
        above[depth + ONE] = alive
        prefixes[depth + ONE] = prefix
        # Free of branches: where no itemset ends, the spare last turn is written.
        turn = turns[end]
        alive_tops[turn] = alive
        maps[turn] = prefix
        counts[turn] = supports[end]
        node = node + ONE if alive else skips[node]
    alive_tops[alive_tops.size - 1] = 0


@jit
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
            maps[starts[top]] = stream_maps[entry]
            counts[starts[top]] = stream_counts[entry]
            starts[top] += ONE
            alive &= alive - ONE
    return maps, counts


@jit
def invert(maps, counts, first, last):
    """Turn the supports from ``first`` to ``last`` into cells; return the sum of their rows.

    A support is the sum of the cells above it, so a cell is its support less those. The itemsets must be all
    intersections of the top with a row, but for the empty one, each after its supersets.
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
    found, met, room = np.uint64(0), np.uint64(0), np.uint64(1024)
    found_tops, found_maps = np.empty(room, np.int32), np.empty(room, np.uint64)
    found_counts = np.empty(room, np.int64)
    start = 0
    while start < tops.size:
        stop, used = gather_tops(offsets, items, tops, start, holders, place, chosen)
        walk(trie, supports, holders, place, turns, paths, stream)
        maps, counts = deal(stream, starts, maps, counts)
        met += starts[64]
        for number in range(start, stop):
            begin, end = starts[number - start], starts[number - start + 1]
            rest = supports[0] - invert(maps, counts, begin, end)
            if found + (end - begin) >= room:
                room = TWO * (found + (end - begin))
                found_tops, found_counts = grow(found_tops, room), grow(found_counts, room)
                found_maps = grow(found_maps, room)
            before = found
            for at in range(begin, end):
                # Free of branches: a cell that is not small is overwritten.
                found_maps[found] = maps[at]
                found_counts[found] = counts[at]
                found += np.uint64((counts[at] != 0) & (counts[at] < limit))
            if supports[0] != 0 and rest != 0 and rest < limit:
                found_maps[found] = 0
                found_counts[found] = rest
                found += ONE
            first, last = offsets[tops[number]], offsets[tops[number] + 1]
            for cell in range(before, found):
                found_tops[cell] = number
                found_maps[cell] = pack_cell(found_maps[cell], items, first, last, place)
        for at in range(used):
            holders[chosen[at]] = 0
        start = stop
    return found_tops[:found].copy(), found_maps[:found].copy(), found_counts[:found].copy(), np.int64(met)


@jit
def pack_cell(cell, items, first, last, place):
    """Return a bitmap over ``place`` as one over the items of a top."""
    bits = np.uint64(0)
    for at in range(first, last):
        bits |= (cell >> place[items[at]] & ONE) << np.uint64(at - first)
    return bits
