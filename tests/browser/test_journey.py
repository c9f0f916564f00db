"""The whole way through the app in a real browser: load, audit, explain, block, download, verify."""

import re
import zipfile
from urllib.parse import quote

import pytest

import discreet
from discreet.data.generate import clinic as generated

READY = '#verdict[data-ready="true"]'


def load(page, server, file):
    """Hand a file to the start page, confirm how it is read, and wait for the first verdict."""
    page.goto(server.address)
    page.set_input_files("input[type=file]", file)
    page.get_by_role("button", name="This is right").click()
    page.wait_for_selector(READY, timeout=60_000)


def settle(page, *, min_support, k=None):
    """Type thresholds, and wait for the verdict that belongs to them."""
    if k is not None:
        page.get_by_role("spinbutton", name="k, as a number").fill(str(k))
    page.get_by_role("textbox", name="Minimum support").fill(min_support)
    page.wait_for_url(re.compile(f"min_support={quote(min_support)}(&|$)"))
    page.wait_for_selector(READY, timeout=60_000)


def journey(page, server, file, tmp_path, *, min_support, k):
    """Load, audit, explain, block, download, verify; return the audit's verdict and the unpacked release."""
    load(page, server, file)
    settle(page, min_support=min_support, k=k)
    verdict = page.locator("#verdict").inner_text()
    page.locator("#channels tbody tr").first.click()
    panel = page.get_by_role("region", name="What this reveals")
    panel.locator("svg").first.wait_for()
    page.get_by_role("link", name="Make it safe").click()
    page.get_by_role("table", name="Methods compared").wait_for(timeout=120_000)
    page.get_by_role("radio", name=re.compile("^add Rows")).check()
    page.locator("#methods tr[data-chosen][data-name=add]").wait_for()
    page.locator("#released:not(.stale)").wait_for(timeout=60_000)
    with page.expect_download(timeout=60_000) as download:
        page.get_by_role("button", name="Download release").or_(
            page.get_by_role("link", name="Download release")
        ).first.click()
    place = tmp_path / "release.zip"
    download.value.save_as(place)
    page.get_by_role("link", name="Verify", exact=True).click()
    page.wait_for_url(re.compile("/verify"))
    page.wait_for_load_state()
    page.locator("input[type=file]:not([webkitdirectory])").set_input_files(place)
    page.wait_for_selector("#verified")
    page.get_by_text(re.compile("GOOD")).first.wait_for()
    return verdict, panel, place


def test_a_clinic_goes_from_its_rows_to_a_verified_release(page, server, clinic, tmp_path):
    verdict, _, place = journey(page, server, clinic, tmp_path, min_support="5%", k=10)
    assert "WITHHOLD" in verdict
    assert "NOT GOOD" not in page.locator("#verified").inner_text()
    with zipfile.ZipFile(place) as archive:
        archive.extractall(tmp_path / "release")
    folder = next(path.parent for path in (tmp_path / "release").rglob("release.json"))
    assert discreet.verify(folder).is_good
    expected = discreet.block(generated(2000, seed=1), min_support="5%", k=10, method="add").patterns
    assert dict(discreet.read_patterns(folder / "patterns.json")) == dict(expected)
    assert not any("DO-NOT-RELEASE" in path.name for path in folder.iterdir())


def test_mushrooms_go_from_their_rows_to_a_verified_release(page, server, mushroom, tmp_path):
    verdict, _, _ = journey(page, server, mushroom, tmp_path, min_support="25%", k=10)
    assert "WITHHOLD" in verdict
    assert "NOT GOOD" not in page.locator("#verified").inner_text()


def test_what_is_advised_is_done_by_its_button(page, server, clinic, tmp_path):
    load(page, server, clinic)
    settle(page, min_support="5%", k=10)
    page.get_by_role("link", name="Make it safe").click()
    page.locator("#released:not(.stale):not([hidden])").wait_for(timeout=120_000)
    advice = discreet.advise(generated(2000, seed=1), min_support="5%", k=10)
    assert page.locator("#advised").inner_text() == advice.recommendation
    assert page.locator("#remedies tbody tr").count() == len(advice.remedies)
    assert page.locator("#remedies tr[data-chosen] .badge").inner_text() == "recommended"
    assert [page.locator("#causes tbody th").nth(at).inner_text() for at in range(5)] == [
        cause.name for cause in advice.items[:5]
    ]
    page.get_by_role("button", name="Do this: leave out diabetes type 2", exact=True).click()
    page.locator("#remedies tr[data-chosen]").filter(has_text="Leave out diabetes type 2").wait_for()
    page.locator("#done").filter(has_text="215 of 334").wait_for(timeout=60_000)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download release").click()
    download.value.save_as(tmp_path / "release.zip")
    with zipfile.ZipFile(tmp_path / "release.zip") as archive:
        archive.extractall(tmp_path)
    chosen = {"method": "withhold", "leave_out": ["diabetes type 2"]}
    expected = discreet.block(generated(2000, seed=1), min_support="5%", k=10, **chosen).patterns
    assert dict(discreet.read_patterns(tmp_path / "release" / "patterns.json")) == dict(expected)
    assert "diabetes" not in page.url


def test_advice_follows_the_settings(page, server, clinic):
    load(page, server, clinic)
    page.get_by_role("link", name="Make it safe").click()
    page.locator("#remedies tbody tr").first.wait_for(timeout=120_000)
    page.get_by_role("textbox", name="Minimum support").fill("50%")
    page.locator("#advised").filter(has_text="Nothing needs to be done").wait_for(timeout=60_000)
    assert page.locator("#remedies tbody tr").count() == 1
    assert page.locator("#causes").is_hidden()


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("empty.csv", b"", "empty"),
        ("broken.parquet", b"\x00\xff broken", "Parquet"),
        ("large.csv", b"a,b\n" * 600_000, "2"),
    ],
    ids=["empty", "broken", "over the limit"],
)
def test_what_cannot_be_read_is_told_in_a_sentence(page, server, tmp_path, name, content, sentence):
    place = tmp_path / name
    place.write_bytes(content)
    page.goto(server.address)
    page.set_input_files("input[type=file]", place)
    alert = page.get_by_role("alert").filter(has_text=sentence)
    alert.first.wait_for(timeout=20_000)


def test_a_label_that_is_a_script_is_shown_as_text(page, server, tmp_path):
    label = "<script>alert(1)</script>"
    place = tmp_path / "labels.csv"
    place.write_text(f"{label},tea\n" * 48 + f"{label}\n" * 2 + "milk\n" * 50, encoding="utf-8")
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    load(page, server, place)
    settle(page, min_support="10", k=10)
    row = page.locator("#channels tbody tr").filter(has_text=label)
    row.first.click()
    page.get_by_role("region", name="What this reveals").get_by_text(label).first.wait_for()
    assert dialogs == []


def test_a_page_comes_back_from_its_address(page, server, clinic):
    load(page, server, clinic)
    settle(page, min_support="8%", k=7)
    before = page.locator("#verdict").inner_text()
    page.reload()
    page.wait_for_selector(READY)
    assert page.locator("#verdict").inner_text() == before
    assert "hypertension" not in page.url
