"""Threads: two against one, on heavy cases."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

from cases import Case
from clock import Effort, race
from report import Check, Part, line, milliseconds, title
from sources import Source

from discreet.data.patterns import Kind
from discreet.runtime import resources

WIDTHS: Final = (-25, -9, 14, 14, 9)
HEADS: Final = ("case", "kind", "1 thread ms", "2 threads ms", "ratio")
HEAVY: Final = 0.3
"""Cases that take one thread longer, in seconds, are judged."""
AIM: Final = 1.6


class Threads(NamedTuple):
    """Seconds of a case on one thread and on two."""

    data: str
    share: str
    kind: Kind
    one: float
    two: float

    @property
    def ratio(self) -> float:
        """How many times faster two threads are."""
        return self.one / self.two


def measure(sources: Sequence[Source], effort: Effort) -> Part:
    """Print the times of the heavy cases of ``sources``, and return them."""
    title(f"Threads: two against one, on {resources.cores()} cores")
    print(line(WIDTHS, HEADS))
    figures = []
    for case in (Case(source, share, kind) for source in sources for share, kind in source.plan.heavy):
        figure = compare(case, effort)
        times = (milliseconds(figure.one), milliseconds(figure.two), f"{figure.ratio:.2f}")
        print(line(WIDTHS, (case, case.kind, *times)), flush=True)
        figures.append(figure)
    return Part([figure._asdict() for figure in figures], list(judge(figures)))


def compare(case: Case, effort: Effort) -> Threads:
    """Return the times of a case."""
    best = race({"one": case.mine, "two": partial(case.mine, threads=2)}, effort)
    return Threads(case.source.name, case.share, case.kind, best["one"], best["two"])


def judge(figures: Sequence[Threads]) -> Iterator[Check]:
    """Yield what the times show; nothing where there is but one core, or no heavy case."""
    heavy = [figure for figure in figures if figure.one > HEAVY]
    if heavy and resources.cores() > 1:
        least = min(figure.ratio for figure in heavy)
        what = f"two threads at least {AIM} times one on the {len(heavy)} that take over {HEAVY} s, the least"
        yield Check(what, f"{least:.2f}", least >= AIM)
