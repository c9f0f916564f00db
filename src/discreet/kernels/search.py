"""Kernels that search for itemsets.

A *frame* is a part of the rows restricted to a part of the items, stood up as bitmaps: one bit a row,
one strip of 64-bit words an item. Equal rows are merged; a merged row of weight 13 = 8 + 4 + 1 has a bit
in the words of weight 8, of weight 4 and of weight 1, so that a support is a sum of shifted bit counts.

A *menu* is the list of items at one level of the search: first those that are excluded (what they lead
to is found elsewhere; they only say whether an itemset is closed or maximal), then those to extend with,
the rarest first. The child at place p of a menu excludes all places before p and may go on with those
behind it, so each itemset is met once, in any order of the items, with no store of what was found.

Supports are weighted counts of rows. What goes together is passed together:

- a frame: the bitmaps, the shift of each word, the longest row;
- a menu: its items (places of the frame), their supports, and the places to go through, from start to last;
- ``above``: an itemset and how many of its items stand in all that is found; ``names`` are the items of the places;
- a goal: the least support, the least length and the greatest.

``control`` is shared with the caller: STOP is set by either side; FOUND, DONE and PART are set here.
"""

import numpy as np
from numba import njit

from discreet.kernels.bits import popcount

jit = njit(cache=True, nogil=True)

FREQUENT, CLOSED, MAXIMAL, UNEXTENDED = 0, 1, 2, 3
STOP, FOUND, MOST, ROOM, DONE, PART, INNER = 0, 1, 2, 3, 4, 5, 6
CONTROLS = 7
HEAD = 2
KNOWN = 8
STOPPED, FULL = 1, 2

ONE = np.uint64(1)
ALL = ~np.uint64(0)
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
def within(rows, depth, maps, item):
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
def longer(array, size):
    """Return ``array`` if it holds ``size`` entries, else a copy with room for twice as many."""
    if array.size >= size:
        return array
    copy = np.empty(2 * size, array.dtype)
    copy[: array.size] = array
    return copy


# ---------------------------------------------------------------------------------------------------
# What was found: a stream of records, each a length, a support and that many items
# ---------------------------------------------------------------------------------------------------


@jit
def write(stream, at, itemset, length, support, control):
    """Write one record at ``at``, where there must be room for it; return where the next one goes."""
    stream[at] = length
    stream[at + 1] = support
    for i in range(length):
        stream[at + HEAD + i] = itemset[i]
    control[FOUND] += 1
    return at + HEAD + length


@jit
def roomy(stream, at, itemset, control):
    """Return ``stream`` with room for a record of all of ``itemset`` at ``at``; set STOP where a limit is reached."""
    if at > control[ROOM] or control[FOUND] > control[MOST]:
        control[STOP] = FULL
    return longer(stream, at + HEAD + itemset.size)


# ---------------------------------------------------------------------------------------------------
# Search in a frame
# ---------------------------------------------------------------------------------------------------


@jit
def levels(words, deepest, menu, length):
    """Return the stack of a search that goes ``deepest`` levels down: rows, menus, counts, places, ends, lengths."""
    items, counts, start, _ = menu
    rows = np.empty((deepest + 2, words), np.uint64)
    menus = np.empty((deepest + 2, items.size), np.int32)
    held = np.empty((deepest + 2, items.size), np.int64)
    place, stop = np.empty(deepest + 2, np.int64), np.empty(deepest + 2, np.int64)
    lengths = np.empty(deepest + 2, np.int64)
    rows[0] = ALL
    menus[0] = items
    held[0] = counts
    place[0], stop[0], lengths[0] = start, items.size, length
    return rows, menus, held, place, stop, lengths


@jit
def report(place, stop, depth, control):
    """Say how far the search has come: places done at the top, thousandths of the next level."""
    if control[INNER]:
        return
    if depth == 0:
        control[DONE] = place[0]
        control[PART] = 0
    elif depth == 1:
        control[PART] = 1000 - 1000 * (stop[1] - place[1]) // stop[1]


@jit
def rise(menus, held, depth, start, stop):
    """Sort the menu at ``depth`` from ``start`` to ``stop`` by rising count; equal counts keep their order."""
    for place in range(start + 1, stop):
        item, count = menus[depth, place], held[depth, place]
        at = place
        while at > start and held[depth, at - 1] > count:
            menus[depth, at] = menus[depth, at - 1]
            held[depth, at] = held[depth, at - 1]
            at -= 1
        menus[depth, at] = item
        held[depth, at] = count


