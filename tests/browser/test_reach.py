"""Everybody can use the app: axe finds nothing serious, nothing scrolls sideways at 360 pixels, the keyboard does."""

import pytest
from test_journey import READY, load

PAGES = ("", "audit", "tables", "block", "hide", "query", "verify")


@pytest.fixture
def loaded(page, server, clinic):
    """A page with the clinic loaded."""
    load(page, server, clinic)
    return page


def show(page, name, server):
    """Go to a page of the app with the same data and settings."""
    state = page.url.partition("?")[2]
    page.goto(f"{server.origin}/{name}?{state}")
    if name == "audit":
        page.wait_for_selector(READY)
        page.locator("#channels tbody tr").first.click()
        page.get_by_role("region", name="What this reveals").locator("svg").first.wait_for()
    if name == "block":
        page.locator("#released:not(.stale):not([hidden])").wait_for(timeout=60_000)
    page.wait_for_load_state("networkidle")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_any_page(loaded, server, axe_violations, scheme):
    loaded.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    address = loaded.url
    for name in PAGES:
        loaded.goto(address)
        show(loaded, name, server)
        assert axe_violations(loaded) == [], name


def test_no_page_scrolls_sideways_at_360_pixels(loaded, server):
    loaded.set_viewport_size({"width": 360, "height": 740})
    address = loaded.url
    for name in PAGES:
        loaded.goto(address)
        show(loaded, name, server)
        assert loaded.evaluate("document.documentElement.scrollWidth") <= 360, name


def test_a_channel_is_opened_and_closed_by_the_keyboard(loaded):
    loaded.wait_for_selector("#channels tbody tr")
    loaded.get_by_label("Search items").focus()
    panel = loaded.get_by_role("region", name="What this reveals")
    for _ in range(40):
        loaded.keyboard.press("Tab")
        if loaded.evaluate("Boolean(document.activeElement.closest('#channels tbody'))"):
            break
    loaded.keyboard.press("Enter")
    panel.locator("svg").first.wait_for()
    loaded.keyboard.press("Escape")
    panel.wait_for(state="hidden")
