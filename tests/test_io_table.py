"""Tables with a column per attribute: cells become column=value, ids are left out, rows of one person are merged."""

import csv
from decimal import Decimal
from fractions import Fraction
from io import BytesIO, StringIO
from random import Random
from shlex import quote

import oracle
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import GuaranteeError, InputError, OptionError, OutputError, Transactions, read, rewrite, write
from discreet.errors import on_command_line
from discreet.io.formats import table
from discreet.io.options import RowOptions
from discreet.io.people import by_person
from discreet.io.tables import from_table

NAMES = ["sex", "age", "où, or not", 'the "best"', "two\nlines", "x"]
cells = st.sampled_from(
    ["f", "m", " f", "", "NA", "NaN", "?", "a,b", "a;b", 'say "x"', "two\nlines", "é", "1.0", "a=b"]
)
numbers = st.decimals(-30, 30, places=1).map(str) | st.integers(-50, 50).map(str)
WIDTHS = ["1", "10", "2.5", "0.5"]


@st.composite
def tables(draw, cell=cells):
    """A table in CSV as Python writes it, its separator, and its header."""
    header = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    lines = draw(st.lists(st.lists(cell, min_size=len(header), max_size=len(header)), min_size=1, max_size=20))
    separator = draw(st.sampled_from(",;\t|"))
    file = StringIO()
    how = {"quoting": draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])), "delimiter": separator}
    csv.writer(file, lineterminator=draw(st.sampled_from(["\n", "\r\n"])), **how).writerows(
        [header, *lines, ["end"] * len(header)]
    )
    return file.getvalue(), separator, header


def parsed(text, **options):
    return read(BytesIO(text.encode()), format="table", header=True, **options)


def total(rows):
    return {attribute.name for attribute in rows.schema.attributes if attribute.total}


@given(made=tables(), na=st.sampled_from([(), ("?",)]))
def test_cells_become_items_of_their_columns(made, na):
    text, separator, header = made
    items, full = oracle.table_items(text, separator, na)
    rows = parsed(text, separator=separator, columns=header, na=na)
    assert (list(rows), total(rows)) == (items, full)


@pytest.mark.parametrize("one", ["tea ", " tea", "milk"])
def test_values_that_differ_only_in_blanks_are_one_and_it_is_said(one):
    rows = parsed(f"drink,sex\ntea,f\n{one},m\nmilk,f\n ,m\n")
    assert sum(f"drink={one.strip()}" in row for row in rows) == 2
    said = "values of drink that differ only in blanks around them are one" in str(rows.reading)
    assert said == (one != "milk")


@given(made=tables())
def test_values_of_a_column_exclude_each_other(made):
    text, separator, header = made
    rows = parsed(text, separator=separator, columns=header)
    assert [attribute.name for attribute in rows.schema.attributes] == header
    assert all(len(group & row) <= 1 for row in rows for group in rows.schema)
    assert {label for group in rows.schema for label in group} == set(rows.labels)


@pytest.mark.parametrize(
    ("kind", "given", "text"),
    [
        *[("width", Fraction(width), width) for width in WIDTHS],
        *[
            ("edges", [Fraction(edge) for edge in edges.split(",") if edge], edges)
            for edges in ("0,", "-5,0,18", "0.5,7")
        ],
        *[("quantiles", parts, f"q{parts}") for parts in (1, 2, 4, 7)],
    ],
)
@given(values=st.lists(numbers | st.just("") | st.just("7"), min_size=1, max_size=30), comma=st.booleans())
def test_numbers_are_in_the_ranges_of_exact_arithmetic(kind, given, text, values, comma):
    lines = "\n".join(f"{value.replace('.', ',') if comma else value};x" for value in ["7", *values])
    items, full = oracle.table_items(f"age;b\n{lines}\n", ";", bins={"age": (kind, given)})
    rows = parsed(f"age;b\n{lines}\n", separator=";", bins=f"age={text}")
    assert (list(rows), total(rows)) == (items, full)


