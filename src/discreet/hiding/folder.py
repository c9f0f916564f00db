"""The folder of hidden rows: the file to share, and apart from it the facts that must stay private."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np

from discreet.data.itemsets import Label, sort_labels
from discreet.data.transactions import Transactions
from discreet.errors import GuaranteeError, OutputError
from discreet.hiding.hide import Hidden
from discreet.hiding.problem import SensitiveLike
from discreet.hiding.stream import hide_file
from discreet.io.files import MARK, OWN, check_folder, digest, folder_beside
from discreet.io.notation import as_json, write_csv, write_text
from discreet.io.read import read
from discreet.io.rewrite import find_again, rewrite
from discreet.runtime import resources

README: Final = """\
DO NOT RELEASE this folder: it names the sensitive itemsets, and the rows that were changed to hide them.

hidden.json  the method, the support of each sensitive itemset before and after, and the SHA-256 digests of the file
             that was read and of the one that was written
changes.csv  every changed row, counted from 1, its id if rows have ids, and the items that it lost

Move it to a safe place, or delete it, before you share the file beside it."""

CHANGES: Final = "changes.csv"
PRIVATE: Final = {"README.txt", CHANGES, "hidden.json"}

Value = TypeVar("Value")


def write_hidden(
    hidden: Hidden | Mapping[str, Hidden],
    folder: str | os.PathLike[str],
    *,
    source: str | os.PathLike[str],
    **reading: Any,  # noqa: ANN401 - the options of read
) -> None:
    """Write a folder with a copy of ``source``, the file that the rows were ``read`` from, without the removed items.

    ``reading`` are the options that it was read with. A mapping gives each recipient a folder inside. Everything is
    written beside, read again, and moved into place in one step. It replaces an older such folder; any other is
    refused. The subfolder DO-NOT-RELEASE names the hidden itemsets and the items removed from each row.

    >>> from tempfile import TemporaryDirectory
    >>> from discreet import hide, read, write
    >>> with TemporaryDirectory() as place:
    ...     write([["bread", "tea"], ["tea"]], f"{place}/rows.csv")
    ...     rows = read(f"{place}/rows.csv")
    ...     write_hidden(hide(rows, [["bread", "tea"]]), f"{place}/shared", source=f"{place}/rows.csv")
    ...     [sorted(row) for row in read(f"{place}/shared/rows.csv")]
    [['tea'], ['tea']]
    """
    place, file = Path(folder), Path(source)
    check_place(place, file)
    as_it_was = find_again(file, **reading)  # rows that lost items may look like another format
    with folder_beside(place) as beside:
        for part, one in _make_parts(beside, hidden):
            rewrite(file, part / file.name, one.log(), **reading)
            if not _is_same(read(part / file.name, **as_it_was), one.transactions):
                raise GuaranteeError("the file was not written as it should be; nothing is shared")
            _write_changes(one, part / MARK / CHANGES)
            _write_facts(one, part, file)


def stream_hidden(
    source: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    sensitive: SensitiveLike | Mapping[str, SensitiveLike],
    **options: Any,  # noqa: ANN401 - those of hide_file
) -> dict[str, Hidden]:
    """Hide by ``hide_file`` for each recipient, and write a folder as ``write_hidden`` does."""
    place, file = Path(folder), Path(source)
    check_place(place, file)
    streamed: dict[str, Hidden] = {}
    with folder_beside(place) as beside:
        for part, one in _make_parts(beside, sensitive):
            done = hide_file(file, part / file.name, one, log=part / MARK / CHANGES, **options)
            _write_facts(done, part, file)
            moved = replace(done, place=place / part.relative_to(beside) / file.name)
            streamed[part.name if isinstance(sensitive, Mapping) else ""] = moved
    return streamed


def must_stream(source: str | os.PathLike[str]) -> bool:
    """Return whether a file takes more than half of the machine's memory."""
    path = Path(source)
    return path.is_file() and path.stat().st_size > resources.memory() // 2


def check_place(place: Path, source: Path) -> None:
    """Refuse a folder that cannot be written, holds anything else, or holds ``source``."""
    check_folder(place, "copy", _is_copy)
    if source.resolve().is_relative_to(place.resolve()):
        raise OutputError(f"{place} holds the file that is read; name a new folder for the copy")


