"""Differences: rows that hold a listed itemset and not all of a larger one, where not all supports between are known.

From a whole list each of them is a sum of cells, and ``plain`` finds the small ones of these. Maximal itemsets, lists
with gaps and limits leave cells open whose sum is known: of n = 7 rows of which 5 hold a and b, 2 lack one of them.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Final, TypeAlias

from discreet import kernels
from discreet.attack.certificate import Certificate, Claim, Sum
from discreet.attack.closure import Budget, known
from discreet.attack.facts import Codes, Facts
from discreet.attack.finding import Finding, Searched, Undecided
from discreet.attack.formula import Pattern, subsets

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
    summed = _summed(facts, budget)
    findings: list[Finding] = []
    cells, long, more = 0, 0, 0
    for base, top in _pairs(facts, k, budget.findings + 1):
        if top in summed:
            continue
        if len(top - base) > LONGEST:
            long += 1
        elif len(findings) < budget.findings and cells < CELLS:
            findings.append(Finding(Certificate(_claim(facts, base, top)), "plain", facts))
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
    offsets, items, _ = known(facts, budget.itemsets)
    return {frozenset(items[start:stop].tolist()) for start, stop in pairwise(offsets.tolist())}


def _pairs(facts: Facts, k: int, most: int) -> Iterator[Pair]:
    """Yield listed itemsets of 1 to k − 1 rows, each with itself, then pairs that surely differ by so many."""
    few = ((facts.low > 0) & (facts.high < k)).nonzero()[0]
    yield from ((itemset, itemset) for itemset in map(facts.itemset, few[:most].tolist()))
    trie = kernels.lattice.plant(facts.offsets, facts.items)
    pairs = kernels.intervals.gaps(
        trie, facts.offsets, facts.items, facts.low, facts.high, max(1, len(facts.labels)), k, most
    )
    yield from ((facts.itemset(base), facts.itemset(top)) for base, top in pairs.tolist())


def _claim(facts: Facts, base: Codes, top: Codes) -> Claim:
    """Return the claim that the difference of two supports, or one support, keeps the limits that they have."""
    (low, high), (less, more) = facts.listed[base], facts.listed[top]
    if base == top:
        itself = Sum(((top, Fraction(1)),))
        return Claim(lacking(base, top), low, high, itself, itself)
    difference = Sum(((base, Fraction(1)), (top, Fraction(-1))))
    return Claim(lacking(base, top), low - more, high - less, difference, difference)
