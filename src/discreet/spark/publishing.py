"""Audit, trade-off and block on Spark: are the itemsets of a frame safe to publish, and how do they become so."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import Final, Literal, NamedTuple, Unpack, cast

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from discreet import kernels
from discreet.blocking.block import block as block_locally
from discreet.blocking.block import solve
from discreet.blocking.inferences import has_few_kinds
from discreet.blocking.methods import remove_rows
from discreet.blocking.problem import NONE, BlockProblem
from discreet.blocking.release import Release
from discreet.data.itemsets import Items, Itemsets, Weighted
from discreet.data.lattice import Cells, build_cells
from discreet.data.patterns import Patterns
from discreet.data.thresholds import Threshold, as_count, as_k
from discreet.data.transactions import Merged, Rows
from discreet.disclosure.channels import Channels, Exposed
from discreet.disclosure.detect import WORD, Group, Question, find_channels, group_tops
from discreet.disclosure.detect import detect as detect_locally
from discreet.errors import BudgetError, InputError, OptionError, ThresholdError
from discreet.judging.audit import Audit, judge_itemsets
from discreet.judging.audit import audit as audit_locally
from discreet.judging.policy import Policy, as_policy
from discreet.judging.tradeoff import Tradeoff, find_safe, take_above, weigh_below
from discreet.judging.tradeoff import tradeoff as tradeoff_locally
from discreet.runtime.resources import as_threads
from discreet.runtime.solver import Numbers
from discreet.spark.failures import in_one_sentence
from discreet.spark.frames import FrameOptions
from discreet.spark.merged import PARTS, Part, Spread, merge_frame, read_parts, write_parts
from discreet.spark.shards import mine_spread


@in_one_sentence()
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
        channels = verdict.evidence.channels
        vars(with_rows)["exposed_if_known"] = None if channels is None else count_exposed(rows, channels)
        return with_rows


@in_one_sentence()
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


@in_one_sentence()
def block(
    frame: DataFrame,
    *,
    min_support: Threshold,
    k: int | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    method: Literal["suppress", "add"] = "suppress",
    against: Literal["plain"] | None = None,
    **options: Unpack[FrameOptions],
) -> Release:
    """Make the itemsets of the rows of ``frame``, merged, safe to publish as ``discreet.block`` does.

    If the rows stay in Spark, "add" needs none of them. "suppress" brings only the rows that it takes out to the
    driver, round by round. Such a release has no witness, which would be all rows. Where few different rows are
    possible over the published items, all of them are needed, unless it is to withstand sums alone (``against``).
    """
    if method not in {"suppress", "add"}:
        raise OptionError(f"method is {str(method)[:40]!r}; on Spark it must be one of suppress, add")
    if against not in {"plain", None}:
        raise OptionError(f"against is {str(against)[:40]!r}; on Spark it must be plain, or left out")
    rule = as_policy(policy, k)
    with merge_frame(frame, min_support, options) as rows:
        if isinstance(rows, Merged):
            return block_locally(rows, min_support=rows.min_support, policy=rule, method=method, against=against)
        if method == "suppress" and rule.max_belief is not None:
            raise BudgetError("the policy bounds beliefs, for which all rows are needed; raise budget= until they fit")
        patterns = mine_spread(rows, "closed")
        none = Merged(NONE, rows.labels, rows.n, rows.min_support)
        problem = BlockProblem(none, patterns, rule.k, only_sums=against == "plain")
        if has_few_kinds(problem, patterns):  # no more rows differ, so they fit the driver whatever the budget
            return block_locally(rows.collect(), min_support=rows.min_support, policy=rule, method=method)
        return solve(method, _suppress(rows, problem) if method == "suppress" else problem, rule)


def _ask(patterns: Patterns, k: int) -> Question:
    return Question(patterns, None, k, as_threads(None))


def _suppress(spread: Spread, problem: BlockProblem) -> BlockProblem:
    """Give a problem the rows that channels single out, round after round, as ``suppress`` does on one machine."""
    left, known = problem.patterns, NONE
    while True:
        channels = find_channels(_ask(left, problem.k))
        more = _single_out(spread, channels, known) if len(channels) else NONE
        if not len(more):
            break
        known, left = Weighted.concat([known, more]), remove_rows(left, more)
    if has_few_kinds(problem, left):
        flaw = "so few items are left that all rows are needed to tell what is safe"
        raise BudgetError(f"{flaw}; raise budget= until they fit the driver, or withstand sums alone: against='plain'")
    some = Merged(known.sort(len(spread.labels)), spread.labels, spread.n, spread.min_support)
    return replace(problem, rows=some)


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
        yield write_parts([Part(0, rows.take(exposed.numbers))])


ALL: Final = 2**62  # a limit above any count: a partition cannot know which cells will stay small
EXPOSURE: Final = ("channels", "smallest", "weight")


class Tops(NamedTuple):
    """Maximal itemsets in the codes of the rows, groups that are counted together, and the number of codes."""

    itemsets: Itemsets
    groups: list[Group]
    many: int


@in_one_sentence()
def detect(patterns: Patterns, *, k: int, rows: DataFrame, **options: Unpack[FrameOptions]) -> Channels:
    """Find the channels of patterns mined from ``rows`` as ``discreet.detect`` does; maximal patterns will do.

    If the rows stay in Spark, each partition counts its own, and only cells of fewer than ``k`` rows leave the
    executors (and the supports of the maximal itemsets, which are public).
    """
    limit = as_k(k)
    with merge_frame(rows, patterns.min_support, options) as data:
        if isinstance(data, Merged):
            return detect_locally(patterns, k=limit, rows=data)
        return _find_channels(Question(patterns, None, limit, as_threads(None)), data)


def _find_channels(question: Question, spread: Spread) -> Channels:
    """Return the channels of patterns, from the rows; refuse rows that they were not mined from."""
    patterns, tops = question.patterns, question.tops
    code = {label: number for number, label in enumerate(spread.labels)}
    codes = np.array([code.get(label, len(code)) for label in patterns.labels], dtype=np.int32)
    unknown = np.count_nonzero(codes[tops.items] == len(code))
    if spread.n != patterns.n or unknown:
        flaw = f"but there are {spread.n:,}, in which {unknown:,} of their entries are rare"
        raise InputError(f"the patterns are about {patterns.n:,} rows, {flaw}; give the rows that they were mined from")
    groups = [Group(group.tops, codes[group.items]) for group in group_tops(question)]
    in_rows = Tops(Itemsets(tops.offsets, codes[tops.items]), groups, len(code) + 1)
    cells = _count_cells(spread, in_rows, question.limit)
    is_top = cells.bases.lengths == tops.lengths[cells.tops]
    _check_supports(question, cells.tops[is_top], cells.counts[is_top])
    back = np.full(len(code) + 1, -1, dtype=np.int32)
    back[codes] = np.arange(codes.size, dtype=np.int32)
    small = cells.take(np.flatnonzero(cells.counts < question.limit))
    bases = Itemsets(small.bases.offsets, back[small.bases.items])
    return Channels.from_cells(small._replace(bases=bases), tops, patterns.labels, n=patterns.n, k=question.limit)


def _check_supports(question: Question, tops: Items, counts: Numbers) -> None:
    """Refuse rows in which the support of a top differs from the patterns."""
    patterns = question.patterns
    published = patterns.supports if patterns.kind == "maximal" else question.known.supports[question.known.tops]
    held = np.zeros_like(published)
    held[tops] = counts
    wrong = np.count_nonzero(held != published)
    if wrong:
        flaw = f"{wrong:,} of {held.size:,} maximal itemsets have another support in the rows than in the patterns"
        raise InputError(f"{flaw}; give the rows that they were mined from")


def _count_cells(spread: Spread, tops: Tops, limit: int) -> Cells:
    """Return the cells below ``limit``, and for each top the cell of the rows that hold all of it."""
    run = partial(count_partition, tops=tops)
    lines = spread.frame.mapInArrow(run, "top int, base binary, is_top boolean, count long")
    summed = lines.groupBy("top", "base", "is_top").agg(sql.sum("count").alias("count"))
    table = summed.filter((sql.col("count") < limit) | sql.col("is_top")).toArrow()
    bases = Itemsets.of([np.frombuffer(base.as_py(), dtype=np.int32) for base in table.column("base")])
    numbers, counts = (table.column(name).to_numpy() for name in ("top", "count"))
    return Cells(numbers.astype(np.int32), bases, counts.astype(np.int64))


def count_partition(batches: Iterator[pa.RecordBatch], tops: Tops) -> Iterator[pa.RecordBatch]:
    """Yield all cells of the rows of a partition, a batch at a time."""
    lengths = tops.itemsets.lengths
    long = np.flatnonzero(lengths > WORD).tolist()
    for rows in map(read_parts, batches):
        if not len(rows):
            continue
        of_groups = [_count_group(rows, tops, group) for group in tops.groups]
        cells = Cells.concat([*of_groups, *(_count_long(rows, tops, top) for top in long)])
        columns = {
            "top": pa.array(cells.tops, type=pa.int32()),
            "base": pa.array([items.tobytes() for items in cells.bases], type=pa.binary()),
            "is_top": pa.array(cells.bases.lengths == lengths[cells.tops], type=pa.bool_()),
            "count": pa.array(cells.counts, type=pa.int64()),
        }
        yield pa.RecordBatch.from_pydict(columns)


def _count_group(rows: Weighted, tops: Tops, group: Group) -> Cells:
    place = np.full(tops.many, -1, dtype=np.int64)
    place[group.items] = np.arange(group.items.size)
    maps = kernels.cells.map_itemsets(*rows.flat, place)
    wanted = kernels.cells.map_itemsets(*tops.itemsets.take(group.tops).flat, place)
    found, bases, counts = kernels.cells.cells_of(maps, rows.weights, wanted, ALL)
    return build_cells(bases[:, None], group.tops[found].astype(np.int32), counts, tops.itemsets, place)


def _count_long(rows: Weighted, tops: Tops, top: int) -> Cells:
    """Return the cells of a top with more items than a word has bits: the rows cut to it, equal ones merged."""
    code = np.full(tops.many, -1, dtype=np.int32)
    items = tops.itemsets[top]
    code[items] = items
    offsets, bases, counts, _ = kernels.merge_rows.merge(*rows.arrays, code)
    return Cells(np.full(counts.size, top, dtype=np.int32), Itemsets(offsets, bases), counts)


def count_exposed(spread: Spread, channels: Channels) -> Exposed:
    """Count the rows that the channels single out, by the number of channels and the smallest count."""
    run = partial(expose_partition, channels=channels, labels=spread.labels, least=spread.min_support)
    lines = spread.frame.mapInArrow(run, "channels long, smallest long, weight long")
    summed = lines.groupBy("channels", "smallest").agg(sql.sum("weight").alias("weight"))
    table = summed.orderBy("smallest", "channels").toArrow()
    times, smallest, weights = (table.column(name).to_numpy().astype(np.int64) for name in EXPOSURE)
    return Exposed(np.arange(weights.size), times, smallest, weights)


def expose_partition(
    batches: Iterator[pa.RecordBatch], channels: Channels, labels: tuple[object, ...], least: int
) -> Iterator[pa.RecordBatch]:
    """Yield for each exposed row of a partition its channels, the smallest count, and its weight."""
    for rows in map(read_parts, batches):
        exposed = channels.rows(Merged(rows, labels, int(rows.weights.sum()), least))
        columns = zip(EXPOSURE, (exposed.channels, exposed.smallest, exposed.weights), strict=True)
        yield pa.RecordBatch.from_pydict({name: pa.array(each, type=pa.int64()) for name, each in columns})
