"""Files and folders: bytes in, bounded by memory; bytes out, written beside the target and moved into place."""

import atexit
import ctypes
import hashlib
import os
import re
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial, reduce
from io import BytesIO
from itertools import chain
from operator import and_
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

from discreet.errors import DiscreetError, InputError, OptionError, OutputError, UnclearError
from discreet.io.compression import COMPRESSIONS, Rewound, find_compression, find_member, measure_zip, read_chunks
from discreet.io.natives import is_frame
from discreet.runtime import resources
from discreet.runtime.parquet_footer import MAGIC, measure_groups

FilePath: TypeAlias = str | os.PathLike[str]
Place: TypeAlias = FilePath | BinaryIO  # a path, "-" for a standard stream, or an open binary file
Bytes: TypeAlias = bytes | bytearray
URL: Final = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<rest>.*)", re.DOTALL)
PASSWORD: Final = re.compile(r"passw(?:or)?d\s*=", re.IGNORECASE)  # part of an address of libpq that is no URL
MARK: Final = "DO-NOT-RELEASE"
"""In the name of every file and folder that is for the owner of the rows alone."""
PUBLIC, PRIVATE = 0o666, 0o600  # files: for everybody within the umask, for their owner alone
SHARED, OWN = 0o777, 0o700  # folders: for everybody within the umask, for their owner alone
HERE: Final = -100  # AT_FDCWD of Linux: paths are relative to the current folder
EXCHANGE: Final = 2  # RENAME_EXCHANGE of Linux, and RENAME_SWAP of macOS: two folders swap their names
EMPTY: Final = "the file is empty; an export has probably failed: write it again"


def is_place(source: object) -> bool:
    """Return whether ``source`` is a path or an open file, rather than rows."""
    return isinstance(source, str | os.PathLike) or (hasattr(source, "read") and not is_frame(source))


def is_url(source: object) -> bool:
    r"""Return whether ``source`` is the address of a database, or any other address that is no file.

    >>> is_url("sqlite:///clinic.db"), is_url("host=clinic password=x"), is_url("clinic.csv"), is_url("C:\\clinic.csv")
    (True, True, False, False)
    """
    return isinstance(source, str) and (URL.fullmatch(source) or PASSWORD.search(source)) is not None


def as_path(place: Place) -> Path | None:
    """Return the path of ``place``; None for a standard stream or an open file."""
    return Path(place) if isinstance(place, str | os.PathLike) and place != "-" else None


def name_of(place: Place) -> str:
    """Return the name of ``place`` for messages; a URL may hold a password and is never shown."""
    if is_url(place):
        return "the URL"
    if place == "-":
        return "standard input"
    return os.fspath(place) if isinstance(place, str | os.PathLike) else "the open file"


def suffix_of(place: Place) -> str:
    """Return the suffix of ``place`` in lower case, without that of its compression; in a zip file, that of its member.

    >>> suffix_of("data/retail.dat.xz"), suffix_of("rows.CSV"), suffix_of("-")
    ('.dat', '.csv', '')
    """
    if not isinstance(place, str | os.PathLike):
        return ""
    path = Path(place)
    if path.suffix.lower() not in COMPRESSIONS:
        return path.suffix.lower()
    member = find_member(path) if path.suffix.lower() == ".zip" else None
    return (path.with_suffix("") if member is None else Path(member)).suffix.lower()


def check_there(place: Place) -> None:
    """Refuse a path that leads to no file."""
    if is_url(place):
        raise OptionError("a URL is for rows in a database, which read, scan and write know; give a file")
    if place == "-" or not isinstance(place, str | os.PathLike):
        return
    with readable():
        if stat.S_ISDIR(Path(place).stat().st_mode):
            raise IsADirectoryError


def load(place: Place, memory: int | None = None) -> Bytes:
    """Return all bytes of ``place``, unpacked, up to ``memory`` bytes (by default half of the machine's), not empty."""
    with _open(place) as (chunks, file):
        if file is not None:
            resources.check_room(os.fstat(file.fileno()).st_size, memory)
            file.seek(0, os.SEEK_END)  # forget what was peeked at: to join it with the rest is a copy
            file.seek(0)
        data: Bytes = bytearray() if file is None else file.read()
        for chunk in chunks:  # none are left of a plain file
            data += chunk
            resources.check_room(len(data), memory)
    if not data:
        raise InputError(EMPTY)
    if data[:4] == data[-4:] == MAGIC:
        for size in measure_groups(data):
            resources.check_room(size, memory)
    return data


def stream(place: Place) -> Iterator[bytes]:
    """Yield the bytes of ``place`` as they come, decompressed."""
    with _open(place) as (chunks, _):
        yield from chunks


def check_unpacked(path: Path, most: int) -> None:
    r"""Refuse a packed file or a spreadsheet that unpacks to more than ``most`` bytes; no more of it is unpacked.

    >>> import gzip
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "rows.csv.gz")
    ...     _ = path.write_bytes(gzip.compress(b"a,b\n" * 1024))
    ...     check_unpacked(path, 4096)
    """
    unpacked = BytesIO()  # which may be packed again, as spreadsheets are
    with readable(), _open(path) as (chunks, file):
        with suppress(InputError):  # of a zip file with several files, as releases are, each is unpacked by itself
            for chunk in chunks if file is None else ():
                unpacked.write(chunk)
                if unpacked.tell() > most:
                    break
        data = unpacked.getvalue() if file is None or file.read(len(MAGIC)) != MAGIC else path.read_bytes()
        sizes = measure_groups(data) if data[:4] == data[-4:] == MAGIC else iter(())
        if max(unpacked.tell(), measure_zip(path), measure_zip(unpacked)) > most or any(size > most for size in sizes):
            problem = f"the file unpacks to more than {resources.size(most)}, the limit here"
            raise InputError(f"{problem}; unpack it, or save its table as CSV, and give that")


