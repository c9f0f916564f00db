"""What hiding costs and how long it takes: the experiments of Oliveira and Zaïane (2002), on rows of that shape."""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from time import process_time
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.data.generate import quest
from discreet.data.itemsets import Itemset
from discreet.data.patterns import Patterns
from discreet.data.transactions import Transactions
from discreet.hiding.hide import hide
from discreet.hiding.measures import Yardstick
from discreet.io.inverted import InvertedFile
from discreet.mining.mine import mine
from reproduction.figure import Axis, Point, chosen, steps

Measured: TypeAlias = Callable[[str, Transactions, Sequence[str], Sequence[int]], Iterator[Point]]

METHODS: Final[tuple[str, ...]] = ("naive", "minfia", "maxfia", "iga")
FAILURE: Final = "hiding failure, %"
MISSES: Final = "misses cost, %"
DISSIMILARITY: Final = "dissimilarity, %"
FIELDS: Final = {FAILURE: "hiding_failure", MISSES: "misses_cost", DISSIMILARITY: "dissimilarity"}
FREQUENT: Final = "frequent itemsets"
RESTRICTED: Final = "restricted itemsets"
BY_ROWS: Final = "CPU seconds, by rows"
BY_ITEMSETS: Final = "CPU seconds, by sensitive itemsets"
PRINTED: Final = {
    MISSES: {"naive": 90.0, "maxfia": 69.0, "minfia": 65.0, "iga": 44.0},
    DISSIMILARITY: {"naive": 16.41, "maxfia": 6.78, "minfia": 6.35, "iga": 3.55},
}
"""What the paper prints for a disclosure of 0 and a minimum support of 10 %, in percent."""
PRINTED_SIZES: Final = {FREQUENT: 1_866_693, RESTRICTED: 22_479}
CROSSING: Final = 40
"""The disclosure, in percent, up to which IGA misses the least in the paper."""
SHARE: Final = "10%"
"""The minimum support at which the sensitive itemsets are chosen."""
LENGTHS: Final = (2, 3, 4, 5)
SUPPORTS: Final = (Fraction(20, 100), Fraction(40, 100))
MOST_RESTRICTED: Final = Fraction(1, 100)
"""How many of the frequent itemsets one that is chosen should restrict at most: in the paper, ten restrict 1.2 %."""
MANY: Final = 10
SHORTEST: Final = 40
"""Items of a row at least, as in the paper."""
RUNS: Final = 3
NOTHING: Final = "There is nothing to hide: no itemset of two to five items is held by 20 to 40 % of the rows."


