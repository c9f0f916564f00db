"""Limits of supports that follow from rules (docs/rules.md), and sums of these that surely reveal 1 to k − 1 rows.

A rule A ⇒ B with support s and confidence c says s / sup(A) = c, and few whole numbers fit both intervals. The limits
of an itemset narrow every rule about it, its parts and its supersets.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, lcm
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from discreet import kernels
from discreet.data.itemsets import Itemset, Itemsets, sort_labels
from discreet.data.schema import Groups
from discreet.disclosure.attacks.facts import Codes, Facts, Limits, Relation, as_schema
from discreet.disclosure.channels import Term, as_text, format_sum
from discreet.errors import InconsistencyError
from discreet.publications.rules import intervals
from discreet.publications.rules.intervals import UNKNOWN, Fit, Interval, format_limits
from discreet.publications.rules.rule import Announced, Rules, Sides, read_thresholds
from discreet.runtime.solver import Numbers

ROUNDS: Final = 20  # most rounds of narrowing; limits that stay too wide are still true
DENOMINATORS: Final = 10**6  # the largest denominator of a confidence that a solver can resolve
TRIED_IN_ALL: Final = 2_000_000  # most supports of all rules together to try in a round
MOST: Final = 100_000  # most differences to list
TRIED: Final = 10_000_000  # most pairs of itemsets to try for absent itemsets

Gaps: TypeAlias = Mapping[tuple[int, int], Limits]
"""Limits of the rows that hold an itemset and not all of a superset, by the numbers of both."""


class Narrowed(NamedTuple):
    """The limits that follow from rules: of supports, and of the rows with an antecedent but without its consequent.

    If no rows can have these rules, ``facts`` is None, and ``flaw`` is an itemset that no support fits. ``announced``
    are the thresholds of unlisted rules.
    """

    facts: Facts | None
    gaps: Gaps
    flaw: Itemset | None = None
    announced: Announced | None = None


class CodedRule(NamedTuple):
    """A rule, by the numbers of its antecedent, of both sides together, and of its consequent if it has measures."""

    held: int
    both: int
    confidence: Interval
    also: int = -1
    measures: tuple[tuple[str, Interval], ...] = ()


class Known:
    """Limits of the supports of numbered itemsets, narrowed in place, and a divisor of each."""

    def __init__(self, itemsets: Itemsets, low: Numbers, high: Numbers) -> None:
        """Take the first limits."""
        self.itemsets, self.low, self.high = itemsets, low, high
        self.steps, self.changed = [1] * low.size, False

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

    def settle(self, rules: Sequence[CodedRule], many: int, n: int) -> int | None:
        """Narrow all limits until nothing changes; return the number of an itemset that no support fits."""
        trie, tried = kernels.inversion.plant(*self.itemsets.flat), _count_tries(rules)
        clues = [(rule, measure) for rule in rules for measure in rule.measures]
        for _ in range(ROUNDS):
            kernels.closure.narrow_limits(trie, *self.itemsets.flat, self.low, self.high, many)
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
            for measured, measure in clues:
                if self.low[measured.also] < self.high[measured.also]:
                    self.narrow(measured.also, _apply_measure(measured, *measure, self, n))
            if not self.changed:
                return None
        return self.find_flaw()


def narrow_rules(rules: Rules, *, schema: str | Groups | None = None) -> Narrowed:
    """Return the limits of supports that follow from rules.

    >>> rules = Rules.from_rules([(["a"], ["b"], 80, "98.7%")], rounding="truncate")
    >>> known = narrow_rules(rules)
    >>> [(known.facts.labelled(base), known.facts.labelled(top), gap) for (base, top), gap in known.gaps.items()]
    [(['a'], ['a', 'b'], (1, 1))]
    """
    announced = read_thresholds(rules)
    limits = _join_limits(rules, () if announced is None else announced.absent)
    labels = sort_labels(label for itemset in limits for label in itemset)
    code = {label: number for number, label in enumerate(labels)}
    listed = sorted((sorted(code[label] for label in itemset), itemset) for itemset in limits)
    names = [itemset for _, itemset in listed]
    itemsets = Itemsets.of([codes for codes, _ in listed])
    low, high = (np.array([limits[itemset][end] for itemset in names], dtype=np.int64) for end in (0, 1))
    known = Known(itemsets, low, high)
    coded = _code_rules(rules, announced, {itemset: number for number, itemset in enumerate(names)})
    flaw = known.settle(coded, max(1, len(labels)), rules.n or 0)
    if flaw is not None:
        return Narrowed(None, {}, names[flaw], announced)
    fits = [(rule, _fit(rule, known, _count_tries(coded))) for rule in coded]
    gaps = {(rule.held, rule.both): fit[0].gap for rule, fit in fits if fit is not None}
    n = int(high[0]) if rules.n is None else rules.n
    facts = Facts(itemsets, low, high, labels, n, schema=as_schema(schema, labels))
    relations = tuple(_find_relations(facts, coded, gaps))
    followed = tuple(one for one in relations if max(abs(times) for _, times in one.times) <= DENOMINATORS)
    unfollowed = [
        (len(followed) < len(relations), f"confidences of more than {len(str(DENOMINATORS)) - 1} digits"),
        (any(rule.measures for rule in coded), "measures such as lift"),
        (announced is not None, "rules that are not listed"),
    ]
    left_out = ", ".join(what for is_so, what in unfollowed if is_so)
    note = f"it also has {left_out}, which are not used in full" if left_out else ""
    return Narrowed(replace(facts, relations=followed, left_out=note), gaps, None, announced)


def narrow_facts(facts: Facts) -> Narrowed:
    """Return facts with limits narrowed by those of parts and supersets; exact ones of a lattice stay as they are.

    >>> facts = Facts.from_limits([(["a"], 3, 9), (["a", "b"], 4, 9)], n=8)
    >>> narrow_facts(facts).facts.low.tolist(), narrow_facts(facts).facts.high.tolist()
    ([8, 4, 4], [8, 8, 8])
    """
    try:
        return Narrowed(facts.narrow(), {})
    except InconsistencyError as error:
        return Narrowed(None, {}, error.itemset)


def _find_relations(facts: Facts, rules: Sequence[CodedRule], gaps: Gaps) -> Iterator[Relation]:
    """Yield what confidences say of two supports and their difference, beyond their limits."""
    for rule in rules:
        held, both = facts.itemset(rule.held), facts.itemset(rule.both)
        (above, below), (over, under) = (end.as_integer_ratio() for end in (rule.confidence.high, rule.confidence.low))
        least, most = gaps.get((rule.held, rule.both), (0, UNKNOWN))
        every = (
            Relation(((both, under), (held, -over)), 0),
            Relation(((held, above), (both, -below)), int(rule.confidence.open)),
            Relation(((held, 1), (both, -1)), least),
            Relation(((both, 1), (held, -1)), -most),
        )
        yield from (one for one in every if not _is_known(facts, one))


def _is_known(facts: Facts, relation: Relation) -> bool:
    """Return whether a relation follows from the limits of supports, or because a superset has no more rows."""
    (one, more), (other, less) = relation.times
    least = sum(facts.listed[itemset][times < 0] * times for itemset, times in relation.times)
    return least >= relation.least or (len(one) < len(other) and more >= -less and relation.least <= 0)


def _join_limits(rules: Rules, absent: Sides) -> dict[Itemset, Limits]:
    """Return all itemsets of rules, and the empty one, with the limits that are stated directly."""
    rows = (0, UNKNOWN) if rules.n is None else (rules.n, rules.n)
    limits: dict[Itemset, Limits] = {frozenset(): rows}
    for itemset, stated in _list_limits(rules, absent):
        before = limits.get(itemset, (0, rows[1]))
        limits[itemset] = (min(max(before[0], stated[0]), UNKNOWN + 1), min(before[1], stated[1]))
    return limits


def _list_limits(rules: Rules, absent: Sides) -> Iterator[tuple[Itemset, Limits]]:
    for rule in rules:
        least, most = rule.support or (0, UNKNOWN)
        low, high, _ = rule.confidence
        fewest = intervals.find_simplest(low, max(low, min(high, Fraction(1))))
        yield rule.antecedent, (fewest.denominator, UNKNOWN)
        yield rule.both, (max(least, fewest.numerator, rules.min_support or 0), most)
        if rule.measures and rules.n:
            yield rule.consequent, (0, UNKNOWN)
    yield from ((itemset, (0, UNKNOWN)) for sides in absent for itemset in sides)
    yield from rules.more


def _code_rules(rules: Rules, announced: Announced | None, place: Mapping[Itemset, int]) -> list[CodedRule]:
    """Return listed and absent rules by the numbers of itemsets; listed rules reach an announced confidence."""
    coded = []
    for rule in rules:
        low, high, is_open = rule.confidence
        reached = Interval(max(low, rules.min_confidence or low), high, is_open)
        measures = rule.measures if rules.n else ()
        also = place[rule.consequent] if measures else -1
        coded.append(CodedRule(place[rule.antecedent], place[rule.both], reached, also, measures))
    if announced is not None:
        coded += [CodedRule(place[held], place[both], announced.below) for held, both in announced.absent]
    return coded


def _count_tries(rules: Sequence[CodedRule]) -> int:
    return min(intervals.TRIED, TRIED_IN_ALL // max(1, len(rules)))


def _fit(rule: CodedRule, known: Known, tried: int) -> tuple[Fit, tuple[int, int]] | None:
    """Return how a rule narrows its limits, and divisors of both supports; None if nothing fits."""
    fit = intervals.fit_counts(rule.confidence, known.limits(rule.held), known.limits(rule.both), tried=tried)
    if fit is None:
        return None
    # If the confidence can only be one fraction, the antecedent is a multiple of its denominator.
    is_open = rule.confidence.low and fit.held[0] < fit.held[1]
    quotient = intervals.find_only(rule.confidence, fit.held[1]) if is_open else None
    if not quotient:
        return fit, (1, 1)
    part, whole = quotient.as_integer_ratio()
    held, both = known.steps[rule.held], known.steps[rule.both]
    step = lcm(held // gcd(held, whole), both // gcd(both, part))  # so that both supports keep their divisors
    part, whole = part * step, whole * step
    least = max(-(-fit.held[0] // whole), -(-fit.both[0] // part))
    most = min(fit.held[1] // whole, fit.both[1] // part)
    ends = [(least * times, most * times) for times in (whole, part, whole - part)]
    return (Fit(*ends), (whole, part)) if least <= most else None


def _apply_measure(rule: CodedRule, name: str, measure: Interval, known: Known, n: int) -> Limits:
    """Return the limits of a consequent that follow from a measure."""
    held, both = known.limits(rule.held), known.limits(rule.both)
    low = max(rule.confidence.low, Fraction(both[0], max(1, held[1])))
    high = min(rule.confidence.high, Fraction(both[1], max(1, held[0])), Fraction(1))
    if low > high:
        return 0, UNKNOWN
    support = Interval(Fraction(both[0], n), Fraction(both[1], n))
    share = intervals.solve_consequent(name, support, Interval(low, high), measure)
    return (0, UNKNOWN) if share is None else share.times(n)


@dataclass(frozen=True, slots=True)
class Bounded:
    """From ``low`` to ``high`` rows hold all items of ``base`` and lack an item of each itemset of ``lacked``.

    The ``terms`` are the supports of the sum, with their limits, and ``times`` are their coefficients; without them,
    the others are subtracted from the first.

    >>> terms = ((frozenset("a"), (81, 82)), (frozenset("abc"), (80, 80)))
    >>> finding = Bounded(frozenset("a"), (frozenset("bc"),), 1, 2, terms)
    >>> print(finding, finding.explain(), sep=chr(10))
    a ∧ ¬(b ∧ c): 1 to 2 rows
    sup(a) 81 to 82 − sup(abc) 80 = 1 to 2
    """

    base: Itemset
    lacked: tuple[Itemset, ...]
    low: int
    high: int
    terms: tuple[tuple[Itemset, Limits], ...]
    times: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.pattern}: {format_limits(self.low, self.high)} row{'s' * (self.high != 1)}"

    @property
    def top(self) -> Itemset:
        """All items of the finding."""
        return self.base.union(*self.lacked)

    @property
    def pattern(self) -> str:
        """The items these rows hold, and the itemsets they lack an item of."""
        lacks = [(len(lacked), " ∧ ".join(map(str, sort_labels(lacked)))) for lacked in self.lacked]
        parts = sorted(f"¬({part})" if size > 1 else f"¬{part}" for size, part in lacks)
        return " ∧ ".join([*map(str, sort_labels(self.base)), *parts])

    @property
    def sum(self) -> list[Term]:
        """The terms of the sum, with their lower limits."""
        times = self.times or [1, *(-1 for _ in self.terms[1:])]
        return [Term(often, itemset, low) for often, (itemset, (low, _)) in zip(times, self.terms, strict=True)]

    def explain(self) -> str:
        """Return the sum of supports that reveals their number."""
        texts = [f"sup({as_text(itemset)}) {format_limits(*limits)}" for itemset, limits in self.terms]
        return f"{format_sum(self.sum, texts)} = {format_limits(self.low, self.high)}"


def find_differences(facts: Facts, gaps: Gaps, k: int) -> list[Bounded]:
    """Return the itemsets and supersets whose supports surely differ by 1 to k − 1 rows, the worst first.

    >>> facts = Facts.from_limits([(["a"], 50, 52), (["a", "b"], 48, 49)], n=100)
    >>> print(*find_differences(facts, {}, 10))
    a ∧ ¬b: 1 to 4 rows
    """
    trie = kernels.inversion.plant(facts.offsets, facts.items)
    pairs = kernels.closure.find_gaps(
        trie, facts.offsets, facts.items, facts.low, facts.high, max(1, len(facts.labels)), k, MOST
    )
    limits = list(zip(facts.low.tolist(), facts.high.tolist(), strict=True))
    differences = {
        (base, top): (limits[base][0] - limits[top][1], limits[base][1] - limits[top][0])
        for base, top in pairs.tolist()
    }
    for pair, (low, high) in gaps.items():
        if low > 0 and high < k:
            before = differences.get(pair, (low, high))
            differences[pair] = (max(low, before[0]), min(high, before[1]))
    names = {number: frozenset(facts.labelled(number)) for pair in differences for number in pair}
    return sort_worst(
        Bounded(names[base], (names[top] - names[base],), *gap, tuple((names[one], limits[one]) for one in (base, top)))
        for (base, top), gap in differences.items()
    )


def find_absences(facts: Facts, k: int, announced: Announced | None = None) -> list[Bounded]:
    """Return what absent itemsets reveal: if X ∪ a is not listed, at most ``absent`` rows hold it.

    The other rows of X hold X ∧ ¬a, and at most as many as hold Z ∧ ¬a, for any part Z of X. For rules, the
    ``announced`` thresholds limit the rows of an itemset that is in none of them.

    >>> facts = Facts.from_limits([(["b"], 4, 5), (["c"], 12, 13)], n=13, absent=3)
    >>> [(str(one), one.explain()) for one in find_absences(facts, 2)]
    [('b ∧ ¬c: 1 row', 'sup(b) 4 to 5 − sup(bc) 0 to 3 = 1')]
    """
    absent = facts.absent if announced is None else announced.least - 1
    if absent is None:
        return []
    listed = facts.listed
    above = [itemset for itemset, (low, _) in listed.items() if low > absent]
    near = [
        (itemset - {item}, item, most)
        for itemset, (low, _) in listed.items()
        for item in itemset
        if itemset - {item} in listed and (most := listed[itemset - {item}][1] - low) < k
    ]
    if len(near) * len(above) > TRIED:
        return []
    highs: dict[tuple[Codes, int], int] = {}
    for part, item, most in near:
        for itemset in above:
            if part <= itemset and item not in itemset and itemset | {item} not in listed:
                highs[itemset, item] = min(most, highs.get((itemset, item), listed[itemset][1]))
    findings = []
    for (itemset, item), high in highs.items():
        whole = itemset | {item}
        largest = facts.limits(whole)[1] if announced is None else announced.most(facts, whole)
        if 0 < (low := listed[itemset][0] - largest) <= high:
            base, lacked = frozenset(facts.labels[code] for code in itemset), frozenset([facts.labels[item]])
            terms = ((base, facts.limits(itemset)), (base | lacked, (0, largest)))
            findings.append(Bounded(base, (lacked,), low, high, terms))
    return sort_worst(findings)


def sort_worst(findings: Iterable[Bounded]) -> list[Bounded]:
    """Sort findings: the fewest rows first, then the fewest items, then by their words."""
    return sorted(findings, key=lambda one: (one.high, one.low, len(one.base) + len(one.lacked), one.pattern))
