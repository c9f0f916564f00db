"""The server: from the printed address to a clean end."""

import asyncio
import errno
import os
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from secrets import token_urlsafe
from typing import Any, Final, cast
from urllib.parse import urlencode

import uvicorn

from discreet import DiscreetError, InputError, OptionError
from discreet.io.contents import look_into
from discreet.io.files import EMPTY, naming, readable
from discreet.web.loading import Data, UploadOptions, find_holding
from discreet.web.routes import application
from discreet.web.state import MAX_UPLOAD, State

ADDRESS: Final = "127.0.0.1"
SIGNALS: Final = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
FAULTS: Final = {errno.EADDRINUSE: "is taken", errno.EACCES: "is reserved"}


class Server(uvicorn.Server):
    """A server that ends quietly."""

    def __init__(self, config: uvicorn.Config, state: State, started: Callable[[], None]) -> None:
        """Serve; call ``started`` when it is up."""
        super().__init__(config)
        self._state, self._when_started = state, started

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End on Ctrl-C and the like; uvicorn would raise them again afterwards, which is no clean end."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then say so."""
        await super().startup(sockets)
        if self.started:
            self._when_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop all jobs, so that no answer waits for them, and end."""
        self._state.stop()
        await super().shutdown(sockets)


def serve(
    file: str | os.PathLike[str] | None = None,
    *,
    port: int = 0,
    browser: bool = True,
    max_upload: int = MAX_UPLOAD,
    memory: int | None = None,
    reading: Mapping[str, Any] | None = None,
    say: Callable[[str], None] = print,
) -> None:
    """Serve the pages on this machine alone, until Ctrl-C; ``say`` gets a line with the address to open.

    The pages open on a ``file``, read with the options ``reading`` of ``discreet.read``: on its check if these say how
    it is laid out, else on how it is read, to be confirmed. A ``port`` of 0 is any free one. An upload may have
    ``max_upload`` bytes, and a job may use ``memory`` bytes, by default a quarter of the machine's.
    """
    options = cast("UploadOptions", {name: value for name, value in (reading or {}).items() if value not in (None, ())})
    path = None if file is None else _check_file(Path(file))
    with _bind(port) as bound:
        number = bound.getsockname()[1]
        state = State(max_upload=max_upload, memory=memory, warms=True)
        token, once = token_urlsafe(32), token_urlsafe(32)
        config = uvicorn.Config(
            application(state, port=number, token=token, once=once),
            loop="asyncio",
            http="h11",
            ws="none",
            lifespan="on",
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
        )

        def started() -> None:
            page, query = _first_page(state, path, options)
            address = f"http://{ADDRESS}:{number}{page}?"
            say(f"discreet is at {address}{urlencode({**query, 'token': token})} (Ctrl-C stops it)")
            if browser:
                visit = address + urlencode({**query, "token": once})
                threading.Thread(target=webbrowser.open, args=(visit,), daemon=True).start()

        try:
            asyncio.run(Server(config, state, started).serve(sockets=[bound]))
        finally:
            state.clean_up()


def _first_page(state: State, path: Path | None, options: UploadOptions) -> tuple[str, dict[str, str]]:
    """Return the page to open and its query: the check of a file, unless the reading must be confirmed first."""
    if path is None:
        return "/", {}
    upload = state.uploads.add(path, options)
    if is_confirmed(path, options):
        holds = find_holding(Data("", path.name, str(path), options))
        return "/check", {"data": state.load(upload, {**options, "holds": holds}).id}
    return "/", {"upload": upload.id}


def is_confirmed(path: Path, options: UploadOptions) -> bool:
    """Return whether the owner of a file said how it is laid out; otherwise they should look at the reading first."""
    how: dict[str, Any] = {**options}
    try:
        return look_into(path, **how).layout.confirmed
    except DiscreetError:
        return False  # the page says why


@contextmanager
def _bind(port: int) -> Iterator[socket.socket]:
    """Yield a socket of this machine alone; refuse a port that is taken."""
    # The protocol is named: only then does asyncio send small answers at once, not 40 ms later.
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # elsewhere this would let two servers share a port
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((ADDRESS, port))
        # Listen at once: of two sockets that were bound together, the second would fail only when it is served.
        bound.listen(128)
    except OSError as error:
        bound.close()
        fault = FAULTS.get(error.errno or 0, "cannot be used")
        raise OptionError(f"the port {port} {fault}; give another, or leave it out for any free one") from None
    with bound:
        yield bound


def _check_file(path: Path) -> Path:
    """Return the full path of a file that can be read and is not empty."""
    with naming(path), readable():
        if path.exists() and not path.is_file() and not path.is_dir():
            raise InputError("this is not a plain file; save it to one first")
        with path.open("rb") as file:
            if not file.read(1):
                raise InputError(EMPTY)
    return path.resolve()
