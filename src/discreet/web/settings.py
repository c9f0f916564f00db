"""Settings that both sides, server and workers, go by."""

from typing import Final

DEBUG: Final = "DISCREET_DEBUG"
"""The environment variable that lets tracebacks of what nobody foresaw go to stderr; they may hold data."""
