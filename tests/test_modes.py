"""Who may read what is written: the modes of files and folders, from their first byte on."""

import os
import stat

import pytest
from click.testing import CliRunner

import discreet
from discreet.cli import main
from discreet.hiding.stream import hide_file
from discreet.io import files

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")

CSV = "a,b,c\n" * 48 + "a,b\n" * 2 + "d\n" * 50
AUDIT = ["--min-support", "10", "-k", "10", "--quiet"]
APART = "DO-NOT-RELEASE"


@pytest.fixture(autouse=True)
def no_umask():
    """Nothing but what is written sets its mode."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def rows(tmp_path):
    """A file that a group may read."""
    path = tmp_path / "rows.csv"
    path.write_text(CSV, encoding="utf-8")
    path.chmod(0o640)
    return path


def mode(path):
    return oct(stat.S_IMODE(path.stat().st_mode))


def modes(folder):
    """The mode of a folder and of all below it, by their paths in it."""
    return {str(path.relative_to(folder)): mode(path) for path in [folder, *folder.rglob("*")]}


def run(*arguments):
    result = CliRunner().invoke(main, [*map(str, arguments)])
    assert result.exit_code in {0, 1}, result.stderr


def test_a_file_has_its_mode_while_it_is_written(tmp_path, rows):
    seen = []

    def looking():
        seen.extend(mode(path) for path in tmp_path.iterdir() if path != rows)
        yield b"1"

    files.save(tmp_path / "plain", looking())
    files.save(tmp_path / "private", looking(), private=True)
    assert seen[0] == "0o666"
    assert sorted(seen[1:]) == ["0o600", "0o666"]


@pytest.mark.parametrize("others", [0o666, 0o644, 0o640, 0o604, 0o600, 0o400])
def test_whoever_may_not_read_a_source_may_not_read_what_comes_of_it(tmp_path, rows, others):
    other = tmp_path / "other"
    other.touch(others)
    files.save(tmp_path / "made", [b"1"], sources=[rows, None, other])
    assert mode(tmp_path / "made") == oct(0o640 & others)


@pytest.mark.parametrize("source", ["-", "sqlite:///clinic.db", "no/such/file"])
def test_what_comes_of_a_pipe_or_a_database_is_for_its_owner(tmp_path, source):
    files.save(tmp_path / "made", [b"1"], sources=[source])
    assert mode(tmp_path / "made") == "0o600"


@pytest.mark.parametrize("old", [0o666, 0o644, 0o600, 0o440])
@pytest.mark.parametrize("is_private", [True, False])
def test_a_file_that_replaces_another_has_the_stricter_mode(tmp_path, old, is_private):
    path = tmp_path / "made"
    path.touch(old)
    files.save(path, [b"1"], private=is_private)
    assert mode(path) == oct(old & (0o600 if is_private else 0o666))
    assert path.read_bytes() == b"1"


def test_the_mark_in_a_name_makes_a_file_private(tmp_path):
    discreet.write([["a"]], tmp_path / f"rows.{APART}.csv")
    assert mode(tmp_path / f"rows.{APART}.csv") == "0o600"


@pytest.mark.parametrize("old", [None, 0o750, 0o555])
def test_a_folder_is_private_while_it_is_written_and_as_strict_as_the_one_it_replaces(tmp_path, old):
    place = tmp_path / "place"
    if old is not None:
        place.mkdir(old)
    with files.folder_beside(place):
        assert {mode(path) for path in tmp_path.iterdir() if path != place} == {"0o700"}
    assert mode(place) == oct({None: 0o777, 0o750: 0o750, 0o555: 0o755}[old])


def test_of_a_release_only_what_stands_apart_is_private(tmp_path, rows):
    run("block", rows, *AUDIT, "--method", "add", "--out", tmp_path / "out")
    told = modes(tmp_path / "out")
    assert told.pop(".") == "0o777"
    assert told.pop(APART) == "0o700"
    assert {name: mode for name, mode in told.items() if mode != "0o666"} == {
        name: "0o600" for name in told if name.startswith(APART)
    }
    assert len(told) == 10


@pytest.mark.parametrize("options", [[], ["--method", "swa", "--memory", "1GiB"]], ids=["read", "scanned"])
def test_hidden_rows_have_the_mode_of_their_file_and_what_stands_apart_is_private(tmp_path, rows, options):
    (tmp_path / "secret.txt").write_text("a,b\n", encoding="utf-8")
    run("hide", rows, "--sensitive", tmp_path / "secret.txt", "--out", tmp_path / "out", "--quiet", *options)
    apart = dict.fromkeys([f"{APART}/README.txt", f"{APART}/changes.csv", f"{APART}/hidden.json"], "0o600")
    assert modes(tmp_path / "out") == {".": "0o777", "rows.csv": "0o640", APART: "0o700", **apart}


def test_the_log_of_one_scan_is_private(tmp_path, rows):
    hide_file(rows, tmp_path / "hidden.csv", [["a", "b"]], log=tmp_path / "log.csv")
    assert (mode(tmp_path / "hidden.csv"), mode(tmp_path / "log.csv")) == ("0o640", "0o600")


def test_a_folder_for_checkers_is_private(tmp_path, rows):
    run("audit", rows, *AUDIT, "--sacro", tmp_path / "out")
    told = modes(tmp_path / "out")
    assert {told.pop(name) for name in (".", "checksums", APART)} == {"0o700"}
    assert set(told.values()) == {"0o600"}


@pytest.mark.parametrize(
    ("command", "options", "made", "expected"),
    [
        ("index", ["--quiet"], "rows.csv.index", "0o600"),
        ("mine", ["--min-support", "10", "--quiet", "--out", "found.json"], "found.json", "0o640"),
        ("audit", [*AUDIT, "--exposed", "exposed.csv"], f"exposed.{APART}.csv", "0o600"),
        ("report", [*AUDIT, "--no-tradeoff", "--private", "--out", "page.html"], f"page.{APART}.html", "0o600"),
        ("report", [*AUDIT, "--no-tradeoff", "--csv", "found.csv"], "found.csv", "0o600"),
        ("report", [*AUDIT, "--no-tradeoff"], "rows.report.html", "0o640"),
        ("audit", [*AUDIT, "--out", "audit.txt"], "audit.txt", "0o640"),
        ("audit", [*AUDIT, "--out", "audit.json"], "audit.json", "0o640"),
        ("detect", [*AUDIT, "--out", "channels.txt"], "channels.txt", "0o640"),
        ("attack", [*AUDIT, "--out", "attack.txt"], "attack.txt", "0o640"),
        ("tradeoff", ["--min-support", "10", "-k", "10", "--quiet", "--out", "grid.txt"], "grid.txt", "0o640"),
    ],
)
def test_what_a_command_writes_of_rows_is_as_private_as_they_are(
    tmp_path, rows, monkeypatch, command, options, made, expected
):
    monkeypatch.chdir(tmp_path)
    run(command, rows, *options)
    assert mode(tmp_path / made) == expected
