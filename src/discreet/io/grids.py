"""Grids: the cells of a table as text, with the place of each, from a file of any format, a folder or a frame."""

import csv
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from io import BytesIO, StringIO
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from discreet.data.counts import Columns, Place
from discreet.errors import InputError, Option
from discreet.io.containers import find_container, load_frame
from discreet.io.encodings import check_encoding, find_encoding, to_utf8
from discreet.io.files import Bytes, as_path, load, readable, suffix_of
from discreet.io.files import Place as Source
from discreet.io.frames import as_narwhals
from discreet.io.natives import as_frame, is_frame
from discreet.io.options import RowOptions
from discreet.io.separators import find_separator, split_lines

if TYPE_CHECKING:
    from sqlite3 import Connection

HEAD: Final = 1 << 16  # bytes that the separator and the encoding are found from
PARQUET: Final = b"PAR1"
SQLITE: Final = b"SQLite format 3\0"
SESSION: Final = "results.json"  # of ACRO, beside the files that it names
CONFIG: Final = "config.json"  # its rules
DIAGNOSTICS: Final = (
    "covariate_value.csv",
    "temporal_covariate_value.csv",
    "cohort_inc_result.csv",
    "cohort_inclusion_result.csv",
    "inclusion_rule_stats.csv",
)
"""Files of CohortDiagnostics."""
MOST_FILES: Final = 1000  # tables of a folder
MOST_SAMPLED: Final = 100  # lines of a table that are looked at
IsKnown: TypeAlias = Callable[[Sequence[str]], bool]  # whether columns of these names, in lower case, are known
NO_FILES: Final[Mapping[str, "Grid"]] = MappingProxyType({})
INDENT: Final = re.compile(
    r"(?:\s|&(?:nbsp|emsp|ensp|thinsp);|[\u200b│├└╰┃┣┗─━╴↳]|[.…]{2,}|_{2,}|(?:[-–—•·*>→◦○▪▫■□●‣]+|\.)(?=\s))*"
)  # blanks, lines of a tree, or a dash or a bullet with blanks


class Grid(NamedTuple):
    """The lines of a table as text; ``numbers`` are those of its lines in the file, whose ``text`` is kept.

    A folder or a database has no lines of its own, but ``files``, by their names. ``indents`` are how far the first
    fields of lines are indented, by numbers of lines, if some are.
    """

    lines: list[list[str]]
    numbers: list[int]
    separator: str | None = None
    encoding: str | None = None
    text: str | None = None
    files: Mapping[str, "Grid"] = NO_FILES
    indents: Mapping[int, int] = MappingProxyType({})

    def place(self, line: int, column: int) -> Place:
        """Return where a field is, both from 1 on."""
        return Place(self.numbers[line], column + 1)

    def mark_read(self, lines: Iterable[int], columns: Iterable[int]) -> Columns:
        """Return some columns of some lines, counted as in ``place``, as those that tables were read from."""
        places = frozenset(column + 1 for column in columns)
        return {self.numbers[line]: places for line in lines}

    @property
    def head(self) -> list[str]:
        """The fields of the first line, in lower case."""
        return [field.casefold() for field in self.lines[0]] if self.lines else []

    @property
    def width(self) -> int:
        """The number of columns."""
        return max(map(len, self.lines), default=0)

    def check_even(self, start: int = 0, end: int | None = None) -> None:
        """Refuse lines of different lengths."""
        width = len(self.lines[start])
        for line in range(start, len(self.lines) if end is None else end):
            fields = len(self.lines[line])
            if fields != width:
                where = f"line {self.numbers[line]:,} has {fields} fields, and line {self.numbers[start]:,} has {width}"
                raise InputError(
                    f"{where}: see column {min(fields, width) + 1}; write the table again, or check its separator"
                )

    def check_names(self) -> None:
        """Refuse columns that differ and are called alike, whatever the case: one of them would not be read."""
        seen: dict[str, list[str]] = {}
        for at, name in enumerate(self.lines[0] if self.lines else []):
            fields = [line[at] if at < len(line) else "" for line in self.lines[1:]]
            if seen.setdefault(name.casefold(), fields) != fields:
                called = f"are called {name!r:.99}" if name else "have no name"
                raise InputError(f"several columns {called}; give each a name of its own")


