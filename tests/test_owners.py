"""Whose rows: ids of people are noticed by how they repeat, whatever they are called and however rows are laid out."""

import random
import sqlite3
import uuid
from contextlib import closing
from io import BytesIO

import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet import InputError, Transactions, Verdict, audit, read, scan
from discreet.cli import main
from discreet.errors import UnclearError

CODES = ["flu", "asthma", "copd", "hypertension", "diabetes"]
WARDS = ["north", "south", "east"]
NAMES = ["patient_id", "USUBJID", "eid", "record_id", "hospital_number", "x1", "ward_name"]


def chance():
    """What is drawn for people who do not exist: the same in each test, in whatever order tests run."""
    return random.Random(5)  # noqa: S311


def visit(people, least, most):
    """The person of each visit, in no order."""
    drawn = chance()
    visits = [1000 + at for at in range(people) for _ in range(drawn.randint(least, most))]
    return drawn.sample(visits, len(visits))


VISITS = {"2 to 30 visits": visit(60, 2, 30), "25 visits": visit(40, 25, 25), "2 visits": visit(100, 2, 2)}
FEW = visit(20, 25, 25)
HOME = dict(zip(range(1000, 1100), chance().choices(WARDS, k=100), strict=True))


def table(lines, head):
    text = "".join(",".join(map(str, line)) + "\n" for line in [head, *lines])
    return BytesIO(text.encode())


def as_table(people, name="x1"):
    drawn = chance()
    lines = [(one, drawn.choice(WARDS), drawn.choice(CODES)) for one in people]
    return table(lines, [name, "place", "code"])


def as_long(people, name="x1"):
    drawn = chance()
    lines = [(at, one, code) for at, one in enumerate(people) for code in drawn.sample(CODES, drawn.randint(1, 3))]
    return table(lines, ["visit_id", name, "code"])


def as_onehot(people, name="x1"):
    drawn = chance()
    lines = [(at, one, *(drawn.randint(0, 1) for _ in CODES)) for at, one in enumerate(people)]
    return table(lines, ["visit", name, *CODES])


LONG = {"row": "visit_id", "item": "code"}
SHAPES = {
    "table": (as_table, {"format": "table"}),
    "long": (as_long, LONG),
    "onehot with other columns": (as_onehot, {"format": "table"}),
}


def doubts_of(rows):
    return " ".join(map(str, rows.reading.doubts))


@pytest.mark.parametrize("people", VISITS)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", SHAPES)
def test_ids_of_people_are_named_in_every_shape_whatever_they_are_called(shape, name, people):
    make, how = SHAPES[shape]
    rows = read(make(VISITS[people], name), **how)
    assert f"{name} looks like the id" in doubts_of(rows) or f"{name} may be the id" in doubts_of(rows)
    assert audit(rows, min_support=20, k=10).verdict > Verdict.RELEASE


def test_people_of_many_rows_are_seen_by_what_their_rows_agree_in():
    drawn = chance()
    apart = table([(one, drawn.choice(WARDS), drawn.choice(CODES)) for one in FEW], ["x1", "place", "code"])
    alike = table([(one, HOME[one], drawn.choice(CODES)) for one in FEW], ["x1", "place", "code"])
    assert doubts_of(read(apart, format="table")) == ""
    rows = read(alike, format="table")
    assert "x1 may be the id of a person, as its 20 values repeat in 500 rows" in doubts_of(rows)
    found = audit(rows, min_support=25, k=10)
    assert any(str(itemset).count("x1=") and support == 25 for itemset, support in found.patterns)
    assert found.verdict is Verdict.REVIEW


def test_frames_are_looked_at_like_files():
    frame = pl.read_csv(as_long(VISITS["25 visits"]))
    assert "x1 may be the id" in doubts_of(read(frame, **LONG))
    assert "x1 may be the id" in doubts_of(read(frame.lazy(), **LONG))
    assert "x1 may be the id" in doubts_of(read(pl.read_csv(as_table(VISITS["25 visits"])), format="table"))
    lists = frame.group_by("visit_id").agg(pl.col("code"), pl.col("x1").first())
    assert "x1 may be the id" in doubts_of(read(lists, items="code", row="visit_id"))
    assert "x1 was taken for row ids" in doubts_of(read(lists.drop("visit_id"), items="code", row="x1"))
    assert doubts_of(read(lists, items="code", row="visit_id", drop="x1")) == ""


