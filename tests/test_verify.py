"""The verifier: a release is accepted as it was made, and rejected after any tampering, with the fault named."""

import csv
import hashlib
import io
import json
import os
import re
import stat
import subprocess
import sys
import tempfile
import unicodedata
from collections import Counter
from contextlib import suppress
from copy import deepcopy
from functools import cache
from itertools import combinations, product
from pathlib import Path
from random import Random
from time import process_time

import oracle
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from strategies import detected_databases, small_databases

from discreet import BudgetError, InputError, block, kernels, verify, write_release
from discreet.blocking import folder as folder_module
from discreet.blocking import verify_cells as cells
from discreet.cli import main

FORMATS = {"json": "json", "csv": "csv", "spmf": "txt", "borgelt": "out", "parquet": "parquet"}
"""How the files of each format end."""

ROWS = ["abc"] * 8 + ["ab"] * 6 + ["b"] * 5 + ["cd"] * 7 + [""] * 9
"""Closed with support 7 or more: ∅, ab, b, c, abc, cd; the cells of abc are 8, 6, 5, 7 and 9, those of cd 7, 8, 20."""


# A release from plain values: the certificate and release.json as dictionaries, and pairs of itemset and support.


def as_csv(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def as_parquet(pairs, told):
    file = io.BytesIO()
    schema = {"items": pl.List(pl.String), "support": pl.Int64}
    pl.DataFrame(pairs, schema=schema, orient="row").write_parquet(file, metadata={"discreet": json.dumps(told)})
    return file.getvalue()


def listing(pairs, told, form):
    """The bytes of a file of patterns."""
    names = sorted({label for items, _ in pairs for label in items})
    head = ["@CONVERTED_FROM_TEXT", *(f"@ITEM={at}={name}" for at, name in enumerate(names, 1))] * bool(names)
    spmf = [[*(str(1 + names.index(label)) for label in items), "#SUP:", str(support)] for items, support in pairs]
    match form:
        case "json":
            return json.dumps(
                {**told, "patterns": [dict(zip(("items", "support"), pair, strict=True)) for pair in pairs]}
            )
        case "csv":
            return as_csv([["itemset", "support"], *([";".join(items), support] for items, support in pairs)])
        case "spmf":
            said = [f"@{word.upper()}={value}" for word, value in told.items()]
            return "".join(f"{line}\n" for line in [*head, *said, *map(" ".join, spmf)])
        case "borgelt":
            return "".join(" ".join([*items, f"({support})"]) + "\n" for items, support in pairs)
        case "parquet":
            return as_parquet(pairs, told)


class Draft:
    """A release that is not written yet, made from rows by the oracle; what it holds may be tampered with."""

    def __init__(self, rows, sigma, k, *, method="suppress", form="json", length=None):
        rows = [frozenset(map(str, row)) for row in rows]
        self.form, kind = form, "frequent" if method == "withhold" or length is not None else "closed"
        family = oracle.safe_core(rows, sigma, k) if method == "withhold" else oracle.KINDS[kind](rows, sigma, length)
        tops = sorted((one for one in family if not any(one < other for other in family)), key=sorted)
        cells = oracle.rare_cells(tops, rows, len(rows) + 1)
        self.pairs = sorted(
            ((sorted(one), support) for one, support in family.items()), key=lambda pair: (len(pair[0]), pair[0])
        )
        claims = {"method": method, "k": k, "min_support": sigma, "n": len(rows), "kind": kind}
        claims |= {"max_length": length, "schema": [], "listed": len(family), "is_whole": method != "withhold"}
        claims |= {"rounded_to": None, "hierarchy": []}
        self.told = {word: claims[word] for word in ("n", "min_support", "kind")}
        self.told |= {"max_length": length} if length is not None else {}
        self.certificate = {"certificate": 1, **claims, "smallest_cell": min(cells.values(), default=None), "tops": []}
        for top in tops:
            counts = [count for (_, other), count in cells.items() if other == top]
            facts = {"support": family[top], "cells": len(counts), "smallest": min(counts)}
            self.certificate["tops"].append({"items": sorted(top), **facts})
        policy = {"name": "k", "k": k, "zeros": "ignore", "round_to": None, "max_itemsets": None}
        self.release = {"release": 1, "discreet": "0.1.0", **claims, "frequent": frequent(family, kind)}
        self.release |= {"against": "plain", "generalized": [], "beside": [], "grown": False}
        self.release |= {"policy": {**policy, "source": "", "about": ""}}

    def seal(self, folder, *, name=None, **raw):
        """Write all files, with digests that fit; ``raw`` are bytes in place of a file, by its stem."""
        folder.mkdir(parents=True, exist_ok=True)
        name = name or f"patterns.{FORMATS[self.form]}"
        files = {name: raw.get("patterns", listing(self.pairs, self.told, self.form))}
        digest = hashlib.sha256(as_bytes(files[name])).hexdigest()
        certificate = {"patterns": {"file": name, "sha256": digest}, **self.certificate}
        files |= {"certificate.json": raw.get("certificate", json.dumps(certificate)), "report.txt": "safe\n"}
        digests = {file: hashlib.sha256(as_bytes(text)).hexdigest() for file, text in files.items()}
        files["release.json"] = raw.get("release", json.dumps({**self.release, "files": digests} | raw.get("more", {})))
        for file, text in files.items():
            (folder / file).write_bytes(as_bytes(text))
        return folder

    def claim(self, **words):
        """Change a claim wherever it stands."""
        for told in (self.release, self.certificate, self.told):
            told |= {word: value for word, value in words.items() if word in told}


def frequent(family, kind="closed"):
    """How many itemsets a list stands for."""
    return len(family if kind == "frequent" else {one for top in family for one in oracle.subsets(top)})


def as_bytes(text):
    return text if isinstance(text, bytes) else text.encode()


def draft(**options):
    return Draft(ROWS, 7, 5, **options)


@pytest.fixture
def folder(tmp_path):
    return draft().seal(tmp_path / "release")


def assert_fault(folder, words):
    found = verify(folder)
    assert not found.is_good
    assert any(words in fault for fault in found.faults), found.faults


@pytest.mark.parametrize(("method", "form"), list(product(["suppress", "withhold"], FORMATS)))
def test_a_release_as_it_was_made_is_good(tmp_path, method, form):
    found = verify(draft(method=method, form=form).seal(tmp_path))
    assert found.faults == ()
    assert (found.k, found.n, found.min_support, found.tops, found.smallest) == (5, 35, 7, 2, 5)
    assert found.itemsets == (6 if method == "suppress" else 10)


@pytest.mark.parametrize("form", FORMATS)
@given(question=detected_databases())
@example(question=(["a"] * 3 + ["b"] * 3 + [""] * 2, 1, 3))  # two rows hold nothing, which only what is missing tells
@settings(max_examples=40)
def test_a_release_is_good_exactly_if_no_cell_is_below_k(form, question):
    rows, sigma, k = question
    rows = [[str(label).replace(" ", "") for label in row] for row in rows]
    made = Draft(rows, sigma, k, form=form)
    assume(made.pairs)  # or there is no release
    expected = not oracle.rare_cells(map(frozenset, (top["items"] for top in made.certificate["tops"])), rows, k)
    # Where nothing is too rare to be listed, what is missing is held by nobody, and the list tells of whole rows.
    expected = expected and (sigma > 1 or min(Counter(map(frozenset, rows)).values(), default=k) >= k)
    with tempfile.TemporaryDirectory() as place:
        found = verify(made.seal(Path(place)))
    assert found.is_good == expected
    assert expected or any("fewer than k" in fault for fault in found.faults)


@pytest.mark.parametrize("form", FORMATS)
@given(question=detected_databases(), length=st.integers(0, 3))
@settings(max_examples=30)
def test_a_list_that_was_cut_is_good_exactly_if_no_cell_is_below_k(form, question, length):
    rows, sigma, k = question
    rows = [[str(label).replace(" ", "") for label in row] for row in rows]
    made = Draft(rows, sigma, k, form=form, length=length)
    assume(made.pairs)
    tops = [frozenset(top["items"]) for top in made.certificate["tops"]]
    with tempfile.TemporaryDirectory() as place:
        found = verify(made.seal(Path(place)))
    assert found.is_good == (sigma > 1 and not oracle.rare_cells(tops, rows, k))


@given(question=detected_databases())
@settings(max_examples=40)
@example(([[]] * 3, 2, 5))
def test_a_safe_core_is_good(question):
    made = Draft(*question, method="withhold")
    with tempfile.TemporaryDirectory() as place:
        assert verify(made.seal(Path(place))).is_good == bool(made.pairs)


@pytest.mark.parametrize(("method", "form"), list(product(["suppress", "add", "withhold"], FORMATS)))
@given(question=detected_databases())
@settings(max_examples=15)
def test_what_we_write_is_good(method, form, question):
    rows, sigma, k = question
    release = block([list(map(str, row)) for row in rows], min_support=sigma, k=k, method=method)
    assume(len(release.patterns))
    labels = {label for itemset, _ in release.patterns for label in itemset}
    form = form if all(label.isalpha() for label in labels) else "json"
    with tempfile.TemporaryDirectory() as place:
        write_release(release, f"{place}/release", format=form)
        assert verify(f"{place}/release").faults == ()


@pytest.mark.parametrize("method", ["suppress", "add", "withhold", "optimal", "best"])
def test_a_release_of_any_method_is_good(tmp_path, method):
    rows = [list(row) for row in ["abc"] * 9 + ["ab"] * 2 + ["a"] * 5 + ["c"] * 3 + [""] * 6]
    write_release(block(rows, min_support=5, k=5, method=method), tmp_path / "release")
    assert verify(tmp_path / "release").faults == ()


ODD_LABELS = ["tea; black", 'the "best"', "a,b", "=1+1", "ß\u2028ß", "@ITEM=1=x", "#SUP: 3", "(4)"]


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "borgelt"])
def test_odd_labels_are_read_as_they_were_written(tmp_path, form):
    rows = [ODD_LABELS[:at] for at in range(len(ODD_LABELS) + 1) for _ in range(6)]
    write_release(block(rows, min_support=5, k=5, method="suppress"), tmp_path / "release", format=form)
    assert verify(tmp_path / "release").faults == ()


