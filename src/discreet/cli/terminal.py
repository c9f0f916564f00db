"""The terminal: progress on stderr, patterns as a short table, and the places that results are written to."""

import codecs
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final, Self, cast

import click

from discreet import Merged, OptionError, OutputError, Patterns, Reading, Transactions, report
from discreet.data.thresholds import doubt_count, say_least
from discreet.kernels import on_compiling, on_slow
from discreet.runtime.resources import HAS_THREADS
from discreet.runtime.text import printable

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

EVERY: Final = 10.0  # seconds between lines in a pipe
COMPILING: Final = "compiling what this needs, once after installation; `discreet warm` compiles everything"
PLAIN: Final = "run `discreet warm` once: later commands like this one take a fraction of the time"
SACRO_WRITTEN: Final = "a folder for output checkers alone was written to {}: open it with SACRO-Viewer"
SHOWN: Final = 20  # itemsets in a table, items in a row
FIRST: Final = 3  # rows that are shown
ASCII: Final = dict(
    zip("∧¬−·×⇒∅✓✗│┤└─●■▲◆○□△◇", ["&", "~", "-", ".", "x", "=>", "{}", "+", *"x||+-o#^*0@Av"], strict=True)
) | {"…": "..."}
"""What a terminal shows for signs that its encoding lacks."""


@contextmanager
def watching(
    *, quiet: bool = False, first: str = "reading", what: str = "mining", unit: str = "found", then: str = "sorting"
) -> Iterator["Bars"]:
    """Yield a progress bar for ``mine``, with the time left; in a pipe it is a line every ten seconds.

    The bar says what comes ``first``, ``what`` runs, counts in a ``unit``, and ``then`` says what follows. If kernels
    are compiled, not merely loaded from Numba's cache, this is said once; so is that they should be.
    """
    bar, tell = (Ticker(quiet=quiet), _write) if quiet or not sys.stderr.isatty() else _draw()
    bars = Bars(bar, (lambda _: None) if quiet else tell, (first, what, then), unit)
    note = bar.note if isinstance(bar, Ticker) else partial(tell, COMPILING)
    with on_compiling(note), bar, on_slow(partial(bars.say, PLAIN)):
        yield bars


def _draw() -> "tuple[Progress, Callable[[str], None]]":
    """Return a bar on the terminal, and a function that writes a sentence beside it."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    words, found = TextColumn("{task.description}"), TextColumn("{task.fields[found]}")
    bar = Progress(SpinnerColumn(), words, BarColumn(), found, TimeRemainingColumn(), console=console, transient=True)
    return bar, partial(console.print, highlight=False, soft_wrap=True, markup=False)


def _write(sentence: str) -> None:
    with suppress(OSError):  # nobody reads it
        click.echo(sentence, err=True)


class Ticker:
    """What a pipe can have of rich's Progress: a line every ten seconds, from the tenth on."""

    def __init__(self, *, quiet: bool) -> None:
        """Begin with nothing to say."""
        self._tasks: list[dict[str, Any]] = []
        self._quiet, self._notes, self._ended = quiet or not HAS_THREADS, list[str](), Event()
        context = click.get_current_context(silent=True)
        self._name = "discreet" if context is None else context.info_name
        self._thread = Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        if not self._quiet:
            self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._ended.set()
        if not self._quiet:
            self._thread.join()

    def add_task(self, description: str, **fields: object) -> "TaskID":
        """Add a task; the last one that is visible is shown."""
        self._tasks.append({"description": description, "visible": True, "completed": 0.0, **fields})
        return cast("TaskID", len(self._tasks) - 1)

    def update(self, task: "TaskID", **fields: object) -> None:
        """Change what is known about a task."""
        self._tasks[task] |= fields

    def note(self) -> None:
        """Say with the next line, if there is one, that kernels are compiled."""
        self._notes.append(COMPILING)

    def line(self) -> str:
        """Return what to say now."""
        task = [task for task in self._tasks if task["visible"]][-1]
        share = "" if task["total"] is None else f"{task['completed']:.0%}".replace("%", " %")
        words = ", ".join(filter(None, [task["description"], share, task["found"]]))
        notes, self._notes = self._notes, []
        return "; ".join([f"{self._name}: {words}", *notes])

    def _watch(self) -> None:
        while not self._ended.wait(EVERY):
            _write(self.line())


