"""The guard before all routes.

A request must come from a page of this server, by one of the names of this machine, with the token of this run. Other
pages in the same browser, even those of other servers on this machine, have none of that.
"""

from functools import partial
from html import escape
from secrets import compare_digest
from typing import Final
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from discreet.web.pages import PAGES, answer_error

SAFE: Final = ("GET", "HEAD")
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
