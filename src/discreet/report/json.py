"""Audits, channels and trade-offs as JSON: keys in a fixed order, one finding per line; never a row or its id."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from numbers import Integral
from typing import TypeAlias, cast

from discreet import __version__
from discreet.data.counts import Counts
from discreet.data.itemsets import Label, sort_labels
from discreet.data.patterns import Patterns
from discreet.disclosure.channels import Channel, Channels, Difference, Term
from discreet.disclosure.implications import Implications
from discreet.disclosure.people import PeopleCells
from discreet.io.notation import encode_lines, iterate_codes
from discreet.judging.audit import Audit
from discreet.judging.tradeoff import Tradeoff
from discreet.publications.rules.bounded import Bounded
from discreet.publications.series import Changes
from discreet.publications.trees.leaves import Forest
from discreet.report.findings import Source
from discreet.report.text import ranks


def audit_json(
    audit: Audit, *, explain: int = 3, source: Source | None = None, against: Sequence[Source] = ()
) -> Iterator[bytes]:
    """Yield an audit of any candidate as JSON: all findings, and the sums of the ``explain`` worst of each kind.

    ``against`` are the files of the older releases that it was compared with, if they are known.
    JSON has the number of exposed rows, never which rows.
    """
    kinds = {Patterns: _describe_patterns, Forest: _describe_forest, Counts: _describe_counts}
    describe = kinds.get(type(audit.candidate), _describe_facts)
    facts, lists = describe(audit, explain, against)
    head = {
        "verdict": audit.verdict.name,
        "policy": audit.policy.facts(),
        "k": audit.policy.k,
        "what": audit.what,
        "input": source._asdict() if source else None,
        **({} if audit.reading is None else {"reading": audit.reading.facts()}),
        **facts,
    }
    checks = (encoded({**check._asdict(), "verdict": check.verdict.name}) for check in audit.checks)
    report = "tree audit" if isinstance(audit.candidate, Forest) else "audit"
    yield from document(report, head, {"checks": checks, **lists})


Described: TypeAlias = tuple[dict[str, object], dict[str, Iterator[str] | None]]  # facts, and lists of findings


def _describe_patterns(audit: Audit, explain: int, against: Sequence[Source]) -> Described:
    patterns, exposed = audit.patterns, audit.exposed_if_known
    histogram = [{"count": count, "rows": rows} for count, rows in (() if exposed is None else exposed.histogram())]
    facts: dict[str, object] = {
        "n": patterns.n,
        "min_support": patterns.min_support,
        "kind": patterns.kind,
        "max_length": patterns.max_length,
        "itemsets": len(patterns),
        **({"against": [one._asdict() for one in against]} if against else {}),
        "with_rows": audit.rows is not None,
        "is_acyclic": audit.is_acyclic,
        "exposed": None if exposed is None else {"rows": exposed.rows, "smallest": histogram},
        "warnings": audit.warnings,
        **_believed(audit),
    }
    return facts, {
        "channels": None
        if audit.evidence.channels is None
        else channels_of(audit.evidence.channels, patterns, explain),
        "implications": None if audit.implications is None else _implications(audit.implications),
        "differences": _objects(audit.differences, patterns, explain),
        **({} if audit.people is None else {"people": channels_of(audit.people, patterns, explain)}),
        **({"changes": _changes(audit.changes)} if audit.changes else {}),
        **({"rests": _bounded(audit.evidence.remainders)} if audit.evidence.remainders else {}),
    }


def _describe_facts(audit: Audit, explain: int, _: Sequence[Source]) -> Described:
    channels = (
        None if audit.evidence.channels is None else channels_of(audit.evidence.channels, audit.patterns, explain)
    )
    lists = {"channels": channels, "findings": _bounded(audit.evidence.bounded)}
    return {"with_rows": audit.rows is not None, **_believed(audit)}, lists


def _believed(audit: Audit) -> dict[str, object]:
    return {} if audit.evidence.belief is None else {"belief": audit.evidence.belief.facts()}


def _describe_forest(audit: Audit, _: int, __: Sequence[Source]) -> Described:
    forest = cast("Forest", audit.candidate)
    keys = "path", "outcome", "low", "high"
    findings = (
        encoded({key: getattr(few, key) for key in keys} | {"trees": few.trees or None})
        for few in audit.evidence.leaves
    )
    return {"trees": len(forest), "leaves": forest.size}, {"findings": findings}


def _describe_counts(audit: Audit, _: int, __: Sequence[Source]) -> Described:
    counts = cast("Counts", audit.candidate)
    every = (*audit.evidence.cells, *audit.evidence.shown)
    findings = (
        encoded(
            {
                "kind": one.kind,
                "counted": one.counted,
                "values": [key.said for key in one.keys],
                "low": one.low,
                "high": one.high,
                "sum": list(dict.fromkeys(one.explain())),
            }
        )
        for one in every
    )
    return {"tables": len(counts.tables), "cells": len(counts)}, {"findings": findings}


def channels_json(
    channels: Channels, patterns: Patterns, *, every: Iterable[Channel] | None = None, source: Source | None = None
) -> Iterator[bytes]:
    r"""Yield channels as JSON: the maximal ones, or ``every`` one if these are given.

    >>> from discreet import detect, mine
    >>> patterns = mine([["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50, min_support=10)
    >>> text = b"".join(channels_json(detect(patterns, k=10), patterns)).decode()
    >>> [line for line in text.splitlines() if "base" in line]
    ['    {"base": ["a", "b"], "top": ["a", "b", "c"], "count": 2}']
    """
    head = {
        "k": channels.k,
        "n": patterns.n,
        "min_support": patterns.min_support,
        "kind": patterns.kind,
        "max_length": patterns.max_length,
        "itemsets": len(patterns),
        "input": source._asdict() if source else None,
        "all": every is not None,
    }
    entries = channels_of(channels, patterns, 0) if every is None else _objects(every, patterns)
    yield from document("channels", head, {"channels": entries})


def tradeoff_json(tradeoff: Tradeoff, *, source: Source | None = None) -> Iterator[bytes]:
    """Yield a trade-off as JSON: a line for each minimum support, in the order of ``min_supports``."""
    head = {
        "n": tradeoff.n,
        "input": source._asdict() if source else None,
        "min_supports": tradeoff.min_supports,
        "ks": tradeoff.ks,
        "itemsets": tradeoff.itemsets.tolist(),
        "max_length": tradeoff.max_length,
        **({} if tradeoff.counted == "rows" else {"counted": tradeoff.counted}),
        **({"not_counted": tradeoff.caveat} if tradeoff.caveat else {}),
    }
    lists = {
        "channels": map(encoded, tradeoff.channels.tolist()),
        "exposed": map(encoded, tradeoff.exposed.tolist()),
        "safe": (encoded({"k": k, "min_support": safe}) for k, safe in tradeoff.safe.items()),
    }
    yield from document("tradeoff", head, lists)


def document(report: str, head: Mapping[str, object], lists: Mapping[str, Iterable[str] | None]) -> Iterator[bytes]:
    """Yield a report as a JSON object: values that take a line each, then lists with an entry per line."""
    values = {"discreet": __version__, "report": report, **head}
    body = (f"  {encoded(key)}: {encoded(value)}," for key, value in values.items())
    yield from encode_lines(chain(["{"], body, _show_lists(lists), ["}"]))


def _show_lists(lists: Mapping[str, Iterable[str] | None]) -> Iterator[str]:
    for number, (key, entries) in enumerate(lists.items(), start=1):
        comma = "," * (number < len(lists))
        if entries is None:
            yield f"  {encoded(key)}: null{comma}"
        else:
            yield f"  {encoded(key)}: ["
            pairs = pairwise(chain(entries, [None]))
            yield from (f"    {entry}{',' * (after is not None)}" for entry, after in pairs)
            yield f"  ]{comma}"


def channels_of(channels: Channels, patterns: Patterns, explain: int) -> Iterator[str]:
    """Yield each maximal channel, or group of few people, from the arrays: there may be hundreds of thousands."""
    names = Names(channels.labels)
    sums = {at: _sum(channels[at].terms(patterns)) for at in channels.ranking()[:explain].tolist()}
    tops = [names.of(top) for top in iterate_codes(channels.tops)]
    bases = map(names.of, iterate_codes(channels.cells.bases))
    counts = zip(bases, channels.cells.tops.tolist(), channels.cells.counts.tolist(), strict=True)
    rows = [f', "rows": {size}' for size in channels.sizes.tolist()] if isinstance(channels, PeopleCells) else None
    for number, (base, top, count) in enumerate(counts):
        more = f"{'' if rows is None else rows[number]}{sums.get(number, '')}"
        yield f'{{"base": {base}, "top": {tops[top]}, "count": {count}{more}}}'


def _objects(found: Iterable[Channel | Difference], patterns: Patterns, explain: int = 0) -> Iterator[str]:
    """Yield channels or differences one by one; the first of them with their sums."""
    for number, one in enumerate(found):
        total = _sum(one.terms(patterns)) if number < explain else ""
        yield f'{{"base": {_labels(one.base)}, "top": {_labels(one.top)}, "count": {one.count}{total}}}'


def _changes(since: Sequence[Changes]) -> Iterator[str]:
    """Yield the small changes since each older release, or since several together; the releases count from 1."""
    for changes in since:
        numbers = encoded(changes.numbers)
        for change in changes:
            cell = f'"base": {_labels(change.base)}, "top": {_labels(change.top)}'
            counts = f'"count": {change.count}, "before": {change.before}, "after": {change.after}'
            yield f'{{"releases": {numbers}, {cell}, {counts}}}'


def _bounded(found: Iterable[Bounded]) -> Iterator[str]:
    """Yield findings within limits: which rows, from how many to how many, and the supports that tell so."""
    for one in found:
        lacked = ", ".join(sorted(map(_labels, one.lacked)))
        terms = ", ".join(
            f'{{"times": {term.times}, "items": {_labels(itemset)}, "low": {low}, "high": {high}}}'
            for term, (itemset, (low, high)) in zip(one.sum, one.terms, strict=True)
        )
        limits = f'"low": {one.low}, "high": {one.high}'
        yield f'{{"base": {_labels(one.base)}, "lacked": [{lacked}], {limits}, "sum": [{terms}]}}'


def _implications(implications: Implications) -> Iterator[str]:
    names = Names(implications.labels)
    bases = map(names.of, iterate_codes(implications.bases))
    for base, item in zip(bases, implications.items.tolist(), strict=True):
        yield f'{{"base": {base}, "item": {names.texts[item]}}}'


def _sum(terms: Iterable[Term]) -> str:
    shown = ((term.times, _labels(term.itemset), term.support) for term in terms)
    texts = (f'{{"times": {times}, "items": {items}, "support": {support}}}' for times, items, support in shown)
    return f', "sum": [{", ".join(texts)}]'


class Names:
    """Codes as JSON: their labels.

    >>> Names(["milk", "beer"]).of([0, 1])
    '["beer", "milk"]'
    """

    def __init__(self, labels: Sequence[Label]) -> None:
        """Write each label once."""
        self.texts = [_label(label) for label in labels]
        self.ranks = ranks(labels)

    def of(self, codes: Iterable[int]) -> str:
        """Return an itemset as a list in the order of its labels."""
        return f"[{', '.join([self.texts[code] for code in sorted(codes, key=self.ranks.__getitem__)])}]"


def _labels(labels: Iterable[Label]) -> str:
    return f"[{', '.join(map(_label, sort_labels(labels)))}]"


def _label(label: Label) -> str:
    """Return a label as JSON: text, or a whole number; any other by its text.

    >>> print(_label("tea"), _label(7), _label(("age", 40)), _label(True))
    "tea" 7 "('age', 40)" "True"
    """
    if isinstance(label, Integral) and not isinstance(label, bool):
        return str(int(label))
    text = str(label)
    # Half a pair of surrogates is no UTF-8: only escaped can it be written.
    return json.dumps(text, ensure_ascii=any("\ud800" <= letter <= "\udfff" for letter in text))


def encoded(value: object) -> str:
    """Return any value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False)
