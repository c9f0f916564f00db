"""The folder of hidden rows: all of it or nothing, the same bytes, and nothing private but in DO-NOT-RELEASE."""

import csv
import gzip
import hashlib
import json
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import oracle
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import databases

import discreet
from discreet import GuaranteeError, InputError, OptionError, OutputError, Transactions, hide, read, write, write_hidden
from discreet.cli import main
from discreet.hiding import folder
from discreet.io.notation import unescape

ROWS = [["a", "b", "c"]] * 4 + [["a", "b"]] * 2 + [["c"]] * 3
APART = "DO-NOT-RELEASE"
PRIVATE = {"README.txt", "changes.csv", "hidden.json"}


def files_in(place):
    """Each file below a folder, by its path in it, with its bytes."""
    return {str(path.relative_to(place)): path.read_bytes() for path in Path(place).rglob("*") if path.is_file()}


@pytest.fixture
def file(tmp_path):
    write(ROWS, tmp_path / "rows.csv")
    return tmp_path / "rows.csv"


def written(file, place, sensitive=(["a", "b"],), *, how=None, **options):
    """A folder with what was hidden in the rows of a file."""
    reading = how or {}
    write_hidden(hide(read(file, **reading), sensitive, **options), place, source=file, **reading)
    return place


def changes(place):
    """The lines of changes.csv without its head."""
    lines = csv.reader(Path(place, APART, "changes.csv").read_text(encoding="utf-8").splitlines())
    return [[*map(unescape, line)] for line in lines][1:]


def test_a_folder_holds_the_rows_and_apart_what_is_private_and_is_the_same_bytes_each_time(file, tmp_path):
    one, other = (written(file, tmp_path / name) for name in ("one", "other"))
    assert set(files_in(one)) == {"rows.csv", *(f"{APART}/{name}" for name in PRIVATE)}
    assert files_in(one) == files_in(other)
    assert (one / APART).stat().st_mode & 0o077 == 0


@settings(max_examples=60, deadline=None)
@given(case=databases(), share=st.sampled_from([0, Fraction(1, 3), 1]), data=st.data())
def test_what_stands_apart_leads_from_the_rows_to_those_that_were_written(case, share, data):
    rows = [frozenset(map(str, row)) for row in case]
    items = sorted(frozenset().union(*rows))
    assume(items)
    sensitive = data.draw(st.lists(st.frozensets(st.sampled_from(items), min_size=1), min_size=1, max_size=3))
    with TemporaryDirectory() as top:
        file, place = Path(top, "rows.parquet"), Path(top, "shared")
        write(Transactions(rows, ids=[f"id{number}" for number in range(len(rows))]), file)
        written(file, place, sensitive, disclosure=share)
        after = [frozenset(row) for row in read(place / "rows.parquet")]
        told = json.loads((place / APART / "hidden.json").read_text(encoding="utf-8"))
        removed = {int(row) - 1: (name, frozenset(items)) for row, name, *items in changes(place)}
    assert [row - removed.get(number, ("", frozenset()))[1] for number, row in enumerate(rows)] == after
    assert all(items and name == f"id{number}" and items <= rows[number] for number, (name, items) in removed.items())
    assert (told["rows_touched"], told["items_removed"]) == (
        len(removed),
        sum(len(gone) for _, gone in removed.values()),
    )
    assert [frozenset(one["items"]) for one in told["sensitive"]] == list(dict.fromkeys(sensitive))
    for one in told["sensitive"]:
        before, now = (sum(frozenset(one["items"]) <= row for row in some) for some in (rows, after))
        assert (one["before"], one["after"]) == (before, now)
        assert now <= one["at_most"] == int(share * before)
        assert Fraction(one["disclosure"]) == share


