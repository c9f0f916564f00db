"""Queries: text → formula → the rows that make it true."""

import datetime as dt
from pathlib import Path

import numpy as np
import oracle
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import databases

from discreet import InputError, Transactions
from discreet.data import query
from discreet.data.query import parse
from discreet.io import datasets

pytestmark = pytest.mark.nojit

SPELLINGS = {
    "and": ("&", "∧", "and", "AND", "And"),
    "or": ("|", "∨", "or", "OR", "oR"),
    "not": ("~", "¬", "!", "not", "NOT"),
}
SPACES = ("", " ", "\t ", "\n")
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:=/%+#$éßЖ中"
STRANGE = ("red wine", "and", "NOT", 'say "no"', "it's", "a\\b", "a&(b|~c)", "")


def items(labels):
    """Items of ``labels``, and one that no row holds."""
    return st.tuples(st.just("item"), st.sampled_from((*labels, "nobody")))


def formulas(labels):
    """Formulas as ``oracle.true`` has them."""
    return st.recursive(
        items(labels),
        lambda part: st.tuples(st.just("not"), part) | st.tuples(st.sampled_from(["and", "or"]), part, part),
        max_leaves=12,
    )


@st.composite
def asked_databases(draw):
    """Rows, and a formula over their items."""
    rows = draw(databases())
    labels = sorted(frozenset().union(*rows), key=str) or ["a"]
    return rows, draw(formulas(labels))


@st.composite
def strange_databases(draw):
    """Rows of labels that must be quoted, or look like signs, and a formula over them."""
    return draw(st.lists(st.frozensets(st.sampled_from(STRANGE)), max_size=12)), draw(formulas(STRANGE))


def written(draw, label):
    """A label as a query may write it: bare if that is allowed and so drawn, else in quotes."""
    text = str(label)
    bare = bool(text) and set(text) <= set(LETTERS) and text.lower() not in SPELLINGS
    if bare and draw(st.booleans()):
        return text
    quote = draw(st.sampled_from("'\""))
    return quote + text.replace("\\", "\\\\").replace("'", "\\'").replace('"', '\\"') + quote


LEVELS = {"or": 1, "and": 2, "not": 3, "item": 4}


def spelled(draw, formula, binding=0):
    """A formula as text, in brackets where what stands around it binds tighter, and elsewhere if so drawn."""
    kind, *parts = formula
    space = lambda: draw(st.sampled_from(SPACES))  # noqa: E731 - drawn anew at each place
    if kind == "item":
        text = written(draw, *parts)
    else:
        sign = draw(st.sampled_from(SPELLINGS[kind]))
        sign = f" {sign} " if sign.isalpha() else space() + sign + space()
        # A chain such as a & b & c groups from the left; the other way round needs brackets to be the same formula.
        ways = [LEVELS[kind], LEVELS[kind] + 1] if len(parts) > 1 else [LEVELS[kind]]
        sides = [spelled(draw, part, way) for part, way in zip(parts, ways, strict=True)]
        text = sign.join(sides) if len(sides) > 1 else sign + sides[0]
    if LEVELS[kind] < binding or draw(st.integers(0, 3)) == 0:
        text = f"({space()}{text}{space()})"
    return text


def names(formula):
    """What a formula calls its items, as a set of texts."""
    kind, *parts = formula
    return {str(parts[0])} if kind == "item" else set().union(*map(names, parts))


def answers(rows, formula):
    return [number for number, row in enumerate(rows) if oracle.true(formula, row)]


@given(st.data(), asked_databases() | strange_databases())
def test_a_query_finds_exactly_the_rows_that_make_its_formula_true(data, case):
    rows, formula = case
    text = spelled(data.draw, formula)
    transactions = Transactions(rows)
    assert transactions.rows(text).tolist() == answers(rows, formula)
    assert transactions.support(text) == len(answers(rows, formula))


@given(st.data(), formulas(STRANGE))
def test_a_query_names_the_items_of_its_formula_once_each(data, formula):
    found = parse(spelled(data.draw, formula)).names
    assert {name.text for name in found} == names(formula)
    assert len(found) == len(set(found))


