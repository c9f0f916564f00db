"""Lines of a row id and an item: batches out of a database, rows out of batches, and lines out of rows."""

import re
from collections.abc import Iterable, Iterator, Sequence
from numbers import Integral
from typing import Any, Final, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.data.itemsets import Itemsets
from discreet.data.labels import Label
from discreet.data.merged import Merged
from discreet.data.transactions import Transactions, check_lengths
from discreet.errors import InputError, OptionError, OutputError
from discreet.io.chunks import RowMerger
from discreet.io.label_codes import Coded, Codes, check_label_types, find_used_codes

LINES: Final = 1 << 16
"""Lines that are fetched or written at a time where the library does not choose."""
NAME_PART: Final = re.compile(r'"(?P<quoted>(?:[^"]|"")+)"|(?P<bare>[^".]+)')

NewLines: TypeAlias = tuple[list[Label], list[Label]]
"""Row ids and items to write."""


class Column(NamedTuple):
    """Distinct values as they first appear, and the place of each line's value among them."""

    values: list[Label]
    codes: NDArray[np.int64]


class Batch(NamedTuple):
    """Some lines."""

    rows: Column
    items: Column


def split_table_name(table: str) -> tuple[str, ...]:
    """Return the schema, if one is named, and the name of a table; a name with dots or quotes is in double quotes.

    >>> split_table_name("ward.stays"), split_table_name('"a.b"'), split_table_name('"2""x"')
    (('ward', 'stays'), ('a.b',), ('2"x',))
    """
    names, at = [], 0
    while match := NAME_PART.match(table, at):
        names.append(match["bare"] or match["quoted"].replace('""', '"'))
        at = match.end() + 1
        if table[match.end() : at] != ".":
            break
    if at <= len(table) or not 1 <= len(names) <= 2 or "\0" in table:  # noqa: PLR2004 - schema and table
        raise OptionError(
            f"table is {table[:40]!r}; give its name, such as stays or ward.stays, and put a name with dots or quotes "
            "in double quotes"
        )
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
            encoded = (batch.column(at).dictionary_encode() for at in (0, 1))
            yield Batch(
                *(Column(one.dictionary.to_pylist(), one.indices.to_numpy().astype(np.int64)) for one in encoded)
            )


def batch_tuples(blocks: Iterable[list[tuple[Label, Label]]]) -> Iterator[Batch]:
    """Yield lists of lines as batches."""
    for block in blocks:
        rows, items = zip(*block, strict=True)
        yield Batch(_encode(rows), _encode(items))


def _encode(values: Iterable[Label]) -> Column:
    codes: Codes[Label] = Codes()
    places = codes.encode(values)
    return Column(codes.values, np.array(places, dtype=np.int64))


class WholeRows(NamedTuple):
    """Some whole rows with their ids; a row may repeat an item."""

    ids: list[Label]
    rows: Itemsets


def group_rows(batches: Iterable[Batch], codes: Codes[Label]) -> Iterator[WholeRows]:
    """Yield the rows of batches; the last row of each waits for the next batch, which may continue it.

    >>> lines = [[(3, "a"), (7, "b")], [(7, "a")]]
    >>> [(part.ids, part.rows.lengths.tolist(), part.rows.items.tolist()) for part in
    ...     group_rows(batch_tuples(lines), Codes())]
    [([3], [1], [0]), ([], [], []), ([7], [2], [0, 1])]
    """
    last_ids: list[Label] = []
    last = np.zeros(0, dtype=np.int32)
    for batch in batches:
        if (np.diff(batch.rows.codes) < 0).any():
            raise _scattered()
        ids = batch.rows.values
        lengths = np.bincount(batch.rows.codes, minlength=len(ids))
        items = np.array(codes.encode(batch.items.values), dtype=np.int32)[batch.items.codes]
        if last_ids == ids[:1]:
            lengths[0] += last.size
        elif last_ids:
            ids, lengths = last_ids + ids, np.append(last.size, lengths)
        items = np.concatenate([last, items])
        cut = items.size - int(lengths[-1])
        yield WholeRows(ids[:-1], Itemsets.from_lengths(lengths[:-1], items[:cut]))
        last_ids, last = ids[-1:], np.unique(items[cut:])
    yield WholeRows(last_ids, Itemsets.from_lengths([last.size] * len(last_ids), last))


def _scattered() -> InputError:
    return InputError("lines of one row are not adjacent; check that each row id is always written the same way")


def collect_rows(batches: Iterable[Batch]) -> Transactions:
    """Return the rows with their ids."""
    codes: Codes[Label] = Codes()
    parts = list(group_rows(batches, codes))
    ids = [name for part in parts for name in part.ids]
    if len(set(ids)) < len(ids):
        raise _scattered()
    rows = Itemsets.concat([part.rows for part in parts])
    return Coded.of(rows, codes.values, ids).transactions()


def merge_rows(batches: Iterable[Batch], *, min_support: int, n: int, room: int) -> Merged:
    """Return the merged rows, within ``room`` bytes; at least ``min_support`` rows must hold each item.

    >>> lines = [[(3, "a"), (7, "a")], [(9, "a")]]
    >>> list(merge_rows(batch_tuples(lines), min_support=3, n=5, room=1 << 20))
    [(frozenset(), 2), (frozenset({'a'}), 3)]
    """
    codes: Codes[Label] = Codes()
    merger, many = RowMerger(room), 0
    for part in group_rows(batches, codes):
        check_lengths(part.rows.lengths, before=many)
        many += len(part.rows)
        merger.add(part.rows)
    return merger.merge(codes.values, n=n, min_support=min_support)


class TableRows(NamedTuple):
    """Rows to write, sorted by id, with labels that occur; each has an id and at least one item."""

    rows: Transactions
    ids: Sequence[Label]

    @classmethod
    def of(cls, rows: Transactions) -> Self:
        """Refuse rows that lines of a row id and an item cannot hold.

        >>> lines = TableRows.of(Transactions([["b"], ["a"]], ids=["y", "x"]))
        >>> list(lines.chunks()), lines.are_whole
        ([(['x', 'y'], ['a', 'b'])], (False, False))
        """
        lengths = rows.itemsets.lengths
        if not lengths.all():
            raise OutputError(
                f"row {int(np.argmin(lengths)) + 1} has no items, and a table with a line an item cannot hold such a "
                "row; write the rows as baskets, or as lists in Parquet"
            )
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
        sorted_rows = Itemsets(taken.offsets, place[taken.items])
        return cls(Coded.of(sorted_rows, [rows.labels[code] for code in codes], ids).transactions(), ids)

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
