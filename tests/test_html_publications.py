"""Pages of other findings: changes since older releases, rests of attributes, rules, rounded supports, trees."""

import csv
import re
from collections import Counter
from html import unescape
from io import StringIO
from itertools import pairwise

import oracle
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pages import Page, packed_lists, unfolded
from strategies import detected_databases, small_databases

from discreet import Patterns, Policy, Rules, Verdict, audit, block, mine, read_facts, write_patterns, write_release
from discreet.cli import main
from discreet.disclosure.attacks.facts import Facts
from discreet.publications.trees.leaves import Leaves
from discreet.report import Source, audit_html, audit_text, findings_csv

OLD = [["a", "b"]] * 20 + [["a"]] * 12 + [[]] * 10
NEW = [*OLD, ["a"]]
"""One person came, who has a but not b."""
PEOPLE = [["sex=f"]] * 40 + [["sex=m"]] * 48 + [[]] * 2
OLDER, LEFT = "What it reveals together with older releases", "What attributes reveal"
RULE = Rules.from_rules([(["a1", "a2", "a3"], ["a4"], 80, "98.7%")], rounding="truncate")
TREE = Leaves.from_rules([("age > 60", {"ill": 20, "well": 9}), ("", {"ill": 3, "well": 80})])
NASTY = "<script>alert(1)</script>"
DIGEST = "d" * 64


def mined(rows, sigma=10, kind="closed"):
    return mine(rows, min_support=sigma, kind=kind)


def sums(page):
    """The sums on a page: what stands before the last =, and what comes of it."""
    lines = re.findall(r'<p class="sum">(.*?)&nbsp;=&nbsp;<b>(.*?)</b></p>', page)
    return [
        (unescape(re.sub(r"</?bdi>", "", line)), result.replace("−", "-").replace(",", "")) for line, result in lines
    ]


def summed(line):
    """What a sum of numbers, each before the itemset it is the support of, comes to."""
    terms = re.findall(r"(−|\+|^) ?(?:(\d+)·)?(\d[\d,]*) \(", line.split(": ")[-1])
    return sum((-1) ** (sign == "−") * int(times or 1) * int(one.replace(",", "")) for sign, times, one in terms)


def section(text, title):
    """What a page shows under a heading."""
    return re.split(r"<h2", text.split(f">{title}</h2>")[1])[0]


# Older releases.


@settings(max_examples=25)
@given(detected_databases(), small_databases(), st.integers(1, 8))
def test_a_page_shows_every_small_change_and_the_sums_that_tell_both_counts(found, other, sigma):
    rows, least, k = found
    tops = oracle.common_tops((other, sigma), (rows, least))
    cells = oracle.changed_cells(other, rows, tops)
    small = [counts for counts in cells.values() if abs(counts[0] - counts[1]) < k]
    text = audit_html(audit(mined(rows, least), k=k, against=mined(other, sigma)), explain=10**6)
    assert (OLDER in text) == bool(small)
    assume(small)
    told = sums(section(text, OLDER))
    expected = Counter((f"{after:,} now − {before:,} before", str(after - before)) for before, after in small)
    assert Counter(one for one in told if " before" in one[0]) == expected
    parts = [one for one in told if one[0].startswith(("now: ", "before: "))]
    assert len(parts) == sum(count > 0 for counts in small for count in counts)
    assert [int(result) for line, result in parts if "…" not in line] == [
        summed(line) for line, _ in parts if "…" not in line
    ]


def test_a_change_is_told_in_words_and_with_the_release_it_is_one_from():
    found = audit(mined(NEW), k=5, against=[mined(OLD)])
    page = Page(audit_html(found, against=[Source("april.json", DIGEST)]))
    for told in (
        "1 small change since april.json",
        "1 person more than before has a , but not b .",
        "13 now − 12 before = 1",
        "now: 33 ( a ) − 20 ( a , b ) = 13",
        "before: 32 ( a ) − 20 ( a , b ) = 12",
        f"older release 1 april.json, SHA-256 {DIGEST}",
        "differences from an older release reveal fewer than 5 people",
    ):
        assert told in page.text
    assert "1 small change since older release 1" in Page(found.to_html()).text