@pytest.mark.parametrize(
    ("values", "bins", "labels"),
    [
        (["7", "40", "49", "50", "-1"], "10", ["-10–-1", "0–9", "40–49", "50–59"]),
        (["0.5", "0.75"], "0.25", ["[0.5, 0.75)", "[0.75, 1)"]),
        (["17", "18", "64", "65"], "18,65", ["18–64", "<18", "≥65"]),
        (["1", "2"], "1", ["1", "2"]),
        (["1", "1", "1"], "q4", ["all"]),
        (["1e2", "007", "7.0"], "10", ["0–9", "100–109"]),
    ],
)
def test_ranges_are_readable(values, bins, labels):
    rows = parsed("x,y\n" + "".join(f"{value},z\n" for value in values), bins=f"x={bins}", columns="x")
    assert sorted(rows.labels) == sorted(f"x={label}" for label in labels)


def test_equal_values_are_in_one_quantile_and_fewer_quantiles_are_noted():
    rows = parsed("x,y\n" + "5,a\n" * 9 + "6,a\n", bins="x=q4", columns="x")
    assert ([len(rows.rows([label])) for label in rows.labels], rows.reading.notes) == (
        [10],
        ("x has 1 quantile, not 4, as equal values stay together",),
    )


def test_bins_may_be_a_mapping():
    frame = pl.DataFrame({"age": [5, 17, 18, 40], "bmi": [20.5, 21.5, 30.0, None]})
    options = RowOptions.of({"bins": {"age": [18], "bmi": 10}})
    assert [sorted(row) for row in from_table(frame, options)] == [
        ["age=<18", "bmi=[20, 30)"],
        ["age=<18", "bmi=[20, 30)"],
        ["age=≥18", "bmi=[30, 40)"],
        ["age=≥18"],
    ]


@pytest.mark.parametrize(
    ("bins", "message"),
    [
        ("age", "bins= is 'age'; it must be a column and its bins, such as age=10"),
        ("age=", "bins= is 'age='"),
        ("age=q0", "bins= has 'q0'; bins are such as age=10"),
        ("age=0", "bins= has the width 0; a width is above 0"),
        ("age=5,5", "bins= has edges that do not rise"),
        ("agee=5", "none of the 3 columns is called 'agee'; did you mean 'age'?"),
        ("note=5", "column 'note' has bins, and 2 values in it are no numbers; name texts that mean a missing value"),
    ],
)
def test_bins_that_cannot_be_are_refused(bins, message):
    with pytest.raises((InputError, OptionError)) as refused:
        parsed("age,sex,note\n31,f,?\n45,m,low\n47,m,3\n", bins=bins)
    assert message in str(refused.value)


def test_bins_of_a_column_that_is_not_read_are_refused():
    with pytest.raises(OptionError, match="there are bins for column 'age', which is not read"):
        parsed("age,sex\n31,f\n45,m\n", bins="age=10", drop="age")


def many(count, cell):
    return [cell(number) for number in range(count)]


LEFT_OUT = {
    "empty": many(20, lambda _: ""),
    "an id": many(20, lambda at: f"A{at}"),
    "dates": many(20, lambda at: f"2024-01-{at % 19 + 1:02}"),
    "numbers without bins": many(20, lambda at: str(at % 19)),
    "free text": many(20, lambda at: f"seen by nurse {at}"),
}


@pytest.mark.parametrize("why", LEFT_OUT)
def test_columns_that_are_no_attributes_are_left_out_and_named(why):
    frame = pl.DataFrame({"sex": ["f", "m"] * 10, "column": LEFT_OUT[why]})
    rows = from_table(frame, RowOptions())
    assert (rows.labels, rows.reading.left_out) == (("sex=f", "sex=m"), (("column", why),))
    assert f"column left out as {why}" in str(rows.reading)


@pytest.mark.parametrize("why", LEFT_OUT)
def test_a_column_that_its_owner_names_is_never_left_out(why):
    frame = pl.DataFrame({"sex": ["f", "m"] * 10, "column": LEFT_OUT[why]})
    rows = from_table(frame, RowOptions(columns=("sex,column",)))
    assert (rows.reading.columns, rows.reading.left_out) == (("sex", "column"), ())


