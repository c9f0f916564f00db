"""How published tables of counts are read: numbers that nobody judged, lines that count people of other lines."""

import random
from io import BytesIO
from itertools import product

import openpyxl
import polars as pl
import pytest
from click.testing import CliRunner

from discreet import InputError, Verdict, audit, read_counts
from discreet.cli import main
from discreet.io.bands import list_bands
from discreet.judging.policy import CheckName

K = 10
E11 = {"icd=E11.0": "icd=E11", "icd=E11.9": "icd=E11"}


def read_text(text, **how):
    return read_counts(BytesIO(text.encode()), **how)


def judge(text, k=K, **how):
    return audit(read_text(text, **how), k=k)


def doubt(found):
    """Return the sentence of the check of the reading."""
    return next((str(check.sentence) for check in found.checks if check.name is CheckName.READING), "")


# Numbers that were not judged

UNREAD = {
    "a part of the people": ("dept,patients,HIV\nA,60,3\nB,70,4\nC,80,9\n", "HIV"),
    "one more each": ("dept,patients,HIV\nA,60,3\nB,70,4\nC,80,5\n", "HIV"),
    "the same part": ("dept,patients,HIV\nA,60,3\nB,70,3\nC,80,3\n", "HIV"),
    "all but a few": ("ward,n,died\nA,60,55\nB,70,64\nC,50,20\n", "died"),
    "numbered wards": ("ward,n,died\n1,60,55\n2,70,64\n3,50,20\n", "died"),
    "other people": ("region,Cases,Controls\nN,60,3\nS,70,80\n", "Controls"),
    "a code beside a count": (
        (
            "date,state,fips,cases,deaths\n2020-01-01,NY,36,60,3\n2020-01-01,TX,48,70,4\n"
            "2020-01-02,NY,36,90,5\n2020-01-02,TX,48,65,4\n"
        ),
        "deaths",
    ),
    "a crosstab with a total": ("sex,young,old,n\nf,30,40,70\nm,21,30,51\n", "young, old"),
    "masked counts": ("dept,patients,HIV\nA,60,<5\nB,70,*\nC,80,\n", "HIV"),
    "some of the counts": ("dept,patients,HIV\nA,60,\nB,70,4\nC,80,\n", "HIV"),
    "fractions": ("dept,patients,HIV\nA,60,3/60\nB,70,4/70\n", "HIV"),
    "words between": ("dept,patients,HIV\nA,60,3 of 60\nB,70,4 of 70\n", "HIV"),
    "counts with shares": ("dept,patients,HIV\nA,60,3 (5%)\nB,70,4 (6%)\n", "HIV"),
    "counts with footnotes": ("dept,patients,HIV\nA,60,3*\nB,70,4†\n", "HIV"),
    "counts with words": ("dept,patients,HIV\nA,60,3 patients\nB,70,4 patients\n", "HIV"),
    "counts with shares behind": ("dept,patients,HIV\nA,60,3; 5%\nB,70,4; 6%\n", "HIV"),
    "one mark among words": ("dept,patients,HIV\nA,60,<5\nB,70,some\nC,80,many\n", "HIV"),
    "p values": ("dept,n,x1\nA,60,<0.001\nB,70,0.03\n", "x1"),
    "rates in words": ("dept,n,x1\nA,60,5 per 1000\nB,70,7 per 1000\nC,80,9 per 1000\n", "x1"),
    "about": ("dept,n,x1\nA,60,≈5\nB,70,ca. 7\nC,80,about 9\n", "x1"),
    "in brackets": ("dept,n,x1\nA,60,(3)\nB,70,[5]\nC,80,{7}\n", "x1"),
    "after a word": ("dept,n,x1\nA,60,died: 3\nB,70,died: 5\nC,80,died: 7\n", "x1"),
    "other digits": ("dept,n,x1\nA,60,③\nB,70,½\nC,80,7 of the 80\n", "x1"),
    "odds": ("dept,n,x1\nA,60,1 in 20\nB,70,1 in 14\nC,80,1:11\n", "x1"),
    "ranges instead": ("dept,n,x1\nA,60,1-4\nB,70,5\nC,80,1-4\n", "x1"),
    "a column without a name": ("dept,patients,\nA,60,3\nB,70,4\n", "(no name)"),
    "a note in one line": ("dept,patients,note\nA,60,seen in May\nB,70,\n", "note"),
    "one count among words": ("dept,patients,note\nA,60,3 died\nB,70,none died\nC,80,\n", "note"),
    "percentages": ("dept,n,pct_died\nA,60,5.0\nB,70,3.3\n", "pct_died"),
    "percentages without a name": ("dept,n,x1\nA,60,5%\nB,70,3%\n", "x1"),
    "a rate": ("dept,n,rate per 1000\nA,60,12.5\nB,70,3\n", "rate per 1000"),
    "a prevalence": ("dept,n,prevalence\nA,60,5.0\nB,70,3.3\n", "prevalence"),
    "deviations": ("dept,n,age\nA,60,54.2 ± 3.1\nB,70,43 ± 2\n", "age"),
    "intervals": ("dept,n,OR\nA,60,1.2 (0.9-1.8)\nB,70,0.7 (0.2-1.1)\n", "OR"),
    "large numbers": ("dept,n,x1\nA,60,12345.5\nB,70,33333.2\n", "x1"),
    "lines with totals": ("sex,age,n,died\nf,y,30,12\nf,o,40,15\nm,y,20,13\nm,o,30,11\nTotal,Total,120,51\n", "died"),
    "measures": (
        "measure,interval_start,numerator,denominator,sex,deaths\nm,2020-01-01,50,100,f,3\nm,2020-01-01,40,90,m,4\n",
        "deaths",
    ),
}


