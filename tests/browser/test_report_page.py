"""The HTML report in a real browser: from disk, without a network, with and without scripts, and on paper."""

import re
import shutil
import subprocess
from io import BytesIO

import pytest

from discreet import Patterns, Transactions, audit, block, compare, read, read_counts, tradeoff
from discreet.data.generate import clinic
from discreet.publications.trees.leaves import Leaves
from discreet.report import Source, audit_html, release_html, summary_html

expect = pytest.importorskip("playwright.sync_api").expect

ROWS = Transactions(
    [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [["c"]] * 3 + [["<script>alert(1)</script>"]] * 15 + [[]] * 50,
    ids=range(118),
)
SOURCE = Source("rows.csv", "d" * 64)


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """A page of each sort, as files."""
    folder = tmp_path_factory.mktemp("report")
    found = audit(ROWS, min_support=10, policy="acro")
    grid = tradeoff(ROWS, min_supports=[10, 20, 60], ks=[3, 10, 20])
    compared = compare(ROWS, min_support=10, k=10, seconds=5)
    pages = {
        "audit": audit_html(found, tradeoff=grid, source=SOURCE),
        "private": audit_html(found, private=True),
        "release": compared.best.to_html(),
        "owner": release_html(compared.best, comparison=compared, source=SOURCE, private=True),
    }
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in pages}


CHARTS = {"audit": 2, "private": 1, "release": 1, "owner": 2}


def opened(page, place):
    """The page once all of it is drawn and unfolded; and each request that it made."""
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.context.set_offline(True)
    page.goto(place)
    expect(page.locator(".list:not([data-ready])")).to_have_count(0, timeout=30_000)
    return requests


@pytest.mark.parametrize("name", CHARTS)
def test_a_page_opens_from_disk_without_a_network_and_draws_all_its_charts(page, places, name):
    assert opened(page, places[name]) == [places[name]]
    charts = page.locator(".chart")
    assert charts.count() == CHARTS[name]
    for number in range(CHARTS[name]):
        box = charts.nth(number).locator(".plot > svg").bounding_box()
        assert min(box["width"], box["height"]) > 150


def test_the_mark_nearest_to_the_pointer_shows_its_numbers(page, places):
    opened(page, places["audit"])
    mark = page.locator("#tradeoff-curves .curve > svg[data-value]").first
    mark.hover(force=True)  # scrolls, and waits until nothing moves
    box = mark.bounding_box()
    page.mouse.move(box["x"] + box["width"] + 6, box["y"])
    shown = page.locator(".tooltip")
    expect(shown).to_contain_text(re.compile(r"k = 3, min support [0-9.]+%\s+[0-9]+ channels"))
    page.keyboard.press("Escape")
    expect(shown).to_have_count(0)


@pytest.mark.parametrize("width", [360, 1100])
@pytest.mark.parametrize("name", CHARTS)
def test_labels_of_a_chart_do_not_run_into_each_other(page, places, name, width):
    page.set_viewport_size({"width": width, "height": 900})
    opened(page, places[name])
    assert page.evaluate(OVERLAPS) == []


OVERLAPS = """[...document.querySelectorAll('.plot')].flatMap((plot) => {
  const shown = [...plot.querySelectorAll('.ticks text')].map((one) => [one.textContent, one.getBoundingClientRect()]);
  const seen = shown.filter(([, box]) => box.width);
  return seen.flatMap(([name, one], at) => seen.slice(at + 1)
    .filter(([, two]) => one.left < two.right && two.left < one.right && one.top < two.bottom && two.top < one.bottom)
    .map(([other]) => [name, other]));
})"""


@pytest.mark.parametrize("width", [360, 700, 1100])
def test_every_bar_of_a_histogram_has_its_label_at_any_width(page, tmp_path, width):
    place = tmp_path / "clinic.html"
    place.write_text(audit_html(audit(clinic(2000, seed=1), min_support="5%", k=10)), encoding="utf-8")
    page.set_viewport_size({"width": width, "height": 900})
    opened(page, place.as_uri())
    labels = page.locator("#cell-sizes .ticks text:not(.left):visible").all_text_contents()
    assert labels == [*"123456789", "10", "20", "40", "80", "160", "320", "640", "1,280"]
    assert page.evaluate(OVERLAPS) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_wide_tables_are_blocks_on_a_telephone(page, places):
    page.set_viewport_size({"width": 360, "height": 900})
    opened(page, places["owner"])
    for table in page.locator("table.stacked").all():
        assert table.evaluate("(one) => one.scrollWidth <= one.parentElement.clientWidth")
        assert min(cell.bounding_box()["width"] for cell in table.locator("td:visible").all()) > 250


