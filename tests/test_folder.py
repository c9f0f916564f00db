"""The release folder: all of it or nothing, the same bytes, and nothing private but in DO-NOT-RELEASE."""

import csv
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import oracle
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import detected_databases

import discreet
from discreet import GuaranteeError, OutputError, Transactions, block, read_patterns, verify, write_release
from discreet.blocking import folder
from discreet.io import files

ROWS = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
METHODS = ("suppress", "add", "withhold", "optimal")
FORMATS = {"json": ".json", "csv": ".csv", "spmf": ".txt", "borgelt": ".out", "parquet": ".parquet"}
APART = "DO-NOT-RELEASE"
PRIVATE = {"README.txt", "added.csv", "cost.json", "supports.csv", "suppressed.csv"}


def files_in(place):
    """Each file below a folder, by its path in it, with its bytes."""
    return {str(path.relative_to(place)): path.read_bytes() for path in Path(place).rglob("*") if path.is_file()}


def public(place):
    """The files that others may see."""
    return {name: data for name, data in files_in(place).items() if not name.startswith(APART)}


def written(place, rows=ROWS, *, min_support=10, k=10, method="suppress", **options):
    """A folder with a release of rows."""
    write_release(block(rows, min_support=min_support, k=k, method=method), place, **options)
    return place


def fields(path):
    """The lines of a CSV file without its head."""
    return list(csv.reader(path.read_text(encoding="utf-8").splitlines()))[1:]


@pytest.mark.parametrize(("name", "suffix"), FORMATS.items())
@pytest.mark.parametrize("method", METHODS)
def test_a_release_is_the_same_bytes_each_time_and_verifies(tmp_path, method, name, suffix):
    one, other = (written(tmp_path / place, method=method, format=name) for place in ("one", "other"))
    names = {"release.json", "certificate.json", "report.txt", f"patterns{suffix}"}
    assert set(files_in(one)) == names | {f"{APART}/{private}" for private in PRIVATE}
    assert files_in(one) == files_in(other)
    assert verify(one).is_good


@pytest.mark.parametrize("method", METHODS)
def test_release_json_holds_the_digest_of_every_other_public_file(tmp_path, method):
    place = written(tmp_path / "release", method=method)
    expected = {name: hashlib.sha256(data).hexdigest() for name, data in public(place).items()}
    told = json.loads((place / "release.json").read_text(encoding="utf-8"))
    assert told["files"] == {name: digest for name, digest in expected.items() if name != "release.json"}


def test_the_patterns_can_be_read_back(tmp_path):
    expected = block(ROWS, min_support=10, k=10, method="add").patterns
    assert read_patterns(written(tmp_path / "release", method="add") / "patterns.json") == expected


def test_an_older_release_gives_way(tmp_path):
    place = written(tmp_path / "release", method="suppress", format="csv")
    expected = files_in(written(tmp_path / "fresh", method="add"))
    assert files_in(written(place, method="add")) == expected
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fresh", "release"]


def test_an_empty_folder_is_filled(tmp_path):
    (tmp_path / "release").mkdir()
    assert verify(written(tmp_path / "release")).is_good


def a_file(place):
    place.write_text("mine", encoding="utf-8")


def a_folder_of_something(place):
    place.mkdir()
    (place / "notes.txt").write_text("mine", encoding="utf-8")


def a_release_and_notes(place):
    written(place)
    (place / "notes.txt").write_text("mine", encoding="utf-8")


def a_link(place):
    (place.parent / "elsewhere").mkdir()
    place.symlink_to(place.parent / "elsewhere")


@pytest.mark.parametrize("there", [a_file, a_folder_of_something, a_release_and_notes, a_link])
def test_what_is_no_release_is_left_as_it_is(tmp_path, there):
    there(tmp_path / "release")
    before = files_in(tmp_path)
    with pytest.raises(OutputError, match="name a new folder for the release"):
        written(tmp_path / "release")
    assert files_in(tmp_path) == before


