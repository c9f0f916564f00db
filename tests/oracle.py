"""What is right, by brute force from the definitions, on frozensets. Imports nothing of ours.

An itemset is frequent when at least sigma >= 1 rows hold it; the empty one is held by all n rows. With ``max_length``
the family is that of the frequent itemsets of at most so many items, and "closed" and "maximal" are meant within it.
"""

import csv
import re
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from functools import cache, cached_property
from io import StringIO
from itertools import combinations, combinations_with_replacement, count, pairwise, permutations, product
from math import factorial, prod

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, brentq, linprog, milp


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


def number(text):
    """Return the number that a text is, digit by digit, as a fraction; None for other texts, and for huge exponents."""
    body = text.strip().removesuffix("%").rstrip()
    parts = 100 if text.strip().endswith("%") else 1
    quotient = re.fullmatch(r"([-+]?[0-9]+)/([0-9]+)", body)
    if quotient and int(quotient[2]):
        return Fraction(int(quotient[1]), int(quotient[2])) / parts
    found = re.fullmatch(r"([-+]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([-+]?[0-9]{1,5}))?", body)
    digits = found and found[2] + (found[3] or "")
    if not digits or len(digits) > 4000:
        return None
    power = int(found[4] or 0) - len(found[3] or "")
    return int(found[1] + digits) * Fraction(10) ** power / parts


def read_count(text, n):
    """Return the count that a text is, or the least count of ``n`` rows that is the share it is."""
    return int(text) if text.strip().isdigit() else least_count(number(text), n)


def inferred_targets(n, values, k, fits):
    """Return the sets of values that 1 to k − 1 of ``n`` rows have, whatever targets that ``fits`` the rows have."""
    ways = [Counter(way) for way in combinations_with_replacement(sorted(values), n) if fits(way)]
    known = [one for one in subsets(values) if 0 < len(one) < len(values)]
    return [one for one in known if all(0 < sum(way[value] for value in one) < k for way in ways)]


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


def told(family, sigma, max_length=None):
    """Return the supports that a reader knows: those published and, if that is all that any row holds, zeros.

    If longer itemsets than ``max_length`` are left out, the short ones say which of these no row holds. An itemset
    counts as known if all of its parts are.

    >>> told({frozenset(): 3, frozenset("a"): 2, frozenset("b"): 1}, 1)[frozenset("ab")]
    0
    """
    if sigma > 1 or not family:
        return family
    every = list(subsets(frozenset().union(*family)))
    none = [one for one in every if one not in family and (max_length is None or len(one) <= max_length)]
    open_ = [one for one in every if one not in family and not any(part <= one for part in none)]
    return {one: family.get(one, 0) for one in every if not any(part <= one for part in open_)}


def channels(rows, sigma, k):
    """Return all channels: every top whose supports are known, every base within it (PKDD 2005, definition 12)."""
    rows = [frozenset(row) for row in rows]
    tops = told(frequent(rows, sigma), sigma)
    found = {(base, top): cell(base, top, rows) for top in tops for base in subsets(top)}
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
    known = told(frequent(rows, sigma, max_length), sigma, max_length)
    return rare_cells([one for one in known if not any(one < other for other in known)], rows, k)


def widest(tops, sigma):
    """Return the largest itemsets whose supports are known, from the maximal frequent ones.

    They are these or, if all that any row holds is published, all items together.
    """
    return [frozenset().union(*tops)] if sigma == 1 and tops else tops


def people_cells(rows, people, sigma, k, groups=()):
    """Return {(base, top): (people, rows)} of every known top and every base whose rows are of 1 to k - 1 people.

    Items of a group exclude each other.
    """
    rows, found = [frozenset(row) for row in rows], {}
    for top in told_with(frequent(rows, sigma), sigma, groups):
        for base in subsets(top):
            owners = [person for row, person in zip(rows, people, strict=True) if row & top == base]
            if 0 < len(set(owners)) < k:
                found[base, top] = len(set(owners)), len(owners)
    return found


def people_under(tops, rows, people, k):
    """Return what ``people_cells`` returns for some tops, from the ways in which rows meet them."""
    found = {}
    for top in tops:
        met = [frozenset(row) & top for row in rows]
        for base in set(met):
            owners = [person for one, person in zip(met, people, strict=True) if one == base]
            if len(set(owners)) < k:
                found[base, top] = len(set(owners)), len(owners)
    return found


def merged_by_person(rows, people):
    """Return a row for each person, in the order of their numbers: all items of that person's rows."""
    pairs = list(zip(rows, people, strict=True))
    return [frozenset().union(*(row for row, owner in pairs if owner == one)) for one in sorted(set(people))]


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


# Blocking. Rows go by their numbers, from 0. A family is {itemset: support}, with all subsets of what is in it.


def family_of(listed):
    """Return all itemsets that closed ones tell of, each with the largest support of a superset that is listed."""
    family = {}
    for itemset, held in listed.items():
        for part in subsets(itemset):
            family[part] = max(held, family.get(part, 0))
    return family


def may_be_cut(family):
    """Return whether longer itemsets may be missing: all parts, with an item less, of one such itemset are there."""
    longest = max(map(len, family), default=0)
    longer = map(frozenset, combinations(frozenset().union(*family), longest + 1))
    return any(all(one - {item} in family for item in one) for one in longer)


def is_safe(family, k):
    """Return whether what is published has no channel, by the supports alone, and no cell of fewer than 0 rows."""
    cells = (cell_by_supports(base, top, family) for top in family for base in subsets(top))
    return all(number == 0 or number >= k for number in cells)


def suppress(rows, sigma, k):
    """Return the rows that are left, and after how many rounds: in each, all go that a maximal channel singles out."""
    left, rounds = list(range(len(rows))), 0
    while hit := exposed([rows[number] for number in left], sigma, k):
        left = [number for at, number in enumerate(left) if at not in hit]
        rounds += 1
    return left, rounds


def add(rows, sigma, k):
    """Return the rows to add: k times each different base of a maximal channel."""
    bases = {base for base, _ in maximal_channels_by_tops(rows, sigma, k)}
    return [base for base in bases for _ in range(k)]


def smallest_cell(itemset, rows):
    """Return how many rows the smallest cell of an itemset holds that holds any; without rows, 0."""
    return min(Counter(frozenset(row) & itemset for row in rows).values(), default=0)


def cells_of_list(listed):
    """Return the cells of each maximal itemset of a list, of which rows these are all closed itemsets; None if of none.

    A reader takes the support of an itemset to be the greatest of those listed that contain it, and adds and subtracts.
    What closed itemsets have in common is closed.
    """
    if any(one & other not in listed for one, other in combinations(listed, 2)):
        return None
    tops = [one for one in listed if not any(one < other for other in listed)]
    known = {part: max(listed[one] for one in listed if part <= one) for top in tops for part in subsets(top)}
    for itemset, held in listed.items():
        items = frozenset().union(*tops) - itemset
        if known[itemset] != held or any(known.get(itemset | {item}, 0) == held for item in items):
            return None
    cells = {top: {} for top in tops}
    for top in tops:
        for base in subsets(top):
            many = sum((-1) ** len(more) * known[base | more] for more in subsets(top - base))
            if many < 0:
                return None
            if many:
                cells[top][base] = many
    return cells


def safe_core(rows, sigma, k):
    """Return the frequent itemsets of which no cell holds from 1 to k - 1 rows."""
    return {itemset: held for itemset, held in frequent(rows, sigma).items() if smallest_cell(itemset, rows) >= k}


def largest_safe_part(rows, sigma, k):
    """Return the most rows that have no channel and keep every itemset frequent; None if no rows do."""
    family = set(frequent(rows, sigma))
    for size in range(len(rows), -1, -1):
        for left in combinations(range(len(rows)), size):
            part = [rows[number] for number in left]
            if set(frequent(part, sigma)) == family and not maximal_channels_by_tops(part, sigma, k):
                return list(left)
    return None


def distortion(before, after, weight=lambda _: 1):
    """Return how many itemsets there were, how many are lost, changed, the average change, and the largest in rows.

    ICDM 2005: each change is a share of the support before; what is lost has support 0. An itemset may stand for more
    than one; ``weight`` says for how many.
    """
    changes = [(weight(itemset), held, after.get(itemset, 0)) for itemset, held in before.items()]
    total = sum(many for many, _, _ in changes)
    return (
        total,
        sum(many for many, _, now in changes if now == 0),
        sum(many for many, held, now in changes if now != held),
        sum((Fraction(many * abs(now - held), held) for many, held, now in changes), Fraction(0)) / max(1, total),
        max((abs(now - held) for _, held, now in changes), default=0),
    )


def change(pairs):
    """Return how many numbers there were, how many are lost (None), and the average and largest change of the rest."""
    kept = [abs(now - was) for was, now in pairs if now is not None]
    return len(pairs), len(pairs) - len(kept), sum(kept, Fraction(0)) / max(1, len(kept)), max(kept, default=0)


def costs(before, after, n_before, n_after):
    """Return the changes of items' supports in rows and relative, of their shares, of confidences, and of lifts.

    ``before`` and ``after`` are all frequent itemsets with their supports. A rule has one item on the right and some on
    the left; it is lost if its itemset is. A confidence is a share; a lift changes by a share of what it was.
    """
    items = [itemset for itemset in before if len(itemset) == 1]
    found = [
        [(Fraction(before[item], per(item)), _over(after.get(item), now(item))) for item in items]
        for per, now in (
            (lambda _: 1, lambda _: 1),
            (before.get, before.get),
            (lambda _: max(1, n_before), lambda _: max(1, n_after)),
        )
    ]
    rules = [(itemset, item) for itemset in before if len(itemset) > 1 for item in itemset]
    confidences = [(_confidence(before, *rule), _confidence(after, *rule)) for rule in rules]
    lifts = [(_lift(before, n_before, *rule), _lift(after, n_after, *rule)) for rule in rules]
    relative = [(Fraction(1), None if now is None else now / was) for was, now in lifts]
    return [change(pairs) for pairs in (*found, confidences, relative)]


def _over(count, whole):
    return None if count is None else Fraction(count, whole)


def _confidence(family, itemset, item):
    return Fraction(family[itemset], family[itemset - {item}]) if itemset in family else None


