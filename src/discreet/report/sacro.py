"""A folder that SACRO-Viewer opens: what somebody wants to publish, for whoever checks it first."""

import json
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Any, Final

from discreet import __version__
from discreet.data.patterns import Patterns
from discreet.errors import on_command_line
from discreet.io.files import MARK, OWN, check_folder, digest, folder_beside, save
from discreet.io.notation import WITHIN, as_record, write_text
from discreet.judging.audit import Audit
from discreet.judging.policy import CheckName, Verdict
from discreet.report.findings import Source
from discreet.report.sacro_tables import COUNT, SUMS, Flagged, Signs, gather, list_findings, name_labels, tabulate
from discreet.runtime.text import count_of, printable

VERSION: Final = "0.4.9"  # of ACRO, whose shape outputs.json has; SACRO-Viewer takes 0.4 and later
STATUS: Final = {Verdict.RELEASE: "pass", Verdict.REVIEW: "review", Verdict.WITHHOLD: "fail"}
CANDIDATES: Final = {
    "itemsets": f"items with {WITHIN} between them, and their supports; the itemset without items stands for all rows",
    "supports": f"items with {WITHIN} between them, and the limits of supports; no items stand for all rows",
    "rules": f"items with {WITHIN} between them; a rounded number is shown with its limits",
    "leaves": "and how many rows reach each, of each class",
}
"""The tables of what somebody wants to publish, and what they list."""
FINDINGS: Final = {
    CheckName.CHANNELS: "channels",
    CheckName.DIFFERENCES: "differences",
    CheckName.SCHEMA: "rests",
    CheckName.BOUNDS: "bounds",
    CheckName.DIFFERENCING: "changes",
    CheckName.LOW_COUNTS: "few",
    CheckName.PEOPLE: "people",
    CheckName.SEVERAL_TREES: "overlaps",
}
"""The names of the files of findings, by the check that found them: they must not leave."""
GIVEN_AWAY: Final = {
    CheckName.SCHEMA: " to whoever knows which values exclude each other",
    CheckName.DIFFERENCING: " together with older releases",
}
OUTPUTS: Final = "outputs.json"
FILES: Final = (
    *(f"{name}.csv" for name in CANDIDATES),
    *(f"{name}.{MARK}.csv" for name in FINDINGS.values()),
    *(OUTPUTS, "README.txt"),
)
NAMES: Final = {*FILES, "checksums", *(f"checksums/{name}.txt" for name in FILES)}
"""What such a folder may hold."""
README: Final = f"""\
{MARK}: this folder is for whoever checks the output, inside the place where the rows are.

Open it with SACRO-Viewer. It holds

{OUTPUTS:<14}  what was found, the status of each output, and which cells are flagged
{{file:<14}}  the {{name}} that somebody wants to publish:
{"":<14}  {{about}}
checksums       the SHA-256 digest of each file

Only {{file}} may be released, and that once it has passed. Where something is found, a file whose name says
{MARK} lists it, the fewest rows first: which rows, how many, and for the first {SUMS:,} the sum of supports
that reveals it. It is evidence for you: never approve it.
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
    releases. The findings are outputs that always fail, so that whoever approves the candidate does not release them.
    Without ``timestamp`` the same audit gives the same bytes.

    >>> from tempfile import TemporaryDirectory
    >>> from discreet import audit
    >>> found = audit([["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50, min_support=10, k=10)
    >>> with TemporaryDirectory() as place:
    ...     write_sacro(found, f"{place}/checked")
    ...     results = json.loads(Path(place, "checked", "outputs.json").read_text())["results"]
    >>> [(uid, result["status"]) for uid, result in results.items()]
    [('itemsets', 'fail'), ('channels.DO-NOT-RELEASE', 'fail')]
    >>> results["itemsets"]["files"][0]["sdc"]["cells"]
    {'inference channels': [[1, 0], [2, 0]]}
    """
    place = Path(folder)
    check_sacro(place)
    signs, names = gather(audit), name_labels(audit)
    table = tabulate(audit, signs, names)
    file = f"{table.name}.csv"
    results = {table.name: _candidate_result(audit, table.name, _file(file, table.flagged))}
    with folder_beside(place, OWN) as beside:
        save(beside / file, _as_csv(table.lines), private=True)
        for one in signs:
            uid = f"{FINDINGS[one.check]}.{MARK}"
            save(beside / f"{uid}.csv", _as_csv(list_findings(one, names)))
            results[uid] = _findings_result(audit, one, uid, table.name)
        when = "" if timestamp is None else timestamp.isoformat(timespec="seconds")
        outputs = {"version": VERSION, "results": {uid: _result(uid, one, when) for uid, one in results.items()}}
        # SACRO-Viewer reads in the encoding of the machine it runs on: ASCII is the same in all.
        save(beside / OUTPUTS, [f"{json.dumps(outputs)}\n".encode()], private=True)
        readme = README.format(file=file, name=table.name, about=CANDIDATES[table.name])
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


