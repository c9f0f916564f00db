"""Steps on frames, for the searches: search_frames.py says what a frame is.

Numba's cache of that file does not notice a change here: delete it after one.
"""

import numpy as np

from discreet.kernels.common import inner
from discreet.kernels.shapes import HEAD, ONE, Frame
from discreet.kernels.words import lowest_bit, popcount

LOOKS = 8  # rows that are looked at before bitmaps
WIDE = 32  # words of a frame of which smaller ones are made
THIN = 2  # for items that less than one of so many rows holds
NONE = np.uint64(0)


@inner
def weigh(rows, depth, maps, item, shifts):
    """Return the weight of the rows at level ``depth`` that hold ``item``."""
    weight = np.int64(0)
    for w in range(shifts.size):
        weight += np.int64(popcount(rows[depth, w] & maps[item, w])) << shifts[w]
    return weight


@inner
def weigh_all(rows, depth, shifts):
    """Return the weight of the rows at level ``depth``."""
    weight = np.int64(0)
    for w in range(shifts.size):
        weight += np.int64(popcount(rows[depth, w])) << shifts[w]
    return weight


@inner
def is_within(rows, depth, maps, item):
    """Return whether every row at level ``depth`` holds ``item``."""
    for w in range(rows.shape[1]):
        if rows[depth, w] & ~maps[item, w]:
            return False
    return True


@inner
def narrow(rows, depth, maps, item):
    """Write to level ``depth`` + 1 the rows of level ``depth`` that hold ``item``."""
    for w in range(rows.shape[1]):
        rows[depth + 1, w] = rows[depth, w] & maps[item, w]


@inner
def is_shadowed(maps, sets, rows, menus, held, excluded, depth, here):
    """Return whether an excluded item is in all rows at level ``depth`` + 1, reached through place ``here``.

    Of the places before ``here``, only those of the same count can be; they are excluded further down. A few rows are
    looked at first, each of another word: few items are in all of them.
    """
    is_found, words = False, rows.shape[1]
    for i in range(excluded.shape[1]):
        left, place, w, looks = excluded[depth, i], here, 0, 0 if sets.shape[0] else LOOKS
        while place > 0 and held[depth, place - 1] == held[depth, here]:
            place -= 1
            if menus[depth, place] >> 6 == i:
                left |= ONE << np.uint64(menus[depth, place] & 63)
        while left and looks < LOOKS and w < words:
            if rows[depth + 1, w]:
                left &= sets[(w << 6) + lowest_bit(rows[depth + 1, w]), i]
                looks += 1
            w += 1
        while left and not is_found:
            is_found = is_within(rows, depth + 1, maps, (i << 6) + lowest_bit(left))
            left &= left - ONE
    return is_found


@inner
def is_preceded(records, starts, first, known, rows, depth, common):
    """Return whether more than ``known`` items below ``first`` are in all rows at level ``depth``."""
    size, is_fresh = first, True
    for w in range(rows.shape[1]):
        left = rows[depth, w] if size > known else NONE
        while left and size > known:
            start = starts[(w << 6) + lowest_bit(left)]
            if is_fresh:
                size, is_fresh = copy_below(records, start, first, common), False
            else:
                size = keep_common(records, start, common, size)
            left &= left - ONE
    return size > known


@inner
def copy_below(records, start, first, common):
    """Copy the items below ``first`` of a row, which rise; return how many."""
    size, stop = 0, records[start]
    while size < stop and records[start + HEAD + size] < first:
        common[size] = records[start + HEAD + size]
        size += 1
    return size


@inner
def keep_common(records, start, common, size):
    """Keep those of the first ``size`` items of ``common``, which rise, that a row holds; return how many."""
    kept, entry, stop = 0, start + HEAD, start + HEAD + records[start]
    for i in range(size):
        while entry < stop and records[entry] < common[i]:
            entry += 1
        if entry < stop and records[entry] == common[i]:
            common[kept] = common[i]
            kept += 1
    return kept


@inner
def find_thin(frame, menu, place):
    """Return the first place of a menu from ``place`` on where a frame of the rows that hold its item pays off.

    That is where few of many rows hold it. Return the end of the menu if there is none.
    """
    words = frame.shifts.size
    if words < WIDE or frame.sets.shape[0] == 0:
        return menu.stop
    while place < menu.stop:
        held = np.int64(0)
        for w in range(words):
            held += np.int64(popcount(frame.maps[menu.items[place], w]))
        if THIN * held < words << 6:
            break
        place += 1
    return place


@inner
def transpose(square):
    """Transpose 64 words of 64 bits: squares of half the size change places, then those within them."""
    side, mask = 32, np.uint64(0xFFFFFFFF)
    while side > 0:
        shift = np.uint64(side)
        for start in range(0, 64, 2 * side):
            for b in range(start, start + side):
                both = (square[b] >> shift ^ square[b + side]) & mask
                square[b] ^= both << shift
                square[b + side] ^= both
        side >>= 1
        mask ^= mask << np.uint64(side)


@inner
def project(frame, item):
    """Return the frame of the rows that hold ``item``."""
    maps, sets, shifts, longest, records, starts, first, known = frame
    at = np.int64(0)
    for w in range(shifts.size):
        if w > 0 and shifts[w] != shifts[w - 1]:
            at = (at + 63) >> 6 << 6
        at += np.int64(popcount(maps[item, w]))
    words = (at + 63) >> 6
    new_maps, new_sets = np.empty((maps.shape[0], words), np.uint64), np.zeros((words << 6, sets.shape[1]), np.uint64)
    new_shifts, new_starts = np.empty(words, np.int64), np.empty(words << 6, np.int32)
    at = np.int64(0)
    for w in range(shifts.size):
        if w > 0 and shifts[w] != shifts[w - 1]:
            at = (at + 63) >> 6 << 6
        left = maps[item, w]
        while left:
            row = (w << 6) + lowest_bit(left)
            new_shifts[at >> 6], new_starts[at] = shifts[w], starts[row]
            for i in range(sets.shape[1]):
                new_sets[at, i] = sets[row, i]
            left, at = left & (left - ONE), at + 1
    square = np.empty(64, np.uint64)
    for i in range(sets.shape[1]):
        for w in range(words):
            for b in range(64):
                square[b] = new_sets[(w << 6) + b, i]
            transpose(square)
            for b in range(min(64, maps.shape[0] - (i << 6))):
                new_maps[(i << 6) + b, w] = square[b]
    return Frame(new_maps, new_sets, new_shifts, longest, records, new_starts, first, known)
