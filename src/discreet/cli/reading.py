"""What FILE is, and how it is read: the options that several commands share, and rows or patterns with their digest."""

import hashlib
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple, TypeVar

import click

if TYPE_CHECKING:
    from discreet import Merged, Patterns, Transactions
    from discreet.cli.watch import Bars
    from discreet.report import Source

Command = TypeVar("Command", bound=Callable[..., object])
Value = TypeVar("Value")

PIECE: Final = 1 << 20
"""A file is scanned in pieces of so many bytes, so that nothing is won where it has no more."""
UNITS: Final = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


def as_bytes(size: str) -> int:
    """Return the number of bytes that ``size`` stands for, rounded down.

    >>> as_bytes("1.5GB"), as_bytes("2 MiB"), as_bytes("800")
    (1500000000, 2097152, 800)
    """
    match = re.fullmatch(r"(\d{1,40}(?:\.\d{1,40})?)\s*([A-Z]*)", size.strip().upper(), re.ASCII)
    if match is None or match[2] not in UNITS:
        raise click.BadParameter(f"{size[:40]!r} is no size; give a number and a unit such as 512MB, 2GB or 2GiB")
    return int(Fraction(match[1]) * UNITS[match[2]])


LIMITS: Final = (
    click.option("--max-patterns", type=click.IntRange(min=1), metavar="N", help="End in an error beyond N itemsets."),
    click.option("--memory", type=as_bytes, metavar="SIZE", help="Stay within this memory, such as 2GB."),
    click.option("--threads", type=click.IntRange(min=1), metavar="N", help="How many threads; all cores without it."),
)
COLUMNS: Final = (
    click.option("--format", metavar="FORMAT", help="How FILE is read, such as onehot; without it, by its suffix."),
    click.option("--row", metavar="NAME", help="The column of row ids, of a long or a one-hot table."),
    click.option("--item", metavar="NAME", help="The column of items, where a line holds a row id and an item."),
    click.option("--items", metavar="NAME", help="The column of lists of items, in Parquet."),
    click.option("--separator", metavar="CHARACTER", help="What stands between labels in CSV; a comma without it."),
)
TABLE: Final = (
    click.option("--table", metavar="NAME", help="The table to read, where FILE is the URL of a database."),
    click.option("--query", metavar="SQL", help="What to read from a database, in place of a table."),
)
CANDIDATE: Final = (
    click.argument("file"),
    click.option(
        "--min-support",
        metavar="COUNT|SHARE",
        help="FILE holds rows; judge the closed itemsets that so many hold: 813, 10%, 0.1.",
    ),
    click.option("--n", type=click.IntRange(min=0), metavar="N", help="Of how many rows FILE holds the patterns."),
    click.option(
        "--kind",
        type=click.Choice(["frequent", "closed", "maximal"]),
        help="Which patterns FILE holds; without it, what FILE says, or all frequent ones.",
    ),
    click.option("--rows", "rows_file", metavar="FILE", help="The rows that the patterns in FILE were mined from."),
)
RULE: Final = (
    click.option(
        "-k", type=click.IntRange(min=1), metavar="K", help="Counts from 1 to K - 1 are too small to be told."
    ),
    click.option(
        "--policy", metavar="NAME|FILE", help="Judge by a policy: acro, opensafely, … or a .toml or .yaml file."
    ),
)
ENDING: Final = (
    click.option("--json", "as_json", is_flag=True, help="Write everything that was found as JSON."),
    click.option("--out", metavar="FILE", help="Write to this file, not to stdout; as JSON if it ends with .json."),
    click.option("--quiet", is_flag=True, help="Say nothing on stderr but errors."),
)


def check_rule(k: int | None, policy: str | None) -> None:
    """Refuse to judge by nothing."""
    if k is None and policy is None:
        raise click.UsageError("Neither -k nor --policy is given: give one, such as -k 10")


def given(**limits: int | None) -> dict[str, Any]:
    """Return the limits that were given."""
    return {name: value for name, value in limits.items() if value is not None}


def options(*groups: Iterable[Callable[[Any], Any]]) -> Callable[[Command], Command]:
    """Return what puts groups of options on a command, in this order."""

    def put_on(command: Command) -> Command:
        for option in reversed([option for group in groups for option in group]):
            command = option(command)
        return command

    return put_on


class Candidate(NamedTuple):
    """A candidate release: rows that would be mined, or patterns and perhaps their rows; and the file it came from."""

    rows: "Transactions | Merged | None"
    patterns: "Patterns | None"
    source: "Source"


def mined(
    file: str,
    *,
    min_support: str | None,
    limits: Mapping[str, int],
    bars: "Bars",
    **reading: Any,  # noqa: ANN401 - as below
) -> "tuple[Transactions | Merged | None, Patterns, Source]":
    """Read FILE as ``candidate`` does, and mine the rows if it holds rows."""
    import discreet

    rows, patterns, source = candidate(file, min_support=min_support, limits=limits, bars=bars, **reading)
    if patterns is None:
        data: Any = rows
        mining: Any = {"min_support": min_support, "progress": bars, **limits}
        patterns = discreet.mine(data, **mining)
    bars(1, len(patterns))
    return rows, patterns, source


