# ruff: noqa: S608 - names of tables and columns are quoted; a query is what its writer may ask anyway
"""Databases: lines with a row id and an item each, in and out of a table; what is rare stays on the server.

A connection sees one state of the database, whatever others write meanwhile. Neither the address of a database nor what
it says of a failure is ever told: there are hosts, users, passwords and values in it.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from discreet.data.merged import Merged
from discreet.data.transactions import Transactions
from discreet.errors import DiscreetError, GuaranteeError, InputError, Option, OptionError, OutputError
from discreet.io.files import is_url
from discreet.io.merging import Thresholds, lowest
from discreet.io.sql.batches import Batch
from discreet.io.sql.names import Address, address, parts, quoted
from discreet.io.sql.rows import gathered, merged
from discreet.io.sql.written import Written
from discreet.runtime.progress import Progress, watching

__all__ = ["name_of", "read", "rehearse", "scan", "write"]

OPTIONS: Final = frozenset({"table", "query", "row", "item"})
"""What a reader can be told of a database."""


@dataclass(frozen=True)
class Lines:
    """Where lines stand: in a table, or in what a query gives; and the columns of their row ids and items."""

    table: str | None
    query: str | None
    row: str
    item: str

    @classmethod
    def asked(cls, table: str | None, query: str | None, row: str | None, item: str | None) -> Self:
        """Refuse what does not name lines."""
        if (table is None) == (query is None):
            raise OptionError(
                "a database holds many tables; name one with ",
                Option("table"),
                ", or give ",
                Option("query"),
                ", not both",
            )
        if row is None or item is None:
            raise OptionError(
                "a line holds a row id and an item; name both columns: ", Option("row"), " and ", Option("item")
            )
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
            return quoted(*parts(str(self.table)))
        # Its last line may be a comment.
        return f'(\n{self.query.strip().removesuffix(";")}\n) AS "source"'


@dataclass(frozen=True, repr=False)
class Session:
    """A connection to a database, and the lines that are asked of it as the ``"row"`` and ``"item"`` of ``lines``."""

    driver: Any
    connection: Any
    head: str = ""

    def of(self, lines: Lines) -> "Session":
        """Return the session that asks for lines; refuse columns that are not there, or hold neither numbers nor text.

        Text is compared by its letters alone, whatever the database would do: equal ids stand together, and in an
        order that is the same everywhere.
        """
        columns = self.driver.columns(self.connection, lines.source, {lines.row, lines.item})
        row, item = (self._column(columns, name) for name in (lines.row, lines.item))
        head = f'WITH lines AS (SELECT {row} AS "row", {item} AS "item" FROM {lines.source})'
        return Session(self.driver, self.connection, head)

    def count(self) -> int:
        """Return how many lines there are; refuse missing values."""
        total, rows, items = self.driver.row(
            self.connection, f'{self.head} SELECT count(*), count("row"), count("item") FROM lines'
        )
        _check_missing("row ids", total - rows)
        _check_missing("items", total - items)
        return int(total)

    def rows(self) -> int:
        """Return how many rows there are."""
        return int(
            self.driver.row(
                self.connection, f'{self.head} SELECT count(*) FROM (SELECT DISTINCT "row" FROM lines) AS ids'
            )[0]
        )

    def every(self) -> Iterator[Batch]:
        """Yield all lines, those of a row together."""
        statement = f'{self.head} SELECT "row", "item" FROM lines ORDER BY "row"'
        return self.driver.batches(self.connection, statement)  # type: ignore[no-any-return]  # a module of ours

    def frequent(self, min_support: int) -> Iterator[Batch]:
        """Yield the lines of items that so many rows hold; all others are left out before they travel."""
        # Counted beside each line, not joined to it: there is no plan to be chosen wrongly, and lines are made once.
        statement = f"""{self.head},
            pairs AS (SELECT DISTINCT "item", "row" FROM lines),
            counted AS (SELECT "row", "item", count(*) OVER (PARTITION BY "item") AS support FROM pairs)
            SELECT "row", "item" FROM counted WHERE support >= {min_support} ORDER BY "row" """
        return self.driver.batches(self.connection, statement)  # type: ignore[no-any-return]  # a module of ours

    def create(self, lines: Lines, kinds: tuple[str, str]) -> None:
        """Make a table for lines; it is there when all is committed."""
        types = [getattr(self.driver, kind) for kind in kinds]
        columns = zip((lines.row, lines.item), types, strict=True)
        told = ", ".join(f"{quoted(name)} {kind} NOT NULL" for name, kind in columns)
        self.driver.execute(self.connection, f"CREATE TABLE {lines.source} ({told})")

    def _column(self, columns: list[tuple[str, str]], name: str) -> str:
        kinds = [kind for column, kind in columns if column == name]
        if len(kinds) != 1:
            what = f"{len(kinds)} of the {len(columns)} columns are called" if kinds else "no column is called"
            raise InputError(f"{what} {name[:40]!r}; check its name")
        if kinds[0] not in {"number", "text"}:
            raise InputError(
                f"column {name[:40]!r} holds values of type {kinds[0]}, but rows and items go by whole numbers or by "
                "text; make them so in a query=, with CAST( ... AS text)"
            )
        text: str = self.driver.text(name)
        return quoted(name) if kinds[0] == "number" else text


def read(
    url: str,
    *,
    table: str | None = None,
    query: str | None = None,
    row: str | None = None,
    item: str | None = None,
    progress: Progress | None = None,
) -> Transactions:
    """Return the rows of a table, or of what a query gives, in the order of their ids; they are its distinct row ids.

    >>> import sqlite3
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     file = sqlite3.connect(Path(place) / "ward.db")
    ...     _ = file.execute("CREATE TABLE stays (patient INTEGER, drug TEXT)")
    ...     _ = file.executemany("INSERT INTO stays VALUES (?, ?)", [(7, "a"), (3, "a"), (7, "b")])
    ...     file.commit()
    ...     file.close()
    ...     rows = read(f"sqlite:///{place}/ward.db", table="stays", row="patient", item="drug")
    >>> list(rows.ids), [sorted(row) for row in rows]
    ([3, 7], [['a'], ['a', 'b']])
    """
    lines = Lines.asked(table, query, row, item)
    with _opened(url, name_of(url, table=table)) as session:
        asked = session.of(lines)
        return gathered(_watched(asked.every(), asked.count(), progress))


def scan(
    url: str,
    *,
    min_support: Thresholds,
    room: int,
    table: str | None = None,
    query: str | None = None,
    row: str | None = None,
    item: str | None = None,
    progress: Progress | None = None,
) -> Merged:
    """Return the merged rows of a table, or of what a query gives; lines of rarer items stay in the database.

    Of several minimum supports, the lowest counts. Different rows may take ``room`` bytes. ``progress`` is told how
    many lines have come.
    """
    lines = Lines.asked(table, query, row, item)
    with _opened(url, name_of(url, table=table)) as session:
        asked = session.of(lines)
        total, n = asked.count(), asked.rows()
        least = lowest(min_support, n)
        return merged(_watched(asked.frequent(least), total, progress), min_support=least, n=n, room=room)


def write(rows: Transactions, url: str, *, table: str | None, row: str | None, item: str | None) -> None:
    """Put rows into a new table, in one transaction, and read them again before it ends: all is there, or nothing.

    Rows without ids get their numbers, from 1 on. A row without items, which no line would tell of, is refused; so is
    a table that is there already.
    """
    lines = Lines.asked(table, None, row, item)
    named = parts(str(table))
    written = Written.of(rows)
    try:
        with _opened(url, name_of(url, table=table), new=True) as session:
            session.create(lines, written.kinds)
            session.driver.insert(session.connection, named, [lines.row, lines.item], written.chunks())
            if gathered(session.of(lines).every()) != written.rows:
                raise GuaranteeError("what was written does not hold the rows that it should; nothing is left of it")
            session.connection.commit()
    except InputError as error:
        raise OutputError(error.message) from None


def rehearse(url: str, *, table: str | None, row: str | None, item: str | None) -> None:
    """Refuse a new table that cannot be made: it is made and taken back. Another may still make it before ``write``.

    Of a file that is not there, reading has more to say.
    """
    lines, found = Lines.asked(table, None, row, item), address(url)
    if found.driver.IS_FILE and not Path(found.place).is_file():
        return
    try:
        with _opened(url, name_of(url, table=table), new=True) as session:
            session.create(lines, ("TEXT", "TEXT"))
    except InputError as error:
        raise OutputError(error.message) from None


def name_of(url: str, *, table: str | None = None) -> str:
    """Return what reports and messages call lines: neither where the database is, nor who reads it.

    >>> name_of("postgresql://ada:secret@clinic.example/ward", table="stays")
    'table stays of a PostgreSQL database'
    """
    what = "a query of" if table is None else f"table {table} of"
    return f"{what} a {address(url).driver.NAME} database"


def _watched(batches: Iterator[Batch], total: int, progress: Progress | None) -> Iterator[Batch]:
    """Yield batches, and tell how many lines have come."""
    lines = 0
    with watching(progress, what="reading", unit="lines") as tell:
        for batch in batches:
            lines += batch.items.codes.size
            tell(min(lines / total, 0.999), lines)
            yield batch


def _check_missing(what: str, many: int) -> None:
    if many:
        raise InputError(
            f"{many} {what} are missing (NULL); leave their lines out, in ", Option("query"), ", or fill them"
        )


@contextmanager
def _opened(url: str, name: str, *, new: bool = False) -> Iterator[Session]:
    """Yield a session, which ends without leaving anything; say in a sentence what is wrong with it."""
    found = address(url)
    driver = found.driver
    errors = driver.errors()
    connection = None
    try:
        with _nothing_left(found) if new else nullcontext():
            connection = driver.connect(found.place, writing=new)
            try:
                yield Session(driver, connection)
            finally:
                with suppress(*errors):  # what was not committed is gone with it
                    connection.close()
    except UnicodeDecodeError:
        raise InputError(f"{name}: an item or a row id is no UTF-8; mend it") from None
    except DiscreetError as error:
        if isinstance(error, InputError):
            raise InputError(f"{name}: ", error.message) from None
        raise
    except errors as error:
        raise InputError(f"{name}: {driver.sentence(error, connected=connection is not None)}") from None


@contextmanager
def _nothing_left(found: Address) -> Iterator[None]:
    """Remove the file of a database that was made on the way, should the way end early."""
    is_new = found.driver.IS_FILE and not Path(found.place).exists()
    try:
        yield
    except BaseException:
        for end in ("", ".wal", "-journal") if is_new else ():
            Path(found.place + end).unlink(missing_ok=True)
        raise
