"""Release: patterns that may be published, what making them safe did to the rows, and the evidence."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.blocking.distortion import Distortion, distortion
from discreet.data.itemsets import Weighted
from discreet.data.merged import Merged, Rows, are_all
from discreet.data.patterns import Patterns
from discreet.data.transactions import Transactions
from discreet.errors import InputError
from discreet.judging.policy import Policy
from discreet.runtime import html
from discreet.runtime.text import percent

if TYPE_CHECKING:
    from datetime import datetime

    from discreet.blocking.block import Comparison
    from discreet.report import Source


class Proof(NamedTuple):
    """How good a solution is known to be: its average distortion, and a bound that none like it is below.

    Those like it have more or fewer rows of some ``kinds`` of rows; ``whole`` says that these are all there can be.
    ``stopped`` says that time ran out before the bound was met: another run may end elsewhere.
    """

    average: float
    bound: float
    kinds: int
    whole: bool
    stopped: bool

    @property
    def gap(self) -> float:
        """How much of the average distortion a better solution could save at most, as a share of it."""
        return 0.0 if self.average <= self.bound else (self.average - self.bound) / self.average


class Rival(NamedTuple):
    """A method that a release was compared with, and its average distortion; None if it was left out."""

    name: str
    average: float | None


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """Patterns that may be published, and how they came about from ``rows`` and their closed itemsets, ``original``.

    They are the closed itemsets of the ``witness``: the rows without those that are ``suppressed``, by their numbers
    (of merged rows, those of the different ones), and with those that are ``added``. Where ``is_whole`` is False, they
    are some of the frequent itemsets of the rows, with exact supports, and no witness is known. Of the "best" release
    ``compared`` tells what it was compared with. ``against`` names the strongest attacker that was tried on it, and
    found nothing (docs/attack.md). Only ``patterns`` are for others to see.

    >>> from discreet import block
    >>> release = block([["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50, min_support=10, k=10, method="suppress")
    >>> [(sorted(itemset), support) for itemset, support in release.patterns], release.suppressed.tolist()
    ([([], 98), (['a', 'b', 'c'], 48)], [48, 49])
    """

    method: str
    policy: Policy
    rows: Rows
    original: Patterns
    patterns: Patterns
    suppressed: NDArray[np.intp]
    added: Weighted
    is_whole: bool = True
    proof: Proof | None = None
    rounds: int | None = None
    compared: tuple[Rival, ...] = ()
    against: str = "plain"

    @cached_property
    def distortion(self) -> Distortion:
        """What it cost: how far the published supports are from the original ones."""
        return distortion(self.original, self.patterns)

    @property
    def rows_suppressed(self) -> int:
        """How many rows are suppressed."""
        return int(self.rows.weights[self.suppressed].sum())

    @property
    def rows_added(self) -> int:
        """How many rows are added."""
        return int(self.added.weights.sum())

    @cached_property
    def witness(self) -> Rows | None:
        """Rows that have these patterns; None where none are known."""
        return witness(self.rows, self.suppressed, self.added) if self.is_whole else None

    def __repr__(self) -> str:
        patterns = self.patterns
        return f"<Release: {self.method}, {len(patterns):,} {patterns.kind} itemsets of {patterns.n:,} rows>"

    def to_html(
        self,
        *,
        comparison: "Comparison | None" = None,
        source: "Source | None" = None,
        private: bool = False,
        timestamp: "datetime | None" = None,
    ) -> str:
        """Return the release as a page of HTML that may be published with it; a ``private`` one tells what it cost.

        See docs/report.md; ``discreet report --block`` writes it to a file.
        """
        from discreet.report import release_html  # noqa: PLC0415 - a door: loaded when it is opened

        return release_html(self, comparison=comparison, source=source, private=private, timestamp=timestamp)

    def _repr_html_(self) -> str:
        """Return how it was made safe, what that cost and what is published as a table, for notebooks."""
        cost, published = self.distortion, self.patterns
        touched = f"{self.rows_suppressed:,} suppressed, {self.rows_added:,} added"
        lines = {
            "method": self.method,
            "safe for": f"k = {self.policy.k:,}",
            "published": repr(published)[1:-1].removeprefix("Patterns: "),
            "rows": f"{self.rows.n:,} before, {published.n:,} now: {touched}",
            "frequent itemsets": f"{cost.itemsets:,} before, {cost.lost:,} lost, {cost.changed - cost.lost:,} changed",
            "average distortion": percent(cost.average),
        }
        note = "Only its .patterns are for others to see; what it cost is for the owner of the rows."
        return html.table(repr(self)[1:-1], ["fact", "value"], lines.items(), note=note)


def witness(rows: Rows, suppressed: NDArray[np.intp], added: Weighted) -> Rows:
    """Return the rows without those that are suppressed, and with those that are added behind them."""
    if not are_all(rows):
        raise InputError(
            "the rows of this release stayed in Spark, so there is no witness to give; block with more budget for one"
        )
    lengths = np.diff(rows.offsets)
    kept = np.ones(lengths.size, dtype=np.bool_)
    kept[suppressed] = False
    entries = rows.items[rows.offsets[0] : rows.offsets[-1]][np.repeat(kept, lengths)]
    if isinstance(rows, Merged):
        offsets = np.cumsum(np.concatenate([[0], lengths[kept], np.diff(added.offsets)]))
        items, weights = np.concatenate([entries, added.items]), np.concatenate([rows.weights[kept], added.weights])
        return Merged.from_codes(offsets, items, weights, rows.labels, min_support=rows.min_support)
    more = [
        np.tile(added.items[added.offsets[at] : added.offsets[at + 1]], weight)
        for at, weight in enumerate(added.weights.tolist())
    ]
    sizes = np.concatenate([[0], lengths[kept], np.repeat(np.diff(added.offsets), added.weights)])
    return Transactions.from_codes(np.cumsum(sizes), np.concatenate([entries, *more]), rows.labels)
