"""The page in the browser alone: what it runs needs NumPy and click, and finds what the command line finds."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import discreet
from discreet.data.generate import clinic
from discreet.io import datasets
from discreet.web.samples import TABLE

SOURCES = Path(__file__).parents[1] / "docs" / "try"
BROWSER = """
import sys, time
import numpy
LACKS = "polars narwhals numba llvmlite highspy pyroaring yaml rich jinja2 pyarrow lzma sqlite3"
sys.modules.update(dict.fromkeys(LACKS.split()))
del time.thread_time
sys.platform = "emscripten"
"""
PAGE = """
import json, sys
import worker
worker.start()
print(json.dumps([worker.audit(*case, as_json=True) for case in json.load(sys.stdin)]))
"""
COMMAND = """
import json, shlex, sys
import worker
print(json.dumps([worker.run([*shlex.split(command)[1:], "--json"]) for command in json.load(sys.stdin)]))
"""
PEOPLE = "id,sex,age,ward\n" + "".join(
    f'{n},{"fm"[n % 2]},{"" if n % 7 == 0 else n % 3},"ward ""{n % 5}"", ä"\r\n' for n in range(60)
)
LONG = "patient,code\n" + "".join(f"{n // 3},c{n * n % 7}\n" for n in range(150))
ONE_HOT = "tea,milk,rye\n" + "".join(f"{n % 2},{int(n % 3 > 0)},{int(n % 5 > 1)}\n" for n in range(60))
CASES = [
    ("clinic.csv", "5%", "10", ""),
    *((f"{name}.csv", "2", "3", "--format baskets") for name in datasets.EXAMPLES),
    ("people.csv", "5%", "5", ""),
    ("people.csv", "5%", "5", "--drop id --bins age=0,2"),
    ("long.csv", "5%", "5", "--row patient --item code"),
    ("onehot.csv", "5%", "5", ""),
    ("patterns.json", "", "10", ""),
    ("counts.csv", "", "10", "--counts"),
    ("clinic.csv", "zero", "10", ""),
    ("clinic.csv", "", "10", ""),
    ("-.csv", "5%", "10", ""),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with files of each shape, and all examples."""
    place = tmp_path_factory.mktemp("try")
    rows = clinic(400, seed=1)
    discreet.write(discreet.Transactions(rows), place / "clinic.csv")
    for name in datasets.EXAMPLES:
        discreet.write(discreet.Transactions(datasets.load(name)), place / f"{name}.csv", format="csv")
    discreet.write_patterns(discreet.mine(rows, min_support="10%"), place / "patterns.json")
    for name, text in {"people": PEOPLE, "long": LONG, "onehot": ONE_HOT, "counts": TABLE.decode()}.items():
        (place / f"{name}.csv").write_text(text, newline="")
    return place


def run(script, folder, given, **environment):
    """What a script says."""
    paths = {"PYTHONPATH": os.pathsep.join([str(SOURCES), *sys.path]), **environment}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env={**os.environ, **paths},
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return json.loads(done.stdout)


def run_page(folder, cases):
    """What the page says, run by a Python that lacks what a browser's lacks."""
    return run(BROWSER + PAGE, folder, cases, NUMBA_DISABLE_JIT="1")


def test_the_page_finds_what_the_command_line_finds(folder):
    found = run_page(folder, CASES)
    expected = run(COMMAND, folder, [command for *_, command in found])
    assert [[case, *words[:2]] for case, words in zip(CASES, found, strict=True)] == [
        [case, *words[:2]] for case, words in zip(CASES, expected, strict=True)
    ]


def test_what_the_page_lacks_is_no_verdict(folder):
    discreet.write(clinic(50, seed=1), folder / "rows.parquet")
    (folder / "rows.csv.xz").write_bytes(b"\xfd7zXZ\0" + bytes(100))
    cases = [("rows.parquet", "5%", "10", ""), ("rows.csv.xz", "5%", "10", ""), ("clinic.csv", "5%", "10", "--row 'a")]
    found = run_page(folder, cases)
    assert [(code, out) for code, out, *_ in found] == [(2, "")] * 3
    assert [said.strip() for _, _, said, _ in found] == [
        "error: the page has no reader of this kind of file; save it as CSV, or install discreet",
        "error: .xz files need lzma, which this Python lacks: unpack the file, or compress it with gzip",
        "error: the other options have a quote that does not end; add it",
    ]
