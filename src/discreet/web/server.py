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
from typing import Any, Final
from urllib.parse import urlencode

import uvicorn

from discreet import InputError, OptionError
from discreet.io.sniff import shape_of
from discreet.web.routes import application
from discreet.web.state import MAX_UPLOAD, House

ADDRESS: Final = "127.0.0.1"
ENDS: Final = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Server(uvicorn.Server):
    """A server that ends quietly, and by itself when it is told to."""

    def __init__(self, config: uvicorn.Config, house: House, started: Callable[[], None]) -> None:
        """Serve; say so when it is up."""
        super().__init__(config)
        self._house, self._when_started = house, started

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End on Ctrl-C and the like; uvicorn would raise them again afterwards, and that is no clean end."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {end: signal.signal(end, self.handle_exit) for end in ENDS}
        try:
            yield
        finally:
            for end, handler in before.items():
                signal.signal(end, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then say so."""
        await super().startup(sockets)
        if self.started:
            self._when_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End; nobody waits for jobs any more."""
        self._house.stop()
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
    """Serve the pages on this machine alone, until Ctrl-C; ``say`` is told the address to open.

    With a ``file``, and with how it is to be ``reading`` as ``read`` takes it, the pages open on that. A ``port`` of 0
    is any that is free.
    """
    given = {name: value for name, value in (reading or {}).items() if value is not None}
    path = None if file is None else _readable(Path(file))
    is_asked = path is not None and not given and must_ask(path)
    with _bound(port) as bound:
        number = bound.getsockname()[1]
        house = House(max_upload=max_upload, memory=memory)
        token, once = token_urlsafe(32), token_urlsafe(32)
        config = uvicorn.Config(
            application(house, port=number, token=token, once=once),
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
            where, asked = _first_page(house, path, None if is_asked else given)
            address = f"http://{ADDRESS}:{number}{where}?"
            say(f"discreet is at {address}{urlencode([*asked.items(), ('token', token)])} (Ctrl-C stops it)")
            if browser:
                visit = address + urlencode([*asked.items(), ("token", once)])
                threading.Thread(target=webbrowser.open, args=(visit,), daemon=True).start()

        try:
            asyncio.run(Server(config, house, started).serve(sockets=[bound]))
        finally:
            house.leave()


def _first_page(house: House, path: Path | None, given: Mapping[str, Any] | None) -> tuple[str, dict[str, str]]:
    """Return the page to open, and what is asked there: a file is audited, unless its shape must be asked first."""
    if path is None:
        return "/", {}
    upload = house.uploads.add(path)
    if given is None:
        return "/", {"upload": upload.id}
    return "/audit", {"data": house.load(upload, given)["id"]}


def must_ask(path: Path) -> bool:
    """Return whether a person should say how a file is shaped: a table can be taken in several ways."""
    if path.suffix.lower() in {".parquet", ".pq"}:
        return True
    return shape_of(path, {}).shape.shape != "baskets"


@contextmanager
def _bound(port: int) -> Iterator[socket.socket]:
    """Yield a socket of this machine alone; refuse a port that is taken."""
    # With the protocol named: only then does asyncio send small answers at once, not 40 ms later.
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # elsewhere this would let two servers share a port
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((ADDRESS, port))
        # Listening at once: of two that were bound together, the second would fail only when it is served.
        bound.listen(128)
    except OSError as error:
        bound.close()
        told = {errno.EADDRINUSE: "is taken", errno.EACCES: "is not for you to take"}.get(
            error.errno or 0, "cannot be had"
        )
        raise OptionError(f"the port {port} {told}; give another, or leave it out for any that is free") from None
    with bound:
        yield bound


def _readable(path: Path) -> Path:
    """Return the path of a file that can be read, and is not empty."""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise InputError(f"{path}: this is no plain file; save it to one first")
        with path.open("rb") as file:
            if not file.read(1):
                raise InputError(f"{path}: the file is empty; an export has probably failed: write it again")
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file; check its name") from None
    except IsADirectoryError:
        raise InputError(f"{path}: this is a directory; give a file in it") from None
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: the file cannot be read; check its name and who may read it") from None
    return path.resolve()
