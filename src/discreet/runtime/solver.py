"""A program: the least cost of numbers that keep to linear limits, some of them whole; solved by HiGHS."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]

TICK: Final = 0.1
"""Seconds between two looks at the solver: so soon Ctrl-C is heard."""
SMALL: Final = 1 << 10
"""Columns up to which a program without whole numbers is solved before Ctrl-C is missed, and needs no thread."""
SEED: Final = 1
"""Of the solver's own choices; with one thread the same program then gives the same solution."""


class Terms(NamedTuple):
    """A sparse matrix: in row ``rows[i]`` the column ``columns[i]`` counts ``factors[i]`` times."""

    rows: Numbers
    columns: Numbers
    factors: Floats


class Solved(NamedTuple):
    """The best values that were found, if any, a cost that none is below, and whether time ran out before both met."""

    values: Floats | None
    bound: float
    stopped: bool


@dataclass
class Program:
    """Columns, each with its cost and its limits, and rows: sums of columns with their limits."""

    _costs: list[Floats] = field(default_factory=list)
    _columns: list[tuple[Floats, Floats]] = field(default_factory=list)
    _whole: list[NDArray[np.bool_]] = field(default_factory=list)
    _rows: list[tuple[Floats, Floats]] = field(default_factory=list)
    _terms: list[Terms] = field(default_factory=list)
    width: int = 0
    height: int = 0

    def columns(
        self, size: int, *, cost: ArrayLike = 0, lower: ArrayLike = 0, upper: ArrayLike = np.inf, whole: bool
    ) -> Numbers:
        """Add so many columns; return their numbers."""
        self._costs.append(_spread(cost, size))
        self._columns.append((_spread(lower, size), _spread(upper, size)))
        self._whole.append(np.full(size, whole))
        self.width += size
        return np.arange(self.width - size, self.width)

    def rows(self, size: int, *terms: Terms, lower: ArrayLike = -np.inf, upper: ArrayLike = np.inf) -> None:
        """Add so many rows; the rows of the terms count from 0."""
        self._rows.append((_spread(lower, size), _spread(upper, size)))
        self._terms.extend(Terms(part.rows + self.height, part.columns, part.factors) for part in terms)
        self.height += size

    def solve(self, *, seconds: float, gap: float, start: Floats | None = None, effort: float = 0.05) -> Solved:
        """Return the values of the least cost, or close to it by ``gap``, a share of that cost.

        ``effort`` is the share of the work that goes into good values, rather than into the bound.
        """
        # Loaded late: importing discreet shall stay quick.
        import highspy  # noqa: PLC0415

        solver = self._solver(highspy, {"mip_rel_gap": gap, "mip_heuristic_effort": effort})
        if start is not None:
            known = highspy.HighsSolution()
            known.col_value = start.tolist()
            solver.setSolution(known)
        return self._solved(highspy, solver, seconds)

    def opened(self) -> Callable[[Floats, float, float], Solved]:
        """Return what solves the program for other costs within some seconds; each time it starts where it ended.

        Whole numbers of a cost that is low ``enough`` will do; the bound is then what is known by that time.

        With whole numbers to the very least: of supports, which are whole, one too many is wrong.

        >>> program = Program()
        >>> both = program.columns(2, upper=[3, 4], whole=False)
        >>> program.rows(1, Terms(np.zeros(2, np.int64), both, np.ones(2)), upper=5)
        >>> least = program.opened()
        >>> [least(np.array(costs), 1.0, -np.inf).bound for costs in ([-1.0, -1.0], [0.0, -1.0], [1.0, 0.0])]
        [-5.0, -4.0, 0.0]
        """
        import highspy  # noqa: PLC0415 - loaded late

        solver = self._solver(highspy, {"mip_rel_gap": 0.0, "mip_abs_gap": 0.5, "presolve": self._presolve})
        every = np.arange(self.width, dtype=np.int32)

        def least(costs: Floats, seconds: float, enough: float) -> Solved:
            solver.changeColsCost(self.width, every, costs)
            solver.setOptionValue("objective_target", enough)
            return self._solved(highspy, solver, seconds)

        return least

    @property
    def _is_whole(self) -> bool:
        return any(part.any() for part in self._whole)

    @property
    def _presolve(self) -> str:
        # Without whole numbers the last basis is the better start.
        return "on" if self._is_whole else "off"

    def _solver(self, highspy: Any, options: Mapping[str, Any]) -> Any:  # noqa: ANN401 - loaded late
        """Return HiGHS with the program in it."""
        solver = highspy.Highs()
        fixed = {"output_flag": False, "threads": 1, "random_seed": SEED}
        for name, value in {**fixed, **options}.items():
            solver.setOptionValue(name, value)
        solver.passModel(self._model(highspy))
        return solver

    def _solved(self, highspy: Any, solver: Any, seconds: float) -> Solved:  # noqa: ANN401 - loaded late
        """Run and return what came of it."""
        # HiGHS counts the time of all its runs.
        solver.setOptionValue("time_limit", solver.getRunTime() + seconds)
        if self._is_whole or self.width > SMALL:
            _run(highspy, solver)
        else:
            solver.run()
        status, info = solver.getModelStatus(), solver.getInfo()
        if status == highspy.HighsModelStatus.kInfeasible:
            return Solved(None, np.inf, stopped=False)
        if status == highspy.HighsModelStatus.kModelEmpty:
            return Solved(np.zeros(self.width), 0.0, stopped=False)
        stopped = status not in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kObjectiveTarget)
        found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
        values = np.array(solver.getSolution().col_value) if found else None
        if self._is_whole:
            return Solved(values, float(info.mip_dual_bound), stopped=stopped)
        return Solved(values, -np.inf if stopped else float(info.objective_function_value), stopped=stopped)

    def _model(self, highspy: Any) -> Any:  # noqa: ANN401 - loaded late
        """Return the program as HiGHS takes it."""
        rows, columns, factors = (np.concatenate(part) for part in zip(*self._terms, strict=True))
        order = np.argsort(rows, kind="stable")
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = self.width, self.height
        model.col_cost_ = np.concatenate(self._costs)
        model.col_lower_, model.col_upper_ = map(np.concatenate, zip(*self._columns, strict=True))
        model.row_lower_, model.row_upper_ = map(np.concatenate, zip(*self._rows, strict=True))
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = np.searchsorted(rows[order], np.arange(self.height + 1)).astype(np.int32)
        model.a_matrix_.index_ = columns[order].astype(np.int32)
        model.a_matrix_.value_ = factors[order]
        kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
        model.integrality_ = [kinds[whole] for whole in np.concatenate(self._whole).tolist()]
        return model


