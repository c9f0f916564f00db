"""The command line: each command mirrors a verb of the library, and uses only its public names.

Exit codes: 0 done, or safe to publish; 1 unsafe to publish; 2 wrong usage or input (one line on stderr);
130 stopped by Ctrl-C, 143 by SIGTERM, 129 by SIGHUP; 141 the reader of a pipe went away.
"""

import errno
import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, NoReturn

import click

from discreet import DiscreetError, __version__
from discreet.cli.attack import attack
from discreet.cli.audit import audit
from discreet.cli.block import block
from discreet.cli.demo import demo
from discreet.cli.detect import detect
from discreet.cli.encoding import teach
from discreet.cli.generate import generate
from discreet.cli.hide import hide
from discreet.cli.index import index
from discreet.cli.mine import mine
from discreet.cli.query import query
from discreet.cli.redact import guard, veiled
from discreet.cli.report import report
from discreet.cli.serve import serve
from discreet.cli.tradeoff import tradeoff
from discreet.cli.verify import verify
from discreet.errors import on_command_line

ENDS: Final = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that end a command, with all cleaned up; the first is Ctrl-C."""
UNWRITABLE: Final = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}
"""What is wrong with a stream that takes no more: its disk is full, or it leads nowhere."""


class Commands(click.Group):
    """Commands that end every foreseen error in one line on stderr and an exit code, never in a traceback."""

    def main(self, *args: Any, **extra: Any) -> Any:  # noqa: ANN401 - as in click
        """Run, and exit; wrong usage takes one line here, where click would take four."""
        given = extra["args"] if "args" in extra else args[0] if args else None
        # What was given is known where something fails, so that none of it is told that must not be.
        extra |= {"standalone_mode": False, "obj": tuple(sys.argv[1:] if given is None else given)}
        # Where colorama is installed, Numba would have it write an escape sequence at exit.
        os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")
        _open_closed_streams()
        teach(sys.stdout, sys.stderr)
        try:
            code = super().main(*args, **extra)
        except click.exceptions.NoArgsIsHelpError as error:
            with suppress(OSError):
                error.show()
            _quit(error.exit_code)
        except click.UsageError as error:
            path = error.ctx.command_path if error.ctx else "discreet"
            sentence = error.format_message().rstrip(".")
            told = f"{sentence}{'' if sentence.endswith('?') else ';'} see '{path} --help'"
            _fail(veiled(told, extra["obj"]), error.exit_code)
        except click.ClickException as error:
            _fail(veiled(error.format_message(), extra["obj"]), 2)
        sys.exit(code)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:  # noqa: ANN401 - as in click
        """Read the arguments; ``--help`` is shown here."""
        with _ending(extra["obj"]):
            return super().make_context(*args, **extra)

    def invoke(self, context: click.Context) -> Any:  # noqa: ANN401 - as in click
        """Run the command; what it raises in the way of our own errors becomes a line and an exit code."""
        with _ending(context.obj), _hearing_signals():
            code = super().invoke(context)
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


@contextmanager
def _ending(arguments: Iterable[str]) -> Iterator[None]:
    """End in a line and an exit code for every foreseen error; none of the ``arguments`` is told that must not be."""
    try:
        yield
    except DiscreetError as error:
        _fail(veiled(error.message.say(on_command_line), arguments), error.exit_code)
    except MemoryError:
        _fail("this machine has no more memory to give; raise --min-support, or limit --memory or --max-length", 2)
    except KeyboardInterrupt as error:
        end = signal.Signals(error.args[0] if error.args else signal.SIGINT)
        _fail(f"stopped by {'Ctrl-C' if end is signal.SIGINT else end.name}", 128 + end)
    except BrokenPipeError:
        _quit(141)
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        _fail(f"what is shown cannot be written ({error.strerror}); make room, or show it elsewhere", 2)


@contextmanager
def _hearing_signals() -> Iterator[None]:
    """Let each signal that ends a process do so as Ctrl-C does, unless it is ignored, or handled by somebody else."""
    came: list[int] = []

    def stop(number: int, _frame: object) -> NoReturn:
        came.append(number)
        raise KeyboardInterrupt(number)

    is_main = threading.current_thread() is threading.main_thread()
    before = {end: signal.getsignal(end) for end in ENDS if is_main}
    heard = [end for end, then in before.items() if then in {signal.SIG_DFL, signal.default_int_handler}]
    try:
        for end in heard:
            signal.signal(end, stop)
        yield
    except Exception:
        if came:  # Numba raises an error of its own where it is interrupted
            raise KeyboardInterrupt(came[0]) from None
        raise
    finally:
        for end in heard:
            signal.signal(end, before[end])


def _open_closed_streams() -> None:
    """Open standard streams that are closed, lest a file of ours gets their number; no one reads from that stdout."""
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
    """Say on stderr, in one line, what went wrong, if anybody listens; exit with ``code``."""
    with suppress(OSError):
        click.echo(f"error: {' '.join(sentence.split())}", err=True)
    _quit(code)


def _quit(code: int) -> NoReturn:
    """Exit with ``code``; what nobody takes goes nowhere, since Python writes it once more at exit, and would fail."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(code)


COMMANDS: Final = (
    *(audit, report, detect, attack, tradeoff, block, verify, hide),
    *(mine, query, index, generate, demo, serve),
)
for command in COMMANDS:
    guard(command)
    main.add_command(command)
