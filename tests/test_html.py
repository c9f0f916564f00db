"""Reports as HTML: what a page tells and to whom; labels stay text, and the same input gives the same bytes."""

import base64
import csv
import hashlib
import io
import re
import sys
import zlib
from collections import Counter
from itertools import pairwise

import numpy as np
import oracle
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from pages import Page, packed_lists, unfolded
from strategies import detected_databases

from discreet import (
    Audit,
    Channel,
    Channels,
    Check,
    Difference,
    Patterns,
    Policy,
    Transactions,
    Verdict,
    audit,
    block,
    compare,
    mine,
    read_counts,
    tradeoff,
    write,
    write_patterns,
    write_release,
)
from discreet.blocking.block import METHODS as BLOCKERS
from discreet.blocking.comparison import DONE, WORDS
from discreet.cli import main
from discreet.data.generate import clinic as clinic_rows
from discreet.data.itemsets import Itemsets
from discreet.data.lattice import Cells
from discreet.judging.finding import AuditFinding, Evidence, Who
from discreet.judging.policy import CheckName
from discreet.report import (
    Source,
    audit_html,
    before_after_figure,
    cell_sizes_figure,
    findings_csv,
    folder_html,
    release_html,
    summary_html,
    table_release_html,
    tradeoff_figure,
)
from discreet.report.figures import MOST_POINTS, cell_sizes, pair_supports
from discreet.report.findings import describe
from discreet.report.html.lists import Listing, packed
from discreet.report.html.page import LARGEST, TEMPLATES

ROWS = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
SAFE = [["a", "b"]] * 20 + [["a"]] * 12 + [[]] * 10
METHODS = ("suppress", "add", "withhold", "optimal")
NASTY = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "<!--",
    "\u202eright to left",
    "quote\"'&amp;",
    "{{ 7 * 7 }}{% raw %}",
    "=1+1",
    "a" * 10_000,
    "a;b,c\nd",
    "`code`",
)


def named(rows):
    return [frozenset(str(item) for item in row) for row in rows]


@settings(max_examples=60)
@given(case=detected_databases())
def test_the_list_in_a_page_holds_every_maximal_channel(case):
    rows, sigma, k = case
    rows = named(rows)
    expected = Counter((*pair, count) for pair, count in oracle.maximal_channels(rows, sigma, k).items())
    found = audit(rows, min_support=sigma, k=k)
    assert Counter(unfolded(packed(Listing.of_channels(found.channels), 10**6).text)) == expected


def test_a_list_holds_long_tops_and_large_counts():
    labels = [f"{number:02d}" for number in range(70)]
    found = audit([labels] * 40 + [labels[1:]] * 2 + [labels[:-1]] * 3, min_support=10, k=10)
    expected = {(frozenset(labels[1:]), frozenset(labels), 2), (frozenset(labels[:-1]), frozenset(labels), 3)}
    assert set(unfolded(packed(Listing.of_channels(found.channels), 10**6).text)) == expected
    listed = Patterns.from_itemsets([([], 10**12), (labels, 10**11 + 1)], n=10**12)
    expected = {(frozenset(), frozenset(), 10**12), (frozenset(labels), frozenset(labels), 10**11 + 1)}
    assert set(unfolded(packed(Listing.of_patterns(listed), 10**6).text)) == expected


@settings(max_examples=40)
@given(case=detected_databases())
def test_the_findings_as_csv_are_every_channel_and_every_implication(case):
    rows, sigma, k = case
    rows = named(rows)
    found = audit(rows, min_support=sigma, policy=Policy("zeros", k, zeros=Verdict.REVIEW))
    lines = list(csv.DictReader(io.StringIO(b"".join(findings_csv(found)).decode())))
    channels = {(base, top - base): count for (base, top), count in oracle.maximal_channels(rows, sigma, k).items()}
    implied = {(base, frozenset([item])): 0 for base, item in oracle.implications(rows, sigma)}
    told = {
        kind: {
            (items(line["base"]), items(line["lacked"])): int(line["count"])
            for line in lines
            if line["finding"] == kind
        }
        for kind in ("channel", "implication")
    }
    assert told == {"channel": channels, "implication": implied}
    assert len(lines) == len(channels) + len(implied)


def items(cell):
    return frozenset(next(csv.reader([cell], delimiter=";")) if cell else [])


def test_a_cell_of_the_findings_is_no_formula():
    rows = [["=1+1", "b"]] * 48 + [["=1+1"]] * 2 + [[]] * 50
    cells = [
        cell
        for line in csv.reader(io.StringIO(b"".join(findings_csv(audit(rows, min_support=10, k=10))).decode()))
        for cell in line
    ]
    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))] == []


