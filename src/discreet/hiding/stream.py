"""Hide in one scan: a file that may be larger than memory, window by window, written again without what must go."""

import numbers
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.data.labels import Label
from discreet.data.patterns import Patterns
from discreet.data.transactions import Transactions, check_lengths
from discreet.errors import BudgetError, GuaranteeError, InputError, OptionError, ThresholdError
from discreet.hiding.guarantee import counted
from discreet.hiding.problem import Changes, changes_of
from discreet.hiding.sensitive import Sensitive, Share, as_sensitive
from discreet.hiding.swa import Demand, Windows, as_window, choose
from discreet.io.files import CHUNK, COMPRESSIONS, PRIVATE, Place, beside, naming, save, stream
from discreet.io.formats.csv import line
from discreet.io.formats.sensitive import Named
from discreet.io.index.index import InvertedFile
from discreet.io.label_codes import blocks
from discreet.io.line_files import Lines, Removed, Text, changed, in_batches
from discreet.io.registry import reading
from discreet.io.rewrite import same_format
from discreet.runtime.progress import Progress, watching
from discreet.runtime.resources import as_memory
from discreet.runtime.text import abbreviate

WINDOW: Final = 10_000
COPIES: Final = 4
"""How often the bytes of a window are in memory: as read, put together, changed, and on their way to the file."""
ROW: Final = 64
"""Bytes that a row takes beside its own: where it starts and stops, how long it is, what it holds."""


class Streamed(NamedTuple):
    """What it took to hide in one scan; ``before`` and ``after`` say how many rows hold each sensitive itemset."""

    rows: int
    rows_touched: int
    items_removed: int
    window: int
    before: NDArray[np.int64]
    after: NDArray[np.int64]
    sensitive: Sensitive
    below: int | None


