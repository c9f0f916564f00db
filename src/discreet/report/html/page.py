"""Pages: what an HTML report is made of, and its frame; a page needs nothing but itself, and lets nothing else in."""

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from discreet import __version__
from discreet.errors import on_command_line
from discreet.judging.policy import SIGNS, Check, Verdict
from discreet.report.charts import Figure
from discreet.report.html.lists import Packed
from discreet.runtime.html import Html
from discreet.runtime.text import printable

if TYPE_CHECKING:
    from datetime import datetime

    from jinja2 import Environment


TEMPLATES: Final = Path(__file__).parent.with_name("templates")
STATIC: Final = TEMPLATES.with_name("static")  # what the app shows charts with, too
LARGEST: Final = 6_000_000
"""Bytes of a page, which a mail can carry; what does not fit is not in its lists, and the page says so."""
ROOM: Final = 3_000_000  # letters of all lists together: the charts and the findings in full need the rest
ORDERS: Final = tuple(
    {"worst": "fewest people", "largest": "most people", "shortest": "fewest items", "longest": "most items"}.items()
)
"""The orders in which the script of the page can sort a list."""
RESULTS: Final = {Verdict.RELEASE: "passed", Verdict.REVIEW: "look at it", Verdict.WITHHOLD: "failed"}
"""What came of a check; the words of verdicts are for the whole."""
LEARNED: Final = "smallest group that anyone may learn about (k)"
RECORD: Final = "Private record: what was changed"
"""The title of a page for the owner about a release: the verdict on this is not one on the page."""
MARK: Final = "DO NOT RELEASE"
COMPLETE: Final = "`discreet audit --json` and `discreet report --csv` list all of them."


class Table(NamedTuple):
    """A table: the first entry of each line says what the line is about; a column is of numbers if all in it are."""

    caption: str
    head: Sequence[str]
    lines: Sequence[Sequence[str | int]]

    @property
    def numbers(self) -> list[bool]:
        """Which columns hold numbers, and so are aligned on the right."""
        return [all(map(_is_number, column)) for column in zip(*self.lines, strict=True)] or [False] * len(self.head)


class Chart(NamedTuple):
    """A chart, and the tables with its numbers."""

    name: str
    caption: str
    figure: Figure
    tables: Sequence[Table]


class List(NamedTuple):
    """A list of any length, packed, which the script of the page unfolds: searched, sorted, page by page.

    Where it ``is_signed``, its counts are of people more, or below 0 of people fewer.
    """

    name: str
    title: str
    caption: str
    head: Sequence[str]
    packed: Packed
    elsewhere: str = COMPLETE
    orders: Sequence[tuple[str, str]] = ORDERS
    lacks: bool = True
    is_signed: bool = False

    @property
    def sentences(self) -> list[str]:
        """What is to be said of it where it is not whole: a cap that is reached is never silent."""
        many, kept, _ = self.packed
        if kept == many:
            return []
        which = "the worst" if self.lacks else "those of the largest supports"
        return [f"Only {kept:,} of {many:,}, {which}, fit into this page. {self.elsewhere}"]


def rendered(
    template: str,
    values: Mapping[str, Any],
    *,
    private: str = "",
    mark: str = MARK,
    timestamp: "datetime | None" = None,
) -> str:
    """Return the page of a template with its values; ``private`` says why it must not leave, if it must not.

    Then its title, its banner and each of its sheets bear the ``mark``. ``about`` may name what the page is about.

    Only our own scripts may run: the policy of the page holds their digests.
    """
    files = (TEMPLATES / "report.css", STATIC / "charts.css", TEMPLATES / "report.js", STATIC / "tooltips.js")
    *css, lists, tooltips = (file.read_text(encoding="utf-8") for file in files)
    scripts = " ".join(f"'sha256-{_digest(one.encode())}'" for one in (lists, tooltips))
    others = "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    when = "" if timestamp is None else f", on {timestamp.isoformat(sep=' ', timespec='minutes')}"
    frame = {
        "policy": Html(f"default-src 'none'; script-src {scripts}; {others}"),
        "heading": values["title"],
        "about": values.get("about", ""),
        "private": private,
        "mark": mark,
        "css": Html("".join(css)),
        "scripts": [Html(lists), Html(tooltips)],
        "closing": f"Written by discreet {__version__}{when}. This file needs no network and asks for none.",
    }
    title = f"{mark.partition(':')[0]}: " * bool(private) + values["title"]
    return _environment().get_template(template).render({**values, **frame, "title": title})


