"""Laws of acyclic hypergraphs: against Graham's reduction."""

import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.data.itemsets import Itemsets
from discreet.disclosure.channels import is_acyclic

pytestmark = pytest.mark.nojit

itemsets = st.integers(0, 2**6 - 1).map(lambda bits: frozenset(item for item in range(6) if bits >> item & 1))


def ours(family):
    """Return what we say of the itemsets, in their order."""
    return is_acyclic(Itemsets.of(map(sorted, family)))


def maximal(family):
    return [itemset for itemset in dict.fromkeys(family) if not any(itemset < other for other in family)]


@settings(max_examples=2000)
@given(family=st.lists(itemsets, max_size=8))
def test_tops_are_acyclic_if_and_only_if_graham_leaves_nothing(family):
    assert ours(maximal(family)) == oracle.is_acyclic(family)


@settings(max_examples=300)
@given(family=st.lists(itemsets, max_size=8))
def test_itemsets_within_others_change_nothing(family):
    assert ours(family) == oracle.is_acyclic(family)


@settings(max_examples=300)
@given(family=st.lists(itemsets, max_size=8), random=st.randoms(use_true_random=False))
def test_the_order_of_the_itemsets_does_not_matter(family, random):
    assert ours(random.sample(family, len(family))) == ours(family)


@pytest.mark.parametrize(
    ("family", "expected"),
    [
        ([], True),
        ([""], True),
        (["ab"], True),
        (["ab", "bc", "ca"], False),
        (["ab", "bc", "ca", "abc"], True),
        (["abc", "cde", "efa"], False),
        (["abc", "cde", "efa", "ace"], True),
        (["ab", "cd"], True),
        (["ab", "bc", "cd", "da"], False),
    ],
)
def test_examples_of_the_books(family, expected):
    assert ours([frozenset(map(ord, word)) for word in family]) == expected
