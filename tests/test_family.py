"""Laws of families: what is told from closed itemsets alone, and which lists are refused."""

from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import detected_databases, large_databases, lengths

from discreet import InconsistencyError, InputError, Patterns, mine
from discreet.data.itemsets import Itemsets
from discreet.data.lattice import Cells, build_family

LISTED = pytest.mark.parametrize("kind", ["frequent", "closed"])


def itemsets(family):
    """Return {itemset: support} of a family."""
    return {frozenset(family.labelled(number)): int(support) for number, support in enumerate(family.supports)}


def counted(family, cells):
    """Return {(base, top): count} of cells of a family."""
    bases = [frozenset(family.labels[item] for item in base) for base in cells.bases]
    tops = [frozenset(family.labelled(int(family.tops[top]))) for top in cells.tops]
    return dict(zip(zip(bases, tops, strict=True), cells.counts.tolist(), strict=True))


@pytest.mark.nojit
@LISTED
@given(case=detected_databases())
def test_a_family_is_made_of_the_closed_itemsets_and_its_tops_are_maximal(kind, case):
    rows, sigma, _ = case
    family = build_family(mine(rows, min_support=sigma, kind=kind))
    assert itemsets(family) == oracle.closed(rows, sigma)
    assert {frozenset(family.labelled(top)) for top in family.tops} == oracle.maximal(rows, sigma).keys()
    assert family.longest == max(map(len, oracle.maximal(rows, sigma)), default=0)


@pytest.mark.nojit
@LISTED
@settings(max_examples=60)
@given(case=detected_databases(), max_length=st.none() | lengths, limit=st.integers(1, 25))
def test_the_cells_of_a_family_are_those_of_its_rows(kind, case, max_length, limit):
    rows, sigma, _ = case
    family = build_family(mine(rows, min_support=sigma, kind=kind, max_length=max_length))
    expected = oracle.rare_cells(oracle.maximal(rows, sigma, max_length), rows, limit)
    assert counted(family, family.cells(limit)) == expected


@settings(max_examples=4)
@given(case=large_databases())
def test_tops_are_maximal_and_cells_those_of_rows_over_many_items(case):
    rows, sigma = case
    rows = [frozenset(row) for row in rows]
    family = build_family(mine(rows, min_support=sigma))
    tops = oracle.maximal_by_levels(rows, sigma)
    assert {frozenset(family.labelled(top)) for top in family.tops} == tops.keys()
    assert counted(family, family.cells(len(rows) + 1)) == oracle.rare_cells(tops, rows, len(rows) + 1)


@given(case=detected_databases(), limit=st.integers(1, 25))
def test_any_closed_itemset_has_its_cells_as_if_it_were_a_top(case, limit):
    rows, sigma, _ = case
    family = build_family(mine(rows, min_support=sigma))
    places, counts = family.smallest_cells(np.arange(family.supports.size), limit)
    found = Counter(
        (frozenset(family.labelled(int(place))), int(count)) for place, count in zip(places, counts, strict=True)
    )
    expected = oracle.rare_cells(oracle.closed(rows, sigma), rows, limit)
    assert found == Counter((top, count) for (_, top), count in expected.items())


@given(case=detected_databases(), max_length=st.integers(1, 6))
def test_lists_from_which_long_itemsets_were_cut_are_known_for_it(case, max_length):
    rows, sigma, _ = case
    family = build_family(mine(rows, min_support=sigma, max_length=max_length))
    longest = max(map(len, oracle.frequent(rows, sigma)), default=0)
    assert family.may_be_cut or longest <= max_length


@pytest.mark.nojit
@LISTED
@pytest.mark.parametrize("length", [1, 2, 3])
def test_a_list_may_be_cut_if_all_parts_of_a_longer_itemset_are_there(kind, length):
    answers = Counter()
    for rows in oracle.subsets(map(frozenset, combinations("abcd", length))):
        family = build_family(mine(rows, min_support=1, kind=kind))
        assert family.may_be_cut == oracle.may_be_cut(rows)
        answers[family.may_be_cut] += 1
    assert min(answers[True], answers[False]) > 0


