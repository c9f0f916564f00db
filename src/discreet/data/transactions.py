"""Rows of items, immutable, coded as integers: n transactions, or equal rows merged."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Self, TypeAlias, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data import plain_rows, query
from discreet.data.hierarchy import Hierarchy
from discreet.data.itemsets import (
    AnyFrame,
    Items,
    Itemset,
    Itemsets,
    Label,
    Labelled,
    Weighted,
    as_itemset,
    offsets_of,
)
from discreet.data.oddness import find_odd
from discreet.data.reading import Reading
from discreet.data.schema import Schema
from discreet.data.thresholds import Threshold, as_count
from discreet.errors import InputError, Message, Option, OptionError, ThresholdError
from discreet.runtime import html
from discreet.runtime.solver import Numbers

if TYPE_CHECKING:
    from discreet.io.hierarchies import AnyHierarchy

LONGEST_ROW: Final = 100_000  # longer rows are refused: nearly always, a file has lost its line ends


class Description(TypedDict, total=False):
    """What is known about rows beside their items."""

    schema: Schema | None
    people: NDArray[np.int32] | None
    reading: Reading | None
    hierarchy: Hierarchy | None


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Transactions(Labelled):
    """``n`` rows of items; a row is a set, so a repeated item counts once.

    ``itemsets[r]`` are the codes of row ``r``, strictly increasing, into ``labels``; ``ids`` are names of the rows.
    Where they were read, ``reading`` says how. A table has a ``schema``: values of one column exclude each other. If
    people have several rows, ``people[r]`` is the number of the person of row ``r``. With a ``hierarchy``, rows hold
    the ancestors of their items too.

    >>> rows = Transactions([["bread", "milk"], ["milk"], []])
    >>> len(rows), rows[0] == {"bread", "milk"}, rows.support(["milk"])
    (3, True, 2)
    >>> [sorted(row) for row in rows[1:]]
    [['milk'], []]
    """

    itemsets: Itemsets
    labels: tuple[Label, ...]
    ids: Sequence[Hashable] | None
    schema: Schema | None
    people: NDArray[np.int32] | None
    reading: Reading | None
    hierarchy: Hierarchy | None

    def __init__(self, rows: Iterable[Iterable[Label]], *, ids: Sequence[Hashable] | None = None) -> None:
        """Encode ``rows``: an iterable of iterables of hashable labels, or a frame of any shape that ``read`` knows."""
        from discreet.io import baskets, natives  # noqa: PLC0415 - io stands on this module

        if natives.is_frame(rows):
            found = as_transactions(rows)
            vars(self).update(vars(found) | ({} if ids is None else {"ids": _check_ids(ids, found.n)}))
            return
        _check_source(rows)
        lengths, flat, is_ordered = plain_rows.flatten(rows)
        labels = plain_rows.order_labels(flat)
        if is_ordered and "" in labels:
            advice = "leave them out, give sets if they are items, or make a frame of a table"
            raise InputError(f"the rows are lists that hold empty texts, as cells of a table do; {advice}")
        if is_ordered:
            bounds = offsets_of(lengths[: baskets.SEEN]).tolist()
            baskets.check_rows([flat[start:stop] for start, stop in pairwise(bounds)])
        code = {label: number for number, label in enumerate(labels)}
        items = np.fromiter(map(code.__getitem__, flat), dtype=np.int32, count=len(flat))
        self._fill(Itemsets.from_lengths(lengths, items), labels, ids)

    @classmethod
    def from_codes(
        cls, offsets: Numbers, items: Items, labels: Iterable[Label], *, ids: Sequence[Hashable] | None = None
    ) -> Self:
        """Take coded rows; each is sorted and its repeated items dropped, in place."""
        transactions = cls.__new__(cls)
        transactions._fill(Itemsets(offsets, items), tuple(labels), ids)
        return transactions

    @classmethod
    def from_onehot(cls, frame: AnyFrame, *, labels: Sequence[Label] | None = None) -> Self:
        """Take a one-hot table, one column per item: a frame of pandas, polars or Arrow, a sparse matrix, an array.

        It is never made dense. ``labels`` names the columns of a matrix; by default they are numbered.

        >>> rows = Transactions.from_onehot(np.array([[0, 1], [1, 1]]), labels=["tea", "milk"])
        >>> [sorted(row) for row in rows]
        [['milk'], ['milk', 'tea']]
        """
        from discreet.io import frames  # noqa: PLC0415 - io stands on this module

        coded = frames.from_onehot(frame, labels=labels)
        return cls.from_codes(*coded.itemsets.flat, coded.labels)

    @classmethod
    def from_long(cls, frame: AnyFrame, *, row: str, item: str) -> Self:
        """Take a frame with a row id and an item per line; rows are in the order of the first line of each id.

        >>> import polars as pl
        >>> frame = pl.DataFrame({"patient": [7, 3, 7], "drug": ["a", "a", "b"]})
        >>> rows = Transactions.from_long(frame, row="patient", item="drug")
        >>> rows.ids, [sorted(row) for row in rows]
        ([7, 3], [['a', 'b'], ['a']])
        """
        from discreet.io import frames  # noqa: PLC0415 - io stands on this module

        coded = frames.from_long(frame, row=row, item=item)
        return cls.from_codes(*coded.itemsets.flat, coded.labels, ids=coded.ids)

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.itemsets)

    @property
    def weights(self) -> Numbers:
        """How many rows each row stands for: one."""
        weights = np.ones(self.n, dtype=np.int64)
        weights.setflags(write=False)
        return weights

    def support(self, wanted: str | Iterable[Label]) -> int:
        """Count the rows that hold every item of an itemset, or make a query true; all hold the empty itemset.

        A query is text: items, ``&``, ``|``, ``~`` and brackets, with labels that have spaces in quotes.

        >>> rows = Transactions([["bread", "red wine"], ["bread"], ["milk"], []])
        >>> rows.support(["bread"]), rows.support("bread & ~'red wine'"), rows.support("not (bread or milk)")
        (2, 1, 1)
        """
        return int(np.count_nonzero(self._find(wanted)))

    def rows(self, wanted: str | Iterable[Label]) -> NDArray[np.intp]:
        """Return the numbers of the rows that ``support`` counts, in order.

        >>> rows = Transactions([["a", "b"], ["b"], ["a", "b", "c"]])
        >>> rows.rows(["a", "b"]).tolist(), rows.rows("~a | c").tolist()
        ([0, 2], [1, 2])
        """
        return np.flatnonzero(self._find(wanted))

    def __len__(self) -> int:
        return self.n

    @overload
    def __getitem__(self, row: int) -> Itemset: ...
    @overload
    def __getitem__(self, row: slice) -> Self: ...
    def __getitem__(self, row: int | slice) -> Itemset | Self:
        if not isinstance(row, slice):
            return frozenset(self.labelled(row))
        part = type(self).__new__(type(self))
        part._set(self.itemsets[row], self.labels, None if self.ids is None else self.ids[row])
        people = None if self.people is None else self.people[row]
        return part.describe(schema=self.schema, people=people, reading=self.reading, hierarchy=self.hierarchy)

    @property
    def odd(self) -> tuple[Message, ...]:
        """What is strange about the rows as they were read, before any item was left out."""
        return find_odd(self.reading, self.itemsets, len(self.labels))

    def describe(self, **known: Unpack[Description]) -> Self:
        """Return the same rows with what is known about them: their schema, people, reading or hierarchy."""
        described = type(self).__new__(type(self))
        vars(described).update({**vars(self), **known})
        return described

    def __iter__(self) -> Iterator[Itemset]:
        return (self[row] for row in range(self.n))

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same rows, by label, in the same order, and the same ids."""
        if not isinstance(other, Transactions):
            return NotImplemented
        ids, others = (None if rows.ids is None else list(rows.ids) for rows in (self, other))
        same = self.itemsets == other.itemsets if self.labels == other.labels else list(self) == list(other)
        return ids == others and same

    __hash__ = None  # type: ignore[assignment]  # a value of many megabytes is no key

    def __repr__(self) -> str:
        return f"<Transactions: {self.n:,} rows, {len(self.labels):,} items, {self.itemsets.size:,} entries>"

    def _repr_html_(self) -> str:
        """Return the first rows as a table, for notebooks."""
        first = self[: html.SHOWN]
        numbered = enumerate(html.names(first.labelled(row), nothing="(no items)") for row in range(len(first)))
        if first.ids is None:
            return html.table(repr(self)[1:-1], ["row", "items"], numbered, many=len(self))
        lines = ((row, html.name(first.ids[row]), items) for row, items in numbered)
        return html.table(repr(self)[1:-1], ["row", "id", "items"], lines, many=len(self))

    def _find(self, wanted: str | Iterable[Label]) -> NDArray[np.bool_]:
        """Return for each row whether it holds every item of an itemset, or makes a query true."""
        if isinstance(wanted, str):
            return query.evaluate(query.parse(wanted), self.itemsets, self.code)
        itemset = as_itemset(wanted)
        if not all(label in self.code for label in itemset):
            return np.zeros(self.n, dtype=np.bool_)
        return self.itemsets.contain(self.code[label] for label in itemset)

    def _fill(self, itemsets: Itemsets, labels: tuple[Label, ...], ids: Sequence[Hashable] | None) -> None:
        """Sort the rows, check them and keep them."""
        _check_ids(ids, len(itemsets))
        sorted_ = itemsets.sort_items()
        check_lengths(sorted_.lengths)
        self._set(sorted_, labels, ids)

    def _set(self, itemsets: Itemsets, labels: tuple[Label, ...], ids: Sequence[Hashable] | None) -> None:
        itemsets.freeze()
        known = Description(schema=None, people=None, reading=None, hierarchy=None)
        vars(self).update(known, itemsets=itemsets, labels=labels, ids=ids)


