"""A release as one HTML file: for its readers what it holds and promises, for its owner alone what it cost."""

import json
import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from discreet import __version__
from discreet.blocking.blockers import describe
from discreet.blocking.comparison import DONE, ComparedMethod, Comparison, say_method
from discreet.blocking.distortion import supports_in
from discreet.blocking.folder import verify
from discreet.blocking.release import Release
from discreet.blocking.tables.folder import is_tables
from discreet.blocking.verify import PATTERNS
from discreet.blocking.verify_result import Verification
from discreet.data.patterns import Patterns
from discreet.data.thresholds import say_count
from discreet.errors import InputError, on_command_line
from discreet.io.notation import sort_pattern_codes
from discreet.io.read import read_patterns
from discreet.judging.audit import Audit, audit
from discreet.judging.finding import join_names
from discreet.judging.policy import Verdict, make_policy
from discreet.report import release as wording
from discreet.report.figures import GONE, before_after_figure
from discreet.report.findings import Source
from discreet.report.html import page
from discreet.report.html.audit import cells_chart, name_source, policy_lines, source_lines
from discreet.report.html.lists import Listing, packed
from discreet.report.html.page import ORDERS, ROOM, Chart, List, Table, checks_of, rendered, show_verdict
from discreet.report.html.table_release import table_folder_html
from discreet.runtime import html
from discreet.runtime.html import Html
from discreet.runtime.text import count_of, printable

if TYPE_CHECKING:
    from datetime import datetime

SHOWN: Final = 100  # itemsets, or changes, in a table of the page; the list that its script unfolds has all itemsets
PRIVATE: Final = (
    "This page tells what was changed to make the release safe, and with that what was hidden. It is for the owner of "
    "the rows alone."
)
OPTIONAL: Final = dict.fromkeys(
    (
        "decisive",
        "cost",
        "how",
        "cost_sentences",
        "before_after",
        "compared",
        "compared_key",
        "recommendation",
        "verified",
        "tables",
    )
)
NOTHING: Final = "There is nothing to publish: not even the empty itemset is frequent and safe."
VERIFYING: Final = (
    "Anybody who has the release folder can check it, from its files alone, with the command `discreet verify FOLDER`.",
    "The checking program is separate from the one that made the release, and needs no rows.",
    "The command prints the fingerprint of the folder.",
    "Only a fingerprint that the publisher sent you by a different route shows that the numbers are the publisher's.",
)


def release_html(
    release: Release,
    *,
    comparison: Comparison | None = None,
    source: Source | None = None,
    private: bool = False,
    timestamp: "datetime | None" = None,
) -> str:
    """Return a release as a page of HTML that needs nothing but itself.

    It may be published with the release: it tells nothing that the patterns and what was asked for do not. With
    ``private=True`` it is for the owner of the rows, says DO NOT RELEASE, and tells what the release cost, supports
    before and after, and where the rows are from; and with a ``comparison``, what the other methods cost.

    >>> from discreet import block
    >>> release = block([["a", "b"]] * 40 + [["a"]] * 2 + [[]] * 50, min_support=10, k=10, method="suppress")
    >>> ["suppressed" in release_html(release, private=private) for private in (False, True)]
    [False, True]
    """
    found, owner = release.audit, _owner(release, comparison, source) if private else {}
    values = {**_public(wording.public_facts(release), found), **owner}
    return _page(values, found, private=PRIVATE * private, timestamp=timestamp)


def folder_html(folder: str | os.PathLike[str], *, timestamp: "datetime | None" = None) -> tuple[str, Verdict]:
    """Return a page on a release folder, made from its files alone, and the verdict: WITHHOLD if it has a fault.

    >>> from tempfile import TemporaryDirectory
    >>> from discreet import block, write_release
    >>> with TemporaryDirectory() as place:
    ...     _ = write_release(block([["a"]] * 20 + [["b"]] * 20, min_support=10, k=10), f"{place}/release")
    ...     page, verdict = folder_html(f"{place}/release")
    >>> verdict.name, "GOOD" in page
    ('RELEASE', True)
    """
    place = Path(folder)
    return _folder_page(place, verify(place), timestamp)


def readers_html(folder: str | os.PathLike[str], verified: Verification) -> str:
    """Return the page on a release folder that readers get beside it: whoever has the folder can make it again.

    What the one who verified it knows besides, such as the publisher's fingerprint, is not on the page.
    """
    found = verified._replace(notes=(), matches=None, together=())
    return _folder_page(Path(folder), found, None)[0]


def is_readers_html(page: bytes, folder: str | os.PathLike[str], verified: Verification) -> bool | None:
    """Return whether a page is the one that a release makes; None if another version of this program made it."""
    if page == readers_html(folder, verified).encode():
        return True
    facts = json.loads(Path(folder, "release.json").read_bytes())
    return False if facts["discreet"] == __version__ else None


