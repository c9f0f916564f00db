"""Changes: what a release tells together with older ones, by the differences of the counts that all tell."""

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
    """``after`` rows hold every item of ``base`` and no other of ``top``, and by an older release ``before`` did.

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
        """How many rows more there are now; below 0, how many fewer."""
        return self.after - self.before

    @property
    def pattern(self) -> str:
        """What these rows hold and what they do not, such as ``a ∧ b ∧ ¬c``."""
        return Channel(self.base, self.top, self.after).pattern

    @property
    def lacked(self) -> tuple[Itemset, ...]:
        """The items that these rows do not hold, each alone."""
        return Channel(self.base, self.top, self.after).lacked


@dataclass(frozen=True, eq=False, repr=False)
class Changes:
    """How the counts that releases all tell differ: how many rose, fell, or changed by 1 to ``k`` − 1 rows.

    ``olds`` are older releases, whose counts are summed up where there are several, and ``numbers`` their places among
    all that were given, from 1 on. Of the ``small`` changes the ``listed`` are the smallest. The counts are cells: of
    each largest itemset that all the releases tell of, and each base within it. Where the cells of one cannot be told,
    ``is_whole`` is False, and the counts are the supports that all list. ``items`` is how many items all tell of.

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
"""So many small changes are listed at most; how many there are is told in any case."""
MOST_PARTS: Final = 6
"""So many older releases are summed up in all ways; of more, only each alone is compared."""


def find_changes(new: Patterns, *olds: Patterns, k: int) -> Changes:
    """Return how the counts of a release differ from those of an older one, or from the sum of several.

    If the rows of the old release are among those of the new, the difference of a cell is the cell of the rows that
    were added: whoever has both releases has a release of these few as well.
    """
    return _changes(align_releases(new, olds), olds, range(len(olds)), k)


def compare_releases(new: Patterns, olds: Sequence[Patterns], *, k: int, grown: bool) -> tuple[Changes, ...]:
    """Return the changes since each older release; and since several, where few rows are in none of these.

    Several may be of parts, such as the wards of a hospital: then their counts add up to no more than the new ones.
    Releases that have ``grown`` into each other are no parts.
    """
    told, places = align_releases(new, olds), range(len(olds))
    alone = [_changes(told, olds, [place], k) for place in places]
    if grown or not is_followed(olds, grown=grown):
        return tuple(alone)
    groups = (group for size in places[1:] for group in combinations(places, size + 1))
    together = (_changes(told, olds, group, k) for group in groups)
    return (*alone, *(one for one in together if one.small and not one.fell))


def is_followed(olds: Sequence[Patterns], *, grown: bool) -> bool:
    """Return whether all that older releases tell together is looked at: of too many it is not."""
    return grown or len(olds) <= MOST_PARTS


def _changes(told: Releases, olds: Sequence[Patterns], places: Sequence[int], k: int) -> Changes:
    found, is_whole = told.compared(places)
    small = [cell for cell in found if 0 < abs(cell.after - cell.before) < k]
    items = told.new.items
    for place in places:
        items &= told.olds[place].items
    listed = (
        Change(told.named(base), told.named(top), before, after)
        for base, top, before, after in nsmallest(MOST, small, key=_rank)
    )
    return Changes(
        tuple(olds[place] for place in places),
        tuple(place + 1 for place in places),
        k,
        rose=sum(cell.after > cell.before for cell in found),
        fell=sum(cell.after < cell.before for cell in found),
        small=len(small),
        listed=tuple(listed),
        items=items.bit_count(),
        is_whole=is_whole,
    )


def _rank(cell: Cell) -> tuple[int, int, int, int]:
    return abs(cell.after - cell.before), cell.top.bit_count(), cell.top, cell.base
