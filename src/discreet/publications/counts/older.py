"""Older releases of tables of counts: the people of each are among those of the next, if people were only added."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from discreet.data.counts import Counts, State, Table, name_values
from discreet.publications.counts.equations import Key

MIXED: Final = "Some counts rose and others fell since the older release: people came and went, so a person must look."
APART: Final = "No count is in the older release too: are its columns and values named alike?"


def join_releases(counts: Counts, olds: Sequence[Counts], *, grown: bool) -> tuple[Counts, tuple[str, ...]]:
    """Return the tables of all releases, older people being a part of newer ones; and what a person must look at.

    If nobody says that people were only added, it is taken to be so where no count fell, and the other way round where
    none rose.

    >>> from discreet.data.counts import Cell, Dimension, PEOPLE
    >>> sex = Dimension("sex", ("f", "m"))
    >>> now, before = (Counts((Table("by sex", (sex,), (Cell(("f",), many, many),)),)) for many in (53, 50))
    >>> joint, doubts = join_releases(now, [before], grown=True)
    >>> [(table.counted, table.within) for table in joint.tables], doubts
    ([('people', None), ('people of older release 1', 'people')], ())
    """
    tables, doubts = list(counts.tables), list[str]()
    order = sorted(range(len(olds)), key=lambda at: (_sum(olds[at]), at))
    for place, at in enumerate(order):
        rose, fell = _compare(olds[at], counts)
        if rose is None or fell is None:
            doubts.append(APART)
            continue
        if not grown and rose and fell:
            doubts.append(MIXED)
            continue
        later = next((one + 1 for one in order[place + 1 :]), None)
        tables += _rename(olds[at], at + 1, later if grown else None, is_wider=bool(fell and not grown))
        if fell and not grown:
            gone = f"gone since older release {at + 1}"
            tables = [
                replace(one, within=_name(one.counted, at + 1), rest=f"{one.counted} {gone}")
                if one in counts.tables
                else one
                for one in tables
            ]
    return replace(counts, tables=tuple(tables)), tuple(doubts)


def _rename(old: Counts, number: int, later: int | None, *, is_wider: bool) -> list[Table]:
    return [
        replace(
            table,
            name=f"{table.name} of older release {number}",
            counted=_name(table.counted, number),
            within=None if is_wider else table.counted if later is None else _name(table.counted, later),
            rest=f"{table.counted} new since older release {number}",
        )
        for table in old.tables
    ]


def _name(counted: str, number: int) -> str:
    return f"{counted} of older release {number}"


def _sum(counts: Counts) -> int:
    return max((cell.low for cell in counts), default=0)


def _compare(old: Counts, new: Counts) -> tuple[int, int] | tuple[None, None]:
    """Return how many exact counts rose and how many fell; None if no count is in both."""
    known = dict(_list_exact(new))
    both = [(known[key] - many) for key, many in _list_exact(old) if key in known]
    return (sum(more > 0 for more in both), sum(more < 0 for more in both)) if both else (None, None)


def _list_exact(counts: Counts) -> list[tuple[Key, int]]:
    return [
        (Key(table.counted, name_values(table.names, cell.at)), cell.low)
        for table in counts.tables
        for cell in table.cells
        if cell.state is State.EXACT
    ]
