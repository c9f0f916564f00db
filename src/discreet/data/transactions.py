"""Transactions: n rows of items, immutable, coded as integers."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, Self, overload

import numpy as np
from numpy.typing import NDArray

from discreet.data import query
from discreet.data.itemsets import Itemsets, LaidFlat, offsets_of
from discreet.data.labels import Itemset, Label, is_missing, sort_labels
from discreet.errors import InputError
from discreet.runtime import html

LONGEST_ROW: Final = 100_000
"""Longer rows are refused: nearly always, a file has lost its line ends."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Transactions(LaidFlat):
    """``n`` rows of items; a row is a set, so a repeated item counts once.

    ``itemsets[r]`` are the codes of row ``r``, strictly increasing, into ``labels``.
    ``ids`` names the rows where they have names.

    >>> rows = Transactions([["bread", "milk"], ["milk"], []])
    >>> len(rows), rows[0] == {"bread", "milk"}, rows.support(["milk"])
    (3, True, 2)
    >>> [sorted(row) for row in rows[1:]]
    [['milk'], []]
    """

    itemsets: Itemsets
    labels: tuple[Label, ...]
    ids: Sequence[Hashable] | None

    def __init__(self, rows: Iterable[Iterable[Label]], *, ids: Sequence[Hashable] | None = None) -> None:
        """Encode ``rows``: an iterable of iterables of hashable labels, or a one-hot table as in ``from_onehot``."""
        from discreet.io import baskets, files, frames  # noqa: PLC0415 - io stands on this module

        if files.is_frame(rows):
            coded = frames.from_onehot(rows)
            self._fill(coded.itemsets, coded.labels, ids)
            return
        lengths, flat, is_ordered = _flatten(rows)
        labels = _sort_labels(flat)
        if is_ordered:
            bounds = offsets_of(lengths[: baskets.SEEN]).tolist()
            baskets.check_rows([flat[start:stop] for start, stop in pairwise(bounds)])
        code = {label: number for number, label in enumerate(labels)}
        items = np.fromiter(map(code.__getitem__, flat), dtype=np.int32, count=len(flat))
        self._fill(Itemsets.from_lengths(lengths, items), labels, ids)

    @classmethod
    def from_codes(
        cls,
        offsets: NDArray[np.int64],
        items: NDArray[np.int32],
        labels: Iterable[Label],
        *,
        ids: Sequence[Hashable] | None = None,
    ) -> Self:
        """Take coded rows; each is sorted and its repeated items dropped, in place.

        >>> rows = Transactions.from_codes(np.array([0, 3]), np.array([1, 0, 1], np.int32), ["a", "b"])
        >>> rows[0] == {"a", "b"}
        True
        """
        transactions = cls.__new__(cls)
        transactions._fill(Itemsets(offsets, items), tuple(labels), ids)
        return transactions

    @classmethod
    def from_onehot(cls, frame: Any, *, labels: Sequence[Label] | None = None) -> Self:  # noqa: ANN401 - of any library
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
    def from_long(cls, frame: Any, *, row: str, item: str) -> Self:  # noqa: ANN401 - of any library
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
    def weights(self) -> NDArray[np.int64]:
        """How many rows each row stands for: one."""
        weights = np.ones(self.n, dtype=np.int64)
        weights.setflags(write=False)
        return weights

    @cached_property
    def mark(self) -> object:
        """An identity of these rows, without any of their contents."""
        return object()

    @cached_property
    def code(self) -> Mapping[Label, int]:
        """The code of each label."""
        return {label: number for number, label in enumerate(self.labels)}

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
        if isinstance(row, slice):
            return self._slice(row)
        return frozenset(self._labelled(range(self.n)[row]))

    def __iter__(self) -> Iterator[Itemset]:
        return (self[row] for row in range(self.n))

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same rows, by label, in the same order, and the same ids."""
        if not isinstance(other, Transactions):
            return NotImplemented
        if self.labels == other.labels:
            same = self.itemsets == other.itemsets
        else:
            same = self.n == other.n and all(mine == theirs for mine, theirs in zip(self, other, strict=True))
        return same and _listed(self.ids) == _listed(other.ids)

    __hash__ = None  # type: ignore[assignment]  # a value of many megabytes is no key

    def __repr__(self) -> str:
        return f"<Transactions: {self.n:,} rows, {len(self.labels):,} items, {self.itemsets.size:,} entries>"

    def _repr_html_(self) -> str:
        """Return the first rows as a table, for notebooks."""
        first = self[: html.SHOWN]
        numbered = enumerate(html.names(first._labelled(row), nothing="(no items)") for row in range(len(first)))
        if first.ids is None:
            return html.table(repr(self)[1:-1], ["row", "items"], numbered, many=len(self))
        lines = ((row, html.name(first.ids[row]), items) for row, items in numbered)
        return html.table(repr(self)[1:-1], ["row", "id", "items"], lines, many=len(self))

    def _labelled(self, row: int) -> list[Label]:
        labels = self.labels
        return [labels[item] for item in self.itemsets[row].tolist()]

    def _slice(self, rows: slice) -> Self:
        part = type(self).__new__(type(self))
        part._set(self.itemsets[rows], self.labels, None if self.ids is None else self.ids[rows])
        return part

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
        if ids is not None and len(ids) != len(itemsets):
            raise InputError(f"there are {len(itemsets)} rows but {len(ids)} row ids; give one id a row")
        sorted_ = itemsets.sort_items()
        check_lengths(sorted_.lengths)
        self._set(sorted_, labels, ids)

    def _set(self, itemsets: Itemsets, labels: tuple[Label, ...], ids: Sequence[Hashable] | None) -> None:
        itemsets.freeze()
        for name, value in (("itemsets", itemsets), ("labels", labels), ("ids", ids)):
            object.__setattr__(self, name, value)


def as_itemset(itemset: Iterable[Label]) -> Itemset:
    """Return ``itemset`` as a set; refuse text, whose letters would become items.

    >>> as_itemset(["a", "b"]) == {"a", "b"}
    True
    """
    if isinstance(itemset, str | bytes):
        raise InputError("an itemset is a collection of items such as ['bread', 'milk'], not text")
    return frozenset(itemset)


def check_lengths(lengths: NDArray[np.int64], *, before: int = 0) -> None:
    """Refuse a row that is too long; there are so many rows ``before``."""
    longest = int(lengths.max(initial=0))
    if longest > LONGEST_ROW:
        row = before + int(np.argmax(lengths)) + 1
        raise InputError(f"row {row} holds {longest:,} items; at most {LONGEST_ROW:,} are allowed: check the line ends")


def _flatten(rows: Iterable[Iterable[Label]]) -> tuple[list[int], list[Label], bool]:
    """Return the length of each row, the items of all rows, and whether rows are ordered, as in a table."""
    _check_source(rows)
    lengths: list[int] = []
    flat: list[Label] = []
    kinds: set[type] = set()
    for number, row in enumerate(rows, start=1):
        if type(row) not in kinds:
            _check_row(row, number)
            kinds.add(type(row))
        before = len(flat)
        flat.extend(getattr(row, "tolist", row.__iter__)())  # numbers of an array as Python numbers
        lengths.append(len(flat) - before)
    return lengths, flat, not any(issubclass(kind, AbstractSet) for kind in kinds)


def _check_source(rows: object) -> None:
    """Refuse text, mappings and our own values: their elements are not rows."""
    kind = type(rows)
    is_ours = kind.__module__.partition(".")[0] == "discreet" and not isinstance(rows, Transactions)
    if is_ours or isinstance(rows, str | bytes | bytearray | Mapping) or not isinstance(rows, Iterable):
        raise InputError(
            f"rows are given as {kind.__name__}; give a list of rows, each a collection of items such as "
            "['bread', 'milk'], or read(...) a file or a frame"
        )


def _check_row(row: object, number: int) -> None:
    """Refuse a row that is not a collection of items: text, a number, or a record of columns and values."""
    is_record = isinstance(row, Mapping) or hasattr(type(row), "_fields") or hasattr(type(row), "columns")
    if is_record or isinstance(row, str | bytes | bytearray | memoryview) or not isinstance(row, Iterable):
        raise InputError(
            f"row {number} is of type {type(row).__name__}; a row is a collection of items such as "
            "['bread', 'milk'] (make a frame of records, and read it with read(frame), with row= and item= if a line "
            "holds one item)"
        )


def _sort_labels(flat: Sequence[Label]) -> tuple[Label, ...]:
    """Return the distinct labels in their fixed order; refuse values that cannot be labels."""
    try:
        labels = sort_labels(flat)
    except TypeError:
        raise InputError(
            "the rows hold items that cannot be labels, such as lists; a row is a collection of items such as "
            "['bread', 'milk'], and rows are a list of them"
        ) from None
    if any(is_missing(label) for label in labels):
        raise InputError("the rows hold missing values; leave them out of the rows, or give them a label")
    return labels


def _listed(ids: Sequence[Hashable] | None) -> list[Hashable] | None:
    return None if ids is None else list(ids)
