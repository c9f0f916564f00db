"""A session of ACRO: results.json with a CSV file for each table.

Tables are crosstabs of the same people. Where ACRO suppressed cells, it left out the people in them and worked out the
margins again, so that such a table counts fewer people. Where it rounded, it added up the rounded counts, so that the
margins say nothing more.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from discreet.data.counts import Table
from discreet.errors import InputError
from discreet.io.formats.counts import crosstab
from discreet.io.formats.counts.layout import CountOptions, CountsRead
from discreet.io.grids import SESSION, Grid
from discreet.runtime.text import count_of

PEOPLE: Final = "people"
TABLES: Final = frozenset(("table", "crosstab", "pivot_table"))


class Output(NamedTuple):
    """A table of a session: its name, its file, its attributes, and how small counts were hidden."""

    name: str
    file: str
    names: tuple[str, ...]
    is_suppressed: bool
    round_to: int | None


def matches(grid: Grid) -> bool:
    """Return whether a folder holds the results of a session."""
    return SESSION in grid.files and '"results"' in grid.files[SESSION].lines[0][0]


def read(grid: Grid, options: CountOptions) -> CountsRead:
    """Return the tables of counts in a session."""
    found, notes, left_out = dict[str, Table](), list[str](), 0
    for output in _list_outputs(grid):
        if output is None or output.file not in grid.files:
            left_out += 1
            continue
        own = options if options.round_to or output.round_to is None else options._replace(round_to=output.round_to)
        try:
            table, more = crosstab.read_table(grid.files[output.file], own, output.name, output.names)
        except InputError as error:
            raise InputError(f"{output.file}: ", error.message) from None
        found[output.file] = _adapt(_name_apart(table, output), output)
        notes += more
    if not found:
        raise InputError(f"{SESSION} names no tables of counts that are in the folder; give the folder of a session")
    also = [f"{count_of(left_out, 'other output')} not read: no tables of counts"] if left_out else []
    few = ["people in suppressed cells are in no margin of their table"] * any(table.within for table in found.values())
    return CountsRead(
        tuple(found.values()),
        tuple(dict.fromkeys([*notes, *few, *also])),
        files={file: (table,) for file, table in found.items()},
    )


def _name_apart(table: Table, output: Output) -> Table:
    """Return a table whose attributes without a name are none of another table's."""
    bare = {f"{name}{number}" for name in ("row", "column") for number in ("", " 2", " 3")}
    dimensions = (
        replace(one, name=f"{one.name} of {output.name}") if one.name in bare else one for one in table.dimensions
    )
    return replace(table, dimensions=tuple(dimensions))


def _adapt(table: Table, output: Output) -> Table:
    if output.round_to is not None:
        inner = tuple(cell for cell in table.cells if None not in cell.at)
        return replace(table, cells=inner)
    if output.is_suppressed:
        return replace(table, counted=f"{PEOPLE} that {output.name} shows", within=PEOPLE)
    return table


def _list_outputs(grid: Grid) -> Iterator[Output | None]:
    """Yield the tables of counts of a session; None for anything else."""
    try:
        session = json.loads(grid.files[SESSION].lines[0][0])
        outputs = session.get("results", {})
        items = [one for one in outputs.values() if isinstance(one, dict)]
    except (ValueError, AttributeError, RecursionError):
        raise InputError(f"{SESSION} holds no results of ACRO; finalise the session again") from None
    for item in items:
        files = [file for file in _list(item.get("files")) if isinstance(file, dict)]
        names = [str(file.get("name")) for file in files]
        if item.get("type") not in TABLES or not _is_of_counts(item) or len(names) != 1:
            yield None
            continue
        properties, sdc = _dict(item.get("properties")), _dict(files[0].get("sdc"))
        base = properties.get("round_base")
        yield Output(
            str(item.get("uid") or names[0]),
            names[0],
            tuple(map(str, _list(_dict(item.get("fair")).get("independent")))),
            properties.get("mitigation") == "suppress" or bool(_dict(sdc.get("summary")).get("suppressed")),
            base if isinstance(base, int) and base > 1 else None,
        )


def _is_of_counts(item: Mapping[str, Any]) -> bool:
    """Return whether a table counts people, rather than summing up a variable of theirs."""
    dependent = _dict(item.get("fair")).get("dependent", "unknown")
    command = str(item.get("command", "")).replace(" ", "")
    is_summary = "aggfunc=" in command and "aggfunc=None" not in command
    return dependent == "unknown" and not is_summary


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
