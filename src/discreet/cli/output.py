"""Where results go: refused before hours of work if it cannot be. And the time that they tell, if they tell one."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path


@contextmanager
def rehearsed(option: str, place: str, *sources: str | None) -> Iterator[Path]:
    """Yield a path beside ``place`` to try things on; refuse a place that is no file, or one of the ``sources``."""
    from discreet import OutputError
    from discreet.report import aside

    path = Path(place)
    try:
        if not place or path.is_dir():
            raise OutputError(f"{option} is {place or 'empty'}, which is no file; give the name of a file")
        if any(source is not None and _same(path, source) for source in sources):
            raise OutputError(f"{option} is {place}, a file that is to be read; give another name")
        with aside(path) as part:
            part.mkdir(0o700)
            yield part / path.name
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        raise OutputError(
            f"{place} cannot be written ({error.strerror}); name a file in a folder that you may write to"
        ) from None


def check_place(option: str, place: str | None, *sources: str | None) -> None:
    """Refuse a place that cannot be written; standard output can."""
    if place not in {None, "-"}:
        with rehearsed(option, str(place), *sources):
            pass


def wants_json(place: str | None, *, as_json: bool) -> bool:
    """Return whether a report goes out as JSON: by the option, or by the name of its file."""
    return as_json or ".json" in Path(place or "").suffixes


def put(
    place: str | None,
    chunks: Iterable[bytes],
    lines: Iterable[str],
    *,
    as_json: bool,
    sources: Iterable[str | None] = (),
) -> None:
    """Write a report to its place: as JSON in ``chunks``, or as ``lines`` of text; it is of what ``sources`` hold."""
    from discreet import report

    if wants_json(place, as_json=as_json):
        sys.stdout.flush()
        report.save(place or "-", chunks, sources=sources)
    elif place in {None, "-"}:
        say(lines)
    else:
        report.save(str(place), (f"{line}\n".encode() for line in lines), sources=sources)


def say(lines: Iterable[str]) -> None:
    """Write lines to stdout; click's own way takes an ASCII terminal for a mistake, and flushes after each."""
    sys.stdout.writelines(f"{line}\n" for line in lines)


def fixed_time() -> datetime | None:
    """Return the time that SOURCE_DATE_EPOCH sets, for builds that must give the same bytes each time, if it is set.

    It is that of reproducible-builds.org/specs/source-date-epoch.
    """
    from discreet import OptionError

    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        return None if fixed is None else datetime.fromtimestamp(int(fixed), UTC)
    except (ValueError, OverflowError, OSError):
        raise OptionError("SOURCE_DATE_EPOCH is no time; give it as whole seconds since 1970, or unset it") from None


def _same(path: Path, source: str) -> bool:
    """Return whether both lead to one file."""
    try:
        return path.samefile(source)
    except (OSError, ValueError):  # one of them is not there yet, or is no name of a file
        return False
