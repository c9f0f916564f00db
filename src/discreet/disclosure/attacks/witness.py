"""Witnesses: databases that facts allow, over all items; what is not rare in one of them is not inferred to be rare."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.data.merged import Rows
from discreet.disclosure.attacks.constraints import Bits, Ground, System, projected, system
from discreet.disclosure.attacks.feasible import SEED, TINY, Clock, Region
from discreet.errors import BudgetError
from discreet.runtime.solver import Floats

Database: TypeAlias = dict[Bits, float]
"""How many rows there are of each kind; of a mean of databases also parts of a row."""

KINDS: Final = 1 << 11
"""Kinds of rows that may be possible over all items, for witnesses to be sought there."""
ITEMS: Final = 62
"""Items that may be for that: a bit of a word each."""


@dataclass(eq=False)
class Witnesses:
    """The first database that the facts allow, the publisher's own rows if there are any, and where to seek others."""

    first: Database
    whole: Region | None
    k: int

    def rare(self, universe: Bits) -> list[Bits]:
        """Return the cells over some items that hold from 1 to k − 1 rows of the first database (Lemma C1)."""
        counts = projected(self.first, universe)
        return [cell for cell, count in counts.items() if TINY < count < self.k - TINY]

    def left(self, cells: Sequence[tuple[Bits, Bits]]) -> list[int]:
        """Return which cells, an itemset and what rows hold of it each, have from 1 to k − 1 rows in each witness.

        Witnesses are sought over all items, where few kinds of rows are possible (Lemma C2).
        """
        if self.whole is None or not cells:
            return list(range(len(cells)))
        truths, which = _distinct(np.array(self.whole.system.rows, dtype=np.int64), cells)
        return np.flatnonzero(np.isin(which, self.whole.left(truths, self.k))).tolist()


def witnesses(ground: Ground, rows: Rows | None, k: int, clock: Clock) -> Witnesses | None:
    """Return the rows as a first witness, else one that is sought over all items; None where that is too much."""
    whole = None
    try:
        if len(ground.items) <= ITEMS:
            whole = Region(system(ground, ground.everything, most=KINDS), clock)
    except BudgetError:
        pass
    if rows is not None:
        return Witnesses(dict(ground.rows(rows)), whole, k)
    if whole is None:
        return None
    whole.least(np.random.default_rng(SEED).random(len(whole.system.rows)) - 0.5)
    return Witnesses(_database(whole.system, whole.witnesses[0]), whole, k)


def _database(made: System, witness: Floats) -> Database:
    return {row: count for row, count in zip(made.rows, witness.tolist(), strict=True) if count > TINY}


def _distinct(rows: NDArray[np.int64], cells: Iterable[tuple[Bits, Bits]]) -> tuple[Floats, list[int]]:
    """Return each different set of kinds of rows that a cell has, and which of them each cell has."""
    number: dict[bytes, int] = {}
    which = [number.setdefault(np.packbits(rows & over == cell).tobytes(), len(number)) for over, cell in cells]
    packed = np.frombuffer(b"".join(number), dtype=np.uint8).reshape(len(number), -1)
    return np.unpackbits(packed, axis=1, count=rows.size).astype(np.float64), which
