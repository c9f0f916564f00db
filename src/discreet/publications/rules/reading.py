"""Reading rules, rounded supports and lists of the largest supports: printed numbers become limits."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from math import ceil, floor
from typing import Final, Unpack

from discreet.data.itemsets import Itemset
from discreet.data.patterns import Patterns
from discreet.data.thresholds import LARGEST_COUNT, Threshold, as_count
from discreet.disclosure.attacks.facts import Facts, Limits
from discreet.errors import InputError, Option, OptionError
from discreet.io.files import is_frame, is_place
from discreet.io.formats.csv import read_frame_of_shares, read_shares
from discreet.io.formats.rules import StatedRule, StatedRules, read_frame_of_rules, read_stated_rules
from discreet.io.read import read_patterns
from discreet.publications.rules.intervals import MEASURES, Interval, Mode, Rounding, as_rounding, check_shares
from discreet.publications.rules.rule import OF_HOW_MANY, Rule, Rules, Thresholds, as_limits
from discreet.runtime.text import abbreviate

ORDER: Final = "the fact that no other itemset has more rows than each listed one is not used in full"
CLOSED: Final = "the fact that an unlisted part of a closed itemset has the support of a listed one is not used"


class RuleOptions(Thresholds, total=False):
    """How many rows were mined, and how numbers were printed."""

    n: int | None
    digits: int | None
    rounding: Mode | None


def read_rules(source: object, *, format: str | None = None, **options: Unpack[RuleOptions]) -> Rules:  # noqa: A002 - the word that users look for
    r"""Return the association rules of a file, of a frame of mlxtend, or of tuples as ``Rules.from_rules`` takes them.

    The formats are spmf, csv (of arules, or a saved frame of mlxtend) and pmml. ``n`` is the number of rows that were
    mined, if the source does not state it. Numbers in files count as rounded to the digits they have, and those in
    frames as exact, unless ``rounding`` ("round", "truncate" or "exact") and ``digits`` say otherwise.
    ``min_confidence`` and ``min_support`` are thresholds that were announced: all rules that reach both are listed.

    >>> from io import BytesIO
    >>> read_rules(BytesIO(b"1 2 ==> 3 #SUP: 4 #CONF: 0.66\n"), format="spmf")
    <Rules: 1 rule>
    """
    return _read_rules(source, format, **options)


def _read_rules(
    source: object,
    form: str | None,
    n: int | None = None,
    digits: int | None = None,
    rounding: Mode | None = None,
    **announced: Unpack[Thresholds],
) -> Rules:
    if isinstance(source, Rules):
        rules = source
    elif is_place(source):
        rules = as_rules(read_stated_rules(source, form), n, as_rounding(rounding, digits))  # type: ignore[arg-type]  # a place
    elif form is not None:
        raise OptionError(Option("format"), " is for files; leave it out for frames and tuples")
    elif is_frame(source):
        rules = as_rules(read_frame_of_rules(source), n, as_rounding(rounding, digits, default="exact"))
    else:
        rules = Rules.from_rules(source, n=n, digits=digits, rounding=rounding)  # type: ignore[arg-type]  # tuples
    return rules.announced(**announced)


def as_rules(stated: StatedRules, n: int | None, rounding: Rounding) -> Rules:
    """Return rules with the intervals of their numbers."""
    if n is not None and stated.n is not None and n != stated.n:
        raise InputError(f"the source says n is {stated.n}, but {abbreviate(n)} was given; leave ", Option("n"), " out")
    beside = tuple(text for rule in stated.rules for text in (rule.share, rule.confidence) if text is not None)
    confidences = rounding.intervals([rule.confidence for rule in stated.rules], "confidence", beside)
    check_shares(confidences, "confidence")
    shares = _read_column([rule.share for rule in stated.rules], "share", rounding, beside)
    check_shares((share for share in shares if share is not None), "support")
    rows = stated.n if n is None else n
    rows = _infer_n(stated.rules, shares) if rows is None else rows
    more = () if rows is None else _limit_sides(stated, rows, rounding, beside)
    exact = {itemset for itemset, (low, high) in more if low == high}
    measures = _read_measures(stated, exact, rounding, beside)
    rules = tuple(
        Rule(rule.antecedent, rule.consequent, _limit_support(rule, share, rows), confidence, several)
        for rule, share, confidence, several in zip(stated.rules, shares, confidences, measures, strict=True)
    )
    unused = tuple(name for name in stated.columns if name and name not in MEASURES)
    return Rules(rules, rows, more, in_shares=any(rule.rows is None for rule in stated.rules), unused=unused)


def _limit_support(rule: StatedRule, share: Interval | None, n: int | None) -> Limits | None:
    """Return the limits of a rule's support, from its count and its share of ``n``."""
    if rule.rows is None:
        return None if share is None else as_limits(share, n)
    low, high = (0, rule.rows) if share is None or n is None else share.times(n)
    return max(low, rule.rows), min(high, rule.rows)


