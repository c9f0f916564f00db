"""Many itemsets laid flat: one array of item codes, and where each itemset starts in it."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet import kernels
from discreet.errors import InputError
from discreet.runtime import resources


@dataclass(frozen=True, eq=False)
class Itemsets:
    """Itemset ``i`` is ``items[offsets[i]:offsets[i + 1]]``; ``offsets`` need not start at 0.

    >>> itemsets = Itemsets.of([[0, 2], [], [1]])
    >>> len(itemsets), itemsets[0].tolist(), itemsets.lengths.tolist()
    (3, [0, 2], [2, 0, 1])
    """

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]

    @staticmethod
    def of(itemsets: Iterable[Collection[int]]) -> "Itemsets":
        """Lay collections of codes flat.

        >>> Itemsets.of([[0, 2], [1]]).offsets.tolist()
        [0, 2, 3]
        """
        listed = list(itemsets)
        offsets = np.cumsum([0, *map(len, listed)], dtype=np.int64)
        return Itemsets(offsets, np.fromiter(chain.from_iterable(listed), dtype=np.int32, count=int(offsets[-1])))

    @staticmethod
    def from_lengths(lengths: ArrayLike, items: NDArray[np.int32]) -> "Itemsets":
        """Cut ``items`` into itemsets of these lengths.

        >>> [codes.tolist() for codes in Itemsets.from_lengths([1, 2], np.array([3, 0, 1], np.int32))]
        [[3], [0, 1]]
        """
        return Itemsets(offsets_of(lengths), items)

    @classmethod
    def concat(cls, parts: Sequence[Self]) -> Self:
        """Return the itemsets of all parts, one part after the other.

        >>> Itemsets.concat([Itemsets.of([[0]]), Itemsets.of([[1, 2], []])]).offsets.tolist()
        [0, 1, 3, 3]
        """
        return cls(*_concat(parts))

    @property
    def flat(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Both arrays, as kernels take them."""
        return self.offsets, self.items

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many items each itemset has."""
        return np.diff(self.offsets)

    @property
    def longest(self) -> int:
        """The length of the longest itemset."""
        return int(self.lengths.max(initial=0))

    @property
    def size(self) -> int:
        """How many items all itemsets have."""
        return int(self.offsets[-1] - self.offsets[0])

    @property
    def entries(self) -> NDArray[np.int32]:
        """The items of all itemsets, without what stands before the first and behind the last."""
        return self.items[self.offsets[0] : self.offsets[-1]]

    @property
    def owners(self) -> NDArray[np.intp]:
        """The number of the itemset that each of the ``entries`` belongs to."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @property
    def is_rooted(self) -> bool:
        """Whether the first itemset is the empty one."""
        return bool(len(self) and self.offsets[0] == self.offsets[1])

    def __len__(self) -> int:
        return int(self.offsets.size - 1)

    @overload
    def __getitem__(self, number: int) -> NDArray[np.int32]: ...
    @overload
    def __getitem__(self, number: slice) -> Self: ...
    def __getitem__(self, number: int | slice) -> NDArray[np.int32] | Self:
        """Return a view of the codes of one itemset, or of several neighbours."""
        if isinstance(number, slice):
            return self.part(*number.indices(len(self)))
        number = range(len(self))[number]
        return self.items[self.offsets[number] : self.offsets[number + 1]]

    def __iter__(self) -> Iterator[NDArray[np.int32]]:
        bounds = self.offsets.tolist()
        return (self.items[start:stop] for start, stop in pairwise(bounds))

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same itemsets in the same order."""
        if not isinstance(other, Itemsets):
            return NotImplemented
        return np.array_equal(self.lengths, other.lengths) and np.array_equal(self.entries, other.entries)

    __hash__ = None  # type: ignore[assignment]  # a value of many megabytes is no key

    def part(self, start: int, stop: int, step: int = 1) -> Self:
        """Return a view of the itemsets from ``start`` up to ``stop``.

        >>> Itemsets.of([[0], [1, 2], [3]]).part(1, 3).entries.tolist()
        [1, 2, 3]
        """
        if step != 1:
            raise InputError(f"rows can be sliced in steps of 1, not {step}")
        return replace(self, offsets=self.offsets[start : max(start, stop) + 1])

    def take(self, numbers: NDArray[np.integer[Any]]) -> Self:
        """Return the itemsets of these numbers, in that order.

        >>> Itemsets.of([[0], [1, 2], [3]]).take(np.array([1, 0])).entries.tolist()
        [1, 2, 0]
        """
        offsets = np.zeros(numbers.size + 1, dtype=np.int64)
        items = np.empty(int((self.offsets[numbers + 1] - self.offsets[numbers]).sum()), dtype=np.int32)
        kernels.itemsets.take(self.offsets, self.items, numbers, 0, offsets[1:], items)
        return replace(self, offsets=offsets, items=items)

    def add_up(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return for each itemset the sum of ``values``, of which there is one for each of ``items``.

        >>> Itemsets.of([[0, 1], [], [1]]).add_up(np.array([5, 7, 9])).tolist()
        [12, 0, 9]
        """
        kind = np.cumsum(values[:0]).dtype
        sums = np.zeros(values.size + 1, dtype=kind)
        np.cumsum(values, out=sums[1:])
        return np.diff(sums[self.offsets])

    def contain(self, codes: Iterable[int]) -> NDArray[np.bool_]:
        """Return for each itemset whether it holds all ``codes``; its own must rise.

        >>> Itemsets.of([[0, 2], [2], []]).contain([2]).tolist()
        [True, True, False]
        """
        wanted = np.array(sorted(codes), dtype=np.int32)
        is_holding = np.zeros(len(self), dtype=np.bool_)
        kernels.itemsets.contain(self.offsets, self.items, wanted, is_holding)
        return is_holding

    def sort_items(self) -> "Itemsets":
        """Return the itemsets with their items sorted and each item once; both arrays are rewritten in place.

        >>> Itemsets.of([[2, 0, 2], [1]]).sort_items().entries.tolist()
        [0, 2, 1]
        """
        return Itemsets(self.offsets, self.items[: kernels.itemsets.sort_rows(*self.flat)])

    def freeze(self) -> None:
        """Make the arrays read-only."""
        for array in vars(self).values():
            array.setflags(write=False)

    def with_empty(self) -> "Itemsets":
        """Return the itemsets with the empty one before them."""
        return Itemsets(np.concatenate([self.offsets[:1], self.offsets]), self.items)

    def weigh(self, weights: NDArray[np.int64]) -> "Weighted":
        """Return the itemsets with a number for each."""
        return Weighted(self.offsets, self.items, weights)


