"""The inverted file: for each item the rows that hold it, as compressed bitmaps, to answer queries."""

import os
from array import array
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from discreet.data import query
from discreet.data.itemsets import Label, as_itemset, offsets_of
from discreet.data.transactions import Transactions, as_transactions
from discreet.errors import InputError
from discreet.io import inverted_lists
from discreet.io.files import FilePath
from discreet.io.inverted_lists import AGAIN, InvertedLists, Origin, check_source, invert, origin_of
from discreet.io.inverted_plan import Plan, Sizes, count_rows, find_rows, make_plan
from discreet.io.read import read

if TYPE_CHECKING:
    from pyroaring import BitMap


class InvertedFile:
    """For each item the numbers of the rows that hold it, in order, and their count.

    It answers queries without the rows, and can be saved to a file. Rows are numbered from 0.

    >>> inverted = InvertedFile([["bread", "milk"], ["milk"], ["bread", "beer"], []])
    >>> inverted["bread"].tolist(), inverted.rows("milk & ~bread").tolist(), inverted.support("~milk")
    ([0, 2], [1], 2)
    """

    def __init__(self, rows: Transactions | Iterable[Iterable[Label]]) -> None:
        """Invert ``rows``."""
        data = as_transactions(rows)
        self._keep(invert(data), None, data.mark)

    @classmethod
    def of_file(cls, source: FilePath, **reading: Any) -> Self:  # noqa: ANN401 - the options of read
        """Return the inverted file of the rows in a file, read as by ``read``; if saved, it belongs to that file."""
        origin = origin_of(source, reading)
        rows = read(source, **reading)
        origin.check_unchanged(source)
        return cls._make(invert(rows), origin, rows.mark)

    @classmethod
    def open(
        cls,
        path: FilePath,
        *,
        rows: Transactions | None = None,
        source: FilePath | None = None,
        reading: Mapping[str, Any] | None = None,
    ) -> Self:
        """Open a saved inverted file, at once: a list is read when it is first needed.

        Refuse one of other ``rows``, of another ``source``, or with other options than ``reading``; and a damaged one.
        """
        lists, origin = inverted_lists.read_lists(path)
        inverted = cls._make(lists, origin)
        if source is not None:
            check_source(path, origin, source, reading or {})
        if rows is not None and not inverted.belongs_to(rows):
            raise InputError(f"{os.fspath(path)}: the index belongs to other rows; {AGAIN}")
        return inverted

    def save(self, path: FilePath) -> None:
        """Write the inverted file to ``path``, for ``open``; the same rows give the same bytes.

        It holds the rows themselves, and the size, digest and time of their file: protect it like the rows.
        """
        inverted_lists.write_lists(path, self._lists, self._origin)

    def belongs_to(self, rows: Transactions) -> bool:
        """Return whether this is the inverted file of ``rows``, coded as they are.

        >>> inverted = InvertedFile([["a"], ["b"]])
        >>> inverted.belongs_to(Transactions([["a"], ["b"]])), inverted.belongs_to(Transactions([["b"], ["a"]]))
        (True, False)
        """
        if self._mark is rows.mark:
            return True
        return (self.n, self.labels) == (len(rows), rows.labels) and self._lists.are_same(invert(rows))

    @cached_property
    def code(self) -> Mapping[Label, int]:
        """The code of each label."""
        return {label: number for number, label in enumerate(self.labels)}

    @property
    def ids(self) -> Sequence[Hashable] | None:
        """The ids of the rows, if they have ids."""
        return self._lists.ids

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.labels)

    def __iter__(self) -> Iterator[Label]:
        """Yield each item, by its label."""
        return iter(self.labels)

    def __contains__(self, label: Label) -> bool:
        return label in self.code

    def __getitem__(self, label: Label) -> NDArray[np.int64]:
        """Return the numbers of the rows that hold an item, in order."""
        return self.rows([label])

    def rows(self, wanted: str | Iterable[Label]) -> NDArray[np.int64]:
        """Return the numbers, in order, of the rows that hold all items of an itemset or match a query.

        >>> InvertedFile([["a", "b"], ["b"], ["a", "b", "c"]]).rows("~a | c").tolist()
        [1, 2]
        """
        plan = self._plan(wanted)
        rows = find_rows(plan, self._list, {})
        if rows is None:
            return np.arange(self.n if plan.negated else 0)
        return _as_numbers(rows.flip(0, self.n) if plan.negated else rows)

    def support(self, wanted: str | Iterable[Label]) -> int:
        """Return the number of rows that hold all items of an itemset or match a query."""
        return count_rows(self._plan(wanted), self._list)

    def unknown(self, text: str) -> list[int]:
        """Return the columns of a query, from 1, that first name an item in no row.

        >>> InvertedFile([["bread"], ["milk"]]).unknown("bread & ~mlik")
        [10]
        """
        codes = query.resolve_names(query.parse(text).names, self.code)
        return [name.column for name, code in codes.items() if code is None or not self.supports[code]]

    def explain(self, wanted: str | Iterable[Label]) -> Plan:
        """Return the plan of an itemset or a query, and the number of rows of each step.

        >>> print(InvertedFile([["a", "b"], ["b"], ["a", "b", "c"], ["a"]]).explain("b & (a | c)"))
        1  all of: 2 rows of at most 3
        2    b: 3 rows
        3    any of: 3 rows of at most 4
        4      c: 1 row
        5      a: 3 rows
        """
        plan = self._plan(wanted)
        sizes: Sizes = {}
        find_rows(plan, self._list, sizes)
        labels = {part: str(self.labels[code]) for part, code in plan.items.items()}
        names = {part: label if label.isprintable() else repr(label) for part, label in labels.items()}
        return replace(plan, names=names, rows={**plan.rows, **sizes})

    def rows_of_each(self, itemsets: Iterable[Iterable[int]]) -> list[NDArray[np.int64]]:
        """Return for each itemset of codes the numbers, in order, of the rows that hold it.

        The rarest item of each comes first, and a common beginning of itemsets is intersected once.

        >>> inverted = InvertedFile([["a", "b"], ["b"], ["a", "b"]])
        >>> [rows.tolist() for rows in inverted.rows_of_each([[0, 1], [1], []])]
        [[0, 2], [0, 1, 2], [0, 1, 2]]
        """
        rarest = [sorted({*map(int, one)}, key=lambda item: (self.supports[item], item)) for one in itemsets]
        rows: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)] * len(rarest)
        path: list[int] = []
        bitmaps: list[BitMap] = []
        for number in sorted(range(len(rarest)), key=rarest.__getitem__):
            items = rarest[number]
            common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(path, items, strict=False)))
            path[common:], bitmaps[common:] = items[common:], []
            for item in items[common:]:
                bitmaps.append(bitmaps[-1] & self._list(item) if bitmaps else self._list(item))
            rows[number] = _as_numbers(bitmaps[-1]) if bitmaps else np.arange(self.n)
        return rows

    def transactions(self, numbers: NDArray[np.int64] | Sequence[int] | None = None) -> Transactions:
        """Return all rows, or those of increasing ``numbers``, with the same labels and ids.

        >>> [sorted(row) for row in InvertedFile([["a", "b"], ["b"], ["a"]]).transactions([0, 2])]
        [['a', 'b'], ['a']]
        """
        from pyroaring import BitMap  # noqa: PLC0415 - importing discreet shall stay quick

        wanted = np.arange(self.n) if numbers is None else np.asarray(numbers, dtype=np.int64)
        if wanted.size and not (wanted[0] >= 0 and wanted[-1] < self.n and (np.diff(wanted) > 0).all()):
            raise InputError(f"row numbers must increase, from 0 to at most {self.n - 1:,}; sort them, each once")
        chosen, place = BitMap(array("I", wanted.astype(np.uint32).tobytes())), np.zeros(self.n, dtype=np.int64)
        place[wanted] = np.arange(wanted.size)
        holding = [place[np.asarray((self._list(item) & chosen).to_array())] for item in range(len(self.labels))]
        offsets = offsets_of(np.bincount(np.concatenate([place[:0], *holding]), minlength=wanted.size))
        items, ends = np.empty(int(offsets[-1]), dtype=np.int32), offsets[:-1].copy()
        for item, rows in enumerate(holding):
            items[ends[rows]] = item
            ends[rows] += 1
        ids = None if self.ids is None else [self.ids[number] for number in wanted.tolist()]
        return Transactions.from_codes(offsets, items, self.labels, ids=ids)

    def __repr__(self) -> str:
        return f"<InvertedFile: {self.n:,} rows, {len(self.labels):,} items>"

    @classmethod
    def _make(cls, lists: InvertedLists, origin: Origin | None, mark: object = None) -> Self:
        inverted = cls.__new__(cls)
        inverted._keep(lists, origin, mark)  # noqa: SLF001 - another constructor fills what __new__ made
        return inverted

    def _keep(self, lists: InvertedLists, origin: Origin | None, mark: object) -> None:
        self.n, self.labels, self.supports = lists.n, lists.labels, lists.supports
        self._lists, self._origin, self._mark = lists, origin, mark
        self._bitmaps: dict[int, BitMap] = {}

    def _list(self, item: int) -> "BitMap":
        """Return the bitmap of an item, read when it is first needed; nobody changes it."""
        if item not in self._bitmaps:
            from pyroaring import BitMap  # noqa: PLC0415 - importing discreet shall stay quick

            self._bitmaps[item] = BitMap.deserialize(self._lists.part(item))
        return self._bitmaps[item]

    def _plan(self, wanted: str | Iterable[Label]) -> Plan:
        if isinstance(wanted, str):
            parsed = query.parse(wanted)
            codes = query.resolve_names(parsed.names, self.code)
            steps = (step if isinstance(step, str) else codes[step] for step in parsed.steps)
            return make_plan(steps, self.supports, self.n)
        itemset = [self.code.get(label) for label in as_itemset(wanted)]
        # All rows hold the empty itemset: they are the complement of no rows.
        return make_plan([None, "~", *(step for item in itemset for step in (item, "&"))], self.supports, self.n)


def _as_numbers(bitmap: "BitMap") -> NDArray[np.int64]:
    return np.array(bitmap.to_array(), dtype=np.int64)
