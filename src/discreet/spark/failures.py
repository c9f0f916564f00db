"""Failures of Spark in one sentence of ours: Spark's own words go on for pages, and may hold values of rows."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from logging import LogRecord
from typing import Final

from pyspark.logger import PySparkLogger

from discreet.errors import BudgetError, DiscreetError, InputError

SPARK: Final = {"grpc", "py4j", "pyspark"}  # packages whose errors are Spark's
CHANGED: Final = (
    "the frame held other rows when it was read again, so it is not deterministic; write it out first, and read that"
)
INDETERMINATE: Final = "indeterminate output"  # Spark's words for a frame that changed when it was computed again
LOGGERS: Final = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")  # print Spark's words, before all else
RAISED: Final = {f"discreet.errors.{kind.__name__}": kind for kind in (InputError, BudgetError)}  # in executors
SENTENCE: Final = re.compile(rf"^({'|'.join(map(re.escape, RAISED))}): (.+)$", re.MULTILINE)


@contextmanager
def in_one_sentence() -> Iterator[None]:
    """Turn an error of Spark into one of ours, and keep it out of the log; also decorates functions."""

    def drop(_record: LogRecord) -> bool:
        return False

    loggers = [PySparkLogger.getLogger(name) for name in LOGGERS]
    for logger in loggers:
        logger.addFilter(drop)
    try:
        yield
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in SPARK:
            raise
        raise _translate(error) from None
    finally:
        for logger in loggers:
            logger.removeFilter(drop)


def _translate(error: Exception) -> DiscreetError:
    words = str(error)
    if CHANGED in words or INDETERMINATE in words:
        return InputError(CHANGED)
    if ours := SENTENCE.search(words):
        return RAISED[ours[1]](ours[2])
    if "No module named 'discreet'" in words:
        place = "where Spark runs Python"
        return InputError(f"discreet is not installed {place}; install it there, and name that Python: PYSPARK_PYTHON")
    condition = getattr(error, "getCondition", lambda: None)() or type(error).__name__
    if "SESSION" in condition:
        return InputError(f"the session of Spark has ended ({condition}); start one, and make the frame again")
    return InputError(f"Spark could not compute the rows ({condition}); check the query behind them, and Spark's log")
