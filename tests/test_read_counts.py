"""Tables of counts in files: each layout and dialect, marks, shares, bad tables, and writing them back."""

import json
import sqlite3
from dataclasses import replace
from fractions import Fraction
from io import BytesIO
from itertools import product
from pathlib import Path

import openpyxl
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from discreet import InputError, OptionError, audit, read, read_counts
from discreet.cli import main
from discreet.data.counts import UNKNOWN, Cell, Counts, Dimension, Place, State, Table
from discreet.errors import OutputError, UnclearError
from discreet.io.formats.counts.frame import find_frame
from discreet.io.grids import load_grid
from discreet.io.marks import Marks, read_share
from discreet.io.options import RowOptions
from discreet.io.read_counts import LAYOUTS, holds_counts
from discreet.io.write_counts import render_counts, write_counts
from discreet.publications.counts.revealed import find_revealed

PEOPLE = pd.DataFrame(
    [
        (sex, age, smokes, region)
        for sex, age, smokes, region, many in [
            *(("f", "young", "no", "N", 30), ("f", "old", "yes", "S", 20), ("f", "old", "no", "N", 12)),
            *(("m", "young", "yes", "S", 3), ("m", "old", "no", "N", 40), ("m", "young", "no", "S", 15)),
        ]
        for _ in range(many)
    ],
    columns=["sex", "age", "smokes", "region"],
)


def read_text(text, **how):
    return read_counts(BytesIO(text.encode()), **how)


def cells_of(counts):
    return {cell.at: cell.low if cell.low == cell.high else (cell.low, cell.high) for cell in counts}


def named(counts):
    """Return the counts by the names and values of their attributes, whatever the order of these."""
    return {
        (table.counted, frozenset((name, value) for name, value in zip(table.names, cell.at, strict=True) if value)): (
            cell.low,
            cell.high,
            cell.state,
        )
        for table in counts.tables
        for cell in table.cells
    }


def names_of(counts):
    return [one.name for one in counts.tables[0].dimensions]


def count_people(**values):
    return sum(all(person[name] == value for name, value in values.items()) for _, person in PEOPLE.iterrows())


def check_people(counts, names):
    """Check each count of a table against the people."""
    for cell in counts:
        values = {name: value for name, value in zip(names, cell.at, strict=True) if value is not None}
        assert cell.low == cell.high == count_people(**values)


# Crosstabs and their dialects


def test_a_crosstab_of_pandas_has_its_margins():
    counts = read_text(pd.crosstab(PEOPLE.sex, PEOPLE.age, margins=True).to_csv())
    assert names_of(counts) == ["sex", "column"]
    assert len(counts) == 9
    check_people(counts, ["sex", "age"])


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        (["sex", "region"], ["age"]),
        (["sex"], ["age", "smokes"]),
        (["sex", "region"], ["age", "smokes"]),
        (["sex", "region", "smokes"], ["age"]),
    ],
)
@pytest.mark.parametrize("how", ["csv", "excel", "frame"])
def test_a_crosstab_of_pandas_may_have_several_levels(rows, columns, how, tmp_path):
    table = pd.crosstab([PEOPLE[name] for name in rows], [PEOPLE[name] for name in columns], margins=True)
    if how == "excel":
        table.to_excel(tmp_path / "table.xlsx")
    source = {"csv": BytesIO(table.to_csv().encode()), "excel": tmp_path / "table.xlsx", "frame": table}[how]
    counts = read_counts(source)
    assert names_of(counts) == [*rows, *(columns if len(columns) > 1 else ["column"])]
    assert len(counts) == table.size
    check_people(counts, [*rows, *columns])


def test_labels_may_be_numbers():
    years = PEOPLE.assign(year=[2020 + at % 2 for at in range(len(PEOPLE))])
    table = pd.crosstab([years.sex, years.year], [years.age, years.year.rename("also")], margins=True)
    counts = read_text(table.to_csv())
    assert names_of(counts) == ["sex", "year", "age", "also"]
    assert len(counts) == table.size


def test_totals_of_groups_are_read_where_they_are():
    text = "sex,region,old,young\nf,N,12,30\nf,S,20,0\nf,Total,32,30\nm,N,40,0\nm,S,0,18\nm,Total,40,18\nTotal,,72,48\n"
    counts = read_text(text)
    check_people(counts, ["sex", "region", "age"])
    assert ("f", None, "old") in cells_of(counts)


def test_excel_writes_the_label_of_a_group_once_and_calls_its_total_by_it():
    text = "sex,region,n\nf,N,42\n,S,20\nf Total,,62\nm,N,40\n,S,18\nm Total,,58\nGrand Total,,120\n"
    counts = read_text(text, format="crosstab")
    check_people(counts, ["sex", "region"])
    assert {("f", None), (None, None)} <= {*cells_of(counts)}


def test_lines_of_text_around_a_table_are_left_out(tmp_path):
    book = openpyxl.Workbook()
    for line in [["Table 1: people"], [], [None, "old", "young", "Total"], ["f", 32, 30, 62], ["Total", 72, 48, 120]]:
        book.active.append(line)
    book.active.append(["Source: a clinic"])
    book.save(tmp_path / "table.xlsx")
    text = "Table 1: people,,,\n,old,young,Total\nf,32,30,62\nTotal,72,48,120\nSource: a clinic\n"
    for source in (tmp_path / "table.xlsx", BytesIO(text.encode())):
        counts = read_counts(source)
        assert "2 lines of text around the table left out" in counts.reading.notes
        assert cells_of(counts)["f", "old"] == 32
        assert len(counts) == 6


