"""Files of Stata, SPSS and SAS, read by pyreadstat (the extra ``stats``); coded values get their labels."""

import json
import subprocess
import sys
from functools import partial
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Final

import polars as pl

from discreet.errors import InputError, OptionError
from discreet.io.files import Bytes
from discreet.io.formats import statistics_process
from discreet.io.formats.sheets import tidy
from discreet.io.options import RowOptions
from discreet.runtime import resources
from discreet.runtime.resources import check_room

STATA, STATA_END = b"<stata_dta>", b"</stata_dta>"  # pyreadstat takes a file for whole that ends before its labels
INSTALL: Final = "files of Stata, SPSS and SAS need the package pyreadstat: install discreet[stats], or export CSV"
BROKEN: Final = "this is no {} file, or a damaged one; check its suffix, or write it again"


def _load(reader: str, what: str, data: Bytes, options: RowOptions) -> pl.DataFrame:
    """Return the table of a file; pyreadstat runs in a process of its own, as damaged files can crash it."""
    if find_spec("pyreadstat") is None:
        raise OptionError(INSTALL)
    room = resources.memory() // 2
    arguments = [reader, str(room), options.encoding or ""]
    command = [sys.executable, "-P", str(Path(statistics_process.__file__)), *arguments]
    done = subprocess.run(command, input=data, capture_output=True, check=False)  # noqa: S603 - a file of ours
    if done.returncode == statistics_process.TOO_LARGE:
        check_room(room + 1)
    is_cut = data.startswith(STATA) and STATA_END not in data[-len(STATA_END) - 2 :]
    if done.returncode or is_cut:
        raise InputError(BROKEN.format(what))
    head, _, body = done.stdout.partition(b"\n")
    frame, labels = pl.read_ipc(BytesIO(body)), json.loads(head)
    return tidy(frame.with_columns(_label(frame[name], dict(pairs)) for name, pairs in labels.items() if name in frame))


def _label(series: pl.Series, names: dict[float | str, str]) -> pl.Series:
    """Return a column with labels for its values, if each value has one of its own; else it holds plain numbers."""
    values = series.drop_nulls().unique().to_list()
    if len(set(names.values())) < len(names) or not all(value in names for value in values):
        return series
    return pl.Series(series.name, [names.get(value) for value in series.to_list()], dtype=pl.String)


load_stata: Final = partial(_load, "read_dta", "Stata")
load_spss: Final = partial(_load, "read_sav", "SPSS")
load_portable: Final = partial(_load, "read_por", "SPSS")
load_sas: Final = partial(_load, "read_sas7bdat", "SAS")
load_transport: Final = partial(_load, "read_xport", "SAS")
