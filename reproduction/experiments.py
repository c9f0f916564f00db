"""The experiments by name: which figure of which paper, on which data, at which minimum supports and k or disclosures.

Where a paper does not print its minimum supports or k, they are ours: docs/reproduction.md says which.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from discreet.data.transactions import Transactions
from reproduction import channels, hiding, suppression, times
from reproduction.figure import Axis, Point, View

Measure: TypeAlias = Callable[[str, Transactions, Sequence[str], Sequence[int]], Iterator[Point]]
Shape: TypeAlias = Callable[[Sequence[Point]], Iterator[str]]


class Part(NamedTuple):
    """What is measured, at which minimum supports of which data sets and which settings; its shape, how it is seen.

    Settings are values of k or, where itemsets are hidden, of the disclosure in percent, or of what else is varied.
    """

    measure: Measure
    shares: Mapping[str, Sequence[str]]
    settings: Sequence[int]
    shape: Shape
    views: Sequence[View]


class Experiment(NamedTuple):
    """A figure of a paper: what it shows, and its parts."""

    title: str
    parts: Sequence[Part]

    @property
    def data(self) -> tuple[str, ...]:
        """The names of its data sets."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.shares))

    def on(self, data: str) -> "Experiment":
        """Return the same experiment on one other data set, at the minimum supports of the first."""
        parts = [part._replace(shares={data: next(iter(part.shares.values()))}) for part in self.parts]
        return self._replace(parts=parts)


MUSHROOM: Final = {"mushroom": ("10%", "15%", "20%", "25%")}
CHESS: Final = {"chess": ("75%", "80%", "85%", "90%")}
MUSHROOM_AT: Final = {"mushroom": ("15%",)}
CHESS_AT: Final = {"chess": ("80%",)}
KS: Final = tuple(range(10, 51, 5))
QUEST: Final = "quest"
"""Rows that are generated: see ``hiding.quest_rows``."""
PERCENTS: Final = tuple(range(0, 101, 10))


def _times(number: int, shares: Mapping[str, Sequence[str]], ks: Sequence[int]) -> Experiment:
    """Return a figure of WAIM 2008 that shows how long detectors take, over what there is more than one of."""
    axis, over, shape = _axis(shares, ks, times.over_share, times.over_k)
    view = View(times.SECONDS, axis, "method", is_logarithmic=True)
    part = Part(times.seconds(times.OICD, times.PMICD, times.OURS), shares, ks, shape, [view])
    return Experiment(f"WAIM 2008, figure {number}: time of detectors over {over}", [part])


def _counts(number: int, shares: Mapping[str, Sequence[str]], ks: Sequence[int]) -> Experiment:
    """Return a figure of WAIM 2008 that shows how many maximal channels there are, over the same."""
    axis, over, shape = _axis(shares, ks, channels.falling, channels.rising)
    view = View(channels.MAXIMAL, axis, "k" if axis == "share" else "share")
    part = Part(channels.maximal, shares, ks, shape, [view])
    return Experiment(f"WAIM 2008, figure {number}: maximal channels over {over}", [part])


def _axis(
    shares: Mapping[str, Sequence[str]], ks: Sequence[int], by_share: Shape, by_k: Shape
) -> tuple[Axis, str, Shape]:
    """Return what a figure has from left to right, in words too, and the shape to look for."""
    if len(ks) == 1:
        return "share", f"minimum support, k = {ks[0]}", by_share
    return "k", f"k, minimum support {next(iter(shares.values()))[0]}", by_k


def _hiding(number: int, method: str) -> Experiment:
    """Return a figure of Oliveira and Zaïane that shows what a method hides and misses over the minimum support."""
    return Experiment(
        f"Oliveira and Zaïane 2002, figure {number}: what {method} hides and misses over the minimum support",
        [
            Part(
                hiding.measured([hiding.FAILURE, hiding.MISSES], [method]),
                {QUEST: ("10%", "15%", "20%", "25%", "30%")},
                (0, 25, 50, 75, 100),
                hiding.over_support,
                [View(measure, "share", "disclosure") for measure in (hiding.FAILURE, hiding.MISSES)],
            )
        ],
    )


