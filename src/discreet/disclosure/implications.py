"""Implications: derived counts of 0, which show that everyone with some items has another one too."""

from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from discreet import kernels
from discreet.data.itemsets import Items, Itemset, Itemsets, Label, sort_labels
from discreet.data.lattice import build_family
from discreet.data.patterns import Patterns
from discreet.data.records import Records
from discreet.errors import BudgetError

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
    lengths = np.diff(offsets)
    ranks = np.lexsort((items, lengths))
    kernels.itemsets.settle(offsets, bases, lengths.astype(np.uint64), ranks, np.empty_like(ranks))
    return Implications(Itemsets(offsets, bases).take(ranks), items[ranks], family.labels, bool(more))
