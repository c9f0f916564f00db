"""Masking: the mark that new masks get, and what a reader takes from it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.blocking.tables.problem import TableProblem, key_of
from discreet.data.counts import UNKNOWN, Cell, Counts, State, Table
from discreet.publications.counts.equations import Equations, Key
from discreet.runtime.solver import Numbers

Flags = NDArray[np.bool_]
MARKS: Final = ("*", "**", "[suppressed]", "[masked]")  # the first that says no range is taken


class Masking(NamedTuple):
    """The ``mark`` of new masks, the least count that a reader takes it for, and marks with ranges that stay.

    All new masks get one mark, so that it does not tell a small count from one that protects it. Counts of 0 are never
    masked unless all of them are, so a reader takes a mark for at least 1. Where a mark such as ``<11`` stays in use,
    each count that it fits has it, so a reader takes the other mark for 11 at least.

    >>> Masking("*", 11, (("<11", 1, 10),)).describe(3, 3), Masking("*", 1, ()).describe(3, 3)
    (('<11', 1, 10), ('*', 1, 9007199254740992))
    """

    mark: str
    low: int
    ranges: tuple[tuple[str, int, int], ...]

    def describe(self, low: int, high: int) -> tuple[str, int, int]:
        """Return the mark, and the limits that it says, of a count between two limits."""
        fitting = (one for one in self.ranges if one[1] <= low and high <= one[2])
        return next(fitting, (self.mark, min(self.low, low), UNKNOWN))


def list_maskings(problem: TableProblem) -> Iterator[Masking]:
    """Yield the ways to mask: with the marks that have a range, and without them, if any has one.

    They stay only where a reader takes nothing else from the mark without a range than "this or more": each count below
    must fit one of them.
    """
    hidden = [cell for cell in problem.counts if cell.state is State.MASKED]
    ranges = sorted(
        {(cell.mark, cell.low, cell.high) for cell in hidden if cell.high < UNKNOWN}, key=lambda one: one[1:]
    )
    least = int(not problem.hides_zeros)
    low = least
    for _, start, end in ranges:
        low = end + 1 if start <= low <= end else low
    open_marks = [cell.mark for cell in hidden if cell.high == UNKNOWN and cell.mark]
    mark = next((mark for mark in (*open_marks, *MARKS) if mark not in {one[0] for one in ranges}), MARKS[0])
    if all(end < low for _, _, end in ranges):
        yield Masking(mark, low, tuple(ranges))
    if ranges:
        yield Masking(open_marks[0] if open_marks else MARKS[0], least, ())


@dataclass(frozen=True, eq=False)
class MaskableTables:
    """Tables of which counts can be masked: what then is known about each."""

    problem: TableProblem
    masking: Masking

    @cached_property
    def plain(self) -> Equations:
        """The equations before any count is masked; marks with a range say less if these are given up."""
        equations = self.problem.equations
        if self.masking.ranges:
            return equations
        is_masked = (equations.states == State.MASKED) & (equations.high < UNKNOWN)
        low = np.where(is_masked, np.minimum(equations.low, self.masking.low), equations.low)
        return replace(equations, low=low, high=np.where(is_masked, UNKNOWN, equations.high))

    @cached_property
    def limits(self) -> tuple[Numbers, Numbers]:
        """The limits of each count once it is masked, also those that a mask in another table says."""
        equations = self.plain
        pairs = zip(equations.low.tolist(), equations.high.tolist(), strict=True)
        low, high = (
            np.array([self.masking.describe(*pair)[1:] for pair in pairs], dtype=np.int64).reshape(-1, 2).T.copy()
        )
        for table in self.problem.counts.tables if self.masking.ranges else ():
            for cell in (cell for cell in table.cells if cell.state is State.MASKED):
                number = self.problem.numbers[key_of(table, cell.at)]
                low[number], high[number] = max(low[number], cell.low), min(high[number], cell.high)
        return low, high

    @cached_property
    def is_shown(self) -> Flags:
        """The counts that a table shows, exactly or within limits."""
        return self.plain.states < State.MASKED

    @cached_property
    def is_maskable(self) -> Flags:
        """The counts that can be masked: those shown that can be above 0, and those whose share is shown."""
        has_share = np.zeros(self.is_shown.size, dtype=np.bool_)
        has_share[[part for part, _, _ in self.plain.ratios]] = True
        return (self.is_shown | has_share) & ((self.plain.high > 0) | self.problem.hides_zeros)

    @cached_property
    def is_primary(self) -> Flags:
        """The counts that are shown, but are too small."""
        low, high = self.plain.low, self.plain.high
        is_small: Flags = (low >= 1) & (high < self.problem.policy.k)
        is_zero: Flags = (high == 0) & self.problem.hides_zeros
        return self.is_shown & (is_small | is_zero)

    def mask(self, masked: Flags) -> Equations:
        """Return the equations once some counts are masked. The share of a masked count is left out too."""
        equations, (low, high) = self.plain, self.limits
        hidden = masked & self.is_shown
        return replace(
            equations,
            low=np.where(hidden, low, equations.low),
            high=np.where(hidden, high, equations.high),
            states=np.where(hidden, np.uint8(State.MASKED), equations.states),
            ratios=tuple(one for one in equations.ratios if not masked[one[0]]),
        )

    def publish(self, masked: Flags) -> Counts:
        """Return the tables in which some counts are masked."""
        keys = frozenset(self.list_keys(masked))
        return replace(
            self.problem.counts, tables=tuple(self._publish(one, keys) for one in self.problem.counts.tables)
        )

    def list_keys(self, masked: Flags) -> Iterable[Key]:
        """Return the counts that are masked."""
        return (self.plain.keys[number] for number in np.flatnonzero(masked).tolist())

    def _publish(self, table: Table, keys: frozenset[Key]) -> Table:
        cells = tuple(self._replace(cell, is_masked=key_of(table, cell.at) in keys) for cell in table.cells)
        ratios = tuple(one for one in table.ratios if key_of(table, one.part) not in keys)
        return replace(table, cells=cells, ratios=ratios)

    def _replace(self, cell: Cell, *, is_masked: bool) -> Cell:
        if cell.state is State.MASKED:
            is_open = cell.high == UNKNOWN or bool(self.masking.ranges)
            mark, low = cell.mark or self.masking.mark * is_masked, min(cell.low, self.masking.low)
            return cell._replace(mark=mark) if is_open else cell._replace(low=low, high=UNKNOWN, mark=self.masking.mark)
        if not is_masked:
            return cell
        mark, low, high = self.masking.describe(cell.low, cell.high)
        return cell._replace(low=low, high=high, state=State.MASKED, mark=mark)
