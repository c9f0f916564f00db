"""Kernels of blocking: the search for safe itemsets, and the itemsets that cover channels.

A safe itemset has no cell of 1 to k - 1 rows. A cell of an itemset is the set of rows that hold the same of its items;
these rows share a label. Each further item splits the cells in two. Under each first item the rows are bitmaps of the
items that may still follow. On the way down rows lose the items that may not, and equal rows of a cell are merged, so
that few are left near the leaves, where most of the work is.

Items are places in a menu; rows are laid flat, merged and weighted, and each item has a list of its rows. Places in
arrays are unsigned where speed counts, as in cells.py. In a cover, tops have at most 64 items, and channels stand top
by top, as bitmaps: bit ``j`` is the top's ``j``-th item.
"""

import numpy as np

from discreet.kernels.common import inner, jit, make_room, size_table, write
from discreet.kernels.shapes import DONE, ONE, STOP
from discreet.kernels.words import grow, lowest_bit, mix

ALL, LOW, SIX, HALF = ~np.uint64(0), np.uint64(63), np.uint64(6), np.uint64(32)


@inner
def is_small(count, k):
    """Return whether a cell holds from 1 to k − 1 rows."""
    return 0 < count < k


@inner
def find_partners(rows, lists, weights, supports, first, goal, counts, menu, held):
    """Write the items behind ``first`` that are safe with it, and supports; return how many. ``counts`` stay 0."""
    (offsets, items), (list_offsets, listed) = rows, lists
    (least, k, n, _), size = goal, 0
    for at in range(list_offsets[first], list_offsets[first + 1]):
        row = listed[at]
        for entry in range(offsets[row], offsets[row + 1]):
            counts[items[entry]] += weights[row]
    for item in range(first + 1, supports.size):
        both = counts[item]
        rest = n - supports[first] - supports[item] + both
        small = is_small(supports[first] - both, k) or is_small(supports[item] - both, k) or is_small(rest, k)
        if both >= max(least, k) and not small:
            menu[size], held[size] = item, both
            size += 1
    counts[:] = 0
    return size


@inner
def gather_rows(lists, weights, n, first, menu, size, slots, labels, heaps, maps):
    """Write the rows with ``first`` or an item of the menu as bitmaps of it, and one for all others; return how many.

    Labels are 1 with ``first`` and 0 without, weights ``heaps``. ``slots`` is -1 for every row, before and after.
    """
    (offsets, listed), many, total = lists, 0, n
    for place in range(-1, size):
        item = first if place < 0 else menu[place]
        for at in range(offsets[item], offsets[item + 1]):
            row = listed[at]
            if slots[row] < 0:
                slots[row], labels[many], heaps[many], maps[many] = many, place < 0, weights[row], 0
                total -= weights[row]
                many += 1
            if place >= 0:
                maps[slots[row], place >> 6] |= ONE << np.uint64(place & 63)
    for place in range(-1, size):
        item = first if place < 0 else menu[place]
        for at in range(offsets[item], offsets[item + 1]):
            slots[listed[at]] = -1
    if total > 0:
        labels[many], heaps[many], maps[many] = 0, total, 0
        many += 1
    return many


@inner
def part(start, stop, place, labels, heaps, maps, words, renamed, parted, totals, table, many):
    """Part the cells of the rows from ``start`` to ``stop`` by the item at ``place``; return how many there are then.

    Write the new label of each row to ``parted``, the weight of each cell to ``totals``, and to ``table``, line by
    line, how much of it holds each of the ``many`` items behind the place. ``renamed`` is -1, before and after.
    """
    word, bit, cells = place >> SIX, place & LOW, np.uint64(0)
    for row in range(start, stop):
        key = (labels[row] << ONE) | ((maps[row, word] >> bit) & ONE)
        if renamed[key] < 0:
            renamed[key], totals[cells] = np.int64(cells), 0
            for at in range(cells * many, (cells + ONE) * many):
                table[at] = 0
            cells += ONE
        label = np.uint64(renamed[key])
        parted[row] = label
        totals[label] += heaps[row]
        for w in range(word, words):
            bits = maps[row, w]
            if w == word:
                bits &= ALL << bit << ONE
            while bits:
                table[label * many + (w << SIX) + np.uint64(lowest_bit(bits))] += heaps[row]
                bits &= bits - ONE
    for row in range(start, stop):
        renamed[labels[row] << ONE] = renamed[(labels[row] << ONE) | ONE] = -1
    return cells