def commands(sentence: str) -> Html:
    """Return a sentence as HTML, what stands in backquotes as code; HTML stays as it is.

    >>> print(commands("Try `discreet block`, if a < b"))
    Try <code>discreet block</code>, if a &lt; b
    """
    if isinstance(sentence, Html):
        return sentence
    parts = [escape(part) for part in sentence.split("`")]
    return Html("".join(f"<code>{part}</code>" if number % 2 else part for number, part in enumerate(parts)))


def checks_of(checks: Iterable[Check]) -> list[dict[str, str]]:
    """Return the checks as the templates show them."""
    return [
        {
            "name": check.name,
            **show_verdict(check.verdict),
            "result": RESULTS[check.verdict],
            "sentence": printable(check.say(on_command_line)),
        }
        for check in checks
    ]


def show_verdict(verdict: Verdict) -> dict[str, str]:
    """Return a verdict and its sign as the templates show them."""
    return {"verdict": verdict.name, "sign": SIGNS[verdict]}


def used_in(glossary: Table, page: str) -> Table:
    """Return the lines of a glossary whose words are on a page.

    >>> [line[0] for line in used_in(GLOSSARY, "<p class='row'>The <b>supports</b>").lines]
    ['support']
    """
    text = re.sub(r"<script.*?</script>|<[^>]*>", " ", page, flags=re.DOTALL)
    lines = [line for line in glossary.lines if re.search(rf"\b{line[0]}", text, re.IGNORECASE)]
    return glossary._replace(lines=lines)


@cache
def _environment() -> "Environment":
    # Loaded late: importing discreet shall stay quick.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415

    loader = FileSystemLoader(TEMPLATES)
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.filters |= {"commands": commands, "used_in": used_in}
    return made


def _digest(data: bytes) -> str:
    return b64encode(sha256(data).digest()).decode()


def _is_number(entry: str | int) -> bool:
    """Return whether an entry is a number, with or without its unit.

    >>> [_is_number(entry) for entry in (7, "1,685", "1.45%", "-", "5 (25%)", "a")]
    [True, True, True, True, True, False]
    """
    return isinstance(entry, int) or not set(entry) - set("0123456789.,%-–() ")


ALONE: Final = "Other releases. Two of the same rows, or of rows that differ little, can be subtracted from each other."
BESIDE: Final = (
    "Other releases than the older ones that it was compared with, and itemsets that are in only one of these."
)
NARROWING: Final = "Narrower limits. A determined reader may narrow counts further than by adding and subtracting."
KNOWLEDGE: Final = "Other knowledge. What a reader knows about single people from elsewhere is not taken into account."
PROBABILITY: Final = (
    "Large groups. If most people of a large group have something, readers learn that each of them probably has it."
)
RARE: Final = "Readers of a complete list know that what is missing from it is rare."
GAPS: Final = (
    "An itemset that is missing although its parts suggest that it is common may have been left out, and may itself "
    "point to a small group, or to one whose members are all alike."
)


def list_limits(*, is_whole: bool = True, is_acyclic: bool = False, is_compared: bool = False) -> list[str]:
    """Return what RELEASE does not promise for a list of itemsets, as far as it applies.

    >>> [sentence.partition(".")[0] for sentence in list_limits(is_whole=False, is_acyclic=True)][1:3]
    ['What is missing', 'Other knowledge']
    """
    missing = f"What is missing. {RARE if is_whole else GAPS}"
    return [BESIDE if is_compared else ALONE, missing, *[NARROWING] * (not is_acyclic), KNOWLEDGE, PROBABILITY]


