"""The release folder of tables of counts: the table to publish, what each cell says, and the private changes apart."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from stat import S_ISREG
from typing import Any, Final

from discreet.blocking.crate import CRATE, check_crate, write_crate
from discreet.blocking.stated_policy import check_policy
from discreet.blocking.tables.block import METHODS, TableRelease
from discreet.blocking.tables.problem import key_of
from discreet.blocking.verify import OBJECT, VERSION, check_form
from discreet.blocking.verify_result import OTHER, Verification, as_fingerprint
from discreet.data.counts import UNKNOWN, Counts, State, Table
from discreet.errors import DiscreetError, GuaranteeError, InputError, OutputError
from discreet.io.files import MARK, OWN, check_folder, digest, folder_beside, save
from discreet.io.formats.counts.stated import decode, encode
from discreet.io.notation import as_json, write_csv, write_text
from discreet.io.read_back import Shape, find_differences, format_cell, relocate
from discreet.io.write_counts import TABLE, render_counts, render_long
from discreet.judging.audit import audit
from discreet.judging.policy import Policy, Verdict, make_policy
from discreet.runtime.text import count_of, printable

PUBLISHES: Final = "tables of counts"
COUNTS, REPORT, RELEASE = "counts.json", "report.txt", "release.json"
NAMES: Final = frozenset((COUNTS, REPORT, RELEASE, CRATE, MARK))  # beside the tables themselves
LARGEST: Final = 1 << 28  # bytes of a file that is checked
FACTS: Final = {"release": int, "discreet": str, "publishes": str, "method": str, "k": int, "policy": dict} | {
    "shapes": dict,
    "files": dict,
}
SHAPE: Final = {"tables": list, "layout": str, "separator": str, "counts": str | None, "words": list}
"""The keys of release.json, and of what it says of a file, with the types of their values."""
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
        failed = next(check for check in release.audit.checks if check.verdict is release.verdict)
        raise OutputError(f"the verdict is {release.verdict.name}, so nothing is written. ", failed.sentence)
    check_folder(folder, "release", lambda place: (place / RELEASE).is_file())
    with folder_beside(folder) as beside:
        written = render_counts(_as_utf8(release.counts))
        written = written if len(written) > 1 else dict.fromkeys([TABLE], *written.values())
        for name, file in written.items():
            save(beside / name, [file.data])
        counts = relocate(release.counts, [(file.data, file.shape) for file in written.values()])
        write_text(beside / COUNTS, encode(counts))
        facts = {"release": 1, "discreet": __version__, "publishes": PUBLISHES, "method": release.method}
        facts |= {"k": release.policy.k, "policy": release.policy.facts()}
        write_text(beside / REPORT, describe_public(facts, counts, release.policy, release.audit.promise))
        files = {path.name: digest(path) for path in sorted(beside.iterdir())}
        shapes = {name: file.shape._asdict() for name, file in written.items() if file.shape is not None}
        facts |= {"shapes": shapes, "files": files}
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


def describe_public(facts: Mapping[str, Any], counts: Counts, policy: Policy, promise: str) -> Iterator[str]:
    """Yield what readers are told: what is published, how and by which rule, what it is taken for, how to check it."""
    method = facts["method"]
    yield f"{counts}, made with discreet {facts['discreet']} by the method {method}: {METHODS[method].how}."
    yield f"Rule: {policy}."
    yield promise
    yield "Check it:  discreet verify FOLDER"
    yield ""
    for table in counts.tables:
        sizes = [f"{one.name} ({count_of(len(one.values), 'value')})" for one in table.dimensions]
        yield printable(f"{table.name}: {table.counted}{' by ' * bool(sizes)}{', '.join(sizes)}.")
    yield from dict.fromkeys(printable(one) for table in counts.tables for one in _describe_facts(table))
    yield from _describe_marks(counts)


def _describe_facts(table: Table) -> Iterator[str]:
    """Yield what a reader is taken to know about a table beside its counts: other facts may reveal others."""
    for one in table.dimensions:
        if one.overlapping:
            yield f"One person may have several values of {one.name}."
        if one.cut:
            yield f"Values of {one.name} may be missing."
        for value, parent in one.parents.items():
            yield f"Of {one.name}, {value} is part of {parent}."
    if table.absent is not None:
        yield f"A count that {table.name} leaves out is {_say_limits(*table.absent)}."
    if table.within is not None or table.rest:
        yield f"Some of the {table.within} are {table.counted}, the others {table.rest or 'have no name'}."


def _describe_marks(counts: Counts) -> Iterator[str]:
    """Yield what each mark means, and how far from their numbers rounded counts may be."""
    said, below, above = dict[str, set[str]](), set[int](), set[int]()
    for cell in counts:
        if cell.state >= State.MASKED:
            said.setdefault(format_cell(cell) or "A count that is not shown", set()).add(
                _say_limits(cell.low, cell.high)
            )
        elif cell.state is State.LIMITS and cell.mark.isdecimal():
            below |= {int(cell.mark) - cell.low} if cell.low else set()
            above |= {cell.high - int(cell.mark)}
    for mark, limits in sorted(said.items()):
        yield printable(f"{mark} means {', or '.join(sorted(limits))}.")
    if above:
        less, more = (" or ".join(f"{one:,}" for one in sorted(ends)) or "0" for ends in (below, above))
        yield f"Counts are rounded: each may be up to {more} more, and up to {less} less, but not below 0."


def _say_limits(low: int, high: int) -> str:
    return f"{low:,} to {high:,}" if high < UNKNOWN else f"{low:,} or more"


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
        facts = OBJECT(_load(place / RELEASE).decode("utf-8"))
        faults += [*_check_facts(facts), *_check_files(place, facts)]
        faults += filter(None, [check_crate(place, facts), check_policy(facts["policy"])])
        policy = _read_policy(facts)
        stated = _load(place / COUNTS).decode("utf-8")
        counts = decode(stated)
        if stated != "".join(f"{line}\n" for line in encode(counts)):
            faults.append(f"{COUNTS} is not as `discreet block` writes it")
        faults += _check_tables(place, counts, facts["shapes"])
        judged = audit(counts, policy=policy)
        what, k = str(counts), policy.k
        report = "".join(f"{line}\n" for line in describe_public(facts, counts, policy, judged.promise))
        if _load(place / REPORT) != report.encode():
            faults.append(f"{REPORT} says something else than the other files")
        faults += [f"{check.name}: {check.sentence}" for check in judged.checks if check.verdict is not Verdict.RELEASE]
    except DiscreetError as error:
        faults.append(str(error))
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError):
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


def _check_facts(facts: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong about release.json, beside its policy; refuse it if its form is not known."""
    check_form(facts, RELEASE, FACTS)
    for shape in facts["shapes"].values():
        check_form(shape, f"a shape in {RELEASE}", SHAPE)
    if facts["release"] != 1 or not VERSION.fullmatch(facts["discreet"]):
        yield "release.json is malformed: 'release' or 'discreet' is no version"
    if facts["method"] not in METHODS:
        raise InputError(f"the method {facts['method']!r:.99} in release.json is unknown")


