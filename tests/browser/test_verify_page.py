"""Verify in a real browser: no result claims more than is proven, and a receipt of it fits on one page."""

import base64
import re
import zipfile

import pytest
from files import write_zip

import discreet
from discreet.data.generate import clinic as generated

DROP = """([region, name, data]) => {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const transfer = new DataTransfer();
  transfer.items.add(new File([bytes], name));
  const event = (kind) => new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true });
  for (const kind of ["dragenter", "dragover", "drop"]) document.querySelector(region).dispatchEvent(event(kind));
}"""
WHOSE = "Enter the publisher's fingerprint to prove whose they are."
OURS = "These are the publisher's numbers"
DONE = "#print:enabled"


def drop(page, region, place):
    """Drop a file on a region of a page."""
    page.evaluate(DROP, [region, place.name, base64.b64encode(place.read_bytes()).decode()])


def blocked(rows, folder, **options):
    """Write a release of rows, and its zip; return both."""
    release = discreet.block(rows, min_support="5%", k=10, method="withhold", **options)
    discreet.write_release(release, folder)
    return folder, write_zip(folder)


@pytest.fixture(scope="session")
def releases(tmp_path_factory):
    """Releases of a clinic: last year's, this year's alone, and this year's beside last year's."""
    place, rows = tmp_path_factory.mktemp("releases"), discreet.Transactions(list(generated(2000, seed=1)))
    old, old_zip = blocked(discreet.Transactions(list(rows)[:1900]), place / "last-year")
    new, new_zip = blocked(rows, place / "this-year")
    beside, beside_zip = blocked(rows, place / "beside", beside=old, grown=True)
    return {"old": (old, old_zip), "new": (new, new_zip), "beside": (beside, beside_zip)}


@pytest.fixture
def verify(page, server):
    """The page Verify."""
    page.goto(server.address)
    page.goto(f"{server.origin}/verify")
    page.wait_for_load_state("networkidle")
    return page


def result(page):
    page.wait_for_selector(DONE, timeout=60_000)
    return page.locator("#verified").inner_text()


def enter(page, fingerprint):
    page.get_by_role("textbox", name="The publisher's fingerprint").fill(fingerprint)


def test_who_types_a_fingerprint_while_a_release_is_read_goes_on(verify, releases):
    field = verify.get_by_role("textbox", name="The publisher's fingerprint")
    field.focus()
    drop(verify, "#drop", releases["new"][1])
    result(verify)
    verify.keyboard.type("0a")
    assert field.input_value() == "0a"
    above, below = (verify.locator(one).bounding_box()["y"] for one in ("#fingerprint-card", "#drop"))
    assert above < below


def test_a_forged_release_is_consistent_but_nobodys_until_the_fingerprint_refutes_it(verify, releases):
    (_, forged), (real, _) = releases["old"], releases["new"]
    drop(verify, "#drop", forged)
    assert WHOSE in result(verify)
    told = verify.locator("main").inner_text()
    assert OURS not in told
    assert re.search("unchanged|not changed|untouched|authentic", told) is None
    assert "Whose numbers these are, and whether somebody changed them" in verify.locator("#not-proven").inner_text()
    digest = discreet.verify(real).digest.upper()
    enter(verify, " ".join(digest[at : at + 4] for at in range(0, 64, 4)))
    verify.locator("#verified").get_by_text("NOT GOOD").wait_for()
    assert "This is not the publisher's release" in result(verify)
    assert not verify.locator("#proven").is_visible()
    assert not verify.locator("#digest").is_visible()


def test_another_fingerprint_is_shown_beside_that_of_the_files(verify, releases):
    folder, place = releases["new"]
    digest = discreet.verify(folder).digest
    wrong = f"{digest[:8]}{'f' if digest[8] == '0' else '0'}{digest[9:]}"
    drop(verify, "#drop", place)
    enter(verify, wrong)
    verify.locator("#verified").get_by_text("1 character of the fingerprint differs").wait_for()
    assert verify.locator("#fingerprints code").all_inner_texts() == [wrong, digest]
    assert verify.locator("#fingerprints mark").all_inner_texts() == [wrong[8:12], digest[8:12]]
    enter(verify, "0" * 64)
    verify.locator("#verified").get_by_text("or the fingerprint was mistyped. Do not use these files.").wait_for()


def test_the_right_fingerprint_is_compared_at_once(verify, releases):
    folder, place = releases["new"]
    drop(verify, "#drop", place)
    assert OURS not in result(verify)
    enter(verify, f"  {discreet.verify(folder).digest.upper()} ")
    verify.locator("#verified").get_by_text(OURS).wait_for()
    assert OURS in verify.locator("#proven").inner_text()
    assert verify.locator("#digest").inner_text() == discreet.verify(folder).digest
    enter(verify, "")
    verify.locator("#verified").get_by_text(WHOSE).wait_for()


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("ab12", "A fingerprint has 64 digits and letters; this has 4."),
        ("xyz" + "0" * 61, "A fingerprint has digits and letters from a to f alone; this has x y z as well."),
    ],
)
def test_a_fingerprint_of_a_wrong_form_is_told_and_makes_the_result_stale(verify, releases, typed, told):
    drop(verify, "#drop", releases["new"][1])
    assert WHOSE in result(verify)
    enter(verify, typed)
    verify.get_by_role("alert").filter(has_text=told).wait_for()
    verify.locator("#verified.stale").get_by_text("NOT CHECKED").wait_for()
    assert verify.get_by_role("button", name="Print a receipt").is_disabled()
    assert verify.get_by_role("textbox", name="The publisher's fingerprint").get_attribute("aria-invalid") == "true"