def _read_measures(
    stated: StatedRules, exact: Container[Itemset], rounding: Rounding, beside: Sequence[str]
) -> list[tuple[tuple[str, Interval], ...]]:
    """Return the intervals of each rule's measures; none where the support of its consequent is ``exact``."""
    measures: list[list[tuple[str, Interval]]] = [[] for _ in stated.rules]
    for name in filter(MEASURES.__contains__, stated.columns):
        lines = zip(stated.rules, stated.columns[name], measures, strict=True)
        texts = [(text, several) for rule, text, several in lines if text is not None and rule.consequent not in exact]
        intervals = rounding.measure_intervals([text for text, _ in texts], name, beside)
        for (_, several), interval in zip(texts, intervals, strict=True):
            several.append((name, interval))
    return [tuple(several) for several in measures]


def _read_column(
    texts: Sequence[str | None], name: str, rounding: Rounding, beside: Sequence[str]
) -> list[Interval | None]:
    """Return the intervals of a column that some rules may lack."""
    found = iter(rounding.intervals([text for text in texts if text is not None], name, beside))
    return [None if text is None else next(found) for text in texts]


def _limit_sides(
    stated: StatedRules, n: int, rounding: Rounding, beside: Sequence[str]
) -> tuple[tuple[Itemset, Limits], ...]:
    """Return the limits of single sides of rules, and of itemsets."""
    held = _read_column([rule.held for rule in stated.rules], "held", rounding, beside)
    also = _read_column([rule.also for rule in stated.rules], "also", rounding, beside)
    itemsets = rounding.intervals([share for _, share in stated.itemsets], "support", beside)
    shares = [
        *zip((rule.antecedent for rule in stated.rules), held, strict=True),
        *zip((rule.consequent for rule in stated.rules), also, strict=True),
        *zip((itemset for itemset, _ in stated.itemsets), itemsets, strict=True),
    ]
    return tuple((itemset, share.times(n)) for itemset, share in dict.fromkeys(shares) if share is not None)


def _infer_n(rules: Iterable[StatedRule], shares: Iterable[Interval | None]) -> int | None:
    """Return the number of rows, if counts that are also printed as shares allow only one."""
    pairs = [(rule.rows, share) for rule, share in zip(rules, shares, strict=True) if share is not None and share.low]
    low = max((ceil(rows / share.high) for rows, share in pairs if rows is not None), default=0)
    high = min((floor(rows / share.low) for rows, share in pairs if rows is not None), default=None)
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
        return _as_facts(_limit_shares(source, format, n, as_rounding(rounding, digits)), min_support, top=top)
    patterns = read_patterns(source, format=format, n=n)
    facts = _as_facts(_limit_counts(patterns, round_to, rounding or "round"), min_support, top=top)
    return replace(facts, left_out=CLOSED) if patterns.kind == "closed" and facts.has_gaps else facts


