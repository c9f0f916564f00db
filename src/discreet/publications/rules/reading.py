"""Reading rules, rounded supports and lists of the largest supports: printed numbers become limits."""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from math import ceil, floor
from typing import Final

from discreet.data.labels import Itemset
from discreet.data.patterns import Patterns
from discreet.data.thresholds import LARGEST_COUNT, Share, Threshold, as_count
from discreet.disclosure.attacks.facts import Facts, Limits
from discreet.errors import InputError, Option, OptionError
from discreet.io.files import is_frame, is_place
from discreet.io.formats.csv import read_frame_of_shares, read_shares
from discreet.io.formats.rules import StatedRule, StatedRules, read_frame_of_rules, read_stated_rules
from discreet.io.read import read_patterns
from discreet.publications.rules.intervals import MEASURES, Interval, Mode, Rounding, as_rounding, check_shares
from discreet.publications.rules.rule import OF_HOW_MANY, Rule, Rules, as_limits
from discreet.runtime.text import abbreviate

ORDER: Final = "the fact that no other itemset has more rows than each listed one is not used in full"
"""For a list of the largest supports, the smallest of which is not known exactly."""
CLOSED: Final = "the fact that an unlisted part of a closed itemset has the support of a listed one is not used"
"""For closed itemsets: a reader who knows that they are closed knows more than their supports."""


def read_rules(
    source: object,
    *,
    format: str | None = None,  # noqa: A002 - the word that users look for
    n: int | None = None,
    digits: int | None = None,
    rounding: Mode | None = None,
    min_support: Threshold | None = None,
    min_confidence: Share | None = None,
) -> Rules:
    r"""Return the association rules of a file, of a frame of mlxtend, or of tuples as ``Rules.from_rules`` takes them.

    The formats are spmf, csv (of arules, or a saved frame of mlxtend) and pmml. ``n`` is the number of rows that were
    mined, if the source does not state it. Numbers in files count as rounded to the digits they have, and those in
    frames as exact, unless ``rounding`` ("round", "truncate" or "exact") and ``digits`` say otherwise.
    ``min_confidence`` and ``min_support`` are thresholds that were announced: all rules that reach both are listed.

    >>> from io import BytesIO
    >>> read_rules(BytesIO(b"1 2 ==> 3 #SUP: 4 #CONF: 0.66\n"), format="spmf")
    <Rules: 1 rule>
    """
    rules = _read(source, format, n, rounding, digits)
    return rules.announced(min_support=min_support, min_confidence=min_confidence)


def _read(source: object, form: str | None, n: int | None, rounding: Mode | None, digits: int | None) -> Rules:
    if isinstance(source, Rules):
        return source
    if is_place(source):
        return as_rules(read_stated_rules(source, form), n, as_rounding(rounding, digits))  # type: ignore[arg-type]  # a place
    if form is not None:
        raise OptionError(Option("format"), " is for files; leave it out for frames and tuples")
    if is_frame(source):
        return as_rules(read_frame_of_rules(source), n, as_rounding(rounding, digits, default="exact"))
    return Rules.from_rules(source, n=n, digits=digits, rounding=rounding)  # type: ignore[arg-type]  # tuples


def as_rules(stated: StatedRules, n: int | None, rounding: Rounding) -> Rules:
    """Return rules with the intervals of their numbers."""
    if n is not None and stated.n is not None and n != stated.n:
        raise InputError(f"the source says n is {stated.n}, but {abbreviate(n)} was given; leave ", Option("n"), " out")
    printed = tuple(text for rule in stated.rules for text in (rule.share, rule.confidence) if text is not None)
    confidences = rounding.intervals([rule.confidence for rule in stated.rules], "confidence", printed)
    check_shares(confidences, "confidence")
    supports = _column(stated.rules, "share", rounding, printed)
    check_shares((share for share in supports if share is not None), "support")
    rows = stated.n if n is None else n
    rows = _implied_n(stated.rules, supports) if rows is None else rows
    more = _more(stated, rows, rounding, printed) if rows is not None else ()
    measures = _measures(stated, {itemset for itemset, (low, high) in more if low == high}, rounding, printed)
    rules = tuple(
        Rule(rule.antecedent, rule.consequent, _support(rule, share, rows), confidence, beside)
        for rule, share, confidence, beside in zip(stated.rules, supports, confidences, measures, strict=True)
    )
    unused = tuple(name for name in stated.columns if name and name not in MEASURES)
    in_shares = any(rule.rows is None for rule in stated.rules)
    return Rules(rules, rows, more, in_shares=in_shares, unused=unused)