def candidate(
    file: str,
    *,
    min_support: str | None,
    n: int | None,
    kind: str | None,
    rows_file: str | None,
    limits: Mapping[str, int],
    bars: "Bars | None" = None,
    **reading: str | None,
) -> Candidate:
    """Read FILE: rows if there is a minimum support to mine them at, within ``limits``; else patterns.

    With ``bars`` to tell how far it is, rows that do not fit in memory may be merged, and those of a database are; who
    needs the ids of rows gives none.
    """
    from discreet import OptionError

    if min_support is not None:
        for name, value in (("--n", n), ("--kind", kind), ("--rows", rows_file)):
            if value is not None:
                raise OptionError(f"{name} is for patterns, but with --min-support FILE holds rows; leave one out")
        rows, source = digested(
            file, within(limits.get("memory"), file, [min_support], bars, **reading), table=reading["table"]
        )
        return Candidate(rows, None, source)
    form = reading.pop("format")
    if limits:
        option = next(iter(limits)).replace("_", "-")
        raise OptionError(f"--{option} is for mining; if FILE holds rows, not patterns, give --min-support")
    if rows_file is None:
        for name, value in reading.items():
            if value is not None:
                raise OptionError(f"--{name} is for rows; if FILE holds rows, give --min-support")
    patterns, source = _patterns(file, format=form, n=n, kind=kind)
    if rows_file is None:
        return Candidate(None, patterns, source)
    # Rarer items are in no pattern. Where there are no rows, nothing is rare.
    known = within(None, rows_file, [patterns.min_support], bars if patterns.min_support else None, **reading)
    return Candidate(known(rows_file), patterns, source)


def read_rows(file: str, **reading: str | None) -> "tuple[Transactions, Source]":
    """Return the rows of a file, and its digest."""
    from discreet import read

    return digested(file, lambda place: read(place, **reading), table=reading.get("table"))


def within(
    memory: int | None, file: str, min_supports: "Iterable[str | int]", bars: "Bars | None", **reading: str | None
) -> "Callable[[str | BinaryIO], Transactions | Merged]":
    """Return what reads the rows of a file; where it is too large for ``memory``, it merges them, in two passes.

    A file is too large above a third of it, unpacked: mining takes about as much again as the rows, and as much for
    what it finds. One that cannot be read twice may take all of it.
    """
    from discreet import BudgetError, read, scan

    if is_database(file):
        if bars is None:
            return lambda place: read(place, **reading)
        return lambda _: scan(file, min_support=min_supports, memory=memory, progress=bars.reading, **reading)
    if memory is None:
        return lambda place: read(place, **reading)
    if bars is None or not Path(file).is_file() or reading.get("format") == "onehot":
        return lambda place: read(place, memory=max(memory, PIECE), **reading)

    def read_or_scan(place: "str | BinaryIO") -> "Transactions | Merged":
        try:
            return read(place, memory=max(memory // 3, PIECE), **reading)
        except BudgetError:
            bars.say(f"{Path(file).name} may not fit in memory: it is scanned twice, and equal rows are merged")
        return scan(file, min_support=min_supports, memory=memory, progress=bars.scanning, **reading)

    return read_or_scan


def is_database(file: str) -> bool:
    """Return whether FILE is a URL, not the name of a file.

    >>> is_database("postgresql:///ward"), is_database("ward.csv")
    (True, False)
    """
    return re.match(r"[a-z][a-z0-9+.-]*://", file, re.IGNORECASE) is not None


def _patterns(file: str, **told: Any) -> "tuple[Patterns, Source]":  # noqa: ANN401 - as in read_patterns
    """Return the patterns of a file, and its digest; what fails may be for FILE holding rows, so that is said."""
    from discreet import InputError, OptionError, read_patterns

    try:
        return digested(file, lambda place: read_patterns(place, **told))
    except (InputError, OptionError) as error:
        raise type(error)(error.message, " (if FILE holds rows, not patterns, give --min-support)") from None


def digested(
    file: str, reader: "Callable[[str | BinaryIO], Value]", *, table: str | None = None
) -> "tuple[Value, Source]":
    """Return what a reader makes of a file, and the digest of its bytes; those of a pipe can be read but once.

    Of a database, the digest is that of the lines that were read, and its URL is not told, only the table.
    """
    from discreet.report import Source, database_source

    if is_database(file):
        rows: Any = reader(file)
        return rows, database_source(rows, file, table=table)
    if file == "-":
        return _piped(sys.stdin.buffer, "standard input", reader)
    path = Path(file)
    if path.is_fifo():
        with path.open("rb") as pipe:
            return _piped(pipe, path.name, reader)
    value = reader(file)
    with path.open("rb") as data:
        return value, Source(path.name, hashlib.file_digest(data, "sha256").hexdigest())


def _piped(pipe: BinaryIO, name: str, reader: "Callable[[BinaryIO], Value]") -> "tuple[Value, Source]":
    from discreet.report import Source

    stream = Hashed(pipe)
    value = reader(stream)  # type: ignore[arg-type]  # all that is asked of it is to be read
    return value, Source(name, stream.digest.hexdigest())


class Hashed:
    """A stream whose bytes go through a digest as they are read."""

    def __init__(self, stream: BinaryIO) -> None:
        """Begin with the digest of nothing."""
        self.stream = stream
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        data = self.stream.read(size)
        self.digest.update(data)
        return data
