"""Association rules with the intervals of their printed numbers, and the rules that announced thresholds exclude."""

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, combinations
from math import ceil, floor
from types import MappingProxyType
from typing import Any, Final, Self, TypeAlias

from discreet.data.itemsets import Itemset, Label, as_itemset, sort_labels
from discreet.data.records import Records
from discreet.data.thresholds import LARGEST_COUNT, Share, Threshold, as_confidence, as_count
from discreet.disclosure.attacks.facts import Codes, Facts, Limits
from discreet.errors import InputError, Option
from discreet.io.formats.rules import StatedRule, StatedRules
from discreet.publications.rules import intervals
from discreet.publications.rules.intervals import MEASURES, UNKNOWN, Interval, Mode, Rounding
from discreet.runtime import html
from discreet.runtime.text import abbreviate, count_of

OF_HOW_MANY: Final = ("supports are shares of an unknown number of rows; give it with ", Option("n"))
FOLLOWED: Final = 100_000  # most absent rules to follow
LOOKED_AT: Final = 2_000_000  # most parts of listed rules to search for them
Sides: TypeAlias = tuple[tuple[Itemset, Itemset], ...]
"""Rules as their antecedents and the items of both sides."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Of the rows that hold ``antecedent``, a share of ``confidence`` hold ``consequent`` too: ``support`` rows.

    Both are intervals, as wide as rounding left them; the support is None if it is not stated. So are the
    ``measures``, such as lift, by their names.

    >>> rules = Rules.from_rules([(["a"], ["b"], 80, "98.7%")], digits=1)
    >>> print(rules.rules[0])
    a ⇒ b
    """

    antecedent: Itemset
    consequent: Itemset
    support: Limits | None
    confidence: Interval
    measures: tuple[tuple[str, Interval], ...] = ()

    def __str__(self) -> str:
        held, also = (" ∧ ".join(map(str, sort_labels(part))) for part in (self.antecedent, self.consequent))
        return f"{held or '∅'} ⇒ {also}"

    @property
    def both(self) -> Itemset:
        """The items of both sides."""
        return self.antecedent | self.consequent


