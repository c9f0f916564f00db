"""Laws of "safe": what RELEASE, a silent attacker and ``block`` promise holds in every database that there can be.

A case is a small database, with or without a schema, and a list of its itemsets: whole, partial, maximal, with gaps, of
the largest supports, or rounded. The oracle enumerates all databases that fit the list.
"""

import os
from math import comb

import oracle
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from discreet import Patterns, Verdict, attack, audit, block, mine, read_facts
from discreet.disclosure.attacks.facts import Facts

CASES = 20_000 if os.environ.get("DISCREET_LARGE") else 520
LAWS = 10
MOST = 60_000
"""How many databases are enumerated at most."""
GROUPS = {3: ((), (), ("ab",)), 4: ((), ("ab",), ("abc",), ("ab", "cd")), 5: (("abc", "de"), ("ab", "cd"), ("abcd",))}
"""Items that exclude each other, by the number of items."""

levels = st.sampled_from(["plain", "derive", "linear", "exact"])
methods = st.sampled_from(["suppress", "add", "withhold", "optimal", "best"])
sigmas = st.integers(1, 5)
many = settings(max_examples=CASES // LAWS)


@st.composite
def databases(draw, limit=MOST):
    """Rows over 3 to 5 items, groups of items that exclude each other, and k: most different rows stand k times."""
    size = draw(st.sampled_from([3, 3, 3, 4, 5]))
    groups = draw(st.sampled_from(GROUPS[size]))
    kinds = oracle.kinds_of_rows("abcde"[:size], groups)
    most = next(n for n in range(40) if comb(n + len(kinds), n + 1) > limit)
    k = draw(st.integers(2, 3))
    counts = draw(st.lists(st.sampled_from([1, k, k, k, k + 1, k + 2, 2 * k]), min_size=1, max_size=most))
    chosen = draw(st.permutations(kinds))
    rows = [kind for kind, count in zip(chosen, counts, strict=False) for _ in range(count)]
    return rows[:most], groups, k


def whole(rows, groups, sigma, *, complete=True):
    """Return what the list of all itemsets that reach sigma says, to whoever knows that it is whole or does not."""
    listed = {frozenset(): len(rows), **oracle.frequent(rows, sigma)}
    return oracle.Published(oracle.exactly(listed), groups, sigma - 1 if complete else None)


def released(release):
    """Return what a release says; None where too many databases may fit it."""
    n, listed = release.patterns.n, dict(release.patterns)
    if comb(n + 2 ** len(frozenset().union(*listed)) - 1, n) > MOST:
        return None
    return oracle.released(listed, n, release.patterns.min_support - 1 if release.is_whole else None)


def is_true(finding, published, k):
    """Return whether what an attacker found is true in all databases."""
    over, *cells = (
        frozenset(finding.facts.labels[code] for code in codes)
        for codes in (finding.pattern.over, *finding.pattern.cells)
    )
    return published.follows(over, cells, k)


def check_attack(source, published, k, level, **options):
    """Whatever is found is true everywhere, and who finds nothing misses nothing that the level promises to find."""
    found = attack(source, k=k, level=level, schema=published.schema, **options)
    assert all(is_true(finding, published, k) for finding in found.findings)
    assert not (found.is_safe and published.is_told(level, k))


def check_audit(source, published, k, **options):
    found = audit(source, k=k, schema=published.schema, **options)
    assert not (found.verdict is Verdict.RELEASE and published.is_told_by_sums(k))


@many
@given(case=databases(), sigma=sigmas, level=levels, complete=st.booleans())
def test_a_whole_or_partial_list_is_safe_only_where_nothing_follows(case, sigma, level, complete):
    rows, groups, k = case
    assume(len(rows) >= sigma)
    published = whole(rows, groups, sigma, complete=complete)
    check_attack(mine(rows, min_support=sigma), published, k, level, complete=complete)


@many
@given(case=databases(), sigma=sigmas, kind=st.sampled_from(["closed", "frequent", None]))
def test_an_audit_releases_nothing_of_which_a_sum_tells_whoever_knows_the_schema(case, sigma, kind):
    rows, groups, k = case
    assume(len(rows) >= sigma)
    published = whole(rows, groups, sigma)
    if kind is None:
        check_audit(rows, published, k, min_support=sigma)
    else:
        check_audit(mine(rows, min_support=sigma, kind=kind), published, k)


@many
@given(case=databases(), sigma=sigmas, level=levels, complete=st.booleans())
def test_maximal_itemsets_are_safe_only_where_nothing_follows(case, sigma, level, complete):
    rows, groups, k = case
    assume(len(rows) >= sigma)
    n, listed = len(rows), oracle.maximal(rows, sigma)
    parts = {part for one in listed for part in oracle.subsets(one)}
    limits = {part: (max(count for one, count in listed.items() if part <= one), n) for part in parts}
    limits |= oracle.exactly({**listed, frozenset(): n})
    published = oracle.Published(limits, groups, sigma - 1 if complete else None)
    patterns = mine(rows, min_support=sigma, kind="maximal")
    check_attack(patterns, published, k, level, complete=complete)
    check_audit(patterns, published, k)


@many
@given(case=databases(), level=levels, data=st.data())
def test_a_list_with_gaps_is_safe_only_where_nothing_follows(case, level, data):
    rows, groups, k = case
    every = sorted(oracle.frequent(rows, 1), key=sorted)
    kept = data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=6, unique=True))
    listed = {frozenset(): len(rows)} | {one: oracle.support(one, rows) for one in kept}
    published = oracle.Published(oracle.exactly(listed), groups)
    facts = read_facts(Patterns.from_itemsets(listed.items(), n=len(rows)))
    check_attack(facts, published, k, level)
    check_audit(facts, published, k)


