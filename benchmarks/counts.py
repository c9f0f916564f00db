"""Tables of counts: the limits of all masked cells, against gconfid's audit and two new solvers a cell.

    make bench-tables
    python benchmarks/counts.py --quick                  # the smallest table alone
    python benchmarks/counts.py --gconfid PYTHON         # an interpreter that has gconfid

Each table has three attributes with two levels and a total. Counts below k are masked, then the smallest count of every
sum that has a single masked one. A reader knows that counts are 0 or more. gconfid is given the true counts, as it
asks, and limits so wide that they say nothing else. It runs in a process of its own: it trusts every solution, and gets
none where HiGHS was used with another number of threads before. A table of two masked cells is put beside each one,
since gconfid audits nothing where no sum has exactly two. Times are those of the processor: gconfid takes minutes, so
nothing can be run in turns, and a busy machine would favour one or the other. At last, a whole Achilles export is
audited (achilles.py).
"""

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, Final, NamedTuple, TypeVar

import achilles
import highspy
import numpy as np
from numpy.typing import NDArray
from report import Check, Part, line, milliseconds, title

from discreet.data.counts import UNKNOWN, Cell, Counts, Dimension, State, Table
from discreet.errors import GuaranteeError
from discreet.kernels import compile_all
from discreet.publications.counts.equations import Equations, list_equations
from discreet.publications.counts.limits import Limits
from discreet.publications.counts.proofs import check_steps
from discreet.publications.counts.revealed import search_equations

K: Final = 6
MEAN: Final = 8.0  # of the counts with a value of the lowest level in each attribute
SEED: Final = 7
NAMES: Final = ("region", "age", "diagnosis")
FANS: Final = {  # the values below each upper one, in each attribute
    2_000: ([3, 3, 3],) * 3,
    10_000: ([4, 4, 4, 5], [4, 4, 4, 4], [5, 4, 4, 4]),
    30_000: ([5] * 5, [5] * 5, [4, 5, 5, 5, 5]),
}
JUDGED: Final = 10_000
AIM: Final = 50.0
LIMIT: Final = 900.0  # seconds for gconfid on a table, and on one larger than the judged one
LARGE: Final = 120.0
SECONDS: Final = 900.0  # for ours, and for our audit, which also asks for whole numbers
AUDIT: Final = 600.0
SAMPLE: Final = 40  # cells that are solved twice each with new solvers
NEAR: Final = 1e-3  # gconfid's limits are floating point
WIDTHS: Final = (-34, 12, 12, 18)

GCONFID: Final = """
import logging, sys, time
logging.disable(logging.CRITICAL)
import gconfid, numpy, pandas

data = numpy.load(sys.argv[1])
counts, n = data["counts"].astype(float), data["counts"].size
pair = numpy.arange(n + 1, n + 4)
cells = pandas.DataFrame({
    "CellId": numpy.r_[1 : n + 1, pair],
    "TotalNoise": numpy.r_[counts, 1.0, 1.0, 2.0],
    "Sensitivity": 0.0,
    "OutStatus": numpy.where(numpy.r_[data["masked"], True, True, False], "X", "P"),
})
last = data["rows"].max() + 2
sums = pandas.DataFrame({
    "ConstraintId": numpy.r_[data["rows"] + 1, last, last, last],
    "CellId": numpy.r_[data["cells"] + 1, pair],
    "Coefficient": numpy.r_[-data["factors"], 1, 1, -1],
})
start = time.process_time()
found = gconfid.Auditing(
    incell=cells, inconstraint=sums, outaudit="pandas", lb_factor=0.0, ub_factor=float(counts.max()) + 0.5
).outaudit
seconds = time.process_time() - start
found = found[found["CellId"] <= n]
where, ends = found["CellId"].to_numpy().astype(int) - 1, found[["MinValue", "MaxValue"]].to_numpy()
numpy.savez(sys.argv[2], cells=where, ends=ends, seconds=seconds)
"""