def _support(rule: StatedRule, share: Interval | None, n: int | None) -> Limits | None:
    """Return the limits of a rule's support, from its count and its share of ``n``."""
    if rule.rows is None:
        return None if share is None else as_limits(share, n)
    if share is None or n is None:
        return rule.rows, rule.rows
    low, high = share.times(n)
    return max(low, rule.rows), min(high, rule.rows)


def _measures(
    stated: StatedRules, known: Container[Itemset], rounding: Rounding, beside: Sequence[str]
) -> list[tuple[tuple[str, Interval], ...]]:
    """Return the intervals of each rule's measures; none where the support of its consequent is ``known``."""
    measures: list[list[tuple[str, Interval]]] = [[] for _ in stated.rules]
    needed = [at for at, rule in enumerate(stated.rules) if rule.consequent not in known]
    for name, column in stated.columns.items():
        if name in MEASURES:
            texts = [(at, text) for at in needed if (text := column[at]) is not None]
            intervals = rounding.measure_intervals([text for _, text in texts], name, beside)
            for (at, _), interval in zip(texts, intervals, strict=True):
                measures[at].append((name, interval))
    return [tuple(several) for several in measures]


def _column(rules: Sequence[StatedRule], name: str, rounding: Rounding, beside: Sequence[str]) -> list[Interval | None]:
    """Return the intervals of a column that some rules may lack."""
    texts = [getattr(rule, name) for rule in rules]
    found = rounding.intervals([text for text in texts if text is not None], name, beside)
    rest = iter(found)
    return [None if text is None else next(rest) for text in texts]


def _more(stated: StatedRules, n: int, rounding: Rounding, beside: Sequence[str]) -> tuple[tuple[Itemset, Limits], ...]:
    """Return the limits of single sides of rules, and of itemsets."""
    held, also = (_column(stated.rules, name, rounding, beside) for name in ("held", "also"))
    itemsets = rounding.intervals([share for _, share in stated.itemsets], "support", beside)
    said = [
        *zip((rule.antecedent for rule in stated.rules), held, strict=True),
        *zip((rule.consequent for rule in stated.rules), also, strict=True),
        *zip((itemset for itemset, _ in stated.itemsets), itemsets, strict=True),
    ]
    return tuple((itemset, share.times(n)) for itemset, share in dict.fromkeys(said) if share is not None)


def _implied_n(rules: Iterable[StatedRule], supports: Iterable[Interval | None]) -> int | None:
    """Return the number of rows, if counts that are also printed as shares allow only one."""
    low, high = 0, None
    for rule, share in zip(rules, supports, strict=True):
        if rule.rows is not None and share is not None and share.low > 0:
            low = max(low, ceil(rule.rows / share.high))
            most = floor(rule.rows / share.low)
            high = most if high is None else min(high, most)
    return low if low == high else None


def read_facts(
    source: object,
    *,
    format: str | None = None,  # noqa: A002 - the word that users look for
    n: int | None = None,
    digits: int | None = None,
    rounding: Mode | None = None,
    round_to: int | None = None,
    min_support: Threshold | None = None,
    top: bool = False,
) -> Facts:
    r"""Return the limits of supports that were rounded, or of a list of the largest supports.

    With ``digits`` or ``rounding``, supports are shares of ``n`` rows, in the columns ``itemset`` and ``support`` of a
    CSV file, or ``itemsets`` and ``support`` of a frame. With ``round_to``, they are counts and multiples of it, in any
    format of ``read_patterns``; ``n`` may be rounded likewise. ``min_support`` says that all itemsets that reach it are
    listed. ``top`` says that the list holds the largest supports: no other itemset has more than the smallest.

    >>> from io import BytesIO
    >>> facts = read_facts(BytesIO(b"itemset,support\na,66.7%\na;b,33.3%\n"), format="csv", n=9, digits=1)
    >>> facts.low.tolist(), facts.high.tolist()
    ([9, 6, 3], [9, 6, 3])
    """
    if round_to is not None and (digits is not None or rounding == "exact"):
        raise OptionError("round_to is for counts, digits for shares; leave one out")
    if digits is not None or (rounding is not None and round_to is None):
        return _as_facts(list(_of_shares(source, format, n, as_rounding(rounding, digits))), min_support, top=top)
    patterns = read_patterns(source, format=format, n=n)
    found = _as_facts(list(_of_counts(patterns, round_to, rounding or "round")), min_support, top=top)
    return replace(found, left_out=CLOSED) if patterns.kind == "closed" and found.has_gaps else found


