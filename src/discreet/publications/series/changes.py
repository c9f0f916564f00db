"""Changes: how counts differ between a release and older ones, and which differences are small."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import combinations
from typing import Final

from discreet.data.labels import Itemset
from discreet.data.patterns import Patterns
from discreet.disclosure.channels import Channel
from discreet.publications.series.release_cells import Cell, Releases, align_releases
from discreet.runtime import html
from discreet.runtime.text import count_of


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

    >>> from discreet.publications.series.changes import find_changes
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


MOST: Final = 100_000
"""Most small changes to list; their number is exact in any case."""
MOST_PARTS: Final = 6
"""Most older releases to add up in all ways; if there are more, each is compared alone."""


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
    items = aligned.new.items
    for place in places:
        items &= aligned.olds[place].items
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
