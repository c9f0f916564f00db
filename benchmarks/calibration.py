"""Calibration: do patterns of a belief of 0.8 turn out small 8 times in 10? Generated databases, and public data.

    python benchmarks/calibration.py                          about ten minutes
    python benchmarks/calibration.py --pictures docs/images   and the pictures of docs/belief.md
    python benchmarks/calibration.py --quick                  does it run? A minute, too few databases

Databases are drawn in several ways and published as their frequent itemsets; belief reads that alone. If they are drawn
from its prior, and a pattern is about all items, its beliefs are right by Bayes' rule, and anything else is a bug. The
other lines show what is lost: where belief looks at some items only, and where the prior is not the truth. Public data
(DISCREET_DATA) are one database each; there, readers name the patterns of their largest beliefs, and hits are counted
against false alarms. Everything is drawn from a seed. Times decide nothing, unless a file says that seconds were over.
"""

import argparse
import sys
from collections.abc import Sequence
from math import isclose
from pathlib import Path
from typing import Final

import alarms
import worlds
from forecasts import BINS, Forecasts, find_interval, raise_alarms
from pictures import Chart, Group, draw_charts, draw_groups, overlap
from report import line, title
from worlds import World

from discreet import GuaranteeError, InputError, belief, mine
from discreet.io import datasets

SEED: Final = 7
QUICK: Final = 20  # databases of each world
RATES: Final = (1e-2, 1e-3)  # of false alarms
WIDTHS: Final = (-52, 10, 9, 9, 11, 10)
BIN_WIDTHS: Final = (-36, *(12,) * BINS)
FILE_WIDTHS: Final = (-26, 8, 4, 10, 9, 8)

ROWS: Final = "rows at random, entropy"
TABLES: Final = "tables at random, uniform"
WORLDS: Final = {
    ROWS: World(worlds.draw_rows, "entropy", range(2, 5), 1500),
    TABLES: World(worlds.draw_table, "uniform", range(2, 5), 1500),
    f"{ROWS}, 6 to 8 items": World(worlds.draw_rows, "entropy", range(6, 9), 30),
    f"{TABLES}, 6 to 8 items": World(worlds.draw_table, "uniform", range(6, 9), 30),
    "independent items, entropy": World(worlds.draw_independent, "entropy", range(2, 5), 500),
    "tables at random, entropy": World(worlds.draw_table, "entropy", range(2, 5), 500),
    "rows at random, uniform": World(worlds.draw_rows, "uniform", range(2, 5), 500),
    "patients, entropy": World(worlds.draw_patients, "entropy", range(2, 5), 500),
    "patients, uniform": World(worlds.draw_patients, "uniform", range(2, 5), 500),
}
CASES: Final = (
    alarms.Case("accidents_head15224", "80%", 10),
    alarms.Case("groceries", "8%", 10),
    alarms.Case("mushroom", "50%", 10),
    alarms.Case("chess", "95%", 10),
    alarms.Case("retail", "3%", 10),
    alarms.Case("BMS-WebView-1", "2.3%", 10),
)
CHARTED: Final = {
    "accidents_head15224 80%": "traffic accidents",
    "retail 3%": "supermarket (retail)",
    "BMS-WebView-1 2.3%": "clicks (BMS-WebView-1)",
}
"""The public data in the chart."""
SHOWN: Final = 10  # patterns of a bin in the chart
ABOUT: Final = (
    "Four charts of the share of patterns that are small against the belief in them, with 95 % intervals. Databases "
    "drawn from the prior: patterns of all items lie on the diagonal; with uniform, patterns of some items lie above "
    "it for large beliefs and below it for small ones. Drawn otherwise: independent items lie on it; patients, and "
    "tables at random still more, are flatter. Public data: see the table beside the chart."
)
CLINIC: Final = [["asthma"]] * 10 + [["flu"]] * 10 + [["asthma", "flu"]] * 4 + [[]] * 16  # as in docs/belief.md
LEAST: Final = 10  # minimum support and k there
PROVED: Final = [["asthma"]] * 7 + [["flu"]] * 23 + [["asthma", "flu"]] * 7 + [[]] * 3


def simulate(*, quick: bool) -> dict[str, Forecasts]:
    """Print how good the beliefs of each world are, of patterns about all items and about some; return them."""
    title("Generated databases, drawn and believed: Brier scores, and how far bins are off, in standard errors")
    print(line(WIDTHS, ("drawn, prior: patterns", "patterns", "Brier", "if right", "a constant", "worst bin")))
    found = dict[str, Forecasts]()
    for name, world in WORLDS.items():
        seen = worlds.look_at(world._replace(many=QUICK) if quick else world, SEED)
        for words, is_chosen in (("all items", seen.is_whole), ("some items", ~seen.is_whole)):
            if is_chosen.any():
                found[f"{name}: {words}"] = seen.forecasts.choose(is_chosen)
                print(line(WIDTHS, _summarise(f"{name}: {words}", found[f"{name}: {words}"])), flush=True)
    print_bins(found)
    return found


def _summarise(name: str, forecasts: Forecasts) -> tuple[object, ...]:
    ours, right, constant = forecasts.score()
    worst = max((one.apart for one in forecasts.list_bins()), default=0.0)
    return name, f"{forecasts.beliefs.size:,}", f"{ours:.4f}", f"{right:.4f}", f"{constant:.4f}", f"{worst:.1f}"


