"""The exposed rows, ranked: for whoever owns the rows, and for nobody else."""

from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path

import numpy as np

from discreet.data.merged import Merged
from discreet.data.transactions import Transactions
from discreet.disclosure.channels import Exposed
from discreet.errors import InputError
from discreet.io.files import MARK
from discreet.io.text import as_record, encode_lines
from discreet.judging.audit import Audit


def exposed_csv(audit: Audit) -> Iterator[bytes]:
    r"""Yield the exposed rows as CSV: row (from 1 on), id if rows have ids, channels, the smallest count.

    The smallest count comes first, then the most channels, then the row.

    >>> from discreet import audit
    >>> found = audit([["a", "b"]] * 9 + [["a"]] + [[]] * 2, min_support=5, k=3)
    >>> b"".join(exposed_csv(found))
    b'row,channels,smallest\n10,1,1\n11,1,2\n12,1,2\n'
    """
    rows, exposed = exposed_rows(audit)
    yield from encode_lines(_lines(exposed, rows.ids))


def exposed_rows(audit: Audit) -> tuple[Transactions, Exposed]:
    """Return the rows, and which are exposed; refuse to tell where they are not at hand, or merged."""
    if audit.exposed is None or audit.rows is None:
        raise InputError("exposed rows can be told only where the rows are at hand, and channels could be looked for")
    if isinstance(audit.rows, Merged):
        raise InputError(
            "which rows are exposed cannot be told of merged rows, only how many; read all of them for that"
        )
    return audit.rows, audit.exposed


def marked(name: str) -> str:
    """Return the name of a file with the mark, put before its suffixes unless it is there.

    >>> marked("out/exposed.csv"), marked("DO-NOT-RELEASE.csv")
    ('out/exposed.DO-NOT-RELEASE.csv', 'DO-NOT-RELEASE.csv')
    """
    path = Path(name)
    if MARK in path.name:
        return name
    stem, dot, suffixes = path.name.partition(".")
    return str(path.with_name(f"{stem}.{MARK}{dot}{suffixes}" if stem else f"{path.name}.{MARK}"))


def _lines(exposed: Exposed, ids: Sequence[Hashable] | None) -> Iterator[str]:
    numbers, channels, smallest, _ = exposed
    yield ",".join(["row", *["id"] * (ids is not None), "channels", "smallest"])
    for at in np.lexsort((numbers, -channels, smallest)).tolist():
        row = int(numbers[at])
        yield as_record([row + 1, *([] if ids is None else [ids[row]]), int(channels[at]), int(smallest[at])])
