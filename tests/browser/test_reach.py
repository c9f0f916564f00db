"""Everybody can use the app: axe finds nothing serious, names are what is read, colours differ, the keyboard does."""

import os
import re
from itertools import cycle, islice

import pytest
from files import TABLE
from states import bring_files, comparing, verifying, walk
from test_journey import FIXED, READY, load, open_clinic, wait_until

MARKS = ".crowd :is(.many, .one), .threat circle, .plots :is(rect, polyline, circle, .curve path, .crosses path), .ring"
CONTRASTS = """(selector) => {
  const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const over = (colour, below) => {
    pen.fillStyle = `rgb(${below.join(" ")})`;
    pen.fillRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const ground = (node) => {
    if (!node) return [255, 255, 255];
    const { backgroundColor } = getComputedStyle(node);
    return over(backgroundColor, ground(node.parentElement));
  };
  const light = (rgb) => {
    const linear = (one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    const [red, green, blue] = rgb.map((one) => linear(one / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ratio = (one, other) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const mixed = (colour, share, below) => over(colour, below).map((one, at) => below[at] + share * (one - below[at]));
  return [...document.querySelectorAll(selector)].filter((node) => node.checkVisibility()).map((node) => {
    const style = getComputedStyle(node);
    const below = ground(node.parentElement);
    const drawn = [[style.fill, style.fillOpacity], [style.stroke, style.strokeOpacity]];
    const inked = drawn.filter(([colour]) => colour !== "none");
    const seen = inked.map(([colour, share]) => ratio(mixed(colour, style.opacity * share, below), below));
    const names = [node.parentElement, node].map((one) => one.getAttribute("class"));
    return [...names, node.localName, Math.max(...seen).toFixed(2)].join(" ");
  });
}"""
PAINTED = "new Promise((goOn) => requestAnimationFrame(() => requestAnimationFrame(goOn)))"
ROLES = {"button", "link", "textbox", "searchbox", "combobox", "radio", "checkbox", "slider", "spinbutton"}
SEEN = """function () {
  const copy = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.ariaHidden === "true" || !node.checkVisibility?.() || node.matches("select, .unseen")) return "";
    return [...node.childNodes].map(copy).join(getComputedStyle(node).display.startsWith("inline") ? "" : " ");
  };
  return this.matches("input, select, textarea") ? [...(this.labels ?? [])].map(copy).join(" ") : copy(this);
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files that are loaded on the way through all states."""
    place = tmp_path_factory.mktemp("files")
    bring_files(place)
    return place


@pytest.fixture
def loaded(page, server):
    """A page with the clinic loaded."""
    open_clinic(page, server)
    page.wait_for_selector(READY, timeout=60_000)
    return page


def weak(page):
    """The marks of charts and pictures that do not stand out."""
    return sorted({mark for mark in page.evaluate(CONTRASTS, MARKS) if float(mark.rpartition(" ")[2]) < 3})


def plain(text):
    return re.sub(r"\s+", " ", text).strip().casefold()


