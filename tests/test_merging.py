"""Hierarchies without a file: neighbouring bins are merged in pairs, and rare values of a column into one."""

import oracle
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import OptionError, Patterns, audit, block, mine, read
from discreet.io.bins import merge_bins
from discreet.io.hierarchies import read_hierarchy
from discreet.web.arguments import check_arguments

BINS = [{"age": 10}, {"age": 1}, {"age": "2.5"}, {"age": [18, 30, 45, 65]}, {"age": [0.5, 20]}, {"age": "q5"}]


def make(ages, **how):
    return read(pl.DataFrame({"age": ages, "sex": ["f"] * len(ages)}), columns=["age", "sex"], format="table", **how)


@pytest.mark.parametrize("bins", BINS, ids=str)
@settings(max_examples=40)
@given(ages=st.lists(st.integers(-20, 99), max_size=40))
def test_a_merged_bin_counts_the_numbers_in_its_range(bins, ages):
    numbers = [*ages, -3, 7, 33, 52]
    rows = make(numbers, bins=bins, hierarchy=["age=bins", {"sex=f": "sex=any"}])
    texts = [label.removeprefix("age=") for label in rows.labels if label.startswith("age=")]
    counted = {text: sum(oracle.in_range(text, age) for age in numbers) for text in texts}
    assert {text: rows.support([f"age={text}"]) for text in texts} == counted


