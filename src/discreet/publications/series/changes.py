"""Changes: what a release tells together with older ones, by the differences of the counts that all tell."""

from collections.abc import Sequence
from heapq import nsmallest
from itertools import combinations
from typing import Final

from discreet.data.patterns import Patterns
from discreet.publications.series.change import Change, Changes
from discreet.publications.series.release_cells import Cell, Releases, releases

MOST: Final = 100_000
"""So many small changes are listed at most; how many there are is told in any case."""
MOST_PARTS: Final = 6
"""So many older releases are summed up in all ways; of more, only each alone is compared."""


def changes(new: Patterns, *olds: Patterns, k: int) -> Changes:
    """Return how the counts of a release differ from those of an older one, or from the sum of several.

    If the rows of the old release are among those of the new, the difference of a cell is the cell of the rows that
    were added: whoever has both releases has a release of these few as well.
    """
    return _changes(releases(new, olds), olds, range(len(olds)), k)


def compared(new: Patterns, olds: Sequence[Patterns], *, k: int, grown: bool) -> tuple[Changes, ...]:
    """Return the changes since each older release; and since several, where few rows are in none of these.

    Several may be of parts, such as the wards of a hospital: then their counts add up to no more than the new ones.
    Releases that have ``grown`` into each other are no parts.
    """
    told, places = releases(new, olds), range(len(olds))
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