def test_who_left_is_told_with_a_sign():
    text = audit(mined(OLD), k=5, against=[mined(NEW)]).to_html()
    assert "1 person fewer than before has a , but not b ." in Page(text).text
    assert ("12 now − 13 before", "-1") in sums(text)


def test_what_several_releases_leave_together_is_told_with_all_their_names():
    wards = [[["a", "b"]] * 20 + [["a"]] * 12 + [[]] * 10, [["a", "b"]] * 30 + [["a"]] * 15 + [[]] * 10]
    found = audit(mined([*wards[0], *wards[1], ["a"]]), k=5, against=[mined(ward) for ward in wards])
    page = Page(audit_html(found, against=[Source(f"ward{number}.json", DIGEST) for number in (1, 2)]))
    assert "1 small change since ward1.json and ward2.json" in page.text
    assert "1 person more than in them together has a , but not b ." in page.text
    assert "28 now − 27 before = 1" in page.text


def test_releases_that_name_items_by_texts_or_numbers_are_told_apart_by_neither():
    old = Patterns.from_itemsets([([], 100), (["7"], 50)], n=100)
    text = audit(Patterns.from_itemsets([([], 101), ([7], 51)], n=101), k=5, against=old).to_html()
    assert {("now: 51 (7)", "51"), ("before: 50 (7)", "50")} <= set(sums(text))


def test_of_lists_that_are_not_whole_the_supports_that_changed_are_shown():
    old, new = (Patterns.from_itemsets([(["a", "b"], held)], n=100, kind="maximal") for held in (50, 52))
    assert ("52 now − 50 before", "2") in sums(audit(new, k=5, against=old).to_html())


def test_n_alone_is_told_too():
    old = Patterns.from_itemsets([([], 100)], n=100)
    page = Page(audit(Patterns.from_itemsets([([], 101), (["a"], 60)], n=101), k=5, against=old).to_html())
    assert "There is 1 person more than before." in page.text


def moved():
    """Two releases between which some came and others left, of many kinds."""
    old = [[letter] for letter in "abcdefgh" for _ in range(20)]
    new = [[letter] for place, letter in enumerate("abcdefgh") for _ in range(20 + (-1) ** place * (1 + place % 3))]
    return audit(mined(new), k=5, against=mined(old))


def test_changes_that_are_not_shown_in_full_are_in_a_list_with_their_signs():
    found = moved()
    text = audit_html(found, explain=3)
    page = Page(text)
    assert f"{found.changes[0].small} small changes since older release 1: the smallest 3 are shown" in page.text
    expected = Counter((one.base, one.top, one.count) for one in found.changes[0])
    assert min(count for *_, count in expected) < 0
    lists = [unfolded(one) for one in packed_lists(Page(section(text, OLDER)))]
    assert [Counter(one) for one in lists] == [expected]
    assert 'data-signed="true"' in section(text, OLDER)


def test_a_list_of_changes_that_does_not_fit_is_cut_and_the_page_says_so(monkeypatch):
    found = moved()
    (whole,) = packed_lists(Page(section(audit_html(found, explain=1), OLDER)))
    monkeypatch.setattr("discreet.report.html.audit.ROOM", 3 * (len(whole) - 1))  # changes have a third of it
    text = audit_html(found, explain=1)
    kept = [len(unfolded(one)) for one in packed_lists(Page(section(text, OLDER)))]
    assert sum(kept) < found.changes[0].small
    assert f"Only {sum(kept)} of {found.changes[0].small}, the worst, fit into this page." in Page(text).text


def test_however_many_releases_there_are_some_changes_since_each_are_shown():
    olds = [mined(OLD[number:]) for number in range(5)]
    found = audit(mined(NEW), k=20, against=olds, grown=True)
    text = audit_html(found, explain=5)
    shown = section(text, OLDER).count('class="words"')
    assert shown == sum(min(3, one.small) for one in found.changes)


# Remainders of attributes.


