"""Parts: folders and patterns of names whose Parquet files are one table, partitioned or not."""

import glob
import os
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import unquote

from discreet.errors import InputError
from discreet.io.files import Place, as_path, is_url, readable
from discreet.io.notation import as_labels

SUFFIXES: Final = (".parquet", ".pq")
HIDDEN: Final = ("_", ".")  # first letters of names that are no data, such as _SUCCESS
NULL: Final = "__HIVE_DEFAULT_PARTITION__"
LOGS: Final = {"_delta_log": "Delta Lake", ".hoodie": "Hudi", "metadata": "Iceberg"}
"""Folders of table formats, which say what files are in the table: others may be there, but outdated."""


class Parts(NamedTuple):
    """Files of one table, in the order of their paths, and the values of each partition column for each file."""

    files: list[Path]
    partitions: dict[str, list[Hashable]]


def are_parts(place: Place) -> bool:
    """Return whether ``place`` is a folder, or a pattern of names such as ``stays/*.parquet``.

    >>> are_parts("stays/*.parquet"), are_parts("stays.parquet"), are_parts(".")
    (True, False, True)
    """
    path = as_path(place)
    if path is None or is_url(place):
        return False
    return path.is_dir() or (glob.has_magic(os.fspath(path)) and not path.exists())


def find_parts(place: Place) -> Parts:
    """Return the Parquet files of a folder, also in folders within, or of a pattern; hidden ones are left out."""
    path = Path(str(place))
    with readable():
        if path.is_dir():
            _check_table_format(path)
            files = [one for one in sorted(path.rglob("*")) if one.suffix.lower() in SUFFIXES]
            base = path
        else:
            files = [Path(one) for one in sorted(glob.glob(str(path), recursive=True))]  # noqa: PTH207 - of any root
            base = Path(*path.parts[: _first_magic(path)])
        files = [one for one in files if one.is_file() and not _is_hidden(one.relative_to(base))]
        if not files and path.is_dir():
            raise InputError("this is a directory; give a file in it, or a folder of Parquet files")
        if not files:
            raise InputError("there is no such file; check the pattern of names")
        other = next((one for one in files if one.suffix.lower() not in SUFFIXES), None)
        if other is not None:
            raise InputError(
                f"{other.name} is no Parquet file, and only these are read as parts of one table; name it alone"
            )
        _check_apart(files)
        return Parts(files, _find_partitions(files, base))


def _first_magic(path: Path) -> int:
    return next(at for at, part in enumerate(path.parts) if glob.has_magic(part))


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(HIDDEN) and "=" not in part for part in path.parts)


def _check_apart(files: Sequence[Path]) -> None:
    """Refuse one file by two names, as links make them: its rows would count twice."""
    known: dict[tuple[int, int], Path] = {}
    for file in files:
        found = file.stat()
        one = known.setdefault((found.st_dev, found.st_ino), file)
        if one is not file:
            raise InputError(f"{one} and {file} are one file, whose rows would count twice; leave one out")


def _check_table_format(folder: Path) -> None:
    for log, name in LOGS.items():
        inner = folder / log
        if inner.is_dir() and (log != "metadata" or any(inner.glob("*.metadata.json"))):
            problem = f"this is a table of {name}, where files may be outdated"
            raise InputError(f"{problem}; read it with a library that knows it, such as DuckDB, and give its relation")


def _find_partitions(files: Sequence[Path], base: Path) -> dict[str, list[Hashable]]:
    """Return the columns that folders such as year=2020 stand for; whole numbers if all values are."""
    found = [[part.partition("=")[::2] for part in file.relative_to(base).parts[:-1] if "=" in part] for file in files]
    if any([name for name, _ in one] != [name for name, _ in found[0]] for one in found):
        raise InputError("the folders within do not have the same partitions, such as year=2020; give one of them")
    columns = {}
    for at, (name, _) in enumerate(found[0]):
        texts = [unquote(one[at][1]) for one in found]
        labels = dict(zip(kept := [text for text in texts if text != NULL], as_labels(kept), strict=True))
        columns[unquote(name)] = [labels.get(text) for text in texts]
    return columns
