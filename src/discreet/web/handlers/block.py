"""Block: what could be done, the methods side by side, and a release by one of them, with its files."""

from collections.abc import Hashable, Iterable
from pathlib import Path
from shutil import rmtree
from typing import Any, Final, NotRequired, TypedDict, Unpack

import numpy as np

import discreet
from discreet import Audit, Release, Verdict
from discreet import report as reports
from discreet.blocking.block import BEST, METHODS
from discreet.blocking.comparison import ComparedMethod
from discreet.blocking.distortion import supports_in
from discreet.data.thresholds import Threshold
from discreet.runtime.text import printable
from discreet.web.context import Context, list_files
from discreet.web.messages import on_page, say_on_page, show_itemset, show_labels

SECONDS: Final = 20.0  # for the search by default: somebody is waiting
MOST_CHANGES: Final = 200
COSTS: Final = ("average", "lost", "changed", "itemsets", "largest")
NOTHING: Final = "There is nothing to publish: lower k or the minimum support, or add rows."


class BlockRule(TypedDict):
    """What would be published, how it is judged, and how long to search for the least distortion."""

    min_support: Threshold
    k: NotRequired[int]
    policy: NotRequired[str]
    seconds: NotRequired[float]
    max_length: NotRequired[int]
    leave_out: NotRequired[list[str]]
    hierarchy: NotRequired[list[str]]


def advise(context: Context, **rule: Unpack[BlockRule]) -> dict[str, Any]:
    """Try what could be done; the releases are kept for who takes one of them."""
    advice = discreet.advise(context.rows(), **rule, **context.budget("trying remedies"))
    for remedy in advice.remedies:
        if remedy.verdict is Verdict.RELEASE:
            context.cache.put("release", _key(context, **{**rule, **remedy.options}), remedy.release)
    facts = reports.advice_facts(advice)
    for cause in (*facts["items"], *facts["attributes"]):
        [cause["name"]] = show_labels([cause["name"]])
    for line, remedy in zip(facts["remedies"], advice.remedies, strict=True):
        line["what"], line["left_out"] = printable(remedy.what), printable(say_on_page(remedy.left_out)) or None
    return {**facts, "recommendation": printable(say_on_page(advice.recommendation))}


def compare(context: Context, **rule: Unpack[BlockRule]) -> dict[str, Any]:
    """Compare the releases of all methods."""
    budget = context.budget("comparing")
    rule.setdefault("seconds", SECONDS)
    comparison = discreet.compare(context.rows(), **rule, **budget)
    made = [(line.method, line.merge, line.release) for line in comparison.lines if line.release is not None]
    for method, merge, release in [*made, (BEST, False, comparison.best)]:
        context.cache.put("release", _key(context, **rule, method=method, merge=merge), release)
    return {
        "methods": [_describe(line) for line in comparison.lines],
        "best": comparison.best_name,
        "recommendation": comparison.recommendation,
        "figure": reports.comparison_figure(comparison).facts,
    }


def block(
    context: Context, *, method: str = BEST, merge: bool = False, keep_n: bool = False, **rule: Unpack[BlockRule]
) -> dict[str, Any]:
    """Make a safe release, and its files."""
    rule.setdefault("seconds", SECONDS)

    def make() -> Release:
        budget = context.budget("blocking")
        return discreet.block(context.rows(), method=method, merge=merge, keep_n=keep_n, **rule, **budget)

    key = _key(context, **rule, method=method, merge=merge, keep_n=keep_n)
    release = context.cache.get("release", key, make)
    context.stage("writing")
    changes = _list_changes(release)
    return {
        **reports.release_facts(release),
        "verdict": release.verdict.name,
        **_judge(release.audit),
        "before_after": reports.before_after_figure(release).facts,
        "changed": len(changes),
        "changes": changes[:MOST_CHANGES],
        "files": list_files(*_write_files(context, release)),
    }


def _key(
    context: Context,
    *,
    method: str,
    merge: bool = False,
    keep_n: bool = False,
    leave_out: Iterable[object] = (),
    hierarchy: Iterable[object] = (),
    **rule: object,
) -> Hashable:
    """Return the cache key of a release; its time matters only if the method is a search."""
    if method in METHODS and not METHODS[method].is_search:
        rule.pop("seconds", None)
    several = (tuple(map(str, names)) for names in (leave_out, hierarchy))
    return context.data.id, method, merge, keep_n, *several, frozenset(rule.items())


def _describe(line: ComparedMethod) -> dict[str, Any]:
    release = line.release
    numbers: dict[str, Any] = dict.fromkeys([*COSTS, "suppressed", "added", "n", "listed", "item", "share", "verdict"])
    if release is not None:
        numbers = {cost: getattr(release.distortion, cost) for cost in COSTS}
        numbers |= {"suppressed": release.rows_suppressed, "added": release.rows_added}
        numbers |= {"n": release.patterns.n, "listed": len(release.patterns), "verdict": release.verdict.name}
        numbers |= {"item": release.costs.items.largest, "share": release.costs.shares.largest}
    return {
        "name": line.name,
        "method": line.method,
        "merge": line.merge,
        "how": METHODS[line.method].how + "; one row may serve several channels" * line.merge,
        **numbers,
        "seconds": round(line.seconds, 3),
        "left_out": say_on_page(line.left_out) or None,
    }


def _judge(audit: Audit | None) -> dict[str, str | None]:
    """Return what a release promises, or what to do about it."""
    if audit is None:
        return {"guarantee": None, "advice": NOTHING}
    return {"guarantee": audit.promise or None, "advice": audit.advice.say(on_page) or None}


def _list_changes(release: Release) -> list[dict[str, Any]]:
    """Return the closed itemsets, before or after, whose support has changed, the largest change first."""
    old, new = release.original, release.patterns
    supports: dict[frozenset[object], tuple[int, int]] = {}
    for patterns in (old, new):
        before = patterns.supports if patterns is old else supports_in(old, patterns)
        after = patterns.supports if patterns is new else supports_in(new, patterns)
        for at in np.flatnonzero(before != after).tolist():
            supports[frozenset(patterns.labelled(at))] = int(before[at]), int(after[at])
    lines = ((show_itemset(itemset), *pair) for itemset, pair in supports.items())
    ranked = sorted(lines, key=lambda line: (-abs(line[1] - line[2]), line[0]))
    return [{"items": items, "before": before, "after": after or None} for items, before, after in ranked]


def _write_files(context: Context, release: Release) -> list[Path]:
    """Write the files of a release: what may be published, and apart what must not."""
    source, folder = context.load().source, context.file("release")
    private = folder / reports.MARK
    is_public = release.audit is not None and release.verdict is not Verdict.WITHHOLD
    if is_public:
        discreet.write_release(release, folder, source=source)
    else:
        private.mkdir(parents=True, mode=0o700)
    (private / "report.html").write_text(release.to_html(source=source, private=True), encoding="utf-8")
    secret = context.pack(private)
    if not is_public:
        rmtree(folder)
        return [secret]
    report = context.file("report.html")
    report.write_text(release.to_html(source=source), encoding="utf-8")
    return [context.pack(folder), secret, report]
