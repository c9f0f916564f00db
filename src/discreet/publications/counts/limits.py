"""Limits: what follows for each count of linked tables, from all that they say together."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from math import ceil, floor, lcm
from time import monotonic
from typing import Final, TypeVar

import numpy as np

from discreet import kernels
from discreet.data.counts import UNKNOWN, Counts
from discreet.errors import InputError
from discreet.publications.counts.cases import fit_share, narrow, split_cases
from discreet.publications.counts.equations import Equations, Shared, list_equations
from discreet.publications.counts.parts import Part, add_share, keep_shares, list_parts
from discreet.publications.counts.proofs import HIGH, LOW, Step
from discreet.publications.counts.tableau import Tableau, Walk, WalkingProgram, tabulate
from discreet.runtime.solver import Corner, Floats, NoValuesError, Numbers, Terms

TINY: Final = 1e-6  # below this a solver's value is a whole number
SCALES: Final = (1, 2, 3, 4, 5, 6, 8, 12, 24, 60, 120)  # denominators of weights in proofs
ROUNDS: Final = 100  # of shares and sums in turn
CASES: Final = 2_000  # that are told apart to show that no whole numbers are left
SECONDS: Final = 300.0
ROOM: Final = 1_000_000  # beyond twice the largest known count, for those without limits
WIDE: Final = 6_000  # cells of a part whose tableau is too dense
FINE: Final = 1e-3  # below this, with limits moved, a value is a whole number
FEW: Final = 50  # a sum of all cells is solved as long as its corner settles more than one cell of so many
SCALE: Final = 100_000  # the largest denominator of weights in proofs

NOT_LINKED: Final = (
    "These tables may count the same people, but what they share does not add up to the same numbers: list the common "
    "totals, or judge tables of other people apart."
)

Found = TypeVar("Found")


@dataclass(eq=False)
class Limits:
    """The limits of each cell that are proven, step by step, and the values that it has in some table that fits.

    >>> from discreet.data.counts import Cell, Counts, Dimension, State, Table
    >>> from discreet.publications.counts.equations import list_equations
    >>> cells = (Cell((None,), 180, 180), Cell(("f",), 177, 177), Cell(("m",), 1, 10, State.MASKED))
    >>> counts = Counts((Table("by sex", (Dimension("sex", ("f", "m")),), cells),))
    >>> limits = Limits(list_equations(counts))
    >>> limits.propagate()
    >>> limits.low.tolist(), limits.high.tolist()
    ([180, 177, 3], [180, 177, 3])
    """

    equations: Equations
    seconds: float = SECONDS
    tell: Callable[[], None] = lambda: None  # called now and then
    low: Numbers = field(init=False)
    high: Numbers = field(init=False)
    least: Numbers = field(init=False)  # values of tables that fit, in whole numbers
    largest: Numbers = field(init=False)
    steps: list[Step] = field(default_factory=list, init=False)
    end: float = field(init=False)

    def __post_init__(self) -> None:
        """Begin with what the tables say."""
        self.low, self.high = self.equations.low.copy(), self.equations.high.copy()
        self.least, self.largest = np.full(self.low.size, UNKNOWN), np.full(self.low.size, -1)
        self.end = monotonic() + self.seconds

    def propagate(self) -> None:
        """Narrow the limits by one row, or one share, after the other, until nothing changes."""
        for _ in range(ROUNDS):
            steps, broken = narrow(self.equations, self.low, self.high)
            self.steps += steps
            if broken >= 0:
                raise self._contradict(broken)
            if not sum(self._fit(number) for number in range(len(self.equations.ratios))):
                break
        exact = self.low == self.high
        self.least[exact] = self.largest[exact] = self.low[exact]

    def _fit(self, number: int) -> bool:
        """Narrow the limits of a part and a whole by their published share; return whether this changed any."""
        steps = fit_share(self.equations, number, self.low, self.high)
        if steps is None:
            place = self.equations.ratios[number][2].place
            where = "" if place is None else f" ({place})"
            raise InputError(f"a share does not fit the counts that it is a share of{where}; check both")
        self.steps += steps
        return bool(steps)

    def _contradict(self, row: int) -> InputError:
        """Return what is wrong with a row that no counts satisfy: the first of its cells is the total."""
        equations, cells = self.equations, [cell for cell, _ in self.equations.row(row)]
        where = "" if equations.places[cells[0]] is None else f" at {equations.places[cells[0]]}"
        parts = np.array(cells[1:])
        known = equations.low[parts]
        if np.array_equal(known, equations.high[parts]) and equations.low[cells[0]] == equations.high[cells[0]]:
            said = f"the total{where} is {equations.low[cells[0]]:,}, but its parts add up to {known.sum():,}"
            return InputError(f"{said}; correct one of them")
        return InputError(f"no counts of people fit this table: see the total{where} and its parts")

    def refuse_all(self) -> InputError:
        """Return that no counts fit all sums together, though each of them alone can be."""
        return InputError("no counts of people fit all sums of these tables together; correct the tables")

    def tighten(self, wanted: Iterable[int]) -> list[int]:
        """Narrow the limits of cells to what linear programs find at most; return those for which that is not shown.

        A limit is done when a corner has been seen whose value, rounded to a whole number within it, is the limit.

        >>> from discreet.data.counts import Cell, Counts, Dimension, State, Table
        >>> from discreet.publications.counts.equations import list_equations
        >>> cells = [Cell((None,), 9, 9), Cell(("a",), 5, 5)] + [Cell((one,), 0, UNKNOWN, State.MASKED) for one in "bc"]
        >>> limits = Limits(list_equations(Counts((Table("", (Dimension("group", ("a", "b", "c")),), tuple(cells)),))))
        >>> limits.propagate()
        >>> limits.tighten([2, 3]), limits.low[2:].tolist(), limits.high[2:].tolist()
        ([], [0, 0], [4, 4])
        """
        left = []
        for part, cells in list_parts(
            self.equations, self.low, self.high, [cell for cell in wanted if self.low[cell] < self.high[cell]]
        ):
            try:
                tableau = self.ask(part, partial(self.open, part))
                left += cells if tableau is None else self.tighten_part(part, tableau, cells)
            except NoValuesError:
                raise self.refuse_all() from None
        return left

    def ask(self, part: Part, find: Callable[[], Found]) -> Found | None:
        """Return what a solver finds, or None if it says without reason that no counts fit.

        After many corners it may miss its own tolerance by little: only a new solver is believed.
        """
        try:
            return find()
        except NoValuesError:
            least = self.build(part, whole=False).prepare()
            solved = least(np.zeros(part.cells.size), self.left(), -np.inf)
            if solved.values is None and solved.bound == np.inf:
                raise
            return None

    def tighten_part(self, part: Part, tableau: Tableau | Walk, cells: list[int]) -> list[int]:
        """Narrow the limits of some cells of a part; return those for which it is not shown that none are narrower."""
        offsets, used = self.equations.users
        columns = np.searchsorted(part.cells, cells).tolist()
        for cell, column in zip(cells, columns, strict=True):
            self.tell()
            for side in (LOW, HIGH):
                if self._is_reached(tableau, cell, column, side) or self.is_over:
                    continue
                for _ in range(2):  # the second time from the first corner
                    found = self.ask(part, partial(tableau.reach, column, side))
                    if found and not self._is_reached(tableau, cell, column, side):
                        self._take(part, tableau, cell, column, side)
                    if self._is_reached(tableau, cell, column, side):
                        break
                    tableau.restart()
                steps, broken = narrow(self.equations, self.low, self.high, used[offsets[cell] : offsets[cell + 1]])
                self.steps += steps
                if broken >= 0:
                    raise self._contradict(broken)
        sides = (LOW, HIGH)
        pairs = zip(cells, columns, strict=True)
        return [
            cell for cell, column in pairs if not all(self._is_reached(tableau, cell, column, side) for side in sides)
        ]

    def _is_reached(self, tableau: Tableau | Walk, cell: int, column: int, side: int) -> bool:
        """Return whether a corner was seen that has the limit of a cell, as far as whole numbers go."""
        if side == LOW:
            return bool(tableau.least[column] <= self.low[cell] + FINE)
        if self.high[cell] >= UNKNOWN:  # and the limit of a program was made up
            return bool(tableau.largest[column] > 2 * self._most + ROOM / 2)
        return bool(tableau.largest[column] >= min(self.high[cell], tableau.high[column]) - FINE)

    def _take(self, part: Part, tableau: Tableau | Walk, cell: int, column: int, side: int) -> None:
        """Take over the limit at which a column is least or largest, if its weights prove it."""
        value = float(tableau.now.values[column])
        wanted = ceil(value - FINE) if side == LOW else floor(value + FINE)
        step = self._prove(part, cell, side, tableau.weigh(column, part.rows.size), wanted)
        if step is not None:
            (self.low if side == LOW else self.high)[cell] = step.limit
            self.steps.append(step)

    def open(self, part: Part) -> Tableau | Walk | None:
        """Return a way from corner to corner, after sums of all unsettled cells were made least and largest."""
        program = self.build(part, whole=False)
        low, high = self.low[part.cells].astype(np.float64), self.cap(part)
        seen = np.full(low.size, np.inf), np.full(low.size, -np.inf)
        if part.cells.size > WIDE:
            far, near = program.walk()
            last: Corner | None = None
            for costs in self._list_costs(low, high, *seen):
                last = far(costs, self.left())
                if last is None:
                    return None
                np.minimum(seen[0], last.values, out=seen[0])
                np.maximum(seen[1], last.values, out=seen[1])
            return None if last is None else Walk(near, high, *seen, self.end, last)
        find, show = program.open()
        values: Floats | None = None
        for costs in self._list_costs(low, high, *seen):
            values = find(costs, self.left())
            if values is None:
                return None
            np.minimum(seen[0], values, out=seen[0])
            np.maximum(seen[1], values, out=seen[1])
        return None if values is None else tabulate(part, *show(), values, (low, high, *seen))

    @staticmethod
    def _list_costs(low: Floats, high: Floats, least: Floats, largest: Floats) -> Iterator[Floats]:
        """Yield sums of all cells whose limits no corner has yet, as long as many are settled each time."""
        settled, side = -1, LOW
        while settled < 2 * low.size:
            is_left = (least > low + TINY) if side == LOW else (largest < high - TINY)
            yield np.where(is_left, 1.0 - 2 * side, 0.0)
            now = int((least <= low + TINY).sum() + (largest >= high - TINY).sum())
            if (now - settled) * FEW < low.size:
                break
            settled, side = now, 1 - side

    def refute(self, part: Part, cell: int, side: int) -> None:
        """Show that a count has no value beyond the one that whole numbers reach, though linear programs allow it."""
        limits = self.low if side == LOW else self.high
        limit = int((self.least if side == LOW else self.largest)[cell])
        if limit == limits[cell]:
            return
        low, high = self.low.copy(), self.high.copy()
        if side == LOW:
            high[cell] = limit - 1
        else:
            low[cell] = limit + 1
        refutation = split_cases(self.equations, part, low, high, [CASES])
        if refutation is not None:
            limits[cell] = limit
            self.steps.append(Step(cell, side, limit, refutation=refutation))

    def look(self, part: Part, cell: int, side: int, corner: Corner | None) -> None:
        """Take over what a corner shows: a table that fits, and a limit that its weights prove."""
        if corner is None:
            return
        self.witness(part, corner.values)
        value = float(corner.values[np.searchsorted(part.cells, cell)])
        limits, wanted = (self.low, ceil(value - TINY)) if side == LOW else (self.high, floor(value + TINY))
        if not (wanted > limits[cell] if side == LOW else wanted < limits[cell]):
            return
        step = self._prove(part, cell, side, corner.weights, wanted)
        if step is not None:
            limits[cell] = step.limit
            self.steps.append(step)

    def _prove(self, part: Part, cell: int, side: int, weights: Floats, wanted: int) -> Step | None:
        """Return a step whose weights are whole numbers, and whose limit is the best of those that were tried."""
        equations, best = self.equations, None
        limits = self.low if side == LOW else self.high
        for scale in _list_scales(weights):
            whole = np.rint(weights * scale).astype(np.int64)
            rows, times = part.rows[whole != 0], whole[whole != 0]
            value, holds = kernels.equations.add_up(
                rows,
                times,
                equations.offsets,
                equations.cells,
                equations.factors,
                self.low,
                self.high,
                UNKNOWN,
                cell,
                scale,
                side,
                self._zeros,
            )
            if not holds:
                continue
            limit = -(-int(value) // scale) if side == LOW else int(value) // scale
            known = int(limits[cell]) if best is None else best.limit
            if limit > known if side == LOW else limit < known:
                best = Step(cell, side, limit, tuple(zip(rows.tolist(), times.tolist(), strict=True)), scale)
            if limit >= wanted if side == LOW else limit <= wanted:
                break
        return best

    def witness(self, part: Part, values: Floats) -> bool:
        """Note the values of a table that fits, if they are whole and keep every row; return whether they do."""
        counts = np.rint(values).astype(np.int64)
        if np.abs(values - counts).max(initial=0) > TINY or (counts < self.equations.low[part.cells]).any():
            return False
        sums = np.zeros(part.rows.size, dtype=np.int64)
        np.add.at(sums, part.row_of, part.factors * counts[part.column_of])
        if (sums != -part.fixed).any() or (counts > self.equations.high[part.cells]).any():
            return False
        if not keep_shares(part, counts, self.low):
            return False
        self.least[part.cells] = np.minimum(self.least[part.cells], counts)
        self.largest[part.cells] = np.maximum(self.largest[part.cells], counts)
        return True

    def build(self, part: Part, *, whole: bool) -> WalkingProgram:
        """Return the program of a part: its cells within their limits, its rows, and its shares if ``whole``."""
        program = WalkingProgram()
        program.add_columns(part.cells.size, lower=self.low[part.cells], upper=self.cap(part), whole=whole)
        terms = Terms(part.row_of, part.column_of, part.factors.astype(np.float64))
        program.add_rows(part.rows.size, terms, lower=-part.fixed, upper=-part.fixed)
        for one in part.ratios if whole else ():  # the proofs of linear programs are made of rows alone
            add_share(program, part, self.low, one)
        return program

    def cap(self, part: Part) -> Floats:
        """Return the upper limits of the cells of a part.

        A count without one gets one that no table needs: what is shown with it is true all the same.
        """
        return np.minimum(self.high[part.cells], 2 * self._most + ROOM).astype(np.float64)

    @cached_property
    def _zeros(self) -> Numbers:
        """Room for a sum over all cells, 0 everywhere."""
        return np.zeros(self.low.size, dtype=np.int64)

    @cached_property
    def _most(self) -> int:
        """The largest count that is known."""
        return int(self.equations.low.max(initial=0))

    def list_unknown(self) -> list[Shared]:
        """Return the attributes that tables have in common, but not all of whose counts are known.

        A count without an upper limit is in no sum that has one, so people may be added to it in each table: what a
        table says, it says without the others. Shares may stand in the way.
        """
        shares = [cell for part, whole, _ in self.equations.ratios for cell in (part, whole)]
        is_free = (self.high == UNKNOWN) & bool((self.high[shares] < UNKNOWN).all())
        is_open = (self.low < self.high) & ~is_free
        return [names for names, cells in self.equations.shared.items() if is_open[[*cells]].any()]

    @property
    def most_people(self) -> int | None:
        """The most people of a listed total, or without one of all cells of a table; None if nothing is listed."""
        totals = [(number,) for key, number in self.equations.index.items() if not key.values]
        return max((sum(self.high[list(one)].tolist()) for one in totals or self.equations.cliques), default=None)

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return monotonic() > self.end

    def left(self) -> float:
        """Return how many seconds are left."""
        return max(0.01, self.end - monotonic())


def link_tables(counts: Counts, *, joins: Collection[Shared] = ()) -> Equations:
    """Return the equations of tables as if they count the same people where they say so; with a doubt if none fit.

    >>> from discreet.data.counts import Cell, Dimension, Table
    >>> tables = [Table(name, (Dimension(name, ("x",)),), (Cell(("x",), n, n),)) for name, n in (("a", 20), ("b", 30))]
    >>> len(link_tables(Counts((*tables,))).doubts), len(link_tables(Counts((tables[0],))).doubts)
    (1, 0)
    """
    linked = list_equations(counts, joins=joins)
    if not linked.shared:
        return linked
    try:
        Limits(linked).propagate()
    except InputError:
        apart = list_equations(counts, is_linked=False)
        Limits(apart).propagate()
        return replace(apart, doubts=(NOT_LINKED,))
    return linked


def _list_scales(weights: Floats) -> Iterator[int]:
    """Yield numbers that may make whole numbers of weights: usual ones, then their own."""
    yield from SCALES
    scale = 1
    for weight in weights[weights != 0].tolist():
        scale = lcm(scale, Fraction(weight).limit_denominator(1000).denominator)
        if scale > SCALE:
            return
    yield scale