@pytest.mark.parametrize(
    ("finding", "expected"),
    [
        (Channel(frozenset("ab"), frozenset("abc"), 2), "Exactly 2 people have a and b, but not c."),
        (Channel(frozenset("a"), frozenset("abcd"), 1), "Exactly 1 person has a, but none of b, c or d."),
        (Channel(frozenset(), frozenset("a"), 3), "Exactly 3 people have no a."),
        (Channel(frozenset("abc"), frozenset("abc"), 1), "Exactly 1 person has a, b and c."),
        (Channel(frozenset(), frozenset(), 2), "There are exactly 2 people in all."),
        (
            Difference(frozenset("a"), frozenset("abcd"), 1000),
            "Exactly 1,000 people have a, but not all of b, c and d.",
        ),
    ],
)
def test_a_finding_is_a_sentence(finding, expected):
    who = Who(finding.base, finding.lacked)
    assert describe(AuditFinding("channel", finding, None, who, finding.count, finding.count)) == expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (ROWS, "This must not be published as it is: differences of the published counts reveal fewer than 10 people."),
        (SAFE, "✓ RELEASE This may be published: no difference of its counts reveals fewer than 10 people."),
    ],
)
def test_a_page_begins_with_the_verdict_in_a_sentence(rows, expected):
    page = Page(audit(rows, min_support=10, k=10).to_html())
    assert expected in page.text[: len(expected) + 200]


def test_a_page_tells_what_was_audited():
    found = audit(ROWS, min_support="9.5%", policy="acro")
    page = Page(audit_html(found, source=Source("rows.csv", "d" * 64)))
    for told in (
        "rows.csv",
        "d" * 64,
        "10 of 100 rows (10%)",
        "3 closed itemsets",
        "acro: k = 10",
        "ACRO, default.yaml",
        "0.1.0",
    ):
        assert told in page.text


def test_a_finding_comes_with_its_words_its_sum_and_its_drawing():
    page = Page(audit(ROWS, min_support=10, k=10).to_html())
    assert "Exactly 2 people have a and b , but not c ." in page.text
    assert "50 ( a , b ) − 48 ( a , b , c ) = 2" in page.text
    assert [one.get("class") for one in page.all("div")].count("crowd") == 2
    told = "− 48 of them have c = 2 do not"
    assert told in page.text


def test_the_first_page_tells_what_decides_unless_nothing_does():
    found, safe = audit(ROWS, min_support=10, k=10), audit(ROWS, min_support=10, k=1)
    told = [Page(one.to_html()).text.split("Findings")[0] for one in (found, safe)]
    assert ["What decides Exactly 2 people have a and b, but not c." in text for text in told] == [True, False]
    assert "50 people have a and b − 48 of them have c = 2 do not" in told[0]


SIGNED = ("What is to be published", "What was changed, and what it costs", "Name Role Date Signature")


@pytest.mark.parametrize(
    ("release", "facts"),
    [
        (
            lambda: block(ROWS, min_support=10, k=10, method="suppress"),
            ("2 closed itemsets of 98 rows", "100 before, 98 now: 2 suppressed, 0 added", "10 of 98 rows (10.2%)"),
        ),
        (
            lambda: block(read_counts(io.BytesIO(b"sex,n\nTotal,180\nf,177\nm,3\n")), k=11, method="suppress"),
            ("3 cells of 1 table, 2 masked", "counts still shown 1 of 3", "small counts masked 1"),
        ),
        (lambda: block([["a"]] * 5, min_support=10, k=10), ("There is nothing to publish", "0 closed itemsets")),
    ],
)
def test_a_summary_tells_what_is_signed_and_is_internal(release, facts):
    text = summary_html(release(), source=Source("clinic.csv", "d" * 64), fingerprint="ab" * 32)
    page = Page(text)
    for told in (*SIGNED, *facts, "clinic.csv", "ab" * 32, "k 1", "Internal: not part of the release"):
        assert told in page.text
    assert "d" * 64 not in text
    assert text == summary_html(release(), source=Source("clinic.csv", "d" * 64), fingerprint="ab" * 32)


def test_a_summary_without_a_fingerprint_says_how_to_get_it():
    page = Page(summary_html(block(ROWS, min_support=10, k=10, method="add")))
    assert "The fingerprint is known once the folder is written: discreet verify FOLDER tells it." in page.text


def test_the_colours_of_reports_are_those_of_the_app():
    sheets = [TEMPLATES / "report.css", TEMPLATES.parents[1] / "web" / "static" / "page.css"]
    ours, apps = (
        [re.findall(r"(--[a-z-]+: #[0-9a-f]{6});", block) for block in re.findall(r":root[^{]*\{([^}]*)\}", one)[:2]]
        for one in (sheet.read_text(encoding="utf-8") for sheet in sheets)
    )
    assert ours == apps


def test_the_worst_findings_come_first_and_others_are_in_the_list():
    rows = [["a", "b", "c"]] * 40 + [["a"]] * 2 + [["b"]] * 3 + [["c"]] * 4 + [[]] * 5
    found = audit(rows, min_support=10, k=10)
    page = Page(found.to_html(explain=1))
    assert "Exactly 2 people have a , but neither b nor c ." in page.text
    assert f"{len(oracle.maximal_channels(rows, 10, 10))} findings: the worst is shown" in page.text
    assert [one.get("class") for one in page.all("div")].count("crowd") == 2
    assert len(unfolded(packed_lists(page)[0])) == len(found.channels)


def test_implications_are_told_in_words_and_listed():
    rows = [["a", "b"]] * 40 + [["b"]] * 20 + [[]] * 30
    page = Page(audit(rows, min_support=10, policy="acro").to_html())
    assert "Everyone with a also has b : all 40 people." in page.text
    assert (frozenset("a"), frozenset("ab"), 0) in unfolded(packed_lists(page)[0])


