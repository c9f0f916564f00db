"""Rows: what is written is read back, and files of others are read as their formats mean it."""

import csv
from contextlib import suppress
from io import BytesIO, StringIO
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from discreet import InputError, OptionError, OutputError, Transactions, read, scan, write
from discreet.errors import UnclearError

FORMATS = ("fimi", "spmf", "csv", "onehot", "parquet")
MEANT = {
    "fimi": {"format": "fimi", "empty_rows": True},
    "spmf": {"format": "spmf", "empty_rows": True},
    "csv": {"format": "baskets", "separator": ",", "empty_rows": True},
    "onehot": {"format": "onehot", "separator": ",", "header": True},
}
SUFFIXES = {"fimi": ".dat", "spmf": ".txt", "csv": ".csv", "parquet": ".parquet"}

words = st.sampled_from(["milk", "rye bread", "beer, dark", 'the "best"', "käse", "10", "a;b"])
numbers = st.integers(0, 2**31 - 1) | st.integers(0, 5)
anything = (
    st.text(max_size=3) | st.integers() | st.integers(-3, 3) | st.sampled_from(["1", "01", " a", "(2)", "#", "@"])
)


def tables(labels, *, least=0):
    return st.lists(st.frozensets(labels, max_size=5), min_size=least, max_size=6)


def written(rows, form):
    file = BytesIO()
    write(rows, file, format=form)
    return file.getvalue()


def as_meant(form):
    """How a file is read whatever its lines look like."""
    return MEANT.get(form, {"format": form})


@pytest.mark.parametrize("form", FORMATS)
@given(rows=tables(numbers, least=1))
def test_rows_of_numbers_are_read_back_from_every_format(form, rows):
    assume(form != "onehot" or any(rows))  # a table without columns is refused
    assert read(BytesIO(written(rows, form)), **as_meant(form)) == Transactions(rows)


@pytest.mark.parametrize("form", FORMATS)
@given(rows=st.lists(st.frozensets(words, min_size=1, max_size=5), min_size=1, max_size=30))
def test_files_of_ours_are_read_back_or_unclear_without_any_option(form, rows):
    found = rows
    with suppress(OutputError, UnclearError):
        found = [*read(BytesIO(written(rows, form)))]
    assert found == rows


@pytest.mark.parametrize("form", ["spmf", "csv", "onehot", "parquet"])
@given(rows=tables(words, least=1))
def test_rows_of_words_are_read_back_from_every_format_but_fimi(form, rows):
    assume(form != "onehot" or any(rows))
    # Words that all look like numbers are refused: see below.
    assume(form not in {"csv", "onehot"} or frozenset().union(*rows) != {"10"})
    assert read(BytesIO(written(rows, form)), **as_meant(form)) == Transactions(rows)


@pytest.mark.parametrize("form", FORMATS)
@given(rows=tables(anything))
def test_any_rows_are_refused_or_read_back(form, rows):
    data = None
    with suppress(OutputError):
        data = written(rows, form)
    assert data is None or read(BytesIO(data), **as_meant(form)) == Transactions(rows)


@given(rows=tables(words), numbered=st.booleans())
def test_row_ids_are_read_back_from_parquet(rows, numbered):
    ids = list(range(len(rows))) if numbered else [f"row {number}" for number in range(len(rows))]
    transactions = Transactions(rows, ids=ids)
    assert read(BytesIO(written(transactions, "parquet")), format="parquet") == transactions


@pytest.mark.parametrize("form", FORMATS)
@given(rows=tables(numbers, least=1), seed=st.randoms())
def test_equal_rows_give_equal_bytes_whatever_their_codes(form, rows, seed):
    assume(form != "onehot" or any(rows))
    expected = Transactions(rows)
    labels = list(expected.labels)
    seed.shuffle(labels)
    code = {label: number for number, label in enumerate(labels)}
    items = np.array([code[label] for row in rows for label in row], dtype=np.int32)
    offsets = np.cumsum([0, *map(len, rows)])
    assert written(Transactions.from_codes(offsets, items, labels), form) == written(expected, form)


@pytest.mark.parametrize("form", FORMATS)
def test_a_slice_of_rows_is_read_back(form):
    rows = Transactions([[1, 2], [3], [], [2, 3]])[1:3]
    assert read(BytesIO(written(rows, form)), **as_meant(form)) == rows


