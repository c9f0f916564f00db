"""Block on Spark: itemsets of a frame's rows that are safe to publish."""

from os import PathLike
from typing import Literal, Unpack

from pyspark.sql import DataFrame

from discreet.block import block as block_locally
from discreet.errors import BudgetError, OptionError
from discreet.merged import Merged
from discreet.policy import Policy, as_policy
from discreet.release import Release
from discreet.spark.frames import Shape
from discreet.spark.merged import merged
from discreet.thresholds import Threshold


def block(
    frame: DataFrame,
    *,
    min_support: Threshold,
    k: int | None = None,
    policy: Policy | str | PathLike[str] | None = None,
    method: Literal["suppress", "add"] = "suppress",
    **shape: Unpack[Shape],
) -> Release:
    """Return what ``discreet.block`` returns for the rows of ``frame``, merged; these must fit the driver's budget."""
    if method not in {"suppress", "add"}:
        raise OptionError(f"method is {str(method)[:40]!r}; on Spark it must be one of suppress, add")
    rule = as_policy(policy, k)
    with merged(frame, min_support, shape) as rows:
        if isinstance(rows, Merged):
            return block_locally(rows, min_support=rows.min_support, policy=rule, method=method)
    raise BudgetError(
        f"the merged rows of {rows.n:,} do not fit the driver, and blocking looks at them together: raise budget or "
        "min_support"
    )
