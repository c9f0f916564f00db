"""Detect on Spark: the inference channels of patterns, from a frame's rows."""

from typing import Unpack

from pyspark.sql import DataFrame

from discreet.data.merged import Merged
from discreet.data.patterns import Patterns
from discreet.data.thresholds import as_k
from discreet.disclosure.channels import Channels
from discreet.disclosure.detect import detect as detect_locally
from discreet.disclosure.question import Question
from discreet.runtime.resources import as_threads
from discreet.spark.cells import channels_in
from discreet.spark.frames import Shape
from discreet.spark.merged import merged


def detect(patterns: Patterns, *, k: int, rows: DataFrame, **shape: Unpack[Shape]) -> Channels:
    """Return what ``discreet.detect`` returns for patterns that were mined from ``rows``; maximal ones will do.

    Where the rows stay in Spark, each partition counts in its rows, counts are added up, and only cells of fewer than
    ``k`` rows leave the executors (and the supports of the maximal itemsets, which are public).
    """
    limit = as_k(k)
    with merged(rows, patterns.min_support, shape) as data:
        if isinstance(data, Merged):
            return detect_locally(patterns, k=limit, rows=data)
        return channels_in(Question(patterns, None, limit, as_threads(None)), data)
