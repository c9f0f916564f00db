"""Unknowns: whole numbers within limits whose sums are known, and how many tables give each of them each value."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.runtime.solver import Numbers

EDGES: Final = 100_000  # from one state to another, of one table
LONG: Final = 1 << 12  # bits of a weight that make an edge cost twice as much


class Unknowns(NamedTuple):
    """Whole numbers from ``low`` to ``high``, so that each line of ``factors`` times them is one of ``totals``.

    A table weighs as much as the product of 1 / (z!) ** power over its numbers z: a power of 1 for innermost cells
    makes lists of people equally likely, and powers of 0 make tables equally likely.
    """

    low: Numbers
    high: Numbers
    factors: NDArray[np.int64]
    totals: Numbers
    powers: Numbers

    def list_weights(self, column: int) -> dict[int, int]:
        """Return the weight of each value of a number, all multiplied by the same.

        >>> two = np.array([2])
        >>> Unknowns(0 * two, two, two[None], two, two // 2).list_weights(0)
        {0: 2, 1: 2, 2: 1}
        """
        low, high, power = int(self.low[column]), int(self.high[column]), int(self.powers[column])
        values = range(low, high + 1) if power < 0 else range(high, low - 1, -1)
        weights, weight = dict[int, int](), 1
        for value in values:
            if value != values[0]:
                weight *= (value if power < 0 else value + 1) ** abs(power)
            weights[value] = weight
        return dict(sorted(weights.items()))


class Spread(NamedTuple):
    """How probable each value of a number is: whole weights of values, and their sum."""

    weights: dict[int, int]
    total: int

    def chance(self, values: Sequence[int] | range) -> Fraction:
        """Return how probable it is that the number is one of some values."""
        return Fraction(sum(weight for value, weight in self.weights.items() if value in values), self.total)

    @property
    def likeliest(self) -> int:
        """The most probable value, the lowest one of several."""
        return min(self.weights, key=lambda value: (-self.weights[value], value))

    @property
    def mean(self) -> Fraction:
        """The expected value."""
        return Fraction(sum(value * weight for value, weight in self.weights.items()), self.total)


class _Line(NamedTuple):
    """A sum at a column: its place in the state, its total if it begins here, its factor, and what later ones add."""

    place: int
    total: int
    factor: int
    least: int
    most: int


class _Step(NamedTuple):
    """How a state, what is left of each open sum, goes on when a column is filled.

    ``after`` has for each sum that stays open its place before, or -1 and its place among the lines.
    """

    column: int
    lines: list[_Line]
    after: list[tuple[int, int]]

    def list_values(self, state: tuple[int, ...], low: int, high: int) -> tuple[list[int], range]:
        """Return what is left of the sums of the column, and the values that later columns can complete."""
        rests = [line.total if line.place < 0 else state[line.place] for line in self.lines]
        for rest, line in zip(rests, self.lines, strict=True):
            ends = (rest - line.most, rest - line.least)
            first, last = ends if line.factor > 0 else (-ends[1], -ends[0])
            size = abs(line.factor)
            low, high = max(low, -(-first // size)), min(high, last // size)
        return rests, range(low, high + 1)

    def go_on(self, state: tuple[int, ...], rests: list[int], value: int) -> tuple[int, ...]:
        """Return what is left of open sums."""
        return tuple(
            state[before] if own < 0 else rests[own] - self.lines[own].factor * value for before, own in self.after
        )


class _Edge(NamedTuple):
    """From the state ``start``, a column gets ``value``; that leads ``to`` another."""

    start: int
    value: int
    to: int


def count_values(unknowns: Unknowns, *, edges: int = EDGES) -> list[Spread] | None:
    """Return how probable each value of each number is, in exact numbers; None if counting takes too long.

    Columns are filled one after the other, and tables that leave the same sums open are one state: that counts all
    tables without listing them, as a transfer matrix does. Where no table fits, all weights are 0.

    >>> ones = np.ones(2, np.int64)
    >>> found = count_values(Unknowns(0 * ones, 2 * ones, ones[None], np.array([2]), ones))
    >>> [(spread.weights, str(spread.chance([1]))) for spread in found]
    [({0: 2, 1: 4, 2: 2}, '1/2'), ({0: 2, 1: 4, 2: 2}, '1/2')]
    """
    steps, weights = _plan(unknowns), list[dict[int, int]]()
    bits = float((np.abs(unknowns.powers) * (unknowns.high - unknowns.low) * np.log2(unknowns.high + 2.0)).sum())
    cost, left = 1 + bits / LONG, float(edges)
    if (left := left - cost * float((unknowns.high - unknowns.low).max(initial=0))) < 0:
        return None
    states: dict[tuple[int, ...], int] = {(): 0}
    layers = list[tuple[list[_Edge], int]]()
    for step in steps:
        low, high = int(unknowns.low[step.column]), int(unknowns.high[step.column])
        ranges = [step.list_values(state, low, high) for state in states]
        left -= cost * sum(len(values) for _, values in ranges)
        if left < 0:
            return None
        found, following = list[_Edge](), dict[tuple[int, ...], int]()
        for (state, number), (rests, values) in zip(states.items(), ranges, strict=True):
            for value in values:
                to = following.setdefault(step.go_on(state, rests, value), len(following))
                found.append(_Edge(number, value, to))
        layers.append((found, len(following)))
        weights.append(unknowns.list_weights(step.column))
        states = following
    return _add_up(layers, weights, [step.column for step in steps])


def _add_up(
    layers: Sequence[tuple[list[_Edge], int]], weights: Sequence[dict[int, int]], order: Sequence[int]
) -> list[Spread]:
    """Return for each column the weight of all tables with each value."""
    ahead = [[1]]
    for (edges, many), own in zip(layers, weights, strict=True):
        sums = [0] * many
        for edge in edges:
            sums[edge.to] += ahead[-1][edge.start] * own[edge.value]
        ahead.append(sums)
    found, behind = [Spread({}, 0)] * len(order), [1] * len(ahead[-1])
    for number in reversed(range(len(order))):
        before, by_value = [0] * len(ahead[number]), dict[int, int]()
        for edge in layers[number][0]:
            ways = weights[number][edge.value] * behind[edge.to]
            before[edge.start] += ways
            by_value[edge.value] = by_value.get(edge.value, 0) + ahead[number][edge.start] * ways
        kept = {value: ways for value, ways in sorted(by_value.items()) if ways}
        found[order[number]], behind = Spread(kept, sum(kept.values())), before
    return found


def _order_columns(is_in: NDArray[np.bool_], many: Numbers) -> list[int]:
    """Return the columns, of so ``many`` values each, in an order that keeps the number of states low.

    Each time a column that opens few sums and ends many; one that ends a sum has a single value in each state.

    >>> is_in = np.array([[True, True, False, False], [False, True, False, True], [True, False, True, False]])
    >>> _order_columns(is_in, np.array([2, 2, 2, 2]))
    [2, 0, 1, 3]
    """
    spread = np.log2(many)
    left = is_in.sum(axis=1)
    is_open, is_free, order = np.zeros(len(is_in), dtype=np.bool_), np.ones(is_in.shape[1], dtype=np.bool_), []
    for _ in range(is_in.shape[1]):
        opened, ended = (~is_open) @ is_in.astype(np.int64), (left == 1) @ is_in.astype(np.int64)
        cost = opened - ended + np.where(ended, 0.0, spread)
        column = int(np.where(is_free, cost, np.inf).argmin())
        order.append(column)
        is_free[column] = False
        is_open |= is_in[:, column]
        left = left - is_in[:, column]
    return order


def _plan(unknowns: Unknowns) -> list[_Step]:
    """Return the steps of filling the columns in an order."""
    factors, order = unknowns.factors, _order_columns(unknowns.factors != 0, unknowns.high - unknowns.low + 1)
    ends = np.stack([factors * unknowns.low, factors * unknowns.high])
    least, most = ends.min(axis=0)[:, order], ends.max(axis=0)[:, order]
    least, most = (one.sum(axis=1, keepdims=True) - one.cumsum(axis=1) for one in (least, most))
    last = [max(np.flatnonzero(line[order]).tolist(), default=-1) for line in factors]
    steps, before = list[_Step](), list[int]()
    for at, column in enumerate(order):
        own = np.flatnonzero(factors[:, column]).tolist()
        place = {number: turn for turn, number in enumerate(before)}
        lines = [
            _Line(
                place.get(number, -1),
                int(unknowns.totals[number]),
                int(factors[number, column]),
                int(least[number, at]),
                int(most[number, at]),
            )
            for number in own
        ]
        kept = [number for number in before if number not in own]
        going = [number for number in own if last[number] > at]
        after = [(place[number], -1) for number in kept] + [(-1, own.index(number)) for number in going]
        steps.append(_Step(column, lines, after))
        before = kept + going
    return steps
