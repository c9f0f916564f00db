"""Costs: how far a release is from the original, for what readers look at first: n, items, shares, itemsets, rules."""

import math
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.blocking.distortion import Distortion, class_sizes, distortion, relabel, supports_in
from discreet.data.itemsets import Label
from discreet.data.patterns import Patterns
from discreet.data.transactions import Transactions
from discreet.errors import BudgetError, refuse_truth
from discreet.mining.mine import mine
from discreet.runtime.solver import Numbers
from discreet.runtime.text import count_of, percent, points, printable

MOST_ITEMSETS: Final = 20_000  # whose rules are compared: all, or as many as are short enough


Places: TypeAlias = NDArray[np.intp]
Shares: TypeAlias = NDArray[np.float64]


class Shift(NamedTuple):
    """How far ``numbers`` of one kind are from the original ones.

    ``lost`` of them are no longer published. ``average`` and ``largest`` are the changes of the others.
    """

    numbers: int
    lost: int
    average: float
    largest: float


@refuse_truth(ask=".itemsets")
class Costs(NamedTuple):
    """How far published numbers are from the original ones, from the headline numbers to rules.

    ``item_rows`` are changes of the supports of frequent items, in rows; ``items`` the same as shares of the original
    supports; ``shares`` changes of support ÷ n, and ``worst_item`` the item whose share changes most. ``itemsets`` is
    the distortion of all frequent itemsets. ``confidences`` are changes, and ``lifts`` relative changes, of the rules
    X ⇒ y for which X ∪ {y}, of 2 items or more, is frequent; a rule is lost if that itemset is. If there are too many,
    only itemsets of at most ``longest_rule`` items count.
    """

    n_before: int
    n_after: int
    item_rows: Shift
    items: Shift
    shares: Shift
    worst_item: Label | None
    itemsets: Distortion
    confidences: Shift
    lifts: Shift
    longest_rule: int | None

    @property
    def deviation(self) -> float:
        """The average distortion or, if it is larger, the change of n as a share of n before."""
        return max(self.itemsets.average, abs(self.n_after - self.n_before) / max(1, self.n_before))

    def describe(self) -> dict[str, str]:
        """Return the costs in sentences, by what they are costs of."""
        rows, shares, cost = self.item_rows, self.items, self.itemsets
        changes = (
            f"{rows.average:,.3g} rows ({percent(shares.average)})",
            f"{rows.largest:,.0f} ({percent(shares.largest)})",
        )
        worst = "" if self.worst_item is None else f" ({printable(str(self.worst_item))})"
        changed = f"{cost.lost:,} were left out, and {count_of(cost.changed - cost.lost, 'other')} changed"
        lost = "; one that was left out counts as 100%" if cost.lost else ""
        largest = f" The largest change is {count_of(cost.largest, 'row')}." if cost.changed > cost.lost else ""
        return {
            "single items": f"{rows.numbers:,} before: {rows.lost:,} were left out. {_say(rows, *changes)}",
            "shares of n": _say(self.shares, points(self.shares.average), f"{points(self.shares.largest)}{worst}"),
            "frequent itemsets": f"{cost.itemsets:,} before: {changed}.",
            "average distortion": (
                f"{percent(cost.average)} of the support, over all {count_of(cost.itemsets, 'itemset')} "
                f"before{lost}.{largest}"
            ),
            **self._describe_rules(),
        }

    def _describe_rules(self) -> dict[str, str]:
        confidences, lifts, length = self.confidences, self.lifts, self.longest_rule
        if length == 1:
            return {"rules": "not compared: there are too many"}
        cut = "" if length is None else f" of at most {count_of(length, 'item')}"
        average, largest = points(confidences.average), points(confidences.largest)
        rules = f"Of {count_of(confidences.numbers, 'rule')}{cut} that follow, {confidences.lost:,} no longer do."
        return {
            "confidence": f"{rules} {_say(confidences, average, largest)}",
            "lift": _say(lifts, percent(lifts.average), percent(lifts.largest)),
        }


