"""Laws of detection: every method against the definitions, and what channels say of themselves and of rows."""

import re

import oracle
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import detected_databases, heavy_databases, large_databases, lengths

from discreet import BudgetError, Channel, InputError, OptionError, Patterns, Transactions, detect, mine

SUPPORTS = [("closed", False), ("frequent", False), ("closed", True), ("frequent", True)]
WAYS = {
    "auto": [*SUPPORTS, ("maximal", True)],
    "naive": SUPPORTS,
    "closed": SUPPORTS,
    "projection": [("closed", True), ("frequent", True), ("maximal", True)],
}
"""For each method the kinds of patterns it takes, without and with the rows."""

METHODS = pytest.mark.parametrize("method", WAYS)
LISTED = pytest.mark.parametrize("kind", ["frequent", "closed"])
"""The kinds of patterns that all supports follow from."""


def in_order(found):
    """Return [(base, top, count)] of {(base, top): count}, by top, then by base, both as words over the labels."""
    items = frozenset().union(*(top for _, top in found))
    ranks = {item: rank for rank, item in enumerate(sorted(items, key=lambda item: (type(item).__qualname__, item)))}

    def word(itemset):
        return sorted(ranks[item] for item in itemset)

    return sorted(((*pair, count) for pair, count in found.items()), key=lambda one: (word(one[1]), word(one[0])))


def listed(channels):
    """Return [(base, top, count)] of channels, in their order."""
    return [(channel.base, channel.top, channel.count) for channel in channels]


def by_all_ways(method, transactions, k, **options):
    """Return what a method finds, for each kind of patterns, without and with the rows."""
    found = []
    for kind, with_rows in WAYS[method]:
        patterns = mine(transactions, kind=kind, **options)
        found.append(detect(patterns, k=k, rows=transactions if with_rows else None, method=method))
    return found


def detected(case, kind="closed"):
    """Return the rows, their patterns and the channels."""
    rows, sigma, k = case
    transactions = Transactions(rows)
    patterns = mine(transactions, min_support=sigma, kind=kind)
    return transactions, patterns, detect(patterns, k=k)


def letters(case):
    """Return whether all items are letters, of which words are made."""
    return all(isinstance(item, str) and len(item) == 1 for row in case[0] for item in row)


lettered = detected_databases().filter(letters)


# What is found.


@METHODS
@settings(max_examples=150)
@given(case=detected_databases())
def test_all_methods_find_the_maximal_channels_in_order(method, case):
    rows, sigma, k = case
    expected = in_order(oracle.maximal_channels_by_tops(rows, sigma, k))
    for found in by_all_ways(method, Transactions(rows), k, min_support=sigma):
        assert listed(found) == expected
        assert (found.k, len(found)) == (k, len(expected))


@pytest.mark.nojit
@METHODS
@settings(max_examples=40)
@given(case=detected_databases())
def test_detection_needs_no_compiler_to_be_right(method, case):
    rows, sigma, k = case
    expected = in_order(oracle.maximal_channels(rows, sigma, k))
    for found in by_all_ways(method, Transactions(rows), k, min_support=sigma):
        assert listed(found) == expected


def above_one(case):
    """Return whether the minimum support is above 1: with 1, short itemsets that are missing count as 0."""
    return case[1] > 1


@pytest.mark.parametrize("method", ["auto", "naive", "projection"])
@settings(max_examples=100)
@given(case=detected_databases(), max_length=lengths)
def test_short_itemsets_that_are_missing_have_no_rows_and_say_nothing_of_longer_ones(method, case, max_length):
    rows, _, k = case
    expected = in_order(oracle.maximal_channels_by_tops(rows, 1, k, max_length))
    for found in by_all_ways(method, Transactions(rows), k, min_support=1, max_length=max_length):
        assert listed(found) == expected


@settings(max_examples=60)
@given(case=detected_databases(), max_length=lengths, sigma=st.integers(1, 3))
def test_expanding_the_channels_of_short_itemsets_concludes_nothing_about_longer_ones(case, max_length, sigma):
    rows, _, k = case
    expected = oracle.channels_of(oracle.told(oracle.frequent(rows, sigma, max_length), sigma, max_length), k)
    patterns = mine(rows, min_support=sigma, max_length=max_length)
    found = detect(patterns, k=k)
    assert {(one.base, one.top): one.count for one in found.expand(patterns)} == expected
    assert all(sum(term.times * term.support for term in one.terms(patterns)) == one.count for one in found)


def test_the_printed_algorithm_for_closed_itemsets_refuses_lists_that_were_cut_at_minimum_support_one():
    rows = [["a", "b"], ["b", "c"], ["a", "c"], ["d"]]
    with pytest.raises(OptionError, match="use method='auto'"):
        detect(mine(rows, min_support=1, max_length=2), k=2, method="closed")


