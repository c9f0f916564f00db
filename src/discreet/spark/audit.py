"""Audit on Spark: what publishing the itemsets of a frame's rows would give away."""

from dataclasses import replace
from os import PathLike
from typing import Unpack, cast

from pyspark.sql import DataFrame

from discreet.data.merged import Merged, Rows
from discreet.data.thresholds import Threshold
from discreet.disclosure.question import Question
from discreet.judging.audit import Audit, judge_itemsets
from discreet.judging.audit import audit as audit_locally
from discreet.judging.policy import Policy, as_policy
from discreet.runtime.resources import as_threads
from discreet.spark import shards
from discreet.spark.cells import exposed_in
from discreet.spark.frames import Shape
from discreet.spark.merged import merged


def audit(
    frame: DataFrame,
    *,
    min_support: Threshold,
    k: int | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    **shape: Unpack[Shape],
) -> Audit:
    """Return what ``discreet.audit`` returns for the rows of ``frame``: its reports are the same bytes.

    Where the rows stay in Spark, channels follow from the supports alone, whose number does not hang on that of the
    rows; only the exposed rows are counted in the executors.
    """
    rule = as_policy(policy, k)
    with merged(frame, min_support, shape) as rows:
        if isinstance(rows, Merged):
            return audit_locally(rows, min_support=rows.min_support, policy=rule)
        patterns = shards.mined(rows, "closed")
        found = judge_itemsets(Question(patterns, None, rule.k, as_threads(None)), rule, None)
        # The audit tells that it had rows, and how many of them are exposed; the rows themselves stay where they are.
        with_rows = replace(found, rows=cast("Rows", rows))
        exposed = None if found.channels is None else exposed_in(rows, found.channels)
        vars(with_rows)["exposed"] = exposed
        return with_rows
