"""The figures of Oliveira and Zaïane: rows and sensitive itemsets are chosen as said, and their numbers are counted."""

import math
from fractions import Fraction
from functools import partial
from itertools import combinations

import numpy as np
import oracle
import pytest
from hypothesis import given
from strategies import databases

from discreet import Transactions
from discreet.io import datasets
from reproduction import hiding
from reproduction import run as figures
from reproduction.figure import Point, chosen, figure_csv, figure_svg, figure_text

ROWS = [frozenset(row) for row in datasets.EXAMPLES["pkdd2005"].rows.split()]
LETTERS = sorted(frozenset().union(*ROWS))
few = partial(databases, max_rows=20, max_items=6)


def chosen_by_the_rule(rows):
    """The sensitive itemsets, by the rule in words: what it prefers is asked for in turn."""
    order = list(Transactions(rows).labels)
    itemsets = [frozenset(some) for size in (2, 3, 4, 5) for some in combinations(order, size)]
    frequent = oracle.frequent(rows, max(1, math.ceil(Fraction(len(rows), 10))))
    fits = [one for one in itemsets if Fraction(len(rows), 5) <= frequent.get(one, 0) <= Fraction(2 * len(rows), 5)]
    fits.sort(key=lambda one: (-frequent[one], sorted(map(order.index, one))))
    picked = []
    for turn in range(10):
        free = [one for one in fits if not any(one <= other or other <= one for other in picked)]
        few_first = [one for one in free if 100 * len(oracle.restricted(frequent, [one])) <= len(frequent)] or free
        wanted = [2, 3, 4, 5][turn % 4]
        nearest = min((abs(len(one) - wanted) for one in few_first), default=None)
        near = [one for one in few_first if abs(len(one) - wanted) == nearest]
        used = frozenset().union(*picked)
        shared = [one for one in near if bool(one & used) == (turn % 2 == 1)] or near
        picked += shared[:1]
    return picked


@given(few())
def test_the_sensitive_itemsets_are_those_of_the_rule(rows):
    assert chosen_by_the_rule(rows) == hiding.sensitive_itemsets(Transactions(rows))


@given(few())
def test_the_sensitive_itemsets_are_as_the_paper_says(rows):
    found = hiding.sensitive_itemsets(Transactions(rows))
    assert len(found) <= 10
    assert all(2 <= len(one) <= 5 for one in found)
    assert all(Fraction(1, 5) <= Fraction(oracle.support(one, rows), len(rows)) <= Fraction(2, 5) for one in found)
    assert not any(one < other for one in found for other in found)


def test_the_rows_have_the_shape_of_the_paper():
    rows = hiding.quest_rows(500)
    assert len(rows) == 500
    assert np.diff(rows.offsets).min() >= 40
    assert 400 <= len(rows.labels) <= 500
    assert rows == hiding.quest_rows(500)


@pytest.mark.parametrize(("quick", "asked"), [(True, (figures.FEW,)), (False, ())])
def test_rows_are_generated_and_few_where_it_is_to_be_quick(monkeypatch, quick, asked):
    calls = []
    monkeypatch.setattr(hiding, "quest_rows", lambda *n: calls.append(n) or Transactions(ROWS))
    figure = figures.run("oz02-fig9", quick=quick)
    assert calls == [asked]
    assert {point.data for point in figure.points} == {"quest"}


def on_the_example(name, *, quick=True):
    return figures.run(name, Transactions(ROWS), data="example", quick=quick)


def value_of(point):
    """What a point must show, by the definitions."""
    sensitive = [frozenset(one) for one in hiding.sensitive_itemsets(Transactions(ROWS))]
    share = Fraction(point.disclosure.removesuffix("%")) / 100
    after = oracle.hide(point.method, ROWS, sensitive, [share] * len(sensitive), LETTERS)
    measure = getattr(oracle, hiding.FIELDS[point.measure])
    return 100 * float(measure(ROWS, after, sensitive, point.min_support, point.min_support))