def as_rounded(patterns: Patterns, round_to: int, mode: Mode = "round") -> Facts:
    """Return the limits of supports that were rounded or truncated to multiples of ``round_to``.

    If n is such a multiple, it may have been rounded too.

    >>> facts = as_rounded(Patterns.from_itemsets([(["a"], 10), (["b"], 40)], n=40), 5)
    >>> facts.low.tolist(), facts.high.tolist()
    ([38, 8, 38], [42, 12, 42])
    """
    return _as_facts(_limit_counts(patterns, round_to, mode))


def _as_facts(stated: Mapping[Itemset, Limits], min_support: Threshold | None = None, *, top: bool = False) -> Facts:
    """Return limits as facts; a minimum support may be a share of n, the limits of the empty itemset."""
    fewest, most = stated[frozenset()]
    # A share of an unknown number of rows is a count between two limits.
    least, reached = (0, None) if min_support is None else (as_count(min_support, n) for n in (max(1, fewest), most))
    limits = [(itemset, max(low, least if itemset else 0), high) for itemset, (low, high) in stated.items()]
    wrong = sum(low > high for _, low, high in limits)
    if wrong:
        raise InputError(
            f"{wrong:,} of {max(wrong, len(limits) - 1):,} supports cannot be those of {most:,} rows rounded this way; "
            "give the n that was mined, and how supports were rounded"
        )
    absent = None if reached is None else reached - 1
    if not top or len(limits) == 1:
        return Facts.from_limits(limits, n=most, absent=absent)
    smallest = min(high for itemset, _, high in limits if itemset)
    absent = smallest if absent is None else min(smallest, absent)
    facts = Facts.from_limits(limits, n=most, absent=absent, is_top=True)
    is_exact = any(low == high == smallest for itemset, low, high in limits if itemset)
    return facts if is_exact else replace(facts, left_out=ORDER)


def _limit_shares(source: object, form: str | None, n: int | None, rounding: Rounding) -> dict[Itemset, Limits]:
    if n is None or not 0 <= n <= LARGEST_COUNT:
        raise InputError(*OF_HOW_MANY)
    if is_frame(source):
        stated = read_frame_of_shares(source)
    elif is_place(source):
        stated = read_shares(source, form)  # type: ignore[arg-type]  # a place
    else:
        raise OptionError(
            Option("digits"), " and ", Option("rounding"), " are for shares in a CSV file or a frame; give one of these"
        )
    intervals = rounding.intervals([text for _, text in stated], "support")
    check_shares(intervals, "support")
    limits = {itemset: interval.times(n) for (itemset, _), interval in zip(stated, intervals, strict=True)}
    fewest, most = limits.get(frozenset(), (n, n))
    return limits | {frozenset(): (max(n, fewest), min(n, most))}


def _limit_counts(patterns: Patterns, round_to: int | None, mode: Mode) -> dict[Itemset, Limits]:
    unit = 1 if round_to is None else round_to
    if type(unit) is not int or not 1 <= unit <= LARGEST_COUNT:
        raise OptionError(f"round_to is {abbreviate(round_to)}; give a whole number from 1 on")
    wrong = sum(support % unit != 0 for itemset, support in patterns if itemset)
    if wrong:
        raise InputError(
            f"{wrong:,} of {len(patterns):,} supports are not multiples of {unit}; give what they are multiples of"
        )
    n = patterns.n
    rows = _undo_rounding(n, unit, mode, LARGEST_COUNT) if n % unit == 0 else (n, n)
    limits = {itemset: _undo_rounding(support, unit, mode, rows[1]) for itemset, support in patterns}
    return limits | {frozenset(): rows}


def _undo_rounding(support: int, unit: int, mode: Mode, most: int) -> Limits:
    """Return the limits of a count before it was rounded to a multiple of ``unit``; halves may go either way.

    >>> _undo_rounding(10, 5, "round", 99), _undo_rounding(10, 4, "round", 99), _undo_rounding(10, 5, "truncate", 99)
    ((8, 12), (8, 12), (10, 14))
    """
    if mode == "truncate":
        return support, min(most, support + unit - 1)
    half = unit // 2
    return max(0, support - half), min(most, support + half)
