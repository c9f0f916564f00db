"""One-hot tables in CSV: they are read as what they say, refused with a place, and lose ones and nothing else."""

import csv
import json
from io import BytesIO, StringIO

import pytest
from click.testing import CliRunner
from hypothesis import given, reject
from hypothesis import strategies as st

from discreet import InputError, OptionError, OutputError, Transactions, hide, read, rewrite, write, write_hidden
from discreet.cli import main
from discreet.errors import UnclearError

words = st.sampled_from(["milk", "rye bread", "beer, dark", 'the "best"', "käse", "10", "a;b", "0", "true"])
ONES, ZEROS = ["1", "1.0", "true", "True", "TRUE"], ["0", "0.0", "false", "False", "FALSE"]


def parsed(data, **options):
    return read(BytesIO(data), format="onehot", **options)


def written(rows):
    file = BytesIO()
    write(rows, file, format="onehot")
    return file.getvalue()


def rewritten(data, losses, **options):
    target = BytesIO()
    rewrite(BytesIO(data), target, [(row, frozenset(lost)) for row, lost in losses.items()], format="onehot", **options)
    return target.getvalue()


@st.composite
def tables(draw, separator=","):
    """The columns, rows and ids of a table, and the table in cells: with quotes, blanks, and ones of any kind."""
    labels = draw(st.lists(words, min_size=1, max_size=4, unique=True))
    rows = draw(st.lists(st.frozensets(st.sampled_from(labels)), max_size=5))
    ids = draw(st.none() | st.lists(st.sampled_from(["x", "y y", 'z"']), min_size=len(rows), max_size=len(rows)))
    at = draw(st.integers(0, len(labels)))

    def label(text):
        quote = draw(st.booleans()) or any(sign in text for sign in f'"{separator}\n')
        return '"' + text.replace('"', '""') + '"' if quote else text

    def cell(text):
        text = label(text)
        return draw(st.sampled_from(["", " "])) + text + ("" if text[0] == '"' else draw(st.sampled_from(["", " "])))

    lines = [[label(text) for text in labels]]
    lines += [[cell(draw(st.sampled_from(ONES if label in row else ZEROS))) for label in labels] for row in rows]
    if ids is not None:
        lines[0].insert(at, label("who"))
        for line, name in zip(lines[1:], ids, strict=True):
            line.insert(at, cell(name))
    columns = labels if ids is None else [*labels[:at], "who", *labels[at:]]
    return columns, rows, ids, lines


@st.composite
def files(draw, separator=","):
    """A table as a file: with line ends of all kinds, lines of blanks, perhaps a byte-order mark."""
    _, rows, ids, lines = draw(tables(separator))
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    text = draw(st.sampled_from(["", "\ufeff"]))
    for line in lines:
        text += separator.join(line) + end + draw(st.sampled_from(["", "", end, f"  {end}"]))
    data = text.removesuffix(end) if draw(st.booleans()) else text
    return rows, ids, data.encode()


def options_of(ids, separator):
    return {"separator": separator, "header": True, **({} if ids is None else {"row": "who"})}


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@given(data=st.data())
def test_a_table_is_read_as_it_was_meant(separator, data):
    rows, ids, content = data.draw(files(separator))
    found = parsed(content, **options_of(ids, separator))
    assert [{str(item) for item in row} for row in found] == rows
    assert found.ids == ids


@given(rows=st.lists(st.frozensets(words, max_size=5), min_size=1, max_size=6).filter(any))
def test_what_is_written_is_read_by_others(rows):
    try:
        content = written(rows)
    except OutputError:
        reject()  # all labels look like numbers
    header, *lines = csv.reader(StringIO(content.decode()))
    assert [{label for label, cell in zip(header, line, strict=True) if cell == "1"} for line in lines] == rows
    assert {cell for line in lines for cell in line} <= {"0", "1"}


