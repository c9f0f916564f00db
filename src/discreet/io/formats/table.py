"""Tables in CSV: a header, then one line per person with a value for each column."""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Final, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from discreet.data.itemsets import AnyFrame
from discreet.data.transactions import Transactions
from discreet.errors import GuaranteeError, InputError, Option, OptionError, OutputError
from discreet.io import notation, tables
from discreet.io.columns import TextTable, read_names
from discreet.io.files import EMPTY, Bytes
from discreet.io.line_files import Losses, as_array
from discreet.io.notation import BYTE_ORDER_MARK, LONE_RETURN, RowFunctions, as_separator
from discreet.io.options import RowOptions
from discreet.runtime.text import count_of

QUOTE: Final = ord('"')
RETURN: Final = ord("\r")
NEW_LINE: Final = ord("\n")


def read(data: Bytes, options: RowOptions) -> Transactions:
    r"""Return the rows of a table with a column per attribute; items are ``column=value``, as in ``tables.from_table``.

    >>> rows = read(b"sex;age\nf;31\nm;\n", RowOptions(separator=";"))
    >>> [sorted(row) for row in rows]
    [['age=31', 'sex=f'], ['sex=m']]
    """
    return tables.from_table(_load(data, _parse(data, options)), options)


def write(rows: Transactions) -> NoReturn:
    """Refuse: tables of attributes are read, not written."""
    del rows
    raise OutputError("a table of attributes is read and not written; write the rows as csv, onehot or parquet")


def without(data: Bytes, losses: Losses, options: RowOptions) -> Iterator[bytes]:
    """Yield the table with empty cells for the items that rows lose; all else stays the same bytes."""
    lines = _parse(data, options)
    gone = tables.find_cells(_load(data, lines), losses, options)
    separator = as_separator(options.separator)
    at = 0
    for number, columns in sorted(gone.items()):
        start, stop = int(lines.starts[number]), int(lines.stops[number])
        text = data[start:stop].decode()
        fields = list(notation.find_fields(text, separator))
        empty = '""' if len(fields) == 1 else ""  # an empty line would be no row
        places = [(fields[column][0], fields[column][1]) for column in sorted(columns)]
        ends = [0, *(end for _, end in places)]
        kept = [text[end:begin] for end, (begin, _) in zip(ends[:-1], places, strict=True)]
        yield bytes(data[at:start])
        yield empty.join([*kept, text[ends[-1] :]]).encode()
        at = stop
    yield bytes(data[at:])


class _Lines(NamedTuple):
    """The names of the columns, where each line below the header starts and stops, and the size of all cells."""

    names: list[str]
    separator: str
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    size: int


def _parse(data: Bytes, options: RowOptions) -> _Lines:
    """Find the lines of a table; refuse what could be read in two ways: stray quotes, blank and ragged lines."""
    separator = as_separator(options.separator)
    if not separator.isascii():
        raise OptionError("the separator of a table must be an ASCII character such as ',' or ';'")
    header, start = _read_header(data, separator)
    stop = len(data.rstrip(b"\r\n" if separator in " \t" else b"\r\n \t"))  # blank lines at the end are no rows
    if stop <= start:
        raise InputError("the table has a header and no line below it; check the file")
    while stop < len(data) and data[stop] in b" \t":  # but the last line ends where it ends
        stop += 1
    view = as_array(data)[start:stop]
    body = _Body(view, ord(separator), data.count(b"\n", 0, start))
    return _find_lines(body, read_names(header), start, _find_quoted(body))


class _Body(NamedTuple):
    """The bytes below the header, and how many lines stand before them."""

    view: NDArray[np.uint8]
    separator: int
    before: int

    def line(self, at: int) -> int:
        """Return the number of the line of a place."""
        return self.before + int(np.count_nonzero(self.view[:at] == NEW_LINE)) + 1


def _read_header(data: Bytes, separator: str) -> tuple[list[str], int]:
    """Return the fields of the first line, and where the next one starts."""
    text, record = next(notation.parse_records(notation.open_text(data), separator), ("", []))
    if not any(map(str.strip, record)):
        raise InputError(EMPTY if not data.strip() else "the first line is blank; a table begins with a header")
    mark = BYTE_ORDER_MARK if data.startswith(BYTE_ORDER_MARK) else b""
    return record, len(mark) + len(text.encode())


