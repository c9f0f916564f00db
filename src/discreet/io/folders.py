"""Folders: written beside and moved into place, all of one or nothing; and the private one that stands inside."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from discreet.errors import OutputError
from discreet.io.coding import blocks
from discreet.io.csv import line
from discreet.io.files import save

MARK: Final = "DO-NOT-RELEASE"
"""What the name of a file or folder must say that is for the owner of the rows alone."""


def check_folder(place: Path, what: str, is_one: Callable[[Path], bool]) -> None:
    """Refuse a place for ``what`` that cannot be written, or holds anything else; an older one ``is_one`` knows."""
    if not place.name or "\0" in str(place):
        raise OutputError(f"no name of a folder is given; name a new folder for the {what}")
    with writable(place):
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            raise OutputError(f"{place} is no folder; name a new folder for the {what}")
        if place.is_dir() and any(place.iterdir()) and not is_one(place):
            raise OutputError(f"{place} holds something else than a {what}; name a new folder for the {what}")
        with TemporaryDirectory(dir=place.parent, prefix=".discreet-"):
            pass


@contextmanager
def folder_beside(place: Path) -> Iterator[Path]:
    """Make a folder beside ``place``; move it into place when all went well, else leave all as it was."""
    beside, old = (place.parent / f".{os.urandom(8).hex()}.{word}" for word in ("part", "old"))
    with writable(place):
        try:
            beside.mkdir()
            yield beside
            if place.is_dir():
                place.rename(old)
            beside.rename(place)
        except OutputError as error:
            raise OutputError(str(error).replace(str(beside), str(place))) from None
        finally:
            if old.is_dir() and not place.exists():
                old.rename(place)
            for left in (beside, old):
                shutil.rmtree(left, ignore_errors=True)


@contextmanager
def writable(place: Path) -> Iterator[None]:
    """Say in a sentence why a folder cannot be written."""
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


def write_csv(path: Path, head: list[str], lines: Iterable[list[object]]) -> None:
    """Write a table with a head."""
    save(path, chain(blocks([line(head)]), blocks(map(line, lines))))


def write_text(path: Path, lines: Iterable[str]) -> None:
    """Write lines of text."""
    save(path, [f"{line}\n".encode() for line in lines])


def as_json(told: dict[str, Any]) -> str:
    """Return JSON with a line for each entry, and for each entry of a list."""
    lists = {name: value for name, value in told.items() if isinstance(value, list)}
    text = json.dumps({name: value for name, value in told.items() if name not in lists}, indent=2, ensure_ascii=False)
    for name, entries in lists.items():
        lines = ",".join(f"\n    {json.dumps(entry, ensure_ascii=False)}" for entry in entries)
        text = f'{text[:-2]},\n  "{name}": [{lines}\n  ]\n}}'
    return text
