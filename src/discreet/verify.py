"""Verify: a release checked from its files alone, by code that shares nothing with the code that made it."""

import csv
import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from functools import reduce
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from discreet.errors import InputError

Told: TypeAlias = dict[str, Any]
CLAIMS: Final = {"method": str, "k": int, "min_support": int, "n": int, "kind": str, "listed": int, "is_whole": bool}
PATTERNS: Final = {f"patterns.{suffix}" for suffix in ("json", "csv", "txt", "out", "parquet")}
OTHERS: Final = {"certificate.json", "report.txt"}
LARGEST, SHOWN = 1 << 27, 20  # bytes of a file, of which masks may take 8 times as many; faults
# Readers differ in what they take of an object that says something twice: here it is none.
OBJECT: Final = json.JSONDecoder(object_pairs_hook=lambda pairs: len(dict(pairs)) == len(pairs) and dict(pairs)).decode
SPMF: Final = re.compile(
    r"@CONVERTED_FROM_TEXT|@ITEM=(?P<number>[1-9][0-9]*)=(?P<label>.*)|@(?P<word>N|MIN_SUPPORT|KIND)=(?P<value>\w+)"
    r"|(?P<items>((0|[1-9][0-9]*) )*)#SUP: (?P<support>[0-9]+)"
)
BORGELT: Final = re.compile(r"(?P<items>.*?) ?\((?P<support>[0-9]+)\)")


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
        paths = {path.name: path for path in Path(folder).iterdir()}
        files = {name: path.read_bytes() for name, path in paths.items() if _is_plain(path)}
        digests = {name: sha256(data).hexdigest() for name, data in files.items()}
        digest = digests.pop("release.json")
    except (OSError, ValueError, KeyError):
        raise InputError(f"{str(folder)!r:.99} has no release.json that can be read; give a release folder") from None
    faults, checked, at = list[str](), list[int | None](), "release.json"
    try:
        release = _claims(files[at], "release")
        for name in sorted((paths.keys() | release["files"] | OTHERS) - {at, "DO-NOT-RELEASE"}):
            if digests.get(name) != release["files"].get(name, ""):
                what = "not listed" if name not in release["files"] else "changed" if name in digests else "missing"
                faults.append(f"{name!r:.99} is {what}, going by release.json")
        at = "certificate.json"
        certificate = _claims(files[at], "certificate")
        at = " and ".join(sorted(files.keys() & PATTERNS)) or "the file of patterns"
        told, pairs = _read(at, files[at])
        listed, labels = _coded(pairs, release)
        tops, unsafe = _tops(listed, labels, release)
        smallest = min((top[2] for top in tops), default=None)
        checked = [release["k"], release["n"], release["min_support"], len(listed), len(tops), smallest]
        told |= {"listed": len(listed), "smallest_cell": smallest, "patterns": {"file": at, "sha256": digests[at]}}
        at = "release.json or certificate.json"
        faults += [*_contradictions(release, certificate, told, max(listed.values(), default=0)), *unsafe]
        stated = [(top["support"], top["cells"], top["smallest"], *sorted(top["items"])) for top in certificate["tops"]]
        odd = (Counter(stated) - Counter(tops)) + (Counter(tops) - Counter(stated))
        faults += [f"certificate.json is wrong about {list(top[3:])!r:.99}" for top in odd]
    except Exception as error:  # noqa: BLE001 - fail closed: whatever cannot be read or checked is a fault
        faults.append(str(error) if isinstance(error, InputError) else f"{at} is missing, or not as it must be")
    notes = ("DO-NOT-RELEASE is in the folder: remove it before publishing",) * ("DO-NOT-RELEASE" in paths)
    return Verification(digest, tuple(faults), notes, *checked)


def _is_plain(path: Path) -> bool:
    """Return whether a file is to be read: a link may lead out of the folder, and a pipe may never end."""
    is_ours = path.name in {"release.json", *OTHERS, *PATTERNS} and not path.is_symlink()
    return is_ours and path.is_file() and path.stat().st_size <= LARGEST


def _claims(data: bytes, version: str) -> Told:
    told: Told = OBJECT(data.decode())
    is_typed = told[version] == 1 and all(type(told[word]) is kind for word, kind in CLAIMS.items())
    if not is_typed or min(told["k"], told["min_support"], told["n"] + 1) < 1:
        raise ValueError
    return told


def _contradictions(release: Told, certificate: Told, told: Told, largest: int) -> Iterator[str]:
    for word in (*CLAIMS, "patterns", "smallest_cell"):
        stated = certificate.get(word)
        if len({str(one.get(word, stated)) for one in (release, certificate, told)}) > 1:
            yield f"release.json, certificate.json and {told['patterns']['file']} do not agree on {word}"
    k, n, is_whole = release["k"], release["n"], release["method"] != "withhold"
    claimed = (release["is_whole"], release["kind"], release["policy"]["k"])
    if claimed != (is_whole, "closed" if is_whole else "frequent", k):
        yield "is_whole, kind and policy in release.json do not all go with its method and k"
    if largest != (n if n >= max(release["min_support"], k * (not is_whole)) else 0):
        yield f"no itemset is held by all n = {n} rows"


