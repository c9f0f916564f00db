"""What a database and what is in it are called: URLs, and tables and columns in quotes."""

import re
from importlib import import_module
from types import ModuleType
from typing import Final, NamedTuple

from discreet.errors import OptionError
from discreet.io.files import URL

MODULES: Final = {"postgresql": "postgresql", "postgres": "postgresql", "sqlite": "sqlite", "duckdb": "duckdb"}
PART: Final = re.compile(r'"(?P<quoted>(?:[^"]|"")+)"|(?P<bare>[^".]+)')


class Address(NamedTuple):
    """A database: the module that speaks to it, and where it is, which is never told."""

    driver: ModuleType
    place: str

    def __repr__(self) -> str:
        return f"<Address: a {self.driver.NAME} database>"


def address(url: str) -> Address:
    """Return which database a URL leads to; what is wrong with it is said without the URL.

    >>> address("postgresql://ada:secret@clinic.example/ward")
    <Address: a PostgreSQL database>
    """
    found = URL.fullmatch(url)
    module = MODULES.get(found["scheme"].lower()) if found else None
    if found is None or module is None:
        raise OptionError(
            "this is the URL of no database that can be read; give postgresql://user@host/database, "
            "sqlite:///file.db or duckdb:///file.duckdb"
        )
    driver = import_module(f"discreet.io.sql.{module}")
    if module == "postgresql":
        return Address(driver, url)
    # As elsewhere: three strokes before a file in this folder, four before a path from the root.
    if not found["rest"].startswith("/") or len(found["rest"]) == 1 or "\0" in url:
        raise OptionError(
            f"the URL of a {driver.NAME} database names its file after three strokes, as {module}:///file"
        )
    return Address(driver, found["rest"][1:])


def parts(table: str) -> tuple[str, ...]:
    """Return the schema, if one is named, and the name of a table; a name with dots or quotes stands in double quotes.

    >>> parts("ward.stays"), parts('"a.b"'), parts('"2""x"')
    (('ward', 'stays'), ('a.b',), ('2"x',))
    """
    found, at = [], 0
    while match := PART.match(table, at):
        found.append(match["bare"] or match["quoted"].replace('""', '"'))
        at = match.end() + 1
        if table[match.end() : at] != ".":
            break
    if at <= len(table) or not 1 <= len(found) <= 2 or "\0" in table:  # noqa: PLR2004 - schema and table
        raise OptionError(
            f"table is {table[:40]!r}; give its name, such as stays or ward.stays, and put a name with dots or quotes "
            "in double quotes"
        )
    return tuple(found)


def quoted(*names: str) -> str:
    """Return names as SQL has them, whatever stands in them: in quotes, and quotes doubled.

    >>> print(quoted("ward", 'a"; DROP TABLE stays; --'))
    "ward"."a""; DROP TABLE stays; --"
    """
    return ".".join('"' + name.replace('"', '""') + '"' for name in names)
