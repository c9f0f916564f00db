"""Regions: all databases that keep to a system, asked for the least and the most rows of patterns."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from time import monotonic
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.disclosure.attacks.constraints import Bits, System
from discreet.errors import InconsistencyError
from discreet.runtime.solver import Floats, Numbers, Solved

TINY: Final = 1e-6
"""The error allowed to a solver; far above its tolerance, far below a row."""
SHARE: Final = 0.05
"""A witness helps if it clears this share of what is left."""
IDLE: Final = 3
"""Stop after so many witnesses that did not help."""
SEED: Final = 8
"""The seed of the search directions."""


class TimeIsUpError(Exception):
    """The seconds that a search may take are over."""


@dataclass(frozen=True)
class Clock:
    """The time at which a search must end."""

    end: float

    @classmethod
    def of(cls, seconds: float) -> "Clock":
        """Return the clock of a search that starts now."""
        return cls(monotonic() + seconds)

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
    """A system, whose numbers of rows are ``whole`` or not, with the witnesses that were met so far (Lemma C2).

    A witness is a database, or a mean of some, that keeps to the system: one in which no row makes a pattern true, or
    k rows do, shows that nothing can be inferred about it.
    """

    system: System
    clock: Clock
    whole: bool = False

    def __post_init__(self) -> None:
        """Start without witnesses."""
        self.witnesses: list[Floats] = []

    @cached_property
    def _least(self) -> Callable[[Floats, float, float], Solved]:
        return self.system.program(whole=self.whole).prepare()

    def limits(self, truth: Floats) -> tuple[int, int]:
        """Return the least and the most rows that may make a pattern true."""
        low, high = self.least(truth), -self.least(-truth)
        return max(0, int(np.ceil(low - TINY))), int(np.floor(high + TINY))

    def least(self, costs: Floats, enough: float = -np.inf) -> float:
        """Return the least sum of costs over all rows, and keep the witness; in whole numbers one that is enough."""
        found = self._least(costs, self.clock.left(), enough)
        if found.values is None and not found.stopped:
            raise InconsistencyError(
                "no database has these supports; check that they are exact, of the same rows, and that nothing that "
                "reaches the minimum support is left out, or say that the list is not complete",
                "negative",
                (),
                (),
            )
        if found.stopped or found.values is None:
            raise TimeIsUpError
        self.witnesses.append(np.round(found.values) if self.whole else found.values)
        return found.bound

    def left(self, truths: Floats, k: int) -> Numbers:
        """Return which patterns, a line of ``truths`` each, hold for 1 to k − 1 rows of each witness.

        Witnesses are sought in which as many of the patterns as can be hold for many rows, or for none, as long as
        that helps.
        """
        left, directions, idle = np.arange(len(truths)), np.random.default_rng(SEED), 0
        for witness in self.witnesses:
            left = left[_are_rare(truths[left] @ witness, k)]
        while left.size and idle < IDLE:
            self.least(directions.choice([-1.0, 0.0, 1.0], left.size) @ truths[left])
            before, left = left.size, left[_are_rare(truths[left] @ self.witnesses[-1], k)]
            idle = idle + 1 if before - left.size < SHARE * before else 0
        return left

    def rare(self, truths: Floats, k: int) -> Iterator[tuple[int, int, int]]:
        """Yield which patterns, a line of ``truths`` each, hold for 1 to k − 1 rows everywhere, and their limits.

        Those that hold wherever one does that was found before are passed over.
        """
        skipped = np.zeros(len(truths), dtype=np.bool_)
        seen, least, most = 0, np.full(len(truths), np.inf), np.zeros(len(truths))

        def look() -> None:
            nonlocal seen
            for witness in self.witnesses[seen:]:
                counts = truths @ witness
                np.minimum(least, counts, out=least)
                np.maximum(most, counts, out=most)
            seen = len(self.witnesses)

        for number, truth in enumerate(truths):
            look()
            if skipped[number] or not _may_be_rare(least[number], most[number], k):
                continue
            low = self.least(truth)
            look()
            if not _may_be_rare(low, most[number], k):
                continue
            high = -self.least(-truth)
            if not _may_be_rare(low, high, k):
                continue
            skipped |= (truths >= truth).all(axis=1)
            yield number, int(np.ceil(low - TINY)), int(np.floor(high + TINY))


def _are_rare(counts: Floats, k: int) -> NDArray[np.bool_]:
    return (counts > TINY) & (counts < k - TINY)


def _may_be_rare(least: float, most: float, k: int) -> bool:
    return least > TINY and most < k - TINY
