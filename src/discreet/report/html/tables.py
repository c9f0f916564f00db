"""Tables of counts on a page: what can be worked out is marked where it stands, with the sums below."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

from discreet.data.counts import Cell, Coordinates, Counts, State, Table, name_values
from discreet.judging.audit import Audit
from discreet.publications.counts.equations import Key
from discreet.publications.counts.revealed import Revealed
from discreet.publications.rules.intervals import format_limits
from discreet.runtime import html
from discreet.runtime.html import Html
from discreet.runtime.text import count_of

MOST_TABLES: Final = 12  # of a page, those with findings first
MOST_LINES, MOST_COLUMNS = 40, 16
TOTAL: Final = "total"


class Grid(NamedTuple):
    """A table to show: its title, its head, its lines as HTML, the sums of what is marked, and what is left out."""

    title: str
    head: Sequence[str]
    lines: Sequence[Sequence[str]]
    sums: Sequence[str]
    note: str


def show_tables(audit: Audit) -> list[Grid]:
    """Return the tables of an audit of counts, those with findings first; none for other candidates."""
    if not isinstance(audit.candidate, Counts):
        return []
    every = (*audit.evidence.shown, *audit.evidence.cells)
    found = {one.keys[0]: one for one in every if len(one.keys) == 1}
    ranked = sorted(audit.candidate.tables, key=lambda table: not any(_list_found(table, found)))
    return [_show(table, found) for table in ranked[:MOST_TABLES]]


def _list_found(table: Table, found: Mapping[Key, Revealed]) -> Iterator[Key]:
    """Yield the revealed counts that have a place in a table: one that shows them, or leaves them out."""
    names = frozenset(table.names)
    return (key for key in found if key.counted == table.counted and key.names == names)


def _show(table: Table, found: Mapping[Key, Revealed]) -> Grid:
    """Return a table with the values of its last attribute as columns, and those of all others as lines."""
    cells = {cell.at: cell for cell in table.cells}
    own = {_place(table, key): found[key] for key in _list_found(table, found)}
    own |= {at: found[key] for at in cells if (key := Key(table.counted, name_values(table.names, at))) in found}
    every = dict.fromkeys((*cells, *own))
    columns = sorted({at[-1] for at in every if at}, key=_rank(table, -1)) if table.names else []
    lines: list[Coordinates] = list(dict.fromkeys(at[:-1] for at in every)) if columns else [()]
    marked = {at[:-1] for at in own}
    shown = sorted(islice(sorted(lines, key=lambda line: line not in marked), MOST_LINES), key=lines.index)
    sums: list[str] = []
    body = [_show_line(table, line, columns[:MOST_COLUMNS], cells, own, sums) for line in shown]
    left = [
        count_of(len(lines) - len(shown), "line") if len(lines) > len(shown) else "",
        count_of(len(columns) - MOST_COLUMNS, "column") if len(columns) > MOST_COLUMNS else "",
    ]
    note = f"{' and '.join(filter(None, left))} not shown here." if any(left) else ""
    head = [*table.names[:-1], *(f"{table.names[-1]}: {value or TOTAL}" for value in columns[:MOST_COLUMNS])]
    title = table.name if table.counted in table.name else f"{table.name}, {table.counted}"
    return Grid(title, head if columns else ["count"], body, sums, note)


def _show_line(
    table: Table,
    line: Coordinates,
    columns: Sequence[str | None],
    cells: Mapping[Coordinates, Cell],
    own: Mapping[Coordinates, Revealed],
    sums: list[str],
) -> list[str]:
    """Return the fields of a line as HTML; add the sums of those that are marked."""
    fields: list[str] = [Html(f'<th scope="row">{html.text(value or TOTAL)}</th>') for value in line]
    for at in [(*line, column) for column in columns] if table.names else [()]:
        shown = _show_cell(cells.get(at))
        if at in own:
            one = own[at]
            if one.kind != "shown":
                sums.append(one.sentence)
            mark = f"<sup>{len(sums)}</sup>" * (one.kind != "shown")
            value = html.text(format_limits(one.low, one.high))
            fields.append(Html(f'<td class="found {one.kind}">{shown} <strong>{value}</strong>{mark}</td>'))
        else:
            fields.append(Html(f"<td>{shown}</td>"))
    return fields


def _show_cell(cell: Cell | None) -> str:
    """Return what a table shows: its count, or a mark that is struck out."""
    if cell is None:
        return "<s>missing</s>"
    if cell.state is State.MASKED:
        return f"<s>{html.text(cell.mark or 'masked')}</s>"
    return html.text(format_limits(cell.low, cell.high))


def _place(table: Table, key: Key) -> Coordinates:
    return tuple(key.value(name) for name in table.names)


def _rank(table: Table, place: int) -> Callable[[str | None], tuple[bool, int]]:
    """Return how to sort values of an attribute: as the table lists them, all of them together last."""
    order = {value: at for at, value in enumerate(table.dimensions[place].values)}
    return lambda value: (value is None, order.get(value or "", len(order)))
