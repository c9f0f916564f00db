"""FILE: rows and patterns, with the digest of their file."""

import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeVar

import click

from discreet.cli.options import CandidateOptions, LimitOptions, OlderOptions, ReadOptions, names
from discreet.data.patterns import Kind, as_kind

if TYPE_CHECKING:
    from discreet import Merged, Patterns, Transactions
    from discreet.cli.terminal import Bars
    from discreet.report import Source

Value = TypeVar("Value")

PIECE: Final = 1 << 20
"""A file is scanned in pieces of this many bytes, so a smaller limit on memory would save nothing."""


def load_rows(asked: CandidateOptions, min_support: str, bars: "Bars | None") -> "tuple[Transactions | Merged, Source]":
    """Return the rows of FILE, which may be merged if there are ``bars``, and its digest."""
    from discreet import OptionError

    for flag in asked.given("n", "kind", "rows_file"):
        raise OptionError(f"{flag} is for patterns, but with --min-support FILE holds rows; leave one out")
    return read_rows(asked.file, asked, asked.memory, [min_support], bars)


def load_patterns(
    asked: CandidateOptions, bars: "Bars | None"
) -> "tuple[Patterns, Transactions | Merged | None, Source]":
    """Return the patterns of FILE, the rows that they were mined from if these are given, and the digest of FILE."""
    from discreet import OptionError

    for flag in asked.given(*names(LimitOptions)):
        raise OptionError(f"{flag} is for mining; if FILE holds rows, not patterns, give --min-support")
    reading = replace(asked, format=None)  # that of the rows is told by their suffix
    for flag in () if asked.rows_file else reading.given(*names(ReadOptions)):
        raise OptionError(f"{flag} is for rows; if FILE holds rows, give --min-support")
    patterns, source = _read_patterns(asked)
    if asked.rows_file is None:
        return patterns, None, source
    # Items below the minimum support are in no pattern, so merging may drop them; with no rows there is no minimum.
    merging = bars if patterns.min_support else None
    reader = row_reader(asked.rows_file, reading, None, [patterns.min_support], merging)
    return patterns, reader(asked.rows_file), source


def mine_or_load(asked: CandidateOptions, bars: "Bars") -> "tuple[Patterns, Transactions | Merged | None, Source]":
    """Return the patterns of FILE, which are mined if it holds rows; the rows if they are given; the digest of FILE."""
    import discreet

    if asked.min_support is None:
        patterns, known, source = load_patterns(asked, bars)
        bars(1, len(patterns))
        return patterns, known, source
    rows, source = load_rows(asked, asked.min_support, bars)
    return discreet.mine(rows, min_support=asked.min_support, **asked.budget(bars)), rows, source


def read_all(file: str, reading: ReadOptions) -> "tuple[Transactions, Source]":
    """Return the rows of a file with their ids, and its digest."""
    return digest(file, reading.read, table=reading.table)


def read_rows(
    file: str, reading: ReadOptions, memory: int | None, min_supports: "Iterable[str | int]", bars: "Bars | None"
) -> "tuple[Transactions | Merged, Source]":
    """Return the rows of a file, which may be merged if there are ``bars``, and its digest."""
    return digest(file, row_reader(file, reading, memory, min_supports, bars), table=reading.table)


