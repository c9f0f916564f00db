"""The command line: each command mirrors a verb of the library, and uses only its public names.

Exit codes: 0 done, or safe to publish; 1 unsafe to publish; 2 wrong usage or input (one line on stderr);
130 stopped by Ctrl-C, 143 by SIGTERM, 129 by SIGHUP; 141 the reader of a pipe went away.
"""

import errno
import os
import re
import signal
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import takewhile, zip_longest
from operator import eq
from typing import Final, NoReturn

import click

from discreet import DiscreetError, __version__
from discreet.cli.advise import advise
from discreet.cli.attack import attack, detect
from discreet.cli.audit import audit, report
from discreet.cli.belief import belief
from discreet.cli.block import block, tradeoff, verify
from discreet.cli.demo import demo, generate, serve
from discreet.cli.hide import hide
from discreet.cli.mine import mine
from discreet.cli.query import index, query
from discreet.cli.terminal import use_plain_signs
from discreet.cli.usage import explain
from discreet.cli.warm import warm
from discreet.errors import on_command_line

ENDS: Final = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that end a command cleanly; the first is Ctrl-C."""
UNWRITABLE: Final = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}  # of a stream that is full
ADDRESS: Final = re.compile(
    r"[a-z][a-z0-9+.-]*://|[a-z][a-z0-9+.-]+:/.*@|(?:pg)?passw(?:or)?d\s*=", re.IGNORECASE | re.DOTALL
)
"""A URL, one as a path with a user in it, or a named password, as libpq and the environment have it."""
HEAD: Final = re.compile(r"\W*(?:[a-z][a-z0-9+.-]*:/+|\w+\s*=)", re.IGNORECASE)  # how a URL begins
OURS: Final = ("user@host", "file")  # what follows a scheme in our own sentences
FREE: Final = frozenset({"query", "text"})
"""Not checked: no message repeats the SQL of --query, and a URL may be an item in QUERY."""


class Commands(click.Group):
    """Commands that end every foreseen error with one line on stderr and an exit code, never with a traceback."""

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None) -> NoReturn:  # type: ignore[override]
        """Run, and exit; wrong usage takes one line here, not four as in click."""
        given = tuple(sys.argv[1:] if args is None else args)  # kept so that errors can redact them
        # Where colorama is installed, Numba would have it write an escape sequence at exit.
        os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")
        _open_closed_streams()
        use_plain_signs(sys.stdout, sys.stderr)
        try:
            code = super().main(args, prog_name, standalone_mode=False, obj=given)
        except click.exceptions.NoArgsIsHelpError as error:
            with suppress(OSError):
                error.show()
            _quit(error.exit_code)
        except click.UsageError as error:
            path = error.ctx.command_path if error.ctx else "discreet"
            sentence = explain(error)
            usage = f"{sentence}{'' if sentence.endswith('?') else ';'} see '{path} --help'"
            _fail(redact(usage, given), error.exit_code)
        except click.ClickException as error:
            _fail(redact(error.format_message(), given), 2)
        sys.exit(code)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; ``--help`` is shown here. After ``--counts``, a file is no name of a column."""
        pairs = zip_longest(args, args[1:], fillvalue="")
        args = [f"{one}=" if one == "--counts" and _is_file(after) else one for one, after in pairs]
        with _ending(ctx.obj):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; our own errors become a line and an exit code."""
        with _ending(ctx.obj), _handling_signals():
            code: object = super().invoke(ctx)
            sys.stdout.flush()
            return code


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: discreet audit baskets.csv --min-support 10% -k 10",
)
@click.version_option(__version__, prog_name="discreet")
def main() -> None:
    """Publish patterns, not people: frequent itemsets that are safe to share."""


def _is_file(name: str) -> bool:
    """Return whether a name is one of a file, or of stdin; long ones and those with odd signs are none."""
    return name == "-" or os.path.isfile(name)  # noqa: PTH113 - pathlib's fails on some names


@contextmanager
def _ending(arguments: Iterable[str]) -> Iterator[None]:
    """End every foreseen error with a line and an exit code; redact database URLs in the ``arguments``."""
    try:
        yield
    except DiscreetError as error:
        _fail(redact(error.message.say(on_command_line), arguments), error.exit_code)
    except MemoryError:
        _fail("this machine has no more memory; raise --min-support, or limit --memory or --max-length", 2)
    except KeyboardInterrupt as error:
        end = signal.Signals(error.args[0] if error.args else signal.SIGINT)
        _fail(f"stopped by {'Ctrl-C' if end is signal.SIGINT else end.name}", 128 + end)
    except BrokenPipeError:
        _quit(141)
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        _fail(f"the output cannot be written ({error.strerror}); make room, or write it elsewhere", 2)


@contextmanager
def _handling_signals() -> Iterator[None]:
    """Make signals end a command as Ctrl-C does, unless they are ignored, or handled by somebody else."""
    received: list[int] = []

    def stop(number: int, _frame: object) -> NoReturn:
        received.append(number)
        raise KeyboardInterrupt(number)

    is_main = threading.current_thread() is threading.main_thread()
    before = {end: signal.getsignal(end) for end in ENDS if is_main}
    handled = [end for end, then in before.items() if then in {signal.SIG_DFL, signal.default_int_handler}]
    try:
        for end in handled:
            signal.signal(end, stop)
        yield
    except Exception:
        if received:  # Numba raises an error of its own where it is interrupted
            raise KeyboardInterrupt(received[0]) from None
        raise
    finally:
        for end in handled:
            signal.signal(end, before[end])


def _open_closed_streams() -> None:
    """Open standard streams that are closed, so that no file of ours gets their number; nobody reads that stdout."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: PTH123, SIM115 - a device, for as long as we run
    if sys.stdout is None:
        reader, writer = os.pipe()
        os.dup2(writer, reader)
        os.close(writer)
        sys.stdout = os.fdopen(reader, "w")
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115 - likewise


