"""Tables of counts in a real browser: a file is judged, what is revealed is marked, and a change makes it stale."""

import re

import pytest
from test_journey import READY

SMOKERS = (
    "sex,smoker,n\nTotal,Total,180\nf,Total,90\nm,Total,90\nTotal,yes,50\nTotal,no,130\n"
    "f,yes,<11\nf,no,85\nm,yes,45\nm,no,45\n"
)
STARS = "sex,n\nTotal,20\nf,*\nm,*\n"
WIDE = (
    f"ward,{','.join(f'group {at}' for at in range(14))},Total\n"
    f"east,{','.join(['30'] * 14)},420\nwest,{','.join(['40'] * 13)},<11,525\n"
)
DROP = """([text, name]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  const event = (kind) => new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true });
  for (const kind of ["dragenter", "dragover", "drop"]) document.getElementById("drop").dispatchEvent(event(kind));
}"""


def drop(page, server, text, name="smokers.csv"):
    """Drop a file on the page of tables, and wait for the verdict."""
    page.goto(server.address)
    page.goto(f"{server.origin}/tables")
    page.wait_for_load_state("networkidle")
    page.evaluate(DROP, [text, name])
    page.wait_for_selector(READY, timeout=60_000)


def type_k(page, k):
    page.get_by_role("spinbutton", name="k, as a number").fill(str(k))


def test_a_dropped_table_is_withheld_and_its_cell_is_marked(page, server):
    drop(page, server, SMOKERS)
    type_k(page, 11)
    page.wait_for_url(re.compile("k=11"))
    page.wait_for_selector(READY)
    assert "WITHHOLD" in page.locator("#verdict").inner_text()
    assert page.locator("#sentence").inner_text().startswith("Read as tables of counts: one count per line: 9 counts")
    marked = page.locator("#tables td.found")
    assert marked.count() == 1
    assert (marked.locator("s").inner_text(), marked.locator("strong").inner_text()) == ("<11", "5")
    marked.get_by_role("button", name="Sum 1").click()
    assert page.evaluate("document.activeElement.innerText") == "sex f, smoker yes = sex f 90 − sex f, smoker no 85 = 5"
    assert page.locator("#findings tbody tr").count() == 1
    assert "smoker" not in page.url


def test_a_verdict_is_stale_from_the_first_change_of_a_setting(page, server):
    drop(page, server, SMOKERS)
    page.route("**/api/tables", lambda _: None)  # no answer comes
    type_k(page, 3)
    page.wait_for_selector('#verdict[data-ready="false"]')
    for part in ("#verdict", "#found", "#sentence"):
        assert "stale" in page.locator(part).get_attribute("class")
    assert page.get_by_role("button", name="Download report").is_disabled()
    page.unroute("**/api/tables")
    type_k(page, 4)
    page.wait_for_selector(READY)
    assert "RELEASE" in page.locator("#verdict").inner_text()
    assert page.locator("#tables td.found").count() == 0
    page.get_by_role("button", name="Read it differently").click()
    page.get_by_role("textbox", name="Meaning of marks").press_sequentially("<")
    assert page.locator("#verdict.stale").count() == 1


def test_what_a_mark_means_is_changed_by_its_button(page, server):
    drop(page, server, STARS)
    assert "RELEASE" in page.locator("#verdict").inner_text()
    page.get_by_role("button", name="* means any count, 2 cells").click()
    field = page.get_by_role("textbox", name="Meaning of marks")
    assert field.input_value() == "*=0.."
    page.keyboard.type("1..10")
    assert field.input_value() == "*=1..10"
    field.press("Enter")
    page.get_by_role("button", name="* means 1 to 10, 2 cells").wait_for()
    type_k(page, 11)
    page.locator("#verdict").get_by_text("WITHHOLD").wait_for()
    page.reload()
    page.wait_for_selector(READY)
    assert page.get_by_role("textbox", name="Meaning of marks").input_value() == "*=1..10"
    assert page.locator("#tables td.found").count() == 2


def test_what_is_no_table_of_counts_is_told_in_a_sentence(page, server):
    page.goto(server.address)
    page.goto(f"{server.origin}/tables")
    page.wait_for_load_state("networkidle")
    page.evaluate(DROP, ["tea,milk\nmilk,wine\n", "baskets.csv"])
    page.get_by_role("alert").filter(has_text="name its column of counts with the field Column of counts").wait_for()
    assert "No verdict" in page.locator("#verdict").inner_text()
    assert page.get_by_role("combobox", name="Column of counts").is_visible()
    page.get_by_role("button", name="Choose another file").click()
    page.get_by_role("button", name="Try an example").click()
    page.locator("#verdict").get_by_text("WITHHOLD").wait_for()


def test_its_report_can_be_downloaded(page, server, tmp_path):
    drop(page, server, SMOKERS)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download report").click()
    download.value.save_as(tmp_path / "report.html")
    assert "<strong>5</strong><sup>1</sup>" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_start_page_leads_tables_of_counts_to_their_page(page, server, tmp_path):
    place = tmp_path / "wards.csv"
    place.write_text("ward,young,old,Total\neast,99,81,180\nwest,<11,20,28\nTotal,107,101,208\n", encoding="utf-8")
    page.goto(server.address)
    page.set_input_files("input[type=file]", place)
    page.get_by_role("alert").filter(has_text="holds tables of counts").get_by_role("link").click()
    page.wait_for_selector(READY, timeout=60_000)
    assert page.locator("#tables td.found strong").inner_text() == "8"


def test_a_value_that_is_a_script_is_shown_as_text(page, server):
    script = "<script>alert(1)</script>"
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    drop(page, server, f"sex,n\nTotal,180\n{script},177\nm,<11\n")
    page.locator("#tables").get_by_text(script).first.wait_for()
    page.locator("#findings").get_by_text(script).first.wait_for()
    assert dialogs == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_read_the_tables(page, server, axe_violations, scheme):
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto(server.address)
    page.goto(f"{server.origin}/tables")
    assert axe_violations(page) == []
    drop(page, server, SMOKERS)
    page.get_by_role("button", name="Read it differently").click()
    assert axe_violations(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    for text in (SMOKERS, WIDE):
        drop(page, server, text)
        assert page.locator("#tables td.found").count() == 1
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
