"""Encodings: a text is the same in each of them, however it comes in chunks; what is no text is refused."""

import codecs
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import InputError, OptionError
from discreet.io.encodings import check_encoding, find_encoding, recode, to_utf8

ENCODINGS = ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "iso8859-1", "shift-jis"]
texts = st.text(st.characters(codec="iso8859-1", min_codepoint=32) | st.sampled_from("\n\t,;é"), max_size=80)
TABLE = "id;sex;city\n1;f;Zürich\n2;m;Genève\n" * 20


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be", "utf-32", "cp1252", "iso8859-1"])
@given(text=texts, cuts=st.lists(st.integers(0, 200)))
def test_a_text_in_any_chunks_becomes_the_same_utf_8(encoding, text, cuts):
    data = text.encode(encoding, errors="ignore")
    ends = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    chunks = [data[start:stop] for start, stop in pairwise(ends)]
    expected = data.decode(encoding).encode()
    assert b"".join(recode(chunks, encoding)) == expected
    assert to_utf8(data, encoding) == expected


FOUND = {
    "ASCII": (b"a,b\n", "utf-8"),
    "nothing": (b"", "utf-8"),
    "UTF-8": (TABLE.encode(), "utf-8"),
    "UTF-8 cut within a letter": ("aé".encode()[:-1], "utf-8"),
    "UTF-8 with a mark": (TABLE.encode("utf-8-sig"), "utf-8"),
    "UTF-16": (TABLE.encode("utf-16"), "utf-16"),
    "UTF-16, high bytes first": (codecs.BOM_UTF16_BE + TABLE.encode("utf-16-be"), "utf-16"),
    "UTF-32": (TABLE.encode("utf-32"), "utf-32"),
    "Windows": (TABLE.encode("cp1252"), "cp1252"),
    "Windows, with a euro": ("5 €\n".encode("cp1252"), "cp1252"),
}


@pytest.mark.parametrize("name", FOUND)
def test_the_encoding_of_a_text_is_found(name):
    data, expected = FOUND[name]
    assert find_encoding(data) == expected


REFUSED = {
    "a zip file": (b"PK\x03\x04\x14\x00\x00\x00\x08\x00ab", "not a text table. Is it a zip file or a spreadsheet"),
    "a NUL within a text": (b"a,b\n1,\0\n" * 9, "not a text table"),
    "bytes": (bytes(range(1, 256)), "not a text table"),
    "UTF-16 without a mark": (TABLE.encode("utf-16-le"), "encoding='utf-16-le'"),
    "UTF-16, high bytes first, without a mark": (TABLE.encode("utf-16-be"), "encoding='utf-16-be'"),
    "a byte that Windows lacks": (b"caf\xe9 \x81\n", "neither in UTF-8 nor in Windows-1252"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_text_is_refused(name):
    data, words = REFUSED[name]
    with pytest.raises(InputError, match=words):
        find_encoding(data)


@pytest.mark.parametrize("name", ["utf-99", "", "rot13", "base64", "idna", "unicode_escape", "a\0b", "é" * 500])
def test_an_unknown_encoding_is_refused_with_examples(name):
    with pytest.raises(OptionError, match="it is one such as utf-8, utf-16, cp1252"):
        check_encoding(name)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_names_of_encodings_are_known(encoding):
    assert codecs.lookup(check_encoding(encoding.upper())) == codecs.lookup(encoding)


def test_the_line_that_is_not_in_the_encoding_is_named():
    chunks = [b"a,b\n" * 10, b"c\n\x81,d\n"]
    with pytest.raises(InputError, match="line 12 is not in the encoding cp1252; name its encoding with encoding="):
        list(recode(chunks, "cp1252"))


def test_a_text_that_ends_within_a_character_is_refused():
    with pytest.raises(InputError, match="line 2 is not in the encoding utf-16"):
        to_utf8("a\nb".encode("utf-16")[:-1], "utf-16")