def describe(hidden: Hidden, *, show_labels: bool) -> dict[str, Any]:
    """Return the facts about hidden rows, without row numbers, for the owner of the rows alone."""
    from discreet import __version__  # noqa: PLC0415 - defined after this module is loaded

    sensitive, disguise = hidden.sensitive, hidden.disguise
    supports = zip(*(counts.tolist() for counts in (hidden.before, hidden.at_most, hidden.after)), strict=True)
    lines = zip(sensitive.numbers, sensitive.itemsets, sensitive.disclosures, supports, strict=True)
    return {
        "hidden": 1,
        "discreet": __version__,
        "method": hidden.method,
        "reading": hidden.reading,
        "window": hidden.window,
        "gap": None if hidden.gap is None else hidden.gap._asdict(),
        "below": hidden.below,
        "inconspicuous": disguise and {"seed": disguise.seed, "min_support": disguise.min_support},
        "rows": hidden.n,
        "rows_touched": hidden.rows_touched,
        "items_removed": hidden.items_removed,
        "sensitive": [
            {
                "number": number,
                **({"items": [*map(_as_json_label, sort_labels(itemset))]} if show_labels else {}),
                "disclosure": None if hidden.below is not None else str(share),
                "before": before,
                "at_most": at_most,
                "after": after,
                **more,
            }
            for (number, itemset, share, (before, at_most, after)), more in zip(lines, _list_ranks(hidden), strict=True)
        ],
    }


def _list_ranks(hidden: Hidden) -> list[dict[str, Any]]:
    """Return for each sensitive itemset what was asked for, and its ranks by surprise; nothing without a disguise."""
    disguise = hidden.disguise
    if disguise is None:
        return [{} for _ in hidden.before]
    lines = zip(disguise.asked.tolist(), disguise.before, disguise.after, strict=True)
    return [
        {"asked": asked, "rank_before": before.rank, "rank": after.rank, "looked_at": after.looked_at}
        for asked, before, after in lines
    ]


def _make_parts(beside: Path, several: Value | Mapping[str, Value]) -> Iterator[tuple[Path, Value]]:
    """Yield a folder for each recipient, or the whole one, with a private folder in it."""
    for name, one in several.items() if isinstance(several, Mapping) else [("", several)]:
        part = beside / name
        part.mkdir(exist_ok=not name)
        (part / MARK).mkdir(OWN)
        yield part, one


def _write_changes(hidden: Hidden, path: Path) -> None:
    ids = hidden.rows.ids
    lines = ([row + 1, *([] if ids is None else [ids[row]]), *sort_labels(items)] for row, items in hidden.log())
    write_csv(path, ["row", *([] if ids is None else ["id"]), "items"], lines)


def _write_facts(hidden: Hidden, part: Path, source: Path) -> None:
    facts = describe(hidden, show_labels=True)
    sensitive = facts.pop("sensitive")
    places = {"input": source, "output": part / source.name}
    files = {word: {"file": path.name, "sha256": digest(path)} for word, path in places.items()}
    write_text(part / MARK / "hidden.json", [as_json({**facts, **files, "sensitive": sensitive})])
    write_text(part / MARK / "README.txt", [README])


def _is_same(found: Transactions, expected: Transactions) -> bool:
    """Return whether rows are the expected ones by the text of their labels; blank lines at the end may follow.

    A file of text reads as numbers if all items that are not numbers were removed.
    """
    n = expected.n
    if found.n < n or found.offsets[n] != found.offsets[-1]:
        return False
    found = found[:n]
    place = {str(label): number for number, label in enumerate(expected.labels)}
    codes = np.array([place.get(str(label), -1) for label in found.labels], dtype=np.int32)
    again = Transactions.from_codes(found.offsets.copy(), codes[found.items], expected.labels)
    return np.array_equal(again.offsets, expected.offsets) and np.array_equal(again.items, expected.items)


def _is_copy(place: Path) -> bool:
    """Return whether ``write_hidden`` wrote a folder, or all folders in it."""
    apart = place / MARK
    if apart.is_dir():
        files = [path for path in place.iterdir() if path.name != MARK]
        return len(files) <= 1 and {path.name for path in apart.iterdir()} == PRIVATE
    return all((path / MARK).is_dir() and not path.is_symlink() and _is_copy(path) for path in place.iterdir())


def _as_json_label(label: Label) -> Label:
    return label if isinstance(label, str | int) and not isinstance(label, bool) else str(label)
