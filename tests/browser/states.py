"""Every page of the steps in each of its states, one after the other: for what must hold in all, and for pictures."""

from files import PATTERNS, TABLE, UNCLEAR, hospital, write_zip
from test_journey import FIXED, HANDED, READY, read_as, settle

from discreet import Transactions, block, write, write_release
from discreet.data.generate import clinic

QUERY = "asthma & ~salbutamol"
SECRET = ("hypertension", "amlodipine")


def bring_files(folder):
    """Write the files that ``walk`` loads to a folder."""
    rows = Transactions(clinic(2000, seed=1))
    write(rows, folder / "clinic.csv")
    write_release(block(rows, min_support="5%", k=10, method="withhold"), folder / "release")
    write_zip(folder / "release")
    for name, text in (("hospital", hospital()), ("visits", UNCLEAR), ("patterns", PATTERNS), ("smokers", TABLE)):
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")


def walk(page, server, folder):
    """Bring a page to each state, and yield its name."""
    page.goto(server.address)
    yield "load"
    page.goto(f"{server.origin}/check")
    page.locator("#empty:not([hidden])").wait_for()
    yield "check-empty"
    yield from readings(page, server, folder)
    read_as(page, server, folder / "smokers.csv")
    yield from table(page)
    read_as(page, server, folder / "clinic.csv")
    yield from checks(page)
    yield from remedies(page)
    page.goto(page.url.replace("/handover", "/query"))
    page.get_by_role("textbox", name="Query").fill(QUERY)
    page.get_by_role("button", name="Ask").click()
    page.locator("#answer:not([hidden])").wait_for()
    yield "query"
    yield from hiding(page)
    yield from verifying(page, server, folder)
    yield from comparing(page, server)
    page.goto(server.origin)
    page.locator("#loaded li").first.wait_for()
    yield "load-loaded"


def readings(page, server, folder):
    """Yield how files of each kind are read."""
    for name in ("visits", "patterns", "smokers", "hospital"):
        page.goto(server.origin)
        page.set_input_files("#file", folder / f"{name}.csv")
        page.locator("#reading:not([hidden]) #preview[aria-busy=false]").wait_for()
        yield f"reading-{name}"
    page.get_by_role("button", name="Read it differently").click()
    page.locator("#columns tr").first.wait_for()
    yield "reading-differently"


def table(page):
    """Yield the check and the remedies of a table of counts."""
    page.wait_for_selector(READY)
    page.locator("#published td.found").wait_for()
    yield "check-table"
    page.get_by_role("link", name="Fix it").click()
    page.locator("#result:not([hidden])").wait_for(timeout=60_000)
    yield "fix-table"


def checks(page):
    """Yield the step Check on the clinic, and leave it with a verdict of WITHHOLD."""
    field = page.get_by_role("textbox", name="Minimum support")
    page.wait_for_selector(READY)
    settle(page, min_support="5%", k=10)
    page.wait_for_selector("#tradeoff .plot > svg")
    yield "check-withhold"
    page.locator("#findings .open").first.click()
    page.locator("#explain-body[aria-busy=false] svg").first.wait_for()
    yield "check-explained"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Test", exact=True).click()
    page.locator("#attacked:not([hidden])").wait_for(timeout=60_000)
    page.locator("#attacked summary").first.click()
    yield "check-stronger"
    page.get_by_label("Reader", exact=True).select_option("belief")
    page.get_by_role("button", name="Test", exact=True).click()
    page.get_by_text("A reader who bets would name").wait_for(timeout=60_000)
    yield "check-belief"
    settle(page, min_support="50%")
    yield "check-release"
    settle(page, min_support="100%")
    yield "check-nothing"
    field.fill("5x%")
    yield "check-wrong"
    page.route("**/api/audit*", lambda route: route.fulfill(status=400, json={"error": "this cannot be judged"}))
    field.fill("7%")
    page.locator("#audit-work .alert").wait_for()
    yield "check-failed"
    page.unroute("**/api/audit*")
    settle(page, min_support="5%")
    page.wait_for_selector("#tradeoff .plot > svg")
    page.route("**/api/audit*", lambda _: None)
    field.fill("6%")
    page.locator("#audit-work progress").wait_for()
    yield "check-stale"
    page.unroute("**/api/audit*")
    settle(page, min_support="5%")


def remedies(page):
    """Yield the steps Fix and Hand over of the clinic."""
    page.get_by_role("link", name="Fix it").click()
    page.locator("#result:not([hidden])").wait_for(timeout=120_000)
    page.wait_for_selector(FIXED)
    yield "fix"
    page.get_by_role("link", name="Hand it over").click()
    page.wait_for_selector(HANDED, timeout=60_000)
    yield "handover"


def hiding(page):
    """Yield the page Hide on the clinic: empty, compared, and with a wrong setting."""
    page.goto(page.url.replace("/query", "/hide"))
    page.get_by_role("option").first.wait_for(timeout=60_000)
    yield "hide"
    for item in SECRET:
        page.get_by_role("searchbox").fill(item)
        page.get_by_role("option", name=item).first.click()
    page.get_by_text("Write them instead").click()
    page.get_by_label("Count other combinations shared by at least").fill("15%")
    page.get_by_role("button", name="Compare ways to hide").click()
    page.locator("#hidden:not(.stale) #outcome:not([hidden])").wait_for(timeout=60_000)
    yield "hide-done"
    page.get_by_label("Count other combinations shared by at least").fill("x")
    yield "hide-wrong"


def verifying(page, server, folder):
    """Yield the page Verify: empty, with a result, with half a fingerprint and with that of another release."""
    page.goto(f"{server.origin}/verify")
    page.wait_for_load_state("networkidle")
    yield "verify"
    page.set_input_files("#zip", folder / "release.zip")
    page.wait_for_selector("#print:enabled", timeout=60_000)
    yield "verify-good"
    field = page.get_by_role("textbox", name="The publisher's fingerprint")
    field.fill("0" * 63)
    page.locator("#fingerprint-wrong").wait_for()
    yield "verify-wrong"
    field.fill("0" * 64)
    page.locator("#verified").get_by_text("NOT GOOD").wait_for()
    yield "verify-refuted"


def comparing(page, server):
    """Yield the page Compare: empty, and with a result."""
    page.goto(f"{server.origin}/compare")
    page.wait_for_load_state("networkidle")
    yield "compare"
    page.get_by_role("button", name="Last year's and this year's release").click()
    page.wait_for_selector(READY, timeout=60_000)
    yield "compare-withhold"