@pytest.mark.parametrize("form", FORMATS)
def test_whole_numbers_are_labels_too(tmp_path, form):
    release = block([[10, 9]] * 9 + [[9]] * 9, min_support=5, k=5, method="suppress")
    write_release(release, tmp_path / "release", format=form)
    assert verify(tmp_path / "release").faults == ()


def test_an_itemset_may_have_more_items_than_a_word_has_bits(tmp_path):
    rows = [[f"item {at}" for at in range(200) if at != lacking] for lacking in range(9) for _ in range(6)]
    write_release(block(rows, min_support=6, k=5, method="suppress"), tmp_path / "release")
    assert verify(tmp_path / "release").faults == ()


# Tampering that leaves the digests as they were


@pytest.mark.parametrize("name", ["patterns.json", "certificate.json", "report.txt"])
@given(data=st.data())
@settings(max_examples=20)
def test_any_other_byte_is_found(name, data):
    with tempfile.TemporaryDirectory() as place:
        path = draft().seal(Path(place)) / name
        text = bytearray(path.read_bytes())
        at = data.draw(st.integers(0, len(text) - 1))
        text[at] ^= data.draw(st.integers(1, 255))
        path.write_bytes(text)
        assert_fault(place, f"'{name}' is changed")


@pytest.mark.parametrize("name", ["patterns.json", "certificate.json", "report.txt"])
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    assert_fault(folder, f"'{name}' is missing")


@pytest.mark.parametrize("name", ["junk.txt", "patterns.csv", ".hidden", "a\x1b[31m"])
def test_a_file_that_is_not_listed_is_named(folder, name):
    (folder / name).write_text("junk")
    assert_fault(folder, f"{name!r} is not listed")


def test_a_folder_within_is_named(folder):
    (folder / "more").mkdir()
    assert_fault(folder, "'more' is not listed")


def test_what_must_not_be_released_is_a_note_and_no_fault(folder):
    (folder / "DO-NOT-RELEASE").mkdir()
    found = verify(folder)
    assert found.is_good
    assert found.notes == ("DO-NOT-RELEASE is in the folder: remove it before publishing",)


def test_a_changed_digest_is_found(folder):
    path = folder / "release.json"
    told = json.loads(path.read_text())
    told["files"]["report.txt"] = "0" * 64
    path.write_text(json.dumps(told))
    assert_fault(folder, "'report.txt' is changed")


@pytest.mark.parametrize("name", ["../secret.txt", "/etc/passwd", "sub/patterns.json", ""])
def test_nothing_out_of_the_folder_is_read(tmp_path, name):
    (tmp_path / "secret.txt").write_text("secret")
    digest = hashlib.sha256(b"secret").hexdigest()
    made = draft()
    folder = made.seal(tmp_path / "release")
    files = json.loads((folder / "release.json").read_text())["files"]
    made.seal(folder, more={"files": {**files, name: digest}})
    assert_fault(folder, f"{name!r} is listed in release.json, but no part of a release")


@pytest.mark.parametrize("name", ["patterns.json", "certificate.json", "report.txt"])
def test_a_link_is_not_followed(folder, tmp_path, name):
    (folder / name).rename(tmp_path / "elsewhere")
    (folder / name).symlink_to(tmp_path / "elsewhere")
    assert_fault(folder, f"'{name}' is no plain file")


def test_a_pipe_is_not_waited_for(folder):
    (folder / "report.txt").unlink()
    os.mkfifo(folder / "report.txt")
    assert_fault(folder, "'report.txt' is no plain file")


def test_a_file_that_is_too_large_is_not_read(folder):
    with (folder / "patterns.json").open("r+b") as file:
        file.truncate((1 << 27) + 1)
    assert_fault(folder, "'patterns.json' is no plain file, or too large")


# Tampering by somebody who makes all digests new


BY_ONE = [("", 1), ("", -1), ("abc", 1), ("abc", -1), ("cd", 1), ("cd", -1), ("ab", 1), ("b", 1), ("b", -1)]


@pytest.mark.parametrize(("items", "more"), BY_ONE)
def test_a_support_changed_by_one_is_found(tmp_path, items, more):
    made = draft()
    made.pairs = [(one, support + more * (one == list(items))) for one, support in made.pairs]
    assert not verify(made.seal(tmp_path)).is_good


