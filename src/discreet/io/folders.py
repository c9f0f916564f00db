"""Folders: written beside the target and moved into place as a whole; and files within them."""

import ctypes
import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, Final

from discreet.errors import OutputError
from discreet.io.files import aside, save
from discreet.io.text import as_record, encode_lines

SHARED, OWN = 0o777, 0o700
"""The modes of folders that anybody may enter, within the umask, and that only their owner may enter."""
HERE: Final = -100
"""AT_FDCWD of Linux: paths are relative to the current folder."""
EXCHANGE: Final = 2
"""RENAME_EXCHANGE of Linux, and RENAME_SWAP of macOS: two folders swap their names."""


def check_folder(place: Path, what: str, is_one: Callable[[Path], bool]) -> None:
    """Refuse a place that cannot be written, or holds anything but an older ``what``, which ``is_one`` recognizes."""
    if not place.name or "\0" in str(place):
        raise OutputError(f"no name of a folder is given; name a new folder for the {what}")
    with writable(place):
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            raise OutputError(f"{place} is no folder; name a new folder for the {what}")
        if place.is_dir() and any(place.iterdir()) and not is_one(place):
            raise OutputError(f"{place} holds something else than a {what}; name a new folder for the {what}")
        with aside(place) as part:
            part.mkdir(OWN)


@contextmanager
def folder_beside(place: Path, mode: int = SHARED) -> Iterator[Path]:
    """Make a folder beside ``place``; move it into place if all goes well, else leave all as it was.

    Until then only the owner can enter it. Its mode is ``mode``, limited by the umask and the folder that it replaces.
    """
    with writable(place), aside(place) as part:
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
    """Swap two folders in one step; return whether it worked."""
    if os.name != "posix":
        return False
    system, names = ctypes.CDLL(None), (os.fsencode(one), os.fsencode(other))
    if hasattr(system, "renameat2"):
        return bool(system.renameat2(HERE, names[0], HERE, names[1], EXCHANGE) == 0)
    return hasattr(system, "renamex_np") and bool(system.renamex_np(*names, EXCHANGE) == 0)


@contextmanager
def writable(place: Path) -> Iterator[None]:
    """Explain why a folder cannot be written."""
    try:
        yield
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        raise OutputError(
            f"{place} cannot be written ({error.strerror}); name a folder in one that you may write to"
        ) from None


def digest(path: Path) -> str:
    """Return the SHA-256 digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_csv(path: Path, head: list[str], lines: Iterable[Iterable[object]]) -> None:
    """Write a table with a header."""
    save(path, encode_lines(as_record(line) for line in chain([head], lines)))


def write_text(path: Path, lines: Iterable[str], *, private: bool = False) -> None:
    """Write lines of text."""
    save(path, [f"{line}\n".encode() for line in lines], private=private)


def as_json(document: dict[str, Any]) -> str:
    """Return JSON with one line for each entry, and for each entry of a list."""
    lists = {name: value for name, value in document.items() if isinstance(value, list)}
    text = json.dumps(
        {name: value for name, value in document.items() if name not in lists}, indent=2, ensure_ascii=False
    )
    for name, entries in lists.items():
        lines = ",".join(f"\n    {json.dumps(entry, ensure_ascii=False)}" for entry in entries)
        text = f'{text[:-2]},\n  "{name}": [{lines}\n  ]\n}}'
    return text
