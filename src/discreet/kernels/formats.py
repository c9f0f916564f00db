"""Kernels that read and rewrite the bytes of text files: FIMI, one-hot tables, and lines of any kind."""

import numpy as np

from discreet.kernels.common import find_place, inner, jit
from discreet.kernels.words import copy

TAB, LINE_FEED, RETURN, BLANK, QUOTE, MINUS, POINT, ZERO, UNIT, NINE, DELETE = b'\t\n\r "-.019\x7f'
LARGEST = 2**31 - 1
NOWHERE, ANYWHERE = -1, -2
TRUE, FALSE = b"true", b"false"
LOWER = 32  # the bit that makes a letter lower case
# Errors of a cell: it is empty, is not 0 or 1, or has broken quotes; or the number of cells is wrong.
FINE, EMPTY, OTHER, BROKEN, RAGGED = 0, 2, 3, 4, 5


@jit
def parse_fimi(data, skipped, items, offsets):
    """Write the numbers of each line to ``items`` and where each row starts to ``offsets``.

    Return (error, line, rows, largest item). ``error`` is 0, or says what is wrong with ``line`` (from 1): 1 no number,
    2 a negative number, 3 a number above 2 ** 31 - 1, 4 a byte that is no text, 5 a carriage return that ends no line.
    A line whose first byte is ``skipped`` is no row. ``data`` holds uint8; ``items`` must have room for one number
    every second byte, ``offsets`` for two more than there are line feeds.
    """
    size, largest = data.size, np.int64(-1)
    at = rows = count = line = offsets[0] = 0
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
def recode(items, codes):
    """Replace each item by ``codes[item]``, in place."""
    for at in range(items.size):
        items[at] = codes[items[at]]


@jit
def recode_by_search(items, labels):
    """Replace each item by its place in ``labels``, in place; ``labels`` is increasing and holds them all."""
    for at in range(items.size):
        items[at] = find_place(labels, items[at])


