"""What is collected: nothing that needs Spark where there is none."""

import shutil
from importlib.util import find_spec

IN_SPARK = ["src/discreet/spark", "benchmarks/spark.py", "benchmarks/steps.py"]

collect_ignore = [] if find_spec("pyspark") and shutil.which("java") else IN_SPARK
