"""Compare in a real browser: two releases that are safe alone, and what their difference reveals."""

import re

import pytest
from test_journey import READY
from test_verify_page import drop, releases  # noqa: F401 - a fixture

import discreet


@pytest.fixture
def compare(page, server):
    """The page Compare."""
    page.goto(server.address)
    page.goto(f"{server.origin}/compare")
    page.wait_for_load_state("networkidle")
    return page


def tell_story(page):
    page.get_by_role("button", name="Last year's and this year's release").click()
    page.wait_for_selector(READY, timeout=60_000)


def shown(page):
    """The differences that the page lists, as its lines of text."""
    more = page.get_by_role("button", name=re.compile("^Show .* more$"))
    if more.is_visible():
        more.click()
    lines = page.locator("#findings tbody tr")
    return [lines.nth(at).locator("td").all_inner_texts()[1:] for at in range(lines.count())]


def expected(releases, new):  # noqa: F811 - the value of the fixture
    """The differences that the library finds."""
    patterns = [discreet.read_patterns(releases[name][0] / "patterns.json") for name in (new, "old")]
    judged = discreet.audit(patterns[0], k=10, against=[patterns[1]], grown=True)
    return [[f"{one.before:,}", f"{one.after:,}", f"+{one.count}"] for one in judged.changes[0]]


def test_the_story_is_safe_alone_and_not_together(compare, releases):  # noqa: F811
    tell_story(compare)
    assert "WITHHOLD" in compare.locator("#verdict").inner_text()
    for name in ("The newer one alone", "The older one alone"):
        alone = compare.get_by_role("region", name=name).inner_text()
        assert ("Alone it would pass." in alone, "RELEASE" in alone) == (True, False)
    changes = expected(releases, "new")
    assert (
        compare.locator("#findings-told").inner_text()
        == f"the first 200 of {len(changes)} differences: search for others"
    )
    assert shown(compare) == changes[:200]
    assert compare.get_by_role("link", name="Load the newer rows").is_visible()
    assert "Older releases of the same people" in compare.locator("#next").inner_text()


def test_two_releases_that_are_dropped_are_compared(compare, releases, tmp_path):  # noqa: F811
    drop(compare, "#newer", releases["new"][1])
    drop(compare, "#older", releases["old"][1])
    compare.wait_for_selector(READY, timeout=60_000)
    assert "WITHHOLD" in compare.locator("#verdict").inner_text()
    compare.get_by_role("checkbox", name="People were only added since then").check()
    compare.wait_for_selector(READY)
    assert shown(compare) == expected(releases, "new")[:200]
    with compare.expect_download() as download:
        compare.get_by_role("button", name="Download confidential report").click()
    download.value.save_as(tmp_path / "report.html")
    assert "last-year.zip" in (tmp_path / "report.html").read_text(encoding="utf-8")
    drop(compare, "#newer", releases["beside"][1])
    compare.locator("#verdict").get_by_text("RELEASE", exact=True).wait_for()
    assert compare.get_by_text("No difference reveals fewer than k people.").is_visible()
    assert compare.locator("#next").is_hidden()
    assert "RELEASE" in compare.get_by_role("region", name="The newer one alone").inner_text()


def test_a_search_is_in_no_address(compare):
    tell_story(compare)
    compare.get_by_role("searchbox", name="Search items").fill("asthma")
    compare.locator("#findings-told").filter(has_text=re.compile(r"^\d+ of 448 differences$")).wait_for()
    assert all("asthma" in line for line in compare.locator("#findings tbody tr").all_inner_texts())
    assert "asthma" not in compare.url


def test_a_verdict_is_stale_from_the_first_change(compare):
    tell_story(compare)
    compare.route("**/api/compare_releases", lambda _: None)  # no answer comes
    compare.get_by_role("spinbutton", name="k, the smallest group that anyone may learn about").fill("3")
    for part in ("#verdict.stale", "#compared.stale", "#advice.stale"):
        assert compare.locator(part).count() == 1
    assert compare.get_by_role("button", name="Download confidential report").is_disabled()


def test_what_cannot_be_compared_is_told_in_a_sentence(compare, releases, clinic):  # noqa: F811
    drop(compare, "#newer", clinic)
    drop(compare, "#older", releases["old"][1])
    compare.get_by_role("alert").filter(has_text="clinic.csv: it lists no patterns").wait_for()
    assert compare.locator("#banner").is_hidden()
    assert compare.locator("#compared").is_hidden()
    drop(compare, "#newer", releases["new"][1])
    compare.wait_for_selector(READY, timeout=60_000)


def test_the_comparison_is_still_there_after_a_reload(compare):
    tell_story(compare)
    compare.reload()
    compare.wait_for_selector(READY, timeout=60_000)
    assert compare.get_by_role("checkbox", name="People were only added since then").is_checked()


def test_the_keyboard_alone_compares(compare):
    for _ in range(40):
        compare.keyboard.press("Tab")
        if compare.evaluate("document.activeElement.id") == "story":
            break
    compare.keyboard.press("Enter")
    compare.wait_for_selector(READY, timeout=60_000)
