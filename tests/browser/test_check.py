"""The step Check in a real browser: a verdict belongs to the settings that are shown, and each finding is explained."""

import re

import pytest
from test_journey import READY, fix, open_clinic, read_as, settle, wait_until

STALE = '#verdict.stale[data-ready="false"]'
COLOUR = "node => getComputedStyle(node).color"
WORDS = ("RELEASE", "REVIEW", "WITHHOLD")


@pytest.fixture
def loaded(page, server):
    """A page with a verdict of WITHHOLD on the clinic."""
    open_clinic(page, server)
    page.wait_for_selector(READY, timeout=60_000)
    return page


def field(page):
    return page.get_by_role("textbox", name="Minimum support")


def test_a_verdict_is_stale_from_the_first_keystroke(loaded):
    loaded.route("**/api/audit*", lambda _: None)  # no answer comes
    field(loaded).focus()
    loaded.keyboard.press("End")
    loaded.keyboard.press("ArrowLeft")
    loaded.keyboard.type("0")
    assert field(loaded).input_value() == "50%"
    assert loaded.locator(STALE).count() == 1  # before any pause
    stale = loaded.locator(".stale").evaluate_all("nodes => nodes.map((node) => node.id)")
    assert {"verdict", "decisive", "advice", "results"} <= set(stale)
    assert loaded.locator("#results").evaluate("node => node.inert")  # nothing old can be downloaded or used
    assert loaded.locator("[data-step=check] .step-state").inner_text() == "checking…"
    grey, usual = (
        loaded.evaluate(f"getComputedStyle(document.documentElement).getPropertyValue('--{name}')")
        for name in ("quiet", "bad")
    )
    colour = loaded.locator("#verdict .word").evaluate(COLOUR)
    assert grey != usual
    assert colour == f"rgb({', '.join(str(int(grey[at : at + 2], 16)) for at in (1, 3, 5))})"
    assert loaded.locator("[data-step=check] .step-state").evaluate(COLOUR) == colour
    assert loaded.get_by_role("button", name="Download confidential report").is_disabled()
    loaded.unroute("**/api/audit*")
    settle(loaded, min_support="50%")
    assert loaded.locator("#verdict .word").inner_text() == "RELEASE"
    wait_until(loaded, "!document.querySelector('.stale')")  # the lists below have answers of their own


@pytest.mark.parametrize("wrong", ["5x%", "", "0", "101%", "-3", "1.000,5"])
def test_with_a_wrong_setting_there_is_no_verdict(loaded, wrong):
    address = loaded.url
    field(loaded).fill(wrong)
    assert loaded.locator('#verdict[data-ready="false"]').count() == 1
    assert not any(word in loaded.locator("#banner").inner_text() for word in WORDS)
    assert loaded.locator("#banner").get_attribute("data-verdict") is None
    assert not any(word in loaded.locator(".steps").inner_text() for word in WORDS)
    assert field(loaded).get_attribute("aria-invalid") == "true"
    assert loaded.get_by_role("button", name="Download confidential report").is_disabled()
    loaded.get_by_role("link", name="Fix it").click(force=True)
    loaded.wait_for_timeout(300)  # longer than a pause after which a setting counts
    assert loaded.url == address
    assert not any(word in loaded.locator("#banner").inner_text() for word in WORDS)
    field(loaded).fill("5%")
    loaded.wait_for_selector(READY)
    assert loaded.locator("#verdict .word").inner_text() == "WITHHOLD"
    assert field(loaded).get_attribute("aria-invalid") == "false"
    loaded.get_by_role("link", name="Fix it").click()
    loaded.wait_for_url(re.compile("/fix"))


@pytest.mark.parametrize(("name", "wrong"), [("k", "0"), ("k", "ten"), ("Longest combinations", "1.5")])
def test_every_other_setting_can_be_wrong_too(loaded, name, wrong):
    loaded.get_by_text("Publish less").click()
    loaded.get_by_role("textbox", name=name, exact=True).fill(wrong)
    assert loaded.locator("#verdict .word").inner_text() == "No verdict"
    field(loaded).fill("50%")
    loaded.wait_for_timeout(300)
    assert loaded.locator("#verdict .word").inner_text() == "No verdict"


