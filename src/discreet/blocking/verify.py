"""Verify a release from its files alone. This module imports errors and the Parquet footer, nothing that made it."""

import csv
import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from io import StringIO
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any, Final

from discreet.blocking.verify_cells import Json, Pairs, check_rounded, code_itemsets, count_cells
from discreet.blocking.verify_result import DIGEST, OTHER, VIEWER, Verification, as_fingerprint
from discreet.errors import InputError
from discreet.runtime.parquet_footer import measure_groups, silence_stderr

PATTERNS: Final = {f"patterns.{suffix}" for suffix in ("json", "csv", "txt", "out", "parquet")}
OTHERS: Final = {"certificate.json", "report.txt"}
AROUND: Final = {"release.json", "ro-crate-metadata.json"}  # they list the others, and are checked by what they say
PRIVATE: Final = "DO-NOT-RELEASE"
LARGEST: Final = 1 << 27  # bytes of a file; all files together may have twice as many
MOST_VALUES: Final = 1 << 22  # values in a file: two letters of text may take a hundred bytes in memory
VERSION: Final = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,4}){1,3}[0-9A-Za-z.+-]{0,20}")
METHOD: Final = re.compile("[a-z_-]{1,40}")
COUNT: Final = re.compile("[0-9]{1,40}")
MINED: Final = {"n": int, "min_support": int, "kind": str, "max_length": int | None}
CLAIMS: Final = {
    "schema": list,
    "hierarchy": list,
    "method": str,
    "k": int,
    **MINED,
    "listed": int,
    "is_whole": bool,
    "rounded_to": int | None,
}
POLICY: Final[Json] = {"name": str, "k": int, "zeros": str, "round_to": int | None, "max_itemsets": int | None} | {
    "width": int,
    "max_belief": float | int | None,
}
FORMS: Final[dict[str, Json]] = {
    "release.json": {"release": int, "discreet": str, **CLAIMS, "frequent": int, "against": str}
    | {"generalized": list, "beside": list, "grown": bool, "policy": dict, "files": dict},
    "the policy in release.json": {**POLICY, "source": str, "about": str},
    "certificate.json": {"certificate": int, **CLAIMS, "patterns": dict, "smallest_cell": int | None, "tops": list},
    "the file in certificate.json": {"file": str, "sha256": str},
    "a top in certificate.json": {"items": list, "support": int, "cells": int, "smallest": int},
    "patterns.json": {**MINED, "schema": list, "hierarchy": list, "patterns": list},
    "a pattern in patterns.json": {"items": list, "support": int},
    "patterns.txt": MINED,
    "patterns.parquet": MINED,
}
"""The keys of each object, and the types of their values. There must be no others."""
# Readers differ about an object that has a key twice, so it is read as False here.
OBJECT: Final = json.JSONDecoder(object_pairs_hook=lambda pairs: len(dict(pairs)) == len(pairs) and dict(pairs)).decode
SPMF: Final = re.compile(
    r"@CONVERTED_FROM_TEXT|@ITEM=(?P<number>[1-9][0-9]*)=(?P<label>[^\0\r]*)|@(?P<word>N|MIN_SUPPORT|KIND|MAX_LENGTH)=(?P<value>[0-9a-z]{1,40})"
    r"|(?P<items>((0|[1-9][0-9]*) )*)#SUP: (?P<support>[0-9]{1,40})"
)
BORGELT: Final = re.compile(r"(?P<items>[^\0\r]*?) ?\((?P<support>[0-9]{1,40})\)")