@pytest.mark.parametrize("packed", ["", ".gz", ".xz", ".zst"])
@pytest.mark.parametrize("form", SUFFIXES)
def test_suffixes_tell_format_and_compression(tmp_path, form, packed):
    path = tmp_path / f"rows{SUFFIXES[form]}{packed}"
    rows = Transactions([[1, 2], [3], [2, 7]])
    write(rows, path)
    assert read(path) == rows
    before = path.read_bytes()
    write(rows, path)
    assert path.read_bytes() == before


def test_formats_are_no_larger_when_packed(tmp_path):
    rows = Transactions([[1, 2, 3]] * 5000)
    write(rows, tmp_path / "rows.dat")
    write(rows, tmp_path / "rows.dat.gz")
    assert (tmp_path / "rows.dat.gz").stat().st_size * 10 < (tmp_path / "rows.dat").stat().st_size


FIMI = {
    "blanks at the ends and between": (b"  3 1\t2  \n4 \n", [{1, 2, 3}, {4}]),
    "no last line end": (b"1 2\n3", [{1, 2}, {3}]),
    "carriage returns": (b"1 2\r\n\r\n3\r\n", [{1, 2}, set(), {3}]),
    "empty rows": (b"\n\n1\n\n", [set(), set(), {1}, set()]),
    "repeated and unordered items": (b"9 1 9 1\n", [{1, 9}]),
    "leading zeros": (b"007 0\n", [{0, 7}]),
    "a byte-order mark": (b"\xef\xbb\xbf1 2\n", [{1, 2}]),
    "the largest item": (b"2147483647 0\n5\n", [{0, 2147483647}, {5}]),
    "a row with blanks alone": (b" \n1", [set(), {1}]),
}


@pytest.mark.parametrize(("data", "expected"), FIMI.values(), ids=FIMI)
def test_fimi_files_may_have(data, expected):
    rows = read(BytesIO(data), format="fimi", empty_rows=True)
    assert list(rows) == expected
    assert all(type(label) is int for label in rows.labels)
    assert list(rows.labels) == sorted(rows.labels)


@given(rows=tables(numbers, least=1))
def test_fimi_files_are_read_as_python_reads_numbers(rows):
    data = "\n".join(" ".join(map(str, row)) for row in rows) + "\n"
    expected = [{int(number) for number in line.split()} for line in data.split("\n")[:-1]]
    assert list(read(BytesIO(data.encode()), format="fimi", empty_rows=True)) == expected


SPMF = {
    "comments": (b"# a\n1 2\n% b\n@c\n2\n", [{1, 2}, {2}]),
    "labels": (
        b"@CONVERTED_FROM_TEXT\r\n@ITEM=1=green apple\r\n@ITEM=2==\r\n1 2\r\n2\r\n",
        [{"green apple", "="}, {"="}],
    ),
    "labels of items that no row holds": (b"@ITEM=1=a\n@ITEM=2=b\n2\n", [{"b"}]),
    "labels that look like numbers": (b"@CONVERTED_FROM_TEXT\n@ITEM=3=1\n3\n", [{"1"}]),
}


@pytest.mark.parametrize(("data", "expected"), SPMF.values(), ids=SPMF)
def test_spmf_files_may_have(data, expected):
    assert list(read(BytesIO(data), format="spmf")) == expected


BASKETS = {
    "ragged rows": (b"milk,bread\nmilk\n", [{"milk", "bread"}, {"milk"}]),
    "empty fields": (b"milk,,\n,,\n", [{"milk"}, set()]),
    "blanks around labels": (b"milk , rye bread\n", [{"milk ", " rye bread"}]),
    "formulas that are escaped": (b"'=1+1,'' tea,'-5\n''@x\n", [{"=1+1", "'' tea", "-5"}, {"'@x"}]),
    "lone carriage returns": (b'a,b\r\rc,"d\re"', [{"a", "b"}, set(), {"c", "d\re"}]),
    "quotes": (b'"a,b","c ""d"""\n', [{"a,b", 'c "d"'}]),
    "whole numbers": (b"1,2\n10\n", [{1, 2}, {10}]),
    "numbers among words": (b"1,b\n", [{"1", "b"}]),
    "zeros before numbers": (b"01,2\n", [{"01", "2"}]),
    "umlauts and a byte-order mark": ("\ufeffkäse\n".encode(), [{"käse"}]),
    "carriage returns": (b"a,b\r\n\r\nc", [{"a", "b"}, set(), {"c"}]),
}


