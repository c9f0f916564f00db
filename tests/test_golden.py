"""Known numbers of the public files, as published and recounted: all without the empty itemset."""

import os
from functools import cache
from pathlib import Path

import pytest

from discreet import InputError, audit, block, detect, mine, tradeoff
from discreet.io import datasets
from discreet.io.codebook import read_labels, rename
from discreet.io.hierarchies import add_ancestors

GOLDEN = [
    ("mushroom", "10%", "frequent", 574_431),
    ("mushroom", "10%", "closed", 4_885),
    ("mushroom", "10%", "maximal", 547),
    ("mushroom", "15%", "closed", 2_261),
    ("mushroom", "15%", "maximal", 321),
    ("mushroom", "25%", "frequent", 5_545),
    ("mushroom", "25%", "closed", 688),
    ("mushroom", "25%", "maximal", 105),
    ("chess", "75%", "frequent", 20_993),
    ("chess", "75%", "closed", 11_525),
    ("chess", "75%", "maximal", 489),
    ("chess", "80%", "frequent", 8_227),
    ("chess", "80%", "closed", 5_083),
    ("chess", "80%", "maximal", 226),
    ("retail", 353, "frequent", 831),
    ("retail", 353, "maximal", 424),
]


@cache
def load(name):
    """Return a data set, or skip the test where it is not at hand."""
    if not os.environ.get("DISCREET_DATA"):
        pytest.skip("DISCREET_DATA names no folder of data sets")
    try:
        return datasets.load(name)
    except InputError as error:
        if "not on this machine" not in str(error):
            raise
        pytest.skip(str(error))


@pytest.mark.parametrize(("name", "min_support", "kind", "expected"), GOLDEN)
def test_public_files_have_the_known_number_of_itemsets(name, min_support, kind, expected):
    patterns = mine(load(name), min_support=min_support, kind=kind)
    assert len(patterns) - ([] in patterns) == expected


@pytest.mark.parametrize(
    ("name", "expected"), [("mushroom", (8124, 119)), ("chess", (3196, 75)), ("retail", (88162, 16470))]
)
def test_public_files_have_the_known_number_of_rows_and_items(name, expected):
    rows = load(name)
    assert (len(rows), len(rows.labels)) == expected


@cache
def load_goods():
    """Return the baskets of groceries with their groups and departments."""
    folder = Path(os.environ.get("DISCREET_DATA", ""))
    rows = load("groceries")
    names, parents = folder / "groceries.items.tsv", folder / "groceries.hierarchy.csv"
    if not (names.exists() and parents.exists()):
        pytest.skip("the names and groups of groceries are not on this machine")
    return add_ancestors(rename(rows, read_labels(names)), parents)


@pytest.mark.parametrize(
    ("min_support", "channels", "exposed"), [("5%", 6, 10), ("2%", 436, 477), ("1%", 8_084, 2_459)]
)
def test_groups_and_departments_of_groceries_open_channels(min_support, channels, exposed):
    found = audit(load_goods(), min_support=min_support, k=10)
    assert (len(found.channels), len(found.exposed.numbers)) == (channels, exposed)


@pytest.mark.parametrize(
    ("method", "lost", "added"), [("generalize", 560, 0), ("withhold", 16, 0), ("add", 0, 50), ("suppress", 0, 0)]
)
def test_groceries_with_groups_and_departments_are_blocked_at_known_cost(method, lost, added):
    release = block(load_goods(), min_support="5%", k=10, method=method)
    assert (release.distortion.itemsets, release.distortion.lost, release.rows_added) == (1_316, lost, added)


LIMITS = (3, 5, 10, 20, 30, 50)
CHANNELS = {
    ("mushroom", "25%"): (2, 2, 125, 273, 297, 354),
    ("mushroom", "15%"): (27, 71, 550, 1_110, 1_258, 1_720),
    ("mushroom", "10%"): (57, 157, 1_118, 2_253, 2_641, 3_707),
    ("chess", "80%"): (1_125, 1_607, 2_136, 2_580, 2_849, 3_023),
    ("chess", "75%"): (3_056, 4_287, 5_646, 6_956, 7_606, 8_069),
}
"""The numbers of maximal channels below each limit."""

WAYS = [
    (method, kind, with_rows, name, min_support)
    for name, min_support in CHANNELS
    for method, kind, with_rows in [
        ("auto", "closed", False),
        ("auto", "closed", True),
        ("auto", "frequent", False),
        ("auto", "maximal", True),
        ("projection", "maximal", True),
        ("closed", "closed", False),
        ("naive", "frequent", False),
    ]
    # Sums for each base under each of 574,432 itemsets take minutes.
    if method != "naive" or (name, min_support) != ("mushroom", "10%")
]
"""Every method on what it ends on within a minute."""


def below_each(counts):
    return tuple(int((counts < k).sum()) for k in LIMITS)


@pytest.mark.parametrize(("method", "kind", "with_rows", "name", "min_support"), WAYS)
def test_public_files_open_the_known_number_of_channels(method, kind, with_rows, name, min_support):
    rows = load(name)
    patterns = mine(rows, min_support=min_support, kind=kind)
    found = detect(patterns, k=LIMITS[-1], rows=rows if with_rows else None, method=method)
    assert below_each(found.cells.counts) == CHANNELS[name, min_support]


