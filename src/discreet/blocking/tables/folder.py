"""The release folder of tables of counts: the table to publish, what each cell says, and the private changes apart."""

import csv
import json
import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from hashlib import sha256
from io import StringIO
from pathlib import Path
from stat import S_ISREG
from typing import Any, Final

from discreet.blocking.crate import CRATE, check_crate, write_crate
from discreet.blocking.tables.block import METHODS, TableRelease
from discreet.blocking.tables.problem import key_of
from discreet.blocking.verify_result import OTHER, Verification, as_fingerprint
from discreet.data.counts import Cell, Counts, Place, State
from discreet.errors import DiscreetError, GuaranteeError, InputError, OutputError
from discreet.io.files import MARK, OWN, check_folder, digest, folder_beside, save
from discreet.io.formats.counts.stated import decode, encode
from discreet.io.notation import as_json, write_csv, write_text
from discreet.io.write_counts import is_reshaped, render_counts
from discreet.judging.audit import audit
from discreet.judging.policy import Policy, Verdict, make_policy
from discreet.runtime.text import count_of

PUBLISHES: Final = "tables of counts"
TABLE, COUNTS, REPORT, RELEASE = "table.csv", "counts.json", "report.txt", "release.json"
NAMES: Final = frozenset((COUNTS, REPORT, RELEASE, CRATE, MARK))  # beside the tables themselves
LARGEST: Final = 1 << 28  # bytes of a file that is checked
README: Final = """\
DO NOT RELEASE this folder: it shows what was masked or changed, and so what was hidden.

cost.json    the cost of the release
changes.csv  every count that was masked, left out or rounded: its values, the count, and what is published instead

Move it to a safe place, or delete it, before you publish the rest of the folder."""


def write_tables(
    release: TableRelease, folder: Path, *, source: Mapping[str, str] | None = None, published: date | None = None
) -> Verification:
    """Write the folder of a release of tables, and return its verification; it is moved into place when it is good.

    The ``source`` is what the private part says of the file that the tables were read from; with the day it is
    ``published`` on, an RO-Crate describes the release.
    """
    from discreet import __version__  # noqa: PLC0415 - it imports this file

    if not release.is_safe:
        raise OutputError(f"the verdict is {release.verdict.name}, so there is nothing to publish; try another method")
    check_folder(folder, "release", lambda place: (place / RELEASE).is_file())
    with folder_beside(folder) as beside:
        texts = list(render_counts(_as_utf8(release.counts)))
        tables = {TABLE if len(texts) == 1 else Path(name).name: text for name, text in texts}
        for name, text in tables.items():
            save(beside / name, [text])
        write_text(beside / COUNTS, encode(_relocate(release.counts)))
        write_text(beside / REPORT, describe_public(release))
        files = {path.name: digest(path) for path in sorted(beside.iterdir())}
        facts = {"release": 1, "discreet": __version__, "publishes": PUBLISHES, "method": release.method}
        facts |= {"k": release.policy.k, "policy": release.policy.facts(), "files": files}
        write_text(beside / RELEASE, [as_json(facts)])
        if published is not None:
            write_crate(beside, facts, published)
        (beside / MARK).mkdir(OWN)
        cost = {
            **release.costs._asdict(),
            "method": release.method,
            "source": source,
        }
        write_text(beside / MARK / "cost.json", [as_json(cost)])
        write_csv(beside / MARK / "changes.csv", ["table", "values", "count", "published"], _list_changes(release))
        write_text(beside / MARK / "README.txt", [README])
        verification = verify_tables(beside)
        if not verification.is_good:
            raise GuaranteeError(f"the verifier refuses the release ({verification.faults[0]}); nothing is released")
    return verification


def _as_utf8(counts: Counts) -> Counts:
    """Return counts whose files are written as UTF-8, whatever they were read as; a mark tells spreadsheets so."""
    sheets = (one if one.encoding == "utf-8" else one._replace(encoding="utf-8-sig") for one in counts.sheets)
    return replace(counts, sheets=tuple(sheets))


def describe_public(release: TableRelease) -> Iterator[str]:
    """Yield what readers are told: what is published, by which method and rule, and how to check it."""
    policy = release.policy
    yield f"{release.counts}, made with the method {release.method}: {METHODS[release.method].how}."
    yield f"Rule: {policy}."
    yield release.audit.promise
    yield "Check it:  discreet verify FOLDER"


def is_tables(folder: Path) -> bool:
    """Return whether a folder holds a release of tables of counts."""
    try:
        data = (folder / RELEASE).read_bytes()[:LARGEST]
        return bool(json.loads(data).get("publishes") == PUBLISHES)
    except (OSError, ValueError, AttributeError, RecursionError):
        return False


