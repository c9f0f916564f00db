"""The whole way through the app in a real browser: load, check, explain, fix, hand over; with the mouse and without."""

import base64
import re
import zipfile
from collections import Counter
from urllib.parse import quote

import pytest
from files import PATTERNS, TABLE, hospital

import discreet
from discreet.data.generate import clinic as generated

READY = '#verdict[data-ready="true"]'
FIXED = '#verdict[data-ready="true"]'
HANDED = "#handed:not([hidden])"
ADVISED = """() => !document.querySelector("#advised").classList.contains("stale")
  && (document.querySelector("#verdict").dataset.ready === "true"
    || document.querySelector("#verdict .word").textContent === "No safe release")"""
DROP = """([text, name]) => {
  const data = new DataTransfer();
  data.items.add(new File([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], name));
  const event = (kind) => new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true });
  for (const kind of ["dragenter", "dragover", "drop"]) document.querySelector("h1").dispatchEvent(event(kind));
}"""
CLICKS = 12
"""The most that a journey may take."""


def drop(page, name, content):
    """Drop a file on a page, as a hand does."""
    page.evaluate(DROP, [base64.b64encode(content).decode(), name])


def read_as(page, server, file):
    """Hand a file to the start page, and confirm how it is read."""
    page.goto(server.address)
    page.set_input_files("#file", file)
    page.get_by_role("button", name="This is right").click()
    page.wait_for_url(re.compile("/check"))


def open_clinic(page, server, where="check"):
    """Open a page on the story of the clinic: the same rows as in its file, at 5 % and k = 10."""
    page.goto(server.address)
    page.goto(f"{server.origin}/{where}?data=clinic&min_support=5%25&k=10")


def load(page, server, file):
    """Hand a file to the start page, confirm how it is read, and wait for the first verdict."""
    read_as(page, server, file)
    page.wait_for_selector(READY, timeout=60_000)


def wait_until(page, expression, *values):
    """Wait until an expression holds. Playwright would ask for it in the page, whose policy forbids to run texts."""
    for _ in range(2400):
        if page.evaluate(expression, *values):
            return
        page.wait_for_timeout(50)
    raise TimeoutError(expression)


def settle(page, *, min_support, k=None):
    """Type thresholds, and wait for the verdict that belongs to them."""
    if k is not None:
        page.get_by_role("textbox", name="k", exact=True).fill(str(k))
    page.get_by_role("textbox", name="Minimum support").fill(min_support)
    page.wait_for_url(re.compile(f"min_support={quote(min_support)}(&|$)"))
    page.wait_for_selector(READY, timeout=60_000)


def fix(page):
    """Go from the check to the remedies, and wait for the release of the recommended one."""
    page.get_by_role("link", name="Fix it").click()
    page.wait_for_url(re.compile("/fix"))
    page.wait_for_selector(FIXED, timeout=120_000)


def download(page, name, place):
    """Click what downloads a file, and return where it was saved."""
    with page.expect_download(timeout=60_000) as file:
        page.get_by_role("link", name=name).or_(page.get_by_role("button", name=name)).first.click()
    file.value.save_as(place)
    return place


def hand_over(page, tmp_path):
    """Go from the remedies to the files, and return the folder that release.zip holds."""
    page.get_by_role("link", name="Hand it over").click()
    page.wait_for_selector(HANDED, timeout=60_000)
    return unpacked(download(page, "Download the release", tmp_path / "release.zip"))


def unpacked(place):
    """Return the folder with the release in a zip."""
    with zipfile.ZipFile(place) as archive:
        archive.extractall(place.parent)
    return place.parent / "release"


@pytest.fixture
def hospital_file(tmp_path):
    place = tmp_path / "hospital.csv"
    place.write_text(hospital(), encoding="utf-8")
    return place


@pytest.fixture
def table_file(tmp_path):
    place = tmp_path / "smokers.csv"
    place.write_text(TABLE, encoding="utf-8")
    return place


