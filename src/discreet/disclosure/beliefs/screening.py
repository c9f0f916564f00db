"""Screening: the likeliest small group over each top and one or two items more, by a quick model."""

from itertools import pairwise
from math import comb
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.disclosure.attacks.constraints import Bits, Ground
from discreet.disclosure.attacks.feasible import Clock, TimeIsUpError
from discreet.disclosure.beliefs.tables import MOST_COLUMNS, Prior
from discreet.disclosure.channels import places
from discreet.runtime.resources import cores, share
from discreet.runtime.solver import Floats, Numbers

AT_ONCE: Final = 20_000  # universes between two looks at the clock


class Likely(NamedTuple):
    """A universe, in which a quick model guesses that the pattern ``cell`` holds for few rows."""

    universe: Bits
    cell: Bits
    guess: float
    expected: float


class Screened(NamedTuple):
    """The likeliest universes, each once, the best guess first.

    Counted by tops, which may lead to the same ones: how many are likely, ``dropped`` of these because there are so
    many, faint, too large, and not looked at.
    """

    best: list[Likely]
    likely: int
    dropped: int
    faint: int
    large: int
    unseen: int


def screen(ground: Ground, many: int, *, k: int, prior: Prior, least: float, most: int, clock: Clock) -> Screened:
    """Return what a quick model says about the known tops with ``many`` items more; the ``most`` likely are listed.

    It scales a table to the known sums, and takes the number of rows in a cell as binomial or, if all tables are
    equally likely, as geometric. Guesses below the ``least`` are faint. They count in whole percent; of equal ones,
    universes with one part more come first, since they can be counted.

    >>> from discreet import Facts
    >>> facts = Facts.from_limits([(["a"], 30, 30), (["b"], 20, 20)], n=50)
    >>> found = screen(Ground(facts), 1, k=9, prior="entropy", least=0.01, most=10, clock=Clock(9))
    >>> [(one.universe, one.cell, round(one.expected)) for one in found.best]
    [(3, 2, 8)]
    """
    arrays, beside = _lay_out(ground), [len(ground.items) - top.bit_count() for top in ground.known]
    sizes = np.array([comb(number, many) for number in beside], dtype=np.int64)
    found, likely, seen = _Found(np.zeros(0), np.zeros(0), np.zeros((0, 6), dtype=np.int64)), 0, 0
    large = 0
    kernels.expect(int(sizes @ np.diff(arrays[2])) << many, "screening.screen")

    def look(start: int, stop: int) -> Any:  # noqa: ANN401 - of a kernel
        return kernels.screening.screen(*arrays, MOST_COLUMNS >> many, start, stop, many, k, prior == "entropy")

    try:
        for start, stop in _cut(sizes):
            clock.left()
            edges = np.unique(np.linspace(start, stop, cores() + 1).astype(np.int64)).tolist()
            for piece in share(look, pairwise(edges), len(edges) - 1):
                is_likely = piece[0] >= least
                likely, seen = likely + int(is_likely.sum()), seen + is_likely.size
                large += int((piece[0] < 0).sum())
                found = found.add([each[is_likely] for each in piece], most)
    except TimeIsUpError:
        pass
    dropped, unseen = likely - found.guesses.size, int(sizes.sum()) - seen
    return Screened(found.list_universes(ground), likely, dropped, seen - likely - large, large, unseen)


class _Found(NamedTuple):
    """What a kernel found: guesses, expected rows, and for each universe a line of numbers."""

    guesses: Floats
    expected: Floats
    lines: NDArray[np.int64]

    def add(self, more: list[NDArray[Any]], most: int) -> "_Found":
        """Return the ``most`` likely of these and more."""
        guesses, expected, lines = (np.concatenate(pair) for pair in zip(self, more, strict=True))
        order = np.lexsort([*lines.T[::-1], lines[:, 5] > 1, -np.floor(100 * guesses)])[:most]
        return _Found(guesses[order], expected[order], lines[order])

    def list_universes(self, ground: Ground) -> list[Likely]:
        """Return the universes, each once: several tops may lead to one."""
        found: dict[Bits, Likely] = {}
        for guess, rows, line in zip(self.guesses.tolist(), self.expected.tolist(), self.lines.tolist(), strict=True):
            top, own = ground.known[line[0]], places(ground.known[line[0]])
            more = [item for item in line[1:3] if item >= 0]
            universe = top | sum(1 << item for item in more)
            cell = sum(1 << place for at, place in enumerate(own) if line[3] >> at & 1)
            cell |= sum(1 << item for at, item in enumerate(more) if line[4] >> at & 1)
            found.setdefault(universe, Likely(universe, cell, guess, rows))
        return [*found.values()]


def _lay_out(ground: Ground) -> tuple[NDArray[Any], ...]:
    """Return the known tops as arrays for the kernel."""
    tables, owners = [ground.table(top) for top in ground.known], [places(top) for top in ground.known]
    cells = [
        sum((cell >> place & 1) << at for at, place in enumerate(own))
        for table, own in zip(tables, owners, strict=True)
        for cell in table
    ]
    counts = [count for table in tables for count in table.values()]
    where = np.full((len(owners), len(ground.items)), -1, dtype=np.int64)
    for line, own in zip(where, owners, strict=True):
        line[own] = np.arange(len(own))
    excludes = np.zeros((len(ground.items), len(ground.items)), dtype=np.bool_)
    for group in map(places, ground.groups):
        excludes[np.ix_(group, group)] = True
    members = np.array([place for own in owners for place in own], dtype=np.int64)
    starts, offsets = (np.cumsum([0, *map(len, each)]) for each in (owners, tables))
    sorted_by = np.argsort(members, kind="stable")
    holders = np.repeat(np.arange(len(owners)), np.diff(starts))[sorted_by]
    firsts = np.searchsorted(members[sorted_by], np.arange(len(ground.items) + 1))
    lists = np.array(cells, dtype=np.int64), np.array(counts, dtype=np.int64), offsets
    return *lists, members, starts, where, holders, firsts, excludes


def _cut(sizes: Numbers) -> list[tuple[int, int]]:
    """Return pieces of the tops, each with some AT_ONCE universes.

    >>> _cut(np.array([15_000, 15_000, 30_000, 10]))
    [(0, 2), (2, 3), (3, 4)]
    """
    ends, total = [0], 0
    for number, size in enumerate(sizes.tolist(), 1):
        total += size
        if total >= AT_ONCE or number == sizes.size:
            ends, total = [*ends, number], 0
    return [*pairwise(ends)]