@dataclass(frozen=True, eq=False, repr=False)
class Rules(Records):
    """Association rules of ``n`` rows, if that is known, and limits of the supports of ``more`` itemsets.

    ``min_confidence`` and ``min_support`` are announced thresholds: exactly the rules that reach both are listed. If
    supports are ``in_shares``, or not stated, rules that just reach a threshold may be missing, because programs lose
    some to floats. ``unused`` are the columns of a table that were not read; those ``unjudged`` hold
    numbers.

    >>> Rules.from_rules([(["a"], ["b"], 0.4, 0.8)], n=10, rounding="exact")
    <Rules: 1 rule of 10 rows>
    """

    rules: tuple[Rule, ...]
    n: int | None
    more: tuple[tuple[Itemset, Limits], ...] = ()
    min_support: int | None = None
    min_confidence: Fraction | None = None
    in_shares: bool = False
    unused: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()
    _types = MappingProxyType(
        {"antecedent": list, "consequent": list, "support_low": int | None, "support_high": int | None}
        | {"confidence_low": float, "confidence_high": float}
    )

    @classmethod
    def from_rules(
        cls,
        rules: Iterable[tuple[Iterable[Label], Iterable[Label], int | float | str | None, float | str]] | StatedRules,
        *,
        n: int | None = None,
        digits: int | None = None,
        rounding: Mode | None = None,
        min_support: Threshold | None = None,
        min_confidence: Share | None = None,
    ) -> Self:
        """Take antecedents, consequents, supports and confidences, or rules as a file states them.

        A support is a count, a share of ``n`` as float or text, or None if it is not stated. Without ``digits``, the
        longest number shows them; ``rounding`` is "round", "truncate" or "exact". ``min_support`` and
        ``min_confidence`` are announced thresholds: all rules that reach them are listed.
        """
        if isinstance(rules, cls):
            return rules.announced(min_support=min_support, min_confidence=min_confidence)
        printed = intervals.as_rounding(rounding, digits)
        if isinstance(rules, StatedRules):
            beside = tuple(text for rule in rules.rules for text in (rule.share, rule.confidence) if text is not None)
            read = cls._from_stated(rules, n, printed._replace(beside=beside))
            return read.announced(min_support=min_support, min_confidence=min_confidence)
        stated = tuple(
            StatedRule(
                *(as_itemset(held), as_itemset(also), str(confidence)),
                rows=support if isinstance(support, int) else None,
                share=None if isinstance(support, int | None) else str(support),
            )
            for held, also, support, confidence in rules
        )
        read = cls._from_stated(StatedRules(stated), n, printed)
        return read.announced(min_support=min_support, min_confidence=min_confidence)

    @classmethod
    def _from_stated(cls, stated: StatedRules, n: int | None, rounding: Rounding) -> Self:
        if n is not None and stated.n is not None and n != stated.n:
            given = f"the source says n is {stated.n}, but {abbreviate(n)} was given"
            raise InputError(given, "; leave ", Option("n"), " out")
        confidences = rounding.intervals([rule.confidence for rule in stated.rules], "confidence")
        supports = rounding.intervals([rule.share for rule in stated.rules if rule.share is not None], "support")
        intervals.check_shares(confidences, "confidence")
        intervals.check_shares(supports, "support")
        rest = iter(supports)
        shares = [None if rule.share is None else next(rest) for rule in stated.rules]
        n = stated.n if n is None else n
        n = _infer_n(stated.rules, shares) if n is None else n
        more = () if n is None else _limit_sides(stated, n, rounding)
        exact = {itemset for itemset, (low, high) in more if low == high}
        measures = _read_measures(stated, exact, rounding)
        rules = tuple(
            Rule(rule.antecedent, rule.consequent, _limit_support(rule, share, n), confidence, several)
            for rule, share, confidence, several in zip(stated.rules, shares, confidences, measures, strict=True)
        )
        unused = tuple(name for name in stated.columns if name and name not in MEASURES)
        are_shares = any(rule.rows is None for rule in stated.rules)
        unjudged = tuple(name for name in unused if _holds_numbers(stated.columns[name]))
        return cls(rules, n, more, in_shares=are_shares, unused=unused, unjudged=unjudged)

    def announced(self, *, min_support: Threshold | None = None, min_confidence: Share | None = None) -> Self:
        """Return the rules with announced thresholds: exactly the rules that reach them are listed.

        >>> rules = Rules.from_rules([(["a"], ["b"], 40, 0.8)], n=100)
        >>> rules.announced(min_support="5%", min_confidence="60%").min_support
        5
        """
        count = self.min_support if min_support is None else _as_count(min_support, self.n)
        share = self.min_confidence if min_confidence is None else as_confidence(min_confidence)
        return replace(self, min_support=count, min_confidence=share)

    def __post_init__(self) -> None:
        """Refuse rules that say nothing, that ``n`` rows cannot have, or that do not reach announced thresholds."""
        if self.n is not None and (type(self.n) is not int or not 0 <= self.n <= LARGEST_COUNT):
            raise InputError("n must be a whole number of rows, at least 0; give the n that was mined")
        for at, rule in enumerate(self.rules, start=1):
            if not rule.consequent or rule.antecedent & rule.consequent:
                raise InputError(f"rule {at} has no consequent, or an item on both sides; give rules such as a, b ⇒ c")
            if rule.support and not 0 <= rule.support[0] <= (LARGEST_COUNT if self.n is None else self.n):
                raise InputError(f"rule {at} has a support that is not a count of the rows; give the n that was mined")
        least, share = self.min_support or 0, self.min_confidence or Fraction(0)
        wrong = sum(
            (rule.support is not None and rule.support[1] < least)
            or rule.confidence.high < share
            or (rule.confidence.high == share and rule.confidence.open)
            for rule in self.rules
        )
        if wrong:
            raise InputError(
                f"{wrong:,} of {len(self.rules):,} rules do not reach the announced minimum support or confidence; "
                "give the thresholds that were announced, which all listed rules reach"
            )

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def _records(self) -> Iterator[tuple[Any, ...]]:
        for rule in self.rules:
            low, high = rule.support or (None, None)
            sides = (list(sort_labels(side)) for side in (rule.antecedent, rule.consequent))
            yield *sides, low, high, float(rule.confidence.low), float(rule.confidence.high)

    def __repr__(self) -> str:
        rows = "" if self.n is None else f" of {self.n:,} rows"
        return f"<Rules: {count_of(len(self), 'rule')}{rows}>"

    def _repr_html_(self) -> str:
        """Return the first rules as a table, for notebooks."""
        shown = ((str(rule), rule.support) for rule in self.rules[: html.SHOWN])
        lines = ((rule, intervals.format_limits(*limits) if limits else "not stated") for rule, limits in shown)
        return html.table(repr(self)[1:-1], ["rule", "rows"], lines, many=len(self))


