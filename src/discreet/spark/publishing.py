"""Audit, trade-off and block on Spark: are the itemsets of a frame safe to publish, and how do they become so."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import Literal, Unpack, cast

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from discreet.blocking.block import Release, solve
from discreet.blocking.block import block as block_locally
from discreet.blocking.methods import remove_rows
from discreet.blocking.problem import BlockProblem
from discreet.data.itemsets import Weighted
from discreet.data.patterns import Patterns
from discreet.data.thresholds import Threshold, as_count, as_k
from discreet.data.transactions import Merged, Rows
from discreet.disclosure.channels import Channels
from discreet.disclosure.detect import Question, find_channels
from discreet.errors import OptionError, ThresholdError
from discreet.judging.audit import Audit, judge_itemsets
from discreet.judging.audit import audit as audit_locally
from discreet.judging.policy import Policy, as_policy
from discreet.judging.tradeoff import Tradeoff, find_safe, take_above, weigh_below
from discreet.judging.tradeoff import tradeoff as tradeoff_locally
from discreet.runtime.resources import as_threads
from discreet.spark.cells import count_exposed
from discreet.spark.frames import FrameOptions
from discreet.spark.merged import PARTS, Spread, merge_frame, read_parts, write_parts
from discreet.spark.shards import mine_spread


def audit(
    frame: DataFrame,
    *,
    min_support: Threshold,
    k: int | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    **options: Unpack[FrameOptions],
) -> Audit:
    """Audit the rows of ``frame`` as ``discreet.audit`` does: its reports are the same bytes.

    If the rows stay in Spark, channels follow from the supports alone, and only the exposed rows are counted there.
    """
    rule = as_policy(policy, k)
    with merge_frame(frame, min_support, options) as rows:
        if isinstance(rows, Merged):
            return audit_locally(rows, min_support=rows.min_support, policy=rule)
        verdict = judge_itemsets(_ask(mine_spread(rows, "closed"), rule.k), rule, None)
        # The audit has rows, and knows how many are exposed; the rows themselves stay in Spark.
        with_rows = replace(verdict, rows=cast("Rows", rows))
        vars(with_rows)["exposed"] = None if verdict.channels is None else count_exposed(rows, verdict.channels)
        return with_rows


def tradeoff(
    frame: DataFrame, *, min_supports: Iterable[Threshold], ks: Iterable[int], **options: Unpack[FrameOptions]
) -> Tradeoff:
    """Count threats by minimum support and k as ``discreet.tradeoff`` does, for the rows of ``frame``."""
    shares, limits = list(min_supports), tuple(sorted({as_k(k) for k in ks}))
    if not shares or not limits:
        raise ThresholdError("there is nothing to compare; give at least one minimum support and one k")
    with merge_frame(frame, shares, options) as rows:
        counts = tuple(sorted({as_count(share, rows.n) for share in shares}))
        if isinstance(rows, Merged):
            return tradeoff_locally(rows, min_supports=counts, ks=limits)
        closed = mine_spread(rows, "closed")
        lists = [take_above(closed, count) for count in counts]
        lines = [find_channels(_ask(patterns, limits[-1])) for patterns in lists]
        exposed = [count_exposed(rows, channels) for channels in lines]
        itemsets = np.array([len(patterns) for patterns in lists])
        small = [weigh_below(line.cells.counts, np.ones_like(line.cells.counts), limits) for line in lines]
        singled = [weigh_below(one.smallest, one.weights, limits) for one in exposed]
        safe = find_safe(closed, limits)
        return Tradeoff(rows.n, counts, limits, itemsets, np.array(small), np.array(singled), safe)


def block(
    frame: DataFrame,
    *,
    min_support: Threshold,
    k: int | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    method: Literal["suppress", "add"] = "suppress",
    **options: Unpack[FrameOptions],
) -> Release:
    """Make the itemsets of the rows of ``frame``, merged, safe to publish as ``discreet.block`` does.

    If the rows stay in Spark, "add" needs none of them. "suppress" brings only the rows that it takes out to the
    driver, round by round. Such a release has no witness, which would be all rows.
    """
    if method not in {"suppress", "add"}:
        raise OptionError(f"method is {str(method)[:40]!r}; on Spark it must be one of suppress, add")
    rule = as_policy(policy, k)
    with merge_frame(frame, min_support, options) as rows:
        if isinstance(rows, Merged):
            return block_locally(rows, min_support=rows.min_support, policy=rule, method=method)
        patterns = mine_spread(rows, "closed")
        suppressed = _suppress(rows, patterns, rule.k) if method == "suppress" else Weighted.concat([])
        some = Merged(suppressed.sort(len(rows.labels)), rows.labels, rows.n, rows.min_support)
        return solve(method, BlockProblem(some, patterns, rule.k), rule)


def _ask(patterns: Patterns, k: int) -> Question:
    return Question(patterns, None, k, as_threads(None))


def _suppress(spread: Spread, patterns: Patterns, k: int) -> Weighted:
    """Return the rows that channels single out, round after round, as ``suppress`` does on one machine."""
    left, known = patterns, Weighted.concat([])
    while True:
        channels = find_channels(_ask(left, k))
        more = _single_out(spread, channels, known) if len(channels) else Weighted.concat([])
        if not len(more):
            return known
        known, left = Weighted.concat([known, more]), remove_rows(left, more)


def _single_out(spread: Spread, channels: Channels, known: Weighted) -> Weighted:
    """Return the rows that the channels single out, without those already known."""
    run = partial(single_out_partition, channels=channels, labels=spread.labels, least=spread.min_support)
    rows = read_parts(spread.frame.mapInArrow(run, PARTS).select("lengths", "items", "weights").toArrow())
    before = {row.tobytes() for row in known}
    return rows.take(np.flatnonzero([row.tobytes() not in before for row in rows]))


def single_out_partition(
    batches: Iterator[pa.RecordBatch], channels: Channels, labels: tuple[object, ...], least: int
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a partition that a channel singles out."""
    for rows in map(read_parts, batches):
        exposed = channels.rows(Merged(rows, labels, int(rows.weights.sum()), least))
        yield write_parts([(0, rows.take(exposed.numbers))])
