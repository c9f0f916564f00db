"""Conflicts: what each partition counts, and changes, where itemsets are to be hidden."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from discreet import kernels
from discreet.data.labels import Label
from discreet.spark.frames import arrays, codes


class Cut(NamedTuple):
    """Rows up to which ``conflict`` lose an itemset, None for no row; and if it ``is_cut``, up to the id ``last``."""

    conflict: int | None
    is_cut: bool
    last: Label


class Plan(NamedTuple):
    """What is removed of each itemset, and where: all that it takes to change a row by itself.

    Itemsets and victims are codes, places among ``labels``. Rows of the most conflict come first, or of the least. With
    ``keeps_one`` no row loses all of its items.
    """

    labels: tuple[Label, ...]
    supports: NDArray[np.int64]
    itemsets: tuple[NDArray[np.int32], ...]
    victims: tuple[NDArray[np.int32], ...]
    most_first: bool
    keeps_one: bool
    cuts: tuple[Cut, ...] = ()


class Block(NamedTuple):
    """Rows of a batch: codes (CSR), which rows hold each itemset, how many of these each row holds, and the batch."""

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    holds: NDArray[np.bool_]
    conflict: NDArray[np.int64]
    batch: pa.RecordBatch


def blocks(batches: Iterator[pa.RecordBatch], plan: Plan) -> Iterator[Block]:
    """Yield the rows of a partition, batch by batch."""
    labels = pa.array(plan.labels)
    for batch in batches:
        if not batch.num_rows:
            continue
        rows = arrays(batch)
        items = codes(rows, labels)
        items = items[: kernels.itemsets.sort_rows(rows.offsets, items)]
        holds = np.zeros((len(plan.itemsets), batch.num_rows), dtype=np.bool_)
        for itemset, found in zip(plan.itemsets, holds, strict=True):
            kernels.itemsets.contain(rows.offsets, items, itemset, found)
        yield Block(rows.offsets, items, holds, holds.sum(axis=0), batch)


def conflicts(batches: Iterator[pa.RecordBatch], plan: Plan) -> Iterator[pa.RecordBatch]:
    """Yield how many rows of a partition, by their conflict, hold each itemset."""
    many = len(plan.itemsets)
    counts = np.zeros((many, many + 1), dtype=np.int64)
    for block in blocks(batches, plan):
        for number, holds in enumerate(block.holds):
            counts[number] += np.bincount(block.conflict[holds], minlength=many + 1)
    itemset, conflict = np.nonzero(counts)
    yield pa.RecordBatch.from_pydict(
        {
            "itemset": pa.array(itemset, type=pa.int32()),
            "conflict": pa.array(conflict, type=pa.int32()),
            "count": pa.array(counts[itemset, conflict], type=pa.int64()),
        }
    )


def tied(batches: Iterator[pa.RecordBatch], plan: Plan, wanted: Mapping[int, int]) -> Iterator[pa.RecordBatch]:
    """Yield the ids of the rows that hold an itemset and have the conflict that is ``wanted`` for it."""
    for block in blocks(batches, plan):
        for number, conflict in wanted.items():
            rows = block.batch.column("row").filter(pa.array(block.holds[number] & (block.conflict == conflict)))
            numbers = pa.array(np.full(len(rows), number), type=pa.int32())
            yield pa.RecordBatch.from_arrays([numbers, rows], names=["itemset", "row"])


def changed(batches: Iterator[pa.RecordBatch], plan: Plan) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a partition without what they lose."""
    labels = pa.array(plan.labels)
    for block in blocks(batches, plan):
        kept = marked(block, plan) == kernels.hiding.KEPT
        heaped = np.concatenate([[0], np.cumsum(kept)])
        column = block.batch.column("items")
        items = labels.take(pa.array(block.items[kept])).cast(column.type.value_type)
        offsets = pa.array(heaped[block.offsets], type=pa.int32())
        left = pa.ListArray.from_arrays(offsets, items).cast(column.type)
        yield pa.RecordBatch.from_arrays([block.batch.column("row"), left], names=["row", "items"])


def marked(block: Block, plan: Plan) -> NDArray[np.uint8]:
    """Return a mark beside each item of each row that says whether it is removed.

    The item of an itemset that has no other goes for good: a row does not keep it as its one item.
    """
    marks = np.full(block.items.size, kernels.hiding.KEPT, dtype=np.uint8)
    row = np.repeat(np.arange(block.conflict.size), np.diff(block.offsets))
    for itemset, victims, holds, cut in zip(plan.itemsets, plan.victims, block.holds, plan.cuts, strict=True):
        lost = (holds & loses(block, cut, most_first=plan.most_first))[row] & np.isin(block.items, victims)
        sign = kernels.hiding.FINAL if itemset.size == 1 else kernels.hiding.REMOVED
        marks[lost] = np.maximum(marks[lost], sign)
    if plan.keeps_one:
        kernels.hiding.keep_one(block.offsets, block.items, plan.supports, marks)
    return marks


def loses(block: Block, cut: Cut, *, most_first: bool) -> NDArray[np.bool_]:
    """Return for each row whether it comes before a cut, by its conflict and then by its id."""
    if cut.conflict is None:
        return np.zeros(block.conflict.size, dtype=np.bool_)
    before = block.conflict > cut.conflict if most_first else block.conflict < cut.conflict
    at: NDArray[np.bool_] = block.conflict == cut.conflict
    if cut.is_cut:
        ids = block.batch.column("row")
        at = at & pc.less_equal(ids, pa.scalar(cut.last, type=ids.type)).to_numpy(zero_copy_only=False)
    found: NDArray[np.bool_] = before | at
    return found
