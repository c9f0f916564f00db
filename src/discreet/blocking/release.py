"""Release: patterns that may be published, and how they were made."""

from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from discreet.blocking.beside import Older
from discreet.blocking.costs import Costs, costs
from discreet.blocking.distortion import Distortion, class_sizes, distortion
from discreet.blocking.meet import round_supports
from discreet.blocking.problem import Proof, Recoding, change_rows
from discreet.data.itemsets import Label, Weighted
from discreet.data.patterns import Patterns
from discreet.data.transactions import Rows
from discreet.disclosure.attacks.attack import ATTACKERS
from discreet.disclosure.detect import Question
from discreet.errors import refuse_truth
from discreet.judging.audit import Audit, judge_changes, judge_itemsets
from discreet.judging.checks import check_k, check_rounding
from discreet.judging.policy import Policy, Verdict, worst
from discreet.runtime import html

if TYPE_CHECKING:
    from datetime import datetime

    from discreet.blocking.comparison import Comparison
    from discreet.report import Source


class Obstacle(NamedTuple):
    """Items or attributes that, if they are left out, are in the way no more: then ``itemsets`` can be published."""

    leave_out: tuple[Label, ...]
    itemsets: int


class Rival(NamedTuple):
    """A method that a release was compared with, and its average distortion; None if it was left out."""

    name: str
    average: float | None


