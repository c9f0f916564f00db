"""A release on one sheet of paper, for whoever signs it: what is published, what that promises, and what it costs."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from discreet.blocking.blockers import describe
from discreet.blocking.release import Release
from discreet.blocking.tables.block import METHODS, TableRelease
from discreet.data.thresholds import say_count
from discreet.errors import on_command_line
from discreet.judging.policy import Verdict
from discreet.report.findings import Source
from discreet.report.html import page
from discreet.report.html.audit import policy_lines
from discreet.report.html.page import Table, rendered, show_verdict
from discreet.report.html.release import NOTHING
from discreet.report.tables import describe_costs
from discreet.runtime import html
from discreet.runtime.text import count_of

if TYPE_CHECKING:
    from datetime import datetime

INTERNAL: Final = "Internal: not part of the release"
PRIVATE: Final = "It tells what was changed, and with that what was hidden."
SHOWN: Final = 5  # lines of costs; the others are about rules
LONGEST: Final = 160  # letters of a line: all has to fit on one sheet
SIGNED: Final = ("Name", "Role", "Date", "Signature")
ROUTE: Final = (
    "Send the fingerprint to whoever receives the release by another route than the release itself: by telephone, on "
    "paper, or on your own web site. Only then can they tell that the numbers are yours and unchanged."
)
UNKNOWN: Final = "The fingerprint is known once the folder is written: `discreet verify FOLDER` tells it. "


def summary_html(
    release: Release | TableRelease,
    *,
    source: Source | None = None,
    timestamp: "datetime | None" = None,
    fingerprint: str = "",
) -> str:
    """Return a release as a page that fits on one sheet of A4, with a box to sign.

    It says what would be published, the verdict and what that promises, and what was changed. So it is for those who
    decide alone, and says so.

    >>> from discreet import block
    >>> release = block([["a", "b"]] * 40 + [["a"]] * 2 + [[]] * 50, min_support=10, k=10, method="suppress")
    >>> page = summary_html(release, fingerprint="d" * 64)
    >>> [words in page for words in ("92 before, 90 now: 2 suppressed, 0 added", "Signature", "Internal")]
    [True, True, True]
    """
    judged = release.audit
    verdict, sentence, promise, then = Verdict.RELEASE, NOTHING, "Nothing is told, so nothing is given away.", ""
    if judged is not None:
        verdict, sentence = judged.verdict, judged.sentence.replace("This", "The release", 1)
        promise = judged.promise or "Nothing: the verdict is not RELEASE."
        then = "" if judged.is_safe else judged.advice.say(on_command_line)
    costs = describe_costs(release) if isinstance(release, TableRelease) else release.describe_costs()
    published, changed = (
        [(name, html.show_label(value, LONGEST)) for name, value in pairs]
        for pairs in (_list_facts(release, source, fingerprint), list(costs.items())[:SHOWN])
    )
    values: dict[str, Any] = {
        "title": "Release, to be signed",
        **show_verdict(verdict),
        "sentence": sentence,
        "then": then,
        "published": Table("What is to be published", [], published),
        "cost": Table("What was changed, and what it costs", [], changed),
        "guarantee": promise,
        "limits": page.TABLE_LIMITS
        if isinstance(release, TableRelease)
        else page.list_limits(is_whole=release.is_whole)[:4],
        "route": ROUTE if fingerprint else UNKNOWN + ROUTE,
        "signed": SIGNED,
    }
    return rendered("summary.html", values, private=PRIVATE, mark=INTERNAL, timestamp=timestamp)


def _list_facts(release: Release | TableRelease, source: Source | None, fingerprint: str) -> Iterator[tuple[str, str]]:
    if source is not None:
        yield "file", source.file
    if isinstance(release, TableRelease):
        yield "tables", str(release.counts)
        how = METHODS[release.method].how
    else:
        patterns = release.patterns
        yield "itemsets", f"{count_of(len(patterns), f'{patterns.kind} itemset')} of {count_of(patterns.n, 'row')}"
        yield "minimum support", say_count(patterns.min_support, patterns.n)
        how = describe(release.method) or "not known here"
    yield from islice(policy_lines(release.policy), 2)
    yield "method", f"{release.method}: {how}"
    if fingerprint:
        yield "fingerprint", fingerprint
