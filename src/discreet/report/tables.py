"""Releases of tables of counts as text and JSON: the verdict, what it cost, and the table that would be published."""

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any, Final

from discreet.blocking.tables.block import METHODS, TableRelease
from discreet.data.counts import Counts
from discreet.data.reading import name_some
from discreet.io.read_back import list_records
from discreet.io.write_counts import render_counts
from discreet.judging import checks
from discreet.judging.checks import WIDTH
from discreet.report.findings import Source
from discreet.report.json import document, encoded
from discreet.report.text import aligned
from discreet.runtime.text import count_of, printable

MOST_LINES: Final = 20  # of a table that is shown


def table_release_text(release: TableRelease, *, source: Source | None = None) -> Iterator[str]:
    """Yield a release of tables in lines: the verdict, the checks, what it costs, and the first lines to publish."""
    yield printable(f"{release.verdict.name}: {_describe(release, source)}")
    yield from ("", *checks.list_checks(release.audit.checks))
    yield from ("", *wrap(release.reason, WIDTH))
    yield from ("", *(f"  {name}: {value}" for name, value in describe_costs(release).items()))
    name, file = next(iter(render_counts(release.counts).items()))
    lines = file.data.decode(file.encoding).splitlines()
    more = f", the first {MOST_LINES} of {len(lines):,} lines" * (len(lines) > MOST_LINES)
    yield from ("", printable(f"{name} as it would be published{more}:"))
    yield from (f"  {printable(line)}" for line in lines[:MOST_LINES])


def describe_costs(release: TableRelease) -> dict[str, str]:
    """Return what a release of tables loses, in words, for their owner alone."""
    costs, unread = release.costs, sum(len(sheet.list_unread()) for sheet in release.counts.sheets)
    people = f" ({costs.people_further:,} people in them)" * bool(costs.people_further)
    every = {
        "counts still shown": f"{costs.shown:,} of {costs.cells:,}",
        "small counts masked": f"{costs.masked_primary:,}" if costs.masked_primary else "",
        "further counts masked": f"{costs.masked_further:,}{people}" if costs.masked_further else "",
        "counts left out": f"{costs.lost:,}" if costs.lost else "",
        "lines that could not be read": f"{unread:,}, all left out" if unread else "",
        "left out of the file": ", ".join(_list_left_out(release.original)),
        "largest change": f"{costs.largest_change:,} ({costs.average_change:.2g} on average)"
        * bool(costs.largest_change),
    }
    return {name: value for name, value in every.items() if value}


def _list_left_out(counts: Counts) -> Iterator[str]:
    """Yield the columns and the lines of text of the files that no table was read from: they are not written."""
    for sheet in counts.sheets:
        records = list(list_records(sheet))
        used = {place.column for one in records for place, _ in one.list_read(sheet)}
        head = next((one for one in records if any(one.list_read(sheet))), None)
        columns = [] if head is None else [at for at in head.list_unread(sheet) if at not in used]
        names = [head.fields[at - 1].strip() for at in columns] if head is not None else []
        if names:
            yield f"the column{'s' * (len(names) > 1)} {name_some(names)}"
        texts = [one for one in records if not any(one.list_read(sheet)) and one.list_unread(sheet)]
        numbers = {*sheet.list_unread()}  # which are told apart
        lines = sum(one.number not in numbers for one in texts)
        if lines:
            yield f"{count_of(lines, 'line')} of text"


def table_release_json(release: TableRelease, *, source: Source | None = None) -> Iterator[bytes]:
    """Yield a release of tables as JSON: the verdict, the cost, and every cell that is published."""
    facts: dict[str, Any] = {
        "verdict": release.verdict.name,
        "policy": release.policy.facts(),
        "k": release.policy.k,
        "method": release.method,
        "what": str(release.counts),
        "input": source._asdict() if source else None,
        "reason": release.reason,
        "proof": None if release.proof is None else {**release.proof._asdict(), "gap": release.proof.gap},
        "costs": release.costs._asdict(),
    }
    cells = (
        encoded({"table": table.name, "at": cell.at, "published": cell.mark or [cell.low, cell.high]})
        for table in release.counts.tables
        for cell in table.cells
    )
    lists = {"checks": (encoded({**one._asdict(), "verdict": one.verdict.name}) for one in release.audit.checks)}
    yield from document("table release", facts, {**lists, "cells": cells})


def table_comparison_text(
    made: Sequence[tuple[str, TableRelease | None, str]], *, source: Source | None = None, command: str
) -> Iterator[str]:
    """Yield what each method makes of tables, side by side: each with its release, or why it made none."""
    best = next((release for _, release, _ in made if release is not None), None)
    if best is not None:
        yield printable(f"{source.file + ', ' if source else ''}{best.original}; k = {best.policy.k:,}.")
        yield ""
    lines = [["method", "verdict", "shown", "masked", "left out", "largest change"]]
    for method, release, why in made:
        costs = None if release is None else release.costs
        lines.append(
            [method, "-" if release is None else release.verdict.name]
            + ([why, "", "", ""] if costs is None else _list_costs(costs))
        )
    yield from aligned([line for line in lines if line[3] or line is lines[0]], first="<")
    yield from (printable(f"  {method}: {why}") for method, release, why in made if release is None)
    if best is not None:
        yield from ("", *wrap(best.reason, WIDTH), f"Do it:  {command}")


def _list_costs(costs: Any) -> list[str]:  # noqa: ANN401 - TableCosts
    masked = costs.masked_primary + costs.masked_further
    return [f"{costs.shown:,} of {costs.cells:,}", f"{masked:,}", f"{costs.lost:,}", f"{costs.largest_change:,}"]


def _describe(release: TableRelease, source: Source | None) -> str:
    rule = f"k = {release.policy.k:,}" if release.policy.name == "k" else f"policy {release.policy.name}"
    how = METHODS[release.method].how
    file = f"{source.file}, " if source else ""
    return f"{file}{release.counts}; {rule}; {release.method}: {how}."
