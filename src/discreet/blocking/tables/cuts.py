"""Cuts: for each small count that tables reveal, the shown counts of which one must be masked."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from time import monotonic
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from discreet.blocking.tables.masking import Flags, MaskableTables
from discreet.data.counts import State
from discreet.publications.counts.equations import Equations
from discreet.publications.counts.limits import Limits
from discreet.publications.counts.proofs import HIGH, LOW, Known, Refutation, Step, list_used
from discreet.publications.counts.revealed import Search, search_equations

Proven: TypeAlias = tuple[set[int], bool]  # the cells that a proof uses, and whether it stays one if more is known
LEAST: Final = 5.0  # seconds of a search, however little time is left: without an answer nothing can be released


class Cut(NamedTuple):
    """Counts of which one must be masked: the proof that something is revealed uses no other shown count.

    It ``holds`` for every safe choice of masks. Otherwise more shown counts might leave nothing to reveal: a masked
    count of k or more that was only narrowed is then known, and that is allowed.
    """

    cells: frozenset[int]
    holds: bool


def find_plain_cuts(tables: MaskableTables, masked: Flags) -> list[Cut]:
    """Return a cut for each small count that single sums reveal, one after the other, if some counts are masked."""
    limits = Limits(tables.mask(masked))
    limits.propagate()
    return _list_cuts(tables, masked, _list_plain_proofs(tables, limits))


def find_cuts(tables: MaskableTables, masked: Flags, until: float) -> list[Cut]:
    """Return a cut for each small count that is revealed if some counts are masked.

    A proof stays valid while none of the shown counts that it uses is masked: to know a masked count exactly only
    narrows what follows.
    """
    policy, truth = tables.problem.policy, tables.problem.truth
    seconds = max(LEAST, until - monotonic())
    equations = tables.mask(masked)
    search = search_equations(equations, policy.k, width=policy.width, seconds=seconds, truth=truth, eager=True)
    proofs = chain(_list_plain_proofs(tables, search.limits), _list_proofs(tables, search))
    return _list_cuts(tables, masked, proofs)


def _list_cuts(tables: MaskableTables, masked: Flags, proofs: Iterable[Proven]) -> list[Cut]:
    usable, found = tables.is_maskable & ~masked, dict[frozenset[int], Cut]()
    for cells, holds in proofs:
        cut = Cut(frozenset(cell for cell in cells if usable[cell]), holds)
        found[cut.cells] = max(found.get(cut.cells, cut), cut, key=lambda one: one.holds)
    return list(found.values())


def _list_plain_proofs(tables: MaskableTables, limits: Limits) -> Iterator[Proven]:
    """Yield the proofs of counts that limits reveal: small ones, and those of 0 if these must not be known."""
    equations, trace, k = limits.equations, _Trace(limits), tables.problem.policy.k
    is_shown, is_exact = equations.states < State.MASKED, limits.low == limits.high
    says_small = (equations.states == State.MASKED) & (equations.low >= 1) & (equations.high < k)
    is_told = ~says_small | (is_exact & (equations.states != State.UNPUBLISHED))
    is_told &= (limits.low >= 1) & (limits.high < k)
    is_told |= (equations.states <= State.MASKED) & (limits.high == 0) & tables.problem.hides_zeros
    for cell in np.flatnonzero(is_told).tolist():
        yield trace.find_cells([cell]) | ({cell} if is_shown[cell] else set()), True


def _list_proofs(tables: MaskableTables, search: Search) -> Iterator[Proven]:
    """Yield the proofs of what a search found beside that: groups of counts, and those that are only narrowed."""
    equations, limits, trace = search.limits.equations, search.limits, _Trace(search.limits)
    for one in search.found:
        if one.row is not None:
            row = [cell for cell, _ in equations.row(one.row)]
            known = [cell for cell in row if limits.low[cell] == limits.high[cell]]
            yield trace.find_cells(known) | {*row}, True
        elif len(one.keys) > 1:
            yield {cell for cell in one.list_used() if cell < len(equations.keys)}, True
        elif one.kind == "narrowed":
            cell = tables.problem.numbers[one.keys[0]]
            is_small = equations.low[cell] >= 1 and equations.high[cell] < tables.problem.policy.k
            yield trace.find_cells([cell]), bool(is_small or tables.is_primary[cell])


@dataclass(eq=False)
class _Trace:
    """Finds the cells that the limits of others rest on."""

    limits: Limits
    known: Known = field(init=False)

    def __post_init__(self) -> None:
        """Keep what the tables say."""
        self.known = Known(self.limits.equations)

    @cached_property
    def _by_limit(self) -> dict[tuple[int, int], list[int]]:
        found: dict[tuple[int, int], list[int]] = {}
        for number, step in enumerate(self.limits.steps):
            found.setdefault((step.cell, step.side), []).append(number)
        return found

    def find_cells(self, wanted: Iterable[int]) -> set[int]:
        """Return all cells that the steps to the last limits of some cells use."""
        steps, used, seen = self.limits.steps, set[int](), set[int]()
        queue = [((cell, side), len(steps)) for cell in wanted for side in (LOW, HIGH)]
        while queue:
            limit, before = queue.pop()
            number = next((at for at in reversed(self._by_limit.get(limit, ())) if at < before), None)
            used.add(limit[0])
            if number is None or number in seen:
                continue
            seen.add(number)
            queue += [(more, number) for more in self._list_limits(steps[number])]
        return used

    def _list_limits(self, step: Step) -> Sequence[tuple[int, int]]:
        if step.refutation is None:
            return list(list_used(self.known, step))
        cells = {*_list_cells(self.known.equations, step.refutation)}
        return [(cell, side) for cell in sorted(cells) for side in (LOW, HIGH)]


def _list_cells(equations: Equations, refutation: Refutation) -> Iterator[int]:
    """Yield the cells of the rows and shares that a refutation uses."""
    for step in refutation.steps:
        yield from (cell for row, _ in step.rows for cell, _ in equations.row(row))
        if step.ratio is not None:
            yield from equations.ratios[step.ratio][:2]
        if step.refutation is not None:
            yield from _list_cells(equations, step.refutation)
    for case in refutation.cases:
        yield from _list_cells(equations, case)
