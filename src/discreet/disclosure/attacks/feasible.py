"""Regions: all databases that keep to a system, the limits of patterns in them, and proofs of these limits.

A linear program finds the limits, and another one sums of supports that prove them, made exact in fractions.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import ceil, lcm
from time import monotonic
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.disclosure.attacks.certificate import NOTHING, Bound, Certificate, Claim, Sum, proves
from discreet.disclosure.attacks.constraints import Bits, Limit, System, list_parts
from discreet.disclosure.attacks.facts import Balance
from discreet.disclosure.attacks.formula import Pattern
from discreet.disclosure.channels import places
from discreet.errors import InconsistencyError
from discreet.runtime.solver import Floats, Numbers, Program, Solved, Terms

Multipliers: TypeAlias = dict[Bits | Balance[Bits], Fraction]  # the factors of supports and of balances in a sum

TINY: Final = 1e-6  # the error allowed to a solver; far above its tolerance, far below a row
SHARE: Final = 0.05  # a witness helps if it clears this share of the open patterns
IDLE: Final = 3  # stop after so many witnesses that did not help
SEED: Final = 8  # of the search directions
FEW: Final = 6  # items over which every row counts as possible: then a proof need not say which are not
SUBSETS: Final = 1 << 11  # itemsets within one part for a sum to use; of a longer part, the meets of possible rows
DENOMINATORS: Final = (1, 2, 6, 12, 60, 2520, 10**5, 10**8)  # limits for rounded multipliers
SECONDS: Final = 10.0  # for one sum
MULTIPLIER: Final = 1 << 10  # the largest


class TimeIsUpError(Exception):
    """The seconds that a search may take are over."""


class Clock:
    """The time at which a search of some ``seconds`` that starts now must end."""

    def __init__(self, seconds: float) -> None:
        """Start the clock."""
        self.end = monotonic() + seconds

    def left(self) -> float:
        """Return the seconds that are left; raise if there are none."""
        seconds = self.end - monotonic()
        if seconds <= 0:
            raise TimeIsUpError
        return seconds


class Subcube(NamedTuple):
    """The rows whose items within ``over`` are exactly ``cell``: a conjunction."""

    over: Bits
    cell: Bits


@dataclass(eq=False)
class Region:
    """A system, whose numbers of rows are ``whole`` or not, with its ``witnesses`` so far (Lemma C2).

    A witness is a database, or a mean of some, that keeps to the system. If no row, or k rows of one match a pattern,
    nothing can be inferred about the pattern.
    """

    system: System
    clock: Clock
    whole: bool = False
    witnesses: list[Floats] = field(default_factory=list, init=False)

    @cached_property
    def _solve(self) -> Callable[[Floats, float, float], Solved]:
        return self.system.program(whole=self.whole).prepare()

    def limits(self, truth: Floats) -> tuple[int, int]:
        """Return the least and the most rows that may match a pattern."""
        low, high = self.least(truth), -self.least(-truth)
        return max(0, int(np.ceil(low - TINY))), int(np.floor(high + TINY))

    def least(self, costs: Floats, enough: float = -np.inf) -> float:
        """Return the least total cost of all rows and keep the witness; whole numbers may stop at ``enough``."""
        solved = self._solve(costs, self.clock.left(), enough)
        if solved.stopped:
            raise TimeIsUpError
        if solved.values is None:
            why = (
                "no database has these supports; check that they are exact, of the same rows, and that nothing that "
                "reaches the minimum support is left out, or say that the list is not complete"
            )
            raise InconsistencyError(why, "negative", (), ())
        self.witnesses.append(np.round(solved.values) if self.whole else solved.values)
        return solved.bound

    def keep_rare(self, truths: Floats, k: int) -> Numbers:
        """Return which patterns, a line of ``truths`` each, match 1 to k − 1 rows of every witness.

        It seeks witnesses in which many of the patterns match many rows, or none, as long as that helps.
        """
        left, directions, idle = np.arange(len(truths)), np.random.default_rng(SEED), 0
        for witness in self.witnesses:
            left = left[are_rare(truths[left] @ witness, k)]
        while left.size and idle < IDLE:
            self.least(directions.integers(-1, 2, left.size) @ truths[left])
            before, left = left.size, left[are_rare(truths[left] @ self.witnesses[-1], k)]
            idle = idle + 1 if before - left.size < SHARE * before else 0
        return left

    def find_rare(self, truths: Floats, k: int) -> Iterator[int]:
        """Yield which patterns, a line of ``truths`` each, match 1 to k − 1 rows in every database.

        Patterns that follow from one found before are passed over.
        """
        is_implied = np.zeros(len(truths), dtype=np.bool_)
        seen, is_open = 0, np.ones(len(truths), dtype=np.bool_)
        for number, truth in enumerate(truths):
            for sign in (1, -1):
                for witness in self.witnesses[seen:]:
                    is_open &= are_rare(truths @ witness, k)
                seen = len(self.witnesses)
                if is_implied[number] or not is_open[number] or not are_rare(sign * self.least(sign * truth), k):
                    break
            else:
                is_implied |= (truths >= truth).all(axis=1)
                yield number

    def is_rare(self, truth: Floats, k: int) -> bool:
        """Return whether a pattern matches 1 to k − 1 rows in every database."""
        return next(self.find_rare(truth[None], k), None) is not None


def are_rare(counts: Floats | float, k: int) -> NDArray[np.bool_]:
    """Return whether counts are from 1 to k − 1, up to the solver's error."""
    return np.asarray((counts > TINY) & (counts < k - TINY))


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
    lower = NOTHING if wanted.low <= 0 else _find_bound(system, wanted, clock, sign=1)
    upper = _find_bound(system, wanted, clock, sign=-1)
    if lower is None or upper is None:
        return None
    codes = system.ground.codes
    pattern = Pattern(codes(wanted.over), frozenset(map(codes, wanted.cells)))
    return Certificate(Claim(pattern, wanted.low, wanted.high, lower, upper))


