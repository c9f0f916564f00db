"""Judging limits: what supports that are known only within limits would give away, and a verdict on it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.data.labels import ordered
from discreet.data.merged import Rows
from discreet.data.patterns import Patterns
from discreet.disclosure.attacks.facts import Codes, Facts, Schema, as_schema
from discreet.disclosure.channels import Channels, Exposed, as_text
from discreet.disclosure.detect import find_channels
from discreet.disclosure.implications import Implications, implied_by
from discreet.disclosure.question import Question
from discreet.errors import BudgetError, InconsistencyError
from discreet.judging import checks
from discreet.judging.checks import Check
from discreet.judging.policy import Policy
from discreet.judging.rule_notes import notes
from discreet.judging.schema import Told, as_groups, excluded, not_judged, told_by_schema
from discreet.judging.verdict import Verdict, worst
from discreet.publications.rules.bounded import MOST, Bounded, absences, differences
from discreet.publications.rules.propagate import Narrowed, narrowed, settled
from discreet.publications.rules.rule import Rules
from discreet.publications.rules.supports import rounded
from discreet.runtime.text import count_of

if TYPE_CHECKING:
    from datetime import datetime

    from discreet.report import Source


@dataclass(frozen=True, eq=False, repr=False)
class FactsAudit:
    """What was found about limits of supports, those of rules or of numbers that were rounded; the worst check counts.

    ``what`` says what was judged, ``facts`` what it says of supports, or None where no rows can have it. ``patterns``
    are itemsets whose supports follow exactly, each with all parts of it, and ``channels`` theirs. ``findings`` are
    sums with limits that tell of fewer than k rows for sure.

    >>> from discreet import audit
    >>> found = audit(Rules.from_rules([(["a"], ["b"], 80, "98.7%")], rounding="truncate"), k=5)
    >>> found.verdict.name, [str(finding) for finding in found.findings]
    ('WITHHOLD', ['a ∧ ¬b: 1 row'])
    """

    policy: Policy
    what: str
    facts: Facts | None
    checks: tuple[Check, ...]
    patterns: Patterns | None = None
    channels: Channels | None = None
    implications: Implications | None = None
    findings: tuple[Bounded, ...] = ()
    rows: Rows | None = None

    @property
    def verdict(self) -> Verdict:
        """The worst of the verdicts of all checks."""
        return worst(check.verdict for check in self.checks)

    @cached_property
    def exposed(self) -> Exposed | None:
        """The rows that channels single out; None without rows or channels."""
        return None if self.rows is None or self.channels is None else self.channels.rows(self.rows)

    def __repr__(self) -> str:
        return f"<FactsAudit: {self.verdict.name}, {self.policy.name}, {self.what}>"

    def to_html(
        self, *, source: "Source | None" = None, explain: int = 100, timestamp: "datetime | None" = None
    ) -> str:
        """Return the audit as a page of HTML that needs nothing but itself.

        See docs/report.md; ``discreet report --rules`` writes it to a file.
        """
        from discreet.report import facts_html  # noqa: PLC0415 - a door: loaded when it is opened

        return facts_html(self, source=source, explain=explain, timestamp=timestamp)

    def _repr_html_(self) -> str:
        """Return the verdict and the checks as a table, for notebooks."""
        note = "Its .findings and .channels tell more." if self.findings or self.channels else ""
        return checks.table(self.what, self.policy, self.checks, note)


def judged_rules(
    rules: Rules, policy: Policy, *, rows: Rows | None = None, schema: str | Schema | None = None
) -> FactsAudit:
    """Return the audit of association rules: what follows from them of supports, and from that of few rows."""
    what = count_of(len(rules), "rule") + ("" if rules.n is None else f" of {rules.n:,} rows")
    found = narrowed(rules, schema=as_groups(schema, [label for rule in rules for label in ordered(rule.both)]))
    return _judged(found, policy, Candidate(what, len(rules), rows, tuple(notes(rules, found))))


def judged_facts(
    facts: Facts, policy: Policy, *, rows: Rows | None = None, schema: str | Schema | None = None
) -> FactsAudit:
    """Return the audit of supports that are known within limits: of rounded ones, of a list of the largest."""
    known = facts if schema is None else replace(facts, schema=as_schema(as_groups(schema, facts.labels), facts.labels))
    what = f"{count_of(len(facts) - 1, 'itemset')} of {facts.n:,} rows"
    return _judged(settled(known), policy, Candidate(what, len(facts) - 1, rows))


def rounded_check(patterns: Patterns, policy: Policy) -> Check:
    """Judge patterns whose supports were rounded to the nearest multiple of what the policy asks for."""
    found = settled(rounded(patterns, policy.round_to or 1))
    if found.facts is None:
        return inconsistent(found)
    told = differences(found.facts, found.gaps, policy.k)
    return _told(told, policy.k)._replace(name="inference channels") if told else checks.ROUNDED


class Candidate(NamedTuple):
    """What is judged: in words, how many lines it has, its rows if they are at hand, and what else is to be said."""

    what: str
    many: int
    rows: Rows | None = None
    notes: tuple[Check, ...] = ()


def _judged(found: Narrowed, policy: Policy, candidate: Candidate) -> FactsAudit:
    """Judge what is known of supports: sums of those that are exactly known, and of others within their limits."""
    facts, k = found.facts, policy.k
    if facts is None:
        return FactsAudit(policy, candidate.what, None, (inconsistent(found),))
    left, unjudged = Told(), list[Check]()
    try:
        left = told_by_schema(facts, k)
    except BudgetError as error:
        unjudged.append(not_judged(error))
    if left.wrong is not None:
        return FactsAudit(policy, candidate.what, facts, (excluded(left.wrong),))
    patterns = pinned(facts)
    is_all = patterns is not None and len(patterns) == len(facts)
    channels, flaws = _channels(patterns, candidate.rows, k, complete=is_all and facts.absent == 0)
    summed = frozenset() if channels is None or patterns is None else frozenset(itemset for itemset, _ in patterns)
    # What two supports within a sum tell, its channels tell too.
    pairs = [one for one in differences(facts, found.gaps, k) if one.top not in summed]
    told = (*left.listed, *pairs, *absences(facts, k, found.announced))
    implications = None
    if policy.zeros is not Verdict.RELEASE and channels is not None and patterns is not None:
        implications = implied_by(patterns)
    every = [*flaws, _size(policy, candidate.many), _low_counts(policy, facts), *_rounding(policy, facts)]
    more = left.many - len(left.listed)
    every += [*_of_sums(channels, told, k, is_all=len(summed) == len(facts), more=more), *unjudged]
    if policy.zeros is not Verdict.RELEASE:
        every.append(_implied(policy, implications, _without_exception(found)))
    every += candidate.notes
    rows = candidate.rows
    return FactsAudit(policy, candidate.what, facts, tuple(every), patterns, channels, implications, told, rows)


def pinned(facts: Facts) -> Patterns | None:
    """Return the itemsets whose supports are known exactly, with all parts of them; None if that of no row is.

    >>> facts = Facts.from_limits([(["a"], 5, 5), (["b"], 4, 6), (["a", "b"], 3, 3)], n=9)
    >>> [(sorted(itemset), support) for itemset, support in pinned(facts)]
    [([], 9), (['a'], 5)]
    """
    exact: Mapping[Codes, int] = {one: low for one, (low, high) in facts.listed.items() if low == high}
    whole: set[Codes] = set()
    for itemset in sorted(exact, key=len):
        if all(itemset - {item} in whole for item in itemset):
            whole.add(itemset)
    if frozenset() not in whole:
        return None
    pairs = [([facts.labels[item] for item in itemset], exact[itemset]) for itemset in whole]
    # Nothing else is held by any row if what is missing is in none, and nothing of the list is left out here.
    least = 1 if facts.absent == 0 and len(whole) == len(facts) else None
    return Patterns.from_itemsets(pairs, n=exact[frozenset()], min_support=least, kind="frequent")


def inconsistent(found: Narrowed) -> Check:
    """Say that no rows have these numbers: none is left for the support of an itemset."""
    name = as_text(found.flaw) if found.flaw else "all rows"
    asked = "Were they rounded otherwise" + ", or rules left out" * (found.announced is not None)
    sentence = f"No rows can have these numbers: no support of {name} fits them. {asked}?"
    return Check("consistency", Verdict.WITHHOLD, 1, sentence)


def _channels(
    patterns: Patterns | None, rows: Rows | None, k: int, *, complete: bool
) -> tuple[Channels | None, tuple[Check, ...]]:
    """Look for channels in the supports that are exactly known; refuse rows that they are not of.

    Where the supports contradict each other there are none, but a check that says so.
    """
    if patterns is None:
        return None, ()
    if rows is not None:
        Question(patterns, rows, k)
    try:
        return find_channels(Question(patterns, None, k, complete=complete)), ()
    except InconsistencyError as error:
        return None, (checks.consistency(patterns, error),)


def _without_exception(found: Narrowed) -> int:
    """Return how many pairs of an itemset and a larger one, of rules or with one item more, the same rows hold."""
    listed = {} if found.facts is None else found.facts.listed
    pairs = sum(
        limits[0] == limits[1] and listed.get(itemset - {item}) == limits
        for itemset, limits in listed.items()
        for item in itemset
    )
    return pairs + sum(gap == (0, 0) and len(top) > len(base) + 1 for (base, top), gap in found.gaps.items())


def _size(policy: Policy, many: int) -> Check:
    if not many:
        return Check("size", Verdict.WITHHOLD, 0, "Nothing is listed, so there is nothing to judge.")
    if policy.max_itemsets is not None and many > policy.max_itemsets:
        sentence = f"{many:,} lines are listed; {policy.name} asks for at most {policy.max_itemsets:,}."
        return Check("size", Verdict.REVIEW, many, sentence)
    return Check("size", Verdict.RELEASE, 0, f"{count_of(many, 'line')} listed.")


def _low_counts(policy: Policy, facts: Facts) -> Check:
    found = int(np.count_nonzero((facts.low > 0) & (facts.high < policy.k)))
    if found:
        return Check("low counts", Verdict.WITHHOLD, found, f"{count_of(found, 'support')} surely below {policy.k}.")
    zeros = int(np.count_nonzero(facts.high == 0))
    if zeros:
        sentence = f"{count_of(zeros, 'support')} of 0: nobody holds these itemsets."
        return Check("low counts", policy.zeros, zeros, sentence)
    return Check("low counts", Verdict.RELEASE, 0, f"No support is surely below {policy.k}.")


def _rounding(policy: Policy, facts: Facts) -> Iterator[Check]:
    if policy.round_to is not None:
        found = int(np.count_nonzero((facts.low == facts.high) & (facts.low % policy.round_to != 0)))
        if found:
            sentence = f"{count_of(found, 'support')} known exactly; {policy.name} asks for multiples of "
            yield Check("rounding", Verdict.REVIEW, found, f"{sentence}{policy.round_to}.")


def _of_sums(channels: Channels | None, told: Sequence[Bounded], k: int, *, is_all: bool, more: int) -> Iterator[Check]:
    """Judge channels and other findings, of which some ``more`` are not listed.

    Without any, limits may still tell more than differences do.
    """
    if channels is not None and (is_all or len(channels)):
        yield checks.inference(channels)
    if told:
        yield _told(told, k, more)
    elif not is_all:
        sentence = f"No two supports differ by 1 to {k - 1} rows for sure; what further bounds tell is not followed."
        yield Check("bounds", Verdict.REVIEW, 0, sentence)


def _told(told: Sequence[Bounded], k: int, more: int = 0) -> Check:
    many = "More than " * (len(told) >= MOST) + count_of(len(told) + more, "sum")
    return Check(
        "bounds", Verdict.WITHHOLD, len(told) + more, f"{many} of supports: each tells of fewer than {k} rows."
    )


def _implied(policy: Policy, implications: Implications | None, found: int) -> Check:
    """Judge that all rows with some items hold others: by the supports that are exactly known, and by rules."""
    if implications is not None and len(implications):
        return checks.class_disclosure(policy, implications)
    if found:
        sentence = f"{count_of(found, 'implication')}: all rows with some items are known to hold others."
        return Check("class disclosure", policy.zeros, found, sentence)
    return Check("class disclosure", Verdict.RELEASE, 0, "No rows with some items are known to hold others.")
