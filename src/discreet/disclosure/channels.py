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
class Channel:
    """``count`` rows hold every item of ``base`` and no other item of ``top``.

    >>> print(Channel(frozenset("ab"), frozenset("abc"), 2))
    a ∧ b ∧ ¬c: 2 rows
    """

    base: Itemset
    top: Itemset
    count: int

    def __str__(self) -> str:
        return f"{self.pattern}: {self.count:,} row{'s' * (self.count != 1)}"

    @property
    def pattern(self) -> str:
        """What these rows hold and what they do not, such as ``a ∧ b ∧ ¬c``."""
        held, lacked = sort_labels(self.base), sort_labels(self.top - self.base)
        return " ∧ ".join([*map(str, held), *(f"¬{label}" for label in lacked)]) or "any row"

    @property
    def lacked(self) -> tuple[Itemset, ...]:
        """The items that these rows do not hold, each alone."""
        return tuple(frozenset([label]) for label in sort_labels(self.top - self.base))

    def terms(self, patterns: Patterns) -> list[Term]:
        """Return the published supports whose sum is the count, the larger itemsets later.

        It is the sum of Lemma 8 of *k-anonymous patterns* (PKDD 2005) with the terms left out that cancel each other:
        each itemset between base and top has the support of a closed one.
        """
        return _terms(self, patterns)

    def explain(self, patterns: Patterns) -> str:
        """Return the sum of published supports that reveals the channel.

        >>> from discreet import mine
        >>> patterns = mine([["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50, min_support=10)
        >>> Channel(frozenset("ab"), frozenset("abc"), 2).explain(patterns)
        'sup(ab) 50 − sup(abc) 48 = 2'
        """
        return _explained(self.terms(patterns), self.count)


@dataclass(frozen=True, slots=True)
class Difference:
    """``count`` rows hold every item of ``base`` but not all of ``top``: the difference of two published supports.

    >>> print(Difference(frozenset("a"), frozenset("abc"), 5))
    a ∧ ¬(b ∧ c): 5 rows
    """

    base: Itemset
    top: Itemset
    count: int

    def __str__(self) -> str:
        return f"{self.pattern}: {self.count:,} row{'s' * (self.count != 1)}"

    @property
    def pattern(self) -> str:
        """What these rows hold, and what they do not hold all of."""
        lacked = " ∧ ".join(map(str, sort_labels(self.top - self.base)))
        lacked = f"({lacked})" if len(self.top - self.base) > 1 else lacked
        return " ∧ ".join([*map(str, sort_labels(self.base)), f"¬{lacked}"])

    @property
    def lacked(self) -> tuple[Itemset, ...]:
        """The itemset of which these rows do not hold all."""
        return (self.top - self.base,)

    def terms(self, patterns: Patterns) -> list[Term]:
        """Return the two published supports; that of the empty itemset is n, whether it is listed or not."""
        held = patterns[self.base] if self.base else patterns.n
        return [Term(1, self.base, held), Term(-1, self.top, patterns[self.top])]

    def explain(self, patterns: Patterns) -> str:
        """Return the difference, such as ``sup(ab) 50 − sup(abc) 48 = 2``."""
        return _explained(self.terms(patterns), self.count)


class Exposed(NamedTuple):
    """The rows that channels single out: their numbers, how many channels do, and the smallest count among these.

    Of merged rows only the different ones have numbers: each stands for ``weights`` rows.
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
        """Return how many rows have a smallest count of 1, of 2, and so on, where there are any.

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

    A channel is maximal if no other speaks of more items; every other follows from these (``expand``). Its top is a
    maximal itemset, and its base a closed one if no long itemsets were left out (Proposition 17 of *k-anonymous
    patterns*, PKDD 2005).

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
        """Take the cells from 1 to k − 1, in any order."""
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
        return Channel(_labelled(base, self.labels), top, int(self.cells.counts[at]))

    def __iter__(self) -> Iterator[Channel]:
        return (self[number] for number in range(len(self)))

    def __eq__(self, other: object) -> bool:
        """Return whether both are the same channels of as many rows for the same k."""
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
        lines = ((channel.count, _marked_up(channel)) for channel in self.worst(html.SHOWN))
        return html.table(repr(self)[1:-1], ["rows", "pattern"], lines, many=len(self))

    def worst(self, most: int | None = None) -> list[Channel]:
        """Return the channels of the fewest rows, and of those the ones that speak of the fewest items.

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
        """Yield every channel of the release, by top and then by base: they follow from the maximal ones.

        The rows that a channel speaks of are those of the cells of a maximal itemset that meet its top in its base;
        all of these are maximal channels (Theorem 18 of *k-anonymous patterns*, PKDD 2005). There can be 3 ** m of
        them for a top of m items, so they come one by one.

        >>> from discreet import detect, mine
        >>> patterns = mine([["a", "b"], ["a", "b"], ["a"]], min_support=2)
        >>> [str(channel) for channel in detect(patterns, k=2).expand(patterns)]
        ['a ∧ ¬b: 1 row', '¬b: 1 row']
        """
        return _expanded(self, patterns)

    def rows(self, rows: Rows) -> Exposed:
        """Return the rows that the channels single out, by their numbers.

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
        return _labelled(self.top_items[self.top_offsets[number] : self.top_offsets[number + 1]], self.labels)