def cut(rows, groups, sigma, length, kind, *, complete=True):
    """Return what the list of all itemsets of at most some items that reach sigma says."""
    n, listed = len(rows), oracle.KINDS[kind](rows, sigma, length)
    parts = {part for one in listed for part in oracle.subsets(one)}
    above = {part: [count for one, count in listed.items() if part <= one] for part in parts}
    exact = {part: max(counts) for part, counts in above.items() if kind != "maximal" or part in listed}
    limits = {part: (max(counts), n) for part, counts in above.items()} | oracle.exactly({**exact, frozenset(): n})
    return oracle.Published(limits, groups, sigma - 1 if complete else None, length if complete else None)


@many
@given(
    case=databases(),
    sigma=sigmas,
    length=st.integers(0, 3),
    kind=st.sampled_from(["closed", "frequent", "maximal"]),
    level=levels,
    complete=st.booleans(),
)
def test_a_list_that_was_cut_at_a_length_is_safe_only_where_nothing_follows(case, sigma, length, kind, level, complete):
    rows, groups, k = case
    assume(len(rows) >= sigma)
    published = cut(rows, groups, sigma, length, kind, complete=complete)
    patterns = mine(rows, min_support=sigma, kind=kind, max_length=length)
    check_attack(patterns, published, k, level, complete=complete)
    check_attack(patterns, published, k, level, complete=complete, rows=rows)


@many
@given(
    case=databases(), sigma=sigmas, length=st.integers(0, 3), kind=st.sampled_from(["closed", "frequent", "maximal"])
)
def test_the_facts_of_a_list_that_was_cut_are_what_it_says_and_no_more(case, sigma, length, kind):
    rows, groups, k = case
    assume(len(rows) >= sigma)
    published = cut(rows, groups, sigma, length, kind)
    patterns = mine(rows, min_support=sigma, kind=kind, max_length=length)
    facts = Facts.of(patterns, schema=published.schema)
    possible = [one for one in oracle.subsets(published.items) if not oracle.is_excluded(one, published.groups)]
    stated = {one: facts.limits(frozenset(facts.code[item] for item in one)) for one in possible}
    assert stated == {one: published.limits[one] for one in possible}
    found = attack(patterns, k=k, level="exact", schema=published.schema)
    assert found.is_safe == (not published.is_told("exact", k))


