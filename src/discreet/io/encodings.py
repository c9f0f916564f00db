"""Encodings: which one a text file has, and its bytes as UTF-8."""

import codecs
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from discreet.errors import InputError, Option, OptionError

UTF_8: Final = "utf-8"
MARKS: Final = {
    codecs.BOM_UTF8: UTF_8,
    codecs.BOM_UTF32_LE: "utf-32",  # begins as UTF-16 does, so it is tried first
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""Byte-order marks, and the encodings that they announce."""
ORDERS: Final = {
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
"""Byte-order marks, and the encodings of what comes after them."""
DOCUMENTS: Final = {
    b"%pdf": "a PDF",
    b"{\\rtf": "a rich text",
    b"<!doctype html": "a web page",
    b"<html": "a web page",
    b"<?xml": "XML",
    b"\xd0\xcf\x11\xe0": "an old document of Office",
}
"""How other documents begin, in lower case, and what they are."""
LONGEST: Final = 1 << 10  # bytes in which a document begins
WINDOWS: Final = "cp1252"
NOT_TEXT: Final = "this is not a text table. Is it a zip file or a spreadsheet? Export it as CSV"
CONTROLS: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")  # bytes that no text holds
ESCAPES: Final = frozenset({"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"})
HALF, FEW = 0.5, 0.1  # shares of NULs at the even or odd places of UTF-16: of letters one half, of others few


def find_encoding(head: bytes, *, is_cut: bool = True) -> str:
    r"""Return the encoding of a text, from its first bytes: that of its mark, else UTF-8, else Windows-1252.

    Bytes that are no text are refused. So is UTF-16 without a mark, as nothing but a guess tells its byte order.

    >>> find_encoding("é".encode()), find_encoding("é".encode("utf-16")), find_encoding(b"caf\xe9,tea\n")
    ('utf-8', 'utf-16', 'cp1252')
    """
    for beginning, name in DOCUMENTS.items():
        if head[:LONGEST].lstrip().lower().startswith(beginning):
            raise InputError(f"this is {name}, not a table; export the table in it as CSV")
    for mark, encoding in MARKS.items():
        if head.startswith(mark):
            return encoding
    if b"\0" in head:
        raise InputError(*_explain_nuls(head))
    try:
        codecs.getincrementaldecoder(UTF_8)().decode(head, not is_cut)  # if cut, it may end within a character
    except UnicodeDecodeError:
        return _check_windows(head)
    return UTF_8


def find_mark(head: bytes, encoding: str) -> bytes:
    r"""Return the byte-order mark of a text in this encoding, if it has one.

    >>> find_mark(b"\xff\xfet\x00", "utf-16"), find_mark(b"tea", "utf-8")
    (b'\xff\xfe', b'')
    """
    return next((mark for mark, name in MARKS.items() if name == encoding and head.startswith(mark)), b"")


def check_encoding(name: str) -> str:
    """Return the usual name of an encoding; refuse an unknown one.

    >>> check_encoding("UTF8"), check_encoding("Latin1")
    ('utf-8', 'iso8859-1')
    """
    try:
        usual = codecs.lookup(name).name.replace("_", "-")
        "".encode(usual)  # refuses compressions and the like
    except (LookupError, TypeError, ValueError):
        usual = "undefined"
    if usual in ESCAPES:
        examples = "it is one such as utf-8, utf-16, cp1252, latin-1 or shift_jis"
        raise OptionError(Option("encoding"), f" is {str(name)[:40]!r}, which is unknown; {examples}")
    return UTF_8 if usual == "utf-8-sig" else usual


def to_utf8(data: bytes | bytearray, encoding: str) -> bytes | bytearray:
    r"""Return a whole text as UTF-8; one that is in UTF-8 comes back as it is.

    >>> to_utf8(b"caf\xe9\n", "cp1252").decode()
    'café\n'
    """
    return data if encoding == UTF_8 else b"".join(recode([data], encoding))


def recode(chunks: Iterable[bytes | bytearray], encoding: str) -> Iterator[bytes | bytearray]:
    r"""Yield a text as UTF-8; chunks may end within a character, and those in UTF-8 come back as they are.

    >>> b"".join(recode([b"\xff\xfet", b"\x00\xe9\x00"], "utf-16")).decode()
    'té'
    """
    if encoding == UTF_8:  # every format checks it, and counts lines
        yield from chunks
        return
    decoder, line = codecs.getincrementaldecoder(encoding)(), 1
    for chunk, is_last in chain(((chunk, False) for chunk in chunks), [(b"", True)]):
        try:
            text = decoder.decode(chunk, is_last)
        except UnicodeDecodeError as error:
            line += error.object.count(b"\n", 0, error.start)
            advice = "; name its encoding with "
            raise InputError(f"line {line} is not in the encoding {encoding}{advice}", Option("encoding")) from None
        line += text.count("\n")
        yield text.encode()


def encode(chunks: Iterable[bytes | bytearray], encoding: str) -> Iterator[bytes]:
    r"""Yield a text in UTF-8 in another encoding; what ``recode`` has changed comes back.

    >>> b"".join(encode([b"caf\xc3", b"\xa9"], "cp1252"))
    b'caf\xe9'
    """
    if encoding == UTF_8:
        yield from map(bytes, chunks)
        return
    decoder, encoder = codecs.getincrementaldecoder(UTF_8)(), codecs.getincrementalencoder(encoding)()
    for chunk in chunks:
        yield encoder.encode(decoder.decode(chunk))
    yield encoder.encode("", final=True)


def _explain_nuls(head: bytes) -> Iterator[str | Option]:
    """Yield why there are NULs: in UTF-16, each letter of the Latin alphabet has one, at the same side."""
    high, low = (part.count(0) / max(1, len(part)) for part in (head[::2], head[1::2]))
    if max(high, low) < HALF or min(high, low) > FEW:
        yield NOT_TEXT
        return
    yield "this looks like UTF-16 without a byte-order mark; save the file as UTF-8, or give "
    yield Option("encoding", "utf-16-le" if low > high else "utf-16-be")


def _check_windows(head: bytes) -> str:
    """Return Windows-1252 if the bytes can be text in it."""
    if CONTROLS.search(head):
        raise InputError(NOT_TEXT)
    try:
        head.decode(WINDOWS)
    except UnicodeDecodeError:
        problem = (
            "this text is neither in UTF-8 nor in Windows-1252; save the file as UTF-8, or name its encoding with "
        )
        raise InputError(problem, Option("encoding")) from None
    return WINDOWS