@given(st.data(), formulas("abc"), formulas("abc"), databases())
def test_de_morgan_holds(data, left, right, rows):
    transactions = Transactions(rows)
    one, other = spelled(data.draw, left), spelled(data.draw, right)
    for sign, dual in (("&", "|"), ("|", "&")):
        found = transactions.rows(f"~(({one}) {sign} ({other}))").tolist()
        assert found == transactions.rows(f"~({one}) {dual} ~({other})").tolist()


@given(databases(), st.data())
def test_a_query_of_ands_alone_counts_the_itemset(rows, data):
    labels = sorted(frozenset().union(*rows), key=str) or ["a"]
    itemset = data.draw(st.lists(st.sampled_from(labels), min_size=1))
    text = " & ".join(written(data.draw, label) for label in itemset)
    assert Transactions(rows).support(text) == oracle.support(itemset, rows) == Transactions(rows).support(itemset)


@given(asked_databases(), st.slices(30).filter(lambda part: part.step in (None, 1)), st.data())
def test_a_slice_answers_for_its_own_rows(case, part, data):
    rows, formula = case
    text = spelled(data.draw, formula)
    assert Transactions(rows)[part].rows(text).tolist() == answers(rows[part], formula)


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 63, 64, 65, 127, 128, 129])
def test_no_row_behind_the_last_is_counted(n):
    rows = Transactions([["a"] if number % 3 == 0 else [] for number in range(n)])
    assert rows.support("~a") == n - (n + 2) // 3
    assert rows.support("~nobody") == rows.support("a | ~a") == n
    assert rows.rows("~a").tolist() == [number for number in range(n) if number % 3]


@pytest.mark.parametrize("block", [8, 64])
@given(case=asked_databases(), data=st.data())
def test_rows_may_be_answered_in_blocks_of_any_size(block, case, data):
    rows, formula = case
    rows *= 7
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(query, "BLOCK", block)
        assert Transactions(rows).rows(spelled(data.draw, formula)).tolist() == answers(rows, formula)


def test_rows_beyond_one_block_are_answered_too():
    n = query.BLOCK + 9
    rows = Transactions.from_codes(np.arange(n + 1), np.arange(n, dtype=np.int32) % 2, ["even", "odd"])
    assert rows.support("~odd") == (n + 1) // 2
    assert rows.rows("odd & ~even")[-1] == n - 2


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a | b & c", "a | (b & c)"),
        ("a & b | c", "(a & b) | c"),
        ("~a & b", "(~a) & b"),
        ("~a | b", "(~a) | b"),
        ("a | b | c", "(a | b) | c"),
        ("~~a", "~(~a)"),
        ("not a AND b Or c", "((~a) & b) | c"),
        ("¬a ∧ b ∨ !c", "((~a) & b) | (~c)"),
        ("a&b", " ( a\t&\nb ) "),
        ("('a')|(\"b\")", "'a' | 'b'"),
    ],
)
def test_not_binds_tighter_than_and_and_and_tighter_than_or(text, same):
    assert parse(text) == parse(same)


def test_order_of_binding_shows_in_the_answer():
    rows = Transactions([["a"], ["b"], ["c"], ["b", "c"], ["a", "c"], []])
    assert rows.rows("a | b & c").tolist() == [0, 3, 4]
    assert rows.rows("(a | b) & c").tolist() == [3, 4]
    assert rows.rows("~a & c").tolist() == [2, 3]
    assert rows.rows("~(a & c)").tolist() == [0, 1, 2, 3, 5]


@pytest.mark.parametrize(
    "label", ["age=40-49", "I10.9", "C:/x", "50%", "c++", "#1", "$5", "naïve", "молоко", "牛奶", "x_y"]
)
def test_a_label_of_letters_digits_and_harmless_signs_stands_bare(label):
    assert Transactions([[label, "b"], ["b"]]).support(f"b & ~{label}") == 1
    assert Transactions([[label, "b"], ["b"]]).support(label) == 1


