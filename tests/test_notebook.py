"""What notebooks show of values: short tables of well-formed HTML, with every label escaped."""

from xml.etree import ElementTree as ET

import numpy as np
import oracle
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import detected_databases, mined_databases

from discreet import (
    Channels,
    Patterns,
    Transactions,
    audit,
    block,
    compare,
    compare_hiding,
    detect,
    hide,
    mine,
    tradeoff,
)
from discreet.data.itemsets import sort_labels

SHOWN = 10
TAGS = {"div", "p", "table", "caption", "thead", "tbody", "tr", "th", "td", "bdi", "strong"}
ATTRIBUTES = {"style", "scope", "title"}
CLINIC = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "it's",
    "&amp;",
    "two\nlines",
    "\u202etxt.exe",
]


def parsed(value):
    """What a notebook shows, which must be well-formed, of few tags, and ask for nothing from elsewhere."""
    shown = ET.fromstring(value._repr_html_())  # noqa: S314 - our own
    assert {element.tag for element in shown.iter()} <= TAGS
    assert {name for element in shown.iter() for name in element.attrib} <= ATTRIBUTES
    assert not any("url(" in element.get("style", "") for element in shown.iter())
    return shown


def text(element):
    return "".join(element.itertext())


def lines(shown):
    """The texts in each line of the table, its head left out."""
    return [[text(entry) for entry in line] for line in shown.findall("table/tbody/tr")]


def caption(shown):
    found = shown.find("table/caption")
    return text(shown.find("p") if found is None else found)


def notes(shown):
    """The lines below the table."""
    return [text(note) for note in shown.findall("p") if "opacity" in note.get("style")]


def named(labels):
    return ", ".join(map(str, sort_labels(labels)))


def pattern(base, top):
    """What the rows of a channel hold, and what they do not."""
    return " ∧ ".join([*map(str, sort_labels(base)), *(f"¬{label}" for label in sort_labels(top - base))]) or "any row"


def more(many):
    """What stands below a table of so many lines."""
    return [f"… and {many - SHOWN:,} more."] if many > SHOWN else []


def values(rows):
    """One value of each kind that notebooks show, from rows of which at least one holds an item."""
    rows = Transactions(rows)
    sensitive = [[rows.labels[rows.items[0]]]]
    found = audit(rows, min_support=1, k=2)
    return [
        rows,
        Transactions(rows, ids=list(rows.labels[:1]) * len(rows)),
        found.patterns,
        found.channels,
        found,
        block(rows, min_support=1, k=2, method="suppress"),
        hide(rows, sensitive),
        tradeoff(rows, min_supports=[1, 2], ks=[2]),
        compare(rows, min_support=1, k=2),
        compare_hiding(rows, sensitive, min_supports=[1], methods=["iga"]),
    ]


@settings(max_examples=30)
@given(st.lists(st.frozensets(st.text(max_size=5) | st.sampled_from(HOSTILE), max_size=4), min_size=1, max_size=6))
def test_whatever_labels_are_called_the_html_is_well_formed_and_ours(rows):
    assume(any(rows))
    for value in values(rows):
        assert caption(parsed(value))


@pytest.mark.parametrize("label", HOSTILE)
def test_a_hostile_label_shows_as_text_in_one_line(label):
    expected = label.replace("\n", "\\n").replace("\u202e", "\\u202e")
    assert lines(parsed(Transactions([[label]]))) == [["0", expected]]
    assert lines(parsed(Transactions([[]], ids=[label]))) == [["0", expected, "(no items)"]]
    assert lines(parsed(Patterns.from_itemsets([([label], 3)], n=5))) == [["3", expected]]


def test_a_hostile_label_in_a_sentence_of_an_audit_shows_as_text():
    patterns = Patterns.from_itemsets([([], 50), (["<script>"], 20), (["<script>", "b"], 30)], n=50)
    sentences = [line[2] for line in lines(parsed(audit(patterns, k=5)))]
    assert any("<script>" in sentence for sentence in sentences)


def test_a_long_label_is_cut_and_its_title_says_more():
    shown = parsed(Transactions([["x" * 41, "y" * 40, "z" * 10**6]]))
    long, fits, huge = shown.iter("bdi")
    assert (text(long), long.get("title")) == ("x" * 40 + "…", "x" * 41)
    assert (text(fits), fits.get("title")) == ("y" * 40, None)
    assert (text(huge), huge.get("title")) == ("z" * 40 + "…", "z" * 400 + "…")


def test_of_a_long_row_the_first_labels_are_shown_and_the_rest_counted():
    assert lines(parsed(Transactions([range(1020)]))) == [["0", ", ".join(map(str, range(20))) + ", … 1,000 more"]]


class Counted:
    """A label that counts how often any of its kind is read."""

    read = 0

    def __str__(self):
        Counted.read += 1
        return "counted"