def test_excel_writes_the_upper_labels_of_columns_once():
    text = ",f,,m,,Total\n,old,young,old,young,\nN,12,30,40,0,82\nS,20,0,0,18,38\nTotal,32,30,40,18,120\n"
    counts = read_text(text)
    assert names_of(counts) == ["row", "column", "column 2"]
    check_people(counts, ["region", "sex", "age"])


@pytest.mark.parametrize(
    "text",
    [
        '"","old","young","Sum"\n"f",32,30,62\n"m",40,18,58\n"Sum",72,48,120\n',
        '"old","young","Sum"\n"f",32,30,62\n"m",40,18,58\n"Sum",72,48,120\n',
        "sex\told\tyoung\tTotal\nf\t32\t30\t62\nm\t40\t18\t58\nTotal\t72\t48\t120\n",
        "sex;old;young;(all)\nf;32;30;62\nm;40;18;58\n(all);72;48;120\n",
    ],
    ids=["R", "R, write.table", "Stata", "semicolons"],
)
def test_other_programs_write_crosstabs(text):
    counts = read_text(text)
    assert len(counts) == 9
    check_people(counts, ["sex", "age"])


def test_a_word_of_your_own_may_stand_for_totals():
    text = "sex,old,young,gesamt\nf,32,30,62\nm,40,18,58\ngesamt,72,48,120\n"
    check_people(read_text(text, totals="Gesamt"), ["sex", "age"])


@pytest.mark.parametrize(
    "text",
    [
        "sex,old,young,Total\nf,,,62\nm,40,18,58\nTotal,72,48,120\n",
        "sex,old,young,Total\nf,,,\nm,40,18,58\nTotal,72,48,120\n",
        "sex,old,young,Total\nm,40,18,58\nf,,,\nTotal,72,48,120\n",
        ",old,young\n,no,yes\nf,,\nm,40,18\n",
    ],
)
def test_a_line_of_masked_counts_is_none_of_the_header(text):
    assert "f" in read_text(text).tables[0].dimensions[0].children(None)


def test_a_spreadsheet_holds_percentages_as_fractions():
    counts = read_text("sex,n,%\nf,177,0.983333\nm,<11,0.016667\nTotal,180,1\n")
    assert ratios_of(counts) == {(("f",), (None,)), (("m",), (None,))}


def test_a_single_column_has_no_attribute():
    counts = read_text(PEOPLE.groupby(["sex", "age"]).size().to_csv())
    assert names_of(counts) == ["sex", "age"]
    check_people(counts, ["sex", "age"])


def test_columns_can_be_dropped():
    assert len(read_text("sex,old,young,score\nf,32,30,high\nm,40,18,low\n", drop="score")) == 4


@pytest.mark.parametrize("convert", [pl.DataFrame, lambda columns: pl.DataFrame(columns).to_arrow()])
def test_a_frame_of_polars_or_arrow_is_read(convert):
    counts = read_counts(convert({"sex": ["f", "m", "Total"], "n": [62, 58, 120]}))
    check_people(counts, ["sex"])


# Shares


def ratios_of(counts):
    return {(ratio.part, ratio.whole) for table in counts.tables for ratio in table.ratios}


@pytest.mark.parametrize(
    ("text", "wholes"),
    [
        (
            "sex,young,old,Total\nf,177 (98.3%),3 (1.7%),180\nm,10 (50.0%),10 (50.0%),20\nTotal,187,13,200\n",
            {("f", None), ("m", None)},
        ),
        (
            "sex,young,old,Total\nf,177 (94.7),3 (23.1),180\nm,10 (5.3),10 (76.9),20\nTotal,187,13,200\n",
            {(None, "young"), (None, "old")},
        ),
        (
            "sex,young,old,Total\nf,177 (88.5%),3 (1.5%),180\nm,10 (5.0%),10 (5.0%),20\nTotal,187,13,200\n",
            {(None, None)},
        ),
        (
            ",young,,old,\n,n,%,n,%\nf,177,94.7,3,23.1\nm,10,5.3,10,76.9\nTotal,187,100,13,100\n",
            {(None, "young"), (None, "old")},
        ),
        ("sex,young,young %,old,old %\nf,177,94.7,3,23.1\nm,10,5.3,10,76.9\n", {(None, "young"), (None, "old")}),
        ("sex,young,%,old,%\nf,177,94.7,3,23.1\nm,10,5.3,10,76.9\n", {(None, "young"), (None, "old")}),
        ("sex,n,percent\nf,177,98.3\nm,<11,1.7\nTotal,180,100\n", {(None,)}),
        ("sex,n,share\nf,177,0.983\nm,<11,0.017\nTotal,180,1\n", {(None,)}),
        ("sex,n\nf,177 (98.3%)\nm,<11 (1.7%)\nTotal,180\n", {(None,)}),
        (
            "sex,age,n,pct\nf,o,30,30%\nf,y,70,70%\nm,o,5,50%\nm,y,5,50%\nf,Total,100,\nm,Total,10,\n",
            {("f", None), ("m", None)},
        ),
    ],
)
def test_shares_are_of_the_totals_that_all_exact_counts_agree_with(text, wholes):
    assert {whole for _, whole in ratios_of(read_text(text))} == wholes