@pytest.mark.parametrize("name", UNREAD)
def test_a_number_that_was_not_judged_is_for_a_person(name):
    text, column = UNREAD[name]
    found = judge(text)
    assert found.verdict is Verdict.REVIEW
    assert f"{column}: taken for attributes, but these numbers may be counts" in doubt(found)


@pytest.mark.parametrize("how", [{"counts": "patients"}, {"format": "long"}, {"counts": "patients", "format": "long"}])
def test_naming_the_column_of_counts_or_the_layout_does_not_say_what_the_other_numbers_are(how):
    assert judge(UNREAD["a part of the people"][0], **how).verdict is Verdict.REVIEW


@pytest.mark.parametrize("policy", ["cms", "darwin"])
def test_no_policy_takes_numbers_that_were_not_judged_for_released(policy, tmp_path):
    (tmp_path / "table.csv").write_text("dept,patients,HIV\nA,60,3\nB,70,4\n")
    found = CliRunner().invoke(
        main, ["audit", str(tmp_path / "table.csv"), "--counts", "patients", "--policy", policy, "--quiet"]
    )
    assert found.output.startswith("REVIEW")
    assert "name all attributes with --columns, else leave them out with --drop" in " ".join(found.output.split())


@pytest.mark.parametrize(
    ("how", "line"),
    [
        ({"drop": "HIV"}, "HIV left out (asked); counts in patients; attribute dept"),
        ({"columns": "dept,HIV"}, "counts in patients; attributes dept, HIV"),
        ({"columns": ["dept", "HIV"], "counts": "patients"}, "counts in patients; attributes dept, HIV"),
    ],
)
def test_a_column_that_is_left_out_or_named_as_an_attribute_is_settled(how, line):
    found = judge("dept,patients,HIV\nA,60,3\nB,70,4\n", **how)
    assert found.verdict is Verdict.RELEASE
    assert line in str(read_text("dept,patients,HIV\nA,60,3\nB,70,4\n", **how).reading)


def test_a_column_that_was_not_named_is_for_a_person():
    found = judge("dept,patients,note\nA,60,seen in May\nB,70,\n", columns="dept")
    assert found.verdict is Verdict.REVIEW
    assert "not judged: note" in str(read_text("dept,patients,note\nA,60,seen\nB,70,\n", columns="dept").reading)
    assert "note: not judged, but would go out with the counts" in doubt(found)
    assert judge("dept,patients,note\nA,60,seen\nB,70,\n", columns="dept", drop="note").verdict is Verdict.RELEASE


def test_columns_that_a_format_does_not_know_are_for_a_person():
    achilles = "analysis_id,stratum_1,count_value,avg_value\n2,8507,100,3\n2,8532,120,4\n"
    assert "avg_value: not judged" in doubt(judge(achilles))
    assert "avg_value" not in doubt(judge(achilles, drop="avg_value"))
    assert "avg_value: not judged" in doubt(judge(achilles.replace(",3\n", ",0.03\n").replace(",4\n", ",0.04\n")))
    assert "avg_value: not judged" in doubt(judge(achilles.replace(",3\n", ",3 died\n").replace(",4\n", ",\n")))


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        (
            "sex,age,n,percent\nf,y,30,30\nf,o,70,70\nm,y,50,50\nm,o,50,50\nf,Total,100,\nm,Total,100,\n",
            ["counts in n", "attributes sex, age", "percent is shares"],
        ),
        ("sex,young,old,Total\nf,60,40,100\n", ["lines by sex", "columns by column", "counts in young, old, Total"]),
        (
            "sex,young,young %,old,old %\nf,177,94.7,30,23.1\nm,10,5.3,100,76.9\n",
            ["counts in young, old", "shares in young %, old %"],
        ),
        ("sex,region,smokers\nf,north,60\n,south,70\n", ["lines by sex, region", "counts in smokers"]),
    ],
)
def test_the_line_about_the_reading_names_the_role_of_each_column(text, roles):
    assert [role for role in roles if role not in str(read_text(text).reading).split("; ")] == []


