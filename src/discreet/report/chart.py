"""A trade-off as a chart of plain characters, for a terminal of 80 columns."""

import math
from collections.abc import Iterator
from typing import Final

from discreet.judging.tradeoff import Tradeoff
from discreet.report.text import share

MARKS: Final = "●■▲◆○□△◇"
"""One for each k, the smallest first; each can be told in ASCII by another sign (see the command line)."""

HEIGHT: Final = 12
WIDTH: Final = 64
LOGARITHMIC_FROM: Final = 50
"""Times that the largest number must be the smallest (above 0) for the scale to be logarithmic."""


def chart(tradeoff: Tradeoff) -> Iterator[str]:
    """Yield the lines of a chart: the number of maximal channels over the minimum support, a curve for each k."""
    most = int(tradeoff.channels.max())
    least = int(tradeoff.channels[tradeoff.channels > 0].min(initial=most))
    scale = Scale(most, logarithmic=most > LOGARITHMIC_FROM * max(1, least))
    canvas = [[" "] * WIDTH for _ in range(HEIGHT + 1)]
    columns = places(len(tradeoff.min_supports))
    # The smallest k last: where curves meet, it is seen.
    for number in reversed(range(len(tradeoff.ks))):
        values = tradeoff.channels[:, number].tolist()
        _draw(canvas, columns, [scale.height(value) for value in values], MARKS[number % len(MARKS)])
    yield f"Maximal channels over minimum support{', logarithmic scale' * scale.logarithmic}:"
    legend = [f"{MARKS[number % len(MARKS)]} k = {k:,}" for number, k in enumerate(tradeoff.ks)]
    yield from ("  " + "   ".join(legend[start : start + 6]) for start in range(0, len(legend), 6))
    names = scale.ticks()
    width = max(map(len, names.values()))
    for height in range(HEIGHT, -1, -1):
        name = names.get(height, "")
        yield f"  {name:>{width}} {'┤' if name else '│'}{''.join(canvas[height])}".rstrip()
    yield f"  {'':>{width}} └{'─' * WIDTH}"
    yield f"  {'':>{width}}  {_under(columns, [share(count, tradeoff.n) for count in tradeoff.min_supports])}".rstrip()


class Scale:
    """Where a number stands on the axis: from 0 at the bottom to ``most`` at the top."""

    def __init__(self, most: int, *, logarithmic: bool) -> None:
        """Keep the largest number, and whether the scale is logarithmic."""
        self.most = max(1, most)
        self.logarithmic = logarithmic

    def height(self, value: float) -> int:
        """Return the line of the chart that a number stands on.

        >>> Scale(100, logarithmic=False).height(50), Scale(99, logarithmic=True).height(9)
        (6, 6)
        """
        if self.logarithmic:
            return round(HEIGHT * math.log(1 + value) / math.log(1 + self.most))
        return round(HEIGHT * value / self.most)

    def ticks(self) -> dict[int, str]:
        """Return the numbers that the axis names, by their lines: 0, the largest, and some between.

        >>> sorted(Scale(100, logarithmic=False).ticks().items())
        [(0, '0'), (6, '50'), (12, '100')]
        """
        powers = [10**power for power in range(len(str(self.most)))]
        between = powers if self.logarithmic else [self.most // 2]
        return {self.height(value): f"{value:,}" for value in (*between, 0, self.most)} | {0: "0"}


def places(many: int) -> list[int]:
    """Return the columns of so many minimum supports, spread evenly.

    >>> places(1), places(3)
    ([32], [5, 31, 58])
    """
    margin = 5
    if many == 1:
        return [WIDTH // 2]
    return [margin + number * (WIDTH - 1 - 2 * margin) // (many - 1) for number in range(many)]


def _draw(canvas: list[list[str]], columns: list[int], heights: list[int], mark: str) -> None:
    """Draw a curve: dots from point to point, and a mark at each."""
    for at in range(len(columns) - 1):
        start, stop = columns[at], columns[at + 1]
        for column in range(start + 1, stop):
            part = (column - start) / (stop - start)
            height = round(heights[at] + part * (heights[at + 1] - heights[at]))
            if canvas[height][column] == " ":
                canvas[height][column] = "·"
    for column, height in zip(columns, heights, strict=True):
        canvas[height][column] = mark


def _under(columns: list[int], names: list[str]) -> str:
    """Return a line with a name under each column; names that would run into the one before are left out."""
    line = ""
    for column, name in zip(columns, names, strict=True):
        start = max(0, column - len(name) // 2)
        if not line or start > len(line):
            line = line.ljust(start) + name
    return line
