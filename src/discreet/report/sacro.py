"""A folder that SACRO-Viewer opens: what somebody wants to publish, for whoever checks it first."""

import json
import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Any, Final

from discreet import __version__
from discreet.data.counts import Counts
from discreet.data.patterns import Patterns
from discreet.errors import on_command_line
from discreet.io.files import MARK, OWN, check_folder, digest, folder_beside, save
from discreet.io.notation import WITHIN, as_record, write_text
from discreet.judging.audit import CONFIDENTIAL, Audit
from discreet.judging.policy import CheckName, Verdict
from discreet.judging.policy import names as policy_names
from discreet.report.findings import Source
from discreet.report.sacro_tables import (
    SUMS,
    Flagged,
    Signs,
    Table,
    draw_sizes,
    gather,
    list_findings,
    name_labels,
    tabulate,
)
from discreet.runtime.text import count_of, printable

VERSION: Final = "1.0.2"  # of ACRO, whose shape outputs.json has; SACRO-Viewer takes 0.4 and later
STATUS: Final = {Verdict.RELEASE: "pass", Verdict.REVIEW: "review", Verdict.WITHHOLD: "fail"}
CANDIDATES: Final = {
    "itemsets": f"items with {WITHIN} between them, and their supports; the itemset without items stands for all rows",
    "supports": f"items with {WITHIN} between them, and the limits of supports; no items stand for all rows",
    "rules": f"items with {WITHIN} between them; a rounded number is shown with its limits",
    "leaves": "and how many rows reach each, of each class",
    "counts": "the cells of all tables, with the values that each counts",
}
"""The tables of what somebody wants to publish, and what they list."""
FINDINGS: Final = {
    CheckName.CHANNELS: "channels",
    CheckName.DIFFERENCES: "differences",
    CheckName.SCHEMA: "rests",
    CheckName.BOUNDS: "bounds",
    CheckName.CELLS: "cells",
    CheckName.DIFFERENCING: "changes",
    CheckName.LOW_COUNTS: "few",
    CheckName.PEOPLE: "people",
    CheckName.SEVERAL_TREES: "overlaps",
}
"""The names of the files of findings, by the check that found them: they must not leave."""
FAIR: Final = {
    "context": "https://w3id.org/statbarnsdc#",
    "statbarn": "Frequencies",
    "risks": ["ClassDisclosure", "Differencing", "LowCount"],
    "common_mitigations": ["Rounding", "Suppression"],
    "dependent": "unknown",
}
"""What ACRO 1.0 says of tables of counts."""
KEYS: Final = (
    *("uid", "status", "type", "properties", "files", "outcome"),
    *("command", "summary", "timestamp", "comments", "exception", "fair"),
)
"""The keys of an output, in the order of ACRO."""
TOOL: Final = {"@type": "SoftwareApplication", "name": "discreet", "version": __version__}
OUTPUTS: Final = "outputs.json"
CONFIG: Final = "config.json"
FILES: Final = (
    *(f"{name}.{suffix}" for name in CANDIDATES for suffix in ("csv", "svg")),
    OUTPUTS,
    CONFIG,
    "README.txt",
)
NAMES: Final = {
    *(*FILES, "checksums", MARK),
    *(f"checksums/{name}.txt" for name in FILES),
    *(f"{MARK}/{name}.csv" for name in FINDINGS.values()),
}
"""What such a folder may hold."""
README: Final = f"""\
{MARK}: this folder is for whoever checks the output, inside the place where the rows are.

Open it with SACRO-Viewer. It holds

{OUTPUTS:<14}  what was found, the status of the output, and which cells are flagged
{CONFIG:<14}  the rules by which it was judged
{{file:<14}}  the {{name}} that somebody wants to publish:
{"":<14}  {{about}}
{{picture:<14}}  how many of the counts are of each size
checksums       the SHA-256 digest of each file
{MARK}  if something is found: lists of it, which SACRO-Viewer neither shows nor releases

Only {{file}} and {{picture}} may be released, and that once they have passed. The lists in {MARK}
begin with the fewest rows: which rows, how many, and for the first {SUMS:,} the sum that reveals them. They are
evidence for you.
"""


