"""``discreet block`` makes patterns that are safe to publish; ``discreet verify`` checks such a release."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from discreet.blocking.block import BEST, METHODS
from discreet.cli.options import (
    DURATION,
    LimitOptions,
    QuietOptions,
    ReadOptions,
    RuleOptions,
    argument,
    limit_time,
    option,
    options,
)
from discreet.cli.output import put, say
from discreet.cli.reading import read_rows
from discreet.disclosure.attacks.attack import ATTACKERS
from discreet.disclosure.attacks.finding import Level
from discreet.io.read import FORMATS

if TYPE_CHECKING:
    from discreet import Release

FITS: Final = {
    "merge": {name for name, blocker in METHODS.items() if blocker.merged},
    "keep_n": {BEST, *(name for name, blocker in METHODS.items() if blocker.keeps_n)},
    "seconds": {BEST, *(name for name, blocker in METHODS.items() if blocker.is_search)},
}
"""The methods that an option is for."""


@dataclass(frozen=True)
class BlockOptions(QuietOptions, LimitOptions, ReadOptions, RuleOptions):
    """What to block, how, and where the release goes."""

    file: str = argument()
    min_support: str = option(
        "Publish only itemsets shared by at least this many rows: 813, 10%, 0.1.", "COUNT|SHARE", required=True
    )
    method: str = option(
        "How channels are blocked; best tries all but withhold, and takes the one with the least average distortion.",
        type=click.Choice((BEST, *METHODS)),
        default=BEST,
    )
    merge: bool = option("With --method add: look for fewer added rows, each for several channels.")
    keep_n: bool = option("Keep the number of rows.")
    seconds: float | None = option(
        "Time for optimal, or best, to look for less distortion.  [default: 60]", "N", type=DURATION
    )
    against: Level = option(
        "Also block the inferences of this attacker; see `discreet attack`.",
        type=click.Choice(list(ATTACKERS)),
        default="plain",
    )
    compare: bool = option("Show the cost of each method, side by side.")
    out: str | None = option("Write the release to this folder, with a certificate.", "FOLDER")
    patterns: str = option(
        "Format of the patterns in the folder.",
        type=click.Choice([form.name for form in FORMATS.values() if form.patterns]),
        default="json",
    )
    as_json: bool = option("Write the release and its cost as JSON.", name="--json")


@click.command(
    short_help="Make patterns that are safe to publish.",
    epilog="""\b
Examples:
  discreet block clinic.csv --min-support 5% -k 10
  discreet block clinic.csv --min-support 5% -k 10 --compare
  discreet block clinic.csv --min-support 5% -k 10 --method add --out release""",
)
@options(BlockOptions)
def block(asked: BlockOptions) -> int:
    """Change the closed itemsets of FILE as little as possible, so that nobody learns about fewer than K rows.

    Shows what would be published and what it costs. With --out, the release is written to a folder that anybody can
    check with `discreet verify`. Its subfolder DO-NOT-RELEASE lists the changes; remove it before you publish.
    FILE holds rows, and may be - for stdin.

    Exit code 0: a safe release was made. 1: the policy asks for more than that. 2: wrong usage or input.
    """
    from discreet import Verdict, report, write_release
    from discreet.blocking.block import block as block_rows
    from discreet.blocking.block import compare as compare_methods
    from discreet.cli.terminal import watching

    _check_usage(asked)
    with watching(quiet=asked.quiet, then="blocking") as bars:
        merging = None if asked.method in FITS["seconds"] else bars
        rows, source = read_rows(asked.file, asked, asked.memory, [asked.min_support], merging)
        budget, time = asked.budget(bars), limit_time(asked.seconds)
        if asked.compare:
            comparison = compare_methods(
                rows,
                min_support=asked.min_support,
                k=asked.k,
                policy=asked.policy,
                keep_n=asked.keep_n,
                against=asked.against,
                **time,
                **budget,
            )
            release = comparison.best
            shown = report.comparison_json(comparison, source=source), report.comparison_text(comparison, source=source)
        else:
            release = block_rows(
                rows,
                min_support=asked.min_support,
                k=asked.k,
                policy=asked.policy,
                method=asked.method,
                merge=asked.merge,
                keep_n=asked.keep_n,
                against=asked.against,
                **time,
                **budget,
            )
            shown = report.release_json(release, source=source), report.release_text(release, source=source)
    digest = None
    if asked.out is not None and len(release.patterns) and release.verdict is not Verdict.WITHHOLD:
        digest = write_release(release, asked.out, format=asked.patterns, source=source).digest
    put(None, *shown, as_json=asked.as_json)
    if not asked.quiet:
        for line in _say_next(release, asked, digest):
            click.echo(line, err=True)
    return int(release.verdict is not Verdict.RELEASE)


def _check_usage(asked: BlockOptions) -> None:
    """Refuse options that mean nothing together, and a folder that cannot be written, before hours of work."""
    from discreet.blocking.release.folder import check_place

    asked.check_rule()
    if asked.compare and asked.method != BEST:
        raise click.UsageError(f"--compare tries all methods, but --method is {asked.method}: leave one of them out")
    for flag in asked.given(*(name for name, methods in FITS.items() if asked.method not in methods)):
        raise click.UsageError(f"{flag} means nothing to the method {asked.method}: leave one of them out")
    if asked.out is not None:
        place = Path(asked.out)
        check_place(place)
        if asked.file != "-" and Path(asked.file).resolve().is_relative_to(place.resolve()):
            raise click.UsageError(f"--out is {asked.out}, and FILE is in it: name another folder")


def _say_next(release: "Release", asked: BlockOptions, digest: str | None) -> Iterator[str]:
    """Yield where the release was written, and what is left to do."""
    from discreet import Verdict
    from discreet.report import MARK

    verdict, out = release.verdict, asked.out
    yield ""
    if verdict is not Verdict.RELEASE:
        yield f"{verdict.name}: no channel is left, but the policy {release.policy.name} asks for more; see the checks."
    if not len(release.patterns) or verdict is Verdict.WITHHOLD:
        yield "Nothing was written: there is nothing to publish."
    elif out is None:
        which = "the recommended" if asked.compare else "this"
        yield f"Nothing was written; --out FOLDER writes {which} release, with a certificate."
    else:
        yield f"The release was written to {out}; its release.json has the SHA-256 {digest}."
        yield f"Before you publish it, remove {out}/{MARK}: it lists the changes."
        yield f"Anybody can check it:  discreet verify {out}"


@click.command(
    short_help="Check a release from its files alone.",
    epilog="""\b
Examples:
  discreet verify release
  discreet verify release --json""",
)
@click.argument("folder")
@click.option("--json", "as_json", is_flag=True, help="Write every fault as JSON.")
def verify(*, folder: str, as_json: bool) -> int:
    """Check that the release in FOLDER is complete and that no sum of its supports reveals 1 to K - 1 rows.

    The files are read again, and every cell of every maximal itemset is counted again, by code that shares nothing
    with the code that wrote them. If the release claims to withstand an attacker, they try again. Compare the
    SHA-256 of release.json with the one that the publisher sent you by a different route.

    Exit code 0: no fault. 1: faults. 2: wrong usage, or no release.
    """
    import discreet

    result = discreet.verify(folder)
    facts = {"is_good": result.is_good, **result._asdict()}
    say([json.dumps(facts, indent=2, ensure_ascii=False) if as_json else str(result)])
    return int(not result.is_good)