def verify_tables(folder: str | os.PathLike[str], *, fingerprint: str | None = None) -> Verification:
    """Return the faults of a release of tables, from its files alone.

    The digests must be those of release.json, the policy one that is valid, and the table must say what counts.json
    says, cell by cell. Then all that follows from it is worked out anew: there the code of ``audit`` is trusted.
    """
    place, expected = Path(folder), None if fingerprint is None else as_fingerprint(fingerprint)
    faults, what, k = list[str](), "", None
    stamp = sha256(_load(place / RELEASE)).hexdigest()
    if expected not in {None, stamp}:
        faults.append(OTHER)
    try:
        facts = json.loads(_load(place / RELEASE))
        faults += [*_check_files(place, facts["files"]), *filter(None, [check_crate(place, facts)])]
        policy = _read_policy(facts)
        counts = decode(_load(place / COUNTS).decode("utf-8"))
        faults += _check_table(place / TABLE, counts) if (place / TABLE).exists() else ()
        judged = audit(counts, policy=policy)
        what, k = str(counts), policy.k
        faults += [f"{check.name}: {check.sentence}" for check in judged.checks if check.verdict is not Verdict.RELEASE]
    except DiscreetError as error:
        faults.append(str(error))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        faults.append("a file of the release is missing or malformed")
    has_private = (place / MARK).is_dir()
    notes = (f"{MARK} is in the folder: remove it before publishing",) * has_private
    found = Verification(stamp, tuple(faults), notes, k=k, tables=what)
    return found if expected is None else found._replace(matches=expected == stamp)


def _load(path: Path) -> bytes:
    """Return the bytes of a file; refuse a link, a pipe, and what is too large."""
    try:
        state = path.lstat()
        if S_ISREG(state.st_mode) and state.st_size <= LARGEST:
            return path.read_bytes()
    except OSError:
        pass
    raise InputError(f"{path.name} cannot be read, or is too large; give a release folder")


def _check_files(place: Path, listed: Mapping[str, str]) -> Iterator[str]:
    """Yield a fault for each file that release.json and the folder do not agree on."""
    present = {entry.name for entry in place.iterdir()} - {RELEASE, CRATE, MARK}
    for name in sorted(present | {*listed} | {COUNTS, REPORT}):
        if name not in present or name not in listed:
            yield f"{name!r:.99} is {'not listed in release.json' if name in present else 'missing'}"
        elif sha256(_load(place / name)).hexdigest() != listed[name]:
            yield f"{name!r:.99} was changed after release.json was written"


def _read_policy(facts: Mapping[str, Any]) -> Policy:
    policy = make_policy(facts["policy"])
    if policy.k != facts["k"]:
        raise InputError("release.json states another k than its policy")
    return policy


def _check_table(path: Path, counts: Counts) -> Iterator[str]:
    """Yield a fault for each cell of which the table shows something else than counts.json says."""
    separator = _find_separator(path)
    lines = list(csv.reader(StringIO(_load(path).decode("utf-8-sig"), newline=""), delimiter=separator))
    for table in counts.tables:
        for cell in table.cells:
            if cell.place is not None and not _agrees(cell, lines):
                yield f"{cell.place} of {TABLE} shows something else than counts.json"
    yield from _find_unknown(counts, lines)


def _find_unknown(counts: Counts, lines: list[list[str]]) -> Iterator[str]:
    """Yield a fault if each line has a count, but some have one that counts.json does not know."""
    known = Counter(cell.place.line for cell in counts if cell.place is not None)
    if max(known.values(), default=2) > 1:
        return
    numbered = (at for at, fields in enumerate(lines[1:], start=2) if any(one.strip().isdecimal() for one in fields))
    unknown = sum(at not in known for at in numbered)
    if unknown:
        yield f"{TABLE} has {count_of(unknown, 'line')} with numbers that counts.json does not know"


def _relocate(counts: Counts) -> Counts:
    """Return counts with the places of their cells in the file that is written: lines that are left out move others up.

    Cells that have no place in that file, because it has another shape than the one that was read, have none.
    """
    if len(counts.sheets) != 1 or is_reshaped(counts):
        return _place(counts, lambda _: None)
    sheet, kept = counts.sheets[0], {cell.place for cell in counts}
    gone = {cell.place.line for table in sheet.tables for cell in table.cells if cell.place and cell.place not in kept}
    lines = sorted(gone.union(sheet.list_unread())) if sheet.is_per_line else []
    return _place(counts, lambda place: place and place._replace(line=place.line - bisect_left(lines, place.line)))


def _place(counts: Counts, move: Callable[[Place | None], Place | None]) -> Counts:
    tables = (
        replace(table, cells=tuple(cell._replace(place=move(cell.place)) for cell in table.cells))
        for table in counts.tables
    )
    return replace(counts, tables=tuple(tables))


def _find_separator(path: Path) -> str:
    head = _load(path)[:1000].decode("utf-8-sig", errors="replace").partition("\n")[0]
    return max(",;\t|", key=head.count)


def _agrees(cell: Cell, lines: list[list[str]]) -> bool:
    line, column = cell.place or (0, 0)
    text = lines[line - 1][column - 1].strip() if line <= len(lines) and column <= len(lines[line - 1]) else ""
    number = text.replace(",", "").replace(" ", "").split("(")[0].removesuffix(".0")
    if cell.state is State.EXACT:
        return number == str(cell.low)
    return text == cell.mark if cell.state is State.MASKED else number.isdecimal()


def _list_changes(release: TableRelease) -> Iterator[list[object]]:
    """Yield every count that is published as something else than it is: its table, values and count, and the mark."""
    now = {key_of(table, cell.at): cell for table in release.counts.tables for cell in table.cells}
    for table in release.original.tables:
        for cell in table.cells:
            key = key_of(table, cell.at)
            after = now.get(key)
            if cell.state is State.EXACT and (after is None or (after.low, after.high) != (cell.low, cell.high)):
                shown = "" if after is None else after.mark or f"{after.low} to {after.high}"
                yield [table.name, str(key), cell.low, shown]
