"""Pictures of the app and of the report, to be looked at: ``make screenshots`` puts them into screenshots/.

Those that README.md and docs/ show go to docs/images/.
"""

import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright
from test_journey import READY, settle

from conftest import ARGUMENTS, CHROMIUM, Server
from discreet import Transactions, audit, compare, tradeoff, write
from discreet.data.generate import clinic

ROOT = Path(__file__).parents[2]
FOLDER, SHOWN = ROOT / "screenshots", ROOT / "docs" / "images"
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 360, "height": 740}
LOOKS = {"light": (DESKTOP, "light"), "dark": (DESKTOP, "dark"), "360": (PHONE, "light"), "360-dark": (PHONE, "dark")}
SENSITIVE = "hypertension, amlodipine"
QUERY = "asthma & ~salbutamol"


def main():
    """Take all pictures."""
    if CHROMIUM is None:
        sys.exit("there is no Chromium on this machine: install Debian's package chromium")
    FOLDER.mkdir(exist_ok=True)
    SHOWN.mkdir(exist_ok=True)
    rows = clinic(2000, seed=1)
    with TemporaryDirectory() as place, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        reports(chromium, rows, Path(place))
        file = Path(place) / "clinic.csv"
        write(Transactions(rows), file)
        server = Server(file)
        for look, (size, scheme) in LOOKS.items():
            with closing(chromium.new_context(viewport=size, color_scheme=scheme)) as context:
                app(context.new_page(), server, look)
        server.stop()
    print(f"{len(list(FOLDER.iterdir()))} pictures are in {FOLDER.name}/")  # noqa: T201 - for whoever runs it


def app(page, server, look):
    """Take a picture of each page of the app."""

    def picture(name):
        page.wait_for_load_state("networkidle")
        page.screenshot(path=FOLDER / f"{name}-{look}.png", full_page=True)

    page.goto(server.address)
    page.locator("#read tr").first.wait_for(timeout=60_000)
    picture("reading")
    page.get_by_role("button", name="This is right").click()
    page.wait_for_selector(READY)
    settle(page, min_support="5%", k=10)
    page.wait_for_selector("#tradeoff .plot > svg")
    picture("audit")
    page.locator("#channels tbody tr").first.click()
    page.get_by_role("region", name="What this reveals").locator("svg").first.wait_for()
    picture("explain")
    if look == "light":
        page.locator("#explain").screenshot(path=SHOWN / "channel.png")
        page.keyboard.press("Escape")
        page.evaluate("scrollTo(0, 0)")
        page.screenshot(path=SHOWN / "audit.png", clip={"x": 0, "y": 0, "width": 1280, "height": 812})
    address = page.url
    page.goto(address.replace("/audit", "/block"))
    page.locator("#released:not(.stale):not([hidden])").wait_for(timeout=120_000)
    picture("block")
    page.goto(f"{address.replace('/audit', '/hide')}")
    page.get_by_role("textbox", name="Sensitive itemsets").fill(SENSITIVE)
    page.get_by_role("button", name="Hide", exact=True).click()
    page.get_by_text("Download hidden data").first.wait_for(timeout=60_000)
    picture("hide")
    page.goto(f"{address.replace('/audit', '/query')}")
    page.get_by_role("textbox", name="Query").fill(QUERY)
    page.get_by_role("button", name="Ask").click()
    picture("query")
    page.goto(f"{server.origin}/tables")
    page.get_by_role("button", name="Try an example").click()
    page.wait_for_selector(READY)
    picture("tables")
    page.goto(f"{server.origin}/verify")
    picture("verify")
    page.goto(server.origin)
    picture("load")


def reports(chromium, rows, place):
    """Take pictures of the reports, and print them."""
    found = audit(rows, min_support="5%", k=10)
    grid = tradeoff(rows, min_supports=["5%", "10%", "15%", "20%", "25%"], ks=[3, 5, 10, 20])
    compared = compare(rows, min_support="5%", k=10, seconds=5)
    pages = {
        "report": found.to_html(tradeoff=grid),
        "release": compared.best.to_html(),
        "release-private": compared.best.to_html(comparison=compared, private=True),
    }
    for name, html in pages.items():
        (place / f"{name}.html").write_text(html, encoding="utf-8")
        for look, (size, scheme) in LOOKS.items():
            with closing(chromium.new_context(viewport=size, color_scheme=scheme)) as context:
                page = context.new_page()
                page.goto((place / f"{name}.html").as_uri())
                page.wait_for_load_state("networkidle")
                page.screenshot(path=FOLDER / f"{name}-{look}.png", full_page=True)
                if look == "light":
                    page.pdf(path=FOLDER / f"{name}.pdf", format="A4")


if __name__ == "__main__":
    main()