def _folder_page(place: Path, found: Verification, timestamp: "datetime | None") -> tuple[str, Verdict]:
    if not found.is_good:
        return _page(_faulty(found), None, timestamp=timestamp), Verdict.WITHHOLD
    if is_tables(place):
        return table_folder_html(place, _verified(found), timestamp=timestamp)
    facts = json.loads((place / "release.json").read_text(encoding="utf-8"))
    listed = _listed(place, facts)
    judged = audit(listed, policy=make_policy(facts["policy"]))
    values = _public(facts, judged)
    values |= {"verified": _verified(found), "warnings": [*values["warnings"], *found.notes]}
    values["about"] = Html(f"Fingerprint <code>{found.digest}</code>")
    return _page(values, judged, timestamp=timestamp), judged.verdict


def _page(
    values: Mapping[str, Any], found: Audit | None, *, private: str = "", timestamp: "datetime | None" = None
) -> str:
    fixed: dict[str, Any] = {
        "cells": None if found is None else cells_chart(found),
        "limits": page.list_limits(),
        "verifying": VERIFYING,
        "glossary": page.GLOSSARY,
        "warnings": [],
    }
    return rendered("release.html", {**OPTIONAL, **fixed, **values}, private=private, timestamp=timestamp)


def _public(facts: Mapping[str, Any], found: Audit | None) -> dict[str, Any]:
    """Return what everybody may know: what follows from public facts and the patterns."""
    if found is None:
        verdict, sentence, then, promise = Verdict.RELEASE, NOTHING, "", "Nothing is told, so nothing is given away."
    else:
        verdict, sentence = found.verdict, found.sentence.replace("This", "The release", 1)
        is_safe = verdict is Verdict.RELEASE
        then = "" if is_safe else found.advice.say(on_command_line)
        promise = found.promise if is_safe else "No channel is left, but the policy asks for more: see the checks."
    numbers = {"rows": "n", "itemsets": "listed", page.LEARNED: "k"}
    listed = count_of(facts["listed"], f"{facts['kind']} itemset")
    held = f"each held by at least {facts['min_support']:,} of them"
    return {
        "title": f"A release of {facts['listed']:,} itemsets",
        **show_verdict(verdict),
        "sentence": sentence,
        "then": then,
        "numbers": [(name, f"{facts[key]:,}") for name, key in numbers.items()],
        "reading": [f"{listed} of {facts['n']:,} rows, {held}.", *wording.explain_release(facts)],
        "published": Table("What it holds, and how it was made", [], list(_facts(facts, found))),
        "checks": [] if found is None else checks_of(found.checks),
        "lists": [] if found is None else [_itemsets(found.patterns)],
        "largest": None if found is None else _largest(found.patterns),
        "guarantee": promise,
        "limits": page.list_limits(is_whole=facts["is_whole"], is_acyclic=found is not None and bool(found.is_acyclic)),
        "warnings": [] if found is None else list(_name_uncovered(found, is_whole=facts["is_whole"])),
    }


def _name_uncovered(found: Audit, *, is_whole: bool) -> Iterator[str]:
    """Yield what the verdict does not cover, in sentences for the first page."""
    limits = [] if found.is_acyclic or found.withstood else ["limits on counts"]
    missing = [] if is_whole and found.withstood else ["what is missing from the list"]
    yield f"Not covered: {join_names([*limits, *missing, 'other releases', 'what readers know from elsewhere'])}."
    if not is_whole:
        yield page.GAPS


def _facts(facts: Mapping[str, Any], found: Audit | None) -> Iterator[tuple[str, str]]:
    yield "itemsets", count_of(facts["listed"], f"{facts['kind']} itemset")
    if facts["frequent"] != facts["listed"]:
        yield "that stand for", count_of(facts["frequent"], "frequent itemset")
    yield "rows (n)", f"{facts['n']:,}"
    yield "minimum support", say_count(facts["min_support"], facts["n"])
    if facts["max_length"] is not None:
        yield "longest itemsets", count_of(facts["max_length"], "item")
    how = describe(facts["method"]) or "not known here"
    yield "method", Html(f"{html.text(how)} (<code>--method {html.text(facts['method'])}</code>)")
    if found is not None:
        yield from policy_lines(found.policy)
    yield "discreet", printable(facts["discreet"])


def _itemsets(patterns: Patterns) -> List:
    return List(
        "all-itemsets",
        f"All {len(patterns):,} itemsets",
        "Published itemsets",
        ["support", "itemset"],
        packed(Listing.of_patterns(patterns), ROOM, largest=True),
        "The file of patterns in the release folder, such as `patterns.json`, lists all of them.",
        (ORDERS[1], ORDERS[0], ORDERS[2], ORDERS[3]),
        lacks=False,
    )


def _largest(patterns: Patterns) -> Table:
    ranked = sort_pattern_codes(patterns).largest(SHOWN)
    lines = [(f"{support:,}", _name_items(labels)) for labels, support in ranked]
    which = "All published itemsets" if len(lines) == len(patterns) else f"The {SHOWN} itemsets of the largest supports"
    return Table(which, ["support", "itemset"], lines)


