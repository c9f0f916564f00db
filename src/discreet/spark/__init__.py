# ruff: noqa: E402 - missing packages are reported before pyspark is imported
"""The same functions for the rows of a Spark DataFrame, with the same results.

Only this folder imports pyspark; ``import discreet`` does not load it.
"""

import os
import shutil
from importlib.util import find_spec

EXTRA = "install it with: pip install 'discreet[spark]', beside Java 17 or later"

if not (find_spec("pyspark") and find_spec("pyarrow")):
    raise ImportError(f"discreet.spark needs pyspark, which is not installed; {EXTRA}")
if not (shutil.which("java") or "JAVA_HOME" in os.environ):
    raise ImportError(f"discreet.spark needs Java, which is not found, and JAVA_HOME does not say where it is; {EXTRA}")

from discreet.hiding.hide import Hidden
from discreet.spark.frames import query, quest
from discreet.spark.hiding import hide
from discreet.spark.publishing import audit, block, detect, tradeoff
from discreet.spark.shards import mine

__all__ = ["Hidden", "audit", "block", "detect", "hide", "mine", "query", "quest", "tradeoff"]