def test_hidden_json_tells_how_it_was_done_and_the_digests_of_both_files(file, tmp_path):
    place = written(file, tmp_path / "shared", method="minfia", below=3)
    told = json.loads((place / APART / "hidden.json").read_text(encoding="utf-8"))
    assert (told["hidden"], told["discreet"], told["method"], told["below"]) == (1, discreet.__version__, "minfia", 3)
    assert told["input"] == {"file": "rows.csv", "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
    output = (place / "rows.csv").read_bytes()
    assert told["output"] == {"file": "rows.csv", "sha256": hashlib.sha256(output).hexdigest()}
    expected = {"number": 1, "items": ["a", "b"], "disclosure": None, "before": 6, "at_most": 2, "after": 2}
    assert told["sensitive"] == [expected]


@pytest.mark.parametrize("name", ["rows.csv", "rows.csv.gz", "rows.parquet", "rows.txt", "rows.basket"])
def test_rows_are_written_in_the_format_of_their_file(tmp_path, name):
    write(ROWS, tmp_path / name)
    place = written(tmp_path / name, tmp_path / "shared")
    after = [frozenset(row) for row in read(place / name)]
    assert [len(row) for row in after] == [2, 2, 2, 2, 1, 1, 1, 1, 1]
    assert not any({"a", "b"} <= row for row in after)


def test_all_but_what_was_removed_is_the_same_bytes(tmp_path):
    (tmp_path / "rows.csv").write_bytes(b'tea ,"b",a\r\n\r\n"c, d",a\r\nb\r\n')
    how = {"empty_rows": True}
    place = written(tmp_path / "rows.csv", tmp_path / "shared", [["a", "b"]], method="maxfia", how=how)
    expected = (tmp_path / "rows.csv").read_bytes().splitlines(keepends=True)
    found = (place / "rows.csv").read_bytes().splitlines(keepends=True)
    assert found[1:] == expected[1:]
    assert found[0] in {b'tea ,"b"\r\n', b"tea ,a\r\n"}


def test_a_table_is_written_with_the_options_it_was_read_with(tmp_path):
    (tmp_path / "rows.csv").write_text("id;what\n7;a\n7;b\n8;a\n7;c\n", encoding="utf-8")
    reading = {"row": "id", "item": "what", "separator": ";"}
    hidden = hide(read(tmp_path / "rows.csv", **reading), [["a", "b"]], method="minfia")
    write_hidden(hidden, tmp_path / "shared", source=tmp_path / "rows.csv", **reading)
    assert (tmp_path / "shared" / "rows.csv").read_text(encoding="utf-8") == "id;what\n7;a\n8;a\n7;c\n"
    assert changes(tmp_path / "shared") == [["1", "7", "b"]]


def test_a_file_that_was_changed_in_between_is_refused(file, tmp_path):
    hidden = hide(read(file), [["a", "b"]])
    write([["a", "b", "c"], *ROWS], file)
    with pytest.raises((GuaranteeError, InputError)):
        write_hidden(hidden, tmp_path / "shared", source=file)
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]


def test_text_that_is_read_as_numbers_once_words_are_gone_is_the_same_rows(tmp_path):
    write([["x", "1"], ["10", "9"]], tmp_path / "rows.csv")
    place = written(tmp_path / "rows.csv", tmp_path / "shared", [["x"]])
    assert (place / "rows.csv").read_text(encoding="utf-8") == "1\n10,9\n"


def test_several_recipients_have_a_folder_each(file, tmp_path):
    rows = read(file)
    several = {"one": hide(rows, [["a", "b"]]), "two": hide(rows, [["b", "c"]])}
    write_hidden(several, tmp_path / "shared", source=file)
    assert files_in(tmp_path / "shared" / "one") == files_in(written(file, tmp_path / "only"))
    assert {path.name for path in (tmp_path / "shared").iterdir()} == {"one", "two"}
    after = [frozenset(row) for row in read(tmp_path / "shared" / "two" / "rows.csv")]
    assert oracle.support({"b", "c"}, after) == 0
    assert oracle.support({"a", "b"}, after) > 0


