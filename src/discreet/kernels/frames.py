"""Steps on frames, for the searches: search_frames.py says what a frame is.

Numba's cache of that file does not notice a change here: delete it after one.
"""

import numpy as np

from discreet.kernels.common import inner
from discreet.kernels.shapes import HEAD, ONE, Frame
from discreet.kernels.words import lowest_bit, popcount

LOOKS = 8  # rows that are looked at before bitmaps
WIDE = 64  # words of a frame of which smaller ones are made
THIN = 3  # for items that less than one of so many rows holds
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
def is_thin(frame, item):
    """Return whether so few of many rows hold ``item`` that a frame of their own pays off."""
    words, held = frame.shifts.size, np.int64(0)
    if words < WIDE or frame.sets.shape[0] == 0:
        return False
    for w in range(words):
        held += np.int64(popcount(frame.maps[item, w]))
    return THIN * held < words << 6


@inner
def project(frame, item):
    """Return the frame of the rows that hold ``item``."""
    maps, sets, shifts, longest, records, starts, first, known = frame
    spots, at = np.empty(shifts.size, np.int64), np.int64(0)
    for w in range(shifts.size):
        if w > 0 and shifts[w] != shifts[w - 1]:
            at = (at + 63) >> 6 << 6
        spots[w] = at
        at += np.int64(popcount(maps[item, w]))
    words = (at + 63) >> 6
    new_maps, new_sets = np.zeros((maps.shape[0], words), np.uint64), np.empty((words << 6, sets.shape[1]), np.uint64)
    new_shifts, new_starts = np.empty(words, np.int64), np.empty(words << 6, np.int32)
    for w in range(shifts.size):
        left, at = maps[item, w], spots[w]
        while left:
            row, word, bit = (w << 6) + lowest_bit(left), at >> 6, ONE << np.uint64(at & 63)
            new_shifts[word], new_starts[at] = shifts[w], starts[row]
            for i in range(sets.shape[1]):
                items, new_sets[at, i] = sets[row, i], sets[row, i]
                while items:
                    new_maps[(i << 6) + lowest_bit(items), word] |= bit
                    items &= items - ONE
            left, at = left & (left - ONE), at + 1
    return Frame(new_maps, new_sets, new_shifts, longest, records, new_starts, first, known)
