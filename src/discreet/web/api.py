"""The API: requests in an address or in JSON, answered in JSON with the names of the library.

An answer is 200 with the result, or 202 with the progress if it is not ready within ``wait`` seconds; the same request
joins the same job. An error is ``{"error": sentence}``: 400 for a wrong argument or data, 404 for unknown data, 409 for
a stopped job, 413 for too large, 500 and 503 for a fault of ours. docs/web.md describes all answers.
"""

import json
from typing import Any, Final, cast
from urllib.parse import quote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response

from discreet.web import messages
from discreet.web.arguments import HANDLERS, check_arguments
from discreet.web.context import Data, FileOptions, list_samples
from discreet.web.jobs import WebJob
from discreet.web.messages import Refusal
from discreet.web.security import SAFE, JsonAnswer
from discreet.web.state import State, Upload

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

    async def preview(self, request: Request) -> Response:
        """Show how an upload would be read."""
        given, seconds = await _read_request(request)
        upload = self._upload(given.pop("upload", None))
        arguments = {"upload": upload.argument, **check_arguments("preview", given)}
        return await self._answer(self.state.jobs.ask("preview", arguments, None), seconds)

    async def read(self, request: Request) -> Response:
        """Load an upload or a sample, or describe loaded data."""
        given, seconds = await _read_request(request)
        if request.method == "POST" and "upload" in given:
            upload = self._upload(given.pop("upload"))
            data = self.state.load(upload, cast("FileOptions", check_arguments("preview", given)))
        else:
            data = self._data(given.pop("sample" if "sample" in given else "data", None))
            check_arguments("read", given)
        return await self._answer(self.state.jobs.ask("read", {}, data), seconds)

    async def verify(self, request: Request) -> Response:
        """Verify an uploaded release, as a zip or file by file."""
        given, seconds = await _read_request(request)
        files = given.pop("files", None)
        if files is None:
            arguments: dict[str, Any] = {"upload": self._upload(given.pop("upload", None)).argument}
        elif isinstance(files, dict) and files:
            arguments = {"files": {str(name): self._upload(upload).argument for name, upload in files.items()}}
        else:
            raise Refusal(400, "No files are named; choose the folder of a release.")
        check_arguments("verify", given)
        return await self._answer(self.state.jobs.ask("verify", arguments, None, long=True), seconds)

    async def ask(self, name: str, request: Request) -> Response:
        """Run a handler on data."""
        given, seconds = await _read_request(request)
        data = self._data(given.pop("data", None))
        job = self.state.jobs.ask(name, check_arguments(name, given), data, long=HANDLERS[name].long)
        return await self._answer(job, seconds)

    async def running(self, request: Request) -> Response:  # noqa: ARG002 - one signature for all
        """List the jobs under way."""
        return JsonAnswer({"jobs": [job.progress for job in self.state.jobs.running()]})

    async def job(self, request: Request) -> Response:
        """Return the progress of a job, or its outcome."""
        return await self._answer(self._job(request.path_params["job"]), _wait(dict(request.query_params), 0.0))

    async def cancel(self, request: Request) -> Response:
        """Stop a job."""
        given, _ = await _read_request(request)
        return JsonAnswer({"stopped": self.state.jobs.stop(self._job(given.get("job")))})

    async def file(self, request: Request) -> Response:
        """Send a file of an ended job, by a name that the job has listed."""
        job, name = self._job(request.path_params["job"]), request.path_params["name"]
        listed = [] if job.outcome is None else job.outcome.facts.get("files", [])
        path = job.place / name
        if name not in [file["name"] for file in listed] or not path.is_file():
            raise Refusal(404, messages.UNKNOWN_JOB)
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

    def _data(self, name: object) -> Data:
        data = self.state.data(name) if isinstance(name, str) else None
        if data is None:
            raise Refusal(404, messages.UNKNOWN_DATA)
        return data

    def _upload(self, name: object) -> Upload:
        upload = self.state.uploads.get(name) if isinstance(name, str) else None
        if upload is None:
            raise Refusal(404, messages.UNKNOWN_UPLOAD)
        return upload

    def _job(self, name: object) -> WebJob:
        job = self.state.jobs.get(name) if isinstance(name, str) else None
        if job is None:
            raise Refusal(404, messages.UNKNOWN_JOB)
        return job


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
