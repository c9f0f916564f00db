"""Exposed rows: the people behind revealed counts, found in the table that the counts were made of."""

from collections.abc import Iterable

import numpy as np

from discreet.data.counts import PEOPLE, WITHOUT
from discreet.data.schema import SIGN
from discreet.data.transactions import Transactions
from discreet.disclosure.channels import Exposed
from discreet.errors import InputError
from discreet.publications.counts.equations import Key
from discreet.publications.counts.revealed import Revealed


def find_exposed(rows: Transactions, found: Iterable[Revealed]) -> Exposed:
    r"""Return the rows that revealed counts are about: those with all values of a count, or of one of a group.

    Counts of other things than people are left out. Values that no row has are an error: then these are other rows.

    >>> from discreet import Transactions, audit, read_counts
    >>> from io import BytesIO
    >>> counts = read_counts(BytesIO(b"sex,count\nTotal,180\nf,177\nm,<11\n"))
    >>> rows = Transactions([["sex=f"]] * 177 + [["sex=m"]] * 3)
    >>> find_exposed(rows, audit(counts, k=11).evidence.cells).numbers.tolist()
    [177, 178, 179]
    """
    labels, times, smallest = {*rows.labels}, np.zeros(len(rows), np.int64), np.full(len(rows), np.iinfo(np.int64).max)
    for one in found:
        if one.counted != PEOPLE:
            continue
        for key in one.keys:
            held, lacked = _label(key)
            if not labels.issuperset((*held, *lacked)):
                raise InputError("the rows lack a value of the tables; give the rows that the counts were made of")
            places = rows.rows(held)
            for item in lacked:
                places = np.setdiff1d(places, rows.rows([item]), assume_unique=True)
            times[places] += 1
            smallest[places] = np.minimum(smallest[places], one.high)
    numbers = np.flatnonzero(times)
    return Exposed(numbers, times[numbers], smallest[numbers], rows.weights[numbers])


def _label(key: Key) -> tuple[list[str], list[str]]:
    """Return the items of people who are counted, and those that they lack."""
    held, lacked = list[str](), list[str]()
    for name, value in sorted(key.values):
        *_, broader, last = (WITHOUT + value).split(WITHOUT)
        own = lacked if value.startswith(WITHOUT) else held
        own.append(f"{name}{SIGN}{last}")
        held += [f"{name}{SIGN}{broader}"] * bool(broader)
    return held, lacked
