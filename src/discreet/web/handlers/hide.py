"""Hide: rows in which sensitive itemsets cannot be found, by one method with its files, or by all side by side.

``hide`` gives what the library tells of hidden rows to their owner: ``method``, ``rows``, ``rows_touched``,
``items_removed``, ``entries`` (items of all rows before), ``sensitive`` (``number``, ``items``, ``before``,
``at_most``, ``after``), ``measures`` (null, or ``hiding_failure``, ``misses_cost``, ``artifactual``, ``dissimilarity``
and the counts they come from) and ``left_out`` (why there are no measures, or null); and ``files``: the hidden rows in
the format that they came in, and DO-NOT-RELEASE.zip with what was removed where.

``compare_hiding`` gives ``lines`` (a method each, with its ``measures`` for each of ``min_supports``), ``best`` (the
place of one among them, or null), ``recommendation`` and ``figure``.
"""

import os
import re
from io import BytesIO
from pathlib import Path
from shutil import copyfile, rmtree
from typing import Any, Final

import discreet
from discreet import BudgetError, Hidden, InvertedFile, Transactions, read_sensitive
from discreet import report as reports
from discreet.web.archive import pack
from discreet.web.context import Desk, shown
from discreet.web.messages import in_pages

SECONDS: Final = 20.0
UNSAFE: Final = re.compile(r"[^\w.\- ]+", re.ASCII)


def hide(
    desk: Desk,
    *,
    sensitive: str,
    disclosure: str | float = "0",
    method: str = "iga",
    below: str | int | None = None,
    min_support: str | int | None = None,
    seconds: float = SECONDS,
) -> dict[str, Any]:
    """Return how well the sensitive itemsets are hidden and what that took, and the rows as files."""
    rows = desk.rows()
    named = read_sensitive(BytesIO(sensitive.encode()), format="text")
    desk.stage("hiding")
    asked: Any = {"disclosure": disclosure, "method": method, "below": below, "seconds": seconds}
    hidden = discreet.hide(rows, named, index=_index(desk, rows), progress=desk.progress, **asked)
    measured, left_out = [], None
    if min_support is not None:
        try:
            measured = [hidden.measures(min_support, **desk.budget("measuring"))]
        except BudgetError as error:
            left_out = in_pages(error.message)
    facts = reports.hidden_facts(hidden, source=desk.loaded().source, measured=measured, show_labels=True)
    for line in facts["sensitive"]:
        line["items"] = shown(line["items"])
    desk.stage("writing")
    return {
        **facts,
        "entries": int(rows.offsets[-1] - rows.offsets[0]),
        "measures": next(iter(facts.get("measures", [])), None),
        "left_out": left_out,
        "files": desk.files(*_written(desk, hidden)),
    }


def compare_hiding(
    desk: Desk,
    *,
    sensitive: str,
    min_support: str | int,
    disclosures: list[str | int] | None = None,
    below: str | int | None = None,
    seconds: float = SECONDS,
) -> dict[str, Any]:
    """Return what each method makes of the rows."""
    rows = desk.rows()
    named = read_sensitive(BytesIO(sensitive.encode()), format="text")
    found = discreet.compare_hiding(
        rows,
        named,
        min_supports=[min_support],
        disclosures=disclosures or ["0"],
        below=below,
        seconds=seconds,
        index=_index(desk, rows),
        **{**desk.budget("comparing"), "progress": lambda done, _: desk.tell(done, None)},
    )
    facts = reports.hiding_comparison_facts(found, source=desk.loaded().source)
    facts["lines"] = [{**line, "left_out": line["left_out"] and in_pages(line["left_out"])} for line in facts["lines"]]
    return {
        **facts,
        "recommendation": facts["recommendation"],
        "figure": reports.hiding_figure(found),
    }


def file_name(name: str, word: str = "") -> str:
    """Return the name of a file, safe to save anywhere, with a word at the end of its stem.

    >>> file_name("my data.csv.gz", "-hidden"), file_name("../<b>.dat")
    ('my data-hidden.csv.gz', '_b_.dat')
    """
    plain = UNSAFE.sub("_", name.replace("\\", "/").rpartition("/")[2]).lstrip(". ")[-100:]
    stem, dot, suffixes = plain.partition(".")
    return f"{stem or 'rows'}{word}{dot}{suffixes}"


def _index(desk: Desk, rows: Transactions) -> InvertedFile:
    return desk.shelf.take("index", desk.key, lambda: InvertedFile(rows))


def _written(desk: Desk, hidden: Hidden) -> list[Path]:
    """Write the rows as they may be shared, in their format, and apart what was changed; a sample becomes CSV."""
    data: dict[str, Any] = desk.data or {}
    is_sample = data["sample"] is not None
    name = f"{data['sample']}.csv" if is_sample else data["file"]
    source = desk.file("from") / file_name(name)
    source.parent.mkdir()
    if is_sample:
        discreet.write(Transactions(hidden.rows), source, format="csv")
    else:
        _link(Path(data["path"]), source)
    folder = desk.file("shared")
    try:
        discreet.write_hidden(hidden, folder, source=source, **desk.loaded().reading)
        target, private = desk.file(file_name(name, "-hidden")), folder / reports.MARK
        (folder / source.name).replace(target)
        archive = desk.file(f"{reports.MARK}.zip")
        pack(archive, reports.MARK, sorted(private.iterdir()))
    finally:
        rmtree(source.parent)
        rmtree(folder, ignore_errors=True)
    return [target, archive]


def _link(path: Path, target: Path) -> None:
    """Give a file a second name, so that what is told of it bears the name that its owner knows."""
    try:
        os.link(path, target)
    except OSError:  # it lies on another disk, or the system has no links
        copyfile(path, target)
