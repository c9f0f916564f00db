"""Tables with one line per person and a column per attribute: items are ``column=value``."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from discreet.data.itemsets import AnyFrame, offsets_of, sort_labels
from discreet.data.reading import ASKED, LeftOut, Reading, name_some
from discreet.data.schema import Attribute, Schema
from discreet.data.transactions import Transactions
from discreet.errors import InputError, Message, Option, OptionError
from discreet.io import bins
from discreet.io.columns import (
    Column,
    code_columns,
    code_others,
    judge,
    names_of,
)
from discreet.io.line_files import Losses, check_held
from discreet.io.names import find_column, find_columns
from discreet.io.notation import Coder, as_labels
from discreet.io.options import RowOptions
from discreet.io.owners import find_owners
from discreet.io.people import by_person, check_people
from discreet.io.readings import describe
from discreet.runtime.text import count_of


def from_table(frame: AnyFrame, options: RowOptions) -> Transactions:
    """Return the rows of a frame of pandas, polars or Arrow with one line per person and a column per attribute.

    Items are texts such as ``sex=f``. The values of a column exclude each other, as the schema says. Empty cells, NA,
    NaN and the texts in ``na`` are missing values: such a row holds no item of that column. Ids, dates, free text and
    numbers of too many values are left out (``columns.RULES``) unless ``columns`` or ``bins`` names them.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"sex": ["f", "m", None], "age": ["31", "45", "47"]})
    >>> rows = from_table(frame, RowOptions(bins=("age=10",)))
    >>> [sorted(row) for row in rows]
    [['age=30–39', 'sex=f'], ['age=40–49', 'sex=m'], ['age=40–49']]
    >>> [(attribute.name, attribute.total) for attribute in rows.schema.attributes]
    [('sex', False), ('age', True)]
    """
    table = _read(frame, options)
    rows = describe(_assemble(table.attributes, len(frame)), table.reading)
    if table.people is None:
        return rows
    return by_person(rows, table.people, options._replace(person=table.person))


def find_cells(frame: AnyFrame, losses: Losses, options: RowOptions) -> dict[int, list[int]]:
    """Return for each line of a table the columns of the items that its row loses; a person may have several lines."""
    table = _read(frame, options)
    is_merged = table.people is not None and options.per is None
    owners = Coder[Any]().encode(table.people if is_merged and table.people else range(len(frame)))
    wanted = {row: frozenset(lost) for row, lost in losses.items()}
    missing = {(row, label) for row, lost in wanted.items() for label in lost}
    gone: dict[int, list[int]] = {}
    for column in table.attributes:
        labels = [*_labels_of(column), None]
        at = table.names.index(column.name)
        for line, (row, code) in enumerate(zip(owners, column.codes.tolist(), strict=True)):
            if row in wanted and labels[code] in wanted[row]:
                gone.setdefault(line, []).append(at)
                missing.discard((row, labels[code]))
                _check_stable(column.name, table)
    check_held(row for row, _ in missing)
    return gone


class _Table(NamedTuple):
    """A table as understood: its attributes, and the person of each line."""

    names: list[str]
    attributes: list[Column]
    reading: Reading
    quantiles: frozenset[str]
    person: str | None
    people: list[Any] | None


def _read(frame: AnyFrame, options: RowOptions) -> _Table:
    names = names_of(frame)
    choice = _choose(names, options)
    cuts = {find_column(names, name): cut for name, cut in bins.parse_bins(options.bins).items()}
    _check_cuts(cuts, choice)
    attributes, left_out, doubts, notes = list[Column](), list(choice.left_out), list[Message](), list[str]()
    seen = list(code_columns(frame, names, choice.attributes, options.na))
    for column in seen:
        why = None if column.name in choice.named or column.name in cuts else judge(column)
        if why is not None:
            left_out.append(LeftOut(column.name, why))
        elif column.name in cuts:
            ranges, said = bins.cut(column, cuts[column.name], comma=options.separator not in {None, ","})
            attributes.append(ranges)
            notes += said
        else:
            attributes.append(column)
    _check_attributes(attributes, left_out)
    alike = [column.name for column in attributes if column.has_alike]
    notes += [f"values of {name_some(alike)} that differ only in blanks around them are one"] * bool(alike)
    if options.person is None:
        known = {*choice.attributes, *find_columns(names, options.drop)}
        doubts += find_owners([*seen, *code_others(frame, known, options.na)], {*choice.named, *cuts})
    reading = Reading(
        "table",
        "table",
        columns=tuple(column.name for column in attributes),
        left_out=tuple(sorted(left_out, key=lambda one: names.index(one.column))),
        doubts=tuple(doubts),
        notes=tuple(notes),
    )
    quantiles = frozenset(name for name, (kind, _) in cuts.items() if kind == "quantiles")
    person = [] if choice.person is None else [choice.person]
    people = [_name_people(column) for column in code_columns(frame, names, person, options.na)]
    return _Table(names, attributes, reading, quantiles, choice.person, people[0] if people else None)


class _Choice(NamedTuple):
    """The columns that may be attributes, those that the owner named, and those left out on request."""

    attributes: list[str]
    named: list[str]
    left_out: list[LeftOut]
    person: str | None


def _choose(names: Sequence[str], options: RowOptions) -> _Choice:
    check_people(options)
    named, dropped = find_columns(names, options.columns), find_columns(names, options.drop)
    for name in dropped:
        if name in named:
            raise OptionError(
                f"column {name!r} stands in both ", Option("columns"), " and ", Option("drop"), "; choose one"
            )
    person = None if options.person is None else find_column(names, options.person)
    kept = [name for name in named or names if name not in dropped and name != person]
    return _Choice(kept, named, [LeftOut(name, ASKED) for name in names if name not in kept and name != person], person)


def _check_cuts(cuts: dict[str, Any], choice: _Choice) -> None:
    for name in cuts:
        if name not in choice.attributes:
            problem = f"there are bins for column {name!r}, which is not read"
            raise OptionError(f"{problem}; check ", Option("bins"), ", ", Option("columns"), " and ", Option("drop"))


def _check_attributes(attributes: Sequence[Column], left_out: Sequence[LeftOut]) -> None:
    for column in attributes:
        if "=" in column.name:
            problem = f"column {column.name!r} has '=' in its name, so that its items could be those of another column"
            raise InputError(f"{problem}; rename it, or leave it out with ", Option("drop"))
    if not attributes:
        raise InputError(
            f"none of {count_of(len(left_out), 'column')} is an attribute with values that repeat; name some with ",
            Option("columns"),
            ", and cut numbers with ",
            Option("bins"),
        )


def _check_stable(name: str, table: _Table) -> None:
    """Refuse to take values out of a column whose quantiles would then be others."""
    if name in table.quantiles:
        problem = f"the quantiles of column {name!r} change when values are taken out"
        raise OptionError(f"{problem}; give their edges with ", Option("bins"))


def _name_people(people: Column) -> list[Any]:
    names = [*as_labels(people.texts), None]
    return [names[code] for code in people.codes.tolist()]


def _assemble(columns: Sequence[Column], n: int) -> Transactions:
    """Return rows of columns, with their schema: count the items of each row, then fill the rows column by column."""
    labels = sort_labels(label for column in columns for label in _labels_of(column))
    place = {label: code for code, label in enumerate(labels)}
    offsets = offsets_of(sum((column.codes >= 0 for column in columns), np.zeros(n, dtype=np.int64)))
    free, items = offsets[:-1].copy(), np.empty(int(offsets[-1]), dtype=np.int32)
    for column in columns:
        code_of = np.array([place[label] for label in _labels_of(column)], dtype=np.int32)
        is_held = column.codes >= 0
        items[free[is_held]] = code_of[column.codes[is_held]]
        free += is_held
    filled = [column for column in columns if column.texts]
    attributes = [Attribute(column.name, frozenset(_labels_of(column)), column.is_total) for column in filled]
    return Transactions.from_codes(offsets, items, labels).describe(schema=Schema(tuple(attributes)))


def _labels_of(column: Column) -> Iterator[str]:
    return (f"{column.name}={text}" for text in column.texts)
