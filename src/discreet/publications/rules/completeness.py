"""Announced thresholds: all rules that reach them are listed, so that those which are not listed do not reach them.

A rule A ⇒ B whose items are in a listed rule together has enough support, as that rule has. If it is missing, its
confidence is too small: sup(A ∪ B) < c · sup(A). Of any other itemset either the support is too small, or that.
Miners list different rules: some have one item as consequent, some stop at a length. So nothing is taken as missing but
rules with as many items on both sides as some listed rule has.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice
from math import ceil, floor
from typing import Final, NamedTuple

from discreet.data.labels import Itemset, ordered
from discreet.disclosure.attacks.facts import Codes, Facts
from discreet.publications.rules.rounding import Interval
from discreet.publications.rules.rule import UNKNOWN, Rules

FOLLOWED: Final = 100_000
"""Rules that are not listed, up to which they are followed."""
LOOKED_AT: Final = 2_000_000
"""Parts of listed rules that are looked at for them."""


class Absent(NamedTuple):
    """Rules that are missing though their support is large enough: antecedents, and the items of both sides.

    If there are too many to follow, these are not ``is_all``.
    """

    rules: tuple[tuple[Itemset, Itemset], ...] = ()
    is_all: bool = True


@dataclass(frozen=True)
class Announced:
    """What is said of rules that are not listed: of ``least`` rows or more, all of confidence ``share`` or more are.

    That holds for rules of such ``shapes``: so many items on the left, so many on the right. Those which just reach
    the confidence may be missing too if ``is_blurred``.
    """

    least: int
    share: Fraction
    shapes: frozenset[tuple[int, int]]
    is_blurred: bool = False

    @property
    def below(self) -> Interval:
        """The confidence of rules that are missing."""
        return Interval(Fraction(0), self.share, open=not self.is_blurred)

    def most(self, facts: Facts, itemset: Codes) -> int:
        """Return how many rows may hold an itemset that is in no listed rule.

        If more did than are too few, each of its rules would have too small a confidence.

        >>> facts = Facts.from_limits([(["a"], 20, 20), (["b"], 9, 10), (["c"], 50, 50)], n=100)
        >>> announced = Announced(4, Fraction(1, 2), frozenset([(1, 1)]))
        >>> announced.most(facts, frozenset([0, 1])), announced.most(facts, frozenset([0, 1, 2]))
        (4, 100)
        """
        if facts.is_below(itemset):
            return facts.n
        highs = [
            facts.listed[held][1]
            for left, right in self.shapes
            if left + right == len(itemset)
            for held in map(frozenset, combinations(sorted(itemset), left))
            if held in facts.listed
        ]
        if not highs:
            return facts.n
        end = self.share * min(highs)
        return max(self.least - 1, floor(end) if self.is_blurred else ceil(end) - 1)


def announced_by(rules: Rules) -> Announced | None:
    """Return what is said of rules that are not listed, if a minimum confidence was announced.

    Where the minimum support is not told, it is no more than the smallest support that is listed. Shares are floats to
    programs, and where they multiply or divide them, what just reaches a minimum may be lost.
    """
    if rules.min_confidence is None:
        return None
    least = min((rule.support[1] for rule in rules if rule.support), default=UNKNOWN)
    shapes = frozenset((len(rule.antecedent), len(rule.consequent)) for rule in rules)
    least = min(least, rules.min_support or UNKNOWN) + rules.in_shares
    return Announced(least, rules.min_confidence, shapes, rules.in_shares)


def absent_from(rules: Rules) -> Absent:
    """Return the rules that are missing though their support is large enough, those of the fewest items first.

    >>> rules = Rules.from_rules([(["a"], ["b"], 40, 0.8)], n=100, min_confidence=0.5)
    >>> [(sorted(held), sorted(both)) for held, both in absent_from(rules).rules]
    [(['b'], ['a', 'b'])]
    """
    announced = announced_by(rules)
    if announced is None:
        return Absent()
    frequent = [rule.both for rule in rules]
    frequent += [itemset for itemset, (low, _) in rules.more if low >= announced.least]
    labels = ordered(label for itemset in frequent for label in itemset)
    code = {label: number for number, label in enumerate(labels)}
    coded = sorted({tuple(sorted(code[label] for label in itemset)) for itemset in frequent})
    listed = {(rule.antecedent, rule.both) for rule in rules}
    found: list[tuple[Itemset, Itemset]] = []
    for held, both in _parts(coded, announced.shapes):
        rule = frozenset(labels[item] for item in held), frozenset(labels[item] for item in both)
        if not both or len(found) == FOLLOWED:
            return Absent(tuple(found), is_all=False)
        if rule not in listed:
            found.append(rule)
    return Absent(tuple(found))


def _parts(
    itemsets: list[tuple[int, ...]], shapes: frozenset[tuple[int, int]]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield each rule of some shapes once whose items are in one of the itemsets: its antecedent and both sides.

    Where too many parts would have to be looked at, the last has no items.
    """
    lefts: dict[int, list[int]] = {}
    for left, right in sorted(shapes):
        lefts.setdefault(left + right, []).append(left)
    every = (both for size in sorted(lefts) for itemset in itemsets for both in combinations(itemset, size))
    seen: set[tuple[int, ...]] = set()
    for both in islice(every, LOOKED_AT):
        if both not in seen:
            seen.add(both)
            yield from ((held, both) for left in lefts[len(both)] for held in combinations(both, left))
    if next(every, None) is not None:
        yield (), ()