def as_rounded(patterns: Patterns, round_to: int, mode: Mode = "round") -> Facts:
    """Return the limits of supports that were rounded or truncated to multiples of ``round_to``.

    If n is such a multiple, it may have been rounded too.

    >>> facts = as_rounded(Patterns.from_itemsets([(["a"], 10), (["b"], 40)], n=40), 5)
    >>> facts.low.tolist(), facts.high.tolist()
    ([38, 8, 38], [42, 12, 42])
    """
    return _as_facts(list(_of_counts(patterns, round_to, mode)))


def _as_facts(said: list[tuple[Itemset, Limits]], min_support: Threshold | None = None, *, top: bool = False) -> Facts:
    """Return limits as facts; the last limits are those of n, of which a minimum support may be a share."""
    fewest, most = said[-1][1]
    # A share of an unknown number of rows is a count between two limits.
    least, reached = (0, None) if min_support is None else (as_count(min_support, n) for n in (max(1, fewest), most))
    limits = [(itemset, max(low, least if itemset else 0), high) for itemset, (low, high) in said]
    wrong = sum(low > high for _, low, high in limits)
    if wrong:
        raise InputError(
            f"{wrong:,} of {max(wrong, len(limits) - 1):,} supports cannot be those of {most:,} rows rounded this way; "
            "give the n that was mined, and how supports were rounded"
        )
    absents = [] if reached is None else [reached - 1]
    if not top or len(limits) == 1:
        return Facts.from_limits(limits, n=most, absent=min(absents, default=None))
    smallest = min(high for itemset, _, high in limits if itemset)
    found = Facts.from_limits(limits, n=most, absent=min([smallest, *absents]), is_top=True)
    is_exact = any(low == high == smallest for itemset, low, high in limits if itemset)
    return found if is_exact else replace(found, left_out=ORDER)


def _of_shares(
    source: object, format_: str | None, n: int | None, rounding: Rounding
) -> Iterator[tuple[Itemset, Limits]]:
    if n is None or not 0 <= n <= LARGEST_COUNT:
        raise InputError(*OF_HOW_MANY)
    if is_place(source):
        stated = read_shares(source, format_)  # type: ignore[arg-type]  # a place
    elif is_frame(source):
        stated = read_frame_of_shares(source)
    else:
        raise OptionError(
            Option("digits"), " and ", Option("rounding"), " are for shares in a CSV file or a frame; give one of these"
        )
    intervals = rounding.intervals([text for _, text in stated], "support")
    check_shares(intervals, "support")
    said = {itemset: interval.times(n) for (itemset, _), interval in zip(stated, intervals, strict=True)}
    fewest, most = said.pop(frozenset(), (n, n))
    yield from said.items()
    yield frozenset(), (max(n, fewest), min(n, most))


def _of_counts(patterns: Patterns, round_to: int | None, mode: str) -> Iterator[tuple[Itemset, Limits]]:
    unit = 1 if round_to is None else round_to
    if type(unit) is not int or not 1 <= unit <= LARGEST_COUNT:
        raise OptionError(f"round_to is {abbreviate(round_to)}; give a whole number from 1 on")
    wrong = sum(support % unit != 0 for itemset, support in patterns if itemset)
    if wrong:
        raise InputError(
            f"{wrong:,} of {len(patterns):,} supports are not multiples of {unit}; give what they are multiples of"
        )
    n = patterns.n
    rows = _before(n, unit, mode, LARGEST_COUNT) if n % unit == 0 else (n, n)
    yield from ((itemset, _before(support, unit, mode, rows[1])) for itemset, support in patterns if itemset)
    yield frozenset(), rows


def _before(support: int, unit: int, mode: str, most: int) -> Limits:
    """Return the limits of a count before it was rounded to a multiple of ``unit``; halves may go either way.

    >>> _before(10, 5, "round", 99), _before(10, 4, "round", 99), _before(10, 5, "truncate", 99)
    ((8, 12), (8, 12), (10, 14))
    """
    if mode == "truncate":
        return support, min(most, support + unit - 1)
    half = unit // 2
    return max(0, support - half), min(most, support + half)
