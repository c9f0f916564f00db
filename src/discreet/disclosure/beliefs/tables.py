"""Tables: the numbers of rows over the items of a universe that fit a publication, as sums of columns."""

from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from math import comb
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from discreet.disclosure.attacks.constraints import Bits, System
from discreet.errors import OptionError
from discreet.runtime.solver import Floats, Numbers

Prior: TypeAlias = Literal["entropy", "uniform"]

MOST_COLUMNS: Final = 512  # kinds of rows of a universe that is looked at
PRIORS: Final = {
    "entropy": "all lists of rows that fit are equally likely",
    "uniform": "all tables of counts that fit are equally likely",
}
"""Each prior, and what it says."""


def as_prior(prior: str) -> Prior:
    """Return ``prior`` if there is such a one.

    >>> as_prior("uniform")
    'uniform'
    """
    match prior:
        case "entropy" | "uniform":
            return prior
    raise OptionError(f"the prior is {str(prior)[:40]!r}; it must be one of {', '.join(PRIORS)}")


def weigh(prior: Prior, rest: int, count: int) -> int:
    """Return the weight of ``count`` rows in a cell, if its group has ``rest`` rows for it and later cells.

    In how many ways these can be chosen, where rows are in order (1 / z! for each cell, in whole numbers).

    >>> weigh("entropy", 4, 2), weigh("uniform", 4, 2)
    (6, 1)
    """
    return comb(rest, count) if prior == "entropy" else 1


@cache
def log_weights(prior: Prior, most: int) -> Floats:
    """Return the logarithms of the weights of cells of 0 to ``most`` rows.

    >>> np.exp(log_weights("entropy", 3)).round(3).tolist()
    [1.0, 1.0, 0.5, 0.167]
    """
    if prior == "uniform":
        return np.zeros(most + 1)
    return -np.array([*accumulate(np.log(np.maximum(1, np.arange(most + 1))).tolist())])


class KnownSum(NamedTuple):
    """The rows of some columns are ``total`` together or, if not ``is_exact``, at most that."""

    columns: Numbers
    total: int
    is_exact: bool


def list_sums(system: System) -> list[KnownSum]:
    """Return what is known of the columns of a system, the cells of its top first.

    >>> from discreet import Facts
    >>> from discreet.disclosure.attacks.constraints import Ground, build_system
    >>> facts = Facts.from_limits([(["a"], 3, 3), (["b"], 2, 2)], n=5)
    >>> [(one.columns.tolist(), one.total) for one in list_sums(build_system(Ground(facts), 0b11, most=4))]
    [([0, 2], 2), ([1, 3], 3), ([0, 1], 3), ([2, 3], 2)]
    """
    sums, top = [], find_top(system)
    for part in [top, *(part for part in system.parts if part != top)]:
        table = system.ground.table(part)
        columns: dict[Bits, list[int]] = {cell: [] for cell in table}
        for column, row in enumerate(system.rows):
            columns[row & part].append(column)
        sums += [KnownSum(np.array(own), table[cell], is_exact=True) for cell, own in columns.items() if own]
    for limit in system.limits:
        is_holding = np.asarray(system.kinds & limit.itemset == limit.itemset, dtype=np.bool_)
        sums.append(KnownSum(np.flatnonzero(is_holding), limit.high, is_exact=False))
        if limit.low:  # as many rows hold it at least as others do not
            sums.append(KnownSum(np.flatnonzero(~is_holding), system.ground.facts.n - limit.low, is_exact=False))
    return [one for one in sums if one.columns.size]


def find_top(system: System) -> Bits:
    """Return the widest known part of a universe, a top if there is one; each row is in one of its cells."""
    return max(system.parts, default=0, key=lambda part: (part in system.ground.tops, part.bit_count(), -part))


def cap_columns(system: System, sums: Sequence[KnownSum]) -> Numbers:
    """Return the most rows that each column may have by any one sum."""
    most = np.full(len(system.rows), system.ground.facts.n, dtype=np.int64)
    for one in sums:
        most[one.columns] = np.minimum(most[one.columns], one.total)
    return most