@dataclass(frozen=True, eq=False, repr=False)
class Merged(Labelled):
    """Rows cut to the items that at least ``min_support`` of them hold, equal ones merged.

    Row ``r`` has the codes ``itemsets[r]``, strictly rising, into ``labels``, and stands for ``weights[r]`` of ``n``
    rows; rows are in dictionary order. ``mine``, ``detect``, ``audit``, ``tradeoff`` and ``block`` take merged rows for
    rows, with the same result, for any minimum support from ``min_support`` on.

    >>> merged = Merged.of([["a", "b"], ["b", "a", "c"], ["b"], ["d"], []], min_support=2)
    >>> merged
    <Merged: 5 rows, 3 different ones of 2 items that at least 2 rows hold>
    >>> [(sorted(row), many) for row, many in merged]
    [([], 2), (['a', 'b'], 2), (['b'], 1)]
    """

    itemsets: Weighted
    labels: tuple[Label, ...]
    n: int
    min_support: int
    schema: Schema | None = None
    reading: Reading | None = None
    hierarchy: Hierarchy | None = None

    def __post_init__(self) -> None:
        self.itemsets.freeze()

    @property
    def odd(self) -> tuple[Message, ...]:
        """What was strange about the rows as they were read."""
        return find_odd(self.reading)

    @property
    def people(self) -> None:
        """None: each of the rows is taken for a person."""
        return

    @property
    def weights(self) -> Numbers:
        """How many rows each row stands for."""
        return self.itemsets.weights

    @classmethod
    def of(cls, rows: Transactions | Iterable[Iterable[Label]], min_support: Threshold) -> Self:
        """Merge ``rows``."""
        data = as_transactions(rows)
        if data.people is not None:
            raise OptionError(
                "equal rows of several people cannot be told apart once merged; merge those of each person: leave ",
                *(Option("per"), " out"),
            )
        least = as_count(min_support, data.n)
        merged = cls.from_codes(data.offsets, data.items, data.weights, data.labels, min_support=least)
        known = data.reading and replace(data.reading, odd=data.odd)
        return replace(merged, schema=data.schema, reading=known, hierarchy=data.hierarchy)

    @classmethod
    def from_codes(
        cls,
        offsets: Numbers,
        items: Items,
        weights: Numbers,
        labels: Iterable[Label],
        *,
        min_support: int,
        n: int | None = None,
    ) -> Self:
        """Take coded rows in any order; row ``r`` stands for ``weights[r]`` rows.

        The codes of each row are strictly increasing, and ``labels`` in their fixed order. Rare items and repeated rows
        are allowed. If ``n`` is larger than the number of rows, the others are empty.
        """
        names = tuple(labels)
        is_kept = kernels.merge_rows.count(offsets, items, weights, len(names)) >= min_support
        code = np.where(is_kept, np.cumsum(is_kept) - 1, -1).astype(np.int32)
        rows = Weighted(*kernels.merge_rows.merge(offsets, items, weights, code)[:3]).sort(int(is_kept.sum()))
        listed = int(rows.weights.sum())
        total = max(n or 0, listed)
        left = tuple(label for label, is_left in zip(names, is_kept.tolist(), strict=True) if is_left)
        return cls(add_empty(rows, total - listed) if total > listed else rows, left, total, min_support)

    def check(self, min_support: int) -> None:
        """Refuse a minimum support below the one the rows were merged for."""
        if min_support < self.min_support:
            raise ThresholdError(
                f"min support is {min_support:,}, but the rows were merged for {self.min_support:,} and more; "
                "raise it, or merge the rows again for less"
            )

    def __iter__(self) -> Iterator[tuple[Itemset, int]]:
        """Yield each different row, and how many rows are like it."""
        return ((frozenset(self.labelled(row)), weight) for row, weight in enumerate(self.weights.tolist()))

    def __eq__(self, other: object) -> bool:
        """Return whether both are the same rows, by label, merged for the same minimum support."""
        if not isinstance(other, Merged):
            return NotImplemented
        mine, theirs = (self.labels, self.n, self.min_support), (other.labels, other.n, other.min_support)
        return mine == theirs and self.itemsets == other.itemsets

    __hash__ = None  # type: ignore[assignment]  # a value of many megabytes is no key

    def __repr__(self) -> str:
        items = f"{len(self.labels):,} items that at least {self.min_support:,} rows hold"
        return f"<Merged: {self.n:,} rows, {self.weights.size:,} different ones of {items}>"


