"""How quick the app is, as figures to read: timing never decides a test."""

import re

from test_journey import READY, load, settle

STEPS = 5
"""Presses of an arrow key at each move."""


def test_the_verdict_follows_the_slider_on_mushrooms(page, server, mushroom, record_property):
    load(page, server, mushroom)
    settle(page, min_support="30%", k=10)
    slider = page.get_by_role("slider", name="Minimum support")
    seconds = []
    while float(re.search(r"min_support=([\d.]+)%25", page.url)[1]) > 10:
        before = page.url
        for _ in range(STEPS):
            slider.press("ArrowLeft")
        page.wait_for_url(lambda url: url != before)  # noqa: B023 - called at once
        page.wait_for_selector(READY)
        seconds.append(float(page.locator("#verdict").get_attribute("data-seconds")))
    record_property(
        "seconds from the slider to the verdict, mushroom from 30 % to 10 %",
        f"{sum(seconds) / len(seconds):.2f} on average, {max(seconds):.2f} at most, of {len(seconds)} moves",
    )
    assert len(seconds) > 3
