"""Parameters of generators, checked before anything is drawn."""

import numbers
from dataclasses import dataclass
from typing import Final, Self, TypedDict, Unpack

import numpy as np

from discreet.errors import ThresholdError
from discreet.runtime.text import abbreviate

LARGEST: Final = 2**31 - 1
"""Item codes are 32-bit integers inside."""


def whole(name: str, value: int, *, least: int = 0) -> int:
    """Return ``value`` if it is an integer of at least ``least``.

    >>> whole("n", 100)
    100
    """
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or not least <= value <= LARGEST:
        raise ThresholdError(f"{name} is {abbreviate(value)}; it must be an integer from {least} to {LARGEST}")
    return int(value)


def real(name: str, value: float, *, least: float, most: float) -> float:
    """Return ``value`` if it is a number from ``least`` to ``most``.

    >>> real("corruption", 0.5, least=0, most=1)
    0.5
    """
    if not isinstance(value, numbers.Real) or isinstance(value, bool) or not least <= value <= most:
        raise ThresholdError(f"{name} is {abbreviate(value)}; it must be a number from {least} to {most}")
    return float(value)


def generator(seed: int) -> np.random.Generator:
    """Return the random numbers that ``seed`` stands for, the same on every machine."""
    return np.random.Generator(np.random.PCG64(whole("seed", seed)))


class BasketOptions(TypedDict, total=False):
    """What may be told of market baskets, by name; ``Baskets`` says what it means, and what holds without it."""

    length: float
    pattern_length: float
    items: int
    patterns: int
    correlation: float
    corruption: float
    corruption_variance: float


@dataclass(frozen=True)
class Baskets:
    """How market baskets are drawn; the defaults are T10.I4 of the paper, as it draws them.

    T is ``length``, the mean number of items of a row, and N the number of all ``items``. Of L ``patterns``, the
    itemsets that rows are made of, I is the mean size, ``pattern_length``; ``correlation`` is how much of the one
    before a pattern takes over, ``corruption`` how much of it is lost in a row, and ``corruption_variance`` how much
    that varies from pattern to pattern.
    """

    length: float = 10
    pattern_length: float = 4
    items: int = 1000
    patterns: int = 2000
    correlation: float = 0.5
    corruption: float = 0.5
    corruption_variance: float = 0.1

    @classmethod
    def of(cls, **told: Unpack[BasketOptions]) -> Self:
        """Refuse what means nothing.

        >>> Baskets.of(length=5).length, Baskets.of(length=5).items
        (5.0, 1000)
        """
        asked = cls(**told)
        items = whole("items", asked.items, least=1)
        return cls(
            length=real("length", asked.length, least=1, most=items),
            pattern_length=real("pattern_length", asked.pattern_length, least=1, most=items),
            items=items,
            patterns=whole("patterns", asked.patterns, least=1),
            correlation=real("correlation", asked.correlation, least=0, most=1),
            corruption=real("corruption", asked.corruption, least=0, most=1),
            corruption_variance=real("corruption_variance", asked.corruption_variance, least=0, most=1),
        )
