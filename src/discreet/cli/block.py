"""``discreet block`` makes patterns safe to publish, ``verify`` checks a release, ``tradeoff`` finds safe supports."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import click

import discreet
from discreet import Comparison, Release, Verdict, Verification
from discreet import report as reports
from discreet.blocking.blockers import BEST, METHODS
from discreet.blocking.folder import LISTS
from discreet.blocking.folder import check_place as check_folder
from discreet.blocking.noise import TOP
from discreet.blocking.tables.block import METHODS as TABLE_METHODS
from discreet.cli.options import (
    COUNT,
    DECIMAL,
    POSITIVE,
    SACRO,
    SCHEMA,
    EndingOptions,
    ItemOptions,
    PublishedOptions,
    QuietOptions,
    ReadOptions,
    argument,
    as_bytes,
    as_support,
    command,
    limit_time,
    option,
    refuse,
)
from discreet.cli.reading import read_rows
from discreet.cli.tables import block_tables
from discreet.cli.terminal import SACRO_WRITTEN, ask_about_support, check_place, check_sacro, now, put, say, watching
from discreet.cli.usage import OneOf, complete
from discreet.disclosure.attacks.attack import ATTACKERS
from discreet.disclosure.attacks.finding import Level
from discreet.errors import Option, on_command_line
from discreet.judging.checks import check_k
from discreet.runtime.text import count_of

FITS: Final = {
    "merge": {name for name, blocker in METHODS.items() if blocker.merged},
    "seconds": {BEST, *(name for name, blocker in METHODS.items() if blocker.is_search)},
}
"""The methods that an option is for."""
MIN_SUPPORTS: Final = ("5%,10%,15%,20%,25%,30%",)
KS: Final = ("3,5,10,20,30,50",)


def _as_numbers(text: str) -> list[float]:
    return [DECIMAL(one) for one in _split((text,))]


@dataclass(frozen=True)
class BlockOptions(QuietOptions, PublishedOptions):
    """What to block, how, and where the release goes."""

    method: str = option(
        "How channels are blocked; best tries all, and takes the one that --compare recommends.",
        type=OneOf(dict.fromkeys((BEST, *METHODS, *TABLE_METHODS))),
        default=BEST,
    )
    base: int | None = option("With --counts --method round: round to multiples of N.  [default: K]", "N")
    merge: bool = option("With --method add: look for fewer added rows, each for several channels.")
    keep_n: bool = option("Keep the number of rows: as many are dropped as are added, or the other way round.")
    seconds: float | None = option(
        "Time for optimal, 60 by default or 1 within best, and to withhold from --against, 60.", "N"
    )
    against: Level | None = option(
        "Block what this attacker infers; see `discreet attack`. [default: plain, exact if small, derive if --grown]",
        type=OneOf(list(ATTACKERS)),
    )
    max_belief: float | None = option(
        "Go on until no small group is believed in with a probability above P; takes withhold or suppress.",
        "P",
        type=DECIMAL,
    )
    schema: str | None = option(SCHEMA, "TEXT")
    beside: tuple[str, ...] = option(
        "Stay safe beside an older release: a folder or a file of patterns; may be repeated. Takes --method withhold.",
        "OLD",
    )
    grown: bool = option("Rows were only added since the older releases; none was removed.")
    compare: bool = option("Show the cost of each method, side by side.")
    epsilon: tuple[list[float], ...] = option(
        "With --compare: also measure noisy supports at these privacy losses, by OpenDP; separated by commas.",
        "NUMBERS",
        type=_as_numbers,
        multiple=True,
    )
    top: int | None = option(f"With --epsilon: how many itemsets noise is for.  [default: {TOP}]", "N")
    out: str | None = option("Write the release to this folder, with a certificate.", "FOLDER")
    sacro: str | None = option(SACRO, "FOLDER")
    patterns: str = option(
        "Format of the patterns in the folder.",
        type=OneOf([*LISTS]),
        default="json",
    )
    as_json: bool = option("Write the release and its cost as JSON.", name="--json")


@command(BlockOptions, "Make patterns that are safe to publish.")
def block(asked: BlockOptions) -> int:
    """Change the closed itemsets of FILE as little as possible, so that nobody learns about fewer than K rows.

    Shows what would be published and what it costs. With --out, the release is written to a folder that anybody can
    check with `discreet verify`. Its subfolder DO-NOT-RELEASE lists the changes; remove it before you publish.
    FILE holds rows, and may be - for stdin. With --counts, FILE holds tables of counts: small counts are masked,
    and further ones that would reveal them; or values are merged, or counts rounded.

    Exit code 0: a safe release was made. 1: the policy asks for more than that. 2: wrong usage or input.

    For example:
      discreet block clinic.csv --min-support 5% -k 10
      discreet block clinic.csv --min-support 5% -k 10 --compare
      discreet block clinic.csv --min-support 5% -k 10 --compare --max-length 2 --epsilon 0.1,1,4
      discreet block clinic.csv --min-support 5% -k 10 --method add --out release
      discreet block may.csv --min-support 5% -k 10 --beside april --grown --out may
      discreet block table.csv --counts --policy cms --out release --sacro checked
    """
    _check_usage(asked)
    stamp = None if asked.sacro is None else check_sacro(asked.sacro, asked.file, asked.out)
    if asked.is_table:
        return block_tables(asked, stamp)
    with watching(quiet=asked.quiet, then="blocking") as bars:
        merging = None if asked.method in FITS["seconds"] else bars
        rows, source = read_rows(asked.file, asked, asked.memory, [asked.least], merging)
        epsilon = [one for some in asked.epsilon for one in some]
        work: Callable[..., Comparison | Release] = partial(discreet.compare, epsilon=epsilon, top=asked.top or TOP)
        if not asked.compare:
            work = partial(discreet.block, method=asked.method, merge=asked.merge, max_belief=asked.max_belief)
        result = work(
            rows,
            min_support=asked.least,
            k=asked.k,
            policy=asked.policy,
            keep_n=asked.keep_n,
            against=asked.against,
            schema=asked.schema,
            beside=asked.beside,
            grown=asked.grown,
            **limit_time(asked.seconds),
            **asked.budget(bars),
        )
        if isinstance(result, Comparison):
            release = result.best
            shown = reports.comparison_json(result, source=source), reports.comparison_text(result, source=source)
        else:
            release = result
            shown = reports.release_json(release, source=source), reports.release_text(release, source=source)
        digest = None
        if asked.out is not None and len(release.patterns) and release.verdict is not Verdict.WITHHOLD:
            day, place = now().date(), asked.out
            written = discreet.write_release(release, place, format=asked.patterns, source=source, published=day)
            digest = written.digest
        if stamp is not None and release.audit is not None:
            reports.write_sacro(release.audit, str(asked.sacro), source=source, timestamp=stamp)
    ask_about_support(release.original, release.policy.k, quiet=asked.quiet)
    put(None, *shown, as_json=asked.as_json)
    for line in () if asked.quiet else _say_next(release, asked, digest):
        click.echo(line, err=True)
    return int(release.verdict is not Verdict.RELEASE)


def _check_usage(asked: BlockOptions) -> None:
    """Refuse options that mean nothing together, and a folder that cannot be written, before hours of work."""
    asked.check_rule()
    if asked.is_table:
        return
    _ = asked.least  # refuses rows without it
    refuse((asked.method not in {BEST, *METHODS}, f"--method {asked.method} is for tables of counts: give --counts"))
    refuse((asked.base is not None, "--base is for tables of counts: give --counts"))
    wrong = f"--compare tries all methods, but --method is {asked.method}: leave one of them out"
    refuse((asked.compare and asked.method != BEST, wrong))
    refuse((asked.compare and asked.max_belief is not None, "--compare tries all methods: leave --max-belief out"))
    refuse((asked.epsilon and not asked.compare, "--epsilon is for a comparison: give --compare"))
    refuse((asked.top and not asked.epsilon, "--top is for noisy supports: give --epsilon"))
    is_attacked = asked.method == "withhold" and (asked.grown or asked.against not in {None, "plain"})
    is_attacked = is_attacked or asked.max_belief is not None
    unfit = (name for name, methods in FITS.items() if asked.method not in methods)
    for flag in asked.given(*(name for name in unfit if name != "seconds" or not is_attacked)):
        raise click.UsageError(f"{flag} means nothing to the method {asked.method}: leave one of them out")
    if asked.out is not None:
        check_folder(Path(asked.out))
        is_inside = asked.file != "-" and Path(asked.file).resolve().is_relative_to(Path(asked.out).resolve())
        refuse((is_inside, f"--out is {asked.out}, and FILE is in it: name another folder"))


def _say_next(release: Release, asked: BlockOptions, digest: str | None) -> Iterator[str]:
    """Yield where the release was written, and what is left to do."""
    verdict, out = release.verdict, asked.out
    yield ""
    if verdict is not Verdict.RELEASE:
        policy = release.policy
        why = f"no channel is left, but the policy {policy.name} asks for more; see the checks."
        yield f"{verdict.name}: {next((one.sentence for one in check_k(policy, release.original.n)), why)}"
        for names, itemsets in release.in_the_way:
            option = on_command_line(Option("leave_out", tuple(map(str, names))))
            remain = f"{count_of(itemsets, 'itemset')} would remain"
            yield f"In the way: {', '.join(map(str, names))}. With {option}, {remain}."
    if not len(release.patterns) or verdict is Verdict.WITHHOLD:
        yield "Nothing was written: there is nothing to publish."
    elif out is None:
        which = "the recommended" if asked.compare else "this"
        yield f"Nothing was written; --out FOLDER writes {which} release, with a certificate."
    else:
        yield f"The release was written to {out}; its fingerprint is {digest}."
        yield "Give readers the fingerprint by a different route: it shows them that the numbers are yours."
        yield f"Before you publish it, remove {out}/{reports.MARK}: it lists the changes."
        yield f"Anybody can check it:  discreet verify {out}"
    if asked.sacro is not None and release.audit is not None:
        yield SACRO_WRITTEN.format(asked.sacro)


@click.command(
    short_help="Check a release from its files alone.",
    epilog="""\b
