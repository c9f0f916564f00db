"""Hide on Spark by counting alone.

Rows lose an itemset in the order of their conflict, then of their place (decision 22). Counting the rows that hold it
by conflict gives the last conflict that is touched, and of the rows that tie there the last id. With these two cut-offs
every row can be changed on its own, wherever it is.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple, Unpack

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark import StorageLevel
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sql
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from discreet import kernels
from discreet.data.itemsets import Items, Itemsets, Label, offsets_of
from discreet.data.thresholds import Share, Threshold, as_count
from discreet.errors import InputError, OptionError
from discreet.hiding import problem
from discreet.hiding.hide import METHODS, Hidden
from discreet.hiding.problem import Sensitive
from discreet.runtime.solver import Numbers
from discreet.spark.failures import CHANGED, in_one_sentence
from discreet.spark.frames import LABELS, SEAL, FrameOptions, count_items, read_batch, select_rows

RULES: Final = {name: method.rule for name, method in METHODS.items() if method.rule is not None}


class Cut(NamedTuple):
    """The last ``conflict`` whose rows lose an itemset, None for no row; if it ``is_cut``, the ``last`` id there."""

    conflict: int | None
    is_cut: bool
    last: Label


class HidingPlan(NamedTuple):
    """What to remove from which rows: enough to change a row on its own. Codes are places among ``labels``."""

    labels: tuple[Label, ...]
    supports: Numbers
    itemsets: Itemsets
    victims: Sequence[Items]
    most_first: bool
    keeps_one: bool
    cuts: tuple[Cut, ...] = ()


class Block(NamedTuple):
    """Rows of a batch: their codes, which of them hold each itemset, and how many itemsets each row holds."""

    rows: Itemsets
    holds: NDArray[np.bool_]
    conflict: Numbers
    batch: pa.RecordBatch


@in_one_sentence()
def hide(
    frame: DataFrame,
    sensitive: Sensitive | Iterable[Iterable[Label]],
    *,
    disclosure: Share | Sequence[Share] = 0,
    method: str = "iga",
    below: Threshold | None = None,
    **options: Unpack[FrameOptions],
) -> Hidden:
    """Hide the ``sensitive`` itemsets in the rows of ``frame`` as ``discreet.hide`` does.

    Rows stand in the order of their ids, which must be unique; that decides ties. The sensitive itemsets are counted
    anew in the result, a ``Hidden`` with a ``frame``. Executors keep its rows on disk, so that they are the ones that
    were counted; write them out before the session ends.
    """
    if method not in RULES:
        raise OptionError(f"method is {str(method)[:40]!r}; on Spark it must be one of {', '.join(RULES)}")
    rows = _add_keys(select_rows(frame, options))
    counts = count_items(rows)
    _check_ids(rows, counts.n)
    code = {label: number for number, label in enumerate(counts.labels)}
    least = None if below is None else as_count(below, counts.n)
    parsed = problem.parse_sensitive(sensitive, disclosure, code, least)
    itemsets, rule = problem.encode_sensitive(parsed, code, counts.supports), RULES[method]
    ranking = rule.most_conflict_first, rule.keeps_one
    plan = HidingPlan(counts.labels, counts.supports, itemsets, rule.pick(itemsets, counts.supports), *ranking)
    held, *_ = _count_conflicts(rows, plan, counts.seal)
    before = held.sum(axis=1)
    plan = plan._replace(cuts=_find_cuts(rows, plan, held, problem.count_to_lose(before, parsed, least).tolist()))
    schema = StructType(
        [*rows.drop("key").schema.fields, StructField("lost", IntegerType()), StructField("seal", LongType())]
    )
    changed = rows.mapInArrow(partial(change_partition, plan=plan), schema)
    changed = changed.localCheckpoint(storageLevel=StorageLevel.DISK_ONLY)
    held, touched, removed = _count_conflicts(changed, plan, counts.seal)
    after = held.sum(axis=1)
    problem.check_hidden(before, after, parsed, least)
    return Hidden(method, parsed, counts.n, before, after, touched, removed, least, frame=changed.drop("lost", "seal"))


def _add_keys(rows: DataFrame) -> DataFrame:
    """Return rows with the hashes of their ids; refuse ids that Spark and Arrow may order differently."""
    if "row" not in rows.columns:
        raise OptionError("rows need ids to be told apart where they tie; give row=, the name of their column")
    kind = rows.schema["row"].dataType
    if not isinstance(kind, LABELS):
        raise InputError(f"the row ids are of type {kind.simpleString()}; cast them to text or to whole numbers")
    return rows.withColumn("key", sql.xxhash64("row"))


def _check_ids(rows: DataFrame, n: int) -> None:
    """Refuse repeated ids."""
    different = rows.select("row").distinct().count()
    if different < n:
        raise InputError(f"there are {n:,} rows but {different:,} row ids; give each row an id of its own")


def _count_conflicts(rows: DataFrame, plan: HidingPlan, seal: int) -> tuple[Numbers, int, int]:
    """Return how many rows of each conflict (a column) hold each itemset (a line); rows touched and items removed.

    Refuse other rows than those with the sum ``seal``.
    """
    many = len(plan.itemsets)
    lines = rows.mapInArrow(partial(count_partition, plan=plan), "itemset int, conflict int, count long")
    # One task adds up all lines: those of several could be of different rows, if an executor dies meanwhile.
    table = lines.repartition(1).groupBy("itemset", "conflict").agg(sql.sum("count").alias("count")).toArrow()
    held = np.zeros((many + 3, many + 1), dtype=np.int64)
    held[table.column("itemset").to_numpy(), table.column("conflict").to_numpy()] = table.column("count").to_numpy()
    touched, removed, sealed = held[many:, 0].tolist()
    if sealed % SEAL != seal:
        raise InputError(CHANGED)
    return held[:many], touched, removed


def _find_cuts(rows: DataFrame, plan: HidingPlan, held: Numbers, to_lose: Sequence[int]) -> tuple[Cut, ...]:
    """Return up to which conflict, and which row of it, rows lose each itemset."""
    ranked = held[:, ::-1] if plan.most_first else held
    heaped = np.cumsum(ranked, axis=1)
    ranks = [int(np.searchsorted(line, many)) if many else -1 for line, many in zip(heaped, to_lose, strict=True)]
    conflict = [len(to_lose) - rank if plan.most_first and rank >= 0 else rank for rank in ranks]
    left = [
        many - int(line[rank] - own[rank]) if rank >= 0 and many < line[rank] else 0
        for line, own, rank, many in zip(heaped, ranked, ranks, to_lose, strict=True)
    ]
    last = _find_last_ids(rows, plan, conflict, left) if any(left) else {}
    return tuple(
        Cut(one, number in last, last.get(number)) if one >= 0 else Cut(None, is_cut=False, last=None)
        for number, one in enumerate(conflict)
    )


def _find_last_ids(rows: DataFrame, plan: HidingPlan, conflict: Sequence[int], left: Sequence[int]) -> dict[int, Label]:
    """Return the last id for each itemset that only some rows at the cut-off lose: as many as are ``left``."""
    wanted = {number: conflict[number] for number, many in enumerate(left) if many}
    row = f"row {rows.schema['row'].dataType.simpleString()}"
    pairs = rows.mapInArrow(partial(list_tied, plan=plan, wanted=wanted), f"itemset int, {row}")
    numbered = pairs.withColumn("place", sql.row_number().over(Window.partitionBy("itemset").orderBy("row")))
    quota = sql.element_at(sql.lit([0, *left]), sql.col("itemset") + 2)
    last = numbered.filter(sql.col("place") == quota).select("itemset", "row").collect()
    return {line["itemset"]: line["row"] for line in last}


def _read_blocks(batches: Iterator[pa.RecordBatch], plan: HidingPlan) -> Iterator[Block]:
    labels = pa.array(plan.labels)
    for batch in batches:
        if batch.num_rows:
            read = read_batch(batch)
            rows = Itemsets(read.offsets, read.encode(labels)).sort_items()
            holds = np.array([rows.contain(itemset) for itemset in plan.itemsets])
            yield Block(rows, holds, holds.sum(axis=0), batch)


def count_partition(batches: Iterator[pa.RecordBatch], plan: HidingPlan) -> Iterator[pa.RecordBatch]:
    """Yield how many rows of a partition, by conflict, hold each itemset; then rows touched, items removed, seals."""
    many = len(plan.itemsets)
    counts = np.zeros((many + 3, many + 1), dtype=np.int64)
    for block in _read_blocks(batches, plan):
        for number, holds in enumerate(block.holds):
            counts[number] += np.bincount(block.conflict[holds], minlength=many + 1)
        if "lost" in block.batch.schema.names:
            lost, seals = (block.batch.column(name).to_numpy() for name in ("lost", "seal"))
            counts[many:-1, 0] += np.count_nonzero(lost), lost.sum()
        else:
            seals = read_batch(block.batch).seal()
        counts[-1, 0] = (counts[-1, 0] + int(seals.sum())) % SEAL
    places = np.nonzero(counts)
    columns = [*(pa.array(place, type=pa.int32()) for place in places), pa.array(counts[places], type=pa.int64())]
    yield pa.RecordBatch.from_arrays(columns, names=["itemset", "conflict", "count"])


def list_tied(
    batches: Iterator[pa.RecordBatch], plan: HidingPlan, wanted: Mapping[int, int]
) -> Iterator[pa.RecordBatch]:
    """Yield the ids of the rows that hold an itemset and have the conflict ``wanted`` for it."""
    for block in _read_blocks(batches, plan):
        for number, conflict in wanted.items():
            rows = block.batch.column("row").filter(pa.array(block.holds[number] & (block.conflict == conflict)))
            numbers = pa.array(np.full(len(rows), number), type=pa.int32())
            yield pa.RecordBatch.from_arrays([numbers, rows], names=["itemset", "row"])


def change_partition(batches: Iterator[pa.RecordBatch], plan: HidingPlan) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a partition without the items they lose, how many each has ``lost``, and the seals before."""
    labels = pa.array(plan.labels)
    for block in _read_blocks(batches, plan):
        is_kept = _mark_losses(block, plan) == kernels.hiding.KEPT
        lengths = block.rows.add_up(is_kept.astype(np.int64))
        kind = block.batch.column("items").type
        items = labels.take(pa.array(block.rows.items[is_kept])).cast(kind.value_type)
        left = pa.ListArray.from_arrays(pa.array(offsets_of(lengths), type=pa.int32()), items).cast(kind)
        lost = pa.array(block.rows.lengths - lengths, type=pa.int32())
        seals = pa.array(read_batch(block.batch).seal(), type=pa.int64())
        columns = {"row": block.batch.column("row"), "items": left, "lost": lost, "seal": seals}
        yield pa.RecordBatch.from_pydict(columns)


