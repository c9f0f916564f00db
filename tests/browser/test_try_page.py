"""The page in the browser alone: opened from disk, without a network, it finds what the command line finds."""

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from urllib.error import URLError

import pandas as pd
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


@pytest.fixture
def files(tmp_path):
    """A large clinic, whose audit takes a moment, and a small one."""
    places = [tmp_path / "large.csv", tmp_path / "small.csv"]
    for place, people in zip(places, (20_000, 500), strict=True):
        discreet.write(discreet.Transactions(clinic(people, seed=1)), place)
    return places


def wait_for_end(page):
    """Wait until nothing is at work."""
    page.locator("#status", has_text=re.compile("Auditing|waits")).wait_for(state="detached", timeout=60_000)
    page.wait_for_timeout(100)


def drop(page, *names):
    """Drop files that hold little, as a user does."""
    script = """names => {
      const dataTransfer = new DataTransfer();
      for (const name of names) dataTransfer.items.add(new File(["a,b\\n"], name));
      document.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    }"""
    page.evaluate(script, names)


def test_no_verdict_is_shown_beside_other_settings(opened, files):
    opened.fill("#support", "30%")
    opened.fill("#k", "2")
    opened.set_input_files("#file", files[0])
    opened.locator("#verdict", has_text="RELEASE").wait_for(timeout=10_000)
    opened.fill("#k", "5000")
    assert opened.locator("#result").is_hidden()
    opened.fill("#k", "2")
    opened.click("#audit")
    opened.fill("#k", "5000")  # the audit for 2 is at work
    wait_for_end(opened)
    assert opened.locator("#result").is_hidden()
    assert opened.locator("#status").inner_text() == "The settings have changed: press Audit."
    opened.click("#audit")
    opened.locator("#command", has_text="-k 5000").wait_for(timeout=10_000)


def test_the_file_that_was_dropped_last_is_the_one_that_is_judged(opened, files):
    for file in files:
        opened.set_input_files("#file", file)
    opened.locator("#words", has_text="small.csv").wait_for(timeout=30_000)
    assert "large.csv" not in opened.locator("#result").inner_text()
    opened.set_input_files("#file", files[0])
    drop(opened, "one.csv", "two.csv")
    wait_for_end(opened)
    assert opened.locator("#verdict").inner_text() == "No verdict"
    assert opened.locator("#said").inner_text() == "Several files were dropped; drop one."
    assert opened.locator("#audit").is_disabled()


def test_a_file_that_was_changed_since_it_was_chosen_must_be_chosen_again(opened, files):
    opened.set_input_files("#file", files[1])
    opened.locator("#verdict", has_text="WITHHOLD").wait_for(timeout=10_000)
    files[1].write_text("a,b\n", encoding="utf-8")
    opened.click("#audit")
    opened.locator("#verdict", has_text="No verdict").wait_for(timeout=10_000)
    assert "small.csv cannot be read" in opened.locator("#said").inner_text()
    opened.set_input_files("#file", files[1])
    wait_for_end(opened)
    assert "cannot be read" not in opened.locator("#said").inner_text()


def test_an_option_that_has_a_field_is_not_given_twice(opened, files):
    opened.fill("#others", "-k2")
    opened.set_input_files("#file", files[1])
    opened.locator("#verdict").wait_for(timeout=10_000)
    assert opened.locator("#verdict").inner_text() == "No verdict"
    assert opened.locator("#said").inner_text().startswith("error: -k is given twice;")


@pytest.mark.parametrize(
    ("write", "suffix", "said"),
    [
        (
            "to_excel",
            "xlsx",
            "error: the page has no reader of spreadsheets; save the sheet as CSV, or install discreet",
        ),
        (
            "to_parquet",
            "parquet",
            "error: the page has no reader of this kind of file; save it as CSV, or install discreet",
        ),
    ],
)
def test_what_the_page_cannot_read_is_said_in_words(write, suffix, said, opened, tmp_path):
    file, frame = tmp_path / f"people.{suffix}", pd.DataFrame({"sex": ["f", "m"] * 20})
    getattr(frame, write)(file)
    opened.set_input_files("#file", file)
    opened.locator("#verdict").wait_for(timeout=10_000)
    assert (opened.locator("#verdict").inner_text(), opened.locator("#said").inner_text()) == ("No verdict", said)


def test_twenty_thousand_rows_with_ids_are_judged(opened, tmp_path):
    file = tmp_path / "people.csv"
    lines = (f"{number},{'fm'[number % 2]},{number % 7}\n" for number in range(20_000))
    file.write_text("".join(["id,sex,group\n", *lines]), encoding="utf-8")
    opened.fill("#others", "--person id")
    opened.set_input_files("#file", file)
    opened.locator("#verdict").wait_for(timeout=30_000)
    assert opened.locator("#verdict").inner_text() == "RELEASE", opened.locator("#result").inner_text()


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
