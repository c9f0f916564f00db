"""Laws of belief in masked counts: counted as all tables that fit say, and samples lie within their errors."""

import json
import os
import subprocess
import sys
from fractions import Fraction
from itertools import product
from math import factorial, prod
from random import Random

import oracle
import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_counts import ATTRIBUTES, crowded, key_of, nodes, published, with_shares

from discreet import Counts, InputError, OptionError, ThresholdError, audit, belief
from discreet.cli import main
from discreet.data.counts import UNKNOWN, Cell, Dimension, Ratio, State, Table
from discreet.disclosure.beliefs.tables import PRIORS
from discreet.disclosure.beliefs.unknowns import Spread, count_values
from discreet.publications.counts import believing
from discreet.publications.counts.believing import judge_drawn
from discreet.publications.counts.equations import list_equations
from discreet.publications.counts.older import join_releases

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


def count_small(spread, k):
    return sum((share for value, share in spread.items() if 0 < value < k), Fraction(0))


def compare(case, prior):
    expected, k = expect(case, prior), case[3]
    found = belief(case[2], k=k, prior=prior, limit=1000)
    ranks = {}
    for key, (spread, says_small) in expected.items():
        ranks[key] = max(spread.values()) if says_small else count_small(spread, k)
    for one in found.cells:
        spread, says_small = expected[one.key]
        assert one.belief == count_small(spread, k)
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