def test_too_many_zeros_of_a_list_that_was_cut_are_refused():
    rows = [[f"{side}{number}" for side in "ab"] for number in range(60)] + [["c", f"a{one}"] for one in range(60)]
    rows += [[f"a{one}", f"a{other}"] for one in range(60) for other in range(one)]
    with pytest.raises(BudgetError, match="raise min_support= above 1"):
        detect(mine(rows, min_support=1, max_length=2), k=2)


@METHODS
@settings(max_examples=100)
@given(case=detected_databases().filter(above_one), max_length=lengths)
def test_all_methods_find_the_maximal_channels_of_short_itemsets(method, case, max_length):
    rows, sigma, k = case
    expected = in_order(oracle.maximal_channels_by_tops(rows, sigma, k, max_length))
    for found in by_all_ways(method, Transactions(rows), k, min_support=sigma, max_length=max_length):
        assert listed(found) == expected


@METHODS
@settings(max_examples=30)
@given(case=detected_databases(heavy_databases), k=st.integers(2, 600))
def test_all_methods_find_the_maximal_channels_where_rows_are_repeated(method, case, k):
    rows, sigma, _ = case
    expected = in_order(oracle.maximal_channels_by_tops(rows, sigma, k))
    for found in by_all_ways(method, Transactions(rows), k, min_support=sigma):
        assert listed(found) == expected


@settings(max_examples=6)
@given(case=large_databases(), k=st.sampled_from([2, 5, 20, 1000]))
def test_the_quick_method_finds_the_maximal_channels_over_many_items(case, k):
    rows, sigma = case
    expected = in_order(oracle.rare_cells(oracle.widest(oracle.maximal_by_levels(rows, sigma), sigma), rows, k))
    for found in by_all_ways("auto", Transactions(rows), k, min_support=sigma):
        assert listed(found) == expected


LONG = {
    # One top of 70 items: a bitmap of two words.
    "a top of two words": ([range(70), range(66)] * 2 + [range(70)] * 3 + [range(60, 70)] * 3 + [[]], [range(70)]),
    # Two tops that share no item: few rows hold nothing of the first.
    "tops of two groups": ([range(64)] * 10 + [range(64, 70)] * 5, [range(64), range(64, 70)]),
}


@pytest.mark.parametrize(("rows", "tops"), LONG.values(), ids=LONG)
@pytest.mark.parametrize("k", [2, 4, 6, 99])
def test_long_itemsets_have_their_channels(rows, tops, k):
    expected = in_order(oracle.rare_cells(map(frozenset, tops), rows, k))
    for kind, with_rows, method in [
        ("closed", False, "auto"),
        ("closed", True, "auto"),
        ("maximal", True, "auto"),
        ("maximal", True, "projection"),
    ]:
        transactions = Transactions(rows)
        patterns = mine(transactions, min_support=5, kind=kind)
        found = detect(patterns, k=k, rows=transactions if with_rows else None, method=method)
        assert listed(found) == expected


@given(case=detected_databases(), k=st.integers(1, 22))
def test_a_larger_k_keeps_the_channels(case, k):
    rows, sigma, larger = case
    assume(k < larger)
    patterns = mine(rows, min_support=sigma)
    few, many = detect(patterns, k=k), detect(patterns, k=larger)
    assert list(few) == [channel for channel in many if channel.count < k]


@given(case=detected_databases())
def test_what_is_safe_stays_safe_at_every_larger_support(case):
    rows, sigma, k = case
    transactions = Transactions(rows)
    safe = [
        not detect(mine(transactions, min_support=larger), k=k, rows=transactions)
        for larger in range(sigma, len(rows) + 2)
    ]
    assert safe == sorted(safe)


# What does not matter.


