"""Findings: the groups of few rows that a candidate gives away, each with its count and the sum that reveals it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import numpy as np

from discreet.data.counts import Counts
from discreet.data.itemsets import Itemset, Itemsets, Label, sort_labels
from discreet.data.lattice import add_root
from discreet.data.patterns import Patterns
from discreet.data.records import Records
from discreet.disclosure.attacks.facts import Facts, Limits
from discreet.disclosure.attacks.joint_releases import match_items
from discreet.disclosure.beliefs.result import Belief
from discreet.disclosure.channels import Channel, Channels, Difference, Term, as_text, format_sum
from discreet.disclosure.implications import Implication, Implications
from discreet.disclosure.people import PeopleCell, PeopleCells
from discreet.judging.policy import Check, CheckName, Policy, Verdict
from discreet.publications.counts.revealed import Revealed
from discreet.publications.rules.bounded import Bounded
from discreet.publications.rules.intervals import format_limits
from discreet.publications.rules.rule import Rules
from discreet.publications.series import Change, Changes
from discreet.publications.trees.leaves import Few, Forest
from discreet.runtime import html

Candidate: TypeAlias = Patterns | Rules | Facts | Forest | Counts  # what would be published
FindingValue: TypeAlias = Channel | Difference | Implication | Bounded | Change | Few | Revealed
NO_ITEMSETS: Final = Itemsets(np.zeros(1, np.int64), np.zeros(0, np.int32))
NO_PATTERNS: Final = Patterns(NO_ITEMSETS, np.zeros(0, np.int64), (), 0, 1, "frequent")
"""Where no support is known exactly. It is built without kernels, so that no import loads them."""


@dataclass(frozen=True, slots=True)
class Who:
    """The rows that a finding is about: they have all items of ``has`` and lack an item of each itemset of ``lacks``.

    In a tree, they meet the ``conditions`` and have the ``outcome``.

    >>> print(Who(frozenset("ab"), (frozenset("c"),)))
    a and b, but not c
    """

    has: Itemset = frozenset()
    lacks: tuple[Itemset, ...] = ()
    conditions: tuple[str, ...] = ()
    outcome: str = ""

    def in_words(self, name: Callable[[Label], str] = html.show_label) -> str:
        """Return who they are, with ``name`` to write an item; empty if they are everyone.

        >>> Who(frozenset(), (frozenset("c"), frozenset("d"))).in_words(), Who(lacks=(frozenset("cd"),)).in_words()
        ('neither c nor d', 'not both c and d')
        """
        if self.conditions or self.outcome:
            return ", ".join(filter(None, (" and ".join(self.conditions), self.outcome)))
        held, *lacked = ([name(label) for label in sort_labels(one)] for one in (self.has, *self.lacks))
        return ", but ".join(filter(None, (join_names(held), _lacking(lacked, "not " if held else "no "))))

    __str__ = in_words


Facets: TypeAlias = tuple[Who, int, int, Callable[[], list[Term]]]
"""Who they are, the fewest and the most rows they can be, and a function that returns the sum."""


@dataclass(frozen=True, slots=True, repr=False)
class AuditFinding:
    """A group of few rows that a candidate gives away: ``who`` they are, and from ``low`` to ``high`` how many.

    ``kind`` is its name in tables, ``value`` is the channel, difference, leaf … itself, and ``check`` found it.
    """

    kind: str
    value: FindingValue
    check: Check
    who: Who
    low: int
    high: int
    add_up: Callable[[], list[Term]] = field(default=list, compare=False)

    @property
    def severity(self) -> Verdict:
        """How bad it is: the verdict of the check that found it."""
        return self.check.verdict

    @property
    def count(self) -> int | None:
        """How many rows they are, or people if these are counted, if that is known exactly."""
        return self.low if self.low == self.high else None

    @property
    def terms(self) -> list[Term]:
        """The published supports whose sum reveals it; of a change, those that are published now."""
        return self.add_up()

    @property
    def limited_terms(self) -> list[tuple[Term, Limits]]:
        """The terms, each with the limits of its support."""
        if isinstance(self.value, Bounded):
            return list(zip(self.terms, (limits for _, limits in self.value.terms), strict=True))
        return [(term, (term.support, term.support)) for term in self.terms]

    def explain(self) -> str:
        """Return the sum that reveals it, such as ``sup(ab) 50 − sup(abc) 48 = 2``."""
        if isinstance(self.value, Change):
            return f"{self.value.after:,} now − {self.value.before:,} before = {self.value.count:,}"
        if isinstance(self.value, Few):
            return str(self.value)
        if isinstance(self.value, Revealed):
            return self.value.sentence
        terms = self.limited_terms
        texts = [f"sup({as_text(term.itemset)}) {format_limits(*limits)}" for term, limits in terms]
        total = self.value.size if isinstance(self.value, PeopleCell) else format_limits(self.low, self.high)
        return f"{format_sum([term for term, _ in terms], texts)} = {total}"

    def __str__(self) -> str:
        return str(self.value)

    def __repr__(self) -> str:
        return f"<{self.kind}: {self}>"


class AuditFindings(Records, tuple[AuditFinding, ...]):
    """The findings of an audit, by kind, the worst of each kind first."""

    __slots__ = ()
    _types = MappingProxyType(
        {"kind": str, "severity": str, "who": str, "base": list, "lacked": list, "low": int, "high": int}
    )

    def _records(self) -> Iterator[tuple[Any, ...]]:
        for one in self:
            base, lacked = one.who.has, frozenset[Label]().union(*one.who.lacks)
            itemsets = (list(sort_labels(itemset)) for itemset in (base, lacked))
            yield one.kind, one.severity.name, one.who.in_words(), *itemsets, one.low, one.high


@dataclass(frozen=True)
class FindingGroup:
    """The findings of one ``kind``, the worst first; each is made when it is asked for.

    ``values`` may be cut short: ``total`` is how many there are.
    """

    kind: str
    check: Check
    values: Channels | Implications | Changes | Sequence[FindingValue]
    make: Callable[[Any], Facets]

    @property
    def total(self) -> int:
        """How many findings there are, listed or not."""
        return self.values.small if isinstance(self.values, Changes) else max(self.check.found, len(self.values))

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[AuditFinding]:
        return self.worst(None)

    def worst(self, most: int | None) -> Iterator[AuditFinding]:
        """Yield the first findings, those of the fewest rows and items."""
        return self.take(range(len(self))[:most])

    def take(self, places: Iterable[int]) -> Iterator[AuditFinding]:
        """Yield findings by their places, where the worst is at 0."""
        values, order = self.values, self.values.ranking() if isinstance(self.values, Channels) else None
        for place in places:
            value = values[place if order is None else int(order[place])]
            yield AuditFinding(self.kind, value, self.check, *self.make(value))


@dataclass(frozen=True)
class Evidence:
    """Everything an audit found, by kind.

    ``patterns`` are the itemsets with exact supports: the candidate itself, those that rules pin down, or none.
    ``channels`` is None where they could not be looked for, ``people`` where it is not known whose rows these are, and
    ``implications`` where the policy does not ask for them. ``differences`` are of two supports, where nothing else can
    be summed up. ``remainders`` hold only if no row has two values of an attribute. ``changes`` are those since each
    older release. ``facts`` are what rules or rounded numbers say about supports (None if no rows can have these
    numbers), and ``bounded`` the small sums of them. ``leaves`` are those of trees with few rows. ``cells`` are small
    counts that can be worked out from tables, and ``shown`` those that tables show. ``belief`` is how sure a reader may
    be of small groups, where the policy bounds that.
    """

    patterns: Patterns
    channels: Channels | None = None
    implications: Implications | None = None
    differences: tuple[Difference, ...] = ()
    remainders: tuple[Bounded, ...] = ()
    changes: tuple[Changes, ...] = ()
    facts: Facts | None = None
    bounded: tuple[Bounded, ...] = ()
    leaves: tuple[Few, ...] = ()
    people: PeopleCells | None = None
    cells: tuple[Revealed, ...] = ()
    shown: tuple[Revealed, ...] = ()
    belief: Belief | None = None

    def groups(self, checks: Iterable[Check]) -> Iterator[FindingGroup]:
        """Yield the findings of each kind with the check that found them."""
        by_name = {check.name: check for check in checks}
        trees = CheckName.SEVERAL_TREES if CheckName.SEVERAL_TREES in by_name else CheckName.LOW_COUNTS
        every: list[tuple[str, CheckName, Any, Callable[[Any], Facets]]] = [
            ("channel", CheckName.CHANNELS, self.channels, self._of_cell),
            ("difference", CheckName.DIFFERENCES, self.differences, self._of_cell),
            ("people", CheckName.PEOPLE, self.people, self._of_cell),
            ("implication", CheckName.CLASS_DISCLOSURE, self.implications, self._of_implication),
            ("remainder", CheckName.SCHEMA, self.remainders, _of_bounded),
            ("bounds", CheckName.BOUNDS, self.bounded, _of_bounded),
            *(("change", CheckName.DIFFERENCING, one, partial(self._of_change, one)) for one in self.changes),
            ("leaf", trees, self.leaves, _of_leaf),
            ("cell", CheckName.CELLS, self.cells, _of_count),
            ("count", CheckName.LOW_COUNTS, self.shown, _of_count),
        ]
        return (
            FindingGroup(kind, by_name[name], values, make)
            for kind, name, values, make in every
            if values is not None and len(values)
        )

    @cached_property
    def listed(self) -> Patterns:
        """The patterns with the empty itemset, whose support is n."""
        return add_root(self.patterns)

    def _of_cell(self, cell: Channel | Difference) -> Facets:
        return Who(cell.base, cell.lacked), cell.count, cell.count, lambda: cell.terms(self.listed)

    def _of_implication(self, one: Implication) -> Facets:
        def add_up() -> list[Term]:
            support = support_of(one.base, self.patterns)
            return [Term(1, one.base, support), Term(-1, one.base | {one.item}, support)]

        return Who(one.base, (frozenset([one.item]),)), 0, 0, add_up

    def _of_change(self, changes: Changes, change: Change) -> Facets:
        who, many = Who(change.base, change.lacked), abs(change.count)
        return who, many, many, lambda: find_terms(change, changes, self.patterns, change.after)


AuditParts: TypeAlias = tuple[Candidate, str, Policy, tuple[Check, ...], Evidence]  # the fields of an audit of no rows


def _of_bounded(one: Bounded) -> Facets:
    return Who(one.base, one.lacked), one.low, one.high, lambda: one.sum


def _of_leaf(few: Few) -> Facets:
    return Who(conditions=few.path, outcome=few.outcome), few.low, few.high, list


def _of_count(one: Revealed) -> Facets:
    return Who(conditions=(one.who,)), one.low, one.high, list


def find_terms(change: Change, changes: Changes, release: Patterns, count: int) -> list[Term]:
    """Return the supports of a release whose sum is its ``count`` of the rows of a change; none if that is 0."""
    if not count:
        return []
    # One format writes 7 where another writes "7".
    base, top = (frozenset(match_items([*one], release.labels).values()) for one in (change.base, change.top))
    if not top:
        return [Term(1, top, release.n)]
    return Channel(base, top, count).terms(release) if changes.is_whole else [Term(1, base, release[base])]


def support_of(itemset: Itemset, patterns: Patterns) -> int:
    """Return the support of an itemset: the largest of a listed one that holds it."""
    place = {label: code for code, label in enumerate(patterns.labels)}
    holds = patterns.itemsets.contain(place[label] for label in itemset)
    return int(patterns.supports[holds].max(initial=0))


def join_names(names: list[str], last: str = "and") -> str:
    """Return names as a sentence lists them, the first of many; ``last`` stands before the last.

    >>> join_names(["a", "b", "c"]), join_names(["a", "b", "c"], "or")
    ('a, b and c', 'a, b or c')
    """
    if len(names) > html.MOST_LABELS:
        names = [*names[: html.MOST_LABELS], f"{len(names) - html.MOST_LABELS:,} more"]
    return f" {last} ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _lacking(lacked: Sequence[list[str]], no: str) -> str:
    """Say that not all names of a list are had; of several lists, that none is had in full."""
    match [join_names(names) for names in lacked]:
        case []:
            return ""
        case [one]:
            return (no, "not both ", "not all of ")[min(len(lacked[0]), 3) - 1] + one
        case [one, two]:
            return f"neither {one} nor {two}"
        case several:
            return f"none of {join_names(several, 'or')}"
