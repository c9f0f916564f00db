"""Hide on Spark: a frame's rows in which named itemsets cannot be found, by counting alone.

Which rows lose an itemset hangs on their conflict and then on their place (decision 22). How many rows of which
conflict hold it is counted; that gives the last conflict which is touched, and of the rows that tie in it the id of the
last that is. With these two cut-offs every row can be changed by itself, wherever it is.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Literal, TypeAlias, Unpack, get_args

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sql

from discreet.data.itemsets import Itemsets
from discreet.data.labels import Label
from discreet.data.thresholds import Share, Threshold, as_count
from discreet.errors import GuaranteeError, InputError, OptionError
from discreet.hiding.hide import METHODS
from discreet.hiding.problem import Sensitive, parse_sensitive
from discreet.hiding.victims import IGA
from discreet.spark.conflicts import Cut, Plan, changed, conflicts, tied
from discreet.spark.counts import Counts, counted
from discreet.spark.frames import LABELS, Shape, rows_of

Method: TypeAlias = Literal["naive", "minfia", "maxfia", "iga"]


@dataclass(frozen=True, eq=False)
class Hidden:
    """Rows that may be shared: ``frame``, with the columns ``row`` and ``items``, the latter in the order of labels.

    ``before`` and ``after`` are how many rows hold each sensitive itemset. The rows are not kept: Spark makes them from
    those of before each time that it is asked for them, so write them out before these change.
    """

    method: str
    frame: DataFrame
    sensitive: Sensitive
    before: NDArray[np.int64]
    after: NDArray[np.int64]


def hide(
    frame: DataFrame,
    sensitive: Sensitive | Iterable[Iterable[Label]],
    *,
    disclosure: Share | Sequence[Share] = 0,
    method: Method = "iga",
    below: Threshold | None = None,
    **shape: Unpack[Shape],
) -> Hidden:
    """Return the rows of ``frame`` in which the ``sensitive`` itemsets are hidden, as ``discreet.hide`` does.

    The rows come in the order of their ids, each of which must be there once; that decides where rows tie. Afterwards
    the sensitive itemsets are counted anew in what would be shared.
    """
    if method not in get_args(Method):
        raise OptionError(f"method is {str(method)[:40]!r}; on Spark it must be one of {', '.join(get_args(Method))}")
    rows = rows_of(frame, shape)
    counts = counted(rows)
    check_ids(rows, counts.n)
    told = parse_sensitive(sensitive, disclosure, {label: code for code, label in enumerate(counts.labels)})
    least = None if below is None else as_count(below, counts.n)
    if least is not None and any(told.disclosures):
        raise OptionError("both below and a disclosure are given; leave one of them out")
    plan = planned(told, counts, method)
    held = histogram(rows, plan)
    before = held.sum(axis=1)
    to_lose = [
        max(0, many - least + 1) if least is not None else ceil(many * (1 - share))
        for many, share in zip(before.tolist(), told.disclosures, strict=True)
    ]
    final = plan._replace(cuts=cuts(rows, plan, held, to_lose))
    hidden = rows.mapInArrow(partial(changed, plan=final), rows.schema)
    after = histogram(hidden, plan).sum(axis=1)
    if (after > before - np.array(to_lose)).any():
        raise GuaranteeError("a sensitive itemset is not hidden; nothing is shared: please report this as a bug")
    return Hidden(method, hidden, told, before, after)


def check_ids(rows: DataFrame, n: int) -> None:
    """Refuse rows without ids, with ids that Spark and Arrow may order in two ways, or with one that is there twice."""
    if "row" not in rows.columns:
        raise OptionError("rows need ids to be told apart where they tie; give row=, the name of their column")
    kind = rows.schema["row"].dataType
    if not isinstance(kind, LABELS):
        raise InputError(f"the row ids are of type {kind.simpleString()}; cast them to text or to whole numbers")
    different = rows.select("row").distinct().count()
    if different < n:
        raise InputError(f"there are {n:,} rows but {different:,} row ids; give each row an id of its own")


def planned(told: Sensitive, counts: Counts, method: Method) -> Plan:
    """Return what is removed of each itemset, by codes; refuse an item that no row has."""
    code = {label: number for number, label in enumerate(counts.labels)}
    for number, itemset in zip(told.numbers, told.itemsets, strict=True):
        unknown = sum(label not in code for label in itemset)
        if unknown:
            raise InputError(
                f"sensitive itemset {number} has {unknown} of {len(itemset)} items that no row has; check how they are "
                "written, or leave it out"
            )
    itemsets = [np.array(sorted(code[label] for label in itemset), dtype=np.int32) for itemset in told.itemsets]
    rule = METHODS[method].rule or IGA
    victims = rule.pick(Itemsets.of(itemsets), counts.supports)
    return Plan(
        counts.labels, counts.supports, tuple(itemsets), tuple(victims), rule.most_conflict_first, rule.keeps_one
    )


def histogram(rows: DataFrame, plan: Plan) -> NDArray[np.int64]:
    """Return how many rows of each conflict (a column) hold each itemset (a line)."""
    many = len(plan.itemsets)
    lines = rows.mapInArrow(partial(conflicts, plan=plan), "itemset int, conflict int, count long")
    table = lines.groupBy("itemset", "conflict").agg(sql.sum("count").alias("count")).toArrow()
    held = np.zeros((many, many + 1), dtype=np.int64)
    held[table.column("itemset").to_numpy(), table.column("conflict").to_numpy()] = table.column("count").to_numpy()
    return held


def cuts(rows: DataFrame, plan: Plan, held: NDArray[np.int64], to_lose: Sequence[int]) -> tuple[Cut, ...]:
    """Return up to which conflict, and which row of it, rows lose each itemset."""
    ranked = held[:, ::-1] if plan.most_first else held
    heaped = np.cumsum(ranked, axis=1)
    ranks = [int(np.searchsorted(line, many)) if many else -1 for line, many in zip(heaped, to_lose, strict=True)]
    conflict = [len(to_lose) - rank if plan.most_first and rank >= 0 else rank for rank in ranks]
    left = [
        many - int(line[rank] - own[rank]) if rank >= 0 and many < line[rank] else 0
        for line, own, rank, many in zip(heaped, ranked, ranks, to_lose, strict=True)
    ]
    last = ties(rows, plan, conflict, left) if any(left) else {}
    return tuple(
        Cut(one, number in last, last.get(number)) if one >= 0 else Cut(None, is_cut=False, last=None)
        for number, one in enumerate(conflict)
    )


def ties(rows: DataFrame, plan: Plan, conflict: Sequence[int], left: Sequence[int]) -> dict[int, Label]:
    """Return for each itemset of which only some rows at the cut-off lose it, so many as are ``left``, the last id."""
    wanted = {number: conflict[number] for number, many in enumerate(left) if many}
    row = f"row {rows.schema['row'].dataType.simpleString()}"
    pairs = rows.mapInArrow(partial(tied, plan=plan, wanted=wanted), f"itemset int, {row}")
    numbered = pairs.withColumn("place", sql.row_number().over(Window.partitionBy("itemset").orderBy("row")))
    quota = sql.element_at(sql.lit([0, *left]), sql.col("itemset") + 2)
    found = numbered.filter(sql.col("place") == quota).select("itemset", "row").collect()
    return {line["itemset"]: line["row"] for line in found}
