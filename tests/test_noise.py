"""Noisy supports beside releases: the noise and its loss are OpenDP's, the measures follow from the definition.

OpenDP's noise has no seed, so no test hangs on a value of it.
"""

import json
import math
import sys
from importlib.util import find_spec

import oracle
import pytest
from click.testing import CliRunner
from hypothesis import assume, given
from strategies import databases

from discreet import OptionError, compare, mine
from discreet.blocking.block import compare_methods
from discreet.blocking.noise import DELTA, MECHANISMS, PARTS, PrivacyLoss, load_opendp, plan_noise
from discreet.blocking.noise_comparison import RUNS, UNCHANGED, compare_with_noise
from discreet.blocking.problem import BlockProblem
from discreet.cli import main
from discreet.data.transactions import Transactions
from discreet.judging.policy import as_policy
from discreet.report import comparison_json, comparison_text

ROWS = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [["d"]] * 50
NEEDS_OPENDP = pytest.mark.skipif(not find_spec("opendp"), reason="opendp is in the extra dp: pip install '.[dp]'")


class NoNoise:
    """A mechanism that publishes the largest supports as they are."""

    name, epsilon, loss, spread = "none", 1.0, PrivacyLoss(math.inf, 0.0), 0.0

    def __init__(self, top):
        self.top = top

    def release(self, supports):
        chosen = sorted(range(len(supports)), key=lambda at: -supports[at])[: self.top]
        return chosen, [supports[at] for at in chosen]


def measured(rows, *, min_support, k, top=10**6, runs=2):
    """Our releases beside supports without noise, each line by its name."""
    problem = BlockProblem.of(Transactions(rows), k, min_support, {"max_length": 2})
    made = compare_methods(problem, as_policy(None, k), {"suppress", "add", "withhold"}).lines
    releases = [(line.name, line.release.patterns) for line in made if line.release is not None]
    plan = [lambda candidates: NoNoise(min(top, candidates))]
    found = compare_with_noise(problem, releases, plan, runs=runs)
    return found, {line.name: line.measures for line in found.lines}


@given(databases(max_rows=20, max_items=5))
def test_lines_are_measured_by_their_definition(rows):
    assume(set().union(*rows) and len(rows) > 3)
    found, lines = measured(rows, min_support=3, k=3)
    frequent = oracle.frequent(rows, 3, max_length=2)
    groups = [oracle.cell(base, top, rows) for top in frequent for base in oracle.subsets(top) if base != top]
    small = sum(0 < group < 3 for group in groups)
    assert (found.itemsets, found.groups, found.small) == (len(frequent), len(groups), small)
    for name in (UNCHANGED, "none, ε = 1"):
        assert lines[name]["kept"].mean == len(frequent)
        assert lines[name]["average"].mean == lines[name]["largest"].mean == 0
    assert lines[UNCHANGED]["claims"].mean == lines[UNCHANGED]["true"].mean == small


@given(databases(max_rows=30, max_items=5))
def test_who_takes_supports_as_exact_finds_nothing_in_our_releases(rows):
    assume(set().union(*rows) and len(rows) > 3)
    _, lines = measured(rows, min_support=4, k=3)
    ours = lines.keys() - {UNCHANGED, "none, ε = 1"}
    assert {name: lines[name]["claims"].mean for name in ours} == dict.fromkeys(ours, 0)


def test_what_is_not_chosen_is_lost():
    _, lines = measured(ROWS, min_support=10, k=10, top=3)
    assert lines["none, ε = 1"]["kept"] == (3, 3, 3)


def test_a_range_is_that_of_all_runs(monkeypatch):
    changes = iter([0, 2])
    monkeypatch.setattr(NoNoise, "release", lambda _, supports: ([0], [supports[0] + next(changes)]))
    _, lines = measured(ROWS, min_support=10, k=10, top=1)
    assert lines["none, ε = 1"]["largest"] == (1, 0, 2)


