"""Findings as pages show them: whom each is about, in words, and the sums of supports that tell it."""

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from discreet.data.labels import Itemset, sort_labels
from discreet.data.patterns import Patterns
from discreet.disclosure.channels import Channel, Channels, Difference, Term, signed
from discreet.judging.audit import Audit
from discreet.publications.rules.bounded import Bounded
from discreet.publications.rules.bounded import in_words as within
from discreet.report.people import bounded_in_words, implied_in_words, in_words
from discreet.report.svg_cells import cells_svg
from discreet.report.text import LONGEST_SUM, SHOWN_OF_LONGER
from discreet.runtime import html
from discreet.runtime.html import Html


class Shown(NamedTuple):
    """A finding: its words, then lines with what comes of each, such as sums, and a drawing if there is one."""

    words: str
    lines: Sequence[tuple[str, str]] = ()
    svg: str = ""


class Group(NamedTuple):
    """Findings of one kind: how many there are, what they are, and the first of them."""

    title: str
    about: str
    found: Sequence[Shown]


def titled(many: int, shown: int, noun: str, of: str = "", *, which: str = "worst") -> str:
    """Return how many there are, ``of`` what, and how many of them are shown.

    >>> titled(1, 100, "difference"), titled(2000, 100, "inference channel")
    ('1 difference', '2,000 inference channels, of which the worst 100')
    """
    return f"{many:,} {noun}{'s' * (many != 1)}{of}" + f", of which the {which} {shown:,}" * (many > shown)


def shown_channel(one: Channel | Difference, listed: Patterns) -> Shown:
    """Return a channel or a difference with its sum and its drawing."""
    lines = [(summed(one.terms(listed)), f"{one.count:,}")]
    return Shown(Html(in_words(one, html.name)), lines, Html(cells_svg(one, listed)))


def shown_bounded(one: Bounded) -> Shown:
    """Return a finding within limits with its sum."""
    lines = [(summed(one.sum, [within(limits) for _, limits in one.terms]), within((one.low, one.high)))]
    return Shown(Html(bounded_in_words(one, html.name)), lines)


def worst_channels(channels: Channels, listed: Patterns, explain: int) -> Group:
    """Return the worst channels of a list, with words, sums and drawings."""
    about = (
        "Each is a group of people that no itemset names. The supports of several itemsets, added and subtracted, "
        "tell how many they are."
    )
    found = [shown_channel(one, listed) for one in channels.worst(explain)]
    return Group(titled(len(channels), explain, "inference channel"), about, found)


def implied(audit: Audit, explain: int) -> Group | None:
    """Return the shortest implications, if there are any."""
    implications, patterns = audit.implications, audit.patterns
    if implications is None or not len(implications) or not explain:
        return None
    about = "A reader learns this of each of these people, whoever they are."
    found = [Shown(implied_in_words(one, patterns)) for one in islice(implications, explain)]
    return Group(titled(len(implications), explain, "implication", which="shortest"), about, found)


def summed(terms: Sequence[Term], supports: Sequence[str] = ()) -> str:
    """Return a sum of supports, or of what stands for them, with the itemsets they are of; a long one is cut.

    >>> summed([Term(1, frozenset("a"), 50), Term(-1, frozenset("ab"), 48)])
    '50 (a) − 48 (a, b)'
    """
    first = terms if len(terms) <= LONGEST_SUM else terms[:SHOWN_OF_LONGER]
    numbers = supports or [f"{term.support:,}" for term in first]
    texts = [f"{number} ({_named(term.itemset)})" for term, number in zip(first, numbers, strict=False)]
    rest = f" … ({len(terms):,} supports)" if len(first) < len(terms) else ""
    return f"{signed(first, texts)}{rest}"


def _named(itemset: Itemset) -> str:
    """Return the labels of an itemset, the first of many and each cut where it is long."""
    names = [html.shown(label, 24) for label in islice(sort_labels(itemset), html.MOST_LABELS)]
    more = f", … {len(itemset) - len(names):,} more" if len(names) < len(itemset) else ""
    return f"{', '.join(names) or 'everyone'}{more}"
