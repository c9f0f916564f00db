"""The release folder: the files to publish, a certificate for whoever checks them, and the private changes apart."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from discreet.blocking.beside import Older, find_faults, hash_patterns, read_older
from discreet.blocking.blockers import BEST, METHODS
from discreet.blocking.crate import CRATE, check_crate, write_crate
from discreet.blocking.distortion import supports_in
from discreet.blocking.meet import keeps_whole
from discreet.blocking.release import Release
from discreet.blocking.stated_policy import check_policy, read_policy
from discreet.blocking.tables.block import TableRelease
from discreet.blocking.tables.folder import is_tables, verify_tables, write_tables
from discreet.blocking.verify import CLAIMS, PATTERNS
from discreet.blocking.verify import verify as verify_files
from discreet.blocking.verify_result import Verification
from discreet.data.hierarchy import Hierarchy
from discreet.data.itemsets import Label, Weighted
from discreet.data.lattice import build_family
from discreet.data.patterns import Patterns
from discreet.data.schema import Schema
from discreet.data.transactions import Merged
from discreet.disclosure.attacks.attack import ATTACKERS, attack
from discreet.disclosure.attacks.facts import Facts, as_schema
from discreet.disclosure.beliefs.belief import belief
from discreet.disclosure.detect import Question, find_channels
from discreet.disclosure.implications import find_implications
from discreet.errors import DiscreetError, Either, GuaranteeError, InputError, OptionError, OutputError
from discreet.io.files import MARK, OWN, check_folder, digest, folder_beside, save
from discreet.io.notation import as_json, sort_pattern_codes, write_csv, write_text
from discreet.io.read import read_patterns, write_patterns
from discreet.io.sources import FORMATS
from discreet.judging.policy import Verdict
from discreet.judging.schema import find_schema_sums, judge_schema
from discreet.publications.rules.reading import as_rounded

if TYPE_CHECKING:
    from discreet.report import Source

README: Final = """\
DO NOT RELEASE this folder: it shows what was changed, and so what was hidden.

cost.json       the cost of the release: n, rows suppressed and added, and changes of items, shares, itemsets and rules
suppressed.csv  the rows that were left out, counted from 1, with their ids if they have any
added.csv       the rows that were added: the number of copies, then the items, each in a field
supports.csv    every closed itemset whose support has changed: before, after (empty if it is lost), then the items

