"""The inverted file: lists of rows, formulas on them, and both from a file."""

import errno
import os
from array import array
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyroaring import BitMap
from strategies import LABELS, databases

from discreet import InputError, InvertedFile, OptionError, OutputError, Plan, QueryError, Transactions
from discreet.io import files, inverted_lists
from discreet.io.inverted_lists import invert

pytestmark = pytest.mark.nojit

PRINTED = ["ABCD", "ABC", "ABD", "ACD", "ABC", "BD"]
"""The six rows of [S004], Fig. 3."""

KINDS = (True, 2, -(10**20), 2.5, float("inf"), "x", "2", "ж\ud800", "")
"""Labels of all kinds that an index holds; 2 and "2" are two items."""


def grown(random, labels, depth):
    """A formula of at most this depth, as ``oracle.true`` has it; most are full."""
    kind = random.choice(["and", "or", "and", "or", "not", "not", "item"]) if depth else "item"
    if kind == "item":
        return kind, random.choice([*labels, "nobody"])
    return kind, *(grown(random, labels, depth - 1) for _ in range(1 if kind == "not" else 2))


def spelled(formula):
    """A formula as text, with all its brackets."""
    match formula:
        case ("item", label):
            return "'" + str(label).replace("\\", "\\\\").replace("'", "\\'") + "'"
        case ("not", part):
            return f"~({spelled(part)})"
        case (kind, left, right):
            return f"({spelled(left)}) {kind} ({spelled(right)})"


@st.composite
def asked(draw, source=databases):
    """Rows, and a formula of depth up to 6 over their items; from a seed: Hypothesis alone favours simple ones."""
    rows = draw(source())
    labels = sorted(frozenset().union(*rows), key=str) or ["a"]
    random = Random(draw(st.integers(0, 2**32)))  # noqa: S311 - no secret
    return rows, grown(random, labels, draw(st.integers(0, 6)))


@st.composite
def plain_databases(draw, kinds=KINDS):
    """Rows of labels that an index holds."""
    rows = draw(databases())
    place = {label: at for labels in LABELS.values() for at, label in enumerate(labels)}
    return [frozenset(kinds[place[label]] for label in row) for row in rows]


def rows_of(text):
    return Transactions([list(row) for row in text])


def saved(inverted, folder):
    path = Path(folder) / "rows.index"
    inverted.save(path)
    return path


def answers(rows, formula):
    return [number for number, row in enumerate(rows) if oracle.true(formula, row)]


def numbers(inverted, wanted):
    return inverted.rows(wanted).tolist()


@given(asked())
def test_a_query_finds_exactly_the_rows_that_make_its_formula_true(case):
    rows, formula = case
    text, inverted = spelled(formula), InvertedFile(rows)
    assert numbers(inverted, text) == answers(rows, formula)
    assert inverted.support(text) == len(answers(rows, formula))
    assert next(inverted.explain(text).lines()).rows == len(answers(rows, formula))


@settings(max_examples=50)
@given(asked(partial(plain_databases, [label for label in KINDS if label != "2"])))
def test_an_opened_file_answers_as_the_rows_do(case):
    rows, formula = case
    text = spelled(formula)
    with TemporaryDirectory() as folder:
        path = saved(InvertedFile(rows), folder)
        assert numbers(InvertedFile.open(path), text) == answers(rows, formula)
        assert InvertedFile.open(path).support(text) == len(answers(rows, formula))


@given(databases(), st.data())
def test_an_itemset_is_held_by_the_rows_that_hold_each_of_its_items(rows, data):
    labels = [*sorted(frozenset().union(*rows), key=str), "nobody"]
    itemset = data.draw(st.frozensets(st.sampled_from(labels)))
    expected = [number for number, row in enumerate(rows) if itemset <= row]
    assert numbers(InvertedFile(rows), itemset) == expected
    assert InvertedFile(rows).support(itemset) == oracle.support(itemset, rows)


