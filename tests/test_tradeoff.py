"""Laws of the trade-off: each number of the grid against the definitions."""

from fractions import Fraction

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import small_databases

from discreet import ThresholdError, Transactions, tradeoff

counts = st.lists(st.integers(1, 22), min_size=1, max_size=4)


def smallest_safe(rows, k, least):
    """Return the smallest safe minimum support, None where it publishes nothing though n rows could be told of."""
    sigma = oracle.smallest_safe(rows, k, least)
    return None if sigma == len(rows) + 1 > least else sigma


@pytest.mark.nojit
@settings(max_examples=100)
@given(rows=small_databases(), sigmas=counts, ks=counts)
def test_the_grid_holds_what_each_release_would_tell(rows, sigmas, ks):
    grid = tradeoff(rows, min_supports=sigmas, ks=ks)
    assert (grid.n, grid.min_supports, grid.ks) == (len(rows), tuple(sorted(set(sigmas))), tuple(sorted(set(ks))))
    assert grid.itemsets.tolist() == [len(oracle.closed(rows, sigma)) for sigma in grid.min_supports]
    for line, sigma in enumerate(grid.min_supports):
        for column, k in enumerate(grid.ks):
            assert grid.channels[line, column] == len(oracle.maximal_channels_by_tops(rows, sigma, k))
            assert grid.exposed[line, column] == len(oracle.exposed(rows, sigma, k))
    assert grid.channels.shape == grid.exposed.shape == (len(grid.min_supports), len(grid.ks))


@pytest.mark.nojit
@settings(max_examples=100)
@given(rows=small_databases(), sigmas=counts, ks=counts)
def test_the_smallest_safe_support_is_that_of_the_definition(rows, sigmas, ks):
    assert tradeoff(rows, min_supports=sigmas, ks=ks).safe == {k: smallest_safe(rows, k, min(sigmas)) for k in ks}


@pytest.mark.nojit
@settings(max_examples=30)
@given(rows=small_databases(), k=st.integers(1, 22), at_once=st.integers(1, 9))
def test_the_smallest_safe_support_does_not_hang_on_how_many_are_looked_at_together(rows, k, at_once):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("discreet.judging.tradeoff.AT_ONCE", at_once)
        assert tradeoff(rows, min_supports=[1], ks=[k]).safe == {k: smallest_safe(rows, k, 1)}


@given(rows=small_databases(), sigmas=counts, ks=counts, random=st.randoms(use_true_random=False))
def test_order_and_repetition_of_what_is_asked_do_not_matter(rows, sigmas, ks, random):
    one = tradeoff(rows, min_supports=sigmas, ks=ks)
    other = tradeoff(
        Transactions(rows),
        min_supports=random.sample([*sigmas, *sigmas], 2 * len(sigmas)),
        ks=random.sample([*ks, *ks], 2 * len(ks)),
    )
    assert (one.min_supports, one.ks, one.safe) == (other.min_supports, other.ks, other.safe)
    for name in ("itemsets", "channels", "exposed"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@given(rows=small_databases().filter(bool), data=st.data())
def test_a_share_is_the_count_it_stands_for(rows, data):
    count = data.draw(st.integers(1, len(rows)))
    one = tradeoff(rows, min_supports=[count], ks=[3])
    shares = [Fraction(count, len(rows)), count / len(rows), str(count)]
    other = tradeoff(rows, min_supports=shares, ks=[3])
    assert (one.min_supports, one.safe, one.channels.tolist()) == (
        other.min_supports,
        other.safe,
        other.channels.tolist(),
    )


@pytest.mark.nojit
def test_rows_and_ks_may_come_one_by_one():
    rows = [["a", "b"]] * 6 + [["a"]] * 3
    grid = tradeoff(iter(rows), min_supports=iter(["50%", 6]), ks=iter([2, 4]))
    assert (grid.min_supports, grid.ks, grid.channels.tolist()) == ((5, 6), (2, 4), [[0, 1], [0, 1]])


@pytest.mark.nojit
def test_no_rows_have_no_channels():
    grid = tradeoff([], min_supports=[1, 3], ks=[2])
    assert (grid.n, grid.itemsets.tolist(), grid.channels.tolist(), grid.exposed.tolist()) == (
        0,
        [0, 0],
        [[0], [0]],
        [[0], [0]],
    )
    assert grid.safe == {2: 1}


@pytest.mark.nojit
@pytest.mark.parametrize(("min_supports", "ks"), [([], [2]), ([1], []), ([], [])])
def test_a_grid_has_a_line_and_a_column(min_supports, ks):
    with pytest.raises(ThresholdError, match="nothing to compare; give at least one minimum support and one k"):
        tradeoff([["a"]], min_supports=min_supports, ks=ks)
