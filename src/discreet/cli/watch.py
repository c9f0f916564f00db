"""What the command line says on stderr while it works."""

from collections.abc import Iterator
from contextlib import contextmanager

from numba.core import event
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

COMPILING = "compiling the kernels: some 20 to 60 seconds, only in the first run after installation"


@contextmanager
def watching(
    *, quiet: bool = False, what: str = "mining", unit: str = "found", then: str = "sorting"
) -> Iterator["Bars"]:
    """Yield what ``mine`` tells its progress to: a bar with the time left, on a terminal and nowhere else.

    ``what`` says what goes on meanwhile, ``unit`` what is counted, and ``then`` what goes on afterwards. When kernels
    are really compiled, not merely loaded from Numba's cache, that is said once, on a terminal too.
    """
    console = Console(stderr=True, quiet=quiet)
    with event.install_listener("numba:compile", Compiling(console)), _bar(console) as bar:
        yield Bars(bar, console, what, unit, then)


class Bars:
    """What a verb tells its progress to; ``scanning`` is for rows that are scanned before that."""

    def __init__(self, bar: Progress, console: Console, what: str, unit: str, then: str) -> None:
        """Begin with reading, of which nobody knows how long it takes."""
        self._bar, self._console, self._what, self._unit = bar, console, what, unit
        self._search = bar.add_task("reading", total=None, found="")
        self._after = bar.add_task(then, total=None, found="", visible=False)

    def __call__(self, done: float, found: int) -> None:
        """Show how much of the work is done, and what was found."""
        told = f"{found:,} {self._unit}"
        self._bar.update(self._search, description=self._what, total=1, completed=done, found=told, visible=done < 1)
        self._bar.update(self._after, found=told, visible=done >= 1)

    def scanning(self, done: float, rows: int) -> None:
        """Show how much of a file is scanned; of a packed one that is not known."""
        self._bar.update(self._search, description="scanning", total=1, completed=done, found=f"{rows:,} rows")

    def reading(self, done: float, lines: int) -> None:
        """Show how many lines of a database have come."""
        self._bar.update(self._search, description="reading", total=1, completed=done, found=f"{lines:,} lines")

    def say(self, sentence: str) -> None:
        """Say something beside the bars."""
        self._console.print(sentence, highlight=False, soft_wrap=True, markup=False)


class Compiling(event.Listener):  # type: ignore[misc]  # Numba has no types
    """Says on a terminal, the first time that Numba compiles something, that it does."""

    def __init__(self, console: Console) -> None:
        """Keep the console to speak on; nothing is said yet."""
        self.console = console
        self.said = False

    def on_start(self, event: event.Event) -> None:  # noqa: ARG002 - one word for all kernels
        """Say it, once."""
        if not self.said and self.console.is_terminal:
            self.console.print(COMPILING, highlight=False, soft_wrap=True)
        self.said = True

    def on_end(self, event: event.Event) -> None:
        """Say nothing: the next kernel follows."""


def _bar(console: Console) -> Progress:
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[found]}"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
