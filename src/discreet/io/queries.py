"""Queries: the result of a query on an open connection to any database, in batches; the connection stays as it was."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from functools import partial
from importlib import import_module
from typing import Any, Final, TypeAlias
from uuid import UUID

from discreet.data.itemsets import AnyFrame
from discreet.errors import InputError, Option, OptionError
from discreet.io.options import RowOptions
from discreet.io.stores import LINES, Store

AnyConnection: TypeAlias = Any  # of any library: DBAPI 2 (PEP 249) or ADBC
NO_LINES: Final = "the query gives no lines; write one that selects some"
REMEDY: Final = "check how it is written, and that the connection is open"
CAST: Final = ", with CAST( ... AS text)"


def find_connection(source: object) -> AnyConnection | None:
    """Return the open connection to a database that ``source`` is, of DBAPI 2 (PEP 249) or ADBC; None if it is none.

    One of SQLAlchemy is a shell around it.

    >>> import sqlite3
    >>> find_connection(sqlite3.connect(":memory:")) is None, find_connection("sqlite:///ward.db") is None
    (False, True)
    """
    if type(source).__module__.startswith("sqlalchemy."):
        shell = source if hasattr(source, "driver_connection") else getattr(source, "connection", None)
        source = getattr(shell, "driver_connection", None)
    return source if all(hasattr(type(source), name) for name in ("cursor", "commit", "close")) else None


def open_query(connection: AnyConnection, options: RowOptions) -> Store:
    """Return the result of ``options.query`` as a store; each pass runs the query again.

    >>> import sqlite3
    >>> store = open_query(sqlite3.connect(":memory:"), RowOptions(query="SELECT 7 AS id, 'flu' AS event"))
    >>> store.collect().rows()
    [(7, 'flu')]
    """
    if options.query is None or not options.query.strip():
        problem = "a connection needs a query that says what to read; give it with "
        raise OptionError(problem, Option("query"), ", such as SELECT patient, drug FROM stays")
    if options.table is not None:
        raise OptionError(Option("table"), " is for the URL of a database; select from it with ", Option("query"))
    return Store("the query", partial(_read, connection, options.query), form="database", remedy=REMEDY)


def _sscursor(connection: AnyConnection, module: str) -> Any:  # noqa: ANN401 - a cursor of any library
    return connection.cursor(import_module(f"{module}.cursors").SSCursor)


def _named(connection: AnyConnection) -> Any:  # noqa: ANN401 - as above
    # Without a transaction, the server holds the result until the cursor is closed.
    return connection.cursor("discreet", withhold=connection.autocommit)


CURSORS: Final[Mapping[str, Callable[[AnyConnection], Any]]] = {
    "psycopg": _named,
    "psycopg2": _named,
    "pymysql": lambda connection: _sscursor(connection, "pymysql"),
    "MySQLdb": lambda connection: _sscursor(connection, "MySQLdb"),
}
"""The libraries whose usual cursor takes the whole result at once, and one that leaves it on the server."""


def _read(connection: AnyConnection, query: str, names: list[str]) -> Iterator[AnyFrame]:  # noqa: ARG001 - it has all columns
    if hasattr(type(connection), "to_arrow_reader"):  # DuckDB, where another cursor sees no temporary tables
        relation = connection.sql(query)
        if relation is None:
            raise InputError(NO_LINES)
        yield from relation.to_arrow_reader(LINES)
        return
    library = type(connection).__module__.partition(".")[0]
    with _open_cursor(connection, library) as cursor:
        cursor.execute(query)
        if hasattr(cursor, "fetch_record_batch"):  # ADBC
            yield from cursor.fetch_record_batch()
            return
        lines = cursor.fetchmany(LINES)  # before there is a first line, a named cursor does not know its columns
        if cursor.description is None:
            raise InputError(NO_LINES)
        columns, known = [str(name) for name, *_ in cursor.description], dict[int, set[type]]()
        while lines:
            yield _as_frame(columns, lines, known)
            lines = cursor.fetchmany(LINES)


@contextmanager
def _open_cursor(connection: AnyConnection, library: str) -> Iterator[Any]:
    cursor = CURSORS.get(library, lambda one: one.cursor())(connection)
    try:
        yield cursor
    finally:
        if library == "mysql":  # its connection is lost for others if a result is not read to its end
            while cursor.description and cursor.fetchmany(LINES):
                pass
        cursor.close()


def _as_frame(names: Sequence[str], lines: Iterable[Any], known: dict[int, set[type]]) -> AnyFrame:
    import polars as pl  # noqa: PLC0415 - loaded late, so that importing discreet is quick

    if len(set(names)) < len(names):
        raise InputError("two columns of the query have the same name; rename one, with AS")
    values = zip(*(line.values() if isinstance(line, Mapping) else line for line in lines), strict=True)
    columns = zip(names, values, strict=True)
    return pl.DataFrame([_as_series(*column, known.setdefault(at, set())) for at, column in enumerate(columns)])


def _as_series(name: str, values: Sequence[Any], known: set[type]) -> AnyFrame:
    """Return a column, whose values must have one type in all batches; decimals and UUIDs are texts."""
    import polars as pl  # noqa: PLC0415 - as above

    known |= {type(value) for value in values if value is not None}
    if len(known) > 1:
        problem = f"column {name!r} holds values of {len(known)} types; make them of one type in "
        raise InputError(problem, Option("query"), CAST)
    if known <= {Decimal, UUID}:  # the number of decimals is that of the database, whatever the batch
        values = [None if value is None else TEXTS[type(value)](value) for value in values]
    try:
        return pl.Series(name, values, strict=True)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        problem = f"column {name!r} holds values that cannot be read; make them texts in "
        raise InputError(problem, Option("query"), CAST) from None


TEXTS: Final[Mapping[type, Callable[[Any], str]]] = {Decimal: "{:f}".format, UUID: str}
