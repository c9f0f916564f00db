"""Groups: counts that are not known one by one, but of which all tables that fit say that together they are small."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

import numpy as np

from discreet.data.counts import UNKNOWN, State
from discreet.publications.counts.equations import Equations, Key, name_among
from discreet.publications.counts.limits import Limits
from discreet.publications.counts.parts import Part, list_parts, merge
from discreet.publications.counts.proofs import HIGH, LOW, Step, Steps
from discreet.runtime.solver import NoValuesError, Numbers, Program, Terms

WIDEST: Final = 20_000  # cells of a part in which tables of whole numbers are looked for
TRIES: Final = 1_000  # groups of a part that are tried one after the other
MOST_ACROSS: Final = 200  # cells of several parts that may be a group together


class Group(NamedTuple):
    """Cells of which all people together are ``low`` to ``high``, with the steps that show it about a cell for them."""

    cells: tuple[int, ...]
    low: int
    high: int
    equations: Equations
    steps: tuple[Step, ...]


class StoppedError(Exception):
    """Time was up before a question was answered."""


@dataclass(eq=False)
class GroupSearch:
    """The search for groups of 1 to k − 1 people in cells of a clique (section 3.6 of the theory on tables).

    A table that fits refutes a group if it has 0 or at least k people in it. ``undecided`` are cells that may be in a
    group for which no such table was found in time; ``covered`` is how many people are at least in a group of which
    masks say by themselves that it is small, the most of all such groups.
    """

    limits: Limits
    k: int
    undecided: int = 0
    covered: int = 0

    def run(self) -> Iterator[Group]:
        """Yield a group of each clique in each part that has any; if none has, one across several parts."""
        limits = self.limits
        for clique in limits.equations.cliques:
            cells = [cell for cell in clique if limits.low[cell] < limits.high[cell] and limits.largest[cell] < self.k]
            apart, found = list[_Tables](), list[Group | None]()
            for part, own in list_parts(limits.equations, limits.low, limits.high, cells):
                limits.tell()
                found += self._look(part, own, apart)
            if not found and len(apart) > 1:
                found += self._look_across(apart)
            yield from (one for one in found if one is not None)

    def _look(self, part: Part, cells: Sequence[int], apart: list["_Tables"]) -> Iterator[Group | None]:
        """Yield a group of a part, None if it could not be proven; keep the tables of a part that has none."""
        if self.limits.is_over or part.cells.size > WIDEST:
            self.undecided += len(cells)
            return
        try:
            tables = _Tables(self.limits, part)
            tables.keep_small(np.searchsorted(part.cells, cells).tolist(), self.k)
            found = self._find(tables, [*tables.most])
            if found is None:
                apart.append(tables)
                return
            group = prove(self.limits, gather(self.limits, part.cells[found].tolist()), tables.span(found))
            self.undecided += len(found) if group is None else 0
            yield group
        except StoppedError:
            self.undecided += len(cells)
        except NoValuesError:
            raise self.limits.refuse_all() from None

    def _look_across(self, apart: Sequence["_Tables"]) -> Iterator[Group | None]:
        """Yield a group in several parts that have none of their own.

        Of one with fewer than k people, so have each two of its cells. Masks say so unless one cell has less room than
        its mask leaves it.
        """
        equations = self.limits.equations
        rooms = [
            (most, int(tables.part.cells[one]), at)
            for at, tables in enumerate(apart)
            for one, most in tables.most.items()
        ]
        by_part = [min(tables.most.values(), default=self.k) for tables in apart]
        first, second = sorted(range(len(apart)), key=by_part.__getitem__)[:2]
        near = [(most, cell) for most, cell, at in rooms if most + by_part[second if at == first else first] < self.k]
        if all(equations.states[cell] == State.MASKED and most == equations.high[cell] for most, cell in near):
            least, lows = min((most for most, _ in near), default=self.k), self.limits.low[[cell for _, cell in near]]
            self.covered = max(self.covered, (self.k - 1) // least * int(lows.max(initial=0)))
            return
        if len(near) > MOST_ACROSS:
            self.undecided += len(near)
            return
        cells = [cell for _, cell in near]
        parts = [tables.part for tables in apart if np.isin(cells, tables.part.cells).any()]
        yield from self._look(merge(parts), sorted(cells), [])

    def _find(self, tables: "_Tables", columns: Sequence[int]) -> list[int] | None:
        """Return a group within some columns, all of which are surely below k; None if there is none.

        In a group with a column that is never 0, that one and each other are a group as well. Other groups are refuted
        by a table in which all columns are 0.
        """
        sure = [one for one in columns if tables.span([one])[0]]
        others = [one for one in columns if one not in {*sure}]
        for at, one in enumerate(sure):
            near = [other for other in (*sure[at + 1 :], *others) if tables.is_small([one, other], self.k)]
            found = self._try(tables, [one, *near], first=one) if near else None
            if found is not None:
                return found
        return self._try(tables, others) if others and tables.least(others) else None

    def _try(self, tables: "_Tables", columns: list[int], first: int | None = None) -> list[int] | None:
        """Return a group within some columns that masks do not say, with the ``first`` column if it is given.

        A program chooses columns that all known tables call a group, until no table refutes the choice, or none is
        left.
        """
        covered = list[list[int]]()
        for _ in range(TRIES):
            chosen = tables.choose(columns, self.k, covered, first)
            if chosen is None:
                return None
            if tables.is_small(chosen, self.k):
                if not self.is_covered(tables.part.cells[chosen].tolist(), tables.span(chosen)):
                    return chosen
                covered.append(chosen)
                self.covered = max(self.covered, tables.span(chosen)[0])
        raise StoppedError

    def is_covered(self, cells: Sequence[int], ends: tuple[int, int]) -> bool:
        """Return whether masks that say 1 to k − 1 show by themselves, beside what nobody has, that a group is small.

        A group that is known exactly is never excused.
        """
        equations, high = self.limits.equations, self.limits.high
        says = (equations.states == State.MASKED) & (equations.low >= 1) & (equations.high < self.k)
        if ends[0] == ends[1] or not says.any():
            return False
        low = np.where(says, equations.low, 0)
        most = np.where(high == 0, 0, np.where(says, equations.high, UNKNOWN))
        masks = Limits(replace(equations, low=low, high=most, ratios=()), self.limits.left())
        known = sum(int(low[cell]) for cell in cells if low[cell] == most[cell])
        least = largest = known
        for part, own in list_parts(masks.equations, low, most, [cell for cell in cells if low[cell] < most[cell]]):
            try:
                between = _Tables(masks, part).span(np.searchsorted(part.cells, own).tolist())
            except StoppedError:
                return False
            least, largest = least + between[0], largest + between[1]
        return least >= 1 and largest < self.k


@dataclass(eq=False)
class _Tables:
    """Tables of whole numbers that fit a part: those met so far, and how to find others.

    ``most`` are the columns that may be in a group, each with the largest number that a table has.
    """

    limits: Limits
    part: Part
    known: list[Numbers] = field(default_factory=list)
    spans: dict[tuple[int, ...], tuple[int, int]] = field(default_factory=dict)
    most: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Load the program once."""
        self._solve = self.limits.build(self.part, whole=True).prepare()

    def find(self, columns: Sequence[int], sign: int) -> int:
        """Return the least number of people in some columns; with a sign of -1 the largest."""
        costs = np.zeros(self.part.cells.size)
        costs[columns] = sign
        solved = self._solve(costs, self.limits.left(), -np.inf)
        if solved.stopped or solved.values is None:
            if solved.values is None and not solved.stopped:
                raise NoValuesError
            raise StoppedError
        if not self.limits.witness(self.part, solved.values):
            raise StoppedError
        self.known.append(np.rint(solved.values).astype(np.int64))
        return int(self.known[-1][columns].sum())

    def span(self, columns: Sequence[int]) -> tuple[int, int]:
        """Return the least and the largest number of people in some columns."""
        key = tuple(columns)
        if key not in self.spans:
            self.spans[key] = self.find(columns, 1), self.find(columns, -1)
        return self.spans[key]

    def least(self, columns: Sequence[int]) -> int:
        """Return the least number of people in some columns."""
        return self.find(columns, 1)

    def is_small(self, columns: Sequence[int], k: int) -> bool:
        """Return whether each table has 1 to k − 1 people in some columns."""
        for table in self.known:
            if not 1 <= table[columns].sum() < k:
                return False
        return self.find(columns, -1) < k and self.find(columns, 1) >= 1

    def keep_small(self, columns: Sequence[int], k: int) -> None:
        """Keep the columns that some table has people in, but none has k or more, with the most that any has."""
        left = list(columns)
        while left and self.find(left, -1) >= k:
            before, left = len(left), [one for one in left if self.known[-1][one] < k]
            if len(left) == before:
                break
        for one in left:
            if all(table[one] < k for table in self.known) and 0 < (most := self.find([one], -1)) < k:
                self.most[one] = most

    def choose(self, columns: list[int], k: int, no: Sequence[list[int]], first: int | None) -> list[int] | None:
        """Return two columns or more that all known tables call a group, but none of those that are covered."""
        program, size = Program(), len(columns)
        every = program.add_columns(size, upper=1, cost=1, whole=True)
        if first is not None:
            program.add_rows(1, Terms(np.zeros(1, np.int64), np.array([columns.index(first)]), np.ones(1)), lower=1)
        rows = np.zeros(size, np.int64)
        program.add_rows(1, Terms(rows, every, np.ones(size)), lower=2)
        for table in self.known:
            program.add_rows(1, Terms(rows, every, table[columns].astype(np.float64)), lower=1, upper=k - 1)
        for one in no:
            inside = np.isin(columns, one)
            program.add_rows(1, Terms(rows, every, np.where(inside, 1.0, -1.0)), upper=inside.sum() - 1)
        solved = program.solve(seconds=self.limits.left(), gap=0.0)
        if solved.values is None:
            if solved.stopped:
                raise StoppedError
            return None
        return [one for one, is_in in zip(columns, solved.values > 0.5, strict=True) if is_in]  # noqa: PLR2004 - 0 or 1