def row_reader(
    file: str, reading: ReadOptions, memory: int | None, min_supports: "Iterable[str | int]", bars: "Bars | None"
) -> "Callable[[str | BinaryIO], Transactions | Merged]":
    """Return a reader of the rows of a file; if it is too large for ``memory``, it merges the rows in two passes.

    A file is too large above a third of it, unpacked: mining needs about as much again as the rows, and as much for
    its result. A file that cannot be read twice may take all of it.
    """
    from discreet import BudgetError, scan

    def scan_with(progress: Callable[[float, int], None]) -> "Merged":
        given, table, query = reading.columns(), reading.table, reading.query
        return scan(file, min_support=min_supports, memory=memory, progress=progress, **given, table=table, query=query)

    if is_database(file) and bars is not None:
        return lambda _: scan_with(bars.reading)
    if memory is None or is_database(file):
        return reading.read
    if bars is None or not Path(file).is_file() or reading.format == "onehot":
        return lambda place: reading.read(place, max(memory, PIECE))

    def read_or_scan(place: "str | BinaryIO") -> "Transactions | Merged":
        try:
            return reading.read(place, max(memory // 3, PIECE))
        except BudgetError:
            bars.say(f"{Path(file).name} may not fit in memory: it is scanned twice, and equal rows are merged")
        return scan_with(bars.scanning)

    return read_or_scan


def is_database(file: str) -> bool:
    """Return whether FILE is a URL, not the name of a file.

    >>> is_database("postgresql:///ward"), is_database("ward.csv")
    (True, False)
    """
    return re.match(r"[a-z][a-z0-9+.-]*://", file, re.IGNORECASE) is not None


def digest(file: str, reader: "Callable[[Any], Value]", *, table: str | None = None) -> "tuple[Value, Source]":
    """Return the value that a reader makes of a file, and the SHA-256 of its bytes; a pipe is read once.

    For a database, the digest is that of the lines that were read. Its URL is omitted; the table is named.
    """
    from discreet.report import Source, database_source

    if is_database(file):
        rows: Any = reader(file)
        return rows, database_source(rows, file, table=table)
    path = Path(file)
    if file == "-" or path.is_fifo():
        with nullcontext(sys.stdin.buffer) if file == "-" else path.open("rb") as pipe:
            stream = Hashed(pipe)
            value = reader(stream)
        return value, Source("standard input" if file == "-" else path.name, stream.digest.hexdigest())
    value = reader(file)
    with path.open("rb") as data:
        return value, Source(path.name, hashlib.file_digest(data, "sha256").hexdigest())


class Hashed:
    """A stream that feeds the bytes it reads to a digest."""

    def __init__(self, stream: BinaryIO) -> None:
        """Wrap a stream."""
        self.stream = stream
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        data = self.stream.read(size)
        self.digest.update(data)
        return data


def read_older(asked: OlderOptions) -> "tuple[list[Patterns], list[Source]]":
    """Return the patterns of older releases, and the digests of their files."""
    if asked.grown and not asked.against:
        raise click.UsageError("--grown says how older releases differ, but none is given: name them with --against")
    found = [_read_release(Path(place)) if Path(place).is_dir() else _read_old(place) for place in asked.against]
    return [patterns for patterns, _ in found], [source for _, source in found]


def _read_patterns(asked: CandidateOptions) -> "tuple[Patterns, Source]":
    """Return the patterns of FILE, and its digest; if it cannot be read, it may hold rows."""
    from discreet import InputError, OptionError, read_patterns

    try:
        return digest(asked.file, lambda place: read_patterns(place, format=asked.format, n=asked.n, kind=asked.kind))
    except (InputError, OptionError) as error:
        kind = InputError if isinstance(error, InputError) else OptionError
        raise kind(error.message, " (if FILE holds rows, not patterns, give --min-support)") from None


def _read_old(place: str, *, n: int | None = None, kind: Kind | None = None) -> "tuple[Patterns, Source]":
    from discreet import InputError, read_patterns

    try:
        return digest(place, lambda file: read_patterns(file, n=n, kind=kind))
    except InputError as error:
        raise InputError(
            error.message,
            " (--n and --kind are for FILE: an older release is a folder that `discreet block` wrote, or "
            "patterns that state both, as JSON does)",
        ) from None


def _read_release(folder: Path) -> "tuple[Patterns, Source]":
    """Return the patterns of a release folder; its release.json has the facts that some formats lack."""
    from discreet import InputError

    try:
        claims = json.loads((folder / "release.json").read_bytes())
        n, kind = int(claims["n"]), as_kind(claims["kind"])
        name = next(str(name) for name in claims["files"] if Path(name).stem == "patterns")
    except (OSError, ValueError, KeyError, TypeError, StopIteration):
        raise InputError(
            f"{folder} is no release folder: its release.json is missing or incomplete; give a folder that "
            "`discreet block` wrote, or a file of patterns"
        ) from None
    patterns, source = _read_old(str(folder / Path(name).name), n=n, kind=kind)
    return patterns, source._replace(file=f"{folder.name}/{source.file}")
