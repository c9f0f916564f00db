"""Fix: what could be done, each remedy tried; and a release by one of them, before and after."""

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias, TypedDict, Unpack, cast

import numpy as np

import discreet
from discreet import Audit, Counts, InputError, Patterns, Release, Transactions, Verdict
from discreet import report as reports
from discreet.blocking.advise import Remedy
from discreet.blocking.blockers import BEST, METHODS
from discreet.blocking.distortion import supports_in
from discreet.blocking.tables.block import METHODS as TABLE_METHODS
from discreet.blocking.tables.block import TableRelease, TriedMethod, block_counts, compare_counts
from discreet.data.thresholds import Threshold
from discreet.disclosure.attacks.finding import Level
from discreet.report.html.tables import show_tables
from discreet.report.tables import describe_costs
from discreet.runtime.text import count_of, percent, printable
from discreet.web.context import Context
from discreet.web.handlers.judging import Rule, judge
from discreet.web.handlers.published import describe_table
from discreet.web.messages import on_page, say_on_page, show_itemset

AnyRelease: TypeAlias = Release | TableRelease
SECONDS: Final = 20.0  # for a search by default: somebody is waiting
MOST_CHANGES: Final = 200
FOR_TABLES: Final = ("k", "policy", "seconds", "method")
HEADLINES: Final = 8  # single items whose counts are compared first
NOTHING: Final = "There is nothing to publish: lower k or the minimum support, or add rows."
TITLES: Final = {
    "suppress": "mask small counts, and further ones that would reveal them",
    "collapse": "replace values by broader ones, or merge them",
    "round": "round all counts, so that they still add up",
}
"""What remedies of tables are called."""


class FixRule(TypedDict, total=False):
    """What would be published, how it is judged, and what every remedy must keep to."""

    min_support: Threshold
    k: int
    policy: str
    max_length: int
    leave_out: list[str]
    hierarchy: list[str]
    keep_n: bool
    against: Level
    older: list[dict[str, Any]]
    grown: bool
    seconds: float


class Choice(FixRule, total=False):
    """A remedy: the method, and the settings that it has instead of those that were asked for."""

    method: str
    merge: bool


def advise(context: Context, **rule: Unpack[FixRule]) -> dict[str, Any]:
    """Try what could be done; the releases are kept for who takes one of them."""
    counts = context.load().value
    if isinstance(counts, Counts):
        return _advise_tables(context, counts, rule)
    asked = cast("dict[str, Any]", rule)
    advice = discreet.advise(context.rows(), **_beside(context, asked), **context.budget("trying remedies"))
    for remedy in advice.remedies:
        if remedy.verdict is Verdict.RELEASE:
            context.cache.put("release", _key(context, {**asked, **remedy.options}), remedy.release)
    facts = reports.advice_facts(advice)
    options = [line["options"] for line in facts["remedies"]]
    cards = [_describe_remedy(remedy, given) for remedy, given in zip(advice.remedies, options, strict=True)]
    return {
        "verdict": advice.audit.verdict.name,
        "best": facts["best"],
        "recommendation": printable(say_on_page(advice.recommendation)),
        "cards": cards,
    }


def _advise_tables(context: Context, counts: Counts, rule: FixRule) -> dict[str, Any]:
    asked: dict[str, Any] = {name: value for name, value in rule.items() if name in FOR_TABLES}
    context.stage("trying remedies")
    made = compare_counts(counts, **asked, progress=context.advance)
    tried = [
        one if one.release is None else one._replace(release=_judge_beside(context, one.release, rule)) for one in made
    ]
    tried.sort(key=lambda one: len(Verdict) if one.release is None else one.release.verdict.value)
    for one in tried:
        if one.release is not None:
            key = _key(context, {**asked, **_list_older(rule), "method": one.method})
            context.cache.put("release", key, one.release)
    best = tried[0].release
    is_safe = best is not None and best.verdict is Verdict.RELEASE
    found = judge(context, _rule(rule))
    nothing = "Nothing that was tried ends in RELEASE." if best is None else best.audit.advice.say(on_page)
    return {
        "verdict": found.verdict.name,
        "best": 0 if is_safe else None,
        "recommendation": _recommend(best) if best is not None and is_safe else printable(nothing),
        "cards": [_describe_tried(one) for one in tried],
    }


