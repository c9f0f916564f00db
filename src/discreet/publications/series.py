"""Series: how the counts of a release differ from those of older ones, and which differences are small."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from heapq import nsmallest
from itertools import chain, combinations, compress, pairwise
from operator import and_
from typing import Final, NamedTuple, TypeAlias

from discreet import kernels
from discreet.data.itemsets import Itemset, Itemsets, Label, sort_labels
from discreet.data.lattice import add_root, complete_family
from discreet.data.patterns import Patterns
from discreet.disclosure.attacks.joint_releases import match_items
from discreet.disclosure.channels import Channel, places
from discreet.errors import InputError
from discreet.runtime import html
from discreet.runtime.resources import as_threads
from discreet.runtime.text import count_of

Bits: TypeAlias = int
"""An itemset, one bit per item, in the order of all labels."""
MOST: Final = 100_000  # most small changes to list; their number is exact in any case
MOST_PARTS: Final = 6  # most older releases to add up in all ways; of more, each is compared alone


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
            return list(_compare_cells(tables[0], tables[1:], len(self.labels))), True
        supports = [old.supports for old in olds]
        common = self.new.supports.keys() & set.intersection(*map(set, supports))
        return [Cell(one, one, sum(old[one] for old in supports), self.new.supports[one]) for one in common], False


def align_releases(new: Patterns, olds: Sequence[Patterns]) -> Releases:
    """Return releases over the same labels; items are the same if their labels, or their texts, are equal."""
    same = [match_items(old.labels, new.labels) for old in olds]
    labels = sort_labels(chain(new.labels, *(names.values() for names in same)))
    code = {label: 1 << place for place, label in enumerate(labels)}
    codes = ({label: code[name] for label, name in names.items()} for names in same)
    return Releases(labels, _read_counts(new, code), tuple(map(_read_counts, olds, codes)))


def _read_counts(patterns: Patterns, code: Mapping[Label, Bits]) -> Counts:
    bits = [code[label] for label in patterns.labels]
    try:
        cells = _read_cells(patterns, bits)
    except InputError:
        cells = None
    rooted = add_root(patterns)
    supports = {0: patterns.n} | dict(zip(_as_bits(rooted.itemsets, bits), rooted.supports.tolist(), strict=True))
    return Counts(cells, supports, sum(bits))


def _read_cells(patterns: Patterns, bits: Sequence[Bits]) -> dict[Bits, dict[Bits, int]]:
    """Return the cells of each top; refuse patterns that do not determine them."""
    if not len(patterns):
        return {0: {0: patterns.n}}
    family = complete_family(patterns)
    tops = _as_bits(family.top_itemsets, bits)
    tables: dict[Bits, dict[Bits, int]] = {top: {} for top in tops}
    cells = family.cells(limit=patterns.n + 1, threads=as_threads(None))
    for top, base, count in zip(cells.tops.tolist(), _as_bits(cells.bases, bits), cells.counts.tolist(), strict=True):
        tables[tops[top]][base] = count
    return tables


def _as_bits(itemsets: Itemsets, bits: Sequence[Bits]) -> list[Bits]:
    items = itemsets.items.tolist()
    return [sum(bits[item] for item in items[start:stop]) for start, stop in pairwise(itemsets.offsets.tolist())]


def _compare_cells(
    new: Mapping[Bits, Mapping[Bits, int]], olds: Sequence[Mapping[Bits, Mapping[Bits, int]]], many: int
) -> Iterator[Cell]:
    """Yield the cells of the largest itemsets that all releases cover; each is a sum of cells of a larger top."""
    for common, (top, *tops) in _find_common(new, olds, many).items():
        after, before = Counter[Bits](), Counter[Bits]()
        for counter, cells in [(after, new[top]), *((before, old[one]) for old, one in zip(olds, tops, strict=True))]:
            for base, count in cells.items():
                counter[base & common] += count
        for base in after.keys() | before.keys():
            yield Cell(base, common, before[base], after[base])


def _find_common(new: Iterable[Bits], olds: Sequence[Iterable[Bits]], many: int) -> dict[Bits, tuple[Bits, ...]]:
    """Return the largest itemsets within a top of each release, with such tops."""
    met: dict[Bits, tuple[Bits, ...]] = {top: (top,) for top in new}
    for old in map(set, olds):
        same = met.keys() & old
        # A top of both needs no partner: most tops of two months are such.
        fewer = [(one, tops) for one, tops in met.items() if one not in same]
        common = {one & other: (*tops, other) for one, tops in fewer for other in old - same}
        common |= {top: (*met[top], top) for top in same}
        is_largest = kernels.lattice.find_maximal(*Itemsets.of(map(places, common)).flat, many).tolist()
        met = dict(compress(common.items(), is_largest))
    return met


@dataclass(frozen=True, slots=True)
class Change:
    """``after`` rows hold every item of ``base`` and no other of ``top``; in an older release ``before`` rows did.

    >>> print(Change(frozenset("ab"), frozenset("abc"), before=12, after=13))
    a ∧ b ∧ ¬c: 1 row more (12 before, 13 now)
    """

    base: Itemset
    top: Itemset
    before: int
    after: int

    def __str__(self) -> str:
        way = "more" if self.count > 0 else "fewer"
        return f"{self.pattern}: {count_of(abs(self.count), 'row')} {way} ({self.before:,} before, {self.after:,} now)"

    @property
    def count(self) -> int:
        """The increase in rows; negative if there are fewer now."""
        return self.after - self.before

    @property
    def pattern(self) -> str:
        """The items that these rows hold and lack, such as ``a ∧ b ∧ ¬c``."""
        return Channel(self.base, self.top, self.after).pattern

    @property
    def lacked(self) -> tuple[Itemset, ...]:
        """The items that these rows lack, each alone."""
        return Channel(self.base, self.top, self.after).lacked


@dataclass(frozen=True, eq=False, repr=False)
class Changes:
    """How many counts that all releases share rose, fell, or changed by 1 to ``k`` − 1 rows.

    ``olds`` are the older releases, whose counts are added up, and ``numbers`` their places among all that were given,
    from 1 on. ``listed`` are the smallest of the ``small`` changes. The counts are the cells of each largest itemset
    that all releases cover. If a release does not determine its cells, ``is_whole`` is False, and the counts are the
    supports that all list. ``items`` is the number of items that all share.

    >>> old = Patterns.from_itemsets([([], 100), (["a"], 50)], n=100)
    >>> new = Patterns.from_itemsets([([], 101), (["a"], 51)], n=101)
    >>> print(*find_changes(new, old, k=5))
    a: 1 row more (50 before, 51 now)
    """

    olds: tuple[Patterns, ...]
    numbers: tuple[int, ...]
    k: int
    rose: int
    fell: int
    small: int
    listed: tuple[Change, ...]
    items: int
    is_whole: bool

    def __len__(self) -> int:
        return len(self.listed)

    def __iter__(self) -> Iterator[Change]:
        return iter(self.listed)

    def __repr__(self) -> str:
        return f"<Changes: {self.rose:,} counts rose, {self.fell:,} fell, {self.small:,} by fewer than {self.k:,} rows>"

    def _repr_html_(self) -> str:
        """Return the smallest changes as a table, for notebooks."""
        shown = self.listed[: html.SHOWN]
        lines = ((change.count, change.before, change.after, change.pattern) for change in shown)
        head = ["difference", "before", "now", "pattern"]
        return html.table(repr(self)[1:-1], head, lines, many=self.small)


def find_changes(new: Patterns, *olds: Patterns, k: int) -> Changes:
    """Return how the counts of a release differ from those of an older one, or from the sum of several.

    If the new rows include the old ones, the differences are the cells of the added rows: whoever has both releases has
    a release of these few as well.
    """
    return _compare(align_releases(new, olds), olds, range(len(olds)), k)


def compare_releases(new: Patterns, olds: Sequence[Patterns], *, k: int, grown: bool) -> tuple[Changes, ...]:
    """Return the changes since each older release, and since several together if few rows are in none of them.

    Several may cover parts, such as the wards of a hospital: then their counts add up to at most the new ones.
    Releases that have ``grown`` into each other are not parts.
    """
    aligned, places = align_releases(new, olds), range(len(olds))
    alone = [_compare(aligned, olds, [place], k) for place in places]
    if grown or not is_followed(olds, grown=grown):
        return tuple(alone)
    groups = (group for size in places[1:] for group in combinations(places, size + 1))
    together = (_compare(aligned, olds, group, k) for group in groups)
    return (*alone, *(one for one in together if one.small and not one.fell))


def is_followed(olds: Sequence[Patterns], *, grown: bool) -> bool:
    """Return whether all combinations of older releases are compared; too many are not."""
    return grown or len(olds) <= MOST_PARTS


def _compare(aligned: Releases, olds: Sequence[Patterns], places: Sequence[int], k: int) -> Changes:
    cells, is_whole = aligned.compare(places)
    small = [cell for cell in cells if 0 < abs(cell.after - cell.before) < k]
    items = reduce(and_, (aligned.olds[place].items for place in places), aligned.new.items)
    listed = (
        Change(aligned.name(base), aligned.name(top), before, after)
        for base, top, before, after in nsmallest(MOST, small, key=_rank)
    )
    return Changes(
        tuple(olds[place] for place in places),
        tuple(place + 1 for place in places),
        k,
        rose=sum(cell.after > cell.before for cell in cells),
        fell=sum(cell.after < cell.before for cell in cells),
        small=len(small),
        listed=tuple(listed),
        items=items.bit_count(),
        is_whole=is_whole,
    )


def _rank(cell: Cell) -> tuple[int, int, int, int]:
    return abs(cell.after - cell.before), cell.top.bit_count(), cell.top, cell.base
