"""Linear programs, with or without whole numbers, solved by HiGHS."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from highspy import Highs, HighsLp
    from highspy.cb import HighsCallbackInput as CallbackInput

Numbers: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]

TICK: Final = 0.1  # seconds between two looks at the solver, in which Ctrl-C is heard
GRACE: Final = 1.0  # seconds in which a thread that was started begins
SMALL: Final = 1 << 10  # columns up to which a program without whole numbers needs no thread for Ctrl-C
SEED: Final = 1  # the solver's random seed: with one thread, the same program gives the same solution


class Terms(NamedTuple):
    """A sparse matrix: entry ``factors[i]`` in row ``rows[i]`` and column ``columns[i]``."""

    rows: Numbers
    columns: Numbers
    factors: Floats


class Solved(NamedTuple):
    """The best values, if any, a lower bound of the cost, and whether time ran out before both met."""

    values: Floats | None
    bound: float
    stopped: bool


class NoValuesError(Exception):
    """No values keep the limits of a program."""


class Corner(NamedTuple):
    """The values at which a column is least or largest, and the weight of each row in the proof of that."""

    values: Floats
    weights: Floats


@dataclass
class Program:
    """Columns, each with a cost and limits, and rows: weighted sums of columns with limits."""

    _costs: list[Floats] = field(default_factory=list)
    _columns: list[tuple[Floats, Floats]] = field(default_factory=list)
    _whole: list[NDArray[np.bool_]] = field(default_factory=list)
    _rows: list[tuple[Floats, Floats]] = field(default_factory=list)
    _terms: list[Terms] = field(default_factory=list)
    width: int = 0
    height: int = 0

    def add_columns(
        self, size: int, *, cost: ArrayLike = 0, lower: ArrayLike = 0, upper: ArrayLike = np.inf, whole: bool
    ) -> Numbers:
        """Add so many columns; return their numbers."""
        self._costs.append(_spread(cost, size))
        self._columns.append((_spread(lower, size), _spread(upper, size)))
        self._whole.append(np.full(size, whole))
        self.width += size
        return np.arange(self.width - size, self.width)

    def add_rows(self, size: int, *terms: Terms, lower: ArrayLike = -np.inf, upper: ArrayLike = np.inf) -> None:
        """Add so many rows; the rows of the terms count from 0."""
        self._rows.append((_spread(lower, size), _spread(upper, size)))
        self._terms.extend(Terms(part.rows + self.height, part.columns, part.factors) for part in terms)
        self.height += size

    def solve(
        self, *, seconds: float, gap: float, start: Floats | None = None, effort: float = 0.05, nodes: int | None = None
    ) -> Solved:
        """Return the values of the least cost, or within ``gap`` of it, a share of that cost.

        ``effort`` is the share of the work spent on good values rather than on the bound. With ``nodes`` the search
        tree has no more than so many.
        """
        import highspy  # noqa: PLC0415 - importing discreet should stay quick

        limit = {} if nodes is None else {"mip_max_nodes": nodes}
        solver = self._load({"mip_rel_gap": gap, "mip_heuristic_effort": effort, **limit})
        if start is not None:
            known = highspy.HighsSolution()
            known.col_value = start.tolist()
            solver.setSolution(known)
        return self._run(solver, seconds)

    def find_middle(self, *, seconds: float) -> Floats | None:
        """Return values in the middle of all that are allowed, not at a corner; None if none are found in time."""
        return self._run(self._load({"solver": "ipm", "run_crossover": "off"}), seconds).values

    def prepare(self) -> Callable[[Floats, float, float], Solved]:
        """Return a function that solves the program for other costs within some seconds, each time from its last state.

        It stops at whole numbers of a cost that is low ``enough``, with the bound known by then. Whole numbers are
        solved to the exact optimum: supports are whole, and one too many is wrong.
        """
        presolve = "on" if self._is_whole else "off"  # without whole numbers, the last basis is a better start
        solver = self._load({"mip_rel_gap": 0.0, "mip_abs_gap": 0.5, "presolve": presolve})
        every = np.arange(self.width, dtype=np.int32)

        def least(costs: Floats, seconds: float, enough: float) -> Solved:
            solver.changeColsCost(self.width, every, costs)
            solver.setOptionValue("objective_target", enough)
            return self._run(solver, seconds)

        return least

    def prepare_corners(self) -> Callable[[int, int, float], Corner | None]:
        """Return a function that finds the least value of a column, or with a sign of -1 the largest, in some seconds.

        It starts from where it ended last, which makes many columns of one program quick. None means that it
        has no limit, or that time was up.
        """
        import highspy  # noqa: PLC0415 - loaded late

        solver, last = self._load({"presolve": "off"}), [0]

        def find(column: int, sign: int, seconds: float) -> Corner | None:
            solver.changeColCost(last[0], 0.0)
            solver.changeColCost(column, float(sign))
            last[0] = column
            solver.setOptionValue("time_limit", solver.getRunTime() + seconds)
            solver.run()
            status = solver.getModelStatus()
            if status == highspy.HighsModelStatus.kInfeasible:
                raise NoValuesError
            if status != highspy.HighsModelStatus.kOptimal:
                return None
            solution = solver.getSolution()
            return Corner(np.array(solution.col_value), np.array(solution.row_dual) * sign)

        return find

    @property
    def _is_whole(self) -> bool:
        return any(part.any() for part in self._whole)

    def _load(self, options: Mapping[str, float | str]) -> "Highs":
        import highspy  # noqa: PLC0415 - loaded late

        solver = highspy.Highs()
        for name, value in {"output_flag": False, "threads": 1, "random_seed": SEED, **options}.items():
            solver.setOptionValue(name, value)
        solver.passModel(self._model())
        return solver

    def _run(self, solver: "Highs", seconds: float) -> Solved:
        import highspy  # noqa: PLC0415 - loaded late

        solver.setOptionValue("time_limit", solver.getRunTime() + seconds)  # HiGHS adds up the time of all its runs
        if self._is_whole or self.width > SMALL:
            _run_in_thread(solver)
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

    def _model(self) -> "HighsLp":
        import highspy  # noqa: PLC0415 - loaded late

        rows, columns, factors = map(np.concatenate, zip(*self._terms, strict=True))
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
        if self._is_whole:
            kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
            model.integrality_ = [kinds[whole] for whole in np.concatenate(self._whole).tolist()]
        return model


def list_entries(matrix: NDArray[np.bool_] | NDArray[np.int8] | Numbers, columns: Numbers) -> Terms:
    """Return the nonzero entries of a matrix as terms of these columns."""
    rows, places = np.nonzero(matrix)
    return Terms(rows, columns[places], matrix[rows, places].astype(np.float64))


def list_each(columns: Numbers, factors: ArrayLike) -> Terms:
    """Return one term per row: the columns in their order, each with its factor."""
    return Terms(np.arange(columns.size), columns, _spread(factors, columns.size))


def _spread(value: ArrayLike, size: int) -> Floats:
    return np.full(size, value, dtype=np.float64)


def _run_in_thread(solver: "Highs") -> None:
    """Run the solver in a thread, so that Ctrl-C is heard; it then ends as soon as it can.

    Python must not exit before it has ended: the solver would abort the process.
    """
    import highspy  # noqa: PLC0415 - loaded late

    is_begun, is_over, is_done = Event(), Event(), Event()

    def ask(_kind: object, _message: object, _output: object, answer: "CallbackInput | None", _data: object) -> None:
        if answer is not None and is_over.is_set():
            answer.user_interrupt = True

    solver.setCallback(ask, None)
    kinds = highspy.cb.HighsCallbackType
    for kind in (kinds.kCallbackMipInterrupt, kinds.kCallbackSimplexInterrupt, kinds.kCallbackIpmInterrupt):
        solver.startCallback(kind)

    def run() -> None:
        is_begun.set()
        try:
            if not is_over.is_set():
                solver.run()
        finally:
            is_done.set()

    # The thread is not joined: Python 3.11 takes it for ended when Ctrl-C interrupts the join.
    try:
        Thread(target=run, daemon=True).start()
        while not is_done.wait(TICK):
            pass
    finally:
        is_over.set()
        if is_begun.wait(GRACE):  # else Ctrl-C came before the thread was started
            is_done.wait()
