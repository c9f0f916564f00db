"""One release is detected, audited and verified once: reports, folders and the command line only show the results."""

from collections import Counter

import pytest
from click.testing import CliRunner

import discreet
from discreet import Audit, block, write_release
from discreet.blocking import folder
from discreet.blocking.blockers import BEST, METHODS
from discreet.cli import main
from discreet.data.lattice import Family

K, LEAST = 10, 9
ROWS = [list(row) for row in ["abc"] * 48 + ["ab"] * 2 + ["abd"] * 9 + ["d"] * 30 + [""] * 50]
READ = ["--empty-rows", "--min-support", LEAST, "-k", K, "--against", "plain"]
PLAIN = [name for name, blocker in METHODS.items() if not blocker.by_hierarchy]


class Calls:
    """How often a release was audited and verified, and which lists were searched for small cells."""

    def __init__(self, monkeypatch):
        self.times, self.searched, self.releases = Counter(), [], []
        self.count(monkeypatch, Audit, "__init__", "audits")
        self.count(monkeypatch, folder, "verify_files", "verifications")
        find, write = Family.cells, folder.write_release

        def cells(family, limit, threads=1):
            if limit == K:  # a larger limit is that of the certificate and of the search for the least distortion
                self.searched.append(Calls.key(family))
            return find(family, limit, threads)

        def written(release, *args, **options):
            self.releases.append(release)
            return write(release, *args, **options)

        monkeypatch.setattr(Family, "cells", cells)
        monkeypatch.setattr(discreet, "write_release", written)

    def count(self, monkeypatch, owner, name, what):
        run = getattr(owner, name)

        def counted(*args, **options):
            self.times[what] += 1
            return run(*args, **options)

        monkeypatch.setattr(owner, name, counted)

    @staticmethod
    def key(patterns):
        """A list of itemsets by its numbers."""
        return patterns.n, patterns.items.tobytes(), patterns.supports.tobytes()


@pytest.fixture
def calls(monkeypatch):
    return Calls(monkeypatch)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("".join(",".join(row) + "\n" for row in ROWS))
    return path


def assert_once(calls, release, method):
    # The best is the best verdict first: each of five releases is audited.
    assert calls.times == {"audits": {BEST: 5}.get(method, 1), "verifications": 1}
    times = Counter(calls.searched)
    assert times[Calls.key(release.original)] <= 1
    assert times[Calls.key(release.patterns)] == 1
    # The search for the least distortion also detects on what it tries.
    searches = method == BEST or METHODS[method].is_search
    assert searches or len(calls.searched) <= 1 + max(1, release.rounds or 0)


@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize("method", [BEST, *PLAIN])
def test_the_command_line_computes_a_release_once(calls, file, tmp_path, method, form):
    out = tmp_path / "release"
    options = [*READ, "--method", method, "--out", out, *form]
    result = CliRunner().invoke(main, ["block", str(file), *map(str, options)], catch_exceptions=False)
    assert (result.exit_code, len(calls.releases)) == (0, 1)
    assert_once(calls, calls.releases[0], method)


def test_comparing_methods_audits_each_release_once(calls, file, tmp_path):
    options = [*READ, "--compare", "--out", tmp_path / "release"]
    result = CliRunner().invoke(main, ["block", str(file), *map(str, options)], catch_exceptions=False)
    assert result.exit_code == 0
    assert_once(calls, calls.releases[0], BEST)


@pytest.mark.parametrize("method", PLAIN)
def test_the_library_computes_a_release_once(calls, tmp_path, method):
    release = block(ROWS, min_support=LEAST, k=K, method=method, against="plain")
    verification = write_release(release, tmp_path / "release")
    assert verification.is_good
    page, private = release.to_html(), release.to_html(private=True)
    assert release.verdict.name in page
    assert release.verdict.name in private
    assert_once(calls, release, method)


def test_one_round_of_suppression_takes_two_detections(calls):
    rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [["d"]] * 25 + [["e"]] * 25
    release = block(rows, min_support=10, k=K, method="suppress", against="plain")
    assert (release.rounds, release.verdict.name, len(calls.searched)) == (1, "RELEASE", 2)
