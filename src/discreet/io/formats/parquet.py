"""Parquet: rows as a column of lists, in the long form or one-hot, and patterns; metadata says how they were mined."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from io import BytesIO
from itertools import pairwise
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl

from discreet.data.itemsets import Label
from discreet.data.patterns import Patterns, as_supports
from discreet.data.transactions import Transactions
from discreet.errors import BudgetError, InputError, Option, OptionError, OutputError
from discreet.io import tables
from discreet.io.files import EMPTY, Bytes, naming
from discreet.io.formats.patterns import STATED, Mined, PatternFunctions, StatedPatterns, mined_of
from discreet.io.frames import from_lists
from discreet.io.line_files import Losses, check_held, remove_from_lists, select_lines
from discreet.io.names import find_column, find_columns
from discreet.io.notation import RowFunctions, check_label_types, find_used_codes
from discreet.io.options import RowOptions
from discreet.io.parts import Parts
from discreet.io.shapes import ITEMS, find_layout, read_frame
from discreet.io.stores import KINDS, Store, narrow
from discreet.runtime import resources
from discreet.runtime.parquet_footer import measure_groups, silence_stderr
from discreet.runtime.resources import RAISE_IT

ID, SUPPORT = "id", "support"  # columns, beside that of the items
OURS: Final = "discreet"  # our own metadata
SCHEMA: Final = "ARROW:schema"  # metadata that every writer makes itself


def read(data: Bytes, options: RowOptions) -> Transactions:
    """Return the rows of a Parquet file, in the shape that ``options`` name or that is found."""
    with explain_errors():
        schema = pl.read_parquet_schema(BytesIO(data))
    names, shape = list(schema), options.shape
    if _read_metadata(data).get("ids") and ID in names:
        options = options._replace(items=options.items or ITEMS, row=ID)
    wanted = [find_column(names, name) for name in narrow(options)]
    return read_frame(_read_columns(data, *wanted), options, shape, "parquet")


def read_names(path: Path) -> tuple[str, ...]:
    """Return the names of the columns of a file."""
    with explain_errors():
        return tuple(pl.read_parquet_schema(path))


def open_parts(parts: Parts, room: int) -> Store:
    """Return the files of one table as a store, with a column for each partition.

    Refuse files that differ, and those with a row group that does not fit in ``room`` bytes.
    """
    files, partitions = parts
    schemas = list[pl.Schema]()
    for file in files:
        with naming(_name_of(file)) if len(files) > 1 else nullcontext():
            _check_groups(file, room)
            with explain_errors():
                schemas.append(pl.Schema(pl.read_parquet_schema(file)))
        _check_alike(files, schemas, partitions)

    def read(names: list[str]) -> Iterator[pl.DataFrame]:
        stored = [name for name in names or schemas[0] if name not in partitions]  # in one order
        for at, file in enumerate(files):
            more = [_as_partition(name, values, at) for name, values in partitions.items()]
            for batch in _guard(_read_file(file, stored)):
                yield batch.with_columns(more)

    return Store("the file", read, lambda: [*schemas[0], *partitions], form="parquet")


def _name_of(part: Path) -> str:
    """Return the name of a file with that of its folder, which may be its partition."""
    return "/".join(part.parts[-2:])


def _check_groups(path: Path, room: int) -> None:
    if not path.stat().st_size:
        raise InputError(EMPTY)
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        if any(size - before > room for before, size in pairwise([0, *measure_groups(data)])):
            problem = f"a row group of the file holds more than the {resources.size(room)} that "
            raise BudgetError(problem, Option("memory"), RAISE_IT)


def _check_alike(files: Sequence[Path], schemas: Sequence[pl.Schema], partitions: Collection[str]) -> None:
    """Refuse the last of some files if its columns are not those of the first."""
    one, other = ((_name_of(files[at]), schemas[at]) for at in (0, len(schemas) - 1))
    for column in dict.fromkeys([*one[1], *other[1]]):
        if one[1].get(column) != other[1].get(column):
            held = " and ".join(f"{schema.get(column, 'missing')} in {name}" for name, schema in (one, other))
            raise InputError(f"the files are no parts of one table: column {column!r} is {held}; write them alike")
        if column in partitions:
            raise InputError(f"column {column!r} is in the files and in the names of their folders; leave one out")


def _as_partition(name: str, values: Sequence[object], at: int) -> pl.Expr:
    are_texts = any(isinstance(value, str) for value in values)
    return pl.lit(values[at], dtype=pl.String if are_texts else pl.Int64).alias(name)


def _read_file(file: Path, names: list[str]) -> Iterator[pl.DataFrame]:
    yield from KINDS[0].read(pl.scan_parquet(file, hive_partitioning=False, glob=False), names)


def _guard(batches: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Yield batches; say in our words why one cannot be read."""
    rest = iter(batches)
    while True:
        with explain_errors():
            batch = next(rest, None)
        if batch is None:
            return
        yield batch


