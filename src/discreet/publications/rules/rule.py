"""Association rules, with the intervals in which their printed supports and confidences lay."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, Self

from discreet.data.labels import Itemset, Label, sort_labels
from discreet.data.thresholds import LARGEST_COUNT, Share, Threshold, as_confidence, as_count
from discreet.data.transactions import as_itemset
from discreet.disclosure.attacks.facts import Limits
from discreet.errors import InputError, Option
from discreet.publications.rules.intervals import Interval, Mode, as_rounding, check_shares
from discreet.runtime import html

OF_HOW_MANY: Final = ("supports are shares of an unknown number of rows; give it with ", Option("n"))


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
        min_support: Threshold | None = None,
        min_confidence: Share | None = None,
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
        between = iter(printed.intervals(texts, "support"))
        stated = [
            Rule(held, also, _limits(support, between, n), confidence)
            for (held, also, support, _), confidence in zip(lines, confidences, strict=True)
        ]
        in_shares = any(not isinstance(line[2], int) for line in lines)
        listed = cls(tuple(stated), n, in_shares=in_shares)
        return listed.announced(min_support=min_support, min_confidence=min_confidence)

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
        """Refuse rules that say nothing, or that ``n`` rows cannot have."""
        if self.n is not None and (type(self.n) is not int or not 0 <= self.n <= LARGEST_COUNT):
            raise InputError("n must be a whole number of rows, at least 0; give the n that was mined")
        for at, rule in enumerate(self.rules, start=1):
            if not rule.consequent or rule.antecedent & rule.consequent:
                raise InputError(f"rule {at} has no consequent, or an item on both sides; give rules such as a, b ⇒ c")
            if rule.support and not 0 <= rule.support[0] <= (LARGEST_COUNT if self.n is None else self.n):
                raise InputError(f"rule {at} has a support that is not a count of the rows; give the n that was mined")
        self._check_announced()

    def _check_announced(self) -> None:
        """Refuse thresholds that listed rules do not reach."""
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
        return f"<Rules: {len(self):,} rule{'s' * (len(self) != 1)}{rows}>"

    def _repr_html_(self) -> str:
        """Return the first rules as a table, for notebooks."""
        lines = ((str(rule), _between(rule.support)) for rule in self.rules[: html.SHOWN])
        return html.table(repr(self)[1:-1], ["rule", "rows"], lines, many=len(self))


def as_limits(share: Interval, n: int | None) -> Limits:
    """Return the limits of a count, from its share of ``n`` rows."""
    if n is None:
        raise InputError(*OF_HOW_MANY)
    return share.times(n)


def _as_count(min_support: Threshold, n: int | None) -> int:
    """Return a minimum support as a count; a share needs n."""
    count = as_count(min_support, LARGEST_COUNT if n is None else n)
    if n is None and count != as_count(min_support, 1):
        raise InputError(
            "the announced minimum support is a share of an unknown number of rows; give it with ", Option("n")
        )
    return count


def _limits(support: float | str | None, between: Iterator[Interval], n: int | None) -> Limits | None:
    """Return the limits of a support: of a count, or of the next share; None if it is not stated."""
    if support is None or isinstance(support, int):
        return None if support is None else (support, support)
    return as_limits(next(between), n)


def _between(limits: Limits | None) -> str:
    if limits is None:
        return "not stated"
    low, high = limits
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
