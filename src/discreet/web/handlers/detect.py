"""Channels: pages of them, searched and sorted; and one of them explained.

``detect`` gives ``total``, ``matching`` (those that the search finds), ``channels`` (a page: ``number``, ``text``,
``base``, ``lacked``, ``count``), ``kind`` ("channels", or "differences" where only these can be looked for) and
``items``, up to 200 labels for suggestions. A number is the place of a channel in the library's fixed order, from 0
on; the same thresholds give the same numbers.

``explain`` gives ``text``, ``count``, ``words``, ``sum``, ``terms`` (``times``, ``items``, ``support``), ``more``
(whether terms were left out), ``svg``, ``rows`` (how many rows are behind it, null without rows), ``base`` and
``lacked``.
"""

import re
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import Audit, Channel, Channels, Difference, InputError
from discreet import report as reports
from discreet.web.context import Desk, shown
from discreet.web.handlers.audit import audited

Finding: TypeAlias = Channel | Difference

MOST_ITEMS: Final = 200
MOST_TERMS: Final = 200
LARGEST_PAGE: Final = 200
WORD: Final = re.compile(r""" "([^"]+)" | '([^']+)' | ([^\s"']+) """, re.VERBOSE)


def detect(  # noqa: PLR0913 - all by their names: which channels, and which page of them
    desk: Desk,
    *,
    min_support: str | int | None = None,
    k: int | None = None,
    policy: str | None = None,
    search: str = "",
    sort: str = "worst",
    descending: bool = False,
    offset: int = 0,
    limit: int = 50,
) -> dict[str, Any]:
    """Return a page of channels."""
    found = audited(desk, min_support=min_support, k=k, policy=policy)
    if found.channels is None:
        return _differences(found, search, offset, limit)
    channels = found.channels
    order = _order(channels, sort, descending=descending)
    matching = order[_matching(channels, search)[order]]
    page = matching[offset : offset + min(limit, LARGEST_PAGE)].tolist()
    often = np.bincount(channels.top_items, minlength=len(channels.labels))
    items = [channels.labels[code] for code in np.argsort(-often, kind="stable")[:MOST_ITEMS].tolist() if often[code]]
    return {
        "kind": "channels",
        "total": len(channels),
        "matching": int(matching.size),
        "channels": [_line(number, channels[number]) for number in page],
        "items": shown(items),
    }


def explain(
    desk: Desk, *, number: int, min_support: str | int | None = None, k: int | None = None, policy: str | None = None
) -> dict[str, Any]:
    """Return a channel in words, as a sum and as a picture."""
    audit = audited(desk, min_support=min_support, k=k, policy=policy)
    every: Channels | tuple[Difference, ...] = audit.differences if audit.channels is None else audit.channels
    if not 0 <= number < len(every):
        raise InputError(f"there is no channel {number}; there are {len(every):,}, counted from 0 on")
    one: Finding = every[number]
    terms = one.terms(audit.patterns)
    told = reports.show_sum(one.terms(audit.patterns))
    return {
        **_line(number, one),
        "words": reports.in_words(one),
        "sum": f"{told} = {one.count:,}",
        "terms": [
            {"times": term.times, "items": shown(sorted(map(str, term.itemset))), "support": term.support}
            for term in terms[:MOST_TERMS]
        ],
        "more": len(terms) > MOST_TERMS,
        "svg": reports.cells_svg(one, audit.patterns),
        "rows": None if audit.rows is None else one.count,
    }


def words_of(search: str) -> list[str]:
    """Return what a search looks for: what stands between commas, or else between blanks but for quotes.

    >>> words_of("Diabetes type 2, insulin"), words_of("'type 2' insulin"), words_of("  ")
    (['diabetes type 2', 'insulin'], ['type 2', 'insulin'], [])
    """
    if "," in search:
        return [part.strip().strip("'\"").casefold() for part in search.split(",") if part.strip()]
    return ["".join(found.groups(default="")).casefold() for found in WORD.finditer(search)]


def _matching(channels: Channels, search: str) -> NDArray[np.bool_]:
    """Return for each channel whether its top has, for each word, an item whose label has that word in it."""
    labels = [str(label).casefold() for label in channels.labels]
    tops = np.ones(channels.top_offsets.size - 1, dtype=np.bool_)
    for word in words_of(search):
        wanted = np.array([word in label for label in labels], dtype=np.bool_)
        held = np.concatenate([[0], np.cumsum(wanted[channels.top_items])])[channels.top_offsets]
        tops &= np.diff(held) > 0
    return tops[channels.cells.tops] if len(channels) else np.zeros(0, dtype=np.bool_)


def _order(channels: Channels, sort: str, *, descending: bool) -> NDArray[np.intp]:
    """Return the numbers of channels by how bad they are, or by a size; among equals, the worst first."""
    ranking = channels.ranking()
    sizes = {
        "count": channels.cells.counts,
        "base": np.diff(channels.cells.offsets),
        "top": np.diff(channels.top_offsets)[channels.cells.tops],
    }
    if sort not in sizes:
        return ranking[::-1] if descending else ranking
    keys = sizes[sort][ranking]
    return ranking[np.argsort(-keys if descending else keys, kind="stable")]


def _differences(audit: Audit, search: str, offset: int, limit: int) -> dict[str, Any]:
    """Return a page of differences, which come the smallest first."""
    words = words_of(search)
    matching = [
        (number, one)
        for number, one in enumerate(audit.differences)
        if all(any(word in str(label).casefold() for label in one.top) for word in words)
    ]
    page = matching[offset : offset + min(limit, LARGEST_PAGE)]
    items = dict.fromkeys(label for one in audit.differences for label in sorted(map(str, one.top)))
    return {
        "kind": "differences",
        "total": len(audit.differences),
        "matching": len(matching),
        "channels": [_line(number, one) for number, one in page],
        "items": shown(list(items)[:MOST_ITEMS]),
    }


def _line(number: int, one: Finding) -> dict[str, Any]:
    base, lacked = (shown(sorted(map(str, labels))) for labels in (one.base, one.top - one.base))
    return {
        "number": number,
        "text": reports.printable(one.pattern),
        "base": base,
        "lacked": lacked,
        "count": one.count,
    }