def write(rows: Transactions) -> Iterator[bytes]:
    """Yield the rows as a Parquet file with a column of lists, and one of ids if the rows have them."""
    columns = {ITEMS: _as_lists(rows)}
    if rows.ids is not None:
        columns[ID] = _as_series(ID, list(rows.ids), "the row ids")
    yield _encode(pl.DataFrame(columns), {OURS: json.dumps({"ids": rows.ids is not None})})


def without(data: Bytes, losses: Losses, options: RowOptions) -> Iterator[bytes]:
    """Yield the file without the items that rows lose, as one chunk; other columns stay, and metadata if all do."""
    frame = _read_columns(data)
    shape, options = find_layout(frame, options, options.shape)[0][:2]
    is_merged = options.person is not None and options.per is None
    if shape == "table":
        frame = frame.with_columns(_empty_cells(frame, tables.find_cells(frame, losses, options)))
    elif shape == "long" and options.item is not None:
        row = options.person if is_merged else options.row
        stays = select_lines(frame[str(row)], frame[options.item], losses)
        frame = frame.filter(pl.Series(stays, dtype=pl.Boolean))
    elif is_merged or shape not in {"onehot", "lists"}:
        problem = "rows of people that were merged, and items in several columns, cannot be changed in Parquet"
        raise OptionError(f"{problem}; keep rows apart with ", Option("per"), ", or make a long table of them")
    elif shape == "onehot":
        frame = frame.with_columns(_remove_ones(frame, losses))
    else:
        frame = frame.with_columns(_remove_items(frame[ITEMS if options.items is None else options.items], losses))
    with explain_errors():
        metadata = pl.read_parquet_metadata(BytesIO(data))
    told = {OURS} if options.drop else metadata.keys() - {SCHEMA}  # it may tell of the columns that go
    kept = {name: text for name, text in metadata.items() if name in told}
    yield _encode(frame.drop(find_columns(frame.columns, options.drop)), kept)


def read_patterns(data: Bytes, n: int | None = None) -> StatedPatterns:  # noqa: ARG001 - one signature for all formats
    """Return the patterns of a Parquet file with the columns ``items`` (lists) and ``support`` (counts)."""
    frame = _read_columns(data, ITEMS, SUPPORT)
    if not frame.schema[SUPPORT].is_integer() or frame[SUPPORT].null_count():
        raise InputError(f"the column {SUPPORT!r} must hold whole numbers; multiply shares by the number of rows")
    coded = from_lists(frame, items=ITEMS)
    stated = _read_metadata(data)
    mined = Mined(*map(stated.get, STATED))
    return StatedPatterns(coded.itemsets, as_supports(frame[SUPPORT].to_list()), coded.labels, mined)


def write_patterns(patterns: Patterns) -> Iterator[bytes]:
    """Yield the patterns as a Parquet file."""
    frame = pl.DataFrame({ITEMS: _as_lists(patterns), SUPPORT: pl.Series(SUPPORT, patterns.supports)})
    yield _encode(frame, {OURS: json.dumps(mined_of(patterns))})


