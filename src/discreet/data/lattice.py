"""A family: published itemsets as a lattice, which determines the supports of all itemsets below them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.hierarchy import close_upward, find_unlisted
from discreet.data.itemsets import Items, Itemsets, Label, Labelled
from discreet.data.patterns import Patterns
from discreet.errors import BudgetError, InconsistencyError, InputError, Message, Option
from discreet.runtime import resources
from discreet.runtime.solver import Numbers

Trie: TypeAlias = tuple[NDArray[np.uint32], NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64]]
# Nodes as kernels/inversion.py lists them.

WORD: Final = 64  # items that fit a word of a bitmap
MOST_TOPS: Final = 1000  # itemsets that become known by zeros while other supports stay unknown
MOST_STEPS: Final = 10_000_000  # comparisons to find them: some seconds
SWEPT: Final = 16  # items of all itemsets that are swept in the time of a step; measured
AT_ONCE: Final = 1024  # tops per call of a kernel; Ctrl-C is heard between two calls


class Cells(NamedTuple):
    """Cells of tops: the number of the top, the base, and how many rows hold the base and no other item of the top."""

    tops: Items
    bases: Itemsets
    counts: Numbers

    @staticmethod
    def concat(parts: Sequence["Cells"]) -> "Cells":
        """Return the cells of all parts, one part after the other."""
        tops = np.concatenate([np.empty(0, dtype=np.int32), *(part.tops for part in parts)])
        counts = np.concatenate([np.empty(0, dtype=np.int64), *(part.counts for part in parts)])
        return parts[0] if len(parts) == 1 else Cells(tops, Itemsets.concat([part.bases for part in parts]), counts)

    def take(self, numbers: NDArray[np.integer[Any]]) -> "Cells":
        """Return the cells of these numbers, in that order."""
        return Cells(self.tops[numbers], self.bases.take(numbers), self.counts[numbers])


@dataclass(frozen=True, eq=False, repr=False)
class Family(Labelled):
    """Itemsets with their supports, in dictionary order, and the numbers of those that are tops (maximal).

    They are the closed ones, and any other itemset has the largest support of a listed superset; or ``all`` frequent
    ones, each with its own. In a ``partial`` family, such as one from several lists, tops need not be closed.
    """

    itemsets: Itemsets
    supports: Numbers
    tops: Numbers
    labels: tuple[Label, ...]
    n: int
    all: bool = False
    partial: bool = False

    @cached_property
    def trie(self) -> Trie:
        """The itemsets as a trie, to walk through those within a top."""
        trie: Trie = kernels.inversion.plant(*self.itemsets.flat)
        return trie

    @cached_property
    def slots(self) -> Numbers:
        """The itemsets in a hash table."""
        slots: Numbers = kernels.lattice.index(self.offsets, self.items)
        return slots

    @property
    def longest(self) -> int:
        """The length of the longest itemset."""
        return self.itemsets.longest

    @cached_property
    def may_be_cut(self) -> bool:
        """Whether longer itemsets may have been left out; then the longest ones need not be closed."""
        longest = self.itemsets.take(np.flatnonzero(self.itemsets.lengths == self.longest))
        kernels.expect(len(longest) * len(self.labels), "lattice.may_be_cut")
        return bool(kernels.lattice.may_be_cut(*longest.flat, len(self.labels)))

    @cached_property
    def top_itemsets(self) -> Itemsets:
        """The tops as itemsets."""
        return self.itemsets.take(self.tops)

    def widen(self, itemsets: Itemsets, *, partial: bool) -> "Family":
        """Return the family with larger itemsets that no row holds, nor any subset that is not listed."""
        supports = np.concatenate([self.supports, np.zeros(len(itemsets), dtype=np.int64)])
        every = Itemsets.concat([self.itemsets, itemsets]).weigh(supports).sort(len(self.labels))
        tops = np.flatnonzero(kernels.lattice.find_maximal(*every.flat, len(self.labels)))
        return Family(Itemsets(*every.flat), every.weights, tops, self.labels, self.n, partial=partial)

    def complete(self, max_length: int | None = None) -> "Family":
        """Return the family of a list that leaves out only itemsets that no row holds: all items are its one top.

        The cells of that top are the different rows, and each row is a closed itemset. Where longer itemsets may have
        been left out, rows with these cells must also have the tables of all tops; else the family stays as it is.
        If longer ones than ``max_length`` were left out, the tops are the largest itemsets without one that could be.
        """
        if self.tops.size <= 1:
            return self
        if max_length is not None and self.longest == max_length and self.may_be_cut:
            known = find_known(self.itemsets, max_length)
            return self.widen(Itemsets.of(top for top in known if len(top) > max_length), partial=True)
        wide = self.widen(Itemsets.of([np.unique(self.items).tolist()]), partial=False)
        return self if self.may_be_cut and not self._has_rows(wide) else wide

    def _has_rows(self, wide: "Family") -> bool:
        """Return whether the rows that the cells of one wider top stand for have the cells of all tops."""
        try:
            own, rows = self.cells(self.n + 1), wide.cells(self.n + 1)
        except InconsistencyError:
            return False
        sums, cells = np.zeros_like(own.counts), (own.tops, *own.bases.flat)
        kernels.cell_rows.weigh(rows.bases.flat, rows.counts, cells, self.top_itemsets.flat, len(self.labels), sums)
        return int(rows.counts.sum()) == self.n and np.array_equal(sums, own.counts)

    def cells(self, limit: int, threads: int = 1) -> Cells:
        """Return the cells of all tops that hold from 1 to ``limit`` − 1 rows.

        It inverts the closed itemsets within each top (Möbius): a support is the sum of the cells above it, and a row
        meets a closed itemset in a closed one, so no other itemset has a cell.
        """
        parts = [(start, start + AT_ONCE) for start in range(0, self.tops.size, AT_ONCE)]
        _ = self.slots if self.all else (self.trie, self.may_be_cut)  # computed once, before the threads start
        share = min(threads, max(1, len(parts)))
        return Cells.concat(resources.share(lambda start, stop: self._cells(start, stop, limit), parts, share))

    def smallest_cells(self, numbers: Numbers, limit: int) -> tuple[Numbers, Numbers]:
        """Return which of some itemsets, as tops, have a cell below ``limit``, and how many rows it holds."""
        places, _, counts = zip(*self._invert_all(numbers, limit), strict=True)
        return np.concatenate(places), np.concatenate(counts)

    def steps(self, sample: int) -> int:
        """Estimate the steps that ``cells`` takes, one for each itemset within a top, from ``sample`` of the tops."""
        if self.all:
            lengths = self.itemsets.lengths[self.tops]
            return int((lengths << lengths).sum())
        is_open = self._is_open(self.tops)
        closed = self.tops[~is_open]
        chosen = closed[:: max(1, closed.size // sample)]
        met = self._invert(chosen, 0)[3] * closed.size // max(1, chosen.size)
        return met + self.items.size * int(np.count_nonzero(is_open)) // SWEPT

    def _cells(self, start: int, stop: int, limit: int) -> Cells:
        tops = self.itemsets.take(self.tops[start:stop])
        parts = self._invert_all(self.tops[start:stop], limit)
        cells = Cells.concat([build_cells(maps, at.astype(np.int32), counts, tops) for at, maps, counts in parts])
        cells = cells._replace(tops=cells.tops + np.int32(start))
        wrong = np.flatnonzero(cells.counts < 0)
        if wrong.size:
            at = wrong[0]
            base = cells.bases[int(at)]
            message = (
                f"the supports say that {cells.counts[at]} rows hold {base.size} items of an itemset and no other of "
                "it; no rows can have them: check that they are exact, and of closed or of all frequent itemsets"
            )
            top = self.labelled(int(self.tops[cells.tops[at]]))
            raise InconsistencyError(message, "negative", (self.labels[item] for item in base), top)
        return cells

    def _is_open(self, numbers: Numbers) -> NDArray[np.bool_]:
        """Return which of some itemsets may not be closed, or do not fit a word of a bitmap."""
        if self.partial:
            return np.ones(numbers.size, dtype=np.bool_)
        longest = min(self.longest, WORD + 1) if self.may_be_cut else WORD + 1
        return np.asarray(self.itemsets.lengths[numbers] >= longest)

    def _invert_all(self, numbers: Numbers, limit: int) -> Iterator[tuple[Numbers, NDArray[np.uint64], Numbers]]:
        """Yield cells of itemsets, as tops: places in ``numbers``, bitmaps, numbers of rows."""
        if self.all:
            places, maps, counts = kernels.lattice.cells_of_all(
                self.slots, self.offsets, self.items, self.supports, numbers, limit
            )
            yield places, maps[:, None], counts
            return
        is_open = self._is_open(numbers)
        closed, rest = np.flatnonzero(~is_open), np.flatnonzero(is_open)
        places, maps, counts, _ = self._invert(numbers[closed], limit)
        yield closed[places], maps[:, None], counts
        if rest.size:
            width = len(self.labels), max(1, -(-self.longest // WORD))
            order = np.argsort(-self.supports, kind="stable")
            places, maps, counts = kernels.open_tops.cells_of_any(
                *self.itemsets.flat, self.supports, order, numbers[rest], *width, limit
            )
            yield rest[places], maps, counts

    def _invert(self, numbers: Numbers, limit: int) -> tuple[Items, NDArray[np.uint64], Numbers, int]:
        """Return cells of closed itemsets, as tops, and how many steps that took."""
        supports = np.concatenate([self.supports[:1] if self.itemsets.is_rooted else [0], self.supports])
        cells: tuple[Items, NDArray[np.uint64], Numbers, int] = kernels.inversion.cells_of_closed(
            *(self.trie, self.offsets, self.items, supports, np.ascontiguousarray(numbers), len(self.labels), limit)
        )
        return cells


def build_cells(
    maps: NDArray[np.uint64], tops: Items, counts: Numbers, within: Itemsets, place: Numbers | None = None
) -> Cells:
    """Return cells whose bases are bitmaps of the items of tops ``within``, or over the ``place`` of each item."""
    offsets = np.empty(tops.size + 1, dtype=np.int64)
    items = np.empty(int(np.bitwise_count(maps).sum()), dtype=np.int32)
    places = np.empty(0, dtype=np.int64) if place is None else place
    kernels.cells.write_bases(maps, tops, *within.flat, places, offsets, items)
    return Cells(tops, Itemsets(offsets, items), counts)


def build_family(patterns: Patterns) -> Family:
    """Return the family of patterns that are closed, or all frequent ones; refuse a list that no rows can have.

    Frequent itemsets that we mined follow from the closed ones among them. A list from elsewhere may be incomplete, so
    all of it is kept. All n rows hold the empty itemset, whether it is listed or not: n is public.

    >>> from discreet import mine
    >>> family = build_family(mine([["a", "b"], ["a", "b"], ["a"]], min_support=1, kind="frequent"))
    >>> [sorted(family.labelled(top)) for top in family.tops], family.supports.tolist()
    ([['a', 'b']], [3, 2])
    """
    if patterns.kind == "maximal":
        flaw = "maximal itemsets do not tell the supports of their subsets"
        raise InputError(f"{flaw}; give the rows as well, or closed itemsets")
    listed = add_missing_root(patterns)
    if patterns.kind == "frequent":
        return _add_parents(_build_from_frequent(listed), patterns)
    tops = np.flatnonzero(kernels.lattice.find_maximal(listed.offsets, listed.items, len(patterns.labels)))
    family = Family(listed.itemsets, listed.supports, tops, patterns.labels, patterns.n)
    if not patterns.mined:
        _check_closed(family)
    return _add_parents(family, patterns)


def _add_parents(family: Family, patterns: Patterns) -> Family:
    """Return the family with the ancestors of the items of each itemset: the same rows hold them.

    Lists that were cut at a length lack such itemsets, and so do those of programs that drop itemsets with an item and
    its parent. All parts of the wider tops are known: an item's ancestors are a chain, so no part without an item and
    its ancestor is longer than what was listed (docs/hierarchies.md).
    """
    hierarchy, labels = patterns.hierarchy, family.labels
    listed = family.itemsets.weigh(family.supports)
    wider = None if hierarchy is None else close_upward(listed, labels, hierarchy)
    if hierarchy is None or wider is None:
        return family
    if not patterns.mined:
        cut = None if family.all else family.longest if family.may_be_cut else family.longest + 1
        missing, number = find_unlisted(family.itemsets, labels, hierarchy, cut)
        if missing:
            raise _describe_flaw(True, [labels[code] for code in missing], family.labelled(number))  # noqa: FBT003 - one of two
    every = wider.sort(len(labels))
    tops = np.flatnonzero(kernels.lattice.find_maximal(*every.flat, len(labels)))
    return Family(Itemsets(*every.flat), every.weights, tops, labels, family.n, partial=True)


def complete_family(patterns: Patterns) -> Family:
    """Return the family of patterns, in which a missing itemset has support 0 if their minimum support is 1."""
    family = build_family(patterns)
    return family.complete(patterns.max_length) if patterns.min_support == 1 else family


def find_known(itemsets: Itemsets, max_length: int) -> list[list[int]]:
    """Return the largest itemsets with known supports, if longer ones than ``max_length`` were left out, and no others.

    A missing itemset of at most that length has support 0, and so has any that contains it. An itemset of one item more
    whose parts are all listed is unknown, so no known one contains it. Too many of them are a BudgetError.

    >>> find_known(Itemsets.of([[0, 1], [0, 2], [1, 2], [1, 3]]), 2)
    [[0, 1, 3], [0, 2, 3], [1, 2, 3]]
    """
    longest = {tuple(codes.tolist()) for codes in itemsets if codes.size == max_length}
    items, before = np.unique(itemsets.items).tolist(), dict[tuple[int, ...], list[int]]()
    if len(longest) == comb(len(items), max_length):  # none is missing
        return sorted(map(list, longest))
    for codes in sorted(longest):
        before.setdefault(codes[1:], []).append(codes[0])
    # By their last items: the itemsets that avoid all parts of some first items are never more than those in the end.
    pairs = (
        (one, other, end) for end in sorted(before, key=lambda end: end[::-1]) for one, other in _pair(before[end])
    )
    joined = ((one, other, *end) for one, other, end in pairs)
    return avoid(items, (one for one in joined if all(part in longest for part in combinations(one, max_length))))


def _pair(items: Sequence[int]) -> Iterator[tuple[int, int]]:
    return ((one, other) for at, other in enumerate(items) for one in items[:at])


def avoid(items: Iterable[int], parts: Iterable[Iterable[int]]) -> list[list[int]]:
    """Return the largest sets of ``items`` that contain none of the ``parts``, in order; too many are a BudgetError.

    >>> avoid(range(3), [[0, 1]])
    [[0, 2], [1, 2]]
    """
    tops, steps = [frozenset(items)], 0
    for part in map(frozenset, parts):
        steps += len(tops)
        spared = [top for top in tops if not part <= top]
        less = dict.fromkeys(top - {item} for top in tops if part <= top for item in sorted(part))
        tops = spared + [top for top in less if not any(top <= other for other in spared)]
        if len(tops) > MOST_TOPS or steps > MOST_STEPS:
            raise BudgetError(
                "zeros that follow from what is not listed leave more sums open than can be looked at; raise ",
                *(Option("min_support"), " above 1, or give exact supports"),
            )
    return sorted(sorted(top) for top in tops)


def add_missing_root(patterns: Patterns) -> Patterns:
    """Return the patterns with the empty itemset, unless they are closed and all n rows hold another one."""
    if patterns.kind == "closed" and patterns.n in patterns.supports:
        return patterns
    return add_root(patterns)


def add_root(patterns: Patterns) -> Patterns:
    """Return the patterns with the empty itemset, which n rows hold; n is public even if it is not listed."""
    if not len(patterns) or patterns.is_rooted:
        return patterns
    # The empty itemset comes first in dictionary order.
    supports = np.insert(patterns.supports, 0, patterns.n)
    return replace(patterns, itemsets=patterns.itemsets.with_empty(), supports=supports)


def _build_from_frequent(patterns: Patterns) -> Family:
    """Return the family of all frequent itemsets; a subset must be listed, with no smaller support."""
    offsets, items, supports, labels = patterns.offsets, patterns.items, patterns.supports, patterns.labels
    slots = kernels.lattice.index(offsets, items)
    is_open, is_held = np.zeros(supports.size, dtype=np.bool_), np.zeros(supports.size, dtype=np.bool_)
    wrong, number, place = kernels.lattice.check_subsets(slots, offsets, items, supports, is_open, is_held)
    if wrong:
        itemset = patterns.labelled(number)
        raise _describe_flaw(wrong == kernels.lattice.MISSING, itemset[:place] + itemset[place + 1 :], itemset)
    if not patterns.mined:
        return Family(patterns.itemsets, supports, np.flatnonzero(~is_held), labels, patterns.n, all=True)
    closed = np.flatnonzero(~is_open)
    tops = np.flatnonzero(~is_held[closed])
    return Family(patterns.itemsets.take(closed), supports[closed], tops, labels, patterns.n)


def _describe_flaw(missing: bool, subset: list[Label], itemset: list[Label]) -> InconsistencyError:  # noqa: FBT001 - one of two
    """Return the error for a subset that is missing, or has less support."""
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
    """Refuse closed itemsets that lack items of all rows, or whose intersection is not listed."""
    # Where longer itemsets may have been left out, the longest need not be closed.
    cut = family.longest if family.may_be_cut else family.longest + 1
    short = family.itemsets.lengths < cut
    for root in np.flatnonzero(short & (family.supports == family.n))[:1].tolist():
        lacking = np.flatnonzero(short & ~family.itemsets.contain(family.itemsets[root].tolist()))
        if lacking.size:
            other = family.labelled(int(lacking[0]))
            message = (
                f"an itemset of {len(other)} items is listed, though it is not closed: all rows hold other items as "
                "well; list all closed itemsets, and no others"
            )
            raise InconsistencyError(message, "open", family.labelled(root), other)
    one, other = kernels.lattice.find_missing_meet(family.offsets, family.items, cut)
    if one >= 0:
        left, right = family.labelled(one), family.labelled(other)
        message = (
            f"what two closed itemsets of {len(left)} and {len(right)} items have in common is not listed, though it "
            "is closed as well; list all closed itemsets, the one that all rows hold too"
        )
        raise InconsistencyError(message, "missing", set(left) & set(right), left)
