"""The app on a fresh machine, where nothing is compiled: it answers at once, and prepares while nobody waits."""

import time

import pytest
from test_journey import READY

from conftest import Server

DONE = "Prepared for large files."


@pytest.fixture(scope="module")
def cold(tmp_path_factory):
    """A server that finds no compiled kernel."""
    empty = tmp_path_factory.mktemp("cache")
    running = Server(environment={"NUMBA_CACHE_DIR": str(empty), "NUMBA_DISABLE_JIT": None})
    yield running
    running.stop()


def test_the_first_verdict_on_a_fresh_machine(page, cold, record_property):
    page.goto(cold.address)
    start = time.perf_counter()
    page.get_by_role("button", name="A clinic's diagnoses").click()
    page.wait_for_selector(READY, timeout=60_000)
    seconds = time.perf_counter() - start
    record_property("seconds from the click on a sample to the first verdict ever", f"{seconds:.2f}")
    assert page.locator("#verdict").inner_text().split() != []


def test_the_page_says_that_it_prepares(page, cold):
    page.goto(cold.address)
    foot = page.get_by_role("contentinfo")
    foot.get_by_text("Preparing for large files").wait_for()
    assert foot.get_by_role("progressbar").is_visible()


def test_the_page_says_when_it_is_prepared(page, cold):
    page.route("**/api/preparing", lambda route: route.fulfill(json=answers.pop(0)))
    answers = [{"preparing": True, "done": 0.5}, {"preparing": False, "done": 1.0}]
    page.goto(cold.address)
    foot = page.get_by_role("contentinfo")
    foot.get_by_text(DONE).wait_for()
    assert not foot.get_by_role("progressbar").is_visible()


def test_progress_is_in_the_card_that_was_clicked(page, cold):
    page.route("**/api/read", lambda route: route.fulfill(status=202, json={"job": "1", "stage": "reading"}))
    page.goto(cold.address)
    page.get_by_text("Examples of the papers").click()
    card = page.get_by_role("listitem").filter(has=page.get_by_role("button", name="pkdd2005"))
    card.get_by_role("button", name="pkdd2005").click()
    card.locator(".told", has_text="reading").wait_for()
    card.get_by_role("button", name="Stop").click()
    card.get_by_text("Stopped.").wait_for()
    assert page.get_by_text("Stopped.").count() == 1
