"""Kernels that search for itemsets in a frame.

A *frame* is a part of the rows restricted to a part of the items, as bitmaps: one bit per row, one strip of 64-bit
words per item. Equal rows are merged; a merged row of weight 13 = 8 + 4 + 1 has a bit in the words of weight 8, of
weight 4 and of weight 1, so that a support is a sum of shifted bit counts.

A *menu* is the list of items at one level of the search: first the excluded ones (the itemsets with them are found
elsewhere; they only decide whether an itemset is closed or maximal), then those to extend with, the rarest first. The
child at place p of a menu excludes all places before p and goes on with those behind it. So each itemset is met once,
in any order of the items, and no store of results is needed.

``names`` are the items at the places of a frame. ``control`` is shared with the caller (see common.py).
"""

from typing import NamedTuple

import numpy as np

from discreet.kernels.common import DONE, HEAD, INNER, ONE, PART, STOP, jit, make_room, popcount, write

FREQUENT, CLOSED, MAXIMAL, UNEXTENDED = 0, 1, 2, 3
KNOWN = 8
NONE = np.uint64(0)


class Stack(NamedTuple):
    """The levels of a search: for each its rows, menu, supports, next place, last place and length of the itemset."""

    rows: np.ndarray
    menus: np.ndarray
    held: np.ndarray
    place: np.ndarray
    stop: np.ndarray
    lengths: np.ndarray


class Memory(NamedTuple):
    """Remembered maximal itemsets: bitmaps of those that hold each item, and each level's itemset; and scratch."""

    tops: np.ndarray
    known: np.ndarray
    scratch: np.ndarray
    local: np.ndarray
    places: np.ndarray


# Views of arrays are not kept in variables inside loops: Numba would count references at each turn.


@jit
def weigh(rows, depth, maps, item, shifts):
    """Return the weight of the rows at level ``depth`` that hold ``item``."""
    weight = np.int64(0)
    for w in range(shifts.size):
        weight += np.int64(popcount(rows[depth, w] & maps[item, w])) << shifts[w]
    return weight


@jit
def is_within(rows, depth, maps, item):
    """Return whether every row at level ``depth`` holds ``item``."""
    for w in range(rows.shape[1]):
        if rows[depth, w] & ~maps[item, w]:
            return False
    return True


@jit
def narrow(rows, depth, maps, item):
    """Write to level ``depth`` + 1 the rows of level ``depth`` that hold ``item``."""
    for w in range(rows.shape[1]):
        rows[depth + 1, w] = rows[depth, w] & maps[item, w]


@jit
def build_stack(words, levels, menu, length):
    """Return the stack of a search that goes down so many ``levels``."""
    items = menu.items
    rows, menus = np.empty((levels, words), np.uint64), np.empty((levels, items.size), np.int32)
    held, lengths = np.empty((levels, items.size), np.int64), np.empty(levels, np.int64)
    place, stop = np.empty(levels, np.int64), np.empty(levels, np.int64)
    rows[0], menus[0], held[0] = ~NONE, items, menu.counts
    place[0], stop[0], lengths[0] = menu.start, items.size, length
    return Stack(rows, menus, held, place, stop, lengths)


@jit
def advance(place, stop, depth, last, control):
    """Return the next place at ``depth``, or -1. Report places done at the top, and thousandths of the next level."""
    here = place[depth]
    if here == stop[depth] or (depth == 0 and here == last):
        return -1
    place[depth] += 1
    if depth == 0 and not control[INNER]:
        control[DONE], control[PART] = place[0], 0
    elif depth == 1 and not control[INNER]:
        control[PART] = 1000 - 1000 * (stop[1] - place[1]) // stop[1]
    return here


@jit
def take_in(maps, shifts, rows, menus, held, depth, here, end, least, names, itemset, size):
    """Add the item at ``here`` to the itemset, and those behind it in all of its rows, which go to the next level.

    Write the other frequent ones to the next level's menu, from ``here`` on. Return the new size of the itemset, or 0
    if an excluded item is in all rows, and where the menu ends.
    """
    narrow(rows, depth, maps, menus[depth, here])
    for place in range(here):
        if held[depth, place] >= held[depth, here] and is_within(rows, depth + 1, maps, menus[depth, place]):
            return np.int64(0), here
    itemset[size] = names[menus[depth, here]]
    size += 1
    free = here
    for other in range(here + 1, end):
        item = menus[depth, other]
        count = weigh(rows, depth + 1, maps, item, shifts)
        if count == held[depth, here]:
            itemset[size] = names[item]
            size += 1
        elif count >= least:
            menus[depth + 1, free], held[depth + 1, free] = item, count
            free += 1
    return size, free


