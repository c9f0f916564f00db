"""Routes: the address of each page, and of its twin under /api that answers in JSON."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final, TypeVar
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from discreet import DiscreetError, __version__
from discreet.data.patterns import KINDS
from discreet.judging.policy import load, names
from discreet.web.arguments import HANDLERS, check_arguments, check_upload_options
from discreet.web.context import Refusal
from discreet.web.guard import SAFE, Guard
from discreet.web.jobs import WebJob
from discreet.web.loading import NO_DATA, Data
from discreet.web.messages import say_on_page, say_unforeseen
from discreet.web.pages import HERE, PAGES, STEPS, TEMPLATES, TOOLS, JsonAnswer, answer_error
from discreet.web.releases import STORY
from discreet.web.samples import list_samples
from discreet.web.state import State

Found = TypeVar("Found")

WAIT: Final = 0.3  # seconds that an answer may take before it is the progress instead, by default
LONGEST_WAIT: Final = 10.0
LABELS: Final = frozenset(("leave_out", "hierarchy"))  # arguments that name items or columns
LARGEST_BODY: Final = 1 << 20
SENTENCES: Final = {
    404: "There is nothing at this address.",
    405: "This address does not take such requests; see docs/web.md.",
}
UNKNOWN_DATA: Final = "This data is no longer loaded: load the file again."
UNKNOWN_JOB: Final = "There is no such work, or no longer: ask again."


class Answers:
    """The pages of a server; and the answers in JSON that their scripts ask for, as docs/web.md describes them.

    These are 200 with the result, or 202 with the progress: the same request joins the same job. An error is
    ``{"error": sentence}`` with a status of 400 or more.
    """

    def __init__(self, state: State) -> None:
        """Answer from the state of a server."""
        self.state = state

    async def show(self, request: Request) -> Response:
        """Show a page; for unknown data, the start page that says so."""
        name = PAGES[request.url.path]
        asked = request.query_params.get("data")
        if not asked:
            upload = self.state.uploads.get(request.query_params.get("upload", ""))
            options = {} if upload is None else upload.public
            return self._render(name, upload=None if upload is None else upload.facts, options=options)
        data = self.state.data(asked)
        if data is None:
            return self._render("load", error=UNKNOWN_DATA, status=404)
        jobs = self.state.jobs
        outcome = await jobs.wait(jobs.ask("read", {}, data), WAIT)
        if outcome is not None and outcome.status == 200:  # noqa: PLR2004 - of HTTP
            return self._render(name, data=outcome.facts)
        return self._render(name, data={"data": data.id, "file": data.file})

    def _render(self, name: str, *, status: int = 200, **facts: dict[str, Any] | str | None) -> Response:
        page = TEMPLATES.get_template(f"{name}.html").render(
            page=name,
            steps=STEPS,
            tools=TOOLS,
            **{"data": None, "upload": None, "options": {}, "error": None, **facts},
            version=__version__,
            samples=list_samples(),
            loaded=self.state.loaded(),
            limit=self.state.max_upload,
            policies=[load(policy) for policy in names()],
            kinds=KINDS,
        )
        return HTMLResponse(page, status_code=status)

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

    async def preparing(self, request: Request) -> Response:  # noqa: ARG002 - one signature for all
        """Tell whether kernels are being compiled, and how far that is."""
        return JsonAnswer(self.state.warming.facts)

    async def ask(self, name: str, request: Request) -> Response:
        """Run a handler, on data or on uploads."""
        given, seconds = await _read_request(request)
        if request.method in SAFE and not LABELS.isdisjoint(given):
            raise Refusal(400, "Items and columns are labels, which addresses must not hold; ask by POST.")
        data, uploads = self._resolve(name, given, may_load=request.method not in SAFE)
        arguments = {**uploads, **check_arguments(name, given)}
        handler = HANDLERS[name]
        job = self.state.jobs.ask(name, arguments, data, long=handler.long, fleeting=handler.fleeting)
        return await self._answer(job, seconds)

    def _resolve(self, name: str, given: dict[str, Any], *, may_load: bool) -> tuple[Data, dict[str, Any]]:
        """Take the ids of data and uploads out of a request; return the data, and the uploads as arguments."""
        find, find_release = self.state.uploads.find, self.state.uploads.find_release
        if name == "verify":
            release = given.pop("files") if "files" in given else given.pop("upload", None)
            older = _as_list(given.pop("beside", None))
            return NO_DATA, {"release": find_release(release), "beside": list(map(find_release, older))}
        if name == "compare_releases":
            return NO_DATA, {side: find_release(given.pop(side, None), STORY) for side in ("newer", "older")}
        if name == "preview" or (name == "read" and may_load and "upload" in given):
            upload = find(given.pop("upload", None))
            options = check_upload_options(given)
            given.clear()
            return (self.state.preview if name == "preview" else self.state.load)(upload, options), {}
        key = "sample" if name == "read" and "sample" in given else "data"
        older = _as_list(given.pop("older", None))
        uploads = {"older": list(map(find_release, older))} if older else {}
        return _find(self.state.data, given.pop(key, None), UNKNOWN_DATA), uploads

    async def loaded(self, request: Request) -> Response:  # noqa: ARG002 - one signature for all
        """List the data that is loaded."""
        return JsonAnswer({"loaded": self.state.loaded()})

    async def remove(self, request: Request) -> Response:
        """Forget data."""
        given, _ = await _read_request(request)
        return JsonAnswer({"removed": self.state.remove(str(given.get("data", "")))})

    async def running(self, request: Request) -> Response:  # noqa: ARG002 - one signature for all
        """List the jobs under way."""
        return JsonAnswer({"jobs": [job.progress for job in self.state.jobs.running()]})

    async def job(self, request: Request) -> Response:
        """Return the progress of a job, or its outcome."""
        job = _find(self.state.jobs.get, request.path_params["job"], UNKNOWN_JOB)
        _, seconds = await _read_request(request, 0.0)
        return await self._answer(job, seconds)

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
        outcome = await self.state.jobs.wait(job, seconds)
        if outcome is None:
            return JsonAnswer(job.progress, status_code=202)
        facts = outcome.facts
        if "files" in facts:
            files = [{**file, "url": f"/api/files/{job.id}/{quote(file['name'])}"} for file in facts["files"]]
            facts = {**facts, "files": files}
        return JsonAnswer(facts, status_code=outcome.status)


def _as_list(older: object) -> list[object]:
    if not (older is None or isinstance(older, list)):
        raise Refusal(400, "Older releases are a list; add them one by one.")
    return older or []


def _find(get: Callable[[str], Found | None], name: object, missing: str) -> Found:
    found = get(name) if isinstance(name, str) else None
    if found is None:
        raise Refusal(404, missing)
    return found


async def _read_request(request: Request, wait: float = WAIT) -> tuple[dict[str, Any], float]:
    """Return the arguments, from the address or the body, and how many seconds to wait for the answer."""
    given: dict[str, Any] = dict(request.query_params) if request.method in SAFE else await _read_body(request)
    try:
        seconds = float(given.pop("wait", wait))
    except (TypeError, ValueError):
        seconds = wait
    return given, seconds if 0 <= seconds <= LONGEST_WAIT else LONGEST_WAIT


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


def application(state: State, *, port: int, token: str, once: str = "") -> ASGIApp:
    """Return the application of a server on ``port``, behind its guard; ``/?token=…`` lets a browser in."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        state.open()
        try:
            yield
        finally:
            await state.close()

    errors = dict.fromkeys([DiscreetError, Refusal, HTTPException, Exception], _explain)
    app = Starlette(routes=_list_routes(Answers(state)), lifespan=lifespan, exception_handlers=errors)
    return Guard(app, port=port, token=token, once=once)