Rows: TypeAlias = Transactions | Merged  # rows to mine: each of weight one, or merged


def as_rows(rows: Rows | Iterable[Iterable[Label]] | AnyFrame, hierarchy: "AnyHierarchy | None" = None) -> Rows:
    """Return ``rows``: they are read if they are a path, an open file or a frame, and coded if they are not yet.

    With a ``hierarchy``, they also hold the ancestors of their items.
    """
    found = rows if isinstance(rows, Merged) else as_transactions(rows)
    if hierarchy is None:
        return found
    from discreet.io.hierarchies import add_ancestors  # noqa: PLC0415 - io stands on this module

    return add_ancestors(found, hierarchy)


def as_transactions(rows: Transactions | Iterable[Iterable[Label]] | AnyFrame) -> Transactions:
    """Return ``rows`` as ``as_rows`` does; merged rows are refused."""
    from discreet.io.read import read  # noqa: PLC0415 - io stands on this module

    return rows if isinstance(rows, Transactions) else read(rows)


def _check_ids(ids: Sequence[Hashable] | None, n: int) -> Sequence[Hashable] | None:
    if ids is not None and len(ids) != n:
        raise InputError(f"there are {n} rows but {len(ids)} row ids; give one id a row")
    return ids


def are_all(rows: Rows) -> bool:
    """Return whether these are all ``n`` rows; on a cluster, some may be elsewhere."""
    return int(rows.weights.sum()) == rows.n


