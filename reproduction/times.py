"""How long the detectors take: those of the papers as they are printed, and ours. Times are of this machine."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from time import perf_counter
from typing import Final

import numpy as np

from discreet.data.lattice import build_family
from discreet.data.patterns import Patterns
from discreet.data.transactions import Transactions
from discreet.disclosure.detect import Method, detect
from discreet.errors import BudgetError
from discreet.io.datasets import load
from discreet.mining.mine import mine
from reproduction.figure import Point, chosen

SECONDS: Final = "seconds"
NAIVE, OICD, PMICD, OURS = "naive", "closed (OICD)", "projection (PMICD)", "auto (ours)"
METHODS: Final[Mapping[str, Method]] = {NAIVE: "naive", OICD: "closed", PMICD: "projection", OURS: "auto"}
"""The methods of ``detect``, with the names that the papers give them."""
MOST_FREQUENT: Final = 1_000_000
MOST_TERMS: Final = 3 * 10**9
"""Supports that "naive" may sum up: some 20 seconds."""
MOST_LOOKS: Final = 3 * 10**10
"""Supports that "closed" may look at: some 20 seconds."""
MOST_PAIRS: Final = 2 * 10**7
"""Pairs of a maximal and a closed itemset up to which these are counted; beyond, they are too many."""
PRINTED: Final = {
    ("mushroom", "10%", "closed itemsets"): 4885,
    ("mushroom", "15%", "closed itemsets"): 2261,
    ("mushroom", "15%", "maximal itemsets"): 321,
    ("chess", "75%", "closed itemsets"): 11525,
    ("chess", "80%", "closed itemsets"): 5083,
    ("chess", "80%", "maximal itemsets"): 226,
}
"""What WAIM 2008 says about its data: numbers of itemsets, the empty one left aside."""
MACHINE: Final = "Times are of this machine, each detector run once."


def seconds(*names: str) -> Callable[[str, Transactions, Sequence[str], Sequence[int]], Iterator[Point]]:
    """Return what yields the seconds that each of these detectors takes, once, for each minimum support and k."""

    def points(data: str, rows: Transactions, shares: Sequence[str], ks: Sequence[int]) -> Iterator[Point]:
        example = load("pkdd2005")
        for name in names:  # so that what is measured later is compiled and loaded
            _timed(METHODS[name], example, mine(example, min_support=6), 3)
        for share in shares:
            closed = mine(rows, min_support=share)
            sizes = {"closed itemsets": closed, "maximal itemsets": mine(rows, min_support=share, kind="maximal")}
            for measure, patterns in sizes.items():
                size = len(patterns) - ([] in patterns)
                yield Point(measure, data, share, closed.min_support, ks[0], "", size)
            for k in ks:
                for name in names:
                    taken = _timed(METHODS[name], rows, closed, k)
                    yield Point(SECONDS, data, share, closed.min_support, k, name, taken)

    return points


def faster(points: Sequence[Point], one: str, other: str) -> str:
    """Return at how many points one detector was faster than another, of those where both were measured.

    >>> faster([Point("seconds", "d", "10%", 2, 3, name, value) for name, value in (("a", 1), ("b", 2))], "a", "b")
    '1 of 1 points'
    """
    times = {name: {point[1:5]: point.value for point in chosen(points, method=name)} for name in (one, other)}
    pairs = [(value, times[other][key]) for key, value in times[one].items()]
    both = [(left, right) for left, right in pairs if left is not None and right is not None]
    return f"{sum(left < right for left, right in both)} of {len(both)} points"


def over_share(points: Sequence[Point]) -> Iterator[str]:
    """Yield where PMICD was faster than OICD: in the paper, where the minimum support is low."""
    lowest = min(points, key=lambda point: point.min_support)
    there = faster(chosen(points, min_support=lowest.min_support), PMICD, OICD)
    yield (
        f"In the paper, PMICD is faster than OICD where the minimum support is low: here at {there} with the lowest, "
        f"{lowest.share}, and at {faster(points, PMICD, OICD)} in all. {_others(points)}"
    )


def over_k(points: Sequence[Point]) -> Iterator[str]:
    """Yield where PMICD was faster than OICD: in the paper, for every k."""
    yield (
        f"In the paper, PMICD is faster than OICD for every k: here at {faster(points, PMICD, OICD)}. {_others(points)}"
    )
    if spread := _spread(points):
        yield f"In the paper, times hardly change with k: here, the slowest run over the fastest, {spread}."


def closed_first(points: Sequence[Point]) -> Iterator[str]:
    """Yield where Algorithm 2 was faster than the naive one: in the paper, everywhere."""
    yield (
        f"In the paper, Algorithm 2 (OICD) is faster than the naive one: here at {faster(points, OICD, NAIVE)}. Ours is"
        f" faster than OICD at {faster(points, OURS, OICD)}. {MACHINE}"
    )


def _others(points: Sequence[Point]) -> str:
    """Return where ours was faster, and whether the numbers of itemsets are those that the paper names."""
    places = [((point.data, point.share, point.measure), point.value) for point in points]
    named = [PRINTED[place] == value for place, value in places if place in PRINTED]
    told = f" {sum(named)} of {len(named)} numbers of itemsets are those that the paper names." if named else ""
    return f"Ours is faster than PMICD at {faster(points, OURS, PMICD)}. {MACHINE}{told}"


def _spread(points: Sequence[Point]) -> str:
    """Return how many times the fastest run of each paper's detector the slowest took."""
    times = {name: [point.value for point in chosen(points, method=name) if point.value] for name in (OICD, PMICD)}
    return " and ".join(f"{name} {max(taken) / min(taken):.1f}" for name, taken in times.items() if taken)