TREE_LIMITS: Final = (
    "Other releases. Other trees, or lists, of the same rows can be subtracted from this.",
    "Means. Whether one row dominates the mean of a leaf is not looked at.",
    "Probability. That most people who reach a leaf are of one class is what trees are published for.",
    KNOWLEDGE,
)
TABLE_LIMITS: Final = (
    "Other releases. Other tables of the same people can be subtracted from these; audit them together.",
    "What a reader knows besides: a person's own values, or how the tables were masked.",
    "Probability. A masked count may be likely to be small without being known to be.",
    KNOWLEDGE,
)
GLOSSARY: Final = Table(
    "The words of this page, and those of output checkers",
    ["here", "checker's word", "what it means"],
    [
        ("low count", "primary disclosure, low count", "a published support from 1 to k − 1"),
        ("finding", "-", "a group of 1 to k − 1 people that a reader can work out from what is published"),
        (
            "inference channel",
            "secondary disclosure, differencing",
            "a sum of supports that reveals 1 to k − 1 people; a channel, for short",
        ),
        ("maximal channel", "-", "a channel of an itemset that is part of no other one; all others follow from these"),
        ("small change", "differencing of two releases", "an older count with 1 to k − 1 people more or fewer"),
        ("remainder", "total less its parts", "the people with none of the listed values of an attribute"),
        ("implication", "class or group disclosure", "a derived count of 0: everyone with some items has another one"),
        ("bounds", "approximate disclosure", "a count that is not known exactly, but within narrow bounds"),
        ("support", "cell count, frequency", "how many rows hold every item of an itemset"),
        ("minimum support", "-", "how many rows must hold an itemset for it to be listed"),
        ("itemset", "cell of a table", "a set of items, such as diagnoses or goods"),
        (
            "closed itemset",
            "-",
            "an itemset that more rows hold than any itemset that contains it; all others follow from these",
        ),
        ("maximal itemset", "-", "an itemset that is part of no other one in the list"),
        ("k", "threshold", "the smallest count that may be published; minimum support is another thing"),
        ("block", "mitigation", "leave out rows, add rows or leave out itemsets until no channel is left"),
        ("distortion", "-", "how far supports are from the original ones, on average, as a share of these"),
        ("row", "respondent, unit", "one person, patient or basket"),
    ],
)
TREE_GLOSSARY: Final = Table(
    GLOSSARY.caption,
    GLOSSARY.head,
    [
        ("leaf", "cell", "the rows that meet all conditions of a path, counted by class; leaves exclude each other"),
        ("low count", "primary disclosure, low count", "a count of a leaf and a class from 1 to k − 1"),
        ("several trees", "differencing", "an overlap of leaves of several trees with 1 to k − 1 rows of a class"),
        ("class disclosure", "class or group disclosure", "a leaf that reveals what all who reach it have"),
        ("k", "threshold", "the smallest count that may be published; the threshold of a tree is another thing"),
        ("row", "respondent, unit", "one person, patient or basket"),
    ],
)
TABLE_GLOSSARY: Final = Table(
    GLOSSARY.caption,
    GLOSSARY.head,
    [
        ("low count", "primary disclosure, low count", "a count from 1 to k − 1 that a table shows"),
        ("recovered", "secondary disclosure, differencing", "a masked or missing count from 1 to k − 1 that follows"),
        ("told", "residual disclosure", "a group of 1 to k − 1 that follows, though no table shows or masks it"),
        (
            "narrowed",
            "approximate disclosure",
            "a masked count that is left with fewer values than the policy asks for",
        ),
        ("class disclosure", "class or group disclosure", "a count of 0: nobody in some group has a value"),
        ("k", "threshold", "the smallest count that may be published"),
        ("total", "margin", "the count of all values of an attribute together"),
    ],
)