def costs(before: Patterns, after: Patterns, *, known: Distortion | None = None) -> Costs:
    """Return how far the numbers ``after`` are from those ``before``; both list closed or all frequent itemsets.

    The distortion of all itemsets may be ``known``.

    >>> before = Patterns.from_itemsets([([], 10), (["a"], 8), (["a", "b"], 5)], n=10, kind="closed")
    >>> after = Patterns.from_itemsets([([], 12), (["a"], 9), (["a", "b"], 6)], n=12, kind="closed")
    >>> found = costs(before, after)
    >>> found.item_rows, f"{found.shares.largest:.3f}", found.worst_item
    (Shift(numbers=2, lost=0, average=1.0, largest=1.0), '0.050', 'a')
    >>> found.confidences
    Shift(numbers=2, lost=0, average=0.020833333333333315, largest=0.04166666666666663)
    """
    old, new = relabel(before, after)
    listed, longest = _list_short(old)
    held, now = supports_in(old, listed), supports_in(new, listed)
    is_item = listed.itemsets.lengths == 1
    were, are = held[is_item], now[is_item]
    change, is_kept = np.abs(are - were), are > 0
    shares = np.abs(are / max(1, new.n) - were / max(1, old.n))
    confidences, lifts = _compare_rules(listed, (held, now), (old.n, new.n))
    moved = np.where(is_kept, shares, 0)
    items = listed.items[listed.offsets[:-1][is_item]]
    return Costs(
        old.n,
        new.n,
        _sum_up(change, is_kept),
        _sum_up(change / np.maximum(1, were), is_kept),
        _sum_up(shares, is_kept),
        old.labels[items[np.argmax(moved)]] if moved.any() else None,
        distortion(old, new) if known is None else known,
        confidences,
        lifts,
        longest,
    )


def _say(change: Shift, average: str, largest: str) -> str:
    if change.largest:
        return f"Those published change by {average} on average, and by at most {largest}."
    return "Those published are exact." if change.numbers > change.lost else "None is published."


def _sum_up(changes: Shares | Numbers, is_kept: NDArray[np.bool_]) -> Shift:
    kept = changes[is_kept].tolist()
    lost = changes.size - len(kept)
    return Shift(changes.size, lost, math.fsum(kept) / max(1, len(kept)), float(max(kept, default=0)))


def _list_short(patterns: Patterns) -> tuple[Patterns, int | None]:
    """Return all frequent itemsets, or those of up to as many items as fit the limit; and that length, None if all."""
    if sum(class_sizes(patterns)) <= MOST_ITEMSETS:
        return list_up_to(patterns, patterns.itemsets.longest, MOST_ITEMSETS), None
    length, listed = 1, list_up_to(patterns, 1, None)
    while length < patterns.itemsets.longest:
        try:
            listed = list_up_to(patterns, length + 1, MOST_ITEMSETS)
        except BudgetError:
            break
        length += 1
    return listed, length


def list_up_to(patterns: Patterns, length: int, most: int | None) -> Patterns:
    """Return the frequent itemsets of up to so many items, without their supports; more than ``most`` are an error."""
    rows = Transactions.from_codes(patterns.offsets.copy(), patterns.items.copy(), patterns.labels)
    # Mine the listed itemsets as if they were rows: what they contain is frequent.
    return mine(
        rows, min_support=1, kind="frequent", max_length=max(1, length), max_patterns=most, progress=lambda *_: None
    )


def _compare_rules(listed: Patterns, supports: tuple[Numbers, Numbers], totals: tuple[int, int]) -> tuple[Shift, Shift]:
    """Return the changes of the confidences and lifts of rules X ⇒ y, for each item y of each listed itemset."""
    itemsets = listed.itemsets
    without = np.full(itemsets.items.size, -1, dtype=np.int64)
    kernels.lattice.link(kernels.lattice.index(*itemsets.flat), *itemsets.flat, without)
    single = np.zeros(len(listed.labels), dtype=np.int64)
    is_item = itemsets.lengths == 1
    single[itemsets.items[itemsets.offsets[:-1][is_item]]] = np.flatnonzero(is_item)
    is_rule = np.repeat(itemsets.lengths > 1, itemsets.lengths)
    both, left, right = itemsets.owners[is_rule], without[is_rule], single[itemsets.items[is_rule]]
    is_kept = supports[1][both] > 0
    rule = both[is_kept], left[is_kept], right[is_kept]
    (was, lift), (now, lifted) = (_measure(held, n, *rule) for held, n in zip(supports, totals, strict=True))
    confidences, lifts = np.zeros(is_kept.size), np.zeros(is_kept.size)
    confidences[is_kept], lifts[is_kept] = np.abs(now - was), np.abs(lifted - lift) / lift
    return _sum_up(confidences, is_kept), _sum_up(lifts, is_kept)


def _measure(held: Numbers, n: int, both: Places, left: Places, right: Places) -> tuple[Shares, Shares]:
    """Return the confidences and lifts of rules from the supports of their itemsets, and of both sides."""
    confidences = held[both] / held[left]
    return confidences, confidences * n / held[right]