def test_differences_are_told_where_the_list_is_not_whole():
    listed = Patterns.from_itemsets([(["a", "b"], 50), (["a", "b", "c"], 48)], n=100)
    page = Page(audit(listed, k=10).to_html())
    assert "differences of two published counts reveal fewer than 10 people" in page.text
    assert "Exactly 2 people have a and b , but not c ." in page.text
    assert unfolded(packed_lists(page)[0]) == [(frozenset("ab"), frozenset("abc"), 2)]


@pytest.mark.parametrize("rows", [[], [[]], [["a"]], [["a"]] * 30])
def test_a_page_can_be_written_of_next_to_nothing(rows):
    assert "</html>" in audit(rows, min_support=1, k=40).to_html()


def test_channels_that_do_not_fit_are_left_out_and_the_page_says_so(monkeypatch):
    rows = [["a", "b", "c"]] * 40 + [["a"]] * 2 + [["b"]] * 3 + [["c"]] * 4 + [[]] * 5
    found = audit(rows, min_support=10, k=10)
    # Channels get two thirds of the room, which is a letter less than they need.
    monkeypatch.setattr(
        "discreet.report.html.audit.ROOM", len(packed(Listing.of_channels(found.channels), 10**6).text) * 3 // 2 - 2
    )
    page = Page(found.to_html())
    kept = [len(unfolded(text)) for text in packed_lists(page)]
    assert sum(kept) < len(found.channels)
    assert f"Only {sum(kept):,} of {len(found.channels):,}, the worst, fit into this page." in page.text
    assert "discreet report --csv" in page.text


def test_of_a_list_that_does_not_fit_the_worst_are_kept():
    found = audit([["a", "b", "c"]] * 40 + [["a"]] * 2 + [["b"]] * 3 + [["c"]] * 4 + [[]] * 5, min_support=10, k=10)
    listing = Listing.of_channels(found.channels)
    texts = {packed(listing, room).text for room in range(len(packed(listing, 10**6).text))} - {""}
    assert texts
    for some in map(unfolded, texts):
        worst = found.channels.worst(len(some))
        assert {(base, top) for base, top, _ in some} == {(channel.base, channel.top) for channel in worst}


def many_channels(many):
    """An audit with many channels of random items: nothing is harder to pack."""
    chance = np.random.default_rng(1)
    tops, length = many // 10, 15
    labels = tuple(f"item {number}" for number in range(300))
    top_items = np.array([np.sort(chance.choice(300, length, replace=False)) for _ in range(tops)], dtype=np.int32)
    held = chance.random((many, length)) < 0.5
    which = np.repeat(np.arange(tops), 10)
    bases = top_items[which][held]
    offsets = np.concatenate([[0], np.cumsum(held.sum(axis=1))])
    cells = Cells(which, Itemsets(offsets, bases), chance.integers(1, 10, many))
    channels = Channels.from_cells(cells, Itemsets.of(top_items), labels, n=10**6, k=10)
    patterns = Patterns.from_itemsets([([], 10**6)], n=10**6)
    check = Check(CheckName.CHANNELS, Verdict.WITHHOLD, many, "Many.")
    return Audit(patterns, "1 itemset", Policy("k", 10), (check,), Evidence(patterns, channels))


def test_a_page_with_a_hundred_thousand_channels_is_below_six_million_bytes():
    found = many_channels(100_000)
    page = audit_html(found, explain=0)
    assert len(page.encode()) < LARGEST == 6_000_000
    assert len(unfolded(packed_lists(Page(page))[0])) == 100_000


def nasty_audit():
    rows = [[*NASTY, "c"]] * 48 + [NASTY] * 2 + [[]] * 50
    return audit(rows, min_support=10, policy="acro")


def test_labels_are_text_wherever_they_stand():
    tame = audit([[*"0123456789", "c"]] * 48 + [list("0123456789")] * 2 + [[]] * 50, min_support=10, policy="acro")
    expected, page = Page(tame.to_html()), Page(nasty_audit().to_html())
    assert [tag for tag, _ in page.elements] == [tag for tag, _ in expected.elements]
    assert "<script>alert(1)</script>" in page.text
    assert "{{ 7 * 7 }}" in page.text
    assert "\u202e" not in page.text
    assert "a" * 1_000 not in page.text
    assert "<code>code</code>" not in nasty_audit().to_html()


def test_labels_of_a_release_are_text_wherever_they_stand():
    def pages(labels):
        rows = [[*labels, "c"]] * 48 + [labels] * 2 + [[]] * 50
        compared = compare(rows, min_support=10, k=10, seconds=5)
        return Page(release_html(compared.best, comparison=compared, source=Source(labels[0], "d" * 64), private=True))

    assert [tag for tag, _ in pages(NASTY).elements] == [tag for tag, _ in pages(tuple("0123456789")).elements]


def test_the_name_of_a_file_is_text():
    page = Page(audit_html(audit(SAFE, min_support=10, k=10), source=Source("<b>.csv", "d" * 64)))
    assert not page.all("b")