def _list_routes(answers: Answers) -> list[Route | Mount]:
    methods = {name: ["GET", "POST"] if handler.by_address else ["POST"] for name, handler in HANDLERS.items()}
    return [
        *(Route(path, answers.show) for path in PAGES),
        *(Route(f"/api/{name}", partial(answers.ask, name), methods=methods[name]) for name in HANDLERS),
        Route("/api/upload", answers.upload, methods=["POST"]),
        Route("/api/samples", answers.samples),
        Route("/api/loaded", answers.loaded),
        Route("/api/remove", answers.remove, methods=["POST"]),
        Route("/api/preparing", answers.preparing),
        Route("/api/jobs", answers.running),
        Route("/api/jobs/{job}", answers.job),
        Route("/api/cancel", answers.cancel, methods=["POST"]),
        Route("/api/files/{job}/{name}", answers.file),
        Mount("/static", StaticFiles(directory=HERE / "static", packages=[("discreet.report", "static")])),
    ]


async def _explain(request: Request, error: Exception) -> Response:
    match error:
        case DiscreetError():
            return JsonAnswer({"error": say_on_page(error.message)}, status_code=400)
        case Refusal():
            return JsonAnswer({"error": str(error)}, status_code=error.status)
        case HTTPException() if error.status_code in SENTENCES:
            return answer_error(request.url.path, error.status_code, "Nothing here", SENTENCES[error.status_code])
    return answer_error(request.url.path, 500, "Something went wrong", say_unforeseen(error))
