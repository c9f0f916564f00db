"""Tables of counts on a page: what can be worked out is marked where it stands, with the sums below."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, Literal, NamedTuple, TypeAlias

from discreet.data.counts import Cell, Coordinates, Counts, State, Table, name_values
from discreet.judging.audit import Audit
from discreet.publications.counts.equations import Key
from discreet.publications.counts.revealed import Revealed
from discreet.publications.rules.intervals import format_limits
from discreet.runtime import html
from discreet.runtime.text import count_of, printable

FieldKind: TypeAlias = Literal["value", "count", "masked", "missing"]

MOST_TABLES: Final = 12  # of a page, those with findings first
MOST_LINES, MOST_COLUMNS = 40, 16
MOST_ACROSS: Final = 8  # values side by side if there is one attribute
TOTAL: Final = "total"
MISSING: Final = "missing"


class Field(NamedTuple):
    """A field of a table: a value of an attribute, a count, a mark in its place, or a count that is missing.

    If a reader learns the count, ``found`` says how, ``learned`` how many people it is, and ``sum`` is the number, from
    1 on, of the sum that shows it; a count that the table shows has none.
    """

    text: str
    kind: FieldKind = "count"
    found: str = ""
    learned: str = ""
    sum: int | None = None

    @property
    def is_hidden(self) -> bool:
        """Whether the table does not show the count."""
        return self.kind in {"masked", "missing"}


class Grid(NamedTuple):
    """A table to show: its title, its head, its lines of fields, the sums of what is marked, and what is left out."""

    title: str
    head: Sequence[str]
    lines: Sequence[Sequence[Field]]
    sums: Sequence[str]
    note: str


def show_tables(audit: Audit) -> list[Grid]:
    r"""Return the tables of an audit of counts, those with findings first; none for other candidates.

    >>> from io import BytesIO
    >>> from discreet import audit, read_counts
    >>> [grid] = show_tables(audit(read_counts(BytesIO(b"sex,n\nTotal,180\nf,177\nm,<11\n")), k=11))
    >>> grid.head, grid.lines[0][1]
    (['sex: f', 'sex: m', 'sex: total'], Field(text='<11', kind='masked', found='recovered', learned='3', sum=1))
    """
    if not isinstance(audit.candidate, Counts):
        return []
    every = (*audit.evidence.shown, *audit.evidence.cells)
    found = {one.keys[0]: one for one in every if len(one.keys) == 1}
    ranked = sorted(audit.candidate.tables, key=lambda table: not any(_list_found(table, found)))
    return [_show(table, found) for table in ranked[:MOST_TABLES]]


def describe_omitted(audit: Audit) -> str:
    """Return how many tables a page leaves out; empty if it has all."""
    omitted = len(audit.candidate.tables) - MOST_TABLES if isinstance(audit.candidate, Counts) else 0
    return f"{count_of(omitted, 'more table')} not shown here, those with findings come first." if omitted > 0 else ""


def _list_found(table: Table, found: Mapping[Key, Revealed]) -> Iterator[Key]:
    """Yield the revealed counts that have a place in a table: one that shows them, or leaves them out."""
    names = frozenset(table.names)
    return (key for key in found if key.counted == table.counted and key.names == names)


def _show(table: Table, found: Mapping[Key, Revealed]) -> Grid:
    """Return a table with the values of its last attribute as columns, and those of all others as lines.

    If there is one attribute with many values, all of them are lines.
    """
    cells = {cell.at: cell for cell in table.cells}
    own = {_place(table, key): found[key] for key in _list_found(table, found)}
    own |= {at: found[key] for at in cells if (key := Key(table.counted, name_values(table.names, at))) in found}
    every = dict.fromkeys((*cells, *own))
    split = 1 if len(table.names) == 1 and len(every) > MOST_ACROSS else max(0, len(table.names) - 1)
    columns = sorted({at[split:] for at in every}, key=_rank(table))
    lines = list(dict.fromkeys(at[:split] for at in every))
    shown = _choose(lines, {at[:split] for at in own}, MOST_LINES)
    broad = _choose(columns, {at[split:] for at in own}, MOST_COLUMNS)
    sums: list[str] = []
    body = [_show_line(line, broad, cells, own, sums) for line in shown]
    left = [
        count_of(len(lines) - len(shown), "line") if len(lines) > len(shown) else "",
        count_of(len(columns) - len(broad), "column") if len(columns) > len(broad) else "",
    ]
    note = f"{' and '.join(filter(None, left))} not shown here." if any(left) else ""
    head = [*table.names[:split], *(f"{table.names[-1]}: {one[0] or TOTAL}" if one else "count" for one in broad)]
    title = table.name if table.counted in table.name else f"{table.name}, {table.counted}"
    return Grid(_tidy(title), list(map(_tidy, head)), body, list(map(printable, sums)), note)


def _tidy(text: str) -> str:
    """Return text of a file on one line, cut if very long."""
    return html.show_label(text, html.LONGEST_TEXT)


def _choose(every: Sequence[Coordinates], marked: Iterable[Coordinates], most: int) -> list[Coordinates]:
    """Return the lines or columns that are shown, in their order: those with a finding go before all others."""
    first = {*marked}
    order = {one: at for at, one in enumerate(every)}
    return sorted(islice(sorted(every, key=lambda one: one not in first), most), key=order.__getitem__)


def _show_line(
    line: Coordinates,
    columns: Sequence[Coordinates],
    cells: Mapping[Coordinates, Cell],
    own: Mapping[Coordinates, Revealed],
    sums: list[str],
) -> list[Field]:
    """Return the fields of a line; add the sums of those that are marked."""
    fields = [Field(_tidy(value or TOTAL), "value") for value in line]
    for at in ((*line, *column) for column in columns):
        field = _show_cell(cells.get(at))
        if at in own:
            one = own[at]
            is_summed = one.kind != "shown"
            sums += [one.sentence] * is_summed
            learned = format_limits(one.low, one.high)
            field = field._replace(found=one.kind, learned=learned, sum=len(sums) if is_summed else None)
        fields.append(field)
    return fields


def _show_cell(cell: Cell | None) -> Field:
    """Return what a table shows: its count, or a mark."""
    if cell is None:
        return Field(MISSING, "missing")
    if cell.state is State.MASKED:
        return Field(_tidy(cell.mark or "masked"), "masked")
    return Field(format_limits(cell.low, cell.high))


def _place(table: Table, key: Key) -> Coordinates:
    return tuple(key.value(name) for name in table.names)


def _rank(table: Table) -> Callable[[Coordinates], tuple[bool, int]]:
    """Return how to sort values of the last attribute: as the table lists them, all of them together last."""
    values = table.dimensions[-1].values if table.dimensions else ()
    order = {value: at for at, value in enumerate(values)}
    return lambda at: (at == (None,), order.get((at[0] if at else None) or "", len(order)))
