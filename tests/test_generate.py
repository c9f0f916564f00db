"""Synthetic rows: the same for the same seed, and shaped as they are said to be."""

import hashlib
from dataclasses import fields
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import ThresholdError
from discreet.data.generate import BasketOptions, Baskets, _block, _deal, _large_itemsets, _source, clinic, quest

GENERATORS = pytest.mark.parametrize("generate", [clinic, quest])


def digest(rows):
    """Return a sha256 of all rows, their labels and their ids."""
    text = repr([sorted(map(str, row)) for row in rows]) + repr(rows.ids)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@GENERATORS
def test_the_same_seed_gives_the_same_rows(generate):
    assert generate(200, seed=3) == generate(200, seed=3)


@GENERATORS
def test_another_seed_gives_other_rows(generate):
    assert generate(200, seed=3) != generate(200, seed=4)


@GENERATORS
@pytest.mark.parametrize("n", [0, 1, 17])
def test_there_are_as_many_rows_as_asked_for_and_none_is_empty(generate, n):
    assert len(generate(n)) == n
    assert all(generate(n))


@GENERATORS
@pytest.mark.parametrize("n", [-1, 1.5, "10", True, None, 2**31])
def test_a_number_of_rows_that_means_nothing_is_refused(generate, n):
    with pytest.raises(ThresholdError, match=r"^n is .*; it must be an integer from 0 to"):
        generate(n)


@GENERATORS
@pytest.mark.parametrize("seed", [-1, 0.5, "x", None])
def test_a_seed_that_is_no_integer_is_refused(generate, seed):
    with pytest.raises(ThresholdError, match=r"^seed is .*; it must be an integer from 0 to"):
        generate(10, seed=seed)


@pytest.mark.parametrize(("generate", "expected"), [(clinic, "a47389dbf2f97142"), (quest, "2de6ab8d37f45c5c")])
def test_the_bytes_stay_what_they_were(generate, expected):
    assert digest(generate(50, seed=1)) == expected


@pytest.mark.parametrize(("length", "pattern_length"), [(5, 2), (10, 4), (20, 6)])
def test_quest_rows_have_about_the_length_asked_for(length, pattern_length):
    rows = quest(10_000, length=length, pattern_length=pattern_length)
    assert rows.itemsets.lengths.mean() == pytest.approx(length, rel=0.1)
    assert 0.5 * length < rows.itemsets.lengths.var() < 3 * length


def test_quest_items_are_below_their_number():
    labels = quest(2000, items=50).labels
    assert set(labels) <= set(range(50))
    assert len(labels) > 40


def test_quest_itemsets_come_together_more_than_by_chance():
    rows = quest(5000, items=200, patterns=20)
    often = sorted(rows.labels, key=lambda item: -rows.support([item]))[:10]
    lifts = [
        rows.support(pair) * len(rows) / (rows.support(pair[:1]) * rows.support(pair[1:]))
        for pair in permutations(often, 2)
    ]
    assert max(lifts) > 2


def test_quest_without_corruption_deals_whole_itemsets():
    rows = quest(100, patterns=1, length=4, corruption=0, corruption_variance=0, correlation=0)
    assert len(set(rows)) == 1


def test_quest_with_more_correlation_uses_fewer_items():
    few, many = (len(quest(2000, items=10_000, correlation=level).labels) for level in (1, 0))
    assert few < 0.8 * many


def test_quest_itemsets_lose_items_as_published():
    draw = np.random.default_rng(0)
    kept, items = _block(draw, _source(draw, [[5, 6, 7, 8]], corruption=0.5, corruption_variance=0))
    sizes = np.bincount(kept, minlength=5) / kept.size
    assert sizes == pytest.approx([1 / 16, 1 / 16, 1 / 8, 1 / 4, 1 / 2], abs=0.02)
    assert np.bincount(items)[5:] / items.size == pytest.approx([1 / 4] * 4, abs=0.02)


@given(sizes=st.lists(st.integers(1, 9), min_size=1), correlation=st.floats(0, 1), seed=st.integers(0, 99))
def test_quest_itemsets_have_the_sizes_drawn_and_no_item_twice(sizes, correlation, seed):
    itemsets = _large_itemsets(np.random.default_rng(seed), np.array(sizes), 9, correlation)
    assert [len(set(itemset)) for itemset in itemsets] == [len(itemset) for itemset in itemsets] == sizes
    assert all(0 <= item < 9 for itemset in itemsets for item in itemset)


