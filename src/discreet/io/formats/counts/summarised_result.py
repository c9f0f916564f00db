"""Results of the OHDSI packages for R (omopgenerics): a line for each estimate, with groups and strata.

Counts are taken, by the variable that they are of. A variable with levels is an attribute of the people that "number
subjects" counts, or of the records that "number records" does, if its counts or percentages show that it is.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from discreet.data.counts import (
    UNKNOWN,
    Cell,
    Columns,
    Coordinates,
    Dimension,
    Place,
    Ratio,
    Table,
    Values,
    name_values,
)
from discreet.errors import InputError
from discreet.io.formats.counts.layout import MISSING, CountOptions, CountsRead, list_unread, list_values, loosen
from discreet.io.formats.counts.shares import Share, take_share
from discreet.io.grids import Grid
from discreet.runtime.text import count_of

HEAD: Final = ("cdm_name", "group_name", "strata_name", "variable_name", "estimate_name", "estimate_value")
KINDS: Final = ("group", "strata", "additional")
KEYS: Final = {*HEAD, "result_id", "variable_level", *(f"{kind}_{one}" for kind in KINDS for one in ("name", "level"))}
TYPES: Final = {"integer", "numeric", "percentage", "proportion"}  # of estimates
JOIN: Final = "&&&"
ALL: Final = "overall"
LEVEL: Final = "variable_level"
WHOLES: Final = ("number subjects", "number records", "number_subjects", "number_records")
"""Variables that count all of a group."""


Part: TypeAlias = tuple[Values, str]  # values of attributes, and a level
Variable: TypeAlias = tuple[tuple[str, str], str]  # a database and a result, and what is counted there
LESS, ALIKE, MORE = 0, 1, 2  # what levels add up to, beside a total


class Entry(NamedTuple):
    """A line: what it is about, its attributes with their values, and its estimate."""

    source: tuple[str, str]
    variable: str
    values: tuple[tuple[str, str], ...]
    level: str
    estimate: str
    text: str
    place: Place


def matches(grid: Grid) -> bool:
    """Return whether the columns are those of a summarised result."""
    return {*HEAD} <= {*grid.head}


def read(grid: Grid, options: CountOptions) -> CountsRead:
    """Return a table for each variable that is counted."""
    grid.check_even()
    entries = list(_list_entries(grid))
    counts = [entry for entry in entries if entry.estimate == "count"]
    if not counts:
        raise InputError("there are no lines with the estimate count; give results that hold counts")
    overlapping = _find_groups(grid)
    marks, variables = options.make_marks(), dict[Variable, list[tuple[Entry, Cell]]]()
    for entry in counts:
        said = marks.read("" if entry.text.casefold() in MISSING else entry.text, entry.place)
        cell = Cell((), said.low, said.high, said.state, entry.place, said.mark)
        variables.setdefault((entry.source, entry.variable), []).append((entry, cell))
    marks.check()
    tables = {key: _make_table(key, own, overlapping, options) for key, own in variables.items()}
    stated = _list_shares(entries)
    done = tuple(_link(key, table, tables, stated.get(key, {})) for key, table in tables.items())
    other = len({entry.estimate for entry in entries} - {"count", "percentage"})
    left_out = [f"{count_of(other, 'other estimate')} not read: no counts"] if other else []
    unread = list_unread(grid, {*KEYS, "estimate_type"}, options)
    return CountsRead(done, (*marks.notes(), *left_out), {"": _mark_read(grid, done)}, unread=unread)


def _mark_read(grid: Grid, tables: Sequence[Table]) -> Columns:
    """Return the lines of counts and of shares that are judged, and in them the columns that say what these are."""
    cells = (cell.place for table in tables for cell in table.cells)
    ratios = (ratio.place for table in tables for ratio in table.ratios)
    judged = {place.line for place in (*cells, *ratios) if place is not None}
    keys = [at for at, name in enumerate(grid.head) if name in KEYS]
    types = [at for at, name in enumerate(grid.head) if name == "estimate_type"]
    lines = [at for at, number in enumerate(grid.numbers) if number in judged]
    typed = [at for at in lines if all(grid.lines[at][place] in TYPES for place in types)]
    return {**grid.mark_read(lines, keys), **grid.mark_read([0, *typed], [*keys, *types])}


def _list_entries(grid: Grid) -> Iterator[Entry]:
    """Yield the lines, but for those about settings."""
    head = grid.head
    pairs = [
        (head.index(f"{kind}_name"), head.index(f"{kind}_level"))
        for kind in KINDS
        if f"{kind}_name" in head and f"{kind}_level" in head
    ]
    result = head.index("result_id") if "result_id" in head else None
    at = {name: head.index(name) for name in (*HEAD, LEVEL) if name in head}
    for number, line in enumerate(grid.lines[1:], start=1):
        if line[at["variable_name"]] == "settings":
            continue
        values = dict[str, str]()
        for name, level in pairs:
            values |= _split(line[name], line[level], grid.place(number, level))
        finest = line[at[LEVEL]] if LEVEL in at else ""
        yield Entry(
            (line[at["cdm_name"]], "" if result is None else line[result]),
            line[at["variable_name"]],
            tuple(values.items()),
            "" if finest == "NA" else finest,
            line[at["estimate_name"]],
            line[at["estimate_value"]],
            grid.place(number, at["estimate_value"]),
        )


def _split(names: str, levels: str, place: Place) -> dict[str, str]:
    """Return the values of attributes that are joined; "overall" is none."""
    name, level = ([part.strip() for part in text.split(JOIN)] for text in (names, levels))
    if len(name) != len(level):
        raise InputError(f"{place} has {len(level)} parts, and the names beside it {len(name)}; write both alike")
    return {one: value for one, value in zip(name, level, strict=True) if ALL not in {one, value}}


def _find_groups(grid: Grid) -> set[str]:
    """Return the attributes of which one person may have several values: cohorts, and whatever is additional."""
    head = grid.head
    columns = [head.index(name) for name in ("group_name", "additional_name") if name in head]
    return {part.strip() for line in grid.lines[1:] for at in columns for part in line[at].split(JOIN)}


def _make_table(key: Variable, own: Sequence[tuple[Entry, Cell]], groups: set[str], options: CountOptions) -> Table:
    """Return the table of one variable."""
    (database, result), variable = key
    names = list(dict.fromkeys(name for entry, _ in own for name, _ in entry.values))
    has_levels = any(entry.level for entry, _ in own)
    cells = [cell._replace(at=_locate(entry, names, has_levels=has_levels)) for entry, cell in own]
    every = [*names, *[variable] * has_levels]
    dimensions = [
        Dimension(name, list_values(cell.at[at] for cell in cells), overlapping=name in groups)
        for at, name in enumerate(every)
    ]
    counted = ", ".join(filter(None, (variable, database, f"result {result}" * bool(result))))
    return Table(counted, loosen(dimensions, cells), tuple(cells), counted, options.absent)


def _locate(entry: Entry, names: Sequence[str], *, has_levels: bool) -> Coordinates:
    values = dict(entry.values)
    return (*(values.get(name) for name in names), *[entry.level or None] * has_levels)


def _list_shares(entries: Sequence[Entry]) -> Mapping[Variable, Mapping[Part, Share]]:
    """Return the percentages of each variable, by their attributes and level."""
    found = defaultdict[Variable, dict[Part, Share]](dict)
    for entry in entries:
        limits = take_share(entry.text, 100) if entry.estimate == "percentage" else None
        if limits is not None:
            key = frozenset(entry.values), entry.level
            found[entry.source, entry.variable][key] = Share((), *limits, entry.place)
    return found


def _link(
    key: Variable,
    table: Table,
    tables: Mapping[Variable, Table],
    stated: Mapping[Part, Share],
) -> Table:
    """Return a table whose levels are known to be of those that another variable counts, with its percentages."""
    source, variable = key
    if not table.dimensions or table.dimensions[-1].name != variable or variable.casefold() in WHOLES:
        return table
    names = table.names[:-1]
    parts = {(name_values(names, cell.at[:-1]), cell.at[-1] or ""): cell for cell in table.cells}
    for other, whole in tables.items():
        if other[0] != source or other[1].casefold() not in WHOLES:
            continue
        totals = {name_values(whole.names, cell.at): cell for cell in whole.cells}
        shown = _show_parts(parts, totals, stated)
        if shown is None:
            continue
        level = replace(table.dimensions[-1], overlapping=shown == MORE, cut=shown == LESS)
        ratios = [
            Ratio(parts[key].at, (*parts[key].at[:-1], None), share.low, share.high, share.place)
            for key, share in stated.items()
            if key in parts
        ]
        return replace(table, counted=whole.counted, dimensions=(*table.dimensions[:-1], level), ratios=tuple(ratios))
    return table


def _show_parts(parts: Mapping[Part, Cell], totals: Mapping[Values, Cell], stated: Mapping[Part, Share]) -> int | None:
    """Return whether levels add up to totals, to more or to less; None if nothing shows that they are parts of these.

    Masked counts without limits add up to anything: if there are no others, people may have several levels.
    """
    groups = defaultdict[Values, list[tuple[Cell, Share | None]]](list)
    for (values, level), cell in parts.items():
        groups[values].append((cell, stated.get((values, level))))
    evidence, sums = 0, set[int]()
    for values, own in groups.items():
        total = totals.get(values)
        if total is None:
            continue
        for cell, share in own:
            if share is not None and (share.low * total.low > cell.high or share.high * total.high < cell.low):
                return None
            evidence += share is not None and cell.low == cell.high and total.low == total.high
        low, high = sum(cell.low for cell, _ in own), sum(cell.high for cell, _ in own)
        if high < UNKNOWN and total.high < UNKNOWN:
            sums.add(MORE if low > total.high else LESS if high < total.low else ALIKE)
            evidence += low <= total.high and high >= total.low
    return (MORE if MORE in sums or not sums else min(sums)) if evidence else None
