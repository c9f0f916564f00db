"""Audit: whether data may be published, how that depends on the thresholds, and the channels one by one."""

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

import discreet
from discreet import Audit, BudgetError, Channel, Channels, Difference, InputError, Tradeoff, mine
from discreet import report as reports
from discreet.data.thresholds import Threshold
from discreet.disclosure.people import PeopleCell
from discreet.web.context import Context, list_files
from discreet.web.messages import on_page, say_on_page, show_itemset, show_labels

GRIDS: Final = (
    ("5%", "10%", "15%", "20%", "25%", "30%"),
    ("10%", "20%", "30%", "40%", "50%", "60%"),
    ("30%", "40%", "50%", "60%", "70%", "80%"),
    ("60%", "65%", "70%", "80%", "90%", "95%"),
)
"""Minimum supports to compare by default: the first line whose lowest one has few enough itemsets."""
FEW_ENOUGH: Final = 200_000
KS: Final = (3, 5, 10, 20, 30, 50)
SORTS: Final = ("worst", "count", "base", "top")
MOST_ITEMS: Final = 200
MOST_TERMS: Final = 200
LARGEST_PAGE: Final = 200
WORD: Final = re.compile(r""" "([^"]+)" | '([^']+)' | ([^\s"']+) """, re.VERBOSE)


class Rule(TypedDict, total=False):
    """What would be published, and how it is judged."""

    min_support: Threshold
    k: int
    policy: str
    max_length: int
    leave_out: list[str]


def audit(context: Context, **rule: Unpack[Rule]) -> dict[str, Any]:
    """Judge what publishing would give away."""
    judged = _audit(context, rule)
    patterns, exposed, listed = judged.patterns, judged.exposed_if_known, _list_channels(judged)
    smallest = [{"count": count, "rows": rows} for count, rows in exposed.histogram()] if exposed is not None else []
    context.stage("drawing")
    return {
        "verdict": judged.verdict.name,
        "sentence": judged.sentence,
        "k": judged.k,
        "n": patterns.n,
        "min_support": patterns.min_support,
        "share": reports.share(patterns.min_support, patterns.n),
        "kind": patterns.kind,
        "max_length": patterns.max_length,
        "itemsets": len(patterns),
        "policy": rule.get("policy"),
        "reading": context.load().reading,
        "checks": [
            {**check._asdict(), "verdict": check.verdict.name, "sentence": say_on_page(check.sentence)}
            for check in judged.checks
        ],
        "channels": None if isinstance(listed, tuple) else len(listed),
        "counted": "rows" if judged.people is None else "people",
        "differences": len(judged.differences),
        "exposed": None if exposed is None else {"rows": exposed.rows, "smallest": smallest},
        "is_acyclic": judged.is_acyclic,
        "warnings": judged.warnings,
        "guarantee": judged.promise or None,
        "advice": judged.advice.say(on_page) or None,
        "cell_sizes": reports.cell_sizes_figure(judged).facts,
    }


def tradeoff(
    context: Context,
    *,
    ks: list[int] | None = None,
    min_supports: list[Threshold] | None = None,
    k: int | None = None,
    max_length: int | None = None,
    leave_out: Sequence[str] = (),
) -> dict[str, Any]:
    """Count channels for each minimum support and k; the figure highlights ``k``."""
    every = {*(ks or KS), *([] if k is None else [k])}
    grid = _compare(context, min_supports or _choose_grid(context), every, max_length, leave_out)
    return {
        "n": grid.n,
        "min_supports": grid.min_supports,
        "ks": grid.ks,
        "itemsets": grid.itemsets.tolist(),
        "channels": grid.channels.tolist(),
        "exposed": grid.exposed.tolist(),
        "safe": [{"k": k, "min_support": least} for k, least in grid.safe.items()],
        "figure": reports.tradeoff_figure(grid, k=k).facts,
    }


def report(context: Context, **rule: Unpack[Rule]) -> dict[str, Any]:
    """Write the report of an audit as one HTML file."""
    judged, loaded = _audit(context, rule), context.load()
    grid = (
        None
        if loaded.rows is None
        else _compare(
            context,
            _choose_grid(context),
            {*KS, judged.k},
            judged.patterns.max_length,
            rule.get("leave_out", ()),
        )
    )
    context.stage("writing")
    path = context.file("report.html")
    path.write_text(judged.to_html(tradeoff=grid, source=loaded.source), encoding="utf-8")
    return {"files": list_files(path)}


def detect(
    context: Context,
    *,
    search: str = "",
    sort: str = "worst",
    descending: bool = False,
    offset: int = 0,
    limit: int = 50,
    **rule: Unpack[Rule],
) -> dict[str, Any]:
    """List a page of channels, or of differences if channels cannot be looked for; these are in their own order.

    If people have several rows, channels are the groups of few people.
    """
    channels = _list_channels(_audit(context, rule))
    if isinstance(channels, tuple):
        kind = "differences"
        tops = [[str(label).casefold() for label in one.top] for one in channels]
        words = split_words(search)
        matching = [at for at, top in enumerate(tops) if all(any(word in label for label in top) for word in words)]
        items = list(dict.fromkeys(label for one in channels for label in sorted(map(str, one.top))))
    else:
        kind = "channels"
        order = _sort(channels, sort, descending=descending)
        matching = order[_match(channels, search)[order]].tolist()
        often = np.bincount(channels.tops.items, minlength=len(channels.labels))
        items = [str(channels.labels[code]) for code in np.argsort(-often, kind="stable").tolist() if often[code]]
    page = matching[offset : offset + min(limit, LARGEST_PAGE)]
    return {
        "kind": kind,
        "total": len(channels),
        "matching": len(matching),
        "channels": [_describe(number, channels[number]) for number in page],
        "items": show_labels(items[:MOST_ITEMS]),
    }