@pytest.mark.parametrize("name", ["audit", "private", "owner"])
def test_the_warning_of_a_page_stays_in_sight(page, places, name):
    page.set_viewport_size({"width": 360, "height": 700})
    opened(page, places[name])
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    mark = page.locator(".mark").bounding_box()
    assert (mark["x"], mark["y"], mark["width"]) == (0, 0, 360)
    assert mark["height"] < 700 / 8


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", CHARTS)
def test_axe_finds_no_serious_violation(page, places, axe_violations, name, scheme):
    page.emulate_media(color_scheme=scheme)
    opened(page, places[name])
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert axe_violations(page) == []


@pytest.mark.parametrize("name", CHARTS)
def test_nothing_is_wider_than_a_small_telephone(page, places, name):
    page.set_viewport_size({"width": 360, "height": 700})
    opened(page, places[name])
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def other_pages():
    """Pages without charts: one of more changes than are shown in full, and one of a tree."""
    label, counts = "<script>alert(1)</script>", ((50, 51), (40, 38), (30, 33))
    old, new = ([([label, "abc"[at]], pair[when]) for at, pair in enumerate(counts)] for when in (0, 1))
    olds, news = (Patterns.from_itemsets(one, n=100, kind="maximal") for one in (old, new))
    yield audit_html(audit(news, k=5, against=olds), against=[Source("april.json", "d" * 64)], explain=1)
    yield audit(Leaves.from_rules([([label, "age > 40"], {"ill": 3, "well": 80})]), k=5).to_html()


def test_pages_of_other_findings_are_accessible_narrow_and_unfold(page, axe_violations, tmp_path):
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.set_viewport_size({"width": 360, "height": 700})
    for name, scheme, text in zip(("changes", "tree"), ("light", "dark"), other_pages(), strict=True):
        place = tmp_path / f"{name}.html"
        place.write_text(text, encoding="utf-8")
        page.emulate_media(color_scheme=scheme)
        opened(page, place.as_uri())
        assert axe_violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        assert page.locator("#all-changes-1 tbody th").all_inner_texts() == ["+1", "-2", "+3"] * (name == "changes")


def test_labels_are_text(page, places):
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    opened(page, places["release"])
    # Once in the table of the page, and once in the list that its script unfolds.
    assert page.get_by_text("<script>alert(1)</script>", exact=True).count() == 2


def test_the_list_is_searched_sorted_and_turned(page, tmp_path):
    rows = [["milk", "tea", "beer"][: number % 4] for number in range(300)] + [["milk", "bread"]] * 30
    rows += [[f"item {number:03d}", "rare"] for number in range(200) for _ in range(12)]
    rows += [[f"item {number:03d}"] for number in range(200) for _ in range(1 + number % 5)]
    place = tmp_path / "page.html"
    found = audit(rows, min_support=5, k=8)
    place.write_text(audit_html(found, explain=0), encoding="utf-8")
    opened(page, place.as_uri())
    region = page.locator("#all-channels")
    lines, where = region.locator("tbody tr"), region.get_by_role("status")
    assert where.inner_text() == f"1 to 50 of {len(found.channels)}"
    assert lines.first.locator("th").inner_text() == str(found.channels.worst(1)[0].count)
    region.get_by_role("button", name="Next", exact=True).click()
    assert where.inner_text() == f"51 to 100 of {len(found.channels)}"
    region.get_by_label("Search items").fill("ITEM 01, rare")
    words = ("item", "01", "rare")
    expected = [
        channel for channel in found.channels if all(any(word in label for label in channel.top) for word in words)
    ]
    expect(where).to_have_text(f"1 to {len(expected)} of {len(expected)}, out of {len(found.channels)}")
    region.get_by_label("Sort by").select_option("largest")
    counts = [int(text) for text in region.locator("tbody th").all_inner_texts()]
    assert counts == sorted((channel.count for channel in expected), reverse=True)
    region.get_by_label("Search items").fill("nothing like it")
    expect(where).to_have_text(f"0, out of {len(found.channels)}")
    expect(lines).to_have_count(0)


def test_the_list_tells_of_each_channel_what_it_is(page, places):
    opened(page, places["audit"])
    told = [
        [one.inner_text() for one in line.locator("th, td").all()]
        for line in page.locator("#all-channels tbody tr").all()
    ]
    expected = [
        [
            str(channel.count),
            ", ".join(sorted(channel.base)) or "(anything)",
            ", ".join(sorted(channel.top - channel.base)),
        ]
        for channel in audit(ROWS, min_support=10, policy="acro").channels.worst()
    ]
    assert told == expected


