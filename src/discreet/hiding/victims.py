"""The algorithms of Oliveira and Zaïane: each removes its victims, chosen items of a sensitive itemset.

Decision 22 settles what the papers leave open for naive, MinFIA, MaxFIA and IGA (2002), and decision 19 for SWA (2003).
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from numbers import Integral
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Items, Itemsets, Label
from discreet.errors import ThresholdError
from discreet.hiding.problem import HidingProblem, Removals, Solution, list_removals
from discreet.runtime.solver import Numbers
from discreet.runtime.text import abbreviate

BLOCK: Final = 1024  # itemsets that are removed at a time: each takes a bit per row
CELLS: Final = 1 << 22  # windows processed together, times sensitive items: their counts must fit in memory

Victims: TypeAlias = Sequence[Items]  # the items of each sensitive itemset that its rows lose


class VictimRule(NamedTuple):
    """How an algorithm picks victims by the supports of items, which rows lose them, and whether a row keeps one."""

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
            lost = np.zeros((len(rows), count_words(len(part))), dtype=np.uint64)
            for number, numbers in enumerate(islice(chosen, len(part))):
                kernels.hiding.note_itemset(numbers, number, lost)
            tables = _tabulate(part, final[start : start + BLOCK], len(rows.labels))
            kernels.hiding.mark_losses(*rows.itemsets.flat, lost, *tables, marks)
        if self.keeps_one:
            kernels.hiding.keep_one(*rows.itemsets.flat, supports, marks)
        numbers, offsets, items = kernels.hiding.list_marked(*rows.itemsets.flat, marks)
        return Solution(Removals(offsets, items, numbers))


def _pick_all(itemsets: Itemsets, _supports: Numbers) -> Victims:
    return list(itemsets)


def _pick_rarest(itemsets: Itemsets, supports: Numbers) -> Victims:
    return [itemset[[np.argmin(supports[itemset])]] for itemset in itemsets]  # ties go to the lowest code


def _pick_commonest(itemsets: Itemsets, supports: Numbers) -> Victims:
    return [itemset[[np.argmax(supports[itemset])]] for itemset in itemsets]


def pick_shared(itemsets: Itemsets, supports: Numbers) -> Victims:
    """Pick the label of the itemset's first group; without a group, its rarest item.

    >>> itemsets = Itemsets.of([[0, 1, 2], [0, 1, 3], [2, 4], [5, 6]])
    >>> [victim.tolist() for victim in pick_shared(itemsets, np.array([9, 8, 7, 6, 5, 4, 4]))]
    [[1], [1], [2], [5]]
    """
    victims = list(_pick_rarest(itemsets, supports))
    # Groups keep their members even if an earlier group has taken some.
    for members, label in reversed(_group_itemsets(itemsets, supports)):
        for number in members:
            victims[number] = np.array([label], dtype=np.int32)
    return victims


def _group_itemsets(itemsets: Itemsets, supports: Numbers) -> list[tuple[frozenset[int], int]]:
    """Return each group as its members' numbers and its label, larger groups first.

    Two or more itemsets that hold an item form a group. Its label is the rarest item that all members share, then the
    one of lowest code. Groups of equal size are ordered by their label: higher support first, then lower code.
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


NAIVE: Final = VictimRule(_pick_all, keeps_one=True)
MINFIA: Final = VictimRule(_pick_rarest)
MAXFIA: Final = VictimRule(_pick_commonest)
IGA: Final = VictimRule(pick_shared, most_conflict_first=True)


def _choose_static(problem: HidingProblem, _victims: Victims, rule: VictimRule) -> Iterator[Numbers]:
    """Yield the rows that lose each itemset, chosen by the rows as they were."""
    for holders, many in zip(problem.holders, problem.to_lose.tolist(), strict=True):
        yield _choose_first(holders, problem.degrees, many, rule)


def _choose_dynamic(problem: HidingProblem, victims: Victims, rule: VictimRule) -> Iterator[Numbers]:
    """Yield the rows that lose each itemset, chosen by the rows as earlier itemsets left them."""
    # A bit per row and sensitive itemset that the row still holds.
    held, degrees = np.zeros((len(problem.rows), count_words(len(victims))), np.uint64), problem.degrees.copy()
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
    "static": _choose_static,
    "dynamic": _choose_dynamic,
}


def _choose_first(rows: Numbers, degrees: Items, many: int, rule: VictimRule) -> Numbers:
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


def count_words(bits: int) -> int:
    """Return how many words a bitmap has."""
    return (bits + 63) >> 6


