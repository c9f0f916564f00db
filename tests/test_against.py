"""Older releases: what a new one tells together with them."""

import json
from collections import Counter

import oracle
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from strategies import databases, detected_databases, small_databases

from discreet import OptionError, Patterns, Policy, Verdict, audit, block, mine, write_patterns, write_release
from discreet.cli import main
from discreet.publications import series
from discreet.publications.series import MOST, MOST_PARTS, align_releases

OLD = [["a", "b"]] * 20 + [["a"]] * 12 + [[]] * 10
NEW = [*OLD, ["a"]]
"""One person came, who has a but not b."""


def told(found):
    """The small changes as the oracle has them."""
    return {(change.base, change.top): (change.before, change.after) for change in found}


def find_changes(new, *olds, k):
    labels, (newest, *older) = align_releases(new, olds)
    return series.find_changes(labels, newest, older, k)


def mined(rows, sigma, kind="closed"):
    return mine(rows, min_support=sigma, kind=kind)


def verdicts(found):
    return {check.name: check.verdict for check in found.checks}


@given(detected_databases(), small_databases(), st.integers(1, 8), st.sampled_from(["closed", "frequent"]))
def test_changes_are_the_cells_of_common_itemsets_that_differ(found, other, sigma, kind):
    rows, least, k = found
    cells = oracle.changed_cells(other, rows, oracle.common_tops((other, sigma), (rows, least)))
    small = {pair: counts for pair, counts in cells.items() if abs(counts[0] - counts[1]) < k}
    ours = find_changes(mined(rows, least, kind), mined(other, sigma, kind), k=k)
    assert told(ours) == small
    assert ours.small == len(small)
    assert (ours.rose, ours.fell) == (
        sum(before < after for before, after in cells.values()),
        sum(before > after for before, after in cells.values()),
    )


@given(detected_databases(), small_databases(), st.integers(1, 4), st.integers(0, 3), st.none() | st.integers(0, 3))
def test_changes_of_lists_that_were_cut_are_those_of_what_both_tell(found, other, sigma, length, longer):
    rows, least, k = found
    known = [
        oracle.told(oracle.frequent(data, count, cut), count, cut)
        for data, count, cut in ((rows, least, length), (other, sigma, longer))
    ]
    common = {frozenset(), *known[0]} & {frozenset(), *known[1]}
    tops = [one for one in common if not any(one < other for other in common)]
    cells = oracle.changed_cells(other, rows, tops)
    small = {pair: counts for pair, counts in cells.items() if abs(counts[0] - counts[1]) < k}
    new, old = mine(rows, min_support=least, max_length=length), mine(other, min_support=sigma, max_length=longer)
    assert told(find_changes(new, old, k=k)) == small


@given(small_databases(), databases(max_rows=5, max_items=6), st.integers(1, 6), st.integers(2, 6))
def test_a_release_is_withheld_if_and_only_if_few_added_rows_are_alike_in_what_both_releases_tell(old, added, sigma, k):
    new = [*old, *added]
    both = oracle.frequent(old, sigma).keys() & oracle.frequent(new, sigma).keys() | {frozenset()}
    few = {
        (base, top)
        for top in both
        for base, count in Counter(frozenset(row) & top for row in added).items()
        if 0 < count < k
    }
    found = audit(mined(new, sigma), k=k, against=mined(old, sigma), grown=True)
    # Where no item is in both, nothing can be compared.
    released = Verdict.RELEASE if found.changes[0].items else Verdict.REVIEW
    assert verdicts(found)["differencing"] is (Verdict.WITHHOLD if few else released)


def test_two_releases_that_isolate_one_person_are_withheld_together_though_each_alone_is_safe():
    old, new = mined(OLD, 10), mined(NEW, 10)
    assert [audit(one, k=5).verdict for one in (old, new)] == [Verdict.RELEASE] * 2
    found = audit(new, k=5, against=[old])
    assert found.verdict is Verdict.WITHHOLD
    assert [str(change) for change in found.changes[0]] == ["a ∧ ¬b: 1 row more (12 before, 13 now)"]


def test_rows_that_are_mined_are_compared_as_well():
    assert audit(NEW, min_support=10, k=5, against=mined(OLD, 10)).verdict is Verdict.WITHHOLD


def test_a_release_may_follow_itself():
    assert audit(mined(OLD, 10), k=5, against=mined(OLD, 10), grown=True).verdict is Verdict.RELEASE


