"""Border: remove items one by one, where that does the least harm to other frequent itemsets.

This follows Sun and Yu (2005), with changes that lose far fewer itemsets: all legitimate itemsets that can be lost
count, not only the longest; lost ones weigh nothing; and harm to the itemsets of one item alone is tried too.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Items, Itemsets
from discreet.data.patterns import Patterns
from discreet.errors import BudgetError
from discreet.hiding.measures import mark_restricted
from discreet.hiding.problem import HidingProblem, Removals, Solution, list_removals
from discreet.hiding.victims import count_words, number_lines
from discreet.mining.mine import Budget, mine
from discreet.runtime.resources import as_threads, share
from discreet.runtime.solver import Numbers

STEPS: Final = 32  # how often the weights of a sensitive itemset are renewed
MOST_WEIGHED: Final = 20_000  # if more legitimate itemsets share an item with a sensitive one, only some are weighed
MOST_FREQUENT: Final = 10_000_000  # if more itemsets are frequent, only those up to a length count:
LENGTHS: Final = (None, 6, 4, 3, 2, 1)  # the longest of these at which they are not too many
TAKEN: Final = np.iinfo(np.int64).max  # the weight of an item in a row that has lost one

Marks: TypeAlias = NDArray[np.bool_]
Bitmaps: TypeAlias = NDArray[np.uint64]


class Legitimate(NamedTuple):
    """Legitimate itemsets that can be lost, in dictionary order; items are places in ``codes``.

    An itemset can lose ``slack`` more rows and stay frequent. Items of sensitive itemsets have places too.
    """

    codes: Items
    itemsets: Itemsets
    slack: Numbers

    def find_places(self, codes: Items) -> Numbers:
        """Return the places of these items."""
        return np.searchsorted(self.codes, codes)


class Case(NamedTuple):
    """A sensitive itemset that ``many`` of ``size`` rows must lose; ``maps`` are bitmaps of these rows only."""

    others: Legitimate
    maps: Bitmaps
    size: int
    many: int
    threads: int


def solve(problem: HidingProblem) -> Solution:
    """Remove pairs of a row and an item, each time the pair of least weight.

    Sensitive itemsets that hold no other one come first; then longer ones, and those of lower support. For each, the
    candidates are all of its items, or only one: the first choice that loses the fewest legitimate itemsets is taken.

    A pair weighs as much as all legitimate itemsets that the row holds and the item is in. An itemset that can lose s
    more rows weighs 1 / 2^b where b is the bit length of s + 1, so about 1 / s. It weighs nothing if it is lost, or if
    at most s rows are left that could take it along. Ties go to the first row, then to the lowest code.

    >>> from discreet import hide
    >>> rows = [["a", "b", "c"], ["a", "b"], ["a", "b", "d"], ["a", "c"], ["b"]]
    >>> [sorted(row) for row in hide(rows, [["a", "b"]], below=2, method="border").transactions]
    [['a', 'c'], ['b'], ['a', 'b', 'd'], ['a', 'c'], ['b']]
    """
    return Solution(minimise_harm(problem, find_legitimate(problem)))


def find_legitimate(problem: HidingProblem) -> Legitimate:
    """Return the itemsets that hiding may lose: frequent, not restricted, and sharing an item with a sensitive itemset.

    An itemset is frequent at ``min_support``; without it at ``below``, or else at the least support of a sensitive
    itemset: at more, a miner would not have found them all.
    """
    least = problem.min_support or problem.below or max(1, int(problem.supports.min(initial=len(problem.rows))))
    frequent = _mine_frequent(problem, least)
    used = np.zeros(len(frequent.labels), dtype=np.bool_)
    used[problem.itemsets.entries] = True
    can_be_lost = kernels.hiding.find_touched(frequent.offsets, frequent.items, used)
    can_be_lost &= ~mark_restricted(frequent, problem.itemsets)
    itemsets = frequent.itemsets.take(np.flatnonzero(can_be_lost))
    used[itemsets.items] = True
    codes = np.flatnonzero(used).astype(np.int32)
    places = Itemsets(itemsets.offsets, number_lines(codes, used.size)[itemsets.items])
    return Legitimate(codes, places, frequent.supports[can_be_lost] - least)


def _mine_frequent(problem: HidingProblem, least: int, lengths: Sequence[int | None] = LENGTHS) -> Patterns:
    limits: Budget = {"threads": problem.threads, "max_patterns": MOST_FREQUENT}
    try:
        return mine(problem.rows, min_support=least, kind="frequent", max_length=lengths[0], **limits)
    except BudgetError:
        if len(lengths) == 1:
            raise
        return _mine_frequent(problem, least, lengths[1:])


def map_items(problem: HidingProblem, codes: Items, rows: Numbers) -> Bitmaps:
    """Return for each of these items a bitmap of the ``rows`` that hold it, numbered as they stand."""
    maps = np.zeros((codes.size, count_words(rows.size)), dtype=np.uint64)
    kernels.hiding.map_rows(*problem.rows.itemsets.flat, rows, number_lines(codes, len(problem.rows.labels)), maps)
    return maps


def count_lost(problem: HidingProblem, others: Legitimate, removals: Removals) -> int:
    """Return how many legitimate itemsets are no longer frequent after the removals."""
    maps = map_items(problem, others.codes, removals.rows)
    left = maps.copy()
    kernels.hiding.clear_bits(left, others.find_places(removals.items), removals.owners)
    threads = as_threads(problem.threads)
    before, after = (count_holders(others, which, threads) for which in (maps, left))
    return int(np.count_nonzero(before - after > others.slack))


def count_holders(others: Legitimate, maps: Bitmaps, threads: int) -> Numbers:
    """Return how many rows of the bitmaps hold each legitimate itemset."""
    counts = np.zeros(others.slack.size, dtype=np.int64)

    def count(start: int, stop: int) -> None:
        kernels.hiding.count_rows(*others.itemsets.flat, start, stop, maps, counts)

    share(count, _split(counts.size, threads), threads)
    return counts


def minimise_harm(problem: HidingProblem, others: Legitimate) -> Removals:
    """Return the removals that do the least harm to ``others``, as ``solve`` says."""
    sensitive = np.flatnonzero(problem.degrees)
    maps, slack, pairs = map_items(problem, others.codes, sensitive), others.slack.copy(), []
    allowed, threads = problem.supports - problem.to_lose, as_threads(problem.threads)
    order, tell = _order_itemsets(problem), problem.progress or (lambda *_: None)
    for done, number in enumerate(order):
        tell(done / len(order), done)
        itemset = others.find_places(problem.itemsets[number])
        holders = np.flatnonzero(unpack_bits(np.bitwise_and.reduce(maps[itemset]), sensitive.size))
        if holders.size > allowed[number]:
            narrowed = np.zeros((others.codes.size, count_words(holders.size)), dtype=np.uint64)
            kernels.hiding.narrow_maps(maps, holders, narrowed)
            case = Case(others, narrowed, holders.size, holders.size - int(allowed[number]), threads)
            slack, victims = _choose_victims(case, slack, itemset)
            chosen = np.flatnonzero(victims >= 0)
            kernels.hiding.clear_bits(maps, victims[chosen], holders[chosen])
            pairs.append((sensitive[holders[chosen]], others.codes[victims[chosen]]))
    tell(1.0, len(order))
    return list_removals(pairs)


def _order_itemsets(problem: HidingProblem) -> list[int]:
    """Return the numbers of the sensitive itemsets in the order in which they are hidden."""
    sets = [frozenset(itemset.tolist()) for itemset in problem.itemsets]
    holds_other = [any(other < one for other in sets) for one in sets]
    return sorted(range(len(sets)), key=lambda one: (holds_other[one], -len(sets[one]), problem.supports[one], one))


def _pack_bits(bits: Marks) -> Bitmaps:
    room = np.zeros((*bits.shape[:-1], 64 * count_words(bits.shape[-1])), dtype=np.bool_)
    room[..., : bits.shape[-1]] = bits
    return np.packbits(room, axis=-1, bitorder="little").view(np.dtype("<u8")).astype(np.uint64)


def unpack_bits(bitmap: Bitmaps, size: int) -> Marks:
    """Return the first bits of a bitmap.

    >>> unpack_bits(np.array([5], np.uint64), 3).tolist()
    [True, False, True]
    """
    octets = bitmap.astype(np.dtype("<u8")).view(np.uint8)
    return np.unpackbits(octets, count=size, bitorder="little").astype(np.bool_)


def _split(size: int, threads: int) -> list[tuple[int, int]]:
    return [(size * part // threads, size * (part + 1) // threads) for part in range(threads)]


def _choose_victims(case: Case, slack: Numbers, itemset: Numbers) -> tuple[Numbers, Numbers]:
    """Return the slack that is left, and the place of the item that each row loses, or -1.

    Candidates are all items of the itemset, or only one: whichever loses the fewest legitimate itemsets.
    """
    best, most = (slack, np.full(case.size, -1)), slack.size + 1
    for choice in [itemset, *(itemset[:, None] if itemset.size > 1 else ())]:
        if (found := _try_items(case, slack, choice, most)) is not None:
            best, most = found, int(np.count_nonzero(found[0] < 0))
    return best


def _try_items(case: Case, slack: Numbers, choice: Numbers, most: int) -> tuple[Numbers, Numbers] | None:
    """Return the same for some candidates; None if, and as soon as, ``most`` legitimate itemsets are lost or more."""
    wanted = np.zeros(case.others.codes.size, dtype=np.bool_)
    wanted[choice] = True
    touching = kernels.hiding.find_touched(*case.others.itemsets.flat, wanted)
    numbers = np.flatnonzero(touching & (slack >= 0))
    lost_before = int(np.count_nonzero(slack < 0))
    some = numbers[:: max(1, -(-numbers.size // MOST_WEIGHED))]
    weights, victims = _Weights(case, slack, choice, some), np.full(case.size, -1, dtype=np.int64)
    step = max(1, case.many // STEPS)
    for left in range(case.many, 0, -step):
        is_open = victims < 0
        scores = weights.add_up(is_open)
        rows = np.argsort(np.where(is_open, scores.min(axis=0), TAKEN), kind="stable")[: min(step, left)]
        victims[rows] = scores[:, rows].argmin(axis=0)
        weights.take(rows, victims[rows])
        if lost_before + np.count_nonzero(weights.slack[some] < 0) >= most:
            return None
    every = _Weights(case, slack, choice, numbers)
    rows = np.flatnonzero(victims >= 0)
    every.take(rows, victims[rows])
    victims[rows] = choice[victims[rows]]
    return (every.slack, victims) if np.count_nonzero(every.slack < 0) < most else None


class _Weights:
    """The weight of each candidate in each row: that of the legitimate itemsets ``numbers`` that could be lost."""

    def __init__(self, case: Case, slack: Numbers, choice: Numbers, numbers: Numbers) -> None:
        self.case, self.slack, self.numbers = case, slack.copy(), numbers
        self.place = np.full(case.others.codes.size, -1, dtype=np.int64)
        self.place[choice] = np.arange(choice.size)
        self.parts = _split(numbers.size, case.threads)
        self.left, self.lines = np.full(numbers.size, -1), np.full(numbers.size, -1)
        self.heaviest = int(slack[numbers].max(initial=0) + 1).bit_length()
        size = choice.size, self.heaviest + int(numbers.size).bit_length() + 1, case.maps.shape[1]
        self.planes = np.zeros((len(self.parts), *size), dtype=np.uint64)

    def add_up(self, is_open: Marks) -> Numbers:
        """Return the weight of each candidate in each open row."""
        open_, sets = _pack_bits(is_open), self.case.others.itemsets.flat

        def weigh(start: int, stop: int) -> None:
            own = self.numbers[start:stop], self.slack, self.left[start:stop], self.lines[start:stop]
            planes = self.planes[self.parts.index((start, stop))]
            kernels.hiding.weigh_losses(*sets, *own, self.case.maps, open_, self.place, self.heaviest, planes)

        share(weigh, self.parts, self.case.threads)
        scores = np.zeros((self.planes.shape[1], 64 * open_.size), dtype=np.int64)
        for planes in self.planes:
            kernels.hiding.add_planes(planes, open_, scores)
        return scores[:, : self.case.size]

    def take(self, rows: Numbers, places: Numbers) -> None:
        """Take from each row the candidate of that place."""
        maps = np.zeros((self.place.size, count_words(rows.size)), dtype=np.uint64)
        kernels.hiding.narrow_maps(self.case.maps, rows, maps)
        gone, sets = _pack_bits(places == np.arange(self.planes.shape[1])[:, None]), self.case.others.itemsets.flat

        def take(start: int, stop: int) -> None:
            own = self.numbers[start:stop], maps, self.place, gone, self.slack, self.left[start:stop]
            kernels.hiding.take_rows(*sets, *own)

        share(take, self.parts, self.case.threads)
