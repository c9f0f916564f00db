"""What holds for all tests: how Hypothesis looks for examples, a session of Spark, and figures that tests measured."""

import os

import pytest
from hypothesis import settings

# Kernels are compiled from the first call on, and not only where there is much to do (tests/test_plain_kernels.py).
os.environ.setdefault("NUMBA_DISABLE_JIT", "0")

# No deadlines, since the first call of a kernel compiles it; the same examples in every run of CI.
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")

# No examples are in these; and two modules of one name cannot both be looked through for some.
collect_ignore = ["conftest.py", "kernels.py", "browser/conftest.py", "browser/screenshots.py"]


FIRST = (
    "test_laws.py",
    "test_ways.py",
    "browser/",
    "test_benchmarks.py",
    "test_sql.py",
    "test_hide_exact.py",
    "test_notebook_tutorial.py",
)
"""Files that take long: they start first, so that no worker is left with one of them at the end."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Put the files that take long before the others, which stay in their random order."""
    items.sort(key=lambda item: not any(name in item.nodeid for name in FIRST))


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    """A session of Spark, for the tests that need one."""
    from spark_session import started

    with started(tmp_path_factory) as session:
        yield session


def pytest_terminal_summary(terminalreporter):
    """Print what tests recorded by ``record_property``: figures, which never decide a test."""
    reports = [report for found in terminalreporter.stats.values() for report in found if hasattr(report, "when")]
    figures = sorted({pair for report in reports if report.when == "call" for pair in report.user_properties})
    if figures:
        terminalreporter.section("figures")
        for name, value in figures:
            terminalreporter.line(f"{name}: {value}")
