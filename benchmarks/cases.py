"""Cases: what is searched for, and that all who search find the same."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sources import Source

from discreet import BudgetError, Patterns, mine, read
from discreet.data.patterns import Kind
from discreet.data.thresholds import as_count


@dataclass(frozen=True, slots=True)
class Case:
    """A search on a source."""

    source: Source
    share: str
    kind: Kind

    @property
    def count(self) -> int:
        """The share as a count of rows."""
        return as_count(self.share, len(self.source.transactions))

    def mine(self, threads: int = 1) -> Patterns:
        """Return what we find in memory."""
        return mine(self.source.transactions, min_support=self.share, kind=self.kind, threads=threads)

    def mine_file(self) -> Patterns:
        """Return what we find in the file, on one thread."""
        return mine(read(self.source.path), min_support=self.share, kind=self.kind, threads=1)

    def __str__(self) -> str:
        """Return the case as the tables call it."""
        return f"{self.source.name} {self.share}"


class DisagreementError(Exception):
    """A peer that does not find what we find: one of both is wrong, and no time counts."""


def compared(source: Source) -> Iterator[Case]:
    """Yield the cases of a source that are compared with peers; the shares of a kind from high to low."""
    for share in source.plan.shares:
        yield Case(source, share, "closed")
        yield Case(source, share, "maximal")
    for share in source.plan.frequent:
        yield Case(source, share, "frequent")


def nonempty(patterns: Patterns) -> int:
    """Return how many of ``patterns`` hold an item: peers leave the empty itemset out."""
    return int(np.count_nonzero(np.diff(patterns.offsets)))


def frequent(case: Case, most: int) -> int | None:
    """Return how many itemsets that hold an item are frequent; None if more than ``most`` are.

    The empty itemset comes on top.
    """
    try:
        patterns = mine(case.source.transactions, min_support=case.share, kind="frequent", max_patterns=most + 1)
    except BudgetError:
        return None
    return nonempty(patterns)


def left_out(case: Case) -> int:
    """Return how many itemsets some algorithms of pyfim do not list: the one of all items that all rows hold.

    It is closed, and frequent; it is not maximal unless it is alone.
    """
    rows = case.source.transactions
    everywhere = bool((np.bincount(rows.items, minlength=1) == len(rows)).any())
    return 1 if everywhere and case.kind != "maximal" else 0


def agree(case: Case, ours: int, theirs: int, *, by: str, allowed: int = 0) -> None:
    """Refuse a number of non-empty itemsets that is neither ours nor by ``allowed`` less."""
    if theirs not in {ours, ours - allowed}:
        raise DisagreementError(f"{case} {case.kind}: {theirs:,} itemsets by {by}, {ours:,} by us")
