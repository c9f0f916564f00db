"""The unpacked size of an Arrow file, from its footer and the metadata of its batches, before any data is read."""

import struct
from collections.abc import Iterator
from typing import Final

from discreet.errors import InputError

MAGIC: Final = b"ARROW1"
TEXT: Final = 16  # bytes that a value takes at least in a frame: text takes a pointer of 16
COMPRESSED: Final = 8  # bytes before a compressed buffer, which hold its unpacked size
NO_ARROW: Final = "this is no Arrow file, or a damaged one; check its suffix, or write it again"


def measure_batches(data: bytes | bytearray) -> Iterator[int]:
    """Yield the number of bytes that an Arrow file unpacks to, after each of its batches."""
    total = 0
    try:
        (size,) = struct.unpack_from("<i", data, len(data) - 10)
        if data[:6] != MAGIC or data[-6:] != MAGIC or not 0 < size <= len(data) - 10:
            raise InputError(NO_ARROW)
        footer = _follow(data, len(data) - 10 - size)
        for field in (2, 3):  # dictionaries and batches of rows
            for at in _list(data, _field(data, footer, field), 24):
                start, head = struct.unpack_from("<qi", data, at)
                total += _measure(data, start, head)
                yield total
    except (struct.error, IndexError, OverflowError):
        raise InputError(NO_ARROW) from None


def _measure(data: bytes | bytearray, start: int, head: int) -> int:
    """Return the unpacked size of a batch: its buffers, and its values."""
    (mark,) = struct.unpack_from("<I", data, start)
    message = _follow(data, start + (8 if mark == 0xFFFFFFFF else 4))  # noqa: PLR2004 - since version 0.15
    kind, batch = _field(data, message, 1), _follow(data, _field(data, message, 2))
    if kind and data[kind] == 2:  # noqa: PLR2004 - a dictionary, which holds a batch
        batch = _follow(data, _field(data, batch, 1))
    is_packed = bool(_field(data, batch, 3))
    total = 0
    for at in _list(data, _field(data, batch, 1), 16):
        total += _natural(struct.unpack_from("<q", data, at)[0]) * TEXT
    for at in _list(data, _field(data, batch, 2), 16):
        place, size = struct.unpack_from("<qq", data, at)
        if is_packed and size >= COMPRESSED:
            (unpacked,) = struct.unpack_from("<q", data, start + head + _natural(place))
            size = size if unpacked == -1 else unpacked
        total += _natural(size)
    return total


def _natural(number: int) -> int:
    if number < 0:
        raise InputError(NO_ARROW)
    return number


def _field(data: bytes | bytearray, table: int, number: int) -> int:
    """Return where a field of a table of FlatBuffers is; 0 if it has none."""
    layout = table - int(struct.unpack_from("<i", data, table)[0])
    (size,) = struct.unpack_from("<H", data, _natural(layout))
    (at,) = struct.unpack_from("<H", data, layout + 4 + 2 * number) if 4 + 2 * number < size else (0,)
    return table + at if at else 0


def _follow(data: bytes | bytearray, at: int) -> int:
    return at + int(struct.unpack_from("<I", data, _natural(at))[0])


def _list(data: bytes | bytearray, at: int, width: int) -> range:
    if not at:
        return range(0)
    start = _follow(data, at)
    (many,) = struct.unpack_from("<I", data, start)
    if many * width > len(data):
        raise InputError(NO_ARROW)
    return range(start + 4, start + 4 + many * width, width)
