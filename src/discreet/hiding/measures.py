"""Measures of hiding (Oliveira and Zaïane 2002, section 5): sensitive itemsets still found, others no longer found.

A frequent itemset is restricted if it holds a sensitive one, which it reveals. The empty itemset does not count.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Itemset, Itemsets, Label
from discreet.data.patterns import Patterns
from discreet.data.thresholds import Share, Threshold, as_confidence, as_count
from discreet.data.transactions import Transactions
from discreet.errors import BudgetError, ThresholdError, refuse_truth
from discreet.hiding.problem import SensitiveLike, parse_sensitive
from discreet.mining.mine import Budget, mine


@refuse_truth(ask=".hiding_failure")
class Hiding(NamedTuple):
    """The effect of hiding on the frequent itemsets at one minimum support, a count of the rows before.

    ``before`` and ``after`` are their numbers, and ``both`` the number in both; beside each stands the number of
    restricted ones. ``items_before`` and ``items_after`` count the items of all rows. A measure whose denominator is 0
    is 0, and ``undefined`` names it.

    >>> measured = Hiding(2, 10, 5, 5, 4, 1, 1, 20, 15)
    >>> measured.hiding_failure, round(measured.misses_cost, 3), measured.artifactual, measured.dissimilarity
    (0.25, 0.333, 0.0, 0.25)
    """

    min_support: int
    before: int
    after: int
    both: int
    restricted_before: int
    restricted_after: int
    restricted_both: int
    items_before: int
    items_after: int

    @property
    def hiding_failure(self) -> float:
        """Restricted itemsets found afterwards, as a share of those before."""
        return _share(self.restricted_after, self.restricted_before)

    @property
    def misses_cost(self) -> float:
        """The share of legitimate itemsets that are no longer found."""
        return _share(self.missed, self.legitimate)

    @property
    def artifactual(self) -> float:
        """The share of itemsets found afterwards that were not found before: 0 if only items are removed."""
        return _share(self.after - self.both, self.after)

    @property
    def dissimilarity(self) -> float:
        """The share of their items that the rows have lost."""
        return _share(self.items_before - self.items_after, self.items_before)

    @property
    def legitimate(self) -> int:
        """How many itemsets before are not restricted."""
        return self.before - self.restricted_before

    @property
    def missed(self) -> int:
        """How many legitimate itemsets are not found afterwards."""
        return self.legitimate - (self.both - self.restricted_both)

    @property
    def undefined(self) -> tuple[str, ...]:
        """The measures whose denominator is 0."""
        denominators = {
            "hiding_failure": self.restricted_before,
            "misses_cost": self.legitimate,
            "artifactual": self.after,
            "dissimilarity": self.items_before,
        }
        return tuple(name for name, many in denominators.items() if not many)


class RuleCounts(NamedTuple):
    """How many association rules hold before and after at a confidence, and how many only after: the ghosts."""

    min_support: int
    min_confidence: Fraction
    before: int
    after: int
    ghosts: int


@dataclass(frozen=True, eq=False, repr=False)
class Yardstick:
    """The frequent itemsets of rows, mined once, to measure many hidings against.

    >>> rows = Transactions([["a", "b"], ["a", "b"], ["b"]])
    >>> yardstick = Yardstick.of(rows, [["a", "b"]], [1, 2])
    >>> [measured.misses_cost for measured in yardstick.measure(Transactions([["b"], ["b"], ["b"]]))]
    [0.5, 0.5]
    """

    rows: Transactions
    sensitive: tuple[Itemset, ...]
    min_supports: tuple[Threshold, ...]
    patterns: Patterns
    restricted: NDArray[np.bool_]
    budget: Budget

    @classmethod
    def of(
        cls, rows: Transactions, sensitive: SensitiveLike, min_supports: Iterable[Threshold], **budget: Unpack[Budget]
    ) -> Self:
        """Mine the rows at the smallest of the minimum supports."""
        itemsets, thresholds = parse_sensitive(sensitive, code=rows.code).itemsets, tuple(min_supports)
        if not thresholds:
            raise ThresholdError("no minimum support is given to measure at; give at least one, such as '10%'")
        patterns = _mine_nonempty(rows, min(as_min_count(one, len(rows)) for one in thresholds), budget)
        return cls(rows, itemsets, thresholds, patterns, _restricted(patterns, itemsets, rows), budget)

    def measure(self, after: Transactions) -> list[Hiding]:
        """Measure hiding at each minimum support; a share counts the rows after."""
        rows = _recode(after, self.rows.labels)
        counts = [(as_min_count(one, len(self.rows)), as_min_count(one, len(rows))) for one in self.min_supports]
        new, old = _mine_nonempty(rows, min(count for _, count in counts), self.budget), self.patterns
        restricted = _restricted(new, self.sensitive, rows)
        places = kernels.closure.match(new.offsets, new.items, old.offsets, old.items)
        had = np.where(places >= 0, old.supports[places] if len(old) else 0, 0)
        sizes, measured = (self.rows.itemsets.size, rows.itemsets.size), []
        for least, least_after in counts:
            was, now = old.supports >= least, new.supports >= least_after
            both = now & (had >= least)
            totals = _count(was), _count(now), _count(both)
            of_restricted = _count(was & self.restricted), _count(now & restricted), _count(both & restricted)
            measured.append(Hiding(least, *totals, *of_restricted, *sizes))
        return measured


def count_ghost_rules(
    before: Transactions,
    after: Transactions,
    *,
    min_support: Threshold,
    min_confidence: Share,
    **budget: Unpack[Budget],
) -> RuleCounts:
    """Count the rules that hold before, after, and only after, of frequent itemsets and with one item on the right.

    Rules with more items on the right are exponentially many, and each implies one of these.

    >>> rows = [["a", "b"], ["a", "b"], ["a"], ["a"]]
    >>> after = [["a", "b"], ["a", "b"], ["a"], []]
    >>> rules = count_ghost_rules(Transactions(rows), Transactions(after), min_support=2, min_confidence="60%")
    >>> rules.before, rules.after, rules.ghosts
    (1, 2, 1)
    """
    confidence, rows = as_confidence(min_confidence), _recode(after, before.labels)
    least, least_after = as_min_count(min_support, len(before)), as_min_count(min_support, len(rows))
    old, new = _mine_nonempty(before, least, budget), _mine_nonempty(rows, least_after, budget)
    held, holds = _mark_consequents(old, confidence), _mark_consequents(new, confidence)
    places = kernels.closure.match(new.offsets, new.items, old.offsets, old.items)
    common = int(kernels.hiding.count_common(new.offsets, holds, places, old.offsets, held))
    return RuleCounts(least, confidence, _count(held), _count(holds), _count(holds) - common)


def as_min_count(min_support: Threshold, n: int) -> int:
    """Return a minimum support as a count of ``n`` rows; 0 rows and 0 % mean: in any row.

    >>> as_min_count("0%", 20), as_min_count(0, 20), as_min_count("10%", 20)
    (1, 1, 2)
    """
    if str(min_support).strip().removesuffix("%").rstrip() in {"0", "0.0"}:
        return 1
    return as_count(min_support, n)


def mark_restricted(patterns: Patterns, sensitive: Iterable[NDArray[np.int32]]) -> NDArray[np.bool_]:
    """Return for each pattern whether it holds a sensitive itemset, given by its codes."""
    itemsets = sorted(sensitive, key=lambda itemset: int(itemset[-1]))
    starts = np.searchsorted([itemset[-1] for itemset in itemsets], np.arange(len(patterns.labels) + 1))
    marks = np.zeros(len(patterns), dtype=np.bool_)
    kernels.hiding.mark_holders(patterns.offsets, patterns.items, starts, *Itemsets.of(itemsets).flat, marks)
    return marks


def _restricted(patterns: Patterns, sensitive: Iterable[Itemset], rows: Transactions) -> NDArray[np.bool_]:
    """Mark restricted patterns; an itemset with an item that no row holds restricts none."""
    known = [itemset for itemset in sensitive if all(label in rows.code for label in itemset)]
    codes = [np.array(sorted(rows.code[label] for label in itemset), dtype=np.int32) for itemset in known]
    return mark_restricted(patterns, codes)


def _mine_nonempty(rows: Transactions, least: int, budget: Budget) -> Patterns:
    try:
        patterns = mine(rows, min_support=least, kind="frequent", **budget)
    except BudgetError as error:
        raise BudgetError(
            "the frequent itemsets are too many to be compared one by one (", error.message, ")"
        ) from None
    first = int(patterns.is_rooted)
    return replace(patterns, itemsets=patterns.itemsets[first:], supports=patterns.supports[first:])


def _recode(rows: Transactions, labels: tuple[Label, ...]) -> Transactions:
    """Return the rows in the codes of ``labels``; new labels follow."""
    if rows.labels == labels:
        return rows
    code = {label: number for number, label in enumerate(dict.fromkeys([*labels, *rows.labels]))}
    codes = np.array([code[label] for label in rows.labels], dtype=np.int32)
    return Transactions.from_codes(rows.offsets - rows.offsets[0], codes[rows.itemsets.entries], code)


def _mark_consequents(patterns: Patterns, confidence: Fraction) -> NDArray[np.bool_]:
    """Return for each item of each itemset whether it follows from the others with this confidence."""
    supports, places = np.unique(patterns.supports, return_inverse=True)
    # Python's integers: a support times a long fraction need not fit a word.
    needed = np.array([math.ceil(confidence * support) for support in supports.tolist()], dtype=np.int64)[places]
    follows = np.zeros(patterns.items.size, dtype=np.bool_)
    slots = kernels.lattice.index(patterns.offsets, patterns.items)
    kernels.lattice.mark_followers(slots, patterns.offsets, patterns.items, patterns.supports, needed, follows)
    return follows


def _count(marks: NDArray[np.bool_]) -> int:
    return int(np.count_nonzero(marks))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
