"""Audit: from a file to a verdict, against pyfim, which only mines; how its time grows; a grid of thresholds."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

import growth
import peers
from cases import Case, compared, nonempty
from clock import Effort, race
from report import Check, Part, line, milliseconds, title
from sources import Source
from speed import choose, from_file, quickest

from discreet import Patterns, Transactions, Verdict, audit, read, tradeoff

K: Final = 10
KS: Final = (3, 5, 10, 20, 30, 50)
WIDTHS: Final = (-25, 10, -12, 11, 11, 10, 9)
HEADS: Final = ("case, k = 10", "closed", "  verdict", "audit ms", "pyfim ms", "by", "ratio")
GRID_WIDTHS: Final = (-25, 14, 14, 9)
GRID_HEADS: Final = ("grid", "trade-off ms", "one audit ms", "ratio")
AIM: Final = 1.5
GRID_AIM: Final = 3.0


class Audited(NamedTuple):
    """Seconds from a file to a verdict, and those of pyfim from the file to the closed itemsets."""

    data: str
    share: str
    itemsets: int
    verdict: str
    audit: float
    pyfim: float
    algorithm: str

    @property
    def ratio(self) -> float:
        """How many times longer the audit takes."""
        return self.audit / self.pyfim


class Grid(NamedTuple):
    """Seconds of a trade-off, and of one audit at its lowest share, ``share``."""

    data: str
    share: str
    tradeoff: float
    audit: float

    @property
    def ratio(self) -> float:
        """How many audits the trade-off takes."""
        return self.tradeoff / self.audit


def measure(sources: Sequence[Source], effort: Effort) -> Part:
    """Print the times of audits of ``sources``, how they grow, and those of trade-offs; return all."""
    title(f"Audit: from file to verdict, k = {K}, one thread; pyfim reads the file and mines closed itemsets only")
    print(line(WIDTHS, HEADS))
    algorithms = peers.pyfim()
    figures = []
    for case in (case for source in sources for case in compared(source) if case.kind == "closed"):
        figures.append(compare(case, choose(algorithms, case), effort))
        print(line(WIDTHS, cells(figures[-1])), flush=True)
    title(f"Audit: rows of T10 I4 in memory at {growth.SHARE}, k = {K}, one thread")
    grown = growth.grow(audited, effort)
    title(f"Trade-off: from memory, k of {', '.join(map(str, KS))}; against one audit at the lowest share")
    print(line(GRID_WIDTHS, GRID_HEADS))
    grids = []
    for source in (source for source in sources if source.plan.tradeoff):
        grids.append(grid(source, effort))
        print(line(GRID_WIDTHS, grid_cells(grids[-1], len(source.plan.tradeoff))), flush=True)
    every = [*(figure._asdict() for figure in (*figures, *grids)), *grown.figures]
    return Part(every, [*judge(figures), *grown.checks, *judge_grids(grids)])


def compare(case: Case, algorithms: Mapping[str, peers.Peer], effort: Effort) -> Audited:
    """Return the times of a case: ours, and those of the best of ``algorithms``."""
    itemsets = nonempty(case.mine())
    theirs = {name: partial(from_file, case, peer) for name, peer in algorithms.items()}
    near = quickest(case, itemsets, theirs)
    best = race({"audit": partial(verdict, case)} | near, effort)
    algorithm = min(near, key=best.__getitem__)
    times = (best["audit"], best[algorithm], algorithm)
    return Audited(case.source.name, case.share, itemsets, verdict(case).name, *times)


def verdict(case: Case) -> Verdict:
    """Return what we say about the file."""
    return audit(read(case.source.path), min_support=case.share, k=K, threads=1).verdict


def audited(rows: Transactions) -> Patterns:
    """Return the itemsets of an audit from memory; all that its verdict hangs on has been found by then."""
    return audit(rows, min_support=growth.SHARE, k=K, threads=1).patterns


def grid(source: Source, effort: Effort) -> Grid:
    """Return the times of a trade-off, and of one audit at its lowest share."""
    rows, shares = source.transactions, source.plan.tradeoff
    runs = {
        "tradeoff": partial(tradeoff, rows, min_supports=shares, ks=KS, threads=1),
        "audit": partial(audit, rows, min_support=shares[-1], k=K, threads=1),
    }
    return Grid(source.name, shares[-1], **race(runs, effort))


def cells(figure: Audited) -> tuple[str, ...]:
    """Return a row of the table."""
    times = (milliseconds(figure.audit), milliseconds(figure.pyfim), figure.algorithm, f"{figure.ratio:.2f}")
    return (f"{figure.data} {figure.share}", f"{figure.itemsets:,}", f"  {figure.verdict}", *times)


def grid_cells(figure: Grid, shares: int) -> tuple[str, ...]:
    """Return a row of the table."""
    times = (milliseconds(figure.tradeoff), milliseconds(figure.audit), f"{figure.ratio:.2f}")
    return (f"{figure.data}, {shares} × {len(KS)}", *times)


def judge(figures: Sequence[Audited]) -> Iterator[Check]:
    """Yield what the audits show."""
    if figures:
        ratios = [figure.ratio for figure in figures]
        mean, least, most = statistics.geometric_mean(ratios), min(ratios), max(ratios)
        what = f"file to verdict, geometric mean of audit ÷ pyfim (closed itemsets only) at most {AIM}"
        yield Check(what, f"{mean:.2f}, from {least:.2f} to {most:.2f}", mean <= AIM)


def judge_grids(figures: Sequence[Grid]) -> Iterator[Check]:
    """Yield what the trade-offs show."""
    for figure in figures:
        what = f"trade-off on {figure.data} at most {GRID_AIM:g} times one audit at {figure.share}"
        yield Check(what, f"{figure.ratio:.2f}", figure.ratio <= GRID_AIM)
