"""Connections to SQLite, DuckDB and PostgreSQL; no message of a library is passed on, as it may hold passwords."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Final, Self, TypeAlias

from discreet.errors import InputError, OptionError
from discreet.io.lines import LINES, Batch, NewLines, batch_arrow, batch_tuples, quote_names

TABLE_EXISTS: Final = "there is such a table already; give a new name"
NO_SQL: Final = "the query is no SQL that gives lines; check how it is written"


class _Base:
    """A connection in a transaction, which is read-only unless ``writing``; only that makes a new file.

    A driver has ``open``, which connects, and ``errors``, the exceptions of its library. ``columns`` returns each
    column and, if wanted, its type: "number", "text", or the name of another. ``as_text`` returns a text column as SQL,
    compared by its letters alone. ``fetch`` yields the lines of a result of two columns; ``insert`` adds lines.
    """

    name: ClassVar[str]
    is_file: ClassVar[bool] = True
    problems: ClassVar[tuple[tuple[str, str], ...]] = ()  # words in the type or the message of an error; and our words

    def __init__(self, connection: Any) -> None:  # noqa: ANN401 - of an optional library
        """Take the connection of a library."""
        self.connection = connection

    @classmethod
    def explain(cls, error: Exception, *, connected: bool) -> str:
        """Say what is wrong and what to do, without a word of the library."""
        text = f"{type(error).__name__}: {error}"
        refused = "the database refuses that; check the table, or the query"
        other = refused if connected else "the file cannot be opened; check its name and who may read it"
        return next((problem for words, problem in cls.problems if words in text), other)

    def run(self, statement: str) -> Any:  # noqa: ANN401 - a cursor of any library
        """Run a statement and return its cursor, which the caller closes."""
        return self.connection.execute(statement)

    def fetch_row(self, statement: str) -> tuple[int, ...]:
        """Return the one line of a result."""
        with closing(self.run(statement)) as cursor:
            row: tuple[int, ...] = cursor.fetchone()
            return row

    def execute(self, statement: str) -> None:
        """Run a statement without a result."""
        self.run(statement).close()

    def commit(self) -> None:
        """Keep what was written."""
        self.connection.commit()

    def close(self) -> None:
        """Leave; what was not committed is undone."""
        self.connection.close()


def _check_file(place: str, *, writing: bool) -> None:
    if not writing and not Path(place).is_file():
        raise InputError("there is no such file; check its name")


class _SQLite(_Base):
    """SQLite, by the library that comes with Python."""

    name, whole_type, text_type = "SQLite", "INTEGER", "TEXT"
    types: Final = {"integer": "number", "text": "text"}
    problems = (
        ("no such table", "there is no such table; check its name"),
        ("already exists", TABLE_EXISTS),
        ("unknown database", "there is no such schema; name the table alone"),
        ("not a database", "the file is no SQLite database; check its name"),
        ("locked", "another program is writing to the file; try again when it has ended"),
        ("readonly", "the file may not be written; ask whose it is"),
        ("decode", "an item or a row id is no UTF-8; mend it"),
        ("disk", "the file cannot be read or written as a whole; see that it is whole and that there is space"),
    )

    @classmethod
    def open(cls, place: str, *, writing: bool) -> Self:
        import sqlite3  # noqa: PLC0415 - importing discreet should stay quick

        _check_file(place, writing=writing)
        uri = f"{Path(place).absolute().as_uri()}?mode={'rwc' if writing else 'ro'}"
        connection = sqlite3.connect(uri, uri=True, isolation_level=None)
        try:
            connection.execute("BEGIN IMMEDIATE" if writing else "BEGIN")
        except BaseException:
            connection.close()
            raise
        return cls(connection)

    @classmethod
    def errors(cls) -> tuple[type[Exception], ...]:
        return (import_module("sqlite3").Error,)

    def columns(self, source: str, wanted: Collection[str]) -> list[tuple[str, str]]:
        with closing(self.run(f"SELECT * FROM {source} LIMIT 0")) as cursor:  # noqa: S608 - names are quoted
            names = [name for name, *_ in cursor.description]
        return [(name, self._type_of(source, name) if name in wanted else "") for name in names]

    def _type_of(self, source: str, name: str) -> str:
        """Ask the values for their type: a column of SQLite holds whatever it was given."""
        statement = f"SELECT DISTINCT typeof({quote_names(name)}) FROM {source}"  # noqa: S608 - names are quoted
        with closing(self.run(statement)) as cursor:
            types = sorted({str(kind) for (kind,) in cursor} - {"null"})
        if len(types) > 1:
            return " and ".join(types)
        return self.types.get(types[0], types[0]) if types else "number"

    def as_text(self, name: str) -> str:
        return f"{quote_names(name)} COLLATE BINARY"

    def fetch(self, statement: str) -> Iterator[Batch]:
        # The cursor is not closed here: a caller that stops early closes the connection first.
        cursor = self.run(statement)
        return batch_tuples(iter(lambda: cursor.fetchmany(LINES), []))

    def insert(self, table: Sequence[str], names: Sequence[str], chunks: Iterable[NewLines]) -> None:
        columns = ", ".join(map(quote_names, names))
        statement = f"INSERT INTO {quote_names(*table)} ({columns}) VALUES (?, ?)"  # noqa: S608 - names are quoted
        for rows, items in chunks:
            self.connection.executemany(statement, zip(rows, items, strict=True))


class _DuckDB(_Base):
    """DuckDB, whose results come as Arrow batches."""

    name, whole_type, text_type = "DuckDB", "BIGINT", "VARCHAR"
    numbers: Final = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"})
    texts: Final = ("VARCHAR", "ENUM", "UUID")
    view: Final = "lines that discreet writes"
    problems = (
        ("already exists", TABLE_EXISTS),
        ("CatalogException", "there is no such table or schema; check its name"),
        ("BinderException", "the query names something that is not there; check how it is written"),
        ("ParserException", NO_SQL),
        ("IOException", "the file is no DuckDB database, or another program has it open; check its name"),
        ("TransactionException", "another program has changed the database meanwhile; try again"),
        ("OutOfMemoryException", "the database has no more memory to give; ask for less"),
    )

    @classmethod
    def open(cls, place: str, *, writing: bool) -> Self:
        library = _load(cls.name, "duckdb")
        _check_file(place, writing=writing)
        # Nothing is fetched from anywhere, whatever a query asks for.
        config = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
        connection = library.connect(place, read_only=not writing, config=config)
        connection.execute("BEGIN TRANSACTION")
        return cls(connection)

    @classmethod
    def errors(cls) -> tuple[type[Exception], ...]:
        return (_load(cls.name, "duckdb").Error,)

    def columns(self, source: str, wanted: Collection[str]) -> list[tuple[str, str]]:  # noqa: ARG002 - as others do
        result = self.connection.execute(f"SELECT * FROM {source} LIMIT 0")  # noqa: S608 - names are quoted
        types = [(name, self._type_of(str(kind))) for name, kind, *_ in result.description]
        result.fetchall()  # a result that nobody takes blocks the next one
        return types

    def _type_of(self, name: str) -> str:
        return "number" if name in self.numbers else "text" if name.startswith(self.texts) else name

    def fetch_row(self, statement: str) -> tuple[int, ...]:
        rows: list[tuple[int, ...]] = self.connection.execute(statement).fetchall()
        return rows[0]

    def execute(self, statement: str) -> None:
        self.connection.execute(statement)

    def as_text(self, name: str) -> str:
        return f"CAST({quote_names(name)} AS VARCHAR) COLLATE C"

    def fetch(self, statement: str) -> Iterator[Batch]:
        yield from batch_arrow(self.connection.sql(statement).to_arrow_reader(LINES))

    def insert(self, table: Sequence[str], names: Sequence[str], chunks: Iterable[NewLines]) -> None:
        import pyarrow as pa  # noqa: PLC0415 - optional

        statement = f"INSERT INTO {quote_names(*table)} SELECT * FROM {quote_names(self.view)}"  # noqa: S608 - quoted
        for chunk in chunks:
            self.connection.register(self.view, pa.table(list(map(pa.array, chunk)), names=names))
            self.execute(statement)
            self.connection.unregister(self.view)


class _Postgres(_Base):
    """PostgreSQL through ADBC: results come as Arrow batches, streamed by COPY."""

    name, whole_type, text_type = "PostgreSQL", "bigint", "text"
    is_file = False
    texts: Final = frozenset({"uuid", "citext"})  # types other than text that people know by their text
    not_connected: Final = (
        ("password", "the server refuses the user or the password; check them in the URL, or PGUSER and PGPASSWORD"),
        ('FATAL:  database "', "there is no such database; check its name, at the end of the URL or in PGDATABASE"),
        ("no pg_hba.conf entry", "the server lets nobody in from here; ask who runs it"),
        ("URI", "the URL is no address; write it as postgresql://user@host:5432/database"),
        ("", "the server cannot be reached; check host and port, in the URL or in PGHOST and PGPORT, and that it runs"),
    )
    states: Final = {
        "42P01": "there is no such table; check its name and its schema, capitals as well",
        "3F000": "there is no such schema; check its name, capitals as well",
        "42P07": TABLE_EXISTS,
        "42501": "the user may not do that here; ask who runs the database",
        "42601": NO_SQL,
        "42703": "the query names a column that is not there; check how it is written",
        "22021": "an item or a row id holds a character that this database cannot; rename it",
        "53100": "the server has no space left; make room",
        "57014": "the server has stopped the query; raise its statement_timeout, or ask for less",
    }
    gone: Final = frozenset({None, "57P01", "57P02", "57P03", "08006", "08003", "58030", "XX000"})

    @classmethod
    def open(cls, place: str, *, writing: bool) -> Self:
        new = cls(_load(cls.name, "adbc_driver_postgresql.dbapi").connect(place))
        try:
            new.execute("SET client_encoding TO 'UTF8'")
            # With hashing, PostgreSQL 15 was seen not to end within minutes on a million lines; sorting took seconds.
            new.execute("SET enable_hashagg TO off")
            access = "READ WRITE" if writing else "READ ONLY"
            new.execute(f"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, {access}")
        except BaseException:
            new.close()
            raise
        return new

    @classmethod
    def errors(cls) -> tuple[type[Exception], ...]:
        return _load(cls.name, "adbc_driver_postgresql.dbapi").Error, OSError  # a stream that breaks off

    @classmethod
    def explain(cls, error: Exception, *, connected: bool) -> str:
        if not connected:
            return next(problem for words, problem in cls.not_connected if words in str(error))
        state = getattr(error, "sqlstate", None) or None
        if state in cls.gone:
            return "the server went away in the middle, and nothing was done; see that it runs, and try again"
        refused = f"the server refuses that (SQLSTATE {state}); check the table, or the query"
        return cls.states.get(str(state), refused)

    def columns(self, source: str, wanted: Collection[str]) -> list[tuple[str, str]]:  # noqa: ARG002 - as others do
        with closing(self.run(f"SELECT * FROM {source} LIMIT 0")) as cursor:  # noqa: S608 - names are quoted
            schema = cursor.fetch_record_batch().schema
        return [(field.name, self._type_of(field)) for field in schema]

    def _type_of(self, field: Any) -> str:  # noqa: ANN401 - a field of Arrow
        from pyarrow import types  # noqa: PLC0415 - optional

        name = (field.metadata or {}).get(b"POSTGRESQL:type", b"").decode() or str(field.type)
        if types.is_integer(field.type):
            return "number"
        return "text" if types.is_string(field.type) or name in self.texts else name

    def as_text(self, name: str) -> str:
        return f'CAST({quote_names(name)} AS text) COLLATE "C"'

    def run(self, statement: str) -> Any:  # noqa: ANN401 - as above
        cursor = self.connection.cursor()
        try:
            cursor.execute(statement)
        except BaseException:
            cursor.close()
            raise
        return cursor

    def fetch(self, statement: str) -> Iterator[Batch]:
        with closing(self.run(statement)) as cursor:
            yield from batch_arrow(cursor.fetch_record_batch())

    def insert(self, table: Sequence[str], names: Sequence[str], chunks: Iterable[NewLines]) -> None:
        import pyarrow as pa  # noqa: PLC0415 - optional

        schema = table[0] if len(table) > 1 else None
        with closing(self.connection.cursor()) as cursor:
            for chunk in chunks:
                data = pa.table(list(map(pa.array, chunk)), names=names)
                cursor.adbc_ingest(table[-1], data, mode="append", db_schema_name=schema)


def _load(name: str, module: str) -> Any:  # noqa: ANN401 - an optional library
    try:
        import_module("pyarrow")
        return import_module(module)
    except ImportError:
        raise OptionError(f"{name} needs more packages: pip install 'discreet[sql]'") from None


Connection: TypeAlias = _SQLite | _DuckDB | _Postgres
Driver: TypeAlias = type[Connection]
DRIVERS: dict[str, Driver] = {"postgresql": _Postgres, "postgres": _Postgres, "sqlite": _SQLite, "duckdb": _DuckDB}
