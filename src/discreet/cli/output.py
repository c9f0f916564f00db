"""Where results go. Places that cannot be written are refused before hours of work."""

import codecs
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path
from typing import Final

ASCII: Final = dict(
    zip("∧¬−·×⇒∅✓✗│┤└─●■▲◆○□△◇", ["&", "~", "-", ".", "x", "=>", "{}", "+", *"x||+-o#^*0@Av"], strict=True)
) | {"…": "..."}
"""What a terminal shows for signs that its encoding lacks."""


@contextmanager
def rehearse(option: str, place: str, *sources: str | None) -> Iterator[Path]:
    """Yield a path beside ``place`` to try things on; refuse a place that is no file, or one of the ``sources``."""
    from discreet import OutputError
    from discreet.report import aside

    path = Path(place)
    try:
        if not place or path.is_dir():
            raise OutputError(f"{option} is {place or 'empty'}, which is no file; give the name of a file")
        if any(source is not None and _is_same(path, source) for source in sources):
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
        with rehearse(option, str(place), *sources):
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
    """Write a report about ``sources`` to its place: the ``chunks`` of JSON, or the ``lines`` of text."""
    from discreet import report

    if wants_json(place, as_json=as_json):
        sys.stdout.flush()
        report.save(place or "-", chunks, sources=sources)
    elif place in {None, "-"}:
        say(lines)
    else:
        report.save(str(place), (f"{line}\n".encode() for line in lines), sources=sources)


def say(lines: Iterable[str]) -> None:
    """Write lines to stdout; click.echo would fail on an ASCII terminal, and flush after each line."""
    sys.stdout.writelines(f"{line}\n" for line in lines)


def fixed_time() -> datetime | None:
    """Return the time that SOURCE_DATE_EPOCH sets, if it does: builds with it give the same bytes each time.

    See reproducible-builds.org/specs/source-date-epoch.
    """
    from discreet import OptionError

    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        return None if fixed is None else datetime.fromtimestamp(int(fixed), UTC)
    except (ValueError, OverflowError, OSError):
        raise OptionError("SOURCE_DATE_EPOCH is no time; give it as whole seconds since 1970, or unset it") from None


def in_plain_signs(error: UnicodeError) -> tuple[str | bytes, int]:
    r"""Return plain signs for those that an encoding lacks; escape any others.

    >>> codecs.register_error("discreet", in_plain_signs)
    >>> "a ∧ ¬b = 50 − 48, ж".encode("ascii", "discreet")
    b'a & ~b = 50 - 48, \\u0436'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(ASCII.get(letter, ascii(letter)[1:-1]) for letter in lacking), error.end


def use_plain_signs(*streams: object) -> None:
    """Make text streams write plain signs where their encoding lacks ours, instead of failing."""
    codecs.register_error("discreet", in_plain_signs)
    for stream in streams:
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="discreet")


def _is_same(path: Path, source: str) -> bool:
    try:
        return path.samefile(source)
    except (OSError, ValueError):  # one of them does not exist yet, or is no name of a file
        return False