def _lift(family, n, itemset, item):
    confidence = _confidence(family, itemset, item)
    return None if confidence is None else confidence / Fraction(family[frozenset([item])], n)


# The least distortion. Any rows over the frequent items may take the place of those that are there.


def least_distortion(rows, sigma, k, *, keep_n=False):
    """Return the least average distortion of safe releases in which no other itemset is frequent; None without any.

    Supports are tried itemset by itemset, the small ones first, so that the cells of each are known with its own
    support: they are never negative, and none or at least k where the itemset is published. What is lost counts as 1.
    """
    family, n = frequent(rows, sigma), len(rows)
    if not family:
        return Fraction(0)
    every = list(subsets(sorted(frozenset().union(*family), key=str)))
    # Without enough rows nothing is published, and all is lost.
    best = None if keep_n else Fraction(len(family))

    def ways(itemset, supports, left):
        """Yield supports that an itemset may have, with their costs, where less than ``left`` may be spent."""
        most = min((supports[itemset - {item}] for item in itemset), default=None)
        if itemset not in family:
            yield from ((held, 0) for held in range(min(sigma - 1, most) + 1))
            return
        before = family[itemset]
        highest = before + int(before * left) if most is None else most
        for held in [n] if keep_n and not itemset else range(highest + 1):
            yield held, Fraction(abs(held - before), before) if held >= sigma else Fraction(1)

    def search(at, supports, cost):
        nonlocal best
        if best is not None and cost >= best:
            return
        if at == len(every):
            best = cost
            return
        itemset = every[at]
        left = len(family) - cost if best is None else best - cost
        for held, price in sorted(ways(itemset, supports, left), key=lambda way: way[1]):
            supports[itemset] = held
            cells = [cell_by_supports(base, itemset, supports) for base in subsets(itemset)]
            # With a minimum support of 1, what is lost is known to be held by no row.
            is_told = held >= sigma or sigma == 1
            if min(cells) >= 0 and (not is_told or all(number == 0 or number >= k for number in cells)):
                search(at + 1, supports, cost + price)
        supports.pop(itemset, None)

    search(0, {}, Fraction(0))
    return None if best is None else best / len(family)


# Hiding: the algorithms of Oliveira and Zaïane (2002). Sensitive itemsets are distinct and stand in a list, with the
# share of its rows (a fraction) in which each may still be found. ``order`` lists all items: where two tie, the earlier
# one counts. Rows tie by their numbers.


def rows_to_lose(itemset, share, rows, below=None):
    """Return how many rows must lose an itemset: |T| (1 - share), rounded up; or so many that below - 1 are left."""
    held = support(itemset, rows)
    if below is not None:
        return max(0, held - (below - 1))
    return next(many for many in count() if many >= held * (1 - Fraction(share)))


def naive(itemset, _sensitive, _rows, _order):
    """Return the victims of an itemset: all its items."""
    return set(itemset)


def minfia(itemset, _sensitive, rows, order):
    """Return the victim: the item of the itemset that fewest rows hold."""
    return {min(sorted(itemset, key=order.index), key=lambda item: support([item], rows))}


def maxfia(itemset, _sensitive, rows, order):
    """Return the victim: the item of the itemset that most rows hold."""
    return {max(sorted(itemset, key=order.index), key=lambda item: support([item], rows))}


def groups(sensitive, rows, order):
    """Return the groups of IGA in their order, as (members, label): one for each item of two or more itemsets."""
    found = {}
    for item in order:
        members = frozenset(itemset for itemset in sensitive if item in itemset)
        if len(members) >= 2:
            shared = frozenset.intersection(*members)
            (found[members],) = minfia(shared, sensitive, rows, order)
    return sorted(found.items(), key=lambda group: (-len(group[0]), -support([group[1]], rows), order.index(group[1])))


def iga(itemset, sensitive, rows, order):
    """Return the victim: the label of the first group that has the itemset, else the item that fewest rows hold."""
    labels = [label for members, label in groups(sensitive, rows, order) if itemset in members]
    return {labels[0]} if labels else minfia(itemset, sensitive, rows, order)


VICTIMS = {"naive": naive, "minfia": minfia, "maxfia": maxfia, "iga": iga}


def hide(method, rows, sensitive, shares, order, *, below=None, dynamic=False):
    """Return the rows that an algorithm makes; ``dynamic`` if it looks at rows as they have become, not as they were.

    Victims and how many rows must lose each itemset are always those of the rows as they were.
    """
    rows = [frozenset(row) for row in rows]
    left = [set(row) for row in rows]
    kept_out = [set() for _ in rows]
    direction = -1 if method == "iga" else 1
    for itemset, share in zip(sensitive, shares, strict=True):
        seen = [frozenset(row) for row in left] if dynamic else rows
        degree = [sum(other <= row for other in sensitive) for row in seen]
        holders = sorted(
            (at for at, row in enumerate(seen) if itemset <= row), key=lambda at: (direction * degree[at], at)
        )
        many = rows_to_lose(itemset, share, rows if below is None else seen, below)
        victims = VICTIMS[method](itemset, sensitive, rows, order)
        for at in holders[:many]:
            left[at] -= victims
            kept_out[at] |= victims if len(itemset) == 1 else set()
    if method == "naive":
        if dynamic:
            # What was removed for others has been counted for an itemset of one item: it may not come back anywhere.
            lone = [
                itemset
                for itemset, share in zip(sensitive, shares, strict=True)
                if len(itemset) == 1 and rows_to_lose(itemset, share, rows, below)
            ]
            kept_out = [set().union(*lone)] * len(rows)
        for at, row in enumerate(rows):
            if row and not left[at]:
                left[at] |= maxfia(row - kept_out[at], sensitive, rows, order) if row - kept_out[at] else set()
    return [frozenset(row) for row in left]


# Hiding in one scan: the sliding window of Oliveira and Zaïane (2003), as docs/decisions pins it.


def swa(rows, sensitive, shares, window, *, below=None):
    """Return the rows that the sliding window makes; all it looks at are the rows of a window as they were."""
    rows = [frozenset(row) for row in rows]
    left = [set(row) for row in rows]
    room = dict.fromkeys(sensitive, None if below is None else below - 1)
    for first in range(0, len(rows), window):
        numbers = range(first, min(first + window, len(rows)))
        touched = [rows[at] for at in numbers if any(itemset <= rows[at] for itemset in sensitive)]
        for itemset, share in zip(sensitive, shares, strict=True):
            holders = sorted((at for at in numbers if itemset <= rows[at]), key=lambda at: (len(rows[at]), at))
            kept = int(len(holders) * Fraction(share)) if below is None else min(len(holders), room[itemset])
            if below is not None:
                room[itemset] -= kept
            in_order = sorted(itemset, key=lambda item: (len(str(item)), str(item)))
            victim = max(in_order, key=lambda item: support([item], touched))
            for at in holders[: len(holders) - kept]:
                left[at].discard(victim)
    return [frozenset(row) for row in left]


# Measures of hiding. A frequent itemset that has items is restricted if it holds a sensitive one. What is a share of
# nothing is 0. Minimum supports are counts, before and after.


def found(rows, sigma):
    """Return the frequent itemsets that have items."""
    return {itemset for itemset in frequent(rows, sigma) if itemset}


def restricted(itemsets, sensitive):
    """Return the itemsets that hold a sensitive one."""
    return {itemset for itemset in itemsets if any(frozenset(one) <= itemset for one in sensitive)}


def ratio(part, whole):
    """Return an exact share; 0 of nothing."""
    return Fraction(part, whole) if whole else Fraction(0)


def hiding_failure(before, after, sensitive, sigma, sigma_after):
    """Return the restricted itemsets found after, as a share of those before."""
    then, now = restricted(found(before, sigma), sensitive), restricted(found(after, sigma_after), sensitive)
    return ratio(len(now), len(then))


def misses_cost(before, after, sensitive, sigma, sigma_after):
    """Return how many of the itemsets that are not restricted are not found after, as a share."""
    then, now = found(before, sigma), found(after, sigma_after)
    then, now = then - restricted(then, sensitive), now - restricted(now, sensitive)
    return ratio(len(then - now), len(then))


def artifactual(before, after, _sensitive, sigma, sigma_after):
    """Return how many of the itemsets found after were not found before, as a share."""
    then, now = found(before, sigma), found(after, sigma_after)
    return ratio(len(now) - len(then & now), len(now))


def dissimilarity(before, after, *_):
    """Return the sum of what the supports of items have lost, as a share of their sum."""
    items = sorted(frozenset().union(*before, *after), key=str)
    then, now = ([support([item], rows) for item in items] for rows in (before, after))
    return ratio(sum(old - new for old, new in zip(then, now, strict=True)), sum(then))


def rules(rows, sigma, confidence):
    """Return the rules (items, item) of frequent itemsets that hold with a confidence."""
    return {
        (itemset - {item}, item)
        for itemset in found(rows, sigma)
        for item in itemset
        if len(itemset) > 1 and support(itemset, rows) >= confidence * support(itemset - {item}, rows)
    }


# Hiding with the least harm. A legitimate itemset is frequent, not restricted, and has items.


def legitimate(rows, sensitive, sigma):
    """Return the frequent itemsets that have items and are not restricted."""
    return found(rows, sigma) - restricted(found(rows, sigma), sensitive)


def border(rows, sensitive, shares, order, *, below=None):
    """Return the rows where the pair of a row and an item of the least weight is removed, one after the other.

    For each sensitive itemset by the choice of items that loses the fewest legitimate itemsets: all of its items, or
    one of them. Without ``below``, itemsets are frequent that have the least support of a sensitive one.
    """
    sigma = max(1, min(support(itemset, rows) for itemset in sensitive)) if below is None else below
    others, left = legitimate(rows, sensitive, sigma), [frozenset(row) for row in rows]
    ranked = sorted(
        sensitive,
        key=lambda one: (any(other < one for other in sensitive), -len(one), support(one, rows), sensitive.index(one)),
    )
    for itemset in ranked:
        allowed = support(itemset, rows) - rows_to_lose(itemset, shares[sensitive.index(itemset)], rows, below)
        items = sorted(itemset, key=order.index)
        tried = [least_weight(left, itemset, choice, allowed, others, sigma) for choice in [items, *zip(items)]]
        left = min(tried, key=lambda made: sum(support(other, made) < sigma for other in others))
    return left