def hide_file(  # noqa: PLR0913 - all but three by their names, and each a choice of its own
    source: Place,
    target: str | os.PathLike[str],
    sensitive: Sensitive | Named | Patterns | Iterable[Iterable[Label]],
    *,
    disclosure: Share | Sequence[Share] = 0,
    below: int | None = None,
    window: int | None = None,
    memory: int | None = None,
    format: str | None = None,  # noqa: A002 - as in read
    separator: str | None = None,
    log: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Streamed:
    r"""Write a file again in which the ``sensitive`` itemsets are hidden, in one scan that never holds all of it.

    It is for rows that do not fit in memory: of FIMI, SPMF and baskets in CSV, packed or not. What is written is, byte
    for byte, what ``hide`` with the method "swa" and the same ``window`` would lead ``rewrite`` to. A window has 10,000
    rows, or as many as fit in so many bytes of ``memory``, going by how long the first rows are.

    Items are told by what they look like in the file: 7 and "7" are the same. ``below`` must be a count, since nobody
    knows how many rows are to come. The rows that were changed, from 1 on, and what they lost are written to ``log``,
    a CSV file for the owner of the rows alone. ``progress`` is told what share
    of the file is read, 0 where that is not known, and how many rows are done.

    The sensitive itemsets are counted anew in what is written; only if all is well is it moved into place.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     source, target = Path(folder, "rows.dat"), Path(folder, "hidden.dat")
    ...     _ = source.write_bytes(b"1 2 3\n3 2\n1 2\n")
    ...     streamed = hide_file(source, target, [[1, 2]])
    ...     target.read_bytes(), streamed.rows_touched, streamed.after.tolist()
    (b'2 3\n3 2\n2\n', 2, [0])
    """
    form = same_format(source, target, format)
    if not form.lines or not isinstance(target, str | os.PathLike) or target == "-":
        raise OptionError("one scan goes from a file with a line a row to another one; for others use hide and rewrite")
    given = {} if separator is None else {"separator": separator}
    asked = reading(form, format, given)
    order = _order(sensitive, disclosure, below)
    limits = (None if window is None else as_window(window), None if memory is None else as_memory(memory))
    with naming(source), watching(progress, what="hiding", unit="rows") as tell:
        if isinstance(source, str | os.PathLike) and source != "-":
            next(form.module.pieces(**asked).read(stream(source)), None)  # refuses a table that is no baskets
        run = _Run(form.module.lines(order.wanted, **given), order, tell, _size(source))
        with nullcontext() if log is None else beside(_apart(log, source, target), PRIVATE) as run.log:
            save(target, run.hidden(run.reading(stream(source)), *limits), sources=[source])
    told = (order.sensitive, order.below)
    return Streamed(run.rows, run.touched, run.removed, run.window, run.before, run.after, *told)


class _Order(NamedTuple):
    """What shall be hidden: the texts of all items that are looked for, and the itemsets by their places there."""

    wanted: list[str]
    sensitive: Sensitive
    itemsets: list[NDArray[np.int32]]
    below: int | None

    def check_there(self, seen: NDArray[np.bool_]) -> None:
        """Refuse items that no row has."""
        for number, itemset in zip(self.sensitive.numbers, self.itemsets, strict=True):
            if not seen[itemset].all():
                raise InputError(
                    f"sensitive itemset {number} has {np.count_nonzero(~seen[itemset])} of {itemset.size} items that "
                    "no row has; check how they are written, or leave it out"
                )

    def check_hidden(self, before: NDArray[np.int64], after: NDArray[np.int64]) -> None:
        """Refuse itemsets that more rows hold than may."""
        shares = self.sensitive.disclosures
        for held, left, share in zip(before.tolist(), after.tolist(), shares, strict=True):
            if left > (share * held if self.below is None else self.below - 1):
                raise GuaranteeError(
                    "a sensitive itemset is not hidden; nothing is shared: please report this as a bug"
                )


@dataclass
class _Run:
    """One scan: how the file is read, what shall be hidden, and what has come about so far."""

    text: Text
    order: _Order
    progress: Progress
    size: int | None
    read: int = 0
    log: BinaryIO | None = None
    rows: int = 0
    touched: int = 0
    removed: int = 0
    window: int = 0

    def __post_init__(self) -> None:
        many = len(self.order.itemsets)
        self.before, self.after = np.zeros(many, dtype=np.int64), np.zeros(many, dtype=np.int64)
        self.seen = np.zeros(len(self.order.wanted), dtype=np.bool_)

    def reading(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the same bytes, and count them."""
        for chunk in chunks:
            self.read += len(chunk)
            yield chunk

    def hidden(self, chunks: Iterable[bytes], window: int | None, memory: int | None) -> Iterator[bytes]:
        """Yield the file without what must go; an error at the end still keeps it from being moved into place."""
        parts = self.text.scan(chunks)
        ahead = list(_up_to_rows(parts))
        if ahead:
            self.window, together = _sizes(ahead[-1], window, memory)
            demand = Demand(self.order.itemsets, self.order.sensitive.disclosures, self.order.below, self.window)
            many = self.window * min(together, demand.together)
            self._tell([["row", "items"]])
            for batch in in_batches(_checked(chain(ahead, parts)), many):
                self._check_room(batch, memory)
                yield self._without(batch, demand)
                self.progress(self.read / self.size if self.size else 0.0, self.rows)
        self.order.check_there(self.seen)
        self.order.check_hidden(self.before, self.after)

    def _without(self, batch: Lines, demand: Demand) -> bytes:
        """Return the bytes of some windows without what must go, and count what they hold before and after."""
        rows = Transactions.from_codes(batch.offsets, batch.items, self.order.wanted)
        holders = InvertedFile(rows).rows_of_each(demand.itemsets)
        pairs = choose(Windows(batch.lengths, rows.offsets, rows.items, holders), demand, self.before)
        changes = changes_of(*pairs)
        data = batch.data
        same = np.ones(batch.n, dtype=np.bool_)
        if changes.rows.size:
            removed = Removed(np.repeat(changes.rows, np.diff(changes.offsets)), changes.items)
            data, touched, after = changed(batch, removed, self.text)
            same[touched] = False
            self.after += counted(
                Transactions.from_codes(after.offsets, after.items, self.order.wanted), demand.itemsets
            )
        self.after += [np.count_nonzero(same[held]) for held in holders]
        self.before += [held.size for held in holders]
        self.seen[rows.items] = True
        self._tell(self._lines(changes))
        self.rows += batch.n
        self.touched += changes.rows.size
        self.removed += changes.items.size
        return data

    def _lines(self, changes: Changes) -> Iterator[list[str]]:
        """Yield the rows that lost items, counted from 1 on, and what they lost."""
        lost = [self.order.wanted[item] for item in changes.items.tolist()]
        for row, (start, stop) in zip(changes.rows.tolist(), pairwise(changes.offsets.tolist()), strict=True):
            yield [str(self.rows + row + 1), *lost[start:stop]]

    def _tell(self, lines: Iterable[list[str]]) -> None:
        """Write lines to the log, if there is one."""
        if self.log is not None:
            self.log.writelines(blocks(map(line, lines)))

    def _check_room(self, batch: Lines, memory: int | None) -> None:
        """Refuse a window that takes twice the memory that it should, after rows that were shorter."""
        takes = COPIES * (len(batch.data) + ROW * batch.n)
        if memory is not None and takes > 2 * max(memory, COPIES * CHUNK):
            raise BudgetError(
                f"rows from {self.rows + 1} on are so much longer than the first ones that {self.window:,} of them do "
                "not fit in the memory that was allowed; give fewer rows as window"
            )


def _order(
    sensitive: Sensitive | Named | Patterns | Iterable[Iterable[Label]],
    disclosure: Share | Sequence[Share],
    below: int | None,
) -> _Order:
    """Return what shall be hidden, its items by what they look like in a file."""
    texts = {name.text for itemset in sensitive.itemsets for name in itemset} if isinstance(sensitive, Named) else ()
    told = as_sensitive(sensitive, disclosure, {text: code for code, text in enumerate(sorted(texts))})
    if below is not None:
        if isinstance(below, bool) or not isinstance(below, numbers.Integral) or below < 1:
            raise ThresholdError(
                f"below is {abbreviate(below)!r}; in one scan the number of rows is not known: give a count from 1 on"
            )
        if any(told.disclosures):
            raise OptionError("both below and a disclosure are given; leave one of them out")
    wanted = sorted({str(label) for itemset in told.itemsets for label in itemset}, key=lambda text: (len(text), text))
    place = {text: code for code, text in enumerate(wanted)}
    itemsets = [np.array(sorted({place[str(label)] for label in itemset}), np.int32) for itemset in told.itemsets]
    return _Order(wanted, told, itemsets, None if below is None else int(below))


def _size(source: Place) -> int | None:
    """Return how many bytes a file has, if it is one and not packed."""
    if not isinstance(source, str | os.PathLike) or not (path := Path(source)).is_file():
        return None
    return None if path.suffix.lower() in COMPRESSIONS else path.stat().st_size


def _sizes(first: Lines, window: int | None, memory: int | None) -> tuple[int, int]:
    """Return how many rows a window has, and how many small windows are looked at together."""
    width = int((first.stops - first.starts).sum()) // max(1, first.n) + 1
    if window is None:
        window = WINDOW if memory is None else max(1, memory // (COPIES * (width + ROW)))
    return window, max(1, CHUNK // (width * window))


def _up_to_rows(parts: Iterator[Lines]) -> Iterator[Lines]:
    """Yield the first lines, until there are rows in them: names of items may come before."""
    for part in parts:
        yield part
        if part.n:
            return


def _checked(parts: Iterable[Lines]) -> Iterator[Lines]:
    """Yield the same lines; refuse rows that are too long, as reading all of them would."""
    first = 0
    for part in parts:
        check_lengths(part.lengths, before=first)
        yield part
        first += part.n


def _apart(log: str | os.PathLike[str], *others: Place) -> Path:
    """Return where the log goes, if that is no other of the files."""
    path = Path(log)
    for other in others:
        if isinstance(other, str | os.PathLike) and path.resolve() == Path(other).resolve():
            raise OptionError("the log would be written over the rows; give another file for it")
    return path
