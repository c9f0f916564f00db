"""Lines of a row id and an item: batches out of a database, rows out of lines, merged or not, and lines out of rows."""

import operator
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from numbers import Integral
from typing import Any, Final, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Itemsets, Label, recode
from discreet.data.thresholds import Threshold, as_count
from discreet.data.transactions import Merged, Transactions, add_empty, check_lengths
from discreet.errors import BudgetError, Either, InputError, Option, OptionError, OutputError, ThresholdError
from discreet.io.notation import WHOLE_NUMBER, Coded, Coder, check_label_types, find_used_codes
from discreet.runtime import resources

Thresholds: TypeAlias = Threshold | Iterable[Threshold]
BYTES_PER_ROW, BYTES_PER_ENTRY = 64, 8  # memory of a distinct row beside its items, and of each item
SMALL_CODE: Final = 1 << 16  # codes below this take two bytes of a row
LINES: Final = 1 << 16  # lines that are fetched or written at a time where the library does not choose
NAME_PART: Final = re.compile(r'"(?P<quoted>(?:[^"]|"")+)"|(?P<bare>[^".]+)')
SCATTERED: Final = "lines of one row are not adjacent; check that each row id is always written the same way"
NewLines: TypeAlias = tuple[list[Label], list[Label]]  # row ids and items to write


def group_rising(blocks: Iterable[tuple[Iterable[Hashable], Iterable[int]]]) -> Iterator[Itemsets]:
    """Yield the rows of blocks of row ids and items as they end; the ids must rise, so that no row continues later.

    >>> [rows.items.tolist() for rows in group_rising([(["7", "7"], [0, 1]), (["7", "10"], [2, 0])])]
    [[], [0, 1, 2], [0]]
    """
    row: list[int] = []
    last: Hashable = None
    orders: list[Callable[[Any, Any], bool]] = [_is_larger_number, operator.gt]
    number = 0
    for ids, items in blocks:
        ended: list[list[int]] = []
        for row_id, item in zip(ids, items, strict=True):
            number += 1
            if number > 1 and row_id != last:
                ended.append(row)
                row, orders = [], [order for order in orders if order(row_id, last)]
                if not orders:
                    advice = "sort the table by its row ids, or read all of it"
                    raise InputError(f"the row ids do not rise at line {number} of the table, as they must; {advice}")
            last = row_id
            row.append(item)
        yield Itemsets.of(ended)
    yield Itemsets.of([row] if number else [])


def _is_larger_number(one: object, other: object) -> bool:
    texts = str(one), str(other)
    return all(map(WHOLE_NUMBER.fullmatch, texts)) and int(texts[1]) < int(texts[0])


