"""Routes: the address of each page, and of its twin under /api that answers in JSON; and the application of them."""

import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Scope

from discreet import DiscreetError, __version__
from discreet.data.patterns import KINDS
from discreet.judging.policy import load, names
from discreet.report import plotly_script
from discreet.web import messages
from discreet.web.api import WAIT, Api
from discreet.web.arguments import HANDLERS
from discreet.web.context import list_samples
from discreet.web.security import Guard, JsonAnswer, answer_error
from discreet.web.state import State

HERE: Final = Path(__file__).parent
PAGES: Final = {"/": "load", **{f"/{page}": page for page in ("audit", "block", "hide", "query", "verify")}}
"""The template of each page, by its address."""
REVALIDATED: Final = {"Cache-Control": "no-cache"}
"""A browser may keep files that hold no data, and asks each time whether they have changed."""
SENTENCES: Final = {
    404: "There is nothing at this address.",
    405: "This address does not take such requests; see docs/web.md.",
}


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
            return self._render("load", error=messages.UNKNOWN_DATA, status=404)
        outcome = await self._state.jobs.ask("read", {}, data).wait(WAIT)
        if outcome is not None and outcome.status == 200:  # noqa: PLR2004 - of HTTP
            return self._render(name, data=outcome.facts)
        return self._render(name, data={"data": data.id, "file": data.file, "n": None})

    async def plotly(self, request: Request) -> Response:
        """Send the script that draws figures, from the package plotly."""
        if self._plotly is None:
            self._plotly = plotly_script()
        mark = f'"{hashlib.blake2b(self._plotly, digest_size=12).hexdigest()}"'
        headers = {**REVALIDATED, "ETag": mark}
        if request.headers.get("if-none-match") == mark:
            return Response(status_code=304, headers=headers)
        return Response(self._plotly, media_type="text/javascript", headers=headers)

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
        )
        return HTMLResponse(page, status_code=status)


class Unchanged(StaticFiles):
    """Files that ship with the package."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Send a file, to be kept until it has changed."""
        answer = await super().get_response(path, scope)
        answer.headers.update(REVALIDATED)
        return answer


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
        exception_handlers={
            DiscreetError: _answer_wrong,
            messages.Refusal: _answer_refusal,
            HTTPException: _answer_unknown,
            Exception: _answer_unforeseen,
        },
    )
    return Guard(app, port=port, token=token, once=once, pages=PAGES)


def _list_routes(api: Api, pages: Pages) -> list[Route | Mount]:
    handlers = [
        Route(f"/api/{name}", _ask(api, name), methods=["GET", "POST"] if handler.by_address else ["POST"])
        for name, handler in HANDLERS.items()
        if handler.on_data and name != "read"
    ]
    return [
        *(Route(path, pages.show) for path in PAGES),
        Route("/api/upload", api.upload, methods=["POST"]),
        Route("/api/samples", api.samples),
        Route("/api/preview", api.preview, methods=["POST"]),
        Route("/api/read", api.read, methods=["GET", "POST"]),
        Route("/api/verify", api.verify, methods=["POST"]),
        *handlers,
        Route("/api/jobs", api.running),
        Route("/api/jobs/{job}", api.job),
        Route("/api/cancel", api.cancel, methods=["POST"]),
        Route("/api/files/{job}/{name}", api.file),
        Route("/static/plotly.min.js", pages.plotly),
        Mount("/static", Unchanged(directory=HERE / "static")),
    ]


def _ask(api: Api, name: str) -> Callable[[Request], Awaitable[Response]]:
    async def ask(request: Request) -> Response:
        return await api.ask(name, request)

    return ask


async def _answer_wrong(_: Request, error: Exception) -> Response:
    message = error.message if isinstance(error, DiscreetError) else str(error)
    return JsonAnswer({"error": messages.say_on_page(message)}, status_code=400)


async def _answer_refusal(_: Request, error: Exception) -> Response:
    return JsonAnswer({"error": str(error)}, status_code=error.status if isinstance(error, messages.Refusal) else 400)


async def _answer_unknown(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    sentence = SENTENCES.get(status, messages.UNFORESEEN)
    return answer_error(request.url.path, status, "Nothing here", sentence)


async def _answer_unforeseen(request: Request, error: Exception) -> Response:
    return answer_error(request.url.path, 500, "Something went wrong", messages.say_unforeseen(error))
