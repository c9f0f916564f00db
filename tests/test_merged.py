"""Laws of merged rows: every verb makes of them what it makes of the rows."""

import gzip
import lzma
import os
import re
from functools import partial
from importlib import import_module
from io import BytesIO
from random import Random

import numpy as np
import oracle
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from strategies import detected_databases, heavy_databases, large_databases, lengths, mined_databases
from traced import peak

from discreet import (
    BudgetError,
    InputError,
    Merged,
    OptionError,
    ThresholdError,
    Transactions,
    audit,
    block,
    compare,
    detect,
    mine,
    read,
    scan,
    tradeoff,
    write,
    write_release,
)
from discreet.cli import main
from discreet.mining.mine import mine_by
from discreet.mining.watch import Limits
from discreet.report import audit_html, audit_json, exposed_csv, release_json, tradeoff_json

KINDS = pytest.mark.parametrize("kind", ["frequent", "closed", "maximal"])
STRATEGIES = pytest.mark.parametrize("strategy", ["auto", "dense", "sparse", "mixed"])
SCAN = import_module("discreet.io.scan")
ROWS = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [["d"]] + [[]] * 49


@st.composite
def merged_databases(draw, source=detected_databases):
    """Rows, merged ones for a lower or the same minimum support, that minimum support and k."""
    rows, sigma, k = draw(source())
    return rows, Merged.of(Transactions(rows), draw(st.integers(1, sigma))), sigma, k


def heavily_detected_databases():
    """Rows, each there up to three hundred times, a minimum support and a k."""
    return detected_databases(heavy_databases)


def listed(patterns):
    """Return the itemsets in their order, with supports, and how they were mined."""
    return [(tuple(patterns.labelled(at)), support) for at, support in enumerate(patterns.supports.tolist())], (
        patterns.n,
        patterns.min_support,
        patterns.kind,
    )


@pytest.mark.nojit
@given(mined_databases())
def test_merged_rows_are_the_different_rows_cut_to_frequent_items_each_with_how_many_are_like_it(case):
    rows, min_support, sigma = case
    merged = Merged.of(rows, min_support)
    assert dict(merged) == oracle.merged(rows, sigma)
    assert (merged.n, merged.min_support, merged.weights.size) == (len(rows), sigma, len(set(dict(merged))))


@pytest.mark.nojit
@given(mined_databases())
def test_labels_of_merged_rows_are_those_that_are_left_in_the_order_of_the_rows(case):
    rows, _, sigma = case
    transactions = Transactions(rows)
    expected = [label for label in transactions.labels if oracle.support([label], rows) >= sigma]
    assert list(Merged.of(transactions, sigma).labels) == expected


@pytest.mark.nojit
@given(mined_databases(), st.randoms())
def test_rows_in_any_order_merge_to_the_same_value(case, random):
    rows, _, sigma = case
    shuffled = random.sample(rows, len(rows))
    assert Merged.of(Transactions(rows), sigma) == Merged.of(Transactions(shuffled), sigma)


@given(mined_databases())
def test_merged_rows_are_in_dictionary_order(case):
    rows, _, sigma = case
    merged = Merged.of(rows, sigma)
    words = [tuple(sorted(merged.code[label] for label in row)) for row, _ in merged]
    assert words == sorted(set(words))


@given(mined_databases(), st.integers(1, 40))
def test_rows_that_are_not_listed_hold_nothing(case, more):
    rows, _, sigma = case
    data = Transactions(rows)
    expected = Merged.of(Transactions([*rows, *[[]] * more]), sigma)
    n = len(rows) + more
    assert expected == Merged.from_codes(data.offsets, data.items, data.weights, data.labels, min_support=sigma, n=n)


@given(mined_databases(), st.integers(1, 5))
def test_merged_rows_can_be_merged_further(case, least):
    rows, _, sigma = case
    merged = Merged.of(rows, min(least, sigma))
    again = Merged.from_codes(merged.offsets, merged.items, merged.weights, merged.labels, min_support=sigma)
    assert Merged.of(rows, sigma) == again


