"""No CSV that we write holds a field that a spreadsheet takes for a formula, and what we read back is as it was."""

import csv
from pathlib import Path

import pytest

from discreet import (
    Transactions,
    audit,
    block,
    hide,
    read,
    read_patterns,
    report,
    verify,
    write,
    write_hidden,
    write_release,
)

SIGNS = tuple("=+-@\t\r＝＋－＠")
A, B, C, D = LABELS = ["=a", "'+b", " -c d", "@d"]
ROWS = [[A, B, C]] * 30 + [[A, B]] * 2 + [[C, D]] * 20 + [[D]] * 12


def fields(path):
    return list(csv.reader(path.read_text(encoding="utf-8").splitlines()))


def formulas(folder):
    return [
        (path.name, field)
        for path in Path(folder).rglob("*.csv")
        for line in fields(path)
        for field in line
        if field.startswith(SIGNS) or field.lstrip().startswith(SIGNS)
    ]


@pytest.mark.parametrize("method", ["suppress", "add", "withhold"])
def test_a_release_folder_holds_no_formula_and_is_verified(tmp_path, method):
    rows = Transactions(ROWS, ids=[f"={number}" for number in range(len(ROWS))])
    release = block(rows, min_support=5, k=5, method=method)
    write_release(release, tmp_path / "release", format="csv")
    assert formulas(tmp_path) == []
    assert verify(tmp_path / "release").is_good
    assert read_patterns(tmp_path / "release" / "patterns.csv", n=release.patterns.n).labels == release.patterns.labels


def test_the_folder_of_hidden_rows_holds_no_formula(tmp_path):
    write(ROWS, tmp_path / "rows.csv")
    rows = read(tmp_path / "rows.csv")
    assert rows == Transactions(ROWS)
    write_hidden(hide(rows, [[A, C]]), tmp_path / "shared", source=tmp_path / "rows.csv")
    assert formulas(tmp_path) == []
    after = read(tmp_path / "shared" / "rows.csv")
    assert (after.n, after.support([A, C]), after.support([D])) == (len(ROWS), 0, rows.support([D]))


def test_reports_hold_no_formula(tmp_path):
    rows = Transactions(ROWS, ids=[f"@{number}" for number in range(len(ROWS))])
    found = audit(rows, min_support=5, k=5)
    report.write_sacro(found, tmp_path / "sacro")
    for name in ("findings_csv", "exposed_csv"):
        (tmp_path / f"{name}.csv").write_bytes(b"".join(getattr(report, name)(found)))
    assert formulas(tmp_path) == []
    assert len(fields(tmp_path / "exposed_csv.csv")) == 3
