"""Releases in words: for the owner what was changed and what it cost, for everyone else how to read them."""

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import Any, Final

from discreet import __version__
from discreet.blocking.blockers import BEST, METHODS, describe
from discreet.blocking.comparison import Comparison
from discreet.blocking.costs import Costs, Shift
from discreet.blocking.meet import keeps_whole
from discreet.blocking.problem import Proof
from discreet.blocking.release import Release
from discreet.data.itemsets import Label, sort_labels
from discreet.data.thresholds import say_least
from discreet.disclosure.attacks.attack import ATTACKERS
from discreet.io.formats.patterns import published_hierarchy, published_schema
from discreet.judging.checks import WIDTH
from discreet.report.findings import Source
from discreet.report.text import aligned, audit_text, indented
from discreet.runtime.text import count_of, percent, printable

GENERALIZE: Final = "generalize"


def name_attacker(level: str) -> str:
    """Return the attacker that a release withstands beside those who add and subtract supports, if there is one."""
    return f'An attacker {ATTACKERS[level].who} ("{level}")' if level in ATTACKERS and level != "plain" else ""


def public_facts(release: Release) -> dict[str, Any]:
    """Return the public facts of a release: they follow from its patterns and from what was asked for.

    None of them shows whether anything was changed. A reader who knew that would know that the rows were unsafe, and
    could often work out the hidden counts (docs/guarantee.md).
    """
    patterns = release.patterns
    return {
        "release": 1,
        "discreet": __version__,
        "method": _name_method(release),
        "k": release.policy.k,
        "min_support": patterns.min_support,
        "n": patterns.n,
        "kind": patterns.kind,
        "max_length": patterns.max_length,
        "schema": published_schema(patterns),
        "hierarchy": published_hierarchy(patterns),
        "generalized": _list_generalized(release),
        "listed": len(patterns),
        "frequent": release.frequent,
        "is_whole": release.is_whole,
        "rounded_to": release.policy.round_to,
        "against": release.against,
        "beside": [older.sha256 for older in release.beside],
        "grown": release.grown,
        "policy": release.policy.facts(),
    }


def _list_generalized(release: Release) -> list[Label]:
    """Return the published items that stand for all below them; by the public name of the method, none of it is new.

    They have children in the hierarchy, none of which is published: whether these were replaced or rare is not told.
    """
    patterns, known = release.patterns, release.patterns.hierarchy
    if known is None or _name_method(release) != GENERALIZE:
        return []
    used = {patterns.labels[code] for code in patterns.items.tolist()}
    inner = {known.parents[label] for label in used if label in known.parents}
    return list(sort_labels({*known.parents.values()} & used - inner))


def _name_method(release: Release) -> str:
    """Return the public name of the method: which one was the best is for the owner, unless its gaps show it."""
    has_own_gaps = not METHODS[release.method].is_whole and keeps_whole(release.policy)
    return BEST if release.compared and not has_own_gaps else release.method


def release_facts(release: Release) -> dict[str, Any]:
    """Return everything about a release, for its owner alone, except which rows were changed."""
    proof = release.proof
    return {
        **public_facts(release),
        "method": release.method,
        "rows": {"before": release.rows.n, "suppressed": release.rows_suppressed, "added": release.rows_added},
        "distortion": release.distortion._asdict(),
        "costs": cost_facts(release.costs),
        "proof": None if proof is None else {**proof._asdict(), "gap": proof.gap},
        "rounds": release.rounds,
        "withheld": release.withheld,
        "recoding": None if release.recoding is None else release.recoding._asdict(),
        "in_the_way": [obstacle._asdict() for obstacle in release.in_the_way],
        "compared": dict(release.compared) or None,
        "reason": release.reason or None,
    }


def cost_facts(costs: Costs) -> dict[str, Any]:
    """Return the costs beside the distortion, as plain values."""
    facts = {name: value._asdict() if isinstance(value, Shift) else value for name, value in costs._asdict().items()}
    del facts["itemsets"]  # they stand under "distortion"
    return {**facts, "worst_item": None if costs.worst_item is None else str(costs.worst_item)}


def release_text(release: Release, *, source: Source | None = None) -> Iterator[str]:
    """Yield a release in lines for its owner: how it was made safe, what that cost, and an audit of what is published.

    >>> from discreet import block
    >>> rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
    >>> lines = list(release_text(block(rows, min_support=10, k=10, method="suppress")))
    >>> print(*lines[3:10], sep=chr(10))
      rows (n)            100 before, 98 now: 2 suppressed, 0 added
      single items        3 before: 0 were left out. Those published change by 1.33 rows (2.67%) on
                          average, and by at most 2 (4%).
      shares of n         Those published change by 1.01 points on average, and by at most 1.02 points
                          (a).
      frequent itemsets   8 before: 0 were left out, and 4 others changed.
      average distortion  1.75% of the support of an itemset. The largest change is 2 rows.
    """
    file = f"{source.file}: " if source else ""
    yield from wrap(printable(f"{file}{_listed(release)}, {_how(release)}."), WIDTH)
    if release.distortion.changed:
        lines = release.describe_costs()
        width = max(map(len, lines))
        yield ""
        for name, value in lines.items():
            yield from wrap(value, WIDTH, initial_indent=f"  {name:<{width}}  ", subsequent_indent=" " * (width + 4))
        if release.compared:
            yield from ("", *wrap(list_averages(release), WIDTH))
    withheld = f"For the policy {release.policy.name} alone, {count_of(release.withheld, 'itemset')} withheld."
    said = [*describe_proof(release.proof), *[withheld] * bool(release.withheld), explain_supports(release)]
    yield from ("", *wrap(" ".join(said), WIDTH))
    yield from _audited(release, "An audit of what would be published:")