class _Quotes(NamedTuple):
    """Which bytes are within quotes (None: there are no quotes), and how many bytes of quotes are no part of cells."""

    is_within: NDArray[np.bool_] | None
    size: int


def _find_quoted(body: _Body) -> _Quotes:
    """Find the cells in quotes; refuse a quote within a cell without quotes, and text after a closing quote."""
    quotes = np.flatnonzero(body.view == QUOTE)
    if not quotes.size:
        return _Quotes(None, 0)
    opening, closing = quotes[::2], quotes[1::2]
    around = np.concatenate([[NEW_LINE], body.view, [NEW_LINE]])  # a place p is at p + 1
    ends = np.array([body.separator, NEW_LINE])
    is_escape = opening[1:] == closing[: opening.size - 1] + 1
    begins = np.isin(around[opening], ends)
    begins[1:] |= is_escape
    stops = np.isin(around[closing + 2], [*ends, RETURN])
    stops[: is_escape.size] |= is_escape
    bad = [*opening[~begins], *closing[~stops], *quotes[-1:][: quotes.size % 2]]
    if bad:
        problem = f"line {body.line(min(bad))} has a quote that does not begin or end a cell"
        raise InputError(f"{problem}; put the cell in quotes, and write each quote within it twice")
    is_within = np.cumsum(body.view == QUOTE, dtype=np.uint8) % 2 == 1
    return _Quotes(is_within, int(quotes.size - np.count_nonzero(is_escape)))


def _find_lines(body: _Body, names: list[str], start: int, quotes: _Quotes) -> _Lines:
    view = body.view
    separators, ends, returns = (_find_outside(view == sign, quotes) for sign in (body.separator, NEW_LINE, RETURN))
    if returns.size and not (view[np.minimum(returns + 1, view.size - 1)] == NEW_LINE).all():
        raise InputError(f"the file holds {LONE_RETURN}")
    starts, stops = np.append(0, ends + 1), np.append(ends, view.size)
    stops -= np.isin(stops - 1, returns)
    blank = np.flatnonzero(starts == stops)
    if blank.size:
        raise InputError(f"line {body.line(int(starts[blank[0]]))} is blank; take it out, or fill it")
    widths = np.diff(np.searchsorted(separators, np.append(starts, view.size))) + 1
    ragged = np.flatnonzero(widths != len(names))
    if ragged.size:
        line, width = body.line(int(starts[ragged[0]])), int(widths[ragged[0]])
        problem = f"line {line} has {count_of(width, 'field')}, and the first line has {len(names)}"
        raise InputError(f"{problem}; mend it, or give the sign between fields with ", Option("separator"))
    size = view.size - separators.size - ends.size - returns.size - quotes.size
    return _Lines(names, chr(body.separator), starts + start, stops + start, size)


def _find_outside(is_sign: NDArray[np.bool_], quotes: _Quotes) -> NDArray[np.intp]:
    return np.flatnonzero(is_sign if quotes.is_within is None else is_sign & ~quotes.is_within)


def _load(data: Bytes, lines: _Lines) -> AnyFrame:
    """Return the cells as text; the frame must have the lines, columns and bytes that we have found ourselves."""
    body = bytes(memoryview(data)[int(lines.starts[0]) : int(lines.stops[-1])])
    frame, size = _load_frame(body, lines) if find_spec("polars") else _load_texts(body, lines)
    if len(frame) != lines.starts.size or len(frame.columns) != len(lines.names) or size != lines.size:
        raise GuaranteeError("the cells of the table do not add up to the file; please report this as a bug")
    return frame


def _load_frame(body: bytes, lines: _Lines) -> tuple[AnyFrame, int]:
    """Return the cells, and how many bytes they have together."""
    import polars as pl  # noqa: PLC0415 - loaded late, so that importing discreet is quick

    frame = pl.read_csv(body, has_header=False, infer_schema=False, separator=lines.separator)
    size = frame.select(pl.sum_horizontal(pl.all().str.len_bytes().cast(pl.Int64).sum())).item()
    return frame.rename(dict(zip(frame.columns, lines.names, strict=False))), size


def _load_texts(body: bytes, lines: _Lines) -> tuple[TextTable, int]:
    """Return the same without polars."""
    cells = list(notation.read_records(notation.open_text(body), lines.separator))
    size = sum(len(cell.encode()) for line in cells for cell in line)
    return TextTable(lines.names, cells), size


ROWS: Final = RowFunctions(read, write, without=without)
