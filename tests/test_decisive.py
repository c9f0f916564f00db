"""The decisive finding: the verdict comes from it, its numbers add up, and its dots are the people it is about."""

import json
import re
from io import BytesIO
from xml.etree import ElementTree as ET

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import detected_databases, heavy_databases, small_databases
from test_counts import published

from discreet import Policy, Rules, Transactions, Verdict, audit, mine, read_counts
from discreet.publications.trees.leaves import Leaves
from discreet.report import Part, decisive
from discreet.report.deciding import MOST, MOST_FEW, ORDER, draw_people, subtract
from discreet.report.html.page import STATIC

DRAWN = {"div", "p", "svg", "g", "path", "circle"}  # some of what the app accepts
ROWS = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
BOXES = st.dictionaries(st.sampled_from(["ill", "well", "other"]), st.integers(0, 500), min_size=1)
TREES = st.lists(BOXES, min_size=1, max_size=4).map(
    lambda counts: Leaves.from_rules([(f"age > {90 - at}", one) for at, one in enumerate(counts)])
)


def grey(svg):
    """How many grey dots a drawing has."""
    return sum((int(end) + 5) // 10 for end in re.findall(r"M5 \d+H(\d+)\.1", svg))


def faults(found):
    """The findings of an audit whose numbers do not add up, or are not what is drawn."""
    every = [(one, subtract(one, found)) for one in found.findings[:40]]
    return [one for one, parts in every if parts and not is_right(one, parts)]


def is_right(one, parts):
    (whole, _), (rest, _), (few, _) = parts
    svg = draw_people(parts)
    is_drawn = svg.count("<circle") == few and 0 <= rest - grey(svg) < max(1, whole) and grey(svg) + few <= MOST
    return whole - rest == few == one.count and rest >= 0 and (is_drawn if few <= MOST_FEW else svg == "")


@settings(max_examples=60)
@given(detected_databases() | detected_databases(heavy_databases), st.sampled_from(["closed", "frequent", "maximal"]))
def test_rows_and_patterns_leave_what_their_findings_count(found, kind):
    rows, sigma, k = found
    result = audit(
        mine(rows, min_support=sigma, kind=kind), rows=rows, policy=Policy("ours", k=k, zeros=Verdict.REVIEW)
    )
    assert faults(result) == []
    told = [(one, subtract(one, result)) for one in result.findings if one.kind == "channel" and one.who.lacks]
    assert [parts[0].value for _, parts in told] == [oracle.support(one.who.has, rows) for one, _ in told]


@settings(max_examples=40)
@given(detected_databases(), st.data())
def test_visits_are_counted_as_rows_of_people(found, data):
    rows, sigma, k = found
    people = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    given_rows = Transactions(rows).describe(people=np.array(people, dtype=np.int32))
    result = audit(given_rows, min_support=sigma, k=k)
    assert faults(result) == []
    assert not [part for one in result.findings for part in subtract(one, result) if "people" in part.words]


@settings(max_examples=40)
@given(detected_databases(), small_databases(), st.integers(1, 8))
def test_changes_leave_how_many_came_or_left(found, other, sigma):
    rows, least, k = found
    result = audit(mine(rows, min_support=least), k=k, against=mine(other, min_support=sigma))
    assert faults(result) == []
    assert [one for one in result.findings if one.kind == "change" and not subtract(one, result)] == []


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(1, 60), st.integers(0, 9)), min_size=1, max_size=4), st.integers(2, 20))
def test_rules_leave_what_is_known_exactly(pairs, k):
    listed = [([f"a{at}"], ["b"], both, f"{both / (both + less):.4f}") for at, (both, less) in enumerate(pairs)]
    assert faults(audit(Rules.from_rules(listed, rounding="round"), k=k)) == []


