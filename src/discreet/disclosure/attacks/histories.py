"""Histories: which rows came by which release, and what follows from all releases together over a few items.

If rows were only added, a reader of all releases looks for the number of rows of each kind that came between two of
them. One history that fits is found by a linear program over the kinds of the publisher's own rows. From there, small
programs over a top and one or two items more have few unknowns: the supports that no release tells. They are solved by
a kernel, for all conjunctions and all dates (docs/against.md).
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations, groupby
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Label
from discreet.data.transactions import Rows
from discreet.disclosure.attacks.constraints import Bits, Ground, find_widest, list_parts
from discreet.disclosure.attacks.facts import Facts
from discreet.disclosure.attacks.feasible import Clock, Subcube
from discreet.disclosure.attacks.finding import Finding
from discreet.disclosure.attacks.formula import Mark
from discreet.disclosure.channels import places
from discreet.runtime.resources import cores, share
from discreet.runtime.solver import Floats, Numbers, Program, Terms

LARGEST: Final = 8  # items of the universes that the kernel looks at
ITEMS: Final = 62  # items of all releases, a bit of a word each
PARTS: Final = 1 << 17  # itemsets of all releases
BEYOND: Final = 2  # items beside a largest itemset
COLUMNS: Final = 200_000  # kinds of rows at all dates, for a history to be sought
MANY: Final = 1000  # universes for which kinds of rows are drawn
DRAWN, ORDERS = 1500, 10  # rows that are drawn in each order, and orders
AT_ONCE: Final = 64  # universes for a kernel
CALLS: Final = 16  # of the kernel in each thread, between two looks at the clock


class CellTable(NamedTuple):
    """The cells of an itemset, and the number of rows in each."""

    top: Bits
    cells: Numbers
    counts: Floats


@dataclass(frozen=True, eq=False)
class History:
    """The number of rows of each of some ``kinds`` that came by each release, in one way that fits.

    A kind has a bit for each of the ``labels``. If only some sets of items are ``suspect``, nothing is to be found over
    items that contain none of them.
    """

    labels: tuple[Label, ...]
    kinds: Numbers
    counts: Floats
    suspect: frozenset[frozenset[Label]] = frozenset([frozenset()])

    def narrow(self, facts: Facts, findings: Iterable[Finding]) -> "History":
        """Return the history to look at after some itemsets were withheld, because of all ``findings`` from the facts.

        Whoever has fewer counts infers no more. So a pattern that is inferred then is one of the findings, or says more
        than one of them; if the largest itemsets are so short that all conjunctions beside them were looked at.
        """
        marks = frozenset(code for code, label in enumerate(facts.labels) if isinstance(label, Mark))
        if max((len(top - marks) for top in facts.tops), default=0) + BEYOND > kernels.polytopes.FEW:
            return replace(self, suspect=frozenset([frozenset()]))
        overs = (one.pattern.over - marks for one in findings)
        return replace(self, suspect=frozenset(frozenset(facts.labels[item] for item in over) for over in overs))

    def look(
        self, dated: "Dated", universes: Sequence[Bits], k: int, clock: Clock, known: Collection[Subcube] = ()
    ) -> Iterator[tuple[Bits, list[Subcube]]]:
        """Yield the universes, with the marks of all releases, in which conjunctions are rare, and these.

        What says more than one that is ``known`` is left out; of these there may be more after each universe.
        """
        kinds, suspect = self._recode(dated.ground), self._list_suspect(dated.ground)
        universes = [one for one in universes if any(not items & ~one for items in suspect)]
        facts = kinds, self.counts, *dated.known, dated.groups
        kernels.expect(len(universes) * kinds.size)
        # What is found over few items need not be found again over more, and universes of one size take as long.
        for _, same in groupby(sorted(universes, key=_rank), key=int.bit_count):
            every, lines = np.array(list(same), dtype=np.int64), dated.list_lines(known)

            def find(start: int, stop: int) -> list[tuple[int, Subcube]]:
                part = every[start:stop]  # noqa: B023 - used at once
                found = kernels.polytopes.find_rare(part, *facts, lines, k)  # noqa: B023 - used at once
                return [dated.read_line(int(part[number]), *line) for *line, _, number in found.tolist()]

            threads, parts = cores(), [(start, start + AT_ONCE) for start in range(0, every.size, AT_ONCE)]
            for at in range(0, len(parts), CALLS * threads):
                clock.left()
                found = chain.from_iterable(share(find, parts[at : at + CALLS * threads], threads))
                for universe, cubes in groupby(found, key=lambda line: line[0]):
                    yield universe | dated.marks, [cube for _, cube in cubes]

    def _list_suspect(self, ground: Ground) -> list[Bits]:
        """Return the suspect sets of items, if they can still be published."""
        codes = [[ground.facts.code.get(label, -1) for label in items] for items in self.suspect]
        return [ground.bits(items) for items in codes if ground.bit.keys() >= set(items)]

    def _recode(self, ground: Ground) -> Numbers:
        """Return the kinds with the bits of a ground, which may have fewer items."""
        kinds = np.zeros_like(self.kinds)
        for place, label in enumerate(self.labels):
            bit = ground.bit.get(ground.facts.code.get(label, -1), 0)
            kinds |= np.where(self.kinds >> place & 1, bit, 0)
        return kinds


@dataclass(frozen=True, eq=False)
class Dated:
    """The facts of several releases, by the dates of these."""

    ground: Ground

    @cached_property
    def _marks(self) -> list[Bits]:
        ground = self.ground
        return [ground.bit[item] for item in ground.items if isinstance(ground.facts.labels[item], Mark)]

    @property
    def marks(self) -> Bits:
        """The marks of all older releases."""
        return sum(self._marks)

    @property
    def dates(self) -> int:
        """The number of releases."""
        return len(self._marks) + 1

    @cached_property
    def tops(self) -> list[Bits]:
        """The largest itemsets of all releases."""
        return find_widest(top & ~self.marks for top in self.ground.tops) or [0]

    @cached_property
    def supports(self) -> dict[Bits, list[int | None]]:
        """The support of each listed itemset in each release; None where it is not known."""
        facts, ends = self.ground.facts, [*self._marks, 0]
        itemsets = {part for top in self.tops for part in list_parts(top)}
        limits = {itemset: [facts.limits(self.ground.codes(itemset | end)) for end in ends] for itemset in itemsets}
        return {itemset: [low if low == high else None for low, high in both] for itemset, both in limits.items()}

    @cached_property
    def known(self) -> tuple[Numbers, Numbers, NDArray[np.bool_]]:
        """The itemsets that a release tells the support of, in order, the last of these, and all of them."""
        told = {one: [support is not None for support in supports] for one, supports in self.supports.items()}
        known = sorted(one for one, dates in told.items() if any(dates))
        times = np.array([told[one] for one in known], dtype=np.bool_)
        return np.array(known), self.dates - 1 - np.argmax(times[:, ::-1], axis=1), times

    def draw_kinds(self) -> Numbers:
        """Return kinds of rows of which many are likely, in order, if nothing is known but the supports.

        The largest itemsets are gone through in any order; of each, a row gets a cell that fits those before, the more
        likely the more rows it has. In the end, some numbers of these kinds have all the supports, nearly always.
        """
        tables = [table for top in self.tops if (table := self._count_cells(top)) is not None]
        every = [_draw(tables, DRAWN, np.random.default_rng(seed)) for seed in range(ORDERS)]
        kinds = np.unique(np.concatenate(every))
        pairs = [kinds & group & ((kinds & group) - 1) for group in self.ground.groups]
        return kinds[~np.any([pair != 0 for pair in pairs], axis=0)] if pairs else kinds

    def _count_cells(self, top: Bits) -> CellTable | None:
        """Return a largest itemset, its cells, and the rows in each by the last release that tells them."""
        cells = np.array(list_parts(top), dtype=np.int64)
        supports = np.array([self.supports[part] for part in cells.tolist()], dtype=np.float64)
        told = np.flatnonzero(~np.isnan(supports).any(axis=0))
        if not told.size:
            return None
        counts = supports[:, told[-1]]
        for step in (1 << place for place in range(top.bit_count())):
            counts[np.flatnonzero(~np.arange(cells.size) & step)] -= counts[np.arange(cells.size) & step != 0]
        return CellTable(top, cells, np.maximum(counts, 0))

    @property
    def groups(self) -> Numbers:
        """The groups of the schema."""
        return np.array(self.ground.groups, dtype=np.int64)

    def read_line(self, universe: Bits, over: int, cell: int, first: int, last: int) -> tuple[Bits, Subcube]:
        """Return a universe and a conjunction over it about rows that came from one date to another.

        ``over`` and ``cell`` are numbers among the parts of the universe.
        """
        below = list_parts(universe)
        return universe, self._mark(below[over], below[cell], first, last)

    def _mark(self, over: Bits, cell: Bits, first: int, last: int) -> Subcube:
        if first > 0:
            over |= self._marks[first - 1]
        if last < self.dates - 1:
            over, cell = over | self._marks[last], cell | self._marks[last]
        return Subcube(over, cell)

    def list_lines(self, cubes: Iterable[Subcube]) -> Numbers:
        """Return conjunctions as the kernel writes them, all of which are sure."""
        lines = []
        for over, cell in cubes:
            before = [date for date, mark in enumerate(self._marks) if mark & over & ~cell]
            until = [date for date, mark in enumerate(self._marks) if mark & cell]
            first, last = max(before, default=-1) + 1, min(until, default=self.dates - 1)
            lines.append((over & ~self.marks, cell & ~self.marks, first, last, 2, 0))
        return np.array(lines, dtype=np.int64).reshape(-1, 6)

    @property
    def is_looked_at(self) -> bool:
        """Whether nothing is known but exact supports and a schema, of few enough itemsets."""
        facts, ground = self.ground.facts, self.ground
        beyond = facts.absent is not None or facts.absent_with or ground.balances
        parts = sum(1 << top.bit_count() for top in self.tops)
        return (facts.inherited or facts.is_joined) and not beyond and len(ground.items) <= ITEMS and parts <= PARTS

    def list_universes(self, beyond: int = BEYOND) -> list[Bits]:
        """Return the largest itemsets of all releases with up to ``beyond`` items more, each once."""
        others = self.ground.everything & ~self.marks
        return sorted(
            {
                top | sum(1 << place for place in chosen)
                for top in self.tops
                for many in range(beyond + 1)
                for chosen in combinations(places(others & ~top), many)
            }
        )


def _draw(tables: Sequence[CellTable], many: int, draws: np.random.Generator) -> Numbers:
    """Return rows that have a cell of each table, as far as those fit together."""
    known, held = np.zeros(many, np.int64), np.zeros(many, np.int64)
    for number in draws.permutation(len(tables)):
        top, cells, counts = tables[number]
        pairs, which = np.unique(np.stack([known & top, held & top]), axis=1, return_inverse=True)
        for at, (mentioned, present) in enumerate(pairs.T):
            weights = np.where(cells & mentioned == present, counts, 0)
            rows = np.flatnonzero(which.ravel() == at)
            if weights.any():
                held[rows] |= draws.choice(cells, rows.size, p=weights / weights.sum())
                known[rows] |= top
    return held


def _rank(universe: Bits) -> tuple[int, Bits]:
    return universe.bit_count(), universe


def find_history(facts: Facts, rows: Rows | None, seconds: float) -> History | None:
    """Return a history of rows that fits what releases tell; None if there is none, or that takes too long.

    It is in the middle of all that fit, so that it can be moved in every direction. Without the ``rows``, kinds of rows
    are drawn; that is worth its time only where there is much to look at.
    """
    dated = Dated(Ground(facts))
    if not dated.is_looked_at or (rows is None and len(dated.list_universes()) < MANY):
        return None
    labels = tuple(facts.labels[item] for item in dated.ground.items)
    if rows is None:
        kinds, weights = dated.draw_kinds(), None
    else:
        counted = dated.ground.rows(rows)
        kinds = np.array(sorted(counted), dtype=np.int64)
        weights = np.array([counted[kind] for kind in kinds.tolist()], dtype=np.float64)
        if dated.dates == 1:
            return History(labels, kinds, weights[None])
    many, told = kinds.size, dated.dates - (weights is not None)
    if dated.dates * many > COLUMNS:
        return None
    program = Program()
    columns = program.add_columns(dated.dates * many, whole=False)
    if weights is not None:
        program.add_rows(many, Terms(columns % many, columns, np.ones(columns.size)), lower=weights, upper=weights)
    terms, totals = list[Numbers](), list[int]()
    for itemset, supports in sorted(dated.supports.items()):
        holders, since, before = np.flatnonzero(kinds & itemset == itemset), 0, 0
        for date, support in enumerate(supports[:told]):
            if support is not None:
                terms.append((np.arange(since, date + 1)[:, None] * many + holders).ravel())
                totals.append(support - before)
                since, before = date + 1, support
    sizes = [part.size for part in terms]
    numbers = np.repeat(np.arange(len(terms)), sizes)
    held = np.array(totals, dtype=np.float64)
    program.add_rows(len(terms), Terms(numbers, np.concatenate(terms), np.ones(numbers.size)), lower=held, upper=held)
    values = program.find_middle(seconds=seconds)
    if values is None:
        return None
    return History(labels, kinds, np.maximum(values, 0).reshape(dated.dates, many))
