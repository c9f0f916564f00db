"""Reading published tables of counts: the layout of a file is found from its fields, by one table of layouts."""

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, Final, Unpack

from discreet.data.counts import Counts
from discreet.data.reading import Reading
from discreet.errors import InputError, Option, OptionError
from discreet.data.hierarchy import split_label
from discreet.data.schema import SIGN
from discreet.io.files import naming
from discreet.io.formats.counts import achilles, long
from discreet.io.formats.counts.layout import CountOptions, Layout
from discreet.io.hierarchies import AnyHierarchy, list_hierarchies, read_hierarchy
from discreet.io.grids import Grid, load_grid
from discreet.io.marks import parse_masks
from discreet.io.options import RowArguments, RowOptions
from discreet.runtime.text import count_of

LAYOUTS: Final = {
    "achilles": Layout("results of Achilles", achilles.matches, achilles.read),
    "long": Layout("one count per line", long.matches, long.read),
}
"""The layouts of tables of counts, tried in this order; the first that matches is taken."""


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
    r"""Return the tables of counts in a file or a frame, with what each mark in them says.

    ``counts`` names the column of counts of a long table; every other column is an attribute. ``totals`` are words for
    all values together, beside Total, All, Sum and empty fields. ``masked`` says what marks mean, such as ``"*=1..10"``,
    and with ``"absent=0..5"`` what is known of counts that were left out. A
    ``hierarchy`` leads from values to broader ones, as in ``read``.

    >>> from io import BytesIO
    >>> read_counts(BytesIO(b"sex,count\nTotal,180\nf,177\nm,<11\n"))
    <Counts: 3 cells of 1 table, 1 masked>
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
    with naming(source):
        grid = load_grid(source, options)
        name = _find_layout(grid, format, asked)
        tables, notes = LAYOUTS[name].read(grid, asked)
        found = Counts(tables)
        size = f"{count_of(len(found), 'count')} in {count_of(len(tables), 'table')}"
        reading = Reading(
            "counts",
            name,
            encoding=grid.encoding,
            separator=grid.separator,
            confirmed=format is not None,
            size=f"{LAYOUTS[name].what}: {size}",
            notes=notes,
        )
        return add_levels(Counts(tables, reading), options.hierarchy)


def add_levels(counts: Counts, source: AnyHierarchy | None) -> Counts:
    """Return counts whose values have the parents that a hierarchy names."""
    if not list_hierarchies(source):
        return counts
    labels = [f"{name}{SIGN}{value}" for name, value in counts.list_values()]
    parents = read_hierarchy(source, labels).parents
    return counts.with_parents({split_label(child): split_label(parent)[1] for child, parent in parents.items()})


def _list_rules(masked: str | Iterable[str] | Mapping[str, str]) -> list[str]:
    if isinstance(masked, Mapping):
        return [f"{mark}={limits}" for mark, limits in masked.items()]
    return [masked] if isinstance(masked, str) else list(masked)


def _find_layout(grid: Grid, name: str | None, options: CountOptions) -> str:
    if name is not None:
        if name not in LAYOUTS:
            raise OptionError(Option("format"), f" is {name[:40]!r}; there are {', '.join(LAYOUTS)}")
        return name
    if len(grid.lines) < 2:  # noqa: PLR2004 - a header and a line
        raise InputError("the table has fewer than two lines; give its header and its counts")
    if options.counts is not None:
        return "long"
    found = next((name for name, layout in LAYOUTS.items() if layout.matches(grid)), None)
    if found is None:
        raise InputError("this is no table of counts that we know; name its column of counts with ", Option("counts"))
    return found