def test_columns_that_are_left_out_of_a_crosstab_are_named():
    assert "note left out (asked)" in str(read_text("sex,young,old,note\nf,60,40,3\nm,30,50,4\n", drop="note").reading)


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("sex,age,n,age\nf,y,60,3\nm,o,70,4\n", {}),
        ("sex,n,n\nf,60,3\nm,55,4\n", {"counts": "n"}),
        ("sex,n,,\nf,60,3,a\nm,55,4,b\n", {}),
        ("analysis_id,stratum_1,count_value,Count_Value\n2,8507,100,3\n2,8532,120,4\n", {}),
    ],
)
def test_columns_that_are_called_alike_are_refused_as_one_would_not_be_read(text, how):
    with pytest.raises(InputError, match="several columns"):
        read_text(text, **how)


STATED = {
    "a header": ("characteristic,A (N=63),B (N=40)\nF,60,30\nM,<10,10\n", "labels say N=63, N=40"),
    "the header of counts": ("characteristic,n (N = 63)\nF,60\n", "labels say N = 63"),
    "a second header": ("characteristic,A,B\n,N=63,N=40\nF,60,30\nM,<10,10\n", "labels say N=63, N=40"),
    "labels": ("dept,n\nA (3 died),60\nB [4/70],70\n", "labels say (3 died, [4/70"),
    "a note": (
        "sex,y,o,Total\nf,60,70,130\nm,50,40,90\nNote: 3 of the men died\n",
        "line 4 (text that states a count)",
    ),
    "a note among lines": (
        "sex,age,n\nf,y,60\nf,o,70\nm,y,55\nm,o,44\nThree died in f y,,\n",
        "line 6, column 3 has no count",
    ),
    "a note below totals": (
        "sex,age,n\nf,y,60\nf,o,70\nf,Total,130\nTotal,Total,130\nThree died,,\n",
        "line 6, column 3 has no count",
    ),
    "notes without a name": (
        "sex,age,n,\nf,y,60,3\nf,o,70,few\nm,y,55,few\nm,o,44,3\n",
        "these numbers may be counts",
    ),
    "a note below lines": ("sex,n\nf,60\nm,55\nTotal,115\nSource: all but 3,\n", "line 5, column 2 has no count"),
    "a title": ("Table 1 (N = 63)\nsex,n\nF,60\nM,<10\n", "line 1 (text that states a count)"),
}


@pytest.mark.parametrize("name", STATED)
def test_a_count_that_a_label_or_text_states_is_for_a_person(name):
    text, sign = STATED[name]
    found = judge(text)
    assert found.verdict is Verdict.REVIEW
    assert sign in " ".join(str(check.sentence) for check in found.checks)


# Lines that count people of other lines