def test_the_digits_of_a_share_are_its_limits():
    counts = read_text("sex,n,percent\nf,177,98.33\nm,<11,1.7\nTotal,180,100\n")
    limits = {ratio.part: (ratio.low, ratio.high) for ratio in counts.tables[0].ratios}
    assert limits["f",] == (Fraction(98325, 100000), Fraction(98335, 100000))
    assert limits["m",] == (Fraction(165, 10000), Fraction(175, 10000))


def test_a_share_with_all_digits_of_a_float_holds_its_quotient():
    for part, whole in product(range(1, 60), range(60, 200)):
        for unit in (1, 100):
            low, high = read_share(repr(part / whole * unit), unit, 10)
            assert low <= Fraction(part, whole) <= high


def test_shares_instead_of_counts_are_read():
    counts = read_text(pd.crosstab(PEOPLE.sex, PEOPLE.age, margins=True, normalize=True).to_csv())
    assert all(cell.state is State.MASKED for cell in counts)
    assert {whole for _, whole in ratios_of(counts)} == {(None, None)}
    rows = read_text(pd.crosstab(PEOPLE.sex, PEOPLE.age, normalize="index").to_csv())
    assert {whole for _, whole in ratios_of(rows)} == {("f", None), ("m", None)}
    percent = read_text("sex,old,young\nf,51.6%,48.4%\nm,69.0%,31.0%\n")
    assert {whole for _, whole in ratios_of(percent)} == {("f", None), ("m", None)}


def test_a_masked_total_follows_from_shares_with_15_digits_and_not_from_one():
    def reveal(share):
        text = f"sex,n,share\nf,177,{share[0]}\nm,*,{share[1]}\nTotal,*,1\n"
        return [one.who for one in find_revealed(read_text(text), 11).found if one.kind == "recovered"]

    assert reveal((f"{177 / 180:.15f}", f"{3 / 180:.15f}"))
    assert not reveal(("0.98", "0.02"))


def test_marks_beside_masked_shares_are_read():
    counts = read_text("sex,n\nf,177 (98.3%)\nm,* (*)\nTotal,180\n")
    assert cells_of(counts)["m",] == (0, UNKNOWN)
    assert ratios_of(read_text("sex,n\nf,177 (98.3%)\nm,* (1.7%)\nTotal,180\n")) == {
        (("f",), (None,)),
        (("m",), (None,)),
    }


def test_shares_that_fit_nothing_are_refused():
    with pytest.raises(InputError, match="the shares from line 2, column 2 on fit no total of the table"):
        read_text("sex,o,y,All\nf,1 (90%),2 (10%),3\nm,1 (50%),2 (5%),3\nAll,2,4,6\n")


# Marks


@pytest.mark.parametrize(
    ("mark", "limits"),
    [
        ("<11", (1, 10)),
        ("< 11", (1, 10)),
        ("≤5", (1, 5)),
        ("<=5", (1, 5)),
        ("10 or fewer", (1, 10)),
        ("10 or less", (1, 10)),
        ("fewer than 11", (1, 10)),
        ("-5", (1, 5)),
        ("-1", (0, UNKNOWN)),
        *((mark, (0, UNKNOWN)) for mark in ("*", "[c]", "(D)", "[REDACTED]", "suppressed", ".", "", "NA", "x", "–")),
    ],
)
def test_marks_mean_what_they_usually_do(mark, limits):
    counts = read_text(f"sex,n\nf,177\nm,{mark}\nTotal,180\n")
    cell = next(cell for cell in counts if cell.at == ("m",))
    assert ((cell.low, cell.high), cell.state, cell.mark) == (limits, State.MASKED, mark)
    means = "any count" if limits[1] == UNKNOWN else f"{limits[0]} to {limits[1]}"
    assert f"{mark or 'blank'} means {means}" in counts.reading.notes


def test_the_owner_may_say_what_a_mark_means():
    counts = read_text("sex,n\nf,177\nm,* (2%)\nTotal,180\n", masked="*=1..10")
    assert cells_of(counts)["m",] == (1, 10)
    assert cells_of(read_text("sex,n\nf,177\nm,few\nTotal,180\n", masked={"few": "1..4"}))["m",] == (1, 4)


def test_rounded_counts_have_limits():
    marks = Marks({}, 6)
    assert [marks.read(text, Place(1, 1))[:2] for text in ("0", "3", "9", "12")] == [(0, 3), (1, 6), (7, 12), (9, 15)]


# Formats of programs