def test_other_supports_that_fit_together_are_another_release_with_another_digest(folder, tmp_path):
    made = draft()
    made.pairs = [(one, support - (one == ["c"])) for one, support in made.pairs]
    found = verify(made.seal(tmp_path / "other"))
    assert found.is_good
    assert found.digest != verify(folder).digest


def test_a_support_is_found_that_opens_a_channel_whatever_the_certificate_says(tmp_path):
    made = draft()
    made.pairs = [(items, support + (items == ["a", "b"])) for items, support in made.pairs]
    made.certificate["smallest_cell"] = made.certificate["tops"][0]["smallest"] = 4
    assert_fault(made.seal(tmp_path), "4 rows hold ['b'] and nothing else of ['a', 'b', 'c']: fewer than k")


@pytest.mark.parametrize("at", range(6))
def test_a_removed_itemset_is_found(tmp_path, at):
    made = draft()
    del made.pairs[at]
    assert not verify(made.seal(tmp_path)).is_good


@pytest.mark.parametrize("at", range(10))
def test_a_subset_must_be_listed_where_all_are(tmp_path, at):
    made = draft(method="withhold")
    items, _ = made.pairs.pop(at)
    made.claim(listed=9)
    assert_fault(made.seal(tmp_path), "wrong about" if items in (["a", "b", "c"], ["c", "d"]) else "is missing")


def test_what_two_listed_itemsets_share_must_be_listed(tmp_path):
    made = draft()
    made.pairs = [(items, support) for items, support in made.pairs if items != ["c"]]
    made.claim(listed=5)
    assert_fault(made.seal(tmp_path), "an itemset within ['c', 'd'] is missing")


def test_it_must_be_listed_even_if_no_row_has_just_that(tmp_path):
    made = Draft(["abc", "ab", "ac", ""] * 5, 5, 5)
    made.pairs.remove((["a"], 15))
    made.claim(listed=4)
    assert_fault(made.seal(tmp_path), "an itemset within ['a', 'b', 'c'] is missing")


def cells_of(family, kind="closed"):
    """The cells of each maximal itemset, if a list can be right: there are rows that have just these."""
    tops = [one for one in family if not any(one < other for other in family)]
    found = {}
    for top in tops:
        supports = {one: max(n for other, n in family.items() if one <= other) for one in oracle.subsets(top)}
        cells = {one: oracle.cell_by_supports(one, top, supports) for one in supports}
        rows = [one for one, count in cells.items() if count]
        closed = {one: support for one, support in family.items() if one <= top}
        whole = oracle.closed(rows, 1) if kind == "closed" else supports
        listed = {one: sum(cells[row] for row in rows if one <= row) for one in whole}
        if min(cells.values()) < 0 or listed != closed:
            return None
        found[top] = [count for count in cells.values() if count]
    return found if all(one & top in family for one in family for top in tops) else None


def are_rows(family):
    """Whether there are rows of which this is the whole list, without a minimum support."""
    items = frozenset().union(*family)
    held = {one: max((n for other, n in family.items() if one <= other), default=0) for one in oracle.subsets(items)}
    return all(oracle.cell_by_supports(one, items, held) >= 0 for one in held)


@given(rows=small_databases(max_items=5), data=st.data())
@settings(max_examples=200)
def test_a_list_is_good_exactly_if_there_are_rows_under_each_top_that_have_it(rows, data):
    made = Draft(rows, 1, 1)
    family = {frozenset(items): support for items, support in made.pairs}
    chosen = data.draw(st.sampled_from([*family, *oracle.subsets("01234")]))
    support = data.draw(st.integers(0, len(rows)))
    family = {one: held for one, held in {**family, chosen: support}.items() if held}
    cells = cells_of(family)
    expected = cells is not None and max(family.values(), default=-1) == len(rows) and are_rows(family)
    made.pairs = [(sorted(one), held) for one, held in family.items()]
    made.claim(listed=len(family), frequent=frequent(family))
    tops = [{"items": sorted(top), "support": family[top]} for top in cells or ()]
    made.certificate["tops"] = [
        {**top, "cells": len(cells[frozenset(top["items"])]), "smallest": min(cells[frozenset(top["items"])])}
        for top in tops
    ]
    made.certificate["smallest_cell"] = min((top["smallest"] for top in made.certificate["tops"]), default=None)
    with tempfile.TemporaryDirectory() as place:
        assert verify(made.seal(Path(place))).is_good == expected


@pytest.mark.parametrize("support", [7, 8, 9, 35])
def test_an_added_itemset_is_found(tmp_path, support):
    made = draft()
    made.pairs.append((["a"], support))
    made.claim(listed=7)
    assert not verify(made.seal(tmp_path)).is_good


def test_an_itemset_that_is_not_closed_is_found(tmp_path):
    made = draft()
    made.pairs.append((["a"], 14))
    made.claim(listed=7)
    assert_fault(made.seal(tmp_path), "an itemset within")


def test_a_superset_cannot_have_more_support(tmp_path):
    made = draft()
    made.pairs = [(items, 20 if items == ["a", "b"] else support) for items, support in made.pairs]
    assert_fault(made.seal(tmp_path), "an itemset within")


def test_without_a_minimum_support_the_list_tells_of_whole_rows(tmp_path):
    rows = ["a"] * 13 + ["b"] * 15 + [""]
    assert_fault(Draft(rows, 1, 10).seal(tmp_path / "one"), "1 rows hold [] and nothing else, as min_support is 1")
    assert verify(Draft(rows, 2, 10).seal(tmp_path / "two")).is_good


def test_the_three_pairs_of_a_cycle_need_no_rows_in_common(tmp_path):
    rows = ["ab", "ab", "bc", "bc", "ac", "ac", "", ""]
    assert verify(Draft(rows, 2, 2).seal(tmp_path)).faults == ()


WORDS = [
    ("method", "add"),
    ("k", 6),
    ("k", 4),
    ("min_support", 6),
    ("n", 36),
    ("kind", "frequent"),
    ("listed", 7),
    ("is_whole", False),
    ("max_length", 3),
]


@pytest.mark.parametrize(("word", "value"), WORDS)
@pytest.mark.parametrize("place", ["release", "certificate"])
def test_a_claim_changed_in_one_file_is_found(tmp_path, place, word, value):
    made = draft()
    getattr(made, place)[word] = value
    assert_fault(made.seal(tmp_path), f"do not agree on {word}")


@pytest.mark.parametrize("form", ["json", "spmf", "parquet"])
@pytest.mark.parametrize(("word", "value"), [("n", 36), ("min_support", 6), ("kind", "frequent"), ("max_length", 3)])
def test_a_claim_changed_in_the_patterns_is_found(tmp_path, form, word, value):
    made = draft(form=form)
    made.told[word] = value
    assert_fault(made.seal(tmp_path), f"do not agree on {word}")