class Bars:
    """Progress of a command, from reading to the end."""

    def __init__(
        self, bar: "Progress | Ticker", tell: Callable[[str], None], stages: tuple[str, str, str], unit: str
    ) -> None:
        """Begin with the first of three stages, which takes an unknown time."""
        first, self._what, then = stages
        self._bar, self._unit, self.say = bar, unit, tell  # a sentence is said beside the bars
        self._search = bar.add_task(first, total=None, found="")
        self._after = bar.add_task(then, total=None, found="", visible=False)

    def __call__(self, done: float, found: int) -> None:
        """Show the share that is done, and the number of results."""
        results = f"{found:,} {self._unit}"
        self._bar.update(self._search, description=self._what, total=1, completed=done, found=results, visible=done < 1)
        self._bar.update(self._after, found=results, visible=done >= 1)

    def step(self, what: str, unit: str) -> Callable[[float, int], None]:
        """Return the progress of a step before the search, whose end may be unknown."""

        def show(done: float, found: int) -> None:
            self._bar.update(self._search, description=what, total=1, completed=done, found=f"{found:,} {unit}")

        return show


def show_reading(reading: Reading, found: object) -> None:
    """Say on stderr how rows or patterns were understood; the first rows, being private, are for a terminal alone."""
    click.echo(str(reading), err=True)
    if sys.stderr.isatty() and isinstance(found, Transactions):
        for number in range(min(FIRST, found.n)):
            labels = found.labelled(number)
            more = f" … {len(labels) - SHOWN:,} more" * (len(labels) > SHOWN)
            click.echo(f"  row {number + 1}: {join_labels(labels[:SHOWN]) if labels else '(no items)'}{more}", err=True)