RESULT = """\
result_id,cdm_name,group_name,group_level,strata_name,strata_level,variable_name,variable_level,estimate_name,\
estimate_type,estimate_value,additional_name,additional_level
1,mock,cohort_name,c1,overall,overall,Number subjects,NA,count,integer,180,overall,overall
1,mock,cohort_name,c1,sex,Male,Number subjects,NA,count,integer,177,overall,overall
1,mock,cohort_name,c1,sex,Female,Number subjects,NA,count,integer,<5,overall,overall
1,mock,cohort_name,c1,sex &&& age,Male &&& old,Number subjects,NA,count,integer,100,overall,overall
1,mock,cohort_name,c1,overall,overall,Smoker,yes,count,integer,90,overall,overall
1,mock,cohort_name,c1,overall,overall,Smoker,yes,percentage,percentage,50,overall,overall
1,mock,cohort_name,c1,overall,overall,Smoker,no,count,integer,88,overall,overall
1,mock,cohort_name,c1,overall,overall,Smoker,no,percentage,percentage,48.89,overall,overall
1,mock,cohort_name,c1,overall,overall,Smoker,None,count,integer,<5,overall,overall
1,mock,cohort_name,c1,overall,overall,Age,NA,median,numeric,61,overall,overall
1,mock,overall,overall,overall,overall,settings,NA,study,character,x,overall,overall
"""


def test_a_summarised_result_has_its_strata_as_attributes():
    counts = read_text(RESULT)
    subjects, smoker = counts.tables
    assert subjects.names == ("cohort_name", "sex", "age")
    assert {cell.at: cell.high for cell in subjects.cells}["c1", "Male", "old"] == 100
    assert smoker.counted == subjects.counted
    assert {(ratio.part, ratio.whole) for ratio in smoker.ratios} == {
        (("c1", "yes"), ("c1", None)),
        (("c1", "no"), ("c1", None)),
    }
    revealed = {(one.who, one.low) for one in find_revealed(counts, 5).found if one.kind == "recovered"}
    assert {low for _, low in revealed} == {3, 2}
    assert counts.reading.notes[-1] == "1 other estimate not read: no counts"


def test_strata_with_parts_that_do_not_match_are_refused():
    with pytest.raises(InputError, match="line 5, column 6 has 1 parts, and the names beside it 2"):
        read_text(RESULT.replace("Male &&& old", "Male"))


MEASURES = """\
measure,interval_start,interval_end,ratio,numerator,denominator,sex
births,2020-01-01,2020-12-31,0.98,98,100,male
births,2020-01-01,2020-12-31,0.0,0,10,female
births,2021-01-01,2021-12-31,0.5,[REDACTED],10,
"""


def test_measures_have_numerators_within_denominators():
    counts = read_text(MEASURES)
    assert names_of(counts) == ["interval", "sex", "numerator"]
    assert len(counts.tables[0].ratios) == 3
    told = [(one.low, one.kind) for one in find_revealed(counts, 5).found]
    assert (2, "told") in told  # 100 − 98 are not in the numerator


def test_rounded_measures_say_what_zeros_mean():
    counts = read_text(MEASURES.replace("98,100", "95,100").replace("[REDACTED]", "5"), round_to=5)
    assert cells_of(counts)["2020-01-01", "female", "in the numerator"] == (0, 2)  # a 5 is shown
    hidden = read_text(MEASURES.replace("98,100", "95,100").replace("[REDACTED]", "0"), round_to=5)
    assert cells_of(hidden)["2020-01-01", "female", "in the numerator"] == (0, 7)
    assert "0 means 0 to 7, as ehrQL shows counts" in hidden.reading.notes
    assert not hidden.tables[0].ratios
    assert cells_of(
        read_text(MEASURES.replace("98,100,male", "3,9,male").replace("0,10,", "0,15,"), round_to=6, masked="10=7..12")
    )["2020-01-01", "male", None] == (7, 12)


def write_session(folder):
    files = {"output_0_0.csv": "sex,o,y,All\nf,20,30,50\nm,,40,43\nAll,23,70,93\n"}
    files["output_1_0.csv"] = "sex,N,S,All\nf,20,30,50\nm,,40,40\nAll,20,70,90\n"
    files["output_3_0.csv"] = "sex,x,y,All\nf,10,20,30\nm,5,10,15\nAll,15,30,45\n"
    outputs = {
        "output_0": {"type": "table", "fair": {"statbarn": "Frequencies", "independent": ["sex", "age"]}},
        "output_1": {"type": "table", "properties": {"method": "crosstab", "mitigation": "suppress"}},
        "output_2": {"type": "regression", "properties": {}},
        "output_3": {"type": "table", "properties": {"mitigation": "round", "round_base": 5}},
    }
    for uid, output in outputs.items():
        output |= {"uid": uid, "files": [{"name": f"{uid}_0.csv", "sdc": {}}], "command": "acro.crosstab(x, y)"}
    (folder / "results.json").write_text(json.dumps({"version": "0.4.12", "results": outputs}))
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def test_a_session_of_acro_is_read_from_its_folder(tmp_path):
    write_session(tmp_path)
    for place in (tmp_path, tmp_path / "results.json"):
        counts = read_counts(place)
        full, fewer, rounded = counts.tables
        assert full.names == ("sex", "age")
        assert fewer.names == ("sex", "column of output_1")
        assert {cell.at: cell.low for cell in fewer.cells} == {  # its margins were added up again: they say nothing
            ("f", "N"): 20,
            ("f", "S"): 30,
            ("m", "N"): 0,
            ("m", "S"): 40,
        }
        assert cells_of(Counts((rounded,))) == {
            ("f", "x"): (8, 12),
            ("f", "y"): (18, 22),
            ("m", "x"): (3, 7),
            ("m", "y"): (8, 12),
        }
        left_out = {"output_2": "regression", "column of output_1": "an attribute without a name"}
        assert dict(counts.reading.left_out).items() >= left_out.items()