def verify(folder: str | os.PathLike[str], *, fingerprint: str | None = None) -> Verification:
    """Return the faults of a release, from its files alone; refuse a folder without release.json."""
    expected = None if fingerprint is None else as_fingerprint(fingerprint)
    try:
        entries = {entry.name: entry.stat(follow_symlinks=False) for entry in os.scandir(folder)}
        has_private = PRIVATE in entries and S_ISDIR(entries[PRIVATE].st_mode)
        files = {name: (Path(folder) / name).read_bytes() for name in _select_files(entries)}
        digests = {name: sha256(data).hexdigest() for name, data in files.items()}
        digest = digests.pop("release.json")
    except (OSError, ValueError, KeyError):
        raise InputError(f"{str(folder)!r:.99} has no release.json that can be read; give a release folder") from None
    faults, checked, beside, at = list[str](), Json(), tuple[str, ...](), "release.json"
    if expected not in {None, digest}:
        faults.append(OTHER)
    try:
        release = _read_claims(files[at], at)
        check_form({"width": 1, "max_belief": None, **release["policy"]}, "the policy in release.json")
        beside = _read_beside(release)
        faults += _check_files({*entries} - AROUND - {*[PRIVATE] * has_private}, digests, release["files"])
        at = "certificate.json"
        certificate = _read_claims(files[at], at)
        check_form(certificate["patterns"], "the file in certificate.json")
        at = " and ".join(sorted(files.keys() & PATTERNS)) or "the file of patterns"
        facts, pairs = _read_patterns(at, files[at])
        _check_lengths(pairs, release["max_length"])
        listed = code_itemsets(pairs, release)
        _check_schema(release["schema"], listed.labels)
        _check_hierarchy(release["hierarchy"], release["generalized"], listed.labels)
        unit = release["rounded_to"]
        tops, frequent, unsafe = (count_cells if unit is None else check_rounded)(listed, release)
        smallest = min((top[2] for top in tops), default=None)
        checked = {word: release[word] for word in ("k", "n", "min_support", "max_length", "rounded_to")}
        checked |= {"itemsets": len(pairs), "tops": len(tops), "smallest": smallest}
        facts |= {"listed": len(pairs), "frequent": frequent, "smallest_cell": smallest}
        facts |= {"patterns": {"file": at, "sha256": digests[at]}}
        at = "certificate.json"
        faults += [*_find_contradictions(release, certificate, facts, max(listed.supports)), *unsafe]
        stated, counted = Counter(_stated_tops(certificate["tops"])), Counter(tops)
        wrong = (stated - counted) + (counted - stated)
        faults += [f"certificate.json is wrong about {list(top[3:])!r:.99}" for top in wrong]
    except Exception as error:  # noqa: BLE001 - fail closed: whatever cannot be read or checked is a fault
        faults.append(str(error) if isinstance(error, InputError) else f"{at} is missing or malformed")
    notes = (f"{PRIVATE} is in the folder: remove it before publishing",) * has_private
    found = Verification(digest, tuple(faults), notes, beside=beside)._replace(**checked)
    return found if expected is None else found._replace(matches=expected == digest)


def _read_beside(release: Json) -> tuple[str, ...]:
    """Return the fingerprints of the older releases that a release was made beside."""
    beside = release["beside"]
    if not all(type(one) is str and DIGEST.fullmatch(one) for one in beside) or (release["grown"] and not beside):
        raise InputError("release.json is malformed: 'beside' and 'grown' do not tell older releases")
    return tuple(beside)


def _select_files(entries: dict[str, os.stat_result]) -> set[str]:
    """Return the files to read: no link, which may lead out of the folder, no pipe, and no more than fits memory."""
    ours = {"release.json", *OTHERS, *PATTERNS} & entries.keys()
    sizes = {name: entries[name].st_size for name in ours if S_ISREG(entries[name].st_mode)}
    chosen = {name for name, size in sizes.items() if size <= LARGEST}
    return chosen if sum(map(sizes.__getitem__, chosen)) <= 2 * LARGEST else chosen & {"release.json"}


def _check_files(present: set[str], digests: dict[str, str], listed: Json) -> Iterator[str]:
    """Yield a fault for each file that release.json and the folder do not agree on."""
    for name in sorted(present | listed.keys()):
        if name not in listed:
            yield f"{name!r:.99} is not listed in release.json{VIEWER * (name in {'checksums', 'outputs.json'})}"
        elif name not in OTHERS | PATTERNS:
            yield f"{name!r:.99} is listed in release.json, but no part of a release"
        elif type(listed[name]) is not str or not DIGEST.fullmatch(listed[name]):
            yield f"{name!r:.99} is listed in release.json without a SHA-256 of 64 digits"
        elif digests.get(name) != listed[name]:
            changed = "changed" if name in digests else "no plain file, or too large"
            yield f"{name!r:.99} is {changed if name in present else 'missing'}, but listed in release.json"
    yield from (f"{name!r} is missing from release.json" for name in sorted(OTHERS - listed.keys()))
    if len(listed.keys() & PATTERNS) != 1:
        yield "release.json does not list exactly one file of patterns"


