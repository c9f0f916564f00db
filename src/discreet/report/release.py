"""Releases in words: what may be published, what it cost, what is guaranteed; and methods side by side."""

import json
from collections.abc import Iterator
from textwrap import wrap
from typing import Any, Final

from discreet import __version__
from discreet.audit import audit
from discreet.block import Comparison
from discreet.io.coding import blocks
from discreet.measure import class_sizes
from discreet.release import Proof, Release
from discreet.report.json import policy_facts
from discreet.report.text import WIDTH, aligned, audit_text, share
from discreet.report.words import Source

HOW: Final = {
    "suppress": "rows that inference channels single out were left out, until there was no channel",
    "add": "rows were added to those that inference channels single out, so that each time there are k or more",
    "withhold": "itemsets with an inference channel were left out, and the others have their exact supports",
    "optimal": "rows were left out and others added, so that supports change as little as could be found",
}
"""What each method did, for a reader who has never heard of it."""


def release_facts(release: Release) -> dict[str, Any]:
    """Return what is told of a release to everybody: no value of the rows themselves."""
    patterns, proof = release.patterns, release.proof
    return {
        "release": 1,
        "discreet": __version__,
        "method": release.method,
        "k": release.policy.k,
        "min_support": patterns.min_support,
        "n": patterns.n,
        "kind": patterns.kind,
        "listed": len(patterns),
        "frequent": sum(class_sizes(patterns)),
        "is_whole": release.is_whole,
        "policy": policy_facts(release.policy),
        "rows": {"suppressed": int(release.suppressed.size), "added": int(release.added.weights.sum())},
        "distortion": release.distortion._asdict(),
        "proof": None if proof is None else {**proof._asdict(), "gap": proof.gap},
    }


def release_text(release: Release) -> Iterator[str]:
    """Yield a release in lines: what is published and how it was made safe, what that cost, and an audit of it.

    >>> from discreet import block
    >>> rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
    >>> print(*release_text(block(rows, min_support=10, k=10, method="suppress")), sep=chr(10))
    2 closed itemsets of 98 rows, made safe for k = 10 by "suppress": rows that inference channels
    single out were left out, until there was no channel.
    <BLANKLINE>
       itemsets before  9
         itemsets lost  0
      itemsets changed  8 (88.89%)
    average distortion  2.617%
        largest change  2 rows
       rows suppressed  2
            rows added  0
    <BLANKLINE>
    """
    patterns, cost, k = release.patterns, release.distortion, release.policy.k
    many = f"{len(patterns):,} {patterns.kind} itemset{'s' * (len(patterns) != 1)} of {patterns.n:,} rows"
    yield from wrap(f'{many}, made safe for k = {k:,} by "{release.method}": {HOW[release.method]}.', WIDTH)
    yield ""
    yield from aligned(
        [
            ["frequent itemsets before", f"{cost.itemsets:,}"],
            ["lost", f"{cost.lost:,}"],
            ["changed", f"{cost.changed:,} ({share(cost.changed, cost.itemsets)})"],
            ["average distortion", percent(cost.average)],
            ["largest change", rows_(cost.largest)],
            ["suppressed", rows_(int(release.suppressed.size))],
            ["added", rows_(int(release.added.weights.sum()))],
        ]
    )
    yield ""
    yield from wrap(" ".join([*_proved(release.proof), _witnessed(release)]), WIDTH)
    yield ""
    yield "The audit of what is published:"
    yield from audit_text(audit(patterns, policy=release.policy), explain=0)


def comparison_text(comparison: Comparison, *, source: Source | None = None) -> Iterator[str]:
    """Yield methods side by side, a line each, and the recommendation.

    >>> from discreet import compare
    >>> rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
    >>> next(iter(comparison_text(compare(rows, min_support=10, k=10))))
    '9 frequent itemsets of 100 rows; k = 10.'
    """
    first = comparison.best
    file = f"{source.file}: " if source else ""
    yield f"{file}{first.distortion.itemsets:,} frequent itemsets of {len(first.rows):,} rows; k = {first.policy.k:,}."
    yield ""
    head = ["method", "suppressed", "added", "lost", "changed", "average", "seconds", "witness"]
    lines = []
    for line in comparison.lines:
        if line.release is None:
            lines.append([line.name, *["-"] * 5, f"{line.seconds:.2f}", "-"])
            continue
        cost = line.release.distortion
        lines.append(
            [
                line.name,
                f"{line.release.suppressed.size:,}",
                f"{int(line.release.added.weights.sum()):,}",
                f"{cost.lost:,}",
                share(cost.changed, cost.itemsets),
                percent(cost.average),
                f"{line.seconds:.2f}",
                "yes" if line.release.is_whole else "no",
            ]
        )
    yield from aligned([head, *lines])
    for line in comparison.lines:
        if line.left_out:
            yield from ("", *wrap(f"{line.name} was left out: {line.left_out}", WIDTH))
    yield ""
    yield from wrap(comparison.recommendation, WIDTH)


def comparison_json(comparison: Comparison, *, source: Source | None = None) -> Iterator[bytes]:
    """Yield methods side by side as JSON."""
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
    yield from blocks([json.dumps(told, indent=2, ensure_ascii=False)])


def release_json(release: Release, *, source: Source | None = None) -> Iterator[bytes]:
    """Yield what is told of a release as JSON."""
    told = {**release_facts(release), "input": source._asdict() if source else None}
    yield from blocks([json.dumps(told, indent=2, ensure_ascii=False)])


def percent(part: float) -> str:
    """Return a share as a percentage, rounded for reading.

    >>> percent(0.0145), percent(0)
    ('1.45%', '0%')
    """
    return f"{100 * part:.3g}%"


def rows_(count: int) -> str:
    """Return a number of rows in words."""
    return f"{count:,} row{'s' * (count != 1)}"


def _proved(proof: Proof | None) -> list[str]:
    """Return how good the release is known to be, if it is."""
    if proof is None:
        return []
    among = "of all releases" if proof.whole else f"of all releases made of {proof.kinds:,} different rows"
    if proof.gap == 0:
        return [f"No less distortion is possible, {among}."]
    return [f"It is proved that the average distortion is at least {percent(proof.bound)}, {among}."]


def _witnessed(release: Release) -> str:
    """Return whose supports the published ones are."""
    if not release.is_whole:
        return (
            "The supports are exact, but the list is not that of all frequent itemsets: what is missing need not be "
            "rare, and do not say by which rule it was left out."
        )
    if not release.suppressed.size and not release.added.weights.size:
        return "Nothing was changed: the itemsets had no channel."
    return "The supports are those of real rows, changed as told: no reader can find a contradiction in them."
