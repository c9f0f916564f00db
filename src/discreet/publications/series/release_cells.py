"""Releases side by side: the cells of their tops and their listed supports, over the same items."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import NamedTuple, TypeAlias

from discreet import kernels
from discreet.data.itemsets import Itemsets
from discreet.data.labels import Itemset, Label, sort_labels
from discreet.data.lattice import add_root, complete_family
from discreet.data.patterns import Patterns
from discreet.disclosure.attacks.joint_releases import match_items
from discreet.disclosure.channels import places
from discreet.errors import InputError
from discreet.runtime.resources import as_threads

Bits: TypeAlias = int
"""An itemset, one bit per item, in the order of all labels."""


class Cell(NamedTuple):
    """How many rows hold every item of ``base`` and no other of ``top``, before and after."""

    base: Bits
    top: Bits
    before: int
    after: int


class Counts(NamedTuple):
    """The counts of a release: the cells of each top, None if it does not determine them; its supports; its items."""

    cells: dict[Bits, dict[Bits, int]] | None
    supports: dict[Bits, int]
    items: Bits


@dataclass(frozen=True)
class Releases:
    """A new release and older ones by the same labels."""

    labels: tuple[Label, ...]
    new: Counts
    olds: tuple[Counts, ...]

    def name(self, itemset: Bits) -> Itemset:
        """Return an itemset by its labels."""
        return frozenset(self.labels[place] for place in places(itemset))

    def compare(self, numbers: Iterable[int]) -> tuple[list[Cell], bool]:
        """Return the counts that the new release shares with some older ones, and whether they are cells.

        The counts of the older ones are added up. A release covers all subsets of its tops, so the itemsets that all
        cover are the subsets of the largest ones; the cells of smaller ones are sums of theirs.
        """
        olds = [self.olds[number] for number in numbers]
        tables = [one.cells for one in (self.new, *olds) if one.cells is not None]
        if len(tables) > len(olds):
            return list(_cells(tables[0], tables[1:], len(self.labels))), True
        return list(_supports(self.new.supports, [old.supports for old in olds])), False


def align_releases(new: Patterns, olds: Sequence[Patterns]) -> Releases:
    """Return releases over the same labels; items are the same if their labels, or their texts, are equal."""
    same = [match_items(old.labels, new.labels) for old in olds]
    labels = sort_labels(chain(new.labels, *(names.values() for names in same)))
    code = {label: 1 << place for place, label in enumerate(labels)}
    codes = ({label: code[name] for label, name in names.items()} for names in same)
    return Releases(labels, _count(new, code), tuple(map(_count, olds, codes)))


def _count(patterns: Patterns, code: Mapping[Label, Bits]) -> Counts:
    bits = [code[label] for label in patterns.labels]
    try:
        cells = _tables(patterns, bits)
    except InputError:
        cells = None
    rooted = add_root(patterns)
    itemsets = _as_bits(rooted.offsets.tolist(), rooted.items.tolist(), bits)
    supports = {0: patterns.n} | dict(zip(itemsets, rooted.supports.tolist(), strict=True))
    return Counts(cells, supports, sum(bits))


def _tables(patterns: Patterns, bits: Sequence[Bits]) -> dict[Bits, dict[Bits, int]]:
    """Return the cells of each top; refuse patterns that do not determine them."""
    if not len(patterns):
        return {0: {0: patterns.n}}
    family = complete_family(patterns)
    offsets, items = family.top_itemsets.flat
    tops = _as_bits(offsets.tolist(), items.tolist(), bits)
    tables: dict[Bits, dict[Bits, int]] = {top: {} for top in tops}
    cells = family.cells(limit=patterns.n + 1, threads=as_threads(None))
    bases = _as_bits(cells.offsets.tolist(), cells.items.tolist(), bits)
    for top, base, count in zip(cells.tops.tolist(), bases, cells.counts.tolist(), strict=True):
        tables[tops[top]][base] = count
    return tables


def _cells(
    new: Mapping[Bits, Mapping[Bits, int]], olds: Sequence[Mapping[Bits, Mapping[Bits, int]]], many: int
) -> Iterator[Cell]:
    """Yield the cells of the largest itemsets that all releases cover; each is a sum of cells of a larger top."""
    for top, (one, *others) in _common(new, olds, many).items():
        after, before = _within(top, new[one]), Counter[Bits]()
        for old, other in zip(olds, others, strict=True):
            before.update(_within(top, old[other]))
        for base in after.keys() | before.keys():
            yield Cell(base, top, before[base], after[base])


def _supports(new: Mapping[Bits, int], olds: Sequence[Mapping[Bits, int]]) -> Iterator[Cell]:
    """Yield the supports that all releases list, as cells that lack nothing."""
    for itemset in new.keys() & set.intersection(*(set(old) for old in olds)):
        yield Cell(itemset, itemset, sum(old[itemset] for old in olds), new[itemset])


def _common(new: Iterable[Bits], olds: Sequence[Iterable[Bits]], many: int) -> dict[Bits, tuple[Bits, ...]]:
    """Return the largest itemsets within a top of each release, with such tops."""
    met: dict[Bits, tuple[Bits, ...]] = {top: (top,) for top in new}
    for old in map(set, olds):
        same = met.keys() & old
        # A top of both needs no partner: most tops of two months are such.
        fewer = [(one, tops) for one, tops in met.items() if one not in same]
        met = {one & other: (*tops, other) for one, tops in fewer for other in old - same} | {
            top: (*met[top], top) for top in same
        }
        met = {itemset: met[itemset] for itemset in _largest(list(met), many)}
    return met


def _largest(itemsets: Sequence[Bits], many: int) -> Iterator[Bits]:
    """Yield the itemsets that no other one contains."""
    is_largest = kernels.lattice.find_maximal(*Itemsets.of(map(places, itemsets)).flat, many).tolist()
    return (itemset for itemset, is_one in zip(itemsets, is_largest, strict=True) if is_one)


def _within(top: Bits, cells: Mapping[Bits, int]) -> Counter[Bits]:
    """Return the cells of an itemset, from those of a larger one."""
    table: Counter[Bits] = Counter()
    for base, count in cells.items():
        table[base & top] += count
    return table


def _as_bits(offsets: Sequence[int], items: Sequence[int], bits: Sequence[Bits]) -> list[Bits]:
    return [sum(bits[item] for item in items[start:stop]) for start, stop in pairwise(offsets)]