@given(case=detected_databases(), seed=st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(case, seed):
    rows, sigma, k = case
    shuffled = seed.sample(rows, len(rows))
    patterns = mine(rows, min_support=sigma)
    assert detect(patterns, k=k, rows=Transactions(rows)) == detect(patterns, k=k, rows=Transactions(shuffled))


@LISTED
@given(case=detected_databases(), seed=st.randoms(use_true_random=False))
def test_the_order_of_patterns_does_not_matter(kind, case, seed):
    rows, sigma, k = case
    patterns = mine(rows, min_support=sigma, kind=kind)
    pairs = list(patterns)
    shuffled = Patterns.from_itemsets(
        seed.sample(pairs, len(pairs)), n=patterns.n, min_support=patterns.min_support, kind=kind
    )
    assert detect(shuffled, k=k) == detect(patterns, k=k)


@METHODS
@settings(max_examples=50)
@given(case=lettered, numbers=st.permutations(range(8)))
def test_the_labels_do_not_matter(method, case, numbers):
    rows, sigma, k = case
    called = dict(zip("abcdefgh", numbers, strict=True))

    def renamed(itemset):
        return frozenset(called[item] for item in itemset)

    expected = {(renamed(base), renamed(top)): count for base, top, count in listed(detected(case)[2])}
    for found in by_all_ways(method, Transactions(map(renamed, rows)), k, min_support=sigma):
        assert listed(found) == in_order(expected)


@METHODS
@settings(max_examples=60)
@given(case=detected_databases())
def test_rows_and_patterns_meet_by_label(method, case):
    rows, sigma, k = case
    transactions = Transactions([*rows, *rows, ["a lone item", "zero"], [-9, "of its own"]])
    for kind in {kind for kind, with_rows in WAYS[method] if with_rows}:
        mined = mine(transactions, min_support=sigma + 2, kind=kind)
        # Read from elsewhere, patterns number only the items they hold.
        published = Patterns.from_itemsets(mined, n=mined.n, min_support=mined.min_support, kind=kind)
        found = detect(published, k=k, rows=transactions, method=method)
        assert listed(found) == in_order(oracle.maximal_channels_by_tops(list(transactions), sigma + 2, k))


# What channels say.


@LISTED
@settings(max_examples=150)
@given(case=detected_databases())
def test_the_maximal_channels_open_all_channels(kind, case):
    _, patterns, channels = detected(case, kind)
    opened = list(channels.expand(patterns))
    assert {(channel.base, channel.top): channel.count for channel in opened} == oracle.channels(*case)
    assert len(opened) == len(set(opened))


@LISTED
@given(case=detected_databases().filter(above_one), max_length=lengths)
def test_the_maximal_channels_of_short_itemsets_open_all_channels(kind, case, max_length):
    rows, sigma, k = case
    patterns = mine(rows, min_support=sigma, kind=kind, max_length=max_length)
    opened = list(detect(patterns, k=k).expand(patterns))
    expected = oracle.channels_of(oracle.frequent(rows, sigma, max_length), k)
    assert {(channel.base, channel.top): channel.count for channel in opened} == expected


@LISTED
@given(case=detected_databases(), max_length=st.none() | lengths)
def test_the_terms_of_a_channel_are_published_and_sum_up_to_its_count(kind, case, max_length):
    rows, sigma, k = case
    max_length = max_length if above_one(case) else None
    patterns = mine(rows, min_support=sigma, kind=kind, max_length=max_length)
    published = oracle.KINDS[kind](rows, sigma, max_length)
    channels = detect(patterns, k=k)
    for channel in [*channels, *channels.expand(patterns)]:
        terms = channel.terms(patterns)
        assert sum(coefficient * support for coefficient, _, support in terms) == channel.count
        assert all(coefficient and published[itemset] == support for coefficient, itemset, support in terms)
        assert len({itemset for _, itemset, _ in terms}) == len(terms)


@LISTED
@given(case=lettered)
def test_the_sum_that_explains_a_channel_comes_to_its_count(kind, case):
    rows, sigma, _ = case
    _, patterns, channels = detected(case, kind)
    published = oracle.KINDS[kind](rows, sigma)
    for channel in channels:
        left, right = channel.explain(patterns).split(" = ")
        parts = re.findall(r"([+−])? ?(?:(\d+)[ ·×]*)?sup\(([^)]*)\) (\d+)", left)
        assert len(parts) == len(channel.terms(patterns)) == left.count("sup")
        assert all(published[frozenset(itemset.strip("∅"))] == int(support) for _, _, itemset, support in parts)
        total = sum((-1 if sign == "−" else 1) * int(times or 1) * int(support) for sign, times, _, support in parts)
        assert total == int(right) == channel.count


@given(case=detected_databases())
def test_the_exposed_rows_are_those_that_meet_a_channel(case):
    rows, sigma, k = case
    transactions, _, channels = detected(case)
    exposed = channels.rows(transactions)
    found = zip(exposed.numbers, exposed.channels, exposed.smallest, strict=True)
    assert [tuple(map(int, row)) for row in found] == [
        (number, many, smallest) for number, (many, smallest) in sorted(oracle.exposed(rows, sigma, k).items())
    ]


@settings(max_examples=30)
@given(case=detected_databases(heavy_databases), k=st.integers(2, 600))
def test_the_exposed_rows_are_those_that_meet_a_channel_where_rows_are_repeated(case, k):
    rows, sigma, _ = case
    transactions, _, channels = detected((rows, sigma, k))
    exposed = channels.rows(transactions)
    found = dict(zip(exposed.numbers, zip(exposed.channels, exposed.smallest, strict=True), strict=True))
    assert found == oracle.exposed(rows, sigma, k)


@settings(max_examples=5)
@given(case=large_databases(), k=st.sampled_from([2, 5, 20]))
def test_the_exposed_rows_are_those_that_meet_a_channel_over_many_items(case, k):
    rows, sigma = case
    transactions, _, channels = detected((rows, sigma, k))
    exposed = channels.rows(transactions)
    found = dict(zip(exposed.numbers, zip(exposed.channels, exposed.smallest, strict=True), strict=True))
    expected = oracle.rare_cells(oracle.widest(oracle.maximal_by_levels(rows, sigma), sigma), rows, k)
    assert found == oracle.singled_out(expected, rows)


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("base", "top", "count", "text"),
    [
        ("ab", "abc", 2, "a ∧ b ∧ ¬c: 2 rows"),
        ("b", "abc", 1, "b ∧ ¬a ∧ ¬c: 1 row"),
        ("", "ab", 1, "¬a ∧ ¬b: 1 row"),
        ("ab", "ab", 2, "a ∧ b: 2 rows"),
        ("", "", 2, "any row: 2 rows"),
    ],
)
def test_a_channel_reads_as_the_rows_it_singles_out(base, top, count, text):
    assert str(Channel(frozenset(base), frozenset(top), count)) == text


