"""Charts: marks are where their numbers say, whatever the numbers; the same figure gives the same bytes."""

import json
import math
import re
from itertools import islice, pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import audit, block, compare, tradeoff
from discreet.report import (
    before_after_figure,
    cell_sizes_figure,
    tradeoff_figure,
)
from discreet.report.charts import (
    KINDS,
    LETTER,
    Figure,
    Mark,
    Plot,
    Scale,
    Series,
    _reaches_out,
    _thin,
    log_scale,
    scale,
)
from discreet.report.html import page

ROWS = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50


def figures():
    yield tradeoff_figure(tradeoff(ROWS, min_supports=[10, 20], ks=[3, 10]))
    yield cell_sizes_figure(audit(ROWS, min_support=10, k=10))
    yield cell_sizes_figure(audit(ROWS, min_support=10, k=10).channels)
    yield cell_sizes_figure(audit(ROWS, min_support=10, k=1))
    yield before_after_figure(compare(ROWS, min_support=10, k=10, seconds=1).best)
    yield before_after_figure(block(ROWS, min_support=60, k=60, method="suppress"))
    yield before_after_figure(block(ROWS, min_support=10, k=10, method="withhold"))


@pytest.fixture(scope="module")
def drawn():
    return list(figures())


def parsed(figure):
    return ET.fromstring(figure.html)  # noqa: S314 - ours


def test_figures_are_plain_json_and_well_formed(drawn):
    for figure in drawn:
        assert json.loads(json.dumps(figure.facts, allow_nan=False)) == figure.facts
        assert {len(line) for line in figure.lines} == {len(figure.head)}
        assert parsed(figure).get("class") == "plots"


def test_every_plot_is_an_image_with_a_name_and_every_mark_has_its_numbers(drawn):
    for figure in drawn:
        root = parsed(figure)
        images = [one for one in root.iter("svg") if one.get("role") == "img"]
        assert [one.get("aria-label") for one in images] == [figure.caption] * len(figure.plots)
        marks = [mark.text for plot in figure.plots for series in plot.series for mark in series.marks if mark.text]
        assert sorted(one.text for one in root.iter("title")) == sorted(marks)


def test_no_drawing_has_a_colour_an_address_or_a_script(drawn):
    for figure in drawn:
        assert not re.search(r"#[0-9a-f]{3}|rgb|url|href|<script|<style| on\w+=", figure.html)


def test_the_same_figure_gives_the_same_bytes(drawn):
    assert [figure.html for figure in islice(figures(), 3)] == [figure.html for figure in drawn[:3]]


def test_every_class_of_a_drawing_has_a_style(drawn):
    css = page.STATIC.joinpath("charts.css").read_text(encoding="utf-8")
    named = [text for figure in drawn for text in re.findall(r'class="([^"]+)"', figure.html)]
    assert {name for text in named for name in text.split()} <= set(re.findall(r"\.([a-z]\w*)", css))


def test_text_is_escaped():
    label = '<script>"&'
    axis = Scale(label, 0, 1, {0.5: label})
    series = [Series(kind, f"{label}{kind}", [Mark(0.2, 0.3, label, label), Mark(0.5, 0.6, label)]) for kind in KINDS]
    root = parsed(Figure(label, [Plot(axis, axis, series)], [label], [[label]]))
    assert label in [one.text for one in root.iter("title")]
    assert [one.get("aria-label") for one in root.iter("svg") if one.get("role") == "img"] == [label]


NUMBERS = st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=1, max_size=20)
POSITIVE = st.lists(st.integers(1, 10**7), min_size=1, max_size=20)


@settings(max_examples=100)
@given(NUMBERS)
def test_an_axis_holds_all_values_in_order_and_its_ticks_within(values):
    axis = scale("", values)
    places = [float(axis.place(value)) for value in sorted(values)]
    assert places == sorted(places)
    assert 0 <= places[0] <= places[-1] <= 100
    assert all(axis.low <= tick <= axis.high for tick in axis.ticks)


@settings(max_examples=100)
@given(POSITIVE)
def test_a_logarithmic_axis_holds_all_values_and_names_its_ticks(values):
    axis = log_scale("", values)
    assert axis.low <= math.log10(min(values)) <= math.log10(max(values)) <= axis.high
    assert all(math.isclose(10**tick, float(name.replace(",", ""))) for tick, name in axis.ticks.items())


@settings(max_examples=100)
@given(st.lists(st.integers(1, 8), min_size=1, max_size=30), st.integers(40, 700))
def test_labels_below_an_axis_never_meet_and_the_last_is_always_there(lengths, pixels):
    axis = Scale("", 0, len(lengths), {at + 0.5: "9" * length for at, length in enumerate(lengths)})
    kept = _thin(axis, pixels).ticks
    assert max(kept) == len(lengths) - 0.5

    def ends(tick):
        half = LETTER * len(kept[tick]) / 2
        middle = pixels - half if _reaches_out(axis, tick) else float(axis.place(tick)) * pixels / 100
        return middle - half, middle + half

    assert all(ends(one)[1] < ends(two)[0] for one, two in pairwise(kept))


@settings(max_examples=50)
@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 100)), min_size=1, max_size=9))
def test_points_lie_where_their_numbers_say(places):
    axis = Scale("", 0, 100, {})
    series = [Series("dots", "", [Mark(x, y, "") for x, y in places])]
    circles = parsed(Figure("", [Plot(axis, axis, series)], [], [])).iter("circle")
    told = [(float(one.get("cx")[:-1]), 100 - float(one.get("cy")[:-1])) for one in circles]
    assert told == [(pytest.approx(x, abs=0.006), pytest.approx(y, abs=0.006)) for x, y in places]


@settings(max_examples=50)
@given(st.lists(st.integers(1, 1000), min_size=1, max_size=9))
def test_bars_are_as_high_as_their_numbers(heights):
    across, up = Scale("", 0, len(heights), {}), Scale("", 0, 1000, {})
    series = [Series("columns", "", [Mark(at + 0.5, height, "") for at, height in enumerate(heights)])]
    bars = list(parsed(Figure("", [Plot(across, up, series)], [], [])).iter("rect"))
    assert [float(one.get("height")[:-1]) for one in bars] == [pytest.approx(height / 10) for height in heights]
    assert [float(one.get("y")[:-1]) for one in bars] == [pytest.approx(100 - height / 10) for height in heights]
