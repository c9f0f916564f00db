"""Room: arrays that grow, and are filled.

With bits.py the one file of kernels that others call: it is small and final. Whoever changes it removes the caches of
the others.
"""

import numpy as np
from numba import njit

jit = njit(cache=True, nogil=True)


@jit
def grown(array, size):
    """Return a copy of ``array`` with room for ``size`` entries, or lines if it has several columns."""
    copy = np.empty((size, *array.shape[1:]), array.dtype)
    copy[: array.shape[0]] = array
    return copy


@jit
def copy(data, start, stop, out, size):
    """Copy ``data`` from ``start`` to ``stop`` to ``out``, which has ``size`` bytes so far; return its new size."""
    part, place = data[start:stop], out[size : size + stop - start]
    for at in range(part.size):
        place[at] = part[at]
    return size + stop - start
