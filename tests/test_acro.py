"""ACRO: its sessions are judged together, its rules are policies, and a running session takes our outputs.

The folders in tests/acro_sessions were written by the real ACRO, 1.0.2 and 0.4.12; make.py beside them says how.
"""

import json
import shutil
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import pytest
from click.testing import CliRunner

import discreet
from discreet import InputError, OptionError, Verdict, audit, read_counts, report, verify, write_release
from discreet.blocking.tables.block import block_counts
from discreet.cli import main
from discreet.io.write_counts import write_counts
from discreet.judging.policy import load

HERE = Path(__file__).parent / "acro_sessions"
SESSIONS = [HERE / "session-1.0.2", HERE / "session-0.4.12"]
CELL = "ill yes, region north, sex m"


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture(params=SESSIONS, ids=lambda place: place.name)
def session(request, tmp_path):
    """A session that ACRO has written, to be changed."""
    return shutil.copytree(request.param, tmp_path / "session")


def change(folder, name, **entries):
    """Change an output of a session."""
    path = folder / "results.json"
    results = json.loads(path.read_text())
    results["results"][name] |= entries
    path.write_text(json.dumps(results))


def keep(folder, *uids):
    """Leave some outputs of a session."""
    path = folder / "results.json"
    results = json.loads(path.read_text())
    results["results"] = {uid: one for uid, one in results["results"].items() if uid in uids}
    path.write_text(json.dumps(results))


def judge(folder):
    return audit(read_counts(folder, format="acro"), policy="acro")


def test_the_cell_that_acro_suppressed_is_named_from_two_tables(session):
    found = judge(session)
    assert found.verdict == "WITHHOLD"
    assert [str(one) for one in found.findings] == [f"{CELL}: 3"]
    assert found.findings[0].explain() == f"{CELL} = ill yes, sex m 27 − ill yes, region south, sex m 24 = 3"


def test_outputs_that_are_no_tables_of_counts_are_left_to_a_person(session):
    keep(session, "output_0", "output_2", "output_3", "output_4", "output_5")
    found = judge(session)
    assert found.verdict == "REVIEW"
    assert found.checks[-1].sentence == (
        "Not judged here, for a person to look at: output_2 (pivot table); output_3 (regression); "
        "output_4 (histogram); output_5 (custom)."
    )


def test_a_session_whose_tables_are_no_counts_says_what_it_has(session):
    keep(session, "output_2", "output_4")
    with pytest.raises(InputError, match=r"for a person to look at: output_2 \(pivot table\); output_4 \(histogram\)$"):
        judge(session)


def test_a_session_of_safe_tables_alone_may_be_published(session):
    keep(session, "output_1", "2ndary_risk_summary_csv-DONT_RELEASE")
    assert judge(session).verdict == "RELEASE"


def test_totals_that_were_left_in_a_suppressed_table_reveal_the_cell_alone(session):
    keep(session, "output_0")
    assert judge(session).verdict == "RELEASE"  # the margins were added up again
    table = session / "output_0_0.csv"
    total = table.read_text().replace("m,north,95,,95", "m,north,95,,98").replace("426,82.0,508", "426,85.0,511")
    table.write_text(total)
    assert [str(one) for one in judge(session).findings] == [f"{CELL}: 3"]


def test_margins_that_contradict_their_cells_are_left_to_a_person(session):
    keep(session, "output_1")
    table = session / "output_1_0.csv"
    table.write_text(table.read_text().replace("All,426,85,511", "All,426,0,511"))
    assert "margins of output_1 (sums that do not fit its cells)" in judge(session).checks[-1].sentence