def controls(page):
    """The name and the visible text of everything that can be operated, as a screen reader and as an eye has it."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    wanted = [node for node in nodes if not node["ignored"] and node.get("role", {}).get("value", "") in ROLES]
    for node in wanted:
        found = session.send("DOM.resolveNode", {"backendNodeId": node["backendDOMNodeId"]})["object"]
        answer = session.send(
            "Runtime.callFunctionOn",
            {"objectId": found["objectId"], "functionDeclaration": SEEN, "returnByValue": True},
        )
        yield plain(node["name"]["value"]), plain(answer["result"]["value"])
    session.detach()


def misnamed(page):
    """What has no name, a name without what is seen, or a name that something seen as another has too."""
    pairs = set(controls(page))
    without = {pair for pair in pairs if not pair[0] or pair[1].replace(" ", "") not in pair[0].replace(" ", "")}
    seen = {pair for pair in pairs if pair[1]}
    return sorted(without | {pair for pair in seen if any(pair[0] == one[0] and pair != one for one in seen)})


def width(page):
    """How wide a page is on a telephone, when it has been laid out anew."""
    page.set_viewport_size({"width": 360, "height": 740})
    wait_until(page, "innerWidth === 360 && matchMedia('(width <= 360px)').matches")
    page.evaluate(PAINTED)
    found = page.evaluate("document.body.scrollWidth")
    page.set_viewport_size({"width": 1280, "height": 720})
    return found


def show(page, theme):
    page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
    page.evaluate(PAINTED)
    page.evaluate("Promise.allSettled(document.getAnimations().map((one) => one.finished))")


def violations(page, axe_violations, themes):
    """What axe finds, and what does not stand out, in each theme."""
    found = []
    for theme in themes:
        show(page, theme)
        found += [*axe_violations(page), *weak(page)]
    return found


def faults(page, axe_violations, themes):
    """What is wrong with a page: on a busy machine it may still be painted, so a fault is what is there for long."""
    for turn in range(4):
        page.wait_for_timeout(turn * 500)
        found = (violations(page, axe_violations, themes), misnamed(page), max(width(page), 360))
        if found == ([], [], 360):
            return None
    return found


def test_in_every_state_names_are_what_is_read_and_everything_can_be_seen(page, server, folder, axe_violations):
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    themes = [["light"], ["dark"]] if os.environ.get("CI") else [["light", "dark"]]  # by turns, or both in each state
    states = zip(walk(page, server, folder), cycle(themes))
    found = {name: faults(page, axe_violations, some) for name, some in states}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def places(page, *selectors):
    """Where the lower ends of these are."""
    return [page.locator(one).evaluate("node => node.getBoundingClientRect().bottom") for one in selectors]


def test_the_verdict_and_the_next_step_are_on_the_first_screen(page, server, clinic, tmp_path):
    page.set_viewport_size({"width": 360, "height": 740})
    smokers = tmp_path / "smokers.csv"
    smokers.write_text(TABLE, encoding="utf-8")
    for file in (clinic, smokers):
        load(page, server, file)
        assert page.locator("#next-step").inner_text() == "Fix it"
        assert (file.name, max(places(page, "#verdict .word", "#next-step"))) <= (file.name, 740)
        page.locator("#next-step").click()
        page.wait_for_url(re.compile("/fix"))
        page.wait_for_selector(FIXED, timeout=120_000)
        assert page.evaluate("scrollY") == 0
        assert (file.name, max(places(page, "#verdict .word", "#next-step"))) <= (file.name, 740)


def test_the_results_of_verify_and_compare_are_on_the_first_screen(page, server, folder):
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(server.address)
    for results, shown in (
        (verifying(page, server, folder), ("#verified .word", "#print")),
        (comparing(page, server), ("#verdict .word", "#next")),
    ):
        for name in islice(results, 1, None):
            page.evaluate("scrollTo(0, 0)")
            assert (name, max(places(page, *shown))) <= (name, 740)


def test_a_finding_is_opened_and_closed_by_the_keyboard(loaded):
    loaded.wait_for_selector("#findings tbody tr")
    loaded.get_by_role("searchbox", name="Search", exact=True).focus()
    panel = loaded.get_by_role("region", name="How it is worked out")
    loaded.keyboard.press("Tab")
    loaded.keyboard.press("ArrowDown")
    opened = loaded.locator("#findings .open").nth(1).get_attribute("data-number")
    assert loaded.evaluate("document.activeElement.dataset.number") == opened
    loaded.keyboard.press("Enter")
    panel.locator("svg").first.wait_for()
    loaded.keyboard.press("Escape")
    panel.wait_for(state="hidden")
    assert loaded.evaluate("document.activeElement.dataset.number") == opened


def test_the_first_stop_of_the_keyboard_skips_the_head(loaded):
    loaded.reload()
    loaded.wait_for_selector(READY)
    loaded.keyboard.press("Tab")
    loaded.keyboard.press("Enter")
    assert loaded.evaluate("document.activeElement.id") == "main"
    assert "#" not in loaded.url
