"""The closure of a publication: all itemsets whose supports follow exactly, one from another.

The supports of all proper subsets bound the support of an itemset, since no cell has a negative count (Calders and
Goethals, *Non-derivable itemset mining*, 2007). If both bounds meet, its support is as good as published, and itemsets
with one item more may follow.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from time import monotonic
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Itemsets, Weighted, offsets_of
from discreet.disclosure.attacks.facts import Codes, Facts
from discreet.disclosure.detect import list_subsets
from discreet.errors import BudgetError, InconsistencyError, Message, Option

Numbers: TypeAlias = NDArray[np.int64]

WORK: Final = 1 << 24
"""Steps per kernel call; time and Ctrl-C are checked between calls."""


class Budget(NamedTuple):
    """The limits of a search: seconds, itemsets with known supports, and listed findings."""

    seconds: float = 60.0
    itemsets: int = 2_000_000
    findings: int = 100_000


class Derived(NamedTuple):
    """Unpublished itemsets whose supports follow exactly (CSR, the shorter ones first)."""

    offsets: Numbers
    items: NDArray[np.int32]
    supports: Numbers

    def __len__(self) -> int:
        return int(self.supports.size)


class Gap(NamedTuple):
    """The end of a search: ``many`` itemsets of a ``length`` were not joined with others, and ``why``."""

    many: int
    length: int
    why: str


class Trie(NamedTuple):
    """Itemsets with their supports, as kernels/derive.py has them.

    ``reasons`` are the cells that set the lower and the upper limit of an unpublished itemset, -1 if the facts do.
    """

    parents: NDArray[np.int32]
    lasts: NDArray[np.int32]
    supports: Numbers
    reasons: Numbers

    def first(self, size: int) -> "Trie":
        """Return the first nodes alone."""
        parents, lasts, supports, reasons = self
        return Trie(parents[:size].copy(), lasts[:size].copy(), supports[:size].copy(), reasons[:size].copy())


@dataclass(frozen=True, eq=False)
class Closure:
    """Itemsets with known supports: first the ``published`` ones in order, then the derived ones.

    ``found`` are the first of ``many`` findings, and ``gap`` says what was left.
    """

    trie: Trie
    lengths: Numbers
    published: int
    found: Numbers
    many: int
    gap: Gap | None

    def __len__(self) -> int:
        return int(self.trie.supports.size)

    @property
    def derived(self) -> Derived:
        """The unpublished itemsets."""
        offsets = offsets_of(self.lengths[self.published :])
        items = np.empty(int(offsets[-1]), dtype=np.int32)
        kernels.derive.write_nodes(self.trie.parents, self.trie.lasts, self.published, offsets, items)
        return Derived(offsets, items, self.trie.supports[self.published :])

    @cached_property
    def nodes(self) -> dict[Codes, int]:
        """The number of each unpublished itemset."""
        return {frozenset(self.items(node)): node for node in range(self.published, len(self))}

    def items(self, node: int) -> list[int]:
        """Return the items of an itemset in increasing order."""
        found: list[int] = []
        while node:
            found.append(int(self.trie.lasts[node]))
            node = int(self.trie.parents[node])
        return found[::-1]


def close(facts: Facts, k: int, budget: Budget) -> Closure:
    """Return the closure of exact facts, with the findings about 1 to k − 1 rows.

    A publication of more itemsets than the budget allows is a BudgetError.

    >>> from discreet import mine
    >>> rows = [["b"], ["b"], ["a", "b"], ["a", "b"], ["a", "c"], ["a", "c"], ["b", "c"], ["b", "c"], ["a", "b", "c"]]
    >>> closure = close(Facts.of(mine(rows, min_support=3)), 2, Budget())
    >>> closure.derived.items.tolist(), closure.derived.supports.tolist()
    ([0, 1, 2], [1])
    """
    ends = monotonic() + budget.seconds
    offsets, items, supports = list_known(facts, budget.itemsets).arrays
    trie, lengths = _plant(offsets, items, supports, budget.itemsets)
    said = (_list_others(facts, offsets, items), _list_excluded(facts))
    question = (k, np.array([facts.missing(frozenset([item])) for item in range(len(facts.labels))], dtype=np.int64))
    found = np.empty((budget.findings, kernels.derive.COLUMNS), dtype=np.int64)
    length, size, many, gap = 1, supports.size, 0, None
    while gap is None and (level := np.flatnonzero(lengths == length)).size:
        level = level[np.lexsort((trie.lasts[level], trie.parents[level]))]
        start, itemset = 0, np.zeros(length + 1, dtype=np.int32)
        children = kernels.derive.index(trie.parents, trie.lasts, size)
        while start < level.size and gap is None:
            start, size, many, is_kept = kernels.derive.join(
                tuple(trie), size, children, level, start, itemset, said, question, found, many, WORK
            )
            if not is_kept:
                raise _contradiction(facts, itemset)
            if start < level.size:
                gap = _gap(level.size - start, length, size, monotonic() > ends, budget)
        length += 1
        lengths = np.append(lengths, np.full(size - lengths.size, length))
    return Closure(trie.first(size), lengths, supports.size, found[: min(many, budget.findings)].copy(), many, gap)


def _plant(offsets: Numbers, items: NDArray[np.int32], supports: Numbers, most: int) -> tuple[Trie, Numbers]:
    """Return itemsets as a trie with room for ``most``, and their lengths."""
    # Memory that is never written is never taken.
    parents, lasts = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32)
    lengths, held, reasons = np.empty(supports.size, np.int64), np.empty(most, np.int64), np.empty((most, 2), np.int64)
    held[: supports.size] = supports
    kernels.derive.plant(offsets, items, parents, lasts, lengths)
    return Trie(parents, lasts, held, reasons), lengths


def list_known(facts: Facts, most: int) -> Weighted:
    """Return the itemsets whose supports, and those of all their subsets, are published exactly, in dictionary order.

    More than ``most`` of them are a BudgetError.

    >>> from discreet import mine
    >>> offsets, items, supports = list_known(Facts.of(mine([["a", "b"], ["a", "b"], ["a"]], min_support=1)), 99).arrays
    >>> offsets.tolist(), items.tolist(), supports.tolist()
    ([0, 0, 1, 3, 4], [0, 0, 1, 1], [3, 3, 2, 2])
    """
    if not facts.inherited:
        return _list_exact(facts, most)
    return list_subsets(facts.itemsets.weigh(facts.low), facts.labels, most)


def _list_exact(facts: Facts, most: int) -> Weighted:
    """Return what ``list_known`` returns where each itemset has its own limits."""
    kept: dict[Codes, int] = {}
    for itemset in sorted(facts.listed, key=len):
        low, high = facts.listed[itemset]
        if low == high and all(itemset - {item} in kept for item in itemset):
            kept[itemset] = low
    if len(kept) > most:
        raise BudgetError(
            f"{len(kept):,} supports are known exactly, and {most:,} is the limit; raise max_itemsets, or the minimum "
            "support of what is published"
        )
    listed = sorted((sorted(itemset), support) for itemset, support in kept.items())
    supports = np.array([support for _, support in listed], dtype=np.int64)
    return Itemsets.of(itemset for itemset, _ in listed).weigh(supports)


def _list_others(
    facts: Facts, offsets: Numbers, items: NDArray[np.int32]
) -> tuple[Numbers, NDArray[np.int32], Numbers, Numbers]:
    """Return the listed itemsets that are not among the known ones, with their limits."""
    among = {frozenset(items[start:stop].tolist()) for start, stop in pairwise(offsets)} if not facts.inherited else ()
    chosen = [number for number in range(0 if facts.inherited else len(facts)) if facts.itemset(number) not in among]
    numbers = np.array(chosen, dtype=np.int64)
    return *facts.itemsets.take(numbers).flat, facts.low[numbers], facts.high[numbers]


def _list_excluded(facts: Facts) -> NDArray[np.uint64]:
    """Return the pairs that no row holds, as the kernel takes them."""
    pairs = {pair for group in facts.schema for pair in combinations(sorted(group), 2)}
    return np.array([one << 32 | other + 1 for one, other in sorted(pairs)], dtype=np.uint64)


def _gap(many: int, length: int, known: int, is_late: bool, budget: Budget) -> Gap | None:  # noqa: FBT001 - one of two
    """Return what is left if the budget is used up."""
    if known >= budget.itemsets:
        return Gap(many, length, f"the limit of {budget.itemsets:,} itemsets is reached")
    return Gap(many, length, f"the limit of {budget.seconds:,.0f} seconds is reached") if is_late else None


def _contradiction(facts: Facts, itemset: NDArray[np.int32]) -> InconsistencyError:
    labels = [facts.labels[item] for item in itemset.tolist()]
    message = Message(
        f"the supports leave no number of rows that may hold an itemset of {len(labels)} items; no rows can have them: "
        "check that they are exact, and say ",
        *(Option("complete", value=False), " if some itemset that reaches the minimum support is not listed"),
    )
    return InconsistencyError(message, "negative", labels, labels)