def load_grid(
    source: Source | Any,  # noqa: ANN401 - a frame of any library
    options: RowOptions,
    is_known: IsKnown = bool,
) -> Grid:
    """Return the lines of a file, or of a frame, whose names are the first line; of a folder, those of its files.

    Of a database or a folder, only tables are loaded whose columns are known.
    """
    if is_frame(source):
        return from_frame(as_frame(source))
    path = as_path(source)
    if path is not None and path.name == SESSION:
        path = path.parent
    if path is not None and path.is_dir():
        return _from_folder(path, options, is_known)
    data = load(source)
    if data.startswith(SQLITE):
        return _from_sqlite(path, bytes(data), is_known)
    return _from_bytes(data, suffix_of(source), options)


def load_head(path: Path, is_known: IsKnown = bool) -> Grid:
    """Return the first lines of a file: enough to tell what it holds. A folder is loaded if it has a known file."""
    if path.is_dir() or path.name == SESSION:
        folder = path if path.is_dir() else path.parent
        has_known = any((folder / name).is_file() for name in (SESSION, *DIAGNOSTICS))
        return load_grid(folder, RowOptions(), is_known) if has_known else Grid([], [])
    with readable(), path.open("rb") as file:
        data = file.read(HEAD)
    if data.startswith(SQLITE):
        return _from_sqlite(path, data, is_known, most=MOST_SAMPLED)
    is_text = find_container(suffix_of(path), data[:16]) is None and not data.startswith(PARQUET)
    if not is_text or suffix_of(path) != path.suffix.lower():  # packed
        return load_grid(path, RowOptions(), is_known)
    if len(data) == HEAD:
        data = data[: data.rfind(b"\n") + 1] or data
    return _from_text(data, RowOptions())


def _from_bytes(data: Bytes, suffix: str, options: RowOptions) -> Grid:
    if data.startswith(PARQUET):
        import polars as pl  # noqa: PLC0415 - loaded late

        return from_frame(pl.read_parquet(BytesIO(bytes(data))))
    container = find_container(suffix, bytes(data[:16]))
    if container is not None:
        options = options._replace(header=False, empty_rows=True)
        return from_frame(load_frame(data, container, options), with_names=False)
    return _from_text(data, options)


def _from_folder(folder: Path, options: RowOptions, is_known: IsKnown) -> Grid:
    """Return the tables of a folder, and the results of an ACRO session as they are."""
    with readable():
        known = {SESSION, CONFIG}
        paths = sorted(path for path in folder.iterdir() if path.suffix.lower() == ".csv" or path.name in known)
    if len(paths) > MOST_FILES:
        raise InputError(f"the folder holds more than {MOST_FILES:,} tables; give one of them")
    is_session, files = folder / SESSION in paths, dict[str, Grid]()
    for path in paths:
        if path.name in known and is_session:
            data = load(path)
            files[path.name] = Grid([[_decode(data, find_encoding(bytes(data[:HEAD])))]], [1])
        elif path.name not in known and (is_session or (path.stat().st_size and is_known(load_head(path).head))):
            files[path.name] = _from_text(load(path), options)
    if not files:
        raise InputError(
            "the folder holds no tables that we know; give a session that ACRO finalised as json, or a file in it"
        )
    return Grid([], [], files=files)


