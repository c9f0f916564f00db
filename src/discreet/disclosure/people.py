"""People: cells of rows that belong to fewer than k people, though there may be k rows or more.

Every published itemset and every derivable cell is a union of cells of a maximal top, and a union has at least as many
people as each of its parts. So if such a union has 1 to k − 1 people, each non-empty cell in it has as few: looking at
the cells of maximal tops is enough.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final, NamedTuple, overload

import numpy as np

from discreet import kernels
from discreet.data.itemsets import Itemsets, Weighted, offsets_of
from discreet.data.lattice import WORD, Cells, build_cells
from discreet.data.patterns import Patterns
from discreet.data.schema import Groups
from discreet.data.transactions import Rows
from discreet.disclosure.attacks.facts import Codes, as_schema
from discreet.disclosure.attacks.sums import widen_family
from discreet.disclosure.channels import Channel, Channels, Term, mark_up
from discreet.disclosure.detect import Question
from discreet.errors import Option, OptionError
from discreet.runtime import html, resources
from discreet.runtime.solver import Numbers
from discreet.runtime.text import count_of

ROOM: Final = 1024  # items of a group of tops: each row has a bit for each
MOST: Final = 64  # tops in a group: Ctrl-C is heard between groups, and threads share the groups


@dataclass(frozen=True, slots=True)
class PeopleCell(Channel):
    """``rows`` rows hold every item of ``base`` and no other item of ``top``, and belong to ``count`` people.

    >>> print(PeopleCell(frozenset("ab"), frozenset("abc"), 8, 26))
    a ∧ b ∧ ¬c: 26 rows of 8 people
    """

    rows: int

    @property
    def size(self) -> str:
        """The numbers of rows and of people, in words."""
        return f"{count_of(self.rows, 'row')} of {count_of(self.count, 'person', 'people')}"

    def terms(self, patterns: Patterns) -> list[Term]:
        """Return the published supports whose sum is the number of rows."""
        return Channel(self.base, self.top, self.rows).terms(patterns)


@dataclass(frozen=True, eq=False, repr=False)
class PeopleCells(Channels):
    """The cells under maximal tops of 1 to k − 1 people, in the order of channels; ``sizes`` are their rows.

    All channels are among them: fewer than k rows belong to fewer than k people. ``expand`` yields channels, by rows.

    >>> from discreet import Transactions, audit
    >>> rows = Transactions([["a", "b"]] * 6 + [["a"]] * 4).describe(people=np.array([1, 2, 3, 4, 5, 6, 7, 7, 7, 7]))
    >>> audit(rows, min_support=3, k=3).people.to_dicts()
    [{'base': ['a'], 'top': ['a', 'b'], 'count': 1, 'rows': 4}]
    """

    sizes: Numbers
    _types = MappingProxyType({"base": list, "top": list, "count": int, "rows": int})

    @overload
    def __getitem__(self, number: int) -> PeopleCell: ...
    @overload
    def __getitem__(self, number: slice) -> list[Channel]: ...
    def __getitem__(self, number: int | slice) -> Channel | list[Channel]:
        if isinstance(number, slice):
            return super().__getitem__(number)
        cell = super().__getitem__(number)
        return PeopleCell(cell.base, cell.top, cell.count, int(self.sizes[number]))

    def __repr__(self) -> str:
        return f"<PeopleCells: {len(self):,} cells of fewer than {self.k:,} people, {self.n:,} rows>"

    def _records(self) -> Iterator[tuple[Any, ...]]:
        return ((*record, rows) for record, rows in zip(super()._records(), self.sizes.tolist(), strict=True))

    def _repr_html_(self) -> str:
        lines = ((cell.count, cell.rows, mark_up(cell)) for cell in map(self.__getitem__, self.ranking()[: html.SHOWN]))
        return html.table(repr(self)[1:-1], ["people", "rows", "pattern"], lines, many=len(self))


class PeopleRows(NamedTuple):
    """Rows cut to published items, in the order of people; equal rows of one person are merged.

    The last item of each row stands for its person, ``owners[r]``; ``codes`` is how many codes there are.
    """

    rows: Weighted
    owners: Numbers
    codes: int

    def find_cells(self, tops: Itemsets, limit: int, threads: int = 1) -> tuple[Cells, Numbers]:
        """Return the cells of ``tops`` with 1 to ``limit`` − 1 people, by these, and the rows of each."""
        starts = kernels.cells.group(*tops.flat, np.arange(len(tops)), self.codes, ROOM, MOST)
        share = min(threads, max(1, len(starts) - 1))
        parts = resources.share(lambda start, stop: self._find(tops, start, stop, limit), pairwise(starts), share)
        sizes = np.concatenate([np.empty(0, dtype=np.int64), *(held for _, held in parts)])
        return Cells.concat([cells for cells, _ in parts]), sizes

    def _find(self, tops: Itemsets, start: int, stop: int, limit: int) -> tuple[Cells, Numbers]:
        group = tops.part(start, stop)
        items = np.unique(group.entries)
        place = np.full(self.codes, -1, dtype=np.int64)
        place[items] = np.arange(items.size)
        words = max(1, -(-items.size // WORD))
        maps, masks = (np.zeros((words, len(itemsets)), dtype=np.uint64) for itemsets in (self.rows, group))
        kernels.people.map_itemsets(*self.rows.flat, place, maps)
        kernels.people.map_itemsets(*group.flat, place, masks)
        numbers, bases, people, held = kernels.people.find_cells(maps, self.rows.weights, self.owners, masks, limit)
        return build_cells(bases, numbers + np.int32(start), people, tops, place), held


def are_visits(*counted: Patterns | Rows | None) -> bool:
    """Return whether rows or patterns count visits, of which a person may have several."""
    given = [one for one in counted if one is not None]
    has_people = any(one.people is not None for one in given if not isinstance(one, Patterns))
    return has_people or any(one.reading is not None and one.reading.per is not None for one in given)


def refuse_visits(rows: Rows, verb: str) -> Rows:
    """Return rows that each stand for a person; refuse visits, whose results would look safe if rows alone count."""
    if are_visits(rows):
        raise OptionError(
            f"{verb} counts rows, of which a person may have several; merge the rows of each person: leave ",
            *(Option("per"), " out"),
        )
    return rows


def find_people_cells(question: Question, schema: str | Groups | None = None) -> PeopleCells:
    """Return the cells under the tops in question whose rows belong to 1 to k − 1 people.

    Values of an attribute of the ``schema``, or of that of the patterns, exclude each other: so cells of wider tops are
    known, and rows that hold a value are not said to lack the others. Of maximal itemsets, only the cells are looked at
    whose counts are their supports.

    >>> from discreet import Transactions, mine
    >>> rows = Transactions([["a", "b"]] * 6 + [["a"]] * 4).describe(people=np.array([1, 2, 3, 4, 5, 6, 7, 7, 7, 7]))
    >>> print(*find_people_cells(Question(mine(rows, min_support=3), rows, limit=3)))
    a ∧ ¬b: 4 rows of 1 person
    """
    patterns, is_maximal = question.patterns, question.patterns.kind == "maximal"
    groups = () if is_maximal else _find_true(question, schema)
    tops = patterns.itemsets if is_maximal else _widen(question, groups)
    cells, sizes = order_by_person(question).find_cells(tops, question.limit, question.threads)
    chosen = np.flatnonzero(cells.bases.lengths == tops.lengths[cells.tops]) if is_maximal else np.arange(len(sizes))
    numbered = cells._replace(counts=np.arange(len(sizes))).take(chosen)
    if groups:
        numbered, tops = _shorten(numbered, tops, groups)
    found = Channels.from_cells(numbered, tops, patterns.labels, n=patterns.n, k=question.limit)
    order = found.cells.counts
    arranged = found.cells._replace(counts=cells.counts[order])
    return PeopleCells(arranged, found.tops, found.labels, found.n, found.k, sizes[order])


def _find_true(question: Question, schema: str | Groups | None) -> tuple[Codes, ...]:
    """Return the groups of a schema, by codes, of which no row holds two items: nobody knows what is not so."""
    patterns, rows = question.patterns, question.require_rows("people")

    def is_true(group: Codes) -> bool:
        held = np.zeros(len(rows.labels) + 1, dtype=np.int64)
        held[question.row_codes[sorted(group)]] = 1
        return int(rows.itemsets.add_up(held[rows.items]).max(initial=0)) <= 1

    groups = as_schema(patterns.schema if schema is None else schema, patterns.labels, patterns.hierarchy)
    return tuple(group for group in groups if is_true(group))


def _shorten(cells: Cells, tops: Itemsets, groups: Iterable[Codes]) -> tuple[Cells, Itemsets]:
    """Return the cells without the items that their bases exclude anyway, each once, and their tops."""
    others: defaultdict[int, set[int]] = defaultdict(set)
    for group in groups:
        for item in group:
            others[item] |= group - {item}
    every: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
    for number, (base, top) in enumerate(zip(cells.bases, cells.tops.tolist(), strict=True)):
        held = base.tolist()
        excluded = set[int]().union(*(others[item] for item in held))
        every.setdefault((tuple(item for item in tops[top].tolist() if item not in excluded), tuple(held)), number)
    place = {top: at for at, top in enumerate(sorted({top for top, _ in every}))}
    kept = cells.take(np.array(list(every.values()), dtype=np.int64))
    return kept._replace(tops=np.array([place[top] for top, _ in every], dtype=np.int32)), Itemsets.of(place)


def _widen(question: Question, groups: Sequence[Codes]) -> Itemsets:
    """Return the largest itemsets whose cells are known to a reader who knows the groups."""
    wide = widen_family(question.known, groups) if groups else None
    if wide is None:
        return question.tops
    every = Itemsets.concat([question.tops, wide.top_itemsets])
    ordered = every.weigh(np.zeros(len(every), dtype=np.int64)).sort(len(wide.labels))
    tops = ordered.take(np.flatnonzero(kernels.lattice.find_maximal(*ordered.flat, len(wide.labels))))
    return Itemsets(*tops.flat)


def order_by_person(question: Question) -> PeopleRows:
    """Return the rows in question in the order of people, in the codes of the patterns."""
    patterns, rows = question.patterns, question.require_rows("people")
    if rows.people is None:
        raise OptionError("whose rows these are is not known; say so with ", Option("person"))
    used, first = np.unique(patterns.items), len(patterns.labels)
    code = np.full(len(rows.labels) + 1, -1, dtype=np.int64)
    code[question.row_codes[used]] = used
    names, owners = np.unique(rows.people, return_inverse=True)
    # A person is one more item of each row, so that rows of different people are different.
    lengths = rows.itemsets.lengths
    items = np.insert(rows.itemsets.entries, np.cumsum(lengths), code.size + owners)
    codes = np.concatenate([code, np.arange(first, first + names.size)]).astype(np.int32)
    merged = Weighted(*kernels.merge_rows.merge(offsets_of(lengths + 1), items, rows.weights, codes)[:3])
    people = merged.items[merged.offsets[1:] - 1].astype(np.int64)
    order = np.argsort(people, kind="stable")
    return PeopleRows(merged.take(order), people[order], first + names.size)
