"""Trade-off on Spark: threats by minimum support and k, in a frame's rows."""

from collections.abc import Iterable
from typing import Unpack

import numpy as np
from pyspark.sql import DataFrame

from discreet.data.merged import Merged
from discreet.data.thresholds import Threshold, as_count, as_k
from discreet.disclosure.detect import find_channels
from discreet.disclosure.question import Question
from discreet.errors import ThresholdError
from discreet.judging.tradeoff import Tradeoff, find_safe, take_above, weigh_below
from discreet.judging.tradeoff import tradeoff as tradeoff_locally
from discreet.runtime.resources import as_threads
from discreet.spark import shards
from discreet.spark.cells import exposed_in
from discreet.spark.frames import Shape
from discreet.spark.merged import Spread, merged


def tradeoff(
    frame: DataFrame, *, min_supports: Iterable[Threshold], ks: Iterable[int], **shape: Unpack[Shape]
) -> Tradeoff:
    """Return what ``discreet.tradeoff`` returns for the rows of ``frame``."""
    shares, limits = list(min_supports), tuple(sorted({as_k(k) for k in ks}))
    if not shares or not limits:
        raise ThresholdError("there is nothing to compare; give at least one minimum support and one k")
    with merged(frame, shares, shape) as rows:
        counts = tuple(sorted({as_count(share, rows.n) for share in shares}))
        if isinstance(rows, Merged):
            return tradeoff_locally(rows, min_supports=counts, ks=limits)
        return counted(rows, counts, limits)


def counted(spread: Spread, counts: tuple[int, ...], limits: tuple[int, ...]) -> Tradeoff:
    """Return the grid for rows that stay in Spark: mined once, and for each line the exposed rows counted there."""
    closed = shards.mined(spread, "closed")
    lists = [take_above(closed, count) for count in counts]
    lines = [find_channels(Question(patterns, None, limits[-1], as_threads(None))) for patterns in lists]
    exposed = [exposed_in(spread, channels) for channels in lines]
    return Tradeoff(
        spread.n,
        counts,
        limits,
        np.array([len(patterns) for patterns in lists]),
        np.array([weigh_below(line.cells.counts, np.ones_like(line.cells.counts), limits) for line in lines]),
        np.array([weigh_below(found.smallest, found.weights, limits) for found in exposed]),
        find_safe(closed, limits),
    )
