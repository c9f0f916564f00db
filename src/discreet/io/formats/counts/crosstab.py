"""A crosstab: a line for each value of one attribute and a column for each of another, with margins.

Both may have several levels, as pandas, Excel, R, Stata and ACRO write them. Lines of text above and below the table
are left out.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from discreet.data.counts import UNKNOWN, Cell, Columns, Coordinates, Dimension, Place, State, Table
from discreet.data.reading import ASKED, LeftOut, name_some
from discreet.errors import InputError, Option
from discreet.io.counts import COUNTS
from discreet.io.formats.counts import shares
from discreet.io.formats.counts.frame import Frame, fill, find_frame, is_number, turn
from discreet.io.formats.counts.layout import LATER, CountOptions, CountsRead, list_values
from discreet.io.formats.counts.shares import Share
from discreet.io.grids import Grid
from discreet.io.names import find_columns
from discreet.io.unjudged_numbers import REMARK
from discreet.runtime.text import count_of

EMPTY: Final = "(empty)"
NUMBERED: Final = re.compile(r" \d+\Z")  # what tells names apart that are alike


class Column(NamedTuple):
    """A column of counts, or of shares in ``unit``, with its labels from the broadest to the finest."""

    number: int
    labels: tuple[str, ...]
    unit: int | None = None
    digits: int = 0


def matches(grid: Grid) -> bool:
    """Return whether most fields but those of the first lines and columns hold counts."""
    frame = find_frame(grid)
    if frame is None:
        return False
    fields = [field for line in grid.lines[frame.body : frame.end] for field in line[frame.labels :] if field]
    return 2 * sum(is_number(field) for field in fields) > len(fields)


def is_sure(grid: Grid) -> bool:
    """Return whether all of these fields hold counts, and some line or column holds totals."""
    frame = find_frame(grid)
    if frame is None or frame.end - frame.body < 2:  # noqa: PLR2004 - a value and a total
        return False
    body, options = grid.lines[frame.body : frame.end], CountOptions()
    fields = [field for line in body for field in line[frame.labels :] if field]
    labels = [line[0] for line in body] + [field for line in grid.lines[frame.start : frame.body] for field in line]
    is_even = len({*map(len, body)}) == 1
    return is_even and bool(fields) and all(map(is_number, fields)) and any(map(options.is_total, labels))


def read(grid: Grid, options: CountOptions) -> CountsRead:
    """Return the table of a grid with a count for each line and column."""
    return read_table(grid, options)


def read_table(grid: Grid, options: CountOptions, name: str = "table", names: Sequence[str] = ()) -> CountsRead:
    """Return the one table of a grid; ``names`` are those of its attributes, first of lines and then of columns."""
    frame = find_frame(grid)
    if frame is None:
        raise InputError("there are no counts below a header; give a table with a header and a line for each count")
    raw, grid = grid, _even(grid, frame)
    columns, dropped = _list_columns(grid, frame, options.drop)
    rows = _place(fill([line[: frame.labels] for line in grid.lines[frame.body : frame.end]]), options)
    tops = _place([column.labels for column in columns], options)
    cells, stated, marks = _read_cells(grid, frame, columns, (rows, tops), options)
    marks_notes = tuple(marks)
    dimensions, keep = _list_dimensions(grid, frame, (rows, tops), names)
    cells = [cell._replace(at=_pick(cell.at, keep)) for cell in cells]
    stated = [one._replace(part=_pick(one.part, keep)) for one in stated]
    ratios, missing, more = shares.find_wholes([one.name for one in dimensions], cells, stated)
    left_out = len(grid.lines) - (frame.end - frame.start)
    text = [at for at in range(len(grid.lines)) if not frame.start <= at < frame.end]
    stated_around = [at for at in text if any(map(REMARK.search, grid.lines[at]))]
    around = [f"{count_of(left_out, 'line')} of text around the table left out"] if left_out else []
    table = Table(name, dimensions, (*cells, *missing), absent=options.absent, ratios=tuple(ratios))
    lines = sum(at < frame.labels for at in keep)
    return CountsRead(
        (table,),
        (*marks_notes, *more, *around),
        {"": _mark_read(raw, frame, columns, table.names)},
        left_out=(
            *(LeftOut(name, ASKED) for name in dropped),
            *(LeftOut(f"line {grid.numbers[at]:,}", "text that states a count") for at in stated_around),
        ),
        roles=tuple(_list_roles(grid, frame, columns, (table.names[:lines], table.names[lines:]))),
        headers=tuple(field for line in grid.lines[: frame.body] for field in line if field),
    )


def _mark_read(grid: Grid, frame: Frame, columns: Sequence[Column], names: Sequence[str]) -> Columns:
    """Return the labels, the counts and the shares of a table; in the corner, only names of its attributes are read."""
    labels, counted = range(frame.labels), [column.number for column in columns]
    read = {**grid.mark_read(range(frame.body, frame.end), [*labels, *counted])}
    known, width = {*names, *(NUMBERED.sub("", name) for name in names)}, len(grid.lines[frame.body])
    for number in range(frame.start, frame.body):
        line = grid.lines[number]
        lacks_corner = len(line) < width
        corner = [] if lacks_corner else [at for at in labels if line[at] in known]
        read |= grid.mark_read([number], [*corner, *(at - lacks_corner for at in counted)])
    return read


def _list_roles(
    grid: Grid, frame: Frame, columns: Sequence[Column], names: tuple[Sequence[str], Sequence[str]]
) -> Iterator[str]:
    """Yield what lines and columns were taken for."""
    header = turn(grid.lines[frame.start : frame.body - frame.has_names])
    called = {one: " ".join(filter(None, header[one.number])) for one in columns}
    counts = [called[one] for one in columns if one.unit is None and called[one]]
    shown = [called[one] for one in columns if one.unit is not None and called[one]]
    yield from [f"lines by {', '.join(names[0])}"] * bool(names[0])
    yield from [f"columns by {', '.join(names[1])}"] * bool(names[1])
    yield f"counts in {name_some(counts) or 'columns without a name'}"
    yield from [f"shares in {name_some(shown)}"] * bool(shown)


def _even(grid: Grid, frame: Frame) -> Grid:
    """Return a grid whose lines of a table are equally long; refuse others. R may leave out the corner."""
    lines, width = grid.lines, len(grid.lines[frame.body])
    grid.check_even(frame.body, frame.end)
    head = [
        ["", *line] if len(line) == width - 1 and frame.body - frame.start == 1 else line
        for line in lines[frame.start : frame.body]
    ]
    even = grid._replace(lines=[*lines[: frame.start], *head, *lines[frame.body :]])
    even.check_even(frame.start, frame.body + 1)
    return even


def _list_columns(grid: Grid, frame: Frame, drop: Sequence[str]) -> tuple[list[Column], list[str]]:
    """Return the columns of counts and of shares, and labels of those that are left out.

    A column of shares has the labels of what they are shares of.
    """
    header = grid.lines[frame.start : frame.body - frame.has_names]
    body = grid.lines[frame.body : frame.end]
    labels = fill(turn(header)[frame.labels :])
    dropped = find_columns([text for label in labels for text in label], drop) if drop else []
    last = [label[-1] for label in labels]
    has_units = len(header) > 1 and all(shares.is_share_name(one) or COUNTS.fullmatch(one) for one in last if one)
    found = list[Column]()
    for number, label in enumerate(labels, start=frame.labels):
        texts = [line[number] for line in body]
        if any(text in dropped for text in label) or not (any(label) or any(texts)):
            continue
        of = shares.name_column(label[-1], last)
        if shares.is_share_name(label[-1]) and (found or has_units):
            own = label[:-1] if has_units else found[-1].labels
        elif of is not None and of != label[-1]:
            own = (*label[:-1], of)
        else:
            found.append(Column(number, label[:-1] if has_units else label))
            continue
        found.append(
            Column(
                number,
                own,
                _find_unit(label[-1], texts, grid.place(frame.body, number)),
                shares.find_digits(texts),
            )
        )
    return found, dropped


def _find_unit(name: str, texts: Sequence[str], place: Place) -> int:
    unit = shares.find_unit(name, texts)
    if unit is None and any(texts):
        raise InputError(
            f"the column from {place} on is called as shares are, but holds something else; correct it, or leave the "
            "column out with ",
            Option("drop"),
        )
    return unit or 100


def _place(labels: Sequence[Sequence[str]], options: CountOptions) -> list[Coordinates]:
    """Return the values of labels on each level; None for all values together."""
    levels = len(labels[0])
    words = [any(options.is_total(one[level]) for one in labels) for level in range(levels)]
    values = [{one[level] for one in labels} for level in range(levels)]
    found = []
    for one in labels:
        at: list[str | None] = []
        is_over = False  # whether an upper level is a total
        for level, text in enumerate(one):
            later = LATER.fullmatch(text)
            if is_over or options.is_total(text):
                at.append(None if not text or options.is_total(text) else text)
                is_over |= options.is_total(text)
            elif later is not None and later[1] in values[level]:
                at += [later[1], *[None] * (levels - level - 1)]
                break
            else:
                at.append(text or (EMPTY if words[level] else None))
        found.append(tuple(at))
    return found


def _read_cells(
    grid: Grid,
    frame: Frame,
    columns: Sequence[Column],
    axes: tuple[Sequence[Coordinates], Sequence[Coordinates]],
    options: CountOptions,
) -> tuple[list[Cell], list[Share], list[str]]:
    """Return the counts, the shares, and what each mark was taken for."""
    rows, tops = axes
    marks, cells, stated = options.make_marks(), list[Cell](), list[Share]()
    counted = [column.number for column in columns if column.unit is None]
    fields = [line[at] for line in grid.lines[frame.body : frame.end] for at in counted]
    bare, digits = shares.find_bare_unit(fields), shares.find_digits(fields)
    for number, row in zip(range(frame.body, frame.end), rows, strict=True):
        for column, top in zip(columns, tops, strict=True):
            at, text, where = (*row, *top), grid.lines[number][column.number], grid.place(number, column.number)
            unit = column.unit or bare
            limits = None if unit is None else shares.take_share(text, unit, column.digits or digits)
            if limits is not None:
                stated.append(Share(at, *limits, where))
            if column.unit is not None:
                continue
            if bare is not None and limits is not None:
                cells.append(Cell(at, 0, UNKNOWN, State.MASKED, where))
                continue
            said = marks.read(text, where)
            cells.append(Cell(at, said.low, said.high, said.state, where, said.mark))
            stated += [Share(at, *said.share, where)] if said.share is not None else []
    marks.check()
    return cells, stated, list(marks.notes())


def _list_dimensions(
    grid: Grid, frame: Frame, axes: tuple[Sequence[Coordinates], Sequence[Coordinates]], names: Sequence[str]
) -> tuple[tuple[Dimension, ...], list[int]]:
    """Return the attributes with values, and where they are among all levels.

    A single column that is no total has no attribute, unless its name is given: its label says what is counted.
    """
    found = [list(zip(*axis, strict=True)) for axis in axes]
    is_named = len(names) == sum(map(len, found))
    named = list(names) if is_named else _name_levels(grid, frame, *map(len, found))
    is_single = len({*axes[1]}) == 1 and not is_named
    levels = [*found[0], *([(None,)] * len(found[1]) if is_single else found[1])]
    keep = [at for at, texts in enumerate(levels) if any(text is not None for text in texts)]
    different = _distinguish([named[at] for at in keep])
    dimensions = tuple(Dimension(name, list_values(levels[at])) for name, at in zip(different, keep, strict=True))
    return dimensions, keep


def _name_levels(grid: Grid, frame: Frame, rows: int, tops: int) -> list[str]:
    """Return the names of all levels: those that the file states, or row and column."""
    header = grid.lines[frame.start : frame.body]
    if frame.has_names:
        names = header[-1][:rows]
        corners = [next((field for field in reversed(line[: frame.labels]) if field), "") for line in header[:-1]]
    else:
        names = header[-1][:rows]
        corners = [""] * tops
        if len(header) > 1 and not any(names[1:]) and any(line[0] for line in header[:-1]):
            corners = [line[0] for line in header]
            names = [""] * rows
    corners = (corners + [""] * tops)[:tops]
    return [name or "row" for name in names] + [name or "column" for name in corners]


def _distinguish(names: Sequence[str]) -> list[str]:
    """Return names of which none is twice.

    >>> _distinguish(["row", "row", "column"])
    ['row', 'row 2', 'column']
    """
    found = list[str]()
    for name in names:
        number, new = 1, name
        while new in found:
            number += 1
            new = f"{name} {number}"
        found.append(new)
    return found


def _pick(at: Coordinates, keep: Sequence[int]) -> Coordinates:
    return tuple(at[place] for place in keep)