@dataclass(frozen=True, eq=False)
class Weighted(Itemsets):
    """Itemsets with a number for each: a support, or how many rows are like it.

    >>> rows = Itemsets.of([[1], [0, 1]]).weigh(np.array([5, 7])).sort(items=2)
    >>> rows.entries.tolist(), rows.weights.tolist()
    ([0, 1, 1], [7, 5])
    """

    weights: NDArray[np.int64]

    @classmethod
    def concat(cls, parts: Sequence[Self]) -> Self:
        """Return the itemsets of all parts, one part after the other."""
        weights = np.concatenate([np.empty(0, dtype=np.int64), *(part.weights for part in parts)])
        return cls(*_concat(parts), weights)

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other) and isinstance(other, Weighted) and np.array_equal(self.weights, other.weights)

    __hash__ = None

    @property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
        """All three arrays."""
        return self.offsets, self.items, self.weights

    def part(self, start: int, stop: int, step: int = 1) -> Self:
        """Return a view of the itemsets from ``start`` up to ``stop``."""
        return replace(super().part(start, stop, step), weights=self.weights[start : max(start, stop)])

    def take(self, numbers: NDArray[np.integer[Any]]) -> Self:
        """Return the itemsets of these numbers, in that order."""
        return replace(super().take(numbers), weights=self.weights[numbers])

    def sort(self, items: int, threads: int = 1) -> "Weighted":
        """Return the itemsets in dictionary order of their codes, which are below ``items``; refuse one listed twice.

        >>> Itemsets.of([[1], [0, 1]]).weigh(np.array([5, 7])).sort(items=2).offsets.tolist()
        [0, 2, 3]
        """
        if kernels.itemsets.is_in_order(*self.flat):
            return self
        present = np.zeros(items, dtype=np.bool_)
        kernels.itemsets.mark(self.items, present)
        keys = np.empty(len(self), dtype=np.uint64)
        kernels.itemsets.pack(*self.flat, np.cumsum(present), max(1, int(present.sum()).bit_length()), keys)
        order = np.argsort(keys)
        spare, lengths = np.empty_like(order), self.lengths
        offsets, sorted_items = np.zeros_like(self.offsets), np.empty_like(self.items)
        # The start of a part does not depend on the order within the parts before it, which other threads change.
        starts = offsets_of(lengths[order])

        def settle(start: int, stop: int) -> int:
            part = slice(start, stop)
            repeated: int = kernels.itemsets.settle(*self.flat, keys, order[part], spare[part])
            kernels.itemsets.take(*self.flat, order[part], starts[start], offsets[1:][part], sorted_items)
            return repeated

        # Itemsets with one key stay in one part, so that each part can be sorted alone.
        firsts = keys[order[order.size * np.arange(1, threads) // threads]]
        cuts = [0, *np.searchsorted(keys[order], firsts), order.size]
        repeated = max(resources.share(settle, pairwise(cuts), threads))
        if repeated >= 0:
            raise InputError(f"an itemset of {lengths[repeated]} items is listed twice; list each itemset once")
        return Weighted(offsets, sorted_items, self.weights[order])


class LaidFlat:
    """A value on ``itemsets`` laid flat, whose two arrays it shows by their own names."""

    itemsets: Itemsets

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each row or itemset starts in ``items``, and where the last one ends."""
        return self.itemsets.offsets

    @property
    def items(self) -> NDArray[np.int32]:
        """The codes of all rows or itemsets, one after the other."""
        return self.itemsets.items


def offsets_of(lengths: ArrayLike) -> NDArray[np.int64]:
    """Return where parts of these lengths start, and where the last one ends.

    >>> offsets_of([2, 0, 1]).tolist()
    [0, 2, 2, 3]
    """
    sizes = np.asarray(lengths, dtype=np.int64)
    offsets = np.zeros(sizes.size + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


def _concat(parts: Sequence[Itemsets]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    starts = offsets_of([part.size for part in parts]).tolist()
    offsets = [part.offsets[:-1] - part.offsets[0] + start for part, start in zip(parts, starts, strict=False)]
    items = np.concatenate([np.empty(0, dtype=np.int32), *(part.entries for part in parts)])
    return np.concatenate([*offsets, np.array(starts[-1:], dtype=np.int64)]), items
