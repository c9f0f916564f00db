"""An audit of any candidate as one HTML file, which works from disk, on paper and without scripts."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from discreet import __version__
from discreet.data.counts import Counts
from discreet.data.patterns import Patterns
from discreet.data.thresholds import say_count
from discreet.errors import on_command_line
from discreet.judging.audit import CONFIDENTIAL, Audit
from discreet.judging.policy import Policy, Verdict
from discreet.judging.tradeoff import Tradeoff
from discreet.publications.trees.leaves import Forest
from discreet.report.deciding import ORDER, decisive, explain_dots
from discreet.report.figures import MOST_ITEMSETS, cell_sizes, draw_bins, tradeoff_figure
from discreet.report.findings import Source, exposed_rows
from discreet.report.html import page
from discreet.report.html.findings import list_all, list_longer, show_groups
from discreet.report.html.page import ROOM, Chart, Table, checks_of, rendered, show_verdict
from discreet.report.html.tables import describe_omitted, show_tables
from discreet.report.text import SAFE_FROM, exposed_line, list_tradeoff, safe_from
from discreet.runtime import html
from discreet.runtime.html import Html
from discreet.runtime.text import printable

if TYPE_CHECKING:
    from datetime import datetime

MOST_ROWS: Final = 1_000  # exposed rows that a private page lists
PRIVATE: Final = "This page lists the rows that are exposed. It is for the owner of the rows alone."
FOR_FEW: Final = "Show it only to those who may see what was audited."
SMALL: Final = "Confidential: this report contains small counts"
FINDINGS: Final = ORDER[: ORDER.index("change")]  # the kinds that stand first on a page
COUNTED: Final = {
    "difference": "differences",
    "people": "groups of fewer than {k:,} people",
    "bounds": "sums within limits",
    "leaf": "counts below {k:,}",
    "cell": "counts below {k:,} that can be worked out",
    "count": "counts below {k:,} that are shown",
    "change": "small changes",
    "remainder": "remainders of attributes",
}
"""Kinds of findings whose number stands at the head of a page."""
WORST_FIRST: Final = (
    "The worst come first: those about the fewest people, and among these the ones with the fewest items. "
    "Anyone who reads the published supports can do these sums. Several findings may be about the same people"
)


def audit_html(
    audit: Audit,
    tradeoff: Tradeoff | None = None,
    *,
    source: Source | None = None,
    explain: int = 100,
    private: bool = False,
    timestamp: "datetime | None" = None,
    no_tradeoff: str = "",
    against: Sequence[Source] = (),
) -> str:
    """Return an audit of any candidate as a self-contained page of HTML.

    The page shows the ``explain`` worst findings of each kind with words, sums and drawings; its script unfolds lists
    of all of them. With ``private=True`` the page lists the exposed rows too, and says DO NOT RELEASE. The same audit
    gives the same bytes, unless a ``timestamp`` is given. ``no_tradeoff`` says why there is no trade-off, if there is
    none; ``against`` are the files of the older releases that it was compared with, if they are known.

    >>> from discreet import audit
    >>> page = audit_html(audit([["a", "b"]] * 48 + [["a"]] * 2 + [[]] * 50, min_support=10, k=10))
    >>> "Exactly 2 people have <bdi>a</bdi>, but not <bdi>b</bdi>." in page
    True
    """
    is_list, is_forest, is_table = (isinstance(audit.candidate, kind) for kind in (Patterns, Forest, Counts))
    name = printable(source.file) if source else "patterns" if is_list else audit.what
    older = show_groups(audit, ["change"], explain, against)
    remainders = show_groups(audit, ["remainder"], explain)
    # Changes and remainders may take a third of the room.
    beside = ROOM // 3 if older or remainders else 0
    groups, lists = show_groups(audit, FINDINGS, explain), list(list_all(audit, ROOM - beside))
    implied = show_groups(audit, ["implication"], explain)
    cells = cells_chart(audit) if is_list else None
    described, safe = list(_describe(audit, source, against)), None
    if private and audit.reading is not None:
        described.append(("how it was read", printable(str(audit.reading))))
    if tradeoff is not None:
        lines = [(f"{k:,}", safe_from(least, tradeoff)) for k, least in tradeoff.safe.items()]
        safe = Table(SAFE_FROM, ["k", "minimum support"], lines)
    values = {
        "title": f"Audit of {name}",
        "about": name_source(source),
        **show_verdict(audit.verdict),
        "sentence": audit.sentence,
        "then": audit.advice.say(on_command_line),
        "decisive": decisive(audit) if explain and not audit.is_safe else None,
        "numbers": list(_list_numbers(audit)),
        "dots": explain_dots(audit),
        "warnings": [warning for warning in audit.warnings if warning != CONFIDENTIAL],
        "audited": Table("The candidate, and the rule that it was judged by", [], described),
        "checks": checks_of(audit.checks),
        "found_sentences": [_introduce(audit, any_shown=bool(groups or implied or lists))],
        "counted": "" if tradeoff is None else tradeoff.counted,
        "tables": show_tables(audit),
        "tables_note": describe_omitted(audit),
        "groups": groups,
        "implied": implied[0] if implied else None,
        "lists": lists,
        "older": older,
        "older_lists": list_longer(audit, "change", explain, beside, against),
        "left": remainders[0] if remainders else None,
        "left_lists": list_longer(audit, "remainder", explain, beside),
        "tradeoff": None if tradeoff is None else _tradeoff_chart(tradeoff, audit.policy.k),
        "no_tradeoff": no_tradeoff,
        "safe": safe,
        "cells": cells,
        "exposed": _exposed_sentence(audit) if is_list else "",
        "exposed_tables": list(_exposed_tables(audit, private=private)),
        "exposed_notes": _exposed_notes(audit, private=private),
        "guarantee": audit.promise or "Nothing: the verdict is not RELEASE.",
        "limits": page.TABLE_LIMITS
        if is_table
        else page.TREE_LIMITS
        if is_forest
        else page.list_limits(is_acyclic=bool(is_list and audit.is_acyclic), is_compared=bool(audit.changes)),
        "glossary": page.TABLE_GLOSSARY if is_table else page.TREE_GLOSSARY if is_forest else page.GLOSSARY,
    }
    why, mark = (PRIVATE, page.MARK) if private else (FOR_FEW * (CONFIDENTIAL in audit.warnings), SMALL)
    return rendered("report.html", values, private=why, mark=mark, timestamp=timestamp)


def policy_lines(policy: Policy) -> Iterator[tuple[str, str]]:
    """Yield the rule by which a candidate was judged."""
    few = f"counts from 1 to {policy.k - 1:,} are" if policy.k > 1 else "no count is"
    yield "k", f"{policy.k:,}: {few} too small to be published"
    yield "policy", "none: k alone" if policy.name == "k" else printable(str(policy))
    if policy.about:
        yield "about it", policy.about
    if policy.source:
        yield "its source", policy.source


def cells_chart(audit: Audit) -> Chart | None:
    """Return the histogram of the groups that can be worked out, if there are any that are known."""
    bins = cell_sizes(audit)
    if not bins:
        return None
    k = audit.policy.k
    which = "groups" if len(audit.patterns) <= MOST_ITEMSETS else f"groups of fewer than {k:,} rows"
    lines = [(one.name, one.cells, f"fewer than {k:,}" if one.is_unsafe else "enough") for one in bins]
    title = f"How many {which} there are of each size"
    are_few = any(one.cells for one in bins if one.is_unsafe)
    few = f"Those of fewer than {k:,} rows are outlined." if are_few else f"No group has fewer than {k:,} rows."
    tables = [Table(title, ["rows", "groups", f"k = {k:,}"], lines)]
    return Chart("cell-sizes", f"{title}. {few}", draw_bins(bins), tables)


def _exposed_sentence(audit: Audit) -> str:
    if audit.exposed_if_known is not None:
        return exposed_line(audit)
    if audit.rows is None:
        return "The rows are not at hand, so nobody can say which or how many of them are exposed."
    return "Channels could not be looked for, so exposed rows are not known."


def _list_numbers(audit: Audit) -> Iterator[tuple[str, str]]:
    match audit.candidate:
        case Patterns() as patterns:
            yield from (("rows", f"{patterns.n:,}"), ("itemsets", f"{len(patterns):,}"))
        case Counts() as counts:
            yield from (("tables", f"{len(counts.tables):,}"), ("cells", f"{len(counts):,}"))
        case Forest() as forest:
            yield from (("trees", f"{len(forest):,}"), ("leaves", f"{forest.size:,}"), ("rows", f"{forest.rows:,}"))
        case _ if audit.evidence.facts is not None:
            yield "itemsets with limits", f"{len(audit.evidence.facts) - 1:,}"
    yield page.LEARNED, f"{audit.policy.k:,}"
    if audit.evidence.channels is not None:
        yield "ways to find a small group", f"{len(audit.evidence.channels):,}"
    for kind, name in COUNTED.items():
        total = sum(group.total for group in audit.groups if group.kind == kind)
        if total:
            yield name.format(k=audit.k), f"{total:,}"
    if audit.exposed_if_known is not None:
        yield "rows in such a group", f"{audit.exposed_if_known.rows:,}"


def _describe(audit: Audit, source: Source | None, against: Sequence[Source]) -> Iterator[tuple[str, str]]:
    yield from source_lines(source)
    if isinstance(audit.candidate, Patterns):
        patterns = audit.patterns
        yield "rows (n)", f"{patterns.n:,}"
        yield "minimum support", say_count(patterns.min_support, patterns.n)
        yield "itemsets", patterns.title
    else:
        yield "what it is", printable(audit.what)
    yield from policy_lines(audit.policy)
    if isinstance(audit.candidate, Patterns):
        away, at_hand = (
            "not at hand: the supports are taken as they are",
            "at hand: the itemsets were compared with them",
        )
        yield "the rows themselves", away if audit.rows is None else at_hand
    for number, older in enumerate(against, start=1):
        yield f"older release {number}", Html(f"{html.text(older.file)}, SHA-256 <code>{older.sha256}</code>")
    yield "discreet", __version__


def source_lines(source: Source | None) -> Iterator[tuple[str, str]]:
    """Yield which file was audited, if that is known."""
    if source is not None:
        yield "file", printable(source.file)
        yield "SHA-256 of it", Html(f"<code>{source.sha256}</code>")


def name_source(source: Source | None) -> str:
    """Return the file that a page is about, for its head; empty if it is not known."""
    return "" if source is None else Html(f"{html.text(source.file)}, SHA-256 <code>{source.sha256}</code>")


def _introduce(audit: Audit, *, any_shown: bool) -> str:
    if any_shown:
        if audit.evidence.leaves or isinstance(audit.candidate, Counts):
            return "The worst come first: those about the fewest people."
        exposed = audit.exposed_if_known
        return f"{WORST_FIRST}{'' if exposed is None else f', {exposed.rows:,} of {audit.patterns.n:,} rows in all'}."
    if isinstance(audit.candidate, Patterns) and audit.evidence.channels is None:
        return "The supports could not be looked through; the checks say why."
    alone = " by this list alone" * bool(audit.changes or audit.evidence.remainders)
    nothing = f"Nothing was found that reveals{alone} fewer than {audit.policy.k:,} people"
    is_unsure = not isinstance(audit.candidate, Patterns) and audit.verdict is not Verdict.RELEASE
    return f"{nothing}; the checks say what is wrong, or could not be followed." if is_unsure else f"{nothing}."


def _tradeoff_chart(tradeoff: Tradeoff, k: int) -> Chart:
    tables = [
        Table(title, ["minimum support", *map(str, head[1:])], lines)
        for title, (head, *lines) in list_tradeoff(tradeoff)
    ]
    stands_out = f"; k = {k:,} stands out" * (k in tradeoff.ks)
    caption = f"Maximal channels over the minimum support, a curve for each k{stands_out}. The scale goes by tens."
    return Chart("tradeoff-curves", caption, tradeoff_figure(tradeoff, k), tables)


def _exposed_tables(audit: Audit, *, private: bool) -> Iterator[Table]:
    """Yield how many rows are exposed by channels of 1 row, of 2 rows and so on; and to their owner alone, which."""
    exposed = audit.exposed_if_known
    if exposed is None or not exposed.rows:
        return
    of = "rows" if audit.people is None else "people"
    caption = "Exposed rows, by the smallest group that singles each of them out"
    yield Table(caption, [f"{of} in the group", "exposed rows"], exposed.histogram())
    if private:
        ids = exposed_rows(audit)[0].ids
        order = np.lexsort((exposed.numbers, -exposed.channels, exposed.smallest))[:MOST_ROWS]
        numbers, channels, smallest = (column[order].tolist() for column in exposed[:3])
        named = [[html.show_label(ids[row])] if ids is not None else [] for row in numbers]
        parts = zip(numbers, named, channels, smallest, strict=True)
        lines = [[row + 1, *name, times, count] for row, name, times, count in parts]
        head = ["row", *["id"] * (ids is not None), "channels", "smallest"]
        yield Table("Which rows are exposed: DO NOT RELEASE", head, lines)


def _exposed_notes(audit: Audit, *, private: bool) -> list[str]:
    many = 0 if audit.exposed_if_known is None else audit.exposed_if_known.rows
    if private and many > MOST_ROWS:
        return [f"These are the worst {MOST_ROWS:,} of {many:,}; `discreet audit --exposed FILE` lists all of them."]
    return [] if private or not many else ["Row numbers are omitted; run `discreet audit --exposed FILE`."]
