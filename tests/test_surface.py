"""What ``import discreet`` offers, and what it costs."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

import discreet
from discreet.cli import main

OPTIONAL = (
    "adbc_driver_manager",
    "anyio",
    "duckdb",
    "IPython",
    "mlxtend",
    "opendp",
    "pyspark",
    "starlette",
    "uvicorn",
    "zstandard",
)
HEAVY = (
    "click",
    "highspy",
    "jinja2",
    "narwhals",
    "numba",
    "pandas",
    "polars",
    "pyarrow",
    "pyroaring",
    "rich",
    "scipy",
    "yaml",
)


def loaded_after(statement):
    """Names of all modules that a fresh interpreter has loaded after a statement."""
    code = f"{statement}\nimport sys\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_all_public_names_are_there():
    assert [name for name in discreet.__all__ if not hasattr(discreet, name)] == []


def test_all_public_names_are_listed():
    ours = {
        name
        for name, value in vars(discreet).items()
        if getattr(value, "__module__", "").startswith("discreet.") and not name.startswith("_")
    }
    assert ours - set(discreet.__all__) == set()


def test_public_names_are_sorted_and_unique():
    assert sorted(set(discreet.__all__)) == list(discreet.__all__)


def test_dir_shows_public_names_alone():
    shown = dir(discreet)
    assert [name for name in shown if not name.startswith("__")] == discreet.__all__
    assert {"__doc__", "__version__", "__all__"} <= set(shown)


def test_rooms_that_dir_does_not_show_can_still_be_imported():
    from discreet import report

    assert discreet.report is report
    assert "report" not in dir(discreet)


def test_star_import_works():
    names = {}
    exec("from discreet import *", names)  # noqa: S102 - the statement is under test
    assert set(discreet.__all__) <= set(names)


@pytest.mark.parametrize("name", ["discreet", "discreet.report"])
def test_import_loads_nothing_heavy(name):
    assert loaded_after(f"import {name}").isdisjoint({*HEAVY, *OPTIONAL})


def commands(group, path=()):
    """Yield each command of the command line by its words, with the groups that hold others; the first is ``()``."""
    yield path, group
    for name, command in getattr(group, "commands", {}).items():
        yield from commands(command, (*path, name))


EVERY = dict(commands(main))
RUN = {
    "audit": "baskets.csv --min-support 2 -k 2",
    "report": "baskets.csv --min-support 2 -k 2 --out report.html",
    "detect": "patterns.json -k 2",
    "attack": "patterns.json -k 2",
    "belief": "patterns.json -k 2",
    "tradeoff": "baskets.csv",
    "advise": "baskets.csv --format baskets --min-support 2 -k 2",
    "block": "baskets.csv --format baskets --min-support 2 -k 2 --out blocked",
    "verify": "release",
    "hide": "baskets.csv --sensitive secret.txt",
    "mine": "baskets.csv --min-support 2",
    "query": "baskets.csv bread",
    "index": "baskets.csv",
    "generate clinic": "--rows 9 --out rows.csv",
    "generate quest": "--rows 9 --out rows.dat",
    "demo": "",
    "serve": "missing.csv --no-browser",
    "warm": "--check",
}
"""What each command is run with, on a few rows. ``serve`` ends by itself only where it refuses the file."""
KERNELS = frozenset(["numba", "rich", "scipy", "yaml"])
"""What runs kernels and shows progress, and what Numba loads where it finds it."""
NEEDS = {
    "warm": frozenset(),
    "report": KERNELS | {"jinja2"},
    "serve": frozenset(["anyio", "jinja2", "starlette", "uvicorn"]),
    **dict.fromkeys(["advise", "attack", "belief", "block", "demo"], KERNELS | {"highspy"}),
    **dict.fromkeys(["hide", "query"], KERNELS | {"pyroaring"}),
}
"""What a command may load besides Click, where that is not the kernels alone."""


def run_of(words):
    """Return the statement that runs a command; what is unsafe to publish is no failure here."""
    expected = {2} if words[0] == "serve" else {0, 1, None}
    return (
        f"from discreet.cli import main\ntry: main({words}, prog_name='discreet')\n"
        f"except SystemExit as end: assert end.code in {expected}"
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with rows, their patterns, a release of them, and an itemset to hide."""
    place = tmp_path_factory.mktemp("surface")
    rows = [["bread", "milk"]] * 3 + [["bread"], ["milk", "beer"], ["beer"]]
    (place / "baskets.csv").write_text("".join(",".join(row) + "\n" for row in rows))
    (place / "secret.txt").write_text("bread milk\n")
    discreet.write_patterns(discreet.mine(rows, min_support=2), place / "patterns.json")
    discreet.write_release(discreet.block(rows, min_support=2, k=2), place / "release")
    return place


@pytest.mark.parametrize("path", EVERY, ids=" ".join)
def test_help_ends_with_an_example_of_the_command(path):
    result = CliRunner().invoke(main, [*path, "--help"], prog_name="discreet")
    _, head, examples = result.stdout.rpartition("\n  Example")
    assert (result.exit_code, head) == (0, "\n  Example")
    assert " ".join(["discreet", *path]) in examples
    assert "--help" not in examples


@pytest.mark.parametrize("arguments", [["--version"], *([*path, "--help"] for path in EVERY)], ids=" ".join)
def test_help_loads_no_kernels_and_no_frames(arguments):
    run = f"from discreet.cli import main\ntry: main({arguments})\nexcept SystemExit as end: assert not end.code"
    assert loaded_after(run).isdisjoint({*HEAVY, *OPTIONAL} - {"click"})


@pytest.mark.parametrize(
    "path", [path for path, command in EVERY.items() if not hasattr(command, "commands")], ids=" ".join
)
def test_a_command_loads_nothing_that_it_does_not_need(path, folder, monkeypatch):
    monkeypatch.chdir(folder)
    name = " ".join(path)
    loaded = loaded_after(run_of([*path, *RUN[name].split()]))
    assert loaded & {*HEAVY, *OPTIONAL} - {"click"} <= NEEDS.get(name, KERNELS)


def test_every_command_is_run():
    assert set(RUN) == {" ".join(path) for path, command in EVERY.items() if not hasattr(command, "commands")}
