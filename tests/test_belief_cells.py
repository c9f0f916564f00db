"""Laws of belief in masked counts: counted as all tables that fit say, and samples lie within their errors."""

import os
from fractions import Fraction
from itertools import product
from random import Random

import oracle
import pytest
from hypothesis import given, settings
from test_counts import ATTRIBUTES, crowded, key_of, nodes, published

from discreet import Counts, belief
from discreet.data.counts import UNKNOWN, Cell, Dimension, State, Table
from discreet.disclosure.beliefs.tables import PRIORS
from discreet.disclosure.beliefs.unknowns import Spread, count_values
from discreet.publications.counts import believing
from discreet.publications.counts.believing import judge_drawn
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


def random_table(random, *, most=12):
    """Return a table over two or three attributes, one with groups of values, in which most small counts are masked."""
    names = random.choice(["ab", "ah", "bh", "bh", "abh"])
    attributes, k = [ATTRIBUTES[name] for name in names], random.randint(3, 8)
    people = {kind: random.randint(0, most) for kind in product(*(leaves for leaves, _ in attributes))}
    cells = []
    for at in product(*(nodes(name) for name in names)):
        many = sum(people[kind] for kind in oracle.people_of(at, attributes))
        if 0 < many < k and any(at):
            cells.append(Cell(at, 1, k - 1, State.MASKED))
        elif any(at) and random.random() < (0.6 if all(at) else 0.2):
            cells.append(Cell(at, 0, UNKNOWN, State.MASKED))
        else:
            cells.append(Cell(at, many, many))
    dimensions = tuple(Dimension(one, tuple(nodes(one)[1:]), ATTRIBUTES[one][1]) for one in names)
    return Counts((Table("random", dimensions, tuple(cells)),)), k


def sample(monkeypatch, counts, k, prior, seed):
    """Return for each masked count that is not certain how probable each value is, and what samples say."""
    exact, pairs = [], []

    def keep(unknowns):
        exact[:] = count_values(unknowns, edges=10**6) or []
        return None if exact else [Spread({}, 1)] * unknowns.low.size

    def judge(drawn, columns, k):
        found = judge_drawn(drawn, columns, k)
        pairs.extend(zip([exact[column] for column in columns], found, strict=True))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(believing, "count_values", keep)
        patch.setattr(believing, "judge_drawn", judge)
        patch.setattr(believing, "_judge_spread", lambda _spread, _k: believing._Likely(0, 0, 0, 0, 0, 0, "counted"))
        belief(counts, k=k, prior=prior, seed=seed)
    return pairs


def test_about_95_of_100_samples_lie_within_two_standard_errors(monkeypatch, record_property):
    random, off, unsettled, every = Random(3), [], 0, 0  # noqa: S311 - no secret
    for case in range(400 if LARGE else 60):
        counts, k = random_table(random)
        for spread, one in sample(monkeypatch, counts, k, random.choice(list(PRIORS)), case):
            shares = [(one.belief, one.error, spread.chance(range(1, k)))]
            shares += [(one.chance, one.chance_error, spread.chance([one.likeliest]))]
            every += len(shares)
            unsettled += sum(error is None for _, error, _ in shares)
            off += [abs(share - exact) / error for share, error, exact in shares if error is not None and 0 < exact < 1]
            assert max(spread.weights.values()) <= 2 * spread.weights[one.likeliest]
    inside = sum(one <= 2 for one in off)
    record_property("shares within 2 standard errors", f"{inside} of {len(off)}; {unsettled} of {every} did not settle")
    assert len(off) > 200
    assert inside > 0.93 * len(off)
    assert max(off) < 6
    assert unsettled < 0.05 * every
