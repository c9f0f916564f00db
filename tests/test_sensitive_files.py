"""Files of sensitive itemsets: what they say, in words or as patterns, and what is refused without spilling it."""

import gzip
from fractions import Fraction
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import InputError, OptionError, Patterns, Transactions, hide, read_sensitive, write_patterns
from discreet.hiding.problem import parse_sensitive

LABELS = ["bread", "milk", "red wine", "C#", "and", "it's", 42, "007", "tea=green"]
CODE = {label: number for number, label in enumerate(LABELS)}


def named(text, **options):
    return read_sensitive(BytesIO(text.encode()), **options)


def itemsets(text):
    return named(text).among(CODE)


LINES = {
    "bread milk": {"bread", "milk"},
    "bread, milk": {"bread", "milk"},
    "bread,milk": {"bread", "milk"},
    "bread & milk": {"bread", "milk"},
    "bread AND milk": {"bread", "milk"},
    "bread ∧ milk": {"bread", "milk"},
    "  bread\tmilk\r": {"bread", "milk"},
    "milk milk": {"milk"},
    "bread 'red wine'": {"bread", "red wine"},
    'bread, "red wine"': {"bread", "red wine"},
    r"'it\'s' bread": {"it's", "bread"},
    '"it\'s"': {"it's"},
    "C# bread # a comment, not an item": {"C#", "bread"},
    "'and' bread": {"and", "bread"},
    "42 007": {42, "007"},
    "'42'": {42},
    "tea=green": {"tea=green"},
    "bread # @ 10%": {"bread"},
    "bread #don't": {"bread"},
}


@pytest.mark.parametrize("line", LINES)
def test_a_line_names_an_itemset(line):
    assert itemsets(line) == [LINES[line]]


SHARES = {
    "bread @ 10%": Fraction(1, 10),
    "bread@0.1": Fraction(1, 10),
    "bread @1/3 # a third": Fraction(1, 3),
    "bread @ 0": Fraction(0),
    "bread @ 100%#all": Fraction(1),
    "bread": None,
}


@pytest.mark.parametrize(("line", "expected"), SHARES.items(), ids=repr)
def test_a_share_at_the_end_of_a_line_is_that_of_its_itemset(line, expected):
    assert named(line).disclosures == (expected,)


def test_comments_and_empty_lines_are_skipped_and_lines_counted_all_the_same():
    found = named("# head\n\n  \nbread\n , # nothing\nmilk @ 5%\n")
    assert found.places == ("line 4", "line 6")
    assert found.among(CODE) == [{"bread"}, {"milk"}]


def test_the_share_of_a_line_goes_before_that_of_the_call():
    sensitive = parse_sensitive(named("bread @ 10%\nmilk"), "50%", CODE)
    assert sensitive.disclosures == (Fraction(1, 10), Fraction(1, 2))


def test_an_itemset_that_stands_twice_counts_once_with_the_smaller_share():
    sensitive = parse_sensitive(named("bread milk @ 10%\nmilk, bread @ 5%"), 0, CODE)
    assert (sensitive.itemsets, sensitive.disclosures) == ((frozenset(["bread", "milk"]),), (Fraction(1, 20),))


def test_a_bare_number_is_the_number_if_rows_have_it_else_the_text():
    assert named("42").among({42: 0, "42": 1}) == [{42}]
    assert named("'42'").among({42: 0, "42": 1}) == [{"42"}]
    assert named("42").among({"42": 0}) == [{"42"}]


labels = st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs"]), min_size=1)


@given(expected=st.lists(st.frozensets(labels, min_size=1), min_size=1))
def test_any_label_can_be_named_in_quotes(expected):
    def quoted(label):
        return "'" + label.replace("\\", "\\\\").replace("'", "\\'") + "'"

    text = "".join(" ".join(map(quoted, itemset)) + "\n" for itemset in expected)
    code = {label: number for number, label in enumerate(frozenset().union(*expected))}
    assert named(text, format="text").among(code) == expected


def patterns(itemsets=(["bread", "milk"], ["red wine"])):
    return Patterns.from_itemsets([(itemset, 2) for itemset in itemsets], n=5)


@pytest.mark.parametrize("name", ["secret.json", "secret.csv", "secret.txt", "secret.parquet", "secret.json.gz"])
def test_patterns_of_any_format_are_sensitive_itemsets(tmp_path, name):
    write_patterns(patterns(), tmp_path / name)
    found = read_sensitive(tmp_path / name)
    assert sorted(found.among(CODE), key=len) == [{"red wine"}, {"bread", "milk"}]
    assert found.disclosures == (None, None)


