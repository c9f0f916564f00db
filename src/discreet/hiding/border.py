"""Border: items are removed one by one where that does the least harm to what shall still be found.

After the border-based approach of Sun and Yu, *A border-based approach for hiding sensitive frequent itemsets* (2005),
with three changes that make far fewer itemsets be lost. They protect the longest legitimate itemsets only, the border;
here all that can be lost count, since much of the border is lost in any case and what is below it should not be. An
itemset that is lost already, or cannot be lost, weighs nothing. And where the harm cannot be spread
so thinly that nothing is lost, it is better done to the itemsets of one item: that is tried as well.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.hiding.legitimate import Legitimate, bitmaps, legitimate, parts, words
from discreet.hiding.problem import Answer, Changes, Problem, changes_of, minimal
from discreet.runtime.resources import as_threads, share

STEPS: Final = 32
"""How often a sensitive itemset has its weights renewed: after each row, if it must lose fewer than twice as many."""
MOST: Final = 20_000
"""If more legitimate itemsets than these share an item with a sensitive one, every second, third … of them counts."""
TAKEN: Final = np.iinfo(np.int64).max


class Case(NamedTuple):
    """A sensitive itemset that ``many`` of ``size`` rows must lose; ``maps`` are bitmaps of these rows only."""

    others: Legitimate
    maps: NDArray[np.uint64]
    size: int
    many: int
    threads: int


def answer(problem: Problem, method: str) -> Answer:  # noqa: ARG001 - one signature for all methods
    """Return what is removed: pair by pair of a row and an item, each time the one of the least weight.

    The sensitive itemsets that hold no other one come first, then those that are still in too many rows; among them
    the longer ones first, then those of less support. For each, any of its items may be removed, or only the first,
    only the second and so on: the choice is taken that loses the fewest legitimate itemsets, the first of equal ones.

    A pair weighs as much as the legitimate itemsets together that the row holds and the item is in. One that can lose s
    rows more weighs 1 / 2 to the power of the length of s + 1 in bits: about 1 / s. It weighs nothing if it is lost, or
    if no more than s rows are left that could take it along. Where pairs tie, the first row counts, then the item of
    the lowest code.

    >>> from discreet import hide
    >>> rows = [["a", "b", "c"], ["a", "b"], ["a", "b", "d"], ["a", "c"], ["b"]]
    >>> [sorted(row) for row in hide(rows, [["a", "b"]], below=2, method="border").transactions]
    [['a', 'c'], ['b'], ['a', 'b', 'd'], ['a', 'c'], ['b']]
    """
    return Answer(least_harm(problem, legitimate(problem)))


def least_harm(problem: Problem, others: Legitimate) -> Changes:
    """Return what is removed, given the itemsets that may be lost."""
    sensitive = np.flatnonzero(problem.degrees)
    maps, slack = bitmaps(problem, others.codes, sensitive), others.slack.copy()
    rows, items = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    allowed, threads = problem.supports - np.array(problem.to_lose), as_threads(problem.threads)
    turns = in_turn(problem)
    for done, number in enumerate(turns):
        if problem.progress is not None:
            problem.progress(done / len(turns), done)
        itemset = others.places(problem.itemsets[number])
        holders = np.flatnonzero(unpacked(np.bitwise_and.reduce(maps[itemset]), sensitive.size))
        if holders.size > allowed[number]:
            narrowed = np.zeros((others.codes.size, words(holders.size)), dtype=np.uint64)
            kernels.hiding.narrow_maps(maps, holders, narrowed)
            case = Case(others, narrowed, holders.size, holders.size - int(allowed[number]), threads)
            slack, victims = _best(case, slack, itemset)
            chosen = np.flatnonzero(victims >= 0)
            kernels.hiding.clear_bits(maps, victims[chosen], holders[chosen])
            rows.append(sensitive[holders[chosen]])
            items.append(others.codes[victims[chosen]])
    if problem.progress is not None:
        problem.progress(1.0, len(turns))
    return changes_of(np.concatenate(rows), np.concatenate(items))


def in_turn(problem: Problem) -> list[int]:
    """Return the numbers of the sensitive itemsets in the order in which they are hidden."""
    first = set(minimal(problem.itemsets))
    return sorted(
        range(len(problem.itemsets)),
        key=lambda number: (number not in first, -problem.itemsets[number].size, problem.supports[number], number),
    )


def packed(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return bits, the last axis, as bitmaps.

    >>> packed(np.array([True, False, True])).tolist()
    [5]
    """
    room = np.zeros((*bits.shape[:-1], 64 * words(bits.shape[-1])), dtype=np.bool_)
    room[..., : bits.shape[-1]] = bits
    return np.packbits(room, axis=-1, bitorder="little").view(np.dtype("<u8")).astype(np.uint64)


