"""Sums of exact supports where itemsets have unlisted parts, as those behind rules with a minimum confidence do.

Within a largest listed itemset, rows are of one class if they hold the same listed itemsets. The union of these is the
name of the class, so the unions of listed itemsets are all classes. If each union is listed, Möbius inversion over them
gives the rows of each class. A sum of supports that counts the rows of a pattern counts whole classes, so if each class
has no row or at least k, no sum within the itemset reveals fewer. An unlisted union leaves some classes open: then all
sets of these are tried, and those count whose sum does without it.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain, combinations
from typing import Final, NamedTuple

import numpy as np

from discreet.data.itemsets import Itemset
from discreet.disclosure.attacks.facts import Codes, Facts
from discreet.publications.rules.bounded import Bounded, sort_worst
from discreet.runtime.solver import Numbers

LONGEST: Final = 12  # items of a largest itemset
CLASSES: Final = 256  # classes of one
OPEN: Final = 12  # open classes of one, of which all sets are tried
STEPS: Final = 50_000_000  # numbers to add up for all of them: some seconds


class Followed(NamedTuple):
    """The sums of 1 to k − 1 rows in itemsets with unlisted parts, and what remains.

    Of ``many`` such itemsets, ``left`` were not followed, and ``unnamed`` have a small sum of another kind.
    """

    sums: tuple[Bounded, ...]
    many: int
    left: int
    unnamed: int


class Classes:
    """The classes of rows within a largest itemset: all unions of ``listed`` itemsets, the smallest first."""

    def __init__(self, listed: Sequence[Codes], every: Sequence[Codes], facts: Facts) -> None:
        """Count the rows of each class, as far as listed supports tell."""
        self.every, self.facts = every, facts
        self.known = np.isin(np.arange(len(every)), [at for at, one in enumerate(every) if one in set(listed)])
        self.supports = np.array([facts.listed[one][0] if one in facts.listed else 0 for one in every], dtype=np.int64)

    @cached_property
    def inverse(self) -> Numbers:
        """The coefficients of supports in the number of rows of each class."""
        holds = np.array([[one <= other for other in self.every] for one in self.every], dtype=np.int64)
        inverse = np.eye(len(self.every), dtype=np.int64)
        for at in reversed(range(len(self.every))):
            inverse[at] -= holds[at, at + 1 :] @ inverse[at + 1 :]
        return inverse

    @cached_property
    def open(self) -> Numbers:
        """The classes whose number of rows depends on an unlisted support."""
        return np.flatnonzero(self.inverse[:, ~self.known].any(axis=1))

    def find_small(self, k: int) -> list[list[int]]:
        """Return the smallest sets of classes that have 1 to k − 1 rows together, if listed supports tell how many."""
        counts = self.inverse @ self.supports
        surely = np.setdiff1d(np.arange(len(self.every)), self.open)
        sets = np.arange(1 << self.open.size)
        chosen = sets[:, None] >> np.arange(self.open.size) & 1
        told = ~(chosen @ self.inverse[self.open][:, ~self.known]).any(axis=1)
        together = chosen @ counts[self.open]
        small: list[int] = []
        for number in sorted(sets[told & (together > 0) & (together < k)].tolist(), key=int.bit_count):
            if not any(one & number == one for one in small):
                small.append(number)
        alone = [[at] for at in surely.tolist() if 0 < counts[at] < k]
        return alone + [self.open[chosen[number] == 1].tolist() for number in small]

    def describe(self, chosen: Sequence[int]) -> Bounded | None:
        """Return classes as the rows that hold an itemset and lack others; None if that does not describe them."""
        members = [self.every[at] for at in chosen]
        base = min(members, key=len)
        others = [one for one in self.every if base < one and one not in members]
        lacked = [one - base for one in others if not any(other < one for other in others)]
        if members != [one for one in self.every if base <= one and not any(base | less <= one for less in lacked)]:
            return None
        times = self.inverse[list(chosen)].sum(axis=0)
        used = np.flatnonzero(times).tolist()
        terms = tuple((self._name(self.every[at]), (int(self.supports[at]),) * 2) for at in used)
        count = int(times @ self.supports)
        without = tuple(self._name(one) for one in sorted(lacked, key=sorted))
        return Bounded(self._name(base), without, count, count, terms, tuple(times[used].tolist()))

    def _name(self, itemset: Codes) -> Itemset:
        return frozenset(self.facts.labels[item] for item in itemset)


def follow_sums(facts: Facts, k: int) -> Followed:
    """Return what sums of exact supports reveal in the largest itemsets with unlisted parts.

    >>> supports = [(["a"], 60, 60), (["a", "b"], 40, 40), (["a", "c"], 35, 35), (["a", "b", "c"], 20, 20)]
    >>> found = follow_sums(Facts.from_limits(supports, n=100), 10)
    >>> print(*found.sums, found.sums[0].explain(), sep="; ")
    a ∧ ¬b ∧ ¬c: 5 rows; sup(a) 60 − sup(ab) 40 − sup(ac) 35 + sup(abc) 20 = 5
    """
    sums: dict[tuple[Itemset, frozenset[Itemset]], Bounded] = {}
    many = left = unnamed = steps = 0
    for top in facts.tops:
        listed = list(_list_parts(facts, top))
        if len(listed) == 1 << len(top):
            continue
        many += 1
        every = _unite(listed) if listed and steps < STEPS else []
        classes = Classes(listed, every, facts)
        if not every or classes.open.size > OPEN:
            left += 1
            continue
        steps += len(every) ** 3 + (len(every) << classes.open.size)
        found = [classes.describe(chosen) for chosen in classes.find_small(k)]
        unnamed += None in found
        sums |= {(one.base, frozenset(one.lacked)): one for one in found if one is not None}
    return Followed(tuple(sort_worst(sums.values())), many, left, unnamed)


def _list_parts(facts: Facts, top: Codes) -> Iterator[Codes]:
    """Yield the listed parts of an itemset; none of one that is too long."""
    sizes = range(len(top) + 1) if len(top) <= LONGEST else ()
    parts = map(frozenset, chain.from_iterable(combinations(sorted(top), size) for size in sizes))
    yield from (part for part in parts if part in facts.listed)


def _unite(listed: Sequence[Codes]) -> list[Codes]:
    """Return all unions of itemsets, the smallest first; none if there are too many."""
    every: set[Codes] = set()
    for itemset in listed:
        every |= {itemset | other for other in every} | {itemset}
        if len(every) > CLASSES:
            return []
    return sorted(every, key=lambda one: (len(one), sorted(one)))
