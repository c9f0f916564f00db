"""Odd rows: what is looked for, chunk by chunk, is what its definition says."""

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.itemsets import Itemsets
from discreet.data.oddness import Oddness, look_at

WORDS = ["There are only", "There are far", "No row", "One item", "Most rows", "No item", "All"]
ITEMS = 60


def begins(signs):
    return [next(word for word in WORDS if str(sign).startswith(word)) for sign in signs]


@st.composite
def odd_databases(draw):
    """Rows of few items, some with an item of their own, and perhaps a first row of items that no other has."""
    common = st.frozensets(st.integers(0, 3), max_size=3)
    rows = draw(st.lists(common, min_size=8, max_size=30))
    own = draw(st.integers(0, len(rows)))
    rows = [row | {10 + at} if at < own else row for at, row in enumerate(rows)]
    return [frozenset([50, 51]), *rows] if draw(st.booleans()) else rows


@pytest.mark.nojit
@pytest.mark.parametrize("shape", ["baskets", "onehot", "table"])
@given(odd_databases(), st.integers(1, 9), st.sampled_from([ITEMS, 500]))
def test_signs_of_odd_rows_are_those_of_the_definition(shape, rows, chunk, items):
    listed = Itemsets.of([sorted(row) for row in rows])
    expected = oracle.odd_rows(rows, shape, items)
    assert begins(look_at(listed, shape, items)) == expected
    oddness, supports = Oddness(shape), np.bincount(listed.items, minlength=items)
    parts = [listed[start : start + chunk] for start in range(0, len(rows), chunk)]
    for part in parts:
        oddness.add(part)
    oddness.weigh(np.arange(items), supports)
    for part in parts:
        oddness.add_again(part)
    assert begins(oddness.signs(items)) == expected