@jit
def shadowed(maps, rows, menus, held, depth, here):
    """Return whether an excluded item is in all rows at level ``depth`` + 1, reached through place ``here``."""
    for place in range(here):
        if held[depth, place] >= held[depth, here] and within(rows, depth + 1, maps, menus[depth, place]):
            return True
    return False


@jit
def extended(maps, shifts, rows, level, menus, depth, here, least):
    """Return whether an item before ``here`` in the menu at ``depth`` is in ``least`` of the rows at ``level``."""
    for place in range(here):
        if weigh(rows, level, maps, menus[depth, place], shifts) >= least:
            return True
    return False


@jit
def exclude(maps, shifts, rows, menus, held, depth, here, free, least):
    """Complete the menu at ``depth`` + 1: in front, to be excluded, the places before ``here`` that are still frequent.

    What stands there from ``here`` to ``free`` moves behind it, by rising count. Return where that starts.
    """
    below = depth + 1
    kept = 0
    for place in range(here):
        count = weigh(rows, below, maps, menus[depth, place], shifts)
        if count >= least:
            menus[below, kept] = menus[depth, place]
            held[below, kept] = count
            kept += 1
    for place in range(here, free):
        menus[below, kept + place - here] = menus[below, place]
        held[below, kept + place - here] = held[below, place]
    rise(menus, held, below, kept, kept + free - here)
    return kept


# The loops below leave when the stream is full, for their callers to make room: an array that is replaced inside a
# loop costs at each turn.


@jit
def frequent_in_frame(frame, menu, names, above, goal, stream, at, control):
    """Append to ``stream`` the frequent itemsets above the first items of ``above``."""
    stack = levels(frame[1].size, frame[2], menu, above[1])
    depth = 0
    while depth >= 0 and not control[STOP]:
        stream = roomy(stream, at, above[0], control)
        depth, at = frequent_steps(frame, stack, menu[3], names, above[0], goal, depth, stream, at, control)
    return stream, at


@jit
def frequent_steps(frame, stack, last, names, itemset, goal, depth, stream, at, control):
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
                menus[depth + 1, free] = menus[depth, other]
                held[depth + 1, free] = count
                free += 1
        depth += 1
        place[depth], stop[depth], lengths[depth] = 0, free, size
    return depth, at


@jit
def closed_in_frame(frame, menu, names, above, goal, whole, stream, at, control):
    """Append to ``stream`` the closed itemsets above the first items of ``above``.

    Where ``whole`` is set, only those that no item extends to a frequent itemset.
    """
    stack = levels(frame[1].size, frame[2], menu, above[1])
    depth = 0
    while depth >= 0 and not control[STOP]:
        stream = roomy(stream, at, above[0], control)
        depth, at = closed_steps(frame, stack, menu[3], names, above[0], goal, whole, depth, stream, at, control)
    return stream, at


@jit
def closed_steps(frame, stack, last, names, itemset, goal, whole, depth, stream, at, control):
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
        if shadowed(maps, rows, menus, held, depth, here):
            continue
        support = held[depth, here]
        size = lengths[depth]
        itemset[size] = names[menus[depth, here]]
        size += 1
        free = here
        for other in range(here + 1, end):
            item = menus[depth, other]
            count = weigh(rows, depth + 1, maps, item, shifts)
            if count == support:
                itemset[size] = names[item]
                size += 1
            elif count >= least:
                menus[depth + 1, free] = item
                held[depth + 1, free] = count
                free += 1
        if size <= longest and not (
            whole and (free > here or extended(maps, shifts, rows, depth + 1, menus, depth, here, least))
        ):
            at = write(stream, at, itemset, size, support, control)
        if free == here or size >= longest:
            continue
        kept = exclude(maps, shifts, rows, menus, held, depth, here, free, least)
        depth += 1
        lengths[depth], place[depth], stop[depth] = size, kept, kept + free - here
    return depth, at


@jit
def covered(known, tops, scratch, words, menus, depth, start, stop):
    """Return whether a maximal itemset known at ``depth`` holds the menu there from ``start`` to ``stop``."""
    for w in range(words):
        scratch[w] = known[depth, w]
    for place in range(start, stop):
        item = menus[depth, place]
        left = NONE
        for w in range(words):
            scratch[w] &= tops[item, w]
            left |= scratch[w]
        if left == NONE:
            return False
    return words > 0


