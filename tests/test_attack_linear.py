"""Laws of linear and exact attacks and of bounds: what they find holds in every database, and what they must find."""

import os
import random
from dataclasses import replace
from fractions import Fraction
from time import monotonic

import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import GuaranteeError, InconsistencyError, InputError, Transactions, attack, block, detect, mine
from discreet.disclosure.attacks import linear as linear_module
from discreet.disclosure.attacks.attack import bounds
from discreet.disclosure.attacks.certificate import check, proves
from discreet.disclosure.attacks.constraints import Ground, build_system, find_border
from discreet.disclosure.attacks.exact import exact
from discreet.disclosure.attacks.facts import Facts
from discreet.disclosure.attacks.feasible import Clock, Region, Subcube
from discreet.disclosure.attacks.linear import linear
from discreet.io import datasets

LARGE = os.environ.get("DISCREET_LARGE") == "1"
ITEMS = "abc"


def rows_of(text):
    """Return rows from such as ``ab×2 c``: an itemset, and how many rows hold just that."""
    pairs = (part.partition("×") for part in text.split())
    return [[] if row == "∅" else list(row) for row, _, times in pairs for _ in range(int(times or 1))]


# Section C.2 of the theory: the rows, the minimum support, k, and what is inferred.
EXAMPLES = {
    "E1": ("b×2 ab×2 ac×2 bc×2 abc", 3, 2, [("sup(abc) is 1, because", "sup(ac) 3 + sup(b) 7 − n 9")]),
    "E2": ("ab×2 ac×2 bc×3 abc", 4, 2, [("sup(abc) is 1, because", "sup(bc) 4 + sup(a) 5 − n 8")]),
    "E3": (
        "ab×2 ac×2 bc×2 b c",
        3,
        2,
        [("¬a ∧ ¬b holds for exactly 1 row, because", "sup(c) 5"), ("¬a ∧ ¬c holds for exactly 1 row,", "sup(b) 5")],
    ),
    "E5": ("ab×4 abc×4 ad×3 abd×2 bcd×4", 6, 3, [("sup(abd) is 2, because", "sup(bd) 6 + sup(a) 13 − n 17")]),
}
PARITY = "∅ a b c ab×3 ac×3 bc×3"


@pytest.mark.parametrize("search", [linear, exact])
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_of_the_theory_are_found_in_words_and_missed_by_the_plain_detector(name, search):
    text, sigma, k, expected = EXAMPLES[name]
    patterns = mine(rows_of(text), min_support=sigma)
    assert not detect(patterns, k=k)
    found = search(Facts.of(patterns), k=k)
    check(Facts.of(patterns), (finding.certificate for finding in found.findings))
    sentences = sorted(finding.sentence for finding in found.findings)
    assert len(sentences) == len(expected)
    assert all(part in sentence for sentence, parts in zip(sentences, expected, strict=True) for part in parts)
    assert not found.undecided


def test_what_only_parity_tells_is_found_by_the_exact_attacker_alone():
    facts = Facts.of(mine(rows_of(PARITY), min_support=3))
    assert linear(facts, k=2) == ((), (), None)
    (finding,) = exact(facts, k=2).findings
    assert str(finding) == "(a ∧ b ∧ c) ∨ (¬a ∧ ¬b ∧ ¬c): 1 row"


# Small databases, by their rows over three items, with a minimum support and k.
small = st.tuples(
    st.lists(st.sets(st.sampled_from(ITEMS)).map(frozenset), max_size=7),
    st.integers(1, 4),
    st.integers(1, 4),
    st.booleans(),
)


def shown(finding):
    """Return what a finding speaks of by labels: the items, and the cells in which it is true."""
    labels = finding.facts.labels
    named = [frozenset(labels[code] for code in codes) for codes in (finding.pattern.over, *finding.pattern.cells)]
    return named[0], set(named[1:])