@pytest.mark.parametrize("number", range(5, 11))
def test_the_numbers_are_those_of_the_definitions(number):
    points = [point for point in on_the_example(f"oz02-fig{number}").points if point.method]
    assert len(points) == {5: 16, 10: 8}.get(number, 8)
    assert [value_of(point) for point in points] == pytest.approx([point.value for point in points], abs=1e-4)


def test_the_sizes_are_told_beside():
    points = on_the_example("oz02-fig5").points
    frequent = oracle.found(ROWS, 2)
    sensitive = hiding.sensitive_itemsets(Transactions(ROWS))
    expected = {hiding.FREQUENT: len(frequent), hiding.RESTRICTED: len(oracle.restricted(frequent, sensitive))}
    assert {point.measure: point.value for point in points if not point.method} == expected


def test_the_times_are_over_rows_and_over_itemsets():
    points = on_the_example("oz02-fig11", quick=False).points
    by_rows = chosen(points, measure=hiding.BY_ROWS, method="iga")
    assert [point.n for point in by_rows] == [2, 4, 7, 9, 12]
    by_itemsets = chosen(points, measure=hiding.BY_ITEMSETS, method="iga")
    assert [point.itemsets for point in by_itemsets][:2] == [2, 4]
    assert all(point.value > 0 for point in points)


def test_the_csv_has_the_columns_that_are_used():
    heads = [figure_csv(on_the_example(name)).decode().splitlines()[0] for name in ("oz02-fig5", "oz02-fig11")]
    assert heads == [
        "measure,data,share,min_support,method,disclosure,value",
        "measure,data,share,min_support,method,disclosure,n,itemsets,value",
    ]


@pytest.mark.parametrize("rows", [[], [[]], [[1]], [[1, 2]] * 3])
@pytest.mark.parametrize("number", [5, 6, 10, 11])
def test_where_nothing_can_be_hidden_it_is_said(number, rows):
    figure = figures.run(f"oz02-fig{number}", Transactions(rows), quick=True)
    assert figure.points == []
    assert set(figure.findings) == {hiding.NOTHING}
    assert figure_svg(figure).startswith(b"<svg")
    assert hiding.NOTHING in " ".join("\n".join(figure_text(figure)).split())


def points_of(measure, values):
    """Points of the four methods at some disclosures, and the sizes beside."""
    sizes = [Point(name, "d", "10%", 10, 0, "", 5) for name in (hiding.FREQUENT, hiding.RESTRICTED)]
    return sizes + [
        Point(measure, "d", "10%", 10, 0, method, value, disclosure)
        for disclosure, line in values.items()
        for method, value in zip(("naive", "minfia", "maxfia", "iga"), line, strict=True)
    ]


def test_pairs_in_the_order_of_the_paper_are_counted():
    _, finding, _ = hiding.dissimilar(points_of(hiding.DISSIMILARITY, {"0%": (9, 3, 2, 1)}))
    assert "naive 9 (16.41), maxfia 2 (6.78), minfia 3 (6.35), iga 1 (3.55). 5 of 6 pairs" in finding


def test_disclosures_at_which_iga_is_least_are_counted_on_both_sides_of_the_crossing():
    misses = points_of(
        hiding.MISSES, {"0%": (9, 3, 2, 1), "40%": (9, 1, 1, 2), "50%": (3, 3, 3, 3), "90%": (1, 1, 1, 2)}
    )
    failures = points_of(hiding.FAILURE, {"0%": (0, 0, 1, 0), "50%": (9, 1, 1, 2)})
    *_, hides, finding = hiding.over_disclosure([*misses, *failures])
    assert "here so for 3 of 4 methods" in hides
    assert "at 1 of 2 disclosures up to there, and at 1 of 2 disclosures beyond" in finding
    assert finding.endswith("here none is lower at 1 of 2 disclosures.")


def test_growth_is_told_from_the_ends():
    points = [
        Point(hiding.BY_ROWS, "d", "10%", 0, 0, method, seconds, "0%", n, 10)
        for method in hiding.METHODS
        for n, seconds in ((20, 1.0), (60, 9.0), (100, 4.0))
    ]
    (finding,) = hiding.linear("n")(points)
    assert "here 5 times as many rows take, times as long, naive 4.0, minfia 4.0" in finding
