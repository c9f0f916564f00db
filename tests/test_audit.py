"""Laws of the audit: the verdict against the definitions, from rows and from lists, whole, broken and foreign."""

import time
from collections import Counter
from dataclasses import replace
from itertools import combinations
from random import Random

import oracle
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mlxtend.frequent_patterns import fpgrowth
from strategies import detected_databases

from discreet import (
    InputError,
    Patterns,
    Policy,
    Transactions,
    Verdict,
    attack,
    audit,
    mine,
    read_patterns,
    report,
    write_patterns,
)
from discreet.data.generate import clinic
from discreet.judging.policy import worst


def listed(channels):
    """Return {(base, top): count} of channels."""
    return {(channel.base, channel.top): channel.count for channel in channels}


def framed(family, n):
    """Return a frame in the layout of mlxtend, which leaves the empty itemset out."""
    pairs = [(itemset, support) for itemset, support in family.items() if itemset]
    return pd.DataFrame(
        {"support": [support / n for _, support in pairs], "itemsets": [itemset for itemset, _ in pairs]}
    )


def releases(rows, sigma):
    """Return the release of rows in each layout that somebody may hand in."""
    n = len(rows)
    frequent = oracle.frequent(rows, sigma)
    return {
        "closed": Patterns.from_itemsets(oracle.closed(rows, sigma).items(), n=n, min_support=sigma, kind="closed"),
        "frequent": Patterns.from_itemsets(frequent.items(), n=n, min_support=sigma),
        "frame": Patterns.from_pandas(framed(frequent, n), n=n, min_support=sigma),
    }


def lettered(supports, n, kind="frequent"):
    """Return patterns whose itemsets are words, a letter an item."""
    return Patterns.from_itemsets([(list(word), support) for word, support in supports.items()], n=n, kind=kind)


def by_name(found):
    """Return the checks of an audit by their names."""
    return {check.name: check for check in found.checks}


def judged(found):
    """The verdict without the checks of k and of how data was read, which looks at few itemsets and a single row."""
    return worst(check.verdict for check in found.checks if check.name not in {"k", "reading"})


# The verdict.


@settings(max_examples=150)
@given(case=detected_databases())
def test_rows_are_released_if_and_only_if_no_channel_is_found(case):
    rows, sigma, k = case
    published, channels = oracle.closed(rows, sigma), oracle.maximal_channels_by_tops(rows, sigma, k)
    found = audit(rows, min_support=sigma, k=k)
    assert (judged(found) is Verdict.RELEASE) == (bool(published) and not channels)
    assert listed(found.channels) == channels
    assert dict(found.patterns) == published
    low = [support for support in published.values() if support < k]
    assert by_name(found)["low counts"].found == len(low)
    assert by_name(found)["low counts"].verdict is (Verdict.WITHHOLD if low else Verdict.RELEASE)


@settings(max_examples=100)
@given(case=detected_databases(), with_rows=st.booleans())
def test_every_layout_of_a_release_is_judged_as_its_rows_are(case, with_rows):
    rows, sigma, k = case
    expected = audit(rows, min_support=sigma, k=k)
    for patterns in releases(rows, sigma).values():
        found = audit(patterns, k=k, rows=Transactions(rows) if with_rows else None)
        assert judged(found) is judged(expected)
        assert listed(found.channels) == oracle.maximal_channels_by_tops(rows, sigma, k)
        assert found.differences == ()


@pytest.mark.nojit
@settings(max_examples=100)
@given(case=detected_databases(), zeros=st.sampled_from(Verdict))
def test_a_policy_may_ask_for_implications_too(case, zeros):
    rows, sigma, k = case
    channels, implications = oracle.maximal_channels_by_tops(rows, sigma, k), oracle.implications(rows, sigma)
    expected = max(
        Verdict.WITHHOLD if channels or not oracle.frequent(rows, sigma) else Verdict.RELEASE,
        zeros if implications else Verdict.RELEASE,
    )
    for source in releases(rows, sigma).values():
        found = audit(source, policy=Policy("ours", k=k, zeros=zeros))
        assert judged(found) is expected
        is_asked = zeros is not Verdict.RELEASE
        assert (found.implications is not None) == ("class disclosure" in by_name(found)) == is_asked
        assert not is_asked or {(one.base, one.item) for one in found.implications} == implications
        assert not is_asked or by_name(found)["class disclosure"].found == len(implications)