@jit
def is_extended(maps, shifts, rows, level, menus, depth, here, least):
    """Return whether an item before ``here`` in the menu at ``depth`` is in ``least`` of the rows at ``level``."""
    for place in range(here):
        if weigh(rows, level, maps, menus[depth, place], shifts) >= least:
            return True
    return False


@jit
def exclude(maps, shifts, rows, menus, held, depth, here, free, least):
    """Complete the menu at ``depth`` + 1: put the places before ``here`` that are still frequent in front, as excluded.

    Those from ``here`` to ``free`` move behind them, by rising count, else in their order. Return where these start.
    """
    below, kept = depth + 1, 0
    for place in range(here):
        count = weigh(rows, below, maps, menus[depth, place], shifts)
        if count >= least:
            menus[below, kept], held[below, kept] = menus[depth, place], count
            kept += 1
    for place in range(here, free):
        item, count, at = menus[below, place], held[below, place], kept + place - here
        while at > kept and held[below, at - 1] > count:
            menus[below, at], held[below, at] = menus[below, at - 1], held[below, at - 1]
            at -= 1
        menus[below, at], held[below, at] = item, count
    return kept


# The steps below return when the stream is full, and ``search`` makes room: replacing an array inside a loop would
# cost time at each turn.


@jit
def step_frequent(frame, stack, last, names, itemset, goal, depth, stream, at, control):
    """Find frequent itemsets from ``depth`` on; return the depth and where the next record goes."""
    maps, shifts, _ = frame
    rows, menus, held, place, stop, lengths = stack
    least, shortest, longest = goal
    full = stream.size - itemset.size - HEAD
    while depth >= 0 and at <= full and not control[STOP]:
        here, end, size = advance(place, stop, depth, last, control), stop[depth], lengths[depth] + 1
        if here < 0:
            depth -= 1
            continue
        itemset[size - 1] = names[menus[depth, here]]
        if size >= shortest:
            at = write(stream, at, itemset, size, held[depth, here], control)
        if size == longest or here + 1 == end:
            continue
        narrow(rows, depth, maps, menus[depth, here])
        free = 0
        for other in range(here + 1, end):
            count = weigh(rows, depth + 1, maps, menus[depth, other], shifts)
            if count >= least:
                menus[depth + 1, free], held[depth + 1, free] = menus[depth, other], count
                free += 1
        depth += 1
        place[depth], stop[depth], lengths[depth] = 0, free, size
    return depth, at


@jit
def step_closed(frame, stack, last, names, itemset, goal, whole, depth, stream, at, control):
    """Find closed itemsets from ``depth`` on; return the depth and where the next record goes.

    An itemset is closed when no item outside it is in all of its rows. Items behind it in the menu are taken in
    (closure); if one that is excluded is in all of its rows, the itemset and all above it here belong elsewhere. Where
    ``whole`` is set, only those are written that no item extends to a frequent itemset.
    """
    maps, shifts, _ = frame
    rows, menus, held, place, stop, lengths = stack
    least, _, longest = goal
    full = stream.size - itemset.size - HEAD
    while depth >= 0 and at <= full and not control[STOP]:
        here, end, size = advance(place, stop, depth, last, control), stop[depth], lengths[depth]
        if here < 0:
            depth -= 1
            continue
        size, free = take_in(maps, shifts, rows, menus, held, depth, here, end, least, names, itemset, size)
        if size == 0:
            continue
        wide = whole and (free > here or is_extended(maps, shifts, rows, depth + 1, menus, depth, here, least))
        if size <= longest and not wide:
            at = write(stream, at, itemset, size, held[depth, here], control)
        if free == here or size >= longest:
            continue
        kept = exclude(maps, shifts, rows, menus, held, depth, here, free, least)
        depth += 1
        lengths[depth], place[depth], stop[depth] = size, kept, kept + free - here
    return depth, at


