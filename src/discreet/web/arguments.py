"""Every handler by its name, and its arguments, checked before any work begins."""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from inspect import Parameter, signature
from typing import Any, Final, NamedTuple, TypeAlias, cast, get_args

from discreet.data.patterns import KINDS
from discreet.disclosure.attacks.attack import ATTACKERS
from discreet.errors import Option, OptionError, ThresholdError
from discreet.io.hierarchies import is_made
from discreet.io.shapes import SHAPES
from discreet.io.sources import FORMATS
from discreet.judging.policy import names as policy_names
from discreet.publications.rules.intervals import Mode
from discreet.runtime.text import abbreviate
from discreet.web.handlers.attack import attack
from discreet.web.handlers.audit import audit, report, tradeoff
from discreet.web.handlers.belief import belief
from discreet.web.handlers.findings import TITLES, explain, findings
from discreet.web.handlers.fix import advise, block
from discreet.web.handlers.handover import handover
from discreet.web.handlers.hide import combinations, compare_hiding, hide, items
from discreet.web.handlers.published import SORTS, published
from discreet.web.handlers.read import preview, query, read
from discreet.web.handlers.releases import compare_releases
from discreet.web.handlers.verify import verify
from discreet.web.loading import KINDS as HOLDINGS
from discreet.web.loading import UploadOptions

Run: TypeAlias = Callable[..., dict[str, Any]]
Parse: TypeAlias = Callable[[str, object], Any]

LONGEST_TEXT: Final = 1 << 19
LARGEST_NUMBER: Final = 10**9
LONGEST_NOUN: Final = 30
DIGITS: Final = re.compile(r"[0-9]{1,19}")
LONGEST_SECONDS: Final = 600
MOST_VALUES: Final = 50  # as many as a chart can show
MOST_TEXTS: Final = 10_000  # such as columns of a table
MISSING: Final = {"sensitive": "enter at least one combination to hide", "query": "enter a query"}


class Handler(NamedTuple):
    """A function for a request; its keyword arguments are what it may be asked with.

    It may be asked ``by_address`` (GET) unless an argument can hold labels: addresses are kept in histories. ``long``
    work never takes the last worker, and ``fleeting`` work ends soon when nobody asks about it.
    """

    run: Run
    by_address: bool = True
    long: bool = False
    fleeting: bool = False

    @property
    def arguments(self) -> dict[str, bool]:
        """Its arguments, and whether each is needed."""
        parameters = signature(self.run).parameters.values()
        typed = (get_args(one.annotation)[0] for one in parameters if one.kind is Parameter.VAR_KEYWORD)
        shared = {name: name in kind.__required_keys__ for kind in typed for name in kind.__annotations__}
        return shared | {
            one.name: one.default is Parameter.empty for one in parameters if one.kind is Parameter.KEYWORD_ONLY
        }


HANDLERS: Final[Mapping[str, Handler]] = {
    "preview": Handler(preview, by_address=False, fleeting=True),
    "read": Handler(read),
    "audit": Handler(audit),
    "findings": Handler(findings, by_address=False),
    "explain": Handler(explain),
    "published": Handler(published, by_address=False),
    "tradeoff": Handler(tradeoff, long=True),
    "attack": Handler(attack, long=True),
    "belief": Handler(belief, long=True),
    "advise": Handler(advise, long=True),
    "block": Handler(block, long=True),
    "handover": Handler(handover, long=True),
    "items": Handler(items, by_address=False),
    "combinations": Handler(combinations, by_address=False),
    "hide": Handler(hide, by_address=False, long=True),
    "compare_hiding": Handler(compare_hiding, by_address=False, long=True),
    "query": Handler(query, by_address=False),
    "verify": Handler(verify, by_address=False, long=True),
    "compare_releases": Handler(compare_releases, by_address=False, long=True),
    "report": Handler(report, long=True),
}
"""Every handler by its name; a new one is a function and a line here."""


