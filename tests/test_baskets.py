"""Every door reads what it is given as what it is, or refuses it: no column, key or digit is taken for an item."""

import datetime as dt
import os
import pathlib
from collections import Counter
from contextlib import suppress
from io import BytesIO

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st

import discreet
from discreet import DiscreetError, InputError, Merged, Transactions, read, scan
from discreet.cli import main
from discreet.data.generate import clinic
from discreet.io import datasets

ROWS = [["a", "b"]] * 20 + [["a"]] * 3 + [["b"]] * 17
"""Honest rows, whose itemsets tell of 3 people: a and not b."""
NUMBERED = [[0, 1]] * 20 + [[0]] * 3 + [[1]] * 17
"""The same, where items are the numbers of columns."""

FRAME = pd.DataFrame([[1, 1]] * 20 + [[1, 0]] * 3 + [[0, 1]] * 17, columns=["a", "b"])
LONG = pd.DataFrame([(at, item) for at, row in enumerate(ROWS) for item in row], columns=["id", "item"])
BITS = FRAME.to_numpy()

OBJECTS = {
    "array": lambda: BITS,
    "array of bools": lambda: BITS.astype(bool),
    "array of floats": lambda: BITS.astype(float),
    "array of objects": lambda: BITS.astype(object),
    "array of text": lambda: BITS.astype(str),
    "array of labels": lambda: np.array([["a", "b"]] * 20),
    "array of three dimensions": lambda: np.zeros((2, 2, 2)),
    "array of one dimension": lambda: np.array([0, 1, 1]),
    "array without dimensions": lambda: np.array(1),
    "array of lists": lambda: np.array(ROWS, dtype=object),
    "array of records": FRAME.to_records,
    "matrix": lambda: np.asmatrix(BITS),
    "masked array": lambda: np.ma.masked_array(BITS, mask=BITS == 0),
    "sparse matrix": lambda: sp.csr_matrix(BITS),
    "sparse array": lambda: sp.coo_array(BITS),
    "frame of pandas": lambda: FRAME,
    "frame of pandas, sparse": lambda: FRAME.astype(pd.SparseDtype("int", 0)),
    "long frame of pandas": lambda: LONG,
    "groups of pandas": lambda: LONG.groupby("id"),
    "frames of groups": lambda: [group for _, group in LONG.groupby("id")],
    "series of groups": lambda: LONG.groupby("id")["item"],
    "series of lists": lambda: pd.Series(ROWS),
    "rows of pandas": FRAME.iterrows,
    "tuples of pandas": FRAME.itertuples,
    "plain tuples of pandas": lambda: FRAME.itertuples(name=None),
    "frame of polars": lambda: pl.DataFrame(FRAME),
    "lazy frame": lambda: pl.LazyFrame(FRAME),
    "long frame of polars": lambda: pl.DataFrame(LONG),
    "series of polars": lambda: pl.Series(ROWS),
    "structs of polars": lambda: pl.DataFrame(FRAME).to_struct(),
    "tuples of polars": lambda: pl.DataFrame(FRAME).rows(),
    "Arrow table": lambda: pa.Table.from_pandas(FRAME),
    "Arrow batch": lambda: pa.RecordBatch.from_pandas(FRAME),
    "Arrow lists": lambda: pa.array(ROWS),
    "records": lambda: FRAME.to_dict("records"),
    "columns": lambda: FRAME.to_dict("list"),
    "lists of bits": FRAME.values.tolist,  # noqa: PD011 - the method that users call
    "lists of bools": FRAME.astype(bool).values.tolist,  # noqa: PD011 - the method that users call
    "lists of text bits": FRAME.astype(str).values.tolist,  # noqa: PD011 - the method that users call
    "arrays in a list": lambda: list(BITS),
    "pairs of id and item": LONG.values.tolist,  # noqa: PD011 - the method that users call
    "pairs of item and id": LONG[["item", "id"]].values.tolist,  # noqa: PD011 - the method that users call
    "lists of yes and no": lambda: FRAME.replace({1: "yes", 0: "no"}).to_numpy().tolist(),
    "lists below a header": lambda: [["a", "b"], *FRAME.astype(str).to_numpy().tolist()],
    "lists of attributes": lambda: [["fm"[at % 2], "yn"[at % 3 % 2], "yn"[at % 5 % 2]] for at in range(40)],
    "counted itemsets": lambda: Counter(map(tuple, ROWS)),
    "text": lambda: "rows.csv",
    "texts": lambda: ["a b"] * 20,
    "bytes": lambda: b"rows.csv",
    "a path": lambda: pathlib.Path("rows.csv"),
    "an open file": lambda: BytesIO(csv_of(ROWS)),
    "nothing": lambda: None,
    "a number": lambda: 7,
    "a date": lambda: dt.date(2020, 1, 1),
    "lists of lists of lists": lambda: [[["a", "b"]]] * 20,
    "a generator": lambda: (row for row in ROWS),
    "sets": lambda: [set(row) for row in ROWS],
    "patterns": lambda: discreet.mine(ROWS, min_support=2),
}

