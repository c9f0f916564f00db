"""Channels: what published supports give away about fewer than k rows."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Self, overload

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.labels import Itemset, Label, sort_labels
from discreet.data.lattice import Cells, add_missing_root, complete_family
from discreet.data.merged import Rows
from discreet.data.patterns import Patterns
from discreet.errors import InputError
from discreet.runtime import html


class Term(NamedTuple):
    """A published support in a sum: it counts ``times`` times, subtracted if that is negative."""

    times: int
    itemset: Itemset
    support: int


@dataclass(frozen=True, slots=True)
class _Group:
    """``count`` rows, which ``base`` and ``top`` describe."""

    base: Itemset
    top: Itemset
    count: int

    def __str__(self) -> str:
        return f"{self.pattern}: {self.count:,} row{'s' * (self.count != 1)}"

    @property
    def pattern(self) -> str:
        """The items that these rows hold and lack."""
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
    def pattern(self) -> str:
        """The items that these rows hold and lack, such as ``a ∧ b ∧ ¬c``."""
        held, lacked = sort_labels(self.base), sort_labels(self.top - self.base)
        return " ∧ ".join([*map(str, held), *(f"¬{label}" for label in lacked)]) or "any row"

    @property
    def lacked(self) -> tuple[Itemset, ...]:
        """The items that these rows lack, each alone."""
        return tuple(frozenset([label]) for label in sort_labels(self.top - self.base))

    def terms(self, patterns: Patterns) -> list[Term]:
        """Return the published supports whose sum is the count, the larger itemsets later.

        This is the sum of Lemma 8 of *k-anonymous patterns* (PKDD 2005) without the terms that cancel out: each
        itemset between base and top has the support of a closed one.
        """
        listed = add_missing_root(patterns)
        code = {label: number for number, label in enumerate(patterns.labels)}
        base, top = ([code[label] for label in itemset if label in code] for itemset in (self.base, self.top))
        terms = [
            Term(
                times,
                _name(listed.items[listed.offsets[at] : listed.offsets[at + 1]].tolist(), patterns.labels),
                support,
            )
            for times, at, support in cell_terms(listed.offsets, listed.items, listed.supports, base, top)
        ]
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
    def pattern(self) -> str:
        """The items that these rows hold, and those that they do not all hold."""
        lacked = " ∧ ".join(map(str, sort_labels(self.top - self.base)))
        lacked = f"({lacked})" if len(self.top - self.base) > 1 else lacked
        return " ∧ ".join([*map(str, sort_labels(self.base)), f"¬{lacked}"])

    @property
    def lacked(self) -> tuple[Itemset, ...]:
        """The one itemset that none of these rows holds whole."""
        return (self.top - self.base,)

    def terms(self, patterns: Patterns) -> list[Term]:
        """Return the two published supports; the empty itemset has support n, listed or not."""
        held = patterns[self.base] if self.base else patterns.n
        return [Term(1, self.base, held), Term(-1, self.top, patterns[self.top])]


class Exposed(NamedTuple):
    """The rows that channels single out: their numbers, how many channels each is in, and the smallest count of these.

    Merged rows have one number for all equal rows, ``weights`` of them.
    """

    numbers: NDArray[np.intp]
    channels: NDArray[np.int64]
    smallest: NDArray[np.int64]
    weights: NDArray[np.int64]

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
class Channels:
    """The maximal channels below ``k`` of a release: by top, then by base, both in dictionary order of the codes.

    A channel is maximal if its top is; all others follow from these (``expand``). Its base is a closed itemset if no
    long itemsets were left out (Proposition 17 of *k-anonymous patterns*, PKDD 2005).

    >>> from discreet import detect, mine
    >>> channels = detect(mine([["a", "b"], ["a", "b"], ["a"], []], min_support=2), k=2)
    >>> print(*channels, sep="; ")
    ¬a ∧ ¬b: 1 row; a ∧ ¬b: 1 row
    """

    cells: Cells
    top_offsets: NDArray[np.int64]
    top_items: NDArray[np.int32]
    labels: tuple[Label, ...]
    n: int
    k: int

    @classmethod
    def from_cells(
        cls,
        cells: Cells,
        top_offsets: NDArray[np.int64],
        top_items: NDArray[np.int32],
        labels: tuple[Label, ...],
        *,
        n: int,
        k: int,
    ) -> Self:
        """Arrange the cells of 1 to k − 1 rows, given in any order."""
        order = np.argsort(cells.tops, kind="stable")
        keys = cells.tops.astype(np.uint64)
        kernels.itemsets.settle(cells.offsets, cells.items, keys, order, np.empty_like(order))
        arranged = cells.take(order)
        for numbers in (arranged.tops, *arranged.bases.flat, arranged.counts, top_offsets, top_items):
            numbers.setflags(write=False)
        return cls(arranged, top_offsets, top_items, labels, n, k)

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
        base, top = self.cells.bases[at], self._top(int(self.cells.tops[at]))
        return Channel(_name(base.tolist(), self.labels), top, int(self.cells.counts[at]))

    def __iter__(self) -> Iterator[Channel]:
        return (self[number] for number in range(len(self)))

    def __eq__(self, other: object) -> bool:
        """Return whether the channels, n and k are equal."""
        if not isinstance(other, Channels):
            return NotImplemented
        return (self.n, self.k, len(self)) == (other.n, other.k, len(other)) and all(
            mine == theirs for mine, theirs in zip(self, other, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]  # a value of many megabytes is no key

    def __repr__(self) -> str:
        return f"<Channels: {len(self):,} maximal channels below {self.k:,} of {self.n:,} rows>"

    def _repr_html_(self) -> str:
        """Return the worst channels as a table, for notebooks."""
        lines = ((channel.count, _mark_up(channel)) for channel in self.worst(html.SHOWN))
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
        sizes = np.diff(self.top_offsets)[self.cells.tops]
        return np.lexsort((sizes, self.cells.counts))

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
        tops = family.top_itemsets
        tables: dict[int, Counter[int]] = {}
        for cell, count in enumerate(every.counts.tolist()):
            top = as_bits(tops[int(every.tops[cell])].tolist())
            base = as_bits(every.bases[cell].tolist())
            tables.setdefault(top, Counter())[base] = count
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
        different = rows.offsets.size - 1
        times, smallest = np.zeros(different, np.int64), np.full(different, self.k, np.int64)
        code = np.array([rows.code.get(label, -1) for label in self.labels], dtype=np.int64)
        kernels.cell_rows.count_channels(
            (rows.offsets, rows.items),
            (self.cells.tops, *self.cells.bases.flat, self.cells.counts, self.top_offsets, self.top_items),
            code,
            len(rows.labels),
            times,
            smallest,
        )
        numbers = np.flatnonzero(times)
        return Exposed(numbers, times[numbers], smallest[numbers], rows.weights[numbers])

    def _top(self, number: int) -> Itemset:
        return _name(self.top_items[self.top_offsets[number] : self.top_offsets[number + 1]].tolist(), self.labels)


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


def _mark_up(channel: Channel) -> html.Html:
    """Return the pattern of a channel, abbreviated if it is long."""
    held = html.names(sort_labels(channel.base), between=" ∧ ")
    lacked = html.names(sort_labels(channel.top - channel.base), sign="¬", between=" ∧ ")
    return html.Html(" ∧ ".join(filter(None, (held, lacked))) or "any row")


def cell_terms(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    supports: NDArray[np.int64],
    base: Iterable[int],
    top: Iterable[int],
) -> list[tuple[int, int, int]]:
    """Return the terms of the cell ``base`` of ``top``: a factor, the number of a listed itemset, and its support.

    The list holds all closed or all frequent itemsets, with the empty one; one of them contains ``top``. Terms that
    cancel out are left out, so there are at most as many terms as listed itemsets.
    """
    codes = sorted(top)
    place = np.full(int(max(items.max(initial=-1), *codes, -1)) + 1, -1, dtype=np.int64)
    place[codes] = np.arange(len(codes))
    words, room = max(1, -(-len(codes) // 64)), supports.size + 1
    maps, counts, numbers = np.empty((words, room), np.uint64), np.empty(room, np.int64), np.empty(room, np.int64)
    size = kernels.inversion.meet(offsets, items, supports, place, maps, counts, numbers)
    held = np.zeros((words, 1), np.uint64)
    for bit in place[list(base)].tolist():
        held[bit >> 6, 0] |= np.uint64(1 << (bit & 63))
    times = kernels.inversion.find_coefficients(maps, counts, size, held)
    lengths = np.diff(offsets)
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


def _name(items: Iterable[int], labels: tuple[Label, ...]) -> Itemset:
    return frozenset(labels[item] for item in items)