@pytest.mark.parametrize(("written", "same"), [("2,5%", "2.5%"), ("0,05", "0.05"), ("1,000", "1000")])
def test_a_comma_may_be_a_point_and_a_thousand_is_no_fraction(loaded, written, same):
    told = []
    for text in (same, written):
        field(loaded).fill("7%")
        settle(loaded, min_support="7%")
        field(loaded).fill(text)
        loaded.wait_for_url(re.compile(f"min_support={re.escape(same.replace('%', '%25'))}(&|$)"))
        loaded.wait_for_selector(READY)
        assert field(loaded).input_value() == text
        told.append((loaded.locator("#numbers").inner_text(), loaded.locator("#verdict").inner_text()))
    assert told[0] == told[1]


def test_few_rows_are_judged_by_the_usual_k_and_a_typed_one_stays(page, server, tmp_path):
    file = tmp_path / "few.csv"
    file.write_text("sex,hiv\n" + "f,no\n" * 26 + "f,yes\n" * 4 + "m,no\n" * 30, encoding="utf-8")
    read_as(page, server, file)
    page.wait_for_selector(READY)
    size = page.get_by_role("textbox", name="k", exact=True)
    assert (size.input_value(), page.locator("#banner").get_attribute("data-verdict")) == ("10", "WITHHOLD")
    size.fill("3")
    policy = page.get_by_role("combobox", name="Policy")
    policy.select_option("acro")
    policy.select_option("")
    assert size.input_value() == "3"  # nobody chose that of the policy
    policy.select_option("acro")
    size.fill("10")
    policy.select_option("")
    assert size.input_value() == "10"


def test_a_wrong_entry_is_told_once_and_leaves_the_slider_where_it_was(loaded):
    slider, told = loaded.get_by_role("slider", name="Minimum support"), loaded.locator("#min-support-told")
    before, colour = slider.input_value(), told.evaluate(COLOUR)
    field(loaded).fill("5x%")
    assert slider.input_value() == before
    assert loaded.locator("main").inner_text().count("Write a share such as 5% or 0.05") == 1
    assert told.evaluate(COLOUR) != colour
    assert told.evaluate("node => getComputedStyle(node).display") == "block"  # on a line of its own


def test_nothing_to_publish_is_no_release(loaded):
    settle(loaded, min_support="100%")
    banner = loaded.locator("#banner")
    assert "Only the number of rows would be published." in banner.inner_text()
    assert not loaded.locator("#results").is_visible()  # neither a list of one line, nor another setting
    assert loaded.locator("#verdict .word").inner_text() == "Nothing to publish"
    assert banner.get_attribute("data-verdict") == "NOTHING"
    colour = "node => getComputedStyle(node).backgroundColor"
    empty = banner.evaluate(colour)
    assert loaded.locator("#verdict .sign").evaluate(colour) not in {empty, "rgba(0, 0, 0, 0)"}
    assert not loaded.locator("#next-step").is_visible()
    steps = loaded.locator(".steps").inner_text()
    assert not any(word in steps for word in ("RELEASE", "ready"))
    banner.get_by_role("button", name=re.compile(r"Use a minimum support of [\d,]+")).click()
    loaded.wait_for_url(lambda url: "100%25" not in url)
    loaded.wait_for_selector(READY)
    assert loaded.locator("#verdict .word").inner_text() == "RELEASE"
    assert "0 lines" not in loaded.locator("#published-told").inner_text()
    settle(loaded, min_support="50%")
    assert banner.get_attribute("data-verdict") == "RELEASE"
    assert banner.evaluate(colour) != empty


def people(text):
    """The numbers of a subtraction."""
    return [int(digits.replace(",", "")) for digits in re.findall(r"[\d,]+", text)]


def test_findings_are_filtered_by_the_item_that_they_are_about(loaded):
    chip = loaded.locator("#causes .chip").first
    name, many = chip.locator("bdi").inner_text(), int(chip.locator(".quiet").inner_text())
    chip.click()
    loaded.locator("#findings-told").filter(has_text=f"{many} of ").wait_for()
    lines = loaded.locator("#findings tbody tr").all_inner_texts()
    assert [line for line in lines if name not in line] == []
    assert loaded.locator("#causes .chip[aria-pressed=true]").inner_text().startswith(name)
    loaded.locator("#causes .chip[aria-pressed=true]").click()
    loaded.locator("#findings-told").filter(has_not_text=" of ").wait_for()