def _recommend(best: TableRelease) -> str:
    costs, how = best.costs, "exactly" if TABLE_METHODS[best.method].is_exact else "rounded"
    return f"Best: {TITLES[best.method]}; {costs.shown:,} of {count_of(costs.cells, 'count')} are then shown, {how}."


def _describe_remedy(remedy: Remedy, options: Mapping[str, Any]) -> dict[str, Any]:
    card: dict[str, Any] = {
        "what": printable(remedy.what),
        "method": _name_method(remedy.options),
        "options": options,
        "verdict": None if remedy.verdict is None else remedy.verdict.name,
        "left_out": printable(say_on_page(remedy.left_out)) or None,
        "facts": [],
    }
    costs, release = remedy.costs, remedy.release
    if costs is None or release is None:
        return card
    cost = costs.itemsets
    rounded = release.policy.round_to
    average = (cost.average * cost.itemsets - cost.lost) / max(1, remedy.kept)  # a lost one counts as 1
    kept = f"{cost.changed - cost.lost:,} of those kept change, by {percent(average)} on average"
    numbers = f"{kept}; the largest change is {cost.largest:,}"
    if not release.changes_rows:
        numbers = "all exact" if rounded is None else f"all rounded to multiples of {rounded:,}"
    people = [
        f"{release.rows_suppressed:,} left out" if release.rows_suppressed else "",
        f"{release.rows_added:,} invented" if release.rows_added else "",
        f"n becomes {costs.n_after:,}, not {costs.n_before:,}" if costs.n_after != costs.n_before else "",
    ]
    return card | {
        "kept": remedy.kept,
        "asked": cost.itemsets,
        "changed": 0 if not release.changes_rows else cost.changed,
        "average": cost.average,
        "largest": cost.largest,
        "rows_touched": remedy.rows_touched,
        "facts": [
            ["Keeps", f"{remedy.kept:,} of {count_of(cost.itemsets, 'combination')}"],
            ["Numbers", numbers],
            ["Rows", ", ".join(filter(None, people)) or "as they are"],
        ],
    }


def _describe_tried(one: TriedMethod) -> dict[str, Any]:
    release = one.release
    card: dict[str, Any] = {
        "what": TITLES[one.method],
        "method": one.method,
        "options": {"method": one.method},
        "verdict": None if release is None else release.verdict.name,
        "left_out": printable(one.left_out) or None,
        "facts": [],
    }
    if release is None:
        return card
    costs = release.costs
    return card | {
        "kept": costs.shown,
        "asked": costs.cells,
        "changed": costs.masked_primary + costs.masked_further + costs.lost,
        "average": costs.average_change,
        "largest": costs.largest_change,
        "rows_touched": 0,
        "facts": [[name.capitalize(), value] for name, value in describe_costs(release).items()],
    }


def _name_method(options: Mapping[str, Any]) -> str:
    return f"{options['method']}, merged" if options.get("merge") else str(options["method"])


def block(context: Context, **choice: Unpack[Choice]) -> dict[str, Any]:
    """Make a release, and show what it changes."""
    release = make_release(context, choice)
    context.stage("comparing")
    if isinstance(release, TableRelease):
        return {
            "verdict": release.verdict.name,
            **_judge(release.audit),
            "method": release.method,
            "how": f"{TABLE_METHODS[release.method].how}",
            "reason": printable(release.reason),
            "costs": [[name.capitalize(), value] for name, value in describe_costs(release).items()],
            "before": [describe_table(grid) for grid in show_tables(judge(context, _rule(choice)))],
            "tables": [describe_table(grid) for grid in show_tables(release.audit)],
            "total_tables": len(release.counts.tables),
        }
    changes = _list_changes(release)
    return {
        **reports.release_facts(release),
        "verdict": release.verdict.name,
        **_judge(release.audit),
        "how": METHODS[release.method].how,
        "headlines": _list_headlines(release),
        "before_after": reports.before_after_figure(release).facts,
        "changed": len(changes),
        "changes": changes[:MOST_CHANGES],
    }