@pytest.mark.parametrize("label", ["and", "Or", "NOT"])
def test_a_label_that_reads_like_a_sign_is_quoted(label):
    assert Transactions([[label, "b"], ["b"]]).support(f"'{label}' and b") == 1


@pytest.mark.parametrize(
    ("labels", "text", "label"),
    [
        ((7, "7"), "7", 7),
        ((7, "7"), "'7'", "7"),
        ((7,), "7", 7),
        ((7,), "'7'", 7),
        (("7",), "7", "7"),
        (("007", 7), "007", "007"),
        ((-1, "-1"), "-1", -1),
        ((0, "0"), "0", 0),
        ((9.0,), "9", 9.0),
        ((9.0,), "9.0", 9.0),
        ((10**30, 2.5), "1" + "0" * 30, 10**30),
        ((2.5, "2.5"), "'2.5'", "2.5"),
        ((2.5,), "2.5", 2.5),
        ((("age", 40),), "\"('age', 40)\"", ("age", 40)),
        ((b"raw",), "\"b'raw'\"", b"raw"),
        ((dt.date(2024, 1, 31),), "2024-01-31", dt.date(2024, 1, 31)),
        ((True, "x"), "True", True),
        ((np.int64(5),), "5", 5),
    ],
    ids=repr,
)
def test_a_label_that_is_no_text_is_called_by_its_text(labels, text, label):
    rows = Transactions([[label], list(labels), []])
    expected = [number for number, row in enumerate(rows) if label in row]
    assert rows.rows(text).tolist() == expected == [0, 1]


def test_a_text_that_several_labels_have_is_ambiguous_but_for_the_label_that_is_this_text():
    rows = Transactions([[2.5, "2.5"], [2.5], []])
    with pytest.raises(InputError, match=r"item at column 1 that is ambiguous: 2 labels have this text; .*in quotes"):
        rows.support("2.5")
    assert rows.support("'2.5'") == 1


def test_a_quoted_text_that_is_no_label_may_be_ambiguous_too():
    rows = Transactions([["a", Path("b"), dt.date(2024, 1, 31), Path("2024-01-31")]])
    assert rows.support("a & 'b'") == 1
    with pytest.raises(InputError, match=r"item at column 5 that is ambiguous: 2 labels have this text"):
        rows.support("a & '2024-01-31'")


def test_an_item_that_no_row_holds_is_held_by_nobody():
    rows = Transactions([["a"], []])
    supports = {"b": 0, "~b": 2, "a & b": 0, "a | b": 1, "a & ~b": 1, "b | c": 0, "12345678901234567890": 0}
    assert {text: rows.support(text) for text in supports} == supports


def test_no_name_stands_for_a_missing_label():
    assert Transactions.from_codes(np.array([0, 1]), np.array([0], np.int32), [None]).support("a") == 0


def test_no_rows_answer_nothing():
    assert (Transactions([]).support("~a"), Transactions([]).rows("a | ~a").tolist()) == (0, [])


START, GO_ON = r"where an item, ~ or \( must come; write a query like", r"where &, \|, \) or the end must come; write a"

