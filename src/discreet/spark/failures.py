"""Failures of Spark in one sentence of ours: Spark's own words go on for pages, and may hold values of rows."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from discreet.errors import BudgetError, DiscreetError, InputError

SPARK: Final = {"grpc", "py4j", "pyspark"}  # packages whose errors are Spark's
CHANGED: Final = (
    "the frame held other rows when it was read again, so it is not deterministic; write it out first, and read that"
)
RAISED: Final = {f"discreet.errors.{kind.__name__}": kind for kind in (InputError, BudgetError)}  # in executors
SENTENCE: Final = re.compile(rf"^({'|'.join(map(re.escape, RAISED))}): (.+)$", re.MULTILINE)


@contextmanager
def in_one_sentence() -> Iterator[None]:
    """Turn an error of Spark into one of ours; also decorates functions."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in SPARK:
            raise
        raise _translate(error) from None


def _translate(error: Exception) -> DiscreetError:
    words = str(error)
    if CHANGED in words:
        return InputError(CHANGED)
    if ours := SENTENCE.search(words):
        return RAISED[ours[1]](ours[2])
    if "No module named 'discreet'" in words:
        place = "where Spark runs Python"
        return InputError(f"discreet is not installed {place}; install it there, and name that Python: PYSPARK_PYTHON")
    condition = getattr(error, "getCondition", lambda: None)() or type(error).__name__
    return InputError(f"Spark could not compute the rows ({condition}); check the query behind them, and Spark's log")
