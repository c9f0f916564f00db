"""Blocks of lines, or columns, that may count the same people, and what would follow.

Only their counts say so: a doubt matters if it reveals few people.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, permutations
from typing import Any, Final

from discreet.data.counts import UNKNOWN, Cell, Coordinates, Dimension, State, Table
from discreet.data.reading import Doubt
from discreet.errors import Message
from discreet.io.differences import Difference, Slice, adds_up, is_exact, leave_out, merge, say_where, subtract, tell

STACK: Final = re.compile(r"(.+?)(?::|=|,| [-–—]) *(.+)")  # a variable and a level in one label
LOOSE: Final = re.compile(r"([^\W_]+)(?:[^\w+<>≤≥]|_)+(.*?)[)\]]?")  # the same, or two words
MOST_COLUMNS: Final = 40  # that are compared with each other
FEWEST: Final = 3  # lines in which both of two columns are shown
MOST_ATTRIBUTES: Final = 5  # of which any two may be variables and their levels


def find_blocks(table: Table, *, has_blanks: bool) -> Iterator[Message]:
    """Yield a doubt for blocks of lines that may count the same people: the levels of several variables, stacked.

    If the table ``has_blanks``, they stand for counts; otherwise lines of blanks are headings.

    >>> levels = (("sex", "F", 60), ("sex", "M", 40), ("smoker", "no", 95))
    >>> cells = tuple(Cell((variable, level), many, many) for variable, level, many in levels)
    >>> stacked = Dimension("variable", ("sex", "smoker")), Dimension("level", ("F", "M", "no"))
    >>> print(*find_blocks(Table("", stacked, cells), has_blanks=False))
    blocks of lines by variable may count the same people: if they do, 100 − 95 = 5 people follow; list the total of \
