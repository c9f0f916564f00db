"""People with several rows: their rows are merged, or stay apart with the number of the person of each."""

from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from discreet.data.itemsets import Itemsets, is_missing
from discreet.data.reading import Reading
from discreet.data.schema import Schema
from discreet.data.transactions import Transactions
from discreet.errors import InputError, Option, OptionError
from discreet.io.notation import Coder
from discreet.io.options import RowOptions
from discreet.io.readings import describe
from discreet.runtime.text import count_of


def by_person(rows: Transactions, names: Sequence[Hashable], options: RowOptions) -> Transactions:
    """Return ``rows``, of which row r belongs to the person ``names[r]``, as one row per person.

    Such a row holds every item that a row of this person holds, and people are in the order of their first rows. An
    attribute of which somebody now holds two values is no longer in the schema. With ``options.per``, which says what a
    row stands for, such as "visit", the rows stay and ``people`` numbers the person of each.

    >>> rows = Transactions([["a"], ["b"], ["a", "c"]])
    >>> merged = by_person(rows, ["Ann", "Ben", "Ann"], RowOptions(person="who"))
    >>> [sorted(row) for row in merged], merged.ids
    ([['a', 'c'], ['b']], ['Ann', 'Ben'])
    >>> by_person(rows, ["Ann", "Ben", "Ann"], RowOptions(person="who", per="visit")).people.tolist()
    [0, 1, 0]
    """
    check_people(options)
    if len(names) != rows.n:
        raise InputError(f"there are {rows.n:,} rows but {len(names):,} names of people; give one a row")
    missing = sum(name == "" or is_missing(name) for name in names)
    if missing:
        problem = f"column {options.person!r} holds no person in {count_of(missing, 'row')} of {rows.n:,}"
        raise InputError(f"{problem}; fill them, leave these rows out, or name another column with ", Option("person"))
    coder: Coder[Hashable] = Coder()
    people = np.array(coder.encode(names), dtype=np.int32)
    reading = replace(
        rows.reading or Reading("rows", "rows"), person=options.person, per=options.per, people=len(coder.values)
    )
    if options.per is not None:
        people.setflags(write=False)
        return rows.describe(people=people, reading=reading)
    merged = _merge(rows, people, coder.values)
    schema, notes = _limit_schema(rows.schema, merged)
    return describe(merged.describe(schema=schema), replace(reading, notes=(*reading.notes, *notes)))


def find_people(
    rows: NDArray[np.int32], people: NDArray[np.int32], names: Sequence[Hashable], options: RowOptions
) -> list[Hashable]:
    """Return the person of each row, from lines with the codes of a row and of a person; refuse a row of two people.

    >>> lines = np.array([0, 1, 0], np.int32), np.array([0, 0, 0], np.int32)
    >>> find_people(*lines, ["Ann"], RowOptions(row="visit", person="who", per="visit"))
    ['Ann', 'Ann']
    """
    person = np.full(int(rows.max(initial=-1)) + 1, -1, dtype=np.int32)
    person[rows] = people
    shared = np.unique(rows[person[rows] != people])
    if shared.size:
        problem = f"column {options.row!r} has {count_of(shared.size, 'row id')} that more than one person has"
        raise InputError(f"{problem}; check ", Option("row"), " and ", Option("person"))
    return [names[code] for code in person.tolist()]


def check_people(options: RowOptions) -> None:
    """Refuse ``per`` without ``person``."""
    if options.per is not None and options.person is None:
        raise OptionError(
            Option("per"), " says what a row of a person stands for; name the person's column with ", Option("person")
        )


def _merge(rows: Transactions, people: NDArray[np.int32], names: Sequence[Hashable]) -> Transactions:
    order = np.argsort(people, kind="stable")
    lengths = np.zeros(len(names), dtype=np.int64)
    np.add.at(lengths, people, rows.itemsets.lengths)
    itemsets = Itemsets.from_lengths(lengths, rows.itemsets.take(order).entries.copy())
    return Transactions.from_codes(*itemsets.flat, rows.labels, ids=list(names))


def _limit_schema(schema: Schema | None, rows: Transactions) -> tuple[Schema | None, list[str]]:
    """Return the attributes of which no row holds two values, and what to say about the others."""
    if schema is None:
        return None, []
    attributes = schema.attributes
    owner = np.full(len(rows.labels), -1, dtype=np.int64)
    for number, attribute in enumerate(attributes):
        owner[[rows.code[label] for label in attribute.values if label in rows.code]] = number
    of_entry = owner[rows.itemsets.entries]
    cells = (rows.itemsets.owners * len(attributes) + of_entry)[of_entry >= 0]
    cells, held = np.unique(cells, return_counts=True)
    several = set((cells[held > 1] % max(1, len(attributes))).tolist())
    filled = np.bincount(cells % max(1, len(attributes)), minlength=len(attributes))
    kept = [
        one._replace(total=bool(filled[number] == rows.n))
        for number, one in enumerate(attributes)
        if number not in several
    ]
    note = f"{count_of(len(several), 'column')} may hold several values for one person"
    return Schema(tuple(kept)) if kept else None, [note] * bool(several)
