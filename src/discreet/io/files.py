"""Files: bytes in, bounded by memory; bytes out, written beside the target and moved into place."""

import atexit
import gzip
import lzma
import os
import re
import shutil
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial, reduce
from importlib import import_module
from operator import and_
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

from discreet.errors import BudgetError, DiscreetError, InputError, Option, OptionError, OutputError
from discreet.runtime import resources
from discreet.runtime.parquet_footer import MAGIC, measure_groups

Place: TypeAlias = str | os.PathLike[str] | BinaryIO
"""A path, ``"-"`` for standard input or output, or a file that was opened in binary mode."""

Data: TypeAlias = bytes | bytearray

URL: Final = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<rest>.*)", re.DOTALL)
PASSWORD: Final = re.compile(r"passw(?:or)?d\s*=", re.IGNORECASE)
"""Part of an address of libpq that is no URL."""

MARK: Final = "DO-NOT-RELEASE"
"""In the name of every file and folder that is for the owner of the rows alone."""
PUBLIC, PRIVATE = 0o666, 0o600
"""The modes of files that anybody may read, within the umask, and that only their owner may read."""

EMPTY: Final = "the file is empty; an export has probably failed: write it again"

CHUNK: Final = 1 << 20
ZSTD_CHUNK: Final = 1 << 12
"""Zstandard can expand a chunk 30,000 times before we see its size, so its chunks are small."""


@dataclass(frozen=True)
class Compression:
    """A way to compress a file: its content in chunks, and a stream that compresses into it."""

    chunks: Callable[[BinaryIO], Iterator[bytes]]
    stream: Callable[[BinaryIO], Any]


def is_place(source: object) -> bool:
    """Return whether ``source`` is a path or an open file, rather than rows."""
    return isinstance(source, str | os.PathLike) or hasattr(source, "read")


def is_url(source: object) -> bool:
    r"""Return whether ``source`` is the address of a database, or any other address that is no file.

    >>> is_url("sqlite:///clinic.db"), is_url("host=clinic password=x"), is_url("clinic.csv"), is_url("C:\\clinic.csv")
    (True, True, False, False)
    """
    return isinstance(source, str) and (URL.fullmatch(source) or PASSWORD.search(source)) is not None


def name_of(place: Place) -> str:
    """Return the name of ``place`` for messages; a URL may hold a password and is never shown."""
    if is_url(place):
        return "the URL"
    if place == "-":
        return "standard input"
    return os.fspath(place) if isinstance(place, str | os.PathLike) else "the open file"


def suffix_of(place: Place) -> str:
    """Return the suffix of ``place`` in lower case, without that of its compression.

    >>> suffix_of("data/retail.dat.xz"), suffix_of("rows.CSV"), suffix_of("-")
    ('.dat', '.csv', '')
    """
    if not isinstance(place, str | os.PathLike):
        return ""
    path = Path(place)
    return (path.with_suffix("") if path.suffix.lower() in COMPRESSIONS else path).suffix.lower()


def check_there(place: Place) -> None:
    """Refuse a path that leads to no file."""
    if is_url(place):
        raise OptionError("a URL is for rows in a database, which read, scan and write know; give a file")
    if place == "-" or not isinstance(place, str | os.PathLike):
        return
    with readable():
        if stat.S_ISDIR(Path(place).stat().st_mode):
            raise IsADirectoryError


def load(place: Place, memory: int | None = None) -> Data:
    """Return all bytes of ``place``, decompressed; refuse an empty file.

    They, and the unpacked columns of a Parquet file, may take ``memory`` bytes, by default half of the machine's.
    """
    data = _load(place, memory)
    if not data:
        raise InputError(EMPTY)
    if data[:4] == data[-4:] == MAGIC:
        for size in measure_groups(data):
            _check_room(size, memory)
    return data


def stream(place: Place) -> Iterator[bytes]:
    """Yield the bytes of ``place`` as they come, decompressed."""
    with _open(place) as (chunks, _):
        yield from chunks


def save(place: Place, chunks: Iterable[Data], *, sources: Iterable[Place | None] = (), private: bool = False) -> None:
    """Write ``chunks`` to ``place``: all of them, or the file stays as it was.

    Only those who may read all ``sources`` may read it. If it is ``private``, or its path says DO-NOT-RELEASE, only its
    owner may.
    """
    if place == "-":
        place = sys.stdout.buffer
    if not isinstance(place, str | os.PathLike):
        place.writelines(chunks)
        place.flush()
        return
    path = Path(place)
    compression = COMPRESSIONS.get(path.suffix.lower())
    with beside(path, PRIVATE if private else mode_of(sources)) as file:
        if compression is None:
            file.writelines(chunks)
        else:
            with compression.stream(file) as stream:
                for chunk in chunks:
                    stream.write(chunk)


def _load(place: Place, memory: int | None) -> Data:
    with _open(place) as (chunks, file):
        if file is not None:
            _check_room(os.fstat(file.fileno()).st_size, memory)
            return file.read()
        data = bytearray()
        for chunk in chunks:
            data += chunk
            _check_room(len(data), memory)
        return data


