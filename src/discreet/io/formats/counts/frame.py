"""Where a crosstab is in a grid: its header, the labels of its lines, and its counts."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from discreet.io.formats.counts import shares
from discreet.io.grids import Grid
from discreet.io.marks import looks_counted

NOTE: Final = re.compile(r"(?:notes?\b|sources?\b|[*†‡#¹²³]|\[|\().*|.*[.:]", re.IGNORECASE)  # a line below a table
MOST_LEVELS: Final = 8  # lines of a header


class Frame(NamedTuple):
    """Where a crosstab is: its header begins at ``start``, its counts at ``body``, and it ends before ``end``.

    The first ``labels`` columns name the lines. If ``has_names``, the last line of the header names these columns.
    """

    start: int
    body: int
    end: int
    labels: int
    has_names: bool


def find_frame(grid: Grid) -> Frame | None:
    """Return where the header, the labels and the counts of a crosstab are; None if there are none."""
    lines, width = grid.lines, grid.width
    start, end = 0, len(lines)
    while start < end and _is_alone(lines[start], width):
        start += 1
    while end > start and _is_alone(lines[end - 1], width) and _is_note(lines[end - 1], width):
        end -= 1
    if end - start < 2 or width < 2:  # noqa: PLR2004 - a header and a line, a label and a count
        return None
    body, has_names = _find_body(lines, start, end)
    if body >= end:
        return None
    names = [at for at, field in enumerate(lines[body - 1]) if field]
    labels = names[-1] + 1 if has_names else _count_labels(lines[body:end], width)
    return Frame(start, body, end, labels, has_names) if labels < width else None


def is_number(text: str) -> bool:
    """Return whether a field holds a count, a mark or a share."""
    return looks_counted(text) or shares.NUMBER.fullmatch(text) is not None


def _is_alone(line: Sequence[str], width: int) -> bool:
    """Return whether a line is a text of its own: one field, the first one."""
    return len(line) <= width and bool(line[0]) and not any(line[1:])


def _is_note(line: Sequence[str], width: int) -> bool:
    return len(line) < width or NOTE.fullmatch(line[0]) is not None


def _find_body(lines: Sequence[Sequence[str]], start: int, end: int) -> tuple[int, bool]:
    """Return the first line of counts, and whether the one before it names the columns of labels alone.

    The header goes on while it does not tell columns apart, or while lines hold texts that are no counts. pandas
    writes the names of labels below a header of several lines.
    """
    last = min(end, start + MOST_LEVELS)
    for body in range(start + 1, last):
        line = lines[body]
        if _is_names(line, lines[start:body]):
            return body + 1, True
        fields = [field for field in line[1:] if field]
        is_text = bool(fields) and 2 * sum(map(is_number, fields)) < len(fields)
        is_headed = not line[0] or any(_is_names(lines[later], lines[start:later]) for later in range(body + 1, last))
        if not (is_headed and (is_text or not _tells_apart(lines[start:body]))):
            return body, False
    return start + 1, False


def _is_names(line: Sequence[str], header: Sequence[Sequence[str]]) -> bool:
    """Return whether only the first fields of a line are filled, below the corner of a header of several lines.

    Of the corner, one field in a line is filled: pandas writes the name of the columns first, or last in a
    spreadsheet. If none is, the line may be one of masked counts.
    """
    filled = [bool(field) for field in line]
    corners = [above[: sum(filled)] for above in header]
    is_first = filled[0] and not filled[-1] and all(left >= right for left, right in pairwise(filled))
    is_corner = all(sum(map(bool, corner)) <= 1 and not any(corner[1:-1]) for corner in corners)
    return len(header) > 1 and is_first and is_corner and any(any(corner) for corner in corners)


def _tells_apart(header: Sequence[Sequence[str]]) -> bool:
    """Return whether no two columns have the same labels, but for shares and columns without labels."""
    labels = [label for label in fill(turn(header))[1:] if any(label) and not shares.is_share_name(label[-1])]
    return len({*labels}) == len(labels)


def turn(header: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the columns of a header; short lines are filled up."""
    width = max(map(len, header))
    return [[line[at] if at < len(line) else "" for line in header] for at in range(width)]


def fill(labels: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Return labels of which an upper one is written once for all those below it."""
    found: list[tuple[str, ...]] = []
    for one in labels:
        own, before = list(one), found[-1] if found else ("",) * len(one)
        for level in range(len(own) - 1):
            if not own[level] and any(own[level + 1 :]) and own[:level] == list(before[:level]):
                own[level] = before[level]
        found.append(tuple(own))
    return found


def _count_labels(body: Sequence[Sequence[str]], width: int) -> int:
    """Return how many columns name the lines: those that hold few counts, and numbers that tell equal labels apart."""
    columns = [[line[at] if at < len(line) else "" for line in body] for at in range(width)]
    labels = 1
    while labels < width - 1 and 2 * sum(map(is_number, columns[labels])) < sum(map(bool, columns[labels])):
        labels += 1
    known = fill([line[:labels] for line in body])
    if len({*known}) < len(known) and labels < width - 1:
        column = columns[labels]
        is_blank_total = any(not field and any(line[labels + 1 :]) for field, line in zip(column, body, strict=True))
        repeats = {*column} if 2 * len({*column}) <= len(column) else set()
        apart = {*zip(known, column, strict=True)}
        if len(apart) == len(known) and (is_blank_total or repeats):
            labels += 1
    return labels