@pytest.mark.parametrize("make", [lambda at: uuid.UUID(int=at), lambda at: at.to_bytes(4)], ids=["UUIDs", "bytes"])
def test_ids_that_are_no_texts_are_looked_at_too(make):
    frame = pd.read_csv(as_long(VISITS["25 visits"]))
    frame["x1"] = [make(one) for one in frame["x1"]]
    assert "x1 may be the id" in doubts_of(read(frame, **LONG))
    assert doubts_of(read(frame.assign(x1=[["a"]] * len(frame)), **LONG)) == ""


def test_an_id_on_the_first_line_of_a_row_is_of_all_its_lines():
    head, *lines = as_long(VISITS["2 visits"]).read().decode().splitlines()
    seen, thin = set(), list[str]()
    for visit, one, code in (line.split(",") for line in lines):
        thin.append(",".join([visit, "" if visit in seen else one, code]))
        seen.add(visit)
    assert "x1 may be the id" in doubts_of(read(BytesIO("\n".join([head, *thin]).encode()), **LONG))


@pytest.mark.parametrize("shape", SHAPES)
def test_numbers_that_end_in_nothing_but_zeros_may_be_ids(shape):
    make, how = SHAPES[shape]
    assert "x1 may be the id" in doubts_of(read(make([f"{one}.0" for one in VISITS["2 visits"]]), **how))


def test_dates_of_birth_name_people_if_their_rows_agree_otherwise():
    drawn = chance()
    people = [(f"{drawn.randint(1, 28)}.{drawn.randint(1, 12)}.{1930 + at}", drawn.choice("fm")) for at in range(60)]
    visits = [one for one in people for _ in range(4)]
    born = table([(*one, drawn.choice(CODES)) for one in visits], ["date_of_birth", "sex", "code"])
    assert "date_of_birth may be the id" in doubts_of(read(born, format="table"))
    chosen = [(one[0], drawn.choice("fm"), drawn.choice(CODES)) for one in visits]
    assert doubts_of(read(table(chosen, ["date_of_birth", "sex", "code"]), format="table")) == ""


def test_the_index_of_a_frame_of_pandas_is_looked_at_too():
    for make, how in (SHAPES["table"], SHAPES["long"]):
        frame = pd.read_csv(make(VISITS["25 visits"])).set_index("x1")
        assert "x1 may be the id" in doubts_of(read(frame, **how))
        assert [doubts_of(read(frame, **how, **answer)) for answer in ({"drop": "x1"}, {"person": "x1"})] == ["", ""]
        assert read(frame, **how, person="x1") == read(frame.reset_index(), **how, person="x1")
    onehot = pd.read_csv(as_onehot(VISITS["2 visits"])).drop(columns="visit").set_index("x1")
    for rows in (read(onehot), read(onehot, format="onehot")):
        assert "x1 was taken for row ids, and its 100 values repeat in 200 rows" in doubts_of(rows)
    assert read(onehot, format="onehot", person="x1").n == 100
    alone = onehot.reset_index(drop=True).rename_axis("visit")
    assert doubts_of(read(alone)) == ""


def test_row_ids_that_repeat_in_a_onehot_table_may_be_people():
    data = as_onehot(VISITS["2 visits"]).read()
    bare = b"\n".join(line.partition(b",")[2] for line in data.splitlines())
    assert "x1 was taken for row ids, and its 100 values repeat in 200 rows" in doubts_of(read(BytesIO(bare), row="x1"))
    frame = pl.read_csv(bare)
    assert "x1 was taken for row ids" in doubts_of(read(frame, row="x1", format="onehot"))
    assert doubts_of(read(BytesIO(bare), person="x1", format="onehot")) == ""


def test_an_id_of_people_that_lines_of_one_row_differ_in_is_named_too():
    drawn = chance()
    lines = [(f"day{at % 7}", 1 + at % 40, drawn.choice(CODES)) for at in range(400)]
    how = {"row": "day", "item": "code"}
    assert "patient_id looks like the id" in doubts_of(read(table(lines, ["day", "patient_id", "code"]), **how))
    apart = [(f"day{at}", 1 + at, drawn.choice(CODES)) for at in range(400)]
    assert doubts_of(read(table(apart, ["day", "patient_id", "code"]), **how)) == ""


