"""Files that hold neither rows nor patterns: counts, rules, trees and releases are told, with what to do."""

import shutil
from io import BytesIO

import pytest
from click.testing import CliRunner

from discreet import block, read, write_release
from discreet.cli import main
from discreet.errors import UnclearError

TABLES = {
    "a column of counts": b"sex,age,count\nf,young,12\nf,old,9\nm,young,30\nm,old,<5\n",
    "Achilles": b'"analysis_id","stratum_1","count_value"\n0,"DEFAULT","1165"\n2,"8507","512"\n2,"8532","653"\n',
    "masked counts": b"ward;n\nA;12\nB;*\nC;40\n",
    "a crosstab with margins": b"age,f,m,Total\nyoung,12,30,42\nold,7,9,16\nTotal,19,39,58\n",
    "a line of totals": b"age,f,m\nyoung,12,30\nold,7,9\nTotal,19,39\n",
}


@pytest.mark.parametrize("data", TABLES.values(), ids=TABLES)
def test_a_table_of_counts_is_refused(data):
    with pytest.raises(UnclearError):
        read(BytesIO(data))


def test_a_column_that_is_called_so_may_be_an_attribute():
    lines = [f"{'fm'[at % 2]},{at % 3},{at % 4}" for at in range(40)]
    rows = read(BytesIO("\n".join(["sex,visits_n,ward", *lines]).encode()))
    assert (rows.n, rows.reading.shape) == (40, "table")


OTHERS = {
    "rules of arules": ("rules.csv", 'rules,support,confidence,lift\n"{a} => {b}",0.48,0.96,1.6\n', "--rules"),
    "rules of mlxtend": ("rules.csv", "antecedents,consequents,support,confidence\na,b,0.48,0.96\n", "--rules"),
    "rules of SPMF": ("rules.txt", "1 ==> 2 #SUP: 48 #CONF: 0.96\n", "--rules"),
    "a tree of scikit-learn": ("tree.txt", "|--- age <= 50.00\n|   |--- class: 0\n", "--tree"),
    "a drawn tree": ("tree.dot", "digraph Tree {\nnode [shape=box] ;\n}\n", "--tree"),
}


@pytest.mark.parametrize(("name", "text", "option"), OTHERS.values(), ids=OTHERS)
def test_what_holds_no_patterns_is_named_with_its_option(tmp_path, name, text, option):
    (tmp_path / name).write_text(text)
    told = CliRunner().invoke(main, ["audit", str(tmp_path / name), "-k", "10"])
    assert told.exit_code == 2
    assert told.stderr.endswith(f"judge it with {option}\n")


def test_a_release_folder_is_judged_by_its_patterns_and_a_zip_of_it_is_named(tmp_path):
    rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [["d"]] * 30 + [["e"]] * 20
    write_release(block(rows, min_support=10, k=10), tmp_path / "release")
    assert CliRunner().invoke(main, ["audit", str(tmp_path / "release"), "-k", "10"]).exit_code == 0
    shutil.make_archive(str(tmp_path / "sent"), "zip", tmp_path / "release")
    told = CliRunner().invoke(main, ["audit", str(tmp_path / "sent.zip"), "-k", "10"])
    assert (told.exit_code, "unpack it, and give the folder" in told.stderr) == (2, True)
