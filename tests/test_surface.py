"""What ``import discreet`` offers, and what it costs."""

import subprocess
import sys

import pytest

import discreet

HEAVY = ("click", "jinja2", "narwhals", "numba", "pandas", "plotly", "polars", "pyarrow", "rich", "scipy", "yaml")


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


def test_star_import_works():
    names = {}
    exec("from discreet import *", names)  # noqa: S102 - the statement is under test
    assert set(discreet.__all__) <= set(names)


@pytest.mark.parametrize("name", ["discreet", "discreet.report"])
def test_import_loads_nothing_heavy(name):
    assert loaded_after(f"import {name}").isdisjoint(HEAVY)


WORDS = "audit, report, detect, tradeoff, block, verify, hide, query, index, mine, generate quest, demo, reproduce, "
HELP = [words.split() for words in WORDS.split(",")]


@pytest.mark.parametrize("arguments", [["--version"], *([*path, "--help"] for path in HELP)])
def test_help_loads_no_kernels_and_no_frames(arguments):
    run = f"from discreet.cli import main\ntry: main({arguments})\nexcept SystemExit as end: assert not end.code"
    assert loaded_after(run).isdisjoint(set(HEAVY) - {"click"})
