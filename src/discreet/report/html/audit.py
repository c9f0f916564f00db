"""An audit as one HTML file: read from disk, printed, or looked through without scripts; nothing is fetched for it."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from discreet import __version__
from discreet.data.lattice import with_root
from discreet.data.patterns import Patterns
from discreet.disclosure.channels import Channels
from discreet.disclosure.implications import Implications
from discreet.errors import on_command_line
from discreet.judging.audit import Audit
from discreet.judging.tradeoff import Tradeoff
from discreet.judging.verdict import SIGNS
from discreet.report.exposed import exposed_rows
from discreet.report.figures import MOST_ITEMSETS, cell_sizes, cell_sizes_figure, tradeoff_figure
from discreet.report.html.changes import beside_lists, left, since
from discreet.report.html.lists import Listing
from discreet.report.html.page import COMPLETE, ORDERS, ROOM, Chart, List, Table, checks_of, list_of, rendered
from discreet.report.html.prose import AGAINST_LIMITS, GLOSSARY, LIMITS
from discreet.report.shown import Group, implied, shown_channel, titled, worst_channels
from discreet.report.text import exposed_line, safe_from, share
from discreet.report.wording import Source
from discreet.runtime import html
from discreet.runtime.html import Html
from discreet.runtime.text import printable

if TYPE_CHECKING:
    from datetime import datetime

MOST_ROWS: Final = 1_000
"""Exposed rows that a private page lists at most."""
PRIVATE: Final = "This page lists the rows that are exposed. It is for the owner of the rows alone."
WORST_FIRST: Final = (
    "The worst come first: those about the fewest people, and of these the ones that speak of the fewest items. "
    "Anybody who reads the published supports can do these sums."
)


def audit_html(
    audit: Audit,
    *,
    tradeoff: Tradeoff | None = None,
    source: Source | None = None,
    explain: int = 100,
    private: bool = False,
    timestamp: "datetime | None" = None,
    no_tradeoff: str = "",
    against: Sequence[Source] = (),
) -> str:
    """Return an audit as a page of HTML that needs nothing but itself.

    ``against`` are the files of the older releases that it was compared with, if they are known.
    The ``explain`` worst findings of each kind stand in it with words, sum and drawing; all are in a list that its
    script unfolds. With ``private=True`` it lists the exposed rows too, and says DO NOT RELEASE. The same audit gives
    the same bytes, unless a ``timestamp`` is given. ``no_tradeoff`` says why there is no trade-off, if there is none.

    >>> from discreet import audit
    >>> page = audit_html(audit([["a", "b"]] * 48 + [["a"]] * 2 + [[]] * 50, min_support=10, k=10))
    >>> "Exactly 2 people have <bdi>a</bdi>, but not <bdi>b</bdi>." in page
    True
    """
    name = printable(source.file) if source else "patterns"
    listed = with_root(audit.patterns)
    groups, older = list(_groups(audit, listed, explain)), since(audit, against, explain)
    # What else was looked at may take a third of the room.
    beside = ROOM // 3 if older or audit.evidence.remainders else 0
    older_lists, left_lists = beside_lists(audit, against, explain, beside)
    cells = cells_chart(audit)
    return rendered(
        "report.html",
        title=f"Audit of {name}",
        private=PRIVATE if private else "",
        timestamp=timestamp,
        charts=tradeoff is not None or cells is not None,
        verdict=audit.verdict.name,
        sign=SIGNS[audit.verdict],
        sentence=audit.sentence,
        then=audit.advice.say(on_command_line),
        numbers=_numbers(audit),
        warnings=audit.warnings,
        audited=Table("The candidate, and the rule that it was judged by", [], list(_audited(audit, source, against))),
        checks=checks_of(audit.checks),
        found_sentences=_found(audit),
        groups=groups,
        implied=implied(audit, explain),
        lists=list(_lists(audit, ROOM - beside)),
        older=older,
        older_lists=older_lists,
        left=left(audit, explain),
        left_lists=left_lists,
        tradeoff=None if tradeoff is None else _tradeoff_chart(tradeoff, audit.policy.k),
        no_tradeoff=no_tradeoff,
        safe=None if tradeoff is None else _safe_table(tradeoff),
        cells=cells,
        exposed=exposed_sentence(audit),
        exposed_tables=list(_exposed_tables(audit, private=private)),
        exposed_notes=_exposed_notes(audit, private=private),
        guarantee=audit.promise or "Nothing: the verdict is not RELEASE.",
        limits=AGAINST_LIMITS if audit.changes else LIMITS,
        glossary=GLOSSARY,
    )


def policy_lines(audit: Audit) -> Iterator[tuple[str, str]]:
    """Yield by which rule a candidate was judged."""
    policy = audit.policy
    few = f"counts from 1 to {policy.k - 1:,} are" if policy.k > 1 else "no count is"
    yield "k", f"{policy.k:,}: {few} too small to be told"
    yield "policy", "k alone" if policy.name == "k" else printable(str(policy))
    if policy.about:
        yield "about it", policy.about
    if policy.source:
        yield "its source", policy.source


def cells_chart(audit: Audit) -> Chart | None:
    """Return the histogram of the sizes of cells, if there are any that are known."""
    bins = cell_sizes(audit)
    if not bins:
        return None
    k = audit.policy.k
    which = "cells" if len(audit.patterns) <= MOST_ITEMSETS else f"cells of fewer than {k:,} rows, the channels"
    lines = [(one.name, one.cells, f"fewer than {k:,}" if one.is_unsafe else "enough") for one in bins]
    table = Table(f"How many {which} there are of each size", ["rows", "cells", f"k = {k:,}"], lines)
    caption = f"How many {which} there are of each size. Those of fewer than {k:,} rows are hatched."
    return Chart("cell-sizes", caption, cell_sizes_figure(audit), [table])


def exposed_sentence(audit: Audit) -> str:
    """Return how many rows are exposed, or why that is not known."""
    if audit.exposed is not None:
        return exposed_line(audit)
    if audit.rows is None:
        return "The rows are not at hand, so nobody can say which or how many of them are exposed."
    return "Channels could not be looked for, so exposed rows are not known."


def _numbers(audit: Audit) -> Iterator[tuple[str, str]]:
    yield "rows", f"{audit.patterns.n:,}"
    yield "itemsets", f"{len(audit.patterns):,}"
    yield "k", f"{audit.policy.k:,}"
    if audit.channels is not None:
        yield "maximal channels", f"{len(audit.channels):,}"
    elif audit.differences:
        yield "differences", f"{len(audit.differences):,}"
    if audit.changes:
        yield "small changes", f"{sum(changes.small for changes in audit.changes):,}"
    if audit.evidence.remainders:
        yield "rests of attributes", f"{len(audit.evidence.remainders):,}"
    if audit.exposed is not None:
        yield "exposed rows", f"{audit.exposed.rows:,}"


def _audited(audit: Audit, source: Source | None, against: Sequence[Source]) -> Iterator[tuple[str, str]]:
    patterns = audit.patterns
    yield from source_lines(source)
    yield "rows (n)", f"{patterns.n:,}"
    least = f"{patterns.min_support:,} rows ({share(patterns.min_support, patterns.n)})"
    yield "minimum support", least
    yield "itemsets", f"{len(patterns):,} {patterns.kind} itemset{'s' * (len(patterns) != 1)}"
    yield from policy_lines(audit)
    at_hand = "at hand: the itemsets were mined from them, or compared with them"
    yield (
        "the rows themselves",
        at_hand if audit.rows is not None else "not at hand: the supports are taken as they are",
    )
    for number, older in enumerate(against, start=1):
        yield f"older release {number}", Html(f"{html.text(older.file)}, SHA-256 <code>{older.sha256}</code>")
    yield "discreet", __version__


def source_lines(source: Source | None) -> Iterator[tuple[str, str]]:
    """Yield which file was audited, if that is known."""
    if source is not None:
        yield "file", printable(source.file)
        yield "SHA-256 of it", Html(f"<code>{source.sha256}</code>")


def _found(audit: Audit) -> list[str]:
    """Return what is to be said before the findings."""
    if audit.channels is None and not audit.differences:
        return ["What the supports tell could not be looked for; the checks say why."]
    if not any((audit.channels, audit.differences, audit.implications)):
        alone = " by this list alone" * bool(audit.changes or audit.evidence.remainders)
        return [f"Nothing was found that tells{alone} of fewer than {audit.policy.k:,} people."]
    return [WORST_FIRST]


def _groups(audit: Audit, listed: Patterns, explain: int) -> Iterator[Group]:
    """Yield the worst channels, or differences, with words, sums and drawings."""
    channels, differences = audit.channels, audit.differences
    if channels is not None and len(channels) and explain:
        yield worst_channels(channels, listed, explain)
    if differences and explain:
        about = "Each is the difference of two published supports, one of an itemset that holds the other."
        found = [shown_channel(one, listed) for one in differences[:explain]]
        yield Group(titled(len(differences), explain, "difference"), about, found)


def _lists(audit: Audit, room: int) -> Iterator[List]:
    """Yield all that sums tell as lists: channels may take two thirds of the room."""
    channels, differences = audit.channels, audit.differences
    if channels is not None and len(channels):
        yield all_channels(channels, room * 2 // 3)
    if differences:
        told = {"caption": "Differences", "head": ["people", "have", "but not all of"], "elsewhere": COMPLETE}
        title = f"All {len(differences):,} differences"
        yield list_of("all-differences", title, Listing.of_findings(differences), room * 2 // 3, **told)
    if audit.implications is not None and len(audit.implications):
        yield _all_implications(audit.implications, room // 3)


def all_channels(channels: Channels, room: int) -> List:
    """Return all channels as a list."""
    told = {"caption": "Maximal channels", "head": ["people", "have", "but not"], "elsewhere": COMPLETE}
    return list_of("all-channels", f"All {len(channels):,} channels", Listing.of_channels(channels), room, **told)


def _all_implications(implications: Implications, room: int) -> List:
    told = {
        "caption": "Nobody has these items without that one",
        "head": ["people", "have", "but not"],
        "elsewhere": COMPLETE,
        "orders": (ORDERS[2], ORDERS[3]),
    }
    title = f"All {len(implications):,} implications"
    return list_of("all-implications", title, Listing.of_implications(implications), room, **told)


def _tradeoff_chart(tradeoff: Tradeoff, k: int) -> Chart:
    head = ["minimum support", "itemsets", *(f"k = {one:,}" for one in tradeoff.ks)]
    tables = [
        Table(
            caption,
            head,
            [
                [f"{support:,} ({share(support, tradeoff.n)})", itemsets, *line]
                for support, itemsets, line in zip(
                    tradeoff.min_supports, tradeoff.itemsets.tolist(), numbers.tolist(), strict=True
                )
            ],
        )
        for caption, numbers in (
            ("Maximal channels of fewer than k rows", tradeoff.channels),
            ("Rows that they expose", tradeoff.exposed),
        )
    ]
    caption = "Maximal channels over the minimum support, a curve for each k" + f"; k = {k:,} stands out" * (
        k in tradeoff.ks
    )
    return Chart("tradeoff-curves", f"{caption}.", tradeoff_figure(tradeoff, k), tables)


def _safe_table(tradeoff: Tradeoff) -> Table:
    lines = [(f"{k:,}", safe_from(safe, tradeoff)) for k, safe in tradeoff.safe.items()]
    return Table("No channel of fewer than k rows, from which minimum support on", ["k", "minimum support"], lines)


def _exposed_tables(audit: Audit, *, private: bool) -> Iterator[Table]:
    """Yield how many rows are exposed by channels of 1 row, of 2 rows and so on; and to their owner alone, which."""
    exposed = audit.exposed
    if exposed is None or not exposed.rows:
        return
    caption = "Exposed rows, by the smallest channel that singles each of them out"
    yield Table(caption, ["rows of the channel", "exposed rows"], exposed.histogram())
    if private:
        ids = exposed_rows(audit)[0].ids
        order = np.lexsort((exposed.numbers, -exposed.channels, exposed.smallest))[:MOST_ROWS]
        numbers, channels, smallest = (column[order].tolist() for column in exposed[:3])
        named = [[html.shown(ids[row])] if ids is not None else [] for row in numbers]
        parts = zip(numbers, named, channels, smallest, strict=True)
        lines = [[row + 1, *name, times, count] for row, name, times, count in parts]
        head = ["row", *["id"] * (ids is not None), "channels", "smallest"]
        yield Table("Which rows are exposed: DO NOT RELEASE", head, lines)


def _exposed_notes(audit: Audit, *, private: bool) -> list[str]:
    many = 0 if audit.exposed is None else audit.exposed.rows
    if private and many > MOST_ROWS:
        return [f"These are the worst {MOST_ROWS:,} of {many:,}; `discreet audit --exposed FILE` lists all of them."]
    return (
        [] if private or not many else ["Which rows these are is not told here: `discreet audit --exposed FILE` does."]
    )
