"""``discreet advise`` tries what could be done, and prints the command that does the best of it."""

import shlex
from dataclasses import dataclass, replace

import discreet
from discreet import report as reports
from discreet.blocking.advise import Remedy
from discreet.cli.options import (
    SCHEMA,
    EndingOptions,
    PublishedOptions,
    command,
    limit_time,
    names,
    option,
)
from discreet.cli.reading import read_rows
from discreet.cli.tables import advise_tables
from discreet.cli.terminal import ask_about_support, check_place, put, watching
from discreet.io.files import is_url


@dataclass(frozen=True)
class AdviseOptions(EndingOptions, PublishedOptions):
    """What would be published."""

    schema: str | None = option(SCHEMA, "TEXT")
    seconds: float | None = option("Try the method optimal as well, for so long.", "N")

    def say(self, remedy: Remedy) -> str:
        """Return the command that does what a remedy did."""
        kept = [
            name
            for name in names(AdviseOptions)
            if name not in {*names(EndingOptions), "file", "also", *remedy.options}
        ]
        file = ["FILE" if is_url(self.file) else self.file, *self.also]
        flags = [*self.words(*kept), *self.words(**remedy.options)]
        return shlex.join(["discreet", "block", *file, *flags, "--out", "release"])


@command(AdviseOptions, "Try what could be done, and say what is best.")
def advise(asked: AdviseOptions) -> int:
    """Say what could be done so that the itemsets of FILE may be published, each remedy tried.

    Shows which items or columns cause most findings; and for each remedy its verdict, how many itemsets it keeps, and
    how far its numbers are from those of FILE. The best comes first, and the command that does it last. FILE holds
    rows, and may be - for stdin.

    Exit code 0: there is a way to a safe release. 1: none was found. 2: wrong usage or input.

    For example:
      discreet advise clinic.csv --min-support 5% -k 10
      discreet advise clinic.csv --min-support 5% --policy acro --json
      discreet advise table.csv --counts --policy cms
    """
    asked.check_rule()
    if asked.is_table:
        return advise_tables(asked)
    check_place("--out", asked.out, asked.file)
    with watching(quiet=asked.quiet, then="trying remedies") as bars:
        plain = replace(asked, leave_out=(), hierarchy=())  # what is tried counts values before any is left out
        rows, source = read_rows(asked.file, plain, asked.memory, [asked.least], None)
        budget = asked.budget(bars)
        budget["leave_out"], budget["hierarchy"] = asked.leave_out or None, asked.hierarchy or None
        found = discreet.advise(
            rows,
            min_support=asked.least,
            k=asked.k,
            policy=asked.policy,
            schema=asked.schema,
            **limit_time(asked.seconds),
            **budget,
        )
    ask_about_support(found.audit.patterns, found.audit.k, quiet=asked.quiet)
    told = (
        reports.advice_json(found, source=source, say=asked.say),
        reports.advice_text(found, source=source, say=asked.say),
    )
    put(asked.out, *told, [asked.file], as_json=asked.as_json)
    return int(found.best is None)