def test_a_session_without_tables_is_refused(tmp_path):
    (tmp_path / "results.json").write_text('{"results": {}}')
    with pytest.raises(InputError, match="names no tables of counts"):
        read_counts(tmp_path)
    (tmp_path / "results.json").write_text('{"results": ')
    with pytest.raises(InputError, match="holds no results of ACRO"):
        read_counts(tmp_path)


DIAGNOSTICS = """
create table covariate_value(cohort_id, covariate_id, sum_value float, mean float, sd float, database_id);
insert into covariate_value values(1, 8507001, 177, .9833, .1, 'E'), (1, 8532001, -5, -.02, .1, 'E'),
    (1, 201826210, 45, .25, .1, 'E'), (1, 1901, 300.5, 1.67, 2, 'E');
create table cohort_count(database_id, cohort_id, cohort_entries, cohort_subjects);
insert into cohort_count values('E', 1, 190, 180);
create table cohort_inc_result(cohort_id, mode_id, inclusion_rule_mask, person_count, database_id);
insert into cohort_inc_result values(1, 0, 3, 100, 'E'), (1, 0, 1, -5, 'E');
create table cohort_summary_stats(cohort_id, mode_id, base_count, final_count, database_id);
insert into cohort_summary_stats values(1, 0, 102, 100, 'E');
create table inclusion_rule_stats(rule_sequence_id, rule_name, meet_subjects, gain_subjects, total_subjects,
    remain_subjects, cohort_id, database_id);
insert into inclusion_rule_stats values(0, 'a', 90, 1, 100, 90, 1, 'E'), (1, 'b', 88, 2, 100, 88, 1, 'E');
"""


def write_diagnostics(folder):
    path = folder / "results.sqlite"
    database = sqlite3.connect(path)
    database.executescript(DIAGNOSTICS)
    database.commit()
    for (name,) in database.execute("select name from sqlite_master").fetchall():
        rows = pd.read_sql(f"select * from {name}", database)  # noqa: S608 - names of our own
        rows.to_csv(folder / f"{name}.csv", index=False)
    database.close()
    return path


def test_results_of_cohort_diagnostics_are_read_from_sqlite_and_from_csv(tmp_path):
    path = write_diagnostics(tmp_path)
    before = path.read_bytes()
    for place in (path, tmp_path):
        counts = read_counts(place)
        by_name = {table.name.removesuffix(".csv"): table for table in counts.tables}
        gender = next(table for name, table in by_name.items() if name.endswith("gender"))
        assert {at[2]: (low, high) for at, low, high, *_ in gender.cells} == {
            "8507001": (177, 177),
            "8532001": (1, 4),
        }
        assert len(gender.ratios) == 1
        assert "1 covariate not read: no counts of people" in counts.reading.notes
        found = {(one.who, one.low) for one in find_revealed(counts, 5).found if one.kind in {"recovered", "told"}}
        assert {2} <= {low for _, low in found}  # by rules: 102 − 100, and 90 − 88 left out by rule 1
        assert any("left out by rule 1" in who for who, _ in found)
    assert path.read_bytes() == before


def test_covariates_without_sizes_are_not_shares():
    counts = read_text(
        "cohort_id,covariate_id,sum_value,mean,sd,database_id\n1,8507001,177,0.9833,0.1,E\n1,9,-5,-0.02,0.1,E\n"
    )
    assert cells_of(Counts(counts.tables[1:])) == {("E", "1", "9"): (1, 4)}
    assert not ratios_of(counts)


# Bad tables

