"""Hide: the inverted file against sets of Python, the four algorithms against reading a file, and their growth."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import numpy as np
from clock import Effort, race, timed
from report import Check, Part, line, milliseconds, title
from sources import Source

from discreet import InvertedFile, Transactions, hide, mine, write
from discreet.data import generate

WIDTHS: Final = (-38, 12, 14, 8)
HEADS: Final = ("", "ours ms", "Python ms", "ratio")
GROWTH: Final = ("", "ours ms", "", "ns a row")
METHODS: Final = ("naive", "minfia", "maxfia", "iga")
RETRIEVAL_AIM: Final = 20.0
GROWTH_AIM: Final = 1.25
"""Linear, with some room for caches that grow too small."""
BORDER_AIM: Final = 10.0
"""Seconds."""
BELOW: Final = "5%"
TIMES: Final = (1, 5, 50)
MANY: Final = (2, 10, 100, 1000)


class Compared(NamedTuple):
    """Seconds that we take, and that Python takes."""

    what: str
    ours: float
    python: float

    @property
    def ratio(self) -> float:
        """How many times as long Python takes."""
        return self.python / self.ours


class Grown(NamedTuple):
    """Seconds of a method on ``amount`` rows, or for so many itemsets; ``work`` are rows, or rows that hold these."""

    method: str
    of: str
    amount: int
    work: int
    seconds: float


def measure(_sources: Sequence[Source], effort: Effort) -> Part:
    """Print the times, and return them."""
    n = 4 * effort.n
    rows = baskets(n)
    chosen = itemsets(rows, max(MANY))
    title(f"Hide: {n:,} baskets of {np.diff(rows.offsets).mean():.0f} of {len(rows.labels)} items, ten itemsets")
    print(line(WIDTHS, HEADS))
    compared = [*retrieval(rows, chosen[:10], effort), *against_reading(rows, chosen[:10], effort)]
    for one in compared:
        print(line(WIDTHS, (one.what, milliseconds(one.ours), milliseconds(one.python), f"{one.ratio:.1f}")))
    grown = [*with_rows(rows[: max(1, n // 5)], chosen[:10], effort), *with_itemsets(rows, chosen, effort)]
    print("\n" + line(WIDTHS, GROWTH))
    for growth in grown:
        amount = f"{growth.method}, {growth.amount:,} {growth.of}"
        print(line(WIDTHS, (amount, milliseconds(growth.seconds), "", f"{growth.seconds / growth.work * 1e9:.0f}")))
    seconds, _ = timed(lambda: hide(rows, chosen[:10], method="border", below=BELOW))
    border = Grown("border", "rows", n, n, seconds)
    print(line(WIDTHS, (f"border, {n:,} rows", milliseconds(seconds), "", f"{seconds / n * 1e9:.0f}")))
    checks = [*judge(compared), *judge_growth(grown)]
    checks.append(Check(f"border: at most {BORDER_AIM:g} s", f"{seconds:.1f}", seconds <= BORDER_AIM))
    return Part([figure._asdict() for figure in (*compared, *grown, border)], checks)


def baskets(n: int) -> Transactions:
    """Return long rows of 500 items, as those that the algorithms were printed with."""
    return generate.quest(n, items=500, length=45, patterns=110, pattern_length=14, seed=3)


def itemsets(rows: Transactions, many: int) -> list[list[Any]]:
    """Return itemsets of two to five items, the most frequent of each length in turn."""
    patterns = mine(rows, min_support="5%", kind="frequent", max_length=5)
    lengths = np.diff(patterns.offsets)
    by_length = [np.flatnonzero(lengths == length) for length in (2, 3, 4, 5)]
    ranked = [numbers[np.argsort(-patterns.supports[numbers], kind="stable")] for numbers in by_length]
    turns = [int(numbers[at]) for at in range(many) for numbers in ranked if at < numbers.size][:many]
    return [[patterns.labels[item] for item in patterns.items[slice(*patterns.offsets[at : at + 2])]] for at in turns]


def retrieval(rows: Transactions, chosen: Sequence[Sequence[Any]], effort: Effort) -> Iterator[Compared]:
    """Yield the times to build an index and to retrieve the rows of itemsets from it; both must find the same."""
    listed = [sorted(row) for row in rows]
    index, sets = InvertedFile(rows), as_sets(listed)
    codes = [np.array(sorted(rows.code[label] for label in itemset), dtype=np.int32) for itemset in chosen]
    found = [numbers.tolist() for numbers in index.rows_of_each(codes)]
    if found != [sorted(held) for held in held_by(sets, chosen)]:
        raise ValueError("the inverted file and the sets of Python do not find the same rows")
    build = race({"ours": partial(InvertedFile, rows), "python": partial(as_sets, listed)}, effort)
    yield Compared("build the index", **build)
    ask = race({"ours": partial(index.rows_of_each, codes), "python": partial(held_by, sets, chosen)}, effort)
    yield Compared("retrieve the rows of ten itemsets", **ask)


def as_sets(rows: Sequence[Sequence[Any]]) -> dict[Any, set[int]]:
    """Return the rows of each item as a set."""
    index = defaultdict(set)
    for number, row in enumerate(rows):
        for label in row:
            index[label].add(number)
    return index


def held_by(index: Mapping[Any, set[int]], chosen: Sequence[Sequence[Any]]) -> list[set[int]]:
    """Return the rows that hold each itemset: its sets met, the smallest first."""
    return [set.intersection(*sorted((index[label] for label in itemset), key=len)) for itemset in chosen]


def against_reading(rows: Transactions, chosen: Sequence[Sequence[Any]], effort: Effort) -> Iterator[Compared]:
    """Yield the times of the algorithms, index and all, and of reading the rows from a file in plain Python."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "baskets.dat"
        write(rows, path)
        runs: dict[str, Callable[[], Any]] = {method: partial(hide, rows, chosen, method=method) for method in METHODS}
        best = race({**runs, "reading": partial(as_read, path)}, effort)
    for method in METHODS:
        yield Compared(f"{method}, against reading the file", best[method], best["reading"])


