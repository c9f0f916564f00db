"""Alarms: how many small groups of public data a believing reader names, against one who proves and one who guesses."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from forecasts import Forecasts
from numpy.typing import NDArray

from discreet import Patterns, Transactions, attack, belief, mine
from discreet.data.thresholds import as_count
from discreet.disclosure.beliefs.tables import Prior

Universe: TypeAlias = frozenset[Any]
Pattern: TypeAlias = tuple[frozenset[Any], frozenset[Any]]  # the items that rows hold, and those that they lack

BEYOND: Final = 2  # items more than a top, as belief has them
LONGEST: Final = 14  # items of a universe
LIMIT: Final = 10**9


class Case(NamedTuple):
    """A public file, the minimum support, k, the prior, and the seconds of each reader."""

    name: str
    share: str
    k: int
    prior: Prior = "entropy"
    seconds: float = 300.0


class Result(NamedTuple):
    """All patterns of a release that no sum of supports reveals: beliefs, what is true, and what is proven."""

    forecasts: Forecasts
    is_proven: NDArray[np.bool_]
    itemsets: int
    universes: int
    left_out: tuple[str, ...]


def look_at(rows: Transactions, case: Case) -> Result:
    """Return what readers say of each pattern over a top and one or two items more, and what is true.

    Patterns that ``belief`` does not list have a belief of 0. What a reader proves is what ``attack`` finds, and what
    is counted with a belief of 1: that holds in every table that fits.

    >>> rows = Transactions([list(row) for row in ["b", "b", "ab", "ab", "ac", "ac", "bc", "bc", "abc"]])
    >>> found = look_at(rows, Case("E1", "3/9", 2))
    >>> found.forecasts.beliefs.tolist(), found.forecasts.is_small.tolist(), found.is_proven.tolist()
    ([0.0, 0.0, 0.0, 0.0, 1.0], [False, False, False, False, True], [False, False, False, False, True])
    """
    sigma = as_count(case.share, len(rows))
    patterns = mine(rows, min_support=sigma, kind="closed")
    tops = mine(rows, min_support=sigma, kind="maximal")
    truth = _Truth(rows, [frozenset(tops.labelled(number)) for number in range(len(tops))], case.k)
    found = belief(patterns, k=case.k, prior=case.prior, limit=LIMIT, seconds=case.seconds)
    beliefs = {(frozenset(one.held), frozenset(one.lacked)): float(one.belief) for one in found.patterns}
    sure = {
        (frozenset(one.held), frozenset(one.lacked))
        for one in found.patterns
        if one.how == "counted" and one.belief == 1
    }
    sure |= set(_prove(rows, patterns, case))
    lines = [(beliefs.get(one, 0.0), is_small, at, one in sure) for one, is_small, at in truth.list_patterns()]
    left_out = tuple(str(one) for one in found.left_out)
    return Result(
        Forecasts.of(line[:3] for line in lines),
        np.array([is_sure for *_, is_sure in lines], dtype=np.bool_),
        len(patterns),
        truth.seen,
        left_out,
    )


def _prove(rows: Transactions, patterns: Patterns, case: Case) -> Iterator[Pattern]:
    """Yield the conjunctions that the exact attacker proves to hold for 1 to k − 1 rows."""
    found = attack(patterns, k=case.k, level="exact", rows=rows, seconds=case.seconds)
    for one in found.findings:
        if len(one.pattern.cells) == 1:
            [cell] = one.pattern.cells
            names = [frozenset(found.facts.labels[item] for item in side) for side in (cell, one.pattern.over - cell)]
            yield names[0], names[1]


class _Truth:
    """The rows over the published items, and the patterns that no sum of supports shows to be small."""

    def __init__(self, rows: Transactions, tops: list[Universe], k: int) -> None:
        self.tops, self.k, self.seen = tops, k, 0
        self.items = sorted(frozenset().union(*tops))
        place = {label: number for number, label in enumerate(self.items)}
        code = [place.get(label, -1) for label in rows.labels]
        is_held = np.zeros((len(rows), len(self.items) + 1), dtype=np.bool_)
        for number, codes in enumerate(rows.itemsets):
            is_held[number, [code[item] for item in codes.tolist()]] = True
        self.kinds, self.counts = np.unique(is_held[:, :-1], axis=0, return_counts=True)
        self.place = place

    def list_universes(self) -> list[Universe]:
        """Return each top with one and two items more, once."""
        found = {
            top | frozenset(more)
            for top in self.tops
            for many in range(1, BEYOND + 1)
            for more in combinations([item for item in self.items if item not in top], many)
        }
        return sorted((one for one in found if len(one) <= LONGEST), key=lambda one: (len(one), sorted(one)))

    def list_patterns(self) -> Iterator[tuple[Pattern, bool, int]]:
        """Yield the patterns, whether 1 to k − 1 rows match, and the number of the universe."""
        for number, universe in enumerate(self.list_universes()):
            self.seen += 1
            items = sorted(universe)
            bits = 1 << np.arange(len(items))
            codes = self.kinds[:, [self.place[item] for item in items]] @ bits
            counts = np.bincount(codes, self.counts, 1 << len(items)).astype(np.int64)
            for cell in np.flatnonzero(self._are_open(items, counts)).tolist():
                held = frozenset(item for at, item in enumerate(items) if cell >> at & 1)
                yield (held, universe - held), bool(0 < counts[cell] < self.k), number

    def _are_open(self, items: list[Any], counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which cells are in no cell of a published itemset that fewer than k rows are in."""
        cells = np.arange(counts.size)
        is_open = np.ones(counts.size, dtype=np.bool_)
        for part in {sum(1 << at for at, item in enumerate(items) if item in top) for top in self.tops}:
            held = np.bincount(cells & part, counts, counts.size)
            is_open &= held[cells & part] >= self.k
        return is_open
