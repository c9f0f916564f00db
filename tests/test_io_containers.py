"""Containers: one table in each kind of file gives the same frame; broken and hostile files get one sentence."""

import datetime as dt
import gzip
import io
import lzma
import subprocess
import sys
import zipfile
from contextlib import suppress

import numpy as np
import pytest

from discreet import BudgetError, InputError, Merged, OptionError, OutputError, Transactions, read, scan, write
from discreet.io import containers, files
from discreet.io.containers import CONTAINERS, find_container, load_frame
from discreet.io.files import check_unpacked
from discreet.io.options import RowOptions
from discreet.runtime import arrow_footer

pl = pytest.importorskip("polars")
pyreadstat = pytest.importorskip("pyreadstat")
openpyxl = pytest.importorskip("openpyxl")
pandas = pytest.importorskip("pandas")

TABLE = {"who": [7, 3, 9, 4], "sex": ["f", "m", None, "f"], "age": [31, None, 52, 47], "score": [0.5, 1.0, None, 2.25]}
FRAME = pl.DataFrame(TABLE)
NO = RowOptions()
CODED = {"sex": [1, 2, None, 1], **{name: TABLE[name] for name in ("who", "age", "score")}}


def excel(*sheets, **more):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for at, lines in enumerate([*sheets, *more.values()]):
        sheet = book.create_sheet([*map("sheet {}".format, range(len(sheets))), *more][at])
        for line in lines:
            sheet.append(line)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def lines(table):
    return [list(table), *map(list, zip(*table.values(), strict=True))]


def ods(table):
    pytest.importorskip("odf")
    file = io.BytesIO()
    pandas.DataFrame(table).to_excel(file, engine="odf", index=False)
    return file.getvalue()


def feather(frame, **options):
    file = io.BytesIO()
    frame.write_ipc(file, **options)
    return file.getvalue()


def saved(folder, writer, **options):
    path = folder / "file"
    getattr(pyreadstat, f"write_{writer}")(pl.DataFrame(CODED), path, **options)
    return path.read_bytes()


LABELS = {"variable_value_labels": {"sex": {1: "f", 2: "m"}}}
FILES = {
    "excel": lambda _: excel(lines(TABLE)),
    "ods": lambda _: ods(TABLE),
    "feather": lambda _: feather(FRAME),
    "feather, zstd": lambda _: feather(FRAME, compression="zstd"),
    "feather, lz4": lambda _: feather(FRAME, compression="lz4"),
    "stata": lambda folder: saved(folder, "dta", **LABELS),
    "spss": lambda folder: saved(folder, "sav", **LABELS),
    "spss, packed": lambda folder: saved(folder, "sav", compress=True, **LABELS),
}
TRIED = dict.fromkeys(("stata", "spss", "spss, packed"), 4)  # damaged files; each of these takes a process


@pytest.mark.parametrize("name", FILES)
def test_a_table_is_the_same_in_every_container(name, tmp_path):
    form = name.partition(",")[0]
    found = load_frame(FILES[name](tmp_path), form, NO)
    assert found.select(FRAME.columns).to_dict(as_series=False) == TABLE


@pytest.mark.parametrize(("form", "writer"), [("spss-portable", "por"), ("sas-transport", "xport")])
def test_old_containers_hold_codes(form, writer, tmp_path):
    found = load_frame(saved(tmp_path, writer), form, NO)
    assert {name.lower(): found[name].to_list() for name in found.columns} == CODED


@pytest.mark.parametrize("name", FILES)
def test_containers_are_known_by_their_first_bytes(name, tmp_path):
    data = FILES[name](tmp_path)
    form = name.partition(",")[0]
    assert find_container(CONTAINERS[form].suffixes[0], b"") == form
    assert CONTAINERS[find_container("", data)].what == CONTAINERS[form].what


def test_values_with_a_label_each_are_shown_by_it(tmp_path):
    labels = {"sex": {1: "f", 2: "m", 9: "unknown"}, "who": {7: "seven"}, "age": {31: "a", 52: "b", 47: "a"}}
    found = load_frame(saved(tmp_path, "sav", variable_value_labels=labels), "spss", NO)
    assert found["sex"].to_list() == TABLE["sex"]
    assert found["who"].to_list() == TABLE["who"], "a label for some values alone is none"
    assert found["age"].to_list() == TABLE["age"], "labels that two values share would make one of both"