@pytest.mark.parametrize(("data", "expected"), BASKETS.values(), ids=BASKETS)
def test_baskets_may_have(data, expected):
    assert list(read(BytesIO(data), format="csv", empty_rows=True)) == expected


BLANK = {
    "fimi": (b"1 2\n\n3\n\n \n", [{1, 2}, set(), {3}, set(), set()], "line 2 holds no item"),
    "spmf": (b"# a\n1 2\n\n\n3\n\n", [{1, 2}, set(), set(), {3}, set()], "line 2 and 1 more before the last row"),
    "csv": (b"a,b\n,,\nc\n\n", [{"a", "b"}, set(), {"c"}, set()], "line 2 holds no item"),
}


@pytest.mark.parametrize(("form", "data", "rows", "sentence"), [(form, *case) for form, case in BLANK.items()])
def test_blank_lines_are_rows_only_if_that_is_said(tmp_path, form, data, rows, sentence):
    path = tmp_path / "rows"
    path.write_bytes(data)
    for reader in (read, lambda place, **given: scan(place, min_support=1, **given)):
        with pytest.raises(UnclearError, match=sentence) as caught:
            reader(path, format=form)
        assert str(caught.value).endswith("empty_rows=True (each of them is a row without items)")
        assert reader(path, format=form, empty_rows=True).n == len(rows)
    assert list(read(path, format=form, empty_rows=True)) == rows
    path.write_bytes(data.replace(b"\n\n", b"\n", 1).replace(b",,\n", b"").replace(b"\n\n3", b"\n3"))
    assert read(path, format=form) == Transactions(filter(None, rows))
    assert scan(path, min_support=1, format=form).n == 2


@pytest.mark.parametrize("data", [b"\n", b"\r\n\n", b",,\n"])
def test_a_file_of_blank_lines_is_refused(tmp_path, data):
    path = tmp_path / "rows.csv"
    path.write_bytes(data)
    for reader in (read, lambda place: scan(place, min_support=1)):
        with pytest.raises(InputError, match="holds no row"):
            reader(path)


def test_the_separator_of_baskets_is_an_option():
    assert list(read(BytesIO(b"a,b;c\n"), format="csv", separator=";")) == [{"a,b", "c"}]


def test_the_long_form_keeps_row_ids_in_the_order_in_which_they_appear():
    data = b"who,when,what\nz,1,milk\na,1,milk\nz,2,bread\nz,2,milk\n"
    rows = read(BytesIO(data), format="csv", row="who", item="what")
    assert rows == Transactions([["milk", "bread"], ["milk"]], ids=["z", "a"])


def test_the_long_form_of_numbers_has_numbers_for_labels():
    rows = read(BytesIO(b"id;item\n2;10\n1;9\n"), format="csv", row="id", item="item", separator=";")
    assert rows == Transactions([[10], [9]], ids=[2, 1])


def test_rows_transactions_and_iterables_are_sources_too():
    rows = Transactions([["a"], []])
    assert read(rows) is rows
    assert read([["a"], []]) == rows
    assert read(iter([["a"], []])) == rows


def test_standard_input_and_output_have_the_name_of_a_dash(monkeypatch, capsysbinary):
    class Standard:
        buffer = BytesIO(b"1 2\n")

    monkeypatch.setattr("sys.stdin", Standard)
    rows = read("-", format="fimi")
    write(rows, "-", format="fimi")
    assert capsysbinary.readouterr().out == b"1 2\n"


def test_paths_may_be_text_or_paths_and_suffixes_in_capitals(tmp_path):
    path = tmp_path / "ROWS.DAT"
    path.write_bytes(b"1 2\n")
    assert read(path) == read(str(path)) == read(Path(path)) == Transactions([[1, 2]])


@pytest.mark.parametrize(
    ("rows", "form", "sentence"),
    [
        ([["a"]], "fimi", "FIMI needs labels that are whole numbers from 0 to 2147483647"),
        ([[-1]], "fimi", "needs labels that are whole numbers from 0"),
        ([[2**31]], "spmf", "needs labels that are whole numbers from 0"),
        ([["a", 1]], "spmf", "not all text or all whole numbers, which SPMF cannot hold"),
        ([["a\nb"]], "spmf", "SPMF cannot hold a label with a line end or a NUL"),
        ([[2.5]], "csv", "not all text or all whole numbers, which CSV cannot hold"),
        ([[True]], "parquet", "not all text or all whole numbers, which Parquet cannot hold"),
        ([[2**70]], "parquet", "not all text or all whole numbers of 64 bits"),
        ([["1", "2"]], "csv", "text that looks like whole numbers"),
        ([["a\rb"]], "csv", "item 1 of 1 has a label that CSV cannot hold"),
        ([{""}], "csv", "item 1 of 1 has a label that CSV cannot hold"),
        ([["\ud800"]], "parquet", "the labels are not all text"),
        ([], "fimi", "there are no rows"),
        (Transactions([[1]], ids=[7]), "fimi", "FIMI cannot hold row ids"),
    ],
)
def test_what_a_format_cannot_hold_is_refused(tmp_path, rows, form, sentence):
    path = tmp_path / "rows"
    with pytest.raises(OutputError, match=sentence):
        write(rows, path, format=form)
    assert list(tmp_path.iterdir()) == []


