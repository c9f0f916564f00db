"""Unnamed totals: values of a table whose counts look like the sums of the others, though no word says so."""

from collections.abc import Iterator
from typing import Final

from discreet.data.counts import Cell, Table
from discreet.errors import Message, Option

FEWEST: Final = 3  # values of an attribute of which one may be the total of the others


def find_unnamed_totals(table: Table, layout: str) -> Iterator[Message]:
    """Yield a doubt for each attribute without totals of which one value fits the sum of all others everywhere.

    Taken for a value like any other, a total would hide that masked counts follow from it.

    >>> from discreet.data.counts import Dimension, State
    >>> cells = Cell(("Gesamt",), 180, 180), Cell(("f",), 177, 177), Cell(("m",), 1, 10, State.MASKED)
    >>> print(*find_unnamed_totals(Table("", (Dimension("sex", ("Gesamt", "f", "m")),), cells), "long"))
    a value of sex seems to be the total of the others; if it is, name it with totals=, else confirm with format='long'
    """
    for at, dimension in enumerate(table.dimensions):
        has_totals = any(cell.at[at] is None for cell in table.cells)
        if has_totals or dimension.overlapping or dimension.cut or dimension.parents:
            continue
        long = [one for one in table.slice_by(at) if len(one) >= FEWEST]
        total = next((value for value in dimension.values if _may_be_total(value, long)), None)
        if total is not None:
            place = next((one[total].place for one in long if total in one), None)
            where = "" if place is None else f" ({place})"
            yield Message(
                f"a value of {dimension.name}{where} seems to be the total of the others; if it is, name it with ",
                Option("totals"),
                ", else confirm with ",
                Option("format", layout),
            )


def _may_be_total(value: str, slices: list[dict[str | None, Cell]]) -> bool:
    """Return whether the count of a value may be the sum of all others, wherever it stands, and is known somewhere."""
    own = [(one[value], [cell for other, cell in one.items() if other != value]) for one in slices if value in one]
    fits = all(
        sum(one.low for one in others) <= cell.high and cell.low <= sum(one.high for one in others)
        for cell, others in own
    )
    return fits and any(cell.low == cell.high > 0 for cell, _ in own)
