"""The sliding window: against its text, in one scan of a file, within the memory that it is allowed."""

import csv
import gzip
import lzma
import subprocess
import sys
import time
from fractions import Fraction
from io import BytesIO
from random import Random

import oracle
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import databases
from traced import peak

from discreet import (
    BudgetError,
    DiscreetError,
    GuaranteeError,
    InputError,
    OptionError,
    OutputError,
    Patterns,
    ThresholdError,
    Transactions,
    hide,
    hide_file,
    read,
    read_sensitive,
    rewrite,
    write,
)
from discreet.hiding import stream, victims
from discreet.io import compression

shares = st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1)]) | st.fractions(0, 1, max_denominator=20)
windows = st.integers(1, 12) | st.just(100)


@st.composite
def hidings(draw):
    """Rows, sensitive itemsets over their items, what may stay of them, and a window."""
    rows = draw(databases(max_rows=20, max_items=6))
    items = Transactions(rows).labels
    assume(items)
    sensitive = draw(st.lists(st.frozensets(st.sampled_from(items), min_size=1, max_size=3), min_size=1, unique=True))
    if draw(st.booleans()):
        return rows, sensitive, {"below": draw(st.integers(1, 6))}, draw(windows)
    return rows, sensitive, {"disclosure": [draw(shares) for _ in sensitive]}, draw(windows)


def expected(rows, sensitive, told, window):
    disclosures = told.get("disclosure", [0] * len(sensitive))
    return oracle.swa(rows, sensitive, disclosures, window, below=told.get("below"))


@given(case=hidings())
def test_the_sliding_window_is_that_of_its_text(case):
    rows, sensitive, told, window = case
    assert [*hide(rows, sensitive, method="swa", window=window, **told).transactions] == expected(*case)


@given(case=hidings(), cells=st.integers(1, 20))
def test_how_many_windows_are_looked_at_together_does_not_matter(case, cells):
    rows, sensitive, told, window = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(victims, "CELLS", cells)
        assert [*hide(rows, sensitive, method="swa", window=window, **told).transactions] == expected(*case)


@given(case=hidings(), seed=st.randoms())
def test_the_order_of_the_sensitive_itemsets_does_not_matter(case, seed):
    rows, sensitive, told, window = case
    order = [*range(len(sensitive))]
    seed.shuffle(order)
    shuffled = {name: value if name == "below" else [value[at] for at in order] for name, value in told.items()}
    ours, other = (
        hide(rows, itemsets, method="swa", window=window, **options).transactions
        for itemsets, options in ((sensitive, told), ([sensitive[at] for at in order], shuffled))
    )
    assert ours == other


@given(case=hidings())
def test_nothing_is_left_where_nothing_may_be_found(case):
    rows, sensitive, _, window = case
    hidden = hide(rows, sensitive, method="swa", window=window).transactions
    assert [oracle.support(itemset, hidden) for itemset in sensitive] == [0] * len(sensitive)


@given(case=hidings(), below=st.integers(1, 8))
def test_fewer_rows_than_told_hold_each_sensitive_itemset(case, below):
    rows, sensitive, _, window = case
    hidden = hide(rows, sensitive, method="swa", window=window, below=below).transactions
    assert all(oracle.support(itemset, hidden) < below for itemset in sensitive)
    is_hidden = all(oracle.support(itemset, rows) < below for itemset in sensitive)
    assert is_hidden <= ([*hidden] == [*rows])


FORMS = {"fimi": ".dat", "spmf": ".txt", "csv": ".csv"}
MEANT = {"fimi": {"format": "fimi"}, "spmf": {"format": "spmf"}, "csv": {"format": "baskets", "separator": ","}}
"""How files are read, whatever their rows look like."""


def as_words(rows):
    """Labels of which some look like numbers, and some are longer than others."""
    words = ["9", "10", "ale", "rye bread", "b", "zz", "c,d", "x"]
    return [frozenset(words[item] for item in row) for row in rows]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("named", [False, True], ids=["numbers", "words"])