def write_sacro(
    audit: Audit,
    folder: str | os.PathLike[str],
    *,
    source: Source | None = None,
    timestamp: datetime | None = None,
    against: Sequence[Source] = (),
) -> None:
    """Write an audit as a folder that SACRO-Viewer opens: the candidate as a table, in which counts are flagged.

    The folder is moved into place when it is whole. It replaces one that is as we wrote it, and nothing else, such as a
    reviewed one. Only its owner may enter it: give the checkers access. Flagged counts are too low, not rounded, or
    part of a finding: the base of each, and all that the worst 1,000 of a kind need; ``against`` are the files of older
    releases. The viewer can release every output that it shows, so the findings are no output: they are in a folder
    inside that it does not look into. Without ``timestamp`` the same audit gives the same bytes.

    >>> from tempfile import TemporaryDirectory
    >>> from discreet import audit
    >>> found = audit([["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50, min_support=10, k=10)
    >>> with TemporaryDirectory() as place:
    ...     write_sacro(found, f"{place}/checked")
    ...     results = json.loads(Path(place, "checked", "outputs.json").read_text())["results"]
    >>> [(uid, result["status"]) for uid, result in results.items()]
    [('itemsets', 'fail')]
    >>> results["itemsets"]["files"][0]["sdc"]["cells"]
    {'inference channels': [[1, 0], [2, 0]]}
    """
    place = Path(folder)
    check_sacro(place)
    signs, names = gather(audit), name_labels(audit)
    table = tabulate(audit, signs, names)
    file, picture = f"{table.name}.csv", f"{table.name}.svg"
    with folder_beside(place, OWN) as beside:
        save(beside / file, _as_csv(table.lines), private=True)
        save(beside / picture, [draw_sizes(table, audit.k)], private=True)
        if signs:
            (beside / MARK).mkdir(OWN)
        for one in signs:
            save(beside / MARK / f"{FINDINGS[one.check]}.csv", _as_csv(list_findings(one, names)))
        when = "" if timestamp is None else timestamp.isoformat(timespec="seconds")
        result = {**describe_output(audit, table, _refer(signs)), "timestamp": when}
        result["files"] = [_file(file, table.flagged), _file(picture, {})]
        # SACRO-Viewer reads in the encoding of the machine it runs on: ASCII is the same in all.
        outputs = {"version": VERSION, "tool": TOOL, "results": {table.name: {key: result[key] for key in KEYS}}}
        save(beside / OUTPUTS, [f"{json.dumps(outputs)}\n".encode()], private=True)
        save(beside / CONFIG, [f"{json.dumps(_describe_rules(audit), indent=4)}\n".encode()], private=True)
        readme = README.format(file=file, picture=picture, name=table.name, about=CANDIDATES[table.name])
        write_text(beside / "README.txt", [readme, *_origin(source, against)], private=True)
        _write_checksums(beside)


def check_sacro(place: Path) -> None:
    """Refuse a place that cannot be written, or holds anything but a folder that is as ``write_sacro`` left it."""
    check_folder(place, "SACRO folder that nobody has changed", _is_ours)


def _is_ours(place: Path) -> bool:
    """Return whether a folder is as we wrote it: SACRO-Viewer writes reviews into outputs.json."""
    held = {path.relative_to(place).as_posix() for path in place.rglob("*")}
    outputs, checksum = place / OUTPUTS, place / "checksums" / f"{OUTPUTS}.txt"
    is_whole = held <= NAMES and outputs.is_file() and checksum.is_file()
    return is_whole and checksum.read_bytes() == digest(outputs).encode()


def describe_output(audit: Audit, table: Table, elsewhere: Iterable[str]) -> dict[str, Any]:
    """Return the entry of the candidate, which says ``elsewhere`` the findings are.

    It may leave with the candidate, so it says nothing that this does not.
    """
    status, failed = STATUS[audit.verdict], [one for one in audit.checks if one.verdict is not Verdict.RELEASE]
    why, last = " ".join(check.sentence for check in failed), audit.promise or audit.advice.say(on_command_line)
    kind = f"{audit.patterns.kind} itemsets" if table.name == "itemsets" else table.name
    statuses = {one.name: STATUS[one.verdict] for one in audit.checks}
    comments = [last, *elsewhere, *_beside(audit), *audit.warnings]
    return {
        "uid": table.name,
        "status": status,
        "type": "table",
        "properties": _properties(audit, kind),
        "outcome": {one.name: {"status": STATUS[one.verdict], "found": one.found} for one in audit.checks},
        "command": _command(audit, table.name),
        # Its first part must be the status, and no label may be in it: SACRO-Viewer splits it, and shows it as HTML.
        "summary": "; ".join([status, *(f"{check.name}: {check.found:,}" for check in failed)]),
        "comments": [_as_html(sentence) for sentence in comments if sentence != CONFIDENTIAL],
        "exception": _as_html(f"No exception is asked for. {why}") if failed else "",
        "fair": {
            **FAIR,
            "independent": _name_attributes(audit),
            "checks_needed": [*statuses],
            "check_status": statuses,
        },
    }


def _name_attributes(audit: Audit) -> list[str]:
    tables = audit.candidate.tables if isinstance(audit.candidate, Counts) else ()
    return list(dict.fromkeys(printable(name) for table in tables for name in table.names))


