"""Withholding where readers know the parents of items: what goes with an itemset that is left out."""

from collections.abc import Iterable

import numpy as np

from discreet import kernels
from discreet.data.hierarchy import Hierarchy, expand, match_wider
from discreet.data.itemsets import Itemsets, Label, Weighted
from discreet.data.patterns import Patterns
from discreet.disclosure.attacks.facts import Codes


def keep_with_parents(core: Weighted, labels: tuple[Label, ...], hierarchy: Hierarchy | None) -> Weighted:
    """Return the itemsets that are listed together with the ancestors of their items: readers know these supports too.

    >>> core = Itemsets.of([[], [0], [1], [0, 2], [2]]).weigh(np.array([90, 60, 58, 30, 50]))
    >>> kept = keep_with_parents(core, ("drinks", "tea", "bread"), Hierarchy.of({"tea": "drinks"}))
    >>> [itemset.tolist() for itemset in kept]
    [[], [0], [0, 2], [2]]
    """
    if hierarchy is None:
        return core
    known = Itemsets(core.offsets.copy(), core.items.copy()).sort_items()
    wider = expand(core, hierarchy.lines(labels))
    return core.take(np.flatnonzero(match_wider(known, wider, len(labels)) >= 0))


def leave_out(patterns: Patterns, itemsets: Iterable[Codes]) -> Patterns:
    """Return the patterns without those that contain one of the itemsets, by themselves or with their ancestors.

    So what stays listed of a child stays listed of its parent.
    """
    known, hierarchy = patterns.itemsets, patterns.hierarchy
    full = known if hierarchy is None else expand(known, hierarchy.lines(patterns.labels))
    is_left = np.ones(len(patterns), dtype=np.bool_)
    for itemset in itemsets:
        is_left &= ~full.contain(itemset)
    return patterns.take(np.flatnonzero(is_left))


def follow(kept: Patterns, listed: Patterns) -> Patterns:
    """Return the kept part of a list without what goes with the itemsets that were left out of it."""
    if kept.hierarchy is None or len(kept) == len(listed):
        return kept
    places = kernels.closure.match(*listed.itemsets.flat, *kept.itemsets.flat)
    return leave_out(kept, (frozenset(listed.codes(at)) for at in np.flatnonzero(places < 0).tolist()))
