"""Releases of tables of counts: a folder that anyone can verify, and that no forger gets past."""

import json
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import pytest
from click.testing import CliRunner

from discreet import OutputError, Verdict, audit, block, read_counts, verify, write_counts, write_release
from discreet.blocking.verify_result import OTHER
from discreet.cli import main
from discreet.report.tables import describe_costs

TEXT = """sex,smoker,n
Total,Total,180
f,Total,90
m,Total,90
Total,yes,50
Total,no,130
f,yes,5
f,no,85
m,yes,45
m,no,45
"""


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "smokers.csv"
    path.write_text(TEXT)
    return path


@pytest.fixture
def folder(table):
    place = table.parent / "release"
    write_release(block(read_counts(table), k=11, method="suppress"), place)
    return place


def run(*words):
    return CliRunner().invoke(main, [*map(str, words)])


def sign(folder, **changes):
    """Write release.json anew, as a forger would, with the digests of the files as they are now."""
    facts = json.loads((folder / "release.json").read_text())
    names = [path.name for path in folder.iterdir() if path.is_file() and path.name != "release.json"]
    facts["files"] = {name: sha256((folder / name).read_bytes()).hexdigest() for name in names}
    (folder / "release.json").write_text(json.dumps({**facts, **changes}))


def test_a_release_is_good_and_shows_no_small_count(folder):
    result = verify(folder)
    assert (result.is_good, result.k, result.tables) == (True, 11, "9 cells of 1 table, 4 masked")
    assert str(result).startswith("GOOD: 9 cells of 1 table, 4 masked\nno count of 1 to 10 that is masked")
    lines = (folder / "table.csv").read_text().splitlines()
    assert [line for line in lines if line.endswith("*")] == ["f,yes,*", "f,no,*", "m,yes,*", "m,no,*"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_a_release_is_utf_8_whatever_was_read(tmp_path, encoding):
    path = tmp_path / "table.csv"
    path.write_bytes("Geschlecht;n\nTotal;220\nMänner;177\nFrauen;3\nübrige;40\n".encode(encoding))
    assert write_release(block(read_counts(path), k=11, method="suppress"), tmp_path / "release").is_good
    assert "Männer;*" in (tmp_path / "release" / "table.csv").read_text(encoding="utf-8-sig")


def test_what_was_masked_is_apart(folder):
    private = folder / "DO-NOT-RELEASE"
    assert "sex f, smoker yes" in (private / "changes.csv").read_text()
    public = [path.read_text() for path in folder.iterdir() if path.is_file()]
    assert not any("f,yes,5" in text or "smoker yes" in text for text in public)
    assert json.loads((private / "cost.json").read_text())["masked_further"] == 3


def test_a_fingerprint_tells_the_publishers_release(folder):
    digest = verify(folder).digest
    assert verify(folder, fingerprint=digest).matches
    wrong = verify(folder, fingerprint="0" * 64)
    assert wrong.faults == (OTHER,)


@pytest.mark.parametrize("name", ["table.csv", "counts.json", "report.txt"])
def test_a_file_that_was_changed_is_a_fault(folder, name):
    with (folder / name).open("a") as file:
        file.write(" ")
    assert f"{name!r} was changed after release.json was written" in verify(folder).faults


@pytest.mark.parametrize("name", ["table.csv", "counts.json", "report.txt"])
def test_a_file_that_is_missing_or_a_link_is_a_fault(folder, name, tmp_path):
    (folder / name).rename(tmp_path / name)
    assert not verify(folder).is_good
    (folder / name).symlink_to(tmp_path / name)
    assert not verify(folder).is_good


def test_a_file_that_is_not_listed_is_a_fault(folder):
    (folder / "more.csv").write_text("f,yes,5\n")
    assert verify(folder).faults == ("'more.csv' is not listed in release.json",)


def test_a_forger_who_signs_unsafe_counts_is_found_out(folder):
    path = folder / "counts.json"
    stated = json.loads(path.read_text())
    shown = next(cell for cell in stated["tables"][0]["cells"] if cell["at"] == ["f", "no"])
    shown |= {"low": 85, "high": 85, "state": "exact", "mark": ""}
    path.write_text(json.dumps(stated))
    (folder / "table.csv").write_text((folder / "table.csv").read_text().replace("f,no,*", "f,no,85"))
    sign(folder)
    assert any("can be worked out" in fault for fault in verify(folder).faults)


def test_a_table_that_shows_more_than_is_stated_is_found_out(folder):
    (folder / "table.csv").write_text((folder / "table.csv").read_text().replace("f,yes,*", "f,yes,5"))
    sign(folder)
    assert verify(folder).faults == ("line 7, column 3 of table.csv shows something else than counts.json",)


def test_a_smaller_k_than_that_of_the_policy_is_found_out(folder):
    sign(folder, k=3)
    assert "release.json states another k than its policy" in verify(folder).faults


@pytest.mark.parametrize(
    "text", ["", "{", "[]", *(f'{{"tables of counts": {one}}}' for one in ('2, "tables": []', '1, "tables": [{}]'))]
)
def test_malformed_counts_are_a_fault(folder, text):
    (folder / "counts.json").write_text(text)
    sign(folder)
    assert not verify(folder).is_good


def test_limits_without_numbers_are_a_fault(folder):
    stated = (folder / "counts.json").read_text()
    (folder / "counts.json").write_text(stated.replace('"absent": null', '"absent": []'))
    sign(folder)
    assert (folder / "counts.json").read_text() != stated
    assert not verify(folder).is_good


def test_what_is_not_safe_is_not_written(tmp_path):
    counts = read_counts(BytesIO(TEXT.encode()))
    unsafe = replace(block(counts, k=11, method="suppress"), audit=audit(counts, k=11))
    with pytest.raises(OutputError, match="the verdict is WITHHOLD"):
        write_release(unsafe, tmp_path / "release")
    assert not (tmp_path / "release").exists()


def test_the_command_blocks_writes_and_verifies(table):
    out = table.parent / "out"
    blocked = run("block", table, "--counts", "--policy", "cms", "--out", out)
    assert (blocked.exit_code, blocked.stdout.partition(",")[0]) == (0, "RELEASE: smokers.csv")
    assert "  f,yes,*" in blocked.stdout.splitlines()
    assert f"Anybody can check it:  discreet verify {out}" in blocked.stderr
    assert run("verify", out).exit_code == 0
    assert json.loads(run("block", table, "--counts", "-k", 11, "--json").stdout)["verdict"] == "RELEASE"


def test_advice_names_the_command_that_does_the_best(table):
    advice = run("advise", table, "-k", 11, "--counts")
    assert advice.exit_code == 0
    command = advice.stdout.splitlines()[-1].removeprefix("Do it:  ")
    assert command == f"discreet block {table} -k 11 --method suppress --out release --counts"


def test_options_for_rows_are_refused(table):
    for words in (["--keep-n"], ["--method", "withhold"], ["--min-support", "5%"]):
        result = run("block", table, "-k", 11, *words, "--counts")
        assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)


