"""Doubts about how tables of counts were read: other readings that are plausible, and what they would reveal.

Each generator of doubts is a function and a line in ``GENERATORS``. Totals settle what adds up, a hierarchy what is
part of what, and a format of a program what its columns are.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from discreet.data.counts import Table
from discreet.data.reading import name_some
from discreet.errors import Message, Option
from discreet.io.formats.counts.layout import CountOptions, CountsRead
from discreet.io.grids import Grid
from discreet.io.names import find_columns
from discreet.io.nested_lines import find_nested
from discreet.io.stacked_blocks import find_blocks, find_parts
from discreet.io.unjudged_numbers import find_notes, find_numbers, find_stated
from discreet.io.unnamed_totals import find_unnamed_totals

FREE: Final = frozenset(("long", "crosstab"))  # layouts that anybody may write, with columns of their own


class Seen(NamedTuple):
    """What was read, and how; ``is_named`` if the owner named the layout."""

    layout: str
    options: CountOptions
    grid: Grid
    read: CountsRead
    is_named: bool


def find_doubts(tables: Sequence[Table], seen: Seen) -> tuple[Message, ...]:
    """Return the doubts about tables, each once."""
    return tuple(dict.fromkeys(doubt for table in tables for one in GENERATORS for doubt in one(table, seen)))


def _doubt_numbers(table: Table, seen: Seen) -> Iterator[Message]:
    """Yield a doubt about columns of numbers that were taken for attributes, but do not behave like values of one."""
    if seen.layout not in {*FREE, "measures"}:
        return
    is_long = seen.layout == "long"
    named = find_columns(seen.grid.lines[0], seen.options.columns) if is_long else table.names[:1]  # its lines
    names = name_some([name or "(no name)" for name in find_numbers(table, named)])
    if names:
        yield Message(
            f"{names}: taken for attributes, but these numbers may be counts, shares or rates, which were not judged; "
            "if they are values of attributes, name all attributes with ",
            Option("columns"),
            ", else leave them out with ",
            Option("drop"),
        )


def _doubt_labels(table: Table, seen: Seen) -> Iterator[Message]:
    """Yield a doubt about counts that labels or headers state."""
    if seen.layout in FREE and (found := find_stated(table, seen.read.headers)):
        which = "this count was" if len(found) == 1 else "these counts were"
        yield Message(f"labels say {name_some(found)}: {which} not judged; take counts out of labels")


def _doubt_notes(table: Table, seen: Seen) -> Iterator[Message]:
    """Yield a doubt about lines that hold a text and no count, which would go out as a value."""
    if seen.layout == "long" and "" not in seen.options.masks and (found := find_notes(table)):
        yield Message(f"{found[0]} has no count, and its line may be a note that was not judged; leave such lines out")


def _doubt_totals(table: Table, seen: Seen) -> Iterator[Message]:
    """Yield doubts about values that look like totals, unless the owner has named the layout."""
    if not seen.is_named:
        yield from find_unnamed_totals(table, seen.layout)


def _doubt_lines(table: Table, seen: Seen) -> Iterator[Message]:
    """Yield doubts about lines that may count people of other lines."""
    if seen.layout in FREE:
        yield from find_nested(table, seen.grid.indents, seen.read.headers)


def _doubt_blocks(table: Table, seen: Seen) -> Iterator[Message]:
    """Yield doubts about blocks of lines that may count the same people."""
    if seen.layout in FREE:
        yield from find_blocks(table, has_blanks="" in seen.options.masks)


def _doubt_columns(table: Table, seen: Seen) -> Iterator[Message]:
    """Yield doubts about columns of a crosstab of which one may count people of another."""
    if seen.layout == "crosstab":
        yield from find_parts(table)


GENERATORS: Final[Sequence[Callable[[Table, Seen], Iterator[Message]]]] = (
    _doubt_numbers,
    _doubt_labels,
    _doubt_notes,
    _doubt_totals,
    _doubt_lines,
    _doubt_blocks,
    _doubt_columns,
)
"""All generators of doubts; each is asked about each table."""