def test_of_a_million_rows_only_the_first_are_looked_at():
    many, labels = 10**6, [Counted() for _ in range(1000)]
    items = (np.arange(many) % len(labels)).astype(np.int32)
    rows = Transactions.from_codes(np.arange(many + 1), items, labels, ids=range(many))
    shown = parsed(rows)
    assert Counted.read == SHOWN
    assert caption(shown) == "Transactions: 1,000,000 rows, 1,000 items, 1,000,000 entries"
    assert notes(shown) == ["… and 999,990 more."]
    assert len(rows._repr_html_()) < 5_000


@given(mined_databases())
def test_transactions_show_their_first_rows(database):
    rows, _, _ = database
    shown = parsed(Transactions(rows))
    expected = [[str(at), named(row) or "(no items)"] for at, row in enumerate(rows[:SHOWN])]
    assert lines(shown) == expected
    entries = sum(map(len, rows))
    assert caption(shown) == f"Transactions: {len(rows)} rows, {len(frozenset().union(*rows))} items, {entries} entries"
    assert notes(shown) == more(len(rows))


@given(mined_databases(), st.sampled_from(sorted(oracle.KINDS)))
def test_patterns_show_the_itemsets_of_the_largest_supports(database, kind):
    rows, min_support, count = database
    expected = oracle.KINDS[kind](rows, count)
    shown = parsed(mine(rows, min_support=min_support, kind=kind))
    assert [line[0] for line in lines(shown)] == [*map(str, sorted(expected.values(), reverse=True)[:SHOWN])]
    words = {(str(support), named(itemset) or "(every row)") for itemset, support in expected.items()}
    assert set(map(tuple, lines(shown))) <= words
    assert f"{len(expected):,} {kind} itemsets, support at least {count} of {len(rows)} rows" in caption(shown)
    assert notes(shown) == more(len(expected))


@given(detected_databases())
def test_channels_show_the_worst_of_them(database):
    rows, count, k = database
    expected = oracle.maximal_channels(rows, count, k)
    shown = parsed(detect(mine(rows, min_support=count), k=k))
    assert [line[0] for line in lines(shown)] == [*map(str, sorted(expected.values())[:SHOWN])]
    words = {(str(size), pattern(base, top)) for (base, top), size in expected.items()}
    assert set(map(tuple, lines(shown))) <= words
    assert notes(shown) == more(len(expected))


@given(detected_databases())
def test_an_audit_shows_every_check_and_says_its_verdict_in_a_word(database):
    rows, count, k = database
    found = audit(rows, min_support=count, k=k)
    shown = parsed(found)
    assert lines(shown) == [
        [check.name, f"{'✓?✗'[check.verdict.value]} {check.verdict.name}", check.sentence] for check in found.checks
    ]
    family = oracle.frequent(rows, count)
    is_odd = len(rows) == 1 or sum(map(bool, oracle.closed(rows, count))) <= 1
    passed = "? REVIEW" if is_odd else "✓ RELEASE"
    expected = passed if family and oracle.is_safe(family, k) else "✗ WITHHOLD"
    assert text(next(shown.iter("strong"))) == expected
    assert caption(shown).startswith(f"{expected} Audit: ")


def test_the_policy_of_an_audit_is_named():
    assert caption(parsed(audit(CLINIC, min_support=10, k=10))).endswith("Audit: 3 itemsets; k = 10")
    assert caption(parsed(audit(CLINIC, min_support=10, policy="acro"))).endswith("; k = 10, policy acro")


def test_a_release_shows_its_method_its_cost_and_what_is_published():
    shown = parsed(block(CLINIC, min_support=10, k=10, method="suppress"))
    before = oracle.frequent(CLINIC, 10)
    after = oracle.frequent([row for row in CLINIC if len(row) != 2], 10)
    changed = sum(after[itemset] != support for itemset, support in before.items())
    average = sum(abs(after[itemset] - support) / support for itemset, support in before.items()) / len(before)
    assert dict(lines(shown)) == {
        "method": "suppress",
        "verdict": "REVIEW",
        "safe for": "k = 10",
        "published": "2 closed itemsets, support at least 10 of 98 rows",
        "rows (n)": "100 before, 98 now: 2 suppressed, 0 added",
        "single items": "3 before: 0 were left out. Those published change by 1.33 rows (2.67%) on average, and by at "
        "most 2 (4%).",
        "shares of n": "Those published change by 1.01 points on average, and by at most 1.02 points (a).",
        "frequent itemsets": f"{len(before)} before: 0 were left out, and {changed} others changed.",
        "average distortion": f"{100 * average:.3g}% of the support, over all {len(before)} itemsets before. "
        "The largest change is 2 rows.",
        "confidence": "Of 9 rules that follow, 0 no longer do. Those published change by 1.33 points on average, "
        "and by at most 4 points.",
        "lift": "Those published change by 2.08% on average, and by at most 2.08%.",
    }


@given(detected_databases())
def test_a_trade_off_shows_the_channels_for_each_minimum_support_and_k(database):
    rows, count, k = database
    counts, ks = sorted({count, count + 1}), [k, k + 1]
    shown = parsed(tradeoff(rows, min_supports=counts, ks=ks))
    expected = [
        [
            f"{len(oracle.KINDS['closed'](rows, least))}",
            *(f"{len(oracle.maximal_channels(rows, least, k))}" for k in ks),
        ]
        for least in counts
    ]
    assert [line[2:] for line in lines(shown)] == expected
    assert [line[0] for line in lines(shown)] == [*map(str, counts)]
    assert notes(shown)[0].startswith(f"Lowest minimum support without a channel: k = {k}: ")


