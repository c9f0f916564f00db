"""Repaired tables: nothing small follows from them, by enumeration, and the least is lost where that is said."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import oracle
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_counts import ATTRIBUTES, HIDDEN, key_of, nodes, published

from discreet.blocking.block import block
from discreet.blocking.tables.block import METHODS, block_counts
from discreet.blocking.tables.masking import MaskableTables, list_maskings
from discreet.blocking.tables.problem import TableProblem
from discreet.data.counts import UNKNOWN, Cell, Counts, Dimension, Ratio, State, Table
from discreet.errors import BudgetError, InputError, OptionError, ThresholdError, TruthError
from discreet.judging.policy import Policy, Verdict
from discreet.publications.counts.equations import list_equations

SEX = Dimension("sex", ("f", "m"))


def by_sex(total, women, men, mark=""):
    men_cell = Cell(("m",), 1, 10, State.MASKED, mark=mark) if mark else Cell(("m",), men, men)
    return Counts((Table("by sex", (SEX,), (Cell((None,), total, total), Cell(("f",), women, women), men_cell)),))


def shown(counts):
    return {cell.at: cell.mark or cell.low for cell in counts}


def is_revealing(counts, k, width=1):
    """Return whether all tables that fit agree on a small count; None if these are without number."""
    dimensions = {one.name: one for table in counts.tables for one in table.dimensions}
    names = sorted(dimensions)
    attributes = []
    for one in map(dimensions.get, names):
        parents = dict(one.parents)
        leaves = [value for value in one.values if value not in parents.values()]
        attributes.append((tuple(leaves), parents))
    equations = list_equations(counts)
    trees = [[None, *dict.fromkeys((*leaves, *parents.values()))] for leaves, parents in attributes]
    whole = {key_of(names, cell): cell for cell in product(*trees)}
    ends = zip(equations.keys, equations.low.tolist(), equations.high.tolist(), strict=True)
    said = {whole[key]: (low, high) for key, low, high in ends}
    top = said.get((None,) * len(names), (0, UNKNOWN))[1]
    if top == UNKNOWN:
        return None
    said = {cell: (low, min(high, top)) for cell, (low, high) in said.items()}
    states = zip(equations.keys, equations.states, strict=True)
    hidden = {whole[key]: HIDDEN[state] for key, state in states if state >= State.MASKED}
    return oracle.reveals_cell(said, hidden, attributes, k, width)


def block_if_possible(counts, policy, method):
    """Return the release that a method makes; None if it says that it cannot."""
    try:
        return block_counts(counts, policy=policy, method=method, seconds=10)
    except (OptionError, BudgetError):
        return None


@settings(max_examples=150)
@given(published(), st.sampled_from([*METHODS]), st.sampled_from([1, 1, 2]))
def test_no_table_that_fits_a_repaired_one_is_needed_to_know_a_small_count(case, method, width):
    _, _, counts, k, _ = case
    release = block_if_possible(counts, Policy("ours", k=k, width=width), method)
    total = next(cell.low for cell in counts.tables[0].cells if not any(cell.at))
    assert release is None or release.is_safe or total < k
    assert release is None or not is_revealing(release.counts, k, width)


@st.composite
def whole_tables(draw, *, largest, shapes):
    """Draw people and the table of all their counts: its attributes, people of each kind, and all cells."""
    names = draw(st.sampled_from(shapes))
    attributes = [ATTRIBUTES[name] for name in names]
    kinds = list(product(*(leaves for leaves, _ in attributes)))
    many = {kind: draw(st.integers(0, largest)) for kind in kinds}
    every = {}
    for cell in product(*(nodes(name) for name in names)):
        every[cell] = sum(many[kind] for kind in oracle.people_of(cell, attributes))
    dimensions = tuple(Dimension(one, tuple(nodes(one)[1:]), ATTRIBUTES[one][1]) for one in names)
    table = Table("whole", dimensions, tuple(Cell(cell, number, number) for cell, number in every.items()))
    return names, attributes, many, every, Counts((table,))


@settings(max_examples=300)
@given(
    whole_tables(largest=6, shapes=["b", "h", "ab", "ah"]),
    st.integers(2, 4),
    st.sampled_from([*METHODS]),
    st.sampled_from([1, 1, 2]),
)
def test_whole_tables_with_small_counts_are_repaired_and_reveal_none(case, k, method, width):
    names, _, _, every, counts = case
    assume(k <= every[(None,) * len(names)] <= 22)
    assume(any(0 < number < k for number in every.values()))
    release = block_counts(counts, policy=Policy("ours", k=k, width=width), method=method)
    assert release.is_safe
    assert not is_revealing(release.counts, k, width)


@settings(max_examples=100)
@given(whole_tables(largest=4, shapes=["a", "b", "h", "ab"]), st.integers(2, 4), st.sampled_from(["cells", "people"]))
def test_the_cheapest_masks_are_found(case, k, weights):
    names, attributes, _, every, counts = case
    assume(sum(every.values()) <= 80 and every[(None,) * len(names)] >= k)
    problem = TableProblem(counts, Policy("k", k=k), weights=weights)
    costs = {cell: int(problem.costs[problem.numbers[key_of(names, cell)]]) for cell in every}
    expected = oracle.cheapest_masks(every, attributes, k, costs, 1)
    release = block_counts(counts, k=k, method="suppress", weights=weights)
    is_total_masked = release.counts.tables[0].cells[0].state is State.MASKED
    assert not release.proof.stopped
    assert release.proof.bound == release.proof.cost
    is_cheap = expected is not None and (weights == "people" or expected < 1000)
    assert is_total_masked or (is_cheap and release.proof.cost == expected)
    assert not is_cheap or release.proof.cost <= expected


@settings(max_examples=150)
@given(whole_tables(largest=9, shapes=["a", "b", "h", "ab", "ah"]), st.integers(2, 5))
def test_rounded_numbers_add_up_and_change_least(case, base):
    _, attributes, many, every, counts = case
    expected = oracle.nearest_multiples(many, attributes, base)
    release = block_counts(counts, k=2, method="round", base=base)
    rounded = {cell.at: int(cell.mark) for cell in release.counts}
    assert all(
        rounded[cell] == sum(rounded[part] for part in parts)
        for cell in rounded
        for parts in oracle.parts_of(cell, attributes)
    )
    changes = [abs(rounded[cell] - number) for cell, number in every.items()]
    assert not any(number % base for number in rounded.values())
    assert max(changes) < base if expected is not None else max(changes) < 2 * base
    assert expected in {None, sum(changes)}
    assert expected is None or release.proof.cost == release.proof.bound == expected
    reach = base if expected is not None else 2 * base
    for cell in release.counts:
        assert (cell.low, cell.high) == (max(0, rounded[cell.at] - reach + 1), rounded[cell.at] + reach - 1)


@settings(max_examples=60)
@given(published(), st.data())
def test_masked_equations_are_those_of_the_tables_with_marks(case, data):
    _, _, counts, k, _ = case
    problem = TableProblem(counts, Policy("ours", k=k, zeros=data.draw(st.sampled_from(Verdict))))
    for masking in list_maskings(problem):
        tables = MaskableTables(problem, masking)
        masked = tables.is_primary | (
            tables.is_maskable
            & np.array(data.draw(st.lists(st.booleans(), min_size=(n := tables.is_shown.size), max_size=n)), bool)
        )
        ours, theirs = tables.mask(masked), list_equations(tables.publish(masked))
        assert ours.keys == theirs.keys
        for name in ("low", "high", "states", "offsets", "cells", "factors"):
            assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name


def test_a_small_count_is_masked_with_the_one_that_reveals_it():
    release = block_counts(by_sex(180, 177, 3), k=11, method="suppress")
    assert shown(release.counts) == {(None,): 180, ("f",): "*", ("m",): "*"}
    assert release.costs[:5] == (3, 1, 1, 1, 1)
    assert (release.proof.cost, release.proof.bound, release.proof.gap) == (1, 1, 0.0)


def test_a_mark_with_a_range_stays_and_the_other_is_known_to_be_no_small_count():
    release = block_counts(by_sex(180, 177, 3, "<11"), k=11, method="suppress")
    assert shown(release.counts) == {(None,): 180, ("f",): "*", ("m",): "<11"}
    assert {cell.mark: cell.low for cell in release.counts if cell.mark} == {"*": 11, "<11": 1}


def test_marks_with_ranges_go_if_these_reveal_counts_by_themselves():
    values = tuple(f"v{number}" for number in range(5))
    cells = [Cell((value,), 1, 5, State.MASKED, mark="≤5") for value in values]
    total = Cell((None,), 1, 5, State.MASKED, mark="≤5")
    counts = Counts((Table("by value", (Dimension("value", values),), (total, *cells)),))
    release = block_counts(counts, k=6, method="suppress")
    assert {cell.mark for cell in release.counts} == {"*"}
    assert release.verdict is Verdict.REVIEW  # there are fewer than k people


def test_zeros_are_masked_where_the_policy_judges_them():
    cells = (Cell((None,), 60, 60), Cell(("f",), 60, 60), Cell(("m",), 0, 0))
    counts = Counts((Table("by sex", (SEX,), cells),))
    assert shown(block_counts(counts, k=11, method="suppress").counts) == {(None,): 60, ("f",): 60, ("m",): 0}
    policy = Policy("ours", k=11, zeros=Verdict.WITHHOLD)
    assert shown(block_counts(counts, policy=policy, method="suppress").counts) == {
        (None,): 60,
        ("f",): "*",
        ("m",): "*",
    }


def test_a_level_of_a_hierarchy_is_left_out():
    age = Dimension("age", ("0-9", "10-19", "under 20", "20 and over"), {"0-9": "under 20", "10-19": "under 20"})
    numbers = {None: 100, "0-9": 3, "10-19": 37, "under 20": 40, "20 and over": 60}
    counts = Counts((Table("by age", (age,), tuple(Cell((value,), n, n) for value, n in numbers.items())),))
    release = block_counts(counts, k=11, method="collapse")
    assert shown(release.counts) == {(None,): 100, ("under 20",): 40, ("20 and over",): 60}
    assert release.costs.lost == 2


def test_values_without_a_hierarchy_are_merged_with_the_next():
    age = Dimension("age", ("18–29", "30–39", "40–49"))
    numbers = {None: 99, "18–29": 40, "30–39": 56, "40–49": 3}
    counts = Counts((Table("by age", (age,), tuple(Cell((value,), n, n) for value, n in numbers.items())),))
    release = block_counts(counts, k=11, method="collapse")
    assert shown(release.counts) == {(None,): 99, ("18–29",): 40, ("30–39 or 40–49",): 59}


def test_values_of_a_table_that_leaves_out_cells_are_not_merged():
    age = Dimension("age", ("18–29", "30–39", "40–49"))
    cells = (Cell((None,), 99, 99), Cell(("18–29",), 40, 40), Cell(("30–39",), 56, 56))
    counts = Counts((Table("by age", (age,), cells, absent=(0, 10)),))
    assert shown(block_counts(counts, k=11, method="collapse").counts) == {(): 99}


def test_the_share_of_a_masked_count_is_left_out():
    (table,) = by_sex(180, 177, 3).tables
    shares = [
        Ratio((value,), (None,), Fraction(low, 1000), Fraction(low + 1, 1000))
        for value, low in zip("fm", (983, 16), strict=True)
    ]
    release = block_counts(Counts((replace(table, ratios=tuple(shares)),)), k=11, method="suppress")
    assert shown(release.counts) == {(None,): 180, ("f",): "*", ("m",): "*"}
    assert not release.counts.tables[0].ratios


def test_masked_counts_stay_masked_beside_rounded_ones():
    release = block_counts(by_sex(180, 177, 3, "<11"), k=11, method="round")
    assert shown(release.counts) == {(None,): "176", ("f",): "176", ("m",): "<11"}


def test_rounding_says_that_it_does_not_help_what_marks_reveal_alone():
    counts = by_sex(180, 177, 3, "<11")
    (table,) = counts.tables
    known = table.cells[2]._replace(low=3, high=3)
    with pytest.raises(OptionError, match="that these tables mask or leave out still follow"):
        block_counts(Counts((replace(table, cells=(*table.cells[:2], known)),)), k=11, method="round")


def test_three_attributes_may_need_numbers_further_away():
    names, numbers = ("x", "y", "z"), (2, 0, 3, 1, 0, 2, 3, 3)
    attributes = [((f"{name}1", f"{name}2"), {}) for name in names]
    many = dict(zip(product(*(leaves for leaves, _ in attributes)), numbers, strict=True))
    cells = {
        cell: sum(many[kind] for kind in oracle.people_of(cell, attributes))
        for cell in product(*((None, *leaves) for leaves, _ in attributes))
    }
    dimensions = tuple(Dimension(name, leaves) for name, (leaves, _) in zip(names, attributes, strict=True))
    counts = Counts((Table("cube", dimensions, tuple(Cell(at, n, n) for at, n in cells.items())),))
    assert oracle.nearest_multiples(many, attributes, 4) is None
    release = block_counts(counts, k=4, method="round")
    assert "up to twice that" in release.reason
    assert 4 <= release.costs.largest_change < 8


def test_the_best_method_keeps_numbers_exact_and_says_why():
    release = block_counts(by_sex(180, 177, 3), k=11)
    assert release.method == "suppress"
    assert release.reason.startswith("Recommended: suppress; 1 exact count of 3 can be shown.")
    rounded = block_counts(by_sex(180, 177, 3), policy="opensafely")
    assert rounded.method == "round"
    assert all(int(cell.mark) % 5 == 0 for cell in rounded.counts)


def test_tables_that_are_safe_stay_as_they_are():
    counts = by_sex(180, 120, 60)
    release = block_counts(counts, k=11)
    assert shown(release.counts) == shown(counts)
    assert "Nothing needs to be changed" in release.reason


def test_block_takes_tables_and_asks_for_a_minimum_support_of_rows_only():
    assert block(by_sex(180, 177, 3), k=11, method="suppress").costs.masked_further == 1
    with pytest.raises(ThresholdError, match="min_support= is missing"):
        block([["a"]] * 20, k=2)
    with pytest.raises(OptionError, match="tables of counts have no minimum support"):
        block(by_sex(180, 177, 3), k=11, min_support=3)


def test_wrong_options_are_refused():
    counts = by_sex(180, 177, 3)
    with pytest.raises(OptionError, match="it must be one of best, suppress, collapse, round"):
        block_counts(counts, k=11, method="withhold")
    with pytest.raises(OptionError, match="use the method 'round'"):
        block_counts(counts, policy="opensafely", method="suppress")
    with pytest.raises(OptionError, match="base= is too small"):
        block_counts(by_sex(180, 176, 4), k=11, method="round", base=2)
    with pytest.raises(OptionError, match="weights is 'rows'"):
        block_counts(counts, k=11, weights="rows")
    with pytest.raises(TruthError):
        bool(block_counts(counts, k=11))


def test_the_same_tables_give_the_same_release():
    one, other = (block_counts(by_sex(180, 177, 3), k=11) for _ in range(2))
    assert tuple(one.counts) == tuple(other.counts)


@pytest.mark.parametrize("method", [*METHODS, "best"])
def test_tables_without_a_count_are_refused(method):
    (table,) = by_sex(180, 177, 3).tables
    with pytest.raises(OptionError, match="hold no count"):
        block_counts(Counts((replace(table, cells=()),)), k=11, method=method)


@pytest.mark.parametrize("method", [*METHODS, "best"])
def test_tables_that_do_not_add_up_are_refused(method):
    with pytest.raises(InputError, match="the total is 190, but its parts add up to 180"):
        block_counts(by_sex(190, 150, 30), k=11, method=method)
