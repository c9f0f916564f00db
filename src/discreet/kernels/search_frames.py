"""Kernels that search for itemsets in a frame.

A *frame* is a part of the rows restricted to a part of the items, as bitmaps: one bit per row, one strip of 64-bit
words per item. Equal rows are merged; a merged row of weight 13 = 8 + 4 + 1 has a bit in the words of weight 8, of
weight 4 and of weight 1, so that a support is a sum of shifted bit counts.

A *menu* is the list of items to extend with at one level of the search, the rarest first. The child at place p of a
menu goes on with the places behind p and excludes those before it: the itemsets with them are found elsewhere, and they
only decide whether an itemset is closed or maximal. So each itemset is met once, in any order of the items, and no
store of results is needed.

``names`` are the items at the places of a frame. ``control`` is shared with the caller (see common.py).
"""

import numpy as np

from discreet.kernels.common import hot, inner, make_room, write
from discreet.kernels.frames import find_thin, is_preceded, is_shadowed, narrow, project, weigh, weigh_all
from discreet.kernels.shapes import DONE, HEAD, INNER, ONE, PART, STOP, Memory, Stack
from discreet.kernels.words import lowest_bit

FREQUENT, CLOSED, MAXIMAL, UNEXTENDED = 0, 1, 2, 3
KNOWN = 8
NONE = np.uint64(0)


# Views of arrays are not kept in variables inside loops: Numba would count references at each turn.


@inner
def build_stack(frame, deepest, menu, length):
    """Return the stack of a search that goes ``deepest`` levels down; items that are not in the menu are excluded."""
    items, levels, words = menu.items, deepest + 2, frame.shifts.size
    rows, menus = np.empty((levels, words), np.uint64), np.empty((levels, items.size), np.int32)
    held, lengths = np.empty((levels, items.size), np.int64), np.empty(levels, np.int64)
    place, stop = np.empty(levels, np.int64), np.empty(levels, np.int64)
    excluded = np.empty((levels, frame.sets.shape[1]), np.uint64)
    for w in range(words):
        rows[0, w] = ~NONE
    for w in range(excluded.shape[1]):
        excluded[0, w] = NONE
    for item in range(frame.maps.shape[0]):
        excluded[0, item >> 6] |= ONE << np.uint64(item & 63)
    for i in range(items.size):
        menus[0, i], held[0, i] = items[i], menu.counts[i]
        excluded[0, items[i] >> 6] ^= ONE << np.uint64(items[i] & 63)
    place[0], stop[0], lengths[0] = menu.start, items.size, length
    return Stack(rows, menus, held, place, stop, lengths, excluded)


@inner
def report(place, stop, depth, control):
    """Report progress: places done at the top level, thousandths of the next level."""
    if control[INNER]:
        return
    if depth == 0:
        control[DONE], control[PART] = place[0], 0
    elif depth == 1:
        control[PART] = 1000 - 1000 * (stop[1] - place[1]) // stop[1]


@inner
def is_extended(maps, shifts, rows, level, menus, excluded, depth, here, least):
    """Return whether an item excluded at place ``here`` of ``depth`` is in ``least`` of the rows at ``level``."""
    for place in range(here):
        if weigh(rows, level, maps, menus[depth, place], shifts) >= least:
            return True
    for item in range(maps.shape[0]):
        is_excluded = excluded[depth, item >> 6] >> np.uint64(item & 63) & ONE
        if is_excluded and weigh(rows, level, maps, item, shifts) >= least:
            return True
    return False


@inner
def exclude(excluded, depth, item):
    """Exclude ``item`` at ``depth``."""
    excluded[depth, item >> 6] |= ONE << np.uint64(item & 63)


@inner
def descend(menus, held, excluded, depth, here, free):
    """Complete the level below ``depth``: exclude the places before ``here``; sort ``free`` items by rising count."""
    for w in range(excluded.shape[1]):
        excluded[depth + 1, w] = excluded[depth, w]
    for place in range(here):
        exclude(excluded, depth + 1, menus[depth, place])
    for place in range(1, free):
        item, count, at = menus[depth + 1, place], held[depth + 1, place], place
        while at > 0 and held[depth + 1, at - 1] > count:
            menus[depth + 1, at], held[depth + 1, at] = menus[depth + 1, at - 1], held[depth + 1, at - 1]
            at -= 1
        menus[depth + 1, at], held[depth + 1, at] = item, count


# The loops below return when the stream is full, and their callers make room: replacing an array inside a loop would
# cost time at each turn.


@hot
def find_frequent(_kind, frame, menu, names, prefix, goal, stream, at, control):
    """Append to ``stream`` the frequent itemsets that extend the prefix."""
    stack = build_stack(frame, frame.longest, menu, prefix.length)
    depth = 0
    while depth >= 0 and not control[STOP]:
        stream = make_room(stream, at, prefix.itemset.size, control)
        depth, at = step_frequent(frame, stack, menu.stop, names, prefix.itemset, goal, depth, stream, at, control)
    return stream, at


@inner
def step_frequent(frame, stack, last, names, itemset, goal, depth, stream, at, control):
    """Go on from ``depth``; return the depth and where the next record goes."""
    maps, _, shifts, _, _, _, _, _ = frame
    rows, menus, held, place, stop, lengths, _ = stack
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


