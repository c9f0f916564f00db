"""Laws of certificates: each proves what it claims from the facts alone, and whatever is changed in it is refused."""

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from functools import cache

import oracle
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from discreet import BudgetError, GuaranteeError, mine
from discreet.disclosure.attacks.attack import attack
from discreet.disclosure.attacks.certificate import (
    NOTHING,
    SPELLED,
    CellSum,
    Certificate,
    Claim,
    Sum,
    check,
    proves,
)
from discreet.disclosure.attacks.facts import Facts
from discreet.disclosure.attacks.finding import Finding
from discreet.disclosure.attacks.formula import Pattern
from discreet.disclosure.attacks.sums import SUM

A, B, C, D = range(4)


def rows_of(**times):
    return [[] if row == "none" else list(row) for row, number in times.items() for _ in range(number)]


E1 = mine(rows_of(b=2, ab=2, ac=2, bc=2, abc=1), min_support=3)
E4 = mine(rows_of(none=1, a=1, b=1, c=1, ab=3, ac=3, bc=3), min_support=3)
CHAIN = mine(rows_of(abc=2, acd=2, b=3, bc=5), min_support=3)
E1_FACTS = Facts.of(E1)


@cache
def found_in(name):
    patterns, k = {"derivable": (E1, 2), "parity": (E4, 2), "chain": (CHAIN, 3)}[name]
    return attack(patterns, k=k, level="derive")


def chained():
    """Return the finding that stands on two lemmas, of which the second needs the first."""
    return next(one for one in found_in("chain").findings if str(one) == "a ∧ c ∧ ¬b: 2 rows")


EXAMPLES = pytest.mark.parametrize("name", ["derivable", "parity", "chain"])


def codes(text):
    return frozenset("abcd".index(letter) for letter in text)


def summed(*terms, within=()):
    return Sum(tuple((codes(text), Fraction(times)) for text, times in terms), tuple(map(codes, within)))


# What follows from absence (E2 of the theory): nobody is outside b ∪ c, and at most 3 rows hold what is not published.
E2 = Facts.of(mine(rows_of(ab=2, ac=2, bc=3, abc=1), min_support=4))
ALL_THREE = Claim(
    Pattern.conjunction([A, B, C]),
    1,
    1,
    summed(("a", 1), ("b", -1), ("c", -1), ("bc", 2), within=["bc"]),
    summed(("ab", 1), ("ac", 1), ("a", -1), within=["bc"]),
)


@EXAMPLES
def test_what_is_found_is_proven(name):
    found = found_in(name)
    found.check()
    assert all(proves(found.facts, finding.certificate) for finding in found.findings)


def test_a_chain_has_lemmas_of_which_each_needs_the_ones_before():
    assert list(chained().steps()) == [
        "sup(ab) is 2, because sup(a) 4 + sup(b) 10 − n 12 = 2, and at most 2 rows hold what is not published",
        "sup(abc) is 2, because sup(ab) 2 + sup(ac) 4 − sup(a) 4 = 2 and sup(ab) 2 = 2 bound it",
    ]


@EXAMPLES
@pytest.mark.parametrize("change", [{"low": 1}, {"high": -1}], ids=["lower", "upper"])
def test_tighter_limits_than_the_sums_prove_are_refused(name, change):
    found = found_in(name)
    assert found.findings
    for finding in found.findings:
        ((side, by),) = change.items()
        claim = finding.certificate.claim
        tighter = replace(claim, **{side: getattr(claim, side) + by})
        assert not proves(found.facts, replace(finding.certificate, claim=tighter))


@pytest.mark.parametrize(("name", "good"), [("lower", ["a", "c"]), ("upper", [""])])
def test_only_cells_that_set_the_limit_are_taken_for_it(name, good):
    (finding,) = found_in("derivable").findings
    claims = {
        cell: replace(finding.certificate.claim, **{name: CellSum(frozenset([cell]))})
        for cell in oracle.subsets(range(3))
    }
    taken = [cell for cell, claim in claims.items() if proves(E1_FACTS, Certificate(claim))]
    assert taken == [codes(text) for text in good]