def least_weight(rows, itemset, choice, allowed, others, sigma):
    """Return the rows of which so many are allowed to hold the itemset; the others have lost an item of a choice."""
    left, numbers = [set(row) for row in rows], range(len(rows))
    while support(itemset, left) > allowed:
        holders = [at for at in numbers if itemset <= left[at]]
        weights = {other: weight(other, left, [left[at] for at in holders], sigma) for other in others}
        impacts = {
            (at, place): sum(weights[other] for other in others if item in other and other <= left[at])
            for at in holders
            for place, item in enumerate(choice)
        }
        at, place = min(impacts, key=lambda pair: (impacts[pair], pair))
        left[at].remove(choice[place])
    return [frozenset(row) for row in left]


def weight(itemset, rows, holders, sigma):
    """Return what an itemset weighs: nothing if it is lost, or if it stays frequent without all the holders."""
    slack = support(itemset, rows) - sigma
    if slack < 0 or support(itemset, holders) <= slack:
        return 0
    return Fraction(1, 2 ** (slack + 1).bit_length())


def least_harm(rows, sensitive, shares, *, below=None):
    """Return the fewest legitimate itemsets that hiding loses, and the fewest items that it then removes.

    By all ways to remove items from sensitive rows. Which row is which does not matter: rows are kept in some order.
    """
    sigma = max(1, min(support(itemset, rows) for itemset in sensitive)) if below is None else below
    others = legitimate(rows, sensitive, sigma)
    allowed = {
        itemset: support(itemset, rows) - rows_to_lose(itemset, share, rows, below)
        for itemset, share in zip(sensitive, shares, strict=True)
    }
    made = {()}
    for row in rows:
        parts = subsets(row) if any(itemset <= row for itemset in sensitive) else [row]
        made = {tuple(sorted([*one, tuple(sorted(part))])) for part in parts for one in made}
    size = sum(map(len, rows))
    return min(
        (sum(support(other, one) < sigma for other in others), size - sum(map(len, one)))
        for one in made
        if all(support(itemset, one) <= most for itemset, most in allowed.items())
    )


def merged(rows, sigma):
    """Return each different row, cut to the items that sigma rows hold, with how many rows are like it."""
    held = Counter(item for row in rows for item in frozenset(row))
    often = {item for item, times in held.items() if times >= sigma}
    return Counter(frozenset(row) & often for row in rows)


# Two releases. Whoever has both has, of each itemset that both tell of, the cells of each; where the old rows are among
# the new, the difference of a cell is the cell of the rows that were added.


def common_tops(*releases):
    """Return the largest itemsets whose supports all releases tell, each release given as rows and minimum support."""
    common = set.intersection(*(set(told(frequent(rows, sigma), sigma)) | {frozenset()} for rows, sigma in releases))
    return {itemset for itemset in common if not any(itemset < other for other in common)}


def changed_cells(old, new, tops):
    """Return {(base, top): (rows before, rows now)} of the cells of these tops that are not what they were."""
    found = {(base, top): (cell(base, top, old), cell(base, top, new)) for top in tops for base in subsets(top)}
    return {pair: counts for pair, counts in found.items() if counts[0] != counts[1]}


# Trees. The leaves of one tree part the rows, and what is told is how many rows of a class reach each. Several trees
# part the same rows in several ways: a row is in an overlap of leaves, one of each tree.


def tables(overlaps, told):
    """Return all ways to put rows into overlaps, a tuple of leaves each, so that ``told[tree][leaf]`` rows are in each.

    Each way is a tuple of numbers, one an overlap, in their order.
    """
    places = [set(leaves) for leaves in zip(*overlaps, strict=True)] or [set() for _ in told]
    if any(
        held and leaf not in place for leaves, place in zip(told, places, strict=True) for leaf, held in leaves.items()
    ):
        return []
    if not overlaps:
        return [()]
    first, *rest = overlaps
    found = []
    for number in range(min(leaves.get(leaf, 0) for leaf, leaves in zip(first, told, strict=True)) + 1):
        left = [
            {other: held - number * (other == leaf) for other, held in leaves.items()}
            for leaf, leaves in zip(first, told, strict=True)
        ]
        found += [(number, *others) for others in tables(rest, left)]
    return found


def inferred_overlaps(ways, k):
    """Return {overlaps: (fewest rows, most rows)} of those that hold from 1 to k - 1 rows together in every way."""
    found = {}
    for chosen in subsets(range(len(ways[0]))):
        held = [sum(way[at] for at in chosen) for way in ways]
        if min(held) >= 1 and max(held) < k:
            found[chosen] = (min(held), max(held))
    return found


# Attacks. Whoever reads a release knows n, the supports of what is published and, if it is complete, that nothing else
# reaches sigma. A database is {cell: rows}, where a cell is what a row holds of all items; a Boolean pattern is the set
# of cells in which it is true. What he infers holds in all databases that have the release.


def kinds_of_rows(items, groups=()):
    """Return the rows that there can be: sets of ``items`` with at most one item of each group."""
    return [row for row in subsets(sorted(items, key=str)) if not is_excluded(row, groups)]


def tables_within(items, limits, others=None, groups=()):
    """Return all databases in which the supports of sets of ``items`` keep {itemset: (least, most)}, a line for each.

    The limit of the empty itemset is how many rows there are. Any other without limits is held by at most ``others``
    rows, and no row holds two items of a group. A line tells the rows of each kind, in the order of ``kinds_of_rows``.

    Supports are chosen itemset by itemset, the small ones first. All cells of an itemset are then known but for its own
    support, which each of them is taken from or added to; and no cell is below 0.
    """
    every = kinds_of_rows(items)
    place = {one: at for at, one in enumerate(every)}
    supports = np.zeros((1, len(every)), dtype=np.int64)
    for one in every:
        least, most = limits.get(one, (0, np.iinfo(np.int64).max if others is None else others))
        most = 0 if is_excluded(one, groups) else most
        low, high = np.full(len(supports), max(0, least)), np.full(len(supports), most)
        for base in subsets(one):
            rest = sum((-1) ** len(more) * supports[:, place[base | more]] for more in subsets(one - base))
            if len(one - base) % 2:
                high = np.minimum(high, rest)
            else:
                low = np.maximum(low, -rest)
        ways = np.maximum(0, high - low + 1)
        supports = np.repeat(supports, ways, axis=0)
        firsts = np.repeat(low - np.cumsum(ways) + ways, ways)
        supports[:, place[one]] = firsts + np.arange(len(supports))
    cells = [
        sum((-1) ** len(more) * supports[:, place[base | more]] for more in subsets(frozenset(items) - base))
        for base in kinds_of_rows(items, groups)
    ]
    return np.array(cells).T


def databases_within(items, limits, others=None, groups=()):
    """Return what ``tables_within`` returns as databases."""
    kinds = kinds_of_rows(items, groups)
    tables = tables_within(items, limits, others, groups).tolist()
    return [Counter({kind: rows for kind, rows in zip(kinds, table, strict=True) if rows}) for table in tables]


def exactly(supports):
    """Return supports as limits."""
    return {one: (held, held) for one, held in supports.items()}


def databases_of(items, n):
    """Return all databases of ``n`` rows over ``items``."""
    return databases_within(items, exactly({frozenset(): n}))


def supports_of(database, items):
    """Return the support of each set of ``items``."""
    return {itemset: sum(rows for held, rows in database.items() if itemset <= held) for itemset in subsets(items)}


@cache
def releases(items, n, sigma):
    """Return for each release, {itemset: support} as a frozenset of pairs, all databases that have it."""
    found = {}
    for database in databases_of(items, n):
        supports = supports_of(database, items)
        said = frozenset((one, held) for one, held in supports.items() if held >= sigma or not one)
        found.setdefault(said, []).append(database)
    return found


def compatible(rows, items, sigma, *, complete):
    """Return all databases over ``items`` that have the release of these rows, or if it is not complete, more."""
    supports = {one: support(one, rows) for one in subsets(items)}
    told = {one: held for one, held in supports.items() if held >= sigma or not one}
    return databases_within(items, exactly(told), sigma - 1 if complete else None)


def limits_of(cells, databases, over=None):
    """Return the fewest and the most rows of some databases that are in one of the cells, over some items or all."""
    held = [
        sum(rows for row, rows in database.items() if (row if over is None else row & over) in cells)
        for database in databases
    ]
    return min(held), max(held)


def conjunctions(items):
    """Yield each conjunction over some items, as what rows hold and what they lack."""
    return ((has, lacks) for has in subsets(items) for lacks in subsets(frozenset(items) - has))


def inferred_conjunctions(databases, items, k):
    """Return {(has, lacks): (fewest, most)} of those that 1 to k - 1 rows of each of the databases hold."""
    found = {}
    for has, lacks in conjunctions(items):
        limits = limits_of({has}, databases, has | lacks)
        if limits[0] >= 1 and limits[1] < k:
            found[has, lacks] = limits
    return found


def inferred_pairs(databases, items, k):
    """Return the pairs of cells that hold 1 to k - 1 rows of each of the databases, as the kinds of rows within both.

    The cells are over some items, and differ in two of them or more; in one, they would be a conjunction.
    """
    found = set()
    for over in subsets(items):
        for one, other in combinations(list(subsets(over)), 2):
            low, high = limits_of({one, other}, databases, over)
            if len(one ^ other) > 1 and 1 <= low <= high < k:
                found.add(frozenset(kind for kind in subsets(items) if kind & over in {one, other}))
    return found


def is_anything_inferred(databases, items, k):
    """Return whether some Boolean pattern over ``items`` holds for 1 to k - 1 rows of each of the databases."""
    cells = list(subsets(items))
    tables = {tuple(database.get(one, 0) for one in cells) for database in databases}
    # A cell that may hold k rows or more is in no such pattern.
    few = [at for at in range(len(cells)) if max(table[at] for table in tables) < k]
    return any(
        all(0 < sum(table[at] for at in chosen) < k for table in tables)
        for chosen in map(tuple, subsets(few))
        if chosen
    )