@pytest.mark.parametrize("wrong", [0, -1, math.nan, math.inf, "1", "much", True, None, [1, 0], [[1]], 1e-9, 1000])
def test_a_privacy_loss_is_a_number_above_0(wrong):
    with pytest.raises(OptionError, match=r"^epsilon= is .+; give numbers from 0\.0001 to 100, such as 0\.1, 1 and 4$"):
        compare(ROWS, min_support=10, k=10, epsilon=wrong)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "5", True, None])
def test_the_number_of_itemsets_is_a_whole_number(wrong):
    with pytest.raises(OptionError, match=r"^top= is .+; give a whole number of at least 1$"):
        compare(ROWS, min_support=10, k=10, epsilon=1, top=wrong)


def test_without_opendp_a_sentence_says_what_to_install(monkeypatch):
    for name in ("opendp", *(f"opendp.{part}" for part in PARTS)):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(
        OptionError, match=r"OpenDP, which is not installed; install it with: pip install 'discreet\[dp\]'"
    ):
        compare(ROWS, min_support=10, k=10, epsilon=1)


def test_nothing_is_said_of_noise_unless_asked():
    found = compare(ROWS, min_support=10, k=10, methods=["add"])
    assert found.noise is None
    assert "ε" not in "\n".join(comparison_text(found)) + found._repr_html_()
    assert "noise" not in json.loads(b"".join(comparison_json(found)))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--epsilon", "1"], "--epsilon is for a comparison: give --compare"),
        (["--compare", "--top", "5"], "--top is for noisy supports: give --epsilon"),
        (["--compare", "--epsilon", "1,much"], "'much'; give a number such as 0.5"),
        (["--compare", "--epsilon", "0"], "--epsilon is 0.0; give numbers from 0.0001 to 100, such as 0.1, 1 and 4"),
    ],
)
def test_wrong_usage_of_the_command_ends_with_a_sentence(tmp_path, given, said):
    path = tmp_path / "rows.csv"
    path.write_text("".join(",".join(row) + "\n" for row in ROWS))
    done = CliRunner().invoke(main, ["block", str(path), "--min-support", "10", "-k", "10", *given])
    assert (done.exit_code, said in done.output) == (2, True), done.output


@NEEDS_OPENDP
@pytest.mark.parametrize("epsilon", [0.0001, 0.1, 1, 4, 100])
@pytest.mark.parametrize("top", [1, 7])
def test_the_loss_is_what_opendp_accounts_for_and_at_most_what_was_asked(epsilon, top):
    laplace, gaussian = (plan(50) for plan in plan_noise(epsilon, top))
    assert laplace.loss == (laplace.session.map(1), 0)
    assert gaussian.loss == gaussian.session.map(1)
    assert gaussian.loss.delta == DELTA
    for mechanism in (laplace, gaussian):
        assert 0.99 * epsilon <= mechanism.loss.epsilon <= epsilon * (1 + 1e-12)


@NEEDS_OPENDP
@pytest.mark.parametrize("name", MECHANISMS)
def test_each_part_of_a_release_costs_at_most_half(name):
    mechanism = MECHANISMS[name](load_opendp(), 5, 1.0)
    parts = mechanism.choice.map(1), mechanism.add_noise([0, 1, 2, 3, 4]).map(1)
    whole = sum(parts) if name == "Laplace" else mechanism.session.map(1)[0]
    assert parts[0] == pytest.approx(parts[1])
    assert whole == pytest.approx(1)


@NEEDS_OPENDP
@pytest.mark.parametrize("name", MECHANISMS)
def test_opendp_answers_no_question_beyond_the_loss(name):
    mechanism = MECHANISMS[name](load_opendp(), 2, 1.0)
    ask = mechanism.session([5, 9, 3])
    chosen = ask(mechanism.choice)
    ask(mechanism.add_noise(chosen))
    with pytest.raises(Exception, match="out of queries"):
        ask(mechanism.add_noise(chosen))


