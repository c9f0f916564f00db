"""Shapes of frames: the rows of a frame, from a file or in memory, in the shape that was named or found."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np

from discreet.data.itemsets import AnyFrame, Itemsets, Label, is_missing
from discreet.data.reading import SHAPES as CALLED
from discreet.data.reading import Reading
from discreet.data.transactions import Transactions
from discreet.errors import InputError, Message, Option, OptionError
from discreet.io import baskets, frames, tables
from discreet.io.columns import Column, code_columns, code_others, list_index, names_of
from discreet.io.lines import group_rising
from discreet.io.names import find_column, find_columns
from discreet.io.notation import ChunkReader, Coded, Coder
from discreet.io.options import RowOptions, check_options
from discreet.io.owners import find_ids_in_lists, find_owners, find_owners_of_lines, find_repeated
from discreet.io.people import by_person
from discreet.io.readings import describe
from discreet.io.sniff import PATTERN_HEADERS, Layout, sniff_frame
from discreet.io.stores import Store

ITEMS: Final = "items"  # the column of lists, unless another one is named
_PEOPLE: Final = frozenset({"person", "per"})


def read_frame(frame: AnyFrame, options: RowOptions, shape: str | None = None, form: str = "frame") -> Transactions:
    """Return the rows of a frame, a sparse matrix or an array; ``shape`` names its shape, else it is found.

    >>> import polars as pl
    >>> rows = read_frame(pl.DataFrame({"id": [1, 1, 2], "item": ["a", "b", "a"]}), RowOptions())
    >>> rows.reading.shape, [sorted(row) for row in rows]
    ('long', [['a', 'b'], ['a']])
    """
    frame = _name_columns(_take_index(frame, options), shape)
    layout, rows = find_layout(frame, options, shape)
    allowed = {*SHAPES[layout.shape].options} | CONTAINED
    check_options(options.given, allowed, f"a frame that is read as {CALLED[layout.shape]}")
    rows = SHAPES[layout.shape].read(frame, layout.options) if rows is None else rows
    index = list_index(frame) if layout.shape == "onehot" and options.person is None else {}
    if repeated := [doubt for name, ids in index.items() for doubt in find_repeated(name, ids)]:
        rows = _describe(rows, [*(() if rows.reading is None else rows.reading.doubts), *repeated])
    known = Reading(layout.shape, form, row=layout.options.row, item=layout.options.item, confirmed=layout.confirmed)
    return describe(rows, known)


CONTAINED: Final = {"sheet", "header", "empty_rows", "encoding"}  # options of the file that held the frame


def find_layout(frame: AnyFrame, options: RowOptions, shape: str | None) -> tuple[Layout, Transactions | None]:
    """Return the layout of a frame, and its rows if it is a one-hot table; refuse one that is unclear."""
    chosen = options.given.keys() - CONTAINED
    if shape is None and not chosen:
        try:
            return Layout("onehot", options), frames.from_onehot(frame).transactions()
        except InputError:
            if _is_matrix(frame):
                raise
    if _is_matrix(frame):
        if shape not in {None, "onehot"} or chosen:
            raise OptionError("an array or a sparse matrix is a one-hot table; make a frame of it to name its columns")
        return Layout("onehot", options, confirmed=shape is not None), None
    table = frames.as_narwhals(frame)
    names = frozenset(map(str, table.columns))
    if shape is None and any(wanted <= names for wanted in PATTERN_HEADERS):
        raise InputError(
            "this is a frame of itemsets and supports, not of rows; read it with read_patterns, or audit it"
        )
    layout = sniff_frame(table, options, shape)
    layout.check()
    return layout, None


def _name_columns(frame: AnyFrame, shape: str | None) -> AnyFrame:
    """Return a frame of pandas whose columns have texts as names, unless they are items, which may be any labels."""
    is_odd = hasattr(type(frame), "iloc") and not all(isinstance(name, str) for name in frame.columns)
    if not is_odd or shape == "onehot":
        return frame
    try:
        frames.from_onehot(frame)
    except InputError:
        return frame.set_axis(names_of(frame), axis=1)
    return frame


def _take_index(frame: AnyFrame, options: RowOptions) -> AnyFrame:
    """Return a frame of pandas with the parts of its index that are asked for as columns."""
    asked = {options.person, options.row, *(name.strip() for text in options.drop for name in [text, *text.split(",")])}
    named = [name for name in list_index(frame) if name in asked]
    return frame.reset_index(named) if named else frame


def _is_matrix(frame: AnyFrame) -> bool:
    return hasattr(type(frame), "tocsc") or not hasattr(type(frame), "columns")


def _read_onehot(frame: AnyFrame, options: RowOptions) -> Transactions:
    if _is_matrix(frame):
        return frames.from_onehot(frame).transactions()
    left_out = [name for name in (options.row, options.person) if name is not None]
    ids = _list_column(frame, options.row)
    rows = frames.from_onehot(_drop(frame, left_out))._replace(ids=ids).transactions()
    if options.person is None and options.row is not None:
        return _describe(rows, find_repeated(options.row, ids or ()))
    return _merge(rows, _list_column(frame, options.person), options)


def _read_lists(frame: AnyFrame, options: RowOptions) -> Transactions:
    if options.items is None:
        raise OptionError("the column of lists is not named; name it with ", Option("items"))
    rows = frames.from_lists(frame, items=options.items, row=options.row).transactions()
    if options.person is None:
        lists = frames.as_narwhals(frame)[options.items].head(baskets.SEEN).to_list()
        others = find_owners(_code_others(frame, [options.items, *filter(None, [options.row])], options))
        repeated = [] if options.row is None else find_repeated(options.row, rows.ids or ())
        return _describe(rows, [*others, *repeated, *find_ids_in_lists(options.items, lists)])
    return _merge(rows, _list_column(frame, options.person), options)


def _read_long(frame: AnyFrame, options: RowOptions) -> Transactions:
    row = options.row or options.person
    if row is None or options.item is None:
        raise OptionError("the long form needs both columns; give ", Option("row"), " and ", Option("item"))
    rows = frames.from_long(frame, row=row, item=options.item).transactions()
    people = _list_column(frame, options.person)
    if people is None:
        names = names_of(frame)
        lines = next(code_columns(frame, names, [find_column(names, row)], ())).codes
        return _describe(rows, find_owners_of_lines(lines, _code_others(frame, [row, options.item], options)))
    owners: dict[Hashable, Hashable] = {}
    for line, person in zip(_list_column(frame, row) or (), people, strict=True):
        if owners.setdefault(line, person) != person and not is_missing(person):
            raise InputError(
                f"rows of column {row!r} belong to several people of column {options.person!r}; check both"
            )
    return _merge(rows, [owners[line] for line in rows.ids or ()], options)


def _read_baskets(frame: AnyFrame, options: RowOptions) -> Transactions:  # noqa: ARG001 - one signature for all shapes
    """Return the cells of each line as its items."""
    table = frames.as_narwhals(frame)
    columns = [table[name].to_list() for name in table.columns]
    lines = [[value for value in line if not is_missing(value) and value != ""] for line in zip(*columns, strict=True)]
    codes: Coder[Any] = Coder()
    items = np.array(codes.encode(chain.from_iterable(lines)), dtype=np.int32)
    return Coded.of(Itemsets.from_lengths(list(map(len, lines)), items), codes.values).transactions()


def _code_others(frame: AnyFrame, named: Iterable[str], options: RowOptions) -> Iterator[Column]:
    """Yield the columns that nobody named or dropped, which may tell whose rows these are."""
    names = names_of(frame)
    return code_others(frame, {*named, *find_columns(names, options.drop)})


def _describe(rows: Transactions, doubts: Iterable[Message]) -> Transactions:
    return rows.describe(reading=Reading("rows", "frame", doubts=tuple(doubts)))


def _merge(rows: Transactions, people: list[Any] | None, options: RowOptions) -> Transactions:
    return rows if people is None else by_person(rows, people, options)


def _list_column(frame: AnyFrame, name: str | None) -> list[Any] | None:
    if name is None:
        return None
    table = frames.as_narwhals(frame)
    values: list[Any] = table[find_column(list(table.columns), name)].to_list()
    return values


def _drop(frame: AnyFrame, names: list[str]) -> AnyFrame:
    """Return a frame without some columns; others of pandas may have names of any type."""
    if not names:
        return frame
    table = frames.as_narwhals(frame)
    for name in names:
        find_column(list(table.columns), name)
    return table.drop(names).to_native()


class Shape(NamedTuple):
    """How a frame of a shape is read, and the options that it has."""

    read: Callable[[AnyFrame, RowOptions], Transactions]
    options: frozenset[str]


SHAPES: Final[Mapping[str, Shape]] = {
    "table": Shape(tables.from_table, _PEOPLE | {"columns", "drop", "na", "bins"}),
    "long": Shape(_read_long, _PEOPLE | {"row", "item", "drop"}),
    "lists": Shape(_read_lists, _PEOPLE | {"items", "row", "drop"}),
    "onehot": Shape(_read_onehot, _PEOPLE | {"row"}),
    "baskets": Shape(_read_baskets, frozenset()),
}
"""The shapes of frames, by the name that ``format`` has for each."""


def find_chunk_shape(store: Store, options: RowOptions) -> str:
    """Return the shape in which a store is read chunk by chunk: lists, one-hot, or the long form sorted by row id."""
    if options.item is not None:
        if options.row is None or options.items is not None:
            columns = (Option("row"), " and ", Option("item"), ", and no ", Option("items"))
            raise OptionError("the long form needs both columns; give ", *columns)
        return "long"
    return "onehot" if options.items is None and ITEMS not in store.columns() else "lists"


def read_in_chunks(options: RowOptions, shape: str) -> ChunkReader:
    """Return how the rows of a store of a shape are read batch by batch."""
    codes: Coder[Label] = Coder()

    def read(store: Store) -> Iterator[Itemsets]:
        if options.row is not None and options.item is not None:
            yield from group_rising(_long_blocks(store, codes, options.row, options.item))
            return
        column = options.items or ITEMS
        is_onehot = shape == "onehot"
        for part in store.batches([] if is_onehot else [column]):
            coded = _read_bits(part) if is_onehot else frames.from_lists(part, items=column)
            numbers = np.array(codes.encode(coded.labels), dtype=np.int32)
            rows = coded.itemsets
            yield Itemsets(rows.offsets, numbers[rows.items] if rows.items.size else rows.items)

    return ChunkReader(read, codes.values_of)


def _read_bits(frame: AnyFrame) -> Coded:
    try:
        return frames.from_onehot(frame)
    except InputError as error:
        problem = "a table of attributes is not scanned: read all of it, with more memory; if it is a one-hot table, "
        raise InputError(problem, error.message) from None


def _long_blocks(store: Store, codes: Coder[Label], row: str, item: str) -> Iterator[tuple[list[Any], list[int]]]:
    for part in store.batches([row, item]):
        if missing := part.null_count().sum_horizontal()[0]:
            raise InputError(f"columns {row!r} and {item!r} hold {missing} missing values; leave them out or fill them")
        yield part[row].to_list(), codes.encode(part[item].to_list())
