"""How a file is laid out is found from its first part: it is read as what it is, or refused as unclear."""

import csv
from io import BytesIO, StringIO

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from discreet import Transactions, read, scan
from discreet.errors import InputError, UnclearError
from discreet.io.options import RowOptions
from discreet.io.sniff import HEAD, MOST, peek, sniff_text
from discreet.io.sources import find_source

SIGNS = [",", ";", "\t", "|"]
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "cp1252"]
NAMES = ["sex", "ward", "smoker", "thé", "blood type"]
VALUES = {
    "sex": ["f", "m"],
    "ward": ["north", "south", "käse"],
    "smoker": ["yes", "no", ""],
    "thé": ["0", "1", "2"],
    "blood type": ["A", "B", "AB+"],
}
words = st.sampled_from(["milk", "rye bread", "käse", "thé", "wine", "rum", "jam", "7up", "x1", "10"])
signs = st.sampled_from(SIGNS)


@st.composite
def forms(draw):
    """How lines become bytes: separator, quotes, line ends and encoding."""
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    how = {"delimiter": draw(signs), "quoting": quoting, "lineterminator": draw(st.sampled_from(["\n", "\r\n"]))}
    encoding, is_open, is_named = draw(st.sampled_from(ENCODINGS)), draw(st.booleans()), draw(st.booleans())

    def write(lines):
        out = StringIO()
        csv.writer(out, **how).writerows(lines)
        text = out.getvalue()
        text = text.removesuffix(how["lineterminator"]) if is_open else text
        return (f"sep={how['delimiter']}{how['lineterminator']}" * is_named + text).encode(encoding)

    return write


def understood(data, **given):
    """The rows, by their labels as text, or None if it is unclear which they are; any other error is one of ours."""
    try:
        found = read(BytesIO(data), **given)
    except UnclearError:
        return None
    return [{str(label) for label in row} for row in found]


@settings(max_examples=300)
@given(rows=st.lists(st.lists(words, min_size=1, max_size=4, unique=True), min_size=1, max_size=40), form=forms())
def test_baskets_are_read_back_or_unclear(rows, form):
    assert understood(form(rows)) in (None, [*map(set, rows)])
    assert understood(form(rows), format="baskets") in (None, [*map(set, rows)])


@pytest.mark.parametrize("lines", [b"milk,x1\nrye,tea\n", b"milk,rum\ntea,10\njam,10\n"])
def test_a_numbered_label_or_a_number_that_repeats_makes_no_header(lines):
    assert understood(lines) in (None, [{*line.split(",")} for line in lines.decode().split()])


@settings(max_examples=300)
@given(data=st.data(), form=forms())
def test_tables_are_read_back_or_unclear(data, form):
    names = data.draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=5, unique=True))
    lines = data.draw(st.lists(st.tuples(*(st.sampled_from(VALUES[name]) for name in names)), min_size=10, max_size=40))
    assume(all(any(column) for column in zip(*lines, strict=True)))
    expected = [{f"{name}={value}" for name, value in zip(names, line, strict=True) if value} for line in lines]
    held = [{name for name, value in zip(names, line, strict=True) if value == "1"} for line in lines]
    is_onehot = {value for line in lines for value in line} <= {"0", "1"}
    assert understood(form([names, *lines])) in (None, held if is_onehot else expected)
    bare = [{f"column{at}={value}" for at, value in enumerate(line, start=1) if value} for line in lines]
    assert understood(form(lines), format="table", header=False) == bare
    assert understood(form([names, *lines]), format="table") == expected


@settings(max_examples=200)
@given(data=st.data(), form=forms())
def test_tables_without_a_header_are_unclear_unless_their_first_line_can_be_one(data, form):
    names = data.draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=5, unique=True))
    lines = data.draw(st.lists(st.tuples(*(st.sampled_from(VALUES[name]) for name in names)), min_size=10, max_size=40))
    assume({*lines[0]} & {value for line in lines[1:] for value in line})
    rows = [{value for value in line if value} for line in lines]
    assert understood(form(lines)) in (None, rows)


