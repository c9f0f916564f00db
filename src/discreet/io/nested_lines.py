"""Lines that may count people of other lines: signs of nested and cumulative tables, and what would follow.

A table whose values exclude each other reveals less than one whose lines are parts of each other, since then each
difference is a count. Where only the counts or the order of lines say so, a doubt matters if that reveals few people.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from discreet.data.counts import Cell, Dimension, Table
from discreet.data.reading import Doubt
from discreet.errors import Message
from discreet.io.bands import list_bands
from discreet.io.differences import Difference, Slice, adds_up, is_exact, leave_out, merge, subtract, tell

Relation: TypeAlias = tuple[str, tuple[str, ...]]  # a value, and parts of it that exclude each other

CUMULATIVE: Final = re.compile(
    r"cumul\w*|(?<![a-z])cum\.?(?![a-z])|running total|kumul\w*|(?<![a-z])steps?(?![a-z])|attrition"
    r"|(?<![a-z])(?:as of|to date|so far)(?![a-z])",
    re.IGNORECASE,
)  # names of attributes or of counts
AT_RISK: Final = re.compile(
    r"(?<![a-z])(?:(not?[ _])?at[ _]|n(?:umber|o)?[ ._])risk(?![a-z])", re.IGNORECASE
)  # names of counts
PART: Final = re.compile(
    r"(?<![a-z])(?:(?:of|among) (?:which|whom|th[eo]se|them)|thereof|davon|darunter|dont)(?![a-z])|^incl(?:uding|\.)",
    re.IGNORECASE,
)
AT_LEAST: Final = re.compile(
    r"at least|or more|≥|>=|up to|at most|or (?:less|fewer)|^(?:any|ever)(?! other)(?= )", re.IGNORECASE
)
WHOLE: Final = re.compile(
    r"n(?: ?=.*)?|(?:study )?(?:population|sample|cohort)|participants|respondents|all (?!others?(?![a-z]))[a-z ]+",
    re.IGNORECASE,
)
FLOW: Final = re.compile(
    r"(?<!not )(?<!not yet )(?<!never )(?<!non-)(?<![a-z])(?:screened|eligible|enroll?ed|randomi[sz]ed|recruited"
    r"|consented|follow(?:ed)?[ -]up|analy[sz]ed|invited|approached|assessed|included|attended|completed)(?![a-z])",
    re.IGNORECASE,
)  # of people in a study, of which each is among those before
NOBODY: Final = re.compile(r"(?:none|no|never|not|0|zero)(?![a-z]).*", re.IGNORECASE)
JOINER: Final = re.compile(r"\s*[&+/,;|]\s*|\s+(?:and|with|und|mit|et|y|plus|\w)\s+", re.IGNORECASE)
LIST: Final = re.compile(r"[\[\](){}'\"]")  # marks of a list of labels
EDGE: Final = re.compile(r"[\W_]+")
BLANKS: Final = re.compile(r"\s+")
NOT: Final = re.compile(r"(?<![a-z])(?:no|non|not|never|without|ex|former|previous|other)(?![a-z])", re.IGNORECASE)
ALONE: Final = re.compile(r"(?<![a-z])(?:only|alone|just|left|right)(?![a-z])", re.IGNORECASE)
SYMBOL: Final = re.compile(r"[A-Z]{1,3}\d[A-Z\d.]*")  # as E11.9, A10BA or DE11
CODE: Final = re.compile(r"([A-Z]{1,3}\d[A-Z\d.-]*|\d+(?:\.\d+)*\.?)[ :]+\D.*")  # before a name
CHANGE: Final = re.compile(r"(?<=[A-Z])(?=\d)|(?<=\d)(?=[A-Z])")  # from letters to digits
ORDERED: Final = re.compile(
    r"#(?:\.0+)?|#(?:[-/. ]#){1,2}(?:[T ]#:#.*)?|(?:[a-z]+[ _-]){1,2}#|[qwdtmv]#(?:[-/ ]#)?|#[ -]?[qw]#"
    r"|#[ -]?(?:d|w|m|y|mo|days?|weeks?|months?|years?)",
    re.IGNORECASE,
)
DIGIT: Final = re.compile(r"\d")
ORDINAL: Final = re.compile(r"(?<=\d)(?:st|nd|rd|th)(?![a-z])", re.IGNORECASE)
MONTH: Final = re.compile(r"(?<![a-z])(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?", re.IGNORECASE)
MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
FEWEST: Final = 3  # dates or numbers in order whose counts only rise or only fall
LONG: Final = 5  # the same where counts beside them do not
MOST_DAYS: Final = 31  # of a month
MOST_ADDED: Final = 40  # lines that are added up


class Nested(NamedTuple):
    """A sign that lines count people of others: what is seen, which lines, and whether that alone is enough.

    If it is not about all slices of a table, these are those.
    """

    what: str
    relations: tuple[Relation, ...] = ()
    is_certain: bool = False
    slices: Sequence[Slice] = ()


def find_nested(table: Table, indents: Mapping[int, int], headers: Sequence[str]) -> Iterator[Message]:
    """Yield a doubt for each sign that lines of a table count people of others, with the smallest count that follows.

    >>> dates = ("2020-01-01", "2020-01-08", "2020-01-15")
    >>> cells = [Cell((date,), many, many) for date, many in zip(dates, (100, 103, 150), strict=True)]
    >>> print(*find_nested(Table("", (Dimension("date", dates),), tuple(cells)), {}, ()))
    counts only rise or only fall along date: if lines count the same people, 103 − 100 = 3 people follow; if \
