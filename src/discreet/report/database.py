"""What a report says of rows that came from a database: which table, and a digest of what was read."""

import hashlib
from collections.abc import Iterator
from itertools import pairwise

from discreet.data.merged import Merged
from discreet.data.transactions import Transactions
from discreet.io.sql.databases import name_of
from discreet.report.wording import Source


def database_source(rows: Transactions | Merged, url: str, *, table: str | None) -> Source:
    """Return what stands for a file in a report: neither where the database is, nor who has read it.

    >>> rows = Transactions([["a"], ["a", "b"]], ids=[3, 7])
    >>> database_source(rows, "postgresql://ada:secret@host/ward", table="stays").file
    'table stays of a PostgreSQL database'
    """
    name = name_of(url, table=table)
    if isinstance(rows, Merged):
        name += f" (items that at least {rows.min_support:,} rows hold)"
    digest = hashlib.sha256()
    for line in canonical(rows):
        digest.update(f"{line}\n".encode("utf-8", "surrogatepass"))
    return Source(name, digest.hexdigest())


def canonical(rows: Transactions | Merged) -> Iterator[str]:
    r"""Yield lines that tell rows whole: a row id and an item each; of merged ones, how many they are and their items.

    They are in the order of the ids, then of the items, and a tab stands between; a tab, a line end or a backslash
    within is written as COPY of PostgreSQL writes it.

    >>> list(canonical(Transactions([["a"], ["a", "b\tc"]], ids=[3, 7])))
    ['3\ta', '7\ta', '7\tb\\tc']
    """
    texts = [_escaped(str(label)) for label in rows.labels]
    for row, (start, stop) in enumerate(pairwise(rows.offsets.tolist())):
        items = [texts[item] for item in rows.items[start:stop].tolist()]
        if isinstance(rows, Merged):
            yield "\t".join([str(rows.weights[row]), *items])
        else:
            name = str(row + 1) if rows.ids is None else _escaped(str(rows.ids[row]))
            yield from (f"{name}\t{item}" for item in items)


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("\t", r"\t").replace("\n", r"\n").replace("\r", r"\r")
