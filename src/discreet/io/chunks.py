"""Rows in chunks: how a format is read, never all of a file in memory, and how equal rows are merged."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Itemsets
from discreet.data.labels import Label, recode
from discreet.data.merged import Merged, add_empty
from discreet.data.thresholds import Threshold, as_count
from discreet.data.transactions import Transactions
from discreet.errors import BudgetError, Either, InputError, Option, ThresholdError
from discreet.io.files import Data
from discreet.io.line_files import LineFormat, Losses
from discreet.io.text import WHOLE_NUMBER
from discreet.runtime import resources

Thresholds: TypeAlias = Threshold | Iterable[Threshold]

BYTES_PER_ROW: Final = 64
"""Memory of a distinct row beside its items: its place, its weight, and its position when all are sorted."""
BYTES_PER_ENTRY: Final = 8
SMALL_CODE: Final = 1 << 16
"""Codes below this take two bytes of a row."""


class Reading(NamedTuple):
    """The options of a reader of rows; with ``is_meant``, lines that look like another table are read all the same."""

    row: str | None = None
    item: str | None = None
    items: str | None = None
    separator: str | None = None
    is_meant: bool = False

    @property
    def given(self) -> dict[str, str]:
        """The options that are set, by name."""
        options = {"row": self.row, "item": self.item, "items": self.items, "separator": self.separator}
        return {name: value for name, value in options.items() if value is not None}


class ChunkReader(NamedTuple):
    """How a format is read in chunks, and the labels of item numbers once it was read to the end.

    ``read`` takes the bytes of a format of lines, else a path. A second reading gives items the same numbers; a row
    may repeat one.
    """

    read: Callable[[Any], Iterator[Itemsets]]
    labels: Callable[[NDArray[np.int32]], Sequence[Label]]


class RowFunctions(NamedTuple):
    """How a format reads and writes rows; a function is None if the format lacks it.

    ``without`` rewrites a table without some items; ``lines`` does so for a file of one row per line, given the items
    to look for.
    """

    read: Callable[[Data, Reading], Transactions]
    write: Callable[[Transactions], Iterator[bytes]]
    chunks: Callable[[Reading], ChunkReader] | None = None
    lines: Callable[[Sequence[str], Reading], LineFormat] | None = None
    without: Callable[[Data, Losses, Reading], Iterator[bytes]] | None = None


class RowGrouper:
    """Rows from lines of a row id and an item; the ids must rise, so that no row continues later.

    >>> rows = RowGrouper()
    >>> [rows.add(["7", "7"], [0, 1]).items, rows.add(["7", "10"], [2, 0]).items.tolist(), rows.end().items.tolist()]
    [array([], dtype=int32), [0, 1, 2], [0]]
    """

    def __init__(self) -> None:
        """Begin without any row."""
        self._row: list[int] = []
        self._id: Hashable = None
        self._orders = {"number", "own"}
        self._lines = 0

    def add(self, ids: Iterable[Hashable], items: Iterable[int]) -> Itemsets:
        """Return the rows that end within these lines."""
        ended: list[list[int]] = []
        for row_id, item in zip(ids, items, strict=True):
            self._lines += 1
            if row_id != self._id:
                if self._lines > 1:
                    ended.append(self._row)
                    self._check_rising(row_id)
                self._row, self._id = [], row_id
            self._row.append(item)
        return Itemsets.of(ended)

    def end(self) -> Itemsets:
        """Return the last row."""
        return Itemsets.of([self._row] if self._lines else [])

    def _check_rising(self, row_id: Hashable) -> None:
        self._orders -= {order for order in self._orders if not _is_above(row_id, self._id, order)}
        if not self._orders:
            raise InputError(
                f"the row ids do not rise at line {self._lines} of the table; a table is scanned only where a row's "
                "lines stand together: sort it by its row ids, or read all of it"
            )


def _is_above(one: Any, other: Any, order: str) -> bool:  # noqa: ANN401 - values of a table
    if order == "own":
        return bool(other < one)
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
            raise BudgetError(
                f"there are {self._many:,} different rows of frequent items or more, which do not fit in the "
                f"{resources.size(self._room)} that ",
                *(Option("memory"), " allows: ", Either(("raise {}", "memory", "min_support"))),
            )

    def merge(self, labels: Sequence[Label], *, n: int, min_support: int) -> Merged:
        """Return ``n`` rows, merged, and give up the arrays; item i is ``labels[i]``, and rows never added are empty.

        At least ``min_support`` rows must hold each item.
        """
        many = self._many
        offsets, weights = self._starts[: many + 1].copy(), self._weights[:many].copy()
        items = self._items[: offsets[-1]].astype(np.int32)
        del self._slots, self._starts, self._weights, self._items
        items, names = recode(items, labels)
        rows = Itemsets(offsets, items).sort_items().weigh(weights).sort(items=len(names))
        more = n - int(weights.sum())
        return Merged(add_empty(rows, more) if more > 0 else rows, names, n, min_support)

    def _make_room(self, rows: int, entries: int) -> None:
        """Make room for so many more rows and entries, and for half as many again."""
        rows, entries = self._many + rows, int(self._starts[self._many]) + entries
        for numbers, size in ((self._starts, rows + 1), (self._weights, rows), (self._items, entries)):
            if numbers.size < size:
                numbers.resize(size + size // 2, refcheck=False)
        if self._slots.size <= 2 * rows:
            self._slots = np.full(1 << (4 * rows).bit_length(), -1, dtype=np.int32)
            kernels.merge_rows.place_rows(self._starts, self._items, self._many, self._slots)


def lowest_count(min_support: Thresholds, n: int) -> int:
    """Return the lowest of some minimum supports as a count.

    >>> lowest_count(["90%", 7], 10), lowest_count("20%", 10)
    (7, 2)
    """
    several = min_support if isinstance(min_support, Iterable) and not isinstance(min_support, str) else [min_support]
    counts = [as_count(one, n) for one in several]
    if not counts:
        raise ThresholdError("there is no minimum support; give one at least")
    return min(counts)
