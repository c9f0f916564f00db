"""What the command line says on stderr while it works."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from numba.core import event
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

COMPILING = "compiling the kernels: some 20 to 60 seconds, only in the first run after installation"


@contextmanager
def watching(
    *, quiet: bool = False, what: str = "mining", unit: str = "found", then: str = "sorting"
) -> Iterator[Callable[[float, int], None]]:
    """Yield what ``mine`` tells its progress to: a bar with the time left, on a terminal and nowhere else.

    ``what`` says what goes on meanwhile, ``unit`` what is counted, and ``then`` what goes on afterwards. When kernels
    are really compiled, not merely loaded from Numba's cache, that is said once.
    """
    console = Console(stderr=True, quiet=quiet)
    with event.install_listener("numba:compile", Compiling(console)), _bar(console) as bar:
        search = bar.add_task("reading", total=None, found="")
        after = bar.add_task(then, total=None, found="", visible=False)

        def progress(done: float, found: int) -> None:
            told = f"{found:,} {unit}"
            bar.update(search, description=what, total=1, completed=done, found=told, visible=done < 1)
            bar.update(after, found=told, visible=done >= 1)

        yield progress


class Compiling(event.Listener):  # type: ignore[misc]  # Numba has no types
    """Says on a console, the first time that Numba compiles something, that it does."""

    def __init__(self, console: Console) -> None:
        """Keep the console to speak on; nothing is said yet."""
        self.console = console
        self.said = False

    def on_start(self, event: event.Event) -> None:  # noqa: ARG002 - one word for all kernels
        """Say it, once."""
        if not self.said:
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