EVERYWHERE = [
    ({"k": 6}, "5 rows hold ['b'] and nothing else"),
    ({"k": 4}, "kind and policy in release.json do not match is_whole, max_length, k and rounded_to"),
    ({"rounded_to": 5}, "the support of ['a', 'b'] is no multiple of 5"),
    ({"rounded_to": 0}, "release.json is missing or malformed"),
    ({"max_length": 3}, "do not match is_whole"),
    ({"max_length": 2}, "an itemset of 3 items is listed, but max_length in release.json is 2"),
    ({"max_length": -1}, "release.json is missing or malformed"),
    ({"max_length": "3"}, "'max_length' has the wrong type"),
    ({"n": 36}, "no itemset is held by all n = 36 rows"),
    ({"n": 34}, "[] has support 35, which is not between min_support and n"),
    ({"min_support": 8}, "['c', 'd'] has support 7, which is not between min_support and n"),
    ({"kind": "frequent"}, "do not match is_whole"),
    ({"kind": "maximal"}, "do not match is_whole"),
    ({"kind": "frequent", "method": "withhold", "is_whole": False}, "an itemset within ['a', 'b', 'c'] is missing"),
    ({"method": "withhold"}, "the method in release.json is unknown, or does not match is_whole"),
    ({"is_whole": False}, "do not match is_whole"),
    ({"listed": 7}, "do not agree on listed"),
]


@pytest.mark.parametrize(("words", "fault"), EVERYWHERE, ids=str)
def test_a_claim_changed_everywhere_is_found(tmp_path, words, fault):
    made = draft()
    made.claim(**words)
    assert_fault(made.seal(tmp_path), fault)


@pytest.mark.parametrize("method", ["suppress", "withhold"])
def test_an_empty_list_is_no_release_since_n_alone_may_be_less_than_k(tmp_path, method):
    made = Draft([[]] * 3, 10, 10, method=method)
    assert made.pairs == []
    assert_fault(made.seal(tmp_path), "nothing is listed")


@pytest.mark.parametrize("word", ["support", "cells", "smallest"])
def test_a_number_of_a_top_is_counted_again(tmp_path, word):
    made = draft()
    made.certificate["tops"][1][word] += 1
    assert_fault(made.seal(tmp_path), "certificate.json is wrong about ['c', 'd']")


def test_a_top_must_stand_in_the_certificate_once(tmp_path):
    for number in (0, 2):
        made = draft()
        made.certificate["tops"][1:] = made.certificate["tops"][1:] * number
        assert_fault(made.seal(tmp_path / str(number)), "certificate.json is wrong about ['c', 'd']")


def test_the_smallest_cell_is_counted_again(tmp_path):
    made = draft()
    made.certificate["smallest_cell"] = 6
    assert_fault(made.seal(tmp_path), "do not agree on smallest_cell")


def test_the_certificate_must_be_about_the_file_of_patterns(tmp_path):
    made = draft()
    made.certificate["patterns"] = {"file": "patterns.json", "sha256": "0" * 64}
    assert_fault(made.seal(tmp_path), "do not agree on patterns")


@pytest.mark.parametrize("form", FORMATS)
def test_an_itemset_listed_twice_is_named(tmp_path, form):
    made = draft(form=form)
    made.pairs.append((["b", "a"], 14))
    assert_fault(made.seal(tmp_path), "['b', 'a'] is listed twice")


def test_an_item_that_stands_in_an_itemset_twice_is_found(tmp_path):
    made = draft()
    made.pairs = [(items * 2, support) for items, support in made.pairs]
    assert_fault(made.seal(tmp_path), "['b', 'b'] is listed twice, or holds an item twice")


def test_there_is_one_file_of_patterns(tmp_path):
    made = draft()
    folder = made.seal(tmp_path)
    made.form = "csv"
    files = json.loads((folder / "release.json").read_text())["files"]
    made.seal(folder)
    files |= json.loads((folder / "release.json").read_text())["files"]
    (folder / "release.json").write_text(json.dumps({**made.release, "files": files}))
    assert_fault(folder, "patterns.csv and patterns.json is missing or malformed")


# Hostile input: a fault, and never a traceback


JUNK = [
    b"",
    b"junk",
    b"\0\xff\xfe",
    b"null",
    b"[]",
    b"{}",
    b"[" * 100_000,
    b'{"k": ' * 100_000,
    b'{"release": 1, "release": 1}',
    b'{"n": NaN}',
    b'{"n": 1' + b"0" * 5000 + b"}",
    b'{"patterns": {}, "patterns": []}',
    b'{"patterns": [{"items": [["a"]], "support": 8}]}',
    b'{"patterns": [{"items": ["a"], "support": true}]}',
    b'{"patterns": [{"items": ["a"], "support": 8, "who": "Ann"}]}',
    b'{"patterns": [{"items": "ab", "support": 8}]}',
    b"itemset,support\na,1e9\n",
    b"itemset,support\na,1_9\n",
    b'itemset,support\n"a,8\n',
    b"itemset,support\na,8,Ann\n",
    b"#SUP: 35\n% Ann has b\n",
    b"@ITEM=1=a\n@ITEM=2=a\n1 #SUP: 8\n",
    b"@ITEM=1=a\n@ITEM=1=b\n1 #SUP: 8\n",
    b"@ITEM=1=a\n2 #SUP: 8\n",
    b"a b (8%)\n",
    b"PAR1" + b"\xff" * 64 + b"PAR1",
    as_parquet([(["a"], 8)], [])[:-9],
]


@pytest.mark.parametrize("junk", JUNK, ids=lambda junk: repr(junk[:24]))
def test_junk_is_a_fault_in_any_file(tmp_path, junk):
    for form, ending in FORMATS.items():
        found = verify(draft(form=form).seal(tmp_path / form, patterns=junk))
        assert re.search(rf"patterns\.{ending}\b.* malformed", str(found))
    assert_fault(draft().seal(tmp_path / "certificate", certificate=junk), "malformed")
    assert_fault(draft().seal(tmp_path / "release", release=junk), "malformed")


def test_a_panic_of_the_reader_is_a_fault_and_not_seen(tmp_path, monkeypatch, capfd):
    def panic(_):
        os.write(2, b"thread '<unnamed>' panicked at crates/polars")
        raise pl.exceptions.PanicException

    folder = draft(form="parquet").seal(tmp_path)
    monkeypatch.setattr(pl, "read_parquet", panic)
    assert_fault(folder, "patterns.parquet is missing or malformed")
    assert capfd.readouterr().err == ""


values = st.sampled_from([None, True, -1, 0, 1.5, 10**40, "", "a", [], {}, [{}], {"k": []}, float("nan"), "\ud800"])


def places(told):
    """Where something stands in JSON: the keys that lead to it."""
    pairs = told.items() if isinstance(told, dict) else enumerate(told) if isinstance(told, list) else ()
    return [path for key, value in pairs for path in [(key,), *((key, *rest) for rest in places(value))]]


@given(data=st.data())
@settings(max_examples=200)
def test_any_value_anywhere_ends_in_a_verdict(data):
    made = draft()
    whole = {"release": made.release, "certificate": made.certificate, "pairs": [list(pair) for pair in made.pairs]}
    *path, last = data.draw(st.sampled_from([place for place in places(whole) if len(place) > 1]))
    within = whole
    for key in path:
        within = within[key]
    within[last] = data.draw(values)
    made.pairs = []
    pairs = [pair if isinstance(pair, list) and len(pair) == 2 else [pair, None] for pair in whole["pairs"]]
    text = json.dumps({**made.told, "patterns": [{"items": items, "support": support} for items, support in pairs]})
    with tempfile.TemporaryDirectory() as place:
        found = verify(made.seal(Path(place), patterns=text))
    assert str(found).encode()
    assert found.is_good is not any(found.faults)


