"""``discreet verify``: whether a release is what it claims to be, from its files alone."""

import json

import click

from discreet.cli.output import say


@click.command(
    short_help="Check a release from its files alone.",
    epilog="""\b
Examples:
  discreet verify release
  discreet verify release --json""",
)
@click.argument("folder")
@click.option("--json", "as_json", is_flag=True, help="Write JSON to stdout, with every fault.")
def verify(*, folder: str, as_json: bool) -> int:
    """Check that the release in FOLDER is whole and that no sum of its supports tells of 1 to K - 1 rows.

    The files are read anew, and every cell of every maximal itemset is counted again, by code that shares
    nothing with the code that wrote them; an attacker whom it claims to withstand tries again. Compare the SHA-256
    of release.json with the one that the publisher has told you in another way.

    Exit code 0: no fault. 1: faults. 2: wrong usage, or no release.
    """
    import discreet

    found = discreet.verify(folder)
    facts = {"is_good": found.is_good, **found._asdict()}
    say([json.dumps(facts, indent=2, ensure_ascii=False) if as_json else str(found)])
    return int(not found.is_good)
