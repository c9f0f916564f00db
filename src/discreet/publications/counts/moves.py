"""Moves: changes of counts that keep every sum, and lead from one table of whole numbers that fits to many others."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.publications.counts.parts import Part
from discreet.runtime.solver import Numbers, Program, Terms

SEED: Final = 1
STEPS: Final = 100_000  # of one walk


@dataclass(frozen=True, eq=False)
class Truth:
    """The true counts, if the owner of the data asks, and ``moves`` that were found: numbers of cells, and changes.

    A move leads to other tables wherever all counts that it changes are masked, whichever others are.
    """

    counts: Numbers
    moves: list[tuple[Numbers, Numbers]] = field(default_factory=list)


@dataclass(eq=False)
class Moves:
    """Moves of a part, each of which leads from one table to another within the limits ``low`` and ``high``.

    >>> rows, columns = np.repeat([0, 1], 2), np.array([0, 1, 0, 1])
    >>> part = Part(np.arange(2), np.arange(2), rows, columns, np.ones(4, np.int64), np.full(2, -9))
    >>> moves = Moves(part, np.array([4, 5]), np.zeros(2, np.int64), np.full(2, 9))
    >>> moves.find(0, 0, 60, 2), moves.least.tolist(), moves.largest.tolist()
    (True, [0, 5], [4, 9])
    """

    part: Part
    table: Numbers  # that was met last
    low: Numbers
    high: Numbers
    least: Numbers = field(init=False)  # of all tables met so far
    largest: Numbers = field(init=False)
    fresh: int = 0  # moves found since the last walk
    _columns: list[Numbers] = field(default_factory=list)
    _changes: list[Numbers] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin with the one table."""
        self.least, self.largest = self.table.copy(), self.table.copy()
        self._state = np.array([SEED], dtype=np.uint64)
        entries, every = np.argsort(self.part.column_of, kind="stable"), np.arange(self.table.size + 1)
        rows = np.searchsorted(self.part.row_of, np.arange(self.part.rows.size + 1)), self.part.column_of
        users = np.searchsorted(self.part.column_of[entries], every), self.part.row_of[entries]
        self._graph = *rows, *users

    @property
    def count(self) -> int:
        """How many moves are known."""
        return len(self._columns)

    def take(self, known: Iterable[tuple[Numbers, Numbers]]) -> int:
        """Take over known moves of which all cells are in the part; return how many there are."""
        for cells, changes in known:
            columns = np.minimum(np.searchsorted(self.part.cells, cells), self.part.cells.size - 1)
            if np.array_equal(self.part.cells[columns], cells):
                self._columns.append(columns)
                self._changes.append(changes)
        return self.count

    def list_moves(self, start: int) -> Iterator[tuple[Numbers, Numbers]]:
        """Yield the moves from one on: numbers of cells, and changes."""
        pairs = zip(self._columns[start:], self._changes[start:], strict=True)
        return ((self.part.cells[columns], changes) for columns, changes in pairs)

    def find(self, column: int, value: int, seconds: float, most: int) -> bool:
        """Find the move that changes counts least, of those ``most`` that are near, so that a column gets a value.

        Return whether there is one.
        """
        part, near = self.part, kernels.equations.find_near(*self._graph, column, most)
        place = np.full(self.table.size, -1)
        place[near] = np.arange(near.size)
        columns = place[part.column_of]
        inside = columns >= 0
        rows, row_of = np.unique(part.row_of[inside], return_inverse=True)
        columns, factors = columns[inside], part.factors[inside]
        both = np.array([factors, -factors], dtype=np.float64)
        up, down = (self.high - self.table)[near].astype(np.float64), (self.table - self.low)[near].astype(np.float64)
        change = value - int(self.table[column])
        fixed = np.zeros((2, near.size))
        at = int(place[column])
        up[at], down[at] = fixed[0, at], fixed[1, at] = max(change, 0), max(-change, 0)
        program = Program()
        program.add_columns(near.size, cost=1, lower=fixed[0], upper=up, whole=False)
        program.add_columns(near.size, cost=1, lower=fixed[1], upper=down, whole=False)
        terms = (Terms(row_of, columns + way * near.size, both[way]) for way in (0, 1))
        program.add_rows(rows.size, *terms, lower=0, upper=0)
        values = program.solve(seconds=seconds, gap=0).values
        if values is None:
            return False
        move = np.rint(values[: near.size] - values[near.size :]).astype(np.int64)
        sums = np.zeros(rows.size, dtype=np.int64)
        np.add.at(sums, row_of, factors * move[columns])
        counts = self.table[near] + move
        if sums.any() or (counts < self.low[near]).any() or (counts > self.high[near]).any():  # it was in fractions
            return False
        self.least[near] = np.minimum(self.least[near], counts)
        self.largest[near] = np.maximum(self.largest[near], counts)
        self._columns.append(near[move != 0])
        self._changes.append(move[move != 0])
        self.fresh += 1
        return True

    def walk(self, is_wanted: NDArray[np.bool_]) -> None:
        """Meet many tables by moves at random, drawn to tables in which the wanted columns have other values."""
        self.fresh = 0
        drawn = np.random.default_rng(len(self._columns)).integers(0, 2, self.table.size)
        pull = np.where(is_wanted, 2 * drawn - 1, 0)
        offsets = np.zeros(len(self._columns) + 1, dtype=np.int64)
        np.cumsum([one.size for one in self._columns], out=offsets[1:])
        moves = offsets, np.concatenate(self._columns), np.concatenate(self._changes)
        self.table = self.table.copy()
        limits = self.low, self.high, self.least, self.largest
        kernels.equations.walk(self.table, *limits, *moves, pull, STEPS, self._state)