class Mouse:
    """Somebody who clicks, and counts it."""

    def __init__(self, page):
        self.page, self.clicks = page, 0

    def press(self, role, name):
        self.clicks += 1
        self.page.get_by_role(role, name=name).first.click()

    def choose_file(self, file):
        with self.page.expect_file_chooser() as chooser:
            self.press("button", "Choose a file")
        chooser.value.set_files(file)

    def bring(self, file):
        """Drop a file, which takes no click."""
        drop(self.page, file.name, file.read_bytes())

    def write(self, name, text):
        self.clicks += 1
        self.page.get_by_role("textbox", name=name).click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)
        self.page.keyboard.press("Tab")

    def select(self, name, value):
        self.clicks += 2  # one opens the list, one chooses
        self.page.get_by_role("combobox", name=name).select_option(value)


class Keyboard(Mouse):
    """Somebody without a mouse, who goes to everything with Tab; nothing counts as a click."""

    def go(self, role, name):
        wanted = self.page.get_by_role(role, name=name).first
        wanted.wait_for()
        for _ in range(150):
            if wanted.evaluate("node => node === document.activeElement"):
                return wanted
            self.page.keyboard.press("Tab")
        raise LookupError(name)

    def press(self, role, name):
        self.go(role, name)
        self.page.keyboard.press("Enter")

    def bring(self, file):
        """Choose a file: no key drops one."""
        self.choose_file(file)

    def write(self, name, text):
        self.go("textbox", name)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)
        self.page.keyboard.press("Tab")

    def select(self, name, value):
        field = self.go("combobox", name)
        values = field.evaluate("node => [...node.options].map((one) => one.value)")
        self.page.keyboard.press("Home")
        for _ in range(values.index(value)):
            self.page.keyboard.press("ArrowDown")


HANDS = pytest.mark.parametrize("hands", [Mouse, Keyboard], ids=["mouse", "keyboard"])


def finish(page, hands, tmp_path):
    """Go from a verdict of WITHHOLD to the files, and return the folder of the release."""
    page.locator("#banner[data-verdict=WITHHOLD]").locator(READY).wait_for(timeout=60_000)
    hands.press("link", "Fix it")
    page.wait_for_url(re.compile("/fix"))
    page.locator("#banner[data-verdict=RELEASE]").locator(FIXED).wait_for(timeout=120_000)
    hands.press("link", "Hand it over")
    page.wait_for_selector(HANDED, timeout=60_000)
    with page.expect_download() as file:
        hands.press("link", "Download the release")
    file.value.save_as(tmp_path / "release.zip")
    return unpacked(tmp_path / "release.zip")


@HANDS
@pytest.mark.parametrize(("policy", "k"), [("acro", 10), ("cms", 11)])
def test_a_hospital_goes_from_a_wide_table_to_a_verified_release(
    page, server, hospital_file, tmp_path, hands, policy, k, record_property
):
    hands = hands(page)
    page.goto(server.address)
    hands.choose_file(hospital_file)
    page.locator("#sentence").filter(has_text="1,500 rows").wait_for(timeout=60_000)
    hands.press("button", "Read it differently")
    hands.write("Group the numbers of age", "10")
    page.locator("#read").get_by_text(re.compile("age=.*–")).first.wait_for()
    page.locator("#load:not([disabled])").wait_for()
    hands.press("button", "This is right")
    page.wait_for_selector(READY, timeout=60_000)
    hands.select("Policy", policy)
    page.wait_for_url(re.compile(f"policy={policy}"))
    folder = finish(page, hands, tmp_path)
    record_property("clicks from a wide table to a release", hands.clicks)
    assert hands.clicks <= CLICKS
    verified = discreet.verify(folder)
    assert (verified.is_good, verified.k) == (True, k)
    assert not any("DO-NOT-RELEASE" in path.name for path in folder.iterdir())


