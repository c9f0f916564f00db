"""What all layouts of tables of counts share: how a table is asked for, and its fields."""

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from discreet.data.counts import Table
from discreet.io.grids import Grid
from discreet.io.marks import ABSENT, Limits, Marks

TOTALS: Final = re.compile(r"\(?(?:grand[ _]|sub)?(?:totals?|all|sum|overall|everyone|any|margins?)\)?:?", re.IGNORECASE)
MISSING: Final = frozenset(("", "na", "n/a", "nan", "null", "none", "<na>"))


class CountOptions(NamedTuple):
    """How tables of counts are read: the column of counts, words for totals, and what marks mean."""

    counts: str | None = None
    totals: tuple[str, ...] = ()
    masks: Mapping[str, Limits] = {}  # noqa: RUF012 - never changed
    round_to: int | None = None
    columns: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()

    def make_marks(self) -> Marks:
        """Return a reader of cells by these options."""
        return Marks(self.masks, self.round_to)

    @property
    def absent(self) -> Limits | None:
        """The limits of cells that are left out, if the owner has stated them."""
        return self.masks.get(ABSENT)

    def is_total(self, text: str) -> bool:
        """Return whether a field stands for all values together."""
        return text.casefold() in map(str.casefold, self.totals) or TOTALS.fullmatch(text) is not None


class CountsRead(NamedTuple):
    """The tables of a file, and remarks on how they were read."""

    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()


class Layout(NamedTuple):
    """A layout of tables of counts: what it is called, whether a file seems to have it, and its reader."""

    what: str
    matches: Callable[[Grid], bool]
    read: Callable[[Grid, CountOptions], CountsRead]