def print_table(rows: Transactions | Merged, patterns: Patterns) -> None:
    """Print the patterns with the largest supports, and how many more there are."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    items = f"{len(rows.labels):,} {'frequent ' * isinstance(rows, Merged)}items"
    console.print(f"{patterns.n:,} rows, {items}. Support {say_least(patterns.min_support, patterns.n)}.")
    if not len(patterns):
        console.print(f"No {patterns.kind} itemset reaches it; lower --min-support.")
        return
    console.print(f"{patterns.title} found.")
    table = Table("rows", "share", "items", box=None, pad_edge=False, header_style="bold")
    table.columns[0].justify = table.columns[1].justify = "right"
    table.columns[2].overflow = "fold"
    for labels, support in patterns.largest(SHOWN):
        table.add_row(f"{support:,}", report.share(support, patterns.n), Text(join_labels(labels)))
    console.print(table)
    if len(patterns) > SHOWN:
        console.print(f"… and {len(patterns) - SHOWN:,} more, none with a larger support; --out FILE writes all.")


def join_labels(labels: Sequence[object]) -> str:
    r"""Return labels on one line; control characters are escaped.

    >>> join_labels(["aspirin", 7]), join_labels([]), join_labels(["a\x1b[31m"])
    ('aspirin, 7', '(every row)', 'a\\x1b[31m')
    """
    return printable(", ".join(map(str, labels)) if labels else "(every row)")


def ask_about_support(patterns: Patterns, k: int, *, quiet: bool) -> None:
    """Ask on stderr whether a minimum support below k is meant, if the patterns were mined here."""
    doubt = doubt_count(patterns.min_support, patterns.n, k) if patterns.mined and not quiet else ""
    if doubt:
        click.echo(f"note: {doubt}", err=True)


@contextmanager
def rehearse(option: str, place: str, *sources: str | None) -> Iterator[Path]:
    """Yield a path beside ``place`` to try things on; refuse a place that is no file, or one of the ``sources``."""
    path = Path(place)
    try:
        if not place or path.is_dir():
            raise OutputError(f"{option} is {place or 'empty'}, which is no file; give the name of a file")
        if any(source is not None and _is_same(path, source) for source in sources):
            raise OutputError(f"{option} is {place}, a file that is to be read; give another name")
        with report.aside(path) as part:
            part.mkdir(0o700)
            yield part / path.name
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        advice = "name a file in a folder that you may write to"
        raise OutputError(f"{place} cannot be written ({error.strerror}); {advice}") from None


def _is_same(path: Path, source: str) -> bool:
    try:
        return path.samefile(source)
    except (OSError, ValueError):  # one of them does not exist yet, or is no name of a file
        return False


def check_place(option: str, place: str | None, *sources: str | None) -> None:
    """Refuse a place that cannot be written, before hours of work; standard output can."""
    if place is not None and place != "-":
        with rehearse(option, place, *sources):
            pass


def wants_json(place: str | None, *, as_json: bool) -> bool:
    """Return whether a report goes out as JSON: by the option, or by the name of its file."""
    return as_json or ".json" in Path(place or "").suffixes


def put(
    place: str | None,
    chunks: Iterable[bytes],
    lines: Iterable[str],
    sources: Iterable[str | None] = (),
    *,
    as_json: bool,
) -> None:
    """Write a report about ``sources`` to its place: the ``chunks`` of JSON, or the ``lines`` of text."""
    if wants_json(place, as_json=as_json):
        sys.stdout.flush()
        report.save(place or "-", chunks, sources=sources)
    elif place is None or place == "-":
        say(lines)
    else:
        report.save(place, (f"{line}\n".encode() for line in lines), sources=sources)


def say(lines: Iterable[str]) -> None:
    """Write lines to stdout; click.echo would fail on an ASCII terminal, and flush after each line."""
    sys.stdout.writelines(f"{line}\n" for line in lines)


def fixed_time() -> datetime | None:
    """Return the time that SOURCE_DATE_EPOCH sets, if it does: builds with it give the same bytes each time.

    See reproducible-builds.org/specs/source-date-epoch.
    """
    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        return None if fixed is None else datetime.fromtimestamp(int(fixed), UTC)
    except (ValueError, OverflowError, OSError):
        raise OptionError("SOURCE_DATE_EPOCH is no time; give it as whole seconds since 1970, or unset it") from None


def now() -> datetime:
    """Return the time that an output states: as SOURCE_DATE_EPOCH sets it, or the present."""
    return fixed_time() or datetime.now(UTC)


def check_sacro(sacro: str, *files: str | None) -> datetime:
    """Refuse a folder that cannot be written, or that another file is in; return the time that it states."""
    place = Path(sacro)
    report.check_sacro(place)
    if any(file not in {None, "-"} and Path(str(file)).resolve().is_relative_to(place.resolve()) for file in files):
        raise OptionError(f"--sacro is {sacro}, and a file that is read or written is in it; name another folder")
    return now()


def in_plain_signs(error: UnicodeError) -> tuple[str | bytes, int]:
    r"""Return plain signs for those that an encoding lacks; escape any others.

    >>> codecs.register_error("discreet", in_plain_signs)
    >>> "a ∧ ¬b = 50 − 48, ж".encode("ascii", "discreet")
    b'a & ~b = 50 - 48, \\u0436'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(ASCII.get(letter, ascii(letter)[1:-1]) for letter in lacking), error.end


def use_plain_signs(*streams: object) -> None:
    """Make text streams write plain signs where their encoding lacks ours, instead of failing."""
    codecs.register_error("discreet", in_plain_signs)
    for stream in streams:
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="discreet")
