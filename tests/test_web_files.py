"""Files that come in: bounded, private, read as they are shaped; and zips that cannot do harm."""

import asyncio
import gzip
import io
import lzma
import stat
import struct
import sys
import time
import zipfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from web import PATIENCE, answer, facts, served, upload

import discreet
from discreet.io.contents import list_columns, look_into
from discreet.web import jobs, releases
from discreet.web.context import Refusal
from discreet.web.state import MOST_UPLOADS, Uploads, clean_name, suffixes_of

COMMAND = (sys.executable, "-P", str(Path(__file__).with_name("web_worker.py")))
LIMIT = 10_000


@pytest.fixture(scope="module")
def client():
    with served(many=1, max_upload=LIMIT) as found:
        yield found


def kept(client):
    """The files in the private folder, without those of jobs."""
    return {path for path in client.state.uploads.folder.iterdir() if path.is_file()}


def test_an_upload_is_private_and_has_a_name_of_ours(client):
    data = b"a,b\n" * 10
    found = client.post("/api/upload", content=data, headers={"X-File-Name": "..%2F..%2Fetc%2Fmy%20rows.csv.gz"}).json()
    assert found["file"] == "my rows.csv.gz"
    assert found["bytes"] == len(data)
    folder = client.state.uploads.folder
    path = folder / f"{found['upload']}.csv.gz"
    assert path.read_bytes() == data
    assert [stat.S_IMODE(place.stat().st_mode) for place in (folder, path)] == [0o700, 0o600]


@pytest.mark.parametrize("as_stream", [False, True])
def test_an_upload_over_the_limit_leaves_nothing_behind(client, as_stream):
    before = kept(client)
    data = b"x" * (LIMIT + 1)
    found = client.post("/api/upload", content=iter([data[:LIMIT], data[LIMIT:]]) if as_stream else data)
    assert found.status_code == 413
    assert found.json()["error"].startswith("The file has more than 10,000 bytes (9.8 KiB), the limit")
    assert kept(client) == before


def test_an_upload_at_the_limit_is_taken(client):
    assert client.post("/api/upload", content=b"x" * LIMIT).status_code == 201


@pytest.mark.parametrize("content", [b"", iter([b"", b""])])
def test_an_empty_upload_is_refused(client, content):
    before = kept(client)
    found = client.post("/api/upload", content=content)
    assert found.status_code == 400
    assert "empty" in found.json()["error"]
    assert kept(client) == before


def test_an_endless_upload_is_cut_off(tmp_path, monkeypatch):
    monkeypatch.setattr("discreet.web.state.mkdtemp", lambda **_: str(tmp_path))
    monkeypatch.setattr("discreet.web.state.DRAINED", 5 * LIMIT)
    seen = 0

    async def endless():
        nonlocal seen
        while True:
            seen += 1000
            yield b"x" * 1000

    uploads = Uploads(LIMIT)
    with pytest.raises(Refusal):
        asyncio.run(uploads.receive("rows.csv", endless()))
    assert seen <= 7 * LIMIT
    assert list(tmp_path.iterdir()) == [uploads.jobs]


def test_an_upload_that_is_broken_off_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("discreet.web.state.mkdtemp", lambda **_: str(tmp_path))

    async def broken():
        yield b"x"
        raise ConnectionResetError

    uploads = Uploads(LIMIT)
    with pytest.raises(ConnectionResetError):
        asyncio.run(uploads.receive("rows.csv", broken()))
    assert list(tmp_path.iterdir()) == [uploads.jobs]
    uploads.close()
    assert not tmp_path.exists()