def test_a_zero_in_a_suppressed_table_is_any_count_below_the_threshold(tmp_path):
    folder = shutil.copytree(SESSIONS[0], tmp_path / "session")
    keep(folder, "output_0", "output_1")
    table = folder / "output_0_0.csv"  # as ACRO 1.0 writes it where zeros are not disclosive
    table.write_text(
        "sex,region,no,yes,All\nf,north,120,31,151\nf,south,110,27,137\nm,north,95,0,95\nm,south,101,24,125\n"
    )
    found = judge(folder)
    assert [str(one) for one in found.findings] == [f"{CELL}: 3"]
    properties = {"method": "crosstab", "mitigation": "none"}
    change(folder, "output_0", properties=properties)
    assert "other than" in str(judge(folder).findings[0])  # a zero that ACRO did not make is one


def test_people_without_a_value_are_a_group_of_their_own(session):
    keep(session, "output_0", "output_1")
    for text in (
        "sex,region,no,yes\nf,north,120,31\nf,,110,27\nm,north,95,13\nm,,101,4\n",
        "sex,region,no,yes,All\nf,north,120,31,151\nf,,110,27,\nm,north,95,13,108\nm,,101,4,\nAll,,426,75,501\n",
    ):
        (session / "output_0_0.csv").write_text(text)
        change(session, "output_0", properties={"method": "crosstab"}, files=[{"name": "output_0_0.csv"}])
        keep(session, "output_0")
        found = judge(session)
        assert [str(one) for one in found.findings] == ["ill yes, region nan, sex m: 4"]
        assert len(found.checks) == 4  # nothing is left to a person


def test_tables_of_people_who_overlap_are_left_to_a_person(session):
    keep(session, "output_1", "output_5")
    (session / "output_5_0.csv").write_text("region,no,yes\nnorth,20,50\nsouth,25,35\n")  # of those in hospital, say
    change(session, "output_5", **one_output(session, "output_1", ["region", "ill"]))
    assert judge(session).verdict == "RELEASE"  # within the others
    (session / "output_5_0.csv").write_text("region,no,yes\nnorth,20,50\nsouth,25,36\n")  # more ill, fewer well
    found = judge(session)
    assert found.verdict == "REVIEW"
    assert "beside others (some of its people may be counted there too)" in found.checks[-1].sentence


def test_a_masked_table_beside_those_of_other_people_is_left_to_a_person(session):
    entry = one_output(session, "output_1", ["sex", "age"])
    for uid in ("output_5", "output_1"):  # twice of the ill alone: of whom, no sum can tell
        change(session, uid, **entry | {"uid": uid, "files": [{"name": f"{uid}_0.csv"}]})
        (session / f"{uid}_0.csv").write_text("sex,old,young\nf,30,28\nm,15,12\n")
    keep(session, "output_0", "output_1", "output_5")
    found = judge(session)
    assert found.verdict == "REVIEW"
    assert "output_0 beside others (together they may reveal its masked counts)" in found.checks[-1].sentence


def test_a_single_column_is_a_value_of_its_attribute(session):
    keep(session, "output_1", "output_5")
    change(session, "output_5", **one_output(session, "output_1", ["sex", "ill"]))
    (session / "output_5_0.csv").write_text("sex,yes\nf,54\nm,27\n")  # 4 fewer women who are ill
    assert [one.low for one in judge(session).findings if "sex f" in str(one)] == [4]


def test_a_table_is_judged_whatever_it_is_called(session):
    keep(session, "output_0", "output_1")
    change(session, "output_1", uid="final-DONT_RELEASE")
    assert judge(session).verdict == "WITHHOLD"


def test_bands_under_two_names_are_left_to_a_person(session):
    keep(session, "output_1", "output_5")
    for uid, name, lines in (
        ("output_5", "age10", "20-29,70,25\n30+,50,47\n"),
        ("output_1", "age5", "20-24,40,22\n25-29,30,\n30-34,20,\n35+,30,40\n"),
    ):
        change(session, uid, **one_output(session, "output_1", [name, "ill"]) | {"files": [{"name": f"{uid}_0.csv"}]})
        (session / f"{uid}_0.csv").write_text(f"{name},no,yes\n{lines}")
    keep(session, "output_1", "output_5")
    found = judge(session)
    assert found.verdict == "REVIEW"
    assert "age5 beside age10 (they may be the same in other bands)" in found.checks[-1].sentence


