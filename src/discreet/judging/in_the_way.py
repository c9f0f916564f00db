"""In the way: the fewest items or attributes that all findings of an audit have something of.

Without them, none of its findings is left. A finding is a set of items: an implication needs its base and its item, and
a remainder what rows hold and the values that they lack.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

import numpy as np

from discreet.data.itemsets import Itemset, Label, sort_labels
from discreet.data.leaving_out import find_attributes
from discreet.data.patterns import Patterns
from discreet.errors import Command, Message, Option
from discreet.judging.checks import ADVICE, PERSON
from discreet.judging.finding import Evidence
from discreet.judging.policy import CheckName
from discreet.runtime.solver import Program, Terms

MOST_SETS: Final = 2000  # findings up to which the fewest are sure to be found
SECONDS: Final = 1.0  # for that
MOST_NAMED: Final = 8  # items in a sentence


def advise(failed: Iterable[CheckName], evidence: Evidence, *, has_rows: bool) -> Message:
    """Return what to do about checks that failed: of implications, what to leave out."""
    said = [ADVICE[name] for name in failed if name in ADVICE]
    said += [_advise(evidence, has_rows=has_rows) for name in failed if name is CheckName.CLASS_DISCLOSURE]
    return Message(*[part for one in said or [PERSON] for part in (" ", one)][1:])


def _advise(evidence: Evidence, *, has_rows: bool) -> Message:
    """Return what to do about implications: withhold them, or leave out the fewest items that all of them need."""
    look = "Look at these groups: if they reveal more than is known of everyone, "
    withhold = ("withhold them with ", Command("block"), " and this policy, or ") if has_rows else ()
    implied = evidence.implications
    is_short = implied is not None and len(implied) <= MOST_SETS
    names = name_fewest(list_findings(replace(evidence, remainders=())) if is_short else [], evidence.patterns)
    option = Option("leave_out", tuple(map(str, names)) if 0 < len(names) <= MOST_NAMED else None)
    return Message(look, *withhold, "leave out items that they need with ", option, ".")


def list_findings(evidence: Evidence) -> list[Itemset]:
    """Return the items of each implication and of each remainder that was found."""
    implied = [] if evidence.implications is None else [one.base | {one.item} for one in evidence.implications]
    summed = [one.base.union(*one.lacked) for one in evidence.remainders]
    return list(dict.fromkeys([*implied, *summed]))


def name_fewest(findings: Sequence[Itemset], patterns: Patterns, *, attributes: bool = False) -> tuple[Label, ...]:
    """Return the fewest items, or ``attributes``, such that every finding has one; of as few, those in fewer itemsets.

    An item that is no value of an attribute stands for itself.

    >>> patterns = Patterns.from_itemsets([(["a"], 9), (["b"], 9), (["c"], 9), (["a", "c"], 8)], n=9)
    >>> name_fewest([frozenset("ab"), frozenset("bc")], patterns), name_fewest([frozenset("ab")], patterns)
    (('b',), ('b',))
    """
    named = {patterns.labels[code]: name for name, codes in find_attributes(patterns).items() for code in codes}
    names: Mapping[Label, Label] = named if attributes else {}
    hit = [frozenset(names.get(item, item) for item in finding) for finding in findings]
    entries = np.bincount(patterns.items, minlength=len(patterns.labels)).tolist()
    costs: Counter[Label] = Counter()
    for label, many in zip(patterns.labels, entries, strict=True):
        costs[names.get(label, label)] += many
    return sort_labels(_hit(hit, {name: costs[name] for name in sort_labels(chain.from_iterable(hit))}))


def _hit(sets: Sequence[frozenset[Label]], costs: Mapping[Label, int]) -> Iterable[Label]:
    """Return the fewest members that every set has one of: by the most sets each time, then exactly if they are few."""
    chosen = _hit_greedily(sets, costs)
    if not sets or len(sets) > MOST_SETS:
        return chosen
    names = list(costs)
    place = {name: at for at, name in enumerate(names)}
    program, dear = Program(), 1 + sum(costs.values())
    columns = program.add_columns(len(names), cost=[dear + costs[name] for name in names], upper=1, whole=True)
    owners = np.repeat(np.arange(len(sets)), [len(one) for one in sets])
    members = np.array([place[name] for one in sets for name in sort_labels(one)])
    program.add_rows(len(sets), Terms(owners, columns[members], np.ones(members.size)), lower=1)
    start = np.array([name in chosen for name in names], dtype=np.float64)
    values = program.solve(seconds=SECONDS, gap=0.0, start=start).values
    if values is None:
        return chosen
    found = {name for name, value in zip(names, np.round(values).tolist(), strict=True) if value}
    price = {one: sum(dear + costs[name] for name in group) for one, group in enumerate((chosen, found))}
    is_better = all(not one.isdisjoint(found) for one in sets) and price[1] < price[0]
    return found if is_better else chosen


def _hit_greedily(sets: Sequence[frozenset[Label]], costs: Mapping[Label, int]) -> set[Label]:
    """Return members that every set has one of: each time the one of the most sets, of as many that of least cost."""
    holders: defaultdict[Label, set[int]] = defaultdict(set)
    for at, members in enumerate(sets):
        for name in members:
            holders[name].add(at)
    left, chosen, rank = {*range(len(sets))}, set[Label](), {name: at for at, name in enumerate(costs)}
    while left:
        best = min(holders, key=lambda name: (-len(holders[name] & left), costs[name], rank[name]))
        chosen.add(best)
        left -= holders.pop(best)
    return chosen
