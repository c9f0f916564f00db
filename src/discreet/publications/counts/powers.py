"""Powers: how often each count divides the number of lists of people that give all counts of linked tables."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias

from discreet.data.counts import UNLISTED, WITHOUT, Counts, Dimension
from discreet.publications.counts.equations import Equations, Key, Names
from discreet.publications.counts.populations import Populations

Depths: TypeAlias = dict[str, int]  # how far below the total a cell is, in each attribute that it has
Path: TypeAlias = list[tuple[str, Depths]]  # values of an attribute, each with where it is


@dataclass(eq=False)
class Powers:
    """How lists of people are counted: with z people in a cell, their number has the factor 1 / (z!) ** power.

    The power is 1 for innermost cells and 0 for their sums. If tables share some attributes alone, people are
    divided twice, and the power of the shared totals is -1. In general it is 1 minus the powers of all smaller cells
    that hold the same person, which makes 1 for each cell with those below it (Lauritzen, Graphical models, 4.4, for
    decomposable models). A value of which people may have several is an attribute of its own.

    >>> from discreet.data.counts import Cell, Table
    >>> from discreet.publications.counts.equations import list_equations
    >>> sex, age, ward = (Dimension(name, ("1", "2")) for name in ("sex", "age", "ward"))
    >>> pairs = [("1", "1"), ("1", "2"), ("2", "1"), ("2", "2"), (None, "1"), (None, "2"), (None, None)]
    >>> tables = [Table(*one, tuple(Cell(at, 9, 9) for at in pairs)) for one in (("", (age, sex)), ("2", (ward, sex)))]
    >>> counts = Counts(tuple(tables))
    >>> powers = Powers(counts, list_equations(counts))
    >>> [powers.find(Key("people", frozenset(pairs))) for pairs in ([("age", "1"), ("sex", "2")], [("sex", "2")], [])]
    [1, -1, 0]
    """

    counts: Counts
    equations: Equations
    dimensions: dict[str, Dimension] = field(init=False)
    boxes: frozenset[Key] = field(init=False)
    listed: dict[str, set[Names]] = field(init=False)

    def __post_init__(self) -> None:
        """Collect attributes and cells."""
        self.boxes, self.dimensions, self.listed = frozenset(self.equations.boxes), {}, defaultdict(set)
        for key in self.equations.boxes:
            self.listed[key.counted].add(key.names)
        for one in (one for table in Populations(self.counts.tables).tables for one in table.dimensions):
            known = self.dimensions.get(one.name, one)
            self.dimensions[one.name] = Dimension(
                one.name,
                tuple(dict.fromkeys((*known.values, *one.values))),
                {**known.parents, **one.parents},
                known.overlapping or one.overlapping,
                known.cut or one.cut,
                {**known.unions, **one.unions},
            )

    def find(self, key: Key) -> int:
        """Return the power of a cell."""
        powers, box = list[tuple[Depths, int]](), self.equations.boxes[self.equations.index[key]]
        for depths in sorted(self._list_below(box), key=lambda one: -sum(one.values())):
            powers.append((depths, 1 - sum(power for other, power in powers if _is_below(other, depths))))
        return powers[-1][1]

    def _list_below(self, key: Key) -> Iterator[Depths]:
        """Yield where the cells are that hold some person in a cell, beginning with that cell itself."""
        for names in self.listed[key.counted]:
            if key.names <= names:
                yield from self._follow(key, names)

    def _follow(self, key: Key, names: Names) -> Iterator[Depths]:
        """Yield where the cells with some attributes are that hold one and the same person."""
        for path in product(*(self._list_values(self.dimensions[name], key.value(name)) for name in names)):
            values = frozenset(zip(names, (value for value, _ in path), strict=True))
            if Key(key.counted, values) in self.boxes:
                yield {name: at for _, depths in path for name, at in depths.items()}

    def _list_values(self, one: Dimension, value: str | None) -> Path:
        """Return a value, and the first one below it, below that, and so on; of those people may have, all below it."""
        path: Path = [] if value is None else [(value, self._find_depths(one, value))]
        if one.overlapping:
            queue = [value]
            for above in queue:  # which grows meanwhile
                values = [each for each in one.children(above) if each != UNLISTED]
                path += [(each, self._find_depths(one, each)) for each in values]
                queue += values
            return path
        while below := one.children(path[-1][0] if path else None):
            path.append((below[0], {one.name: len(path) + 1}))
        return path

    @staticmethod
    def _find_depths(one: Dimension, value: str) -> Depths:
        """Return where a value is that a cell has: it does not matter how many broader ones there are."""
        if not one.overlapping:
            return {one.name: 1}
        last = value.rpartition(WITHOUT)[2]
        return {f"{one.name}{WITHOUT}{above}": 1 for above in one.climb(last)}


def _is_below(depths: Depths, above: Depths) -> bool:
    """Return whether a cell is at or below another one."""
    return all(depths.get(name, 0) >= depth for name, depth in above.items())
