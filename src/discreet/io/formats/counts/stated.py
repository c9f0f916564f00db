"""Our own JSON of tables of counts: what each cell says, without the guesses that other layouts need."""

import json
from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from discreet.data.counts import UNKNOWN, Cell, Counts, Dimension, Place, Ratio, State, Table
from discreet.data.thresholds import LARGEST_COUNT
from discreet.errors import InputError

KEY: Final = "tables of counts"
OBJECT: Final = json.JSONDecoder(object_pairs_hook=lambda pairs: len(dict(pairs)) == len(pairs) and dict(pairs)).decode
TABLE: Final = ("name", "counted", "absent", "within", "rest", "dimensions", "ratios", "cells")
DIMENSION: Final = ("name", "values", "parents", "overlapping", "cut")
BROKEN: Final = "this is no JSON of tables of counts as `discreet block` writes it; get it again"


def encode(counts: Counts) -> Iterator[str]:
    """Yield tables as JSON, a cell per line; a masked cell has its limits and its mark, and no count.

    >>> sex = Dimension("sex", ("f", "m"))
    >>> cells = (Cell((None,), 180, 180), Cell(("m",), 0, UNKNOWN, State.MASKED, mark="*"))
    >>> for line in encode(Counts((Table("by sex", (sex,), cells),))): print(line)
    {"tables of counts": 1, "tables": [
    {"name": "by sex", "counted": "people", "absent": null, "within": null, "rest": "", "dimensions":
     [{"name": "sex", "values": ["f", "m"], "parents": {}, "overlapping": false, "cut": false}],
     "ratios": [],
     "cells": [
     {"at": [null], "low": 180, "high": 180, "state": "exact", "place": null, "mark": ""},
     {"at": ["m"], "low": 0, "high": null, "state": "masked", "place": null, "mark": "*"}]}]}
    """
    yield f'{{"{KEY}": 1, "tables": ['
    for number, table in enumerate(counts.tables, start=1):
        head = {name: getattr(table, name) for name in TABLE[:5]}
        yield f'{_encode(head)[:-1]}, "dimensions":'
        dimensions = [{**vars(one), "parents": dict(one.parents)} for one in table.dimensions]
        yield f" {_encode([_public(one) for one in dimensions])},"
        yield f' "ratios": {_encode([_describe_ratio(one) for one in table.ratios])},'
        yield ' "cells": ['
        close = "]}" + ("," if number < len(counts.tables) else "]}")
        for at, cell in enumerate(table.cells, start=1):
            yield f" {_encode(_describe_cell(cell))}{',' if at < len(table.cells) else close}"
        if not table.cells:
            yield f" {close}"
    if not counts.tables:
        yield "]}"


def decode(text: str) -> Counts:
    """Return the tables of a text that ``encode`` wrote; refuse anything else."""
    try:
        stated = OBJECT(text)
        _check_keys(stated, (KEY, "tables"))
        tables = tuple(_read_table(one) for one in stated["tables"]) if stated[KEY] == 1 else None
    except InputError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        tables = None
    if tables is None:
        raise InputError(BROKEN)
    return Counts(tables)


def _encode(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _public(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: facts[name] for name in DIMENSION}


def _check_keys(facts: Mapping[str, Any], known: Collection[str]) -> None:
    """Refuse an object with an unknown key; readers who know it would be told more than is checked."""
    for name in facts:
        if name not in known:
            raise InputError(f"counts.json has the unknown key {name!r:.99}; get the file again")


def _describe_cell(cell: Cell) -> dict[str, Any]:
    high = None if cell.high >= UNKNOWN else cell.high
    return {**cell._asdict(), "high": high, "state": cell.state.name.lower()}


def _describe_ratio(ratio: Ratio) -> dict[str, Any]:
    return {**ratio._asdict(), "low": str(ratio.low), "high": str(ratio.high)}


def _read_table(facts: dict[str, Any]) -> Table:
    _check_keys(facts, TABLE)
    dimensions = tuple(map(_read_dimension, facts["dimensions"]))
    absent = None if facts["absent"] is None else (_count(facts["absent"][0]), _count(facts["absent"][1]))
    return Table(
        _text(facts["name"]),
        dimensions,
        tuple(_read_cell(one, len(dimensions)) for one in facts["cells"]),
        _text(facts["counted"]),
        absent,
        tuple(_read_ratio(one) for one in facts["ratios"]),
        None if facts["within"] is None else _text(facts["within"]),
        _text(facts["rest"]),
    )


def _read_dimension(facts: dict[str, Any]) -> Dimension:
    _check_keys(facts, DIMENSION)
    values, parents = (
        tuple(map(_text, facts["values"])),
        {_text(one): _text(two) for one, two in facts["parents"].items()},
    )
    return Dimension(_text(facts["name"]), values, parents, _flag(facts["overlapping"]), _flag(facts["cut"]))


def _read_cell(facts: dict[str, Any], width: int) -> Cell:
    _check_keys(facts, Cell._fields)
    at, place = _read_at(facts["at"]), facts["place"]
    low, high = _count(facts["low"]), UNKNOWN if facts["high"] is None else _count(facts["high"])
    state = State[_text(facts["state"]).upper()]
    if len(at) != width or low > high or (state is State.EXACT and low != high):
        raise InputError("a cell in the JSON has limits that no count keeps, or too few values; get the file again")
    return Cell(at, low, high, state, None if place is None else Place(*map(_count, place)), _text(facts["mark"]))


def _read_ratio(facts: dict[str, Any]) -> Ratio:
    _check_keys(facts, Ratio._fields)
    place = facts["place"]
    ends = Fraction(_text(facts["low"])), Fraction(_text(facts["high"]))
    where = None if place is None else Place(*map(_count, place))
    return Ratio(_read_at(facts["part"]), _read_at(facts["whole"]), *ends, where)


def _read_at(values: list[Any]) -> tuple[str | None, ...]:
    return tuple(None if one is None else _text(one) for one in values)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _count(value: object) -> int:
    if type(value) is not int or not 0 <= value <= LARGEST_COUNT:
        raise TypeError
    return value
