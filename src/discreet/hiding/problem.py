"""What a method to hide is asked: which itemsets must lose how many rows, in which rows they are."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.transactions import Transactions
from discreet.errors import InputError
from discreet.hiding.sensitive import Sensitive
from discreet.io.index.index import InvertedFile
from discreet.mining.mine import Progress

Reading: TypeAlias = Literal["static", "dynamic"]


class Changes(NamedTuple):
    """Items removed from rows: numbers of the rows, in order, and the items of each (CSR, codes in order).

    Row ``rows[i]`` loses ``items[offsets[i]:offsets[i + 1]]``, of which there is at least one.
    """

    rows: NDArray[np.int64]
    offsets: NDArray[np.int64]
    items: NDArray[np.int32]


class Gap(NamedTuple):
    """How good a solution is known to be: how many legitimate itemsets it loses, and how many must be lost at least.

    ``stopped`` says that time ran out before these met, ``skipped`` that there was too much for a program.
    """

    lost: int
    bound: int
    stopped: bool = False
    skipped: bool = False


class Answer(NamedTuple):
    """What a method removes, and what it can prove of that."""

    changes: Changes
    gap: Gap | None = None


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows, the sensitive itemsets, and how few rows may hold each afterwards.

    Without ``below`` each may keep its disclosure's share of its rows, rounded down; with it, one row less than
    ``below``, a minimum support as a count. ``reading`` says whether the papers' algorithms look at the rows as they
    were (static) or as they have become (dynamic). A method that searches may take so many ``seconds``; the one that
    slides a window takes so many rows as ``window``. ``progress`` is told what share of the work is done, and of how
    many itemsets.
    """

    rows: Transactions
    sensitive: Sensitive
    index: InvertedFile
    below: int | None = None
    reading: Reading = "static"
    seconds: float = 60.0
    window: int = 10_000
    threads: int | None = None
    progress: Progress | None = None

    @cached_property
    def itemsets(self) -> tuple[NDArray[np.int32], ...]:
        """The sensitive itemsets by their codes, each in order; an item that no row has is refused."""
        return tuple(self._coded(number) for number in range(len(self.sensitive.itemsets)))

    @cached_property
    def holders(self) -> tuple[NDArray[np.int64], ...]:
        """The rows that hold each sensitive itemset, in order: its sensitive rows."""
        return tuple(self.index.rows_of_each(self.itemsets))

    @cached_property
    def supports(self) -> NDArray[np.int64]:
        """How many rows hold each sensitive itemset."""
        return np.array([rows.size for rows in self.holders], dtype=np.int64)

    @cached_property
    def degrees(self) -> NDArray[np.int32]:
        """The degree of conflict of each row: how many sensitive itemsets it holds."""
        degrees = np.zeros(len(self.rows), dtype=np.int32)
        for rows in self.holders:
            kernels.hiding.add_degrees(rows, degrees)
        return degrees

    @cached_property
    def to_lose(self) -> tuple[int, ...]:
        """How many rows must lose each sensitive itemset at least: |T| (1 − disclosure), rounded up; see ``below``."""
        if self.below is not None:
            return tuple(max(0, rows.size - self.below + 1) for rows in self.holders)
        shares = self.sensitive.disclosures
        return tuple(math.ceil(rows.size * (1 - share)) for rows, share in zip(self.holders, shares, strict=True))

    @property
    def item_supports(self) -> NDArray[np.int64]:
        """How many rows hold each item."""
        return self.index.supports

    def _coded(self, number: int) -> NDArray[np.int32]:
        labels = self.sensitive.itemsets[number]
        codes = sorted(self.rows.code[label] for label in labels if label in self.rows.code)
        known = sum(self.item_supports[code] > 0 for code in codes)
        if known < len(labels):
            named = self.sensitive.numbers[number] if self.sensitive.numbers else number + 1
            raise InputError(
                f"sensitive itemset {named} has {len(labels) - known} of {len(labels)} items "
                "that no row has; check how they are written, or leave it out"
            )
        return np.array(codes, dtype=np.int32)


def changes_of(rows: NDArray[np.int64], items: NDArray[np.int32]) -> Changes:
    """Return removals, given as pairs of a row and an item in any order, each once.

    >>> changes_of(np.array([4, 1, 4, 4]), np.array([2, 0, 1, 2], np.int32))
    Changes(rows=array([1, 4]), offsets=array([0, 1, 3]), items=array([0, 1, 2], dtype=int32))
    """
    # A pair as one number: rows and codes both fit into half a word.
    pairs = np.unique(rows.astype(np.int64) << 32 | items)
    touched, starts = np.unique(pairs >> 32, return_index=True)
    return Changes(touched, np.append(starts, pairs.size).astype(np.int64), (pairs & 0xFFFFFFFF).astype(np.int32))


def changes_where(rows: Transactions, marks: NDArray[np.uint8]) -> Changes:
    """Return removals, given as a mark beside each item of each row that is not 0 where the item is removed.

    >>> changes_where(Transactions([["a", "b"], [], ["b", "c"]]), np.array([0, 0, 1, 0], np.uint8))
    Changes(rows=array([2]), offsets=array([0, 1]), items=array([1], dtype=int32))
    """
    return Changes(*kernels.hiding.list_marked(rows.offsets, rows.items, marks))


def without(rows: Transactions, changes: Changes) -> Transactions:
    """Return the rows without what is removed: as many, in the same order, with the same labels and ids.

    >>> rows = Transactions([["a", "b"], ["b"]])
    >>> [sorted(row) for row in without(rows, changes_of(np.array([0]), np.array([1], np.int32)))]
    [['a'], ['b']]
    """
    offsets = np.empty_like(rows.offsets)
    items = np.empty(int(rows.offsets[-1] - rows.offsets[0]), dtype=np.int32)
    size = kernels.hiding.drop_items(rows.offsets, rows.items, *changes, offsets, items)
    return Transactions.from_codes(offsets, items[:size], rows.labels, ids=rows.ids)


def minimal(itemsets: Sequence[NDArray[np.int32]]) -> list[int]:
    """Return the numbers of the itemsets that hold no other one; of equal ones the first."""
    sets = [frozenset(itemset.tolist()) for itemset in itemsets]
    return [
        number
        for number, one in enumerate(sets)
        if not any(other < one or (other == one and before < number) for before, other in enumerate(sets))
    ]