@pytest.mark.parametrize("name", CHARTS)
def test_a_page_is_read_without_scripts(browser, places, name):
    context = browser.new_context(java_script_enabled=False, offline=True)
    try:
        page = context.new_page()
        page.goto(places[name])
        text = page.locator("main").inner_text()
        verdicts = {"release": r"✓\s+RELEASE", "owner": "The release itself: RELEASE"}
        assert re.search(verdicts.get(name, r"✗\s+WITHHOLD"), text)
        assert ("Exactly 2 people have a and b, but not c." in text) is (name in {"audit", "private"})
        assert page.locator(".chart .plot > svg:visible").count() == CHARTS[name]
        details = page.locator("figure ~ details").first
        details.locator("summary").click()
        assert details.locator("td:visible").count()
        assert name == "owner" or "The list unfolds where scripts may run." in text
    finally:
        context.close()


@pytest.mark.parametrize("name", CHARTS)
def test_a_page_can_be_printed(page, places, name):
    opened(page, places[name])
    data = page.pdf(prefer_css_page_size=True)
    assert data.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b", data)) >= 2


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="Debian's package poppler-utils reads PDF files")
@pytest.mark.parametrize(("name", "mark"), [("owner", "DO NOT RELEASE"), ("audit", "Confidential: this report")])
def test_every_sheet_of_a_confidential_page_says_so(page, places, tmp_path, name, mark):
    opened(page, places[name])
    page.pdf(path=tmp_path / "page.pdf", format="A4")
    text = subprocess.run(["pdftotext", tmp_path / "page.pdf", "-"], check=True, capture_output=True, text=True).stdout  # noqa: S607
    sheets = text.removesuffix("\f").split("\f")
    assert len(sheets) > 1
    assert [number for number, sheet in enumerate(sheets, 1) if mark not in sheet] == []


LONG = [f"{letter * 3} {'a very long label indeed ' * 20}{number}" for number, letter in enumerate("abc")]
TABLE = b"sex,n\nTotal,180\nf,177\nm,3\n"


def summaries():
    """Releases to be signed: of a clinic, of a table, and of rows with long labels and a long name."""
    yield block(clinic(2000, seed=1), min_support="5%", k=10, method="add")
    yield block(clinic(2000, seed=1), min_support="5%", policy="acro", method="best")
    yield block(read_counts(BytesIO(TABLE)), k=11, method="suppress")
    yield block([LONG] * 48 + [LONG[:2]] * 2 + [[]] * 50, min_support=10, k=10, method="suppress")


