"""Bits of a word, arrays that grow, and streams of records, for all files of kernels.

Numba's caches of the other files do not notice a change here: delete them after one.

``control`` is an array that a search shares with its caller. Either side sets STOP; the search sets FOUND (itemsets so
far), DONE and PART (its progress); the caller sets MOST and ROOM, the limits of itemsets and entries. INNER is set
while one search runs inside another.
"""

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic, overload

jit = njit(cache=True, nogil=True)

ONE = np.uint64(1)
HEAD = 2  # entries at the head of a record: its length and its support or weight
STOP, FOUND, MOST, ROOM, DONE, PART, INNER = 0, 1, 2, 3, 4, 5, 6
CONTROLS = 7
STOPPED, FULL = 1, 2


class Frame(NamedTuple):
    """Bitmaps with a line per item, the shift of each word, and the length of the longest row."""

    maps: np.ndarray
    shifts: np.ndarray
    longest: int


class Menu(NamedTuple):
    """Items (places of a frame), their supports, and the first and the last place to go through."""

    items: np.ndarray
    counts: np.ndarray
    start: int
    stop: int


class Prefix(NamedTuple):
    """An array for an itemset, and how many of its items are part of all itemsets found."""

    itemset: np.ndarray
    length: int


class Cells(NamedTuple):
    """The top of each cell, the bitmap of its base, and its number of rows."""

    tops: np.ndarray
    maps: np.ndarray
    counts: np.ndarray


class Goal(NamedTuple):
    """The least support, the least length and the greatest length of the itemsets to find."""

    least: int
    shortest: int
    longest: int


def popcount(word):
    """Return how many bits of ``word`` are set."""
    return int(word).bit_count()


def lowest_bit(word):
    """Return the place of the lowest bit of ``word``, which must not be 0."""
    return (int(word) & -int(word)).bit_length() - 1


def mix(word):
    """Return a hash of ``word``: multiplied by the golden ratio and folded, so the lower half depends on all bits."""
    product = int(word) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
    return np.uint64(product ^ product >> 32)


@intrinsic
def _ctpop(_typing, _word):
    def generate(_context, builder, _signature, arguments):
        return builder.call(builder.module.declare_intrinsic("llvm.ctpop", [arguments[0].type]), arguments)

    return types.uint64(types.uint64), generate


@intrinsic
def _cttz(_typing, _word):
    def generate(_context, builder, _signature, arguments):
        word = arguments[0].type
        shape = ir.FunctionType(word, [word, ir.IntType(1)])
        function = builder.module.declare_intrinsic("llvm.cttz", [word], shape)
        return builder.call(function, [arguments[0], ir.Constant(ir.IntType(1), 1)])

    return types.uint64(types.uint64), generate


@overload(popcount)
def _popcount(word):
    return lambda word: _ctpop(word)


@overload(lowest_bit)
def _lowest_bit(word):
    return lambda word: np.int64(_cttz(word))


@overload(mix)
def _mix(word):
    def mix(word):
        product = np.uint64(word) * np.uint64(0x9E3779B97F4A7C15)
        return product ^ (product >> np.uint64(32))

    return mix


@jit
def grow(array, size):
    """Return a copy of ``array`` with room for ``size`` entries, or lines if it has several columns."""
    copy = np.empty((size, *array.shape[1:]), array.dtype)
    copy[: array.shape[0]] = array
    return copy


@jit
def size_table(many):
    """Return a power of 2, the size of a hash table that is at most half full with ``many`` entries."""
    size = 16
    while size < 2 * many:
        size *= 2
    return size


@jit
def find_longest(offsets):
    """Return the length of the longest itemset, 0 if there is none."""
    longest = 0
    for number in range(offsets.size - 1):
        longest = max(longest, offsets[number + 1] - offsets[number])
    return longest


@jit
def make_cells(maps):
    """Return room for as many cells as there are bitmaps."""
    return Cells(np.empty(maps.shape[0], np.int32), maps, np.empty(maps.shape[0], np.int64))


@jit
def grow_cells(cells, size):
    """Return ``cells`` with room for ``size`` of them at least."""
    if size <= cells.counts.size:
        return cells
    return Cells(grow(cells.tops, 2 * size), grow(cells.maps, 2 * size), grow(cells.counts, 2 * size))


@jit
def trim(cells, size):
    """Return tops, bitmaps and numbers of rows of the first ``size`` cells."""
    return cells.tops[:size].copy(), cells.maps[:size].copy(), cells.counts[:size].copy()


@jit
def copy(data, start, stop, out, size):
    """Copy ``data`` from ``start`` to ``stop`` to ``out``, which has ``size`` bytes so far; return its new size."""
    part, place = data[start:stop], out[size : size + stop - start]
    for at in range(part.size):
        place[at] = part[at]
    return size + stop - start


@jit
def make_room(stream, at, length, control):
    """Return ``stream`` with room for a record of ``length`` items at ``at``; set STOP where a limit is reached."""
    if at > control[ROOM] or control[FOUND] > control[MOST]:
        control[STOP] = FULL
    size = at + HEAD + length
    return stream if stream.size >= size else grow(stream, 2 * size)


@jit
def write(stream, at, itemset, length, support, control):
    """Write one record at ``at``, where there must be room for it; return where the next one goes."""
    stream[at], stream[at + 1] = length, support
    for i in range(length):
        stream[at + HEAD + i] = itemset[i]
    control[FOUND] += 1
    return at + HEAD + length