def test_options_of_other_formats_are_refused():
    with pytest.raises(OptionError, match="separator= means nothing for the format fimi"):
        read(BytesIO(b"1"), format="fimi", separator=";")
    with pytest.raises(OptionError, match="row= means nothing for a source of plain rows"):
        read([[1]], row="id")
    with pytest.raises(OptionError, match="format= is for files"):
        read([[1]], format="fimi")
    with pytest.raises(OptionError, match="needs both columns"):
        read(BytesIO(b"a,b"), format="csv", row="a")
    with pytest.raises(OptionError, match="one character"):
        read(BytesIO(b"a,b"), format="csv", separator=", ")


def test_a_label_of_blanks_must_be_meant():
    with pytest.raises(InputError, match="1 of 2 labels are blank, or differ from others only in blanks around them"):
        read(BytesIO(b"milk, ,\n"), format="csv")
    assert list(read(BytesIO(b"milk, ,\n"), format="baskets")) == [{"milk", " "}]


odd = st.text(st.sampled_from("ab =+-@'\t\r\n\",;|＝"), min_size=1, max_size=4)


@pytest.mark.parametrize("form", ["spmf", "csv", "onehot", "parquet"])
@given(rows=tables(odd, least=1))
def test_labels_of_blanks_quotes_and_signs_are_read_back_or_refused(form, rows):
    labels = frozenset().union(*rows)
    may_be_refused = (form != "parquet" and any({*label} & {*"\r\n"} for label in labels)) or (
        form == "onehot" and (not labels or not all(map(str.strip, labels)))
    )
    data = None
    with suppress(OutputError):
        data = written(rows, form)
    assert may_be_refused or data is not None
    assert data is None or read(BytesIO(data), **as_meant(form)) == Transactions(rows)


@pytest.mark.parametrize("form", ["csv", "onehot"])
@given(rows=tables(odd, least=1))
def test_no_field_of_a_csv_is_a_formula(form, rows):
    try:
        data = written(rows, form)
    except OutputError:
        reject()
    fields = [field for line in csv.reader(StringIO(data.decode(), newline="")) for field in line]
    assert not any(field.startswith(tuple("=+-@\t\r＝＋－＠")) for field in fields)


def test_labels_keep_their_blanks_in_every_format(tmp_path):
    rows = [["cream cheese ", " tea", "milk"], ["milk"]]
    for form in ("csv", "onehot", "spmf", "parquet"):
        assert read(BytesIO(written(rows, form)), format=form) == Transactions(rows)
    frame = pl.DataFrame({"id": [1, 1, 1, 2], "what": ["cream cheese ", " tea", "milk", "milk"]})
    frame.write_csv(tmp_path / "long.csv")
    long = read(tmp_path / "long.csv", row="id", item="what")
    assert long == read(frame, row="id", item="what") == Transactions(rows, ids=[1, 2])


def test_a_blank_before_a_quote_is_refused():
    for data in (b'tea, "red, dry"\n', b'tea,rye\n\t"milk"\n'):
        with pytest.raises(InputError, match="has blanks before a quote"):
            read(BytesIO(data), format="csv", separator=",")
    assert list(read(BytesIO(b'" ""x","a, ""b"\n'), format="csv")) == [{' "x', 'a, "b'}]


@pytest.mark.parametrize(
    ("data", "form"), [(b"1 2\r3 4\n", "fimi"), (b"1 2\r 3\n", "fimi"), (b"@A\r1 2\r2 3\r", "spmf")]
)
def test_a_lone_carriage_return_in_rows_of_numbers_is_refused(data, form):
    with pytest.raises(InputError, match="line 1 holds a carriage return that ends no line"):
        read(BytesIO(data), format=form)
