# ruff: noqa: S608 - names of tables and columns are quoted; a query is what its writer may ask anyway
"""Databases: lines of a row id and an item, in and out of a table; no message shows an address, with its password."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple, Self

from discreet.data.reading import Reading
from discreet.data.transactions import Merged, Transactions
from discreet.errors import DiscreetError, GuaranteeError, InputError, Message, Option, OptionError, OutputError
from discreet.io import options as row_options
from discreet.io.drivers import DRIVERS, Connection
from discreet.io.files import URL, is_url
from discreet.io.lines import Batch, NewRows, Thresholds, collect_rows, least_count, merge_rows, quote_names, split_name
from discreet.io.options import RowOptions
from discreet.io.owners import find_unread
from discreet.runtime.resources import Progress, watching

OPTIONS: Final = frozenset({"table", "query", "row", "item"})  # the options of a reader that a database has
KNOWN: Final = "postgresql://user@host/database, sqlite:///file.db or duckdb:///file.duckdb"


class Address(NamedTuple):
    """A database: its driver, and where it is, which no message shows."""

    driver: type[Connection]
    place: str

    @classmethod
    def parse(cls, url: str) -> Self:
        """Return the database of a URL; errors do not show the URL.

        >>> Address.parse("postgresql://ada:secret@clinic.example/ward")
        <Address: a PostgreSQL database>
        """
        match = URL.fullmatch(url)
        scheme = match["scheme"].lower() if match else ""
        if match is None or scheme not in DRIVERS:
            raise OptionError("this is no URL of a known database; give " + KNOWN)
        driver = DRIVERS[scheme]
        if not driver.is_file:
            return cls(driver, url)
        # Three strokes before a file in this folder, four before a path from the root.
        if not match["rest"].startswith("/") or len(match["rest"]) == 1 or "\0" in url:
            raise OptionError(f"the URL of a {driver.name} database has three strokes before a file: {scheme}:///file")
        return cls(driver, match["rest"][1:])

    def __repr__(self) -> str:
        return f"<Address: a {self.driver.name} database>"


@dataclass(frozen=True)
class SqlLines:
    """Where lines are: in a table or the result of a query; and the columns of their row ids and items."""

    table: str | None
    query: str | None
    row: str
    item: str

    @classmethod
    def of(cls, options: RowOptions) -> Self:
        """Refuse options that do not name lines."""
        table, query, row, item = options.table, options.query, options.row, options.item
        if (table is None) == (query is None):
            either = ("name one with ", Option("table"), ", or give ", Option("query"), ", not both")
            raise OptionError("a database holds many tables; ", *either)
        if row is None or item is None:
            raise OptionError("a line holds a row id and an item; name both: ", Option("row"), " and ", Option("item"))
        for text in (query, row, item):
            if text is not None and ("\0" in text or not text.strip()):
                raise OptionError("a query or the name of a column is empty, or holds a NUL; write it anew")
        if any(map(is_url, (table, row, item))):
            raise OptionError("the name of a table or of a column is a URL, or holds a password; give its name")
        return cls(table, query, row, item)

    @property
    def source(self) -> str:
        """The lines as SQL."""
        if self.query is None:
            return quote_names(*split_name(str(self.table)))
        # Its last line may be a comment.
        return f'(\n{self.query.strip().removesuffix(";")}\n) AS "source"'


@dataclass(frozen=True, repr=False)
class Session:
    """A connection, and a head of SQL that gives its ``lines`` the columns ``"row"`` and ``"item"``."""

    connection: Connection
    head: str
    doubts: tuple[Message, ...]

    @classmethod
    def of(cls, connection: Connection, lines: SqlLines) -> Self:
        """Refuse columns that are missing, or hold neither whole numbers nor text; doubt what others may name."""
        columns = connection.columns(lines.source, {lines.row, lines.item})
        row, item = (_as_sql(connection, columns, name) for name in (lines.row, lines.item))
        others = [name for name, _ in columns if name not in {lines.row, lines.item}]
        head = f'WITH lines AS (SELECT {row} AS "row", {item} AS "item" FROM {lines.source})'
        return cls(connection, head, tuple(find_unread(others)))

    @property
    def reading(self) -> Reading:
        """How the lines are understood, without their numbers."""
        return Reading("long", "database", doubts=self.doubts)

    def count(self) -> int:
        """Return the number of lines; refuse missing values."""
        counts = f'{self.head} SELECT count(*), count("row"), count("item") FROM lines'
        total, rows, items = self.connection.fetch_row(counts)
        for what, missing in (("row ids", total - rows), ("items", total - items)):
            if missing:
                raise InputError(f"{missing} {what} are missing; drop them with ", Option("query"), ", or fill them")
        return int(total)

    def count_rows(self) -> int:
        """Return the number of rows."""
        statement = f'{self.head} SELECT count(*) FROM (SELECT DISTINCT "row" FROM lines) AS ids'
        return int(self.connection.fetch_row(statement)[0])

    def fetch(self) -> Iterator[Batch]:
        """Yield all lines, sorted by row."""
        return self.connection.fetch(f'{self.head} SELECT "row", "item" FROM lines ORDER BY "row"')

    def fetch_frequent(self, min_support: int) -> Iterator[Batch]:
        """Yield the lines of items that at least ``min_support`` rows hold; the server leaves out all others."""
        # Counted beside each line, not joined to it: there is no plan to be chosen wrongly, and lines are made once.
        statement = f"""{self.head},
            pairs AS (SELECT DISTINCT "item", "row" FROM lines),
            counted AS (SELECT "row", "item", count(*) OVER (PARTITION BY "item") AS support FROM pairs)
            SELECT "row", "item" FROM counted WHERE support >= {min_support} ORDER BY "row" """
        return self.connection.fetch(statement)


def _as_sql(connection: Connection, columns: list[tuple[str, str]], name: str) -> str:
    types = [kind for column, kind in columns if column == name]
    if len(types) != 1:
        what = f"{len(types)} of the {len(columns)} columns are called" if types else "no column is called"
        raise InputError(f"{what} {name[:40]!r}; check its name")
    if types[0] not in {"number", "text"}:
        problem = f"column {name[:40]!r} holds values of type {types[0]}, not whole numbers or text; make them so in "
        raise InputError(problem, Option("query"), ", with CAST( ... AS text)")
    return quote_names(name) if types[0] == "number" else connection.as_text(name)


def check_options(options: RowOptions, form: str | None) -> RowOptions:
    """Refuse options that a database does not have."""
    row_options.check_options([*options.given, *([] if form is None else ["format"])], OPTIONS, "a database")
    return options


def read(url: str, options: RowOptions, *, progress: Progress | None = None) -> Transactions:
    """Return the rows of a table or a query, in the order of their ids; each distinct row id is a row.

    >>> from tempfile import TemporaryDirectory
    >>> options = RowOptions("patient", "drug", table="stays")
    >>> with TemporaryDirectory() as place:
    ...     write(Transactions([["a", "b"], ["a"]], ids=[7, 3]), f"sqlite:///{place}/ward.db", options)
    ...     rows = read(f"sqlite:///{place}/ward.db", options)
    >>> list(rows.ids), [sorted(row) for row in rows]
    ([3, 7], [['a'], ['a', 'b']])
    """
    lines = SqlLines.of(options)
    with _connect(url, lines) as connection:
        session = Session.of(connection, lines)
        rows = collect_rows(_watch(session.fetch(), session.count(), progress))
        return rows.describe(reading=session.reading)


def scan(url: str, options: RowOptions, *, min_support: Thresholds, room: int, progress: Progress | None) -> Merged:
    """Return the merged rows, which may take ``room`` bytes; lines of rare items stay in the database."""
    lines = SqlLines.of(options)
    with _connect(url, lines) as connection:
        session = Session.of(connection, lines)
        total, n = session.count(), session.count_rows()
        least = least_count(min_support, n)
        merged = merge_rows(_watch(session.fetch_frequent(least), total, progress), min_support=least, n=n, room=room)
        known = replace(session.reading, n=n, row=lines.row, item=lines.item, confirmed=True)
        return replace(merged, reading=known if session.doubts else None)


def write(rows: Transactions, url: str, options: RowOptions) -> None:
    """Write rows to a new table in one transaction, and read them again before it ends; ids are numbers by default."""
    lines, new = SqlLines.of(options), NewRows.of(rows)
    with _creating(url, lines, new.are_whole) as connection:
        connection.insert(split_name(str(lines.table)), [lines.row, lines.item], new.chunks())
        if collect_rows(Session.of(connection, lines).fetch()) != new.rows:
            raise GuaranteeError("what was written does not hold the rows that it should; nothing is left of it")
        connection.commit()


def rehearse(url: str, *, table: str | None, row: str | None, item: str | None) -> None:
    """Refuse a new table that cannot be made: create it and undo that; a missing file is left to the reader."""
    lines, address = SqlLines.of(RowOptions(row, item, table=table)), Address.parse(url)
    if not address.driver.is_file or Path(address.place).is_file():
        with _creating(url, lines, (False, False)):
            pass


@contextmanager
def _creating(url: str, lines: SqlLines, are_whole: tuple[bool, bool]) -> Iterator[Connection]:
    try:
        with _connect(url, lines, new=True) as connection:
            types = [connection.whole_type if whole else connection.text_type for whole in are_whole]
            columns = zip((lines.row, lines.item), types, strict=True)
            definition = ", ".join(f"{quote_names(name)} {kind} NOT NULL" for name, kind in columns)
            connection.execute(f"CREATE TABLE {lines.source} ({definition})")
            yield connection
    except InputError as error:
        raise OutputError(error.message) from None


def name_of(url: str, *, table: str | None = None) -> str:
    """Return the name of lines for reports and messages, without host and user.

    >>> name_of("postgresql://ada:secret@clinic.example/ward", table="stays")
    'table stays of a PostgreSQL database'
    """
    what = "a query of" if table is None else f"table {table} of"
    return f"{what} a {Address.parse(url).driver.name} database"


def _watch(batches: Iterator[Batch], total: int, progress: Progress | None) -> Iterator[Batch]:
    lines = 0
    with watching(progress, what="reading", unit="lines") as tell:
        for batch in batches:
            lines += batch.items.codes.size
            tell(min(lines / total, 0.999), lines)
            yield batch


@contextmanager
def _connect(url: str, lines: SqlLines, *, new: bool = False) -> Iterator[Connection]:
    """Yield a connection, which ends without leaving anything; explain errors under the name of the lines."""
    address, name = Address.parse(url), name_of(url, table=lines.table)
    driver, connection = address.driver, None
    errors = driver.errors()
    try:
        with _nothing_left(address) if new else nullcontext():
            connection = driver.open(address.place, writing=new)
            try:
                yield connection
            finally:
                with suppress(*errors):  # what was not committed is gone with it
                    connection.close()
    except UnicodeDecodeError:
        raise InputError(f"{name}: an item or a row id is no UTF-8; mend it") from None
    except InputError as error:
        raise InputError(f"{name}: ", error.message) from None
    except DiscreetError:
        raise
    except errors as error:
        raise InputError(f"{name}: {driver.explain(error, connected=connection is not None)}") from None


@contextmanager
def _nothing_left(address: Address) -> Iterator[None]:
    is_new = address.driver.is_file and not Path(address.place).exists()
    try:
        yield
    except BaseException:
        for end in ("", ".wal", "-journal") if is_new else ():
            Path(address.place + end).unlink(missing_ok=True)
        raise
