"""Believed counts: how probable small values of masked counts are, ranked, and what was left out."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from discreet.data.counts import PEOPLE
from discreet.data.records import Records
from discreet.disclosure.attacks.finding import Undecided
from discreet.disclosure.beliefs.result import UNSURE, How, Weighed, show_share
from discreet.disclosure.beliefs.tables import Prior
from discreet.errors import refuse_truth
from discreet.publications.counts.equations import Key
from discreet.publications.rules.intervals import format_limits
from discreet.runtime.text import count_of


class BelievedCell(NamedTuple):
    """A masked count ``key`` is 1 to k − 1 with the probability ``belief``, and ``likeliest`` with that of ``chance``.

    The mask says ``low`` to ``high``. If it ``says_small``, from 1 to k − 1, the belief is 1, and the chance tells
    more. If ``how`` is "counted", both are exact fractions. If "sampled", ``error`` and ``chance_error`` are their
    standard errors, or None if they did not settle. ``expected`` is the mean of all values.
    """

    key: Key
    low: int
    high: int
    says_small: bool
    belief: Fraction | float
    error: float | None
    likeliest: int
    chance: Fraction | float
    chance_error: float | None
    expected: float
    how: How

    @property
    def rank(self) -> Fraction | float:
        """What it is listed by: the belief or, if the mask says that it is small, the chance of the likeliest value."""
        return self.chance if self.says_small else self.belief

    @property
    def words(self) -> str:
        """The cell, as findings about tables name it."""
        return str(self.key) if self.key.counted == PEOPLE else f"{self.key.counted}: {self.key}"

    @property
    def shown(self) -> str:
        """The number that it is listed by, in three digits."""
        return show_share(self.rank, self.how)

    def tell(self, k: int) -> str:
        """Return it as a line."""
        error = self.chance_error if self.says_small else self.error
        how = f"± {ceil(1000 * error) / 1000:.3f}" if error else UNSURE[self.how]  # counted ones have none
        if self.says_small:
            what = f"is {self.likeliest:,}; the mask says {format_limits(self.low, self.high)}"
        else:
            chance = show_share(self.chance, self.how)
            what = f"is {format_limits(1, max(1, k - 1))}; likeliest {self.likeliest:,} ({chance})"
        return f"{self.shown}  {self.words} {what} ({how}; {self.expected:.1f} expected)"


class BelievedCells(Records, tuple[BelievedCell, ...]):
    """The counts that are known best first."""

    __slots__ = ()
    _types = MappingProxyType(
        {
            "cell": str,
            "says_small": bool,
            "belief": float,
            "error": float,
            "likeliest": int,
            "chance": float,
            "chance_error": float,
            "expected": float,
            "how": str,
        }
    )

    def _records(self) -> Iterator[tuple[Any, ...]]:
        for one in self:
            belief, chance = float(one.belief), float(one.chance)
            yield (
                *(one.words, one.says_small, belief, one.error),
                *(one.likeliest, chance, one.chance_error, one.expected, one.how),
            )


@refuse_truth(ask=".largest")
@dataclass(frozen=True, eq=False, repr=False)
class CellBelief(Weighed):
    """How probable small values of masked counts are to a reader, under a ``prior``; those known best come first.

    Of ``looked_at`` masked counts the belief is known, by random walks of so many ``steps`` in all where it was
    sampled; those of 1 % or more are listed. ``left_out`` says what else there is. It is no proof: it depends on the
    prior.
    """

    noun: ClassVar = "masked count"
    k: int
    prior: Prior
    cells: BelievedCells
    looked_at: int
    steps: int = 0
    left_out: tuple[Undecided, ...] = ()

    @property
    def largest(self) -> float:
        """The largest probability that cells are listed by; 0 if there is none."""
        return max((float(one.rank) for one in self.cells), default=0.0)

    def _tell(self) -> tuple[str, list[str], str]:
        few, likeliest = format_limits(1, max(1, self.k - 1)), "or its likeliest value if its mask says that already"
        head = f"{count_of(len(self.cells), self.noun)}: how probable it is that each is {few}, {likeliest}."
        return head, [one.tell(self.k) for one in self.cells], ""

    def _list_facts(self) -> dict[str, Any]:
        return {"cells": self.cells.to_dicts()}
