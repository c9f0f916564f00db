"""Audit: whether a candidate may be published, how that changes with the thresholds, and a report to take away.

``audit`` gives ``verdict`` (RELEASE, REVIEW or WITHHOLD), ``sentence`` (what was judged), ``k``, ``n``, ``min_support``
(a count), ``share`` (that count as text, "5%"), ``kind``, ``itemsets`` (how many), ``policy`` (its name, or null),
``checks`` (``name``, ``verdict``, ``sentence``), ``channels`` (how many; null where they cannot be looked for),
``differences`` (how many, where only these can be), ``exposed`` (null, or ``rows`` and ``smallest``: how many rows by
the ``count`` of the smallest channel that singles them out), ``is_acyclic``, ``warnings``, ``guarantee`` (null unless
the verdict is RELEASE), ``advice`` (null if it is), and ``cell_sizes``, a figure.

``tradeoff`` gives ``n``, ``min_supports`` (counts), ``ks``, ``itemsets``, ``channels`` and ``exposed`` (a line for each
minimum support), ``safe`` (``k`` and the smallest safe ``min_support``, or null), and ``figure``.
"""

import json
from collections.abc import Sequence
from typing import Any, Final

import discreet
from discreet import Audit, BudgetError, Tradeoff, mine
from discreet import report as reports
from discreet.web.context import Desk
from discreet.web.messages import on_page

GRIDS: Final = (
    ("5%", "10%", "15%", "20%", "25%", "30%"),
    ("10%", "20%", "30%", "40%", "50%", "60%"),
    ("30%", "40%", "50%", "60%", "70%", "80%"),
    ("60%", "65%", "70%", "80%", "90%", "95%"),
)
"""Minimum supports to compare unless told: the first line whose lowest one has few enough itemsets."""
FEW_ENOUGH: Final = 200_000
KS: Final = (3, 5, 10, 20, 30, 50)


def audit(
    desk: Desk, *, min_support: str | int | None = None, k: int | None = None, policy: str | None = None
) -> dict[str, Any]:
    """Return what publishing would give away, judged."""
    found = audited(desk, min_support=min_support, k=k, policy=policy)
    patterns, exposed = found.patterns, found.exposed
    desk.stage("drawing")
    return {
        "verdict": found.verdict.name,
        "sentence": next(iter(reports.audit_text(found, explain=0))).partition(": ")[2],
        "k": found.policy.k,
        "n": patterns.n,
        "min_support": patterns.min_support,
        "share": reports.share(patterns.min_support, patterns.n),
        "kind": patterns.kind,
        "itemsets": len(patterns),
        "policy": policy,
        "checks": [{**check._asdict(), "verdict": check.verdict.name} for check in found.checks],
        "channels": None if found.channels is None else len(found.channels),
        "differences": len(found.differences),
        "exposed": None if exposed is None else {"rows": exposed.rows, "smallest": _smallest(exposed)},
        "is_acyclic": found.is_acyclic,
        "warnings": found.warnings,
        "guarantee": found.promise or None,
        "advice": found.advice.say(on_page) or None,
        "cell_sizes": reports.cell_sizes_figure(found),
    }


def audited(desk: Desk, *, min_support: str | int | None, k: int | None, policy: str | None) -> Audit:
    """Return the audit of the data, made once for the same thresholds."""
    rows, patterns = desk.loaded()[:2]

    def made() -> Audit:
        if rows is None:
            desk.stage("auditing")
            return discreet.audit(patterns, k=k, policy=policy)  # type: ignore[arg-type]  # there are rows or patterns
        return discreet.audit(rows, min_support=min_support, k=k, policy=policy, **desk.budget("auditing"))

    return desk.shelf.take("audit", (desk.key, None if rows is None else min_support, k, policy), made)


def tradeoff(
    desk: Desk, *, ks: list[int] | None = None, min_supports: list[str | int] | None = None, k: int | None = None
) -> dict[str, Any]:
    """Return the numbers of channels for each minimum support and k; the curve of ``k`` stands out."""
    grid = _compared(desk, min_supports or _supports(desk), {*(ks or KS), *([] if k is None else [k])})
    told: dict[str, Any] = json.loads(b"".join(reports.tradeoff_json(grid)))
    return {**told, "figure": reports.tradeoff_figure(grid, k=k)}


def report(
    desk: Desk, *, min_support: str | int | None = None, k: int | None = None, policy: str | None = None
) -> dict[str, Any]:
    """Return the report of an audit as one file of HTML."""
    found, loaded = audited(desk, min_support=min_support, k=k, policy=policy), desk.loaded()
    grid = None if loaded.rows is None else _compared(desk, _supports(desk), {*KS, found.policy.k})
    desk.stage("writing")
    path = desk.file("report.html")
    path.write_text(found.to_html(tradeoff=grid, source=loaded.source), encoding="utf-8")
    return {"files": desk.files(path)}


def _compared(desk: Desk, min_supports: Sequence[str | int], ks: set[int]) -> Tradeoff:
    return discreet.tradeoff(desk.rows(), min_supports=min_supports, ks=sorted(ks), progress=desk.mining("comparing"))


def _supports(desk: Desk) -> Sequence[str]:
    """Return the minimum supports to compare: the first line whose lowest one has few enough itemsets."""
    return next((grid for grid in GRIDS if _is_light(desk, grid[0])), GRIDS[-1])


def _is_light(desk: Desk, min_support: str) -> bool:
    try:
        mine(desk.rows(), min_support=min_support, **{**desk.budget("comparing"), "max_patterns": FEW_ENOUGH})
    except BudgetError:
        return False
    return True


def _smallest(exposed: discreet.Exposed) -> list[dict[str, int]]:
    return [{"count": count, "rows": rows} for count, rows in exposed.histogram()]
