"""``discreet block``: patterns that are safe to publish, with the least change."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from discreet.blocking.block import BEST, METHODS
from discreet.cli.output import put
from discreet.cli.reading import COLUMNS, LIMITS, TABLE, check_rule, digested, given, options, within

if TYPE_CHECKING:
    from discreet import Comparison, Release
    from discreet.report import Source

LEVELS: Final = ("plain", "derive", "linear", "exact")
PATTERNS: Final = ("json", "csv", "spmf", "borgelt", "parquet")
FITS: Final = {
    "merge": {name for name, blocker in METHODS.items() if blocker.merged},
    "keep_n": {BEST, *(name for name, blocker in METHODS.items() if blocker.keeps_n)},
    "seconds": {BEST, *(name for name, blocker in METHODS.items() if blocker.is_search)},
}
"""The methods that each option is for."""


@click.command(
    short_help="Make patterns that are safe to publish.",
    epilog="""\b
Examples:
  discreet block clinic.csv --min-support 5% -k 10
  discreet block clinic.csv --min-support 5% -k 10 --compare
  discreet block clinic.csv --min-support 5% -k 10 --method add --out release""",
)
@click.argument("file")
@click.option("--min-support", required=True, metavar="COUNT|SHARE", help="Itemsets that so many hold: 813, 10%, 0.1.")
@click.option("-k", type=click.IntRange(min=1), metavar="K", help="Counts from 1 to K - 1 are too small to be told.")
@click.option(
    "--policy", metavar="NAME|FILE", help="Take k from a policy: acro, … or a file; it judges the result, too."
)
@click.option(
    "--method",
    type=click.Choice((BEST, *METHODS)),
    default=BEST,
    show_default=True,
    help="How channels are blocked; best tries all but withhold, and takes the one of the least average distortion.",
)
@click.option("--merge", is_flag=True, help="With --method add: look for fewer rows to add, each for several channels.")
@click.option("--keep-n", is_flag=True, help="Keep the number of rows as it is.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    help="How long optimal, or best, may look for less distortion; 60 without it.",
)
@click.option(
    "--against",
    type=click.Choice(LEVELS),
    default="plain",
    show_default=True,
    help="Block what this attacker infers, too: `discreet attack` tells of them.",
)
@click.option("--compare", is_flag=True, help="Show what each method costs, side by side.")
@click.option("--out", metavar="FOLDER", help="Write the release to this folder, with a certificate.")
@click.option(
    "--patterns",
    type=click.Choice(PATTERNS),
    default="json",
    show_default=True,
    help="The format of the patterns in it.",
)
@click.option("--json", "as_json", is_flag=True, help="Write what was made, and what it cost, as JSON.")
@click.option("--quiet", is_flag=True, help="Say nothing on stderr but errors.")
@options(COLUMNS, TABLE, LIMITS)
def block(
    *,
    file: str,
    min_support: str,
    k: int | None,
    policy: str | None,
    method: str,
    merge: bool,
    keep_n: bool,
    seconds: float | None,
    against: Any,  # noqa: ANN401 - one of LEVELS
    compare: bool,
    out: str | None,
    patterns: str,
    as_json: bool,
    quiet: bool,
    max_patterns: int | None,
    memory: int | None,
    threads: int | None,
    **reading: str | None,
) -> int:
    """Change the closed itemsets of FILE as little as possible, so that no sum tells of fewer than K rows.

    Shows what would be published and what it costs. With --out, the release is written to a folder that anybody can
    check with `discreet verify`; what was changed stands in DO-NOT-RELEASE in it, which must go before you publish.
    FILE holds rows, and may be - for stdin.

    Exit code 0: a safe release was made. 1: the policy asks for more than that. 2: wrong usage or input.
    """
    from discreet import Verdict, write_release
    from discreet.blocking.block import block as blocked
    from discreet.blocking.block import compare as side_by_side
    from discreet.cli.watch import watching

    asked: dict[str, Any] = {"merge": merge, "keep_n": keep_n, "seconds": seconds}
    asked |= {} if against == "plain" else {"against": against}
    asked = {name: value for name, value in asked.items() if value}
    _check_usage(k, policy, method, asked, compare=compare)
    _check_out(out, file)
    limits = given(max_patterns=max_patterns, memory=memory, threads=threads)
    with watching(quiet=quiet, then="blocking") as progress:
        merging = None if method in FITS["seconds"] else progress
        rows, source = digested(file, within(memory, file, [min_support], merging, **reading), table=reading["table"])
        told: Any = {"min_support": min_support, "k": k, "policy": policy, "progress": progress, **asked, **limits}
        compared = side_by_side(rows, **told) if compare else None
        release = compared.best if compared else blocked(rows, method=method, **told)
        verdict = release.verdict
    digest = None
    if out is not None and len(release.patterns) and verdict is not Verdict.WITHHOLD:
        digest = write_release(release, out, format=patterns, source=source).digest
    put(None, *_report(release, compared, source), as_json=as_json)
    if not quiet:
        for line in _what_next(release, out, digest, which="the recommended" if compare else "this"):
            click.echo(line, err=True)
    return int(verdict is not Verdict.RELEASE)


def _check_usage(k: int | None, policy: str | None, method: str, asked: "dict[str, Any]", *, compare: bool) -> None:
    """Refuse options that mean nothing together."""
    check_rule(k, policy)
    if compare and method != "best":
        raise click.UsageError(f"--compare tries all methods, but --method is {method}: leave one of them out")
    for name in asked:
        if method not in FITS.get(name, {method}):
            raise click.UsageError(
                f"--{name.replace('_', '-')} means nothing to the method {method}: leave one of them out"
            )


def _check_out(out: str | None, file: str) -> None:
    """Refuse a folder that a release cannot be written to, before hours of work; or one that FILE is in."""
    from discreet.blocking.release.folder import check_place

    if out is None:
        return
    place = Path(out)
    check_place(place)
    if file != "-" and Path(file).resolve().is_relative_to(place.resolve()):
        raise click.UsageError(f"--out is {out}, and FILE is in it: name another folder")


def _report(
    release: "Release", compared: "Comparison | None", source: "Source"
) -> "tuple[Iterator[bytes], Iterator[str]]":
    """Return a release, or the methods side by side, as JSON and as text."""
    from discreet import report

    if compared is not None:
        return report.comparison_json(compared, source=source), report.comparison_text(compared, source=source)
    return (
        report.release_json(release, source=source),
        report.release_text(release, source=source),
    )


def _what_next(release: "Release", out: str | None, digest: str | None, *, which: str) -> Iterator[str]:
    """Yield where the release was written, and what is left to do."""
    from discreet import Verdict
    from discreet.report import MARK

    yield ""
    verdict = release.verdict
    if verdict is not Verdict.RELEASE:
        yield f"{verdict.name}: no channel is left, but the policy {release.policy.name} asks for more; see the checks."
    if not len(release.patterns) or verdict is Verdict.WITHHOLD:
        yield "Nothing was written: there is nothing to publish."
    elif out is None:
        yield f"Nothing was written; --out FOLDER writes {which} release, with a certificate."
    else:
        yield f"The release was written to {out}; its release.json has the SHA-256 {digest}."
        yield f"Before you publish it, take {out}/{MARK} out of it: it tells what was changed."
        yield f"Anybody can check it:  discreet verify {out}"
