"""Reading rules: what a source states becomes intervals, by how its numbers were rounded."""

from collections.abc import Container, Iterable, Sequence
from math import ceil, floor
from typing import Any

from discreet.data.labels import Itemset
from discreet.data.thresholds import Share, Threshold
from discreet.errors import InputError, Option, OptionError
from discreet.io import frames
from discreet.io.files import is_place
from discreet.io.formats import rules as stated_by
from discreet.io.formats.rules import Stated, StatedRule
from discreet.publications.rules.measures import MEASURES
from discreet.publications.rules.rounding import Interval, Mode, Rounding, as_rounding, shares
from discreet.publications.rules.rule import Limits, Rule, Rules, as_limits
from discreet.runtime.text import abbreviate


def read_rules(
    source: Any,  # noqa: ANN401 - a path, an open file, a frame of any library, tuples
    *,
    format: str | None = None,  # noqa: A002 - the word that users look for
    n: int | None = None,
    digits: int | None = None,
    rounding: Mode | None = None,
    min_support: Threshold | None = None,
    min_confidence: Share | None = None,
) -> Rules:
    r"""Return the association rules of a file, of a frame of mlxtend, or of tuples as ``Rules.from_rules`` takes them.

    The formats are spmf, csv (of arules, or a frame of mlxtend that was saved) and pmml. ``n`` is the number of rows
    that were mined, where the source does not tell. Numbers of files were rounded to as many digits as they have, and
    those of frames not at all, unless ``rounding``, "round", "truncate" or "exact", and ``digits`` say otherwise.
    ``min_confidence`` and ``min_support`` say that it was announced that all rules which reach both are listed.

    >>> from io import BytesIO
    >>> read_rules(BytesIO(b"1 2 ==> 3 #SUP: 4 #CONF: 0.66\n"), format="spmf")
    <Rules: 1 rule>
    """
    rules = _read(source, format, n, rounding, digits)
    return rules.announced(min_support=min_support, min_confidence=min_confidence)


def _read(source: object, form: str | None, n: int | None, rounding: Mode | None, digits: int | None) -> Rules:
    if isinstance(source, Rules):
        return source
    if is_place(source) and not frames.is_frame(source):
        return as_rules(stated_by.read(source, form), n, as_rounding(rounding, digits))  # type: ignore[arg-type]  # a place
    if form is not None:
        raise OptionError(Option("format"), " is for files; leave it out for frames and tuples")
    if frames.is_frame(source):
        return as_rules(stated_by.from_frame(source), n, as_rounding(rounding, digits, default="exact"))
    return Rules.from_rules(source, n=n, digits=digits, rounding=rounding)  # type: ignore[arg-type]  # tuples


def as_rules(stated: Stated, n: int | None, rounding: Rounding) -> Rules:
    """Return rules with the intervals that their numbers stand for."""
    if n is not None and stated.n is not None and n != stated.n:
        raise InputError(f"the source says n is {stated.n}, but {abbreviate(n)} was given; leave ", Option("n"), " out")
    told = tuple(text for rule in stated.rules for text in (rule.share, rule.confidence) if text is not None)
    confidences = rounding.intervals([rule.confidence for rule in stated.rules], "confidence", told)
    shares(confidences, "confidence")
    supports = _column(stated.rules, "share", rounding, told)
    shares((share for share in supports if share is not None), "support")
    rows = stated.n if n is None else n
    rows = _implied_n(stated.rules, supports) if rows is None else rows
    more = _more(stated, rows, rounding, told) if rows is not None else ()
    measures = _measures(stated, {itemset for itemset, (low, high) in more if low == high}, rounding, told)
    rules = tuple(
        Rule(rule.antecedent, rule.consequent, _support(rule, share, rows), confidence, beside)
        for rule, share, confidence, beside in zip(stated.rules, supports, confidences, measures, strict=True)
    )
    unused = tuple(name for name in stated.columns if name and name not in MEASURES)
    in_shares = any(rule.rows is None for rule in stated.rules)
    return Rules(rules, rows, more, in_shares=in_shares, unused=unused)


def _support(rule: StatedRule, share: Interval | None, n: int | None) -> Limits | None:
    """Return how many rows a rule may hold for: its count, and what its share of ``n`` says, if any."""
    if rule.rows is None:
        return None if share is None else as_limits(share, n)
    if share is None or n is None:
        return rule.rows, rule.rows
    low, high = share.times(n)
    return max(low, rule.rows), min(high, rule.rows)


def _measures(
    stated: Stated, known: Container[Itemset], rounding: Rounding, beside: Sequence[str]
) -> list[tuple[tuple[str, Interval], ...]]:
    """Return for each rule the intervals of its measures; none where it is ``known`` how many hold the consequent."""
    found: list[list[tuple[str, Interval]]] = [[] for _ in stated.rules]
    needed = [at for at, rule in enumerate(stated.rules) if rule.consequent not in known]
    for name, column in stated.columns.items():
        if name in MEASURES:
            texts = [(at, text) for at in needed if (text := column[at]) is not None]
            intervals = rounding.measured([text for _, text in texts], name, beside)
            for (at, _), interval in zip(texts, intervals, strict=True):
                found[at].append((name, interval))
    return [tuple(measures) for measures in found]


def _column(rules: Sequence[StatedRule], name: str, rounding: Rounding, beside: Sequence[str]) -> list[Interval | None]:
    """Return the intervals of a column that some rules may lack."""
    texts = [getattr(rule, name) for rule in rules]
    found = rounding.intervals([text for text in texts if text is not None], name, beside)
    rest = iter(found)
    return [None if text is None else next(rest) for text in texts]


def _more(stated: Stated, n: int, rounding: Rounding, beside: Sequence[str]) -> tuple[tuple[Itemset, Limits], ...]:
    """Return what is said of single sides of rules, and of itemsets."""
    held, also = (_column(stated.rules, name, rounding, beside) for name in ("held", "also"))
    itemsets = rounding.intervals([share for _, share in stated.itemsets], "support", beside)
    said = [
        *zip((rule.antecedent for rule in stated.rules), held, strict=True),
        *zip((rule.consequent for rule in stated.rules), also, strict=True),
        *zip((itemset for itemset, _ in stated.itemsets), itemsets, strict=True),
    ]
    return tuple((itemset, share.times(n)) for itemset, share in dict.fromkeys(said) if share is not None)


def _implied_n(rules: Iterable[StatedRule], supports: Iterable[Interval | None]) -> int | None:
    """Return the number of rows, if counts that are shares as well leave one only."""
    low, high = 0, None
    for rule, share in zip(rules, supports, strict=True):
        if rule.rows is not None and share is not None and share.low > 0:
            low = max(low, ceil(rule.rows / share.high))
            most = floor(rule.rows / share.low)
            high = most if high is None else min(high, most)
    return low if low == high else None
