"""A hospital's table as it is exported: from the raw file to a verified release in three commands."""

import json
import random

import pytest
from click.testing import CliRunner

from discreet import Verdict, audit, read, read_patterns
from discreet.cli import main

DRUGS = [f"drug {at}" for at in range(1, 37)]
HEAD = ["encounter", "patient_nbr", "race", "gender", "age", "weight", "admission", "stay", "payer", "glucose", "notes"]
COLUMNS = [*HEAD, "diagnosis", "medicated", *DRUGS, "readmitted"]
PEOPLE = 700


def line(number, drawn):
    person = random.Random(drawn.randrange(PEOPLE))  # noqa: S311 - people who do not exist
    decade = person.choices(range(0, 100, 10), [1, 1, 2, 4, 8, 14, 20, 24, 18, 8])[0]
    who = person.randrange(10**6)
    return [
        str(5_000_000 + 7 * number),
        str(100_000 + who),
        person.choices(["Caucasian", "AfricanAmerican", "Hispanic", "Asian", "?"], [70, 20, 5, 2, 3])[0],
        person.choice(["Male", "Female"]),
        f"[{decade}-{decade + 10})",
        drawn.choices(["?", f"{person.gauss(80, 15):.1f}"], [9, 1])[0],
        drawn.choice(["1", "2", "3"]),
        str(drawn.randrange(1, 15)),
        drawn.choices(["?", "MC", "HM"], [4, 4, 2])[0],
        drawn.choices(["None", "Norm", ">200"], [94, 4, 2])[0],
        f"seen on ward {drawn.randrange(10**6)}, no complaints",
        drawn.choice(["250", "276", "414", "428"]),
        drawn.choices(["Yes", "No"], [77, 23])[0],
        *(drawn.choices(["No", "Steady", "Up"], [95, 4, 1])[0] for _ in DRUGS),
        drawn.choices(["NO", ">30", "<30"], [54, 35, 11])[0],
    ]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    drawn, path = random.Random(11), tmp_path_factory.mktemp("wide") / "stays.csv"  # noqa: S311 - as above
    lines = [line(number, drawn) for number in range(1500)]
    cells = [",".join(f'"{field}"' if "," in field else field for field in fields) for fields in [COLUMNS, *lines]]
    path.write_text("\n".join(cells) + "\n", encoding="utf-8")
    return path


def run(*words):
    return CliRunner().invoke(main, list(map(str, words)))


def test_a_wide_table_is_read_as_what_it_is(table):
    assert len(COLUMNS) == 50
    reading = read(table, na="?").reading
    why = {one.column: one.why for one in reading.left_out}
    assert (reading.shape, reading.n, reading.confirmed) == ("table", 1500, False)
    assert why == {
        "encounter": "an id",
        "patient_nbr": "an id that repeats",
        "notes": why["notes"],
        "weight": why["weight"],
    }
    (doubt,) = reading.doubts
    assert "patient_nbr" in doubt
    assert (
        "--person patient_nbr"
        in run("audit", table, "--na", "?", "--min-support", "70%", "-k", 5, "--max-length", 2).stdout
    )


def test_a_repeated_person_is_never_released(table):
    rows = read(table, na="?", columns=["gender"], format="table")
    found = audit(rows, min_support="10%", k=5)
    assert {check.name: check.verdict for check in found.checks}["inference channels"] is Verdict.RELEASE
    assert found.verdict is not Verdict.RELEASE


def test_three_commands_lead_from_a_raw_table_to_a_verified_release(table, tmp_path):
    options = [
        "--format",
        "table",
        "--na",
        "?",
        "--person",
        "patient_nbr",
        "--min-support",
        "20%",
        "-k",
        "10",
        "--max-length",
        "2",
    ]
    release = tmp_path / "release"
    judged = run("audit", table, *options, "--json")
    assert (judged.exit_code, json.loads(judged.stdout)["verdict"]) == (1, "WITHHOLD")
    assert "rows of one person are merged" in judged.stderr
    assert run("block", table, *options, "--out", release).exit_code == 0
    verified = run("verify", release)
    assert verified.exit_code == 0, verified.output
    published = read_patterns(release / "patterns.json")
    assert audit(published, k=10).verdict is Verdict.RELEASE
