"""Collapsing: leave out the children of a node of a hierarchy, or merge values, until no small count follows."""

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count
from time import monotonic
from typing import Final

import numpy as np

from discreet.blocking.tables.coarsen import CannotMergeError, Coarsening, coarsen
from discreet.blocking.tables.problem import TableProblem, TableSolution
from discreet.data.counts import Counts, Dimension, State
from discreet.errors import OptionError
from discreet.publications.counts.equations import Key
from discreet.publications.counts.revealed import Search, find_revealed, search_equations
from discreet.runtime.text import count_of, printable

SHARE: Final = 0.5  # of the time for the search of the fewest cells lost; then the first way that ends is taken


def collapse(problem: TableProblem) -> TableSolution:
    """Return coarser tables from which no small count follows, with few cells lost.

    What is revealed decides where: a value that its sums use is left out together with its siblings, so that their
    parent stays; where an attribute has no hierarchy, it is merged with the next value. The ways that lose the fewest
    cells are tried first.
    """
    collapser = _Collapser(problem)
    found = collapser.search()
    if found is None:
        why = "; values whose counts are masked cannot be merged" * collapser.lacks_counts
        raise OptionError(f"collapsing leaves nothing of these tables to publish{why}; use the method 'suppress'")
    coarsening, counts = found
    return TableSolution(problem, counts, note=_describe(coarsening))


class _Collapser:
    """Tries coarser tables, those with the fewest cells lost first."""

    def __init__(self, problem: TableProblem) -> None:
        self.problem, self.lacks_counts = problem, False
        self.end = monotonic() + SHARE * problem.seconds
        every = (one for table in problem.counts.tables for one in table.dimensions)
        self.dimensions: dict[str, Dimension] = {}
        for one in every:
            self.dimensions.setdefault(one.name, one)
        limits = search_equations(problem.equations, problem.policy.k, seconds=problem.seconds).limits
        pairs = zip(problem.equations.keys, limits.low.tolist(), limits.high.tolist(), strict=True)
        self.known = {key: low for key, low, high in pairs if low == high}

    def search(self) -> tuple[Coarsening, Counts] | None:
        """Return the first coarsening from which nothing follows; after half of the time, the way ahead is not left."""
        order, seen, queue = count(), {Coarsening()}, [(0, 0, Coarsening(), self.problem.counts)]
        while queue:
            _, _, coarsening, counts = heappop(queue)
            wanted = self._find_revealed(counts)
            if wanted is None:
                return coarsening, counts
            if monotonic() >= self.end:
                queue.clear()
            for more in self._list_moves(coarsening, wanted):
                coarser = None if more in seen else self._coarsen(more)
                seen.add(more)
                if coarser is not None and len(coarser):
                    heappush(queue, (len(self.problem.counts) - len(coarser), next(order), more, coarser))
        return None

    def _coarsen(self, coarsening: Coarsening) -> Counts | None:
        try:
            return coarsen(self.problem.counts, coarsening, self.known)
        except CannotMergeError:
            self.lacks_counts = True
            return None

    def _find_revealed(self, counts: Counts) -> set[Key] | None:
        """Return the counts that the first proof of something revealed uses; None if nothing is."""
        policy = self.problem.policy
        search = find_revealed(counts, policy.k, width=policy.width, seconds=self.problem.seconds)
        for one in (*search.find_shown(policy.k), *search.found):
            return {*one.keys, *(one.equations.keys[cell] for cell in one.list_used())}
        return self._find_zero(search) if self.problem.hides_zeros else None

    def _find_zero(self, search: Search) -> set[Key] | None:
        equations = search.limits.equations
        zeros = np.flatnonzero((equations.states <= State.MASKED) & (search.limits.high == 0)).tolist()
        return {equations.keys[zeros[0]]} if zeros else None

    def _list_moves(self, coarsening: Coarsening, keys: set[Key]) -> Iterator[Coarsening]:
        """Yield the next coarser ones that touch a value of some counts."""
        names = {self._name(group): group for one in self.dimensions.values() for group in coarsening.list_groups(one)}
        pairs = {(name, value) for key in keys for name, value in key.values if name in self.dimensions}
        for name, value in sorted(pairs):
            one, first = self.dimensions[name], names.get(value, (value,))[0]
            merged = coarsening.merge(one, first) if first in one.values else None
            if merged is not None:
                yield merged
            yield coarsening.leave_out((name, one.parents.get(first)))

    @staticmethod
    def _name(group: tuple[str, ...]) -> str:
        return " or ".join(group)


def _describe(coarsening: Coarsening) -> str:
    """Return what was left out and merged, in words."""
    whole = [name for name, value in coarsening.cut if value is None]
    nodes = [value for name, value in coarsening.cut if value is not None and name not in whole]
    groups = [" or ".join(group) for name, group in coarsening.merged if name not in whole]
    words = ((whole, "{} left out"), (nodes, "{} published without what is below"), (groups, "{} merged"))
    said = [
        text.format(f"{count_of(len(some), 'attribute' if some is whole else 'value')} ({', '.join(sorted(some))})")
        for some, text in words
        if some
    ]
    return printable("; ".join(said)) + "." if said else ""