Result = TypeVar("Result")


class Case(NamedTuple):
    """A table: its sums, the true counts, and which of them are masked, in the order of the cells of the sums."""

    equations: Equations
    counts: NDArray[np.int64]
    masked: NDArray[np.bool_]


def make_case(fans: Sequence[Sequence[int]], seed: int = SEED) -> Case:
    """Draw a table of three attributes, and mask what is small and what small counts follow from.

    >>> case = make_case([[2, 2]] * 3)
    >>> case.counts.size, case.equations.low.size, bool(case.masked.any())
    (343, 343, True)
    """
    dimensions = tuple(_make_dimension(name, sizes) for name, sizes in zip(NAMES, fans, strict=True))
    counts = _draw(dimensions, np.random.default_rng(seed))
    masked = _mask(counts, dimensions)
    nodes = product(*((None, *one.values) for one in dimensions))
    known = zip(nodes, counts.ravel().tolist(), masked.ravel().tolist(), strict=True)
    cells = (Cell(at, 0, UNKNOWN, State.MASKED) if is_masked else Cell(at, n, n) for at, n, is_masked in known)
    equations = list_equations(Counts((Table("generated", dimensions, tuple(cells)),)))
    return Case(equations, counts.ravel(), masked.ravel())


def _make_dimension(name: str, sizes: Sequence[int]) -> Dimension:
    tops = [f"{name} {top}" for top in range(len(sizes))]
    parents = {f"{top}.{at}": top for top, size in zip(tops, sizes, strict=True) for at in range(size)}
    return Dimension(name, (*tops, *parents), parents)


def _draw(dimensions: Sequence[Dimension], draw: np.random.Generator) -> NDArray[np.int64]:
    """Return the counts of all cells: some values are common and some are rare, with much noise."""
    shares = [np.exp(draw.normal(0, 1.2, len(one.parents))) for one in dimensions]
    mean = np.einsum("i,j,k->ijk", *shares)
    counts = draw.poisson(mean * MEAN / mean.mean() * np.exp(draw.normal(0, 0.5, mean.shape)))
    for axis, one in enumerate(dimensions):
        within = [[node in {None, leaf, one.parents[leaf]} for leaf in one.parents] for node in (None, *one.values)]
        counts = np.moveaxis(np.tensordot(np.array(within, dtype=np.int64), counts, axes=(1, axis)), 0, axis)
    return counts


def _mask(counts: NDArray[np.int64], dimensions: Sequence[Dimension]) -> NDArray[np.bool_]:
    """Return what is masked: small counts, and the smallest other one, but no 0, of each sum with a single mask."""
    masked, before = (counts > 0) & (counts < K), -1
    while before < (before := int(masked.sum())):
        for axis, one in enumerate(dimensions):
            place = {value: at for at, value in enumerate((None, *one.values))}
            many, hidden = np.moveaxis(counts, axis, 0), np.moveaxis(masked, axis, 0)  # views
            for value in (value for value in place if one.children(value)):
                cells = [place[value], *(place[child] for child in one.children(value))]
                for at in zip(*np.nonzero(hidden[cells].sum(axis=0) == 1), strict=True):
                    others = [cell for cell in cells if not hidden[(cell, *at)] and many[(cell, *at)]]
                    if others:
                        hidden[(min(others, key=lambda cell: many[(cell, *at)]), *at)] = True
    return masked


def timed(run: Callable[[], Result]) -> tuple[float, Result]:
    """Return how many seconds of the processor ``run`` takes, and what it returns.

    >>> timed(lambda: 7)[1]
    7
    """
    start = process_time()
    result = run()
    return process_time() - start, result


def find_limits(case: Case) -> Limits:
    """Return our limits of all masked cells."""
    limits = Limits(case.equations, SECONDS)
    limits.propagate()
    left = limits.tighten(np.flatnonzero(case.masked).tolist())
    if left:
        raise RuntimeError(f"the limits of {len(left)} cells were not found")
    return limits


