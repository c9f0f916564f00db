"""Kernels that those of other files call: arrays that grow, and streams of records.

Numba's caches of the other files do not notice a change here, or in words.py, compiled.py and the files that it
imports: delete them after one.
"""

import numpy as np

from discreet.kernels import Pace
from discreet.kernels.shapes import FOUND, FULL, HEAD, MOST, ROOM, STOP, Cells
from discreet.kernels.words import grow

if Pace.is_loading_plain:

    def jit(function):
        """Return a kernel that is not compiled."""
        return function

    hot = inner = jit

else:
    from discreet.kernels.compiled import hot, inner, jit  # noqa: F401 - other files import it from here


LONG = 1 << 18  # entries of a stream once it grows: memory that is not used costs nothing, and copying does


@inner
def size_table(many):
    """Return a power of 2, the size of a hash table that is at most half full with ``many`` entries."""
    size = 16
    while size < 2 * many:
        size *= 2
    return size


@inner
def find_place(numbers, number):
    """Return the first place of ``numbers``, which are increasing, where there is ``number`` or more."""
    low, high = 0, numbers.size
    while low < high:
        middle = (low + high) >> 1
        if numbers[middle] < number:
            low = middle + 1
        else:
            high = middle
    return low


@inner
def find_longest(offsets):
    """Return the length of the longest itemset, 0 if there is none."""
    longest = 0
    for number in range(offsets.size - 1):
        longest = max(longest, offsets[number + 1] - offsets[number])
    return longest


@inner
def make_cells(maps):
    """Return room for as many cells as there are bitmaps."""
    return Cells(np.empty(maps.shape[0], np.int32), maps, np.empty(maps.shape[0], np.int64))


@inner
def grow_cells(cells, size):
    """Return ``cells`` with room for ``size`` of them at least."""
    if size <= cells.counts.size:
        return cells
    return Cells(grow(cells.tops, 2 * size), grow(cells.maps, 2 * size), grow(cells.counts, 2 * size))


@inner
def trim(cells, size):
    """Return tops, bitmaps and numbers of rows of the first ``size`` cells."""
    return cells.tops[:size].copy(), cells.maps[:size].copy(), cells.counts[:size].copy()


@inner
def make_room(stream, at, length, control):
    """Return ``stream`` with room for a record of ``length`` items at ``at``; set STOP where a limit is reached."""
    if at > control[ROOM] or control[FOUND] > control[MOST]:
        control[STOP] = FULL
    size = at + HEAD + length
    return stream if stream.size >= size else grow(stream, max(LONG, 4 * size))


@inner
def write(stream, at, itemset, length, support, control):
    """Write one record at ``at``, where there must be room for it; return where the next one goes."""
    stream[at], stream[at + 1] = length, support
    for i in range(length):
        stream[at + HEAD + i] = itemset[i]
    control[FOUND] += 1
    return at + HEAD + length
