"""The algorithms of Oliveira and Zaïane (2002): each removes its victims, chosen items of a sensitive itemset.

For IGA (section 4.3) the paper leaves open what a group is, and which of two groups an itemset belongs to. Here all
itemsets that hold an item form a group, and an itemset belongs to the first of its groups in a fixed order.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Itemsets
from discreet.hiding.problem import HidingProblem, Removals, Solution
from discreet.runtime.solver import Numbers

BLOCK: Final = 1024
"""Itemsets that are removed at a time: each takes a bit per row."""

Victims: TypeAlias = Sequence[NDArray[np.int32]]
"""The items of each sensitive itemset that its rows lose."""


class VictimRule(NamedTuple):
    """How an algorithm picks the victims from itemsets and the supports of items, and which rows lose them first.

    With ``keeps_one``, a row that would become empty keeps one item.
    """

    pick: Callable[[Itemsets, Numbers], Victims]
    most_conflict_first: bool = False
    keeps_one: bool = False

    def solve(self, problem: HidingProblem) -> Solution:
        """Remove the victims of each sensitive itemset from as many rows as must lose it.

        ``keeps_one`` is applied last, so that the order of the itemsets does not matter: a row keeps its item of
        highest support (then lowest code), unless that item is sensitive on its own.
        """
        rows, supports = problem.rows, problem.index.supports
        victims = self.pick(problem.itemsets, supports)
        chosen, final = READINGS[problem.reading](problem, victims, self), _list_final(problem, victims)
        marks = np.zeros(rows.itemsets.size, dtype=np.uint8)
        for start in range(0, len(victims), BLOCK):
            part = victims[start : start + BLOCK]
            lost = np.zeros((len(rows), _words(len(part))), dtype=np.uint64)
            for number, numbers in enumerate(islice(chosen, len(part))):
                kernels.hiding.note_itemset(numbers, number, lost)
            tables = _tabulate(part, final[start : start + BLOCK], len(rows.labels))
            kernels.hiding.mark_losses(*rows.itemsets.flat, lost, *tables, marks)
        if self.keeps_one:
            kernels.hiding.keep_one(*rows.itemsets.flat, supports, marks)
        numbers, offsets, items = kernels.hiding.list_marked(*rows.itemsets.flat, marks)
        return Solution(Removals(offsets, items, numbers))


def pick_all(itemsets: Itemsets, _supports: Numbers) -> Victims:
    """Pick all items of an itemset."""
    return list(itemsets)


def pick_rarest(itemsets: Itemsets, supports: Numbers) -> Victims:
    """Pick the item of least support, then lowest code."""
    return [itemset[[np.argmin(supports[itemset])]] for itemset in itemsets]


def pick_commonest(itemsets: Itemsets, supports: Numbers) -> Victims:
    """Pick the item of highest support, then lowest code."""
    return [itemset[[np.argmax(supports[itemset])]] for itemset in itemsets]


def pick_shared(itemsets: Itemsets, supports: Numbers) -> Victims:
    """Pick the label of the itemset's first group; without a group, its rarest item.

    >>> itemsets = Itemsets.of([[0, 1, 2], [0, 1, 3], [2, 4], [5, 6]])
    >>> [victim.tolist() for victim in pick_shared(itemsets, np.array([9, 8, 7, 6, 5, 4, 4]))]
    [[1], [1], [2], [5]]
    """
    victims = list(pick_rarest(itemsets, supports))
    # Groups keep their members even if an earlier group has taken some.
    for members, label in reversed(group_itemsets(itemsets, supports)):
        for number in members:
            victims[number] = np.array([label], dtype=np.int32)
    return victims


def group_itemsets(itemsets: Itemsets, supports: Numbers) -> list[tuple[frozenset[int], int]]:
    """Return each group as its members' numbers and its label, larger groups first.

    Two or more itemsets that hold an item form a group. Its label is the rarest item that all members share, then the
    one of lowest code. Groups of equal size are ordered by their label: higher support first, then lower code.

    >>> itemsets = Itemsets.of([[0, 1, 2], [0, 1, 3], [2, 4]])
    >>> [(sorted(members), label) for members, label in group_itemsets(itemsets, np.array([9, 8, 7, 6, 5]))]
    [([0, 1], 1), ([0, 2], 2)]
    """
    holders: dict[int, list[int]] = defaultdict(list)
    for number, itemset in enumerate(itemsets):
        for item in itemset.tolist():
            holders[item].append(number)
    groups = []
    for members in {frozenset(numbers) for numbers in holders.values() if len(numbers) > 1}:
        shared = set.intersection(*(set(itemsets[number].tolist()) for number in members))
        groups.append((members, min(shared, key=lambda item: (supports[item], item))))
    return sorted(groups, key=lambda group: (-len(group[0]), -supports[group[1]], group[1]))


NAIVE: Final = VictimRule(pick_all, keeps_one=True)
MINFIA: Final = VictimRule(pick_rarest)
MAXFIA: Final = VictimRule(pick_commonest)
IGA: Final = VictimRule(pick_shared, most_conflict_first=True)


def choose_static(problem: HidingProblem, _victims: Victims, rule: VictimRule) -> Iterator[Numbers]:
    """Yield the rows that lose each itemset, chosen by the rows as they were."""
    for holders, many in zip(problem.holders, problem.to_lose.tolist(), strict=True):
        yield _choose_first(holders, problem.degrees, many, rule)


def choose_dynamic(problem: HidingProblem, victims: Victims, rule: VictimRule) -> Iterator[Numbers]:
    """Yield the rows that lose each itemset, chosen by the rows as earlier itemsets left them."""
    # A bit per row and sensitive itemset that the row still holds.
    held = np.zeros((len(problem.rows), _words(len(victims))), dtype=np.uint64)
    degrees = problem.degrees.copy()
    for number, holders in enumerate(problem.holders):
        kernels.hiding.note_itemset(holders, number, held)
    itemsets = list(problem.itemsets)
    line, with_item, _ = _tabulate(itemsets, itemsets, len(problem.rows.labels))
    for number, (holders, many) in enumerate(zip(problem.holders, problem.to_lose.tolist(), strict=True)):
        left = kernels.hiding.find_holders(holders, number, held)
        needed = many if problem.below is None else max(0, left.size - problem.below + 1)
        chosen = _choose_first(left, degrees, min(needed, left.size), rule)
        kernels.hiding.lose_itemsets(chosen, np.bitwise_or.reduce(with_item[line[victims[number]]]), held, degrees)
        yield chosen


READINGS: Final[Mapping[str, Callable[[HidingProblem, Victims, VictimRule], Iterator[Numbers]]]] = {
    "static": choose_static,
    "dynamic": choose_dynamic,
}


def _choose_first(rows: Numbers, degrees: NDArray[np.int32], many: int, rule: VictimRule) -> Numbers:
    """Return the first ``many`` rows by degree of conflict, then by number."""
    chosen = np.empty(many, dtype=np.int64)
    if many:
        ranks = degrees[rows]
        kernels.hiding.choose(rows, ranks.max() - ranks if rule.most_conflict_first else ranks, chosen)
    return chosen


def _list_final(problem: HidingProblem, victims: Victims) -> Victims:
    """Return the victims of each itemset that a row may not keep as its one item.

    They are itemsets of one item. Under the dynamic reading such an item stays away whichever itemset removed it, as
    later itemsets have counted on that.
    """
    itemsets = problem.itemsets
    if problem.reading == "static":
        return [itemset[: itemset.size == 1] for itemset in itemsets]
    alone = [itemset[0] for itemset, many in zip(itemsets, problem.to_lose, strict=True) if itemset.size == 1 and many]
    return [items[np.isin(items, alone)] for items in victims]


def _words(many: int) -> int:
    return (many + 63) >> 6


def _tabulate(
    itemsets: Victims, parts: Victims, many: int
) -> tuple[NDArray[np.int32], NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the line of each of ``many`` items, -1 for most, and in that line a bit for each itemset that holds it.

    The second table does the same for ``parts`` of the itemsets.
    """
    items = np.unique(np.concatenate(itemsets))
    line = np.full(many, -1, dtype=np.int32)
    line[items] = np.arange(items.size, dtype=np.int32)
    tables = np.zeros((2, items.size, _words(len(itemsets))), dtype=np.uint64)
    for table, listed in zip(tables, (itemsets, parts), strict=True):
        for number, itemset in enumerate(listed):
            table[line[itemset], number >> 6] |= np.uint64(1) << np.uint64(number & 63)
    return line, tables[0], tables[1]