def test_blocks_of_lines_follow_each_other(monkeypatch):
    rows = Transactions([[at % 7, 10 + at % 5] for at in range(100)])
    expected = written(rows)
    monkeypatch.setattr("discreet.io.formats.onehot.BLOCK", 100)
    assert written(rows) == expected
    assert parsed(expected) == rows
    assert parsed(written(rows[20:30])) == rows[20:30]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@given(data=st.data())
def test_ones_become_zeros_and_all_else_is_the_same_bytes(separator, data):
    columns, rows, ids, lines = data.draw(tables(separator))
    held = [(at, label) for at, row in enumerate(rows) for label in sorted(row)]
    gone = data.draw(st.lists(st.sampled_from(held), unique=True)) if held else []
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    before = end.join(map(separator.join, lines)).encode()
    for at, label in gone:
        line, column = lines[at + 1], columns.index(label)
        one = next(one for one in ONES if one in line[column])
        line[column] = line[column].replace(one, ZEROS[ONES.index(one)])
    losses = {at: [label for row, label in gone if row == at] for at, _ in gone}
    after = rewritten(before, losses, **options_of(ids, separator))
    assert after == end.join(map(separator.join, lines)).encode()


def test_words_of_letters_of_odd_sizes_become_false():
    assert rewritten(b"a,b\n tRUE,1\n", {0: ["a"]}) == b"a,b\n false,1\n"


def test_a_blank_may_be_the_separator():
    assert [*parsed(b'tea "rye bread"\n1 0\n1 1\n', separator=" ")] == [{"tea"}, {"tea", "rye bread"}]


GOOD = {
    "whole numbers for labels": (b"10,9\n1,0\n", {}, [{10}], None),
    "no rows": (b"a,b\n", {}, [], None),
    "no line end after the header": (b"a,b", {}, [], None),
    "rows without items": (b"a,b\n0,0\n0,0\n", {}, [set(), set()], None),
    "one column": (b"a\n1\n\n0\n", {}, [{"a"}, set()], None),
    "ids of whole numbers": (b"a,who\n1,7\n0,8\n", {"row": "who"}, [{"a"}, set()], [7, 8]),
    "ids in a column without a name": (b",a\n0,1\n1,0\n", {"row": ""}, [{"a"}, set()], [0, 1]),
    "an id of two lines": (b'a,who\n1,"x\ny"\n0,z\n', {"row": "who"}, [{"a"}, set()], ["x\ny", "z"]),
    "a header of two lines": (b'"a\nb",c\n1,0\n', {}, [{"a\nb"}], None),
    "lines of blanks before the header": (b"\n  \na,b\n1,0\n", {}, [{"a"}], None),
}


@pytest.mark.parametrize(("content", "options", "rows", "ids"), GOOD.values(), ids=GOOD)
def test_tables_may_have(content, options, rows, ids):
    found = parsed(content, **options)
    assert [*found] == rows
    assert found.ids == ids