@given(databases(), st.data())
def test_itemsets_found_together_are_those_found_alone(rows, data):
    inverted = InvertedFile(rows)
    codes = st.sampled_from(range(len(inverted.labels))) if inverted.labels else st.nothing()
    itemsets = data.draw(st.lists(st.lists(codes, unique=True), max_size=10))
    expected = [
        [number for number, row in enumerate(rows) if {inverted.labels[code] for code in itemset} <= row]
        for itemset in itemsets
    ]
    found = inverted.rows_of_each([np.array(itemset, dtype=np.int32) for itemset in itemsets])
    assert [one.tolist() for one in found] == expected
    assert {one.dtype for one in found} <= {np.dtype(np.int64)}


@given(databases(), st.data())
def test_the_rows_can_be_had_back_all_or_some(rows, data):
    transactions = Transactions(rows, ids=[f"row {number}" for number in range(len(rows))])
    some = sorted(data.draw(st.sets(st.sampled_from(range(len(rows)))))) if rows else []
    inverted = InvertedFile(transactions)
    assert inverted.transactions() == transactions
    assert list(inverted.transactions(some)) == [rows[number] for number in some]
    assert inverted.transactions(some).ids == [f"row {number}" for number in some]
    assert inverted.transactions(some).labels == transactions.labels


@given(databases(), st.slices(30).filter(lambda part: part.step in (None, 1)))
def test_a_slice_has_an_inverted_file_of_its_own(rows, part):
    assert list(InvertedFile(Transactions(rows)[part]).transactions()) == rows[part]


def test_the_lists_are_those_that_the_paper_prints():
    inverted = InvertedFile(rows_of(PRINTED))
    lists = {"A": [1, 2, 3, 4, 5], "B": [1, 2, 3, 5, 6], "C": [1, 2, 4, 5], "D": [1, 3, 4, 6]}
    assert {label: (inverted[label] + 1).tolist() for label in "ABCD"} == lists
    assert inverted.supports.tolist() == [len(lists[label]) for label in inverted.labels]


def test_the_sensitive_rows_are_those_that_the_paper_prints():
    inverted = InvertedFile(rows_of(PRINTED))
    found = inverted.rows_of_each([[inverted.code[label] for label in itemset] for itemset in ("ABD", "ACD")])
    assert [(rows + 1).tolist() for rows in found] == [[1, 3], [1, 4]]
    assert (inverted.rows("A & B & D | A & C & D") + 1).tolist() == [1, 3, 4]


@pytest.mark.parametrize("n", [0, 1, 4096, 4097, 65_536, 65_537, 140_000])
def test_a_list_is_a_roaring_bitmap_in_the_portable_format(n):
    random = np.random.default_rng(7)
    holding = [np.flatnonzero(random.random(n) < share) for share in (1, 0.5, 0.03, 0.0001, 0)]
    pairs = sorted((row, item) for item, rows in enumerate(holding) for row in rows.tolist())
    offsets = np.searchsorted(np.array([row for row, _ in pairs]), np.arange(n + 1)).astype(np.int64)
    rows = Transactions.from_codes(offsets, np.array([item for _, item in pairs], np.int32), "abcde")
    lists = invert(rows)
    expected = [BitMap(array("I", part.tolist())) for part in holding]
    assert [BitMap.deserialize(lists.part(item)) for item in range(5)] == expected
    # Where all rows of a block hold an item, Roaring itself would write a run.
    assert [lists.part(item) for item in range(1, 5)] == [bitmap.serialize() for bitmap in expected[1:]]
    assert lists.supports.tolist() == [len(bitmap) for bitmap in expected]
    assert InvertedFile(rows).transactions() == rows


