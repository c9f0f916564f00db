"""A folder that SACRO-Viewer opens: the itemsets that somebody wants to publish, for whoever checks them first."""

import json
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from html import escape
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from discreet import __version__
from discreet.data.itemsets import Itemset, Label
from discreet.data.patterns import Patterns
from discreet.disclosure.channels import Channel, Difference, Term
from discreet.errors import on_command_line
from discreet.io.files import MARK, OWN, check_folder, digest, folder_beside, save
from discreet.io.formats.patterns import iterate_patterns
from discreet.io.label_codes import iterate_codes, sort_pattern_codes
from discreet.io.text import HEADER, WITHIN, as_record, write_text
from discreet.judging.audit import Audit
from discreet.judging.finding import Who, find_terms
from discreet.judging.policy import CheckName, Verdict
from discreet.publications.series import Change
from discreet.report.findings import Source, cell_names, direction, joined, named_sum, older_name, rows_that
from discreet.runtime.text import count_of, printable

SUMS: Final = 1_000  # worst findings whose sums are followed: each takes a pass over all itemsets

Finding: TypeAlias = Channel | Difference | Change


class Signs(NamedTuple):
    """What gives away too much: the check that found it, the worst first, and the sums of the worst.

    Of changes, ``since`` names the places of the older releases that each is one from.
    """

    check: CheckName
    found: Sequence[Finding]
    sums: Sequence[Sequence[Term]]
    since: Sequence[tuple[int, ...]] = ()


def evidence_of(audit: Audit) -> list[Signs]:
    """Return the channels or, where they could not be looked for, the differences; then remainders and changes."""
    listed, remainders = audit.evidence.listed, audit.evidence.remainders
    cells: list[Channel | Difference] = [*(audit.differences if audit.channels is None else audit.channels.worst())]
    check = CheckName.DIFFERENCES if audit.channels is None else CheckName.CHANNELS
    # A support that is not listed is that of a listed itemset, which is named.
    rests = [[term._replace(itemset=_closest(term.itemset, listed)) for term in one.sum] for one in remainders[:SUMS]]
    pairs = [(change, changes) for changes in audit.changes for change in changes]
    now = [find_terms(one, changes, audit.patterns, one.after) for one, changes in pairs[:SUMS]]
    every = [
        Signs(check, cells, [cell.terms(listed) for cell in cells[:SUMS]]),
        Signs(CheckName.SCHEMA, [Channel(one.base, one.top, one.high) for one in remainders], rests),
        Signs(CheckName.DIFFERENCING, [one for one, _ in pairs], now, [changes.numbers for _, changes in pairs]),
    ]
    return [evidence for evidence in every if evidence.found]


def flagged(audit: Audit, listed: Patterns, every: Iterable[Signs]) -> dict[CheckName, list[int]]:
    """Return the lines, from 0 on, of supports that are to be flagged, by the name of the check that asks for it.

    ``listed`` are the patterns of the audit, in the order of the lines.

    >>> from discreet import audit
    >>> found = audit([["a", "b", "c"]] * 48 + [["a", "b"]] * 2 + [[]] * 50, min_support=10, k=10)
    >>> flagged(found, found.patterns, evidence_of(found))
    {<CheckName.CHANNELS: 'inference channels'>: [1, 2]}
    """
    supports, policy = listed.supports, audit.policy
    low = (supports > 0) & (supports < policy.k)
    if policy.zeros is not Verdict.RELEASE:
        low |= supports == 0
    found = {
        CheckName.LOW_COUNTS: np.flatnonzero(low).tolist(),
        CheckName.ROUNDING: np.flatnonzero(supports % (policy.round_to or 1)).tolist(),
        **{evidence.check: _lines(_summed(evidence), listed) for evidence in every},
        CheckName.CLASS_DISCLOSURE: _lines(_implied(audit, listed), listed),
    }
    return {check: lines for check, lines in found.items() if lines}


def _lines(itemsets: Iterable[Itemset], listed: Patterns) -> list[int]:
    """Return the lines of those itemsets that have one: the empty itemset, whose support is n, need not be listed."""
    code = {label: number for number, label in enumerate(listed.labels)}
    wanted = {tuple(sorted(code[label] for label in itemset)) for itemset in itemsets}
    every = enumerate(iterate_codes(listed.itemsets))
    return [line for line, itemset in every if tuple(itemset) in wanted] if wanted else []


def _summed(evidence: Signs) -> Iterator[Itemset]:
    """Yield the itemsets whose supports take part in sums: every base; both of a difference; all terms that we have."""
    for one in evidence.found:
        yield one.base
        if isinstance(one, Difference):
            yield one.top
    yield from (term.itemset for terms in evidence.sums for term in terms)


def _implied(audit: Audit, listed: Patterns) -> Iterator[Itemset]:
    """Yield the itemsets whose supports reveal the shortest implications: base, and the closest to base with item."""
    for implication in islice(audit.implications or (), SUMS):
        yield implication.base
        yield _closest(implication.base | {implication.item}, listed)


