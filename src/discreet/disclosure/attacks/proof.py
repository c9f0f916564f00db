"""Proofs: sums of supports that bound a pattern, found by a linear program and made exact in fractions."""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import combinations
from math import ceil, lcm
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from discreet.disclosure.attacks.certificate import NOTHING, Bound, Certificate, Claim, Sum, proves
from discreet.disclosure.attacks.constraints import Balance, Bits, Limit, System, as_pattern
from discreet.disclosure.attacks.facts import Codes, Relation
from discreet.disclosure.attacks.feasible import TINY, Clock, Region
from discreet.disclosure.channels import places
from discreet.runtime.solver import Floats, Numbers, Program, Terms

Multipliers: TypeAlias = dict[Bits | Balance, Fraction]
"""The factors of supports and of balances in a sum."""

FEW: Final = 6
"""Most items over which every row counts as possible: then a proof need not say which are not."""
SUBSETS: Final = 1 << 11
"""Most itemsets within one part for a sum to use; of a longer part, the meets of possible rows."""
DENOMINATORS: Final = (1, 2, 6, 12, 60, 2520, 10**5, 10**8)
"""Limits of denominators for rounded multipliers, the small ones first."""
SECONDS: Final = 10.0
"""The time limit for one sum."""
MULTIPLIER: Final = 1 << 10
"""The largest multiplier."""
WORD: Final = 63
"""Bits of a whole number that arrays have."""


class Wanted(NamedTuple):
    """The pattern of rows whose items within ``over`` are one of the ``cells``, and its limits."""

    over: Bits
    cells: frozenset[Bits]
    low: int
    high: int


def prove(systems: Iterable[System], wanted: Wanted, clock: Clock) -> Certificate | None:
    """Return a checked proof of limits, or of narrower ones, from the first system that gives one; else None."""
    for system in systems:
        low, high = Region(system, clock).limits(system.truth(wanted.over, wanted.cells))
        if low >= wanted.low and high <= wanted.high:
            proof = find_certificate(system, wanted._replace(low=low, high=high), clock)
            if proof is not None and proves(system.ground.facts, proof):
                return proof
    return None


def find_certificate(system: System, wanted: Wanted, clock: Clock) -> Certificate | None:
    """Return the proof that a pattern keeps its limits in all databases of a system, or None.

    A sum of supports bounds a pattern if it does so for each possible row. The sum with the fewest and shortest terms
    is taken, for the reader.
    """
    lower = _bound(system, wanted, clock, sign=1)
    upper = _bound(system, wanted, clock, sign=-1)
    if lower is None or upper is None:
        return None
    pattern = as_pattern(system.ground, wanted.over, wanted.cells)
    return Certificate(Claim(pattern, wanted.low, wanted.high, lower, upper))


def _bound(system: System, wanted: Wanted, clock: Clock, *, sign: int) -> Bound | None:
    """Return the sum that proves the lower limit, or with a ``sign`` of -1 the upper one."""
    if sign > 0 and wanted.low <= 0:
        return NOTHING
    for rows, within in _possible(system):
        said = np.array([sign * (row & wanted.over in wanted.cells) for row in rows], dtype=np.int64)
        columns = _Columns(system, rows, clock)
        target = sign * (wanted.low if sign > 0 else wanted.high)
        found = columns.sum(said, target, sign)
        if found is not None:
            codes = system.ground.codes
            found |= _exclude_pairs(system, found, sign)
            terms = [(codes(one), factor) for one, factor in found.items() if isinstance(one, Bits)]
            relations = (
                (_as_relation(one, codes), factor) for one, factor in found.items() if isinstance(one, Balance)
            )
            terms.sort(key=lambda term: sorted(term[0]))
            return Sum(tuple(terms), tuple(map(codes, within)), tuple(relations))
    return None


def _as_relation(balance: Balance, codes: Callable[[Bits], Codes]) -> Relation:
    """Return a balance as a relation of the facts."""
    return Relation(tuple((codes(itemset), times) for itemset, times in balance.times), balance.least)


def _possible(system: System) -> Iterator[tuple[list[Bits], list[Bits]]]:
    """Yield the rows that a sum must bound, and the parts that exclude others: all rows if few, then the possible."""
    if system.universe.bit_count() <= FEW:
        every = [0]
        for place in places(system.universe):
            every += [row | 1 << place for row in every]
        yield [row for row in every if not system.ground.excludes(row)], []
    yield list(system.rows), list(system.parts)


def _exclude_pairs(system: System, found: Multipliers, sign: int) -> Multipliers:
    """Return multipliers for excluded pairs, large enough that rows which hold a pair need no check.

    Their supports are 0, so they cost nothing.
    """
    enough = 1 + sum((abs(factor) * _weight(one) for one, factor in found.items()), Fraction(0))
    groups = (list(places(group & system.universe)) for group in system.ground.groups)
    pairs = {1 << one | 1 << other for group in groups for one, other in combinations(group, 2)}
    return {pair: found.get(pair, Fraction(0)) - sign * enough for pair in sorted(pairs)}


def _weight(one: Bits | Balance) -> int:
    """Return the most that a row counts in a support or a balance."""
    return sum(abs(times) for _, times in one.times) if isinstance(one, Balance) else 1


