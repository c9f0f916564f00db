"""Which files of ours one command enters: the corridors that a reader has to walk. ``make walk`` prints them.

A file is entered when a function in it is called. Each command runs once before it is traced, so that imports and the
tables built by them do not count. A web audit is traced in the server and in its worker.
"""

import inspect
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from http import HTTPStatus
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, Final

from starlette.testclient import TestClient

import discreet
from discreet.cli import main
from discreet.data.generate import clinic
from discreet.web import worker
from discreet.web.routes import application
from discreet.web.state import State

SOURCE: Final = str(Path(discreet.__file__).parent)
MOST: Final = {"audit": 30, "block": 38, "hide": 35, "web audit": 40}
"""Files that a command may enter."""
TOKEN: Final = "walk"  # noqa: S105 - lets in nobody but this script
LIST: Final = "DISCREET_WALK"
"""The environment variable that names where a traced worker leaves its files."""


@contextmanager
def traced(add: Callable[[str], object]) -> Iterator[None]:
    """Collect the files of ours whose functions are called, in all threads."""

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_flags & inspect.CO_OPTIMIZED and code.co_filename.startswith(SOURCE):
            add(code.co_filename[len(SOURCE) + 1 :])

    sys.setprofile(note)
    threading.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def walk(run: Callable[[], object]) -> set[str]:
    """Return the files that ``run`` enters, the second time it runs."""
    files: set[str] = set()
    with redirect_stdout(StringIO()):
        run()
        with traced(files.add):
            run()
    return files


def walk_command(*words: str) -> set[str]:
    """Return the files that a command line enters."""

    def run() -> None:
        with suppress(SystemExit):
            main.main(list(words), prog_name="discreet")

    return walk(run)


def walk_web(rows: Path, place: Path) -> set[str]:
    """Return the files that an audit in the app enters, in the server and in its worker."""
    os.environ[LIST] = str(place)
    app = application(State(command=(sys.executable, "-P", __file__)), port=8765, token=TOKEN, once="once")
    files: set[str] = set()
    with traced(files.add), TestClient(app, base_url="http://127.0.0.1:8765") as client:
        client.cookies.set("discreet-8765", TOKEN, domain="127.0.0.1")
        answer = client.post("/api/upload", content=rows.read_bytes(), headers={"X-File-Name": rows.name})
        upload = {"upload": answer.json()["upload"]}
        data = {"data": _wait(client, "read", upload)["data"]}
        _wait(client, "audit", {**data, "min_support": "5%", "k": 10})
    return files | set(place.read_text().split())


def _wait(client: TestClient, verb: str, asked: dict[str, object]) -> dict[str, Any]:
    while (answer := client.post(f"/api/{verb}", json={**asked, "wait": 10})).status_code == HTTPStatus.ACCEPTED:
        pass
    answer.raise_for_status()
    return answer.json()


def work() -> None:
    """Be a worker of the app that notes the files it enters."""
    with Path(os.environ[LIST]).open("w") as notes, traced(lambda file: print(file, file=notes, flush=True)):
        worker.main()


def walks() -> dict[str, set[str]]:
    """Return the files that each of four commands enters, on rows of the generated clinic."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        rows, sensitive = folder / "clinic.csv", folder / "sensitive.txt"
        transactions = discreet.Transactions(map(tuple, clinic(600, seed=1)))
        discreet.write(transactions, rows)
        itemset, _ = max(discreet.mine(transactions, min_support="20%"), key=lambda pair: len(pair[0]))
        sensitive.write_text(" ".join(f'"{label}"' for label in sorted(map(str, itemset))) + "\n")
        asked = (str(rows), "--min-support", "5%", "-k", "10", "--quiet")
        return {
            "audit": walk_command("audit", *asked),
            "block": walk_command("block", *asked, "--out", str(folder / "blocked")),
            "hide": walk_command(
                "hide", str(rows), "--sensitive", str(sensitive), "--out", str(folder / "hidden"), "--quiet"
            ),
            "web audit": walk_web(rows, folder / "worker.txt"),
        }


if __name__ == "__main__":
    if LIST in os.environ:
        work()
    else:
        for name, files in walks().items():
            print(f"{name}: {len(files)} files, at most {MOST[name]}")
            print("  " + "\n  ".join(sorted(files)))