@HANDS
def test_a_table_of_counts_goes_to_one_from_which_no_small_count_follows(
    page, server, table_file, tmp_path, hands, record_property
):
    hands = hands(page)
    page.goto(server.address)
    page.wait_for_load_state("networkidle")
    hands.bring(table_file)
    page.locator("#sentence").filter(has_text="9 counts").wait_for(timeout=60_000)
    hands.press("button", "This is right")
    folder = finish(page, hands, tmp_path)
    record_property("clicks from a table of counts to a release", hands.clicks)
    assert hands.clicks <= CLICKS
    assert discreet.verify(folder).is_good
    tables = [path for path in folder.iterdir() if path.suffix == ".csv"]
    assert [discreet.audit(discreet.read_counts(path), k=10).verdict for path in tables] == [
        discreet.Verdict.RELEASE for _ in tables
    ]
    assert tables


def test_a_clinic_goes_from_its_rows_to_a_verified_release(page, server, clinic, tmp_path):
    load(page, server, clinic)
    settle(page, min_support="5%", k=10)
    assert "WITHHOLD" in page.locator("#verdict").inner_text()
    page.locator("#findings .open").first.click()
    page.get_by_role("region", name="How it is worked out").locator("svg").first.wait_for()
    fix(page)
    folder = hand_over(page, tmp_path)
    assert discreet.verify(folder).is_good
    expected = discreet.advise(generated(2000, seed=1), min_support="5%", k=10).best.release.patterns
    assert dict(discreet.read_patterns(folder / "patterns.json")) == dict(expected)
    assert not any("DO-NOT-RELEASE" in path.name for path in folder.iterdir())


def test_mushrooms_go_from_their_rows_to_a_verified_release(page, server, mushroom, tmp_path):
    load(page, server, mushroom)
    settle(page, min_support="25%", k=10)
    assert "WITHHOLD" in page.locator("#verdict").inner_text()
    fix(page)
    assert discreet.verify(hand_over(page, tmp_path)).is_good


def test_what_is_advised_is_done_by_its_card(page, server, clinic, tmp_path):
    load(page, server, clinic)
    settle(page, min_support="5%", k=10)
    fix(page)
    advice = discreet.advise(generated(2000, seed=1), min_support="5%", k=10)
    assert page.locator("#advised").inner_text() == advice.recommendation
    assert page.locator("#remedies li:has(:checked) .badge").all_inner_texts() == ["recommended", "RELEASE"]
    page.get_by_role("button", name=re.compile("^Show .* more$")).first.click()
    assert page.locator("#remedies li").count() == len(advice.remedies)
    what = "Leave out diabetes type 2, and combinations that still reveal someone"
    page.get_by_role("radio", name=re.compile(f"^{what} Keeps")).check()
    page.locator("#verdict").get_by_text("If you leave out diabetes type 2,").wait_for(timeout=60_000)
    page.wait_for_selector(FIXED)
    folder = hand_over(page, tmp_path)
    chosen = {"method": "withhold", "leave_out": ["diabetes type 2"]}
    expected = discreet.block(generated(2000, seed=1), min_support="5%", k=10, **chosen).patterns
    assert dict(discreet.read_patterns(folder / "patterns.json")) == dict(expected)
    assert "diabetes" not in page.url


def test_advice_follows_the_settings(page, server, clinic):
    load(page, server, clinic)
    fix(page)
    page.get_by_role("textbox", name="Minimum support").fill("50%")
    page.locator("#advised").filter(has_text="Nothing needs to be done").wait_for(timeout=60_000)
    assert page.locator("#remedies li").count() == 1


