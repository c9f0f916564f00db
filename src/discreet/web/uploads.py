"""Uploads: files of a browser in a private temporary folder, which goes when the server ends."""

import hashlib
import os
import re
import secrets
from collections.abc import AsyncIterator
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from time import monotonic
from typing import Any, Final, NamedTuple, NoReturn
from urllib.parse import unquote

from discreet import InputError
from discreet.runtime.resources import size

MOST: Final = 64
"""Uploads that are kept; the oldest goes first."""
LONGEST_NAME: Final = 200
DRAINED: Final = 64 << 20
"""Bytes of an upload over the limit that are read and thrown away, so that the browser hears the answer."""
SECONDS: Final = 10
SUFFIXES: Final = re.compile(r"(?:\.[a-z0-9]{1,10})?(?:\.(?:gz|xz|zst))?\Z", re.IGNORECASE)
"""The end of a file's name that tells its format and compression."""


class TooLarge(Exception):  # noqa: N818 - the sentence says it
    """More bytes than are allowed."""


class Upload(NamedTuple):
    """A file that was uploaded, or that the server was started with: where it is, what it is called, how large."""

    id: str
    path: Path
    file: str
    bytes: int
    sha256: str | None = None

    @property
    def facts(self) -> dict[str, Any]:
        """What the page is told: all but the place."""
        return {"upload": self.id, "file": self.file, "bytes": self.bytes, "sha256": self.sha256}

    @property
    def told(self) -> dict[str, Any]:
        """What a worker is told."""
        return {"path": str(self.path), "file": self.file, "bytes": self.bytes}


class Uploads:
    """The uploads of a server, in a folder that nobody else may look into."""

    def __init__(self, limit: int) -> None:
        """Make the folder; a file may have ``limit`` bytes."""
        self.limit = limit
        self.folder = Path(mkdtemp(prefix="discreet-"))
        self.jobs = self.folder / "jobs"
        self.jobs.mkdir(mode=0o700)
        self._kept: dict[str, Upload] = {}

    def get(self, upload: str) -> Upload | None:
        """Return an upload, if it is still there."""
        return self._kept.get(upload)

    def add(self, path: Path) -> Upload:
        """Take a file that the server was started with; it stays where it is."""
        return self._keep(Upload(secrets.token_hex(16), path, path.name, path.stat().st_size))

    async def receive(self, name: str, chunks: AsyncIterator[bytes], *, told: int = 0) -> Upload:
        """Return what comes in as an upload; what is too large, or says so, or is empty leaves nothing behind."""
        if told > self.limit:
            await self._refuse(chunks)
        file = plain_name(name)
        key = secrets.token_hex(16)
        path = self.folder / f"{key}{suffixes_of(file)}"
        try:
            many, digest = await self._store(path, chunks)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return self._keep(Upload(key, path, file, many, digest))

    async def _store(self, path: Path, chunks: AsyncIterator[bytes]) -> tuple[int, str]:
        """Write what comes in to a file; return how many bytes it has, and their SHA-256."""
        digest, many = hashlib.sha256(), 0
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as target:
            async for chunk in chunks:
                many += len(chunk)
                if many > self.limit:
                    await self._refuse(chunks)
                digest.update(chunk)
                target.write(chunk)
        if not many:
            raise InputError("the file is empty; an export has probably failed: write it again")
        return many, digest.hexdigest()

    async def _refuse(self, chunks: AsyncIterator[bytes]) -> NoReturn:
        """Throw away what is left of an upload, if that is not too much, so that a browser hears why; refuse it."""
        left, until = DRAINED, monotonic() + SECONDS
        async for chunk in chunks:
            left -= len(chunk)
            if left < 0 or monotonic() > until:
                break
        raise TooLarge(
            f"The file has more than {self.limit:,} bytes ({size(self.limit)}), the limit; start `discreet serve` "
            "with a larger --max-upload."
        )

    def close(self) -> None:
        """Remove the folder and all that is in it."""
        rmtree(self.folder, ignore_errors=True)

    def _keep(self, upload: Upload) -> Upload:
        """Keep an upload; the oldest goes if there are too many, but never a file that is not in the folder."""
        self._kept[upload.id] = upload
        ours = [one for one in self._kept.values() if one.path.parent == self.folder]
        for oldest in ours[:-MOST]:
            del self._kept[oldest.id]
            oldest.path.unlink(missing_ok=True)
        return upload


def plain_name(name: str) -> str:
    """Return the name of a file as a browser tells it, on one line and without folders.

    >>> plain_name("my%20rows.csv"), plain_name("..%2F..%2Fetc%2Fpasswd"), plain_name("")
    ('my rows.csv', 'passwd', 'file')
    """
    last = unquote(name).replace("\\", "/").rpartition("/")[2]
    return "".join(letter for letter in last if letter.isprintable())[-LONGEST_NAME:].strip() or "file"


def suffixes_of(file: str) -> str:
    """Return the suffixes of a name that tell a format and a compression.

    >>> suffixes_of("my.rows.CSV.gz"), suffixes_of("rows"), suffixes_of("a.b/../c")
    ('.csv.gz', '', '')
    """
    found = SUFFIXES.search(file)
    return found[0].lower() if found else ""
