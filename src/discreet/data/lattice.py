"""A family: published itemsets as a lattice, from which the supports of all itemsets below them follow."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Itemsets
from discreet.data.labels import Itemset, Label
from discreet.data.patterns import Patterns
from discreet.errors import InconsistencyError, InputError, Message, Option
from discreet.runtime import resources

Trie: TypeAlias = tuple[NDArray[np.uint32], NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64]]
"""Nodes as kernels/lattice.py lists them."""

WORD: Final = 64
"""Items that fit a word of a bitmap."""
AT_ONCE: Final = 1024
"""Tops that a kernel is given at once: between two calls Ctrl-C is heard."""


class Cells(NamedTuple):
    """Cells of tops: the number of the top, the base, and how many rows hold the base and no other item of the top."""

    tops: NDArray[np.int32]
    bases: Itemsets
    counts: NDArray[np.int64]

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each base starts in ``items``, and where the last one ends."""
        return self.bases.offsets

    @property
    def items(self) -> NDArray[np.int32]:
        """The codes of all bases, one base after the other."""
        return self.bases.items

    def take(self, numbers: NDArray[np.integer[Any]]) -> "Cells":
        """Return the cells of these numbers, in that order."""
        return Cells(self.tops[numbers], self.bases.take(numbers), self.counts[numbers])


