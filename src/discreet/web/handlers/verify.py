"""Verify: a release checked from its files alone.

``verify`` gives ``is_good``, ``digest``, ``faults``, ``notes``, ``k``, ``n``, ``min_support``, ``itemsets``, ``tops``,
``smallest`` and ``text``, as the command line shows it.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import discreet
from discreet import InputError
from discreet.report import printable
from discreet.web import archive
from discreet.web.context import Desk


def verify(
    desk: Desk, *, upload: dict[str, str] | None = None, files: dict[str, dict[str, str]] | None = None
) -> dict[str, Any]:
    """Return what is wrong with a release, from a zip or from its files."""
    desk.stage("unpacking")
    with TemporaryDirectory(dir=desk.folder()) as folder:
        place = Path(folder)
        if upload is not None:
            archive.unpack(Path(upload["path"]), place)
        else:
            archive.gather({name: Path(one["path"]) for name, one in (files or {}).items()}, place)
        if not (place / "release.json").is_file():
            raise InputError("there is no release.json in it; choose the folder or the zip of a release")
        desk.stage("verifying")
        found = discreet.verify(place)
    faults, notes = ([printable(sentence) for sentence in told] for told in (found.faults, found.notes))
    return {"is_good": found.is_good, **found._asdict(), "faults": faults, "notes": notes, "text": str(found)}
