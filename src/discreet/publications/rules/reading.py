"""Reading rules, rounded supports and lists of the largest supports: printed numbers become limits."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from discreet.data.itemsets import Itemset
from discreet.data.patterns import Patterns
from discreet.data.thresholds import LARGEST_COUNT, Share, Threshold, as_count
from discreet.disclosure.attacks.facts import Facts, Limits
from discreet.errors import InputError, Option, OptionError
from discreet.io.files import is_place
from discreet.io.formats.pattern_tables import read_frame_of_shares, read_shares
from discreet.io.formats.rules import read_frame_of_rules, read_stated_rules
from discreet.io.natives import as_frame, is_frame
from discreet.io.read import read_patterns
from discreet.publications.rules.intervals import Mode, Rounding, as_rounding, check_shares
from discreet.publications.rules.rule import OF_HOW_MANY, Rules
from discreet.runtime.text import abbreviate

ORDER: Final = "the fact that no other itemset has more rows than each listed one is not used in full"
CLOSED: Final = "the fact that an unlisted part of a closed itemset has the support of a listed one is not used"


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
    rules: Any = source  # a place, a frame, or rules
    if is_place(source):
        rules = read_stated_rules(rules, format)
    elif format is not None and not isinstance(source, Rules):
        raise OptionError(Option("format"), " is for files; leave it out for frames and tuples")
    elif is_frame(source):
        rules, rounding = (
            read_frame_of_rules(as_frame(source)),
            "exact" if rounding is None and digits is None else rounding,
        )
    return Rules.from_rules(
        rules, n=n, digits=digits, rounding=rounding, min_support=min_support, min_confidence=min_confidence
    )


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
    facts = replace(facts, max_length=patterns.max_length)
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
        stated = read_frame_of_shares(as_frame(source))
    elif is_place(source):
        stated = read_shares(source, form)  # type: ignore[arg-type]  # a place
    else:
        raise OptionError(Option("digits"), " and ", Option("rounding"), " are for shares; give a CSV file or a frame")
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
            f"{wrong:,} of {len(patterns):,} supports are not multiples of {unit}; correct ", Option("round_to")
        )
    n = patterns.n
    rows = _undo_rounding(n, unit, mode, LARGEST_COUNT) if n % unit == 0 else (n, n)
    limits = {itemset: _undo_rounding(support, unit, mode, rows[1]) for itemset, support in patterns}
    return limits | {frozenset(): rows}


def _undo_rounding(support: int, unit: int, mode: Mode, most: int) -> Limits:
    """Return the limits of a count before it was rounded to a multiple of ``unit``; halves may go either way."""
    if mode == "truncate":
        return support, min(most, support + unit - 1)
    half = unit // 2
    return max(0, support - half), min(most, support + half)