def _find_bound(system: System, wanted: Wanted, clock: Clock, *, sign: int) -> Bound | None:
    """Return the sum that proves the lower limit, or with a ``sign`` of -1 the upper one."""
    target, codes = sign * (wanted.low if sign > 0 else wanted.high), system.ground.codes
    for rows, within in _choose_rows(system):
        said = np.array([sign * (row & wanted.over in wanted.cells) for row in rows], dtype=np.int64)
        if (factors := _Columns(system, rows, clock).add_up(said, target, sign)) is not None:
            factors |= _exclude_pairs(system, factors, sign)
            terms = [(codes(one), factor) for one, factor in factors.items() if isinstance(one, Bits)]
            relations = ((one.recode(codes), factor) for one, factor in factors.items() if isinstance(one, Balance))
            terms.sort(key=lambda term: sorted(term[0]))
            return Sum(tuple(terms), tuple(map(codes, within)), tuple(relations))
    return None


def _choose_rows(system: System) -> Iterator[tuple[list[Bits], list[Bits]]]:
    """Yield the rows that a sum must bound, and the parts that exclude others: all rows if few, then the possible."""
    if system.universe.bit_count() <= FEW:
        yield [row for row in list_parts(system.universe) if not system.ground.excludes(row)], []
    yield list(system.rows), list(system.parts)


def _exclude_pairs(system: System, factors: Multipliers, sign: int) -> Multipliers:
    """Return multipliers for excluded pairs, large enough that rows which hold a pair need no check.

    Their supports are 0, so they cost nothing.
    """
    enough = 1 + sum((abs(factor) * _weigh(one) for one, factor in factors.items()), Fraction(0))
    groups = (places(group & system.universe) for group in system.ground.groups)
    pairs = {1 << one | 1 << other for group in groups for one, other in combinations(group, 2)}
    return {pair: factors.get(pair, Fraction(0)) - sign * enough for pair in sorted(pairs)}


def _weigh(one: Bits | Balance[Bits]) -> int:
    """Return the most that a row counts in a support or a balance."""
    return sum(abs(times) for _, times in one.times) if isinstance(one, Balance) else 1


