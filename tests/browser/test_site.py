"""The site of the documents, opened from disk: nothing is asked of another host, and everybody can read it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ("index", "tutorial", "cli/discreet-verify", "api/errors")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site."""
    pytest.importorskip("mkdocs", reason="mkdocs is in the extra docs: pip install '.[docs]'")
    place = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(place)]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, check=True)
    return place


@pytest.fixture
def asked(page):
    """The addresses that the page asks for beyond its own folder."""
    addresses = []
    page.on("request", lambda request: request.url.startswith("file://") or addresses.append(request.url))
    return addresses


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_ask_no_other_host_and_can_be_read_by_everybody(page, asked, site, axe_violations, scheme):
    page.emulate_media(color_scheme=scheme)
    for name in PAGES:
        page.goto(f"{(site / name).as_uri()}.html")
        assert (name, page.complaints) == (name, [])
        assert (name, axe_violations(page)) == (name, [])
    assert asked == []


def test_the_search_works_from_disk(page, asked, site):
    page.goto((site / "index.html").as_uri())
    page.get_by_role("textbox", name="Search").click()
    page.keyboard.type("acyclic")
    page.get_by_text("matching documents").wait_for()
    assert asked == []


def test_no_page_is_wider_than_a_small_screen(page, site):
    page.set_viewport_size({"width": 360, "height": 800})
    for name in PAGES:
        page.goto(f"{(site / name).as_uri()}.html")
        assert (name, page.evaluate("document.documentElement.scrollWidth")) == (name, 360)