@many
@given(
    case=databases(), sigma=sigmas, length=st.integers(0, 3), kind=st.sampled_from(["closed", "frequent", "maximal"])
)
def test_an_audit_of_a_list_that_was_cut_releases_nothing_of_which_a_sum_tells(case, sigma, length, kind):
    rows, groups, k = case
    assume(len(rows) >= sigma)
    published = cut(rows, groups, sigma, length, kind)
    patterns = mine(rows, min_support=sigma, kind=kind, max_length=length)
    stated = Patterns.from_itemsets(patterns, n=len(rows), min_support=sigma, kind=kind, max_length=length)
    check_audit(patterns, published, k)
    check_audit(patterns, published, k, rows=rows)
    check_audit(stated, published, k)
    check_audit(Facts.of(patterns), published, k)


@many
@given(case=databases(), sigma=sigmas, length=st.integers(0, 3), level=levels, top=st.booleans())
def test_facts_of_a_list_that_was_cut_are_safe_only_where_nothing_follows(case, sigma, length, level, top):
    rows, groups, k = case
    listed = {one: count for one, count in oracle.frequent(rows, sigma, length).items() if one}
    assume(listed)
    others = min(listed.values()) if top else sigma - 1
    limits = oracle.exactly({**listed, frozenset(): len(rows)})
    published = oracle.Published(limits, groups, others, length)
    patterns = Patterns.from_itemsets(listed.items(), n=len(rows), max_length=length)
    facts = read_facts(patterns, min_support=None if top else sigma, top=top)
    check_attack(facts, published, k, level)
    check_audit(facts, published, k)


@many
@given(case=databases(), level=levels, data=st.data())
def test_zeros_count_beside_supports_within_limits(case, level, data):
    rows, groups, k = case
    items = frozenset().union(*rows)
    slack = {one: data.draw(st.sampled_from([0, 0, 1])) for one in oracle.frequent(rows, 1) if one}
    counts = {one: oracle.support(one, rows) for one in slack}
    listed = {one: (count, min(len(rows), count + slack[one])) for one, count in counts.items()}
    assume(items)
    published = oracle.Published({**listed, frozenset(): (len(rows), len(rows))}, groups, 0)
    limits = ((one, *ends) for one, ends in listed.items())
    check_attack(Facts.from_limits(limits, n=len(rows), absent=0), published, k, level)


def says(rows, sigma, length, items):
    """Return the limits that a list of short itemsets sets to all sets of some items."""
    family = {frozenset(): len(rows), **oracle.frequent(rows, sigma, length)}
    every = list(oracle.subsets(items))
    missing = [one for one in every if one not in family and (length is None or len(one) <= length)]
    most = {one: sigma - 1 if any(part <= one for part in missing) else len(rows) for one in every}
    return {one: (family.get(one, 0), family.get(one, most[one])) for one in every}