@settings(max_examples=25)
@given(st.lists(st.tuples(*(st.integers(0, 2) for _ in range(3))), max_size=14), st.integers(1, 3), st.integers(2, 5))
def test_a_page_shows_every_rest_of_an_attribute_with_its_sum(people, sigma, k):
    rows = [frozenset(f"{'xyz'[place]}={value}" for place, value in enumerate(one) if value) for one in people]
    groups = [frozenset(f"{name}={value}" for value in (1, 2)) for name in "xyz"]
    supports = oracle.frequent(rows, sigma)
    assume(any(group <= {label for one in supports for label in one} for group in groups))
    expected = oracle.channels_with(supports, sigma, groups, k)
    listed = Patterns.from_itemsets(supports.items(), n=len(rows), min_support=sigma, kind="frequent")
    found = audit(listed, k=k, schema="=")
    text = found.to_html(explain=10**6)
    left = [one for one in found.findings if one.kind == "remainder"]
    # Counts that exclusion alone tells add some to those of the oracle; all of them are true.
    assert {(one.who.has, frozenset().union(*one.who.lacks)) for one in left} >= {
        (base, oracle.lacked_by(base, top, groups)) for base, top in expected
    }
    assert [one.low for one in left] == [
        sum(one.who.has <= row and not any(lacked <= row for lacked in one.who.lacks) for row in rows) for one in left
    ]
    told = sums(section(text, LEFT)) if left else []
    assert sorted(int(result) for _, result in told) == sorted(one.low for one in left)
    assert all(summed(line) == int(result) for line, result in told if "…" not in line)


def test_a_rest_is_told_in_words():
    text = audit(PEOPLE, min_support=10, k=5, schema="=").to_html()
    assert "Exactly 2 people have neither sex=f nor sex=m ." in Page(text).text
    assert ("90 (everyone) − 40 (sex=f) − 48 (sex=m)", "2") in sums(text)
    assert "Leave out one more value of each such attribute" in Page(text).text


def test_rests_that_are_not_shown_in_full_are_in_a_list():
    text = audit(PEOPLE, min_support=10, k=5, schema="=").to_html(explain=0)
    (found,) = packed_lists(Page(section(text, LEFT)))
    assert unfolded(found) == [(frozenset(), frozenset(["sex=f", "sex=m"]), 2)]


def test_sections_stand_only_where_there_is_something_in_them():
    plain, same = audit(mined(OLD), k=5), audit(mined(OLD), k=5, against=mined(OLD), grown=True)
    for found in (plain, same, audit(PEOPLE, min_support=10, k=2, schema="=")):
        assert found.verdict is Verdict.RELEASE
        text = found.to_html()
        assert OLDER not in text
        assert LEFT not in text
    assert "Other releases than the older ones that it was compared with" in same.to_html()


# Rules, rounded supports and trees.


def test_a_page_of_rules_tells_who_is_exposed_and_by_which_sum():
    text = audit(RULE, k=10).to_html(source=Source("rules.txt", DIGEST))
    page = Page(text)
    for told in (
        "This must not be published as it is: differences of the published numbers, within their limits, reveal",
        "Exactly 1 person has a1 , a2 and a3 , but not a4 .",
        "rules.txt",
        "1 sum within limits",
        "Publish only what more rows hold",
    ):
        assert told in page.text
    assert sums(text) == [("81 (a1, a2, a3) − 80 (a1, a2, a3, a4)", "1")]


def test_a_page_of_rounded_supports_tells_limits():
    frame = pd.DataFrame({"support": [0.62, 0.6], "itemsets": [{"a"}, {"a", "b"}]})
    text = audit(read_facts(frame, n=200, digits=2), k=10).to_html()
    assert "From 2 to 6 people have a , but not b ." in Page(text).text
    assert sums(text) == [("123 to 125 (a) − 119 to 121 (a, b)", "2 to 6")]


