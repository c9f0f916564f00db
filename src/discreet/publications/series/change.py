"""Values: a count that two releases tell, before and now, and all that changed little."""

from collections.abc import Iterator
from dataclasses import dataclass

from discreet.data.labels import Itemset
from discreet.data.patterns import Patterns
from discreet.disclosure.channels import Channel
from discreet.runtime import html
from discreet.runtime.text import count_of


@dataclass(frozen=True, slots=True)
class Change:
    """``after`` rows hold every item of ``base`` and no other of ``top``, and by an older release ``before`` did.

    >>> print(Change(frozenset("ab"), frozenset("abc"), before=12, after=13))
    a ∧ b ∧ ¬c: 1 row more (12 before, 13 now)
    """

    base: Itemset
    top: Itemset
    before: int
    after: int

    def __str__(self) -> str:
        way = "more" if self.count > 0 else "fewer"
        return f"{self.pattern}: {count_of(abs(self.count), 'row')} {way} ({self.before:,} before, {self.after:,} now)"

    @property
    def count(self) -> int:
        """How many rows more there are now; below 0, how many fewer."""
        return self.after - self.before

    @property
    def pattern(self) -> str:
        """What these rows hold and what they do not, such as ``a ∧ b ∧ ¬c``."""
        return Channel(self.base, self.top, self.after).pattern

    @property
    def lacked(self) -> tuple[Itemset, ...]:
        """The items that these rows do not hold, each alone."""
        return Channel(self.base, self.top, self.after).lacked


@dataclass(frozen=True, eq=False, repr=False)
class Changes:
    """How the counts that releases all tell differ: how many rose, fell, or changed by 1 to ``k`` − 1 rows.

    ``olds`` are older releases, whose counts are summed up where there are several, and ``numbers`` their places among
    all that were given, from 1 on. Of the ``small`` changes the ``listed`` are the smallest. The counts are cells: of
    each largest itemset that all the releases tell of, and each base within it. Where the cells of one cannot be told,
    ``is_whole`` is False, and the counts are the supports that all list. ``items`` is how many items all tell of.

    >>> from discreet.publications.series.changes import changes
    >>> old = Patterns.from_itemsets([([], 100), (["a"], 50)], n=100)
    >>> new = Patterns.from_itemsets([([], 101), (["a"], 51)], n=101)
    >>> print(*changes(new, old, k=5))
    a: 1 row more (50 before, 51 now)
    """

    olds: tuple[Patterns, ...]
    numbers: tuple[int, ...]
    k: int
    rose: int
    fell: int
    small: int
    listed: tuple[Change, ...]
    items: int
    is_whole: bool

    def __len__(self) -> int:
        return len(self.listed)

    def __iter__(self) -> Iterator[Change]:
        return iter(self.listed)

    def __repr__(self) -> str:
        return f"<Changes: {self.rose:,} counts rose, {self.fell:,} fell, {self.small:,} by fewer than {self.k:,} rows>"

    def _repr_html_(self) -> str:
        """Return the smallest changes as a table, for notebooks."""
        shown = self.listed[: html.SHOWN]
        lines = ((change.count, change.before, change.after, change.pattern) for change in shown)
        head = ["difference", "before", "now", "pattern"]
        return html.table(repr(self)[1:-1], head, lines, many=self.small)
