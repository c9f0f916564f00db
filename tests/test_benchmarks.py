"""The benchmark runs, compares like with like, and needs no peer to be tested. No time is asserted."""

import json

import after
import auditing
import blocking
import cases
import clock
import detecting
import growth
import hashing
import hiding
import memory
import mining
import numpy as np
import oracle
import pytest
import report
import sources
import speed
import startup
import tables
import threads
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import detected_databases, large_databases

from discreet import Transactions, detect, mine
from discreet.io import datasets

ROWS = [[1, 2, 3], [1, 2], [1, 3, 4], [1], [1, 2, 3, 4]]
PLAN = sources.Plan(
    ("60%", "40%"),
    frequent=("40%",),
    heavy=(("40%", "closed"),),
    papers=("60%", "40%"),
    hashed=("40%",),
    tradeoff=("60%", "40%"),
)


def by_definition(rows, kind, count):
    """Mine as a peer does: no empty itemset."""
    return [itemset for itemset in oracle.KINDS[kind](rows, count) if itemset]


def without_root(rows, kind, count):
    """Mine as some peers do: nor what all rows hold."""
    return [itemset for itemset in by_definition(rows, kind, count) if oracle.support(itemset, rows) < len(rows)]


def not_asked(_case, _itemsets):
    return None


@pytest.fixture
def source(tmp_path):
    return sources.source("tiny", Transactions(ROWS), PLAN, tmp_path)


@pytest.fixture
def no_data(monkeypatch, tmp_path):
    monkeypatch.delenv("DISCREET_DATA", raising=False)
    monkeypatch.setattr(datasets, "cache_folder", lambda: tmp_path)


def test_a_source_is_the_same_in_memory_in_its_file_and_as_lists(source):
    assert source.lists() == ROWS
    assert [set(row) for row in source.transactions] == [set(row) for row in ROWS]


def test_labels_of_text_become_numbers(tmp_path):
    assert sources.source("text", Transactions([["b", "a"], ["b"]]), PLAN, tmp_path).lists() == [[0, 1], [1]]


def test_every_case_finds_what_the_definition_lists(source):
    found = {(case.share, case.kind): cases.nonempty(case.mine()) for case in cases.compared(source)}
    assert found == {
        (share, kind): len(by_definition(ROWS, kind, count))
        for share, count, kind in (
            ("60%", 3, "closed"),
            ("60%", 3, "maximal"),
            ("40%", 2, "closed"),
            ("40%", 2, "maximal"),
            ("40%", 2, "frequent"),
        )
    }


@pytest.mark.parametrize("peer", [by_definition, without_root])
def test_a_peer_may_leave_out_what_all_rows_hold(source, peer):
    for case in cases.compared(source):
        figure = speed.compare(case, source.lists(), {"peer": peer}, not_asked, clock.QUICK)
        assert (figure.algorithm, figure.itemsets) == ("peer", len(by_definition(ROWS, case.kind, case.count)))


@pytest.mark.parametrize("kind", ["closed", "maximal", "frequent"])
def test_a_peer_that_finds_something_else_is_refused(source, kind):
    def wrong(rows, kind, count):
        return [*by_definition(rows, kind, count), frozenset()]

    with pytest.raises(cases.DisagreementError, match="by wrong"):
        speed.compare(cases.Case(source, "40%", kind), source.lists(), {"wrong": wrong}, not_asked, clock.QUICK)


def test_more_frequent_itemsets_than_allowed_are_not_counted(source):
    case = cases.Case(source, "40%", "closed")
    many = len(by_definition(ROWS, "frequent", 2))
    assert cases.frequent(case, many) == many
    assert cases.frequent(case, many - 1) is None


def test_mlxtend_is_asked_once_and_no_more_after_it_was_given_up(source, monkeypatch):
    asked = []

    def mlxtend(_path, count, function, _limit):
        asked.append((count, function))
        return None if function == "fpmax" else (len(by_definition(ROWS, "frequent", count)), 1.5)

    monkeypatch.setattr(speed.peers, "mlxtend", mlxtend)
    seconds = speed.mlxtend(limit=1)
    answers = [seconds(case, cases.nonempty(case.mine())) for case in cases.compared(source)]
    assert answers == [1.5, float("inf"), 1.5, float("inf"), 1.5]
    assert asked == [(3, "fpgrowth"), (3, "fpmax"), (2, "fpgrowth")]


