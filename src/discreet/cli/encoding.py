"""Signs for terminals that know no others: ∧ becomes & where the encoding has no ∧."""

import codecs
from io import TextIOWrapper
from typing import Final

PLAIN: Final = {
    "∧": "&",
    "¬": "~",
    "−": "-",
    "·": ".",
    "×": "x",
    "…": "...",
    "⇒": "=>",
    "∅": "{}",
    "✓": "+",
    "✗": "x",
    "│": "|",
    "┤": "|",
    "└": "+",
    "─": "-",
    "●": "o",
    "■": "#",
    "▲": "^",
    "◆": "*",
    "○": "0",
    "□": "@",
    "△": "A",
    "◇": "v",
}


def in_plain_signs(error: UnicodeError) -> tuple[str | bytes, int]:
    r"""Return what stands for signs that an encoding lacks; any other is escaped.

    >>> codecs.register_error("discreet", in_plain_signs)
    >>> "a ∧ ¬b = 50 − 48, ж".encode("ascii", "discreet")
    b'a & ~b = 50 - 48, \\u0436'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(PLAIN.get(letter, ascii(letter)[1:-1]) for letter in lacking), error.end


def teach(*streams: object) -> None:
    """Make streams of text write plain signs where their encoding lacks ours, rather than fail."""
    codecs.register_error("discreet", in_plain_signs)
    for stream in streams:
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="discreet")
