"""Judging by a schema: what supports reveal to a reader who knows which values exclude each other.

The values of an attribute exclude each other: if no row holds two of the values v, then sup(X) − Σ sup(X ∪ v) rows hold
X and none of them: a remainder. With another item y, or several values of another attribute, the remainder of X ∪ y can
be subtracted from that of X. With the zeros of itemsets with two values, channels are found as usual. Remainders are
such cells, or made of them; they are looked for one by one where supports are missing, or known only within limits.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from discreet.data.itemsets import Itemset
from discreet.data.lattice import Family
from discreet.data.patterns import Patterns
from discreet.data.schema import Groups, Schema
from discreet.disclosure.attacks.facts import Codes, Facts
from discreet.disclosure.attacks.sums import find_totals, known_family, widen_family
from discreet.disclosure.attacks.totals import Totals
from discreet.disclosure.channels import Channel, as_text, places
from discreet.errors import BudgetError, InconsistencyError, InputError, Message, Option
from discreet.judging.policy import Check, CheckName, Verdict
from discreet.publications.rules.bounded import Bounded, sort_worst
from discreet.runtime.text import count_of

JudgedSchema: TypeAlias = tuple[Check, tuple[Bounded, ...]]

LISTED: Final = 1000  # sums, those of the fewest rows first
MOST_KNOWN: Final = 1_000_000  # itemsets with exact supports that are summed up
MOST_STEPS: Final = 5_000_000  # supports that remainders add up: some seconds


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
        return name_contradiction(sums.wrong), ()
    given = f"given {count_of(len(facts.schema), 'attribute')} of which no row has two values"
    if sums.many:
        more = f" The {LISTED:,} smallest are listed." * (sums.many > len(sums.listed))
        sentence = f"{count_of(sums.many, 'sum')} of supports: {given}, each reveals fewer than {k} rows.{more}"
        return CheckName.SCHEMA.withhold(sums.many, sentence), sums.listed
    what = "sum" if facts.inherited else "remainder of an attribute's values, nor a difference of two,"
    sentence = f"No {what} reveals fewer than {k} rows, {given}."
    return CheckName.SCHEMA.release(sentence), ()


def name_contradiction(itemset: Itemset) -> Check:
    """Return the check of a schema that the rows with an itemset contradict."""
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