@pytest.mark.parametrize("search", [linear, exact])
@settings(max_examples=1000 if LARGE else 60)
@given(case=small)
def test_what_is_found_holds_for_few_rows_of_every_database_that_has_the_release(search, case):
    rows, sigma, k, complete = case
    databases = oracle.compatible(rows, ITEMS, sigma, complete=complete)
    facts = Facts.of(mine(rows, min_support=sigma), complete=complete)
    for own in (None, Transactions(rows)):
        found = search(facts, k=k, rows=own)
        for finding in found.findings:
            over, cells = shown(finding)
            low, high = oracle.limits_of(cells, databases, over)
            assert 1 <= finding.low <= low <= high <= finding.high < k
            assert proves(facts, finding.certificate)


@settings(max_examples=1000 if LARGE else 60)
@given(case=small)
def test_the_exact_attacker_finds_every_conjunction_that_is_rare_in_all_databases(case):
    rows, sigma, k, complete = case
    databases = oracle.compatible(rows, ITEMS, sigma, complete=complete)
    expected = oracle.inferred_conjunctions(databases, ITEMS, k)
    found = exact(Facts.of(mine(rows, min_support=sigma), complete=complete), k=k)
    channels = oracle.channels(rows, sigma, k)
    known = [(base, top - base) for base, top in channels]
    known += [(frozenset(), frozenset())] * (len(rows) < k)  # n is public
    known += [(cell, over - cell) for over, cells in map(shown, found.findings) if len(cells) == 1 for cell in cells]
    # What says more than a rare conjunction is not listed again.
    missing = [pair for pair in expected if not any(has <= pair[0] and lacks <= pair[1] for has, lacks in known)]
    assert len(missing) <= sum(one.many for one in found.undecided)


def expected_bounds(text, databases):
    """Return the limits of a query, from its truth in each cell over all items."""
    cells = {cell for cell in oracle.subsets(ITEMS) if eval(text, {}, {item: item in cell for item in ITEMS})}  # noqa: S307 - ours
    return oracle.limits_of(cells, databases)


QUERIES = ["a", "a and b and c", "a and not b", "not a and not b and not c", "a and b or not c", "a or b or c"]


@settings(max_examples=1000 if LARGE else 60)
@given(case=small, text=st.sampled_from(QUERIES))
def test_bounds_are_the_fewest_and_the_most_rows_of_all_databases(case, text):
    rows, sigma, _, complete = case
    patterns = mine([*rows, list(ITEMS)], min_support=sigma)  # so that each item is known
    databases = oracle.compatible([*rows, frozenset(ITEMS)], ITEMS, sigma, complete=complete)
    found = bounds(patterns, text, complete=complete)
    assert (found.low, found.high) == expected_bounds(text, databases)
    assert found.is_tight
    found.check()
    assert found.certificate.claim.low <= found.low <= found.high <= found.certificate.claim.high


limits = st.fixed_dictionaries(
    {
        itemset: st.tuples(st.integers(0, 2), st.integers(0, 2))
        for itemset in map(frozenset, ["a", "b", "c", "ab", "bc"])
    }
)


@settings(max_examples=500 if LARGE else 40)
@given(
    rows=st.lists(st.sets(st.sampled_from(ITEMS)).map(frozenset), min_size=1, max_size=5),
    slack=limits,
    k=st.integers(2, 4),
    groups=st.sampled_from([[], [["a", "b"]], [["a", "b", "c"]], [["b", "c"]]]),
)
def test_limits_and_schemas_bound_as_all_databases_that_keep_them_do(rows, slack, k, groups):
    rows = [row for row in rows if not any(len(row & set(group)) > 1 for group in groups)]
    told = {
        one: (max(0, oracle.support(one, rows) - less), min(len(rows), oracle.support(one, rows) + more))
        for one, (less, more) in slack.items()
    }
    databases = oracle.databases_within(ITEMS, {**told, **oracle.exactly({frozenset(): len(rows)})}, groups=groups)
    facts = Facts.from_limits([(one, *both) for one, both in told.items()], n=len(rows), schema=groups)
    for text in QUERIES[:4]:
        found = bounds(facts, text)
        assert (found.low, found.high) == expected_bounds(text, databases)
        found.check()
    for search in (linear, exact):
        for finding in search(facts, k=k).findings:
            over, cells = shown(finding)
            low, high = oracle.limits_of(cells, databases, over)
            assert 1 <= finding.low <= low <= high <= finding.high < k
            assert proves(facts, finding.certificate)


