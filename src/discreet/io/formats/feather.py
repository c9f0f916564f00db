"""Feather: files of Arrow, read as a frame."""

from io import BytesIO

import polars as pl

from discreet.errors import InputError
from discreet.io.files import Bytes
from discreet.io.options import RowOptions
from discreet.runtime.arrow_footer import NO_ARROW, measure_batches
from discreet.runtime.parquet_footer import silence_stderr
from discreet.runtime.resources import check_room


def load(data: Bytes, options: RowOptions) -> pl.DataFrame:  # noqa: ARG001 - one signature for all containers
    """Return the table of a Feather or Arrow file."""
    for size in measure_batches(data):
        check_room(size)
    try:
        with silence_stderr():
            return pl.read_ipc(BytesIO(data))
    except (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise InputError(NO_ARROW) from None
