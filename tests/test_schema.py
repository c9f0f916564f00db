"""Schemas: readers who know that values of an attribute exclude each other, and that every row holds one."""

import json
from dataclasses import replace
from itertools import product

import oracle
import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st

from discreet import (
    Attribute,
    GuaranteeError,
    InputError,
    Patterns,
    Schema,
    Transactions,
    attack,
    audit,
    block,
    bounds,
    compare,
    mine,
    read_patterns,
    tradeoff,
    verify,
    write_patterns,
    write_release,
)
from discreet.cli import main
from discreet.disclosure.detect import Question
from discreet.judging.checks import CheckName
from discreet.report import tradeoff_text

A, B = ("a=1", "a=2", "a=3"), ("b=1", "b=2")
GROUPS = [frozenset(A), frozenset(B)]
KINDS = [frozenset(filter(None, kind)) for kind in product((*A, ""), B)]
# A table of 3 by 2 values in which a=3 and b=1 go together in 2 rows; both attributes are total.
CELLS = {"a=1 b=1": 50, "a=1 b=2": 20, "a=2 b=1": 20, "a=2 b=2": 50, "a=3 b=1": 2, "a=3 b=2": 15}
ROWS = [frozenset(cell.split()) for cell, many in CELLS.items() for _ in range(many)]


def with_schema(rows, *, total=(False, False)):
    """Return rows that know their schema, as a table does."""
    attributes = (Attribute("a", frozenset(A), total=total[0]), Attribute("b", frozenset(B), total=total[1]))
    return Transactions(rows).describe(schema=Schema(attributes))


@st.composite
def tables(draw):
    """Draw rows of a small table, of which some lack a value of the first attribute."""
    counts = draw(st.lists(st.integers(0, 9), min_size=len(KINDS), max_size=len(KINDS)))
    rows = [kind for kind, many in zip(KINDS, counts, strict=True) for _ in range(many)]
    return [*rows, frozenset(["a=1", "b=1"])]


def is_withheld(found):
    names = {CheckName.SCHEMA, CheckName.CHANNELS}
    return any(check.name in names and check.verdict == "WITHHOLD" for check in found.checks)


@given(rows=tables(), sigma=st.integers(2, 12), k=st.integers(2, 5))
@example(rows=ROWS, sigma=30, k=10)
def test_an_audit_withholds_whatever_sums_of_supports_reveal_by_the_schema(rows, sigma, k):
    listed = list(oracle.frequent(rows, sigma))
    expected = bool(listed) and bool(oracle.revealed_by_schema(listed, rows, GROUPS, k))
    assert is_withheld(audit(with_schema(rows), min_support=sigma, k=k)) == expected


@pytest.mark.parametrize("method", ["suppress", "add", "withhold"])
@given(rows=tables(), sigma=st.integers(2, 12), k=st.integers(2, 5))
@example(rows=ROWS, sigma=30, k=10)
def test_a_release_reveals_nothing_to_readers_who_know_the_schema(method, rows, sigma, k):
    release = block(with_schema(rows), min_support=sigma, k=k, method=method)
    behind = list(rows if release.witness is None else release.witness)
    listed = {itemset for itemset in oracle.subsets([*A, *B]) if is_known(release.patterns, itemset)}
    assert oracle.revealed_by_schema(listed or [frozenset()], behind, GROUPS, k if listed else 0) == set()


def is_known(patterns, itemset):
    """Whether an itemset is listed, or contained in a listed one."""
    return any(itemset <= one for one, _ in patterns)


@given(listed=st.sets(st.sampled_from([*A, *B])))
def test_a_total_attribute_says_no_more_of_listed_values_unless_all_are_listed(listed):
    whole = oracle.possible_rows([*A, *B], GROUPS, total=GROUPS)
    full = [group for group in GROUPS if group <= listed]
    assert {row & listed for row in whole} == {*oracle.possible_rows(listed, GROUPS, total=full)}