def test_a_finding_is_shown_as_dots_and_as_a_sum_that_adds_up(loaded):
    panel = loaded.get_by_role("region", name="How it is worked out")
    for at in range(3):
        line = loaded.locator("#findings tbody tr").nth(at)
        line.locator(".open").click()
        loaded.locator("#explain-body[aria-busy=false] .subtraction").wait_for()
        [whole, others, few] = [people(text)[0] for text in panel.locator(".term strong").all_inner_texts()]
        assert whole - others == few == int(line.locator(".right").inner_text())
        dots = panel.locator("svg circle")
        fills = dots.evaluate_all("nodes => nodes.map((node) => getComputedStyle(node).fill)")
        red = loaded.locator("#verdict .sign").evaluate("node => getComputedStyle(node).backgroundColor")
        assert fills == [red] * few


def test_a_stronger_reader_proves_what_they_find(loaded):
    warnings = loaded.locator("#warnings")
    assert "Not checked here: a determined reader" in warnings.inner_text()
    loaded.get_by_role("button", name="Test", exact=True).click()
    found = loaded.locator("#attacked:not([hidden])")
    found.wait_for(timeout=60_000)
    told = found.get_by_role("status").inner_text()
    assert "This reader learns about" in told
    assert "Not checked here" not in warnings.inner_text()
    assert "A stronger reader was tested, who also solves inequalities: " in warnings.inner_text()
    found.get_by_role("button", name=re.compile("^Show .* more$")).click()
    are_new = [line.locator(".badge").count() for line in found.locator(".proofs > li").all()]
    assert f"{sum(are_new)} of them are new" in told
    assert are_new == sorted(are_new, reverse=True)
    proof = found.locator(".proofs > li").last  # by adding and subtracting
    proof.get_by_text("Why").click()
    *terms, result = [line.inner_text().split() for line in proof.locator(".term").all()]
    total = sum(-int(words[1]) if words[0] == "−" else int(words[words[0] == "+"]) for words in terms)
    assert total == int(result[1]) == int(proof.locator("strong").first.inner_text().split()[0])
    settle(loaded, min_support="50%")
    assert not found.is_visible()


def test_a_reader_who_bets_names_likely_groups_and_changes_no_verdict(loaded):
    before = loaded.locator("#verdict .word").inner_text()
    loaded.get_by_label("Reader", exact=True).select_option("belief")
    loaded.get_by_role("button", name="Test", exact=True).click()
    found = loaded.locator("#attacked:not([hidden])")
    found.wait_for(timeout=60_000)
    told = found.get_by_role("status").inner_text()
    assert "A reader who bets would name these groups" in told
    assert told.endswith("This is no proof: it depends on the prior.")
    assert "Taken as equally likely: all lists of rows that fit." in found.inner_text()
    beliefs = [float(one.rstrip(": ")) for one in found.locator(".proofs strong").all_inner_texts()]
    assert len(beliefs) == 20
    assert beliefs == sorted(beliefs, reverse=True)
    assert loaded.locator("#verdict .word").inner_text() == before


def test_lists_of_old_settings_are_stale_beside_a_new_verdict(loaded):
    for name, parts in (
        ("findings", ["findings-told", "findings-part"]),
        ("published", ["published-told", "published"]),
    ):
        loaded.route(f"**/api/{name}*", lambda _: None)  # no answer comes
        settle(loaded, min_support="30%" if name == "findings" else "6%")
        for part in parts:
            loaded.locator(f"#{part}.stale").wait_for(state="attached")
            assert loaded.locator(f"#{part}").evaluate("node => node.inert"), part
        loaded.unroute(f"**/api/{name}*")
        settle(loaded, min_support="5%")
        wait_until(loaded, "parts => parts.every((one) => !document.getElementById(one).inert)", parts)


