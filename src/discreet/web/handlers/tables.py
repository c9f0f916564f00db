"""Tables: what a file of tables of counts says beside its counts: marks in their place, and names of columns."""

import csv
from collections import Counter
from typing import Any, Final

from discreet import Counts
from discreet.data.counts import UNKNOWN, State
from discreet.web.messages import show_labels

MOST_MARKS: Final = 20
MOST_COLUMNS: Final = 100


def list_marks(counts: Counts) -> list[dict[str, Any]]:
    """Return the marks in the place of counts, the commonest first, and what each was taken for.

    A blank is a mark too, unless a share stands in its place.
    """
    many = Counter[tuple[str, int, int]]()
    for table in counts.tables:
        shares = {ratio.part for ratio in table.ratios}
        masked = (cell for cell in table.cells if cell.state is State.MASKED and cell.place is not None)
        many.update((cell.mark, cell.low, cell.high) for cell in masked if cell.mark or cell.at not in shares)
    return [
        {"mark": show_labels([mark])[0], "low": low, "high": None if high >= UNKNOWN else high, "cells": cells}
        for (mark, low, high), cells in many.most_common(MOST_MARKS)
    ]


def list_columns_of_counts(counts: Counts) -> list[str]:
    """Return the fields of the first line of a file, one of which may be the column of counts."""
    if len(counts.sheets) != 1:
        return []
    sheet = counts.sheets[0]
    first = next(csv.reader(sheet.text.splitlines()[:1], delimiter=sheet.separator), [])
    return show_labels([field for field in first if field.strip()][:MOST_COLUMNS])
