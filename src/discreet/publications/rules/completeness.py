"""Announced thresholds: a rule that is not listed does not reach them.

A rule A ⇒ B whose items are all in one listed rule has enough support, because that rule has. If it is absent, its
confidence is too small: sup(A ∪ B) < c · sup(A). For any other itemset, either this holds or its support is too small.
Some miners list only consequents of one item, or stop at a length. So a rule counts as absent only if some listed rule
has as many items on each side.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice
from math import ceil, floor
from typing import Final, NamedTuple

from discreet.data.labels import Itemset, sort_labels
from discreet.disclosure.attacks.facts import Codes, Facts
from discreet.publications.rules.intervals import UNKNOWN, Interval
from discreet.publications.rules.rule import Rules

FOLLOWED: Final = 100_000
"""Absent rules that are followed."""
LOOKED_AT: Final = 2_000_000
"""Parts of listed rules that are searched for them."""


class Absent(NamedTuple):
    """Absent rules whose support is large enough: antecedents, and the items of both sides.

    ``is_all`` is False if there are too many to follow.
    """

    rules: tuple[tuple[Itemset, Itemset], ...] = ()
    is_all: bool = True


@dataclass(frozen=True)
class Announced:
    """All rules with ``least`` rows and confidence ``share`` are listed, if they have one of the ``shapes``.

    A shape is the number of items on the left and on the right. If ``is_blurred``, rules that just reach the
    confidence may be absent too.
    """

    least: int
    share: Fraction
    shapes: frozenset[tuple[int, int]]
    is_blurred: bool = False

    @property
    def below(self) -> Interval:
        """The confidence of absent rules."""
        return Interval(Fraction(0), self.share, open=not self.is_blurred)

    def most(self, facts: Facts, itemset: Codes) -> int:
        """Return how many rows may hold an itemset that is in no listed rule.

        If it had enough support, each of its rules would have too small a confidence.

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


def read_thresholds(rules: Rules) -> Announced | None:
    """Return the announced thresholds, if a minimum confidence was announced.

    An unknown minimum support is at most the smallest listed one. Programs that reckon with shares as floats may lose
    rules that just reach a threshold.
    """
    if rules.min_confidence is None:
        return None
    least = min((rule.support[1] for rule in rules if rule.support), default=UNKNOWN)
    shapes = frozenset((len(rule.antecedent), len(rule.consequent)) for rule in rules)
    least = min(least, rules.min_support or UNKNOWN) + rules.in_shares
    return Announced(least, rules.min_confidence, shapes, rules.in_shares)


def find_absent(rules: Rules) -> Absent:
    """Return the absent rules whose support is large enough, those of the fewest items first.

    >>> rules = Rules.from_rules([(["a"], ["b"], 40, 0.8)], n=100, min_confidence=0.5)
    >>> [(sorted(held), sorted(both)) for held, both in find_absent(rules).rules]
    [(['b'], ['a', 'b'])]
    """
    announced = read_thresholds(rules)
    if announced is None:
        return Absent()
    frequent = [rule.both for rule in rules]
    frequent += [itemset for itemset, (low, _) in rules.more if low >= announced.least]
    labels = sort_labels(label for itemset in frequent for label in itemset)
    code = {label: number for number, label in enumerate(labels)}
    coded = sorted({tuple(sorted(code[label] for label in itemset)) for itemset in frequent})
    listed = {(rule.antecedent, rule.both) for rule in rules}
    absent: list[tuple[Itemset, Itemset]] = []
    for held, both in _parts(coded, announced.shapes):
        rule = frozenset(labels[item] for item in held), frozenset(labels[item] for item in both)
        if not both or len(absent) == FOLLOWED:
            return Absent(tuple(absent), is_all=False)
        if rule not in listed:
            absent.append(rule)
    return Absent(tuple(absent))


def _parts(
    itemsets: list[tuple[int, ...]], shapes: frozenset[tuple[int, int]]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield each rule of some shapes within an itemset once: its antecedent and both sides.

    If there are too many parts to search, the last has no items.
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