@hot
def find_closed(kind, frame, menu, names, prefix, goal, stream, at, control):
    """Append to ``stream`` the closed itemsets that extend the prefix; if UNEXTENDED, those no item can extend."""
    itemset, whole, common = prefix.itemset, kind == UNEXTENDED, np.empty(frame.first, np.int32)
    whole_stack = build_stack(frame, frame.longest, menu, prefix.length)
    place = menu.start
    while place < menu.stop:
        part, stack, stop = frame, whole_stack, find_thin(frame, menu, place)
        if stop == place:
            part, stop = project(frame, menu.items[place]), place + 1
            stack = build_stack(part, part.longest, menu, prefix.length)
        depth, stack.place[0] = 0, place
        while depth >= 0 and not control[STOP]:
            stream = make_room(stream, at, itemset.size, control)
            depth, at = step_closed(part, stack, stop, names, itemset, goal, whole, depth, common, stream, at, control)
        place = stop
    return stream, at


@inner
def step_closed(frame, stack, last, names, itemset, goal, whole, depth, common, stream, at, control):
    """Go on from ``depth``; return the depth and where the next record goes.

    An itemset is closed when no item outside it is in all of its rows. Items behind it in the menu are taken in
    (closure); if one that is excluded is in all of its rows, the itemset and all above it here belong elsewhere.
    """
    maps, sets, shifts, _, records, starts, first, known = frame
    rows, menus, held, place, stop, lengths, excluded = stack
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
        if is_shadowed(maps, sets, rows, menus, held, excluded, depth, here):
            continue
        if first > 0 and is_preceded(records, starts, first, known, rows, depth + 1, common):
            continue
        support, size, free = held[depth, here], lengths[depth] + 1, 0
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
            whole and (free > 0 or is_extended(maps, shifts, rows, depth + 1, menus, excluded, depth, here, least))
        ):
            at = write(stream, at, itemset, size, support, control)
        if free == 0 or size >= longest:
            continue
        descend(menus, held, excluded, depth, here, free)
        depth += 1
        lengths[depth], place[depth], stop[depth] = size, 0, free
    return depth, at


@inner
def drop_rare(maps, shifts, rows, excluded, depth, least):
    """Exclude no longer what is in fewer than ``least`` of the rows at ``depth``."""
    for i in range(excluded.shape[1]):
        left = excluded[depth, i]
        while left:
            item = (i << 6) + lowest_bit(left)
            if weigh(rows, depth, maps, item, shifts) < least:
                excluded[depth, i] ^= ONE << np.uint64(item & 63)
            left &= left - ONE


@inner
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


@hot
def find_maximal(_kind, frame, menu, names, prefix, goal, stream, at, control):
    """Append to ``stream`` the maximal itemsets that extend the prefix."""
    whole_stack, found = build_stack(frame, frame.longest + 1, menu, 0), 0
    tops, known = np.zeros((frame.maps.shape[0], KNOWN), np.uint64), np.zeros((frame.longest + 3, KNOWN), np.uint64)
    memory = Memory(tops, known, np.empty(KNOWN, np.uint64), np.empty(prefix.itemset.size, np.int32))
    place = menu.start
    while place < menu.stop:
        # Within a search of lists, most branches are left before such a frame has paid off.
        part, stack, stop = frame, whole_stack, menu.stop if control[INNER] else find_thin(frame, menu, place)
        if stop == place:
            part, stop = project(frame, menu.items[place]), place + 1
            stack = build_stack(part, part.longest + 1, menu, 0)
        depth, stack.place[0] = 0, place
        while depth >= 0 and not control[STOP]:
            stream = make_room(stream, at, prefix.itemset.size, control)
            depth, found, at = step_maximal(
                part, stack, memory, stop, names, prefix, goal.least, depth, found, stream, at, control
            )
        place = max(stop, stack.place[0])  # the end, if all that is left is covered
    return stream, at


@inner
def step_maximal(frame, stack, memory, last, names, prefix, least, depth, found, stream, at, control):
    """Go on from ``depth``; return the depth, how many maximal itemsets are remembered, and where the next record goes.

    An itemset is maximal when no other item is in ``least`` of its rows; excluded items count. A branch is left when
    the largest itemset it can reach is part of a maximal itemset that is remembered; when that largest one is frequent,
    it is taken at once.
    """
    maps, sets, shifts, _, _, _, _, _ = frame
    rows, menus, held, place, stop, lengths, excluded = stack
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
        if is_shadowed(maps, sets, rows, menus, held, excluded, depth, here):
            continue
        support, size, free = held[depth, here], lengths[depth] + 1, 0
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
        if free > 0 and is_covered(known, tops, scratch, words, menus, depth + 1, 0, free):
            continue
        for w in range(shifts.size):
            rows[depth + 2, w] = rows[depth + 1, w]
        reach = size
        for other in range(free):
            local[reach] = menus[depth + 1, other]
            for w in range(shifts.size):
                rows[depth + 2, w] &= maps[local[reach], w]
            reach += 1
        if free > 0:
            support = weigh_all(rows, depth + 2, shifts)
        if support < least:
            descend(menus, held, excluded, depth, here, free)
            depth += 1
            drop_rare(maps, shifts, rows, excluded, depth, least)
            lengths[depth], place[depth], stop[depth] = size, 0, free
            continue
        if is_extended(maps, shifts, rows, depth + 2, menus, excluded, depth, here, least):
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


@inner
def search(kind, frame, menu, names, prefix, goal, stream, at, control):
    """Append to ``stream`` the itemsets of this ``kind`` that extend the prefix."""
    if kind == FREQUENT:
        return find_frequent(kind, frame, menu, names, prefix, goal, stream, at, control)
    if kind == MAXIMAL:
        return find_maximal(kind, frame, menu, names, prefix, goal, stream, at, control)
    return find_closed(kind, frame, menu, names, prefix, goal, stream, at, control)


SEARCHES = {FREQUENT: "find_frequent", CLOSED: "find_closed", MAXIMAL: "find_maximal", UNEXTENDED: "find_closed"}
"""The kernel for each kind: where the kind is known, nothing else is compiled."""
