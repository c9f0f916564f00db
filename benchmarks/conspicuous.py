"""Conspicuous: whether a reader of hidden rows guesses what was hidden in them, and what it costs to prevent that.

    python benchmarks/conspicuous.py                    all data sets and methods
    python benchmarks/conspicuous.py retail --seeds 3   one of them, in a few minutes

For each seed, ten itemsets of 2 to 4 items are drawn from those that are frequent and that a reader looks at, and are
hidden by each method, so that no row holds them; then again, inconspicuously. Both are attacked. It needs the data sets
(DISCREET_DATA), and takes half an hour.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean, median, stdev
from time import perf_counter
from typing import Final, NamedTuple

import numpy as np
from report import Check, line, title

from discreet import Hidden, InvertedFile, Schema, Transactions, hide
from discreet.data.itemsets import Itemset
from discreet.disclosure.attacks.surprise import LEAST, SHARE, Candidates, find_candidates
from discreet.disclosure.attacks.suspicion import GUESSES, rank_itemsets
from discreet.hiding.measures import Yardstick
from discreet.io.datasets import load

SIGMAS: Final[Mapping[str, str]] = {"retail": "0.5%", "mushroom": "20%", "T10I4D100K": "0.5%"}
"""The minimum support at which the itemsets are frequent, and at which misses are counted."""
METHODS: Final = ("naive", "minfia", "maxfia", "iga", "swa", "border")
LENGTHS: Final = (2, 3, 4)
MANY: Final = 10
SEEDS: Final = 20
WIDTHS: Final = (-10, 9, 10, 12, 9, 10, 14, 10, 9, 9)
HEADS: Final = ("", "before", "after", "guessed", "misses", "after", "guessed", "random", "kept", "misses")
ERRORS: Final = 2  # standard errors that chance may be off


class Outcome(NamedTuple):
    """What hiding ten itemsets comes to: median ranks, in percent of a length, and shares guessed, kept and missed."""

    rank_before: float
    rank: float
    guessed: float
    at_random: float
    kept: float
    missed: float


def read(name: str) -> Transactions:
    """Return a data set; a reader of mushroom knows which items are values of one attribute."""
    rows = load(name)
    if name != "mushroom":
        return rows
    columns = rows.items[rows.offsets[0] :].reshape(len(rows), -1)
    groups = [[rows.labels[item] for item in np.unique(column)] for column in columns.T]
    return rows.describe(schema=Schema.of(groups, rows.labels))


def draw(rows: Transactions, found: Mapping[int, Candidates], sigma: int, seed: int) -> list[Itemset]:
    """Return itemsets of each length in turn, of those that are frequent and that a reader looks at."""
    generator, chosen = np.random.default_rng(seed), list[Itemset]()
    frequent = [found[length].itemsets[found[length].supports >= sigma] for length in LENGTHS]
    places = [generator.permutation(len(itemsets)) for itemsets in frequent]
    for turn in range(MANY):
        at = turn % len(LENGTHS)
        codes = frequent[at][places[at][turn // len(LENGTHS)]].tolist()
        chosen.append(frozenset(rows.labels[item] for item in codes))
    return chosen


class Field(NamedTuple):
    """Rows to hide in, the itemsets that a reader of them looks at, and the minimum support that counts."""

    rows: Transactions
    index: InvertedFile
    least: int
    found: Mapping[int, Candidates]
    sigma: int

    @classmethod
    def of(cls, name: str) -> "Field":
        """Return a data set with all that is found in it."""
        rows = read(name)
        least, sigma = max(LEAST, -(-len(rows) // SHARE)), SIGMAS[name]
        return cls(rows, InvertedFile(rows), least, look(rows, least), -(-int(len(rows) * float(sigma[:-1])) // 100))

    def try_all(self, seed: int) -> Iterator[tuple[str, Outcome, Outcome]]:
        """Yield what each method comes to, plain and inconspicuous."""
        sensitive = draw(self.rows, self.found, self.sigma, seed)
        yardstick = Yardstick.of(self.rows, sensitive, [self.sigma])
        for method in METHODS:
            plain, quiet = (
                hide(
                    self.rows,
                    sensitive,
                    method=method,
                    inconspicuous=inconspicuous,
                    seed=seed,
                    min_support=self.sigma,
                    index=self.index,
                )
                for inconspicuous in (False, True)
            )
            yield method, *(self.judge(hidden, sensitive, yardstick) for hidden in (plain, quiet))

    def judge(self, hidden: Hidden, sensitive: Sequence[Itemset], yardstick: Yardstick) -> Outcome:
        """Return what hiding comes to."""
        before = rank_itemsets(self.rows, self.found, sensitive)
        after = rank_itemsets(hidden.transactions, look(hidden.transactions, self.least), sensitive)
        shares = [[100 * (one.rank or one.looked_at) / one.looked_at for one in ranks] for ranks in (before, after)]
        at_random = [min(1.0, GUESSES / one.looked_at) for one in after]
        kept = fmean((hidden.after / np.maximum(hidden.before, 1)).tolist())
        missed = yardstick.measure(hidden.transactions)[0].misses_cost
        guessed = fmean(one.guessed for one in after)
        return Outcome(median(shares[0]), median(shares[1]), guessed, fmean(at_random), kept, missed)


def look(rows: Transactions, least: int) -> dict[int, Candidates]:
    """Return the itemsets that a reader looks at."""
    groups = [frozenset(rows.code[label] for label in group) for group in rows.schema or ()]
    return find_candidates(rows, least=least, lengths=LENGTHS, groups=groups)


def measure(name: str, seeds: int) -> list[Check]:
    """Print a line for each method, and return whether guesses are no better than chance."""
    start, field = perf_counter(), Field.of(name)
    outcomes: dict[str, list[tuple[Outcome, Outcome]]] = {}
    for seed in range(1, seeds + 1):
        for method, plain, quiet in field.try_all(seed):
            outcomes.setdefault(method, []).append((plain, quiet))
    looked_at = ", ".join(f"{len(one.supports):,} of {length}" for length, one in field.found.items())
    title(f"{name}: {MANY} itemsets of {SIGMAS[name]} or more, {seeds} seeds; itemsets looked at: {looked_at} items")
    print(line(WIDTHS, HEADS))
    checks = []
    for method, pairs in outcomes.items():
        plain, quiet = ([pair[at] for pair in pairs] for at in (0, 1))
        excess = [one.guessed - one.at_random for one in quiet]
        error = stdev(excess) / len(excess) ** 0.5 if len(excess) > 1 else 0.0
        print(line(WIDTHS, (method, *show(plain, quiet, error))), flush=True)
        figure = f"{100 * fmean(excess):+.1f} ± {100 * error:.1f} points"
        checks.append(Check(f"{name}, {method}: no better than chance", figure, fmean(excess) <= ERRORS * error))
    print(f"{perf_counter() - start:.0f} seconds")
    return checks


def show(plain: Sequence[Outcome], quiet: Sequence[Outcome], error: float) -> Iterator[str]:
    """Yield the cells of a line."""

    def mean(outcomes: Sequence[Outcome], what: Callable[[Outcome], float]) -> float:
        return fmean(map(what, outcomes))

    yield f"{mean(plain, lambda one: one.rank_before):.1f}%"
    yield f"{mean(plain, lambda one: one.rank):.1f}%"
    yield f"{mean(plain, lambda one: one.guessed):.1%}"
    yield f"{mean(plain, lambda one: one.missed):.1%}"
    yield f"{mean(quiet, lambda one: one.rank):.1f}%"
    yield f"{mean(quiet, lambda one: one.guessed):.1%} ± {error:.1%}"
    yield f"{mean(quiet, lambda one: one.at_random):.1%}"
    yield f"{mean(quiet, lambda one: one.kept):.0%}"
    yield f"{mean(quiet, lambda one: one.missed):.1%}"


def main() -> None:
    """Print all tables, and what they show."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", default=list(SIGMAS), metavar="NAME")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    asked = parser.parse_args()
    checks = [check for name in asked.names for check in measure(name, asked.seeds)]
    print()
    for check in checks:
        print(check)


if __name__ == "__main__":
    main()