def _fail(sentence: str, code: int) -> NoReturn:
    """Write one line to stderr, if it is open, and exit with ``code``."""
    with suppress(OSError):
        click.echo(f"error: {' '.join(sentence.split())}", err=True)
    _quit(code)


def _quit(code: int) -> NoReturn:
    """Exit with ``code``; drop output that nobody takes, since Python would write it again at exit, and fail."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(code)


def _guard(command: click.Command) -> None:
    """Make a command, and all below it, refuse database URLs except where rows are read."""
    names = {parameter.name for parameter in command.params}
    rows = {"file", "rows_file"} if "table" in names else set()
    for parameter in command.params:
        if parameter.name not in FREE | rows:
            parameter.callback = _refuse
    if isinstance(command, click.Group):
        for one in command.commands.values():
            _guard(one)


def redact(sentence: str, arguments: Iterable[str]) -> str:
    """Return a sentence on one line, with database URLs from the arguments redacted.

    >>> redact("'pg://ada:a b;c@host/' is no number", ["-k", "pg://ada:a b;c@host/ward"])
    "'…' is no number"
    """
    text, at = " ".join(sentence.split()), 0
    forms = {form for argument in arguments if ADDRESS.search(argument) for form in _forms(argument)}
    while at < len(text):
        same = max((_count_same(text[at:], form) for form in forms), default=0)
        text = f"{text[:at]}…{text[at + same :]}" if same else text
        at += 1
    return text


def _refuse(context: click.Context, parameter: click.Parameter, value: object) -> object:
    """Refuse a database URL, without repeating it."""
    if any(isinstance(one, str) and ADDRESS.search(one) for one in (value if isinstance(value, tuple) else (value,))):
        name = max(parameter.opts, key=len)
        raise click.UsageError(
            f"{name if name.startswith('-') else name.upper()} must not hold a URL or a password: only rows are read "
            "from a database, and its URL is FILE",
            ctx=context,
        )
    return value


def _forms(argument: str) -> Iterator[str]:
    """Yield how messages may repeat the URL in an argument: as it is, in quotes, or as a path."""
    # The value of an option may follow its letter, or a sign of equality.
    starts = {0, len("-k"), argument.find("=") + 1, *(found.start() for found in ADDRESS.finditer(argument))}
    for text in (argument[start:].lstrip("-") for start in starts):
        for form in (text, repr(text)[1:-1], re.sub("/+", "/", text), repr(re.sub("/+", "/", text))[1:-1]):
            yield " ".join(form.split())


def _count_same(text: str, form: str) -> int:
    """Return how many letters a text shares with the start of a URL; 0 if only the scheme."""
    head = HEAD.match(form)
    many = sum(takewhile(bool, map(eq, text, form)))
    return many if head and many > head.end() and not text.startswith(OURS, head.end()) else 0


COMMANDS: Final = (
    *(audit, report, detect, attack, belief, tradeoff, advise, block, verify, hide),
    *(mine, query, index, generate, demo, serve, warm),
)
for command in COMMANDS:
    _guard(command)
    main.add_command(command)
