"""Blocking against stronger attackers: nothing is left that they infer, and what is published is what rows have."""

import os
from dataclasses import replace
from functools import partial

import oracle
import pytest
from hypothesis import assume, example, given, settings
from strategies import databases, detected_databases, few_rows

from discreet import GuaranteeError, OptionError, Transactions, attack, block, compare, mine, verify, write_release
from discreet.blocking import row_types
from discreet.io import datasets

small = detected_databases(partial(databases, max_items=4)) | detected_databases(partial(few_rows, max_items=5))
three = detected_databases(partial(databases, max_rows=12, max_items=3))
"""Rows over few enough items to list all databases that a release may be of."""
METHODS = pytest.mark.parametrize("method", ["suppress", "add", "withhold"])
EVERY = pytest.mark.parametrize("method", ["suppress", "add", "withhold", "optimal"])
LEVELS = pytest.mark.parametrize("level", ["derive", "linear"])
EXAMPLES = {
    "E1": (["b"] * 2 + ["ab"] * 2 + ["ac"] * 2 + ["bc"] * 2 + ["abc"], 3, 2),
    "E2": (["ab"] * 2 + ["ac"] * 2 + ["bc"] * 3 + ["abc"], 4, 2),
    "E4": ([""] + ["a", "b", "c"] + ["ab"] * 3 + ["ac"] * 3 + ["bc"] * 3, 3, 2),
    "E5": (["ab"] * 4 + ["abc"] * 4 + ["ad"] * 3 + ["abd"] * 2 + ["bcd"] * 4, 6, 3),
}
"""Rows without a channel of which more can be inferred (THEORY C.2): rows, minimum support, k."""


AGREED = (
    [
        "ab",
        "b",
        "ad",
        "",
        "bc",
        "bd",
        "c",
        "ac",
        "ab",
        "ad",
        "cd",
        "abd",
        "ab",
        "ad",
        "ad",
        "bc",
        "abd",
        "",
        "bd",
        "cd",
        "",
        "cd",
        "",
        "b",
        "c",
        "c",
        "abc",
    ],
    *(5, 5),
)
"""Rows in which the attacker "derive" infers nothing, but all databases that fit agree on b and d: 1 to 4 rows."""


def rows_of(name):
    return Transactions(map(frozenset, EXAMPLES[name][0]))


def with_examples(law):
    """Try a law on the examples of three items as well: of random rows, few tell of more than their channels."""
    for name in ("E1", "E2", "E4"):
        words, sigma, k = EXAMPLES[name]
        law = example(case=([*map(frozenset, words)], sigma, k))(law)
    return law


def published(release):
    """What a release says, and to whom, by the oracle."""
    others = release.patterns.min_support - 1 if release.is_whole else None
    return oracle.released(dict(release.patterns), release.patterns.n, others)


def is_told_by_parts(release, k):
    """Whether bounds on the support of one itemset after the other tell of 1 to k - 1 rows; few items do not matter."""
    return oracle.is_told_by_parts(published(release).limits, k)


@pytest.mark.parametrize("level", ["plain", "derive", "linear", "exact"])
@METHODS
@settings(max_examples=25)
@given(case=three)
@with_examples
def test_what_is_published_tells_nothing_in_all_databases_that_have_it(level, method, case):
    rows, sigma, k = case
    release = block(Transactions(rows), min_support=sigma, k=k, method=method, against=level, seconds=5)
    assert release.against == level
    assume(len(release.patterns) > 0)
    assert not published(release).is_told(level, k)


@LEVELS
@METHODS
@settings(max_examples=25)
@given(case=small)
@with_examples
def test_no_bounds_tell_of_few_rows_in_what_is_published(level, method, case):
    rows, sigma, k = case
    release = block(Transactions(rows), min_support=sigma, k=k, method=method, against=level)
    assume(len(release.patterns) > 0)
    assert not is_told_by_parts(release, k)


@pytest.mark.parametrize("most_cells", [row_types.MOST_CELLS, 0])
@settings(max_examples=20)
@given(case=small)
def test_the_least_distortion_is_no_more_than_that_of_others_and_the_attacker_finds_nothing(most_cells, case):
    rows, sigma, k = case
    asked = {"min_support": sigma, "k": k, "against": "derive"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_types, "MOST_CELLS", most_cells)
        release = block(Transactions(rows), method="optimal", seconds=5, **asked)
    others = [block(Transactions(rows), method=method, **asked) for method in ("suppress", "add")]
    assert release.distortion.average <= min(other.distortion.average for other in others)
    assert release.proof.bound <= release.proof.average == release.distortion.average
    assert not len(release.patterns) or not is_told_by_parts(release, k)
    assert dict(release.patterns) == oracle.closed(list(release.witness), sigma)


@settings(max_examples=40)
@given(case=small)
def test_what_is_withheld_leaves_exact_supports_and_all_parts_of_each_itemset(case):
    rows, sigma, k = case
    release = block(Transactions(rows), min_support=sigma, k=k, method="withhold", against="linear")
    published, plain = dict(release.patterns), oracle.frequent(rows, sigma)
    assert published.items() <= plain.items()
    assert all(itemset - {item} in published for itemset in published for item in itemset)


@pytest.mark.parametrize("method", ["suppress", "add"])
@settings(max_examples=40)
@given(case=small)
def test_what_is_published_is_what_the_witness_has(method, case):
    rows, sigma, k = case
    release = block(Transactions(rows), min_support=sigma, k=k, method=method, against="derive")
    assert dict(release.patterns) == oracle.closed(list(release.witness), sigma)
    kept = [row for number, row in enumerate(rows) if number not in set(release.suppressed.tolist())]
    assert list(release.witness)[: len(kept)] == kept


