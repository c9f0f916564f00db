"""The API: what is asked in an address or in JSON, and answered in JSON, with the names of the library.

An answer is 200 with the facts, or 202 with how far the work is when it is not done within ``wait`` seconds; asking
again joins it. What cannot be answered is ``{"error": sentence}``: 400 for what was asked or the data, 404 for what is
not there, 409 for what was stopped, 413 for what is too large, 500 and 503 for what went wrong here. The facts of each
verb stand at the head of its module in ``verbs``.
"""

import json
from typing import Any, Final
from urllib.parse import quote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response

from discreet.web import messages
from discreet.web.arguments import ASKED, checked
from discreet.web.jobs import Job, wait
from discreet.web.samples import samples
from discreet.web.state import House
from discreet.web.uploads import TooLarge, Upload

WAIT, LONGEST_WAIT = 0.3, 10.0
"""Seconds that an answer may take before it is only told how far the work is: unless told otherwise, and at most."""
LARGEST_BODY: Final = 1 << 20


class Refused(Exception):  # noqa: N818 - the sentence says it
    """What is asked cannot be answered; why, and the status of HTTP for it."""

    def __init__(self, status: int, sentence: str) -> None:
        """Keep the status beside the sentence."""
        super().__init__(sentence)
        self.status = status


class Answer(JSONResponse):
    """Facts as JSON in ASCII: whatever a label holds can be written."""

    def render(self, content: Any) -> bytes:  # noqa: ANN401 - as in starlette
        """Return the bytes."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


class Api:
    """What is answered in JSON."""

    def __init__(self, house: House) -> None:
        """Answer with what a house has."""
        self.house = house

    async def upload(self, request: Request) -> Response:
        """Take a file in."""
        name, length = request.headers.get("x-file-name", ""), request.headers.get("content-length", "")
        told = int(length) if length.isdecimal() and length.isascii() else 0
        try:
            upload = await self.house.uploads.receive(name, request.stream(), told=told)
        except TooLarge as error:
            raise Refused(413, str(error)) from None
        except ClientDisconnect:
            raise Refused(400, "The upload was broken off; try again.") from None
        except OSError:
            raise Refused(503, "The upload cannot be kept, probably since the disk is full; make room.") from None
        return Answer(upload.facts, status_code=201)

    async def samples(self, request: Request) -> Response:  # noqa: ARG002 - one signature for all
        """List the samples."""
        return Answer({"samples": samples()})

    async def preview(self, request: Request) -> Response:
        """Show how an upload would be read."""
        given, seconds = await _given(request)
        upload = self._upload(given.pop("upload", None))
        arguments = {"upload": upload.told, **checked("preview", given)}
        return await self._answered(self.house.jobs.ask("preview", arguments, None), seconds)

    async def read(self, request: Request) -> Response:
        """Load an upload or a sample, or tell of what was loaded before."""
        given, seconds = await _given(request)
        if request.method == "POST" and "upload" in given:
            upload = self._upload(given.pop("upload"))
            data = self.house.load(upload, checked("preview", given))
        else:
            data = self._data(given.pop("sample" if "sample" in given else "data", None))
            checked("read", given)
        return await self._answered(self.house.jobs.ask("read", {}, data), seconds)

    async def verify(self, request: Request) -> Response:
        """Check a release that was uploaded, as a zip or file by file."""
        given, seconds = await _given(request)
        files = given.pop("files", None)
        if files is None:
            arguments: dict[str, Any] = {"upload": self._upload(given.pop("upload", None)).told}
        elif isinstance(files, dict) and files:
            arguments = {"files": {str(name): self._upload(upload).told for name, upload in files.items()}}
        else:
            raise Refused(400, "No files are named; choose the folder of a release.")
        checked("verify", given)
        return await self._answered(self.house.jobs.ask("verify", arguments, None, long=True), seconds)

    async def verb(self, verb: str, request: Request) -> Response:
        """Ask a worker about data."""
        given, seconds = await _given(request)
        data = self._data(given.pop("data", None))
        job = self.house.jobs.ask(verb, checked(verb, given), data, long=ASKED[verb].long)
        return await self._answered(job, seconds)

    async def running(self, request: Request) -> Response:  # noqa: ARG002 - one signature for all
        """Tell what is under way."""
        return Answer({"jobs": [job.progress for job in self.house.jobs.running()]})

    async def job(self, request: Request) -> Response:
        """Tell how far a job is, or how it ended."""
        return await self._answered(self._job(request.path_params["job"]), _seconds(dict(request.query_params), 0.0))

    async def cancel(self, request: Request) -> Response:
        """Stop a job."""
        given, _ = await _given(request)
        return Answer({"stopped": self.house.jobs.stop(self._job(given.get("job")))})

    async def file(self, request: Request) -> Response:
        """Give a file of a job that has ended; only by a name that the job has listed."""
        job, name = self._job(request.path_params["job"]), request.path_params["name"]
        listed = [] if job.outcome is None else job.outcome.facts.get("files", [])
        path = job.place / name
        if name not in [file["name"] for file in listed] or not path.is_file():
            raise Refused(404, messages.UNKNOWN_JOB)
        return FileResponse(path, filename=name, content_disposition_type="attachment")

    async def _answered(self, job: Job, seconds: float) -> Response:
        """Return how a job ended; or, if it does not in time, how far it is."""
        outcome = await wait(job, seconds)
        if outcome is None:
            return Answer(job.progress, status_code=202)
        facts = outcome.facts
        if "files" in facts:
            files = [{**file, "url": f"/api/files/{job.id}/{quote(file['name'])}"} for file in facts["files"]]
            facts = {**facts, "files": files}
        return Answer(facts, status_code=outcome.status)

    def _data(self, name: object) -> dict[str, Any]:
        data = self.house.data(name) if isinstance(name, str) else None
        if data is None:
            raise Refused(404, messages.UNKNOWN_DATA)
        return data

    def _upload(self, name: object) -> Upload:
        upload = self.house.uploads.get(name) if isinstance(name, str) else None
        if upload is None:
            raise Refused(404, messages.UNKNOWN_UPLOAD)
        return upload

    def _job(self, name: object) -> Job:
        job = self.house.jobs.get(name) if isinstance(name, str) else None
        if job is None:
            raise Refused(404, messages.UNKNOWN_JOB)
        return job


async def _given(request: Request) -> tuple[dict[str, Any], float]:
    """Return what is asked, from the address or the body, and how many seconds the answer may take."""
    given: dict[str, Any] = dict(request.query_params) if request.method in {"GET", "HEAD"} else await _body(request)
    return given, _seconds(given, WAIT)


def _seconds(given: dict[str, Any], usual: float) -> float:
    """Return how long to wait for the answer, within reason."""
    try:
        seconds = float(given.pop("wait", usual))
    except (TypeError, ValueError):
        seconds = usual
    return seconds if 0 <= seconds <= LONGEST_WAIT else LONGEST_WAIT


async def _body(request: Request) -> dict[str, Any]:
    """Return the object that a body holds; a form or plain text, which other pages can send, is refused."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refused(400, "What is asked must be JSON; send it as application/json.")
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > LARGEST_BODY:
            raise Refused(413, f"What is asked has more than {LARGEST_BODY >> 20} MiB; ask for less.")
    try:
        told = json.loads(data)
    except (ValueError, RecursionError):
        raise Refused(400, "What is asked is no JSON; send an object.") from None
    if not isinstance(told, dict):
        raise Refused(400, "What is asked is no JSON object; send one.")
    return told
