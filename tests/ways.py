"""The same people, handed over in many ways: files of each shape and format, frames, arrays, lists and databases."""

import gzip
import io
import lzma
import random
import sqlite3
import zipfile
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp

import discreet
from discreet import OutputError, Transactions
from discreet.io.sources import FORMATS

HEAD = ["sex", "age", "smoker", "region"]
K, MIN_SUPPORT = 5, 12


def people():
    """240 people and their attributes, some of them missing; few women below 40 smoke."""
    drawn, lines = random.Random(7), []  # noqa: S311 - people who do not exist
    for _ in range(240):
        sex, age = drawn.choice("fm"), drawn.choices(["18-39", "40-64", "65+"], [5, 4, 3])[0]
        smokes = drawn.random() < (0.04 if (sex, age) == ("f", "18-39") else 0.35)
        region = drawn.choice(["north", "south", "west", ""])
        lines.append([sex, age, "yes" if smokes else "no", region])
    return lines


LINES = people()
ROWS = [[f"{name}={value}" for name, value in zip(HEAD, line, strict=True) if value] for line in LINES]
ITEMS = sorted({item for row in ROWS for item in row})
BITS = [[int(item in row) for item in ITEMS] for row in ROWS]
PAIRS = [[str(1001 + at), item] for at, row in enumerate(ROWS) for item in row]
CODES = [[ITEMS.index(item) + 1 for item in row] for row in ROWS]


class Way(NamedTuple):
    """A file: its name and its bytes, and the options that its owner gives."""

    name: str
    data: bytes
    options: Mapping[str, object] = MappingProxyType({})


def text(lines, separator=",", *, end="\n", quoted=False, encoding="utf-8"):
    """Lines of fields as a file."""
    cells = ([f'"{field}"' if quoted else str(field) for field in line] for line in lines)
    return "".join(separator.join(line) + end for line in cells).encode(encoding)


IDS = [str(1001 + at) for at in range(len(LINES))]
SHAPES = {
    "baskets": (ROWS, {}),
    "table": ([HEAD, *LINES], {}),
    "table with ids": ([["id", *HEAD], *([name, *line] for name, line in zip(IDS, LINES, strict=True))], {}),
    "table without header": (LINES, {"format": "table", "header": False}),
    "long": ([["id", "item"], *PAIRS], {}),
    "long, named": ([["who", "what"], *PAIRS], {"row": "who", "item": "what"}),
    "long, items first": ([["item", "id"], *(pair[::-1] for pair in PAIRS)], {}),
    "onehot": ([ITEMS, *BITS], {}),
    "onehot with ids": ([["id", *ITEMS], *([name, *line] for name, line in zip(IDS, BITS, strict=True))], {}),
    "onehot of words": ([ITEMS, *([["false", "true"][bit] for bit in line] for line in BITS)], {}),
    "onehot without header": (BITS, {"format": "onehot", "header": False}),
}
"""The shapes of text tables, and the options that they need."""
WRITINGS = {
    "commas": {},
    "semicolons": {"separator": ";"},
    "tabs": {"separator": "\t"},
    "bars": {"separator": "|"},
    "quotes": {"quoted": True},
    "semicolons and quotes": {"separator": ";", "quoted": True},
    "carriage returns": {"end": "\r\n"},
    "byte-order mark": {"encoding": "utf-8-sig"},
    "UTF-16": {"encoding": "utf-16"},
}


def text_ways():
    """Each shape in each writing, and with the options left out."""
    for shape, (lines, options) in SHAPES.items():
        for writing, how in WRITINGS.items():
            yield f"{shape}, {writing}", Way("data.csv", text(lines, **how), options)
        if options:
            yield f"{shape}, unnamed", Way("data.csv", text(lines))
        yield f"{shape}, no suffix", Way("data", text(lines), options)
        yield f"{shape}, .txt", Way("data.txt", text(lines), options)
        yield f"{shape}, .tsv", Way("data.tsv", text(lines, "\t"), options)
        yield f"{shape}, gzip", Way("data.csv.gz", gzip.compress(text(lines)), options)
        yield f"{shape}, xz", Way("data.csv.xz", lzma.compress(text(lines)), options)
        yield f"{shape}, zip", Way("data.zip", zipped(text(lines)), options)
        yield f"{shape}, blank lines after it", Way("data.csv", text(lines) + b"\n\n", options)
    yield "numbers", Way("data.dat", text(CODES, " "))
    yield "numbers, commas", Way("data.csv", text(CODES))
    yield "numbers, no suffix", Way("data", text(CODES, " "))
    yield "numbers, SPMF", Way("data.txt", b"@CONVERTED_FROM_TEXT\n" + named_items() + text(CODES, " "))