@jit
def maximal_in_frame(frame, menu, names, above, least, stream, at, control):
    """Append to ``stream`` the maximal itemsets above the first items of ``above``."""
    maps, shifts, deepest = frame
    stack = levels(shifts.size, deepest + 1, menu, 0)
    tops, known = np.zeros((maps.shape[0], KNOWN), np.uint64), np.zeros((deepest + 3, KNOWN), np.uint64)
    memory = (tops, known, np.empty(KNOWN, np.uint64), np.empty(above[0].size, np.int32))
    depth, found = 0, 0
    while depth >= 0 and not control[STOP]:
        stream = roomy(stream, at, above[0], control)
        depth, found, at = maximal_steps(
            frame, stack, memory, menu[3], names, above, least, depth, found, stream, at, control
        )
    return stream, at


@jit
def maximal_steps(frame, stack, memory, last, names, above, least, depth, found, stream, at, control):
    """Go on from ``depth``; return the depth, how many maximal itemsets are remembered, and where the next record goes.

    An itemset is maximal when no item is in ``least`` of its rows; excluded items count. A branch is left when what it
    could reach at most is part of a maximal itemset found in this frame (``tops``: for each item, which of those that
    are remembered hold it; ``known``: for each level, which of them hold the itemset there), and reached at once when
    that is frequent.
    """
    maps, shifts, _ = frame
    rows, menus, held, place, stop, lengths = stack
    tops, known, scratch, local = memory
    itemset, length = above
    full = stream.size - itemset.size - HEAD
    while depth >= 0 and at <= full and not control[STOP]:
        here, end = place[depth], stop[depth]
        if here == end or (depth == 0 and here == last):
            depth -= 1
            continue
        place[depth] += 1
        report(place, stop, depth, control)
        words = (found + 63) >> 6
        if covered(known, tops, scratch, words, menus, depth, here, end):
            place[depth] = end
            continue
        narrow(rows, depth, maps, menus[depth, here])
        if shadowed(maps, rows, menus, held, depth, here):
            continue
        support = held[depth, here]
        size = lengths[depth]
        local[size] = menus[depth, here]
        size += 1
        free = here
        for other in range(here + 1, end):
            item = menus[depth, other]
            count = weigh(rows, depth + 1, maps, item, shifts)
            if count == support:
                local[size] = item
                size += 1
            elif count >= least:
                menus[depth + 1, free] = item
                held[depth + 1, free] = count
                free += 1
        for w in range(words):
            known[depth + 1, w] = known[depth, w]
            for i in range(lengths[depth], size):
                known[depth + 1, w] &= tops[local[i], w]
        if free > here and covered(known, tops, scratch, words, menus, depth + 1, here, free):
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
            support = total(rows, depth + 2, shifts)
        if support < least:
            kept = exclude(maps, shifts, rows, menus, held, depth, here, free, least)
            depth += 1
            lengths[depth], place[depth], stop[depth] = size, kept, kept + free - here
            continue
        if extended(maps, shifts, rows, depth + 2, menus, depth, here, least):
            continue
        for i in range(reach):
            itemset[length + i] = names[local[i]]
        at = write(stream, at, itemset, length + reach, support, control)
        if found == 64 * KNOWN:
            # To remember more would cost more than it saves; what is found does not hang on it.
            tops[:], known[:], found = NONE, NONE, 0
        bit = ONE << np.uint64(found & 63)
        for i in range(reach):
            tops[local[i], found >> 6] |= bit
        for level in range(depth + 1):
            known[level, found >> 6] |= bit
        found += 1
    return depth, found, at


@jit
def total(rows, depth, shifts):
    """Return the weight of the rows at level ``depth``."""
    weight = np.int64(0)
    for w in range(shifts.size):
        weight += np.int64(popcount(rows[depth, w])) << shifts[w]
    return weight


# ---------------------------------------------------------------------------------------------------
# Search in lists of rows
# ---------------------------------------------------------------------------------------------------


@jit
def tally(records, rows, listed, start, stop, counts, met):
    """Count the items of the listed rows in ``counts``, which is all 0 before; return how many were ``met``."""
    size = 0
    for at in range(start, stop):
        record = rows[listed[at]]
        weight = records[record + 1]
        for entry in range(record + HEAD, record + HEAD + records[record]):
            item = records[entry]
            if counts[item] == 0:
                met[size] = item
                size += 1
            counts[item] += weight
    return size


