"""Inverted lists: for each item the numbers of its rows, as Roaring bitmaps; and the file that holds them.

| bytes    | what                                                                                             |
|----------|--------------------------------------------------------------------------------------------------|
| 16       | the mark of an index                                                                             |
| 4, 4, 8  | the version, the number of parts that follow the directory, the bytes of the head                |
| 32       | SHA-256 of all of the above, the head and the directory                                          |
| …        | the head, as JSON: n, the labels, and the file that the rows came from                           |
| 40 each  | the directory: of each part its first byte in the file, its bytes, its support, its digest       |
| …        | the parts: of each item its list, a Roaring bitmap in the portable format; and the ids, as JSON   |

Numbers are little-endian. Opening reads the head and the directory; a list is read, and its digest compared, when it
is asked for.
"""

import hashlib
import json
import mmap
import os
import stat
import struct
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.itemsets import Label
from discreet.data.transactions import Transactions
from discreet.errors import InputError, OptionError, OutputError
from discreet.io.files import COMPRESSIONS, readable, save

MOST_ROWS: Final = 2**32  # a Roaring bitmap holds numbers of 32 bits
DIGEST_BYTES: Final = 16
MAGIC: Final = b"\x89discreet index\n"
VERSION: Final = 1
START: Final = struct.Struct("<16sIIQ")
SEAL_BYTES: Final = 32
DIRECTORY: Final = np.dtype([("start", "<u8"), ("size", "<u8"), ("support", "<u8"), ("digest", f"V{DIGEST_BYTES}")])
AGAIN: Final = "make it again with `discreet index`"
LONGEST_BITS: Final = 1024  # Python reads no whole numbers of more than some thousand digits

SETTLED_NS: Final = 2 * 10**9
"""A file changed so shortly before its index was written may have changed again within the same tick."""


@dataclass(frozen=True, eq=False, repr=False)
class InvertedLists:
    """The inverted lists of ``n`` rows as Roaring bitmaps: that of item ``i`` is ``data[starts[i]:starts[i + 1]]``.

    Lists from a file have ``digests`` of their bytes, and one more part: the ids of the rows, as JSON.
    """

    n: int
    labels: tuple[Label, ...]
    supports: NDArray[np.int64]
    starts: NDArray[np.int64]
    data: memoryview
    named: Sequence[Hashable] | None = None
    digests: NDArray[np.void] | None = None

    def part(self, number: int) -> bytes:
        """Return the bytes of one list; refuse bytes that changed since the file was written."""
        data = bytes(self.data[int(self.starts[number]) : int(self.starts[number + 1])])
        if self.digests is not None and digest(data) != self.digests[number].tobytes():
            raise InputError(f"the index is damaged; {AGAIN}")
        return data

    @cached_property
    def ids(self) -> Sequence[Hashable] | None:
        """The ids of the rows, if they have ids."""
        if self.digests is None:
            return self.named
        ids: Sequence[Hashable] | None = json.loads(self.part(len(self.labels)))
        return ids

    def join_digests(self) -> bytes:
        """Return the digests of all lists, one after the other."""
        many = len(self.labels)
        if self.digests is not None:
            return self.digests[:many].tobytes()
        return b"".join(digest(self.part(item)) for item in range(many))

    def are_same(self, other: "InvertedLists") -> bool:
        """Return whether both are lists of the same rows, with the same codes, labels and ids."""
        return (
            (self.n, self.labels) == (other.n, other.labels)
            and np.array_equal(self.supports, other.supports)
            and self.join_digests() == other.join_digests()
            and _as_list(self.ids) == _as_list(other.ids)
        )


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
    supports = counts.sum(axis=0, dtype=np.int64)
    return InvertedLists(len(rows), rows.labels, supports, starts, out.data, rows.ids)


def _as_list(ids: Sequence[Hashable] | None) -> list[Hashable] | None:
    return None if ids is None else list(ids)


class Origin(NamedTuple):
    """The file that rows came from, and how it was read; an index of other data is refused by it."""

    size: int
    mtime_ns: int
    sha256: str
    reading: dict[str, str]

    def check_unchanged(self, source: str | os.PathLike[str]) -> None:
        """Refuse a file that changed while its rows were read."""
        with _naming_errors(source):
            about = Path(source).stat()
        if (about.st_size, about.st_mtime_ns) != (self.size, self.mtime_ns):
            raise InputError(f"{os.fspath(source)}: the file changed while it was read; begin again")


