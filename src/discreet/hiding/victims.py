"""Victims: the algorithms of Oliveira and Zaïane (2002), which differ in the items that they remove, and where."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.hiding import iga
from discreet.hiding.problem import Answer, Problem, Reading, changes_where

BLOCK: Final = 1024
"""Itemsets that are removed at a time: each takes a bit a row."""

Codes: TypeAlias = NDArray[np.int32]
Rows: TypeAlias = NDArray[np.int64]


class Rule(NamedTuple):
    """What an algorithm removes of each itemset, given the supports of items; and from which rows first.

    These are the rows of least conflict, or of most. One that ``keeps_one`` leaves no row without items.
    """

    victims: Callable[[Sequence[Codes], NDArray[np.int64]], list[Codes]]
    most_conflict_first: bool = False
    keeps_one: bool = False


def answer(problem: Problem, method: str) -> Answer:
    """Return what an algorithm removes: the victims of each sensitive itemset, from as many rows as must lose it.

    Naive's rule that a row keeps one item is applied at the end, so that the order of the itemsets does not matter: a
    row that would become empty keeps its item of highest support, that of the lowest code where supports tie. An item
    that is sensitive on its own is not what it keeps, where that would give it back.
    """
    rule, rows = RULES[method], problem.rows
    victims = rule.victims(problem.itemsets, problem.item_supports)
    chosen, final = READINGS[problem.reading](problem, victims, rule), _final(problem, victims)
    marks = np.zeros(int(rows.offsets[-1] - rows.offsets[0]), dtype=np.uint8)
    for start in range(0, len(victims), BLOCK):
        part = victims[start : start + BLOCK]
        lost = np.zeros((len(rows), _words(len(part))), dtype=np.uint64)
        for number, numbers in enumerate(islice(chosen, len(part))):
            kernels.hiding.note_itemset(numbers, number, lost)
        tables = _tables(part, final[start : start + BLOCK], len(rows.labels))
        kernels.hiding.mark_losses(rows.offsets, rows.items, lost, *tables, marks)
    if rule.keeps_one:
        kernels.hiding.keep_one(rows.offsets, rows.items, problem.item_supports, marks)
    return Answer(changes_where(rows, marks))


def every_item(itemsets: Sequence[Codes], _supports: NDArray[np.int64]) -> list[Codes]:
    """Naive: all items of an itemset go."""
    return list(itemsets)


def rarest_item(itemsets: Sequence[Codes], supports: NDArray[np.int64]) -> list[Codes]:
    """MinFIA: the item of an itemset that fewest rows hold goes; that of the lowest code where supports tie."""
    return [itemset[[np.argmin(supports[itemset])]] for itemset in itemsets]


def commonest_item(itemsets: Sequence[Codes], supports: NDArray[np.int64]) -> list[Codes]:
    """MaxFIA: the item of an itemset that most rows hold goes; that of the lowest code where supports tie."""
    return [itemset[[np.argmax(supports[itemset])]] for itemset in itemsets]


def static(problem: Problem, _victims: Sequence[Codes], rule: Rule) -> Iterator[Rows]:
    """Yield the rows that are to lose each itemset, chosen among the rows as they were."""
    for holders, many in zip(problem.holders, problem.to_lose, strict=True):
        yield _first(holders, problem.degrees, many, rule)


def dynamic(problem: Problem, victims: Sequence[Codes], rule: Rule) -> Iterator[Rows]:
    """Yield the rows that are to lose each itemset, in turn, chosen among the rows as they have become by then.

    What a row does not hold any more is no conflict. Each row has a bit for each sensitive itemset that it still holds.
    """
    held = np.zeros((len(problem.rows), _words(len(victims))), dtype=np.uint64)
    degrees = problem.degrees.copy()
    for number, holders in enumerate(problem.holders):
        kernels.hiding.note_itemset(holders, number, held)
    line, with_item, _ = _tables(problem.itemsets, problem.itemsets, len(problem.rows.labels))
    for number, (holders, many) in enumerate(zip(problem.holders, problem.to_lose, strict=True)):
        left = kernels.hiding.find_holders(holders, number, held)
        needed = many if problem.below is None else max(0, left.size - problem.below + 1)
        chosen = _first(left, degrees, min(needed, left.size), rule)
        kernels.hiding.lose_itemsets(chosen, np.bitwise_or.reduce(with_item[line[victims[number]]]), held, degrees)
        yield chosen


RULES: Final[Mapping[str, Rule]] = {
    "naive": Rule(every_item, keeps_one=True),
    "minfia": Rule(rarest_item),
    "maxfia": Rule(commonest_item),
    "iga": Rule(iga.labels, most_conflict_first=True),
}

READINGS: Final[Mapping[Reading, Callable[[Problem, Sequence[Codes], Rule], Iterator[Rows]]]] = {
    "static": static,
    "dynamic": dynamic,
}


def _first(rows: Rows, degrees: NDArray[np.int32], many: int, rule: Rule) -> Rows:
    """Return so many of the rows as come first by their degree of conflict, and then by their number."""
    chosen = np.empty(many, dtype=np.int64)
    if many:
        ranks = degrees[rows]
        kernels.hiding.choose(rows, ranks.max() - ranks if rule.most_conflict_first else ranks, chosen)
    return chosen


def _final(problem: Problem, victims: Sequence[Codes]) -> list[Codes]:
    """Return which victims of each itemset go for good, so that no row keeps them as its one item.

    It is the item of an itemset that has no other. Chosen among rows as they have become, such an item goes for good
    with any itemset: what others remove has been counted for it.
    """
    itemsets = problem.itemsets
    if problem.reading == "static":
        return [itemset[: itemset.size == 1] for itemset in itemsets]
    alone = [itemset[0] for itemset, many in zip(itemsets, problem.to_lose, strict=True) if itemset.size == 1 and many]
    return [items[np.isin(items, alone)] for items in victims]


def _words(many: int) -> int:
    return (many + 63) >> 6


def _tables(
    itemsets: Sequence[Codes], parts: Sequence[Codes], many: int
) -> tuple[NDArray[np.int32], NDArray[np.uint64], NDArray[np.uint64]]:
    """Return a line for each of ``many`` items, -1 for most; and in that line bits for the itemsets that hold it.

    Then the same for some items of each.
    """
    items = np.unique(np.concatenate(itemsets))
    line = np.full(many, -1, dtype=np.int32)
    line[items] = np.arange(items.size, dtype=np.int32)
    tables = np.zeros((2, items.size, _words(len(itemsets))), dtype=np.uint64)
    for table, listed in zip(tables, (itemsets, parts), strict=True):
        for number, itemset in enumerate(listed):
            table[line[itemset], number >> 6] |= np.uint64(1) << np.uint64(number & 63)
    return line, tables[0], tables[1]
