"""Guesses: what readers claim about small groups who take supports as exact, or who know how far off they are.

These attackers are for comparing releases, noisy ones among them; they prove nothing, and change no verdict.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from discreet.data.itemsets import Itemsets
from discreet.data.numbering import Numbering
from discreet.runtime.solver import Floats, Numbers

FALSE_ALARMS: Final = 1e-3  # the share of groups that are not small of which an attacker may say so
LEAST: Final = 0.5  # rows: what a support is taken for at the least where it is divided by
CERTAIN: Final = 1e-3  # rows: how far off exact counts are taken to be, so that one formula serves all
LARGEST: Final = 700.0  # exponent whose power is still a number
DIGITS: Final = 12  # of probabilities; those that differ by less are alike


@dataclass(frozen=True, eq=False)
class ListedGroups:
    """The groups of rows within some ``itemsets``: all rows that hold some items of one, and lack its other items.

    Supports are given for a ``numbering`` of itemsets, with NaN where there is none. Groups are in the order of the
    lengths of itemsets, then of the itemsets, then of what the rows hold.

    >>> groups = ListedGroups(Numbering(items=2, length=2), Itemsets.of([[0], [1], [0, 1]]))
    >>> groups.count(np.array([10.0, 8, 7, 6])).tolist()  # without a, b, both, b alone, a alone
    [2.0, 3.0, 1.0, 2.0, 1.0]
    """

    numbering: Numbering
    itemsets: Itemsets

    @cached_property
    def _subsets(self) -> list[Numbers]:
        """The subsets of all itemsets, for each length: a line an itemset, a column a subset."""
        lengths = self.itemsets.lengths
        tables = []
        for length in range(1, self.itemsets.longest + 1):
            starts = self.itemsets.offsets[:-1][lengths == length]
            tables.append(self.numbering.find_subsets(self.itemsets.items[starts[:, None] + np.arange(length)]))
        return tables

    def count(self, supports: Floats) -> Floats:
        """Return how many rows each group has by inclusion and exclusion; NaN if a support is missing."""
        return self._add_up(supports, -1)

    def add_variances(self, variances: Floats) -> Floats:
        """Return the variance of the count of each group."""
        return self._add_up(variances, 1)

    def _add_up(self, numbers: Floats, sign: int) -> Floats:
        """Add to each subset of an itemset those that have one item more, item by item; leave out the itemset."""
        parts = [np.empty(0)]
        for subsets in self._subsets:
            table = numbers[subsets]
            columns = np.arange(table.shape[1])
            for place in range(table.shape[1].bit_length() - 1):
                without = columns[columns >> place & 1 == 0]
                table[:, without] += sign * table[:, without | 1 << place]
            parts.append(table[:, :-1].ravel())
        return np.concatenate(parts)

    def fill_in(self, supports: Floats, spread: float) -> tuple[Floats, Floats]:
        """Return supports and their variances, with missing ones as their parts suggest; ``spread`` is a deviation.

        A missing support is what the supports of its parts give if nothing else joins the items (Kirkwood, 1935): that
        of ab is a · b / n. It is at most that of any part, and is taken as the mean of a Poisson distribution.

        >>> groups = ListedGroups(Numbering(items=2, length=2), Itemsets.of([[0], [1], [0, 1]]))
        >>> [part.round(3).tolist() for part in groups.fill_in(np.array([10.0, 8, 5, np.nan]), spread=3)]
        [[10.0, 8.0, 5.0, 4.0], [9.0, 9.0, 9.0, 4.0]]
        """
        filled, variances = supports.copy(), np.where(np.isnan(supports), np.nan, spread**2)
        if np.isnan(filled[0]):
            filled[0] = variances[0] = np.fmax.reduce(filled, initial=LEAST)
        for subsets in self._subsets:
            missing = subsets[np.isnan(filled[subsets[:, -1]])]
            parts = np.maximum(LEAST, filled[missing[:, :-1]])
            lacked = [(subsets.shape[1] - 1 ^ part).bit_count() for part in range(parts.shape[1])]
            signs = np.where(np.array(lacked) % 2, 1, -1)
            expected = np.minimum(np.exp(np.log(parts) @ signs), parts.min(axis=1, initial=np.inf))
            filled[missing[:, -1]] = variances[missing[:, -1]] = expected
        return filled, variances


def are_small(counts: Floats, k: int) -> NDArray[np.bool_]:
    """Return which counts are from 1 to k − 1."""
    return (counts >= 1) & (counts < k)


def find_hits(
    groups: ListedGroups, supports: Floats, spread: float, *, is_small: NDArray[np.bool_], k: int
) -> float | None:
    """Return the share of small groups that an attacker names with few false alarms; None if all groups are alike.

    The attacker ranks groups by the probability that they have 1 to k − 1 rows: the count that follows from supports is
    off by a logistic error of known deviation, and no count is negative. They also try whether a method has added 1
    to k rows to small groups, and keep the order that serves them best.

    >>> groups = ListedGroups(Numbering(items=1, length=1), Itemsets.of([[0]]))
    >>> find_hits(groups, np.array([10.0, 8]), 0.0, is_small=np.array([True]), k=5) is None
    True
    """
    if is_small.all() or not is_small.any():
        return None
    filled, variances = groups.fill_in(supports, spread)
    counts, spreads = groups.count(filled), np.sqrt(groups.add_variances(variances))
    return max(
        share_found(guess_small(counts - added, spreads, k), is_small, FALSE_ALARMS * (~is_small).sum())
        for added in range(k + 1)
    )


def guess_small(counts: Floats, spreads: Floats, k: int) -> Floats:
    """Return how probable 1 to k − 1 rows are, given counts with logistic errors of some deviation.

    >>> guess_small(np.array([0.0, 3, 12, 3, 12]), np.array([0, 0, 0, 4, 4]), 10).round(2).tolist()
    [0.0, 1.0, 0.0, 0.85, 0.24]
    """
    scales = np.maximum(spreads, CERTAIN) * np.sqrt(3) / np.pi

    def above(limit: float) -> Floats:
        return np.asarray(1 / (1 + np.exp(np.clip((limit - counts) / scales, -LARGEST, LARGEST))))

    return np.asarray(((above(0.5) - above(k - 0.5)) / above(-0.5)).round(DIGITS))


def share_found(scores: Floats, is_true: NDArray[np.bool_], alarms: float) -> float:
    """Return the share of what is true with the highest scores, down to so many false ``alarms``.

    Among equal scores it is left to chance, so a part of an alarm counts.

    >>> share_found(np.array([0.9, 0.8, 0.8, 0.1]), np.array([True, True, False, False]), 0.5)
    0.75
    """
    values, groups = np.unique(-scores, return_inverse=True)
    found = np.concatenate([[0], np.cumsum(np.bincount(groups, is_true, values.size))])
    false = np.concatenate([[0], np.cumsum(np.bincount(groups, ~is_true, values.size))])
    at = int(np.searchsorted(false, alarms, side="right")) - 1
    more = (alarms - false[at]) * (found[at + 1] - found[at]) / (false[at + 1] - false[at]) if at < values.size else 0.0
    return float((found[at] + more) / is_true.sum())