@pytest.mark.nojit
@LISTED
def test_a_channel_explains_itself_by_the_sum_of_supports(kind):
    rows = [["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [["a"]] * 25 + [["b"]] * 25
    patterns = mine(rows, min_support=20, kind=kind)
    (channel,) = detect(patterns, k=10)
    assert str(channel) == "a ∧ b ∧ ¬c: 2 rows"
    assert channel.explain(patterns) == "sup(ab) 50 − sup(abc) 48 = 2"
    assert channel.terms(patterns) == [(1, frozenset("ab"), 50), (-1, frozenset("abc"), 48)]


@pytest.mark.nojit
@given(case=detected_databases())
def test_channels_are_a_sequence_that_equals_its_like(case):
    _, patterns, channels = detected(case)
    assert list(channels) == [channels[number] for number in range(len(channels))]
    assert channels == detect(patterns, k=channels.k)
    with pytest.raises(IndexError):
        channels[len(channels)]


@pytest.mark.nojit
def test_channels_of_other_counts_are_not_equal():
    rows = [["a", "b"], ["a", "b"], ["a"]]
    more = detect(mine([*rows, ["a"]], min_support=2), k=3)
    assert [len(more), detect(mine(rows, min_support=2), k=3) == more] == [2, False]


# What is refused.


@pytest.mark.nojit
def test_projection_needs_rows():
    patterns = mine([["a"]], min_support=1)
    with pytest.raises(OptionError, match="rows"):
        detect(patterns, k=2, method="projection")


@pytest.mark.nojit
@METHODS
def test_maximal_patterns_need_rows(method):
    patterns = mine([["a"]], min_support=1, kind="maximal")
    with pytest.raises((InputError, OptionError), match="rows"):
        detect(patterns, k=2, method=method)


@pytest.mark.nojit
@pytest.mark.parametrize("method", ["auto", "naive", "closed"])
@LISTED
def test_n_counts_though_the_empty_itemset_is_not_listed(method, kind):
    patterns = Patterns.from_itemsets([(["a"], 5), (["b"], 4)], n=7, kind=kind)
    found = [(channel.base, channel.top, channel.count) for channel in detect(patterns, k=4, method=method)]
    assert found == [(frozenset(), frozenset("a"), 2), (frozenset(), frozenset("b"), 3)]


@pytest.mark.nojit
def test_a_method_is_one_of_ours():
    with pytest.raises(OptionError, match="auto, naive, closed, projection"):
        detect(mine([["a"]], min_support=1), k=2, method="fast")


FOREIGN = {
    "more rows": (
        [["a", "b"]] * 5 + [["a"]] * 4 + [["b"]] * 4 + [[]] * 5,
        "the patterns are about 17 rows, but 18 were given",
    ),
    "an item with another support": ([["a", "b"]] * 5 + [["a"]] * 5 + [["b"]] * 4 + [[]] * 3, "another support"),
    "an item that no row holds": ([["a", "c"]] * 5 + [["a"]] * 4 + [["c"]] * 4 + [[]] * 4, "another support"),
    "a pair with another support": ([["a", "b"]] * 4 + [["a"]] * 5 + [["b"]] * 5 + [[]] * 3, "another support"),
}


@pytest.mark.nojit
@pytest.mark.parametrize(("rows", "sentence"), FOREIGN.values(), ids=FOREIGN)
@METHODS
@LISTED
def test_rows_that_the_patterns_were_not_mined_from_are_refused(rows, sentence, method, kind):
    patterns = mine([["a", "b"]] * 5 + [["a"]] * 4 + [["b"]] * 4 + [[]] * 4, min_support=1, kind=kind)
    with pytest.raises(InputError, match=sentence):
        detect(patterns, k=2, rows=Transactions(rows), method=method)