def all_pages():
    """A page of each sort."""
    found = audit(Transactions(ROWS, ids=range(100)), min_support=10, policy="acro")
    grid = tradeoff(ROWS, min_supports=[10, 20, 60], ks=[3, 10])
    compared = compare(ROWS, min_support=10, k=10, seconds=5)
    yield found.to_html(tradeoff=grid, source=Source("rows.csv", "d" * 64))
    yield found.to_html(private=True)
    yield audit(found.patterns, k=10).to_html()
    yield compared.best.to_html()
    yield compared.best.to_html(comparison=compared, source=Source("rows.csv", "d" * 64), private=True)


@pytest.fixture(scope="module")
def pages():
    return [Page(text) for text in all_pages()]


def test_the_same_input_gives_the_same_bytes():
    assert list(all_pages()) == list(all_pages())


def test_a_time_is_told_only_if_one_is_given(pages):
    from datetime import UTC, datetime

    page = Page(audit(SAFE, min_support=10, k=10).to_html(timestamp=datetime(2031, 5, 6, 7, 8, tzinfo=UTC)))
    assert "2031-05-06 07:08" in page.text
    assert not [page for page in pages if re.search(r"\b20\d\d-\d\d-\d\d\b", page.text)]


def test_a_page_asks_for_nothing_from_elsewhere(pages):
    for page in pages:
        links = [
            value for _, attributes in page.elements for name, value in attributes.items() if name in {"src", "href"}
        ]
        assert [link for link in links if not link.startswith("#")] == []
        assert page.all("link") == page.all("img") == page.all("iframe") == []


def test_only_scripts_whose_digests_are_told_may_run(pages):
    for page in pages:
        (policy,) = [one["content"] for one in page.all("meta") if one.get("http-equiv") == "Content-Security-Policy"]
        running = [text for attributes, text in page.scripts if "type" not in attributes]
        digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in running]
        assert re.findall(r"'sha256-([^']+)'", policy) == digests
        assert len(digests) == 2
        assert policy.startswith("default-src 'none'; ")
        assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]


def test_every_chart_is_drawn_and_has_a_caption(pages):
    for page in pages:
        charts = [one for one in page.all("div") if one.get("class") == "chart"]
        drawings = [one for one in page.all("svg") if one.get("role") == "img" and "data-x" in one]
        assert len(page.all("figure")) == len(page.all("figcaption")) == len(charts) == len(drawings) > 0
        assert all(one["aria-label"] for one in drawings)


def test_a_page_with_a_hundred_channels_in_full_is_small():
    found = audit(clinic_rows(2000, seed=1), min_support="5%", k=10)
    grid = tradeoff(clinic_rows(2000, seed=1), min_supports=["5%", "10%", "20%"], ks=[3, 5, 10, 20])
    assert len(found.channels) > 100
    assert len(found.to_html(tradeoff=grid).encode()) < 400_000


def test_tables_have_captions_and_heads_and_names_are_used_once(pages):
    for page in pages:
        assert len(page.all("table")) == len(page.all("caption"))
        assert [one for one in page.all("th") if one.get("scope") not in {"row", "col"}] == []
        names = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
        assert len(names) == len(set(names))
        links = [one["href"][1:] for one in page.all("a")]
        assert set(links) <= set(names)


def test_headings_are_in_order(pages):
    for page in pages:
        levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert [two for one, two in pairwise(levels) if two > one + 1] == []


IDS = [f"person-{7000 + number}" for number in range(100)]


def test_only_a_private_page_tells_which_rows_are_exposed():
    found = audit(Transactions(ROWS, ids=IDS), min_support=10, k=10)
    public, private = (Page(found.to_html(private=private)) for private in (False, True))
    assert "person-" not in found.to_html()
    assert {word for word in private.text.split() if word.startswith("person-")} == {"person-7048", "person-7049"}
    assert "2 of 100 rows are exposed" in public.text


def test_a_private_page_says_so_in_title_banner_and_print():
    found = audit(ROWS, min_support=10, k=10)
    release = block(ROWS, min_support=10, k=10, method="add")
    for value in (found, release):
        public, private = value.to_html(), value.to_html(private=True)
        assert "DO NOT RELEASE" not in public
        assert "<title>DO NOT RELEASE: " in private
        assert Page(private).text.startswith("Skip to the verdict DO NOT RELEASE.")
        assert '@top-center { content: "DO NOT RELEASE"' in private


TABLE = b"sex,n\nTotal,180\nf,177\nm,3\n"
RECORDS = {
    "rows": lambda **how: release_html(block(ROWS, min_support=10, k=10, method="add"), **how),
    "a table": lambda **how: table_release_html(block(read_counts(io.BytesIO(TABLE)), k=11, method="suppress"), **how),
}


@pytest.mark.parametrize("write_page", RECORDS.values(), ids=RECORDS)
def test_the_record_for_the_owner_has_its_own_title_and_no_verdict_of_its_own(write_page):
    record, public = (Page(write_page(private=private)) for private in (True, False))
    assert "Private record: what was changed The release itself: RELEASE. The release may be published" in record.text
    assert "Private record" not in public.text
    large = ["verdict RELEASE" in [one.get("class") for one in page.all("div")] for page in (record, public)]
    assert large == [False, True]


