"""Laws of channels as values: a sequence, worst first, immutable, and by label to rows and patterns."""

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import detected_databases

from discreet import (
    Channel,
    Difference,
    InputError,
    Patterns,
    Transactions,
    detect,
    mine,
    read_patterns,
    write_patterns,
)
from discreet.disclosure.channels import Term, as_text, format_sum

ROWS = Transactions([["a", "b"]] * 5 + [["a"]] * 2 + [["b", "c"]] * 3 + [[]])


def found(rows=ROWS, sigma=2, k=4):
    patterns = mine(rows, min_support=sigma)
    return patterns, detect(patterns, k=k)


def singled_out(exposed):
    """Return {row number: (channels, smallest)}."""
    return dict(zip(exposed.numbers.tolist(), zip(exposed.channels, exposed.smallest, strict=True), strict=True))


# A sequence.


@given(
    case=detected_databases(),
    start=st.integers(-9, 9),
    stop=st.none() | st.integers(-9, 9),
    step=st.sampled_from([1, 2, -1]),
)
def test_channels_are_indexed_and_sliced_as_a_list_is(case, start, stop, step):
    rows, sigma, k = case
    channels = detect(mine(rows, min_support=sigma), k=k)
    every = list(channels)
    assert channels[start:stop:step] == every[start:stop:step]
    assert [channels[at] for at in range(-len(every), len(every))] == [*every, *every]
    for beyond in (len(every), -len(every) - 1):
        with pytest.raises(IndexError):
            channels[beyond]


@pytest.mark.nojit
@given(case=detected_databases(), most=st.none() | st.integers(0, 9))
def test_the_worst_channels_tell_of_the_fewest_rows_by_the_fewest_items(case, most):
    rows, sigma, k = case
    channels = detect(mine(rows, min_support=sigma), k=k)
    expected = sorted(channels, key=lambda channel: (channel.count, len(channel.top)))
    assert channels.worst(most) == expected[:most]


@pytest.mark.nojit
def test_channels_are_equal_if_they_say_the_same_of_as_many_rows_for_the_same_k():
    patterns, channels = found()
    assert len(channels) > 0
    assert channels == detect(patterns, k=4, rows=ROWS)
    assert channels == detect(mine(ROWS, min_support=2, kind="frequent"), k=4)
    # The labels' codes do not matter.
    assert channels == found(Transactions([*map(list, ROWS)]))[1]
    others = [detect(patterns, k=5), found(sigma=4)[1], found(Transactions([*ROWS, []]))[1], [*channels], None]
    assert [channels == other for other in others] == [False] * 5
    assert channels != others[0]
    with pytest.raises(TypeError, match="unhashable"):
        hash(channels)


@pytest.mark.nojit
def test_channels_tell_how_many_they_are():
    _, channels = found()
    assert (channels.n, channels.k) == (11, 4)
    assert repr(channels) == f"<Channels: {len(channels)} maximal channels below 4 of 11 rows>"


@pytest.mark.nojit
def test_channels_cannot_be_changed():
    _, channels = found()
    cells = channels.cells
    for numbers in (cells.tops, *cells.bases.flat, cells.counts, *channels.tops.flat):
        with pytest.raises(ValueError, match="read-only"):
            numbers[:1] = 0
    with pytest.raises(AttributeError):
        channels.k = 2
    with pytest.raises(AttributeError):
        channels[0].count = 2


@pytest.mark.nojit
def test_patterns_and_rows_stay_as_they_were():
    before = [np.array(numbers) for numbers in (ROWS.offsets, ROWS.items)]
    patterns, channels = found()
    kept = [np.array(numbers) for numbers in (patterns.offsets, patterns.items, patterns.supports)]
    for method in ("auto", "naive", "closed", "projection"):
        detect(patterns, k=4, rows=ROWS, method=method)
    list(channels.expand(patterns))
    channels.rows(ROWS)
    now = [patterns.offsets, patterns.items, patterns.supports, ROWS.offsets, ROWS.items]
    assert all(map(np.array_equal, [*kept, *before], now))


# What they are told of.


@pytest.mark.nojit
@pytest.mark.parametrize(
    "channel",
    [
        Channel(frozenset("ab"), frozenset("abc"), 2),
        Channel(frozenset("xy"), frozenset("xyz"), 2),
        Channel(frozenset("a"), frozenset("ax"), 1),
        Channel(frozenset("x"), frozenset("ax"), 1),
    ],
)
def test_a_channel_that_does_not_follow_from_the_patterns_is_refused(channel):
    patterns, _ = found()
    with pytest.raises(InputError, match="the channel does not follow from these patterns; give those that it was"):
        channel.explain(patterns)


@pytest.mark.nojit
def test_a_difference_that_is_not_published_has_no_terms():
    patterns, _ = found()
    with pytest.raises(KeyError, match="not listed"):
        Difference(frozenset("x"), frozenset("xy"), 2).terms(patterns)