def test_a_page_of_exact_rules_draws_channels_and_lists_them():
    facts = Facts.from_limits([(["a"], 50, 50), (["a", "b"], 48, 48), (["b"], 60, 60)], n=100)
    page = Page(audit(facts, k=10).to_html())
    assert "Exactly 2 people have a , but not b ." in page.text
    assert len(page.all("svg")) == 2
    assert (frozenset("a"), frozenset("ab"), 2) in unfolded(packed_lists(page)[0])


def test_a_page_of_a_tree_tells_the_path_of_each_leaf_of_few():
    page = Page(audit(TREE, k=5).to_html())
    for told in (
        "✗ WITHHOLD This must not be published as it is: some counts are of fewer than 5 people.",
        "Prune the tree",
        "1 count below 5",
        "Exactly 3 people, class ill none of the rules before",
    ):
        assert told in page.text


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (
            lambda: audit(TREE, k=3),
            "✓ RELEASE This may be published: no leaf has a class of fewer than 3",
        ),
        (lambda: audit(TREE, k=1), "REVIEW This must be looked at by a person: k is no size of a group that protects"),
        (
            lambda: audit(Facts.from_limits([(["a"], 50, 50)], n=100), k=10),
            "✓ RELEASE This may be published: no difference of its counts reveals fewer than 10 people.",
        ),
        (
            lambda: audit(Rules.from_rules([(["a"], ["b"], 80, "98.7%")]), k=10),
            "✗ WITHHOLD This must not be published as it is: the numbers contradict each other",
        ),
        (
            lambda: audit(Facts.from_limits([(["a"], 40, 60)], n=100), k=10),
            "REVIEW This must be looked at by a person: what the numbers give away could not be followed to the end.",
        ),
        (lambda: audit(Rules.from_rules([]), k=10), "there is nothing to judge"),
        (lambda: audit(Leaves.from_rules([]), k=10), "there is nothing to judge"),
    ],
)
def test_a_page_begins_with_the_verdict_in_a_sentence(found, expected):
    assert expected in Page(found().to_html()).text


def test_findings_that_are_too_many_are_cut_and_the_page_says_so():
    leaves = Leaves.from_rules([(f"age > {age}", {"ill": 2}) for age in range(9)])
    text = audit(leaves, k=5).to_html(explain=4)
    assert "9 counts below 5: the worst 4 are shown" in Page(text).text
    assert text.count('<li>\n<p class="words"') == 4
    facts = Facts.from_limits([([str(number)], 97, 98) for number in range(9)], n=100)
    found = audit(facts, k=10)
    text = found.to_html(explain=4)
    assert f"{len(found.findings)} sums within limits: the worst 4 are shown" in Page(text).text
    assert "discreet audit --json" in Page(text).text


def every_audit(label):
    """An audit of each sort whose findings speak of a label."""
    old, new = ([[label, "b"]] * 20 + [[label]] * many + [[]] * 10 for many in (12, 13))
    values = [f"x={label}", "x=other"]
    yield audit(mined(new), k=5, against=mined(old))
    yield audit([[values[0]]] * 40 + [[values[1]]] * 48 + [[]] * 2, min_support=10, k=5, schema="=")
    yield audit(Rules.from_rules([([label], ["b"], 80, "98.7%")], rounding="truncate"), policy="acro")
    yield audit(Facts.from_limits([([label], 50, 50), ([label, "b"], 48, 48), (["b"], 60, 60)], n=100), k=10)
    yield audit(Leaves.from_rules([(label, {label: 3, "well": 80})]), k=5)


def texts_of(found):
    """The lines of the findings in the text report of an audit."""
    shown = audit_text
    return [line.strip() for line in shown(found, explain=100) if line.startswith("  ") and line[2] not in "✓✗!?"]


def test_a_page_without_examples_does_not_say_that_nothing_was_found():
    rules = Rules.from_rules([(["a"], ["b"], 80, "98.7%")], rounding="truncate")
    few = Leaves.from_rules([("age > 60", {"ill": 20, "well": 3})])
    rows = [["a", "b"]] * 48 + [["a"]] * 2 + [[]] * 50
    for found in (audit(rules, k=5), audit(few, k=5), audit(rows, min_support=10, k=5)):
        assert "Nothing was found" not in found.to_html(explain=0)
        assert found.verdict is Verdict.WITHHOLD