@settings(max_examples=25)
@given(case=hidings(), chunk=st.sampled_from([3, 40, 1 << 20]))
def test_one_scan_gives_the_bytes_that_all_rows_in_memory_give(tmp_path_factory, form, named, case, chunk):
    rows, sensitive, told, window = case
    place = {label: code for code, label in enumerate(Transactions(rows).labels)}
    rows, sensitive = ([[place[item] for item in itemset] for itemset in itemsets] for itemsets in (rows, sensitive))
    if named and form != "fimi":
        rows, sensitive = as_words(rows), as_words(sensitive)
    # Words that all look like numbers are read as such, and baskets of them are refused.
    assume(form != "csv" or not named or any(not item.isdigit() for row in rows for item in row))
    folder = tmp_path_factory.mktemp("scan")
    source, ours, other = (folder / f"{name}{FORMS[form]}" for name in ("source", "ours", "other"))
    write(rows, source)
    how = MEANT[form]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compression, "CHUNK", chunk)
        patch.setattr(stream, "CHUNK", chunk)
        streamed = hide_file(source, ours, sensitive, window=window, log=folder / "log.csv", **told, **how)
    hidden = hide(read(source, empty_rows=True, **how), sensitive, method="swa", window=window, **told)
    rewrite(source, other, hidden.log(), **how)
    assert ours.read_bytes() == other.read_bytes()
    assert streamed.before.tolist() == hidden.before.tolist()
    # Where only numbers are left, they are read as such: items are compared as text.
    rows_left = [frozenset(map(str, row)) for row in read(ours, empty_rows=True, **how)]
    texts = [frozenset(map(str, itemset)) for itemset in hidden.sensitive.itemsets]
    assert streamed.after.tolist() == [oracle.support(itemset, rows_left) for itemset in texts]
    counts = (streamed.n, streamed.rows_touched, streamed.items_removed)
    assert counts == (len(rows), hidden.rows_touched, hidden.items_removed)
    with (folder / "log.csv").open(newline="") as file:
        log = [*csv.reader(file)]
    assert log[0] == ["row", "items"]
    assert [(int(row) - 1, {*items}) for row, *items in log[1:]] == [
        (row, {*map(str, items)}) for row, items in hidden.log()
    ]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "rows.dat"
    path.write_bytes(b"1 2 3\n\n2 3\n1 2\n")
    return path


def left(file):
    """All files of the folder, that none was left half-written."""
    return sorted(path.name for path in file.parent.iterdir())


@pytest.mark.parametrize("packer", [gzip, lzma])
def test_packed_files_are_scanned_and_packed_again(tmp_path, packer):
    suffix = {gzip: ".gz", lzma: ".xz"}[packer]
    (tmp_path / f"rows.dat{suffix}").write_bytes(packer.compress(b"1 2 3\n1 2\n"))
    hide_file(tmp_path / f"rows.dat{suffix}", tmp_path / f"new.dat{suffix}", [[1, 2]])
    assert packer.decompress((tmp_path / f"new.dat{suffix}").read_bytes()) == b"2 3\n2\n"


def test_open_files_are_scanned(tmp_path):
    hide_file(BytesIO(b"tea;milk\nmilk\n"), tmp_path / "new.csv", [["tea"]], format="csv", separator=";")
    assert (tmp_path / "new.csv").read_bytes() == b"milk\nmilk\n"


def test_numbers_and_texts_that_look_like_them_are_the_same(file):
    for sensitive in ([[1, 2]], [["1", "2"]], Patterns.from_itemsets([([1, 2], 2)], n=4)):
        assert hide_file(file, file.parent / "new.dat", sensitive).after.tolist() == [0]
    named = read_sensitive(BytesIO(b"1 2 @ 50%\n'2' 3\n"))
    assert hide_file(file, file.parent / "new.dat", named, window=3).before.tolist() == [2, 2]


def test_progress_is_told(file):
    seen = []
    hide_file(file, file.parent / "new.dat", [[1]], progress=lambda share, rows: seen.append((share, rows)))
    assert seen[-1] == (1.0, 4)


def test_memory_tells_how_many_rows_a_window_has(tmp_path):
    path = tmp_path / "rows.dat"
    path.write_bytes(b"1 2 3 4 5 6 7 8\n" * 1000)
    small, large = (hide_file(path, tmp_path / "new.dat", [[1]], memory=memory) for memory in (32_000, 3_200_000))
    assert (small.window, large.window) == (100, 10_000)
    assert hide_file(path, tmp_path / "new.dat", [[1]]).window == 10_000


