"""What holds for all tests: what is quick, how Hypothesis looks for examples, signals, Spark, and measured figures."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings
from xdist.scheduler import LoadFileScheduling

QUICK = 10
MOST = {"quick": QUICK, "measured": QUICK, "ci": 20}
"""Examples of a law, at the most, and of a long one QUICK; ``make laws`` draws as many as it asks for, always new."""

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
    SPARK,
    "tests/browser/test_reach.py",
    "tests/test_benchmarks.py",
    "tests/test_sql.py",
    "tests/browser/",
    "tests/test_hide_exact.py",
    "tests/test_laws.py::test_all_ways_of_mining_find_what_the_definition_says_over_many_items",
    "tests/test_notebook_tutorial.py",
    # What needs something that make test-all installs or compiles beside the quick tests:
    "benchmarks/connect.py",
    "benchmarks/spark.py",
    "benchmarks/steps.py",
    "src/discreet/spark",
    "tests/test_noise.py",
    "tests/test_warm.py::test_warm_compiles_every_kernel_but_those_of_spark",
)
"""How the ids of tests begin that a quick run does without. Else they start first, in this order, so that no worker is
left with one of them at the end."""

MEASURED = Path(__file__).with_name("long.txt")
"""Other tests that a quick run does without, since they took longer than SECONDS when ``make long`` measured them."""
FOUND = frozenset(MEASURED.read_text("utf-8").splitlines())

SECONDS = 0.5


def is_measured(config):
    return config.getoption("--hypothesis-profile") == "measured"


def pytest_configure():
    """Take a variable that is empty for one that is not set; Numba would warn of it."""
    if not os.environ.get("NUMBA_DISABLE_JIT"):
        os.environ.pop("NUMBA_DISABLE_JIT", None)


def pytest_ignore_collect(collection_path, config):
    """Pass over files without long tests where only these are asked for: each worker collects all others too."""
    if config.option.markexpr != "long" or collection_path.is_dir():
        return None
    name = collection_path.relative_to(config.rootpath).as_posix()
    return None if any(one.startswith(name) or name.startswith(one) for one in (*LONG, *FOUND)) else True


def pytest_itemcollected(item):
    """Mark what is long. Run all laws without the JIT too, and on no more examples than such a run draws."""
    is_long = item.nodeid.startswith(LONG) or (item.nodeid in FOUND and not is_measured(item.config))
    if is_long:
        item.add_marker("long")
    law = getattr(item, "obj", None)
    if is_hypothesis_test(law):
        item.add_marker("nojit")
        asked = law._hypothesis_internal_use_settings
        profile = item.config.getoption("--hypothesis-profile")
        most = asked.max_examples if profile not in MOST else QUICK if is_long else MOST[profile]
        # Many of few examples may be filtered out by chance; the health of laws is checked where all are drawn.
        health = list(HealthCheck) if most == QUICK or most < asked.max_examples else asked.suppress_health_check
        law._hypothesis_internal_use_settings = settings(
            asked, max_examples=min(asked.max_examples, most), suppress_health_check=health
        )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Put the tests of ``LONG`` before the others, which stay in their random order."""
    items.sort(key=lambda item: next((at for at, name in enumerate(LONG) if item.nodeid.startswith(name)), len(LONG)))


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