@given(case=detected_databases())
def test_the_exposed_rows_are_told_where_there_are_rows(case):
    rows, sigma, k = case
    found = audit(rows, min_support=sigma, k=k)
    exposed = zip(found.exposed.numbers, found.exposed.channels, found.exposed.smallest, strict=True)
    assert {int(at): (many, smallest) for at, many, smallest in exposed} == oracle.exposed(rows, sigma, k)
    with pytest.raises(InputError, match=r"^exposed rows are known only where the rows are at hand"):
        _ = audit(found.patterns, k=k).exposed


def test_channels_that_could_not_be_looked_for_are_not_taken_for_none():
    with pytest.raises(InputError, match=r"^channels could not be looked for; \.checks say why"):
        _ = audit(Patterns.from_itemsets([(["a", "b"], 40)], n=50), k=10).channels


@given(case=detected_databases())
def test_an_audit_tells_whether_the_tops_are_acyclic(case):
    rows, sigma, k = case
    family = oracle.told(oracle.frequent(rows, sigma), sigma)
    assert audit(rows, min_support=sigma, k=k).is_acyclic == oracle.is_acyclic(family)


@pytest.mark.nojit
@given(case=detected_databases(), k=st.integers(2, 22))
def test_a_stricter_k_is_never_judged_more_kindly(case, k):
    rows, sigma, other = case
    patterns = mine(rows, min_support=sigma)
    verdicts = [audit(patterns, k=one).verdict for one in sorted({k, max(2, other)})]
    assert verdicts == sorted(verdicts)


@pytest.mark.nojit
def test_the_example_of_a_hundred_people_is_withheld():
    pairs = [([], 100), (["a"], 50), (["b"], 50), (["c"], 48), (["a", "b"], 50), (["a", "c"], 48), (["b", "c"], 48)]
    found = audit(Patterns.from_itemsets([*pairs, (["a", "b", "c"], 48)], n=100), k=10)
    (channel,) = found.channels
    assert (found.verdict, str(channel)) == (Verdict.WITHHOLD, "a ∧ b ∧ ¬c: 2 rows")
    assert channel.explain(found.patterns).endswith("50 − sup(abc) 48 = 2")


@pytest.mark.nojit
def test_a_policy_may_limit_and_round_what_is_published():
    rows = [["a"]] * 20 + [["b"]] * 20 + [[]] * 21
    limited, rounded = Policy("ours", k=5, max_itemsets=2), Policy("ours", k=5, round_to=10)
    assert audit(rows, min_support=5, policy=limited).verdict is Verdict.REVIEW
    assert audit(rows, min_support=5, policy=replace(limited, max_itemsets=3)).verdict is Verdict.RELEASE
    assert audit(rows, min_support=5, policy=rounded).verdict is Verdict.REVIEW
    assert by_name(audit(rows, min_support=5, policy=rounded))["rounding"].found == 1


@given(case=detected_databases())
def test_a_single_row_and_a_single_itemset_are_never_released(case):
    rows, sigma, k = case
    found = audit(rows, min_support=sigma, k=k)
    few = sum(bool(itemset) for itemset in oracle.closed(rows, sigma)) <= 1
    is_odd = len(rows) == 1 or (few and bool(rows))
    assert ("reading" in by_name(found)) == is_odd
    assert found.verdict is max(judged(found), Verdict.REVIEW if is_odd else Verdict.RELEASE)


@pytest.mark.nojit
def test_rounded_supports_without_rows_are_never_released():
    patterns = Patterns.from_itemsets([([], 40), (["a"], 20)], n=40)
    found = audit(patterns, policy=Policy("ours", k=5, round_to=10))
    assert (found.verdict, found.evidence.channels) == (Verdict.REVIEW, None)


# Releases of others.


MINED = {
    "clinic": (list(clinic(300, seed=1)), 60, 10),
    "random": (
        [
            {item for item in range(7) if random.random() < 0.75}
            for random in [Random(7)]  # noqa: S311 - no secret
            for _ in range(90)
        ],
        12,
        4,
    ),
    "safe": ([set("ab")] * 40 + [set("a")] * 30 + [set("bc")] * 30, 20, 10),
}


