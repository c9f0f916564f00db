"""Proofs: why a count is at least or at most some number, step by step; checked by code that solves nothing."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from discreet.data.counts import UNKNOWN
from discreet.errors import GuaranteeError
from discreet.publications.counts.equations import Equations
from discreet.publications.rules.intervals import Interval, fit_counts

LOW, HIGH = 0, 1
Limit: TypeAlias = tuple[int, int]  # a cell, and which of its limits: LOW or HIGH


class Refutation(NamedTuple):
    """Steps from an assumption to a contradiction: a cell whose lower limit is above its upper one.

    If they do not lead there by themselves, two ``cases`` do: the count of ``cell`` is at most ``split``, or more.
    """

    steps: tuple["Step", ...]
    cell: int = -1
    split: int = -1
    cases: tuple["Refutation", ...] = ()


class Step(NamedTuple):
    """The count of ``cell`` is at least (``side`` 0) or at most (1) ``limit``.

    Each row adds up to 0, so ``scale`` times the count is that minus the rows, each times its weight; the limits that
    are known of the other cells bound it. A ``ratio`` is a published share that bounds it instead. A ``refutation``
    shows that there would be no whole numbers otherwise.
    """

    cell: int
    side: int
    limit: int
    rows: tuple[tuple[int, int], ...] = ()
    scale: int = 1
    ratio: int | None = None
    refutation: Refutation | None = None


class Known:
    """The limits that steps have shown so far, those of the tables at first."""

    def __init__(self, equations: Equations) -> None:
        """Begin with what the tables say."""
        self.equations = equations
        self.limits = [equations.low.tolist(), equations.high.tolist()]

    def take(self, step: Step) -> None:
        """Take over the limit of a step, or refuse it if it does not follow."""
        value = self.find_limit(step)
        if value is None or (value < step.limit if step.side == LOW else value > step.limit):
            raise GuaranteeError("a step of a proof does not follow from the tables; it is no proof")
        ends = self.limits[step.side]
        ends[step.cell] = max(ends[step.cell], step.limit) if step.side == LOW else min(ends[step.cell], step.limit)

    def find_limit(self, step: Step) -> int | None:
        """Return the limit that follows for the cell of a step; None if none does."""
        if step.ratio is not None:
            return self._fit(step)
        if step.refutation is None:
            return self._add_up(step)
        otherwise = step.limit - 1 if step.side == LOW else step.limit + 1
        return step.limit if self._is_refuted(step.refutation, step.cell, 1 - step.side, otherwise) else None

    def _is_refuted(self, refutation: Refutation, cell: int, side: int, limit: int) -> bool:
        """Return whether an assumed limit of a cell leads to a contradiction."""
        assumed = Known(self.equations)
        assumed.limits = [ends.copy() for ends in self.limits]
        ends = assumed.limits[side]
        ends[cell] = max(ends[cell], limit) if side == LOW else min(ends[cell], limit)
        for step in refutation.steps:
            assumed.take(step)
        if any(low > high for low, high in zip(*assumed.limits, strict=True)):
            return True
        if len(refutation.cases) < 2:  # noqa: PLR2004 - at most, and more
            return False
        less, more = refutation.cases
        where, split = refutation.cell, refutation.split
        return assumed._is_refuted(less, where, HIGH, split) and assumed._is_refuted(more, where, LOW, split + 1)

    def terms(self, step: Step) -> dict[int, int]:
        """Return the factor of each cell in the sum that a step bounds by."""
        times = {step.cell: step.scale}
        for row, weight in step.rows:
            for cell, factor in self.equations.row(row):
                times[cell] = times.get(cell, 0) - weight * factor
        return {cell: factor for cell, factor in times.items() if factor}

    def _add_up(self, step: Step) -> int | None:
        total = 0
        for cell, factor in self.terms(step).items():
            end = self.limits[LOW if (factor > 0) == (step.side == LOW) else HIGH][cell]
            if end >= UNKNOWN:
                return None
            total += factor * end
        return -(-total // step.scale) if step.side == LOW else total // step.scale

    def _fit(self, step: Step) -> int | None:
        part, whole, ratio = self.equations.ratios[step.ratio or 0]
        fit = fit_ratio(ratio.low, ratio.high, *((self.limits[LOW][at], self.limits[HIGH][at]) for at in (part, whole)))
        if step.cell not in {part, whole}:
            return None
        if fit is None:  # no counts have the share, so anything follows
            return step.limit
        return fit[step.cell == whole][step.side]


def fit_ratio(
    low: Fraction, high: Fraction, part: tuple[int, int], whole: tuple[int, int]
) -> tuple[tuple[int, int], ...] | None:
    """Return the limits of two counts whose quotient is a share within limits; None if there are none.

    >>> fit_ratio(Fraction(328, 1000), Fraction(338, 1000), (0, 100), (3, 3))
    ((1, 1), (3, 3))
    """
    fit = fit_counts(Interval(low, high), whole, part)
    return None if fit is None else (fit.both, fit.held)


def check_steps(equations: Equations, steps: Iterable[Step]) -> None:
    """Return if each step follows from the tables and the steps before it; else raise a GuaranteeError."""
    known = Known(equations)
    for step in steps:
        known.take(step)


class Steps:
    """Steps in their order, to be asked which of them a limit rests on."""

    def __init__(self, equations: Equations, steps: Sequence[Step]) -> None:
        """Note the steps about each limit."""
        self.known, self.steps = Known(equations), steps
        self.about = defaultdict[Limit, list[int]](list)
        for number, step in enumerate(steps):
            self.about[step.cell, step.side].append(number)

    def select(self, wanted: Iterable[Limit]) -> tuple[Step, ...]:
        """Return the steps, in their order, that the last of some limits rest on."""
        needed, queue = set[int](), [(limit, len(self.steps)) for limit in wanted]
        while queue:
            limit, before = queue.pop()
            number = next((at for at in reversed(self.about.get(limit, ())) if at < before), None)
            if number is not None and number not in needed:
                needed.add(number)
                queue += [(used, number) for used in list_used(self.known, self.steps[number])]
        return tuple(self.steps[number] for number in sorted(needed))


def list_used(known: Known, step: Step) -> Iterator[Limit]:
    """Yield the limits that a step uses, each a cell and a side."""
    if step.refutation is not None:  # which may use any limit
        yield from ((cell, side) for cell in range(len(known.equations.keys)) for side in (LOW, HIGH))
        return
    if step.ratio is not None:
        part, whole, _ = known.equations.ratios[step.ratio]
        yield from ((cell, side) for cell in (part, whole) for side in (LOW, HIGH))
        return
    for cell, factor in known.terms(step).items():
        yield cell, LOW if (factor > 0) == (step.side == LOW) else HIGH
