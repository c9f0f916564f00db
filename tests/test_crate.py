"""The RO-Crate of a release: it says what release.json says, and verify refuses any other."""

import json
from datetime import date

import pytest

import discreet
from discreet.web.samples import TABLE

DAY = date(2024, 2, 29)
ROWS = [["a", "b"]] * 20 + [["a"]] * 3


def make_rows():
    return discreet.block(ROWS, min_support=10, policy="acro", method="suppress")


def make_tables():
    from io import BytesIO

    return discreet.block(discreet.read_counts(BytesIO(TABLE)), k=10, method="suppress")


@pytest.fixture(params=[make_rows, make_tables])
def folder(request, tmp_path):
    """A release folder with a crate."""
    assert discreet.write_release(request.param(), tmp_path / "release", published=DAY).is_good
    return tmp_path / "release"


def read_crate(folder):
    graph = json.loads((folder / "ro-crate-metadata.json").read_text())["@graph"]
    return {entity["@id"]: entity for entity in graph}


def test_a_crate_states_policy_thresholds_program_and_digests(folder):
    facts, entities = json.loads((folder / "release.json").read_text()), read_crate(folder)
    digests = {name: one["sha256"] for name, one in entities.items() if one["@type"] == "File"}
    assert digests == {**facts["files"], "release.json": discreet.verify(folder).digest}
    assert [one["@id"] for one in entities["./"]["hasPart"]] == sorted(digests)
    assert entities["./"]["datePublished"] == "2024-02-29"
    assert (entities["#policy"]["name"], entities["#k"]["value"]) == (facts["policy"]["name"], facts["k"])
    assert entities["#discreet"]["version"] == discreet.__version__
    assert entities["#disclosure-check"]["additionalType"]["@id"] in entities
    referred = json.dumps([*entities.values()])
    assert "DO-NOT-RELEASE" not in referred
    assert "suppressed" not in referred


def test_a_release_without_a_day_has_no_crate_and_the_same_fingerprint(tmp_path):
    found = [
        discreet.write_release(make_rows(), tmp_path / name, published=day).digest
        for name, day in (("plain", None), ("dated", DAY), ("later", date(2025, 1, 1)))
    ]
    assert len({*found}) == 1
    assert not (tmp_path / "plain" / "ro-crate-metadata.json").exists()
    assert discreet.verify(tmp_path / "plain").is_good


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"value": 10', b'"value": 11'),
        (b'"name": "discreet"', b'"name": "discrete"'),
        (b'"@context"', b'"extra": "Ada", "@context"'),
        (b"2024-02-29", b"2024-02-30"),
        (b'"datePublished"', b'"dateCreated"'),
        (b"}\n", b"}\n\n"),
    ],
)
def test_a_changed_crate_is_refused(folder, old, new):
    file = folder / "ro-crate-metadata.json"
    file.write_bytes(file.read_bytes().replace(old, new))
    assert discreet.verify(folder).faults == (
        "'ro-crate-metadata.json' does not describe this release: it was changed, or is of another one",
    )


def test_a_crate_of_another_day_is_as_good(folder):
    file = folder / "ro-crate-metadata.json"
    file.write_bytes(file.read_bytes().replace(b"2024-02-29", b"2024-03-01"))
    assert discreet.verify(folder).is_good


def test_a_crate_that_is_no_plain_file_is_refused(folder, tmp_path):
    file = folder / "ro-crate-metadata.json"
    file.rename(tmp_path / "elsewhere.json")
    file.symlink_to(tmp_path / "elsewhere.json")
    assert discreet.verify(folder).faults == ("'ro-crate-metadata.json' is no plain file, or too large",)


def test_a_release_with_a_crate_may_be_replaced(tmp_path):
    discreet.write_release(make_rows(), tmp_path / "release", published=DAY)
    assert discreet.write_release(make_rows(), tmp_path / "release").is_good


def test_the_command_line_states_the_day(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from discreet.cli import main

    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    discreet.write(ROWS, tmp_path / "rows.csv")
    words = [
        "block",
        f"{tmp_path}/rows.csv",
        "--format",
        "baskets",
        "--min-support",
        "10",
        "-k",
        "5",
        "--out",
        f"{tmp_path}/release",
    ]
    assert CliRunner().invoke(main, words).exit_code == 0
    assert read_crate(tmp_path / "release")["./"]["datePublished"] == "1970-01-02"
