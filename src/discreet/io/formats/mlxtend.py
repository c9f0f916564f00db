"""mlxtend: its frames of itemsets, as pandas saves them: shares, and sets as Python prints them."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from discreet.data.patterns import Patterns
from discreet.io import notation
from discreet.io.formats.pattern_tables import TAB, read, write_table
from discreet.io.formats.patterns import PatternFunctions, as_shares

HEADER: Final = ("support", "itemsets")


def write(patterns: Patterns, separator: str = notation.COMMA) -> Iterator[bytes]:
    r"""Yield the patterns as a saved frame of mlxtend, in chunks; a share gives its count back.

    >>> b"".join(write(Patterns.from_itemsets([(["a", "b"], 2)], n=3, kind="maximal")))
    b'support,itemsets\n0.6666666666666666,"frozenset({\'a\', \'b\'})"\n'
    """
    texts = notation.as_texts(patterns, "mlxtend's CSV", notation.fits_field)
    are_whole = notation.check_label_types(patterns, notation.find_used_codes(patterns), "mlxtend's CSV")
    shown = texts if are_whole else list(map(repr, texts))
    sets = {True: "frozenset({{{}}})", False: "frozenset()"}
    codes = notation.iterate_codes(patterns.itemsets)
    printed = (sets[bool(one)].format(", ".join(shown[code] for code in one)) for one in codes)
    lines = zip(as_shares(patterns), printed, strict=True)
    return write_table(HEADER, lines, separator)


PATTERNS: Final = PatternFunctions(read, write, partial(write, separator=TAB))