@pytest.mark.parametrize("place", ["", "/", "no/such/release", "file/release", "nul\0"])
def test_a_place_that_cannot_be_written_is_refused_in_a_sentence(tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    a_file(tmp_path / "file")
    with pytest.raises(OutputError, match="; name a "):
        written(place)
    assert files_in(tmp_path) == {"file": b"mine"}


KILLED = """
import os, signal, sys
from pathlib import Path
from discreet import block
from discreet.blocking import folder
from discreet.io import files
from discreet.io import files
files._exchange = lambda *_: False  # as on a file system that cannot do it
rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
release = block(rows, min_support=10, k=10, method="add")
def end(*_):
    os.kill(os.getpid(), signal.SIGKILL)
moves = []
def rename(self, target, real=Path.rename):
    moves.append(target)
    return end() if len(moves) == int(sys.argv[3]) else real(self, target)
place, name, value = {"rename": (Path, "rename", rename)}.get(sys.argv[2], (folder, sys.argv[2], end))
setattr(place, name, value)
folder.write_release(release, sys.argv[1])
"""


@pytest.mark.parametrize("at", [("save", "0"), ("verify", "0"), ("rename", "1"), ("rename", "2")], ids=" ".join)
@pytest.mark.parametrize("is_new", [True, False])
def test_a_killed_process_leaves_no_release_or_the_old_one(tmp_path, at, is_new):
    place = tmp_path / "release"
    expected = {} if is_new else files_in(written(place))
    done = subprocess.run([sys.executable, "-c", KILLED, place, *at], check=False)
    assert done.returncode == (0 if is_new and at == ("rename", "2") else -signal.SIGKILL)
    assert (files_in(place) in ({}, expected)) == bool(done.returncode)
    assert verify(written(place, method="add")).is_good


def refusing(_folder):
    return discreet.Verification("", ("a support is wrong",), ())


def interrupted(_folder):
    raise KeyboardInterrupt


def broken(_folder):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("is_new", [True, False])
@pytest.mark.parametrize(
    ("verifier", "error"), [(refusing, GuaranteeError), (interrupted, KeyboardInterrupt), (broken, OutputError)]
)
def test_what_fails_on_the_way_leaves_all_as_it_was(tmp_path, monkeypatch, verifier, error, is_new):
    place = tmp_path / "release"
    expected = {} if is_new else files_in(written(place))
    monkeypatch.setattr(folder, "verify", verifier)
    with pytest.raises(error):
        written(place, method="add")
    assert files_in(place) == expected
    assert [path.name for path in tmp_path.iterdir()] == ["release"] * (not is_new)


def test_an_old_release_comes_back_where_the_new_one_cannot_be_moved(tmp_path, monkeypatch):
    expected = files_in(written(tmp_path / "release"))
    real = Path.rename

    def rename(path, target):
        if path.name == "new":
            raise OSError(18, "Invalid cross-device link")
        return real(path, target)

    monkeypatch.setattr(files, "_exchange", lambda *_: False)
    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(OutputError, match="Invalid cross-device link"):
        written(tmp_path / "release", method="add")
    assert files_in(tmp_path / "release") == expected
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


SECRETS = Transactions(
    [["alpha", "beta", "gamma"]] * 4801 + [["alpha", "beta", "secret"]] * 7 + [[]] * 5003,
    ids=[f"patient{number}" for number in range(9811)],
)


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "parquet"])
@pytest.mark.parametrize("method", METHODS)
def test_public_files_hold_no_id_no_label_and_no_support_that_is_not_published(tmp_path, method, name):
    release = block(SECRETS, min_support=1000, k=10, method=method)
    write_release(release, tmp_path / "release", format=name)
    hidden = {str(held) for held in oracle.frequent(SECRETS, 1000).values() if held not in release.patterns.supports}
    words = set(re.findall(r"\w+", " ".join(data.decode() for data in public(tmp_path / "release").values())))
    assert not words & hidden
    assert not [word for word in words if "patient" in word or "secret" in word]
    assert hidden or method == "withhold"


@pytest.mark.parametrize("many", range(2, 10))
def test_public_files_do_not_tell_how_many_rows_were_suppressed(tmp_path, many):
    expected = public(written(tmp_path / "expected"))
    rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * many + [[]] * 50
    assert public(written(tmp_path / "release", rows)) == expected


