"""Itemsets laid flat: one array of item codes, and where each itemset starts; a code is the place of a label."""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, Final, Self, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet import kernels
from discreet.errors import InputError
from discreet.runtime import resources
from discreet.runtime.solver import Numbers
from discreet.runtime.text import count_of

Label: TypeAlias = Hashable
Itemset: TypeAlias = frozenset[Label]
Items: TypeAlias = NDArray[np.int32]
SAMPLE: Final = 1_000  # itemsets by which the work of sorting is divided
AnyFrame: TypeAlias = Any  # a frame or a series of a library that we do not import


def sort_labels(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Return the distinct labels in a fixed order: by the name of their type, then by their own order or their text.

    Equal labels are one item, named by the first of its types.

    >>> sort_labels(["milk", 10, 9, "beer", 10, 9.0])
    (9.0, 10, 'beer', 'milk')
    """
    labels = list(labels)
    if {*map(type, labels)} in ({str}, {int}):  # as is usual
        return tuple(sorted({*labels}))  # type: ignore[type-var]
    by_type: dict[str, dict[Label, None]] = {}
    for label in labels:
        by_type.setdefault(type(label).__qualname__, {})[label] = None
    return tuple(dict.fromkeys(label for _, group in sorted(by_type.items()) for label in _sorted(group)))


def recode(items: Items, labels: Sequence[Label]) -> tuple[Items, tuple[Label, ...]]:
    """Return ``items`` in new codes that follow the fixed order of the labels.

    >>> items, labels = recode(np.array([0, 1], np.int32), ["milk", "beer"])
    >>> items.tolist(), labels
    ([1, 0], ('beer', 'milk'))
    """
    after = sort_labels(labels)
    if after == tuple(labels):
        return items, after
    place = {label: code for code, label in enumerate(after)}
    return np.array([place[label] for label in labels], dtype=np.int32)[items], after


def is_missing(label: object) -> bool:
    """Return whether ``label`` stands for a missing value (None, NaN, NaT, NA).

    >>> [is_missing(label) for label in (None, float("nan"), 0, "", "nan")]
    [True, True, False, False, False]
    """
    return label is None or (not isinstance(label, str) and str(label) in {"nan", "NaT", "<NA>"})


def as_itemset(itemset: Iterable[Label]) -> Itemset:
    """Return ``itemset`` as a set; refuse text, whose letters would become items."""
    if isinstance(itemset, str | bytes):
        raise InputError("an itemset is a collection of items such as ['bread', 'milk'], not text")
    return frozenset(itemset)


def _sorted(group: Iterable[Any]) -> list[Label]:
    try:
        labels = sorted(group)
        # Sets compare without an error, but neither of {1} and {2} is less: the result would depend on the input order.
        if all(one < other for one, other in pairwise(labels)):
            return labels
    except TypeError:
        pass
    return sorted(group, key=_text)


def _text(label: object) -> str:
    """Return the text of a label; a set lists its elements in order, not by their hashes."""
    match label:
        case frozenset():
            return "{" + ", ".join(sorted(map(_text, label))) + "}"
        case tuple():
            return "(" + ", ".join(map(_text, label)) + ")"
        case _:
            return repr(label)


@dataclass(frozen=True, eq=False)
class Itemsets:
    """Itemset ``i`` is ``items[offsets[i]:offsets[i + 1]]``; ``offsets`` need not start at 0.

    >>> itemsets = Itemsets.of([[0, 2], [], [1]])
    >>> len(itemsets), itemsets[0].tolist(), itemsets.lengths.tolist()
    (3, [0, 2], [2, 0, 1])
    """

    offsets: Numbers
    items: Items

    @staticmethod
    def of(itemsets: Iterable[Collection[int]]) -> "Itemsets":
        """Lay collections of codes flat."""
        listed = list(itemsets)
        lengths = list(map(len, listed))
        return Itemsets.from_lengths(lengths, np.fromiter(chain.from_iterable(listed), dtype=np.int32))

    @staticmethod
    def from_lengths(lengths: ArrayLike, items: Items) -> "Itemsets":
        """Cut ``items`` into itemsets of these lengths."""
        return Itemsets(offsets_of(lengths), items)

    @classmethod
    def concat(cls, parts: Sequence[Self]) -> Self:
        """Return the itemsets of all parts, one part after the other."""
        starts = offsets_of([part.size for part in parts]).tolist()
        offsets = [part.offsets[:-1] - part.offsets[0] + start for part, start in zip(parts, starts, strict=False)]
        items = np.concatenate([np.empty(0, dtype=np.int32), *(part.entries for part in parts)])
        return cls(np.concatenate([*offsets, np.array(starts[-1:], dtype=np.int64)]), items)

    @property
    def flat(self) -> tuple[Numbers, Items]:
        """Both arrays, as kernels take them."""
        return self.offsets, self.items

    @property
    def lengths(self) -> Numbers:
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
    def entries(self) -> Items:
        """The items of all itemsets; ``items`` may hold others before the first and behind the last."""
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
    def __getitem__(self, number: int) -> Items: ...
    @overload
    def __getitem__(self, number: slice) -> Self: ...
    def __getitem__(self, number: int | slice) -> Items | Self:
        """Return a view of the codes of one itemset, or of several neighbours."""
        if isinstance(number, slice):
            return self.part(*number.indices(len(self)))
        number = range(len(self))[number]
        return self.items[self.offsets[number] : self.offsets[number + 1]]

    def __iter__(self) -> Iterator[Items]:
        return (self.items[start:stop] for start, stop in pairwise(self.offsets.tolist()))

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same itemsets in the same order."""
        if not isinstance(other, Itemsets):
            return NotImplemented
        return np.array_equal(self.lengths, other.lengths) and np.array_equal(self.entries, other.entries)

    __hash__ = None  # type: ignore[assignment]  # a value of many megabytes is no key

    def part(self, start: int, stop: int, step: int = 1) -> Self:
        """Return a view of the itemsets from ``start`` up to ``stop``."""
        if step != 1:
            raise InputError(f"rows can be sliced in steps of 1, not {step}")
        return replace(self, offsets=self.offsets[start : max(start, stop) + 1])

    def take(self, numbers: NDArray[np.integer[Any]]) -> Self:
        """Return the itemsets of these numbers, in that order."""
        offsets = np.zeros(numbers.size + 1, dtype=np.int64)
        items = np.empty(int((self.offsets[numbers + 1] - self.offsets[numbers]).sum()), dtype=np.int32)
        kernels.itemsets.take(self.offsets, self.items, numbers, 0, offsets[1:], items)
        return replace(self, offsets=offsets, items=items)

    def add_up(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return for each itemset the sum of ``values``, of which there is one for each of ``items``."""
        sums = np.cumsum(values)
        return np.diff(np.concatenate([np.zeros(1, dtype=sums.dtype), sums])[self.offsets])

    def contain(self, codes: Iterable[int]) -> NDArray[np.bool_]:
        """Return for each itemset whether it holds all ``codes``; its own must rise."""
        is_holding = np.zeros(len(self), dtype=np.bool_)
        kernels.itemsets.contain(self.offsets, self.items, np.array(sorted(codes), dtype=np.int32), is_holding)
        return is_holding

    def count_holders(self, groups: Sequence[Collection[int]]) -> tuple[Numbers, Numbers]:
        """Return for each group of codes how many itemsets hold one of it or more, and how many hold two or more.

        >>> once, twice = Itemsets.of([[0, 2], [], [1, 2]]).count_holders([{0, 1}, {1, 2}])
        >>> once.tolist(), twice.tolist()
        ([2, 2], [0, 1])
        """
        listed, once, twice = Itemsets.of(groups), *np.zeros((2, len(groups)), dtype=np.int64)
        codes = 1 + max(int(self.items.max(initial=-1)), int(listed.items.max(initial=-1)))
        by_item = listed.owners[np.argsort(listed.items, kind="stable")]
        owners = offsets_of(np.bincount(listed.items, minlength=codes))
        kernels.itemsets.count_holders(*self.flat, owners, by_item, once, twice)
        return once, twice

    def order(self, items: int, leads: Numbers | None = None) -> Numbers:
        """Return the numbers of the itemsets by ``leads``, none below 0, then in dictionary order of their codes.

        All codes are below ``items``. Equal itemsets keep their order.

        >>> Itemsets.of([[1], [0, 1], [1]]).order(items=2).tolist()
        [1, 0, 2]
        """
        return self.order_parts(items, leads)[0][0]

    def order_parts(self, items: int, leads: Numbers | None = None, threads: int = 1) -> list[tuple[Numbers, int]]:
        """Return that order in a part for each of ``threads``, and of each part one of several equal itemsets, or -1.

        Each thread sorts what lies between two itemsets of a sample; so several take no ``leads``.
        """
        present, given = np.zeros(max(1, items), dtype=np.bool_), np.empty(0, np.int64) if leads is None else leads
        kernels.itemsets.mark(self.entries, present)
        ranks = np.cumsum(present)

        def sort(low: int, high: int) -> tuple[Numbers, int]:
            numbers = np.empty(len(self), dtype=np.int64)
            numbers = numbers[: kernels.itemsets.select(*self.flat, low, high, numbers)]
            orders, keys = np.empty((2, 2, numbers.size), dtype=np.int64)
            side, equal = kernels.itemsets.sort(*self.flat, ranks, given, numbers, orders, keys.view(np.uint64))
            return orders[side], equal

        if threads == 1 or len(self) < SAMPLE:
            return [sort(-1, -1)]
        sample = np.arange(0, len(self), len(self) // SAMPLE)
        sample = sample[self.take(sample).order(items)]
        cuts = [-1, *sample[sample.size * np.arange(1, threads) // threads].tolist(), -1]
        return resources.share(sort, pairwise(cuts), threads)

    def is_in_order(self, start: int, stop: int) -> bool:
        """Return whether each itemset from ``start`` to ``stop`` comes after the one before it in dictionary order."""
        return bool(kernels.itemsets.is_in_order(self.offsets[start : stop + 1], self.items))

    def sort_items(self) -> "Itemsets":
        """Return the itemsets with their items sorted and each item once; both arrays are rewritten in place."""
        return Itemsets(self.offsets, self.items[: kernels.itemsets.sort_rows(*self.flat)])

    def freeze(self) -> None:
        """Make the arrays read-only."""
        for array in vars(self).values():
            array.setflags(write=False)

    def with_empty(self) -> "Itemsets":
        """Return the itemsets with the empty one before them."""
        return Itemsets(np.concatenate([self.offsets[:1], self.offsets]), self.items)

    def weigh(self, weights: Numbers) -> "Weighted":
        """Return the itemsets with a number for each."""
        return Weighted(self.offsets, self.items, weights)


@dataclass(frozen=True, eq=False)
class Weighted(Itemsets):
    """Itemsets with a number for each: a support, or how many rows are like it.

    >>> rows = Itemsets.of([[1], [0, 1]]).weigh(np.array([5, 7])).sort(items=2)
    >>> rows.entries.tolist(), rows.weights.tolist()
    ([0, 1, 1], [7, 5])
    """

    weights: Numbers

    @classmethod
    def concat(cls, parts: Sequence[Self]) -> Self:
        """Return the itemsets of all parts, one part after the other."""
        weights = np.concatenate([np.empty(0, dtype=np.int64), *(part.weights for part in parts)])
        return cls(*Itemsets.concat(parts).flat, weights)

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other) and isinstance(other, Weighted) and np.array_equal(self.weights, other.weights)

    __hash__ = None

    @property
    def arrays(self) -> tuple[Numbers, Items, Numbers]:
        """All three arrays."""
        return self.offsets, self.items, self.weights

    def part(self, start: int, stop: int, step: int = 1) -> Self:
        """Return a view of the itemsets from ``start`` up to ``stop``."""
        return replace(super().part(start, stop, step), weights=self.weights[start : max(start, stop)])

    def take(self, numbers: NDArray[np.integer[Any]]) -> Self:
        """Return the itemsets of these numbers, in that order."""
        return replace(super().take(numbers), weights=self.weights[numbers])

    def sort(self, items: int, threads: int = 1) -> "Weighted":
        """Return the itemsets in dictionary order of their codes, all below ``items``; refuse one listed twice."""
        cuts = [len(self) * part // threads for part in range(threads + 1)]
        # The first of a part is compared with the last before it.
        if all(resources.share(self.is_in_order, ((max(0, low - 1), high) for low, high in pairwise(cuts)), threads)):
            return self
        parts = self.order_parts(items, threads=threads)
        if (repeated := max(equal for _, equal in parts)) >= 0:
            raise InputError(
                f"an itemset of {count_of(self[repeated].size, 'item')} is listed twice; list each itemset once"
            )
        offsets, sorted_items = np.zeros_like(self.offsets), np.empty(self.size, dtype=np.int32)
        weights, starts = np.empty_like(self.weights), offsets_of([order.size for order, _ in parts])
        entries = offsets_of([self.lengths[order].sum() for order, _ in parts[:-1]])

        def take(part: int, _next: int) -> None:
            order, place = parts[part][0], slice(starts[part], starts[part + 1])
            np.take(self.weights, order, out=weights[place])
            kernels.itemsets.take(*self.flat, order, entries[part], offsets[1:][place], sorted_items)

        resources.share(take, pairwise(range(len(parts) + 1)), threads)
        return Weighted(offsets, sorted_items, weights)


class Labelled:
    """A value on ``itemsets`` of labelled items, whose two arrays it shows by their own names."""

    itemsets: Itemsets
    labels: tuple[Label, ...]

    @property
    def offsets(self) -> Numbers:
        """Where each row or itemset starts in ``items``, and where the last one ends."""
        return self.itemsets.offsets

    @property
    def items(self) -> Items:
        """The codes of all rows or itemsets, one after the other."""
        return self.itemsets.items

    @cached_property
    def mark(self) -> object:
        """An identity of this value, without any of its contents."""
        return object()

    @cached_property
    def code(self) -> Mapping[Label, int]:
        """The code of each label."""
        return {label: number for number, label in enumerate(self.labels)}

    def labelled(self, number: int) -> list[Label]:
        """Return the labels of a row or an itemset, by its number."""
        return [self.labels[item] for item in self.itemsets[number].tolist()]


def offsets_of(lengths: ArrayLike) -> Numbers:
    """Return where parts of these lengths start, and where the last one ends.

    >>> offsets_of([2, 0, 1]).tolist()
    [0, 2, 2, 3]
    """
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)])
