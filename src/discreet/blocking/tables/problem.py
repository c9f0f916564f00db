"""Problems and solutions of blocking tables: what must not follow, what each count costs, and what was published."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from discreet.data.counts import Counts, Dimension, Table, Values, name_values
from discreet.errors import OptionError, refuse_truth
from discreet.judging.policy import Policy, Verdict
from discreet.publications.counts.equations import Equations, Key
from discreet.publications.counts.limits import Limits, link_tables
from discreet.publications.counts.moves import Truth
from discreet.runtime.resources import Progress
from discreet.runtime.solver import Numbers

Weights: TypeAlias = Literal["cells", "people"] | Mapping[Values, int]
SECONDS: Final = 60.0
PER_LEVEL: Final = 10  # what a margin costs, for each level that it is above the body of its table
GRAND_TOTAL: Final = 1000


@dataclass(frozen=True, eq=False)
class TableProblem:
    """Tables of which no count from 1 to k − 1 may be worked out, and what it costs to lose each of their counts.

    ``weights`` are "cells" (1 for a cell of the body, 10 a level for margins, 1000 for the grand total), "people" (the
    count itself) or numbers of your own by values. ``base`` is that of rounding, if it was asked for.
    """

    counts: Counts
    policy: Policy
    seconds: float = SECONDS
    weights: Weights = "cells"
    base: int | None = None
    progress: Progress | None = None

    @cached_property
    def equations(self) -> Equations:
        """The counts and how they add up."""
        return link_tables(self.counts)

    @cached_property
    def numbers(self) -> dict[Key, int]:
        """The number of each count in the equations."""
        return self.equations.index

    @cached_property
    def truth(self) -> Truth | None:
        """The true counts, if the tables show all of them."""
        limits = Limits(self.equations)
        limits.propagate()
        return Truth(limits.low) if np.array_equal(limits.low, limits.high) else None

    @property
    def hides_zeros(self) -> bool:
        """Whether counts of 0 must not be known."""
        return self.policy.zeros is not Verdict.RELEASE

    @cached_property
    def costs(self) -> Numbers:
        """What it costs to mask each count.

        >>> from discreet.data.counts import Cell
        >>> cells = (Cell((None,), 180, 180), Cell(("f",), 177, 177), Cell(("m",), 3, 3))
        >>> counts = Counts((Table("by sex", (Dimension("sex", ("f", "m")),), cells),))
        >>> TableProblem(counts, Policy("k", k=11)).costs.tolist()
        [1000, 1, 1]
        """
        if self.weights == "people":
            return np.maximum(self.equations.low, 1)
        costs = np.ones(len(self.equations.keys), dtype=np.int64)
        for table in self.counts.tables:
            heights = [measure_heights(one) for one in table.dimensions]
            for cell in table.cells:
                number = self.numbers[key_of(table, cell.at)]
                level = sum(own[value] for own, value in zip(heights, cell.at, strict=True))
                cost = PER_LEVEL * level if any(cell.at) else GRAND_TOTAL
                costs[number] = max(costs[number], cost)
        if not isinstance(self.weights, str):
            self._replace_costs(costs, self.weights)
        return costs

    def _replace_costs(self, costs: Numbers, weights: Mapping[Values, int]) -> None:
        for key, number in self.numbers.items():
            own = weights.get(key.values, 1)
            if isinstance(own, bool) or not isinstance(own, int) or own < 0:
                raise OptionError("a weight is no whole number; give whole numbers of at least 0")
            costs[number] = own if key.values in weights else costs[number]


@refuse_truth(ask=".gap")
class TableProof(NamedTuple):
    """What a solution costs, and a bound: nothing that is safe costs less. ``stopped`` says that time ran out."""

    cost: int
    bound: int
    stopped: bool

    @property
    def gap(self) -> float:
        """The share of the cost that a better solution could save at most."""
        return 0.0 if self.cost <= self.bound else (self.cost - self.bound) / self.cost


@dataclass(frozen=True, eq=False)
class TableSolution:
    """Tables that a method made of a problem.

    ``primary`` are the small counts that it masked, and ``further`` those that it masked beside them. ``rounded`` are
    the numbers that stand for counts. ``note`` says what a reader must know, or what was given up.
    """

    problem: TableProblem
    counts: Counts
    primary: frozenset[Key] = frozenset()
    further: frozenset[Key] = frozenset()
    rounded: Mapping[Key, int] | None = None
    proof: TableProof | None = None
    note: str = ""


def key_of(table: Table, at: tuple[str | None, ...]) -> Key:
    """Return the count that a cell of a table shows."""
    return Key(table.counted, name_values(table.names, at))


def measure_heights(dimension: Dimension) -> dict[str | None, int]:
    """Return how many levels each value is above the lowest one below it; None is all values together.

    >>> age = Dimension("age", ("0-9", "10-19", "under 20", "20 and over"), {"0-9": "under 20", "10-19": "under 20"})
    >>> measure_heights(age)
    {'0-9': 0, '10-19': 0, 'under 20': 1, '20 and over': 0, None: 2}
    """
    found: dict[str | None, int] = {}

    def measure(value: str | None) -> int:
        return 1 + max((measure(below) for below in dimension.children(value)), default=-1)

    for value in (*dict.fromkeys((*dimension.values, *dimension.parents.values())), None):
        found[value] = measure(value)
    return found