@pytest.fixture(params=MINED)
def release(request):
    """Return rows, a minimum support, k, and what the audit of the rows must find."""
    rows, sigma, k = MINED[request.param]
    channels = oracle.rare_cells(
        oracle.widest(oracle.maximal_by_levels(rows, sigma), sigma), [frozenset(row) for row in rows], k
    )
    assert bool(channels) == (request.param != "safe")
    return rows, sigma, k, channels


def is_judged_as_the_rows(patterns, release, relabelled=None):
    """Return whether the audit of patterns finds what it must, in which items may be called otherwise."""
    rows, sigma, k, channels = release
    name = relabelled or (lambda item: item)
    expected = {
        (frozenset(map(name, base)), frozenset(map(name, top))): count for (base, top), count in channels.items()
    }
    from_rows, found = audit(rows, min_support=sigma, k=k), audit(patterns, k=k)
    return (from_rows.verdict is found.verdict) and (listed(found.channels) == expected)


def test_a_frame_of_mlxtend_itself_is_judged_as_the_rows_are(release):
    rows, sigma, _, _ = release
    items = sorted(frozenset().union(*rows), key=str)
    table = pd.DataFrame([[item in row for item in items] for row in rows], columns=items)
    # A hair below the share: in floats, mlxtend itself would lose what has exactly the minimum support.
    frame = fpgrowth(table, min_support=(sigma - 0.5) / len(rows), use_colnames=True)
    assert is_judged_as_the_rows(Patterns.from_pandas(frame, n=len(rows), min_support=sigma), release)
    assert is_judged_as_the_rows(read_patterns(frame, n=len(rows)), release)


@pytest.mark.parametrize("kind", ["frequent", "closed"])
def test_a_file_of_spmf_itself_is_judged_as_the_rows_are(tmp_path, release, kind):
    rows, sigma, _, _ = release
    numbers = {item: number for number, item in enumerate(sorted(frozenset().union(*rows), key=str), start=1)}
    lines = [
        f"{' '.join(str(number) for number in sorted(numbers[item] for item in itemset))} #SUP: {support}\n"
        for itemset, support in oracle.BY_LEVELS[kind](rows, sigma).items()
        if itemset
    ]
    path = tmp_path / "release.txt"
    path.write_text("".join(lines))
    assert is_judged_as_the_rows(read_patterns(path, n=len(rows), kind=kind), release, numbers.get)


@pytest.mark.parametrize("kind", ["frequent", "closed"])
def test_a_file_of_borgelt_itself_is_judged_as_the_rows_are(tmp_path, release, kind):
    rows, sigma, _, _ = release

    def word(item):
        return f"{item}".replace(" ", "_").replace("0", "o") if isinstance(item, str) else item

    lines = [
        f"{' '.join(str(word(item)) for item in itemset)} ({support})\n"
        for itemset, support in oracle.BY_LEVELS[kind](rows, sigma).items()
        if itemset
    ]
    path = tmp_path / "release.out"
    path.write_text("".join(sorted(lines)))
    assert is_judged_as_the_rows(read_patterns(path, n=len(rows), kind=kind), release, word)


@pytest.mark.parametrize("kind", ["frequent", "closed"])
@pytest.mark.parametrize("name", ["release.csv", "release.json", "release.parquet", "release.txt"])
def test_a_file_of_ours_is_judged_as_the_rows_are(tmp_path, release, kind, name):
    rows, sigma, _, _ = release
    write_patterns(mine(rows, min_support=sigma, kind=kind), tmp_path / name)
    found = read_patterns(tmp_path / name, n=len(rows), kind=kind)
    assert is_judged_as_the_rows(found, release)


# Lists that are not whole, or that no rows have.


@st.composite
def families(draw):
    """Supports of up to 4 items that may fit together or not, all subsets listed or not, and k.

    The supports are those of rows, and some are changed a little: so most flaws are small ones.
    """
    n, many = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    rows = draw(st.lists(st.integers(0, 2**many - 1), min_size=n, max_size=n))
    rows = [frozenset("abcd"[bit] for bit in range(many) if row >> bit & 1) for row in rows]
    family = oracle.frequent(rows, draw(st.integers(1, n)))
    for itemset in draw(st.lists(st.sampled_from(sorted(family, key=sorted)), max_size=3)):
        if itemset and itemset in family:
            if draw(st.integers(0, 3)):
                family[itemset] = max(0, min(n, family[itemset] + draw(st.integers(-2, 2))))
            else:
                del family[itemset]
    return family, n, draw(st.integers(1, 6))