def test_a_column_of_numbers_and_one_text_far_below_is_read_in_full():
    long = [["code"], *[[number] for number in range(3000)], ["E11"]]
    assert load_frame(excel(long), "excel", NO)["code"].to_list() == [*map(str, range(3000)), "E11"]


def test_dates_are_iso_texts():
    day = dt.date(2026, 1, 31)
    sheet = [
        ["day", "time"],
        [
            day,
            dt.datetime(2026, 1, 31, 12, 30),  # noqa: DTZ001 - sheets have no time zones
        ],
    ]
    assert load_frame(excel(sheet), "excel", NO).row(0) == ("2026-01-31", "2026-01-31 12:30:00")


def test_row_numbers_that_pandas_wrote_have_no_name():
    file = io.BytesIO()
    pandas.DataFrame(TABLE).to_excel(file)
    found = load_frame(file.getvalue(), "excel", NO)
    assert found.columns == ["", *TABLE]
    assert found.select(list(TABLE)).to_dict(as_series=False) == TABLE


def test_blank_lines_at_the_end_are_no_rows():
    sheet = [*lines(TABLE), [None, None], [""]]
    assert load_frame(excel(sheet), "excel", NO).height == 4


def test_blank_lines_inside_are_rows_only_if_it_is_said():
    data = excel([["a"], [1], [None], [2]])
    with pytest.raises(InputError, match=r"1 blank line before its last row; take them out, or .* empty_rows=True"):
        load_frame(data, "excel", NO)
    assert load_frame(data, "excel", RowOptions(empty_rows=True))["a"].to_list() == [1, None, 2]


def test_the_only_filled_sheet_is_read():
    data = excel(notes=[], data=lines(TABLE))
    assert load_frame(data, "excel", NO).to_dict(as_series=False) == TABLE


def test_one_of_several_sheets_must_be_named():
    data = excel(visits=lines(TABLE), notes=[["remark"], ["x"]])
    with pytest.raises(InputError, match="there are 2 sheets, 'visits', 'notes'; name one with sheet="):
        load_frame(data, "excel", NO)
    assert load_frame(data, "excel", RowOptions(sheet="visits")).to_dict(as_series=False) == TABLE
    with pytest.raises(InputError, match="no sheet is called 'visit'; the sheets are 'visits', 'notes'"):
        load_frame(data, "excel", RowOptions(sheet="visit"))


def test_a_sheet_without_a_header_has_numbered_columns():
    found = load_frame(excel([["tea", "milk"], ["tea", None]]), "excel", RowOptions(header=False))
    assert found.to_dict(as_series=False) == {"column1": ["tea", "tea"], "column2": ["milk", None]}


SHEETS = {
    "no name": ([["a", None], [1, 2]], "no name for 1 column; give each column a name, or .* header=False"),
    "a name twice": ([["a", "a"], [1, 2]], "two columns of the sheet have the same name"),
    "nothing": ([], "the sheet is empty"),
}


@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_that_is_no_table_is_refused(name):
    sheet, words = SHEETS[name]
    with pytest.raises(InputError, match=words):
        load_frame(excel(sheet), "excel", NO)