def test_the_last_uploads_are_kept_and_no_others(tmp_path, monkeypatch):
    monkeypatch.setattr("discreet.web.state.mkdtemp", lambda **_: str(tmp_path / "private"))
    (tmp_path / "private").mkdir()
    own = tmp_path / "own.csv"
    own.write_text("a,b\n")

    async def some():
        yield b"x"

    uploads = Uploads(LIMIT)
    first = uploads.add(own, {})
    every = [asyncio.run(uploads.receive("rows.csv", some())) for _ in range(MOST_UPLOADS + 5)]
    assert [one for one in every if uploads.get(one.id)] == every[5:]
    assert sum(path.is_file() for path in uploads.folder.iterdir()) == MOST_UPLOADS
    assert uploads.get(first.id) == first
    assert own.exists()


@given(st.text(max_size=300))
def test_the_name_of_an_upload_is_no_path(name):
    plain = clean_name(name)
    assert plain
    assert not {*plain} & {*"/\\\n\0"}
    suffixes = suffixes_of(plain)
    assert Path(f"x{suffixes}").name == f"x{suffixes}"
    assert len(suffixes) <= 15


LONG = b"order,item\n1,tea\n1,milk\n2,tea\n"
ONEHOT = b"id,tea,milk\n7,1,0\n8,1,1\n"
BASKETS = b"tea,milk\nmilk\ntea,milk,wine\n"
PAIRS = b"visit_id,diagnosis,ward\n" + b"".join(b"%d,d%d,w%d\n" % (at // 2, at % 5, at % 3) for at in range(24))


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.csv", LONG, ("csv", "long", "order", "item", ",")),
        ("a.csv", LONG.replace(b",", b";"), ("csv", "long", "order", "item", ";")),
        ("a.tsv", LONG.replace(b",", b"\t"), ("csv", "long", "order", "item", "\t")),
        ("a.csv", ONEHOT, ("csv", "onehot", "id", None, ",")),
        ("a.csv", BASKETS, ("csv", "baskets", None, None, ",")),
        ("a.csv.gz", gzip.compress(LONG, mtime=0), ("csv", "long", "order", "item", ",")),
        ("a.csv.xz", lzma.compress(BASKETS), ("csv", "baskets", None, None, ",")),
        ("a.dat", b"1 2 3\n4\n", ("fimi", "baskets", None, None, None)),
        ("a.txt", b"1 2 3\n", ("spmf", "baskets", None, None, None)),
        ("a", b"1 2 3\n", ("fimi", "baskets", None, None, None)),
        ("a", BASKETS, ("csv", "baskets", None, None, ",")),
    ],
)
def test_what_a_file_holds_is_found_as_by_the_library(tmp_path, name, data, expected):
    path = tmp_path / name
    path.write_bytes(data)
    found = look_into(path)
    options = found.layout.options
    assert (found.format, found.layout.shape, options.row, options.item, options.separator) == expected
    assert list_columns(path, found) == found.layout.columns
    assert not found.is_patterns
    assert discreet.read(path).reading.shape == found.layout.shape


@pytest.mark.parametrize(
    ("name", "data", "told", "expected"),
    [
        ("a.json", b"{}", {}, True),
        ("a", b'{"n": 3}', {}, True),
        ("a.out", b"a (6)\n", {}, True),
        ("a.txt", b"1 2 #SUP: 3\n", {}, True),
        ("a.txt", b"1 2\n", {}, False),
        ("a.csv", b"itemset,support\ntea,20\n", {}, True),
        ("a.csv", b"itemset,support\ntea,20\n", {"is_patterns": False}, False),
        ("a.csv", b"tea,milk\nmilk\n", {"is_patterns": True}, True),
    ],
)
def test_a_file_of_patterns_is_known_by_what_it_holds(tmp_path, name, data, told, expected):
    path = tmp_path / name
    path.write_bytes(data)
    assert look_into(path, **told).is_patterns == expected


def preview(client, data, name="a.csv", **told):
    return facts(client, "preview", upload=upload(client, data, name), **told)


