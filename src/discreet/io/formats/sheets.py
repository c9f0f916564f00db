"""Spreadsheets of Excel and OpenDocument: one sheet is a table, and its first line names the columns."""

import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import Any, Final
from xml.parsers import expat
from zipfile import BadZipFile, ZipFile

import fastexcel
import polars as pl

from discreet.errors import InputError, Option
from discreet.io.compression import CHUNK
from discreet.io.files import Bytes
from discreet.io.options import RowOptions
from discreet.runtime.parquet_footer import silence_stderr
from discreet.runtime.resources import check_room
from discreet.runtime.text import count_of

CELL: Final = 32  # bytes of a cell, empty or not, between the first and the last one of a sheet
PLACE: Final = re.compile(rb"""\sr\s*=\s*["']([A-Za-z]{0,3})([0-9]{1,7})["']""")  # of a cell such as B7, or of a row
LARGEST: Final = 2**53  # from here on, floats are no exact whole numbers
UNNAMED: Final = "column"  # columns without a header are column1, column2 …
BROKEN: Final = "this is no spreadsheet, or a damaged one; open and save it again, or export it as CSV"
PROTECTED: Final = "the spreadsheet is protected by a password; save it without one, or export it as CSV"
BAD: Final = (fastexcel.FastExcelError, pl.exceptions.PanicException, BadZipFile, expat.ExpatError, zlib.error)
ENCRYPTED: Final = "EncryptedPackage".encode("utf-16-le")  # the name of all that a protected file holds


def load(data: Bytes, options: RowOptions) -> pl.DataFrame:
    """Return a sheet as a frame: the only one with anything in it, or the one that ``options`` name."""
    if ENCRYPTED in data:
        raise InputError(PROTECTED)
    with _explain():
        _check_size(data)
        book = fastexcel.read_excel(bytes(data))
        sheet = _find_sheet(book, options.sheet)
        first = _load(book, sheet, header_row=None, n_rows=1, dtypes="string")
        has_header = options.shape != "baskets" if options.header is None else options.header
        frame = _load(book, sheet, header_row=0 if has_header else None)
    if not frame.width:
        raise InputError("the sheet is empty; give a sheet with a table")
    return tidy(_drop_blank_lines(_name_columns(frame, list(first.row(0)) if has_header else None), options))


