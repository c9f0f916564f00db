"""Distortion: the cost of a release, over all frequent itemsets that its closed ones stand for."""

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import repeat
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Items, sort_labels
from discreet.data.lattice import Trie, add_missing_root
from discreet.data.patterns import Patterns
from discreet.disclosure.detect import list_frequent
from discreet.errors import InputError, refuse_truth

LONGEST: Final = 63  # items of an itemset whose subsets a word can count


@refuse_truth(ask=".changed")
class Distortion(NamedTuple):
    """How far published supports are from the original ones, over all frequent ``itemsets``, the empty one included.

    ``lost`` itemsets are no longer published; ``changed`` ones have another support or are lost. ``average`` is the
    mean change, as a share of the original support; a lost itemset counts as 1. ``largest`` is the largest change, in
    rows; that of a lost itemset is its support.
    """

    itemsets: int
    lost: int
    changed: int
    average: float
    largest: int

    @property
    def share_changed(self) -> float:
        """The share of the itemsets that have changed."""
        return self.changed / self.itemsets if self.itemsets else 0.0


def distortion(before: Patterns, after: Patterns) -> Distortion:
    """Return how far the supports ``after`` are from those ``before``, over all itemsets that were frequent.

    Both are lists of closed or of all frequent itemsets. The measure is that of *Blocking anonymity threats* (ICDM
    2005), computed without listing what closed itemsets stand for: the itemsets of one closure had one support, and
    still have one if every itemset that is closed now was so before.

    >>> before = Patterns.from_itemsets([([], 10), (["a"], 8), (["a", "b"], 5)], n=10, kind="closed")
    >>> after = Patterns.from_itemsets([([], 10), (["a"], 6)], n=10, kind="closed")
    >>> distortion(before, after)
    Distortion(itemsets=4, lost=2, changed=3, average=0.5625, largest=5)
    """
    old, new = relabel(_root(before), _root(after))
    sizes, supports = class_sizes(old), old.supports.tolist()
    if (kernels.closure.match(*new.itemsets.flat, *old.itemsets.flat) >= 0).all():
        return _add_up(zip(sizes, supports, supports_in(new, old).tolist(), strict=True))
    frequent = list_frequent(new)
    numbers = _find_closures(frequent, old)
    known = numbers >= 0
    lost = np.array(sizes, dtype=object) - np.bincount(numbers[known], minlength=len(old))
    kept = zip(repeat(1), old.supports[numbers[known]].tolist(), frequent.supports[known].tolist(), strict=False)
    return _add_up([*kept, *zip(lost, supports, repeat(0), strict=False)])


def supports_in(patterns: Patterns, itemsets: Patterns) -> NDArray[np.int64]:
    """Return the supports that follow from ``patterns`` for the itemsets of another list; 0 where none follows.

    >>> before = Patterns.from_itemsets([([], 10), (["a"], 8), (["a", "b"], 5)], n=10, kind="closed")
    >>> after = Patterns.from_itemsets([(["a"], 9)], n=9, kind="closed")
    >>> supports_in(after, before).tolist()
    [9, 9, 0]
    """
    known, wanted = relabel(_root(patterns), itemsets)
    closures = _find_closures(wanted, known)
    return np.where(closures >= 0, known.supports[closures] if len(known) else 0, 0)


def class_sizes(patterns: Patterns) -> list[int]:
    """Return how many frequent itemsets each pattern stands for: those whose closure it is.

    >>> from discreet import mine
    >>> class_sizes(mine([["a", "b"], ["a", "b", "c"]], min_support=1))
    [4, 4]
    """
    patterns = _root(patterns)
    if patterns.kind == "frequent":
        return [1] * len(patterns)
    itemsets, trie, root, labels = patterns.itemsets, plant(patterns), patterns.is_rooted, len(patterns.labels)
    order = np.argsort(itemsets.lengths, kind="stable")
    if itemsets.longest <= LONGEST:
        counts = np.zeros(len(patterns), dtype=np.uint64)
        kernels.closure.count_classes(trie, root, *itemsets.flat, order, labels, counts)
        return [int(count) for count in counts.tolist()]
    sizes = [0] * len(patterns)
    inside, found = np.zeros(labels, dtype=np.bool_), np.empty(len(patterns) + 2, dtype=np.int64)
    for number in order.tolist():
        inside[itemsets[number]] = True
        subsets = found[: kernels.closure.walk(trie, root, inside, found)].tolist()
        sizes[number] = 2 ** itemsets[number].size - sum(sizes[other] for other in subsets)
        inside[itemsets[number]] = False
    return sizes


def _root(patterns: Patterns) -> Patterns:
    """Return the patterns with the empty itemset where it counts; refuse maximal ones."""
    if patterns.kind == "maximal":
        raise InputError("maximal itemsets do not tell the supports of their subsets; give closed or frequent ones")
    return add_missing_root(patterns)


def relabel(*lists: Patterns) -> list[Patterns]:
    """Return lists with the same labels; if they have others, with those of their itemsets alone."""
    if all(patterns.labels == lists[0].labels for patterns in lists):
        return list(lists)
    used = [np.unique(patterns.items) for patterns in lists]
    pairs = list(zip(lists, used, strict=True))
    labels = sort_labels(patterns.labels[item] for patterns, items in pairs for item in items.tolist())
    code = {label: number for number, label in enumerate(labels)}

    def recode(patterns: Patterns, items: Items) -> Patterns:
        codes = np.zeros(len(patterns.labels), dtype=np.int32)
        codes[items] = [code[patterns.labels[item]] for item in items.tolist()]
        arrays = patterns.offsets.copy(), codes[patterns.items], patterns.supports.copy()
        n, least, kind, length = patterns.n, patterns.min_support, patterns.kind, patterns.max_length
        recoded = Patterns.from_codes(*arrays, labels, n=n, min_support=least, kind=kind, max_length=length)
        return replace(recoded, mined=patterns.mined)

    return [recode(*pair) for pair in pairs]


def plant(patterns: Patterns) -> Trie:
    """Return the itemsets of patterns as a trie."""
    trie: Trie = kernels.inversion.plant(*patterns.itemsets.flat)
    return trie


def _find_closures(patterns: Patterns, others: Patterns) -> NDArray[np.int64]:
    """Return for each pattern the number of the other one that is its closure, or -1 if none contains it."""
    closures, labels = np.full(len(patterns), -1, dtype=np.int64), len(patterns.labels)
    trie, root = plant(patterns), patterns.is_rooted
    kernels.closure.close(trie, root, others.itemsets.flat, others.supports, labels, closures)
    return closures


def _add_up(classes: Iterable[tuple[int, int, int]]) -> Distortion:
    """Return the distortion of classes: the number of itemsets, their support before, and after (0 if lost)."""
    itemsets = lost = changed = largest = 0
    shares = []
    for size, before, after in classes:
        itemsets += size
        change = abs(after - before)
        if size and change:
            changed += size
            lost += size * (after == 0)
            largest = max(largest, change)
            shares.append(size * change / max(1, before))
    return Distortion(itemsets, lost, changed, math.fsum(shares) / max(1, itemsets), largest)
