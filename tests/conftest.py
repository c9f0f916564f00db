"""Hypothesis: no deadlines, since the first call of a kernel compiles it; the same examples in every run of CI."""

import os

from hypothesis import settings

settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")
