"""Mine on Spark: the frequent, closed or maximal itemsets of a frame's rows."""

from typing import Unpack

from pyspark.sql import DataFrame

from discreet.data.generate import check_whole
from discreet.data.merged import Merged
from discreet.data.patterns import Kind, Patterns, as_kind
from discreet.data.thresholds import Threshold
from discreet.mining.mine import mine as mine_locally
from discreet.spark import shards
from discreet.spark.frames import Shape
from discreet.spark.merged import merged


def mine(
    frame: DataFrame,
    *,
    min_support: Threshold,
    kind: Kind = "closed",
    max_length: int | None = None,
    **shape: Unpack[Shape],
) -> Patterns:
    """Return what ``discreet.mine`` returns for the rows of ``frame``: the same itemsets, in the same order.

    ``shape`` says which columns hold the rows: ``items``, or ``row`` and ``item``; and how many bytes of merged rows
    may come to the driver (``budget``), where all is done if they fit.
    """
    wanted = as_kind(kind)
    length = None if max_length is None else check_whole("max_length", max_length)
    with merged(frame, min_support, shape) as rows:
        if isinstance(rows, Merged):
            return mine_locally(rows, min_support=rows.min_support, kind=wanted, max_length=length)
        return shards.mined(rows, wanted, length)