def _stated_tops(tops: list[Json]) -> Iterator[tuple[Any, ...]]:
    for top in tops:
        check_form(top, "a top in certificate.json")
        yield (top["support"], top["cells"], top["smallest"], *sorted(top["items"]))


def _find_contradictions(release: Json, certificate: Json, facts: Json, largest: int) -> Iterator[str]:
    for word in (*CLAIMS, "frequent", "patterns", "smallest_cell"):
        if len({json.dumps(one[word], sort_keys=True) for one in (release, certificate, facts) if word in one}) > 1:
            yield f"release.json, certificate.json and {facts['patterns']['file']} do not agree on {word}"
    k, n, is_whole = release["k"], release["n"], release["is_whole"]
    kind = "closed" if is_whole and release["max_length"] is None else "frequent"
    policy = release["policy"]
    if (release["kind"], policy["k"], policy["round_to"]) != (kind, k, release["rounded_to"]):
        yield "kind and policy in release.json do not match is_whole, max_length, k and rounded_to"
    if is_whole and release["max_length"] is not None and release["min_support"] == 1:
        yield "a list that was cut at a length cannot be checked at a minimum support of 1"
    if largest != n:
        yield f"no itemset is held by all n = {n} rows"
    if not METHOD.fullmatch(release["method"]):
        yield "the method in release.json is not a word"
    if not VERSION.fullmatch(release["discreet"]):
        yield "the version of discreet in release.json is malformed"


def _read_claims(data: bytes, name: str) -> Json:
    """Return the claims of release.json or certificate.json."""
    claims: Json = OBJECT(_decode(data, name))
    check_form(claims, name)
    least = min(claims["k"], claims["min_support"], claims["n"] + 1, (claims["max_length"] or 0) + 1)
    least = least if claims["rounded_to"] is None else min(least, claims["rounded_to"])
    if claims[name.removesuffix(".json")] != 1 or least < 1:
        raise ValueError
    return claims


def _decode(data: bytes, name: str) -> str:
    """Return the text of a file; refuse more values than memory holds."""
    if sum(data.count(end) for end in (b"[{," if name.endswith(".json") else b"\n ,;")) > MOST_VALUES:
        raise InputError(f"{name} holds more than {MOST_VALUES:,} values, too many to check")
    return data.decode()


def _check_lengths(pairs: Pairs, most: int | None) -> None:
    longest = max((len(items) for items, _ in pairs), default=0)
    if most is not None and longest > most:
        raise InputError(f"an itemset of {longest} items is listed, but max_length in release.json is {most}")


def _check_schema(schema: list[Any], labels: list[str]) -> None:
    """Refuse a schema that is no list of groups of published items: it must not name others."""
    for group in schema:
        names = [str(item) for item in group if type(item) in {str, int}] if type(group) is list else []
        if len(names) < 2 or len({*names}) < len(group) or not {*names} <= {*labels}:  # noqa: PLR2004 - two exclude each other
            raise InputError("the schema in release.json is malformed, or names items that are not listed")


def _check_hierarchy(pairs: list[Any], stands_for: list[Any], labels: list[str]) -> None:
    """Refuse a hierarchy that is no list of published items with their parents, each one once and none above itself."""
    known = {str(pair[0]): str(pair[1]) for pair in pairs if type(pair) is list and len(pair) == 2}  # noqa: PLR2004 - two
    named = {*known, *known.values(), *(str(one) for one in stands_for if type(one) in {str, int})}
    left = dict(known)
    while rooted := [child for child, parent in left.items() if parent not in left]:
        for child in rooted:
            del left[child]
    if len(known) < len(pairs) or left or len({*stands_for}) < len(stands_for) or not named <= {*labels}:
        raise InputError("the hierarchy in release.json is malformed, or names items that are not listed")


def check_form(facts: Json, form: str, kinds: Json | None = None) -> None:
    """Refuse an object with a missing or unknown key, or a value of the wrong type."""
    kinds = FORMS[form] if kinds is None else kinds
    for word in sorted(facts.keys() ^ kinds.keys()):
        raise InputError(f"{form} is malformed: it has {'no' if word in kinds else 'the unknown'} key {word!r:.99}")
    for word, kind in kinds.items():
        if not isinstance(facts[word], kind) or (type(facts[word]) is bool and kind is not bool):
            raise InputError(f"{form} is malformed: {word!r} has the wrong type")