def test_the_record_says_what_was_done_and_only_if_anything_was():
    done, nothing = (
        Page(block(rows, min_support=10, k=10, method="withhold").to_html(private=True)).text for rows in (ROWS, SAFE)
    )
    assert "What it cost Revealing combinations were left out." in done
    assert "What it cost Nothing needed to be changed." in nothing
    rounded = block(SAFE, min_support=10, policy=Policy("rounds", 10, round_to=7), method="add")
    assert rounded.distortion.changed
    assert "What it cost Supports were rounded to multiples of 7." in Page(rounded.to_html(private=True)).text


def test_a_public_page_names_the_method_in_plain_words():
    page = Page(block(ROWS, min_support=10, k=10, method="withhold").to_html())
    assert "for k = 10 with discreet 0.1.0, by leaving out revealing combinations." in page.text
    assert '"withhold"' not in page.text
    assert WORDS.keys() == DONE.keys() == BLOCKERS.keys()


def test_the_numbers_of_a_method_are_exact_unless_it_changes_rows():
    compared = compare(ROWS, min_support=10, k=10, seconds=1)
    page = Page(compared.best.to_html(comparison=compared, private=True))
    table = page.text.split("What each method costs")[1].split("The average is taken over all itemsets")[0]
    told = dict(re.findall(r"\((suppress|add|add, merged|withhold|optimal)\) .*? (exact|changed) R", table))
    touched = {line.name: line.release.changes_rows for line in compared.lines}
    assert told == {name: "changed" if rows else "exact" for name, rows in touched.items()}
    assert "leave out revealing combinations (withhold)" in table


def test_a_closed_itemset_is_one_that_more_rows_hold_than_any_that_contains_it():
    page = Page(audit(ROWS, min_support=10, k=10).to_html())
    assert "closed itemset - an itemset that more rows hold than any itemset that contains it;" in page.text
    assert "itemset cell of a table" in page.text


def test_an_audit_with_findings_is_confidential_on_each_sheet_and_others_are_not():
    found, safe = (audit(rows, min_support=10, k=10).to_html() for rows in (ROWS, SAFE))
    empty = audit([], min_support=10, k=10).to_html()
    for text, expected in ((found, True), (safe, False), (empty, False)):
        assert ('@top-center { content: "Confidential: this report contains small counts"' in text) is expected
        assert Page(text).text.startswith("Skip to the verdict Confidential: this report contains small") is expected
        assert ("Confidential" in text) is expected


def test_what_is_missing_is_told_as_the_list_is():
    whole, partial = (
        Page(block(ROWS, min_support=10, k=10, method=method).to_html()).text for method in ("suppress", "withhold")
    )
    assert "Readers of a complete list know that what is missing from it is rare." in whole
    assert "may itself point to a small group" not in whole
    assert "complete list" not in partial
    assert "less than the minimum support" not in partial
    first, rest = partial.split("What is published", 1)
    gaps = "An itemset that is missing although its parts suggest that it is common may have been left out"
    assert gaps in first
    assert gaps in rest.split("What the verdict does not cover")[1]


def test_a_release_of_exact_numbers_does_not_say_that_they_may_be_off():
    page = Page(block(ROWS, min_support=10, k=10, method="withhold").to_html())
    assert "Supports are exact." in page.text
    assert "off by more" not in page.text
    assert "may differ from the original ones" not in page.text


@pytest.mark.parametrize("method", METHODS)
def test_the_first_page_of_a_release_tells_what_is_not_covered(method):
    page = Page(block(SAFE, min_support=10, k=10, method=method).to_html())
    assert (
        "Not covered: what is missing from the list, other releases and what readers know"
        in page.text.split("Checks")[0]
    )


def test_a_tradeoff_promises_no_more_than_that_differences_reveal_nothing():
    page = Page(audit(ROWS, min_support=10, k=10).to_html(tradeoff=tradeoff(ROWS, min_supports=[10, 60], ks=[3, 10])))
    assert "Where a curve reaches 0, no difference of counts reveals fewer than k rows." in page.text
    assert "0 is safe" not in page.text


def test_changes_that_are_not_listed_since_others_tell_them_are_counted():
    release = block(ROWS, min_support=10, k=10, method="withhold")
    page = Page(release.to_html(private=True))
    before, after = oracle.frequent(named(ROWS), 10), dict(all_supports(release))
    changed = [itemset for itemset, support in before.items() if after.get(itemset) != support]
    closed = [one for one in changed if not any(one < two and before[one] == before[two] for two in before)]
    others = f"{len(changed) - len(closed)} others, each with the same rows as a larger one."
    assert f"{len(changed)} itemsets are left out: {len(closed)} closed one and {others}" in page.text


def test_items_that_cancel_out_of_a_sum_are_named_beside_it():
    rows = [["a", "b", "c"]] * 40 + [["a", "b"]] * 30 + [["a"]] * 2 + [[]] * 30
    page = Page(audit(rows, min_support=10, k=10).to_html())
    assert "Exactly 2 people have a , but neither b nor c . 72 ( a ) − 70 ( a , b ) = 2" in page.text
    assert "= 2 c is not in it: the counts with it cancel out." in page.text