def entries(matrix: NDArray[np.bool_] | NDArray[np.int8] | Numbers, columns: Numbers) -> Terms:
    """Return what is not 0 in a matrix as terms of these columns."""
    rows, places = np.nonzero(matrix)
    return Terms(rows, columns[places], matrix[rows, places].astype(np.float64))


def each(columns: Numbers, factors: ArrayLike) -> Terms:
    """Return one term a row: the columns in their order, each so many times."""
    return Terms(np.arange(columns.size), columns, _spread(factors, columns.size))


def _spread(value: ArrayLike, size: int) -> Floats:
    return np.broadcast_to(np.asarray(value, dtype=np.float64), (size,))


def _run(highspy: Any, solver: Any) -> None:  # noqa: ANN401 - loaded late
    """Let the solver run in a thread of its own, so that Ctrl-C is heard; then it ends as soon as it can."""
    is_over = Event()

    def ask(_kind: object, _message: object, _told: object, answer: Any, _data: object) -> None:  # noqa: ANN401
        if answer is not None and is_over.is_set():
            answer.user_interrupt = True

    solver.setCallback(ask, None)
    kinds = highspy.cb.HighsCallbackType
    for kind in (kinds.kCallbackMipInterrupt, kinds.kCallbackSimplexInterrupt, kinds.kCallbackIpmInterrupt):
        solver.startCallback(kind)
    # Not by joining the thread: Python 3.11 takes one for ended when Ctrl-C breaks into that.
    is_done = Event()

    def run() -> None:
        try:
            solver.run()
        finally:
            is_done.set()

    Thread(target=run, daemon=True).start()
    try:
        while not is_done.wait(TICK):
            pass
    finally:
        is_over.set()
        is_done.wait()