def test_the_recommended_card_of_a_policy_has_a_release(page, server, clinic):
    load(page, server, clinic)
    fix(page)
    seen = Counter()
    for policy in ("acro", "cms", "opensafely", "manitoba"):  # the API is asked with all of them
        page.get_by_role("combobox", name="Policy").select_option(policy)
        wait_until(page, ADVISED)
        best = page.locator("#remedies li", has_text="recommended").locator("[data-verdict]").all_inner_texts()
        is_open = page.get_by_role("link", name="Hand it over").is_visible()
        verdict = page.locator("#banner").get_attribute("data-verdict")
        assert (policy, best, is_open) in [
            (policy, ["RELEASE"], True),
            (policy, [], False),
        ]
        seen[verdict, is_open] += 1
    assert set(seen) <= {("RELEASE", True), ("WITHHOLD", False)}
    assert seen["RELEASE", True] > 0


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("empty.csv", b"", "empty"),
        ("broken.parquet", b"\x00\xff broken", "Parquet"),
        ("large.csv", b"a,b\n" * 600_000, "2"),
    ],
    ids=["empty", "broken", "over the limit"],
)
def test_what_cannot_be_read_is_told_in_a_sentence(page, server, tmp_path, name, content, sentence):
    place = tmp_path / name
    place.write_bytes(content)
    page.goto(server.address)
    page.set_input_files("#file", place)
    page.get_by_role("alert").filter(has_text=sentence).first.wait_for(timeout=20_000)


def test_a_label_that_is_a_script_is_shown_as_text(page, server, tmp_path):
    label = "<script>alert(1)</script>"
    place = tmp_path / "labels.csv"
    place.write_text(f"{label},tea\n" * 48 + f"{label}\n" * 2 + "milk\n" * 50, encoding="utf-8")
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    load(page, server, place)
    settle(page, min_support="10", k=10)
    page.locator("#findings .open").filter(has_text=label).first.click()
    page.get_by_role("region", name="How it is worked out").get_by_text(label).first.wait_for()
    assert page.locator("#published").get_by_text(label).count() > 0
    assert dialogs == []


def test_a_page_comes_back_from_its_address(page, server, clinic):
    load(page, server, clinic)
    settle(page, min_support="8%", k=7)
    before = page.locator("#verdict").inner_text()
    page.reload()
    page.wait_for_selector(READY)
    assert page.locator("#verdict").inner_text() == before
    assert "hypertension" not in page.url


def test_what_is_loaded_is_listed_with_its_verdict_and_can_be_removed(page, server, clinic, table_file):
    load(page, server, clinic)
    settle(page, min_support="50%")
    read_as(page, server, table_file)
    page.wait_for_selector(READY)
    page.goto(server.origin)
    lines = page.locator("#loaded li")
    verdicts = {
        line.locator("bdi").inner_text(): line.locator(".badge").inner_text()
        for line in lines.all()
        if line.locator(".badge").is_visible()
    }
    assert verdicts == {"clinic.csv": "RELEASE", "smokers.csv": "WITHHOLD"}
    assert page.locator("[data-step=load] .step-state").inner_text() == "choose one"
    page.goto(f"{server.origin}/?{page.locator('#loaded a').last.get_attribute('href').partition('?')[2]}")
    for name in verdicts:  # whatever is open
        lines.filter(has=page.locator(".badge:visible")).get_by_role("link", name=name).click()
        page.wait_for_url(re.compile("/check"))
        page.locator("[data-step=load]").filter(has_text=name).wait_for()
        page.get_by_role("link", name="Load").click()
        page.wait_for_url(lambda url: "/check" not in url)
    page.goto(server.origin)
    many = lines.count()
    mine = lines.filter(has=page.locator(".badge:visible")).filter(has_text="smokers.csv")
    mine.get_by_role("button", name="Remove").click()
    mine.wait_for(state="detached")
    page.reload()
    assert lines.count() == many - 1


def test_a_list_of_patterns_can_be_checked_but_not_fixed(page, server, tmp_path):
    place = tmp_path / "patterns.csv"
    place.write_text(PATTERNS, encoding="utf-8")
    load(page, server, place)
    assert page.locator("#banner").get_attribute("data-verdict") == "WITHHOLD"
    assert not page.get_by_role("link", name="Fix it").is_visible()