def print_bins(found: dict[str, Forecasts]) -> None:
    """Print for each bin of beliefs the share of small patterns, with a standard error, in percent."""
    title("Of patterns with a belief in each bin, so many percent are small (± a standard error)")
    heads = [f"{100 * at // BINS}–{100 * (at + 1) // BINS} %" for at in range(BINS)]
    print(line((-52, *(10,) * BINS), ("drawn, prior: patterns", *heads)))
    for name, forecasts in found.items():
        bins = {round(BINS * one.low): one for one in forecasts.list_bins()}
        cells = [
            f"{100 * bins[at].share:.0f} ± {100 * bins[at].error:.0f}" if at in bins else "–" for at in range(BINS)
        ]
        print(line((-52, *(10,) * BINS), (name, *cells)))


def look_at_files(cases: Sequence[alarms.Case]) -> dict[str, Forecasts]:
    """Print how many small patterns readers find in public data at rates of false alarms; return the beliefs."""
    found = dict[str, Forecasts]()
    for case in cases:
        try:
            rows = datasets.load(case.name)
        except InputError as error:
            print(f"{case.name} is left out: {error}")
            continue
        result = alarms.look_at(rows, case)
        name = f"{case.name} {case.share}"
        found[name] = result.forecasts
        _print_file(name, case, len(rows), result)
    if found:
        print_bins(found)
    return found


def _print_file(name: str, case: alarms.Case, n: int, result: alarms.Result) -> None:
    forecasts = result.forecasts
    small = int(forecasts.is_small.sum())
    title(f"{name} of {n:,} rows, k = {case.k}, prior {case.prior}: {result.itemsets:,} closed itemsets published")
    print(f"{result.universes:,} combinations of items, {forecasts.beliefs.size:,} patterns, {small:,} of them small")
    ours, right, constant = forecasts.score()
    print(f"Brier score {ours:.5f}; {right:.5f} if the beliefs were right; {constant:.5f} for a constant")
    for rate in RATES:
        hits, false = raise_alarms(forecasts.beliefs, forecasts.is_small, rate)
        told = f"{_describe(hits, small)}, {false:,} false alarms"
        print(f"belief, false alarms up to {rate:g}: {told}; guessing: {rate:.1%}")
    proven = forecasts.is_small & result.is_proven
    wrong = int((result.is_proven & ~forecasts.is_small).sum())
    print(f"proof, no false alarms: {_describe(int(proven.sum()), small)}, {wrong} wrong")
    for words in result.left_out:
        print(f"left out: {words}")
    sys.stdout.flush()


def _describe(hits: int, many: int) -> str:
    low, high = find_interval(hits, many)
    return f"{hits:,} hits, {hits / max(1, many):.1%} ({low:.1%} to {high:.1%})"


def draw(found: dict[str, Forecasts], files: dict[str, Forecasts], folder: Path) -> None:
    """Write the pictures of docs/belief.md."""
    charts = [
        _chart(
            "Drawn from the prior entropy",
            {
                "patterns of all items": found.get(f"{ROWS}: all items"),
                "patterns of some of 6 to 8 items": found.get(f"{ROWS}, 6 to 8 items: some items"),
            },
        ),
        _chart(
            "Drawn from the prior uniform",
            {
                "patterns of all items": found.get(f"{TABLES}: all items"),
                "patterns of some of 6 to 8 items": found.get(f"{TABLES}, 6 to 8 items: some items"),
            },
        ),
        _chart(
            "Drawn otherwise, prior entropy",
            {
                "independent items": found.get("independent items, entropy: all items"),
                "patients of a clinic": found.get("patients, entropy: all items"),
                "tables at random": found.get("tables at random, entropy: all items"),
            },
        ),
        _chart("Public data, prior entropy", {words: files.get(name) for name, words in CHARTED.items()}),
    ]
    svg = draw_charts([one for one in charts if one.curves], ABOUT)
    folder.joinpath("belief-calibration.svg").write_bytes(svg)
    folder.joinpath("belief-groups.svg").write_bytes(draw_groups(list_groups(), LEAST))


def _chart(head: str, curves: dict[str, Forecasts | None]) -> Chart:
    """Return a chart of the curves that there are; bins of few patterns say nothing."""
    bins = {name: each.list_bins() for name, each in curves.items() if each is not None}
    return Chart(head, {name: [one for one in each if one.many >= SHOWN] for name, each in bins.items()})


def list_groups() -> list[Group]:
    """Return a group that is proved to be small, one that is nearly certain to be, and one that may be.

    >>> [one.describe(10) for one in list_groups()]
    ['1 to 9 people: 100 %', '1 to 9 people: 99.9 %', '1 to 9 people: 60.4 %']
    """
    both = overlap(14, 14, 40, LEAST - 1)
    groups = [
        Group("asthma ∧ flu, if 30 have the flu", "Proved", overlap(14, 30, 40, LEAST - 1)),
        Group("asthma ∧ flu", "Nearly certain", both),
        Group("asthma ∧ ¬flu", "Possible", {14 - many: chance for many, chance in both.items()}),
    ]
    for rows, place, group in ((PROVED, 0, groups[0]), (CLINIC, 0, groups[1]), (CLINIC, 1, groups[2])):
        told = float(belief(mine(rows, min_support=LEAST), k=LEAST).patterns[place].belief)
        if not isclose(told, group.find_small(LEAST)):
            raise GuaranteeError(f"{group.name} has another belief: {told}")
    return groups


def main(arguments: Sequence[str] | None = None) -> None:
    """Print all tables, and draw the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few databases, and no files")
    parser.add_argument("--pictures", type=Path, help="a folder for the pictures")
    options = parser.parse_args(arguments)
    found = simulate(quick=options.quick)
    files = {} if options.quick else look_at_files(CASES)
    if options.pictures:
        draw(found, files, options.pictures)


if __name__ == "__main__":
    main()