@jit
def recall(item, supports, pairs, counts, met):
    """Do what ``tally`` does for all rows of ``item``, from the supports of its pairs; rare items are left out."""
    counts[item] = supports[item]
    met[0] = item
    size = 1
    for side in range(2):
        offsets, partners, held = pairs[side]
        for at in range(offsets[item], offsets[item + 1]):
            met[size] = partners[at]
            counts[partners[at]] = held[at]
            size += 1
    return size


@jit
def sort_out(kind, item, least, counts, met, size, taken, itemset, length, menu, held):
    """Part the items that were met, and set ``counts`` back to 0.

    Those that all rows share go to ``itemset``; of the other frequent ones, those before ``item`` go to the front of
    ``menu`` and those behind it after them, by rising count. Return how many are in front, how many in all, and the
    length of the itemset, or 0 where an item before ``item`` is in all rows.
    """
    front, back, shadow = 0, 0, False
    for i in range(size):
        other = met[i]
        if other == item or taken[other] or counts[other] < least or (kind == FREQUENT and other < item):
            continue
        if counts[other] == counts[item] and kind != FREQUENT:
            if other < item:
                shadow = True
            else:
                itemset[length] = other
                length += 1
        elif other < item:
            menu[front] = other
            held[front] = counts[other]
            front += 1
        else:
            back += 1
            menu[menu.size - back] = other
            held[menu.size - back] = counts[other]
    if back > 0 and not shadow:
        order = np.argsort(held[menu.size - back :])
        behind = menu[menu.size - back :].copy()
        for i in range(back):
            menu[front + i] = behind[order[i]]
            held[front + i] = counts[menu[front + i]]
    for i in range(size):
        counts[met[i]] = 0
    return front, front + back, 0 if shadow else length


@jit
def deliver(records, rows, listed, start, stop, free, menu, held, front, width, slot, twigs):
    """Append to ``listed``, from ``free`` on, those of its rows that hold each item of ``menu`` behind ``front``.

    ``twigs`` gets a line for each of these items: the item, where its list starts and where it ends. Return the end.
    ``slot`` is all -1 before and after.
    """
    for i in range(front, width):
        slot[menu[i]] = free
        twigs[i - front, 0] = menu[i]
        twigs[i - front, 1] = free
        free += min(stop - start, held[i])
    for at in range(start, stop):
        record = rows[listed[at]]
        for entry in range(record + HEAD, record + HEAD + records[record]):
            to = slot[records[entry]]
            if to >= 0:
                listed[to] = listed[at]
                slot[records[entry]] = to + 1
    for i in range(front, width):
        twigs[i - front, 2] = slot[menu[i]]
        slot[menu[i]] = -1
    return free


@jit
def gather(shifts, list_offsets, lists, maps, line, listed, menu, spot):
    """Return a frame of the listed rows, which rise, and the items of ``menu``: the bitmaps and the shift of each word.

    A bit comes from the bitmap of all rows for an item that has one and a longer list than ``listed``, else from the
    item's list through ``spot``, the place of each row in the frame, which is all 0 before and after.
    """
    begins = np.empty(listed.size + 1, np.int64)
    words = 0
    for at in range(listed.size):
        row = listed[at]
        if at == 0 or at - begins[words - 1] == 64 or shifts[row] != shifts[listed[at - 1]]:
            begins[words] = at
            words += 1
        spot[row] = ((words - 1) << 6) + at - begins[words - 1] + 1
    begins[words] = listed.size
    frame_shifts = np.empty(words, np.int64)
    for w in range(words):
        frame_shifts[w] = shifts[listed[begins[w]]]
    frame_maps = np.zeros((menu.size, words), np.uint64)
    for place in range(menu.size):
        item = menu[place]
        if line[item] >= 0 and list_offsets[item + 1] - list_offsets[item] > listed.size:
            for w in range(words):
                word = NONE
                for at in range(begins[w], begins[w + 1]):
                    row = listed[at]
                    bit = (maps[line[item], row >> 6] >> np.uint64(row & 63)) & ONE
                    word |= bit << np.uint64(at - begins[w])
                frame_maps[place, w] = word
        else:
            for at in range(list_offsets[item], list_offsets[item + 1]):
                to = spot[lists[at]] - 1
                if to >= 0:
                    frame_maps[place, to >> 6] |= ONE << np.uint64(to & 63)
    for at in range(listed.size):
        spot[listed[at]] = 0
    return frame_maps, frame_shifts


