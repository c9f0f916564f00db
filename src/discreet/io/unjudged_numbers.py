"""Numbers that were not judged: columns of numbers or marks that a table takes for attributes.

An attribute is a key: it tells lines apart that agree in all others, and its values come again with other keys, or are
dates or steps in order. A number beside them is more likely a second count, a percentage or a rate.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, combinations, pairwise
from math import inf
from typing import Final, NamedTuple

from discreet.data.counts import UNKNOWN, Coordinates, Place, State, Table
from discreet.io.bands import list_bands, read_band
from discreet.io.marks import looks_counted

NUMBER: Final = re.compile(
    r"(?:n ?= ?)?[~+−-]? ?\d[\d,.]*(?: \d{3})*(?:e[+-]?\d{1,3})?\s?[%‰]?(?:\s?[(\[±].*)?"
    r"|\d+ ?(?:/|(?:out )?of) ?\d+\b.*",
    re.IGNORECASE,
)
CODE: Final = re.compile(r"0\d.*|\d{1,4}([./-])\d{1,2}\1\d{1,4}(?!\d).*")  # or a date: no count is written so
WHO: Final = (
    "patients?|pts?|people|persons?|individuals?|subjects?|participants?|cases?|events?|deaths?|died|dead|men|women"
    "|children"
)
SAID: Final = re.compile(rf"\d[\d,]*(?: ?[*†‡§¶#¹²³⁴-⁹]+| ?[,;|].*%.*| (?:{WHO})\b.*)", re.IGNORECASE)
"""A count with a footnote, a share or who is counted."""
DIGIT: Final = re.compile(r"\d")
WHOLE: Final = re.compile(r"(\d{1,15})(?:\.0+)?")
YEAR: Final = re.compile(r"((?:19|20)\d\d)(?:\.0+|/(?:19|20)?(\d\d))?")  # or two, as of budgets and of schools
DATE: Final = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])?")
MOST_KEYS: Final = 3  # columns of numbers that are keys together
LONE: Final = 5  # numbers with gaps that are a key if they rise
LED: Final = re.compile(
    r"\W*(?:(?:ca|about|approx|around|circa)\b\W*|[a-z ]{1,20}[:=] ?)?\d(?!\d*-[a-z])", re.IGNORECASE
)
WHEN: Final = re.compile(r"(?:\b|\d)(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\d\d:\d\d\b", re.IGNORECASE)
FEWEST: Final = 3  # numbers of lines that are no chance
STATED: Final = re.compile(
    rf"(?<![^\W_])n ?[=:] ?\d[\d,]*|[(\[] ?\d[\d,]* (?:{WHO})\b"
    r"|[(\[] ?(?!(?:19|20)\d\d/)\d[\d,]* ?(?:/|of|out of) ?\d+(?![\d/])",
    re.IGNORECASE,
)  # a count in a label
REMARK: Final = re.compile(
    rf"{STATED.pattern}"
    rf"|(?<![\w.,<≥])(?<!than )(?<!below )(?<!under )(?<!least )\d[\d,]* (?:of \w+ )?(?:\w+ )?(?:{WHO})\b",
    re.IGNORECASE,
)  # the same in text around a table
NOTE: Final = re.compile(
    r"(?:foot)?(?:note|source|remark|comment|legend|abbreviation|quelle|anmerkung|hinweis)s?\b.*|[*†‡§¹²³]+ ?\w.*",
    re.IGNORECASE,
)


class _Columns(NamedTuple):
    """The attributes of a table as columns, and which of them are keys already."""

    columns: list[list[str | None]]
    keys: list[int]

    def pick(self, at: Sequence[int]) -> list[Coordinates]:
        """Return the lines, with some columns only."""
        return list(zip(*(self.columns[one] for one in at), strict=True)) if at else [()] * len(self.columns[0])

    def tell_apart(self, at: Sequence[int]) -> bool:
        """Return whether no two lines agree in some columns."""
        lines = self.pick(at)
        return len({*lines}) == len(lines)


def find_numbers(table: Table, named: Collection[str] = ()) -> list[str]:
    """Return the attributes of numbers or marks that are no keys; those that the owner has ``named`` are.

    >>> from discreet.data.counts import Cell, Dimension, Place
    >>> cells = Cell(("A", "3"), 60, 60, place=Place(2, 2)), Cell(("B", "4"), 70, 70, place=Place(3, 2))
    >>> find_numbers(Table("", (Dimension("dept", ("A", "B")), Dimension("HIV", ("3", "4"))), cells))
    ['HIV']
    """
    lines = {cell.place.line: cell.at for cell in table.cells if cell.place is not None}
    cells = [(cell.place.line, cell.at) for cell in table.cells if cell.place is not None]
    labels = [at for at in range(len(table.names)) if all(lines[line][at] == values[at] for line, values in cells)]
    if not lines or not labels:
        return []  # what differs within a line is a header
    columns = [[values[at] for values in lines.values()] for at in labels]
    names = [table.names[at] for at in labels]
    numbers = [
        at for at, name in enumerate(names) if name not in named and _holds_numbers(columns[at], len(table.names))
    ]
    known = _Columns(columns, [at for at in range(len(columns)) if at not in numbers])
    chosen = _choose_keys(known, numbers)
    keys = (*known.keys, *chosen)
    rest = [at for at in numbers if at not in chosen and not _is_index(columns[at])]
    rest += [
        at for at in known.keys if names[at] not in named and _holds_some(known, at, chosen, is_named=bool(names[at]))
    ]
    return [
        names[at] for at in sorted(rest) if not any(_is_code(columns[at], columns[key]) for key in keys if key != at)
    ]


def find_stated(table: Table, texts: Iterable[str]) -> list[str]:
    """Return the counts that labels of a table or ``texts`` state, such as n=63: they stay where counts are masked.

    >>> from discreet.data.counts import Dimension
    >>> find_stated(Table("", (Dimension("arm", ("A (N=63)", "B (N = 40)", "2019/20")),), ()), ["died [3/63]"])
    ['N=63', 'N = 40', '[3/63']
    """
    labels = chain.from_iterable((one.name, *one.values) for one in table.dimensions)
    return list(dict.fromkeys(match[0] for text in (*labels, *texts) for match in STATED.finditer(text)))


def find_notes(table: Table) -> list[Place]:
    """Return where lines without a count hold one text alone, which no other line has: it may be a note.

    >>> from discreet.data.counts import Cell, Dimension, State
    >>> note = Cell(("Note: 3 died",), 0, UNKNOWN, State.MASKED, Place(3, 2))
    >>> find_notes(Table("", (Dimension("sex", ("f", "Note: 3 died")),), (Cell(("f",), 60, 60), note)))
    [Place(line=3, column=2)]
    """
    often = Counter(one for cell in table.cells for one in enumerate(cell.at) if one[1])
    found = list[Place]()
    for cell in table.cells:
        own = [one for one in enumerate(cell.at) if one[1]]
        if len(own) == 1 and cell.place and not cell.mark and cell.state is State.MASKED and cell.high == UNKNOWN:
            is_note = len(cell.at) > 1 or NOTE.fullmatch(own[0][1] or "") is not None
            found += [cell.place] * (is_note and often[own[0]] == 1)
    return found


def _holds_some(known: _Columns, at: int, chosen: Sequence[int], *, is_named: bool) -> bool:
    """Return whether a column of texts tells no lines apart that agree in all keys, and may hold numbers among them.

    Some are numbers, most begin with one, or there are gaps. With a name, values that come again are an attribute's.
    """
    often = Counter(text for text in known.columns[at] if text is not None)
    others = [key for key in (*known.keys, *chosen) if key != at]
    if _are_bands(often) or _are_dates(often, len(known.columns)) or not known.tell_apart(others):
        return False
    if is_named and 2 * sum(many > 1 for many in often.values()) > len(often):
        return False
    is_led = 2 * sum(many for text, many in often.items() if _begins_with_number(text)) > often.total()
    has_numbers = any(SAID.fullmatch(text) or (DIGIT.search(text) and _is_number(text)) for text in often)
    lines = zip(known.columns[at], known.pick(others), strict=True)
    return is_led or has_numbers or any(not text and any(key) for text, key in lines)


def _holds_numbers(column: Sequence[str | None], width: int) -> bool:
    """Return whether most fields of a column are numbers or marks, and they are no dates."""
    often = Counter(text for text in column if text is not None)
    numbers = sum(many for text, many in often.items() if _is_number(text))
    return 2 * numbers > often.total() and not _are_dates(often, width)


def _is_number(text: str) -> bool:
    return not CODE.fullmatch(text) and (looks_counted(text) or NUMBER.fullmatch(text) is not None)


def _begins_with_number(text: str) -> bool:
    """Return whether a text begins with a number, perhaps after signs and words, and is no date and no time.

    >>> [_begins_with_number(text) for text in ("5 per 1000", "≈ 5", "(3)", "died: 3", "½", "E11", "1 May 2020")]
    [True, True, True, True, True, False, False]
    """
    plain = unicodedata.normalize("NFKC", text)
    return LED.match(plain) is not None and not CODE.fullmatch(plain) and not WHEN.search(plain)


def _are_bands(often: Mapping[str, int]) -> bool:
    """Return whether texts are bands that do not overlap, each once, as of ages; there may be single numbers."""
    bands = [band for band in map(read_band, often) if band is not None]
    is_closed = any(-inf < band.low < band.high < inf for band in bands)
    is_wide = any(band.low < band.high for band in bands) and not any("." in text for text in often)
    return (is_closed or is_wide) and len(bands) == len(often) and max(often.values()) == 1 and not list_bands([*often])


def _are_dates(often: Mapping[str, int], width: int) -> bool:
    """Return whether numbers are dates: years that come one after the other or again, or days and months of years."""
    numbers = [text for text in often if _is_number(text)]
    if numbers and all(map(DATE.fullmatch, numbers)):
        return True
    years = [int(match[1]) for match in map(YEAR.fullmatch, numbers) if match and _is_next(match)]
    if not years or len(years) < len(numbers):
        return False
    has_no_gap = len(years) > 1 and max(years) - min(years) < len(years)
    return width == 1 or has_no_gap or min(often.values()) > 1


def _is_next(years: re.Match[str]) -> bool:
    """Return whether the second of two years follows the first, if there is one.

    >>> [_is_next(match) for match in map(YEAR.fullmatch, ("2019", "2019/20", "1999/2000", "2019/60")) if match]
    [True, True, True, False]
    """
    return years[2] is None or (int(years[1]) + 1 - int(years[2])) % 100 == 0


def _choose_keys(known: _Columns, numbers: Sequence[int]) -> Sequence[int]:
    """Return the fewest columns of numbers that vary as keys do and tell lines apart that agree in all other keys.

    If none do, each is a key that varies beside all other columns.
    """
    if not numbers or known.tell_apart(known.keys):
        return ()
    for many in range(1, min(len(numbers), MOST_KEYS) + 1):
        for some in combinations(numbers, many):
            every = [*known.keys, *some]
            if known.tell_apart(every) and all(_varies(known, at, every) for at in some):
                return some
    return [at for at in numbers if _varies(known, at, range(len(known.columns)))]


def _varies(known: _Columns, at: int, keys: Sequence[int]) -> bool:
    """Return whether numbers come again with other values of the other keys; without any, whether they are in order."""
    column, slices = known.columns[at], known.pick([key for key in keys if key != at])
    filled = dict.fromkeys((text, other) for text, other in zip(column, slices, strict=True) if text is not None)
    values = Counter(text for text, _ in filled)
    numbers = [text for text in values if _is_number(text)]
    if any(not NUMBER.fullmatch(text) for text in numbers):
        return False
    if len({other for _, other in filled}) > 1:
        return 2 * sum(many > 1 for many in values.values()) >= len(values)
    whole = [int(match[1]) for match in map(WHOLE.fullmatch, numbers) if match]
    return len(whole) == len(numbers) and _is_in_order(whole)


def _is_in_order(numbers: Sequence[int]) -> bool:
    """Return whether numbers are steps of equal length, or rise or fall over many lines.

    >>> _is_in_order([2, 1]), _is_in_order([0, 12, 24]), _is_in_order([3, 7]), _is_in_order([18, 19, 21, 25, 26])
    (True, True, False, True)
    """
    steps = {later - one for one, later in pairwise(sorted(numbers))}
    if len(numbers) > 2:  # noqa: PLR2004 - two numbers have one step
        return len(steps) == 1 or (len(numbers) >= LONE and [*numbers] in (sorted(numbers), sorted(numbers)[::-1]))
    return steps <= {1} or 0 in numbers


def _is_index(numbers: Sequence[str | None]) -> bool:
    """Return whether numbers are those of lines, from 0 or 1 on; totals may have none.

    >>> _is_index(["1", "2", "3", None]), _is_index(["3", "4", "5"])
    (True, False)
    """
    filled = [text for text in numbers if text is not None]
    lines = range(len(filled))
    return len(lines) >= FEWEST and filled in ([str(at) for at in lines], [str(at + 1) for at in lines])


def _is_code(numbers: Sequence[str | None], key: Sequence[str | None]) -> bool:
    """Return whether numbers stand for the values of a key, one to one, wherever these come again."""
    pairs = {*zip(key, numbers, strict=True)}
    often = Counter(key)
    is_known = min(often.values()) > (1 if len(often) > 1 else 2)
    return is_known and len(pairs) == len(often) == len({*numbers})
