"""Verify: a release checked from its files alone, by code that shares nothing with the code that made it.

``reading`` takes the files apart, ``masks`` codes their itemsets, ``cells`` counts again.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any, Final, NamedTuple

from discreet.blocking.release.verify.cells import counted
from discreet.blocking.release.verify.masks import coded
from discreet.blocking.release.verify.reading import CLAIMS, LARGEST, Told, check, claims, read
from discreet.errors import InputError

METHODS: Final = {"suppress": {True}, "add": {True}, "optimal": {True}, "withhold": {False}, "best": {True}}
"""Whether what each method leaves is the whole list of some rows."""
PATTERNS: Final = {f"patterns.{suffix}" for suffix in ("json", "csv", "txt", "out", "parquet")}
OTHERS: Final = {"certificate.json", "report.txt"}
APART: Final = "DO-NOT-RELEASE"
SHOWN: Final = 20
DIGEST: Final = re.compile("[0-9a-f]{64}")
VERSION: Final = re.compile("[0-9A-Za-z.+-]{1,40}")


class Verification(NamedTuple):
    """What was checked of a release, and each fault that was found; what could not be checked is None.

    ``smallest`` is the smallest cell but for 0 of the ``tops``, the maximal itemsets. ``digest``, the SHA-256 of
    release.json, stands for the whole release, since release.json holds those of the other files.
    """

    digest: str
    faults: tuple[str, ...]
    notes: tuple[str, ...]
    k: int | None = None
    n: int | None = None
    min_support: int | None = None
    itemsets: int | None = None
    tops: int | None = None
    smallest: int | None = None

    @property
    def is_good(self) -> bool:
        """Whether no fault was found."""
        return not self.faults

    def __str__(self) -> str:
        lines = [f"GOOD: {self.itemsets} itemsets, each held by at least {self.min_support} of {self.n} rows"]
        lines += [f"the smallest cell of the {self.tops} maximal ones is {self.smallest}; k = {self.k}"]
        if self.faults:
            lines = ["NOT GOOD", *self.faults[:SHOWN], f"… and {len(self.faults) - SHOWN} more"][: len(self.faults) + 1]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes), f"SHA-256 of release.json: {self.digest}"])


def verify(folder: str | os.PathLike[str]) -> Verification:
    """Return what is wrong with a release, from its files alone; a folder without release.json is refused."""
    try:
        found = {entry.name: entry.stat(follow_symlinks=False) for entry in os.scandir(folder)}
        is_apart = APART in found and S_ISDIR(found[APART].st_mode)
        files = {name: (Path(folder) / name).read_bytes() for name in _plain(found)}
        digests = {name: sha256(data).hexdigest() for name, data in files.items()}
        digest = digests.pop("release.json")
    except (OSError, ValueError, KeyError):
        raise InputError(f"{str(folder)!r:.99} has no release.json that can be read; give a release folder") from None
    faults, checked, at = list[str](), list[int | None](), "release.json"
    try:
        release = claims(files[at], at)
        check(release["policy"], "the policy in release.json")
        faults += _strangers({*found} - {at, *[APART] * is_apart}, digests, release["files"])
        at = "certificate.json"
        certificate = claims(files[at], at)
        check(certificate["patterns"], "the file in certificate.json")
        at = " and ".join(sorted(files.keys() & PATTERNS)) or "the file of patterns"
        told, pairs = read(at, files[at])
        listed = coded(pairs, release)
        tops, frequent, unsafe = counted(listed, release)
        smallest = min((top[2] for top in tops), default=None)
        checked = [release["k"], release["n"], release["min_support"], len(pairs), len(tops), smallest]
        told |= {"listed": len(pairs), "frequent": frequent, "smallest_cell": smallest}
        told |= {"patterns": {"file": at, "sha256": digests[at]}}
        at = "certificate.json"
        faults += [*_contradictions(release, certificate, told, max(listed.supports)), *unsafe]
        odd = Counter(_stated(certificate["tops"]))
        odd = (odd - Counter(tops)) + (Counter(tops) - odd)
        faults += [f"certificate.json is wrong about {list(top[3:])!r:.99}" for top in odd]
    except Exception as error:  # noqa: BLE001 - fail closed: whatever cannot be read or checked is a fault
        faults.append(str(error) if isinstance(error, InputError) else f"{at} is missing, or not as it must be")
    notes = (f"{APART} is in the folder: remove it before publishing",) * is_apart
    return Verification(digest, tuple(faults), notes, *checked)


def _plain(found: dict[str, os.stat_result]) -> set[str]:
    """Return which files are to be read: a link may lead out of the folder, a pipe never end, and memory is bounded."""
    ours = {"release.json", *OTHERS, *PATTERNS} & found.keys()
    sizes = {name: found[name].st_size for name in ours if S_ISREG(found[name].st_mode)}
    plain = {name for name, size in sizes.items() if size <= LARGEST}
    return plain if sum(map(sizes.__getitem__, plain)) <= 2 * LARGEST else plain & {"release.json"}


def _strangers(found: set[str], digests: dict[str, str], listed: Told) -> Iterator[str]:
    """Yield each file that is there and not listed, listed and not there as such, or no part of a release."""
    for name in sorted(found | listed.keys()):
        if name not in listed:
            yield f"{name!r:.99} is not listed, going by release.json"
        elif name not in OTHERS | PATTERNS:
            yield f"{name!r:.99} is listed in release.json, but no part of a release"
        elif type(listed[name]) is not str or not DIGEST.fullmatch(listed[name]):
            yield f"{name!r:.99} is listed in release.json without a SHA-256 of 64 digits"
        elif digests.get(name) != listed[name]:
            is_missing, is_read = name not in found, name in digests
            what = "missing" if is_missing else "changed" if is_read else "no plain file, or too large"
            yield f"{name!r:.99} is {what}, going by release.json"
    yield from (f"{name!r} is missing from release.json" for name in sorted(OTHERS - listed.keys()))
    if len(listed.keys() & PATTERNS) != 1:
        yield "release.json does not list exactly one file of patterns"


def _stated(tops: list[Told]) -> Iterator[tuple[Any, ...]]:
    """Yield what a certificate says of each maximal itemset."""
    for top in tops:
        check(top, "a top in certificate.json")
        yield (top["support"], top["cells"], top["smallest"], *sorted(top["items"]))


def _contradictions(release: Told, certificate: Told, told: Told, largest: int) -> Iterator[str]:
    for word in (*CLAIMS, "frequent", "patterns", "smallest_cell"):
        if len({json.dumps(one[word], sort_keys=True) for one in (release, certificate, told) if word in one}) > 1:
            yield f"release.json, certificate.json and {told['patterns']['file']} do not agree on {word}"
    k, n, is_whole = release["k"], release["n"], release["is_whole"]
    claimed = (release["kind"], release["policy"]["k"])
    if is_whole not in METHODS.get(release["method"], ()) or claimed != ("closed" if is_whole else "frequent", k):
        yield "is_whole, kind and policy in release.json do not all go with its method and k"
    if largest != n:
        yield f"no itemset is held by all n = {n} rows"
    if not VERSION.fullmatch(release["discreet"]):
        yield "the version of discreet in release.json is none"
