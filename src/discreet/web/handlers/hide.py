"""Hide: rows in which sensitive itemsets cannot be found, by one method with its files, or by all side by side."""

import os
import re
from io import BytesIO
from pathlib import Path
from shutil import copyfile, rmtree
from typing import Any, Final

import discreet
from discreet import BudgetError, Hidden, Transactions, read_sensitive
from discreet import report as reports
from discreet.data.thresholds import Threshold
from discreet.web.context import Context, list_files
from discreet.web.messages import say_on_page, show_labels

SECONDS: Final = 20.0
METHOD: Final = "iga"
UNSAFE: Final = re.compile(r"[^\w.\- ]+", re.ASCII)


def hide(
    context: Context,
    *,
    sensitive: str,
    disclosure: str | float = "0",
    method: str = METHOD,
    below: Threshold | None = None,
    min_support: Threshold | None = None,
    seconds: float = SECONDS,
) -> dict[str, Any]:
    """Hide sensitive itemsets, measure the cost, and write the rows."""
    rows, itemsets = context.rows(), read_sensitive(BytesIO(sensitive.encode()), format="text")
    context.stage("hiding")
    hidden = discreet.hide(
        rows,
        itemsets,
        disclosure=disclosure,
        method=method,
        below=below,
        seconds=seconds,
        index=context.index(),
        progress=context.advance,
    )
    measured, left_out = [], None
    if min_support is not None:
        try:
            measured = [hidden.measures(min_support, **context.budget("measuring"))]
        except BudgetError as error:
            left_out = say_on_page(error.message)
    facts = reports.hidden_facts(hidden, source=context.load().source, measured=measured, show_labels=True)
    for line in facts["sensitive"]:
        line["items"] = show_labels(line["items"])
    context.stage("writing")
    return {
        **facts,
        "entries": int(rows.offsets[-1] - rows.offsets[0]),
        "measures": next(iter(facts.get("measures", [])), None),
        "left_out": left_out,
        "files": list_files(*_write_files(context, hidden)),
    }


def compare_hiding(
    context: Context,
    *,
    sensitive: str,
    min_support: Threshold,
    disclosures: list[str | float] | None = None,
    below: Threshold | None = None,
    seconds: float = SECONDS,
) -> dict[str, Any]:
    """Compare all methods."""
    budget = context.budget("comparing")
    budget["progress"] = lambda done, _: context.advance(done, None)
    comparison = discreet.compare_hiding(
        context.rows(),
        read_sensitive(BytesIO(sensitive.encode()), format="text"),
        min_supports=[min_support],
        disclosures=disclosures or ["0"],
        below=below,
        seconds=seconds,
        index=context.index(),
        **budget,
    )
    facts = reports.hiding_comparison_facts(comparison, source=context.load().source)
    for line, compared in zip(facts["lines"], comparison.lines, strict=True):
        line["left_out"] = say_on_page(compared.left_out) or None
    return {**facts, "figure": reports.hiding_figure(comparison).facts}


def name_file(name: str, word: str = "") -> str:
    """Return a file name that is safe on any system, with a word after its stem.

    >>> name_file("my data.csv.gz", "-hidden"), name_file("../<b>.dat")
    ('my data-hidden.csv.gz', '_b_.dat')
    """
    plain = UNSAFE.sub("_", name.replace("\\", "/").rpartition("/")[2]).lstrip(". ")[-100:]
    stem, dot, suffixes = plain.partition(".")
    return f"{stem or 'rows'}{word}{dot}{suffixes}"


def _write_files(context: Context, hidden: Hidden) -> list[Path]:
    """Write the rows to share, in their own format, and apart the changes; a sample becomes CSV."""
    loaded, path = context.load(), context.data.path
    name = loaded.source.file if path else f"{loaded.source.file}.csv"
    source, folder = context.file("from") / name_file(name), context.file("shared")
    source.parent.mkdir()
    if path is None:
        discreet.write(Transactions(hidden.rows), source, format="csv")
    else:
        try:
            os.link(path, source)  # a second name, the one that its owner knows
        except OSError:  # another disk, or a system without links
            copyfile(path, source)
    try:
        discreet.write_hidden(hidden, folder, source=source, **loaded.options)
        target = context.file(name_file(name, "-hidden"))
        (folder / source.name).replace(target)
        return [target, context.pack(folder / reports.MARK)]
    finally:
        rmtree(source.parent)
        rmtree(folder, ignore_errors=True)