def quest_rows(n: int = 100_000) -> Transactions:
    """Return rows of the shape that the paper tells of: 500 items, none of the rows has fewer than 40 of them.

    The first ``n`` long enough of 1.05 n that the Quest generator makes; the other parameters are ours, chosen so that
    about as many itemsets are frequent, and restricted, as in the paper: docs/reproduction.md says among which.
    """
    rows = quest(n + n // 20, items=500, length=75, patterns=150, pattern_length=16, seed=21)
    lengths = np.diff(rows.offsets)
    taken = (lengths >= SHORTEST) & (np.cumsum(lengths >= SHORTEST) <= n)
    offsets = np.concatenate([[0], np.cumsum(lengths[taken])]).astype(np.int64)
    return Transactions.from_codes(offsets, rows.items[np.repeat(taken, lengths)], rows.labels)


def sensitive_itemsets(rows: Transactions) -> list[Itemset]:
    """Return ten itemsets to be hidden, of two to five items, each held by 20 to 40 % of the rows; fewer if need be.

    They are chosen by one rule, and none is a part of another. Each restricts at most a hundredth of the itemsets that
    are frequent at 10 %, if there is such a one; is as near as can be to the length that is its turn (2, 3, 4, 5,
    2 and so on); and shares an item with those before it if it is the second, fourth and so on, and none if it is not.
    Of several the one with the most support is taken, then the first in dictionary order.

    >>> rows = Transactions([["a", "b"], ["a", "b"], ["b", "c"], ["c"], ["d"]])
    >>> [sorted(itemset) for itemset in sensitive_itemsets(rows)]
    [['a', 'b'], ['b', 'c']]
    """
    found = mine(rows, min_support=SHARE, kind="frequent")
    lengths, least, most = np.diff(found.offsets), *(share * len(rows) for share in SUPPORTS)
    fits = (lengths >= min(LENGTHS)) & (lengths <= max(LENGTHS))
    fits &= (found.supports >= math.ceil(least)) & (found.supports <= math.floor(most))
    numbers = np.flatnonzero(fits)
    numbers = numbers[np.argsort(-found.supports[numbers], kind="stable")]
    restricts_many = _restricted(found, numbers) > math.floor(MOST_RESTRICTED * len(found))
    free = [(frozenset(found.codes(one)), many) for one, many in zip(numbers.tolist(), restricts_many, strict=True)]
    picked: list[frozenset[int]] = []
    for turn in range(MANY):
        free = [(one, many) for one, many in free if not any(one <= other or other <= one for other in picked[-1:])]
        used, length = frozenset[int]().union(*picked), LENGTHS[turn % len(LENGTHS)]
        ranks = [(many, abs(len(one) - length), one.isdisjoint(used) == bool(turn % 2)) for one, many in free]
        if free:
            picked.append(free[ranks.index(min(ranks))][0])
    return [frozenset(rows.labels[item] for item in itemset) for itemset in picked]


def measured(names: Sequence[str], methods: Sequence[str] = METHODS) -> Measured:
    """Return what yields these measures of these methods for each minimum support and each disclosure in percent."""

    def points(data: str, rows: Transactions, shares: Sequence[str], percents: Sequence[int]) -> Iterator[Point]:
        sensitive = sensitive_itemsets(rows)
        if not sensitive:
            return
        yardstick, index = Yardstick.of(rows, sensitive, shares), InvertedFile(rows)
        for share, found in zip(shares, yardstick.measure(rows), strict=True):
            for name, size in {FREQUENT: found.before, RESTRICTED: found.restricted_before}.items():
                yield Point(name, data, share, found.min_support, 0, "", size)
        for percent in percents:
            for method in methods:
                hidden = hide(rows, sensitive, disclosure=Fraction(percent, 100), method=method, index=index)
                for share, found in zip(shares, yardstick.measure(hidden.transactions), strict=True):
                    for name in names:
                        value = round(100 * float(getattr(found, FIELDS[name])), 4)
                        yield Point(name, data, share, found.min_support, 0, method, value, f"{percent}%")

    return points


def times_by_rows(data: str, rows: Transactions, shares: Sequence[str], percents: Sequence[int]) -> Iterator[Point]:
    """Yield the CPU time of each method for the first rows, so many of them in percent, at a disclosure of 0."""
    sensitive = sensitive_itemsets(rows)
    for percent in percents if sensitive else ():
        part = rows[: len(rows) * percent // 100]
        known = [itemset for itemset in sensitive if part.support(itemset)]
        for method in METHODS if known else ():
            taken = _seconds(part, known, method)
            yield Point(BY_ROWS, data, shares[0], 0, 0, method, taken, "0%", len(part), len(known))


def times_by_itemsets(data: str, rows: Transactions, shares: Sequence[str], counts: Sequence[int]) -> Iterator[Point]:
    """Yield the CPU time of each method for so many of the sensitive itemsets, at a disclosure of 0."""
    sensitive = sensitive_itemsets(rows)
    for many in counts:
        for method in METHODS if sensitive[:many] else ():
            taken = _seconds(rows, sensitive[:many], method)
            yield Point(BY_ITEMSETS, data, shares[0], 0, 0, method, taken, "0%", len(rows), len(sensitive[:many]))


def over_disclosure(points: Sequence[Point]) -> Iterator[str]:
    """Yield how misses and failures stand against what is printed for figure 5."""
    yield from _sizes(points)
    if not points:
        return
    yield from _printed(points, MISSES)
    failures = chosen(points, measure=FAILURE, disclosure="0%")
    yield (
        "In the paper, nothing restricted is found at a disclosure of 0: here so for "
        f"{sum(point.value == 0 for point in failures)} of {len(failures)} methods."
    )
    low = [point for point in points if _percent(point) <= CROSSING]
    high = [point for point in points if _percent(point) > CROSSING]
    yield (
        f"In the paper, iga misses the least up to a disclosure of {CROSSING} %, and minfia and maxfia miss less "
        f"beyond: here iga misses no more than any other at {_least(low, MISSES)} up to there, and at "
        f"{_least(high, MISSES)} beyond. In the paper, its hiding failure is the lowest: here none is lower at "
        f"{_least(points, FAILURE)}."
    )


def over_support(points: Sequence[Point]) -> Iterator[str]:
    """Yield how failures and misses go with the minimum support: figures 6 to 9."""
    yield from _sizes(points)
    if not points:
        return
    yield (
        "In the paper, more is hidden and more is missed as the minimum support rises: here the hiding failure never "
        f"rises in {steps(points, FAILURE, 'share', rises=False)}, and the misses cost never falls in "
        f"{steps(points, MISSES, 'share', rises=True)}."
    )


def dissimilar(points: Sequence[Point]) -> Iterator[str]:
    """Yield how the dissimilarity stands against what is printed for figure 10."""
    yield from _sizes(points)
    if not points:
        return
    yield from _printed(points, DISSIMILARITY)
    yield (
        "In the paper, iga changes the least at every disclosure: here no other changes less at "
        f"{_least(points, DISSIMILARITY)}. As the disclosure rises, the dissimilarity never rises in "
        f"{steps(points, DISSIMILARITY, 'disclosure', rises=False)}."
    )


def linear(axis: Axis) -> Callable[[Sequence[Point]], Iterator[str]]:
    """Return what yields how the time grows along an axis: figure 11."""

    def told(points: Sequence[Point]) -> Iterator[str]:
        if not points:
            yield NOTHING
            return
        ends = [pick(int(getattr(point, axis)) for point in points) for pick in (min, max)]
        times = {
            method: [point.value or 0 for at in ends for point in chosen(points, method=method, **{axis: at})]
            for method in METHODS
        }
        grown = ", ".join(f"{method} {last / max(first, 1e-6):.1f}" for method, (first, *_, last) in times.items())
        what = {"n": "rows", "itemsets": "sensitive itemsets"}[axis]
        yield (
            f"In the paper, time grows almost linearly: here {ends[1] / ends[0]:.3g} times as many {what} take, times "
            f"as long, {grown}. Times are of this machine, each with the index, the best of {RUNS} runs."
        )

    return told


def _restricted(found: Patterns, numbers: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return how many of the itemsets hold each of some of them: an inverted file whose rows are the itemsets."""
    listed = InvertedFile(Transactions.from_codes(found.offsets.copy(), found.items.copy(), found.labels))
    wanted = [found.items[found.offsets[one] : found.offsets[one + 1]] for one in numbers.tolist()]
    return np.array([rows.size for rows in listed.rows_of_each(wanted)], dtype=np.int64)


def _seconds(rows: Transactions, sensitive: Sequence[Itemset], method: str) -> float:
    """Return how much CPU time, as in the paper, a method takes from rows to rows, with the index: the best of some."""
    times = []
    for _ in range(RUNS):
        start = process_time()
        hide(rows, sensitive, method=method)
        times.append(process_time() - start)
    return round(min(times), 4)


def _sizes(points: Sequence[Point]) -> Iterator[str]:
    """Yield how many itemsets are frequent, and restricted, at the lowest minimum support; or that nothing is there."""
    if not points:
        yield NOTHING
        return
    least = min(point.min_support for point in points)
    many, few = (chosen(points, measure=name, min_support=least)[0] for name in (FREQUENT, RESTRICTED))
    paper, hidden = PRINTED_SIZES[FREQUENT], PRINTED_SIZES[RESTRICTED]
    yield (
        f"At {many.share}, {many.value:,} itemsets are frequent and {few.value:,} of them restricted; in the paper "
        f"{paper:,} and {hidden:,}."
    )


def _printed(points: Sequence[Point], measure: str) -> Iterator[str]:
    """Yield what a measure is at a disclosure of 0, beside what is printed, and how many pairs are in that order."""
    values = {point.method: point.value or 0.0 for point in chosen(points, measure=measure, disclosure="0%")}
    told = ", ".join(f"{method} {values[method]:.4g} ({printed:g})" for method, printed in PRINTED[measure].items())
    pairs = list(combinations(PRINTED[measure], 2))
    kept = sum(values[more] > values[less] for more, less in pairs)
    yield (
        f"At a disclosure of 0, {measure.removesuffix(', %')} in %, in brackets that of the paper: {told}. {kept} of "
        f"{len(pairs)} pairs of methods are in the order of the paper."
    )


def _least(points: Sequence[Point], measure: str) -> str:
    """Return at how many disclosures no method has less of a measure than iga."""
    curves: dict[str, dict[str, float]] = {}
    for point in chosen(points, measure=measure):
        curves.setdefault(point.disclosure, {})[point.method] = point.value or 0.0
    held = sum(values["iga"] <= min(values.values()) for values in curves.values())
    return f"{held} of {len(curves)} disclosures"


def _percent(point: Point) -> int:
    return int(point.disclosure.removesuffix("%") or 0)