class _Columns:
    """The itemsets that a sum may use and the rows that hold them; one itemset for each set of rows.

    The balances come after them, with the factor of each row.
    """

    def __init__(self, system: System, rows: list[Bits], clock: Clock) -> None:
        self.rows, self.clock = rows, clock
        kinds = np.array(rows, dtype=system.kinds.dtype)
        chosen: dict[bytes, Limit] = {}
        for limit in _list_limits(system):
            key = (kinds & limit.itemset == limit.itemset).astype(np.bool_).tobytes()
            # Of itemsets that the same rows hold: closer limits, then fewer items.
            both = chosen.get(key, limit), limit
            chosen[key] = min(both, key=lambda one: (one.high - one.low, one.itemset.bit_count()))
        limits, balances = list(chosen.values()), list(system.balances)
        self.free = len(limits)
        self.names: list[Bits | Balance[Bits]] = [*(limit.itemset for limit in limits), *balances]
        counted = [sum(times * (kinds & one == one) for one, times in balance.times) for balance in balances]
        self.held = np.array([*(np.frombuffer(key, dtype=np.bool_) for key in chosen), *counted], dtype=np.int64).T
        self.low = [*(limit.low for limit in limits), *(balance.least for balance in balances)]
        self.high = [*(limit.high for limit in limits), *[0] * len(balances)]
        self.scales = np.array(list(map(_weigh, self.names)))  # solvers are exact for small numbers only

    def add_up(self, said: Numbers, target: int, sign: int) -> Multipliers | None:
        """Return multipliers such that a row counts for no more than is ``said``, and all for more than target - 1."""
        if (values := self._solve(said, target)) is None:
            return None
        for most in DENOMINATORS:
            pairs = zip(values.tolist(), self.scales.tolist(), strict=True)
            times = [Fraction(value).limit_denominator(most) / scale for value, scale in pairs]
            if (mended := self._mend(times, said, target)) is not None:
                return {name: sign * factor for name, factor in zip(self.names, mended, strict=True) if factor}
        return None

    def _solve(self, said: Numbers, target: int) -> Floats | None:
        """Return multipliers, in floating point."""
        many = len(self.names)
        low, high = (np.array(ends, dtype=np.float64) / self.scales for ends in (self.low, self.high))
        best = self._build_program(said, cost=(-low, high))
        values = best.solve(seconds=min(SECONDS, self.clock.left()), gap=0).values
        if values is None:
            return None
        most = float(low @ values[:many] - high @ values[many:])
        if most <= target - 1 + TINY:
            return None
        # Whole limits need no more than what rounds to them; a sum that just reaches it has the simplest multipliers.
        enough = target if most >= target - TINY else (most + target - 1) / 2
        lengths = np.array([1 + (one.bit_count() / 16 if isinstance(one, Bits) else 1) for one in self.names])
        short = self._build_program(said, cost=(lengths, lengths))
        worth = Terms(np.zeros(2 * many, dtype=np.int64), np.arange(2 * many), np.concatenate([low, -high]))
        short.add_rows(1, worth, lower=enough - TINY)
        values = short.solve(seconds=min(SECONDS, self.clock.left()), gap=0).values
        return None if values is None else values[:many] - values[many:]

    def _build_program(self, said: Numbers, cost: tuple[Floats, Floats]) -> Program:
        """Return a program whose columns are multipliers: what they add, then what they take away."""
        program, many = Program(), len(self.names)
        # No published sum needs more; without a limit the program may be unbounded.
        added = program.add_columns(many, cost=cost[0], upper=MULTIPLIER, whole=False)
        upper = np.where(np.arange(many) < self.free, MULTIPLIER, 0)  # balances have lower limits only
        taken = program.add_columns(many, cost=cost[1], upper=upper, whole=False)
        rows, columns = np.nonzero(self.held)
        times = self.held[rows, columns] / self.scales[columns]
        terms = Terms(rows, added[columns], times), Terms(rows, taken[columns], -times)
        program.add_rows(len(self.rows), *terms, upper=said)
        return program

    def _mend(self, times: list[Fraction], said: Numbers, target: int) -> list[Fraction] | None:
        """Return multipliers that are exactly right: the largest excess of a row is taken off all rows."""
        scale = lcm(*(factor.denominator for factor in times))
        counted = self.held.astype(object) @ np.array([int(factor * scale) for factor in times], dtype=object)
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


def _list_limits(system: System) -> Iterator[Limit]:
    """Yield the limits of itemsets within a system, the empty one first."""
    for part in sorted({0, *system.parts}, key=_rank) if system.parts else ():
        table = system.ground.table(part)
        for itemset in _list_below(part, table):
            support = sum(count for cell, count in table.items() if itemset & ~cell == 0)
            yield Limit(itemset, support, support)
    yield from system.limits


def _list_below(part: Bits, cells: Iterable[Bits]) -> list[Bits]:
    """Return the itemsets below a part, the short ones first; of a long part only the meets of its cells."""
    if 1 << part.bit_count() <= SUBSETS:
        return sorted(list_parts(part), key=_rank)
    meets: set[Bits] = {part}
    for cell in cells:
        meets |= {cell & other for other in meets}
    return sorted(meets, key=_rank)


def _rank(itemset: Bits) -> tuple[int, int]:
    return itemset.bit_count(), itemset