def explain(context: Context, *, number: int, **rule: Unpack[Rule]) -> dict[str, Any]:
    """Explain a channel in words, as a sum and as a picture."""
    judged = _audit(context, rule)
    listed = _list_channels(judged)
    if not 0 <= number < len(listed):
        raise InputError(f"there is no channel {number}; there are {len(listed):,}, counted from 0")
    channel: Channel | Difference = listed[number]
    terms, is_group = channel.terms(judged.patterns), isinstance(channel, PeopleCell)
    many = channel.rows if isinstance(channel, PeopleCell) else channel.count
    return {
        **_describe(number, channel),
        "size": channel.size,
        "words": reports.in_words(channel),
        "sum": f"{reports.show_sum(terms)} = {many:,}",
        "total": many,
        "terms": [
            {"times": term.times, "items": show_itemset(term.itemset), "support": term.support}
            for term in terms[:MOST_TERMS]
        ],
        "more": len(terms) > MOST_TERMS,
        "svg": "" if is_group else reports.cells_svg(channel, judged.patterns),
        "rows": None if judged.rows is None else many,
    }


def split_words(search: str) -> list[str]:
    """Return the words of a search: separated by commas, or else by blanks outside of quotes.

    >>> split_words("Diabetes type 2, insulin"), split_words("'type 2' insulin"), split_words("  ")
    (['diabetes type 2', 'insulin'], ['type 2', 'insulin'], [])
    """
    if "," in search:
        return [part.strip().strip("'\"").casefold() for part in search.split(",") if part.strip()]
    return ["".join(match.groups(default="")).casefold() for match in WORD.finditer(search)]


def _audit(context: Context, rule: Rule) -> Audit:
    """Return the audit of the data; it is kept for the next request with the same rule."""
    patterns, k, policy = context.load().patterns, rule.get("k"), rule.get("policy")
    min_support, length = rule.get("min_support") if patterns is None else None, rule.get("max_length")
    left_out = tuple(rule.get("leave_out", ()))

    def make() -> Audit:
        if patterns is not None:
            context.stage("auditing")
            return discreet.audit(patterns.cut_at(length), k=k, policy=policy, leave_out=left_out)
        budget = context.budget("auditing")
        return discreet.audit(
            context.rows(),
            min_support=min_support,
            k=k,
            policy=policy,
            max_length=length,
            leave_out=left_out,
            **budget,
        )

    return context.cache.get("audit", (context.data.id, min_support, k, policy, length, left_out), make)


def _list_channels(judged: Audit) -> Channels | tuple[Difference, ...]:
    """Return the groups of few people, or else the channels, or else the differences."""
    found = judged.evidence.channels if judged.people is None else judged.people
    return judged.differences if found is None else found


def _compare(
    context: Context,
    min_supports: Sequence[Threshold],
    ks: set[int],
    max_length: int | None = None,
    leave_out: Sequence[str] = (),
) -> Tradeoff:
    return discreet.tradeoff(
        context.rows(),
        min_supports=min_supports,
        ks=sorted(ks),
        max_length=max_length,
        leave_out=leave_out,
        progress=context.budget("comparing")["progress"],
    )


def _choose_grid(context: Context) -> Sequence[str]:
    for grid in GRIDS[:-1]:
        with suppress(BudgetError):
            mine(context.rows(), min_support=grid[0], **context.budget("comparing", max_patterns=FEW_ENOUGH))
            return grid
    return GRIDS[-1]


def _match(channels: Channels, search: str) -> NDArray[np.bool_]:
    """Return for each channel whether each word is part of a label in its top."""
    labels = [str(label).casefold() for label in channels.labels]
    tops = np.ones(len(channels.tops), dtype=np.bool_)
    for word in split_words(search):
        wanted = np.array([word in label for label in labels], dtype=np.bool_)
        tops &= channels.tops.add_up(wanted[channels.tops.items]) > 0
    return tops[channels.cells.tops] if len(channels) else np.zeros(0, dtype=np.bool_)


def _sort(channels: Channels, sort: str, *, descending: bool) -> NDArray[np.intp]:
    """Return the numbers of channels, the worst first or by a size; among equals, the worst first."""
    ranking = channels.ranking()
    sizes = {
        "count": channels.cells.counts,
        "base": channels.cells.bases.lengths,
        "top": channels.tops.lengths[channels.cells.tops],
    }
    if sort not in sizes:
        return ranking[::-1] if descending else ranking
    keys = sizes[sort][ranking]
    return ranking[np.argsort(-keys if descending else keys, kind="stable")]


def _describe(number: int, channel: Channel | Difference) -> dict[str, Any]:
    base, lacked, text = channel.base, channel.top - channel.base, reports.printable(channel.pattern)
    facts = {"number": number, "text": text, "count": channel.count}
    return {**facts, "base": show_itemset(base), "lacked": show_itemset(lacked)}
