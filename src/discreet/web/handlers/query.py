"""Query: which rows make a formula over items true.

``query`` gives ``count``, ``n``, ``plan`` (text, a line a step), ``query`` (as it was asked), ``rows`` (numbers from 1
on, a page of at most 100), ``unknown`` (columns of items that no row has) and ``caret`` (null). A text that is no query
is an error with ``caret``, the column from 1 on.
"""

from typing import Any, Final

from discreet import InputError, InvertedFile
from discreet.report import printable
from discreet.web.context import Desk

LARGEST_PAGE: Final = 100
LONGEST_QUERY: Final = 100_000


def query(desk: Desk, *, query: str, offset: int = 0, limit: int = LARGEST_PAGE) -> dict[str, Any]:
    """Return the rows of a query."""
    if len(query) > LONGEST_QUERY:
        raise InputError(f"the query has more than {LONGEST_QUERY:,} letters; ask a shorter one")
    rows = desk.rows()
    inverted = desk.shelf.take("index", desk.key, lambda: InvertedFile(rows))
    desk.stage("asking")
    found = inverted.rows(query)
    page = found[offset : offset + min(limit, LARGEST_PAGE)]
    return {
        "query": query.strip(),
        "count": int(found.size),
        "n": inverted.n,
        "plan": "\n".join(map(printable, str(inverted.explain(query)).splitlines())),
        "rows": (page + 1).tolist(),
        "unknown": inverted.unknown(query),
        "caret": None,
    }
