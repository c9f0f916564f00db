"""How a file is read, in a real browser: shown before anything is judged, chosen where it is unclear, and changed."""

import random
import re

import pytest
from test_journey import READY

DRAWN = random.Random(5)  # noqa: S311 - visits that did not happen


def written(tmp_path, lines):
    """A file of these lines."""
    place = tmp_path / "rows.csv"
    place.write_text("".join(f"{','.join(map(str, line))}\n" for line in lines), encoding="utf-8")
    return place


@pytest.fixture
def visits(tmp_path):
    """Visits and diagnoses, which may be a long table or a table of attributes."""
    lines = ([at // 2, f"d{DRAWN.randrange(6)}", f"w{DRAWN.randrange(3)}"] for at in range(400))
    return written(tmp_path, [["visit_id", "diagnosis", "ward"], *lines])


@pytest.fixture
def patients(tmp_path):
    """A table with an id, a patient with several rows, a number, and text for missing values."""
    lines = (
        [7000 + at, 100 + at % 150, DRAWN.choice("fm?"), DRAWN.randrange(20, 80), DRAWN.choice(["yes", "no"])]
        for at in range(300)
    )
    return written(tmp_path, [["encounter_id", "patient_id", "sex", "age", "smoker"], *lines])


def hand_over(page, server, file):
    """Hand a file to the start page, and wait until it says how it is read."""
    page.goto(server.address)
    page.set_input_files("input[type=file]", file)
    page.locator("#sentence").filter(has_text=re.compile(r"\.$")).wait_for(timeout=60_000)
    return page.get_by_role("form", name=re.compile("How"))


def says(page, words):
    """Wait until the reading says so."""
    page.locator("#sentence").filter(has_text=words).wait_for(timeout=20_000)


def test_a_file_that_may_be_read_in_two_ways_is_read_as_chosen(page, server, visits):
    form = hand_over(page, server, visits)
    assert "choose what is meant" in page.locator("#sentence").inner_text()
    assert form.get_by_role("button", name="This is right").count() == 0
    assert page.locator("#read tr").count() == 0
    form.get_by_role("button", name="Each line is a row id and an item").click()
    says(page, "Read as a long table: 200 rows")
    assert page.locator("#read tr").count() == 3
    form.get_by_role("button", name="This is right").click()
    page.wait_for_selector(READY, timeout=60_000)
    assert "Read as a long table: 200 rows" in page.locator("#facts-body").text_content()


def test_the_other_reading_gives_other_rows(page, server, visits):
    form = hand_over(page, server, visits)
    form.get_by_role("button", name="Each column is an attribute").click()
    says(page, "Read as a table: 400 rows")
    assert page.locator("#read tr").first.get_by_text("ward=").count() == 1


def test_a_reading_can_be_changed(page, server, patients):
    form = hand_over(page, server, patients)
    says(page, "encounter_id left out as an id")
    form.get_by_role("button", name="Read it differently").click()
    form.get_by_role("textbox", name="Group the numbers of age").fill("20")
    form.get_by_role("textbox", name="Group the numbers of age").press("Tab")
    page.locator("#read").get_by_text(re.compile("age=.*–")).first.wait_for()
    form.get_by_role("checkbox", name="Use smoker").uncheck()
    says(page, re.compile("smoker.* left out"))
    assert page.locator("#read").get_by_text("smoker=").count() == 0
    form.get_by_text("Separator, encoding and more").click()
    form.get_by_role("textbox", name="Missing values").fill("?")
    form.get_by_role("textbox", name="Missing values").press("Tab")
    says(page, re.compile("300 rows, 2 columns"))


def test_people_with_several_rows_are_merged_if_that_is_chosen(page, server, patients):
    form = hand_over(page, server, patients)
    form.get_by_role("button", name="Merge rows by patient_id").click()
    says(page, "150 people by patient_id, rows of one person are merged")
    form.get_by_role("button", name="Read it differently").click()
    form.get_by_role("combobox", name="Rows of one person").select_option("visit")
    says(page, "their rows stay apart")
    assert form.get_by_role("button", name="Merge rows by patient_id").count() == 0


def test_rows_can_be_read_as_another_shape(page, server, visits):
    form = hand_over(page, server, visits)
    form.get_by_role("button", name="Read it differently").click()
    form.get_by_role("radio", name=re.compile("^Long table")).check()
    page.get_by_role("alert").filter(has_text="which columns hold row ids and items").wait_for()
    form.get_by_role("combobox", name="Column of row ids").select_option("visit_id")
    form.get_by_role("combobox", name="Column of items").select_option("ward")
    says(page, "items in ward")


def test_everybody_can_choose_how_a_file_is_read(page, server, patients, visits, axe_violations):
    form = hand_over(page, server, visits)
    assert axe_violations(page) == []
    form = hand_over(page, server, patients)
    form.get_by_role("button", name="Read it differently").click()
    assert axe_violations(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