def test_a_glossary_has_the_words_of_its_page_and_no_others():
    text = audit(ROWS, min_support=10, k=10).to_html()
    words = re.findall(r'<tr><th scope="row">([a-z ]+)</th>', text.split('id="glossary"')[1])
    assert {"closed itemset", "maximal channel", "minimum support", "k"} <= {*words}
    assert not {"small change", "remainder", "implication", "distortion"} & {*words}


@pytest.mark.parametrize("many", range(2, 10))
def test_a_public_page_does_not_tell_how_many_rows_were_suppressed(many):
    expected = block(ROWS, min_support=10, k=10, method="suppress").to_html()
    rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * many + [[]] * 50
    assert block(rows, min_support=10, k=10, method="suppress").to_html(source=Source("rows", "e" * 64)) == expected


SECRETS = Transactions(
    [["alpha", "beta", "gamma"]] * 4801 + [["alpha", "beta", "secret"]] * 7 + [[]] * 5003,
    ids=[f"someone{number}" for number in range(9811)],
)


@pytest.mark.parametrize("method", METHODS)
def test_a_public_page_holds_no_id_no_label_and_no_support_that_is_not_published(method):
    release = block(SECRETS, min_support=1000, k=10, method=method)
    text = release.to_html()
    page = Page(text)
    hidden = {f"{held:,}" for held in oracle.frequent(SECRETS, 1000).values() if held not in release.patterns.supports}
    lists = [finding for text in packed_lists(page) for finding in unfolded(text)]
    titles = " ".join(re.findall(r"<title>(.*?)</title>", text))
    words = {*re.findall(r"[\w,]+", f"{page.text} {titles}"), *(f"{count:,}" for *_, count in lists)}
    assert not words & {*hidden, *(number.replace(",", "") for number in hidden)}
    assert not [word for word in words if "someone" in word or "secret" in word]
    assert {base: count for base, _, count in lists} == {
        frozenset(map(str, itemset)): support for itemset, support in release.patterns
    }


def test_a_private_page_tells_what_the_release_cost():
    compared = compare(ROWS, min_support=10, k=10, seconds=5)
    release = block(ROWS, min_support=10, k=10, method="suppress")
    page = Page(release.to_html(comparison=compared, private=True, source=Source("rows.csv", "d" * 64)))
    cost = oracle.distortion(oracle.frequent(named(ROWS), 10), dict(all_supports(release)))
    assert "100 before, 98 now: 2 suppressed, 0 added" in page.text
    assert f"average distortion {100 * float(cost[3]):.3g}%" in page.text
    for method in ("suppress", "add, merged", "withhold", "optimal", "rows.csv"):
        assert method in page.text


def all_supports(release):
    """The supports of all frequent itemsets after blocking, from the closed ones."""
    listed = {frozenset(itemset): support for itemset, support in release.patterns}
    for itemset in {part for one in listed for part in oracle.subsets(one)}:
        yield itemset, max(support for other, support in listed.items() if itemset <= other)


def test_a_release_of_nothing_has_a_page():
    release = block([["a"]] * 3, min_support=3, k=5, method="suppress")
    assert not len(release.patterns)
    for private in (False, True):
        assert "There is nothing to publish" in release.to_html(private=private)


@pytest.mark.parametrize("form", ["json", "csv", "spmf", "borgelt", "parquet"])
def test_a_page_on_a_folder_tells_what_the_release_itself_tells(tmp_path, form):
    release = block(ROWS, min_support=10, k=10, method="add")
    write_release(release, tmp_path / "release", format=form)
    text, verdict = folder_html(tmp_path / "release")
    page, expected = Page(text), Page(release.to_html())
    assert verdict is Verdict.RELEASE
    assert sorted(unfolded(packed_lists(page)[0]), key=str) == sorted(unfolded(packed_lists(expected)[0]), key=str)
    assert expected.text.split("How to verify it")[2].split("Glossary")[0].strip() in page.text
    assert "verified GOOD" in page.text


def test_a_page_on_a_folder_with_a_fault_says_withhold_and_claims_nothing(tmp_path):
    write_release(block(ROWS, min_support=10, k=10, method="add"), tmp_path / "release")
    patterns = tmp_path / "release" / "patterns.json"
    patterns.write_text(patterns.read_text(encoding="utf-8").replace("48", "49"), encoding="utf-8")
    text, verdict = folder_html(tmp_path / "release")
    assert verdict is Verdict.WITHHOLD
    assert "NOT GOOD" in Page(text).text
    assert "RELEASE badge" not in text.replace('<strong class="badge WITHHOLD">', "")


def test_a_figure_of_the_tradeoff_has_its_numbers():
    grid = tradeoff(ROWS, min_supports=[10, 20, 60], ks=[3, 10])
    figure = tradeoff_figure(grid, k=10)
    (plot,) = figure.plots
    told = [[round(10**mark.y - 1) for mark in series.marks] for series in plot.series]
    assert told == grid.channels.T.tolist()
    assert [line[1:] for line in figure.lines] == grid.channels.tolist()
    assert [series.is_strong for series in plot.series] == [False, True]