@settings(max_examples=40)
@given(published())
def test_of_tables_a_total_and_its_other_parts_leave_the_few(case):
    *_, counts, k, _ = case
    result = audit(counts, k=k)
    found = decisive(result)
    assert (found is None) == (len(result.findings) == 0)
    numbers = () if found is None else tuple(part.value for part in found.numbers)
    assert numbers == () or (numbers[0] - numbers[1], found.finding.low) == (numbers[2], numbers[2])


def test_a_masked_count_of_a_table_is_shown_as_a_subtraction():
    counts = read_counts(BytesIO(b"sex,n\nTotal,180\nf,177\nm,<11\n"))
    assert [tuple(part) for part in decisive(audit(counts, k=11)).numbers] == [
        (180, "in all"),
        (177, "sex f"),
        (3, "sex m"),
    ]


@given(TREES, st.integers(2, 300))
def test_leaves_leave_the_few_of_a_class(tree, k):
    result = audit(tree, k=k)
    assert faults(result) == []
    assert [one for one in result.findings if not subtract(one, result)] == []


@settings(max_examples=60)
@given(detected_databases(), small_databases())
def test_the_verdict_comes_from_the_decisive_finding_if_from_any(found, other):
    rows, sigma, k = found
    policy = Policy("ours", k=k, zeros=Verdict.REVIEW)
    result = audit(rows, min_support=sigma, policy=policy, against=mine(other, min_support=3))
    first = decisive(result)
    expected = [(one.severity != result.verdict, ORDER.index(one.kind)) for one in result.findings]
    assert (first is None) == (expected == [])
    assert first is None or (first.finding.severity != result.verdict, ORDER.index(first.finding.kind)) == min(expected)
    assert first is None or first.finding.high == min(
        one.high for one in result.findings if one.kind == first.finding.kind
    )


@settings(max_examples=60)
@given(detected_databases())
def test_facts_are_plain_json_and_the_drawing_is_one_that_the_app_shows(found):
    rows, sigma, k = found
    first = decisive(audit(rows, min_support=sigma, k=k))
    facts = {} if first is None else first.facts
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    drawn = ET.fromstring(f"<div>{facts.get('svg', '')}</div>")  # noqa: S314 - ours
    assert {one.tag for one in drawn.iter()} <= DRAWN
    assert not re.search(r"href| on\w+=|style=|#[0-9a-f]{3}", facts.get("svg", ""))
    assert [one.get("role") for one in drawn.iter("svg")] == ["img"] * bool(facts.get("svg"))


@pytest.mark.parametrize(
    ("rows", "k", "words", "numbers"),
    [
        (
            ROWS,
            10,
            "Exactly 2 people have a and b, but not c.",
            ["50 people have a and b", "48 of them have c", "2 do not"],
        ),
        (
            [["a", "b"]] * 20 + [["a"]] * 12 + [["b"]] * 12 + [[]],
            5,
            "Exactly 1 person has neither a nor b.",
            ["45 people in all", "44 of them have at least one of a and b", "1 has none of them"],
        ),
        (
            [["a", "b", "c"]] * 3 + [["a"]] * 40 + [["b"]] * 40,
            4,
            "Exactly 3 people have a, b and c.",
            ["83 people in all", "80 of them do not have all of a, b and c", "3 do"],
        ),
    ],
)
def test_a_cell_is_told_as_people_speak(rows, k, words, numbers):
    found = decisive(audit(rows, min_support=3, k=k))
    assert found.words == words
    assert [f"{value:,} {told}" for value, told in found.numbers] == numbers


def test_a_difference_is_of_those_who_have_not_both():
    family = mine([["a", "b", "c"]] * 48 + [["a"]] * 3, min_support=10, kind="maximal")
    pairs = [(["a"], 51), (["a", "b", "c"], 48)]
    found = decisive(audit(family.from_itemsets(pairs, n=60, kind="frequent"), k=10))
    assert found.words == "Exactly 3 people have a, but not both b and c."
    assert [part.words for part in found.numbers] == ["people have a", "of them have both b and c", "do not"]


