"""Containers: files that hold one table as a frame, such as spreadsheets and the files of statistics programs."""

from collections.abc import Callable
from importlib import import_module
from typing import Final, NamedTuple, NoReturn

from discreet.data.itemsets import AnyFrame
from discreet.data.transactions import Transactions
from discreet.errors import InputError, OutputError
from discreet.io.files import Bytes
from discreet.io.notation import RowFunctions
from discreet.io.options import RowOptions
from discreet.io.shapes import read_frame

ZIP: Final = b"PK\x03\x04"
OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # a file of Microsoft's, with files within


class Container(NamedTuple):
    """A kind of file that holds a table: what it is called, its suffixes, its first bytes, and who loads it."""

    what: str
    suffixes: tuple[str, ...]
    magic: tuple[bytes, ...]
    loader: str
    options: frozenset[str] = frozenset()

    @property
    def load(self) -> Callable[[Bytes, RowOptions], AnyFrame]:
        """The function that returns the frame; its library is loaded with it."""
        module, _, name = self.loader.partition(":")
        function: Callable[[Bytes, RowOptions], AnyFrame] = getattr(import_module(FORMATS + module), name)
        return function


FORMATS: Final = "discreet.io.formats."
_SHEET: Final = frozenset({"sheet", "header", "empty_rows"})
CONTAINERS: Final = {
    "excel": Container("spreadsheet", (".xlsx", ".xlsm", ".xls"), (ZIP, OLE), "sheets:load", _SHEET),
    "ods": Container("spreadsheet", (".ods",), (ZIP,), "sheets:load", _SHEET),
    "feather": Container("Arrow file", (".feather", ".arrow", ".ipc"), (b"ARROW1",), "feather:load"),
    "stata": Container("Stata file", (".dta",), (b"<stata_dta>",), "statistics:load_stata"),
    "spss": Container("SPSS file", (".sav", ".zsav"), (b"$FL2", b"$FL3"), "statistics:load_spss"),
    "spss-portable": Container("SPSS file", (".por",), (), "statistics:load_portable"),
    "sas": Container("SAS file", (".sas7bdat",), (bytes(12) + b"\xc2\xea\x81\x60",), "statistics:load_sas"),
    "sas-transport": Container("SAS file", (".xpt",), (b"HEADER RECORD*******LIB",), "statistics:load_transport"),
}
"""The kinds of files that hold a frame, by format name."""


def find_container(suffix: str, head: bytes) -> str | None:
    """Return the format of a file that holds a frame, by its suffix or else by its first bytes; None for any other.

    >>> find_container(".xlsx", b"PK"), find_container(".csv", b"ARROW1"), find_container(".csv", b"a,b")
    ('excel', 'feather', None)
    """
    for name, container in CONTAINERS.items():
        if suffix in container.suffixes:
            return name
    # A zip file around a table is unpacked before, so that any other is taken for a spreadsheet.
    return next((name for name, one in CONTAINERS.items() if one.magic and head.startswith(one.magic)), None)


def rows_of(name: str) -> RowFunctions:
    """Return the functions for rows of a container; it is read, and not written."""

    def read(data: Bytes, options: RowOptions) -> Transactions:
        return read_frame(load_frame(data, name, options), options, options.shape, name)

    def write(rows: Transactions) -> NoReturn:
        del rows
        raise OutputError(f"files of the format {name} are read and not written; write csv or parquet")

    return RowFunctions(read, write)


def load_frame(data: Bytes, name: str, options: RowOptions) -> AnyFrame:
    """Return the table of a container, called by its format name, as a frame of polars."""
    container = CONTAINERS[name]
    if container.magic and not data.startswith(container.magic) and name != "stata":  # old ones of Stata have none
        raise InputError(f"this is no {container.what}; check its suffix, or write it again")
    return container.load(data, options)
