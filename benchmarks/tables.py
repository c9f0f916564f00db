"""Tables: comparing methods, a report, verifying a release and advice, against one audit of a table."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
from clock import Effort, race
from report import Check, Part, line, milliseconds, title
from sources import Source

from discreet import Transactions, advise, audit, block, compare, verify, write_release

ROWS: Final = 4  # times the rows from which growth is measured
ATTRIBUTES: Final = 44
METHODS: Final = ("suppress", "add", "withhold")
HOW: Final[dict[str, Any]] = {"min_support": "5%", "k": 10, "max_length": 2, "schema": "="}
AIMS: Final = {"compare": 5.0, "report": 2.0, "verify": 2.0, "advise": 20.0}
WIDTHS: Final = (-25, 10, 8)


def measure(_sources: Sequence[Source], effort: Effort) -> Part:
    """Print the times of one audit and of what follows it; return them."""
    rows = draw_table(ROWS * effort.n)
    title(f"Tables: {len(rows):,} rows of {ATTRIBUTES} attributes, pairs at {HOW['min_support']}; against one audit")
    with TemporaryDirectory() as folder:
        times = race(runs(rows, Path(folder) / "release"), effort)
    for name, seconds in times.items():
        print(line(WIDTHS, (name, milliseconds(seconds), f"{seconds / times['audit']:.2f}")), flush=True)
    return Part([{"data": "table", **times}], list(judge(times)))


def draw_table(n: int, seed: int = 7) -> Transactions:
    """Return rows of a table: half of the attributes with one value for nearly all rows, half with several for many."""
    draw = np.random.default_rng(seed)
    sizes = np.array([4 if at % 2 else 2 + at % 9 for at in range(ATTRIBUTES)])
    chances = [np.array([2000.0, 7, 2, 1]) if at % 2 else 1 / np.arange(1.0, size + 1) for at, size in enumerate(sizes)]
    values = [draw.choice(chance.size, n, p=chance / chance.sum()) for chance in chances]
    codes = np.column_stack(values) + np.cumsum(sizes) - sizes
    labels = tuple(f"attribute {at}={value}" for at, size in enumerate(sizes) for value in range(size))
    return Transactions.from_codes(np.arange(n + 1) * ATTRIBUTES, codes.astype(np.int32).ravel(), labels)


def runs(rows: Transactions, folder: Path) -> dict[str, Callable[[], object]]:
    """Return what is timed, by name."""
    write_release(block(rows, **HOW, method="withhold"), folder)
    return {
        "audit": lambda: audit(rows, **HOW),
        "compare": lambda: compare(rows, **HOW, methods=METHODS).recommendation,
        "report": lambda: audit(rows, **HOW).to_html(),
        "verify": lambda: verify(folder),
        "advise": lambda: advise(rows, **HOW).recommendation,
    }


def judge(times: dict[str, float]) -> Iterator[Check]:
    """Yield what the times show."""
    for name, aim in AIMS.items():
        ratio = times[name] / times["audit"]
        yield Check(f"{name}: at most {aim:g} times one audit of a table", f"{ratio:.2f}", ratio <= aim)