def unpacked(bitmap: NDArray[np.uint64], size: int) -> NDArray[np.bool_]:
    """Return the first bits of a bitmap.

    >>> unpacked(packed(np.array([True, False, True])), 3).tolist()
    [True, False, True]
    """
    octets = bitmap.astype(np.dtype("<u8")).view(np.uint8)
    return np.unpackbits(octets, count=size, bitorder="little").astype(np.bool_)


def _best(
    case: Case, slack: NDArray[np.int64], itemset: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return what slack is left, and what each row loses: an item, by its place, or -1.

    By the choice of items that loses the fewest legitimate itemsets: any of the itemset, or only one of them.
    """
    choices = [itemset, *(itemset[at : at + 1] for at in range(itemset.size) if itemset.size > 1)]
    tried = (_tried(case, slack, choice) for choice in choices)
    return min(tried, key=lambda one: np.count_nonzero(one[0] < 0))


def _tried(
    case: Case, slack: NDArray[np.int64], choice: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the same for one choice of items."""
    wanted = np.zeros(case.others.codes.size, dtype=np.bool_)
    wanted[choice] = True
    touching = kernels.hiding.find_touched(case.others.offsets, case.others.items, wanted)
    numbers = np.flatnonzero(touching & (slack >= 0))
    some, room = numbers[:: max(1, -(-numbers.size // MOST))], slack.copy()
    lost = np.zeros((choice.size, case.size), dtype=np.bool_)
    gone, step = lost.copy(), max(1, case.many // STEPS)
    for left in range(case.many, 0, -step):
        is_open = np.logical_not(lost.any(axis=0))
        scores = _scores(case, room, choice, some, is_open, gone)
        rows = np.argsort(np.where(is_open, scores.min(axis=0), TAKEN), kind="stable")[: min(step, left)]
        gone[:] = False
        gone[scores[:, rows].argmin(axis=0), rows] = True
        lost |= gone
    after = slack.copy()
    _scores(case, after, choice, numbers, np.zeros(case.size, dtype=np.bool_), lost)
    return after, np.where(lost.any(axis=0), choice[lost.argmax(axis=0)], -1)


def _scores(
    case: Case,
    slack: NDArray[np.int64],
    choice: NDArray[np.int64],
    numbers: NDArray[np.int64],
    is_open: NDArray[np.bool_],
    gone: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """Return what each item weighs in each row that is open, after some have gone; ``slack`` is brought up to date."""
    others, open_, gone_ = case.others, packed(is_open), packed(gone)
    place = np.full(others.codes.size, -1, dtype=np.int64)
    place[choice] = np.arange(choice.size)
    heaviest = int(slack[numbers].max(initial=0) + 1).bit_length()
    lines = heaviest + int(numbers.size).bit_length() + 1

    def weigh(start: int, stop: int) -> NDArray[np.uint64]:
        planes = np.zeros((choice.size, lines, open_.size), dtype=np.uint64)
        part, sets = numbers[start:stop], (others.offsets, others.items)
        kernels.hiding.weigh_losses(*sets, part, slack, case.maps, open_, place, gone_, heaviest, planes)
        return planes

    scores = np.zeros((choice.size, 64 * open_.size), dtype=np.int64)
    for planes in share(weigh, parts(numbers.size, case.threads), case.threads):
        kernels.hiding.add_planes(planes, scores)
    return scores[:, : case.size]