TABLE_1 = "variable,level,n\nsex,F,60\nsex,M,40\nsmoker,yes,<10\nsmoker,no,95\n"
NESTED = {
    "stacked": (TABLE_1, "100 − 95 = 5"),
    "stacked, any mark": (TABLE_1.replace("<10", "*"), "100 − 95 = 5"),
    "stacked, without names": (TABLE_1.replace("variable,level,n", "x1,x2,x3"), "100 − 95 = 5"),
    "stacked, one level listed": (
        "variable,level,n\nsex,F,60\nsex,M,40\nsmoker,no,95\ndiabetes,no,70\n",
        "100 − 95 = 5",
    ),
    "stacked, all with yes and no": (
        "condition,present,n\nasthma,yes,60\nasthma,no,40\ncopd,yes,<10\ncopd,no,95\ngout,yes,20\ngout,no,80\n",
        "100 − 95 = 5",
    ),
    "stacked, the other level left out": (
        "condition,present,n\nasthma,yes,60\nasthma,no,40\ngout,yes,20\ngout,no,80\ncopd,no,95\n",
        "100 − 95 = 5",
    ),
    "stacked, several columns": (
        "variable,level,arm A,arm B\nsex,F,60,50\n,M,40,51\nsmoker,yes,<10,20\n,no,95,81\n",
        "100 − 95 = 5",
    ),
    "stacked in one label": (
        "characteristic,n\nsex: F,60\nsex: M,40\nsmoker: yes,<10\nsmoker: no,95\n",
        "100 − 95 = 5",
    ),
    "stacked in one name": ("characteristic,n\nsex_F,60\nsex_M,40\nsmoker_yes,<10\nsmoker_no,95\n", "100 − 95 = 5"),
    "stacked in two words": ("characteristic,n\nSex F,60\nSex M,40\nSmoker yes,<10\nSmoker no,95\n", "100 − 95 = 5"),
    "stacked with brackets": ("x1,n\nsex (F),60\nsex (M),40\nsmoker (yes),<10\nsmoker (no),95\n", "100 − 95 = 5"),
    "stacked below all people": ("variable,level,n\nN,,100\nsmoker,yes,<10\nsmoker,no,95\n", "100 − 95 = 5"),
    "stacked below a total of one": (f"{TABLE_1}sex,,100\n", "100 − 95 = 5"),
    "all people among the lines": ("characteristic,n\nn,100\nfemale,60\nmale,40\nsmoker,95\n", "100 − 95 = 5"),
    "headings": ("characteristic,n\nSex,\nF,60\nM,40\nSmoker,\nyes,<10\nno,95\n", "100 − 95 = 5"),
    "headings over columns": (
        "characteristic,A,B\nSex,,\nF,60,50\nM,40,50\nSmoker,,\nyes,<10,20\nno,95,80\n",
        "100 − 95 = 5",
    ),
    "indented headings": (
        "characteristic,n\nSex,\n  F,60\n  M,40\nSmoker,\n  yes,<10\n  no,95\n",
        "lines of characteristic are indented",
    ),
    "cumulative counts": ("date,n\n2020-01-01,100\n2020-01-02,103\n2020-01-03,150\n", "103 − 100 = 3"),
    "cumulative, without names": ("x1,x2\n2020-01-01,100\n2020-01-02,103\n2020-01-03,150\n", "103 − 100 = 3"),
    "cumulative, days first": ("date,n\n30/01/2020,100\n31/01/2020,103\n01/02/2020,150\n", "103 − 100 = 3"),
    "cumulative, names of months": ("month,n\nJan 2020,100\nFeb 2020,103\nMar 2020,150\n", "103 − 100 = 3"),
    "cumulative, weeks": ("week,n\nweek 1,100\nweek 2,103\nweek 3,150\nweek 4,190\n", "103 − 100 = 3"),
    "cumulative, numbers": ("x1,x2\n1,100\n2,103\n3,150\n", "103 − 100 = 3"),
    "cumulative, newest first": ("date,n\n2020-01-03,150\n2020-01-02,103\n2020-01-01,100\n", "103 − 100 = 3"),
    "cumulative, masked between": ("date,n\n2020-01,100\n2020-02,*\n2020-03,107\n2020-04,150\n", "107 − 100 = 7"),
    "cumulative by sex": (
        (
            "date,sex,n\n2020-01-01,f,100\n2020-01-01,m,90\n2020-01-02,f,103\n2020-01-02,m,130\n"
            "2020-01-03,f,150\n2020-01-03,m,170\n"
        ),
        "103 − 100 = 3",
    ),
    "cumulative, in no order": ("date,n\n03/02/2020,103\n01/02/2020,100\n02/03/2020,150\n", "103 − 100 = 3"),
    "cumulative beside new": (
        "date,x1,x2\n" + "".join(f"2020-01-0{day},{20 + day % 2},{100 + 9 * day}\n" for day in range(1, 7)),
        "118 − 109 = 9",
    ),
    "cumulative in columns": ("date,f,m\n2020-01-01,100,90\n2020-01-02,103,130\n2020-01-03,150,170\n", "103 − 100 = 3"),
    "cumulative, beside unknown": ("month,n\n2020-01,100\n2020-02,103\n2020-03,150\nunknown,20\n", "103 − 100 = 3"),
    "cumulative, quarters": ("x1,n\nQ1 2020,100\nQ2 2020,103\nQ3 2020,150\nQ1 2021,170\n", "103 − 100 = 3"),
    "cumulative, days": ("x1,n\n30-day,100\n60-day,103\n90-day,150\n", "103 − 100 = 3"),
    "cumulative, ordinals": ("x1,n\n1st,100\n2nd,103\n3rd,150\n", "103 − 100 = 3"),
    "as of": ("as of,n\n2020-01-01,100\n2020-01-02,103\n", "the table says 'as of'"),
    "a word above the counts": ("site,cumulative cases\nA,100\nB,103\n", "the table says 'cumulative'"),
    "at risk": ("time,at risk\n0,100\n12,98\n", "100 − 98 = 2"),
    "at risk, without the word": ("time,n\n0,100\n12,98\n", "100 − 98 = 2"),
    "at risk, as programs write it": ("time,n.risk,n.event\n6,100,20\n12,98,15\n", "the table says 'n.risk'"),
    "at risk in two arms": ("time,A,B\n0,100,90\n12,98,80\n24,50,40\n", "100 − 98 = 2"),
    "a flow chart": ("step,n\nassessed,100\nasked,97\nallocated,60\n", "100 − 97 = 3"),
    "a flow chart in columns": (
        "site,invited,attended,completed\nA,100,97,60\nB,200,150,90\nC,80,60,40\n",
        "100 − 97 = 3",
    ),
    "all people with their name": ("x1,n\nAll patients,100\nfemale,60\nsmoker,95\n", "100 − 95 = 5"),
    "words of a flow chart": ("x1,n\nscreened,100\neligible,97\nrandomised,60\n", "100 − 97 = 3"),
    "codes": ("icd,n\nE11,100\nE11.0,<11\nE11.9,95\n", "100 − 95 = 5"),
    "codes by sex": (
        "icd,sex,n\nE11,f,100\nE11.0,f,<11\nE11.9,f,95\nE11,m,80\nE11.0,m,30\nE11.9,m,50\nI10,f,60\nI10,m,70\n",
        "100 − 95 = 5",
    ),
    "parts of a name": ("x1,x2\nA,100\nA-B,97\nC,50\n", "100 − 97 = 3"),
    "bands that hold others": ("age,n\n<20,100\n0-9,40\n10-19,57\n20-29,80\n", "100 − 40 − 57 = 3"),
    "bands without an end": ("age,n\n18+,100\n65+,97\n", "100 − 97 = 3"),
    "bands that overlap": ("age,n\n0-20,100\n10-30,97\n", "values of age overlap"),
    "doses": ("dose,n\n≥1 dose,100\n≥2 doses,97\n", "100 − 97 = 3"),
    "or more": ("visits,n\n1 or more,100\n2 or more,97\n", "100 − 97 = 3"),
    "at least, in words": ("dose,n\nat least one,100\nboth,97\n", "100 − 97 = 3"),
    "any": ("dx,n\nany cancer,100\nbreast,97\nlung,20\n", "100 − 97 = 3"),
    "indented": ("group,n\npeople,100\n  men,97\n", "100 − 97 = 3"),
    "ever": ("x1,n\never smoker,100\ncurrent smoker,97\n", "100 − 97 = 3"),
    "lines of a tree": ("group,n\npeople,100\n├─ men,97\n", "lines of group are indented"),
    "arrows": ("group,n\npeople,100\n-> men,97\n", "lines of group are indented"),
    "blanks of web pages": ("group,n\npeople,100\n&nbsp;&nbsp;men,97\n", "lines of group are indented"),
    "dots": ("group,n\npeople,100\n..men,97\n", "lines of group are indented"),
    "bullets": ("group,n\npeople,100\n- men,97\n", "100 − 97 = 3"),
    "of which": ("group,n\npeople,100\nof which men,97\n", "100 − 97 = 3"),
    "codes in letters and digits": ("atc,n\nA10,100\nA10BA,97\nC09,50\n", "100 − 97 = 3"),
    "codes of regions": ("nuts,n\nDE,100\nDE1,97\nFR,50\n", "100 − 97 = 3"),
    "codes with names": (
        "icd,n\nE11 Diabetes,100\nE11.9 Diabetes unspecified,97\nI10 Hypertension,50\n",
        "100 − 97 = 3",
    ),
    "numbered lines": ("x1,n\n1 people,100\n1.1 men,97\n2 cars,50\n", "100 − 97 = 3"),
    "kinds of": ("dx,n\ndiabetes,100\ntype 2 diabetes,97\nasthma,50\n", "100 − 97 = 3"),
    "both": ("dx,n\nflu,100\nasthma,120\nboth,97\n", "100 − 97 = 3"),
    "joined labels in other letters": ("dx,n\nflu,100\nasthma,150\nFlu AND Asthma,97\n", "100 − 97 = 3"),
    "joined labels": ("dx,n\ndiabetes,100\nhypertension,80\ndiabetes and hypertension,95\n", "100 − 95 = 5"),
    "sums of lines below": (
        "unit,n\ncardiology,100\nw1,40\nw2,60\nsurgery,80\nw3,30\nw4,50\nicu,90\nw5,<10\nw6,85\n",
        "90 − 85 = 5",
    ),
    "sums of lines above": (
        "unit,n\nw1,40\nw2,60\ncardiology,100\nw3,30\nw4,50\nsurgery,80\nw5,<10\nw6,85\nicu,90\n",
        "90 − 85 = 5",
    ),
    "columns of which one is a part": ("x1,x2,x3\nA,60,55\nB,70,40\nC,90,21\n", "60 − 55 = 5"),
}