def test_one_scan_writes_the_same_folder_as_hiding_in_memory(file, tmp_path):
    sensitive = {"one": [["a", "b"]], "two": [["b", "c"], ["a"]]}
    several = {name: hide(read(file), itemsets, method="swa", window=4) for name, itemsets in sensitive.items()}
    write_hidden(several, tmp_path / "whole", source=file)
    streamed = folder.stream_hidden(file, tmp_path / "scanned", sensitive, window=4)
    whole, scanned = (files_in(tmp_path / name) for name in ("whole", "scanned"))
    told = [name for name in whole if name.endswith("hidden.json")]
    assert {name: data for name, data in scanned.items() if name not in told} == {
        name: data for name, data in whole.items() if name not in told
    }
    assert len(told) == len(sensitive)
    for name in told:
        one, other = (json.loads(files[name]) for files in (whole, scanned))
        assert one == other
    assert {name: done.after.tolist() for name, done in streamed.items()} == {"one": [0], "two": [0, 0]}


def test_one_scan_that_fails_leaves_all_as_it_was(file, tmp_path):
    written(file, tmp_path / "shared")
    before = files_in(tmp_path)
    with pytest.raises(InputError, match="sensitive itemset 1 has 1 of 2 items that no row has"):
        folder.stream_hidden(file, tmp_path / "shared", [["a", "nothing"]])
    assert files_in(tmp_path) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.csv", "shared"]


def test_an_older_copy_gives_way(file, tmp_path):
    place = written(file, tmp_path / "shared")
    expected = files_in(written(file, tmp_path / "fresh", method="naive"))
    assert files_in(written(file, place, method="naive")) == expected
    several = {name: hide(read(file), [["a", "b"]], method="naive") for name in ("one", "two")}
    write_hidden(several, place, source=file)
    assert files_in(place / "one") == files_in(place / "two") == expected
    assert files_in(written(file, place, method="naive")) == expected
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fresh", "rows.csv", "shared"]


def a_file(place):
    place.write_text("mine", encoding="utf-8")


def a_folder_of_something(place):
    place.mkdir()
    a_file(place / "notes.txt")


def a_copy_and_notes(place):
    written(place.parent / "rows.csv", place)
    a_file(place / "notes.txt")


def a_copy_with_notes_apart(place):
    written(place.parent / "rows.csv", place)
    a_file(place / APART / "notes.txt")


def a_folder_of_folders(place):
    written(place.parent / "rows.csv", place)
    (place / APART).rename(place.parent / "kept")
    (place / "rows.csv").unlink()
    a_folder_of_something(place / "mine")


def a_link(place):
    (place.parent / "elsewhere").mkdir()
    place.symlink_to(place.parent / "elsewhere")


THERE = [a_file, a_folder_of_something, a_copy_and_notes, a_copy_with_notes_apart, a_folder_of_folders, a_link]


@pytest.mark.parametrize("there", THERE)
def test_what_is_no_copy_is_left_as_it_is(file, tmp_path, there):
    there(tmp_path / "shared")
    before = files_in(tmp_path)
    with pytest.raises(OutputError, match="name a new folder for the copy"):
        written(file, tmp_path / "shared")
    assert files_in(tmp_path) == before


def test_the_folder_that_holds_the_file_is_not_replaced(file, tmp_path):
    inside = written(file, tmp_path / "shared") / "rows.csv"
    before = files_in(tmp_path)
    with pytest.raises(OutputError, match="holds the file that is read"):
        written(inside, tmp_path / "shared", [["b", "c"]])
    assert files_in(tmp_path) == before


@pytest.mark.parametrize("place", ["", "/", "no/such/copy", "rows.csv/copy", "nul\0"])
def test_a_place_that_cannot_be_written_is_refused_in_a_sentence(file, monkeypatch, place):
    monkeypatch.chdir(file.parent)
    before = files_in(file.parent)
    with pytest.raises(OutputError, match="; name a "):
        written(file, place)
    assert files_in(file.parent) == before