def test_no_release_is_refused(tmp_path):
    for place in (tmp_path, tmp_path / "nowhere", tmp_path / "nul\0", Path(__file__)):
        with pytest.raises(InputError, match=r"has no release\.json that can be read; give a release folder"):
            verify(place)


def test_a_link_for_release_json_is_refused(folder, tmp_path):
    (folder / "release.json").rename(tmp_path / "elsewhere")
    (folder / "release.json").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match=r"has no release\.json"):
        verify(folder)


# The law: whatever is done to a release, with all digests made new, it is refused, or is a release again


TAMPERINGS = 5000 if os.environ.get("DISCREET_LARGE") else 500
BASES = [
    (ROWS, 7, 5, "suppress"),
    (ROWS, 7, 5, "withhold"),
    (["ab", "ab", "bc", "bc", "ac", "ac", "", ""], 2, 2, "add"),
    (["a", "b", ""] * 3, 1, 3, "optimal"),
]
ALIKE = [
    ("a", "b\u200b"),
    ("a", "\uff42"),
    ("c", "b\u2060"),
    ("a", "\u00adb"),
    ("b", "a\ufe0f\u200d"),
    ("c", "\ufb01 "),
    ("a", "z"),
]
ODD_NAMES = [
    "original.csv",
    ".hidden",
    "Report.txt",
    "patterns.JSON",
    "patterns.csv",
    "report.txt~",
    "a/b",
    "..",
    "",
    "x\n",
]
ODD_DIGESTS = [None, "", 0, True, [], {}, "0" * 64, "f" * 63, "g" * 64]
TWINS = [float, str, bool, lambda number: [number], lambda number: -number, lambda number: number + 1]


@cache
def drafts():
    return [Draft(rows, sigma, k, method=method) for rows, sigma, k, method in BASES]


class Tampering:
    """A release, and what is changed in it by chance: in what it says, then in how its files stand in the folder."""

    def __init__(self, rng, folder):
        self.rng, self.folder = rng, folder
        self.made = deepcopy(rng.choice(drafts()))
        self.made.form = rng.choice([*FORMATS, "json"])
        self.raw, self.listed = {}, {}

    def inside(self):
        """A place in what the files say: the object or list, and the key."""
        told = {"release": self.made.release, "certificate": self.made.certificate, "told": self.made.told}
        *path, last = self.rng.choice([place for place in places(told) if len(place) > 1])
        for key in path:
            told = told[key]
        return told, last

    def change_a_value(self):
        within, key = self.inside()
        within[key] = self.rng.choice([None, True, -1, 0, 1.5, "", "a", [], {}, [{}], 10**40])

    def change_a_number(self):
        within, key = self.inside()
        if type(within[key]) is int:
            within[key] = self.rng.choice(TWINS)(within[key])

    def add_a_key(self):
        within, _ = self.inside()
        if isinstance(within, dict):
            within[self.rng.choice(["who", "distortion", "K", "n ", "", "Files"])] = self.rng.choice([None, 1, "Ann"])

    def remove_a_key(self):
        within, key = self.inside()
        del within[key]

    def say_something_twice(self):
        text = json.dumps({**self.made.release, "files": {}}) if self.rng.random() < 0.5 else json.dumps(self.made.told)
        self.raw[self.rng.choice(["certificate", "release", "patterns"])] = text.replace('"n":', '"n": 1, "n":', 1)

    def claim_another(self):
        words = [{"k": 1}, {"n": 36}, {"min_support": 1}, {"method": "best"}, {"is_whole": False}, {"kind": "closed"}]
        self.made.claim(**self.rng.choice([*words, {"method": "Ann has c"}, {"frequent": 9}, {"listed": 3}]))

    def name_another_policy(self):
        policy = self.made.release["policy"]
        policy |= self.rng.choice(
            [
                {"name": "acro"},
                {"name": "ACRO "},
                {"name": "acro\ufe0f"},
                {"zeros": "review"},
                {"about": "x"},
                {"k": 99},
            ]
        )
        policy |= self.rng.choice([{}, {"zeros": "maybe"}, {"round_to": 0}, {"name": "ours"}, {"name": ""}])

    def change_a_support(self):
        at = self.rng.randrange(len(self.made.pairs))
        items, support = self.made.pairs[at]
        self.made.pairs[at] = items, support + self.rng.choice([-2, -1, 1, 2, 10**15])

    def add_or_remove_an_itemset(self):
        if self.rng.random() < 0.5:
            self.made.pairs.pop(self.rng.randrange(len(self.made.pairs)))
        else:
            self.made.pairs.append((self.rng.sample("abcd", self.rng.randrange(4)), self.rng.randrange(1, 36)))

    def rename_an_item(self):
        old, new = self.rng.choice(ALIKE)
        for items in [
            *(items for items, _ in self.made.pairs),
            *(top["items"] for top in self.made.certificate["tops"]),
        ]:
            items[:] = sorted(new if item == old else item for item in items)

    def certify_again(self):
        """Make the certificate fit the list, as somebody would who wants it to pass."""
        family = {frozenset(items): support for items, support in self.made.pairs}
        kind = self.made.release.get("kind")
        cells = cells_of(family, kind) if all(map(self.is_count, family.values())) else None
        self.made.claim(listed=len(family), frequent=frequent(family, kind), n=max(family.values(), default=0))
        if cells is not None:
            tops = [
                {"items": sorted(top), "support": family[top], "cells": len(rows), "smallest": min(rows)}
                for top, rows in cells.items()
            ]
            smallest = min((min(rows) for rows in cells.values()), default=None)
            self.made.certificate |= {"tops": tops, "smallest_cell": smallest}

    @staticmethod
    def is_count(support):
        return type(support) is int and support < 10**6

    def add_a_file(self):
        name = self.rng.choice(ODD_NAMES)
        if name not in {"a/b", "..", ""}:
            self.stand(self.folder / name)
        if self.rng.random() < 0.8:
            self.listed[name] = self.rng.choice([*ODD_DIGESTS, hashlib.sha256(b"").hexdigest()])

    def stand(self, path):
        """Put a file, a folder, a pipe or a link in a place, which may be taken."""
        data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        path.unlink(missing_ok=True) if not path.is_dir() or path.is_symlink() else path.rmdir()
        match self.rng.randrange(5):
            case 0:
                path.mkdir()
            case 1:
                os.mkfifo(path)
            case 2:
                path.symlink_to("nowhere")
            case 3:
                (self.folder.parent / "elsewhere").write_bytes(data)
                path.symlink_to(self.folder.parent / "elsewhere")
            case 4:
                path.write_bytes(self.rng.choice([data, b"", b"{}"]))

    def replace_a_file(self):
        name = self.rng.choice(sorted(self.digests()))
        self.stand(self.folder / name)
        if self.rng.random() < 0.3:
            self.listed[name] = self.rng.choice(ODD_DIGESTS)

    def remove_a_file(self):
        name = self.rng.choice(sorted(self.digests()))
        (self.folder / name).unlink()
        if self.rng.random() < 0.5:
            self.listed[name] = self.rng.choice(ODD_DIGESTS)

    def list_oddly(self):
        name, digest = self.rng.choice(sorted(self.digests().items()))
        self.listed[name] = self.rng.choice([*ODD_DIGESTS, digest.upper(), f" {digest}", f"{digest}\n"])

    def swap_two_files(self):
        one, other = self.rng.sample(sorted(self.digests()), 2)
        data = [(self.folder / name).read_bytes() for name in (one, other)]
        for name, text in zip((other, one), data, strict=True):
            (self.folder / name).write_bytes(text)

    def rename_a_file(self):
        name = self.rng.choice(sorted(self.digests()))
        (self.folder / name).rename(
            self.folder / self.rng.choice([name.upper(), f"{name} ", f".{name}", "patterns.csv"])
        )

    def stand_apart(self):
        self.stand(self.folder / "DO-NOT-RELEASE")

    SAID = (
        *(change_a_value, change_a_number, add_a_key, remove_a_key, say_something_twice, claim_another),
        *(name_another_policy, change_a_support, add_or_remove_an_itemset, rename_an_item),
    )
    STANDING = (add_a_file, replace_a_file, remove_a_file, list_oddly, swap_two_files, rename_a_file, stand_apart)

    def digests(self):
        files = (path for path in self.folder.iterdir() if path.is_file() and not path.is_symlink())
        return {path.name: digest_of(path) for path in files if path.name != "release.json"}

    def done(self):
        """What was done, once it is done, and all digests are new."""
        steps = self.rng.sample(self.SAID, self.rng.choice([0, 0, 1, 1, 2]))
        for step in steps:
            with suppress(AttributeError, LookupError, TypeError, ValueError):  # one may spoil the place of another
                step(self)
        if steps and self.rng.random() < 0.7 and isinstance(self.made.certificate.get("tops"), list):
            self.certify_again()
        self.made.seal(self.folder, **self.raw)
        for step in self.rng.sample(self.STANDING, self.rng.choice([0, 1, 1, 2] if steps else [1, 2])):
            steps.append(step)
            with suppress(OSError, LookupError, ValueError):
                step(self)
        path = self.folder / "release.json"
        if "release" not in self.raw and path.is_file():
            path.write_text(json.dumps(self.made.release | {"files": {**self.digests(), **self.listed}}))
        return [step.__name__ for step in steps]