def is_whole(family):
    """Return whether each itemset is listed that must be: if all rows with a part of it hold an item, others do so too.

    Only where all itemsets of some length are listed may longer ones have been cut off.
    """
    longest, items = max(map(len, family), default=0), frozenset().union(*family)
    frequent = {
        itemset | {more}
        for itemset in family
        for item in itemset
        if family.get(itemset - {item}) == family[itemset]
        for more in items - itemset
        if itemset - {item} | {more} in family
    }
    return all(
        itemset in family or (len(itemset) > longest and all(itemset - {item} in family for item in itemset))
        for itemset in frequent
    )


def has_rows(family):
    """Return whether some rows may have these supports: all subsets are listed, and no cell is below 0."""
    return all(part in family for itemset in family for part in oracle.subsets(itemset)) and all(
        oracle.cell_by_supports(base, top, family) >= 0 for top in family for base in oracle.subsets(top)
    )


@pytest.mark.nojit
@settings(max_examples=600)
@given(case=families())
def test_a_list_of_frequent_itemsets_that_no_rows_have_is_withheld_and_any_other_judged(case):
    family, n, k = case
    found = audit(Patterns.from_itemsets(family.items(), n=n), k=k)
    told = oracle.told(family, max(1, min(family.values(), default=n)))
    if oracle.may_be_cut(family) and not has_rows(told):
        told = family
    is_possible, is_judged = has_rows(family) and has_rows(told), found.evidence.channels is not None
    assert (is_possible and is_whole(family)) <= is_judged <= is_possible
    assert is_possible or found.checks[0].name in {"completeness", "consistency"}
    assert not is_judged or listed(found.channels) == oracle.maximal_channels_of(told, k)
    assert (judged(found) is Verdict.RELEASE) == (is_judged and not found.channels)
    assert is_judged or found.verdict is Verdict.WITHHOLD


@pytest.mark.nojit
@settings(max_examples=300)
@given(case=detected_databases(), data=st.data())
def test_closed_itemsets_some_of_which_are_left_out_are_released_only_if_their_differences_are_large(case, data):
    rows, sigma, k = case
    closed = oracle.closed(rows, sigma)
    left = (
        data.draw(st.sets(st.sampled_from(sorted(closed, key=lambda one: sorted(map(str, one)))), min_size=0))
        if closed
        else set()
    )
    kept = {itemset: support for itemset, support in closed.items() if itemset not in left}
    patterns = Patterns.from_itemsets(kept.items(), n=len(rows), min_support=sigma, kind="closed")
    public = {frozenset(): len(rows), **kept}
    differences = {public[one] - public[two] for one, two in combinations(sorted(public, key=len), 2) if one < two}
    are_large = all(difference == 0 or difference >= k for difference in differences)
    is_released = audit(patterns, k=k).verdict is Verdict.RELEASE
    assert is_released <= (are_large and all(support >= k for support in kept.values()))


FLAWS = {
    "a missing subset": (
        {"": 9, "a": 6, "ab": 5},
        9,
        "completeness",
        "ab is listed, but its part b is not.",
    ),
    "a rising support": (
        {"": 9, "a": 5, "b": 7, "ab": 6},
        9,
        "consistency",
        "ab (6) has more support than its part a (5).",
    ),
    "a negative cell": (
        {"": 9, "a": 7, "b": 7, "ab": 4},
        9,
        "consistency",
        "By these supports, fewer than 0 rows have ∅ and nothing else of ab.",
    ),
    "an item of all rows that not all rows have": (
        {"": 9, "a": 9, "b": 5, "ab": 4},
        9,
        "consistency",
        "By these supports, fewer than 0 rows have ∅ and nothing else of ab.",
    ),
    "a cell below 0 in the midst": (
        {"": 40, "a": 20, "b": 20, "c": 20, "ab": 20, "ac": 10, "bc": 10, "abc": 9},
        40,
        "consistency",
        " and nothing else of abc.",
    ),
    "closed itemsets that are said to be all": (
        {"": 9, "ab": 5},
        9,
        "completeness",
        "ab is listed, but its part b is not.",
    ),
}


