"""Facts: the limits that a publication sets for supports, in every database that fits it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, combinations
from numbers import Integral
from typing import Final, Generic, NamedTuple, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.hierarchy import Hierarchy
from discreet.data.itemsets import Itemsets, Label, Labelled, as_itemset, sort_labels
from discreet.data.lattice import build_family
from discreet.data.patterns import Patterns
from discreet.data.schema import Groups, Schema
from discreet.data.thresholds import LARGEST_COUNT, WHOLE
from discreet.errors import BudgetError, InconsistencyError, InputError, OptionError
from discreet.runtime.solver import Numbers
from discreet.runtime.text import count_of

Codes: TypeAlias = frozenset[int]  # an itemset by the codes of its items
Limits: TypeAlias = tuple[int, int]  # the fewest and the most rows that hold an itemset
MOST: Final = 200_000  # itemsets that facts may list with limits of their own


One = TypeVar("One")  # an itemset, by codes or by bits
Other = TypeVar("Other")


class Balance(NamedTuple, Generic[One]):
    """The supports of itemsets, each times a factor, add up to ``least`` or more.

    A rule says so: if its confidence is 2/3 or more, 3 sup(A ∪ B) − 2 sup(A) is 0 or more.
    """

    times: tuple[tuple[One, int], ...]
    least: int

    def recode(self, place: Callable[[One], Other]) -> "Balance[Other]":
        """Return the same about itemsets in other codes."""
        return Balance(tuple((place(itemset), times) for itemset, times in self.times), self.least)


Relation: TypeAlias = Balance[Codes]


@dataclass(frozen=True, eq=False, repr=False)
class Facts(Labelled):
    """The least and the most rows that hold each listed itemset, in every database that fits a publication.

    Itemset ``i`` has from ``low[i]`` to ``high[i]`` rows. The first is the empty one: its limits are those of the
    number of rows, ``n`` at most. If ``inherited``, the list has closed itemsets: any other itemset below a listed one
    has the largest support of a listed superset. ``absent`` is the most rows that hold an itemset below no listed one:
    min_support − 1 if the list is complete, None if nothing is known; with an item of ``absent_with``, the limit is
    lower. If longer itemsets than ``max_length`` were left out, that goes for those of at most so many items, and for
    whatever contains one. No row holds two items of a group of the ``schema``.

    If ``is_top``, the list has the largest supports: ``absent`` then also limits unlisted subsets of listed itemsets.
    ``relations`` bound sums of supports. ``left_out`` says what else was published; with that, nothing is called safe.
    If ``is_joined`` from lists of exact supports, only itemsets that one of the lists lacks have two limits.

    >>> from discreet import mine
    >>> facts = Facts.of(mine([["a", "b"], ["a", "b"], ["a"], ["c"]], min_support=2))
    >>> a, b, c = range(3)
    >>> facts.limits(frozenset([b])), facts.limits(frozenset([a, b])), facts.limits(frozenset([b, c]))
    ((2, 2), (2, 2), (0, 1))
    """

    itemsets: Itemsets
    low: Numbers
    high: Numbers
    labels: tuple[Label, ...]
    n: int
    inherited: bool = False
    absent: int | None = None
    schema: tuple[Codes, ...] = ()
    absent_with: tuple[tuple[int, int], ...] = ()
    is_top: bool = False
    relations: tuple[Relation, ...] = ()
    left_out: str = ""
    max_length: int | None = None
    is_joined: bool = False
    _holders: dict[int, int] = field(default_factory=dict, init=False)  # a bit for each place of ``_owners``, on demand

    def __post_init__(self) -> None:
        """Refuse limits that no number satisfies."""
        wrong = np.count_nonzero((self.low > self.high) | (self.low < 0))
        if wrong:
            raise InputError(
                f"{wrong:,} of {self.low.size:,} itemsets have limits that no support keeps; the lower one must be 0 "
                "or more, and the upper one no less than that"
            )
        held = self.itemsets.take(np.flatnonzero(self.low > 0))
        if self.schema and held.count_holders(self.schema)[1].any():
            contradicted = sum(map(self.excludes, map(frozenset, map(np.ndarray.tolist, held))))
            raise InputError(
                f"{contradicted:,} of {self.low.size:,} itemsets have two items of a group of the schema, which no row "
                "holds together; check the schema"
            )
        for numbers in (*self.itemsets.flat, self.low, self.high):
            numbers.setflags(write=False)

    @classmethod
    def of(cls, patterns: Patterns, *, complete: bool = True, schema: str | Groups | None = None) -> Self:
        """Return what patterns say; if they are ``complete``, also that nothing else reaches their minimum support.

        Maximal itemsets have only their own supports; their subsets have at least as much. Without a ``schema``, that
        of the patterns counts, if they have one.
        """
        is_maximal = patterns.kind == "maximal"
        listed = patterns if is_maximal else build_family(patterns)
        itemsets, supports = listed.itemsets, listed.supports
        if not itemsets.is_rooted:
            itemsets, supports = itemsets.with_empty(), np.insert(supports, 0, patterns.n)
        absent = patterns.min_support - 1 if complete else None
        groups = as_schema(patterns.schema if schema is None else schema, patterns.labels, patterns.hierarchy)
        length, labels, n = patterns.max_length if complete else None, patterns.labels, patterns.n
        return cls(itemsets, supports, supports, labels, n, not is_maximal, absent, groups, max_length=length)

    @classmethod
    def from_limits(
        cls,
        limits: Iterable[tuple[Iterable[Label], int, int]],
        *,
        n: int,
        absent: int | None = None,
        schema: Groups | None = None,
        is_top: bool = False,
    ) -> Self:
        """Take the least and the most support of itemsets, each once; the empty one has n unless it is listed.

        >>> facts = Facts.from_limits([(["a"], 3, 4), (["a", "b"], 2, 2)], n=9)
        >>> facts.n, facts.limits(frozenset()), facts.limits(frozenset([0])), facts.limits(frozenset([1]))
        (9, (9, 9), (3, 4), (2, 9))
        """
        said = {as_itemset(itemset): (low, high) for itemset, low, high in limits}
        if not all(isinstance(end, Integral) and 0 <= int(end) <= LARGEST_COUNT for end in chain([n], *said.values())):
            raise InputError(f"n, or a limit of a support, is no count; these are {WHOLE}")
        groups = [as_itemset(group) for group in schema or ()]
        labels = sort_labels(label for itemset in [*said, *groups] for label in itemset)
        code = {label: number for number, label in enumerate(labels)}
        coded = {frozenset(code[label] for label in itemset): limit for itemset, limit in said.items()}
        facts = cls.from_codes(coded, labels, n)
        return replace(facts, absent=absent, schema=as_schema(groups, labels), is_top=is_top)

    @classmethod
    def from_codes(cls, said: Mapping[Codes, Limits], labels: tuple[Label, ...], n: int) -> Self:
        """Take the limits of itemsets by the codes of their items; the empty one has n unless it is listed."""
        coded = sorted((sorted(itemset), *limit) for itemset, limit in {frozenset(): (n, n), **said}.items())
        low, high = (np.array([line[at] for line in coded], dtype=np.int64) for at in (1, 2))
        return cls(Itemsets.of([codes for codes, _, _ in coded]), low, high, labels, n)

    def narrow(self) -> Self:
        """Narrow limits by those of other listed itemsets: no more rows hold an itemset than a part of it.

        Limits that contradict each other are an InconsistencyError.

        >>> Facts.from_limits([(["a"], 3, 9), (["a", "b"], 4, 9)], n=8).narrow().listed[frozenset([0])]
        (4, 8)
        """
        if self.inherited:
            return self
        every = self.fill()
        low, high = every.low.copy(), every.high.copy()
        trie = kernels.inversion.plant(every.offsets, every.items)
        kernels.closure.narrow_limits(trie, every.offsets, every.items, low, high, max(1, len(every.labels)))
        wrong = np.flatnonzero(low > high).tolist()
        if wrong:
            why = (
                f"{len(wrong):,} of {len(every):,} itemsets have limits that contradict those of parts of them, or of "
                "itemsets that hold them; no rows can have them: check how they were rounded"
            )
            why += ", and that those of the largest supports are listed" * self.is_top
            raise InconsistencyError(why, "rising", every.labelled(wrong[0]), ())
        return replace(every, low=low, high=high)

    def fill(self) -> Self:
        """Add all parts of listed itemsets that a list of the largest supports leaves out.

        >>> facts = Facts.from_limits([(["a", "b"], 7, 7)], n=9, absent=7, is_top=True)
        >>> facts.fill().listed[frozenset([0])], facts.limits(frozenset([0]))
        ((0, 7), (7, 7))
        """
        if not self.is_top:
            return self
        said, todo = dict(self.listed), list(self.listed)
        while todo:
            itemset = todo.pop()
            missing = [part for item in itemset if (part := itemset - {item}) not in said]
            said |= {part: (0, self.missing(part)) for part in missing}
            todo += missing
            if len(said) - len(self) > MOST:
                raise BudgetError(
                    f"the list leaves out parts of its itemsets, and there are more than {MOST:,} of them; give a list "
                    "of shorter itemsets"
                )
        every = self.from_codes(said, self.labels, self.n)
        return replace(self, itemsets=every.itemsets, low=every.low, high=every.high)

    def assume(self, *, complete: bool | None, schema: str | Groups | None) -> Self:
        """Add a ``schema``, and whether the list is ``complete``; None keeps what the facts say of other itemsets."""
        if complete and self.absent is None:
            raise OptionError(
                "complete=True says that nothing else reaches the minimum support, but these facts do not tell which "
                "it was; give them absent=, the most rows that hold what is not listed"
            )
        groups = tuple(dict.fromkeys((*self.schema, *as_schema(schema, self.labels))))
        if complete is False:
            return replace(self, schema=groups, absent=None, absent_with=(), is_top=False, max_length=None)
        return replace(self, schema=groups)

    def __len__(self) -> int:
        return int(self.low.size)

    def __repr__(self) -> str:
        said = "exact supports" if self.is_exact else "limits"
        cut = "" if self.max_length is None else f" of at most {count_of(self.max_length, 'item')}"
        absent = "" if self.absent is None else f", no other itemset{cut} above {self.absent:,}"
        return f"<Facts: {said} of {len(self):,} itemsets, {self.n:,} rows{absent}>"

    @property
    def is_exact(self) -> bool:
        """Whether the support of every listed itemset is known exactly."""
        return bool((self.low == self.high).all())

    @property
    def has_gaps(self) -> bool:
        """Whether a part of a listed itemset is not listed."""
        return any(itemset - {item} not in self.listed for itemset in self.listed for item in itemset)

    def itemset(self, number: int) -> Codes:
        """Return the listed itemset of a number."""
        return frozenset(self.itemsets[number].tolist())

    @cached_property
    def tops(self) -> tuple[Codes, ...]:
        """The listed itemsets that no other listed one contains."""
        is_top = kernels.lattice.find_maximal(*self.itemsets.flat, len(self.labels))
        return tuple(map(self.itemset, np.flatnonzero(is_top).tolist()))

    @cached_property
    def listed(self) -> Mapping[Codes, Limits]:
        """The limits of each listed itemset."""
        limits = zip(self.low.tolist(), self.high.tolist(), strict=True)
        return dict(zip(map(self.itemset, range(len(self))), limits, strict=True))

    def limits(self, itemset: Codes) -> Limits:
        """Return the least and the most support of an itemset that the publication itself states.

        A listed itemset has its own limits, a subset of a closed one exactly the support of that one, and any other
        subset of a listed one at least as much as that one.
        """
        if self.excludes(itemset):
            return 0, 0
        above = self._find_above(itemset)
        if above is None:
            return 0, self.missing(itemset)
        least = int(self.low[above])
        if self.inherited:
            return least, least
        return self.listed.get(itemset, (least, self.missing(itemset) if self.is_top else self.n))

    def missing(self, itemset: Codes) -> int:
        """Return the most rows that may hold an unlisted itemset."""
        most = self.n if self.absent is None or self._is_beyond(itemset) else min(self.n, self.absent)
        return min([most, *(fewer for item, fewer in self.absent_with if item in itemset)])

    def _is_beyond(self, itemset: Codes) -> bool:
        """Return whether an itemset is too long to be listed, and all of its parts that are not are listed."""
        length = self.max_length
        if length is None or len(itemset) <= length:
            return False
        return all(self.is_below(frozenset(part)) for part in combinations(sorted(itemset), length))

    def determines(self, itemset: Codes) -> bool:
        """Return whether the supports of all parts of an itemset follow from those of closed ones, or are 0."""
        if not self.inherited or self.is_below(itemset):
            return self.inherited
        more = len(itemset) if self.max_length is None else self.max_length + 1
        return self.absent == 0 and not any(map(self._is_beyond, map(frozenset, combinations(itemset, more))))

    def table(self, top: Codes) -> tuple[Numbers, Numbers]:
        """Return the limits of all subsets of ``top``, which has few items: bit i stands for its i-th item.

        >>> low, high = Facts.from_limits([(["a"], 3, 4), (["a", "b"], 2, 2)], n=9).table(frozenset([0, 1]))
        >>> low.tolist(), high.tolist()
        ([9, 3, 2, 2], [9, 4, 9, 2])
        """
        items = sorted(top)
        if self.inherited and self.is_below(top) and not self.excludes(top):
            return 2 * (self._inherit(items),)
        sets = (frozenset(item for bit, item in enumerate(items) if row >> bit & 1) for row in range(1 << len(items)))
        low, high = np.array([self.limits(itemset) for itemset in sets], dtype=np.int64).T
        return low, high

    def _inherit(self, items: list[int]) -> Numbers:
        """Return the supports of all subsets of some items; all are below a listed itemset."""
        weight = np.zeros(len(self.labels), dtype=np.int64)
        weight[items] = 1 << np.arange(len(items))
        supports = np.zeros(1 << len(items), dtype=np.int64)
        np.maximum.at(supports, self.itemsets.add_up(weight[self.items]), self.low)
        for bit in range(len(items)):
            halves = supports.reshape(-1, 2, 1 << bit)
            np.maximum(halves[:, 0], halves[:, 1], out=halves[:, 0])
        return supports

    def is_below(self, itemset: Codes) -> bool:
        """Return whether a listed itemset contains this one."""
        return self._find_above(itemset) is not None

    def excludes(self, itemset: Codes) -> bool:
        """Return whether the schema says that no row holds the itemset."""
        return any(len(group & itemset) > 1 for group in self.schema)

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        """The numbers of the listed itemsets, the largest lower limits first."""
        return np.argsort(-self.low, kind="stable")

    @cached_property
    def _owners(self) -> Mapping[int, NDArray[np.intp]]:
        """For each item of a listed itemset the places of its holders in that order."""
        owners = np.argsort(self._order)[self.itemsets.owners]
        items, starts = np.unique(np.sort(self.items), return_index=True)
        groups = np.split(owners[np.argsort(self.items, kind="stable")], starts[1:])
        return dict(zip(items.tolist(), groups, strict=False))

    def _find_above(self, itemset: Codes) -> int | None:
        """Return the number of the listed itemset with the largest lower limit that holds ``itemset``, if any does."""
        holders = (1 << len(self)) - 1
        for item in itemset:
            if item not in self._holders:
                bits = np.zeros(len(self), dtype=np.bool_)
                bits[self._owners.get(item, [])] = True
                self._holders[item] = int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")
            holders &= self._holders[item]
        return int(self._order[(holders & -holders).bit_length() - 1]) if holders else None


def as_schema(
    schema: str | Groups | None, labels: tuple[Label, ...], hierarchy: Hierarchy | None = None
) -> tuple[Codes, ...]:
    """Return the groups of a schema by the codes of their items; unpublished items are left out.

    A text such as "=" stands between attribute and value in labels. With a ``hierarchy``, a value and its ancestors do
    not exclude each other.

    >>> as_schema([["sex=f", "sex=m", "sex=x"]], ("age=1", "sex=f", "sex=m")) == (frozenset([1, 2]),)
    True
    """
    if schema is None:
        return ()
    code = {label: number for number, label in enumerate(labels)}
    values = ([label for label in group if label in code] for group in Schema.of(schema, labels))
    apart = chain.from_iterable([one] if hierarchy is None else hierarchy.separate(one) for one in values)
    groups = dict.fromkeys(frozenset(code[label] for label in group) for group in apart)
    return tuple(group for group in groups if len(group) > 1)
