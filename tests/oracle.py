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


# Channels. A row counts for a base under a top when its items within the top are exactly the base. Where between 1 and
# k - 1 rows do, and the top is published, that is a channel; channels stand as {(base, top): count}. A family is what
# is published, {itemset: support}: with each itemset all its subsets are in it.


def cell(base, top, rows):
    """Return how many rows hold every item of ``base`` and no other item of ``top``."""
    base, top = frozenset(base), frozenset(top)
    return sum(frozenset(row) & top == base for row in rows)


def cell_by_supports(base, top, family):
    """Return what ``cell`` returns, from the supports of all itemsets from ``base`` to ``top`` (PKDD 2005, lemma 8)."""
    return sum((-1) ** len(more) * family[base | more] for more in subsets(top - base))


def channels(rows, sigma, k):
    """Return all channels: every frequent top, every base within it (PKDD 2005, definition 12)."""
    rows = [frozenset(row) for row in rows]
    found = {(base, top): cell(base, top, rows) for top in frequent(rows, sigma) for base in subsets(top)}
    return {pair: number for pair, number in found.items() if 0 < number < k}


def channels_of(family, k):
    """Return all channels of what is published, from its supports alone."""
    found = {(base, top): cell_by_supports(base, top, family) for top in family for base in subsets(top)}
    return {pair: number for pair, number in found.items() if 0 < number < k}


def maximal_among(found):
    """Return the channels that no other one is more specific than (PKDD 2005, definition 16; WAIM 2008, definition 10).

    Another is more specific when it says of every item at least what this one says: that rows hold it, or lack it.
    """
    # Long tops first, since they are the specific ones: nearly every search ends at once.
    others = sorted(((base, top - base) for base, top in found), key=lambda pair: -len(pair[0] | pair[1]))
    return {
        (base, top): number
        for (base, top), number in found.items()
        if not any(
            base <= held and top - base <= lacked and (held, lacked) != (base, top - base) for held, lacked in others
        )
    }


def maximal_channels(rows, sigma, k):
    """Return the maximal channels, by their definition."""
    return maximal_among(channels(rows, sigma, k))


def maximal_channels_of(family, k):
    """Return the maximal channels of what is published, by their definition."""
    return maximal_among(channels_of(family, k))


def rare_cells(tops, rows, k):
    """Return the channels right under ``tops``: the ways to meet a top that fewer than ``k`` rows share."""
    rows = [frozenset(row) for row in rows]
    met = ((top, Counter(row & top for row in rows)) for top in tops)
    return {(base, top): number for top, bases in met for base, number in bases.items() if number < k}


def maximal_channels_by_tops(rows, sigma, k, max_length=None):
    """Return what ``maximal_channels`` returns: the rare cells of the maximal itemsets (WAIM 2008, theorem 3)."""
    return rare_cells(maximal(rows, sigma, max_length), rows, k)


def singled_out(found, rows):
    """Return {row number: (how many of the channels it counts for, the smallest count among them)}."""
    met = {
        at: [number for (base, top), number in found.items() if frozenset(row) & top == base]
        for at, row in enumerate(rows)
    }
    return {at: (len(numbers), min(numbers)) for at, numbers in met.items() if numbers}


def exposed(rows, sigma, k):
    """Return for each row that a maximal channel singles out how many of them do, and the smallest count."""
    return singled_out(maximal_channels_by_tops(rows, sigma, k), rows)


def implications(rows, sigma):
    """Return the pairs (base, item) such that every row with the base holds the item too, and one can see it.

    Both base and base with the item are frequent; the base is minimal: no proper subset of it implies the item.
    """
    family = frequent(rows, sigma)
    implied = {
        (itemset - {item}, item)
        for itemset in family
        for item in itemset
        if family[itemset - {item}] == family[itemset]
    }
    return {
        (base, item)
        for base, item in implied
        if not any((fewer, item) in implied for fewer in subsets(base) if fewer != base)
    }


def smallest_safe(rows, k, least):
    """Return the smallest minimum support from ``least`` on that leaves no channel; n + 1 publishes nothing."""
    return next(sigma for sigma in count(least) if not channels(rows, sigma, k))


def is_acyclic(family):
    """Return whether the maximal itemsets of a family form an acyclic hypergraph: Graham's reduction leaves nothing.

    It takes away items that only one itemset holds, and itemsets within another, as long as it can.
    """
    itemsets = set(map(frozenset, family))
    before = None
    while itemsets != before:
        before = itemsets
        itemsets = {itemset for itemset in itemsets if not any(itemset < other for other in itemsets)}
        times = Counter(item for itemset in itemsets for item in itemset)
        itemsets = {frozenset(item for item in itemset if times[item] > 1) for itemset in itemsets}
    return not frozenset().union(*itemsets)


# Formulas: ("item", label), ("not", f), ("and", f, g), ("or", f, g)


def true(formula, row):
    """Return whether a row makes a formula true: it does an item that it holds, and signs mean what they say."""
    match formula:
        case ("item", label):
            return label in row
        case ("not", part):
            return not true(part, row)
        case ("and", left, right):
            return true(left, row) and true(right, row)
        case ("or", left, right):
            return true(left, row) or true(right, row)
    raise ValueError(formula)
