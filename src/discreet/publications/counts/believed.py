"""Believed counts: how probable small values of masked counts are, ranked, and what was left out."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from discreet.data.counts import PEOPLE
from discreet.data.records import Records
from discreet.disclosure.attacks.finding import Undecided
from discreet.disclosure.beliefs.result import NO_PROOF, SHOWN, UNSURE, How
from discreet.disclosure.beliefs.tables import PRIORS, Prior
from discreet.errors import refuse_truth
from discreet.publications.counts.equations import Key
from discreet.publications.rules.intervals import format_limits
from discreet.runtime.text import count_of

MASKED: Final = "masked count"


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
        return self._show(self.rank)

    def _show(self, share: Fraction | float) -> str:
        """Return a probability in three digits, rounded down: only what is certain is 1."""
        most = 1000 if self.how == "counted" else 999
        return f"{min(most, floor(1000 * share)) / 1000:.3f}"

    def tell(self, k: int) -> str:
        """Return it as a line."""
        error = self.chance_error if self.says_small else self.error
        how = f"± {ceil(1000 * error) / 1000:.3f}" if error else UNSURE[self.how]  # counted ones have none
        if self.says_small:
            what = f"is {self.likeliest:,}; the mask says {format_limits(self.low, self.high)}"
        else:
            what = f"is {format_limits(1, max(1, k - 1))}; likeliest {self.likeliest:,} ({self._show(self.chance)})"
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
class CellBelief:
    """How probable small values of masked counts are to a reader, under a ``prior``; those known best come first.

    Of ``looked_at`` masked counts the belief is known, by random walks of so many ``steps`` in all where it was
    sampled; those of 1 % or more are listed. ``left_out`` says what else there is. It is no proof: it depends on the
    prior.
    """

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

    def lines(self, shown: int | None = SHOWN) -> Iterator[str]:
        """Yield it in sentences: the cells, the prior, that it is no proof, and what was left out."""
        many, few = len(self.cells), format_limits(1, max(1, self.k - 1))
        likeliest = "or its likeliest value if its mask says that already"
        yield f"{count_of(many, MASKED)}: how probable it is that each is {few}, {likeliest}."
        for one in self.cells[:shown]:
            yield f"  {one.tell(self.k)}"
        if shown is not None and many > shown:
            yield f"  … and {many - shown:,} more."
        yield f"Prior {self.prior}: {PRIORS[self.prior]}."
        yield NO_PROOF
        walks = f", by {count_of(self.steps, 'step')} of random walks" if self.steps else ""
        yield f"Looked at: {count_of(self.looked_at, MASKED)}{walks}."
        yield from (f"Left out: {one}." for one in self.left_out)

    def facts(self) -> dict[str, Any]:
        """Return it as values for JSON."""
        return {
            "k": self.k,
            "prior": self.prior,
            "meaning": PRIORS[self.prior],
            "is_proof": False,
            "note": NO_PROOF,
            "largest": self.largest,
            "looked_at": self.looked_at,
            "steps": self.steps,
            "left_out": [one._asdict() for one in self.left_out],
            "cells": self.cells.to_dicts(),
        }

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        first = self.cells[0].shown if self.cells else "0"
        return f"<CellBelief: {count_of(len(self.cells), MASKED)}, the largest {first}, prior {self.prior}, k={self.k}>"
