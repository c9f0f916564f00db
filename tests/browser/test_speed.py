"""How quick and how heavy the app is, as figures to read: timing never decides a test."""

import contextlib
import re
import time
from pathlib import Path

import pytest
from test_journey import READY, load, settle

STEPS = 5
"""Presses of an arrow key at each move."""
HEAVY = 500_000
"""Bytes that a first visit may take."""
CLIENTS, AUDITS = 10, 200
GROWTH = 1.2
ASK = """async ([data, from, to]) => {
  const verdicts = [];
  for (let least = from; least < to; least += 1) {
    const body = JSON.stringify({ data, min_support: least, k: 10, wait: 10 });
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch("/api/audit", { method: "POST", headers, body });
    verdicts.push((await answer.json()).verdict);
  }
  return verdicts;
}"""


def memory(process):
    """The resident memory of a process and of its children, in MB."""
    children = (Path(f"/proc/{process}/task/{process}/children")).read_text(encoding="ascii").split()
    pages = (int(Path(f"/proc/{one}/statm").read_text(encoding="ascii").split()[1]) for one in (process, *children))
    return sum(pages) * 4096 / 1e6


def test_the_verdict_follows_the_slider_on_mushrooms(page, server, mushroom, record_property):
    load(page, server, mushroom)
    settle(page, min_support="30%", k=10)
    slider = page.get_by_role("slider", name="Minimum support, slider")
    seconds = []
    while float(re.search(r"min_support=([\d.]+)%25", page.url)[1]) > 10:
        before = page.url
        for _ in range(STEPS):
            slider.press("ArrowLeft")
        page.wait_for_url(lambda url: url != before)  # noqa: B023 - called at once
        page.wait_for_selector(READY)
        seconds.append(float(page.locator("#verdict").get_attribute("data-seconds")))
    record_property(
        "seconds from the slider to the verdict, mushroom from 30 % to 10 %",
        f"{sum(seconds) / len(seconds):.2f} on average, {max(seconds):.2f} at most, of {len(seconds)} moves",
    )
    assert len(seconds) > 3


def test_a_warm_server_soon_has_a_first_verdict(page, server, clinic, record_property):
    load(page, server, clinic)
    page.goto(server.origin)
    page.wait_for_load_state("networkidle")
    start = time.perf_counter()
    page.get_by_role("button", name="A clinic's diagnoses").click()
    page.wait_for_selector(READY, timeout=60_000)
    record_property("seconds from a click to the first verdict, warm", f"{time.perf_counter() - start:.2f}")
    assert page.locator("#verdict .word").inner_text() == "WITHHOLD"


def test_a_first_visit_is_light(page, server, record_property):
    finished = []
    page.on("requestfinished", lambda request: finished.append(request))  # noqa: PLW0108 - Playwright marks functions
    page.goto(server.address)
    page.wait_for_load_state("networkidle")
    at_load = len(finished)
    page.get_by_role("button", name="A clinic's diagnoses").click()
    page.wait_for_selector(READY, timeout=60_000)
    page.wait_for_load_state("networkidle")
    sizes = [sum(request.sizes()[name] for name in ("responseBodySize", "responseHeadersSize")) for request in finished]
    told = f"{sum(sizes[:at_load]) / 1e3:.0f} to load, {sum(sizes) / 1e3:.0f} with the check"
    record_property("kB of a first visit", f"{told}, in {len(sizes)} requests")
    assert 0 < sum(sizes) < HEAVY


def test_ten_people_at_once_get_their_verdicts(browser, page, server, clinic, record_property):
    load(page, server, clinic)
    data = re.search("data=([^&]+)", page.url)[1]
    with contextlib.ExitStack() as stack:
        contexts = [stack.enter_context(contextlib.closing(browser.new_context())) for _ in range(CLIENTS)]
        pages = [context.new_page() for context in contexts]
        for one in pages:
            one.goto(server.address)
        start = time.perf_counter()
        for at, one in enumerate(pages):
            address = f"/check?data={data}&min_support={100 + at}&k={5 + at}"
            one.evaluate("address => { setTimeout(() => location.assign(address)) }", address)
        told = []
        for one in pages:
            one.wait_for_url(re.compile("/check"))
            one.wait_for_selector(READY, timeout=120_000)
            told.append(one.locator("#verdict .sentence").inner_text())
        record_property("seconds until ten people at once have verdicts", f"{time.perf_counter() - start:.2f}")
    expected = [f"fewer than {5 + at} people" for at in range(CLIENTS)]
    assert [words for words, sentence in zip(expected, told, strict=True) if words not in sentence] == []


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_many_audits_take_no_more_memory_than_some(page, server, clinic, record_property):
    load(page, server, clinic)
    data = re.search("data=([^&]+)", page.url)[1]
    used, verdicts = [], []
    for at in range(4):
        verdicts += page.evaluate(ASK, [data, 100 + at * AUDITS // 4, 100 + (at + 1) * AUDITS // 4])
        used.append(memory(server.process.pid))
    record_property(
        f"MB of the server and its workers after {AUDITS // 4}, {AUDITS // 2}, {3 * AUDITS // 4} and {AUDITS} audits",
        ", ".join(f"{one:.0f}" for one in used),
    )
    assert len(verdicts) == AUDITS
    assert set(verdicts) <= {"RELEASE", "WITHHOLD"}
    assert used[-1] < GROWTH * used[1]