def _timed(method: Method, rows: Transactions, closed: Patterns, k: int) -> float | None:
    """Return the seconds of a detector on what its paper gives it; None if it would take too long."""
    try:
        patterns = _given(method, rows, closed)
        if not _is_affordable(method, patterns):
            return None
        start = perf_counter()
        detect(patterns, k=k, rows=rows if method == "projection" else None, method=method, threads=1)
        return round(perf_counter() - start, 6)
    except BudgetError:
        return None


def _given(method: Method, rows: Transactions, closed: Patterns) -> Patterns:
    """Return the itemsets that a detector begins with: finding them is no part of its time, as in the papers."""
    if method == "naive":
        return mine(rows, min_support=closed.min_support, kind="frequent", max_patterns=MOST_FREQUENT)
    return mine(rows, min_support=closed.min_support, kind="maximal") if method == "projection" else closed


def _is_affordable(method: Method, patterns: Patterns) -> bool:
    """Return whether a detector ends within half a minute or so, by the number of supports that it looks at."""
    if method == "naive":
        lengths = Counter(np.diff(patterns.offsets).tolist())
        return sum(many * int(3**length) for length, many in lengths.items()) <= MOST_TERMS
    if method != "closed":
        return True
    family = build_family(patterns)
    bits = [sum(1 << item for item in family.items[one:two].tolist()) for one, two in pairwise(family.offsets.tolist())]
    tops = [bits[number] for number in family.tops.tolist()]
    return len(tops) * len(bits) <= MOST_PAIRS and sum(_looks(top, bits) for top in tops) <= MOST_LOOKS


def _looks(top: int, closed: Sequence[int]) -> int:
    """Return how many supports Algorithm 2 looks at below a top: in each term of a sum, those of its closed itemsets.

    Itemsets are whole numbers here, a bit an item: under the top 11, the base 01 has a sum of two terms.

    >>> _looks(0b11, [0b01, 0b11, 0b100])
    6
    """
    bases = [base for base in closed if base & top == base]
    return len(bases) * sum(1 << (top ^ base).bit_count() for base in bases)
