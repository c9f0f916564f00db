"""Differences: rows that hold a listed itemset and not all of a larger one, where not all supports between are known.

From a whole list each of them is a sum of cells, and ``plain`` finds the small ones of these. Maximal itemsets, lists
with gaps and limits leave cells open whose sum is known: of n = 7 rows of which 5 hold a and b, 2 lack one of them.
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
"""What rows hold, and a larger itemset that they do not hold all of."""

LONGEST: Final = 12
"""Items of which rows lack one, up to which a pattern is spelled out: in that many cells it is true, and more."""
CELLS: Final = 1 << 20
"""Cells of all findings together."""


def infer(facts: Facts, k: int, budget: Budget) -> Searched:
    """Return which listed itemsets hold for 1 to k − 1 rows, and which two differ by so many, by their limits alone.

    Nothing is listed that the cells of known supports tell.

    >>> facts = Facts.from_limits([(["a", "b"], 5, 5)], n=7)
    >>> print(*infer(facts, 5, Budget()).findings)
    ¬(a ∧ b): 2 rows
    """
    if facts.inherited:
        return Searched([])
    summed, said = _summed(facts, budget), _said(facts)
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


def lacking(base: Codes, top: Codes) -> Pattern:
    """Return the pattern of the rows that hold ``base`` and not all of ``top``, or ``top`` where both are the same."""
    if base == top:
        return Pattern.conjunction(top)
    return Pattern(top, frozenset(base | some for some in subsets(top - base)) - {top})


def _summed(facts: Facts, budget: Budget) -> set[Codes]:
    """Return the itemsets whose supports, and those of all parts, are known: ``plain`` looks at their cells."""
    offsets, items = list_known(facts, budget.itemsets).flat
    return {frozenset(items[start:stop].tolist()) for start, stop in pairwise(offsets.tolist())}


def _said(facts: Facts) -> dict[Pair, int]:
    """Return by how much the support of one itemset is more than that of another at least, where relations say so."""
    two = (relation for relation in facts.relations if [times for _, times in relation.times] == [1, -1])
    return {(one, other): least for ((one, _), (other, _)), least in two}


def _pairs(facts: Facts, said: Mapping[Pair, int], k: int, most: int) -> Iterator[Pair]:
    """Yield listed itemsets of 1 to k − 1 rows, each with itself, then pairs that surely differ by so many."""
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
    """Return the claim of the least and the most rows that hold ``base`` and not all of ``top``, or ``top`` itself."""
    if base == top:
        itself = Sum(((top, Fraction(1)),))
        return Claim(lacking(base, top), *facts.listed[top], itself, itself)
    (low, lower), (high, upper) = _limits(facts, said, base, top)
    return Claim(lacking(base, top), low, high, lower, upper)


def _limits(facts: Facts, said: Mapping[Pair, int], base: Codes, top: Codes) -> tuple[tuple[int, Sum], tuple[int, Sum]]:
    """Return the least and the most by which two supports differ, each with why: their own limits, or a relation."""
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
