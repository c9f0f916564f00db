"""Files written again without some items: what must go is gone, and all else is the same bytes."""

import csv as standard
import gzip
import lzma
from io import BytesIO
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from discreet import GuaranteeError, InputError, OptionError, OutputError, Transactions, read, rewrite, write
from discreet.io import line_files
from discreet.io.formats import fimi
from discreet.io.notation import find_fields, unescape
from discreet.io.options import RowOptions
from discreet.io.rewrite import find_again

zstandard = pytest.importorskip("zstandard")
PACKERS = {".gz": gzip, ".xz": lzma, ".zst": zstandard}

numbers = st.integers(0, 12) | st.sampled_from([70_000, 65_536 + 7, 2**31 - 1])
words = st.sampled_from(
    ["a", "tea", "rye bread", "beer, dark", 'the "best"', "käse", "10", "a;b", "two\nlines", "\ttab"]
)
blanks = st.sampled_from([" ", "  ", "\t", " \t "])
ends = st.sampled_from(["\n", "\r\n", " \n"])


def rewritten(data, losses, form, **options):
    target = BytesIO()
    removed = [(row, frozenset(lost)) for row, lost in losses.items()]
    rewrite(BytesIO(data), target, removed, format=form, **options)
    return target.getvalue()


def reread(data, form, **options):
    """Read a file in which every line is a row."""
    return read(BytesIO(data), format=form, empty_rows=True, **options)


def after(rows, losses):
    return [frozenset(row) - frozenset(losses.get(at, ())) for at, row in enumerate(rows)]


def texts(rows):
    return [{str(item) for item in row} for row in rows]


@st.composite
def losing(draw, rows):
    """What some rows lose: any part of what they hold."""
    able = [at for at, row in enumerate(rows) if row]
    touched = draw(st.lists(st.sampled_from(able), unique=True)) if able else []
    return {at: draw(st.sets(st.sampled_from(sorted(rows[at], key=str)), min_size=1)) for at in sorted(touched)}


@st.composite
def numbered(draw, *, comments=False):
    """A file of numbers with blanks and line ends of all kinds, items repeated, and perhaps comments between rows."""
    rows = draw(st.lists(st.lists(numbers, max_size=5), min_size=1, max_size=8))
    text = draw(st.sampled_from(["", "\ufeff"]))
    for row in rows:
        if comments and draw(st.booleans()):
            text += draw(st.sampled_from(["# 1 2\n", "%\n", "@NAME=1\r\n"]))
        between = [draw(blanks) if at else draw(st.sampled_from(["", " "])) for at in range(len(row))]
        text += "".join(f"{gap}{item}" for gap, item in zip(between, row, strict=True)) + draw(ends)
    data = text.encode()
    return data[:-1] if draw(st.booleans()) and rows[-1] else data


@st.composite
def baskets(draw, separator=","):
    """Baskets with blanks, quotes where they must be or not, empty fields, repeated labels, labels of two lines."""
    rows = draw(st.lists(st.lists(words | st.just(""), max_size=4), min_size=1, max_size=6))
    text = draw(st.sampled_from(["", "\ufeff"]))
    for row in rows:
        fields = []
        for label in row:
            quote = '"' in label or separator in label or "\n" in label or draw(st.booleans())
            around = draw(st.sampled_from(["", " "])), draw(st.sampled_from(["", " "]))
            fields.append('"' + label.replace('"', '""') + '"' if quote else label.join(around))
        text += separator.join(fields) + draw(st.sampled_from(["\n", "\r\n"]))
    data = text.encode()
    return data.removesuffix(b"\n") if draw(st.booleans()) and any(rows[-1]) else data


@pytest.mark.parametrize("form", ["fimi", "spmf"])
@given(data=st.data())
def test_rows_of_numbers_lose_what_they_must(form, data):
    content = data.draw(numbered(comments=form == "spmf"))
    rows = [*reread(content, form)]
    losses = data.draw(losing(rows))
    assert [*reread(rewritten(content, losses, form), form)] == after(rows, losses)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", "^", "]"])
