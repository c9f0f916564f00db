"""SQLite, by the library that comes with Python."""

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from discreet.errors import InputError
from discreet.io.sql.batches import LINES, Batch, Chunk, listed_batches
from discreet.io.sql.names import quoted

NAME: Final = "SQLite"
IS_FILE: Final = True
WHOLE: Final = "INTEGER"
TEXT: Final = "TEXT"
KINDS: Final = {"integer": "number", "text": "text"}
SENTENCES: Final = (
    ("no such table", "there is no such table; check its name"),
    ("already exists", "there is such a table already; give a new name"),
    ("unknown database", "there is no such schema; name the table alone"),
    ("not a database", "the file is no SQLite database; check its name"),
    ("locked", "another program is writing to the file; try again when it has ended"),
    ("readonly", "the file may not be written; ask whose it is"),
    ("decode", "an item or a row id is no UTF-8; mend it"),
    ("disk", "the file cannot be read or written as a whole; see that it is whole and that there is space"),
)


def connect(place: str, *, writing: bool) -> sqlite3.Connection:
    """Return a connection in a transaction, which reads only unless ``writing``; only that makes a new file."""
    path = Path(place)
    if not writing and not path.is_file():
        raise InputError("there is no such file; check its name")
    mode = "rwc" if writing else "ro"
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE" if writing else "BEGIN")
    except BaseException:
        connection.close()
        raise
    return connection


def columns(connection: sqlite3.Connection, source: str, wanted: Collection[str]) -> list[tuple[str, str]]:
    """Return each column, with what it holds if that is ``wanted``: "number", "text", or the name of another type.

    A column holds whatever it was given, so that the values are asked.
    """
    with closing(connection.execute(f"SELECT * FROM {source} LIMIT 0")) as cursor:  # noqa: S608 - names are quoted
        names = [name for name, *_ in cursor.description]
    return [(name, _kind(connection, source, name) if name in wanted else "") for name in names]


def text(name: str) -> str:
    """Return a column of text as SQL, compared by its letters alone."""
    return f"{quoted(name)} COLLATE BINARY"


def row(connection: sqlite3.Connection, statement: str) -> tuple[int, ...]:
    """Return the one line of a result."""
    with closing(connection.execute(statement)) as cursor:
        found: tuple[int, ...] = cursor.fetchone()
        return found


def batches(connection: sqlite3.Connection, statement: str) -> Iterator[Batch]:
    """Yield the lines of a result of two columns as they come."""
    # Not closed here: who stops in the middle closes the connection first.
    cursor = connection.execute(statement)
    yield from listed_batches(iter(lambda: cursor.fetchmany(LINES), []))


def execute(connection: sqlite3.Connection, statement: str) -> None:
    """Run a statement that gives no lines."""
    connection.execute(statement).close()


def insert(connection: sqlite3.Connection, table: Sequence[str], names: Sequence[str], chunks: Iterable[Chunk]) -> None:
    """Put lines into a table."""
    statement = f"INSERT INTO {quoted(*table)} ({', '.join(map(quoted, names))}) VALUES (?, ?)"  # noqa: S608 - quoted
    for rows, items in chunks:
        connection.executemany(statement, zip(rows, items, strict=True))


def errors() -> tuple[type[Exception], ...]:
    """Return what the library raises."""
    return (sqlite3.Error,)


def sentence(error: Exception, *, connected: bool) -> str:
    """Return what is wrong, and what to do, without a word of the library's: it may tell values."""
    found = next((sentence for words, sentence in SENTENCES if words in str(error)), None)
    if found is None and not connected:
        return "the file cannot be opened; check its name and who may read it"
    return found or "the database refuses that; check the table, or the query"


def _kind(connection: sqlite3.Connection, source: str, name: str) -> str:
    statement = f"SELECT DISTINCT typeof({quoted(name)}) FROM {source}"  # noqa: S608 - names are quoted
    with closing(connection.execute(statement)) as cursor:
        found = sorted({str(kind) for (kind,) in cursor} - {"null"})
    if len(found) > 1:
        return " and ".join(found)
    return KINDS.get(found[0], found[0]) if found else "number"