@many
@given(
    case=databases(MOST // 4),
    sigma=st.tuples(sigmas, sigmas),
    length=st.tuples(st.none() | st.integers(0, 3), st.none() | st.integers(0, 3)),
    level=levels,
)
def test_two_lists_of_the_same_rows_that_were_cut_are_safe_only_where_nothing_follows(case, sigma, length, level):
    rows, _, k = case
    assume(len(rows) >= max(sigma))
    new, old = (mine(rows, min_support=least, max_length=cut) for least, cut in zip(sigma, length, strict=True))
    items = frozenset().union(*dict(new), *dict(old))
    both = [says(rows, least, cut, items) for least, cut in zip(sigma, length, strict=True)]
    limits = {
        one: (max(low for low, _ in ends), min(high for _, high in ends))
        for one, *ends in ((one, both[0][one], both[1][one]) for one in both[0])
    }
    published = oracle.Published(limits)
    found = attack(new, k=k, level=level, against=old)
    assert all(is_true(finding, published, k) for finding in found.findings)
    assert not (found.is_safe and published.is_told(level, k))


@pytest.mark.parametrize("level", ["derive", "linear", "exact"])
@pytest.mark.parametrize(("length", "is_safe"), [(None, False), (3, False), (2, True)])
def test_that_abc_is_missing_says_something_only_where_it_would_be_listed(level, length, is_safe):
    rows = [list(row) for row in ["", "", *["ab"] * 3, "ac", "ac", "bc", "bc", "abc"]]  # by pairs, 1 or 2 rows hold abc
    patterns = mine(rows, min_support=2, max_length=length)
    assert attack(patterns, k=2, level=level).is_safe is is_safe


def test_an_older_release_hides_no_zeros_of_the_new_one():
    new = Patterns.from_itemsets([([], 29), (["a"], 13), (["b"], 15)], n=29, min_support=1)
    old = Patterns.from_itemsets([([], 10)], n=10, min_support=8)
    assert not attack(new, k=2, level="plain", against=old, grown=True).is_safe


@many
@given(case=databases(), level=levels, data=st.data())
def test_a_list_of_the_largest_supports_is_safe_only_where_nothing_follows(case, level, data):
    rows, groups, k = case
    every = [(count, one) for one, count in oracle.frequent(rows, 1).items() if one]
    assume(every)
    every.sort(key=lambda pair: (-pair[0], sorted(pair[1])))
    listed = {one: count for count, one in every[: data.draw(st.integers(1, len(every)))]}
    published = oracle.Published(oracle.exactly({**listed, frozenset(): len(rows)}), groups, min(listed.values()))
    facts = read_facts(Patterns.from_itemsets(listed.items(), n=len(rows)), top=True)
    check_attack(facts, published, k, level)
    check_audit(facts, published, k)


@many
@given(
    case=databases(MOST // 20),
    level=levels,
    sigma=sigmas,
    unit=st.integers(2, 4),
    mode=st.sampled_from(["round", "truncate"]),
)
def test_rounded_supports_are_safe_only_where_nothing_follows(case, level, sigma, unit, mode):
    rows, groups, k = case
    half = unit // 2 if mode == "round" else 0
    below, above = (half, half) if mode == "round" else (0, unit - 1)

    def before(count):
        return max(0, count - below), count + above

    supports = {**oracle.frequent(rows, sigma), frozenset(): len(rows)}
    listed = {one: (count + half) // unit * unit for one, count in supports.items()}
    n = listed.pop(frozenset())
    assume(n and listed)
    limits = {one: (max(sigma, before(count)[0]), before(count)[1]) for one, count in listed.items()}
    least, most = before(n)
    published = oracle.Published({**limits, frozenset(): (least, most)}, groups, sigma - 1)
    patterns = Patterns.from_itemsets(listed.items(), n=n)
    facts = read_facts(patterns, round_to=unit, rounding=mode, min_support=sigma)
    check_attack(facts, published, k, level)
    check_audit(facts, published, k)


@many
@given(case=databases(), sigma=sigmas, method=methods, level=levels)
def test_what_is_blocked_is_safe_against_whom_it_is_blocked(case, sigma, method, level):
    rows, _, k = case
    assume(len(rows) >= sigma)
    release = block(rows, min_support=sigma, k=k, method=method, against=level, seconds=5)
    published = released(release) if len(release.patterns) else None
    assume(published is not None)
    assert not published.is_told(level, k)


@many
@given(
    case=databases(),
    sigma=st.integers(2, 5),
    method=st.sampled_from(["suppress", "add", "withhold", "best"]),
    level=levels,
    length=st.integers(1, 2),
)
def test_what_is_blocked_and_cut_at_a_length_is_safe_against_whom_it_is_blocked(case, sigma, method, level, length):
    rows, _, k = case
    assume(len(rows) >= sigma)
    release = block(rows, min_support=sigma, k=k, method=method, against=level, max_length=length)
    n, listed = release.patterns.n, dict(release.patterns)
    assume(listed and comb(n + 2 ** len(frozenset().union(*listed)) - 1, n) <= MOST)
    others = sigma - 1 if release.is_whole else None
    published = oracle.Published(oracle.exactly({**listed, frozenset(): n}), (), others, length)
    assert not published.is_told(level, k)


@many
@given(case=databases(), sigma=sigmas, method=methods)
def test_an_audit_of_what_is_blocked_releases_nothing_that_a_schema_tells(case, sigma, method):
    rows, groups, k = case
    assume(len(rows) >= sigma and groups)
    release = block(rows, min_support=sigma, k=k, method=method, seconds=5)
    published = released(release) if len(release.patterns) else None
    # Blocking knows no schema: rows that it adds may hold nothing of an attribute, but never two values of it.
    assume(published is not None)
    told = oracle.Published(published.limits, groups, 0)
    check_audit(release.patterns, told, k)
