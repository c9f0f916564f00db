"""Grids: the cells of a table as text, with the place of each, from a file of any format or a frame."""

import csv
from collections.abc import Iterator, Sequence
from io import BytesIO, StringIO
from typing import Any, Final, NamedTuple

from discreet.data.counts import Place
from discreet.errors import InputError
from discreet.io.containers import find_container, load_frame
from discreet.io.encodings import check_encoding, find_encoding, to_utf8
from discreet.io.files import Place as Source
from discreet.io.files import load, suffix_of
from discreet.io.formats import parquet
from discreet.io.natives import as_frame, is_frame
from discreet.io.options import RowOptions
from discreet.io.separators import find_separator, split_lines

HEAD: Final = 1 << 16  # bytes that the separator and the encoding are found from
PARQUET: Final = b"PAR1"


class Grid(NamedTuple):
    """The lines of a table as text; ``numbers`` are those of its lines in the file."""

    lines: list[list[str]]
    numbers: list[int]
    separator: str | None = None
    encoding: str | None = None

    def place(self, line: int, column: int) -> Place:
        """Return where a field is, both from 1 on."""
        return Place(self.numbers[line], column + 1)

    @property
    def width(self) -> int:
        """The number of columns."""
        return max(map(len, self.lines), default=0)

    def check_even(self, start: int = 0) -> None:
        """Refuse lines of different lengths."""
        width = len(self.lines[start])
        for line in range(start, len(self.lines)):
            if len(self.lines[line]) != width:
                raise InputError(
                    f"line {self.numbers[line]:,} has {len(self.lines[line])} fields, and line "
                    f"{self.numbers[start]:,} has {width}; write the table again, or check its separator"
                )


def load_grid(source: Source | Any, options: RowOptions) -> Grid:  # noqa: ANN401 - a frame of any library
    """Return the lines of a file, or of a frame, whose names are the first line."""
    if is_frame(source):
        return from_frame(as_frame(source))
    data = load(source)
    if data.startswith(PARQUET):
        import polars as pl  # noqa: PLC0415 - loaded late

        return from_frame(pl.read_parquet(BytesIO(bytes(data))))
    container = find_container(suffix_of(source), bytes(data[:16]))
    if container is not None:
        return from_frame(load_frame(data, container, options._replace(header=False)), with_names=False)
    return _from_text(data, options)


def _from_text(data: bytes | bytearray, options: RowOptions) -> Grid:
    head = bytes(data[:HEAD])
    encoding = find_encoding(head, is_cut=len(data) > HEAD) if options.encoding is None else check_encoding(options.encoding)
    text = bytes(to_utf8(data, encoding)).decode("utf-8-sig")
    first = split_lines(text[:HEAD], is_cut=len(text) > HEAD)
    separator, several = (options.separator, ()) if options.separator else find_separator(first)
    if several:
        separator = _choose_separator(first, several)
    lines, numbers = [], []
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        for record in reader:
            if any(field.strip() for field in record):
                lines.append([field.strip() for field in record])
                numbers.append(reader.line_num)
    except csv.Error:
        raise InputError(f"line {reader.line_num:,} has quotes that do not end, or text beside them; mend it") from None
    return Grid(lines, numbers, separator, encoding)


def _choose_separator(lines: Sequence[str], several: Sequence[str]) -> str:
    """Return the separator that gives most lines the same number of fields, the most of these."""

    def rank(separator: str) -> tuple[int, int]:
        widths = [len(record) for record in csv.reader(lines, delimiter=separator)]
        usual = max(set(widths), key=widths.count, default=0)
        return widths.count(usual) * (usual > 1), usual

    return max(several, key=rank)


def from_frame(frame: Any, *, with_names: bool = True) -> Grid:  # noqa: ANN401 - a frame of narwhals
    """Return the cells of a frame as text."""
    names = [[str(name) for name in frame.columns]] if with_names else []
    body = [["" if value is None else str(value) for value in line] for line in frame.rows()]
    lines = [*names, *body]
    return Grid(lines, list(range(1, len(lines) + 1)))


def columns_of(grid: Grid) -> Iterator[tuple[int, str]]:
    """Yield the columns that the first line names."""
    yield from enumerate(grid.lines[0] if grid.lines else ())