BAD = {
    "a number": (b"a,b\n1,0\n1,2\n", "line 3 holds in column 2 something other than 0, 1, true and false"),
    "a word": (b"a,b\nsecret,0\n", "line 2 holds in column 1 something other"),
    "a word as long as true": (b"a,b\ntrux,0\n", "line 2 holds in column 1 something other"),
    "another share": (b"a\n1.5\n", "line 2 holds in column 1 something other"),
    "a column of ids that is not named": (b"id,a\n7,0\n", "name it with row= if it holds row ids"),
    "missing values": (b"a,b\n1,\n", "line 2 has a missing value in column 2; fill it with 0 or false"),
    "missing values in quotes": (b'a\n" "\n', "line 2 has a missing value in column 1"),
    "a line of separators": (b"a\tb\n\t\n", "line 2 has a missing value in column 1"),
    "a short line": (b"a,b,c\n1,0,0\n1,0\n", "line 3 has not as many fields as the header, 3"),
    "a long line": (b"a,b\r\n1,0\r\n\r\n1,0,1\r\n", "line 4 has not as many fields as the header, 2"),
    "another separator": (b"a;b\n1,0\n", "line 2 has not as many fields as the header"),
    "a quote that does not end": (b'a,b\n1,"0\n', "line 2 has in column 2 a quote that does not end"),
    "text after a quote": (b'a,b\n1,"0"1\n', "line 2 has in column 2 a quote that does not end, or text after one"),
    "a quote in the header that does not end": (b'a,"secret\n1,0\n', "a quote that does not end"),
    "labels twice": (b"x,secret,y,secret\n1,0,0,1\n", "columns 2 and 4 have the same label; give each one of its own"),
    "no label": (
        b",a\n0,1\n",
        "column 1 has no label; give it one in the header, or leave it out: if it holds row ids",
    ),
    "blanks alone": (b"\n \n", "the file holds nothing but blanks; a one-hot table begins with a header"),
    "a NUL": (b"a,b\n1,\0\n", "this is not a text table"),
    "no UTF-8": (b"a,b\n1,\xff\n", "line 2 holds in column 2 something other"),
    "no text": (b"a,b\n1,\x81\n", "this text is neither in UTF-8 nor in Windows-1252"),
    "nothing": (b"", "the file is empty"),
}


@pytest.mark.parametrize(("content", "sentence"), BAD.values(), ids=BAD)
def test_what_is_no_table_is_refused_by_its_place_and_not_by_its_text(content, sentence):
    separator = "\t" if b"\t" in content else ";" if b";" in content else ","
    with pytest.raises(InputError, match=sentence) as raised:
        parsed(content, separator=separator)
    assert "secret" not in str(raised.value)


def test_line_numbers_count_lines_within_quotes_and_line_ends_of_all_kinds():
    for end in (b"\n", b"\r\n", b"\r"):
        content = end.join([b"who,a", b'"x', b'y",1', b"", b"z,2"])
        with pytest.raises(InputError, match="line 5 holds in column 2"):
            parsed(content, row="who")


def test_columns_of_ids_are_checked():
    with pytest.raises(InputError, match="none of the 2 columns is called 'whom'; did you mean 'who'"):
        parsed(b"who,a\n7,1\n", row="whom")
    with pytest.raises(InputError, match="column 1 holds 2 missing values; give each row an id"):
        parsed(b'who,a\n7,1\n,0\n" ",0\n', row="who")


@pytest.mark.parametrize("separator", ["", ",,", '"', "\n", "§"])
def test_a_separator_is_one_character(separator):
    with pytest.raises(OptionError, match=r"the separator .*must be"):
        parsed(b"a,b\n", separator=separator)


def test_options_of_other_shapes_mean_nothing():
    with pytest.raises(OptionError, match="item= means nothing for the format onehot"):
        parsed(b"a\n1\n", item="a")


UNWRITTEN = {
    "no rows": (Transactions([]), "there are no rows"),
    "no items": (Transactions([[], []]), "no row holds an item, and a one-hot table has a column an item"),
    "ids": (Transactions([["a"]], ids=[7]), "a one-hot table cannot hold row ids"),
    "a label of blanks": (Transactions([["  "]]), "has a label that a one-hot table cannot hold"),
    "a mark before the first label": (Transactions([["\ufeffa"]]), "has a label that a one-hot table cannot hold"),
}


@pytest.mark.parametrize(("rows", "sentence"), UNWRITTEN.values(), ids=UNWRITTEN)
def test_what_a_table_cannot_hold_is_refused(rows, sentence):
    with pytest.raises(OutputError, match=sentence):
        written(rows)


@pytest.mark.parametrize("losses", [{0: ["b"]}, {0: ["c"]}, {2: ["a"]}], ids=["a zero", "no column", "no row"])
def test_a_row_that_does_not_hold_what_it_shall_lose_is_refused(losses):
    with pytest.raises(InputError, match=f"row {min(losses) + 1} does not hold an item that it shall lose"):
        rewritten(b"a,b\n1,0\n1,1\n", losses)