each, or publish each as a table of its own
    """
    yield from islice(_list_blocks(table, has_blanks=has_blanks), 1)


def _list_blocks(table: Table, *, has_blanks: bool) -> Iterator[Message]:
    for key in range(len(table.dimensions)):
        merged, (at,) = merge(table, key)
        dimension = merged.dimensions[at]
        heads = {} if at or has_blanks else _find_headings(merged, dimension)
        slices = merged.slice_by(at)
        heads = heads or _find_variables(dimension, slices)
        if len({*heads.values()}) > 1 and not adds_up(slices):
            yield from _compare(dimension.name, [_group(heads, one) for one in slices])
    if len(table.dimensions) <= MOST_ATTRIBUTES:
        for first, second in permutations(range(len(table.dimensions)), 2):
            merged, places = merge(table, first, second)
            if blocks := _stack(merged, *places):
                yield from _compare(table.names[first], blocks)


def _find_headings(table: Table, dimension: Dimension) -> dict[str, str]:
    """Return the heading above each value; a heading has blanks alone, and the first line is one."""
    shown = {cell.at[0] for cell in table.cells if cell.mark or cell.state is not State.MASKED or cell.high < UNKNOWN}
    found, heading = dict[str, str](), ""
    for value in dimension.values:
        if value not in shown:
            heading = value
        elif heading:
            found[value] = heading
        else:
            return {}
    return found


def _find_variables(dimension: Dimension, slices: Sequence[Slice]) -> dict[str, str]:
    """Return the variable that each value names before its level, if some variable has several.

    Two words are a variable and a level if all variables have several; if all have the same, sums must be alike.
    """
    for pattern, is_loose in ((STACK, False), (LOOSE, True)):
        matches = [match for match in map(pattern.fullmatch, dimension.values) if match]
        heads = {match[0]: match[1] for match in matches}
        levels = dict[str, set[str]]()
        for match in matches:
            levels.setdefault(match[1], set()).add(match[2])
        many = [len(one) > 1 for one in levels.values()]
        if len(heads) < len(dimension.values) or not (all(many) if is_loose else any(many)):
            continue
        if not is_loose or len({*map(frozenset, levels.values())}) > 1:
            return heads
        if _have_one_sum([_group(heads, one) for one in slices]):
            return heads
    return {}


def _group(heads: Mapping[str, str], cells: Slice) -> dict[str, list[Cell]]:
    found = dict[str, list[Cell]]()
    for value, cell in cells.items():
        if value is not None and value in heads:
            found.setdefault(heads[value], []).append(cell)
    return found


def _stack(table: Table, first: int, second: int) -> list[dict[str | None, list[Cell]]]:
    """Return cells by their variable, for each combination of the other attributes; nothing if these are no variables.

    Two variables have no level in common, as with one that has none. If all have the same, or fewer of them, the sums
    of those with all that are shown must be alike. A variable whose total is listed has this alone.
    """
    levels, totals = dict[str, set[str]](), set[str]()
    for variable, level in dict.fromkeys((cell.at[first], cell.at[second]) for cell in table.cells):
        if variable is None and (level is not None or all(cell.high < UNKNOWN for cell in table.cells)):
            return []  # totals say what adds up
        if variable is not None:
            own = levels.setdefault(variable, set())
            own |= set() if level is None else {level}
            totals |= {variable} if level is None else set()
    known = list(levels.values())
    if len(known) <= 1 or max(map(len, known)) <= 1 or all(one in totals for one, own in levels.items() if own):
        return []
    are_apart = any(known[0].isdisjoint(one) for one in known)
    longest = max(known, key=len)
    if not are_apart and (totals or any(not one <= longest for one in known)):
        return []
    slices: dict[Coordinates, dict[str | None, list[Cell]]] = {}
    for cell in table.cells:
        rest = tuple(value for at, value in enumerate(cell.at) if at not in {first, second})
        if cell.at[first] is not None and (cell.at[first] not in totals or cell.at[second] is None):
            slices.setdefault(rest, {}).setdefault(cell.at[first], []).append(cell)
    found = list(slices.values())
    full = [{one: own for one, own in blocks.items() if len(own) == len(longest)} for blocks in found]
    return found if are_apart or _have_one_sum(full) else []


def _have_one_sum(slices: Sequence[Mapping[Any, Sequence[Cell]]]) -> bool:
    """Return whether the blocks of each slice that are shown add up to the same, and several are."""
    sums = [[sum(cell.low for cell in own) for own in one.values() if all(map(is_exact, own))] for one in slices]
    return all(len({*one}) <= 1 for one in sums) and any(len(one) > 1 for one in sums)


def _compare(name: str, slices: Iterable[Mapping[Any, Sequence[Cell]]]) -> Iterator[Message]:
    """Yield a doubt about blocks, with the smallest count that follows if each counts the same people."""
    least = min((one for blocks in slices for one in _link(list(blocks.values()))), default=None)
    if least is not None:
        yield Doubt(
            f"blocks of lines by {name} may count the same people: if they do, {tell(least)}; list the total of each, "
            "or publish each as a table of its own",
            least=least.least,
        )


def _link(blocks: Sequence[Sequence[Cell]]) -> Iterator[Difference]:
    """Yield what follows if blocks have one total, the largest that is shown."""
    full = [sum(cell.low for cell in own) for own in blocks if all(map(is_exact, own))]
    total = max(full, default=0)
    sums = [(sum(cell.low for cell in own), sum(cell.high for cell in own), len(own)) for own in blocks]
    if any(low > total or (many > 1 and 2 * high < total) for low, high, many in sums):
        return  # people differ, or values of which few are listed
    for own in blocks:
        shown = [cell for cell in own if is_exact(cell)]
        rest = total - sum(cell.low for cell in shown)
        if rest:
            where = next((say_where(cell) for cell in own if cell.place), "")
            yield Difference(rest, f"{total:,} − {total - rest:,}", where)
        elif full.count(total) > 1:
            yield from leave_out(total, shown)


def find_parts(table: Table) -> Iterator[Message]:
    """Yield a doubt about a column of a crosstab that is nowhere larger than another, if few are not counted in it.

    >>> counts = {"A": (60, 55), "B": (70, 30), "C": (90, 41)}
    >>> columns = Dimension("dept", tuple(counts)), Dimension("column", ("n", "died"))
    >>> cells = [Cell((dept, one), many, many) for dept in counts for one, many in zip(("n", "died"), counts[dept])]
    >>> print(*find_parts(Table("", columns, tuple(cells))))
    a column is nowhere larger than another: if it counts a part of these people, 60 − 55 = 5 people follow; if the \
columns exclude each other, list their total too
    """
    at = len(table.dimensions) - 1
    values = table.dimensions[at].values if at > 0 else ()
    slices = (
        [one for one in table.slice_by(at) if None not in _name_rest(one, at)]
        if 1 < len(values) <= MOST_COLUMNS
        else []
    )
    if any(None in one for one in slices):
        return  # a total says that they exclude each other
    found = [one for pair in permutations(values, 2) for one in _compare_columns(slices, pair, len(values))]
    if least := min(found, default=None):
        yield Doubt(
            f"a column is nowhere larger than another: if it counts a part of these people, {tell(least)}; if the "
            "columns exclude each other, list their total too",
            least=least.least,
        )


def _name_rest(cells: Slice, at: int) -> tuple[str | None, ...]:
    first = next(iter(cells.values()))
    return first.at[:at] + first.at[at + 1 :]


def _compare_columns(slices: Sequence[Slice], pair: tuple[str, str], many: int) -> Iterator[Difference]:
    """Yield what follows if the first of two columns counts the people of the second, unless that looks like chance."""
    both = [(one[pair[0]], one[pair[1]]) for one in slices if pair[0] in one and pair[1] in one]
    exact = [(whole, part) for whole, part in both if is_exact(whole) and is_exact(part)]
    is_chance = len(exact) < FEWEST or many * (many - 1) // 2 > 2 ** (len(exact) - 2)
    if not is_chance and all(part.low <= whole.high for whole, part in both):
        yield from (subtract(whole, part) for whole, part in exact if whole.low > part.low)
