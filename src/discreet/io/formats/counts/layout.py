"""What all layouts of tables of counts share: how a table is asked for, and its fields."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from discreet.data.counts import Cell, Columns, Coordinates, Dimension, Table
from discreet.data.reading import LeftOut
from discreet.io.grids import Grid
from discreet.io.marks import ABSENT, Limits, Marks

WORDS: Final = (
    "totals?|all|sum|overall|everyone|any|margins?"
    "|(?:ins)?gesamt|summe|alle|zusammen|ensemble|tous|toutes|totale|totaal|suma|summa|i alt|yhteensä|razem|ogółem"
)
TOTALS: Final = re.compile(rf"\(?(?:grand[ _]|sub)?(?:{WORDS})\)?:?", re.IGNORECASE)
LATER: Final = re.compile(r"(.+?)[ _]+(?:sub)?totals?", re.IGNORECASE)  # as in "north total"
DIGIT: Final = re.compile(r"\d")
MISSING: Final = frozenset(("", "na", "n/a", "nan", "null", "none", "<na>"))


class CountOptions(NamedTuple):
    """How tables of counts are read: the column of counts, words for totals, and what marks mean."""

    counts: str | None = None
    totals: tuple[str, ...] = ()
    masks: Mapping[str, Limits] = {}
    round_to: int | None = None
    columns: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()

    def make_marks(self, *, is_below: bool = False) -> Marks:
        """Return a reader of cells by these options; a format may write counts below a threshold as minus this."""
        return Marks(self.masks, self.round_to, is_below=is_below)

    @property
    def absent(self) -> Limits | None:
        """The limits of cells that are left out, if the owner has stated them."""
        return self.masks.get(ABSENT)

    def is_total(self, text: str) -> bool:
        """Return whether a field stands for all values together."""
        return text.casefold() in map(str.casefold, self.totals) or TOTALS.fullmatch(text) is not None


class CountsRead(NamedTuple):
    """The tables of a file, and remarks on how they were read.

    ``read`` are, for each file, the columns of each line that names, values, counts and shares were read from;
    ``files`` are the tables of each file. A file that is not part of a folder is called by an empty name. What is
    ``left_out`` is for a person to look at, unless that was asked. ``roles`` say in words what each column was taken
    for, and ``unread`` are the columns that have none; ``headers`` are the texts that say what is counted.
    """

    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()
    read: Mapping[str, Columns] = {}
    files: Mapping[str, tuple[Table, ...]] = {}
    left_out: tuple[LeftOut, ...] = ()
    roles: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()


class Layout(NamedTuple):
    """A layout of tables of counts: what it is called, whether a file seems to have it, and its reader.

    ``is_sure`` tells whether a file holds such tables and nothing else, if ``matches`` does not.
    """

    what: str
    matches: Callable[[Grid], bool]
    read: Callable[[Grid, CountOptions], CountsRead]
    is_sure: Callable[[Grid], bool] | None = None
    is_per_line: bool = False


def find_totals(texts: Iterable[str], options: CountOptions) -> frozenset[str]:
    """Return the texts that stand for all values: words such as Total, or else empty fields."""
    different = {*texts}
    words = frozenset(text for text in different if options.is_total(text))
    return words or frozenset(text for text in different if text.casefold() in MISSING)


def list_unread(grid: Grid, known: Collection[str], options: CountOptions) -> tuple[str, ...]:
    """Return the columns that hold numbers, in texts too, and that a format does not know, without those left out."""
    names = [name for name in grid.head if name not in {*known, *map(str.casefold, options.drop)}]
    columns = {name: [line[grid.head.index(name)] for line in grid.lines[1:]] for name in names}
    return tuple(name for name, texts in columns.items() if any(DIGIT.search(text) for text in texts))


def list_values(texts: Iterable[str | None]) -> tuple[str, ...]:
    """Return the values of an attribute in the order in which they come, each once.

    >>> list_values(["m", None, "f", "m"])
    ('m', 'f')
    """
    return tuple(dict.fromkeys(text for text in texts if text is not None))


def loosen(dimensions: Sequence[Dimension], cells: Iterable[Cell]) -> tuple[Dimension, ...]:
    """Return dimensions as the exact counts show them to be, where a format does not say whether values add up.

    If values of one add up to more than their total, people have several; if to less, values are missing.
    """
    known = {cell.at: (cell.low, cell.high) for cell in cells}
    found = []
    for at, one in enumerate(dimensions):
        sums: dict[Coordinates, tuple[int, int]] = {}
        for where, (low, high) in known.items():
            if where[at] is not None:
                total = (*where[:at], None, *where[at + 1 :])
                least, most = sums.get(total, (0, 0))
                sums[total] = least + low, most + high
        both = [(known[total], parts) for total, parts in sums.items() if total in known]
        overlapping = one.overlapping or any(total[1] < parts[0] for total, parts in both)
        found.append(
            replace(one, overlapping=overlapping, cut=one.cut or any(total[0] > parts[1] for total, parts in both))
        )
    return tuple(found)
