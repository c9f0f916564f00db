"""Releases in words: to their owner what was changed and what it cost, to everybody else how to read them."""

import json
from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import Any, Final

from discreet import __version__
from discreet.blocking.block import describe
from discreet.blocking.release.release import Proof, Release
from discreet.io.text import encode_lines
from discreet.judging.checks import WIDTH
from discreet.report.json import policy_facts
from discreet.report.text import audit_text, share
from discreet.report.wording import Source
from discreet.runtime.text import percent, printable

WITHSTOOD: Final = {
    "derive": 'An attacker who also derives supports that are not listed ("derive")',
    "linear": 'An attacker who also solves linear programs over what is listed ("linear")',
    "exact": 'An attacker who looks at all databases that fit, for any pattern of AND, OR and NOT ("exact")',
}
"""Whom a release withstands beside those who add and subtract supports."""


def public_facts(release: Release) -> dict[str, Any]:
    """Return what everybody may be told of a release: what follows from its patterns, and from what was asked for.

    Nothing tells whether anything was changed. A reader who knows that something was knows that the rows were unsafe,
    and with that often the very counts that were hidden (docs/guarantee.md).
    """
    patterns = release.patterns
    return {
        "release": 1,
        "discreet": __version__,
        "method": "best" if release.compared else release.method,  # which one was the best is for the owner
        "k": release.policy.k,
        "min_support": patterns.min_support,
        "n": patterns.n,
        "kind": patterns.kind,
        "listed": len(patterns),
        "frequent": release.frequent,
        "is_whole": release.is_whole,
        "against": release.against,
        "policy": policy_facts(release.policy),
    }


def release_facts(release: Release) -> dict[str, Any]:
    """Return all that is to be told of a release to its owner, and to nobody else; but not which rows."""
    proof = release.proof
    return {
        **public_facts(release),
        "method": release.method,
        "rows": {
            "before": release.rows.n,
            "suppressed": release.rows_suppressed,
            "added": release.rows_added,
        },
        "distortion": release.distortion._asdict(),
        "proof": None if proof is None else {**proof._asdict(), "gap": proof.gap},
        "rounds": release.rounds,
        "compared": dict(release.compared) or None,
    }


def release_text(release: Release, *, source: Source | None = None) -> Iterator[str]:
    """Yield a release in lines for its owner: how it was made safe, what that cost, and an audit of what is published.

    >>> from discreet import block
    >>> rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
    >>> print(*release_text(block(rows, min_support=10, k=10, method="suppress")), sep=chr(10))
    2 closed itemsets of 98 rows, made safe for k = 10 by "suppress": rows that inference channels
    single out are left out, until there is no channel.
    <BLANKLINE>
      rows                100 before, 98 now: 2 suppressed, 0 added
      frequent itemsets   8 before, 0 lost
      changed or lost     4 of 8 (50%)
      average distortion  1.75%
      largest change      2 rows
    <BLANKLINE>
    The supports are those of the rows changed in this way, and contradict each other nowhere.
    <BLANKLINE>
    An audit of what would be published:
    <BLANKLINE>
    RELEASE: 2 closed itemsets, each held by at least 10 of 98 rows (10.2%); k = 10.
    <BLANKLINE>
      ✓ consistency         The list is whole, and its supports fit together.
      ✓ size                2 itemsets listed.
      ✓ low counts          No support is below 10.
      ✓ inference channels  No sum of supports tells of fewer than 10 rows.
    <BLANKLINE>
    From these supports nobody can infer that a pattern of AND, OR and NOT holds for 1 to 9 rows, unless
    by what is missing from the list, or known from elsewhere (docs/guarantee.md).
    """
    file = f"{source.file}: " if source else ""
    yield from wrap(printable(f"{file}{_listed(release)}, {_how(release)}."), WIDTH)
    if release.distortion.changed:
        yield from ("", *_cost(release))
        if release.compared:
            yield from ("", *wrap(averages(release), WIDTH))
    yield ""
    yield from wrap(" ".join([*proved(release.proof), meant(release)]), WIDTH)
    yield from _audited(release, "An audit of what would be published:")


def public_text(release: Release) -> Iterator[str]:
    """Yield a release in lines for its readers: what it holds, how its supports are to be read, and an audit.

    >>> from discreet import block
    >>> rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
    >>> print(*list(public_text(block(rows, min_support=10, k=10, method="suppress")))[:5], sep=chr(10))
    2 closed itemsets of 98 rows, each held by at least 10 of them.
    <BLANKLINE>
    They were made safe to publish for k = 10, by "suppress" of discreet 0.1.0. Supports may differ from
    those of the rows they come from. The support of an itemset that is not listed is the largest of one
    that is, and holds it; where there is none, it was not frequent.
    """
    yield f"{_listed(release)}, each held by at least {release.patterns.min_support:,} of them."
    yield ""
    yield from wrap(" ".join(how_to_read(public_facts(release))), WIDTH)
    yield from _audited(release, "An audit of these files alone:")
    yield ""
    yield "Check it yourself, in the folder of this file:  discreet verify ."


