"""Pages: what a person sees, made of the templates; the scripts beside them ask the API for the rest."""

import hashlib
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from discreet import __version__
from discreet.judging.policy import load, names
from discreet.web import messages
from discreet.web.jobs import wait
from discreet.web.samples import samples
from discreet.web.state import House

HERE: Final = Path(__file__).parent
PAGES: Final = {"/": "load", **{f"/{page}": page for page in ("audit", "block", "hide", "query", "verify")}}
"""The template of each page, by its address."""
WAIT: Final = 0.3
"""Seconds that a page waits for what is told of the data; if that is not enough, its script asks again."""
REVALIDATED: Final = {"Cache-Control": "no-cache"}
"""A browser may keep what holds no data, and asks each time whether it has changed."""


class Pages:
    """The pages of a server."""

    def __init__(self, house: House) -> None:
        """Show what a house has."""
        self._house = house
        self._templates = Environment(loader=FileSystemLoader(HERE / "templates"), autoescape=True)
        self._plotly: bytes | None = None

    async def page(self, request: Request) -> Response:
        """Show a page; for data that is not there, the start page that says so."""
        asked = request.query_params.get("data")
        if not asked:
            return self.shown(PAGES[request.url.path], upload=self._upload(request))
        data = self._house.data(asked)
        if data is None:
            return self.shown("load", error=messages.UNKNOWN_DATA, status=404)
        outcome = await wait(self._house.jobs.ask("read", {}, data), WAIT)
        told = {"data": data["id"], "file": data["file"], "n": None, "items": None, "is_patterns": None}
        facts = outcome.facts if outcome is not None and outcome.status == 200 else told  # noqa: PLR2004 - of HTTP
        return self.shown(PAGES[request.url.path], data=facts)

    def shown(
        self,
        name: str,
        *,
        data: dict[str, Any] | None = None,
        upload: dict[str, Any] | None = None,
        error: str | None = None,
        status: int = 200,
    ) -> Response:
        """Return a page."""
        known = {
            "version": __version__,
            "samples": samples(),
            "limit": self._house.max_upload,
            "policies": [load(name) for name in names()],
        }
        told = {"page": name, "data": data, "upload": upload, "error": error}
        return HTMLResponse(self._templates.get_template(f"{name}.html").render(**known, **told), status_code=status)

    async def plotly(self, request: Request) -> Response:
        """Give the script that draws figures, out of the package plotly."""
        from discreet.report import plotly_script  # noqa: PLC0415 - most of the library, which a start shall not wait for

        if self._plotly is None:
            self._plotly = plotly_script()
        mark = f'"{hashlib.blake2b(self._plotly, digest_size=12).hexdigest()}"'
        headers = {**REVALIDATED, "ETag": mark}
        if request.headers.get("if-none-match") == mark:
            return Response(status_code=304, headers=headers)
        return Response(self._plotly, media_type="text/javascript", headers=headers)

    def _upload(self, request: Request) -> dict[str, Any] | None:
        """Return what is told of an upload that waits to be loaded."""
        upload = self._house.uploads.get(request.query_params.get("upload", ""))
        return None if upload is None else upload.facts


class Unchanged(StaticFiles):
    """Files that ship with the package."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Give a file, to be kept until it has changed."""
        answer = await super().get_response(path, scope)
        answer.headers.update(REVALIDATED)
        return answer
