"""One-hot tables in CSV: a header of labels, then one row per line with 1 or true where it holds the item."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Itemsets
from discreet.data.reading import Reading
from discreet.data.transactions import Transactions
from discreet.errors import InputError, Option, OptionError, OutputError
from discreet.io import notation
from discreet.io.files import Bytes
from discreet.io.line_files import Losses, as_array, check_held
from discreet.io.names import find_column
from discreet.io.notation import BYTE_ORDER_MARK, Coded, Coder, RowFunctions, as_labels, as_separator
from discreet.io.options import RowOptions
from discreet.io.owners import find_repeated
from discreet.io.people import by_person, check_people

BLOCK: Final = 1 << 22  # bytes that are joined before they are written
LINE_END: Final = re.compile(rb"\r\n|\r|\n")
ZEROS: Final = {b"1": b"0", b"1.0": b"0.0", b"true": b"false", b"True": b"False", b"TRUE": b"FALSE"}  # for ones


def read(data: Bytes, options: RowOptions) -> Transactions:
    r"""Return the rows of a one-hot table; ``row`` or ``person`` names the column of ids, if it has one.

    Cells are 0, 1, 0.0, 1.0, false or true. Blank lines are no rows. Blanks are part of labels, and no part of ids.

    >>> rows = read(b"who,tea,rye bread\n7,1,0\n8,true,TRUE\n", RowOptions(row="who"))
    >>> [sorted(row) for row in rows], rows.ids
    ([['tea'], ['rye bread', 'tea']], [7, 8])
    """
    check_people(options)
    table = _parse(data, options)
    ids = _read_ids(data, table)
    rows = Coded.of(table.rows, as_labels(table.texts), ids).transactions()
    if ids is not None and options.person is not None:
        return by_person(rows, ids, options)
    doubts = [] if ids is None or options.row is None else find_repeated(options.row, ids)
    return rows.describe(reading=Reading("onehot", "csv", doubts=tuple(doubts)))


def write(rows: Transactions) -> Iterator[bytes]:
    """Yield the rows as a table of 0 and 1, in chunks."""
    notation.check_fits_lines(rows, "a one-hot table")
    texts = notation.as_texts(
        rows, "a one-hot table", lambda text: notation.fits_field(text.strip()) and notation.fits_field(text)
    )
    codes = notation.find_used_codes(rows)
    if not codes:
        raise OutputError("no row holds an item, and a one-hot table has a column an item; write another format")
    yield f"{notation.as_record((texts[code] for code in codes), notation.AMBIGUOUS)}\n".encode()
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


def without(data: Bytes, losses: Losses, options: RowOptions) -> Iterator[bytes]:
    """Yield the table with zeros for the items that rows lose; all else stays the same bytes."""
    table = _parse(data, options)
    cells = [(number, str(item)) for number, lost in _find_lines(losses, data, table, options) for item in lost]
    item = {text: code for code, text in enumerate(table.texts)}
    check_held(number for number, text in cells if number >= len(table.rows) or text not in item)
    held = table.rows.owners * len(item) + table.rows.entries
    places = np.array(sorted(number * len(item) + item[text] for number, text in cells), dtype=np.int64)
    check_held(place // len(item) for place in places[~np.isin(places, held)].tolist())
    at = 0
    for start, stop in _find_cells(data, table, places).tolist():
        yield bytes(data[at:start])
        yield _zero(bytes(data[start:stop]))
        at = stop
    yield bytes(data[at:])


def _find_lines(
    losses: Losses, data: Bytes, table: "_OneHotTable", options: RowOptions
) -> Iterator[tuple[int, Collection[object]]]:
    """Yield what each line loses; a person whose lines are merged loses an item in each that holds it."""
    ids = _read_ids(data, table)
    if ids is None or options.person is None or options.per is not None:
        yield from losses.items()
        return
    people = np.array(Coder[object]().encode(ids), dtype=np.int64)
    for person, lost in losses.items():
        lines = [
            (line, {table.texts[at] for at in table.rows[line].tolist()} & {*map(str, lost)})
            for line in np.flatnonzero(people == person).tolist()
        ]
        check_held([person] * (set().union(*(held for _, held in lines)) != {*map(str, lost)}))
        yield from lines


class _OneHotTable(NamedTuple):
    separator: int
    start: int
    id_column: int  # -1: none
    texts: list[str]  # the labels of the other columns
    rows: Itemsets  # by places among the labels
    ids: NDArray[np.int64]  # the start and the stop of each row id in the file


def _parse(data: Bytes, options: RowOptions) -> _OneHotTable:
    row, separator = _find_id_name(options), as_separator(options.separator)
    if not separator.isascii():
        raise OptionError("the separator of a one-hot table must be an ASCII character such as ',' or ';'")
    header, start = _read_header(data, separator)
    id_column = _find_id_column(header, row)
    view = as_array(data)
    lines = 2 + sum(int(np.count_nonzero(view == end)) for end in b"\r\n")
    items, offsets = np.empty(view.size // 2 + 1, dtype=np.int32), np.empty(lines, dtype=np.int64)
    ids = np.empty((lines if row is not None else 0, 2), dtype=np.int64)
    sizes = (ord(separator), len(header), id_column)
    error, line, column, n = kernels.formats.parse_onehot(view, start, *sizes, items, offsets, ids)
    if error != kernels.formats.FINE:
        raise _explain(error, len(LINE_END.findall(data, 0, line)) + 1, column + 1, len(header))
    texts = [text for at, text in enumerate(header) if at != id_column]
    rows = Itemsets(offsets[: n + 1].copy(), items[: offsets[n]].copy())
    return _OneHotTable(ord(separator), start, id_column, texts, rows, ids[:n].copy())


def _read_header(data: Bytes, separator: str) -> tuple[list[str], int]:
    start = len(BYTE_ORDER_MARK) if data.startswith(BYTE_ORDER_MARK) else 0
    for text, record in notation.parse_records(notation.open_text(data), separator):
        start += len(text.encode())
        if any(map(str.strip, record)):
            return [*map(notation.unescape, record)], start
    raise InputError("the file holds nothing but blanks; a one-hot table begins with a header of labels")


def _find_id_name(options: RowOptions) -> str | None:
    """Return the column of row ids or of people; a one-hot table can have one of them."""
    if options.row is not None and options.person not in {None, options.row}:
        problem = "a one-hot table can have one column that is no item: take the row ids out of the file, and leave "
        raise OptionError(problem, Option("row"), " out")
    return options.row if options.person is None else options.person


def _find_id_column(header: Sequence[str], row: str | None) -> int:
    """Return the column of row ids, -1 if there is none; refuse columns without a label of their own."""
    many = Counter(header)
    repeated = [number for number, text in enumerate(header, start=1) if many[text] > 1]
    if repeated:
        raise InputError(f"columns {repeated[0]} and {repeated[1]} have the same label; give each one of its own")
    id_column = -1 if row is None else header.index(find_column(header, row))
    if "" in header and header.index("") != id_column:
        advice = "give it one in the header, or leave it out: if it holds row ids, name it, and say so with "
        raise InputError(f"column {header.index('') + 1} has no label; {advice}", Option("row"))
    return id_column


def _read_ids(data: Bytes, table: _OneHotTable) -> Sequence[object] | None:
    if table.id_column < 0:
        return None
    texts = [data[start:stop].decode().strip() for start, stop in table.ids.tolist()]
    if "" in texts:
        raise InputError(f"column {table.id_column + 1} holds {texts.count('')} missing values; give each row an id")
    quoted = (as_array(data)[table.ids[:, 0] - 1] == ord('"')).tolist()
    return as_labels(text.replace('""', '"') if is_so else text for text, is_so in zip(texts, quoted, strict=True))


def _find_cells(data: Bytes, table: _OneHotTable, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where cells start and stop; a place counts the cells of the rows before, without ids."""
    bounds = np.empty((places.size, 2), dtype=np.int64)
    if places.size:
        rows, columns = np.divmod(places, len(table.texts))
        if table.id_column >= 0:
            columns += columns >= table.id_column
        kernels.formats.find_cells(as_array(data), table.start, table.separator, rows, columns, bounds)
    return bounds


def _zero(one: bytes) -> bytes:
    """Return zero in the way the file writes one.

    >>> _zero(b"1.0"), _zero(b"True"), _zero(b" 1 ")
    (b'0.0', b'False', b' 0 ')
    """
    text = one.strip()
    return one.replace(text, ZEROS.get(text, b"false"))


def _explain(error: int, line: int, column: int, width: int) -> InputError:
    if error == kernels.formats.RAGGED:
        return InputError(f"line {line} has not as many fields as the header, {width}; mend it, or check the separator")
    if error == kernels.formats.BROKEN:
        return InputError(f"line {line} has in column {column} a quote that does not end, or text after one; mend it")
    if error == kernels.formats.EMPTY:
        return InputError(f"line {line} has a missing value in column {column}; fill it with 0 or false")
    problem = f"line {line} holds in column {column} something other than 0, 1, true and false"
    return InputError(f"{problem}; leave that column out, or name it with ", Option("row"), " if it holds row ids")


ROWS: Final = RowFunctions(read, write, without=without)
