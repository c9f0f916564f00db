"""Patterns in words and as a short table, for a person to read."""

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from discreet import Merged, Patterns, Transactions
from discreet.report import printable, share

SHOWN: Final = 20


def print_table(rows: Transactions | Merged, patterns: Patterns) -> None:
    """Print what was mined, the patterns that most rows hold, and how many more there are."""
    console = Console()
    items = f"{len(rows.labels):,} {'frequent ' * isinstance(rows, Merged)}items"
    console.print(f"{patterns.n:,} rows, {items}. Support {in_words(patterns)}.", highlight=False)
    if not len(patterns):
        console.print(f"No {patterns.kind} itemset reaches it; lower --min-support.", highlight=False)
        return
    console.print(f"{counted(patterns)} found.", highlight=False)
    table = Table("rows", "share", "items", box=None, pad_edge=False, header_style="bold")
    for column in table.columns[:2]:
        column.justify = "right"
    table.columns[2].overflow = "fold"
    for labels, support in patterns.largest(SHOWN):
        table.add_row(f"{support:,}", share(support, patterns.n), Text(joined(labels)))
    console.print(table)
    if len(patterns) > SHOWN:
        rest = len(patterns) - SHOWN
        console.print(
            f"… and {rest:,} more, none with a larger support; --out FILE writes all of them.", highlight=False
        )


def joined(labels: Sequence[object]) -> str:
    r"""Return the labels in one line that a terminal can show; what would steer the terminal is escaped.

    >>> joined(["aspirin", 7]), joined([]), joined(["a\x1b[31m"])
    ('aspirin, 7', '(every row)', 'a\\x1b[31m')
    """
    return printable(", ".join(map(str, labels)) if labels else "(every row)")


def counted(patterns: Patterns) -> str:
    """Return how many patterns of which kind there are.

    >>> counted(Patterns.from_itemsets([(["a"], 3)], n=4, kind="closed"))
    '1 closed itemset'
    """
    return f"{len(patterns):,} {patterns.kind} itemset{'' if len(patterns) == 1 else 's'}"


def in_words(patterns: Patterns) -> str:
    """Return the threshold as a count and as a share.

    >>> in_words(Patterns.from_itemsets([(["a"], 3)], n=4))
    'at least 3 rows (75%)'
    """
    return f"at least {patterns.min_support:,} rows ({share(patterns.min_support, patterns.n)})"
