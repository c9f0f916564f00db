"""Joining: several tables of the same people, and people without any item."""

from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np

from discreet.data.itemsets import Itemsets, Label, offsets_of
from discreet.data.transactions import Transactions
from discreet.errors import InputError, Option
from discreet.io import frames, notation
from discreet.io.codebook import read_fields
from discreet.io.files import Place, naming
from discreet.io.names import find_column
from discreet.io.notation import Coder
from discreet.io.readings import describe
from discreet.runtime.text import count_of


def join_rows(parts: Sequence[Transactions]) -> Transactions:
    """Return rows that several tables share by their ids; the same label in two tables is the same item.

    >>> one, other = Transactions([["flu"]], ids=[7]), Transactions([["aspirin"], ["flu"]], ids=[7, 8])
    >>> rows = join_rows([one, other])
    >>> rows.ids, [sorted(row) for row in rows]
    ([7, 8], [['aspirin', 'flu'], ['flu']])
    """
    for part in parts:
        _refuse_visits(part)
    ids: Coder[Hashable] = Coder()
    labels: Coder[Label] = Coder()
    names = _as_texts([list(part.ids or range(part.n)) for part in parts])
    items_of = _as_texts([list(part.labels) for part in parts])
    rows, items = [], []
    for part, named, known in zip(parts, names, items_of, strict=True):
        numbers = np.array(ids.encode(named), dtype=np.int32)
        codes = np.array(labels.encode(known), dtype=np.int32)
        rows.append(np.repeat(numbers, part.itemsets.lengths))
        items.append(codes[part.itemsets.entries])
    coded = (np.concatenate(rows), np.concatenate(items))
    joined = frames.group_lines(*coded, ids.values, labels.values).transactions()
    shared = sum(len(part.labels) for part in parts) - len(labels.values)
    note = f"{len(parts)} files of {', '.join(f'{part.n:,}' for part in parts)} rows are joined by their row ids"
    notes = (note, *[f"{count_of(shared, 'item')} of several files counted as one"] * bool(shared))
    reading = parts[0].reading
    if reading is None:
        return joined
    doubts = tuple(dict.fromkeys(doubt for part in parts if part.reading for doubt in part.reading.doubts))
    return describe(joined, replace(reading, notes=(*reading.notes, *notes), doubts=doubts))


def add_people(rows: Transactions, everyone: Place, row: str | None) -> Transactions:
    """Return rows with an empty one for each id in a table of ``everyone`` that has no item."""
    names = read_ids(everyone, row)
    if rows.ids is None:
        raise InputError("the rows have no ids, so nobody can be missing; name their column with ", Option("row"))
    known = {str(name) for name in rows.ids}
    strangers = known - {*names}
    if strangers:
        raise InputError(
            f"{count_of(len(strangers), 'row id')} of the data missing in the file of ", Option("everyone")
        )
    more = notation.as_labels([name for name in names if name not in known])
    return _extend(rows, len(more), [*rows.ids, *more])


def add_empty(rows: Transactions, n: int) -> Transactions:
    """Return rows with as many empty ones as make ``n``."""
    if n < rows.n:
        raise InputError(f"there are {rows.n:,} rows, but only {n:,} by ", Option("n"), "; check both")
    return _extend(rows, n - rows.n, None)


def read_ids(place: Place, row: str | None) -> list[str]:
    """Return the ids in a column of a text table, or in its only one; each once."""
    with naming(place):
        head, *body = read_fields(place) or [[]]
        at = 0 if len(head) == 1 else head.index(find_column(head, row or head[0]))
        return list(dict.fromkeys(fields[at] for fields in body if len(fields) > at and fields[at]))


def _extend(rows: Transactions, more: int, ids: Sequence[Hashable] | None) -> Transactions:
    _refuse_visits(rows)
    lengths = np.concatenate([rows.itemsets.lengths, np.zeros(more, dtype=np.int64)])
    itemsets = Itemsets(offsets_of(lengths), rows.itemsets.entries.copy())
    longer = Transactions.from_codes(*itemsets.flat, rows.labels, ids=ids)
    schema = rows.schema and replace(
        rows.schema, attributes=tuple(one._replace(total=one.total and not more) for one in rows.schema.attributes)
    )
    known = longer.describe(schema=schema)
    reading = rows.reading
    if reading is None:
        return known
    note = f"{count_of(more, 'row')} without any item added"
    return describe(known.describe(reading=replace(reading, notes=(*reading.notes, note))), reading)


def _refuse_visits(rows: Transactions) -> None:
    """Refuse rows of visits: who they belong to would be lost."""
    if rows.people is not None:
        problem = "rows of visits cannot be joined or added to; merge the rows of each person: leave out "
        raise InputError(problem, Option("per"))


def _as_texts(parts: Sequence[list[Hashable]]) -> Sequence[list[Hashable]]:
    """Return values as text if those of one file are numbers, and those of another one are not."""
    kinds = {type(value) for part in parts for value in part}
    return parts if len(kinds) <= 1 else [list(map(str, part)) for part in parts]