def digest_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def is_a_release(folder, made):
    """Whether the files are those that are listed, and what was to be written to them holds, by brute force."""
    entries = {path.name: path for path in folder.iterdir()}
    apart = entries.pop("DO-NOT-RELEASE", folder)
    files = json.loads(entries.pop("release.json").read_text())["files"]
    is_plain = all(stat.S_ISREG(path.lstat().st_mode) for path in entries.values())
    if not (is_plain and apart.is_dir() and not apart.is_symlink()):
        return False
    names = {"certificate.json", "report.txt", f"patterns.{FORMATS[made.form]}"}
    if files.keys() != names or files != {name: digest_of(path) for name, path in entries.items()}:
        return False
    honest = draft()
    told, family = made.release, {frozenset(items): support for items, support in made.pairs}
    is_shaped = all(getattr(made, word).keys() == getattr(honest, word).keys() for word in ("release", "certificate"))
    is_shaped = is_shaped and told["policy"].keys() == honest.release["policy"].keys()
    labels = {label for items in family for label in items}
    letters = {"".join(filter(str.isalpha, unicodedata.normalize("NFKD", label))) for label in labels}
    cells = cells_of(family, told["kind"])
    smallest = min((min(rows) for rows in cells.values()), default=told["k"]) if cells is not None else 0
    sizes = (told["listed"], told["frequent"], told["n"])
    return (
        is_shaped
        and len(letters) == len(labels)
        and smallest >= told["k"] == told["policy"]["k"]
        and min(family.values()) >= told["min_support"] >= 1
        and sizes == (len(made.pairs), frequent(family, told["kind"]), max(family.values()))
        and told["is_whole"] == (told["kind"] == "closed") == (told["method"] != "withhold")
        and (told["min_support"] > 1 or not told["is_whole"] or are_rows(family))
    )


def test_no_tampering_is_accepted_that_leaves_no_release(tmp_path):
    rng = Random(17)  # noqa: S311 - the same each time
    good = Counter()
    for number in range(TAMPERINGS):
        tampering = Tampering(rng, tmp_path / str(number) / "release")
        tampering.folder.parent.mkdir()
        done = tampering.done()
        try:
            is_good = verify(tampering.folder).is_good
        except InputError:
            is_good = False
        assert not is_good or is_a_release(tampering.folder, tampering.made), (number, done)
        good[is_good] += 1
    assert good[False] > 0.8 * TAMPERINGS
    assert good[True] > 0.01 * TAMPERINGS


# What is stated beside the list


@pytest.mark.parametrize("digest", [None, "", 0, "0" * 63, "A" * 64])
@pytest.mark.parametrize("name", ["original.csv", "report.txt", "patterns.csv"])
def test_a_file_that_is_listed_without_a_digest_is_refused(tmp_path, name, digest):
    folder = draft().seal(tmp_path / "release")
    files = json.loads((folder / "release.json").read_text())["files"]
    draft().seal(folder, more={"files": {**files, name: digest}})
    assert_fault(folder, repr(name))


@pytest.mark.parametrize("place", ["release", "certificate", "told"])
@pytest.mark.parametrize("form", ["json", "parquet"])
def test_an_unknown_key_is_named(tmp_path, place, form):
    made = draft(form=form)
    getattr(made, place)["who"] = "Ann"
    assert_fault(made.seal(tmp_path), "has the unknown key 'who'")


@pytest.mark.parametrize("place", ["policy", "top"])
def test_an_unknown_key_within_is_named(tmp_path, place):
    made = draft()
    {"policy": made.release["policy"], "top": made.certificate["tops"][0]}[place]["who"] = "Ann"
    assert_fault(made.seal(tmp_path), "has the unknown key 'who'")


def test_a_missing_key_is_named(tmp_path):
    made = draft()
    del made.release["against"]
    assert_fault(made.seal(tmp_path), "release.json is malformed: it has no key 'against'")


def test_how_many_itemsets_are_frequent_is_counted_again(tmp_path):
    made = draft()
    made.release["frequent"] += 1
    assert_fault(made.seal(tmp_path), "do not agree on frequent")


POLICIES = [
    {"name": "acro"},
    {"name": "ACRO "},
    {"name": "acro\ufe0f"},
    {"zeros": "review"},
    {"about": "for you"},
    {"zeros": "maybe"},
]


@pytest.mark.parametrize("words", POLICIES, ids=str)
def test_a_policy_must_be_the_one_of_its_name(tmp_path, words):
    made = draft()
    made.release["policy"] |= words
    assert_fault(made.seal(tmp_path), "the policy in release.json is")


