"""The API: requests in an address or in JSON, answered in JSON with the names of the library.

An answer is 200 with the result, or 202 with the progress if it is not ready within ``wait`` seconds; the same request
joins the same job. An error is ``{"error": sentence}``: 400 for a wrong argument or data, 404 for unknown data, 409 for
a stopped job, 413 for too large, 500 and 503 for a fault of ours. docs/web.md describes all answers.
"""

import json
from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeVar, cast
from urllib.parse import quote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response

from discreet.web.arguments import HANDLERS, check_arguments
from discreet.web.context import NO_DATA, Data, UploadOptions, list_samples
from discreet.web.jobs import WebJob
from discreet.web.messages import UNKNOWN_DATA, UNKNOWN_JOB, UNKNOWN_UPLOAD, Refusal
from discreet.web.security import SAFE, JsonAnswer
from discreet.web.state import State

Found = TypeVar("Found")

WAIT: Final = 0.3
"""Seconds that an answer may take before it is the progress instead, by default."""
LONGEST_WAIT: Final = 10.0
LARGEST_BODY: Final = 1 << 20


class Api:
    """The answers in JSON."""

    def __init__(self, state: State) -> None:
        """Answer from the state of a server."""
        self.state = state

    async def upload(self, request: Request) -> Response:
        """Take a file."""
        name, stated = request.headers.get("x-file-name", ""), request.headers.get("content-length", "")
        length = int(stated) if stated.isdecimal() and stated.isascii() else 0
        try:
            upload = await self.state.uploads.receive(name, request.stream(), length=length)
        except ClientDisconnect:
            raise Refusal(400, "The upload was broken off; try again.") from None
        except OSError:
            raise Refusal(503, "The upload cannot be stored. The disk is probably full: make room.") from None
        return JsonAnswer(upload.facts, status_code=201)

    async def samples(self, request: Request) -> Response:  # noqa: ARG002 - one signature for all
        """List the samples."""
        return JsonAnswer({"samples": list_samples()})

    async def ask(self, name: str, request: Request) -> Response:
        """Run a handler, on data or on uploads."""
        given, seconds = await _read_request(request)
        data, uploads = self._resolve(name, given, may_load=request.method not in SAFE)
        arguments = {**uploads, **check_arguments(name, given)}
        job = self.state.jobs.ask(name, arguments, data, long=HANDLERS[name].long)
        return await self._answer(job, seconds)

    def _resolve(self, name: str, given: dict[str, Any], *, may_load: bool) -> tuple[Data, dict[str, Any]]:
        """Take the ids of data and uploads out of a request; return the data, and the uploads as arguments."""
        find = partial(_find, self.state.uploads.get, missing=UNKNOWN_UPLOAD)
        files = given.pop("files", None) if name == "verify" else None
        if files is not None:
            if not isinstance(files, dict) or not files:
                raise Refusal(400, "No files are named; choose the folder of a release.")
            return NO_DATA, {"files": {str(file): find(upload).argument for file, upload in files.items()}}
        if not HANDLERS[name].on_data:
            return NO_DATA, {"upload": find(given.pop("upload", None)).argument}
        if name == "read" and may_load and "upload" in given:
            upload = find(given.pop("upload"))
            options = cast("UploadOptions", check_arguments("preview", given))
            given.clear()
            return self.state.load(upload, options), {}
        key = "sample" if name == "read" and "sample" in given else "data"
        return _find(self.state.data, given.pop(key, None), UNKNOWN_DATA), {}

    async def running(self, request: Request) -> Response:  # noqa: ARG002 - one signature for all
        """List the jobs under way."""
        return JsonAnswer({"jobs": [job.progress for job in self.state.jobs.running()]})

    async def job(self, request: Request) -> Response:
        """Return the progress of a job, or its outcome."""
        job = _find(self.state.jobs.get, request.path_params["job"], UNKNOWN_JOB)
        return await self._answer(job, _wait(dict(request.query_params), 0.0))

    async def cancel(self, request: Request) -> Response:
        """Stop a job."""
        given, _ = await _read_request(request)
        return JsonAnswer({"stopped": self.state.jobs.stop(_find(self.state.jobs.get, given.get("job"), UNKNOWN_JOB))})

    async def file(self, request: Request) -> Response:
        """Send a file of an ended job, by a name that the job has listed."""
        job, name = _find(self.state.jobs.get, request.path_params["job"], UNKNOWN_JOB), request.path_params["name"]
        listed = [] if job.outcome is None else job.outcome.facts.get("files", [])
        path = job.place / name
        if name not in [file["name"] for file in listed] or not path.is_file():
            raise Refusal(404, UNKNOWN_JOB)
        return FileResponse(path, filename=name, content_disposition_type="attachment")

    async def _answer(self, job: WebJob, seconds: float) -> Response:
        """Return the outcome of a job, or its progress if it does not end in time."""
        outcome = await job.wait(seconds)
        if outcome is None:
            return JsonAnswer(job.progress, status_code=202)
        facts = outcome.facts
        if "files" in facts:
            files = [{**file, "url": f"/api/files/{job.id}/{quote(file['name'])}"} for file in facts["files"]]
            facts = {**facts, "files": files}
        return JsonAnswer(facts, status_code=outcome.status)


def _find(get: Callable[[str], Found | None], name: object, missing: str) -> Found:
    found = get(name) if isinstance(name, str) else None
    if found is None:
        raise Refusal(404, missing)
    return found


async def _read_request(request: Request) -> tuple[dict[str, Any], float]:
    """Return the arguments, from the address or the body, and how many seconds to wait."""
    given: dict[str, Any] = dict(request.query_params) if request.method in SAFE else await _read_body(request)
    return given, _wait(given, WAIT)


def _wait(given: dict[str, Any], default: float) -> float:
    """Return how many seconds to wait for the answer, within limits."""
    try:
        seconds = float(given.pop("wait", default))
    except (TypeError, ValueError):
        seconds = default
    return seconds if 0 <= seconds <= LONGEST_WAIT else LONGEST_WAIT


async def _read_body(request: Request) -> dict[str, Any]:
    """Return the JSON object of a body; forms and plain text, which other pages can send, are refused."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refusal(400, "A request must be JSON; send it as application/json.")
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > LARGEST_BODY:
            raise Refusal(413, f"The request has more than {LARGEST_BODY >> 20} MiB; ask for less.")
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        raise Refusal(400, "The request is not JSON; send an object.") from None
    if not isinstance(given, dict):
        raise Refusal(400, "The request is not a JSON object; send one.")
    return given
