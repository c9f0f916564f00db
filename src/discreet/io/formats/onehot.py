"""One-hot tables in CSV: a header of labels, then a row a line with 1 or true where it holds the item."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.labels import recode
from discreet.data.transactions import Transactions
from discreet.errors import InputError, Option, OptionError, OutputError
from discreet.io.files import Data
from discreet.io.formats.csv import as_separator, holds, line, parsed, text_of, unescaped
from discreet.io.formats.fimi import BYTE_ORDER_MARK
from discreet.io.label_codes import Coded, as_labels, as_text, as_texts, refuse_what_lines_cannot_hold, used
from discreet.io.tables import Losses, check_held

BLOCK: Final = 1 << 22
"""Bytes that are put together before they are written."""

LINE_END: Final = re.compile(rb"\r\n|\r|\n")
ZEROS: Final = {b"1": b"0", b"1.0": b"0.0", b"true": b"false", b"True": b"False", b"TRUE": b"FALSE"}
"""What stands for a one, and what for the zero that it becomes."""


def read(data: Data, *, separator: str = ",", row: str | None = None) -> Transactions:
    r"""Return the rows of a one-hot table; ``row`` names the column of row ids, if it has one.

    A cell is 0 or 1, also as 0.0 and 1.0, or false or true in letters of any size, perhaps in quotes. Lines of blanks
    are no rows. Blanks are part of labels, and no part of ids; both are whole numbers where all look so.

    >>> rows = read(b"who,tea,rye bread\n7,1,0\n8,true,TRUE\n", row="who")
    >>> [sorted(row) for row in rows], rows.ids
    ([['tea'], ['rye bread', 'tea']], [7, 8])
    """
    table = _parsed(data, separator, row)
    items, labels = recode(table.items, as_labels(table.texts))
    return Coded(table.offsets, items, labels, _ids(data, table)).transactions()


def write(rows: Transactions) -> Iterator[bytes]:
    """Yield the rows as a table of 0 and 1, in chunks."""
    refuse_what_lines_cannot_hold(rows, "a one-hot table")
    texts, codes = as_texts(rows, "a one-hot table", lambda text: holds(text.strip()) and holds(text)), used(rows)
    if not codes:
        raise OutputError("no row holds an item, and a one-hot table has a column an item; write another format")
    yield f"{line(texts[code] for code in codes)}\n".encode()
    column = np.zeros(len(rows.labels), dtype=np.int64)
    column[codes] = np.arange(len(codes))
    step = max(1, BLOCK // (2 * len(codes)))
    for first in range(0, rows.n, step):
        bounds = rows.offsets[first : first + step + 1]
        lines = np.full((bounds.size - 1, 2 * len(codes)), ord(","), dtype=np.uint8)
        lines[:, ::2] = ord("0")
        lines[:, -1] = ord("\n")
        held = column[rows.items[bounds[0] : bounds[-1]]]
        lines[np.repeat(np.arange(bounds.size - 1), np.diff(bounds)), 2 * held] = ord("1")
        yield lines.tobytes()


def without(data: Data, losses: Losses, *, separator: str = ",", row: str | None = None) -> Iterator[bytes]:
    """Yield the table again, in which the ones of what rows lose are zeros and all else is the same bytes."""
    table = _parsed(data, separator, row)
    cells = [(number, str(item)) for number, lost in losses.items() for item in lost]
    item = {text: code for code, text in enumerate(table.texts)}
    check_held([cell for cell in cells if cell[0] >= table.n or cell[1] not in item])
    held = np.repeat(np.arange(table.n), np.diff(table.offsets)) * len(item) + table.items
    places = np.array(sorted(number * len(item) + item[text] for number, text in cells), dtype=np.int64)
    check_held([(place // len(item), None) for place in places[~np.isin(places, held)].tolist()])
    at = 0
    for start, stop in _bounds(data, table, places).tolist():
        yield bytes(data[at:start])
        yield _zero(bytes(data[start:stop]))
        at = stop
    yield bytes(data[at:])


class _Table(NamedTuple):
    """A one-hot table as it stands in a file: the texts of its header, and what rows hold by their places there.

    The column of ids, -1 if there is none, is left out of the texts; of each row, ``ids`` says where that text starts
    and stops.
    """

    separator: int
    start: int
    id_column: int
    texts: list[str]
    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    ids: NDArray[np.int64]

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.offsets.size - 1


def _parsed(data: Data, separator: str, row: str | None) -> _Table:
    as_separator(separator)
    if not separator.isascii():
        raise OptionError("the separator of a one-hot table must be an ASCII character such as ',' or ';'")
    as_text(data)
    header, start = _header(data, separator)
    id_column = _id_column(header, row)
    seen = _seen(data)
    lines = 2 + sum(int(np.count_nonzero(seen == end)) for end in b"\r\n")
    items, offsets = np.empty(seen.size // 2 + 1, dtype=np.int32), np.empty(lines, dtype=np.int64)
    ids = np.empty((lines if row is not None else 0, 2), dtype=np.int64)
    error, line, column, n = kernels.formats.parse_onehot(
        seen, start, ord(separator), len(header), id_column, items, offsets, ids
    )
    if error != kernels.formats.FINE:
        raise _wrong(error, len(LINE_END.findall(data, 0, line)) + 1, column + 1, len(header))
    texts = [text for at, text in enumerate(header) if at != id_column]
    return _Table(
        ord(separator), start, id_column, texts, offsets[: n + 1].copy(), items[: offsets[n]].copy(), ids[:n].copy()
    )


def _seen(data: Data) -> NDArray[np.uint8]:
    seen = np.frombuffer(data, dtype=np.uint8)
    seen.setflags(write=False)  # as bytes and bytearray are one type to the kernels then, they are compiled once
    return seen


def _header(data: Data, separator: str) -> tuple[list[str], int]:
    """Return the texts of the first line that is not empty, and where the table begins after it."""
    start = len(BYTE_ORDER_MARK) if data.startswith(BYTE_ORDER_MARK) else 0
    for text, record in parsed(text_of(data), separator):
        start += len(text.encode())
        if any(map(str.strip, record)):
            return [*map(unescaped, record)], start
    raise InputError("the file holds nothing but blanks; a one-hot table begins with a header of labels")


def _id_column(header: Sequence[str], row: str | None) -> int:
    """Return which column holds row ids, -1 if none does; refuse columns without a label of their own."""
    many = Counter(header)
    if row is not None and row not in many:
        raise InputError(f"none of the {len(header)} columns is called {row!r}; check its name")
    repeated = [number for number, text in enumerate(header, start=1) if many[text] > 1]
    if repeated:
        raise InputError(
            f"columns {repeated[0]} and {repeated[1]} have the same label; give each column a label of its own"
        )
    id_column = -1 if row is None else header.index(row)
    if "" in header and header.index("") != id_column:
        raise InputError(
            f"column {header.index('') + 1} has no label; give it one in the header, or leave it out: if it holds row "
            "ids, name it, and say so with ",
            Option("row"),
        )
    return id_column


def _ids(data: Data, table: _Table) -> Sequence[object] | None:
    if table.id_column < 0:
        return None
    found = [data[start:stop].decode().strip() for start, stop in table.ids.tolist()]
    if "" in found:
        raise InputError(
            f"column {table.id_column + 1} holds {found.count('')} missing values; give each row an id, or leave it out"
        )
    quoted = _seen(data)[table.ids[:, 0] - 1] == ord('"')
    return as_labels(
        text.replace('""', '"') if within else text for text, within in zip(found, quoted.tolist(), strict=True)
    )


def _bounds(data: Data, table: _Table, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where cells start and stop; a place counts the cells of the rows before, the ids left out."""
    bounds = np.empty((places.size, 2), dtype=np.int64)
    if places.size:
        rows, columns = np.divmod(places, len(table.texts))
        if table.id_column >= 0:
            columns += columns >= table.id_column
        kernels.formats.find_cells(_seen(data), table.start, table.separator, rows, columns, bounds)
    return bounds


def _zero(one: bytes) -> bytes:
    """Return what says zero as the file says one.

    >>> _zero(b"1.0"), _zero(b"True"), _zero(b" 1 ")
    (b'0.0', b'False', b' 0 ')
    """
    text = one.strip()
    return one.replace(text, ZEROS.get(text, b"false"))


def _wrong(error: int, line: int, column: int, width: int) -> InputError:
    """Return what is wrong with a line."""
    if error == kernels.formats.RAGGED:
        return InputError(f"line {line} has not as many fields as the header, {width}; mend it, or check the separator")
    if error == kernels.formats.BROKEN:
        return InputError(f"line {line} has in column {column} a quote that does not end, or text after one; mend it")
    if error == kernels.formats.EMPTY:
        return InputError(f"line {line} has a missing value in column {column}; fill it with 0 or false")
    return InputError(
        f"line {line} holds in column {column} something other than 0, 1, true and false; leave that column out, or "
        "name it with ",
        *(Option("row"), " if it holds row ids"),
    )