def test_runs_take_turns_after_a_warm_up():
    order = []
    times = clock.race({name: lambda name=name: order.append(name) for name in "ab"}, clock.Effort(seconds=1))
    assert order == ["a", "b"] * (clock.MOST_ROUNDS + 1)
    assert times.keys() == {"a", "b"}


def test_ratios_are_judged_against_the_aims():
    def figure(kind, pyfim, mlxtend):
        return speed.Speed("d", "1%", kind, 1, 1.0, pyfim, "sam", 1.0, pyfim, mlxtend)

    good = [figure("closed", 8.0, 20.0), figure("maximal", 2.0, float("inf")), figure("frequent", 1.0, None)]
    assert [check.holds for check in speed.judge(good)] == [True] * 6
    bad = [figure("closed", 8.0, 19.0), figure("maximal", 1.9, None), figure("frequent", 0.9, None)]
    assert [check.holds for check in speed.judge(bad)] == [False] * 6


@pytest.mark.parametrize(("at_work", "holds"), [(10.0, True), (11.0, False)])
def test_memory_is_judged_above_numba_at_work(at_work, holds):
    figure = memory.Memory("d", "1%", 1.0, ours=50.0, at_work=at_work, pyfim=10.0, algorithm="sam")
    assert [check.holds for check in memory.judge([figure])] == [holds]


@pytest.mark.parametrize(("one", "two", "holds"), [(1.6, 1.0, [True]), (1.5, 1.0, [False]), (0.3, 0.3, [])])
def test_two_threads_are_judged_on_heavy_cases(monkeypatch, one, two, holds):
    monkeypatch.setattr(threads.resources, "cores", lambda: 2)
    assert [check.holds for check in threads.judge([threads.Threads("d", "1%", "closed", one, two)])] == holds


def test_a_program_tells_its_own_peak_and_seconds():
    small, large = memory.peak("print(0.5)"), memory.peak("bytes(range(256)) * 200_000")
    assert (small[1], large[1]) == (0.5, 0)
    assert 45 < large[0] - small[0] < 60


@pytest.mark.skipif(not memory.RESETTABLE.exists(), reason="the peak of a process cannot start anew here")
def test_a_sparse_frame_is_read_within_the_aim():
    assert memory.onehot(200, 40).holds


def test_two_threads_are_measured_against_one(source):
    figure = threads.compare(cases.Case(source, "40%", "closed"), clock.QUICK)
    assert figure.one > 0
    assert figure.two > 0


def test_rows_grow_to_eight_times_as_many(capsys):
    part = growth.measure([], clock.QUICK._replace(n=20))
    assert [figure["n"] for figure in part.figures] == [20, 40, 80, 160]
    assert "µs a row" in capsys.readouterr().out


@given(case=detected_databases())
def test_the_baseline_counts_the_rare_cells_of_the_maximal_itemsets(case):
    rows, sigma, k = case
    expected = len(oracle.rare_cells(oracle.maximal(rows, sigma), rows, k))
    data = Transactions(rows)
    assert hashing.channels(mine(data, min_support=sigma, kind="maximal"), data, k=k) == expected


@settings(max_examples=10)
@given(case=large_databases(), k=st.sampled_from([2, 5, 20]))
def test_the_baseline_counts_the_rare_cells_over_items_of_several_words(case, k):
    rows, sigma = case
    expected = len(oracle.rare_cells(oracle.maximal_by_levels(rows, sigma), rows, k))
    data = Transactions(rows)
    assert hashing.channels(mine(data, min_support=sigma, kind="maximal"), data, k=k) == expected


def test_bitmaps_are_merged_only_if_all_their_words_are_equal():
    different = [[7, word**5] for word in range(500)]
    merged, weights = hashing.merged(np.array(different * 2, dtype=np.uint64), np.ones(1000, dtype=np.int64))
    assert sorted(merged.tolist()) == different
    assert set(weights.tolist()) == {2}


