"""Measures of hiding: what is still found of the sensitive itemsets, and what else is no longer found.

They are those of Oliveira and Zaïane, *Privacy preserving frequent itemset mining* (2002), section 5. A frequent
itemset is restricted if it holds a sensitive one: whoever publishes it tells of that one. The empty itemset is left
out, as in the paper: a pattern has items.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple, Self, TypeAlias, Unpack

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.labels import Itemset, Label
from discreet.data.patterns import Patterns
from discreet.data.thresholds import Share, Threshold, as_confidence, as_count
from discreet.data.transactions import Transactions
from discreet.errors import BudgetError, ThresholdError
from discreet.hiding.legitimate import restricted
from discreet.hiding.sensitive import Sensitive, as_sensitive
from discreet.io.formats.sensitive import Named
from discreet.mining.mine import Budget, mine

Itemsets: TypeAlias = Sensitive | Named | Patterns | Iterable[Iterable[Label]]
"""What is sensitive, in whatever holds it."""


class Hiding(NamedTuple):
    """What hiding did to the frequent itemsets at one minimum support, a count of the rows before.

    ``before`` and ``after`` are how many there are, ``both`` how many of them are the same, and each of these numbers
    has one of those that are restricted beside it. ``items_before`` and ``items_after`` are the items of all rows. A
    measure whose denominator is 0 is 0, and named by ``undefined``.

    >>> found = Hiding(2, 10, 5, 5, 4, 1, 1, 20, 15)
    >>> found.hiding_failure, round(found.misses_cost, 3), found.artifactual, found.dissimilarity, found.undefined
    (0.25, 0.333, 0.0, 0.25, ())
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
        """How many restricted itemsets are found afterwards, as a share of those before."""
        return _share(self.restricted_after, self.restricted_before)

    @property
    def misses_cost(self) -> float:
        """How many of the itemsets that are not restricted are no longer found, as a share of them."""
        return _share(self.missed, self.legitimate)

    @property
    def artifactual(self) -> float:
        """How many itemsets were not found before, as a share of those found afterwards: 0 if items are only removed.

        It can be more where rows were left out and the minimum support is a share of them.
        """
        return _share(self.after - self.both, self.after)

    @property
    def dissimilarity(self) -> float:
        """How many items the rows have lost, as a share of all that they had."""
        return _share(self.items_before - self.items_after, self.items_before)

    @property
    def legitimate(self) -> int:
        """How many itemsets before are not restricted."""
        return self.before - self.restricted_before

    @property
    def missed(self) -> int:
        """How many of these are not found afterwards."""
        return self.legitimate - (self.both - self.restricted_both)

    @property
    def undefined(self) -> tuple[str, ...]:
        """The measures that are shares of nothing."""
        whole = {
            "hiding_failure": self.restricted_before,
            "misses_cost": self.legitimate,
            "artifactual": self.after,
            "dissimilarity": self.items_before,
        }
        return tuple(name for name, many in whole.items() if not many)


class Rules(NamedTuple):
    """How many association rules hold before and after at a confidence, and how many of the latter did not before.

    Removing items can raise a confidence: such rules are ghosts. A rule says that one item follows from others.
    """

    min_support: int
    min_confidence: Fraction
    before: int
    after: int
    ghosts: int


