"""Routes: the address of each page, and of its twin under /api that answers in JSON; and the guard before them.

A request must come from a page of this server, by one of the names of this machine, with the token of this run. Other
pages in the same browser, even those of other servers on this machine, have none of that.
"""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from html import escape
from pathlib import Path
from secrets import compare_digest
from typing import Any, Final, TypeVar
from urllib.parse import parse_qsl, quote, urlencode

from jinja2 import Environment, FileSystemLoader
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request, cookie_parser
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from discreet import DiscreetError, __version__
from discreet.data.patterns import KINDS
from discreet.hiding.hide import METHODS
from discreet.judging.policy import load, names
from discreet.web.arguments import HANDLERS, check_arguments, check_upload_options
from discreet.web.context import NO_DATA, Data, Refusal, list_samples
from discreet.web.handlers.hide import METHOD
from discreet.web.jobs import WebJob
from discreet.web.messages import say_on_page, say_unforeseen
from discreet.web.state import State

Found = TypeVar("Found")

HERE: Final = Path(__file__).parent
TEMPLATES: Final = Environment(loader=FileSystemLoader(HERE / "templates"), autoescape=True)
PAGES: Final = {"/": "load", **{f"/{page}": page for page in ("audit", "tables", "block", "hide", "query", "verify")}}
"""The template of each page, by its address."""
WAIT: Final = 0.3  # seconds that an answer may take before it is the progress instead, by default
LONGEST_WAIT: Final = 10.0
LARGEST_BODY: Final = 1 << 20
SAFE: Final = ("GET", "HEAD")
SENTENCES: Final = {
    404: "There is nothing at this address.",
    405: "This address does not take such requests; see docs/web.md.",
}
UNKNOWN_DATA: Final = "This data is no longer loaded: load the file again."
UNKNOWN_UPLOAD: Final = "This upload is gone: load the file again."
UNKNOWN_JOB: Final = "There is no such work, or no longer: ask again."
WRONG_HOST: Final = (
    "Wrong address",
    "This server answers to 127.0.0.1 and localhost alone. Open the address that `discreet serve` shows.",
)
WRONG_PAGE: Final = ("Wrong page", "Another page asked for this. Use a page of this server.")
EXPIRED: Final = (
    "This link has expired",
    "Open the address shown where you started discreet: the one that `discreet serve` prints.",
)
HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
        "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


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
        outcome = await self.state.jobs.ask("read", {}, data).wait(WAIT)
        if outcome is not None and outcome.status == 200:  # noqa: PLR2004 - of HTTP
            return self._render(name, data=outcome.facts)
        return self._render(name, data={"data": data.id, "file": data.file, "n": None})

    def _render(self, name: str, *, status: int = 200, **facts: dict[str, Any] | str | None) -> Response:
        page = TEMPLATES.get_template(f"{name}.html").render(
            page=name,
            **{"data": None, "upload": None, "options": {}, "error": None, **facts},
            version=__version__,
            samples=list_samples(),
            limit=self.state.max_upload,
            policies=[load(policy) for policy in names()],
            kinds=KINDS,
            hiding_methods=METHODS,
            hiding_method=METHOD,
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
        if request.method in SAFE and "leave_out" in given:
            raise Refusal(400, "Items to leave out are labels, which addresses must not hold; ask by POST.")
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
        if name == "tables":
            return find(given.pop("upload", None)).data, {}
        if not HANDLERS[name].on_data:
            return NO_DATA, {"upload": find(given.pop("upload", None)).argument}
        if name == "preview" or (name == "read" and may_load and "upload" in given):
            upload = find(given.pop("upload", None))
            options = check_upload_options(given)
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


class JsonAnswer(JSONResponse):
    """JSON in ASCII, which can hold any label."""

    def render(self, content: object) -> bytes:
        """Return the bytes."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


class Guard:
    """The gate before an application: it answers every request that is denied."""

    def __init__(self, app: ASGIApp, *, port: int, token: str, once: str) -> None:
        """Guard an application on ``port`` by a ``token``.

        The token ``once`` is valid for one visit: other users of this machine may see it on its way to a browser.
        """
        self._app, self._token, self._once = app, token, once
        names = ("127.0.0.1", "localhost", "[::1]")
        # A browser leaves out port 80.
        self._hosts = {f"{name}:{port}" for name in names} | ({*names} if port == 80 else set())  # noqa: PLR2004
        self._cookie = f"discreet-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or let the application answer, with headers that restrict browsers."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":  # nothing here speaks anything else
            answer = self._check(scope)
            # A browser may keep files that hold no data, and asks each time whether they have changed.
            is_static = answer is None and scope["path"].startswith("/static/")
            headers = {**HEADERS, "Cache-Control": "no-cache" if is_static else "no-store"}

            async def send_with_headers(message: Message) -> None:
                if message["type"] == "http.response.start":
                    MutableHeaders(scope=message).update(headers)
                await send(message)

            await (answer or self._app)(scope, receive, send_with_headers)

    def _check(self, scope: Scope) -> Response | None:
        """Return the answer to a denied request or to a token; None if the application is to answer."""
        headers, deny = Headers(scope=scope), partial(answer_error, scope["path"], 403)
        host = headers.getlist("host")
        if len(host) != 1 or host[0] not in self._hosts:
            return deny(*WRONG_HOST)
        if not _is_own(scope, headers, host[0]):
            return deny(*WRONG_PAGE)
        pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        tokens = [value for name, value in pairs if name == "token"]
        if tokens and scope["method"] in SAFE and scope["path"] in PAGES:
            if not (self._is_token(tokens[0]) or self._use_once(tokens[0])):
                return deny(*EXPIRED)
            rest = urlencode([pair for pair in pairs if pair[0] != "token"])
            return self._give_cookie(scope["path"] + f"?{rest}" * bool(rest), headers)
        cookies = (cookie_parser(header).get(self._cookie) for header in headers.getlist("cookie"))
        is_known = any(self._is_token(cookie) for cookie in cookies if cookie is not None)
        return None if is_known else deny(*EXPIRED)

    def _give_cookie(self, address: str, headers: Headers) -> Response:
        """Return the cookie, and lead on to the address without the token."""
        answer: Response = RedirectResponse(address, status_code=303)
        if headers.get("sec-fetch-site") == "cross-site":
            # Led here by another site, a browser holds the cookie back until a page of ours leads on.
            refresh = f'<meta http-equiv="refresh" content="0;url={escape(address)}">'
            answer = HTMLResponse(f'<!doctype html><html lang="en"><title>discreet</title>{refresh}</html>')
        answer.set_cookie(self._cookie, self._token, path="/", httponly=True, samesite="strict")
        return answer

    def _is_token(self, token: str) -> bool:
        return compare_digest(token.encode(), self._token.encode())

    def _use_once(self, token: str) -> bool:
        """Return whether this is the token for one visit; it is invalid from now on."""
        if not self._once or not compare_digest(token.encode(), self._once.encode()):
            return False
        self._once = ""
        return True


def _is_own(scope: Scope, headers: Headers, host: str) -> bool:
    """Return whether a request comes from a page of ours, or from no page at all.

    Browsers call a page on another port of this machine "same-site" and send our cookie with its requests. Such a
    page is denied; it may only link to one of our pages.
    """
    site = headers.get("sec-fetch-site", "same-origin")
    origin = headers.get("origin")
    if scope["method"] not in SAFE:
        return site == "same-origin" and origin in {None, f"http://{host}"}
    is_visit = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return site in {"same-origin", "none"} or (is_visit and scope["path"] in PAGES)


def answer_error(path: str, status: int, title: str, sentence: str) -> Response:
    """Return an error: to a program as JSON, to a person as a page."""
    if path.startswith("/api/"):
        return JsonAnswer({"error": sentence}, status_code=status)
    page = TEMPLATES.get_template("error.html").render(title=title, sentence=sentence)
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