def how_to_read(facts: Mapping[str, Any]) -> list[str]:
    """Return how a release is to be understood by its readers, by what everybody may be told of it."""
    k, method, version = facts["k"], facts["method"], facts["discreet"]
    made = f'They were made safe to publish for k = {k:,}, by "{method}" of discreet {version}.'
    withstood = WITHSTOOD.get(str(facts.get("against")))
    if withstood is not None:
        made += f" {withstood} finds nothing about fewer than {k:,} rows in them."
    if not facts["is_whole"]:
        missing = "Supports are exact. Not every frequent itemset is listed: one that is missing need not be rare."
        return [made, missing]
    changed = "Supports may differ from those of the rows they come from."
    largest = "The support of an itemset that is not listed is the largest of one that is, and holds it"
    return [made, changed, f"{largest}; where there is none, it was not frequent."]


def release_json(release: Release, *, source: Source | None = None) -> Iterator[bytes]:
    """Yield all that is told of a release as JSON, for the owner of the rows."""
    told = {
        **release_facts(release),
        "input": source._asdict() if source else None,
    }
    yield from encode_lines([json.dumps(told, indent=2, ensure_ascii=False)])


def _listed(release: Release) -> str:
    """Return how many itemsets of how many rows are published."""
    patterns = release.patterns
    return f"{len(patterns):,} {patterns.kind} itemset{'s' * (len(patterns) != 1)} of {_rows(patterns.n)}"


def _how(release: Release) -> str:
    """Return how the release was made safe."""
    k = f"{release.policy.k:,}"
    tried = "" if release.against == "plain" else f'; the attacker "{release.against}" finds nothing in them'
    if not release.distortion.changed:
        return f"safe for k = {k} as they are{tried}"
    return f'made safe for k = {k} by "{release.method}": {describe(release.method)}{tried}'


def _cost(release: Release) -> Iterator[str]:
    """Yield what a release cost, a line a measure."""
    lines = cost_lines(release)
    width = max(map(len, lines))
    yield from (f"  {name.ljust(width)}  {told}" for name, told in lines.items())


def cost_lines(release: Release) -> dict[str, str]:
    """Return what a release cost, by the name of each measure; for the owner of the rows alone."""
    cost, n = release.distortion, release.patterns.n
    touched = f"{release.rows_suppressed:,} suppressed, {release.rows_added:,} added"
    return {
        "rows": f"{release.rows.n:,} before, {n:,} now: {touched}",
        "frequent itemsets": f"{cost.itemsets:,} before, {cost.lost:,} lost",
        "changed or lost": f"{cost.changed:,} of {cost.itemsets:,} ({share(cost.changed, cost.itemsets)})",
        "average distortion": percent(cost.average),
        "largest change": _rows(cost.largest),
    }


def averages(release: Release) -> str:
    """Return what the methods cost that a release was compared with."""
    told = [f"{name} {'left out' if average is None else percent(average)}" for name, average in release.compared]
    return f"It is the best, by average distortion, of: {'; '.join(told)}."


def _audited(release: Release, title: str) -> Iterator[str]:
    """Yield an audit of the patterns; where there are none, there is nothing to audit."""
    if release.audit is not None:
        yield from ("", title, "")
        yield from audit_text(release.audit, explain=0)


def proved(proof: Proof | None) -> list[str]:
    """Return how good the release is known to be, if it is."""
    if proof is None:
        return []
    among = "No release" if proof.whole else f"No release made of the same {proof.kinds:,} kinds of rows"
    if proof.gap == 0:
        return [f"{among} has less average distortion."]
    told = [f"{among} has an average distortion below {percent(proof.bound)}."] if proof.bound > 0 else []
    return [*told, *["The time was up: a longer search may find less."] * proof.stopped]


def meant(release: Release) -> str:
    """Return how the published supports are to be understood; or that there are none."""
    patterns = release.patterns
    if not len(patterns):
        held = f"{_rows(patterns.min_support)}{' and is safe' * (not release.is_whole)}"
        return f"There is nothing to publish: no itemset, not even the empty one, is held by {held}."
    if patterns.items.size == 0:
        return "Only the empty itemset is left: all that is published is the number of rows."
    if not release.is_whole:
        return "The supports are exact, but not every frequent itemset is listed: what is missing need not be rare."
    if not release.distortion.changed:
        return "The supports are exact."
    return "The supports are those of the rows changed in this way, and contradict each other nowhere."


def _rows(count: int) -> str:
    """Return a number of rows in words."""
    return f"{count:,} row{'s' * (count != 1)}"
