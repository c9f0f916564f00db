"""Reading published tables of counts: the layout of a file is found from its fields, by one table of layouts."""

import csv
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from io import StringIO
from os import PathLike
from pathlib import Path
from typing import Any, Final, Unpack

from discreet.data.counts import Counts, Sheet
from discreet.data.hierarchy import split_label
from discreet.data.reading import UNJUDGED, LeftOut, Reading
from discreet.data.schema import SIGN
from discreet.errors import DiscreetError, InputError, Option, OptionError
from discreet.io.doubts_of_counts import Seen, find_doubts
from discreet.io.files import as_path, naming
from discreet.io.formats.counts import (
    achilles,
    acro,
    cohort_diagnostics,
    crosstab,
    long,
    measures,
    summarised_result,
)
from discreet.io.formats.counts.layout import CountOptions, CountsRead, Layout
from discreet.io.grids import Grid, load_grid, load_head
from discreet.io.hierarchies import AnyHierarchy, list_hierarchies, read_hierarchy
from discreet.io.marks import parse_masks
from discreet.io.natives import is_frame
from discreet.io.options import RowArguments, RowOptions
from discreet.runtime.text import count_of

LAYOUTS: Final = {
    "achilles": Layout("results of Achilles", achilles.matches, achilles.read, is_per_line=True),
    "summarised_result": Layout(
        "a summarised result", summarised_result.matches, summarised_result.read, is_per_line=True
    ),
    "measures": Layout("measures of OpenSAFELY", measures.matches, measures.read),
    "acro": Layout("a session of ACRO", acro.matches, acro.read),
    "cohort_diagnostics": Layout(
        "results of CohortDiagnostics", cohort_diagnostics.matches, cohort_diagnostics.read, is_per_line=True
    ),
    "long": Layout("one count per line", long.matches, long.read, long.is_sure, is_per_line=True),
    "crosstab": Layout("a crosstab", crosstab.matches, crosstab.read, crosstab.is_sure),
}
"""The layouts of tables of counts, tried in this order; the first that matches is taken."""
UNNAMED: Final = frozenset(("crosstab", "acro"))  # layouts that are not read by the names of columns
TEXTS: Final = frozenset((".csv", ".tsv", ".txt", ".tab", ".xlsx", ".xls", ".xlsm", ".ods", ".db", ".sqlite", ""))
"""Suffixes of files that may hold tables of counts, though nobody says so."""


def read_counts(
    source: str | PathLike[str] | Any,  # noqa: ANN401 - a frame of any library
    *,
    format: str | None = None,  # noqa: A002 - the word that users look for
    counts: str | None = None,
    totals: str | Iterable[str] = (),
    masked: str | Iterable[str] | Mapping[str, str] = (),
    round_to: int | None = None,
    **how: Unpack[RowArguments],
) -> Counts:
    r"""Return the tables of counts in a file, a folder or a frame, with what each mark in them says.

    ``counts`` names the column of counts of a long table; every other column is an attribute. ``totals`` are words for
    all values together, beside Total, All, Sum and empty fields. ``masked`` says what marks mean, such as
    ``"*=1..10"``, and with ``"absent=0..5"`` what is known of counts that were left out. ``round_to`` says that counts
    were rounded to multiples of a number, or to the midpoints between. A ``hierarchy`` leads from values to broader
    ones, as in ``read``.

    >>> from io import BytesIO
    >>> read_counts(BytesIO(b"sex,count\nTotal,180\nf,177\nm,<11\n"))
    <Counts: 3 cells of 1 table, 1 masked>
    >>> counts = read_counts(BytesIO(b"sex,young,old,Total\nf,99,81,180\nm,<11,20,28\nTotal,107,101,208\n"))
    >>> for part in str(counts.reading).split("; "): print(part)
    read as tables of counts: a crosstab: 9 counts in 1 table, separated by commas
    lines by sex
    columns by column
    counts in young, old, Total
    <11 means 1 to 10
    """
    options = RowOptions.of(how)
    asked = CountOptions(
        counts,
        (totals,) if isinstance(totals, str) else tuple(totals),
        parse_masks(_list_rules(masked)),
        round_to,
        options.columns,
        options.drop,
    )
    with nullcontext() if is_frame(source) else naming(source):
        grid = load_grid(source, options, cohort_diagnostics.is_known)
        name = _find_layout(grid, format, asked)
        for one in (grid, *grid.files.values()) if name not in UNNAMED else ():
            one.check_names()
        found = LAYOUTS[name].read(grid, asked)
        tables = add_levels(Counts(found.tables), options.hierarchy)
        listed = sum(cell.place is not None for table in found.tables for cell in table.cells)
        size = f"{count_of(listed, 'count')} in {count_of(len(found.tables), 'table')}"
        reading = Reading(
            "counts",
            name,
            encoding=grid.encoding,
            separator=grid.separator,
            confirmed=format is not None,
            size=f"{LAYOUTS[name].what}: {size}",
            left_out=(*found.left_out, *(LeftOut(name, UNJUDGED) for name in found.unread)),
            notes=(*found.roles, *found.notes),
            doubts=find_doubts(tables.tables, Seen(name, asked, grid, found, is_named=format is not None)),
        )
        sheets = tuple(_list_sheets(_name_sheet(source), grid, found, is_per_line=LAYOUTS[name].is_per_line))
        return replace(tables, reading=reading, sheets=sheets)