@jit
def is_covered(known, tops, scratch, words, menus, depth, start, stop):
    """Return whether a maximal itemset known at ``depth`` holds the menu there from ``start`` to ``stop``."""
    for w in range(words):
        scratch[w] = known[depth, w]
    for place in range(start, stop):
        left = NONE
        for w in range(words):
            scratch[w] &= tops[menus[depth, place], w]
            left |= scratch[w]
        if left == NONE:
            return False
    return words > 0


@jit
def step_maximal(frame, stack, memory, last, names, prefix, least, depth, found, stream, at, control):
    """Find maximal itemsets from ``depth`` on; return the depth, how many are remembered, where the next record goes.

    An itemset is maximal when no other item is in ``least`` of its rows; excluded items count. A branch is left when
    the largest itemset it can reach is part of a maximal itemset that is remembered; when that largest one is frequent,
    it is taken at once.
    """
    maps, shifts, _ = frame
    rows, menus, held, place, stop, lengths = stack
    tops, known, scratch, local, places = memory
    itemset, length = prefix
    full = stream.size - itemset.size - HEAD
    while depth >= 0 and at <= full and not control[STOP]:
        here, end, size = advance(place, stop, depth, last, control), stop[depth], lengths[depth]
        if here < 0:
            depth -= 1
            continue
        words = (found + 63) >> 6
        if is_covered(known, tops, scratch, words, menus, depth, here, end):
            place[depth] = end
            continue
        size, free = take_in(maps, shifts, rows, menus, held, depth, here, end, least, places, local, size)
        if size == 0:
            continue
        for w in range(words):
            known[depth + 1, w] = known[depth, w]
            for i in range(lengths[depth], size):
                known[depth + 1, w] &= tops[local[i], w]
        if free > here and is_covered(known, tops, scratch, words, menus, depth + 1, here, free):
            continue
        for w in range(shifts.size):
            rows[depth + 2, w] = rows[depth + 1, w]
        reach, support = size + free - here, np.int64(0)
        for i in range(size, reach):
            local[i] = menus[depth + 1, here + i - size]
            for w in range(shifts.size):
                rows[depth + 2, w] &= maps[local[i], w]
        for w in range(shifts.size):
            support += np.int64(popcount(rows[depth + 2, w])) << shifts[w]
        if support < least:
            kept = exclude(maps, shifts, rows, menus, held, depth, here, free, least)
            depth += 1
            lengths[depth], place[depth], stop[depth] = size, kept, kept + free - here
            continue
        if is_extended(maps, shifts, rows, depth + 2, menus, depth, here, least):
            continue
        for i in range(reach):
            itemset[length + i] = names[local[i]]
        at = write(stream, at, itemset, length + reach, support, control)
        if found == 64 * KNOWN:
            # Remembering more would cost more than it saves; the result does not depend on it.
            tops[:], known[:], found = NONE, NONE, 0
        bit = ONE << np.uint64(found & 63)
        for i in range(reach):
            tops[local[i], found >> 6] |= bit
        for level in range(depth + 1):
            known[level, found >> 6] |= bit
        found += 1
    return depth, found, at


@jit
def search(kind, frame, menu, names, prefix, goal, stream, at, control):
    """Append to ``stream`` the itemsets of this ``kind`` that extend the prefix; return it and where the next goes."""
    itemset, length = prefix
    stack = build_stack(frame.shifts.size, frame.longest + 3, menu, 0 if kind == MAXIMAL else length)
    many, levels = (frame.maps.shape[0], frame.longest + 3) if kind == MAXIMAL else (0, 0)
    tops, known = np.zeros((many, KNOWN), np.uint64), np.zeros((levels, KNOWN), np.uint64)
    local, places = np.empty(itemset.size, np.int32), np.arange(many).astype(np.int32)
    memory = Memory(tops, known, np.empty(KNOWN, np.uint64), local, places)
    depth = found = 0
    while depth >= 0 and not control[STOP]:
        stream = make_room(stream, at, itemset.size, control)
        if kind == FREQUENT:
            depth, at = step_frequent(frame, stack, menu.stop, names, itemset, goal, depth, stream, at, control)
        elif kind == MAXIMAL:
            depth, found, at = step_maximal(
                frame, stack, memory, menu.stop, names, prefix, goal.least, depth, found, stream, at, control
            )
        else:
            whole = kind == UNEXTENDED
            depth, at = step_closed(frame, stack, menu.stop, names, itemset, goal, whole, depth, stream, at, control)
    return stream, at
