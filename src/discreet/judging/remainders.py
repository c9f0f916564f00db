"""Remainders: what an attribute leaves where supports are missing, or known within limits only.

If no row holds two of the values v, then sup(X) − Σ sup(X ∪ v) rows hold X and none of them. With another item y, or
several values of another attribute, the remainder of X ∪ y can be taken from that of X: then rows lack these as well.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from discreet.disclosure.attacks.facts import Codes, Facts
from discreet.errors import BudgetError
from discreet.publications.rules.bounded import Bounded

MOST_STEPS: Final = 5_000_000
"""Supports that are added up at most: some seconds."""

Values: TypeAlias = Mapping[Codes, list[int]]
"""The items with which an itemset is listed, by the group that they are of; an item of no group is one by itself."""


def remainders(facts: Facts) -> Iterator[Bounded]:
    """Yield the remainders of which every support is listed, and their differences, whatever they come to.

    >>> said = [(["x"], 50, 50), (["x", "f"], 20, 21), (["x", "m"], 27, 28)]
    >>> print(*remainders(Facts.from_limits(said, n=90, schema=[["f", "m"]])))
    x ∧ ¬f ∧ ¬m: 1 to 3 rows
    """
    beside, steps = _beside(facts), 0
    for base, values in beside.items():
        several = [found for found in values.values() if len(found) > 1]
        for found in several:
            yield _summed(facts, base, found, [])
            for others in values.values():
                steps += len(found) * len(others)
                if steps > MOST_STEPS:
                    raise BudgetError(
                        "the schema leaves more remainders than can be looked at; list fewer itemsets, or audit the "
                        "exact supports"
                    )
                both = _together(facts, base, found, others) if others is not found else []
                if len(both) > 1:
                    yield _summed(facts, base, both, others)


def _beside(facts: Facts) -> dict[Codes, Values]:
    """Return the items with which each listed itemset is listed too."""
    groups: defaultdict[int, list[Codes]] = defaultdict(list)
    for group in facts.schema:
        for item in group:
            groups[item].append(group)
    found: defaultdict[Codes, defaultdict[Codes, list[int]]] = defaultdict(lambda: defaultdict(list))
    for itemset in facts.listed:
        if facts.excludes(itemset):
            continue
        for item in sorted(itemset):
            base = itemset - {item}
            for group in groups[item] or [frozenset([item])] if base in facts.listed else ():
                found[base][group].append(item)
    return dict(found)


def _together(facts: Facts, base: Codes, values: list[int], others: list[int]) -> list[int]:
    """Return the values whose supports beside each of the others are listed, or known to be 0."""
    return [
        value
        for value in values
        if value not in others
        and all(base | {value, other} in facts.listed or facts.excludes(base | {value, other}) for other in others)
    ]


def _summed(facts: Facts, base: Codes, values: list[int], others: list[int]) -> Bounded:
    """Return how many rows hold the base, none of the values and none of the others."""
    minus = [base | {item} for item in (*values, *others)]
    plus = [base | {value, other} for value in values for other in others]
    terms = [(1, base), *((-1, one) for one in minus), *((1, one) for one in plus if not facts.excludes(one))]
    limits = [facts.listed[itemset] for _, itemset in terms]
    low = sum(times * (least if times > 0 else most) for (times, _), (least, most) in zip(terms, limits, strict=True))
    high = sum(times * (most if times > 0 else least) for (times, _), (least, most) in zip(terms, limits, strict=True))
    names = [frozenset(facts.labels[item] for item in itemset) for _, itemset in terms]
    lacked = tuple(frozenset([facts.labels[item]]) for item in sorted({*values, *others}))
    held = frozenset(facts.labels[item] for item in base)
    supports = tuple(zip(names, limits, strict=True))
    return Bounded(held, lacked, low, high, supports, tuple(times for times, _ in terms))