def test_rows_that_are_dropped_are_led_to_where_rows_are_loaded(verify, clinic):
    drop(verify, "#drop", clinic)
    verify.wait_for_url(re.compile(r"/\?upload="))
    verify.get_by_role("heading", name="How the file is read").wait_for(timeout=60_000)


def test_a_release_that_is_dropped_on_another_page_arrives(page, server, releases):
    page.goto(server.address)
    page.goto(f"{server.origin}/query")
    page.wait_for_load_state("networkidle")
    drop(page, "main", releases["new"][1])
    page.wait_for_url(re.compile("/verify"))
    assert WHOSE in result(page)
    assert page.locator("#came").inner_text() == "this-year.zip"


def test_the_receipt_is_one_page_with_the_fingerprint_and_room_to_sign(verify, releases):
    folder, place = releases["new"]
    drop(verify, "#drop", place)
    enter(verify, discreet.verify(folder).digest)
    verify.locator("#verified").get_by_text(OURS).wait_for()
    result(verify)
    assert not verify.locator("#receipt").is_visible()
    assert re.findall(rb"/Count (\d+)", verify.pdf(format="A4")) == [b"1"]
    verify.emulate_media(media="print")
    told = verify.locator("#receipt").inner_text()
    for words in ("this-year.zip", discreet.verify(folder).digest, discreet.__version__, "Not proven", "Signature"):
        assert words in told
    assert re.search(r"\d{1,2} \w+ \d{4} at \d\d:\d\d", told)
    assert not verify.get_by_role("heading", name="Verify a release").is_visible()
    verify.emulate_media(media="screen")
    assert verify.get_by_role("heading", name="Verify a release").is_visible()


def test_a_receipt_of_a_release_with_many_faults_is_one_page_too(verify, releases, tmp_path):
    with zipfile.ZipFile(tmp_path / "broken.zip", "w") as archive:
        for file in filter(lambda path: path.is_file(), releases["new"][0].iterdir()):
            archive.writestr(file.name, file.read_bytes().replace(b"support", b"suport"))
    drop(verify, "#drop", tmp_path / "broken.zip")
    assert "NOT GOOD" in result(verify)
    assert re.findall(rb"/Count (\d+)", verify.pdf(format="A4")) == [b"1"]


def test_older_releases_are_added_and_checked_together(verify, releases):
    drop(verify, "#drop", releases["beside"][1])
    assert "older release" not in verify.locator("#proven").inner_text()
    result(verify)
    drop(verify, "#older-section", releases["new"][1])
    verify.get_by_role("alert").filter(has_text="none that this one was made beside").wait_for()
    drop(verify, "#older-section", releases["old"][1])
    verify.get_by_text("checked together").wait_for()
    assert "Together with 1 older release" in verify.locator("#proven").inner_text()


def test_a_folder_that_was_handed_over_is_verified_with_its_files_for_readers(verify, releases, tmp_path):
    folder = tmp_path / "handed-over"
    for name in ("release", "readers"):
        (folder / name).mkdir(parents=True)
    for file in filter(lambda path: path.is_file(), releases["new"][0].iterdir()):
        (folder / "release" / file.name).write_bytes(file.read_bytes())
    (folder / "readers" / "patterns.xlsx").write_text("x", encoding="utf-8")
    verify.locator("#folder").set_input_files(folder)
    assert WHOSE in result(verify)
    assert "Not checked: the files for readers (patterns.xlsx)." in verify.locator("#not-proven").inner_text()
    (folder / "readers" / "patterns.csv").write_text("x", encoding="utf-8")
    verify.locator("#folder").set_input_files(folder)
    verify.locator("#faults").get_by_text("Patterns.csv for readers is not what this release makes").wait_for()


def test_a_result_is_still_there_after_a_reload(verify, releases):
    drop(verify, "#drop", releases["new"][1])
    assert WHOSE in result(verify)
    verify.reload()
    assert WHOSE in result(verify)


def test_the_keyboard_alone_verifies(verify, releases):
    with verify.expect_file_chooser() as chooser:  # from the start: a browser takes a while to let us choose
        for _ in range(40):
            verify.keyboard.press("Tab")
            if verify.evaluate("document.activeElement.id") == "choose-zip":
                break
        verify.keyboard.press("Enter")
    chooser.value.set_files(releases["new"][1])
    assert WHOSE in result(verify)
