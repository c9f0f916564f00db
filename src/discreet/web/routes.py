"""Routes: the address of each page, and of its twin under /api that answers in JSON; and the application of them."""

import os
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from html import escape
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from discreet import DiscreetError
from discreet.web import messages
from discreet.web.api import Answer, Api, Refused
from discreet.web.arguments import ASKED
from discreet.web.pages import HERE, PAGES, Pages, Unchanged
from discreet.web.security import Guard
from discreet.web.settings import DEBUG
from discreet.web.state import House

SENTENCES: Final = {
    404: "There is nothing at this address.",
    405: "This cannot be asked in this way; ask as docs/web.md tells.",
}


def application(house: House, *, port: int, token: str, once: str = "") -> ASGIApp:
    """Return the application of a house, behind its guard, for a server on ``port``."""

    @asynccontextmanager
    async def living(_: Starlette) -> AsyncIterator[None]:
        house.open()
        try:
            yield
        finally:
            await house.close()

    inside = Starlette(
        routes=routes(house),
        lifespan=living,
        exception_handlers={
            DiscreetError: _wrong,
            Refused: _refused,
            HTTPException: _unknown,
            Exception: _unforeseen,
        },
    )
    return Guard(inside, port=port, token=token, once=once, pages=PAGES)


def routes(house: House) -> list[Route | Mount]:
    """Return all routes of a server that has this house."""
    api, pages = Api(house), Pages(house)
    verbs = [
        Route(f"/api/{verb}", _verb(api, verb), methods=["GET", "POST"] if ask.by_address else ["POST"])
        for verb, ask in ASKED.items()
        if ask.data and verb != "read"
    ]
    return [
        *(Route(path, pages.page) for path in PAGES),
        Route("/api/upload", api.upload, methods=["POST"]),
        Route("/api/samples", api.samples),
        Route("/api/preview", api.preview, methods=["POST"]),
        Route("/api/read", api.read, methods=["GET", "POST"]),
        Route("/api/verify", api.verify, methods=["POST"]),
        *verbs,
        Route("/api/jobs", api.running),
        Route("/api/jobs/{job}", api.job),
        Route("/api/cancel", api.cancel, methods=["POST"]),
        Route("/api/files/{job}/{name}", api.file),
        Route("/static/plotly.min.js", pages.plotly),
        Mount("/static", Unchanged(directory=HERE / "static")),
    ]


def _verb(api: Api, verb: str) -> Callable[[Request], Awaitable[Response]]:
    async def asked(request: Request) -> Response:
        return await api.verb(verb, request)

    return asked


async def _wrong(_: Request, error: Exception) -> Response:
    message = error.message if isinstance(error, DiscreetError) else str(error)
    return Answer({"error": messages.in_pages(message)}, status_code=400)


async def _refused(_: Request, error: Exception) -> Response:
    return Answer({"error": str(error)}, status_code=error.status if isinstance(error, Refused) else 400)


async def _unknown(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    return _said(request, status, SENTENCES.get(status, messages.UNFORESEEN))


async def _unforeseen(request: Request, error: Exception) -> Response:
    if os.environ.get(DEBUG):
        traceback.print_exception(error)
    return _said(request, 500, messages.UNFORESEEN)


def _said(request: Request, status: int, sentence: str) -> Response:
    """Return what went wrong: to a program as JSON, to a person as a page."""
    if request.url.path.startswith("/api/"):
        return Answer({"error": sentence}, status_code=status)
    page = (
        f'<!doctype html><html lang="en"><title>discreet</title><p>{escape(sentence)} <a href="/">Start page</a></html>'
    )
    return HTMLResponse(page, status_code=status)
