"""Verify: a release checked from its files alone, which come out of a zip safely."""

import os
from collections.abc import Mapping
from pathlib import Path
from shutil import copyfileobj
from stat import S_ISLNK
from tempfile import TemporaryDirectory
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import discreet
from discreet import InputError
from discreet.blocking.folder import NAMES
from discreet.report import MARK, printable
from discreet.web.context import Context

LARGEST: Final = 1 << 27  # the most bytes of a file; the verifier reads no larger one
MOST_BYTES: Final = 1 << 28
MOST_FILES: Final = 64
CHUNK: Final = 1 << 16
IGNORED: Final = ("__MACOSX", ".DS_Store", "desktop.ini", "Thumbs.db")  # files that file managers add
ENCRYPTED: Final = 0x1


def verify(
    context: Context,
    upload: Mapping[str, str] | None = None,
    files: Mapping[str, Mapping[str, str]] | None = None,
    *,
    fingerprint: str | None = None,
) -> dict[str, Any]:
    """Verify a release, from a zip or from its files by name; compare it with the publisher's fingerprint."""
    context.stage("unpacking")
    with TemporaryDirectory(dir=context.file("")) as name:
        folder = Path(name)
        if upload is not None:
            unpack(Path(upload["path"]), folder)
        else:
            _gather({name: Path(file["path"]) for name, file in (files or {}).items()}, folder)
        if not (folder / "release.json").is_file():
            raise InputError("there is no release.json in it; choose the folder or the zip of a release")
        context.stage("verifying")
        verification = discreet.verify(folder, fingerprint=fingerprint)
    faults, notes = (list(map(printable, texts)) for texts in (verification.faults, verification.notes))
    return {**verification.facts(), "faults": faults, "notes": notes, "text": str(verification)}


def unpack(path: Path, folder: Path) -> None:
    """Write the release in a zip to a folder: its known files alone, which are flat or in one folder.

    Links, encrypted entries, nested folders and unknown names are refused. Sizes are limited by the zip's own directory
    before anything is unpacked, and by the data while it is.
    """
    try:
        with ZipFile(path) as archive:
            for name, entry in _select(archive.infolist()).items():
                descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                # The stream ends at the size that was checked, and zipfile compares the data with its checksum.
                with archive.open(entry) as source, os.fdopen(descriptor, "wb") as file:
                    copyfileobj(source, file, CHUNK)
            if any(_split(entry)[-2:-1] == [MARK] for entry in archive.infolist()):
                (folder / MARK).mkdir(exist_ok=True)
    except (BadZipFile, NotImplementedError, EOFError, OSError, RuntimeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("this zip cannot be read; choose the zip of a release, or its folder") from None


def _gather(files: Mapping[str, Path], folder: Path) -> None:
    """Copy the files of a release, by name, to a folder; refuse unknown names."""
    for name, path in files.items():
        if name in IGNORED:
            continue
        if name not in NAMES - {MARK}:
            raise InputError("some files are no part of a release; choose the folder of a release alone")
        if path.stat().st_size > LARGEST:
            raise InputError(f"a file has more than {LARGEST >> 20} MiB, too many for a release")
        (folder / name).write_bytes(path.read_bytes())


def _select(entries: list[ZipInfo]) -> dict[str, ZipInfo]:
    """Return the entries of a release by name; refuse any other."""
    if len(entries) > MOST_FILES:
        raise InputError(f"the zip holds {len(entries):,} files, too many for a release; choose the zip of a release")
    selected: dict[str, ZipInfo] = {}
    folders: set[str] = set()
    for entry in entries:
        parts = _split(entry)
        if entry.is_dir() or any(part in IGNORED for part in parts):
            continue
        _check(entry)
        if MARK in parts[:-1]:
            continue
        if len(parts) > 2 or parts[-1] not in NAMES or parts[-1] in selected:  # noqa: PLR2004 - a folder, and a name
            raise InputError("the zip holds files that are no part of a release; choose the zip of a release alone")
        folders.add("/".join(parts[:-1]))
        selected[parts[-1]] = entry
    if len(folders) > 1:
        raise InputError("the zip holds several folders; choose the zip of one release")
    if sum(entry.file_size for entry in selected.values()) > MOST_BYTES:
        raise InputError(f"the zip holds more than {MOST_BYTES >> 20} MiB, too many for a release")
    return selected


def _split(entry: ZipInfo) -> list[str]:
    return [part for part in entry.filename.replace("\\", "/").split("/") if part]


def _check(entry: ZipInfo) -> None:
    """Refuse an entry that is not a plain file of limited size in a plain place."""
    name = entry.filename
    is_plain = not (name.startswith("/") or "\\" in name or ":" in name or ".." in name.split("/") or "\0" in name)
    is_file = not S_ISLNK(entry.external_attr >> 16) and not entry.flag_bits & ENCRYPTED
    if not (is_plain and is_file and entry.compress_type in {ZIP_STORED, ZIP_DEFLATED}):
        raise InputError("the zip holds a link, or is encrypted, or leads elsewhere; choose the zip of a release")
    if entry.file_size > LARGEST:
        raise InputError(f"the zip holds a file of more than {LARGEST >> 20} MiB, too many for a release")
