"""Small steps of many kernels: plain Python here, and compiled from compiled.py."""

import numpy as np

GOLDEN = 0x9E3779B97F4A7C15


def popcount(word):
    """Return how many bits of ``word`` are set."""
    return int(word).bit_count()


def lowest_bit(word):
    """Return the place of the lowest bit of ``word``, which must not be 0."""
    return (int(word) & -int(word)).bit_length() - 1


def mix(word):
    """Return a hash of ``word``: multiplied by the golden ratio and folded, so the lower half depends on all bits."""
    product = int(word) * GOLDEN & 0xFFFFFFFFFFFFFFFF
    return np.uint64(product ^ product >> 32)


def grow(array, size):
    """Return a copy of ``array`` with room for ``size`` entries, or lines if it has several columns."""
    copy = np.empty((size, *array.shape[1:]), array.dtype)
    copy[: array.shape[0]] = array
    return copy


def copy(data, start, stop, out, size):
    """Copy ``data`` from ``start`` to ``stop`` to ``out``, which has ``size`` entries so far; return its new size."""
    out[size : size + stop - start] = data[start:stop]
    return size + stop - start