def _read_patterns(name: str, data: bytes) -> tuple[Json, Pairs]:
    """Return the facts in a file of patterns, and its pairs of itemset and support."""
    if name == "patterns.parquet":
        return _read_parquet(data)
    text = _decode(data, name)
    if name == "patterns.json":
        facts = {"max_length": None, "schema": [], "hierarchy": [], **OBJECT(text)}
        check_form(facts, name)
        form = "a pattern in patterns.json"
        for one in facts["patterns"]:
            is_plain = type(one) is dict and one.keys() == FORMS[form].keys() and type(one["support"]) is int
            if not (is_plain and type(one["items"]) is list):  # which is quick to see, for the many
                check_form(one, form)
        return facts, [(one["items"], one["support"]) for one in facts.pop("patterns")]
    if name == "patterns.csv":
        header, *cells = csv.reader(StringIO(text, newline=""), strict=True)
        if header != ["itemset", "support"] or "\0" in text or not all(COUNT.fullmatch(count) for _, count in cells):
            raise ValueError
        itemsets = (next(csv.reader([cell], delimiter=";", strict=True), []) for cell, _ in cells)
        return {}, [(items, int(count)) for items, (_, count) in zip(itemsets, cells, strict=True)]
    return _read_lines(text.removesuffix("\n").split("\n"), name)


def _read_parquet(data: bytes) -> tuple[Json, Pairs]:
    import polars as pl  # noqa: PLC0415 - loaded late

    malformed = "patterns.parquet is malformed:"
    try:
        is_large = any(size > LARGEST for size in measure_groups(data))
    except InputError as error:
        raise InputError(f"{malformed} {error}") from None
    if is_large:
        raise InputError(f"{malformed} it unpacks to more than {LARGEST:,} bytes")
    try:
        with silence_stderr():
            metadata, schema = pl.read_parquet_metadata(data), pl.read_parquet_schema(data)
            wanted = [{"items": pl.List(label), "support": pl.Int64} for label in (pl.String, pl.Int64)]
            frame = pl.read_parquet(data) if schema in wanted else pl.DataFrame()
    except pl.exceptions.PanicException:  # not a subclass of Exception
        raise ValueError from None
    facts = {"max_length": None, **OBJECT(metadata.pop("discreet"))}
    check_form(facts, "patterns.parquet")
    if schema not in wanted or metadata.keys() - {"ARROW:schema"}:
        raise InputError(f"{malformed} it has columns or notes beside items and support")
    if frame.height + (frame["items"].list.len().sum() or 0) > MOST_VALUES:
        raise InputError(f"{malformed} it holds more than {MOST_VALUES:,} values, too many to check")
    # A dictionary in the file may stand for a million copies of a long label.
    if schema == wanted[0] and frame["items"].explode().str.len_bytes().sum() > LARGEST:
        raise InputError(f"{malformed} its labels have more than {LARGEST:,} bytes")
    return facts, frame.rows()


def _read_lines(lines: list[str], name: str) -> tuple[Json, Pairs]:
    """Return the facts and pairs of a file in the format of SPMF or of Borgelt's programs."""
    numbered, words, pairs = list[tuple[str, str]](), list[tuple[str, str]](), Pairs()
    for line in lines:
        match = (SPMF if name == "patterns.txt" else BORGELT).fullmatch(line)
        if match is None:
            raise ValueError
        parts = match.groupdict()
        if parts["support"]:
            pairs.append((parts["items"].split(), int(parts["support"])))
        elif parts["number"]:
            numbered.append((parts["number"], parts["label"]))
        elif parts["word"]:
            words.append((parts["word"].lower(), parts["value"]))
    labels = dict(numbered)
    facts: Json = {word: value if word == "kind" else int(value) for word, value in words}
    used = {item for items, _ in pairs for item in items} if labels else set[str]()
    if len({*labels.values()}) + len(facts) < len(numbered) + len(words) or used != labels.keys():
        raise ValueError
    if name == "patterns.txt":
        facts.setdefault("max_length", None)
        check_form(facts, name)
    return facts, [([labels[item] for item in items] if labels else items, support) for items, support in pairs]
