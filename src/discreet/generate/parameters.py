"""Parameters of generators, checked before anything is drawn."""

import numbers
from typing import Final

import numpy as np

from discreet.errors import ThresholdError

LARGEST: Final = 2**31 - 1
"""Item codes are 32-bit integers inside."""


def whole(name: str, value: int, *, least: int = 0) -> int:
    """Return ``value`` if it is an integer of at least ``least``.

    >>> whole("n", 100)
    100
    """
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or not least <= value <= LARGEST:
        raise ThresholdError(f"{name} is {str(value)[:40]}; it must be an integer from {least} to {LARGEST}")
    return int(value)


def real(name: str, value: float, *, least: float, most: float) -> float:
    """Return ``value`` if it is a number from ``least`` to ``most``.

    >>> real("corruption", 0.5, least=0, most=1)
    0.5
    """
    if not isinstance(value, numbers.Real) or isinstance(value, bool) or not least <= value <= most:
        raise ThresholdError(f"{name} is {str(value)[:40]}; it must be a number from {least} to {most}")
    return float(value)


def generator(seed: int) -> np.random.Generator:
    """Return the random numbers that ``seed`` stands for, the same on every machine."""
    return np.random.Generator(np.random.PCG64(whole("seed", seed)))