@pytest.mark.parametrize("rows", [[], [[]], [[], []], [["a"]], [["a"], ["a"]]], ids=str)
def test_rows_without_much_in_them_have_an_inverted_file_too(rows, tmp_path):
    for inverted in (InvertedFile(rows), InvertedFile.open(saved(InvertedFile(rows), tmp_path))):
        holding = [number for number, row in enumerate(rows) if row]
        every = list(range(len(rows)))
        assert (numbers(inverted, "a"), numbers(inverted, ["a"]), inverted["a"].tolist()) == (holding,) * 3
        assert numbers(inverted, "~a") == [number for number in every if number not in holding]
        assert (numbers(inverted, "~b"), numbers(inverted, []), numbers(inverted, "a | ~a")) == (every,) * 3
        assert (inverted.support("~b"), inverted.support([]), inverted.support("a & ~a")) == (len(rows), len(rows), 0)
        assert [found.tolist() for found in inverted.rows_of_each([[]])] == [every]
        assert list(inverted.transactions()) == [frozenset(row) for row in rows]
        assert str(inverted.explain("~b")).endswith("what no row holds: 0 rows")


def test_the_cheapest_list_comes_first_and_what_is_negated_is_taken_away():
    inverted = InvertedFile(rows_of(["AB", "AB", "ABC", "ABCD", "A", "D"]))
    assert str(inverted.explain("A & ~D & B & C")).splitlines() == [
        "1  all of: 1 row of at most 2",
        "2    C: 2 rows",
        "3    B: 4 rows",
        "4    A: 5 rows",
        "5    but not D: 2 rows",
    ]
    assert str(inverted.explain("A | B | C")).splitlines() == [
        "1  any of: 5 rows of at most 6",
        "2    C: 2 rows",
        "3    B: 4 rows",
        "4    A: 5 rows",
    ]


def test_a_complement_is_made_only_for_an_answer_that_is_one():
    inverted = InvertedFile(rows_of(PRINTED))
    negated = {"~A": True, "~A & ~B": True, "~(A | B)": True, "A | ~B": True, "~(A & B) | ~C": True}
    others = {"A & ~B": False, "~A & B": False, "~(~A | B)": False, "A & (~B | ~C)": False, "~(~A & ~B)": False}
    assert {text: inverted.explain(text).negated for text in negated | others} == negated | others


def test_what_a_formula_says_twice_is_found_once():
    inverted = InvertedFile(rows_of(PRINTED))
    assert str(inverted.explain("(A & B & C) | D & (C & (A & B))")).splitlines() == [
        "1  any of: 3 rows of at most 6",
        "2    all of: 3 rows of at most 4",
        "3      C: 4 rows",
        "4      A: 5 rows",
        "5      B: 5 rows",
        "6    all of: 1 row of at most 4",
        "7      what line 2 finds: 3 rows of at most 4",
        "8      D: 4 rows",
    ]
    assert [line.what for line in inverted.explain("(A & B) & (B & A) & A").lines()] == ["all of", "A", "B"]


@pytest.mark.parametrize(
    ("text", "needed"), [("A & B & C", "AB"), ("A & B & ~C", "AB"), ("A & B & (C | D)", "AB"), ("A | B", "AB")]
)
def test_nothing_is_looked_for_once_no_row_is_left(text, needed, monkeypatch):
    inverted = InvertedFile(rows_of(["A", "BC", "CD", "BCD", "CD", "CD"]))
    wanted, asked_for = inverted._list, []
    monkeypatch.setattr(inverted, "_list", lambda item: asked_for.append(item) or wanted(item))
    numbers(inverted, text)
    assert [inverted.labels[item] for item in asked_for] == list(needed)
    assert next(inverted.explain(text).lines()).rows == inverted.support(text)


def test_how_many_rows_hold_an_item_is_told_without_its_list(monkeypatch):
    inverted = InvertedFile(rows_of(PRINTED))
    monkeypatch.setattr(inverted, "_list", None)
    assert (inverted.support("A"), inverted.support("~C"), inverted.support("nobody")) == (5, 2, 0)


def nested(depth):
    """A formula that says the same of two items in turn, and not of another, this deep."""
    return "A & (B | ~(" * depth + "C" + "))" * depth


@pytest.mark.parametrize("text", [nested(5_000), "~" * 10_001 + "A", "(" * 50_000 + "A" + ")" * 50_000])
def test_a_formula_may_be_as_deep_as_it_likes(text):
    rows = rows_of([*PRINTED, "", "A", "B", "C"])
    inverted = InvertedFile(rows)
    assert numbers(inverted, text) == rows.rows(text).tolist()
    assert inverted.support(text) == rows.support(text)
    assert len(str(inverted.explain(text))) < 10**7


