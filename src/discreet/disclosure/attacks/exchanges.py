"""Exchanges: databases that fit a system as well as the rows do, without a linear program.

Rows that agree on all items that are known together with an item may exchange that item: no known count changes. So the
rows of each such group that hold the item can be any of them, and that sets how many match a conjunction. Fewer than k
rows give the item away until none or k match: limits that are at least k rows away stay kept.
"""

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_

import numpy as np

from discreet.disclosure.attacks.constraints import Bits, System
from discreet.disclosure.attacks.feasible import Subcube
from discreet.disclosure.channels import places
from discreet.runtime.solver import Floats, Numbers


def keep_fixed(system: System, counts: Floats, cubes: Sequence[Subcube], k: int) -> Numbers:
    """Return which conjunctions of 1 to k − 1 rows no exchange of one item leaves without rows, or gives k of them.

    ``counts`` is the number of rows of each kind in a database that fits the system.
    """
    kinds, left = system.kinds, np.arange(len(cubes))
    overs, cells = (np.array([cube[side] for cube in cubes], dtype=kinds.dtype) for side in (0, 1))
    for item, near in _list_exchanges(system, counts, k):
        others = system.universe & ~near
        chosen = (overs[left] & item != 0) & (overs[left] & others != 0)
        if not chosen.any():
            continue
        over, cell = overs[left[chosen], None], cells[left[chosen], None]
        _, group = np.unique(kinds & near & ~item, return_inverse=True)
        held, every = np.bincount(group, counts * (kinds & item != 0)), np.bincount(group, counts)
        own = np.where(cell & item != 0, held, every - held)  # the rows of each group that are as the conjunction says
        beside = (kinds & over & ~item == cell & ~item) @ (counts[:, None] * (group[:, None] == np.arange(every.size)))
        most, least = np.minimum(own, beside).sum(axis=1), np.maximum(own + beside - every, 0).sum(axis=1)
        chosen[chosen] = (most >= k) | (least == 0)
        left = left[~chosen]
    return left


def _list_exchanges(system: System, counts: Floats, k: int) -> Iterator[tuple[Bits, Bits]]:
    """Yield the items that fewer than k rows may exchange, each with all items that are known together with it."""
    fixed = reduce(or_, (itemset for balance in system.balances for itemset, _ in balance.times), 0)
    for itemset, low, high in system.limits:
        support = counts[system.kinds & itemset == itemset].sum()
        if support > high - k or 0 < low > support - k:
            fixed |= itemset
    for item in (1 << place for place in places(system.universe & ~fixed)):
        near = reduce(or_, (part for part in system.parts if part & item), item)
        together = reduce(or_, (group for group in system.ground.groups if group & item), 0)
        if system.universe & ~near and not together & ~near:
            yield item, near
