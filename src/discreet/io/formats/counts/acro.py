"""A session of ACRO: results.json with a CSV file for each table.

Tables are crosstabs of the same people, wherever their sums allow it. Where ACRO suppressed cells, it left out the
people in them and added up the margins again, so that these say nothing more; such a cell is blank, or 0 if zeros are
not disclosive. Where it rounded, it added up the rounded counts. Outputs that are no tables of counts are named as left
out, since nobody judges them here.
"""

import ast
import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from discreet.data.counts import UNKNOWN, Cell, Columns, State, Table, name_values
from discreet.data.reading import LeftOut
from discreet.errors import InputError
from discreet.io.formats.counts import crosstab
from discreet.io.formats.counts.frame import find_frame
from discreet.io.formats.counts.layout import CountOptions, CountsRead
from discreet.io.formats.counts.people import Sums, tell_apart
from discreet.io.grids import CONFIG, SESSION, Grid
from discreet.io.unnamed_totals import find_unnamed_totals
from discreet.runtime.text import printable

MEANINGLESS: Final = re.compile(r"(?:row|col|column)(?:_var)?[_ ]?\d*")  # what pandas, ACRO and we call a bare array
INSIDE: Final = re.compile(r"DO.?NO?T.?RELEASE", re.IGNORECASE)  # outputs of ACRO that are for the checker
MARGINS: Final = re.compile(r"margins_name\s*=\s*[\"']([^\"']+)[\"']")
MISSING: Final = "nan"  # the value of people without one, as pandas writes it above columns
MOST_NAMED: Final = 10  # outputs that are named
LARGEST: Final = 10_000  # characters of a command that are looked at


class Output(NamedTuple):
    """A table of a session: its name, its file, its attributes, what hides small counts, and who is counted."""

    name: str
    file: str
    names: tuple[str, ...]
    hidden: tuple[str, ...]
    round_to: int | None
    margins: tuple[str, ...]
    dependent: str
    is_pivot: bool


def matches(grid: Grid) -> bool:
    """Return whether a folder holds the results of a session."""
    return SESSION in grid.files and '"results"' in grid.files[SESSION].lines[0][0]


def read(grid: Grid, options: CountOptions) -> CountsRead:
    """Return the tables of counts in a session."""
    if not matches(grid):
        raise InputError(f"this is no session of ACRO: it has no {SESSION} with results; give the folder of one")
    found, notes, left_out = dict[str, tuple[Output, Table]](), list[str](), list[LeftOut]()
    read = dict[str, Columns]()
    threshold = _find_threshold(grid)
    below = 0, threshold - 1 if threshold else UNKNOWN
    for output in _list_outputs(grid):
        if isinstance(output, LeftOut):
            left_out.append(output)
            continue
        sheet = _flatten(grid.files[output.file], output.names) if output.is_pivot else grid.files[output.file]
        if sheet is None:
            left_out.append(LeftOut(output.name, "pivot table of several attributes or statistics"))
            continue
        own = options._replace(
            round_to=options.round_to or output.round_to,
            totals=(*options.totals, *output.margins),
            masks={**dict.fromkeys(output.hidden, below), **options.masks},
        )
        try:
            sole = crosstab.read_table(_name_missing(sheet, own), own, output.name, output.names)
        except InputError as error:
            raise InputError(f"{output.file}: ", error.message) from None
        table, unnamed = _name_apart(sole.tables[0])
        kept = _keep_margins(table, output, left_out)
        found[output.file] = output, kept
        read[output.file] = _mark_read(grid.files[output.file], sheet, sole.read[""], {*table.cells} - {*kept.cells})
        left_out += [LeftOut(unnamed, "an attribute without a name")] if unnamed else []
        if any(find_unnamed_totals(table, "acro")):  # such as a margin whose name is a variable
            left_out.append(LeftOut(output.name, "a value seems to be the total of the others; say so with --total"))
        notes += sole.notes
    if not found:
        others = "; ".join(f"{one.column} ({one.why})" for one in left_out[:MOST_NAMED])
        what = f"; what it has is for a person to look at: {others}" if others else "; give the folder of a session"
        raise InputError(f"{SESSION} names no tables of counts that are in the folder{what}")
    told, doubts = tell_apart(*zip(*((table, _name_people(one)) for one, table in found.values()), strict=True))
    few = ["people who are not in all tables are counted apart"] * (len({table.counted for table in told}) > 1)
    return CountsRead(
        tuple(told),
        tuple(dict.fromkeys([*notes, *few])),
        read,
        files={file: (table,) for file, table in zip(found, told, strict=True)},
        left_out=(*left_out, *doubts),
    )


