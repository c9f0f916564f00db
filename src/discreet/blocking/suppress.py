"""Suppress rows until no channel is left."""

from dataclasses import replace
from typing import Final

import numpy as np

from discreet import kernels
from discreet.blocking.problem import BlockProblem, BlockSolution, count_rows
from discreet.data.itemsets import Weighted
from discreet.data.lattice import Trie
from discreet.data.patterns import Patterns
from discreet.disclosure.detect import find_channels
from discreet.errors import GuaranteeError

LENGTH_BITS: Final = 20
"""Bits for the length of an itemset: no row holds more than 100,000 items."""


def solve(problem: BlockProblem) -> BlockSolution:
    """Suppress the rows that a channel singles out, round by round.

    This is Algorithm 1 of *Blocking anonymity threats* (ICDM 2005), corrected: a suppressed row stays suppressed. As
    printed, it counts again in a later round, which ends in supports that no rows have, or never. No round mines again:
    an itemset that is closed without some rows was closed with them, so the closed itemsets are updated, and their
    supports give the next channels. If some part of the rows is safe and keeps every itemset frequent, the result is
    the largest such part (docs/guarantee.md).
    """
    merged, numbers = problem.merged
    rows, is_left = problem.as_rows(merged), np.ones(len(merged), dtype=np.bool_)
    solution = BlockSolution.of(problem, problem.patterns, rounds=0)
    channels, trie, rounds = problem.channels, problem.family.trie, 0
    while len(channels):
        hit = channels.rows(rows).numbers
        hit = hit[is_left[hit]]
        if not hit.size:
            raise GuaranteeError("no row is left that a channel singles out; nothing is released: please report this")
        is_left[hit] = False
        left, rounds = remove_rows(solution.patterns, merged.take(hit), trie), rounds + 1
        solution = BlockSolution.of(problem, left, np.flatnonzero(~is_left[numbers]), rounds=rounds)
        channels, trie = find_channels(solution.question), solution.question.family.trie
    return solution


def remove_rows(patterns: Patterns, rows: Weighted, trie: Trie | None = None) -> Patterns:
    """Return the closed itemsets that are left without some of the rows; ``trie`` is that of the patterns.

    >>> from discreet import mine
    >>> patterns = mine([["a", "b"], ["a", "b"], ["a"]], min_support=2)
    >>> row = Weighted(np.array([0, 1]), np.array([0], np.int32), np.array([1]))
    >>> [(sorted(itemset), support) for itemset, support in remove_rows(patterns, row)]
    [(['a', 'b'], 2)]
    """
    lost = count_rows(patterns, rows, trie)
    supports = patterns.supports - lost
    frequent = np.flatnonzero(supports >= patterns.min_support)
    itemsets = patterns.itemsets.take(frequent)
    order = np.argsort((supports[frequent] << LENGTH_BITS) + itemsets.lengths)
    closed = kernels.closure.find_closed(*itemsets.flat, supports[frequent], lost[frequent] == 0, order)
    n = patterns.n - int(rows.weights.sum())
    return replace(patterns, itemsets=itemsets.take(closed), supports=supports[frequent[closed]], n=n)
