"""Walks: tables of unknowns drawn at random, each as often as it weighs, by moves that keep all known sums."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.disclosure.attacks.feasible import Clock, TimeIsUpError
from discreet.disclosure.beliefs.sampling import CHAINS, LOOKS, MOST_ROWS, Moves, Steps, find_kernel
from discreet.disclosure.beliefs.tables import log_weights
from discreet.disclosure.beliefs.unknowns import Unknowns
from discreet.errors import BudgetError
from discreet.runtime.solver import Floats, NoValuesError, Numbers, Program, Terms

MOST: Final = 512  # unknowns of a walk
BATCHES: Final = 16  # of each chain, after two more that are not counted
BASES: Final = 8  # whose moves are joined
WIDE: Final = 64  # unknowns of which more than one basis takes too long


class Drawn(NamedTuple):
    """Tables that were drawn: ``values`` have axes for chains, batches, looks and unknowns."""

    values: Numbers
    steps: int


def find_moves(unknowns: Unknowns) -> Moves:
    """Return moves that keep all sums, and span all changes that do: those of several bases, short ones first.

    All sums must be exact. In a table of two attributes, each move of a basis goes around one circle of open cells.

    >>> low = np.zeros(4, np.int64)
    >>> factors = np.array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0]])
    >>> find_moves(Unknowns.of(low, low + 9, factors, [5, 5, 5])).list_dense(4).tolist()
    [[1, -1, -1, 1]]
    """
    factors, width = unknowns.factors, unknowns.low.size
    random, found = np.random.default_rng(width), dict[tuple[int, ...], None]()
    for number in range(BASES if width <= WIDE else 1):
        order = random.permutation(width) if number else np.arange(width)
        basis = find_kernel(factors[:, order]).reshape(-1, width)
        for line in _shorten(basis[:, np.argsort(order)]):
            sign = 1 if line[np.flatnonzero(line)[0]] > 0 else -1
            found.setdefault(tuple((sign * line).tolist()))
    short = sorted(found, key=lambda line: (sum(map(abs, line)), [-one for one in line]))
    return Moves.of(np.array(short, dtype=np.int64).reshape(-1, width))


def _shorten(basis: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a basis of shorter moves: one is added to another, or taken from it, as long as that shortens it."""
    size = np.abs(basis).sum(axis=1)
    has_changed = bool(len(basis))
    while has_changed:
        has_changed = False
        for at in range(len(basis)):
            for sign in (1, -1):
                sums = basis + sign * basis[at]
                shorter = np.abs(sums).sum(axis=1)
                shorter[at] = size[at]
                better = shorter < size
                if better.any():
                    basis, size, has_changed = np.where(better[:, None], sums, basis), np.minimum(size, shorter), True
    return basis


def draw_tables(unknowns: Unknowns, *, seed: Sequence[int], clock: Clock, pace: int = 1) -> Drawn:
    """Return tables that fit, each drawn as often as it weighs: Metropolis walks of several chains.

    Tables are looked at after as many steps as there are unknowns, times twice the ``pace``. Each chain starts from a
    table that an integer program finds. Moves may fail to lead from each table to each other one: then chains differ,
    as ``judge_chains`` notices.

    >>> ones = np.ones(2, np.int64)
    >>> drawn = draw_tables(Unknowns.of(0 * ones, 9 * ones, [[1, 1]], [2], ones), seed=[1], clock=Clock(9))
    >>> float((drawn.values == 1).mean().round(1)), drawn.values.shape
    (0.5, (4, 16, 256, 2))
    """
    unknowns = unknowns.add_slack()
    most = int(unknowns.high[unknowns.powers != 0].max(initial=0))
    if unknowns.low.size > MOST or most > MOST_ROWS:
        raise BudgetError(f"more than {MOST} unknown counts, or counts that may be above {MOST_ROWS:,}")
    walk = _Walk(unknowns, log_weights("entropy", (2 << most.bit_length()) - 1), pace)
    seeds = np.random.SeedSequence(seed).spawn(CHAINS)
    return Drawn(np.array([walk.run(np.random.default_rng(one), clock) for one in seeds]), walk.steps * CHAINS)


class _Walk:
    """The walks over the tables of some unknowns."""

    def __init__(self, unknowns: Unknowns, weights: Floats, pace: int) -> None:
        self.unknowns, self.weights = unknowns, weights
        width, moves = unknowns.low.size, find_moves(unknowns)
        self.single, self.moves = len(moves), moves.pair_up(width)
        self.every = 2 * pace * max(8, width) if self.single else 0
        self.steps = self.every * LOOKS * (BATCHES + 2)
        rows, columns = np.nonzero(unknowns.factors)
        program = Program()
        program.add_columns(width, lower=unknowns.low, upper=unknowns.high, whole=True)
        terms = Terms(rows, columns, unknowns.factors[rows, columns].astype(np.float64))
        program.add_rows(len(unknowns.factors), terms, lower=unknowns.totals, upper=unknowns.totals)
        self.solve = program.prepare()

    def start(self, random: np.random.Generator, clock: Clock) -> Numbers:
        """Return some table that fits."""
        solved = self.solve(random.random(self.unknowns.low.size) - 0.5, clock.left(), -np.inf)
        if solved.stopped:
            raise TimeIsUpError
        if solved.values is None:
            raise NoValuesError
        table = np.rint(solved.values).astype(np.int64)
        is_within = ((table >= self.unknowns.low) & (table <= self.unknowns.high)).all()
        if not is_within or (self.unknowns.factors @ table != self.unknowns.totals).any():
            raise BudgetError("no table of whole numbers was found")
        return table

    def run(self, random: np.random.Generator, clock: Clock) -> Numbers:
        """Return the table at each look of each batch."""
        table, many = self.start(random, clock), self.every * LOOKS
        looks = np.zeros((BATCHES + 2, LOOKS, table.size), dtype=np.int64)
        if not self.single:
            looks[:] = table
            return looks[2:]
        limits, widest = (self.unknowns.low, self.unknowns.high), int((self.unknowns.high - self.unknowns.low).max())
        for batch in looks:
            clock.left()
            steps = Steps.draw(random, many, single=self.single, moves=len(self.moves), most=widest)
            kernels.beliefs.walk_within(
                *(table, *limits, *self.moves, self.unknowns.powers, self.weights, *steps, self.every, batch)
            )
        return looks[2:]
