"""Patterns: itemsets with exact supports, and how they were mined."""

import math
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from numbers import Integral
from types import MappingProxyType
from typing import Any, Final, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.hierarchy import Hierarchy
from discreet.data.itemsets import AnyFrame, Items, Itemset, Itemsets, Label, Labelled, as_itemset, offsets_of, recode
from discreet.data.reading import Reading
from discreet.data.records import Records
from discreet.data.schema import Schema
from discreet.data.thresholds import LARGEST_COUNT, WHOLE
from discreet.errors import InputError, Option, OptionError
from discreet.runtime import html
from discreet.runtime.resources import as_whole
from discreet.runtime.solver import Numbers
from discreet.runtime.text import abbreviate, count_of

Kind = Literal["frequent", "closed", "maximal"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

PAIRS_A_STEP: Final = 32  # pairs of itemsets that take as long as a step of a loop, about
LARGEST_SHARED: Final = 2**33  # up to so many rows, a share as a float gives a count to a millionth of a row


@dataclass(frozen=True, eq=False, repr=False)
class Patterns(Labelled, Records):
    """Itemsets with their supports, in dictionary order of their codes.

    ``itemsets[i]`` are strictly increasing codes into ``labels``, held by ``supports[i]`` of ``n`` rows. The empty
    itemset, which all ``n`` rows hold, counts as one. ``min_support`` is a count. ``kind`` says which itemsets of that
    support are listed: all ("frequent"), those without a superset of the same support ("closed"), or those without a
    frequent superset ("maximal"). If ``max_length`` is a number, only itemsets of at most so many items were
    considered, and nothing is said about longer ones. ``mined`` identifies the rows in which ``mine`` found them;
    patterns from elsewhere may be incomplete. ``schema``, ``hierarchy`` and ``reading`` are those of the rows, or say
    what readers know and how a file of patterns was read.

    >>> from discreet import Transactions, mine
    >>> patterns = mine(Transactions([["a", "b"], ["a", "b"], ["a"]]), min_support=2)
    >>> patterns.n, patterns.min_support, patterns.kind, len(patterns)
    (3, 2, 'closed', 2)
    >>> [(sorted(itemset), support) for itemset, support in patterns]
    [(['a'], 3), (['a', 'b'], 2)]
    """

    itemsets: Itemsets
    supports: Numbers
    labels: tuple[Label, ...]
    n: int
    min_support: int
    kind: Kind
    mined: object | None = None
    schema: Schema | None = None
    reading: Reading | None = None
    max_length: int | None = None
    hierarchy: Hierarchy | None = None
    _types = MappingProxyType({"support": float, "itemsets": list, "count": int, "length": int})

    def __post_init__(self) -> None:
        as_kind(self.kind)
        kernels.expect(len(self.itemsets) ** 2 // PAIRS_A_STEP)
        self.itemsets.weigh(self.supports).freeze()
        length = as_whole("max_length", self.max_length, 0)
        if length is not None and self.itemsets.longest > length:
            listed = f"an itemset of {self.itemsets.longest} items is listed, but the list was cut at {length}"
            raise InputError(f"{listed}; say where it was cut with ", Option("max_length"), ", or leave it out")

    @classmethod
    def from_itemsets(
        cls,
        itemsets: Iterable[tuple[Iterable[Label], int]],
        *,
        n: int,
        min_support: int | None = None,
        kind: Kind = "frequent",
        max_length: int | None = None,
    ) -> Self:
        """Take itemsets and supports from anywhere, in any order, each itemset once.

        ``min_support`` defaults to the smallest support listed.

        >>> len(Patterns.from_itemsets([(["a"], 3), (["a", "b"], 2)], n=5))
        2
        """
        code: dict[Label, int] = {}
        flat, lengths, supports = array("i"), [], []
        for itemset, support in itemsets:
            distinct = as_itemset(itemset)
            flat.extend([code.setdefault(label, len(code)) for label in distinct])
            lengths.append(len(distinct))
            supports.append(support)
        items, labels = recode(np.array(flat, dtype=np.int32), list(code))
        arrays = offsets_of(lengths), items, as_supports(supports)
        return cls.from_codes(*arrays, labels, n=n, min_support=min_support, kind=kind, max_length=max_length)

    @classmethod
    def from_codes(  # noqa: PLR0913 - arrays, and how they were mined
        cls,
        offsets: Numbers,
        items: Items,
        supports: Numbers,
        labels: tuple[Label, ...],
        *,
        n: int,
        min_support: int | None = None,
        kind: Kind = "frequent",
        max_length: int | None = None,
        threads: int = 1,
    ) -> Self:
        """Take coded itemsets in any order, each once; the arrays are rewritten in place."""
        listed = Itemsets(offsets, items).sort_items().weigh(supports).sort(len(labels), threads)
        _check_supports(listed.lengths, listed.weights, n)
        smallest = int(supports.min(initial=n)) if min_support is None else min_support
        least = max(1, smallest)
        return cls(Itemsets(*listed.flat), listed.weights, labels, n, least, kind, max_length=max_length)

    @classmethod
    def from_pandas(
        cls,
        frame: AnyFrame,
        *,
        n: int,
        min_support: int | None = None,
        kind: Kind = "frequent",
        max_length: int | None = None,
    ) -> Self:
        """Take a frame of pandas or polars in the layout of mlxtend: ``support`` as a share of ``n``, and ``itemsets``.

        A column ``count`` takes precedence over ``support``. A share that is not a count of ``n`` rows is refused. The
        empty itemset, which mlxtend omits, is added if ``kind`` includes it.
        """
        is_counted, itemsets = "count" in frame.columns, frame["itemsets"].to_list()
        counts = frame["count"].to_list() if is_counted else as_counts(frame["support"].to_list(), n)
        pairs = list(zip(itemsets, counts, strict=True))
        if lacks_root(list(map(len, itemsets)), counts, n=n, min_support=min_support, kind=kind):
            pairs.append((frozenset(), n))
        return cls.from_itemsets(pairs, n=n, min_support=min_support, kind=kind, max_length=max_length)

    def to_pandas(self) -> AnyFrame:
        """Return a frame in the layout of mlxtend: ``support`` and ``itemsets``, then ``count`` and ``length``.

        As in mlxtend, itemsets are frozensets; ``to_polars`` and ``to_dicts`` have sorted lists.
        """
        frame = super().to_pandas()
        frame["itemsets"] = frame["itemsets"].map(frozenset)
        return frame

    def _records(self) -> Iterator[tuple[float, list[Label], int, int]]:
        for number, count in enumerate(self.supports.tolist()):
            itemset = self.labelled(number)
            yield count / max(1, self.n), itemset, count, len(itemset)

    @property
    def is_rooted(self) -> bool:
        """Whether the empty itemset is listed; it is then the first."""
        return self.itemsets.is_rooted

    @property
    def title(self) -> str:
        """What is listed, such as "12 closed itemsets of at most 2 items"."""
        cut = "" if self.max_length is None else f" of at most {count_of(self.max_length, 'item')}"
        return f"{count_of(len(self), f'{self.kind} itemset')}{cut}"

    def __len__(self) -> int:
        return int(self.supports.size)

    def __iter__(self) -> Iterator[tuple[Itemset, int]]:
        return ((frozenset(self.labelled(number)), support) for number, support in enumerate(self.supports.tolist()))

    def __contains__(self, itemset: Iterable[Label]) -> bool:
        return self._find(itemset) is not None

    def __getitem__(self, itemset: Iterable[Label]) -> int:
        """Return the support of a listed itemset; KeyError for any other."""
        number = self._find(itemset)
        if number is None:
            raise KeyError("the itemset is not listed")
        return int(self.supports[number])

    def __eq__(self, other: object) -> bool:
        """Return whether both list the same itemsets, by label, with equal supports, mined alike."""
        if not isinstance(other, Patterns):
            return NotImplemented
        mine, theirs = ((one.n, one.min_support, one.kind, one.max_length) for one in (self, other))
        if mine != theirs or len(self) != len(other):
            return False
        if self.labels == other.labels:
            return self.itemsets == other.itemsets and np.array_equal(self.supports, other.supports)
        return dict(self) == dict(other)

    __hash__ = None  # type: ignore[assignment]  # a value of many megabytes is no key

    def __repr__(self) -> str:
        least = f"support at least {self.min_support:,} of {self.n:,} rows"
        cut = "" if self.max_length is None else f", at most {count_of(self.max_length, 'item')}"
        return f"<Patterns: {len(self):,} {self.kind} itemsets, {least}{cut}>"

    def cut_at(self, max_length: int | None) -> Self:
        """Return the patterns, now said to be cut at a length; refuse one that contradicts what they say themselves."""
        if max_length is None or max_length == self.max_length:
            return self
        if self.max_length is not None:
            said = f"the patterns were cut at {count_of(self.max_length, 'item')}, not at {abbreviate(max_length)}"
            raise OptionError(f"{said}; leave ", Option("max_length"), " out")
        return replace(self, max_length=max_length)

    def take(self, numbers: NDArray[np.integer[Any]]) -> Self:
        """Return the patterns of these numbers, which rise."""
        return replace(self, itemsets=self.itemsets.take(numbers), supports=self.supports[numbers])

    def largest(self, most: int) -> Iterator[tuple[list[Label], int]]:
        """Yield the labels and supports of the ``most`` itemsets of largest support, in a fixed order.

        >>> patterns = Patterns.from_itemsets([(["a", "b"], 2), (["a"], 3), (["c"], 3)], n=4)
        >>> list(patterns.largest(2))
        [(['a'], 3), (['c'], 3)]
        """
        for number in np.argsort(-self.supports, kind="stable")[:most].tolist():
            yield self.labelled(number), int(self.supports[number])

    def _repr_html_(self) -> str:
        """Return the itemsets of the largest supports as a table, for notebooks."""
        largest = self.largest(html.SHOWN)
        lines = ((support, html.names(labels, nothing="(every row)")) for labels, support in largest)
        return html.table(repr(self)[1:-1], ["support", "itemset"], lines, many=len(self))

    def codes(self, number: int) -> list[int]:
        """Return the codes of an itemset, by its number."""
        codes: list[int] = self.itemsets[number].tolist()
        return codes

    def _find(self, itemset: Iterable[Label]) -> int | None:
        """Return the number of ``itemset``, if it is listed."""
        wanted = as_itemset(itemset)
        if not all(label in self.code for label in wanted):
            return None
        codes = sorted(self.code[label] for label in wanted)
        number = bisect_left(range(len(self)), codes, key=self.codes)
        return number if number < len(self) and self.codes(number) == codes else None


def as_kind(kind: str) -> Kind:
    """Return ``kind`` if it is one of ours."""
    if kind not in KINDS:
        raise OptionError(f"kind is {str(kind)[:40]!r}; it must be one of {', '.join(KINDS)}")
    return kind


def lacks_root(
    lengths: Collection[int], supports: Collection[int], *, n: int, min_support: int | None, kind: Kind
) -> bool:
    """Return whether the empty itemset is missing from those of ``kind``; other programs omit it.

    It is frequent, and closed unless some itemset is in all ``n`` rows; it is maximal only alone.

    >>> lacks_root([1], [2], n=3, min_support=1, kind="closed"), lacks_root([1], [3], n=3, min_support=1, kind="closed")
    (True, False)
    """
    closed_away = kind == "closed" and n in supports
    return not (0 in lengths or closed_away or kind == "maximal" or n < max(1, min_support or 1))


def as_supports(counts: Iterable[float]) -> Numbers:
    """Return ``counts`` as an array; refuse numbers that are not whole, or too large to be exact."""
    whole = (int(count) if isinstance(count, float) and count.is_integer() else count for count in counts)
    try:
        supports = np.array(array("q", whole), dtype=np.int64)
    except (OverflowError, TypeError):
        supports = None
    if supports is None or supports.max(initial=0) > LARGEST_COUNT:
        raise InputError(f"an itemset has a support that is no count; supports are {WHOLE}")
    return supports


def as_counts(shares: Iterable[float], n: int) -> list[int]:
    """Return the counts of ``n`` rows that ``shares`` stand for; refuse a share that is not a count.

    >>> as_counts([0.28, 1.0], 25)
    [7, 25]
    """
    if n > LARGEST_SHARED:
        limit = f"floats tell counts of up to {LARGEST_SHARED} rows"
        raise InputError(f"supports are shares of {abbreviate(n)} rows; {limit}: give a column of counts")
    counts = []
    for number, share in enumerate(shares, start=1):
        count = round(share * n) if math.isfinite(share) else -1
        counts.append(count)
        if abs(share * n - count) > 1e-6 or not 0 <= count <= n:  # noqa: PLR2004 - far above float noise, far below a row
            advice = "give the n that was mined, or a column of counts"
            raise InputError(f"itemset {number} has support {share}, which is no count of {n} rows; {advice}")
    return counts


def _check_supports(lengths: Numbers, supports: Numbers, n: int) -> None:
    if not isinstance(n, Integral) or not 0 <= n <= LARGEST_COUNT:
        raise InputError(f"n is {abbreviate(n)}; give the number of rows that were mined, from 0 to {LARGEST_COUNT}")
    wrong = (supports < 0) | (supports > n) | ((lengths == 0) & (supports != n))
    if wrong.any():
        number = int(np.argmax(wrong))
        flaw = f"an itemset of {count_of(int(lengths[number]), 'item')} has support {supports[number]} of {n} rows"
        raise InputError(f"{flaw}; a support lies between 0 and n, and that of the empty itemset is n")