def origin_of(source: str | os.PathLike[str], reading: Mapping[str, str | None]) -> Origin:
    """Return the size, time and digest of a file; a pipe has no index."""
    options = {name: value for name, value in sorted(reading.items()) if value is not None}
    with _naming_errors(source), Path(source).open("rb") as data:
        about = os.fstat(data.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise InputError("an index belongs to a plain file; write the rows to one first")
        return Origin(about.st_size, about.st_mtime_ns, hashlib.file_digest(data, "sha256").hexdigest(), options)


def check_source(
    path: str | os.PathLike[str],
    origin: Origin | None,
    source: str | os.PathLike[str],
    reading: Mapping[str, str | None],
) -> None:
    """Refuse an index of another file, or of this file read otherwise; a file of the same size and time is the same."""
    if origin is None:
        raise InputError(f"{os.fspath(path)}: the index does not say which file it belongs to; {AGAIN}")
    if any(value is not None and origin.reading.get(name) != value for name, value in reading.items()):
        raise InputError(
            f"{os.fspath(path)}: the index was made with other options for columns or format; "
            "leave them out, or make it again with these, with `discreet index`"
        )
    with _naming_errors(source):
        about = Path(source).stat()
    with _naming_errors(path):
        written = Path(path).stat().st_mtime_ns
    if about.st_size == origin.size:
        if about.st_mtime_ns == origin.mtime_ns < written - SETTLED_NS:
            return
        if origin_of(source, {}).sha256 == origin.sha256:
            return
    raise InputError(f"{os.fspath(path)}: the index belongs to other data; {AGAIN}")


def write_lists(path: str | os.PathLike[str], lists: InvertedLists, origin: Origin | None) -> None:
    """Write lists to a file that only its owner may read, beside and moved into place."""
    if Path(path).suffix.lower() in COMPRESSIONS:
        raise OptionError("an index is never compressed, so that it can be read in parts; choose another suffix")
    ids = _as_json(
        [_as_json_value(row_id, "row", at) for at, row_id in enumerate(lists.ids)] if lists.ids is not None else None
    )
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


def read_lists(path: str | os.PathLike[str]) -> tuple[InvertedLists, Origin | None]:
    """Return the lists in a file, mapped into memory, and the file that their rows came from."""
    with _naming_errors(path), Path(path).open("rb") as file:
        # An empty file cannot be mapped.
        size = os.fstat(file.fileno()).st_size
        return _parse_lists(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""))


def _parse_lists(data: memoryview) -> tuple[InvertedLists, Origin | None]:
    """Return the lists of an index; refuse other files, newer versions, and what is cut short or damaged."""
    if bytes(data[: len(MAGIC)]) != MAGIC:
        raise InputError("this is no index; make one with `discreet index`")
    if len(data) < START.size + SEAL_BYTES:
        raise _cut_short(data, "more")
    _, version, parts, head_size = START.unpack(data[: START.size])
    if version > VERSION:
        raise InputError(
            f"the index is of version {version}, and this program reads version {VERSION}; "
            "install a newer one, or make the index again with `discreet index`"
        )
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


@contextmanager
def _naming_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Put the name of a file before why it cannot be read."""
    try:
        with readable():
            yield
    except InputError as error:
        raise InputError(f"{os.fspath(path)}: ", error.message) from None


def _cut_short(data: memoryview, size: str) -> InputError:
    return InputError(f"the index is cut short: it has {len(data):,} bytes of {size}; {AGAIN}")


def _as_json_value(label: Label, what: str, at: int) -> Label:
    """Return a label that JSON gives back as it was; refuse any other."""
    value = label.item() if isinstance(label, np.generic) else label
    if type(value) not in {bool, int, float, str} or (isinstance(value, int) and value.bit_length() > LONGEST_BITS):
        raise OutputError(
            f"{what} {at + 1} is called by a {type(label).__name__}; an index holds text, numbers of up to "
            f"{LONGEST_BITS} bits and True or False: rename it"
        )
    return value


def _as_json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii")