def test_a_lemma_that_is_missing_changed_or_too_late_is_refused():
    first, second = chained().certificate.lemmas
    wrong = replace(first, low=first.low + 1, high=first.high + 1)
    for lemmas in ((), (first,), (second,), (second, first), (wrong, second)):
        assert not proves(found_in("chain").facts, Certificate(chained().certificate.claim, lemmas))


def test_a_certificate_is_refused_where_another_support_is_published():
    (finding,) = found_in("derivable").findings
    listed = [(itemset, support, support) for itemset, support in E1]
    published = [(at, itemset, support) for at, (itemset, support, _) in enumerate(listed) if itemset]
    assert len(published) == 6
    for at, itemset, support in published:
        other = [*listed[:at], (itemset, support + 1, support + 1), *listed[at + 1 :]]
        assert not proves(Facts.from_limits(other, n=9, absent=2), finding.certificate)


def test_a_certificate_that_stands_on_absence_is_refused_where_the_list_is_not_complete():
    partial = Facts.of(CHAIN, complete=False)
    assert not proves(partial, chained().certificate)


def test_sums_need_only_hold_for_rows_that_are_possible():
    check(E2, [Certificate(ALL_THREE)])
    for name in ("lower", "upper"):
        bound = getattr(ALL_THREE, name)
        assert not proves(E2, Certificate(replace(ALL_THREE, **{name: replace(bound, within=())})))


@pytest.mark.parametrize("name", ["lower", "upper"])
@pytest.mark.parametrize("by", [Fraction(1), Fraction(-1), Fraction(1, 2)], ids=str)
def test_another_multiplier_is_refused(name, by):
    bound = getattr(ALL_THREE, name)
    assert bound.terms
    for at, (itemset, times) in enumerate(bound.terms):
        terms = (*bound.terms[:at], (itemset, times + by), *bound.terms[at + 1 :])
        assert not proves(E2, Certificate(replace(ALL_THREE, **{name: replace(bound, terms=terms)})))


def test_a_support_is_a_whole_number():
    facts = Facts.from_limits([(["a", "b"], 1, 1), (["a", "c"], 1, 1), (["b", "c"], 0, 0)], n=9)
    third = summed(("ab", "1/3"), ("ac", "1/3"), ("bc", "1/3"))
    assert proves(facts, Certificate(Claim(Pattern.conjunction([A, B, C]), 0, 0, NOTHING, third)))
    assert not proves(facts, Certificate(Claim(Pattern.conjunction([A, B, C]), 1, 0, NOTHING, third)))


def test_cells_that_are_none_of_the_pattern_are_refused():
    claim = Claim(Pattern.conjunction([A, B]), 3, 3, CellSum(frozenset([codes("c")])), CellSum())
    with pytest.raises(GuaranteeError, match="a cell that is none of its pattern's items"):
        check(E2, [Certificate(claim)])


def test_empty_cells_of_an_itemset_count_only_if_its_supports_are_exact():
    bound = replace(ALL_THREE.lower, within=(codes("abc"),))
    with pytest.raises(GuaranteeError, match="supports that are not known exactly"):
        check(E2, [Certificate(replace(ALL_THREE, lower=bound))])


def test_too_many_items_at_once_are_refused():
    many = [f"item {number}" for number in range(23)]
    facts = Facts.from_limits([(many, 1, 1)], n=3)
    claim = Claim(Pattern.conjunction(range(23)), 1, 1, Sum(((frozenset(range(23)), Fraction(1)),)), CellSum())
    with pytest.raises(BudgetError, match="speaks of 23 items at once, of which 22 is the limit"):
        check(facts, [Certificate(claim)])