@refuse_truth(ask=".is_safe")
@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """Patterns that may be published, and how they were made from ``rows`` and their closed itemsets, ``original``.

    They are the closed itemsets of the ``witness``: the rows without those ``suppressed``, by number (of merged rows,
    the numbers of the different ones), and with those ``added``. If ``is_whole`` is False, they are some of the
    frequent itemsets of the witness; for the policy alone, ``withheld`` of these were left out. If ``is_exact``, the
    supports are those of the rows themselves, and there is no other witness. ``recoding`` says which values the witness
    has lost because their parents stand for them. A policy may ask for rounded supports:
    ``question`` holds those before rounding, with the result of the detection. What is ``in_the_way`` of the policy is
    named if it is not met. The "best" release was ``compared`` with others, and ``reason`` says why it was taken.
    ``against`` names the strongest attacker that was tried on it and found nothing (docs/attack.md). Readers may
    subtract the older releases ``beside`` it, of rows that have only ``grown`` since, or have not. Only ``patterns``
    are for others to see.

    >>> from discreet import block
    >>> release = block([["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50, min_support=10, k=10, method="suppress")
    >>> [(sorted(itemset), support) for itemset, support in release.patterns], release.suppressed.tolist()
    ([([], 98), (['a', 'b', 'c'], 48)], [48, 49])
    """

    method: str
    policy: Policy
    rows: Rows
    original: Patterns
    question: Question
    suppressed: NDArray[np.intp]
    added: Weighted
    proof: Proof | None = None
    rounds: int | None = None
    compared: tuple[Rival, ...] = ()
    reason: str = ""
    against: str = "plain"
    beside: tuple[Older, ...] = ()
    grown: bool = False
    is_exact: bool = False
    withheld: int = 0
    recoding: Recoding | None = None
    in_the_way: tuple[Obstacle, ...] = ()

    def compare_with(self, rivals: tuple[Rival, ...], reason: str) -> Self:
        """Return the release as the best of ``rivals``, with all that is already computed of it."""
        best = copy(self)
        vars(best).update(compared=rivals, reason=reason)
        return best

    @cached_property
    def patterns(self) -> Patterns:
        """The itemsets to publish, with supports that are rounded if the policy asks for it."""
        unit, exact = self.policy.round_to, self.question.patterns
        return exact if unit is None else round_supports(exact, unit)

    @property
    def is_whole(self) -> bool:
        """Whether all frequent itemsets of some rows are published; otherwise the list has gaps."""
        return self.question.complete

    @cached_property
    def audit(self) -> Audit | None:
        """The audit of the patterns by the policy; None if there is nothing to publish.

        Rounded supports follow from those before rounding: they reveal nothing that these do not.
        """
        if not len(self.patterns):
            return None
        exact, unit = judge_itemsets(self.question, replace(self.policy, round_to=None), None), self.policy.round_to
        if self.against != "plain":
            who = ATTACKERS[self.against].who
            exact = replace(exact, withstood=f"An attacker {who} infers no such count either.")
        if unit is None:
            return judge_changes(exact, [one.patterns for one in self.beside], grown=self.grown)
        checks = *exact.checks, check_rounding(self.policy, int(np.count_nonzero(self.patterns.supports % unit)))
        evidence = replace(exact.evidence, patterns=self.patterns)
        return replace(exact, candidate=self.patterns, policy=self.policy, checks=checks, evidence=evidence)

    @property
    def verdict(self) -> Verdict:
        """The verdict of the policy; a release of nothing gives nothing away, unless k protects nobody."""
        found = Verdict.RELEASE if self.audit is None else self.audit.verdict
        return worst([found, *(check.verdict for check in check_k(self.policy, self.original.n))])

    @property
    def is_safe(self) -> bool:
        """Whether the verdict of the policy is RELEASE."""
        return self.verdict is Verdict.RELEASE

    @cached_property
    def distortion(self) -> Distortion:
        """The cost: how far the published supports are from the original ones."""
        return distortion(self.original, self.patterns)

    @cached_property
    def costs(self) -> Costs:
        """The cost in full: n, items, shares, all itemsets, and rules."""
        return costs(self.original, self.patterns, known=self.distortion)

    @property
    def deviation(self) -> float:
        """The average distortion or, if it is larger, the change of n as a share of n before."""
        return max(self.distortion.average, abs(self.patterns.n - self.original.n) / max(1, self.original.n))

    @property
    def changes_rows(self) -> bool:
        """Whether rows were left out or invented; otherwise numbers are those of the rows, except for rounding."""
        return bool(self.rows_suppressed or self.rows_added)

    @cached_property
    def frequent(self) -> int:
        """The number of frequent itemsets that the patterns stand for."""
        return sum(class_sizes(self.patterns))

    @property
    def rows_suppressed(self) -> int:
        """The number of suppressed rows."""
        return int(self.rows.weights[self.suppressed].sum())

    @property
    def rows_added(self) -> int:
        """The number of added rows."""
        return int(self.added.weights.sum())

    @cached_property
    def witness(self) -> Rows | None:
        """Rows that have these supports before they are rounded; None if they are the original rows."""
        if self.recoding is not None:
            return self.recoding.apply(self.rows)
        return None if self.is_exact else change_rows(self.rows, self.suppressed, self.added)

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
        """Return the release as an HTML page to publish with it; a ``private`` page shows the owner the cost."""
        from discreet.report import release_html  # noqa: PLC0415 - a door: loaded when it is opened

        return release_html(self, comparison=comparison, source=source, private=private, timestamp=timestamp)

    def describe_costs(self) -> dict[str, str]:
        """Return what the release costs in words, for the owner of the rows alone."""
        touched = f"{self.rows_suppressed:,} suppressed, {self.rows_added:,} added"
        levels = {} if self.recoding is None else self.recoding.describe()
        rows = f"{self.rows.n:,} before, {self.patterns.n:,} now: {touched}"
        return {"rows (n)": rows, **levels, **self.costs.describe()}

    def _repr_html_(self) -> str:
        lines = {
            "method": self.method,
            "verdict": self.verdict.name,
            "safe for": f"k = {self.policy.k:,}",
            "published": repr(self.patterns)[1:-1].removeprefix("Patterns: "),
            **self.describe_costs(),
        }
        note = "Only its .patterns are for others to see; what it cost is for the owner of the rows."
        return html.table(repr(self)[1:-1], ["fact", "value"], lines.items(), note=note)