def _closest(itemset: Itemset, listed: Patterns) -> Itemset:
    """Return the listed itemset whose support an itemset has: the closest of those that contain it."""
    code = {label: number for number, label in enumerate(listed.labels)}
    holding = np.flatnonzero(listed.itemsets.contain(code[label] for label in itemset))
    sizes = listed.itemsets.lengths[holding]
    return frozenset(listed.labelled(int(holding[np.lexsort((sizes, -listed.supports[holding]))[0]])))


VERSION: Final = "0.4.9"  # of ACRO, whose shape outputs.json has; SACRO-Viewer takes 0.4 and later
STATUS: Final = {Verdict.RELEASE: "pass", Verdict.REVIEW: "review", Verdict.WITHHOLD: "fail"}
ITEMSETS: Final = "itemsets.csv"
FINDINGS: Final = {
    "inference channels": f"channels.{MARK}.csv",
    "differences": f"differences.{MARK}.csv",
    "schema": f"rests.{MARK}.csv",
    "differencing": f"changes.{MARK}.csv",
}
"""The files of what gives away too much, by the check that found it: they must not leave."""
GIVEN_AWAY: Final = {
    **dict.fromkeys(FINDINGS, "this is what the itemsets would give away."),
    "schema": "this is what the itemsets would give away to whoever knows which values exclude each other.",
    "differencing": "this is what the itemsets would give away together with older releases.",
}
OUTPUTS: Final = "outputs.json"
FILES: Final = (ITEMSETS, *FINDINGS.values(), OUTPUTS, "README.txt")
NAMES: Final = {*FILES, "checksums", *(f"checksums/{name}.txt" for name in FILES)}
"""What such a folder may hold."""
CHANGED: Final = ["before", "now", "more or fewer", "since"]
"""The columns that only changes have; the sum is that of now."""
SUPPORT, COUNT = 0, 2
"""The columns that cells are flagged in, of the itemsets and of the findings; the first column is not counted."""

README: Final = f"""\
{MARK}: this folder is for whoever checks the output, inside the place where the rows are.

Open it with SACRO-Viewer. It holds

{OUTPUTS:<14}  what was found, the status of each output, and which cells are flagged
{ITEMSETS:<14}  the itemsets that somebody wants to publish, items with {WITHIN} between them, and their supports;
{"":<14}  the itemset without items stands for all rows
checksums       the SHA-256 digest of each file

Only {ITEMSETS} may be released, and that once it has passed. Where something is found, a file whose name says
{MARK} lists it, the fewest rows first: which rows, how many, and for the first {SUMS:,} the sum of supports
that tells it. It is evidence for you: never approve it.
"""