def public_text(release: Release) -> Iterator[str]:
    """Yield a release in lines for its readers: what it holds, how its supports are to be read, and an audit.

    >>> from discreet import block
    >>> rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
    >>> print(*list(public_text(block(rows, min_support=10, k=10, method="suppress")))[:5], sep=chr(10))
    2 closed itemsets of 98 rows, each held by at least 10 of them.
    <BLANKLINE>
    They were made safe to publish for k = 10, by "suppress" of discreet 0.1.0. Their supports and n are
    those of rows that may differ from the original ones. An unlisted itemset has the largest support of
    any listed itemset that contains it; if there is none, fewer than 10 of those rows hold it.
    """
    yield f"{_listed(release)}, each held by at least {release.patterns.min_support:,} of them."
    yield from ("", *wrap(" ".join(explain_release(public_facts(release))), WIDTH))
    rounded = release.policy.round_to is not None
    yield from _audited(
        release, f"An audit of these {'supports before they were rounded' if rounded else 'files alone'}:"
    )
    yield from ("", "Check it yourself, in the folder of this file:  discreet verify .")


def explain_release(facts: Mapping[str, Any]) -> list[str]:
    """Return how to read a release, from its public facts."""
    k, method, version = facts["k"], facts["method"], facts["discreet"]
    made = f'They were made safe to publish for k = {k:,}, by "{method}" of discreet {version}.'
    withstood = name_attacker(str(facts.get("against")))
    if withstood:
        made += f" {withstood} finds nothing about fewer than {k:,} rows in them."
    if facts["beside"]:
        older = count_of(len(facts["beside"]), "older release")
        since = "came" if facts["grown"] else "came or left"
        made += f" No difference from {older} reveals fewer than {k:,} rows that {since} since."
    changed, unit = (
        "Their supports and n are those of rows that may differ from the original ones.",
        facts["rounded_to"],
    )
    if method == GENERALIZE:
        stand = ", ".join(map(str, facts["generalized"]))
        changed = "Supports are exact. Values may have been replaced by their parents in the hierarchy."
        changed += f" All values below these are published as these: {stand}." if stand else ""
    if unit is not None:
        changed += f" They are rounded to the nearest multiple of {unit:,}."
    if not facts["is_whole"]:
        is_exact = method in METHODS and not METHODS[method].is_whole and unit is None
        supports = "Supports are exact." if is_exact else changed
        return [made, supports, "Frequent itemsets may be missing: one that is not listed need not be rare."]
    least = facts["min_support"]
    rare = "none of those rows holds it" if least == 1 else f"fewer than {least:,} of those rows hold it"
    if facts["max_length"] is not None:
        cut = f"Itemsets of more than {count_of(facts['max_length'], 'item')} were left out, frequent or not."
        return [made, changed, f"{cut} If a shorter one is not listed, {rare}."]
    largest = "An unlisted itemset has the largest support of any listed itemset that contains it"
    return [made, changed, f"{largest}; if there is none, {rare}."]


def release_json(release: Release, *, source: Source | None = None) -> Iterator[bytes]:
    """Yield everything about a release as JSON, for the owner of the rows."""
    yield from indented({**release_facts(release), "input": source._asdict() if source else None})


def _listed(release: Release) -> str:
    patterns = release.patterns
    of = "of" if patterns.max_length is None else "from"
    return f"{patterns.title} {of} {count_of(patterns.n, 'row')}"


def _how(release: Release) -> str:
    k = f"{release.policy.k:,}"
    tried = "" if release.against == "plain" else f'; the attacker "{release.against}" finds nothing in them'
    if not release.distortion.changed:
        return f"safe for k = {k} as they are{tried}"
    return f'made safe for k = {k} by "{release.method}": {describe(release.method)}{tried}'


def list_averages(release: Release) -> str:
    """Return why a release was taken, and the costs of the methods that it was compared with."""
    costs = [f"{name} {'left out' if average is None else percent(average)}" for name, average in release.compared]
    return f"{release.reason} Average distortion: {'; '.join(costs)}."


def _audited(release: Release, title: str) -> Iterator[str]:
    if release.audit is not None:
        yield from ("", title, "")
        yield from audit_text(release.audit, explain=0)


