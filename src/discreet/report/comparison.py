"""Methods of blocking side by side: what each costs, and which is to be recommended."""

import json
from collections.abc import Iterator
from textwrap import wrap
from typing import Final

from discreet import __version__
from discreet.blocking.block import Comparison
from discreet.blocking.release.release import Release
from discreet.io.text import encode_lines
from discreet.judging.checks import WIDTH
from discreet.report.release import WITHSTOOD, release_facts
from discreet.report.text import aligned, share
from discreet.report.wording import Source
from discreet.runtime.text import percent, printable

GUARANTEES: Final = (
    "Distortion is an average. No release has an inference channel; each was checked for it. A whole one has the "
    "supports of some rows, and lists all of their closed itemsets; an exact one has the supports of the rows "
    "themselves, and does not list all."
)


def comparison_text(comparison: Comparison, *, source: Source | None = None) -> Iterator[str]:
    """Yield methods side by side, a line each, and the recommendation.

    >>> from discreet import compare
    >>> rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
    >>> next(iter(comparison_text(compare(rows, min_support=10, k=10))))
    '8 frequent itemsets, each held by at least 10 of 100 rows; k = 10.'
    """
    best = comparison.best
    before, file = best.distortion.itemsets, f"{source.file}: " if source else ""
    least = f"at least {best.patterns.min_support:,} of {best.rows.n:,} rows"
    yield printable(f"{file}{before:,} frequent itemsets, each held by {least}; k = {best.policy.k:,}.")
    yield ""
    lines = [
        [
            line.name,
            *(["-"] * 5 if line.release is None else compared_line(line.release)),
            f"{line.seconds:.2f}",
            kept_promise(line.release),
        ]
        for line in comparison.lines
    ]
    head = ["", "rows suppressed", "added", "itemsets lost", "changed", "distortion", "seconds", "guarantee"]
    width = max(len(line[0]) for line in lines)
    yield from aligned([[line[0].ljust(width), *line[1:]] for line in [head, *lines]])
    yield ""
    tried = f" {WITHSTOOD[best.against]} finds nothing in any of them." if best.against in WITHSTOOD else ""
    yield from wrap(f"{GUARANTEES}{tried}", WIDTH)
    for line in comparison.lines:
        if line.left_out:
            yield from ("", *wrap(f"{line.name} was left out: {line.left_out}", WIDTH))
    yield ""
    yield from wrap(comparison.recommendation, WIDTH)


def comparison_json(comparison: Comparison, *, source: Source | None = None) -> Iterator[bytes]:
    """Yield methods side by side as JSON, for the owner of the rows."""
    lines = [
        {
            "name": line.name,
            "seconds": round(line.seconds, 3),
            "left_out": line.left_out or None,
            "release": None if line.release is None else release_facts(line.release),
        }
        for line in comparison.lines
    ]
    told = {
        "discreet": __version__,
        "report": "comparison",
        "input": source._asdict() if source else None,
        "recommendation": comparison.recommendation,
        "best": comparison.best.method,
        "methods": lines,
    }
    yield from encode_lines([json.dumps(told, indent=2, ensure_ascii=False)])


def compared_line(release: Release) -> list[str]:
    """Return what a release cost, as a line of a table."""
    cost = release.distortion
    return [
        f"{release.rows_suppressed:,}",
        f"{release.rows_added:,}",
        f"{cost.lost:,}",
        share(cost.changed, cost.itemsets),
        percent(cost.average),
    ]


def kept_promise(release: Release | None) -> str:
    """Return what is guaranteed of a release, beside that it has no channel."""
    if release is None:
        return "-"
    return "whole" if release.is_whole else "exact"