@dataclass(frozen=True, eq=False, repr=False)
class Family:
    """Itemsets with their supports, in dictionary order, and the numbers of those that are tops (maximal).

    They are the closed ones, and the support of any other itemset is the largest of a superset that is listed; or,
    if they are ``all`` frequent ones, each has its own. Where they are ``partial``, as from several lists, none of the
    tops need be closed.
    """

    itemsets: Itemsets
    supports: NDArray[np.int64]
    tops: NDArray[np.int64]
    labels: tuple[Label, ...]
    n: int
    all: bool = False
    partial: bool = False

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each itemset starts in ``items``, and where the last one ends."""
        return self.itemsets.offsets

    @property
    def items(self) -> NDArray[np.int32]:
        """The codes of all itemsets, one itemset after the other."""
        return self.itemsets.items

    @cached_property
    def trie(self) -> Trie:
        """The itemsets as a trie, to walk through those within a top."""
        trie: Trie = kernels.inversion.plant(self.offsets, self.items)
        return trie

    @cached_property
    def slots(self) -> NDArray[np.int64]:
        """The itemsets in a hash table."""
        slots: NDArray[np.int64] = kernels.lattice.index(self.offsets, self.items)
        return slots

    @property
    def longest(self) -> int:
        """The length of the longest itemset."""
        return self.itemsets.longest

    @cached_property
    def may_be_cut(self) -> bool:
        """Whether longer itemsets may have been left out; then the longest ones need not be closed."""
        return bool(kernels.lattice.may_be_cut(self.offsets, self.items, self.longest, len(self.labels)))

    def top_itemsets(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the tops as itemsets: where each starts, and their items."""
        return self.itemsets.take(self.tops).flat

    def widened(self, offsets: NDArray[np.int64], items: NDArray[np.int32], *, partial: bool) -> "Family":
        """Return the family with larger itemsets: no row holds them, and their parts are listed or in no row either.

        Their supports of 0 stand for those of all such parts. They are ``partial`` if a row may meet one in an itemset
        that is not closed.
        """
        supports = np.concatenate([self.supports, np.zeros(offsets.size - 1, dtype=np.int64)])
        every = Itemsets.concat([self.itemsets, Itemsets(offsets, items)]).weigh(supports).sort(len(self.labels))
        tops = np.flatnonzero(kernels.lattice.find_maximal(*every.flat, len(self.labels)))
        return Family(Itemsets(*every.flat), every.weights, tops, self.labels, self.n, partial=partial)

    def whole(self) -> "Family":
        """Return the family of a list that leaves out nothing but what no row holds: all items are its one top.

        The cells of that top are the different rows, and each row is a closed itemset. Where longer itemsets may have
        been left out, rows like these must have the tables of all tops, or it is no such list, and stays as it is. If
        they have, nothing follows from the list that does not hold for them.

        >>> from discreet import Patterns
        >>> family = family_of(Patterns.from_itemsets([([], 29), (["a"], 13), (["b"], 15)], n=29)).whole()
        >>> family.cells(limit=5).counts.tolist()
        [1]
        """
        if self.tops.size <= 1:
            return self
        every = np.unique(self.items)
        wide = self.widened(np.array([0, every.size]), every, partial=False)
        return self if self.may_be_cut and not self._has_rows(wide) else wide

    def _has_rows(self, wide: "Family") -> bool:
        """Return whether rows like the cells of one wider top have the cells of all tops."""
        try:
            own, rows = self.cells(self.n + 1), wide.cells(self.n + 1)
        except InconsistencyError:
            return False
        sums, cells = np.zeros_like(own.counts), (own.tops, *own.bases.flat)
        kernels.cell_rows.weigh(rows.bases.flat, rows.counts, cells, self.top_itemsets(), len(self.labels), sums)
        return int(rows.counts.sum()) == self.n and np.array_equal(sums, own.counts)

    def labelled(self, number: int) -> Itemset:
        """Return an itemset by its labels."""
        return frozenset(self.labels[item] for item in self.itemsets[number].tolist())

    def cells(self, limit: int, threads: int = 1) -> Cells:
        """Return the cells of all tops that hold from 1 to ``limit`` − 1 rows.

        By Möbius inversion on the closed itemsets within each top: a support is the sum of the cells above it, and a
        row meets a closed itemset in a closed one, so no other itemset has a cell.
        """
        tops = self.top_itemsets()
        parts = [(start, start + AT_ONCE) for start in range(0, self.tops.size, AT_ONCE)]
        _ = self.slots if self.all else (self.trie, self.may_be_cut)  # once, before threads ask for them
        share = min(threads, max(1, len(parts)))
        return together(resources.share(lambda start, stop: self._cells(start, stop, limit, tops), parts, share))

    def smallest_cells(self, numbers: NDArray[np.int64], limit: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return which of some itemsets, taken as tops, have a cell below ``limit``, and how many rows that holds."""
        places, _, counts = zip(*self._inverted(numbers, limit), strict=True)
        return np.concatenate(places), np.concatenate(counts)

    def steps(self, sample: int) -> int:
        """Return about how many steps ``cells`` takes, one an itemset within a top, from ``sample`` of the tops."""
        if self.all:
            lengths = self.itemsets.lengths[self.tops]
            return int((lengths << lengths).sum())
        open_ = self._open(self.tops)
        closed = self.tops[~open_]
        chosen = closed[:: max(1, closed.size // sample)]
        met = self._invert(chosen, 0)[3] * closed.size // max(1, chosen.size)
        return met + self.items.size * int(np.count_nonzero(open_))

    def _cells(self, start: int, stop: int, limit: int, tops: tuple[NDArray[np.int64], NDArray[np.int32]]) -> Cells:
        parts = self._inverted(self.tops[start:stop], limit)
        cells = together(
            [based(maps, (places + start).astype(np.int32), counts, *tops) for places, maps, counts in parts]
        )
        wrong = np.flatnonzero(cells.counts < 0)
        if wrong.size:
            at = wrong[0]
            base = cells.bases[int(at)]
            raise InconsistencyError(
                f"the supports say that {cells.counts[at]} rows hold {base.size} items of an itemset and no other of "
                "it; no rows can have them: check that they are exact, and of closed or of all frequent itemsets",
                "negative",
                (self.labels[item] for item in base),
                self.labelled(int(self.tops[cells.tops[at]])),
            )
        return cells

    def _open(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which of some itemsets may not be closed, or do not fit a word of a bitmap."""
        if self.partial:
            return np.ones(numbers.size, dtype=np.bool_)
        lengths = self.itemsets.lengths[numbers]
        open_: NDArray[np.bool_] = lengths >= (min(self.longest, WORD + 1) if self.may_be_cut else WORD + 1)
        return open_

    def _inverted(
        self, numbers: NDArray[np.int64], limit: int
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64]]]:
        """Yield cells of itemsets, taken as tops: places in ``numbers``, bitmaps, numbers of rows."""
        if self.all:
            places, maps, counts = kernels.lattice.cells_of_all(
                self.slots, self.offsets, self.items, self.supports, numbers, limit
            )
            yield places, maps[:, None], counts
            return
        open_ = self._open(numbers)
        if not open_.any():
            places, maps, counts, _ = self._invert(numbers, limit)
            yield places.astype(np.int64), maps[:, None], counts
            return
        closed, rest = np.flatnonzero(~open_), np.flatnonzero(open_)
        places, maps, counts, _ = self._invert(numbers[closed], limit)
        yield closed[places], maps[:, None], counts
        words = -(-self.longest // WORD)
        places, maps, counts = kernels.intersections.cells_of(
            self.offsets, self.items, self.supports, numbers[rest], len(self.labels), max(1, words), limit
        )
        yield rest[places], maps, counts

    def _invert(
        self, numbers: NDArray[np.int64], limit: int
    ) -> tuple[NDArray[np.int32], NDArray[np.uint64], NDArray[np.int64], int]:
        """Return cells of closed itemsets, taken as tops, and how many steps that took."""
        supports = np.concatenate([self.supports[:1] if self.itemsets.is_rooted else [0], self.supports])
        found: tuple[NDArray[np.int32], NDArray[np.uint64], NDArray[np.int64], int] = kernels.inversion.cells_of_closed(
            self.trie, self.offsets, self.items, supports, numbers, len(self.labels), limit
        )
        return found


def based(
    maps: NDArray[np.uint64],
    tops: NDArray[np.int32],
    counts: NDArray[np.int64],
    top_offsets: NDArray[np.int64],
    top_items: NDArray[np.int32],
    place: NDArray[np.int64] | None = None,
) -> Cells:
    """Return cells whose bases are bitmaps of their tops' items, or over the ``place`` of each item."""
    offsets = np.empty(tops.size + 1, dtype=np.int64)
    items = np.empty(int(np.bitwise_count(maps).sum()), dtype=np.int32)
    none = np.empty(0, dtype=np.int64)
    kernels.cells.write_bases(maps, tops, top_offsets, top_items, none if place is None else place, offsets, items)
    return Cells(tops, Itemsets(offsets, items), counts)


def together(parts: list[Cells]) -> Cells:
    """Return the cells of all parts."""
    if len(parts) == 1:
        return parts[0]
    return Cells(
        np.concatenate([np.empty(0, dtype=np.int32), *(part.tops for part in parts)]),
        Itemsets.concat([part.bases for part in parts]),
        np.concatenate([np.empty(0, dtype=np.int64), *(part.counts for part in parts)]),
    )


def family_of(patterns: Patterns) -> Family:
    """Return the family of patterns that are closed, or all frequent ones; refuse a list that no rows can have.

    Frequent itemsets that we mined follow from the closed ones among them. Of a list from elsewhere that is not known,
    so all of them are kept. The empty itemset is held by all n rows, whether it is listed or not: n is public.

    >>> from discreet import mine
    >>> family = family_of(mine([["a", "b"], ["a", "b"], ["a"]], min_support=1, kind="frequent"))
    >>> [sorted(family.labelled(top)) for top in family.tops], family.supports.tolist()
    ([['a', 'b']], [3, 2])
    """
    if patterns.kind == "maximal":
        raise InputError(
            "maximal itemsets do not tell the supports of their subsets; give the rows as well, or closed itemsets"
        )
    if patterns.kind == "frequent":
        return _of_frequent(rooted(patterns))
    listed = rooted(patterns)
    tops = np.flatnonzero(kernels.lattice.find_maximal(listed.offsets, listed.items, len(patterns.labels)))
    family = Family(listed.itemsets, listed.supports, tops, patterns.labels, patterns.n)
    if not patterns.mined:
        _check_closed(family)
    return family


def told_by(patterns: Patterns) -> Family:
    """Return the family of patterns, in which what is missing counts as 0 where their minimum support is 1.

    >>> family = told_by(Patterns.from_itemsets([([], 29), (["a"], 13), (["b"], 15)], n=29, min_support=1))
    >>> [sorted(family.labelled(top)) for top in family.tops]
    [['a', 'b']]
    """
    family = family_of(patterns)
    return family.whole() if patterns.min_support == 1 else family


def rooted(patterns: Patterns) -> Patterns:
    """Return the patterns with the empty itemset, unless among closed ones another is held by all n rows."""
    if patterns.kind == "closed" and patterns.n in patterns.supports:
        return patterns
    return with_root(patterns)


def with_root(patterns: Patterns) -> Patterns:
    """Return the patterns with the empty itemset, which n rows hold: n is public, whether it is listed or not."""
    if not len(patterns) or patterns.is_rooted:
        return patterns
    # The empty itemset comes first in dictionary order.
    supports = np.insert(patterns.supports, 0, patterns.n)
    return replace(patterns, itemsets=patterns.itemsets.with_empty(), supports=supports)


def taken(
    offsets: NDArray[np.int64], items: NDArray[np.int32], numbers: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return some of the itemsets, in the given order."""
    return Itemsets(offsets, items).take(numbers).flat


def flat(itemsets: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return itemsets one after the other: where each starts, and their items.

    >>> [part.tolist() for part in flat([[0, 2], [], [1]])]
    [[0, 2, 2, 3], [0, 2, 1]]
    """
    return Itemsets.of(itemsets).flat


def _of_frequent(patterns: Patterns) -> Family:
    """Return the family of all frequent itemsets; each subset with an item less must be listed and have no less."""
    offsets, items, supports, labels = patterns.offsets, patterns.items, patterns.supports, patterns.labels
    slots = kernels.lattice.index(offsets, items)
    is_open, is_held = np.zeros(supports.size, dtype=np.bool_), np.zeros(supports.size, dtype=np.bool_)
    wrong, number, place = kernels.lattice.check_subsets(slots, offsets, items, supports, is_open, is_held)
    if wrong:
        itemset = patterns.labelled(number)
        raise _flaw(wrong == kernels.lattice.MISSING, itemset[:place] + itemset[place + 1 :], itemset)
    if not patterns.mined:
        return Family(patterns.itemsets, supports, np.flatnonzero(~is_held), labels, patterns.n, all=True)
    closed = np.flatnonzero(~is_open)
    tops = np.flatnonzero(~is_held[closed])
    return Family(patterns.itemsets.take(closed), supports[closed], tops, labels, patterns.n)


def _flaw(missing: bool, subset: list[Label], itemset: list[Label]) -> InconsistencyError:  # noqa: FBT001 - one of two
    """Return what is wrong with an itemset and a subset of it: it is missing, or has less support."""
    if missing:
        message = Message(
            f"an itemset of {len(itemset)} items is listed, but not all of its subsets: this is no list of all "
            "frequent itemsets; list them all, or say ",
            *(Option("kind", "closed"), " or ", Option("kind", "maximal"), " if that is what they are"),
        )
        return InconsistencyError(message, "missing", subset, itemset)
    sentence = f"an itemset of {len(itemset)} items has a larger support than one of its subsets; no rows can have both"
    return InconsistencyError(sentence, "rising", subset, itemset)


def _check_closed(family: Family) -> None:
    """Refuse closed itemsets that do not hold what all rows hold, or that have one in common which is not listed.

    Where longer itemsets may have been left out, the longest need not be closed, and are not looked at.
    """
    cut = family.longest if family.may_be_cut else family.longest + 1
    short = family.itemsets.lengths < cut
    everywhere = np.flatnonzero(short & (family.supports == family.n))
    if everywhere.size:
        _check_root(family, int(everywhere[0]), short)
    one, other = kernels.lattice.find_missing_meet(family.offsets, family.items, cut)
    if one >= 0:
        left, right = family.labelled(one), family.labelled(other)
        raise InconsistencyError(
            f"what two closed itemsets of {len(left)} and {len(right)} items have in common is not listed, though it "
            "is closed as well; list all closed itemsets, the one that all rows hold too",
            "missing",
            left & right,
            left,
        )


def _check_root(family: Family, root: int, short: NDArray[np.bool_]) -> None:
    """Refuse an itemset, of those that are ``short``, that does not hold the items which all rows hold."""
    lacking = np.flatnonzero(short & ~family.itemsets.contain(family.itemsets[root].tolist()))
    if lacking.size:
        other = family.labelled(int(lacking[0]))
        raise InconsistencyError(
            f"an itemset of {len(other)} items is listed, though it is not closed: all rows hold other items as well; "
            "list all closed itemsets, and no others",
            "open",
            family.labelled(root),
            other,
        )
