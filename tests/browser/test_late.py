"""An answer to settings that have changed since: no page shows it as the verdict on what is entered now."""

import contextlib

import pytest
from test_compare_page import compare, tell_story  # noqa: F401 - a fixture
from test_journey import FIXED, READY, open_clinic
from test_verify_page import DONE, drop, enter, releases, result, verify  # noqa: F401 - fixtures

PAUSE = 300
"""Milliseconds, more than a page waits before a setting counts."""


class Held:
    """A question whose answer waits until it is let go."""

    def __init__(self, page, verb):
        self.page, self.pattern, self.routes = page, f"**/api/{verb}*", []
        page.route(self.pattern, self.hold)

    def hold(self, route):
        """Keep a question."""
        self.routes.append(route)

    def wait(self):
        """Wait until the question was sent."""
        for _ in range(200):
            if self.routes:
                return
            self.page.wait_for_timeout(50)
        raise AssertionError("nothing was asked")

    def let_go(self):
        """Let the answer come after a pause, unless the page took its question back; wait until it could be shown."""
        self.page.wait_for_timeout(PAUSE)
        self.page.unroute(self.pattern)
        with contextlib.suppress(Exception):  # of playwright, which is not installed everywhere
            self.routes[-1].continue_()
        self.page.wait_for_timeout(5 * PAUSE)


@pytest.mark.parametrize("wrong", ["5x%", "0"])
def test_check_has_no_verdict_while_an_entry_is_wrong(page, server, wrong):
    open_clinic(page, server)
    page.wait_for_selector(READY, timeout=60_000)
    field = page.get_by_role("textbox", name="Minimum support")
    held = Held(page, "audit")
    field.fill("50%")
    held.wait()
    field.fill(wrong)
    held.let_go()
    assert page.locator("#verdict .word").inner_text() == "No verdict"
    assert page.locator(READY).count() == 0
    field.fill("50%")
    page.wait_for_selector(READY)
    assert page.locator("#verdict .word").inner_text() == "RELEASE"


def test_fix_has_no_release_while_an_entry_is_wrong(page, server):
    held = Held(page, "block")
    open_clinic(page, server, "fix")
    held.wait()
    page.get_by_role("textbox", name="k", exact=True).fill("ten")
    held.let_go()
    assert page.locator("#verdict .word").inner_text() == "No release"
    assert page.locator(FIXED).count() == 0


def test_fix_does_not_show_a_release_that_was_not_asked_for(page, server):
    held = Held(page, "block")
    open_clinic(page, server, "fix")
    held.wait()
    advice = Held(page, "advise")
    page.locator("#keep-n").check(force=True)
    advice.wait()
    held.let_go()
    assert page.locator(FIXED).count() == 0
    advice.let_go()
    page.wait_for_selector(FIXED, timeout=60_000)


def test_compare_has_no_verdict_while_k_is_wrong(compare):  # noqa: F811
    tell_story(compare)
    field = compare.get_by_role("spinbutton", name="k, the smallest group that anyone may learn about")
    held = Held(compare, "compare_releases")
    field.fill("3")
    held.wait()
    field.fill("0")
    held.let_go()
    assert compare.locator(READY).count() == 0


def test_verify_has_no_result_while_the_fingerprint_is_wrong(verify, releases):  # noqa: F811
    drop(verify, "#drop", releases["old"][1])
    result(verify)
    held = Held(verify, "verify")
    enter(verify, "a" * 64)
    held.wait()
    enter(verify, "a" * 63)
    held.let_go()
    assert "NOT CHECKED" in verify.locator("#verified").inner_text()
    assert verify.locator(DONE).count() == 0
