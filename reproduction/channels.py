"""How many channels there are: the maximal ones over minimum support and k, and against all."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from discreet.data.thresholds import as_count
from discreet.data.transactions import Transactions
from discreet.disclosure.detect import detect
from discreet.judging.tradeoff import tradeoff
from discreet.mining.mine import mine
from reproduction.figure import Point, chosen, steps

MAXIMAL: Final = "maximal channels"
ALL: Final = "channels"
MOST: Final = 20_000
"""Channels up to which all of them are counted."""
TIMES: Final = 10
"""An order of magnitude."""


def maximal(data: str, rows: Transactions, shares: Sequence[str], ks: Sequence[int]) -> Iterator[Point]:
    """Yield the number of maximal channels for each minimum support and k.

    >>> rows = Transactions([["a", "b"]] * 6 + [["a"]] * 3 + [["b"]] * 2 + [[]] * 9)
    >>> [int(point.value) for point in maximal("toy", rows, ["25%", "45%"], [3, 4])]
    [1, 2, 0, 0]
    """
    grid = tradeoff(rows, min_supports=shares, ks=ks)
    for share in shares:
        count = as_count(share, len(rows))
        line = grid.channels[grid.min_supports.index(count)].tolist()
        yield from (Point(MAXIMAL, data, share, count, k, "", line[grid.ks.index(k)]) for k in ks)


def maximal_of_all(data: str, rows: Transactions, shares: Sequence[str], ks: Sequence[int]) -> Iterator[Point]:
    """Yield the number of all channels and that of the maximal ones for each minimum support and k."""
    for share in shares:
        closed = mine(rows, min_support=share)
        for k in ks:
            channels = detect(closed, k=k)
            every = sum(1 for _ in islice(channels.expand(closed), MOST + 1))
            yield Point(ALL, data, share, closed.min_support, k, "", every if every <= MOST else None)
            yield Point(MAXIMAL, data, share, closed.min_support, k, "", len(channels))


def falling(points: Sequence[Point]) -> Iterator[str]:
    """Yield in how many steps the maximal channels become fewer as the minimum support rises: in the paper, always."""
    told = steps(points, MAXIMAL, "share", rises=False)
    yield f"In the paper, maximal channels become fewer as the minimum support rises: here they never rise in {told}."


def rising(points: Sequence[Point]) -> Iterator[str]:
    """Yield in how many steps the maximal channels become more as k rises: in the paper, always."""
    told = steps(points, MAXIMAL, "k", rises=True)
    yield f"In the paper, maximal channels become more as k rises: here they never fall in {told}."


def both(points: Sequence[Point]) -> Iterator[str]:
    """Yield how the maximal channels go with minimum support and k, and from where on there are none."""
    yield (
        f"As the minimum support rises, maximal channels never rise in {steps(points, MAXIMAL, 'share', rises=False)}; "
        f"as k rises, they never fall in {steps(points, MAXIMAL, 'k', rises=True)}."
    )
    every = dict.fromkeys(point.data for point in points)
    safe = "; ".join(f"{data}: {_safe(chosen(points, data=data))}" for data in every)
    yield f"The paper looks for the lowest minimum support without a channel. Of these, it is, {safe}."


def condensed(points: Sequence[Point]) -> Iterator[str]:
    """Yield how many times fewer the maximal channels are than all: in the paper, by an order of magnitude."""
    every = {point.place: point.value for point in chosen(points, measure=ALL)}
    pairs = [(every[point.place], point.value) for point in chosen(points, measure=MAXIMAL)]
    times = [all_ / few for all_, few in pairs if all_ is not None and few]
    span = f" (from {min(times):.1f} to {max(times):.1f} times)" if times else ""
    yield (
        f"In the paper, maximal channels are fewer than all by an order of magnitude: here {TIMES} times or more at "
        f"{sum(time >= TIMES for time in times)} of {len(times)} points{span}."
    )


def _safe(points: Sequence[Point]) -> str:
    """Return for each k the lowest minimum support without a channel; what is safe stays safe at every higher one."""
    found: dict[str, list[str]] = {}
    for k in dict.fromkeys(point.k for point in points):
        safe = [point for point in chosen(points, k=k) if point.value == 0]
        share = min(safe, key=lambda point: point.min_support).share if safe else "none"
        found.setdefault(share, []).append(str(k))
    return ", ".join(f"{share} for k = {', '.join(ks)}" for share, ks in found.items())