def test_quest_itemsets_that_all_lose_everything_are_refused():
    with pytest.raises(ThresholdError, match="lose every item; give a lower corruption"):
        quest(10, corruption=1, corruption_variance=0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("length", value) for value in (0, -1, 1001, float("nan"), "10", None)),
        *(("pattern_length", value) for value in (0.5, 1001, float("inf"))),
        *(("items", value) for value in (0, 2.5, 2**31)),
        *(("patterns", value) for value in (0, -3, "many")),
        *(("correlation", value) for value in (-0.1, 1.1, float("nan"))),
        *(("corruption", value) for value in (-0.1, 1.1, True)),
        *(("corruption_variance", value) for value in (-0.1, 1.1)),
    ],
)
def test_quest_parameters_that_mean_nothing_are_refused_in_one_sentence(name, value):
    with pytest.raises(ThresholdError, match=rf"^{name} is .*; it must be an? (integer|number) from") as caught:
        quest(10, **{name: value})
    assert "\n" not in str(caught.value)


def test_every_parameter_of_baskets_may_be_told_and_is_documented_and_no_other():
    assert {field.name for field in fields(Baskets)} == set(BasketOptions.__annotations__)
    assert all(f"``{field.name}`` ({field.default})" in " ".join(quest.__doc__.split()) for field in fields(Baskets))
    with pytest.raises(TypeError, match="rows"):
        quest(10, rows=7)


@given(
    sizes=st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1),
    lengths=st.lists(st.integers(1, 10), max_size=5),
)
def test_an_itemset_overfills_a_row_only_by_its_coin_or_as_its_first(sizes, lengths):
    stream = [*sizes, *[(1, False)] * 60]
    taken = _deal(iter(stream), lengths)
    assert len(taken) == len(lengths)
    assert all(taken)
    itemsets = iter(stream)
    for total, length in zip(taken, lengths, strict=True):
        filled = 0
        while filled < total:
            size, anyway = next(itemsets)
            assert filled + size <= length or anyway or filled == 0
            filled += size
        assert filled == total


def test_clinic_gives_everybody_one_sex_and_one_age():
    rows = clinic(300)
    assert all(len(row & {"female", "male"}) == 1 for row in rows)
    assert all(sum(item.startswith("age ") for item in row) == 1 for row in rows)


def test_clinic_numbers_its_patients():
    assert clinic(3).ids == ("patient 0001", "patient 0002", "patient 0003")
    assert clinic(10_000).ids[-1] == "patient 10000"


def test_clinic_drugs_follow_diagnoses_and_diagnoses_age():
    rows = clinic(5000)

    def share(of, among):
        return rows.support([*of, *among]) / rows.support(among)

    assert share(["diabetes type 2"], ["metformin"]) > 0.9
    assert share(["metformin"], ["diabetes type 2"]) > 0.7
    assert share(["hypertension"], ["age 70-79"]) > 3 * share(["hypertension"], ["age 30-39"])


@pytest.mark.parametrize("seed", range(3))
def test_clinic_has_large_itemsets_that_differ_by_a_handful(seed):
    rows = clinic(seed=seed)
    often = [item for item in rows.labels if rows.support([item]) >= 100]
    differences = {
        (item, other): rows.support([item]) - rows.support([item, other])
        for item, other in permutations(often, 2)
        if rows.support([item, other]) >= 100
    }
    assert sum(0 < difference < 10 for difference in differences.values()) >= 4


def test_clinic_chances_are_chances():
    from discreet.data.generate import ENTRIES, ONE_OF

    assert all(sum(chances.values()) == pytest.approx(1) for chances in ONE_OF)
    known = {label for chances in ONE_OF for label in chances}
    for finding in ENTRIES:
        assert set(finding.causes) <= known
        assert all(0 <= chance < 1 for chance in (finding.alone, *finding.causes.values()))
        known.add(finding.label)
    assert np.unique([*known]).size == len(ENTRIES) + sum(map(len, ONE_OF))
