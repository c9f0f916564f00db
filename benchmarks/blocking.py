"""Block: suppressing and adding rows against one mining and one detection, and against mining anew each round."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

import numpy as np
from clock import Effort, race
from report import Check, Part, line, milliseconds, title
from sources import Source

from discreet import Channels, Transactions, block, detect, mine

WIDTHS: Final = (-25, 8, 14, 13, 8, 10, 8, 12)
HEADS: Final = ("case", "rounds", "mine+detect ms", "suppress ms", "ratio", "add ms", "ratio", "anew ÷ ours")
SUPPRESS_AIM: Final = 3.0
ADD_AIM: Final = 1.2


class Blocked(NamedTuple):
    """Seconds of one mining and one detection, of both ways to block, and of suppression that mines anew each round."""

    data: str
    share: str
    k: int
    rounds: int
    once: float
    suppress: float
    add: float
    anew: float


def measure(sources: Sequence[Source], effort: Effort) -> Part:
    """Print the times of blocking on ``sources``; return them."""
    title("Block: from memory to a checked release, one thread, against mining and detecting once")
    print(line(WIDTHS, HEADS))
    figures = []
    for source in sources:
        for share, k in source.plan.blocked:
            figures.append(compare(source, share, k, effort))
            print(line(WIDTHS, cells(figures[-1])), flush=True)
    return Part([figure._asdict() for figure in figures], list(judge(figures)))


def compare(source: Source, share: str, k: int, effort: Effort) -> Blocked:
    """Return the times of a case; that mining anew leaves the same rows is seen to."""
    rows = source.transactions
    ours = partial(block, rows, min_support=share, k=k, threads=1)
    release = ours(method="suppress")
    left = anew(rows, share, k)
    if len(left) != release.patterns.n:
        raise ValueError(f"{source.name} {share}: {len(left)} rows are left by mining anew, {release.patterns.n} by us")
    runs = {
        "once": partial(once, rows, share, k),
        "suppress": partial(ours, method="suppress"),
        "add": partial(ours, method="add"),
        "anew": partial(anew, rows, share, k),
    }
    return Blocked(source.name, share, k, release.rounds or 0, **race(runs, effort))


def once(rows: Transactions, share: str | int, k: int) -> Channels:
    """Return the channels: one mining, one detection."""
    return detect(mine(rows, min_support=share, threads=1), k=k, rows=rows, threads=1)


def anew(rows: Transactions, share: str, k: int) -> Transactions:
    """Return the rows that suppression leaves, mined and looked through anew in each round."""
    least = mine(rows, min_support=share, threads=1).min_support
    while len(channels := once(rows, least, k)):
        hit = np.zeros(len(rows), dtype=np.bool_)
        hit[channels.rows(rows).numbers] = True
        lengths = np.diff(rows.offsets)
        offsets = np.concatenate([[0], np.cumsum(lengths[~hit])])
        rows = Transactions.from_codes(offsets, rows.items[np.repeat(~hit, lengths)], rows.labels)
    return rows


def cells(figure: Blocked) -> tuple[str, ...]:
    """Return a row of the table."""
    return (
        f"{figure.data} {figure.share}, k = {figure.k}",
        str(figure.rounds),
        milliseconds(figure.once),
        milliseconds(figure.suppress),
        f"{figure.suppress / figure.once:.2f}",
        milliseconds(figure.add),
        f"{figure.add / figure.once:.2f}",
        f"{figure.anew / figure.suppress:.2f}",
    )


def judge(figures: Sequence[Blocked]) -> Iterator[Check]:
    """Yield what the times show."""
    for figure in figures:
        what = f"{figure.data} {figure.share}, k = {figure.k}: at most {{}} times one mining and one detection"
        for name, seconds, aim in (("suppress", figure.suppress, SUPPRESS_AIM), ("add", figure.add, ADD_AIM)):
            ratio = seconds / figure.once
            yield Check(f"{name} on {what.format(f'{aim:g}')}", f"{ratio:.2f}", ratio <= aim)
