"""Audit: whether data may be published, how that depends on the thresholds, and the report."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, Unpack

import numpy as np

import discreet
from discreet import Audit, BudgetError, Patterns, Tradeoff, Transactions, Verdict, mine
from discreet import report as reports
from discreet.data.thresholds import Threshold
from discreet.runtime.text import count_of
from discreet.web.context import Context, list_files
from discreet.web.handlers.findings import show_finding
from discreet.web.handlers.judging import Rule, describe_verdict, judge
from discreet.web.messages import call_people

GRIDS: Final = (
    ("5%", "10%", "15%", "20%", "25%", "30%"),
    ("10%", "20%", "30%", "40%", "50%", "60%"),
    ("30%", "40%", "50%", "60%", "70%", "80%"),
    ("60%", "65%", "70%", "80%", "90%", "95%"),
)
"""Minimum supports to compare by default: the first line whose lowest one has few enough itemsets."""
FEW_ENOUGH: Final = 200_000
ONLY_N: Final = "Only the number of rows would be published."
KS: Final = (3, 5, 10, 20, 30, 50)


def audit(context: Context, *, noun: str = "", **rule: Unpack[Rule]) -> dict[str, Any]:
    """Judge what publishing would give away; ``noun`` is what a row is called, such as patients."""
    judged, loaded = judge(context, rule), context.load()
    worst, exposed = reports.decisive(judged), judged.exposed_if_known
    smallest = [] if exposed is None else [{"count": count, "rows": rows} for count, rows in exposed.histogram()]
    context.stage("drawing")
    return {
        **describe_verdict(judged),
        "sentence": call_people(judged.sentence, noun),
        "policy": rule.get("policy"),
        "holds": loaded.holds,
        "reading": loaded.reading,
        "decisive": None if worst is None else show_finding(worst, noun),
        "findings": sum(group.total for group in judged.groups),
        "counted": "rows" if judged.people is None else "people",
        "exposed": None if exposed is None else {"rows": exposed.rows, "smallest": smallest},
        "is_acyclic": judged.is_acyclic,
        "nothing": _describe_nothing(context, judged, rule),
        **(_describe_itemsets(judged) if isinstance(judged.candidate, Patterns) else {}),
    }


def _describe_nothing(context: Context, judged: Audit, rule: Rule) -> dict[str, Any] | None:
    """Return that nothing would be published, with a minimum support that gives something; None if something would."""
    patterns = judged.candidate
    if not isinstance(patterns, Patterns) or patterns.itemsets.longest > 0:
        return None
    if not isinstance(judged.rows, Transactions) or not judged.rows.n:
        return {"min_support": None, "sentence": "The list is empty: there is nothing to publish."}
    held: list[int] = np.sort(np.bincount(judged.rows.itemsets.entries)).tolist()
    second, most = [0, 0, *held][-2:]
    if most < judged.k:
        return {"min_support": None, "sentence": f"{ONLY_N} No item is shared by {judged.k:,} people or more."}
    common = f"The commonest item is shared by {most:,} of {count_of(judged.rows.n, 'row')}"
    return {
        "min_support": _find_safe(context, rule, [max(judged.k, most // 2), max(judged.k, second)]),
        "sentence": f"{ONLY_N} {common}, and {patterns.min_support:,} are asked for.",
    }


def _find_safe(context: Context, rule: Rule, least: Sequence[int]) -> str:
    """Return the first of these minimum supports whose verdict is RELEASE; the first of all if there is none."""
    for one in map(str, least):
        with suppress(BudgetError):
            if judge(context, {**rule, "min_support": one}).verdict is Verdict.RELEASE:
                return one
    return str(least[0])


def _describe_itemsets(judged: Audit) -> dict[str, Any]:
    patterns = judged.patterns
    return {
        "n": patterns.n,
        "min_support": patterns.min_support,
        "share": reports.share(patterns.min_support, patterns.n),
        "kind": patterns.kind,
        "max_length": patterns.max_length,
        "itemsets": len(patterns),
        "channels": None if judged.evidence.channels is None else len(judged.evidence.channels),
        "cell_sizes": reports.cell_sizes_figure(judged).facts,
    }


def tradeoff(
    context: Context,
    *,
    ks: list[int] | None = None,
    min_supports: list[Threshold] | None = None,
    k: int | None = None,
    max_length: int | None = None,
    leave_out: Sequence[str] = (),
) -> dict[str, Any]:
    """Count channels for each minimum support and k; the figure highlights ``k``."""
    every = {*(ks or KS), *([] if k is None else [k])}
    grid = _compare(context, min_supports or _choose_grid(context), every, max_length, leave_out)
    return {
        "n": grid.n,
        "min_supports": grid.min_supports,
        "ks": grid.ks,
        "itemsets": grid.itemsets.tolist(),
        "channels": grid.channels.tolist(),
        "exposed": grid.exposed.tolist(),
        "safe": [{"k": k, "min_support": least} for k, least in grid.safe.items()],
        "figure": reports.tradeoff_figure(grid, k=k).facts,
    }


def report(context: Context, **rule: Unpack[Rule]) -> dict[str, Any]:
    """Write the report of an audit as one HTML file."""
    judged, loaded, grid = judge(context, rule), context.load(), None
    if loaded.rows is not None:
        ks, length = {*KS, judged.k}, judged.patterns.max_length
        grid = _compare(context, _choose_grid(context), ks, length, rule.get("leave_out", ()))
    context.stage("writing")
    path = context.file("report.html")
    path.write_text(judged.to_html(tradeoff=grid, source=loaded.source), encoding="utf-8")
    return {"files": list_files(path)}


def _compare(
    context: Context,
    min_supports: Sequence[Threshold],
    ks: set[int],
    max_length: int | None = None,
    leave_out: Sequence[str] = (),
) -> Tradeoff:
    return discreet.tradeoff(
        context.rows(),
        min_supports=min_supports,
        ks=sorted(ks),
        max_length=max_length,
        leave_out=leave_out,
        progress=context.budget("comparing")["progress"],
    )


def _choose_grid(context: Context) -> Sequence[str]:
    for grid in GRIDS[:-1]:
        with suppress(BudgetError):
            mine(context.rows(), min_support=grid[0], **context.budget("comparing", max_patterns=FEW_ENOUGH))
            return grid
    return GRIDS[-1]