@given(ages=st.sets(st.integers(0, 30), min_size=5))
def test_neighbouring_bins_have_a_parent_by_twos_up_to_two_halves(ages):
    rows = make(sorted(ages), bins={"age": 2}, hierarchy="bins")
    leaves, labels = sorted({age // 2 for age in ages}), rows.labels[:-1]
    inner = {frozenset(leaf for leaf in leaves if oracle.in_range(one[4:], 2 * leaf)): one for one in labels}
    expected = {(inner[some], inner[more]) for some, more in oracle.neighbours(leaves)}
    assert {*rows.hierarchy} == expected


@st.composite
def tables(draw):
    kinds = draw(st.lists(st.tuples(st.sampled_from([5, 15, 25, 35]), st.sampled_from("fm")), max_size=6))
    many = [draw(st.integers(1, 12)) for _ in kinds]
    each = [kind for kind, times in zip(kinds, many, strict=True) for _ in range(times)]
    ages, sexes = zip(*each, *[(age, "f") for age in (5, 15, 25, 35)], strict=True)
    return pl.DataFrame({"age": ages, "sex": sexes})


@settings(max_examples=20)
@given(frame=tables(), sigma=st.integers(2, 8), k=st.integers(2, 4), length=st.sampled_from([None, 2]))
def test_no_way_to_merge_bins_loses_fewer_levels(frame, sigma, k, length):
    data = read(frame, format="table", bins={"age": 10}, columns=["age", "sex"])
    full = read(data, hierarchy="bins")
    release = block(data, min_support=sigma, k=k, method="generalize", hierarchy="bins", max_length=length)
    values = [{label for label in full.labels if label.startswith(name)} for name in ("age", "sex")]
    expected = oracle.fewest_levels([frozenset(row) for row in full], sigma, k, values, full.hierarchy.parents, length)
    assert release.recoding.levels == expected


@pytest.mark.parametrize(
    ("labels", "parents"),
    [
        (["a=<18", "a=18–64", "a=≥65"], {"a=<18": "a=<65", "a=18–64": "a=<65"}),
        (["a=[0-10)", "a=[10-20)", "a=[20-30)"], {"a=[0-10)": "a=[0-20)", "a=[10-20)": "a=[0-20)"}),
        (["a=(0, 1]", "a=(1, 2.5]", "a=(3, 4]"], {"a=(0, 1]": "a=(0, 2.5]", "a=(1, 2.5]": "a=(0, 2.5]"}),
        (["a=0 - 9", "a=10 - 19", "a=20 - 29"], {"a=0 - 9": "a=0 - 19", "a=10 - 19": "a=0 - 19"}),
        (["a=-9–-5", "a=-4–0", "a=1–5"], {"a=-9–-5": "a=-9–0", "a=-4–0": "a=-9–0"}),
        (["a=0–9", "a=20–29", "a=unknown", "a=30–39"], {"a=0–9": "a=0–29", "a=20–29": "a=0–29"}),
        (["a=0–9", "a=10–19", "a=0–19", "a=0–39"], {"a=0–9": "a=0–19", "a=10–19": "a=0–19", "a=0–19": "a=0–39"}),
        ([("a", "0–9"), ("a", "10–19"), ("a", "20–29")], {("a", "0–9"): ("a", "0–19"), ("a", "10–19"): ("a", "0–19")}),
        (["a=0–9", "a=10–19", "b=0–9"], {}),
        (["a=0–9", "a=10-19", "a=20–29"], {}),
        (["a=0–9", "a=5–14", "a=20–29"], {}),
        (["a=(0, 1]", "a=≥1", "a=<0"], {}),
        (["a=[0, 1)", "a=1", "a=2"], {}),
        (["a=1.5", "a=2.5", "a=3.5", "a=9–1", "a=[2, 1)", "a=[0, 1]"], {}),
        (["a=1", "a=2", "a=3"], {}),
        (["0–9", "10–19", "20–29"], {}),
    ],
)
def test_ranges_are_read_in_several_notations_and_nothing_else_is(labels, parents):
    assert merge_bins(labels).parents == parents


def test_numbers_are_merged_where_their_column_is_named():
    assert merge_bins(["a=1", "a=2", "a=3", "b=1", "b=2", "b=3"], ["a"]).parents == {"a=1": "a=1–2", "a=2": "a=1–2"}
    assert read_hierarchy("a=bins", ["a=1", "a=2", "a=3"]).parents == {"a=1": "a=1–2", "a=2": "a=1–2"}


def test_readers_of_merged_bins_subtract_them():
    listed = Patterns.from_itemsets([([], 90), (["age=40–49"], 40), (["age=40–59"], 43)], n=90)
    assert [*map(str, audit(listed, k=5, hierarchy="bins").findings)] == ["age=40–59 ∧ ¬age=40–49: 3 rows"]


cities = st.lists(st.sampled_from(["A", "B", "C", "other", "Other 2"]), min_size=4, max_size=40)


@given(cities=cities, least=st.integers(2, 12))
def test_values_that_few_rows_hold_have_one_parent_of_a_free_name(cities, least):
    rows = read(pl.DataFrame({"city": [*cities, "D", "E"], "ward": ["w"] * (len(cities) + 2)}), format="table")
    rare = {city for city in {*cities, "D", "E"} if [*cities, "D", "E"].count(city) < least}
    taken = {city.casefold() for city in {*cities, "D", "E"}}
    name = next(one for one in ("other", "other 2", "other 3") if one not in taken)
    full = read(rows, hierarchy=f"city=rare:{least}")
    assert full.hierarchy.parents == {f"city={city}": f"city={name}" for city in rare}
    assert full.support([f"city={name}"]) == sum(city in rare for city in [*cities, "D", "E"])


def test_a_share_says_what_is_rare_and_several_hierarchies_are_one():
    rows = [["city=A", "age=10–19"]] * 8 + [["city=B", "age=20–29"]] + [["city=C", "age=30–39"]]
    patterns = mine(rows, min_support=1, hierarchy=["city=rare:20%", "bins", {"city=other": "city=elsewhere"}])
    assert patterns.hierarchy.ancestors("city=B") == ("city=other", "city=elsewhere")
    assert patterns.hierarchy.parents["age=10–19"] == "age=10–29"
    assert dict(patterns)[frozenset(["city=other", "city=elsewhere"])] == 2


@pytest.mark.parametrize(
    ("hierarchy", "words"),
    [
        ("bins:2", "merges neighbouring bins, however many; give 'bins' or 'age=bins'"),
        ("age=bins", "no item has a parent by hierarchy="),
        ("rare:5", "names no column; give rows and 'city=rare:50'"),
        ("city=rare", "has '' after 'rare:'; give the least number of rows"),
        ("city=rare:x", "has 'x' after 'rare:'; give the least number of rows"),
        ("city=rare:2", "no item has a parent by hierarchy="),
        (["city=rare:9", {"city=B": "b"}], None),
    ],
)
def test_what_merges_nothing_is_refused(hierarchy, words):
    with pytest.raises(Exception, match=words or "1 item with several parents"):
        read([["city=A"]] * 8 + [["city=B"]], hierarchy=hierarchy)


def test_patterns_do_not_tell_what_is_rare():
    listed = Patterns.from_itemsets([([], 90), (["city=A"], 40)], n=90)
    with pytest.raises(OptionError, match="there are no rows, which tell what is rare"):
        audit(listed, k=5, hierarchy="city=rare:50")


def test_the_app_takes_hierarchies_but_no_files():
    asked = {"min_support": "5%", "k": "10"}
    assert check_arguments("block", {**asked, "hierarchy": ["bins"]})["hierarchy"] == ["bins"]
    for place in ("goods.csv", "diag=/etc/passwd", "bins/x"):
        with pytest.raises(OptionError, match="give such as prefix:3,1, bins or city=rare:50"):
            check_arguments("block", {**asked, "hierarchy": [place]})