@pytest.mark.parametrize(("policy", "k"), [("acro", None), ("acro", 20), (None, 20)])
def test_a_policy_may_ask_for_a_larger_k_than_its_name_says(tmp_path, policy, k):
    write_release(block([["a"]] * 40 + [[]] * 40, min_support=10, k=k, policy=policy), tmp_path / "release")
    assert verify(tmp_path / "release").faults == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [("\u00e9", "e\u0301"), ("b", "b\u200b"), ("fi", "\ufb01"), ("b", "b\ufe0f"), ("b", "b\0"), ("b", "b\u2065")],
)
def test_labels_that_look_alike_are_named_and_those_of_another_case_are_not(tmp_path, one, other):
    for folder, labels in (("alike", (one, other)), ("apart", ("b", "B"))):
        made = Draft([[], labels[:1], labels] * 5, 5, 5)
        found = verify(made.seal(tmp_path / folder))
        assert [fault for fault in found.faults if "look alike" in fault] == list(found.faults)
        assert found.is_good == (folder == "apart")
    assert_fault(tmp_path / "alike", f"{one!a} and {other!a} look alike")


@pytest.mark.parametrize("number", [1, 10])
def test_a_number_and_its_digits_look_alike(tmp_path, number):
    made = Draft([[], [str(number)], [str(number), "x"]] * 9, 5, 5)
    text = listing(made.pairs, made.told, "json").replace('"x"', str(number))
    made.certificate["tops"] = [{**top, "items": [str(number)] * 2} for top in made.certificate["tops"]]
    assert_fault(made.seal(tmp_path, patterns=text), "look alike")


def test_more_rows_than_can_be_counted_are_a_fault(tmp_path):
    many = 1 << 70
    made = Draft([[]] * 9, 5, 5)
    made.pairs, made.certificate["smallest_cell"] = [([], many)], many
    made.certificate["tops"] = [{"items": [], "support": many, "cells": 1, "smallest": many}]
    made.claim(n=many)
    assert_fault(made.seal(tmp_path), "more than 1,000,000,000,000 rows are too many to check")


def test_an_attacker_who_cannot_be_tried_is_a_fault(tmp_path, monkeypatch):
    def refuse(*_patterns, **_options):
        raise BudgetError("no memory")

    monkeypatch.setattr(folder_module, "attack", refuse)
    made = draft()
    made.release["against"] = "derive"
    assert_fault(made.seal(tmp_path), "the attacker 'derive' cannot be tried")


def test_marks_that_would_take_hours_to_bring_into_order_are_refused(tmp_path):
    label = "a" + "\u0301" * 100_000 + "\u0327" * 100_000
    assert_fault(Draft([[], [label]] * 9, 5, 5).seal(tmp_path / "label"), "more than 30 marks")
    made = draft()
    made.release["policy"]["name"] = label
    assert_fault(made.seal(tmp_path / "policy"), "the policy in release.json is invalid")


def test_a_label_that_no_itemset_holds_is_not_smuggled_in(tmp_path):
    made = draft(form="spmf")
    text = listing(made.pairs, made.told, "spmf")
    assert_fault(made.seal(tmp_path, patterns=text.replace("@N=", "@ITEM=99=Ann has c\n@N=")), "malformed")


def test_a_line_end_within_a_label_is_part_of_it(tmp_path):
    made = Draft([[], ["ab"]] * 9, 5, 5, form="csv")
    assert_fault(
        made.seal(tmp_path, patterns='itemset,support\n,18\n"""a\nb""",9\n'), "certificate.json is wrong about"
    )


@pytest.mark.parametrize("label", ["a\r", "a\0"])
@pytest.mark.parametrize("form", ["spmf", "borgelt", "csv"])
def test_a_label_that_lines_cannot_hold_is_refused(tmp_path, form, label):
    assert not verify(Draft([[], [label]] * 9, 5, 5, form=form).seal(tmp_path)).is_good


# Size: memory is bounded before anything is read, and time grows with the list and not with its square


BOMB = """
import json, resource, sys
import discreet
from discreet.blocking.verify import verify
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = verify(sys.argv[1])
print(json.dumps([found.faults, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) >> 10]))
"""


def one_list(label, many):
    return pl.DataFrame({"items": pl.repeat(label, many, eager=True).implode(), "support": [7]})


def many_lists(label, many):
    return pl.DataFrame(
        {"items": pl.Series([[label]]).new_from_index(0, many), "support": pl.repeat(7, many, eager=True)}
    )


BOMBS = [(one_list, "a", 8_000_000), (many_lists, "a", 5_000_000), (one_list, "x" * 5000, 100_000)]


@pytest.mark.parametrize(("bomb", "label", "many"), BOMBS, ids=["long", "many", "text"])
def test_a_small_parquet_file_that_unpacks_to_gigabytes_is_not_unpacked(tmp_path, bomb, label, many):
    made = draft(form="parquet")
    file = io.BytesIO()
    bomb(label, many).write_parquet(file, metadata={"discreet": json.dumps(made.told)})
    made.seal(tmp_path, patterns=file.getvalue())
    done = subprocess.run([sys.executable, "-c", BOMB, tmp_path], check=True, capture_output=True)
    faults, mebibytes = json.loads(done.stdout)
    assert len(file.getvalue()) < 1 << 20
    assert "patterns.parquet is malformed: it" in str(faults)
    assert mebibytes < 300


def pairs_of(many):
    """A list with so many maximal itemsets of two items, of which each holds a common one."""
    return [([], 9 * many), (["all"], 9 * many - 9), *((["all", f"item {at}"], 9) for at in range(many))]


LINES = {"csv": "a,7\n", "spmf": "#SUP: 7\n", "borgelt": "a (7)\n", "json": '{"items": [], "support": 7},'}


@pytest.mark.parametrize("form", LINES)
def test_a_file_of_too_many_values_is_not_read(tmp_path, form):
    folder = draft(form=form).seal(tmp_path, patterns=LINES[form] * ((9 if form == "spmf" else 5) << 19))
    assert_fault(folder, "values, too many to check")


def test_a_release_json_of_too_many_values_is_not_read(tmp_path):
    assert_fault(draft().seal(tmp_path, release="[" + "[]," * (3 << 20) + "0]"), "values, too many to check")


def test_labels_of_which_each_would_need_a_mask_of_its_own_length_are_refused(tmp_path):
    """A bit for each of 300,000 items takes 5 GB."""
    made = draft(form="borgelt")
    made.seal(tmp_path, patterns="".join(f"{at} (7)\n" for at in range(300_000)))
    done = subprocess.run([sys.executable, "-c", BOMB, tmp_path], check=True, capture_output=True)
    faults, mebibytes = json.loads(done.stdout)
    assert "300,000 itemsets of 300,000 items are too many to check" in str(faults)
    assert mebibytes < 500


def copy(itemset, copies):
    return [f"{label} {number}" for label in itemset for number in range(copies)]


def cells_told(listed, copies):
    """What the oracle says of a list of copied items: how many are frequent, and all tops; None at a fault."""
    expected = oracle.cells_of_list(listed)
    if expected is None:
        return None
    known = {part for top in expected for part in oracle.subsets(top)}
    tops = [(listed[top], len(rows), min(rows.values()), *sorted(copy(top, copies))) for top, rows in expected.items()]
    return sum((2**copies - 1) ** len(part) for part in known), sorted(tops)


