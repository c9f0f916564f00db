"""The release folder: what may be published, a certificate for whoever checks it, and apart what must stay private."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from discreet.blocking.distortion import supports_in
from discreet.blocking.release.release import Release
from discreet.blocking.release.verify import PATTERNS, Verification
from discreet.blocking.release.verify import verify as verify_files
from discreet.blocking.release.verify.masks import visible
from discreet.data.lattice import family_of
from discreet.data.merged import Merged
from discreet.data.patterns import Patterns
from discreet.disclosure.attacks.attack import attack
from discreet.disclosure.attacks.finding import LEVELS
from discreet.errors import DiscreetError, Either, GuaranteeError, OutputError
from discreet.io.files import MARK, save
from discreet.io.folders import OWN, as_json, check_folder, digest, folder_beside, write_csv, write_text
from discreet.io.label_codes import patterns_in_order, ragged
from discreet.io.read import read_patterns, write_patterns
from discreet.io.registry import FORMATS, find
from discreet.judging.policy import ZEROS, Policy, load, names

if TYPE_CHECKING:
    from discreet.report import Source

README: Final = """\
DO NOT RELEASE this folder: it tells what was changed, and with that what was hidden.

cost.json       what the release cost: rows suppressed and added, itemsets lost and changed, the average distortion
suppressed.csv  the rows that were left out, counted from 1 on, and their ids if they have any
added.csv       the rows that were added: how many copies, then the items, each in a field
supports.csv    every closed itemset whose support has changed: before, after (nothing if it is lost), then the items

Move it to a safe place, or delete it, before the rest of the folder goes out."""

NAMES: Final = {
    "release.json",
    "certificate.json",
    "report.txt",
    "DO-NOT-RELEASE",
    *(f"patterns{form.suffixes[0]}" for form in FORMATS.values() if form.patterns),
}
"""What a release folder may hold."""

CLAIMS: Final = ("method", "k", "min_support", "n", "kind", "listed", "is_whole")
"""What release.json and certificate.json both say."""


def write_release(
    release: Release,
    folder: str | os.PathLike[str],
    *,
    format: str = "json",  # noqa: A002 - as in write_patterns
    source: "Source | None" = None,
) -> None:
    """Write a release folder, its patterns in ``format``; anybody can check it with ``verify``.

    It is written beside, verified, and moved into place: there is never half a folder. One that holds a release and
    nothing else gives way to the new one; any other is refused. What was changed, and what it cost, stands apart in
    DO-NOT-RELEASE, with the ``source`` of the rows: the other files tell nothing that the patterns do not.

    >>> from tempfile import TemporaryDirectory
    >>> from discreet import block, verify
    >>> release = block([["a", "b"]] * 20 + [["a"]] * 3, min_support=10, k=5, method="suppress")
    >>> with TemporaryDirectory() as place:
    ...     write_release(release, f"{place}/release")
    ...     verify(f"{place}/release").is_good
    True
    """
    # Loaded late: importing discreet shall stay quick.
    from discreet.report import public_facts, public_text  # noqa: PLC0415

    if not len(release.patterns):
        raise OutputError(
            "the release lists nothing, so there is nothing to write; ",
            Either(("lower {}", "min_support", "k"), "add rows"),
        )
    place = Path(folder)
    suffix = find("-", format, what="patterns").suffixes[0]
    check_place(place)
    with folder_beside(place) as beside:
        listed = beside / f"patterns{suffix}"
        write_patterns(release.patterns, listed, format=format)
        facts = public_facts(release)
        write_text(beside / "certificate.json", [as_json(certificate(facts, release.patterns, listed))])
        write_text(beside / "report.txt", public_text(release))
        files = {path.name: digest(path) for path in sorted(beside.iterdir())}
        write_text(beside / "release.json", [as_json({**facts, "files": files})])
        _write_private(release, beside / MARK, source)
        found = verify(beside)
        if not found.is_good:
            raise GuaranteeError(f"the verifier refuses the release ({found.faults[0]}); nothing is released")


def verify(folder: str | os.PathLike[str]) -> Verification:
    """Return what is wrong with a release, from its files alone; a folder without release.json is refused.

    Its cells are counted again by code that shares nothing with the code that made it. A policy must be the one that
    its name stands for. Where it claims to withstand an attacker who infers more than channels, he tries: there the
    code of ``attack`` is trusted.
    """
    found = verify_files(folder)
    if not found.is_good:
        return found
    facts = json.loads(Path(folder, "release.json").read_bytes())
    return found._replace(faults=(*_misnamed(facts["policy"]), *_inferred(Path(folder), facts, found)))


def _misnamed(told: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a policy: it is none, or has the name of another, which may ask for a larger k alone."""
    try:
        policy = Policy(**{**told, "zeros": ZEROS[told["zeros"]]})
        name = visible(policy.name).strip().casefold()
    except (DiscreetError, KeyError):
        yield "the policy in release.json is none: a value in it cannot be"
        return
    known = Policy("k", k=1) if name == "k" else load(name) if name in names() else policy
    if policy != replace(known, k=max(policy.k, known.k)):
        yield f"the policy in release.json is not the one that is named {known.name!r}"


