"""Measures of what a release costs, over all frequent itemsets that closed ones stand for."""

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import repeat
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.labels import sort_labels
from discreet.data.lattice import Trie, rooted
from discreet.data.patterns import Patterns
from discreet.disclosure.question import list_frequent
from discreet.errors import InputError

LONGEST: Final = 63
"""Items of an itemset whose subsets a word can count."""


class Distortion(NamedTuple):
    """How far published supports are from the original ones, over all frequent ``itemsets``, the empty one included.

    ``lost`` are no longer published, and ``changed`` have another support or are lost. ``average`` is the mean of the
    changes, each as a share of the original support; what is lost counts as 1. ``largest`` is the largest change, in
    rows; that of a lost itemset is its support.
    """

    itemsets: int
    lost: int
    changed: int
    average: float
    largest: int

    @property
    def share_changed(self) -> float:
        """How many of the itemsets have changed, as a share."""
        return self.changed / self.itemsets if self.itemsets else 0.0


def distortion(before: Patterns, after: Patterns) -> Distortion:
    """Return how far the supports ``after`` are from those ``before``, over all itemsets that were frequent.

    The lists are of closed or of all frequent itemsets. It is what *Blocking anonymity threats* (ICDM 2005) measures,
    without listing the itemsets that closed ones stand for: those of one closure had one support, and have one still
    where all that is closed now was so before.

    >>> before = Patterns.from_itemsets([([], 10), (["a"], 8), (["a", "b"], 5)], n=10, kind="closed")
    >>> after = Patterns.from_itemsets([([], 10), (["a"], 6)], n=10, kind="closed")
    >>> distortion(before, after)
    Distortion(itemsets=4, lost=2, changed=3, average=0.5625, largest=5)
    """
    old, new = _relabelled(_listed(before), _listed(after))
    sizes = class_sizes(old)
    if (kernels.closure.match(new.offsets, new.items, old.offsets, old.items) >= 0).all():
        return _summed(zip(sizes, old.supports.tolist(), supports_in(new, old).tolist(), strict=True))
    every = list_frequent(new)
    numbers = _closures(every, old)
    known = numbers >= 0
    gone = np.array(sizes, dtype=object) - np.bincount(numbers[known], minlength=len(old))
    kept = zip(repeat(1), old.supports[numbers[known]].tolist(), every.supports[known].tolist(), strict=False)
    return _summed([*kept, *((size, support, 0) for size, support in zip(gone, old.supports.tolist(), strict=True))])


def supports_in(patterns: Patterns, itemsets: Patterns) -> NDArray[np.int64]:
    """Return what supports ``patterns`` tell of the itemsets of another list, 0 for one that they do not tell of.

    >>> before = Patterns.from_itemsets([([], 10), (["a"], 8), (["a", "b"], 5)], n=10, kind="closed")
    >>> after = Patterns.from_itemsets([(["a"], 9)], n=9, kind="closed")
    >>> supports_in(after, before).tolist()
    [9, 9, 0]
    """
    told, wanted = _relabelled(_listed(patterns), itemsets)
    closures = _closures(wanted, told)
    return np.where(closures >= 0, told.supports[closures] if len(told) else 0, 0)


def class_sizes(patterns: Patterns) -> list[int]:
    """Return how many frequent itemsets each of the patterns stands for: those whose closure it is.

    >>> from discreet import mine
    >>> class_sizes(mine([["a", "b"], ["a", "b", "c"]], min_support=1))
    [4, 4]
    """
    patterns = _listed(patterns)
    if patterns.kind == "frequent":
        return [1] * len(patterns)
    lengths = np.diff(patterns.offsets)
    order = np.argsort(lengths, kind="stable")
    trie, root, many = _trie(patterns), patterns.is_rooted, len(patterns.labels)
    if lengths.max(initial=0) <= LONGEST:
        sizes = np.zeros(len(patterns), dtype=np.uint64)
        kernels.closure.count_classes(trie, root, patterns.offsets, patterns.items, order, many, sizes)
        return [int(size) for size in sizes.tolist()]
    return _long_class_sizes(patterns, trie, order)


def _long_class_sizes(patterns: Patterns, trie: Trie, order: NDArray[np.intp]) -> list[int]:
    """Return what ``class_sizes`` returns, where a word cannot count it."""
    sizes = [0] * len(patterns)
    inside, found = np.zeros(len(patterns.labels), dtype=np.bool_), np.empty(len(patterns) + 2, dtype=np.int64)
    for number in order.tolist():
        itemset = patterns.items[patterns.offsets[number] : patterns.offsets[number + 1]]
        inside[itemset] = True
        many = kernels.closure.walk(trie, patterns.is_rooted, inside, found)
        sizes[number] = 2**itemset.size - sum(sizes[other] for other in found[:many].tolist())
        inside[itemset] = False
    return sizes


def _listed(patterns: Patterns) -> Patterns:
    """Return the patterns with the empty itemset where it counts; refuse maximal ones."""
    if patterns.kind == "maximal":
        raise InputError("maximal itemsets do not tell the supports of their subsets; give closed or frequent ones")
    return rooted(patterns)


def _relabelled(one: Patterns, other: Patterns) -> tuple[Patterns, Patterns]:
    """Return both lists with the same labels."""
    if one.labels == other.labels:
        return one, other
    labels = sort_labels([*one.labels, *other.labels])
    code = {label: number for number, label in enumerate(labels)}

    def coded(patterns: Patterns) -> Patterns:
        names = np.array([code[label] for label in patterns.labels], dtype=np.int32)
        known = Patterns.from_codes(
            patterns.offsets.copy(),
            names[patterns.items],
            patterns.supports.copy(),
            labels,
            n=patterns.n,
            min_support=patterns.min_support,
            kind=patterns.kind,
        )
        return replace(known, mined=patterns.mined)

    return coded(one), coded(other)


def _trie(patterns: Patterns) -> Trie:
    trie: Trie = kernels.inversion.plant(patterns.offsets, patterns.items)
    return trie


def _closures(patterns: Patterns, others: Patterns) -> NDArray[np.int64]:
    """Return for each of the patterns which of the others has its support: the closure; -1 where none holds it."""
    closures = np.full(len(patterns), -1, dtype=np.int64)
    kernels.closure.close(
        _trie(patterns),
        patterns.is_rooted,
        (others.offsets, others.items),
        others.supports,
        len(patterns.labels),
        closures,
    )
    return closures


def _summed(classes: Iterable[tuple[int, int, int]]) -> Distortion:
    """Return the measures of classes: how many itemsets, their support before, and after; 0 if they are lost."""
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
