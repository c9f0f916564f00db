"""Judging association rules and rounded numbers: supports that are known only within limits."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from discreet.data.labels import sort_labels
from discreet.data.merged import Rows
from discreet.data.patterns import Patterns
from discreet.disclosure.attacks.facts import Codes, Facts, Schema, as_schema
from discreet.disclosure.channels import Channels, as_text
from discreet.disclosure.detect import Question, find_channels
from discreet.disclosure.implications import Implications, find_implications
from discreet.errors import BudgetError, InconsistencyError
from discreet.judging import checks
from discreet.judging.finding import NO_PATTERNS, AuditParts, Evidence
from discreet.judging.policy import Policy
from discreet.judging.schema import SchemaSums, as_groups, find_schema_sums, name_contradiction, not_judged
from discreet.judging.verdict import Check, CheckName, Verdict
from discreet.publications.rules.bounded import MOST, Bounded, find_absences, find_differences
from discreet.publications.rules.propagate import Narrowed, narrow_facts, narrow_rules
from discreet.publications.rules.reading import as_rounded
from discreet.publications.rules.rule import Rules
from discreet.runtime.text import count_of

SHOWN: Final = 8
"""Unread columns that are named at most."""
LONGEST: Final = 40
"""Characters of their names."""


def judge_rules(
    rules: Rules, policy: Policy, *, rows: Rows | None = None, schema: str | Schema | None = None
) -> AuditParts:
    """Judge association rules by the supports that follow from them."""
    what = count_of(len(rules), "rule") + ("" if rules.n is None else f" of {rules.n:,} rows")
    known = narrow_rules(rules, schema=as_groups(schema, [label for rule in rules for label in sort_labels(rule.both)]))
    return AuditParts(rules, what, policy, *_judge(known, policy, len(rules), rows, check_rules(rules, known)))


def judge_facts(
    facts: Facts, policy: Policy, *, rows: Rows | None = None, schema: str | Schema | None = None
) -> AuditParts:
    """Judge supports that are known within limits: rounded ones, or a list of the largest."""
    known = facts if schema is None else replace(facts, schema=as_schema(as_groups(schema, facts.labels), facts.labels))
    what = f"{count_of(len(facts) - 1, 'itemset')} of {facts.n:,} rows"
    return AuditParts(facts, what, policy, *_judge(narrow_facts(known), policy, len(facts) - 1, rows))


def check_rounded(patterns: Patterns, policy: Policy) -> Check:
    """Judge patterns whose supports were rounded to the nearest multiple of what the policy asks for."""
    known = narrow_facts(as_rounded(patterns, policy.round_to or 1))
    if known.facts is None:
        return _name_flaw(known)
    sums = find_differences(known.facts, known.gaps, policy.k)
    return _check_sums(sums, policy.k)._replace(name=CheckName.CHANNELS) if sums else checks.ROUNDED


def check_rules(rules: Rules, known: Narrowed) -> Iterator[Check]:
    """Yield what is to be said of rules beside what their numbers reveal.

    >>> rules = Rules.from_rules([(["a"], ["b"], None, 0.8)], min_confidence=0.6)
    >>> [(check.name.value, check.verdict.name) for check in check_rules(rules, narrow_rules(rules))]
    [('supports', 'REVIEW'), ('absent rules', 'RELEASE')]
    """
    unstated = sum(rule.support is None for rule in rules)
    if unstated:
        are_all = unstated == len(rules) and rules.n is None and not rules.more
        sentence = (
            "Neither supports nor the number of rows are stated, so confidences bound no count from above."
            if are_all
            else f"{count_of(unstated, 'rule')} without a support; the confidences limit it."
        )
        yield CheckName.SUPPORTS.review(unstated, sentence)
    if known.announced is not None:
        many, share = len(known.absent.rules), f"{float(100 * known.announced.share):g}%"
        if known.absent.is_all:
            sentence = f"{count_of(many, 'rule')} not listed, so their confidence is below the announced {share}."
            yield CheckName.ABSENT_RULES.release(sentence, many)
        else:
            sentence = f"More than {many:,} rules not listed, though {share} was announced: only so many were followed."
            yield CheckName.ABSENT_RULES.review(many, sentence)
    if rules.unused:
        names = ", ".join(name[:LONGEST] for name in rules.unused[:SHOWN]) + ", …" * (len(rules.unused) > SHOWN)
        sentence = f"{count_of(len(rules.unused), 'column')} not read; look at what they reveal: {names}."
        yield CheckName.COLUMNS.release(sentence, len(rules.unused))


def _judge(
    known: Narrowed, policy: Policy, lines: int, rows: Rows | None, notes: Iterable[Check] = ()
) -> tuple[tuple[Check, ...], Evidence]:
    """Judge sums of supports that are exactly known, and of others within their limits."""
    facts, k = known.facts, policy.k
    if facts is None:
        return (_name_flaw(known),), Evidence(NO_PATTERNS)
    by_schema, unjudged = SchemaSums(), list[Check]()
    try:
        by_schema = find_schema_sums(facts, k)
    except BudgetError as error:
        unjudged.append(not_judged(error))
    if by_schema.wrong is not None:
        return (name_contradiction(by_schema.wrong),), Evidence(NO_PATTERNS, facts=facts)
    patterns = pin_supports(facts)
    is_all = len(patterns) == len(facts)
    channels, flaws = _find_channels(patterns, rows, k, complete=is_all and facts.absent == 0)
    summed = frozenset() if channels is None else frozenset(itemset for itemset, _ in patterns)
    # Channels cover the differences of two supports that are both in their sums.
    pairs = [one for one in find_differences(facts, known.gaps, k) if one.top not in summed]
    sums = (*by_schema.listed, *pairs, *find_absences(facts, k, known.announced))
    zeros_matter = policy.zeros is not Verdict.RELEASE
    implications = find_implications(patterns) if zeros_matter and channels is not None else None
    every = [*flaws, checks.check_size(policy, lines, "line"), *_check_facts(policy, facts)]
    if channels is not None and (len(summed) == len(facts) or len(channels)):
        every.append(checks.check_channels(channels))
    if sums:
        every.append(_check_sums(sums, k, by_schema.many - len(by_schema.listed)))
    elif len(summed) < len(facts):
        sentence = f"No two supports surely differ by 1 to {k - 1} rows; further limits are not followed."
        every.append(CheckName.BOUNDS.review(0, sentence))
    every += unjudged
    if zeros_matter:
        every.append(_check_implications(policy, implications, _count_equal_pairs(known)))
    evidence = Evidence(patterns, channels, implications, facts=facts, bounded=sums)
    return (*every, *notes), evidence


def pin_supports(facts: Facts) -> Patterns:
    """Return the itemsets whose supports, and those of all their parts, are known exactly; none if n is not.

    >>> facts = Facts.from_limits([(["a"], 5, 5), (["b"], 4, 6), (["a", "b"], 3, 3)], n=9)
    >>> [(sorted(itemset), support) for itemset, support in pin_supports(facts)]
    [([], 9), (['a'], 5)]
    """
    exact: Mapping[Codes, int] = {one: low for one, (low, high) in facts.listed.items() if low == high}
    whole: set[Codes] = set()
    for itemset in sorted(exact, key=len):
        if all(itemset - {item} in whole for item in itemset):
            whole.add(itemset)
    if frozenset() not in whole:
        return NO_PATTERNS
    pairs = [([facts.labels[item] for item in itemset], exact[itemset]) for itemset in whole]
    # If missing itemsets are in no row, and every listed one is here, no row holds anything else.
    least = 1 if facts.absent == 0 and len(whole) == len(facts) else None
    return Patterns.from_itemsets(pairs, n=exact[frozenset()], min_support=least, kind="frequent")


def _name_flaw(known: Narrowed) -> Check:
    name = as_text(known.flaw) if known.flaw else "all rows"
    asked = "Were they rounded otherwise" + ", or rules left out" * (known.announced is not None)
    sentence = f"No rows can have these numbers: no support of {name} fits them. {asked}?"
    return CheckName.CONSISTENCY.withhold(1, sentence)


def _find_channels(
    patterns: Patterns, rows: Rows | None, k: int, *, complete: bool
) -> tuple[Channels | None, tuple[Check, ...]]:
    """Look for channels in the exact supports, or return a check that says what is wrong with these."""
    if not len(patterns):
        return None, ()
    if rows is not None:
        Question(patterns, rows, k)
    try:
        return find_channels(Question(patterns, None, k, complete=complete)), ()
    except InconsistencyError as error:
        return None, (checks.name_flaw(patterns, error),)


def _count_equal_pairs(known: Narrowed) -> int:
    """Count the pairs of an itemset and a larger one, of rules or with one item more, that the same rows hold."""
    listed = {} if known.facts is None else known.facts.listed
    pairs = sum(
        limits[0] == limits[1] and listed.get(itemset - {item}) == limits
        for itemset, limits in listed.items()
        for item in itemset
    )
    return pairs + sum(gap == (0, 0) and len(top) > len(base) + 1 for (base, top), gap in known.gaps.items())


def _check_facts(policy: Policy, facts: Facts) -> Iterator[Check]:
    """Judge each support by itself."""
    low, zeros = (int(np.count_nonzero(one)) for one in ((facts.low > 0) & (facts.high < policy.k), facts.high == 0))
    yield checks.check_low_counts(policy, low, zeros, sure="surely ")
    if policy.round_to is not None:
        exact = int(np.count_nonzero((facts.low == facts.high) & (facts.low % policy.round_to != 0)))
        if exact:
            sentence = f"{count_of(exact, 'support')} known exactly; {policy.name} asks for multiples of "
            yield CheckName.ROUNDING.review(exact, f"{sentence}{policy.round_to}.")


def _check_sums(sums: Sequence[Bounded], k: int, more: int = 0) -> Check:
    """Judge small sums, of which ``more`` are not listed."""
    many = "More than " * (len(sums) >= MOST) + count_of(len(sums) + more, "sum")
    sentence = f"{many} of supports: each reveals fewer than {k} rows."
    return CheckName.BOUNDS.withhold(len(sums) + more, sentence)


def _check_implications(policy: Policy, implications: Implications | None, pairs: int) -> Check:
    """Judge that all rows with some items hold others: by exact supports, or by rules."""
    if implications is not None and len(implications):
        return checks.check_implications(policy, implications)
    if not pairs:
        return checks.NO_IMPLICATION
    sentence = f"{count_of(pairs, 'implication')}: all rows with some items have another."
    return Check(CheckName.CLASS_DISCLOSURE, policy.zeros, pairs, sentence)