def threatened(items, n, sigma, k):
    """Return the numbers of all releases, of those without channels, and of those of the latter that tell more.

    The last are two: by a conjunction, and by no conjunction but some other Boolean pattern.
    """
    found = releases(items, n, sigma)
    safe = {said: databases for said, databases in found.items() if is_safe(dict(said), k)}
    by_conjunction = {said for said, databases in safe.items() if inferred_conjunctions(databases, items, k)}
    others = (databases for said, databases in safe.items() if said not in by_conjunction)
    return len(found), len(safe), len(by_conjunction), sum(is_anything_inferred(one, items, k) for one in others)


# Rules, and supports that are not exact.


def cut(number, digits, mode):
    """Return a fraction as text with so many digits behind the point: the nearest, or the next below."""
    scaled = Fraction(number) * 10**digits
    whole = scaled // 1
    if mode == "round":
        half = scaled - whole
        whole += half > Fraction(1, 2) or (half == Fraction(1, 2) and whole % 2)
    text = str(int(whole)).rjust(digits + 1, "0")
    return f"{text[:-digits]}.{text[-digits:]}" if digits else text


def every_rule(supports):
    """Yield (antecedent, consequent, support, that of the antecedent) of all itemsets whose supports are listed."""
    for itemset, rows in supports.items():
        for held in subsets(itemset):
            if held and held != itemset and held in supports:
                yield held, itemset - held, rows, supports[held]


def antecedents(support, confidence, digits, mode, most):
    """Return how many rows, at most ``most``, may hold the antecedent of a rule with a confidence that was cut.

    A number half way between two may have been rounded to either.
    """
    far = {held: (Fraction(support, held) - Fraction(confidence)) * 10**digits for held in range(1, most + 1)}
    return [
        held
        for held, rest in far.items()
        if held >= support and (0 <= rest < 1 if mode == "truncate" else abs(rest) <= Fraction(1, 2))
    ]


def holders(base, lacked, database):
    """Return how many rows of {row: times} hold ``base`` and of each of some itemsets not all."""
    return sum(times for row, times in database.items() if base <= row and not any(part <= row for part in lacked))


def is_excluded(itemset, groups):
    """Return whether an itemset holds two items of a group, of which no row holds two."""
    return any(len(itemset & frozenset(group)) > 1 for group in groups)


def told_with(family, sigma, groups):
    """Return the supports that a reader of a family knows who knows the groups, each with those of all its parts."""
    known = told(family, sigma)
    every = {
        itemset: known.get(itemset, 0)
        for itemset in subsets(frozenset().union(*family))
        if itemset in known or is_excluded(itemset, groups)
    }
    return {itemset: held for itemset, held in every.items() if all(part in every for part in subsets(itemset))}


def channels_with(family, sigma, groups, k):
    """Return the maximal channels that only readers find who know the groups: {(base, top): rows}."""
    found = maximal_channels_of(told_with(family, sigma, groups), k)
    return {(base, top): rows for (base, top), rows in found.items() if top not in told(family, sigma)}


def lacked_by(base, top, groups):
    """Return the items of a top that rows with the base must be said to lack: others the groups exclude anyway."""
    return frozenset(item for item in top - base if not is_excluded(base | {item}, groups))


def are_few_told(family, groups, rows, k):
    """Return whether 1 to k - 1 rows hold some items and lack others, and all supports of Lemma 8 for them are known.

    That is so if each is published, or of an itemset with two items of a group.
    """
    return any(
        0 < cell(held, held | lacked, rows) < k
        and all(held | more in family or is_excluded(held | more, groups) for more in subsets(lacked))
        for held, lacked in conjunctions(frozenset().union(*family))
    )


# Limits. What is told of supports may be limits only, and of some items that no row holds two of them.


def smallest_outside(itemsets, items):
    """Return the smallest sets of ``items`` that are within none of some itemsets."""
    outside = [one for one in subsets(items) if not any(one <= other for other in itemsets)]
    return {one for one in outside if not any(other < one for other in outside)}


@cache
def databases_with_supports(items, n):
    """Return all databases of ``n`` rows over ``items``, each with the support of every set of these."""
    return tuple((database, supports_of(database, items)) for database in databases_of(items, n))


def fitting(items, numbers, keeps):
    """Return the databases, of one of some numbers of rows, whose supports are as somebody was told."""
    return [database for n in numbers for database, supports in databases_with_supports(items, n) if keeps(supports)]


def inferred_differences(databases, itemsets, k):
    """Return {(base, top): (fewest, most)} of listed itemsets that 1 to k - 1 rows of each database tell apart.

    These rows hold ``base`` and not all of ``top``.
    """
    found = {}
    for base in {frozenset(), *itemsets}:
        for top in itemsets:
            if base < top:
                held = [holders(base, [top], database) for database in databases]
                if min(held) >= 1 and max(held) < k:
                    found[base, top] = (min(held), max(held))
    return found


# Older releases. Rows were only added: each came with one of the releases, and each release tells of the rows that came
# with it or before. A database is as above, but its rows hold a mark for each older release that has them.


@cache
def grown_databases(items, marks, n):
    """Return all databases of ``n`` rows over ``items``, with one of ``marks`` for each older release, the first first.

    Each comes with the supports that every release has: in the older ones, then in the new one.
    """
    places = range(len(marks) + 1)
    kinds = [(held, place) for held in subsets(items) for place in places]
    found = []
    for rows in combinations_with_replacement(kinds, n):
        told = [supports_of(Counter(held for held, at in rows if at <= place), items) for place in places]
        found.append((Counter(held | frozenset(marks[place:]) for held, place in rows), told))
    return found


def compatible_grown(chain, items, marks, sigmas, *, complete):
    """Return all databases in which every release is that of the rows of a ``chain``, each a part of the next.

    If they are not complete, only what is listed has to be the same.
    """
    listed = [
        {one: support(one, rows) for one in subsets(items) if support(one, rows) >= sigma or not one}
        for rows, sigma in zip(chain, sigmas, strict=True)
    ]
    return [
        database
        for database, told in grown_databases(items, marks, len(chain[-1]))
        if all(
            all(supports[one] == held for one, held in said.items())
            and not (complete and any(held >= sigma and one not in said for one, held in supports.items()))
            for supports, said, sigma in zip(told, listed, sigmas, strict=True)
        )
    ]


# Blocking beside older releases: the difference of two tables of cells is the table of rows that came since, or left.


def cells_of_difference(top, after, before):
    """Return for each subset of ``top`` the rows with just these of its items, ``after`` less ``before``.

    Both are the supports of all subsets of ``top``. Inclusion and exclusion: each itemset between counts, with a sign.
    """
    return {
        base: sum((-1) ** len(one - base) * (after[one] - before[one]) for one in subsets(top) if base <= one)
        for base in subsets(top)
    }


def safe_beside(rows, sigma, k, olds):
    """Return the largest part of the safe core that is closed downwards and has no small difference from ``olds``.

    Each of these is the supports of an older release, by itemset. A difference is small if a cell of an itemset that
    both releases have differs by 1 to k - 1 rows.
    """
    core = safe_core(rows, max(sigma, k), k)

    def is_apart(top, old):
        return top not in old or all(
            count == 0 or abs(count) >= k for count in cells_of_difference(top, core, old).values()
        )

    return {
        itemset: held
        for itemset, held in core.items()
        if all(is_apart(part, old) for old in olds for part in subsets(itemset))
    }


def tell_between(chain):
    """Return the cells {(base, top): rows} of each release of a ``chain`` that follow, the oldest first.

    Each is the supports of a release, by itemset, and rows were only added. A support is known where it is listed; or
    where it follows from the cell of an itemset that as many rows have in an earlier release as in a later one, if all
    other supports in that cell's sum are known. Repeated until nothing more follows.
    """
    known, every = [dict(one) for one in chain], set().union(*chain)

    def rows_in(at, base, top):
        parts = [part for part in subsets(top) if base <= part]
        return sum((-1) ** len(one - base) * known[at][one] for one in parts) if known[at].keys() >= {*parts} else None

    is_done = False
    while not is_done:
        is_done = True
        for at, top in product(range(len(chain)), every):
            for base in subsets(top) if top not in known[at] else ():
                ends = [[rows_in(one, base, top) for one in side] for side in (range(at), range(at + 1, len(chain)))]
                same = {*ends[0]} & {*ends[1]} - {None}
                others = [part for part in subsets(top) if base <= part < top]
                if same and top not in known[at] and known[at].keys() >= {*others}:
                    rest = sum((-1) ** len(one - base) * known[at][one] for one in others)
                    known[at][top] = (-1) ** len(top - base) * (min(same) - rest)
                    is_done = False
    cells = [(base, top) for top in every for base in subsets(top)]
    return [{cell: rows for cell in cells if (rows := rows_in(at, *cell)) is not None} for at in range(len(chain))]


def safe_between(rows, sigma, k, olds):
    """Return what is safe beside ``olds``, of rows that were only added to, and tells of no older cell that is not.

    Itemsets are taken by their length: one is left out if, with it and the shorter ones, cells of two releases follow
    that differ by 1 to k - 1 rows, and did not follow without it.
    """
    found = {}

    def differences(new):
        told = tell_between([*olds, *[new] * bool(new)])
        pairs = combinations(told, 2)
        return {
            (at, cell)
            for at, (one, other) in enumerate(pairs)
            for cell in one.keys() & other.keys()
            if 0 < abs(one[cell] - other[cell]) < k
        }

    for itemset, held in sorted(safe_beside(rows, sigma, k, olds).items(), key=lambda pair: len(pair[0])):
        more = {**found, itemset: held}
        parts = subsets(itemset)
        if all(part in more for part in parts) and not differences(more) - differences(found):
            found = more
    return found


def fitting_grown(published, items, marks):
    """Return all databases with the supports that each release of a series has ``published``, the oldest first.

    Nothing follows from what a release does not list. Rows were only added, and rows that were there have a mark.
    """
    n = published[-1][frozenset()]
    return [
        database
        for database, told in grown_databases(items, marks, n)
        if all(
            supports[one] == held for supports, said in zip(told, published, strict=True) for one, held in said.items()
        )
    ]


