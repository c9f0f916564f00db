"""Files for readers, beside a release: the same numbers as CSV and Excel, and the report as a page."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Final, TypeAlias

import xlsxwriter

import discreet
from discreet import Patterns, Verification
from discreet.blocking.tables.folder import RELEASE, is_tables
from discreet.data.itemsets import sort_labels
from discreet.io.write_counts import TABLE
from discreet.report import is_readers_html, readers_html

FIRST: Final = datetime(1980, 1, 1, tzinfo=UTC)  # of every file in our zips
PLAIN: Final = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
PAGE: Final = "report.html"
NAMES: Final = ("patterns.csv", "patterns.xlsx", "tables.xlsx", PAGE, "README.txt")
README: Final = """\
These files are for readers. They say what the folder "release" beside them says.

The folder "release" can be verified:  discreet verify release
That compares report.html with it too; the page Verify of the app compares patterns.csv as well.
"""

Lines: TypeAlias = Iterable[Sequence[str | int]]


def write_readers(release: Path, verified: Verification, folder: Path) -> None:
    """Write the files for readers of a release folder to a new folder; they hold nothing else than it does."""
    folder.mkdir(mode=0o700)
    (folder / PAGE).write_text(readers_html(release, verified), encoding="utf-8")
    (folder / "README.txt").write_text(README, encoding="utf-8")
    if is_tables(release):
        _write_book(folder / "tables.xlsx", "Table", _list_tables(release))
    elif (release / "patterns.json").is_file():
        patterns = discreet.read_patterns(release / "patterns.json")
        discreet.write_patterns(patterns, folder / "patterns.csv", format="csv")
        _write_book(folder / "patterns.xlsx", "Patterns", [_list_patterns(patterns)])


def compare_readers(
    release: Path, verified: Verification, files: Mapping[str, Path], place: Path
) -> tuple[list[str], list[str]]:
    """Return the files for readers that are not what a release makes, and those that could not be compared.

    They are made anew from the release in a new ``place``. A spreadsheet of another version may have other bytes, and a
    page of another version other words.
    """
    write_readers(release, verified, place)
    others = [name for name, file in files.items() if not _is_same(file, place / name)]
    sure = {"patterns.csv"}
    if PAGE in others and is_readers_html(files[PAGE].read_bytes(), release, verified) is not None:
        sure.add(PAGE)
    wrong = [name for name in others if name in sure and (place / name).is_file()]
    return wrong, [name for name in others if name not in wrong]


def _is_same(one: Path, other: Path) -> bool:
    return other.is_file() and one.read_bytes() == other.read_bytes()


def _list_patterns(patterns: Patterns) -> Lines:
    yield ("combination", "number of items", "support", f"of n = {patterns.n}")
    for at, support in enumerate(patterns.supports.tolist()):
        items = [str(label) for label in sort_labels(patterns.labelled(at))]
        yield (" & ".join(items) or "(everyone)", len(items), support, "")


def _list_tables(release: Path) -> Iterator[Lines]:
    """Yield the lines of each file of tables."""
    shapes = json.loads((release / RELEASE).read_bytes())["shapes"] or {TABLE: {"separator": ","}}
    for name, shape in shapes.items():
        text = StringIO((release / name).read_text(encoding="utf-8-sig"))
        yield [[_read_count(field) for field in line] for line in csv.reader(text, delimiter=shape["separator"])]


def _read_count(field: str) -> str | int:
    """Return a count as a number; a text with zeros before its digits is none."""
    return int(field) if field.isascii() and field.isdecimal() and str(int(field)) == field else field


def _write_book(path: Path, name: str, sheets: Iterable[Lines]) -> None:
    """Write a spreadsheet in which no text is a formula or a link; the same sheets give the same bytes.

    What does not fit into one, because there are too many lines or a text is too long, is not written at all.
    """
    fits = True
    with xlsxwriter.Workbook(str(path), PLAIN) as book:
        book.set_properties({"created": FIRST})
        bold = book.add_format({"bold": True})
        for number, lines in enumerate(sheets, start=1):
            sheet = book.add_worksheet(f"{name} {number}")
            sheet.freeze_panes(1, 0)
            for at, line in enumerate(lines):
                for column, field in enumerate(line):
                    fits = sheet.write(at, column, field, bold if at == 0 else None) == 0 and fits
    if not fits:
        path.unlink()
