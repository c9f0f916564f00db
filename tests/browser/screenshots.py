"""Pictures of the app and of the report, to be looked at: ``make screenshots`` puts them into screenshots/.

Those that README.md and docs/ show go to docs/images/.
"""

import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright
from states import bring_files, walk

from conftest import ARGUMENTS, CHROMIUM, Server
from discreet import audit, compare, tradeoff
from discreet.data.generate import clinic

ROOT = Path(__file__).parents[2]
FOLDER, SHOWN = ROOT / "screenshots", ROOT / "docs" / "images"
DESKTOP, PHONE = {"width": 1440, "height": 900}, {"width": 360, "height": 740}
LOOKS = {"light": (DESKTOP, "light"), "dark": (DESKTOP, "dark"), "360": (PHONE, "light"), "360-dark": (PHONE, "dark")}


def main():
    """Take all pictures."""
    if CHROMIUM is None:
        sys.exit("there is no Chromium on this machine: install Debian's package chromium-headless-shell")
    FOLDER.mkdir(exist_ok=True)
    SHOWN.mkdir(exist_ok=True)
    with TemporaryDirectory() as place, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        folder = Path(place)
        reports(chromium, clinic(2000, seed=1), folder)
        bring_files(folder)
        for look, (size, scheme) in LOOKS.items():
            server = Server()  # so that nothing is loaded yet
            with closing(chromium.new_context(viewport=size, color_scheme=scheme)) as context:
                app(context.new_page(), server, folder, look)
            server.stop()
    print(f"{len(list(FOLDER.iterdir()))} pictures are in {FOLDER.name}/")  # noqa: T201 - for whoever runs it


def app(page, server, folder, look):
    """Take a picture of each page of the app in each of its states."""

    def picture(name):
        page.screenshot(path=FOLDER / f"{name}-{look}.png", full_page=True)

    for name in walk(page, server, folder):
        picture(name)
        if (name, look) == ("check-withhold", "light"):
            page.evaluate("document.activeElement.blur()")
            page.screenshot(path=SHOWN / "audit.png", clip={"x": 0, "y": 0, "width": 1440, "height": 812})
        if (name, look) == ("check-explained", "light"):
            page.locator("#explain").screenshot(path=SHOWN / "channel.png")


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
