"""Findings: everything that an audit found, of whatever kind, in one list; and each explained."""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from discreet import Audit, Channels, InputError
from discreet import report as reports
from discreet.blocking.advise import find_causes
from discreet.judging.finding import AuditFinding, FindingGroup
from discreet.web.context import Context
from discreet.web.handlers.judging import Rule, judge
from discreet.web.messages import call_people, cut_sum, show_itemset, show_labels

TITLES: Final = {
    "channel": "differences of counts",
    "difference": "differences of two counts",
    "people": "groups of few people",
    "implication": "certainties",
    "remainder": "remainders of columns",
    "bounds": "sums within limits",
    "change": "changes since an older release",
    "leaf": "leaves of few people",
    "cell": "masked counts that can be worked out",
    "count": "small counts that are shown",
}
"""What pages call the findings of each kind."""
MOST_CAUSES: Final = 60
MOST_TERMS: Final = 200
LARGEST_PAGE: Final = 200
WORD: Final = re.compile(r""" "([^"]+)" | '([^']+)' | ([^\s"']+) """, re.VERBOSE)


class Numbered(NamedTuple):
    """A group of findings, and the number of its first one in the list of all."""

    first: int
    group: FindingGroup


def findings(
    context: Context, *, search: str = "", kind: str = "", offset: int = 0, limit: int = 25, **rule: Unpack[Rule]
) -> dict[str, Any]:
    """List a page of findings, by kind and the worst first; and what they are about, as groups to choose from."""
    judged = judge(context, rule)
    words, chosen = split_words(search), [one for one in _number(judged) if kind in {"", one.group.kind}]
    found = [(one, _match(one.group, words)) for one in chosen]
    page, left = list[dict[str, Any]](), slice(offset, offset + min(limit, LARGEST_PAGE))
    for one, places in found:
        shown = places[left].tolist()
        page += [
            _describe(one.first + place, finding) for place, finding in zip(shown, one.group.take(shown), strict=True)
        ]
        left = slice(max(0, left.start - places.size), max(0, left.stop - places.size))
    items, attributes = find_causes(judged)
    causes = sorted(attributes or items, key=lambda cause: -cause.findings)
    return {
        "total": sum(len(one.group) for one in _number(judged)),
        "found": sum(one.group.total for one in _number(judged)),
        "matching": sum(places.size for _, places in found),
        "kinds": [
            {"kind": one.group.kind, "title": TITLES[one.group.kind], "total": one.group.total}
            for one in _number(judged)
        ],
        "of_columns": bool(attributes),
        "causes": [
            {"name": show_labels([cause.name])[0], "findings": cause.findings} for cause in causes[:MOST_CAUSES]
        ],
        "findings": page,
    }


def explain(context: Context, *, number: int, noun: str = "", **rule: Unpack[Rule]) -> dict[str, Any]:
    """Explain a finding in words, as a sum and as a picture; ``noun`` is what a row is called."""
    judged = judge(context, rule)
    for first, group in _number(judged):
        if first <= number < first + len(group):
            [finding] = group.take([number - first])
            terms = finding.terms
            return {
                "number": number,
                **show_finding(reports.explain_finding(finding, judged), noun),
                "terms": [
                    {"times": term.times, "items": show_itemset(term.itemset), "support": term.support}
                    for term in terms[:MOST_TERMS]
                ],
                "more": len(terms) > MOST_TERMS,
            }
    raise InputError(f"there is no finding {number}; ask for the list again")


def show_finding(one: reports.Decisive, noun: str) -> dict[str, Any]:
    """Return a finding as JSON, in the words of the owner."""
    facts = one.facts
    numbers = [{**part, "words": call_people(part["words"], noun)} for part in facts["numbers"]]
    return {**facts, "words": call_people(facts["words"], noun), "numbers": numbers}


def split_words(search: str) -> list[str]:
    """Return the words of a search: separated by commas, or else by blanks outside of quotes.

    >>> split_words("Diabetes type 2, insulin"), split_words("'type 2' insulin"), split_words("  ")
    (['diabetes type 2', 'insulin'], ['type 2', 'insulin'], [])
    """
    if "," in search:
        return [part.strip().strip("'\"").casefold() for part in search.split(",") if part.strip()]
    return ["".join(match.groups(default="")).casefold() for match in WORD.finditer(search)]


def _number(judged: Audit) -> Iterator[Numbered]:
    first = 0
    for group in judged.groups:
        yield Numbered(first, group)
        first += len(group)


def _match(group: FindingGroup, words: list[str]) -> NDArray[np.int64]:
    """Return the places of the findings that name every word, the worst first."""
    if not words:
        return np.arange(len(group))
    if isinstance(group.values, Channels):
        return np.flatnonzero(_match_channels(group.values, words)[group.values.ranking()])
    named = (_list_names(finding) for finding in group)
    return np.flatnonzero([all(any(word in name for name in names) for word in words) for names in named])


def _match_channels(channels: Channels, words: list[str]) -> NDArray[np.bool_]:
    """Return for each channel whether each word is part of a label in its top."""
    labels = [str(label).casefold() for label in channels.labels]
    tops = np.ones(len(channels.tops), dtype=np.bool_)
    for word in words:
        wanted = np.array([word in label for label in labels], dtype=np.bool_)
        tops &= channels.tops.add_up(wanted[channels.tops.items]) > 0
    return tops[channels.cells.tops] if len(channels) else np.zeros(0, dtype=np.bool_)


def _list_names(finding: AuditFinding) -> list[str]:
    """Return the labels and conditions that a finding names, without the words between them."""
    who = finding.who
    return [str(label).casefold() for label in (*who.has.union(*who.lacks), *who.conditions, who.outcome)]


def _describe(number: int, finding: AuditFinding) -> dict[str, Any]:
    who = finding.who
    return {
        "number": number,
        "kind": finding.kind,
        "title": TITLES[finding.kind],
        "verdict": finding.severity.name,
        "who": who.in_words(),
        "has": show_itemset(who.has),
        "lacks": [show_itemset(one) for one in who.lacks],
        "conditions": show_labels([*who.conditions, *filter(None, [who.outcome])]),
        "low": finding.low,
        "high": finding.high,
        "sum": cut_sum(finding.explain()) if finding.kind in {"cell", "count"} else None,
    }
