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

import numpy as np

from discreet.kernels.common import jit, make_room, write
from discreet.kernels.shapes import DONE, HEAD, INNER, ONE, PART, STOP, Memory, Stack
from discreet.kernels.words import popcount

FREQUENT, CLOSED, MAXIMAL, UNEXTENDED = 0, 1, 2, 3
KNOWN = 8
NONE = np.uint64(0)


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
def build_stack(words, deepest, menu, length):
    """Return the stack of a search that goes ``deepest`` levels down."""
    items, levels = menu.items, deepest + 2
    rows, menus = np.empty((levels, words), np.uint64), np.empty((levels, items.size), np.int32)
    held, lengths = np.empty((levels, items.size), np.int64), np.empty(levels, np.int64)
    place, stop = np.empty(levels, np.int64), np.empty(levels, np.int64)
    for w in range(words):
        rows[0, w] = ~NONE
    for i in range(items.size):
        menus[0, i], held[0, i] = items[i], menu.counts[i]
    place[0], stop[0], lengths[0] = menu.start, items.size, length
    return Stack(rows, menus, held, place, stop, lengths)


@jit
def report(place, stop, depth, control):
    """Report progress: places done at the top level, thousandths of the next level."""
    if control[INNER]:
        return
    if depth == 0:
        control[DONE], control[PART] = place[0], 0
    elif depth == 1:
        control[PART] = 1000 - 1000 * (stop[1] - place[1]) // stop[1]


@jit
def sort_menu(menus, held, depth, start, stop):
    """Sort the menu at ``depth`` from ``start`` to ``stop`` by rising count; equal counts keep their order."""
    for place in range(start + 1, stop):
        item, count, at = menus[depth, place], held[depth, place], place
        while at > start and held[depth, at - 1] > count:
            menus[depth, at], held[depth, at] = menus[depth, at - 1], held[depth, at - 1]
            at -= 1
        menus[depth, at], held[depth, at] = item, count


