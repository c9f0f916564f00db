"""Results of CohortDiagnostics, an OHDSI tool that describes cohorts: CSV files, or tables of a SQLite database.

A count below the minimum is written as minus this: -5 means 1 to 4. The mean of a covariate is the share of the cohort
that has it. Covariates of some analyses exclude each other, so that they add up to the cohort.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final, NamedTuple

from discreet.data.counts import Cell, Columns, Coordinates, Dimension, Place, Ratio, Table
from discreet.errors import InputError
from discreet.io.formats.counts.layout import CountOptions, CountsRead, list_values
from discreet.io.formats.counts.shares import find_digits, take_share
from discreet.io.grids import Grid
from discreet.io.marks import Marks
from discreet.runtime.text import count_of

PEOPLE: Final = "people in cohorts"
EXCLUSIVE: Final = {1: "gender", 3: "age group", 4: "race", 5: "ethnicity", 6: "index year", 7: "index month"}
"""Analyses of which a person has one covariate, by the last digits of its number."""
ANALYSES: Final = 1000  # numbers of covariates end with that of their analysis
SUBJECTS, ENTRIES = "cohortsubjects", "cohortentries"
RULES: Final = "people by inclusion rules"
MODE: Final = ("database", "cohort", "mode")
KINDS: Final = {
    "covariates": ("cohortid", "covariateid", "sumvalue"),
    "sizes": ("cohortid", ENTRIES, SUBJECTS),
    "inclusion": ("inclusionrulemask", "personcount"),
    "summary": ("modeid", "basecount", "finalcount"),
    "attrition": ("rulesequenceid", "meetsubjects", "totalsubjects", "remainsubjects"),
}
"""The tables that are read, by columns that they have."""
IDS: Final = ("databaseid", "cohortid", "covariateid", "timeid", "modeid", "inclusionrulemask", "rulesequenceid")


class Rows(NamedTuple):
    """A table of results: its name, its kind, its columns in one spelling, and where it came from."""

    name: str
    kind: str
    head: list[str]
    grid: Grid

    def column(self, *names: str) -> int | None:
        """Return the first column that is called so."""
        return next((self.head.index(name) for name in names if name in self.head), None)

    def identify(self, line: Sequence[str], *names: str) -> tuple[str, ...]:
        """Return the fields of a line in some columns; of a missing one, an empty text."""
        places = [self.column(name) for name in names]
        return tuple("" if place is None else _trim(line[place]) for place in places)

    @property
    def lines(self) -> Iterable[tuple[int, list[str]]]:
        """The lines below the header, with their numbers."""
        return enumerate(self.grid.lines[1:], start=1)


class Value(NamedTuple):
    """A cell with the mean beside it, if there is one."""

    cell: Cell
    mean: tuple[Fraction, Fraction] | None
    place: Place | None


def matches(grid: Grid) -> bool:
    """Return whether one of the tables is known; of those with only sizes of cohorts, nothing follows."""
    return any(rows.kind != "sizes" for rows in _list_rows(grid))


def read(grid: Grid, options: CountOptions) -> CountsRead:
    """Return the tables of covariates, inclusion rules and attrition, with the sizes of cohorts."""
    marks, every = options.make_marks(is_below=True), list(_list_rows(grid))
    for rows in every:
        rows.grid.check_even()
    covariates = {rows.name: _read_covariates(rows, marks) for rows in every if rows.kind == "covariates"}
    sizes = next((rows for rows in every if rows.kind == "sizes"), None)
    size = _find_size(sizes, [value for values, _ in covariates.values() for value in values], marks)
    found = dict[str, list[Table]]()
    for rows in every:
        own = found.setdefault(rows.name, [])
        if rows.kind == "covariates":
            own += _make_covariates(rows, covariates[rows.name][0], is_linked=size is not None, options=options)
        elif rows.kind == "sizes" and size is not None:
            own.append(_make_sizes(rows, size, marks, options))
        elif rows.kind in {"inclusion", "summary"}:
            own.append(_read_inclusion(rows, marks, options))
        elif rows.kind == "attrition":
            own += _read_attrition(rows, marks, options)
    marks.check()
    tables = _check_totals(tuple(table for own in found.values() for table in own if table.cells))
    if not tables:
        raise InputError("the tables hold no counts; give covariate_value, cohort_inc_result or inclusion_rule_stats")
    odd = sum(many for _, many in covariates.values())
    names = {table.name for table in tables}
    return CountsRead(
        tables,
        (*marks.notes(), *[f"{count_of(odd, 'covariate')} not read: no counts of people"] * bool(odd)),
        {rows.name: _mark_read(rows, [one for one in tables if one in found[rows.name]]) for rows in every},
        {file: kept for file, own in found.items() if (kept := tuple(one for one in own if one.name in names))},
    )


def _find_size(sizes: Rows | None, values: Sequence[Value], marks: Marks) -> str | None:
    """Return which size of cohorts the means of covariates are shares of: people, or entries."""
    if sizes is None or not values:
        return None
    return next((name for name in (SUBJECTS, ENTRIES) if _fits(_read_sizes(sizes, name, marks), values)), None)


def _check_totals(tables: tuple[Table, ...]) -> tuple[Table, ...]:
    """Return tables without totals of inclusion rules that their parts do not add up to."""
    parts = dict[Coordinates, tuple[int, int]]()
    for cell in (
        cell for table in tables if table.counted == RULES for cell in table.cells if len(cell.at) > len(MODE)
    ):
        low, high = parts.get(cell.at[: len(MODE)], (0, 0))
        parts[cell.at[: len(MODE)]] = low + cell.low, high + cell.high

    def is_right(table: Table) -> bool:
        if table.counted != RULES or len(table.dimensions) > len(MODE):
            return True
        both = [(cell, parts[cell.at]) for cell in table.cells if cell.at in parts]
        return all(ends[0] <= cell.high and ends[1] >= cell.low for cell, ends in both)

    return tuple(table for table in tables if is_right(table))


def _mark_read(rows: Rows, tables: Sequence[Table]) -> Columns:
    """Return in each line the count, its mean if this is judged, and the columns that say what it is of."""
    places = [cell.place for table in tables for cell in table.cells]
    places += [ratio.place for table in tables for ratio in table.ratios]
    keys = frozenset(at + 1 for name in IDS if (at := rows.column(name)) is not None)
    read = defaultdict[int, frozenset[int]](lambda: keys)
    for place in (one for one in places if one is not None):
        read[place.line] |= {place.column}
    return {**rows.grid.mark_read([0], {column - 1 for own in read.values() for column in own}), **read}


def is_known(head: Sequence[str]) -> bool:
    """Return whether columns are those of a table that is read.

    >>> is_known(["cohort_id", "covariate_id", "sum_value"]), is_known(["concept_id", "concept_name"])
    (True, False)
    """
    return _find_kind(_spell(head)) is not None


def _spell(head: Sequence[str]) -> list[str]:
    """Return columns in one spelling; they may be written with underscores or capitals."""
    bare = [field.casefold().replace("_", "") for field in head]
    return ["cohortid" if field == "cohortdefinitionid" else field for field in bare]


def _find_kind(head: Sequence[str]) -> str | None:
    return next((kind for kind, columns in KINDS.items() if {*columns} <= {*head}), None)


def _list_rows(grid: Grid) -> Iterator[Rows]:
    """Yield the tables that are known."""
    for name, one in (grid.files or {"": grid}).items():
        head = _spell(one.head)
        kind = _find_kind(head)
        if kind is not None:
            yield Rows(name, kind, head, one)


def _trim(text: str) -> str:
    """Return the number of a cohort or a covariate, which a program may have written as a float."""
    return text.removesuffix(".0")


def _read_covariates(rows: Rows, marks: Marks) -> tuple[list[Value], int]:
    """Return the counts of covariates, and how many lines hold none: sums of other values."""
    count, mean = rows.column("sumvalue") or 0, rows.column("mean")
    digits = 0 if mean is None else find_digits(line[mean] for _, line in rows.lines)
    values, odd = list[Value](), 0
    for number, line in rows.lines:
        text, share = line[count], "" if mean is None else line[mean]
        if "." in _trim(text) or (share.replace(".", "", 1).isdecimal() and float(share) > 1):
            odd += 1
            continue
        where = rows.grid.place(number, count)
        said = marks.read(text, where)
        at = rows.identify(line, "databaseid", "cohortid", "covariateid", "timeid")
        cell = Cell(at, said.low, said.high, said.state, where, said.mark)
        place = None if mean is None else rows.grid.place(number, mean)
        values.append(Value(cell, take_share(share, 1, digits), place))
    return values, odd


def _read_sizes(rows: Rows, name: str, marks: Marks) -> dict[Coordinates, Cell]:
    """Return the sizes of cohorts: of people, or of their entries."""
    column = rows.column(name) or 0
    found = dict[Coordinates, Cell]()
    for number, line in rows.lines:
        said = marks.read(line[column], rows.grid.place(number, column))
        key = rows.identify(line, "databaseid", "cohortid")
        found[key] = Cell(key, said.low, said.high, said.state, rows.grid.place(number, column), said.mark)
    return found


def _fits(sizes: Mapping[Coordinates, Cell], values: Sequence[Value]) -> bool:
    """Return whether all means are shares of the cohorts."""
    for value in values:
        total, limits = sizes.get(value.cell.at[:2]), value.mean
        if total is None or value.cell.low > total.high:
            return False
        if limits is not None and (limits[0] * total.low > value.cell.high or limits[1] * total.high < value.cell.low):
            return False
    return bool(sizes)


def _make_covariates(rows: Rows, values: Sequence[Value], *, is_linked: bool, options: CountOptions) -> Iterator[Table]:
    """Yield a table for each analysis whose covariates exclude each other, and one for all others."""
    groups: dict[str, list[Value]] = {}
    for value in values:
        covariate, time = str(value.cell.at[2]), value.cell.at[3]
        number = int(covariate) % ANALYSES if covariate.isdecimal() else 0
        groups.setdefault(EXCLUSIVE.get(number, "covariate") if not time else "covariate", []).append(value)
    for name, own in groups.items():
        cells, ratios = list[Cell](), list[Ratio]()
        has_time = any(value.cell.at[3] for value in own)
        for value in own:
            database, cohort, *_ = value.cell.at
            at = value.cell.at if has_time else value.cell.at[:3]
            cells.append(value.cell._replace(at=at))
            if value.mean is not None and is_linked:
                ratios.append(Ratio(at, (database, cohort, *[None] * (len(at) - 2)), *value.mean, value.place))
        names = ("database", "cohort", name, *["time"] * has_time)
        dimensions = tuple(
            Dimension(
                one, list_values(cell.at[at] for cell in cells), overlapping=one not in EXCLUSIVE.values(), cut=True
            )
            for at, one in enumerate(names)
        )
        counted = PEOPLE if is_linked else f"{PEOPLE}, by {name}"
        yield Table(f"{rows.name} {name}".strip(), dimensions, tuple(cells), counted, options.absent, tuple(ratios))


def _make_sizes(rows: Rows, name: str, marks: Marks, options: CountOptions) -> Table:
    """Return the sizes of cohorts that the means of covariates are shares of."""
    cells = tuple(_read_sizes(rows, name, marks).values())
    dimensions = tuple(
        Dimension(one, list_values(cell.at[at] for cell in cells), overlapping=True)
        for at, one in enumerate(("database", "cohort"))
    )
    return Table(f"{rows.name} sizes".strip(), dimensions, cells, PEOPLE, options.absent)


def _read_inclusion(rows: Rows, marks: Marks, options: CountOptions) -> Table:
    """Return how many people met which inclusion rules, or all of them: those of a cohort in each mode add up."""
    is_total = rows.kind == "summary"
    count = rows.column("basecount" if is_total else "personcount") or 0
    names = MODE if is_total else (*MODE, "rules met")
    columns = ("databaseid", "cohortid", "modeid", "inclusionrulemask")[: len(names)]
    cells = []
    for number, line in rows.lines:
        where = rows.grid.place(number, count)
        said = marks.read(line[count], where)
        cells.append(Cell(rows.identify(line, *columns), said.low, said.high, said.state, where, said.mark))
    dimensions = [
        Dimension(name, list_values(cell.at[at] for cell in cells), overlapping=name in MODE)
        for at, name in enumerate(names)
    ]
    return Table(f"{rows.name} rules".strip(), tuple(dimensions), tuple(cells), RULES, options.absent)


def _read_attrition(rows: Rows, marks: Marks, options: CountOptions) -> Iterator[Table]:
    """Yield for each cohort how many people remain after each rule: those before it are these and those left out."""
    groups: dict[tuple[str, ...], list[tuple[int, list[str]]]] = {}
    for number, line in rows.lines:
        groups.setdefault(rows.identify(line, "databaseid", "cohortid"), []).append((number, line))
    for cohort, own in groups.items():
        own.sort(key=lambda pair: rows.identify(pair[1], "rulesequenceid")[0].zfill(9))
        cells = [_read_attrition_cell(rows, "totalsubjects", own[0], marks)]
        parents, values = dict[str, str](), list[str]()
        for pair in own:
            cells.append(_read_attrition_cell(rows, "remainsubjects", pair, marks))
            above, stays = cells[-2].at[0], str(cells[-1].at[0])
            leaves = f"left out by rule {rows.identify(pair[1], 'rulesequenceid')[0]}"
            parents |= {stays: above, leaves: above} if above is not None else {}
            values += [stays, leaves]
        if all(one.high >= other.low for one, other in pairwise(cells)):
            named = " ".join(filter(None, (rows.name, "attrition", *cohort)))
            dimension = Dimension("attrition", tuple(values), parents)
            yield Table(named, (dimension,), tuple(cells), f"people of {named}", options.absent)


def _read_attrition_cell(rows: Rows, name: str, pair: tuple[int, list[str]], marks: Marks) -> Cell:
    number, line = pair
    column = rows.column(name) or 0
    where = rows.grid.place(number, column)
    said = marks.read(line[column], where)
    rule = rows.identify(line, "rulesequenceid")[0]
    at = None if name == "totalsubjects" else f"remains after rule {rule}"
    return Cell((at,), said.low, said.high, said.state, where, said.mark)