BAD = {
    "": rf"^the query ends at column 1 {START}",
    "  ": rf"^the query ends at column 3 {START}",
    "e & (~": rf"^the query ends at column 7 {START}",
    "secret &": rf"^the query ends at column 9 {START}",
    "not": rf"^the query ends at column 4 {START}",
    "& secret": rf"^the query has & at column 1 {START}",
    "a && secret": rf"^the query has & at column 4 {START}",
    "a and or secret": rf"^the query has \| at column 7 {START}",
    "secret | )": rf"^the query has \) at column 10 {START}",
    "()": rf"^the query has \) at column 2 {START}",
    "a secret": rf"^the query has an item at column 3 {GO_ON}",
    "a 'secret'": rf"^the query has an item at column 3 {GO_ON}",
    "'a''secret'": rf"^the query has an item at column 4 {GO_ON}",
    "a !secret": rf"^the query has ~ at column 3 {GO_ON}",
    "a(secret)": rf"^the query has \( at column 2 {GO_ON}",
    "(a) secret": rf"^the query has an item at column 5 {GO_ON}",
    "(secret": r"^the query opens a bracket at column 1 that is never closed; write a query like",
    "a & (b | (secret)": r"^the query opens a bracket at column 5 that is never closed",
    "secret)": r"^the query closes a bracket at column 7 that was never opened; write a query like",
    "(a)) & (b": r"^the query closes a bracket at column 4 that was never opened",
    "a & 'secret": r"^the query opens a quote at column 5 that is not closed; close it",
    "\"secret'": r"^the query opens a quote at column 1 that is not closed; close it",
    r"'secret\'": r"^the query opens a quote at column 1 that is not closed; .*put a \\ before each quote and each \\$",
    r"a | 'C:\secret'": r"^the query opens a quote at column 5 that is not closed; .*put a \\ before each quote",
    "a, secret": r"^the query has a character at column 2 that an item may have in quotes only; write a query like",
    "a & secret\\": r"^the query has a character at column 11 that an item may have in quotes only",
    "“secret”": r"^the query has a character at column 1 that an item may have in quotes only",
    "a & secret\u200b": r"^the query has a character at column 11 that an item may have in quotes only",
}


@pytest.mark.parametrize("text", BAD, ids=repr)
def test_a_text_that_is_no_query_is_refused_by_its_column_and_without_its_labels(text):
    for ask in (parse, Transactions([["secret"]]).support, Transactions([]).rows):
        with pytest.raises(InputError, match=BAD[text]) as caught:
            ask(text)
        assert "secret" not in str(caught.value)
        assert "\n" not in str(caught.value)


@given(st.text(alphabet="ab 7&|~()!'\"\\∧or,") | st.text())
@example("0" * 5000)
@example("'" * 4999)
@example("\ud800")
def test_any_text_is_a_query_or_an_input_error(text):
    try:
        found = Transactions([["a"], ["b", 7]]).support(text)
    except InputError as error:
        found = str(error)
    assert found in range(3) or found.startswith("the query ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(" * 100_000, r"ends at column 100001"),
        (")" * 100_000, r"has \) at column 1 "),
        ("(" * 50_000 + "a" + ")" * 49_999, r"opens a bracket at column 1 that is never closed"),
        ("~" * 100_000, r"ends at column 100001"),
        ("a & " * 25_000, r"ends at column 100001"),
        ("'" + "\\'" * 50_000, r"opens a quote at column 1 that is not closed"),
    ],
    ids=lambda value: value[:12],
)
def test_a_hostile_text_ends_in_one_clear_error(text, expected):
    with pytest.raises(InputError, match=expected):
        Transactions([["a"]]).support(text)


def test_brackets_and_signs_may_nest_as_deep_as_they_like():
    rows = Transactions([["a"], [], ["a", "b"]])
    assert rows.support("(" * 50_000 + "a" + ")" * 50_000) == 2
    assert rows.support("~" * 10_001 + "a") == 1
    assert rows.support("~b & (" * 5_000 + "a" + ")" * 5_000) == 1


def test_a_query_is_a_value():
    assert parse("a & ~b") == parse("(a)and(¬b)")
    assert hash(parse("a & ~b")) == hash(parse("a and not b"))
    assert len({parse("a | b"), parse("b | a"), parse("a & b"), parse("'a' | b")}) == 4


def test_a_collection_of_items_is_still_an_itemset():
    rows = Transactions([["a & b"], ["a", "b"]])
    assert (rows.support(["a & b"]), rows.support("a & b"), rows.support("'a & b'")) == (1, 1, 1)
    assert (rows.rows(["a & b"]).tolist(), rows.rows("a & b").tolist()) == ([0], [1])


@pytest.mark.parametrize("name", datasets.EXAMPLES)
def test_a_label_of_an_example_is_a_query_for_its_rows(name):
    rows = datasets.load(name)
    assert [rows.support(str(label)) for label in rows.labels] == [rows.support([label]) for label in rows.labels]
