"""Inverted lists in a file: a head, a directory of the lists, the lists, and the ids of the rows if they have any.

| bytes    | what                                                                                             |
|----------|--------------------------------------------------------------------------------------------------|
| 16       | what tells that it is an index                                                                   |
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
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from discreet.data.labels import Label
from discreet.errors import InputError, OptionError, OutputError
from discreet.io.files import COMPRESSIONS, readable, save
from discreet.io.index.lists import DIGEST_BYTES, Lists, digest

MAGIC: Final = b"\x89discreet index\n"
VERSION: Final = 1
START: Final = struct.Struct("<16sIIQ")
SEAL_BYTES: Final = 32
DIRECTORY: Final = np.dtype([("start", "<u8"), ("size", "<u8"), ("support", "<u8"), ("digest", f"V{DIGEST_BYTES}")])
AGAIN: Final = "make it again with `discreet index`"
LONGEST_BITS: Final = 1024
"""Python reads no whole numbers of more than some thousand digits."""

SETTLED_NS: Final = 2 * 10**9
"""A file that was changed so shortly before its index was written may have changed once more at the same time."""


class Origin(NamedTuple):
    """The file that rows came from, so that an index of other rows is found out; and how it was read."""

    size: int
    mtime_ns: int
    sha256: str
    reading: dict[str, str]

    def check_unchanged(self, source: str | os.PathLike[str]) -> None:
        """Refuse a file that changed while its rows were read."""
        with _reading(source):
            about = Path(source).stat()
        if (about.st_size, about.st_mtime_ns) != (self.size, self.mtime_ns):
            raise InputError(f"{os.fspath(source)}: the file changed while it was read; begin again")


def origin_of(source: str | os.PathLike[str], reading: Mapping[str, str | None]) -> Origin:
    """Return what tells a file from others; one that can be read but once has no index."""
    told = {name: value for name, value in sorted(reading.items()) if value is not None}
    with _reading(source), Path(source).open("rb") as data:
        about = os.fstat(data.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise InputError("an index belongs to a plain file; write the rows to one first")
        return Origin(about.st_size, about.st_mtime_ns, hashlib.file_digest(data, "sha256").hexdigest(), told)


def check_source(
    path: str | os.PathLike[str],
    origin: Origin | None,
    source: str | os.PathLike[str],
    reading: Mapping[str, str | None],
) -> None:
    """Refuse an index of another file, or of this file read otherwise; of the same size and time, it is the same."""
    if origin is None:
        raise InputError(f"{os.fspath(path)}: the index does not tell which file it belongs to; {AGAIN}")
    if any(value is not None and origin.reading.get(name) != value for name, value in reading.items()):
        raise InputError(
            f"{os.fspath(path)}: the index was made with other options for columns or format; "
            "leave them out, or make it again with these, with `discreet index`"
        )
    with _reading(source):
        about = Path(source).stat()
    with _reading(path):
        written = Path(path).stat().st_mtime_ns
    if about.st_size == origin.size:
        if about.st_mtime_ns == origin.mtime_ns < written - SETTLED_NS:
            return
        if origin_of(source, {}).sha256 == origin.sha256:
            return
    raise InputError(f"{os.fspath(path)}: the index belongs to other data; {AGAIN}")


def write(path: str | os.PathLike[str], lists: Lists, origin: Origin | None) -> None:
    """Write lists to a file that only its owner may read, beside and moved into place."""
    if Path(path).suffix.lower() in COMPRESSIONS:
        raise OptionError("an index is never compressed, so that it can be read in parts; choose another suffix")
    ids = _as_json(
        [_plain(row_id, "row", at) for at, row_id in enumerate(lists.ids)] if lists.ids is not None else None
    )
    labels = [_plain(label, "item", at) for at, label in enumerate(lists.labels)]
    head = _as_json({"n": lists.n, "labels": labels, "origin": None if origin is None else origin._asdict()})
    many = len(labels)
    begin = START.size + SEAL_BYTES + len(head) + DIRECTORY.itemsize * (many + 1)
    directory = np.zeros(many + 1, dtype=DIRECTORY)
    directory["start"] = begin + lists.starts[: many + 1] - lists.starts[0]
    directory["size"] = [*np.diff(lists.starts[: many + 1]), len(ids)]
    directory["support"][:many] = lists.supports
    directory["digest"] = np.frombuffer(lists.every_digest() + digest(ids), dtype=f"V{DIGEST_BYTES}")
    start = START.pack(MAGIC, VERSION, many + 1, len(head))
    seal = hashlib.sha256(start + head + directory.tobytes()).digest()
    parts = (lists.part(item) for item in range(many))
    save(path, chain([start + seal + head + directory.tobytes()], parts, [ids]), private=True)


def read(path: str | os.PathLike[str]) -> tuple[Lists, Origin | None]:
    """Return the lists in a file, mapped into memory, and the file that their rows came from."""
    with _reading(path), Path(path).open("rb") as file:
        # Nothing cannot be mapped.
        size = os.fstat(file.fileno()).st_size
        return _lists(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""))


def _lists(data: memoryview) -> tuple[Lists, Origin | None]:
    """Return the lists of an index; refuse what is none, is too new, was cut short or is damaged."""
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
    lists = Lists(
        head["n"],
        tuple(head["labels"]),
        directory["support"][:-1].astype(np.int64),
        starts,
        data,
        digests=directory["digest"],
    )
    return lists, None if head["origin"] is None else Origin(**head["origin"])


@contextmanager
def _reading(path: str | os.PathLike[str]) -> Iterator[None]:
    """Say in a sentence, after the name of a file, why it cannot be read."""
    try:
        with readable():
            yield
    except InputError as error:
        raise InputError(f"{os.fspath(path)}: ", error.message) from None


def _cut_short(data: memoryview, size: str) -> InputError:
    return InputError(f"the index is cut short: it has {len(data):,} bytes of {size}; {AGAIN}")


def _plain(label: Label, what: str, at: int) -> Label:
    """Return a label that JSON gives back as it was; refuse any other."""
    found = label.item() if isinstance(label, np.generic) else label
    if type(found) not in {bool, int, float, str} or (isinstance(found, int) and found.bit_length() > LONGEST_BITS):
        raise OutputError(
            f"{what} {at + 1} is called by a {type(label).__name__}; an index holds text, numbers of up to "
            f"{LONGEST_BITS} bits and True or False: rename it"
        )
    return found


def _as_json(value: Any) -> bytes:  # noqa: ANN401 - what JSON can say
    return json.dumps(value, separators=(",", ":")).encode("ascii")
