"""Unknowns: whole numbers within limits whose sums are known, and how many tables give each of them each value."""

from collections.abc import Sequence
from fractions import Fraction
from math import comb
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.runtime.solver import Numbers

EDGES: Final = 100_000  # from one state to another, of one table
LONG: Final = 1 << 16  # bits of a weight that make an edge cost twice as much


class Unknowns(NamedTuple):
    """Whole numbers from ``low`` to ``high``; each line of ``factors`` times them is one of ``totals``.

    It is at most that, where not ``is_exact``. A table weighs as much as the product of 1 / (z!) ** power over its
    numbers z: a power of 1 for innermost cells makes lists of people equally likely, and powers of 0 make tables
    equally likely.
    """

    low: Numbers
    high: Numbers
    factors: NDArray[np.int64]
    totals: Numbers
    is_exact: NDArray[np.bool_]
    powers: Numbers

    @classmethod
    def of(
        cls, low: Numbers, high: Numbers, factors: ArrayLike, totals: ArrayLike, powers: ArrayLike | None = None
    ) -> Self:
        """Return unknowns with exact sums, whose tables are equally likely unless there are ``powers``."""
        sums = np.asarray(totals, dtype=np.int64)
        lines = np.asarray(factors, dtype=np.int64).reshape(sums.size, low.size)
        return cls(
            low,
            high,
            lines,
            sums,
            np.ones(sums.size, dtype=np.bool_),
            0 * low if powers is None else np.asarray(powers, dtype=np.int64),
        )

    def add_slack(self) -> Self:
        """Return the same with exact sums alone: what is missing from a total is one more unknown.

        >>> nine = np.full(2, 9)
        >>> some = Unknowns.of(nine - 9, nine, [[1, 1]], [4])._replace(is_exact=np.array([False])).add_slack()
        >>> some.factors.tolist(), some.high.tolist()
        ([[1, 1, 1]], [9, 9, 4])
        """
        lines = np.flatnonzero(~self.is_exact)
        ends = self.factors[lines] * self.low, self.factors[lines] * self.high
        most = np.maximum(0, self.totals[lines] - np.minimum(*ends).sum(axis=1))
        nothing, slack = np.zeros_like(most), np.zeros((self.totals.size, lines.size), dtype=np.int64)
        slack[lines, np.arange(lines.size)] = 1
        low, high, powers = (
            np.concatenate(pair) for pair in ((self.low, nothing), (self.high, most), (self.powers, nothing))
        )
        return self.of(low, high, np.concatenate([self.factors, slack], axis=1), self.totals, powers)

    def find_urns(self) -> Numbers:
        """Return for each number a sum that is an urn for it, -1 if there is none.

        All numbers of the sum have the power 1, and no other urn. Then 1 / z! for all of them is, but for a constant,
        in how many ways people are drawn from what is left of the sum: far smaller whole numbers.
        """
        found = np.full(self.low.size, -1)
        for number in np.flatnonzero(self.is_exact).tolist():
            own = np.flatnonzero(self.factors[number])
            signs = np.unique(self.factors[number, own])
            if signs.size == 1 and abs(signs[0]) == 1 and (self.powers[own] == 1).all() and (found[own] < 0).all():
                found[own] = number
        return found

    def list_weights(self, column: int) -> dict[int, int]:
        """Return the weight of each value of a number, all multiplied by the same; none if all are 1.

        >>> two = np.array([2])
        >>> Unknowns.of(0 * two, two, [[1]], two, two // 2).list_weights(0)
        {0: 2, 1: 2, 2: 1}
        """
        low, high, power = int(self.low[column]), int(self.high[column]), int(self.powers[column])
        values = range(low, high + 1) if power < 0 else range(high, low - 1, -1) if power else range(0)
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
    is_exact: bool
    least: int
    most: int

    def limit(self, rest: int, low: int, high: int) -> tuple[int, int]:
        """Return which values, from ``low`` to ``high``, leave a rest that later columns can make up."""
        size = abs(self.factor)
        most = rest - self.least
        if self.factor > 0:
            low, high = max(low, -((self.most - rest) // size)) if self.is_exact else low, min(high, most // size)
        else:
            low, high = max(low, -(most // size)), min(high, (self.most - rest) // size) if self.is_exact else high
        return low, high


class _Step(NamedTuple):
    """How a state, what is left of each open sum, goes on when a column is filled.

    ``after`` has for each sum that stays open its place before, or -1 and its place among the lines. The weights of
    values are ways to draw them from what is left of the line ``urn``, or if that is -1, ``weights``, if any.
    """

    column: int
    lines: list[_Line]
    after: list[tuple[int, int]]
    urn: int
    weights: dict[int, int]

    def list_values(self, state: tuple[int, ...], low: int, high: int) -> tuple[list[int], range]:
        """Return what is left of the sums of the column, and the values that later columns can complete."""
        rests = [line.total if line.place < 0 else state[line.place] for line in self.lines]
        for rest, line in zip(rests, self.lines, strict=True):
            low, high = line.limit(rest, low, high)
        return rests, range(low, high + 1)

    def go_on(self, state: tuple[int, ...], rests: list[int], value: int) -> tuple[int, ...]:
        """Return what is left of open sums; a limit that later columns cannot reach is one that they just reach."""
        return tuple(state[before] if own < 0 else self._rest(own, rests, value) for before, own in self.after)

    def _rest(self, own: int, rests: list[int], value: int) -> int:
        line = self.lines[own]
        rest = rests[own] - line.factor * value
        return rest if line.is_exact else min(rest, line.most)

    def weigh(self, rests: list[int], value: int) -> int:
        """Return the weight of a value."""
        return self.weights.get(value, 1) if self.urn < 0 else comb(abs(rests[self.urn]), value)


class _Edge(NamedTuple):
    """From the state ``start``, a column gets ``value``; that leads ``to`` another, and has a ``weight``."""

    start: int
    value: int
    to: int
    weight: int


def count_values(unknowns: Unknowns, *, order: Sequence[int] | None = None, edges: int = EDGES) -> list[Spread] | None:
    """Return how probable each value of each number is, in exact numbers; None if counting takes too long.

    Columns are filled one after the other, in some ``order``, and tables that leave the same sums open are one state:
    that counts all tables without listing them, as a transfer matrix does. Where no table fits, all weights are 0.

    >>> ones = np.ones(2, np.int64)
    >>> found = count_values(Unknowns.of(0 * ones, 2 * ones, [[1, 1]], [2], ones))
    >>> [(spread.weights, str(spread.chance([1]))) for spread in found]
    [({0: 1, 1: 2, 2: 1}, '1/2'), ({0: 1, 1: 2, 2: 1}, '1/2')]
    """
    urns, many = unknowns.find_urns(), unknowns.high - unknowns.low + 1
    cost, left = 1 + _count_bits(unknowns, urns) / LONG, float(edges)
    if many[(urns < 0) & (unknowns.powers != 0)].sum() * cost > edges:  # their weights are listed
        return None
    steps = _plan(unknowns, urns, _order_columns(unknowns.factors != 0, many) if order is None else order)
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
                found.append(_Edge(number, value, to, step.weigh(rests, value)))
        layers.append((found, len(following)))
        states = following
    return _add_up(layers, [step.column for step in steps])


def _count_bits(unknowns: Unknowns, urns: Numbers) -> float:
    """Return about how many bits the weight of a table has."""
    size, own = np.bincount(urns[urns >= 0], minlength=unknowns.totals.size), urns < 0
    drawn = np.abs(unknowns.totals) * np.log2(np.maximum(1, size))
    powers = np.abs(unknowns.powers) * (unknowns.high - unknowns.low) * np.log2(unknowns.high + 2.0)
    return float(drawn.sum() + powers[own].sum())


def _add_up(layers: Sequence[tuple[list[_Edge], int]], order: Sequence[int]) -> list[Spread]:
    """Return for each column the weight of all tables with each value."""
    ahead = [[1]]
    for edges, many in layers:
        sums = [0] * many
        for edge in edges:
            sums[edge.to] += ahead[-1][edge.start] * edge.weight
        ahead.append(sums)
    found, behind = [Spread({}, 0)] * len(order), [1] * len(ahead[-1])
    for number in reversed(range(len(order))):
        before, by_value = [0] * len(ahead[number]), dict[int, int]()
        for edge in layers[number][0]:
            ways = edge.weight * behind[edge.to]
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


def _plan(unknowns: Unknowns, urns: Numbers, order: Sequence[int]) -> list[_Step]:
    """Return the steps of filling the columns in an order."""
    factors = unknowns.factors
    ends = factors * unknowns.low, factors * unknowns.high
    least, most = np.minimum(*ends)[:, order], np.maximum(*ends)[:, order]
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
                bool(unknowns.is_exact[number]),
                int(least[number, at]),
                int(most[number, at]),
            )
            for number in own
        ]
        kept = [number for number in before if number not in own]
        going = [number for number in own if last[number] > at]
        after = [(place[number], -1) for number in kept] + [(-1, own.index(number)) for number in going]
        urn = own.index(urns[column]) if urns[column] >= 0 else -1
        steps.append(_Step(column, lines, after, urn, {} if urn >= 0 else unknowns.list_weights(column)))
        before = kept + going
    return steps
