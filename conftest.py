"""What is collected: nothing that needs Spark where there is none, and no kernels.

Kernels have no examples, and looking for some would load them compiled, in the place of the plain ones.
"""

import shutil
from importlib.util import find_spec

IN_SPARK = ["src/discreet/spark", "benchmarks/connect.py", "benchmarks/spark.py", "benchmarks/steps.py"]

collect_ignore = ["src/discreet/kernels", *([] if find_spec("pyspark") and shutil.which("java") else IN_SPARK)]