BAD = {
    "ragged": ("sex,o,y,All\nsecret,1,2\nm,1,2,3\nAll,2,4,6\n", "line 3 has 4 fields, and line 2 has 3: see column 4"),
    "ragged, long": ("sex,n\nsecret,1,5\nm,1\n", "line 2 has 3 fields, and line 1 has 2: see column 3"),
    "two totals": (
        "sex,o,y,All\nf,1,2,3\nm,1,2,3\nAll,2,4,7\n",
        "the total at line 4, column 4 is 7, but its parts add up to 6",
    ),
    "negative": (
        "sex,o,y,All\nsecret,-3,2,3\nm,1,-8,3\nAll,2,4,6\n",
        "line 2, column 2 and line 3, column 3 hold different",
    ),
    "negative above a count": (
        "sex,n\nsecret,-7\nm,3\n",
        "line 2, column 2 holds a negative number, but line 3, column 2",
    ),
    "text": ("sex,o,y,All\nf,1,secret,3\nm,1,2,3\nAll,2,4,6\n", "line 2, column 3 holds neither a count nor a mark"),
    "text, first": (
        "sex,o,y,All\nf,secret,2,3\nm,1,2,3\nAll,2,4,6\n",
        "line 2, column 2 holds neither a count nor a mark",
    ),
    "twice": ("sex,n\nsecret,5\nm,7\nsecret,5\n", "stands twice at line 2, column 2 and at line 4, column 2"),
    "column twice": (
        "sex,secret,secret,All\nf,1,2,3\nm,1,2,3\n",
        "stands twice at line 2, column 2 and at line 2, column 3",
    ),
    "header alone": ("sex,secret,All\n", "the table has fewer than two lines"),
    "empty": ("", "the file is empty"),
    "blank": ("\n\n", "the table has fewer than two lines"),
    "huge": ("sex,n\nsecret,99999999999999999999\nm,3\n", "line 2, column 2 holds a count of more than"),
    "quotes": ('sex,n\n"secret,5\n', "line 2 has quotes that do not end"),
    "binary": ("sex,n\n\0\1\2\n", "this is not a text table"),
    "no counts": ("secret\nhello\n", "this is no table of counts that we know"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_table_ends_in_one_sentence_with_its_place_and_exit_code_2(name, tmp_path):
    text, sentence = BAD[name]
    path = tmp_path / "table.csv"
    path.write_bytes(text.encode())
    options = ["--counts", "n"] if text.startswith("sex,n\n") else ["--counts", ""]
    result = CliRunner().invoke(main, ["audit", str(path), "-k", "5", *options])
    assert (sentence in result.stderr, result.exit_code) == (True, 2)
    assert "secret" not in result.stderr
    assert result.stderr.count("\n") == result.stderr.count("read as") + 1


def test_text_that_is_in_another_encoding_further_on_is_refused():
    lines = "".join(f"v{number},7\n" for number in range(20_000))
    with pytest.raises(InputError, match="line 20,002 is not in the encoding utf-8"):
        read_counts(BytesIO(f"sex,n\n{lines}".encode() + b"caf\xe9,3\n"))


def test_an_unknown_layout_is_refused_with_those_that_there_are():
    with pytest.raises(OptionError, match="there are achilles"):
        read_text("sex,n\nf,3\n", format="wide")


def test_columns_called_as_shares_must_hold_some():
    with pytest.raises(InputError, match="line 2, column 3 on is called as shares are"):
        read_text("sex,young,%,old\nf,177,many,3\nm,10,few,10\n", format="crosstab")


# The front door


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sex,young,old,Total\nf,99,81,180\nm,<11,20,28\nTotal,107,101,208\n", True),
        ("sex,n\nf,177\nm,<11\nTotal,180\n", True),
        ("sex,age,n\nf,o,177\nf,y,20\nm,o,30\nm,y,40\n", True),
        (RESULT, True),
        (MEASURES, True),
        ("itemset,support\ntea,20\nmilk,12\n", False),
        ("support,itemsets\n0.5,frozenset({1})\n", False),
        ("antecedents,consequents,support,confidence\na,b,0.5,0.7\n", False),
        ("id,sex,visit_count\n1,f,3\n2,m,4\n3,f,3\n", False),
        ("sex,age,smoker\nf,31,1\nm,40,0\nf,52,1\n", False),
        ("tea,milk\nmilk,bread\ntea\n", False),
        ("tea,milk,rye\n1,0,1\n0,1,1\n", False),
        ("", False),
    ],
)
def test_only_what_certainly_is_a_table_of_counts_is_found(text, expected, tmp_path):
    path = tmp_path / "file.csv"
    path.write_text(text)
    assert holds_counts(path) is expected


@pytest.mark.parametrize("text", ["1 2 #SUP: 5\n2 #SUP: 9\n", "1 2 3\n2 3\n", "|--- age <= 50.00\n|   |--- class: 0\n"])
def test_patterns_rows_and_trees_are_no_tables_of_counts(text, tmp_path):
    path = tmp_path / "file.txt"
    path.write_text(text)
    assert not holds_counts(path)


