"""arules: tables of itemsets such as ``{a,b}``, as R writes them, with shares and counts."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from discreet.data.patterns import Patterns
from discreet.errors import OutputError
from discreet.io import notation
from discreet.io.formats.cells import read_cells
from discreet.io.formats.pattern_tables import ESCAPED, TAB, read, write_table
from discreet.io.formats.patterns import PatternFunctions, as_shares

HEADER: Final = ("items", "support", "count")


def write(patterns: Patterns, separator: str = notation.COMMA) -> Iterator[bytes]:
    r"""Yield the patterns as a table of arules, in chunks; refuse labels that could not be told apart.

    >>> b"".join(write(Patterns.from_itemsets([(["a", "b"], 2)], n=3, kind="maximal")))
    b'items,support,count\n"{a,b}",0.6666666666666666,2\n'
    """
    texts = notation.as_texts(patterns, "a table of arules", notation.fits_field)
    itemsets = [[texts[code] for code in one] for one in notation.iterate_codes(patterns.itemsets)]
    cells = [f"{{{','.join(one)}}}" for one in itemsets]
    if read_cells(cells, cells) != (itemsets, "") or any(ESCAPED[0].decode() in cell for cell in cells):
        problem = (
            "labels hold commas, blanks at their ends or a backslash before a quote, which arules cannot tell apart"
        )
        raise OutputError(f"{problem}; rename them, or write PMML, which arules reads")
    lines = zip(cells, as_shares(patterns), patterns.supports.tolist(), strict=True)
    return write_table(HEADER, lines, separator)


PATTERNS: Final = PatternFunctions(read, write, partial(write, separator=TAB))
