"""Data sets by name: the examples of the papers, and public benchmark files checked by their sha256."""

import gzip
import hashlib
import os
import sys
import zlib
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from discreet.data.transactions import Transactions
from discreet.errors import InputError, OptionError, OutputError
from discreet.io import files
from discreet.io.formats import fimi
from discreet.io.options import RowOptions


class Example(NamedTuple):
    """A database printed in a paper: items are single letters."""

    paper: str
    rows: str
    ids: tuple[Hashable, ...]


class File(NamedTuple):
    """A public file NAME.dat: its rows, the sha256 of its bytes, and whether the FIMI repository offers it."""

    about: str
    rows: int
    sha256: str
    offered: bool = False


EXAMPLES: Final[Mapping[str, Example]] = {
    "pkdd2005": Example(
        "Atzori, Bonchi, Giannotti, Pedreschi: k-anonymous patterns (PKDD 2005) and Blocking anonymity threats raised "
        "by frequent itemset mining (ICDM 2005), the running example",
        "abcdefgh abcdeg abcde abcdefg abcde abcde abde aefg cdefg cde cdefgh abfg",
        tuple(f"t{number}" for number in range(1, 13)),
    ),
    "waim2008": Example(
        "A new approach for detecting anonymity of patterns (WAIM 2008), figure 1",
        "abcd bcef abc cdef bef acd bcdf abcdef bcdef abcde",
        tuple(range(1, 11)),
    ),
    "oliveira2002": Example(
        "Oliveira, Zaïane: Privacy preserving frequent itemset mining (2002), figure 3",
        "ABCD ABC ABD ACD ABC BD",
        tuple(f"T{number}" for number in range(1, 7)),
    ),
}
OFFERED: Final = {"mushroom", "chess", "connect", "retail", "T10I4D100K"}  # by the FIMI repository
SHA256: Final = {
    "mushroom": "6cf94bc482712c3936f0b40c921381ab2b776c3d9941880fecac4d83ca5cbeb5",
    "chess": "a12ea887df58a396709430af5bf0a9a32d1f6eba8e7c13dd41f28b98572c5db2",
    "connect": "4af29e7a6e3dc9da6698ddd6440d619a76450623ee2166c011e317c58291fd8a",
    "retail": "d967431ba522e32f0fbb243f2ee113ecd4cb374cb0234c1b0858dae1d499a055",
    "T10I4D100K": "464d7b87aa7fdc0dc432ddad0493515569b2968b0f229ce39399c454a8c62e0c",
    "groceries": "4760f4b207d93e173613a7aba04beb13a9152b798e0e50ba425201dca74d0fb0",
    "BMS-WebView-1": "ea5189346c5f719204508c0ba3cd53a34d01181f2aebbcf65ff4ef57acaadea2",
    "kosarak_head36682": "6307352eb059e11daae3e69e70d9abbee566ea07dd60dee65e8219d6c55da523",
    "accidents_head15224": "417edab3beab8af354805ab071e9a8f53a95bb555e398b0784e44a93c32a51d1",
    "T40I10D100K_head10000": "9e4e1524eb003dce46a4f595bbc1533f42154a9b8a8c84741eb51d8009438c81",
}
FILES: Final[Mapping[str, File]] = {
    name: File(about, rows, SHA256[name], offered=name in OFFERED)
    for name, about, rows in (
        ("mushroom", "attributes of mushrooms (UCI), 8,124 rows", 8_124),
        ("chess", "chess endgames (UCI), 3,196 rows", 3_196),
        ("connect", "positions of Connect-4 (UCI), 67,557 rows", 67_557),
        ("retail", "baskets of a Belgian supermarket (T. Brijs), 88,162 rows", 88_162),
        ("T10I4D100K", "baskets of the IBM Quest generator, 100,000 rows", 100_000),
        ("groceries", "baskets of a grocery outlet (R package arules, items numbered by name), 9,835 rows", 9_835),
        ("BMS-WebView-1", "click streams of a web shop (KDD Cup 2000), 59,602 rows", 59_602),
        ("kosarak_head36682", "click streams of a news portal (F. Bodon), the first 36,682 rows of 990,002", 36_682),
        ("accidents_head15224", "Belgian traffic accidents (K. Geurts), the first 15,224 rows of 340,183", 15_224),
        ("T40I10D100K_head10000", "baskets of the IBM Quest generator, the first 10,000 rows of 100,000", 10_000),
    )
}