def test_names_before_the_rows_do_not_count_for_the_window(tmp_path, monkeypatch):
    monkeypatch.setattr(compression, "CHUNK", 1000)
    path = tmp_path / "rows.txt"
    names = b"".join(b"@ITEM=%d=%s\n" % (item, b"x" * item) for item in range(1, 100))
    path.write_bytes(names + b"1 2 3 4 5 6 7 8\n" * 1000)
    assert hide_file(path, tmp_path / "new.txt", [["x", "xx"]], memory=32_000).window == 100


def test_rows_that_become_much_longer_are_refused_where_memory_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(compression, "CHUNK", 1000)
    monkeypatch.setattr(stream, "CHUNK", 1000)
    path = tmp_path / "rows.dat"
    path.write_bytes(b"1\n" * 10_000 + (b"1 " * 1000 + b"\n") * 10_000)
    with pytest.raises(BudgetError, match=r"rows from \d+ on are so much longer than the first ones"):
        hide_file(path, tmp_path / "new.dat", [[1]], memory=100_000)
    assert left(path) == ["rows.dat"]


def test_a_file_larger_than_the_memory_allowed_is_hidden_within_it(tmp_path):
    random = Random(5)  # noqa: S311 - no secret
    block = b"".join(
        b" ".join(b"%d" % item for item in sorted(random.sample(range(1, 40), 12))) + b"\n" for _ in range(20_000)
    )
    large, three = tmp_path / "large", tmp_path / "three"
    with large.open("wb") as file:
        file.writelines([block] * (60_000_000 // len(block)))
    three.write_bytes(b"1 2\n3 4 5\n1 2 3 4 5\n")
    work = 'hide_file(path, path + ".new", [[1, 2], [3, 4, 5]], memory=20_000_000, format="fimi")'
    assert peak(work, three, large) < 25_000_000 < large.stat().st_size / 2
    with (tmp_path / "large.new").open() as file:
        assert not any(
            {"1", "2"} <= row or {"3", "4", "5"} <= row for row in (set(next(file).split()) for _ in range(5000))
        )


def test_a_killed_process_leaves_the_old_file(tmp_path):
    code = (
        "import sys, time\n"
        "from discreet import hide_file\n"
        "def wait(share, rows):\n"
        "    print(rows, flush=True)\n"
        "    time.sleep(60)\n"
        "hide_file(sys.argv[1], sys.argv[2], [[1]], window=1000, progress=wait)"
    )
    source, target = tmp_path / "rows.dat", tmp_path / "new.dat"
    source.write_bytes(b"1 2 3\n" * 400_000)
    target.write_bytes(b"old")
    with subprocess.Popen([sys.executable, "-c", code, source, target], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        time.sleep(0.05)
        process.kill()
    assert target.read_bytes() == b"old"
    assert source.read_bytes() == b"1 2 3\n" * 400_000


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_a_scan_that_is_stopped_leaves_nothing(file, stop):
    def progress(_share, _rows):
        raise stop

    with pytest.raises((KeyboardInterrupt, OutputError)):
        hide_file(file, file.parent / "new.dat", [[1]], progress=progress, log=file.parent / "log.csv")
    assert left(file) == ["rows.dat"]


@pytest.mark.parametrize("sensitive", [[[1, 2], [2, 9]], [[3], ["two", 9, 1]]])
def test_items_that_no_row_has_are_refused_at_the_end_and_by_number(file, sensitive):
    with pytest.raises(InputError, match=rf"itemset 2 has {len(sensitive[1]) - 1} of {len(sensitive[1])} items"):
        hide_file(file, file.parent / "new.dat", sensitive, log=file.parent / "log.csv")
    assert left(file) == ["rows.dat"]


def test_what_is_not_hidden_is_not_shared(file, monkeypatch):
    choose = victims.choose_in_windows
    monkeypatch.setattr(
        stream, "choose_in_windows", lambda *asked: [(rows[:1], items[:1]) for rows, items in choose(*asked)][:1]
    )
    with pytest.raises(GuaranteeError, match="a sensitive itemset is not hidden; nothing is shared"):
        hide_file(file, file.parent / "new.dat", [[1, 2]])
    assert left(file) == ["rows.dat"]


HOSTILE = {
    "a NUL": (b"1 2\n3\0\n", "fimi", "line 2 holds a byte that is no text"),
    "a NUL in a later piece": (b"1 2\n" * 2000 + b"\0\n", "fimi", "line 2001 holds a byte that is no text"),
    "a NUL in baskets": (b"1,2\n3\0\n", "csv", "this is not a text table"),
    "a NUL in a later piece of baskets": (b"1,2\n" * 80_000 + b"\0\n", "csv", "line 80001 holds a NUL byte"),
    "bytes that are no UTF-8": (b"1,2\n" * 80_000 + b"\xff\n", "csv", "line 80001 is not UTF-8"),
    "words": (b"1 2\ntea\n", "fimi", "line 2 holds something that is no whole number"),
    "a byte-order mark within": (b"1 2\n" * 2000 + b"\xef\xbb\xbf1\n", "fimi", "line 2001 holds something"),
    "a line without end": (b"1\n2" + b" " * (17 << 20) + b"\n", "fimi", "line 2 is longer than 16,777,216 bytes"),
    "a line without end in baskets": (b"a,b\n1" + b",a" * (17 << 19), "csv", "line 2 is longer than 16,777,216 bytes"),
    "a row without end": (b"1 2\n" + b" ".join(b"%d" % item for item in range(100_001)), "fimi", "row 2 holds 100,001"),
    "a quote that does not end": (b'a,b\n"a,b\nc\n', "csv", "line 3 has a quote that does not end"),
    "a field without end": (b"1,2\n" + b"a" * 200_000 + b"\n", "csv", "a field of more than 131,072 characters"),
    "nothing": (b"", "fimi", "the file is empty"),
    "no rows": (b"# none\n", "spmf", "sensitive itemset 1 has 1 of 1 items that no row has"),
}


@pytest.mark.parametrize(("content", "form", "sentence"), HOSTILE.values(), ids=HOSTILE)
def test_bad_files_are_refused_in_one_sentence(tmp_path, monkeypatch, content, form, sentence):
    monkeypatch.setattr(compression, "CHUNK", 4096)
    source = tmp_path / f"rows{FORMS[form]}"
    source.write_bytes(content)
    with pytest.raises(InputError, match=sentence) as caught:
        hide_file(source, tmp_path / f"new{FORMS[form]}", [[1]], **MEANT[form])
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(source))
    assert left(source) == [source.name]


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"none\.dat: there is no such file"):
        hide_file(tmp_path / "none.dat", tmp_path / "new.dat", [[1]])
    assert list(tmp_path.iterdir()) == []


def test_broken_packed_files_are_refused(tmp_path):
    (tmp_path / "rows.dat.gz").write_bytes(gzip.compress(b"1 2\n" * 1000)[:-20])
    with pytest.raises(InputError, match="the gzip data is broken or cut short"):
        hide_file(tmp_path / "rows.dat.gz", tmp_path / "new.dat", [[1]])


OPTIONS = {
    "a share": ({"below": "10%"}, ThresholdError, "the number of rows is not known: give a count"),
    "two ways to tell how much": ({"below": 2, "disclosure": 0.5}, OptionError, "leave one of them out"),
    "no window": ({"window": 0}, ThresholdError, "window is '0'"),
    "no memory": ({"memory": -1}, ThresholdError, "memory is '-1'"),
    "a separator": ({"separator": ";"}, OptionError, "separator= means nothing for the format fimi"),
    "an unknown format": ({"format": "words"}, OptionError, "format is 'words'"),
    "a table": ({"format": "parquet"}, OptionError, "a file with a line a row"),
}


@pytest.mark.parametrize(("options", "error", "sentence"), OPTIONS.values(), ids=OPTIONS)
def test_options_that_mean_nothing_are_refused(file, options, error, sentence):
    with pytest.raises(error, match=sentence):
        hide_file(file, file.parent / "new.dat", [[1]], **options)
    assert left(file) == ["rows.dat"]


@pytest.mark.parametrize(
    ("target", "log"),
    [("rows.dat", None), ("new.dat", "rows.dat"), ("new.dat", "new.dat"), ("-", None), ("x.csv", None)],
)
def test_no_file_is_written_over_another(file, target, log):
    where = target if target == "-" else file.parent / target
    with pytest.raises(DiscreetError):
        hide_file(file, where, [[1]], log=None if log is None else file.parent / log)
    assert left(file) == ["rows.dat"]
    assert file.read_bytes() == b"1 2 3\n\n2 3\n1 2\n"
