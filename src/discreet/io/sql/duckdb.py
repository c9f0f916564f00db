"""DuckDB: results come as Arrow batches."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from discreet.errors import InputError, OptionError
from discreet.io.sql.batches import LINES, Batch, Chunk, arrow_batches
from discreet.io.sql.names import quoted

NAME: Final = "DuckDB"
IS_FILE: Final = True
WHOLE: Final = "BIGINT"
TEXT: Final = "VARCHAR"
NUMBERS: Final = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"})
WITH_TEXT: Final = ("VARCHAR", "ENUM", "UUID")
NEW: Final = "lines that discreet writes"
SENTENCES: Final = {
    "CatalogException": "there is no such table or schema; check its name",
    "BinderException": "the query names something that is not there; check how it is written",
    "ParserException": "the query is no SQL that gives lines; check how it is written",
    "IOException": "the file is no DuckDB database, or another program has it open; check its name",
    "TransactionException": "another program has changed the database meanwhile; try again",
    "OutOfMemoryException": "the database has no more memory to give; ask for less",
}


def connect(place: str, *, writing: bool) -> Any:  # noqa: ANN401 - of an optional library
    """Return a connection in a transaction, which reads only unless ``writing``; only that makes a new file."""
    library = _library()
    if not writing and not Path(place).is_file():
        raise InputError("there is no such file; check its name")
    # Nothing is fetched from anywhere, whatever a query asks for.
    config = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    connection = library.connect(place, read_only=not writing, config=config)
    connection.execute("BEGIN TRANSACTION")
    return connection


def columns(connection: Any, source: str, wanted: Collection[str]) -> list[tuple[str, str]]:  # noqa: ANN401, ARG001 - one signature for all
    """Return each column, with what it holds if that is ``wanted``: "number", "text", or the name of another type."""
    found = connection.execute(f"SELECT * FROM {source} LIMIT 0")  # noqa: S608 - names are quoted
    kinds = [(name, _kind(str(kind))) for name, kind, *_ in found.description]
    found.fetchall()  # a result that nobody takes blocks the next one
    return kinds


def text(name: str) -> str:
    """Return a column of text as SQL, compared by its letters alone."""
    return f"CAST({quoted(name)} AS VARCHAR) COLLATE C"


def row(connection: Any, statement: str) -> tuple[int, ...]:  # noqa: ANN401 - as above
    """Return the one line of a result."""
    found: list[tuple[int, ...]] = connection.execute(statement).fetchall()
    return found[0]


def batches(connection: Any, statement: str) -> Iterator[Batch]:  # noqa: ANN401 - as above
    """Yield the lines of a result of two columns as they come."""
    yield from arrow_batches(connection.sql(statement).to_arrow_reader(LINES))


def execute(connection: Any, statement: str) -> None:  # noqa: ANN401 - as above
    """Run a statement that gives no lines."""
    connection.execute(statement)


def insert(connection: Any, table: Sequence[str], names: Sequence[str], chunks: Iterable[Chunk]) -> None:  # noqa: ANN401 - as above
    """Put lines into a table."""
    import pyarrow as pa  # noqa: PLC0415 - optional

    for chunk in chunks:
        connection.register(NEW, pa.table(list(map(pa.array, chunk)), names=names))
        connection.execute(f"INSERT INTO {quoted(*table)} SELECT * FROM {quoted(NEW)}")  # noqa: S608 - quoted
        connection.unregister(NEW)


def errors() -> tuple[type[Exception], ...]:
    """Return what the library raises."""
    return (_library().Error,)


def sentence(error: Exception, *, connected: bool) -> str:
    """Return what is wrong, and what to do, without a word of the library's: it may tell values."""
    if "already exists" in str(error):
        return "there is such a table already; give a new name"
    found = SENTENCES.get(type(error).__name__)
    if found is None and not connected:
        return "the file cannot be opened; check its name and who may read it"
    return found or "the database refuses that; check the table, or the query"


def _kind(name: str) -> str:
    if name in NUMBERS:
        return "number"
    return "text" if name.startswith(WITH_TEXT) else name


def _library() -> Any:  # noqa: ANN401 - optional
    try:
        import_module("pyarrow")
        return import_module("duckdb")
    except ImportError:
        raise OptionError("DuckDB needs more packages: pip install 'discreet[sql]'") from None