def test_a_summary_is_one_sheet_and_accessible_and_narrow(page, axe_violations, tmp_path):
    for number, release in enumerate(summaries()):
        place = tmp_path / f"{number}.html"
        source = Source(LONG[0] if number % 2 else "clinic.csv", "d" * 64)
        place.write_text(summary_html(release, source=source, fingerprint="ab" * 32), encoding="utf-8")
        page.set_viewport_size({"width": 360, "height": 700})
        page.emulate_media(color_scheme="dark" if number % 2 else "light")
        opened(page, place.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        assert axe_violations(page) == []
        data = page.pdf(prefer_css_page_size=True)
        assert len(re.findall(rb"/Type\s*/Page\b", data)) == 1


@pytest.mark.parametrize(("media", "width"), [("screen", 360), ("screen", 1440), ("print", 688)])
def test_no_label_is_cut_off(page, tmp_path, media, width):
    rows = [LONG] * 48 + [LONG[:2]] * 2 + [[*LONG[1:], "x" * 300]] * 3 + [[]] * 50
    place = tmp_path / "long.html"
    place.write_text(audit_html(audit(rows, min_support=10, k=10)), encoding="utf-8")
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(media=media)
    opened(page, place.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate(CLIPPED) == []


CLIPPED = """[...document.querySelectorAll('p, li, h1, h2, h3, td, dd, .subtraction span')]
  .filter((one) => one.offsetParent && !one.closest('.wide'))
  .filter((one) => one.clientWidth && one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.textContent.slice(0, 40))"""


SHEETS = """(wide) => {
  const sheets = (one) => [...one.getClientRects()].filter((box) => box.height)
    .map((box) => Math.floor((box.left + scrollX + 1) / wide));
  const all = (names) => [...document.querySelectorAll(names)].filter((one) => sheets(one).length);
  const next = (one) => all('main *').find((other) => one.compareDocumentPosition(other) & 4 && !one.contains(other));
  const apart = (one, other) => other && sheets(one).at(-1) !== sheets(other)[0];
  const lines = all('tbody').map((one) => [...one.rows]).filter((rows) => rows.length > 2);
  return {
    sheets: Math.max(...all('p').flatMap(sheets)) + 1,
    alone: all('h2, h3, caption').filter((one) => apart(one, next(one))).map((one) => one.textContent),
    broken: all('.findings > li, tr, .verdict, .decisive, .plot').filter((one) => new Set(sheets(one)).size > 1).length,
    orphans: lines.filter((rows) => apart(rows[0], rows[1]) || apart(rows.at(-2), rows.at(-1))).length,
  };
}"""


def test_nothing_is_torn_apart_or_left_alone_at_the_end_of_a_sheet(page, tmp_path):
    place, wide = tmp_path / "clinic.html", 688  # pixels between the margins of A4
    found = audit(clinic(2000, seed=1), min_support="5%", k=10)
    place.write_text(audit_html(found, tradeoff(found.rows, min_supports=[50, 200], ks=[5, 10])), encoding="utf-8")
    page.set_viewport_size({"width": wide, "height": 994})
    page.emulate_media(media="print")
    opened(page, place.as_uri())
    for height in range(700, 1050, 50):  # columns are filled as sheets are
        page.add_style_tag(content=f"body {{ columns: {wide}px; column-gap: 0; height: {height}px; width: {wide}px; }}")
        found = page.evaluate(SHEETS, wide)
        assert found.pop("sheets") > 8
        assert found == {"alone": [], "broken": 0, "orphans": 0}


CONTRAST = """() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const light = (colour) => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const linear = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)
      .map((one) => one / 255).map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05;
  };
  const ground = light(getComputedStyle(document.body).backgroundColor);
  const drawn = [...document.querySelectorAll('.plots polyline')].map((one) => light(getComputedStyle(one).stroke))
    .concat([...document.querySelectorAll('.curve path, .columns:not(.c1) rect, .dots circle')]
      .filter((one) => getComputedStyle(one).fillOpacity === '1')
      .map((one) => light(getComputedStyle(one).fill)));
  return Math.min(...drawn.map((one) => Math.max(one, ground) / Math.min(one, ground)));
}"""


PALE = (
    "[...document.querySelectorAll('.dots circle')].filter((one) => getComputedStyle(one).fillOpacity !== '1').length"
)


@pytest.mark.parametrize(("media", "scheme"), [("screen", "light"), ("screen", "dark"), ("print", "dark")])
def test_what_charts_draw_stands_out_from_the_page(page, tmp_path, media, scheme):
    grid = tradeoff(ROWS, min_supports=[10, 20, 60], ks=[3, 5, 10, 20, 30, 40])
    place = tmp_path / "charts.html"
    release = block(ROWS, min_support=10, k=10, method="withhold")
    for text in (audit_html(audit(ROWS, min_support=10, k=10), tradeoff=grid), release.to_html(private=True)):
        place.write_text(text, encoding="utf-8")
        page.emulate_media(media=media, color_scheme=scheme)
        opened(page, place.as_uri())
        assert page.evaluate(CONTRAST) >= 3
        assert page.evaluate(PALE) == 0


def test_a_hundred_findings_are_read_and_not_scrolled(page, tmp_path):
    place = tmp_path / "clinic.html"
    place.write_text(audit_html(audit(clinic(2000, seed=1), min_support="5%", k=10)), encoding="utf-8")
    page.set_viewport_size({"width": 1100, "height": 900})
    opened(page, place.as_uri())
    assert page.evaluate("document.documentElement.scrollHeight") < 9_000
    assert page.locator(".findings > li:visible").count() == 12
    page.get_by_text("88 more, with their sums").click()
    assert page.locator(".findings > li:visible").count() == 100
    assert page.locator(".decisive").bounding_box()["y"] < 900 / 2


def test_mushroom_is_below_six_million_bytes_and_unfolds(page, mushroom, tmp_path):
    found = audit(read(mushroom), min_support="1%", k=10)
    place = tmp_path / "mushroom.html"
    place.write_text(audit_html(found), encoding="utf-8")
    assert place.stat().st_size < 6_000_000
    opened(page, place.as_uri())
    assert page.locator("#all-channels .where").inner_text() == "1 to 50 of 76,150"
