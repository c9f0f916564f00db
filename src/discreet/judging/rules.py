"""Judging association rules and rounded numbers: supports that are known within limits, or known to be 0."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from discreet.data.itemsets import sort_labels
from discreet.data.patterns import Patterns
from discreet.data.schema import Groups, Schema
from discreet.data.transactions import Rows
from discreet.disclosure.attacks.facts import Codes, Facts, as_schema
from discreet.disclosure.channels import as_text
from discreet.disclosure.detect import Question, find_channels
from discreet.disclosure.implications import find_implications
from discreet.errors import BudgetError, InconsistencyError
from discreet.judging import checks
from discreet.judging.finding import NO_PATTERNS, AuditParts, Evidence
from discreet.judging.policy import Check, CheckName, Policy, Verdict
from discreet.judging.reading import check_labels
from discreet.judging.schema import SchemaSums, find_schema_sums, name_contradiction
from discreet.publications.rules import bounded
from discreet.publications.rules.bounded import MOST, Bounded, Narrowed, narrow_facts, narrow_rules
from discreet.publications.rules.reading import as_rounded
from discreet.publications.rules.rule import Rules
from discreet.publications.rules.unlisted import Followed, follow_sums
from discreet.runtime.text import count_of

GET_COUNTS: Final = (
    "Ask for all itemsets with their counts (with mlxtend: the frame that association_rules was given); audit those."
)
SHOWN: Final = 8  # names of unread columns, and of each so many characters:
LONGEST: Final = 40


def judge_numbers(source: Rules | Facts, policy: Policy, rows: Rows | None, schema: str | Groups | None) -> AuditParts:
    """Judge association rules, or supports that are known within limits, by the supports that follow from them."""
    if isinstance(source, Rules):
        lines, what = len(source), count_of(len(source), "rule")
        what += "" if source.n is None else f" of {source.n:,} rows"
        labels = [label for rule in source for label in sort_labels(rule.both)]
        known = narrow_rules(source, schema=None if schema is None else Schema.of(schema, labels))
        read = check_labels(dict.fromkeys(labels), None, None)
        notes = (*check_rules(source, known), *checks.check_k(policy, source.n), *read)
        return source, what, policy, *_judge(known, policy, lines, rows, notes)
    lines = len(source) - 1
    read = check_labels(source.labels, source.itemsets, source.max_length)
    notes = (*checks.check_k(policy, source.n), *read)
    groups = source.schema if schema is None else as_schema(schema, source.labels)
    known, what = narrow_facts(replace(source, schema=groups)), f"{count_of(lines, 'itemset')} of {source.n:,} rows"
    return source, what, policy, *_judge(known, policy, lines, rows, notes)


def check_rounded(patterns: Patterns, policy: Policy) -> Check:
    """Judge patterns whose supports were rounded to the nearest multiple of what the policy asks for."""
    known = narrow_facts(as_rounded(patterns, policy.round_to or 1))
    if known.facts is None:
        return _name_flaw(known)
    sums = bounded.find_differences(known.facts, known.gaps, policy.k)
    return _check_sums(sums, policy.k)._replace(name=CheckName.CHANNELS) if sums else checks.ROUNDED


def check_rules(rules: Rules, known: Narrowed) -> Iterator[Check]:
    """Yield what is to be said of rules beside what their numbers reveal.

    >>> rules = Rules.from_rules([(["a"], ["b"], None, 0.8)], min_confidence=0.6)
    >>> [(check.name.value, check.verdict.name) for check in check_rules(rules, narrow_rules(rules))]
    [('supports', 'REVIEW'), ('absent rules', 'RELEASE')]
    """
    unstated = sum(rule.support is None for rule in rules)
    if unstated:
        sentence = f"{count_of(unstated, 'rule')} without a support; the confidences limit it."
        if unstated == len(rules) and rules.n is None and not rules.more:
            sentence = "Neither supports nor the number of rows are stated, so confidences bound no count from above."
        yield CheckName.SUPPORTS.review(unstated, sentence)
    if known.announced is not None:
        many, share = len(known.announced.absent), f"{float(100 * known.announced.share):g}%"
        if known.announced.is_all:
            sentence = f"{count_of(many, 'rule')} not listed, so their confidence is below the announced {share}."
            yield CheckName.ABSENT_RULES.release(sentence, many)
        else:
            sentence = f"More than {many:,} rules not listed, though {share} was announced: only so many were followed."
            yield CheckName.ABSENT_RULES.review(many, sentence)
    if rules.unused:
        names = ", ".join(name[:LONGEST] for name in rules.unused[:SHOWN]) + ", …" * (len(rules.unused) > SHOWN)
        sentence = f"{count_of(len(rules.unused), 'column')} not read; look at what they reveal: {names}."
        judge = CheckName.COLUMNS.review if rules.unjudged else CheckName.COLUMNS.release
        yield judge(found=len(rules.unused), sentence=sentence)


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
        unjudged.append(CheckName.SCHEMA.withhold(0, f"Not judged: {error}."))
    if by_schema.wrong is not None:
        return (name_contradiction(by_schema.wrong),), Evidence(NO_PATTERNS, facts=facts)
    patterns = pin_supports(facts)
    complete = len(patterns) == len(facts) and facts.absent == 0
    channels, every = None, list[Check]()
    if len(patterns):
        Question(patterns, rows, k)  # refuses rows that the rules were not mined from
        try:
            channels = find_channels(Question(patterns, None, k, complete=complete))
        except InconsistencyError as error:
            every.append(checks.name_flaw(patterns, error))
    summed = frozenset() if channels is None else frozenset(itemset for itemset, _ in patterns)
    # Channels cover the differences of two supports that are both in their sums.
    pairs = [one for one in bounded.find_differences(facts, known.gaps, k) if one.top not in summed]
    followed, beyond = _follow(facts, k, pairs)
    pairs += [one for one in beyond if one.top not in summed]
    sums = (*by_schema.listed, *pairs, *bounded.find_absences(facts, k, known.announced))
    zeros_matter = policy.zeros is not Verdict.RELEASE
    implications = find_implications(patterns) if zeros_matter and channels is not None else None
    every += [checks.check_size(policy, lines, "line"), *_check_facts(policy, facts)]
    if channels is not None and (len(summed) == len(facts) or len(channels)):
        every.append(checks.check_channels(channels))
    if sums:
        every.append(_check_sums(sums, k, by_schema.many - len(by_schema.listed)))
    elif len(summed) < len(facts):
        every.append(_check_unlisted(facts, followed, k))
    every += unjudged
    if zeros_matter:
        more = implications is not None and implications.more
        many = len(implications or ()) or _count_equal_pairs(facts, known.gaps)
        every.append(checks.check_implications(policy, many, more=more))
    return (*every, *notes), Evidence(patterns, channels, implications, facts=facts, bounded=sums)


def _check_unlisted(facts: Facts, followed: Followed | None, k: int) -> Check:
    """Say what was not looked at where no small sum was found, but supports have limits, or unlisted parts.

    That rules are missing tells more to a reader who knows the minimum confidence, so nothing is released here.
    """
    if followed is None:
        unknown = int(np.count_nonzero(facts.low < facts.high))
        why = (
            f"No two supports surely differ by 1 to {k - 1} rows. Of {len(facts):,} supports, {unknown:,} are known "
            "only within limits, and what sums of three or more of them reveal was not looked at."
        )
        return CheckName.BOUNDS.review(0, f"{why} {GET_COUNTS}")
    of = f"{count_of(followed.many, 'largest itemset')} with unlisted parts"
    why = f"No sum of supports within {of} reveals fewer than {k} rows."
    if followed.left:
        why += f" {followed.left:,} of them have too many parts, so only differences of two supports were looked at."
    if followed.unnamed:
        why = f"In {followed.unnamed:,} of {of}, a sum of supports counts fewer than {k} rows."
    why += " What missing itemsets or rules reveal to readers who know a minimum confidence was not looked at in full."
    return CheckName.BOUNDS.review(0, f"{why} {GET_COUNTS}")


def _follow(facts: Facts, k: int, pairs: Sequence[Bounded]) -> tuple[Followed | None, list[Bounded]]:
    """Follow the sums of exact supports with unlisted parts; return those that are not among the pairs too."""
    if not facts.is_exact:
        return None, []
    followed, listed = follow_sums(facts, k), {(one.base, frozenset(one.lacked)) for one in pairs}
    return followed, [one for one in followed.sums if (one.base, frozenset(one.lacked)) not in listed]


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
    n, length = exact[frozenset()], facts.max_length
    return Patterns.from_itemsets(pairs, n=n, min_support=least, kind="frequent", max_length=length)


def _name_flaw(known: Narrowed) -> Check:
    name = as_text(known.flaw) if known.flaw else "all rows"
    asked = "Were they rounded otherwise" + ", or rules left out" * (known.announced is not None)
    sentence = f"No rows can have these numbers: no support of {name} fits them. {asked}?"
    return CheckName.CONSISTENCY.withhold(1, sentence)


def _count_equal_pairs(facts: Facts, gaps: bounded.Gaps) -> int:
    """Count the pairs of an itemset and a larger one, of rules or with one item more, that the same rows hold."""
    listed, sizes = facts.listed, facts.itemsets.lengths
    pairs = sum(
        limits[0] == limits[1] and listed.get(itemset - {item}) == limits
        for itemset, limits in listed.items()
        for item in itemset
    )
    return pairs + sum(gap == (0, 0) and bool(sizes[top] > sizes[base] + 1) for (base, top), gap in gaps.items())


def _check_facts(policy: Policy, facts: Facts) -> Iterator[Check]:
    low, zeros = (int(np.count_nonzero(one)) for one in ((facts.low > 0) & (facts.high < policy.k), facts.high == 0))
    yield checks.check_low_counts(policy, low, zeros, sure="surely ")
    exact = int(np.count_nonzero((facts.low == facts.high) & (facts.low % (policy.round_to or 1) != 0)))
    if exact:
        asked = f"{policy.name} asks for multiples of {policy.round_to}"
        yield CheckName.ROUNDING.review(exact, f"{count_of(exact, 'support')} known exactly; {asked}.")


def _check_sums(sums: Sequence[Bounded], k: int, more: int = 0) -> Check:
    """Judge small sums, of which ``more`` are not listed."""
    many = "More than " * (len(sums) >= MOST) + count_of(len(sums) + more, "sum")
    sentence = f"{many} of supports: each reveals fewer than {k} rows."
    return CheckName.BOUNDS.withhold(len(sums) + more, sentence)
