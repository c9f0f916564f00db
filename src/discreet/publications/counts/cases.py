"""Cases: limits narrowed row by row, and why no whole numbers lie within them, told apart where rows do not show it."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from discreet import kernels
from discreet.data.counts import UNKNOWN
from discreet.publications.counts.equations import Equations
from discreet.publications.counts.parts import Part
from discreet.publications.counts.proofs import HIGH, LOW, Known, Refutation, Step, fit_ratio
from discreet.runtime.solver import Numbers

STEPS: Final = 50  # of propagation, for each cell and row: whole numbers may creep


def narrow(equations: Equations, low: Numbers, high: Numbers, start: Numbers | None = None) -> tuple[list[Step], int]:
    """Narrow limits by rows, from some on; return the steps, and a row that cannot be, or -1."""
    most = STEPS * (low.size + equations.offsets.size) + 10_000
    rows = equations.offsets, equations.cells, equations.factors
    first = np.arange(equations.offsets.size - 1) if start is None else start
    steps, broken = kernels.equations.propagate(*rows, *equations.users, low, high, UNKNOWN, most, first)
    found = [
        Step(cell, side, limit, ((row, 1 if factor > 0 else -1),), abs(factor))
        for cell, side, limit, row, factor in steps.tolist()
    ]
    return found, int(broken)


def fit_share(equations: Equations, number: int, low: Numbers, high: Numbers) -> list[Step] | None:
    """Narrow the limits of a part and a whole by their published share; return the steps, None if no counts have it."""
    *pair, ratio = equations.ratios[number]
    fit = fit_ratio(ratio.low, ratio.high, *((int(low[at]), int(high[at])) for at in pair))
    if fit is None:
        return None
    steps = []
    for cell, ends in zip(pair, fit, strict=True):
        for side, limit in enumerate(ends):
            limits = low if side == LOW else high
            if limit > limits[cell] if side == LOW else limit < limits[cell]:
                limits[cell] = limit
                steps.append(Step(cell, side, limit, ratio=number))
    return steps


def _refute_at_once(equations: Equations, low: Numbers, high: Numbers) -> tuple[list[Step], bool]:
    """Narrow limits by rows and shares in turn; return the steps, and whether they leave no whole numbers."""
    steps = list[Step]()
    while True:
        found, broken = narrow(equations, low, high)
        steps += found
        if broken >= 0:
            return [*steps, *_cross(equations, broken, low, high)], True
        fitted = list[Step]()
        for number, (cell, _, _) in enumerate(equations.ratios):
            own = fit_share(equations, number, low, high)
            if own is None:
                return [*steps, *fitted, Step(cell, HIGH, int(low[cell]) - 1, ratio=number)], True
            fitted += own
        steps += fitted
        if not fitted:
            return steps, False


def split_cases(equations: Equations, part: Part, low: Numbers, high: Numbers, left: list[int]) -> Refutation | None:
    """Return why no whole numbers lie within limits, case by case; None if that is not shown in time."""
    left[0] -= 1
    if left[0] < 0:
        return None
    steps, is_refuted = _refute_at_once(equations, low, high)
    if is_refuted:
        return Refutation(tuple(steps))
    widths = high[part.cells] - low[part.cells]
    widths[widths == 0] = UNKNOWN
    cell = int(part.cells[np.argmin(widths)])
    split = int(low[cell] + (high[cell] - low[cell]) // 2)
    if low[cell] == high[cell]:
        return None
    cases = []
    for side in (HIGH, LOW):
        ends = low.copy(), high.copy()
        ends[side][cell] = split if side == HIGH else split + 1
        found = split_cases(equations, part, *ends, left)
        if found is None:
            return None
        cases.append(found)
    return Refutation(tuple(steps), cell, split, tuple(cases))


def _cross(equations: Equations, row: int, low: Numbers, high: Numbers) -> Iterator[Step]:
    """Yield a step that leaves no value for a cell of a row that cannot be, unless one has none already."""
    cells = [cell for cell, _ in equations.row(row)]
    if (low[cells] > high[cells]).any():
        return
    for cell, factor in equations.row(row):
        for side in (LOW, HIGH):
            step = Step(cell, side, 0, ((row, 1 if factor > 0 else -1),), abs(factor))
            known = Known(equations)
            known.limits = [low.tolist(), high.tolist()]
            limit = known.find_limit(step)
            if limit is not None and (limit > high[cell] if side == LOW else limit < low[cell]):
                yield step._replace(limit=limit)
                return
