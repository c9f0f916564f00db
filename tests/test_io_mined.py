"""Patterns of other programs, in memory and as they save them: the same list, whichever way it is handed over."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import InputError, OptionError, Patterns, audit, mine, read_patterns
from discreet.io.mined import are_patterns, count_share

N = 42
ROWS = [["a", "b c"]] * 20 + [["a"]] * 12 + [[]] * 10
COUNTS = {("a",): 32, ("b c",): 20, ("a", "b c"): 20}
PATTERNS = mine(ROWS, min_support=10, kind="frequent")


def mlxtend():
    pandas = pytest.importorskip("pandas")
    shares = [count / N for count in COUNTS.values()]
    return pandas.DataFrame({"support": shares, "itemsets": list(map(frozenset, COUNTS))})


WAYS = {
    "mlxtend": mlxtend,
    "mlxtend, records": lambda: mlxtend().to_dict("records"),
    "mlxtend, with counts": lambda: mlxtend().assign(count=list(COUNTS.values())),
    "polars": lambda: pytest.importorskip("polars").DataFrame(
        {"support": list(mlxtend()["support"]), "itemsets": list(map(list, COUNTS))}
    ),
    "pyfim, counts in tuples": lambda: [(itemset, (count,)) for itemset, count in COUNTS.items()],
    "pyfim, counts": lambda: list(COUNTS.items()),
    "pyfim, shares": lambda: [(itemset, (count / N,)) for itemset, count in COUNTS.items()],
    "pyfim, both": lambda: [(itemset, count, count / N) for itemset, count in COUNTS.items()],
    "frozensets": lambda: [(frozenset(itemset), count) for itemset, count in COUNTS.items()],
}


@pytest.mark.parametrize("way", WAYS)
def test_patterns_in_memory_are_the_same_in_every_form(way):
    assert read_patterns(WAYS[way](), n=N, min_support=10) == PATTERNS


@pytest.mark.parametrize("way", WAYS)
def test_patterns_in_memory_are_audited_as_such(way):
    assert audit(WAYS[way](), n=N, k=10).patterns.supports.tolist() == PATTERNS.supports.tolist()


def test_a_mapping_of_counts_is_read():
    assert read_patterns(COUNTS, n=N, min_support=10) == PATTERNS


ARULES = '"{a}",0.761904761904762,32\n"{b c}",0.476190476190476,20\n"{a,b c}",0.476190476190476,20\n'
SHARES = '"{a}",0.7619\n"{b c}",0.4762\n"{a,b c}",0.4762\n'
FILES = {
    "mlxtend": lambda: mlxtend().to_csv(),
    "mlxtend without index": lambda: mlxtend().to_csv(index=False),
    "mlxtend with lengths": lambda: mlxtend().assign(length=[1, 1, 2]).to_csv(index=False),
    "arules": lambda: f'"items","support","count"\n{ARULES}',
    "arules with row names": lambda: '"items","support"\n' + SHARES.replace('"{', '"1","{'),
    "arules with named row names": lambda: '"","items","support"\n' + SHARES.replace('"{', '"1","{'),
    "counts of others": lambda: "itemsets,support\na,32\nb c,20\na;b c,20\n",
    "ours": lambda: "itemset,support\na,32\nb c,20\na;b c,20\n",
}


@pytest.mark.parametrize("name", FILES)
def test_saved_patterns_are_the_same_in_every_layout(name, tmp_path):
    data = FILES[name]().encode()
    assert read_patterns(io.BytesIO(data), format="csv", n=N, min_support=10) == PATTERNS
    path = tmp_path / "mined.csv"
    path.write_bytes(data)
    assert audit(path, n=N, k=10).patterns.supports.tolist() == PATTERNS.supports.tolist()


BAD = {
    "code": (
        "support,itemsets\n0.5,\"frozenset({__import__('os').getpid()})\"\n",
        "pattern 1 is no set such as frozenset",
    ),
    "no n": ("support,itemsets\n0.5,frozenset({'a'})\n", "pattern 1 has a share as its support; say .* with n="),
    "no count": ("support,itemsets\n0.5001,frozenset({'a'})\n", "a share as its support that is no count of 42 rows"),
    "commas between items": ("itemsets,support\na,b,20\n", "pattern 1 has 3 fields; it must have 2"),
    "no header": ("a,0.5\n", "the first line must be the header itemset,support"),
    "a long set": (f'support,itemsets\n0.5,"frozenset({{{"1," * 60_000}}})"\n', "pattern 1 is no set such as"),
}


@pytest.mark.parametrize("name", BAD)
def test_saved_patterns_that_cannot_be_read_say_why(name):
    text, words = BAD[name]
    with pytest.raises(InputError, match=words):
        read_patterns(io.BytesIO(text.encode()), format="csv", n=None if name == "no n" else N)


@pytest.mark.parametrize("n", [61, 70])
def test_shares_beside_counts_must_be_those_of_n_rows(n):
    pairs = [(itemset, (count, count / 60)) for itemset, count in (("a", 50), ("b", 40), ("ab", 30))]
    pairs = [(tuple(itemset), numbers) for itemset, numbers in pairs]
    assert len(read_patterns(pairs, n=60, min_support=1, kind="frequent")) == 4
    with pytest.raises(InputError, match=f"not those of {n} rows"):
        read_patterns(pairs, n=n, min_support=1, kind="frequent")


def test_n_is_needed_for_shares_and_means_nothing_for_rows():
    with pytest.raises(InputError, match="the supports are shares; say of how many rows with n="):
        read_patterns(WAYS["pyfim, shares"]())
    with pytest.raises(InputError, match="a frame does not say of how many rows these are patterns; say it with n="):
        audit(mlxtend(), k=10)
    with pytest.raises(OptionError, match="n= is for a list of patterns that does not say it; leave it out for rows"):
        audit(ROWS, min_support=10, k=10, n=N)
    with pytest.raises(OptionError, match="patterns were mined already; leave min_support="):
        audit(mlxtend(), min_support=10, k=10, n=N)


@pytest.mark.parametrize(
    "value", [[["a", "b"], ["a"]], [("a", 3)], [], "text", {"a": [1, 0]}, [(["a"], "b")], [[["a"]]]]
)
def test_rows_are_not_taken_for_patterns(value):
    assert not are_patterns(value)


@pytest.mark.parametrize("entry", [("a", 3), (["a"],), (["a"], "many"), 7])
def test_entries_that_are_no_pairs_are_refused(entry):
    with pytest.raises(InputError, match="entry 2 is no itemset with its support; give pairs such as"):
        read_patterns([(["a"], 3), entry], n=N)


@given(count=st.integers(0, 5000), n=st.integers(1, 5000), digits=st.integers(8, 12))
def test_a_rounded_share_is_the_count_it_came_from(count, n, digits):
    share = min(count, n) / n
    assert count_share(f"{share:.{digits}f}", n, "") == min(count, n)
    assert count_share(repr(share), n, "") == min(count, n)


def test_patterns_without_a_kind_are_frequent():
    assert read_patterns(COUNTS, n=N).kind == "frequent"
    assert read_patterns([(("a",), 3)], n=N, kind="maximal") == Patterns.from_itemsets(
        [(["a"], 3)], n=N, min_support=3, kind="maximal"
    )
