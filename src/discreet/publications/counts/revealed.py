"""Revealed counts: small numbers of people that linked tables give away, each with the sum that shows it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from time import monotonic
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.data.counts import PEOPLE, Counts, State
from discreet.errors import InputError
from discreet.publications.counts.equations import Equations, Key, Shared, name_among
from discreet.publications.counts.groups import GroupSearch
from discreet.publications.counts.limits import SECONDS, Limits, link_tables
from discreet.publications.counts.moves import Truth
from discreet.publications.counts.parts import list_parts
from discreet.publications.counts.proofs import HIGH, LOW, Known, Step, Steps, check_steps, list_used
from discreet.publications.counts.settling import Settling
from discreet.publications.rules.intervals import format_limits
from discreet.runtime.resources import Progress
from discreet.runtime.solver import NoValuesError

Kind: TypeAlias = Literal["recovered", "told", "narrowed", "shown"]
OFTEN: Final = 0.5  # seconds between two reports
SPARE: Final = 30  # times as long as a report takes
SPELLED: Final = 3  # counts that a sum names one by one


@dataclass(frozen=True, eq=False)
class Revealed:
    """A small number of people that tables give away: from ``low`` to ``high`` have the values of ``keys``.

    It is "recovered" if a masked or absent count follows exactly, "told" if no mask says that it is small, and
    "narrowed" if fewer values are left than a policy asks for. Several keys are a group: all of them together.
    """

    kind: Kind
    keys: tuple[Key, ...]
    low: int
    high: int
    steps: tuple[Step, ...]
    equations: Equations = field(repr=False)
    row: int | None = None

    @property
    def sentence(self) -> str:
        """The sums that show it, one after the other."""
        return "; ".join(dict.fromkeys(self.explain()))

    @property
    def counted(self) -> str:
        """What is counted; people, if it is not the same in all keys."""
        counted = {key.counted for key in self.keys}
        return PEOPLE if len(counted) > 1 else counted.pop()

    @property
    def who(self) -> str:
        """The values of those who are counted."""
        return " or ".join(map(name_among(self.keys), self.keys))

    def explain(self) -> Iterator[str]:
        """Yield a sum for each step, the last one about the count itself."""
        known, rest = Known(self.equations), [] if self.row is None else [*self.equations.row(self.row)]
        name = name_among(self.equations.keys[cell] for cell in (*self.list_used(), *(cell for cell, _ in rest)))
        for step in self.steps:
            yield _describe(known, step, name)
            known.take(step)
        if rest:
            yield _describe_rest(known, rest, self.low, name)

    def list_used(self) -> frozenset[int]:
        """Return the numbers of all cells that the sums use."""
        known = Known(self.equations)
        used = {cell for step in self.steps for cell, _ in list_used(known, step)}
        return frozenset(used if self.row is None else used | {cell for cell, _ in self.equations.row(self.row)})

    def __str__(self) -> str:
        counted = "" if self.counted == PEOPLE else f"{self.counted}: "
        return f"{counted}{self.who}: {format_limits(self.low, self.high)}"


class Search(NamedTuple):
    """What tables reveal, the cells for which it could not be decided, and what was not looked for."""

    found: tuple[Revealed, ...]
    undecided: int
    limits: Limits
    doubts: tuple[str, ...] = ()
    covered: int = 0  # how many people are at least in a group of which masks say that it is small

    def list_joins(self) -> list[Shared]:
        """Return what tables share that must be joined, since few people may have values of both, though not of one.

        It takes a count that they share and that is not known, or more people in a group that masks excuse than there
        can be in another cell (3.4).
        """
        limits = self.limits
        room = limits.high[list({cell for clique in limits.equations.cliques for cell in clique})]
        is_less = bool((room[room > 0] < self.covered).any())
        return [*limits.equations.shared] if is_less else limits.list_unknown()

    def find_shown(self, k: int) -> tuple[Revealed, ...]:
        """Return the counts from 1 to k − 1 that the tables show."""
        limits, equations = self.limits, self.limits.equations
        is_small = (equations.states < State.MASKED) & (limits.low >= 1) & (limits.high < k)
        order = sorted(np.flatnonzero(is_small).tolist(), key=lambda cell: int(limits.high[cell]))
        steps, found = Steps(equations, limits.steps), list[Revealed]()
        for cell in order:
            proof, ends = steps.select([(cell, LOW), (cell, HIGH)]), (int(limits.low[cell]), int(limits.high[cell]))
            found.append(Revealed("shown", (equations.keys[cell],), *ends, proof, equations))
        return tuple(found)


def find_revealed(
    counts: Counts, k: int, *, width: int = 1, seconds: float = SECONDS, progress: Progress | None = None
) -> Search:
    """Return the counts from 1 to k − 1 that follow from tables, though these do not show them.

    Limits are propagated through all sums, then linear programs decide what is left, and whole numbers where these
    leave a doubt; then groups of cells are looked for (sections 3.5 and 3.6 of the theory on tables). If nothing is
    found, but may be in several tables together, they are joined to one, and it is looked for there (3.4).

    >>> from discreet.data.counts import Cell, Dimension, Table
    >>> cells = (Cell((None,), 180, 180), Cell(("f",), 177, 177), Cell(("m",), 1, 10, State.MASKED))
    >>> counts = Counts((Table("by sex", (Dimension("sex", ("f", "m")),), cells),))
    >>> [(one.kind, str(one), one.sentence) for one in find_revealed(counts, 11).found]
    [('recovered', 'sex m: 3', 'sex m = total 180 − sex f 177 = 3')]
    """
    until = monotonic() + seconds
    search = search_equations(link_tables(counts), k, width=width, seconds=seconds, progress=progress)
    joins = search.list_joins()
    if search.found or search.undecided or not joins or has_room(search.limits, k, until):
        return search
    joined = link_tables(counts, joins=joins)
    left = max(0.0, until - monotonic())
    return search_equations(joined, k, width=width, seconds=left, progress=progress)


def has_room(limits: Limits, k: int, until: float) -> bool:
    """Return whether a table fits in which no cell of a clique has 1 to k − 1 people, nor 0 if it may have some.

    If one does, no union of cells over all attributes is small, though what tables share may not be known: who is in it
    is in a cell of each clique, and of each of these there are k people who may be one and the same (theorem B0 in
    docs/guarantee.md).
    """
    equations = limits.equations
    cells = np.array(sorted({cell for clique in equations.cliques for cell in clique}), dtype=np.int64)
    cells, low = cells[limits.high[cells] > 0], equations.low.copy()
    if (limits.high[cells] < k).any():
        return False
    low[cells] = np.maximum(low[cells], k)
    roomy = Limits(replace(equations, low=low), max(0.0, until - monotonic()))
    try:
        roomy.propagate()
        for part, _ in list_parts(
            roomy.equations, roomy.low, roomy.high, np.flatnonzero(roomy.low < roomy.high).tolist()
        ):
            find = roomy.build(part, whole=True).prepare()
            solved = find(np.zeros(part.cells.size), roomy.left(), -np.inf)
            if solved.values is None or not roomy.witness(part, solved.values):
                return False
    except (InputError, NoValuesError):
        return False
    return True


def search_equations(
    equations: Equations,
    k: int,
    *,
    width: int = 1,
    seconds: float = SECONDS,
    truth: Truth | None = None,
    eager: bool = False,
    progress: Progress | None = None,
) -> Search:
    """Return the counts from 1 to k − 1 that follow from equations, as ``find_revealed`` does from tables.

    The owner of the data may give the ``truth``: it is a table that fits, which saves looking for one. An
    ``eager`` search leaves cells undecided if others are revealed by linear programs.
    """
    limits = Limits(equations, seconds)
    limits.propagate()
    judge = _Judge(limits, k, width)
    unsure = np.flatnonzero(equations.states > State.EXACT).tolist()
    if progress is not None:
        limits.tell = partial(_report, progress, judge, unsure, [monotonic() + OFTEN])
    Settling(limits, judge, truth).run(unsure, eager=eager)
    hidden, groups = np.flatnonzero(equations.states >= State.MASKED).tolist(), GroupSearch(limits, k)
    found = [one for cell in hidden if (one := judge.judge(cell)) is not None and not judge.is_excused(one, groups)]
    found += judge.find_rests()
    for one in found:  # by code that neither propagates nor solves
        check_steps(equations, one.steps)
    undecided = sum(not judge.is_decided(cell) for cell in unsure)
    if not (found or undecided):
        for group in groups.run():
            keys = tuple(equations.keys[cell] for cell in group.cells)
            found.append(Revealed("told", keys, group.low, group.high, group.steps, group.equations))
            check_steps(group.equations, group.steps)
        undecided += groups.undecided
    few = limits.low[(limits.low >= 1) & (limits.high < k)]
    order = sorted(range(len(found)), key=lambda at: (found[at].high, found[at].low, at))
    covered = max(groups.covered, int(few.max(initial=0)))
    return Search(tuple(found[at] for at in order), undecided, limits, equations.doubts, covered)


def _report(progress: Progress, judge: "_Judge", cells: Sequence[int], after: list[float]) -> None:
    """Report now and then how many cells are decided: of many that takes long, and is done less often."""
    begun = monotonic()
    if begun > after[0]:
        decided = sum(judge.is_decided(cell) for cell in cells)
        progress(decided / len(cells), decided)
        after[0] = monotonic() + max(OFTEN, SPARE * (monotonic() - begun))


@dataclass(frozen=True, eq=False)
class _Judge:
    """Decides about cells, by their proven limits and the values that they have in tables that fit."""

    limits: Limits
    k: int
    width: int

    @cached_property
    def _states(self) -> list[int]:
        """The state of each cell as a number of Python: if NumPy compares one with an enum, Ctrl-C may be lost."""
        states: list[int] = self.limits.equations.states.tolist()
        return states

    @cached_property
    def steps(self) -> Steps:
        """The steps of all proofs."""
        return Steps(self.limits.equations, self.limits.steps)

    def is_settled(self, cell: int) -> bool:
        """Return whether it is certain that a cell is revealed, or that it is not."""
        return self._name_kind(cell) == "recovered" or self._is_cleared(cell) or self._is_pinned(cell)

    def is_revealed(self, cell: int) -> bool:
        """Return whether something small is certain."""
        return self._name_kind(cell) is not None

    def is_decided(self, cell: int) -> bool:
        """Return whether the kind of what is revealed is certain, though its limits may not be the narrowest."""
        is_told = self._name_kind(cell) == "told" and self.limits.least[cell] < self.limits.largest[cell]
        return self.is_settled(cell) or is_told

    def list_goals(self, cell: int, value: int) -> Iterator[int]:
        """Yield values that would decide about a cell beside a known one: 0 and k, or any other if that is enough."""
        if 0 < value < self.k and not self._says_small(cell) and self._name_kind(cell) != "told":
            yield from (0, max(self.k, value + self.width))
        else:
            yield from (value + self.width, value - self.width)

    def _is_pinned(self, cell: int) -> bool:
        limits = self.limits
        return bool(limits.low[cell] == limits.least[cell] and limits.high[cell] == limits.largest[cell])

    def _is_cleared(self, cell: int) -> bool:
        """Return whether tables fit in which the cell has other values, so that nothing small is certain."""
        limits = self.limits
        least, largest = int(limits.least[cell]), int(limits.largest[cell])
        if limits.low[cell] >= self.k:
            return least < largest or not self._is_watched[cell]
        is_open = least == 0 or largest >= self.k or self._says_small(cell)
        width = self.width if self._states[cell] >= State.MASKED else 1
        return is_open and largest - least >= width

    @cached_property
    def _is_watched(self) -> NDArray[np.bool_]:
        """The cells of sums with several open parts that may be small: if all others are known, so is what they add to.

        It is asked for once limits are propagated; those that follow later make fewer sums of this kind.
        """
        limits, equations = self.limits, self.limits.equations
        rows, cells, sums = equations.row_numbers, equations.cells, equations.offsets.size - 1
        is_small = (limits.low < limits.high)[cells] & (equations.factors < 0) & (limits.low < self.k)[cells]
        least = np.bincount(rows, np.where(is_small, limits.low[cells], 0), sums)
        is_wanted = (np.bincount(rows, is_small, sums) > 1) & (least < self.k)
        watched = np.zeros(limits.low.size, dtype=np.bool_)
        watched[cells[is_wanted[rows]]] = True
        return watched

    def _says_small(self, cell: int) -> bool:
        """Return whether the mask of a cell says by itself that its count is from 1 to k − 1."""
        equations = self.limits.equations
        is_masked = self._states[cell] == State.MASKED
        return bool(is_masked and equations.low[cell] >= 1 and equations.high[cell] < self.k)

    def _name_kind(self, cell: int) -> Kind | None:
        limits, equations = self.limits, self.limits.equations
        low, high = int(limits.low[cell]), int(limits.high[cell])
        if low >= 1 and high < self.k:
            if low == high and self._states[cell] != State.UNPUBLISHED:
                return "recovered"
            if not self._says_small(cell):
                return "told"
        is_narrow = high - low < self.width and high - low < equations.high[cell] - equations.low[cell]
        is_narrow &= self._states[cell] >= State.MASKED
        return "narrowed" if is_narrow and low < high and low < self.k else None

    def judge(self, cell: int) -> Revealed | None:
        """Return what is revealed of a cell."""
        kind, limits = self._name_kind(cell), self.limits
        if kind is None:
            return None
        low, high = int(limits.low[cell]), int(limits.high[cell])
        steps = self.steps.select([(cell, LOW), (cell, HIGH)])
        return Revealed(kind, (limits.equations.keys[cell],), low, high, steps, limits.equations)

    def is_excused(self, one: Revealed, groups: GroupSearch) -> bool:
        """Return whether masks that say so show by themselves that a count that no table shows or masks is small."""
        if one.kind != "told":
            return False
        cells = [self.limits.equations.index[key] for key in one.keys]
        is_listed = self.limits.equations.states[cells] < State.ABSENT
        return not is_listed.any() and groups.is_covered(cells, (one.low, one.high))

    def find_rests(self) -> Iterator[Revealed]:
        """Yield groups of counts that are not known, but add up to 1 to k − 1: a total minus its known parts."""
        limits, equations = self.limits, self.limits.equations
        is_open = limits.low < limits.high
        rows = equations.row_numbers
        unknown = np.bincount(rows, is_open[equations.cells], equations.offsets.size - 1)
        sums = np.zeros(equations.offsets.size - 1, dtype=np.int64)
        np.add.at(sums, rows, np.where(is_open[equations.cells], 0, equations.factors * limits.low[equations.cells]))
        heads = equations.cells[equations.offsets[:-1]]
        # A row says that a total is the sum of its parts if one factor is 1, that of the total, and all others are -1.
        positive = np.bincount(rows, equations.factors > 0, equations.offsets.size - 1)
        is_less = sums < limits.low[heads]  # else it is the total that is small
        small = (unknown > 1) & ~is_open[heads] & (sums > 0) & (sums < self.k) & (positive == 1) & is_less
        for row in np.flatnonzero(small).tolist():
            cells = [cell for cell, _ in equations.row(row)]
            keys = tuple(equations.keys[cell] for cell in cells if is_open[cell])
            if len({key.values for key in keys}) == 1:
                continue  # some people and all others, who are found as one count
            known = [(cell, side) for cell in cells if not is_open[cell] for side in (LOW, HIGH)]
            steps = self.steps.select(known)
            yield Revealed("told", keys, int(sums[row]), int(sums[row]), steps, equations, row)


def _describe(known: Known, step: Step, name: Callable[[Key], str]) -> str:
    """Return a step in words: the sum that bounds a count."""
    keys = known.equations.keys
    if step.ratio is not None:
        part, whole, _ = known.equations.ratios[step.ratio]
        sign = ("≥", "≤")[step.side]
        share = f"by the share of {name(keys[part])} in {name(keys[whole])}"
        return f"{name(keys[step.cell])} {sign} {step.limit:,}, {share}"
    if step.refutation is not None:
        sign = ("≥", "≤")[step.side]
        return f"{name(keys[step.cell])} {sign} {step.limit:,}, as no other whole numbers fit all sums"
    terms, is_exact = [], step.scale == 1
    for cell, factor in known.terms(step).items():
        end = known.limits[LOW if (factor > 0) == (step.side == LOW) else HIGH][cell]
        is_exact &= known.limits[LOW][cell] == known.limits[HIGH][cell]
        terms.append((factor, name(keys[cell]), end))
    sign = "=" if is_exact else ("≥", "≤")[step.side]
    value = f"{step.scale} × " * (step.scale > 1)
    return f"{value}{name(keys[step.cell])} {sign} {_format(terms)} {sign} {step.limit * step.scale:,}"


def _describe_rest(known: Known, row: Sequence[tuple[int, int]], rest: int, name: Callable[[Key], str]) -> str:
    keys = known.equations.keys
    terms = [
        (factor, name(keys[cell]), known.limits[LOW][cell])
        for cell, factor in row
        if known.limits[LOW][cell] == known.limits[HIGH][cell]
    ]
    return f"{_format(terms)} = {rest:,}"


def _format(terms: Sequence[tuple[int, str, int]]) -> str:
    """Return a sum of counts: few with their names, of many only what they add up to."""
    parts = []
    for sign in (1, -1):
        own = [(abs(factor), name, end) for factor, name, end in terms if factor * sign > 0]
        if len(own) > SPELLED:
            many = sum(factor * end for factor, _, end in own)
            parts += [(sign, f"{len(own):,} other counts {many:,}")] if many else []
        else:
            parts += [(sign, f"{f'{factor} × ' * (factor > 1)}{name} {end:,}") for factor, name, end in own]
    text = "".join(f" {'+' if sign > 0 else '−'} {part}" for sign, part in parts)
    return text.removeprefix(" + ").removeprefix(" ") or "0"