@pytest.mark.parametrize(
    ("shape", "how"),
    [
        ("table", {"drop": "x1"}),
        ("table", {"person": "x1"}),
        ("table", {"columns": ["x1", "place", "code"]}),
        ("long", {"drop": "x1"}),
        ("long", {"person": "x1"}),
        ("long", {"person": "x1", "per": "visit"}),
    ],
)
def test_the_owner_can_answer(shape, how):
    make, known = SHAPES[shape]
    assert doubts_of(read(make(VISITS["25 visits"]), **known, **how)) == ""


@pytest.mark.parametrize("how", [{}, {"columns": ["place", "code"]}, {"columns": ["patient_id", "place", "code"]}])
def test_naming_other_columns_is_no_answer(how):
    name = "patient_id" if "patient_id" in how.get("columns", ()) else "x1"
    assert name in doubts_of(read(as_table(VISITS["25 visits"], name), format="table", **how))


@given(name=st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True), people=st.sampled_from([*VISITS]))
def test_a_name_removes_no_doubt(name, people):
    assume(name not in {"place", "code"})
    assert f"{name} " in doubts_of(read(as_table(VISITS[people], name), format="table"))


ATTRIBUTES = {
    "wards": [f"ward {at % 5}" for at in range(400)],
    "diagnoses": [f"E{at % 30}" for at in range(6000)],
    "age bands": [f"{10 * (at % 9)}-{10 * (at % 9) + 9}" for at in range(200)],
    "years": [str(2015 + at % 9) for at in range(120)],
    "dates": [f"2023-{1 + at % 12:02}-{1 + at % 28:02}" for at in range(800)],
    "measurements": [f"{20 + at % 90 / 10:.1f}" for at in range(800)],
    "ids of rows": [f"P{at}" for at in range(300)],
}


@pytest.mark.parametrize("what", ATTRIBUTES)
def test_ordinary_columns_raise_no_doubt(what):
    drawn = chance()
    values = drawn.sample(ATTRIBUTES[what], len(ATTRIBUTES[what]))
    lines = [(one, drawn.choice(WARDS), drawn.choice(CODES)) for one in values]
    assert doubts_of(read(table(lines, ["x1", "place", "code"]), format="table")) == ""


def baskets(people, sign=","):
    drawn = chance()
    lines = [sign.join(map(str, [one, *drawn.sample(CODES, drawn.randint(2, 4))])) for one in people]
    return BytesIO(("\n".join(lines) + "\n").encode())


@pytest.mark.parametrize("people", [*VISITS.values(), FEW, range(300), [at * 7919 % 1_000_003 for at in range(300)]])
@pytest.mark.parametrize("word", ["{}", "P{}"])
def test_lines_that_begin_with_ids_are_no_baskets(word, people):
    with pytest.raises(UnclearError, match="begin with what looks like row ids"):
        read(baskets(map(word.format, people)))
    with pytest.raises(InputError, match="begin or end with what looks like row ids"):
        Transactions([line.decode().split(",") for line in baskets(map(word.format, people)).read().split()])


@pytest.mark.parametrize("at", [1, -1, None], ids=["second", "last", "anywhere"])
@pytest.mark.parametrize("people", [*VISITS.values(), range(300)])
@pytest.mark.parametrize("sign", [",", " "])
def test_lines_that_hold_ids_among_their_items_are_no_baskets(sign, people, at):
    drawn, lines = chance(), list[list[str]]()
    for one in people:
        line = drawn.sample(CODES, drawn.randint(2, 4))
        place = drawn.randint(0, len(line)) if at is None else at % (len(line) + 1)
        lines.append([*line[:place], f"P{one}", *line[place:]])
    with pytest.raises(UnclearError, match="hold what looks like a row id" if sign == "," else "have blanks"):
        read(BytesIO("\n".join(map(sign.join, lines)).encode()))
    with pytest.raises(InputError, match="hold what looks like a row id"):
        Transactions(lines)


