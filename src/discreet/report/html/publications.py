"""Audits of rules, of rounded supports and of trees, each as one HTML file, made as that of itemsets is."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from discreet import __version__
from discreet.data.lattice import with_root
from discreet.errors import on_command_line
from discreet.judging.audit import Audit
from discreet.judging.verdict import SIGNS, Verdict
from discreet.publications.trees.leaves import Few, Forest
from discreet.report.html.audit import WORST_FIRST, all_channels, policy_lines, source_lines
from discreet.report.html.page import COMPLETE, ROOM, Table, checks_of, rendered
from discreet.report.html.prose import GLOSSARY, LIMITS, TREE_GLOSSARY, TREE_LIMITS
from discreet.report.people import few_in_words
from discreet.report.shown import Group, Shown, implied, shown_bounded, titled, worst_channels
from discreet.report.wording import Source
from discreet.runtime import html
from discreet.runtime.text import printable

if TYPE_CHECKING:
    from datetime import datetime

BOUNDED: Final = (
    "Each is a sum of supports that are known within limits. Wherever in these limits they lie, it tells of so few "
    "people."
)
FEW: Final = "Each tells of the people who meet all these conditions, and they are so few."
KEEP: Final = "This report tells what would be given away: keep it as what was audited is to be kept."
NO_ROWS: Final = "The rows are not at hand: the numbers are taken as they are."
LONGEST: Final = 100
"""Letters of a condition that are shown at most."""


def facts_html(
    audit: Audit, *, source: Source | None = None, explain: int = 100, timestamp: "datetime | None" = None
) -> str:
    """Return an audit of rules, or of rounded supports, as a page of HTML that needs nothing but itself.

    The ``explain`` worst findings of each kind stand in it with words and sums. The same audit gives the same bytes,
    unless a ``timestamp`` is given.

    >>> from discreet import Rules, audit
    >>> page = facts_html(audit(Rules.from_rules([(["a"], ["b"], 80, "98.7%")], rounding="truncate"), k=5))
    >>> "Exactly 1 person has <bdi>a</bdi>, but not <bdi>b</bdi>." in page, "81 (a) − 80 (a, b)" in page
    (True, True)
    """
    channels = audit.channels
    return _page(
        audit,
        audit.what,
        source,
        timestamp=timestamp,
        numbers=list(_facts_numbers(audit)),
        groups=list(_facts_groups(audit, explain)),
        first=WORST_FIRST,
        implied=implied(audit, explain),
        lists=[all_channels(channels, ROOM)] if channels is not None and len(channels) else [],
        notes=[NO_ROWS] if audit.rows is None else [],
        limits=LIMITS,
        glossary=GLOSSARY,
    )


def tree_html(
    audit: Audit, *, source: Source | None = None, explain: int = 100, timestamp: "datetime | None" = None
) -> str:
    """Return an audit of trees as a page of HTML that needs nothing but itself.

    The ``explain`` leaves of the fewest rows stand in it, each with its path in words.

    >>> from discreet import audit
    >>> from discreet import Leaves
    >>> rules = Leaves.from_rules([("age > 60", {"ill": 20, "well": 9}), ("", {"ill": 3, "well": 80})])
    >>> "Exactly 3 people, class ill" in tree_html(audit(rules, k=5))
    True
    """
    return _page(
        audit,
        audit.what,
        source,
        timestamp=timestamp,
        numbers=list(_tree_numbers(audit)),
        groups=list(_tree_groups(audit, explain)),
        first="The worst come first: those of the fewest people.",
        implied=None,
        lists=[],
        notes=[],
        limits=TREE_LIMITS,
        glossary=TREE_GLOSSARY,
    )


def _page(
    audit: Audit,
    what: str,
    source: Source | None,
    *,
    first: str,
    notes: list[str],
    **told: Any,  # noqa: ANN401 - what the template tells
) -> str:
    """Return the page of an audit; ``first`` stands before the findings."""
    is_safe = audit.verdict is Verdict.RELEASE
    lines = [*source_lines(source), ("what it is", printable(what)), *policy_lines(audit), ("discreet", __version__)]
    nothing = f"Nothing was found that tells of fewer than {audit.policy.k:,} people"
    missed = "." if is_safe else "; the checks say what is wrong, or could not be followed."
    return rendered(
        "published.html",
        title=f"Audit of {printable(source.file if source else what)}",
        charts=False,
        verdict=audit.verdict.name,
        sign=SIGNS[audit.verdict],
        sentence=audit.sentence,
        then=audit.advice.say(on_command_line),
        warnings=[*[KEEP] * (not is_safe), *notes],
        audited=Table("The candidate, and the rule that it was judged by", [], lines),
        checks=checks_of(audit.checks),
        found_sentences=[first if told["groups"] or told["implied"] or told["lists"] else f"{nothing}{missed}"],
        guarantee=audit.promise or "Nothing: the verdict is not RELEASE.",
        **told,
    )


def _facts_numbers(audit: Audit) -> Iterator[tuple[str, str]]:
    if audit.evidence.facts is not None:
        yield "itemsets with limits", f"{len(audit.evidence.facts) - 1:,}"
    yield "k", f"{audit.policy.k:,}"
    if audit.channels is not None:
        yield "maximal channels", f"{len(audit.channels):,}"
    yield "sums within limits", f"{len(audit.evidence.bounded):,}"


def _facts_groups(audit: Audit, explain: int) -> Iterator[Group]:
    channels, patterns, found = audit.channels, audit.patterns, audit.evidence.bounded
    if channels is not None and len(channels):
        yield worst_channels(channels, with_root(patterns), explain)
    if found:
        about = f"{BOUNDED} {COMPLETE}" if len(found) > explain else BOUNDED
        title = titled(len(found), explain, "sum", " within limits")
        yield Group(title, about, [shown_bounded(one) for one in found[:explain]])


def _tree_numbers(audit: Audit) -> Iterator[tuple[str, str]]:
    forest = audit.candidate
    if not isinstance(forest, Forest):
        raise TypeError(forest)
    yield "trees", f"{len(forest):,}"
    yield "leaves", f"{forest.size:,}"
    yield "rows", f"{forest.rows:,}"
    yield "k", f"{audit.policy.k:,}"
    yield f"counts below {audit.policy.k:,}", f"{len(audit.evidence.leaves):,}"


def _tree_groups(audit: Audit, explain: int) -> Iterator[Group]:
    many = len(audit.evidence.leaves)
    if many:
        about = f"{FEW} `report.tree_json` lists all of them." if many > explain else FEW
        title = titled(many, explain, "count", f" below {audit.policy.k:,}")
        yield Group(title, about, [_shown_few(few) for few in audit.evidence.leaves[:explain]])


def _shown_few(few: Few) -> Shown:
    """Return a count of few rows with its path."""
    path = " and ".join(html.shown(condition, LONGEST) for condition in few.path) or "any row"
    return Shown(html.text(few_in_words(few)), [(path, "")])
