# ruff: noqa: E402 - what is missing is told before pyspark is asked for
"""The same verbs on the rows of a Spark DataFrame, with the same results.

The one folder that imports pyspark; ``import discreet`` does not load it.
"""

import os
import shutil
from importlib.util import find_spec

EXTRA = "install it with: pip install 'discreet[spark]', beside Java 17 or later"

if not (find_spec("pyspark") and find_spec("pyarrow")):
    raise ImportError(f"discreet.spark needs pyspark, which is not installed; {EXTRA}")
if not (shutil.which("java") or "JAVA_HOME" in os.environ):
    raise ImportError(f"discreet.spark needs Java, which is not found, and JAVA_HOME does not say where it is; {EXTRA}")

from discreet.spark.audit import audit
from discreet.spark.block import block
from discreet.spark.detect import detect
from discreet.spark.generate import quest
from discreet.spark.hide import Hidden, hide
from discreet.spark.mine import mine
from discreet.spark.query import query
from discreet.spark.tradeoff import tradeoff

__all__ = ["Hidden", "audit", "block", "detect", "hide", "mine", "query", "quest", "tradeoff"]
