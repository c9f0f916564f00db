"""Compression: what a file is packed with, by its suffix or its first bytes, and its content in chunks."""

import gzip
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, NoReturn

from discreet.errors import InputError, OptionError, OutputError
from discreet.runtime import resources

try:
    from lzma import LZMAError, LZMAFile
except ImportError:  # an optional part of Python, which a browser lacks
    LZMAError, LZMAFile = EOFError, None  # type: ignore[assignment, misc]

BROKEN: Final = "the {} data is broken or cut short; copy or compress the file again"
CHUNK: Final = 1 << 20
ZSTD_CHUNK: Final = 1 << 12  # Zstandard can expand a chunk 30,000 times before we see its size, so its chunks are small
DOCUMENTS: Final = frozenset({"[Content_Types].xml", "mimetype"})  # in zip files that are spreadsheets
BAD_ZIP: Final = (EOFError, RuntimeError, ValueError, LZMAError, zipfile.BadZipFile, zlib.error)


class Compression(NamedTuple):
    """A way to compress a file: its first bytes, its content in chunks, and a stream that compresses into it."""

    magic: bytes
    chunks: Callable[[Any], Iterator[bytes]]
    stream: Callable[[BinaryIO], Any]


def find_compression(suffix: str, head: bytes) -> Compression | None:
    """Return the compression of a file, by its suffix or else by its first bytes."""
    by_content = (one for one in COMPRESSIONS.values() if head.startswith(one.magic))
    return COMPRESSIONS.get(suffix) or next(by_content, None)


def read_chunks(stream: Any) -> Iterator[bytes]:  # noqa: ANN401 - whatever has a read
    """Yield the bytes of an open file."""
    while chunk := stream.read(CHUNK):
        if isinstance(chunk, str):
            raise InputError("the file was opened as text; open it in binary mode, 'rb'")
        yield chunk


class Rewound:
    """An open file of which the first bytes were read, from its beginning."""

    def __init__(self, first: bytes, rest: BinaryIO) -> None:
        """Keep the first bytes."""
        self._first, self._rest = BytesIO(first), rest

    def read(self, size: int = CHUNK) -> bytes:
        """Return the next bytes."""
        return self._first.read(size) or self._rest.read(size)


def find_member(path: Path) -> str | None:
    """Return the name of the only file of data in a zip file; None if there is no such one."""
    if not path.is_file():  # a pipe is read once
        return None
    try:
        with zipfile.ZipFile(path) as file:
            names = _list_members(file)
    except (OSError, *BAD_ZIP):
        return None
    return names[0] if len(names) == 1 else None


def measure_zip(path: Path | BinaryIO) -> int:
    """Return how many bytes a zip file says to hold, and more is never read; 0 for any other file."""
    try:
        with zipfile.ZipFile(path) as file:
            return sum(info.file_size for info in file.infolist())
    except (OSError, *BAD_ZIP):
        return 0


def _list_members(file: zipfile.ZipFile) -> list[str]:
    """Return the files of data in a zip file; macOS adds others."""
    hidden = ("__MACOSX/", ".")
    return [name for name in file.namelist() if not name.endswith("/") and not name.startswith(hidden)]


def _unzip(file: Any) -> Iterator[bytes]:  # noqa: ANN401 - an open file that may not be able to seek
    whole = file if hasattr(file, "seek") and file.seekable() else _spool(file)
    try:
        with zipfile.ZipFile(whole) as archive:
            if DOCUMENTS & {*archive.namelist()}:
                whole.seek(0)
                yield from read_chunks(whole)
                return
            with archive.open(_choose_member(archive)) as member:
                yield from read_chunks(member)
    except InputError:
        raise
    except BAD_ZIP:
        raise InputError(BROKEN.format("zip")) from None


def _choose_member(archive: zipfile.ZipFile) -> str:
    names = _list_members(archive)
    if len(names) != 1:
        problem = f"the zip file holds {len(names)} files, and not one"
        raise InputError(f"{problem}; unpack it, and give the file that holds the rows")
    if archive.getinfo(names[0]).flag_bits & 1:
        raise InputError("the zip file is protected by a password; unpack it, and give the file in it")
    return names[0]


def _spool(file: BinaryIO) -> BytesIO:
    """Return a zip file from a pipe, which ends with the list of its files, in memory."""
    data, room = BytesIO(), resources.memory() // 2
    for chunk in read_chunks(file):
        if data.tell() + len(chunk) > room:
            raise InputError("the zip file is too large for a pipe; save it to a file, or unpack it")
        data.write(chunk)
    data.seek(0)
    return data


def _refuse_zip(file: BinaryIO) -> NoReturn:
    del file
    raise OutputError("zip files are read and not written; give a name that ends with .gz")


def _decompress(name: str, open_: Callable[[BinaryIO], Any], file: BinaryIO) -> Iterator[bytes]:
    try:
        with open_(file) as stream:
            yield from read_chunks(stream)
    except (EOFError, gzip.BadGzipFile, zlib.error, LZMAError):
        raise InputError(BROKEN.format(name)) from None


def _xz(file: BinaryIO, mode: str = "rb") -> Any:  # noqa: ANN401 - the stream of an optional library
    if LZMAFile is None:
        raise OptionError(".xz files need lzma, which this Python lacks: unpack the file, or compress it with gzip")
    return LZMAFile(file, mode)


def _unzstd(file: BinaryIO) -> Iterator[bytes]:
    library, in_python = _zstd_library()
    start = library.ZstdDecompressor if in_python else library.ZstdDecompressor().decompressobj
    frame = start()
    try:
        while data := file.read(ZSTD_CHUNK):
            while data:
                frame = start() if frame.eof else frame
                yield frame.decompress(data)
                data = frame.unused_data
    except library.ZstdError:
        raise InputError(BROKEN.format("zstd")) from None
    if not frame.eof:
        raise InputError(BROKEN.format("zstd"))


def _zstd(file: BinaryIO) -> Any:  # noqa: ANN401 - the stream of an optional library
    library, in_python = _zstd_library()
    return library.ZstdFile(file, "wb") if in_python else library.ZstdCompressor().stream_writer(file, closefd=False)


def _zstd_library() -> tuple[Any, bool]:
    """Return a Zstandard library, and whether it is Python's own (from 3.14)."""
    for name, in_python in (("compression.zstd", True), ("zstandard", False)):
        try:
            return import_module(name), in_python
        except ImportError:
            continue
    raise OptionError(".zst files need the package zstandard: install it, or compress the file with gzip or xz")


COMPRESSIONS: Final = {
    ".gz": Compression(
        b"\x1f\x8b",
        partial(_decompress, "gzip", lambda file: gzip.GzipFile(fileobj=file)),
        # Without name and time in its header, the same rows give the same bytes.
        lambda file: gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0),
    ),
    ".xz": Compression(b"\xfd7zXZ\0", partial(_decompress, "xz", _xz), partial(_xz, mode="wb")),
    ".zst": Compression(b"\x28\xb5\x2f\xfd", _unzstd, _zstd),
    ".zip": Compression(b"PK\x03\x04", _unzip, _refuse_zip),
}
"""The compressions, by suffix."""
