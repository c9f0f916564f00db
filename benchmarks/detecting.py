"""Detectors: ours against those of the papers, and against a plain hash pass for each maximal itemset."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import hashing
import numpy as np
from cases import Case, DisagreementError
from clock import Effort, race
from report import Check, Part, line, milliseconds, title
from sources import Source

from discreet import BudgetError, Channels, Patterns, detect, mine

K: Final = 10
WIDTHS: Final = (-14, 6, 10, 9, 9, 12, 9, 9, 12, 10)
HEADS: Final = (
    *("case", "tops", "channels", "auto ms", "no rows", "projection", "closed", "naive"),
    *("÷ project.", "÷ closed"),
)
HASH_WIDTHS: Final = (-25, 9, 11, 11, 11, 9)
HASH_HEADS: Final = ("case, k = 10", "tops", "channels", "auto ms", "hash ms", "ratio")
PROJECTION_AIM: Final = 20
CLOSED_AIM: Final = 10
HASH_AIM: Final = 3
MOST_TERMS: Final = 10**9
"""Where "naive" would sum up more supports, it is not asked."""
MOST_FREQUENT: Final = 1_000_000
"""Nor where there are more frequent itemsets."""


class Detectors(NamedTuple):
    """Seconds of each detector on the closed itemsets of a case. ``naive`` is None where it was not asked."""

    data: str
    share: str
    itemsets: int
    tops: int
    channels: int
    auto: float
    without_rows: float
    projection: float
    closed: float
    naive: float | None

    @property
    def projection_ratio(self) -> float:
        """How many times faster than "projection" we are with the same rows."""
        return self.projection / self.auto

    @property
    def closed_ratio(self) -> float:
        """How many times faster than "closed" we are with rows."""
        return self.closed / self.auto


class Hashed(NamedTuple):
    """Seconds of ours and of the baseline on a case."""

    data: str
    share: str
    tops: int
    channels: int
    auto: float
    hashing: float

    @property
    def ratio(self) -> float:
        """How many times faster than the baseline we are."""
        return self.hashing / self.auto


def measure(sources: Sequence[Source], effort: Effort) -> Part:
    """Print the times of the detectors on the cases that ``sources`` plan for them, and return them."""
    title(f"Detectors: ours with rows and without, and those of the papers, k = {K}, one thread")
    print(line(WIDTHS, HEADS))
    papers = []
    for case in planned(sources, "papers"):
        papers.append(compare(case, effort))
        print(line(WIDTHS, cells(papers[-1])), flush=True)
    title("Detectors: ours with rows against one plain hash pass over merged rows for each maximal itemset")
    print(line(HASH_WIDTHS, HASH_HEADS))
    hashed = []
    for case in planned(sources, "hashed"):
        hashed.append(against_hashing(case, effort))
        print(line(HASH_WIDTHS, hash_cells(hashed[-1])), flush=True)
    return Part([figure._asdict() for figure in (*papers, *hashed)], [*judge(papers), *judge_hashed(hashed)])


def planned(sources: Sequence[Source], which: str) -> Iterator[Case]:
    """Yield the cases that are planned for the papers' detectors, or for the baseline."""
    for source in sources:
        for share in getattr(source.plan, which):
            yield Case(source, share, "closed")


def compare(case: Case, effort: Effort) -> Detectors:
    """Return the times of all detectors on a case; they must find the same channels."""
    closed = case.mine()
    runs = detectors(case, closed)
    found = agreed(case, runs)
    best = race(runs, effort)
    tops = len(found.tops)
    times = (best["auto"], best["without rows"], best["projection"], best["closed"], best.get("naive"))
    return Detectors(case.source.name, case.share, len(closed), tops, len(found), *times)


def detectors(case: Case, closed: Patterns) -> dict[str, Callable[[], Channels]]:
    """Return what is timed."""
    rows = case.source.transactions
    runs: dict[str, Callable[[], Channels]] = {
        "auto": partial(detect, closed, k=K, rows=rows),
        "without rows": partial(detect, closed, k=K),
        "projection": partial(detect, closed, k=K, rows=rows, method="projection"),
        "closed": partial(detect, closed, k=K, method="closed"),
    }
    if terms(case) <= MOST_TERMS:
        runs["naive"] = partial(detect, closed, k=K, method="naive")
    return runs


def terms(case: Case) -> float:
    """Return how many supports "naive" sums up: 3 ** m for all bases below a frequent itemset of m items."""
    try:
        found = mine(case.source.transactions, min_support=case.share, kind="frequent", max_patterns=MOST_FREQUENT)
    except BudgetError:
        return float("inf")
    return float((3.0 ** np.diff(found.offsets)).sum())


def agreed(case: Case, runs: Mapping[str, Callable[[], Channels]]) -> Channels:
    """Return the channels that all detectors find; refuse a detector that finds others than the first."""
    (_, first), *others = runs.items()
    channels = first()
    for name, run in others:
        found = run()
        if found != channels:
            raise DisagreementError(
                f"{case}: {len(found):,} channels by {name!r} are not the {len(channels):,} by 'auto'"
            )
    return channels


def against_hashing(case: Case, effort: Effort) -> Hashed:
    """Return the times of ours and of the baseline, which gets the maximal itemsets and must find as many channels."""
    rows, maximal = case.source.transactions, Case(case.source, case.share, "maximal").mine()
    runs: dict[str, Callable[[], Any]] = {
        "auto": partial(detect, case.mine(), k=K, rows=rows),
        "hashing": partial(hashing.channels, maximal, rows, k=K),
    }
    ours, theirs = len(runs["auto"]()), runs["hashing"]()
    if theirs != ours:
        raise DisagreementError(f"{case}: {theirs:,} channels by hashing, {ours:,} by 'auto'")
    best = race(runs, effort)
    return Hashed(case.source.name, case.share, len(maximal), ours, best["auto"], best["hashing"])


def cells(figure: Detectors) -> tuple[str, ...]:
    """Return a row of the table."""
    times = (figure.auto, figure.without_rows, figure.projection, figure.closed)
    return (
        f"{figure.data} {figure.share}",
        f"{figure.tops:,}",
        f"{figure.channels:,}",
        *map(milliseconds, times),
        "–" if figure.naive is None else milliseconds(figure.naive),
        f"{figure.projection_ratio:,.1f}",
        f"{figure.closed_ratio:,.1f}",
    )


def hash_cells(figure: Hashed) -> tuple[str, ...]:
    """Return a row of the table."""
    times = (milliseconds(figure.auto), milliseconds(figure.hashing), f"{figure.ratio:.2f}")
    return (f"{figure.data} {figure.share}", f"{figure.tops:,}", f"{figure.channels:,}", *times)


def judge(figures: Sequence[Detectors]) -> Iterator[Check]:
    """Yield what the times of the papers' detectors show, at the lowest share of each data set."""
    for figure in {figure.data: figure for figure in figures}.values():
        where = f"{figure.data} {figure.share}"
        for name, ratio, aim in (
            ("projection", figure.projection_ratio, PROJECTION_AIM),
            ("closed", figure.closed_ratio, CLOSED_AIM),
        ):
            yield Check(f"{where}, auto at least {aim} times faster than {name!r}", f"{ratio:,.1f}", ratio >= aim)


def judge_hashed(figures: Sequence[Hashed]) -> Iterator[Check]:
    """Yield what the times of the baseline show."""
    for figure in figures:
        what = f"{figure.data} {figure.share}, auto at least {HASH_AIM} times faster than a hash pass for each top"
        yield Check(what, f"{figure.ratio:.2f}", figure.ratio >= HASH_AIM)
