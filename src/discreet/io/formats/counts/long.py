"""A long table: a line for each count, with a column for each attribute and one of counts."""

from collections.abc import Iterator, Sequence
from math import prod

from discreet.data.counts import Cell, Dimension, Place, Table
from discreet.data.reading import ASKED, LeftOut
from discreet.errors import InputError, Option
from discreet.io.counts import COUNTS
from discreet.io.formats.counts import shares
from discreet.io.formats.counts.layout import CountOptions, CountsRead, find_totals, list_values
from discreet.io.formats.counts.shares import Share
from discreet.io.grids import Grid
from discreet.io.marks import looks_counted
from discreet.io.names import find_column, find_columns


def matches(grid: Grid) -> bool:
    """Return whether a column is called as counts are, none as totals are, and no two lines agree in all others."""
    return _find_at(grid) is not None


def is_sure(grid: Grid) -> bool:
    """Return whether there are totals or masked counts as well, or a count for each combination of several values."""
    at = _find_at(grid)
    if at is None:
        return False
    others = [place for place, name in enumerate(grid.lines[0]) if place != at and not shares.is_share_name(name)]
    columns = [[line[place] for line in grid.lines[1:]] for place in others]
    options, counts = CountOptions(), [line[at] for line in grid.lines[1:]]
    has_totals = any(options.is_total(field) for column in columns for field in column)
    has_masks = any(field and not field.isdecimal() for field in counts)
    is_full = len(columns) > 1 and prod(len({*column}) for column in columns) == len(counts)
    return has_totals or has_masks or is_full


def _find_at(grid: Grid) -> int | None:
    """Return the column of counts."""
    if not grid.lines:
        return None
    head, body, options = grid.lines[0], grid.lines[1:], CountOptions()
    if any(map(options.is_total, head)) or not body or any(len(line) != len(head) for line in body):
        return None
    for at, name in enumerate(head):
        if COUNTS.fullmatch(name):
            others = {tuple(line[:at] + line[at + 1 :]) for line in body}
            if len(others) == len(body) and all(not line[at] or looks_counted(line[at]) for line in body):
                return at
    return None


def read(grid: Grid, options: CountOptions) -> CountsRead:
    """Return the table of a grid with a count per line."""
    grid.check_even()
    head, body = grid.lines[0], grid.lines[1:]
    column = _find_counts(head, options)
    at = head.index(column)
    units = _find_units(grid, options, at)
    dropped = find_columns(head, options.drop)
    free = [name for name in head if name not in {column, *dropped} and head.index(name) not in units]
    names = [name for name in find_columns(head, options.columns) or free if name in free]
    places = [head.index(name) for name in names]
    values = [[line[place] for line in body] for place in places]
    totals = [find_totals(column, options) for column in values]
    marks, cells, stated = options.make_marks(), list[Cell](), list[Share]()
    for number, line in enumerate(body, start=1):
        where = grid.place(number, at)
        said = marks.read(line[at], where)
        coordinates = tuple(
            None if line[place] in total else line[place] for place, total in zip(places, totals, strict=True)
        )
        cells.append(Cell(coordinates, said.low, said.high, said.state, where, said.mark))
        stated += [Share(coordinates, *said.share, where)] if said.share is not None else []
        stated += _take_shares(coordinates, line, units, where)
    marks.check()
    dimensions = tuple(
        Dimension(name, list_values(value for value in column if value not in total))
        for name, column, total in zip(names, values, totals, strict=True)
    )
    ratios, missing, notes = shares.find_wholes(names, cells, stated)
    table = Table("table", dimensions, (*cells, *missing), absent=options.absent, ratios=tuple(ratios))
    return CountsRead(
        (table,),
        (*marks.notes(), *notes),
        {"": grid.mark_read(range(len(grid.lines)), [*places, at, *units])},
        left_out=tuple(LeftOut(name, ASKED) for name in dropped),
        roles=tuple(_list_roles(column, names, [head[place] for place in units])),
        unread=tuple(name for name in free if name not in names),
        headers=(column,),
    )


def _list_roles(counts: str, attributes: Sequence[str], units: Sequence[str]) -> Iterator[str]:
    """Yield what columns were taken for."""
    yield f"counts in {counts}"
    if attributes:
        shown = ", ".join(name or "(no name)" for name in attributes)
        yield f"{'attribute' if len(attributes) == 1 else 'attributes'} {shown}"
    if units:
        yield f"{', '.join(units)} {'is' if len(units) == 1 else 'are'} shares"


def _find_units(grid: Grid, options: CountOptions, counts: int) -> dict[int, tuple[int, int]]:
    """Return the columns of shares, each with its unit and digits; a column that the owner names is an attribute."""
    found = dict[int, tuple[int, int]]()
    named = find_columns(grid.lines[0], (*options.columns, *options.drop))
    for at, name in enumerate(grid.lines[0]):
        if at != counts and shares.is_share_name(name) and name not in named:
            texts = [line[at] for line in grid.lines[1:]]
            unit = shares.find_unit(name, texts)
            if unit is not None:
                found[at] = unit, shares.find_digits(texts)
    return found


def _take_shares(
    at: tuple[str | None, ...], line: Sequence[str], units: dict[int, tuple[int, int]], where: Place
) -> list[Share]:
    """Return the shares of a line."""
    limits = [(place, shares.take_share(line[place], *unit)) for place, unit in units.items()]
    return [Share(at, *ends, Place(where.line, place + 1)) for place, ends in limits if ends is not None]


def _find_counts(head: Sequence[str], options: CountOptions) -> str:
    if options.counts is not None:
        return find_column(head, options.counts)
    found = [name for name in head if COUNTS.fullmatch(name)]
    if len(found) != 1:
        some = f"{', '.join(found)} may all be" if found else "no column is called as"
        raise InputError(f"{some} counts; name the column of counts with ", Option("counts"))
    return found[0]
