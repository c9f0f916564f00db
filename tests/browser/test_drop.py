"""Files that are dropped on any page are led to the page that they are for."""

import base64
import re

import pytest
from files import PATTERNS, RULES, TABLE, TREE, hospital
from test_journey import DROP, drop, fix, hand_over, load, open_clinic, settle

PAGES = ("", "check", "query")
KINDS = {
    "hospital.csv": (hospital(), "How the file is read"),
    "smokers.csv": (TABLE, "Tables of counts"),
    "patterns.csv": (PATTERNS, "A list of patterns"),
    "rules.csv": (RULES, "A list of rules"),
    "tree.txt": (TREE, "A decision tree"),
}


@pytest.fixture(scope="module")
def release(browser, server, clinic, tmp_path_factory):
    """The release.zip that the app makes of the clinic."""
    folder = tmp_path_factory.mktemp("made")
    context = browser.new_context(accept_downloads=True)
    page = context.new_page()
    load(page, server, clinic)
    settle(page, min_support="20%", k=10)
    fix(page)
    hand_over(page, folder)
    context.close()
    return (folder / "release.zip").read_bytes()


@pytest.fixture
def loaded(page, server):
    """A page with the clinic loaded."""
    open_clinic(page, server, where="query")
    return page


def drop_on(page, server, where, name, content):
    """Drop a file on a page that has data."""
    page.goto(f"{server.origin}/{where}?{page.url.partition('?')[2]}")
    page.wait_for_load_state("networkidle")
    drop(page, name, content)


@pytest.mark.parametrize("where", PAGES)
def test_a_release_is_led_to_verify(loaded, server, release, where):
    drop_on(loaded, server, where, "release.zip", release)
    loaded.wait_for_url(re.compile("/verify"))


@pytest.mark.parametrize(
    ("name", "where"), [*((name, "check") for name in KINDS), ("smokers.csv", ""), ("rules.csv", "query")]
)
def test_everything_else_is_led_to_its_reading(loaded, server, name, where):
    text, title = KINDS[name]
    drop_on(loaded, server, where, name, text.encode())
    loaded.wait_for_url(re.compile(r"/\?upload="))
    loaded.get_by_role("heading", name=title).wait_for()
    loaded.locator("#reading-file").get_by_text(name, exact=True).wait_for()
    assert loaded.locator("#raw").inner_text().startswith(text.split("\n")[0])
    assert name not in loaded.url


def test_two_files_at_once_are_refused_in_a_sentence(loaded):
    two = DROP.replace("  const event", "  data.items.add(new File(['a'], 'b.csv'));\n  const event")
    loaded.evaluate(two, [base64.b64encode(b"a,b\n").decode(), "a.csv"])
    loaded.get_by_role("alert").filter(has_text="Drop one file, or the folder of a release").wait_for()