def test_a_formula_may_be_as_long_as_it_likes():
    rows = Transactions([[number, number + 1] for number in range(2_000)])
    inverted = InvertedFile(rows)
    assert inverted.support(" | ".join(map(str, range(1, 2_001)))) == 2_000
    assert inverted.support(" & ".join(f"~{number}" for number in range(1_000))) == 1_000
    assert inverted.support(" & ".join(map(str, range(2_001)))) == 0


def test_asking_changes_no_list():
    rows, inverted = rows_of(PRINTED), InvertedFile(rows_of(PRINTED))
    for text in ("A & B & C & ~D", "A | B | C", "~A & ~B & ~C", "(A & B | C & D) & (A | D) & ~(B & C & D)"):
        assert numbers(inverted, text) == numbers(inverted, text) == rows.rows(text).tolist()
    assert inverted.transactions() == rows


def test_a_bad_query_is_refused_by_its_column():
    with pytest.raises(QueryError, match="opens a bracket at column 5 that is never closed") as caught:
        InvertedFile(rows_of(PRINTED)).rows("A & (B | C")
    assert caught.value.column == 5


@pytest.mark.parametrize("chosen", [[1, 0], [0, 0], [-1], [6], [0, 6]], ids=str)
def test_row_numbers_that_do_not_increase_or_are_not_there_are_refused(chosen):
    with pytest.raises(InputError, match="row numbers must increase, from 0 to at most 5"):
        InvertedFile(rows_of(PRINTED)).transactions(chosen)


@given(plain_databases(), st.booleans())
def test_a_file_gives_all_back(rows, named):
    transactions = Transactions(rows, ids=[KINDS[number % 9] for number in range(len(rows))] if named else None)
    with TemporaryDirectory() as folder:
        inverted = InvertedFile.open(saved(InvertedFile(transactions), folder), rows=transactions)
        assert inverted.transactions() == transactions
        assert [*map(type, inverted.labels)] == [*map(type, transactions.labels)]
        assert inverted.supports.tolist() == InvertedFile(transactions).supports.tolist()
        assert inverted.belongs_to(transactions)


def test_labels_of_numpy_become_those_of_python(tmp_path):
    rows = [[np.int64(3), np.float64(2.5), np.str_("x"), np.bool_(1)]]
    inverted = InvertedFile.open(saved(InvertedFile(rows), tmp_path), rows=Transactions(rows))
    assert {*map(type, inverted.labels)} == {int, float, str, bool}


def test_the_same_rows_give_the_same_bytes(tmp_path):
    rows = PRINTED * 3
    first = saved(InvertedFile(rows_of(rows)), tmp_path).read_bytes()
    InvertedFile.open(tmp_path / "rows.index").save(tmp_path / "again.index")
    assert (tmp_path / "again.index").read_bytes() == first
    assert saved(InvertedFile(rows_of(rows)), tmp_path).read_bytes() == first


@pytest.mark.parametrize("label", [("age", 40), b"raw", frozenset("a"), 2**2000])
def test_a_label_that_a_file_cannot_give_back_is_refused_by_its_place(label, tmp_path):
    with pytest.raises(OutputError, match=r"item 1 is called by a \w+; an index holds text, numbers") as caught:
        InvertedFile([[label]]).save(tmp_path / "rows.index")
    assert str(label) not in str(caught.value)
    with pytest.raises(OutputError, match=r"row 1 is called by a \w+; an index holds text, numbers"):
        InvertedFile(Transactions([["a"]], ids=[label])).save(tmp_path / "rows.index")
    assert list(tmp_path.iterdir()) == []


def test_an_index_is_never_compressed(tmp_path):
    with pytest.raises(OptionError, match="an index is never compressed"):
        InvertedFile([["a"]]).save(tmp_path / "rows.index.gz")