def add_empty(rows: Weighted, more: int) -> Weighted:
    """Return merged rows in dictionary order with ``more`` empty rows added; the empty row is the first."""
    if rows.is_rooted:
        return rows.weigh(np.concatenate([rows.weights[:1] + more, rows.weights[1:]]))
    return rows.with_empty().weigh(np.concatenate([[more], rows.weights]))


def check_lengths(lengths: Numbers, *, before: int = 0) -> None:
    """Refuse a row that is too long; there are so many rows ``before``."""
    longest = int(lengths.max(initial=0))
    if longest > LONGEST_ROW:
        row = before + int(np.argmax(lengths)) + 1
        raise InputError(f"row {row} holds {longest:,} items; at most {LONGEST_ROW:,} are allowed: check the line ends")


def _check_source(rows: object) -> None:
    """Refuse text, mappings and our own values: their elements are not rows."""
    kind = type(rows)
    is_ours = kind.__module__.partition(".")[0] == "discreet" and not isinstance(rows, Transactions)
    if is_ours or isinstance(rows, str | bytes | bytearray | Mapping) or not isinstance(rows, Iterable):
        advice = "give a list of rows, each a collection of items such as ['bread', 'milk'], or read(...) a file"
        raise InputError(f"rows are given as {kind.__name__}; {advice} or a frame")
