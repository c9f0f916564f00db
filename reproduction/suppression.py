"""What suppressing rows costs: the three measures of ICDM 2005."""

from collections.abc import Iterator, Sequence
from typing import Final

from discreet.blocking.block import block
from discreet.data.transactions import Transactions
from reproduction.figure import Axis, Point, chosen, steps

ROWS: Final = "rows suppressed"
CHANGED: Final = "itemsets changed, %"
AVERAGE: Final = "average distortion, %"
ENDS: Final = {ROWS: 1400, CHANGED: 100, AVERAGE: 3}
"""Where the printed axes end."""


def measures(data: str, rows: Transactions, shares: Sequence[str], ks: Sequence[int]) -> Iterator[Point]:
    """Yield rows suppressed, itemsets changed and the average distortion for each minimum support and k.

    >>> rows = Transactions([["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50)
    >>> [point.value for point in measures("toy", rows, ["10%"], [10])]
    [2, 50.0, 1.75]
    """
    for share in shares:
        for k in ks:
            release = block(rows, min_support=share, k=k, method="suppress")
            cost = release.distortion
            values = {
                ROWS: release.rows_suppressed,
                CHANGED: round(100 * cost.share_changed, 4),
                AVERAGE: round(100 * cost.average, 4),
            }
            for measure, value in values.items():
                yield Point(measure, data, share, release.patterns.min_support, k, "suppress", value)


def shape(points: Sequence[Point]) -> Iterator[str]:
    """Yield how the measures go with minimum support and k, and whether they fit what is printed: axes and words."""
    yield f"As the minimum support rises, these never rise: {_steps(points, 'share', rises=False)}."
    yield f"As k rises, these never fall: {_steps(points, 'k', rises=True)}."
    most, average = (max(point.value or 0 for point in chosen(points, measure=name)) for name in (CHANGED, AVERAGE))
    inside = sum(point.value is not None and point.value <= ENDS[point.measure] for point in points)
    yield (
        f"In the paper, nearly all itemsets are changed, but little: here at most {most:.1f} % of them, and by at most "
        f"{average:.2f} % on average. Its axes end at 1,400 rows, 100 % and 3 %: {inside} of {len(points)} numbers are "
        "within."
    )


def _steps(points: Sequence[Point], along: Axis, *, rises: bool) -> str:
    told = {measure: steps(points, measure, along, rises=rises) for measure in ENDS}
    return ", ".join(f"{measure.removesuffix(', %')} in {count}" for measure, count in told.items())