@given(itemsets=st.lists(st.sets(st.integers(0, 4)), max_size=6))
def test_the_border_is_what_is_smallest_outside_of_all_tops(itemsets):
    tops = {frozenset(itemset) for itemset in itemsets}
    facts = Facts.from_limits([([str(item) for item in top], 1, 1) for top in tops if top], n=9)
    ground = Ground(facts)
    items = [str(item) for item in sorted(frozenset().union(*tops))]
    named = [{facts.labels[code] for code in ground.codes(found)} for found in find_border(ground, ground.everything)]
    expected = oracle.smallest_outside([{str(item) for item in top} for top in tops] or [set()], items)
    assert set(map(frozenset, named)) == expected


@settings(max_examples=50)
@given(case=small)
def test_the_rows_themselves_are_always_possible(case):
    rows, sigma, _, _ = case
    ground = Ground(Facts.of(mine(rows, min_support=sigma)))
    made = build_system(ground, ground.everything, most=8)
    labels = [ground.facts.labels[item] for item in ground.items]
    own = [frozenset(row) & frozenset(labels) for row in rows]
    possible = {frozenset(label for place, label in enumerate(labels) if kind >> place & 1) for kind in made.rows}
    assert set(own) <= possible


# Releases that the linear program over all items calls threatened: seeds for 4 and for 5 items.
THREATENED = {
    4: "181 193 350 363 419 444 811 947 1240 1569 2068 2125 2370 2641 2647 3026 3196 3413 3603 3755 3874 "
    "3971 3992 4044 4136 4266 4746 4814 4862 4875 4941 4946 5021 5734 5910 5911 5969 6296 6384 6487 6743 "
    "6946 6958 7190 7359 7384 7397 7574 7621 7735 7838 8045 8072 8260 8416 8609 8758 8857 8906 8946 8949 "
    "9080 9156 9269 9273 9373 9510 9775 9812 9885 10305 10453 10615 10751 10855",
    5: "188 189 218 253 256 365 386 410 844 881 988 1241 1345 1399 1428 1495 1513 1524 1530 1569 1606 1757 "
    "1800 1994 2550 2946 3076 3336 3513 3931 4212 4250 4293 4402 4472 4582 4589 4787 4796 4848 5024 5047 "
    "5066 5075 5160 5271 5436 5497 5873 5954 6033 6130 6430 6485 6640 6771 6824 7262 7273 7333 7452 7486 "
    "7546 7595 7764 8308 8330 8463 8604 9181 9217 9250 9398 9490 9686",
}


def seeds(many):
    return list(map(int, THREATENED[many].split()))