def gather(limits: Limits, cells: Sequence[int]) -> list[int]:
    """Return fewer counts that are the same people as some cells: totals of them, where nobody is in other parts."""
    equations, left = limits.equations, {*cells}
    while totals := [*_list_totals(limits, left)]:
        parts, total = min(totals, key=lambda one: (len(equations.keys[one[1]].values), -len(one[0]), one[1]))
        left = (left - parts) | {total}
    return sorted(left)


def _list_totals(limits: Limits, cells: set[int]) -> Iterator[tuple[set[int], int]]:
    """Yield the parts among some cells, and the total, of each sum that has two of them and otherwise nobody."""
    offsets, rows = limits.equations.users
    for row in {int(row) for cell in cells for row in rows[offsets[cell] : offsets[cell + 1]]}:
        (total, _), *parts = limits.equations.row(row)
        own = {part for part, factor in parts if part in cells and factor < 0}
        if len(own) > 1 and all(part in own or limits.high[part] == 0 for part, _ in parts):
            yield own, total


def prove(limits: Limits, cells: Sequence[int], ends: tuple[int, int]) -> Group | None:
    """Return a group with its proof, about a cell of its own that is the sum of its cells; None if none is found."""
    equations, size = limits.equations, len(limits.equations.keys)
    keys = [equations.keys[cell] for cell in cells]
    who = {one.counted for one in keys}
    key = Key("" if len(who) > 1 else who.pop(), frozenset({("", " + ".join(map(name_among(keys), keys)))}))
    wider = replace(
        equations,
        keys=(*equations.keys, key),
        low=np.append(equations.low, 0),
        high=np.append(equations.high, UNKNOWN),
        states=np.append(equations.states, np.uint8(State.UNPUBLISHED)),
        places=(*equations.places, None),
        offsets=np.append(equations.offsets, equations.offsets[-1] + len(cells) + 1),
        cells=np.concatenate([equations.cells, [size], cells]),
        factors=np.concatenate([equations.factors, [1], np.full(len(cells), -1)]),
    )
    found = Limits(wider, limits.left())
    found.steps += limits.steps
    found.low[:size], found.high[:size] = limits.low, limits.high
    found.propagate()
    found.tighten([size])
    for part, _ in list_parts(wider, found.low, found.high, [size]):
        for side, end in ((LOW, ends[0]), (HIGH, ends[1])):
            (found.least if side == LOW else found.largest)[size] = end
            found.refute(part, size, side)
    low, high = int(found.low[size]), int(found.high[size])
    if not 1 <= low <= high <= ends[1]:
        return None
    return Group(tuple(cells), low, high, wider, Steps(wider, found.steps).select([(size, LOW), (size, HIGH)]))
