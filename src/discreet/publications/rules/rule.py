"""Association rules with the intervals of their printed numbers, and the rules that announced thresholds exclude."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, combinations
from math import ceil, floor
from typing import Final, NamedTuple, Self, TypedDict, Unpack

from discreet.data.itemsets import Itemset, Label, as_itemset, sort_labels
from discreet.data.thresholds import LARGEST_COUNT, Share, Threshold, as_confidence, as_count
from discreet.disclosure.attacks.facts import Codes, Facts, Limits
from discreet.errors import InputError, Option
from discreet.publications.rules.intervals import UNKNOWN, Interval, Mode, as_rounding, check_shares, format_limits
from discreet.runtime import html
from discreet.runtime.text import count_of

OF_HOW_MANY: Final = ("supports are shares of an unknown number of rows; give it with ", Option("n"))
FOLLOWED: Final = 100_000  # most absent rules to follow
LOOKED_AT: Final = 2_000_000  # most parts of listed rules to search for them


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


class Thresholds(TypedDict, total=False):
    """Thresholds that were announced with rules: exactly the rules that reach both are listed."""

    min_support: Threshold | None
    min_confidence: Share | None


@dataclass(frozen=True, eq=False, repr=False)
class Rules:
    """Association rules of ``n`` rows, if that is known, and limits of the supports of ``more`` itemsets.

    ``min_confidence`` and ``min_support`` are announced thresholds: exactly the rules that reach both are listed. If
    supports are ``in_shares``, or not stated, rules that just reach a threshold may be missing, because programs lose
    some to floats. ``unused`` are the columns of a table that were not read.

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

    @classmethod
    def from_rules(
        cls,
        rules: Iterable[tuple[Iterable[Label], Iterable[Label], int | float | str | None, float | str]],
        *,
        n: int | None = None,
        digits: int | None = None,
        rounding: Mode | None = None,
        **announced: Unpack[Thresholds],
    ) -> Self:
        """Take antecedents, consequents, supports and confidences.

        A support is a count, a share of ``n`` as float or text, or None if it is not stated. Without ``digits``, the
        longest number shows them; ``rounding`` is "round", "truncate" or "exact". ``min_support`` and
        ``min_confidence`` are announced thresholds: all rules that reach them are listed.
        """
        lines = [(as_itemset(held), as_itemset(also), support, str(share)) for held, also, support, share in rules]
        printed = as_rounding(rounding, digits)
        confidences = printed.intervals([line[3] for line in lines], "confidence")
        check_shares(confidences, "confidence")
        texts = [str(line[2]) for line in lines if not isinstance(line[2], int | None)]
        shares = iter(printed.intervals(texts, "support"))
        stated = (
            Rule(held, also, _find_limits(support, shares, n), confidence)
            for (held, also, support, _), confidence in zip(lines, confidences, strict=True)
        )
        in_shares = any(not isinstance(line[2], int) for line in lines)
        return cls(tuple(stated), n, in_shares=in_shares).announced(**announced)

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

    def __repr__(self) -> str:
        rows = "" if self.n is None else f" of {self.n:,} rows"
        return f"<Rules: {count_of(len(self), 'rule')}{rows}>"

    def _repr_html_(self) -> str:
        """Return the first rules as a table, for notebooks."""
        shown = self.rules[: html.SHOWN]
        lines = ((str(rule), format_limits(*rule.support) if rule.support else "not stated") for rule in shown)
        return html.table(repr(self)[1:-1], ["rule", "rows"], lines, many=len(self))


def as_limits(share: Interval, n: int | None) -> Limits:
    """Return the limits of a count, from its share of ``n`` rows."""
    if n is None:
        raise InputError(*OF_HOW_MANY)
    return share.times(n)


def _find_limits(support: float | str | None, shares: Iterator[Interval], n: int | None) -> Limits | None:
    if support is None or isinstance(support, int):
        return None if support is None else (support, support)
    return as_limits(next(shares), n)


def _as_count(min_support: Threshold, n: int | None) -> int:
    count = as_count(min_support, LARGEST_COUNT if n is None else n)
    if n is None and count != as_count(min_support, 1):
        raise InputError(
            "the announced minimum support is a share of an unknown number of rows; give it with ", Option("n")
        )
    return count


class Absent(NamedTuple):
    """Absent rules with enough support, as antecedents and both sides; ``is_all`` is False if there are too many."""

    rules: tuple[tuple[Itemset, Itemset], ...] = ()
    is_all: bool = True


@dataclass(frozen=True)
class Announced:
    """All rules with ``least`` rows and confidence ``share`` are listed, if they have one of the ``shapes``.

    A rule A ⇒ B whose items are all in one listed rule has enough support, because that rule has. If it is absent, its
    confidence is too small: sup(A ∪ B) < c · sup(A). For any other itemset, either this holds or its support is too
    small. Some miners list only consequents of one item, or stop at a length. So a rule counts as absent only if some
    listed rule has its shape: as many items on each side. If ``is_blurred``, rules that just reach the confidence may
    be absent too.
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
        sizes = [left for left, right in self.shapes if left + right == len(itemset)]
        parts = map(frozenset, chain.from_iterable(combinations(sorted(itemset), size) for size in sizes))
        highs = [facts.listed[held][1] for held in parts if held in facts.listed]
        if not highs or facts.is_below(itemset):
            return facts.n
        end = self.share * min(highs)
        return max(self.least - 1, floor(end) if self.is_blurred else ceil(end) - 1)


def read_thresholds(rules: Rules) -> Announced | None:
    """Return the announced thresholds, if a minimum confidence was announced.

    An unknown minimum support is at most the smallest listed one. Programs that hold shares as floats may lose rules
    that just reach a threshold.
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
    lefts: dict[int, list[int]] = {}
    for left, right in sorted(announced.shapes):
        lefts.setdefault(left + right, []).append(left)
    parts = (both for size in sorted(lefts) for itemset in coded for both in combinations(itemset, size))
    listed, seen = {(rule.antecedent, rule.both) for rule in rules}, set[tuple[int, ...]]()
    absent: list[tuple[Itemset, Itemset]] = []
    for number, both in enumerate(parts):
        if number == LOOKED_AT:
            return Absent(tuple(absent), is_all=False)
        if both in seen:
            continue
        seen.add(both)
        for held in chain.from_iterable(combinations(both, left) for left in lefts[len(both)]):
            if len(absent) == FOLLOWED:
                return Absent(tuple(absent), is_all=False)
            rule = frozenset(labels[item] for item in held), frozenset(labels[item] for item in both)
            if rule not in listed:
                absent.append(rule)
    return Absent(tuple(absent))
