"""The page in the browser alone: opened from disk, without a network, it finds what the command line finds."""

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from urllib.error import URLError

import pytest

import discreet
from discreet.data.generate import clinic

BUILD = Path(__file__).parents[2] / "docs" / "try" / "build.py"
pytestmark = pytest.mark.skipif("DISCREET_LARGE" not in os.environ, reason="fetches 9 MB: set DISCREET_LARGE to run it")
CONNECT = """url => new Promise(answer => {
  const request = new XMLHttpRequest();
  request.open("GET", url);
  request.onload = () => answer("connected");
  request.onerror = () => answer("refused");
  request.send();
})"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The page, as one file."""
    place = tmp_path_factory.mktemp("try") / "discreet.html"
    try:
        runpy.run_path(str(BUILD))["main"](str(place))
    except URLError:
        pytest.skip("the registry of npm, which has Pyodide, cannot be reached from here")
    return place


@pytest.fixture
def opened(page, built):
    """The page, when Python is loaded, with the network switched off."""
    page.goto(built.as_uri())
    page.get_by_text("Ready. You may").wait_for(timeout=90_000)
    page.context.set_offline(True)
    return page


def test_the_clinic_is_judged_as_by_the_command_line_within_ten_seconds(opened, tmp_path):
    file = tmp_path / "clinic.csv"
    discreet.write(discreet.Transactions(clinic(2_000, seed=1)), file)
    words = ["audit", "clinic.csv", "--min-support", "5%", "-k", "10"]
    command = [sys.executable, "-m", "discreet", *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    opened.set_input_files("#file", file)
    opened.locator("#verdict").wait_for(timeout=10_000)
    assert opened.locator("#verdict").inner_text() == "WITHHOLD"
    assert opened.locator("#words").inner_text().split() == done.stdout.split()
    assert opened.locator("#said").inner_text() == done.stderr.strip()
    assert opened.locator("#command").inner_text() == " ".join(["discreet", *words])
    with opened.expect_download() as saved:
        opened.click("#save")
    every = subprocess.run([*command, "--json"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert json.loads(Path(saved.value.path()).read_text()) == json.loads(every.stdout)


def test_the_page_and_its_worker_can_connect_to_nobody(opened):
    opened.context.set_offline(False)
    assert opened.workers[0].evaluate(CONNECT, "https://example.org/") == "refused"
    assert opened.evaluate(CONNECT, "https://example.org/") == "refused"
    assert any("connect-src 'none'" in complaint for complaint in opened.complaints)
    opened.complaints.clear()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_read_the_page_on_a_small_screen(page, built, axe_violations, scheme):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(built.as_uri())
    page.set_input_files("#file", BUILD)  # no rows: refused, in words
    page.locator("#verdict").wait_for(timeout=90_000)
    assert page.locator("#verdict").inner_text() == "No verdict"
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert axe_violations(page) == []
