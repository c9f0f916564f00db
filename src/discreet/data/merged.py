"""Merged rows: all that frequent itemsets and their channels depend on, and all that must fit into memory."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import LaidFlat, Weighted
from discreet.data.labels import Itemset, Label
from discreet.data.thresholds import Threshold, as_count
from discreet.data.transactions import Transactions
from discreet.errors import ThresholdError


@dataclass(frozen=True, eq=False, repr=False)
class Merged(LaidFlat):
    """Rows cut to the items that at least ``min_support`` of them hold, equal ones merged.

    Row ``r`` has the codes ``itemsets[r]``, strictly increasing, into ``labels``, which are those of the items that are
    left, and stands for ``weights[r]`` of ``n`` rows. Rows are in dictionary order; one without items is the empty row.
    ``mine``, ``detect``, ``audit``, ``tradeoff`` and ``block`` take merged rows for rows, with the same result, for any
    minimum support from ``min_support`` on.

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

    def __post_init__(self) -> None:
        self.itemsets.freeze()

    @property
    def weights(self) -> NDArray[np.int64]:
        """How many rows each row stands for."""
        return self.itemsets.weights

    @classmethod
    def of(cls, rows: Transactions | Iterable[Iterable[Label]], min_support: Threshold) -> Self:
        """Merge ``rows``.

        >>> Merged.of([["a"], ["a", "b"], []], "50%").weights.tolist()
        [1, 2]
        """
        data = rows if isinstance(rows, Transactions) else Transactions(rows)
        least = as_count(min_support, data.n)
        return cls.from_codes(data.offsets, data.items, data.weights, data.labels, min_support=least)

    @classmethod
    def from_codes(
        cls,
        offsets: NDArray[np.int64],
        items: NDArray[np.int32],
        weights: NDArray[np.int64],
        labels: Iterable[Label],
        *,
        min_support: int,
        n: int | None = None,
    ) -> Self:
        """Take coded rows in any order; row ``r`` stands for ``weights[r]`` rows.

        The codes of each row are strictly increasing, and ``labels`` in their fixed order. Rare items and repeated rows
        are allowed. If ``n`` is larger than the number of rows, the others are empty.

        >>> offsets, items = np.array([0, 1, 3, 4]), np.array([1, 0, 1, 1], np.int32)
        >>> list(Merged.from_codes(offsets, items, np.array([1, 1, 3]), ["a", "b"], min_support=2, n=7))
        [(frozenset(), 2), (frozenset({'b'}), 5)]
        """
        names = tuple(labels)
        is_kept = kernels.merge_rows.count(offsets, items, weights, len(names)) >= min_support
        code = np.where(is_kept, np.cumsum(is_kept) - 1, -1).astype(np.int32)
        rows = Weighted(*kernels.merge_rows.merge(offsets, items, weights, code)[:3]).sort(int(is_kept.sum()))
        listed = int(rows.weights.sum())
        left = tuple(label for label, is_left in zip(names, is_kept.tolist(), strict=True) if is_left)
        if n is not None and n > listed:
            return cls(add_empty(rows, n - listed), left, n, min_support)
        return cls(rows, left, listed if n is None else n, min_support)

    @cached_property
    def mark(self) -> object:
        """An identity of these rows, without any of their contents."""
        return object()

    @cached_property
    def code(self) -> Mapping[Label, int]:
        """The code of each label."""
        return {label: number for number, label in enumerate(self.labels)}

    def check(self, min_support: int) -> None:
        """Refuse a minimum support below the one the rows were merged for."""
        if min_support < self.min_support:
            raise ThresholdError(
                f"min support is {min_support:,}, but the rows were merged for {self.min_support:,} and more; "
                "raise it, or merge the rows again for less"
            )

    def __iter__(self) -> Iterator[tuple[Itemset, int]]:
        """Yield each different row, and how many rows are like it."""
        for row, weight in enumerate(self.weights.tolist()):
            yield frozenset(self.labels[code] for code in self.itemsets[row].tolist()), weight

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


Rows: TypeAlias = Transactions | Merged
"""Rows to mine: each of weight one, or merged."""


def as_rows(rows: Rows | Iterable[Iterable[Label]]) -> Rows:
    """Return ``rows``, coded if they are not yet.

    >>> as_rows([["a"]])
    <Transactions: 1 rows, 1 items, 1 entries>
    """
    return rows if isinstance(rows, Transactions | Merged) else Transactions(rows)


def are_all(rows: Rows) -> bool:
    """Return whether these are all ``n`` rows; on a cluster, some may be elsewhere.

    >>> are_all(Merged.of([["a"], []], min_support=1))
    True
    """
    return int(rows.weights.sum()) == rows.n


def add_empty(rows: Weighted, more: int) -> Weighted:
    """Return merged rows in dictionary order with ``more`` empty rows added; the empty row is the first."""
    if rows.is_rooted:
        return rows.weigh(np.concatenate([rows.weights[:1] + more, rows.weights[1:]]))
    return rows.with_empty().weigh(np.concatenate([[more], rows.weights]))
