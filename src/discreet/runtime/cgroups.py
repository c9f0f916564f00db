"""Limits that a container or a batch system sets on this process: the control groups of Linux, versions 1 and 2.

A limit holds for a group and for all groups inside it, so the least one on the way up counts. What cannot be read, or
is not as the kernel writes it, is no limit.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from re import ASCII, fullmatch
from typing import Final

HERE: Final = Path("/")
MOUNT: Final = "sys/fs/cgroup"
MOST: Final = 1 << 16  # bytes of a file that are read; the kernel writes fewer
LEAST_MEMORY: Final = 1 << 16  # bytes; no process of ours could start with fewer


@cache
def find_core_limit(root: Path = HERE) -> int | None:
    """Return how many cores this process may use by its control groups, rounded up; None if there is no limit."""
    quotas = [[*_read(folder / "cpu.max").split(), "", ""][:2] for folder in _list_groups(root, "")]
    quotas += [
        [_read(folder / "cpu.cfs_quota_us"), _read(folder / "cpu.cfs_period_us")]
        for folder in _list_groups(root, "cpu")
    ]
    return min((cores for quota, period in quotas if (cores := parse_cores(quota, period))), default=None)


@cache
def find_memory_limit(root: Path = HERE) -> int | None:
    """Return how many bytes this process may use by its control groups; None if there is no limit."""
    files = [folder / "memory.max" for folder in _list_groups(root, "")]
    files += [folder / "memory.limit_in_bytes" for folder in _list_groups(root, "memory")]
    limits = [_parse(_read(file)) for file in files]
    return min((limit for limit in limits if limit >= LEAST_MEMORY), default=None)


def parse_cores(quota: str, period: str) -> int | None:
    """Return how many cores some microseconds of work in each period are, rounded up; None if there is no limit.

    >>> parse_cores("150000", "100000"), parse_cores("1000", "100000"), parse_cores("400000", "100000")
    (2, 1, 4)
    >>> parse_cores("max", "100000"), parse_cores("-1", "100000"), parse_cores("100000", "0")
    (None, None, None)
    """
    work, time = _parse(quota), _parse(period)
    return -(-work // time) if work and time else None


def _parse(text: str) -> int:
    """Return a whole number; 0 for anything else, such as "max" or -1, and for what no kernel would write.

    >>> _parse("4096"), _parse("max"), _parse("-1"), _parse("9" * 5000), _parse("٤")
    (4096, 0, 0, 0, 0)
    """
    return int(text) if fullmatch(r"\d{1,20}", text, ASCII) else 0


def _read(file: Path) -> str:
    """Return the text of a file, or "" if there is none to be read."""
    try:
        with file.open("rb") as stream:
            return stream.read(MOST).decode("ascii", "replace").strip()
    except (OSError, ValueError):  # a name may hold what no name can
        return ""


def _list_groups(root: Path, controller: str) -> Iterator[Path]:
    """Yield the folders of this process's group and of those around it; version 2 has one tree for all controllers."""
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, place = rest.partition(":")
        if controller not in controllers.split(",") or not place.startswith("/"):
            continue
        group = PurePosixPath(place.lstrip("/"))
        if ".." in group.parts:  # outside of what a container sees: its own group is the root of the mount
            group = PurePosixPath()
        # Where both versions are in use, the tree of version 2 has a folder of its own.
        for tree in dict.fromkeys((controller, controllers)) if controller else ("", "unified"):
            yield from (root / MOUNT / tree / inner for inner in (group, *group.parents))