def _read(name: str, data: bytes) -> tuple[Told, list[tuple[Any, ...]]]:
    """Return what a file of patterns says of itself, and its pairs of itemset and support."""
    if name == "patterns.parquet":
        import polars as pl  # noqa: PLC0415 - loaded late

        try:
            return OBJECT(pl.read_parquet_metadata(data)["discreet"]), pl.read_parquet(data).rows()
        except pl.exceptions.PanicException:  # which is no Exception
            raise ValueError from None
    lines = data.decode().removesuffix("\n").split("\n")
    if name == "patterns.json":
        told = OBJECT(data.decode())
        return told, [(one.pop("items"), one.pop("support"), *one) for one in told.pop("patterns")]
    if name == "patterns.csv":
        header, *cells = csv.reader(lines, strict=True)
        pairs = [(next(csv.reader([cell], delimiter=";", strict=True), []), json.loads(count)) for cell, count in cells]
        return {}, pairs if header == ["itemset", "support"] else [()]
    form = SPMF if name == "patterns.txt" else BORGELT
    found = [match.groupdict() for match in map(form.fullmatch, lines) if match]
    labels = {line["number"]: line["label"] for line in found if line.get("number")}
    if len(found) < len(lines) or len({*labels.values()}) < sum(bool(line.get("number")) for line in found):
        raise ValueError
    told = {line["word"].lower(): line["value"] for line in found if line.get("word")}
    pairs = [(line["items"].split(), int(line["support"])) for line in found if line["support"]]
    return told, [([labels[item] for item in items] if labels else items, support) for items, support in pairs]


def _coded(pairs: list[tuple[Any, ...]], claims: Told) -> tuple[dict[int, int], dict[int, str]]:
    """Return the support of each itemset, as a mask with a bit for each item, and the label of each bit."""
    listed, bits = dict[int, int](), dict[str | int, int]()
    for items, support in pairs:
        if type(items) is not list or type(support) is not int or not {*map(type, items)} <= {str, int}:
            raise TypeError
        mask = sum({bits.setdefault(item, 1 << len(bits)) for item in items})
        if mask in listed or mask.bit_count() < len(items) or len(listed) * len(bits) > LARGEST * 64:
            raise InputError(f"{items!r:.99} is listed twice, holds an item twice, or is one of too many to check")
        if not claims["min_support"] <= support <= claims["n"]:
            raise InputError(f"{items!r:.99} has support {support}, which is not from min_support to n")
        listed[mask] = support
    return listed, {bit: str(label) for label, bit in bits.items()}


def _tops(listed: dict[int, int], labels: dict[int, str], claims: Told) -> tuple[list[tuple[Any, ...]], list[str]]:
    """Return support, number of cells, smallest cell and labels of each maximal itemset, and what is wrong."""
    tops, faults, rest = [], [], {*listed}
    while rest:
        top = max(rest, key=int.bit_count)
        met = {mask & top for mask in listed}
        rest -= met
        cells = _cells(met, listed, claims["kind"]) or {0: 0}
        rows, rarest = min((rows, mask) for mask, rows in cells.items())
        names, held = (sorted(label for bit, label in labels.items() if bit & mask) for mask in (top, rarest))
        tops.append((listed[top], len(cells), rows, *names))
        if not rows:
            faults.append(f"an itemset within {names!r:.99} is missing, or their supports are those of no rows")
        elif rows < claims["k"]:
            faults.append(f"{rows} rows hold {held!r:.99} and nothing else of {names!r:.99}: fewer than k")
    return tops, faults


def _cells(met: set[int], listed: dict[int, int], kind: str) -> dict[int, int]:
    """Return the cells of a top that are not 0, how many rows hold just these of its items; none if that cannot be.

    The rows that hold an itemset, less those of the cells above it, are its own; if it is not listed, less than none.
    Those that are not what the cells above them share must be cells, or are not closed. If what they share with any
    other is there, all is there that any cells share, and these are the closed itemsets of rows with such cells.
    """
    cells, shared = dict[int, int](), dict[int, int]()
    for mask in sorted(met, key=int.bit_count, reverse=True):
        above = [cell for cell in cells if cell & mask == mask]
        shared[mask] = reduce(int.__and__, above, -1)
        if rows := listed.get(mask, 0) - sum([cells[cell] for cell in above]):
            cells[mask] = rows
    new = {mask for mask in met if shared[mask] != mask}
    is_whole = new <= cells.keys() if kind == "closed" else len(met) == 1 << max(met).bit_count()
    is_whole = is_whole and all({mask & one for mask in met} <= met for one in new)
    return cells if is_whole and min(cells.values()) > 0 else {}
