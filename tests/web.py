"""What the tests of the web app share: an application that lets in, and a client that waits for answers."""

import io
import time
import warnings
import zipfile
from contextlib import contextmanager

from discreet.web.routes import application
from discreet.web.state import State

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # starlette would rather have another client than httpx
    from starlette.testclient import TestClient

PORT = 8765
TOKEN = "a-token-of-the-tests"  # noqa: S105 - lets nobody in but the tests
BASE = f"http://127.0.0.1:{PORT}"
PATIENCE = 120
"""Seconds until an answer that does not come is a failure: kernels may have to be compiled."""


@contextmanager
def served(**options):
    """A client that is let in, and the state behind it."""
    state = State(**options)
    app = application(state, port=PORT, token=TOKEN, once="once")
    with TestClient(app, base_url=BASE, follow_redirects=False) as client:
        client.state = state
        client.app = app
        client.cookies.set(f"discreet-{PORT}", TOKEN, domain="127.0.0.1")
        yield client


def answer(client, verb, **asked):
    """The answer to a verb, however long it takes."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = client.post(f"/api/{verb}", json={**asked, "wait": 10})
        if found.status_code != 202:
            return found
    raise TimeoutError(verb)


def facts(client, verb, **asked):
    """The facts of a verb that succeeds."""
    found = answer(client, verb, **asked)
    assert found.status_code == 200, found.json()
    return found.json()


def upload(client, data, name="rows.csv"):
    """The id of an upload."""
    found = client.post("/api/upload", content=data, headers={"X-File-Name": name})
    assert found.status_code == 201, found.json()
    return found.json()["upload"]


def loaded(client, data, name="rows.csv", **shape):
    """The id of data that was uploaded and read."""
    return facts(client, "read", upload=upload(client, data, name), **shape)["data"]


def fetched(client, found, name):
    """The bytes of a file of an answer."""
    file = next(file for file in found["files"] if file["name"] == name)
    got = client.get(file["url"])
    assert got.status_code == 200
    assert got.headers["content-disposition"].startswith("attachment")
    assert len(got.content) == file["bytes"]
    return got.content


def unpacked(data, place):
    """A folder with all files of a zip."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        archive.extractall(place)
    return place