@STRATEGIES
@KINDS
@settings(max_examples=30)
@given(merged_databases(), lengths | st.none())
def test_merged_rows_have_the_patterns_of_the_rows(kind, strategy, case, max_length):
    rows, merged, sigma, _ = case
    options = {"min_support": sigma, "kind": kind, "max_length": max_length, "limits": Limits(threads=1)}
    expected = mine_by(strategy, Transactions(rows), **options)
    assert listed(mine_by(strategy, merged, **options)) == listed(expected)


@pytest.mark.nojit
@settings(max_examples=30)
@given(merged_databases())
def test_closed_itemsets_of_merged_rows_are_those_of_the_definition(case):
    rows, merged, sigma, _ = case
    assert dict(mine(merged, min_support=sigma)) == oracle.closed(rows, sigma)


@KINDS
@settings(max_examples=10)
@given(large_databases())
def test_many_items_are_mined_from_merged_rows_alike(kind, case):
    rows, sigma = case
    expected = mine(rows, min_support=sigma, kind=kind)
    assert listed(mine(Merged.of(rows, sigma), min_support=sigma, kind=kind)) == listed(expected)


@pytest.mark.nojit
@pytest.mark.parametrize("method", ["auto", "projection"])
@settings(max_examples=30)
@given(merged_databases() | merged_databases(heavily_detected_databases))
def test_merged_rows_have_the_channels_of_the_definition(method, case):
    rows, merged, sigma, k = case
    expected = oracle.maximal_channels_by_tops(rows, sigma, k)
    for kind in ("closed", "maximal"):
        patterns = mine(rows, min_support=sigma, kind=kind)
        found = detect(patterns, k=k, rows=merged, method=method)
        assert {(channel.base, channel.top): channel.count for channel in found} == expected


@pytest.mark.parametrize("method", ["auto", "projection"])
@settings(max_examples=10)
@given(large_databases(), st.integers(2, 20))
def test_channels_of_long_itemsets_are_found_in_merged_rows_alike(method, case, k):
    rows, sigma = case
    transactions = Transactions(rows)
    patterns = mine(transactions, min_support=sigma, kind="maximal")
    expected = detect(patterns, k=k, rows=transactions, method=method)
    assert detect(patterns, k=k, rows=Merged.of(rows, sigma), method=method) == expected


@settings(max_examples=5)
@given(st.randoms(), st.sampled_from(["auto", "projection"]))
def test_an_itemset_of_more_items_than_a_word_has_bits_has_the_same_channels_in_merged_rows(random, method):
    whole = list(range(90))
    rows = [whole] * 30 + [sorted(random.sample(whole, 88)) for _ in range(9)] * 2 + [[91]] * 3
    patterns = mine(rows, min_support=30, kind="maximal")
    expected = detect(patterns, k=10, rows=Transactions(rows), method=method)
    assert len(expected)
    assert detect(patterns, k=10, rows=Merged.of(rows, 3), method=method) == expected


@settings(max_examples=40)
@given(merged_databases() | merged_databases(heavily_detected_databases))
def test_as_many_rows_are_exposed_as_by_the_definition(case):
    rows, merged, sigma, k = case
    expected = oracle.exposed(rows, sigma, k)
    found = audit(merged, min_support=sigma, k=k).exposed
    smallest = [count for _, count in expected.values()]
    assert found.rows == len(expected)
    assert found.histogram() == [(count, smallest.count(count)) for count in sorted(set(smallest))]


@settings(max_examples=40)
@given(merged_databases(), st.sampled_from([None, "acro"]))
def test_an_audit_of_merged_rows_is_the_same_to_the_last_byte(case, policy):
    rows, merged, sigma, k = case
    rule = {"policy": policy} if policy else {"k": k}
    left, right = (audit(source, min_support=sigma, **rule) for source in (Transactions(rows), merged))
    assert b"".join(audit_json(right, explain=100)) == b"".join(audit_json(left, explain=100))
    assert audit_html(right) == audit_html(left)


@settings(max_examples=30)
@given(merged_databases(), st.integers(1, 6))
def test_a_trade_off_of_merged_rows_is_the_same_to_the_last_byte(case, step):
    rows, merged, sigma, k = case
    options = {"min_supports": [sigma, sigma + step, sigma + 2 * step], "ks": [k, 2, 7]}
    expected, found = (tradeoff(source, **options) for source in (Transactions(rows), merged))
    assert b"".join(tradeoff_json(found)) == b"".join(tradeoff_json(expected))