def _owner(release: Release, comparison: Comparison | None, source: Source | None) -> dict[str, Any]:
    averages = [wording.list_averages(release)] if release.compared and comparison is None else []
    lines = [*source_lines(source), *release.describe_costs().items()]
    values = {
        "title": page.RECORD,
        "is_record": True,
        "about": name_source(source),
        "cost": Table("What was changed: DO NOT RELEASE", [], lines),
        "how": _say_done(release),
        "cost_sentences": [*averages, *wording.describe_proof(release.proof), wording.explain_supports(release)],
        "before_after": _before_after(release),
    }
    if comparison is None:
        return values
    compared = [
        [_name_line(line), *wording.cost_cells(line.release), *wording.judge_cells(line.release)]
        for line in comparison.lines
    ]
    left_out = [f"{line.name} was left out: {line.left_out}." for line in comparison.lines if line.left_out]
    table = Table("What each method costs", ["method", *wording.COSTS.values(), *wording.JUDGED], compared)
    keys = {"recommendation": comparison.recommendation, "compared_key": [wording.KEY, *left_out]}
    return {**values, "compared": table, **keys}


def _name_line(line: ComparedMethod) -> str:
    return f"{say_method(line.method, merge=line.merge)} ({line.name})"


def _say_done(release: Release) -> str:
    """Return what was done, in plain words: by the method, and by the policy alone."""
    withheld, unit = release.withheld, release.policy.round_to
    has_worked = release.changes_rows or release.distortion.lost > withheld
    told = [
        DONE[release.method] if has_worked else "",
        f"For the policy, {count_of(withheld, 'itemset')} {'was' if withheld == 1 else 'were'} left out."
        * bool(withheld),
        "" if unit is None else f"Supports were rounded to multiples of {unit:,}.",
    ]
    return " ".join(filter(None, told)) or "Nothing needed to be changed."


def _before_after(release: Release) -> Chart:
    old = sort_pattern_codes(release.original)
    before, after = old.supports, supports_in(release.patterns, old)
    order = np.argsort(-np.abs(before - after), kind="stable")
    changed = [at for at in order.tolist() if before[at] != after[at]]
    lines = [
        (f"{before[at]:,}", f"{after[at]:,}" if after[at] else GONE, _name_items(old.labelled(at)))
        for at in changed[:SHOWN]
    ]
    many = f"The {SHOWN} largest of {len(changed):,} changes" if len(changed) > SHOWN else "All changes"
    table = Table(f"{many} of supports of closed itemsets", ["before", "after", "itemset"], lines)
    caption = "Supports after blocking over those before, of closed itemsets; on the dotted line nothing has changed."
    rest = release.distortion.changed - len(changed)
    if rest > 0:
        others = f"{count_of(rest, 'other')}, each with the same rows as a larger one"
        cost = release.distortion
        how = "are left out" if cost.lost == cost.changed else "changed or are left out" if cost.lost else "changed"
        caption += f" {cost.changed:,} itemsets {how}: {count_of(len(changed), 'closed one')} and {others}."
    return Chart("before-after", caption, before_after_figure(release), [table])


def _faulty(found: Verification) -> dict[str, Any]:
    """Return the values of a folder that has a fault: that, and nothing of what it claims."""
    lines = [(at, printable(one)) for at, one in enumerate(found.faults[:SHOWN], 1)]
    return {
        "title": "A release that is not good",
        **show_verdict(Verdict.WITHHOLD),
        "sentence": f"This release is NOT GOOD: {count_of(len(found.faults), 'fault')} found.",
        "then": "Get the release from its publisher again, and do not rely on this one.",
        "numbers": [],
        "reading": ["What it claims is not repeated here, since it is not what it claims to be."],
        "published": Table("Faults", ["", "fault"], lines),
        "checks": [],
        "lists": [],
        "largest": None,
        "guarantee": "Nothing: it has a fault.",
        "verified": _verified(found),
    }


def _verified(found: Verification) -> Table:
    lines = [
        ("verified", "GOOD" if found.is_good else "NOT GOOD"),
        *(line.partition(": ")[::2] for line in found.origin),
        *([("tables", found.tables)] if found.tables else _list_cells(found)),
        *(("note", note) for note in found.notes),
    ]
    return Table("What the verifier found when this page was written", [], lines)


def _list_cells(found: Verification) -> Iterator[tuple[str, str]]:
    yield "maximal itemsets", "-" if found.tops is None else f"{found.tops:,}"
    yield "smallest cell of these", "-" if found.smallest is None else f"{found.smallest:,} rows"


def _listed(place: Path, facts: Mapping[str, Any]) -> Patterns:
    names = sorted(PATTERNS & facts["files"].keys())
    if len(names) != 1:
        raise InputError(f"the release has {len(names)} files of patterns; it must have one")
    return read_patterns(place / names[0], n=facts["n"], kind=facts["kind"], max_length=facts["max_length"])


def _name_items(labels: Sequence[Hashable]) -> Html:
    return html.names(labels, nothing="(every row)")
