"""Kernels that take lines out of a file, and put others in their places."""

from numba import njit

from discreet.kernels.room import copy

jit = njit(cache=True, nogil=True)

LINE_FEED = 10


@jit
def gather(data, starts, stops, out):
    """Write the lines from ``starts`` to ``stops``, each with a line end, to ``out``, which has just room for that."""
    size = 0
    for line in range(starts.size):
        size = copy(data, starts[line], stops[line], out, size)
        out[size] = LINE_FEED
        size += 1


@jit
def splice(data, bounds, lines, new, out):
    """Write ``data`` to ``out`` with new ``lines`` in the places of others; return how many bytes that takes.

    ``bounds`` are two arrays, where the lines start in ``data`` and where they stop; ``new`` says so of those in
    ``lines``. A line at the end of ``data``, where no line end follows, gets one if nothing is left of it: else it were
    no row. ``out`` must have room for a byte more than ``data``, and no new line is longer than what it stands for.
    """
    starts, stops = bounds
    firsts, lasts = new
    at = size = 0
    for line in range(starts.size):
        size = copy(data, at, starts[line], out, size)
        size = copy(lines, firsts[line], lasts[line], out, size)
        at = stops[line]
        if at == data.size and firsts[line] == lasts[line]:
            out[size] = LINE_FEED
            size += 1
    return copy(data, at, data.size, out, size)