# Announced rules: all that reach a minimum support and a minimum confidence are listed, of the kind that a miner lists.
# A miner that reckons with floats may lose those which just reach a minimum.


def mined_rules(supports, n, sigma, confidence, *, right=None, empty=False, loses=False):
    """Return {(antecedent, consequent): (support, that of the antecedent)} of all rules that reach both minima.

    ``right`` is how many items a consequent may have, ``empty`` whether an antecedent may have none, and ``loses``
    whether what just reaches a minimum is lost.
    """
    every = {**supports, frozenset(): n}
    found = {}
    for itemset, rows in supports.items():
        for held in subsets(itemset):
            also, base = itemset - held, every[held]
            is_of_kind = also and (held or empty) and (right is None or len(also) <= right)
            if is_of_kind and rows >= sigma + loses and base:
                share = Fraction(rows, base)
                if share > confidence or (share == confidence and not loses):
                    found[held, also] = (rows, base)
    return found


MEASURES = {
    "lift": lambda s, a, c: s / (a * c),
    "leverage": lambda s, a, c: s - a * c,
    "conviction": lambda s, a, c: (1 - c) / (1 - s / a) if s < a else None,
    "jaccard": lambda s, a, c: s / (a + c - s),
    "certainty": lambda s, a, c: (s / a - c) / (1 - c) if c < 1 else 0,
    "kulczynski": lambda s, a, c: (s / a + s / c) / 2,
    "zhangs_metric": lambda s, a, c: _zhang(s - a * c, max(s * (1 - a), a * (c - s))),
    "addedvalue": lambda s, a, c: s / a - c,
}
"""Measures as mlxtend and arules define them, of the shares of both sides, of the antecedent and of the consequent."""


def _zhang(difference, largest):
    return difference / largest if largest else 0


def arules_certainty(s, a, c):
    """Return the certainty factor as arules has it: by what confidence gains, or by what it loses."""
    gain = s / a - c
    return gain / (1 - c) if gain > 0 else gain / c


# Whatever is published: all databases that fit it, as an array with a line for each database and a column for each kind
# of row. A publication says the least and the most rows of each itemset that it speaks of, and a schema that no row
# holds two items of a group.


def truth(kinds, has, lacks=()):
    """Return for each kind of row whether it holds all of some items and none of others."""
    return np.array([set(has) <= kind and not set(lacks) & kind for kind in kinds])


def follows(databases, is_true, k):
    """Return whether a pattern, given by the kinds of rows for which it is true, holds for 1 to k - 1 rows in each."""
    held = databases @ is_true
    return bool(held.size and held.min() > 0 and held.max() < k)


def literal_patterns(kinds, items):
    """Yield the conjunctions over ``items``, and what says that a row holds some items, but not all of others."""
    for has, lacks in conjunctions(items):
        yield truth(kinds, has, lacks)
        if len(lacks) > 1:
            yield truth(kinds, has) & ~truth(kinds, has | lacks)


def boolean_pattern(databases, k):
    """Return the kinds of rows of which 1 to k - 1 are in each of the databases, if there are such; else None.

    A kind that may have k rows is not among them. One of those that a database has rows of must be: so all ways to
    choose are tried, one kind for each database that none was chosen for yet.
    """
    tables = np.unique(databases, axis=0)
    few = tables.max(axis=0) < k
    stack = [((), frozenset())]
    while stack:
        chosen, refused = stack.pop()
        held = tables[:, list(chosen)].sum(axis=1)
        if held.max() >= k:
            continue
        if held.min() > 0:
            return chosen
        for kind in np.flatnonzero(few & (tables[held.argmin()] > 0)).tolist():
            if kind not in refused:
                stack.append(((*chosen, kind), refused))
                refused = refused | {kind}
    return None


def sums(kinds, supports, patterns, k):
    """Yield the patterns that a sum of these supports, each taken some times, tells to hold for 1 to k - 1 rows.

    The rows that an itemset counts for are a vector over the kinds of rows; so is a pattern, and a sum tells its rows
    if the one is a combination of the others.
    """
    if not supports:
        return
    base = np.array([truth(kinds, itemset) for itemset in supports], dtype=float).T
    known = np.array([*supports.values()], dtype=float)
    inverse = np.linalg.pinv(base)
    for pattern in patterns:
        times = inverse @ pattern
        if np.allclose(base @ times, pattern, atol=1e-7) and 0 < round(times @ known) < k:
            yield pattern


def by_linear_programs(kinds, limits, patterns, k):
    """Yield the patterns that hold for 1 to k - 1 rows in every database, even if it may have parts of rows.

    Whole numbers are limits of what is left: more than 0 rows are 1.
    """
    base = np.array([truth(kinds, itemset) for itemset in limits], dtype=float)
    least, most = np.array([*limits.values()], dtype=float).T
    for pattern in patterns:
        ends = [
            linprog(sign * pattern, A_ub=np.vstack([base, -base]), b_ub=np.concatenate([most, -least])).fun * sign
            for sign in (1, -1)
        ]
        if ends[0] > 1e-6 and ends[1] < k - 1e-6:
            yield pattern


def is_told_by_parts(limits, k):
    """Return whether the supports of all parts of an itemset tell a Boolean pattern of 1 to k - 1 rows over it.

    That is what bounds on its own support tell (docs/guarantee.md, Theorem A3), which has limits too. What parts tell
    exactly is known for larger itemsets.
    """
    limits = dict(limits)
    for one in kinds_of_rows(frozenset().union(*limits)):
        parts = {part: limits[part] for part in subsets(one)}
        if all(low == high for part, (low, high) in parts.items() if part != one):
            tables = tables_within(one, parts)
            if boolean_pattern(tables, k) is not None:
                return True
            # The last kind of row holds all of it.
            limits[one] = (tables[:, -1].min(), tables[:, -1].max())
    return False


class Published:
    """What a list of itemsets says, and all databases that fit it."""

    def __init__(self, limits, groups=(), others=None, max_length=None):
        """Take {itemset: (least, most rows)}, items that exclude each other, and the most rows of any other itemset.

        If longer itemsets than ``max_length`` are left out, that says nothing of those whose short parts are all there.
        """
        self.items = frozenset().union(*limits)
        self.longest = max(map(len, limits))
        self.groups = [group for group in (frozenset(group) & self.items for group in groups) if len(group) > 1]
        self.kinds = kinds_of_rows(self.items, self.groups)
        n = limits[frozenset()][1]
        short = [one for one in subsets(self.items) if max_length is None or len(one) <= max_length]
        known = {one: any(part <= one and part not in limits for part in short) for one in subsets(self.items)}
        most = {one: others if is_known and others is not None else n for one, is_known in known.items()}
        self.limits = {one: limits.get(one, (0, most[one])) for one in subsets(self.items)}

    @cached_property
    def databases(self):
        """All databases that fit, a line for each and a column for each of the kinds of rows."""
        return tables_within(self.items, self.limits, groups=self.groups)

    @property
    def schema(self):
        """The groups as an option."""
        return self.groups or None

    def is_told_by_sums(self, k):
        """Return whether a sum of supports that are known exactly tells of 1 to k - 1 rows."""
        exact = {one: low for one, (low, high) in self.limits.items() if low == high}
        kinds = [kind for kind in self.kinds if self.limits[kind][1] > 0]
        return any(True for _ in sums(kinds, exact, literal_patterns(kinds, self.items), k))

    def is_told_by_programs(self, k):
        """Return whether linear programs over all items tell of 1 to k - 1 rows."""
        rare = [one for one in literal_patterns(self.kinds, self.items) if follows(self.databases, one, k)]
        return any(True for _ in by_linear_programs(self.kinds, self.limits, rare, k))

    def is_told(self, level, k):
        """Return whether an attacker of a level must find something; linear programs look at two items more."""
        if level == "exact":
            return boolean_pattern(self.databases, k) is not None
        if self.is_told_by_sums(k) or (level != "plain" and is_told_by_parts(self.limits, k)):
            return True
        return level == "linear" and len(self.items) <= self.longest + 2 and self.is_told_by_programs(k)

    def follows(self, over, cells, k):
        """Return whether 1 to k - 1 rows of each database hold of the items ``over`` just one of the cells."""
        return follows(self.databases, np.array([kind & over in cells for kind in self.kinds]), k)


def released(listed, n, others=None):
    """Return what closed or frequent itemsets and the number of rows say; any other has at most ``others`` rows."""
    return Published(exactly({**family_of(listed), frozenset(): n}), others=others)


def plain_number(number):
    """Return a fraction of tenths as people write it."""
    text = format((Decimal(number.numerator) / Decimal(number.denominator)).normalize(), "f")
    return "0" if text == "-0" else text


