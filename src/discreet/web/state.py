"""The state of a server: its uploads in a private temporary folder, its jobs, and the data that was loaded."""

import hashlib
import json
import os
import re
import secrets
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from time import monotonic
from typing import Any, Final, NamedTuple, NoReturn, cast
from urllib.parse import unquote

from discreet import InputError
from discreet.io.files import EMPTY
from discreet.runtime import resources
from discreet.web.context import Refusal
from discreet.web.jobs import COMMAND, WORKERS, Jobs, Pool
from discreet.web.loading import Data, UploadOptions
from discreet.web.samples import STORIES, is_sample
from discreet.web.warming import Warming

MAX_UPLOAD: Final = 512 << 20
SHARE_OF_MEMORY: Final = 4  # a job may use a quarter of the memory, since there are two workers
MOST_UPLOADS: Final = 64  # uploads that are kept; the oldest goes first
LONGEST_NAME: Final = 200
DRAINED: Final = 64 << 20  # bytes of a refused upload that are read, so that the browser gets the answer
SECONDS: Final = 10
SUFFIXES: Final = re.compile(r"(?:\.[a-z0-9]{1,10})?(?:\.(?:gz|xz|zst))?\Z", re.IGNORECASE)


class Upload(NamedTuple):
    """A file that was uploaded, or that the server was started with, then perhaps with options."""

    id: str
    path: Path
    file: str
    bytes: int
    sha256: str | None = None
    options: UploadOptions = {}  # noqa: RUF012 - a default of a tuple

    @property
    def facts(self) -> dict[str, Any]:
        """What the page shows: all but the path, and names of other files."""
        return {"upload": self.id, "file": self.file, "bytes": self.bytes, "sha256": self.sha256}

    @property
    def public(self) -> dict[str, Any]:
        """Its options that a request can have."""
        return {name: value for name, value in self.options.items() if name in UploadOptions.__annotations__}

    @property
    def private(self) -> dict[str, Any]:
        """Its options that a request cannot have: names of files on this machine."""
        return {name: value for name, value in self.options.items() if name not in UploadOptions.__annotations__}

    @property
    def data(self) -> Data:
        """The file as it is: nothing says yet how it is read."""
        return Data(self.id, self.file, str(self.path), {})

    @property
    def argument(self) -> dict[str, Any]:
        """What a handler gets."""
        return {"path": str(self.path), "file": self.file, "bytes": self.bytes}