@settings(max_examples=200)
@given(data=st.data(), form=forms(), has_ids=st.booleans())
def test_one_hot_tables_are_read_back_or_unclear(data, form, has_ids):
    names = data.draw(st.lists(words, min_size=1, max_size=4, unique=True))
    lines = data.draw(st.lists(st.tuples(*(st.sampled_from("01") for _ in names)), min_size=2, max_size=30))
    rows = [{name for name, cell in zip(names, line, strict=True) if cell == "1"} for line in lines]
    kept = [("patient", *names), *((at + 100, *line) for at, line in enumerate(lines))] if has_ids else [names, *lines]
    assert understood(form(kept), format="onehot", row="patient" if has_ids else None) == rows
    assume(not has_ids or len(names) > 1)
    assert understood(form(kept)) in (None, rows)


@pytest.mark.parametrize("lines", [b"10\n0\n0\n", b"10\n1\n1\n", b"7\n0\n1\n"])
def test_a_short_column_of_0_and_1_below_a_number_is_unclear(lines):
    assert understood(lines) is None
    assert len(understood(lines, format="fimi")) == 3
    assert len(understood(lines, format="onehot", separator=" ", header=True)) == 2
    with pytest.raises(UnclearError, match=r"all 3 lines but the first are 0 and 1.* separator=' ' header=True"):
        read(BytesIO(lines))


@settings(max_examples=200)
@given(
    pairs=st.lists(st.tuples(st.integers(100, 109), words), min_size=2, max_size=40, unique=True),
    form=forms(),
    names=st.sampled_from([("order", "item"), ("Kunde", "Artikel"), ("patient_id", "drug"), ("id", "was")]),
    is_turned=st.booleans(),
)
def test_long_tables_are_read_back_or_unclear(pairs, form, names, is_turned):
    rows = {}
    for row, item in pairs:
        rows.setdefault(row, set()).add(item)
    step = -1 if is_turned else 1
    data = form([names[::step], *(pair[::step] for pair in pairs)])
    assert understood(data, row=names[0], item=names[1]) == [*rows.values()]
    assume(any(len(row) > 1 for row in rows.values()) and len(rows) >= 5)
    assert understood(data) in (None, [*rows.values()])
    bare = form([pair[::step] for pair in pairs])
    places = ("column2", "column1") if is_turned else ("column1", "column2")
    assert understood(bare, row=places[0], item=places[1], header=False) == [*rows.values()]


@given(lines=st.lists(st.text("ab01;,|\t\"' \r\n=#", max_size=12), max_size=12), encoding=st.sampled_from(ENCODINGS))
def test_whatever_comes_has_a_layout(lines, encoding):
    data = "\n".join(lines).encode(encoding)
    layout = sniff_text(data, RowOptions())
    assert layout.shape in {"baskets", "long", "onehot", "table"}
    assert bool(layout.reason) == bool(layout.choices)
    assert layout.options.separator in {*SIGNS, " "}


JSON = [
    '[["f",20],["m",30]]',
    '[\n  {\n    "sex": "f"\n  }\n]\n',
    '{"sex": "f"}\n{"sex": "m"}\n',
    '["tea"]\n["rye"]\n',
    "{\n",
]


@pytest.mark.parametrize("text", JSON)
def test_json_is_not_read_as_lines_of_items(text):
    with pytest.raises(InputError, match="this is JSON, of which no rows are read; write them as CSV or Parquet"):
        read(BytesIO(text.encode()))


@pytest.mark.parametrize("first", ["[20,30),f", "{tea}", "[x] y", "[], tea", "{'tea': 1}", "[[x]], tea"])
def test_items_in_brackets_are_not_taken_for_json(first):
    layout = sniff_text(f"{first}\ntea, rye\nrye\n".encode(), RowOptions())
    assert layout.shape == "baskets"


