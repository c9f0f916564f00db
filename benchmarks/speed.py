"""Speed: ours against pyfim and mlxtend, one thread, warm, from memory and from file."""

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

import peers
from cases import Case, agree, compared, frequent, left_out, nonempty
from clock import Effort, race, timed
from report import Check, Part, line, milliseconds, title
from sources import Source

from discreet.data.patterns import Kind

WIDTHS: Final = (-25, -9, 9, 9, 10, 10, 8, 8, 10)
HEADS: Final = ("case", "kind", "itemsets", "ours ms", "pyfim ms", "by", "memory", "file", "mlxtend")
MOST_FREQUENT: Final = 1_000_000
"""Where there are more frequent itemsets, mlxtend is not asked for the closed ones."""

MEAN, LEAST = 4.0, 2.0
"""How many times faster than pyfim we want to be, in the mean and in each case."""

Run: TypeAlias = Callable[[], list[Any]]
"""Mines, and returns the itemsets."""

Asked: TypeAlias = Callable[[Case, int], float | None]
"""Tells the seconds that mlxtend takes for a case in which we find so many itemsets."""


class Speed(NamedTuple):
    """Seconds of a case. ``mlxtend`` is None where it was not asked, and infinite where it was given up."""

    data: str
    share: str
    kind: Kind
    itemsets: int
    ours: float
    pyfim: float
    algorithm: str
    ours_file: float
    pyfim_file: float
    mlxtend: float | None

    @property
    def ratio(self) -> float:
        """How many times faster than pyfim we are from memory."""
        return self.pyfim / self.ours

    @property
    def file_ratio(self) -> float:
        """How many times faster than pyfim we are from file."""
        return self.pyfim_file / self.ours_file

    @property
    def mlxtend_ratio(self) -> float | None:
        """How many times faster than mlxtend we are from memory."""
        return None if self.mlxtend is None else self.mlxtend / self.ours


def measure(sources: Sequence[Source], effort: Effort) -> Part:
    """Print the times of all cases of ``sources``, and return them."""
    title("Speed: one thread, warm; memory, file and mlxtend: how many times faster we are")
    print(line(WIDTHS, HEADS))
    algorithms = peers.pyfim()
    figures = []
    for source in sources:
        rows, asked = source.lists(), mlxtend(effort.limit)
        for case in compared(source):
            figure = compare(case, rows, choose(algorithms, case), asked, effort)
            print(line(WIDTHS, cells(figure, effort.limit)), flush=True)
            figures.append(figure)
    return Part([as_dict(figure) for figure in figures], list(judge(figures)))


def choose(algorithms: Mapping[str, peers.Peer], case: Case) -> Mapping[str, peers.Peer]:
    """Return the algorithms to try: apriori, which takes minutes on some cases, only where it is planned."""
    without = () if case.share in case.source.plan.apriori else ("apriori",)
    return {name: peer for name, peer in algorithms.items() if name not in without}


def compare(
    case: Case, rows: list[list[int]], algorithms: Mapping[str, peers.Peer], asked: Asked, effort: Effort
) -> Speed:
    """Return the times of a case: ours, those of the best of ``algorithms``, and that of mlxtend."""
    itemsets = nonempty(case.mine())
    runs = {name: partial(peer, rows, case.kind, case.count) for name, peer in algorithms.items()}
    near = quickest(case, itemsets, runs)
    memory = race({"ours": case.mine} | near, effort)
    best = min(near, key=memory.__getitem__)
    file = race({"ours": case.mine_file, best: partial(from_file, case, algorithms[best])}, effort)
    return Speed(
        case.source.name,
        case.share,
        case.kind,
        itemsets,
        memory["ours"],
        memory[best],
        best,
        file["ours"],
        file[best],
        asked(case, itemsets),
    )


def quickest(case: Case, itemsets: int, runs: Mapping[str, Run]) -> dict[str, Run]:
    """Return those of ``runs`` among which the best is sought: at most twice the least time in their first run.

    Each must find as many itemsets as we do.
    """
    first = {}
    for name, run in runs.items():
        first[name], found = timed(run)
        agree(case, itemsets, len(found), by=name, allowed=left_out(case))
    return {name: runs[name] for name, took in first.items() if took <= 2 * min(first.values())}


def from_file(case: Case, peer: peers.Peer) -> list[Any]:
    """Return what a peer finds in the file; it takes any labels, so the items stay text."""
    with case.source.path.open() as file:
        return peer([row.split() for row in file], case.kind, case.count)


def mlxtend(limit: float) -> Asked:
    """Return what asks mlxtend, on one source, about each of its functions and shares once.

    What it does not end within ``limit`` seconds it would not end at a lower share either.
    """
    known: dict[tuple[str, str], float] = {}

    def asked(case: Case, itemsets: int) -> float | None:
        function = peers.FUNCTIONS[case.kind]
        expected = frequent(case, MOST_FREQUENT) if case.kind == "closed" else itemsets
        if expected is None or (function, case.share) in known:
            return known.get((function, case.share))
        if any(which == function and seconds == float("inf") for (which, _), seconds in known.items()):
            return float("inf")
        found, seconds = peers.mlxtend(case.source.path, case.count, function, limit) or (expected, float("inf"))
        agree(case, expected, found, by=f"{function} of mlxtend")
        known[function, case.share] = seconds
        return seconds

    return asked


def as_dict(figure: Speed) -> dict[str, Any]:
    """Return a case for the file of figures; JSON has no infinity."""
    return figure._asdict() | ({"mlxtend": "given up"} if figure.mlxtend == float("inf") else {})


def cells(figure: Speed, limit: float) -> tuple[object, ...]:
    """Return a row of the table."""
    ratio = figure.mlxtend_ratio
    return (
        f"{figure.data} {figure.share}",
        figure.kind,
        f"{figure.itemsets:,}",
        milliseconds(figure.ours),
        milliseconds(figure.pyfim),
        figure.algorithm,
        f"{figure.ratio:.2f}",
        f"{figure.file_ratio:.2f}",
        "–" if ratio is None else f"> {limit:g} s" if ratio == float("inf") else f"{ratio:,.0f}",
    )


def judge(figures: Sequence[Speed]) -> Iterator[Check]:
    """Yield what the times show."""
    condensed = [figure for figure in figures if figure.kind != "frequent"]
    for ratios, where in (
        ([figure.ratio for figure in condensed], "from memory"),
        ([figure.file_ratio for figure in condensed], "from file"),
    ):
        mean, least, most = statistics.geometric_mean(ratios), min(ratios), max(ratios)
        span = f"{mean:.2f}, from {least:.2f} to {most:.2f}"
        yield Check(f"closed and maximal {where}, geometric mean of pyfim ÷ ours at least {MEAN:g}", span, mean >= MEAN)
        slow = sum(ratio < LEAST for ratio in ratios)
        yield Check(f"closed and maximal {where}, no case below {LEAST:g}", f"{slow} of {len(ratios)} below", not slow)
    for figure in figures:
        if figure.kind == "frequent":
            what = f"frequent on {figure.data} {figure.share}, pyfim ÷ ours at least 1"
            yield Check(what, f"{figure.ratio:.2f}", figure.ratio >= 1)
    ended = [figure.mlxtend_ratio for figure in figures if figure.mlxtend_ratio not in {None, float("inf")}]
    if ended:
        least = min(ended)
        yield Check(f"mlxtend ÷ ours at least 20 in the {len(ended)} cases that it ended", f"{least:.1f}", least >= 20)  # noqa: PLR2004 - the aim