@jit
def is_shadowed(maps, rows, menus, held, depth, here):
    """Return whether an excluded item is in all rows at level ``depth`` + 1, reached through place ``here``."""
    for place in range(here):
        if held[depth, place] >= held[depth, here] and is_within(rows, depth + 1, maps, menus[depth, place]):
            return True
    return False


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

    The items at ``here`` to ``free`` move behind them, by rising count. Return where these start.
    """
    below, kept = depth + 1, 0
    for place in range(here):
        count = weigh(rows, below, maps, menus[depth, place], shifts)
        if count >= least:
            menus[below, kept], held[below, kept] = menus[depth, place], count
            kept += 1
    for place in range(here, free):
        menus[below, kept + place - here] = menus[below, place]
        held[below, kept + place - here] = held[below, place]
    sort_menu(menus, held, below, kept, kept + free - here)
    return kept


# The loops below return when the stream is full, and their callers make room: replacing an array inside a loop would
# cost time at each turn.


@jit
def find_frequent(_kind, frame, menu, names, prefix, goal, stream, at, control):
    """Append to ``stream`` the frequent itemsets that extend the prefix."""
    stack = build_stack(frame.shifts.size, frame.longest, menu, prefix.length)
    depth = 0
    while depth >= 0 and not control[STOP]:
        stream = make_room(stream, at, prefix.itemset.size, control)
        depth, at = step_frequent(frame, stack, menu.stop, names, prefix.itemset, goal, depth, stream, at, control)
    return stream, at


@jit
def step_frequent(frame, stack, last, names, itemset, goal, depth, stream, at, control):
    """Go on from ``depth``; return the depth and where the next record goes."""
    maps, shifts, _ = frame
    rows, menus, held, place, stop, lengths = stack
    least, shortest, longest = goal
    full = stream.size - itemset.size - HEAD
    while depth >= 0 and at <= full and not control[STOP]:
        here, end = place[depth], stop[depth]
        if here == end or (depth == 0 and here == last):
            depth -= 1
            continue
        place[depth] += 1
        report(place, stop, depth, control)
        size = lengths[depth] + 1
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
def find_closed(kind, frame, menu, names, prefix, goal, stream, at, control):
    """Append to ``stream`` the closed itemsets that extend the prefix; if UNEXTENDED, those no item can extend."""
    stack = build_stack(frame.shifts.size, frame.longest, menu, prefix.length)
    depth, itemset, whole = 0, prefix.itemset, kind == UNEXTENDED
    while depth >= 0 and not control[STOP]:
        stream = make_room(stream, at, itemset.size, control)
        depth, at = step_closed(frame, stack, menu.stop, names, itemset, goal, whole, depth, stream, at, control)
    return stream, at


@jit
def step_closed(frame, stack, last, names, itemset, goal, whole, depth, stream, at, control):
    """Go on from ``depth``; return the depth and where the next record goes.

    An itemset is closed when no item outside it is in all of its rows. Items behind it in the menu are taken in
    (closure); if one that is excluded is in all of its rows, the itemset and all above it here belong elsewhere.
    """
    maps, shifts, _ = frame
    rows, menus, held, place, stop, lengths = stack
    least, _, longest = goal
    full = stream.size - itemset.size - HEAD
    while depth >= 0 and at <= full and not control[STOP]:
        here, end = place[depth], stop[depth]
        if here == end or (depth == 0 and here == last):
            depth -= 1
            continue
        place[depth] += 1
        report(place, stop, depth, control)
        narrow(rows, depth, maps, menus[depth, here])
        if is_shadowed(maps, rows, menus, held, depth, here):
            continue
        support, size, free = held[depth, here], lengths[depth] + 1, here
        itemset[size - 1] = names[menus[depth, here]]
        for other in range(here + 1, end):
            item = menus[depth, other]
            count = weigh(rows, depth + 1, maps, item, shifts)
            if count == support:
                itemset[size] = names[item]
                size += 1
            elif count >= least:
                menus[depth + 1, free], held[depth + 1, free] = item, count
                free += 1
        if size <= longest and not (
            whole and (free > here or is_extended(maps, shifts, rows, depth + 1, menus, depth, here, least))
        ):
            at = write(stream, at, itemset, size, support, control)
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
        item, left = menus[depth, place], NONE
        for w in range(words):
            scratch[w] &= tops[item, w]
            left |= scratch[w]
        if left == NONE:
            return False
    return words > 0


@jit
def find_maximal(_kind, frame, menu, names, prefix, goal, stream, at, control):
    """Append to ``stream`` the maximal itemsets that extend the prefix."""
    stack = build_stack(frame.shifts.size, frame.longest + 1, menu, 0)
    tops, known = np.zeros((frame.maps.shape[0], KNOWN), np.uint64), np.zeros((frame.longest + 3, KNOWN), np.uint64)
    memory = Memory(tops, known, np.empty(KNOWN, np.uint64), np.empty(prefix.itemset.size, np.int32))
    depth, found = 0, 0
    while depth >= 0 and not control[STOP]:
        stream = make_room(stream, at, prefix.itemset.size, control)
        depth, found, at = step_maximal(
            frame, stack, memory, menu.stop, names, prefix, goal.least, depth, found, stream, at, control
        )
    return stream, at


@jit
def step_maximal(frame, stack, memory, last, names, prefix, least, depth, found, stream, at, control):
    """Go on from ``depth``; return the depth, how many maximal itemsets are remembered, and where the next record goes.

    An itemset is maximal when no other item is in ``least`` of its rows; excluded items count. A branch is left when
    the largest itemset it can reach is part of a maximal itemset that is remembered; when that largest one is frequent,
    it is taken at once.
    """
    maps, shifts, _ = frame
    rows, menus, held, place, stop, lengths = stack
    tops, known, scratch, local = memory
    itemset, length = prefix
    full = stream.size - itemset.size - HEAD
    while depth >= 0 and at <= full and not control[STOP]:
        here, end = place[depth], stop[depth]
        if here == end or (depth == 0 and here == last):
            depth -= 1
            continue
        place[depth] += 1
        report(place, stop, depth, control)
        words = (found + 63) >> 6
        if is_covered(known, tops, scratch, words, menus, depth, here, end):
            place[depth] = end
            continue
        narrow(rows, depth, maps, menus[depth, here])
        if is_shadowed(maps, rows, menus, held, depth, here):
            continue
        support, size, free = held[depth, here], lengths[depth] + 1, here
        local[size - 1] = menus[depth, here]
        for other in range(here + 1, end):
            item = menus[depth, other]
            count = weigh(rows, depth + 1, maps, item, shifts)
            if count == support:
                local[size] = item
                size += 1
            elif count >= least:
                menus[depth + 1, free], held[depth + 1, free] = item, count
                free += 1
        for w in range(words):
            known[depth + 1, w] = known[depth, w]
            for i in range(lengths[depth], size):
                known[depth + 1, w] &= tops[local[i], w]
        if free > here and is_covered(known, tops, scratch, words, menus, depth + 1, here, free):
            continue
        for w in range(shifts.size):
            rows[depth + 2, w] = rows[depth + 1, w]
        reach = size
        for other in range(here, free):
            local[reach] = menus[depth + 1, other]
            for w in range(shifts.size):
                rows[depth + 2, w] &= maps[local[reach], w]
            reach += 1
        if free > here:
            support = weigh_all(rows, depth + 2, shifts)
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
def weigh_all(rows, depth, shifts):
    """Return the weight of the rows at level ``depth``."""
    weight = np.int64(0)
    for w in range(shifts.size):
        weight += np.int64(popcount(rows[depth, w])) << shifts[w]
    return weight


@jit
def search(kind, frame, menu, names, prefix, goal, stream, at, control):
    """Append to ``stream`` the itemsets of this ``kind`` that extend the prefix."""
    if kind == FREQUENT:
        return find_frequent(kind, frame, menu, names, prefix, goal, stream, at, control)
    if kind == MAXIMAL:
        return find_maximal(kind, frame, menu, names, prefix, goal, stream, at, control)
    return find_closed(kind, frame, menu, names, prefix, goal, stream, at, control)


SEARCHES = {FREQUENT: "find_frequent", CLOSED: "find_closed", MAXIMAL: "find_maximal", UNEXTENDED: "find_closed"}
"""The kernel for each kind: where the kind is known, nothing else is compiled."""