def test_labels_are_text_wherever_they_stand():
    for nasty, tame in zip(every_audit(NASTY), every_audit("tame"), strict=True):
        page = Page(nasty.to_html(source=Source(NASTY, DIGEST)))
        assert [tag for tag, _ in page.elements] == [
            tag for tag, _ in Page(tame.to_html(source=Source("x", "y"))).elements
        ]
        assert NASTY in page.text
        assert nasty.verdict is Verdict.WITHHOLD


def test_the_same_audit_gives_the_same_bytes():
    first, second = ([found.to_html() for found in every_audit("x")] for _ in range(2))
    assert first == second


def test_every_finding_of_a_text_report_is_on_the_page():
    numbers = re.compile(r"\d+")
    for found in every_audit("tame"):
        lines, page = texts_of(found), Page(found.to_html())
        assert lines
        for line in lines:
            assert set(numbers.findall(line)) <= set(numbers.findall(page.text))
            assert set(re.findall("tame|other", line)) <= set(re.findall("tame|other", page.text))
        assert len(page.all("li")) >= len(lines)


def test_pages_have_names_used_once_headings_in_order_and_tables_with_captions():
    for found in (*every_audit("tame"), moved()):
        page = Page(found.to_html(explain=1))
        names = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
        assert len(names) == len(set(names))
        assert {one["href"][1:] for one in page.all("a")} <= set(names)
        levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
        assert [two for one, two in pairwise(levels) if two > one + 1] == []
        assert len(page.all("table")) == len(page.all("caption"))


# Findings as CSV.


def lines_of(found, **options):
    return list(csv.DictReader(StringIO(b"".join(findings_csv(found, **options)).decode())))


def test_changes_and_rests_are_findings_in_csv():
    (change,) = lines_of(audit(mined(NEW), k=5, against=mined(OLD)), against=[Source("april.json", DIGEST)])
    assert change == {
        "finding": "change",
        "count": "1",
        "rows that": "hold a, but not b: more since april.json",
        "base": "a",
        "lacked": "b",
        "sum": "13 now − 12 before",
    }
    (rest,) = lines_of(audit(PEOPLE, min_support=10, k=5, schema="="))
    assert (rest["finding"], rest["count"], rest["lacked"]) == ("remainder", "2", "sex=f;sex=m")
    assert rest["sum"] == "sup() 90 − sup(sex=f) 40 − sup(sex=m) 48"


def test_limits_are_findings_in_csv_and_no_formula():
    frame = pd.DataFrame({"support": [0.62, 0.6], "itemsets": [{"=a"}, {"=a", "b"}]})
    (line,) = lines_of(audit(read_facts(frame, n=200, digits=2), k=10))
    assert (line["finding"], line["count"]) == ("bounds", "2 to 6")
    assert not [cell for cell in line.values() if cell.startswith(("=", "+", "-", "@"))]
    assert lines_of(audit(Rules.from_rules([(["a"], ["b"], 80, "98.7%")]), k=10)) == []


# The command line.


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def files(tmp_path):
    """The old and the new patterns as files, the old ones as a release folder, and rules."""
    old, new, folder, rules = (tmp_path / name for name in ("old.json", "new.json", "release", "rules.txt"))
    write_patterns(mined(OLD), old)
    write_patterns(mined(NEW), new)
    write_release(block(OLD, min_support=10, k=5), folder, format="borgelt")
    rules.write_text("1 2 ==> 3 #SUP: 80 #CONF: 0.987\n2 ==> 3 #SUP: 120 #CONF: 0.774\n", encoding="utf-8")
    return {"OLD": old, "NEW": new, "FOLDER": folder, "RULES": rules}


