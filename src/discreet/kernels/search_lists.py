"""Kernels that search for itemsets in lists of rows, and in frames where the rows that are left are crowded."""

import numpy as np

from discreet.kernels.common import hot, inner, make_room, write
from discreet.kernels.frames import transpose
from discreet.kernels.search_frames import CLOSED, FREQUENT
from discreet.kernels.search_frames import search as search_frame
from discreet.kernels.shapes import DONE, HEAD, INNER, ONE, STOP, Frame, Menu, Prefix
from discreet.kernels.words import grow

ITEM, FIRST, LAST = 0, 1, 2
SHORT_MENU = 16
DEAR = 256  # bits of excluded items, for each item of the longest row, that are dearer than reading rows
MANY = 32  # items of a frame that has bitmaps by row, too


@inner
def tally(records, rows, listed, start, stop, counts, met):
    """Count the items of the listed rows in ``counts``, which is all 0 before; return how many are in ``met``."""
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


@inner
def recall(item, supports, pairs, counts, met):
    """Do what ``tally`` does for all rows of ``item``, from the supports of its pairs; rare items are left out."""
    counts[item], met[0], size = supports[item], item, 1
    for side in range(2):
        offsets, partners, held = pairs[side]
        for at in range(offsets[item], offsets[item + 1]):
            met[size], counts[partners[at]] = partners[at], held[at]
            size += 1
    return size


@inner
def sort_out(kind, item, least, counts, met, size, taken, itemset, length, menu, held):
    """Divide the items in ``met``, and set ``counts`` back to 0.

    Items that all rows share go to ``itemset``. Of the other frequent ones, those behind ``item`` go to the front of
    ``menu``, by rising count, and those before it after them. Return how many are behind it, how many there are, and
    the length of the itemset, or 0 if an item before ``item`` is in all rows.
    """
    behind, before, shadow = 0, 0, False
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
            before += 1
            menu[menu.size - before], held[menu.size - before] = other, counts[other]
        else:
            menu[behind], held[behind] = other, counts[other]
            behind += 1
    if behind > 0 and not shadow:
        sort_menu(menu, held, behind)
        for i in range(before):
            menu[behind + i], held[behind + i] = menu[menu.size - before + i], held[menu.size - before + i]
    for i in range(size):
        counts[met[i]] = 0
    return behind, behind + before, 0 if shadow else length


@inner
def sort_menu(menu, held, size):
    """Sort the first ``size`` items by count, by insertion; if they are many, first those that are some steps apart."""
    step = 1
    while step * SHORT_MENU < size:
        step = 3 * step + 1
    while step:
        for place in range(step, size):
            item, count, at = menu[place], held[place], place
            while at >= step and held[at - step] > count:
                menu[at], held[at] = menu[at - step], held[at - step]
                at -= step
            menu[at], held[at] = item, count
        step //= 3


@inner
def deliver(records, rows, listed, start, stop, free, menu, held, width, slot, twigs):
    """Append to ``listed``, from ``free`` on, its rows that hold each of the first ``width`` items of ``menu``.

    ``twigs`` gets the item, and where its list starts and ends. Return the last end. ``slot`` is -1, before and after.
    """
    for i in range(width):
        slot[menu[i]], twigs[i, ITEM], twigs[i, FIRST] = free, menu[i], free
        free += min(stop - start, held[i])
    for at in range(start, stop):
        record = rows[listed[at]]
        for entry in range(record + HEAD, record + HEAD + records[record]):
            to = slot[records[entry]]
            if to >= 0:
                listed[to], slot[records[entry]] = listed[at], to + 1
    for i in range(width):
        twigs[i, LAST], slot[menu[i]] = slot[menu[i]], -1
    return free