# Downloads are checked by their sha256, so the second, unencrypted address reveals the name of the data set alone.
ADDRESSES: Final = ("https://fimi.uantwerpen.be/data/", "http://fimi.uantwerpen.be/data/")
SECONDS: Final = 60  # the longest silence of a server
SUFFIXES: Final = (".dat", ".dat.gz", ".dat.xz")


def names() -> tuple[str, ...]:
    """Return the names that ``load`` knows: the examples of the papers, then the public files.

    >>> names()[:4]
    ('pkdd2005', 'waim2008', 'oliveira2002', 'mushroom')
    """
    return (*EXAMPLES, *FILES)


def load(name: str, *, download: bool = False) -> Transactions:
    """Return an example of a paper, or a public file from the folder ``DISCREET_DATA`` or from the user's cache.

    Only ``download`` fetches a missing file, and stores it in the cache. A file with another sha256 is refused.

    >>> rows = load("waim2008")
    >>> len(rows), rows.support(["b"]), rows.support(["b", "c", "d"])
    (10, 8, 5)
    """
    if name in EXAMPLES:
        return Transactions(map(list, EXAMPLES[name].rows.split()), ids=EXAMPLES[name].ids)
    if name not in FILES:
        raise OptionError(f"there is no data set {str(name)[:40]!r}; the known ones are {', '.join(names())}")
    path = locate(name)
    if path is None and not download:
        raise InputError(f"the data set {name} is not on this machine; {_advice(name)}")
    if path is None:
        return fimi.read(_download(name), RowOptions())
    with files.naming(path):
        return fimi.read(_check_digest(name, files.load(path)), RowOptions())


def cache_folder() -> Path:
    """Return the folder of the user where downloads are kept; it need not exist."""
    if sys.platform == "win32":
        parent = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        parent = Path.home() / "Library" / "Caches"
    else:
        parent = Path(os.environ.get("XDG_CACHE_HOME", ""))
        if not parent.is_absolute():  # the XDG rules: what is not absolute is ignored
            parent = Path.home() / ".cache"
    return parent / "discreet"


def locate(name: str) -> Path | None:
    """Return where a public file is on this machine; None if it is not."""
    folders = [cache_folder()]
    if given := os.environ.get("DISCREET_DATA"):
        folders.insert(0, Path(given).expanduser())
    paths = (folder / f"{name}{suffix}" for folder in folders for suffix in SUFFIXES)
    return next((path for path in paths if path.is_file()), None)


def _check_digest(name: str, data: files.Bytes) -> files.Bytes:
    digest, known = hashlib.sha256(data).hexdigest(), FILES[name].sha256
    if digest != known:
        problem = f"this is not the public file {name}.dat: its sha256 is {digest[:16]}…, not {known[:16]}…"
        raise InputError(f"{problem}; remove it and get it again")
    return data


def _download(name: str) -> files.Bytes:
    """Fetch a data set into the cache; it is there whole and checked, or not at all."""
    if not FILES[name].offered:
        raise InputError(f"the data set {name} is not offered for download; {_advice(name)}")
    data = _check_digest(name, _fetch(f"{name}.dat.gz"))
    path = cache_folder() / f"{name}.dat.gz"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"the cache {path.parent} cannot be made ({error.strerror}); make it yourself") from None
    files.save(path, [bytes(data)])
    return data


def _fetch(file: str) -> bytes:
    import urllib.request  # noqa: PLC0415 - slow to load, rarely needed
    from http.client import HTTPException  # noqa: PLC0415 - as above

    reasons = []
    for address in ADDRESSES:
        try:
            with urllib.request.urlopen(address + file, timeout=SECONDS) as response:  # noqa: S310 - fixed addresses
                return gzip.decompress(response.read())
        except (OSError, EOFError, zlib.error, HTTPException) as error:
            reasons.append(str(error))
    raise InputError(f"{file} cannot be downloaded from {ADDRESSES[0]} ({'; '.join(reasons)}): try again later")


def _advice(name: str) -> str:
    where = f"put {name}.dat into the folder that the environment variable DISCREET_DATA names"
    return f"{where}, or allow a download (download=True)" if FILES[name].offered else where