@settings(max_examples=60)
@given(case=detected_databases())
def test_a_histogram_counts_every_cell_of_every_maximal_itemset(case):
    rows, sigma, k = case
    found = audit(rows, min_support=sigma, k=k)
    expected = oracle.rare_cells(oracle.widest(oracle.maximal(rows, sigma), sigma), rows, len(rows) + 1)
    bins = cell_sizes(found)
    unsafe = sum(one.cells for one in bins if one.is_unsafe)
    assert sum(one.cells for one in bins) == len(expected)
    assert unsafe == sum(count < k for count in expected.values())
    assert unsafe == sum(one.cells for one in cell_sizes(found.channels) if one.is_unsafe)


def test_every_bar_is_labelled_in_its_middle_with_its_smallest_size():
    found = audit(clinic_rows(2000, seed=1), min_support="5%", k=10)
    bins = cell_sizes(found)
    (plot,) = cell_sizes_figure(found).plots
    assert plot.across.ticks == {at + 0.5: f"{one.first:,}" for at, one in enumerate(bins)}
    assert [bins[at].name for at in (8, 9, -1)] == ["9", "10–19", "1,280–2,000"]
    drawn = re.findall(r'<text x="[^"]+" y="100%"[^>]*>([\d,]+)</text>', cell_sizes_figure(found).html)
    assert drawn == [*"123456789", "10", "20", "40", "80", "160", "320", "640", "1,280"]


def test_what_is_left_out_lies_on_a_strip_of_its_own_below_all_supports():
    figure = before_after_figure(block(ROWS, min_support=10, k=10, method="withhold"))
    (plot,) = figure.plots
    kept, gone = ([mark.y for mark in series.marks] for series in plot.series[1:])
    (strip,) = {*gone}
    assert plot.up.ticks[strip] == "left out"
    assert plot.up.low < strip < min(kept)
    assert [tick for tick in plot.up.ticks if tick < min(kept)] == [strip]
    assert [line[1] for line in figure.lines].count("left out") == len(gone)


def test_sizes_below_k_are_one_bar_if_there_is_none():
    bins = cell_sizes(audit(SAFE, min_support=10, k=10))
    assert [(one.name, one.cells) for one in bins if one.is_unsafe] == [("1–9", 0)]
    assert "No group has fewer than 10 rows." in audit(SAFE, min_support=10, k=10).to_html()


def test_a_scatter_of_many_points_is_thinned_and_says_so(monkeypatch):
    chance = np.random.default_rng(3)
    rows = [np.flatnonzero(row).tolist() for row in chance.random((400, 12)) < 0.6]
    release = block(rows, min_support=20, k=5, method="suppress")
    every = pair_supports(release)
    monkeypatch.setattr("discreet.report.figures.MOST_POINTS", 50)
    figure = before_after_figure(release)
    (plot,) = figure.plots
    points = [mark for series in plot.series[1:] for mark in series.marks]
    assert MOST_POINTS == 1_000
    assert len(points) == len(figure.lines) <= 50 < len(every)
    assert f"({len(points)} of {len(every):,} points)" in plot.series[1].label


# The command line.


def run(*arguments, **options):
    return CliRunner().invoke(main, [str(argument) for argument in arguments], **options)


@pytest.fixture
def clinic(tmp_path):
    path = tmp_path / "clinic.csv"
    write(Transactions(ROWS), path)
    return path


def test_the_command_writes_a_page_beside_the_file(clinic):
    done = run("report", clinic, "--min-support", 10, "-k", 10)
    assert (done.exit_code, done.stdout) == (1, "")
    page = Page((clinic.parent / "clinic.report.html").read_text(encoding="utf-8"))
    assert hashlib.sha256(clinic.read_bytes()).hexdigest() in page.text
    assert "Trade-off" in page.text
    assert "WITHHOLD; the report was written to" in done.stderr


@pytest.mark.parametrize(("k", "expected"), [(2, 0), (10, 1)])
def test_the_exit_code_is_that_of_the_audit(clinic, k, expected):
    arguments = (clinic, "--empty-rows", "--min-support", 10, "-k", k)
    assert run("audit", *arguments).exit_code == expected
    assert run("report", *arguments, "--out", "-").exit_code == expected


def test_the_command_takes_patterns_too(tmp_path):
    path = tmp_path / "patterns.json.gz"
    write_patterns(mine(ROWS, min_support=10), path)
    assert run("report", path, "-k", 10, "--csv", tmp_path / "found.csv").exit_code == 1
    page = Page((tmp_path / "patterns.report.html").read_text(encoding="utf-8"))
    assert "The rows are not at hand" in page.text
    assert "channel,2," in (tmp_path / "found.csv").read_text(encoding="utf-8")


def test_the_command_takes_a_release_folder(tmp_path):
    place = tmp_path / "release"
    write_release(block(ROWS, min_support=10, k=10, method="add"), place)
    held = {path.name for path in place.iterdir()}
    assert run("report", place).exit_code == 0
    assert {path.name for path in place.iterdir()} == held
    assert "verified GOOD" in Page((tmp_path / "release.report.html").read_text(encoding="utf-8")).text