def test_margins_of_a_name_that_is_not_known_are_left_to_a_person(session):
    keep(session, "output_1")
    table = session / "output_1_0.csv"
    table.write_text(table.read_text().replace("All", "Sigma"))
    change(session, "output_1", command="acro.crosstab(df.sex, df.ill, margins=True, margins_name=NAME)")
    found = judge(session)
    assert found.verdict == "REVIEW"
    assert "output_1 (a value seems to be the total of the others; say so with --total)" in found.checks[-1].sentence
    assert audit(read_counts(session, format="acro", totals="Sigma"), policy="acro").verdict == "RELEASE"


def test_people_with_a_missing_value_are_told_by_the_totals_of_two_tables(session):
    keep(session, "output_1", "output_5")
    (session / "output_5_0.csv").write_text("age,no,yes,All\nold,200,40,240\nyoung,223,45,268\nAll,423,85,508\n")
    change(session, "output_5", **one_output(session, "output_1", ["age", "ill"]))
    texts = [str(one) for one in judge(session).findings]
    assert "people other than people that output_5 shows: total: 3" in texts


def one_output(folder, like, names):
    """An output like another one, with other attributes, as both versions of ACRO state them."""
    entry = json.loads((folder / "results.json").read_text())["results"][like]
    entry["files"][0]["name"] = "output_5_0.csv"
    entry["uid"] = "output_5"
    entry["command"] = f"acro.crosstab(df.{names[0]}, df.{names[1]}, margins=True)"
    if "fair" in entry:
        entry["fair"]["independent"] = names
    return entry


@pytest.mark.parametrize("names", [["row_var0", "col_var0"], ["row_0", "col_0"]])
def test_attributes_without_a_name_are_not_taken_for_those_of_another_table(session, names):
    (session / "output_5_0.csv").write_text(f"{names[0]},no,yes,All\na,200,40,240\nb,226,45,271\nAll,426,85,511\n")
    change(session, "output_5", **one_output(session, "output_1", names))
    found = judge(session)
    assert [str(one) for one in found.findings] == [f"{CELL}: 3"]
    assert "(an attribute without a name)" in found.checks[-1].sentence


def test_sums_of_a_variable_are_not_taken_for_counts(session):
    entry = {"command": "acro.crosstab(df.sex, df.ill, values=df.visits, aggfunc='sum')"}
    fair = {"statbarn": "LinearAggregations", "dependent": "visits", "independent": ["sex", "ill"]}
    has_fair = "fair" in json.loads((session / "results.json").read_text())["results"]["output_1"]
    change(session, "output_1", **entry, **({"fair": fair} if has_fair else {}))
    assert "output_1 (crosstab)" in judge(session).checks[-1].sentence


@pytest.mark.parametrize(
    "command", ["table = acro.crosstab(", "crosstab()", "acro.crosstab(a, b, values)", "acro.crosstab(*many, **how)"]
)
def test_a_command_that_does_not_say_what_is_counted_is_left_to_a_person(tmp_path, command):
    folder = shutil.copytree(HERE / "session-0.4.12", tmp_path / "session")
    change(folder, "output_1", command=command)
    assert "output_1 (crosstab)" in judge(folder).checks[-1].sentence


def test_what_add_to_acro_added_is_not_read_as_a_crosstab(session):
    change(session, "output_1", properties={"method": "closed itemsets", "discreet": "0.1.0"}, command="discreet audit")
    assert "output_1 (closed itemsets)" in judge(session).checks[-1].sentence


PIVOT = {
    "columns": ",count,count,count\n,age,age,age\nill,no,yes,All\nsex,,,\nf,230,58,288\nm,196,27,223\nAll,426,85,511\n",
    "two levels": ",,count,count\n,,age,age\nill,,no,yes\nsex,region,,\nf,n,120,31\nf,s,99,27\nm,n,95,27\nm,s,101,24\n",
    "no columns": ",count\n,age\nsex,\nf,288\nm,223\n",
}


