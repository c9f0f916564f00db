"""Channels: what published supports give away about fewer than k rows."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from operator import eq
from types import MappingProxyType
from typing import NamedTuple, Self, overload

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Itemset, Itemsets, Label, Weighted, sort_labels
from discreet.data.lattice import Cells, add_missing_root, complete_family
from discreet.data.patterns import Patterns
from discreet.data.records import Records
from discreet.data.transactions import Rows
from discreet.errors import InputError, refuse_truth
from discreet.runtime import html
from discreet.runtime.solver import Numbers
from discreet.runtime.text import count_of


class Term(NamedTuple):
    """A published support in a sum: it counts ``times`` times, subtracted if that is negative."""

    times: int
    itemset: Itemset
    support: int


@dataclass(frozen=True, slots=True)
class _Group:
    """``count`` rows that ``base`` and ``top`` describe."""

    base: Itemset
    top: Itemset
    count: int

    def __str__(self) -> str:
        return f"{self.pattern}: {self.size}"

    @property
    def size(self) -> str:
        """The number of rows, in words."""
        return count_of(self.count, "row")

    @property
    def pattern(self) -> str:
        """The items that these rows hold and lack, such as ``a ∧ b ∧ ¬c`` or ``a ∧ ¬(b ∧ c)``."""
        lacked = [f"({_conjoin(one)})" if len(one) > 1 else _conjoin(one) for one in self.lacked]
        return " ∧ ".join([*map(str, sort_labels(self.base)), *(f"¬{one}" for one in lacked)]) or "any row"

    @property
    def lacked(self) -> tuple[Itemset, ...]:
        """The itemsets of which these rows hold none."""
        raise NotImplementedError

    def terms(self, patterns: Patterns) -> list[Term]:
        """Return the published supports whose sum is the count."""
        raise NotImplementedError

    def explain(self, patterns: Patterns) -> str:
        """Return the sum of published supports that reveals these rows.

        >>> from discreet import mine
        >>> patterns = mine([["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50, min_support=10)
        >>> Channel(frozenset("ab"), frozenset("abc"), 2).explain(patterns)
        'sup(ab) 50 − sup(abc) 48 = 2'
        """
        terms = self.terms(patterns)
        texts = (f"sup({as_text(term.itemset)}) {term.support:,}" for term in terms)
        return f"{format_sum(terms, texts)} = {self.count:,}"


@dataclass(frozen=True, slots=True)
class Channel(_Group):
    """``count`` rows hold every item of ``base`` and no other item of ``top``.

    >>> print(Channel(frozenset("ab"), frozenset("abc"), 2))
    a ∧ b ∧ ¬c: 2 rows
    """

    @property
    def lacked(self) -> tuple[Itemset, ...]:
        """The items that these rows lack, each alone."""
        return tuple(frozenset([label]) for label in sort_labels(self.top - self.base))

    def terms(self, patterns: Patterns) -> list[Term]:
        """Return the published supports whose sum is the count, the larger itemsets later.

        This is the sum of Lemma 8 of *k-anonymous patterns* (PKDD 2005) without the terms that cancel out: each
        itemset between base and top has the support of a closed one.
        """
        listed, code = add_missing_root(patterns), patterns.code
        base, top = ([code[label] for label in itemset if label in code] for itemset in (self.base, self.top))
        every = find_cell_terms(listed.itemsets.weigh(listed.supports), base, top)
        terms = [Term(times, frozenset(listed.labelled(number)), support) for times, number, support in every]
        if sum(term.times * term.support for term in terms) != self.count:
            raise InputError("the channel does not follow from these patterns; give those that it was detected in")
        return terms


@dataclass(frozen=True, slots=True)
class Difference(_Group):
    """``count`` rows hold every item of ``base`` but not all of ``top``: the difference of two published supports.

    >>> print(Difference(frozenset("a"), frozenset("abc"), 5))
    a ∧ ¬(b ∧ c): 5 rows
    """

    @property
    def lacked(self) -> tuple[Itemset, ...]:
        """The one itemset that none of these rows holds whole."""
        return (self.top - self.base,)

    def terms(self, patterns: Patterns) -> list[Term]:
        """Return the two published supports; the empty itemset has support n, listed or not."""
        held = patterns[self.base] if self.base else patterns.n
        return [Term(1, self.base, held), Term(-1, self.top, patterns[self.top])]


@refuse_truth(ask=".rows")
class Exposed(NamedTuple):
    """The rows that channels single out: their numbers, how many channels each is in, and the smallest count of these.

    Merged rows have one number for all equal rows, ``weights`` of them.
    """

    numbers: NDArray[np.intp]
    channels: Numbers
    smallest: Numbers
    weights: Numbers

    @property
    def rows(self) -> int:
        """How many rows are exposed."""
        return int(self.weights.sum())

    def histogram(self) -> list[tuple[int, int]]:
        """Return each smallest count with its number of rows.

        >>> one, two = np.array([0, 3]), np.array([1, 1])
        >>> Exposed(one, two, np.array([2, 2]), np.array([1, 4])).histogram()
        [(2, 5)]
        """
        counts, which = np.unique(self.smallest, return_inverse=True)
        rows = np.zeros(counts.size, dtype=np.int64)
        np.add.at(rows, which, self.weights)
        return list(zip(counts.tolist(), rows.tolist(), strict=True))


@dataclass(frozen=True, eq=False, repr=False)
class Channels(Records):
    """The maximal channels below ``k`` of a release: by top, then by base, both in dictionary order of the codes.

    A channel is maximal if its top is; all others follow from these (``expand``). Its base is a closed itemset if no
    long itemsets were left out (Proposition 17 of *k-anonymous patterns*, PKDD 2005).

    >>> from discreet import detect, mine
    >>> channels = detect(mine([["a", "b"], ["a", "b"], ["a"], []], min_support=2), k=2)
    >>> print(*channels, sep="; ")
    ¬a ∧ ¬b: 1 row; a ∧ ¬b: 1 row
    """

    cells: Cells
    tops: Itemsets
    labels: tuple[Label, ...]
    n: int
    k: int
    _types = MappingProxyType({"base": list, "top": list, "count": int})

    @classmethod
    def from_cells(cls, cells: Cells, tops: Itemsets, labels: tuple[Label, ...], *, n: int, k: int) -> Self:
        """Arrange the cells of 1 to k − 1 rows, given in any order."""
        arranged = cells.take(cells.bases.order(len(labels), cells.tops.astype(np.int64)))
        for numbers in (arranged.tops, *arranged.bases.flat, arranged.counts, *tops.flat):
            numbers.setflags(write=False)
        return cls(arranged, tops, labels, n, k)

    def __len__(self) -> int:
        return int(self.cells.counts.size)

    @overload
    def __getitem__(self, number: int) -> Channel: ...
    @overload
    def __getitem__(self, number: slice) -> list[Channel]: ...
    def __getitem__(self, number: int | slice) -> Channel | list[Channel]:
        if isinstance(number, slice):
            return [self[one] for one in range(len(self))[number]]
        at = range(len(self))[number]
        both = self.cells.bases[at], self.tops[int(self.cells.tops[at])]
        base, top = (_name(codes.tolist(), self.labels) for codes in both)
        return Channel(base, top, int(self.cells.counts[at]))

    def __iter__(self) -> Iterator[Channel]:
        return (self[number] for number in range(len(self)))

    def __eq__(self, other: object) -> bool:
        """Return whether the channels, n and k are equal."""
        if not isinstance(other, Channels):
            return NotImplemented
        return (self.n, self.k, len(self)) == (other.n, other.k, len(other)) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]  # a value of many megabytes is no key

    def _records(self) -> Iterator[tuple[list[Label], list[Label], int]]:
        tops = [[self.labels[code] for code in top.tolist()] for top in self.tops]
        cells = zip(self.cells.bases, self.cells.tops.tolist(), self.cells.counts.tolist(), strict=True)
        return (([self.labels[code] for code in base.tolist()], tops[top], count) for base, top, count in cells)

    def __repr__(self) -> str:
        return f"<Channels: {len(self):,} maximal channels below {self.k:,} of {self.n:,} rows>"

    def _repr_html_(self) -> str:
        """Return the worst channels as a table, for notebooks."""
        lines = ((channel.count, mark_up(channel)) for channel in self.worst(html.SHOWN))
        return html.table(repr(self)[1:-1], ["rows", "pattern"], lines, many=len(self))

    def worst(self, most: int | None = None) -> list[Channel]:
        """Return the channels with the fewest rows first, then with the fewest items.

        >>> from discreet import detect, mine
        >>> channels = detect(mine([["a", "b"]] * 5 + [["a"]] * 2 + [[]], min_support=2), k=3)
        >>> [str(channel) for channel in channels.worst(1)]
        ['¬a ∧ ¬b: 1 row']
        """
        return [self[number] for number in self.ranking()[:most].tolist()]

    def ranking(self) -> NDArray[np.intp]:
        """Return the numbers of all channels, the worst first."""
        return np.lexsort((self.tops.lengths[self.cells.tops], self.cells.counts))

    def expand(self, patterns: Patterns) -> Iterator[Channel]:
        """Yield every channel of the release, by top and then by base; all follow from the maximal ones.

        The rows of a channel are those of all maximal channels that meet its top in its base (Theorem 18 of
        *k-anonymous patterns*, PKDD 2005). A top of m items can have 3 ** m channels, so they come one by one.

        >>> from discreet import detect, mine
        >>> patterns = mine([["a", "b"], ["a", "b"], ["a"]], min_support=2)
        >>> [str(channel) for channel in detect(patterns, k=2).expand(patterns)]
        ['a ∧ ¬b: 1 row', '¬b: 1 row']
        """
        family = complete_family(patterns)
        every = family.cells(limit=self.n + 1)
        tops = [as_bits(top.tolist()) for top in family.top_itemsets]
        tables: dict[int, Counter[int]] = {}
        for number, codes, count in zip(every.tops.tolist(), every.bases, every.counts.tolist(), strict=True):
            tables.setdefault(tops[number], Counter())[as_bits(codes.tolist())] = count
        unsafe = [top for top, table in tables.items() if any(count < self.k for count in table.values())]
        # Depth first over the itemsets within tops that have a maximal channel; no others have any.
        todo = [(0, -1, unsafe)] if unsafe else []
        while todo:
            top, last, above = todo.pop()
            table: Counter[int] = Counter()
            for base, count in tables[above[0]].items():
                table[base & top] += count
            for base in sorted((base for base, count in table.items() if count < self.k), key=places):
                yield Channel(_name(places(base), patterns.labels), _name(places(top), patterns.labels), table[base])
            wider = {item for other in above for item in places(other) if item > last}
            todo.extend(
                (top | 1 << item, item, [other for other in above if other >> item & 1])
                for item in sorted(wider, reverse=True)
            )

    def rows(self, rows: Rows) -> Exposed:
        """Return the rows that the channels single out.

        >>> from discreet import Transactions, detect, mine
        >>> rows = Transactions([["a", "b"], ["a", "b"], ["a"]])
        >>> detect(mine(rows, min_support=2), k=2).rows(rows).numbers.tolist()
        [2]
        """
        times, smallest = np.zeros(len(rows.itemsets), np.int64), np.full(len(rows.itemsets), self.k, np.int64)
        code = np.array([rows.code.get(label, -1) for label in self.labels], dtype=np.int64)
        cells = (self.cells.tops, *self.cells.bases.flat, self.cells.counts, *self.tops.flat)
        kernels.cell_rows.count_channels(rows.itemsets.flat, cells, code, len(rows.labels), times, smallest)
        numbers = np.flatnonzero(times)
        return Exposed(numbers, times[numbers], smallest[numbers], rows.weights[numbers])


def as_text(itemset: Itemset) -> str:
    """Return the labels of an itemset in order, separated by commas unless each is one letter.

    >>> as_text(frozenset("ba")), as_text(frozenset(["tea", "milk"])), as_text(frozenset([7, 5])), as_text(frozenset())
    ('ab', 'milk, tea', '5, 7', '∅')
    """
    labels = [str(label) for label in sort_labels(itemset)]
    return ("" if all(len(label) == 1 and label.isalpha() for label in labels) else ", ").join(labels) or "∅"


def format_sum(terms: Iterable[Term], texts: Iterable[str]) -> str:
    """Return a sum, with ``texts`` in place of the supports.

    >>> format_sum([Term(1, frozenset("a"), 9), Term(-2, frozenset("ab"), 4)], ["9", "4"])
    '9 − 2·4'
    """
    parts: list[str] = []
    for term, text in zip(terms, texts, strict=True):
        sign = ("−" if not parts else " − ") if term.times < 0 else " + " * bool(parts)
        parts.append(f"{sign}{f'{abs(term.times)}·' if abs(term.times) != 1 else ''}{text}")
    return "".join(parts)


def mark_up(channel: Channel) -> html.Html:
    """Return the pattern of a channel, abbreviated if it is long."""
    held = html.names(sort_labels(channel.base), between=" ∧ ")
    lacked = html.names(sort_labels(channel.top - channel.base), sign="¬", between=" ∧ ")
    return html.Html(" ∧ ".join(filter(None, (held, lacked))) or "any row")


def find_cell_terms(listed: Weighted, base: Iterable[int], top: Iterable[int]) -> list[tuple[int, int, int]]:
    """Return the terms of the cell ``base`` of ``top``: a factor, the number of a listed itemset, and its support.

    The list holds all closed or all frequent itemsets, with the empty one; one of them contains ``top``. Terms that
    cancel out are left out, so there are at most as many terms as listed itemsets.
    """
    codes = sorted(top)
    place = np.full(int(max(listed.items.max(initial=-1), *codes, -1)) + 1, -1, dtype=np.int64)
    place[codes] = np.arange(len(codes))
    words, room = max(1, -(-len(codes) // 64)), len(listed) + 1
    maps, counts, numbers = np.empty((words, room), np.uint64), np.empty(room, np.int64), np.empty(room, np.int64)
    size = kernels.open_tops.meet(*listed.arrays, np.arange(len(listed)), place, maps, counts, numbers)
    held = np.zeros((words, 1), np.uint64)
    for bit in place[list(base)].tolist():
        held[bit >> 6, 0] |= np.uint64(1 << (bit & 63))
    order, lengths = np.argsort(np.bitwise_count(maps[:, :size]).sum(axis=0), kind="stable"), listed.lengths
    times = kernels.open_tops.find_coefficients(maps, counts, order, held)
    chosen = sorted((int(lengths[numbers[at]]), int(numbers[at]), at) for at in np.flatnonzero(times).tolist())
    return [(int(times[at]), number, int(counts[at])) for _, number, at in chosen]


def as_bits(items: Iterable[int]) -> int:
    """Return items as a number with a bit for each.

    >>> as_bits([0, 2])
    5
    """
    return sum(1 << item for item in items)


def places(bits: int) -> list[int]:
    """Return the places of the bits that are set, the lowest first.

    >>> places(5)
    [0, 2]
    """
    found = []
    while bits:
        found.append((bits & -bits).bit_length() - 1)
        bits &= bits - 1
    return found


def _conjoin(itemset: Itemset) -> str:
    return " ∧ ".join(map(str, sort_labels(itemset)))


def _name(items: Iterable[int], labels: tuple[Label, ...]) -> Itemset:
    return frozenset(labels[item] for item in items)


def is_acyclic(itemsets: Itemsets) -> bool:
    """Return whether itemsets form an acyclic hypergraph: then even an exact attacker has nothing but sums of supports.

    The next itemset is always one with the most items seen so far. The hypergraph is acyclic if and only if the seen
    items of each lie within one earlier itemset (Tarjan and Yannakakis, *Simple linear-time algorithms to test
    chordality of graphs, test acyclicity of hypergraphs, and selectively reduce acyclic hypergraphs*, 1984).

    >>> is_acyclic(Itemsets.of([[0, 1], [1, 2]])), is_acyclic(Itemsets.of([[0, 1], [1, 2], [0, 2]]))
    (True, False)
    """
    edges = [frozenset(codes.tolist()) for codes in itemsets]
    holders: dict[int, list[int]] = {}
    for number, edge in enumerate(edges):
        for item in edge:
            holders.setdefault(item, []).append(number)
    seen = [0] * len(edges)
    queue = [(0, number) for number in range(len(edges))]
    turn: dict[int, tuple[int, int]] = {}
    done: set[int] = set()
    while queue:
        _, number = heappop(queue)
        if number in done:
            continue
        done.add(number)
        met = edges[number] & turn.keys()
        if met and not met <= edges[max(turn[item] for item in met)[1]]:
            return False
        for item in edges[number] - met:
            turn[item] = (len(done), number)
            for other in holders[item]:
                seen[other] += 1
                heappush(queue, (-seen[other], other))
    return True