def test_methods_compared_show_their_costs_and_which_to_take():
    found = compare(CLINIC, min_support=10, k=10, seconds=1)
    shown = parsed(found)
    suppressed = sum(len(row) == 2 for row in CLINIC)
    assert lines(shown)[0][:4] == ["suppress", "REVIEW", str(suppressed), "0"]
    assert [line[0] for line in lines(shown)] == [line.name for line in found.lines]
    assert notes(shown) == [found.recommendation]


def test_a_method_that_is_left_out_says_why():
    found = compare(CLINIC, min_support=10, k=10, seconds=1, max_patterns=3)
    shown = parsed(found)
    table = lines(shown)
    assert any(line.release is None for line in found.lines)
    assert [line[-1] for line in table] == [line.left_out for line in found.lines]
    assert [line[1] for line in table if line[-1]] == ["–"] * sum(bool(line[-1]) for line in table)


def test_ways_to_hide_show_what_they_cost_at_the_smallest_minimum_support():
    rows = [["a", "b", "c"]] * 6 + [["a", "b"]] * 4 + [["c"]] * 5
    found = compare_hiding(rows, [["a", "b"]], min_supports=[3, 2], methods=["minfia"])
    shown = parsed(found)
    assert caption(shown).endswith("measured at a minimum support of 2 rows")
    ((name, touched, removed, failure, missed, guessed),) = lines(shown)
    assert (name, touched, removed, failure) == ("minfia at a disclosure of 0%", "10", "10", "0%")
    before = [itemset for itemset in oracle.frequent(rows, 2) if not itemset >= {"a", "b"}]
    after = oracle.frequent([*hide(rows, [["a", "b"]], method="minfia").transactions], 2)
    lost = sum(itemset not in after for itemset in before if itemset)
    assert missed == f"{100 * lost / sum(map(bool, before)):.3g}%"
    assert guessed == f"{100 * found.lines[0].guessed:.3g}%"
    assert notes(shown) == [found.recommendation]


def test_numbers_and_shares_stand_to_the_right():
    shown = parsed(tradeoff(CLINIC, min_supports=[10], ks=[10]))
    assert all("text-align:right" in entry.get("style") for entry in shown.iter("td"))


def test_hidden_rows_show_what_is_sensitive_by_number_alone():
    rows = [["shame", "secret", "biscuits"]] * 3 + [["shame", "secret"]] * 2 + [["biscuits"]] * 7
    sensitive = [["shame", "secret"], ["secret", "biscuits"]]
    hidden = hide(rows, sensitive)
    shown = parsed(hidden)
    expected = [
        [str(at), str(oracle.support(itemset, rows)), str(oracle.support(itemset, hidden.transactions))]
        for at, itemset in enumerate(sensitive, start=1)
    ]
    assert lines(shown) == expected
    assert [label for label in ("shame", "secret", "biscuits") if label in hidden._repr_html_()] == []


def test_more_sensitive_itemsets_than_are_shown_are_counted():
    rows = [list(range(13))]
    shown = parsed(hide(rows, [[item] for item in range(12)]))
    assert [line[0] for line in lines(shown)] == [*map(str, range(1, 11))]
    assert notes(shown)[0] == "… and 2 more."


@pytest.mark.parametrize(
    "value",
    [
        Transactions([]),
        Patterns.from_itemsets([], n=0),
        mine([], min_support=1),
        mine([["a"]], min_support=2),
        detect(mine([["a"]] * 3, min_support=1), k=2),
        block([], min_support=1, k=2, method="suppress"),
        block([["a"]], min_support=5, k=2, method="withhold"),
        audit([], min_support=1, k=2),
        audit(Patterns.from_itemsets([], n=0), k=2),
    ],
    ids=lambda value: type(value).__name__,
)
def test_nothing_is_shown_as_nothing(value):
    assert caption(parsed(value))
    assert not any("more" in note for note in notes(parsed(value)))


@pytest.mark.parametrize("value", values(CLINIC), ids=lambda value: type(value).__name__)
def test_every_table_has_a_caption_and_scopes_and_leaves_colours_to_the_theme(value):
    shown = parsed(value)
    is_empty = isinstance(value, Channels) and not len(value)
    assert (shown.find(".//table") is None) == is_empty
    for table in shown.iter("table"):
        assert caption(shown)
        assert all(head.get("scope") == "col" and text(head) for head in table.findall("thead/tr/th"))
        assert all(line[0].get("scope") == "row" for line in table.findall("tbody/tr"))
    coloured = [element for element in shown.iter() if "#" in element.get("style", "")]
    assert {element.tag for element in coloured} <= {"strong"}


def test_the_same_value_gives_the_same_html():
    assert [value._repr_html_() for value in values(CLINIC)] == [value._repr_html_() for value in values(CLINIC)]
