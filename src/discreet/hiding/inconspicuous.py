"""Inconspicuous hiding: no sensitive itemset is rarer than ordinary itemsets are, given its parts.

A reader who ranks the itemsets of the shared rows by surprise finds those that were hidden first (docs/hide.md). So
each sensitive itemset gets a limit: the surprise of an ordinary itemset of as many items, drawn at random, or its own
if that is larger. It is lowered as far as was asked, but not so far that its surprise exceeds the limit.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from math import inf
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.data.itemsets import Items, Itemset, Itemsets
from discreet.data.transactions import Transactions
from discreet.disclosure.attacks.facts import as_schema
from discreet.disclosure.attacks.surprise import LONGEST, SHORTEST, Candidates, as_least, find_candidates, find_floor
from discreet.disclosure.attacks.suspicion import GUESSES, SuspectedItemsets, rank_itemsets
from discreet.errors import BudgetError, OptionError
from discreet.hiding.problem import HidingProblem, Solution, count_supports, remove
from discreet.runtime.solver import Floats, Numbers
from discreet.runtime.text import abbreviate

QUARTER: Final = 4  # the part of the ranks that ordinary itemsets are drawn from
PATIENCE: Final = 10  # rounds after which supports are raised in ever larger steps
MOST: Final = 200_000  # itemsets of all lengths that are looked at


class Disguise(NamedTuple):
    """What keeping sensitive itemsets inconspicuous takes: higher supports than ``asked``, up to ``at_most``.

    ``before`` and ``after`` rank the sensitive itemsets by surprise, as a reader would, among those expected in
    ``min_support`` rows or more. Ordinary itemsets were drawn with the ``seed``.
    """

    asked: Numbers
    at_most: Numbers
    before: SuspectedItemsets
    after: SuspectedItemsets
    min_support: int
    seed: int


def solve_inconspicuously(
    problem: HidingProblem, solve: Callable[[HidingProblem], Solution], seed: int
) -> tuple[HidingProblem, Solution, Disguise]:
    """Solve a problem whose supports are raised until no sensitive itemset is too surprising; return it, too.

    Where a row keeps an itemset, it keeps the parts, and more is expected: so supports are raised again and again. If
    one is back at that of the original rows and still too low, those of all that share an item with it are raised.
    Once all are, the rows are the original ones, in which no limit is exceeded: so this ends.
    """
    least, found = find_ordinary(problem.rows, problem.sensitive.itemsets)
    limits, shares = draw_limits(found, problem.itemsets, seed), _find_shares(problem.itemsets)
    asked = problem.supports - problem.to_lose
    goals, rounds = asked.copy(), 0
    while True:
        raised = _raise(problem, goals)
        solution = solve(raised)
        rows = remove(problem.rows, solution.removals)
        lacking = _count_lacking(rows, problem.itemsets, limits)
        is_free = goals < problem.supports
        sharers = np.maximum((shares & is_free).sum(axis=1), 1)
        parts = np.where(is_free, 0, -(-lacking // sharers))
        lacking = np.maximum(lacking, (shares * parts).max(axis=1))
        if not lacking[is_free].any():
            break
        rounds += 1
        goals = np.minimum(goals + (lacking << max(0, min(rounds - PATIENCE, 30))), problem.supports)
    before = rank_itemsets(problem.rows, found, problem.sensitive.itemsets)
    after = rank_hidden(rows, problem.sensitive.itemsets, least)
    return raised, solution, Disguise(asked, goals, before, after, least, seed)


def rank_hidden(rows: Transactions, itemsets: Sequence[Itemset], least: int) -> SuspectedItemsets:
    """Return the sensitive itemsets with their ranks among those of ``rows`` expected in ``least`` of them or more."""
    return rank_itemsets(rows, _find_candidates(rows, itemsets, least), itemsets)


def as_seed(seed: int) -> int:
    """Return a seed; refuse anything but a whole number from 0 on."""
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise OptionError(f"seed is {abbreviate(seed)}; give a whole number of at least 0")
    return seed


def find_ordinary(rows: Transactions, itemsets: Sequence[Itemset]) -> tuple[int, dict[int, Candidates]]:
    """Return the itemsets that a reader looks at, and how many rows are expected of each at least.

    This is doubled where there would be too many of them.
    """
    least = as_least(None, rows.n)
    while True:
        try:
            return least, _find_candidates(rows, itemsets, least)
        except BudgetError:
            least *= 2


def draw_limits(found: Mapping[int, Candidates], itemsets: Itemsets, seed: int) -> Floats:
    """Return the most surprise that each sensitive itemset may have: that of an ordinary one of its length.

    Ordinary are the itemsets that are not sensitive, rank within the first quarter, and are not among the first
    guesses. All are equally likely: a reader who knows the method knows no better than to look at this quarter. An
    itemset that is more surprising as it is keeps its own surprise; one that no reader looks at has no limit.

    >>> rows = Transactions([["a", "b"]] * 2 + [["a"]] * 6 + [["b"]] * 6 + [[]] * 2)
    >>> draw_limits(find_candidates(rows, least=4), Itemsets.of([[0, 1], [0]]), 1).tolist()
    [2.045968, inf]
    """
    generator, limits = np.random.default_rng(seed), []
    places = [_find(found, itemset) for itemset in itemsets]
    for itemset, place in zip(itemsets, places, strict=True):
        if place is None:
            limits.append(inf)
            continue
        surprise = found[itemset.size].surprise
        alike = [other for one, other in zip(itemsets, places, strict=True) if one.size == itemset.size]
        ordinary = -np.sort(-np.delete(surprise, [other for other in alike if other is not None]))
        ordinary = ordinary[GUESSES : max(GUESSES + 1, ordinary.size // QUARTER)]
        drawn = generator.choice(ordinary) if ordinary.size else surprise[place]
        limits.append(float(max(drawn, surprise[place])))
    return np.array(limits)


def _find_shares(itemsets: Itemsets) -> NDArray[np.bool_]:
    """Return which itemsets share an item.

    >>> _find_shares(Itemsets.of([[0, 1], [1, 2], [3]])).tolist()
    [[True, True, False], [True, True, False], [False, False, True]]
    """
    sets = [frozenset(itemset.tolist()) for itemset in itemsets]
    return np.array([[not one.isdisjoint(other) for other in sets] for one in sets])


def _find(found: Mapping[int, Candidates], itemset: Items) -> int | None:
    candidates = found.get(itemset.size)
    return None if candidates is None else candidates.find(itemset.tolist())


def _find_candidates(rows: Transactions, itemsets: Sequence[Itemset], least: int) -> dict[int, Candidates]:
    lengths = {len(itemset) for itemset in itemsets}.intersection(range(SHORTEST, LONGEST + 1))
    groups = as_schema(rows.schema, rows.labels, rows.hierarchy)
    return find_candidates(rows, least=least, lengths=lengths, groups=groups, most=MOST)


def _raise(problem: HidingProblem, goals: Numbers) -> HidingProblem:
    """Return the problem in which each sensitive itemset may keep ``goals`` of its rows."""
    pairs = zip(goals.tolist(), problem.supports.tolist(), strict=True)
    shares = tuple(Fraction(goal, support) if support else Fraction(0) for goal, support in pairs)
    sensitive = problem.sensitive._replace(disclosures=shares)
    return replace(problem, sensitive=sensitive, below=None, min_support=problem.min_support or problem.below)


def _count_lacking(rows: Transactions, itemsets: Itemsets, limits: Floats) -> Numbers:
    """Return how many rows each itemset lacks to be no more surprising than its limit, given its parts in ``rows``."""
    lacking, start = np.zeros(len(itemsets), dtype=np.int64), 0
    subsets = {at: _list_subsets(itemsets[at].tolist()) for at in np.flatnonzero(np.isfinite(limits)).tolist()}
    counts = count_supports(rows, Itemsets.of(chain.from_iterable(subsets.values())))
    for number, parts in subsets.items():
        supports, start = counts[start : start + len(parts)], start + len(parts)
        lacking[number] = max(0, find_floor(supports, limits[number]) - int(supports[-1]))
    return lacking


def _list_subsets(items: Sequence[int]) -> list[list[int]]:
    """Return all subsets; bit ``i`` of the place of one says whether it has item ``i``.

    >>> _list_subsets([4, 7])
    [[], [4], [7], [4, 7]]
    """
    return [[item for at, item in enumerate(items) if mask >> at & 1] for mask in range(1 << len(items))]
