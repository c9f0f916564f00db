"""Entropy: the table of the maximum-entropy model, by iterative proportional scaling."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.disclosure.attacks.constraints import System
from discreet.disclosure.attacks.feasible import TINY, Clock, Region
from discreet.disclosure.beliefs.tables import KnownSum, list_sums
from discreet.runtime.solver import Floats

ROUNDS: Final = 100
MOST_ROUNDS: Final = 100_000
CLOSE: Final = 1e-10  # the largest error of a sum, as a share of all rows


def fit_entropy(system: System, clock: Clock) -> Floats:
    """Return the expected rows of each column under the maximum-entropy model that keeps the exact sums.

    Iterative proportional scaling (Deming and Stephan, 1940) ends after one round for a top and one part more, which
    are a junction tree; cyclic parts take more. If columns that no table fills slow it down, it starts without them.

    >>> from discreet import Facts
    >>> from discreet.disclosure.attacks.constraints import Ground, build_system
    >>> facts = Facts.from_limits([(["a"], 3, 3), (["b"], 2, 2)], n=5)
    >>> fit_entropy(build_system(Ground(facts), 0b11, most=4), Clock(1)).round(3).tolist()
    [1.2, 1.8, 0.8, 1.2]
    """
    sums = list_sums(system)
    cells, error = scale(system, sums, np.ones(len(system.rows)), ROUNDS)
    if error > CLOSE:
        cells, _ = scale(system, sums, _find_filled(system, clock).astype(np.float64), MOST_ROUNDS)
    return cells


def scale(system: System, sums: list[KnownSum], start: Floats, rounds: int) -> tuple[Floats, float]:
    """Return columns scaled to the exact sums, and the largest error of a sum, as a share of all rows."""
    exact = [one for one in sums if one.is_exact]
    offsets = np.cumsum([0, *(one.columns.size for one in exact)])
    columns = np.concatenate([one.columns for one in exact])
    totals = np.array([one.total for one in exact], dtype=np.float64)
    cells, most = start.copy(), max(1, system.ground.facts.n)
    error = kernels.beliefs.scale(cells, offsets, columns, totals, rounds, CLOSE * most)
    return cells, error / most


def _find_filled(system: System, clock: Clock) -> NDArray[np.bool_]:
    """Return which columns some table fills: each program fills as much as it can of those that none did so far."""
    region, is_filled = Region(system, clock), np.zeros(len(system.rows), dtype=np.bool_)
    while region.least(np.where(is_filled, 0.0, -1.0)) < -TINY:
        is_filled |= region.witnesses[-1] > TINY
    return is_filled
