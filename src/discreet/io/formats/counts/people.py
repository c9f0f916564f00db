"""Who is counted: tables of counts that do not say so are of the same people wherever their sums allow it.

That is what a reader tries first, and what is safe to assume: with a sum too many, a count may be called known that is
not; with one that is missed, a count passes that a reader can work out.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Final

from discreet.data.counts import State, Table, Values, name_values
from discreet.data.reading import LeftOut
from discreet.io.marks import Limits

BAND: Final = re.compile(
    r"\W*(\d{1,9})(?:\.\d+)?(?:\+|(?:\s*(?:-|–|,|to)\s*)\d{1,9}(?:\.\d+)?\W?)"
)  # 20-24, [20, 25), 65+


@dataclass(frozen=True, eq=False)
class Sums:
    """What the counts of a table add up to.

    >>> from discreet.data.counts import Cell, Dimension
    >>> cells = Cell(("f",), 20, 20), Cell(("m",), 0, 9, State.MASKED)
    >>> Sums(Table("by sex", (Dimension("sex", ("f", "m")),), cells)).total
    (20, 29)
    """

    table: Table
    known: dict[frozenset[str], dict[Values, Limits]] = field(default_factory=dict)

    @cached_property
    def shown(self) -> dict[Values, Limits]:
        """The limits of each count, by its values."""
        return {name_values(self.table.names, cell.at): (cell.low, cell.high) for cell in self.table.cells}

    @property
    def total(self) -> Limits:
        """The limits of the number of people."""
        return self.limit(frozenset()).get(frozenset(), (0, 0))

    @property
    def has_masks(self) -> bool:
        """Whether counts are masked or rounded."""
        return any(cell.state is not State.EXACT for cell in self.table.cells)

    def add_up(self, names: frozenset[str]) -> dict[Values, Limits]:
        """Return the limits of the sums of the inner cells for all values of some attributes."""
        if names not in self.known:
            sums = self.known[names] = dict[Values, Limits]()
            for values, (low, high) in self.shown.items():
                if len(values) == len(self.table.names):
                    at = frozenset(pair for pair in values if pair[0] in names)
                    least, most = sums.get(at, (0, 0))
                    sums[at] = least + low, most + high
        return self.known[names]

    def limit(self, names: frozenset[str]) -> dict[Values, Limits]:
        """Return the limits of the counts for all values of some attributes, as shown or as they add up."""
        return {at: self.shown.get(at, limits) for at, limits in self.add_up(names).items()}

    def fits_in(self, other: "Sums") -> bool:
        """Return whether all people of this table may be among those of another one."""
        common = frozenset(self.table.names) & frozenset(other.table.names)
        known = other.limit(common)
        return all(low <= known.get(at, (0, 0))[1] for at, (low, _) in self.limit(common).items())

    def fits(self, other: "Sums") -> bool:
        """Return whether two tables may be of the same people."""
        return self.fits_in(other) and other.fits_in(self)


def tell_codings_apart(tables: Sequence[Table]) -> tuple[list[Table], list[LeftOut]]:
    """Return tables in which an attribute has the same values wherever it is called the same, and what was renamed.

    A table may lack values, such as those that nobody has. If each of two tables has values that the other lacks, their
    attributes may be coded otherwise, such as ages in other bands: they are two attributes, of the same people or not.

    >>> from discreet.data.counts import Dimension
    >>> bands = ("0-17", "18-64", "65+"), ("18-64", "65+"), ("0-39", "40+")
    >>> tables = [Table(str(at), (Dimension("age", one),), ()) for at, one in enumerate(bands)]
    >>> [table.names for table in tell_codings_apart(tables)[0]]
    [('age',), ('age',), ('age of 2',)]
    """
    codings, told, doubts = dict[str, list[tuple[str, set[str]]]](), list[Table](), list[LeftOut]()
    for table in tables:
        dimensions = []
        for one in table.dimensions:
            known, own = codings.setdefault(one.name, []), {*one.values}
            fitting = [coding for coding in known if own <= coding[1] or own >= coding[1]]
            name, values = fitting[0] if fitting else (f"{one.name} of {table.name}" if known else one.name, set())
            if not fitting:
                known.append((name, values))
            values |= own
            dimensions.append(replace(one, name=name))
            if name != one.name:
                doubts.append(LeftOut(name, "its values are not those of other tables"))
        told.append(replace(table, dimensions=tuple(dimensions)))
    edges = {name: _list_edges(values) for known in codings.values() for name, values in known}
    for first, second in combinations([name for name in edges if name in codings], 2):
        if edges[first] and edges[second] and (edges[first] <= edges[second] or edges[first] >= edges[second]):
            doubts.append(LeftOut(f"{first} beside {second}", "they may be the same in other bands"))
    return told, doubts


def _list_edges(values: set[str]) -> set[int]:
    """Return where bands of numbers begin; nothing if a value is no band, but for one.

    >>> sorted(_list_edges({"20-24", "[25, 30)", "30+", "nan"})), _list_edges({"2024", "2025"})
    ([20, 25, 30], set())
    """
    bands = [match for match in map(BAND.fullmatch, values) if match]
    return {int(match[1]) for match in bands} if len(bands) > 1 and len(bands) + 1 >= len(values) else set()


def tell_apart(tables: Sequence[Table], people: Sequence[str]) -> tuple[list[Table], list[LeftOut]]:
    """Return tables with who is counted in each, and what a person must look at because it cannot be told.

    A table is of the same people as others that it fits, one and all; tables whose totals are known best come first.
    One that fits no others is of people of its own, as where values are missing. They are called as in ``people``, and
    are among those of larger tables if they can be. Readers may know more than sums tell, as that a table is of the ill
    alone: it is a doubt where people are not all among others, and where counts are masked beside other people's.
    """
    told, doubts = tell_codings_apart(tables)
    sums, groups, beside = [Sums(table) for table in told], list[list[int]](), dict[str, str]()

    def spread(at: int) -> tuple[int, int]:
        low, high = sums[at].total
        return high - low, -low

    for at in sorted(range(len(tables)), key=spread):
        fitting = [group for group in groups if all(sums[at].fits(sums[other]) for other in group)]
        if len(fitting) > 1:
            beside[tables[at].name] = "it may count the people of any of them"
        if fitting:
            fitting[0].append(at)
        else:
            groups.append([at])
    groups.sort(key=lambda group: -max(sums[at].total[0] for at in group))
    for number, group in enumerate(groups):
        masked = [tables[at].name for at in sorted(group) if sums[at].has_masks]
        if masked and len(groups) > 1:
            beside.setdefault(masked[0], "together they may reveal its masked counts")
        larger = [
            told[one[0]].counted
            for one in groups[:number]
            if all(sums[at].fits_in(sums[other]) for at in group for other in one)
        ]
        if number and not larger:
            beside.setdefault(tables[min(group)].name, "some of its people may be counted there too")
        for at in group if number else ():
            told[at] = replace(told[at], counted=people[min(group)], within=larger[-1] if larger else None)
    return told, [*doubts, *(LeftOut(f"{name} beside others", why) for name, why in beside.items())]
