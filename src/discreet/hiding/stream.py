"""Hide in one scan: a file that may be larger than memory is rewritten, window by window, without the removed items."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import chain
from numbers import Integral
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import numpy as np

from discreet.data.itemsets import Itemsets
from discreet.data.thresholds import Share
from discreet.data.transactions import Transactions, check_lengths
from discreet.errors import BudgetError, OptionError, ThresholdError
from discreet.hiding import problem
from discreet.hiding.hide import Hidden
from discreet.hiding.problem import Sensitive, SensitiveLike
from discreet.hiding.victims import Demand, Windows, as_window, choose_in_windows
from discreet.io.compression import CHUNK, COMPRESSIONS
from discreet.io.files import PRIVATE, Bytes, Place, beside, naming, save
from discreet.io.formats.sensitive import NamedItemsets
from discreet.io.inverted import InvertedFile
from discreet.io.line_files import LineFormat, LineRows, RemovedItems, batch_lines, remove_items
from discreet.io.notation import as_record, encode_lines
from discreet.io.options import RowOptions
from discreet.io.rewrite import find_rewrite_source, restore
from discreet.io.sources import row_functions
from discreet.runtime.resources import Progress, as_memory, watching
from discreet.runtime.text import abbreviate

WINDOW: Final = 10_000
COPIES: Final = 4  # of a window's bytes in memory: as read, put together, changed, and on their way to the file
ROW: Final = 64  # bytes that a row takes beside its own


def hide_file(  # noqa: PLR0913 - all but three by name, and each a choice of its own
    source: Place,
    target: str | os.PathLike[str],
    sensitive: SensitiveLike,
    *,
    disclosure: Share | Sequence[Share] = 0,
    below: int | None = None,
    window: int | None = None,
    memory: int | None = None,
    format: str | None = None,  # noqa: A002 - as in read
    separator: str | None = None,
    log: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Hidden:
    r"""Rewrite a file with the ``sensitive`` itemsets hidden, in one scan that never holds all of it.

    Use it for rows that do not fit in memory: FIMI, SPMF or baskets in CSV, packed or not. The ``target`` has the bytes
    that ``hide`` with the method "swa" and ``rewrite`` would give. A window has 10,000 rows, or as many as fit in
    ``memory`` bytes, judging by the first rows. The sensitive itemsets are counted anew in the output, which is moved
    into place only if they are hidden.

    Items are compared as text: 7 and "7" are the same. ``below`` must be a count, since the number of rows is not yet
    known. The CSV file ``log`` lists the changed rows, counted from 1, and the items they lost: keep it private.
    ``progress`` is called with the share of the file that is read, 0 if its size is not known, and the rows done.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     source, target = Path(folder, "rows.dat"), Path(folder, "hidden.dat")
    ...     _ = source.write_bytes(b"1 2 3\n3 2\n1 2\n")
    ...     hidden = hide_file(source, target, [[1, 2]])
    ...     target.read_bytes(), hidden.rows_touched, hidden.after.tolist()
    (b'2 3\n3 2\n2\n', 2, [0])
    """
    found, chunks = find_rewrite_source(source, target, format, RowOptions(separator=separator))
    functions = row_functions(found.form)
    is_file = isinstance(target, str | os.PathLike) and target != "-"
    if not functions.lines or not found.has_blank_rows or not is_file:
        raise OptionError("one scan goes from a file with a line a row to another one; for others use hide and rewrite")
    request = _parse_request(sensitive, disclosure, below)
    limits = (None if window is None else as_window(window), None if memory is None else as_memory(memory))
    with naming(source), watching(progress, what="hiding", unit="rows") as tell:
        run = _Scan(functions.lines(request.texts, found.options), request, tell, _size(source))
        with nullcontext() if log is None else beside(_check_log(log, source, target), PRIVATE) as run.log:
            save(target, restore(found, run.hide(run.count_bytes(found.clean(chunks)), *limits)), sources=[source])
    sizes = (run.rows, run.before, run.after, run.touched, run.removed)
    return Hidden("swa", request.sensitive, *sizes, request.below, window=run.window, place=Path(target))


class _Request(NamedTuple):
    """What to hide: the texts of all sensitive items, and the itemsets by places among them."""

    texts: list[str]
    sensitive: Sensitive
    itemsets: Itemsets
    below: int | None


@dataclass
class _Scan:
    """One scan: how the file is read, what to hide, and the counts so far."""

    text: LineFormat
    request: _Request
    progress: Progress
    size: int | None
    read: int = 0
    log: BinaryIO | None = None
    rows: int = 0
    touched: int = 0
    removed: int = 0
    window: int = 0

    def __post_init__(self) -> None:
        many = len(self.request.itemsets)
        self.before, self.after = np.zeros(many, dtype=np.int64), np.zeros(many, dtype=np.int64)
        self.seen = np.zeros(len(self.request.texts), dtype=np.bool_)

    def count_bytes(self, chunks: Iterable[Bytes]) -> Iterator[bytes]:
        """Yield the same bytes, and count them."""
        for chunk in chunks:
            self.read += len(chunk)
            yield bytes(chunk)

    def hide(self, chunks: Iterable[bytes], window: int | None, memory: int | None) -> Iterator[bytes]:
        """Yield the file without the removed items; an error at the end keeps it from being moved into place."""
        texts, sensitive, itemsets, below = self.request
        parts, ahead = self.text.scan(chunks), []
        for part in parts:  # item names may come before the rows
            ahead.append(part)
            if part.n:
                break
        if ahead:
            self.window, together = _choose_sizes(ahead[-1], window, memory)
            demand = Demand(itemsets, sensitive.disclosures, below, self.window)
            many = self.window * min(together, demand.together)
            self._write_log([["row", "items"]])
            for batch in batch_lines(_check_rows(chain(ahead, parts)), many):
                self._check_memory(batch, memory)
                yield self._edit(batch, demand, texts)
                self.progress(self.read / self.size if self.size else 0.0, self.rows)
        for number, itemset in zip(sensitive.numbers, itemsets, strict=True):
            problem.refuse_unknown(number, int(np.count_nonzero(~self.seen[itemset])), itemset.size)
        problem.check_hidden(self.before, self.after, sensitive, below)

    def _edit(self, batch: LineRows, demand: Demand, texts: list[str]) -> bytes:
        """Return the bytes of some windows without the removed items, and count supports before and after."""
        rows = Transactions.from_codes(*batch.held.flat, texts)
        holders = InvertedFile(rows).rows_of_each(demand.itemsets)
        windows = Windows(batch.lengths, rows.itemsets, holders)
        removals = problem.list_removals(choose_in_windows(windows, demand, self.before))
        data, same = batch.data, np.ones(batch.n, dtype=np.bool_)
        if removals.size:
            data, touched, after = remove_items(
                batch, RemovedItems(removals.rows[removals.owners], removals.items), self.text
            )
            same[touched] = False
            self.after += problem.count_supports(Transactions.from_codes(*after.held.flat, texts), demand.itemsets)
        self.after += [np.count_nonzero(same[held]) for held in holders]
        self.before += [held.size for held in holders]
        self.seen[rows.items] = True
        pairs = zip(removals.rows.tolist(), removals, strict=True)
        self._write_log([str(self.rows + row + 1), *(texts[item] for item in items)] for row, items in pairs)
        self.rows += batch.n
        self.touched += removals.rows.size
        self.removed += removals.size
        return data

    def _write_log(self, lines: Iterable[list[str]]) -> None:
        if self.log is not None:
            self.log.writelines(encode_lines(map(as_record, lines)))

    def _check_memory(self, batch: LineRows, memory: int | None) -> None:
        """Refuse a window that takes twice its memory because later rows are longer."""
        takes = COPIES * (len(batch.data) + ROW * batch.n)
        if memory is not None and takes > 2 * max(memory, COPIES * CHUNK):
            longer = f"rows from {self.rows + 1} on are so much longer than the first ones"
            room = f"{self.window:,} of them do not fit in the memory that was allowed"
            raise BudgetError(f"{longer} that {room}; give fewer rows as window")


def _parse_request(sensitive: SensitiveLike, disclosure: Share | Sequence[Share], below: int | None) -> _Request:
    """Return the itemsets to hide, by the text of their items."""
    listed = sensitive.itemsets if isinstance(sensitive, NamedItemsets) else ()
    names = sorted({name.text for itemset in listed for name in itemset})
    if below is not None and (isinstance(below, bool) or not isinstance(below, Integral) or below < 1):
        wrong = f"below is {abbreviate(below)!r}; in one scan the number of rows is not known"
        raise ThresholdError(f"{wrong}: give a count from 1 on")
    parsed = problem.parse_sensitive(sensitive, disclosure, {text: code for code, text in enumerate(names)}, below)
    texts = sorted({str(label) for itemset in parsed.itemsets for label in itemset}, key=lambda text: (len(text), text))
    place = {text: code for code, text in enumerate(texts)}
    itemsets = Itemsets.of([sorted({place[str(label)] for label in itemset}) for itemset in parsed.itemsets])
    return _Request(texts, parsed, itemsets, None if below is None else int(below))


def _size(source: Place) -> int | None:
    """Return the size of a file, unless it is packed or no file."""
    if not isinstance(source, str | os.PathLike) or not (path := Path(source)).is_file():
        return None
    return None if path.suffix.lower() in COMPRESSIONS else path.stat().st_size


def _choose_sizes(first: LineRows, window: int | None, memory: int | None) -> tuple[int, int]:
    """Return how many rows a window has, and how many small windows are processed together."""
    width = int((first.stops - first.starts).sum()) // max(1, first.n) + 1
    if window is None:
        window = WINDOW if memory is None else max(1, memory // (COPIES * (width + ROW)))
    return window, max(1, CHUNK // (width * window))


def _check_rows(parts: Iterable[LineRows]) -> Iterator[LineRows]:
    """Yield the same lines; refuse rows that are too long."""
    first = 0
    for part in parts:
        check_lengths(part.lengths, before=first)
        yield part
        first += part.n


def _check_log(log: str | os.PathLike[str], *others: Place) -> Path:
    """Return the path of the log; refuse one of the other files."""
    path = Path(log)
    for other in others:
        if isinstance(other, str | os.PathLike) and path.resolve() == Path(other).resolve():
            raise OptionError("the log would be written over the rows; give another file for it")
    return path