def tidy(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table with whole numbers where floats are whole, dates as ISO texts, and no empty texts.

    >>> from datetime import date
    >>> frame = pl.DataFrame({"n": [1.0, None], "half": [0.5, 1.0], "day": [date(2026, 1, 31), None], "a": ["", "b"]})
    >>> tidy(frame).rows()
    [(1, 0.5, '2026-01-31', None), (None, 1.0, None, 'b')]
    """
    return frame.with_columns(_tidy_column(series) for series in frame)


def _tidy_column(series: pl.Series) -> pl.Series:
    if series.dtype == pl.String:
        return series.replace("", None)
    if series.dtype.is_float():
        numbers = series.drop_nulls().drop_nans()
        is_whole = bool(((numbers == numbers.round()) & (numbers.abs() < LARGEST)).all())
        return series.fill_nan(None).cast(pl.Int64) if is_whole else series
    if series.dtype == pl.Datetime:
        is_day = bool((series.dt.date().cast(series.dtype) == series).drop_nulls().all())
        return series.dt.date().cast(pl.String) if is_day else series.dt.strftime("%Y-%m-%d %H:%M:%S")
    return series.cast(pl.String) if series.dtype.is_temporal() and series.dtype != pl.Duration else series


def _find_sheet(book: fastexcel.ExcelReader, wanted: str | None) -> str:
    """Return the name of the sheet to read; refuse to choose one of several."""
    names = book.sheet_names
    if wanted is not None:
        if wanted not in names:
            raise InputError(f"no sheet is called {wanted[:40]!r}; the sheets are {_list(names)}")
        return wanted
    filled = [name for name in names if len(names) == 1 or _load(book, name, header_row=None, n_rows=1).width]
    if len(filled) > 1:
        raise InputError(f"there are {len(filled)} sheets, {_list(filled)}; name one with ", Option("sheet"))
    return (filled or names or [""])[0]


def _list(names: Sequence[str]) -> str:
    return ", ".join(repr(name[:40]) for name in names[:10]) + " …" * (len(names) > 10)  # noqa: PLR2004 - of a sentence


def _load(book: fastexcel.ExcelReader, sheet: str, **how: Any) -> pl.DataFrame:  # noqa: ANN401 - as fastexcel takes them
    """Return a sheet as it is; each column gets the type that fits all its cells."""
    frame: pl.DataFrame = book.load_sheet(sheet, schema_sample_rows=None, **how).to_polars()
    return frame


def _name_columns(frame: pl.DataFrame, head: list[str | None] | None) -> pl.DataFrame:
    """Return the frame with the names in its header; columns without name and values are none.

    The first column may lack a name: pandas writes row numbers there.
    """
    if head is None:
        return frame.rename(dict(zip(frame.columns, (f"{UNNAMED}{at + 1}" for at in range(frame.width)), strict=True)))
    names = [name or "" for name in head]
    kept = [at for at, name in enumerate(names) if name or frame.to_series(at).null_count() < frame.height]
    bare = [at for at in kept if not names[at] and at]
    if bare:
        problem = (
            f"the first line of the sheet has no name for {count_of(len(bare), 'column')}; give each column a name"
        )
        raise InputError(problem, ", or if there is no header, say so with ", Option("header", value=False))
    if len({names[at] for at in kept}) < len(kept):
        raise InputError("two columns of the sheet have the same name; give each a name of its own")
    return pl.DataFrame({names[at]: frame.to_series(at) for at in kept})


def _drop_blank_lines(frame: pl.DataFrame, options: RowOptions) -> pl.DataFrame:
    """Return the frame without blank lines at its end; others are rows only if their owner says so."""
    blank = frame.select(pl.all_horizontal(pl.all().is_null())).to_series()
    filled = (~blank).arg_true()
    end = int(filled[-1]) + 1 if len(filled) else 0
    inside = end - len(filled)
    if inside and not options.empty_rows:
        problem = f"the sheet has {count_of(inside, 'blank line')} before its last row; take them out, "
        raise InputError(problem, "or if each is a row without items, say so with ", Option("empty_rows", value=True))
    return frame.head(end)


def _check_size(data: Bytes) -> None:
    """Refuse a file that unpacks to more than fits, or whose cells are too far apart; only zip files hide it."""
    if data[:2] != b"PK":
        return
    with ZipFile(BytesIO(data)) as file:
        check_room(sum(info.file_size for info in file.infolist()))
        for info in file.infolist():
            if info.filename == "content.xml":
                check_room(_measure_document(file.read(info)) * CELL)
            elif info.filename.endswith((".xml", ".rels")):  # reading them also checks that the sizes are true
                with file.open(info) as stream:
                    check_room(_measure_sheet(stream) * CELL)


def _measure_sheet(stream: Any) -> int:  # noqa: ANN401 - a file within a zip file
    """Return the number of cells between the first one and the last one of a sheet of Excel."""
    columns, last, rest = set[bytes](), 0, b""
    while chunk := stream.read(CHUNK):
        found = PLACE.findall(rest + chunk)
        columns.update(letters for letters, _ in found)
        last = max(last, *map(int, {number for _, number in found}), 0)
        rest = chunk[-40:]  # a place may be cut by the end of a chunk
    return last * max(map(_number_letters, columns), default=0)


def _number_letters(letters: bytes) -> int:
    """Return the number of a column: A is 1, and AA follows Z."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return max(1, number)


def _measure_document(data: bytes) -> int:
    """Return the largest number of cells of a sheet of OpenDocument, whose rows and cells may be repeated."""
    sizes, rows, last, width, place, repeats = [0], 0, 0, 0, 0, 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal rows, last, width, place, repeats
        if name == "table:table":
            rows = last = width = 0
        elif name == "table:table-row":
            repeats = int(attributes.get("table:number-rows-repeated", "1"))
            rows, place = rows + repeats, 0
        elif name in {"table:table-cell", "table:covered-table-cell"}:
            place += int(attributes.get("table:number-columns-repeated", "1"))
            if any(key.startswith(("office:", "calcext:", "table:formula")) for key in attributes):
                last, width = rows, max(width, place)
                sizes.append(last * width)
                sizes[:] = [max(sizes)]

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.Parse(data, True)  # noqa: FBT003 - the signature of expat
    return max(sizes)


@contextmanager
def _explain() -> Iterator[None]:
    """Say in our words what is wrong with a file; others' words may hold data."""
    try:
        with silence_stderr():
            yield
    except InputError:
        raise
    except (*BAD, ValueError, RuntimeError, EOFError) as error:
        is_protected = any(word in str(error).casefold() for word in ("password", "encrypt"))
        raise InputError(PROTECTED if is_protected else BROKEN) from None
