"""The inverted file: for each item the rows that hold it, as compressed bitmaps, to be asked by formulas."""

import os
from array import array
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from discreet.data import query
from discreet.data.labels import Label
from discreet.data.transactions import Transactions, as_itemset
from discreet.errors import InputError
from discreet.io.index import file
from discreet.io.index.lists import Lists, invert
from discreet.io.index.plan import Plan, Sizes, count, find, planned
from discreet.io.read import read

if TYPE_CHECKING:
    from pyroaring import BitMap

__all__ = ["InvertedFile", "Plan"]


class InvertedFile:
    """For each item of some rows the numbers of the rows that hold it, in order, and how many these are.

    It answers formulas without the rows, and can be kept in a file. Rows are numbered from 0 on.

    >>> inverted = InvertedFile([["bread", "milk"], ["milk"], ["bread", "beer"], []])
    >>> inverted["bread"].tolist(), inverted.rows("milk & ~bread").tolist(), inverted.support("~milk")
    ([0, 2], [1], 2)
    """

    def __init__(self, rows: Transactions | Iterable[Iterable[Label]]) -> None:
        """Invert ``rows``."""
        data = rows if isinstance(rows, Transactions) else Transactions(rows)
        self._keep(invert(data), None, data.mark)

    @classmethod
    def of_file(cls, source: str | os.PathLike[str], **reading: str | None) -> Self:
        """Return the inverted file of the rows in a file, read as by ``read``; if saved, it belongs to that file."""
        origin = file.origin_of(source, reading)
        rows = read(source, **reading)
        origin.check_unchanged(source)
        return cls._made(invert(rows), origin, rows.mark)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        rows: Transactions | None = None,
        source: str | os.PathLike[str] | None = None,
        reading: Mapping[str, str | None] | None = None,
    ) -> Self:
        """Return an inverted file that was saved: at once, since a list is read when it is first asked for.

        One that was made of other rows than ``rows``, or of another file than ``source``, or of that file with other
        options than those in ``reading``, is refused; so is what is damaged, or no index.
        """
        lists, origin = file.read(path)
        inverted = cls._made(lists, origin)
        if source is not None:
            file.check_source(path, origin, source, reading or {})
        if rows is not None and not inverted.belongs_to(rows):
            raise InputError(f"{os.fspath(path)}: the index belongs to other rows; {file.AGAIN}")
        return inverted

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the inverted file to ``path``, for ``open``; the same rows give the same bytes.

        If they came from a file, its size, digest and time of change are among them. It holds all that the rows hold:
        keep it as you keep them.
        """
        file.write(path, self._lists, self._origin)

    def belongs_to(self, rows: Transactions) -> bool:
        """Return whether this is the inverted file of ``rows``, coded as they are.

        >>> inverted = InvertedFile([["a"], ["b"]])
        >>> inverted.belongs_to(Transactions([["a"], ["b"]])), inverted.belongs_to(Transactions([["b"], ["a"]]))
        (True, False)
        """
        if self._mark is rows.mark:
            return True
        return (self.n, self.labels) == (len(rows), rows.labels) and self._lists.are_those_of(invert(rows))

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
        """Return the numbers of the rows that hold every item of an itemset, or make a query true, in order.

        >>> InvertedFile([["a", "b"], ["b"], ["a", "b", "c"]]).rows("~a | c").tolist()
        [1, 2]
        """
        made = self._plan(wanted)
        found = find(made, self._list, {})
        if made.negated:
            return np.arange(self.n) if found is None else _numbers(found.flip(0, self.n))
        return np.empty(0, dtype=np.int64) if found is None else _numbers(found)

    def support(self, wanted: str | Iterable[Label]) -> int:
        """Return how many rows hold every item of an itemset, or make a query true."""
        return count(self._plan(wanted), self._list)

    def unknown(self, text: str) -> list[int]:
        """Return the columns of a query, from 1 on, at which items are first named that no row has.

        >>> InvertedFile([["bread"], ["milk"]]).unknown("bread & ~mlik")
        [10]
        """
        codes = query.codes_of(query.parse(text).names, self.code)
        return [name.column for name, code in codes.items() if code is None or not self.supports[code]]

    def explain(self, wanted: str | Iterable[Label]) -> Plan:
        """Return how the rows of an itemset or of a query are found, and how many rows each step found.

        >>> print(InvertedFile([["a", "b"], ["b"], ["a", "b", "c"], ["a"]]).explain("b & (a | c)"))
        1  all of: 2 rows of at most 3
        2    b: 3 rows
        3    any of: 3 rows of at most 4
        4      c: 1 row
        5      a: 3 rows
        """
        made = self._plan(wanted)
        sizes: Sizes = {}
        find(made, self._list, sizes)
        names = {part: _in_one_line(str(self.labels[code])) for part, code in made.items.items()}
        return replace(made, names=names, rows={**made.rows, **sizes})

    def rows_of_each(self, itemsets: Iterable[Iterable[int]]) -> list[NDArray[np.int64]]:
        """Return for each itemset, by its codes, the numbers of the rows that hold all of it, in order.

        The rarest item of each comes first, and what itemsets begin with alike is intersected once.

        >>> inverted = InvertedFile([["a", "b"], ["b"], ["a", "b"]])
        >>> [rows.tolist() for rows in inverted.rows_of_each([[0, 1], [1], []])]
        [[0, 2], [0, 1, 2], [0, 1, 2]]
        """
        rarest = [sorted({*map(int, one)}, key=lambda item: (self.supports[item], item)) for one in itemsets]
        found: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)] * len(rarest)
        path: list[int] = []
        bitmaps: list[BitMap] = []
        for number in sorted(range(len(rarest)), key=rarest.__getitem__):
            items = rarest[number]
            common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(path, items, strict=False)))
            path[common:], bitmaps[common:] = items[common:], []
            for item in items[common:]:
                bitmaps.append(bitmaps[-1] & self._list(item) if bitmaps else self._list(item))
            found[number] = _numbers(bitmaps[-1]) if bitmaps else np.arange(self.n)
        return found

    def transactions(self, numbers: NDArray[np.int64] | Sequence[int] | None = None) -> Transactions:
        """Return the rows themselves, or those of some numbers in increasing order, with the same labels and ids.

        >>> [sorted(row) for row in InvertedFile([["a", "b"], ["b"], ["a"]]).transactions([0, 2])]
        [['a', 'b'], ['a']]
        """
        wanted = np.arange(self.n) if numbers is None else np.asarray(numbers, dtype=np.int64)
        if wanted.size and not (wanted[0] >= 0 and wanted[-1] < self.n and (np.diff(wanted) > 0).all()):
            raise InputError(f"row numbers must increase, from 0 to at most {self.n - 1:,}; sort them, each once")
        chosen, place = _bitmap(wanted), np.zeros(self.n, dtype=np.int64)
        place[wanted] = np.arange(wanted.size)
        holding = [place[np.asarray((self._list(item) & chosen).to_array())] for item in range(len(self.labels))]
        offsets = np.zeros(wanted.size + 1, dtype=np.int64)
        np.cumsum(np.bincount(np.concatenate([place[:0], *holding]), minlength=wanted.size), out=offsets[1:])
        items, ends = np.empty(int(offsets[-1]), dtype=np.int32), offsets[:-1].copy()
        for item, rows in enumerate(holding):
            items[ends[rows]] = item
            ends[rows] += 1
        ids = None if self.ids is None else [self.ids[number] for number in wanted.tolist()]
        return Transactions.from_codes(offsets, items, self.labels, ids=ids)

    def __repr__(self) -> str:
        return f"<InvertedFile: {self.n:,} rows, {len(self.labels):,} items>"

    @classmethod
    def _made(cls, lists: Lists, origin: file.Origin | None, mark: object = None) -> Self:
        inverted = cls.__new__(cls)
        inverted._keep(lists, origin, mark)  # noqa: SLF001 - another constructor fills what __new__ made
        return inverted

    def _keep(self, lists: Lists, origin: file.Origin | None, mark: object) -> None:
        self.n, self.labels, self.supports = lists.n, lists.labels, lists.supports
        self._lists, self._origin, self._mark = lists, origin, mark
        self._bitmaps: dict[int, BitMap] = {}

    def _list(self, item: int) -> "BitMap":
        """Return the rows of an item, made of the bytes of its list when it is first asked for; nobody changes it."""
        if item not in self._bitmaps:
            from pyroaring import BitMap  # noqa: PLC0415 - importing discreet shall stay quick

            self._bitmaps[item] = BitMap.deserialize(self._lists.part(item))
        return self._bitmaps[item]

    def _plan(self, wanted: str | Iterable[Label]) -> Plan:
        if isinstance(wanted, str):
            asked = query.parse(wanted)
            codes = query.codes_of(asked.names, self.code)
            return planned(
                (step if isinstance(step, str) else codes[step] for step in asked.steps), self.supports, self.n
            )
        itemset = [self.code.get(label) for label in as_itemset(wanted)]
        # All rows hold the empty itemset: they are those that are not among no rows.
        return planned([None, "~", *(step for item in itemset for step in (item, "&"))], self.supports, self.n)


def _numbers(bitmap: "BitMap") -> NDArray[np.int64]:
    return np.array(bitmap.to_array(), dtype=np.int64)


def _bitmap(numbers: NDArray[np.int64]) -> "BitMap":
    from pyroaring import BitMap  # noqa: PLC0415 - importing discreet shall stay quick

    return BitMap(array("I", numbers.astype(np.uint32).tobytes()))


def _in_one_line(text: str) -> str:
    return text if text.isprintable() else repr(text)
