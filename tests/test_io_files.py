"""Files: written whole or not at all, packed or not, and never larger than the machine."""

import gzip
import lzma
import os
from io import BytesIO

import polars as pl
import pytest
from click.testing import CliRunner

from discreet import BudgetError, InputError, OptionError, OutputError, read, scan, write
from discreet.cli import main
from discreet.io import compression, files
from discreet.runtime import resources

zstandard = pytest.importorskip("zstandard")
PACKERS = {".gz": gzip.compress, ".xz": lzma.compress, ".zst": zstandard.compress}


def stopping_after_one_chunk():
    yield b"1 2\n" * 100_000
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("packed", ["", *PACKERS])
def test_a_file_that_cannot_be_written_whole_leaves_the_old_one(tmp_path, packed):
    path = tmp_path / f"rows.dat{packed}"
    path.write_bytes(b"old")
    with pytest.raises(OutputError, match=r"rows.dat.* cannot be written \(No space left on device\); give a file in"):
        files.save(path, stopping_after_one_chunk())
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupted_write_leaves_nothing(tmp_path):
    def interrupted():
        yield b"1"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        files.save(tmp_path / "rows.dat", interrupted())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")
def test_a_written_file_has_the_mode_that_the_user_set(tmp_path):
    (tmp_path / "plain").write_bytes(b"1")
    write([[1]], tmp_path / "rows.dat")
    assert (tmp_path / "rows.dat").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="there is no such device")  # noqa: PTH110 - a device
def test_a_device_is_not_replaced():
    with pytest.raises(OutputError, match="is no plain file"):
        write([[1]], "/dev/null", format="fimi")


@pytest.mark.parametrize(("packed", "pack"), PACKERS.items())
def test_packed_parts_that_follow_each_other_are_read_as_one(tmp_path, packed, pack):
    path = tmp_path / f"rows.dat{packed}"
    path.write_bytes(pack(b"1 2\n") + pack(b"3\n"))
    assert list(read(path)) == [{1, 2}, {3}]


@pytest.mark.parametrize(("packed", "pack"), {"": bytes, **PACKERS}.items())
def test_a_file_larger_than_the_memory_allows_is_refused(tmp_path, monkeypatch, packed, pack):
    monkeypatch.setattr(resources, "memory", lambda: 2 << 20)
    path = tmp_path / f"rows.dat{packed}"
    path.write_bytes(pack(b"1 " * (1 << 20)))
    with pytest.raises(InputError, match=r"holds more than 0\.0 GiB, half of this machine's memory"):
        read(path)


@pytest.mark.parametrize(("packed", "pack"), {"": bytes, **PACKERS}.items())
def test_memory_bounds_what_a_file_unpacks_to(tmp_path, packed, pack):
    path = tmp_path / f"rows.dat{packed}"
    path.write_bytes(pack(b"1 2\n" * (1 << 20)))
    assert read(path, memory=1 << 22).n == 1 << 20
    with pytest.raises(BudgetError, match=r"the file holds more than the 3\.0 MiB that memory= allows: raise it"):
        read(path, memory=3 << 20)


def test_memory_bounds_what_parquet_unpacks_to(tmp_path):
    path = tmp_path / "rows.parquet"
    pl.DataFrame({"items": pl.repeat("a", 1 << 20, eager=True).implode()}).write_parquet(path)
    assert path.stat().st_size < 1 << 14
    assert list(read(path, memory=1 << 26)) == [{"a"}]
    with pytest.raises(BudgetError, match="that memory= allows: raise it"):
        read(path, memory=1 << 23)
    with pytest.raises(BudgetError, match="a row group of the file holds more than"):
        scan(path, min_support=1, memory=1 << 23)


@pytest.mark.parametrize(("packed", "pack"), PACKERS.items())
def test_the_command_scans_what_unpacks_to_too_much(tmp_path, packed, pack):
    path = tmp_path / f"rows.dat{packed}"
    path.write_bytes(pack(b"1 2\n" * (1 << 20)))
    arguments = ["mine", str(path), "--min-support", "10%", "--memory", "9MB", "--threads", "1"]
    result = CliRunner().invoke(main, arguments)
    assert (result.exit_code, "it is scanned twice" in result.stderr) == (0, True)
    result = CliRunner().invoke(main, ["mine", "-", "--format", "fimi", *arguments[2:]], input=b"1 2\n" * (5 << 19))
    assert (result.exit_code, "that --memory allows: raise it" in result.stderr) == (2, True)


def test_without_a_library_for_zstandard_the_error_says_which_to_install(tmp_path, monkeypatch):
    def nothing(name):
        raise ImportError(name)

    monkeypatch.setattr(compression, "import_module", nothing)
    (tmp_path / "rows.dat.zst").write_bytes(b"")
    with pytest.raises(OptionError, match="need the package zstandard"):
        read(tmp_path / "rows.dat.zst")


def test_files_opened_as_text_are_refused(tmp_path):
    path = tmp_path / "rows.dat"
    path.write_bytes(b"1 2\n")
    with path.open() as file, pytest.raises(InputError, match="open it in binary mode"):
        read(file, format="fimi")
    with path.open("rb") as file:
        assert list(read(file, format="fimi")) == [{1, 2}]


def test_open_files_are_written_to():
    file = BytesIO()
    write([[1, 2], []], file, format="fimi")
    assert file.getvalue() == b"1 2\n\n"