def describe_proof(proof: Proof | None) -> list[str]:
    """Describe the proof that little or no distortion can be saved, if there is one."""
    if proof is None:
        return []
    among = "No release" if proof.whole else f"No release made of the same {proof.kinds:,} kinds of rows"
    if proof.gap == 0:
        return [f"{among} has less average distortion."]
    bound = [f"{among} has an average distortion below {percent(proof.bound)}."] if proof.bound > 0 else []
    return [*bound, *["The time was up: a longer search may find less."] * proof.stopped]


def explain_supports(release: Release) -> str:
    """Return how to read the published supports, or that there are none."""
    patterns = release.patterns
    if not len(patterns):
        held = f"{count_of(patterns.min_support, 'row')}{' and is safe' * (not release.is_whole)}"
        return f"There is nothing to publish: no itemset, not even the empty one, is held by {held}."
    if patterns.items.size == 0:
        return "Only the empty itemset is left: all that is published is the number of rows."
    if not release.is_whole:
        exact = "are exact" if release.is_exact else "are those of the rows changed in this way"
        before = " before rounding" if release.policy.round_to is not None else ""
        return (
            f"The supports {exact}{before}, but frequent itemsets may be missing: what is not listed need not be rare."
        )
    if not release.distortion.changed or release.recoding is not None:
        return "The supports are exact."
    return "The supports are those of the rows changed in this way, and are mutually consistent."


COSTS: Final = {
    "suppressed": "rows removed",
    "added": "rows added",
    "lost": "itemsets left out",
    "distortion": "average change of an itemset",
    "item": "largest change of an item",
    "share": "largest change of a share, percentage points",
}
"""Columns of a comparison: their names where room is short, and in full."""
KEY: Final = (
    "An itemset that is left out counts as a change of 100%. List: a whole one has all that is frequent in rows that "
    "may have been changed; a partial one leaves itemsets out besides; an exact one leaves itemsets out, and the "
    "others have the supports of the original rows. Each release was checked: none has an inference channel."
)
LEGEND: Final = f"{'; '.join(f'{name}: {words}' for name, words in COSTS.items())}. {KEY}"


def comparison_text(comparison: Comparison, *, source: Source | None = None) -> Iterator[str]:
    """Yield methods side by side, a line each, and the recommendation.

    >>> from discreet import compare
    >>> rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
    >>> next(iter(comparison_text(compare(rows, min_support=10, k=10))))
    '8 frequent itemsets, each held by at least 10 of 100 rows (10%); k = 10.'
    """
    best = comparison.best
    before, file = best.distortion.itemsets, f"{source.file}: " if source else ""
    least = say_least(best.patterns.min_support, best.rows.n)
    yield printable(f"{file}{before:,} frequent itemsets, each held by {least}; k = {best.policy.k:,}.")
    yield ""
    lines = [
        [line.name, *cost_cells(line.release), f"{line.seconds:.2f}", *judge_cells(line.release)]
        for line in comparison.lines
    ]
    yield from aligned([["", *COSTS, "seconds", *JUDGED], *lines], first="<")
    yield ""
    tried = f" {name_attacker(best.against)} finds nothing in any of them." if best.against != "plain" else ""
    yield from wrap(f"{LEGEND}{tried}", WIDTH)
    for line in comparison.lines:
        if line.left_out:
            yield from ("", *wrap(f"{line.name} was left out: {line.left_out}", WIDTH))
    yield from ("", *wrap(comparison.recommendation, WIDTH))


def comparison_json(comparison: Comparison, *, source: Source | None = None) -> Iterator[bytes]:
    """Yield methods side by side as JSON, for the owner of the rows."""
    lines = [
        {
            "name": line.name,
            "seconds": round(line.seconds, 3),
            "left_out": line.left_out or None,
            "verdict": None if line.release is None else line.release.verdict.name,
            "release": None if line.release is None else release_facts(line.release),
        }
        for line in comparison.lines
    ]
    facts = {"input": source._asdict() if source else None, "recommendation": comparison.recommendation}
    best = {"best": comparison.best_name, "methods": lines}
    yield from indented({"discreet": __version__, "report": "comparison", **facts, **best})


def cost_cells(release: Release | None) -> list[str]:
    """Return the ``COSTS`` of a release."""
    if release is None:
        return ["-"] * len(COSTS)
    cost, touched = release.distortion, (release.rows_suppressed, release.rows_added, release.distortion.lost)
    largest = percent(release.costs.items.largest), f"{100 * release.costs.shares.largest:.3g}"
    return [*(f"{number:,}" for number in touched), percent(cost.average), *largest]


JUDGED: Final = ["list", "verdict"]


def judge_cells(release: Release | None) -> list[str]:
    """Return whether the list of a release is whole, exact or neither, and its verdict."""
    if release is None:
        return ["-", "-"]
    return ["whole" if release.is_whole else "exact" if release.is_exact else "partial", release.verdict.name]