@pytest.mark.parametrize("shape", PIVOT)
def test_pivot_tables_of_counts_are_read(tmp_path, shape):
    folder = shutil.copytree(HERE / "session-1.0.2", tmp_path / "session")
    (folder / "output_2_0.csv").write_text(PIVOT[shape])
    names = {"columns": ["sex", "ill"], "two levels": ["sex", "region", "ill"], "no columns": ["sex"]}[shape]
    change(folder, "output_2", fair={"statbarn": "Frequencies", "dependent": "age", "independent": names})
    keep(folder, "output_2")
    (table,) = read_counts(folder).tables
    assert table.names == tuple(names)
    assert sum(cell.low for cell in table.cells if None not in cell.at) in {511, 524}
    assert table.counted == "people"


def test_a_pivot_table_of_another_shape_is_left_to_a_person(tmp_path):
    folder = shutil.copytree(HERE / "session-1.0.2", tmp_path / "session")
    change(folder, "output_2", fair={"statbarn": "Frequencies", "independent": ["sex", "region"]})  # it shows means
    (folder / "output_2_0.csv").write_text(",count,mean\n,age,age\nsex,,\nf,288,49\nm,223,49\n")
    assert "output_2 (pivot table of several" in judge(folder).checks[-1].sentence


def test_a_blocked_table_keeps_no_margin_that_gives_a_masked_cell_away(session, tmp_path):
    keep(session, "output_0", "output_1")
    release = block_counts(read_counts(session), policy="acro", method="suppress")
    write_counts(release.counts, tmp_path / "safe")
    lines = (tmp_path / "safe" / "output_0_0.csv").read_text().splitlines()
    masked = next(line for line in lines if "*" in line)
    assert masked.endswith(",")  # its margin would be the masked count, less what is shown
    assert lines[-1].split(",")[-1] == ""


def test_the_command_judges_a_session_by_its_own_rules(session):
    ended = run("audit", "--acro", session)
    assert ended.exit_code == 1
    assert "policy acro settings, k = 10." in ended.stdout
    assert f"recovered: {CELL} = ill yes, sex m 27" in ended.stdout
    assert "not judged here: dominance, degrees of freedom" in " ".join(ended.stdout.split())


def test_a_folder_that_is_no_session_is_refused(tmp_path):
    (tmp_path / "table.csv").write_text("sex,n\nf,3\nm,4\n")
    for place in (tmp_path, tmp_path / "table.csv"):
        assert run("audit", "--acro", place).exit_code == 2  # it has no rules of its own
        assert run("audit", "--acro", place, "-k", 5).exit_code == 2


def test_without_a_rule_the_folder_is_said_to_have_none(tmp_path):
    for place in (tmp_path, tmp_path / "missing"):
        ended = run("audit", "--acro", place)
        assert ended.exit_code == 2
        assert f"{place} holds no config.json of an ACRO session, its rule" in ended.stderr


def test_a_table_whose_file_is_missing_is_left_to_a_person(session):
    keep(session, "output_0", "output_1")
    (session / "output_1_0.csv").unlink()
    read = read_counts(session)
    assert [one.why for one in read.reading.left_out if one.column == "output_1"] == ["its file is missing"]
    assert audit(read, k=3).verdict is not Verdict.RELEASE


def test_a_session_is_written_for_the_viewer_with_the_cell_flagged(session, tmp_path):
    place = tmp_path / "checked"
    assert run("audit", "--acro", session, "--sacro", place, "--quiet").exit_code == 1
    result = json.loads((place / "outputs.json").read_text())["results"]["counts"]
    assert result["files"][0]["sdc"]["cells"] == {"masked counts": [[5, 1]]}
    assert result["command"] == "discreet audit FILE -k 10 --acro"
    assert result["fair"]["independent"] == ["sex", "region", "ill"]
    assert (place / "DO-NOT-RELEASE" / "cells.csv").is_file()


