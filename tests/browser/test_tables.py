"""Tables of counts in a real browser: what is revealed is marked in its place, and a change makes it stale."""

import re

import pytest
from files import TABLE, WIDE
from test_journey import FIXED, READY, load


@pytest.fixture
def judged(page, server, tmp_path):
    """What loads tables, and waits for their verdict."""

    def judge(text):
        place = tmp_path / "tables.csv"
        place.write_text(text, encoding="utf-8")
        load(page, server, place)
        return page

    return judge


def type_k(page, k):
    page.get_by_role("textbox", name="k", exact=True).fill(str(k))


def test_a_table_is_withheld_and_its_cell_is_marked(judged):
    page = judged(TABLE)
    type_k(page, 11)
    page.wait_for_url(re.compile("k=11"))
    page.wait_for_selector(READY)
    assert "WITHHOLD" in page.locator("#verdict").inner_text()
    page.locator("#facts summary").click()
    assert "Read as tables of counts: one count per line: 9 counts" in page.locator("#facts-body").inner_text()
    marked = page.locator("#published td.found")
    assert marked.count() == 1
    assert (marked.locator("s").inner_text(), marked.locator("strong").inner_text()) == ("<11", "5")
    marked.get_by_role("button").click()
    assert page.evaluate("document.activeElement.innerText") == "sex f, smoker yes = sex f 90 − sex f, smoker no 85 = 5"
    assert page.locator("#findings tbody tr").count() == 1
    assert "smoker" not in page.url


def test_a_verdict_is_stale_from_the_first_change_of_a_setting(judged):
    page = judged(TABLE)
    page.route("**/api/audit*", lambda _: None)  # no answer comes
    type_k(page, 3)
    assert page.locator('#verdict.stale[data-ready="false"]').count() == 1
    assert page.locator("#results.stale").count() == 1
    assert page.get_by_role("button", name="Download confidential report").is_disabled()
    page.unroute("**/api/audit*")
    type_k(page, 4)
    page.wait_for_selector(READY)
    assert "RELEASE" in page.locator("#verdict").inner_text()
    page.locator("#published td.found").wait_for(state="detached")


def test_its_report_can_be_downloaded(judged, tmp_path):
    page = judged(TABLE)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download confidential report").click()
    download.value.save_as(tmp_path / "report.html")
    assert "<strong>5</strong><sup>1</sup>" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_value_that_is_a_script_is_shown_as_text(judged, page):
    script = "<script>alert(1)</script>"
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    judged(f"sex,n\nTotal,180\n{script},177\nm,<11\n")
    page.locator("#published").get_by_text(script).first.wait_for()
    page.locator("#findings").get_by_text("sex m").first.wait_for()
    page.locator("#decisive").get_by_text(script).first.wait_for()
    assert dialogs == []


def test_every_remedy_of_a_table_is_a_card(judged):
    page = judged(TABLE)
    page.get_by_role("link", name="Fix it").click()
    page.wait_for_url(re.compile("/fix"))
    page.wait_for_selector(FIXED)
    assert page.locator("#banner").get_attribute("data-verdict") == "RELEASE"
    cards = page.locator("#remedies li").evaluate_all("cards => cards.map((card) => card.dataset.method)")
    assert set(cards) == {"suppress", "round", "collapse"}
    assert page.locator("#released table").count() > 0
    page.get_by_role("radio", name=re.compile("^Round all counts")).check()
    page.locator("#verdict").get_by_text("If you round all counts").wait_for()
    assert page.locator("[data-step=fix] .step-state").inner_text() == "made safe"
    assert "*" not in page.locator("#tables").inner_text()


def test_wide_tables_do_not_widen_the_page(judged, page):
    page.set_viewport_size({"width": 360, "height": 740})
    judged(WIDE)
    page.locator("#published td.found").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