@settings(max_examples=30)
@given(data=st.data())
def test_baskets_lose_what_they_must(separator, data):
    content = data.draw(baskets(separator))
    rows = [*reread(content, "baskets", separator=separator)]
    losses = data.draw(losing(rows))
    again = reread(rewritten(content, losses, "baskets", separator=separator), "baskets", separator=separator)
    # As text: where only numbers are left, they are read as such.
    assert texts(again) == texts(after(rows, losses))


@given(data=st.data())
def test_items_with_names_lose_what_they_must(data):
    rows = data.draw(st.lists(st.frozensets(words.filter(lambda word: "\n" not in word)), min_size=1, max_size=6))
    assume(any(rows))
    target = BytesIO()
    write(rows, target, format="spmf")
    losses = data.draw(losing(rows))
    assert [*reread(rewritten(target.getvalue(), losses, "spmf"), "spmf")] == after(rows, losses)


@pytest.mark.parametrize("form", ["fimi", "spmf", "baskets"])
@settings(max_examples=40)
@given(data=st.data())
def test_lines_that_lose_nothing_are_the_same_bytes(form, data):
    content = data.draw(baskets() if form == "baskets" else numbered(comments=form == "spmf"))
    how = {"separator": ","} if form == "baskets" else {}
    assert rewritten(content, {}, form, **how) == content
    rows = [*reread(content, form, **how)]
    assume("\n" not in "".join(str(item) for row in rows for item in row))
    losses = data.draw(losing(rows))
    comments = (b"#", b"%", b"@") if form == "spmf" else (b"\0",)
    before, now = (
        [line for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n") if not line.startswith(comments)]
        for text in (content, rewritten(content, losses, form, **how))
    )
    assert all(now[at] == before[at] for at in range(len(rows)) if at not in losses)


EXACT = {
    "the first": (b"1 2 3\n", [1], b"2 3\n"),
    "one between": (b"1 2 3\n", [2], b"1 3\n"),
    "the last": (b"1 2 3\n", [3], b"1 2\n"),
    "the last before a blank": (b"1 2 3 \n", [3], b"1 2 \n"),
    "the first after a blank": (b" 1  2\t3\n", [1], b" 2\t3\n"),
    "two between": (b"1  2 3\t4\n", [2, 3], b"1\t4\n"),
    "two apart": (b"1 2 3 4 5\n", [2, 4], b"1 3 5\n"),
    "all": (b"1 2\r\n", [1, 2], b"\r\n"),
    "all, at the end without a line end": (b"1 2", [1, 2], b"\n"),
    "a repeated one": (b"7 1 7\n", [7], b"1\n"),
    "one with zeros before it": (b"007 1\n", [7], b"1\n"),
    "one that others begin with": (b"1 11 111\n", [11], b"1 111\n"),
}


@pytest.mark.parametrize(("content", "gone", "expected"), EXACT.values(), ids=EXACT)
def test_an_item_goes_with_one_separator(content, gone, expected):
    assert rewritten(content, {0: gone}, "fimi") == expected


BASKETS = {
    "the first": (b"tea, milk,rye\n", ["tea"], b" milk,rye\n"),
    "the last": (b"tea, milk ,rye\n", ["rye"], b"tea, milk \n"),
    "quotes": (b'"a,b" ,c'.replace(b" ", b"") + b"\n", ["a,b"], b"c\n"),
    "one after a quoted one": (b'"a,b",c ,d\n', ["c "], b'"a,b",d\n'),
    "empty fields stay": (b"tea,,milk,\n", ["milk"], b"tea,,\n"),
    "one with a line end within": (b'x,"two\nlines",y\nz', ["two\nlines"], b"x,y\nz"),
    "all, at the end without a line end": (b"tea", ["tea"], b"\n"),
}


@pytest.mark.parametrize(("content", "gone", "expected"), BASKETS.values(), ids=BASKETS)
def test_a_label_goes_with_one_separator(content, gone, expected):
    assert rewritten(content, {0: gone}, "baskets") == expected


@pytest.mark.parametrize("before", ["", "sep=;\r\n"], ids=["plain", "sep"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-be", "utf-32"])
@pytest.mark.parametrize(
    ("text", "gone", "expected", "how"),
    [
        ("käse;tea\r\ntea;rye\nkäse\n\n", "käse", "tea\r\ntea;rye\nkäse\n\n", {}),
        ("id;what\r\n7;käse\r\n7;tea\n8;käse\n", "käse", "id;what\r\n7;tea\n8;käse\n", {}),
        (
            "7;käse\r\n7;tea\n8;käse\n",
            "käse",
            "7;tea\n8;käse\n",
            {"header": False, "row": "column1", "item": "column2"},
        ),
        ("käse;tea\n1;0\n1;1\n", "käse", "käse;tea\n0;0\n1;1\n", {}),
        ("1;0\n1;1\n", "column1", "0;0\n1;1\n", {"format": "onehot", "header": False}),
        ("sex;käse\nf;34\nm;51\nf;34\n", "käse=34", "sex;käse\nf;\nm;51\nf;34\n", {}),
        ("f;34\nm;51\n", "column2=34", "f;\nm;51\n", {"format": "table", "header": False}),
    ],
    ids=["baskets", "long", "long without header", "onehot", "onehot without header", "table", "table without header"],
)
def test_the_encoding_and_the_first_line_stay(tmp_path, before, encoding, text, gone, expected, how):
    mark = "\ufeff" * (encoding == "utf-16-be")
    path, new = tmp_path / "rows.csv", tmp_path / "new.csv"
    path.write_bytes(f"{mark}{before}{text}".encode(encoding))
    rows = read(path, **how)
    assert gone in rows[0]
    rewrite(path, new, [(0, frozenset([gone]))], **how)
    assert new.read_bytes() == f"{mark}{before}{expected}".encode(encoding)
    assert [*read(new, **find_again(path, **how))][: rows.n] == after(rows, {0: [gone]})


@given(text=st.text('a" ,;\t', max_size=12), separator=st.sampled_from(",;\t"))
def test_fields_are_where_the_reader_of_baskets_sees_them(text, separator):
    try:
        expected = next(standard.reader([text], delimiter=separator, strict=True), [])
    except standard.Error:
        reject()
    found = [*find_fields(text, separator)]
    assert [*map(unescape, expected or [""])] == [label for _, _, label, _ in found]
    assert all(start <= stop <= then for (start, stop, *_), (then, *_) in pairwise(found))


def test_pieces_of_any_size_give_the_same(tmp_path, monkeypatch):
    path = tmp_path / "rows.dat"
    path.write_bytes(b"".join(b"%d %d %d\r\n" % (at % 7, at % 5 + 10, at) for at in range(100)))
    losses = [(at, frozenset([at % 7])) for at in range(0, 100, 3)]
    rewrite(path, tmp_path / "whole.dat", losses)
    for size in (1, 7, 100):
        monkeypatch.setattr("discreet.io.compression.CHUNK", size)
        rewrite(path, tmp_path / "pieces.dat", losses)
        assert (tmp_path / "pieces.dat").read_bytes() == (tmp_path / "whole.dat").read_bytes()


@given(data=st.data())
def test_a_table_with_a_line_an_item_loses_lines_and_nothing_else(data):
    pairs = data.draw(st.lists(st.tuples(st.integers(0, 3), words), min_size=1, max_size=10))
    quoted = [(row, '"' + item.replace('"', '""') + '"') for row, item in pairs]
    records = [f'{at},"x, {at}",{row},{item}\r\n' for at, (row, item) in enumerate(quoted)]
    content = "".join(["number,note,who,what\n", *records]).encode()
    rows = read(BytesIO(content), format="csv", row="who", item="what")
    losses = data.draw(losing([*rows]))
    assume(all(len(lost) < len(rows[row]) for row, lost in losses.items()))
    place = {str(name): at for at, name in enumerate(rows.ids)}
    stay = [
        record
        for record, (row, item) in zip(records, pairs, strict=True)
        if item not in map(str, losses.get(place[str(row)], ()))
    ]
    assert (
        rewritten(content, losses, "csv", row="who", item="what") == ("number,note,who,what\n" + "".join(stay)).encode()
    )


def parquet(frame, **metadata):
    target = BytesIO()
    frame.write_parquet(target, metadata=metadata)
    return target.getvalue()


FRAMES = {
    "a column of lists": (
        pl.DataFrame({"items": [["a", "b"], [], ["b", "a", "b"]], "age": [1, 2, 3]}),
        {},
        pl.DataFrame({"items": [["a"], [], ["a"]], "age": [1, 2, 3]}),
    ),
    "lists of another name": (
        pl.DataFrame({"what": [[1, 2], None, [2, 3]], "items": ["x", "y", "z"]}).with_columns(
            pl.col("what").fill_null([]).cast(pl.List(pl.Int16))
        ),
        {"items": "what"},
        pl.DataFrame({"what": [[1], [], [3]], "items": ["x", "y", "z"]}, schema_overrides={"what": pl.List(pl.Int16)}),
    ),
    "a line an item": (
        pl.DataFrame({"who": ["x", "x", "y", "z", "z"], "what": ["a", "b", "a", "a", "b"], "at": [1, 2, 3, 4, 5]}),
        {"row": "who", "item": "what"},
        pl.DataFrame({"who": ["x", "y", "z"], "what": ["a", "a", "a"], "at": [1, 3, 4]}),
    ),
    "a column an item": (
        pl.DataFrame({"a": [True, False, True], "b": [1, 0, 1]}),
        {},
        pl.DataFrame({"a": [True, False, True], "b": [0, 0, 0]}),
    ),
}


@pytest.mark.parametrize(("frame", "options", "expected"), FRAMES.values(), ids=FRAMES)
def test_tables_in_parquet_lose_items_and_keep_their_other_columns(frame, options, expected):
    content = parquet(frame, origin="ward 3")
    rows = read(BytesIO(content), format="parquet", **options)
    gone = 2 if "what" in options.values() and options.get("items") else "b"
    losses = {0: [gone], 2: [gone]}
    data = rewritten(content, losses, "parquet", **options)
    assert pl.read_parquet(BytesIO(data)).equals(expected)
    assert pl.read_parquet(BytesIO(data)).schema == frame.schema
    assert pl.read_parquet_metadata(BytesIO(data))["origin"] == "ward 3"
    again = read(BytesIO(data), format="parquet", **options)
    assert [*again] == after(rows, losses)
    assert again.ids == rows.ids


def test_what_parquet_says_beside_its_table_goes_with_a_column():
    frame = pl.DataFrame({"name": ["Ann", "Bea"], "who": ["x", "y"], "what": [["a", "b"], ["b"]]})
    content, options = parquet(frame, origin="Ann's ward"), {"row": "who", "items": "what", "drop": "name"}
    data = rewritten(content, {0: ["b"]}, "parquet", **options)
    assert pl.read_parquet(BytesIO(data)).columns == ["who", "what"]
    assert "origin" not in pl.read_parquet_metadata(BytesIO(data))


def test_ids_in_parquet_are_kept():
    target = BytesIO()
    write(Transactions([["a", "b"], ["b"]], ids=[7, 9]), target, format="parquet")
    again = read(BytesIO(rewritten(target.getvalue(), {1: ["b"]}, "parquet")), format="parquet")
    assert again == Transactions([["a", "b"], []], ids=[7, 9])


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_row_without_items_cannot_stand_in_a_table_with_a_line_an_item(form):
    frame = pl.DataFrame({"who": ["x", "y"], "what": ["a", "b"]})
    content = parquet(frame) if form == "parquet" else frame.write_csv().encode()
    with pytest.raises(OutputError, match="row 2 loses all of its items, and one line per item cannot hold"):
        rewritten(content, {1: ["b"]}, form, row="who", item="what")


@pytest.mark.parametrize(("packed", "packer"), PACKERS.items())
@pytest.mark.parametrize("form", [".dat", ".csv"])
def test_packed_files_stay_packed(tmp_path, packed, packer, form):
    content = b"1 2\n\n2 3\n" if form == ".dat" else b"1,2\n\n2,3\n"  # which rewrite copies, whatever it means
    (tmp_path / f"rows{form}{packed}").write_bytes(packer.compress(content))
    rewrite(tmp_path / f"rows{form}{packed}", tmp_path / f"new{form}{packed}", [(0, frozenset([2]))])
    data = (tmp_path / f"new{form}{packed}").read_bytes()
    assert (packer.ZstdDecompressor().decompressobj() if packed == ".zst" else packer).decompress(data) in (
        b"1\n\n2 3\n",
        b"1\n\n2,3\n",
    )


MISSING = "row 2 does not hold an item that it shall lose; the file has changed since it was read"


@pytest.mark.parametrize(
    ("content", "form", "options"),
    [
        (b"1 2\n1\n", "fimi", {}),
        (b"1 2\n", "fimi", {}),
        (b"@ITEM=1=1\n1\n1\n", "spmf", {}),
        (b"1,2\n1\n", "csv", {}),
        (b"who,what\n1,2\n3,4\n", "csv", {"row": "who", "item": "what"}),
        (parquet(pl.DataFrame({"items": [[2], [1]]})), "parquet", {}),
        (parquet(pl.DataFrame({"items": [[2]]})), "parquet", {}),
        (parquet(pl.DataFrame({"1": [1, 0]})), "parquet", {}),
    ],
)
def test_a_row_that_does_not_hold_what_it_shall_lose_is_refused(content, form, options):
    with pytest.raises(InputError, match=MISSING):
        rewritten(content, {1: [2]}, form, **options)


def test_a_file_is_not_written_over_the_one_it_comes_from(tmp_path):
    path = tmp_path / "rows.dat"
    path.write_bytes(b"1 2\n")
    for target in (path, str(path), tmp_path / "." / "rows.dat"):
        with pytest.raises(OptionError, match="written over the file that they come from"):
            rewrite(path, target, [(0, frozenset([1]))])
    assert path.read_bytes() == b"1 2\n"


def test_a_target_of_another_format_is_refused(tmp_path):
    (tmp_path / "rows.dat").write_bytes(b"1 2\n")
    with pytest.raises(OptionError, match="the rows stay in their format, fimi"):
        rewrite(tmp_path / "rows.dat", tmp_path / "rows.csv", [])
    assert [path.name for path in tmp_path.iterdir()] == ["rows.dat"]


def test_names_after_rows_are_refused_in_one_scan():
    with pytest.raises(InputError, match="there are @ITEM= lines after rows; move them before all rows"):
        rewritten(b"1 2\n@ITEM=1=a\n@ITEM=2=b\n", {}, "spmf")


def test_a_comment_on_names_is_no_name():
    assert rewritten(b"# no @ITEM= lines\n1 2\n", {0: [1]}, "spmf") == b"# no @ITEM= lines\n2\n"


def test_items_without_names_are_refused_where_others_have_them():
    with pytest.raises(InputError, match="has no @ITEM= line, though others have"):
        rewritten(b"@ITEM=1=a\n1 2\n", {}, "spmf")


def test_a_mistake_of_ours_is_found_before_anything_is_written(tmp_path, monkeypatch):
    path = tmp_path / "rows.dat"
    path.write_bytes(b"1 2\n3\n")
    monkeypatch.setattr("discreet.io.formats.fimi.without", lambda part, *_: part.data)
    with pytest.raises(GuaranteeError, match="rows have not lost what they should"):
        rewrite(path, tmp_path / "new.dat", [(0, frozenset([1]))])
    assert [found.name for found in tmp_path.iterdir()] == ["rows.dat"]


def test_lines_come_in_batches_of_so_many_rows():
    parts = [*fimi.rewrite_lines(["2"], RowOptions()).scan([b"1 2\n2\n\n", b"3\n", b"2 3\n4\n2"])]
    for rows in (1, 2, 3, 4, 5, 9):
        batches = [*line_files.batch_lines(parts, rows)]
        assert b"".join(batch.data for batch in batches) == b"1 2\n2\n\n3\n2 3\n4\n2"
        assert [batch.n for batch in batches] == [rows] * (7 // rows) + [7 % rows] * (7 % rows > 0)
        places = [(batch.data, *place) for batch in batches for place in zip(batch.starts, batch.stops, strict=True)]
        assert [data[start:stop] for data, start, stop in places] == [b"1 2", b"2", b"", b"3", b"2 3", b"4", b"2"]
        whole = line_files.join_lines(batches)
        assert whole.lengths.tolist() == [2, 1, 0, 1, 2, 1, 1]
        assert whole.held.offsets.tolist() == [0, 1, 2, 2, 2, 3, 3, 4]