@pytest.mark.parametrize("method", ["suppress", "add", "withhold"])
@settings(max_examples=30)
@given(merged_databases())
def test_merged_rows_are_blocked_alike(method, case):
    rows, merged, sigma, k = case
    expected, found = (block(source, min_support=sigma, k=k, method=method) for source in (rows, merged))
    assert listed(found.patterns) == listed(expected.patterns)
    assert b"".join(release_json(found)) == b"".join(release_json(expected))
    assert (found.witness is None) == (method == "withhold")
    least = max(sigma, merged.min_support)
    assert found.witness is None or dict(mine(found.witness, min_support=least)) == dict(found.patterns)


def test_rows_of_a_release_that_are_suppressed_are_told_by_what_they_hold_where_they_were_merged(tmp_path):
    release = block(Merged.of(ROWS, 10), min_support=10, k=10, method="suppress")
    assert (release.rows_suppressed, release.patterns.n) == (2, 98)
    write_release(release, tmp_path / "out")
    private = next(path for path in (tmp_path / "out").rglob("suppressed.csv"))
    assert private.read_text() == "rows,items\n2,a,b\n"


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("rows", "sigma", "expected"),
    [
        ([], 1, {}),
        ([[]], 1, {frozenset(): 1}),
        ([[], []], 3, {frozenset(): 2}),
        ([["a"]], 1, {frozenset("a"): 1}),
        ([["a"]], 2, {frozenset(): 1}),
        ([["a"], ["b"], ["c"]], 2, {frozenset(): 3}),
        ([["a", "a"], ["a"]], 2, {frozenset("a"): 2}),
    ],
    ids=["no rows", "an empty row", "fewer rows than the least", "one row", "too few", "nothing frequent", "repeated"],
)
def test_small_cases_merge_and_are_judged_as_rows_are(rows, sigma, expected):
    merged = Merged.of(rows, sigma)
    assert dict(merged) == expected
    assert dict(mine(merged, min_support=sigma)) == oracle.closed(rows, sigma)
    left, right = (b"".join(audit_json(audit(source, min_support=sigma, k=2))) for source in (rows, merged))
    assert right == left


@pytest.mark.nojit
def test_a_slice_of_rows_is_merged_alone():
    rows = Transactions([["a"], ["a", "b"], ["b"], ["b"]])
    assert dict(Merged.of(rows[1:3], 2)) == {frozenset("b"): 2}


@pytest.mark.parametrize(
    "verb",
    [
        lambda merged: mine(merged, min_support=1),
        lambda merged: mine(merged, min_support="1%"),
        lambda merged: audit(merged, min_support=1, k=2),
        lambda merged: tradeoff(merged, min_supports=[1, 5], ks=[2]),
        lambda merged: block(merged, min_support=1, k=2, method="add"),
        lambda merged: detect(mine(ROWS, min_support=1), k=2, rows=merged),
    ],
    ids=["mine", "share", "audit", "tradeoff", "block", "detect"],
)
def test_a_lower_minimum_support_than_the_rows_were_merged_for_is_refused(verb):
    sentence = "min support is 1, but the rows were merged for 2 and more; raise it, or merge the rows again for less"
    with pytest.raises(ThresholdError, match=f"^{re.escape(sentence)}$"):
        verb(Merged.of(ROWS, 2))


@pytest.mark.parametrize("method", ["best", "optimal"])
def test_methods_that_change_single_rows_refuse_merged_ones(method):
    with pytest.raises(OptionError, match=f"the method '{method}' needs the rows themselves, not merged ones"):
        block(Merged.of(ROWS, 2), min_support=2, k=2, method=method)


def test_methods_are_not_compared_on_merged_rows():
    with pytest.raises(OptionError, match="methods are compared on the rows themselves"):
        compare(Merged.of(ROWS, 2), min_support=2, k=2)


