"""PostgreSQL, through ADBC: results come as Arrow batches, streamed by COPY."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from importlib import import_module
from typing import Any, Final

from discreet.errors import OptionError
from discreet.io.sql.batches import Batch, Chunk, arrow_batches
from discreet.io.sql.names import quoted

NAME: Final = "PostgreSQL"
IS_FILE: Final = False
WHOLE: Final = "bigint"
TEXT: Final = "text"
WITH_TEXT: Final = frozenset({"uuid", "citext"})
"""Types that are no text, and whose text is what people know."""

REFUSED: Final = (
    ("password", "the server refuses the user or the password; check them in the URL, or PGUSER and PGPASSWORD"),
    ('FATAL:  database "', "there is no such database; check its name, at the end of the URL or in PGDATABASE"),
    ("no pg_hba.conf entry", "the server lets nobody in from here; ask who runs it"),
    ("URI", "the URL is no address; write it as postgresql://user@host:5432/database"),
)
UNREACHED: Final = (
    "the server cannot be reached; check host and port, in the URL or in PGHOST and PGPORT, and that it runs"
)
STATES: Final = {
    "42P01": "there is no such table; check its name and its schema, capitals as well",
    "3F000": "there is no such schema; check its name, capitals as well",
    "42P07": "there is such a table already; give a new name",
    "42501": "the user may not do that here; ask who runs the database",
    "42601": "the query is no SQL that gives lines; check how it is written",
    "42703": "the query names a column that is not there; check how it is written",
    "22021": "an item or a row id holds a character that this database cannot; rename it",
    "53100": "the server has no space left; make room",
    "57014": "the server has stopped the query; raise its statement_timeout, or ask for less",
}
LOST: Final = frozenset({None, "57P01", "57P02", "57P03", "08006", "08003", "58030", "XX000"})


def connect(place: str, *, writing: bool) -> Any:  # noqa: ANN401 - of an optional library
    """Return a connection in a transaction that sees one state of the database, and reads only unless ``writing``."""
    connection = _library().connect(place)
    try:
        with closing(connection.cursor()) as cursor:
            cursor.execute("SET client_encoding TO 'UTF8'")
            # With hashing, PostgreSQL 15 was seen not to end within minutes on a million lines; sorting took seconds.
            cursor.execute("SET enable_hashagg TO off")
            access = "READ WRITE" if writing else "READ ONLY"
            cursor.execute(f"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, {access}")
    except BaseException:
        connection.close()
        raise
    return connection


def columns(connection: Any, source: str, wanted: Collection[str]) -> list[tuple[str, str]]:  # noqa: ANN401, ARG001 - one signature for all
    """Return each column, with what it holds if that is ``wanted``: "number", "text", or the name of another type."""
    with closing(connection.cursor()) as cursor:
        cursor.execute(f"SELECT * FROM {source} LIMIT 0")  # noqa: S608 - names are quoted
        schema = cursor.fetch_record_batch().schema
    return [(field.name, _kind(field)) for field in schema]


def text(name: str) -> str:
    """Return a column of text as SQL, compared by its letters alone."""
    return f'CAST({quoted(name)} AS text) COLLATE "C"'


def row(connection: Any, statement: str) -> tuple[int, ...]:  # noqa: ANN401 - as above
    """Return the one line of a result."""
    with closing(connection.cursor()) as cursor:
        cursor.execute(statement)
        found: tuple[int, ...] = cursor.fetchone()
        return found


def batches(connection: Any, statement: str) -> Iterator[Batch]:  # noqa: ANN401 - as above
    """Yield the lines of a result of two columns as they come."""
    with closing(connection.cursor()) as cursor:
        cursor.execute(statement)
        yield from arrow_batches(cursor.fetch_record_batch())


def execute(connection: Any, statement: str) -> None:  # noqa: ANN401 - as above
    """Run a statement that gives no lines."""
    with closing(connection.cursor()) as cursor:
        cursor.execute(statement)


def insert(connection: Any, table: Sequence[str], names: Sequence[str], chunks: Iterable[Chunk]) -> None:  # noqa: ANN401 - as above
    """Put lines into a table."""
    import pyarrow as pa  # noqa: PLC0415 - optional

    schema = table[0] if len(table) > 1 else None
    with closing(connection.cursor()) as cursor:
        for chunk in chunks:
            data = pa.table(list(map(pa.array, chunk)), names=names)
            cursor.adbc_ingest(table[-1], data, mode="append", db_schema_name=schema)


def errors() -> tuple[type[Exception], ...]:
    """Return what the library raises; a stream that breaks off is an error of the system."""
    return _library().Error, OSError


def sentence(error: Exception, *, connected: bool) -> str:
    """Return what is wrong, and what to do, without a word of the server's: it tells hosts, users and values."""
    if not connected:
        return next((sentence for words, sentence in REFUSED if words in str(error)), UNREACHED)
    state = getattr(error, "sqlstate", None) or None
    if state in LOST:
        return "the server went away in the middle, and nothing was done; see that it runs, and try again"
    return STATES.get(str(state), f"the server refuses that (SQLSTATE {state}); check the table, or the query")


def _kind(field: Any) -> str:  # noqa: ANN401 - a field of Arrow
    from pyarrow import types  # noqa: PLC0415 - optional

    name = (field.metadata or {}).get(b"POSTGRESQL:type", b"").decode() or str(field.type)
    if types.is_integer(field.type):
        return "number"
    return "text" if types.is_string(field.type) or name in WITH_TEXT else name


def _library() -> Any:  # noqa: ANN401 - optional
    try:
        import_module("pyarrow")
        return import_module("adbc_driver_postgresql.dbapi")
    except ImportError:
        raise OptionError("PostgreSQL needs more packages: pip install 'discreet[sql]'") from None
