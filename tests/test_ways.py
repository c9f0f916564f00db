"""The same people in many ways, through Python, the command line and the app: the same verdict, or a clear refusal."""

import json
import os
import threading

import pytest
import ways
from click.testing import CliRunner
from web import answer, served, upload

from discreet import DiscreetError, Verdict, audit, read, scan
from discreet.cli import main

EXPECTED = audit(ways.ROWS, min_support=ways.MIN_SUPPORT, k=ways.K)
SAME = (len(ways.ROWS), sorted(EXPECTED.patterns.supports.tolist()), "WITHHOLD")
LEAST = 60
TO_CHOOSE = {
    "long, named, unnamed",
    "onehot without header, unnamed",
    "table without header, unnamed",
}
"""Files that may be read in several ways, and are refused until their owner says which is meant."""


def judge(rows):
    """The number of rows, the supports, and the verdict; or None if the rows are refused in a sentence of ours."""
    try:
        found = audit(rows(), min_support=ways.MIN_SUPPORT, k=ways.K)
    except DiscreetError as error:
        return None if ";" in str(error) else str(error)  # what came, and what to do
    return found.patterns.n, sorted(found.patterns.supports.tolist()), found.verdict.name


def expected(name):
    return None if name in TO_CHOOSE else SAME


@pytest.fixture
def file(request, tmp_path):
    way = ways.FILES[request.param]
    path = tmp_path / way.name
    path.write_bytes(way.data)
    return path, way, expected(request.param)


@pytest.fixture(scope="module")
def client():
    with served(many=1) as found:
        yield found


every_file = pytest.mark.parametrize("file", ways.FILES, indirect=True)


def test_there_are_many_ways_and_the_people_are_to_be_withheld():
    assert EXPECTED.verdict is Verdict.WITHHOLD
    assert len(ways.FILES) + len(ways.OBJECTS) >= LEAST


@every_file
def test_files_are_judged_alike_in_python(file):
    path, way, wanted = file
    assert judge(lambda: read(path, **way.options)) == wanted


@every_file
def test_files_are_judged_alike_on_the_command_line(file):
    path, way, wanted = file
    given = [part for name, value in way.options.items() for part in flags(name, value)]
    told = CliRunner().invoke(
        main, ["audit", str(path), "--min-support", str(ways.MIN_SUPPORT), "-k", str(ways.K), "--json", *given]
    )
    found = json.loads(told.stdout) if told.exit_code == 1 else {}
    assert (told.exit_code, found.get("verdict")) == ((2, None) if wanted is None else (1, "WITHHOLD"))
    assert (found.get("n"), found.get("itemsets")) == ((None, None) if wanted is None else (SAME[0], len(SAME[1])))
    assert "read as " in told.stderr or "say what is meant: --" in told.stderr


def flags(name, value):
    flag = f"--{name.replace('_', '-')}"
    return ["--no-header"] if value is False else [flag, value]


@every_file
def test_files_are_judged_alike_in_the_app(file, client):
    path, way, wanted = file
    read_in = answer(client, "read", upload=upload(client, path.read_bytes(), path.name), **way.options)
    assert (read_in.status_code == 200) == (wanted is not None)
    data = read_in.json().get("data", "")
    found = answer(client, "audit", data=data, min_support=str(ways.MIN_SUPPORT), k=ways.K).json()
    assert found.get("verdict") == (None if wanted is None else "WITHHOLD")
    assert found.get("n") == (None if wanted is None else SAME[0])


@every_file
def test_a_pipe_is_read_once_and_alike(file, tmp_path):
    _, way, wanted = file
    pipe = tmp_path / f"pipe-{way.name}"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=[way.data], daemon=True)
    writer.start()
    assert judge(lambda: read(pipe, **way.options)) == wanted
    writer.join(10)
    assert not writer.is_alive()


@every_file
def test_a_scan_gives_the_same_merged_rows_or_is_refused(file):
    path, way, wanted = file
    found = judge(lambda: scan(path, min_support=ways.MIN_SUPPORT, **way.options))
    assert found in (wanted, None)


@pytest.mark.parametrize("name", ways.OBJECTS)
def test_rows_in_memory_are_judged_alike_or_refused(name):
    assert judge(ways.OBJECTS[name]) in (SAME, None)


@pytest.mark.parametrize("name", [name for name in ways.OBJECTS if name not in ways.REFUSED])
def test_rows_in_memory_are_judged_alike(name):
    assert judge(ways.OBJECTS[name]) == SAME


def test_rows_of_a_database_are_judged_alike(tmp_path):
    url = ways.make_database(tmp_path / "people.db")
    assert judge(lambda: read(url, table="pairs", row="id", item="item")) == SAME


def judge_in_app(client, key, options):
    """The number of rows and the verdict in the app."""
    data = answer(client, "read", upload=key, **options).json().get("data", "")
    found = answer(client, "audit", data=data, min_support=str(ways.MIN_SUPPORT), k=ways.K).json()
    return found.get("n"), found.get("verdict"), (found.get("reading") or {}).get("confirmed")


@pytest.mark.parametrize("file", [name for name in ways.FILES if name not in TO_CHOOSE], indirect=True)
def test_a_confirmed_reading_is_judged_alike_in_the_app(file, client):
    path, way, _ = file
    key = upload(client, path.read_bytes(), path.name)
    seen = answer(client, "preview", upload=key, **way.options).json()
    again = answer(client, "preview", upload=key, **seen["confirm"]).json()
    assert (seen["error"], seen["choices"], again["rows"]) == (None, [], seen["rows"])
    assert judge_in_app(client, key, seen["confirm"]) == (SAME[0], "WITHHOLD", True)


@pytest.mark.parametrize("file", sorted(TO_CHOOSE), indirect=True)
def test_one_of_the_choices_in_the_app_is_what_is_meant(file, client):
    path, _, _ = file
    key = upload(client, path.read_bytes(), path.name)
    choices = answer(client, "preview", upload=key).json()["choices"]
    found = [judge_in_app(client, key, choice["options"]) for choice in choices]
    assert (SAME[0], "WITHHOLD", True) in found