def assert_recounted(listed, copies):
    """A list fits exactly if rows have it, and then it has their cells; copies of an item are always together."""
    claims = {"min_support": 1, "n": max(listed.values()), "kind": "closed", "k": 1, "is_whole": False}
    pairs = [(copy(itemset, copies), held) for itemset, held in listed.items()]
    tops, frequent, faults = cells.count_cells(cells.code_itemsets(pairs, claims), claims)
    assert (None if faults else (frequent, sorted(tops))) == cells_told(listed, copies)


@given(question=detected_databases(), copies=st.sampled_from([1, 1, 40]), lone=st.sampled_from([0, 70]), data=st.data())
@settings(max_examples=150)
def test_a_list_fits_exactly_if_rows_have_it(question, copies, lone, data):
    """With 40 copies, or 70 more items that are held alone, words of 64 bits are too few."""
    rows = [frozenset(map(str, row)) for row in question[0]]
    listed = oracle.closed(rows, data.draw(st.integers(2, 3)))
    for _ in range(data.draw(st.integers(0, 2))):
        assume(listed)
        one = data.draw(st.sampled_from(sorted(listed, key=sorted)))
        change = data.draw(st.sampled_from([None, -1, 1, "part"]))
        if change == "part":
            listed[one - {min(one, default="")}] = listed[one] + data.draw(st.integers(0, 2))
        else:
            listed[one] = change and max(1, listed[one] + change)
            listed = {itemset: held for itemset, held in listed.items() if held}
    assume(listed)
    if frozenset() in listed:
        listed[frozenset()] += 2 * lone
        listed |= {frozenset([f"alone{number}"]): 2 for number in range(lone)}
    assert_recounted(listed, copies)


LISTS = {
    "it fits": {"": 9, "a": 6, "ab": 4, "ac": 2},
    "the closure of a is ab in one top, ac in another": {"": 4, "ab": 2, "ac": 2},
    "two tops, and no itemset within both": {"a": 3, "b": 3},
    "an itemset of neither item is missing": {"a": 3, "b": 3, "ab": 2},
    "as many rows hold a as ab": {"": 4, "a": 2, "ab": 2},
    "more rows hold a than any": {"": 4, "a": 5},
    "a row holds neither less than nothing": {"": 4, "a": 3, "b": 3, "ab": 1},
    "b is missing, which abd and bc have in common": {"": 9, "abd": 3, "bc": 3},
}


@pytest.mark.parametrize("copies", [1, 40])
@pytest.mark.parametrize("name", LISTS)
def test_a_list_that_no_rows_have_does_not_fit(name, copies):
    listed = {frozenset(items): held for items, held in LISTS[name].items()}
    assert_recounted(listed, copies)
    assert (oracle.cells_of_list(listed) is not None) == (name == "it fits")


@pytest.mark.parametrize("many", [1, 63, 64, 65, 130, 200])
def test_many_itemsets_that_no_others_tell_apart_are_counted(many):
    """Each holds one item more than the one before."""
    pairs = [([*range(held)], 5 * (many - held) + 5) for held in range(many + 1)]
    claims = {"min_support": 5, "n": 5 * many + 5, "kind": "closed", "k": 5, "is_whole": True}
    top = (5, many + 1, 5, *sorted(map(str, range(many))))
    assert cells.count_cells(cells.code_itemsets(pairs, claims), claims) == ([top], 2**many, [])
    pairs[many // 2] = (pairs[many // 2][0], pairs[many // 2][1] - 1)
    _, _, [fault] = cells.count_cells(cells.code_itemsets(pairs, claims), claims)
    assert "4 rows hold" in fault


def test_a_long_itemset_and_each_of_its_items_are_counted_in_seconds():
    """Numbers with two bits have few hashes; 800 items made a heap of 320,000 of them."""
    many = 800
    pairs = [([], 7 * many), (list(range(many)), 7), *(([item], 14) for item in range(many))]
    claims = {"min_support": 7, "n": 7 * many, "kind": "closed", "k": 5, "is_whole": True}
    start = process_time()
    cells.count_cells(cells.code_itemsets(pairs, claims), claims)
    assert process_time() - start < 10


def test_itemsets_that_are_told_apart_in_too_many_ways_are_refused(monkeypatch):
    pairs = [(list(range(12)), 7), *((list(part), 14) for part in combinations(range(12), 6))]
    claims = {"min_support": 7, "n": 1000, "kind": "closed", "k": 5, "is_whole": True}
    listed = cells.code_itemsets(pairs, claims)
    monkeypatch.setattr(cells, "MOST_BITS", 1 << 19)
    with pytest.raises(InputError, match="too many ways"):
        cells.count_cells(listed, claims)


MANY_CLOSURES = [([], 9000), *(([2 * item, 2 * item + 1], 9) for item in range(1000))]
LONG_CHAIN = [([*range(size)], 9000 - 9 * size) for size in range(200)]


@pytest.mark.parametrize(("pairs", "most"), [(MANY_CLOSURES, 1 << 18), (LONG_CHAIN, 1 << 20)])
def test_what_takes_more_memory_than_allowed_is_refused(monkeypatch, pairs, most):
    claims = {"min_support": 7, "n": 9000, "kind": "closed", "k": 5, "is_whole": True}
    listed = cells.code_itemsets(pairs, claims)
    assert cells.count_cells(listed, claims)[2] == []
    monkeypatch.setattr(cells, "MOST_BITS", most)
    with pytest.raises(InputError, match="too many ways"):
        cells.count_cells(listed, claims)


def test_time_grows_with_the_list_and_not_with_its_square():
    def steps(many):
        claims = {"min_support": 9, "n": 9 * many, "kind": "closed", "k": 1, "is_whole": True}
        maps = cells.code_itemsets(pairs_of(many), claims).maps
        return sum(kernels.recount.find_subsets(maps, top)[1] for top in maps)

    assert steps(2000) < 2.5 * steps(1000)


def test_a_list_that_would_take_hours_is_refused_in_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(cells, "MOST_STEPS", 20)
    assert_fault(draft().seal(tmp_path), "overlap in too many ways")


# The command


def run(*arguments):
    return CliRunner().invoke(main, ["verify", *map(str, arguments)])


def test_a_good_release_ends_with_0_and_tells_its_digest(folder):
    result = run(folder)
    digest = hashlib.sha256((folder / "release.json").read_bytes()).hexdigest()
    assert result.exit_code == 0
    assert result.stdout.startswith("GOOD: 6 itemsets, each held by at least 7 of 35 rows\n")
    assert digest in result.stdout


def test_faults_end_with_1_and_are_named_up_to_twenty(folder):
    for number in range(30):
        (folder / f"junk{number}").touch()
    result = run(folder)
    assert result.exit_code == 1
    assert result.stdout.startswith("NOT GOOD\n'junk0' is not listed")
    assert result.stdout.count("junk") == 20
    assert "… and 10 more\n" in result.stdout


def test_json_holds_every_fault(folder):
    (folder / "report.txt").unlink()
    told = json.loads(run(folder, "--json").stdout)
    assert (told["is_good"], told["k"], told["smallest"]) == (False, 5, 5)
    assert told["faults"] == list(verify(folder).faults)


def test_wrong_usage_ends_with_2(tmp_path):
    assert run(tmp_path).exit_code == 2
    assert run().exit_code == 2
    assert run(tmp_path, "--bogus").exit_code == 2