@pytest.mark.nojit
@pytest.mark.parametrize(("supports", "n", "name", "sentence"), FLAWS.values(), ids=FLAWS)
def test_a_flaw_of_a_frequent_list_is_named_and_withheld(supports, n, name, sentence):
    found = audit(lettered(supports, n), k=1)
    assert found.checks[0].name == name
    assert found.checks[0].sentence.endswith(sentence)
    assert found.checks[0].verdict is found.verdict is Verdict.WITHHOLD
    assert (found.evidence.channels, found.implications, found.is_acyclic) == (None, None, None)


@pytest.mark.nojit
def test_a_difference_is_not_overlooked_where_an_itemset_of_the_same_support_was_left_out():
    # All rows with a hold b, so d comes with b as often as with a; but neither bd nor abd is listed.
    supports = {"": 20, "a": 10, "b": 10, "d": 9, "ab": 10, "ad": 9}
    assert audit(lettered(supports, 20), k=2).verdict is Verdict.WITHHOLD


CLOSED_FLAWS = {
    "a missing meet": ({"": 9, "ab": 5, "ac": 5, "abc": 3}, 9, "completeness", "ab is listed, but its part a is not"),
    "a rising support": ({"": 9, "a": 5, "ab": 7}, 9, "consistency", "fewer than 0 rows have a and nothing else of ab"),
    "a negative cell": (
        {"": 9, "a": 7, "b": 7, "ab": 4},
        9,
        "consistency",
        "fewer than 0 rows have ∅ and nothing else of ab",
    ),
    "an itemset of all rows that others lack": (
        {"ab": 10, "c": 5},
        10,
        "consistency",
        "c is listed as closed, but all its rows have ab as well.",
    ),
    "no itemset below two others": ({"ab": 5, "bc": 5}, 10, "completeness", "ab is listed, but its part b is not"),
}


@pytest.mark.nojit
@pytest.mark.parametrize(("supports", "n", "name", "sentence"), CLOSED_FLAWS.values(), ids=CLOSED_FLAWS)
def test_a_flaw_of_a_closed_list_is_named_and_withheld(supports, n, name, sentence):
    found = audit(lettered(supports, n, kind="closed"), k=1)
    assert found.verdict is Verdict.WITHHOLD
    assert found.checks[0].name == name
    assert sentence in found.checks[0].sentence


@pytest.mark.nojit
@pytest.mark.parametrize("kind", ["frequent", "closed"])
def test_n_is_public_whether_the_empty_itemset_is_listed_or_not(kind):
    found = audit(lettered({"a": 5}, 7, kind=kind), k=3)
    assert found.verdict is Verdict.WITHHOLD
    assert [str(channel) for channel in found.channels] == ["¬a: 2 rows"]


@pytest.mark.nojit
@pytest.mark.parametrize("kind", ["frequent", "closed", "maximal"])
@pytest.mark.parametrize("n", [0, 10])
def test_an_empty_list_is_withheld(kind, n):
    found = audit(Patterns.from_itemsets([], n=n, kind=kind), k=2)
    assert (found.verdict, by_name(found)["size"].verdict) == (Verdict.WITHHOLD, Verdict.WITHHOLD)


@pytest.mark.nojit
def test_what_was_mined_from_no_rows_is_withheld():
    assert audit([], min_support=1, k=2).verdict is Verdict.WITHHOLD


@settings(max_examples=100)
@given(case=detected_databases(), with_rows=st.booleans())
def test_maximal_itemsets_are_never_released(case, with_rows):
    rows, sigma, k = case
    family = oracle.maximal(rows, sigma)
    patterns = Patterns.from_itemsets(family.items(), n=len(rows), min_support=sigma, kind="maximal")
    found = audit(patterns, k=k, rows=Transactions(rows) if with_rows else None)
    small = {(frozenset(), itemset) for itemset, support in family.items() if 0 < len(rows) - support < k}
    assert {(one.base, one.top) for one in found.differences} == small
    low = any(support < k for support in family.values())
    assert found.verdict is (Verdict.WITHHOLD if small or low or not family else Verdict.REVIEW)


@pytest.mark.nojit
@settings(max_examples=150)
@given(case=families())
def test_the_differences_of_a_broken_list_are_those_of_two_supports(case):
    family, n, k = case
    found = audit(Patterns.from_itemsets(family.items(), n=n, kind="maximal"), k=k)
    public = {frozenset(): n, **family}
    expected = {
        (base, top, public[base] - public[top])
        for base in public
        for top in public
        if base < top and 0 < public[base] - public[top] < k
    }
    assert {(one.base, one.top, one.count) for one in found.differences} == expected
    assert [one.count for one in found.differences] == sorted(count for _, _, count in expected)
    assert all(
        one.explain(Patterns.from_itemsets(public.items(), n=n)).endswith(f" = {one.count}")
        for one in found.differences
    )


