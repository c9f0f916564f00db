"""Meet a policy: what it asks of a list beside the absence of small groups.

A method of ``block`` removes small groups. Then itemsets that show an implication are withheld, where a policy judges
these; of too many itemsets, the rarest; and in the end supports are rounded, if it asks for that. Whatever is withheld
or rounded follows from a list without small groups, so nothing is revealed that this list does not reveal.
"""

from dataclasses import replace
from typing import Final

import numpy as np

from discreet.blocking.problem import BlockSolution
from discreet.data.hierarchy import find_followed
from discreet.data.patterns import Patterns
from discreet.disclosure.detect import Question, find_channels, list_frequent
from discreet.disclosure.implications import list_free
from discreet.errors import GuaranteeError
from discreet.judging.policy import Policy, Verdict
from discreet.judging.tradeoff import take_above
from discreet.runtime.solver import Numbers

MOST: Final = 10**6  # itemsets of a list with gaps: it lists all, not only the closed ones


def keeps_whole(policy: Policy) -> bool:
    """Return whether a list that meets the policy can be the whole list of some rows.

    Whether a list has gaps is decided by the policy alone. If it depended on the rows, it would reveal something of
    them.
    """
    return policy.zeros is Verdict.RELEASE and policy.round_to is None


def meet(solution: BlockSolution, policy: Policy) -> Question:
    """Return the question of the itemsets to publish, with supports that are not rounded yet.

    Every implication that a list shows needs an itemset with as many rows as one of its parts, and whatever contains
    such an itemset shows one as well. So the largest part of a list without implications are its free itemsets, and
    there is nothing to choose. Of more itemsets than the policy allows, the rarest are withheld, of several the longer:
    all subsets of what is left are left, too. A whole list stays whole: its minimum support rises.

    >>> from discreet.blocking.methods import suppress
    >>> from discreet.blocking.problem import BlockProblem
    >>> from discreet.data.transactions import Transactions
    >>> rows = Transactions([["a", "b"]] * 20 + [["b"]] * 20 + [[]] * 20)
    >>> solution = suppress(BlockProblem.of(rows, 10, 10, {}))
    >>> [sorted(itemset) for itemset, _ in meet(solution, Policy("ours", 10, zeros=Verdict.WITHHOLD)).patterns]
    [[], ['a'], ['b']]
    """
    question, most = solution.question, policy.max_itemsets
    is_large, is_whole = most is not None and len(question.patterns) > most, question.complete and keeps_whole(policy)
    if not len(question.patterns):
        return replace(question, complete=is_whole)
    if keeps_whole(policy) and not is_large:
        return question
    patterns = question.patterns if keeps_whole(policy) else _list_safe(solution, policy)
    if most is not None and len(patterns) > most:
        patterns = (
            _raise_support(patterns, most) if is_whole else _follow(patterns.take(_find_commonest(patterns, most)))
        )
    met = Question(patterns, None, question.limit, question.threads, is_whole)
    if len(patterns) and len(find_channels(met)):
        raise GuaranteeError("channels are left in what meets the policy; nothing is released: please report this")
    return met


def _list_safe(solution: BlockSolution, policy: Policy) -> Patterns:
    """Return all itemsets that may be published, with those whose supports are too small once rounded left out."""
    before, limit = solution.patterns, solution.problem.limits.patterns
    most = MOST if limit is None else limit
    listed = list_frequent(before, most) if policy.zeros is Verdict.RELEASE else list_free(before, most)
    # At a minimum support of 1, readers would take a missing itemset for one that no row holds.
    least = max(listed.min_support, policy.k)
    listed = replace(listed, min_support=least, schema=before.schema, reading=before.reading)
    listed = replace(listed, hierarchy=before.hierarchy)
    listed = listed.take(np.flatnonzero(_round(listed.supports, policy.round_to or 1) >= policy.k))
    return _follow(listed, fewer=policy.zeros is not Verdict.RELEASE)


def _follow(patterns: Patterns, *, fewer: bool = False) -> Patterns:
    """Return the patterns without those of which readers who know the parents of items would know more than is listed.

    With ``fewer``, they show no implication but those of the hierarchy itself.
    """
    if patterns.hierarchy is None:
        return patterns
    listed = patterns.itemsets.weigh(patterns.supports)
    return patterns.take(find_followed(listed, patterns.labels, patterns.hierarchy, fewer=fewer))


def _raise_support(patterns: Patterns, most: int) -> Patterns:
    """Return the patterns from the lowest minimum support on at which at most so many are left."""
    return take_above(patterns, int(np.sort(patterns.supports)[-most - 1]) + 1)


def _find_commonest(patterns: Patterns, most: int) -> Numbers:
    """Return the numbers of the itemsets of the largest supports, of several the shorter: their subsets are there."""
    order = np.lexsort((np.arange(len(patterns)), patterns.itemsets.lengths, -patterns.supports))
    return np.sort(order[:most])


def round_supports(patterns: Patterns, unit: int) -> Patterns:
    """Return patterns with supports, and a number of rows, rounded to the nearest multiple of ``unit``; halves rise.

    >>> rounded = round_supports(Patterns.from_itemsets([([], 102), (["a"], 12)], n=102), 5)
    >>> rounded.n, rounded.supports.tolist(), rounded.min_support
    (100, [100, 10], 10)
    """
    n, least = _round(np.array([patterns.n, patterns.min_support]), unit).tolist()
    supports = _round(patterns.supports, unit)
    return replace(patterns, supports=supports, n=n, min_support=min(least, patterns.min_support), mined=None)


def _round(counts: Numbers, unit: int) -> Numbers:
    return (counts + unit // 2) // unit * unit
