"""Routes: the address of each page, and of its twin under /api that answers in JSON; and the application of them."""

import hashlib
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar, cast
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from discreet import DiscreetError, __version__
from discreet.data.patterns import KINDS
from discreet.hiding.hide import METHODS
from discreet.judging.policy import load, names
from discreet.report import plotly_script
from discreet.web import messages
from discreet.web.arguments import HANDLERS, check_arguments
from discreet.web.context import NO_DATA, Data, UploadOptions, list_samples
from discreet.web.handlers.hide import METHOD
from discreet.web.jobs import WebJob
from discreet.web.messages import UNKNOWN_DATA, UNKNOWN_JOB, UNKNOWN_UPLOAD, Refusal
from discreet.web.security import SAFE, Guard, JsonAnswer, answer_error
from discreet.web.state import State

Found = TypeVar("Found")

HERE: Final = Path(__file__).parent
PAGES: Final = {"/": "load", **{f"/{page}": page for page in ("audit", "block", "hide", "query", "verify")}}
"""The template of each page, by its address."""
SENTENCES: Final = {
    404: "There is nothing at this address.",
    405: "This address does not take such requests; see docs/web.md.",
}
WAIT: Final = 0.3
"""Seconds that an answer may take before it is the progress instead, by default."""
LONGEST_WAIT: Final = 10.0
LARGEST_BODY: Final = 1 << 20


class Api:
    """The answers in JSON, which docs/web.md describes: 200 with the result, or 202 with the progress.

    The same request joins the same job. An error is ``{"error": sentence}`` with a status of 400 or more.
    """

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


class Pages:
    """The pages of a server; their scripts ask the API for the rest."""

    def __init__(self, state: State) -> None:
        """Show the state of a server."""
        self._state = state
        self._templates = Environment(loader=FileSystemLoader(HERE / "templates"), autoescape=True)
        self._plotly: bytes | None = None

    async def show(self, request: Request) -> Response:
        """Show a page; for unknown data, the start page that says so."""
        name = PAGES[request.url.path]
        asked = request.query_params.get("data")
        if not asked:
            upload = self._state.uploads.get(request.query_params.get("upload", ""))
            return self._render(name, upload=None if upload is None else upload.facts)
        data = self._state.data(asked)
        if data is None:
            return self._render("load", error=UNKNOWN_DATA, status=404)
        outcome = await self._state.jobs.ask("read", {}, data).wait(WAIT)
        if outcome is not None and outcome.status == 200:  # noqa: PLR2004 - of HTTP
            return self._render(name, data=outcome.facts)
        return self._render(name, data={"data": data.id, "file": data.file, "n": None})

    async def plotly(self, request: Request) -> Response:
        """Send the script that draws figures, from the package plotly."""
        if self._plotly is None:
            self._plotly = plotly_script()
        mark = f'"{hashlib.blake2b(self._plotly, digest_size=12).hexdigest()}"'
        if request.headers.get("if-none-match") == mark:
            return Response(status_code=304, headers={"ETag": mark})
        return Response(self._plotly, media_type="text/javascript", headers={"ETag": mark})

    def _render(
        self,
        name: str,
        *,
        data: dict[str, Any] | None = None,
        upload: dict[str, Any] | None = None,
        error: str | None = None,
        status: int = 200,
    ) -> Response:
        page = self._templates.get_template(f"{name}.html").render(
            page=name,
            data=data,
            upload=upload,
            error=error,
            version=__version__,
            samples=list_samples(),
            limit=self._state.max_upload,
            policies=[load(policy) for policy in names()],
            kinds=KINDS,
            hiding_methods=METHODS,
            hiding_method=METHOD,
        )
        return HTMLResponse(page, status_code=status)


def application(state: State, *, port: int, token: str, once: str = "") -> ASGIApp:
    """Return the application of a server on ``port``, behind its guard; ``/?token=…`` lets a browser in."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        state.open()
        try:
            yield
        finally:
            await state.close()

    app = Starlette(
        routes=_list_routes(Api(state), Pages(state)),
        lifespan=lifespan,
        exception_handlers=dict.fromkeys([DiscreetError, Refusal, HTTPException, Exception], _answer_error),
    )
    return Guard(app, port=port, token=token, once=once, pages=PAGES)


def _list_routes(api: Api, pages: Pages) -> list[Route | Mount]:
    handlers = [
        Route(f"/api/{name}", partial(api.ask, name), methods=["GET", "POST"] if handler.by_address else ["POST"])
        for name, handler in HANDLERS.items()
    ]
    return [
        *(Route(path, pages.show) for path in PAGES),
        Route("/api/upload", api.upload, methods=["POST"]),
        Route("/api/samples", api.samples),
        *handlers,
        Route("/api/jobs", api.running),
        Route("/api/jobs/{job}", api.job),
        Route("/api/cancel", api.cancel, methods=["POST"]),
        Route("/api/files/{job}/{name}", api.file),
        Route("/static/plotly.min.js", pages.plotly),
        Mount("/static", StaticFiles(directory=HERE / "static")),
    ]


async def _answer_error(request: Request, error: Exception) -> Response:
    match error:
        case DiscreetError():
            return JsonAnswer({"error": messages.say_on_page(error.message)}, status_code=400)
        case Refusal():
            return JsonAnswer({"error": str(error)}, status_code=error.status)
        case HTTPException() if error.status_code in SENTENCES:
            return answer_error(request.url.path, error.status_code, "Nothing here", SENTENCES[error.status_code])
    return answer_error(request.url.path, 500, "Something went wrong", messages.say_unforeseen(error))