PATTERNS = discreet.mine(ROWS, min_support=2)
VERBS = {
    "audit": lambda rows: discreet.audit(rows, min_support=2, k=5).verdict,
    "audit of patterns": lambda rows: discreet.audit(PATTERNS, rows=rows, k=5).verdict,
    "mine": lambda rows: sorted(support for _, support in discreet.mine(rows, min_support=2)),
    "detect": lambda rows: [channel.count for channel in discreet.detect(PATTERNS, k=5, rows=rows)],
    "attack": lambda rows: str(discreet.attack(PATTERNS, k=5, rows=rows)),
    "tradeoff": lambda rows: discreet.tradeoff(rows, min_supports=[2], ks=[5]).channels.tolist(),
    "block": lambda rows: len(discreet.block(rows, min_support=2, k=5).patterns),
    "hide": lambda rows: discreet.hide(rows, [list(Transactions(rows).labels)[:2]]).items_removed,
    "Merged": lambda rows: Merged.of(rows, 2).weights.tolist(),
    "Transactions": lambda rows: [len(row) for row in Transactions(rows)],
    "read": lambda rows: [len(row) for row in read(rows)],
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("verb", VERBS)
def test_an_odd_object_is_read_as_the_rows_that_it_stands_for_or_refused(verb):
    honest = VERBS[verb](ROWS)
    found = dict.fromkeys(OBJECTS, honest)
    for name, make in OBJECTS.items():
        with suppress(DiscreetError):
            found[name] = VERBS[verb](make())
    assert [name for name, answer in found.items() if answer != honest] == []


@pytest.mark.filterwarnings("ignore")
def test_what_can_be_read_without_a_guess_is_read():
    labelled = ["frame of pandas", "frame of pandas, sparse", "frame of polars", "Arrow table", "array of lists"]
    for name in [*labelled, "series of lists", "series of polars", "Arrow lists", "a generator", "sets"]:
        assert [{str(label) for label in row} for row in Transactions(OBJECTS[name]())] == [*map(set, ROWS)], name
    for name in ("array", "array of bools", "array of floats", "array of objects", "matrix", "sparse matrix"):
        assert Transactions(OBJECTS[name]()) == Transactions(NUMBERED), name


def test_sets_of_the_items_0_and_1_are_rows():
    assert Transactions([{0, 1}, {0}, {1}]).n == 3
    assert Transactions([[0, 1]] * 5).n == 5
    with pytest.raises(InputError, match="the rows are lists of 2 values each, which are 0 or 1"):
        Transactions([[0, 1], [1, 1]])


def test_merged_rows_and_patterns_are_no_rows_of_their_own():
    for value in (Merged.of(ROWS, 2), PATTERNS):
        with pytest.raises(InputError, match="rows are given as"):
            Transactions(value)


# Files of CSV.


def csv_of(rows, separator=","):
    return "".join(f"{separator.join(map(str, row))}\n" for row in rows).encode()


WIDE = [
    ["patient_id", "sex", "age", "diagnosis", *(f"test{at}" for at in range(46))],
    *(
        [1000 + at, "fm"[at % 2], 30 + at % 40, f"d{at % 3}", *("np"[at * column % 7 == 0] for column in range(46))]
        for at in range(300)
    ),
]
UNCLEAR = "and it is unclear whether the first one is a header"
TABLES = {
    "blanks": (csv_of(ROWS[:20], " "), "no line has a comma, and 20 of 20 have blanks"),
    "lists in quotes": (b'"a,b"\n' * 20 + b'"a"\n', "have ',' in their only field: take the quotes out"),
    "0 and 1 without a header": (csv_of(BITS.tolist()), f"all 40 lines have 2 fields of 0 or 1, {UNCLEAR}"),
    "0 and 1 below numbers": (b"1,2\n" + csv_of(BITS.tolist()), f"all 41 lines have 2 fields of 0 or 1, {UNCLEAR}"),
    "a column of 0 and 1": (b"tea\n" + b"0\n1\n" * 20, "the 41 lines hold 0 and 1, as in a one-hot table"),
    "a long table without a header": (csv_of(LONG.values), "--row column1 --item column2 --no-header (each line is a"),
    "a long table of other names": (
        LONG.set_axis(["Kunde", "Artikel"], axis=1).to_csv(index=False),
        "may be a table of row ids and items, or of attributes; say what is meant: --row Kunde --item Artikel",
    ),
    "a long table of other names, shuffled": (
        LONG.set_axis(["Kunde", "Artikel"], axis=1).sample(frac=1, random_state=1).to_csv(index=False),
        "may be a table of row ids and items, or of attributes; say what is meant: --row Kunde --item Artikel",
    ),
    "a wide table without a header": (csv_of(WIDE[1:]), f"all 300 lines have 50 fields, as in a table, {UNCLEAR}"),
    "attributes": (csv_of([row[1:4] for row in WIDE[1:]]), f"all 300 lines have 3 fields, as in a table, {UNCLEAR}"),
    "a comment above a table": (b"# exported\na,b\n" + csv_of(BITS.tolist()), "hold 0 and 1, as in a one-hot table"),
    "a total below a table": (
        b"id,a,b\n" + csv_of([[at, *row] for at, row in enumerate(BITS.tolist())]) + b"Total,40\n",
        "hold 0 and 1, as in a one-hot table",
    ),
    "separators that end all lines": (
        "".join(f"{line},\n" for line in FRAME.to_csv(index=False).splitlines()),
        "column 3 has no label",
    ),
    "yes and no without a header": (csv_of(FRAME.replace({1: "Y", 0: "N"}).to_numpy()), UNCLEAR),
    "crosses": (csv_of(FRAME.replace({1: "x", 0: ""}).to_numpy()), UNCLEAR),
    "ids before baskets": (
        csv_of([[at, *row] for at, row in enumerate(ROWS)]),
        "begin with what looks like row ids, 40 different ones in 40 lines: take these out",
    ),
    "ids and numbers": (
        csv_of([[1 + at // 3, at % 3] for at in range(60)]),
        "20 different ones in 60 lines: take these out; say what is meant: --row column1 --item column2 --no-header",
    ),
    "ids and baskets after a bar": (
        "".join(f"{at}|{','.join(row)}\n" for at, row in enumerate(ROWS)),
        "the fields may be separated otherwise; say what is meant: --separator , (the separator is ',') or",
    ),
    "ids and baskets after a semicolon, with a header": (
        "id;items\n" + "".join(f"{at};{','.join(row)}\n" for at, row in enumerate([["a", "b"], ["c", "d"]] * 20)),
        "a column seems to hold lists: write one line per item",
    ),
    "a header above baskets": (b"items\n" + csv_of(ROWS), "the first line looks like a title, a comment or a header"),
    "a comment above baskets": (b"# exported\n" + csv_of(ROWS), "the first line looks like a title, a comment or a"),
    "a total below baskets": (csv_of([*ROWS, ["Total", 40]]), "the last line looks like a total: take it out"),
    "lists in brackets": ("".join(f"{row}\n" for row in ROWS), "40 of 40 lines stand in brackets: take the brackets"),
    "a line of another separator above baskets": (b"sep=;\n" + csv_of(ROWS), "may be separated otherwise"),
    "missing values": (
        csv_of([["fm"[at % 2], ["yes", "no", ""][at % 3], ["no", "", "yes"][at % 5 % 3]] for at in range(60)]),
        UNCLEAR,
    ),
    "measured values": (csv_of([[20 + at, f"{18 + at % 13}.{at % 10}"] for at in range(60)]), UNCLEAR),
    "a constant": (csv_of([["x", f"d{at % 7}", f"d{at % 5}"] for at in range(60)]), UNCLEAR),
    "pairs below a pair of other labels": (
        csv_of([["wine", "rum"], *([["tea", "rye"], ["rye", "milk"], ["milk", "tea"]] * 10)]),
        UNCLEAR,
    ),
}


@pytest.mark.parametrize(("data", "sentence"), TABLES.values(), ids=TABLES)
def test_a_table_that_is_no_baskets_is_refused_with_the_option_to_give(tmp_path, data, sentence):
    file = tmp_path / "rows.csv"
    file.write_bytes(data.encode() if isinstance(data, str) else data)
    run = CliRunner().invoke(main, ["audit", str(file), "--min-support", "5", "-k", "5"])
    assert run.exit_code == 2
    assert sentence in run.stderr
    assert run.stderr.count("\n") == 1
    for reader in (read, lambda place: scan(place, min_support=2)):
        with pytest.raises(DiscreetError) as caught:
            reader(file)
        assert not {"d1", "1000", "patient_id"} & {*str(caught.value).replace(",", " ").split()}
    assert read(file, format="baskets", separator=",").n == scan(file, min_support=1, format="baskets", separator=",").n


@pytest.mark.parametrize(("data", "sentence"), TABLES.values(), ids=TABLES)
def test_a_choice_that_a_message_names_leads_on(tmp_path, data, sentence):  # noqa: ARG001 - one table of both
    file = tmp_path / "rows.csv"
    file.write_bytes(data.encode() if isinstance(data, str) else data)
    with pytest.raises(InputError) as caught:
        read(file)
    reason = getattr(caught.value, "reason", None)
    for choice in getattr(caught.value, "choices", ()):
        given = {option.name: option.value for option in choice.options}
        assert outcome(lambda given=given: read(file, **given), lambda error: getattr(error, "reason", "")) != reason


READINGS = {
    "semicolons": (csv_of(ROWS, ";"), "read as baskets: 40 rows, 2 items, about 1 in a row, separated by semicolons"),
    "tabs": (csv_of(ROWS, "\t"), "separated by tabs"),
    "bars": (csv_of(ROWS, "|"), "separated by bars"),
    "a separator above baskets": (b"sep=;\n" + csv_of(ROWS, ";"), "separated by semicolons"),
    "0 and 1 with a header": (b"a,b\n" + csv_of(BITS.tolist()), "read as a one-hot table: 40 rows, 2 items"),
    "0 and 1 after ids": (FRAME.to_csv(), "read as a one-hot table: 40 rows, 2 items"),
    "0 and 1 after named ids": (FRAME.to_csv(index_label="who"), "read as a one-hot table: 40 rows, 2 items"),
    "a long table": (LONG.to_csv(index=False), "read as a long table: 40 rows, 2 items, about 1 in a row, row ids in"),
    "a long table of semicolons": (
        LONG.to_csv(index=False, sep=";"),
        "row ids in id, items in item, separated by",
    ),
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
@pytest.mark.parametrize(("data", "sentence"), READINGS.values(), ids=READINGS)
def test_what_is_clear_is_read_by_itself(tmp_path, encoding, data, sentence):
    file = tmp_path / "rows.csv"
    text = data if isinstance(data, str) else data.decode()
    mark = "\ufeff" * (encoding == "utf-16-be")
    file.write_bytes(f"{mark}{text}".encode(encoding))
    rows = read(file)
    assert [*rows] == [*map(frozenset, ROWS)]
    assert sentence in str(rows.reading)
    assert not rows.reading.confirmed


ATTRIBUTES = {
    "a wide table": (
        csv_of(WIDE),
        "300 rows, 49 columns as attribute=value, 130 items, separated by commas;",
    ),
    "yes and no": (FRAME.replace({1: "yes", 0: "no"}).to_csv(index=False), "40 rows, 2 columns as attribute=value, 4"),
    "yes and no after an index": (FRAME.replace({1: "t", 0: "f"}).to_csv(), "column1 left out as an id"),
    "0 and 1 after ages": (
        b"age,a,b\n" + csv_of([[20 + at % 9, *row] for at, row in enumerate(BITS.tolist())]),
        "40 rows, 3 columns as attribute=value, 13 items",
    ),
}


@pytest.mark.parametrize(("data", "sentence"), ATTRIBUTES.values(), ids=ATTRIBUTES)
def test_a_table_of_attributes_is_read_as_such(tmp_path, data, sentence):
    file = tmp_path / "rows.csv"
    file.write_bytes(data.encode() if isinstance(data, str) else data)
    rows = read(file)
    assert str(rows.reading).startswith("read as a table: ")
    assert sentence in str(rows.reading)
    assert all("=" in label for label in rows.labels)


def test_ordinary_baskets_are_read(tmp_path):
    file = tmp_path / "rows.csv"
    for rows in (
        clinic(500, seed=1),
        datasets.load("pkdd2005"),
        ROWS,
        [["a", "b"]] * 30,
        [["sex=f", "age=3"], ["sex=m", "age=4"]] * 9,
    ):
        discreet.write(Transactions(iter(rows)), file)
        assert read(file) == Transactions(iter(rows))
        width = max(map(len, rows))
        file.write_bytes(csv_of([[*row, *[""] * (width - len(row))] for row in rows]))  # as spreadsheets pad them
        assert read(file) == Transactions(iter(rows))


def test_equally_long_baskets_are_no_table(tmp_path):
    file = tmp_path / "rows.csv"
    names = ["whole milk", "rolls", "root vegetables", "soda", "cream cheese", "red wine", "rum", "salt", "jam", "tea"]
    pairs = [[names[at * 7 % 10], names[at * 3 % 10 - 1]] for at in range(60) if at * 7 % 10 != at * 3 % 10 - 1]
    coded = [sorted(2 * column + (at * column % 5 == 0) for column in range(9)) for at in range(40)]
    rare = [[f"c{at}", f"c{at + 40}"] for at in range(30)]
    for rows in (pairs, coded, rare, [["Phone case", "tea"], ["milk", "rye"]], [[name] for name in names * 5]):
        file.write_bytes(csv_of(rows))
        assert read(file) == Transactions(map(set, rows))
        assert scan(file, min_support=1).n == len(rows)


def test_a_table_of_0_and_1_is_no_fimi(tmp_path):
    for name in ("rows.dat", "rows.txt"):
        file = tmp_path / name
        file.write_bytes(csv_of(BITS.tolist(), " "))
        for reader in (read, lambda place: scan(place, min_support=2)):
            with pytest.raises(InputError, match="all 40 lines are 0 and 1, as in a one-hot table"):
                reader(file)


def test_row_ids_are_no_items_of_fimi(tmp_path):
    rows = [[1 + at % 3, 4 + at % 4] for at in range(40)]
    for lines in (
        [[at // 2, at % 2] for at in range(40)],  # the long form
        [[1000 + at, *row] for at, row in enumerate(rows)],
        [[at, *row] for at, row in enumerate(rows)],
        [[at, at % 2, at % 3 % 2] for at in range(2, 40)],  # a one-hot table
        [[at % 2 + 1, *rows[at][: at % 2 + 1]] for at in range(40)],  # how many items there are
    ):
        for name in ("rows.dat", "rows.txt"):
            file = tmp_path / name
            file.write_bytes(csv_of(lines, " "))
            for reader in (read, lambda place: scan(place, min_support=2)):
                with pytest.raises(InputError, match=r"begin with what looks like row ids|as in a one-hot table"):
                    reader(file)
    assert len(read(file, format="spmf")) == len(read(file, format="baskets", separator=" ")) == 40
    file.write_bytes(csv_of(rows, " "))
    assert len(read(file)) == 40


def test_lists_of_items_are_no_items_of_a_long_table(tmp_path):
    file = tmp_path / "rows.csv"
    for text in ("{a,b}", "a,b", "b; a", "a|b"):
        labels = [text, text.replace("a", "c"), text.replace("b", "c"), text] * 10
        frame = pd.DataFrame({"id": range(40), "items": labels})
        frame.to_csv(file, index=False)
        for call in (
            lambda: read(file, row="id", item="items"),
            lambda: scan(file, min_support=1, row="id", item="items"),
            lambda frame=frame: read(frame, row="id", item="items"),
        ):
            with pytest.raises(InputError, match="most items look like lists of items; write one line per item"):
                call()
    file.write_text("id,items\n" + "".join(f'{at},"item {at % 20}, fresh"\n' for at in range(40)))
    assert read(file, row="id", item="items").n == 40


def test_a_tab_can_be_named_in_a_shell(tmp_path):
    file = tmp_path / "rows.csv"
    file.write_bytes(csv_of(ROWS, "\t"))
    assert read(file, separator="\\t") == read(file, separator="\t") == Transactions(ROWS)


def test_a_table_is_not_hidden_in_as_baskets(tmp_path):
    file = tmp_path / "rows.csv"
    file.write_bytes(LONG.to_csv(index=False).encode())
    with pytest.raises(DiscreetError, match="one scan goes from a file with a line a row to another one"):
        discreet.hide_file(file, tmp_path / "hidden.csv", [["a"]])
    assert not (tmp_path / "hidden.csv").exists()


def test_labels_that_differ_only_in_blanks_must_be_meant(tmp_path):
    file = tmp_path / "rows.csv"
    file.write_bytes(b"milk, bread\nbread, milk\n")
    for reader in (read, lambda place, **given: scan(place, min_support=1, **given)):
        with pytest.raises(InputError, match="2 of 4 labels are blank, or differ from others only in blanks"):
            reader(file)
        assert reader(file, format="baskets").n == 2


def test_a_panic_of_a_library_is_not_seen(tmp_path, monkeypatch, capfd):
    def panic(*_, **__):
        os.write(2, b"thread '<unnamed>' panicked at crates/polars")
        raise pl.exceptions.PanicException("secret")

    file = tmp_path / "rows.parquet"
    pl.DataFrame({"items": [["a"]]}).write_parquet(file)
    for name in ("read_parquet", "scan_parquet"):
        monkeypatch.setattr(pl, name, panic)
    for reader in (read, lambda place: scan(place, min_support=1)):
        with pytest.raises(InputError, match="this is no Parquet file, or a damaged one"):
            reader(file)
    os.write(2, b"later")
    assert capfd.readouterr().err == "later"


# Line ends.


def outcome(call, why=lambda error: "ids do not rise" if "do not rise" in str(error) else "refused"):
    try:
        found = call()
    except InputError as error:
        return why(error)
    return found


TOKENS = [
    b"a",
    b"7",
    b",",
    b";",
    b'"',
    b"\r",
    b"\n",
    b"\r\n",
    b" ",
    b"'",
    b"=",
    b"#",
    b"@",
    b"1,a",
    b'7,"a\rb"',
    b"1,b\r",
]
LONG_FORM = {"format": "csv", "row": "a", "item": "b"}


@given(
    data=st.lists(st.sampled_from(TOKENS), min_size=1, max_size=12).map(b"".join),
    options=st.sampled_from(
        [
            {"format": "csv"},
            {"format": "baskets"},
            {"format": "baskets", "separator": ",", "empty_rows": True},
            LONG_FORM,
            {"format": "fimi"},
            {"format": "spmf", "empty_rows": True},
        ]
    ),
    head=st.sampled_from([b"a,b\n", b"a,b\r", b"b,c,a\r\n"]),
    chunk=st.sampled_from([1, 3, 1 << 20]),
)
@example(b"1,a\r1,b\n", LONG_FORM, b"a,b\n", 1)
@example(b'1,"a\rb"\n2,a\n', LONG_FORM, b"a,b\r\n", 3)
@example(b"1,a\r\n\r\n2,a\r\n", LONG_FORM, b"a,b\r\n", 3)
def test_read_and_scan_agree_on_line_ends_and_quotes(tmp_path_factory, data, options, head, chunk):
    data = head + data if "row" in options else data
    file = tmp_path_factory.mktemp("rows") / "rows"
    file.write_bytes(data)
    expected = outcome(lambda: Merged.of(Transactions(iter(read(file, **options))), 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("discreet.io.compression.CHUNK", chunk)
        found = outcome(lambda: scan(file, min_support=1, **options))
    assert found in (expected, "ids do not rise")
