"""What a person at a terminal sees: progress on stderr, and patterns as a short table."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from numba.core import event
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from discreet import Merged, Patterns, Transactions
from discreet.report import printable, share

COMPILING: Final = "compiling the kernels: some 20 to 60 seconds, only in the first run after installation"
SHOWN: Final = 20
"""Itemsets in a table."""


@contextmanager
def watching(
    *, quiet: bool = False, what: str = "mining", unit: str = "found", then: str = "sorting"
) -> Iterator["Bars"]:
    """Yield a progress bar for ``mine``, with the time left; it is shown on a terminal only.

    The bar says ``what`` runs, counts in a ``unit``, and ``then`` says what follows. If kernels are compiled, not
    merely loaded from Numba's cache, the terminal says so once.
    """
    console = Console(stderr=True, quiet=quiet)
    columns = (
        *(SpinnerColumn(), TextColumn("{task.description}"), BarColumn()),
        *(TextColumn("{task.fields[found]}"), TimeRemainingColumn()),
    )
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    with event.install_listener("numba:compile", Compiling(console)), bar:
        yield Bars(bar, console, what, unit, then)


class Bars:
    """Progress of a command; ``scanning`` and ``reading`` show that of the steps before the search."""

    def __init__(self, bar: Progress, console: Console, what: str, unit: str, then: str) -> None:
        """Begin with reading, which takes an unknown time."""
        self._bar, self._console, self._what, self._unit = bar, console, what, unit
        self._search = bar.add_task("reading", total=None, found="")
        self._after = bar.add_task(then, total=None, found="", visible=False)

    def __call__(self, done: float, found: int) -> None:
        """Show the share that is done, and the number of results."""
        results = f"{found:,} {self._unit}"
        self._bar.update(self._search, description=self._what, total=1, completed=done, found=results, visible=done < 1)
        self._bar.update(self._after, found=results, visible=done >= 1)

    def scanning(self, done: float, rows: int) -> None:
        """Show how much of a file is scanned, which is unknown for a compressed one."""
        self._bar.update(self._search, description="scanning", total=1, completed=done, found=f"{rows:,} rows")

    def reading(self, done: float, lines: int) -> None:
        """Show how many lines of a database were read."""
        self._bar.update(self._search, description="reading", total=1, completed=done, found=f"{lines:,} lines")

    def say(self, sentence: str) -> None:
        """Write a sentence beside the bars."""
        self._console.print(sentence, highlight=False, soft_wrap=True, markup=False)


class Compiling(event.Listener):  # type: ignore[misc]  # Numba has no types
    """Says on a terminal, once, that Numba compiles."""

    def __init__(self, console: Console) -> None:
        """Keep the console to speak on."""
        self.console = console
        self.said = False

    def on_start(self, event: event.Event) -> None:  # noqa: ARG002 - one word for all kernels
        """Say it, the first time."""
        if not self.said and self.console.is_terminal:
            self.console.print(COMPILING, highlight=False, soft_wrap=True)
        self.said = True

    def on_end(self, event: event.Event) -> None:
        """Say nothing: the next kernel follows."""


def print_table(rows: Transactions | Merged, patterns: Patterns) -> None:
    """Print the patterns with the largest supports, and how many more there are."""
    console = Console(highlight=False)
    items = f"{len(rows.labels):,} {'frequent ' * isinstance(rows, Merged)}items"
    console.print(f"{patterns.n:,} rows, {items}. Support {describe_threshold(patterns)}.")
    if not len(patterns):
        console.print(f"No {patterns.kind} itemset reaches it; lower --min-support.")
        return
    console.print(f"{count_patterns(patterns)} found.")
    table = Table("rows", "share", "items", box=None, pad_edge=False, header_style="bold")
    for column in table.columns[:2]:
        column.justify = "right"
    table.columns[2].overflow = "fold"
    for labels, support in patterns.largest(SHOWN):
        table.add_row(f"{support:,}", share(support, patterns.n), Text(join_labels(labels)))
    console.print(table)
    if len(patterns) > SHOWN:
        console.print(f"… and {len(patterns) - SHOWN:,} more, none with a larger support; --out FILE writes all.")


def join_labels(labels: Sequence[object]) -> str:
    r"""Return labels on one line; control characters are escaped.

    >>> join_labels(["aspirin", 7]), join_labels([]), join_labels(["a\x1b[31m"])
    ('aspirin, 7', '(every row)', 'a\\x1b[31m')
    """
    return printable(", ".join(map(str, labels)) if labels else "(every row)")


def count_patterns(patterns: Patterns) -> str:
    """Return the number and the kind of patterns.

    >>> count_patterns(Patterns.from_itemsets([(["a"], 3)], n=4, kind="closed"))
    '1 closed itemset'
    """
    return f"{len(patterns):,} {patterns.kind} itemset{'' if len(patterns) == 1 else 's'}"


def describe_threshold(patterns: Patterns, unit: str = "rows") -> str:
    """Return the minimum support as a count and as a share.

    >>> describe_threshold(Patterns.from_itemsets([(["a"], 3)], n=4))
    'at least 3 rows (75%)'
    """
    return f"at least {patterns.min_support:,} {unit} ({share(patterns.min_support, patterns.n)})"
