"""Controlled rounding: multiples of a base in the place of counts, which add up, and change as little as can be."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from time import monotonic
from typing import Final

import numpy as np

from discreet.blocking.tables.problem import TableProblem, TableProof, TableSolution, key_of
from discreet.data.counts import UNKNOWN, Cell, Counts, State, Table
from discreet.errors import BudgetError, Either, GuaranteeError, OptionError
from discreet.publications.counts.equations import Key
from discreet.publications.counts.revealed import find_revealed
from discreet.runtime.solver import Numbers, Program, Terms
from discreet.runtime.text import count_of

TINY: Final = 1e-6  # of a solver's bound, relative to it: changes are whole numbers


def round_counts(problem: TableProblem) -> TableSolution:
    """Return tables whose counts are rounded to multiples of a base, and still add up (Cox 1987).

    Each is less than the base away from its count, and multiples of the base stay (zero-restricted). Where no such
    numbers add up, as can be with three attributes, each is less than twice the base away. If all counts are shown and
    the base is k or more, nothing small follows: the rounded numbers are a table that fits, in which each count is 0 or
    at least k. Counts that are masked stay so, and numbers must exist that they could be rounded to.
    """
    until = monotonic() + problem.seconds
    for base in list_bases(problem):
        for reach in (1, 2):
            rounding = Rounding(problem, base, reach)
            solution = rounding.solve(max(1.0, until - monotonic()))
            if solution is None:
                continue
            if problem.base is not None or base >= problem.policy.k or not _reveals(solution):  # else try the next base
                return solution
            break
    if monotonic() >= until:
        raise BudgetError("no rounded numbers that add up were found in time; ", Either(("raise {}", "seconds")))
    raise OptionError(
        "no numbers near the counts of these tables add up once they are rounded; use the method 'suppress'"
    )


def list_bases(problem: TableProblem) -> Iterator[int]:
    """Yield the bases to try: the one asked for, or multiples of the policy's, or k.

    A count that is rounded to a base b is known to be from 1 to 2b − 1, so 2b must be above k.
    """
    k, unit = problem.policy.k, problem.policy.round_to
    if problem.base is not None:
        yield problem.base
    elif unit is None:
        yield k
    else:
        yield from dict.fromkeys((unit * ((k // 2) // unit + 1), unit * -(-k // unit)))


def _reveals(solution: TableSolution) -> bool:
    policy = solution.problem.policy
    search = find_revealed(solution.counts, policy.k, width=policy.width)
    return bool(search.found or search.find_shown(policy.k))


@dataclass(frozen=True, eq=False)
class Rounding:
    """The rounding of counts to a base, each less than ``reach`` times the base away."""

    problem: TableProblem
    base: int
    reach: int

    @cached_property
    def exact(self) -> Numbers:
        """The counts that are rounded: those that are shown exactly."""
        equations = self.problem.equations
        return np.flatnonzero((equations.states == State.EXACT) & (equations.low == equations.high))

    @cached_property
    def _others(self) -> Numbers:
        return np.setdiff1d(np.arange(len(self.problem.equations.keys)), self.exact)

    def solve(self, seconds: float) -> TableSolution | None:
        """Return the tables with the least sum of changes; None if no rounded numbers add up, or none were found."""
        if not self.exact.size:
            return TableSolution(self.problem, self.problem.counts, rounded={}, proof=TableProof(0, 0, stopped=False))
        solved = self._build().solve(seconds=seconds, gap=0.0)
        if solved.values is None:
            return None
        values = np.rint(solved.values).astype(np.int64)
        counts = self.problem.equations.low[self.exact]
        steps = values[: 3 * self.exact.size].reshape(3, -1)
        rounded = self.base * (counts // self.base + steps[0] + steps[1] - steps[2])
        self._check(rounded, values[3 * self.exact.size :])
        cost = int(np.abs(rounded - counts).sum())
        fixed = int((counts % self.base).sum())
        bound = ceil(solved.bound + fixed - TINY * max(1.0, abs(solved.bound))) if np.isfinite(solved.bound) else 0
        keys = [self.problem.equations.keys[number] for number in self.exact.tolist()]
        by_key = dict(zip(keys, rounded.tolist(), strict=True))
        proof = TableProof(cost, min(cost, max(0, bound)), stopped=solved.stopped)
        return TableSolution(self.problem, self._publish(by_key), rounded=by_key, proof=proof, note=self._describe())

    def _build(self) -> Program:
        """Return the program: steps of the base up to the next multiple, and a further one up or down if allowed.

        Of the other counts, masked ones and such, there must be multiples that are as near to their limits.
        """
        equations, base, counts = self.problem.equations, self.base, self.problem.equations.low[self.exact]
        below, rest = counts // base, counts % base
        program, more = Program(), float(self.reach - 1)
        first = program.add_columns(counts.size, cost=base - 2 * rest, upper=np.minimum(rest, 1), whole=True)
        up = program.add_columns(counts.size, cost=base, upper=more, whole=True)
        down = program.add_columns(counts.size, cost=base, upper=np.minimum(below, more), whole=True)
        low, high, away = equations.low[self._others], equations.high[self._others], self.reach * base - 1
        upper = np.where(high == UNKNOWN, np.inf, (high + away) // base)
        lower = np.maximum(0, -((away - low) // base))
        columns = np.empty(len(equations.keys), np.int64)
        columns[self.exact] = first
        columns[self._others] = program.add_columns(self._others.size, lower=lower, upper=upper, whole=True)
        factors, place = equations.factors.astype(np.float64), np.full(len(equations.keys), -1)
        place[self.exact] = np.arange(counts.size)
        known = place[equations.cells] >= 0
        at, rows = place[equations.cells[known]], equations.row_numbers[known]
        terms = [Terms(equations.row_numbers, columns[equations.cells], factors)]
        terms += [Terms(rows, step[at], sign * factors[known]) for step, sign in ((up, 1), (down, -1))]
        fixed = np.zeros(equations.offsets.size - 1, dtype=np.int64)
        np.add.at(fixed, rows, equations.factors[known] * below[at])
        program.add_rows(fixed.size, *terms, lower=-fixed, upper=-fixed)
        return program

    def _check(self, rounded: Numbers, others: Numbers) -> None:
        """Refuse numbers that do not add up, or are too far away, whatever the solver says."""
        equations = self.problem.equations
        every = np.zeros(len(equations.keys), dtype=np.int64)
        every[self._others], every[self.exact] = self.base * others, rounded
        sums = np.zeros(equations.offsets.size - 1, dtype=np.int64)
        np.add.at(sums, equations.row_numbers, equations.factors * every[equations.cells])
        far = np.abs(rounded - equations.low[self.exact]) >= self.reach * self.base
        if sums.any() or far.any() or (every < 0).any() or (rounded % self.base).any():
            raise GuaranteeError("rounded numbers do not add up; nothing is released: please report this as a bug")

    def _publish(self, rounded: dict[Key, int]) -> Counts:
        tables = tuple(self._publish_table(table, rounded) for table in self.problem.counts.tables)
        return replace(self.problem.counts, tables=tables)

    def _publish_table(self, table: Table, rounded: dict[Key, int]) -> Table:
        cells = (self._replace(cell, rounded.get(key_of(table, cell.at))) for cell in table.cells)
        return replace(table, cells=tuple(cells), ratios=())  # shares of exact counts would say more

    def _replace(self, cell: Cell, number: int | None) -> Cell:
        if number is None or cell.state is not State.EXACT:
            return cell
        away = self.reach * self.base - 1
        return cell._replace(low=max(0, number - away), high=number + away, state=State.LIMITS, mark=str(number))

    def _describe(self) -> str:
        far = "" if self.reach == 1 else " No such numbers are all less than the base away: some are up to twice that."
        ratios = sum(len(table.ratios) for table in self.problem.counts.tables)
        shares = f" {count_of(ratios, 'share')} of exact counts {'is' if ratios == 1 else 'are'} left out." * bool(
            ratios
        )
        return f"Counts are rounded to multiples of {self.base:,}, and still add up.{far}{shares}"
