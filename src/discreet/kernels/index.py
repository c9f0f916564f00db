"""Kernels on inverted lists: for each item the numbers of its rows, in the portable format of Roaring bitmaps.

A list is a cookie and the number of its containers (32 bits each), then for each container its key and its size less
one (16 bits each), then where each container begins (32 bits each), then the containers. One stands for the rows of
one block, 65,536 of them: the lower 16 bits of their numbers, in order, while they are few, else one bit per row. All
numbers are little-endian.
"""

import numpy as np

from discreet.kernels.common import inner, jit

BLOCK = 1 << 16
FEW = 4096
DENSE_BYTES = BLOCK // 8
COOKIE = 12346
HEAD_BYTES = 8


@jit
def count(offsets, items, counts):
    """Write to ``counts[block, item]``, 0 before, how many rows of a block (``row // BLOCK``) hold an item."""
    for block in range(counts.shape[0]):
        last = min((block + 1) * BLOCK, offsets.size - 1)
        line = counts[block]
        for at in range(np.uint64(offsets[block * BLOCK]), np.uint64(offsets[last])):
            line[np.uint32(items[at])] += 1


@jit
def measure(counts, containers, sizes):
    """Write how many containers the list of each item has, and how many bytes; both come as zeros."""
    for block in range(counts.shape[0]):
        for item in range(counts.shape[1]):
            size = counts[block, item]
            if size > 0:
                containers[item] += 1
                sizes[item] += 8 + (DENSE_BYTES if size > FEW else 2 * size)
    for item in range(counts.shape[1]):
        sizes[item] += HEAD_BYTES


@jit
def write_lists(offsets, items, counts, containers, starts, out):
    """Write the list of each item to ``out`` from ``starts[item]`` on; ``out`` comes as zeros, with room for all."""
    many = containers.size
    # How many containers of each list are written, and where the next one begins, in bytes from its start.
    done, ends = np.zeros(many, np.int64), np.zeros(many, np.int64)
    for item in range(many):
        put(out, starts[item], COOKIE, 4)
        put(out, starts[item] + 4, containers[item], 4)
        ends[item] = HEAD_BYTES + 8 * containers[item]
    for block in range(counts.shape[0]):
        fresh = (starts[:many] + ends).astype(np.uint64)  # where the next row of each list goes
        for item in range(many):
            size = counts[block, item]
            if size > 0:
                head = starts[item] + HEAD_BYTES + 4 * done[item]
                put(out, head, block, 2)
                put(out, head + 2, size - 1, 2)
                put(out, head + 4 * containers[item], ends[item], 4)
                done[item] += 1
                ends[item] += DENSE_BYTES if size > FEW else 2 * size
        fill(offsets, items, counts[block], block * BLOCK, fresh, out)


@inner
def fill(offsets, items, counts, first, fresh, out):
    """Write the rows of the block from row ``first`` on into the containers that begin at ``fresh``.

    Places are unsigned: Numba checks the sign of a signed index at each use.
    """
    for row in range(first, min(first + BLOCK, offsets.size - 1)):
        low = np.uint64(row - first)
        byte, bit = low >> np.uint64(3), np.uint8(1 << (row - first & 7))
        for at in range(np.uint64(offsets[row]), np.uint64(offsets[row + 1])):
            item = np.uint32(items[at])
            begin = fresh[item]
            if counts[item] > FEW:
                out[begin + byte] |= bit
            else:
                out[begin] = low & np.uint64(255)
                out[begin + np.uint64(1)] = low >> np.uint64(8)
                fresh[item] = begin + np.uint64(2)


@inner
def put(out, at, number, size):
    """Write ``number`` in ``size`` bytes, the lowest first."""
    for place in range(size):
        out[at + place] = number >> 8 * place & 255
