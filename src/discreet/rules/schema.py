"""Schema: items that are values of attributes exclude each other, and what is left of an attribute may be few rows.

If no row holds two of the values v, then sup(X) − Σ sup(X ∪ v) rows hold X and none of them. No two of the values are
ever frequent together, so no channel speaks of this rest: the papers' detectors do not look for it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np

from discreet import kernels
from discreet.attack.facts import Codes, Facts, Schema
from discreet.channels import as_text
from discreet.checks import Check, counted
from discreet.errors import InconsistencyError, OptionError
from discreet.labels import Itemset, Label
from discreet.patterns import Patterns
from discreet.rules.bounded import Bounded, worst_first
from discreet.rules.rule import Limits
from discreet.verdict import Verdict

AT_ONCE: Final = 1 << 22
"""Supports that are held in memory at once: so many bases have their extensions looked up together."""
PAIR: Final = 2


class Rest(NamedTuple):
    """How many rows hold an itemset and none of some values of an attribute: its support less theirs."""

    base: Codes
    values: tuple[int, ...]
    limits: Limits


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


def judged_schema(patterns: Patterns, k: int, schema: str | Schema) -> tuple[Check, tuple[Bounded, ...]]:
    """Return a check of what patterns tell to whoever knows which items exclude each other, and the rests of few rows.

    >>> said = [([], 90), (["f"], 40), (["m"], 48)]
    >>> check, told = judged_schema(Patterns.from_itemsets(said, n=90), 5, [["f", "m"]])
    >>> check.verdict.name, str(told[0]), told[0].explain()
    ('WITHHOLD', '¬f ∧ ¬m: 2 rows', 'sup(∅) 90 − sup(f) 40 − sup(m) 48 = 2')
    """
    try:
        facts = Facts.of(patterns, complete=False, schema=as_groups(schema, patterns.labels))
    except InconsistencyError:
        return Check("schema", Verdict.WITHHOLD, 0, "The supports contradict each other, so nothing follows."), ()
    found = rests(facts, k)
    wrong = contradiction(facts, found)
    if wrong is not None:
        return excluded(wrong), ()
    if found:
        sentence = f"{counted(len(found), 'rest')} of attributes: each tells of fewer than {k} rows without its values."
        return Check("schema", Verdict.WITHHOLD, len(found), sentence), tuple(told_by(facts, found))
    sentence = f"No attribute of {len(facts.schema):,} leaves a rest of fewer than {k} rows."
    return Check("schema", Verdict.RELEASE, 0, sentence), ()


def excluded(itemset: Itemset) -> Check:
    """Say that rows hold several values of one attribute."""
    sentence = f"Rows with {as_text(itemset)} hold several items of which the schema says that no row holds two."
    return Check("schema", Verdict.WITHHOLD, 1, sentence)


def contradiction(facts: Facts, found: Iterable[Rest]) -> Itemset | None:
    """Return an itemset of whose rows fewer than none are left, if there is one: some hold several values.

    >>> said = [(["x"], 9, 9), (["x", "f"], 5, 5), (["x", "m"], 5, 5)]
    >>> facts = Facts.from_limits(said, n=90, schema=[["f", "m"]])
    >>> contradiction(facts, rests(facts, 5)) == {"x"}
    True
    """
    below = next((rest.base for rest in found if rest.limits[1] < 0), None)
    return None if below is None else frozenset(facts.labels[item] for item in below)


def rests(facts: Facts, k: int) -> list[Rest]:
    """Return the rests of attributes with several values beside an itemset: those of 1 to k − 1 rows, and below 0.

    >>> said = [(["x"], 50, 50), (["x", "sex=f"], 20, 20), (["x", "sex=m"], 28, 28)]
    >>> facts = Facts.from_limits(said, n=90, schema=[["sex=f", "sex=m"]])
    >>> [rest.limits for rest in rests(facts, 5)]
    [(2, 2)]
    """
    every = _inherited(facts) if facts.inherited else _listed(facts)
    return [rest for rest in every if rest.limits[1] < 0 or (rest.limits[0] > 0 and rest.limits[1] < k)]


def told_by(facts: Facts, found: Iterable[Rest]) -> list[Bounded]:
    """Return rests in words, the fewest rows and items first."""
    return worst_first(_told(facts, rest) for rest in found)


def _told(facts: Facts, rest: Rest) -> Bounded:
    names = {item: facts.labels[item] for item in rest.base.union(rest.values)}
    base = frozenset(names[item] for item in rest.base)
    values = [frozenset([names[value]]) for value in rest.values]
    terms = [(base, facts.limits(rest.base))]
    terms += [(base | name, facts.limits(rest.base | {value})) for name, value in zip(values, rest.values, strict=True)]
    return Bounded(base, tuple(values), *rest.limits, tuple(terms))


def _listed(facts: Facts) -> Iterator[Rest]:
    """Yield the rests of which every support is listed."""
    listed = facts.listed
    values: defaultdict[tuple[Codes, Codes], list[int]] = defaultdict(list)
    groups = defaultdict(list)
    for group in facts.schema:
        for item in group:
            groups[item].append(group)
    for itemset in listed:
        for item in itemset:
            base = itemset - {item}
            for group in groups[item] if base in listed else ():
                if not group & base:
                    values[base, group].append(item)
    for (base, _), found in values.items():
        if len(found) > 1:
            low, high = listed[base]
            limits = [listed[base | {value}] for value in found]
            rest = (low - sum(most for _, most in limits), high - sum(least for least, _ in limits))
            yield Rest(base, tuple(sorted(found)), rest)


def _inherited(facts: Facts) -> Iterator[Rest]:
    """Yield the rests of a list from which all supports below it follow; of closed itemsets as base, which suffice.

    A base that is not closed has the rests of its closure: the same rows hold both.
    """
    many = max(1, len(facts.labels))
    trie = kernels.lattice.plant(facts.offsets, facts.items)
    step = max(1, AT_ONCE // many)
    for start in range(0, len(facts), step):
        stop = min(len(facts), start + step)
        best = np.zeros((stop - start, many), dtype=np.int64)
        kernels.intervals.extensions(trie, facts.offsets, facts.items, facts.low, many, start, stop, best)
        for group in facts.schema:
            codes = np.array(sorted(group))
            found = best[:, codes]
            left = facts.low[start:stop] - found.sum(axis=1)
            for at in np.flatnonzero(((found > 0).sum(axis=1) > 1) & (left != 0)).tolist():
                values = tuple(codes[found[at] > 0].tolist())
                yield Rest(facts.itemset(start + at), values, (int(left[at]), int(left[at])))