@settings(max_examples=60)
@given(case=detected_databases(), method=st.sampled_from(METHODS))
def test_what_stands_apart_leads_from_the_rows_to_the_release(case, method):
    rows, sigma, k = case
    rows = [frozenset(map(str, row)) for row in rows]
    release = block(rows, min_support=sigma, k=k, method=method)
    assume(len(release.patterns))
    with TemporaryDirectory() as top:
        place = Path(top, "release")
        write_release(release, place)
        patterns = {frozenset(itemset): held for itemset, held in read_patterns(f"{place}/patterns.json")}
        suppressed = {int(row) - 1 for (row,) in fields(Path(place, APART, "suppressed.csv"))}
        added = fields(Path(place, APART, "added.csv"))
        changed = fields(Path(place, APART, "supports.csv"))
        cost = json.loads(Path(place, APART, "cost.json").read_text(encoding="utf-8"))
        certificate = json.loads(Path(place, "certificate.json").read_text(encoding="utf-8"))
    kept = [row for number, row in enumerate(rows) if number not in suppressed]
    now = kept + [frozenset(items) for copies, *items in added for _ in range(int(copies))]
    before, after = oracle.frequent(rows, sigma), oracle.frequent(now, sigma)
    if method == "withhold":
        after = {itemset: held for itemset, held in before.items() if itemset in patterns}
    assert patterns == (after if method == "withhold" else oracle.closed(now, sigma))
    closed = set(oracle.closed(rows, sigma)) | set(patterns)
    expected = {itemset: (before[itemset], after.get(itemset, 0)) for itemset in closed}
    told = {frozenset(items): (int(old), int(new or 0)) for old, new, *items in changed}
    assert told == {itemset: (old, new) for itemset, (old, new) in expected.items() if old != new}
    assert len(told) == len(changed)
    assert_costs(cost, before, after, rows, now)
    assert_tops(certificate["tops"], after, now)


def assert_costs(cost, before, after, rows, now):
    changes = {itemset: abs(after.get(itemset, 0) - held) for itemset, held in before.items()}
    assert cost["rows"]["before"] == len(rows)
    assert len(rows) - cost["rows"]["suppressed"] + cost["rows"]["added"] == len(now)
    assert cost["distortion"]["itemsets"] == len(before)
    assert cost["distortion"]["lost"] == len(before.keys() - after.keys())
    assert cost["distortion"]["changed"] == sum(map(bool, changes.values()))
    assert cost["distortion"]["largest"] == max(changes.values(), default=0)
    average = sum(Fraction(change, before[itemset]) for itemset, change in changes.items()) / max(1, len(before))
    assert cost["distortion"]["average"] == pytest.approx(float(average))


def assert_tops(tops, family, rows):
    expected = Counter()
    for top in (itemset for itemset in family if not any(itemset < other for other in family)):
        cells = Counter(row & top for row in rows)
        expected[top, family[top], len(cells), min(cells.values())] += 1
    assert Counter((frozenset(top["items"]), top["support"], top["cells"], top["smallest"]) for top in tops) == expected


def test_row_ids_stand_beside_row_numbers_apart_and_only_for_their_owner(tmp_path):
    place = written(tmp_path / "release", SECRETS, min_support=1000, k=10)
    expected = [[str(number + 1), f"patient{number}"] for number in range(4801, 4808)]
    assert fields(place / APART / "suppressed.csv") == expected
    assert os.stat(place / APART).st_mode & 0o077 == 0  # noqa: PTH116 - in one line


@pytest.mark.parametrize("method", ["suppress", "withhold"])
def test_a_release_that_lists_nothing_is_not_written(tmp_path, method):
    release = block([["a"]], min_support=1, k=2, method=method)
    with pytest.raises(OutputError, match="lists nothing"):
        write_release(release, tmp_path / "release")
    assert not list(tmp_path.iterdir())


def test_a_schema_is_written_whatever_the_order_of_labels(tmp_path):
    rows = Transactions.from_codes(np.arange(201), np.repeat(np.int32([0, 1]), 100), ("sex=m", "sex=f"))
    write_release(block(rows, min_support=50, k=5, schema="=", method="withhold"), tmp_path / "release")
    assert json.loads((tmp_path / "release" / "patterns.json").read_text())["schema"] == [["sex=f", "sex=m"]]