def test_all_detectors_are_timed_on_the_same_channels(source):
    case = cases.Case(source, "40%", "closed")
    figure = detecting.compare(case, clock.QUICK)
    assert figure.channels == len(oracle.maximal_channels(ROWS, 2, detecting.K))
    assert (figure.itemsets, figure.tops) == (len(oracle.closed(ROWS, 2)), len(oracle.maximal(ROWS, 2)))
    assert min(figure.auto, figure.without_rows, figure.projection, figure.closed, figure.naive) > 0


def test_the_naive_detector_is_asked_only_where_its_sums_are_short(source, monkeypatch):
    case = cases.Case(source, "40%", "closed")
    terms = sum(3 ** len(itemset) for itemset in oracle.frequent(ROWS, 2))
    assert detecting.terms(case) == terms
    monkeypatch.setattr(detecting, "MOST_TERMS", terms - 1)
    assert detecting.compare(case, clock.QUICK).naive is None
    monkeypatch.setattr(detecting, "MOST_FREQUENT", 1)
    assert detecting.terms(case) == float("inf")


def test_a_detector_that_finds_other_channels_is_refused(source):
    case = cases.Case(source, "40%", "closed")
    runs = {"auto": lambda: detect(case.mine(), k=3), "wrong": lambda: detect(case.mine(), k=2)}
    with pytest.raises(cases.DisagreementError, match="by 'wrong'"):
        detecting.agreed(case, runs)


def test_a_baseline_that_finds_another_number_of_channels_is_refused(source, monkeypatch):
    monkeypatch.setattr(hashing, "channels", lambda *_arguments, **_options: -1)
    with pytest.raises(cases.DisagreementError, match="by hashing"):
        detecting.against_hashing(cases.Case(source, "40%", "closed"), clock.QUICK)


def test_detectors_are_judged_at_the_lowest_share_of_each_data_set(source, capsys):
    part = detecting.measure([source], clock.QUICK)
    assert [figure["share"] for figure in part.figures] == ["60%", "40%", "40%"]
    assert [check.what.partition(",")[0] for check in part.checks] == ["tiny 40%"] * 3
    assert "hash ms" in capsys.readouterr().out


def test_detectors_are_judged_against_the_aims():
    def checks(projection, closed, hashed):
        papers = detecting.Detectors("d", "1%", 1, 1, 1, 1.0, 1.0, projection, closed, None)
        return [*detecting.judge([papers]), *detecting.judge_hashed([detecting.Hashed("d", "1%", 1, 1, 1.0, hashed)])]

    assert [check.holds for check in checks(20.0, 10.0, 3.0)] == [True] * 3
    assert [check.holds for check in checks(19.9, 9.9, 2.9)] == [False] * 3


@pytest.mark.parametrize("peer", [by_definition, without_root])
def test_an_audit_from_file_is_timed_against_the_best_peer(source, peer):
    figure = auditing.compare(cases.Case(source, "40%", "closed"), {"peer": peer}, clock.QUICK)
    assert (figure.algorithm, figure.itemsets) == ("peer", len(by_definition(ROWS, "closed", 2)))
    assert figure.verdict == "WITHHOLD"


def test_an_audit_is_compared_only_with_peers_that_find_the_same(source):
    def wrong(_rows, _kind, _count):
        return []

    with pytest.raises(cases.DisagreementError, match="by wrong"):
        auditing.compare(cases.Case(source, "40%", "closed"), {"wrong": wrong}, clock.QUICK)


def test_audits_are_measured_from_file_as_rows_grow_and_as_a_grid(source, monkeypatch, capsys):
    monkeypatch.setattr(auditing.peers, "pyfim", lambda: {"peer": by_definition})
    part = auditing.measure([source], clock.QUICK._replace(n=20))
    assert [figure["share"] for figure in part.figures if "share" in figure] == ["60%", "40%", "40%"]
    assert [figure["n"] for figure in part.figures if "n" in figure] == [20, 40, 80, 160]
    assert len(part.checks) == 3
    assert "tiny, 2 × 6" in capsys.readouterr().out


