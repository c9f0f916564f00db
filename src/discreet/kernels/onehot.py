"""Kernels that read a one-hot table from the bytes of a CSV file: which cells hold a one, and where cells are."""

from numba import njit

jit = njit(cache=True, nogil=True)

TAB, LINE_FEED, RETURN, BLANK, QUOTE, POINT, ZERO, ONE = b'\t\n\r ".01'
TRUE, FALSE = b"true", b"false"
LOWER = 32
"""The bit that makes a letter a small one."""

FINE, EMPTY, OTHER, BROKEN, RAGGED = 0, 2, 3, 4, 5
"""What can be wrong with a cell: it is empty, holds no 0 or 1, or its quotes; or with the number of cells in a line."""


@jit
def parse(data, at, separator, width, id_column, items, offsets, ids):
    """Write the columns that hold a one, the one of ids not counted, to ``items``, and where rows start to ``offsets``.

    The table begins at ``at``, after its header of ``width`` columns; lines of blanks are no rows. The text of the
    column ``id_column`` (-1: none) goes from ``ids[row, 0]`` to ``ids[row, 1]``. Return (error, where its line starts,
    column, rows). ``data`` holds uint8; ``items`` has room for one every second byte, ``offsets`` and ``ids`` for two
    more than there are line ends.
    """
    rows = count = 0
    offsets[0] = 0
    while at < data.size:
        line = at
        at = after_blanks(data, line, separator)
        if at == data.size or data[at] in (LINE_FEED, RETURN):
            at += 1
            continue
        at, item = line, 0
        for column in range(width):
            # The plain cell, nearly all of them: a digit, and a separator after it.
            if at + 1 < data.size and data[at + 1] == separator and column < width - 1 and column != id_column:
                digit = data[at]
                if digit in (ZERO, ONE):
                    items[count] = item
                    count += digit - ZERO
                    item += 1
                    at += 2
                    continue
            start, stop, end = cell(data, at, separator)
            if end < 0:
                return BROKEN, line, column, rows
            if (end < data.size and data[end] == separator) != (column < width - 1):
                return RAGGED, line, column, rows
            if column == id_column:
                ids[rows, 0] = start
                ids[rows, 1] = stop
            else:
                held = value(data, start, stop, separator)
                if held > 1:
                    return held, line, column, rows
                items[count] = item
                count += held
                item += 1
            at = end + 1
        rows += 1
        offsets[rows] = count
    return FINE, at, 0, rows


@jit
def find(data, at, separator, rows, columns, bounds):
    """Write where cells start and stop to ``bounds``; their rows and columns go by rows, then by columns.

    The table begins at ``at``, and ``parse`` has found it to be whole.
    """
    row = found = 0
    while found < rows.size:
        line = at
        at = after_blanks(data, line, separator)
        if data[at] in (LINE_FEED, RETURN):
            at += 1
            continue
        at, column, goes_on = line, 0, True
        while goes_on:
            start, stop, end = cell(data, at, separator)
            if found < rows.size and rows[found] == row and columns[found] == column:
                bounds[found, 0] = start
                bounds[found, 1] = stop
                found += 1
            goes_on = end < data.size and data[end] == separator
            at = end + 1
            column += 1
        row += 1


@jit
def cell(data, at, separator):
    """Return where the text of the cell at ``at`` starts and stops, and where the cell ends: -1 if quotes are wrong.

    Blanks and quotes around the text are no part of it. A cell ends at a separator, at a line end or with the data.
    """
    start = after_blanks(data, at, separator)
    if start < data.size and data[start] == QUOTE:
        start += 1
        stop = closing_quote(data, start)
        end = after_blanks(data, stop + 1, separator)
        if stop == data.size or not ends_cell(data, end, separator):
            end = -1
        return start, stop, end
    end = start
    while not ends_cell(data, end, separator):
        end += 1
    stop = end
    while stop > start and (data[stop - 1] == BLANK or data[stop - 1] == TAB):
        stop -= 1
    return start, stop, end


@jit
def closing_quote(data, at):
    """Return where the quote is that closes a text; two of them stand for one within it. Else where the data ends."""
    while at < data.size:
        if data[at] == QUOTE:
            if at + 1 == data.size or data[at + 1] != QUOTE:
                return at
            at += 1
        at += 1
    return data.size


@jit
def ends_cell(data, at, separator):
    """Return whether a cell ends at ``at``."""
    return at >= data.size or data[at] == separator or data[at] == LINE_FEED or data[at] == RETURN


@jit
def after_blanks(data, at, separator):
    """Return where the blanks from ``at`` on end; what separates cells is none."""
    while at < data.size and (data[at] == BLANK or data[at] == TAB) and data[at] != separator:
        at += 1
    return at


@jit
def value(data, start, stop, separator):
    """Return 0 or 1, as a text says it: 1, 1.0, or true in any letters; else EMPTY or OTHER."""
    start = after_blanks(data, start, separator)
    while stop > start and (data[stop - 1] == BLANK or data[stop - 1] == TAB):
        stop -= 1
    size = stop - start
    if size <= 0:
        return EMPTY
    if size == 1 or (size == 3 and data[start + 1] == POINT and data[start + 2] == ZERO):
        if data[start] == ZERO:
            return 0
        return 1 if data[start] == ONE else OTHER
    if says(data, start, size, TRUE):
        return 1
    return 0 if says(data, start, size, FALSE) else OTHER


@jit
def says(data, start, size, word):
    """Return whether the ``size`` bytes from ``start`` on are a word of small letters, in letters of any size."""
    if size != len(word):
        return False
    for at in range(size):
        if data[start + at] | LOWER != word[at]:
            return False
    return True