@pytest.mark.parametrize(("name", "level"), [("E1", "derive"), ("E4", "derive"), ("E2", "linear"), ("E5", "linear")])
@EVERY
def test_the_smallest_examples_are_blocked(name, level, method):
    _, sigma, k = EXAMPLES[name]
    plain = block(rows_of(name), min_support=sigma, k=k, method=method, against="plain")
    assert plain.distortion.changed == 0
    is_told = published(plain).is_told(level, k)
    assert is_told or method == "withhold"  # which does not say that it lists all
    release = block(rows_of(name), min_support=sigma, k=k, method=method, against=level)
    assert (release.distortion.changed > 0) == is_told
    assert not published(release).is_told(level, k)


@pytest.mark.parametrize("level", [None, "derive", "linear"])
@EVERY
def test_naming_an_attacker_is_never_weaker_than_naming_none(level, method):
    words, sigma, k = AGREED
    rows = Transactions(map(frozenset, words))
    assert attack(mine(rows, min_support=sigma), k=k, level="derive").is_safe
    assert not attack(mine(rows, min_support=sigma), k=k, level="exact").is_safe
    release = block(rows, min_support=sigma, k=k, method=method, against=level)
    assert attack(release.patterns, k=k, level="exact", complete=release.is_whole).is_safe


@pytest.mark.parametrize("name", ["E1", "E2", "E4"])
def test_kinds_of_rows_change_by_less_than_whole_rows_go(name, monkeypatch):
    monkeypatch.setattr(row_types, "MOST_CELLS", 0)
    _, sigma, k = EXAMPLES[name]
    asked = {"min_support": sigma, "k": k, "against": "derive"}
    least, other = (block(rows_of(name), method=method, **asked) for method in ("optimal", "suppress"))
    assert 0 < least.distortion.average < other.distortion.average
    assert not published(least).is_told("derive", k)


def test_what_is_inferred_is_cut_off_by_two_rows_more():
    _, sigma, k = EXAMPLES["E1"]
    release = block(rows_of("E1"), min_support=sigma, k=k, method="optimal", against="derive")
    supports = {"": 11, "a": 5, "b": 7, "c": 5, "ab": 3, "ac": 3, "bc": 3}
    assert dict(release.patterns) == {frozenset(itemset): support for itemset, support in supports.items()}


def test_methods_are_compared_against_an_attacker():
    _, sigma, k = EXAMPLES["E1"]
    found = compare(rows_of("E1"), min_support=sigma, k=k, against="derive")
    assert [line.name for line in found.lines if line.release is None] == []
    assert {line.release.against for line in found.lines} == {"derive"}
    best = block(rows_of("E1"), min_support=sigma, k=k, against="derive")
    assert best.distortion.average == min(line.release.distortion.average for line in found.lines)


@settings(max_examples=20)
@given(case=small)
def test_fewer_rows_that_serve_several_withstand_him_as_well(case):
    rows, sigma, k = case
    release = block(Transactions(rows), min_support=sigma, k=k, method="add", merge=True, against="derive")
    assume(len(release.patterns) > 0)
    assert not is_told_by_parts(release, k)


def test_what_the_attacker_does_not_find_is_left_as_it_is():
    rows = Transactions([["a", "b"]] * 20 + [["a"]] * 12 + [[]] * 10)
    release = block(rows, min_support=10, k=10, method="suppress", against="linear")
    assert release.patterns == block(rows, min_support=10, k=10, method="suppress").patterns


@EVERY
def test_a_release_names_whom_it_withstands_and_the_verifier_tries_him(method, tmp_path):
    _, sigma, k = EXAMPLES["E1"]
    rows = [*rows_of("E1"), *[frozenset("d")] * 8]
    safe = block(rows, min_support=sigma, k=k, method=method, against="derive")
    write_release(safe, tmp_path / "safe")
    assert verify(tmp_path / "safe").is_good
    assert '"against": "derive"' in (tmp_path / "safe" / "release.json").read_text()
    text = " ".join((tmp_path / "safe" / "report.txt").read_text().split())
    assert "An attacker who adds and subtracts supports, and derives" in text
    assert safe.audit.promise.endswith("and derives those that are not listed infers no such count either.")
    assert block(rows, min_support=sigma, k=k, method=method, against="plain").audit.withstood == ""


def test_a_release_that_claims_to_withstand_whom_it_does_not_is_refused(tmp_path):
    _, sigma, k = EXAMPLES["E1"]
    plain = block(rows_of("E1"), min_support=sigma, k=k, method="suppress", against="plain")
    with pytest.raises(GuaranteeError, match="the attacker 'derive' infers something"):
        write_release(replace(plain, against="derive"), tmp_path / "release")
    assert not (tmp_path / "release").exists()


def test_an_unknown_attacker_is_refused():
    with pytest.raises(OptionError, match="it must be one of plain, derive, linear, exact"):
        block([["a"]], min_support=1, k=2, method="add", against="magic")


@pytest.mark.skipif(not os.environ.get("DISCREET_DATA"), reason="DISCREET_DATA names no folder of data sets")
@pytest.mark.parametrize(("share", "k", "rows"), [("80%", 3, 62), ("90%", 2, 6)])
def test_chess_loses_a_row_more(share, k, rows):
    release = block(datasets.load("chess"), min_support=share, k=k, method="suppress", against="derive")
    assert release.rows_suppressed == rows
    assert attack(release.patterns, k=k, level="derive").is_safe
