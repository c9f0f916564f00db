"""Implications: derived counts of 0, which show that everyone with some items has another one too."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from types import MappingProxyType
from typing import Final, TypeAlias

import numpy as np

from discreet import kernels
from discreet.data.hierarchy import Hierarchy
from discreet.data.itemsets import Items, Itemset, Itemsets, Label, sort_labels
from discreet.data.lattice import Family, build_family
from discreet.data.patterns import Patterns
from discreet.data.records import Records
from discreet.errors import BudgetError, Either

Codes: TypeAlias = tuple[int, ...]  # an itemset, its codes rising

LONGEST: Final = 64  # items of a top, one bit each
MOST: Final = 1_000_000  # implications to list


@dataclass(frozen=True, slots=True)
class Implication:
    """Everyone who has all items of ``base`` has ``item`` as well.

    >>> print(Implication(frozenset("ab"), "c"), Implication(frozenset(), "a"), sep="; ")
    a ∧ b ⇒ c; everyone ⇒ a
    """

    base: Itemset
    item: Label

    def __str__(self) -> str:
        return f"{' ∧ '.join(map(str, sort_labels(self.base))) or 'everyone'} ⇒ {self.item}"


@dataclass(frozen=True, eq=False, repr=False)
class Implications(Records):
    """The implications within the tops of a release with the smallest bases: by base size, then in dictionary order.

    If ``more`` is true, there are more than are listed.
    """

    bases: Itemsets
    items: Items
    labels: tuple[Label, ...]
    more: bool
    _types = MappingProxyType({"base": list, "item": Label})

    def __len__(self) -> int:
        return int(self.items.size)

    def __getitem__(self, number: int) -> Implication:
        at = range(len(self))[number]
        base = frozenset(self.labels[item] for item in self.bases[at].tolist())
        return Implication(base, self.labels[int(self.items[at])])

    def __iter__(self) -> Iterator[Implication]:
        return (self[number] for number in range(len(self)))

    def _records(self) -> Iterator[tuple[list[Label], Label]]:
        for base, item in zip(self.bases, self.items.tolist(), strict=True):
            yield [self.labels[code] for code in base.tolist()], self.labels[item]

    def __repr__(self) -> str:
        return f"<Implications: {'more than ' * self.more}{len(self):,}>"


def find_implications(patterns: Patterns) -> Implications:
    """Return the implications that the supports of closed or of all frequent itemsets show.

    Within a top, a base implies an item if every row that holds the base holds the item as well. The smallest such
    bases are minimal transversals (Berge, *Hypergraphs*): they hit the lacked items of each row that lacks the item.

    >>> from discreet import mine
    >>> [str(implication) for implication in find_implications(mine([["a", "b"], ["a", "b"], ["b"]], min_support=1))]
    ['everyone ⇒ b']
    """
    family = build_family(patterns)
    if family.longest > LONGEST:
        raise BudgetError(
            f"an itemset of {family.longest} items is too long to look for implications; {LONGEST} items are the "
            "limit: judge by a policy that ignores zeros"
        )
    cells, tops, many = family.cells(limit=patterns.n + 1), family.top_itemsets, len(family.labels)
    cells = cells.take(np.argsort(cells.tops, kind="stable"))
    offsets, bases, items, more = kernels.cells.find_implications(cells.tops, *cells.bases.flat, *tops.flat, many, MOST)
    ranks = np.argsort(items, kind="stable")
    by_item = Itemsets(offsets, bases).take(ranks)
    order = by_item.order(many, by_item.lengths)
    found = Implications(by_item.take(order), items[ranks[order]], family.labels, bool(more))
    return found if patterns.hierarchy is None else _leave_out_parents(found, patterns.hierarchy)


def _leave_out_parents(found: Implications, hierarchy: Hierarchy) -> Implications:
    """Return the implications without those that everyone knows: an item implies its ancestors."""
    lines, many = hierarchy.lines(found.labels), max(1, len(found.labels))
    known = lines.items[lines.offsets[:-1]][lines.owners] * np.int64(many) + lines.items
    is_single = found.bases.lengths == 1
    single = found.bases.items[found.bases.offsets[:-1][is_single]] * np.int64(many) + found.items[is_single]
    is_new = np.ones(len(found), dtype=np.bool_)
    is_new[is_single] = ~np.isin(single, known)
    kept = np.flatnonzero(is_new)
    return replace(found, bases=found.bases.take(kept), items=found.items[kept])


def list_free(patterns: Patterns, most: int = MOST) -> Patterns:
    """Return the frequent itemsets that show no implication: those with fewer rows than each of their subsets.

    The patterns are the closed or all frequent itemsets. An itemset with as many rows as a part of it shows that
    everyone with that part has the rest as well. Whatever contains it shows the same, so the free itemsets (Boulicaut,
    Bykowski, Rigotti, 2003) are the largest list that has all subsets of its itemsets and shows no implication. More
    than ``most`` are a BudgetError.

    >>> from discreet import mine
    >>> free = list_free(mine([["a", "b"], ["a", "b"], ["b"], ["a"], ["c", "b"]], min_support=1))
    >>> [sorted(itemset) for itemset, _ in free]
    [[], ['a'], ['a', 'b'], ['b'], ['c']]
    """
    family = build_family(patterns)
    longest = family.longest if patterns.max_length is None else min(family.longest, patterns.max_length)
    free: dict[Codes, int] = {(): patterns.n} if len(patterns) else {}
    level: list[Codes] = [(item,) for item in np.unique(family.items).tolist()]
    for length in range(1, longest + 1):
        if len(free) + len(level) > most:
            raise BudgetError(
                f"more than {most:,} itemsets show no implication; ",
                Either(("raise {}", "min_support", "max_patterns"), ("leave items out with {}", "leave_out")),
            )
        supports = _find_supports(family, level)
        fewer = {one: rows for one, rows in zip(level, supports, strict=True) if _is_free(one, rows, free)}
        free |= fewer
        level = _list_pairs(family, fewer) if length == 1 else _join(fewer)
    itemsets, rows = Itemsets.of(free), np.fromiter(free.values(), dtype=np.int64)
    n, least, length_ = patterns.n, patterns.min_support, patterns.max_length
    return Patterns.from_codes(*itemsets.flat, rows, family.labels, n=n, min_support=least, max_length=length_)


def _is_free(itemset: Codes, support: int, free: Mapping[Codes, int]) -> bool:
    """Return whether an itemset is frequent, and has fewer rows than each of its parts, which are free themselves."""
    return 0 < support < min(free.get(part, 0) for part in combinations(itemset, len(itemset) - 1))


def _find_supports(family: Family, itemsets: list[Codes]) -> list[int]:
    """Return the supports of itemsets in dictionary order; 0 if no listed itemset contains one."""
    if not itemsets:
        return []
    listed, numbers = Itemsets.of(itemsets), np.full(len(itemsets), -1, dtype=np.int64)
    trie = kernels.inversion.plant(*listed.flat)
    kernels.closure.close(trie, listed.is_rooted, family.itemsets.flat, family.supports, len(family.labels), numbers)
    supports: list[int] = np.where(numbers >= 0, family.supports[numbers], 0).tolist()
    return supports


def _list_pairs(family: Family, free: Iterable[Codes]) -> list[Codes]:
    """Return the pairs of free items that a listed itemset contains, in order: of many items, few come together."""
    many, lengths = len(family.labels), family.itemsets.lengths
    is_free = np.zeros(many, dtype=np.bool_)
    is_free[[item for (item,) in free]] = True
    found = [np.empty(0, dtype=np.int64)]
    for length in np.unique(lengths[lengths > 1]).tolist():
        codes = family.itemsets.take(np.flatnonzero(lengths == length)).items.reshape(-1, length).astype(np.int64)
        for first, second in combinations(range(length), 2):
            both = is_free[codes[:, first]] & is_free[codes[:, second]]
            found.append(np.unique(codes[both, first] * many + codes[both, second]))
    return [divmod(pair, many) for pair in np.unique(np.concatenate(found)).tolist()]


def _join(free: Iterable[Codes]) -> list[Codes]:
    """Return the itemsets of one item more whose parts may all be free, in dictionary order."""
    last: defaultdict[Codes, list[int]] = defaultdict(list)
    for itemset in free:
        last[itemset[:-1]].append(itemset[-1])
    return [(*first, *pair) for first, items in last.items() for pair in combinations(items, 2)]
