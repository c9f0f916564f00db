"""The same functions for the rows of a Spark DataFrame, with the same results.

Only this folder imports pyspark; ``import discreet`` does not load it.
"""

from importlib.util import find_spec

if not (find_spec("pyspark") and find_spec("pyarrow")):
    # Java is not asked for: a session over Spark Connect has it on its server.
    advice = "install it with: pip install 'discreet[spark]', beside Java 17 or later unless Spark is on a server"
    raise ImportError(f"discreet.spark needs pyspark, which is not installed; {advice}")

from discreet.hiding.hide import Hidden
from discreet.spark.frames import query, quest
from discreet.spark.hiding import hide
from discreet.spark.publishing import audit, block, detect, tradeoff
from discreet.spark.shards import mine

__all__ = ["Hidden", "audit", "block", "detect", "hide", "mine", "query", "quest", "tradeoff"]
