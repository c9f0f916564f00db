"""Releases: what an upload of one holds; its files come out of a zip safely."""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from shutil import copyfileobj
from stat import S_ISLNK
from typing import Any, Final, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import discreet
from discreet import Counts, DiscreetError, InputError, Patterns, Transactions
from discreet.blocking.beside import Older, hash_patterns, read_older
from discreet.blocking.folder import NAMES
from discreet.blocking.tables.folder import COUNTS, is_tables
from discreet.data.generate import clinic
from discreet.io.contents import look_into
from discreet.io.files import digest
from discreet.io.formats.counts.stated import decode
from discreet.io.read_counts import holds_counts
from discreet.io.write_counts import TABLE
from discreet.report import MARK, Source
from discreet.web.messages import say_on_page
from discreet.web.readers import NAMES as NAMES_FOR_READERS
from discreet.web.samples import CLINIC_ROWS, SEED

STORY: Final = {"this-year": CLINIC_ROWS, "last-year": 1_900}
"""Releases of an invented clinic, and how many of its patients had come by then."""
LARGEST: Final = 1 << 27  # the most bytes of a file; the verifier reads no larger one
MOST_BYTES: Final = 1 << 28
MOST_FILES: Final = 64
CHUNK: Final = 1 << 16
IGNORED: Final = ("__MACOSX", ".DS_Store", "desktop.ini", "Thumbs.db")  # files that file managers add
KNOWN: Final = NAMES - {MARK} | {COUNTS, TABLE}
TABLES: Final = re.compile(r"[\w .()-]+\.csv")  # several tables have names of their own
READERS: Final = "readers"  # the folder beside a release with the same numbers in other formats
ENCRYPTED: Final = 0x1


class Published(NamedTuple):
    """A release: its patterns or tables, its file with a digest, and whether they count rows as they are."""

    candidate: Patterns | Counts
    source: Source
    is_exact: bool = True

    @property
    def older(self) -> Older:
        """The release as an older one, beside which another is made."""
        if not isinstance(self.candidate, Patterns):
            raise InputError(
                f"{self.source.file} has tables of counts, and rows are made safe beside lists of patterns"
            )
        return Older(self.candidate, self.source.sha256, self.is_exact)


def read_release(given: Mapping[str, Any], folder: Path) -> Published:
    """Return a release of the story, or that of a folder, a zip or a file of patterns or tables."""
    if "story" in given:
        rows = Transactions(list(clinic(CLINIC_ROWS, seed=SEED))[: STORY[given["story"]]])
        patterns = discreet.block(rows, min_support="5%", k=10, method="withhold").patterns
        return Published(patterns, Source(given["story"], hash_patterns(patterns)))
    name = given.get("file", "the folder")
    names = {
        f"{place}{after}": it for place in (given.get("path", folder), folder) for after, it in ((": ", ""), ("", "it"))
    }
    try:
        return _read_place(open_release(given, folder), name)
    except DiscreetError as error:
        raise InputError(f"{name}: ", say_on_page(error.message, names)) from None


def _read_place(place: Path, name: str) -> Published:
    if is_tables(place):
        verification = discreet.verify(place)
        if not verification.is_good:
            raise InputError(f"it is no good release: {verification.faults[0]}")
        return Published(decode((place / COUNTS).read_text("utf-8")), Source(name, verification.digest))
    if place.is_file() and holds_counts(place):
        return Published(discreet.read_counts(place), Source(name, digest(place)))
    if place.is_file() and not look_into(place).is_patterns:
        raise InputError("it lists no patterns and has no tables of counts; choose a release, or what was published")
    older = read_older(place)
    return Published(older.patterns, Source(name, older.sha256), older.is_exact)


def open_release(release: Mapping[str, Any], folder: Path) -> Path:
    """Return the folder of a release, from its zip or its files; or the path of a file that is no zip."""
    if "path" in release and Path(release["path"]).suffix != ".zip":
        return Path(release["path"])
    lay_out(release, folder)
    return folder


def lay_out(release: Mapping[str, Any], folder: Path) -> dict[str, Path]:
    """Write a release to a new folder, from its zip or its files; return the files for readers, in a folder beside."""
    folder.mkdir()
    if "path" in release:
        readers = unpack(Path(release["path"]), folder)
    else:
        readers = _gather({name: Path(file["path"]) for name, file in release["files"].items()}, folder)
    if not (folder / "release.json").is_file():
        raise InputError("there is no release.json in it; choose the folder or the zip of a release")
    return readers


