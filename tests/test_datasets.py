"""Data sets by name: found, checked, and fetched only on request."""

import gzip
import hashlib
import lzma
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from discreet import InputError, OptionError, OutputError, Transactions
from discreet.io import datasets

BYTES = b"1 2 3 \n2 3\n\n7\n"
TINY = Transactions([[1, 2, 3], [2, 3], [], [7]])
PACKED = {".dat": BYTES, ".dat.gz": gzip.compress(BYTES, mtime=0), ".dat.xz": lzma.compress(BYTES)}


@pytest.fixture(autouse=True)
def folders(monkeypatch, tmp_path):
    """Point every search at folders of the test, and make the data set "tiny" known."""
    monkeypatch.setenv("DISCREET_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(datasets, "cache_folder", lambda: tmp_path / "cache")
    sha256 = hashlib.sha256(BYTES).hexdigest()
    monkeypatch.setitem(datasets.FILES, "tiny", datasets.File("four rows", 4, sha256, offered=True))
    monkeypatch.setitem(datasets.FILES, "local", datasets.File("four rows", 4, sha256))
    (tmp_path / "data").mkdir()
    return tmp_path


@pytest.fixture
def server(monkeypatch):
    """Serve the files put into the returned mapping at the address of the repository."""
    files = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200 if self.path in files else 404)
            self.end_headers()
            self.wfile.write(files.get(self.path, b""))

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as served:
        thread = threading.Thread(target=served.serve_forever, args=(0.01,))
        thread.start()
        address = f"http://127.0.0.1:{served.server_port}/"
        monkeypatch.setattr(datasets, "ADDRESSES", (address + "away/", address))
        yield files
        served.shutdown()
        thread.join()


@pytest.mark.parametrize("folder", ["data", "cache"])
@pytest.mark.parametrize("suffix", PACKED)
def test_a_file_is_found_packed_or_not_in_either_folder(folders, folder, suffix):
    (folders / folder).mkdir(exist_ok=True)
    (folders / folder / f"tiny{suffix}").write_bytes(PACKED[suffix])
    assert datasets.load("tiny") == TINY


def test_a_file_of_other_bytes_is_refused(folders):
    (folders / "data" / "tiny.dat").write_bytes(BYTES + b"8\n")
    with pytest.raises(InputError, match=r"tiny.dat: this is not the public file tiny.dat: its sha256 is"):
        datasets.load("tiny")


@pytest.mark.parametrize("suffix", [".dat.gz", ".dat.xz"])
@pytest.mark.parametrize("broken", [b"", b"junk", slice(0, -4), slice(0, 12)], ids=repr)
def test_a_file_that_cannot_be_unpacked_is_refused(folders, suffix, broken):
    broken = PACKED[suffix][broken] if isinstance(broken, slice) else broken
    (folders / "data" / f"tiny{suffix}").write_bytes(broken)
    with pytest.raises(InputError, match=rf"tiny{suffix}: .*(broken|empty)"):
        datasets.load("tiny")


def test_a_data_set_that_is_not_here_is_not_fetched_unasked(server, folders):
    server["/tiny.dat.gz"] = PACKED[".dat.gz"]
    with pytest.raises(InputError, match=r"tiny is not on this machine; put tiny.dat into the folder .* DISCREET_DATA"):
        datasets.load("tiny")
    assert not (folders / "cache").exists()


def test_a_download_is_kept_and_serves_the_next_time(server, folders):
    server["/tiny.dat.gz"] = PACKED[".dat.gz"]
    assert datasets.load("tiny", download=True) == TINY
    server.clear()
    assert datasets.load("tiny") == TINY
    assert [path.name for path in (folders / "cache").iterdir()] == ["tiny.dat.gz"]


def test_a_download_of_other_bytes_is_refused_and_not_kept(server, folders):
    server["/tiny.dat.gz"] = gzip.compress(b"1 2\n")
    with pytest.raises(InputError, match=r"not the public file tiny.dat"):
        datasets.load("tiny", download=True)
    assert not (folders / "cache").exists()


@pytest.mark.usefixtures("server")
def test_a_download_that_fails_is_one_sentence():
    with pytest.raises(InputError, match=r"^tiny.dat.gz cannot be downloaded from .*404.*try again later$") as caught:
        datasets.load("tiny", download=True)
    assert "\n" not in str(caught.value)


def test_a_download_that_is_cut_short_is_one_sentence(server):
    server["/tiny.dat.gz"] = PACKED[".dat.gz"][:-4]
    with pytest.raises(InputError, match=r"^tiny.dat.gz cannot be downloaded from .*try again later$"):
        datasets.load("tiny", download=True)


def test_a_cache_that_cannot_be_written_is_said(server, folders):
    server["/tiny.dat.gz"] = PACKED[".dat.gz"]
    (folders / "cache").write_text("a file in the way")
    with pytest.raises(OutputError, match=r"the cache .* cannot be made"):
        datasets.load("tiny", download=True)


def test_a_data_set_that_is_not_offered_is_not_asked_for():
    with pytest.raises(InputError, match=r"local is not offered for download; put local.dat") as caught:
        datasets.load("local", download=True)
    assert "download=True" not in str(caught.value)


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(OptionError, match=r"no data set 'mushrooms'; the known ones are pkdd2005, .*mushroom"):
        datasets.load("mushrooms")


def test_all_names_are_known_and_each_file_has_a_whole_sha256():
    assert {"pkdd2005", "waim2008", "oliveira2002", "mushroom", "chess", "groceries"} <= set(datasets.names())
    assert all(len(bytes.fromhex(file.sha256)) == 32 for file in datasets.FILES.values())


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"XDG_CACHE_HOME": "/caches"}, "/caches/discreet"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "/home/ada/.cache/discreet"),
        ("linux", {}, "/home/ada/.cache/discreet"),
        ("darwin", {"XDG_CACHE_HOME": "/caches"}, "/home/ada/Library/Caches/discreet"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/discreet"),
        ("win32", {}, "/home/ada/AppData/Local/discreet"),
    ],
)
def test_the_cache_is_where_the_platform_wants_it(monkeypatch, platform, variables, expected):
    monkeypatch.undo()
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/ada"))
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert datasets.cache_folder() == Path(expected)
