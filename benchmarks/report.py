"""What a part of the benchmark reports: rows of figures, and what was to be shown."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

WIDTH: Final = 100


class Check(NamedTuple):
    """Something to be shown, the figure that was measured, and whether it shows it."""

    what: str
    figure: str
    holds: bool

    def __str__(self) -> str:
        """Return a line of the report.

        >>> print(Check("twice as fast", "2.50", True))
        PASS  twice as fast: 2.50
        """
        return f"{'PASS' if self.holds else 'FAIL'}  {self.what}: {self.figure}"


class Part(NamedTuple):
    """All figures of a part, and its checks."""

    figures: Sequence[dict[str, Any]]
    checks: Sequence[Check]


def title(text: str) -> None:
    """Print the head of a part."""
    print(f"\n{text}\n{'-' * WIDTH}")


def line(widths: Iterable[int], cells: Iterable[object]) -> str:
    """Return ``cells`` in columns: flush right, or flush left where the width is negative.

    >>> line((-6, 5), ("chess", 12))
    'chess    12'
    """
    pairs = zip(widths, cells, strict=True)
    texts = (str(cell).ljust(-width) if width < 0 else str(cell).rjust(width) for width, cell in pairs)
    return "".join(texts).rstrip()


def milliseconds(seconds: float) -> str:
    """Return a time to three digits or to the millisecond.

    >>> milliseconds(0.0123), milliseconds(1.5)
    ('12.3', '1,500')
    """
    return f"{seconds * 1e3:,.1f}" if seconds < 0.1 else f"{seconds * 1e3:,.0f}"  # noqa: PLR2004 - three digits