def _limit_support(rule: StatedRule, share: Interval | None, n: int | None) -> Limits | None:
    """Return the limits of a rule's support, from its count and its share of ``n``."""
    if rule.rows is None and share is not None and n is None:
        raise InputError(*OF_HOW_MANY)
    limits = None if share is None or n is None else share.times(n)
    if rule.rows is None:
        return limits
    low, high = limits or (rule.rows, rule.rows)
    return max(low, rule.rows), min(high, rule.rows)


def _holds_numbers(column: Iterable[object]) -> bool:
    """Return whether a column holds numbers; where nothing is missing, mlxtend's representativity is 1 throughout."""
    texts = {str(value).strip() for value in column}
    return any(any(map(str.isdigit, text)) for text in texts - {"1", "1.0"})


def _read_measures(
    stated: StatedRules, exact: Container[Itemset], rounding: Rounding
) -> list[tuple[tuple[str, Interval], ...]]:
    """Return the intervals of each rule's measures; none where the support of its consequent is ``exact``."""
    measures: list[list[tuple[str, Interval]]] = [[] for _ in stated.rules]
    for name in filter(MEASURES.__contains__, stated.columns):
        lines = zip(stated.rules, stated.columns[name], measures, strict=True)
        texts = [(text, several) for rule, text, several in lines if text is not None and rule.consequent not in exact]
        found = rounding.measure_intervals([text for text, _ in texts], name)
        for (_, several), interval in zip(texts, found, strict=True):
            several.append((name, interval))
    return [tuple(several) for several in measures]


def _limit_sides(stated: StatedRules, n: int, rounding: Rounding) -> tuple[tuple[Itemset, Limits], ...]:
    """Return the limits of single sides of rules, and of itemsets."""
    held = [(rule.antecedent, rule.held) for rule in stated.rules if rule.held is not None]
    also = [(rule.consequent, rule.also) for rule in stated.rules if rule.also is not None]
    limits: dict[tuple[Itemset, Limits], None] = {}
    for column in (held, also, stated.itemsets):
        shares = rounding.intervals([text for _, text in column], "support")
        limits |= {(itemset, share.times(n)): None for (itemset, _), share in zip(column, shares, strict=True)}
    return tuple(limits)


def _infer_n(rules: Iterable[StatedRule], shares: Iterable[Interval | None]) -> int | None:
    """Return the number of rows, if counts that are also printed as shares allow only one."""
    pairs = [(rule.rows, share) for rule, share in zip(rules, shares, strict=True) if share is not None and share.low]
    low = max((ceil(rows / share.high) for rows, share in pairs if rows is not None), default=0)
    high = min((floor(rows / share.low) for rows, share in pairs if rows is not None), default=None)
    return low if low == high else None


