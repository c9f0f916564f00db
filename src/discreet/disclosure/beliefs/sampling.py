"""Sampling: walks over the tables that fit, and how often a pattern holds for 1 to k − 1 rows in them."""

from collections.abc import Iterator, Sequence
from functools import reduce
from math import gcd, lcm
from operator import or_
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.disclosure.attacks.constraints import Bits, System, find_border, list_parts
from discreet.disclosure.attacks.feasible import Clock, Region
from discreet.disclosure.beliefs.tables import (
    MOST_COLUMNS,
    KnownSum,
    Prior,
    cap_columns,
    find_top,
    list_sums,
    log_weights,
)
from discreet.disclosure.channels import places
from discreet.errors import BudgetError
from discreet.runtime.solver import Floats, Numbers

CHAINS: Final = 4
BATCHES: Final = 8  # of each chain, after two more that are not counted
LOOKS: Final = 256  # at the table, in a batch
PAIRED: Final = 100  # moves that are also made two at a time
MOST_ROWS: Final = 1 << 20  # of a column, whose weights are listed
WIDER: Final = 1.04  # errors that come from so few batches, by Student's t, so that twice as much holds 95 %
APART: Final = 12.0  # chains whose means differ so much more than their batches are not joined


class Moves(NamedTuple):
    """Changes of a table that keep all exact sums: move ``i`` adds ``factors`` to ``columns`` from ``offsets[i]``."""

    offsets: Numbers
    columns: Numbers
    factors: Numbers

    def __len__(self) -> int:
        """Return how many there are."""
        return int(self.offsets.size - 1)

    def list_dense(self, width: int) -> NDArray[np.int64]:
        """Return the moves as lines of a matrix."""
        dense = np.zeros((len(self), width), dtype=np.int64)
        dense[np.repeat(np.arange(len(self)), np.diff(self.offsets)), self.columns] = self.factors
        return dense

    @classmethod
    def of(cls, dense: NDArray[np.int64]) -> Self:
        """Return the lines of a matrix as moves; lines without an entry are none."""
        dense = dense[dense.any(axis=1)]
        lines, columns = np.nonzero(dense)
        return cls(np.searchsorted(lines, np.arange(len(dense) + 1)), columns, dense[lines, columns])

    def pair_up(self, width: int) -> Self:
        """Return the moves, and the first of them in pairs: both at once, or one and the other undone.

        A pair crosses what lies between two tables where one move alone would leave a cell with less than no row.
        """
        dense = self.list_dense(width)
        size = abs(dense[:PAIRED])
        one, other = np.nonzero(np.triu(size @ size.T, 1))
        return self.of(np.concatenate([dense, dense[one] + dense[other], dense[one] - dense[other]]))


class Steps(NamedTuple):
    """Steps of a walk, drawn at random: which move, how often it is done or undone, and the logarithm of a limit."""

    choices: Numbers
    sizes: Numbers
    draws: Floats

    @classmethod
    def draw(cls, random: np.random.Generator, many: int, *, single: int, moves: int, most: int) -> Self:
        """Return some steps; half of them are the ``single`` moves, which come first, of a size up to ``most``."""
        place, powers = 2 * random.random(many), random.integers(0, 2 * most.bit_length(), many)
        choices = np.where(place < 1, place * single, (place - 1) * moves).astype(np.int64)
        return cls(choices, (1 << (powers >> 1)) * (1 - 2 * (powers & 1)), -random.standard_exponential(many))


class Sample(NamedTuple):
    """For each column the share of tables with 1 to k − 1 rows in it, its standard error, and whether chains agree."""

    beliefs: Floats
    errors: Floats
    is_settled: NDArray[np.bool_]
    steps: int


def list_moves(system: System) -> Moves:
    """Return moves of a system: exchanges of items between two rows, and of cells around a cycle of parts.

    Two rows exchange items of which no part joins one with others in which they differ (Diaconis and Sturmfels, 1998).
    If no part has all of some items, but one has all but each of them, cells that differ in these alone are raised and
    lowered by turns.

    >>> from discreet import Facts
    >>> from discreet.disclosure.attacks.constraints import Ground, build_system
    >>> facts = Facts.from_limits([(["a"], 3, 3), (["b"], 2, 2)], n=5)
    >>> list_moves(build_system(Ground(facts), 0b11, most=4)).list_dense(4).tolist()
    [[-1, 1, 1, -1]]
    """
    local = _Local(system)
    lines = [*local.list_exchanges(), *local.list_cycles()]
    sizes = [np.full(len(block), factors.size) for block, factors in lines]
    columns = [block.ravel() for block, _ in lines]
    factors = [np.tile(factors, len(block)) for block, factors in lines]
    nothing = np.zeros(0, dtype=np.int64)
    joined = (np.concatenate([nothing, *each]) for each in (columns, factors))
    return Moves(np.cumsum(np.concatenate([[0], *sizes])), *joined)


