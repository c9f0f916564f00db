"""Mined: values in memory, and saved tables, in which mlxtend, pyfim and arules list itemsets with their supports."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from numbers import Integral, Real
from typing import Any, Final

from discreet.data.itemsets import Label
from discreet.data.patterns import as_counts
from discreet.data.thresholds import LARGEST_COUNT, parse_exact
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
    return all(isinstance(number, Real) for number in _numbers(entry))


def _numbers(entry: Sequence[Any]) -> Sequence[Any]:
    return entry[1] if isinstance(entry[1], list | tuple) else entry[1:]


def read_pairs(source: Any, n: int | None) -> Iterator[tuple[Iterable[Label], int]]:  # noqa: ANN401 - anything
    """Yield each itemset with its count, which may be in a tuple, as pyfim has it; a share is one of ``n`` rows.

    >>> list(read_pairs([(("a", "b"), (3, 0.3)), (("a",), (0.5,))], 10)), list(read_pairs({("a",): 4}, None))
    ([(('a', 'b'), 3), (('a',), 5)], [(('a',), 4)])
    """
    for number, entry in enumerate(source.items() if isinstance(source, Mapping) else source, start=1):
        if not _is_pair(entry):
            problem = f"entry {number} is no itemset with its support"
            raise InputError(f"{problem}; give pairs such as (['bread', 'milk'], 12)")
        counts = [value for value in _numbers(entry) if isinstance(value, Integral) and not isinstance(value, bool)]
        if not counts and n is None:
            raise InputError(SHARES, Option("n"))
        yield entry[0], int(counts[0]) if counts else as_counts([float(_numbers(entry)[0])], n or 0)[0]


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
    if middle.denominator == 1:
        return int(middle)
    half = n * Fraction(10) ** _last_digit(text) / (2 * of) + NOISE
    least, most = ceil(middle - half), floor(middle + half)
    if least != most:
        advice = "give the n that was mined, or write more decimals or counts"
        raise InputError(f"{where} has {what} that is no count of {n} rows, or of several; {advice}")
    return least


def _last_digit(text: str) -> int:
    """Return the exponent of the last digit of a number in decimals."""
    exponent = Decimal(text).as_tuple().exponent if "/" not in text else 0
    return exponent if isinstance(exponent, int) else 0