def test_a_preview_shows_the_first_rows_as_they_are_understood(client):
    for told, expected in (
        ({}, [("1", ["milk", "tea"]), ("2", ["tea"])]),
        ({"format": "long", "row": "order", "item": "item"}, [("1", ["milk", "tea"]), ("2", ["tea"])]),
        ({"row": "item", "item": "order"}, [("tea", ["1", "2"]), ("milk", ["1"])]),
        ({"format": "baskets"}, [(None, ["item", "order"]), (None, ["1", "tea"]), (None, ["1", "milk"])]),
    ):
        seen = preview(client, LONG, **told)
        assert (seen["error"], seen["choices"]) == (None, [])
        assert [(row["id"], row["items"]) for row in seen["rows"]] == expected
        assert seen["lines"] == LONG.decode().splitlines()
        assert seen["reading"]["text"].startswith(
            f"read as {'baskets' if 'format' in told and len(told) == 1 else 'a long table'}: "
        )


def test_a_reading_holds_no_row_and_no_label(client):
    for data in (LONG, ONEHOT, BASKETS):
        key = upload(client, data)
        seen, loaded = facts(client, "preview", upload=key), facts(client, "read", upload=key)
        assert seen["reading"] == loaded["reading"]
        assert not any(word in str(loaded["reading"]) for word in ("milk", "wine", "tea"))
        assert facts(client, "audit", data=loaded["data"], min_support=1, k=2)["reading"] == loaded["reading"]


@pytest.mark.parametrize(
    "data", [LONG, ONEHOT, BASKETS, LONG.replace(b",", b"\t"), "caf\u00e9,tea\ntea\n".encode("cp1252")]
)
def test_a_confirmed_reading_gives_the_same_rows(client, data):
    key = upload(client, data)
    seen = facts(client, "preview", upload=key)
    again = facts(client, "preview", upload=key, **seen["confirm"])
    assert (seen["reading"]["confirmed"], again["reading"]["confirmed"]) == (False, True)
    assert again["rows"] == seen["rows"]
    assert again["confirm"] == seen["confirm"]
    assert {**again["reading"], "confirmed": False, "doubts": seen["reading"]["doubts"]} == seen["reading"]
    assert {doubt["text"] for doubt in again["reading"]["doubts"]} <= {
        doubt["text"] for doubt in seen["reading"]["doubts"]
    }
    first, last = (facts(client, "read", upload=key, **told) for told in ({}, seen["confirm"]))
    assert last["reading"]["confirmed"]
    assert [last[name] for name in ("n", "items", "entries")] == [first[name] for name in ("n", "items", "entries")]


def test_an_unclear_file_is_not_read_before_one_of_its_readings_is_chosen(client):
    key = upload(client, PAIRS)
    seen, refused = facts(client, "preview", upload=key), answer(client, "read", upload=key)
    assert (seen["rows"], seen["reading"], seen["confirm"]) == ([], None, None)
    assert refused.status_code == 400
    assert refused.json()["choices"] == seen["choices"]
    assert seen["error"] == (
        "the 3 columns may be a table of row ids and items, or of attributes; choose what is meant"
    )
    assert refused.json()["error"].endswith(seen["error"])
    assert [choice["options"] for choice in seen["choices"]] == [
        {"row": "visit_id", "item": "diagnosis"},
        {"format": "table"},
    ]
    long = facts(client, "read", upload=key, **seen["choices"][0]["options"])
    assert (long["n"], long["reading"]["shape"], long["reading"]["confirmed"]) == (12, "long", True)


def test_an_odd_reading_is_no_release_before_it_is_confirmed(client):
    key = upload(client, b"all,tea\nall,milk\nall,tea,milk\n" * 20)
    seen = facts(client, "preview", upload=key)
    found = [
        facts(client, "audit", data=facts(client, "read", upload=key, **told)["data"], min_support=20, k=3)
        for told in ({}, seen["confirm"])
    ]
    assert [one["verdict"] for one in found] == ["REVIEW", "RELEASE"]
    assert [[check["name"] for check in one["checks"]].count("reading") for one in found] == [1, 0]
    (check,) = (check for check in found[0]["checks"] if check["name"] == "reading")
    assert check["sentence"] == (
        "One item is in nearly every row. It was read as baskets; if that is meant, say so with the shape baskets."
    )