def test_a_table_of_counts_is_judged_without_any_option(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("sex,young,old,Total\nf,99,81,180\nm,<11,20,28\nTotal,107,101,208\n")
    result = CliRunner().invoke(main, ["audit", str(path), "-k", "11"])
    assert result.exit_code == 1
    assert "read as tables of counts: a crosstab" in result.stderr
    assert "column young 107 − column young, sex f 99 = 8" in result.stdout
    folder = CliRunner().invoke(main, ["audit", str(write_session(tmp_path)), "-k", "11"])
    assert "read as tables of counts: a session of ACRO" in folder.stderr


def test_who_reads_people_is_told_how_counts_are_judged():
    with pytest.raises(UnclearError, match="judge them with `discreet audit --counts`"):
        read(BytesIO(b"sex,young,old,Total\nf,99,81,180\nm,<11,20,28\nTotal,107,101,208\n"))


# Writing back


def rewrite_text(counts, change=None):
    """Write counts with some cells changed; None leaves a cell out."""
    changed = []
    for table in counts.tables:
        cells = [change(cell) if change else cell for cell in table.cells]
        changed.append(replace(table, cells=tuple(cell for cell in cells if cell is not None)))
    out = BytesIO()
    write_counts(replace(counts, tables=tuple(changed)), out)
    return out.getvalue().decode()


def mask(*ats):
    return lambda cell: cell._replace(state=State.MASKED, low=1, high=10, mark="<11") if cell.at in ats else cell


@pytest.mark.parametrize(
    "text",
    [
        "sex;n\r\nTotal;180\r\nf;177\r\nm;<11\r\n",
        '"","old","young","Sum"\n"f",32,"1,030",1062\n"Sum",72,48,120\n',
        ",f,,m,,Total\n,old,young,old,young,\nN,12,30,40,0,82\nTotal,12,30,40,0,82\n",
        "\ufeffsex,n,%\nf,177 ,98.3\nm,*,1.7\nTotal,180,100\n",
        "".join(line for line in RESULT.splitlines(keepends=True) if "median" not in line and "settings" not in line),
        MEASURES,
    ],
)
def test_counts_that_did_not_change_are_written_byte_for_byte(text):
    assert rewrite_text(read_text(text)) == text


def test_a_count_that_changed_is_written_as_its_mark_or_its_number():
    text = 'sex;"n"\r\nTotal;180\r\nf;"177"\r\nm;<11\r\n'
    counts = read_text(text)
    assert rewrite_text(counts, mask(("f",))) == text.replace("177", "<11")
    shown = rewrite_text(
        counts, lambda cell: cell._replace(low=3, high=3, state=State.EXACT, mark="") if cell.mark else cell
    )
    assert shown == text.replace("<11", "3")
    crosstab = "sex,old,young,Sum\nf,32,30,62\nm,40,18,58\nSum,72,48,120\n"
    assert rewrite_text(read_text(crosstab), mask(("f", "old"), ("m", "old"))) == crosstab.replace("32", "<11").replace(
        "40", "<11"
    )


def test_counts_that_are_left_out_take_their_line_with_them():
    text = "analysis_id,stratum_1,stratum_2,count_value\n1,,,180\n2,8507,,177\n2,8532,,3\n"
    counts = read_text(text)
    assert rewrite_text(counts, lambda cell: None if cell.low == 3 else cell) == text.replace("2,8532,,3\n", "")
    gone = rewrite_text(counts, lambda cell: cell._replace(state=State.ABSENT) if cell.low == 3 else cell)
    assert gone == text.replace("2,8532,,3\n", "")
    crosstab = "sex,old,young\nf,32,30\nm,40,18\n"
    assert rewrite_text(read_text(crosstab), lambda cell: None if cell.low == 18 else cell) == crosstab.replace(
        "18", ""
    )


def test_shares_go_with_their_counts():
    counts = read_text("sex,n,%\nf,177,98.3\nm,3,1.7\nTotal,180,100\n")
    fewer = replace(counts, tables=(replace(counts.tables[0], ratios=()),))
    assert rewrite_text(fewer, mask(("m",))) == "sex,n,%\nf,177,\nm,<11,\nTotal,180,100\n"
    beside = read_text("sex,n\nf,177 (98.3%)\nm,3 (1.7%)\nTotal,180\n")
    none = replace(beside, tables=(replace(beside.tables[0], ratios=()),))
    assert rewrite_text(none, mask(("m",))) == "sex,n\nf,177\nm,<11\nTotal,180\n"
    measures = read_text(MEASURES)
    without = replace(measures, tables=(replace(measures.tables[0], ratios=()),))
    written = rewrite_text(without, mask(("2020-01-01", "male", "in the numerator")))
    assert "births,2020-01-01,2020-12-31,,<11,100,male\n" in written


def test_encodings_and_spreadsheets_are_written(tmp_path):
    data = "sex,n\nweiß,177\nm,3\nTotal,180\n".encode("cp1252")
    out = BytesIO()
    write_counts(read_counts(BytesIO(data)), out)
    assert out.getvalue() == data
    pd.crosstab(PEOPLE.sex, PEOPLE.age, margins=True).to_excel(tmp_path / "table.xlsx")
    write_counts(read_counts(tmp_path / "table.xlsx"), tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_text() == pd.crosstab(PEOPLE.sex, PEOPLE.age, margins=True).to_csv()


def test_a_folder_is_written_as_a_folder(tmp_path):
    source, target = tmp_path / "session", tmp_path / "copy"
    source.mkdir()
    counts = read_counts(write_session(source))
    write_counts(counts, target)
    assert {path.name for path in target.iterdir()} == {f"output_{number}_0.csv" for number in (0, 1, 3)}
    assert (target / "output_0_0.csv").read_text() == (source / "output_0_0.csv").read_text()
    with pytest.raises(OutputError, match="give the name of a folder"):
        write_counts(counts, BytesIO())


def test_counts_that_were_not_read_are_written_as_a_long_table():
    table = Table("by sex", (Dimension("sex", ("f", "Total")),), (Cell((None,), 180, 180), Cell(("f",), 177, 177)))
    assert rewrite_text(Counts((table,))) == "sex,count\n(all),180\nf,177\n"
    other = replace(table, name="other", counted="records")
    assert rewrite_text(Counts((table, other))).splitlines()[0] == "counted,sex,count"


# Laws


@st.composite
def tables(draw):
    """Draw a table of two attributes with margins, of which some counts are masked."""
    rows, columns = (
        draw(st.lists(st.text("abcdefgh", min_size=3, max_size=5), min_size=2, max_size=4, unique=True))
        for _ in range(2)
    )
    inner = {at: draw(st.integers(0, 99)) for at in product(rows, columns)}
    cells = []
    for row, column in product([*rows, None], [*columns, None]):
        many = sum(count for at, count in inner.items() if row in {at[0], None} and column in {at[1], None})
        is_masked = 0 < many < 11 or draw(st.integers(0, 5)) == 0
        low, high, state, mark = (1, 10, State.MASKED, "<11") if 0 < many < 11 else (many, many, State.EXACT, "")
        if is_masked and state is State.EXACT:
            low, high, state, mark = 0, UNKNOWN, State.MASKED, "*"
        cells.append(Cell((row, column), low, high, state, None, mark))
    dimensions = (Dimension("first", tuple(rows)), Dimension("column", tuple(columns)))
    return Counts((Table("table", dimensions, tuple(cells)),))


def as_crosstab(counts):
    table = counts.tables[0]
    texts = {cell.at: cell.mark or str(cell.low) for cell in table.cells}
    rows, columns = ([*one.children(None), None] for one in table.dimensions)
    head = ["first", *(column or "Total" for column in columns)]
    body = [[row or "Total", *(texts[row, column] for column in columns)] for row in rows]
    return "".join(f"{','.join(line)}\n" for line in [head, *body])


@given(tables())
def test_a_table_reads_alike_as_a_long_table_and_as_a_crosstab(counts):
    long = read_text(rewrite_text(counts), counts="count")
    crosstab = read_text(as_crosstab(counts), format="crosstab")
    assert named(counts) == named(long) == named(crosstab)
    assert long.schema.attributes == crosstab.schema.attributes


@given(tables(), st.data())
def test_what_is_written_reads_as_what_it_was(counts, data):
    read_once = read_text(as_crosstab(counts), format="crosstab")
    hidden = data.draw(st.sets(st.sampled_from([cell.at for cell in read_once])))
    changed = [mask(*hidden)(cell) for cell in read_once]
    again = replace(read_once, tables=(replace(read_once.tables[0], cells=tuple(changed)),))
    (file,) = render_counts(again).values()
    assert named(read_counts(BytesIO(file.data), format="crosstab" if file.shape else "long")) == named(again)


@given(st.text('ab,1<*%()\n";-', max_size=60))
def test_any_text_is_read_or_refused(text):
    assert count_tables(text) in {None, 1}


def count_tables(text):
    """Return how many tables a text holds; None if it is refused."""
    try:
        return len(read_text(text).tables)
    except InputError:
        return None


@given(
    st.lists(st.lists(st.sampled_from([0, 1, 2, 3, 5, 8, 20, 40, 90]), min_size=3, max_size=3), min_size=2, max_size=3),
    st.sampled_from(["row", "column", "all"]),
    st.integers(0, 2),
)
def test_every_share_is_true_of_the_total_that_was_found(inner, kind, digits):
    people = {(f"r{row}", f"c{column}"): inner[row][column] for row in range(len(inner)) for column in range(3)}

    def total(row, column):
        return sum(many for at, many in people.items() if row in {at[0], None} and column in {at[1], None})

    rows, columns = [*dict.fromkeys(at[0] for at in people), None], ["c0", "c1", "c2", None]
    lines = [["group", "c0", "c1", "c2", "Total"]]
    for row in rows:
        lines.append([row or "Total"])
        for column in columns:
            many = total(row, column)
            whole = {"row": total(row, None), "column": total(None, column), "all": total(None, None)}[kind]
            text = "<11" if 0 < many < 11 else str(many)
            lines[-1].append(f"{text} ({100 * many / whole:.{digits}f}%)" if row and column and whole else text)
    counts = read_text("".join(f"{','.join(line)}\n" for line in lines))
    for ratio in counts.tables[0].ratios:
        assert ratio.low * total(*ratio.whole) <= total(*ratio.part) <= ratio.high * total(*ratio.whole)


def test_every_layout_is_named_and_tried():
    assert {*LAYOUTS} == {
        *("achilles", "summarised_result", "measures", "acro", "cohort_diagnostics", "long", "crosstab")
    }
    grid = load_grid(BytesIO(b"a\nb\n"), RowOptions())
    assert find_frame(grid) is None
    assert not any(layout.matches(grid) for layout in LAYOUTS.values())
    assert not holds_counts(Path("missing.csv"))


@pytest.mark.parametrize("word", ["Gesamt", "Insgesamt", "Ensemble", "Totaal", "Grand total", "(all)"])
def test_totals_have_names_in_several_languages(word):
    assert audit(read_text(f"sex,n\n{word},180\nf,177\nm,<11\n"), k=11).verdict == "WITHHOLD"


def test_a_value_that_looks_like_a_total_is_doubted_until_somebody_says_what_it_is():
    text = "sex,n\nwhole,180\nf,177\nm,<11\n"
    doubted = audit(read_text(text), k=11)
    assert (doubted.verdict.name, doubted.checks[-1].name) == ("REVIEW", "reading")
    assert "line 2, column 2" in doubted.checks[-1].sentence
    assert audit(read_text(text, totals="whole"), k=11).verdict == "WITHHOLD"
    assert audit(read_text(text, format="long"), k=11).verdict == "RELEASE"


def test_values_that_do_not_add_up_are_not_doubted():
    assert read_text("sex,n\nx,190\nf,177\nm,<11\n").reading.doubts == ()
