"""Shares in tables of counts: which columns hold them, and which total each is a share of."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import combinations
from typing import Final, NamedTuple

from discreet.data.counts import UNKNOWN, Cell, Coordinates, Place, Ratio, State
from discreet.errors import InputError, Option
from discreet.io.marks import MASKS, SHARE, read_share

PERCENT: Final = r"%|pct|perc|percents?|percentages?|col(?:umn)?[ _]?%|row[ _]?%|total[ _]?%"
PART: Final = r"shares?|proportions?|prop|fractions?|ratio"
NAME: Final = re.compile(rf"[([]?(?:(?P<percent>{PERCENT})|(?P<part>{PART}))[)\]]?", re.IGNORECASE)
SUFFIX: Final = re.compile(rf"(?P<of>.*?\S)[ _,]*[([]?(?:(?P<percent>{PERCENT})|(?P<part>{PART}))[)\]]?", re.IGNORECASE)
NUMBER: Final = re.compile(r"\d{1,3}(?:[.,]\d{1,20})?(?:e-\d{1,2})?", re.IGNORECASE)
MANY: Final = 4  # decimal places
MOST_NAMES: Final = 12  # dimensions whose totals are tried


class Share(NamedTuple):
    """A share that a table states: of which count, between which limits, and where."""

    part: Coordinates
    low: Fraction
    high: Fraction
    place: Place


def is_share_name(name: str) -> bool:
    """Return whether a column is called as shares are.

    >>> is_share_name("%"), is_share_name("Percent"), is_share_name("n")
    (True, True, False)
    """
    return NAME.fullmatch(name) is not None


def find_unit(name: str, texts: Iterable[str]) -> int | None:
    """Return the unit of a column of shares: 100 for percentages, or 1; None if it holds no shares.

    >>> find_unit("%", ["98.3", "1.7"]), find_unit("share", ["0.983", ""]), find_unit("share", ["many"])
    (100, 1, None)
    """
    numbers, unit = [], 0
    for text in texts:
        if SHARE.fullmatch(text):
            unit = 100
        elif NUMBER.fullmatch(text):
            numbers.append(_number(text))
        elif text.casefold() not in MASKS:
            return None
    if not numbers:
        return unit or None
    match = NAME.fullmatch(name) or SUFFIX.fullmatch(name)
    is_percent = bool(match and match["percent"]) and all(number % 1 == 0 for number in numbers)
    return 100 if unit or is_percent or max(numbers) > 1 else 1  # a spreadsheet holds 0.5 where it shows 50%


def find_bare_unit(texts: Sequence[str]) -> int | None:
    """Return the unit of shares that stand in the place of counts; None if there are counts.

    >>> find_bare_unit(["0.5", "0.25", "1.0"]), find_bare_unit(["12.5", "100"]), find_bare_unit(["12", "3"])
    (1, 100, None)
    """
    filled = [text for text in texts if text.casefold() not in MASKS]
    if not filled or not all(NUMBER.fullmatch(text) for text in filled):
        return None
    numbers = [_number(text) for text in filled]
    largest = max(numbers)
    if all(number % 1 == 0 for number in numbers) or largest > 100:  # noqa: PLR2004 - percent
        return None
    return 1 if largest <= 1 else 100


def find_digits(texts: Iterable[str]) -> int:
    """Return how many decimal places all shares of a column have, if some have many; few may differ on purpose.

    >>> find_digits(["0.25", "0.3333333333"]), find_digits(["48", "9.5"])
    (10, 0)
    """
    places = max((len(text.partition(".")[2]) for text in texts if NUMBER.fullmatch(text)), default=0)
    return places if places >= MANY else 0


def take_share(text: str, unit: int, digits: int = 0) -> tuple[Fraction, Fraction] | None:
    """Return the limits of a share in a column of these; None if it is masked."""
    match = SHARE.fullmatch(text)
    if match is not None:
        return read_share(match[1])
    return read_share(text, unit, digits) if NUMBER.fullmatch(text) else None


def find_wholes(
    names: Sequence[str], cells: Sequence[Cell], shares: Sequence[Share]
) -> tuple[list[Ratio], list[Cell], list[str]]:
    """Return the shares with the totals they are of, the totals that the table lacks, and remarks.

    Shares at the same attributes are of the same kind of total: all kinds are tried, and those that agree with every
    exact count are taken. If several agree, a share of exact counts is true of each; of others, only what follows
    from each of them is taken.

    >>> cells = [Cell((None,), 180, 180), Cell(("f",), 177, 177), Cell(("m",), 1, 10, State.MASKED)]
    >>> shares = [Share(("f",), *read_share("98.3"), Place(3, 3)), Share(("m",), *read_share("1.7"), Place(4, 3))]
    >>> ratios, missing, notes = find_wholes(["sex"], cells, shares)
    >>> [(ratio.part, ratio.whole) for ratio in ratios], missing, notes
    ([(('f',), (None,)), (('m',), (None,))], [], ['shares are of the total'])
    """
    known = {cell.at: (cell.low, cell.high) for cell in cells}
    ratios, notes = list[Ratio](), list[str]()
    patterns: dict[tuple[int, ...], list[Share]] = {}
    for share in shares:
        pattern = tuple(at for at, value in enumerate(share.part) if value is not None)
        patterns.setdefault(pattern[:MOST_NAMES], []).append(share)
    for pattern, own in sorted(patterns.items(), key=lambda item: -len(item[0])):
        chosen = [over for over in _choose(pattern, own, known) if over]
        for one in own:
            ratios += _list_ratios(one, chosen, known)
        wholes = [_describe(names, over, pattern) for over in chosen]
        notes += [f"shares are of {' or of '.join(wholes)}"] * bool(wholes)
    ratios = list(dict.fromkeys(ratios))
    missing = dict.fromkeys(ratio.whole for ratio in ratios if ratio.whole not in known)
    return ratios, [Cell(at, 0, UNKNOWN, State.UNPUBLISHED) for at in missing], list(dict.fromkeys(notes))


def _list_ratios(
    share: Share, chosen: Sequence[tuple[int, ...]], known: Mapping[Coordinates, tuple[int, int]]
) -> Iterator[Ratio]:
    """Yield what a share says, of whichever of some totals it is one.

    The total over all attributes of these is the largest: the count is at most so great a share of it. It is at least
    so great a share of the total over the attributes that all of them have in common.
    """
    part, low, high, place = share
    wholes = [_whole(part, over) for over in chosen]
    is_exact = all(at in known and known[at][0] == known[at][1] for at in (part, *wholes))
    if len(wholes) == 1 or is_exact:
        yield from (Ratio(part, whole, low, high, place) for whole in wholes)
    elif wholes:
        yield Ratio(part, _whole(part, tuple({at for over in chosen for at in over})), Fraction(0), high, place)
        common = tuple(at for at in chosen[0] if all(at in over for over in chosen))
        if common:
            yield Ratio(part, _whole(part, common), low, Fraction(1), place)


def _choose(
    pattern: tuple[int, ...], shares: Sequence[Share], known: Mapping[Coordinates, tuple[int, int]]
) -> list[tuple[int, ...]]:
    """Return over which attributes the totals reach that all shares of a pattern fit."""
    tried = [over for many in range(len(pattern) + 1) for over in combinations(pattern, many)]
    fits = {over: evidence for over in tried if (evidence := _test(over, pattern, shares, known)) is not None}
    shown = [over for over, evidence in fits.items() if evidence]
    if not fits or (not shown and len(fits) > 1):
        problem = "fit no total of the table" if not fits else "may be of several totals, and no count shows of which"
        raise InputError(
            f"the shares from {shares[0].place} on {problem}; correct them, or leave the column out with ",
            Option("drop"),
        )
    return shown or list(fits)


def _test(
    over: tuple[int, ...],
    pattern: tuple[int, ...],
    shares: Sequence[Share],
    known: Mapping[Coordinates, tuple[int, int]],
) -> int | None:
    """Return how many facts show that shares are of these totals; None if one shows that they are not."""
    if not over:
        return len(shares) if all(one.low <= 1 <= one.high for one in shares) else None
    groups, siblings = dict[Coordinates, list[Share]](), dict[Coordinates, list[tuple[int, int]]]()
    for share in shares:
        groups.setdefault(_whole(share.part, over), []).append(share)
    for at, limits in known.items():
        if pattern == tuple(place for place, value in enumerate(at) if value is not None)[:MOST_NAMES]:
            siblings.setdefault(_whole(at, over), []).append(limits)
    evidence = 0
    for whole, parts in groups.items():
        near = siblings.get(whole, [])
        found = _test_group(parts, known, known.get(whole) or _add(near), is_complete=len(near) == len(parts))
        if found is None:
            return None
        evidence += found
    return evidence


def _test_group(
    parts: Sequence[Share],
    known: Mapping[Coordinates, tuple[int, int]],
    whole: tuple[int, int],
    *,
    is_complete: bool,
) -> int | None:
    """Return how many facts show that shares are of this total, as in ``_test``."""
    if sum(one.low for one in parts) > 1 or (is_complete and sum(one.high for one in parts) < 1):
        return None
    evidence = int(is_complete and len(parts) > 1)
    for one in parts:
        part = known.get(one.part, (0, UNKNOWN))
        if one.low * whole[0] > part[1] or one.high * whole[1] < part[0]:
            return None
        evidence += part[0] == part[1] and whole[0] == whole[1]
    return evidence


def _whole(at: Coordinates, over: tuple[int, ...]) -> Coordinates:
    return tuple(None if place in over else value for place, value in enumerate(at))


def _add(limits: Iterable[tuple[int, int]]) -> tuple[int, int]:
    low, high = 0, 0
    for one in limits:
        low, high = low + one[0], high + one[1]
    return low, min(high, UNKNOWN)


def _describe(names: Sequence[str], over: tuple[int, ...], pattern: tuple[int, ...]) -> str:
    rest = [names[at] for at in pattern if at not in over]
    return f"the totals of each {' and '.join(rest)}" if rest else "the total"


def _number(text: str) -> Decimal:
    try:
        return Decimal(text.replace(",", "."))
    except InvalidOperation:  # pragma: no cover - the pattern allows numbers alone
        return Decimal(0)


def name_column(name: str, others: Sequence[str]) -> str | None:
    """Return the column that one such as "female %" holds the shares of; None if it is none of the others.

    >>> name_column("female (%)", ["female", "male"]), name_column("% male", ["female", "male"])
    ('female', 'male')
    """
    for match in (
        SUFFIX.fullmatch(name),
        re.fullmatch(r"(?:%|pct|percent)[ _]*(?:of )?(?P<of>.+)", name, re.IGNORECASE),
    ):
        if match is not None and match["of"] in others:
            return match["of"]
    return None