def write_sacro(
    audit: Audit,
    folder: str | os.PathLike[str],
    *,
    source: Source | None = None,
    timestamp: datetime | None = None,
    against: Sequence[Source] = (),
) -> None:
    """Write an audit as a folder that SACRO-Viewer opens: the itemsets as a table, in which supports are flagged.

    ``against`` are the files of the older releases that it was compared with, if they are known.

    It is written beside and moved into place. An older one that is as we wrote it gives way; any other is refused, such
    as one that was reviewed. Only its owner may enter it: give the checkers access. Flagged are supports that are too
    low, not rounded, or that tell of an implication, and those that channels are summed up from: the base of each
    channel, and all that the worst 1,000 need; likewise for rests of attributes, and for changes since older releases.

    Each of these is an output of its own that always fails, so that whoever approves the itemsets does not release it.
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
    listed, evidence = sort_pattern_codes(audit.patterns), evidence_of(audit)
    names = cell_names(audit.patterns.labels)
    results = {"itemsets": _itemsets(audit, flagged(audit, listed, evidence))}
    with folder_beside(place, OWN) as beside:
        save(beside / ITEMSETS, _table(chain([HEADER], _itemset_lines(listed, names))), private=True)
        for one in evidence:
            file = FINDINGS[one.check]
            save(beside / file, _table(_finding_lines(one, names)))
            results[file.removesuffix(".csv")] = _evidence_result(audit, one, file)
        when = "" if timestamp is None else timestamp.isoformat(timespec="seconds")
        outputs = {"version": VERSION, "results": {uid: _result(uid, one, when) for uid, one in results.items()}}
        # SACRO-Viewer reads in the encoding of the machine it runs on: ASCII is the same in all.
        save(beside / OUTPUTS, [f"{json.dumps(outputs)}\n".encode()], private=True)
        write_text(beside / "README.txt", [README, *_origin(source, against)], private=True)
        _write_checksums(beside)


def check_sacro(place: Path) -> None:
    """Refuse a place that cannot be written, or holds anything but a folder that is as ``write_sacro`` left it."""
    check_folder(place, "SACRO folder that nobody has changed", _is_ours)


def _is_ours(place: Path) -> bool:
    """Return whether a folder is as we wrote it: SACRO-Viewer writes reviews into outputs.json."""
    held = {path.relative_to(place).as_posix() for path in place.rglob("*")}
    outputs, checksum = place / OUTPUTS, place / "checksums" / f"{OUTPUTS}.txt"
    if not (held <= NAMES and outputs.is_file() and checksum.is_file()):
        return False
    return checksum.read_bytes() == digest(outputs).encode()


def _itemsets(audit: Audit, flagged: Mapping[CheckName, list[int]]) -> dict[str, Any]:
    """Return the result for the itemsets; it may be released with them, so it says nothing that they do not."""
    status, failed = STATUS[audit.verdict], [one for one in audit.checks if one.verdict is not Verdict.RELEASE]
    why = " ".join(check.sentence for check in failed)
    last = audit.promise or audit.advice.say(on_command_line)
    return {
        "status": status,
        "properties": _properties(audit, f"{audit.patterns.kind} itemsets"),
        "files": [_file(ITEMSETS, {check: [[line, SUPPORT] for line in lines] for check, lines in flagged.items()})],
        "outcome": {one.name: {"status": STATUS[one.verdict], "found": one.found} for one in audit.checks},
        "command": _command(audit),
        # Its first part must be the status, and no label may be in it: SACRO-Viewer splits it, and shows it as HTML.
        "summary": "; ".join([status, *(f"{check.name}: {check.found:,}" for check in failed)]),
        "comments": [_as_html(sentence) for sentence in (last, *_beside(audit), *audit.warnings)],
        "exception": _as_html(f"No exception is asked for. {why}") if failed else "",
    }


def _evidence_result(audit: Audit, evidence: Signs, file: str) -> dict[str, Any]:
    """Return the result for the findings: they fail, whatever the policy."""
    check, many = evidence.check, len(evidence.found)
    return {
        "status": "fail",
        "properties": _properties(audit, check),
        "files": [_file(file, {check: [[line, COUNT] for line in range(many)]})],
        "outcome": {check: {"status": "fail", "found": many}},
        "command": _command(audit),
        "summary": f"fail; evidence for the checker, never to be released; {check}: {many:,}",
        "comments": [f"DO NOT RELEASE: {GIVEN_AWAY[check]} Reject it, whatever comes of them."],
        "exception": "No exception is asked for: this is evidence for the checker.",
    }


def _result(uid: str, result: Mapping[str, Any], timestamp: str) -> dict[str, Any]:
    """Return a result with its keys in the order of ACRO."""
    every = {"uid": uid, "type": "table", "timestamp": timestamp, **result}
    order = "uid status type properties files outcome command summary timestamp comments exception"
    return {key: every[key] for key in order.split()}


def _file(name: str, cells: Mapping[str, list[list[int]]]) -> dict[str, Any]:
    """Return a file with its flagged cells: line and column, from 0 on, of what is neither header nor first column."""
    summary = {"suppressed": False, **{check: len(flagged) for check, flagged in cells.items()}}
    return {"name": name, "sdc": {"summary": summary, "cells": cells}}


def _properties(audit: Audit, method: str) -> dict[str, Any]:
    patterns = audit.patterns
    return {
        "method": method,
        "k": audit.policy.k,
        "policy": printable(str(audit.policy)),
        "n": patterns.n,
        "min_support": patterns.min_support,
        "kind": patterns.kind,
        "itemsets": len(patterns),
        "discreet": __version__,
    }


def _command(audit: Audit) -> str:
    """Return the command that judges these patterns so, but for the name of their file."""
    policy, patterns = audit.policy, audit.patterns
    by = [] if policy.name == "k" else ["--policy", policy.name]
    rule = [*by, "-k", str(policy.k), "--n", str(patterns.n), "--kind", patterns.kind]
    return printable(shlex.join(["discreet", "audit", ITEMSETS, *rule]))


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
        yield f"The itemsets were compared with {many}, which README.txt names if it can: give each with --against."
    if any(check.name is CheckName.SCHEMA for check in audit.checks):
        yield "Values of an attribute were taken to exclude each other: say with --schema what stands before a value."


def _as_html(sentence: str) -> str:
    """Return a sentence for a place that SACRO-Viewer shows as HTML: a label in it stays text."""
    return escape(printable(sentence))


def _itemset_lines(listed: Patterns, names: Mapping[Label, str]) -> Iterator[list[str]]:
    texts = [names[label] for label in listed.labels]
    for itemset, support in iterate_patterns(listed):
        yield [WITHIN.join([texts[code] for code in itemset]), str(support)]


def _finding_lines(evidence: Signs, names: Mapping[Label, str]) -> Iterator[list[str]]:
    """Yield the header, then each finding: in words, its base and top, how many rows, and the sum if we have it."""
    yield ["rows that", "base", "top", "count", "sum", *CHANGED * bool(evidence.since)]
    lines = zip(evidence.found, chain(evidence.sums, repeat(())), chain(evidence.since, repeat(())), strict=False)
    for one, terms, since in lines:
        itemsets = (joined(part, names) for part in (one.base, one.top))
        cells = [rows_that(Who(one.base, one.lacked), names), *itemsets, str(abs(one.count)), named_sum(terms, names)]
        if isinstance(one, Change):
            cells += [str(one.before), str(one.after), direction(one), older_name(since, ())]
        yield cells


def _table(lines: Iterable[list[str]]) -> Iterator[bytes]:
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