def _tabulate(itemsets: Victims, parts: Victims, many: int) -> tuple[Items, NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the line of each of ``many`` items, -1 for most, and in that line a bit for each itemset that holds it.

    The second table does the same for ``parts`` of the itemsets.
    """
    items = np.unique(np.concatenate(itemsets))
    line = number_lines(items, many)
    tables = np.zeros((2, items.size, count_words(len(itemsets))), dtype=np.uint64)
    for table, listed in zip(tables, (itemsets, parts), strict=True):
        for number, itemset in enumerate(listed):
            table[line[itemset], number >> 6] |= np.uint64(1) << np.uint64(number & 63)
    return line, tables[0], tables[1]


def number_lines(codes: Items, many: int) -> Items:
    """Return the place of each of ``many`` items among ``codes``, -1 for the others."""
    line = np.full(many, -1, dtype=np.int32)
    line[codes] = np.arange(codes.size, dtype=np.int32)
    return line


class Demand(NamedTuple):
    """What SWA is to hide, and how: itemsets with codes ordered as by ``order_by_text``, and so on."""

    itemsets: Itemsets
    disclosures: Sequence[Fraction]
    below: int | None
    window: int

    @property
    def together(self) -> int:
        """How many windows can be processed together."""
        return max(1, CELLS // np.unique(self.itemsets.entries).size)


class Windows(NamedTuple):
    """Rows of whole windows, numbered from 0: lengths, codes, and the rows that hold each sensitive itemset.

    ``rows`` may leave out codes that are in no sensitive itemset; ``lengths`` counts them.
    """

    lengths: Numbers
    rows: Itemsets
    holders: Sequence[Numbers]


def solve_swa(problem: HidingProblem) -> Solution:
    """Remove the victims of each window."""
    itemsets = Itemsets.of([order_by_text(itemset, problem.rows.labels) for itemset in problem.itemsets])
    demand = Demand(itemsets, problem.sensitive.disclosures, problem.below, problem.window)
    before, pairs, step = np.zeros(len(itemsets), dtype=np.int64), [], demand.window * demand.together
    for start in range(0, len(problem.rows), step):
        part = problem.rows.itemsets[start : start + step]
        bounds = [np.searchsorted(held, [start, start + step]) for held in problem.holders]
        holders = [held[low:high] - start for held, (low, high) in zip(problem.holders, bounds, strict=True)]
        chosen = choose_in_windows(Windows(part.lengths, part, holders), demand, before)
        pairs += [(rows + start, items) for rows, items in chosen]
        before += [held.size for held in holders]
    return Solution(list_removals(pairs))


def as_window(window: int) -> int:
    """Return the number of rows in a window; refuse anything else."""
    if isinstance(window, bool) or not isinstance(window, Integral) or window < 1:
        raise ThresholdError(f"window is {abbreviate(window)!r}; give a whole number of rows of at least 1")
    return int(window)


def order_by_text(codes: Iterable[int], labels: Sequence[Label]) -> Items:
    """Return codes in the order that breaks ties between victims.

    It compares labels as text, since one scan cannot know whether all labels of a CSV file are numbers.

    >>> order_by_text([0, 1, 2], [10, 9, "ale"]).tolist()
    [1, 0, 2]
    """
    texts = {int(code): str(labels[code]) for code in codes}
    return np.array(sorted(texts, key=lambda code: (len(texts[code]), texts[code])), dtype=np.int32)


def choose_in_windows(windows: Windows, demand: Demand, before: Numbers) -> Iterator[tuple[Numbers, Items]]:
    """Yield rows and the items that they lose; a row may lose the same item several times.

    ``before`` counts the rows of earlier windows that held each sensitive itemset.
    """
    slots, counts = _count_items(windows, demand)
    for number, (itemset, held) in enumerate(zip(demand.itemsets, windows.holders, strict=True)):
        window = held // demand.window
        sizes = np.bincount(window, minlength=len(counts))
        many = _count_to_lose(sizes, demand, number, int(before[number]))
        order = np.lexsort((windows.lengths[held], window))  # stable, and the holders increase
        rank = np.arange(held.size) - (np.cumsum(sizes) - sizes)[window]
        chosen = held[order][rank < many[window]]
        yield chosen, itemset[counts[:, slots[itemset]].argmax(axis=1)][chosen // demand.window]


def _count_items(windows: Windows, demand: Demand) -> tuple[Items, Items]:
    """Return the slot of each code (-1: none), and by window and slot how many sensitive rows hold the item."""
    wanted = np.unique(demand.itemsets.entries)
    slots = number_lines(wanted, int(max(wanted[-1], windows.rows.items.max(initial=0))) + 1)
    sensitive = np.zeros(windows.lengths.size, dtype=np.bool_)
    for held in windows.holders:
        sensitive[held] = True
    counts = np.zeros((-(-sensitive.size // demand.window), wanted.size), dtype=np.int32)
    kernels.hiding.count_in_windows(*windows.rows.flat, np.flatnonzero(sensitive), demand.window, slots, counts)
    return slots, counts


def _count_to_lose(sizes: Numbers, demand: Demand, number: int, before: int) -> Numbers:
    """Return how many rows of each window must lose an itemset, given how many hold it."""
    if demand.below is not None:
        until, room = before + np.cumsum(sizes), demand.below - 1
        stay: Numbers = np.minimum(until, room) - np.minimum(until - sizes, room)
        return sizes - stay
    share = 1 - demand.disclosures[number]
    return np.array([math.ceil(size * share) for size in sizes.tolist()], dtype=np.int64)
