"""Generate on Spark: market baskets of the Quest generator, the same rows on any number of partitions."""

from collections.abc import Iterator
from functools import partial
from typing import Final, Unpack

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from discreet.data.generate import BasketOptions, Baskets, Source, check_whole, draw_rows, draw_source, make_generator

BLOCK: Final = 1 << 14
"""Rows that are drawn from one seed. Another number gives other rows."""


def quest(
    session: SparkSession, n: int, *, seed: int = 0, partitions: int | None = None, **options: Unpack[BasketOptions]
) -> DataFrame:
    """Return ``n`` market baskets: a ``row`` id from 0 on, and ``items``.

    They are drawn as by ``discreet.generate.quest``, with its ``options`` and from the same potentially large itemsets
    for the same seed, but in blocks of 16,384 rows. Block b has random numbers of its own, from the seed and b; so what
    is in it hangs neither on how many blocks there are nor on who draws it.
    """
    count, baskets = check_whole("n", n), Baskets.of(**options)
    source = draw_source(make_generator(seed), baskets)
    many = -(-count // BLOCK)
    parts = partitions or max(1, min(many, 4 * session.sparkContext.defaultParallelism))
    blocks = session.range(0, many, 1, check_whole("partitions", parts, least=1))
    run = partial(drawn, source=source, seed=seed, length=baskets.length, count=count)
    return blocks.mapInArrow(run, "row long, items array<int>")


def drawn(
    batches: Iterator[pa.RecordBatch], source: Source, seed: int, length: float, count: int
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of the blocks whose numbers are in the batches."""
    for batch in batches:
        for block in batch.column("id").to_pylist():
            first = block * BLOCK
            size = min(BLOCK, count - first)
            draw = np.random.Generator(np.random.PCG64([seed, block]))
            rows = draw_rows(draw, source, length, size)
            items = np.array(rows.labels, dtype=np.int32)[rows.items]
            arrays = pa.ListArray.from_arrays(pa.array(rows.offsets, type=pa.int32()), pa.array(items))
            ids = pa.array(np.arange(first, first + size), type=pa.int64())
            yield pa.RecordBatch.from_arrays([ids, arrays], names=["row", "items"])
