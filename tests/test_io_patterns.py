"""Patterns: what is written is read back, and files of others are read as their formats mean it."""

import csv
import json
from io import BytesIO, StringIO

import oracle
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from discreet import InputError, OutputError, Patterns, read_patterns, write_patterns
from discreet.data.itemsets import Itemsets

FORMATS = ("spmf", "borgelt", "csv", "parquet", "json", "pmml", "arules", "mlxtend", "pami")
SUFFIXES = {
    "spmf": ".txt",
    "borgelt": ".out",
    "csv": ".csv",
    "tabs": ".tsv",
    "parquet": ".parquet",
    "json": ".json",
    "pmml": ".pmml",
}
WITHOUT_METADATA = ("borgelt", "csv", "arules", "mlxtend", "pami")
WITHOUT_NOTHING = ("borgelt", "pami")  # an empty file reads as a failed export, so no patterns are refused
WITH_SHARES = ("arules", "mlxtend", "pmml")  # of no rows there are none

anything = (
    st.text(max_size=3) | st.integers() | st.sampled_from(["1", "01", " a", "(2)", "#", "@", "a;b", 'a"b', "a,b", "=1"])
)
pools = st.lists(anything, unique_by=lambda label: (type(label).__name__, label), min_size=1, max_size=4)
plain = st.sampled_from([["a", "b", "käse", "(3)"], [0, 1, 7, 2**31 - 1]])


@st.composite
def mined(draw, pools):
    """The patterns of a random database, found by the oracle."""
    labels = draw(pools)
    rows = draw(st.lists(st.frozensets(st.sampled_from(labels)), max_size=6))
    count = draw(st.integers(1, len(rows) + 1))
    kind = draw(st.sampled_from(sorted(oracle.KINDS)))
    length = draw(st.none() | st.integers(0, 3))
    pairs = oracle.KINDS[kind](rows, count, length).items()
    return Patterns.from_itemsets(pairs, n=len(rows), min_support=count, kind=kind, max_length=length)


def how(patterns):
    """Return how patterns were mined, as options."""
    return {name: getattr(patterns, name) for name in ("n", "min_support", "kind", "max_length")}


def can_hold(form, patterns):
    """Return whether a format can hold patterns, but for their labels."""
    return (form not in WITHOUT_NOTHING or len(patterns) > 0) and (form not in WITH_SHARES or patterns.n > 0)


def written(patterns, form):
    file = BytesIO()
    write_patterns(patterns, file, format=form)
    return file.getvalue()


def read_back(data, patterns, form):
    return read_patterns(BytesIO(data), format=form, **(how(patterns) if form in WITHOUT_METADATA else {}))


@pytest.mark.parametrize("form", FORMATS)
@given(patterns=mined(plain))
def test_patterns_are_read_back_from_every_format(form, patterns):
    assume(can_hold(form, patterns))
    assert read_back(written(patterns, form), patterns, form) == patterns


@given(patterns=mined(st.just(["=1+1", "+2", "-x", "@4", "＝5", "tea"])))
def test_no_cell_of_a_csv_of_patterns_is_a_formula(patterns):
    data = written(patterns, "csv")
    cells = [cell for line in csv.reader(StringIO(data.decode())) for cell in line]
    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "＝"))] == []
    assert read_back(data, patterns, "csv") == patterns


@pytest.mark.parametrize("form", ["csv", "borgelt"])
def test_a_label_that_begins_with_a_byte_order_mark_is_refused(form):
    with pytest.raises(OutputError, match=r"has a label that .* cannot hold"):
        written(Patterns.from_itemsets([(["\ufeffa"], 1)], n=1), form)


@pytest.mark.parametrize("form", FORMATS)
@given(patterns=mined(pools))
def test_any_patterns_are_refused_or_read_back(form, patterns):
    try:
        data = written(patterns, form)
    except OutputError:
        reject()
    assert read_back(data, patterns, form) == patterns


@pytest.mark.parametrize("form", FORMATS)
@given(patterns=mined(plain))
def test_equal_patterns_give_equal_bytes_whatever_their_codes(form, patterns):
    assume(can_hold(form, patterns))
    again = Patterns(
        Itemsets(patterns.offsets, patterns.items + 2),
        patterns.supports,
        ("zebra", "aardvark", *patterns.labels),
        patterns.n,
        patterns.min_support,
        patterns.kind,
        max_length=patterns.max_length,
    )
    assert written(again, form) == written(patterns, form)


@pytest.mark.parametrize("frame", ["pandas", "polars", "pyarrow"])
@given(patterns=mined(plain), counted=st.booleans())
def test_patterns_are_read_back_from_frames(frame, patterns, counted):
    pytest.importorskip(frame)
    native = patterns.to_pandas() if frame == "pandas" else patterns.to_polars()
    columns = ["support", "itemsets", "count"] if counted else ["support", "itemsets"]
    native = native[columns].to_arrow() if frame == "pyarrow" else native[columns]
    assert read_patterns(native, **how(patterns)) == patterns


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("form", SUFFIXES)
def test_suffixes_tell_the_format_of_patterns(tmp_path, form, packed):
    patterns = Patterns.from_itemsets([([], 3), (["a"], 3), (["a", "b"], 2)], n=3, min_support=2)
    path = tmp_path / f"patterns{SUFFIXES[form]}{packed}"
    write_patterns(patterns, path)
    assert read_patterns(path) == patterns