def test_audits_are_judged_against_the_aims():
    def checks(audits, tradeoff):
        figures = [auditing.Audited("d", "1%", 1, "REVIEW", seconds, 1.0, "sam") for seconds in audits]
        return [*auditing.judge(figures), *auditing.judge_grids([auditing.Grid("d", "1%", tradeoff, 1.0)])]

    assert [check.holds for check in checks([0.5, 4.4], 3.0)] == [True] * 2
    assert [check.holds for check in checks([0.5, 4.6], 3.1)] == [False] * 2


def test_every_part_has_a_case_on_generated_rows():
    plans = [plan for _, plan in sources.GENERATED.values()]
    assert all(any(getattr(plan, field) for plan in plans) for field in sources.Plan._fields)


def test_the_least_of_several_starts_counts_but_not_the_first():
    seconds = iter([1.0, 5.0, 3.0, 4.0])
    assert startup.least({"program": lambda: next(seconds)}, 3) == {"program": 3.0}


def test_columns_are_aligned():
    assert report.line((-6, 8), ("chess", "1,234")) == "chess    1,234"


@pytest.mark.usefixtures("no_data")
def test_generated_rows_stand_in_where_there_are_no_data(tmp_path, capsys):
    assert [source.name for source in sources.gather(tmp_path, quick=True)] == list(sources.GENERATED)
    assert "generated" in capsys.readouterr().out


def test_figures_and_checks_are_saved_as_json(tmp_path, capsys):
    file = tmp_path / "figures.json"
    mining.main(["--quick", "--only", "growth", "clinic", "--json", str(file)])
    saved = json.loads(file.read_text())
    assert list(saved) == ["growth"]
    assert len(saved["growth"]["figures"]) == 4
    assert "checks hold" in capsys.readouterr().out


def test_hiding_is_timed_against_sets_and_reading(capsys):
    part = hiding.measure([], clock.QUICK._replace(n=100))
    assert len(part.checks) == 2 + 2 * len(hiding.METHODS) + len(hiding.METHODS) + 1
    assert all(figure["ours"] > 0 for figure in part.figures if "ours" in figure)
    assert "retrieve the rows of ten itemsets" in capsys.readouterr().out


def test_sets_of_python_are_the_inverted_lists():
    rows = [[1, 2, 3], [2, 3], [1, 3]]
    assert hiding.as_sets(rows) == {1: {0, 2}, 2: {0, 1}, 3: {0, 1, 2}}
    assert hiding.held_by(hiding.as_sets(rows), [[1, 3], [2, 1]]) == [{0, 2}, {0}]


def test_rows_are_repeated():
    assert list(hiding.repeated(Transactions([[1, 2], [], [3]]), 2)) == [{1, 2}, set(), {3}] * 2


def test_blocking_is_timed_against_one_mining_and_one_detection(source, capsys):
    planned = source._replace(plan=source.plan._replace(blocked=(("40%", 2),)))
    part = blocking.measure([planned], clock.QUICK)
    assert [figure["data"] for figure in part.figures] == [source.name]
    assert len(part.checks) == 2
    assert "anew" in capsys.readouterr().out


def test_commands_after_an_audit_are_timed_against_it(source, tmp_path, capsys):
    rows = Transactions([[1, 2, 3]] * 60 + [[1, 2]] * 40 + [[1, 3]] * 3 + [[2]] * 30)
    planned = sources.source("safe", rows, PLAN._replace(followed=("20%",)), tmp_path)
    part = after.measure([source, planned], clock.QUICK)
    assert [figure["data"] for figure in part.figures] == ["safe"]
    assert [check.what.partition(":")[0] for check in part.checks] == [*after.AIMS]
    assert "After an audit" in capsys.readouterr().out


def test_what_follows_an_audit_of_a_table_is_timed_against_it(capsys):
    part = tables.measure([], clock.QUICK)
    assert [check.what.partition(":")[0] for check in part.checks] == [*tables.AIMS]
    assert "attributes" in capsys.readouterr().out


def test_mining_anew_leaves_the_rows_that_the_oracle_leaves():
    rows = [{"a", "b"}] * 5 + [{"a"}, {"b"}, set()]
    left, _ = oracle.suppress(rows, 3, 2)
    assert list(blocking.anew(Transactions(rows), "3", 2)) == [rows[number] for number in left]
