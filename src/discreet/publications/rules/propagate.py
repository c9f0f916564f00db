"""Propagation: from rules to the limits of the supports of their itemsets.

A rule A ⇒ B with support s and confidence c says s / sup(A) = c, and few whole numbers fit both intervals. What a rule
says of an itemset narrows every rule about it, its parts and its supersets (docs/rules.md).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Itemsets
from discreet.data.labels import Itemset, sort_labels
from discreet.disclosure.attacks.facts import Facts, Limits, Relation, Schema, as_schema
from discreet.publications.rules.completeness import Absent, Announced, find_absent, read_thresholds
from discreet.publications.rules.intervals import (
    TRIED,
    UNKNOWN,
    Fit,
    Interval,
    find_only,
    find_simplest,
    find_step,
    fit_counts,
    solve_consequent,
)
from discreet.publications.rules.rule import Rule, Rules

ROUNDS: Final = 20
"""Rounds of narrowing: limits that are not narrowed by then stay too wide, and true."""
DENOMINATORS: Final = 10**6
"""The largest denominator of a confidence that an attacker follows; a solver cannot resolve finer ones."""
TRIED_IN_ALL: Final = 2_000_000
"""Supports of all rules together that are tried in a round."""

Gaps = Mapping[tuple[Itemset, Itemset], Limits]
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


@dataclass(frozen=True)
class CodedRule:
    """A rule, by the numbers of its antecedent and of both sides together."""

    held: int
    both: int
    confidence: Interval


@dataclass(frozen=True)
class Clue:
    """A measure of a rule, and the number of its consequent."""

    pair: CodedRule
    also: int
    name: str
    measure: Interval


class Known:
    """What is known so far: limits of numbered supports, narrowed in place, and a divisor of each."""

    def __init__(self, low: NDArray[np.int64], high: NDArray[np.int64]) -> None:
        """Take the first limits."""
        self.low, self.high = low, high
        self.steps = [1] * low.size
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


def narrow_rules(rules: Rules, *, schema: Schema | None = None) -> Narrowed:
    """Return the limits of supports that follow from rules.

    >>> rules = Rules.from_rules([(["a"], ["b"], 80, "98.7%")], rounding="truncate")
    >>> [(sorted(base), sorted(top), gap) for (base, top), gap in narrow_rules(rules).gaps.items()]
    [(['a'], ['a', 'b'], (1, 1))]
    """
    announced, absent = read_thresholds(rules), find_absent(rules)
    limits = _direct_limits(rules, absent)
    labels = sort_labels(label for itemset in limits for label in itemset)
    code = {label: number for number, label in enumerate(labels)}
    coded = sorted((sorted(code[label] for label in itemset), itemset) for itemset in limits)
    names = [itemset for _, itemset in coded]
    offsets, items = Itemsets.of([codes for codes, _ in coded]).flat
    low, high = (np.array([limits[itemset][end] for itemset in names], dtype=np.int64) for end in (0, 1))
    pairs, clues = _constraints(rules, absent, announced, {itemset: number for number, itemset in enumerate(names)})
    known = Known(low, high)
    flaw = _settle(known, offsets, items, max(1, len(labels)), pairs, clues, rules.n or 0)
    if flaw is not None:
        return Narrowed(None, {}, names[flaw], announced, absent)
    gaps = {
        (names[pair.held], names[pair.both]): fit[0].gap
        for pair in pairs
        if (fit := _fit(pair, known, _tried(pairs))) is not None
    }
    n = int(high[0]) if rules.n is None else rules.n
    facts = Facts(offsets, items, low, high, labels, n, schema=as_schema(schema, labels))
    related = tuple(_relations(facts, pairs, gaps))
    followed = tuple(one for one in related if max(abs(times) for _, times in one.times) <= DENOMINATORS)
    unfollowed = [
        (len(followed) < len(related), f"confidences of more than {len(str(DENOMINATORS)) - 1} digits"),
        (bool(clues), "measures such as lift"),
        (announced is not None, "rules that are not listed"),
    ]
    left_out = ", ".join(what for is_so, what in unfollowed if is_so)
    note = f"it also has {left_out}, which are not used in full" if left_out else ""
    return Narrowed(replace(facts, relations=followed, left_out=note), gaps, None, announced, absent)


def _relations(facts: Facts, pairs: Sequence[CodedRule], gaps: Gaps) -> Iterator[Relation]:
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
    ends = ((facts.listed[itemset][times < 0], times) for itemset, times in relation.times)
    (_, more), (_, less) = relation.times
    is_part = len(relation.times[0][0]) < len(relation.times[1][0])
    return sum(end * times for end, times in ends) >= relation.least or (
        is_part and more >= -less and relation.least <= 0
    )


def narrow_facts(facts: Facts) -> Narrowed:
    """Return facts with limits narrowed by those of parts and supersets; exact ones of a lattice stay as they are.

    >>> facts = Facts.from_limits([(["a"], 3, 9), (["a", "b"], 4, 9)], n=8)
    >>> narrow_facts(facts).facts.low.tolist(), narrow_facts(facts).facts.high.tolist()
    ([8, 4, 4], [8, 8, 8])
    """
    if facts.inherited:
        return Narrowed(facts, {})
    every = facts.filled()
    low, high = every.low.copy(), every.high.copy()
    flaw = _settle(Known(low, high), every.offsets, every.items, max(1, len(every.labels)))
    if flaw is not None:
        return Narrowed(None, {}, name_itemset(every, flaw))
    return Narrowed(replace(every, low=low, high=high), {})


def _direct_limits(rules: Rules, absent: Absent) -> dict[Itemset, Limits]:
    """Return all itemsets of rules, and the empty one, with the limits that are stated directly."""
    rows = (0, UNKNOWN) if rules.n is None else (rules.n, rules.n)
    limits: dict[Itemset, Limits] = {frozenset(): rows}
    for itemset, stated in _direct(rules, absent):
        before = limits.get(itemset, (0, rows[1]))
        limits[itemset] = (min(max(before[0], stated[0]), UNKNOWN + 1), min(before[1], stated[1]))
    return limits


def _direct(rules: Rules, absent: Absent) -> Iterator[tuple[Itemset, Limits]]:
    for rule in rules:
        least, most = rule.support or (0, UNKNOWN)
        fewest = find_simplest(rule.confidence.low, max(rule.confidence.low, min(rule.confidence.high, Fraction(1))))
        yield rule.antecedent, (fewest.denominator, UNKNOWN)
        yield rule.both, (max(least, fewest.numerator, rules.min_support or 0), most)
        if rule.measures and rules.n:
            yield rule.consequent, (0, UNKNOWN)
    for rule_sides in absent.rules:
        yield from ((itemset, (0, UNKNOWN)) for itemset in rule_sides)
    yield from rules.more


def _constraints(
    rules: Rules, absent: Absent, announced: Announced | None, place: Mapping[Itemset, int]
) -> tuple[list[CodedRule], list[Clue]]:
    """Return listed and absent rules, and measures, by the numbers of itemsets."""
    pairs = [
        CodedRule(place[rule.antecedent], place[rule.both], _reached(rule, rules.min_confidence)) for rule in rules
    ]
    clues = [
        Clue(pair, place[rule.consequent], name, measure)
        for rule, pair in zip(rules, pairs, strict=True)
        for name, measure in rule.measures
        if rules.n
    ]
    if announced is not None:
        below = announced.below
        pairs += [CodedRule(place[held], place[both], below) for held, both in absent.rules]
    return pairs, clues


def _reached(rule: Rule, min_confidence: Fraction | None) -> Interval:
    """Return the confidence of a listed rule, which reaches an announced minimum."""
    low, high, is_open = rule.confidence
    return Interval(max(low, min_confidence or low), high, is_open)


def _settle(
    known: Known,
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    many: int,
    pairs: Sequence[CodedRule] = (),
    clues: Sequence[Clue] = (),
    n: int = 0,
) -> int | None:
    """Narrow all limits in place until nothing changes; return the number of an itemset that no support fits."""
    trie, tried = kernels.inversion.plant(offsets, items), _tried(pairs)
    for _ in range(ROUNDS):
        kernels.closure.narrow_limits(trie, offsets, items, known.low, known.high, many)
        known.changed = False
        flaw = _crossing(known)
        for pair in pairs if flaw is None else ():
            fit = _fit(pair, known, tried)
            if fit is None:
                return pair.both
            limits, steps = fit
            known.narrow(pair.held, limits.held, steps[0])
            known.narrow(pair.both, limits.both, steps[1])
        for clue in clues if flaw is None else ():
            if known.low[clue.also] < known.high[clue.also]:
                known.narrow(clue.also, _apply_measure(clue, known, n))
        if flaw is not None or not known.changed:
            return flaw
    return _crossing(known)


def _crossing(known: Known) -> int | None:
    wrong = np.flatnonzero(known.low > known.high)
    return int(wrong[0]) if wrong.size else None


def _tried(pairs: Sequence[CodedRule]) -> int:
    return min(TRIED, TRIED_IN_ALL // max(1, len(pairs)))


def _fit(pair: CodedRule, known: Known, tried: int) -> tuple[Fit, tuple[int, int]] | None:
    """Return how a rule narrows its limits, and divisors of both supports; None if nothing fits.

    If the confidence can only be one fraction, the antecedent is a multiple of its denominator.
    """
    held, both = known.limits(pair.held), known.limits(pair.both)
    fit = fit_counts(pair.confidence, held, both, tried=tried)
    if fit is None:
        return None
    is_open = pair.confidence.low and fit.held[0] < fit.held[1]
    quotient = find_only(pair.confidence, fit.held[1]) if is_open else None
    if not quotient:
        return fit, (1, 1)
    step = find_step(quotient, known.steps[pair.held], known.steps[pair.both])
    whole, part = quotient.denominator * step, quotient.numerator * step
    least = max(-(-fit.held[0] // whole), -(-fit.both[0] // part))
    most = min(fit.held[1] // whole, fit.both[1] // part)
    ends = [(least * times, most * times) for times in (whole, part, whole - part)]
    return (Fit(*ends), (whole, part)) if least <= most else None


def _apply_measure(clue: Clue, known: Known, n: int) -> Limits:
    """Return the limits of a consequent that follow from a measure."""
    held, both = known.limits(clue.pair.held), known.limits(clue.pair.both)
    low = max(clue.pair.confidence.low, Fraction(both[0], max(1, held[1])))
    high = min(clue.pair.confidence.high, Fraction(both[1], max(1, held[0])), Fraction(1))
    support = Interval(Fraction(both[0], n), Fraction(both[1], n))
    share = solve_consequent(clue.name, support, Interval(low, high), clue.measure) if low <= high else None
    return (0, UNKNOWN) if share is None else share.times(n)


def name_itemset(facts: Facts, number: int) -> Itemset:
    """Return a listed itemset by its labels."""
    return frozenset(facts.labels[code] for code in facts.itemset(number))
