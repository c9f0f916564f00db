"""Merging: different rows and how many rows are like each, put together piece by piece within some memory."""

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

import numpy as np

from discreet import kernels
from discreet.data.itemsets import Weighted
from discreet.data.labels import Label, recode
from discreet.data.merged import Merged, add_empty
from discreet.data.thresholds import Threshold, as_count
from discreet.errors import BudgetError, Either, Option, ThresholdError
from discreet.io.chunks import Piece
from discreet.runtime import resources

Thresholds: TypeAlias = Threshold | Iterable[Threshold]

BYTES_A_ROW: Final = 64
"""What a different row takes beside its items: its place, its weight, and where it goes when all are sorted."""
BYTES_AN_ENTRY: Final = 8
"""What an item of a different row takes, when all are sorted."""
FEW: Final = 1 << 16
"""Items so few that each takes two bytes of a row."""


class Merging:
    """Different rows and how many rows are like each, put together piece by piece.

    >>> merging = Merging(1 << 20)
    >>> merging.add(Piece(np.array([0, 2, 3, 5]), np.array([1, 0, 0, 0, 1], np.int32)))
    >>> list(merging.merged([9, 7], n=5, min_support=2))
    [(frozenset(), 2), (frozenset({9, 7}), 2), (frozenset({9}), 1)]
    """

    def __init__(self, room: int) -> None:
        """Begin without any row; all different ones may take so many bytes."""
        self._room, self._many = room, 0
        self._slots = np.full(1 << 12, -1, dtype=np.int32)
        self._starts, self._weights = np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int64)
        self._kept = np.empty(0, dtype=np.uint16)

    def add(self, part: Piece) -> None:
        """Merge more rows, whose arrays are rewritten; refuse more different ones than memory allows."""
        offsets, items = part
        items = items[: kernels.itemsets.sort_rows(offsets, items)]
        if items.max(initial=0) >= FEW > np.iinfo(self._kept.dtype).max:
            self._kept = self._kept.astype(np.int32)
        self._make_room(offsets.size - 1, items.size)
        table = (self._slots, self._starts, self._kept, self._weights)
        self._many = int(kernels.merge_rows.merge_more(offsets, items, *table, self._many))
        if BYTES_A_ROW * self._many + BYTES_AN_ENTRY * int(self._starts[self._many]) > self._room:
            raise BudgetError(
                f"there are {self._many:,} different rows of frequent items or more, which do not fit in the "
                f"{resources.size(self._room)} that ",
                *(Option("memory"), " allows: ", Either(("raise {}", "memory", "min_support"))),
            )

    def merged(self, labels: Sequence[Label], *, n: int, min_support: int) -> Merged:
        """Return ``n`` rows, merged; item i is ``labels[i]``, rows that never came hold nothing. What was here is gone.

        So many rows must hold each item.
        """
        many = self._many
        offsets, weights = self._starts[: many + 1].copy(), self._weights[:many].copy()
        items = self._kept[: offsets[-1]].astype(np.int32)
        del self._slots, self._starts, self._weights, self._kept
        items, names = recode(items, labels)
        kernels.itemsets.sort_rows(offsets, items)
        rows = Weighted(offsets, items, weights).sort(len(names))
        more = n - int(weights.sum())
        return Merged(add_empty(rows, more) if more > 0 else rows, names, n, min_support)

    def _make_room(self, rows: int, entries: int) -> None:
        """Make room for so many rows and entries more, and in a while for half as many again as there are."""
        rows, entries = self._many + rows, int(self._starts[self._many]) + entries
        for numbers, size in ((self._starts, rows + 1), (self._weights, rows), (self._kept, entries)):
            if numbers.size < size:
                numbers.resize(size + size // 2, refcheck=False)
        if self._slots.size <= 2 * rows:
            self._slots = np.full(1 << (4 * rows).bit_length(), -1, dtype=np.int32)
            kernels.merge_rows.place_rows(self._starts, self._kept, self._many, self._slots)


def lowest(min_support: Thresholds, n: int) -> int:
    """Return the lowest of some minimum supports as a count.

    >>> lowest(["90%", 7], 10), lowest("20%", 10)
    (7, 2)
    """
    several = min_support if isinstance(min_support, Iterable) and not isinstance(min_support, str) else [min_support]
    counts = [as_count(one, n) for one in several]
    if not counts:
        raise ThresholdError("there is no minimum support; give one at least")
    return min(counts)