def test_which_rows_are_exposed_is_not_told_of_merged_rows():
    found = audit(Merged.of(ROWS, 10), min_support=10, k=10)
    assert found.exposed.rows == 2
    for told in (lambda: b"".join(exposed_csv(found)), lambda: audit_html(found, private=True)):
        with pytest.raises(InputError, match="which rows are exposed cannot be told of merged rows, only how many"):
            told()


@pytest.mark.parametrize(("other", "sentence"), [(ROWS[1:], "are about 100 rows"), ([["a"]] * 100, "another support")])
def test_merged_rows_that_patterns_were_not_mined_from_are_refused(other, sentence):
    with pytest.raises(InputError, match=sentence):
        detect(mine(ROWS, min_support=10), k=10, rows=Merged.of(other, 10))


@given(merged_databases(), st.integers(1, 3))
def test_patterns_of_rows_are_accepted_with_merged_ones_if_each_top_has_its_support(case, more):
    rows, merged, sigma, k = case
    patterns = mine(rows, min_support=sigma)
    assert detect(patterns, k=k, rows=merged) == detect(patterns, k=k)
    assume(patterns.items.size and merged.labels)
    weights = merged.weights.copy()
    weights[-1] += more
    other = Merged.from_codes(merged.offsets, merged.items, weights, merged.labels, min_support=merged.min_support)
    with pytest.raises(InputError, match="are about"):
        detect(patterns, k=k, rows=other)


def test_equal_labels_rows_and_thresholds_make_merged_rows_equal():
    assert Merged.of(ROWS, 2) == Merged.of(ROWS, 2)
    assert Merged.of(ROWS, 2) != Merged.of(ROWS, 3)
    assert Merged.of(ROWS, 2) != Merged.of(ROWS[1:], 2)
    assert Merged.of(ROWS, 2) != ROWS


def test_merged_rows_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        Merged.of(ROWS, 2).weights[0] = 5


def test_more_rows_than_can_be_counted_are_refused():
    merged = Merged.from_codes(np.array([0, 1]), np.array([0], np.int32), np.array([2**31]), ["a"], min_support=2)
    with pytest.raises(InputError, match="there are 2,147,483,648 rows; supports up to 2,147,483,647 can be counted"):
        mine(merged, min_support=2)


def test_two_thousand_million_rows_are_mined_as_two_would_be():
    many = 2**31 - 2
    merged = Merged.from_codes(
        np.array([0, 1, 3]), np.array([0, 0, 1], np.int32), np.array([many, 1]), ["a", "b"], min_support=1
    )
    assert dict(mine(merged, min_support=1)) == {frozenset("a"): many + 1, frozenset("ab"): 1}


SCANNED = {
    "fimi": ("rows.dat", "integers", {"format": "fimi", "empty_rows": True}),
    "packed": ("rows.dat.gz", "integers", {"format": "fimi", "empty_rows": True}),
    "spmf": ("rows.txt", "letters", {"format": "spmf", "empty_rows": True}),
    "csv": ("rows.csv", "letters", {"format": "baskets", "separator": ",", "empty_rows": True}),
    "parquet": ("rows.parquet", "letters", {}),
}
"""Formats whose files are scanned: a name, labels that they hold, and how they are read exactly."""