def _mark_losses(block: Block, plan: HidingPlan) -> NDArray[np.uint8]:
    """Return a mark beside each item of each row: kept, removed, or removed for good if it is sensitive alone."""
    marks = np.full(block.rows.size, kernels.hiding.KEPT, dtype=np.uint8)
    row = block.rows.owners
    for itemset, victims, holds, cut in zip(plan.itemsets, plan.victims, block.holds, plan.cuts, strict=True):
        lost = (holds & _come_before(block, cut, most_first=plan.most_first))[row] & np.isin(block.rows.items, victims)
        sign = kernels.hiding.FINAL if itemset.size == 1 else kernels.hiding.REMOVED
        marks[lost] = np.maximum(marks[lost], sign)
    if plan.keeps_one:
        kernels.hiding.keep_one(*block.rows.flat, plan.supports, marks)
    return marks


def _come_before(block: Block, cut: Cut, *, most_first: bool) -> NDArray[np.bool_]:
    """Return for each row whether it comes before a cut, by its conflict and then by its id."""
    if cut.conflict is None:
        return np.zeros(block.conflict.size, dtype=np.bool_)
    before: NDArray[np.bool_] = block.conflict > cut.conflict if most_first else block.conflict < cut.conflict
    at: NDArray[np.bool_] = block.conflict == cut.conflict
    if cut.is_cut:
        ids = block.batch.column("row")
        at &= pc.less_equal(ids, pa.scalar(cut.last, type=ids.type)).to_numpy(zero_copy_only=False)
    return before | at
