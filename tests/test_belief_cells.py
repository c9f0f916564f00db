"""Laws of belief in masked counts: counted as all tables that fit say, and samples lie within their errors."""

import os
from fractions import Fraction
from itertools import product

import oracle
import pytest
from hypothesis import given, settings
from test_counts import crowded, key_of, nodes, published

from discreet import belief
from discreet.data.counts import State
from discreet.disclosure.beliefs.tables import PRIORS
from discreet.publications.counts.equations import list_equations

LARGE = os.environ.get("DISCREET_LARGE") == "1"


def expect(case, prior):
    """Return by enumeration how probable each value of each masked count is, with what its mask says."""
    names, attributes, counts, k, _ = case
    equations = list_equations(counts)
    whole = {key_of(names, cell): cell for cell in product(*(nodes(name) for name in names))}
    total = next(cell for cell in counts.tables[0].cells if not any(cell.at))
    ends = zip(equations.keys, equations.low.tolist(), equations.high.tolist(), strict=True)
    said = {whole[key]: (low, min(high, total.high)) for key, low, high in ends}
    spreads = oracle.spreads_of_cells(list(said), attributes, said, prior)
    hidden = zip(equations.keys, equations.states.tolist(), equations.low, equations.high, strict=True)
    return {
        key: (spreads[whole[key]], bool(state == State.MASKED and low >= 1 and high < k))
        for key, state, low, high in hidden
        if state == State.MASKED or (state == State.ABSENT and counts.tables[0].absent is not None)
    }


def compare(case, prior):
    expected, k = expect(case, prior), case[3]
    found = belief(case[2], k=k, prior=prior)
    ranks = {}
    for key, (spread, says_small) in expected.items():
        small = sum((share for value, share in spread.items() if 0 < value < k), Fraction(0))
        ranks[key] = max(spread.values()) if says_small else small
    for one in found.cells:
        spread, says_small = expected[one.key]
        assert one.belief == sum(share for value, share in spread.items() if 0 < value < k)
        assert (one.chance, one.rank, one.says_small) == (max(spread.values()), ranks[one.key], says_small)
        assert one.likeliest == min(value for value, share in spread.items() if share == one.chance)
        assert one.expected == pytest.approx(float(sum(value * share for value, share in spread.items())))
        assert (one.error, one.chance_error, one.how) == (0, 0, "counted")
    left_out = sum(one.many for one in found.left_out)
    assert found.looked_at + left_out == len(expected)
    listed = {one.key for one in found.cells}
    assert left_out or listed == {key for key, rank in ranks.items() if rank >= 0.01}
    assert [one.rank for one in found.cells] == sorted((one.rank for one in found.cells), reverse=True)
    return left_out


@pytest.mark.parametrize("prior", PRIORS)
@settings(max_examples=3000 if LARGE else 150)
@given(case=published())
def test_beliefs_are_the_shares_of_all_tables_that_fit(prior, case):
    compare(case, prior)


@pytest.mark.parametrize("prior", PRIORS)
@settings(max_examples=500 if LARGE else 40)
@given(case=crowded())
def test_beliefs_in_crowded_tables_are_shares_of_all_tables_too(prior, case):
    assert not compare(case, prior)