@NEEDS_OPENDP
@pytest.mark.parametrize("name", MECHANISMS)
def test_no_support_is_published_as_it_is(name):
    mechanism = MECHANISMS[name](load_opendp(), 3, 0.5)
    supports = [10_000, 9_000, 8_000, 0, 0]
    runs = [dict(zip(*mechanism.release(supports), strict=True)) for _ in range(30)]
    for at in range(3):
        assert len({run[at] for run in runs if at in run}) > 5
    assert all(set(run) <= set(range(5)) and len(run) == 3 for run in runs)


@NEEDS_OPENDP
@pytest.mark.parametrize("name", MECHANISMS)
def test_the_spread_is_that_of_the_noise(name):
    mechanism = MECHANISMS[name](load_opendp(), 100, 1.0)
    noise = [noisy for _ in range(10) for noisy in mechanism.release([0] * 100)[1]]
    assert math.sqrt(sum(one**2 for one in noise) / 1000) == pytest.approx(mechanism.spread, rel=0.4)


@NEEDS_OPENDP
def test_all_but_the_noise_is_the_same_in_every_run():
    how = {"min_support": 10, "k": 10, "methods": ["suppress", "add", "withhold"]}
    plain, first, second = (compare(ROWS, **how, **more) for more in ({}, {"epsilon": 1}, {"epsilon": 1}))
    assert [line.release.patterns for line in plain.lines] == [line.release.patterns for line in first.lines]
    assert plain.recommendation == first.recommendation
    assert first.noise.setting == second.noise.setting
    assert [line for line in first.noise.lines if line.loss is None] == [
        line for line in second.noise.lines if line.loss is None
    ]


@NEEDS_OPENDP
def test_all_lines_stand_in_one_table():
    found = compare(ROWS, min_support=10, k=10, methods=["add", "withhold"], epsilon=[0.5, 4], top=5)
    names = [UNCHANGED, "add", "add, merged", "withhold"]
    names += [f"{noise}, ε = {loss}" for noise in MECHANISMS for loss in (0.5, 4)]
    assert [line.name for line in found.noise.lines] == names
    assert [line.epsilon for line in found.noise.lines] == [None] * 4 + [0.5, 4] * 2
    assert (found.noise.top, found.noise.runs, found.noise.candidates, found.noise.length) == (5, RUNS, 16, 4)
    for shown in ("\n".join(comparison_text(found)), found._repr_html_()):
        assert [name for name in names if name not in shown] == []
    facts = json.loads(b"".join(comparison_json(found)))["noise"]
    assert [line["name"] for line in facts["lines"]] == names
    assert facts["lines"][-1]["opendp_loss"] == {"epsilon": pytest.approx(4), "delta": DELTA}


@NEEDS_OPENDP
def test_noise_is_never_recommended():
    found = compare(ROWS, min_support=10, k=10, epsilon=100, methods=["withhold"])
    assert found.best_name == "withhold"


@NEEDS_OPENDP
def test_the_command_shows_noise_beside_the_methods(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("".join(",".join(row) + "\n" for row in ROWS))
    command = ["block", str(path), "--min-support", "10", "-k", "10", "--compare", "--max-length", "2"]
    done = CliRunner().invoke(main, [*command, "--epsilon", "0.5,4", "--epsilon", "1", "--top", "4"])
    assert done.exit_code == 0, done.output
    assert [
        name for name in ("Laplace, ε = 0.5", "Gaussian, ε = 1", "OpenDP chooses 4") if name not in done.output
    ] == []


@NEEDS_OPENDP
def test_rows_without_items_have_no_candidates():
    with pytest.raises(Exception, match="leave epsilon= out"):
        compare([[], [], []], min_support=2, k=2, epsilon=1)


def test_the_supports_that_opendp_gets_are_those_of_all_itemsets():
    given = []

    class Spy(NoNoise):
        def release(self, supports):
            given.append(supports)
            return super().release(supports)

    problem = BlockProblem.of(Transactions(ROWS), 10, 10, {"max_length": 2})
    compare_with_noise(problem, [], [Spy], runs=1)
    held = mine(ROWS, min_support=1, kind="frequent", max_length=2)
    assert sorted(given[0]) == sorted([*held.supports.tolist(), *[0] * (11 - len(held))])
