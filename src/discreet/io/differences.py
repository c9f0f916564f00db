"""Differences of counts that another reading of a table would reveal, and what settles that there are none."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from discreet.data.counts import UNKNOWN, Cell, Coordinates, Table
from discreet.runtime.text import count_of

Slice: TypeAlias = Mapping[str | None, Cell]  # the cells that differ in one attribute, by its values


def merge(table: Table, *keys: int) -> tuple[Table, tuple[int, ...]]:
    """Return a table without attributes that others determine, such as the name of each code, and where these are now.

    >>> from discreet.data.counts import Dimension
    >>> cells = Cell(("E11", "diabetes"), 60, 60), Cell(("I10", "hypertension"), 70, 70)
    >>> dimensions = Dimension("icd", ("E11", "I10")), Dimension("name", ("diabetes", "hypertension"))
    >>> merge(Table("", dimensions, cells), 0)[0].names
    ('icd',)
    """
    kept = [one for one in range(len(table.dimensions)) if one in keys or not _is_determined(table, keys, one)]
    if len(kept) == len(table.dimensions):
        return table, keys
    others = [one for one in range(len(table.dimensions)) if one not in kept]
    cells = tuple(
        cell._replace(at=tuple(cell.at[one] for one in kept))
        for cell in table.cells
        if all(cell.at[key] is not None for key in keys) or all(cell.at[one] is None for one in others)
    )
    dimensions = tuple(table.dimensions[one] for one in kept)
    return Table(table.name, dimensions, cells), tuple(map(kept.index, keys))


def _is_determined(table: Table, keys: Sequence[int], at: int) -> bool:
    """Return whether one attribute has the same value wherever others have the same values."""
    seen: dict[Coordinates, str | None] = {}
    for cell in table.cells:
        where = tuple(cell.at[key] for key in keys)
        if None not in where and seen.setdefault(where, cell.at[at]) != cell.at[at]:
            return False
    return True


class Difference(NamedTuple):
    """How many people follow, from which sum, and where one of its counts stands."""

    least: int
    words: str
    where: str


def tell(least: Difference) -> str:
    """Return in words what follows."""
    verb = "follows" if least.least == 1 else "follow"
    return f"{least.words} = {count_of(least.least, 'person', 'people')} {verb}{least.where}"


def adds_up(slices: Iterable[Slice]) -> bool:
    """Return whether totals show that values exclude each other: what contradicts its total is refused anyway."""
    with_total = [one for one in slices if None in one and len(one) > 2]  # noqa: PLR2004 - a total and two parts
    return any(all(cell.high < UNKNOWN for cell in one.values()) for one in with_total)


def leave_out(whole: int, parts: Sequence[Cell]) -> Iterator[Difference]:
    """Yield each part as the whole without the others."""
    return (Difference(one.low, f"{whole:,} − {whole - one.low:,}", say_where(one)) for one in parts if one.low)


def subtract(whole: Cell, *parts: Cell) -> Difference:
    """Return a count without its parts.

    >>> tell(subtract(Cell((), 100, 100), Cell((), 97, 97)))
    '100 − 97 = 3 people follow'
    """
    words = " − ".join(f"{one.low:,}" for one in (whole, *parts[:3]))
    if len(parts) > 3:  # noqa: PLR2004 - as many as are shown
        words = f"{whole.low:,} − {sum(one.low for one in parts):,}"
    return Difference(whole.low - sum(one.low for one in parts), words, say_where(whole))


def say_where(cell: Cell) -> str:
    """Return where a count is, in brackets."""
    return "" if cell.place is None else f" ({cell.place})"


def is_exact(cell: Cell) -> bool:
    """Return whether a count is known."""
    return cell.low == cell.high