def run_gconfid(python: Path, case: Case, limit: float) -> tuple[float, NDArray[np.int64]] | None:
    """Return how long gconfid takes, and its limits in whole numbers, -1 for other cells; None if time is up."""
    equations = case.equations
    with TemporaryDirectory() as folder:
        given, found = Path(folder) / "given.npz", Path(folder) / "found.npz"
        sums = {"rows": equations.row_numbers, "cells": equations.cells, "factors": equations.factors}
        np.savez(given, counts=case.counts, masked=case.masked, **sums)
        command = [python, "-c", GCONFID, given, found]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=limit)  # noqa: S603 - ours
        except subprocess.TimeoutExpired:
            return None
        if done.returncode:
            raise RuntimeError(f"gconfid failed:\n{done.stderr}")
        with np.load(found) as told:
            ends = np.full((2, case.counts.size), -1, dtype=np.int64)
            ends[:, told["cells"]] = np.ceil(told["ends"][:, 0] - NEAR), np.floor(told["ends"][:, 1] + NEAR)
            return float(told["seconds"]), ends


def solve_twice(case: Case, cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the limits of some masked cells in whole numbers, each from a new solver: as sdcTable's attack does."""
    equations, columns = case.equations, np.flatnonzero(case.masked)
    number = np.full(case.counts.size, -1)
    number[columns] = np.arange(columns.size)
    is_open = case.masked[equations.cells]
    fixed = np.zeros(equations.offsets.size - 1)
    np.add.at(fixed, equations.row_numbers[~is_open], (equations.factors * case.counts[equations.cells])[~is_open])
    starts = np.zeros(fixed.size + 1, dtype=np.int32)
    np.cumsum(np.bincount(equations.row_numbers[is_open], minlength=fixed.size), out=starts[1:])
    ends = np.zeros((2, cells.size), dtype=np.int64)
    for at, cell in enumerate(cells):
        for side, sign in enumerate((1.0, -1.0)):
            model = highspy.HighsLp()
            model.num_col_, model.num_row_ = columns.size, fixed.size
            model.col_cost_ = np.where(columns == cell, sign, 0.0)
            model.col_lower_, model.col_upper_ = np.zeros(columns.size), np.full(columns.size, float(case.counts.max()))
            model.row_lower_ = model.row_upper_ = -fixed
            model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
            model.a_matrix_.start_, model.a_matrix_.index_ = starts, number[equations.cells[is_open]].astype(np.int32)
            model.a_matrix_.value_ = equations.factors[is_open].astype(np.float64)
            solver = highspy.Highs()
            solver.setOptionValue("output_flag", False)  # noqa: FBT003 - that is how HiGHS is called
            solver.setOptionValue("threads", 1)
            solver.passModel(model)
            solver.run()
            value = sign * solver.getInfo().objective_function_value
            ends[side, at] = np.ceil(value - NEAR) if side == 0 else np.floor(value + NEAR)
    return ends


def measure(size: int, python: Path | None, limit: float) -> Part:
    """Print the time of each for a table of about this size; return the figures, and what they show."""
    seconds, case = timed(lambda: make_case(FANS[size]))
    many = int(case.masked.sum())
    sums = case.equations.offsets.size - 1
    title(f"{case.counts.size:,} cells, {many:,} masked, {sums:,} sums (made in {seconds:.1f} s)")
    print(line(WIDTHS, ("", "ms a cell", "times ours", "same")), flush=True)
    figures: dict[str, Any] = {"cells": case.counts.size, "masked": many}
    ours, limits = timed(lambda: find_limits(case))
    figures["ours"] = ours / many
    _show("ours, every limit proven", ours / many, ours / many, "")
    audit, search = timed(lambda: search_equations(case.equations, K, seconds=AUDIT))
    undecided = f"{search.undecided:,} undecided" * bool(search.undecided)
    _show("ours, an audit", audit / many, ours / many, undecided)
    proofs = Check(
        f"{size:,} cells: every limit has a proof in whole numbers", f"{len(limits.steps):,} steps", _holds(limits)
    )
    checks = [proofs]
    sample = np.random.default_rng(SEED).choice(np.flatnonzero(case.masked), SAMPLE, replace=False)
    twice, ends = timed(lambda: solve_twice(case, sample))
    figures["twice"] = twice / SAMPLE
    checks.append(_compare(f"{size:,} cells: the limits of two solvers a cell", limits, sample, ends))
    _show(f"two solvers a cell, {SAMPLE} cells", twice / SAMPLE, ours / many, checks[-1].figure)
    peer = None if python is None else run_gconfid(python, case, limit)
    if peer is None:
        print(f"gconfid: {'not installed' if python is None else f'not done after {limit:,.0f} s'}", flush=True)
        return Part([figures], checks)
    figures["gconfid"] = peer[0] / many
    checks.append(
        _compare(f"{size:,} cells: gconfid's limits", limits, np.flatnonzero(case.masked), peer[1][:, case.masked])
    )
    _show("gconfid", peer[0] / many, ours / many, checks[-1].figure)
    if size == JUDGED:
        ratio = peer[0] / ours
        checks.append(Check(f"{size:,} cells: at least {AIM:g} times as fast as gconfid", f"{ratio:.0f}", ratio >= AIM))
    return Part([figures], checks)


def _show(name: str, seconds: float, ours: float, same: str) -> None:
    print(line(WIDTHS, (name, milliseconds(seconds), f"{seconds / ours:.1f}", same)), flush=True)


def _holds(limits: Limits) -> bool:
    """Return whether each limit follows from the steps, checked one after the other, and from nothing else."""
    try:
        check_steps(limits.equations, limits.steps)
    except GuaranteeError:
        return False
    low, high = limits.equations.low.copy(), limits.equations.high.copy()
    for step in limits.steps:
        ends = (low, high)[step.side]
        ends[step.cell] = (max, min)[step.side](ends[step.cell], step.limit)
    return np.array_equal(low, limits.low) and np.array_equal(high, limits.high)


def _compare(what: str, limits: Limits, cells: NDArray[np.int64], ends: NDArray[np.int64]) -> Check:
    """Return whether limits are those of a peer; ours may be narrower where whole numbers say more than fractions."""
    low, high = limits.low[cells], limits.high[cells]
    same = (low == ends[0]) & (high == ends[1])
    narrower = ~same & (low >= ends[0]) & (high <= ends[1])
    figure = f"{same.sum():,} of {cells.size:,}" + f", {narrower.sum():,} narrower" * bool(narrower.any())
    return Check(f"{what} are the same", figure, bool((same | narrower).all()))


def judge_growth(figures: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield how the time of a cell grows from the smallest table to the others."""
    for name in ("ours", "twice", "gconfid"):
        known = [one for one in figures if name in one]
        for one in known[1:]:
            cells, times = one["cells"] / known[0]["cells"], one[name] / known[0][name]
            yield f"{name}: {cells:.1f} times the cells, {times:.1f} times the time of a masked cell"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure each table, and print what was to be shown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="the smallest table alone")
    parser.add_argument("--gconfid", type=Path, help="an interpreter that has gconfid")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for gconfid on one table")
    options = parser.parse_args(arguments)
    python = options.gconfid if options.gconfid and options.gconfid.exists() else None
    compile_all()
    find_limits(make_case([[2, 2]] * 3))  # compiles what is timed
    sizes = list(FANS)[: 1 if options.quick else None]
    parts = [measure(size, python, options.limit if size <= JUDGED else min(options.limit, LARGE)) for size in sizes]
    print()
    for text in judge_growth([figure for part in parts for figure in part.figures]):
        print(text)
    export = achilles.measure()
    print()
    for check in (check for part in (*parts, export) for check in part.checks):
        print(check)


if __name__ == "__main__":
    sys.exit(main())
