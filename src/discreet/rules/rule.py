"""Rules: association rules with what their supports and confidences may have been before they were printed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self, TypeAlias

from discreet import markup
from discreet.errors import InputError
from discreet.labels import Itemset, Label, ordered
from discreet.rules.rounding import Interval, Mode, as_rounding, shares
from discreet.thresholds import LARGEST_COUNT
from discreet.transactions import as_itemset

Limits: TypeAlias = tuple[int, int]
"""The least and the most rows."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Of the rows that hold ``antecedent``, a share of ``confidence`` hold ``consequent`` too: ``support`` rows.

    Both are intervals, as wide as rounding left them.

    >>> rules = Rules.from_rules([(["a"], ["b"], 80, "98.7%")], digits=1)
    >>> print(rules.rules[0])
    a ⇒ b
    """

    antecedent: Itemset
    consequent: Itemset
    support: Limits
    confidence: Interval

    def __str__(self) -> str:
        held, also = (" ∧ ".join(map(str, ordered(part))) for part in (self.antecedent, self.consequent))
        return f"{held or '∅'} ⇒ {also}"

    @property
    def both(self) -> Itemset:
        """The items of both sides."""
        return self.antecedent | self.consequent


@dataclass(frozen=True, eq=False, repr=False)
class Rules:
    """Association rules of ``n`` rows, if it is known of how many, and limits of the supports of ``more`` itemsets.

    >>> Rules.from_rules([(["a"], ["b"], 0.4, 0.8)], n=10, rounding="exact")
    <Rules: 1 rule of 10 rows>
    """

    rules: tuple[Rule, ...]
    n: int | None
    more: tuple[tuple[Itemset, Limits], ...] = ()

    @classmethod
    def from_rules(
        cls,
        rules: Iterable[tuple[Iterable[Label], Iterable[Label], int | float | str, float | str]],
        *,
        n: int | None = None,
        digits: int | None = None,
        rounding: Mode | None = None,
    ) -> Self:
        """Take antecedents, consequents, supports (a count, or a share of ``n`` as float or text) and confidences.

        Without ``digits`` as many count as the longest number has; ``rounding`` is "round", "truncate" or "exact".
        """
        lines = [(as_itemset(held), as_itemset(also), support, str(share)) for held, also, support, share in rules]
        printed = as_rounding(rounding, digits)
        confidences = printed.intervals([line[3] for line in lines], "confidence")
        shares(confidences, "confidence")
        texts = [str(line[2]) for line in lines if not isinstance(line[2], int)]
        between = iter(printed.intervals(texts, "support"))
        supports = [(line[2], line[2]) if isinstance(line[2], int) else as_limits(next(between), n) for line in lines]
        return cls(
            tuple(
                Rule(held, also, support, confidence)
                for (held, also, _, _), support, confidence in zip(lines, supports, confidences, strict=True)
            ),
            n,
        )

    def __post_init__(self) -> None:
        """Refuse rules that say nothing, or more than ``n`` rows have."""
        if self.n is not None and (type(self.n) is not int or not 0 <= self.n <= LARGEST_COUNT):
            raise InputError("n must be a number of rows, a whole number from 0 on; give the n that was mined")
        for at, rule in enumerate(self.rules, start=1):
            if not rule.consequent or rule.antecedent & rule.consequent:
                raise InputError(f"rule {at} has no consequent, or an item on both sides; give rules such as a, b ⇒ c")
            if rule.support[0] < 0 or rule.support[0] > (LARGEST_COUNT if self.n is None else self.n):
                raise InputError(f"rule {at} has a support that is no count of the rows; give the n that was mined")

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __repr__(self) -> str:
        rows = "" if self.n is None else f" of {self.n:,} rows"
        return f"<Rules: {len(self):,} rule{'s' * (len(self) != 1)}{rows}>"

    def _repr_html_(self) -> str:
        """Return the first rules as a table, for notebooks."""
        lines = ((str(rule), _between(rule.support)) for rule in self.rules[: markup.SHOWN])
        return markup.table(repr(self)[1:-1], ["rule", "rows"], lines, many=len(self))


def as_limits(share: Interval, n: int | None) -> Limits:
    """Return the counts of ``n`` rows that a share may stand for."""
    if n is None:
        raise InputError("supports are shares of the rows, but not of how many; say it with n=")
    return share.times(n)


def _between(limits: Limits) -> str:
    low, high = limits
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
