"""Archives: files put into a zip, the same bytes for the same files; and a release taken out of one, safely."""

import os
from collections.abc import Iterable
from pathlib import Path
from shutil import copyfileobj
from stat import S_ISLNK
from typing import Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from discreet import InputError
from discreet.blocking.release.folder import NAMES
from discreet.report import MARK

DATE: Final = (1980, 1, 1, 0, 0, 0)
"""The time of change of every file in a zip of ours: the first that a zip can tell."""
LARGEST: Final = 1 << 27
"""Bytes of a file of a release; the verifier reads no larger one."""
MOST_BYTES: Final = 1 << 28
MOST_FILES: Final = 64
CHUNK: Final = 1 << 16
IGNORED: Final = ("__MACOSX", ".DS_Store", "desktop.ini", "Thumbs.db")
"""What file managers add of their own accord."""
ENCRYPTED: Final = 0x1


def pack(path: Path, folder: str, files: Iterable[Path]) -> None:
    """Write files to a zip, in a folder of it."""
    with ZipFile(path, "x", ZIP_DEFLATED) as archive:
        for file in files:
            entry = ZipInfo(f"{folder}/{file.name}", DATE)
            entry.compress_type = ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, file.read_bytes())


def unpack(path: Path, place: Path) -> None:
    """Write the release that is in a zip to the folder ``place``: its known files alone, flat or in one folder.

    Links, what is encrypted, folders in folders and unknown names are refused. Sizes are bounded by what the zip
    says before anything is unpacked, and by what comes out while it is.
    """
    try:
        with ZipFile(path) as archive:
            entries = _release(archive.infolist())
            for name, entry in entries.items():
                _copy(archive, entry, place / name)
            if any(_parts(entry)[-2:-1] == [MARK] for entry in archive.infolist()):
                (place / MARK).mkdir(exist_ok=True)
    except (BadZipFile, NotImplementedError, EOFError, OSError, RuntimeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("this is no zip that can be read; choose the zip of a release, or its folder") from None


def gather(files: dict[str, Path], place: Path) -> None:
    """Copy the files of a release, by their names, to the folder ``place``; unknown names are refused."""
    for name, path in files.items():
        if name in IGNORED:
            continue
        if name not in NAMES - {MARK}:
            raise InputError("there are files that are no part of a release; choose the folder of a release alone")
        if path.stat().st_size > LARGEST:
            raise InputError(f"a file has more than {LARGEST >> 20} MiB, too many for a release")
        (place / name).write_bytes(path.read_bytes())


def _release(entries: list[ZipInfo]) -> dict[str, ZipInfo]:
    """Return the entries of a release by their names; refuse what else there is."""
    if len(entries) > MOST_FILES:
        raise InputError(f"the zip holds {len(entries):,} files, too many for a release; choose the zip of a release")
    kept: dict[str, ZipInfo] = {}
    folders: set[str] = set()
    for entry in entries:
        parts = _parts(entry)
        if entry.is_dir() or any(part in IGNORED for part in parts):
            continue
        _check(entry)
        if MARK in parts[:-1]:
            continue
        if len(parts) > 2 or parts[-1] not in NAMES or parts[-1] in kept:  # noqa: PLR2004 - a folder, and a name
            raise InputError("the zip holds files that are no part of a release; choose the zip of a release alone")
        folders.add("/".join(parts[:-1]))
        kept[parts[-1]] = entry
    if len(folders) > 1:
        raise InputError("the zip holds several folders; choose the zip of one release")
    if sum(entry.file_size for entry in kept.values()) > MOST_BYTES:
        raise InputError(f"the zip holds more than {MOST_BYTES >> 20} MiB, too many for a release")
    return kept


def _parts(entry: ZipInfo) -> list[str]:
    return [part for part in entry.filename.replace("\\", "/").split("/") if part]


def _check(entry: ZipInfo) -> None:
    """Refuse an entry that is more than a plain file of bounded size in a plain place."""
    name = entry.filename
    is_plain = not (name.startswith("/") or "\\" in name or ":" in name or ".." in name.split("/") or "\0" in name)
    is_file = not S_ISLNK(entry.external_attr >> 16) and not entry.flag_bits & ENCRYPTED
    if not (is_plain and is_file and entry.compress_type in {ZIP_STORED, ZIP_DEFLATED}):
        raise InputError("the zip holds a link, or what is encrypted or leads elsewhere; choose the zip of a release")
    if entry.file_size > LARGEST:
        raise InputError(f"the zip holds a file of more than {LARGEST >> 20} MiB, too many for a release")


def _copy(archive: ZipFile, entry: ZipInfo, target: Path) -> None:
    """Write an entry to a file; what is more, less or other than the zip says is refused while it comes out."""
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    # The stream ends at the size that was checked, and what came out is held against its checksum.
    with archive.open(entry) as source, os.fdopen(descriptor, "wb") as file:
        copyfileobj(source, file, CHUNK)
