"""Plain: groups of fewer than k rows that sums of published supports reveal, as in ``detect``."""

from collections.abc import Iterator
from itertools import chain, islice, pairwise
from typing import Final

import numpy as np

from discreet import kernels
from discreet.data.itemsets import Itemsets, Weighted
from discreet.data.lattice import Cells as SmallCells
from discreet.data.lattice import Family
from discreet.disclosure.attacks.certificate import LONGEST, Cells, Certificate, Claim
from discreet.disclosure.attacks.closure import Budget, list_known
from discreet.disclosure.attacks.facts import Codes, Facts
from discreet.disclosure.attacks.finding import Finding, Searched, Undecided
from discreet.disclosure.attacks.formula import Mark, Pattern
from discreet.disclosure.attacks.wider import widen_family
from discreet.errors import BudgetError

SUM: Final = Cells()
"""The pattern's own sum of supports."""
MOST_TOPS: Final = 1000
"""Most itemsets that become known by zeros while other supports stay unknown."""


def infer(facts: Facts, k: int, budget: Budget) -> Searched:
    """Return the maximal channels: the cells of 1 to k − 1 rows over the largest itemsets with known supports.

    By a schema, itemsets with two values of an attribute have support 0.

    >>> from discreet import mine
    >>> print(*infer(Facts.of(mine([["a", "b"], ["a", "b"], ["a"]], min_support=2)), 2, Budget()).findings)
    a ∧ ¬b: 1 row
    """
    if facts.low[0] != facts.high[0]:
        return Searched([])
    families, undecided = list[Family](), list[Undecided]()
    try:
        families.append(known_family(facts, budget.itemsets))
        wide = widen_family(families[0], facts.schema) if facts.schema else None
        families += [] if wide is None else [wide]
    except BudgetError as error:
        undecided.append(Undecided(1, "publication", str(error)))
    found = [(family, family.cells(k)) for family in families]
    claims = islice(chain.from_iterable(_claims(*one, facts) for one in found), budget.findings)
    findings = [Finding(Certificate(claim), "plain", facts) for claim in claims]
    more = sum(cells.counts.size for _, cells in found) - len(findings)
    if more:
        undecided.append(Undecided(more, "findings", "so many are not listed"))
    return Searched(findings, undecided)


def _claims(family: Family, cells: SmallCells, facts: Facts) -> Iterator[Claim]:
    """Yield the claims of small cells of a family's tops."""
    offsets, items = family.top_itemsets.flat
    for at in np.argsort(cells.tops, kind="stable").tolist():
        base = frozenset(cells.items[cells.offsets[at] : cells.offsets[at + 1]].tolist())
        top = items[offsets[cells.tops[at]] : offsets[cells.tops[at] + 1]].tolist()
        lacked = {item for item in top if item not in base and not facts.excludes(base | {item})}
        if facts.absent == 0 and len(lacked) > LONGEST:  # most of them occur in no row with the base
            lacked = {item for item in lacked if facts.limits(base | {item})[1]}
        count = int(cells.counts[at])
        yield Claim(Pattern.conjunction(base, lacked), count, count, SUM, SUM)


def known_family(facts: Facts, most: int) -> Family:
    """Return the itemsets with known supports as a lattice; missing ones too if their support is 0.

    More than ``most`` are a BudgetError.
    """
    own = Weighted(facts.offsets, facts.items, facts.low) if facts.inherited else list_known(facts, most)
    tops = np.flatnonzero(kernels.lattice.find_maximal(*own.flat, len(facts.labels)))
    # If two lists are incomplete, the older one may lack an item that all rows of a top hold.
    partial = facts.absent is None and any(isinstance(label, Mark) for label in facts.labels)
    family = Family(Itemsets(*own.flat), own.weights, tops, facts.labels, facts.n, not facts.inherited, partial)
    if facts.absent != 0:
        return family
    return family.complete() if facts.inherited or len(own) == len(facts) else _with_zeros(family, facts)


def _with_zeros(family: Family, facts: Facts) -> Family:
    """Return the family with the largest itemsets whose parts are all known, or within no listed one and so 0.

    They lack an item of each smallest part that is neither. Too many of them are a BudgetError.
    """
    tops = [frozenset(range(len(facts.labels)))]
    for part in _unknown(family, facts):
        kept = [top for top in tops if not part <= top]
        less = dict.fromkeys(top - {item} for top in tops if part <= top for item in sorted(part))
        tops = kept + [top for top in less if not any(top <= other for other in kept)]
        if len(tops) > MOST_TOPS:
            raise BudgetError(
                "supports that are not exact leave more sums open than can be looked at; give exact ones, or fewer"
            )
    wide = [sorted(top) for top in tops if not facts.is_below(top)]
    return family.widen(Itemsets.of(wide), partial=True) if wide else family


def _unknown(family: Family, facts: Facts) -> list[Codes]:
    """Return the smallest itemsets within listed ones whose supports are unknown."""
    starts = pairwise(family.offsets.tolist())
    known = {frozenset(family.items[start:stop].tolist()) for start, stop in starts}
    found = {itemset | {item} for itemset in known for item in range(len(facts.labels)) if item not in itemset} - known
    parts = (one for one in found if all(one - {item} in known for item in one))
    return sorted((one for one in parts if facts.is_below(one) and not facts.excludes(one)), key=sorted)