def asks(path, rows):
    """Ask a file for everything in it; what it tells must be what ``rows`` tell."""
    inverted = InvertedFile.open(path)
    assert inverted.transactions() == rows
    assert [inverted.support([label]) for label in rows.labels] == [rows.support([label]) for label in rows.labels]
    assert numbers(inverted, "A & ~B | C") == rows.rows("A & ~B | C").tolist()


def test_a_file_that_is_cut_short_anywhere_is_refused(tmp_path):
    path = saved(InvertedFile(rows_of(PRINTED)), tmp_path)
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(
            InputError, match=r"rows.index: (this is no index|the index is cut short: it has \d+ bytes)"
        ):
            InvertedFile.open(path)
    path.write_bytes(whole + b"\0")
    with pytest.raises(InputError, match="damaged: something was added"):
        InvertedFile.open(path)


@pytest.mark.parametrize("flip", [1, 0x80, 0xFF])
def test_a_file_that_is_damaged_anywhere_is_refused_and_never_tells_a_lie(flip, tmp_path):
    rows = Transactions([list(row) for row in PRINTED], ids=list(range(6)))
    path = saved(InvertedFile(rows), tmp_path)
    whole = path.read_bytes()
    asks(path, rows)
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ flip]) + whole[at + 1 :])
        with pytest.raises(InputError, match="index"):
            asks(path, rows)


def test_a_damaged_list_does_not_keep_others_from_being_asked(tmp_path):
    path = saved(InvertedFile(rows_of(PRINTED)), tmp_path)
    whole = bytearray(path.read_bytes())
    whole[-len("null") - 1] ^= 1  # the last byte of the last list, before the ids
    path.write_bytes(whole)
    inverted = InvertedFile.open(path)
    assert inverted.support("A & B & C") == 3
    with pytest.raises(InputError, match="the index is damaged; make it again with `discreet index`"):
        inverted.support("A & D")


@pytest.mark.parametrize("data", [b"", b"1 2 3\n", bytes(range(256)), b"\x89discreet inde", b"\0" * 500], ids=len)
def test_what_is_no_index_is_refused(data, tmp_path):
    path = tmp_path / "rows.index"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"rows\.index: this is no index; make one with `discreet index`$"):
        InvertedFile.open(path)


def test_an_index_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"rows\.index: there is no such file; check its name"):
        InvertedFile.open(tmp_path / "rows.index")
    with pytest.raises(InputError, match="this is a directory"):
        InvertedFile.open(tmp_path)


def test_an_index_of_a_newer_version_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(inverted_lists, "VERSION", 2)
    path = saved(InvertedFile(rows_of(PRINTED)), tmp_path)
    monkeypatch.undo()
    with pytest.raises(InputError, match="the index has version 2; install a newer"):
        InvertedFile.open(path)


@pytest.mark.parametrize(
    "other",
    [
        rows_of(PRINTED[:5]),
        rows_of([*PRINTED, ""]),
        rows_of([*PRINTED[1:], PRINTED[0]]),
        rows_of(["abcd", *PRINTED[1:]]),
        Transactions([list(row) for row in PRINTED], ids=list(range(6))),
        Transactions.from_codes(np.array([0, 4, 7, 10, 13, 16, 18]), np.zeros(18, np.int32), "ABCD"),
    ],
    ids=["fewer", "more", "in another order", "with other labels", "with ids", "with other items"],
)
def test_an_index_of_other_rows_is_refused(other, tmp_path):
    path = saved(InvertedFile(rows_of(PRINTED)), tmp_path)
    assert not InvertedFile(rows_of(PRINTED)).belongs_to(other)
    with pytest.raises(InputError, match=r"rows\.index: the index belongs to other rows; make it again"):
        InvertedFile.open(path, rows=other)


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("A,B\nB\n", encoding="utf-8")
    os.utime(path, ns=(10**18, 10**18))
    InvertedFile.of_file(path).save(tmp_path / "rows.csv.index")
    return path


def opened(source, **options):
    return InvertedFile.open(f"{source}.index", source=source, **options)


def test_an_index_belongs_to_its_file_whenever_that_was_touched(source):
    assert numbers(opened(source), "~A") == [1]
    os.utime(source)
    assert numbers(opened(source), "~A") == [1]