def test_a_change_is_told_in_the_direction_it_went():
    old = [["a", "b"]] * 20 + [["a"]] * 12 + [[]] * 10
    less, more = (mine(rows, min_support=10) for rows in (old, [*old, ["a"]]))
    rose, fell = (decisive(audit(one, k=5, against=[other])) for one, other in ((more, less), (less, more)))
    assert [f"{value} {words}" for value, words in rose.numbers] == [
        "13 people now have a, but not b",
        "12 before",
        "1 more than before",
    ]
    assert [f"{value} {words}" for value, words in fell.numbers] == [
        "13 people had a, but not b before",
        "12 now",
        "1 fewer than before",
    ]


def test_a_remainder_is_of_those_with_none_of_the_values():
    people = [["sex=f"]] * 40 + [["sex=m"]] * 48 + [[]] * 2
    found = decisive(audit(people, min_support=10, k=5, schema="="))
    assert [f"{value} {words}" for value, words in found.numbers] == [
        "90 people in all",
        "88 of them have at least one of sex=f and sex=m",
        "2 have none of them",
    ]


def test_a_leaf_is_told_with_its_path():
    tree = Leaves.from_rules([("age > 60", {"ill": 20, "well": 9}), ("", {"ill": 3, "well": 80})])
    found = decisive(audit(tree, k=5))
    assert found.words == "Exactly 3 people, class ill: none of the rules before."
    assert [f"{value} {words}" for value, words in found.numbers] == [
        "83 people with none of the rules before",
        "80 others",
        "3 class ill",
    ]


def test_nothing_is_decisive_where_nothing_was_found():
    found = audit([["a", "b"]] * 50 + [["a"]] * 50 + [[]] * 50, min_support=10, k=10)
    assert (found.verdict, decisive(found)) == (Verdict.RELEASE, None)


def test_labels_are_text_in_words_and_escaped_in_the_drawing():
    nasty = '<script>"\u202e'
    found = decisive(audit([[nasty, "b"]] * 48 + [[nasty]] * 2 + [[]] * 50, min_support=10, k=10))
    assert found.words == 'Exactly 2 people have <script>"\\u202e, but not b.'
    assert 'aria-label="50 people have &lt;script&gt;&quot;\\u202e; 48 of them have b; 2 do not"' in found.svg


@given(st.integers(0, 10**18), st.integers(1, MOST_FEW))
def test_many_people_are_fewer_dots_and_the_drawing_says_how_many_each_is(rest, few):
    svg = draw_people([Part(rest + few, "all"), Part(rest, "most"), Part(few, "few")])
    each = max([1, *(int(one.replace(",", "")) for one in re.findall(r"Each grey dot is about ([\d,]+) people", svg))])
    assert svg.count("<circle") == few
    assert grey(svg) + few <= MOST
    assert grey(svg) == -(-rest // each)
    assert (each == 1) == (rest + few <= MOST)
    assert each == 1 or (each - 1) * (MOST - few) < rest


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, two):
    dark, light = sorted(map(luminance, (one, two)))
    return (light + 0.05) / (dark + 0.05)


def themes(css):
    """The colours of a style sheet by their names: those of the light theme, and of the dark one."""
    light, dark = re.findall(r":root[^{]*\{([^}]*)\}", css)[:2]
    return [dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", one)) for one in (light, light + dark)]


@pytest.mark.parametrize("sheet", ["report/templates/report.css", "web/static/page.css"])
def test_dots_stand_out_from_their_card_in_both_themes(sheet):
    css = (STATIC / "charts.css").read_text(encoding="utf-8")
    used = {name: re.search(rf"\.crowd \.{name} {{[^}}]*var\(--([a-z-]+), (#\w+)\)", css) for name in ("many", "one")}
    for colours in themes((STATIC.parents[1] / sheet).read_text(encoding="utf-8")):
        drawn = [colours.get(found[1], found[2]) for found in used.values()]
        assert min(contrast(one, colours["card"]) for one in drawn) >= 3