def test_patterns_read_as_they_are_written():
    patterns = Patterns.from_itemsets([([], 9), (["tea"], 7), (["rye bread", "tea"], 5)], n=9, kind="closed")
    assert written(patterns, "spmf").decode() == (
        "@CONVERTED_FROM_TEXT\n@ITEM=1=rye bread\n@ITEM=2=tea\n@N=9\n@MIN_SUPPORT=5\n@KIND=closed\n"
        "#SUP: 9\n1 2 #SUP: 5\n2 #SUP: 7\n"
    )
    assert written(patterns, "csv").decode() == "itemset,support\n,9\nrye bread;tea,5\ntea,7\n"
    assert json.loads(written(patterns, "json")) == {
        "n": 9,
        "min_support": 5,
        "kind": "closed",
        "patterns": [
            {"items": [], "support": 9},
            {"items": ["rye bread", "tea"], "support": 5},
            {"items": ["tea"], "support": 7},
        ],
    }
    assert len(written(patterns, "json").splitlines()) == 5 + 3 + 2


def test_spmf_results_of_others_are_read():
    patterns = read_patterns(BytesIO(b"1 #SUP: 3\r\n1 2 #SUP: 2 #TID: 0 1\r\n"), format="spmf", n=4)
    assert dict(patterns) == {frozenset(): 4, frozenset([1]): 3, frozenset([1, 2]): 2}
    assert (patterns.n, patterns.min_support, patterns.kind) == (4, 2, "frequent")


def test_percentages_become_the_counts_they_stand_for():
    data = b"a (100)\na b (33.3333)\nb (66.6667%)\n"
    patterns = read_patterns(BytesIO(data.replace(b"(100)", b"(100.0)")), format="borgelt", n=12345)
    assert dict(patterns) == {
        frozenset(): 12345,
        frozenset("a"): 12345,
        frozenset("ab"): 4115,
        frozenset("b"): 8230,
    }


@pytest.mark.parametrize("support", ["12.3", "0.1", "12.34567"])
def test_a_percentage_that_is_no_count_or_several_is_refused(support):
    with pytest.raises(
        InputError, match="line 1 has a support in percent that is no count of 8124 rows, or of several"
    ):
        read_patterns(BytesIO(f"a ({support})".encode()), format="borgelt", n=8124)


def test_the_empty_itemset_tells_the_number_of_rows():
    assert read_patterns(BytesIO(b"(7)\na (3)\n"), format="borgelt").n == 7


def test_pairs_and_patterns_are_sources_too():
    patterns = Patterns.from_itemsets([([], 5), (["a"], 3)], n=5)
    assert read_patterns(patterns) is patterns
    assert read_patterns([(["a"], 3)], n=5) == patterns


@pytest.mark.parametrize(("name", "value"), [("n", 4), ("min_support", 3), ("kind", "maximal"), ("max_length", 1)])
def test_what_the_caller_says_must_agree_with_the_file(name, value):
    data = written(Patterns.from_itemsets([([], 3), (["a"], 2)], n=3, kind="closed", max_length=2), "json")
    with pytest.raises(InputError, match=f"the source says {name} is .*, not {value}; leave {name}= out"):
        read_patterns(BytesIO(data), format="json", **{name: value})


@pytest.mark.parametrize(
    ("labels", "form", "sentence"),
    [
        (["rye bread"], "borgelt", "item 1 of 1 has a label that Borgelt's format cannot hold"),
        (["a", "1\r"], "csv", "has a label that CSV cannot hold"),
        ([1, "a"], "borgelt", "not all text or all whole numbers, which Borgelt's format cannot hold"),
        ([2.5], "json", "item 1 has a label of type float; JSON has text or integers"),
        (["\ud800"], "json", "item 1 has a label that is no Unicode text"),
        ([("a", 1)], "parquet", "not all text or all whole numbers, which Parquet cannot hold"),
        ([10**20], "csv", "numbers of more than 18 digits"),
    ],
)
def test_patterns_that_a_format_cannot_hold_are_refused(tmp_path, labels, form, sentence):
    patterns = Patterns.from_itemsets([(labels, 2)], n=3)
    with pytest.raises(OutputError, match=sentence):
        write_patterns(patterns, tmp_path / "patterns", format=form)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("form", "data"), [("borgelt", b"a (3)\rb (2)\n"), ("spmf", b"1 #SUP: 3\r2 #SUP: 2\n")])
def test_a_lone_carriage_return_never_joins_two_patterns(form, data):
    with pytest.raises(InputError, match="line 1 holds a carriage return that ends no line"):
        read_patterns(BytesIO(data), format=form, n=4)


def test_a_lone_carriage_return_ends_a_line_of_csv():
    assert len(read_patterns(BytesIO(b"itemset,support\ra,3\rb,2\r"), format="csv", n=4)) == 3
