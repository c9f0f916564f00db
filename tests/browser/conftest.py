"""A real Chromium for the tests of what people see; without one they are skipped, and say so."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

# The shell has no windows, and takes half the time of the whole browser.
NAMES = ("chromium-headless-shell", "chromium", "google-chrome")
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
# Chromium keeps its own sandbox only for users other than root, and /dev/shm is small in containers.
ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage"]
NEIGHBOUR = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture(scope="module")
def browser():
    """A running Chromium; not for longer than a module, since its event loop would be in the way of other tests."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here: install Debian's package chromium-headless-shell to run this test")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


def is_complaint(message):
    """Whether a message is an error of ours: that an answer was a refusal, the page itself tells."""
    return message.type == "error" and not re.match("Failed to load resource: .* status of 4", message.text)


@pytest.fixture
def page(browser):
    """An empty page with cookies of its own; what scripts complain of fails the test."""
    complaints = []
    with contextlib.closing(browser.new_context(accept_downloads=True)) as context:
        opened = context.new_page()
        opened.on("pageerror", lambda error: complaints.append(str(error)))
        opened.on("console", lambda message: is_complaint(message) and complaints.append(message.text))
        opened.complaints = complaints
        yield opened
    assert complaints == []


@pytest.fixture
def axe_violations():
    """What tells the serious and critical violations that axe finds on a page, of all rules or of some."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()

    def found(page, *rules):
        # Without a second look at the style sheets, which a page from disk is not allowed.
        # And without a list of all that is as it should be.
        options = {"preload": False, "resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
        violations = axe.run(page, options=options).response["violations"]
        return [(one["id"], one["nodes"][0]["html"]) for one in violations if one["impact"] in {"serious", "critical"}]

    return found


class Server:
    """A running ``discreet serve``: the address that it printed, and its process."""

    def __init__(self, *arguments, environment=None):
        """Start it, and wait for its address; a variable of the environment that is None is not set."""
        variables = {**os.environ, "DISCREET_DEBUG": "1", **(environment or {})}
        self.errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - stop closes it
        command = [Path(sys.executable).with_name("discreet"), "serve", "--no-browser", *map(str, arguments)]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            env={name: value for name, value in variables.items() if value is not None},
        )
        self.first_line = self.process.stdout.readline()
        found = re.search(r"http://\S+", self.first_line)
        assert found, self.process.communicate(timeout=10)
        self.address = found[0]
        self.origin = re.match(r"http://[^/]+", self.address)[0]

    def stop(self):
        """End it as Ctrl-C does; nothing that it did may have failed in a way that nobody foresaw."""
        self.process.terminate()
        self.process.communicate(timeout=20)
        with self.errors:
            self.errors.seek(0)
            assert "Traceback" not in (told := self.errors.read()), told


@pytest.fixture(scope="module")
def server():
    """A server of its own for the tests of a file: what others left it to do would keep these waiting."""
    running = Server("--max-upload", "2MB")
    yield running
    running.stop()


@pytest.fixture(scope="session")
def clinic(tmp_path_factory):
    """The clinic as a CSV file."""
    from discreet import Transactions, write
    from discreet.data.generate import clinic

    place = tmp_path_factory.mktemp("clinic") / "clinic.csv"
    write(Transactions(clinic(2000, seed=1)), place)  # a CSV file has no room for ids
    return place


@pytest.fixture(scope="session")
def mushroom():
    """The mushrooms of the FIMI repository, where they are at hand."""
    folders = (Path(os.environ.get("DISCREET_DATA") or NEIGHBOUR), NEIGHBOUR)
    for place in (folder / name for folder in folders for name in ("mushroom.dat", "mushroom.dat.xz")):
        if place.is_file():
            return place
    return pytest.skip("mushroom.dat is not at hand: set DISCREET_DATA to the folder that holds it")