def make_release(context: Context, choice: Choice) -> AnyRelease:
    """Return the release of a remedy; it is made anew unless it is in the cache."""
    value, asked = context.load().value, complete(context, choice)
    if isinstance(value, Patterns):
        raise InputError("a list without its rows cannot be repaired; load the rows that it was mined from")

    def make() -> AnyRelease:
        if isinstance(value, Counts):
            context.stage("masking")
            return _judge_beside(context, block_counts(value, **asked, progress=context.advance), choice)
        return discreet.block(context.rows(), **_beside(context, asked), **context.budget("blocking"))

    return context.cache.get("release", _key(context, {**asked, **_list_older(choice)}), make)


def complete(context: Context, choice: Choice) -> dict[str, Any]:
    """Return the options that a release is made with: those of the choice that matter, and what it leaves open."""
    asked: dict[str, Any] = {**choice, "method": choice.get("method", BEST)}
    if isinstance(context.load().value, Counts):
        return {name: value for name, value in asked.items() if name in FOR_TABLES}
    return {"seconds": SECONDS, **asked} if _is_search(asked["method"]) else _without_time(asked)


def _judge_beside(context: Context, release: TableRelease, rule: FixRule) -> TableRelease:
    """Return a release of tables with the verdict on it and older tables together: it was made without these."""
    older = [one.candidate for one in context.older(rule.get("older", []))]
    if not older:
        return release
    context.stage("judging it beside older tables")
    judged = discreet.audit(release.counts, policy=release.policy, against=older, grown=rule.get("grown", False))
    return replace(release, audit=judged)


def _list_older(rule: FixRule) -> dict[str, Any]:
    return {name: value for name, value in rule.items() if name in {"older", "grown"}}


def _beside(context: Context, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings as the library takes them: older releases are read, and mean nothing if there are none."""
    older = [one.older for one in context.older(asked.get("older", []))]
    others = {name: value for name, value in asked.items() if name not in {"older", "grown"}}
    return {**others, "beside": older, "grown": asked.get("grown", False)} if older else others


def _rule(choice: FixRule) -> Rule:
    """Return the settings that decide about a verdict."""
    return cast("Rule", {name: value for name, value in choice.items() if name in Rule.__annotations__})


def _key(context: Context, asked: Mapping[str, Any]) -> Hashable:
    """Return the cache key of a release; its time matters only if the method is a search."""
    known = {name: value for name, value in asked.items() if value not in (None, False, [], ())}
    known = known if _is_search(known["method"]) else _without_time(known)
    return context.data.id, *((name, _as_key(value)) for name, value in sorted(known.items()))


def _is_search(method: str) -> bool:
    return method not in METHODS or METHODS[method].is_search


def _without_time(asked: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in asked.items() if name != "seconds"}


def _as_key(value: object) -> Hashable:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else value


def _judge(audit: Audit | None) -> dict[str, str | None]:
    """Return what a release promises, or what to do about it."""
    if audit is None:
        return {"sentence": NOTHING, "guarantee": None, "advice": NOTHING}
    advice = audit.advice.say(on_page) or None
    return {"sentence": audit.sentence, "guarantee": audit.promise or None, "advice": advice}


def _list_headlines(release: Release) -> list[dict[str, Any]]:
    """Return the counts that readers look at first, before and after: all rows, and the commonest items."""
    rows, new = cast("Transactions", release.rows), release.patterns
    held = np.bincount(rows.itemsets.entries, minlength=len(rows.labels))
    common = np.argsort(-held, kind="stable")[:HEADLINES].tolist()
    listed = Patterns.from_itemsets([([rows.labels[code]], int(held[code])) for code in common], n=max(1, rows.n))
    pairs = zip(listed.supports.tolist(), supports_in(new, listed).tolist(), strict=True)
    lines = [(show_itemset(listed.labelled(at)), *pair) for at, pair in enumerate(pairs)]
    every = [([], rows.n, new.n), *sorted(lines, key=lambda line: -line[1])]
    return [{"items": items, "before": before, "after": after or None} for items, before, after in every]


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
