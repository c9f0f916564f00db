"""What holds for all tests: what is quick, how Hypothesis looks for examples, signals, Spark, and measured figures."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings
from xdist.scheduler import LoadFileScheduling

QUICK = 10
MOST = {"quick": QUICK, "measured": QUICK, "ci": 25}
"""Examples of a law, at the most; ``make laws`` draws as many as it asks for, new ones each time."""

# No deadlines, since the first call of a kernel compiles it; the same examples in every run of CI.
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.register_profile("quick", parent=settings.get_profile("ci"), max_examples=QUICK)
settings.register_profile("measured", parent=settings.get_profile("quick"))
settings.load_profile("ci" if os.environ.get("CI") else "local")

# No examples are in these; and two modules of one name cannot both be looked through for some.
collect_ignore = ["conftest.py", "browser/conftest.py", "browser/screenshots.py", "spark_daemon.py"]
collect_ignore += ["acro_sessions/make.py", "peers/make.py"]  # they need the programs whose files they make


SPARK = "tests/test_spark"

LONG = (
    "tests/browser/",
    "tests/test_benchmarks.py",
    "tests/test_hide_exact.py",
    "tests/test_laws.py::test_all_ways_of_mining_find_what_the_definition_says_over_many_items",
    "tests/test_notebook_tutorial.py",
    SPARK,
    "tests/test_sql.py",
)
"""How the ids of tests begin that a quick run does without; else they start first, so that no worker is left with one
of them at the end."""

MEASURED = Path(__file__).with_name("long.txt")
"""Other tests that a quick run does without, since they took longer than SECONDS when ``make long`` measured them."""

SECONDS = 0.5


def is_quick(config):
    return config.getoption("--hypothesis-profile") in {"quick", "measured"}


def is_measured(config):
    return config.getoption("--hypothesis-profile") == "measured"


def pytest_configure(config):
    """Compile kernels from the first call on; in a quick run only where there is much to do, as for users."""
    if not is_quick(config):
        os.environ.setdefault("NUMBA_DISABLE_JIT", "0")


def pytest_itemcollected(item):
    """Run all laws without the JIT too, and on no more examples than such a run draws, whatever they ask for."""
    law = getattr(item, "obj", None)
    if is_hypothesis_test(law):
        item.add_marker("nojit")
        asked = law._hypothesis_internal_use_settings
        most = MOST.get(item.config.getoption("--hypothesis-profile"), asked.max_examples)
        # Many of few examples may be filtered out by chance; the health of laws is checked where all are drawn.
        health = list(HealthCheck) if most == QUICK or most < asked.max_examples else asked.suppress_health_check
        law._hypothesis_internal_use_settings = settings(
            asked, max_examples=min(asked.max_examples, most), suppress_health_check=health
        )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Put the tests that take long before the others, which stay in their random order, or leave them out."""
    measured = set() if is_measured(config) else set(MEASURED.read_text("utf-8").splitlines())
    first = [item for item in items if item.nodeid.startswith(LONG)]
    others = [item for item in items if not item.nodeid.startswith(LONG)]
    left = []
    if is_quick(config):
        left = first + [item for item in others if item.nodeid in measured]
    elif config.getoption("--hypothesis-profile") == "ci":  # after a quick run, which has run the other examples
        left = [item for item in others if not item.nodeid.startswith("tests/") and item.nodeid not in measured]
    config.hook.pytest_deselected(items=left)
    gone = set(left)
    items[:] = [item for item in first + others if item not in gone]


class Files(LoadFileScheduling):
    """Give a worker whole files, and all files on Spark to one worker: they share the Java process."""

    def _split_scope(self, nodeid):
        return SPARK if nodeid.startswith(SPARK) else super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    return Files(config, log) if config.getvalue("dist") == "loadfile" else None


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
def spark(request, tmp_path_factory):
    """A session of Spark, for the tests that need one: their module says where its executors are."""
    from spark_session import started

    with started(request.module.MASTER, tmp_path_factory) as session:
        yield session


def pytest_terminal_summary(terminalreporter, config):
    """Print what tests recorded by ``record_property``: figures, which never decide a test. Write what took long."""
    reports = [report for found in terminalreporter.stats.values() for report in found if hasattr(report, "when")]
    calls = [report for report in reports if report.when == "call"]
    if is_measured(config):
        long = sorted(report.nodeid for report in calls if report.duration > SECONDS)
        MEASURED.write_text("".join(f"{name}\n" for name in long), "utf-8")
    figures = sorted({pair for report in calls for pair in report.user_properties})
    if figures:
        terminalreporter.section("figures")
        for name, value in figures:
            terminalreporter.line(f"{name}: {value}")