KILLED = """
import os, signal, sys
from pathlib import Path
from discreet import hide, read
from discreet.cli import main
from discreet.hiding import folder
from discreet.io import files
files._exchange = lambda *_: False  # as on a file system that cannot do it
def end(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
moves = []
def rename(self, target, real=Path.rename):
    moves.append(target)
    return end() if len(moves) == int(sys.argv[4]) else real(self, target)
place, name, value = {"rename": (Path, "rename", rename)}.get(sys.argv[3], (folder, sys.argv[3], end))
setattr(place, name, value)
folder.write_hidden(hide(read(sys.argv[1]), [["b", "c"]]), sys.argv[2], source=sys.argv[1])
"""


@pytest.mark.parametrize(
    "at", [("write_csv", "0"), ("write_text", "0"), ("rename", "1"), ("rename", "2")], ids=" ".join
)
@pytest.mark.parametrize("is_new", [True, False])
def test_a_killed_process_leaves_no_folder_or_the_old_one(file, tmp_path, at, is_new):
    place = tmp_path / "shared"
    expected, rows = {} if is_new else files_in(written(file, place)), file.read_bytes()
    done = subprocess.run([sys.executable, "-c", KILLED, file, place, *at], check=False)
    assert done.returncode == (0 if is_new and at == ("rename", "2") else -signal.SIGKILL)
    assert (files_in(place) in ({}, expected)) == bool(done.returncode)
    assert file.read_bytes() == rows
    assert len(files_in(written(file, place))) == 1 + len(PRIVATE)


def full(*_args, **_options):
    raise OSError(28, "No space left on device")


def interrupted(*_args, **_options):
    raise KeyboardInterrupt


@pytest.mark.parametrize("is_new", [True, False])
@pytest.mark.parametrize("name", ["rewrite", "write_csv", "write_text"])
@pytest.mark.parametrize(("fault", "error"), [(full, OutputError), (interrupted, KeyboardInterrupt)])
def test_what_fails_on_the_way_leaves_all_as_it_was(file, tmp_path, monkeypatch, is_new, name, fault, error):
    place = tmp_path / "shared"
    if not is_new:
        written(file, place)
    before = files_in(tmp_path)
    monkeypatch.setattr(folder, name, fault)
    with pytest.raises(error):
        written(file, place, [["b", "c"]])
    assert files_in(tmp_path) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.csv", *["shared"] * (not is_new)]


def test_an_empty_row_stays_and_no_change_is_no_line(tmp_path):
    write([["a"], [], ["a", "b"]], tmp_path / "rows.csv")
    how = {"empty_rows": True}
    place = written(tmp_path / "rows.csv", tmp_path / "shared", [["a"]], method="minfia", how=how)
    assert [sorted(row) for row in read(place / "rows.csv", empty_rows=True)] == [[], [], ["b"]]
    assert changes(place) == [["1", "a"], ["3", "a"]]
    assert changes(written(tmp_path / "rows.csv", place, [["a"]], disclosure=1, how=how)) == []


def test_blank_lines_at_the_end_of_a_file_stay(tmp_path):
    (tmp_path / "rows.csv").write_bytes(b"a,b\r\na\r\nb\r\n\r\n\r\n")
    place = written(tmp_path / "rows.csv", tmp_path / "shared", [["a"]], method="minfia")
    assert (place / "rows.csv").read_bytes() == b"b\r\n\r\nb\r\n\r\n\r\n"


SENTINEL = "Zaphod"
NAMED = [["name", "sex", "smoker"], *([f"{SENTINEL}{at}", "fm"[at % 2], ["yes", "no"][at % 3 > 0]] for at in range(60))]


def save_named(path, lines=NAMED):
    """Save a table of people with their names, which must not go out."""
    path.parent.mkdir(exist_ok=True)
    if path.suffix in {".parquet", ".xlsx"}:
        frame = pl.DataFrame(lines[1:], schema=lines[0], orient="row")
        (frame.write_parquet if path.suffix == ".parquet" else frame.write_excel)(path)
        return path
    text = "".join("\t,"[".csv" in path.name].join(line) + "\n" for line in lines).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def unpacked(path):
    """What the bytes of a file hold, unpacked where they are packed."""
    data = path.read_bytes()
    if path.suffix == ".parquet":
        return data + pl.read_parquet(path).write_csv().encode()
    return gzip.decompress(data) if path.suffix == ".gz" else data