@pytest.mark.parametrize(
    "values",
    [
        ["a"] * 20,
        ["1", "2"] * 10,
        ["3.5", "4"] * 10,
        many(20, lambda at: f"v{at // 2}"),
        many(20, lambda at: str(at // 2)),
    ],
)
def test_constants_and_values_that_repeat_are_attributes(values):
    frame = pl.DataFrame({"sex": ["f", "m"] * 10, "column": values})
    assert from_table(frame, RowOptions()).reading.columns == ("sex", "column")


def test_columns_are_kept_and_left_out_by_name():
    text = "a,b,c d\n1,2,3\n1,2,3\n"
    kept = parsed(text, columns="c d,a").reading
    dropped = parsed(text, drop=["a", "c d"]).reading
    assert (kept.columns, kept.left_out, dropped.columns) == (("c d", "a"), (("b", "asked"),), ("b",))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": "raec"}, "none of the 3 columns is called 'raec'; did you mean 'race'?"),
        ({"drop": "SEX "}, "none of the 3 columns is called 'SEX '; did you mean 'sex'?"),
        ({"person": "zzz"}, "none of the 3 columns is called 'zzz'; check its name"),
        ({"columns": "sex", "drop": "sex"}, "column 'sex' stands in both columns= and drop=; choose one"),
        ({"per": "visit"}, "per= says what a row of a person stands for; name the person's column with person="),
        (
            {"drop": "sex,race,a=b"},
            "none of 3 columns is an attribute with values that repeat; name some with columns=",
        ),
        ({}, "column 'a=b' has '=' in its name, so that its items could be those of another column; rename it"),
    ],
)
def test_names_that_cannot_be_are_refused(options, message):
    with pytest.raises((InputError, OptionError)) as refused:
        parsed("sex,race,a=b\nf,x,1\nm,y,1\n", **options)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,a\n1,2,3\n", "columns 1 and 3 are both called 'a'; give each column a name of its own"),
        ("a,b\n1,2\n3\n", "line 3 has 1 field, and the first line has 2; mend it, or give the sign between fields"),
        ("a,b\n1,2\n3,4,5\n", "line 3 has 3 fields, and the first line has 2"),
        ("a,b\n1,2\n\n3,4\n", "line 3 is blank; take it out, or fill it"),
        ('a,b\n1,"2\n3,4\n', "line 2 has a quote that does not begin or end a cell"),
        ('a,b\n1,x"2"\n3,4\n', "line 2 has a quote that does not begin or end a cell"),
        ('a,b\n1,"2"x\n3,4\n', "line 2 has a quote that does not begin or end a cell"),
        ('a,b\n"1\n1",2\n1, "2"\n', "line 4 has a quote that does not begin or end a cell"),
        ("a,b\n1,2\r3,4\n5,6\n", "the file holds a carriage return that ends no line"),
        ("a,b\n", "the table has a header and no line below it; check the file"),
        ("\na,b\n1,2\n", "the first line is blank; a table begins with a header"),
        ("", "the file is empty"),
    ],
)
def test_lines_that_could_be_read_in_two_ways_are_refused(text, message):
    with pytest.raises(InputError) as refused:
        table.read(text.encode(), RowOptions())
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("data", "message"), [(b"a,b\n1,\0\n", "line 2 holds a NUL byte"), (b"a,b\n1,\xff\n", "line 2 is not UTF-8")]
)
def test_bytes_that_are_no_text_are_refused(data, message):
    with pytest.raises(InputError, match=message):
        table.read(data, RowOptions())


def damaged(seed):
    """Return a small table with quotes in which one or two bytes below the header are lost, added or changed."""
    random = Random(seed)  # noqa: S311 - no secret
    file = StringIO()
    how = {
        "quoting": random.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
        "lineterminator": random.choice(["\n", "\r\n"]),
    }
    lines = [random.choices(["a", 'b "q"', "x,y", "l\nm", "", "é"], k=3) for _ in range(random.randint(2, 8))]
    csv.writer(file, **how).writerows([["x", "y", "z"], *lines])
    data = bytearray(file.getvalue().encode())
    for _ in range(random.randint(1, 2)):
        at = random.randrange(data.index(b"\n") + 1, len(data))
        data[at : at + random.randint(0, 1)] = random.choice([b"", *(bytes([byte]) for byte in b'",\n\ra ')])
    return bytes(data)


def read_or_refused(data):
    try:
        return list(table.read(data, RowOptions(columns=("x", "y", "z"))))
    except InputError:
        return None


@pytest.mark.parametrize("start", range(0, 2000, 500))
def test_damaged_tables_are_read_as_python_reads_them_or_refused(start):
    data = [damaged(seed) for seed in range(start, start + 500)]
    read_ = [(one, rows) for one in data if (rows := read_or_refused(one)) is not None]
    wrong = [one for one, rows in read_ if oracle.table_items(one.decode().rstrip(), ",")[0] != rows]
    assert (len(read_) > 50, wrong) == (True, [])


