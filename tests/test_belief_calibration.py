"""Laws of calibration: what is drawn from the prior comes true as often as it is believed."""

import os
from collections import Counter
from random import Random
from xml.etree import ElementTree as ET

import alarms
import calibration
import forecasts
import numpy as np
import oracle
import pictures
import pytest
import worlds
from forecasts import Bin, Forecasts

from discreet import Transactions, belief, mine
from discreet.disclosure.attacks.constraints import KINDS, Ground, build_system
from discreet.disclosure.attacks.facts import Facts
from discreet.disclosure.attacks.feasible import Clock
from discreet.disclosure.beliefs.entropy import fit_entropy

LARGE = os.environ.get("DISCREET_LARGE") == "1"
MANY = 3000 if LARGE else 300
DRAWS = {"entropy": worlds.draw_rows, "uniform": worlds.draw_table}
NAME = "{http://www.w3.org/2000/svg}"


def look_at(draw, prior):
    """What is believed of databases of two or three items, in patterns of all of them."""
    seen = worlds.look_at(worlds.World(draw, prior, range(2, 4), MANY), 11)
    return seen.forecasts.choose(seen.is_whole)


@pytest.mark.parametrize("prior", DRAWS)
def test_patterns_drawn_from_the_prior_are_small_as_often_as_believed(prior, record_property):
    found = look_at(DRAWS[prior], prior)
    bins = found.list_bins()
    ours, right, constant = found.score()
    told = f"{found.beliefs.size} patterns, Brier {ours:.4f}, {right:.4f} if right, {constant:.4f} for a constant"
    record_property(f"calibration of {prior}, {MANY} databases", told)
    assert len(bins) == forecasts.BINS
    assert max(one.apart for one in bins) < 4
    assert ours < 0.8 * constant
    assert ours == pytest.approx(right, abs=0.02)


def test_beliefs_under_another_prior_than_the_one_drawn_from_are_found_to_be_wrong():
    assert max(one.apart for one in look_at(worlds.draw_table, "entropy").list_bins()) > 4


def test_the_model_of_random_releases_is_that_of_a_general_solver(record_property):
    random, worst, many = Random(8), 0.0, 500 if LARGE else 20  # noqa: S311 - no secret
    for _ in range(many):
        shares = {item: random.uniform(0.3, 0.9) for item in "abcde"}
        rows = [[item for item in shares if random.random() < shares[item]] for _ in range(random.randint(20, 60))]
        sigma = random.randint(3, 9)
        facts = Facts.of(mine(rows, min_support=sigma), complete=False)
        ground, told = Ground(facts), oracle.frequent(rows, sigma)
        universe = random.choice(sorted(oracle.universes(rows, sigma, 2) or oracle.maximal(rows, sigma), key=sorted))
        system = build_system(ground, ground.bits(facts.code[label] for label in universe), most=KINDS)
        kinds = [frozenset(facts.labels[item] for item in ground.codes(row)) for row in system.rows]
        known = {frozenset(): len(rows)} | {one: held for one, held in told.items() if one <= universe}
        off = fit_entropy(system, Clock(60)) - oracle.largest_entropy(kinds, known)
        worst = max(worst, abs(off).max() / len(rows))
    record_property(f"maximum entropy against a general solver, {many} releases", f"{worst:.0e} of all rows")
    assert worst < 1e-6


@pytest.mark.parametrize(
    ("draw", "chances"),
    [
        (worlds.draw_rows, {(0, 2): 1 / 4, (1, 1): 1 / 2, (2, 0): 1 / 4}),
        (worlds.draw_table, {(0, 2): 1 / 3, (1, 1): 1 / 3, (2, 0): 1 / 3}),
    ],
)
def test_databases_are_drawn_as_the_prior_says(draw, chances):
    random, many = np.random.default_rng(3), 4000
    found = Counter(tuple(draw(random, 2, 1).tolist()) for _ in range(many))
    assert found.keys() == chances.keys()
    for table, chance in chances.items():
        assert abs(found[table] / many - chance) < 4 * (chance * (1 - chance) / many) ** 0.5


def test_public_data_are_judged_by_their_rows():
    random, small = Random(4), 0  # noqa: S311 - no secret
    for _ in range(5):
        shares = {item: random.uniform(0.3, 0.9) for item in "abcd"}
        rows = [[item for item in shares if random.random() < shares[item]] for _ in range(random.randint(20, 40))]
        sigma, k = random.randint(6, 10), random.randint(2, 6)
        expected = sorted(expect(rows, sigma, k))
        found = alarms.look_at(Transactions(rows), alarms.Case("rows", f"{sigma}/{len(rows)}", k))
        beliefs, is_small, _ = found.forecasts
        assert sorted(zip(beliefs.tolist(), is_small.tolist(), strict=True)) == expected
        assert not (found.is_proven & ~is_small).any()
        small += int(is_small.sum())
    assert small > 5


def expect(rows, sigma, k):
    """The belief and the truth of each pattern that the definition has."""
    listed = belief(mine(rows, min_support=sigma), k=k, limit=10**9).patterns
    told = {(frozenset(one.held), frozenset(one.lacked)): float(one.belief) for one in listed}
    for universe in oracle.universes(rows, sigma, 2):
        for cell in set(oracle.kinds_of_rows(universe)) - oracle.small_within(rows, sigma, universe, k):
            many = sum(frozenset(row) & universe == cell for row in rows)
            yield told.get((cell, universe - cell), 0.0), 0 < many < k


def test_every_forecast_is_in_one_bin():
    random = np.random.default_rng(5)
    found = Forecasts(np.append(random.random(99), 1.0), random.random(100) < 0.5, np.arange(100) // 3)
    bins = found.list_bins()
    assert sum(one.many for one in bins) == 100
    assert all(one.low <= one.belief <= one.low + 0.1 for one in bins)
    assert sum(one.many * one.share for one in bins) == pytest.approx(found.is_small.sum())


def test_no_threshold_within_the_rate_of_false_alarms_has_more_hits():
    random = np.random.default_rng(6)
    for _ in range(50):
        beliefs, is_small = random.integers(0, 6, 40) / 5, random.random(40) < 0.4
        for rate in (0.0, 0.1, 0.5, 1.0):
            named = [beliefs >= level for level in np.unique(beliefs) if level > 0]
            allowed = [one for one in named if (one & ~is_small).sum() <= rate * (~is_small).sum()]
            expected = max([0, *((one & is_small).sum() for one in allowed)])
            assert forecasts.raise_alarms(beliefs, is_small, rate).hits == expected


def test_pictures_have_words_for_those_who_do_not_see_them():
    charts = [pictures.Chart("a", {"b & c": [Bin(0.5, 9, 0.55, 0.5, 0.1)]})] * 3
    for svg in (pictures.draw_groups(calibration.list_groups(), 10), pictures.draw_charts(charts, "what it shows")):
        root = ET.fromstring(svg)  # noqa: S314 - ours
        assert root.get("aria-labelledby").split() == [root.find(f"{NAME}{tag}").get("id") for tag in ("title", "desc")]
        assert all(root.find(f"{NAME}{tag}").text for tag in ("title", "desc"))