class Uploads:
    """The uploads of a server, in a folder that only its owner can open."""

    def __init__(self, limit: int) -> None:
        """Make the folder; a file may have ``limit`` bytes."""
        self.limit = limit
        self.folder = Path(mkdtemp(prefix="discreet-"))
        self.jobs = self.folder / "jobs"
        self.jobs.mkdir(mode=0o700)
        self._uploads: dict[str, Upload] = {}

    def get(self, upload: str) -> Upload | None:
        """Return an upload, if it is still there."""
        return self._uploads.get(upload)

    def find(self, upload: object) -> Upload:
        """Return an upload; refuse one that is not there."""
        found = self.get(upload) if isinstance(upload, str) else None
        if found is None:
            raise Refusal(404, "This upload is gone: load the file again.")
        return found

    def find_release(self, given: object, stories: Iterable[str] = ()) -> dict[str, Any]:
        """Return a release as an argument: one of ``stories``, uploads by their names in it, or one upload."""
        if given in [*stories]:
            return {"story": given}
        if not isinstance(given, dict):
            return self.find(given).argument
        if not given:
            raise Refusal(400, "No files are named; choose the folder of a release.")
        return {"files": {str(name): self.find(upload).argument for name, upload in given.items()}}

    def add(self, path: Path, options: UploadOptions) -> Upload:
        """Add a file that the server was started with; it stays where it is."""
        return self._keep(Upload(secrets.token_hex(16), path, path.name, path.stat().st_size, options=options))

    async def receive(self, name: str, chunks: AsyncIterator[bytes], *, length: int = 0) -> Upload:
        """Store an upload of a stated ``length``; one that is too large or empty leaves nothing behind."""
        if length > self.limit:
            await self._refuse(chunks)
        file = clean_name(name)
        key = secrets.token_hex(16)
        path = self.folder / f"{key}{suffixes_of(file)}"
        try:
            size, digest = await self._store(path, chunks)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return self._keep(Upload(key, path, file, size, digest))

    def drop(self, upload: str) -> None:
        """Remove an upload; a file that the server was started with stays where it is."""
        gone = self._uploads.pop(upload, None)
        if gone is not None and gone.path.parent == self.folder:
            gone.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Remove the folder and everything in it."""
        rmtree(self.folder, ignore_errors=True)

    async def _store(self, path: Path, chunks: AsyncIterator[bytes]) -> tuple[int, str]:
        """Write an upload to a file; return its size and SHA-256."""
        digest, size = hashlib.sha256(), 0
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as target:
            async for chunk in chunks:
                size += len(chunk)
                if size > self.limit:
                    await self._refuse(chunks)
                digest.update(chunk)
                target.write(chunk)
        if not size:
            raise InputError(EMPTY)
        return size, digest.hexdigest()

    async def _refuse(self, chunks: AsyncIterator[bytes]) -> NoReturn:
        """Refuse an upload; drop the rest of it first, within limits, so that a browser gets the reason."""
        left, until = DRAINED, monotonic() + SECONDS
        async for chunk in chunks:
            left -= len(chunk)
            if left < 0 or monotonic() > until:
                break
        limit = f"{self.limit:,} bytes ({resources.size(self.limit)})"
        advice = "start `discreet serve` with a larger --max-upload"
        raise Refusal(413, f"The file has more than {limit}, the limit; {advice}.")

    def _keep(self, upload: Upload) -> Upload:
        """Keep an upload; remove the oldest if there are too many, but never a file outside of the folder."""
        self._uploads[upload.id] = upload
        ours = [one for one in self._uploads.values() if one.path.parent == self.folder]
        for oldest in ours[:-MOST_UPLOADS]:
            self.drop(oldest.id)
        return upload


class State:
    """Everything a server has from its start to its end."""

    uploads: Uploads
    jobs: Jobs

    def __init__(
        self,
        *,
        max_upload: int = MAX_UPLOAD,
        memory: int | None = None,
        many: int = WORKERS,
        command: Sequence[str] = COMMAND,
        warms: bool = False,
    ) -> None:
        """Plan it; nothing exists before ``open``. ``many`` and ``command`` are those of the pool.

        If it ``warms``, all kernels are compiled while nobody waits.
        """
        self.max_upload = max_upload
        room = resources.memory() // SHARE_OF_MEMORY if memory is None else memory
        self.pool = Pool(room, many=many, command=command)
        self.warming = Warming(lambda: self.pool.is_idle)
        self._warms = warms
        self._data: dict[str, tuple[Upload, Data]] = {}
        self._read: set[str] = set()  # what was loaded; the other data was only previewed

    def open(self) -> None:
        """Make the private folder, and start the workers."""
        self.uploads = Uploads(self.max_upload)
        self.pool.start()
        if self._warms:
            self.warming.start()
        self.jobs = Jobs(self.pool, self.uploads.jobs)

    def stop(self) -> None:
        """Stop all jobs."""
        for job in self.jobs.running():
            self.jobs.stop(job)

    async def close(self) -> None:
        """End the workers, and remove the folder."""
        try:
            self.stop()
            await self.warming.close()
            await self.pool.close()
        finally:
            self.clean_up()

    def clean_up(self) -> None:
        """Remove the folder, if it still exists."""
        if hasattr(self, "uploads"):
            self.uploads.close()

    def data(self, name: str) -> Data | None:
        """Return data by its id; a sample need not be loaded."""
        if is_sample(name):
            return Data(name, f"{name}.csv" if name in STORIES else name, None, {})
        upload, data = self._data.get(name, (None, None))
        return data if upload is not None and self.uploads.get(upload.id) is not None else None

    def remove(self, name: str) -> bool:
        """Forget data, and its upload unless that was loaded in another way too; return whether there was any."""
        upload, _ = self._data.pop(name, (None, None))
        self._read.discard(name)
        if upload is not None and not any(self._data[other][0].id == upload.id for other in self._read):
            self.uploads.drop(upload.id)
        return upload is not None

    def loaded(self) -> list[dict[str, str]]:
        """List the data that was loaded as its owner confirmed it, the latest first."""
        there = [data for upload, data in self._data.values() if self.uploads.get(upload.id) is not None]
        known = [data for data in there if data.id in self._read and "holds" in data.options]
        return [{"data": data.id, "file": data.file, "holds": data.options["holds"]} for data in reversed(known)]

    def load(self, upload: Upload, options: UploadOptions) -> Data:
        """Return the data of an upload, as ``preview`` does, and list it among what was loaded."""
        data = self.preview(upload, options)
        self._read.add(data.id)
        return data

    def preview(self, upload: Upload, options: UploadOptions) -> Data:
        """Return the data of an upload that is read with these options, and with those that only a start can give."""
        options = cast("UploadOptions", {**upload.private, **options})
        key = json.dumps([upload.id, options], sort_keys=True).encode()
        name = hashlib.blake2b(key, digest_size=12).hexdigest()
        data = Data(name, upload.file, str(upload.path), options)
        return self._data.setdefault(name, (upload, data))[1]


def clean_name(name: str) -> str:
    """Return a file name, as a browser sends it, on one line and without folders.

    >>> clean_name("my%20rows.csv"), clean_name("..%2F..%2Fetc%2Fpasswd"), clean_name("")
    ('my rows.csv', 'passwd', 'file')
    """
    last = unquote(name).replace("\\", "/").rpartition("/")[2]
    return "".join(letter for letter in last if letter.isprintable())[-LONGEST_NAME:].strip() or "file"


def suffixes_of(file: str) -> str:
    """Return the suffixes of a name that say its format and compression.

    >>> suffixes_of("my.rows.CSV.gz"), suffixes_of("rows"), suffixes_of("a.b/../c")
    ('.csv.gz', '', '')
    """
    match = SUFFIXES.search(file)
    return match[0].lower() if match else ""
