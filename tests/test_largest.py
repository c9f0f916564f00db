"""The largest itemsets that readers of a schema know all parts of are those that the definition names."""

from itertools import chain, combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.disclosure.attacks.sums import find_largest
from discreet.disclosure.channels import as_bits

pytestmark = pytest.mark.nojit
ITEMS = (0, 1, 5, 63, 64, 70)
itemsets = st.frozensets(st.sampled_from(ITEMS), max_size=4)


def subsets(items):
    return map(frozenset, chain.from_iterable(combinations(sorted(items), size) for size in range(len(items) + 1)))


def is_known(itemset, tops, groups):
    return any(itemset <= top for top in tops) or any(len(itemset & group) > 1 for group in groups)


@given(st.lists(itemsets, min_size=1, max_size=8, unique=True), st.lists(itemsets, min_size=1, max_size=3))
def test_largest_known_itemsets_are_found(tops, groups):
    known = [one for one in subsets(ITEMS) if all(is_known(part, tops, groups) for part in subsets(one))]
    expected = {as_bits(one) for one in known if not any(one < other for other in known)}
    assert {*find_largest([*map(as_bits, tops)], map(as_bits, groups), 71)} == expected