@pytest.mark.parametrize("method", ["best", "suppress"])
def test_the_command_reports_a_release_and_to_the_owner_its_cost(clinic, method):
    write(Transactions([*ROWS, *[["d"]] * 20, *[["e"]] * 20]), clinic)  # more than one itemset is left
    arguments = ("report", clinic, "--empty-rows", "--min-support", 10, "-k", 10, "--block", method)
    assert run(*arguments).exit_code == run(*arguments, "--private").exit_code == 0
    public = (clinic.parent / "clinic.report.html").read_text(encoding="utf-8")
    private = (clinic.parent / "clinic.DO-NOT-RELEASE.report.html").read_text(encoding="utf-8")
    assert "clinic.csv" not in public
    assert "What it cost" in private
    assert ("Methods compared" in private) is (method == "best")


def test_a_private_page_is_never_written_to_a_name_that_does_not_say_so(clinic):
    done = run("report", clinic, "--min-support", 10, "-k", 10, "--private", "--out", clinic.parent / "page.html")
    assert done.exit_code == 1
    assert not (clinic.parent / "page.html").exists()
    assert "DO NOT RELEASE" in (clinic.parent / "page.DO-NOT-RELEASE.html").read_text(encoding="utf-8")


def test_an_older_page_gives_way_and_nothing_else_does(clinic):
    arguments = ("report", clinic, "--min-support", 10, "-k", 10)
    first, second = run(*arguments), run(*arguments)
    assert first.exit_code == second.exit_code == 1
    place = clinic.parent / "clinic.report.html"
    place.write_text("mine", encoding="utf-8")
    done = run(*arguments)
    assert done.exit_code == 2
    assert "is no report of ours; name another file with --out" in done.stderr
    assert place.read_text(encoding="utf-8") == "mine"


def test_the_time_is_that_of_source_date_epoch(clinic):
    arguments = ("report", clinic, "--min-support", 10, "-k", 10, "--out", "-")
    assert "2001-09-09 01:46" in run(*arguments, env={"SOURCE_DATE_EPOCH": "1000000000"}).stdout
    done = run(*arguments, env={"SOURCE_DATE_EPOCH": "soon"})
    assert (done.exit_code, "SOURCE_DATE_EPOCH is no time" in done.stderr) == (2, True)


def test_the_tradeoff_can_be_left_out_and_is_where_there_is_too_much(clinic, monkeypatch):
    arguments = ("report", clinic, "--empty-rows", "--min-support", 10, "-k", 10, "--out", "-")
    assert "Trade-off" not in Page(run(*arguments, "--no-tradeoff").stdout).text
    monkeypatch.setattr(sys.modules["discreet.cli.audit"], "MOST_ITEMSETS", 2)
    assert "With more than 2 itemsets, the trade-off" in Page(run(*arguments).stdout).text


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["FILE", "--min-support", "10"], "Neither -k nor --policy is given"),
        (["FILE", "-k", "10"], "if FILE holds rows, not patterns, give --min-support"),
        (["FILE", "-k", "10", "--block", "add"], "--block needs rows: give --min-support"),
        (["FILE", "--min-support", "10", "-k", "10", "--out", "FILE"], "a file that is to be read"),
        (["FILE", "--min-support", "10", "-k", "10", "--csv", "FILE"], "a file that is to be read"),
        (["FILE", "--min-support", "10", "-k", "10", "--csv", "-", "--out", "-"], "name another file for one of them"),
        (["FILE", "--min-support", "10", "-k", "10", "--private", "--out", "-"], "--private needs the name of a file"),
        (["FILE", "--min-support", "10", "-k", "10", "--seconds", "3"], "--seconds means nothing without --block"),
        (["FILE", "--min-support", "10", "-k", "10", "--block", "add", "--csv", "x.csv"], "leave --csv or --block out"),
        (["FILE", "--min-support", "10", "-k", "10", "--block", "add", "--n", "3"], "--n is for patterns"),
        (["FILE", "-k", "10", "--private"], "needs rows; give --min-support or --rows"),
        (["FOLDER", "-k", "10"], "which -k does not fit"),
        (["FOLDER", "--private"], "leave --private out"),
        (["FOLDER"], "release.json"),
        (["NOTHING", "-k", "10"], "there is no such file"),
    ],
)
def test_what_cannot_be_reported_is_refused_in_one_sentence(clinic, arguments, expected):
    folder = clinic.parent / "folder"
    folder.mkdir()
    names = {"FILE": clinic, "FOLDER": folder, "NOTHING": clinic.parent / "nothing.csv"}
    done = run("report", *(names.get(one, one) for one in arguments))
    assert done.exit_code == 2
    assert expected in done.stderr
    assert done.stderr.count("\n") == 1
    assert {path.name for path in clinic.parent.iterdir()} == {"clinic.csv", "folder"}


def test_no_page_tells_labels_of_items_that_nothing_on_it_speaks_of():
    rows = [["a", "b"]] * 20 + [["a"]] * 3 + [["rare disease"]] + [[]] * 20
    release = block(rows, min_support=10, k=5, method="suppress")
    for text in (audit(rows, min_support=10, k=5).to_html(), release.to_html()):
        lists = packed_lists(Page(text))
        heads = [zlib.decompress(base64.b64decode(packed_list)) for packed_list in lists]
        assert lists
        assert not any(b"rare disease" in head for head in [text.encode(), *heads])
