"""Kernels that turn the bytes of a FIMI file into rows, and its items into codes."""

import numpy as np
from numba import njit

from discreet.kernels.room import copy

jit = njit(cache=True, nogil=True)

TAB, LINE_FEED, RETURN, BLANK, MINUS, ZERO, NINE, DELETE = b"\t\n\r -09\x7f"
LARGEST = 2**31 - 1
NOWHERE, ANYWHERE = -1, -2


@jit
def parse(data, skipped, items, offsets):
    """Write the numbers of each line to ``items`` and where each row starts to ``offsets``.

    Return (error, line, rows, largest item). ``error`` is 0, or says what is wrong with ``line``
    (from 1): 1 no number, 2 a negative number, 3 a number above 2 ** 31 - 1, 4 a byte that is no text,
    5 a carriage return that ends no line. A line that begins with a byte ``b`` where ``skipped[b]``
    is no row. ``data`` holds uint8; ``items`` must have room for one number every second byte,
    ``offsets`` for two more than there are line feeds.
    """
    size = data.size
    at = rows = count = 0
    line = 0
    largest = np.int64(-1)
    offsets[0] = 0
    while at < size:
        line += 1
        if skipped[data[at]]:
            while at < size and data[at] != LINE_FEED:
                at += 1
            at += 1
            continue
        while at < size and data[at] != LINE_FEED:
            byte = data[at]
            if ZERO <= byte <= NINE:
                # An item has at most ten digits unless it is too large: ten nines fit in 64 bits.
                number = np.int64(0)
                while at < size and ZERO <= data[at] <= NINE:
                    number = number * 10 + (data[at] - ZERO)
                    at += 1
                    if number > LARGEST:
                        return 3, line, rows, largest
                if at < size and data[at] > BLANK:
                    continue
                items[count] = number
                count += 1
                largest = max(largest, number)
            elif byte in (BLANK, TAB):
                at += 1
            elif byte == RETURN:
                if at + 1 < size and ZERO <= data[at + 1] <= NINE:
                    return 5, line, rows, largest
                at += 1
            elif byte == MINUS and at + 1 < size and ZERO <= data[at + 1] <= NINE:
                return 2, line, rows, largest
            elif byte < BLANK or byte == DELETE:
                return 4, line, rows, largest
            else:
                return 1, line, rows, largest
        at += 1
        rows += 1
        offsets[rows] = count
    return 0, line, rows, largest


@jit
def mark(items, present):
    """Set ``present[item]`` for each item; ``present`` has a place for the largest."""
    for at in range(items.size):
        present[items[at]] = True


@jit
def recode(items, codes):
    """Replace each item by ``codes[item]``, in place."""
    for at in range(items.size):
        items[at] = codes[items[at]]


@jit
def recode_by_search(items, labels):
    """Replace each item by its place in ``labels``, in place; ``labels`` is increasing and holds them all."""
    for at in range(items.size):
        low = 0
        high = labels.size - 1
        while low < high:
            middle = (low + high) // 2
            if labels[middle] < items[at]:
                low = middle + 1
            else:
                high = middle
        items[at] = low


@jit
def select(offsets, items, wanted):
    """Keep of each row the items that are ``wanted``, each as its place there, in place; return how many are left.

    ``wanted`` is increasing; the caller cuts ``items`` to the returned size. The last bits of an item lead to the only
    place where it can be, or to none; where wanted items have them in common, all are searched.
    """
    places = np.full(1 << 16, NOWHERE, np.int32)
    for place in range(wanted.size):
        bits = wanted[place] & 0xFFFF
        places[bits] = place if places[bits] == NOWHERE else ANYWHERE
    size = start = 0
    for row in range(offsets.size - 1):
        stop = offsets[row + 1]
        offsets[row] = size
        for at in range(start, stop):
            place = places[items[at] & 0xFFFF]
            if place == NOWHERE:
                continue
            found = place if place != ANYWHERE else min(np.searchsorted(wanted, items[at]), wanted.size - 1)
            if wanted[found] == items[at]:
                items[size] = found
                size += 1
        start = stop
    offsets[offsets.size - 1] = size
    return size


@jit
def without(data, starts, stops, offsets, numbers, out):
    """Write lines to ``out``, each without its ``numbers[offsets[i]:offsets[i + 1]]``; return the size of all of them.

    Line ``i`` goes from ``starts[i]`` to ``stops[i]``, where its line end follows. A number that stays comes with what
    stands before it, the first one with the beginning of the line. ``out`` must have room for all ``data``.
    """
    size = 0
    for i in range(starts.size):
        stop = stops[i]
        run = at = starts[i]
        while at < stop and not ZERO <= data[at] <= NINE:
            at += 1
        gap = at  # what stands between two numbers begins here
        cut = at == stop
        any_kept = False
        while at < stop:
            digits = at
            number = np.int64(0)
            while at < stop and ZERO <= data[at] <= NINE:
                number = number * 10 + (data[at] - ZERO)
                at += 1
            gone = False
            for place in range(offsets[i], offsets[i + 1]):
                gone |= numbers[place] == number
            if gone and not cut:
                size = copy(data, run, gap, out, size)
            elif cut and not gone:
                run = gap if any_kept else digits
            any_kept |= not gone
            cut = gone
            gap = at
            while at < stop and not ZERO <= data[at] <= NINE:
                at += 1
        size = copy(data, gap if cut else run, stop, out, size)
        out[size] = LINE_FEED
        size += 1
    return size
