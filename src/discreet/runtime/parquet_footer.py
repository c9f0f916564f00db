"""The unpacked size of a Parquet file, from its footer and page headers, before any data is read."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from mmap import mmap
from threading import RLock
from typing import Any, Final, TypeAlias

from discreet.errors import InputError

FileBytes: TypeAlias = bytes | bytearray | mmap
Struct: TypeAlias = dict[int, Any]  # a Thrift struct, by the field numbers of parquet.thrift

LARGEST: Final = 1 << 24  # bytes of a footer at most; a column of a row group takes about a hundred
WIDTHS: Final = {0: 1, 1: 4, 2: 8, 3: 12, 4: 4, 5: 8}  # bytes of a value of each type; text takes a pointer of 16
ENCODINGS: Final = {0, 2, 3, 4, 5, 6, 8, 9}  # they store each text in full or once; DELTA_BYTE_ARRAY does neither
PAGE: Final = 1 << 10  # bytes that a page counts for at least, so that many small pages are too many as well
MAGIC: Final = b"PAR1"
STDERR: Final = 2
SILENCE: Final = RLock()  # all threads share standard error, so they silence it in turn
NO_PARQUET: Final = "this is no Parquet file, or a damaged one; check its format, or write it again"


def measure_groups(data: FileBytes) -> Iterator[int]:
    """Yield the least number of bytes that a Parquet file unpacks to, after each of its row groups.

    Runs of equal values take hardly any room in a file, so sizes come from the page headers, which the footer leads to.
    A page that several row groups share counts for each.
    """
    size = int.from_bytes(data[-8:-4], "little")
    if data[:4] != MAGIC or data[-4:] != MAGIC or not 0 < size <= min(LARGEST, len(data) - 12):
        raise InputError(NO_PARQUET)
    total = 0
    try:
        for group in _read_struct(data, len(data) - 8 - size)[0].get(4, []):
            total += sum(_measure_column(data, column[3], group[3]) for column in group[1])
            yield total
    except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError):
        raise InputError(NO_PARQUET) from None


def _measure_column(data: FileBytes, about: Struct, rows: int) -> int:
    """Return the bytes that a column of a row group unpacks to: its pages, its values, and the ends of rows."""
    at = min(about[word] for word in (9, 11) if word in about)
    end, width = at + about[7], WIDTHS.get(about[1], 16)
    size = values = 0
    if not 0 <= at <= end <= len(data):
        raise InputError(NO_PARQUET)
    while at < end:
        page, start = _read_struct(data, at)
        # A page holds data, a dictionary, or data of version 2, which has its encoding elsewhere.
        head, encoding = next(((page[word], at) for word, at in ((5, 2), (7, 2), (8, 4)) if word in page))
        if min(page[2], page[3], head[1]) < 0 or head[encoding] not in ENCODINGS:
            raise InputError(NO_PARQUET)
        size, values = size + max(page[2], PAGE), values + head[1]
        at = start + page[3]
    # A row of a list takes an offset; any other a value.
    return size + (values * width + rows * 8 if len(about[3]) > 1 else max(values, rows) * width)


def _read_struct(data: FileBytes, at: int) -> tuple[Struct, int]:
    """Return a struct in Thrift's compact protocol, and where it ends."""
    found, number = Struct(), 0
    while head := data[at]:
        at += 1
        if head >> 4:
            number += head >> 4
        else:
            number, at = _read_value(data, at, 6)
        found[number], at = (head & 15 == 1, at) if head & 15 in {1, 2} else _read_value(data, at, head & 15)
    return found, at + 1


def _read_value(data: FileBytes, at: int, kind: int) -> tuple[Any, int]:
    """Return a value of a type, and where it ends."""
    if kind == 12:  # noqa: PLR2004 - the numbers of types: here a struct
        return _read_struct(data, at)
    if kind in {1, 2, 3, 7}:  # truths and bytes; a float, which nothing here needs
        return data[at], at + (8 if kind == 7 else 1)  # noqa: PLR2004
    if kind in {9, 10}:  # a list, or a set
        many, of, at = data[at] >> 4, data[at] & 15, at + 1
        if many == 15:  # noqa: PLR2004 - and how many follows
            many, at = _read_number(data, at)
        values = []
        for _ in range(many):
            value, at = _read_value(data, at, of)
            values.append(value)
        return values, at
    number, at = _read_number(data, at)
    if kind in {4, 5, 6}:  # whole numbers, the sign last
        return (number >> 1) ^ -(number & 1), at
    if kind == 8:  # noqa: PLR2004 - text
        return bytes(data[at : at + number]), at + number
    raise TypeError


def _read_number(data: FileBytes, at: int) -> tuple[int, int]:
    """Return a whole number, seven bits a byte, the lowest first."""
    number = 0
    for place in range(10):  # of 64 bits
        number |= (data[at + place] & 127) << 7 * place
        if data[at + place] < 128:  # noqa: PLR2004 - the last byte
            return number, at + place + 1
    raise ValueError


@contextmanager
def silence_stderr() -> Iterator[None]:
    """Drop output to standard error: Rust prints a panic there before Python sees an exception."""
    with ExitStack() as after, SILENCE:
        try:
            kept = os.dup(STDERR)
        except OSError:  # it is closed
            yield
            return
        after.callback(os.close, kept)
        after.callback(os.dup2, kept, STDERR)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        after.callback(os.close, nowhere)
        os.dup2(nowhere, STDERR)
        yield
