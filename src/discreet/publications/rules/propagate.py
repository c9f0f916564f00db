"""Propagation: from rules to the limits of the supports of their itemsets (docs/rules.md).

A rule A ⇒ B with support s and confidence c says s / sup(A) = c, and few whole numbers fit both intervals. The limits
of an itemset narrow every rule about it, its parts and its supersets.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, lcm
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Itemset, Itemsets, sort_labels
from discreet.disclosure.attacks.facts import Facts, Limits, Relation, Schema, as_schema
from discreet.publications.rules import intervals
from discreet.publications.rules.intervals import UNKNOWN, Fit, Interval
from discreet.publications.rules.rule import Absent, Announced, Rules, find_absent, read_thresholds

ROUNDS: Final = 20  # most rounds of narrowing; limits that stay too wide are still true
DENOMINATORS: Final = 10**6  # the largest denominator of a confidence that a solver can resolve
TRIED_IN_ALL: Final = 2_000_000  # most supports of all rules together to try in a round

Gaps: TypeAlias = Mapping[tuple[Itemset, Itemset], Limits]
"""Limits of the rows that hold the first itemset and not all of the second, its superset."""


class Narrowed(NamedTuple):
    """The limits that follow from rules: of supports, and of the rows with an antecedent but without its consequent.

    If no rows can have these rules, ``facts`` is None, and ``flaw`` is an itemset that no support fits. ``announced``
    are the thresholds of unlisted rules, and ``absent`` the unlisted rules that were followed.
    """

    facts: Facts | None
    gaps: Gaps
    flaw: Itemset | None = None
    announced: Announced | None = None
    absent: Absent = Absent()


class CodedRule(NamedTuple):
    """A rule, by the numbers of its antecedent and of both sides together."""

    held: int
    both: int
    confidence: Interval


class Clue(NamedTuple):
    """A measure of a rule, and the number of its consequent."""

    rule: CodedRule
    also: int
    name: str
    measure: Interval


@dataclass
class Known:
    """Limits of the supports of numbered itemsets over ``many`` items, narrowed in place, and a divisor of each."""

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    many: int

    def __post_init__(self) -> None:
        """Begin with the divisor 1."""
        self.steps = [1] * self.low.size
        self.changed = False

    def limits(self, number: int) -> Limits:
        """Return the limits of a support."""
        return int(self.low[number]), int(self.high[number])

    def narrow(self, number: int, limits: Limits, step: int = 1) -> None:
        """Narrow a support to limits and to multiples of ``step``; crossed limits leave nothing."""
        before = self.limits(number)
        step = self.steps[number] = lcm(self.steps[number], step)
        low = -(-max(before[0], limits[0]) // step) * step
        after = min(low, UNKNOWN + 1), min(before[1], limits[1]) // step * step
        if after != before:
            self.changed = True
            self.low[number], self.high[number] = after

    def find_flaw(self) -> int | None:
        """Return the number of an itemset that no support fits."""
        return next(iter(np.flatnonzero(self.low > self.high).tolist()), None)

    def settle(self, rules: Sequence[CodedRule] = (), clues: Sequence[Clue] = (), n: int = 0) -> int | None:
        """Narrow all limits until nothing changes; return the number of an itemset that no support fits."""
        trie, tried = kernels.inversion.plant(self.offsets, self.items), _count_tries(rules)
        for _ in range(ROUNDS):
            kernels.closure.narrow_limits(trie, self.offsets, self.items, self.low, self.high, self.many)
            flaw, self.changed = self.find_flaw(), False
            if flaw is not None:
                return flaw
            for rule in rules:
                fit = _fit(rule, self, tried)
                if fit is None:
                    return rule.both
                limits, steps = fit
                self.narrow(rule.held, limits.held, steps[0])
                self.narrow(rule.both, limits.both, steps[1])
            for clue in clues:
                if self.low[clue.also] < self.high[clue.also]:
                    self.narrow(clue.also, _apply_measure(clue, self, n))
            if not self.changed:
                return None
        return self.find_flaw()


def narrow_rules(rules: Rules, *, schema: Schema | None = None) -> Narrowed:
    """Return the limits of supports that follow from rules.

    >>> rules = Rules.from_rules([(["a"], ["b"], 80, "98.7%")], rounding="truncate")
    >>> [(sorted(base), sorted(top), gap) for (base, top), gap in narrow_rules(rules).gaps.items()]
    [(['a'], ['a', 'b'], (1, 1))]
    """
    announced, absent = read_thresholds(rules), find_absent(rules)
    limits = _join_limits(rules, absent)
    labels = sort_labels(label for itemset in limits for label in itemset)
    code = {label: number for number, label in enumerate(labels)}
    coded = sorted((sorted(code[label] for label in itemset), itemset) for itemset in limits)
    names = [itemset for _, itemset in coded]
    itemsets = Itemsets.of([codes for codes, _ in coded])
    low, high = (np.array([limits[itemset][end] for itemset in names], dtype=np.int64) for end in (0, 1))
    known = Known(*itemsets.flat, low, high, max(1, len(labels)))
    pairs, clues = _code_rules(rules, absent, announced, {itemset: number for number, itemset in enumerate(names)})
    flaw = known.settle(pairs, clues, rules.n or 0)
    if flaw is not None:
        return Narrowed(None, {}, names[flaw], announced, absent)
    fits = [(pair, _fit(pair, known, _count_tries(pairs))) for pair in pairs]
    gaps = {(names[pair.held], names[pair.both]): fit[0].gap for pair, fit in fits if fit is not None}
    n = int(high[0]) if rules.n is None else rules.n
    facts = Facts(itemsets, low, high, labels, n, schema=as_schema(schema, labels))
    relations = tuple(_find_relations(facts, pairs, gaps))
    followed = tuple(one for one in relations if max(abs(times) for _, times in one.times) <= DENOMINATORS)
    unfollowed = [
        (len(followed) < len(relations), f"confidences of more than {len(str(DENOMINATORS)) - 1} digits"),
        (bool(clues), "measures such as lift"),
        (announced is not None, "rules that are not listed"),
    ]
    left_out = ", ".join(what for is_so, what in unfollowed if is_so)
    note = f"it also has {left_out}, which are not used in full" if left_out else ""
    return Narrowed(replace(facts, relations=followed, left_out=note), gaps, None, announced, absent)


def narrow_facts(facts: Facts) -> Narrowed:
    """Return facts with limits narrowed by those of parts and supersets; exact ones of a lattice stay as they are.

    >>> facts = Facts.from_limits([(["a"], 3, 9), (["a", "b"], 4, 9)], n=8)
    >>> narrow_facts(facts).facts.low.tolist(), narrow_facts(facts).facts.high.tolist()
    ([8, 4, 4], [8, 8, 8])
    """
    if facts.inherited:
        return Narrowed(facts, {})
    every = facts.fill()
    low, high = every.low.copy(), every.high.copy()
    flaw = Known(every.offsets, every.items, low, high, max(1, len(every.labels))).settle()
    if flaw is not None:
        return Narrowed(None, {}, name_itemset(every, flaw))
    return Narrowed(replace(every, low=low, high=high), {})


def name_itemset(facts: Facts, number: int) -> Itemset:
    """Return a listed itemset by its labels."""
    return frozenset(facts.labels[code] for code in facts.itemset(number))


def _find_relations(facts: Facts, pairs: Sequence[CodedRule], gaps: Gaps) -> Iterator[Relation]:
    """Yield what confidences say of two supports and their difference, beyond their limits."""
    for pair in pairs:
        held, both = facts.itemset(pair.held), facts.itemset(pair.both)
        (above, below), (over, under) = (end.as_integer_ratio() for end in (pair.confidence.high, pair.confidence.low))
        least, most = gaps.get((name_itemset(facts, pair.held), name_itemset(facts, pair.both)), (0, UNKNOWN))
        every = (
            Relation(((both, under), (held, -over)), 0),
            Relation(((held, above), (both, -below)), int(pair.confidence.open)),
            Relation(((held, 1), (both, -1)), least),
            Relation(((both, 1), (held, -1)), -most),
        )
        yield from (one for one in every if not _is_known(facts, one))


def _is_known(facts: Facts, relation: Relation) -> bool:
    """Return whether a relation follows from the limits of supports, or because a superset has no more rows."""
    (one, more), (other, less) = relation.times
    least = sum(facts.listed[itemset][times < 0] * times for itemset, times in relation.times)
    return least >= relation.least or (len(one) < len(other) and more >= -less and relation.least <= 0)


def _join_limits(rules: Rules, absent: Absent) -> dict[Itemset, Limits]:
    """Return all itemsets of rules, and the empty one, with the limits that are stated directly."""
    rows = (0, UNKNOWN) if rules.n is None else (rules.n, rules.n)
    limits: dict[Itemset, Limits] = {frozenset(): rows}
    for itemset, stated in _list_limits(rules, absent):
        before = limits.get(itemset, (0, rows[1]))
        limits[itemset] = (min(max(before[0], stated[0]), UNKNOWN + 1), min(before[1], stated[1]))
    return limits


def _list_limits(rules: Rules, absent: Absent) -> Iterator[tuple[Itemset, Limits]]:
    for rule in rules:
        least, most = rule.support or (0, UNKNOWN)
        low, high, _ = rule.confidence
        fewest = intervals.find_simplest(low, max(low, min(high, Fraction(1))))
        yield rule.antecedent, (fewest.denominator, UNKNOWN)
        yield rule.both, (max(least, fewest.numerator, rules.min_support or 0), most)
        if rule.measures and rules.n:
            yield rule.consequent, (0, UNKNOWN)
    yield from ((itemset, (0, UNKNOWN)) for sides in absent.rules for itemset in sides)
    yield from rules.more


def _code_rules(
    rules: Rules, absent: Absent, announced: Announced | None, place: Mapping[Itemset, int]
) -> tuple[list[CodedRule], list[Clue]]:
    """Return listed and absent rules, and measures, by the numbers of itemsets; listed rules reach a minimum."""
    least = rules.min_confidence or Fraction(0)
    pairs = [
        CodedRule(
            place[rule.antecedent], place[rule.both], rule.confidence._replace(low=max(rule.confidence.low, least))
        )
        for rule in rules
    ]
    clues = [
        Clue(pair, place[rule.consequent], name, measure)
        for rule, pair in zip(rules, pairs, strict=True)
        for name, measure in rule.measures
        if rules.n
    ]
    if announced is not None:
        pairs += [CodedRule(place[held], place[both], announced.below) for held, both in absent.rules]
    return pairs, clues


def _count_tries(pairs: Sequence[CodedRule]) -> int:
    return min(intervals.TRIED, TRIED_IN_ALL // max(1, len(pairs)))


def _fit(pair: CodedRule, known: Known, tried: int) -> tuple[Fit, tuple[int, int]] | None:
    """Return how a rule narrows its limits, and divisors of both supports; None if nothing fits.

    If the confidence can only be one fraction, the antecedent is a multiple of its denominator.
    """
    fit = intervals.fit_counts(pair.confidence, known.limits(pair.held), known.limits(pair.both), tried=tried)
    if fit is None:
        return None
    is_open = pair.confidence.low and fit.held[0] < fit.held[1]
    quotient = intervals.find_only(pair.confidence, fit.held[1]) if is_open else None
    if not quotient:
        return fit, (1, 1)
    part, whole = quotient.as_integer_ratio()
    held, both = known.steps[pair.held], known.steps[pair.both]
    step = lcm(held // gcd(held, whole), both // gcd(both, part))  # so that both supports keep their divisors
    part, whole = part * step, whole * step
    least = max(-(-fit.held[0] // whole), -(-fit.both[0] // part))
    most = min(fit.held[1] // whole, fit.both[1] // part)
    ends = [(least * times, most * times) for times in (whole, part, whole - part)]
    return (Fit(*ends), (whole, part)) if least <= most else None


def _apply_measure(clue: Clue, known: Known, n: int) -> Limits:
    """Return the limits of a consequent that follow from a measure."""
    held, both = known.limits(clue.rule.held), known.limits(clue.rule.both)
    low = max(clue.rule.confidence.low, Fraction(both[0], max(1, held[1])))
    high = min(clue.rule.confidence.high, Fraction(both[1], max(1, held[0])), Fraction(1))
    if low > high:
        return 0, UNKNOWN
    support = Interval(Fraction(both[0], n), Fraction(both[1], n))
    share = intervals.solve_consequent(clue.name, support, Interval(low, high), clue.measure)
    return (0, UNKNOWN) if share is None else share.times(n)
