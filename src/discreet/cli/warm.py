"""``discreet warm``: compile all kernels once, so that no later command has to."""

from dataclasses import dataclass
from time import perf_counter

import click

from discreet import OptionError
from discreet.cli.options import QuietOptions, command, option
from discreet.cli.terminal import watching
from discreet.kernels import NEVER, Pace, is_warm


@dataclass(frozen=True)
class WarmOptions(QuietOptions):
    """Whether to compile."""

    check: bool = option("Compile nothing; exit with 1 unless everything is compiled.")


@command(WarmOptions, "Compile everything once, so that no later command has to.")
def warm(asked: WarmOptions) -> int:
    """Compile the inner loops of all commands to machine code, in two processes side by side.

    Without it, small work runs without compiled code, and the first large work takes some ten seconds more to compile
    what it needs. Compiled code is kept for all later runs of this installation, until it changes.

    Exit code 0: everything is compiled. 1: it is not, with --check. 2: wrong usage.

    For example:
      discreet warm
      discreet warm --check
    """
    if is_warm() or asked.check:
        click.echo("Everything is compiled." if is_warm() else "Not everything is compiled; run `discreet warm`.")
        return int(not is_warm())
    if Pace.patience is NEVER:
        raise OptionError("NUMBA_DISABLE_JIT is 1, which forbids to compile; unset it")
    from discreet import warm as work

    start = perf_counter()
    with watching(quiet=asked.quiet, what="compiling", unit=f"of {len(work.JOBS)} parts", then="finishing") as bars:
        bars(0, 0)
        bars.say(f"Compiling everything, once: about {work.SECONDS / work.SIDE_BY_SIDE:.0f} seconds on two idle cores.")
        work.warm(bars)
    click.echo(f"Everything is compiled; this took {perf_counter() - start:.0f} seconds.")
    return 0
