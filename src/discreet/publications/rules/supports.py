"""Supports that were rounded, or are those of a list of the largest: facts within limits."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from discreet.data.labels import Itemset
from discreet.data.patterns import Patterns
from discreet.data.thresholds import LARGEST_COUNT, Threshold, as_count
from discreet.disclosure.attacks.facts import Facts
from discreet.errors import InputError, Option, OptionError
from discreet.io import frames
from discreet.io.files import is_place
from discreet.io.formats import shares
from discreet.io.read import read_patterns
from discreet.publications.rules.rounding import Mode, Rounding, as_rounding
from discreet.publications.rules.rounding import shares as check_shares
from discreet.publications.rules.rule import OF_HOW_MANY, Limits
from discreet.runtime.text import abbreviate

TWO: Final = 2
ORDER: Final = "what follows from no other itemset having more rows than each listed one is not looked at"
"""Of a list of the largest whose smallest support is not known exactly."""
CLOSED: Final = "an unlisted part of a closed itemset has the support of a listed one, which is not looked at"
"""Of closed itemsets: whoever knows that they are closed knows more than their supports."""


def read_facts(
    source: Any,  # noqa: ANN401 - a path, an open file, a frame of any library, patterns
    *,
    format: str | None = None,  # noqa: A002 - the word that users look for
    n: int | None = None,
    digits: int | None = None,
    rounding: Mode | None = None,
    round_to: int | None = None,
    min_support: Threshold | None = None,
    top: bool = False,
) -> Facts:
    r"""Return what supports that were rounded, or a list of the largest, say: the least and the most of each.

    With ``digits`` or ``rounding``, supports are shares of ``n`` rows, in the columns ``itemset`` and ``support`` of a
    CSV file, or ``itemsets`` and ``support`` of a frame. With ``round_to`` they are counts, multiples of it, of any
    format of ``read_patterns``; ``n`` is rounded likewise if it is one. ``min_support`` says that all itemsets that
    reach it are listed. ``top`` says that those of the largest supports are: no other has more than the smallest.

    >>> from io import BytesIO
    >>> facts = read_facts(BytesIO(b"itemset,support\na,66.7%\na;b,33.3%\n"), format="csv", n=9, digits=1)
    >>> facts.low.tolist(), facts.high.tolist()
    ([9, 6, 3], [9, 6, 3])
    """
    if round_to is not None and (digits is not None or rounding == "exact"):
        raise OptionError("round_to is for counts, digits for shares; leave one out")
    if digits is not None or (rounding is not None and round_to is None):
        return _facts(list(_of_shares(source, format, n, as_rounding(rounding, digits))), min_support, top=top)
    patterns = read_patterns(source, format=format, n=n)
    found = _facts(list(_of_counts(patterns, round_to, rounding or "round")), min_support, top=top)
    return replace(found, left_out=CLOSED) if patterns.kind == "closed" and found.has_gaps else found


def rounded(patterns: Patterns, round_to: int, mode: Mode = "round") -> Facts:
    """Return what patterns say whose supports are multiples of ``round_to``, rounded to the nearest or truncated.

    A number of rows that is such a multiple may have been rounded too.

    >>> facts = rounded(Patterns.from_itemsets([(["a"], 10), (["b"], 40)], n=40), 5)
    >>> facts.low.tolist(), facts.high.tolist()
    ([38, 8, 38], [42, 12, 42])
    """
    return _facts(list(_of_counts(patterns, round_to, mode)))


def _facts(said: list[tuple[Itemset, Limits]], min_support: Threshold | None = None, *, top: bool = False) -> Facts:
    """Return the facts of limits, those of the number of rows last; a minimum support may be a share of that."""
    fewest, most = said[-1][1]
    # A share of rows whose number is not known is a count from the one to the other.
    least, reached = (0, None) if min_support is None else (as_count(min_support, n) for n in (max(1, fewest), most))
    limits = [(itemset, max(low, least if itemset else 0), high) for itemset, (low, high) in said]
    wrong = sum(low > high for _, low, high in limits)
    if wrong:
        raise InputError(
            f"{wrong:,} of {max(wrong, len(limits) - 1):,} supports are none of {most:,} rows that were rounded so; "
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
    if is_place(source) and not frames.is_frame(source):
        stated = shares.read(source, format_)  # type: ignore[arg-type]  # a place
    elif frames.is_frame(source):
        stated = shares.from_frame(source)
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
        raise InputError(f"{wrong:,} of {len(patterns):,} supports are no multiples of {unit}; give what they are")
    n = patterns.n
    rows = _before(n, unit, mode, LARGEST_COUNT) if n % unit == 0 else (n, n)
    yield from ((itemset, _before(support, unit, mode, rows[1])) for itemset, support in patterns if itemset)
    yield frozenset(), rows


def _before(support: int, unit: int, mode: str, most: int) -> Limits:
    """Return what a count may have been before it was rounded to a multiple of ``unit``, either way where it is half.

    >>> _before(10, 5, "round", 99), _before(10, 4, "round", 99), _before(10, 5, "truncate", 99)
    ((8, 12), (8, 12), (10, 14))
    """
    if mode == "truncate":
        return support, min(most, support + unit - 1)
    return max(0, support - unit // TWO), min(most, support + unit // TWO)
