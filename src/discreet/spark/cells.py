"""Cells by counting: how many rows meet each top in which of its items, partition by partition, added up."""

from collections.abc import Iterator
from functools import partial
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import functions as sql

from discreet import kernels
from discreet.data.itemsets import Itemsets, Weighted
from discreet.data.lattice import Cells, build_cells
from discreet.data.merged import Merged
from discreet.disclosure.channels import Channels, Exposed
from discreet.disclosure.detect import WORD, Group, group_tops
from discreet.disclosure.question import Question
from discreet.errors import InputError
from discreet.spark.merged import Spread
from discreet.spark.parts import Part, joined, read

ALL: Final = 2**62
"""More rows than there are: a partition cannot tell which cells will stay small."""


class Tops(NamedTuple):
    """Maximal itemsets in the codes of the rows (CSR), and groups of those that are counted together."""

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    groups: list[Group]
    many: int


def channels_in(question: Question, spread: Spread) -> Channels:
    """Return the channels of patterns, from the rows; refuse rows that they were not mined from."""
    patterns, (offsets, items) = question.patterns, question.tops
    code = {label: number for number, label in enumerate(spread.labels)}
    codes = np.array([code.get(label, len(code)) for label in patterns.labels], dtype=np.int32)
    unknown = np.count_nonzero(codes[items] == len(code))
    if spread.n != patterns.n or unknown:
        raise InputError(
            f"the patterns speak of {patterns.n:,} rows, but there are {spread.n:,}, in which {unknown:,} of their "
            "entries are rare; give the rows that they were mined from"
        )
    groups = [Group(group.tops, codes[group.items]) for group in group_tops(question)]
    found = counted(spread, Tops(offsets, codes[items], groups, len(code) + 1), question.limit)
    whole = np.diff(found.offsets) == np.diff(offsets)[found.tops]
    check(question, found.tops[whole], found.counts[whole])
    back = np.full(len(code) + 1, -1, dtype=np.int32)
    back[codes] = np.arange(codes.size, dtype=np.int32)
    small = np.flatnonzero(found.counts < question.limit)
    bases = found.bases.take(small)
    cells = Cells(found.tops[small], Itemsets(bases.offsets, back[bases.items]), found.counts[small])
    return Channels.from_cells(cells, offsets, items, patterns.labels, n=patterns.n, k=question.limit)


def check(question: Question, tops: NDArray[np.int32], counts: NDArray[np.int64]) -> None:
    """Refuse rows in which a top has another support than in the patterns."""
    patterns = question.patterns
    published = patterns.supports if patterns.kind == "maximal" else question.known.supports[question.known.tops]
    held = np.zeros_like(published)
    held[tops] = counts
    wrong = np.count_nonzero(held != published)
    if wrong:
        raise InputError(
            f"{wrong:,} of {held.size:,} maximal itemsets have another support in the rows than in the patterns; give "
            "the rows that they were mined from"
        )


def counted(spread: Spread, tops: Tops, limit: int) -> Cells:
    """Return the cells below ``limit``, and for each top the one of the rows that hold all of it."""
    lines = spread.frame.mapInArrow(partial(cells_of, tops=tops), "top int, base binary, is_top boolean, count long")
    summed = lines.groupBy("top", "base", "is_top").agg(sql.sum("count").alias("count"))
    table = summed.filter((sql.col("count") < limit) | sql.col("is_top")).toArrow()
    bases = [np.frombuffer(base.as_py(), dtype=np.int32) for base in table.column("base")]
    return Cells(
        table.column("top").to_numpy().astype(np.int32),
        Itemsets.of(bases),
        table.column("count").to_numpy().astype(np.int64),
    )


def cells_of(batches: Iterator[pa.RecordBatch], tops: Tops) -> Iterator[pa.RecordBatch]:
    """Yield all cells of the rows of a partition, a batch at a time."""
    lengths = np.diff(tops.offsets)
    long = np.flatnonzero(lengths > WORD).tolist()
    for batch in batches:
        part = joined(read(batch))
        if not part.weights.size:
            continue
        found = Cells.concat(
            [*(descended(part, tops, group) for group in tops.groups), *(projected(part, tops, top) for top in long)]
        )
        bases = [items.tobytes() for items in np.split(found.items, found.offsets[1:-1])] if found.tops.size else []
        yield pa.RecordBatch.from_pydict(
            {
                "top": pa.array(found.tops, type=pa.int32()),
                "base": pa.array(bases, type=pa.binary()),
                "is_top": pa.array(np.diff(found.offsets) == lengths[found.tops], type=pa.bool_()),
                "count": pa.array(found.counts, type=pa.int64()),
            }
        )


def descended(part: Part, tops: Tops, group: Group) -> Cells:
    """Return the cells of a group of tops."""
    offsets, items = Itemsets(tops.offsets, tops.items).take(group.tops).flat
    place = np.full(tops.many, -1, dtype=np.int64)
    place[group.items] = np.arange(group.items.size)
    maps = kernels.cells.map_itemsets(part.offsets, part.items, place)
    wanted = kernels.cells.map_itemsets(offsets, items, place)
    found, bases, counts = kernels.cells.cells_of(maps, part.weights, wanted, ALL)
    return build_cells(bases[:, None], group.tops[found].astype(np.int32), counts, tops.offsets, tops.items, place)


def projected(part: Part, tops: Tops, top: int) -> Cells:
    """Return the cells of a top that has more items than a word has bits: the rows cut to it, equal ones merged."""
    code = np.full(tops.many, -1, dtype=np.int32)
    items = tops.items[tops.offsets[top] : tops.offsets[top + 1]]
    code[items] = items
    offsets, bases, counts, _ = kernels.merge_rows.merge(*part, code)
    return Cells(np.full(counts.size, top, dtype=np.int32), Itemsets(offsets, bases), counts)


def exposed_in(spread: Spread, channels: Channels) -> Exposed:
    """Return how many rows the channels single out: those that as many do, with the same smallest count, together."""
    run = partial(exposures, channels=channels, spread=(spread.labels, spread.min_support))
    lines = spread.frame.mapInArrow(run, "channels long, smallest long, weight long")
    summed = lines.groupBy("channels", "smallest").agg(sql.sum("weight").alias("weight"))
    table = summed.orderBy("smallest", "channels").toArrow()
    times, smallest, weights = (
        table.column(name).to_numpy().astype(np.int64) for name in ("channels", "smallest", "weight")
    )
    return Exposed(np.arange(weights.size), times, smallest, weights)


def exposures(
    batches: Iterator[pa.RecordBatch], channels: Channels, spread: tuple[tuple[object, ...], int]
) -> Iterator[pa.RecordBatch]:
    """Yield how many channels single out each exposed row of a partition, the smallest count, and its weight."""
    labels, least = spread
    for batch in batches:
        part = joined(read(batch))
        found = channels.rows(Merged(Weighted(*part), labels, int(part.weights.sum()), least))
        yield pa.RecordBatch.from_pydict(
            {"channels": found.channels, "smallest": found.smallest, "weight": found.weights},
            schema=pa.schema([(name, pa.int64()) for name in ("channels", "smallest", "weight")]),
        )
