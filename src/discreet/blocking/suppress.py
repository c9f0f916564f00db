"""Suppress: take rows out until no channel is left."""

from dataclasses import replace
from typing import Final

import numpy as np

from discreet import kernels
from discreet.blocking.problem import NONE, Answer, Problem, held_by
from discreet.data.itemsets import Weighted
from discreet.data.lattice import Trie
from discreet.data.patterns import Patterns
from discreet.data.transactions import Transactions
from discreet.disclosure.detect import find_channels
from discreet.disclosure.question import Question
from discreet.errors import GuaranteeError

LENGTH_BITS: Final = 20
"""Bits that the length of an itemset takes at most: no row holds more items than 100,000."""


def answer(problem: Problem) -> Answer:
    """Return the closed itemsets of the rows without those that a channel singles out, round after round.

    This is Algorithm 1 of *Blocking anonymity threats* (ICDM 2005), mended: rows that are out stay out. As printed they
    count again in a later round, which ends in supports that no rows have, or never. No round mines anew: what is
    closed without some rows was closed with them, so the closed itemsets are kept up, and from their supports come the
    next channels. If any part of the rows is safe and keeps every itemset frequent, what is left is the largest such
    part (docs/guarantee.md).
    """
    merged, numbers = problem.merged
    rows = Transactions.from_codes(merged.offsets.copy(), merged.items.copy(), problem.patterns.labels)
    is_left = np.ones(len(rows), dtype=np.bool_)
    left, channels, trie, rounds = problem.patterns, problem.channels, problem.family.trie, 0
    while len(channels):
        rounds += 1
        hit = channels.rows(rows).numbers
        hit = hit[is_left[hit]]
        if not hit.size:
            raise GuaranteeError("no row is left that a channel singles out; nothing is released: please report this")
        is_left[hit] = False
        left = without(left, merged.take(hit), trie)
        question = Question(left, None, problem.k, problem.threads)
        channels, trie = find_channels(question), question.family.trie
    return Answer(left, np.flatnonzero(~is_left[numbers]), NONE, rounds=rounds)


def without(patterns: Patterns, rows: Weighted, trie: Trie | None = None) -> Patterns:
    """Return closed itemsets as they are without some of the rows: those that are still frequent, and still closed.

    The ``trie`` is that of the patterns, if it is at hand.

    >>> from discreet import mine
    >>> patterns = mine([["a", "b"], ["a", "b"], ["a"]], min_support=2)
    >>> row = Weighted(np.array([0, 1]), np.array([0], np.int32), np.array([1]))
    >>> [(sorted(itemset), support) for itemset, support in without(patterns, row)]
    [(['a', 'b'], 2)]
    """
    gone = held_by(patterns, rows, trie)
    supports = patterns.supports - gone
    frequent = np.flatnonzero(supports >= patterns.min_support)
    itemsets = patterns.itemsets.take(frequent)
    order = np.argsort((supports[frequent] << LENGTH_BITS) + itemsets.lengths)
    closed = kernels.closure.closed(*itemsets.flat, supports[frequent], gone[frequent] == 0, order)
    n = patterns.n - int(rows.weights.sum())
    return replace(patterns, itemsets=itemsets.take(closed), supports=supports[frequent[closed]], n=n)