def test_rows_still_need_a_minimum_support(table):
    result = run("block", table, "-k", 11)
    assert result.exit_code == 2
    assert "--min-support" in result.stderr


def test_the_same_table_gives_the_same_bytes(table):
    first, second = (write_release(block(read_counts(table), k=11), table.parent / name) for name in "ab")
    assert first.digest == second.digest
    files = [path for path in Path(table.parent, "a").iterdir() if path.is_file()]
    assert all(path.read_bytes() == (table.parent / "b" / path.name).read_bytes() for path in files)


def test_a_page_shows_the_tables_as_published(table, folder):
    place = table.parent / "page.html"
    done = run("report", folder, "--out", place)
    page = place.read_text()
    assert (done.exit_code, "DO NOT RELEASE" in page) == (0, False)
    assert page.count("<td>*</td>") == 4
    assert "GOOD" in page


def test_a_page_of_a_forged_folder_repeats_nothing_of_it(table, folder):
    (folder / "table.csv").write_text(TEXT)
    done = run("report", folder, "--out", table.parent / "page.html")
    page = (table.parent / "page.html").read_text()
    assert (done.exit_code, "NOT GOOD" in page, "<td>*</td>" in page) == (1, True, False)


def test_only_a_private_page_tells_what_was_masked(table):
    words = ("report", table, "--counts", "-k", 11, "--block", "suppress", "--out")
    done = run(*words, table.parent / "public.html")
    assert done.exit_code == 0, done.output
    assert run(*words, table.parent / "own.html", "--private").exit_code == 0
    told = "1 small count and 3 further ones are masked"
    assert told not in (table.parent / "public.html").read_text()
    own = (table.parent / "own.DO-NOT-RELEASE.html").read_text()
    assert told in own
    assert "DO NOT RELEASE" in own


@pytest.mark.parametrize("words", [("add",), ("suppress", "--csv", "x.csv"), ("suppress", "--schema", "=")])
def test_a_page_refuses_what_means_nothing_to_tables(table, words):
    done = run("report", table, "--counts", "-k", 11, "--block", *words)
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)


ACHILLES = (
    "analysis_id,stratum_1,stratum_2,stratum_3,stratum_4,stratum_5,count_value\n"
    "1,,,,,,180\n2,8507,,,,,90\n691,4010253,1,,,,3\n2,8532,,,,,90\n691,4010254,1,,,,7\n"
)


def test_lines_that_were_not_read_are_no_release_and_are_left_out_of_one(tmp_path):
    counts = read_counts(BytesIO(ACHILLES.encode()))
    judged = audit(counts, k=11)
    assert judged.verdict is Verdict.REVIEW
    assert "2 lines with numbers could not be read" in judged.checks[-1].sentence
    read = "".join(line for line in ACHILLES.splitlines(keepends=True) if not line.startswith("691"))
    write_counts(counts, tmp_path / "read.csv")
    assert (tmp_path / "read.csv").read_text(encoding="utf-8") == read
    release = block(counts, k=11)
    assert release.verdict is Verdict.RELEASE
    assert describe_costs(release)["lines that could not be read"] == "2, all left out"
    write_release(release, tmp_path / "release")
    table = (tmp_path / "release" / "table.csv").read_text(encoding="utf-8")
    assert table == read
    assert verify(tmp_path / "release").is_good


def test_a_line_that_nobody_judged_is_found_by_the_verifier(tmp_path):
    write_release(block(read_counts(BytesIO(ACHILLES.encode())), k=11), tmp_path / "release")
    table, stamp = tmp_path / "release" / "table.csv", tmp_path / "release" / "release.json"
    table.write_text(table.read_text(encoding="utf-8") + "691,4010253,1,,,,3\n", encoding="utf-8")
    facts = json.loads(stamp.read_text(encoding="utf-8"))
    facts["files"]["table.csv"] = sha256(table.read_bytes()).hexdigest()
    stamp.write_text(json.dumps(facts), encoding="utf-8")
    assert verify(tmp_path / "release").faults == ("table.csv has 1 line with numbers that counts.json does not know",)