they exclude each other, list their total too, and if they do not, publish lines that do
    """
    ordered = [at for at, one in enumerate(table.dimensions) if _put_in_order(one.values)[1]]
    first = next(iter(ordered), 0)  # what names of counts are about
    every = [(table, at, at) for at in range(len(table.dimensions))]
    every += [(merged, at, own) for _, at, _ in every for merged, (own,) in [merge(table, at)] if merged is not table]
    for one, at, own in every:
        dimension, slices = one.dimensions[own], one.slice_by(own)
        if dimension.overlapping or adds_up(slices):
            continue
        signs = (sign(dimension, slices, indents if not at else {}, headers if at == first else ()) for sign in SIGNS)
        yield from _say([found for found in signs if found is not None], dimension, slices)


def _say(signs: Sequence[Nested], dimension: Dimension, slices: Sequence[Slice]) -> Iterator[Message]:
    """Yield the doubt that signs give together, if they are not settled by a hierarchy, and reveal or say anything."""
    seen, every, is_certain = list[str](), list[Difference](), False
    for found in signs:
        relations = [one for one in found.relations if not one[1] or not _are_below(one, dimension)]
        follows = [one for each in found.slices or slices for relation in relations for one in _reveal(relation, each)]
        if follows or (found.is_certain and (relations or not found.relations)):
            seen.append(found.what)
            every += follows
            is_certain |= found.is_certain
    if seen:
        least = min(every, default=None)
        nested = f"if lines count the same people, {tell(least)}" if least else "lines may count the same people"
        advice = "if they exclude each other, list their total too, and if they do not, publish lines that do"
        yield Doubt(
            f"{' and '.join(seen)}: {nested}; {advice}", least=0 if is_certain or least is None else least.least
        )


def _are_below(relation: Relation, dimension: Dimension) -> bool:
    return all(_is_below(part, relation[0], dimension) for part in relation[1])


def _is_below(value: str, parent: str, dimension: Dimension) -> bool:
    """Return whether a hierarchy says that a value is a part of another."""
    above = dimension.parents.get(value)
    return above is not None and (above == parent or _is_below(above, parent, dimension))


def _reveal(relation: Relation, cells: Slice) -> Iterator[Difference]:
    """Yield what follows if a line counts the people of others: the rest without them, and each part that is small."""
    whole, parts = cells.get(relation[0]), [cells[one] for one in relation[1] if one in cells]
    shown = [one for one in parts if is_exact(one)]
    if whole is None or not is_exact(whole) or not shown:
        return
    rest = whole.low - sum(one.low for one in shown)
    if rest < 0:  # they do not exclude each other
        yield from (subtract(whole, one) for one in shown if whole.low > one.low)
    elif rest:
        yield subtract(whole, *shown)
    elif len(parts) > 1:  # a small count would follow again once it is masked
        yield from leave_out(whole.low, shown)


# Signs


def _find_bands(dimension: Dimension, *_: object) -> Nested | None:
    """Return bands that hold or overlap others, such as <20 beside 10-19."""
    relations = list_bands(dimension.values)
    if not relations:
        return None
    return Nested(f"values of {dimension.name} overlap", tuple(relations), is_certain=True)


def _find_indents(
    dimension: Dimension, slices: Sequence[Slice], indents: Mapping[int, int], *_: object
) -> Nested | None:
    """Return lines that are indented below others."""
    depths = {
        value: indents.get(cell.place.line, 0) for one in slices for value, cell in one.items() if value and cell.place
    }
    above, parts = list[str](), dict[str, list[str]]()
    for value in dimension.values:
        while above and depths.get(above[-1], 0) >= depths.get(value, 0):
            above.pop()
        if above:
            parts.setdefault(above[-1], []).append(value)
        above.append(value)
    relations = tuple((whole, tuple(some)) for whole, some in parts.items())
    return Nested(f"lines of {dimension.name} are indented", relations, is_certain=True) if relations else None


def _find_words(dimension: Dimension, slices: Sequence[Slice], _: object, headers: Sequence[str]) -> Nested | None:
    """Return words that say that lines count people of others: in names of columns, or in values."""
    risks = [match for match in map(AT_RISK.search, headers) if match]
    said = [match for match in map(CUMULATIVE.search, (dimension.name, *dimension.values, *headers)) if match]
    flow = [match for match in map(FLOW.search, dimension.values) if match]
    known = [*said, *risks * (not any(match[1] for match in risks)), *flow * (len(flow) > 1)]
    if found := next(iter(known), None):
        return Nested(f"the table says {found[0].strip()!r}", _chain(dimension.values, slices), is_certain=True)
    for at, value in enumerate(dimension.values):
        others = dimension.values[:at] + dimension.values[at + 1 :]
        if WHOLE.fullmatch(value) and len(others) > 1:
            relations = tuple((value, (other,)) for other in others)
            return Nested(f"a value of {dimension.name} says {value!r}", relations, is_certain=True)
        if match := PART.search(value):
            before = next((one for one in reversed(dimension.values[:at]) if not PART.search(one)), None)
            relations = ((before, (value,)),) if before else ()
            return Nested(f"a value of {dimension.name} says {match[0]!r}", relations, is_certain=True)
        match = AT_LEAST.search(value)
        if match and not any(map(str.isdigit, value)) and not any(map(NOBODY.fullmatch, dimension.values)):
            return Nested(
                f"a value of {dimension.name} says {match[0]!r}", _chain(dimension.values, slices), is_certain=True
            )
    return None


def _find_order(dimension: Dimension, slices: Sequence[Slice], *_: object) -> Nested | None:
    """Return lines whose counts only rise or only fall along dates or numbers, more often than by chance."""
    values, fewest = _put_in_order(dimension.values)
    if dimension.parents or not values:
        return None
    steps = [_list_steps(values, one) for one in slices]
    every = [step for one in steps for step in one]
    if not every or min(every) < 0 < max(every):  # not everywhere; then longer ones are looked at alone
        slices = [
            one for one, own in zip(slices, steps, strict=True) if len(own) >= LONG and not min(own) < 0 < max(own)
        ]
        fewest = LONG
    if max((len(_list_steps(values, one)) + 1 for one in slices), default=0) < fewest:
        return None
    return Nested(f"counts only rise or only fall along {dimension.name}", _chain(values, slices), slices=slices)


def _list_steps(values: Sequence[str], cells: Slice) -> list[int]:
    """Return by how much counts that are shown rise from one to the next."""
    shown = [cells[value].low for value in values if value in cells and is_exact(cells[value])]
    return [later - one for one, later in pairwise(shown)]


def _put_in_order(values: Sequence[str]) -> tuple[list[str], int]:
    """Return dates or numbers in order, and how many of them are no chance if their counts rise; nothing for others.

    A few words beside them, such as unknown, are left out.

    >>> _put_in_order(["2020-02", "2020-01"]), _put_in_order(["week 1", "week 2"]), _put_in_order(["b", "a"])
    ((['2020-01', '2020-02'], 3), (['week 1', 'week 2'], 3), ([], 0))
    >>> _put_in_order(["0", "12"])  # as in tables of numbers at risk
    (['0', '12'], 2)
    """
    every = [MONTH.sub(lambda match: f"{MONTHS.index(match[1].lower()) + 1}", value) for value in values]
    dated = [(ORDINAL.sub("", text), value) for text, value in zip(every, values, strict=True) if DIGIT.search(text)]
    if 2 * len(dated) <= len(values):
        return [], 0
    texts, values = zip(*dated, strict=True)  # without words such as unknown
    shapes = {re.sub(r"\d+", "#", text) for text in texts}
    if len(shapes) != 1 or not all(map(ORDERED.fullmatch, shapes)):
        return [], 0
    numbers = [tuple(map(int, re.findall(r"\d{1,15}", text))) for text in texts]
    is_year_last = numbers[0][-1] > MOST_DAYS >= numbers[0][0]
    order = dict(sorted(zip((one[::-1] if is_year_last else one for one in numbers), values, strict=True)))
    first = [one[0] for one in order][:2]
    is_follow_up = len(numbers[0]) == 1 and first[0] == 0 and first[-1] > 1
    return list(order.values()), 2 if is_follow_up else FEWEST


def _find_prefixes(dimension: Dimension, *_: object) -> Nested | None:
    """Return values that begin with others, such as E11 and E11.0, or that join others, such as a and b beside a."""
    known = {value.casefold(): value for value in dimension.values}
    codes = {match[1]: value for value in dimension.values if (match := CODE.fullmatch(value))}
    parts, relations = dict[str, list[str]](), list[Relation]()
    for value in dimension.values:
        joined = [one.casefold() for one in JOINER.split(LIST.sub("", value)) if one]
        head = next((one for one in _list_wholes(value) if one.casefold() in known), None)
        code = CODE.fullmatch(value)
        above = next((one for one in _list_wholes(code[1]) if one in codes), None) if code else None
        if len(joined) > 1 and {*joined} <= known.keys():
            relations += [(known[one], (value,)) for one in joined]
        elif head is not None and not _are_numbers(head, value):
            parts.setdefault(known[head.casefold()], []).append(value)
        elif above is not None:
            parts.setdefault(codes[above], []).append(value)
        elif value.casefold() == "both" and not any(map(ALONE.search, dimension.values)):
            relations += [(one, (value,)) for one in dimension.values if one != value]
    relations += [(whole, tuple(some)) for whole, some in parts.items()]
    return Nested(f"values of {dimension.name} are made of others", tuple(relations)) if relations else None


def _list_wholes(value: str) -> list[str]:
    """Return what a value or a code begins with, the longest first, and what it ends with.

    >>> _list_wholes("E11.9"), _list_wholes("A10BA"), _list_wholes("W10"), _list_wholes("severe asthma")
    (['E11', 'E'], ['A10', 'A'], ['W'], ['severe', 'asthma'])
    """
    edges = {edge.start() for edge in EDGE.finditer(value)}
    if SYMBOL.fullmatch(value):
        edges |= {edge.start() for edge in CHANGE.finditer(value)}
    ends = [value[edge.end() :] for edge in BLANKS.finditer(value) if not NOT.search(value[: edge.start()])]
    return [one for one in (*(value[:edge] for edge in sorted(edges, reverse=True)), *ends) if one]


def _are_numbers(*texts: str) -> bool:
    return all(re.fullmatch(r"[\d.,]+(?: ?[-–] ?[\d.,]+)?", text) for text in texts)


def _find_sums(dimension: Dimension, slices: Sequence[Slice], *_: object) -> Nested | None:
    """Return lines that are the sums of those right below or right above them, more than once."""
    for values in (dimension.values, dimension.values[::-1]):
        found, evidence = list[Relation](), 0
        for at, value in enumerate(values):
            runs = [_count_run(map(one.get, values[at : at + MOST_ADDED])) for one in slices if value in one]
            length = max((one for one in runs if one is not None), default=0)
            if 1 < length < len(values) - 1 and all(one in {None, length} for one in runs):
                found.append((value, tuple(values[at + 1 : at + 1 + length])))
                evidence += runs.count(length)
        covered = {one for whole, parts in found for one in (whole, *parts)}
        if evidence > 1 and 2 * len(covered) >= len(values):  # fewer are so by chance
            rest = (*found, *_list_runs([one for one in values if one not in covered]))
            return Nested(f"lines of {dimension.name} are sums of lines beside them", rest)
    return None


def _list_runs(values: Sequence[str]) -> Iterator[Relation]:
    """Yield what the lines that no sum covers are like, as one of them is masked: a sum and its parts."""
    if len(values) > 2:  # noqa: PLR2004 - a sum and two parts
        yield values[0], tuple(values[1:])


def _count_run(cells: Iterator[Cell | None]) -> int | None:
    """Return how many cells after the first add up to it; None if one of them is 0 or unknown, 0 if none add up."""
    whole, total = next(cells), 0
    if whole is None or not is_exact(whole) or not whole.low:
        return None
    for length, one in enumerate(cells, start=1):
        if one is None or not is_exact(one) or not one.low:
            return None
        total += one.low
        if total >= whole.low:
            return length if total == whole.low else 0
    return 0


def _chain(values: Sequence[str], slices: Sequence[Slice]) -> tuple[Relation, ...]:
    """Return each value beside the next whose count is shown, the larger one first."""
    found = dict[Relation, None]()
    for one in slices:
        shown = [(one[value].low, value) for value in values if value in one and is_exact(one[value])]
        for (low, value), (high, other) in pairwise(shown):
            whole, part = (value, other) if low > high else (other, value)
            found[whole, (part,)] = None
    return tuple(found)


SIGNS: Final[Sequence[Callable[[Dimension, Sequence[Slice], Mapping[int, int], Sequence[str]], Nested | None]]] = (
    _find_bands,
    _find_indents,
    _find_words,
    _find_order,
    _find_prefixes,
    _find_sums,
)
"""Signs that lines of one attribute count people of others."""
