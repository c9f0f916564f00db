"""Hide: items to pick from, combinations and their supports, all methods for one goal, and the files of one."""

import os
import re
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from shutil import copyfile, rmtree
from typing import Any, Final, NotRequired, TypeAlias, TypedDict, Unpack

import numpy as np

import discreet
from discreet import BudgetError, Hidden, InputError, Transactions, read_sensitive
from discreet import report as reports
from discreet.data.itemsets import Itemset
from discreet.data.thresholds import Threshold
from discreet.hiding.hide import METHODS
from discreet.io.formats.sensitive import NamedItemsets
from discreet.web.context import Context, list_files
from discreet.web.handlers.findings import split_words
from discreet.web.messages import say_on_page, show_labels

SECONDS: Final = 20.0
METHOD: Final = "iga"
LARGEST_PAGE: Final = 200
ITEMSET: Final = re.compile("(sensitive )?itemset")  # the page speaks of combinations
UNSAFE: Final = re.compile(r"[^\w.\- ]+", re.ASCII)

Combinations: TypeAlias = str | list[list[int]]  # as text, or by the numbers of their items


class Goal(TypedDict):
    """What is to be hidden and how far: to a share of its rows, or ``below`` a support; and how long to search."""

    sensitive: Combinations
    disclosure: NotRequired[str | float]
    below: NotRequired[Threshold]
    seconds: NotRequired[float]


def items(context: Context, *, search: str = "", offset: int = 0, limit: int = 50) -> dict[str, Any]:
    """List a page of the items whose label has all words of a search, the commonest first."""
    rows, words = context.rows(), split_words(search)
    supports = np.bincount(rows.itemsets.entries, minlength=len(rows.labels))
    order = np.argsort(-supports, kind="stable")[: np.count_nonzero(supports)].tolist()
    if words:
        folded = [str(label).casefold() for label in rows.labels]
        order = [number for number in order if all(word in folded[number] for word in words)]
    page = order[offset : offset + min(limit, LARGEST_PAGE)]
    return {
        "matching": len(order),
        "items": [{**item, "support": int(supports[item["number"]])} for item in _show(rows, page)],
    }


def combinations(context: Context, *, sensitive: Combinations) -> dict[str, Any]:
    """Return combinations by the numbers of their items, with the rows that have each; one goal is for all of them."""
    rows, itemsets = context.rows(), _read(context, sensitive)
    if isinstance(itemsets, NamedItemsets):
        for place, share in zip(itemsets.places, itemsets.disclosures, strict=True):
            if share is not None:
                raise InputError(f"{place} has a share of its own after @; leave it out: one goal is for all lines")
        itemsets = itemsets.among(rows.code)
    codes = [sorted(rows.code[label] for label in itemset) for itemset in itemsets]
    held = context.index().rows_of_each(codes)
    lines = [{"items": _show(rows, one), "support": int(found.size)} for one, found in zip(codes, held, strict=True)]
    return {"combinations": lines}


def compare_hiding(context: Context, *, min_support: Threshold, **goal: Unpack[Goal]) -> dict[str, Any]:
    """Run all methods for one goal; the one that loses the fewest other itemsets, then the fewest items, is first."""
    budget = context.budget("comparing")
    budget["progress"] = lambda done, _: context.advance(done, None)
    comparison = discreet.compare_hiding(
        context.rows(),
        _read(context, goal["sensitive"]),
        min_supports=[min_support],
        disclosures=[goal.get("disclosure", 0)],
        below=goal.get("below"),
        seconds=goal.get("seconds", SECONDS),
        index=context.index(),
        **budget,
    )
    facts = reports.hiding_comparison_facts(comparison, source=context.load().source)
    lines = [
        {
            **{name: line[name] for name in ("method", "rows_touched", "items_removed")},
            "how": ITEMSET.sub("combination", METHODS[line["method"]].summary),
            "measures": next(iter(line["measures"]), None),
            "left_out": say_on_page(compared.left_out) or None,
        }
        for line, compared in zip(facts["lines"], comparison.lines, strict=True)
    ]
    return {
        "rows": comparison.n,
        "entries": context.rows().itemsets.size,
        "min_support": min(comparison.min_supports),
        "lines": sorted(lines, key=_rank),
    }


def hide(
    context: Context, *, method: str = METHOD, min_support: Threshold | None = None, **goal: Unpack[Goal]
) -> dict[str, Any]:
    """Hide sensitive itemsets, measure the cost, and write the rows."""
    rows, itemsets = context.rows(), _read(context, goal["sensitive"])
    context.stage("hiding")
    hidden = discreet.hide(
        rows,
        itemsets,
        disclosure=goal.get("disclosure", 0),
        method=method,
        below=goal.get("below"),
        min_support=min_support,
        seconds=goal.get("seconds", SECONDS),
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
        "entries": rows.itemsets.size,
        "measures": next(iter(facts.get("measures", [])), None),
        "left_out": left_out,
        "files": list_files(*_write_files(context, hidden)),
    }


def _read(context: Context, sensitive: Combinations) -> NamedItemsets | list[Itemset]:
    """Return sensitive itemsets as the library takes them."""
    if isinstance(sensitive, str):
        return read_sensitive(BytesIO(sensitive.encode()), format="text")
    labels = context.rows().labels
    if any(number >= len(labels) for one in sensitive for number in one):
        raise InputError(f"an item has a number that is too large; there are {len(labels):,}, counted from 0")
    return [frozenset(labels[number] for number in one) for one in sensitive]


def _rank(line: dict[str, Any]) -> tuple[bool, int, int]:
    """Return the cost of a line: what was left out is last."""
    measured = line["measures"]
    return measured is None, *((measured["missed"], line["items_removed"]) if measured else (0, 0))


def _show(rows: Transactions, numbers: Iterable[int]) -> list[dict[str, Any]]:
    chosen = list(numbers)
    names = show_labels(rows.labels[number] for number in chosen)
    return [{"number": number, "item": name} for number, name in zip(chosen, names, strict=True)]


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
    name = loaded.source.file if path else f"{context.data.id}.csv"
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