def release(seed, many):
    """Return a random release without channels, as patterns and k; None where there are channels."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    chance.choice((0.25, 0.4, 0.6))
    kinds = [[item for item in "abcde"[:many] if chance.random() < 0.6] for _ in range(chance.randint(3, 9))]
    rows = [kind for kind in kinds for _ in range(chance.randint(1, 5))]
    sigma = chance.randint(3, max(3, len(rows) // 2))
    k = chance.randint(2, min(3, sigma - 1))
    patterns = mine(rows, min_support=sigma)
    return None if len(patterns) < 2 or len(detect(patterns, k=k)) else (patterns, k)


def is_threatened(patterns, k):
    """Return whether some conjunction is rare by the linear program over all items."""
    ground = Ground(Facts.of(patterns))
    made = build_system(ground, ground.everything, most=1 << 10)
    region = Region(made, Clock(60.0))
    cubes = [
        Subcube(over, cell) for over in range(ground.everything + 1) for cell in range(over + 1) if not cell & ~over
    ]
    return any(region.is_rare(made.truth(cube.over, [cube.cell]), k) for cube in cubes)


@pytest.mark.parametrize("many", THREATENED)
def test_most_threatened_releases_are_found_with_one_item_more_and_nearly_all_with_two(
    many, monkeypatch, record_property
):
    # Nothing but tops and items beside them: all items at once would find all.
    monkeypatch.setattr(linear_module, "WITNESS_KINDS", 0)
    cases = [release(seed, many) for seed in (range(1, 20_000) if LARGE else seeds(many))]
    if LARGE:
        cases = [case for case in cases if case is not None and is_threatened(*case)]
    found = {
        beyond: sum(bool(linear(Facts.of(patterns), k=k, beyond=beyond).findings) for patterns, k in cases)
        for beyond in (1, 2)
    }
    record_property(f"threatened releases of {many} items found", f"{found[1]}, {found[2]} of {len(cases)}")
    assert found[1] >= 0.9 * len(cases)
    assert found[2] >= 0.99 * len(cases)


@pytest.mark.parametrize("many", THREATENED)
def test_the_releases_counted_are_threatened_indeed(many):
    assert all(is_threatened(*release(seed, many)) for seed in seeds(many)[:6])


def example(name="E2"):
    """Return the facts and the first finding of an example."""
    text, sigma, k, _ = EXAMPLES[name]
    facts = Facts.of(mine(rows_of(text), min_support=sigma))
    return facts, linear(facts, k=k).findings[0]


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("side", ["lower", "upper"])
def test_a_certificate_with_another_multiplier_is_refused(name, side):
    facts, finding = example(name)
    claim = finding.certificate.claim
    bound = getattr(claim, side)
    for at, (itemset, times) in enumerate(bound.terms):
        worse = Fraction(1, 2) * (1 if side == "lower" else -1)
        terms = (*bound.terms[:at], (itemset, times + worse), *bound.terms[at + 1 :])
        changed = replace(claim, **{side: replace(bound, terms=terms)})
        with pytest.raises(GuaranteeError):
            check(facts, [replace(finding.certificate, claim=changed)])


@pytest.mark.parametrize(("low", "high"), [(2, 2), (0, 0)])
def test_a_certificate_that_claims_more_than_it_proves_is_refused(low, high):
    facts, finding = example()
    claim = replace(finding.certificate.claim, low=low, high=high)
    assert not proves(facts, replace(finding.certificate, claim=claim))


def test_a_certificate_that_needs_the_list_to_be_complete_is_refused_where_it_is_not():
    facts, finding = example()
    text, sigma, _, _ = EXAMPLES["E2"]
    other = Facts.of(mine(rows_of(text), min_support=sigma), complete=False)
    assert proves(facts, finding.certificate)
    assert not proves(other, finding.certificate)


@pytest.mark.parametrize("search", [linear, exact])
def test_what_time_does_not_suffice_for_is_undecided(search):
    text, sigma, k, _ = EXAMPLES["E5"]
    found = search(Facts.of(mine(rows_of(text), min_support=sigma)), k=k, seconds=0)
    assert not found.findings
    assert sum(one.many for one in found.undecided) >= 1


def test_where_channels_are_open_two_items_more_are_undecided():
    found = linear(Facts.of(mine(rows_of("ab×3 a c×3 d×3"), min_support=3)), k=2)
    assert [one.why for one in found.undecided] == ["fix the findings first, then test again"]


def test_a_release_of_many_items_is_undecided_for_the_exact_attacker():
    rows = [[str(item) for item in range(13)]] * 3
    assert [one.many for one in exact(Facts.of(mine(rows, min_support=2)), k=2).undecided] == [1]


@pytest.mark.parametrize("search", [linear, exact])
@pytest.mark.parametrize("rows", [[], [[]] * 3, [["a"]], [["a"]] * 2 + [[]] * 2, [["a", "b"]] * 4])
def test_nothing_is_found_where_nothing_is_published_or_all_is_common(search, rows):
    found = search(Facts.of(mine(rows, min_support=2)), k=2)
    assert not found.findings


@pytest.mark.parametrize("level", ["linear", "exact"])
def test_k_above_all_rows_finds_only_what_is_there(level):
    text, sigma, _, _ = EXAMPLES["E1"]
    rows = rows_of(text)
    databases = oracle.compatible(rows, ITEMS, sigma, complete=True)
    findings = attack(mine(rows, min_support=sigma), k=100, level=level).findings
    assert findings
    for finding in findings:
        over, cells = shown(finding)
        assert oracle.limits_of(cells, databases, over) >= (1, 1)


@pytest.mark.parametrize("others", [0, 59, 60, 61])
def test_what_is_found_does_not_depend_on_how_many_other_items_there_are(others):
    # With 60 others, x is item 64, and its bit is the first that no signed word holds.
    rows = [["x", *row] for row in rows_of(EXAMPLES["E1"][0])]
    rows += [[f"m{item:02}"] for item in range(others) for _ in range(3)]
    found = linear(Facts.of(mine(rows, min_support=3)), k=2, rows=Transactions(rows), beyond=1)
    assert [str(finding) for finding in found.findings] == ["a ∧ b ∧ c: 1 row"]


@pytest.mark.parametrize("search", [linear, exact])
def test_the_same_facts_give_the_same_findings(search):
    text, sigma, k, _ = EXAMPLES["E3"]
    facts = Facts.of(mine(rows_of(text), min_support=sigma))
    once, again = ([finding.sentence for finding in search(facts, k=k).findings] for _ in range(2))
    assert once == again


def test_facts_that_no_database_has_are_refused():
    facts = Facts.from_limits([(["a"], 3, 3), (["b"], 3, 3), (["a", "b"], 0, 1)], n=4)
    with pytest.raises(InconsistencyError, match="no database has these supports"):
        bounds(facts, "a & b")


def test_bounds_speak_of_items_that_are_not_frequent_too():
    rows = [["a", "b"]] * 4 + [["a", "c"]] * 2
    found = bounds(mine(rows, min_support=3), "a & c")
    assert (found.low, found.high, found.is_tight) == (0, 2, True)


@pytest.fixture(scope="module")
def chess():
    if not os.environ.get("DISCREET_DATA"):
        pytest.skip("DISCREET_DATA names no folder of data sets")
    try:
        return datasets.load("chess")
    except InputError as error:
        pytest.skip(str(error))


def test_more_is_inferred_of_chess_by_linear_programs(chess, record_property):
    detect(mine(chess, min_support="80%"), k=3)  # compiles
    start = monotonic()
    detect(mine(chess, min_support="80%"), k=3)
    before = monotonic() - start
    release = block(chess, min_support="80%", k=3, method="suppress")
    for name, patterns, own in (("raw", mine(chess, min_support="80%"), chess), ("suppressed", release.patterns, None)):
        facts = Facts.of(patterns)
        start = monotonic()
        found = linear(facts, k=3, rows=own)
        seconds = monotonic() - start
        told = f"{len(found.findings)} inferences in {seconds:.1f} s; mining and detecting takes {before:.1f} s"
        record_property(f"chess 80 %, k = 3, {name}", told)
        check(facts, (finding.certificate for finding in found.findings))
        assert found.findings
    assert "9 ∧ 62 ∧ ¬34 ∧ ¬56: 1 row" in map(str, found.findings)
    assert not found.undecided


def test_bounds_of_chess_are_tight_over_all_its_items(chess):
    release = block(chess, min_support="80%", k=3, method="suppress")
    found = bounds(release.patterns, "9 & 62 & ~34 & ~56")
    assert (found.low, found.high, found.is_tight, found.is_proven) == (1, 1, True, True)
    found.check()
