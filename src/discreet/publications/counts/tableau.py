"""Tableaus: one corner of a linear program with all that its rows say, from which other corners are few steps away."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Final, NamedTuple

import numpy as np

from discreet import kernels
from discreet.publications.counts.parts import Part
from discreet.runtime.solver import Corner, Floats, NoValuesError, Numbers, Program, Terms

ZERO: Final = 1e-9  # below this an entry of a tableau is 0
STRAY: Final = 100  # steps of a tableau, after which it begins again
NEAR: Final = 1e-7  # how far limits are moved so that not many columns reach theirs at once
SEED: Final = 1
PIVOTS: Final = 2_000  # from one corner to the best one, before it is given up
LARGEST: Final = 60_000_000  # entries of a tableau
DUAL, PRIMAL = 1, 4  # methods of HiGHS; only the second makes use of a corner where other costs were least


class StartingProgram(Program):
    """A linear program that shows the basis it ended with."""

    def open(self) -> tuple[Callable[[Floats, float], Floats | None], Callable[[], tuple[Numbers, list[Terms]]]]:
        """Return a function that finds the corner of the least cost in some seconds, and one that shows its basis.

        A basis is a list of columns, of which -1, -2, … stand for rows, and the rows and weights in each basic sum.
        """
        solver, every = self._load({"presolve": "off"}), np.arange(self.width, dtype=np.int32)

        def least(costs: Floats, seconds: float) -> Floats | None:
            solver.changeColsCost(self.width, every, costs)
            solved = self._run(solver, seconds)
            return None if solved.stopped else solved.values

        def show() -> tuple[Numbers, list[Terms]]:
            basic, sums = np.asarray(solver.getBasicVariables()[1], dtype=np.int64), []
            for place in range(basic.size):
                _, weights, size, rows = solver.getBasisInverseRowSparse(place)
                rows = np.asarray(rows[:size], dtype=np.int64)
                sums.append(Terms(rows, rows, np.asarray(weights)[rows]))
            return basic, sums

        return least, show


class Basis(NamedTuple):
    """A tableau, as kernels know it: ``table``, its ``basic`` and ``free`` columns, ``where`` these are, and values."""

    table: Floats
    basic: Numbers
    free: Numbers
    where: Numbers
    values: Floats


@dataclass(eq=False)
class Tableau:
    """A corner of a part, and what its rows say about each column there: other corners are few steps away.

    After some steps it goes back to the first corner, so that no errors add up, and the tableau stays sparse.
    """

    start: Basis
    low: Floats
    high: Floats
    least: Floats  # of all corners so far
    largest: Floats
    starts: Numbers
    rows: Numbers
    weights: Floats
    made: int = 0

    def __post_init__(self) -> None:
        """Begin at the first corner."""
        table, basic, free, where, values = self.start
        self.now = Basis(table.copy(), basic.copy(), free.copy(), where.copy(), values.copy())
        self.changed = np.zeros(self.start.free.size, dtype=np.bool_)

    def reach(self, column: int, side: int) -> bool:
        """Move to a corner at which a column is least or largest; return whether it was found."""
        ends = self.low, self.high, self.least, self.largest, self.changed
        if self.made > STRAY:
            self.restart()
        made = kernels.equations.descend(*self.now, *ends, column, 1 - 2 * side, PIVOTS, ZERO)
        self.made += int(made)
        return bool(made < PIVOTS)

    def restart(self) -> None:
        """Go back to the first corner."""
        self.now.table[self.changed] = self.start.table[self.changed]
        for now, first in zip(self.now[1:], self.start[1:], strict=True):
            now[:] = first
        self.changed[:], self.made = False, 0

    def weigh(self, column: int, rows: int) -> Floats:
        """Return the weight of each row in the proof that a column is least or largest."""
        out, now, sums = np.zeros(rows), self.now, (self.starts, self.rows, self.weights)
        kernels.equations.weigh(now.table, now.free, now.where, column, self.start.where, *sums, out)
        return out


def tabulate(part: Part, basic: Numbers, sums: list[Terms], values: Floats, ends: Sequence[Floats]) -> Tableau | None:
    """Return the tableau of a basis; a row that is basic becomes a column that is 0, unless other rows imply it."""
    width = part.cells.size
    columns = np.where(basic < 0, width - 1 - basic, basic)
    free = np.setdiff1d(np.arange(width), basic)
    if free.size * basic.size > LARGEST:
        return None
    place = np.full(width, -1)
    place[free] = np.arange(free.size)
    starts = np.zeros(basic.size + 1, dtype=np.int64)
    np.cumsum([one.rows.size for one in sums], out=starts[1:])
    rows, weights = (np.concatenate([one[at] for one in sums]) for at in (0, 2))
    table = np.zeros((free.size, basic.size))
    offsets = np.searchsorted(part.row_of, np.arange(part.rows.size + 1))
    kernels.equations.fill_tableau(starts, rows, weights, offsets, part.column_of, part.factors, place, table, ZERO)
    kept = (basic >= 0) | table.any(axis=0)
    table, columns = np.ascontiguousarray(table[:, kept]), columns[kept]
    sizes = np.diff(starts)
    is_kept = np.repeat(kept, sizes)
    starts = np.concatenate([[0], np.cumsum(sizes[kept])])
    where = np.full(width + part.rows.size, -1)
    where[columns] = np.arange(columns.size)
    where[free] = -1 - place[free]
    low, high, least, largest, now = (np.concatenate([one, np.zeros(part.rows.size)]) for one in (*ends, values))
    now[free] = np.where(now[free] - low[free] < high[free] - now[free], low[free], high[free])
    apart = np.random.default_rng(SEED).uniform(1, 2, (2, columns.size)) * NEAR
    low[columns] -= apart[0]
    high[columns] += apart[1]
    basis = Basis(table, columns, free, where, now)
    return Tableau(basis, low, high, least, largest, starts, rows[is_kept], weights[is_kept])


@dataclass(eq=False)
class Walk:
    """Corners of a part that is too large for a tableau: the solver goes on from the last one."""

    find: Callable[[Floats, float], Corner | None]
    high: Floats
    least: Floats  # of all corners so far
    largest: Floats
    end: float
    now: Corner

    def reach(self, column: int, side: int) -> bool:
        """Move to a corner at which a column is least or largest; return whether it was found."""
        costs = np.zeros(self.high.size)
        costs[column] = 1 - 2 * side
        corner = self.find(costs, max(0.01, self.end - monotonic()))
        if corner is None:
            return False
        self.now = Corner(corner.values, corner.weights * (1 - 2 * side))
        np.minimum(self.least, corner.values, out=self.least)
        np.maximum(self.largest, corner.values, out=self.largest)
        return True

    def restart(self) -> None:
        """Go on from the last corner: the solver needs no other."""

    def weigh(self, _column: int, _rows: int) -> Floats:
        """Return the weight of each row in the proof that the last column is least or largest."""
        return self.now.weights


class WalkingProgram(StartingProgram):
    """A linear program that is solved again and again for other costs."""

    def walk(self) -> tuple[Callable[[Floats, float], Corner | None], Callable[[Floats, float], Corner | None]]:
        """Return two functions that find the corner of the least cost: one for any, one for those near the last one."""
        solver, every = self._load({"presolve": "off"}), np.arange(self.width, dtype=np.int32)

        def find(method: int, costs: Floats, seconds: float) -> Corner | None:
            solver.setOptionValue("simplex_strategy", method)
            solver.changeColsCost(self.width, every, costs)
            solved = self._run(solver, seconds)
            if solved.stopped:
                return None
            if solved.values is None:
                raise NoValuesError
            return Corner(solved.values, np.array(solver.getSolution().row_dual))

        return partial(find, DUAL), partial(find, PRIMAL)