def _from_sqlite(path: Path | None, data: bytes, is_known: IsKnown, most: int | None = None) -> Grid:
    """Return the tables of a database that is a file, which is only read; one that is no file is held in memory."""
    import sqlite3  # noqa: PLC0415 - a browser lacks it

    try:
        where = ":memory:" if path is None else f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(where, uri=True)) as database:
            if path is None:
                database.deserialize(data)
            names = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
            tables = ((name, _from_table(database, name, is_known, most)) for (name,) in names)
            return Grid([], [], files={name: table for name, table in tables if table is not None})
    except sqlite3.Error:
        raise InputError("this is no database of SQLite, or a damaged one; write it again") from None


def _from_table(database: "Connection", name: str, is_known: IsKnown, most: int | None) -> Grid | None:
    """Return a table of a database, or its first lines; None if its columns are not known."""
    quoted = name.replace('"', '""')
    cursor = database.execute(f'SELECT * FROM "{quoted}"')  # noqa: S608 - a name of the database itself
    head = [str(column[0]) for column in cursor.description]
    if not is_known([field.casefold() for field in head]):
        return None
    rows = cursor.fetchall() if most is None else cursor.fetchmany(most)
    lines = [head, *(["" if value is None else _as_text(value) for value in row] for row in rows)]
    return Grid(lines, list(range(1, len(lines) + 1)))


def _as_text(value: object) -> str:
    """Return a value as text: a whole number without a point."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()


def _from_text(data: Bytes, options: RowOptions) -> Grid:
    head = bytes(data[:HEAD])
    encoding = (
        find_encoding(head, is_cut=len(data) > HEAD) if options.encoding is None else check_encoding(options.encoding)
    )
    text = _decode(data, encoding)
    first = split_lines(text[:HEAD], is_cut=len(text) > HEAD)
    separator, several = (options.separator, ()) if options.separator else find_separator(first)
    if several:
        separator = _choose_separator(first, several)
    lines, numbers, indents = list[list[str]](), list[int](), dict[int, int]()
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        for record in reader:
            if any(field.strip() for field in record):
                lines.append([field.strip() for field in record])
                numbers.append(reader.line_num)
                indents[reader.line_num] = _find_indent(record[0])
    except csv.Error:
        raise InputError(f"line {reader.line_num:,} has quotes that do not end, or text beside them; mend it") from None
    text = f"\ufeff{text}" if head.startswith(BOM_UTF8) else text
    return Grid(lines, numbers, separator, encoding, text, indents=indents)


def _find_indent(text: str) -> int:
    """Return how many characters stand before a label."""
    found = INDENT.match(text)
    return found.end() if found else 0


def _decode(data: Bytes, encoding: str) -> str:
    try:
        return bytes(to_utf8(data, encoding)).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"line {line:,} is not in the encoding {encoding}; name its encoding with ", Option("encoding")
        ) from None


def _choose_separator(lines: Sequence[str], several: Sequence[str]) -> str:
    """Return the separator that gives most lines the same number of fields, the most of these."""

    def rank(separator: str) -> tuple[int, int]:
        widths = [len(record) for record in csv.reader(lines, delimiter=separator)]
        usual = max(set(widths), key=widths.count, default=0)
        return widths.count(usual) * (usual > 1), usual

    return max(several, key=rank)


def from_frame(frame: Any, *, with_names: bool = True) -> Grid:  # noqa: ANN401 - a frame of any library
    """Return the cells of a frame as text, without blank lines; the index of pandas holds labels of lines."""
    if hasattr(type(frame), "iloc"):
        has_index = type(frame.index).__name__ != "RangeIndex"
        return _from_text(frame.to_csv(index=has_index, sep=",").encode(), RowOptions(separator=","))._replace(
            text=None
        )
    table = as_narwhals(frame)
    names = [[str(name) for name in table.columns]] if with_names else []
    body = [["" if value is None else str(value) for value in line] for line in table.rows()]
    every = [(number, line) for number, line in enumerate([*names, *body], start=1)]
    filled = [(number, [field.strip() for field in line]) for number, line in every if any(map(str.strip, line))]
    indents = {number: _find_indent(line[0]) for number, line in every if line}
    return Grid([line for _, line in filled], [number for number, _ in filled], indents=indents)