# The first part of a file.


class Counting:
    """An open file that counts the bytes that are read of it."""

    def __init__(self, file):
        self.file, self.seen = file, 0

    def read(self, size):
        data = self.file.read(size)
        self.seen += len(data)
        return data


CONTENTS = {
    "rows.csv": b"tea,milk\nmilk\nrye,tea\n" * 40_000,
    "rows.dat": b"1 2 3\n2 3\n" * 90_000,
    "table.csv": b"sex;age\nf;34\nm;51\nf;51\n" + b"f;34\nm;51\n" * 90_000,
}


@pytest.mark.parametrize("name", CONTENTS)
def test_no_more_than_a_megabyte_is_read_of_a_large_file(tmp_path, name):
    path = tmp_path / name
    with path.open("wb") as file:
        file.write(CONTENTS[name])
        file.truncate(1 << 30)  # a hole: it takes no place on the disk
    with path.open("rb") as file:
        counted = Counting(file)
        head, _ = peek(counted)
    assert counted.seen <= 1 << 20
    assert len(head) <= HEAD
    assert find_source(path, None, RowOptions(), head).layout.reason == ""


def test_a_file_that_can_be_read_once_is_read_once():
    data = CONTENTS["rows.csv"]
    counted = Counting(BytesIO(data))
    assert read(counted).n == data.count(b"\n")
    assert counted.seen == len(data)


def one_hot(width, lines, separator):
    bits = [
        separator.join("01"[(at * (column + 3) + column) % 7 == 0] for column in range(width)) for at in range(lines)
    ]
    return "\n".join(bits) + "\n"


@pytest.mark.parametrize("width", [200, 5_000])
def test_a_line_that_is_cut_does_not_hide_a_table(tmp_path, width):
    lines = 2 * HEAD // (2 * width) + 30
    for name, separator in (("rows.dat", " "), ("rows.csv", ","), ("rows.csv", ";")):
        (tmp_path / name).write_text(one_hot(width, lines, separator))
        for reader in (read, lambda place: scan(place, min_support=1)):
            with pytest.raises(UnclearError, match=r"0 and 1|0 or 1"):
                reader(tmp_path / name)


@pytest.mark.parametrize("width", [30_000, 400_000])
def test_a_very_long_header_does_not_hide_a_table(tmp_path, width):
    path = tmp_path / "rows.csv"
    header = ",".join(f"item{at}" for at in range(width))
    path.write_text(f"{header}\n{one_hot(width, 3, ',')}")
    found = understood(path.read_bytes())
    assert found is None or len(found) == 3
    assert (found is None) == (path.stat().st_size > MOST)
    assert read(path, format="onehot") == Transactions(iter(read(path, format="onehot")))


def test_a_pipe_a_file_and_a_packed_file_are_laid_out_alike(tmp_path):
    import gzip

    for name, data in CONTENTS.items():
        path = tmp_path / name
        path.write_bytes(data)
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(data, 1))
        rows = read(path)
        assert read(BytesIO(data)) == read(f"{path}.gz") == rows
        assert read(BytesIO(data)).reading == rows.reading


def test_a_line_that_names_the_separator_is_no_row():
    assert understood(b"sep=;\ntea;milk\nmilk\n") == [{"tea", "milk"}, {"milk"}]
    assert understood(b"sep=;\ntea;milk\nmilk\n", separator=";") == [{"tea", "milk"}, {"milk"}]
    assert understood(b"sep=;\ntea,milk\nmilk\n") is None
    assert understood(b"sep=;\ntea,milk\n", format="baskets", separator=",") == [{"sep=;"}, {"tea", "milk"}]
    assert understood(b'"sep=;"\ntea,milk\n', format="baskets") == [{"sep=;"}, {"tea", "milk"}]
