"""Mined: values in memory, and saved tables, in which mlxtend, pyfim and arules list itemsets with their supports."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from math import ceil, floor
from numbers import Integral, Real
from typing import Any, Final

from discreet.data.itemsets import Label
from discreet.data.thresholds import COUNT, LARGEST_COUNT, parse_exact
from discreet.errors import InputError, Option
from discreet.io.columns import names_of
from discreet.io.natives import TEXTS, as_frame, is_frame

SHARES: Final = "the supports are shares; say of how many rows with "
PERCENT: Final = 100
NOISE: Final = Fraction(1, 10**6)  # of a row; floats are exact to far less, and any other count is far away


def are_patterns(source: object) -> bool:
    """Return whether ``source`` lists itemsets with their supports: a frame of mlxtend, or pairs as pyfim returns them.

    >>> are_patterns([(("a", "b"), 3), (("a",), 5)]), are_patterns([(("a",), (5,))]), are_patterns([["a", "b"], ["a"]])
    (True, True, False)
    """
    if not is_frame(source):
        return isinstance(source, list | tuple) and len(source) > 0 and all(map(_is_pair, source))
    frame = as_frame(source)
    if not hasattr(type(frame), "columns"):
        return False
    names = {*names_of(frame)}
    return "itemsets" in names and not names.isdisjoint({"support", "count"})


def _is_pair(entry: Any) -> bool:  # noqa: ANN401 - anything
    is_sized = isinstance(entry, list | tuple) and len(entry) > 1
    if not is_sized or isinstance(entry[0], TEXTS | Mapping) or not isinstance(entry[0], Iterable):
        return False
    numbers = _numbers(entry)
    return len(numbers) > 0 and all(isinstance(number, Real) for number in numbers)


def _numbers(entry: Sequence[Any]) -> Sequence[Any]:
    return entry[1] if isinstance(entry[1], list | tuple) else entry[1:]


def read_pairs(source: Any, n: int | None) -> Iterator[tuple[Iterable[Label], int]]:  # noqa: ANN401 - anything
    r"""Yield each itemset with its count, as pyfim has it for any ``report``, or PAMI; a share is one of ``n`` rows.

    >>> list(read_pairs([(("a", "b"), (30.0, 0.3)), (("a",), (50.0, 0.5))], 10)), list(read_pairs({"a\tb": 4}, None))
    ([(('a', 'b'), 3), (('a',), 5)], [(['a', 'b'], 4)])
    """
    entries = [(_split_key(key), count) for key, count in source.items()] if isinstance(source, Mapping) else [*source]
    for number, entry in enumerate(entries, start=1):
        if not _is_pair(entry) or len(_numbers(entry)) != len(_numbers(entries[0])):
            problem = f"entry {number} is no itemset with its support"
            raise InputError(f"{problem}; give pairs such as (['bread', 'milk'], 12)")
    columns = zip(*map(_numbers, entries), strict=True)
    counts = find_counts([list(map(_as_text, column)) for column in columns], n, "entry") if entries else ()
    yield from zip((entry[0] for entry in entries), counts, strict=True)


def _split_key(key: Any) -> Any:  # noqa: ANN401 - anything
    """Return the items in a key of PAMI, text with tabs between; any other key is as it is."""
    return [label for label in key.split("\t") if label] if isinstance(key, str) else key


def _as_text(number: Any) -> str:  # noqa: ANN401 - a number
    is_whole = isinstance(number, Integral) and not isinstance(number, bool)
    return str(int(number)) if is_whole else repr(float(number))


def find_counts(columns: Sequence[Sequence[str]], n: int | None, what: str) -> Sequence[int]:
    """Return the counts that columns of printed numbers give, of which some may be shares, percentages or others.

    A column of whole numbers has counts, any other what gives whole counts of ``n`` rows. Several columns must agree.

    >>> find_counts([["90.91", "54.55"], ["0.9091", "0.5455"]], 11, "line")
    (10, 6)
    """
    if n is None:
        whole = [column for column in columns if all(map(COUNT.fullmatch, column))]
        if len(whole) < len(columns) and not any(len({*column}) > 1 for column in whole):
            raise InputError(SHARES, Option("n"))
        columns = whole
    tried = [[*_count_column(column, n or 0, what)] for column in columns]
    found = meanings = [{one for one in some if not isinstance(one, InputError)} for some in tried]
    if len(columns) > 1:  # pyfim reports 0 where a letter means nothing, and n for Q
        found = [{one for one in some if min(one) > 0} for some in found]
        most = max((max(one) for some in found for one in some), default=0)
        found = [some for some in found if some and {*chain.from_iterable(some)} != {most}] or found
    for problem in chain.from_iterable(tried):
        if isinstance(problem, InputError) and not any(found):
            raise problem
    known = set.intersection(*filter(None, found)) if any(found) else set()
    if not any(map(any, known)) and len(known) == 1:
        raise InputError("every support is 0; give the supports of the itemsets")
    if len(known) != 1:
        raise InputError("the supports may be shares, percentages or something else; give counts alone")
    counts = known.pop()
    if any(_are_shares(column, counts) for column, some in zip(columns, meanings, strict=True) if not some):
        raise InputError(f"the shares beside the counts are not those of {n} rows; give the n that was mined")
    return counts


def _are_shares(column: Sequence[str], counts: Sequence[int]) -> bool:
    """Return whether numbers that differ are shares of, or percentages in, some number of rows.

    >>> _are_shares(["0.2", "0.5"], [2, 5]), _are_shares(["1.3", "0.7"], [2, 5])
    (True, False)
    """
    shares = [parse_exact(text.removesuffix("%")) or Fraction(0) for text in column]
    halves = [Fraction(10) ** _last_digit(text) / 2 + share * NOISE for text, share in zip(column, shares, strict=True)]
    if len({*column}) < 2 or any(share <= half for share, half in zip(shares, halves, strict=True)):  # noqa: PLR2004
        return False
    least = max(count / (share + half) for count, share, half in zip(counts, shares, halves, strict=True))
    return all(count / (share - half) >= least for count, share, half in zip(counts, shares, halves, strict=True))


def _count_column(column: Sequence[str], n: int, what: str) -> Iterator[tuple[int, ...] | InputError]:
    """Yield what a column may mean, or why it cannot: counts if all numbers are whole, else percentages or shares."""
    if all(map(COUNT.fullmatch, column)):
        yield tuple(map(int, column))
        return
    for of in (PERCENT, 1)[: 2 - any(text.endswith("%") for text in column)]:
        try:
            texts = enumerate(column, start=1)
            yield tuple(count_share(text.removesuffix("%"), n, f"{what} {at}", of=of) for at, text in texts)
        except InputError as problem:
            yield problem


def count_share(text: str, n: int | None, where: str, *, of: int = 1) -> int:
    """Return the only count of ``n`` rows that a share ``of`` 1 or 100 can be: the exact one, else the one it rounds.

    >>> count_share("0.667", 3, "line 1"), count_share("12.5", 8, "line 1", of=100)
    (2, 1)
    """
    what = "a support in percent" if of == PERCENT else "a share as its support"
    if n is None:
        raise InputError(f"{where} has {what}; say of how many rows with ", Option("n"))
    share = parse_exact(text)
    if share is None or not 0 <= n <= LARGEST_COUNT:
        raise InputError(f"{where} has a support of too many digits, or n is no number of rows; write counts")
    middle = share * n / of
    half = Fraction(0) if middle.denominator == 1 else n * Fraction(10) ** _last_digit(text) / (2 * of) + NOISE
    least, most = ceil(middle - half), floor(middle + half)
    if least != most or not 0 <= least <= n:
        advice = "give the n that was mined, or write more decimals or counts"
        raise InputError(f"{where} has {what} that is no count of {n} rows, or of several; {advice}")
    return least


def check_shares(texts: Iterable[str], counts: Iterable[int], n: int) -> None:
    """Refuse shares beside counts that are not those of ``n`` rows: then another number of rows was mined.

    >>> check_shares(["0.33", "0.6667"], [1, 2], 3)
    """
    for number, (text, count) in enumerate(zip(texts, counts, strict=True), start=1):
        share = parse_exact(text)
        if share is not None and abs(share * n - count) > n * Fraction(10) ** _last_digit(text) / 2 + NOISE:
            problem = f"pattern {number} has a count and a support that do not agree on {n} rows"
            raise InputError(f"{problem}; give the n that was mined")


def _last_digit(text: str) -> int:
    """Return the exponent of the last digit of a number in decimals."""
    exponent = Decimal(text).as_tuple().exponent if "/" not in text else 0
    return exponent if isinstance(exponent, int) else 0