class _Local:
    """A system in bits of its own universe, and its rows in order."""

    def __init__(self, system: System) -> None:
        self.system, self.bits = system, places(system.universe)
        rows = np.array([self.pack(row) for row in system.rows], dtype=np.int64)
        self.order = np.argsort(rows)
        self.rows = rows[self.order]
        self.parts = [self.pack(part) for part in system.parts]
        self.more = self.pack(system.universe & ~find_top(system))

    def pack(self, itemset: Bits) -> Bits:
        """Return an itemset in bits of the universe."""
        return sum((itemset >> place & 1) << at for at, place in enumerate(self.bits))

    def find(self, rows: Numbers) -> Numbers:
        """Return the places of rows in the order, -1 where they are not possible."""
        at = np.minimum(np.searchsorted(self.rows, rows), self.rows.size - 1)
        return np.where(self.rows[at] == rows, at, -1)

    def list_exchanges(self) -> Iterator[tuple[Numbers, Numbers]]:
        """Yield columns of pairs of rows that exchange some of the items beside the top, and what they win."""
        first, second = np.triu_indices(self.rows.size, 1)
        differ = self.rows[first] ^ self.rows[second]
        for moved in list_parts(self.more)[1:]:
            joined = reduce(or_, (part for part in self.parts if part & moved), 0)
            fits = (differ & moved == moved) & (differ != moved) & (differ & joined & ~moved == 0)
            one, other = first[fits], second[fits]
            new = np.stack([self.find(self.rows[each] ^ moved) for each in (one, other)], axis=1)
            once = new.min(axis=1, initial=self.rows.size) > one  # and not backwards; impossible rows have no column
            yield self.order[np.column_stack([one, other, new])[once]], np.array([-1, -1, 1, 1])

    def list_cycles(self) -> Iterator[tuple[Numbers, Numbers]]:
        """Yield columns that agree outside the items of a cycle of parts, and alternating signs."""
        for cycle in map(self.pack, find_border(self.system.ground, self.system.universe)):
            if cycle.bit_count() > 2:  # noqa: PLR2004 - two items are exchanged
                cells = np.array(list_parts(cycle))
                columns = self.find(np.unique(self.rows & ~cycle)[:, None] | cells)
                signs = np.array([1 - 2 * (cell.bit_count() % 2) for cell in cells.tolist()])
                yield self.order[columns[(columns >= 0).all(axis=1)]], signs


def sample_few(system: System, *, k: int, prior: Prior, seed: Sequence[int], clock: Clock) -> Sample:
    """Return how often each possible row of a system occurs 1 to k − 1 times, by walks over tables that fit.

    Each of several chains starts from a table that an integer program finds, and moves by Metropolis' rule. The error
    is that of means of batches, or of chains if that is larger. If chains differ more than their batches do, a column
    is not settled.

    >>> from discreet import Facts
    >>> from discreet.disclosure.attacks.constraints import Ground, build_system
    >>> facts = Facts.from_limits([(["a"], 3, 3), (["b"], 2, 2)], n=5)
    >>> found = sample_few(build_system(Ground(facts), 0b11, most=4), k=2, prior="entropy", seed=[1], clock=Clock(9))
    >>> found.beliefs.round(1).tolist(), found.is_settled.all()
    ([0.6, 0.3, 0.6, 0.6], np.True_)
    """
    sums = list_sums(system)
    cap = int(cap_columns(system, sums).max())
    if len(system.rows) > MOST_COLUMNS or cap > MOST_ROWS:
        raise BudgetError(f"more than {MOST_COLUMNS} kinds of rows, or {MOST_ROWS:,} rows of one kind, are possible")
    moves = span(list_moves(system), sums, len(system.rows))
    chains = _Chains(
        system, moves, [one for one in sums if not one.is_exact], k, log_weights(prior, 4 << cap.bit_length()), clock
    )
    seeds = np.random.SeedSequence(seed).spawn(CHAINS)
    few = np.array([chains.run(np.random.default_rng(one), cap) for one in seeds])
    beliefs, errors, is_settled = judge_chains(few / LOOKS)
    return Sample(beliefs, errors, is_settled, chains.steps * CHAINS)


