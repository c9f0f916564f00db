"""Forecasts: beliefs beside what is true, put in ten bins, scored, and ranked as alarms."""

from collections.abc import Iterable
from math import sqrt
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

BINS: Final = 10
SURE: Final = 1.96  # standard errors of an interval of 95 %


class Bin(NamedTuple):
    """The forecasts from ``low`` on: how many, their mean belief, the share that came true, and its standard error."""

    low: float
    many: int
    belief: float
    share: float
    error: float

    @property
    def apart(self) -> float:
        """How many standard errors the share is from the belief.

        >>> Bin(0.5, 100, 0.55, 0.65, 0.05).apart
        2.0
        """
        off = abs(self.share - self.belief)
        return round(off / self.error, 9) if self.error else float(off > 0) * 99.0


class Forecasts(NamedTuple):
    """The belief in each pattern, whether it is small, and the number of its database."""

    beliefs: NDArray[np.float64]
    is_small: NDArray[np.bool_]
    databases: NDArray[np.int64]

    @classmethod
    def of(cls, forecasts: Iterable[tuple[float, bool, int]]) -> Self:
        """Return forecasts as arrays.

        >>> Forecasts.of([(0.5, True, 0), (0.25, False, 0)]).beliefs.tolist()
        [0.5, 0.25]
        """
        beliefs, is_small, databases = list(zip(*forecasts, strict=True)) or [(), (), ()]
        return cls(
            np.array(beliefs, dtype=np.float64),
            np.array(is_small, dtype=np.bool_),
            np.array(databases, dtype=np.int64),
        )

    def choose(self, is_chosen: NDArray[np.bool_]) -> Self:
        """Return some of the forecasts.

        >>> len(Forecasts.of([(0.5, True, 0), (0.25, False, 0)]).choose(np.array([True, False])).beliefs)
        1
        """
        return type(self)(*(each[is_chosen] for each in self))

    def list_bins(self) -> list[Bin]:
        """Return the bins that are not empty; beliefs of 1 are in the last one.

        >>> [(one.low, one.share, one.error) for one in Forecasts.of([(0.5, True, 0), (0.5, False, 1)]).list_bins()]
        [(0.5, 0.5, 0.3535533905932738)]
        """
        places = np.minimum((self.beliefs * BINS).astype(np.int64), BINS - 1)
        bins = []
        for place in np.unique(places).tolist():
            inside = self.choose(places == place)
            beliefs, shares, many = float(inside.beliefs.mean()), float(inside.is_small.mean()), inside.beliefs.size
            bins.append(Bin(place / BINS, many, beliefs, shares, inside.find_error()))
        return bins

    def find_error(self) -> float:
        """Return the standard error of the share that comes true; databases are independent, their patterns are not.

        It is what differences between databases show, but at least what independent patterns would have, and at most
        what those would have that come true together.

        >>> Forecasts.of([(0.5, True, 0), (0.5, True, 0), (0.5, False, 1), (0.5, False, 1)]).find_error()
        0.3535533905932738
        """
        spread = np.sqrt(self.beliefs * (1 - self.beliefs))
        off, joined = np.bincount(self.databases, self.is_small - self.beliefs), np.bincount(self.databases, spread)
        alone = float((spread**2).sum())
        return sqrt(min(float((joined**2).sum()), max(alone, float((off**2).sum())))) / self.beliefs.size

    def score(self) -> tuple[float, float, float]:
        """Return three Brier scores: of the beliefs, the one expected if they are right, and that of a constant.

        The constant is the share of small patterns, which nobody knows beforehand. Lower is better.

        >>> [round(one, 3) for one in Forecasts.of([(0.9, True, 0), (0.2, False, 0), (0.8, True, 0)]).score()]
        [0.03, 0.137, 0.222]
        """
        if not self.beliefs.size:
            return 0.0, 0.0, 0.0
        small = float(self.is_small.mean())
        right = float((self.beliefs * (1 - self.beliefs)).mean())
        return float(((self.beliefs - self.is_small) ** 2).mean()), right, small * (1 - small)


class Alarms(NamedTuple):
    """How many small patterns are among those that are named, and how many others."""

    hits: int
    false: int


def raise_alarms(beliefs: NDArray[np.float64], is_small: NDArray[np.bool_], rate: float) -> Alarms:
    """Name the patterns of the largest beliefs, as many as the rate of false alarms allows; patterns of 0 never.

    Patterns of the same belief are named together or not at all.

    >>> raise_alarms(np.array([0.9, 0.8, 0.8, 0.1, 0.0]), np.array([True, True, False, True, False]), 0.4)
    Alarms(hits=1, false=0)
    >>> raise_alarms(np.array([0.9, 0.8, 0.8, 0.1, 0.0]), np.array([True, True, False, True, False]), 0.5)
    Alarms(hits=3, false=1)
    """
    levels, places = np.unique(-beliefs, return_inverse=True)
    hits = np.bincount(places, is_small, levels.size).astype(np.int64).cumsum()
    false = np.bincount(places, ~is_small, levels.size).astype(np.int64).cumsum()
    is_allowed = (false <= rate * np.count_nonzero(~is_small)) & (levels < 0)
    last = int(is_allowed.sum()) - 1
    return Alarms(int(hits[last]), int(false[last])) if last >= 0 else Alarms(0, 0)


def find_interval(hits: int, many: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson, 1927), as if all were independent.

    >>> [round(end, 3) for end in find_interval(8, 10)], find_interval(0, 0)
    ([0.49, 0.943], (0.0, 1.0))
    """
    if not many:
        return 0.0, 1.0
    share, weight = hits / many, SURE**2 / many
    middle = share + weight / 2
    half = SURE * sqrt(share * (1 - share) / many + weight / (4 * many))
    return max(0.0, (middle - half) / (1 + weight)), min(1.0, (middle + half) / (1 + weight))