Examples:
  discreet verify release
  discreet verify release --fingerprint 8f14e45fceea167a5a36dedd4bea2543…
  discreet verify may --beside april --json""",
)
@click.argument("folder", **complete("FOLDER"))
@click.option("--fingerprint", metavar="SHA256", help="Compare with the fingerprint that the publisher gave you.")
@click.option(
    "--beside",
    metavar="OLD",
    multiple=True,
    help="Check it together with an older release that it was made beside: a folder or a file; may be repeated.",
)
@click.option("--json", "as_json", is_flag=True, help="Write every fault as JSON.")
def verify(*, folder: str, fingerprint: str | None, beside: tuple[str, ...], as_json: bool) -> int:
    """Check that the release in FOLDER is consistent and that no sum of its supports reveals 1 to K - 1 rows.

    The files are read again, and every cell of every maximal itemset is counted again, by code that shares nothing
    with the code that wrote them. If the release claims to withstand an attacker, they try again.

    Anyone can make a release that is consistent and safe. That it is the publisher's shows the fingerprint alone: give
    the one that the publisher sent you by a different route. What was not checked is said.

    Exit code 0: no fault. 1: faults. 2: wrong usage, or no release.
    """
    with watching(first="verifying"):
        result = _check_page(Path(folder), discreet.verify(folder, fingerprint=fingerprint, beside=beside))
    say([json.dumps(result.facts(), indent=2, ensure_ascii=False) if as_json else str(result)])
    return int(not result.is_good)


def _check_page(folder: Path, found: Verification) -> Verification:
    """Return a verification with what is wrong about the page for readers that the app writes beside a release."""
    page = folder.resolve().parent / "readers" / "report.html"
    if not found.is_good or not page.is_file():
        return found
    is_same = reports.is_readers_html(page.read_bytes(), folder, found)
    if is_same is None:
        unchecked = "readers/report.html, which another version of discreet made, was not checked"
        return found._replace(notes=(*found.notes, unchecked))
    changed = "readers/report.html is not the page that this release makes: it was changed"
    return found if is_same else found._replace(faults=(changed,))


def _as_supports(text: str) -> str:
    return ",".join(map(as_support, _split((text,))))


def _as_ks(text: str) -> list[int]:
    return [POSITIVE(k) for k in _split((text,))]


@dataclass(frozen=True)
class TradeoffOptions(EndingOptions, ItemOptions, ReadOptions):
    """What to compare."""

    file: str = argument()
    min_supports: tuple[str, ...] = option(
        "Minimum supports, separated by commas; may be repeated.",
        "COUNTS|SHARES",
        name="--min-support",
        type=_as_supports,
        multiple=True,
        default=MIN_SUPPORTS,
    )
    ks: tuple[list[int], ...] = option(
        "Values of k, separated by commas; may be repeated.", "KS", name="-k", type=_as_ks, multiple=True, default=KS
    )
    max_length: int | None = option("Itemsets of at most N items are published.", "N", type=COUNT)
    memory: int | None = option("Limit memory, such as 2GB.", "SIZE", type=as_bytes)
    threads: int | None = option("Number of threads.  [default: all cores]", "N")


@command(TradeoffOptions, "Find the lowest minimum support that is safe, for several k.")
def tradeoff(asked: TradeoffOptions) -> None:
    """Count channels and exposed rows of FILE for several minimum supports and values of k.

    For each k, it also shows the lowest minimum support at which the closed itemsets of FILE have no channel. FILE
    holds rows, and may be - for stdin.

    For example:
      discreet tradeoff clinic.csv
      discreet tradeoff clinic.csv --min-support 5%,10%,20% -k 3,5,10 --json
    """
    supports, ks, memory = _split(asked.min_supports), [k for ks in asked.ks for k in ks], asked.memory
    check_place("--out", asked.out, asked.file)
    with watching(quiet=asked.quiet, then="comparing") as bars:
        rows, source = read_rows(asked.file, asked, memory, supports, bars)
        length, threads = asked.max_length, asked.threads
        grid = discreet.tradeoff(
            rows, min_supports=supports, ks=ks, max_length=length, threads=threads, memory=memory, progress=bars
        )
    chart = ["", *reports.chart(grid)] if len(grid.min_supports) > 1 else []
    lines = [*reports.tradeoff_text(grid, source=source), *chart]
    put(asked.out, reports.tradeoff_json(grid, source=source), lines, [asked.file], as_json=asked.as_json)


def _split(texts: tuple[str, ...]) -> list[str]:
    """Return the parts between commas.

    >>> _split(("5%, 10%", "813"))
    ['5%', '10%', '813']
    """
    return [part.strip() for text in texts for part in text.split(",") if part.strip()]
