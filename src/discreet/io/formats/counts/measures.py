"""Measures of OpenSAFELY: a numerator and a denominator for each interval and group.

Those in the numerator are among those in the denominator, so that the rest of these is a count as well. ehrQL rounds
both to multiples of 5 and shows counts up to 7 as 0; projects round to midpoints of 6. ``round_to`` says so.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from discreet.data.counts import Cell, Coordinates, Dimension, Ratio, State, Table
from discreet.data.reading import ASKED, LeftOut
from discreet.io.formats.counts import shares
from discreet.io.formats.counts.layout import CountOptions, CountsRead, list_values
from discreet.io.grids import Grid
from discreet.io.marks import Marks, Stated

HEAD: Final = ("measure", "interval_start", "interval_end", "ratio", "numerator", "denominator")
INSIDE, OUTSIDE = "in the numerator", "not in the numerator"
MISSING: Final = "(missing)"
ROUNDED: Final = 5  # how ehrQL rounds,
DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
HIDDEN: Final = 7  # after it has replaced counts up to this one by 0


class Line(NamedTuple):
    """A line of a measure: where it is, its group, and what its fields say."""

    number: int
    at: Coordinates
    numerator: Stated
    denominator: Stated
    ratio: str
    digits: int


def matches(grid: Grid) -> bool:
    """Return whether the columns are those of measures."""
    return {*HEAD} - {"interval_end", "ratio"} <= {*grid.head}


def read(grid: Grid, options: CountOptions) -> CountsRead:
    """Return a table for each measure, with an attribute that says who is in the numerator."""
    grid.check_even()
    marks = options.make_marks()
    body = _Body(grid, options)
    hides = options.round_to == ROUNDED and "0" not in options.masks and not body.shows_few()
    tables, read = list[Table](), dict[int, frozenset[int]]()
    for measure in list_values(line[body.column("measure")] for line in grid.lines[1:]):
        lines = list(body.list_lines(measure, marks, hides_few=hides))
        table = _make_table(measure, body, lines, options)
        has_ratios = {one.place.line for one in table.ratios if one.place is not None}
        for line in lines:
            ratio = [body.ratio] if body.ratio is not None and grid.numbers[line.number] in has_ratios else []
            read |= grid.mark_read([line.number], [*body.list_keys(line.number), *ratio])
        tables.append(table)
    marks.check()
    read |= grid.mark_read([0], (at for at, name in enumerate(grid.head) if name in HEAD or at in body.groups))
    few = [f"0 means 0 to {HIDDEN}, as ehrQL shows counts"] * hides
    groups = ", ".join(["interval", *(grid.lines[0][at] for at in body.groups)])
    return CountsRead(
        tuple(tables),
        (*marks.notes(), *few),
        {"": read},
        left_out=tuple(LeftOut(name, ASKED) for name in body.dropped),
        roles=(f"counts in numerator, among those in denominator; attributes {groups}",),
    )


class _Body:
    """The columns of a file of measures."""

    def __init__(self, grid: Grid, options: CountOptions) -> None:
        self.grid, self.head = grid, grid.head
        self.ratio = self.head.index("ratio") if "ratio" in self.head else None
        self.dropped = [name for name in self.head if name in {*map(str.casefold, options.drop)} - {*HEAD}]
        self.digits = 0 if self.ratio is None else shares.find_digits(line[self.ratio] for line in grid.lines[1:])
        self.groups = [at for at, name in enumerate(self.head) if name not in {*HEAD, *self.dropped}]

    def column(self, name: str) -> int:
        """Return where a column is."""
        return self.head.index(name)

    def shows_few(self) -> bool:
        """Return whether a count from 1 to 7 is shown, so that none was replaced by 0."""
        few = {str(count) for count in range(1, HIDDEN + 1)}
        return any(line[self.column(name)] in few for line in self.grid.lines[1:] for name in HEAD[4:])

    def list_groups(self, measure: str) -> list[int]:
        """Return the columns of a measure's groups: those that are not empty in all of its lines."""
        own = [line for line in self.grid.lines[1:] if line[self.column("measure")] == measure]
        return [at for at in self.groups if any(line[at] for line in own)]

    def list_keys(self, number: int) -> list[int]:
        """Return the columns of a line that are read, but for its ratio; what is no day is no end of an interval."""
        keys = [at for at, name in enumerate(self.head) if name in {*HEAD} - {"interval_end", "ratio"}]
        ends = [at for at, name in enumerate(self.head) if name == "interval_end"]
        return [*keys, *self.groups, *(at for at in ends if DAY.fullmatch(self.grid.lines[number][at]))]

    def list_lines(self, measure: str, marks: Marks, *, hides_few: bool) -> Iterator[Line]:
        """Yield the lines of a measure."""
        groups = self.list_groups(measure)
        for number, line in enumerate(self.grid.lines[1:], start=1):
            if line[self.column("measure")] == measure:
                numerator, denominator = (
                    self._read(number, line, name, marks, hides_few=hides_few) for name in HEAD[4:]
                )
                ratio = line[self.ratio] if self.ratio is not None else ""
                at = (line[self.column("interval_start")], *(line[one] or MISSING for one in groups))
                yield Line(number, at, numerator, denominator, ratio, self.digits)

    def _read(self, number: int, line: Sequence[str], name: str, marks: Marks, *, hides_few: bool) -> Stated:
        at = self.column(name)
        said = marks.read(line[at], self.grid.place(number, at))
        return said._replace(high=HIDDEN) if hides_few and line[at] == "0" else said


def _make_table(measure: str, body: _Body, lines: Sequence[Line], options: CountOptions) -> Table:
    is_within = all(line.numerator.low <= line.denominator.high for line in lines)
    cells, ratios = list[Cell](), list[Ratio]()
    for line in lines:
        sides: Mapping[str | None, tuple[str, Stated]] = {
            None: ("denominator", line.denominator),
            INSIDE: ("numerator", line.numerator),
        }
        for side, (name, said) in sides.items():
            where = body.grid.place(line.number, body.column(name))
            cells.append(Cell((*line.at, side), said.low, said.high, said.state, where, said.mark))
        limits = shares.take_share(line.ratio, 1, line.digits)
        is_exact = State.LIMITS not in {line.numerator.state, line.denominator.state}  # else it is of rounded counts
        if limits is not None and is_exact and body.ratio is not None and is_within:
            where = body.grid.place(line.number, body.ratio)
            ratios.append(Ratio((*line.at, INSIDE), (*line.at, None), *limits, where))
    names = ["interval", *(body.grid.lines[0][at] for at in body.list_groups(measure))]
    dimensions = [
        Dimension(name, list_values(line.at[at] for line in lines), overlapping=not at) for at, name in enumerate(names)
    ]
    inside = Dimension("numerator", (INSIDE, OUTSIDE), overlapping=not is_within)
    return Table(
        measure, (*dimensions, inside), tuple(cells), f"people of {measure}", options.absent, ratios=tuple(ratios)
    )
