"""How a file is read, in a real browser: shown before anything is judged, chosen where it is unclear, and changed."""

import random
import re

import pytest
from files import PATTERNS, RULES, STARS, TREE, UNCLEAR, csv
from test_journey import READY


def written(tmp_path, text, name="rows.csv"):
    """A file of this text."""
    place = tmp_path / name
    place.write_text(text, encoding="utf-8")
    return place


@pytest.fixture
def visits(tmp_path):
    """Visits and diagnoses, which may be a long table or a table of attributes."""
    return written(tmp_path, UNCLEAR)


@pytest.fixture
def patients(tmp_path):
    """A table with an id, a patient with several rows, a number, and text for missing values."""
    chance = random.Random(5)  # noqa: S311 - patients who do not exist
    lines = (
        [7000 + at, 100 + at % 150, chance.choice("fm?"), chance.randrange(20, 80), chance.choice(["yes", "no"])]
        for at in range(300)
    )
    return written(tmp_path, csv(["encounter_id", "patient_id", "sex", "age", "smoker"], lines))


def hand_over(page, server, file):
    """Hand a file to the start page, and wait until it says how it is read."""
    page.goto(server.address)
    page.set_input_files("#file", file)
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


@pytest.mark.parametrize(
    ("name", "text", "title", "told"),
    [
        ("patterns.csv", PATTERNS, "A list of patterns", "4 frequent itemsets"),
        ("rules.csv", RULES, "A list of rules", ""),
        ("tree.txt", TREE, "A decision tree", ""),
        ("stars.csv", STARS, "Tables of counts", "3 counts"),
    ],
    ids=["patterns", "rules", "tree", "tables"],
)
def test_every_kind_of_file_is_read_as_what_it_holds(page, server, tmp_path, name, text, title, told):
    page.goto(server.address)
    page.set_input_files("#file", written(tmp_path, text, name))
    page.get_by_role("heading", name=title).wait_for(timeout=60_000)
    assert told in page.locator("#sentence").inner_text()
    assert page.locator("#raw").inner_text().startswith(text.split("\n")[0])
    assert name != "patterns.csv" or page.locator("#read-title").inner_text().startswith("All 4 itemsets")


def test_what_a_mark_means_is_changed_by_its_button(page, server, tmp_path):
    hand_over(page, server, written(tmp_path, STARS))
    page.get_by_role("button", name="* means any count, 2 cells").click()
    field = page.get_by_role("textbox", name="Meaning of marks")
    assert field.input_value() == "*=0.."
    page.keyboard.type("1..10")
    assert field.input_value() == "*=1..10"
    field.press("Tab")
    page.get_by_role("button", name="* means 1 to 10, 2 cells").wait_for()
    page.get_by_role("button", name="This is right").click()
    page.wait_for_selector(READY, timeout=60_000)
    page.get_by_role("textbox", name="k", exact=True).fill("11")
    page.locator("#banner[data-verdict=WITHHOLD]").locator(READY).wait_for()
    page.reload()
    page.wait_for_selector(READY)
    assert page.locator("#banner").get_attribute("data-verdict") == "WITHHOLD"
    page.locator("#published td.found").first.wait_for()
    assert page.locator("#published td.found").count() == 2


def test_what_was_taken_for_rows_can_be_read_as_tables(page, server, tmp_path):
    form = hand_over(page, server, written(tmp_path, "tea,milk\nmilk,wine\n"))
    form.get_by_role("button", name="Read it differently").click()
    form.get_by_role("combobox", name="The file holds").select_option("tables")
    page.get_by_role("alert").filter(has_text="Column of counts").wait_for()
    assert page.get_by_role("combobox", name="Column of counts").is_visible()
    assert page.get_by_role("button", name="This is right").is_disabled()


def test_a_text_that_is_as_before_can_be_confirmed(page, server, tmp_path):
    hand_over(page, server, written(tmp_path, PATTERNS, "patterns.csv"))
    page.get_by_role("button", name="Read it differently").click()
    field = page.get_by_role("textbox", name="Longest itemset")
    field.press_sequentially("3")
    assert page.get_by_role("button", name="This is right").is_disabled()
    field.press("Backspace")
    field.blur()
    page.get_by_role("button", name="This is right").click(timeout=20_000)
    page.wait_for_url(re.compile("/check"))
