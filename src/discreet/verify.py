"""Verify: a release checked from its files alone, by code that shares nothing with the code that made it.

An itemset is a mask here: a whole number with a bit for each item. Sentences may name itemsets, which are public.
"""

import csv
import json
import os
import re
import stat
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InputError

CLAIMS: Final = {"method": str, "k": int, "min_support": int, "n": int, "kind": str, "listed": int, "is_whole": bool}
TOP: Final = ("support", "cells", "smallest")
APART: Final = "DO-NOT-RELEASE"
LARGEST_FILE, LARGEST_N, WIDEST_TABLE = 1 << 27, 1 << 38, 24  # 2 ** 24 supports up to 2 ** 38 add up in 64 bits
MALFORMED: Final = (ValueError, LookupError, TypeError, AttributeError, RecursionError, csv.Error)
SPMF: Final = re.compile(
    r"@CONVERTED_FROM_TEXT|@ITEM=(?P<number>[0-9]+)=(?P<label>.*)|@(?P<word>N|MIN_SUPPORT|KIND)=(?P<value>\w+)"
    r"|(?P<items>[0-9 ]*)#SUP: (?P<support>[0-9]+)"
)


@dataclass(frozen=True)
class Verification:
    """What was checked of a release, and each fault that was found; what could not be checked is None.

    ``tops`` counts the maximal itemsets; ``smallest`` is the smallest of their cells that are not 0. ``digest`` is the
    SHA-256 of release.json, which holds those of the other files: who has the same one has the same release.
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
        lines += [f"the smallest cell of the {self.tops} maximal ones is {self.smallest or 'none'}; k = {self.k}"]
        if self.faults:
            lines = [f"NOT GOOD: {len(self.faults)} fault{'s'[: len(self.faults) - 1]}", *self.faults[:20]]
        more = [f"… and {len(self.faults) - 20} more"] if len(self.faults) > 20 else []  # noqa: PLR2004 - a screen
        return "\n".join([*lines, *more, *(f"note: {note}" for note in self.notes), f"release.json: {self.digest}"])


def verify(folder: str | os.PathLike[str]) -> Verification:
    """Return what is wrong with a release, from its files alone; a folder without release.json is refused."""
    try:
        names, data = {*os.listdir(folder)}, _plain(Path(folder, "release.json"))
    except (OSError, ValueError):
        raise InputError(f"{_clean(folder)} has no release.json that can be read; give a release folder") from None
    notes = (f"{APART} is in the folder: remove it before publishing",) * (APART in names)
    faults, name = [], "release.json"
    try:
        release = _claims(data, "release")
        files, faults = _files(Path(folder), names, release["files"])
        name = "certificate.json"
        certificate = _claims(files[name], "certificate")
        told = Counter((*map(top.get, TOP), *sorted(top["items"])) for top in certificate["tops"])
        name = "the file of patterns"
        [name] = files.keys() & READERS.keys()
        mined, pairs = READERS[name](files[name])
        listed, labels = _coded(pairs, release)
        ours = {**mined, "listed": len(listed), "file": name, "sha256": _digest(files[name])}
        faults += _disagreements(release, certificate, ours, max(listed.values(), default=0))
    except MALFORMED as error:
        faults.append(str(error) if isinstance(error, InputError) else f"{name} is missing or not as it must be")
        return Verification(_digest(data), tuple(faults), notes)
    found, wrong = _tops(listed, labels, release)
    smallest = min((top[2] for top in found), default=None)
    faults += wrong or _misstated(found, told)
    if smallest != certificate.get("smallest_cell"): faults.append
    checked = (release["k"], release["n"], release["min_support"], len(listed), len(found), smallest)
    return Verification(_digest(data), tuple(faults), notes, *checked)


def _plain(path: Path) -> bytes:
    """Return what a plain file holds: a link may lead out of the folder, and a pipe may never end."""
    about = path.lstat()
    if not stat.S_ISREG(about.st_mode) or about.st_size > LARGEST_FILE:
        raise OSError
    return path.read_bytes()


def _files(folder: Path, names: set[str], digests: dict[str, str]) -> tuple[dict[str, bytes], list[str]]:
    """Return the files that release.json lists, and what is wrong with them and with any others."""
    files, faults = {}, [f"{_clean(name)} is not listed" for name in sorted(names - {*digests, "release.json", APART})]
    for name in {"report.txt": "", **digests}:
        try:
            files[name] = _plain(folder / name) if name in {"certificate.json", "report.txt", *READERS} else b""
        except OSError:
            faults.append(f"{name} is missing, or no plain file of at most {LARGEST_FILE >> 20} MiB")
        else:
            faults += [f"{_clean(name)} has not the digest in release.json"] * (_digest(files[name]) != digests[name])
    return files, faults


def _claims(data: bytes, version: str) -> dict[str, Any]:
    """Return what release.json or certificate.json says, if it can be."""
    told: dict[str, Any] = _object(data)
    is_right = told[version] == 1 and all(type(told[word]) is kind for word, kind in CLAIMS.items())
    if not (is_right and told["k"] > 0 < told["min_support"] and 0 <= told["n"] <= LARGEST_N):
        raise ValueError
    return told
