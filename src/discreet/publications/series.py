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

Mask: TypeAlias = int
"""An itemset, one bit per item, in the order of all labels."""
Cell: TypeAlias = tuple[Mask, Mask, int, int]
"""A base and a top, and how many rows hold every item of the base and no other of the top, before and after."""
MOST: Final = 100_000  # most small changes to list; their number is exact in any case
MOST_PARTS: Final = 6  # most older releases to add up in all ways; of more, each is compared alone


class ReleaseCounts(NamedTuple):
    """A release, its number in the series, and its counts by the labels of all releases.

    The ``cells`` of each top are None if the release does not determine them; ``items`` are all its items.
    """

    patterns: Patterns
    number: int
    cells: dict[Mask, dict[Mask, int]] | None
    supports: dict[Mask, int]
    items: Mask


def align_releases(new: Patterns, olds: Sequence[Patterns]) -> tuple[tuple[Label, ...], list[ReleaseCounts]]:
    """Return all labels, and the releases by these; items are the same if their labels, or their texts, are equal."""
    names = [dict(zip(new.labels, new.labels, strict=True)), *(match_items(old.labels, new.labels) for old in olds)]
    labels = sort_labels(chain.from_iterable(one.values() for one in names))
    code = {label: 1 << place for place, label in enumerate(labels)}
    return labels, [
        _count_release(patterns, number, [code[name[label]] for label in patterns.labels])
        for number, (patterns, name) in enumerate(zip([new, *olds], names, strict=True))
    ]


def _count_release(patterns: Patterns, number: int, bits: Sequence[Mask]) -> ReleaseCounts:
    try:
        cells = _read_cells(patterns, bits)
    except InputError:
        cells = None
    rooted = add_root(patterns)
    supports = {0: patterns.n} | dict(zip(_as_bits(rooted.itemsets, bits), rooted.supports.tolist(), strict=True))
    return ReleaseCounts(patterns, number, cells, supports, sum(bits))


def _read_cells(patterns: Patterns, bits: Sequence[Mask]) -> dict[Mask, dict[Mask, int]]:
    """Return the cells of each top; refuse patterns that do not determine them."""
    if not len(patterns):
        return {0: {0: patterns.n}}
    family = complete_family(patterns)
    tops = _as_bits(family.top_itemsets, bits)
    tables: dict[Mask, dict[Mask, int]] = {top: {} for top in tops}
    cells = family.cells(limit=patterns.n + 1, threads=as_threads(None))
    for top, base, count in zip(cells.tops.tolist(), _as_bits(cells.bases, bits), cells.counts.tolist(), strict=True):
        tables[tops[top]][base] = count
    return tables


def _as_bits(itemsets: Itemsets, bits: Sequence[Mask]) -> list[Mask]:
    items = itemsets.items.tolist()
    return [sum(bits[item] for item in items[start:stop]) for start, stop in pairwise(itemsets.offsets.tolist())]


def _compare_cells(
    new: Mapping[Mask, Mapping[Mask, int]], olds: Sequence[Mapping[Mask, Mapping[Mask, int]]], many: int
) -> Iterator[Cell]:
    """Yield the cells of the largest itemsets that all releases cover.

    A release covers all subsets of its tops, so the itemsets that all cover are the subsets of the largest ones; the
    cells of smaller ones are sums of theirs.
    """
    for common, (top, *tops) in _find_common(new, olds, many).items():
        after, before = Counter[Mask](), Counter[Mask]()
        for counter, cells in [(after, new[top]), *((before, old[one]) for old, one in zip(olds, tops, strict=True))]:
            for base, count in cells.items():
                counter[base & common] += count
        yield from ((base, common, before[base], after[base]) for base in after.keys() | before.keys())


def _find_common(new: Iterable[Mask], olds: Sequence[Iterable[Mask]], many: int) -> dict[Mask, tuple[Mask, ...]]:
    """Return the largest itemsets within a top of each release, with such tops."""
    met: dict[Mask, tuple[Mask, ...]] = {top: (top,) for top in new}
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
    >>> print(*compare_releases(new, [old], k=5, grown=True)[0])
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

    def __getitem__(self, place: int) -> Change:
        return self.listed[place]

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


def compare_releases(new: Patterns, olds: Sequence[Patterns], *, k: int, grown: bool) -> tuple[Changes, ...]:
    """Return the changes since each older release, and since several together if few rows are in none of them.

    Several may cover parts, such as the wards of a hospital: then their counts add up to at most the new ones.
    Releases that have ``grown`` into each other are not parts.
    """
    labels, (newest, *older) = align_releases(new, olds)
    alone = [find_changes(labels, newest, [old], k) for old in older]
    if grown or not is_followed(olds, grown=grown):
        return tuple(alone)
    groups = chain.from_iterable(combinations(older, size) for size in range(2, len(older) + 1))
    together = (find_changes(labels, newest, group, k) for group in groups)
    return (*alone, *(one for one in together if one.small and not one.fell))


def is_followed(olds: Sequence[Patterns], *, grown: bool) -> bool:
    """Return whether all combinations of older releases are compared; too many are not."""
    return grown or len(olds) <= MOST_PARTS


def find_changes(labels: Sequence[Label], new: ReleaseCounts, olds: Sequence[ReleaseCounts], k: int) -> Changes:
    """Return how the counts of a release differ from those of an older one, or from the sum of several.

    If the new rows include the old ones, the differences are the cells of the added rows: whoever has both releases has
    a release of these few as well.
    """
    tables = [one.cells for one in (new, *olds) if one.cells is not None]
    is_whole = len(tables) > len(olds)
    if is_whole:
        cells = list(_compare_cells(tables[0], tables[1:], len(labels)))
    else:
        common = new.supports.keys() & set.intersection(*(set(old.supports) for old in olds))
        cells = [(one, one, sum(old.supports[one] for old in olds), new.supports[one]) for one in common]
    small = [cell for cell in cells if 0 < abs(cell[3] - cell[2]) < k]
    listed = (
        Change(_name(base, labels), _name(top, labels), before, after)
        for base, top, before, after in nsmallest(MOST, small, key=_rank)
    )
    return Changes(
        tuple(old.patterns for old in olds),
        tuple(old.number for old in olds),
        k,
        rose=sum(after > before for _, _, before, after in cells),
        fell=sum(after < before for _, _, before, after in cells),
        small=len(small),
        listed=tuple(listed),
        items=reduce(and_, (old.items for old in olds), new.items).bit_count(),
        is_whole=is_whole,
    )


def _name(itemset: Mask, labels: Sequence[Label]) -> Itemset:
    return frozenset(labels[place] for place in places(itemset))


def _rank(cell: Cell) -> tuple[int, int, int, int]:
    base, top, before, after = cell
    return abs(after - before), top.bit_count(), top, base