@pytest.mark.nojit
def test_a_support_of_none_is_judged_as_the_policy_judges_zeros():
    patterns = Patterns.from_itemsets([([], 40), (["a"], 20), (["b"], 20), (["a", "b"], 0)], n=40)
    assert audit(patterns, policy="acro").verdict is Verdict.WITHHOLD


# What is refused.


@pytest.mark.nojit
@pytest.mark.parametrize("kind", ["frequent", "closed"])
@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([["a", "b"]] * 5 + [["a"]] * 5, "the patterns are about 9 rows, but 10 were given"),
        ([["a", "b"]] * 5 + [["a"]] * 3 + [[]], "another support"),
        ([["c", "b"]] * 5 + [["c"]] * 4, "another support"),
        ([["a", "b"]] * 4 + [["a"]] * 4 + [["b"]], "another support"),
    ],
)
def test_rows_that_the_patterns_were_not_mined_from_are_refused(kind, rows, sentence):
    patterns = mine([["a", "b"]] * 5 + [["a"]] * 4, min_support=1, kind=kind)
    with pytest.raises(InputError, match=sentence):
        audit(patterns, k=2, rows=Transactions(rows))


# A minimum support of 1: what is missing is held by no row.


@pytest.mark.nojit
@settings(max_examples=150)
@given(case=detected_databases(), kind=st.sampled_from(["frequent", "closed"]))
def test_with_a_minimum_support_of_1_each_different_row_must_be_there_k_times(case, kind):
    rows, _, k = case
    assume(rows)
    times = Counter(map(frozenset, rows))
    for found in (audit(rows, min_support=1, k=k), audit(mine(rows, min_support=1, kind=kind), k=k)):
        assert (judged(found) is Verdict.RELEASE) == (min(times.values()) >= k)
        assert {one.base: one.count for one in found.channels} == {row: many for row, many in times.items() if many < k}
    foreign = Patterns.from_itemsets(oracle.KINDS[kind](rows, 1).items(), n=len(rows), min_support=1, kind=kind)
    assert list(audit(foreign, k=k).channels) == list(found.channels)
    every = attack(foreign, k=k, level="plain").findings
    assert sorted(one.low for one in every) == sorted(many for many in times.values() if many < k)


def test_what_is_missing_counts_as_0_with_a_minimum_support_of_1():
    said = [([], 29), (["a"], 13), (["b"], 15)]
    found = audit(Patterns.from_itemsets(said, n=29, min_support=1), k=5)
    assert found.verdict is Verdict.WITHHOLD
    assert [one.explain(found.patterns) for one in found.channels] == ["sup(∅) 29 − sup(a) 13 − sup(b) 15 = 1"]
    assert audit(Patterns.from_itemsets(said, n=29, min_support=2), k=5).verdict is Verdict.RELEASE


def test_many_different_rows_at_a_minimum_support_of_1_are_soon_counted():
    rows = [[f"item {number}", f"item {number + 1}", "all"] for number in range(3000)]
    start = time.process_time()
    found = audit(rows * 2, min_support=1, k=3)
    assert len(found.channels) == 3000
    assert len(audit(found.patterns, k=3).channels) == 3000
    assert time.process_time() - start < 30


# Lists without the empty itemset.


@pytest.mark.parametrize("kind", ["maximal", "frequent"])
def test_a_difference_from_all_rows_is_told_though_the_empty_itemset_is_not_listed(kind, tmp_path):
    found = audit(Patterns.from_itemsets([(["a", "b"], 5)], n=7, kind=kind), k=5)
    assert found.verdict is Verdict.WITHHOLD
    assert [one.explain(found.patterns) for one in found.differences] == ["sup(∅) 7 − sup(ab) 5 = 2"]
    assert b'"support": 7' in b"".join(report.audit_json(found))
    assert "7 (everyone)" in found.to_html()
    report.write_sacro(found, tmp_path / "sacro")
    assert b"2" in (tmp_path / "sacro" / "DO-NOT-RELEASE" / "differences.csv").read_bytes()