@pytest.mark.nojit
@settings(max_examples=60)
@given(case=detected_databases(), data=st.data())
def test_rows_are_met_by_label_whatever_their_codes(case, data):
    rows, sigma, k = case
    channels = detect(mine(rows, min_support=sigma), k=k)
    labels = data.draw(st.permutations(sorted({item for row in rows for item in row}, key=str)))
    # The codes of rows that are coded already follow the order they are given in.
    code = {label: number for number, label in enumerate([*labels, "a lone item"])}
    offsets = np.cumsum([0, *(len(row) + 1 for row in rows)], dtype=np.int64)
    items = np.array([code[item] for row in rows for item in [*row, "a lone item"]], dtype=np.int32)
    other = Transactions.from_codes(offsets, items, list(code))
    assert singled_out(channels.rows(other)) == oracle.exposed(rows, sigma, k)


@pytest.mark.nojit
@given(case=detected_databases(), missing=st.integers(0, 5))
def test_rows_without_an_item_of_a_channel_lack_it(case, missing):
    rows, sigma, k = case
    channels = detect(mine(rows, min_support=sigma), k=k)
    items = sorted({item for row in rows for item in row}, key=str)
    lost = items[missing] if missing < len(items) else None
    fewer = [row - {lost} for row in rows]
    expected = oracle.singled_out({(one.base, one.top): one.count for one in channels}, fewer)
    assert singled_out(channels.rows(Transactions(fewer))) == expected


def test_rows_are_met_in_blocks():
    # More than a block of 65,536 rows: the last of the first, the first of the second and the last of all stand out.
    rows = [["a", "b"]] * 70_000
    rows[65_535], rows[65_536], rows[69_999] = ["a"], ["b"], []
    transactions = Transactions(rows)
    channels = detect(mine(transactions, min_support=100), k=2, rows=transactions)
    assert singled_out(channels.rows(transactions)) == {65_535: (1, 1), 65_536: (1, 1), 69_999: (1, 1)}


@pytest.mark.nojit
@pytest.mark.parametrize("n", [63, 64, 65, 128, 129])
def test_the_last_word_of_rows_is_met(n):
    rows = Transactions([["a"]] * (n - 1) + [[]])
    channels = detect(mine(rows, min_support=1), k=2)
    assert singled_out(channels.rows(rows)) == {n - 1: (1, 1)}


@pytest.mark.nojit
def test_no_channels_single_out_no_rows():
    _, channels = found(k=1)
    exposed = channels.rows(ROWS)
    assert (len(channels), *(numbers.size for numbers in exposed)) == (0, 0, 0, 0, 0)
    assert channels.worst() == []
    assert detect(mine([], min_support=1), k=3).rows(Transactions([])).numbers.size == 0


@pytest.mark.parametrize("kind", ["frequent", "closed", "maximal"])
@pytest.mark.parametrize("method", ["auto", "projection"])
def test_patterns_of_a_file_whose_labels_are_ordered_otherwise_meet_the_rows(tmp_path, kind, method):
    rows = Transactions([["a", "b"]] * 5 + [["a"]] * 2 + [["b", "c"]] * 3 + [[]])
    mined = mine(rows, min_support=2, kind=kind)
    write_patterns(mined, tmp_path / "p.csv")
    read = read_patterns(tmp_path / "p.csv", n=11, kind=kind, min_support=2)
    turned = Transactions.from_codes(rows.offsets.copy(), (2 - rows.items).astype(np.int32), rows.labels[::-1])
    assert (turned.labels, list(turned)) == (read.labels[::-1], list(rows))
    assert detect(read, k=4, rows=turned, method=method) == detect(mined, k=4, rows=rows)


# Words.


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("itemset", "text"),
    [("", "∅"), ("ba", "ab"), (("tea", "b"), "b, tea"), ((10, 9), "9, 10"), ((1, 2), "1, 2")],
)
def test_an_itemset_reads_as_its_labels(itemset, text):
    assert as_text(frozenset(itemset)) == text


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("times", "text"),
    [([1], "1"), ([-1], "−1"), ([1, -1], "1 − 2"), ([2, 3], "2·1 + 3·2"), ([-2, 1, -3], "−2·1 + 2 − 3·3"), ([], "")],
)
def test_a_sum_reads_as_one(times, text):
    terms = [Term(one, frozenset(), 0) for one in times]
    assert format_sum(terms, map(str, range(1, len(times) + 1))) == text


@pytest.mark.nojit
def test_a_difference_reads_as_the_rows_it_tells_of():
    patterns = Patterns.from_itemsets([(["a"], 1500), (["a", "b", "c"], 300)], n=2000)
    one = Difference(frozenset("a"), frozenset("abc"), 1200)
    assert str(one) == "a ∧ ¬(b ∧ c): 1,200 rows"
    assert one.explain(patterns) == "sup(a) 1,500 − sup(abc) 300 = 1,200"
    assert str(Difference(frozenset(), frozenset("a"), 1)) == "¬a: 1 row"
