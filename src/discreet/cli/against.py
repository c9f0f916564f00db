"""``--against``: older releases that a new one is compared with, each a folder of ``discreet block`` or patterns."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from discreet.cli.reading import digested

if TYPE_CHECKING:
    from discreet import Patterns
    from discreet.report import Source

AGAINST = (
    click.option(
        "--against",
        multiple=True,
        metavar="OLD",
        help="Compare with an older release, a folder or a file of patterns; may be given again.",
    ),
    click.option("--grown", is_flag=True, help="Rows were only added since the older releases, none was left out."),
)


def older(places: Sequence[str], *, grown: bool) -> "list[tuple[Patterns, Source]]":
    """Return the patterns of older releases, and the digests of their files."""
    if grown and not places:
        raise click.UsageError("--grown says how older releases differ, but none is given: name them with --against")
    return [_released(Path(place)) if Path(place).is_dir() else _read(place) for place in places]


def _read(place: str, **told: Any) -> "tuple[Patterns, Source]":  # noqa: ANN401 - as in read_patterns
    from discreet import InputError, read_patterns

    try:
        return digested(place, lambda file: read_patterns(file, **told))
    except InputError as error:
        raise InputError(
            error.message,
            " (--n and --kind are for FILE: an older release is a folder that `discreet block` wrote, or "
            "patterns that tell both, as JSON does)",
        ) from None


def _released(folder: Path) -> "tuple[Patterns, Source]":
    """Return what a release folder lists; its release.json tells what not every format does."""
    from discreet import InputError

    try:
        told = json.loads((folder / "release.json").read_bytes())
        n, kind = int(told["n"]), str(told["kind"])
        name = next(str(name) for name in told["files"] if Path(name).stem == "patterns")
    except (OSError, ValueError, KeyError, TypeError, StopIteration):
        raise InputError(
            f"{folder} is no release folder: its release.json is missing or tells too little; give a folder that "
            "`discreet block` wrote, or a file of patterns"
        ) from None
    patterns, source = _read(str(folder / Path(name).name), n=n, kind=kind)
    return patterns, source._replace(file=f"{folder.name}/{source.file}")
