"""Stores: tables that come in batches give the same rows as frames, whatever holds them, and are never held whole."""

import datetime
import gc
import math
import os
import sqlite3
import subprocess
import sys
from decimal import Decimal
from uuid import UUID

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet import BudgetError, DiscreetError, InputError, Merged, OptionError, Transactions, audit, read, scan
from discreet.io import queries

SMALL = 3  # rows of a batch, so that all tables have several


class Capsule:
    """A table of a library that offers nothing but Arrow's stream."""

    def __init__(self, frame):
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema=None):
        return self._frame.__arrow_c_stream__(requested_schema)


def connect(frame):
    """The frame as a table t of SQLite, which has neither dates nor truths."""
    connection = sqlite3.connect(":memory:")
    names = ", ".join(f'"{name}"' for name in frame.columns)
    connection.execute(f"CREATE TABLE t ({names})")
    dates = pl.selectors.temporal()
    lines = frame.with_columns(dates.cast(pl.String), pl.selectors.boolean().cast(pl.Int64)).rows()
    connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(frame.columns))})", lines)
    return connection


def by_duckdb(frame, _folder):
    connection = pytest.importorskip("duckdb").connect()
    connection.register("t", frame.to_arrow())
    return connection


def in_parts(frame, folder):
    """The frame as a folder of two files, among others that are no data."""
    for at, part in enumerate((frame[: len(frame) // 2], frame[len(frame) // 2 :])):
        part.write_parquet(folder / f"part-{at}.parquet")
    (folder / "_SUCCESS").write_bytes(b"")
    (folder / ".part-0.parquet.crc").write_bytes(b"crc")
    return folder


def datasets():
    return pytest.importorskip("pyarrow.dataset")


QUERY = {"query": "SELECT * FROM t"}
STORES = {
    "lazy frame": (lambda frame, _: frame.lazy(), {}),
    "Arrow table": (lambda frame, _: frame.to_arrow(), {}),
    "Arrow reader": (lambda frame, _: frame.to_arrow().to_reader(SMALL), {}),
    "Arrow dataset": (lambda frame, _: datasets().dataset(frame.to_arrow()), {}),
    "Arrow scanner": (lambda frame, _: datasets().dataset(frame.to_arrow()).scanner(), {}),
    "capsule": (lambda frame, _: Capsule(frame), {}),
    "DuckDB relation": (lambda frame, _: by_duckdb(frame, _).sql("SELECT * FROM t"), {}),
    "DuckDB connection": (by_duckdb, QUERY),
    "SQLite connection": (lambda frame, _: connect(frame), QUERY),
    "folder": (in_parts, {}),
    "pattern": (lambda frame, folder: str(in_parts(frame, folder) / "*.parquet"), {}),
}
NO_LISTS = {"SQLite connection"}

texts = st.sampled_from(["f", "m", "é", " f", "a b", "10", "9", "", "NA"])
columns = {
    "sex": (pl.String, texts),
    "kids": (pl.Int64, st.integers(0, 3)),
    "dose": (pl.Float64, st.sampled_from([0.5, 2.0, 3.0, math.nan])),
    "day": (pl.Date, st.dates(datetime.date(2020, 1, 1), datetime.date(2020, 1, 3))),
    "code": (pl.Categorical, st.sampled_from(["x", "y"])),
}
tables = st.integers(2, 12).flatmap(
    lambda n: st.fixed_dictionaries(
        {name: st.lists(st.none() | values, min_size=n, max_size=n) for name, (_, values) in columns.items()}
    )
)
lines = st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abc")), min_size=1, max_size=12)
baskets = st.lists(st.lists(st.sampled_from("abc"), max_size=3), min_size=1, max_size=9).filter(any)
bits = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=9)


def make_table(table):
    """A table of attributes; a last row without gaps gives every column a value."""
    full = {"sex": "f", "kids": 1, "dose": 0.5, "day": datetime.date(2020, 1, 1), "code": "x"}
    data = {name: [*table[name], full[name]] for name in columns}
    return pl.DataFrame(data, schema={name: kind for name, (kind, _) in columns.items()})


FRAMES = {
    "table": (tables.map(make_table), {"format": "table", "columns": list(columns)}),
    "long": (
        lines.map(lambda some: pl.DataFrame(some, schema={"id": pl.Int64, "item": pl.String}, orient="row")),
        {"row": "id", "item": "item"},
    ),
    "lists": (baskets.map(lambda some: pl.DataFrame({"items": some}, schema={"items": pl.List(pl.String)})), {}),
    "onehot": (
        bits.map(lambda some: pl.DataFrame(some, schema={"tea": pl.Boolean, "milk": pl.Boolean}, orient="row")),
        {},
    ),
}


@pytest.fixture
def small(monkeypatch):
    for module in ("stores", "queries"):
        monkeypatch.setattr(f"discreet.io.{module}.LINES", SMALL)


@pytest.mark.parametrize("shape", FRAMES)
@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_all_stores_give_the_rows_of_the_frame(small, tmp_path_factory, shape, data):
    strategy, how = FRAMES[shape]
    frame = data.draw(strategy)
    expected = read(frame, **how)
    for name, (store, more) in STORES.items():
        if shape != "lists" or name not in NO_LISTS:
            found = read(store(frame, tmp_path_factory.mktemp("rows")), **how, **more)
            assert (found, found.schema) == (expected, expected.schema), name
            assert found.reading.shape == shape, name