def _as_lists(value: Transactions | Patterns) -> pl.Series:
    codes = find_used_codes(value)
    check_label_types(value, codes, "Parquet")
    labels = _as_series(ITEMS, [value.labels[code] for code in codes], "the labels")
    place = np.zeros(len(value.labels), dtype=np.int32)
    place[codes] = np.arange(len(codes), dtype=np.int32)
    start, stop = value.offsets[[0, -1]]
    flat = labels.gather(place[value.items[start:stop]])
    if value.offsets.size == 1:
        return pl.Series(ITEMS, [], dtype=pl.List(labels.dtype))
    bounds = pl.DataFrame({"start": value.offsets[:-1] - start, "length": np.diff(value.offsets)})
    return bounds.select(pl.lit(flat).implode().list.slice(pl.col("start"), pl.col("length")).alias(ITEMS))[ITEMS]


def _as_series(name: str, values: list[Any], what: str) -> pl.Series:
    text = all(isinstance(value, str) for value in values)
    try:
        return pl.Series(name, values, dtype=pl.String if text else pl.Int64, strict=True)
    except (TypeError, OverflowError, UnicodeEncodeError, pl.exceptions.PolarsError):
        raise OutputError(f"{what} are not all text or all whole numbers of 64 bits; rename them for Parquet") from None


def _remove_items(lists: pl.Series, losses: Losses) -> pl.Series:
    """Return a column of lists, some without items: new lists are appended and gathered to their places."""
    if isinstance(lists.dtype, pl.Array):
        lists = lists.arr.to_list()
    rows = [row for row in losses if row < len(lists)]
    check_held(row for row in losses if row >= len(lists))
    after = pl.Series(lists.name, remove_from_lists(lists.gather(rows).to_list(), losses), dtype=lists.dtype)
    places = np.arange(len(lists))
    places[rows] = len(lists) + np.arange(len(rows))
    return pl.concat([lists, after]).gather(places)


def _empty_cells(frame: pl.DataFrame, gone: Mapping[int, Sequence[int]]) -> list[pl.Series]:
    lines: dict[int, list[int]] = {}
    for line, columns in gone.items():
        for column in columns:
            lines.setdefault(column, []).append(line)
    return [frame.to_series(column).scatter(numbers, None) for column, numbers in lines.items()]


def _remove_ones(frame: pl.DataFrame, losses: Losses) -> list[pl.Series]:
    rows = dict[Label, list[int]]()
    for number, lost in losses.items():
        check_held(number for name in lost if number >= len(frame) or name not in frame.columns)
        for name in lost:
            rows.setdefault(name, []).append(number)
    for name, numbers in rows.items():
        check_held(number for number in numbers if not frame[str(name)][number])
    return [frame[str(name)].scatter(numbers, 0) for name, numbers in rows.items()]


def _encode(frame: pl.DataFrame, metadata: dict[str, str]) -> bytes:
    out = BytesIO()
    frame.write_parquet(out, metadata=metadata)
    return out.getvalue()


def _read_metadata(data: Bytes) -> dict[str, Any]:
    with explain_errors():
        metadata = json.loads(pl.read_parquet_metadata(BytesIO(data)).get(OURS, "{}"))
    return metadata if isinstance(metadata, dict) else {}


def _read_columns(data: Bytes, *names: str) -> pl.DataFrame:
    with explain_errors():
        return pl.read_parquet(BytesIO(data), columns=list(names) or None)


@contextmanager
def explain_errors() -> Iterator[None]:
    """Say in our words what is wrong with a file; those of polars may hold data."""
    try:
        with silence_stderr():
            yield
    except pl.exceptions.ColumnNotFoundError:
        raise InputError("the file does not have the columns that were asked for; check their names") from None
    except (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise InputError("this is no Parquet file, or a damaged one; check its format, or write it again") from None


ROWS: Final = RowFunctions(read, write, without=without)
PATTERNS: Final = PatternFunctions(read_patterns, write_patterns)