def named_items():
    return "".join(f"@ITEM={at}={item}\n" for at, item in enumerate(ITEMS, start=1)).encode()


def zipped(data):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("data.csv", data)
    return file.getvalue()


def written_ways():
    """Each format that we write: a new one joins by itself."""
    for form in FORMATS.values():
        file = io.BytesIO()
        try:
            discreet.write(Transactions(ROWS), file, format=form.name)
        except (OutputError, discreet.OptionError):
            file = io.BytesIO()
            discreet.write(Transactions(CODES), file, format="fimi")
            yield f"format {form.name}, as numbers", Way("data.dat", file.getvalue())
        else:
            suffix = form.suffixes[0] if form.suffixes else ".csv"
            yield f"format {form.name}", Way(f"data{suffix}", file.getvalue())


def frame_ways():
    """Files of frames."""
    for shape in ("table", "table with ids", "onehot", "long, named"):
        (head, *lines), options = SHAPES[shape]
        frame = pl.DataFrame(list(map(list, lines)), schema=head, orient="row")
        for suffix, write in WRITERS.items():
            file = io.BytesIO()
            write(frame, file)
            yield f"{shape}, {suffix}", Way(f"data{suffix}", file.getvalue(), options)


WRITERS = {
    ".parquet": lambda frame, file: frame.write_parquet(file),
    ".feather": lambda frame, file: frame.write_ipc(file),
    ".xlsx": lambda frame, file: frame.write_excel(file),
}

FRAME = pd.DataFrame(LINES, columns=HEAD).replace("", None)
LONG = pd.DataFrame(PAIRS, columns=["id", "item"])
ONEHOT = pd.DataFrame(BITS, columns=ITEMS)
OBJECTS = {
    "lists": lambda: ROWS,
    "sets": lambda: list(map(set, ROWS)),
    "a generator": lambda: iter(ROWS),
    "pandas, table": lambda: FRAME,
    "pandas, categories": lambda: FRAME.astype("category"),
    "pandas, long": lambda: LONG,
    "pandas, onehot": lambda: ONEHOT,
    "pandas, onehot of bools": lambda: ONEHOT.astype(bool),
    "pandas, sparse": lambda: ONEHOT.astype(pd.SparseDtype("int", 0)),
    "pandas, series of lists": lambda: pd.Series(ROWS),
    "polars, table": lambda: pl.DataFrame(FRAME),
    "polars, lazy": lambda: pl.LazyFrame(FRAME),
    "polars, onehot": lambda: pl.DataFrame(ONEHOT),
    "polars, long": lambda: pl.DataFrame(LONG),
    "polars, lists": lambda: pl.DataFrame({"items": ROWS}),
    "polars, series of lists": lambda: pl.Series(ROWS),
    "Arrow, table": lambda: pa.Table.from_pandas(FRAME),
    "Arrow, onehot": lambda: pa.Table.from_pandas(ONEHOT),
    "Arrow, batch": lambda: pa.RecordBatch.from_pandas(ONEHOT),
    "records": lambda: FRAME.to_dict("records"),
    "records, onehot": lambda: ONEHOT.to_dict("records"),
    "columns": lambda: ONEHOT.to_dict("list"),
    "array": lambda: np.array(BITS),
    "array of bools": lambda: np.array(BITS, dtype=bool),
    "array of floats": lambda: np.array(BITS, dtype=float),
    "sparse matrix": lambda: sp.csr_matrix(BITS),
    "sparse array": lambda: sp.coo_array(BITS),
    "lists of bits": lambda: BITS,
    "tuples of the table": lambda: list(map(tuple, LINES)),
    "pairs": lambda: PAIRS,
    "open file": lambda: io.BytesIO(text(ROWS)),
}
"""Rows in memory."""
REFUSED = {"lists of bits", "tuples of the table", "pairs"}
"""Lists that are no rows, but may look so."""


def make_database(path):
    """A database with a long table."""
    with sqlite3.connect(path) as connection:
        connection.execute("create table pairs (id integer, item text)")
        connection.executemany("insert into pairs values (?, ?)", PAIRS)
    return f"sqlite:///{path}"


FILES = {**dict(text_ways()), **dict(written_ways()), **dict(frame_ways())}