def _check_files(place: Path, facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield a fault for each file that release.json and the folder do not agree on."""
    present, listed = {entry.name for entry in place.iterdir()} - {RELEASE, CRATE, MARK}, facts["files"]
    known = {COUNTS, REPORT, *(facts["shapes"] or [TABLE])}
    for name in sorted(present | {*listed} | known):
        if name not in present or name not in listed:
            yield f"{name!r:.99} is {'not listed in release.json' if name in present else 'missing'}"
        elif name not in known:
            yield f"{name!r:.99} is listed in release.json, but no part of a release"
        elif sha256(_load(place / name)).hexdigest() != listed[name]:
            yield f"{name!r:.99} was changed after release.json was written"


def _read_policy(facts: Mapping[str, Any]) -> Policy:
    policy = make_policy(facts["policy"])
    if policy.k != facts["k"]:
        raise InputError("release.json states another k than its policy")
    return policy


def _check_tables(place: Path, counts: Counts, shapes: Mapping[str, Any]) -> Iterator[str]:
    """Yield in what files show something else than counts.json: tables of other shapes than our own are read back."""
    if not shapes:
        yield from _check_table(_load(place / TABLE), counts)
        return
    tables = {table.name: table for table in counts.tables}
    names = [name for shape in shapes.values() for name in shape["tables"]]
    if sorted(names) != sorted(table.name for table in counts.tables) or len(tables) < len(names):
        raise InputError(f"release.json does not name each table of {COUNTS} once")
    for file, facts in shapes.items():
        shape = Shape(**{**facts, "tables": tuple(facts["tables"]), "words": tuple(facts["words"])})
        yield from find_differences(_load(place / file), [tables[name] for name in shape.tables], shape, file)


def _check_table(data: bytes, counts: Counts) -> Iterator[str]:
    """Yield in what a table is not the one that we write for counts of any shape."""
    pairs = zip_longest(data.splitlines(keepends=True), render_long(counts).splitlines(keepends=True))
    for number, (line, expected) in enumerate(pairs, start=1):
        if line != expected:
            yield f"line {number:,} of {TABLE} is not what {COUNTS} says"
    if any(cell.place is not None for cell in counts) or any(table.ratios for table in counts.tables):
        yield f"{COUNTS} states places or shares that {TABLE} does not have"


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