@inner
def project(start, stop, end, parted, labels, heaps, maps, words, moved, slots, stamp):
    """Write the rows from ``start`` to ``stop`` to ``end`` and on, with their new labels and the items left, merged.

    ``moved`` has the new places of items (-1: left out); ``slots`` are a hash table as in cells.py. Return their end.
    """
    low = np.uint64(size_table(np.int64(stop - start)) - 1)
    for row in range(start, stop):
        key = mix(parted[row])
        for w in range(maps.shape[1]):
            maps[end, w] = 0
        for w in range(words):
            bits = maps[row, w]
            while bits:
                place = moved[(w << SIX) + np.uint64(lowest_bit(bits))]
                bits &= bits - ONE
                if place >= 0:
                    maps[end, place >> 6] |= ONE << np.uint64(place & 63)
        for w in range(words):
            key = mix(key ^ maps[end, w])
        slot = key & low
        while True:
            held = slots[slot]
            if held >> HALF != stamp:
                slots[slot] = (stamp << HALF) | end
                labels[end], heaps[end] = parted[row], heaps[row]
                end += ONE
                break
            other = held & np.uint64(0xFFFFFFFF)
            same = labels[other] == parted[row]
            for w in range(words):
                same &= maps[other, w] == maps[end, w]
            if same:
                heaps[other] += heaps[row]
                break
            slot = (slot + ONE) & low
    return end


@inner
def find_survivors(cells, many, place, whole, totals, table, least, k, menus, helds, depth, moved):
    """Write the items behind ``place`` that keep all cells safe to the next menu, and all new places to ``moved``."""
    size = 0
    for item in range(many):
        support = np.int64(table[whole * many + item]) if item > place else np.int64(-1)
        if support >= least:
            for cell in range(cells):
                count = table[cell * many + item]
                if is_small(count, k) or is_small(totals[cell] - count, k):
                    support = np.int64(-1)
                    break
        moved[item] = size if support >= least else -1
        if support >= least:
            menus[depth + 1, size], helds[depth + 1, size] = menus[depth, item], support
            size += 1
    return size


@inner
def append(stream, at, itemset, length, support, control):
    """Write one record at ``at``; return the stream and where the next one goes. Set STOP at a limit."""
    stream = make_room(stream, at, length, control)
    return stream, write(stream, at, itemset, length, support, control)


@jit
def withhold(rows, lists, weights, supports, start, stop, goal, stream, control):
    """Write the safe itemsets whose first item is one from ``start`` to ``stop``; return the stream and its end.

    All items are safe alone. The goal is least support, k, number of rows, and the most items of an itemset, 1 or more.
    All subsets of a safe itemset are safe.
    """
    many, at = supports.size, 0
    itemset, counts = np.empty(many + 1, np.int32), np.zeros(many, np.int64)
    menu, held = np.empty(many, np.int32), np.empty(many, np.int64)
    slots = np.full(weights.size, -1, np.int64)
    for first in range(start, stop):
        control[DONE] = first + 1
        itemset[0] = first
        stream, at = append(stream, at, itemset, 1, supports[first], control)
        if control[STOP]:
            break
        if goal[3] == 1:
            continue
        size = find_partners(rows, lists, weights, supports, first, goal, counts, menu, held)
        if size == 1 or goal[3] == 2:
            for place in range(size):
                itemset[1] = menu[place]
                stream, at = append(stream, at, itemset, 2, held[place], control)
        elif size:
            below = (menu[:size], held[:size])
            stream, at = descend(lists, weights, first, below, goal, itemset, slots, stream, at, control)
    return stream, at


