"""A long table: a line for each count, with a column for each attribute and one of counts."""

from collections.abc import Sequence

from discreet.data.counts import Cell, Dimension, Table
from discreet.errors import InputError, Option
from discreet.io.columns import find_column, find_columns
from discreet.io.counts import COUNTS, MASKED
from discreet.io.formats.counts.layout import MISSING, CountOptions, CountsRead
from discreet.io.grids import Grid


def matches(grid: Grid) -> bool:
    """Return whether a column is called as counts are, and no two lines agree in all others."""
    head, body = grid.lines[0], grid.lines[1:]
    for at, name in enumerate(head):
        if COUNTS.fullmatch(name) and body and all(len(line) == len(head) for line in body):
            others = {tuple(line[:at] + line[at + 1 :]) for line in body}
            if len(others) == len(body) and all(MASKED.fullmatch(line[at]) for line in body):
                return True
    return False


def read(grid: Grid, options: CountOptions) -> CountsRead:
    """Return the table of a grid with a count per line."""
    grid.check_even()
    head = grid.lines[0]
    column = _find_counts(head, options)
    at = head.index(column)
    names = find_columns(head, options.columns) or [name for name in head if name != column]
    names = [name for name in names if name not in find_columns(head, options.drop)]
    places = [head.index(name) for name in names]
    values = [[line[place] for line in grid.lines[1:]] for place in places]
    marks, totals = options.make_marks(), [_find_totals(column, options) for column in values]
    cells = []
    for number, line in enumerate(grid.lines[1:], start=1):
        where = grid.place(number, at)
        said = marks.read(line[at], where)
        coordinates = tuple(
            None if line[place] in total else line[place] for place, total in zip(places, totals, strict=True)
        )
        cells.append(Cell(coordinates, said.low, said.high, said.state, where, said.mark))
    marks.check()
    dimensions = tuple(
        Dimension(name, tuple(dict.fromkeys(value for value in column if value not in total)))
        for name, column, total in zip(names, values, totals, strict=True)
    )
    return CountsRead((Table("table", dimensions, tuple(cells), absent=options.absent),), tuple(marks.notes()))


def _find_counts(head: Sequence[str], options: CountOptions) -> str:
    if options.counts is not None:
        return find_column(head, options.counts)
    found = [name for name in head if COUNTS.fullmatch(name)]
    if len(found) != 1:
        some = f"{', '.join(found)} may all be" if found else "no column is called as"
        raise InputError(f"{some} counts; name the column of counts with ", Option("counts"))
    return found[0]


def _find_totals(column: Sequence[str], options: CountOptions) -> frozenset[str]:
    """Return the texts of a column that stand for all values: words such as Total, or else empty fields."""
    words = frozenset(text for text in {*column} if options.is_total(text))
    return words or frozenset(text for text in {*column} if text.casefold() in MISSING)
