"""Tables: published tables of counts, how they were read, and which small counts can be worked out from them."""

import csv
from collections import Counter
from pathlib import Path
from typing import Any, Final, TypedDict, Unpack

import discreet
from discreet import Audit, Counts, InputError, read_counts
from discreet.data.counts import PEOPLE, UNKNOWN, State
from discreet.publications.counts.revealed import Revealed
from discreet.report import printable
from discreet.report.html.tables import Field, Grid, show_tables
from discreet.web.context import Context, list_files
from discreet.web.messages import describe_reading, on_page, say_on_page, show_labels

MOST_FINDINGS: Final = 200
MOST_MARKS: Final = 20
MOST_COLUMNS: Final = 100
LONGEST_SUM: Final = 2_000


class TableOptions(TypedDict, total=False):
    """How tables of counts are read, as ``read_counts`` takes it."""

    counts: str
    totals: list[str]
    masked: list[str]
    round_to: int
    drop: list[str]
    sheet: str
    separator: str
    encoding: str


def tables(
    context: Context, *, k: int | None = None, policy: str | None = None, **how: Unpack[TableOptions]
) -> dict[str, Any]:
    """Judge tables of counts: show them, mark what can be worked out, and write the report."""
    counts = _read(context, how)
    context.stage("auditing")
    judged = discreet.audit(counts, k=k, policy=policy)
    context.stage("writing")
    path = context.file("report.html")
    path.write_text(judged.to_html(source=context.source()), encoding="utf-8")
    found, grids = (*judged.evidence.cells, *judged.evidence.shown), show_tables(judged)
    return {
        "file": context.data.file,
        **_judge(judged),
        "policy": policy,
        "reading": None if counts.reading is None else describe_reading(counts.reading),
        "marks": _list_marks(counts),
        "columns": _list_columns(counts),
        "cells": len(counts),
        "masked": sum(cell.state is State.MASKED for cell in counts),
        "tables": list(map(_describe_table, grids)),
        "total_tables": len(counts.tables),
        "findings": list(map(_describe, found[:MOST_FINDINGS])),
        "total_findings": len(found),
        "files": list_files(path),
    }


def _read(context: Context, how: TableOptions) -> Counts:
    """Return the tables of a file; they are kept, since several thresholds are usually tried."""
    path = context.data.path
    if path is None:
        raise InputError("a sample holds no tables of counts; choose a file")
    context.stage("reading")
    key = ("tables", context.data.id, repr(sorted(how.items())))
    return context.cache.get("data", key, lambda: read_counts(Path(path), **how))


def _judge(judged: Audit) -> dict[str, Any]:
    return {
        "verdict": judged.verdict.name,
        "sentence": judged.sentence,
        "k": judged.k,
        "checks": [
            {**check._asdict(), "verdict": check.verdict.name, "sentence": say_on_page(check.sentence)}
            for check in judged.checks
        ],
        "warnings": judged.warnings,
        "guarantee": judged.promise or None,
        "advice": judged.advice.say(on_page) or None,
    }


def _list_marks(counts: Counts) -> list[dict[str, Any]]:
    """Return the marks in the place of counts, the commonest first, and what each was taken for.

    A blank is a mark too, unless a share stands in its place.
    """
    many = Counter[tuple[str, int, int]]()
    for table in counts.tables:
        shares = {ratio.part for ratio in table.ratios}
        masked = (cell for cell in table.cells if cell.state is State.MASKED and cell.place is not None)
        many.update((cell.mark, cell.low, cell.high) for cell in masked if cell.mark or cell.at not in shares)
    return [
        {"mark": show_labels([mark])[0], "low": low, "high": None if high >= UNKNOWN else high, "cells": cells}
        for (mark, low, high), cells in many.most_common(MOST_MARKS)
    ]


def _list_columns(counts: Counts) -> list[str]:
    """Return the fields of the first line of a file, one of which may be the column of counts."""
    if len(counts.sheets) != 1:
        return []
    sheet = counts.sheets[0]
    first = next(csv.reader(sheet.text.splitlines()[:1], delimiter=sheet.separator), [])
    return show_labels([field for field in first if field.strip()][:MOST_COLUMNS])


def _describe_table(grid: Grid) -> dict[str, Any]:
    lines = [[_describe_field(field) for field in line] for line in grid.lines]
    return {**grid._asdict(), "lines": lines, "sums": list(map(_cut, grid.sums))}


def _describe_field(field: Field) -> dict[str, Any]:
    """Return a field; what is learned of it only if anything is."""
    told = field._asdict() if field.found else {"text": field.text, "kind": field.kind}
    return {name: value for name, value in told.items() if value is not None}


def _describe(one: Revealed) -> dict[str, Any]:
    who = one.who if one.counted == PEOPLE else f"{one.counted}: {one.who}"
    facts = {"kind": one.kind, "who": show_labels([who])[0], "low": one.low, "high": one.high}
    return {**facts, "sum": _cut(printable(one.sentence))}


def _cut(text: str) -> str:
    """Return a sum, cut if nobody would read all of it; the command line lists it in full."""
    return text if len(text) <= LONGEST_SUM else f"{text[:LONGEST_SUM]}…"