def test_a_file_of_the_same_size_and_time_is_not_read_again(source, monkeypatch):
    monkeypatch.setattr(inverted_lists, "origin_of", None)
    assert numbers(opened(source), "~A") == [1]


@pytest.mark.parametrize("text", ["A,C\nB\n", "A,B\nB\n\n", ""], ids=["as long", "longer", "empty"])
def test_an_index_of_another_file_is_refused(source, text):
    source.write_text(text, encoding="utf-8")
    with pytest.raises(
        InputError, match=r"rows\.csv\.index: the index belongs to other data; make it again with `discree"
    ):
        opened(source)


def test_a_file_that_was_changed_at_the_time_its_index_was_made_is_read_again(source):
    times = Path(f"{source}.index").stat()
    source.write_text("A,C\nB\n", encoding="utf-8")
    os.utime(source, ns=(10**18, 10**18))
    os.utime(f"{source}.index", ns=(times.st_atime_ns, 10**18 + 10**9))
    with pytest.raises(InputError, match="the index belongs to other data"):
        opened(source)


def test_an_index_of_rows_alone_belongs_to_no_file(source, tmp_path):
    InvertedFile([["A"]]).save(tmp_path / "rows.csv.index")
    with pytest.raises(InputError, match="the index does not say which file it belongs to"):
        opened(source)


def test_a_file_that_is_read_otherwise_has_another_index(tmp_path):
    path = tmp_path / "stays.csv"
    path.write_text("patient,drug\n7,A\n3,B\n7,B\n", encoding="utf-8")
    InvertedFile.of_file(path, row="patient", item="drug").save(f"{path}.index")
    assert opened(path).ids == [7, 3]
    assert numbers(opened(path, reading={"row": "patient", "item": "drug", "format": None}), "A & B") == [0]
    with pytest.raises(InputError, match="the index was made with other options"):
        opened(path, reading={"row": "drug", "item": "patient"})


def test_a_file_that_changes_while_it_is_read_is_refused(source, monkeypatch):
    def read(_path, **_):
        source.write_text("A\n", encoding="utf-8")
        return Transactions([["A"]])

    monkeypatch.setattr("discreet.io.inverted.read", read)
    with pytest.raises(InputError, match=r"rows\.csv: the file changed while it was read; begin again"):
        InvertedFile.of_file(source)


def test_what_can_be_read_but_once_has_no_index():
    with pytest.raises(InputError, match="an index belongs to a plain file; write the rows to one first"):
        InvertedFile.of_file(os.devnull)


def test_a_full_disk_leaves_what_was_there(source, monkeypatch):
    index = Path(f"{source}.index")
    before = index.read_bytes(), sorted(source.parent.iterdir())
    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OutputError, match=r"cannot be written \(No space left on device\)"):
        InvertedFile([["A"]]).save(index)
    assert (index.read_bytes(), sorted(source.parent.iterdir())) == before


def full(_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@settings(max_examples=20)
@given(st.integers(0, 2**32))
def test_many_rows_are_answered_as_python_sets_answer(seed):
    random = Random(seed)  # noqa: S311 - no secret
    rows = [{item for item in range(12) if random.random() < 0.1 * item} for _ in range(500)]
    held = {item: {number for number, row in enumerate(rows) if item in row} for item in range(12)}
    one, two, three, four = (random.randrange(12) for _ in range(4))
    expected = (held[one] | held[two]) - (held[three] & held[four])
    assert numbers(InvertedFile(rows), f"({one} | {two}) & ~({three} & {four})") == sorted(expected)


def test_a_plan_and_the_vocabulary_are_values():
    inverted = InvertedFile(rows_of(PRINTED))
    assert isinstance(inverted.explain("A & B"), Plan)
    assert inverted.explain("A & B") == inverted.explain("(A) & (B)")
    assert repr(inverted) == "<InvertedFile: 6 rows, 4 items>"
    assert (len(inverted), list(inverted), "A" in inverted, "a" in inverted) == (4, list("ABCD"), True, False)