def test_rules_of_shares_need_the_number_of_rows(client):
    rules = b"antecedents,consequents,support,confidence\na,b,0.5,0.9\nb,a,0.5,0.8\n"
    seen = preview(client, rules)
    assert (seen["holds"], seen["confirm"]) == ("rules", None)
    assert seen["error"] == "supports are shares of an unknown number of rows; give it with the number of rows"
    told = preview(client, rules, n=100)
    assert (told["error"], told["confirm"]) == (None, {"holds": "rules", "n": 100})
    assert [row["items"] for row in told["rows"]] == [["a", "\u21d2", "b"], ["b", "\u21d2", "a"]]


def test_blank_lines_are_rows_if_that_is_chosen(client):
    seen = preview(client, b"tea,milk\n\nmilk\n")
    assert [choice["options"] for choice in seen["choices"]] == [{"empty_rows": True}]
    assert preview(client, b"tea,milk\n\nmilk\n", empty_rows=True)["reading"]["n"] == 3


FRAMES = {
    "lists": (pl.DataFrame({"items": [["a", "b"], []], "when": [1, 2]}), {}, [["a", "b"], []]),
    "long": (
        pl.DataFrame({"who": [1, 1, 2], "what": ["a", "b", "a"]}),
        {"row": "who", "item": "what"},
        [["a", "b"], ["a"]],
    ),
    "onehot": (pl.DataFrame({"a": [True, False], "b": [True, True]}), {}, [["a", "b"], ["b"]]),
    "table": (pl.DataFrame({"sex": ["f", "m", "f"] * 4, "age": ["40", "50", "40"] * 4}), {}, [["age=40", "sex=f"]]),
}
WRITERS = {
    "parquet": lambda frame, file: frame.write_parquet(file),
    "feather": lambda frame, file: frame.write_ipc(file),
    "xlsx": lambda frame, file: frame.write_excel(file),
}


@pytest.mark.parametrize(
    ("shape", "suffix"),
    [(shape, suffix) for shape in FRAMES for suffix in WRITERS if (shape, suffix) != ("lists", "xlsx")],
)
def test_a_file_that_holds_a_frame_is_previewed_by_its_columns(client, shape, suffix):
    frame, told, expected = FRAMES[shape]
    file = io.BytesIO()
    WRITERS[suffix](frame, file)
    key = upload(client, file.getvalue(), f"a.{suffix}")
    seen = facts(client, "preview", upload=key, **told)
    assert (seen["error"], seen["lines"], seen["columns"]) == (None, [], frame.columns)
    assert [row["items"] for row in seen["rows"]][: len(expected)] == expected
    again = facts(client, "preview", upload=key, **seen["confirm"])
    assert (again["rows"], again["confirm"]) == (seen["rows"], seen["confirm"])
    assert again["reading"] == {**seen["reading"], "confirmed": True, "doubts": again["reading"]["doubts"]}
    assert facts(client, "read", upload=key, **seen["confirm"])["n"] == seen["reading"]["n"]


def test_one_of_several_columns_of_lists_is_chosen(client):
    file = io.BytesIO()
    pl.DataFrame({"drugs": [["a", "b"], []], "tests": [["c"], ["d"]]}).write_parquet(file)
    seen = preview(client, file.getvalue(), "a.parquet")
    assert [choice["options"] for choice in seen["choices"]] == [{"items": "drugs"}, {"items": "tests"}]
    assert [choice["detail"] for choice in seen["choices"]] == ["lists in drugs", "lists in tests"]
    chosen = preview(client, file.getvalue(), "a.parquet", items="tests")
    assert [row["items"] for row in chosen["rows"]] == [["c"], ["d"]]


