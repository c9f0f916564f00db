"""Limits of all masked counts: those of linear programs, rounded to whole numbers, each with a proof."""

from dataclasses import replace
from math import ceil, floor

import numpy as np
from hypothesis import given, settings
from scipy.optimize import linprog
from test_counts import published

from discreet.data.counts import UNKNOWN, Cell, Counts, Dimension, State, Table
from discreet.publications.counts.equations import list_equations
from discreet.publications.counts.limits import Limits
from discreet.publications.counts.proofs import check_steps
from discreet.publications.counts.revealed import find_revealed


def solve(equations, low, high):
    """Return the least and largest value of each cell by linear programs, rounded to whole numbers within."""
    low, high = low.copy(), high.copy()
    sums = np.zeros((equations.offsets.size - 1, low.size))
    np.add.at(sums, (equations.row_numbers, equations.cells), equations.factors)
    bounds = [(one, None if other >= UNKNOWN else other) for one, other in zip(low, high, strict=True)]
    how = {"A_eq": sums, "b_eq": np.zeros(sums.shape[0])} if sums.size else {}
    for cell in range(low.size):
        costs = np.zeros(low.size)
        costs[cell] = 1
        low[cell] = ceil(linprog(costs, **how, bounds=bounds).fun - 1e-6)
        largest = linprog(-costs, **how, bounds=bounds)
        if largest.status != 3:  # it is limited
            high[cell] = floor(-largest.fun + 1e-6)
    return low, high


@settings(max_examples=150)
@given(published())
def test_all_limits_are_those_of_linear_programs_in_whole_numbers(case):
    equations = list_equations(case[2])
    hidden = np.flatnonzero(equations.states >= State.MASKED)
    once = ends = solve(equations, equations.low, equations.high)
    while True:  # where fractions were rounded, other limits may follow
        again = solve(equations, *ends)
        if all(map(np.array_equal, ends, again)):
            break
        ends = again
    limits = Limits(equations)
    limits.propagate()
    assert limits.tighten(hidden.tolist()) == []
    assert (once[0] <= limits.low)[hidden].all()
    assert (limits.low <= ends[0])[hidden].all()
    assert (once[1] >= limits.high)[hidden].all()
    assert (limits.high >= ends[1])[hidden].all()
    check_steps(equations, limits.steps)


def make_crossed(*more, below=()):
    """Return a table with two masked counts in every line, and yet w b follows from several sums.

    230 + 250 − 89 − 124 − 31 − (1012 + 779 − 892 − 710) = 47. Column b may have values ``below``.
    """
    masked = {"wa", "wb", "wc", "xa", "xc", "yb", "yd", "zb", "zd"}
    inner = {"w": (30, 47, 64, 89), "x": (90, 124, 5, 31), "y": (92, 100, 59, 85), "z": (800, 991, 651, 685)}
    counts = {(row, column): many for row, line in inner.items() for column, many in zip("abcd", line, strict=True)}
    cells = [Cell((None, None), 3943, 3943)]
    cells += [Cell((row, None), sum(line), sum(line)) for row, line in inner.items()]
    cells += [Cell((None, one), *[sum(line["abcd".index(one)] for line in inner.values())] * 2) for one in "abcd"]
    for at, many in counts.items():
        cells.append(Cell(at, 0, UNKNOWN, State.MASKED) if "".join(at) in masked else Cell(at, many, many))
    columns = Dimension("column", (*"abcd", *below), dict.fromkeys(below, "b"))
    return Counts((Table("", (Dimension("row", tuple("wxyz")), columns), (*cells, *more)),))


def test_limits_that_no_single_sum_shows_are_found_and_proven():
    equations = list_equations(make_crossed())
    limits = Limits(equations)
    limits.propagate()
    hidden = np.flatnonzero(equations.states >= State.MASKED).tolist()
    alone = next(cell for cell in hidden if str(equations.keys[cell]) == "column b, row w")
    assert limits.low[alone] < limits.high[alone]
    assert limits.tighten(hidden) == []
    assert (limits.low[alone], limits.high[alone]) == (47, 47)
    check_steps(equations, limits.steps)


def test_a_small_rest_of_a_total_that_only_several_sums_show_is_found():
    parts = Cell(("w", "b1"), 44, 44), *(Cell(("w", one), 0, UNKNOWN, State.MASKED) for one in ("b2", "b3"))
    [found] = find_revealed(make_crossed(*parts, below=("b1", "b2", "b3")), 6).found
    assert (found.kind, found.low, found.high) == ("told", 3, 3)
    assert found.who == "column b2, row w or column b3, row w"
    check_steps(found.equations, found.steps)


def test_a_rounded_count_that_only_several_sums_show_to_be_small_is_found():
    counts = make_crossed()
    [table] = counts.tables
    rounded = [Cell(one.at, 40, 50, State.LIMITS) if one.at == ("w", "b") else one for one in table.cells]
    search = find_revealed(replace(counts, tables=(replace(table, cells=tuple(rounded)),)), 48)
    assert [(str(one.keys[0]), one.low) for one in search.find_shown(48) if one.low == 47] == [("column b, row w", 47)]
