"""What reports say in words: where the input came from."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Source(NamedTuple):
    """The file that was audited: its name without its folder, and the SHA-256 digest of its bytes."""

    file: str
    sha256: str


def older_name(numbers: Iterable[int], against: Sequence[Source]) -> str:
    """Return what older releases are called: by their files if these are known, else by their places, from 1 on.

    >>> older_name([1, 3], ())
    'older release 1 and older release 3'
    """
    return " and ".join(against[number - 1].file if against else f"older release {number}" for number in numbers)