def test_a_one_hot_table_is_not_taken_for_baskets():
    for content in (b"a,b,c\n1,0,1\n0,0,0\n", b"a,b,c\r\nTrue,False,True\r\nfalse,false,FALSE\n"):
        rows = read(BytesIO(content), format="csv")
        assert [*rows] == [{"a", "c"}, set()]
        assert rows.reading.shape == "onehot"
    for content in (b"0,1,2\n1,0,1\n0,0,0\n", b"1,0\n1,1\n", b"a\n1\n0\n"):
        with pytest.raises(UnclearError, match="format='onehot'"):
            read(BytesIO(content), format="csv")


def test_baskets_of_numbers_are_no_one_hot_table():
    assert [*read(BytesIO(b"2,3\n0,1\n"), format="csv")] == [{2, 3}, {0, 1}]
    assert [*read(BytesIO(b"2,3,4\n0,1\n"), format="csv")] == [{2, 3, 4}, {0, 1}]
    assert [*read(BytesIO(b"2,3,4\n0,1,4\n"), format="csv")] == [{2, 3, 4}, {0, 1, 4}]
    assert [*read(BytesIO(b"a,b,c\n"), format="csv")] == [{"a", "b", "c"}]


@pytest.fixture
def table(tmp_path):
    """40 rows with a, b and c, 3 with a and b alone, and 40 without any."""
    file = tmp_path / "table.csv"
    lines = ["who;a;b;c", *["x;1;1;1"] * 40, *["y;1;1;0"] * 3, *["z;0;0;0"] * 40]
    file.write_bytes("\r\n".join([*lines, ""]).encode())
    return file


READING = ["--format", "onehot", "--row", "who", "--separator", ";"]


def test_the_command_line_reads_a_table(table):
    run = CliRunner().invoke(main, ["audit", str(table), *READING, "--min-support", "10", "-k", "10", "--json"])
    assert run.exit_code == 1
    found = json.loads(run.stdout)
    assert (found["n"], found["verdict"]) == (83, "WITHHOLD")
    assert [(channel["base"], channel["count"]) for channel in found["channels"]] == [(["a", "b"], 3)]


def test_the_command_line_says_what_is_wrong_with_a_table(table):
    run = CliRunner().invoke(main, ["audit", str(table), *READING[:2], *READING[4:], "--min-support", "10", "-k", "10"])
    assert run.exit_code == 2
    assert "line 2 holds in column 1 something other than 0, 1, true and false" in run.stderr
    assert "--row" in run.stderr


def test_the_command_line_hides_in_a_table_and_keeps_the_rest(table, tmp_path):
    (tmp_path / "secret.sensitive").write_text("b c\n", encoding="utf-8")
    arguments = ["--sensitive", str(tmp_path / "secret.sensitive"), "--out", str(tmp_path / "shared"), "--quiet"]
    run = CliRunner().invoke(main, ["hide", str(table), *READING, *arguments])
    assert run.exit_code == 0, run.output
    before, after = table.read_bytes(), (tmp_path / "shared" / "table.csv").read_bytes()
    changed = [(one, other) for one, other in zip(before, after, strict=True) if one != other]
    assert changed == [(ord("1"), ord("0"))] * 40
    assert read(tmp_path / "shared" / "table.csv", format="onehot", row="who", separator=";").support(["b", "c"]) == 0


def test_a_packed_table_stays_packed(tmp_path):
    path = tmp_path / "rows.csv.gz"
    write([["a", "b"], ["b"]], path, format="onehot")
    rows = read(path, format="onehot")
    write_hidden(hide(rows, [["a", "b"]]), tmp_path / "shared", source=path, format="onehot")
    assert read(tmp_path / "shared" / "rows.csv.gz", format="onehot").support(["a", "b"]) == 0