def rewritten(data, change):
    """The same zip file, with some of its files changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return out.getvalue()


def far(cell):
    line = f'<row r="1"><c r="A1"><v>1</v></c></row><row><c {cell}><v>2</v></c></row>'
    sheet = f'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{line}'
    return rewritten(
        excel([["a"]]),
        lambda name, old: f"{sheet}</sheetData></worksheet>".encode() if name.endswith("sheet1.xml") else old,
    )


def repeated():
    cell = b'office:value-type="string" table:number-columns-repeated="16000"'
    many = b'<table:table-row table:number-rows-repeated="1000000"'
    return rewritten(
        ods(TABLE),
        lambda _, old: old.replace(b'office:value-type="string"', cell, 1).replace(b"<table:table-row", many, 1),
    )


PROTECTED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le") + bytes(600)
LARGE = "the file holds more than"
HOSTILE = {
    "a cell far away": ("excel", lambda: far('r="XFD1048576"'), LARGE),
    "a cell far away, in other letters": ("excel", lambda: far("r = 'xfd1048576'"), LARGE),
    "repeated cells": ("ods", repeated, LARGE),
    "a password": ("excel", lambda: PROTECTED, "protected by a password"),
    "a zip file of something else": ("excel", lambda: zipped({"a.txt": b"x"}), "no spreadsheet, or a damaged one"),
    "an old Excel file of zeros": ("excel", lambda: PROTECTED[:8] + bytes(5000), "no spreadsheet, or a damaged one"),
    "text as Excel": ("excel", lambda: b"a,b\n1,2\n", "this is no spreadsheet; check its suffix"),
    "text as Feather": ("feather", lambda: b"a,b\n1,2\n", "this is no Arrow file; check its suffix"),
    "text as SPSS": ("spss", lambda: b"a,b\n1,2\n", "this is no SPSS file; check its suffix"),
    "text as Stata": ("stata", lambda: b"a,b\n1,2\n" * 100, "this is no Stata file, or a damaged one"),
    "text as SAS": ("sas", lambda: b"a,b\n1,2\n" * 100, "this is no SAS file; check its suffix"),
    "text as portable": ("spss-portable", lambda: b"a,b\n1,2\n" * 100, "this is no SPSS file, or a damaged one"),
}


def zipped(members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in members.items():
            out.writestr(name, content)
    return file.getvalue()


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_containers_get_one_sentence(name, capfd):
    form, make, words = HOSTILE[name]
    with pytest.raises(InputError, match=words):
        load_frame(make(), form, NO)
    assert capfd.readouterr().err == ""


def test_a_large_sheet_is_refused_before_it_is_unpacked(monkeypatch):
    data = excel([["word"], *[["x" * 100 + str(at)] for at in range(2000)]])
    monkeypatch.setattr(files.resources, "memory", lambda: 200_000)
    with pytest.raises(InputError, match=LARGE):
        load_frame(data, "excel", NO)


@pytest.mark.parametrize("compression", ["uncompressed", "zstd", "lz4"])
def test_a_large_arrow_file_is_refused_before_it_is_unpacked(compression, monkeypatch):
    data = feather(pl.DataFrame({"a": ["a rather long text"] * 100_000}), compression=compression)
    assert sum(arrow_footer.measure_batches(data)) > 1_800_000
    monkeypatch.setattr(files.resources, "memory", lambda: 2_000_000)
    with pytest.raises(InputError, match=LARGE):
        load_frame(data, "feather", NO)


def test_a_large_file_of_statistics_is_refused_before_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "file"
    pyreadstat.write_sav(pl.DataFrame({"a": [1] * 50_000}), path, compress=True)
    monkeypatch.setattr(files.resources, "memory", lambda: 1_000_000)
    with pytest.raises(InputError, match=LARGE):
        load_frame(path.read_bytes(), "spss", NO)


@pytest.mark.parametrize("name", FILES)
def test_containers_that_are_cut_are_refused(name, tmp_path, capfd):
    data, form = FILES[name](tmp_path), name.partition(",")[0]
    for size in np.linspace(1, len(data) - 1, TRIED.get(name, 40)).astype(int):
        with pytest.raises(InputError):
            load_frame(data[:size], form, NO)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", FILES)
def test_containers_with_a_wrong_byte_are_read_or_refused_with_our_words(name, tmp_path, capfd):
    data, form, chance = FILES[name](tmp_path), name.partition(",")[0], np.random.default_rng(7)
    for at, byte in zip(chance.integers(len(data), size=TRIED.get(name, 60)), chance.bytes(60), strict=False):
        with suppress(InputError):
            load_frame(data[:at] + bytes([byte]) + data[at + 1 :], form, NO)
    assert capfd.readouterr().err == ""


def test_files_of_statistics_need_a_package(tmp_path, monkeypatch):
    data = FILES["stata"](tmp_path)
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(OptionError, match=r"need the package pyreadstat: install discreet\[stats\], or export CSV"):
        load_frame(data, "stata", NO)


def test_the_table_of_containers_loads_no_library():
    code = f"import sys, {containers.__name__}; sys.exit('polars' in sys.modules or 'fastexcel' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


BASKETS = b"tea,milk\ntea\nmilk,bread,tea\n"
PACKED = {
    "gzip": gzip.compress,
    "xz": lzma.compress,
    "zstd": lambda data: pytest.importorskip("zstandard").compress(data),
    "zip": lambda data: zipped({"rows.csv": data}),
    "zip with folders": lambda data: zipped({"data/": b"", "data/rows.csv": data, "__MACOSX/data/._rows.csv": b"x"}),
}
ROWS = Transactions([["tea", "milk"], ["tea"], ["milk", "bread", "tea"]])


@pytest.mark.parametrize("name", PACKED)
def test_packed_files_are_known_by_their_first_bytes(name, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(PACKED[name](BASKETS))
    assert read(path) == ROWS
    assert read(io.BytesIO(path.read_bytes())) == ROWS
    assert scan(path, min_support=1) == Merged.of(ROWS, 1)


@pytest.mark.parametrize("name", PACKED)
def test_packed_files_are_read_from_pipes(name):
    code = "import sys, discreet; print(len(discreet.read('-')))"
    done = subprocess.run([sys.executable, "-c", code], input=PACKED[name](BASKETS), capture_output=True, check=True)
    assert done.stdout.strip() == b"3"


@pytest.mark.parametrize(
    ("member", "data"), [("rows.dat", b"1 2\n2\n"), ("rows.csv", b"1,2\n2\n"), ("rows.TXT", b"1 2\n2\n")]
)
def test_the_suffix_within_a_zip_file_decides(member, data, tmp_path):
    path = tmp_path / "export.zip"
    path.write_bytes(zipped({member: data}))
    assert read(path) == Transactions([[1, 2], [2]])


def test_a_spreadsheet_within_a_zip_file_is_read(tmp_path):
    path = tmp_path / "export.zip"
    path.write_bytes(zipped({"clinic.xlsx": excel(lines({"tea": [1, 0], "milk": [1, 1]}))}))
    assert read(path) == Transactions([["tea", "milk"], ["milk"]])


@pytest.mark.parametrize("name", ["gzip", "xz", "zstd", "zip", "zip with folders"])
def test_what_a_packed_file_unpacks_to_is_bounded(name, tmp_path):
    path = tmp_path / "rows"
    path.write_bytes(PACKED[name](b"a,b\n" * 1024))
    check_unpacked(path, 4096 + (name == "zip with folders"))  # its other file is counted too
    with pytest.raises(InputError, match=r"the file unpacks to more than 4\.0 KiB, the limit here; unpack it"):
        check_unpacked(path, 4095)


def test_all_files_of_a_zip_file_count_towards_the_limit(tmp_path):
    path = tmp_path / "release.zip"
    path.write_bytes(zipped({"release/patterns.json": b"{}" * 1024, "release/release.json": b"{}" * 1024}))
    check_unpacked(path, 4096)
    with pytest.raises(InputError, match=r"unpacks to more than 4\.0 KiB"):
        check_unpacked(path, 4095)


def test_what_a_spreadsheet_unpacks_to_is_bounded_and_a_plain_file_is_not(tmp_path):
    path, plain = tmp_path / "rows.xlsx", tmp_path / "rows.csv"
    path.write_bytes(excel(lines({"tea": [1] * 9000})))
    plain.write_bytes(b"a,b\n" * 9000)
    assert path.stat().st_size < 1 << 17
    for one in (path, plain):
        check_unpacked(one, 1 << 20)
    check_unpacked(plain, 1)
    with pytest.raises(InputError, match=r"unpacks to more than 128\.0 KiB, the limit here; .* save its table as CSV"):
        check_unpacked(path, 1 << 17)


def locked(data):
    """A zip file that says that its file is encrypted."""
    at = data.rindex(b"PK\x01\x02")
    return data[:6] + b"\1" + data[7 : at + 8] + b"\1" + data[at + 9 :]


BAD_PACKED = {
    "several files": (zipped({"a.csv": b"x", "b.csv": b"y"}), "the zip file holds 2 files, and not one; unpack it"),
    "no file": (zipped({"a/": b""}), "the zip file holds 0 files"),
    "a password": (locked(zipped({"a.csv": b"x"})), "the zip file is protected by a password"),
    "cut": (zipped({"a.csv": BASKETS})[:-30], "the zip data is broken or cut short"),
    "a wrong byte": (zipped({"a.csv": BASKETS}).replace(b"rows", b"rowz")[:40] + b"\xff" * 9, "broken or cut short"),
    "gzip, cut": (gzip.compress(BASKETS)[:-9], "the gzip data is broken or cut short"),
}


@pytest.mark.parametrize("name", BAD_PACKED)
@pytest.mark.parametrize("suffix", [".csv", ".zip"])
def test_packed_files_that_cannot_be_read_get_one_sentence(name, suffix, tmp_path):
    data, words = BAD_PACKED[name]
    path = tmp_path / f"rows{suffix}"
    path.write_bytes(data)
    with pytest.raises(InputError, match=words if "gzip" not in words or suffix == ".csv" else "zip data is broken"):
        read(path)


@pytest.mark.parametrize("pack", ["gzip", "zip"])
def test_a_file_that_unpacks_to_too_much_is_refused(pack, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(PACKED[pack](b"tea,milk\n" * 1_000_000))
    with pytest.raises(BudgetError, match=r"the file holds more than the 976\.6 KiB that memory= allows"):
        read(path, memory=1_000_000)


def test_zip_files_are_not_written(tmp_path):
    with pytest.raises(OutputError, match="zip files are read and not written; give a name that ends"):
        write(ROWS, tmp_path / "rows.csv.zip")
    assert list(tmp_path.iterdir()) == []


CLINIC = {"sex": ["f", "m", "m", "f"] * 6, "smokes": ["yes", "no", "no", "no"] * 6}
ITEMS = Transactions([[f"sex={sex}", f"smokes={smokes}"] for sex, smokes in zip(*CLINIC.values(), strict=True)])
SHAPES = {
    "table": (CLINIC, {}, ITEMS),
    "onehot": ({"tea": [1, 0, 1], "milk": [1, 1, 0]}, {}, Transactions([["tea", "milk"], ["milk"], ["tea"]])),
    "long": (
        {"who": ["x", "y", "x"], "what": ["a", "a", "b"]},
        {"row": "who", "item": "what"},
        Transactions([["a", "b"], ["a"]], ids=["x", "y"]),
    ),
}
WRITERS = {
    ".xlsx": lambda table, _: excel(lines(table)),
    ".ods": lambda table, _: ods(table),
    ".feather": lambda table, _: feather(pl.DataFrame(table)),
    ".parquet": lambda table, path: pl.DataFrame(table).write_parquet(path) or path.read_bytes(),
    ".dta": lambda table, path: pyreadstat.write_dta(pl.DataFrame(table), path) or path.read_bytes(),
    ".sav": lambda table, path: pyreadstat.write_sav(pl.DataFrame(table), path) or path.read_bytes(),
}


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_rows_are_the_same_in_every_container(suffix, shape, tmp_path):
    table, options, expected = SHAPES[shape]
    path = tmp_path / f"clinic{suffix}"
    path.write_bytes(WRITERS[suffix](table, path))
    rows = read(path, **options)
    assert rows == expected
    assert rows.reading.shape == shape
    assert read(path, format=shape, **options) == expected


@pytest.mark.parametrize("suffix", [".xlsx", ".sav"])
def test_containers_are_not_written(suffix, tmp_path):
    with pytest.raises(OutputError, match="are read and not written; write csv or parquet"):
        write(ROWS, tmp_path / f"rows{suffix}")
    assert list(tmp_path.iterdir()) == []


def test_cells_of_a_sheet_are_items_if_that_is_said(tmp_path):
    path = tmp_path / "baskets.xlsx"
    path.write_bytes(excel([["tea", "milk"], ["tea"], ["milk", "bread", "tea"]]))
    assert read(path, format="baskets") == ROWS