@pytest.mark.parametrize("name", NESTED)
def test_lines_that_may_count_people_of_other_lines_are_for_a_person(name):
    text, sign = NESTED[name]
    found = judge(text)
    assert found.verdict is Verdict.REVIEW
    assert sign in doubt(found)


def test_naming_the_layout_settles_unnamed_totals_alone():
    text = NESTED["codes"][0]
    assert "seems to be the total of the others" in doubt(judge(text))
    named = doubt(judge(text, format="long"))
    assert "seems to be the total" not in named
    assert "100 − 95 = 5" in named


def test_all_doubts_are_shown():
    found = judge("icd,n,deaths\nE11,100,5\nE11.0,<11,1\nE11.9,95,3\n")
    check = next(check for check in found.checks if check.name is CheckName.READING)
    assert check.found == 2
    assert "deaths: taken for attributes" in doubt(found)
    assert "100 − 95 = 5" in doubt(found)  # whatever stands beside the codes


def test_a_doubt_matters_only_where_what_it_reveals_is_too_few():
    text = "date,n\n2020-01-01,100\n2020-01-02,120\n2020-01-03,150\n"
    assert judge(text, k=20).verdict is Verdict.RELEASE
    assert judge(text, k=21).verdict is Verdict.REVIEW


def test_a_hierarchy_says_what_is_below_what():
    full = "icd,n\nE11,100\nE11.0,25\nE11.9,75\nI10,50\n"
    assert judge(full, hierarchy=E11).verdict is Verdict.RELEASE
    masked = judge(full.replace("25", "<10").replace("75", "95"), hierarchy=E11)
    assert masked.verdict is Verdict.WITHHOLD
    assert not doubt(masked)
    ages = {"age=0-9": "age=<20", "age=10-19": "age=<20"}
    assert judge("age,n\n<20,100\n0-9,40\n10-19,60\n", hierarchy=ages).verdict is Verdict.RELEASE