EXPERIMENTS: Final[Mapping[str, Experiment]] = {
    "icdm05-fig2": Experiment(
        "ICDM 2005, figure 2: what suppressing rows costs",
        [
            Part(
                suppression.measures,
                {"retail": ("0.4%", "0.6%", "0.8%", "1.0%", "1.2%")},
                (5, 10, 25, 50),
                suppression.shape,
                [View(measure, "share", "k") for measure in suppression.ENDS],
            )
        ],
    ),
    "pkdd05-fig2": Experiment(
        "PKDD 2005, figure 2: maximal channels against all, and the time of detectors",
        [
            Part(
                channels.maximal_of_all,
                {
                    "mushroom": ("25%", "30%", "35%", "40%", "45%"),
                    "accidents_head15224": ("65%", "70%", "75%", "80%", "85%"),
                },
                (10, 50),
                channels.condensed,
                [View(channels.MAXIMAL, "share", "k", over=channels.ALL)],
            ),
            Part(
                times.seconds(times.NAIVE, times.OICD, times.OURS),
                {"mushroom": ("20%", "25%", "30%", "35%", "40%", "45%")},
                (10,),
                times.closed_first,
                [View(times.SECONDS, "share", "method", is_logarithmic=True)],
            ),
        ],
    ),
    "pkdd05-fig3": Experiment(
        "PKDD 2005, figure 3: maximal channels over the minimum support",
        [
            Part(
                channels.maximal,
                {
                    "mushroom": ("20%", "25%", "30%", "35%", "40%", "45%", "50%", "55%", "60%"),
                    "kosarak_head36682": ("0.6%", "0.8%", "1.0%", "1.2%", "1.4%", "1.6%", "1.8%", "2.0%"),
                },
                (5, 10, 25, 50),
                channels.both,
                [View(channels.MAXIMAL, "share", "k")],
            )
        ],
    ),
    "waim08-fig5": _times(5, MUSHROOM, (30,)),
    "waim08-fig6": _times(6, CHESS, (30,)),
    "waim08-fig7": _counts(7, MUSHROOM, (30,)),
    "waim08-fig8": _counts(8, CHESS, (30,)),
    "waim08-fig9": _times(9, MUSHROOM_AT, KS),
    "waim08-fig10": _times(10, CHESS_AT, KS),
    "waim08-fig11": _counts(11, MUSHROOM_AT, KS),
    "waim08-fig12": _counts(12, CHESS_AT, KS),
    "oz02-fig5": Experiment(
        "Oliveira and Zaïane 2002, figure 5: hiding failure and misses cost over the disclosure",
        [
            Part(
                hiding.measured([hiding.FAILURE, hiding.MISSES]),
                {QUEST: (hiding.SHARE,)},
                PERCENTS,
                hiding.over_disclosure,
                [View(measure, "disclosure", "method") for measure in (hiding.FAILURE, hiding.MISSES)],
            )
        ],
    ),
    "oz02-fig6": _hiding(6, "naive"),
    "oz02-fig7": _hiding(7, "minfia"),
    "oz02-fig8": _hiding(8, "maxfia"),
    "oz02-fig9": _hiding(9, "iga"),
    "oz02-fig10": Experiment(
        "Oliveira and Zaïane 2002, figure 10: dissimilarity over the disclosure",
        [
            Part(
                hiding.measured([hiding.DISSIMILARITY]),
                {QUEST: (hiding.SHARE,)},
                PERCENTS,
                hiding.dissimilar,
                [View(hiding.DISSIMILARITY, "disclosure", "method")],
            )
        ],
    ),
    "oz02-fig11": Experiment(
        "Oliveira and Zaïane 2002, figure 11: time over rows and over sensitive itemsets",
        [
            Part(
                hiding.times_by_rows,
                {QUEST: (hiding.SHARE,)},
                (20, 40, 60, 80, 100),
                hiding.linear("n"),
                [View(hiding.BY_ROWS, "n", "method")],
            ),
            Part(
                hiding.times_by_itemsets,
                {QUEST: (hiding.SHARE,)},
                (2, 4, 6, 8, 10),
                hiding.linear("itemsets"),
                [View(hiding.BY_ITEMSETS, "itemsets", "method")],
            ),
        ],
    ),
}
"""The figures that can be made anew, by their names."""
