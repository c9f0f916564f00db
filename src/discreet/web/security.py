"""Security: who may ask this server at all, and what browsers are told of its answers.

Only whoever has the token of this run, on a page of this server, by one of the names of this machine. Another page in
the same browser, even one of another server on this machine, has none of that.
"""

import json
from collections.abc import Iterable
from html import escape
from secrets import compare_digest
from typing import Final
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
CACHE: Final = {"Cache-Control": "no-store"}
"""But for files that hold no data, which say otherwise themselves."""
SAFE: Final = ("GET", "HEAD")

FOREIGN: Final = "This server answers to 127.0.0.1 and localhost alone: open the address that `discreet serve` printed."
STRANGER: Final = "Open the address that `discreet serve` printed: it has the token that lets you in."
OTHER_PAGE: Final = "This was asked by another page; ask from a page of this server."


class Guard:
    """The gate before an application: everything that is not let in is answered here."""

    def __init__(self, app: ASGIApp, *, port: int, token: str, once: str, pages: Iterable[str]) -> None:
        """Let those in that have the ``token``, to an application on ``port`` with these ``pages``.

        The token ``once`` is good for one visit: on its way to a browser, other users of this machine may see it.
        """
        self._app, self._token, self._once, self._pages = app, token, once, frozenset(pages)
        names = ("127.0.0.1", "localhost", "[::1]")
        # A browser leaves out the port 80.
        self._hosts = {f"{name}:{port}" for name in names} | ({*names} if port == 80 else set())  # noqa: PLR2004
        self._cookie = f"discreet-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or let the application answer; with headers that keep browsers careful."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # nothing here speaks anything else
        answer = self._refused(scope)
        await (answer or self._app)(scope, receive, _careful(send))

    def _refused(self, scope: Scope) -> Response | None:
        """Return the answer to what is not let in; None for what is."""
        headers = Headers(scope=scope)
        host = headers.getlist("host")
        if len(host) != 1 or host[0] not in self._hosts:
            return _forbidden(scope, FOREIGN)
        if not self._is_own(scope, headers, host[0]):
            return _forbidden(scope, OTHER_PAGE)
        pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        tokens = [value for name, value in pairs if name == "token"]
        if tokens and scope["method"] in SAFE and scope["path"] in self._pages:
            if not (self._is_token(tokens[0]) or self._is_first(tokens[0])):
                return _forbidden(scope, STRANGER)
            rest = urlencode([pair for pair in pairs if pair[0] != "token"])
            return self._let_in(scope["path"] + f"?{rest}" * bool(rest), headers)
        return None if any(map(self._is_token, self._cookies(headers))) else _forbidden(scope, STRANGER)

    def _let_in(self, address: str, headers: Headers) -> Response:
        """Return the cookie, and the way to where the visitor was going."""
        answer: Response = RedirectResponse(address, status_code=303)
        if headers.get("sec-fetch-site") == "cross-site":
            # Led here by a page elsewhere, a browser keeps the cookie back until a page of ours leads on.
            leading = f'<meta http-equiv="refresh" content="0;url={escape(address)}">'
            answer = HTMLResponse(f'<!doctype html><html lang="en"><title>discreet</title>{leading}</html>')
        answer.set_cookie(self._cookie, self._token, path="/", httponly=True, samesite="strict")
        return answer

    def _is_own(self, scope: Scope, headers: Headers, host: str) -> bool:
        """Return whether a request comes from a page of ours, or from no page at all.

        A page of another port of this machine is "same-site", and gets our cookie sent along: it is not let in. It
        may only lead a person here, to one of the pages.
        """
        site = headers.get("sec-fetch-site", "same-origin")
        origin = headers.get("origin")
        if scope["method"] not in SAFE:
            return site == "same-origin" and origin in {None, f"http://{host}"}
        is_visit = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        return site in {"same-origin", "none"} or (is_visit and scope["path"] in self._pages)

    def _cookies(self, headers: Headers) -> list[str]:
        """Return what is told under the name of our cookie."""
        found = (cookie_parser(header).get(self._cookie) for header in headers.getlist("cookie"))
        return [told for told in found if told is not None]

    def _is_token(self, told: str) -> bool:
        return compare_digest(told.encode(), self._token.encode())

    def _is_first(self, told: str) -> bool:
        """Return whether this is the token for one visit; from now on it is none."""
        if not self._once or not compare_digest(told.encode(), self._once.encode()):
            return False
        self._once = ""
        return True


def _forbidden(scope: Scope, sentence: str) -> Response:
    """Return that this is not allowed, and why: to a program as JSON, to a person as a page."""
    if scope["path"].startswith("/api/"):
        return Response(json.dumps({"error": sentence}), status_code=403, media_type="application/json")
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>discreet: not let in</title>'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
        '<body style="font:1.1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:15vh auto;padding:0 1rem">'
        f"<main><h1>Not let in</h1><p>{escape(sentence)}</p></main></body></html>"
    )
    return HTMLResponse(page, status_code=403)


def _careful(send: Send) -> Send:
    """Return what sends answers with our headers."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            for name, value in CACHE.items():
                headers.setdefault(name, value)
        await send(message)

    return sent
