"""Schema: the values of an attribute exclude each other, and the total minus the listed values may leave few rows.

If no row holds two of the values v, then sup(X) − Σ sup(X ∪ v) rows hold X and none of the values: a remainder. With
another item y, or several values of another attribute, the remainder of X ∪ y can be subtracted from that of X.
Itemsets with two values have support 0, though they are never listed. With these zeros, channels are found as usual:
they are the small cells of itemsets whose parts are all listed or known to be 0. Remainders are such cells, or made of
them; they are looked for one by one where supports are missing, or known only within limits.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from discreet.data.labels import Itemset, Label
from discreet.data.lattice import Family
from discreet.data.patterns import Patterns
from discreet.disclosure.attacks.facts import Codes, Facts, Schema
from discreet.disclosure.attacks.sums import known_family, widen_family
from discreet.disclosure.channels import Channel, as_text
from discreet.errors import BudgetError, InconsistencyError, OptionError
from discreet.judging.verdict import Check, CheckName
from discreet.publications.rules.bounded import Bounded, sort_worst
from discreet.runtime.text import count_of

LISTED: Final = 1000
"""Sums that are listed, those of the fewest rows first."""
MOST_KNOWN: Final = 1_000_000
"""Itemsets with exact supports that are summed up."""
MOST_STEPS: Final = 5_000_000
"""Supports that remainders add up: some seconds."""
PAIR: Final = 2

ByGroup: TypeAlias = Mapping[Codes, list[int]]
"""The items with which an itemset is listed, by their group; an item of no group is one by itself."""


class SchemaSums(NamedTuple):
    """The sums of 1 to k − 1 rows that a schema reveals: how ``many``, and those that are ``listed``.

    If rows with the ``wrong`` itemset must hold two values of an attribute, the schema is contradicted.
    """

    many: int = 0
    listed: tuple[Bounded, ...] = ()
    wrong: Itemset | None = None


def as_groups(schema: str | Schema | None, labels: Iterable[Label]) -> list[Itemset]:
    """Return the values of each attribute that has several; a text such as ``"="`` separates both in labels.

    A label that is a pair, such as ("age", 40), is an attribute and its value, whatever the text.

    >>> groups = as_groups("=", ["sex=f", "sex=m", ("age", 40), ("age", 50), "smoker"])
    >>> [sorted(group) for group in groups]
    [['sex=f', 'sex=m'], [('age', 40), ('age', 50)]]
    """
    if schema is None:
        return []
    if not isinstance(schema, str):
        return [frozenset(group) for group in schema]
    if not schema:
        raise OptionError("schema is empty; give what separates attribute and value in labels, such as '='")
    groups: defaultdict[Label, list[Label]] = defaultdict(list)
    for label in labels:
        if isinstance(label, tuple) and len(label) == PAIR:
            groups[label[0]].append(label)
        elif isinstance(label, str) and schema in label:
            groups[label.split(schema, 1)[0]].append(label)
    several = [frozenset(group) for group in groups.values() if len(group) > 1]
    if not several:
        raise OptionError(
            f"schema is {schema[:40]!r}, but by it no two labels are values of one attribute; give what separates "
            "attribute and value, or the groups of labels that exclude each other"
        )
    return several


def judge_schema(patterns: Patterns, k: int, schema: str | Schema) -> tuple[Check, tuple[Bounded, ...]]:
    """Judge what patterns reveal to a reader who knows which items exclude each other; return the sums too.

    >>> listed = [([], 90), (["f"], 40), (["m"], 48)]
    >>> check, sums = judge_schema(Patterns.from_itemsets(listed, n=90), 5, [["f", "m"]])
    >>> check.verdict.name, str(sums[0]), sums[0].explain()
    ('WITHHOLD', '¬f ∧ ¬m: 2 rows', 'sup(∅) 90 − sup(f) 40 − sup(m) 48 = 2')
    """
    try:
        facts = Facts.of(patterns, schema=as_groups(schema, patterns.labels))
        sums = find_schema_sums(facts, k)
    except InconsistencyError:
        return CheckName.SCHEMA.withhold(0, "The supports contradict each other, so nothing follows."), ()
    except BudgetError as error:
        return not_judged(error), ()
    if sums.wrong is not None:
        return name_contradiction(sums.wrong), ()
    given = "given that no row has two values of one attribute"
    if sums.many:
        more = f" The {LISTED:,} smallest are listed." * (sums.many > len(sums.listed))
        sentence = f"{count_of(sums.many, 'sum')} of supports: {given}, each reveals fewer than {k} rows.{more}"
        return CheckName.SCHEMA.withhold(sums.many, sentence), sums.listed
    what = "sum" if facts.inherited else "remainder of an attribute's values, nor a difference of two,"
    sentence = f"No {what} reveals fewer than {k} rows, {given}; attributes: {len(facts.schema):,}."
    return CheckName.SCHEMA.release(sentence), ()


def name_contradiction(itemset: Itemset) -> Check:
    """Say that rows hold several values of one attribute."""
    sentence = f"Rows with {as_text(itemset)} hold several items that exclude each other by the schema."
    return CheckName.SCHEMA.withhold(1, sentence)


def not_judged(error: BudgetError) -> Check:
    """Say that there is more than can be looked at."""
    return CheckName.SCHEMA.withhold(0, f"Not judged: {error}.")


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
        is_all |= facts.is_exact and not facts.has_gaps
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
    wide = widen_family(family, facts.schema)
    if wide is None:
        return 0, []
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
    return cells.counts.size, smallest


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


def _group_items(facts: Facts) -> dict[Codes, ByGroup]:
    """Return the items with which each listed itemset is listed too."""
    groups: defaultdict[int, list[Codes]] = defaultdict(list)
    for group in facts.schema:
        for item in group:
            groups[item].append(group)
    items: defaultdict[Codes, defaultdict[Codes, list[int]]] = defaultdict(lambda: defaultdict(list))
    for itemset in facts.listed:
        if facts.excludes(itemset):
            continue
        for item in sorted(itemset):
            base = itemset - {item}
            for group in groups[item] or [frozenset([item])] if base in facts.listed else ():
                items[base][group].append(item)
    return dict(items)


def _listed_with(facts: Facts, base: Codes, values: list[int], others: list[int]) -> list[int]:
    """Return the values whose supports with each of the others are listed, or known to be 0."""
    return [
        value
        for value in values
        if value not in others
        and all(base | {value, other} in facts.listed or facts.excludes(base | {value, other}) for other in others)
    ]


def _add_up(facts: Facts, base: Codes, values: list[int], others: list[int]) -> Bounded:
    """Return how many rows hold the base, none of the values and none of the others."""
    minus = [base | {item} for item in (*values, *others)]
    plus = [base | {value, other} for value in values for other in others]
    terms = [(1, base), *((-1, one) for one in minus), *((1, one) for one in plus if not facts.excludes(one))]
    limits = [facts.listed[itemset] for _, itemset in terms]
    low = sum(times * (least if times > 0 else most) for (times, _), (least, most) in zip(terms, limits, strict=True))
    high = sum(times * (most if times > 0 else least) for (times, _), (least, most) in zip(terms, limits, strict=True))
    names = [frozenset(facts.labels[item] for item in itemset) for _, itemset in terms]
    lacked = tuple(frozenset([facts.labels[item]]) for item in sorted({*values, *others}))
    held = frozenset(facts.labels[item] for item in base)
    return Bounded(held, lacked, low, high, tuple(zip(names, limits, strict=True)), tuple(times for times, _ in terms))