def test_shares_are_rounded_half_up_from_whole_numbers(loaded):
    pairs = "[[567, 2000], [481, 2000], [1, 3], [0, 9]]"
    script = f"import('/static/dom.js').then(({{ part }}) => {pairs}.map((one) => part(...one)))"
    assert loaded.evaluate(script) == ["28.4%", "24.1%", "33.3%", "0%"]
    loaded.get_by_role("searchbox", name="Search what would be published").fill("former smoker")
    line = loaded.locator("#published tr").filter(has_text="567")
    line.wait_for()
    assert line.locator("td").last.inner_text() == "28.4%"


PINNED = "b\nb\na,b\na,b\na,c\na,c\nb,c\nb,c\na,b,c\n"  # exactly one row has all three items: theory C.2, E1


def test_what_a_stronger_reader_proves_is_no_release_and_is_fixed(page, server, tmp_path):
    file = tmp_path / "pinned.csv"
    file.write_text(PINNED, encoding="utf-8")
    read_as(page, server, file)
    page.wait_for_selector(READY)
    settle(page, min_support="3", k=2)
    assert page.locator("#banner").get_attribute("data-verdict") == "RELEASE"
    page.get_by_role("combobox", name="Reader").select_option("derive")
    page.get_by_role("button", name="Test", exact=True).click()
    page.locator("#banner[data-verdict=REVIEW]").get_by_text("a stronger reader works out 1 group").wait_for()
    assert page.get_by_role("link", name="Hand it over").count() == 0
    page.reload()
    page.wait_for_selector(READY)
    assert page.locator("#banner").get_attribute("data-verdict") == "REVIEW"
    fix(page)
    assert page.get_by_role("combobox", name="Withstand a reader who").input_value() == "derive"
    assert page.locator("#remedies li:has(:checked)").get_by_text("Publish it as it is").count() == 0
    assert page.locator("#banner").get_attribute("data-verdict") == "RELEASE"


SOUGHT = "hypertension"


def seen_in(page):
    """What the browser keeps of where one was: the address, each state of the history, and the title."""
    return page.evaluate("location.href + ' ' + JSON.stringify(history.state) + ' ' + document.title")


def test_what_is_looked_for_is_in_no_address_and_comes_back(loaded, server):
    told = []
    loaded.on("framenavigated", lambda frame: told.append(frame.url))
    loaded.on("request", lambda request: told.append(request.url))
    loaded.get_by_role("searchbox", name="Search", exact=True).fill(SOUGHT)
    loaded.locator("#findings-told").filter(has_text=" of ").wait_for()
    told.append(seen_in(loaded))
    loaded.get_by_role("searchbox", name="Search what would be published").fill(SOUGHT)
    loaded.locator("#published-told").filter(has_text=" of ").wait_for()
    told.append(seen_in(loaded))
    loaded.get_by_text("Publish less").click()
    loaded.get_by_role("textbox", name="Leave out").fill(f"{SOUGHT}, obesity")
    loaded.wait_for_selector(STALE)
    loaded.wait_for_selector(READY)
    told.append(seen_in(loaded))
    loaded.get_by_role("link", name="Query").click()
    loaded.get_by_role("textbox", name="Query").fill(f"{SOUGHT} & ~ramipril")
    loaded.get_by_role("button", name="Ask").click()
    loaded.locator("#answer:not([hidden])").wait_for()
    told.append(seen_in(loaded))
    loaded.goto(f"{server.origin}/verify")
    loaded.go_back()
    loaded.locator("#answer:not([hidden])").wait_for()
    assert loaded.get_by_role("textbox", name="Query").input_value() == f"{SOUGHT} & ~ramipril"
    told.append(seen_in(loaded))
    loaded.go_back()
    loaded.wait_for_selector(READY)
    assert loaded.get_by_role("searchbox", name="Search", exact=True).input_value() == SOUGHT
    assert loaded.get_by_role("searchbox", name="Search what would be published").input_value() == SOUGHT
    assert loaded.get_by_role("textbox", name="Leave out").input_value() == f"{SOUGHT}, obesity"
    told.append(seen_in(loaded))
    assert [text for text in told if SOUGHT in text or "obesity" in text or "ramipril" in text] == []