@pytest.mark.parametrize("prior", PRIORS)
@settings(max_examples=500 if LARGE else 100)
@given(case=with_shares())
def test_published_shares_are_used(prior, case):
    total, parts, shares, k, _ = case
    tables = oracle.counts_with_shares(total, parts, shares)
    ways = {one: factorial(one[0]) // prod(map(factorial, one[1:])) if prior == "entropy" else 1 for one in tables}
    at, said = [(None,), ("x",), ("y",), ("z",)], [total, *parts]
    states = [State.EXACT if low == high else State.MASKED for low, high in said]
    cells = [Cell(where, *limits, state) for where, limits, state in zip(at, said, states, strict=True)]
    ratios = tuple(Ratio(at[1 + one], (None,), *share) for one, share in enumerate(shares) if share is not None)
    table = Table("shares", (Dimension("v", ("x", "y", "z")),), tuple(cells), ratios=ratios)
    found = belief(Counts((table,)), k=k, prior=prior)
    expected = dict(zip((key_of("v", where) for where in at), oracle.spreads(ways), strict=True))
    has_one_length = len({one[0] for one in tables}) == 1
    assert found.looked_at == states.count(State.MASKED) or (prior == "entropy" and not has_one_length)
    for one in found.cells if prior == "uniform" or has_one_length else ():
        assert (one.belief, one.how) == (count_small(expected[one.key], k), "counted")
        assert one.chance == expected[one.key][one.likeliest] == max(expected[one.key].values())


@pytest.mark.parametrize("prior", PRIORS)
@settings(max_examples=300 if LARGE else 60)
@given(data=st.data())
def test_people_of_an_older_release_are_among_those_of_a_newer_one(prior, data):
    attributes, k = [ATTRIBUTES["b"], (("old", "new"), {})], 3
    people = {kind: data.draw(st.integers(0, 3)) for kind in product(*(leaves for leaves, _ in attributes))}
    said, tables = {}, {None: [], "old": []}
    for date, node in product(tables, nodes("b")):
        many = sum(people[kind] for kind in oracle.people_of((node, date), attributes))
        is_masked = node is not None and data.draw(st.booleans())
        said[node, date] = (0, sum(people.values())) if is_masked else (many, many)
        state = State.MASKED if is_masked else State.EXACT
        tables[date].append(Cell((node,), *((0, UNKNOWN) if is_masked else said[node, date]), state))
    dimension = Dimension("b", tuple(nodes("b")[1:]))
    new, old = (Counts((Table("t", (dimension,), tuple(cells)),)) for cells in tables.values())
    joint, doubts = join_releases(new, [old], grown=True)
    assume(not doubts)
    cells = [*said, *((node, "new") for node in nodes("b"))]
    expected = oracle.spreads_of_cells(cells, attributes, said, prior)
    found = belief(joint, k=k, prior=prior)
    assert not found.left_out
    for one in found.cells:
        at = one.key.value("b"), None if one.key.counted == "people" else "old"
        assert one.belief == count_small(expected[at], k)
        assert one.chance == expected[at][one.likeliest]


WARDS = [(None, 100, 100), ("a", 88, 88), ("b", 0, 100), ("c", 0, 100)]


def wards(*lines):
    """Return a table of wards from values and limits; those without one value are masked."""
    cells = [Cell((ward,), low, high, State.EXACT if low == high else State.MASKED) for ward, low, high in lines]
    values = tuple(ward for ward, *_ in lines if ward)
    return Counts((Table("wards", (Dimension("ward", values),), tuple(cells)),))


def test_twelve_people_are_divided_between_two_wards_in_4096_ways():
    b, c = belief(wards(*WARDS), k=10).cells
    assert (b.words, b.belief, b.likeliest, b.chance) == ("ward b", Fraction(4016, 4096), 6, Fraction(924, 4096))
    assert (c.words, c.belief, c.expected, c.says_small) == ("ward c", b.belief, 6, False)
    b, c = belief(wards(*WARDS), k=10, prior="uniform").cells
    assert (b.belief, b.likeliest, b.chance) == (Fraction(9, 13), 0, Fraction(1, 13))
    assert audit(wards(*WARDS), k=10).findings == ()


def test_a_count_whose_mask_says_that_it_is_small_is_ranked_by_its_likeliest_value():
    found = belief(wards(WARDS[0], ("a", 0, 90), ("b", 1, 9), ("c", 86, 86)), k=10)
    assert [(one.words, one.rank == one.chance, one.says_small) for one in found.cells] == [
        ("ward a", False, False),
        ("ward b", True, True),
    ]
    assert found.cells[1].belief == 1
    assert "ward b is 7; the mask says 1 to 9 (counted; " in str(found)


@pytest.mark.parametrize(
    ("lines", "prior", "why"),
    [
        ([("a", 88, 88), ("b", 1, 9)], "uniform", believing.LONE),
        ([(None, 50, UNKNOWN), ("a", 50, 50), ("b", 0, UNKNOWN)], "uniform", believing.ENDLESS),
        ([(None, 0, 90), ("a", 50, 50), ("b", 1, 9)], "entropy", believing.CHANGING),
    ],
)
def test_what_is_left_out_says_why(lines, prior, why):
    found = belief(wards(*lines), k=10, prior=prior)
    assert (len(found.cells), found.looked_at, found.largest) == (0, 0, 0)
    masked = sum(low < high for _, low, high in lines)
    assert [(one.many, one.why) for one in found.left_out] == [(masked, why)]
    assert f"Left out: {masked} masked counts: {why}." in str(found)


def test_counts_that_tables_share_but_none_lists_are_counted_too():
    names, attributes = ["a", "b", "c"], [ATTRIBUTES[name] for name in "abc"]
    tables = [
        Table(pair, tuple(Dimension(one, ATTRIBUTES[one][0]) for one in pair), (Cell((None, None), 6, 6), *cells))
        for pair in ("ab", "ac")
        for cells in [[Cell(at, 0, 3, State.MASKED) for at in product(*(ATTRIBUTES[one][0] for one in pair))]]
    ]
    assert not compare((names, attributes, Counts(tuple(tables)), 3, 1), "entropy")


def test_counts_that_contradict_each_other_are_refused():
    with pytest.raises(InputError, match="no counts of people fit"):
        belief(wards((None, 9, 9), ("a", 0, 3), ("b", 0, 3)), k=3)
    pairs = [Cell(at, 0, 1, State.MASKED) for at in product("xyz", "pqr")]
    sides = [Cell((value, None), 3, 3) for value in "xy"] + [Cell((None, value), 1, 1) for value in "pqr"]
    dimensions = Dimension("s", tuple("xyz")), Dimension("t", tuple("pqr"))
    with pytest.raises(InputError, match="no counts of people fit"):
        belief(Counts((Table("", dimensions, (*pairs, *sides)),)), k=3)


def test_no_more_than_the_limit_are_listed_and_what_there_was_no_time_for_is_said():
    found = belief(wards(*WARDS), k=10, limit=1)
    assert (len(found.cells), [one.why for one in found.left_out]) == (
        1,
        ["only the 1 largest probabilities are listed"],
    )
    found = belief(wards(*WARDS), k=10, seconds=0)
    assert [str(one) for one in found.left_out] == ["2 masked counts: the 0 seconds were over"]


def test_ctrl_c_ends_it(monkeypatch):
    def interrupt(*_given, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(believing, "count_values", interrupt)
    with pytest.raises(KeyboardInterrupt):
        belief(wards(*WARDS), k=10)


def test_too_many_unknown_counts_are_left_out(monkeypatch):
    monkeypatch.setattr(believing, "MOST", 1)
    assert [one.why for one in belief(wards(*WARDS), k=10).left_out] == [believing.LARGE]


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"schema": "="}, OptionError, "for tables of counts, give k, prior, limit, seed and seconds alone"),
        ({"complete": True}, OptionError, "for tables of counts, give k, prior, limit, seed and seconds alone"),
        ({"prior": "flat"}, OptionError, "the prior is 'flat'; it must be one of entropy, uniform"),
        ({"k": 0}, ThresholdError, "k is '0'; give a whole number from 1 on"),
        ({"limit": 0}, OptionError, "limit is 0; give a whole number of at least 1"),
        ({"seed": -1}, OptionError, "seed is -1; give a whole number of at least 0"),
    ],
)
def test_wrong_options_are_refused_in_one_sentence(options, error, sentence):
    with pytest.raises(error, match=sentence):
        belief(wards(*WARDS), **{"k": 10, **options})