class RowMerger:
    """Distinct rows and the number of rows equal to each, merged chunk by chunk.

    >>> merger = RowMerger(1 << 20)
    >>> merger.add(Itemsets.of([[1, 0], [0], [0, 1]]))
    >>> list(merger.merge([9, 7], n=5, min_support=2))
    [(frozenset(), 2), (frozenset({9, 7}), 2), (frozenset({9}), 1)]
    """

    def __init__(self, room: int) -> None:
        """Begin without any row; distinct rows may take ``room`` bytes."""
        self._room, self._many = room, 0
        self._slots = np.full(1 << 12, -1, dtype=np.int32)
        self._starts, self._weights = np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int64)
        self._items = np.empty(0, dtype=np.uint16)

    def add(self, rows: Itemsets) -> None:
        """Merge more rows, whose arrays are rewritten; refuse more distinct ones than memory allows."""
        offsets, items = rows.sort_items().flat
        if items.max(initial=0) >= SMALL_CODE > np.iinfo(self._items.dtype).max:
            self._items = self._items.astype(np.int32)
        self._make_room(offsets.size - 1, items.size)
        table = (self._slots, self._starts, self._items, self._weights)
        self._many = int(kernels.merge_rows.merge_more(offsets, items, *table, self._many))
        if BYTES_PER_ROW * self._many + BYTES_PER_ENTRY * int(self._starts[self._many]) > self._room:
            problem = f"there are {self._many:,} different rows of frequent items or more, which do not fit in the "
            advice = (Option("memory"), " allows: ", Either(("raise {}", "memory", "min_support")))
            raise BudgetError(f"{problem}{resources.size(self._room)} that ", *advice)

    def merge(self, labels: Sequence[Label], *, n: int, min_support: int) -> Merged:
        """Return ``n`` rows, merged, and give up the arrays; item i is ``labels[i]``, rows never added are empty."""
        many = self._many
        offsets, weights = self._starts[: many + 1].copy(), self._weights[:many].copy()
        items = self._items[: offsets[-1]].astype(np.int32)
        del self._slots, self._starts, self._weights, self._items
        items, names = recode(items, labels)
        rows = Itemsets(offsets, items).sort_items().weigh(weights).sort(items=len(names))
        more = n - int(weights.sum())
        return Merged(add_empty(rows, more) if more > 0 else rows, names, n, min_support)

    def _make_room(self, rows: int, entries: int) -> None:
        rows, entries = self._many + rows, int(self._starts[self._many]) + entries
        for numbers, size in ((self._starts, rows + 1), (self._weights, rows), (self._items, entries)):
            if numbers.size < size:
                numbers.resize(size + size // 2, refcheck=False)
        if self._slots.size <= 2 * rows:
            self._slots = np.full(1 << (4 * rows).bit_length(), -1, dtype=np.int32)
            kernels.merge_rows.place_rows(self._starts, self._items, self._many, self._slots)


def least_count(min_support: Thresholds, n: int) -> int:
    """Return the lowest of some minimum supports as a count.

    >>> least_count(["90%", 7], 10), least_count("20%", 10)
    (7, 2)
    """
    several = min_support if isinstance(min_support, Iterable) and not isinstance(min_support, str) else [min_support]
    counts = [as_count(one, n) for one in several]
    if not counts:
        raise ThresholdError("there is no minimum support; give one at least")
    return min(counts)


class Column(NamedTuple):
    """Distinct values as they first appear, and the code of each line's value."""

    values: list[Label]
    codes: NDArray[np.int64]


class Batch(NamedTuple):
    """Some lines."""

    rows: Column
    items: Column


def split_name(table: str) -> tuple[str, ...]:
    """Return the schema, if one is named, and the name of a table; a name with dots or quotes is in double quotes.

    >>> split_name("ward.stays"), split_name('"a.b"'), split_name('"2""x"')
    (('ward', 'stays'), ('a.b',), ('2"x',))
    """
    names, at = [], 0
    while match := NAME_PART.match(table, at):
        names.append(match["bare"] or match["quoted"].replace('""', '"'))
        at = match.end() + 1
        if table[match.end() : at] != ".":
            break
    if at <= len(table) or not 1 <= len(names) <= 2 or "\0" in table:  # noqa: PLR2004 - schema and table
        advice = "give its name, such as stays or ward.stays, and put a name with dots or quotes in double quotes"
        raise OptionError(f"table is {table[:40]!r}; {advice}")
    return tuple(names)


def quote_names(*names: str) -> str:
    """Return names as SQL: in quotes, with quotes doubled.

    >>> print(quote_names("ward", 'a"; DROP TABLE stays; --'))
    "ward"."a""; DROP TABLE stays; --"
    """
    return ".".join('"' + name.replace('"', '""') + '"' for name in names)


def batch_arrow(reader: Iterable[Any]) -> Iterator[Batch]:
    """Yield batches of Arrow as ours, without empty ones."""
    for batch in reader:
        if batch.num_rows:
            both = (batch.column(at).dictionary_encode() for at in (0, 1))
            yield Batch(*(Column(one.dictionary.to_pylist(), one.indices.to_numpy().astype(np.int64)) for one in both))


def batch_tuples(blocks: Iterable[list[tuple[Label, Label]]]) -> Iterator[Batch]:
    """Yield lists of lines as batches."""
    for block in blocks:
        rows, items = zip(*block, strict=True)
        yield Batch(_encode(rows), _encode(items))


def _encode(values: Iterable[Label]) -> Column:
    codes: Coder[Label] = Coder()
    places = np.array(codes.encode(values), dtype=np.int64)
    return Column(codes.values, places)


def group_rows(batches: Iterable[Batch], codes: Coder[Label]) -> Iterator[tuple[list[Label], Itemsets]]:
    """Yield the ids and the rows of batches; the last row of each waits for the next batch, which may continue it.

    >>> lines = [[(3, "a"), (7, "b")], [(7, "a")]]
    >>> [(ids, rows.lengths.tolist(), rows.items.tolist()) for ids, rows in group_rows(batch_tuples(lines), Coder())]
    [([3], [1], [0]), ([], [], []), ([7], [2], [0, 1])]
    """
    last_ids: list[Label] = []
    last = np.zeros(0, dtype=np.int32)
    for batch in batches:
        if (np.diff(batch.rows.codes) < 0).any():
            raise InputError(SCATTERED)
        ids = batch.rows.values
        lengths = np.bincount(batch.rows.codes, minlength=len(ids))
        items = np.array(codes.encode(batch.items.values), dtype=np.int32)[batch.items.codes]
        if last_ids == ids[:1]:
            lengths[0] += last.size
        elif last_ids:
            ids, lengths = last_ids + ids, np.append(last.size, lengths)
        items = np.concatenate([last, items])
        cut = items.size - int(lengths[-1])
        yield ids[:-1], Itemsets.from_lengths(lengths[:-1], items[:cut])
        last_ids, last = ids[-1:], np.unique(items[cut:])
    yield last_ids, Itemsets.from_lengths([last.size] * len(last_ids), last)


def collect_rows(batches: Iterable[Batch]) -> Transactions:
    """Return the rows with their ids."""
    codes: Coder[Label] = Coder()
    parts = list(group_rows(batches, codes))
    ids = [row_id for some, _ in parts for row_id in some]
    if len(set(ids)) < len(ids):
        raise InputError(SCATTERED)
    return Coded.of(Itemsets.concat([rows for _, rows in parts]), codes.values, ids).transactions()


def merge_rows(batches: Iterable[Batch], *, min_support: int, n: int, room: int) -> Merged:
    """Return the merged rows, within ``room`` bytes; at least ``min_support`` rows must hold each item.

    >>> lines = [[(3, "a"), (7, "a")], [(9, "a")]]
    >>> list(merge_rows(batch_tuples(lines), min_support=3, n=5, room=1 << 20))
    [(frozenset(), 2), (frozenset({'a'}), 3)]
    """
    codes: Coder[Label] = Coder()
    merger, many = RowMerger(room), 0
    for _, rows in group_rows(batches, codes):
        check_lengths(rows.lengths, before=many)
        many += len(rows)
        merger.add(rows)
    return merger.merge(codes.values, n=n, min_support=min_support)


class NewRows(NamedTuple):
    """Rows to write, sorted by id, with labels that occur; each has an id and at least one item."""

    rows: Transactions
    ids: Sequence[Label]

    @classmethod
    def of(cls, rows: Transactions) -> Self:
        """Refuse rows that lines of a row id and an item cannot hold.

        >>> lines = NewRows.of(Transactions([["b"], ["a"]], ids=["y", "x"]))
        >>> list(lines.chunks()), lines.are_whole
        ([(['x', 'y'], ['a', 'b'])], (False, False))
        """
        lengths = rows.itemsets.lengths
        if not lengths.all():
            problem = f"row {int(np.argmin(lengths)) + 1} has no items, and one line per item cannot hold such a row"
            raise OutputError(f"{problem}; write the rows as baskets, or as lists in Parquet")
        codes = find_used_codes(rows)
        check_label_types(rows, codes, "a table")
        ids = list(range(1, rows.n + 1)) if rows.ids is None else list(rows.ids)
        if len(set(ids)) < len(ids):
            raise OutputError("two rows have the same id, and would be one row in the table; give each its own")
        _are_whole(ids)
        comparable: list[Any] = ids
        order = np.array(sorted(range(rows.n), key=comparable.__getitem__), dtype=np.int64)
        place = np.full(len(rows.labels), -1, dtype=np.int32)
        place[codes] = np.arange(len(codes), dtype=np.int32)
        taken = rows.itemsets.take(order)
        ids = [ids[row] for row in order.tolist()]
        coded = Coded.of(Itemsets(taken.offsets, place[taken.items]), [rows.labels[code] for code in codes], ids)
        return cls(coded.transactions(), ids)

    @property
    def are_whole(self) -> tuple[bool, bool]:
        """Whether the row ids, and the items, are whole numbers rather than text."""
        return _are_whole(self.ids), _are_whole(self.rows.labels)

    def chunks(self) -> Iterator[NewLines]:
        """Yield row ids and items, many lines at a time."""
        numbers = self.rows.itemsets.owners
        for start in range(0, numbers.size, LINES):
            rows, items = (array[start : start + LINES].tolist() for array in (numbers, self.rows.items))
            yield [self.ids[row] for row in rows], [self.rows.labels[item] for item in items]


def _are_whole(values: Sequence[Label]) -> bool:
    """Return whether values are whole numbers of 64 bits; if not, they must be text."""
    if all(isinstance(value, str) for value in values):
        if any("\ud800" <= letter <= "\udfff" for value in values for letter in str(value)):
            raise OutputError("an item or a row id is no text that UTF-8 can hold; rename it")
        return False
    for value in values:
        if not isinstance(value, Integral) or isinstance(value, bool) or not -(1 << 63) <= int(value) < 1 << 63:
            raise OutputError("items, or row ids, are not all text or all whole numbers of 64 bits; rename them")
    return True
