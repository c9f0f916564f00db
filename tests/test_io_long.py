"""Long tables in CSV: hostile files are read as Python's csv module reads them, or refused; blocks change nothing."""

import re

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import InputError
from discreet.io import notation
from discreet.io.formats import csv
from discreet.io.options import RowOptions

OPTIONS = RowOptions(row="id", item="what")
heads = st.sampled_from(["id,what\n", "\ufeffid,note,what\r\n", "\n\r\nwhat,id\r", '"id","what",""\n', "what,id\n"])
signs = st.sampled_from([*"7812aé,\"' =\\\t", '"a,\nb"', '""', "'=1", "\r", "\ufeff", "\u2028", "\x85"])
wild = st.lists(signs, max_size=6).map("".join)
tame = st.builds("{},{}".format, st.sampled_from(["7", "8", '"9"', "'-1"]), st.sampled_from(["a", '"b,"', "'=1", "=1"]))
lines = st.tuples(tame | tame | wild, st.sampled_from(["\n", "\r\n", "\r", "\n\n"])).map("".join)
texts = st.tuples(heads, st.lists(lines, max_size=8).map("".join)).map("".join)
blocks = st.integers(1, 4)


def read_whole(text, block):
    """Return the labels of each row id as text."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(notation, "BLOCK", block)
        patch.setattr(csv, "BLOCK", block)
        rows = csv.read(text.encode(), OPTIONS)
    return {str(name): {*map(str, row)} for name, row in zip(rows.ids, rows, strict=True)}


def read_parts(text, size):
    """Return the labels of each row as text, read from chunks of some bytes."""
    data, reader = text.encode(), csv.read_in_chunks(OPTIONS)
    parts = [*reader.read(data[at : at + size] for at in range(0, len(data), size))]
    return [{str(label) for label in reader.labels(np.array(row, np.int32))} for part in parts for row in part]


def try_to(work, *given):
    """Return what ``work`` does, or None and why it was refused."""
    try:
        return work(*given), None
    except InputError as error:
        return None, str(error)


@given(text=texts, block=blocks)
def test_long_tables_are_read_as_python_reads_them_or_refused(text, block):
    expected = oracle.long_rows(text, "id", "what")
    found, _ = try_to(read_whole, text, block)
    assert found == expected or (found is None and re.search('[ \t]"', text))


@given(text=texts, block=blocks)
def test_blocks_change_neither_rows_nor_refusals(text, block):
    assert try_to(read_whole, text, block) == try_to(read_whole, text, notation.BLOCK)


@given(text=texts, size=st.integers(1, 9))
def test_long_tables_in_chunks_are_read_as_a_whole_or_refused(text, size):
    expected = oracle.long_rows(text, "id", "what")
    found, _ = try_to(read_parts, text, size)
    assert found is None or found == [*expected.values()]


@pytest.mark.parametrize("quoted", ["b", '"b"'])
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('8, "c"', "line 5 has blanks before a quote"),
        ('8,"c" d', "line 5 has a quote that does not end"),
        (f"8,{'c' * 200_000}", "line 5 has a quote that does not end, text after a quote, or a field of more than"),
        ("8,", "record 5 has no row id or no item"),
        ("8", "record 5 has no row id or no item"),
        ("8,c,d", "as many fields in each line as in the header"),
    ],
)
def test_refusals_number_the_line_behind_blocks_and_blank_lines(quoted, line, message):
    text = f"id,what\n\n7,a\n7,{quoted}\n{line}\n"
    for block in (1, 2, 4096):
        with pytest.raises(InputError, match=message):
            read_whole(text, block)