def test_many_rows_that_came_together_may_be_told():
    new = [*OLD, *[["a"]] * 5]
    assert audit(mined(new, 10), k=5, against=mined(OLD, 10), grown=True).verdict is Verdict.RELEASE


def test_who_left_is_told_as_well_as_who_came():
    found = audit(mined(OLD, 10), k=5, against=mined(NEW, 10))
    assert found.verdict is Verdict.WITHHOLD
    assert "left out" in found.checks[-1].sentence


def test_counts_that_fell_contradict_that_rows_were_only_added():
    found = audit(mined(OLD, 10), k=1, against=mined(NEW, 10), grown=True)
    assert verdicts(found)["differencing"] is Verdict.WITHHOLD
    assert "not only added" in found.checks[-1].sentence


def test_where_some_counts_rose_and_others_fell_a_person_must_look():
    new = [["a", "b"]] * 15 + [["a"]] * 17 + [[]] * 10
    found = audit(mined(new, 10), k=5, against=mined(OLD, 10))
    assert verdicts(found)["differencing"] is Verdict.REVIEW


def test_the_worst_of_several_older_releases_counts():
    found = audit(mined(NEW, 10), k=5, against=[mined(NEW, 10), mined(OLD, 10)])
    assert found.verdict is Verdict.WITHHOLD
    assert found.checks[-1].sentence.startswith("Older release 2: ")


def test_rows_that_are_in_none_of_several_parts_are_told():
    wards = [[["a", "b"]] * 20 + [["a"]] * 12 + [[]] * 10, [["a", "b"]] * 30 + [["a"]] * 15 + [[]] * 10]
    everyone = [*wards[0], *wards[1], ["a"]]
    new, olds = mined(everyone, 10), [mined(ward, 10) for ward in wards]
    assert [audit(new, k=5, against=old).verdict for old in olds] == [Verdict.RELEASE] * 2
    found = audit(new, k=5, against=olds)
    assert found.verdict is Verdict.WITHHOLD
    assert "Older release 1, 2: " in found.checks[-1].sentence
    assert [str(change) for change in found.changes[-1]] == ["a ∧ ¬b: 1 row more (27 before, 28 now)"]


@given(st.lists(small_databases(), min_size=2, max_size=3), small_databases(), st.integers(1, 6), st.integers(1, 6))
def test_the_counts_of_several_releases_are_summed_up(parts, rows, sigma, k):
    tops = oracle.common_tops(*((part, sigma) for part in (*parts, rows)))
    cells = oracle.changed_cells([row for part in parts for row in part], rows, tops)
    small = {pair: counts for pair, counts in cells.items() if abs(counts[0] - counts[1]) < k}
    assert told(find_changes(mined(rows, sigma), *(mined(part, sigma) for part in parts), k=k)) == small


def test_releases_that_have_grown_into_each_other_are_no_parts():
    wards = [[["a"]] * 20 + [["b"]] * 10, [["a"]] * 30 + [["b"]] * 10]
    olds = [mined(ward, 10) for ward in wards]
    new = mined([*wards[0], *wards[1], ["a"]], 10)
    assert audit(new, k=5, against=olds).verdict is Verdict.WITHHOLD
    assert audit(new, k=5, against=olds, grown=True).verdict is Verdict.RELEASE


def test_so_many_releases_that_not_all_sums_are_followed_are_reviewed():
    olds = [mined(OLD, 10)] * (MOST_PARTS + 1)
    assert audit(mined(OLD, 10), k=5, against=olds[1:]).verdict is Verdict.RELEASE
    assert audit(mined(OLD, 10), k=5, against=olds).verdict is Verdict.REVIEW


def test_n_alone_tells_who_came():
    old = Patterns.from_itemsets([([], 100)], n=100)
    found = audit(Patterns.from_itemsets([([], 101), (["a"], 60)], n=101), k=5, against=old)
    assert [str(change) for change in found.changes[0]] == ["any row: 1 row more (100 before, 101 now)"]
    assert verdicts(found)["differencing"] is Verdict.WITHHOLD


def test_labels_that_a_format_turned_into_text_are_the_same_items():
    old = Patterns.from_itemsets([([], 100), (["7"], 50)], n=100)
    found = audit(Patterns.from_itemsets([([], 101), ([7], 51)], n=101), k=5, against=old)
    assert [str(change) for change in found.changes[0]] == ["7: 1 row more (50 before, 51 now)"]