def test_blank_lines_at_the_end_are_no_rows():
    assert len(parsed("a,b\n1,2\n1,2\n\n \n\n")) == 2


def test_an_unnamed_column_is_called_by_its_number():
    rows = parsed(",sex\n" + "".join(f"{at},f\n" for at in range(12)))
    assert (rows.reading.columns, rows.reading.left_out) == (("sex",), (("column1", "an id"),))


def test_cells_that_do_not_add_up_are_refused(monkeypatch):
    cut = pl.read_csv
    monkeypatch.setattr(pl, "read_csv", lambda *data, **how: cut(*data, **how).head(1))
    with pytest.raises(GuaranteeError, match="do not add up"):
        table.read(b"a,b\n1,2\n3,4\n", RowOptions())


def test_tables_are_not_written():
    with pytest.raises(OutputError, match="read and not written"):
        write(Transactions([["a=b"]]), BytesIO(), format="table")


VALUES = {
    "whole": [1, 2, None, 1],
    "bool": [True, False, None, True],
    "text": ["a ", "b", "", "NA"],
    "decimal": [1.5, 2.0, float("nan"), None],
    "exact": [Decimal("1.50"), Decimal(2), None, Decimal(2)],
}
AS_ITEMS = [
    {"whole=1", "bool=True", "text=a", "decimal=1.5", "exact=1.50"},
    {"whole=2", "bool=False", "text=b", "decimal=2.0", "exact=2.00"},
    set(),
    {"whole=1", "bool=True", "exact=2.00"},
]
FRAMES = {
    "polars": lambda: pl.DataFrame(VALUES, strict=False),
    "categorical": lambda: pl.DataFrame(VALUES, strict=False).with_columns(pl.col("text").cast(pl.Categorical)),
    "arrow": lambda: pl.DataFrame(VALUES, strict=False).to_arrow(),
    "pandas": lambda: pd.DataFrame({**VALUES, "exact": ["1.50", "2.00", None, "2.00"]}),
    "nullable": lambda: pd.DataFrame({**VALUES, "exact": ["1.50", "2.00", None, "2.00"]}).convert_dtypes(),
    "pandas categories": lambda: pd.DataFrame({**VALUES, "exact": ["1.50", "2.00", None, "2.00"]}).astype("category"),
}


@pytest.mark.parametrize("library", FRAMES)
def test_frames_of_every_library_give_the_same_items(library):
    rows = from_table(FRAMES[library](), RowOptions())
    assert list(rows) == AS_ITEMS
    assert [attribute.name for attribute in rows.schema.attributes] == list(VALUES)


def test_columns_of_lists_are_refused_by_name():
    with pytest.raises(OptionError) as refused:
        from_table(pl.DataFrame({"a": ["x"], "b": [[1]]}), RowOptions())
    assert "leave it out with --drop b" in refused.value.message.say(on_command_line)


def test_columns_of_pandas_may_have_any_names():
    frame = pd.DataFrame([["f", "x"], ["m", "x"]], columns=[3, ("a", "b")])
    assert list(from_table(frame, RowOptions())) == [{"3=f", "('a', 'b')=x"}, {"3=m", "('a', 'b')=x"}]


@given(made=tables(), data=st.data())
def test_lost_items_leave_empty_cells_and_every_other_byte(made, data):
    text, separator, header = made
    how = {"format": "table", "header": True, "separator": separator, "columns": header}
    rows = read(BytesIO(text.encode()), **how)
    losses = {row: data.draw(st.sets(st.sampled_from(sorted(items)))) for row, items in enumerate(rows) if items}
    target = BytesIO()
    rewrite(BytesIO(text.encode()), target, [(row, frozenset(lost)) for row, lost in losses.items()], **how)
    after, _ = oracle.table_items(target.getvalue().decode(), separator)
    lost = [items - losses.get(row, set()) for row, items in enumerate(rows)]
    assert (after, [*read(BytesIO(target.getvalue()), **how)]) == (lost, lost)


