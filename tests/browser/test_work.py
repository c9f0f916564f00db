"""Long work in the app: it shows how far it is, can be stopped, and holds up nobody."""

import os
import random
import signal
import time
from pathlib import Path

import pytest
from test_journey import READY, load, settle


@pytest.fixture(scope="module")
def endless(tmp_path_factory):
    """Rows with more closed itemsets than anybody will wait for."""
    chance = random.Random(1)  # noqa: S311 - rows, not secrets
    rows = (",".join(f"item{number}" for number in range(60) if chance.random() < 0.6) for _ in range(8000))
    place = tmp_path_factory.mktemp("endless") / "endless.csv"
    place.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return place


@pytest.fixture
def busy(page, server, endless):
    """A page that waits for a verdict which will never come."""
    load(page, server, endless)
    page.get_by_role("textbox", name="Minimum support").fill("4")
    page.locator("#audit-work progress").wait_for()
    return page


def test_work_can_be_stopped_and_the_page_goes_on(busy):
    start = time.perf_counter()
    busy.get_by_role("button", name="Stop").first.click()
    busy.locator("#verdict").get_by_text("Stopped").wait_for()
    busy.locator("#audit-work progress").wait_for(state="detached")
    settle(busy, min_support="90%")
    assert busy.locator(READY).count() == 1
    assert time.perf_counter() - start < 60  # not a matter of speed: it would never end by itself


def test_a_search_for_remedies_can_be_stopped_and_tried_again(page, server, endless):
    load(page, server, endless)
    page.goto(page.url.replace("/check", "/fix").replace("min_support=", "min_support=4&was="))
    for _ in range(2):
        page.locator("#advise-work").get_by_role("button", name="Stop").click(timeout=30_000)
        page.locator("#verdict").get_by_text("Stopped").wait_for()
        page.locator("#advise-work").get_by_role("button", name="Try again").click()
        assert page.locator("#verdict .sentence").inner_text() == "Trying what could be done."
    page.get_by_role("textbox", name="Minimum support").fill("nothing")
    assert page.locator("#verdict .word").inner_text() == "No release"


def test_a_new_setting_overtakes_work_that_is_under_way(busy):
    settle(busy, min_support="90%")
    assert busy.locator("#audit-work progress").count() == 0


def test_while_long_work_runs_other_questions_are_answered(busy, server, record_property):
    seconds = []
    with busy.context.new_page() as other:
        for address in ("/", "/verify", "/api/samples"):
            start = time.perf_counter()
            assert other.goto(f"{server.origin}{address}").ok
            seconds.append(time.perf_counter() - start)
        other.goto(server.origin)
        start = time.perf_counter()
        other.get_by_role("button", name="A clinic's diagnoses").click()
        other.wait_for_selector(READY, timeout=60_000)
        seconds.append(time.perf_counter() - start)
    told = " ".join(f"{one:.2f}" for one in seconds)
    record_property("beside long work, seconds for two pages, an answer and an audit", told)
    assert busy.locator("#audit-work progress").count() == 1
    busy.get_by_role("button", name="Stop").first.click()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="workers are found in /proc")
def test_workers_that_are_killed_are_told_and_replaced(busy, server, record_property):
    process = server.process.pid
    children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
    for child in children:
        os.kill(int(child), signal.SIGKILL)
    start = time.perf_counter()
    busy.locator("#audit-work").get_by_role("alert").wait_for(timeout=60_000)
    assert busy.locator("#verdict .word").inner_text() == "No verdict"
    settle(busy, min_support="90%")
    record_property("seconds from killed workers to the next verdict", f"{time.perf_counter() - start:.2f}")
    assert busy.locator("#audit-work").get_by_role("alert").count() == 0
    busy.complaints.clear()  # the browser tells of the answer too