class _Columns:
    """The itemsets that a sum may use and the rows that hold them; one itemset for each set of rows.

    The balances come after them, with the factor of each row.
    """

    def __init__(self, system: System, rows: list[Bits], clock: Clock) -> None:
        self.rows, self.clock = rows, clock
        kinds = np.array(rows, dtype=np.int64 if system.universe.bit_length() < WORD else object)
        chosen: dict[bytes, Limit] = {}
        for limit in _limits(system):
            key = (kinds & limit.itemset == limit.itemset).astype(np.bool_).tobytes()
            known = chosen.get(key)
            if known is None or _rank(limit) < _rank(known):
                chosen[key] = limit
        limits, balances = list(chosen.values()), list(system.balances)
        self.limits, self.free = limits, len(limits)
        self.names: list[Bits | Balance] = [*(limit.itemset for limit in limits), *balances]
        counted = [sum(times * (kinds & one == one) for one, times in balance.times) for balance in balances]
        self.held = np.array([*(np.frombuffer(key, dtype=np.bool_) for key in chosen), *counted], dtype=np.int64).T
        self.low = [*(limit.low for limit in limits), *(balance.least for balance in balances)]
        self.high = [*(limit.high for limit in limits), *[0] * len(balances)]
        # Solvers are exact for small numbers only.
        self.scales = [*[1] * self.free, *(_weight(balance) for balance in balances)]

    def sum(self, said: Numbers, target: int, sign: int) -> Multipliers | None:
        """Return multipliers such that a row counts for no more than is ``said``, and all for more than target - 1."""
        found = self._solve(said, target)
        if found is None:
            return None
        for most in DENOMINATORS:
            times = [
                Fraction(value).limit_denominator(most) / scale
                for value, scale in zip(found.tolist(), self.scales, strict=True)
            ]
            mended = self._mend(times, said, target)
            if mended is not None:
                return {name: sign * factor for name, factor in zip(self.names, mended, strict=True) if factor}
        return None

    def _solve(self, said: Numbers, target: int) -> Floats | None:
        """Return multipliers, in floating point."""
        many, scales = len(self.names), np.array(self.scales, dtype=np.float64)
        low, high = (np.array(ends, dtype=np.float64) / scales for ends in (self.low, self.high))
        best = self._program(said, cost=(-low, high))
        values = best.solve(seconds=min(SECONDS, self.clock.left()), gap=0).values
        if values is None:
            return None
        most = float(low @ values[:many] - high @ values[many:])
        if most <= target - 1 + TINY:
            return None
        # Whole limits ask for no more than what rounds to them; a sum that just says so has the simplest multipliers.
        enough = target if most >= target - TINY else (most + target - 1) / 2
        lengths = np.array([1 + (one.bit_count() / 16 if isinstance(one, Bits) else 1) for one in self.names])
        short = self._program(said, cost=(lengths, lengths))
        worth = Terms(np.zeros(2 * many, dtype=np.int64), np.arange(2 * many), np.concatenate([low, -high]))
        short.add_rows(1, worth, lower=enough - TINY)
        values = short.solve(seconds=min(SECONDS, self.clock.left()), gap=0).values
        return None if values is None else values[:many] - values[many:]

    def _program(self, said: Numbers, cost: tuple[Floats, Floats]) -> Program:
        """Return a program whose columns are multipliers: what they add, then what they take away."""
        program, many = Program(), len(self.names)
        # No published sum needs more; without a limit the program may be unbounded.
        added = program.add_columns(many, cost=cost[0], upper=MULTIPLIER, whole=False)
        # Balances have lower limits only.
        upper = np.where(np.arange(many) < self.free, MULTIPLIER, 0)
        taken = program.add_columns(many, cost=cost[1], upper=upper, whole=False)
        rows, columns = np.nonzero(self.held)
        times = self.held[rows, columns] / np.array(self.scales)[columns]
        program.add_rows(
            len(self.rows), Terms(rows, added[columns], times), Terms(rows, taken[columns], -times), upper=said
        )
        return program

    def _mend(self, times: list[Fraction], said: Numbers, target: int) -> list[Fraction] | None:
        """Return multipliers that are exactly right: the largest excess of a row is taken off all rows."""
        scale = lcm(*(factor.denominator for factor in times))
        whole = [int(factor * scale) for factor in times]
        counted = self.held.astype(object) @ np.array(whole, dtype=object)
        excess = max((int(one) - scale * int(most) for one, most in zip(counted, said, strict=True)), default=0)
        mended = list(times)
        if excess > 0:
            held_by_all = next((at for at in range(self.free) if self.held[:, at].all()), None)
            if held_by_all is None:
                return None
            mended[held_by_all] -= Fraction(excess, scale)
        if any(factor < 0 for factor in mended[self.free :]):
            return None
        ends = zip(mended, self.low, self.high, strict=True)
        value = sum((factor * (low if factor > 0 else high) for factor, low, high in ends), Fraction(0))
        return mended if ceil(value) >= target else None


def _limits(system: System) -> Iterator[Limit]:
    """Yield the limits of itemsets within a system, the empty one first."""
    for part in sorted({0, *system.parts}, key=lambda one: (one.bit_count(), one)) if system.parts else ():
        table = system.ground.table(part)
        for itemset in _below(part, table):
            support = sum(count for cell, count in table.items() if itemset & ~cell == 0)
            yield Limit(itemset, support, support)
    yield from system.limits


def _rank(limit: Limit) -> tuple[int, int]:
    """Return the rank of an itemset among those that the same rows hold: closer limits, then fewer items."""
    return limit.high - limit.low, limit.itemset.bit_count()


def _below(part: Bits, cells: Iterable[Bits]) -> list[Bits]:
    """Return the itemsets below a part, the short ones first; of a long part only the meets of its cells."""
    if 1 << part.bit_count() <= SUBSETS:
        found = [0]
        for place in places(part):
            found += [itemset | 1 << place for itemset in found]
        return sorted(found, key=lambda one: (one.bit_count(), one))
    meets: set[Bits] = {part}
    for cell in cells:
        meets |= {cell & other for other in meets}
    return sorted(meets, key=lambda one: (one.bit_count(), one))