def test_other_bytes_stay_as_they_are():
    data = b'a;b;c\r\n"x";1,5; y \r\n"two\r\nlines";"1";""\r\n\r\n'
    target = BytesIO()
    rewrite(BytesIO(data), target, [(0, frozenset(["c=y"])), (1, frozenset(["b=1"]))], format="table", separator=";")
    assert target.getvalue() == b'a;b;c\r\n"x";1,5;\r\n"two\r\nlines";;""\r\n\r\n'


def test_a_person_loses_an_item_in_all_lines():
    data, target = b"who,sex,drug\n1,f,a\n2,f,a\n1,f,b\n", BytesIO()
    rewrite(BytesIO(data), target, [(0, frozenset(["sex=f", "drug=b"]))], format="table", person="who")
    assert target.getvalue() == b"who,sex,drug\n1,,a\n2,f,a\n1,,\n"


@pytest.mark.parametrize("removed", [(0, "sex=m"), (7, "sex=f"), (0, "who=1")])
def test_items_that_are_not_held_cannot_be_lost(removed):
    with pytest.raises(InputError, match=f"row {removed[0] + 1} does not hold an item that it shall lose"):
        rewrite(BytesIO(b"sex,x\nf,1\nm,1\n"), BytesIO(), [(removed[0], frozenset(removed[1:]))], format="table")


def test_ranges_lose_their_cells_and_quantiles_do_not():
    data, target = b"age,x\n31,1\n45,1\n", BytesIO()
    rewrite(BytesIO(data), target, [(0, frozenset(["age=30–39"]))], format="table", bins="age=10")
    assert target.getvalue() == b"age,x\n,1\n45,1\n"
    with pytest.raises(OptionError, match="the quantiles of column 'age' change when values are taken out"):
        rewrite(BytesIO(data), BytesIO(), [(0, frozenset(["age=<45"]))], format="table", bins="age=q2")


def random_table(seed):
    """Return the lines of a table with a person each: 1 to 30 lines, 3 columns, and gaps."""
    random = Random(seed)  # noqa: S311 - no secret
    people, values = random.randint(1, 12), "ab"[: random.randint(1, 2)] + " "
    return [[f"p{random.randrange(people)}", *random.choices(values, k=3)] for _ in range(random.randint(1, 30))]


@pytest.mark.parametrize("part", range(10))
def test_people_are_merged_as_by_brute_force(part):
    for seed in range(part, 1000, 10):
        lines = random_table(seed)
        names = [name for name, *_ in lines]
        text = "who,x,y,z\n" + "".join(",".join(line) + "\n" for line in lines)
        items, _ = oracle.table_items(text, ",")
        rows = [row - {f"who={name}"} for row, name in zip(items, names, strict=True)]
        merged = parsed(text, columns="x,y,z", person="who", separator=",")
        expected = oracle.merged_people(rows, names)
        assert dict(zip(merged.ids, merged, strict=True)) == expected
        held = {name: [len(row & {f"{name}=a", f"{name}=b"}) for row in expected.values()] for name in "xyz"}
        attributes = {name: min(many) == 1 for name, many in held.items() if max(many) == 1}
        found = [] if merged.schema is None else merged.schema.attributes
        assert {attribute.name: attribute.total for attribute in found} == attributes
        apart = parsed(text, columns="x,y,z", person="who", per="visit", separator=",")
        assert list(apart) == rows
        assert [list(expected)[number] for number in apart.people] == names
        assert (merged.reading.people, apart.reading.people) == (len(expected), len(expected))


def test_readings_say_how_people_were_counted():
    text = "who,sex,drug\n1,f,a\n2,m,a\n1,f,b\n"
    merged = parsed(text, person="who").reading
    assert (merged.n, merged.people, merged.person, merged.per) == (2, 2, "who", None)
    assert str(merged) == (
        "read as a table: 2 rows, 2 columns as attribute=value, 4 items, separated by commas; 2 people by who, rows of "
        "one person are merged; 1 column may hold several values for one person"
    )
    apart = parsed(text, person="who", per="visit").reading
    assert (apart.n, apart.people, apart.per) == (3, 2, "visit")


def test_a_row_without_its_person_is_refused():
    with pytest.raises(
        InputError, match="column 'who' holds no person in 2 rows of 3; fill them, leave these rows out"
    ):
        parsed("who,sex\n,f\n2,m\nNA,f\n", person="who")