def save(place: Place, chunks: Iterable[Bytes], *, sources: Iterable[Place | None] = (), private: bool = False) -> None:
    """Write ``chunks`` to ``place``: all of them, or the file stays as it was.

    Only those who may read all ``sources`` may read it; only its owner, if ``private`` or marked DO-NOT-RELEASE.
    """
    place = sys.stdout.buffer if place == "-" else place
    if not isinstance(place, str | os.PathLike):
        place.writelines(chunks)
        place.flush()
        return
    path = Path(place)
    modes = (_mode(source) for source in sources if source is not None)
    mode = PRIVATE if private else reduce(and_, modes, PUBLIC)
    compression = COMPRESSIONS.get(path.suffix.lower())
    compress: Callable[[BinaryIO], Any] = nullcontext if compression is None else compression.stream
    with beside(path, mode) as file, compress(file) as out:
        for chunk in chunks:
            out.write(chunk)
            del chunk  # before the next one is made


@contextmanager
def _open(place: Place) -> Iterator[tuple[Iterator[bytes], BinaryIO | None]]:
    """Yield the chunks of ``place``, decompressed; and the file itself if it is a plain one."""
    place = sys.stdin.buffer if place == "-" else place
    if not isinstance(place, str | os.PathLike):
        chunks = read_chunks(place)
        first = next(chunks, b"")
        compression = find_compression("", first)
        yield chain([first], chunks) if compression is None else compression.chunks(Rewound(first, place)), None
        return
    with readable(), Path(place).open("rb") as file:
        compression = find_compression(Path(place).suffix.lower(), file.peek())
        is_plain = compression is None and stat.S_ISREG(os.fstat(file.fileno()).st_mode)
        yield read_chunks(file) if compression is None else compression.chunks(file), file if is_plain else None


@contextmanager
def naming(place: Place) -> Iterator[None]:
    """Put the name of ``place`` before an error."""
    try:
        yield
    except UnclearError as error:
        raise UnclearError(f"{name_of(place)}: {error.reason}", error.choices) from None
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


def _mode(source: Place) -> int:
    """Return the mode of a file, or what those in a folder of Parquet share; pipes and databases are private."""
    try:
        path = Path(source) if isinstance(source, str | os.PathLike) else None
        parts = path.rglob("*.parquet") if path is not None and path.is_dir() else []
        return PRIVATE if path is None else reduce(and_, (stat.S_IMODE(one.stat().st_mode) for one in [path, *parts]))
    except (OSError, ValueError):
        return PRIVATE


@contextmanager
def beside(path: Path, mode: int = PUBLIC) -> Iterator[BinaryIO]:
    """Open a new file beside ``path``; move it into place if all goes well. An older file and a mark limit its mode."""
    with _writing(path, "give a file in a folder where you may write"):
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


@contextmanager
def aside(place: Path) -> Iterator[Path]:
    """Yield a new name beside ``place``; remove the file or folder of that name at the end, or at exit."""
    part = place.parent / f".{os.urandom(8).hex()}.part"

    def remove() -> None:
        with suppress(OSError):
            part.unlink()
        shutil.rmtree(part, ignore_errors=True)

    atexit.register(remove)
    try:
        yield part
    finally:
        remove()
        atexit.unregister(remove)


def check_folder(place: Path, what: str, is_one: Callable[[Path], bool]) -> None:
    """Refuse a place that cannot be written, or holds anything but an older ``what``, which ``is_one`` recognizes."""
    if not place.name or "\0" in str(place):
        raise OutputError(f"no name of a folder is given; name a new folder for the {what}")
    with _writing(place):
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            raise OutputError(f"{place} is no folder; name a new folder for the {what}")
        if place.is_dir() and any(place.iterdir()) and not is_one(place):
            raise OutputError(f"{place} holds something else than a {what}; name a new folder for the {what}")
        with aside(place) as part:
            part.mkdir(OWN)


@contextmanager
def folder_beside(place: Path, mode: int = SHARED) -> Iterator[Path]:
    """Make a folder beside ``place``, for its owner alone; if all goes well, give it ``mode`` and move it there."""
    with _writing(place), aside(place) as part:
        part.mkdir(OWN)
        new = part / "new"
        new.mkdir(mode & (stat.S_IMODE(place.stat().st_mode) | OWN if place.is_dir() else SHARED))
        try:
            yield new
        except OutputError as error:
            raise OutputError(str(error).replace(str(new), str(place))) from None
        _replace(place, new)


def _replace(place: Path, new: Path) -> None:
    """Move a folder into place; swap it with an older one in one step if the file system can."""
    if not place.is_dir():
        new.rename(place)
    elif not _exchange(place, new):
        old = new.with_name("old")
        try:
            place.rename(old)
            new.rename(place)
        finally:
            if old.is_dir() and not place.exists():
                old.rename(place)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two folders in one step, and return whether it worked."""
    if os.name != "posix":
        return False
    system, names = ctypes.CDLL(None), (os.fsencode(one), os.fsencode(other))
    if hasattr(system, "renameat2"):
        return bool(system.renameat2(HERE, names[0], HERE, names[1], EXCHANGE) == 0)
    return hasattr(system, "renamex_np") and bool(system.renamex_np(*names, EXCHANGE) == 0)


@contextmanager
def _writing(place: Path, advice: str = "name a folder in one that you may write to") -> Iterator[None]:
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(f"{place} cannot be written ({error.strerror}); {advice}") from None


def digest(path: Path) -> str:
    """Return the SHA-256 digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