@inner
def build_frame(index, listed, menu, spot, longest, first, known):
    """Return a frame of the listed rows, which rise, and the items of ``menu``; see there for ``first`` and ``known``.

    A bit comes from the bitmap of all rows for an item that has one and a longer list than ``listed``, else from the
    item's list through ``spot``, the place of each row in the frame, which is all 0 before and after.
    """
    shifts, list_offsets, lists, maps, line = index.shifts, index.offsets, index.lists, index.maps, index.line
    begins, words = np.empty(listed.size + 1, np.int64), 0
    for at in range(listed.size):
        row = listed[at]
        if at == 0 or at - begins[words - 1] == 64 or shifts[row] != shifts[listed[at - 1]]:
            begins[words] = at
            words += 1
        spot[row] = ((words - 1) << 6) + at - begins[words - 1] + 1
    begins[words] = listed.size
    frame_maps, frame_shifts = np.zeros((menu.size, words), np.uint64), np.empty(words, np.int64)
    for w in range(words):
        frame_shifts[w] = shifts[listed[begins[w]]]
    for place in range(menu.size):
        item = menu[place]
        if line[item] >= 0 and list_offsets[item + 1] - list_offsets[item] > listed.size:
            for w in range(words):
                word = np.uint64(0)
                for at in range(begins[w], begins[w + 1]):
                    bit = (maps[line[item], listed[at] >> 6] >> np.uint64(listed[at] & 63)) & ONE
                    word |= bit << np.uint64(at - begins[w])
                frame_maps[place, w] = word
        else:
            for at in range(list_offsets[item], list_offsets[item + 1]):
                to = spot[lists[at]] - 1
                if to >= 0:
                    frame_maps[place, to >> 6] |= ONE << np.uint64(to & 63)
    lines = words << 6 if menu.size >= MANY else 0
    sets, starts = np.empty((lines, (menu.size + 63) >> 6), np.uint64), np.empty(words << 6, np.int32)
    square = np.empty(64, np.uint64)
    for i in range(sets.shape[1]):
        for w in range(lines >> 6):
            for b in range(64):
                square[b] = frame_maps[(i << 6) + b, w] if (i << 6) + b < menu.size else np.uint64(0)
            transpose(square)
            for b in range(64):
                sets[(w << 6) + b, i] = square[b]
    for at in range(listed.size):
        starts[spot[listed[at]] - 1] = index.rows[listed[at]]
        spot[listed[at]] = 0
    return Frame(frame_maps, sets, frame_shifts, longest, index.records, starts, first, known)


@hot
def search(kind, index, pairs, start, last, prefix, goal, crowd, stream, at, control):
    """Append to ``stream`` the itemsets of this ``kind`` whose first item is one of ``start`` to ``last``.

    Each itemset is met through its first item, and the lists of rows grow shorter item by item. Rows that would hold
    ``crowd`` bits or more in a word of their bitmaps become a frame.
    """
    records, rows, _, supports, list_offsets, lists, _, _, deepest = index
    itemset, length = prefix
    least, shortest, longest = goal
    many, root = supports.size, length
    counts, met = np.zeros(many, np.int64), np.empty(many, np.int32)
    menu, held = np.empty(many, np.int32), np.empty(many, np.int64)
    slot, taken, spot = np.full(many, -1, np.int64), np.zeros(many, np.bool_), np.zeros(rows.size, np.int32)
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
            item, begin, end = twigs[place[depth], ITEM], twigs[place[depth], FIRST], twigs[place[depth], LAST]
            size = tally(records, rows, listed, begin, end, counts, met)
        place[depth] += 1
        support, length, itemset[lengths[depth]] = counts[item], lengths[depth] + 1, item
        behind, width, size = sort_out(kind, item, least, counts, met, size, taken, itemset, length, menu, held)
        if size == 0:
            continue
        if shortest <= size <= longest and (kind <= CLOSED or width == 0):
            stream = make_room(stream, at, itemset.size, control)
            at = write(stream, at, itemset, size, support, control)
        if behind == 0 or size >= longest:
            continue
        if depth == 0:
            if listed.size < end:
                listed = grow(listed, 2 * end)
            for i in range(end):
                listed[i] = lists[list_offsets[item] + i]
            free[0] = end
        entries = 0
        for i in range(width):
            entries += held[i]
        if entries >= crowd * width * ((end - begin + 63) >> 6):
            base, known, first = Prefix(itemset, size), 0, 0
            if kind == CLOSED and (width - behind) * (end - begin) > DEAR * deepest:
                width, first = behind, item
                for i in range(root, lengths[depth]):
                    known += itemset[i] < item
            frame = build_frame(index, listed[begin:end], menu[:width], spot, min(deepest, behind), first, known)
            places = Menu(np.arange(behind).astype(np.int32), held[:behind], 0, behind)
            stream, at = search_frame(kind, frame, places, menu[:width], base, goal, stream, at, control)
            continue
        top, need = 0 if depth == 0 else stop[depth], free[depth]
        if twigs.shape[0] < top + behind:
            twigs = grow(twigs, 2 * (top + behind))
        for i in range(behind):
            need += min(end - begin, held[i])
        if listed.size < need:
            listed = grow(listed, 2 * need)
        for i in range(lengths[depth], size):
            taken[itemset[i]] = True
        to = free[depth]
        free[depth + 1] = deliver(records, rows, listed, begin, end, to, menu, held, behind, slot, twigs[top:])
        depth += 1
        place[depth], stop[depth], lengths[depth] = top, top + behind, size
    control[INNER] = 0
    return stream, at