@pytest.mark.parametrize("line", ["bread milk (2)", "bread milk (12.34)", "bread milk (7%)"])
def test_supports_are_left_and_no_number_of_rows_is_needed(tmp_path, line):
    (tmp_path / "secret.out").write_text(line, encoding="utf-8")
    assert read_sensitive(tmp_path / "secret.out").among(CODE) == [{"bread", "milk"}]


def test_a_txt_file_with_supports_is_spmf_and_any_other_one_text(tmp_path):
    (tmp_path / "spmf.txt").write_text("42 #SUP: 3\n", encoding="utf-8")
    (tmp_path / "text.txt").write_text("42 bread\n", encoding="utf-8")
    assert read_sensitive(tmp_path / "spmf.txt").among(CODE) == [{42}]
    assert read_sensitive(tmp_path / "text.txt").among(CODE) == [{42, "bread"}]


@pytest.mark.parametrize("name", ["secret.sensitive", "secret", "secret.dat", "secret.sensitive.gz"])
def test_what_is_no_format_of_patterns_is_text(tmp_path, name):
    data = b"bread milk\n"
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    assert read_sensitive(tmp_path / name).among(CODE) == [{"bread", "milk"}]


def test_numbers_in_patterns_are_found_among_labels_of_text():
    listed = b'{"n": 3, "patterns": [{"items": [7], "support": 2}]}'
    assert read_sensitive(BytesIO(listed), format="json").among({"7": 0}) == [{"7"}]


BAD = {
    "@ 10%": "line 1 names no item",
    "bread\n@ 10%": "line 2 names no item",
    "bread @ 110%": "line 1 has after its @ no share from 0 to 1",
    "bread @ -1%": "line 1 has after its @ no share from 0 to 1",
    "bread @ secret": "line 1 has after its @ no share from 0 to 1",
    "bread @": "line 1 has after its @ no share from 0 to 1",
    "bread @ 10% milk": "line 1 goes on at column 13 after its share",
    "bread @ 10% @ 20%": "line 1 goes on at column 13 after its share",
    "bread\nbread | milk": "line 2 has something at column 7 that is no item",
    "bread or milk": "line 1 has something at column 7 that is no item",
    "~bread": "line 1 has something at column 1 that is no item",
    "(bread)": "line 1 has something at column 1 that is no item",
    "bread 'secret": "line 1 has something at column 7 that is no item",
    "bread'milk'": "line 1 has something at column 6 that is no item",
    "# nothing": "no sensitive itemset is named",
    "": "the file is empty",
    "bread\0": "line 1 holds a NUL byte",
}


@pytest.mark.parametrize(("text", "words"), BAD.items(), ids=repr)
def test_what_is_no_list_of_itemsets_is_refused_by_line_and_never_by_label(text, words):
    with pytest.raises(InputError) as refused:
        named(text)
    assert f"the open file: {words}" in str(refused.value)
    assert "secret" not in str(refused.value)
    assert "bread" not in str(refused.value).replace("such as: bread milk", "")


def test_an_empty_itemset_among_patterns_is_refused(tmp_path):
    write_patterns(Patterns.from_itemsets([([], 5), (["bread"], 2)], n=5), tmp_path / "secret.json")
    with pytest.raises(InputError, match=r"secret.json: itemset 1 names no item"):
        read_sensitive(tmp_path / "secret.json")


def test_a_missing_file_and_a_wrong_format_are_refused(tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        read_sensitive(tmp_path / "secret.txt")
    with pytest.raises(OptionError, match="one of text, spmf, csv, parquet, json, borgelt"):
        named("bread", format="fimi")


@pytest.mark.parametrize("show_labels", [True, False])
def test_an_unknown_item_is_told_by_its_place_and_by_its_name_only_if_asked(show_labels):
    with pytest.raises(InputError, match="the open file: line 3, item 2") as refused:
        named("bread\n\nmilk champagne\n").among(CODE, show_labels=show_labels)
    assert ("champagne" in str(refused.value)) is show_labels


def test_an_ambiguous_item_is_refused():
    with pytest.raises(InputError, match="line 1, item 1 is ambiguous: 2 labels"):
        named("2.5").among({2.5: 0, "2.5": 1})


def test_hide_looks_the_names_up_among_the_labels_of_its_rows():
    rows = Transactions([[1, "tea"], [1, 2], ["tea"]])
    assert [set(row) for row in hide(rows, named("1 tea @ 0\n")).transactions][1:] == [{1, 2}, {"tea"}]
    with pytest.raises(InputError, match="line 1, item 2 is in no row"):
        hide(rows, named("1 coffee"))


def test_a_lone_carriage_return_never_joins_two_itemsets():
    with pytest.raises(InputError, match="line 2 holds a carriage return that ends no line"):
        read_sensitive(BytesIO(b"# Mac\ntea\rmilk\n"))
    assert len(read_sensitive(BytesIO(b"tea\r\n'a\rb'\r\n")).itemsets) == 2