def test_a_sum_of_too_many_supports_is_refused_and_told_by_its_length():
    facts = Facts.from_limits([([str(number) for number in range(24)], 1, 1)], n=3)
    claim = Claim(Pattern.conjunction([], range(24)), 1, 1, CellSum(), CellSum())
    with pytest.raises(BudgetError, match="a sum of 16,777,216 supports, of which 65,536 is the limit"):
        check(facts, [Certificate(claim)])
    assert Finding(Certificate(claim), "plain", facts).sentence.endswith("because a sum of 16,777,216 supports")


@given(rows=st.lists(st.frozensets(st.integers(0, 6)), min_size=1, max_size=9), sigma=st.integers(1, 3))
@settings(max_examples=60)
def test_long_sums_are_those_of_closed_itemsets(rows, sigma):
    found = attack(mine(rows, min_support=sigma), k=4, level="plain")
    assume(found.findings)
    for finding in found.findings:
        terms = SUM.add_up(finding.pattern, 1, found.facts)
        named = {frozenset(found.facts.labels[code] for code in one): many for one, many in terms.items()}
        assert sum(many * oracle.support(one, rows) for one, many in named.items()) == finding.low
        assert len(terms) <= max(SPELLED, len(found.facts))
    found.check()


LONG = """
import resource, sys
from time import monotonic
from discreet import attack, bounds, mine, report

many, level = int(sys.argv[1]), sys.argv[2]
items = [f"item {number:02}" for number in range(many)]
rows = [items] * 50 + [items[:1]] * 2 + [items[: many // 2]] * 20 + [[]] * 20
patterns = mine(rows, min_support=10)
attack(mine([["a", "b"]] * 3 + [["a"]], min_support=2), k=2, level=level)  # loads and compiles
limit = 1 << 32
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
found = attack(patterns, k=3, level=level, seconds=5, max_itemsets=10_000)
found.check()
text = " ".join(report.attack_text(found)) + b"".join(report.attack_json(found)).decode() + found._repr_html_()
query = " & ".join([f"'{items[0]}'", *(f"~'{item}'" for item in items[1:16])])
told = bounds(patterns, query)
print(len(found.findings), len(text) < 20_000, told.low, told.high)
print(found.findings[0].sentence.rpartition("because ")[2].split(" − ")[0])
"""


@pytest.mark.parametrize(("many", "level"), [(40, "plain"), (24, "derive"), (26, "linear"), (30, "exact")])
def test_a_channel_that_lacks_many_items_takes_no_memory(many, level):
    run = subprocess.run([sys.executable, "-c", LONG, str(many), level], capture_output=True, text=True, check=False)
    assert run.stdout.splitlines() == ["1 True 2 2", "sup(item 00) 72"], run.stderr


itemsets = st.frozensets(st.integers(0, 2))
times = st.integers(-2, 2) | st.fractions(-2, 2, max_denominator=3)
bounds = st.builds(CellSum, st.frozensets(itemsets, max_size=2)) | st.builds(
    Sum,
    st.lists(st.tuples(itemsets, times.map(Fraction)), max_size=5).map(tuple),
    st.lists(itemsets, max_size=1).map(tuple),
)


@given(
    rows=st.lists(itemsets, min_size=1, max_size=8),
    sigma=st.integers(1, 4),
    cells=st.frozensets(itemsets, max_size=3),
    limits=st.tuples(st.integers(0, 3), st.integers(0, 8)),
    sums=st.tuples(bounds, bounds),
)
@settings(max_examples=100)
def test_what_is_proven_is_true(rows, sigma, cells, limits, sums):
    facts = Facts.of(mine([[0, 1, 2], *rows], min_support=sigma))
    claim = Claim(Pattern(frozenset(range(3)), cells), *limits, *sums)
    assume(proves(facts, Certificate(claim)))
    held = sum(row in cells for row in [frozenset(range(3)), *rows])
    assert limits[0] <= held <= limits[1]
