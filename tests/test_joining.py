"""Several tables of the same people, people without any item, and names for codes."""

import json
from io import BytesIO

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from discreet import DiscreetError, InputError, Transactions, read
from discreet.cli import main
from discreet.io.codebook import read_labels, rename
from discreet.io.joining import join_rows

PAIRS = st.lists(st.tuples(st.integers(1, 9), st.sampled_from("abcdef")), min_size=1, max_size=30)


def long_table(pairs, sign=","):
    return "".join(f"{one}{sign}{other}\n" for one, other in [("who", "what"), *pairs]).encode()


def by_id(rows):
    return {str(name): {*map(str, row)} for name, row in zip(rows.ids, rows, strict=True)}


@given(tables=st.lists(PAIRS, min_size=1, max_size=3))
def test_tables_are_joined_by_their_row_ids(tables):
    files = [BytesIO(long_table(pairs, sign)) for pairs, sign in zip(tables, ",;\t", strict=False)]
    expected = {}
    for who, what in (pair for pairs in tables for pair in pairs):
        expected.setdefault(str(who), set()).add(what)
    assert by_id(read(files, row="who", item="what")) == expected


def test_numbers_and_texts_are_joined_as_texts():
    numbers, texts = Transactions([[250]], ids=[7]), Transactions([["A1"], [250]], ids=["7", "x"])
    assert by_id(join_rows([numbers, texts])) == {"7": {"250", "A1"}, "x": {"250"}}


def test_what_is_joined_is_said():
    rows = read([BytesIO(long_table([(1, "a"), (2, "b")])), BytesIO(long_table([(1, "a")]))], row="who", item="what")
    assert "2 files of 2, 1 rows are joined by their row ids" in str(rows.reading)
    assert "1 item of several files counted as one" in str(rows.reading)


def test_several_files_need_the_names_of_their_columns():
    with pytest.raises(DiscreetError, match="several files are joined by their row ids; name the columns with row="):
        read([BytesIO(long_table([(1, "a")]))] * 2)


def test_people_without_any_item_count():
    file, everyone = long_table([(1, "a"), (2, "b")]), BytesIO(b"who,age\n1,34\n2,51\n3,60\n4,12\n")
    rows = read(BytesIO(file), row="who", item="what", everyone=everyone)
    assert (rows.n, list(rows.ids), rows[3]) == (4, [1, 2, 3, 4], frozenset())
    assert read(BytesIO(file), n=10).n == 10
    assert "8 rows without any item added" in str(read(BytesIO(file), n=10).reading)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n": 1}, "there are 2 rows, but only 1 by n="),
        ({"everyone": BytesIO(b"who\n1\n")}, "1 row id of the data missing"),
        ({"everyone": BytesIO(b"person,age\n1,2\n")}, "none of the 2 columns is called 'who'"),
    ],
)
def test_people_who_cannot_be_are_refused(options, words):
    with pytest.raises(InputError, match=words):
        read(BytesIO(long_table([(1, "a"), (2, "b")])), row="who", item="what", **options)


def test_codes_get_their_names():
    rows = read(BytesIO(b"250 401\n250\n9\n"), format="fimi", labels=BytesIO(b"250\tdiabetes\n401\thypertension\n"))
    assert [sorted(row) for row in rows] == [["diabetes", "hypertension"], ["diabetes"], ["9"]]
    assert str(rows.reading).endswith("1 item without a name")


def test_a_line_that_names_the_separator_is_no_id_and_no_code():
    data = long_table([(1, "a"), (2, "b")])
    everyone, labels = BytesIO(b"sep=;\nwho;age\n1;30\n2;40\n3;50\n"), BytesIO(b"\xef\xbb\xbfsep=;\na;asthma\n")
    rows = read(BytesIO(data), row="who", item="what", everyone=everyone, labels=labels)
    assert [sorted(row) for row in rows] == [["asthma"], ["b"], []]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"1,tea\n2,tea\n", "1 names stand for several codes"),
        (b"1,tea\n1,milk\n", "a code has several names"),
        (b"1\n2\n", "a line has no second field"),
    ],
)
def test_names_that_are_not_clear_are_refused(data, words):
    with pytest.raises(InputError, match=words):
        rename(Transactions([[1, 2], [2]]), read_labels(BytesIO(data)))


def test_the_command_line_joins_files(tmp_path):
    for name, pairs in (("one.csv", [(1, "a"), (1, "b"), (2, "a")]), ("other.csv", [(1, "c"), (3, "c")])):
        (tmp_path / name).write_bytes(long_table(pairs))
    (tmp_path / "names.csv").write_bytes(b"code,name\na,asthma\nb,bronchitis\n")
    files = [str(tmp_path / name) for name in ("one.csv", "other.csv")]
    options = ["--row", "who", "--item", "what", "--n", "6", "--labels", str(tmp_path / "names.csv")]
    told = CliRunner().invoke(main, ["audit", *files, *options, "--min-support", "1", "-k", "2", "--json"])
    found = json.loads(told.stdout)
    assert (told.exit_code, found["n"], found["input"]["file"]) == (1, 6, "one.csv, other.csv")
    assert "read as a long table: 6 rows" in told.stderr


def test_names_keep_the_schema_of_a_table():
    data = b"sex,age\n" + b"f,1\nm,2\n" * 10
    rows = read(BytesIO(data), format="table", labels=BytesIO(b"sex=f;woman\nsex=m;man\n"))
    assert [sorted(group) for group in rows.schema] == [["man", "woman"], ["age=1", "age=2"]]


def test_rows_of_visits_are_not_added_to():
    data = b"patient,visit,ward\n" + b"".join(b"%d,%d,w%d\n" % (at % 7, at, at % 2) for at in range(20))
    with pytest.raises(InputError, match="rows of visits"):
        read(BytesIO(data), format="table", person="patient", per="visit", n=30)
