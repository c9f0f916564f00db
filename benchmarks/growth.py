"""Growth: the time to mine n, 2n, 4n and 8n rows of the Quest generator."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from clock import Effort, race
from report import Check, Part, line, milliseconds, title
from sources import Source

from discreet import Patterns, Transactions, mine
from discreet.data import generate

WIDTHS: Final = (10, 11, 11, 12)
HEADS: Final = ("rows", "itemsets", "ours ms", "µs a row")
TIMES: Final = (1, 2, 4, 8)
SHARE: Final = "0.5%"
AIM: Final = 1.25
"""Linear, with some room for caches that grow too small."""


class Growth(NamedTuple):
    """Seconds for ``n`` rows."""

    n: int
    itemsets: int
    seconds: float

    @property
    def a_row(self) -> float:
        """Seconds for each row."""
        return self.seconds / self.n


def measure(_sources: Sequence[Source], effort: Effort) -> Part:
    """Print the times, and return them."""
    title(f"Growth: closed itemsets of T10 I4 at {SHARE}, one thread")
    return grow(partial(mine, min_support=SHARE, threads=1), effort)


def grow(run: Callable[[Transactions], Patterns], effort: Effort) -> Part:
    """Print how the time of ``run`` grows with the rows, and return it."""
    print(line(WIDTHS, HEADS))
    figures = times_of(run, [effort.n * times for times in TIMES], effort)
    for figure in figures:
        amounts = (milliseconds(figure.seconds), f"{figure.a_row * 1e6:.2f}")
        print(line(WIDTHS, (f"{figure.n:,}", f"{figure.itemsets:,}", *amounts)))
    ratio = figures[-1].a_row / figures[0].a_row
    check = Check(f"a row of {TIMES[-1]}n takes at most {AIM} times as long as one of n", f"{ratio:.2f}", ratio <= AIM)
    return Part([figure._asdict() for figure in figures], [check])


def times_of(run: Callable[[Transactions], Patterns], sizes: Sequence[int], effort: Effort) -> list[Growth]:
    """Return the times for so many rows each, measured in turns: a busy moment must not hit one size alone."""
    runs = {str(n): partial(run, generate.quest(n, seed=1)) for n in sizes}
    best = race(runs, effort._replace(seconds=len(sizes) * effort.seconds))
    return [Growth(n, len(runs[str(n)]()), best[str(n)]) for n in sizes]
