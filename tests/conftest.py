"""What holds for all tests: what is quick, how Hypothesis looks for examples, signals, Spark, and measured figures."""

import os
import signal

import pytest
from hypothesis import is_hypothesis_test, settings

QUICK = 10
"""Examples of a law in a quick run."""

# No deadlines, since the first call of a kernel compiles it; the same examples in every run of CI.
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.register_profile("quick", parent=settings.get_profile("ci"), max_examples=QUICK)
settings.load_profile("ci" if os.environ.get("CI") else "local")

# No examples are in these; and two modules of one name cannot both be looked through for some.
collect_ignore = ["conftest.py", "browser/conftest.py", "browser/screenshots.py"]


LONG = (
    "browser/",
    "test_benchmarks.py",
    "test_hide_exact.py",
    "test_laws.py::test_all_ways_of_mining_find_what_the_definition_says_over_many_items",
    "test_notebook_tutorial.py",
    "test_spark",
    "test_sql.py",
)
"""Tests that take long, by their files or names. A quick run does without them; else they start first, so that no
worker is left with one of them at the end."""


def is_quick(config):
    return config.getoption("--hypothesis-profile") == "quick"


def is_long(item):
    return item.nodeid.startswith(tuple(f"tests/{name}" for name in LONG))


def pytest_configure(config):
    """Compile kernels from the first call on; in a quick run only where there is much to do, as for users."""
    if not is_quick(config):
        os.environ.setdefault("NUMBA_DISABLE_JIT", "0")


def pytest_itemcollected(item):
    """Run all laws without the JIT too; and in a quick run on fewer examples, whatever they ask for."""
    law = getattr(item, "obj", None)
    if is_hypothesis_test(law):
        item.add_marker("nojit")
        if is_quick(item.config):
            asked = law._hypothesis_internal_use_settings
            law._hypothesis_internal_use_settings = settings(asked, max_examples=min(asked.max_examples, QUICK))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Put the tests that take long before the others, which stay in their random order, or leave them out."""
    long, short = [item for item in items if is_long(item)], [item for item in items if not is_long(item)]
    if is_quick(config):
        config.hook.pytest_deselected(items=long)
        items[:] = short
    else:
        items[:] = long + short


@pytest.fixture
def signals():
    """Let the processes that a test starts end by signals, though ours may have been told to ignore them."""
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    usual |= {getattr(signal, name): signal.SIG_DFL for name in ("SIGHUP",) if hasattr(signal, name)}
    before = {end: signal.signal(end, action) for end, action in usual.items()}
    yield
    for end, action in before.items():
        signal.signal(end, action)


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