@jit
def select(offsets, items, wanted):
    """Keep of each row the items that are ``wanted``, each as its place there, in place; return how many are left.

    ``wanted`` rises. The last bits of an item lead to one place, to none, or to all where several share them.
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
            found = place if place != ANYWHERE else min(find_place(wanted, items[at]), wanted.size - 1)
            if wanted[found] == items[at]:
                items[size] = found
                size += 1
        start = stop
    offsets[offsets.size - 1] = size
    return size


@jit
def drop_numbers(data, starts, stops, offsets, numbers, out):
    """Write lines to ``out``, each without its ``numbers[offsets[i]:offsets[i + 1]]``; return the size of all of them.

    Line ``i`` goes from ``starts[i]`` to ``stops[i]``, where its line end follows. A number that stays keeps the text
    before it, the first one the beginning of the line. ``out`` must have room for all ``data``.
    """
    size = 0
    for i in range(starts.size):
        stop, run = stops[i], starts[i]
        gap = at = find_digit(data, run, stop)  # the text between two numbers begins at the gap
        cut, any_kept = at == stop, False
        while at < stop:
            digits, number = at, np.int64(0)
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
            cut, gap, at = gone, at, find_digit(data, at, stop)
        size = copy(data, gap if cut else run, stop, out, size)
        out[size] = LINE_FEED
        size += 1
    return size


@inner
def find_digit(data, at, stop):
    """Return the place of the first digit from ``at`` on, or ``stop``."""
    while at < stop and not ZERO <= data[at] <= NINE:
        at += 1
    return at


@jit
def parse_onehot(data, at, separator, width, id_column, items, offsets, ids):
    """Write the columns that hold a one to ``items``, not counting the id column, and where rows start to ``offsets``.

    The table begins at ``at``, after its header of ``width`` columns; lines of blanks are no rows. The text of the
    column ``id_column`` (-1: none) goes from ``ids[row, 0]`` to ``ids[row, 1]``. Return (error, where its line starts,
    column, rows). ``items`` has room for one every second byte, ``offsets`` and ``ids`` for two more than there are
    line ends.
    """
    rows = count = offsets[0] = 0
    while at < data.size:
        line, at = at, skip_blanks(data, at, separator)
        if at == data.size or data[at] in (LINE_FEED, RETURN):
            at += 1
            continue
        at, item = line, 0
        for column in range(width):
            # The plain cell, nearly all of them: a digit, and a separator after it.
            if at + 1 < data.size and data[at + 1] == separator and column < width - 1 and column != id_column:
                digit = data[at]
                if digit in (ZERO, UNIT):
                    items[count], item, at = item, item + 1, at + 2
                    count += digit - ZERO
                    continue
            start, stop, end = find_cell(data, at, separator)
            if end < 0:
                return BROKEN, line, column, rows
            if (end < data.size and data[end] == separator) != (column < width - 1):
                return RAGGED, line, column, rows
            if column == id_column:
                ids[rows, 0], ids[rows, 1] = start, stop
            else:
                held = read_value(data, start, stop, separator)
                if held > 1:
                    return held, line, column, rows
                items[count], item = item, item + 1
                count += held
            at = end + 1
        rows += 1
        offsets[rows] = count
    return FINE, at, 0, rows


@jit
def find_cells(data, at, separator, rows, columns, bounds):
    """Write where cells, sorted by row and column, start and stop in a table that ``parse_onehot`` has accepted."""
    row = found = 0
    while found < rows.size:
        line, at = at, skip_blanks(data, at, separator)
        if data[at] in (LINE_FEED, RETURN):
            at += 1
            continue
        at, column, goes_on = line, 0, True
        while goes_on:
            start, stop, end = find_cell(data, at, separator)
            if found < rows.size and rows[found] == row and columns[found] == column:
                bounds[found, 0], bounds[found, 1] = start, stop
                found += 1
            goes_on = end < data.size and data[end] == separator
            at, column = end + 1, column + 1
        row += 1


@inner
def find_cell(data, at, separator):
    """Return where the bare text of a cell starts and stops, and where the cell ends: -1 if quotes are wrong."""
    start = skip_blanks(data, at, separator)
    if start < data.size and data[start] == QUOTE:
        stop = find_quote(data, start + 1)
        end = skip_blanks(data, stop + 1, separator)
        return start + 1, stop, end if stop < data.size and ends_cell(data, end, separator) else -1
    end = start
    while not ends_cell(data, end, separator):
        end += 1
    return start, cut_blanks(data, start, end), end


@inner
def find_quote(data, at):
    """Return the place of the quote that closes a text, or the end of the data; two quotes stand for one."""
    while at < data.size:
        if data[at] == QUOTE:
            if at + 1 == data.size or data[at + 1] != QUOTE:
                return at
            at += 1
        at += 1
    return data.size


@inner
def ends_cell(data, at, separator):
    """Return whether a cell ends at ``at``."""
    return at >= data.size or data[at] == separator or data[at] == LINE_FEED or data[at] == RETURN


@inner
def skip_blanks(data, at, separator):
    """Return where the blanks from ``at`` on end; a separator is not a blank."""
    while at < data.size and (data[at] == BLANK or data[at] == TAB) and data[at] != separator:
        at += 1
    return at


@inner
def cut_blanks(data, start, stop):
    """Return where the text from ``start`` to ``stop`` ends without the blanks at its end."""
    while stop > start and (data[stop - 1] == BLANK or data[stop - 1] == TAB):
        stop -= 1
    return stop


@inner
def read_value(data, start, stop, separator):
    """Return the value of a text, 0 or 1 (such as 1, 1.0, or true in any case); else EMPTY or OTHER."""
    start = skip_blanks(data, start, separator)
    size = cut_blanks(data, start, stop) - start
    if size <= 0:
        return EMPTY
    if size == 1 or (size == 3 and data[start + 1] == POINT and data[start + 2] == ZERO):
        return np.int64(data[start]) - ZERO if data[start] in (ZERO, UNIT) else OTHER
    if is_word(data, start, size, TRUE):
        return 1
    return 0 if is_word(data, start, size, FALSE) else OTHER


@inner
def is_word(data, start, size, word):
    """Return whether the ``size`` bytes from ``start`` on are a lower-case word, in any case."""
    if size != len(word):
        return False
    for at in range(size):
        if data[start + at] | LOWER != word[at]:
            return False
    return True


@jit
def join_lines(data, starts, stops, out):
    """Write the lines from ``starts`` to ``stops``, each with a line end, to ``out``, which has just that room."""
    size = 0
    for line in range(starts.size):
        size = copy(data, starts[line], stops[line], out, size)
        out[size] = LINE_FEED
        size += 1


@jit
def splice_lines(data, bounds, lines, new, out):
    """Write ``data`` to ``out`` with new ``lines`` in the places of others; return how many bytes that takes.

    ``bounds`` are where replaced lines start and stop in ``data``, ``new`` the same in ``lines``; none gets longer. An
    emptied line at the end gets a line end: without one it would not be a row. ``out`` has room for one byte more.
    """
    (starts, stops), (firsts, lasts) = bounds, new
    at = size = 0
    for line in range(starts.size):
        size = copy(data, at, starts[line], out, size)
        size = copy(lines, firsts[line], lasts[line], out, size)
        at = stops[line]
        if at == data.size and firsts[line] == lasts[line]:
            out[size] = LINE_FEED
            size += 1
    return copy(data, at, data.size, out, size)