# Policies.

DEFAULT = """\
---
# frequency threshold
safe_threshold: 20
safe_dof_threshold: 10
safe_nk_n: 2
safe_nk_k: 0.90
zeros_are_disclosive: False
blocked_extensions:
  - .svg
...
"""


def test_the_rules_of_a_session_are_a_policy(session):
    policy = load(session / "config.json")
    assert (policy.k, policy.zeros) == (10, Verdict.WITHHOLD)
    assert policy.not_judged == "dominance, degrees of freedom, survival tables, missing values"


def test_the_default_of_acro_is_a_policy(tmp_path):
    (tmp_path / "default.yaml").write_text(DEFAULT)
    policy = load(tmp_path / "default.yaml")
    assert (policy.k, policy.zeros, policy.round_to) == (20, Verdict.RELEASE, None)
    assert policy.unjudged == "Rules of acro settings that are not judged here: dominance, degrees of freedom."


@pytest.mark.parametrize("wrong", ["safe_threshold: ten", "safe_threshold: [10]", "safe_threshold: 10.5"])
def test_rules_of_acro_without_a_threshold_are_refused(tmp_path, wrong):
    (tmp_path / "default.yaml").write_text(DEFAULT.replace("safe_threshold: 20", wrong))
    with pytest.raises(InputError, match="safe_threshold is no whole number"):
        load(tmp_path / "default.yaml")


def test_rules_of_acro_that_do_not_say_whether_zeros_matter_are_refused(tmp_path):
    (tmp_path / "default.yaml").write_text(DEFAULT.replace("False", "perhaps"))
    with pytest.raises(InputError, match="neither true nor false"):
        load(tmp_path / "default.yaml")


# A running session.


class Records:
    """What ACRO's records do, as far as it is needed."""

    def __init__(self):
        self.results = {}

    def add(self, *, fair=None, **given):
        self.results[f"output_{len(self.results)}"] = {**given, "fair": fair}

    def get_keys(self):
        return list(self.results)


class OlderRecords(Records):
    """Those of a version before 1.0."""

    def add(self, **given):
        assert "fair" not in given
        super().add(**given)


class Running:
    """What a session of ACRO does, as far as it is needed."""

    def __init__(self):
        self.results, self.exceptions = Records(), {}

    def rename_output(self, old, new):
        self.results.results[new] = self.results.results.pop(old)

    def add_exception(self, output, reason):
        self.exceptions[output] = reason


ROWS = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [["=1+1"]] * 20 + [[]] * 50


def test_a_running_session_takes_the_candidate_with_its_flags_and_no_finding():
    pytest.importorskip("pandas")
    running = Running()
    found = audit(ROWS, min_support=10, k=10)
    assert [report.add_to_acro(running, found) for _ in range(2)] == ["discreet_itemsets", "discreet_itemsets_2"]
    added = running.results.results["discreet_itemsets"]
    (frame,) = added["output"]
    assert frame.to_csv() == 'itemset,support\n,120\n"""=1+1""",20\na;b,50\na;b;c,48\n'
    assert added["status"] == "fail"
    assert added["sdc"]["cells"] == {"inference channels": [[2, 0], [3, 0]]}
    assert added["fair"]["check_status"]["inference channels"] == "fail"
    assert json.loads(added["outcome"].to_json())["inference channels"] == {"status": "fail", "found": 1}
    assert "No exception is asked for" in running.exceptions["discreet_itemsets"]
    assert "sup(" not in str(added)


def test_a_session_before_1_0_takes_it_without_the_fair_block():
    pytest.importorskip("pandas")
    running = Running()
    running.results = OlderRecords()
    report.add_to_acro(running, audit([["a", "b"]] * 20 + [["a"]] * 12 + [[]] * 10, min_support=10, k=10))
    assert running.results.results["discreet_itemsets"]["status"] == "pass"
    assert running.exceptions == {}


