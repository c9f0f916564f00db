"""Arguments: what each verb may be asked with, checked and made plain before any work begins."""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from discreet import OptionError, ThresholdError
from discreet.io.registry import FORMATS
from discreet.io.sniff import SHAPES
from discreet.judging.policy import names as policies

LONGEST_TEXT: Final = 1 << 19
LARGEST_PLACE: Final = 10**9
DIGITS: Final = re.compile(r"[0-9]{1,19}")
LONGEST_SECONDS: Final = 600


class Ask(NamedTuple):
    """How a verb is asked: its arguments, those it cannot do without, whether it may be asked by an address (GET).

    What holds labels may not: addresses are kept in histories. ``long`` work never takes the last worker; ``data``
    says whether it is about data that was loaded.
    """

    words: tuple[str, ...]
    needed: tuple[str, ...] = ()
    by_address: bool = True
    long: bool = False
    data: bool = True


THRESHOLDS: Final = ("min_support", "k", "policy")
SHAPE: Final = ("format", "shape", "row", "item", "items", "separator", "patterns", "n", "kind")

ASKED: Final[Mapping[str, Ask]] = {
    "preview": Ask(SHAPE, by_address=False, data=False),
    "read": Ask(()),
    "audit": Ask(THRESHOLDS),
    "tradeoff": Ask(("ks", "min_supports", "k"), long=True),
    "detect": Ask((*THRESHOLDS, "search", "sort", "descending", "offset", "limit"), by_address=False),
    "explain": Ask((*THRESHOLDS, "number"), ("number",)),
    "compare": Ask((*THRESHOLDS, "seconds"), ("min_support",), long=True),
    "block": Ask((*THRESHOLDS, "method", "merge", "keep_n", "seconds"), ("min_support",), long=True),
    "hide": Ask(
        ("sensitive", "disclosure", "method", "below", "min_support", "seconds"),
        ("sensitive",),
        by_address=False,
        long=True,
    ),
    "compare_hiding": Ask(
        ("sensitive", "disclosures", "below", "min_support", "seconds"),
        ("sensitive", "min_support"),
        by_address=False,
        long=True,
    ),
    "query": Ask(("query", "offset", "limit"), ("query",), by_address=False),
    "verify": Ask((), by_address=False, long=True, data=False),
    "report": Ask(THRESHOLDS, long=True),
}
"""Every verb, by its name."""


def checked(verb: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a verb as it takes them; what is left empty is left out, and what is unknown refused.

    >>> checked("audit", {"min_support": "5%", "k": "10", "policy": ""})
    {'min_support': '5%', 'k': 10}
    """
    ask = ASKED[verb]
    for word in given:
        if word not in ask.words:
            raise OptionError(
                f"{str(word)[:40]!r} means nothing to {verb}; it takes {', '.join(ask.words) or 'nothing'}"
            )
    told = {word: KINDS[word](word, value) for word, value in given.items() if value is not None and value != ""}
    for word in ask.needed:
        if word not in told:
            raise OptionError(f"{word.replace('_', ' ')} is missing; give one")
    if {"k", "policy"} <= {*ask.words} and not {"k", "policy"} & told.keys():
        raise ThresholdError("neither k nor a policy is given; give k, or choose a policy")
    return told


def _text(word: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise OptionError(f"{word} must be text of at most {LONGEST_TEXT:,} letters")
    return value


def _whole(word: str, value: object, least: int = 0, most: int = LARGEST_PLACE) -> int:
    is_text = isinstance(value, str) and DIGITS.fullmatch(value)
    number = int(value) if is_text else value  # type: ignore[call-overload]  # digits
    if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= most:
        raise ThresholdError(f"{word} is {str(value)[:40]!r}; give a whole number from {least} to {most:,}")
    return number


def _threshold(word: str, value: object) -> str | int | float:
    """Return a count or a share as it came: the library reads both, exactly."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (is_number or (isinstance(value, str) and len(value) <= 40)):  # noqa: PLR2004 - longer than any number
        raise ThresholdError(f"{word.replace('_', ' ')} is no number; give a count such as 813, or a share such as 10%")
    return value.strip() if isinstance(value, str) else value  # type: ignore[return-value]  # checked above


def _seconds(word: str, value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]  # what is none is refused
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0 < number <= LONGEST_SECONDS:
        raise ThresholdError(f"{word} is {str(value)[:40]!r}; give a number above 0 and at most {LONGEST_SECONDS}")
    return number


def _flag(word: str, value: object) -> bool:
    if value not in (True, False, "true", "false", "1", "0", "on"):
        raise OptionError(f"{word} is {str(value)[:40]!r}; give true or false")
    return value in (True, "true", "1", "on")


def _one_of(*allowed: str) -> Callable[[str, object], str]:
    def chosen(word: str, value: object) -> str:
        if value not in allowed:
            raise OptionError(f"{word} is {str(value)[:40]!r}; choose one of {', '.join(allowed)}")
        return str(value)

    return chosen


def _several(one: Callable[[str, object], Any]) -> Callable[[str, object], list[Any]]:
    def listed(word: str, value: object) -> list[Any]:
        values = value.split(",") if isinstance(value, str) else value
        if not isinstance(values, list) or not 1 <= len(values) <= 50:  # noqa: PLR2004 - as many as a chart can show
            raise OptionError(f"{word.replace('_', ' ')} must be 1 to 50 values, with commas between them")
        return [one(word, part.strip() if isinstance(part, str) else part) for part in values]

    return listed


def _k(word: str, value: object) -> int:
    return _whole(word, value, 1)


KINDS: Final[Mapping[str, Callable[[str, object], Any]]] = {
    "min_support": _threshold,
    "min_supports": _several(_threshold),
    "below": _threshold,
    "disclosure": _threshold,
    "disclosures": _several(_threshold),
    "k": _k,
    "ks": _several(_k),
    "policy": _one_of(*policies()),
    "search": _text,
    "sort": _one_of("worst", "count", "base", "top"),
    "descending": _flag,
    "offset": _whole,
    "limit": _k,
    "number": _whole,
    "seconds": _seconds,
    "method": _text,
    "merge": _flag,
    "keep_n": _flag,
    "sensitive": _text,
    "query": _text,
    "format": _one_of(*FORMATS),
    "shape": _one_of(*SHAPES),
    "row": _text,
    "item": _text,
    "items": _text,
    "separator": _text,
    "patterns": _flag,
    "n": _whole,
    "kind": _one_of("frequent", "closed", "maximal"),
}
"""What each argument is, whatever verb it is for."""