def test_it_says_its_prior_and_that_it_is_no_proof_in_each_form():
    for prior, words in PRIORS.items():
        found = belief(wards(*WARDS), k=10, prior=prior)
        assert f"Prior {prior}: {words}." in str(found)
        assert "This is no proof: it depends on the prior." in str(found).splitlines()
        assert (found.facts()["prior"], found.facts()["is_proof"]) == (prior, False)
        assert found.cells.to_pandas().to_dict("records") == found.cells.to_dicts() == found.facts()["cells"]
        assert found.cells.to_polars().to_dicts() == found.cells.to_dicts()
    assert repr(belief(wards(*WARDS), k=10)) == "<CellBelief: 2 masked counts, the largest 0.980, prior entropy, k=10>"


def test_a_table_without_masks_has_nothing_to_believe():
    found = belief(wards((None, 9, 9), ("a", 4, 4), ("b", 5, 5)), k=10)
    assert (len(found.cells), found.looked_at, found.left_out, found.largest) == (0, 0, (), 0)


SAMPLE = """
from itertools import product
from discreet import Counts, belief
from discreet.data.counts import Cell, Dimension, State, Table
from discreet.publications.counts import believing
believing.count_values = lambda _: None
sides = [Cell((None, None), 30, 30), Cell(("x", None), 9, 9), Cell((None, "p"), 14, 14)]
cells = (*sides, *(Cell(at, 0, 30, State.MASKED) for at in product("xy", "pq")))
counts = Counts((Table("", (Dimension("s", ("x", "y")), Dimension("t", ("p", "q"))), cells),))
for one in belief(counts, k=5).cells:
    print(one[1:])
"""


def test_results_are_the_same_with_and_without_the_jit():
    runs = [
        subprocess.run(
            [sys.executable, "-c", SAMPLE],
            check=True,
            capture_output=True,
            env={**os.environ, "NUMBA_DISABLE_JIT": jit},
        ).stdout
        for jit in "10"
    ]
    assert runs[0] == runs[1] != b""
    assert b"sampled" in runs[0]


def test_the_command_tells_the_same_as_the_library(tmp_path):
    file = tmp_path / "wards.csv"
    file.write_text("ward,n\nTotal,100\na,88\nb,*\nc,*\n")
    command = ["belief", str(file), "-k", "10", "--counts", "--masked", "*=0..100"]
    told = json.loads(CliRunner().invoke(main, [*command, "--json"]).stdout)
    assert told["cells"] == belief(wards(*WARDS), k=10).facts()["cells"]
    assert (told["report"], told["is_proof"]) == ("belief", False)
    text = CliRunner().invoke(main, [*command, "--prior", "uniform", "--quiet"]).stdout
    assert "0.692  ward b is 1 to 9; likeliest 0 (0.076) (counted; 6.0 expected)" in text
    found = [CliRunner().invoke(main, [*command, *more]) for more in (["--partial"], ["--min-support", "3"])]
    assert [one.exit_code for one in found] == [2, 2]
    assert [one.output.splitlines()[-1] for one in found] == [
        f"error: {flag} is not for tables of counts; leave one out" for flag in ("--partial", "--min-support")
    ]


@pytest.mark.parametrize("prior", PRIORS)
def test_a_value_of_several_is_an_attribute_of_its_own(prior):
    wards, drugs = Dimension("ward", ("a", "b")), Dimension("drug", ("x", "y"), overlapping=True)
    told = {("a", None): (2, 5), ("a", "x"): (2, 2), ("b", "x"): (1, 1), ("a", "y"): (1, UNKNOWN), ("b", "y"): (2, 2)}
    states = {"x": State.EXACT, "y": State.MASKED, None: State.LIMITS}
    cells = [Cell(at, *ends, State.EXACT if at == ("b", "y") else states[at[1]]) for at, ends in told.items()]
    counts = Counts((Table("several", (wards, drugs), (Cell((None, None), 7, 7), *cells)),))
    # In each ward: people with neither, with x alone, with y alone, and with both.
    kinds = [[some for some in product(range(8), repeat=4) if some[1] + some[3] == with_x] for with_x in (2, 1)]
    weights = {}
    for a, b in product(*kinds):
        if sum(a) + sum(b) == 7 and 2 <= sum(a) <= 5 and a[2] + a[3] >= 1 and b[2] + b[3] == 2:
            key = a[2] + a[3], sum(a)
            weights[key] = weights.get(key, 0) + Fraction(1, prod(map(factorial, (*a, *b))))
    if prior == "uniform":
        weights = dict.fromkeys(weights, 1)
    [found] = belief(counts, k=3, prior=prior).cells
    assert str(found.key) == "drug y, ward a"
    small = sum(weight for (value, _), weight in weights.items() if value < 3)
    assert found.belief == Fraction(small) / sum(weights.values())