NAMED_FILES = ["rows.csv", "rows.tsv", "rows.csv.gz", "rows.parquet"]


@pytest.mark.parametrize("way", ["write_hidden", "rewrite", "command line"])
@pytest.mark.parametrize("name", NAMED_FILES)
def test_a_column_that_is_left_out_is_in_no_copy_of_the_file(name, way, tmp_path):
    source, out, how = save_named(tmp_path / "in" / name), tmp_path / "out", {"drop": ["name"], "format": "table"}
    hidden = hide(read(source, **how), [["sex=f", "smoker=yes"]])
    assert hidden.rows_touched
    if way == "write_hidden":
        write_hidden(hidden, out, source=source, **how)
    elif way == "rewrite":
        out.mkdir()
        discreet.rewrite(source, out / name, hidden.log(), **how)
    else:
        secret = tmp_path / "secret.txt"
        secret.write_text("sex=f,smoker=yes\n")
        asked = ["hide", str(source), "--sensitive", str(secret), "--drop", "name", "--out", str(out)]
        CliRunner().invoke(main, [*asked, "--format", "table"], catch_exceptions=False)
    assert (out / name).is_file()
    written = [unpacked(path) for path in out.rglob("*") if path.is_file()]
    assert not any(SENTINEL.encode() in data for data in written)
    assert SENTINEL.encode() in unpacked(source)
    again = read(out / name, format="table")
    assert sorted({str(item).partition("=")[0] for item in again.labels}) == ["sex", "smoker"]
    assert again == hidden.transactions


@pytest.mark.parametrize("name", NAMED_FILES)
def test_a_column_that_is_left_out_of_a_long_table_is_in_no_copy_of_it(name, tmp_path):
    lines = [["visit", "who", "drug"], *([str(at // 2), f"{SENTINEL}{at // 4}", "ab"[at % 2]] for at in range(80))]
    source, how = save_named(tmp_path / "in" / name, lines), {"row": "visit", "item": "drug", "drop": "who"}
    hidden = hide(read(source, **how), [["a", "b"]])
    write_hidden(hidden, tmp_path / "out", source=source, **how)
    assert SENTINEL.encode() not in unpacked(tmp_path / "out" / name)
    assert read(tmp_path / "out" / name, row="visit", item="drug") == hidden.transactions


def test_fields_that_stay_keep_their_bytes(tmp_path):
    text = '\ufeffname,"two, lines",note\r\n' + "".join(
        f'"{SENTINEL}, {at}","a\n""{at % 2}""", x \r\n' for at in range(30)
    )
    (tmp_path / "rows.csv").write_bytes(text.encode())
    how = {"format": "table", "drop": "name,note"}
    discreet.rewrite(tmp_path / "rows.csv", tmp_path / "new.csv", [(0, frozenset(['two, lines=a\n"0"']))], **how)
    new = (tmp_path / "new.csv").read_bytes().decode()
    assert new == '\ufeff"two, lines"\r\n""\r\n' + "".join(f'"a\n""{at % 2}"""\r\n' for at in range(1, 30))


def test_a_table_without_names_or_in_a_workbook_is_not_copied_without_a_column(tmp_path):
    bare = save_named(tmp_path / "in" / "rows.csv", NAMED[1:])
    how = {"format": "table", "header": False, "drop": "column1"}
    with pytest.raises(OptionError, match="columns are dropped from a copy by the names in the header"):
        write_hidden(hide(read(bare, **how), [["column2=f"]]), tmp_path / "out", source=bare, **how)
    book = save_named(tmp_path / "in" / "rows.xlsx")
    how = {"format": "table", "drop": "name"}
    with pytest.raises(OptionError, match="cannot be written again"):
        write_hidden(hide(read(book, **how), [["sex=f"]]), tmp_path / "out", source=book, **how)
    assert not (tmp_path / "out").exists()
