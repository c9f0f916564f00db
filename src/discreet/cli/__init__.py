"""The command line: each command mirrors a verb of the library, and uses only its public names.

Exit codes: 0 done, or safe to publish; 1 unsafe to publish; 2 wrong usage or input (one line on stderr);
130 stopped by Ctrl-C; 141 the reader of a pipe went away.
"""

import errno
import os
import re
import sys
from typing import Any, Final, NoReturn

import click

from discreet import DiscreetError, __version__
from discreet.cli.attack import attack
from discreet.cli.audit import audit
from discreet.cli.block import block
from discreet.cli.demo import demo
from discreet.cli.detect import detect
from discreet.cli.generate import generate
from discreet.cli.hide import hide
from discreet.cli.index import index
from discreet.cli.mine import mine
from discreet.cli.query import query
from discreet.cli.report import report
from discreet.cli.reproduce import reproduce
from discreet.cli.secrets import guard, veiled
from discreet.cli.serve import serve
from discreet.cli.signs import teach
from discreet.cli.tradeoff import tradeoff
from discreet.cli.verify import verify

ARGUMENT: Final = re.compile(
    r"(?<![\w./-])(?:(?P<name>format|out_format|rows?|items?|separator|kind|method|n)=(?:'(?P<value>\w+)'|(?![\w./-]))"
    r"|(?P<word>min_support|max_patterns|max_length|keep_n|(?<=raise )memory|(?<=more )seconds|(?<=leave )merge)"
    r"(?![\w./-])|(?P<flag>grown=True|complete=False))"
)
"""An argument in a sentence, with or without its value; no part of the name of a file."""
FLAGS: Final = {"grown=True": "--grown", "complete=False": "--partial"}
"""Arguments that are flags on the command line."""


class Commands(click.Group):
    """Commands that end every foreseen error in one line on stderr and an exit code, never in a traceback."""

    def main(self, *args: Any, **extra: Any) -> Any:  # noqa: ANN401 - as in click
        """Run, and exit; wrong usage takes one line here, where click would take four."""
        given = extra["args"] if "args" in extra else args[0] if args else None
        # What was given is known where something fails, so that none of it is told that must not be.
        extra |= {"standalone_mode": False, "obj": tuple(sys.argv[1:] if given is None else given)}
        # Where colorama is installed, Numba would have it write an escape sequence at exit.
        os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")
        teach(sys.stdout, sys.stderr)
        try:
            code = super().main(*args, **extra)
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            sys.exit(error.exit_code)
        except click.UsageError as error:
            path = error.ctx.command_path if error.ctx else "discreet"
            sentence = error.format_message().rstrip(".")
            told = f"{sentence}{'' if sentence.endswith('?') else ';'} see '{path} --help'"
            _fail(veiled(told, extra["obj"]), error.exit_code)
        except click.ClickException as error:
            _fail(veiled(error.format_message(), extra["obj"]), 2)
        sys.exit(code)

    def invoke(self, context: click.Context) -> Any:  # noqa: ANN401 - as in click
        """Run the command; what it raises in the way of our own errors becomes a line and an exit code."""
        try:
            code = super().invoke(context)
            sys.stdout.flush()
        except DiscreetError as error:
            _fail(in_options(veiled(str(error), context.obj)), error.exit_code)
        except MemoryError:
            _fail("this machine has no more memory to give; raise min_support, or limit --memory or --max-length", 2)
        except KeyboardInterrupt:
            _fail("stopped by Ctrl-C", 130)
        except BrokenPipeError:
            # Python flushes stdout once more at exit, which would fail again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(141)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            _fail("what is shown cannot be written, since there is no space left; make room, or show it elsewhere", 2)
        return code


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: discreet audit baskets.csv --min-support 10% -k 10",
)
@click.version_option(__version__, prog_name="discreet")
def main() -> None:
    """Publish patterns, not people: frequent itemsets that are safe to share."""


def in_options(sentence: str) -> str:
    """Return a sentence of the library with its arguments called as they are on the command line.

    >>> in_options("name one with format=, such as format='csv'; raise memory or min_support")
    'name one with --format, such as --format csv; raise --memory or --min-support'
    >>> in_options("give more seconds, or leave keep_n out")
    'give more --seconds, or leave --keep-n out'
    >>> in_options("say grown=True if rows were added, or complete=False")
    'say --grown if rows were added, or --partial'
    """

    def option(found: re.Match[str]) -> str:
        name, value, word, flag = found.groups()
        if flag:
            return FLAGS[flag]
        return " ".join(filter(None, ["--" + (name or word).replace("_", "-"), value]))

    return ARGUMENT.sub(option, sentence)


def _fail(sentence: str, code: int) -> NoReturn:
    """Say on stderr, in one line, what went wrong; exit with ``code``."""
    click.echo(f"error: {' '.join(sentence.split())}", err=True)
    sys.exit(code)


COMMANDS: Final = (
    *(audit, report, detect, attack, tradeoff, block, verify, hide),
    *(mine, query, index, generate, demo, reproduce, serve),
)
for command in COMMANDS:
    guard(command)
    main.add_command(command)
