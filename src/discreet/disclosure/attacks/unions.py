"""Unions: whether any Boolean pattern at all holds for 1 to k − 1 rows in every database of a region.

Over all items a pattern is a set of kinds of rows. A database in which none of its kinds has a row, or in which they
have k rows together, shows that nothing is inferred of it. So a first program chooses a set of kinds that no database
met so far speaks against, and a second one looks for a database that does. Where no set is left, nothing can be
inferred; where no database is found, the set is.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.disclosure.attacks.feasible import Region, TimeIsUpError
from discreet.runtime.solver import Floats, Program, entries

Kinds: TypeAlias = NDArray[np.bool_]
"""For each kind of rows whether a pattern is true for it."""

WEIGHT: Final = 64.0
"""What a row of a chosen kind costs, where one of another kind that is always rare costs 1."""


@dataclass(eq=False)
class Unions:
    """The search for sets of kinds of rows that hold 1 to k − 1 rows in every database of a region."""

    region: Region
    k: int
    found: list[Kinds] = field(default_factory=list)
    rare: set[int] = field(default_factory=set)

    def __iter__(self) -> Iterator[Kinds]:
        """Yield the smallest such sets, those of the fewest kinds first; where it ends, every such set holds one."""
        while (chosen := self._chosen()) is not None:
            if not self._is_refuted(chosen):
                self.found.append(chosen)
                yield chosen

    def _met(self) -> NDArray[np.int64]:
        """Return the different databases that were met, with k for each number of rows that is more."""
        return np.unique(np.minimum(self.region.witnesses, self.k).astype(np.int64), axis=0)

    def _chosen(self) -> Kinds | None:
        """Return the fewest kinds that hold 1 to k − 1 rows in each database met so far; None if there are none."""
        met = self._met()
        few = met.max(axis=0) < self.k
        if not met[:, few].any(axis=1).all():
            return None  # a database without any of these kinds
        program = Program()
        columns = program.columns(int(few.sum()), cost=1, upper=1, whole=True)
        program.rows(len(met), entries(met[:, few], columns), lower=1, upper=self.k - 1)
        for known in self.found:
            program.rows(1, entries(known[None, few], columns), upper=known.sum() - 1)
        values, _, stopped = program.solve(seconds=self.region.clock.left(), gap=0)
        if stopped:
            raise TimeIsUpError
        if values is None:
            return None
        chosen = np.zeros(few.size, dtype=np.bool_)
        chosen[few] = values > 1 / 2
        return chosen

    def _is_refuted(self, chosen: Kinds) -> bool:
        """Return whether a database speaks against some kinds; it is among those met then."""
        return any(not 0 < self._asked(*question) @ chosen < self.k for question in self._questions(chosen))

    def _questions(self, chosen: Kinds) -> Iterator[tuple[Floats, float]]:
        """Yield in what direction to look for such a database, and how far: first where much else is refuted too."""
        for kind in set(np.flatnonzero(chosen).tolist()) - self.rare:
            yield -np.eye(1, chosen.size, kind)[0], -self.k
            self.rare.add(kind)  # or nothing would have asked further
        truth = chosen.astype(np.float64)
        yield WEIGHT * truth + (self._met().max(axis=0) < self.k), 0.0
        yield truth, 0.0
        yield -truth, -self.k

    def _asked(self, costs: Floats, enough: float) -> Floats:
        """Return a database of the least cost, or of a cost that is low enough."""
        self.region.least(costs, enough)
        return self.region.witnesses[-1]