def test_totals_say_that_lines_exclude_each_other():
    text = NESTED["cumulative counts"][0]
    assert judge(f"{text}Total,353\n").verdict is Verdict.RELEASE
    text = NESTED["columns of which one is a part"][0].replace("x3", "x3,Total")
    assert (
        judge(
            "\n".join(
                f"{line},{sum(map(int, line.split(',')[1:]))}" if at else line
                for at, line in enumerate(text.splitlines())
            )
        ).verdict
        is Verdict.RELEASE
    )


def test_a_small_count_that_block_masks_follows_from_nested_lines_all_the_same():
    """Without a doubt, the line of E11 would give the masked count away."""
    found = judge("icd,n\nE11,100\nE11.0,4\nE11.9,96\nI10,70\n")
    assert found.verdict is Verdict.WITHHOLD
    assert "100 − 96 = 4" in doubt(found)


@pytest.mark.parametrize("how", ["excel", "frame"])
def test_indented_lines_are_seen_in_spreadsheets_and_frames(how, tmp_path):
    lines = [("group", "n"), ("people", 100), ("   men", 97)]
    book = openpyxl.Workbook()
    for line in lines:
        book.active.append(line)
    book.save(tmp_path / "table.xlsx")
    frame = pl.DataFrame({"group": ["people", "   men"], "n": [100, 97]})
    found = audit(read_counts(tmp_path / "table.xlsx" if how == "excel" else frame), k=K)
    assert "lines of group are indented" in doubt(found)


@pytest.mark.parametrize(
    ("labels", "overlapping"),
    [
        (["<18", "18-64", "65+"], []),
        (["0", "1", ">1"], []),
        (["[20, 25)", "[25, 30)"], []),
        (["20", "<20", "≥21"], []),
        (["0-9", "5"], [("0-9", ("5",))]),
        (["under 20", "under 30"], [("under 30", ("under 20",))]),
        (["lab 3", "lab 4"], []),
        (["<10,000", "10,000-19,999", "20,000+", "[10000,20000)"], [("[10000,20000)", ("10,000-19,999",))]),
        (["0 bis 9", "10 bis 19", "ab 20"], []),
        (["[0;10)", "[10;20)", "between 20 and 29"], []),
        (["0−19", "0~9"], [("0−19", ("0~9",))]),
        (["0…19", "0_9"], [("0…19", ("0_9",))]),
        (["between 0 and 19", "0 until 9"], [("between 0 and 19", ("0 until 9",))]),
        (["[0;20)", "[0 10)"], [("[0;20)", ("[0 10)",))]),
        (["ab 18", "min 65"], [("ab 18", ("min 65",))]),
        (["max 20", "bis 10"], [("max 20", ("bis 10",))]),
        (["⩾65", "≧75", "＞80"], [("⩾65", ("≧75",)), ("≧75", ("＞80",))]),
        (["６５+", "７５+"], [("６５+", ("７５+",))]),
        (["within 14 days", "within 7 days"], [("within 14 days", ("within 7 days",))]),
        (["$0-$100", "€0–€50"], [("$0-$100", ("€0–€50",))]),
        (["0d-30d", "0 days to 7 days"], [("0d-30d", ("0 days to 7 days",))]),
        (["at least 1 dose", "2 doses"], [("at least 1 dose", ("2 doses",))]),
    ],
)
def test_bands_overlap_if_they_have_more_than_an_end_in_common(labels, overlapping):
    assert list_bands(labels) == overlapping