def test_tables_with_values_that_look_like_formulas_are_added_as_text():
    pytest.importorskip("pandas")
    running = Running()
    counts = read_counts(BytesIO(b"=sex,ill,well\n=f,40,50\nm,41,30\n"))
    report.add_to_acro(running, audit(counts, k=5))
    (frame,) = running.results.results["discreet_counts"]["output"]
    assert frame["values"].tolist()[0].startswith("'=")


def test_a_federated_session_is_refused():
    running = Running()
    running.federated = True
    with pytest.raises(OptionError, match="federated"):
        report.add_to_acro(running, audit(ROWS, min_support=10, k=10))


def test_the_real_acro_takes_it(tmp_path):
    acro = pytest.importorskip("acro")
    running = acro.ACRO()
    name = report.add_to_acro(running, audit(ROWS, min_support=10, k=10))
    running.finalise(str(tmp_path / "outputs"), "json")
    assert name in json.loads((tmp_path / "outputs" / "results.json").read_text())["results"]
    assert discreet.__version__ in (tmp_path / "outputs" / "results.json").read_text()


# Releases and the viewer.


def test_verify_says_what_the_viewer_has_added(tmp_path):
    folder = tmp_path / "release"
    rows = [["a", "b"]] * 20 + [["a"]] * 12 + [[]] * 10
    discreet.write_release(discreet.block(rows, min_support=10, k=5, method="withhold"), folder)
    (folder / "checksums").mkdir()
    (folder / "outputs.json").write_text("{}")
    faults = discreet.verify(folder).faults
    assert [fault.split("; ")[1][:18] for fault in faults] == ["SACRO-Viewer adds "] * 2


@pytest.mark.parametrize("what", ["rows", "tables"])
def test_block_writes_a_folder_of_its_own_for_the_viewer(what, tmp_path):
    file, place, out = tmp_path / "data.csv", tmp_path / "checked", tmp_path / "release"
    if what == "rows":
        discreet.write(discreet.Transactions([["a", "b"]] * 20 + [["a"]] * 3 + [["c"]] * 20), file)
        options = ["--min-support", 10, "-k", 5, "--method", "withhold"]
    else:
        file.write_text("sex,ill,well,Total\nf,40,50,90\nm,3,30,33\nTotal,43,80,123\n")
        options = ["--counts", "-k", 5, "--method", "suppress"]
    assert run("block", file, *options, "--out", out, "--sacro", place).exit_code == 0
    assert discreet.verify(out).is_good
    (result,) = json.loads((place / "outputs.json").read_text())["results"].values()
    assert result["status"] == "pass"
    assert run("block", file, *options, "--out", place, "--sacro", place).exit_code == 2


def test_a_blocked_session_is_released_without_its_other_outputs(session, tmp_path):
    release = tmp_path / "release"
    assert run("block", "--acro", session, "-k", 10, "--method", "suppress", "--out", release).exit_code == 0
    assert {path.name for path in release.glob("*.csv")} == {"output_0_0.csv", "output_1_0.csv"}
    assert discreet.verify(release).is_good


def test_a_table_of_a_released_session_that_was_changed_is_named(session, tmp_path):
    keep(session, "output_0", "output_1")
    write_release(block_counts(read_counts(session), policy="acro", method="suppress"), tmp_path / "release")
    table, stamp = tmp_path / "release" / "output_1_0.csv", tmp_path / "release" / "release.json"
    assert verify(tmp_path / "release").is_good
    lines = table.read_text(encoding="utf-8").splitlines()
    for forged in ([f"{line},7" for line in lines], [*lines, "Note: 7"], [lines[0], *reversed(lines[1:-1]), "x,7"]):
        table.write_text("".join(f"{line}\n" for line in forged), encoding="utf-8")
        facts = json.loads(stamp.read_text(encoding="utf-8"))
        facts["files"][table.name] = sha256(table.read_bytes()).hexdigest()
        stamp.write_text(json.dumps(facts), encoding="utf-8")
        assert "output_1_0.csv" in verify(tmp_path / "release").faults[0]