def unpack(path: Path, folder: Path) -> dict[str, Path]:
    """Write the release in a zip to a folder: its known files alone, which are flat or in one folder.

    Files for readers, in a folder beside it, are written to one beside the folder, and returned by name. Links,
    encrypted entries, nested folders and unknown names are refused. Sizes are limited by the zip's own directory before
    anything is unpacked, and by the data while it is.
    """
    try:
        with ZipFile(path) as archive:
            selected, readers = _select(archive.infolist())
            written = _place_readers(readers, folder)
            for place, entry in (
                *((folder / name, entry) for name, entry in selected.items()),
                *((written[name], entry) for name, entry in readers.items()),
            ):
                descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                # The stream ends at the size that was checked, and zipfile compares the data with its checksum.
                with archive.open(entry) as source, os.fdopen(descriptor, "wb") as file:
                    copyfileobj(source, file, CHUNK)
            if any(_split(entry)[-2:-1] == [MARK] for entry in archive.infolist()):
                (folder / MARK).mkdir(exist_ok=True)
    except (BadZipFile, NotImplementedError, EOFError, OSError, RuntimeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("this zip cannot be read; choose the zip of a release, or its folder") from None
    return written


def _place_readers(names: Iterable[str], folder: Path) -> dict[str, Path]:
    """Return where files for readers are written, in a new folder beside that of the release."""
    place = folder.with_name(f"{folder.name}-{READERS}")
    place.mkdir()
    return {name: place / name for name in names}


def _gather(files: Mapping[str, Path], folder: Path) -> dict[str, Path]:
    """Copy the files of a release, by name, to a folder; refuse unknown names; return the files for readers."""
    readers = {name: files[f"{READERS}/{name}"] for name in NAMES_FOR_READERS if f"{READERS}/{name}" in files}
    for name, path in files.items():
        if name in IGNORED or name in {f"{READERS}/{reader}" for reader in readers}:
            continue
        if not _is_known(name, files):
            raise InputError("some files are no part of a release; choose the folder of a release alone")
        if path.stat().st_size > LARGEST:
            raise InputError(f"a file has more than {LARGEST >> 20} MiB, too many for a release")
        (folder / name).write_bytes(path.read_bytes())
    return readers


def _is_known(name: str, names: Iterable[str]) -> bool:
    """Return whether a file may be part of a release with these names."""
    return name in KNOWN or (COUNTS in names and TABLES.fullmatch(name) is not None)


def _select(entries: list[ZipInfo]) -> tuple[dict[str, ZipInfo], dict[str, ZipInfo]]:
    """Return the entries of a release by name, and those of files for readers; refuse any other."""
    if len(entries) > MOST_FILES:
        raise InputError(f"the zip holds {len(entries):,} files, too many for a release; choose the zip of a release")
    selected: dict[str, ZipInfo] = {}
    readers: dict[str, ZipInfo] = {}
    folders, names = set[str](), {_split(entry)[-1] for entry in entries if _split(entry)}
    for entry in entries:
        parts = _split(entry)
        if entry.is_dir() or any(part in IGNORED for part in parts):
            continue
        _check(entry)
        if MARK in parts[:-1]:
            continue
        if parts[:-1] == [READERS] and parts[-1] in NAMES_FOR_READERS and parts[-1] not in readers:
            readers[parts[-1]] = entry
            continue
        is_deep = len(parts) > 2  # noqa: PLR2004 - a folder, and a name
        if is_deep or not _is_known(parts[-1], names) or parts[-1] in selected:
            raise InputError("the zip holds files that are no part of a release; choose the zip of a release alone")
        folders.add("/".join(parts[:-1]))
        selected[parts[-1]] = entry
    if len(folders) > 1:
        raise InputError("the zip holds several folders; choose the zip of one release")
    if sum(entry.file_size for entry in (*selected.values(), *readers.values())) > MOST_BYTES:
        raise InputError(f"the zip holds more than {MOST_BYTES >> 20} MiB, too many for a release")
    return selected, readers


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