# Ordinary tables


def write_long(names, values, count, *, has_totals):
    """Return a long table of random counts, perhaps with all totals."""
    cells = {at: count() for at in product(*values)}
    lines = [[*at, str(many)] for at, many in cells.items()]
    if has_totals:
        for at in product(*([*one, "Total"] for one in values)):
            if "Total" in at:
                parts = [
                    many for own, many in cells.items() if all(a in {"Total", b} for a, b in zip(at, own, strict=True))
                ]
                lines.append([*at, str(sum(parts))])
    return "".join(",".join(line) + "\n" for line in [[*names, "n"], *lines])


def write_crosstab(rows, columns, count):
    """Return a crosstab of random counts with its totals."""
    body = [[count() for _ in columns] for _ in rows]
    lines = [[row, *one, sum(one)] for row, one in zip(rows, body, strict=True)]
    lines.append(["Total", *map(sum, zip(*body, strict=True)), sum(map(sum, body))])
    return "".join(",".join(map(str, line)) + "\n" for line in [["group", *columns, "Total"], *lines])


SEXES, AGES = ("f", "m"), ("0-17", "18-39", "40-64", "65+")
VALUES = {
    "sex": SEXES,
    "age": AGES,
    "region": ("north", "south", "east", "west"),
    "smoker": ("yes", "no"),
    "year": ("2019", "2020", "2021", "2022"),
    "quintile": ("1", "2", "3", "4", "5"),
    "sex code": ("1", "2"),
    "month": tuple(map(str, range(1, 13))),
    "band": ("<18", "18 to 29", "30–64", "65 and over", "unknown"),
}


def list_ordinary():
    """Yield 200 ordinary tables, whose counts differ by more than they are sure to by chance."""
    chance = random.Random(41)  # noqa: S311 - no secret

    def count():
        return chance.randrange(10, 5000)

    for at in range(25):
        first, second = list(VALUES)[at % 9], list(VALUES)[(at * 2 + 1) % 9]
        if first != second:
            names = [first, second]
            yield f"long {names} {at}", write_long(names, [VALUES[one] for one in names], count, has_totals=False)
            yield f"with totals {names} {at}", write_long(names, [VALUES[one] for one in names], count, has_totals=True)
            yield f"crosstab {names} {at}", write_crosstab(VALUES[first], VALUES[second], count)
            three = [*names, "site"]
            values = [*(VALUES[one] for one in names), ("A", "B", "C")]
            yield f"three {at}", write_long(three, values, count, has_totals=bool(at % 2))
        ages = [str(age) for age in range(18, 40 + at)]
        yield f"ages {at}", write_long(["age", "sex"], [ages, SEXES], count, has_totals=False)
        days = [f"2020-{1 + day // 28:02}-{1 + day % 28:02}" for day in range(0, 140, 7)]
        yield f"weeks {at}", write_long(["week"], [days], count, has_totals=False)
        states = [("NY", "36"), ("TX", "48"), ("CA", "6")]
        lines = [f"{day},{state},{code},{count()}\n" for day in days for state, code in states]
        yield f"codes {at}", "date,state,fips,n\n" + "".join(lines)
        cities = [f"r{region},c{region}{city},{count()}\n" for region in range(4) for city in range(2 + region % 3)]
        yield f"cities {at}", "region,city,n\n" + "".join(cities)


ORDINARY = dict(list_ordinary())


def test_ordinary_tables_keep_their_verdict():
    doubted = {name: read_text(text).reading.list_doubts(K) for name, text in ORDINARY.items()}
    assert {name: doubts for name, doubts in doubted.items() if doubts} == {}
    assert len(ORDINARY) >= 190