@jit
def in_bitmaps(kind, frame, menu, names, above, goal, stream, at, control):
    """Append to ``stream`` the itemsets of this ``kind`` above the first items of ``above``."""
    if kind == FREQUENT:
        return frequent_in_frame(frame, menu, names, above, goal, stream, at, control)
    if kind == MAXIMAL:
        return maximal_in_frame(frame, menu, names, above, goal[0], stream, at, control)
    return closed_in_frame(frame, menu, names, above, goal, kind == UNEXTENDED, stream, at, control)


@jit
def in_lists(kind, index, pairs, start, last, above, goal, crowd, stream, at, control):
    """Append to ``stream`` the itemsets of this ``kind`` whose first item is one of ``start`` to ``last``.

    Each itemset is met through its first item, the lists of rows growing shorter item by item; where the rows that are
    left would hold ``crowd`` bits or more in a word of their bitmaps, they are stood up as a frame.
    """
    records, rows, shifts, supports, list_offsets, lists, maps, line, deepest = index
    itemset, length = above
    least, shortest, longest = goal
    many = supports.size
    counts, met = np.zeros(many, np.int64), np.empty(many, np.int32)
    menu, held = np.empty(many, np.int32), np.empty(many, np.int64)
    slot, taken = np.full(many, -1, np.int64), np.zeros(many, np.bool_)
    spot = np.zeros(rows.size, np.int32)
    listed, twigs = np.empty(1024, np.int32), np.empty((1024, 3), np.int64)
    # At each level the twigs from place to stop are to do; free is where the lists of the next level start.
    place, stop = np.empty(deepest + 2, np.int64), np.empty(deepest + 2, np.int64)
    free, lengths = np.empty(deepest + 2, np.int64), np.empty(deepest + 2, np.int64)
    place[0], stop[0], lengths[0], depth = start, last, length, 0
    control[INNER] = 1
    while not control[STOP]:
        if place[depth] == stop[depth]:
            if depth == 0:
                break
            depth -= 1
            for i in range(lengths[depth], lengths[depth + 1]):
                taken[itemset[i]] = False
            continue
        if depth == 0:
            item, begin, end = place[0], 0, list_offsets[place[0] + 1] - list_offsets[place[0]]
            size = recall(item, supports, pairs, counts, met)
            control[DONE] = item
        else:
            item, begin, end = twigs[place[depth], 0], twigs[place[depth], 1], twigs[place[depth], 2]
            size = tally(records, rows, listed, begin, end, counts, met)
        place[depth] += 1
        support = counts[item]
        itemset[lengths[depth]] = item
        front, width, size = sort_out(
            kind, item, least, counts, met, size, taken, itemset, lengths[depth] + 1, menu, held
        )
        if size == 0:
            continue
        if shortest <= size <= longest and (kind <= CLOSED or width == 0):
            stream = roomy(stream, at, itemset, control)
            at = write(stream, at, itemset, size, support, control)
        if width == front or size >= longest:
            continue
        if depth == 0:
            if listed.size < end:
                listed = longer(listed, end)
            for i in range(end):
                listed[i] = lists[list_offsets[item] + i]
            free[0] = end
        if held[:width].sum() >= crowd * width * ((end - begin + 63) >> 6):
            frame = gather(shifts, list_offsets, lists, maps, line, listed[begin:end], menu[:width], spot)
            stream, at = in_bitmaps(
                kind,
                (frame[0], frame[1], min(deepest, width - front)),
                (np.arange(width).astype(np.int32), held[:width], front, width),
                menu,
                (itemset, size),
                goal,
                stream,
                at,
                control,
            )
            continue
        first = 0 if depth == 0 else stop[depth]
        if twigs.shape[0] < first + width - front:
            twigs = taller(twigs, first + width - front)
        need = free[depth]
        for i in range(front, width):
            need += min(end - begin, held[i])
        if listed.size < need:
            listed = longer(listed, need)
        for i in range(lengths[depth], size):
            taken[itemset[i]] = True
        free[depth + 1] = deliver(
            records, rows, listed, begin, end, free[depth], menu, held, front, width, slot, twigs[first:]
        )
        depth += 1
        place[depth], stop[depth], lengths[depth] = first, first + width - front, size
    control[INNER] = 0
    return stream, at


@jit
def taller(table, size):
    """Return a copy of ``table`` with room for twice ``size`` lines."""
    copy = np.empty((2 * size, table.shape[1]), table.dtype)
    copy[: table.shape[0]] = table
    return copy
