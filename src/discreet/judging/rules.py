"""Judging association rules, rounded numbers and schemas: supports that are known within limits, or known to be 0.

The values of an attribute exclude each other: if no row holds two of the values v, then sup(X) − Σ sup(X ∪ v) rows hold
X and none of them: a remainder. With another item y, or several values of another attribute, the remainder of X ∪ y can
be subtracted from that of X. With the zeros of itemsets with two values, channels are found as usual. Remainders are
such cells, or made of them; they are looked for one by one where supports are missing, or known only within limits.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from discreet.data.itemsets import Itemset, sort_labels
from discreet.data.lattice import Family
from discreet.data.patterns import Patterns
from discreet.data.schema import Groups, Schema
from discreet.data.transactions import Rows
from discreet.disclosure.attacks.facts import Codes, Facts, as_schema
from discreet.disclosure.attacks.sums import find_totals, known_family, widen_family
from discreet.disclosure.attacks.totals import Totals
from discreet.disclosure.channels import Channel, as_text, places
from discreet.disclosure.detect import Question, find_channels
from discreet.disclosure.implications import find_implications
from discreet.errors import BudgetError, InconsistencyError, InputError, Message, Option
from discreet.judging import checks
from discreet.judging.finding import NO_PATTERNS, AuditParts, Evidence
from discreet.judging.policy import Check, CheckName, Policy, Verdict
from discreet.publications.rules import bounded
from discreet.publications.rules.bounded import MOST, Bounded, Narrowed, narrow_facts, narrow_rules, sort_worst
from discreet.publications.rules.reading import as_rounded
from discreet.publications.rules.rule import Rules
from discreet.publications.rules.unlisted import Followed, follow_sums
from discreet.runtime.text import count_of

JudgedSchema: TypeAlias = tuple[Check, tuple[Bounded, ...]]

GET_COUNTS: Final = (
    "Ask for all itemsets with their counts (with mlxtend: the frame that association_rules was given); audit those."
)
LISTED: Final = 1000  # sums, those of the fewest rows first
MOST_KNOWN: Final = 1_000_000  # itemsets with exact supports that are summed up
MOST_STEPS: Final = 5_000_000  # supports that remainders add up: some seconds
SHOWN: Final = 8  # names of unread columns, and of each so many characters:
LONGEST: Final = 40


class SchemaSums(NamedTuple):
    """The sums of 1 to k − 1 rows that a schema reveals: how ``many``, and those that are ``listed``.

    If rows with the ``wrong`` itemset must hold two values of an attribute, the schema is contradicted.
    """

    many: int = 0
    listed: tuple[Bounded, ...] = ()
    wrong: Itemset | None = None


def judge_schema(patterns: Patterns, k: int, schema: str | Groups | None = None) -> JudgedSchema | None:
    """Judge what patterns reveal to a reader who knows which items exclude each other; return the sums too.

    Without a ``schema``, that of the patterns counts. If there is none, but all labels are such as ``sex=f``, readers
    may know one: what that would reveal is for a person to look at. Otherwise there is nothing to judge: None.

    >>> listed = Patterns.from_itemsets([([], 90), (["sex=f"], 40), (["sex=m"], 48)], n=90)
    >>> [judge_schema(listed, 5, schema)[0].verdict.name for schema in ("=", None)]
    ['WITHHOLD', 'REVIEW']
    """
    if schema is not None or patterns.schema is not None:
        return _judge_known(patterns, k, schema)
    guess = Schema.guess(patterns.labels)
    try:
        judged = None if guess is None else _judge_known(patterns, k, guess)
    except InputError:  # itemsets have two values of an attribute: they do not exclude each other
        return None
    if judged is None or (judged[0].found and not judged[1]):
        return None
    check, sums = judged
    if check.verdict is Verdict.RELEASE:
        return judged
    ask = f"Labels look like values of attributes. {check.sentence} If no row has two values of one, say so with "
    return CheckName.SCHEMA.review(check.found, Message(ask, Option("schema", "="), ".")), sums


def _judge_known(patterns: Patterns, k: int, schema: str | Groups | None) -> JudgedSchema:
    """Judge what patterns reveal to a reader who knows a schema.

    >>> listed = [([], 90), (["f"], 40), (["m"], 48)]
    >>> check, sums = _judge_known(Patterns.from_itemsets(listed, n=90), 5, [["f", "m"]])
    >>> check.verdict.name, str(sums[0]), sums[0].explain()
    ('WITHHOLD', '¬f ∧ ¬m: 2 rows', 'sup(∅) 90 − sup(f) 40 − sup(m) 48 = 2')
    """
    try:
        facts = Facts.of(patterns, schema=schema)
        sums = find_schema_sums(facts, k)
    except InconsistencyError:
        return CheckName.SCHEMA.withhold(0, "The supports contradict each other, so nothing follows."), ()
    except BudgetError as error:
        return CheckName.SCHEMA.withhold(0, f"Not judged: {error}."), ()
    if sums.wrong is not None:
        return _name_contradiction(sums.wrong), ()
    given = f"given {count_of(len(facts.schema), 'attribute')} of which no row has two values"
    if sums.many:
        more = f" The {LISTED:,} smallest are listed." * (sums.many > len(sums.listed))
        sentence = f"{count_of(sums.many, 'sum')} of supports: {given}, each reveals fewer than {k} rows.{more}"
        return CheckName.SCHEMA.withhold(sums.many, sentence), sums.listed
    what = "sum" if facts.inherited else "remainder of an attribute's values, nor a difference of two,"
    sentence = f"No {what} reveals fewer than {k} rows, {given}."
    return CheckName.SCHEMA.release(sentence), ()


def _name_contradiction(itemset: Itemset) -> Check:
    sentence = f"Rows with {as_text(itemset)} hold several items that exclude each other by the schema."
    return CheckName.SCHEMA.withhold(1, sentence)


def find_schema_sums(facts: Facts, k: int) -> SchemaSums:
    """Return the sums that reveal 1 to k − 1 rows to a reader who knows the schema.

    Exact supports, each with all its parts, are summed up in full; of others, remainders and their differences are
    looked at. More than can be looked at is a BudgetError.

    >>> limits = [(["x"], 50, 50), (["x", "sex=f"], 20, 20), (["x", "sex=m"], 28, 28)]
    >>> facts = Facts.from_limits(limits, n=90, schema=[["sex=f", "sex=m"]])
    >>> [str(one) for one in find_schema_sums(facts, 5).listed]
    ['x ∧ ¬sex=f ∧ ¬sex=m: 2 rows']
    """
    if not facts.schema:
        return SchemaSums()
    many, listed, is_all = 0, list[Bounded](), facts.inherited
    if facts.low[0] == facts.high[0]:
        family = known_family(facts, MOST_KNOWN)
        is_all = is_all or (facts.is_exact and not facts.has_gaps)
        try:
            many, listed = _find_cells(family, facts, k)
        except InconsistencyError as error:
            return SchemaSums(wrong=error.itemset)
    for one in () if is_all else find_remainders(facts):
        if one.high < 0:
            return SchemaSums(wrong=one.base)
        if one.low > 0 and one.high < k:
            listed.append(one)
            many += 1
    return SchemaSums(many, tuple(sort_worst(listed)[:LISTED]))


def _find_cells(family: Family, facts: Facts, k: int) -> tuple[int, list[Bounded]]:
    """Return how many cells of wider itemsets hold 1 to k − 1 rows, and the smallest of them."""
    totals = find_totals(family, facts.schema)
    found = sorted(totals.find_cells(k), key=lambda cell: (cell.rows, cell))
    beyond = [_name_cell(facts, totals, *cell) for cell in found[:LISTED]]
    wide = widen_family(family, facts.schema, totals.largest)
    if wide is None:
        return len(found), beyond
    cells, tops = wide.cells(k), wide.itemsets.take(wide.tops)
    listed = Patterns(family.itemsets, family.supports, family.labels, family.n, 1, "closed")
    smallest = []
    for at in np.lexsort((tops.lengths[cells.tops], cells.counts))[:LISTED].tolist():
        base, top = frozenset(cells.bases[at].tolist()), frozenset(tops[int(cells.tops[at])].tolist())
        names, every = (frozenset(facts.labels[item] for item in one) for one in (base, top))
        count = int(cells.counts[at])
        terms = Channel(names, every, count).terms(listed)
        # A row that holds a value of an attribute lacks the others anyway.
        lacked = [frozenset([facts.labels[item]]) for item in sorted(top - base) if not facts.excludes(base | {item})]
        supports = tuple((term.itemset, (term.support, term.support)) for term in terms)
        smallest.append(Bounded(names, tuple(lacked), count, count, supports, tuple(term.times for term in terms)))
    every_one = smallest + beyond
    # Tops that differ in values that a base excludes have cells of the same rows.
    listed_once = list({(one.base, one.lacked): one for one in reversed(every_one)}.values())[::-1]
    return cells.counts.size + len(found) - len(every_one) + len(listed_once), listed_once


def _name_cell(facts: Facts, totals: Totals, base: int, top: int, count: int) -> Bounded:
    """Return a cell that follows because attributes are total, with the sum of listed supports."""
    times: Counter[int] = Counter()
    for part in totals.find_parts(top, base):
        sign = -1 if (part ^ base).bit_count() % 2 else 1
        for listed, often in totals.express(part).items():
            times[listed] += sign * often

    def named(itemset: int) -> Itemset:
        return frozenset(facts.labels[item] for item in places(itemset))

    lacked = [item for item in places(top & ~base) if not facts.excludes(frozenset([*places(base), item]))]
    used = sorted((one for one in times if times[one]), key=lambda one: (one.bit_count(), times[one] < 0, places(one)))
    terms = tuple((named(one), 2 * (totals.support(one),)) for one in used)
    without = tuple(named(1 << item) for item in lacked)
    return Bounded(named(base), without, count, count, terms, tuple(times[one] for one in used))


def find_remainders(facts: Facts) -> Iterator[Bounded]:
    """Yield the remainders whose supports are all listed, and their differences, whatever they amount to.

    >>> limits = [(["x"], 50, 50), (["x", "f"], 20, 21), (["x", "m"], 27, 28)]
    >>> print(*find_remainders(Facts.from_limits(limits, n=90, schema=[["f", "m"]])))
    x ∧ ¬f ∧ ¬m: 1 to 3 rows
    """
    steps = 0
    for base, by_group in _group_items(facts).items():
        for values in [several for several in by_group.values() if len(several) > 1]:
            yield _add_up(facts, base, values, [])
            for others in by_group.values():
                steps += len(values) * len(others)
                if steps > MOST_STEPS:
                    raise BudgetError(
                        "the schema leaves more remainders than can be looked at; list fewer itemsets, or audit the "
                        "exact supports"
                    )
                both = _listed_with(facts, base, values, others) if others is not values else []
                if len(both) > 1:
                    yield _add_up(facts, base, both, others)


def _group_items(facts: Facts) -> Mapping[Codes, Mapping[Codes, list[int]]]:
    """Return the items with which each listed itemset is listed too, by group; an item of no group is one by itself."""
    groups: defaultdict[int, list[Codes]] = defaultdict(list)
    for group in facts.schema:
        for item in group:
            groups[item].append(group)
    items: defaultdict[Codes, defaultdict[Codes, list[int]]] = defaultdict(lambda: defaultdict(list))
    for itemset in facts.listed:
        for item in () if facts.excludes(itemset) else sorted(itemset):
            base = itemset - {item}
            for group in groups[item] or [frozenset([item])] if base in facts.listed else ():
                items[base][group].append(item)
    return items


def _listed_with(facts: Facts, base: Codes, values: list[int], others: list[int]) -> list[int]:
    """Return the values whose supports with each of the others are listed, or known to be 0."""

    def is_known(itemset: Codes) -> bool:
        return itemset in facts.listed or facts.excludes(itemset)

    apart = [value for value in values if value not in others]
    return [value for value in apart if all(is_known(base | {value, other}) for other in others)]


def _add_up(facts: Facts, base: Codes, values: list[int], others: list[int]) -> Bounded:
    """Return how many rows hold the base, none of the values and none of the others."""

    def named(itemset: Codes) -> Itemset:
        return frozenset(facts.labels[item] for item in itemset)

    plus = [one for value in values for other in others if not facts.excludes(one := base | {value, other})]
    terms = [(1, base), *((-1, base | {item}) for item in (*values, *others)), *((1, one) for one in plus)]
    limits = [(times, facts.listed[itemset]) for times, itemset in terms]
    low = sum(times * (least if times > 0 else most) for times, (least, most) in limits)
    high = sum(times * (most if times > 0 else least) for times, (least, most) in limits)
    lacked = tuple(named(frozenset([item])) for item in sorted({*values, *others}))
    supports = tuple((named(itemset), facts.listed[itemset]) for _, itemset in terms)
    return Bounded(named(base), lacked, low, high, supports, tuple(times for times, _ in terms))


def judge_numbers(source: Rules | Facts, policy: Policy, rows: Rows | None, schema: str | Groups | None) -> AuditParts:
    """Judge association rules, or supports that are known within limits, by the supports that follow from them."""
    if isinstance(source, Rules):
        lines, what = len(source), count_of(len(source), "rule")
        what += "" if source.n is None else f" of {source.n:,} rows"
        labels = [label for rule in source for label in sort_labels(rule.both)]
        known = narrow_rules(source, schema=None if schema is None else Schema.of(schema, labels))
        return source, what, policy, *_judge(known, policy, lines, rows, check_rules(source, known))
    lines = len(source) - 1
    groups = source.schema if schema is None else as_schema(schema, source.labels)
    known, what = narrow_facts(replace(source, schema=groups)), f"{count_of(lines, 'itemset')} of {source.n:,} rows"
    return source, what, policy, *_judge(known, policy, lines, rows)


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
        unjudged.append(CheckName.SCHEMA.withhold(0, f"Not judged: {error}."))
    if by_schema.wrong is not None:
        return (_name_contradiction(by_schema.wrong),), Evidence(NO_PATTERNS, facts=facts)
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
