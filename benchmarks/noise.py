"""Noise: our releases beside noisy supports by OpenDP on public files, as the tables of docs/differential-privacy.md.

    DISCREET_DATA=/path/to/fimi python benchmarks/noise.py             all four files; takes half an hour
    DISCREET_DATA=/path/to/fimi python benchmarks/noise.py groceries   one of them

It needs the extra dp. Noise differs from run to run, and so do the means.
"""

import sys
from collections.abc import Iterator
from time import perf_counter
from typing import Final, NamedTuple

from discreet import Transactions, compare
from discreet.blocking.noise_comparison import SHOWN, NoiseComparison, NoiseLine
from discreet.io import datasets
from discreet.runtime.text import count_of

K: Final = 10
EPSILON: Final = (0.1, 1.0, 4.0)


class NoiseCase(NamedTuple):
    """What is published of a file: its minimum support, the longest itemsets, and how many of them with noise."""

    min_support: str
    max_length: int
    top: int


CASES: Final = {
    "mushroom": NoiseCase("20%", 2, 400),
    "chess": NoiseCase("70%", 2, 250),
    "accidents_head15224": NoiseCase("70%", 2, 80),
    "groceries": NoiseCase("1%", 2, 300),
}


def measure(rows: Transactions, case: NoiseCase) -> NoiseComparison:
    """Return our releases beside noisy supports; "optimal" needs itemsets of any length, and is left out."""
    found = compare(
        rows,
        min_support=case.min_support,
        max_length=case.max_length,
        k=K,
        methods=["suppress", "add", "withhold"],
        epsilon=EPSILON,
        top=case.top,
    )
    if found.noise is None:
        raise RuntimeError("nothing was measured; is epsilon empty?")
    return found.noise


def show(name: str, n: int, comparison: NoiseComparison) -> Iterator[str]:
    """Yield the table in Markdown; of noisy supports the range over all runs follows the mean."""
    small = f"{comparison.small:,} of {comparison.groups:,} groups within these have 1 to {K - 1} rows"
    noise = f"Noise: {comparison.top:,} of {comparison.candidates:,} candidates"
    yield f"**{name}**: {n:,} rows, minimum support {CASES[name].min_support}, {comparison.itemsets:,} frequent"
    yield f"itemsets of at most {count_of(comparison.length, 'item')}; {small}. {noise}."
    yield ""
    yield f"| | loss | {' | '.join(SHOWN)} |"
    yield f"|---|---|{'---|' * len(SHOWN)}"
    for line in comparison.lines:
        yield f"| {line.name} | {line.words} | {' | '.join(cells(line))} |"


def cells(line: NoiseLine) -> list[str]:
    """Return each mean, and its range if there is one."""
    pairs = zip(line.means, line.ranges, strict=True)
    return [mean if line.loss is None or not limits else f"{mean} ({limits})" for mean, limits in pairs]


def main(names: list[str]) -> None:
    """Print the tables of the files that are named, or of all."""
    for name in names or CASES:
        start, case = perf_counter(), CASES[name]
        rows = datasets.load(name)
        print(*show(name, rows.n, measure(rows, case)), "", sep="\n", flush=True)
        print(f"\n({perf_counter() - start:.0f} seconds)", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