@given(rows=tables(), sigma=st.integers(2, 12))
def test_the_mark_of_a_total_attribute_changes_no_finding(rows, sigma):
    plain, marked = (
        audit(with_schema(rows, total=total), min_support=sigma, k=4) for total in ((False, False), (True, True))
    )
    assert [*map(str, marked.findings)] == [*map(str, plain.findings)]


def test_the_last_value_of_a_total_attribute_can_be_all_that_gives_a_group_away():
    found = audit(with_schema(ROWS), min_support=30, k=10)
    assert found.verdict == "WITHHOLD"
    assert [check.name for check in found.checks if check.verdict == "WITHHOLD"] == [CheckName.SCHEMA]
    [finding] = found.findings
    assert str(finding) == "b=1 ∧ ¬a=1 ∧ ¬a=2: 2 rows"
    terms = "sup(b=1) 72 − sup(a=2) 70 + sup(a=2, b=2) 50 − sup(a=1, b=1) 50 = 2"
    assert finding.explain() == terms
    assert audit(with_schema(ROWS), min_support=30, k=2).verdict == "RELEASE"


def test_rows_patterns_and_arguments_bring_a_schema_and_an_argument_wins():
    rows = with_schema(ROWS)
    patterns = mine(rows, min_support=30)
    bare = replace(patterns, schema=None)
    assert patterns.schema is rows.schema
    assert [audit(one, k=10).verdict.name for one in (patterns, bare)] == ["WITHHOLD", "REVIEW"]
    assert audit(patterns, k=10, schema=()).verdict == "RELEASE"
    given = ["=", [A, B], rows.schema]
    assert [audit(bare, k=10, schema=schema).verdict.name for schema in given] == ["WITHHOLD"] * 3


def test_an_attacker_knows_the_schema_of_the_patterns():
    patterns = mine(with_schema(ROWS), min_support=30)
    assert not attack(patterns, k=10).is_safe
    assert not attack(patterns, k=10, schema=(), level="plain").findings
    assert bounds(patterns, '"a=1" & "a=2"').high == 0
    assert bounds(replace(patterns, schema=None), '"a=1" & "a=2"', schema="=").high == 0


def test_a_comparison_has_one_line_for_rows_that_are_repeated():
    result = compare(with_schema(ROWS), min_support=30, k=10, seconds=5)
    assert [line.name for line in result.lines] == ["suppress", "add", "withhold", "optimal"]
    assert {line.release.verdict.name for line in result.lines} == {"RELEASE"}


def test_a_schema_that_rows_contradict_is_refused():
    rows = [["a=1", "a=2"], *map(list, ROWS)]
    with pytest.raises(InputError, match="1 rows hold two items of a group of the schema"):
        block(rows, min_support=30, k=10, schema="=")


def test_labels_that_look_like_attributes_are_for_a_person_to_look_at_where_a_schema_matters():
    plain = [*map(list, ROWS)]
    found = audit(plain, min_support=30, k=10)
    assert found.verdict == "REVIEW"
    assert found.checks[-1].sentence.endswith("If no row has two values of one, say so with schema='='.")
    assert audit(plain, min_support=30, k=2).verdict == "RELEASE"
    other = [[item.replace("=", "-") for item in row] for row in plain]
    assert audit(other, min_support=30, k=10).verdict == "RELEASE"
    both = [*plain, *[["a=1", "a=2"]] * 40]
    assert CheckName.SCHEMA not in [check.name for check in audit(both, min_support=30, k=10).checks]


def test_a_file_of_patterns_names_the_schema_of_published_items_alone(tmp_path):
    patterns = mine(with_schema(ROWS), min_support=30)
    write_patterns(patterns, tmp_path / "patterns.json")
    text = (tmp_path / "patterns.json").read_text()
    assert json.loads(text)["schema"] == [["a=1", "a=2"], ["b=1", "b=2"]]
    assert "a=3" not in text
    assert audit(read_patterns(tmp_path / "patterns.json"), k=10).verdict == "WITHHOLD"