@dataclass(frozen=True, eq=False, repr=False)
class Yardstick:
    """Frequent itemsets of rows, and which of them are restricted: mined once, to measure many others against them.

    >>> rows = Transactions([["a", "b"], ["a", "b"], ["b"]])
    >>> yardstick = Yardstick.of(rows, [["a", "b"]], [1, 2])
    >>> [found.misses_cost for found in yardstick.measure(Transactions([["b"], ["b"], ["b"]]))]
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
        cls,
        rows: Transactions,
        sensitive: Itemsets,
        min_supports: Iterable[Threshold],
        **budget: Unpack[Budget],
    ) -> Self:
        """Mine the rows at the smallest of the minimum supports."""
        told, asked = as_sensitive(sensitive, code=rows.code).itemsets, tuple(min_supports)
        if not asked:
            raise ThresholdError("no minimum support is given to measure at; give at least one, such as '10%'")
        patterns = _mined(rows, min(least_count(one, len(rows)) for one in asked), budget)
        return cls(rows, told, asked, patterns, _restricted(patterns, told, rows.code), budget)

    def measure(self, after: Transactions) -> list[Hiding]:
        """Return what hiding did at each minimum support: a count stays as it is, a share is one of the rows after."""
        rows = _recoded(after, self.rows.labels)
        counts = [(least_count(one, len(self.rows)), least_count(one, len(rows))) for one in self.min_supports]
        found = _mined(rows, min(count for _, count in counts), self.budget)
        restricted = _restricted(found, self.sensitive, rows.code)
        old = self.patterns
        places = kernels.closure.match(found.offsets, found.items, old.offsets, old.items)
        had = np.where(places >= 0, old.supports[places] if len(old) else 0, 0)
        return [self._at(*pair, found.supports, had, restricted, rows) for pair in counts]

    def _at(
        self,
        least: int,
        least_after: int,
        supports: NDArray[np.int64],
        had: NDArray[np.int64],
        restricted: NDArray[np.bool_],
        rows: Transactions,
    ) -> Hiding:
        """Return what hiding did at a minimum support, from the supports of what is found after, now and before."""
        before, after = self.patterns.supports >= least, supports >= least_after
        both = after & (had >= least)
        return Hiding(
            min_support=least,
            before=_many(before),
            after=_many(after),
            both=_many(both),
            restricted_before=_many(before & self.restricted),
            restricted_after=_many(after & restricted),
            restricted_both=_many(both & restricted),
            items_before=_entries(self.rows),
            items_after=_entries(rows),
        )


def hiding(
    before: Transactions,
    after: Transactions,
    sensitive: Itemsets,
    *,
    min_support: Threshold,
    **budget: Unpack[Budget],
) -> Hiding:
    """Return what hiding did to the itemsets that are frequent at ``min_support``; "0%" means: held by a row.

    >>> rows = Transactions([["a", "b"], ["a", "b"], ["a", "c"]])
    >>> found = hiding(rows, Transactions([["a"], ["a"], ["a", "c"]]), [["a", "b"]], min_support="0%")
    >>> found.hiding_failure, found.misses_cost, found.dissimilarity == 1 / 3
    (0.0, 0.25, True)
    """
    return Yardstick.of(before, sensitive, [min_support], **budget).measure(after)[0]


def ghost_rules(
    before: Transactions,
    after: Transactions,
    *,
    min_support: Threshold,
    min_confidence: Share,
    **budget: Unpack[Budget],
) -> Rules:
    """Return how many rules hold before and after, and how many only after.

    Rules are those from one or more items to one other, of frequent itemsets. With several items on the right there are
    exponentially more, and each of them implies one of these.

    >>> rows = [["a", "b"], ["a", "b"], ["a"], ["a"]]
    >>> after = [["a", "b"], ["a", "b"], ["a"], []]
    >>> found = ghost_rules(Transactions(rows), Transactions(after), min_support=2, min_confidence="60%")
    >>> found.before, found.after, found.ghosts
    (1, 2, 1)
    """
    confidence, rows = as_confidence(min_confidence), _recoded(after, before.labels)
    least, least_after = least_count(min_support, len(before)), least_count(min_support, len(rows))
    old, new = _mined(before, least, budget), _mined(rows, least_after, budget)
    held, holds = _follow(old, confidence), _follow(new, confidence)
    places = kernels.closure.match(new.offsets, new.items, old.offsets, old.items)
    kept = int(kernels.hiding.count_common(new.offsets, holds, places, old.offsets, held))
    many = _many(holds)
    return Rules(least, confidence, _many(held), many, many - kept)


def least_count(min_support: Threshold, n: int) -> int:
    """Return a minimum support as a count of ``n`` rows; 0 rows and 0 % mean what some row holds.

    >>> least_count("0%", 20), least_count(0, 20), least_count("10%", 20)
    (1, 1, 2)
    """
    if str(min_support).strip().removesuffix("%").rstrip() in {"0", "0.0"}:
        return 1
    return as_count(min_support, n)


def _mined(rows: Transactions, least: int, budget: Budget) -> Patterns:
    """Return the frequent itemsets that have items."""
    try:
        found = mine(rows, min_support=least, kind="frequent", **budget)
    except BudgetError as error:
        raise BudgetError(
            "the frequent itemsets are too many to be compared one by one (", error.message, ")"
        ) from None
    if not found.is_rooted:
        return found
    return replace(found, itemsets=found.itemsets[1:], supports=found.supports[1:])


def _restricted(patterns: Patterns, sensitive: Iterable[Itemset], code: Mapping[Label, int]) -> NDArray[np.bool_]:
    """Return for each itemset whether it holds a sensitive one; one with an item that no row has is held by none."""
    known = [itemset for itemset in sensitive if all(label in code for label in itemset)]
    return restricted(
        patterns, [np.array(sorted(code[label] for label in itemset), dtype=np.int32) for itemset in known]
    )


def _recoded(rows: Transactions, labels: tuple[Label, ...]) -> Transactions:
    """Return rows whose codes are those of ``labels``; what these do not have comes behind them."""
    if rows.labels == labels:
        return rows
    code = {label: number for number, label in enumerate(dict.fromkeys([*labels, *rows.labels]))}
    names = np.array([code[label] for label in rows.labels], dtype=np.int32)
    used = rows.items[rows.offsets[0] : rows.offsets[-1]]
    return Transactions.from_codes(rows.offsets - rows.offsets[0], names[used], code)


def _follow(patterns: Patterns, confidence: Fraction) -> NDArray[np.bool_]:
    """Return for each item of each itemset whether it follows from the others with this confidence."""
    supports, places = np.unique(patterns.supports, return_inverse=True)
    # In whole numbers of any size: a product of a support and a long fraction need not fit a word.
    needed = np.array([math.ceil(confidence * support) for support in supports.tolist()], dtype=np.int64)[places]
    follows = np.zeros(patterns.items.size, dtype=np.bool_)
    slots = kernels.lattice.index(patterns.offsets, patterns.items)
    kernels.lattice.mark_followers(slots, patterns.offsets, patterns.items, patterns.supports, needed, follows)
    return follows


def _entries(rows: Transactions) -> int:
    """Return how many items all rows have together."""
    return int(rows.offsets[-1] - rows.offsets[0])


def _many(marks: NDArray[np.bool_]) -> int:
    return int(np.count_nonzero(marks))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