def _candidate_result(audit: Audit, name: str, file: dict[str, Any]) -> dict[str, Any]:
    """Return the result for the candidate; it may leave with the candidate, so it says nothing that this does not."""
    status, failed = STATUS[audit.verdict], [one for one in audit.checks if one.verdict is not Verdict.RELEASE]
    why, last = " ".join(check.sentence for check in failed), audit.promise or audit.advice.say(on_command_line)
    kind = f"{audit.patterns.kind} itemsets" if name == "itemsets" else name
    return {
        "status": status,
        "properties": _properties(audit, kind),
        "files": [file],
        "outcome": {one.name: {"status": STATUS[one.verdict], "found": one.found} for one in audit.checks},
        "command": _command(audit, name),
        # Its first part must be the status, and no label may be in it: SACRO-Viewer splits it, and shows it as HTML.
        "summary": "; ".join([status, *(f"{check.name}: {check.found:,}" for check in failed)]),
        "comments": [_as_html(sentence) for sentence in (last, *_beside(audit), *audit.warnings)],
        "exception": _as_html(f"No exception is asked for. {why}") if failed else "",
    }


def _findings_result(audit: Audit, signs: Signs, uid: str, name: str) -> dict[str, Any]:
    """Return the result for findings: they fail, whatever the policy."""
    check, many = signs.check, len(signs.findings)
    what = f"this is what the {name} would give away{GIVEN_AWAY.get(check, '')}."
    return {
        "status": "fail",
        "properties": _properties(audit, check),
        "files": [_file(f"{uid}.csv", {check: [[line, COUNT] for line in range(many)]})],
        "outcome": {check: {"status": "fail", "found": many}},
        "command": _command(audit, name),
        "summary": f"fail; evidence for the checker, never to be released; {check}: {many:,}",
        "comments": [f"DO NOT RELEASE: {what} Reject it, whatever comes of them."],
        "exception": "No exception is asked for: this is evidence for the checker.",
    }


def _result(uid: str, result: Mapping[str, Any], timestamp: str) -> dict[str, Any]:
    """Return a result with its keys in the order of ACRO."""
    every = {"uid": uid, "type": "table", "timestamp": timestamp, **result}
    order = "uid status type properties files outcome command summary timestamp comments exception"
    return {key: every[key] for key in order.split()}


def _file(name: str, cells: Flagged) -> dict[str, Any]:
    """Return a file with its flagged cells: line and column, from 0 on, of what is neither header nor first column."""
    summary: dict[str, int] = {"suppressed": False, **{check: len(flagged) for check, flagged in cells.items()}}
    return {"name": name, "sdc": {"summary": summary, "cells": cells}}


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
    by = [] if policy.name == "k" else ["--policy", policy.name]
    itemsets = ["--n", str(patterns.n), "--kind", patterns.kind]
    itemsets += [] if patterns.max_length is None else ["--max-length", str(patterns.max_length)]
    kind = {"itemsets": itemsets, "rules": ["--rules"], "leaves": ["--tree"]}.get(name, [])
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
    digests = {path.name: digest(path) for path in sorted(folder.iterdir())}
    checksums = folder / "checksums"
    checksums.mkdir(OWN)
    for name, text in digests.items():
        save(checksums / f"{name}.txt", [text.encode()], private=True)