def _inferred(folder: Path, facts: Mapping[str, Any], found: Verification) -> Iterator[str]:
    """Yield what the attacker infers that a release claims to withstand."""
    claimed, is_whole = facts["against"], facts["is_whole"]
    level = next((level for level in LEVELS if level == claimed), None)
    if level == "plain" or found.k is None:
        return
    if level is None:
        yield "the attacker whom it claims to withstand is not known"
        return
    [listed] = (path for path in folder.iterdir() if path.name in PATTERNS)
    try:
        patterns = read_patterns(listed, n=found.n, min_support=found.min_support, kind=facts["kind"])
        tried = attack(patterns, k=found.k, level=level, complete=is_whole)
    except DiscreetError:
        yield f"the attacker {level!r} cannot be tried on {listed.name}"
        return
    if tried.findings:
        yield f"the attacker {level!r} infers something about fewer than {found.k} rows"
    elif tried.undecided:
        yield f"whether the attacker {level!r} infers something was not decided: {tried.undecided[0]}"


def certificate(facts: Mapping[str, Any], patterns: Patterns, listed: Path) -> dict[str, Any]:
    """Return what a verifier needs: what is claimed, and the cells of each maximal itemset, to be counted again."""
    found = list(tops(patterns_in_order(patterns)))
    return {
        "certificate": 1,
        **{word: facts[word] for word in CLAIMS},
        "patterns": {"file": listed.name, "sha256": digest(listed)},
        "smallest_cell": min(top["smallest"] for top in found),
        "tops": found,
    }


def tops(patterns: Patterns) -> Iterator[dict[str, Any]]:
    """Yield each maximal itemset: its items as text, its support, how many cells hold rows, and the fewest rows."""
    family = family_of(patterns)
    cells = family.cells(limit=patterns.n + 1)
    order = np.argsort(cells.tops, kind="stable")
    counts, starts = cells.counts[order], np.searchsorted(cells.tops[order], np.arange(family.tops.size + 1))
    itemsets = ragged(*family.top_itemsets())
    for number, (itemset, support) in enumerate(zip(itemsets, family.supports[family.tops].tolist(), strict=True)):
        held = counts[starts[number] : starts[number + 1]]
        items = [str(family.labels[code]) for code in itemset]
        yield {"items": items, "support": support, "cells": int(held.size), "smallest": int(held.min())}


def _write_private(release: Release, folder: Path, source: "Source | None") -> None:
    """Write what was changed, for the owner of the rows alone."""
    # Loaded late: importing discreet shall stay quick.
    from discreet.report import release_json  # noqa: PLC0415

    folder.mkdir(OWN)
    save(folder / "cost.json", release_json(release, source=source))
    write_csv(folder / "suppressed.csv", *_suppressed(release))
    labels = release.rows.labels
    added = zip(release.added.weights.tolist(), ragged(release.added.offsets, release.added.items), strict=True)
    lines = ([copies, *(labels[code] for code in itemset)] for copies, itemset in added)
    write_csv(folder / "added.csv", ["copies", "items"], lines)
    write_csv(folder / "supports.csv", ["before", "after", "items"], _changes(release))
    write_text(folder / "README.txt", [README])


def _suppressed(release: Release) -> tuple[list[str], Iterator[list[object]]]:
    """Return the head and the lines of the rows that are suppressed: their numbers and ids; merged ones, their items.

    Rows that are equal in frequent items are suppressed together, so the items tell the owner which rows they are.
    """
    rows, numbers = release.rows, release.suppressed.tolist()
    if isinstance(rows, Merged):
        itemsets = (rows.items[rows.offsets[at] : rows.offsets[at + 1]].tolist() for at in numbers)
        parts = zip(rows.weights[numbers].tolist(), itemsets, strict=True)
        return ["rows", "items"], ([many, *(rows.labels[code] for code in itemset)] for many, itemset in parts)
    ids = rows.ids
    head = ["row", *([] if ids is None else ["id"])]
    return head, ([row + 1, *([] if ids is None else [ids[row]])] for row in numbers)


def _changes(release: Release) -> Iterator[list[object]]:
    """Yield each itemset that is or was closed and whose support has changed: before, after, and its items."""
    old, new = patterns_in_order(release.original), patterns_in_order(release.patterns)
    for patterns, is_new in ((old, False), (new, True)):
        pairs = np.column_stack([supports_in(old, patterns), supports_in(new, patterns)])
        for at in np.flatnonzero(pairs[:, 0] != pairs[:, 1]).tolist():
            itemset = patterns.labelled(at)
            if not (is_new and itemset in old):
                yield [int(pairs[at, 0]), int(pairs[at, 1]) or "", *itemset]


def check_place(place: Path) -> None:
    """Refuse a place for a release that cannot be written, or holds anything but an older release."""
    check_folder(place, "release", _is_release)


def _is_release(place: Path) -> bool:
    held = {path.name for path in place.iterdir()}
    return "release.json" in held and held <= NAMES