def holds_counts(path: str | PathLike[str]) -> bool:
    r"""Return whether a file or a folder certainly holds tables of counts, from its first part.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "table.csv")
    ...     _ = path.write_text("sex,young,old,Total\nf,99,81,180\nm,<11,20,28\n")
    ...     holds_counts(path)
    True
    """
    from discreet.io.contents import find_other, look_into  # noqa: PLC0415 - only where somebody asks

    place = Path(path)
    try:
        if place.is_file() and not _is_open(place):
            return False
        if place.is_file() and place.suffix.lower() in {".csv", ".tsv", ".txt", ".tab", ""}:
            found = look_into(place)
            if found.is_patterns or found.layout.shape in {"patterns", "rules"} or find_other(place):
                return False
        grid = load_head(place, cohort_diagnostics.is_known)
        return any((layout.is_sure or layout.matches)(grid) for layout in LAYOUTS.values())
    except DiscreetError:
        return False


def add_levels(counts: Counts, source: AnyHierarchy | None) -> Counts:
    """Return counts whose values have the parents that a hierarchy names."""
    if source is None or not list_hierarchies(source):
        return counts
    labels = [f"{name}{SIGN}{value}" for name, value in counts.list_values()]
    parents = dict[tuple[str, str], str]()
    for child, parent in read_hierarchy(source, labels).parents.items():
        name, value = map(str, split_label(child))
        parents[name, value] = str(split_label(parent)[1])
    return counts.with_parents(parents)


def _is_open(path: Path) -> bool:
    """Return whether a file may hold tables, by its name; that of a packed one counts without its last suffix."""
    packed = path.suffix.lower() in {".gz", ".xz", ".bz2", ".zst", ".zip"}
    return (Path(path.stem) if packed else path).suffix.lower() in TEXTS or path.name == "results.json"


def _list_rules(masked: str | Iterable[str] | Mapping[str, str]) -> list[str]:
    if isinstance(masked, Mapping):
        return [f"{mark}={limits}" for mark, limits in masked.items()]
    return [masked] if isinstance(masked, str) else list(masked)


def _find_layout(grid: Grid, name: str | None, options: CountOptions) -> str:
    if name is not None:
        if name not in LAYOUTS:
            raise OptionError(Option("format"), f" is {name[:40]!r}; there are {', '.join(LAYOUTS)}")
        return name
    if len(grid.lines) < 2 and not grid.files:  # noqa: PLR2004 - a header and a line
        raise InputError("the table has fewer than two lines; give its header and its counts")
    if options.counts is not None:
        return "long"
    found = next((name for name, layout in LAYOUTS.items() if layout.matches(grid)), None)
    if found is None:
        raise InputError("this is no table of counts that we know; name its column of counts with ", Option("counts"))
    return found


def _name_sheet(source: Any) -> str:  # noqa: ANN401 - as above
    path = None if is_frame(source) else as_path(source)
    return "table.csv" if path is None else f"{path.name.split('.')[0]}.csv"


def _list_sheets(name: str, grid: Grid, found: CountsRead, *, is_per_line: bool) -> Iterator[Sheet]:
    """Yield what is needed to write the tables back, for each file."""
    files = {name: found.tables} if not grid.files else found.files
    for file, tables in files.items():
        own = grid.files[file] if grid.files else grid
        text = _render(own) if own.text is None else own.text
        read = found.read.get(file if grid.files else "", {})
        named = file if file.endswith(".csv") else f"{file}.csv"
        yield Sheet(named, text, own.separator or ",", own.encoding or "utf-8", tables, is_per_line, read)


def _render(grid: Grid) -> str:
    """Return a grid that was no text as CSV; its lines keep their numbers."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    lines = dict(zip(grid.numbers, grid.lines, strict=True))
    for number in range(1, max(grid.numbers, default=0) + 1):
        writer.writerow([" ".join(field.split()) for field in lines.get(number, [])])
    return out.getvalue()