def _as_count(min_support: Threshold, n: int | None) -> int:
    count = as_count(min_support, LARGEST_COUNT if n is None else n)
    if n is None and count != as_count(min_support, 1):
        raise InputError(
            "the announced minimum support is a share of an unknown number of rows; give it with ", Option("n")
        )
    return count


@dataclass(frozen=True)
class Announced:
    """All rules with ``least`` rows and confidence ``share`` are listed, if they have one of the ``shapes``.

    A rule A ⇒ B whose items are all in one listed rule has enough support, because that rule has. If it is absent, its
    confidence is too small: sup(A ∪ B) < c · sup(A). For any other itemset, either this holds or its support is too
    small. Some miners list only consequents of one item, or stop at a length. So a rule counts as absent only if some
    listed rule has its shape: as many items on each side. If ``is_blurred``, rules that just reach the confidence may
    be absent too. ``absent`` are the absent rules with enough support; unless ``is_all``, there are more.
    """

    least: int
    share: Fraction
    shapes: frozenset[tuple[int, int]]
    is_blurred: bool = False
    absent: Sides = ()
    is_all: bool = True

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
        sizes = [left for left, right in self.shapes if left + right == len(itemset)]
        parts = map(frozenset, chain.from_iterable(combinations(sorted(itemset), size) for size in sizes))
        highs = [facts.listed[held][1] for held in parts if held in facts.listed]
        if not highs or facts.is_below(itemset):
            return facts.n
        end = self.share * min(highs)
        return max(self.least - 1, floor(end) if self.is_blurred else ceil(end) - 1)


def read_thresholds(rules: Rules) -> Announced | None:
    """Return the announced thresholds with the absent rules, if a minimum confidence was announced.

    An unknown minimum support is at most the smallest listed one. Programs that hold shares as floats may lose rules
    that just reach a threshold.

    >>> rules = Rules.from_rules([(["a"], ["b"], 40, 0.8)], n=100, min_confidence=0.5)
    >>> [(sorted(held), sorted(both)) for held, both in read_thresholds(rules).absent]
    [(['b'], ['a', 'b'])]
    """
    if rules.min_confidence is None:
        return None
    least = min((rule.support[1] for rule in rules if rule.support), default=UNKNOWN)
    shapes = frozenset((len(rule.antecedent), len(rule.consequent)) for rule in rules)
    least = min(least, rules.min_support or UNKNOWN) + rules.in_shares
    absent, is_all = _find_absent(rules, least, shapes)
    return Announced(least, rules.min_confidence, shapes, rules.in_shares, absent, is_all)


def _find_absent(rules: Rules, least: int, shapes: Iterable[tuple[int, int]]) -> tuple[Sides, bool]:
    """Return the absent rules with enough support, those of the fewest items first, and whether these are all."""
    frequent = [rule.both for rule in rules]
    frequent += [itemset for itemset, (low, _) in rules.more if low >= least]
    labels = sort_labels(label for itemset in frequent for label in itemset)
    code = {label: number for number, label in enumerate(labels)}
    coded = sorted({tuple(sorted(code[label] for label in itemset)) for itemset in frequent})
    lefts: dict[int, list[int]] = {}
    for left, right in sorted(shapes):
        lefts.setdefault(left + right, []).append(left)
    parts = (both for size in sorted(lefts) for itemset in coded for both in combinations(itemset, size))
    listed, seen = {(rule.antecedent, rule.both) for rule in rules}, set[tuple[int, ...]]()
    absent: list[tuple[Itemset, Itemset]] = []
    for number, both in enumerate(parts):
        if number == LOOKED_AT:
            return tuple(absent), False
        if both in seen:
            continue
        seen.add(both)
        for held in chain.from_iterable(combinations(both, left) for left in lefts[len(both)]):
            if len(absent) == FOLLOWED:
                return tuple(absent), False
            rule = frozenset(labels[item] for item in held), frozenset(labels[item] for item in both)
            if rule not in listed:
                absent.append(rule)
    return tuple(absent), True