@inner
def descend(lists, weights, first, below, goal, itemset, slots, stream, at, control):
    """Write the safe itemsets of ``first`` and items ``below``, each safe with it; return the stream and its end."""
    (least, k, n, longest), (menu, held), offsets = goal, below, lists[0]
    room = offsets[first + 1] - offsets[first] + 2
    for item in menu:
        room += offsets[item + 1] - offsets[item]
    room = min(room, weights.size + 2)
    words = np.uint64((menu.size + 63) >> 6)
    labels, heaps = np.empty(2 * room, np.uint64), np.empty(2 * room, np.int64)
    maps, moved = np.empty((2 * room, np.int64(words)), np.uint64), np.arange(menu.size)
    start = np.uint64(gather_rows(lists, weights, n, first, menu, menu.size, slots, labels, heaps, maps))
    hashes, stamp = np.zeros(size_table(np.int64(start)), np.uint64), np.uint64(1)
    end = project(np.uint64(0), start, start, labels, labels, heaps, maps, words, moved, hashes, stamp)
    # Levels: the items to go on with and their supports, how many, which is next, the rows, how many cells they are
    # in, and the label of those that hold the itemset so far.
    menus, helds = np.empty((4, menu.size), np.int32), np.empty((4, menu.size), np.int64)
    for place in range(menu.size):
        menus[0, place], helds[0, place] = menu[place], held[place]
    sizes, places = np.zeros(menu.size + 1, np.int64), np.zeros(menu.size + 1, np.int64)
    starts, ends = np.zeros(menu.size + 1, np.uint64), np.zeros(menu.size + 1, np.uint64)
    cells, wholes = np.zeros(menu.size + 1, np.uint64), np.zeros(menu.size + 1, np.uint64)
    sizes[0], starts[0], ends[0], wholes[0], cells[0] = menu.size, start, end, 1, 2
    renamed, totals, table = np.full(4, -1, np.int64), np.empty(4, np.int64), np.empty(4 * menu.size, np.int64)
    parted, depth = np.empty(labels.size, np.uint64), 0
    while depth >= 0:
        place = places[depth]
        if control[STOP] or place == sizes[depth]:
            depth -= 1
            continue
        places[depth] += 1
        itemset[depth + 1] = menus[depth, place]
        stream, at = append(stream, at, itemset, depth + 2, helds[depth, place], control)
        if place + 1 == sizes[depth] or depth + 2 == longest:
            continue
        if depth + 1 == menus.shape[0]:
            menus, helds = grow(menus, 2 * (depth + 1)), grow(helds, 2 * (depth + 1))
        low, high, width = starts[depth], ends[depth], np.uint64(sizes[depth])
        if renamed.size < 2 * cells[depth]:
            renamed, totals = np.full(4 * cells[depth], -1, np.int64), np.empty(4 * cells[depth], np.int64)
        if table.size < 2 * cells[depth] * width:
            table = np.empty(4 * cells[depth] * width, np.int64)
        if 2 * high - low > labels.size:
            wider = 2 * np.int64(2 * high - low)
            labels, heaps = grow(labels, wider), grow(heaps, wider)
            maps, parted = grow(maps, wider), grow(parted, wider)
        used = (width + LOW) >> SIX
        many = part(low, high, np.uint64(place), labels, heaps, maps, used, renamed, parted, totals, table, width)
        whole = np.uint64(0)
        for row in range(low, high):
            if labels[row] == wholes[depth] and (maps[row, place >> 6] >> np.uint64(place & 63)) & ONE:
                whole = parted[row]
                break
        size = find_survivors(many, width, place, whole, totals, table, least, k, menus, helds, depth, moved)
        if size == 1:
            itemset[depth + 2] = menus[depth + 1, 0]
            stream, at = append(stream, at, itemset, depth + 3, helds[depth + 1, 0], control)
        if size <= 1:
            continue
        stamp += ONE
        end = project(low, high, high, parted, labels, heaps, maps, used, moved, hashes, stamp)
        depth += 1
        sizes[depth], places[depth], wholes[depth] = size, 0, whole
        starts[depth], ends[depth], cells[depth] = high, end, many
    return stream, at


@jit
def map_bases(top_offsets, top_items, tops, base_offsets, bases, many):
    """Return the bases of channels as bitmaps of their tops."""
    place, maps = np.zeros(many, np.int64), np.zeros(tops.size, np.uint64)
    for channel in range(tops.size):
        first = top_offsets[tops[channel]]
        for at in range(first, top_offsets[tops[channel] + 1]):
            place[top_items[at]] = at - first
        for at in range(base_offsets[channel], base_offsets[channel + 1]):
            maps[channel] |= ONE << np.uint64(place[bases[at]])
    return maps


@jit
def cover(itemsets, channels, top_itemsets, many, most):
    """Return pairs (itemset, channel), at most ``most`` + 1, where the itemset meets the channel's top in its base."""
    (offsets, items), (tops, maps), (top_offsets, top_items) = itemsets, channels, top_itemsets
    place, pairs = np.full(many, -1, np.int64), np.empty((1024, 2), np.int64)
    found = start = 0
    while start < tops.size and found <= most:
        stop = start
        while stop < tops.size and tops[stop] == tops[start]:
            stop += 1
        first, last = top_offsets[tops[start]], top_offsets[tops[start] + 1]
        for at in range(first, last):
            place[top_items[at]] = at - first
        for number in range(offsets.size - 1):
            met = np.uint64(0)
            for at in range(offsets[number], offsets[number + 1]):
                if place[items[at]] >= 0:
                    met |= ONE << np.uint64(place[items[at]])
            for channel in range(start, stop):
                if maps[channel] == met:
                    if found == pairs.shape[0]:
                        pairs = grow(pairs, 2 * found)
                    pairs[found, 0], pairs[found, 1] = number, channel
                    found += 1
                    break
            if found > most:
                break
        for at in range(first, last):
            place[top_items[at]] = -1
        start = stop
    return pairs[:found].copy()