def test_people_and_rows_must_be_as_many():
    with pytest.raises(InputError, match="there are 1 rows but 2 names of people"):
        by_person(Transactions([["a"]]), [1, 2], RowOptions(person="who"))


@pytest.mark.parametrize(
    "name",
    [
        "patient_nbr",
        "patient",
        "PatientID",
        "person_id",
        "subject_id",
        "NHS number",
        "mrn",
        "Customer No",
        "pid",
        "desynpuf_id",
        "Patientennummer",
        "id_patient",
        "name",
    ],
)
def test_ids_of_people_that_repeat_are_doubted(name):
    frame = pl.DataFrame({"sex": ["f", "m"] * 15, name: [str(at % 20 + 1000) for at in range(30)]})
    rows = from_table(frame, RowOptions())
    assert rows.reading.left_out == ((name, "an id that repeats"),)
    (doubt,) = rows.reading.doubts
    assert doubt.say(on_command_line) == (
        f"{name} looks like the id of a person and repeats: 20 people in 30 rows; merge their rows with "
        f"--person {quote(name)} or leave it out with --drop {quote(name)}"
    )


@pytest.mark.parametrize("name", ["encounter_id", "visit", "order id", "hadm_id", "stay_id"])
def test_ids_of_rows_are_no_people(name):
    frame = pl.DataFrame({"sex": ["f", "m"] * 15, name: [str(at % 28 + 1000) for at in range(30)]})
    rows = from_table(frame, RowOptions())
    assert (rows.reading.left_out, rows.reading.doubts) == (((name, "an id that repeats"),), ())


@pytest.mark.parametrize("name", ["admission_type_id", "patient_sex", "member_status", "store_id", "hybrid"])
def test_codes_of_few_values_are_attributes(name):
    frame = pl.DataFrame({"sex": ["f", "m"] * 60, name: [str(at % 11) for at in range(120)]})
    assert (from_table(frame, RowOptions()).reading.columns) == ("sex", name)


@pytest.mark.parametrize("how", [{"person": "patient_id"}, {"drop": ("patient_id",)}])
def test_there_is_no_doubt_once_the_owner_has_spoken(how):
    frame = pl.DataFrame({"sex": ["f", "m"] * 15, "patient_id": [str(at % 20) for at in range(30)]})
    assert from_table(frame, RowOptions(**how)).reading.doubts == ()


def test_people_are_looked_for_in_columns_that_are_not_read():
    frame = pl.DataFrame({"sex": ["f", "m"] * 15, "patient_id": [str(at % 20) for at in range(30)]})
    (doubt,) = from_table(frame, RowOptions(columns=("sex",))).reading.doubts
    assert "patient_id looks like the id of a person" in doubt


def wide_table():
    """Return a table like those of UCI: 50 columns, gaps, an id, a repeated patient number, and ages in brackets."""
    random = Random(19)  # noqa: S311 - no secret
    n = 2000
    columns = {
        "encounter_id": [str(2278392 + 7 * at) for at in range(n)],
        "patient_nbr": [str(random.randrange(1400) * 31 + 135) for _ in range(n)],
        "race": random.choices(["Caucasian", "AfricanAmerican", "?", "Asian"], weights=[75, 18, 3, 4], k=n),
        "age": [f"[{low}-{low + 10})" for low in random.choices(range(0, 100, 10), k=n)],
        "admission_type_id": random.choices("12345678", k=n),
        "num_lab_procedures": [str(random.randrange(1, 130)) for _ in range(n)],
    }
    columns |= {f"drug_{at}": random.choices(["No", "Steady", "Up"], weights=[90, 8, 2], k=n) for at in range(44)}
    return pl.DataFrame(columns)


def test_a_wide_table_as_hospitals_have_it():
    frame = wide_table()
    rows = parsed(frame.write_csv(), na="?", bins="num_lab_procedures=25")
    assert rows.reading.left_out == (("encounter_id", "an id"), ("patient_nbr", "an id that repeats"))
    assert len(rows.reading.doubts) == 1
    assert (rows.n, len(rows.reading.columns)) == (2000, 48)
    assert {attribute.name for attribute in rows.schema.attributes} - total(rows) == {"race"}
    people = parsed(frame.write_csv(), na="?", bins="num_lab_procedures=25", person="patient_nbr")
    assert (people.n, people.reading.people) == (frame["patient_nbr"].n_unique(),) * 2