def test_releases_without_a_common_item_are_reviewed():
    old = Patterns.from_itemsets([([], 100), (["alpha"], 50)], n=100)
    new = Patterns.from_itemsets([([], 100), (["beta"], 50)], n=100)
    assert verdicts(audit(new, k=5, against=old))["differencing"] is Verdict.REVIEW


@pytest.mark.parametrize(("after", "expected"), [(50, Verdict.REVIEW), (52, Verdict.WITHHOLD)])
def test_of_lists_that_are_not_whole_the_supports_that_both_list_are_compared(after, expected):
    old = Patterns.from_itemsets([(["a", "b"], 50)], n=100, kind="maximal")
    new = Patterns.from_itemsets([(["a", "b"], after)], n=100, kind="maximal")
    assert verdicts(audit(new, k=5, against=old))["differencing"] is expected


def test_rounded_supports_are_not_subtracted():
    old, new = (Patterns.from_itemsets([([], 100), (["a"], held)], n=100) for held in (50, 55))
    policy = Policy("rounded", k=8, round_to=5)
    assert verdicts(audit(new, policy=policy, against=old))["differencing"] is Verdict.REVIEW
    assert verdicts(audit(new, policy=policy, against=[old, old]))["differencing"] is Verdict.REVIEW


def test_releases_of_no_rows_have_no_differences():
    assert len(find_changes(mined([], 1), mined([], 1), k=5)) == 0


def test_small_changes_that_are_too_many_to_list_are_counted():
    assert MOST >= 1000
    found = find_changes(mined(NEW, 10), mined(OLD, 10), k=5)
    assert repr(found) == "<Changes: 1 counts rose, 0 fell, 1 by fewer than 5 rows>"
    assert "13" in found._repr_html_()


@pytest.mark.parametrize("against", [["april.json"], [None]])
def test_what_is_no_release_is_refused(against):
    with pytest.raises(OptionError, match="read_patterns"):
        audit(mined(NEW, 10), k=5, against=against)


def test_to_say_that_rows_were_added_needs_an_older_release():
    with pytest.raises(OptionError, match="against="):
        audit(mined(NEW, 10), k=5, grown=True)


# The command line.


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def files(tmp_path):
    """The old and the new patterns as files, and the old ones as a release folder."""
    old, new, folder = tmp_path / "old.json", tmp_path / "new.json", tmp_path / "release"
    write_patterns(mined(OLD, 10), old)
    write_patterns(mined(NEW, 10), new)
    write_release(block(OLD, min_support=10, k=5), folder, format="borgelt")
    return old, new, folder


@pytest.mark.parametrize("place", [0, 2], ids=["file", "folder"])
def test_the_command_line_withholds_what_two_releases_tell_together(files, place):
    assert [run("audit", file, "-k", 5).exit_code for file in files[:2]] == [0, 0]
    result = run("audit", files[1], "-k", 5, "--against", files[place], "--grown")
    assert result.exit_code == 1
    sentence = "1 difference from the older release reveals fewer than 5 rows that were added since."
    assert " ".join(result.stdout.split()).count(sentence) == 1
    assert "a ∧ ¬b: 1 row more (12 before, 13 now)" in result.stdout


def test_json_tells_the_older_releases_and_the_changes(files):
    told = json.loads(run("audit", files[1], "-k", 5, "--against", files[0], "--json").stdout)
    assert [one["file"] for one in told["against"]] == ["old.json"]
    assert told["changes"] == [
        {"releases": [1], "base": ["a"], "top": ["a", "b"], "count": 1, "before": 12, "after": 13}
    ]


def test_json_of_an_audit_alone_speaks_of_no_other_release(files):
    assert {"against", "changes"}.isdisjoint(json.loads(run("audit", files[1], "-k", 5, "--json").stdout))


def test_an_older_release_must_tell_its_own_number_of_rows(files, tmp_path):
    (tmp_path / "old.csv").write_text("itemset,support\na,50\n", encoding="utf-8")
    result = run("audit", files[1], "-k", 5, "--against", tmp_path / "old.csv")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "are for FILE" in result.stderr


def test_a_folder_that_is_no_release_is_refused(files, tmp_path):
    result = run("audit", files[1], "-k", 5, "--against", tmp_path)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "no release folder" in result.stderr


def test_to_say_grown_on_the_command_line_needs_an_older_release(files):
    result = run("audit", files[1], "-k", 5, "--grown")
    assert result.exit_code == 2
    assert "--against" in result.stderr