def test_a_sheet_is_named_if_there_are_several(client):
    import xlsxwriter

    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        for name in ("people", "more"):
            pl.DataFrame({"a": [True, False], "b": [True, True]}).write_excel(book, worksheet=name)
    assert "the sheet" in preview(client, file.getvalue(), "a.xlsx")["error"]
    assert preview(client, file.getvalue(), "a.xlsx", sheet="more")["reading"]["n"] == 2


def test_previews_that_nobody_asks_about_end(monkeypatch):
    monkeypatch.setattr(jobs, "UNASKED", 0)
    with served(many=2, command=COMMAND) as client:
        for data in (b"a,b\n", b"c,d\n"):
            found = client.post("/api/preview", json={"upload": upload(client, data), "wait": 0})
            assert (found.status_code, found.json()["verb"]) == (202, "preview")
        end = time.monotonic() + PATIENCE
        while client.get("/api/jobs").json()["jobs"]:
            assert time.monotonic() < end
            time.sleep(0.01)


def bombs():
    """Small files that hold much: packed, packed twice, packed before an end like that of a zip file, and in runs."""
    packed, small, sheets, runs = gzip.compress(b"a,b\n" * (1 << 18)) * 257, io.BytesIO(), io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(small, "w") as archive:
        archive.writestr("rows.csv", "a,b\n")
    with zipfile.ZipFile(sheets, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("sheet.xml", "w") as sheet:
        for _ in range(257):
            sheet.write(bytes(1 << 20))
    pl.select(pl.repeat(1, 1 << 27, dtype=pl.Int8).alias("x")).write_parquet(runs)
    return {
        "rows.csv.gz": packed,
        "other.csv.gz": packed + small.getvalue(),
        "book.xlsx.gz": gzip.compress(sheets.getvalue()),
        "book.xlsx": sheets.getvalue(),
        "runs.parquet": runs.getvalue(),
    }


def test_what_unpacks_to_more_than_the_limit_is_not_previewed():
    with served(many=1) as client:
        for name, data in bombs().items():
            found = answer(client, "preview", upload=upload(client, data, name))
            assert found.status_code == 400, name
            assert found.json()["error"] == (
                "the file unpacks to more than 256.0 MiB, the limit here; "
                "unpack it, or save its table as CSV, and give that"
            )


def test_a_preview_is_cut(client):
    lines = [",".join(f"item {number}" for number in range(30 + at % 2)) for at in range(30)]
    seen = preview(client, "".join(f"{line}\n" for line in lines).encode())
    assert (len(seen["rows"]), len(seen["lines"])) == (3, 6)
    assert (len(seen["rows"][0]["items"]), seen["rows"][0]["more"]) == (20, 10)
    assert all(len(line) <= 200 for line in seen["lines"])


RUBBISH = bytes(range(256)) * 8


@pytest.mark.parametrize(
    "name", ["a.csv", "a.dat", "a.txt", "a.parquet", "a.json", "a.out", "a.csv.gz", "a.xz", "a", "a.zip"]
)
@pytest.mark.parametrize("data", [RUBBISH, b"PAR1" + RUBBISH, b"\0", b'"', b"\xff\xfea\0", b"[" * 5000])
def test_a_broken_file_is_a_sentence(client, name, data):
    key = upload(client, data, name)
    seen = answer(client, "preview", upload=key)
    assert seen.status_code in {200, 400}
    is_broken = seen.json()["error"] is not None
    found = answer(client, "read", upload=key)
    assert is_broken <= (found.status_code == 400)
    assert str(client.state.uploads.folder) not in found.text
    assert "" not in (seen.json()["error"], found.json().get("error"))


@pytest.mark.parametrize("key", ["", None, "nobody", "../x", 7])
def test_an_unknown_upload_is_to_be_loaded_again(client, key):
    for verb, asked in (
        ("preview", {"upload": key}),
        ("read", {"upload": key}),
        ("verify", {"files": {"release.json": key}}),
    ):
        found = client.post(f"/api/{verb}", json=asked)
        assert found.status_code == 404
        assert "load the file again" in found.json()["error"]


@pytest.mark.parametrize(
    "told", [{"format": "exe"}, {"shape": "long"}, {"row": 7}, {"columns": []}, {"path": "/etc/passwd"}]
)
def test_a_wrong_option_is_a_sentence(client, told):
    found = client.post("/api/preview", json={"upload": upload(client, LONG), **told})
    assert found.status_code == 400
    assert found.json()["error"]


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """The folder of a small release."""
    folder = tmp_path_factory.mktemp("release") / "release"
    rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50
    discreet.write_release(discreet.block(rows, min_support=10, k=10, method="add"), folder)
    return folder


def zipped(entries):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, data in entries.items():
            pack.writestr(name, data)
    return file.getvalue()


def files_of(release, prefix=""):
    paths = [path for path in release.rglob("*") if path.is_file()]
    return {f"{prefix}{path.relative_to(release).as_posix()}": path.read_bytes() for path in paths}


def public(release, prefix=""):
    return {name: data for name, data in files_of(release, prefix).items() if "DO-NOT-RELEASE" not in name}


@pytest.mark.parametrize("prefix", ["", "release/"])
def test_a_zip_of_a_release_is_verified(client, release, prefix):
    entries = {**public(release, prefix), "__MACOSX/._x": b"", f"{prefix}.DS_Store": b"x"}
    found = facts(client, "verify", upload=upload(client, zipped(entries), "release.zip"))
    expected = discreet.verify(release)
    assert found["is_good"]
    assert found["digest"] == expected.digest
    assert (found["k"], found["n"], found["smallest"]) == (expected.k, expected.n, expected.smallest)
    assert found["text"].startswith("GOOD")
    assert found["notes"] == []


def test_the_files_of_a_release_are_verified(client, release):
    keys = {name: upload(client, data, name) for name, data in {**public(release), ".DS_Store": b"x"}.items()}
    assert facts(client, "verify", files=keys)["is_good"]
    del keys["certificate.json"]
    found = facts(client, "verify", files=keys)
    assert not found["is_good"]
    assert found["faults"]


def test_the_fingerprint_of_the_publisher_is_compared(client, release):
    digest, sent = discreet.verify(release).digest, upload(client, zipped(public(release)), "release.zip")
    assert facts(client, "verify", upload=sent)["matches"] is None
    assert facts(client, "verify", upload=sent, fingerprint=f" {digest.upper()} ")["matches"]
    found = facts(client, "verify", upload=sent, fingerprint="0" * 64)
    assert (found["is_good"], found["matches"], found["digest"]) == (False, False, None)
    assert found["differing"] == 64 - digest.count("0")
    assert digest not in found["text"]
    refused = answer(client, "verify", upload=sent, fingerprint="0")
    assert "fingerprint is not one: it has 64 hexadecimal digits" in refused.text


def test_what_must_not_be_in_a_release_is_noted(client, release):
    found = facts(client, "verify", upload=upload(client, zipped(files_of(release, "release/")), "release.zip"))
    assert found["is_good"]
    assert "DO-NOT-RELEASE" in found["notes"][0]


def test_a_release_that_was_changed_is_not_good(client, release):
    entries = public(release)
    entries["patterns.json"] = entries["patterns.json"].replace(b'"support": 60', b'"support": 61')
    found = facts(client, "verify", upload=upload(client, zipped(entries)))
    assert not found["is_good"]
    assert found["text"].startswith("NOT GOOD")


def refusal(data, place):
    path = place / "a.zip"
    path.write_bytes(data)
    (place / "out").mkdir()
    with pytest.raises(discreet.InputError) as error:
        releases.unpack(path, place / "out")
    assert list((place / "out").rglob("*")) in ([], [place / "out" / "release.json"])
    return str(error.value)


@pytest.mark.parametrize(
    "name",
    [
        "../release.json",
        "a/../../release.json",
        "/release.json",
        "..\\release.json",
        "C:release.json",
        "a/b/release.json",
        "evil.py",
        "release/evil.py",
        "release.json/evil",
        "DO-NOT-RELEASE/../../x",
    ],
)
def test_a_zip_that_leads_elsewhere_is_refused(tmp_path, name):
    assert "release" in refusal(zipped({name: b"{}"}), tmp_path)
    assert not (tmp_path / "release.json").exists()


def test_a_zip_of_two_releases_is_refused(tmp_path):
    assert "several folders" in refusal(zipped({"a/release.json": b"{}", "b/report.txt": b""}), tmp_path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_zip_with_a_name_twice_is_refused(tmp_path):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as pack:
        pack.writestr("release.json", "{}")
        pack.writestr("release.json", "[]")
    assert "no part of a release" in refusal(file.getvalue(), tmp_path)


def test_a_zip_with_a_link_is_refused(tmp_path):
    entry = zipfile.ZipInfo("release.json")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as pack:
        pack.writestr(entry, "/etc/passwd")
    assert "link" in refusal(file.getvalue(), tmp_path)


def test_a_zip_that_is_encrypted_is_refused(tmp_path):
    data = bytearray(zipped({"release.json": b"{}"}))
    data[data.find(b"PK\x01\x02") + 8] |= 1
    assert "encrypted" in refusal(bytes(data), tmp_path)


def test_a_zip_of_too_many_files_is_refused(tmp_path):
    assert "too many" in refusal(zipped({f"{number}": b"" for number in range(100)}), tmp_path)


def test_a_zip_that_says_to_be_too_large_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(releases, "LARGEST", 1 << 20)
    assert "1 MiB" in refusal(zipped({"release.json": b"0" * (1 << 20) + b"0"}), tmp_path)


def test_a_zip_whose_files_are_too_large_together_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(releases, "MOST_BYTES", 1 << 20)
    data = zipped({"release.json": b"0" * (1 << 19), "report.txt": b"0" * (1 << 19) + b"0"})
    assert "1 MiB" in refusal(data, tmp_path)


def test_a_zip_that_holds_more_than_it_says_is_refused_while_it_is_unpacked(tmp_path):
    data = bytearray(zipped({"release.json": b"0" * 100_000}))
    head, central = data.find(b"PK\x03\x04"), data.find(b"PK\x01\x02")
    data[head + 22 : head + 26] = data[central + 24 : central + 28] = struct.pack("<I", 10)
    assert refusal(bytes(data), tmp_path)
    assert [path.stat().st_size <= 10 for path in (tmp_path / "out").iterdir()] == [True]


@pytest.mark.parametrize("data", [b"no zip", b"PK\x03\x04", b"PK\x05\x06" + bytes(18), RUBBISH])
def test_what_is_no_zip_of_a_release_is_a_sentence(client, data):
    found = answer(client, "verify", upload=upload(client, data, "release.zip"))
    assert found.status_code == 400
    assert "release" in found.json()["error"]


@pytest.mark.parametrize("files", [{}, [], "x", {"evil.py": 0}, {"../release.json": 0}, {"DO-NOT-RELEASE": 0}])
def test_files_with_unknown_names_are_refused(client, files):
    asked = {name: upload(client, b"{}") for name in files} if isinstance(files, dict) else files
    assert answer(client, "verify", files=asked).status_code in {400, 404}


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="this system does not tell what a process has")
def test_a_file_that_unpacks_to_more_than_there_is_memory_for_is_a_sentence():
    packed = gzip.compress(b"a,b,c\n" * (1 << 25), compresslevel=1)
    with served(many=1, memory=200 << 20) as client:
        key = upload(client, packed, "rows.csv.gz")
        for verb in ("preview", "read"):
            found = answer(client, verb, upload=key)
            assert found.status_code == 503
            assert "memory" in found.json()["error"]
        assert facts(client, "read", sample="pkdd2005")["n"] == 12
