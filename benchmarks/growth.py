"""Growth: the time to mine n, 2n, 4n and 8n rows of the Quest generator."""

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

from clock import Effort, race
from report import Check, Part, line, milliseconds, title
from sources import Source

from discreet import generate, mine

WIDTHS: Final = (10, 11, 11, 12)
HEADS: Final = ("rows", "itemsets", "ours ms", "µs a row")
TIMES: Final = (1, 2, 4, 8)
AIM: Final = 1.25
"""Linear, with some room for caches that grow too small."""


class Growth(NamedTuple):
    """Seconds to mine ``n`` rows."""

    n: int
    itemsets: int
    seconds: float

    @property
    def a_row(self) -> float:
        """Seconds for each row."""
        return self.seconds / self.n


def measure(_sources: Sequence[Source], effort: Effort) -> Part:
    """Print the times, and return them."""
    title("Growth: closed itemsets of T10 I4 at 0.5%, one thread")
    print(line(WIDTHS, HEADS))
    figures = grow([effort.n * times for times in TIMES], effort)
    for figure in figures:
        amounts = (milliseconds(figure.seconds), f"{figure.a_row * 1e6:.2f}")
        print(line(WIDTHS, (f"{figure.n:,}", f"{figure.itemsets:,}", *amounts)))
    ratio = figures[-1].a_row / figures[0].a_row
    check = Check(f"a row of {TIMES[-1]}n takes at most {AIM} times as long as one of n", f"{ratio:.2f}", ratio <= AIM)
    return Part([figure._asdict() for figure in figures], [check])


def grow(sizes: Sequence[int], effort: Effort) -> list[Growth]:
    """Return the times for so many rows each, measured in turns: a busy moment must not hit one size alone."""
    runs = {str(n): partial(mine, generate.quest(n, seed=1), min_support="0.5%", threads=1) for n in sizes}
    best = race(runs, effort._replace(seconds=len(sizes) * effort.seconds))
    return [Growth(n, len(runs[str(n)]()), best[str(n)]) for n in sizes]
