"""Block on Spark: itemsets of a frame's rows that are safe to publish."""

from collections.abc import Iterator
from functools import partial
from os import PathLike
from typing import Literal, Unpack

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame

from discreet.blocking.block import block as block_locally
from discreet.blocking.block import solve
from discreet.blocking.problem import BlockProblem
from discreet.blocking.release.release import Release
from discreet.blocking.suppress import remove_rows
from discreet.data.itemsets import Weighted
from discreet.data.merged import Merged
from discreet.data.patterns import Patterns
from discreet.data.thresholds import Threshold
from discreet.disclosure.channels import Channels
from discreet.disclosure.detect import find_channels
from discreet.disclosure.question import Question
from discreet.errors import OptionError
from discreet.judging.policy import Policy, as_policy
from discreet.runtime.resources import as_threads
from discreet.spark import shards
from discreet.spark.frames import Shape
from discreet.spark.merged import Spread, merged
from discreet.spark.parts import SCHEMA, Part, joined, read, written


def block(
    frame: DataFrame,
    *,
    min_support: Threshold,
    k: int | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    method: Literal["suppress", "add"] = "suppress",
    **shape: Unpack[Shape],
) -> Release:
    """Return what ``discreet.block`` returns for the rows of ``frame``, merged.

    Where the rows stay in Spark, "add" needs none of them, and "suppress" only those that it takes out: these come to
    the driver, round by round. Such a release has no witness, which would be all rows.
    """
    if method not in {"suppress", "add"}:
        raise OptionError(f"method is {str(method)[:40]!r}; on Spark it must be one of suppress, add")
    rule = as_policy(policy, k)
    with merged(frame, min_support, shape) as rows:
        if isinstance(rows, Merged):
            return block_locally(rows, min_support=rows.min_support, policy=rule, method=method)
        patterns = shards.mined(rows, "closed")
        some = suppressed(rows, patterns, rule.k) if method == "suppress" else joined([])
        order = Weighted(*some).sort(len(rows.labels))
        merged_rows = Merged(order, rows.labels, rows.n, rows.min_support)
        return solve(method, BlockProblem(merged_rows, patterns, rule.k), rule)


def suppressed(spread: Spread, patterns: Patterns, k: int) -> Part:
    """Return the rows that a channel singles out, round after round, as ``discreet.blocking.suppress`` finds them."""
    left, known = patterns, joined([])
    while True:
        channels = find_channels(Question(left, None, k, as_threads(None)))
        hit = singled_out(spread, channels, known) if len(channels) else joined([])
        if not hit.weights.size:
            return known
        known, left = joined([known, hit]), remove_rows(left, Weighted(*hit))


def singled_out(spread: Spread, channels: Channels, known: Part) -> Part:
    """Return the rows that the channels single out, but for those that are known."""
    run = partial(met, channels=channels, labels=spread.labels, least=spread.min_support)
    found = joined(read(spread.frame.mapInArrow(run, SCHEMA).select("lengths", "items", "weights").toArrow()))
    before = {row.tobytes() for row in itemsets(known)}
    is_new = [row.tobytes() not in before for row in itemsets(found)]
    return found.of(np.flatnonzero(is_new))


def itemsets(part: Part) -> list[NDArray[np.int32]]:
    """Return the items of each row."""
    return np.split(part.items, part.offsets[1:-1]) if part.weights.size else []


def met(
    batches: Iterator[pa.RecordBatch], channels: Channels, labels: tuple[object, ...], least: int
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a partition that a channel singles out."""
    for batch in batches:
        part = joined(read(batch))
        found = channels.rows(Merged(Weighted(*part), labels, int(part.weights.sum()), least))
        yield written([(0, part.of(found.numbers))])