@pytest.mark.parametrize("old", ["OLD", "FOLDER"])
def test_the_command_compares_with_older_releases(files, old):
    place = files["NEW"].with_name("found.csv")
    done = run("report", files["NEW"], "-k", 5, "--against", files[old], "--grown", "--out", "-", "--csv", place)
    name = {"OLD": "old.json", "FOLDER": "release/patterns."}[old]
    assert done.exit_code == 1
    assert f"1 small change since {name}" in Page(done.stdout).text
    assert f"more since {name}" in place.read_text(encoding="utf-8")


def test_the_command_takes_a_schema(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("\n".join(",".join(row) for row in PEOPLE), encoding="utf-8")
    options = ("--empty-rows", "--min-support", 10, "-k", 5, "--schema", "=", "--no-tradeoff", "--out", "-")
    done = run("report", file, *options)
    assert done.exit_code == 1
    assert LEFT in done.stdout


def test_the_command_takes_rules(files):
    done = run("report", files["RULES"], "--rules", "-k", 10, "--rounding", "truncate", "--csv", "-")
    assert (done.exit_code, done.stdout.count("bounds,1,")) == (1, 1)
    page = Page(files["RULES"].with_name("rules.report.html").read_text(encoding="utf-8"))
    assert "Exactly 1 person has 1 and 2 , but not 3 ." in page.text


def test_the_command_takes_a_tree(tmp_path):
    file, table = tmp_path / "tree.txt", tmp_path / "found.csv"
    leaves = "|--- =smoker <= 0.50\n|   |--- weights: [60.00, 3.00] class: well\n"
    leaves += "|--- =smoker >  0.50\n|   |--- weights: [12.00, 50.00] class: ill\n"
    file.write_text(leaves, encoding="utf-8")
    done = run("report", file, "--tree", "-k", 5, "--out", "-", "--csv", table)
    assert done.exit_code == 1
    assert "Exactly 3 people, class ill" in Page(done.stdout).text
    _, line = csv.reader(StringIO(table.read_text(encoding="utf-8")))
    assert line == ["leaf", "3", "reach =smoker ≤ 0.5, class ill", "", "", ""]


def test_the_command_takes_rounded_supports(tmp_path):
    file = tmp_path / "shares.csv"
    file.write_text("itemset,support\na,0.62\na;b,0.60\n", encoding="utf-8")
    done = run("report", file, "-k", 10, "--digits", 2, "--n", 200, "--out", "-")
    assert done.exit_code == 1
    assert "From 2 to 6 people have a , but not b ." in Page(done.stdout).text


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["RULES", "--rules", "-k", "5", "--against", "OLD"], "--against is not for rules or rounded supports"),
        (["RULES", "--rules", "-k", "5", "--min-support", "5"], "--min-support is not for rules or rounded supports"),
        (["RULES", "--rules", "-k", "5", "--private"], "--private is not for rules or rounded supports"),
        (["RULES", "--rules", "-k", "5", "--top"], "not for rules"),
        (["RULES", "--tree", "-k", "5", "--rules"], "--rules is not for trees"),
        (["NEW", "-k", "5", "--grown"], "--against"),
        (["FOLDER", "--against", "OLD"], "which --against does not fit"),
        (["FOLDER", "--rules"], "which --rules does not fit"),
        (["OLD", "--min-support", "5", "-k", "5", "--block", "add", "--schema", "="], "leave --schema or --block out"),
        (["OLD", "--min-support", "5", "-k", "5", "--block", "add", "--against", "OLD"], "leave --against or"),
        (["NEW", "-k", "5", "--against", "OLD", "--out", "OLD"], "a file that is to be read"),
    ],
)
def test_what_cannot_be_reported_is_refused_in_one_sentence(files, arguments, expected):
    before = {path.name for path in files["OLD"].parent.iterdir()}
    done = run("report", *(files.get(one, one) for one in arguments))
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert expected in done.stderr
    assert {path.name for path in files["OLD"].parent.iterdir()} == before


def test_a_policy_that_asks_for_rounding_is_followed_on_the_page():
    listed = Facts.from_limits([(["a"], 53, 53)], n=100)
    page = Page(audit(listed, policy=Policy("ours", k=5, round_to=5)).to_html())
    assert "ours asks for multiples of 5" in page.text
