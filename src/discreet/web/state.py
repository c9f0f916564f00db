"""The house: all that a server has beside its routes, from its start to its end."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from discreet.runtime import resources
from discreet.web.jobs import Jobs
from discreet.web.pool import Pool
from discreet.web.samples import is_sample
from discreet.web.uploads import Upload, Uploads

MAX_UPLOAD: Final = 512 << 20
SHARE_OF_MEMORY: Final = 4
"""A job may take a quarter of the machine's memory unless told otherwise; there are two workers."""


class House:
    """Uploads, workers, jobs, and which data was loaded how."""

    uploads: Uploads
    pool: Pool
    jobs: Jobs

    def __init__(self, *, max_upload: int = MAX_UPLOAD, memory: int | None = None, **workers: Any) -> None:  # noqa: ANN401 - as Pool has them
        """Plan it; nothing is there before ``open``."""
        self.max_upload = max_upload
        self._memory = resources.memory() // SHARE_OF_MEMORY if memory is None else memory
        self._workers = workers
        self._data: dict[str, dict[str, Any]] = {}

    def open(self) -> None:
        """Make the private folder, and start the workers."""
        self.uploads = Uploads(self.max_upload)
        self.pool = Pool(self._memory, **self._workers)
        self.pool.start()
        self.jobs = Jobs(self.pool, self.uploads.jobs)

    def stop(self) -> None:
        """Stop all jobs, so that nobody waits for them."""
        for job in self.jobs.running():
            self.jobs.stop(job)

    async def close(self) -> None:
        """End the workers, and remove the folder."""
        try:
            self.stop()
            await self.pool.close()
        finally:
            self.leave()

    def leave(self) -> None:
        """Remove the folder, if there is one still."""
        if hasattr(self, "uploads"):
            self.uploads.close()

    def data(self, name: str) -> dict[str, Any] | None:
        """Return what a worker is told of data by its id; a sample needs no loading."""
        if is_sample(name):
            return {"id": name, "file": name, "sample": name, "path": None, "given": {}}
        known = self._data.get(name)
        return known if known is not None and self.uploads.get(known["upload"]) is not None else None

    def load(self, upload: Upload, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a worker is told of an upload that is read in some way; that way is kept under an id."""
        told = json.dumps([upload.id, given], sort_keys=True).encode()
        name = hashlib.blake2b(told, digest_size=12).hexdigest()
        place = {"sample": None, "upload": upload.id, "path": str(upload.path), "file": upload.file}
        return self._data.setdefault(name, {"id": name, **place, "given": dict(given)})
