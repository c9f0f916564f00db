"""What is right, by brute force from the definitions, on frozensets. Imports nothing of ours.

An itemset is frequent when at least sigma >= 1 rows hold it; the empty one is held by all n rows. With ``max_length``
the family is that of the frequent itemsets of at most so many items, and "closed" and "maximal" are meant within it.
"""

from collections import Counter
from fractions import Fraction
from itertools import combinations, count


def subsets(items):
    """Yield every subset of ``items``, the empty one first."""
    items = list(items)
    return (frozenset(chosen) for size in range(len(items) + 1) for chosen in combinations(items, size))


def support(itemset, rows):
    """Return how many rows hold every item of ``itemset``."""
    return sum(set(itemset) <= set(row) for row in rows)


def frequent(rows, sigma, max_length=None):
    """Return the frequent itemsets with their supports."""
    times = Counter(frozenset(row) for row in rows)
    longest = len(frozenset().union(*times)) if max_length is None else max_length
    family = {}
    for itemset in subsets(frozenset().union(*times)):
        if len(itemset) > longest:
            break
        held = sum(number for row, number in times.items() if itemset <= row)
        if held >= sigma:
            family[itemset] = held
    return family


def closed(rows, sigma, max_length=None):
    """Return the frequent itemsets that no proper superset in the family has the support of."""
    family = frequent(rows, sigma, max_length)
    return {
        itemset: held
        for itemset, held in family.items()
        if not any(held == other and itemset < superset for superset, other in family.items())
    }


def maximal(rows, sigma, max_length=None):
    """Return the frequent itemsets that have no proper superset in the family."""
    family = frequent(rows, sigma, max_length)
    return {itemset: held for itemset, held in family.items() if not any(itemset < superset for superset in family)}


KINDS = {"frequent": frequent, "closed": closed, "maximal": maximal}


def least_count(share, n):
    """Return the least number of rows, at least 1, that is ``share`` (a number or its text) of ``n`` or more."""
    return next(number for number in count(1) if number >= Fraction(share) * n)


def frequent_by_levels(rows, sigma):
    """Return what ``frequent`` returns, quickly enough for many items: no superset of a rare itemset is frequent."""
    rows = [frozenset(row) for row in rows]
    holders = {item: frozenset(at for at, row in enumerate(rows) if item in row) for item in frozenset().union(*rows)}
    items = sorted(holders)
    level = {(): frozenset(range(len(rows)))} if len(rows) >= sigma else {}
    family = {}
    while level:
        family |= {frozenset(itemset): len(held) for itemset, held in level.items()}
        longer = (
            ((*itemset, item), held & holders[item])
            for itemset, held in level.items()
            for item in (items[items.index(itemset[-1]) + 1 :] if itemset else items)
        )
        level = {itemset: held for itemset, held in longer if len(held) >= sigma}
    return family


def closed_by_levels(rows, sigma):
    """Return what ``closed`` returns: a superset of the same support has a subset with one item more than ours."""
    family = frequent_by_levels(rows, sigma)
    open_ = {
        itemset - {item} for itemset, held in family.items() for item in itemset if family[itemset - {item}] == held
    }
    return {itemset: held for itemset, held in family.items() if itemset not in open_}


def maximal_by_levels(rows, sigma):
    """Return what ``maximal`` returns: a frequent superset has a frequent subset with one item more than ours."""
    family = frequent_by_levels(rows, sigma)
    extended = {itemset - {item} for itemset in family for item in itemset}
    return {itemset: held for itemset, held in family.items() if itemset not in extended}


BY_LEVELS = {"frequent": frequent_by_levels, "closed": closed_by_levels, "maximal": maximal_by_levels}
