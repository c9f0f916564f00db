"""The local web app: pages on this machine alone, and their twins in JSON; needs the extra ``web``.

What it needs is loaded when it is asked for: workers, which run in processes of their own, need none of it.
"""

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.types import ASGIApp

__all__ = ["application", "serve"]


def serve(
    file: str | os.PathLike[str] | None = None,
    *,
    port: int = 0,
    browser: bool = True,
    max_upload: int = 512 << 20,
    memory: int | None = None,
    reading: Mapping[str, Any] | None = None,
    say: Callable[[str], None] = print,
) -> None:
    """Serve the pages on this machine alone, until Ctrl-C; ``say`` is told the address to open.

    With a ``file``, and how it is read in ``reading``, as ``discreet.read`` takes it, the pages open on that. A
    ``port`` of 0 is any that is free. An upload may have ``max_upload`` bytes, and a job take ``memory`` bytes, a
    quarter of the machine's unless told.
    """
    from discreet.web import server  # noqa: PLC0415 - the extra is needed from here on

    server.serve(file, port=port, browser=browser, max_upload=max_upload, memory=memory, reading=reading, say=say)


def application(*, port: int, token: str, max_upload: int = 512 << 20, memory: int | None = None) -> "ASGIApp":
    """Return the application, for a server of your own on ``port`` of this machine; ``/?token=…`` lets in."""
    from discreet.web import routes, state  # noqa: PLC0415 - the extra is needed from here on

    return routes.application(state.House(max_upload=max_upload, memory=memory), port=port, token=token)
