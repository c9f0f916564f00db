"""Narrowing: from rules to the least and the most rows that hold each of their itemsets.

A rule A ⇒ B with support s and confidence c says s / sup(A) = c: whole numbers that keep to both intervals are few.
What one rule says of an itemset narrows all others that speak of it, of a part of it or of more (docs/rules.md).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.labels import Itemset, Label, ordered
from discreet.disclosure.attacks.facts import Facts, Relation, Schema, as_schema
from discreet.publications.rules.completeness import Absent, Announced, absent_from, announced_by
from discreet.publications.rules.confidence_counts import TRIED, Fit, fitted
from discreet.publications.rules.measures import consequent
from discreet.publications.rules.quotients import common_step, only, simplest
from discreet.publications.rules.rounding import Interval
from discreet.publications.rules.rule import UNKNOWN, Limits, Rule, Rules

ROUNDS: Final = 20
"""Often enough: what is not narrowed by then stays wider than it might be, and true."""
DENOMINATORS: Final = 10**6
"""Of confidences that an attacker may follow: a solver tells no finer ones apart."""
TRIED_IN_ALL: Final = 2_000_000
"""So many of all rules together, in each round."""

Gaps = Mapping[tuple[Itemset, Itemset], Limits]
"""How many rows hold the first itemset and not all of the second, which holds it."""


class Narrowed(NamedTuple):
    """What rules say: limits of supports, and of the rows that hold an antecedent and not all of its consequent.

    Where no rows can have the rules, ``facts`` is None, and ``flaw`` is an itemset whose support no number can be.
    ``announced`` is what is said of rules that are not listed, and ``absent`` those that were followed.
    """

    facts: Facts | None
    gaps: Gaps
    flaw: Itemset | None = None
    announced: Announced | None = None
    absent: Absent = Absent()


@dataclass(frozen=True)
class Pair:
    """A rule by the numbers of its antecedent and of both sides together."""

    held: int
    both: int
    confidence: Interval


@dataclass(frozen=True)
class Clue:
    """A measure of a rule, and the number of its consequent."""

    pair: Pair
    also: int
    name: str
    measure: Interval


class Known:
    """What is known so far: limits of numbered supports, narrowed in place, and what each is a multiple of."""

    def __init__(self, low: NDArray[np.int64], high: NDArray[np.int64]) -> None:
        """Take the first limits."""
        self.low, self.high = low, high
        self.steps = [1] * low.size
        self.changed = False

    def limits(self, number: int) -> Limits:
        """Return the least and the most that a support may be."""
        return int(self.low[number]), int(self.high[number])

    def narrow(self, number: int, limits: Limits, step: int = 1) -> None:
        """Keep a support to limits as well, and to multiples of ``step``; nothing is left where limits cross."""
        before = self.limits(number)
        step = self.steps[number] = lcm(self.steps[number], step)
        low = -(-max(before[0], limits[0]) // step) * step
        after = min(low, UNKNOWN + 1), min(before[1], limits[1]) // step * step
        if after != before:
            self.changed = True
            self.low[number], self.high[number] = after


def narrowed(rules: Rules, *, schema: Schema | None = None) -> Narrowed:
    """Return what rules say of supports, as narrow as rules, parts and wholes make it.

    >>> rules = Rules.from_rules([(["a"], ["b"], 80, "98.7%")], rounding="truncate")
    >>> [(sorted(base), sorted(top), gap) for (base, top), gap in narrowed(rules).gaps.items()]
    [(['a'], ['a', 'b'], (1, 1))]
    """
    announced, absent = announced_by(rules), absent_from(rules)
    limits = _said(rules, absent)
    labels = ordered(label for itemset in limits for label in itemset)
    code = {label: number for number, label in enumerate(labels)}
    coded = sorted((sorted(code[label] for label in itemset), itemset) for itemset in limits)
    names = [itemset for _, itemset in coded]
    offsets = np.cumsum([0, *(len(codes) for codes, _ in coded)], dtype=np.int64)
    items = np.array([item for codes, _ in coded for item in codes], dtype=np.int32)
    low, high = (np.array([limits[itemset][end] for itemset in names], dtype=np.int64) for end in (0, 1))
    pairs, clues = _constraints(rules, absent, announced, {itemset: number for number, itemset in enumerate(names)})
    known = Known(low, high)
    flaw = _settle(known, offsets, items, max(1, len(labels)), pairs, clues, rules.n or 0)
    if flaw is not None:
        return Narrowed(None, {}, names[flaw], announced, absent)
    gaps = {
        (names[pair.held], names[pair.both]): found[0].gap
        for pair in pairs
        if (found := _fit(pair, known, _tried(pairs))) is not None
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
    note = f"it also tells {left_out}, and what follows from that is not looked at" if left_out else ""
    return Narrowed(replace(facts, relations=followed, left_out=note), gaps, None, announced, absent)


def _relations(facts: Facts, pairs: Sequence[Pair], gaps: Gaps) -> Iterator[Relation]:
    """Yield what confidences say of two supports, and of the rows that only one of them counts, beyond their limits."""
    for pair in pairs:
        held, both = facts.itemset(pair.held), facts.itemset(pair.both)
        (above, below), (over, under) = (end.as_integer_ratio() for end in (pair.confidence.high, pair.confidence.low))
        least, most = gaps.get((labelled(facts, pair.held), labelled(facts, pair.both)), (0, UNKNOWN))
        every = (
            Relation(((both, under), (held, -over)), 0),
            Relation(((held, above), (both, -below)), int(pair.confidence.open)),
            Relation(((held, 1), (both, -1)), least),
            Relation(((both, 1), (held, -1)), -most),
        )
        yield from (one for one in every if not _is_said(facts, one))


def _is_said(facts: Facts, relation: Relation) -> bool:
    """Return whether the limits of supports say so already; that no more rows hold a whole than a part, all rows do."""
    ends = ((facts.listed[itemset][times < 0], times) for itemset, times in relation.times)
    (_, more), (_, less) = relation.times
    is_part = len(relation.times[0][0]) < len(relation.times[1][0])
    return sum(end * times for end, times in ends) >= relation.least or (
        is_part and more >= -less and relation.least <= 0
    )


def settled(facts: Facts) -> Narrowed:
    """Return facts as narrow as their parts and wholes make them; exact ones of a lattice are so already.

    >>> facts = Facts.from_limits([(["a"], 3, 9), (["a", "b"], 4, 9)], n=8)
    >>> settled(facts).facts.low.tolist(), settled(facts).facts.high.tolist()
    ([8, 4, 4], [8, 8, 8])
    """
    if facts.inherited:
        return Narrowed(facts, {})
    every = facts.filled()
    low, high = every.low.copy(), every.high.copy()
    flaw = _settle(Known(low, high), every.offsets, every.items, max(1, len(every.labels)))
    if flaw is not None:
        return Narrowed(None, {}, labelled(every, flaw))
    return Narrowed(replace(every, low=low, high=high), {})


def _said(rules: Rules, absent: Absent) -> dict[Itemset, Limits]:
    """Return all itemsets that rules speak of, the empty one too, with what is said of each directly."""
    rows = (0, UNKNOWN) if rules.n is None else (rules.n, rules.n)
    limits: dict[Itemset, Limits] = {frozenset(): rows}
    for itemset, said in _direct(rules, absent):
        before = limits.get(itemset, (0, rows[1]))
        limits[itemset] = (min(max(before[0], said[0]), UNKNOWN + 1), min(before[1], said[1]))
    return limits


def _direct(rules: Rules, absent: Absent) -> Iterator[tuple[Itemset, Limits]]:
    for rule in rules:
        least, most = rule.support or (0, UNKNOWN)
        fewest = simplest(rule.confidence.low, max(rule.confidence.low, min(rule.confidence.high, Fraction(1))))
        yield rule.antecedent, (fewest.denominator, UNKNOWN)
        yield rule.both, (max(least, fewest.numerator, rules.min_support or 0), most)
        if rule.measures and rules.n:
            yield rule.consequent, (0, UNKNOWN)
    for rule_sides in absent.rules:
        yield from ((itemset, (0, UNKNOWN)) for itemset in rule_sides)
    yield from rules.more


def _constraints(
    rules: Rules, absent: Absent, announced: Announced | None, place: Mapping[Itemset, int]
) -> tuple[list[Pair], list[Clue]]:
    """Return rules, those that are missing too, and their measures, by the numbers of itemsets."""
    pairs = [Pair(place[rule.antecedent], place[rule.both], _reached(rule, rules.min_confidence)) for rule in rules]
    clues = [
        Clue(pair, place[rule.consequent], name, measure)
        for rule, pair in zip(rules, pairs, strict=True)
        for name, measure in rule.measures
        if rules.n
    ]
    if announced is not None:
        below = announced.below
        pairs += [Pair(place[held], place[both], below) for held, both in absent.rules]
    return pairs, clues


def _reached(rule: Rule, min_confidence: Fraction | None) -> Interval:
    """Return the confidence of a listed rule, which reaches the minimum if one was announced."""
    low, high, is_open = rule.confidence
    return Interval(max(low, min_confidence or low), high, is_open)


def _settle(
    known: Known,
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    many: int,
    pairs: Sequence[Pair] = (),
    clues: Sequence[Clue] = (),
    n: int = 0,
) -> int | None:
    """Narrow all limits in place until nothing changes; return the number of an itemset that no support fits."""
    trie, tried = kernels.inversion.plant(offsets, items), _tried(pairs)
    for _ in range(ROUNDS):
        kernels.intervals.narrow(trie, offsets, items, known.low, known.high, many)
        known.changed = False
        flaw = _crossing(known)
        for pair in pairs if flaw is None else ():
            found = _fit(pair, known, tried)
            if found is None:
                return pair.both
            fit, steps = found
            known.narrow(pair.held, fit.held, steps[0])
            known.narrow(pair.both, fit.both, steps[1])
        for clue in clues if flaw is None else ():
            if known.low[clue.also] < known.high[clue.also]:
                known.narrow(clue.also, _measured(clue, known, n))
        if flaw is not None or not known.changed:
            return flaw
    return _crossing(known)


def _crossing(known: Known) -> int | None:
    wrong = np.flatnonzero(known.low > known.high)
    return int(wrong[0]) if wrong.size else None


def _tried(pairs: Sequence[Pair]) -> int:
    return min(TRIED, TRIED_IN_ALL // max(1, len(pairs)))


def _fit(pair: Pair, known: Known, tried: int) -> tuple[Fit, tuple[int, int]] | None:
    """Return how a rule narrows its limits, and what both supports are multiples of; None if nothing fits.

    Where the confidence can be one fraction only, the antecedent is a multiple of its denominator.
    """
    held, both = known.limits(pair.held), known.limits(pair.both)
    fit = fitted(pair.confidence, held, both, tried=tried)
    if fit is None:
        return None
    is_open = pair.confidence.low and fit.held[0] < fit.held[1]
    quotient = only(pair.confidence, fit.held[1]) if is_open else None
    if not quotient:
        return fit, (1, 1)
    step = common_step(quotient, known.steps[pair.held], known.steps[pair.both])
    whole, part = quotient.denominator * step, quotient.numerator * step
    least = max(-(-fit.held[0] // whole), -(-fit.both[0] // part))
    most = min(fit.held[1] // whole, fit.both[1] // part)
    ends = [(least * times, most * times) for times in (whole, part, whole - part)]
    return (Fit(*ends), (whole, part)) if least <= most else None


def _measured(clue: Clue, known: Known, n: int) -> Limits:
    """Return what a measure says of the support of a consequent."""
    held, both = known.limits(clue.pair.held), known.limits(clue.pair.both)
    low = max(clue.pair.confidence.low, Fraction(both[0], max(1, held[1])))
    high = min(clue.pair.confidence.high, Fraction(both[1], max(1, held[0])), Fraction(1))
    support = Interval(Fraction(both[0], n), Fraction(both[1], n))
    share = consequent(clue.name, support, Interval(low, high), clue.measure) if low <= high else None
    return (0, UNKNOWN) if share is None else share.times(n)


def labelled(facts: Facts, number: int) -> Itemset:
    """Return a listed itemset by its labels."""
    names: list[Label] = [facts.labels[code] for code in facts.itemset(number)]
    return frozenset(names)
