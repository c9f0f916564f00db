"""Block: the methods side by side, and a release by one of them, with its files.

``compare`` gives ``methods`` (for each ``name``, ``method``, ``merge``, ``average``, ``lost``, ``changed``,
``itemsets``, ``largest``, ``suppressed``, ``added``, ``n``, ``listed``, ``seconds``, ``left_out``; a method that was
left out has null for what it did not make), ``best`` (the name of one), ``recommendation`` and ``figure``.

``block`` gives what the library tells of a release to its owner, and ``verdict``, ``guarantee`` (or ``advice``),
``before_after`` (a figure), ``changes`` (``items``, ``before``, ``after``: the 200 largest; ``after`` is null for what
is lost), ``changed`` (how many closed itemsets changed) and ``files``: release.zip with what may go out, report.html
that may go with it, and DO-NOT-RELEASE.zip with what must not: what was changed, and a report of what that cost. Where
there is nothing to publish, or the policy withholds it, only the last is there.
"""

from pathlib import Path
from shutil import rmtree
from typing import Any, Final

import numpy as np

import discreet
from discreet import Audit, Patterns, Release, Verdict
from discreet import report as reports
from discreet.blocking.block import BEST, ComparedMethod
from discreet.blocking.distortion import supports_in
from discreet.web.archive import pack
from discreet.web.context import Desk, shown
from discreet.web.messages import in_pages, on_page

SECONDS: Final = 20.0
"""How long the search for the least distortion may take unless told: a person waits for it."""
MOST_CHANGES: Final = 200


def compare(
    desk: Desk, *, min_support: str | int, k: int | None = None, policy: str | None = None, seconds: float = SECONDS
) -> dict[str, Any]:
    """Return what each method makes of the rows."""
    rows = desk.rows()
    asked: Any = {"min_support": min_support, "k": k, "policy": policy, "seconds": seconds}
    found = discreet.compare(rows, **asked, **desk.budget("comparing"))
    made = [(line.method, line.merge, line.release) for line in found.lines if line.release is not None]
    for method, merge, release in [*made, (BEST, False, found.best)]:
        desk.shelf.put("release", (desk.key, min_support, k, policy, method, merge, False, seconds), release)
    return {
        "methods": [_line(line) for line in found.lines],
        "best": found.best_name,
        "recommendation": found.recommendation,
        "figure": reports.comparison_figure(found),
    }


def block(
    desk: Desk,
    *,
    min_support: str | int,
    k: int | None = None,
    policy: str | None = None,
    method: str = BEST,
    merge: bool = False,
    keep_n: bool = False,
    seconds: float = SECONDS,
) -> dict[str, Any]:
    """Return a release that is safe, and its files."""
    rows = desk.rows()

    def made() -> Release:
        asked: Any = {"method": method, "merge": merge, "keep_n": keep_n, "seconds": seconds}
        return discreet.block(rows, min_support=min_support, k=k, policy=policy, **asked, **desk.budget("blocking"))

    release = desk.shelf.take("release", (desk.key, min_support, k, policy, method, merge, keep_n, seconds), made)
    desk.stage("writing")
    audit, verdict = release.audit, release.verdict
    changes = _changes(release)
    return {
        **reports.release_facts(release),
        "verdict": verdict.name,
        **_judged(audit),
        "before_after": reports.before_after_figure(release),
        "changed": len(changes),
        "changes": changes[:MOST_CHANGES],
        "files": desk.files(*_written(desk, release, is_public=audit is not None and verdict is not Verdict.WITHHOLD)),
    }


def _line(line: ComparedMethod) -> dict[str, Any]:
    release = line.release
    costs = ("average", "lost", "changed", "itemsets", "largest")
    told: dict[str, Any] = dict.fromkeys([*costs, "suppressed", "added", "n", "listed"])
    if release is not None:
        told |= {cost: getattr(release.distortion, cost) for cost in costs}
        told |= {"suppressed": release.rows_suppressed, "added": release.rows_added}
        told |= {"n": release.patterns.n, "listed": len(release.patterns)}
    ending = {"seconds": round(line.seconds, 3), "left_out": in_pages(line.left_out) or None}
    return {"name": line.name, "method": line.method, "merge": line.merge, **told, **ending}


def _judged(audit: Audit | None) -> dict[str, str | None]:
    """Return what a release promises, or what is to be done about it."""
    if audit is None:
        return {
            "guarantee": None,
            "advice": "There is nothing to publish: lower k or the minimum support, or add rows.",
        }
    is_good = audit.verdict is Verdict.RELEASE
    words = audit.promise or audit.advice.say(on_page)
    return {"guarantee": words if is_good else None, "advice": None if is_good else words}


def _changes(release: Release) -> list[dict[str, Any]]:
    """Return the closed itemsets, before or after, whose support has changed, the largest change first."""
    old, new = release.original, release.patterns
    found: dict[frozenset[object], tuple[int, int]] = {}
    for listed in (old, new):
        before, after = _supports(old, listed), _supports(new, listed)
        for at in np.flatnonzero(before != after).tolist():
            found[frozenset(listed.labelled(at))] = int(before[at]), int(after[at])
    texts = ((shown(sorted(map(str, itemset))), *pair) for itemset, pair in found.items())
    ranked = sorted(texts, key=lambda line: (-abs(line[1] - line[2]), line[0]))
    return [{"items": items, "before": before, "after": after or None} for items, before, after in ranked]


def _supports(patterns: Patterns, itemsets: Patterns) -> Any:  # noqa: ANN401 - an array of counts
    return itemsets.supports if patterns is itemsets else supports_in(patterns, itemsets)


def _written(desk: Desk, release: Release, *, is_public: bool) -> list[Path]:
    """Write the files of a release: what may go out, and apart what must not."""
    source = desk.loaded().source
    folder = desk.file("release")
    private = folder / reports.MARK
    if is_public:
        discreet.write_release(release, folder, source=source)
    else:
        private.mkdir(parents=True, mode=0o700)
    _write(private / "report.html", release.to_html(source=source, private=True))
    apart = desk.file(f"{reports.MARK}.zip")
    pack(apart, reports.MARK, sorted(private.iterdir()))
    rmtree(private)
    paths = [apart]
    if is_public:
        paths = [desk.file("release.zip"), apart, desk.file("report.html")]
        pack(paths[0], "release", sorted(folder.iterdir()))
        _write(paths[2], release.to_html(source=source))
    rmtree(folder)
    return paths


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