@pytest.mark.parametrize("k", LIMITS)
@pytest.mark.parametrize(("name", "min_support"), CHANNELS)
def test_each_k_finds_the_known_number_of_channels(name, min_support, k):
    rows = load(name)
    patterns = mine(rows, min_support=min_support)
    expected = CHANNELS[name, min_support][LIMITS.index(k)]
    assert len(detect(patterns, k=k)) == len(detect(patterns, k=k, rows=rows)) == expected


@pytest.mark.parametrize(("name", "min_support"), CHANNELS)
def test_an_audit_finds_the_known_number_of_channels(name, min_support):
    assert len(audit(load(name), min_support=min_support, k=10).channels) == CHANNELS[name, min_support][2]


@pytest.mark.parametrize("name", ["mushroom", "chess"])
def test_the_trade_off_finds_the_known_number_of_channels(name):
    shares = [min_support for file, min_support in CHANNELS if file == name]
    grid = tradeoff(load(name), min_supports=shares, ks=LIMITS)
    # The lowest minimum support is the first line.
    assert grid.channels.tolist() == [list(CHANNELS[name, min_support]) for min_support in reversed(shares)]


# Blocking, with the empty itemset. Suppressed: rows, rounds. Costs: rows suppressed, or added; itemsets lost; the share
# of those changed; the average distortion, as far as printed.
SUPPRESSED = [
    ("mushroom", "25%", 10, 50, 2),
    ("mushroom", "25%", 30, 148, 2),
    ("mushroom", "15%", 10, 180, 3),
    ("chess", "90%", 10, 61, 1),
    ("chess", "80%", 10, 243, 3),
    ("chess", "75%", 3, 82, 3),
]
COSTS = [
    ("suppress", "mushroom", "25%", 10, 50, 74, None, "0.0145"),
    ("suppress", "mushroom", "25%", 30, 148, 132, None, "0.0310"),
    ("suppress", "mushroom", "15%", 10, 180, 682, None, "0.0102"),
    ("suppress", "chess", "90%", 10, 61, 151, None, "0.249"),
    ("suppress", "chess", "80%", 3, 61, 700, None, "0.0912"),
    ("suppress", "retail", "0.4%", 5, 33, None, "0.141", "0.0015"),
    ("suppress", "retail", "0.4%", 10, 162, None, "0.541", "0.0046"),
    ("suppress", "retail", "0.4%", 25, 420, None, "0.721", "0.0092"),
    ("suppress", "retail", "0.4%", 50, 685, 4, "0.822", "0.0111"),
    ("suppress", "retail", "1%", 5, 0, 0, "0.000", "0.0000"),
    ("suppress", "retail", "1%", 10, 12, None, "0.200", "0.0002"),
    ("suppress", "retail", "1%", 25, 92, None, "0.556", "0.0012"),
    ("suppress", "retail", "1%", 50, 245, None, "0.744", "0.0029"),
    ("add", "mushroom", "25%", 10, 450, 0, "0.116", "0.0007"),
    ("add", "mushroom", "25%", 30, 3_330, 0, "0.197", "0.0054"),
    ("add", "mushroom", "15%", 10, 1_870, 0, "0.040", "0.0004"),
    ("add", "chess", "90%", 10, 1_190, 0, "0.722", "0.0123"),
    ("add", "chess", "80%", 3, 2_604, 0, "0.593", "0.0079"),
]
CORES = [
    ("mushroom", "25%", 3, 5_526),
    ("mushroom", "25%", 10, 2_470),
    ("mushroom", "25%", 30, 1_274),
    ("chess", "90%", 3, 150),
]


@pytest.mark.parametrize(("name", "min_support", "k", "many", "rounds"), SUPPRESSED)
def test_as_many_rows_of_public_files_are_suppressed_as_known(name, min_support, k, many, rounds):
    release = block(load(name), min_support=min_support, k=k, method="suppress")
    assert (release.suppressed.size, release.rounds) == (many, rounds)
    assert not len(detect(mine(release.witness, min_support=release.patterns.min_support), k=k))


@pytest.mark.parametrize(("method", "name", "min_support", "k", "many", "lost", "changed", "average"), COSTS)
def test_blocking_public_files_costs_what_is_known(method, name, min_support, k, many, lost, changed, average):
    release = block(load(name), min_support=min_support, k=k, method=method)
    cost = release.distortion
    assert release.suppressed.size + release.added.weights.sum() == many
    assert f"{cost.average:.{len(average) - 2}f}" == average
    assert lost in {None, cost.lost}
    assert changed in {None, f"{cost.share_changed:.3f}"}
    assert cost.itemsets == len(mine(load(name), min_support=min_support, kind="frequent"))
    assert release.patterns == mine(release.witness, min_support=release.patterns.min_support)


@pytest.mark.parametrize(("name", "min_support", "k", "many"), CORES)
def test_the_safe_cores_of_public_files_are_as_large_as_known(name, min_support, k, many):
    rows = load(name)
    patterns = block(rows, min_support=min_support, k=k, method="withhold").patterns
    assert len(patterns) == many
    assert set(patterns) <= set(mine(rows, min_support=min_support, kind="frequent"))
