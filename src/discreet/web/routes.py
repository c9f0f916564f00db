"""Routes: the address of each page, and of its twin under /api that answers in JSON; and the application of them."""

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from discreet import DiscreetError, __version__
from discreet.data.patterns import KINDS
from discreet.hiding.hide import METHODS
from discreet.judging.policy import load, names
from discreet.report import plotly_script
from discreet.web import messages
from discreet.web.api import WAIT, Api
from discreet.web.arguments import HANDLERS
from discreet.web.context import list_samples
from discreet.web.handlers.hide import METHOD
from discreet.web.security import Guard, JsonAnswer, answer_error
from discreet.web.state import State

HERE: Final = Path(__file__).parent
PAGES: Final = {"/": "load", **{f"/{page}": page for page in ("audit", "block", "hide", "query", "verify")}}
"""The template of each page, by its address."""
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
        exception_handlers=dict.fromkeys([DiscreetError, messages.Refusal, HTTPException, Exception], _answer_error),
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
        case messages.Refusal():
            return JsonAnswer({"error": str(error)}, status_code=error.status)
        case HTTPException() if error.status_code in SENTENCES:
            return answer_error(request.url.path, error.status_code, "Nothing here", SENTENCES[error.status_code])
    return answer_error(request.url.path, 500, "Something went wrong", messages.say_unforeseen(error))
