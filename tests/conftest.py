"""What holds for all tests: how Hypothesis looks for examples, and figures that tests measured, to be read."""

import os

import pytest
from hypothesis import settings

# No deadlines, since the first call of a kernel compiles it; the same examples in every run of CI.
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")

# No examples are in these; and two modules of one name cannot both be looked through for some.
collect_ignore = ["conftest.py", "browser/conftest.py", "browser/screenshots.py"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Keep tests together that share a browser or a server, which take seconds to start: one worker runs them all."""
    for item in items:
        group = "browser" if item.path.parent.name == "browser" else item.path.stem
        if group.startswith(("browser", "test_web_")):
            item.add_marker(pytest.mark.xdist_group(group))


def pytest_terminal_summary(terminalreporter):
    """Print what tests recorded by ``record_property``: figures, which never decide a test."""
    reports = [report for found in terminalreporter.stats.values() for report in found if hasattr(report, "when")]
    figures = sorted({pair for report in reports if report.when == "call" for pair in report.user_properties})
    if figures:
        terminalreporter.section("figures")
        for name, value in figures:
            terminalreporter.line(f"{name}: {value}")
