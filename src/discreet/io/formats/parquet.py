"""Parquet: rows as a column of lists or in the long form, and patterns, with what was mined in the file's metadata."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from itertools import count
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from discreet.data.labels import Label
from discreet.data.patterns import Patterns, as_supports
from discreet.data.transactions import Transactions
from discreet.errors import InputError, Option, OptionError, OutputError
from discreet.io.chunks import Grouped, Piece, Pieces
from discreet.io.files import Data
from discreet.io.frames import from_lists, from_long, from_onehot
from discreet.io.label_codes import Codes, used, whole_labels
from discreet.io.stated_patterns import Listed, Told
from discreet.io.tables import Losses, check_held, kept_items, kept_lines
from discreet.runtime.parquet_footer import silenced

BOTH: Final = (
    "the long form needs both columns; give ",
    Option("row"),
    " and ",
    Option("item"),
    ", and no ",
    Option("items"),
)
OURS: Final = "discreet"
ITEMS: Final = "items"
ID: Final = "id"
SUPPORT: Final = "support"
LINES: Final = 1 << 17
"""Lines of a table that are read at a time, where it may be larger than memory."""
SCHEMA: Final = "ARROW:schema"
"""Metadata that a writer makes itself."""


def read(data: Data, *, items: str | None = None, row: str | None = None, item: str | None = None) -> Transactions:
    """Return the rows of a Parquet file.

    ``items`` names a column of lists (``items`` unless said otherwise), ``row`` and ``item`` those of
    the long form. A table without any of these is taken for a one-hot one.
    """
    if item is not None and (row is None or items is not None):
        raise OptionError(*BOTH)
    told = _told(data)
    names = _names(data)
    if item is not None and row is not None:
        return from_long(_frame(data, row, item), row=row, item=item).transactions()
    if items is None and ITEMS not in names:
        return from_onehot(_frame(data, *names)).transactions()
    items = ITEMS if items is None else items
    row = ID if told.get("ids") else row
    return from_lists(_frame(data, items, *([] if row is None else [row])), items=items, row=row).transactions()


def pieces(*, items: str | None = None, row: str | None = None, item: str | None = None) -> Pieces:
    """Return how a Parquet file is read in pieces: lists, one-hot, or the long form sorted by row ids."""
    if item is not None and (row is None or items is not None):
        raise OptionError(*BOTH)
    codes: Codes[Label] = Codes()

    def read(path: str) -> Iterator[Piece]:
        with whole_file():
            names = list(pl.read_parquet_schema(path))
        if item is not None and row is not None:
            yield from _long_pieces(path, codes, row, item)
            return
        onehot = items is None and ITEMS not in names
        column = ITEMS if items is None else items
        for part in _slices(path, names if onehot else [column]):
            coded = from_onehot(part) if onehot else from_lists(part, items=column)
            numbers = np.array(codes.of(coded.labels), dtype=np.int32)
            yield Piece(coded.offsets, numbers[coded.items] if coded.items.size else coded.items)

    def labels(numbers: NDArray[np.int32]) -> list[Label]:
        named = codes.values
        return [named[code] for code in numbers.tolist()]

    return Pieces(read, labels)


def write(rows: Transactions) -> Iterator[bytes]:
    """Yield the rows as a Parquet file with a column of lists, and one of ids where the rows have them."""
    columns = {ITEMS: _lists(rows)}
    if rows.ids is not None:
        columns[ID] = _typed(ID, list(rows.ids), "the row ids")
    yield _written(columns, {"ids": rows.ids is not None})


def without(
    data: Data, losses: Losses, *, items: str | None = None, row: str | None = None, item: str | None = None
) -> Iterator[bytes]:
    """Yield the file without what rows lose, as one chunk; other columns, and what its metadata says, are kept."""
    names = _names(data)
    frame = _frame(data, *names)
    if item is not None and row is not None:
        frame = frame.filter(pl.Series(kept_lines(frame[row], frame[item], losses), dtype=pl.Boolean))
    elif items is None and ITEMS not in names:
        frame = frame.with_columns(_without_ones(frame, losses))
    else:
        frame = frame.with_columns(_without_items(frame[ITEMS if items is None else items], losses))
    with whole_file():
        told = pl.read_parquet_metadata(BytesIO(data))
    told.pop(SCHEMA, None)
    yield _saved(frame, told)


def read_patterns(data: Data, n: int | None) -> Listed:  # noqa: ARG001 - one signature for all formats
    """Return the patterns of a Parquet file with the columns ``items`` (lists) and ``support`` (counts)."""
    frame = _frame(data, ITEMS, SUPPORT)
    if not frame.schema[SUPPORT].is_integer() or frame[SUPPORT].null_count():
        raise InputError(
            f"the column {SUPPORT!r} must hold counts, whole numbers; multiply shares by the number of rows"
        )
    itemsets = from_lists(frame, items=ITEMS)
    told = _told(data)
    mined = Told(told.get("n"), told.get("min_support"), told.get("kind"))
    supports = as_supports(frame[SUPPORT].to_list())
    return Listed(itemsets.offsets, itemsets.items, supports, tuple(itemsets.labels), mined)


def write_patterns(patterns: Patterns) -> Iterator[bytes]:
    """Yield the patterns as a Parquet file."""
    columns = {ITEMS: _lists(patterns), SUPPORT: pl.Series(SUPPORT, patterns.supports)}
    yield _written(columns, {"n": patterns.n, "min_support": patterns.min_support, "kind": patterns.kind})


def _lists(value: Transactions | Patterns) -> pl.Series:
    """Return the rows or itemsets as a column of lists of labels, made from the arrays at once."""
    codes = used(value)
    whole_labels(value, codes, "Parquet")
    labels = _typed(ITEMS, [value.labels[code] for code in codes], "the labels")
    place = np.zeros(len(value.labels), dtype=np.int32)
    place[codes] = np.arange(len(codes), dtype=np.int32)
    start, stop = value.offsets[[0, -1]]
    flat = labels.gather(place[value.items[start:stop]])
    if value.offsets.size == 1:
        return pl.Series(ITEMS, [], dtype=pl.List(labels.dtype))
    bounds = pl.DataFrame({"start": value.offsets[:-1] - start, "length": np.diff(value.offsets)})
    cut = pl.lit(flat).implode().list.slice(pl.col("start"), pl.col("length"))
    return bounds.select(cut.alias(ITEMS))[ITEMS]


def _typed(name: str, values: list[Any], what: str) -> pl.Series:
    text = all(isinstance(value, str) for value in values)
    try:
        return pl.Series(name, values, dtype=pl.String if text else pl.Int64, strict=True)
    except (TypeError, OverflowError, UnicodeEncodeError, pl.exceptions.PolarsError):
        raise OutputError(
            f"{what} are not all text or all whole numbers of 64 bits, which Parquet needs; rename them"
        ) from None


def _without_items(lists: pl.Series, losses: Losses) -> pl.Series:
    """Return a column of lists, some of them without items; the new ones are put after all, and taken from there."""
    if isinstance(lists.dtype, pl.Array):
        lists = lists.arr.to_list()
    rows = [row for row in losses if row < len(lists)]
    check_held([(row, None) for row in losses if row >= len(lists)])
    after = pl.Series(lists.name, kept_items(lists.gather(rows).to_list(), losses), dtype=lists.dtype)
    places = np.arange(len(lists))
    places[rows] = len(lists) + np.arange(len(rows))
    return pl.concat([lists, after]).gather(places)


def _without_ones(frame: pl.DataFrame, losses: Losses) -> list[pl.Series]:
    """Return the columns of a one-hot table in which ones become zeros."""
    rows: dict[Label, list[int]] = {}
    for number, lost in losses.items():
        check_held([(number, name) for name in lost if number >= len(frame) or name not in frame.columns])
        for name in lost:
            rows.setdefault(name, []).append(number)
    for name, numbers in rows.items():
        check_held([(number, name) for number in numbers if not frame[str(name)][number]])
    return [frame[str(name)].scatter(numbers, 0) for name, numbers in rows.items()]


def _written(columns: dict[str, pl.Series], told: dict[str, Label]) -> bytes:
    return _saved(pl.DataFrame(columns), {OURS: json.dumps(told)})


def _saved(frame: pl.DataFrame, metadata: dict[str, str]) -> bytes:
    out = BytesIO()
    frame.write_parquet(out, metadata=metadata)
    return out.getvalue()


def _long_pieces(path: str, codes: Codes[Label], row: str, item: str) -> Iterator[Piece]:
    """Yield the rows of the long form as they end."""
    grouped = Grouped()
    for part in _slices(path, [row, item]):
        if missing := part.null_count().sum_horizontal()[0]:
            raise InputError(
                f"the columns {row!r} and {item!r} hold {missing} missing values; leave their lines out, or fill them"
            )
        yield grouped.add(part[row].to_list(), codes.of(part[item].to_list()))
    yield grouped.last()


def _slices(path: str, names: list[str]) -> Iterator[pl.DataFrame]:
    """Yield some columns of a file, so many lines at a time; the first part may be empty, no other is."""
    for start in count(step=LINES):
        with whole_file():
            part = pl.scan_parquet(path).slice(start, LINES).select(names).collect()
        if not start or len(part):
            yield part
        if len(part) < LINES:
            return


def _told(data: Data) -> dict[str, Any]:
    """Return what our own metadata says; nothing for the files of others."""
    with whole_file():
        told = json.loads(pl.read_parquet_metadata(BytesIO(data)).get(OURS, "{}"))
    return told if isinstance(told, dict) else {}


def _names(data: Data) -> list[str]:
    with whole_file():
        return list(pl.read_parquet_schema(BytesIO(data)))


def _frame(data: Data, *names: str) -> pl.DataFrame:
    with whole_file():
        return pl.read_parquet(BytesIO(data), columns=list(names))


@contextmanager
def whole_file() -> Iterator[None]:
    """Say in a sentence of ours, without the data that those of polars may hold, what is wrong with a file."""
    try:
        with silenced():
            yield
    except pl.exceptions.ColumnNotFoundError:
        raise InputError("the file does not have the columns that were asked for; check their names") from None
    except (ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise InputError("this is no Parquet file, or a damaged one; check its format, or write it again") from None
