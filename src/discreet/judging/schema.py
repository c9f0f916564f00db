"""Schema: items that are values of attributes exclude each other, and what is left of an attribute may be few rows.

If no row holds two of the values v, then sup(X) − Σ sup(X ∪ v) rows hold X and none of them: a remainder. Itemsets with
two of the values have support 0, though they are never listed. With these zeros, channels are found as ever: they are
the small cells of itemsets whose every part is listed or known to be 0 (attack/wider.py). Remainders, and their
differences, are such cells or made of them.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np

from discreet.data.labels import Itemset, Label
from discreet.data.lattice import Family
from discreet.data.patterns import Patterns
from discreet.disclosure.attacks.facts import Facts, Schema
from discreet.disclosure.attacks.sums import known_family
from discreet.disclosure.attacks.wider import widened
from discreet.disclosure.channels import Channel, as_text
from discreet.errors import BudgetError, InconsistencyError, OptionError
from discreet.judging.remainders import remainders
from discreet.judging.verdict import Check, CheckName, Verdict
from discreet.publications.rules.bounded import Bounded, sort_worst
from discreet.runtime.text import count_of

LISTED: Final = 1000
"""Sums that are listed at most, those of the fewest rows first."""
MOST_KNOWN: Final = 1_000_000
"""Itemsets whose supports are exactly known, and summed up, at most."""
PAIR: Final = 2


class SchemaSums(NamedTuple):
    """What supports tell with a schema: so ``many`` sums of 1 to k − 1 rows, of which some are listed.

    If rows with the ``wrong`` itemset must hold two values of an attribute, the schema is contradicted.
    """

    many: int = 0
    listed: tuple[Bounded, ...] = ()
    wrong: Itemset | None = None


def as_groups(schema: str | Schema | None, labels: Iterable[Label]) -> list[Itemset]:
    """Return the values of each attribute that has several; text such as ``"="`` stands between both in labels.

    A label that is a pair, such as ("age", 40), is an attribute and its value whatever the text.

    >>> groups = as_groups("=", ["sex=f", "sex=m", ("age", 40), ("age", 50), "smoker"])
    >>> [sorted(group) for group in groups]
    [['sex=f', 'sex=m'], [('age', 40), ('age', 50)]]
    """
    if schema is None:
        return []
    if not isinstance(schema, str):
        return [frozenset(group) for group in schema]
    if not schema:
        raise OptionError("schema is empty; give what stands between attribute and value in labels, such as '='")
    groups: defaultdict[Label, list[Label]] = defaultdict(list)
    for label in labels:
        if isinstance(label, tuple) and len(label) == PAIR:
            groups[label[0]].append(label)
        elif isinstance(label, str) and schema in label:
            groups[label.split(schema, 1)[0]].append(label)
    several = [frozenset(group) for group in groups.values() if len(group) > 1]
    if not several:
        raise OptionError(
            f"schema is {schema[:40]!r}, but no two labels are values of one attribute by it; give what stands "
            "between attribute and value, or the groups of labels that exclude each other"
        )
    return several


def judge_schema(patterns: Patterns, k: int, schema: str | Schema) -> tuple[Check, tuple[Bounded, ...]]:
    """Return a check of what patterns tell to whoever knows which items exclude each other, and the sums that do.

    >>> said = [([], 90), (["f"], 40), (["m"], 48)]
    >>> check, sums = judge_schema(Patterns.from_itemsets(said, n=90), 5, [["f", "m"]])
    >>> check.verdict.name, str(sums[0]), sums[0].explain()
    ('WITHHOLD', '¬f ∧ ¬m: 2 rows', 'sup(∅) 90 − sup(f) 40 − sup(m) 48 = 2')
    """
    try:
        facts = Facts.of(patterns, schema=as_groups(schema, patterns.labels))
        found = find_schema_sums(facts, k)
    except InconsistencyError:
        return Check(
            CheckName.SCHEMA, Verdict.WITHHOLD, 0, "The supports contradict each other, so nothing follows."
        ), ()
    except BudgetError as error:
        return not_judged(error), ()
    if found.wrong is not None:
        return name_contradiction(found.wrong), ()
    given = "given that no row has two values of one attribute"
    if found.many:
        more = f" The {LISTED:,} smallest are listed." * (found.many > len(found.listed))
        sentence = f"{count_of(found.many, 'sum')} of supports: {given}, each tells of fewer than {k} rows.{more}"
        return Check(CheckName.SCHEMA, Verdict.WITHHOLD, found.many, sentence), found.listed
    looked = "sum" if facts.inherited else "remainder of an attribute's values, nor a difference of two,"
    sentence = f"No {looked} of supports tells of fewer than {k} rows, {given}; attributes: {len(facts.schema):,}."
    return Check(CheckName.SCHEMA, Verdict.RELEASE, 0, sentence), ()


def name_contradiction(itemset: Itemset) -> Check:
    """Say that rows hold several values of one attribute."""
    sentence = f"Rows with {as_text(itemset)} hold several items of which the schema says that no row holds two."
    return Check(CheckName.SCHEMA, Verdict.WITHHOLD, 1, sentence)


def not_judged(error: BudgetError) -> Check:
    """Say that there is more than can be looked at."""
    return Check(CheckName.SCHEMA, Verdict.WITHHOLD, 0, f"Not judged: {error}.")


def find_schema_sums(facts: Facts, k: int) -> SchemaSums:
    """Return the sums that tell of 1 to k − 1 rows to whoever knows the schema.

    Supports that are exactly known, each with all its parts, are summed up in full; of others, remainders and their
    differences are looked at. More than can be looked at is a BudgetError.

    >>> said = [(["x"], 50, 50), (["x", "sex=f"], 20, 20), (["x", "sex=m"], 28, 28)]
    >>> facts = Facts.from_limits(said, n=90, schema=[["sex=f", "sex=m"]])
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
            many, listed = _channels(family, facts, k)
        except InconsistencyError as error:
            return SchemaSums(wrong=error.itemset)
    for one in () if is_all else remainders(facts):
        if one.high < 0:
            return SchemaSums(wrong=one.base)
        if one.low > 0 and one.high < k:
            listed.append(one)
            many += 1
    return SchemaSums(many, tuple(sort_worst(listed)[:LISTED]))


def _channels(family: Family, facts: Facts, k: int) -> tuple[int, list[Bounded]]:
    """Return how many cells of wider itemsets hold 1 to k − 1 rows, and the smallest of them."""
    wide = widened(family, facts.schema)
    if wide is None:
        return 0, []
    cells, (offsets, items) = wide.cells(k), wide.top_itemsets()
    listed = Patterns(family.itemsets, family.supports, family.labels, family.n, 1, "closed")
    found = []
    for at in np.lexsort((np.diff(offsets)[cells.tops], cells.counts))[:LISTED].tolist():
        base = frozenset(cells.items[cells.offsets[at] : cells.offsets[at + 1]].tolist())
        top = frozenset(items[offsets[cells.tops[at]] : offsets[cells.tops[at] + 1]].tolist())
        names, every = (frozenset(facts.labels[item] for item in one) for one in (base, top))
        terms = Channel(names, every, int(cells.counts[at])).terms(listed)
        # A row that holds a value of an attribute lacks the others anyway.
        lacked = [frozenset([facts.labels[item]]) for item in sorted(top - base) if not facts.excludes(base | {item})]
        supports = tuple((term.itemset, (term.support, term.support)) for term in terms)
        count = int(cells.counts[at])
        found.append(Bounded(names, tuple(lacked), count, count, supports, tuple(term.times for term in terms)))
    return cells.counts.size, found