def _find_threshold(grid: Grid) -> int | None:
    """Return the threshold below which this session suppressed counts, if it is known."""
    try:
        threshold = json.loads(grid.files[CONFIG].lines[0][0])["safe_threshold"]
    except (KeyError, TypeError, ValueError, RecursionError):
        return None
    return threshold if isinstance(threshold, int) and threshold > 0 else None


def _flatten(grid: Grid, names: Sequence[str]) -> Grid | None:
    """Return a pivot table of one count as a crosstab: below what is counted are values, then names of attributes.

    None if it has another shape, such as several statistics, or columns of several attributes.
    """
    start = 0
    while start < len(grid.lines) and not grid.lines[start][0] and len({*grid.lines[start]} - {""}) == 1:
        start += 1
    at = next((at for at, line in enumerate(grid.lines) if line[0] and {*line} <= {"", *names}), 0)
    if not 0 < start <= at <= start + 1 or len({*map(len, grid.lines)}) > 1:
        return None
    tops = grid.lines[start] if at > start else ["count"] * len(grid.lines[at])
    head = [name or top for name, top in zip(grid.lines[at], tops, strict=True)]
    return grid._replace(lines=[head, *grid.lines[at + 1 :]], numbers=grid.numbers[at:])


def _name_missing(grid: Grid, options: CountOptions) -> Grid:
    """Return a table in which people without a value have one: pandas leaves their label blank, as below a total."""
    frame, lines = find_frame(grid), [[*line] for line in grid.lines]
    if frame is None:
        return grid
    labels = [[(line, at) for at in range(frame.labels)] for line in lines[frame.body : frame.end]]
    head = lines[frame.start : frame.body - frame.has_names]
    labels += [[(line, at) for line in head] for at in range(frame.labels, min(map(len, head)))]
    for label in labels:
        for line, at in label:
            if options.is_total(line[at]):
                break
            line[at] = line[at] or MISSING
    return grid._replace(lines=lines)


def _name_apart(table: Table) -> tuple[Table, str]:
    """Return a table whose attributes without a name are none of another table's, and what these are called."""
    bare = {one.name: f"{one.name} of {table.name}" for one in table.dimensions if MEANINGLESS.fullmatch(one.name)}
    dimensions = tuple(replace(one, name=bare.get(one.name, one.name)) for one in table.dimensions)
    return replace(table, dimensions=dimensions), ", ".join(bare.values())


def _keep_margins(table: Table, output: Output, left_out: list[LeftOut]) -> Table:
    """Return a table without margins that say nothing, or that its own cells contradict."""
    inner = tuple(cell for cell in table.cells if None not in cell.at)
    exact = [cell for cell in table.cells if None in cell.at and cell.state is State.EXACT]
    margins = [(cell.low, name_values(table.names, cell.at)) for cell in exact]
    # Whoever is in a suppressed cell is in no margin.
    sums = Sums(replace(table, cells=tuple(one if one.state is State.EXACT else one._replace(low=0) for one in inner)))
    known = [
        (count, *sums.add_up(frozenset(name for name, _ in values)).get(values, (0, 0))) for count, values in margins
    ]
    fits = all(low <= count <= high for count, low, high in known)
    if output.round_to is None and not fits:
        left_out.append(LeftOut(f"margins of {table.name}", "sums that do not fit its cells"))
    is_known = all(cell.state is State.EXACT for cell in inner)
    says_more = is_known or any(low < count for count, low, _ in known)
    kept = tuple(cell for cell in table.cells if None not in cell.at or cell.state is State.EXACT)
    return replace(table, cells=kept if output.round_to is None and fits and says_more else inner)


def _mark_read(file: Grid, sheet: Grid, read: Columns, left_out: Collection[Cell]) -> Columns:
    """Return what was read of a file, without margins that are not kept; above a pivot table stand its labels."""
    head = len(file.lines) - len(sheet.lines) + 1
    above = file.mark_read(range(head), range(file.width)) if head > 1 else {}
    gone = defaultdict[int, set[int]](set)
    for place in (cell.place for cell in left_out if cell.place is not None):
        gone[place.line].add(place.column)
    return {**above, **{line: columns - gone[line] for line, columns in read.items()}}


