"""A release of tables of counts as one HTML file: the tables as published, and for the owner alone what it cost."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from discreet.blocking.tables.block import METHODS, TableRelease
from discreet.blocking.tables.folder import COUNTS, RELEASE
from discreet.data.counts import Counts, State
from discreet.errors import on_command_line
from discreet.io.formats.counts.stated import decode
from discreet.judging.audit import Audit, audit
from discreet.judging.policy import Verdict, make_policy
from discreet.report.findings import Source
from discreet.report.html import page
from discreet.report.html.audit import name_source, policy_lines, source_lines
from discreet.report.html.page import Table, checks_of, rendered, show_verdict
from discreet.report.html.tables import describe_omitted, show_tables
from discreet.report.tables import describe_costs
from discreet.runtime.text import printable

if TYPE_CHECKING:
    from datetime import datetime

PRIVATE: Final = (
    "This page tells what was masked, left out or rounded, and with that what was hidden. It is for the owner of the "
    "tables alone."
)
VERIFYING: Final = (
    "Anybody who has the release folder can check it, from its files alone, with the command `discreet verify FOLDER`.",
    "All that follows from the tables is worked out anew; the counts behind the masks are not needed.",
    "The command prints the fingerprint of the folder.",
    "Only a fingerprint that the publisher sent you by a different route shows that the numbers are the publisher's.",
)
ABSENT: Final = dict.fromkeys(
    ("decisive", "cost", "how", "cost_sentences", "before_after", "compared", "cells", "lists")
)


def table_release_html(
    release: TableRelease,
    *,
    source: Source | None = None,
    private: bool = False,
    timestamp: "datetime | None" = None,
) -> str:
    r"""Return a release of tables as a page of HTML that needs nothing but itself.

    It may be published with the tables. With ``private=True`` it is for their owner, and tells what was masked.

    >>> from io import BytesIO
    >>> from discreet import block, read_counts
    >>> release = block(read_counts(BytesIO(b"sex,n\nTotal,180\nf,177\nm,3\n")), k=11, method="suppress")
    >>> ["1 small count" in table_release_html(release, private=private) for private in (False, True)]
    [False, True]
    """
    owner: dict[str, Any] = {}
    if private:
        lines = [*source_lines(source), *describe_costs(release).items()]
        owner = {"cost": Table("What was changed: DO NOT RELEASE", [], lines), "how": release.reason}
        owner |= {"cost_sentences": [], "about": name_source(source), "title": page.RECORD, "is_record": True}
    values = {**_show(release.audit, release.method), **owner}
    return rendered("release.html", values, private=PRIVATE * private, timestamp=timestamp)


def table_folder_html(folder: Path, verified: Table, *, timestamp: "datetime | None" = None) -> tuple[str, Verdict]:
    """Return a page on a folder of tables that the verifier found good, made from its files alone, and the verdict."""
    facts = json.loads((folder / RELEASE).read_text(encoding="utf-8"))
    counts = decode((folder / COUNTS).read_text(encoding="utf-8"))
    judged = audit(counts, policy=make_policy(facts["policy"]))
    values = {**_show(judged, facts["method"]), "verified": verified}
    return rendered("release.html", values, timestamp=timestamp), judged.verdict


def _show(judged: Audit, method: str) -> dict[str, Any]:
    """Return what everybody may know: the tables, the method, and the rule."""
    is_safe = judged.verdict is Verdict.RELEASE
    return {
        **ABSENT,
        "title": f"A release of {judged.what}",
        **show_verdict(judged.verdict),
        "sentence": judged.sentence.replace("This", "The release", 1),
        "then": "" if is_safe else judged.advice.say(on_command_line),
        "numbers": [*_count_cells(judged), (page.LEARNED, f"{judged.policy.k:,}")],
        "reading": [],
        "published": Table("What it holds, and how it was made", [], list(_list_facts(judged, method))),
        "checks": checks_of(judged.checks),
        "tables": show_tables(judged),
        "tables_note": describe_omitted(judged),
        "guarantee": judged.promise or "Nothing: the verdict is not RELEASE.",
        "limits": page.TABLE_LIMITS,
        "verifying": VERIFYING,
        "verified": None,
        "glossary": page.TABLE_GLOSSARY,
        "warnings": ["Not covered: other tables of the same people, and what readers know from elsewhere."],
    }


def _count_cells(judged: Audit) -> Iterator[tuple[str, str]]:
    if isinstance(judged.candidate, Counts):
        yield "cells", f"{len(judged.candidate):,}"
        yield "masked", f"{sum(cell.state is State.MASKED for cell in judged.candidate):,}"


def _list_facts(judged: Audit, method: str) -> Iterator[tuple[str, str]]:
    yield "tables", judged.what
    how = METHODS[method].how if method in METHODS else "not known here"
    yield "method", f"{printable(method)}: {how}"
    yield from policy_lines(judged.policy)
