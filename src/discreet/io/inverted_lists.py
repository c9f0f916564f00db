"""Inverted lists: for each item the numbers of its rows, as Roaring bitmaps; and the file that holds them.

A file has a mark (16 bytes), its version, its number of parts and the size of its head (4, 4, 8), SHA-256 of all that
and of what follows up to the parts (32), the head as JSON (n, the labels, the file of the rows), a directory with the
start, size, support and digest of each part (40 each), and the parts: the list of each item, a portable Roaring bitmap,
then the ids as JSON. Numbers are little-endian. Opening reads the head and the directory; a list is read, and its
digest compared, when it is asked for.
"""

import hashlib
import json
import mmap
import os
import stat
import struct
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Label
from discreet.data.transactions import Transactions
from discreet.errors import InputError, OptionError, OutputError
from discreet.io.compression import COMPRESSIONS
from discreet.io.files import FilePath, naming, readable, save
from discreet.io.options import RowOptions

MOST_ROWS: Final = 2**32  # a Roaring bitmap holds numbers of 32 bits
DIGEST_BYTES, SEAL_BYTES = 16, 32
MAGIC: Final = b"\x89discreet index\n"
VERSION: Final = 1
START: Final = struct.Struct("<16sIIQ")
DIRECTORY: Final = np.dtype([("start", "<u8"), ("size", "<u8"), ("support", "<u8"), ("digest", f"V{DIGEST_BYTES}")])
AGAIN: Final = "make it again with `discreet index`"
LONGEST_BITS: Final = 1024  # Python reads no whole numbers of more than some thousand digits
SETTLED_NS: Final = 2 * 10**9  # a file that changed so shortly before its index may have changed again since


@dataclass(frozen=True, eq=False, repr=False)
class InvertedLists:
    """The inverted lists of ``n`` rows as Roaring bitmaps: that of item ``i`` is ``data[starts[i]:starts[i + 1]]``."""

    n: int
    labels: tuple[Label, ...]
    supports: NDArray[np.int64]
    starts: NDArray[np.int64]
    data: memoryview
    named: Sequence[Hashable] | None = None
    digests: NDArray[np.void] | None = None  # of lists from a file, which has one more part: the ids of the rows

    def part(self, number: int) -> bytes:
        """Return the bytes of one list; refuse bytes that changed since the file was written."""
        data = bytes(self.data[int(self.starts[number]) : int(self.starts[number + 1])])
        if self.digests is not None and digest(data) != self.digests[number].tobytes():
            raise InputError(f"the index is damaged; {AGAIN}")
        return data

    @cached_property
    def ids(self) -> Sequence[Hashable] | None:
        """The ids of the rows, if they have ids."""
        ids: Sequence[Hashable] | None = self.named if self.digests is None else json.loads(self.part(len(self.labels)))
        return ids

    def join_digests(self) -> bytes:
        """Return the digests of all lists, one after the other."""
        if self.digests is not None:
            return self.digests[: len(self.labels)].tobytes()
        return b"".join(digest(self.part(item)) for item in range(len(self.labels)))

    def are_same(self, other: "InvertedLists") -> bool:
        """Return whether both are lists of the same rows, with the same codes, labels and ids."""
        ids = [lists.ids if lists.ids is None else list(lists.ids) for lists in (self, other)]
        is_alike = (self.n, self.labels, ids[0]) == (other.n, other.labels, ids[1])
        return is_alike and self.join_digests() == other.join_digests()


def digest(data: bytes) -> bytes:
    """Return the BLAKE2b digest of a list."""
    return hashlib.blake2b(data, digest_size=DIGEST_BYTES).digest()