def judge_chains(shares: Floats) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Return means, standard errors, and whether chains agree; ``shares`` has axes for chains, batches and columns.

    >>> shares = np.array([[[0.0], [0.1]], [[0.1], [0.0]]])
    >>> [float(one[0].round(3)) for one in judge_chains(shares)[:2]], judge_chains(shares)[2].tolist()
    ([0.05, 0.03], [True])
    """
    chains, batches, _ = shares.shape
    means = shares.mean(axis=1)
    by_batch = shares.reshape(chains * batches, -1).var(axis=0, ddof=1) / (chains * batches)
    by_chain = means.var(axis=0, ddof=1) / chains
    within = shares.var(axis=1, ddof=1).mean(axis=0) / batches
    few = 1.5 / (chains * batches * LOOKS)  # nobody saw it once, or otherwise
    errors = np.maximum(WIDER * np.sqrt(np.maximum(by_batch, by_chain)), few)
    return means.mean(axis=0), errors, chains * by_chain <= APART * within + few


class _Chains:
    """The walks over the tables of one system."""

    def __init__(
        self, system: System, moves: Moves, limits: list[KnownSum], k: int, weights: Floats, clock: Clock
    ) -> None:
        self.system, self.limits, self.k, self.weights = system, limits, k, weights
        self.region = Region(system, clock, whole=True)
        self.single, self.moves = len(moves), moves.pair_up(len(system.rows))
        self.every = max(8, len(system.rows))
        self.steps = self.every * LOOKS * (BATCHES + 2)
        owners, self.numbers, self.changes = _limit_moves(self.moves, limits, len(system.rows))
        self.offsets = np.searchsorted(owners, np.arange(len(self.moves) + 1))

    def run(self, random: np.random.Generator, cap: int) -> Numbers:
        """Return for each batch and column at how many looks it had 1 to k − 1 rows."""
        self.region.least(random.random(len(self.system.rows)) - 0.5)
        table = self.region.witnesses[-1].astype(np.int64)
        slack = np.array([one.total - table[one.columns].sum() for one in self.limits], dtype=np.int64)
        few, many = np.zeros((BATCHES + 2, table.size), dtype=np.int64), self.every * LOOKS
        limits = self.offsets, self.numbers, self.changes
        if not self.single:
            few[:] = LOOKS * ((table > 0) & (table < self.k))
            return few[2:]
        for batch in few:
            self.region.clock.left()
            steps = Steps.draw(random, many, single=self.single, moves=len(self.moves), most=cap)
            kernels.beliefs.walk(*(table, slack, *self.moves, *limits, self.weights, *steps, self.k, self.every, batch))
        return few[2:]


def _limit_moves(moves: Moves, limits: list[KnownSum], width: int) -> tuple[Numbers, Numbers, Numbers]:
    """Return the moves that change a limited sum, the numbers of these sums, and by how much they rise."""
    if not limits:
        return 3 * (np.zeros(0, dtype=np.int64),)
    holds = np.zeros((len(limits), width), dtype=np.int64)
    for line, one in zip(holds, limits, strict=True):
        line[one.columns] = 1
    rises = moves.list_dense(width) @ holds.T
    owners, numbers = np.nonzero(rises)
    return owners, numbers, rises[owners, numbers]


def span(moves: Moves, sums: list[KnownSum], width: int) -> Moves:
    """Return moves that lead in all directions in which tables can change and keep exact sums.

    If impossible rows leave too few moves, those of a basis are added.
    """
    exact, dense = [one for one in sums if one.is_exact], moves.list_dense(width)
    holds = np.zeros((len(exact), width), dtype=np.int64)
    for line, one in zip(holds, exact, strict=True):
        line[one.columns] = 1
    free = width - np.linalg.matrix_rank(holds)
    if not free or np.linalg.matrix_rank((dense.T @ dense).astype(np.float64), hermitian=True) == free:
        return moves
    return Moves.of(np.concatenate([find_kernel(holds), dense]))


def find_kernel(matrix: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a basis of the whole numbers whose sums by each line of a matrix are 0, in exact numbers.

    >>> find_kernel(np.array([[1, 1, 0], [0, 1, 1]])).tolist()
    [[1, -1, 1]]
    """
    lines, pivots = matrix.astype(object), list[int]()
    for column in range(matrix.shape[1]):
        at = len(pivots)
        chosen = np.flatnonzero(lines[at:, column])
        if not chosen.size:
            continue
        lines[[at, at + chosen[0]]] = lines[[at + chosen[0], at]]
        for other in np.flatnonzero(lines[:, column]).tolist():
            if other != at:
                lines[other] = lines[other] * lines[at, column] - lines[at] * lines[other, column]
                lines[other] //= max(1, gcd(*lines[other]))
        pivots.append(column)
    basis = []
    for column in sorted(set(range(matrix.shape[1])).difference(pivots)):
        scale = lcm(*(lines[at, pivot] for at, pivot in enumerate(pivots)))
        vector = np.zeros(matrix.shape[1], dtype=object)
        vector[column] = scale
        for at, pivot in enumerate(pivots):
            vector[pivot] = -lines[at, column] * scale // lines[at, pivot]
        basis.append(vector // gcd(*vector))
    return np.array(basis, dtype=np.int64)
