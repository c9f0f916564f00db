"""Coarsening: tables without some levels of a hierarchy, or with values merged into one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from discreet.blocking.tables.problem import key_of
from discreet.data.counts import Cell, Coordinates, Counts, Dimension, State, Table
from discreet.publications.counts.equations import Key

Node: TypeAlias = tuple[str, str | None]  # an attribute and a value of it; None for all of its values
Known: TypeAlias = Mapping[Key, int]  # counts that are shown, or follow exactly


class CannotMergeError(Exception):
    """Values cannot be merged, as a count of them is not known exactly."""


@dataclass(frozen=True)
class Coarsening:
    """Nodes whose children are left out, and groups of values of an attribute that are merged into one."""

    cut: frozenset[Node] = frozenset()
    merged: frozenset[tuple[str, tuple[str, ...]]] = frozenset()

    def leave_out(self, node: Node) -> "Coarsening":
        """Return a coarsening that also leaves out the children of a node."""
        name, value = node
        merged = self.merged if value is not None else frozenset(one for one in self.merged if one[0] != name)
        return Coarsening(self.cut | {node}, merged)

    def merge(self, dimension: Dimension, value: str) -> "Coarsening | None":
        """Return a coarsening that also merges a value with the next one in the list, or the last with the one before.

        If only two are left, nothing is gained by one that stands for all.
        """
        groups = self.list_groups(dimension)
        if len(groups) <= 2 or dimension.overlapping or dimension.parents:  # noqa: PLR2004 - as said above
            return None
        at = next(number for number, group in enumerate(groups) if value in group)
        first = min(at, len(groups) - 2)
        pair = groups[first], groups[first + 1]
        others = frozenset(one for one in self.merged if one[0] != dimension.name or one[1] not in pair)
        return Coarsening(self.cut, others | {(dimension.name, (*pair[0], *pair[1]))})

    def list_groups(self, dimension: Dimension) -> list[tuple[str, ...]]:
        """Return the values of an attribute, those that are merged together."""
        own = {value: group for name, group in self.merged if name == dimension.name for value in group}
        return list(dict.fromkeys(own.get(value, (value,)) for value in dimension.values))


def coarsen(counts: Counts, coarsening: Coarsening, known: Known) -> Counts:
    """Return coarser tables; merged counts are sums of exact ones.

    >>> age = Dimension("age", ("18–29", "30–39", "40–49"))
    >>> cells = tuple(Cell((value,), n, n) for value, n in zip((None, *age.values), (99, 3, 40, 56), strict=True))
    >>> table = Table("by age", (age,), cells)
    >>> exact = {key_of(table, cell.at): cell.low for cell in cells}
    >>> coarser = Coarsening().merge(age, "18–29")
    >>> [(cell.at, cell.low) for cell in coarsen(Counts((table,)), coarser, exact)]
    [((None,), 99), (('18–29 or 30–39',), 43), (('40–49',), 56)]
    """
    tables = (_Coarser(table, coarsening, known).make() for table in counts.tables)
    return replace(counts, tables=tuple(table for table in tables if table.cells))


class _Coarser(NamedTuple):
    table: Table
    coarsening: Coarsening
    known: Known

    def make(self) -> Table:
        """Return the coarser table."""
        table, kept = self.table, [(one.name, None) not in self.coarsening.cut for one in self.table.dimensions]
        names = [dict(self._rename(one)) for one in table.dimensions]
        merged = {name for name, _ in self.coarsening.merged}
        if table.absent is not None and merged.intersection(table.names):  # several that are left out may not be small
            raise CannotMergeError
        found: dict[Coordinates, list[Cell]] = {}
        for cell in table.cells:
            at = self._move(cell.at, names, kept)
            if at is not None:
                found.setdefault(at, []).append(cell)
        dimensions = tuple(self._cut(one, names[at]) for at, one in enumerate(table.dimensions) if kept[at])
        cells = tuple(self._add_up(at, own, names, kept) for at, own in found.items())
        moved = ((one, self._move(one.part, names, kept), self._move(one.whole, names, kept)) for one in table.ratios)
        ratios = tuple(
            one._replace(part=part, whole=whole)
            for one, part, whole in moved
            if part is not None and whole is not None and len(found.get(part, "..")) == len(found.get(whole, "..")) == 1
            if not any(self._is_merged(at) for at in (one.part, one.whole))
        )
        return replace(table, dimensions=dimensions, cells=cells, ratios=ratios)

    def _rename(self, dimension: Dimension) -> Iterator[tuple[str, str]]:
        """Yield the values of an attribute that stay, each with its new name."""
        groups = {value: group for group in self.coarsening.list_groups(dimension) for value in group}
        for value in dict.fromkeys((*dimension.values, *dimension.parents.values())):
            if not any((dimension.name, above) in self.coarsening.cut for above in _climb(dimension, value)):
                yield value, " or ".join(groups.get(value, (value,)))

    def _move(self, at: Coordinates, names: list[dict[str, str]], kept: list[bool]) -> Coordinates | None:
        """Return where a cell moves; None if it is left out."""
        places = list(zip(at, names, kept, strict=True))
        if any(value is not None and not (stays and value in own) for value, own, stays in places):
            return None
        return tuple(None if value is None else own[value] for value, own, stays in places if stays)

    def _cut(self, dimension: Dimension, names: dict[str, str]) -> Dimension:
        values = tuple(dict.fromkeys(names[value] for value in dimension.values if value in names))
        parents = {value: parent for value, parent in dimension.parents.items() if value in names}
        return replace(dimension, values=values, parents=parents)

    def _is_merged(self, at: Coordinates) -> bool:
        merged = {(name, value) for name, group in self.coarsening.merged for value in group}
        return any(pair in merged for pair in zip(self.table.names, at, strict=True))

    def _add_up(self, at: Coordinates, cells: list[Cell], names: list[dict[str, str]], kept: list[bool]) -> Cell:
        """Return the sum of cells that become one; each of them must be known."""
        if not any(self._is_merged(cell.at) for cell in cells):
            return cells[0]._replace(at=at)
        wanted = 1
        for one, own, place in zip(self.table.dimensions, names, range(len(kept)), strict=True):
            value = cells[0].at[place]
            wanted *= 1 if value is None else sum(other == own[value] for other in own.values())
            wanted = 0 if value is not None and one.overlapping and self._is_merged(cells[0].at) else wanted
        numbers = [self.known.get(key_of(self.table, cell.at)) for cell in cells]
        if len(cells) != wanted or None in numbers:
            raise CannotMergeError
        total = sum(number for number in numbers if number is not None)
        return Cell(at, total, total, State.EXACT, cells[0].place)


def _climb(dimension: Dimension, value: str) -> Iterator[str | None]:
    """Yield what is above a value, up to all values."""
    above = dimension.parents.get(value)
    while above is not None:
        yield above
        above = dimension.parents.get(above)
    yield None
