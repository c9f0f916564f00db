"""Pages: what an HTML report is made of, and its frame; a page needs nothing but itself, and lets nothing else in."""

import json
import zlib
from base64 import b64encode
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from discreet import __version__
from discreet.judging.policy import SIGNS, Check
from discreet.report.figures import Figure, plotly_script
from discreet.report.html.lists import Packed
from discreet.runtime.html import Html
from discreet.runtime.text import printable

if TYPE_CHECKING:
    from datetime import datetime

    from jinja2 import Environment

TEMPLATES: Final = Path(__file__).parent.with_name("templates")
LARGEST: Final = 6_000_000
"""Bytes of a page, which a mail can carry; what does not fit is not in its lists, and the page says so."""
ROOM: Final = 3_000_000
"""Letters of all lists together: what the script that draws charts, and findings in full, leave of that."""

ORDERS: Final = (
    ("worst", "fewest people"),
    ("largest", "most people"),
    ("shortest", "fewest items"),
    ("longest", "most items"),
)
"""In which order a list may stand; the script of the page knows how."""
COMPLETE: Final = "`discreet audit --json` and `discreet report --csv` list all of them."


class Table(NamedTuple):
    """A table: the first entry of each line says what the line is about; a column is of numbers if all in it are."""

    caption: str
    head: Sequence[str]
    lines: Sequence[Sequence[str | int]]

    @property
    def numbers(self) -> list[bool]:
        """Which columns hold numbers, and so are aligned on the right."""
        columns = [all(map(_is_number, column)) for column in zip(*self.lines, strict=True)]
        return columns or [False] * len(self.head)


class Chart(NamedTuple):
    """A chart, and the tables with its numbers."""

    name: str
    caption: str
    figure: Figure
    tables: Sequence[Table]

    @property
    def json(self) -> Html:
        """The figure as JSON within HTML."""
        return as_island(self.figure)


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


def as_island(value: object) -> Html:
    r"""Return a value as JSON that no parser of HTML takes for the end of a script.

    >>> print(as_island({"name": "</script><!--"}))
    {"name":"\u003c/script\u003e\u003c!--"}
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return Html(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def rendered(
    template: str,
    *,
    title: str,
    private: str = "",
    timestamp: "datetime | None" = None,
    charts: bool,
    **told: Any,  # noqa: ANN401 - what the template tells
) -> str:
    """Return a page. ``private`` says why it must stay where it is; without it, the page does not say so.

    Only our own script, and the one that draws charts, may run: the policy of the page holds their digests.
    """
    css, script = (TEMPLATES.joinpath(name).read_text(encoding="utf-8") for name in ("report.css", "report.js"))
    drawing, digest = _drawing() if charts else ("", "")
    scripts = " ".join(f"'sha256-{one}'" for one in (_digest(script.encode()), digest) if one)
    policy = (
        f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )
    when = "" if timestamp is None else f", on {timestamp.isoformat(sep=' ', timespec='minutes')}"
    return (
        _environment()
        .get_template(template)
        .render(
            policy=Html(policy),
            title=f"DO NOT RELEASE: {title}" if private else title,
            heading=title,
            private=private,
            css=Html(css),
            script=Html(script),
            plotly=Html(drawing),
            closing=f"Written by discreet {__version__}{when}. This file needs no network and asks for none.",
            **told,
        )
    )


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
            "verdict": check.verdict.name,
            "sign": SIGNS[check.verdict],
            "sentence": printable(check.sentence),
        }
        for check in checks
    ]


@cache
def _environment() -> "Environment":
    # Loaded late: importing discreet shall stay quick.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415

    loader = FileSystemLoader(TEMPLATES)
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.filters["commands"] = commands
    return made


@cache
def _drawing() -> tuple[str, str]:
    """Return the script that draws charts, packed to 2 of its 5 megabytes, and its digest."""
    script = plotly_script()
    return b64encode(zlib.compress(script, 9)).decode(), _digest(script)


def _digest(data: bytes) -> str:
    return b64encode(sha256(data).digest()).decode()


def _is_number(entry: str | int) -> bool:
    """Return whether an entry is a number, with or without its unit.

    >>> [_is_number(entry) for entry in (7, "1,685", "1.45%", "-", "5 (25%)", "a")]
    [True, True, True, True, True, False]
    """
    return isinstance(entry, int) or not set(entry) - set("0123456789.,%-–() ")
