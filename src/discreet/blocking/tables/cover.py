"""Covering: the counts of least cost of which each cut has one."""

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from math import ceil
from typing import Final, NamedTuple

import numpy as np

from discreet.runtime.solver import Numbers, Program, Terms

TINY: Final = 1e-6  # of a solver's bound, relative to it: costs are whole numbers


class Covered(NamedTuple):
    """Cells that hit every cut, what no others cost less than, and whether these are the cheapest."""

    cells: frozenset[int]
    bound: int
    is_least: bool


def cover(cuts: Sequence[frozenset[int]], costs: Numbers, seconds: float) -> Covered:
    """Return the cells of least cost of which each cut has one, by a program; greedily if time is short.

    >>> cover([frozenset({0, 1}), frozenset({1, 2})], np.array([2, 3, 2]), 10)
    Covered(cells=frozenset({1}), bound=3, is_least=True)
    """
    if not cuts:
        return Covered(frozenset(), 0, is_least=True)
    cells = np.array(sorted(frozenset().union(*cuts)), dtype=np.int64)
    program, sizes = Program(), [len(cut) for cut in cuts]
    program.add_columns(cells.size, cost=costs[cells], upper=1, whole=True)
    columns = np.searchsorted(cells, np.array([cell for cut in cuts for cell in sorted(cut)], dtype=np.int64))
    terms = Terms(np.repeat(np.arange(len(cuts)), sizes), columns, np.ones(columns.size))
    program.add_rows(len(cuts), terms, lower=1)
    solved = program.solve(seconds=seconds, gap=0.0)
    greedy = cover_greedily(cuts, costs)
    bound = max(0, ceil(solved.bound - TINY * max(1.0, abs(solved.bound)))) if np.isfinite(solved.bound) else 0
    if solved.values is None:
        return Covered(greedy, bound, is_least=False)
    chosen = frozenset(cells[solved.values > 0.5].tolist())  # noqa: PLR2004 - 0 or 1, but for rounding
    best = min(chosen, greedy, key=lambda some: add_costs(some, costs))
    return Covered(best, bound, is_least=not solved.stopped)


def cover_greedily(cuts: Iterable[frozenset[int]], costs: Numbers) -> frozenset[int]:
    """Return cells of which each cut has one: again and again the one that costs least for each cut it hits.

    >>> sorted(cover_greedily([frozenset({0, 1}), frozenset({1, 2})], np.array([2, 3, 2])))
    [1]
    """
    left, by_cell, chosen = dict(enumerate(cuts)), dict[int, set[int]](), set[int]()
    for number, cut in left.items():
        for cell in cut:
            by_cell.setdefault(cell, set()).add(number)
    queue = [(int(costs[cell]) / len(own), cell, len(own)) for cell, own in by_cell.items()]
    heapify(queue)
    while left:
        _, best, size = heappop(queue)
        own = by_cell[best]
        if len(own) < size:  # which only became dearer since
            if own:
                heappush(queue, (int(costs[best]) / len(own), best, len(own)))
            continue
        chosen.add(best)
        for number in [*own]:
            for cell in left.pop(number):
                by_cell[cell].discard(number)
    return frozenset(chosen)


def add_costs(cells: Iterable[int], costs: Numbers) -> int:
    """Return what some cells cost."""
    return sum(int(costs[cell]) for cell in cells)
