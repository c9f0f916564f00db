"""Differences: rows that hold a listed itemset but not all of a larger one, if some supports between are unknown.

In a complete list each difference is a sum of cells, and ``sums`` finds the small cells. Maximal itemsets, lists with
gaps and limits leave cells open whose sum is known: if 5 of n = 7 rows hold a and b, 2 rows lack one of them.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Final, TypeAlias

from discreet import kernels
from discreet.disclosure.attacks.certificate import Certificate, Claim, Sum
from discreet.disclosure.attacks.closure import Budget, list_known
from discreet.disclosure.attacks.facts import Codes, Facts, Relation
from discreet.disclosure.attacks.finding import Finding, Searched, Undecided
from discreet.disclosure.attacks.formula import Pattern, subsets

Pair: TypeAlias = tuple[Codes, Codes]
"""An itemset that rows hold, and a larger one that they do not hold whole."""

LONGEST: Final = 12
"""Most items that a pattern adds to its base: its cells grow as a power of two."""
CELLS: Final = 1 << 20
"""Most cells of all findings together."""


def infer(facts: Facts, k: int, budget: Budget) -> Searched:
    """Return the listed itemsets of 1 to k − 1 rows, and pairs that differ by so many, by their limits alone.

    Findings that follow from cells of known supports are left out.

    >>> facts = Facts.from_limits([(["a", "b"], 5, 5)], n=7)
    >>> print(*infer(facts, 5, Budget()).findings)
    ¬(a ∧ b): 2 rows
    """
    if facts.inherited:
        return Searched([])
    summed, said = _list_summed(facts, budget), _least_differences(facts)
    findings: list[Finding] = []
    cells, long, more = 0, 0, 0
    for base, top in dict.fromkeys(_pairs(facts, said, k, budget.findings + 1)):
        if top in summed:
            continue
        if len(top - base) > LONGEST:
            long += 1
        elif len(findings) < budget.findings and cells < CELLS:
            findings.append(Finding(Certificate(_claim(facts, said, base, top)), "plain", facts))
            cells += 1 << len(top - base)
        else:
            more += 1
    undecided = [(long, f"they are of more than {LONGEST} items"), (more, "so many are not listed")]
    return Searched(findings, [Undecided(many, "differences", why) for many, why in undecided if many])


def build_pattern(base: Codes, top: Codes) -> Pattern:
    """Return the pattern of the rows that hold ``base`` but not all of ``top``; ``top`` itself if both are equal."""
    if base == top:
        return Pattern.conjunction(top)
    return Pattern(top, frozenset(base | some for some in subsets(top - base)) - {top})


def _list_summed(facts: Facts, budget: Budget) -> set[Codes]:
    """Return the itemsets whose supports and those of all parts are known; ``sums`` searches their cells."""
    offsets, items = list_known(facts, budget.itemsets).flat
    return {frozenset(items[start:stop].tolist()) for start, stop in pairwise(offsets.tolist())}


def _least_differences(facts: Facts) -> dict[Pair, int]:
    """Return the least difference of two supports, for each pair with such a relation."""
    two = (relation for relation in facts.relations if [times for _, times in relation.times] == [1, -1])
    return {(one, other): least for ((one, _), (other, _)), least in two}


def _pairs(facts: Facts, said: Mapping[Pair, int], k: int, most: int) -> Iterator[Pair]:
    """Yield listed itemsets of 1 to k − 1 rows, each paired with itself, then pairs that surely differ by so many."""
    few = ((facts.low > 0) & (facts.high < k)).nonzero()[0]
    yield from ((itemset, itemset) for itemset in map(facts.itemset, few[:most].tolist()))
    trie = kernels.inversion.plant(facts.offsets, facts.items)
    pairs = kernels.closure.find_gaps(
        trie, facts.offsets, facts.items, facts.low, facts.high, max(1, len(facts.labels)), k, most
    )
    yield from ((facts.itemset(base), facts.itemset(top)) for base, top in pairs.tolist())
    for base, top in (sorted(pair, key=len) for pair in said):
        (low, _), (high, _) = _limits(facts, said, base, top)
        if 0 < low <= high < k:
            yield base, top


def _claim(facts: Facts, said: Mapping[Pair, int], base: Codes, top: Codes) -> Claim:
    """Return the claim about the rows that hold ``base`` but not all of ``top``."""
    if base == top:
        itself = Sum(((top, Fraction(1)),))
        return Claim(build_pattern(base, top), *facts.listed[top], itself, itself)
    (low, lower), (high, upper) = _limits(facts, said, base, top)
    return Claim(build_pattern(base, top), low, high, lower, upper)


def _limits(facts: Facts, said: Mapping[Pair, int], base: Codes, top: Codes) -> tuple[tuple[int, Sum], tuple[int, Sum]]:
    """Return the least and the most difference of two supports, each with the sum that proves it."""
    (low, high), (less, more) = facts.listed[base], facts.listed[top]
    difference = Sum(((base, Fraction(1)), (top, Fraction(-1))))
    lower, upper = (low - more, difference), (high - less, difference)
    least, most = said.get((base, top)), said.get((top, base))
    if least is not None and least > lower[0]:
        lower = least, _related(base, top, least, 1)
    if most is not None and -most < upper[0]:
        upper = -most, _related(top, base, most, -1)
    return lower, upper


def _related(one: Codes, other: Codes, least: int, times: int) -> Sum:
    return Sum(relations=((Relation(((one, 1), (other, -1)), least), Fraction(times)),))