def check_arguments(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a handler as it takes them; drop empty ones, and refuse unknown ones.

    >>> check_arguments("audit", {"min_support": "5%", "k": "10", "policy": ""})
    {'min_support': '5%', 'k': 10}
    """
    allowed = HANDLERS[name].arguments
    values = _parse(name, given, allowed)
    for word, is_needed in allowed.items():
        if is_needed and word not in values:
            raise OptionError(MISSING[word]) if word in MISSING else OptionError(Option(word), " is missing; give one")
    if {"k", "policy"} <= {*allowed} and not {"k", "policy"} & {*values}:
        raise ThresholdError("neither k nor a policy is given; give k, or choose a policy")
    return values


def check_upload_options(given: Mapping[str, Any]) -> UploadOptions:
    """Return how a file is to be read, from a request.

    >>> check_upload_options({"format": "table", "bins": ["age=10"], "header": "false", "row": ""})
    {'format': 'table', 'bins': ['age=10'], 'header': False}
    """
    return cast("UploadOptions", _parse("read", given, UploadOptions.__annotations__))


def _parse(name: str, given: Mapping[str, Any], allowed: Iterable[str]) -> dict[str, Any]:
    for word in given:
        if word not in allowed:
            raise OptionError(f"{abbreviate(word)!r} is unknown to {name}; it takes {', '.join(allowed) or 'nothing'}")
    parsed = {word: value for word, value in given.items() if value is not None and value != ""}
    return {word: PARSERS.get(word, _text)(word, value) for word, value in parsed.items()}


def _text(word: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise OptionError(f"{word} must be text of at most {LONGEST_TEXT:,} characters")
    return value


def _noun(word: str, value: object) -> str:
    text = _text(word, value).strip()
    if len(text) > LONGEST_NOUN or not text.replace(" ", "").replace("-", "").isalpha():
        raise OptionError(f"what a row is called must be a word of at most {LONGEST_NOUN} letters, such as patients")
    return text


def _whole(word: str, value: object, least: int = 0) -> int:
    number = int(value) if isinstance(value, str) and DIGITS.fullmatch(value) else value
    if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= LARGEST_NUMBER:
        wanted = f"a whole number from {least} to {LARGEST_NUMBER:,}"
        raise ThresholdError(f"{word} is {abbreviate(value)!r}; give {wanted}")
    return number


def _threshold(word: str, value: object) -> str | int | float:
    """Return a count or a share as it came: the library reads both, exactly."""
    if isinstance(value, str) and len(value) <= 40:  # noqa: PLR2004 - longer than any number
        return value.strip()
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise ThresholdError(Option(word), " is no number; give a count such as 813, or a share such as 10%")


def _seconds(word: str, value: object) -> float:
    try:
        number = float(value) if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not 0 < number <= LONGEST_SECONDS:
        raise ThresholdError(f"{word} is {abbreviate(value)!r}; give a number above 0 and at most {LONGEST_SECONDS}")
    return number


def _flag(word: str, value: object) -> bool:
    if value not in (True, False, "true", "false", "1", "0", "on"):
        raise OptionError(f"{word} is {abbreviate(value)!r}; give true or false")
    return value in (True, "true", "1", "on")


def _one_of(*allowed: str) -> Parse:
    def choose(word: str, value: object) -> str:
        if value not in allowed:
            raise OptionError(f"{word} is {abbreviate(value)!r}; choose one of {', '.join(allowed)}")
        return str(value)

    return choose


def _several(parse: Parse) -> Parse:
    def parse_all(word: str, value: object) -> list[Any]:
        values = value.split(",") if isinstance(value, str) else value
        if not isinstance(values, list) or not 1 <= len(values) <= MOST_VALUES:
            raise OptionError(Option(word), f" must be 1 to {MOST_VALUES} values, separated by commas")
        return [parse(word, part.strip() if isinstance(part, str) else part) for part in values]

    return parse_all


def _texts(word: str, value: object) -> list[str]:
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not 1 <= len(values) <= MOST_TEXTS:
        raise OptionError(Option(word), f" must be 1 to {MOST_TEXTS:,} texts")
    return [_text(word, part) for part in values]


def _combinations(word: str, value: object) -> str | list[list[int]]:
    """Return combinations as text, or by the numbers of their items."""
    if isinstance(value, str):
        return _text(word, value)
    if not isinstance(value, list) or not all(isinstance(one, list) and one for one in value):
        raise OptionError(Option(word), " must be text, or lists of the numbers of items")
    if not value:
        raise OptionError(MISSING[word])
    return [[_whole(word, number) for number in one] for one in value]


def _made(word: str, value: object) -> list[str]:
    """Return hierarchies that need no file: no path comes from a request."""
    for text in (found := _texts(word, value)):
        if not is_made(text):
            raise OptionError(Option(word), f" is {abbreviate(text)!r}; give such as prefix:3,1, bins or city=rare:50")
    return found


_positive: Final = partial(_whole, least=1)
PARSERS: Final[Mapping[str, Parse]] = {
    **dict.fromkeys(("min_support", "below", "disclosure"), _threshold),
    "min_supports": _several(_threshold),
    **dict.fromkeys(("offset", "number", "n", "max_length", "digits"), _whole),
    **dict.fromkeys(("k", "limit", "round_to"), _positive),
    "ks": _several(_positive),
    "seconds": _seconds,
    "noun": _noun,
    **dict.fromkeys(("merge", "keep_n", "save", "header", "empty_rows", "grown"), _flag),
    **dict.fromkeys(("columns", "drop", "na", "bins", "leave_out", "totals", "masked"), _texts),
    "hierarchy": _made,
    "sensitive": _combinations,
    "policy": _one_of(*policy_names()),
    "sort": _one_of(*SORTS),
    "holds": _one_of(*HOLDINGS),
    "rounding": _one_of(*get_args(Mode)),
    **dict.fromkeys(("level", "against"), _one_of(*ATTACKERS)),
    "format": _one_of(*FORMATS, *(shape for shape in SHAPES if shape not in FORMATS)),
    "kind": _one_of(*KINDS, *TITLES),  # of patterns, or of findings
}
"""How each argument is parsed, whichever handler takes it; all others are text."""