def _name_people(output: Output) -> str:
    return f"people{f' with {output.dependent}' if output.dependent else ''} that {output.name} shows"


def _list_outputs(grid: Grid) -> Iterator[Output | LeftOut]:
    """Yield the tables of counts of a session, and what everything else is."""
    try:
        outputs = json.loads(grid.files[SESSION].lines[0][0]).get("results", {})
        items = {str(uid): one for uid, one in outputs.items() if isinstance(one, dict)}
    except (ValueError, AttributeError, RecursionError):
        raise InputError(f"{SESSION} holds no results of ACRO; finalise the session again") from None
    for uid, item in items.items():
        files = [file for file in _list(item.get("files")) if isinstance(file, dict)]
        names, name = [str(file.get("name")) for file in files], printable(str(item.get("uid") or uid))
        kind, properties, fair = str(item.get("type")), _dict(item.get("properties")), _dict(item.get("fair"))
        if kind != "table" and INSIDE.search(name):
            continue
        call = _find_call(str(item.get("command", "")))
        says_so = fair.get("statbarn") == "Frequencies" and "discreet" not in properties
        counts_people = says_so if "statbarn" in fair else _counts_people(item, call)
        if kind != "table" or not counts_people or len(names) != 1:
            what = properties.get("method", kind) if kind == "table" and not counts_people else kind
            yield LeftOut(name, printable(str(what)).replace("_", " "))
            continue
        if names[0] not in grid.files:
            yield LeftOut(name, "its file is missing")
            continue
        base, dependent = properties.get("round_base"), str(fair.get("dependent", "unknown"))
        yield Output(
            name,
            names[0],
            tuple(map(str, _list(fair.get("independent")))) or _name_arguments(call),
            _list_hidden(properties, _dict(_dict(files[0].get("sdc")).get("summary"))),
            base if isinstance(base, int) and base > 1 else None,
            tuple(MARGINS.findall(str(item.get("command", ""))[:LARGEST])),
            "" if dependent == "unknown" else dependent,
            properties.get("method") == "pivot_table",
        )


def _list_hidden(properties: Mapping[str, Any], summary: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what stands where ACRO hid small counts: a blank; since 1.0 also 0, where zeros are not disclosive.

    >>> _list_hidden({"mitigation": "suppress"}, {"MinimumThresholdCheck": 2})
    ('', '0', '0.0')
    """
    if properties.get("mitigation") == "suppress":
        return ("", "0", "0.0") if summary.get("MinimumThresholdCheck") != 0 else ("",)
    return ("",) if summary.get("suppressed") else ()


def _find_call(command: str) -> ast.Call | None:
    """Return the call that made a crosstab, from the line of a program that ACRO keeps; None if it is no whole call."""
    try:
        every = ast.walk(ast.parse(command[:LARGEST].strip()))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    calls = [node for node in every if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    return next((call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "crosstab"), None)


def _counts_people(item: Mapping[str, Any], call: ast.Call | None) -> bool:
    """Return whether a table of a session before 1.0, which does not say so, counts people: by its whole command."""
    given = {} if call is None else {one.arg: one.value for one in call.keywords}
    values = [node for name, node in given.items() if name is None or name in {"values", "aggfunc", "normalize"}]
    is_bare = all(isinstance(node, ast.Constant) and not node.value for node in values)
    return "fair" not in item and call is not None and len(call.args) <= 2 and is_bare  # noqa: PLR2004 - lines, columns


def _name_arguments(call: ast.Call | None) -> tuple[str, ...]:
    """Return the names of the attributes of a crosstab, if all of them are columns of a frame.

    >>> _name_arguments(_find_call("table = acro.crosstab([df.sex, df['region']], df.ill)"))
    ('sex', 'region', 'ill')
    """
    if call is None:
        return ()
    given = {str(one.arg): one.value for one in call.keywords}
    axes = [*call.args, *(given[name] for name in ("index", "columns") if name in given)]
    found = [_name_column(node) for axis in axes for node in (axis.elts if isinstance(axis, ast.List) else [axis])]
    return () if "" in found else tuple(found)


def _name_column(node: ast.expr) -> str:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        return node.slice.value
    return node.attr if isinstance(node, ast.Attribute) and node.attr != "values" else ""


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else []