@pytest.mark.parametrize("schema", ["=", [1], [["a", None]]])
def test_a_file_with_a_malformed_schema_is_refused(tmp_path, schema):
    listed = {"n": 3, "min_support": 1, "kind": "frequent", "schema": schema, "patterns": [{"items": [], "support": 3}]}
    (tmp_path / "patterns.json").write_text(json.dumps(listed))
    with pytest.raises(InputError, match="the schema in the JSON"):
        read_patterns(tmp_path / "patterns.json")


@pytest.mark.parametrize("format", ["json", "csv", "spmf", "parquet"])
def test_a_release_is_verified_with_its_schema(tmp_path, format):  # noqa: A002 - as in write_release
    release = block(with_schema(ROWS), min_support=30, k=10, method="withhold")
    assert write_release(release, tmp_path / "release", format=format).is_good
    assert json.loads((tmp_path / "release" / "release.json").read_bytes())["schema"] == [[*A[:2]], [*B]]
    assert verify(tmp_path / "release").is_good


def test_a_release_that_its_schema_makes_unsafe_is_not_written(tmp_path):
    release = block([*map(list, ROWS)], min_support=30, k=10, method="withhold")
    known = replace(release.patterns, schema=Schema.of("=", release.patterns.labels))
    unsafe = replace(release, question=Question(known, None, 10, complete=False))
    with pytest.raises(GuaranteeError, match=r"with the schema in release\.json: 1 sum of supports"):
        write_release(unsafe, tmp_path / "release")


def test_a_schema_that_names_what_is_not_published_is_a_fault(tmp_path):
    release = block(with_schema(ROWS), min_support=30, k=10, method="withhold")
    write_release(release, tmp_path / "release", format="csv")
    for name in ("release.json", "certificate.json"):
        facts = json.loads((tmp_path / "release" / name).read_bytes())
        (tmp_path / "release" / name).write_text(json.dumps({**facts, "schema": [["a=1", "a=3"]]}))
    faults = verify(tmp_path / "release").faults
    assert "the schema in release.json is malformed, or names items that are not listed" in faults


def test_a_tradeoff_says_that_it_counts_channels_alone():
    grid = tradeoff(with_schema(ROWS), min_supports=[30], ks=[10])
    assert [*tradeoff_text(grid)][-1] == "Channels alone are counted: what the schema of 2 attributes reveals is not."
    assert tradeoff([*map(list, ROWS)], min_supports=[30], ks=[10]).caveat == ""


def run(*arguments):
    """Run a command, and return its exit code and output."""
    result = CliRunner().invoke(main, [*map(str, arguments)])
    return result.exit_code, result.output


def test_the_command_line_takes_a_schema_wherever_it_matters(tmp_path):
    file, release = tmp_path / "rows.txt", tmp_path / "release"
    file.write_text("".join(f"{','.join(sorted(row))}\n" for row in ROWS))
    asked = (file, "--format", "baskets", "--min-support", "30", "-k", "10", "--quiet")
    assert run("audit", *asked)[0] == 1
    assert "1 sum of supports" in run("audit", *asked, "--schema", "=")[1]
    assert run("attack", *asked, "--schema", "=")[0] == 1
    assert run("block", *asked, "--schema", "=", "--method", "add")[0] == 0
    assert run("block", *asked, "--schema", "=", "--out", release)[0] == 0
    assert run("verify", release)[0] == 0


def test_a_table_is_audited_blocked_and_verified_in_three_commands(tmp_path):
    file, release = tmp_path / "table.csv", tmp_path / "release"
    lines = [dict(item.split("=") for item in row) for row in ROWS]
    file.write_text("a,b\n" + "".join(f"{line['a']},{line['b']}\n" for line in lines))
    asked = (file, "--format", "table", "--min-support", "30", "-k", "10", "--quiet")
    code, output = run("audit", *asked)
    assert (code, "1 sum of supports: given 2 attributes" in output) == (1, True)
    assert run("block", *asked, "--out", release)[0] == 0
    assert run("verify", release)[0] == 0


def test_patterns_from_memory_have_no_schema_of_their_own():
    assert Patterns.from_itemsets([([], 3)], n=3).schema is None
