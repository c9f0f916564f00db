"""Releases: what two of them tell together, and each alone."""

from collections.abc import Hashable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import discreet
from discreet import Audit, Counts, InputError, Patterns
from discreet.data.counts import State, name_values
from discreet.publications.counts.revealed import Revealed
from discreet.publications.series import Change
from discreet.report import decisive, printable
from discreet.web.context import Context, list_files
from discreet.web.handlers.findings import split_words
from discreet.web.handlers.judging import describe_verdict
from discreet.web.messages import show_itemset, show_labels
from discreet.web.releases import Published, read_release

MOST_FINDINGS: Final = 200
LONGEST_SUM: Final = 2_000


class Compared(NamedTuple):
    """A newer release and an older one, judged together and each alone."""

    newer: Published
    older: Published
    together: Audit
    newer_alone: Audit
    older_alone: Audit


def compare_releases(
    context: Context,
    newer: Mapping[str, Any],
    older: Mapping[str, Any],
    *,
    k: int,
    grown: bool = False,
    search: str = "",
) -> dict[str, Any]:
    """Judge a release together with an older one, and each alone; list the differences that reveal few people.

    With ``search``, only those are listed that have all of its words, and no report is written.
    """
    key = ("releases", repr((newer, older)), k, grown)
    found = context.cache.get("audit", key, lambda: _compare(context, newer, older, k=k, grown=grown))
    now, before = _list_counts(found.newer.candidate), _list_counts(found.older.candidate)
    listed, words = [_describe(one, now, before) for one in _list_findings(found.together)], split_words(search)
    matching = [one for one in listed if all(word in one["text"].casefold() for word in words)]
    worst, path = decisive(found.together), context.file("report.html")
    if not words:
        context.stage("writing")
        path.write_text(found.together.to_html(source=found.newer.source, against=[found.older.source]), "utf-8")
    return {
        **describe_verdict(found.together),
        "decisive": None if worst is None else worst.facts,
        "k": k,
        "grown": grown,
        "warnings": [*found.together.warnings, *_doubt(found.newer, "newer"), *_doubt(found.older, "older")],
        "newer": {
            **describe_verdict(found.newer_alone),
            "file": found.newer.source.file,
            "what": found.newer_alone.what,
        },
        "older": {
            **describe_verdict(found.older_alone),
            "file": found.older.source.file,
            "what": found.older_alone.what,
        },
        **_count_changes(now, before),
        "total": sum(changes.small for changes in found.together.changes) or len(listed),
        "matching": len(matching),
        "findings": matching[:MOST_FINDINGS],
        "files": [] if words else list_files(path),
    }


def _compare(context: Context, newer: Mapping[str, Any], older: Mapping[str, Any], *, k: int, grown: bool) -> Compared:
    context.stage("reading")
    with TemporaryDirectory(dir=context.file("")) as place:
        new, old = read_release(newer, Path(place, "newer")), read_release(older, Path(place, "older"))
    if isinstance(new.candidate, Counts) is not isinstance(old.candidate, Counts):
        raise InputError("one of them lists patterns, the other has tables of counts; choose two of a kind")
    context.stage("comparing")
    together = discreet.audit(new.candidate, k=k, against=[old.candidate], grown=grown)
    context.stage("judging each alone")
    return Compared(new, old, together, *(discreet.audit(one.candidate, k=k) for one in (new, old)))


def _doubt(one: Published, side: str) -> Iterator[str]:
    if not one.is_exact:
        yield f"The {side} release may count changed rows: differences may show these changes instead of people."


def _list_counts(candidate: Patterns | Counts) -> dict[Hashable, int]:
    """Return the exact counts of a release, by the texts of items, or by the values of a cell."""
    if isinstance(candidate, Patterns):
        return {frozenset(map(str, itemset)): support for itemset, support in candidate}
    return {
        name_values(table.names, cell.at): cell.low
        for table in candidate.tables
        for cell in table.cells
        if cell.state is State.EXACT
    }


def _count_changes(now: Mapping[Hashable, int], before: Mapping[Hashable, int]) -> dict[str, int]:
    """Return how many counts are in both releases, how they changed, and how many are in one alone."""
    more = [now[one] - before[one] for one in now.keys() & before.keys()]
    return {
        "same": more.count(0),
        "rose": sum(each > 0 for each in more),
        "fell": sum(each < 0 for each in more),
        "only_newer": len(now) - len(more),
        "only_older": len(before) - len(more),
    }


def _list_findings(judged: Audit) -> Iterator[Change | Revealed]:
    """Yield what both releases together reveal, the worst first."""
    for changes in judged.changes:
        yield from changes
    yield from judged.evidence.cells


def _describe(one: Change | Revealed, now: Mapping[Hashable, int], before: Mapping[Hashable, int]) -> dict[str, Any]:
    """Return a finding: who it is about, how many there were and are, and from ``low`` to ``high`` the difference."""
    if isinstance(one, Change):
        base, lacked = show_itemset(one.base), show_itemset(one.top - one.base)
        who = {"text": printable(one.pattern), "base": base, "lacked": lacked}
        return {**who, "before": one.before, "now": one.after, "low": one.count, "high": one.count, "sum": None}
    values, sentence = one.keys[0].values, printable(one.sentence)
    known = {"before": before.get(values), "now": now.get(values), "low": one.low, "high": one.high}
    told = sentence if len(sentence) <= LONGEST_SUM else f"{sentence[:LONGEST_SUM]}…"
    return {"text": show_labels([f"{one.counted}: {one.who}"])[0], **known, "sum": told}
