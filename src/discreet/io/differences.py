"""Differences of counts that another reading of a table would reveal, and what settles that there are none."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from discreet.data.counts import UNKNOWN, Cell
from discreet.runtime.text import count_of

Slice: TypeAlias = Mapping[str | None, Cell]  # the cells that differ in one attribute, by its values


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