@pytest.mark.parametrize(
    "text",
    [
        "sex,n\nf,60\nm,55\n",
        "sex,young,old\nf,60,55\nm,70,64\n",
        "age,n\n0-17,50\n18-64,55\n65+,61\n",
        "age,sex,n\n<18,f,50\n18-64,f,55\n≥65,f,70\n<18,m,90\n18-64,m,40\n≥65,m,66\n",
        "blood group,n\nA,100\nB,95\nAB,40\nO,200\n",
        "region,n\nNorth,100\nSouth,95\nNorth-East,40\nSouth West,62\n",
        "diagnosis,n\nasthma,120\ngout,115\ncopd,111\n",
        "diagnosis,n\nasthma,120\nno asthma,115\nother asthma,111\n",
        "trial,n\neligible,60\nnot eligible,55\n",
        "trial,n\ncompleted,60\nwithdrawn,55\ndied,57\n",
        "ward,n\nW1,30\nW2,42\nW10,27\nW11,31\n",
        "eye,n\nleft,60\nright,65\nboth,58\n",
        "smoking,n\nsmoker,60\nex-smoker,55\nnon-smoker,57\nnever smoker,59\n",
        "diagnosis,n\nflu,60\nasthma,55\nall others,57\n",
        "icd,n\nE11: Diabetes,60\nI10: Hypertension,55\nJ44: COPD,58\n",
        "region,n\nNorth East,130\nNorth West,140\nSouth East,153\nSouth West,112\n",
        "ward,n\nward 1,95\nward 2,100\nward 3,60\n",
        "Table 1: wards in (2019/20)\nward,A,B\nf,60,40\nm,70,80\n",
        "year (from April),n\n(2019/20),60\n(2020/21),80\n",
        "ward,A,B\nf,60,40\nm,70,80\nNote: counts of fewer than 10 patients are masked\n",
        "sex,label,n\nf,Female,60\nm,Male,50\nTotal,Total,110\n",
        "sex,smoker,n\nf,,60\nm,,50\n,yes,40\n,no,70\n",
        "doses,n\nno dose,100\nat least one,95\n",
        "smoker,yes,no\nf,20,40\nm,30,50\n",
        "x1,x2\nf,60\nm,55\n",
        "week,n\n2020-01-01,100\n2020-01-08,103\n2020-01-15,90\n",
        "year,n\n2019,100\n2020,103\n",
        "year,n\n2019/20,100\n2020/21,180\n2021/22,130\n",
        "year,n\n2019/2020,100\n2020/2021,180\n",
        "year,n\n2019,100\n2020,180\n2021,130\nunknown,60\n",
        "ward,grade,n\nA,1,60\nA,2,80\nB,1,45\nB,2,30\nB,mixed,20\n",
        "ward,age,n\nA,0,60\nA,1-4,80\nB,0,45\nB,1-4,30\n",
        "ethnicity,n\nWhite British,60\nAny other White background,55\nChinese,52\n",
        "group,age,n\nA,0,60\nB,1-4,80\nC,5-14,45\n",
        "atc,drug,n\nL01BC02,5-FU,60\nL01BB02,6-MP,80\nL01XX02,asparaginase,45\n",
        "week,start,n\nw1,6 Jan 2020,60\nw2,13 Jan 2020,80\nw3,20 Jan 2020,45\n",
        "slot,time,n\nA,08:00,60\nB,12:00,80\nC,16:00,45\n",
        "ward,floor,n\nA,1st,60\nB,1st,80\nC,2nd,45\nD,2nd,44\n",
        "household,n\n1 person,60\n2 people,80\n3 people,45\n",
        "icd,name,n\nE10,Type 1 diabetes,60\nE11,Type 2 diabetes,80\nI10,Hypertension,45\n",
        "hospital,year,n\nA,2019,60\nB,2020,70\nC,2021,45\n",
        "dept,code,n\nA,01,60\nB,02,70\n",
        ",dept,n\n0,A,60\n1,B,70\n2,C,50\n",
        "sex,decile,n\n" + "".join(f"{sex},{one},{37 * one % 61 + 20}\n" for sex in SEXES for one in range(1, 11)),
        "date,n\n01.02.2020,100\n02.02.2020,80\n03.02.2020,150\n",
    ],
)
def test_small_ordinary_tables_are_released(text):
    assert judge(text).verdict is Verdict.RELEASE


@pytest.mark.parametrize("name", [*NESTED])
def test_without_names_no_verdict_gets_better(name):
    """Words may add a doubt; signs in values and counts stay."""
    text = NESTED[name][0]
    head, _, body = text.partition("\n")
    words = {
        "a word above the counts",
        "as of",
        "a flow chart in columns",
        "a flow chart",
        "at risk, as programs write it",
    }
    neutral = ",".join(f"x{at}" for at in range(1, head.count(",") + 2))
    assert name in words or judge(f"{neutral}\n{body}").verdict >= judge(text).verdict