Move it to a safe place, or delete it, before you publish the rest of the folder."""

_LISTS: Final = {form.name: f"patterns{suffix}" for form in FORMATS.values() for suffix in form.suffixes[:1]}
LISTS: Final = {name: listed for name, listed in _LISTS.items() if listed in PATTERNS and FORMATS[name].patterns}
"""The formats of patterns in a release, which ``verify`` reads, and the file of each."""
NAMES: Final = {
    "release.json",
    "certificate.json",
    "report.txt",
    CRATE,
    MARK,
    *PATTERNS,
}  # in a release folder


def write_release(
    release: Release | TableRelease,
    folder: str | os.PathLike[str],
    *,
    format: str = "json",  # noqa: A002 - as in write_patterns
    source: "Source | None" = None,
    published: date | None = None,
) -> Verification:
    """Write a release folder, its patterns in ``format``, and return its verification.

    The folder is written beside, verified, and moved into place: there is never half a folder. An older release in its
    place is replaced; any other folder is refused. DO-NOT-RELEASE in it holds the changes, their cost and the
    ``source`` of the rows. The other files contain nothing that does not follow from the patterns. With the day it is
    ``published`` on, an RO-Crate describes it for archives: its policy, thresholds, program and digests.

    >>> from tempfile import TemporaryDirectory
    >>> from discreet import block
    >>> release = block([["a", "b"]] * 20 + [["a"]] * 3, min_support=10, k=5, method="suppress")
    >>> with TemporaryDirectory() as place:
    ...     verification = write_release(release, f"{place}/release")
    >>> verification.is_good
    True
    """
    if isinstance(release, TableRelease):
        private = None if source is None else source._asdict()
        return write_tables(release, Path(folder), source=private, published=published)
    from discreet.report import public_facts, public_text, release_json  # noqa: PLC0415 - a door, loaded late

    if not len(release.patterns):
        advice = Either(("lower {}", "min_support", "k"), "add rows")
        raise OutputError("the release lists nothing, so there is nothing to write; ", advice)
    if format not in LISTS:
        raise OptionError(f"format is {str(format)[:40]!r}; a release can be in one of {', '.join(LISTS)}")
    place = Path(folder)
    check_place(place)
    with folder_beside(place) as beside:
        listed = beside / LISTS[format]
        write_patterns(release.patterns, listed, format=format)
        facts = public_facts(release)
        write_text(beside / "certificate.json", [as_json(_certify(facts, release.patterns, listed))])
        write_text(beside / "report.txt", public_text(release))
        files = {path.name: digest(path) for path in sorted(beside.iterdir())}
        facts |= {"files": files}
        write_text(beside / "release.json", [as_json(facts)])
        if published is not None:
            write_crate(beside, facts, published)
        (beside / MARK).mkdir(OWN)
        save(beside / MARK / "cost.json", release_json(release, source=source))
        _write_changes(release, beside / MARK)
        verification = verify(beside)
        if not verification.is_good:
            raise GuaranteeError(f"the verifier refuses the release ({verification.faults[0]}); nothing is released")
    return verification


def verify(
    folder: str | os.PathLike[str],
    *,
    fingerprint: str | None = None,
    beside: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
) -> Verification:
    """Return the faults of a release, from its files alone; refuse a folder without release.json.

    Its cells are counted again by code that shares nothing with the code that made it. Its method must be known, and
    its policy the one that its name stands for. If it claims to withstand an attacker who infers more than channels,
    that attacker is tried: there the code of ``attack`` is trusted.

    That proves that the numbers are safe and consistent. Whether they are the publisher's follows from the
    ``fingerprint`` that the publisher gave you by a different route. If the release was made beside older ones, give
    these as ``beside``, folders or files of patterns, to check that they reveal nothing more together: there the code
    of ``audit`` is trusted. What was not checked is said.
    """
    if is_tables(Path(folder)):
        return verify_tables(folder, fingerprint=fingerprint)
    verification = verify_files(folder, fingerprint=fingerprint)
    older = _read_beside(verification, beside)
    if not verification.is_good:
        return verification
    facts = json.loads(Path(folder, "release.json").read_bytes())
    fault = check_policy(facts["policy"])
    if fault:
        return verification._replace(faults=(fault,))
    known = {BEST: True, **{name: blocker.is_whole for name, blocker in METHODS.items()}}
    is_whole = known.get(facts["method"], False) and keeps_whole(read_policy(facts["policy"]))
    is_known = facts["method"] in known and is_whole is facts["is_whole"]
    method = "" if is_known else "the method in release.json is unknown, or does not match is_whole and the policy"
    if facts["beside"] and facts["is_whole"]:
        method = "a release that was made beside older ones has exact supports, but is_whole in release.json denies it"
    faults = [
        method,
        check_crate(Path(folder), facts),
        _check_zeros(Path(folder), facts),
        _check_schema(Path(folder), facts),
    ]
    faults.append(_check_hierarchy(Path(folder), facts))
    faults += [check(Path(folder), facts, older) for check in (_check_beside, _attack, _believe)]
    left = tuple(filter(None, faults))
    return verification._replace(faults=left, together=() if left else tuple(one.sha256 for one in older))


def _read_beside(
    verification: Verification, beside: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
) -> list[Older]:
    """Return older releases by the fingerprints that release.json has of them; refuse others."""
    places = [beside] if isinstance(beside, str | os.PathLike) else list(beside)
    older = list[Older]()
    for number, place in enumerate(places, start=1):
        one = read_older(place)
        names = one.sha256, hash_patterns(one.patterns)
        known = next((name for name in names if name in verification.beside), None)
        if known is None:
            others = "for others, use `discreet audit --against`, or the page Compare"
            raise InputError(f"older release {number} is none that this one was made beside; {others}")
        older.append(one._replace(sha256=known))
    return older


def _check_beside(folder: Path, facts: Mapping[str, Any], older: Sequence[Older]) -> str:
    """Return a fault if older releases reveal something about fewer than k rows together with a release."""
    if not older:
        return ""
    try:
        patterns, olds = _read_listed(folder, facts), [one.patterns for one in older]
        return next(find_faults(patterns, olds, k=facts["k"], grown=facts["grown"]), "")
    except DiscreetError:
        return "what older releases reveal together with this one cannot be checked"


def _check_zeros(folder: Path, facts: Mapping[str, Any]) -> str:
    """Return a fault if the supports show an implication, and the policy withholds these."""
    if read_policy(facts["policy"]).zeros is not Verdict.WITHHOLD or facts["rounded_to"] is not None:
        return ""
    many = len(find_implications(_read_listed(folder, facts)))
    return f"{many:,} implications follow from the supports, which the policy withholds" if many else ""


def _read_listed(folder: Path, facts: Mapping[str, Any]) -> Patterns:
    """Return the patterns of a release, with its schema and hierarchy."""
    [listed] = (path for path in folder.iterdir() if path.name in PATTERNS)
    patterns = read_patterns(listed, **{word: facts[word] for word in ("n", "min_support", "kind", "max_length")})
    schema = Schema.of(facts["schema"], patterns.labels) if facts["schema"] else None
    pairs = [(child, parent) for child, parent in facts["hierarchy"]]
    return replace(patterns, schema=schema, hierarchy=Hierarchy.of(pairs) if pairs else None)


def _check_schema(folder: Path, facts: Mapping[str, Any]) -> str:
    """Return a fault if readers who know the schema of a release learn something about fewer than k rows."""
    if not facts["schema"]:
        return ""
    try:
        listed = _read_listed(folder, facts)
        if facts["rounded_to"] is not None:
            sums = find_schema_sums(_as_limits(listed, facts), facts["k"])
            return "with the schema in release.json: sums reveal too few rows" if sums.many or sums.wrong else ""
        judged = judge_schema(listed, facts["k"])
    except DiscreetError:
        judged = None
    if judged is None:
        return "what the schema in release.json reveals cannot be checked"
    check, _ = judged
    return "" if check.verdict is Verdict.RELEASE else f"with the schema in release.json: {check.sentence}"


def _check_hierarchy(folder: Path, facts: Mapping[str, Any]) -> str:
    """Return a fault if readers who know the parents of items learn something about fewer than k rows."""
    if not facts["hierarchy"] or facts["rounded_to"] is not None:
        return ""
    try:
        many = len(find_channels(Question(_read_listed(folder, facts), None, facts["k"])))
    except DiscreetError:
        return "what the hierarchy in release.json reveals cannot be checked"
    return f"with the hierarchy in release.json: {many:,} channels reveal fewer than k rows" if many else ""


def _as_limits(listed: Patterns, facts: Mapping[str, Any]) -> Facts:
    """Return the limits of supports that were rounded, with the schema of the release."""
    return replace(as_rounded(listed, facts["rounded_to"]), schema=as_schema(listed.schema, listed.labels))


def _attack(folder: Path, facts: Mapping[str, Any], older: Sequence[Older]) -> str:
    """Return a fault if the attacker whom a release claims to withstand infers something, or that is undecided."""
    olds = [one.patterns for one in older] if facts["grown"] else []
    level, k = next((level for level in ATTACKERS if level == facts["against"]), None), facts["k"]
    if level is None or level == "plain":
        return "" if level else "the attacker in release.json is unknown"
    try:
        listed, is_rounded = _read_listed(folder, facts), facts["rounded_to"] is not None
        known, is_whole = (_as_limits(listed, facts), None) if is_rounded else (listed, facts["is_whole"])
        result = attack(known, k=k, level=level, complete=is_whole, against=olds, grown=bool(olds))
    except DiscreetError:
        return f"the attacker {level!r} cannot be tried on the patterns"
    if result.findings:
        return f"the attacker {level!r} infers something about fewer than {k} rows"
    doubt = f"it was not decided whether the attacker {level!r} infers something"
    return f"{doubt}: {result.undecided[0]}" if result.undecided else ""


def _believe(folder: Path, facts: Mapping[str, Any], older: Sequence[Older]) -> str:
    """Return a fault if a reader may believe in a small group beyond the bound of the policy, or that is not known."""
    policy = read_policy(facts["policy"])
    most, olds = policy.max_belief, [one.patterns for one in older] if facts["grown"] else []
    if most is None:
        return ""
    try:
        listed = _read_listed(folder, facts)
        found = belief(listed, k=policy.k, complete=facts["is_whole"], against=olds, grown=bool(olds))
    except DiscreetError:
        return "how sure a reader may be of small groups cannot be worked out"
    if found.beyond(most):
        return f"a reader may be surer of a group of fewer than {policy.k} rows than {most}"
    return f"of {found.missed:,} larger combinations it is not known how sure a reader may be" if found.missed else ""


def _certify(facts: Mapping[str, Any], patterns: Patterns, listed: Path) -> dict[str, Any]:
    """Return the certificate: the claims, and the cells of each maximal itemset, for the verifier to count again."""
    # Of rounded supports, no cell can be counted.
    tops = [] if facts["rounded_to"] is not None else list(_list_tops(sort_pattern_codes(patterns)))
    return {
        "certificate": 1,
        **{word: facts[word] for word in CLAIMS},
        "patterns": {"file": listed.name, "sha256": digest(listed)},
        "smallest_cell": min((top["smallest"] for top in tops), default=None),
        "tops": tops,
    }


def _list_tops(patterns: Patterns) -> Iterator[dict[str, Any]]:
    """Yield each maximal itemset: its items as text, its support, the number of its cells, and the smallest cell."""
    family = build_family(replace(patterns, hierarchy=None))  # the verifier counts what is listed
    cells = family.cells(limit=patterns.n + 1)
    order = np.argsort(cells.tops, kind="stable")
    counts, starts = cells.counts[order], np.searchsorted(cells.tops[order], np.arange(family.tops.size + 1))
    for number, top in enumerate(family.tops.tolist()):
        held = counts[starts[number] : starts[number + 1]]
        items, support = [str(family.labels[code]) for code in family.itemsets[top].tolist()], family.supports[top]
        yield {"items": items, "support": int(support), "cells": int(held.size), "smallest": int(held.min())}


def _write_changes(release: Release, folder: Path) -> None:
    """Write the changes, for the owner of the rows alone."""
    write_csv(folder / "suppressed.csv", *_list_suppressed(release))
    write_csv(folder / "added.csv", ["copies", "items"], _list_weighted(release.added, release.rows.labels))
    write_csv(folder / "supports.csv", ["before", "after", "items"], _list_changes(release))
    write_text(folder / "README.txt", [README])


def _list_weighted(rows: Weighted, labels: tuple[Label, ...]) -> Iterator[list[object]]:
    pairs = zip(rows.weights.tolist(), rows, strict=True)
    return ([many, *(labels[code] for code in itemset.tolist())] for many, itemset in pairs)


def _list_suppressed(release: Release) -> tuple[list[str], Iterator[list[object]]]:
    """Return the head and the lines of the suppressed rows: their numbers and ids or, of merged rows, their items.

    Rows with the same frequent items are suppressed together, so the items show the owner which rows they are.
    """
    rows, numbers = release.rows, release.suppressed.tolist()
    if isinstance(rows, Merged):
        return ["rows", "items"], _list_weighted(rows.itemsets.take(release.suppressed), rows.labels)
    ids = rows.ids
    if ids is None:
        return ["row"], ([row + 1] for row in numbers)
    return ["row", "id"], ([row + 1, ids[row]] for row in numbers)


def _list_changes(release: Release) -> Iterator[list[object]]:
    """Yield each itemset that is or was closed and whose support has changed: before, after, and its items."""
    old, new = sort_pattern_codes(release.original), sort_pattern_codes(release.patterns)
    for patterns, is_new in ((old, False), (new, True)):
        pairs = np.column_stack([supports_in(old, patterns), supports_in(new, patterns)])
        for at in np.flatnonzero(pairs[:, 0] != pairs[:, 1]).tolist():
            itemset = patterns.labelled(at)
            if not (is_new and itemset in old):
                yield [int(pairs[at, 0]), int(pairs[at, 1]) or "", *itemset]


def check_place(place: Path) -> None:
    """Refuse a place that cannot be written, or holds anything but an older release."""

    def is_release(folder: Path) -> bool:
        present = {path.name for path in folder.iterdir()}
        return "release.json" in present and present <= NAMES

    check_folder(place, "release", is_release)