def range_of(number, numbers, kind, given):
    """Return the name of the range of a number among ``numbers``: by a width, by edges or by a number of quantiles."""
    if kind == "width":
        low = given * (number // given)
        edges = [low, low + given]
    elif kind == "edges":
        edges = list(given)
    else:
        ranked, many = sorted(numbers), len(numbers)
        edges = sorted(
            {ranked[-(-part * many // given)] for part in range(1, given) if -(-part * many // given) < many}
        )
        edges = [edge for edge in edges if edge > ranked[0]]
    if not edges:
        return "all"
    if number < edges[0]:
        return f"<{plain_number(edges[0])}"
    if number >= edges[-1]:
        return f"≥{plain_number(edges[-1])}"
    low, high = max(edge for edge in edges if edge <= number), min(edge for edge in edges if edge > number)
    width = [given] if kind == "width" else edges
    if any(one.denominator > 1 for one in [*numbers, *width]):
        return f"[{plain_number(low)}, {plain_number(high)})"
    return plain_number(low) if high == low + 1 else f"{plain_number(low)}–{plain_number(high - 1)}"


def table_items(text, separator, na=(), bins=None):
    """Return the items column=value of each line of a table in CSV, and the names of the columns without a gap."""
    header, *lines = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
    gaps = {"", "NA", "NaN", *na}
    cells = [{name: cell.strip() for name, cell in zip(header, line, strict=True)} for line in lines]
    held = [{name: cell for name, cell in line.items() if cell not in gaps} for line in cells]
    for name, (kind, given) in (bins or {}).items():
        numbers = [Fraction(line[name].replace(",", ".")) for line in held if name in line]
        for line in held:
            if name in line:
                line[name] = range_of(Fraction(line[name].replace(",", ".")), numbers, kind, given)
    full = {name for name in header if all(name in line for line in held)}
    return [frozenset(f"{name}={value}" for name, value in line.items()) for line in held], full


def merged_people(rows, names):
    """Return one row per person, in the order of first rows: whatever a row of this person holds."""
    return {
        name: frozenset().union(*(row for row, one in zip(rows, names, strict=True) if one == name)) for name in names
    }


def possible_rows(items, groups, total=()):
    """Return the rows over some items that hold at most one item of each group, and one of each that is total."""
    rows = [row for row in subsets(sorted(items)) if all(len(row & group) <= 1 for group in groups)]
    return [row for row in rows if all(row & group for group in total)]


def reduce_by(vector, basis):
    """Return what is left of a vector without the parts that pivots of a basis account for."""
    for pivot, one in basis:
        vector = [own - vector[pivot] * other for own, other in zip(vector, one, strict=True)]
    return vector


def span(vectors):
    """Return a basis of vectors: pairs of a pivot and a vector that is 1 there."""
    basis = []
    for vector in vectors:
        rest = reduce_by([Fraction(number) for number in vector], basis)
        pivot = next((at for at, number in enumerate(rest) if number), None)
        if pivot is not None:
            basis.append((pivot, [number / rest[pivot] for number in rest]))
    return basis


def revealed_by_schema(listed, rows, groups, k):
    """Return the conjunctions of 1 to k − 1 rows whose count is a sum of listed supports, whatever the rows may be.

    Rows hold at most one item of a group; and exactly one if the supports of its items add up to the number of rows.
    A count is such a sum if its indicator is a combination of those of listed itemsets, over all possible rows.
    """
    items = frozenset().union(*listed)
    total = [group for group in groups if sum(support({item}, rows) for item in group & items) == len(rows)]
    possible = possible_rows(items, groups, [group & items for group in total])
    basis = span([[itemset <= row for row in possible] for itemset in listed])
    pairs = [(base, lacked) for base in subsets(sorted(items)) for lacked in subsets(sorted(items - base))]
    return {
        (base, lacked)
        for base, lacked in pairs
        if 0 < sum(base <= row and not lacked & row for row in rows) < k
        and not any(reduce_by([Fraction(base <= row and not lacked & row) for row in possible], basis))
    }


def long_rows(text, row, item, separator=","):
    """Return the items of each row id of a long table in CSV, as Python reads it; None if a line lacks one of both."""
    try:
        records = [*csv.reader(StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=separator, strict=True)]
    except csv.Error:
        return None
    head, *lines = [record for record in records if record]
    pairs = [tuple(dict(zip(head, line, strict=False)).get(name, "") for name in (row, item)) for line in lines]
    if any(len(line) > len(head) for line in lines) or any("" in pair for pair in pairs):
        return None
    rows = {}
    for pair in pairs:
        name, label = (re.sub(r"^'(?='*\s*[=+\-@\t\r＝＋－＠])", "", field) for field in pair)
        rows.setdefault(name, set()).add(label)
    return rows


# Hierarchies. A row with an item holds the parent of the item as well, the parent's parent and so on.


def with_ancestors(row, parents):
    """Return a row with the ancestors of its items."""
    above = frozenset(parents[item] for item in row if item in parents)
    return frozenset(row) if above <= frozenset(row) else with_ancestors(frozenset(row) | above, parents)


def are_apart(one, other, parents):
    """Return whether neither of two items is above the other."""
    return one not in with_ancestors([other], parents) and other not in with_ancestors([one], parents)


def is_possible(row, items, attributes, parents):
    """Return whether a row over listed items holds all their ancestors, and no two values of an attribute but those."""
    held = [row & frozenset(values) for values in attributes]
    return row == with_ancestors(row, parents) & items and not any(
        are_apart(one, other, parents) for some in held for one in some for other in some
    )


def full_groups(items, rows, attributes, parents):
    """Yield values that exclude each other and add up to all rows with some item above them, or to all rows."""
    for group in subsets(sorted(items)):
        apart = all(one == other or are_apart(one, other, parents) for one in group for other in group)
        if group and apart and any(group <= frozenset(values) for values in attributes):
            many = sum(support({item}, rows) for item in group)
            shared = frozenset.intersection(*(with_ancestors([item], parents) for item in group)) - group
            for above in [frozenset(), *(frozenset([item]) for item in sorted(shared))]:
                if support(above, rows) == many:
                    yield group, above


def revealed_by_hierarchy(listed, rows, attributes, parents, k):
    """Return the conjunctions of 1 to k − 1 rows whose count is a sum of listed supports, whatever the rows may be.

    Readers know the parents of items, the values of attributes, and where listed values add up to all rows, or to all
    rows with their parent.
    """
    items = frozenset().union(*listed)
    possible = [row for row in subsets(sorted(items)) if is_possible(row, items, attributes, parents)]
    for group, above in full_groups(items, rows, attributes, parents):
        possible = [row for row in possible if row & group or not above <= row]
    basis = span([[itemset <= row for row in possible] for itemset in listed])
    pairs = [(base, lacked) for base in subsets(sorted(items)) for lacked in subsets(sorted(items - base))]
    return {
        (base, lacked)
        for base, lacked in pairs
        if 0 < sum(base <= row and not lacked & row for row in rows) < k
        and not any(reduce_by([Fraction(base <= row and not lacked & row) for row in possible], basis))
    }


def free(rows, sigma):
    """Frequent itemsets with fewer rows than each of their proper subsets: no implication follows from them."""
    listed = frequent(rows, sigma)
    parts = {itemset: [support(part, rows) for part in subsets(itemset) if part != itemset] for itemset in listed}
    return {itemset: many for itemset, many in listed.items() if all(part > many for part in parts[itemset])}


# Tables. Whoever knows the attributes of a table knows which rows there can be.


def agreed_in_all_tables(listed, groups, others, k):
    """Return a set of rows, 1 to k − 1 of which are in every table that may have been published; None without one.

    A table has the listed supports, and of any other itemset at most ``others`` rows. Its rows hold listed items, and
    at most one of a group. Tables are listed one by one, as long as all so far agree on something: each one disagrees.
    """
    kinds = possible_rows(frozenset().union(*listed), groups)
    unlisted = [kind for kind in kinds if kind not in listed]
    least = [*listed.values(), *(0 for _ in unlisted)]
    most = [*listed.values(), *(np.inf if others is None else others for _ in unlisted)]
    known = LinearConstraint([[one <= kind for kind in kinds] for one in [*listed, *unlisted]], least, most)

    def find(most, *limits):
        found = milp(np.zeros(len(kinds)), integrality=np.ones(len(kinds)), bounds=(0, most), constraints=limits)
        return [] if found.x is None else [np.rint(found.x).astype(int)]

    tables = find(np.inf, known)
    while chosen := find(1, LinearConstraint(tables, 1, k - 1)):
        few, many = (LinearConstraint(chosen, *ends) for ends in ((0, 0), (k, np.inf)))
        other = find(np.inf, known, few) or find(np.inf, known, many)
        if not other:
            return frozenset(kind for kind, is_chosen in zip(kinds, chosen[0], strict=True) if is_chosen)
        tables += other
    return None


def tables_published(listed, groups, others):
    """Return the kinds of possible rows, and the numbers of these in each table with the listed supports.

    Rows hold listed items, and at most one of a group; of any other itemset there are at most ``others`` rows. Tables
    are counted out kind by kind. Kinds of many items come first: with the rows of a kind, its support is known.
    """
    kinds = sorted(possible_rows(frozenset().union(*listed), groups), key=lambda kind: (-len(kind), sorted(kind)))
    most = listed[frozenset()] if others is None else others
    tables = [()]
    for at, kind in enumerate(kinds):
        # Each part of the kind, with the place of whatever contains it.
        parts = [(part, [place for place in range(at) if part <= kinds[place]]) for part in subsets(kind)]
        longer = []
        for table in tables:
            room = {part: listed.get(part, most) - sum(table[place] for place in holders) for part, holders in parts}
            least = room[kind] if kind in listed else 0
            longer += [(*table, own) for own in range(max(0, least), min(room.values()) + 1)]
        tables = longer
    return kinds, tables


def agreed_by_enumeration(listed, groups, others, k):
    """Return all sets of kinds of rows, 1 to k − 1 of which are in each of the tables that may have been published."""
    kinds, tables = tables_published(listed, groups, others)
    few = [at for at in range(len(kinds)) if all(table[at] < k for table in tables)]
    return {
        frozenset(kinds[at] for at in chosen)
        for chosen in map(tuple, subsets(few))
        if all(0 < sum(table[at] for at in chosen) < k for table in tables)
    }


def implied(listed):
    """Pairs of a listed itemset and an item that all its rows hold too, as the supports of a list show it."""
    return {
        (itemset - {item}, item)
        for itemset, many in listed.items()
        for item in itemset
        if listed.get(itemset - {item}) == many
    }


def fewest_members(sets, costs):
    """Return the fewest members of which each set has one, and of as few the cheapest: how many, and their cost."""
    members = sorted(frozenset().union(*sets))
    hitting = [chosen for chosen in subsets(members) if all(chosen & one for one in sets)]
    return min((len(chosen), sum(costs[one] for one in chosen)) for chosen in hitting)


def cuts(items, parents):
    """Yield the sets of items that cuts through a hierarchy take away: all children of a parent, and all below them.

    An item without a parent may be taken away too, with all below it.
    """
    brothers = {
        frozenset(one for one in items if one == item or parents.get(one) == parents.get(item, 0)) for item in items
    }
    for some in subsets(sorted(brothers, key=sorted)):
        away = frozenset().union(*some)
        if all(item in away for item in items if parents.get(item) in away):
            yield away


def fewest_levels(rows, sigma, k, attributes, parents, length=None):
    """Return how often rows hold an item that a cut takes away, for the best cut that reveals nothing."""
    common = frozenset(item for item in frozenset().union(*rows) if support({item}, rows) >= sigma)
    prices = {away: sum(support({item}, rows) for item in away) for away in cuts(common, parents)}
    for away in sorted(prices, key=prices.get):
        left = [row & common - away for row in rows]
        listed = list(frequent(left, sigma, length))
        if not listed or not reveals_few(listed, left, attributes, parents, k):
            return prices[away]
    return None


def reveals_few(listed, rows, attributes, parents, k):
    """Return whether sums of supports reveal 1 to k − 1 rows; without attributes, cells of listed itemsets are enough.

    Readers know the supports of these with the ancestors of their items.
    """
    if attributes:
        return bool(revealed_by_hierarchy(listed, rows, attributes, parents, k))
    items = frozenset().union(*listed)
    tops = {with_ancestors(itemset, parents) & items for itemset in listed}
    return any(0 < many < k for top in tops for many in Counter(row & top for row in rows).values())


def in_range(text, number):
    """Return whether a number is in a range such as <18, 40–49, 7, [1.5, 2) or ≥65."""
    if text[0] in "<≥":
        return (number < Fraction(text[1:])) == (text[0] == "<")
    if text[0] == "[":
        low, high = map(Fraction, text[1:-1].split(", "))
        return low <= number < high
    low, *high = map(int, text.split("–"))
    return low <= number <= (high or [low])[0]


def neighbours(bins):
    """Return pairs of some neighbouring bins and twice as many, as sets of bins, in which they are; never all bins."""
    place, found = {one: at for at, one in enumerate(bins)}, set()
    sizes = [2**level for level in range(len(bins)) if 2**level < len(bins)]
    for size, one in product(sizes, bins):
        some, more = (frozenset(b for b in bins if place[b] // many == place[one] // many) for many in (size, 2 * size))
        if some != more != frozenset(bins):
            found.add((some, more))
    return found


def least_cover(groups, needs, costs):
    """Return the least cost of copies of rows, so many in each group as it needs; a row costs the same each time."""
    choices = product(*(range(max(needs) + 1) for _ in costs))
    enough = (
        copies
        for copies in choices
        if all(sum(copies[row] for row in group) >= need for group, need in zip(groups, needs, strict=True))
    )
    return min(sum(cost * many for cost, many in zip(costs, copies, strict=True)) for copies in enough)


def odd_rows(rows, shape, items):
    """What is odd about rows, by the word that its sentence begins with; of their items, so many are known."""
    n, held = len(rows), Counter(item for row in rows for item in set(row))
    alone = [{item for item in row if held[item] == 1} for row in rows]
    rare = sum(map(bool, alone))
    if n < 10:
        return ["There are only"]
    signs = {
        "There are far": shape == "onehot" and items > 2 * n,
        "No row": shape == "baskets" and all(len(row) <= 1 for row in rows),
        "One item": any(100 * many >= 98 * n for many in held.values()),
        "Most rows": 10 * rare >= 9 * n,
        "No item": bool(rows[0]) and alone[0] == set(rows[0]) and 10 * rare <= n,
        "All": len(set(map(frozenset, rows))) == n,
    }
    return [sign for sign, holds in signs.items() if holds]


def histories(told, items):
    """Yield each way in which rows can have come by date, if these supports were told of all rows up to each date.

    ``told`` is a list of supports by itemset, one for each date, with n as that of the empty itemset. A way is the
    number of rows of each kind that came at each date, by kind and date.
    """
    kinds = list(subsets(items))

    def share(many, places):
        if places == 1:
            yield (many,)
            return
        for first in range(many + 1):
            for others in share(many - first, places - 1):
                yield (first, *others)

    def go_on(date, before):
        if date == len(told):
            yield {
                (kind, at): many for at, counts in enumerate(before) for kind, many in zip(kinds, counts, strict=True)
            }
            return
        came = told[date][frozenset()] - sum(map(sum, before))
        for counts in share(came, len(kinds)):
            now = [*before, counts]
            held = {
                itemset: sum(many for one in now for kind, many in zip(kinds, one, strict=True) if itemset <= kind)
                for itemset in told[date]
            }
            if held == told[date]:
                yield from go_on(date + 1, now)

    yield from go_on(0, [])


def below(node, parents, leaves):
    """Return the leaves of an attribute at or below a node; all of them below None."""

    def climb(value):
        while value is not None and value != node:
            value = parents.get(value)
        return value == node

    return {leaf for leaf in leaves if climb(leaf)}


def people_of(cell, attributes):
    """Return the kinds of people in a cell: the leaves of each attribute below its node. A kind has a leaf of each."""
    sets = [below(node, parents, leaves) for node, (leaves, parents) in zip(cell, attributes, strict=True)]
    return frozenset(product(*sets))


def tables_that_fit(kinds, sums):
    """Yield the number of people of each kind, in all ways in which sums of some kinds lie within their limits.

    Each kind must be in a sum with an upper limit.
    """
    kinds = list(kinds)
    inside = [[kind in group for kind in kinds] for group, _, _ in sums]

    def extend(chosen, totals):
        at = len(chosen)
        if at == len(kinds):
            if all(low <= total for total, (_, low, _) in zip(totals, sums, strict=True)):
                yield dict(zip(kinds, chosen, strict=True))
            return
        room = min(high - total for own, total, (_, _, high) in zip(inside, totals, sums, strict=True) if own[at])
        for many in range(room + 1):
            yield from extend(
                [*chosen, many], [total + many * own[at] for own, total in zip(inside, totals, strict=True)]
            )

    return extend([], [0] * len(sums))


def limits_of_cells(cells, attributes, published):
    """Return the fewest and the most people in each cell, over all tables that fit published limits of cells."""
    kinds = product(*(leaves for leaves, _ in attributes))
    sums = [(people_of(cell, attributes), low, high) for cell, (low, high) in published.items()]
    groups = {cell: people_of(cell, attributes) for cell in cells}
    found = {}
    for table in tables_that_fit(kinds, sums):
        for cell, group in groups.items():
            many = sum(table[kind] for kind in group)
            low, high = found.get(cell, (many, many))
            found[cell] = min(low, many), max(high, many)
    return found


def name_revealed(limits, said, hidden, k, width):
    """Return how a count is revealed by its limits, from what was ``said`` of it: recovered, told, narrowed or None.

    ``hidden`` is "masked", "absent" or "unpublished".
    """
    low, high = limits
    if low >= 1 and high < k:
        if low == high and hidden != "unpublished":
            return "recovered"
        if hidden != "masked" or said[0] < 1 or said[1] >= k:
            return "told"
    is_narrow = low < high and high - low < width and high - low < said[1] - said[0]
    return "narrowed" if is_narrow and low < k else None


def tables_with_sums_of(matrix, table, low, high):
    """Return all lists of whole numbers within limits that have the sums of ``table``, each a line of factors."""
    ranges = (range(least, most + 1) for least, most in zip(low, high, strict=True))
    sums = [sum(factor * count for factor, count in zip(line, table, strict=True)) for line in matrix]
    return [
        [*counts]
        for counts in product(*ranges)
        if sums == [sum(factor * count for factor, count in zip(line, counts, strict=True)) for line in matrix]
    ]


def counts_with_shares(total, parts, shares):
    """Return all counts of a total and its parts that fit.

    ``total`` and ``parts`` are the limits that are said of each; ``shares`` are limits of a part divided by the total,
    or None.
    """
    fitting = []
    for counts in product(*(range(low, high + 1) for low, high in parts)):
        whole = sum(counts)
        if not total[0] <= whole <= total[1]:
            continue
        pairs = [(part, share) for part, share in zip(counts, shares, strict=True) if share is not None]
        if not pairs or (whole and all(low * whole <= part <= high * whole for part, (low, high) in pairs)):
            fitting.append((whole, *counts))
    return fitting


def limits_with_shares(total, parts, shares):
    """Return the least and largest value of a total and of each part, over all counts that fit."""
    return [(min(column), max(column)) for column in zip(*counts_with_shares(total, parts, shares), strict=True)]


# Repairing tables of counts: what else must be masked, and the nearest multiples that add up, by trying everything.


def parts_of(cell, attributes):
    """Yield the cells that a cell is the sum of, in each attribute in which it can be split."""
    for at, (node, (leaves, parents)) in enumerate(zip(cell, attributes, strict=True)):
        every = dict.fromkeys((*leaves, *parents.values()))
        below = [value for value in every if parents.get(value) == node]
        if below:
            yield [(*cell[:at], value, *cell[at + 1 :]) for value in below]


def reveals_cell(said, hidden, attributes, k, width=1):
    """Return whether tables reveal a count of 1 to k − 1: of a hidden cell, or of the unknown parts of a known total.

    ``said`` are the limits of each cell of the tables, and ``hidden`` how those are hidden that are.
    """
    found = limits_of_cells(said, attributes, said)
    for cell, how in hidden.items():
        if name_revealed(found[cell], said[cell], how, k, width):
            return True
    is_shown = any(low >= 1 and high < k for cell, (low, high) in found.items() if cell not in hidden)
    return is_shown or any(small_rests(found, attributes, k))


def small_rests(found, attributes, k):
    """Yield the unknown parts of each known total that add up to 1 to k − 1, and to less than it, by all limits."""
    for cell, (low, high) in found.items():
        for parts in parts_of(cell, attributes):
            if low < high or not all(part in found for part in parts):
                continue
            unknown = [part for part in parts if found[part][0] < found[part][1]]
            rest = low - sum(found[part][0] for part in parts if part not in unknown)
            if len(unknown) > 1 and 0 < rest < min(k, low):
                yield frozenset(unknown), rest


def cheapest_masks(counts, attributes, k, costs, least):
    """Return the least cost of masks beside those of counts from 1 to k − 1, so that nothing is revealed.

    The grand total and counts of 0 are never masked; a reader takes a mask for at least ``least``. None if none help.
    """
    total = max(counts.values())
    small = {cell for cell, many in counts.items() if 0 < many < k}
    others = [cell for cell, many in counts.items() if many >= k and any(cell)]
    choices = [some for size in range(len(others) + 1) for some in combinations(others, size)]
    for some in sorted(choices, key=lambda some: sum(costs[cell] for cell in some)):
        masked = small | {*some}
        said = {cell: (least, total) if cell in masked else (many, many) for cell, many in counts.items()}
        if not reveals_cell(said, dict.fromkeys(masked, "masked"), attributes, k):
            return sum(costs[cell] for cell in some)
    return None


def nearest_multiples(kinds, attributes, base):
    """Return the least sum of changes of all cells, if those of single kinds become multiples of ``base`` near them.

    All cells are sums of them; each is less than the base away from its count, and multiples stay. None if none are.
    """
    trees = [[None, *dict.fromkeys((*leaves, *parents.values()))] for leaves, parents in attributes]
    groups = [people_of(cell, attributes) for cell in product(*trees)]
    near = [[many - many % base, many - many % base + base][: 1 + (many % base > 0)] for many in kinds.values()]
    best = None
    for numbers in product(*near):
        rounded = dict(zip(kinds, numbers, strict=True))
        pairs = [(sum(rounded[kind] for kind in group), sum(kinds[kind] for kind in group)) for group in groups]
        if all(abs(new - old) < base and (old % base or new == old) for new, old in pairs):
            change = sum(abs(new - old) for new, old in pairs)
            best = change if best is None else min(best, change)
    return best


# Events: what all tables of people agree on, who knows nothing of tables, margins or cliques.


def tables_of_people(kinds, numbers, most):
    """Return all ways to have up to ``most`` people of some kinds that fit ``numbers``: sets of kinds with limits."""
    every = [*numbers, (frozenset(kinds), 0, most)]
    sums = [(group, low, min(high, most)) for group, low, high in every]
    return np.array([[*table.values()] for table in tables_that_fit(kinds, sums)], dtype=int).reshape(-1, len(kinds))


def small_events(kinds, numbers, masks, most, k):
    """Return the sets of kinds of which all tables that fit have 1 to k − 1 people, though no mask says so.

    ``masks`` are those of the numbers that stand for 1 to k − 1 by themselves. They say so of a set if, beside kinds
    that nobody is of, they alone leave it no other numbers of people, and these are several.
    """
    kinds = list(kinds)
    tables = tables_of_people(kinds, numbers, most)
    if not len(tables):
        return None
    inside = np.array([[event >> at & 1 for at in range(len(kinds))] for event in range(1, 1 << len(kinds))]).T
    sums = tables @ inside
    low, high = sums.min(axis=0), sums.max(axis=0)
    nobody = tables.max(axis=0) == 0
    rows = [([kind in group for kind in kinds], least, largest) for group, least, largest in masks]
    found = []
    for event in np.flatnonzero((low >= 1) & (high < k)).tolist():
        ends = int(low[event]), int(high[event])
        if ends[0] == ends[1] or not are_said_small(inside[:, event], rows, nobody, k):
            found.append((frozenset(kind for kind, is_in in zip(kinds, inside[:, event], strict=True) if is_in), ends))
    return found


def are_said_small(event, rows, nobody, k):
    """Return whether sums within limits leave a set of kinds with 1 to k − 1 people in whole numbers."""
    if not rows:
        return False
    matrix, least, largest = zip(*rows, strict=True)
    limits = LinearConstraint(np.array(matrix, dtype=float), least, largest)
    bounds, whole = Bounds(0, np.where(nobody, 0, np.inf)), np.ones(len(nobody))
    ends = []
    for sign in (1, -1):
        solved = milp(sign * event, constraints=limits, bounds=bounds, integrality=whole)
        if solved.fun is None:
            return False
        ends.append(round(sign * solved.fun))
    return 1 <= ends[0] <= ends[1] < k


# Beliefs. A reader takes all lists of rows that fit, or all tables of counts, as equally likely.


def universes(rows, sigma, more):
    """Return the largest frequent itemsets, each with up to ``more`` other frequent items; each set once."""
    tops = maximal(rows, sigma)
    items = frozenset().union(*tops)
    added = [frozenset(chosen) for size in range(1, more + 1) for chosen in combinations(sorted(items), size)]
    return {top | one for top in tops for one in added if not top & one}


def weights(tables, prior):
    """Return how much each table counts: by the lists of rows that have it, or once."""
    if prior == "uniform":
        return np.ones(len(tables), dtype=object)
    factorials = np.array([factorial(count) for count in range(tables.sum(axis=1).max() + 1)], dtype=object)
    return factorials[-1] // factorials[tables].prod(axis=1)


def beliefs(rows, sigma, universe, k, prior, *, complete):
    """Return for each cell over the items of a universe the share of tables in which it has 1 to k - 1 rows."""
    told = frequent(rows, sigma)
    known = {one: held for one, held in told.items() if one <= universe} | {frozenset(): len(rows)}
    tables = tables_within(universe, exactly(known), sigma - 1 if complete else None)
    ways = weights(tables, prior)
    few = (tables > 0) & (tables < k)
    return {
        kind: Fraction(int(ways[few[:, at]].sum()), int(ways.sum())) for at, kind in enumerate(kinds_of_rows(universe))
    }


def small_within(rows, sigma, universe, k):
    """Return the cells over a universe within a cell of a published itemset that 0 to k - 1 rows are in."""
    published = [one for one in [frozenset(), *frequent(rows, sigma)] if one <= universe]
    return {
        kind
        for kind in kinds_of_rows(universe)
        if any(sum(row & one == kind & one for row in map(frozenset, rows)) < k for one in published)
    }


def spreads_of_cells(cells, attributes, published, prior):
    """Return how probable each number of people in each cell is, if limits of published cells are known.

    With the prior "entropy", all lists of people that fit are equally likely; with "uniform", all different tables of
    the cells.
    """
    kinds = list(product(*(leaves for leaves, _ in attributes)))
    sums = [(people_of(cell, attributes), low, high) for cell, (low, high) in published.items()]
    groups = [people_of(cell, attributes) for cell in cells]
    ways = {}
    for people in tables_that_fit(kinds, sums):
        lists = factorial(sum(people.values())) // prod(map(factorial, people.values()))
        table = tuple(sum(people[kind] for kind in group) for group in groups)
        ways[table] = ways.get(table, 0) + lists if prior == "entropy" else 1
    return dict(zip(cells, spreads(ways), strict=True))


def spreads(ways):
    """Return how probable each value in each place is, if each of some tables can come about in so many ways."""
    found, every = [{} for _ in next(iter(ways))], sum(ways.values())
    for table, many in ways.items():
        for spread, value in zip(found, table, strict=True):
            spread[value] = spread.get(value, 0) + Fraction(many, every)
    return found


def largest_entropy(kinds, supports):
    """Return the rows of each kind, not whole, that have some supports and the largest entropy.

    The logarithm of each is a sum of multipliers, one for each support: Newton's method finds the least of the dual.
    """
    held = np.array([[one <= kind for kind in kinds] for one in supports], dtype=float)
    totals = np.array(list(supports.values()), dtype=float)
    multipliers, step = np.zeros(len(totals)), 1.0

    def cost(at):
        return np.exp(np.minimum(at @ held, 500)).sum() - at @ totals

    for _ in range(400):
        cells = np.exp(multipliers @ held)
        slope = held @ cells - totals
        way = np.linalg.lstsq((held * cells) @ held.T, slope, rcond=1e-14)[0]
        step = 1.0
        while cost(multipliers - step * way) > cost(multipliers) - 1e-4 * step * (slope @ way) and step > 1e-9:
            step /= 2
        multipliers = multipliers - step * way
    return np.exp(multipliers @ held)


# Surprise: an itemset against its parts.


def exact_table(itemset, rows):
    """Return for each subset of ``itemset`` how many rows hold its items and no other item of ``itemset``."""
    cells = Counter(frozenset(row) & frozenset(itemset) for row in rows)
    return {subset: cells[subset] for subset in subsets(sorted(itemset, key=repr))}


def expected_support(itemset, rows):
    """Return the support of ``itemset`` in the table of greatest entropy that keeps the supports of its proper subsets.

    Such tables differ by one number: what one subset gains, those with an item more or less lose. The entropy is
    greatest where its slope is 0.
    """
    cells = exact_table(itemset, rows)
    signs = {subset: (-1) ** (len(itemset) - len(subset)) for subset in cells}
    low = -min(count for subset, count in cells.items() if signs[subset] > 0)
    high = min(count for subset, count in cells.items() if signs[subset] < 0)
    if low == high:
        return cells[frozenset(itemset)] + low

    def slope(shift):
        return -sum(signs[subset] * np.log(count + signs[subset] * shift) for subset, count in cells.items())

    margin = 1e-13 * (high - low)
    return cells[frozenset(itemset)] + brentq(slope, low + margin, high - margin, xtol=1e-13)


def surprise(itemset, rows, support=None):
    """Return the signed root of the log-likelihood ratio of the table to that of greatest entropy; + for too rare.

    With a ``support``, as if so many rows held ``itemset``, and its proper subsets as many as they do.
    """
    expected, cells, whole = expected_support(itemset, rows), exact_table(itemset, rows), frozenset(itemset)
    shift = 0 if support is None else support - cells[whole]
    ratio = 0.0
    for subset in cells:
        sign = (-1) ** (len(whole) - len(subset))
        own, fitted = cells[subset] + sign * shift, cells[subset] + sign * (expected - cells[whole])
        ratio += own * np.log(own / fitted) if own > 0 and fitted > 0 else 0.0
    return float(np.sign(expected - cells[whole] - shift) * np.sqrt(max(0.0, 2 * ratio)))


def suspects(rows, longest):
    """Return for each itemset of 2 to ``longest`` items its support, the expected one, and the surprise."""
    items = frozenset().union(*rows)
    wanted = [itemset for itemset in subsets(sorted(items, key=repr)) if 2 <= len(itemset) <= longest]
    return {one: (support(one, rows), expected_support(one, rows), surprise(one, rows)) for one in wanted}


def chance_of_a_hit(surprises, hidden, guesses):
    """Return the probability that the first guesses hold a hidden one, over all orders of those that tie."""
    orders = [order for order in permutations(surprises) if is_falling([surprises[one] for one in order])]
    return Fraction(sum(any(one in hidden for one in order[:guesses]) for order in orders), len(orders))


def is_falling(values):
    """Return whether no value is followed by a larger one."""
    return all(one >= other for one, other in pairwise(values))
