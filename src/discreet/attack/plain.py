"""Plain: what sums of published supports tell about fewer than k rows, as ``detect`` finds it."""

from typing import Final

import numpy as np

from discreet import kernels
from discreet.attack.certificate import LONGEST, Cells, Certificate, Claim
from discreet.attack.closure import Budget, known
from discreet.attack.facts import Facts
from discreet.attack.finding import Finding, Searched, Undecided
from discreet.attack.formula import Pattern
from discreet.attack.mark import Mark
from discreet.family import Family

SUM: Final = Cells()
"""The pattern's own sum of supports."""


def infer(facts: Facts, k: int, budget: Budget) -> Searched:
    """Return the maximal channels: the cells of 1 to k − 1 rows over the largest itemsets with known supports.

    >>> from discreet import mine
    >>> print(*infer(Facts.of(mine([["a", "b"], ["a", "b"], ["a"]], min_support=2)), 2, Budget()).findings)
    a ∧ ¬b: 1 row
    """
    if facts.low[0] != facts.high[0]:
        return Searched([])
    family = known_family(facts, budget.itemsets)
    offsets, items = family.top_itemsets()
    cells = family.cells(k)
    order = np.argsort(cells.tops, kind="stable")
    findings = []
    for at in order[: budget.findings].tolist():
        base = cells.items[cells.offsets[at] : cells.offsets[at + 1]].tolist()
        lacked = set(items[offsets[cells.tops[at]] : offsets[cells.tops[at] + 1]].tolist()) - set(base)
        if facts.absent == 0 and len(lacked) > LONGEST:  # most of so many are in no row with the base anyway
            lacked = {item for item in lacked if facts.limits(frozenset([*base, item]))[1]}
        count = int(cells.counts[at])
        claim = Claim(Pattern.conjunction(base, lacked), count, count, SUM, SUM)
        findings.append(Finding(Certificate(claim), "plain", facts))
    more = cells.counts.size - len(findings)
    return Searched(findings, [Undecided(more, "findings", "so many are not listed")] if more else [])


def known_family(facts: Facts, most: int) -> Family:
    """Return the itemsets whose supports are known as a lattice; those of what is missing too, where it is 0.

    If the number of rows is not known exactly, there are none. More than ``most`` are a BudgetError.
    """
    if facts.inherited:
        offsets, items, supports = facts.offsets, facts.items, facts.low
    else:
        offsets, items, supports = known(facts, most)
    tops = np.flatnonzero(kernels.family.maximal(offsets, items, len(facts.labels)))
    # Of two lists that are not whole, the older one may lack an item that all rows of a top hold.
    partial = facts.absent is None and any(isinstance(label, Mark) for label in facts.labels)
    family = Family(offsets, items, supports, tops, facts.labels, facts.n, not facts.inherited, partial)
    return family.whole() if facts.absent == 0 and (facts.inherited or supports.size == len(facts)) else family