def _describe_rules(audit: Audit) -> dict[str, Any]:
    """Return the rules as the viewer shows them, in the words of ACRO where it has some: they can be read back."""
    policy = audit.policy
    others = {word: value for word, value in policy.facts().items() if word not in {"k", "zeros", "name"} and value}
    acro = {"safe_threshold": policy.k, "zeros_are_disclosive": policy.zeros is not Verdict.RELEASE}
    return {**acro, "policy": policy.name, **others, "discreet": __version__}


def _refer(signs: Sequence[Signs]) -> Iterator[str]:
    """Yield where the findings are; their numbers stand nowhere else."""
    if signs:
        files = ", ".join(f"{FINDINGS[one.check]}.csv" for one in signs)
        yield f"What it gives away is listed in the folder {MARK} beside this table, which cannot be approved: {files}."


def _file(name: str, cells: Flagged) -> dict[str, Any]:
    return {"name": name, "sdc": describe_file(cells)}


def describe_file(cells: Flagged) -> dict[str, Any]:
    """Return the flagged cells of a file: line and column, from 0 on, of what is neither header nor first column."""
    summary: dict[str, int] = {"suppressed": False, **{check: len(flagged) for check, flagged in cells.items()}}
    return {"summary": summary, "cells": cells}


def _properties(audit: Audit, method: str) -> dict[str, Any]:
    about: dict[str, Any] = {"candidate": printable(audit.what)}
    if isinstance(audit.candidate, Patterns):
        patterns = audit.candidate
        about = {"n": patterns.n, "min_support": patterns.min_support, "kind": patterns.kind, "itemsets": len(patterns)}
        about |= {} if patterns.max_length is None else {"max_length": patterns.max_length}
    policy = {"k": audit.policy.k, "policy": printable(str(audit.policy))}
    return {"method": method, **policy, **about, "discreet": __version__}


def _command(audit: Audit, name: str) -> str:
    """Return the command that judges this candidate so; only the table of itemsets can be read back, not the others."""
    policy, patterns = audit.policy, audit.patterns
    by = ["--policy", policy.name] if policy.name in policy_names() else []
    itemsets = ["--n", str(patterns.n), "--kind", patterns.kind]
    itemsets += [] if patterns.max_length is None else ["--max-length", str(patterns.max_length)]
    is_session = audit.reading is not None and audit.reading.format == "acro"
    counts = ["--acro"] if is_session else ["--counts"]
    kind = {"itemsets": itemsets, "rules": ["--rules"], "leaves": ["--tree"], "counts": counts}.get(name, [])
    file = "itemsets.csv" if name == "itemsets" else "FILE"
    return printable(shlex.join(["discreet", "audit", file, *by, "-k", str(policy.k), *kind]))


def _origin(source: Source | None, against: Sequence[Source]) -> Iterator[str]:
    """Yield which files were compared, in no other file: a digest would let others test guesses about the rows."""
    named = {"Audited": source, **{f"Older release {number}": older for number, older in enumerate(against, start=1)}}
    for name, file in named.items():
        if file is not None:
            yield f"{name}: {printable(file.file)}, SHA-256 {file.sha256}"


def _beside(audit: Audit) -> Iterator[str]:
    """Yield what was looked at beside what the command says."""
    if audit.changes:
        many = count_of(max(number for changes in audit.changes for number in changes.numbers), "older release")
        yield f"They were compared with {many}, which README.txt names if it can: give each with --against."
    if any(check.name is CheckName.SCHEMA for check in audit.checks):
        yield "Values of an attribute were taken to exclude each other: say with --schema what stands before a value."


def _as_html(sentence: str) -> str:
    """Return a sentence for a place that SACRO-Viewer shows as HTML: a label in it stays text."""
    return escape(printable(sentence))


def _as_csv(lines: Iterable[list[str]]) -> Iterator[bytes]:
    """Yield a table as CSV, without a line end after the last line.

    SACRO-Viewer guesses what stands between cells from how alike the first lines are: an empty one at the end of a
    short table makes it take the signs within itemsets for that.
    """
    end = ""
    for cells in lines:
        yield f"{end}{as_record(cells)}".encode()
        end = "\n"


def _write_checksums(folder: Path) -> None:
    """Write the digest of each file beside it, and nothing else: SACRO-Viewer compares all of the text."""
    digests = {path.name: digest(path) for path in sorted(folder.iterdir()) if path.is_file()}
    checksums = folder / "checksums"
    checksums.mkdir(OWN)
    for name, text in digests.items():
        save(checksums / f"{name}.txt", [text.encode()], private=True)
