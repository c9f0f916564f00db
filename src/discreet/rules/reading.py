"""Reading rules: what a source states becomes intervals, by how its numbers were rounded."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ceil, floor
from typing import Any

from discreet.errors import InputError, OptionError
from discreet.io import frames
from discreet.io import rules as stated_by
from discreet.io.files import is_place
from discreet.io.rules import Stated, StatedRule
from discreet.labels import Itemset
from discreet.rules.rounding import Interval, Mode, Rounding, as_rounding, shares
from discreet.rules.rule import Limits, Rule, Rules, as_limits


def read_rules(
    source: Any,  # noqa: ANN401 - a path, an open file, a frame of any library, tuples
    *,
    format: str | None = None,  # noqa: A002 - the word that users look for
    n: int | None = None,
    digits: int | None = None,
    rounding: Mode | None = None,
) -> Rules:
    r"""Return the association rules of a file, of a frame of mlxtend, or of tuples as ``Rules.from_rules`` takes them.

    The formats are spmf, csv (of arules, or a frame of mlxtend that was saved) and pmml. ``n`` is the number of rows
    that were mined, where the source does not tell. Numbers of files were rounded to as many digits as they have, and
    those of frames not at all, unless ``rounding``, "round", "truncate" or "exact", and ``digits`` say otherwise.

    >>> from io import BytesIO
    >>> read_rules(BytesIO(b"1 2 ==> 3 #SUP: 4 #CONF: 0.66\n"), format="spmf")
    <Rules: 1 rule>
    """
    if isinstance(source, Rules):
        return source
    if is_place(source) and not frames.is_frame(source):
        return as_rules(stated_by.read(source, format), n, as_rounding(rounding, digits))
    if format is not None:
        raise OptionError("format= is for files; leave it out for frames and tuples")
    if frames.is_frame(source):
        return as_rules(stated_by.from_frame(source), n, as_rounding(rounding, digits, default="exact"))
    return Rules.from_rules(source, n=n, digits=digits, rounding=rounding)


def as_rules(stated: Stated, n: int | None, rounding: Rounding) -> Rules:
    """Return rules with the intervals that their numbers stand for."""
    if n is not None and stated.n is not None and n != stated.n:
        raise InputError(f"the source says n is {stated.n}, but n={n} was given; leave it out")
    told = tuple(text for rule in stated.rules for text in (rule.share, rule.confidence) if text is not None)
    confidences = rounding.intervals([rule.confidence for rule in stated.rules], "confidence", told)
    shares(confidences, "confidence")
    supports = _column(stated.rules, "share", rounding, told)
    shares((share for share in supports if share is not None), "support")
    rows = stated.n if n is None else n
    rows = _implied_n(stated.rules, supports) if rows is None else rows
    rules = tuple(
        Rule(rule.antecedent, rule.consequent, _support(rule, share, rows), confidence)
        for rule, share, confidence in zip(stated.rules, supports, confidences, strict=True)
    )
    return Rules(rules, rows, _more(stated, rows, rounding, told, confidences) if rows is not None else ())


def _support(rule: StatedRule, share: Interval | None, n: int | None) -> Limits:
    """Return how many rows a rule may hold for: its count, and what its share of ``n`` says."""
    if rule.rows is None:
        if share is None:
            raise InputError("a rule has neither a count nor a share of the rows as support; give one of them")
        return as_limits(share, n)
    if share is None or n is None:
        return rule.rows, rule.rows
    low, high = share.times(n)
    return max(low, rule.rows), min(high, rule.rows)


def _column(rules: Sequence[StatedRule], name: str, rounding: Rounding, beside: Sequence[str]) -> list[Interval | None]:
    """Return the intervals of a column that some rules may lack."""
    texts = [getattr(rule, name) for rule in rules]
    found = rounding.intervals([text for text in texts if text is not None], name, beside)
    rest = iter(found)
    return [None if text is None else next(rest) for text in texts]


def _more(
    stated: Stated, n: int, rounding: Rounding, beside: Sequence[str], confidences: Sequence[Interval]
) -> tuple[tuple[Itemset, Limits], ...]:
    """Return what is said of single sides of rules, and of itemsets; a lift is confidence / share of the consequent."""
    held, also, lifts = (_column(stated.rules, name, rounding, beside) for name in ("held", "also", "lift"))
    itemsets = rounding.intervals([share for _, share in stated.itemsets], "support", beside)
    lifted = (
        Interval(confidence.low / lift.high, min(Fraction(1), confidence.high / lift.low))
        if lift and lift.low
        else None
        for lift, confidence in zip(lifts, confidences, strict=True)
    )
    said = [
        *zip((rule.antecedent for rule in stated.rules), held, strict=True),
        *zip((rule.consequent for rule in stated.rules), also, strict=True),
        *zip((rule.consequent for rule in stated.rules), lifted, strict=True),
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