def as_read(path: Path) -> list[set[int]]:
    """Return the rows of a file, as anybody would read them."""
    with path.open() as file:
        return [set(map(int, row.split())) for row in file]


def with_rows(rows: Transactions, chosen: Sequence[Sequence[Any]], effort: Effort) -> Iterator[Grown]:
    """Yield the times of the algorithms on more and more rows, the same ones over and over."""
    for method in METHODS:
        runs = {str(times): partial(hide, repeated(rows, times), chosen, method=method) for times in TIMES}
        for times, seconds in race(runs, effort).items():
            amount = int(times) * len(rows)
            yield Grown(method, "rows", amount, amount, seconds)


def with_itemsets(rows: Transactions, chosen: Sequence[Sequence[Any]], effort: Effort) -> Iterator[Grown]:
    """Yield the times of the algorithms for more and more itemsets, on an index; work is how many rows hold them."""
    index = InvertedFile(rows)
    for method in METHODS:
        amounts = [many for many in MANY if many <= len(chosen)]
        runs = {str(many): partial(hide, rows, chosen[:many], method=method, index=index) for many in amounts}
        for many, seconds in race(runs, effort).items():
            held = int(hide(rows, chosen[: int(many)], method=method, index=index, disclosure=1).before.sum())
            yield Grown(method, "itemsets", int(many), held, seconds)


def repeated(rows: Transactions, times: int) -> Transactions:
    """Return rows over and over."""
    lengths = np.tile(np.diff(rows.offsets), times)
    items = np.tile(rows.items[rows.offsets[0] : rows.offsets[-1]], times)
    return Transactions.from_codes(np.concatenate([[0], np.cumsum(lengths)]), items, rows.labels)


def judge(compared: Sequence[Compared]) -> Iterator[Check]:
    """Yield what the times show."""
    for one in compared:
        aim = 1.0 if "reading" in one.what else RETRIEVAL_AIM
        yield Check(f"{one.what}: at least {aim:g} times as fast as Python", f"{one.ratio:.1f}", one.ratio >= aim)


def judge_growth(grown: Sequence[Grown]) -> Iterator[Check]:
    """Yield whether a row more, and one more that holds an itemset, costs as much where there are many as where few."""
    for method in METHODS:
        for of in ("rows", "itemsets"):
            figures = [one for one in grown if (one.method, one.of) == (method, of)]
            few, many = (slope(*pair) for pair in ((figures[0], figures[-2]), (figures[-2], figures[-1])))
            ratio = many / few if few > 0 else 0.0
            what = f"{method}: one of {figures[-1].amount:,} {of} costs at most {GROWTH_AIM} times one of few"
            yield Check(what, f"{ratio:.2f}", ratio <= GROWTH_AIM)


def slope(one: Grown, other: Grown) -> float:
    """Return the seconds that more work takes, for each unit of it."""
    return (other.seconds - one.seconds) / max(1, other.work - one.work)