@contextmanager
def _open(place: Place) -> Iterator[tuple[Iterator[bytes], BinaryIO | None]]:
    """Yield the chunks of ``place``, decompressed; and the file itself if it is a plain one."""
    if place == "-":
        place = sys.stdin.buffer
    if not isinstance(place, str | os.PathLike):
        yield _chunks(place), None
        return
    path = Path(place)
    compression = COMPRESSIONS.get(path.suffix.lower())
    with readable(), path.open("rb") as file:
        is_plain = compression is None and stat.S_ISREG(os.fstat(file.fileno()).st_mode)
        yield _chunks(file) if compression is None else compression.chunks(file), file if is_plain else None


@contextmanager
def naming(place: Place) -> Iterator[None]:
    """Put the name of ``place`` before an error."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{name_of(place)}: ", error.message) from None


@contextmanager
def readable() -> Iterator[None]:
    """Explain why a file cannot be read."""
    try:
        yield
    except FileNotFoundError:
        raise InputError("there is no such file; check its name") from None
    except IsADirectoryError:
        raise InputError("this is a directory; give a file in it") from None
    except OSError as error:
        raise InputError(f"the file cannot be read ({error.strerror}); check its name and who may read it") from None
    except ValueError as error:
        if isinstance(error, DiscreetError):
            raise
        raise InputError("the file cannot be read (its name is no file name); check its name") from None


def _check_room(size: int, memory: int | None) -> None:
    """Refuse more bytes than ``memory``, by default half of the machine's: the rows need the other half."""
    if memory is not None:
        if size > memory:
            raise BudgetError(
                f"the file holds more than the {resources.size(memory)} that ", Option("memory"), " allows: raise it"
            )
        return
    room = resources.memory() // 2
    if size > room:
        raise InputError(
            f"the file holds more than {room / 2**30:.1f} GiB, half of this machine's memory; "
            "split it, or read it on a larger machine"
        )


def _chunks(stream: Any) -> Iterator[bytes]:  # noqa: ANN401 - whatever has a read
    while chunk := stream.read(CHUNK):
        if isinstance(chunk, str):
            raise InputError("the file was opened as text; open it in binary mode, 'rb'")
        yield chunk


def mode_of(sources: Iterable[Place | None]) -> int:
    """Return the widest mode of a file made from ``sources``; a pipe, a database or memory has no readers."""
    return reduce(and_, (_mode(source) for source in sources if source is not None), PUBLIC)


def _mode(source: Place) -> int:
    try:
        return stat.S_IMODE(Path(source).stat().st_mode) if isinstance(source, str | os.PathLike) else PRIVATE
    except (OSError, ValueError):
        return PRIVATE


@contextmanager
def beside(path: Path, mode: int = PUBLIC) -> Iterator[BinaryIO]:
    """Open a new file beside ``path``; move it into place if all goes well, else remove it.

    Its mode is ``mode``, limited by the umask, the mark, and the file that it replaces.
    """
    try:
        if path.is_dir():
            raise OutputError(f"{path} is a directory; give the name of a file")
        if "\0" in path.name or (path.exists() and not path.is_file()):
            raise OutputError(f"{path} is no plain file; give the name of a file, or '-' for standard output")
        mode &= _mode(path) if path.exists() else PUBLIC
        mode &= PRIVATE if MARK in str(path) else PUBLIC
        with aside(path) as part:
            with open(part, "xb", opener=partial(os.open, mode=mode)) as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        raise OutputError(
            f"{path} cannot be written ({error.strerror}); give a file in a folder where you may write"
        ) from None


@contextmanager
def aside(place: Path) -> Iterator[Path]:
    """Yield a new name beside ``place``; remove the file or folder of that name at the end, or at exit."""
    part = place.parent / f".{os.urandom(8).hex()}.part"
    remove = partial(_remove, part)
    atexit.register(remove)
    try:
        yield part
    finally:
        remove()
        atexit.unregister(remove)


def _remove(part: Path) -> None:
    """Remove a file or folder, if it is there."""
    with suppress(OSError):
        part.unlink()
    shutil.rmtree(part, ignore_errors=True)


def _broken(name: str) -> InputError:
    return InputError(f"the {name} data is broken or cut short; copy or compress the file again")


def _decompress(
    name: str, open_: Callable[[BinaryIO], BinaryIO | gzip.GzipFile | lzma.LZMAFile], file: BinaryIO
) -> Iterator[bytes]:
    try:
        with open_(file) as stream:
            yield from _chunks(stream)
    except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError):
        raise _broken(name) from None


def _gunzip(file: BinaryIO) -> gzip.GzipFile:
    return gzip.GzipFile(fileobj=file)


def _gzip(file: BinaryIO) -> gzip.GzipFile:
    # Without name and time in its header, the same rows give the same bytes.
    return gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)


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
        raise _broken("zstd") from None
    if not frame.eof:
        raise _broken("zstd")


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
    ".gz": Compression(partial(_decompress, "gzip", _gunzip), _gzip),
    ".xz": Compression(partial(_decompress, "xz", lzma.LZMAFile), partial(lzma.LZMAFile, mode="wb")),
    ".zst": Compression(_unzstd, _zstd),
}