@pytest.mark.parametrize("format_", SCANNED)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mined_databases(), st.integers(1, 64))
def test_a_file_is_scanned_to_its_rows_merged(tmp_path, format_, case, chunk):
    rows, min_support, _ = case
    assume(rows)
    name, labels, meant = SCANNED[format_]
    names = {item: number for number, item in enumerate(sorted({item for row in rows for item in row}, key=repr))}
    known = [[names[item] if labels == "integers" else f"tea {names[item]}" for item in row] for row in rows]
    path = tmp_path / name
    write(known, path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("discreet.io.compression.CHUNK", chunk)
        patch.setattr("discreet.io.formats.csv.BLOCK", chunk)
        patch.setattr("discreet.io.stores.LINES", chunk)
        patch.setattr(SCAN, "FOLD", chunk)
        found = scan(path, min_support=min_support, **meant)
    assert dict(found) == oracle.merged(known, found.min_support)
    merged = Merged.of(read(path, **meant), min_support)
    assert found == merged
    assert found.reading == merged.reading


ODD = {
    "ids as items": [f"milk{' rye' * (number % 2)} i{number}" for number in range(19)],
    "a header": ["first second", *["tea milk", "tea", "milk rye"] * 10],
    "one item a row": ["tea", "milk"] * 20,
    "one item in nearly every row": ["tea milk", "tea rye", "tea"] * 10,
    "all different": [" ".join([f"a{at % 8}", f"b{at // 8}"][:: 1 - at // 3 % 2 * 2]) for at in range(200)],
    "few": ["tea milk", "tea", "milk"],
    "blank lines at the end": [*["tea milk", "tea rye", "milk rye"] * 10, *[""] * 5],
    "nothing odd": ["tea milk", "tea rye", "milk rye"] * 10,
}


@pytest.mark.parametrize("what", ODD)
def test_what_is_odd_about_rows_is_seen_in_a_scan_as_well(tmp_path, what):
    path = tmp_path / "rows.txt"
    path.write_text("\n".join(ODD[what]) + "\n", encoding="utf-8")
    meant = {"separator": " "}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("discreet.io.compression.CHUNK", 16)
        found = audit(scan(path, min_support=2, **meant), k=2, min_support=2)
    expected = audit(read(path, **meant), k=2, min_support=2)
    assert [check.sentence for check in found.checks] == [check.sentence for check in expected.checks]
    assert found.reading.facts() == expected.reading.facts()
    assert any(check.name == "reading" for check in found.checks) == (what != "nothing odd")


TEXTS = {
    "byte-order mark": ("rows.dat", b"\xef\xbb\xbf1 2\n2 1\n"),
    "carriage returns": ("rows.dat", b"1 2\r\n2 1\r\n\r\n"),
    "blank lines": ("rows.dat", b"\n1 2\n\n \n2 3"),
    "repeated items": ("rows.dat", b"1 1 2\n2 2\n1 2 1 2\n"),
    "large numbers": ("rows.dat", b"2147483647 7\n7\n2147483647\n99999999 7\n"),
    "no items": ("rows.dat", b"\n\n\n"),
    "one row": ("rows.dat", b"3 5 8"),
    "marked baskets": ("rows.csv", b'\xef\xbb\xbftea,milk\r\n\r\n"red\nwine",tea\r\n,,\r\nmilk'),
    "whole numbers": ("rows.csv", b"10,9\n9\n10,9,9\n"),
    "numbers and text": ("rows.csv", b"10,9\n9\n10,9,x\n"),
    "names behind": ("rows.txt", b"# of ours\n1 2\n2\n@ITEM=1=tea\n@ITEM=2=milk\n%\n1 2\n"),
}


@pytest.mark.parametrize("least", [1, 2, 3, 9])
@pytest.mark.parametrize("what", TEXTS)
def test_what_stands_between_rows_is_taken_as_the_readers_take_it(tmp_path, what, least):
    name, text = TEXTS[what]
    path = tmp_path / name
    path.write_bytes(text)
    assert scan(path, min_support=least, empty_rows=True) == Merged.of(read(path, empty_rows=True), least)


@pytest.mark.parametrize("packer", [gzip.compress, lzma.compress], ids=["gz", "xz"])
def test_packed_files_are_scanned(tmp_path, packer):
    path = tmp_path / f"rows.dat.{'gz' if packer is gzip.compress else 'xz'}"
    path.write_bytes(packer(b"1 2\n2\n" * 1000))
    assert dict(scan(path, min_support=2)) == {frozenset([1, 2]): 1000, frozenset([2]): 1000}


LONG = {
    "numbers": "7,tea\n7,milk\n10,tea\n",
    "text": "ann,tea\nbea,tea\nbea,milk\n",
    "repeated": "7,tea\n7,tea\n8, tea \n",
}


@pytest.mark.parametrize("block", [1, 2, 100])
@pytest.mark.parametrize("lines", LONG.values(), ids=LONG)
def test_lines_of_row_ids_and_items_are_scanned_where_the_ids_rise(tmp_path, monkeypatch, lines, block):
    for module in ("formats.csv.BLOCK", "stores.LINES"):
        monkeypatch.setattr(f"discreet.io.{module}", block)
    columns = {"row": "who", "item": "what"}
    path = tmp_path / "rows.csv"
    path.write_text(f"when,who,what\n{''.join(f'1,{line}' for line in lines.splitlines(keepends=True))}")
    assert scan(path, min_support=1, **columns) == Merged.of(read(path, **columns), 1)
    table = tmp_path / "rows.parquet"
    pl.read_csv(path).write_parquet(table)
    assert scan(table, min_support=1, **columns) == Merged.of(read(table, **columns), 1)


@pytest.mark.parametrize("lines", ["7,a\n8,a\n7,b\n", "b,a\na,a\n", "9,a\n10,a\nx,a\n"])
def test_lines_of_one_row_that_may_stand_apart_are_refused(tmp_path, lines):
    path = tmp_path / "rows.csv"
    path.write_text(f"who,what\n{lines}")
    with pytest.raises(InputError, match=r"the row ids do not rise at line . of the table.*; sort the table"):
        scan(path, min_support=1, row="who", item="what")


@pytest.mark.parametrize("lines", ["7,\n", ",a\n", "7\n"])
def test_lines_without_a_row_id_or_an_item_are_refused_as_by_the_reader(tmp_path, lines):
    path = tmp_path / "rows.csv"
    path.write_text(f"who,what\n7,a\n{lines}")
    for verb in (read, partial(scan, min_support=1)):
        with pytest.raises(InputError, match="record 3 has no row id or no item"):
            verb(path, row="who", item="what")


def test_columns_that_are_not_there_are_refused(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("who,what\n7,a\n")
    with pytest.raises(InputError, match="none of the 2 columns is called 'drug'"):
        scan(path, min_support=1, row="who", item="drug")
    with pytest.raises(OptionError, match="a long table needs both columns"):
        scan(path, min_support=1, row="who")
    path.write_text("who,what\n7,a,b\n")
    with pytest.raises(InputError, match="as many fields in each line as in the header"):
        scan(path, min_support=1, row="who", item="what")


def test_one_hot_tables_in_parquet_are_scanned(tmp_path, monkeypatch):
    monkeypatch.setattr("discreet.io.stores.LINES", 2)
    path = tmp_path / "rows.parquet"
    pl.DataFrame({"tea": [1, 0, 1, 1], "milk": [0, 0, 0, 1], "wine": [0, 0, 0, 0]}).write_parquet(path)
    assert scan(path, min_support=1) == Merged.of(read(path), 1)


def test_missing_values_in_parquet_are_refused(tmp_path):
    path = tmp_path / "rows.parquet"
    pl.DataFrame({"who": [1, 2], "what": ["a", None]}).write_parquet(path)
    with pytest.raises(InputError, match="hold 1 missing values"):
        scan(path, min_support=1, row="who", item="what")
    pl.DataFrame({"who": [1, 2], "what": [1.5, float("nan")]}).write_parquet(path)
    with pytest.raises(InputError, match="missing values"):
        scan(path, min_support=1, row="who", item="what")


@pytest.mark.parametrize("block", [1, 2, 100])
def test_baskets_that_look_like_a_one_hot_table_are_refused(tmp_path, monkeypatch, block):
    monkeypatch.setattr("discreet.io.formats.csv.BLOCK", block)
    path = tmp_path / "rows.csv"
    path.write_text("tea,milk,wine\n0,1,1\n1,1,1\n")
    with pytest.raises(OptionError, match="of the format onehot, cannot be scanned; read all of it"):
        scan(path, min_support=1)
    path.write_text("tea,milk,wine\n0,1,1\n1,1,tea\n")
    assert scan(path, min_support=1) == Merged.of(read(path), 1)


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("rows.dat", b"1 2\n" * 50 + b"1 x\n", "line 51 holds something that is no whole number"),
        ("rows.dat", b"", "the file is empty"),
        ("rows.csv", b'a,"b\n', "line 1 has a quote that does not end"),
        ("rows.txt", b"1 2\n@ITEM=1=tea\n", "1 of 2 items have no @ITEM line"),
        ("rows.txt", b"1\n@ITEM=1=tea\n@ITEM=2=tea\n", "two @ITEM lines give the same label"),
        ("rows.parquet", b"no table", "this is no Parquet file"),
        ("rows.dat.gz", b"1 2\n", "the gzip data is broken"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_by_its_line(tmp_path, monkeypatch, name, text, sentence):
    monkeypatch.setattr("discreet.io.compression.CHUNK", 16)
    path = tmp_path / name
    path.write_bytes(text)
    with pytest.raises(InputError, match=f"^{re.escape(str(path))}: {re.escape(sentence)}"):
        scan(path, min_support=1)


def test_a_row_of_too_many_items_is_refused(tmp_path):
    path = tmp_path / "rows.dat"
    path.write_text("1\n" + " ".join(map(str, range(100_001))) + "\n")
    with pytest.raises(InputError, match="row 2 holds 100,001 items; at most 100,000 are allowed"):
        scan(path, min_support=1)


@pytest.mark.parametrize("source", ["-", BytesIO(b"1 2\n")], ids=["standard input", "an open file"])
def test_what_cannot_be_read_twice_is_refused(source):
    with pytest.raises(OptionError, match="rows are scanned twice, which a pipe, an open file, a stream"):
        scan(source, min_support=1, format="fimi")


def test_a_named_pipe_is_refused_before_it_is_opened(tmp_path):
    os.mkfifo(tmp_path / "rows.dat")
    with pytest.raises(OptionError, match="rows are scanned twice"):
        scan(tmp_path / "rows.dat", min_support=1)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        scan(tmp_path / "rows.dat", min_support=1)


@pytest.mark.parametrize(("name", "form"), [("rows.csv", "onehot"), ("rows.csv", None), ("rows.parquet.gz", None)])
def test_formats_that_do_not_come_in_pieces_are_refused(tmp_path, name, form):
    packed = gzip.compress(b"PAR1") if name.endswith(".gz") else b"a,b\n0,1\n"
    (tmp_path / name).write_bytes(packed)
    with pytest.raises(OptionError, match="cannot be scanned; read all of it"):
        scan(tmp_path / name, min_support=1, format=form)


@pytest.mark.parametrize("memory", [0, -1, True, 0.5, "1GB"])
def test_memory_that_is_none_is_refused(tmp_path, memory):
    (tmp_path / "rows.dat").write_bytes(b"1\n")
    with pytest.raises(ThresholdError, match="give a whole number of bytes"):
        scan(tmp_path / "rows.dat", min_support=1, memory=memory)


def test_more_different_rows_than_memory_allows_are_refused(tmp_path):
    path = tmp_path / "rows.dat"
    path.write_text("".join(f"{number % 7} {number % 11 + 20} {number % 13 + 40}\n" for number in range(1001)))
    assert scan(path, min_support=1, memory=100_000).weights.size == 1001
    with pytest.raises(BudgetError, match="there are 1,001 different rows of frequent items or more, which do not fit"):
        scan(path, min_support=1, memory=50_000)


def test_more_different_items_than_memory_allows_are_refused(tmp_path):
    path = tmp_path / "rows.dat"
    path.write_text("".join(f"{number}\n" for number in range(1000)))
    with pytest.raises(BudgetError, match="there are 1,000 different items or more, which do not fit"):
        scan(path, min_support=2, memory=50_000)
    assert dict(scan(path, min_support=2, memory=200_000)) == {frozenset(): 1000}


@pytest.mark.parametrize("after", [b"1 2\n1 2\n1\n", b"1 2\n2 3\n", b"1 2\n1 3\n", b"1 2\n1 2\n\n1\n"])
def test_a_file_that_changes_between_two_passes_is_refused(tmp_path, monkeypatch, after):
    path, total = tmp_path / "rows.dat", SCAN.ItemCounter.total
    path.write_bytes(b"1 2\n1 2\n")
    monkeypatch.setattr(SCAN.ItemCounter, "total", lambda counts: path.write_bytes(after) and total(counts))
    with pytest.raises(InputError, match="the rows have changed between two passes over them; scan them again"):
        scan(path, min_support=1, empty_rows=True)


def test_of_several_minimum_supports_the_lowest_counts(tmp_path):
    path = tmp_path / "rows.dat"
    path.write_bytes(b"1 2\n" * 6 + b"2\n" * 4)
    assert scan(path, min_support=["90%", 7, 0.8]).min_support == 7
    with pytest.raises(ThresholdError, match="there is no minimum support"):
        scan(path, min_support=[])


def test_progress_goes_from_nothing_to_all_over_both_passes(tmp_path, monkeypatch):
    monkeypatch.setattr("discreet.io.compression.CHUNK", 10)
    path, told = tmp_path / "rows.dat", []
    path.write_bytes(b"1 2 3\n" * 20)
    scan(path, min_support=1, progress=lambda share, rows: told.append((share, rows)))
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.2
    assert told[-1] == (1.0, 20)


def test_many_items_take_four_bytes_each(tmp_path):
    path = tmp_path / "rows.dat"
    many = (1 << 16) + 1
    path.write_text("".join(f"{number} {number + 1}\n" for number in range(many)))
    merged = scan(path, min_support=1)
    assert (len(merged.labels), merged.items.size, merged.n) == (many + 1, 2 * many, many)
    assert merged == Merged.of(read(path), 1)


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A file of somewhat more than a mebibyte, few rows of which are different in frequent items."""
    path = tmp_path_factory.mktemp("large") / "rows.dat"
    random = Random(3)  # noqa: S311 - no secret
    rows = (sorted({*random.sample(range(10), 4), *[100 + at % 9973] * (at % 5 > 0)}) for at in range(120_000))
    path.write_text("".join(f"{' '.join(map(str, row))}\n" for row in rows))
    return path


COMMANDS = {
    "audit": ["--min-support", "5%", "-k", "10", "--json"],
    "detect": ["--min-support", "5%", "-k", "500", "--json"],
    "mine": ["--min-support", "5%", "--kind", "frequent", "--json"],
    "tradeoff": ["--min-support", "900,10%", "-k", "10,500", "--json"],
    "block": ["--format", "fimi", "--min-support", "5%", "-k", "500", "--method", "add", "--json"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_line_scans_what_is_larger_than_a_third_of_the_memory_and_writes_the_same(large, command):
    arguments = [command, str(large), *COMMANDS[command]]
    read_whole = CliRunner().invoke(main, [*arguments, "--memory", "3GB"])
    scanned = CliRunner().invoke(main, [*arguments, "--memory", "4MB"])
    assert scanned.stdout == read_whole.stdout != ""
    assert scanned.exit_code == read_whole.exit_code < 2
    said = "rows.dat may not fit in memory: it is scanned twice, and equal rows are merged\n"
    assert scanned.stderr.startswith(said)
    assert said not in read_whole.stderr


def test_who_asks_which_rows_are_exposed_has_all_of_them_read(large, tmp_path):
    arguments = ["audit", str(large), "--min-support", "5%", "-k", "500", "--memory", "4MB", "--quiet"]
    result = CliRunner().invoke(main, [*arguments, "--exposed", str(tmp_path / "exposed.csv")])
    assert "scanned twice" not in result.stderr
    assert (tmp_path / "exposed.DO-NOT-RELEASE.csv").exists()


def test_different_rows_that_do_not_fit_end_in_one_line(large):
    result = CliRunner().invoke(main, ["mine", str(large), "--min-support", "1", "--memory", "3MB", "--quiet"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert re.fullmatch(
        r"error: there are [\d,]+ different rows of frequent items or more, which do not fit in the 2.9 MiB that "
        r"--memory allows: raise --memory or --min-support\n",
        result.stderr,
    )


def test_a_file_larger_than_the_memory_allowed_is_audited_within_it(large, tmp_path):
    block, three = large.read_bytes(), tmp_path / "three.dat"
    three.write_bytes(b"1 2\n1 2\n3\n")
    with (tmp_path / "larger.dat").open("wb") as file:
        file.writelines([block] * (60_000_000 // len(block)))
    allowed = 'min_support="5%", memory=20_000_000'
    work = f"assert audit(scan(path, {allowed}), k=10, {allowed}).exposed.rows >= 0"
    assert peak(work, three, tmp_path / "larger.dat") < 21_000_000 < 60_000_000 / 2
