"""Conspicuous: whether a reader of hidden rows guesses what was hidden in them, and what it costs to prevent that.

    python benchmarks/conspicuous.py                    all data sets and methods; takes two hours
    python benchmarks/conspicuous.py retail --seeds 3 --methods minfia iga   some, in a few minutes

For each seed, ten itemsets of 2 or 3 items are drawn from those that are frequent and that a reader looks at, and are
hidden by each method so that no row holds them; then once more, inconspicuously. Both results are attacked.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, median, stdev
from time import perf_counter
from typing import Any, Final, NamedTuple

import numpy as np
from report import Check, line, title

from discreet import Hidden, InvertedFile, Schema, Transactions, hide
from discreet.data.itemsets import Itemset
from discreet.data.thresholds import as_count
from discreet.disclosure.attacks.surprise import Candidates, as_least, find_candidates
from discreet.disclosure.attacks.suspicion import GUESSES, Suspected, rank_itemsets
from discreet.hiding.hide import METHODS
from discreet.hiding.measures import Yardstick
from discreet.io.datasets import load

SIGMAS: Final[Mapping[str, str]] = {"retail": "0.5%", "mushroom": "20%", "T10I4D100K": "0.5%"}
"""The minimum support at which the itemsets are frequent, and at which misses are counted."""
LENGTHS: Final = (2, 3)
SECONDS: Final = 1.0  # for "exact", in each round
MANY: Final = 10
SEEDS: Final = 20
ERRORS: Final = 2  # standard errors that chance may be off
WIDTHS: Final = (-8, 5, 8, 9, 18, 8, 9, 15, 9, 7, 8)
HEADS: Final = ("", "seeds", "rank", "hidden:", "guessed", "misses", "quietly:", "guessed", "chance", "kept", "misses")
BELOW: Final = ("", "", "before", "rank", "of 2 / 3 items", "", "rank", "", "", "", "")


class Outcome(NamedTuple):
    """The sensitive itemsets before and after hiding, the share of their rows that they keep, and of others missed."""

    before: Sequence[Suspected]
    after: Sequence[Suspected]
    kept: float
    missed: float

    @property
    def guessed(self) -> float:
        """The share of the itemsets that are among the first guesses."""
        return fmean(one.guessed for one in self.after)

    @property
    def chance(self) -> float:
        """The same if each were guessed as before it was hidden, or at random."""
        pairs = zip(self.before, self.after, strict=True)
        return fmean(max(was.guessed, min(1.0, GUESSES / now.looked_at)) for was, now in pairs)


class Field(NamedTuple):
    """Rows to hide in, the itemsets that a reader of them looks at, and the minimum support that counts."""

    rows: Transactions
    index: InvertedFile
    found: Mapping[int, Candidates]
    sigma: int

    @classmethod
    def of(cls, name: str) -> "Field":
        """Return a data set with all that is found in it."""
        rows = read(name)
        return cls(rows, InvertedFile(rows), look(rows), as_count(SIGMAS[name], len(rows)))

    def draw(self, seed: int) -> list[Itemset]:
        """Return itemsets of each length in turn, of those that are frequent and that a reader looks at."""
        generator, chosen = np.random.default_rng(seed), list[Itemset]()
        frequent = [found.itemsets[found.supports >= self.sigma] for found in self.found.values()]
        places = [generator.permutation(len(itemsets)) for itemsets in frequent]
        for turn in range(MANY):
            round_, at = divmod(turn, len(frequent))
            chosen.append(frozenset(self.rows.labels[item] for item in frequent[at][places[at][round_]].tolist()))
        return chosen

    def try_all(self, seed: int, methods: Sequence[str]) -> Iterator[tuple[str, Outcome, Outcome]]:
        """Yield what each method comes to, plain and inconspicuous."""
        sensitive = self.draw(seed)
        yardstick = Yardstick.of(self.rows, sensitive, [self.sigma])
        for method in methods:
            how: dict[str, Any] = {"method": method, "seed": seed, "min_support": self.sigma, "index": self.index}
            how["seconds"] = SECONDS
            both = (hide(self.rows, sensitive, inconspicuous=one, **how) for one in (False, True))
            yield method, *(self.judge(hidden, sensitive, yardstick) for hidden in both)

    def judge(self, hidden: Hidden, sensitive: Sequence[Itemset], yardstick: Yardstick) -> Outcome:
        """Return what hiding comes to."""
        before = rank_itemsets(self.rows, self.found, sensitive)
        quiet = hidden.disguise and hidden.disguise.after
        after = quiet or rank_itemsets(hidden.transactions, look(hidden.transactions), sensitive)
        kept = fmean((hidden.after / hidden.before).tolist())
        return Outcome(before, after, kept, yardstick.measure(hidden.transactions)[0].misses_cost)


def read(name: str) -> Transactions:
    """Return a data set; a reader of mushroom knows which items are values of one attribute."""
    rows = load(name)
    if name != "mushroom":
        return rows
    columns = rows.itemsets.entries.reshape(len(rows), -1).T
    groups = [[rows.labels[item] for item in np.unique(column)] for column in columns]
    return rows.describe(schema=Schema.of(groups, rows.labels))


def look(rows: Transactions) -> dict[int, Candidates]:
    """Return the itemsets that a reader looks at."""
    groups = [frozenset(rows.code[label] for label in group) for group in rows.schema or ()]
    return find_candidates(rows, least=as_least(None, len(rows)), lengths=LENGTHS, groups=groups)


def measure(name: str, seeds: int, methods: Sequence[str]) -> list[Check]:
    """Print a line for each method, and return whether guesses are no better than chance."""
    start, field = perf_counter(), Field.of(name)
    outcomes: dict[str, list[tuple[Outcome, Outcome]]] = {}
    for seed in range(1, seeds + 1):
        for method, plain, quiet in field.try_all(seed, methods):
            outcomes.setdefault(method, []).append((plain, quiet))
    looked_at = " / ".join(f"{len(one.supports):,}" for one in field.found.values())
    title(f"{name}: {MANY} itemsets of {SIGMAS[name]} or more; {looked_at} itemsets looked at")
    print(f"{line(WIDTHS, HEADS)}\n{line(WIDTHS, BELOW)}")
    checks = []
    for method, pairs in outcomes.items():
        plain, quiet = ([pair[at] for pair in pairs] for at in (0, 1))
        excess = [one.guessed - one.chance for one in quiet]
        error = stdev(excess) / len(excess) ** 0.5 if len(excess) > 1 else 0.0
        print(line(WIDTHS, (method, len(pairs), *show(plain, quiet, error))), flush=True)
        figure = f"{100 * fmean(excess):+.1f} ± {100 * error:.1f} points"
        checks.append(Check(f"{name}, {method}: no better than chance", figure, fmean(excess) <= ERRORS * error))
    print(f"{perf_counter() - start:.0f} seconds")
    return checks


def show(plain: Sequence[Outcome], quiet: Sequence[Outcome], error: float) -> Iterator[str]:
    """Yield the cells of a line."""
    yield show_rank([one for outcome in plain for one in outcome.before])
    yield show_rank([one for outcome in plain for one in outcome.after])
    hidden = [one for outcome in plain for one in outcome.after]
    lengths = ([one.guessed for one in hidden if len(one.items) == length] for length in LENGTHS)
    yield " / ".join(f"{fmean(guessed):.0%}" for guessed in lengths)
    yield f"{fmean(one.missed for one in plain):.1%}"
    yield show_rank([one for outcome in quiet for one in outcome.after])
    yield f"{fmean(one.guessed for one in quiet):.1%} ± {error:.1%}"
    yield f"{fmean(one.chance for one in quiet):.1%}"
    yield f"{fmean(one.kept for one in quiet):.0%}"
    yield f"{fmean(one.missed for one in quiet):.1%}"


def show_rank(itemsets: Sequence[Suspected]) -> str:
    """Return the median rank of those that are looked at, in percent of all of their length."""
    return f"{median(100 * one.rank / one.looked_at for one in itemsets if one.rank is not None):.2g}%"


def main() -> None:
    """Print all tables, and what they show."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", default=list(SIGMAS), metavar="NAME")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    asked = parser.parse_args()
    checks = [check for name in asked.names for check in measure(name, asked.seeds, asked.methods)]
    print()
    for check in checks:
        print(check)


if __name__ == "__main__":
    main()