@pytest.mark.nojit
@settings(max_examples=60)
@given(case=detected_databases(), max_length=st.none() | st.integers(1, 6))
def test_a_list_may_be_cut_whatever_its_supports_are(case, max_length):
    rows, sigma, _ = case
    family = build_family(mine(rows, min_support=sigma, max_length=max_length))
    assert family.may_be_cut == oracle.may_be_cut(oracle.frequent(rows, sigma, max_length))


@pytest.mark.nojit
def test_itemsets_that_are_not_closed_are_refused_unless_longer_ones_may_be_missing():
    pairs = [(list(word), 2) for word in ("ab", "ac", "bc")]
    with pytest.raises(InconsistencyError, match="have in common is not listed"):
        build_family(Patterns.from_itemsets([([], 3), *pairs[:2]], n=3, kind="closed"))
    assert len(build_family(Patterns.from_itemsets([([], 3), *pairs], n=3, kind="closed")).tops) == len(pairs)


@pytest.mark.parametrize("many", [3, 70, 300])
def test_more_than_a_thousand_tops_are_taken_in_parts(many):
    # As many tops as pairs of 60 items, and more where there are more items than pairs need.
    rows = [[one, other] for one in range(60) for other in range(one)] + [[60 + item] for item in range(many)]
    family = build_family(mine(rows, min_support=1))
    cells = family.cells(2)
    assert family.tops.size == 60 * 59 // 2 + many
    assert sorted(cells.tops.tolist()) == list(range(family.tops.size))
    assert set(cells.counts.tolist()) == {1}
    assert {frozenset(base.tolist()) for base in cells.bases} == set(map(frozenset, rows))


@pytest.mark.nojit
def test_no_parts_are_no_cells():
    cells = Cells.concat([])
    assert (len(cells.tops), len(cells.bases), len(cells.counts)) == (0, 0, 0)


@pytest.mark.nojit
@given(parts=st.lists(st.lists(st.lists(st.integers(0, 5), max_size=3), max_size=3), max_size=4))
def test_parts_are_put_together_in_order(parts):
    def cells(bases):
        return Cells(
            np.arange(len(bases), dtype=np.int32), Itemsets.of(bases), np.array(list(map(len, bases)), dtype=np.int64)
        )

    found, bases = Cells.concat([cells(part) for part in parts]), [base for part in parts for base in part]
    assert [base.tolist() for base in found.bases] == bases
    assert found.counts.tolist() == list(map(len, bases))


@pytest.mark.nojit
@given(itemsets=st.lists(st.lists(st.integers(0, 9), max_size=4), min_size=1), data=st.data())
def test_itemsets_are_taken_in_the_order_asked_for(itemsets, data):
    numbers = data.draw(st.lists(st.integers(0, len(itemsets) - 1)))
    offsets = np.cumsum([0, *map(len, itemsets)], dtype=np.int64)
    items = np.array([item for itemset in itemsets for item in itemset], dtype=np.int32)
    starts, chosen = Itemsets(offsets, items).take(np.array(numbers, dtype=np.int64)).flat
    assert [chosen[start:stop].tolist() for start, stop in pairwise(starts)] == [itemsets[number] for number in numbers]


@pytest.mark.nojit
def test_maximal_itemsets_are_no_family():
    with pytest.raises(InputError, match="maximal itemsets do not tell the supports of their subsets; give the rows"):
        build_family(Patterns.from_itemsets([(["a"], 1)], n=2, kind="maximal"))


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("pairs", "kind", "flaw", "itemset", "other"),
    [(["", "a", "ab"], "frequent", "missing", "b", "ab"), (["ab", "ac", "abcd", ""], "closed", "missing", "a", "ab")],
)
def test_a_flaw_is_told_by_its_labels_and_not_in_the_message(pairs, kind, flaw, itemset, other):
    patterns = Patterns.from_itemsets([(list(word), 5) for word in pairs], n=5, kind=kind)
    with pytest.raises(InconsistencyError) as caught:
        build_family(patterns)
    error = caught.value
    assert (error.flaw, error.itemset, error.other) == (flaw, frozenset(itemset), frozenset(other))
    assert not any(f" {letter} " in f" {error} " for letter in "bcd")
