"""Advice in words: what would be given away, what causes it, and what could be done, side by side."""

from collections.abc import Callable, Iterator
from textwrap import wrap
from typing import Any, Final

from discreet import __version__
from discreet.blocking.advise import Advice, Cause, Remedy
from discreet.data.thresholds import say_least
from discreet.errors import on_command_line
from discreet.judging.checks import WIDTH
from discreet.judging.policy import Verdict
from discreet.report.findings import Source
from discreet.report.release import cost_facts
from discreet.report.text import aligned, indented
from discreet.runtime.text import count_of, percent, points, printable

SHOWN: Final = 8  # causes
HEAD: Final = ["", "verdict", "kept", "n", "items", "share of n", "average", "rows touched"]
LEGEND: Final = (
    "kept: itemsets of all that was asked for. items, share of n: the largest change of a single item, of its count "
    "and in percentage points. average: the mean change of all itemsets, where a lost one counts as 100%. rows "
    "touched: rows that were left out or invented."
)


def advice_text(
    advice: Advice, *, source: Source | None = None, say: Callable[[Remedy], str] | None = None
) -> Iterator[str]:
    """Yield the advice for a terminal; ``say`` returns the command that does what a remedy did.

    >>> from discreet import advise
    >>> rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
    >>> next(advice_text(advise(rows, min_support=10, k=10)))
    'WITHHOLD as it is: 3 closed itemsets, each held by at least 10 of 100 rows (10%); k = 10.'
    """
    found = advice.audit
    patterns, file = found.patterns, f"{source.file}: " if source else ""
    least = say_least(patterns.min_support, patterns.n)
    listed = f"{len(patterns):,} {patterns.kind} itemsets, each held by {least}"
    yield printable(f"{file}{found.verdict.name} as it is: {listed}; k = {found.k:,}.")
    total = sum(group.total for group in found.groups)
    for noun, causes in (("items", advice.items), ("columns", advice.attributes)):
        if causes:
            yield from ("", f"The {noun} that {count_of(total, 'finding')} {'is' if total == 1 else 'are'} about:")
            yield from aligned([["", "findings", "their share"], *map(_show_cause, causes[:SHOWN])], first="<")
    yield from ("", "What could be done, tried:")
    yield from aligned([HEAD, *map(_show, advice.remedies)], first="<")
    yield from ("", *wrap(LEGEND, WIDTH))
    for remedy in advice.remedies:
        if remedy.left_out:
            yield from ("", *wrap(printable(f"Not tried to the end: {remedy.what}: {remedy.left_out}"), WIDTH))
    yield from ("", *wrap(printable(advice.recommendation.say(on_command_line)), WIDTH))
    if say is not None and advice.best is not None:
        yield from ("", f"  {printable(say(advice.best))}")


def _show_cause(cause: Cause) -> list[str]:
    return [printable(str(cause.name)), f"{cause.findings:,}", f"{float(cause.share):,.1f}"]


def _show(remedy: Remedy) -> list[str]:
    what, cost = printable(remedy.what), remedy.costs
    if cost is None or remedy.verdict is None:
        return [what, *"-" * (len(HEAD) - 1)]
    kept = f"{remedy.kept:,} of {cost.itemsets.itemsets:,}"
    changes = percent(cost.items.largest), points(cost.shares.largest), percent(cost.itemsets.average)
    return [what, remedy.verdict.name, kept, f"{cost.n_after:,}", *changes, f"{remedy.rows_touched:,}"]


def advice_facts(advice: Advice) -> dict[str, Any]:
    """Return the advice as facts, for the owner of the rows."""
    return {
        "verdict": advice.audit.verdict.name,
        "items": [_list_cause(cause) for cause in advice.items],
        "attributes": [_list_cause(cause) for cause in advice.attributes],
        "remedies": [_list_remedy(remedy) for remedy in advice.remedies],
        "recommendation": advice.recommendation,
        "best": 0 if advice.best is not None else None,
    }


def _list_cause(cause: Cause) -> dict[str, Any]:
    return {"name": str(cause.name), "findings": cause.findings, "share": float(cause.share)}


def _list_remedy(remedy: Remedy) -> dict[str, Any]:
    return {
        "what": remedy.what,
        "options": {
            name: [*map(str, value)] if isinstance(value, tuple) else value for name, value in remedy.options.items()
        },
        "verdict": None if remedy.verdict is None else remedy.verdict.name,
        "kept": remedy.kept,
        "rows_touched": remedy.rows_touched,
        "distortion": None if remedy.costs is None else remedy.costs.itemsets._asdict(),
        "costs": None if remedy.costs is None else cost_facts(remedy.costs),
        "left_out": remedy.left_out or None,
    }


def advice_json(
    advice: Advice, *, source: Source | None = None, say: Callable[[Remedy], str] | None = None
) -> Iterator[bytes]:
    """Yield the advice as JSON, for the owner of the rows."""
    facts = advice_facts(advice)
    for remedy, line in zip(advice.remedies, facts["remedies"], strict=True):
        line["command"] = None if say is None or remedy.verdict is not Verdict.RELEASE else say(remedy)
    head = {"discreet": __version__, "report": "advice", "input": source._asdict() if source else None}
    yield from indented({**head, **facts})
