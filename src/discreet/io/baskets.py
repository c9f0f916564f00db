"""Baskets: whether lines are rows of items, or another table; messages show counts of lines, never their values."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from discreet.data.itemsets import Label
from discreet.errors import Choice, InputError, Option, UnclearError
from discreet.io import counts

LabelRows: TypeAlias = Sequence[Sequence[Label]]
SEEN: Final = 4096  # the first lines, which are inspected
FEW: Final = 10  # fewer lines may be alike by chance
MOST_LINES: Final = 30  # of one person, on average
AROUND: Final = 3  # the most lines of titles, comments and totals around a table
SEPARATORS: Final = {";": "';'", "\t": "a tab", "|": "'|'", ",": "','"}  # and their names in messages
BITS: Final = frozenset({"0", "1", "0.0", "1.0", "true", "false"})  # the values of a one-hot table, in lower case
ROW_ID: Final = re.compile(
    r"(?i)(?:^|[\W_])(?:ids?|rows?|tid|transactions?|baskets?|orders?|invoices?|receipts?|patients?|persons?|customers?|"
    r"clients?|users?|members?|sessions?|cases?|visits?|encounters?)(?:$|[\W_])|.id$|(?-i:[a-z]No$)"
)  # names of columns of row ids
HEADING: Final = re.compile(
    r"(?i)(?:\w+[ _-])?(?:id|tid|nr|no)|items?(?: ?set|\(s\))?|transactions?|baskets?|orders?|invoices?|patients?|"
    r"persons?|customers?|products?|articles?|diagnos[ie]s|codes?|(?:item|product|article|col|column|v|x)[ _.]?\d+"
)  # a label that names a column rather than an item
LONG: Final = Choice("columns of row ids and of items, named in a header", (Option("row"), Option("item")))
BRACKETS: Final = frozenset({"{}", "[]", "()"})
HOLD_IDS: Final = "hold what looks like a row id among the items"
NUMBER: Final = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
BASKETS: Final = Choice("each line is a row of items", (Option("format", "baskets"),))


def check_rows(rows: LabelRows) -> None:
    """Refuse lists that are lines of a table: one-hot, yes and no, or row id and item.

    >>> check_rows([["bread", "milk"], ["milk"]])
    """
    lists = f"lists of {len(rows[0]):,} values each" if rows else ""
    if is_onehot(rows) or is_onehot_with_ids(rows):
        advice = "give Transactions.from_onehot(numpy.array(rows)) without ids, or sets if 0 and 1 are items"
        raise InputError(f"the rows are {lists}, which are 0 or 1 as in a one-hot table; {advice}")
    if len(rows) >= FEW and (_is_yes_or_no(rows) or (_width(rows) > 1 and 4 * _count_repeats(rows) >= len(rows))):
        advice = "make items of them, such as 'smoker=yes', or give sets if the values are items"
        raise InputError(f"the rows are {lists} that repeat values, as in a table; {advice}")
    if has_ids(rows) or (_width(rows) == 2 and has_ids([row[::-1] for row in rows])):  # noqa: PLR2004 - an item, an id
        advice = "give a frame of them to read(frame, row=, item=), or sets if the ids are items"
        raise InputError(f"the {len(rows):,} rows are lists that begin or end with what looks like row ids; {advice}")
    if hold_ids(rows):
        raise InputError(f"the {len(rows):,} rows are lists that {HOLD_IDS}; leave it out, or give sets if it is one")


class Doubt(NamedTuple):
    """Why lines are hardly baskets, and what else may be meant."""

    reason: str
    choices: tuple[Choice, ...] = ()
    has_ids: bool = False


def find_doubts(lines: Sequence[Sequence[str]]) -> Iterator[Doubt]:
    """Yield reasons why lines of a CSV file are hardly baskets.

    >>> [doubt.reason for doubt in find_doubts([["tea;milk"], ["milk;rye"]])]
    ["2 of 2 lines have ';' in their only field: take the quotes out"]
    >>> list(find_doubts([["bread", "milk"], ["milk"]]))
    []
    """
    filled = [line for line in lines if any(line)]
    yield from _find_lists(filled)
    yield from _find_tables(_cut_frame(filled))
    yield from _find_stray_line(filled)


def refuse(doubts: Iterable[Doubt]) -> None:
    """Refuse lines of which there are doubts."""
    for doubt in doubts:
        raise UnclearError(doubt.reason, (*doubt.choices, BASKETS))


def find_blanks(texts: Collection[str]) -> Iterator[Doubt]:
    """Yield that labels are blank or differ only in blanks around them, if so."""
    alike = len(texts) - len({*map(str.strip, texts)} - {""})
    if alike:
        reason = f"{alike:,} of {len(texts):,} labels are blank, or differ from others only in blanks around them"
        yield Doubt(f"{reason}: take the blanks out")


def check_pairs(ids: Sequence[object], labels: Sequence[Label]) -> None:
    """Refuse labels that are lists of items, in brackets or of common parts, if each is the only one of its row.

    >>> check_pairs(range(12), ["tea", "milk, whole", "rye"] * 4)
    """
    if len({*ids}) == len(labels) and are_lists(labels):
        raise InputError("each row id has one line, and most items look like lists of items; write one line per item")


def are_lists(labels: Sequence[Label], *, alone: bool = False) -> bool:
    """Return whether many labels are lists of items, in brackets or of common parts; ``alone``, of any parts.

    >>> are_lists(["tea, milk", "milk, rye", "rye, tea"] * 4), are_lists(["tea", "milk, whole", "rye"] * 4)
    (True, False)
    """
    texts = Counter(label for label in labels if isinstance(label, str)) if len(labels) >= FEW else Counter()
    bracketed = sum(many for text, many in texts.items() if text[:1] + text[-1:] in BRACKETS)
    if 2 * bracketed > len(labels):
        return True
    signs = [sign for sign in ",;|" if 2 * sum(many for text, many in texts.items() if sign in text) > len(labels)]
    if not signs or alone:
        return bool(signs) and not all(map(_is_number, texts))
    parts = Counter(part.strip() for text in texts for part in text.split(signs[0]))
    return 2 * sum(many > 1 for many in parts.values()) > len(parts)


def is_onehot(lines: LabelRows, *, least: int = 2) -> bool:
    """Return whether at least ``least`` lines are a one-hot table: equally long, of 0 and 1 alone, and not all alike.

    >>> is_onehot([[0, 1], [1, 1]]), is_onehot([[0, 1], [0, 1]]), is_onehot([[0, 1], [1]])
    (True, False, False)
    """
    width, values = _width(lines), {value for line in lines for value in line}
    if width <= 1 or len(lines) < least or not all(str(value).casefold() in BITS for value in values):
        return False
    # A row repeats no item, so rows that are all [0, 1] may be meant.
    return len(set(lines[0])) < width or any(list(line) != list(lines[0]) for line in lines)


def is_onehot_with_ids(lines: LabelRows) -> bool:
    """Return whether lines are a one-hot table after a column of row ids."""
    is_wide = _width(lines) > 2  # noqa: PLR2004 - an id and two items
    return is_wide and 2 * _count_ids(lines) > len(lines) and is_onehot([line[1:] for line in lines])


def is_one_column(lines: LabelRows) -> bool:
    """Return whether lines are a one-hot table of one item: 0 or 1 in each, perhaps below a header.

    >>> is_one_column([["tea"], ["1"], ["0"]]), is_one_column([["tea"], ["rye"], ["tea"]])
    (True, False)
    """
    values = [str(line[0]).casefold() for line in lines] if _width(lines) == 1 else []
    return {*values[1:]} <= BITS and len({*values}) > 1


def is_twofold(lines: LabelRows) -> bool:
    """Return whether equally long lines hold at most two values, such as yes and no, which some line repeats.

    >>> is_twofold([["yes", "no", "no"]]), is_twofold([["x", ""], ["", "x"]]), is_twofold([["tea", "rye"]] * 2)
    (True, True, False)
    """
    width, values = _width(lines), {value for line in lines for value in line if value != ""}
    if not 1 <= len(values) <= 2 <= width or (width == 2 and len(lines) == 1):  # noqa: PLR2004 - yes and no
        return False
    return _count_repeats(lines) > 0 or any(map(_has_gap, lines))


def has_ids(lines: LabelRows) -> bool:
    """Return whether lines begin with ids of rows or people: many, and nowhere else, while other values repeat.

    >>> has_ids([[at // 2, "tea" if at % 2 else "milk"] for at in range(20)]), has_ids([["tea", "milk"]] * 20)
    (True, False)
    """
    return (_is_keyed(lines) or _may_begin_with_people(lines)) and _is_apart(lines)


def hold_ids(lines: LabelRows) -> bool:
    """Return whether each line holds the id of a row or a person among its items: at a place, or by how it is written.

    The last items of a few lines in order may be rare by chance.

    >>> hold_ids([["tea", "milk", f"P{at // 2}"] for at in range(40)]), hold_ids([["tea", "milk"]] * 40)
    (True, False)
    """
    filled = [line for line in lines if line] if len(lines) >= 2 * FEW else []
    return any(_may_begin_with_people(moved) and _is_apart(moved) for moved in _bring_forward(filled))


def _bring_forward(lines: LabelRows) -> Iterator[LabelRows]:
    """Yield lines with another value first: the second, the last, or the one of a form that each line has once."""
    shortest = min(map(len, lines), default=0)
    for at in (1, -1)[shortest <= 1 :]:
        yield [[line[at], *line[:at], *line[at:][1:]] for line in lines]
    for form in (_spell, len):
        forms = {value: form(str(value)) for line in lines for value in line}
        times = [Counter(forms[value] for value in line) for line in lines]
        for alone in [one for one in (times[0] if times else ()) if all(found[one] == 1 for found in times)]:
            places = [[forms[value] for value in line].index(alone) for line in lines]
            yield [[line[at], *line[:at], *line[at + 1 :]] for line, at in zip(lines, places, strict=True)]


def _spell(text: str) -> str:
    """Return how a text is written: its letters and digits as one of each.

    >>> _spell("MRN-1024"), _spell("heart failure")
    ('a-9', 'a a')
    """
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", text))


def _is_apart(lines: LabelRows) -> bool:
    """Return whether the first values are in no other place, where values repeat."""
    rest = [value for line in lines for value in line[1:] if value != ""]
    return 2 * len(set(rest)) <= len(rest) and not {line[0] for line in lines} & {*rest}


def has_numbers(lines: LabelRows) -> bool:
    """Return whether lines begin with numbers that are no items: ids before text, rising ones, or counts of items.

    >>> has_numbers([[str(at), "tea"] for at in range(20)]), has_numbers([["3", "tea"], ["7", "rye"]] * 10)
    (True, False)
    """
    if len(lines) < FEW or not all(lines) or not all(_is_number(line[0]) for line in lines):
        return False
    rest = [value for line in lines for value in line[1:] if value != ""]
    if _count_ids(lines) > 1 and all(str(line[0]) == str(sum(value != "" for value in line[1:])) for line in lines):
        return True
    return _is_keyed(lines) and (not any(map(_is_number, rest)) or _has_rising_ids(lines))


def begins_with_ids(lines: LabelRows) -> bool:
    """Return whether lines begin with row ids or with numbers of items."""
    return has_ids(lines) or has_numbers(lines)


def _is_keyed(lines: LabelRows) -> bool:
    """Return whether lines begin with many values, equal ones in adjacent lines, and most lines go on."""
    if len(lines) < FEW or 2 * sum(len(line) <= 1 for line in lines) > len(lines) or not all(lines):
        return False
    many, runs = _count_ids(lines), 1 + sum(one[0] != other[0] for one, other in pairwise(lines))
    return runs == many and 2 * many >= FEW and FEW * many >= len(lines)


def _may_begin_with_people(lines: LabelRows) -> bool:
    """Return whether lines begin with many values, each of few lines; values that name their attributes are items."""
    if len(lines) < FEW or 2 * sum(len(line) <= 1 for line in lines) > len(lines) or not all(lines):
        return False
    many = _count_ids(lines)
    return many >= FEW and len(lines) <= MOST_LINES * many and not all("=" in str(line[0]) for line in lines)


def has_header(lines: Sequence[Sequence[str]]) -> bool:
    """Return whether the first line names the columns of the others: its labels appear nowhere below.

    >>> has_header([["id", "item"], ["1", "tea"]]), has_header([["tea", "milk"], ["tea", "rye"]])
    (True, False)
    """
    if names_columns(lines):
        return True
    lines_of = Counter(value for line in lines for value in {*line})
    rare = sum(all(lines_of[value] == 1 for value in line) for line in lines[1:])
    return _may_name(lines) and _width(lines) > 0 and len(lines) >= 2 * FEW and FEW * rare < len(lines)


def names_columns(lines: Sequence[Sequence[str]]) -> bool:
    """Return whether the first line holds names that only columns have: of ids, of items, of numbers below them.

    >>> names_columns([["id", "item"], ["1", "tea"]]), names_columns([["wine", "x1"], ["tea", "milk"]])
    (True, False)
    """
    if not _may_name(lines):
        return False
    head, body = lines[0], lines[1:]
    columns = [[line[at] for line in body if at < len(line) and line[at]] for at in range(len(head))]
    found = [name for name, column in zip(head, columns, strict=True) if _names_column(name, column)]
    return len(found) > 1 or any(not name[-1:].isdigit() for name in found)  # one numbered name may be an item


def _may_name(lines: Sequence[Sequence[str]]) -> bool:
    head, body = lines[0] if lines else [], lines[1:]
    names = [name for name in head if name]
    seen = {value for line in body for value in line}
    if len(head) <= 1 or not body or not all(head[1:]) or len({*names}) < len(names) or seen & {*names}:
        return False
    return not any(len(line) > len(head) for line in body) and not all(map(_is_number, names))


def _is_yes_or_no(lines: LabelRows) -> bool:
    """Return whether lines hold only two values, perhaps below a header or after ids."""
    bodies = [lines, lines[1:]]
    keyed = [body for body in bodies if 2 * _count_ids(body) > len(body) and (_width(body) > 3 or len(body) >= FEW)]  # noqa: PLR2004 - an id, and more columns than values
    return any(map(is_twofold, bodies)) or any(is_twofold([line[1:] for line in body]) for body in keyed)


def _count_repeats(lines: LabelRows) -> int:
    return sum(len({*line} - {""}) < sum(value != "" for value in line) for line in lines)


def _cut_frame(lines: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    """Return the lines of a table without titles, comments, totals, and empty last columns."""
    while lines and all(len(line) > 1 and not line[-1] for line in lines):
        lines = [line[:-1] for line in lines]
    widths = Counter(map(len, lines))
    width = max(widths, key=lambda width: widths[width], default=0)
    inner = [at for at, line in enumerate(lines) if len(line) == width and sum(map(bool, line)) > 1]
    if not inner:
        return lines
    first, last = inner[0], inner[-1] + 1
    is_small = first + len(lines) - last <= min(AROUND, len(lines) // 2)
    core = lines[first:last]
    return core if is_small and (_width(core) or first) else lines


def _find_tables(lines: Sequence[Sequence[str]]) -> Iterator[Doubt]:
    many, width = len(lines), _width(lines)
    if width > 1 and (why := counts.find_counts(list(map(str, lines[0])), lines[1:])):
        yield Doubt(why, (Choice("each column is an attribute", (Option("format", "table"),)),))
    if width and (
        is_one_column(lines) or is_onehot(lines) or is_onehot(lines[1:], least=1) or is_onehot_with_ids(lines[1:])
    ):
        choices = (Choice("each column is an item", (Option("format", "onehot"),)),)
        yield Doubt(f"the {many:,} lines hold 0 and 1, as in a one-hot table", choices)
    if is_table(lines) or has_header(lines):
        first = "; the first one looks like a header" * has_header(lines)
        reason = f"{many:,} lines have {len(lines[0]):,} fields, as in a table{first}"
        yield Doubt(reason, (Choice("each column is an attribute", (Option("format", "table"),)), LONG))
    if begins_with_ids(lines) or begins_with_ids(lines[1:]):
        ids = f"{_count_ids(lines):,} different ones in {many:,} lines"
        yield Doubt(f"the lines begin with what looks like row ids, {ids}: take these out", has_ids=True)
    elif hold_ids(lines) or hold_ids(lines[1:]):
        yield Doubt(f"the lines each {HOLD_IDS}: take it out")


def is_table(lines: LabelRows) -> bool:
    """Return whether lines are a table of attributes rather than baskets: equally long, and values keep to columns.

    >>> is_table([["f", "yes", "no"], ["m", "no", "no"]] * 10), is_table([["tea", "rye"], ["rye", "milk"]] * 10)
    (True, False)
    """
    is_wide = _width(lines) > 1 and len(lines) >= FEW
    return _is_yes_or_no(lines) or (is_wide and (_is_of_attributes(lines) or _is_of_attributes(lines[1:])))


def _find_lists(lines: Sequence[Sequence[str]]) -> Iterator[Doubt]:
    """Yield that lines are lists within one field: in quotes, or with blanks between items."""
    alone = [line[0] for line in lines if len(line) == 1]
    for sign, name in SEPARATORS.items():
        count = sum(sign in field for field in alone)
        if 2 * count > len(lines):
            yield Doubt(f"{count:,} of {len(lines):,} lines have {name} in their only field: take the quotes out")
    blank = sum(" " in field.strip() for field in alone)
    if len(alone) == len(lines) >= FEW and 2 * blank > len(lines) and not _are_names(alone):
        reason = f"no line has a comma, and {blank:,} of {len(lines):,} have blanks"
        yield Doubt(reason, (Choice("the separator is a blank", (Option("separator", " "),)),))


def _are_names(fields: Sequence[str]) -> bool:
    """Return whether fields with blanks are names of items: often repeated, and sharing few words."""
    names = {*fields}
    shared = Counter(word for name in names for word in {*name.split()})
    return FEW <= 2 * len(names) <= len(fields) and 4 * sum(many > 1 for many in shared.values()) <= len(shared)


def _is_of_attributes(lines: LabelRows) -> bool:
    """Return whether equally long lines are a table: values keep to columns or fill one, or there are gaps, repeats."""
    columns = list(zip(*lines, strict=True))
    values = [set(column) - {""} for column in columns]
    many, different = sum(map(len, values)), set().union(*values)
    if len(different) == many and max(map(len, values)) == 1:
        return False  # a column an item, with its label or nothing in it
    if all("=" in str(value) for value in different) or all(map(_rises, lines)):
        return False  # values that name their attributes are items; sorted numbers too
    keep_apart = len(different) == many and 2 * many <= sum(value != "" for line in lines for value in line)
    counts = [Counter(value for value in column if value != "") for column in columns]
    fills = any(max(count.values(), default=0) >= 0.95 * len(lines) for count in counts) and len(lines) >= 2 * FEW
    often = 2 if any(line[-1] == "" for line in lines) else 4  # padded baskets may repeat items
    decimals = [sum(_is_number(value) and not str(value).isdecimal() for value in column) for column in values]
    is_measured = 0 in decimals and any(2 * some > len(column) for some, column in zip(decimals, values, strict=True))
    return (
        keep_apart
        or fills
        or is_measured
        or FEW * sum(map(_has_gap, lines)) >= len(lines)
        or often * _count_repeats(lines) >= len(lines)
    )


def _find_stray_line(lines: Sequence[Sequence[str]]) -> Iterator[Doubt]:
    """Yield that lines are in brackets, or that the first or the last one is no basket, if so."""
    if len(lines) <= 1:
        return
    bracketed = sum(line[0][:1] + line[-1].rstrip()[-1:] in BRACKETS for line in lines)
    if 2 * bracketed > len(lines):
        yield Doubt(f"{bracketed:,} of {len(lines):,} lines stand in brackets: take the brackets out")
    first, last = lines[0][0], lines[-1][0]
    is_comment = any(first.startswith(sign) and not lines[1][0].startswith(sign) for sign in ("# ", "sep="))
    if is_comment or (HEADING.fullmatch(first) and not any(first in line for line in lines[1:])):
        yield Doubt("the first line looks like a title, a comment or a header: take it out")
    if counts.TOTAL.fullmatch(last) and not any(last in line for line in lines[:-1]):
        yield Doubt("the last line looks like a total: take it out")


def _names_column(name: str, column: Sequence[str]) -> bool:
    """Return whether a label names its column: ids, numbers, or the items of one place."""
    if any(map(HEADING.fullmatch, column)):
        return False  # labels such as x1 and x2
    if HEADING.fullmatch(name) or (ROW_ID.search(name) and all(map(re.compile(r"\d").search, column))):
        return True
    return len({*column}) > 1 and not any(sign.isdigit() for sign in name) and all(map(_is_number, column))


def _has_gap(line: Sequence[Label]) -> bool:
    return any(value == "" != after for value, after in pairwise(line))


def _is_number(value: Label) -> bool:
    return NUMBER.fullmatch(str(value)) is not None


def _rises(line: Sequence[Label]) -> bool:
    """Return whether a line is whole numbers in order, by value or as text, as in baskets of coded items."""
    values = [str(value) for value in line if value != ""]
    orders = (sorted({*values}, key=lambda text: (len(text), text)), sorted({*values}))
    return all(map(str.isdecimal, values)) and values in orders


def _has_rising_ids(lines: LabelRows) -> bool:
    """Return whether the first numbers rise in small steps from line to line, while lines are not in order."""
    firsts = [float(str(line[0]).replace(",", ".")) for line in lines]
    is_rising = all(a <= b for a, b in pairwise(firsts)) and firsts[-1] - firsts[0] <= 2 * _count_ids(lines)
    return is_rising and not all(map(_rises, lines))


def _width(lines: LabelRows) -> int:
    """Return the number of values of each line; 0 if they differ."""
    widths = {len(line) for line in lines}
    return widths.pop() if len(widths) == 1 else 0


def _count_ids(lines: LabelRows) -> int:
    return len({line[0] for line in lines if line})