def as_text(itemset: Itemset) -> str:
    """Return an itemset as sums name it: its labels in order, set apart unless each is one letter.

    >>> as_text(frozenset("ba")), as_text(frozenset(["tea", "milk"])), as_text(frozenset([7, 5])), as_text(frozenset())
    ('ab', 'milk, tea', '5, 7', '∅')
    """
    labels = [str(label) for label in sort_labels(itemset)]
    return ("" if all(len(label) == 1 and label.isalpha() for label in labels) else ", ").join(labels) or "∅"


def format_sum(terms: Iterable[Term], texts: Iterable[str]) -> str:
    """Return a sum in which ``texts`` stand for the supports.

    >>> format_sum([Term(1, frozenset("a"), 9), Term(-2, frozenset("ab"), 4)], ["9", "4"])
    '9 − 2·4'
    """
    parts: list[str] = []
    for term, text in zip(terms, texts, strict=True):
        sign = ("−" if not parts else " − ") if term.times < 0 else " + " * bool(parts)
        parts.append(f"{sign}{f'{abs(term.times)}·' if abs(term.times) != 1 else ''}{text}")
    return "".join(parts)


def _marked_up(channel: Channel) -> html.Html:
    """Return the pattern of a channel, cut where it is long."""
    held = html.names(sort_labels(channel.base), between=" ∧ ")
    lacked = html.names(sort_labels(channel.top - channel.base), sign="¬", between=" ∧ ")
    return html.Html(" ∧ ".join(filter(None, (held, lacked))) or "any row")


def _explained(terms: list[Term], count: int) -> str:
    named = (f"sup({as_text(term.itemset)}) {term.support:,}" for term in terms)
    return f"{format_sum(terms, named)} = {count:,}"


def _terms(channel: Channel, patterns: Patterns) -> list[Term]:
    """Return the terms of the sum; refuse patterns of which it is no sum."""
    listed = add_missing_root(patterns)
    code = {label: number for number, label in enumerate(patterns.labels)}
    base, top = ([code[label] for label in itemset if label in code] for itemset in (channel.base, channel.top))
    terms = [
        Term(times, _labelled(listed.items[listed.offsets[at] : listed.offsets[at + 1]], patterns.labels), support)
        for times, at, support in cell_terms(listed.offsets, listed.items, listed.supports, base, top)
    ]
    if sum(term.times * term.support for term in terms) != channel.count:
        raise InputError("the channel does not follow from these patterns; give those that it was detected in")
    return terms


def cell_terms(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    supports: NDArray[np.int64],
    base: Iterable[int],
    top: Iterable[int],
) -> list[tuple[int, int, int]]:
    """Return the sum that is the cell ``base`` of ``top``: how often which listed itemset counts, and its support.

    The list holds all closed itemsets, or all that are frequent, the empty one among them; ``top`` is below one of
    them. Terms that cancel each other are left out, so that there are no more than itemsets are listed.
    """
    codes = sorted(top)
    place = np.full(int(max(items.max(initial=-1), *codes, -1)) + 1, -1, dtype=np.int64)
    place[codes] = np.arange(len(codes))
    words, room = max(1, -(-len(codes) // 64)), supports.size + 1
    maps, counts, numbers = np.empty((words, room), np.uint64), np.empty(room, np.int64), np.empty(room, np.int64)
    size = kernels.intersections.meet(offsets, items, supports, place, maps, counts, numbers)
    held = np.zeros((words, 1), np.uint64)
    for bit in place[list(base)].tolist():
        held[bit >> 6, 0] |= np.uint64(1 << (bit & 63))
    times = kernels.intersections.find_coefficients(maps, counts, size, held)
    lengths = np.diff(offsets)
    chosen = sorted((int(lengths[numbers[at]]), int(numbers[at]), at) for at in np.flatnonzero(times).tolist())
    return [(int(times[at]), number, int(counts[at])) for _, number, at in chosen]


def _labelled(items: NDArray[np.int32], labels: tuple[Label, ...]) -> Itemset:
    return frozenset(labels[item] for item in items.tolist())


def _expanded(channels: Channels, patterns: Patterns) -> Iterator[Channel]:
    """Yield all channels: depth first over the itemsets within tops that have a maximal channel, no others have any.

    Itemsets are whole numbers here, a bit an item.
    """
    family = complete_family(patterns)
    every = family.cells(limit=channels.n + 1)
    top_offsets, top_items = family.top_itemsets.flat
    tables: dict[int, Counter[int]] = {}
    for cell, count in enumerate(every.counts.tolist()):
        top = _bits(top_items[top_offsets[every.tops[cell]] : top_offsets[every.tops[cell] + 1]])
        base = _bits(every.items[every.offsets[cell] : every.offsets[cell + 1]])
        tables.setdefault(top, Counter())[base] = count
    unsafe = [top for top, table in tables.items() if any(count < channels.k for count in table.values())]
    todo = [(0, -1, unsafe)] if unsafe else []
    while todo:
        top, last, above = todo.pop()
        table: Counter[int] = Counter()
        for base, count in tables[above[0]].items():
            table[base & top] += count
        for base in sorted((base for base, count in table.items() if count < channels.k), key=_places):
            yield Channel(_named(base, patterns.labels), _named(top, patterns.labels), table[base])
        wider = {item for other in above for item in _places(other) if item > last}
        todo.extend(
            (top | 1 << item, item, [other for other in above if other >> item & 1])
            for item in sorted(wider, reverse=True)
        )


def _bits(items: NDArray[np.int32]) -> int:
    return sum(1 << item for item in items.tolist())


def _places(bits: int) -> list[int]:
    return [place for place in range(bits.bit_length()) if bits >> place & 1]


def _named(bits: int, labels: tuple[Label, ...]) -> Itemset:
    return frozenset(labels[place] for place in _places(bits))
