"""Published: what would be published, to be browsed, searched and downloaded."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple, Unpack, cast

import numpy as np
from numpy.typing import NDArray

import discreet
from discreet import Audit, Counts, Patterns, Rules, Verdict
from discreet.publications.trees.leaves import Forest
from discreet.report import MARK
from discreet.report.html.tables import Field, Grid, show_tables
from discreet.runtime.text import part, printable
from discreet.web.context import Context, list_files
from discreet.web.handlers.findings import split_words
from discreet.web.handlers.judging import Rule, judge
from discreet.web.messages import cut_sum, show_itemset

LARGEST_PAGE: Final = 200
SORTS: Final = ("most", "fewest", "longest")


class Listing(NamedTuple):
    """A list to show: the names of its columns, how many lines match of how many, and some of them.

    A field is a number, a text, or a list of labels.
    """

    head: Sequence[str]
    total: int
    matching: int
    lines: Sequence[Sequence[Any]]

    @property
    def facts(self) -> dict[str, Any]:
        """The list as JSON."""
        return {**self._asdict(), "lines": [list(line) for line in self.lines]}


def published(
    context: Context,
    *,
    search: str = "",
    sort: str = "most",
    offset: int = 0,
    limit: int = 25,
    save: bool = False,
    **rule: Unpack[Rule],
) -> dict[str, Any]:
    """List a page of what would be published; tables are shown whole. With ``save``, itemsets become a CSV file."""
    judged = judge(context, rule)
    candidate = judged.candidate
    if isinstance(candidate, Counts):
        grids = show_tables(judged)
        return {"tables": [describe_table(grid) for grid in grids], "total_tables": len(candidate.tables), "files": []}
    listing = list_candidate(judged, split_words(search), sort, slice(offset, offset + min(limit, LARGEST_PAGE)))
    files = []
    if save and isinstance(candidate, Patterns):
        mark = "" if judged.verdict is Verdict.RELEASE else f"{MARK}."
        files = [context.file(f"{mark}would-be-published.csv")]
        discreet.write_patterns(candidate, files[0], format="csv")
    return {**listing.facts, "files": list_files(*files)}


def list_candidate(judged: Audit, words: Sequence[str], sort: str, page: slice) -> Listing:
    """Return the lines of a candidate whose labels hold every word."""
    candidate = judged.candidate
    if isinstance(candidate, Patterns):
        return list_patterns(candidate, words, sort, page)
    head, every = list_leaves(candidate) if isinstance(candidate, Forest) else list_rules(cast("Rules", candidate))
    lines = [line for line in every if all(word in str(line).casefold() for word in words)]
    return Listing(head, len(every), len(lines), lines[page])


def list_patterns(patterns: Patterns, words: Sequence[str], sort: str, page: slice) -> Listing:
    """Return itemsets with their supports and shares; the empty one stands for all rows."""
    lengths = np.diff(patterns.offsets)
    keys = {"most": -patterns.supports, "fewest": patterns.supports, "longest": -lengths}[sort]
    order = np.lexsort((lengths, keys))
    matching = order[_match(patterns, words)[order]]
    lines = []
    for at in matching[page].tolist():
        support = int(patterns.supports[at])
        lines.append([show_itemset(patterns.labelled(at)), support, part(support, patterns.n)])
    return Listing(("Combination", "Number", "Share"), len(patterns), int(matching.size), lines)


def list_rules(rules: Rules) -> tuple[tuple[str, ...], list[list[Any]]]:
    """Return rules, with the limits of their numbers in words."""
    lines = [
        [
            show_itemset(one.antecedent),
            show_itemset(one.consequent),
            "not stated" if one.support is None else _limits(*one.support),
            _shares(one.confidence.low, one.confidence.high),
        ]
        for one in rules.rules
    ]
    return ("If", "Then", "Number", "Confidence"), lines


def list_leaves(forest: Forest) -> tuple[tuple[str, ...], list[list[Any]]]:
    """Return the leaves of trees, with how many rows of each class reach them."""
    lines = []
    for number, tree in enumerate(forest, start=1):
        for leaf in tree.leaves:
            outputs = zip(leaf.counts, tree.classes, strict=False)
            pairs = (pair for row, names in outputs for pair in zip(names, row, strict=False))
            told = [f"{label}: {count:,}" for label, count in pairs]
            path = " and ".join(leaf.path) or "everyone"
            lines.append([number, printable(path), leaf.rows, printable(", ".join(told))])
    return ("Tree", "Leaf", "Number", "By class"), lines


def _match(patterns: Patterns, words: Sequence[str]) -> NDArray[np.bool_]:
    """Return for each itemset whether each word is part of one of its labels."""
    labels = [str(label).casefold() for label in patterns.labels]
    found = np.ones(len(patterns), dtype=np.bool_)
    for word in words:
        wanted = np.array([word in label for label in labels], dtype=np.bool_)
        found &= patterns.itemsets.add_up(wanted[patterns.items]) > 0
    return found


def _limits(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _shares(low: Fraction, high: Fraction) -> str:
    shares = [part(share.numerator, share.denominator) for share in (low, high)]
    return " to ".join(dict.fromkeys(shares))


def describe_table(grid: Grid) -> dict[str, Any]:
    """Return a table with its sums, as JSON."""
    lines = [[_describe_field(field) for field in line] for line in grid.lines]
    return {**grid._asdict(), "lines": lines, "sums": [cut_sum(text) for text in grid.sums]}


def _describe_field(field: Field) -> dict[str, Any]:
    """Return a field; what is learned of it only if anything is."""
    told = field._asdict() if field.found else {"text": field.text, "kind": field.kind}
    return {name: value for name, value in told.items() if value is not None}