@pytest.mark.parametrize("at", [0, 1, -1])
def test_lists_of_frames_that_hold_ids_are_named(at, tmp_path):
    drawn = chance()
    lists = [drawn.sample(CODES, 3) for _ in VISITS["2 visits"]]
    held = [[*one[:at], f"P{who}", *one[at:]] for one, who in zip(lists, VISITS["2 visits"], strict=True)]
    pl.DataFrame({"codes": held}).write_parquet(tmp_path / "lists.parquet")
    for source in (pl.DataFrame({"codes": held}), pd.DataFrame({"codes": held}), tmp_path / "lists.parquet"):
        assert "the lists of codes each hold what looks like a row id" in doubts_of(read(source, items="codes"))
    assert doubts_of(read(pl.DataFrame({"codes": lists}), items="codes")) == ""


def test_the_last_items_of_few_lines_in_order_are_no_ids():
    lines = [["a", "b", f"c{at}"] for at in range(10)]
    assert [len(row) for row in Transactions(lines)] == [3] * 10
    with pytest.raises(InputError, match="hold what looks like a row id"):
        Transactions([*lines, *([one, two, f"d{three}"] for one, two, three in lines)])


def test_numbers_that_hold_ids_among_them_are_no_baskets():
    drawn = chance()
    lines = [[*drawn.sample(range(1, 9), 2), one, *drawn.sample(range(9, 16), 2)] for one in VISITS["25 visits"]]
    with pytest.raises(UnclearError, match="hold what looks like a row id"):
        read(BytesIO("\n".join(" ".join(map(str, line)) for line in lines).encode()))


def test_numbers_that_begin_with_ids_are_no_baskets():
    drawn = chance()
    lines = [[one, *sorted(drawn.sample(range(1, 9), drawn.randint(2, 4)))] for one in VISITS["2 to 30 visits"]]
    data = "\n".join(" ".join(map(str, line)) for line in lines).encode()
    with pytest.raises(UnclearError, match="begin with what looks like row ids"):
        read(BytesIO(data))


def test_a_scan_says_which_columns_it_did_not_look_at(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_bytes(as_long(VISITS["2 visits"]).read())
    found = audit(scan(path, min_support=20, **LONG), min_support=20, k=10)
    assert found.verdict is Verdict.REVIEW
    assert any("x1 not looked at" in str(check.sentence) for check in found.checks)
    pl.read_csv(path).write_parquet(tmp_path / "visits.parquet")
    for place in (path, tmp_path / "visits.parquet"):
        assert scan(place, min_support=20, **LONG, drop="x1").reading.doubts == ()
        assert "x1 not looked at" in str(scan(place, min_support=20, **LONG).reading.doubts[0])


def test_a_database_says_which_columns_it_was_not_asked_for(tmp_path):
    url = f"sqlite:///{tmp_path}/visits.db"
    with closing(sqlite3.connect(tmp_path / "visits.db")) as file:
        pd.read_csv(as_long(VISITS["25 visits"])).to_sql("visits", file, index=False)
    for rows in (read(url, table="visits", **LONG), scan(url, table="visits", min_support=20, **LONG)):
        found = audit(rows, min_support=100, k=10)
        assert found.verdict is Verdict.REVIEW
        assert any("x1 not looked at" in str(check.sentence) for check in found.checks)
        asked = "SELECT visit_id, code FROM visits"
        known = read(url, query=asked, **LONG), scan(url, query=asked, min_support=20, **LONG)
        assert [audit(one, min_support=100, k=10).verdict for one in known] == [Verdict.RELEASE] * 2


def test_the_command_line_names_the_column_and_what_to_say(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_bytes(as_long(VISITS["25 visits"]).read())
    asked = ["audit", str(path), "--row", "visit_id", "--item", "code", "--min-support", "100", "-k", "10"]
    told = CliRunner().invoke(main, asked)
    assert told.exit_code == 1
    assert "x1 may be the id of a person" in " ".join(told.stdout.split())
    assert "--person x1 or leave it out with --drop x1" in " ".join(told.stdout.split())
    assert CliRunner().invoke(main, [*asked, "--drop", "x1"]).exit_code == 0