def invert(rows: Transactions) -> InvertedLists:
    """Return the inverted lists of rows, in one scan that counts and one that places.

    >>> lists = invert(Transactions([["a", "b"], ["b"]]))
    >>> lists.supports.tolist(), lists.starts.tolist()
    ([1, 2], [0, 18, 38])
    """
    if len(rows) > MOST_ROWS:
        raise InputError(f"there are {len(rows):,} rows; an inverted file takes at most {MOST_ROWS:,}: split them")
    many = len(rows.labels)
    counts = np.zeros((-(-len(rows) // kernels.index.BLOCK), many), dtype=np.int32)
    containers, starts = np.zeros(many, dtype=np.int64), np.zeros(many + 1, dtype=np.int64)
    kernels.index.count(rows.offsets, rows.items, counts)
    kernels.index.measure(counts, containers, starts[1:])
    np.cumsum(starts, out=starts)
    out = np.zeros(int(starts[-1]), dtype=np.uint8)
    kernels.index.write_lists(rows.offsets, rows.items, counts, containers, starts, out)
    return InvertedLists(len(rows), rows.labels, counts.sum(axis=0, dtype=np.int64), starts, out.data, rows.ids)


class Origin(NamedTuple):
    """The file that rows came from, and how it was read; an index of other data is refused by it."""

    size: int
    mtime_ns: int
    sha256: str
    reading: dict[str, Any]

    def check_unchanged(self, source: FilePath) -> None:
        """Refuse a file that changed while its rows were read."""
        with naming(source), readable():
            about = Path(source).stat()
        if (about.st_size, about.st_mtime_ns) != (self.size, self.mtime_ns):
            raise InputError(f"{os.fspath(source)}: the file changed while it was read; begin again")


def origin_of(source: FilePath, reading: Mapping[str, Any]) -> Origin:
    """Return the size, time and digest of a file; a pipe has no index."""
    options = _state_options(reading)
    with naming(source), readable(), Path(source).open("rb") as data:
        about = os.fstat(data.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise InputError("an index belongs to a plain file; write the rows to one first")
        return Origin(about.st_size, about.st_mtime_ns, hashlib.file_digest(data, "sha256").hexdigest(), options)


def _state_options(reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of reading that are set, as JSON holds them.

    >>> _state_options({"format": "csv", "header": False, "empty_rows": False, "drop": ("id",), "na": ()})
    {'drop': ['id'], 'format': 'csv', 'header': False}
    """
    defaults = {**RowOptions()._asdict(), "format": None}
    stated = {name: value for name, value in reading.items() if value is not None and value != defaults.get(name)}
    texts = {name: os.fspath(value) if isinstance(value, os.PathLike) else value for name, value in stated.items()}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in sorted(texts.items())}


def check_source(path: FilePath, origin: Origin | None, source: FilePath, reading: Mapping[str, Any]) -> None:
    """Refuse an index of another file, or of this file read otherwise; a file of the same size and time is the same."""
    with naming(source), readable():
        about = Path(source).stat()
    with naming(path), readable():
        if origin is None:
            raise InputError(f"the index does not say which file it belongs to; {AGAIN}")
        if any(origin.reading.get(name) != value for name, value in _state_options(reading).items()):
            raise InputError(f"the index was made with other options; leave them out, or {AGAIN} and these options")
        is_settled = about.st_mtime_ns == origin.mtime_ns < Path(path).stat().st_mtime_ns - SETTLED_NS
    if about.st_size != origin.size or not (is_settled or origin_of(source, {}).sha256 == origin.sha256):
        raise InputError(f"{os.fspath(path)}: the index belongs to other data; {AGAIN}")


def write_lists(path: FilePath, lists: InvertedLists, origin: Origin | None) -> None:
    """Write lists to a file that only its owner may read, beside and moved into place."""
    if Path(path).suffix.lower() in COMPRESSIONS:
        raise OptionError("an index is never compressed, so that it can be read in parts; choose another suffix")
    ids = _as_json(None if lists.ids is None else [_as_json_value(one, "row", at) for at, one in enumerate(lists.ids)])
    labels = [_as_json_value(label, "item", at) for at, label in enumerate(lists.labels)]
    head = _as_json({"n": lists.n, "labels": labels, "origin": None if origin is None else origin._asdict()})
    many = len(labels)
    begin = START.size + SEAL_BYTES + len(head) + DIRECTORY.itemsize * (many + 1)
    directory = np.zeros(many + 1, dtype=DIRECTORY)
    directory["start"] = begin + lists.starts[: many + 1] - lists.starts[0]
    directory["size"] = [*np.diff(lists.starts[: many + 1]), len(ids)]
    directory["support"][:many] = lists.supports
    directory["digest"] = np.frombuffer(lists.join_digests() + digest(ids), dtype=f"V{DIGEST_BYTES}")
    start = START.pack(MAGIC, VERSION, many + 1, len(head))
    seal = hashlib.sha256(start + head + directory.tobytes()).digest()
    parts = (lists.part(item) for item in range(many))
    save(path, chain([start + seal + head + directory.tobytes()], parts, [ids]), private=True)


def read_lists(path: FilePath) -> tuple[InvertedLists, Origin | None]:
    """Return the lists in a file, mapped into memory, and the file that their rows came from."""
    with naming(path), readable(), Path(path).open("rb") as file:
        is_empty = os.fstat(file.fileno()).st_size == 0  # such a file cannot be mapped
        return _parse_lists(memoryview(b"" if is_empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))


def _parse_lists(data: memoryview) -> tuple[InvertedLists, Origin | None]:
    """Return the lists of an index; refuse other files, newer versions, and what is cut short or damaged."""
    if bytes(data[: len(MAGIC)]) != MAGIC:
        raise InputError("this is no index; make one with `discreet index`")
    if len(data) < START.size + SEAL_BYTES:
        raise _cut_short(data, "more")
    _, version, parts, head_size = START.unpack(data[: START.size])
    if version > VERSION:
        raise InputError(f"the index has version {version}; install a newer discreet that reads it, or {AGAIN}")
    begin = START.size + SEAL_BYTES
    middle, end = begin + head_size, begin + head_size + DIRECTORY.itemsize * parts
    if len(data) < end:
        raise _cut_short(data, f"{end:,} or more")
    seal = hashlib.sha256(data[: START.size])
    seal.update(data[begin:end])
    if seal.digest() != data[START.size : begin]:
        raise InputError(f"the index is damaged; {AGAIN}")
    head = json.loads(bytes(data[begin:middle]))
    directory = np.frombuffer(data[middle:end], dtype=DIRECTORY)
    starts = np.append(directory["start"], directory["start"][-1:] + directory["size"][-1:]).astype(np.int64)
    if len(data) < starts[-1]:
        raise _cut_short(data, f"{starts[-1]:,}")
    if len(data) > starts[-1]:
        raise InputError(f"the index is damaged: something was added to it; {AGAIN}")
    supports = directory["support"][:-1].astype(np.int64)
    lists = InvertedLists(head["n"], tuple(head["labels"]), supports, starts, data, digests=directory["digest"])
    return lists, None if head["origin"] is None else Origin(**head["origin"])


def _cut_short(data: memoryview, size: str) -> InputError:
    return InputError(f"the index is cut short: it has {len(data):,} bytes of {size}; {AGAIN}")


def _as_json_value(label: Label, what: str, at: int) -> Label:
    value = label.item() if isinstance(label, np.generic) else label
    if type(value) not in {bool, int, float, str} or (isinstance(value, int) and value.bit_length() > LONGEST_BITS):
        holds = f"an index holds text, numbers of up to {LONGEST_BITS} bits and True or False"
        raise OutputError(f"{what} {at + 1} is called by a {type(label).__name__}; {holds}: rename it")
    return value


def _as_json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii")
