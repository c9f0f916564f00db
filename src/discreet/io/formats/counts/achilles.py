"""Results of Achilles, the OHDSI tool that describes a database: one line per count, with a number for each analysis.

Counts at or below a threshold of the site were deleted. What the analyses count is stated in its sources; those whose
counts are of the same people or records, and so add up, are linked here.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final, NamedTuple

from discreet.data.counts import Cell, Dimension, State, Table
from discreet.errors import InputError
from discreet.io.formats.counts.layout import CountOptions, CountsRead, list_unread
from discreet.io.grids import Grid
from discreet.runtime.text import count_of

HEAD: Final = ("analysis_id", "stratum_1", "count_value")
LOGS: Final = 2_000_000  # numbers from here on are about the run of an analysis


class Analysis(NamedTuple):
    """What an analysis counts, and by which attributes; a star marks one of which a person may have several values."""

    counted: str
    strata: tuple[str, ...] = ()


def _list_analyses() -> Iterator[tuple[int, Analysis]]:
    """Yield the analyses that count people or records."""
    yield from (
        (1, Analysis("people")),
        (2, Analysis("people", ("gender",))),
        (3, Analysis("people", ("year of birth",))),
        (4, Analysis("people", ("race",))),
        (5, Analysis("people", ("ethnicity",))),
        (10, Analysis("people", ("year of birth", "gender"))),
        (11, Analysis("people alive", ("year of birth", "gender"))),
        (12, Analysis("people", ("race", "ethnicity"))),
        (101, Analysis("people with an observation period", ("age",))),
        (102, Analysis("people with an observation period", ("gender", "age"))),
        (108, Analysis("people by length of observation", ("length",))),
        (109, Analysis("people with continuous observation", ("year*",))),
        (110, Analysis("people with continuous observation", ("month*",))),
        (111, Analysis("people by start of observation", ("month*",))),
        (112, Analysis("people by end of observation", ("month*",))),
        (113, Analysis("people by number of observation periods", ("periods",))),
        (116, Analysis("people observed", ("year*", "gender", "age decile"))),
        (117, Analysis("people observed", ("month*",))),
        (212, Analysis("people with a visit", ("year*", "gender", "age decile"))),
        (221, Analysis("people with a visit", ("year*",))),
        (300, Analysis("providers")),
        (301, Analysis("providers", ("specialty",))),
        (500, Analysis("people who died", ("cause*",))),
        (502, Analysis("people who died", ("month*",))),
        (504, Analysis("people who died", ("year*", "gender", "age decile"))),
        (1100, Analysis("people with a location", ("3-digit zip*",))),
        (1101, Analysis("people with a location", ("state*",))),
        (1312, Analysis("people with a visit detail", ("year*", "gender", "age decile"))),
        (2000, Analysis("people with a condition and a drug")),
        (2001, Analysis("people with a condition and a procedure")),
        (2002, Analysis("people with a measurement, a condition and a drug")),
        (2003, Analysis("people with at least 1 visit")),
    )
    for hundred, name in DOMAINS.items():
        people, records, concept = f"people with a {name}", f"{name} records", f"{name}*"
        yield 100 * hundred, Analysis(people, (concept,))
        yield 100 * hundred + 1, Analysis(records, (name,))
        yield 100 * hundred + 2, Analysis(people, (concept, "month*"))
        yield 100 * hundred + 4, Analysis(people, (concept, "year*", "gender", "age decile"))
        yield 100 * hundred + 5, Analysis(records, (name, f"{name} type"))
        yield 100 * hundred + 20, Analysis(f"{name} records by month", ("month",))
        yield 100 * hundred + 25, Analysis(f"{name} records by source", ("source",))
    yield 414, Analysis("condition records", ("condition status",))
    yield 415, Analysis("condition records", ("condition type",))
    yield 416, Analysis("condition records", ("condition status", "condition type"))


DOMAINS: Final = {
    2: "visit",
    4: "condition",
    6: "procedure",
    7: "drug",
    8: "observation",
    9: "drug era",
    10: "condition era",
    13: "visit detail",
    18: "measurement",
    21: "device",
}
"""The parts of a database whose analyses have alike numbers, by their hundreds."""
RESTS: Final = {"people alive": "people who died", "people with an observation period": "people without one"}
"""Those who are a part of all people, and what the others are called."""
ANALYSES: Final = dict(_list_analyses())


def matches(grid: Grid) -> bool:
    """Return whether the columns are those of Achilles."""
    return {*HEAD} <= {*grid.head}


def read(grid: Grid, options: CountOptions) -> CountsRead:
    """Return a table for each analysis that is known."""
    grid.check_even()
    head = grid.head
    strata = [head.index(f"stratum_{number}") for number in range(1, 6) if f"stratum_{number}" in head]
    number_at, count_at = head.index(HEAD[0]), head.index(HEAD[2])
    marks, found, unknown = options.make_marks(), defaultdict[int, list[Cell]](list), set[str]()
    read = {**grid.mark_read([0], [number_at, *strata, count_at])}
    for line, fields in enumerate(grid.lines[1:], start=1):
        number = int(fields[number_at]) if fields[number_at].isdecimal() else -1
        if number not in ANALYSES:
            unknown |= {fields[number_at]} if 0 < number < LOGS else set()
            continue
        many = len(ANALYSES[number].strata)
        at = tuple(fields[place] or "(empty)" for place in strata[:many])
        said = marks.read(fields[count_at], grid.place(line, count_at))
        found[number].append(Cell(at, said.low, said.high, said.state, grid.place(line, count_at), said.mark))
        read |= grid.mark_read([line], [number_at, *strata[:many], count_at])
    marks.check()
    if not found:
        raise InputError("none of its analyses counts people or records; give the results of Achilles")
    absent = options.absent or (0, _find_threshold(cell for cells in found.values() for cell in cells))
    dimensions = _find_dimensions(found)
    tables = tuple(
        Table(
            f"analysis {number}",
            tuple(dimensions[ANALYSES[number].counted, name] for name in ANALYSES[number].strata),
            tuple(cells),
            ANALYSES[number].counted,
            absent,
            within=None if ANALYSES[number].counted not in RESTS else "people",
            rest=RESTS.get(ANALYSES[number].counted, ""),
        )
        for number, cells in sorted(found.items())
    )
    left_out = [f"{count_of(len(unknown), 'analysis', 'analyses')} not read: no counts that add up"] if unknown else []
    notes = (f"a count that is missing means 0 to {absent[1]:,}", *marks.notes(), *left_out)
    known = {*HEAD, *(f"stratum_{number}" for number in range(1, 6))}
    return CountsRead(tables, notes, {"": read}, unread=list_unread(grid, known, options))


def _find_threshold(cells: Iterator[Cell]) -> int:
    """Return the largest count that was deleted: one below the smallest that is shown."""
    return min((cell.low for cell in cells if cell.state is State.EXACT and cell.low), default=1) - 1


def _find_dimensions(found: dict[int, list[Cell]]) -> dict[tuple[str, str], Dimension]:
    """Return each attribute with all values that any analysis of the same people shows."""
    values = defaultdict[tuple[str, str], dict[str, None]](dict)
    for number, cells in sorted(found.items()):
        counted, strata = ANALYSES[number]
        for place, name in enumerate(strata):
            values[counted, name].update(dict.fromkeys(str(cell.at[place]) for cell in cells))
    return {
        (counted, name): Dimension(
            name.removesuffix("*"), tuple(listed), overlapping=name.endswith("*"), cut=not name.endswith("*")
        )
        for (counted, name), listed in values.items()
    }
