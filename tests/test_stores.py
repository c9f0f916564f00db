"""Stores: tables that come in batches give the same rows as frames, whatever holds them, and are never held whole."""

import datetime as dt
import hashlib
import json
import math
import sqlite3
import sys
from decimal import Decimal
from functools import cache
from types import SimpleNamespace
from uuid import UUID

import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet import BudgetError, InputError, Merged, OptionError, Transactions, audit, read, scan
from discreet.cli import main

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
    signs = ", ".join("?" * len(frame.columns))
    dates = pl.selectors.temporal()
    lines = frame.with_columns(dates.cast(pl.String), pl.selectors.boolean().cast(pl.Int64)).rows()
    connection.executemany(f"INSERT INTO t VALUES ({signs})", lines)  # noqa: S608 - question marks
    return connection


def arrow(frame):
    pytest.importorskip("pyarrow")
    return frame.to_arrow()


@cache
def duckdb():
    return pytest.importorskip("duckdb").connect()


def by_duckdb(frame, _folder=None):
    duckdb().execute("DROP VIEW IF EXISTS t")
    duckdb().register("t", arrow(frame))
    return duckdb()


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
    "Arrow table": (lambda frame, _: arrow(frame), {}),
    "Arrow reader": (lambda frame, _: arrow(frame).to_reader(SMALL), {}),
    "Arrow dataset": (lambda frame, _: datasets().dataset(arrow(frame)), {}),
    "Arrow scanner": (lambda frame, _: datasets().dataset(arrow(frame)).scanner(), {}),
    "capsule": (lambda frame, _: Capsule(frame), {}),
    "DuckDB relation": (lambda frame, _: by_duckdb(frame).sql("SELECT * FROM t"), {}),
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
    "day": (pl.Date, st.dates(dt.date(2020, 1, 1), dt.date(2020, 1, 3))),
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
    full = {"sex": "f", "kids": 1, "dose": 0.5, "day": dt.date(2020, 1, 1), "code": "x"}
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
@pytest.mark.usefixtures("small")
@given(data=st.data())
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_all_stores_give_the_rows_of_the_frame(tmp_path_factory, shape, data):
    strategy, how = FRAMES[shape]
    frame = data.draw(strategy)
    expected = read(frame, **how)
    for name in STORES.keys() - (NO_LISTS if shape == "lists" else ()):
        store, more = STORES[name]
        found = read(store(frame, tmp_path_factory.mktemp("rows")), **how, **more)
        assert (found, found.schema) == (expected, expected.schema), name
        assert found.reading.shape == shape, name


@pytest.mark.parametrize("name", sorted({*STORES} - {"Arrow table", "Arrow reader"}))
@pytest.mark.usefixtures("small")
def test_stores_are_scanned_as_they_are_read(tmp_path, name):
    make, more = STORES[name]
    lines = pl.DataFrame({"id": [1, 1, 2, 3, 3, 3, 4], "item": [*"abaabca"]})
    bits = pl.DataFrame({"tea": [1, 0, 1, 1], "milk": [1, 1, 1, 0]})
    for at, (frame, how) in enumerate([(lines, {"row": "id", "item": "item"}), (bits, {})]):
        (tmp_path / str(at)).mkdir()
        store = make(frame, tmp_path / str(at))
        assert scan(store, min_support=2, **how, **more) == Merged.of(read(frame, **how), 2)


@pytest.mark.parametrize("how", [{"drop": "tea"}, {"row": "tea"}, {"bins": {"tea": 2}}])
def test_options_that_a_scan_would_ignore_are_refused(how):
    with pytest.raises(OptionError, match="means nothing for a one-hot table that is scanned"):
        scan(pl.LazyFrame({"tea": [1, 0], "milk": [1, 1]}), min_support=1, **how)


def test_text_in_one_store_and_numbers_in_another_are_the_same_items():
    pandas = pytest.importorskip("pandas")
    numbers = pl.DataFrame({"kids": [0, 1, 2, 1], "dose": [1.0, 2.0, 1.0, 2.0]})
    words = pl.DataFrame({"kids": [*"0121"], "dose": [*"1212"]})
    decimals = numbers.with_columns(pl.col("dose").cast(pl.Decimal(4, 0)))
    how = {"format": "table"}
    expected = read(words, **how)
    for frame in (numbers, decimals, words):
        assert read(frame.lazy(), **how) == read(by_duckdb(frame), **how, **QUERY) == expected
    assert read(connect(words), **how, **QUERY) == read(connect(numbers), **how, **QUERY) == expected
    assert read(pandas.DataFrame({"kids": [0, 1, 2, 1], "dose": [*"1212"]}), **how) == expected


def batches_of(pyarrow, many, seen):
    """Yield batches of a large table, and note what Arrow holds at each; texts take most of it."""
    for at in range(many):
        ids = [at * 1000 + number // 2 for number in range(2000)]
        seen.append(pyarrow.total_allocated_bytes())
        yield pyarrow.record_batch({"id": ids, "item": ["a", "b"] * 1000, "note": ["x" * 500] * 2000})


@pytest.mark.parametrize("wanted", [{"row": "id", "item": "item"}, {"columns": ["item", "note"], "format": "table"}])
def test_a_large_stream_is_never_held_whole(wanted):
    pyarrow = pytest.importorskip("pyarrow")
    seen = []
    (first,) = batches_of(pyarrow, 1, [])
    stream = pyarrow.RecordBatchReader.from_batches(first.schema, batches_of(pyarrow, 50, seen))
    before = pyarrow.total_allocated_bytes()
    assert read(stream, **wanted).n == (50_000 if "row" in wanted else 100_000)
    assert max(seen) - before < 4 * first.nbytes  # of 50


def test_what_is_held_is_bounded_by_memory():
    pyarrow = pytest.importorskip("pyarrow")
    (first,) = batches_of(pyarrow, 1, [])
    how, seen = {"columns": ["item", "note"], "format": "table"}, []

    def stream(many):
        return pyarrow.RecordBatchReader.from_batches(first.schema, batches_of(pyarrow, many, seen))

    assert read(stream(50), memory=20 * first.num_rows * 50, **how).n == 100_000  # a twentieth of the texts
    seen.clear()
    with pytest.raises(BudgetError, match=r"the table holds more than the 97\.7 KiB that memory= allows: raise it"):
        read(stream(50), memory=100_000, **how)
    assert len(seen) < 10


def test_all_different_texts_count():
    texts = pl.LazyFrame({"note": [f"{number} {'x' * 100}" for number in range(5000)], "item": ["a"] * 5000})
    with pytest.raises(BudgetError, match="the table holds more than"):
        read(texts, format="table", memory=400_000)


def test_a_stream_that_was_read_before_is_refused():
    pyarrow = pytest.importorskip("pyarrow")
    stream = pyarrow.table({"id": [1, 1, 2], "item": ["a", "b", "a"]}).to_reader()
    assert read(stream) == Transactions([["a", "b"], ["a"]], ids=[1, 2])
    with pytest.raises(InputError, match=r"the table has no rows.*a stream that was read before has none left"):
        read(stream)
    with pytest.raises(OptionError, match="rows are scanned twice, which a pipe, an open file, a stream"):
        scan(stream, min_support=1, row="id", item="item")


def test_a_stream_of_patterns_is_read_once():
    pyarrow = pytest.importorskip("pyarrow")
    stream = pyarrow.table({"itemsets": [["a"], ["a", "b"]], "count": [50, 48]}).to_reader()
    assert audit(stream, n=60, k=3).verdict.name == "WITHHOLD"


def test_rows_that_differ_between_two_passes_are_refused():
    class Drifting(Capsule):
        def __arrow_c_stream__(self, requested_schema=None):
            self._frame = self._frame[1:]
            return super().__arrow_c_stream__(requested_schema)

    store = Drifting(pl.DataFrame({"tea": [1, 1, 1, 1, 1], "milk": [1, 0, 1, 0, 1]}))
    with pytest.raises(InputError, match="the rows have changed between two passes over them; scan them again"):
        scan(store, min_support=1)


def test_only_the_columns_that_are_needed_are_read_if_it_is_known_whose_rows_these_are():
    pytest.importorskip("pyarrow")
    asked = []

    class Table:
        schema = SimpleNamespace(names=["id", "item", "who", "note"])
        get_fragments = None

        def to_batches(self, *, columns, batch_size):
            asked.append((columns, batch_size > 1))
            return [pl.DataFrame({"id": [1], "item": ["a"], "who": [7]})]

    assert read(Table(), row="id", item="item", person="who", per="visit") == Transactions([["a"]], ids=[1])
    assert read(Table(), row="id", item="item") == Transactions([["a"]], ids=[1])
    assert asked == [(["id", "item", "who"], True), (None, True)]
    with pytest.raises(InputError, match="none of the 3 columns is called 'itme'"):
        read(Table(), row="id", item="itme")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Ibis, by what DuckDB calls old
def test_tables_of_ibis_are_read_and_scanned(tmp_path):
    ibis = pytest.importorskip("ibis")
    frame = pl.DataFrame({"id": [1, 1, 2], "item": ["a", "b", "a"]})
    frame.write_parquet(tmp_path / "rows.parquet")
    table = ibis.duckdb.connect().read_parquet(tmp_path / "rows.parquet").order_by("id", "item")
    assert read(table) == read(frame)
    assert scan(table, row="id", item="item", min_support=1) == Merged.of(read(frame), 1)


@pytest.mark.parametrize(
    "make", [lambda table: table, lambda table: table.to_reader(), lambda table: table.to_batches()[0]]
)
def test_a_text_that_is_not_utf_8_is_refused_in_words(make):
    pyarrow = pytest.importorskip("pyarrow")  # PostgreSQL gives such texts where it knows no encoding
    town = pyarrow.array([b"\xff", b"ok"]).view(pyarrow.string())
    with pytest.raises(InputError, match="a text of the table is not UTF-8, or the table is damaged"):
        read(make(pyarrow.table({"sex": ["f", "m"], "town": town})))


def test_a_type_that_cannot_be_read_is_refused_in_words():
    relation = by_duckdb(pl.DataFrame({"sex": ["f"]})).sql("SELECT *, INTERVAL 3 DAY AS stay FROM t")
    with pytest.raises(
        InputError, match="a column is of a type that cannot be read, such as an interval; leave it out"
    ):
        read(relation)


@pytest.mark.parametrize(
    ("how", "error", "problem"),
    [
        ({}, OptionError, "a connection needs a query that says what to read; give it with query="),
        ({"query": " "}, OptionError, "a connection needs a query"),
        ({"query": "SELECT 1", "table": "t"}, OptionError, "table= is for the URL of a database"),
        ({"query": "SELECT nope"}, InputError, r"could not be collected \(OperationalError\); check how it is written"),
        ({"query": "CREATE TABLE u (a)"}, InputError, "the query gives no lines; write one that selects some"),
        ({"query": "SELECT 1 AS a WHERE 0"}, InputError, "the table has no rows"),
        ({"query": "SELECT 1 AS a, 2 AS a"}, InputError, "two columns of the query have the same name"),
        ({"query": "SELECT 1 AS a UNION ALL SELECT 'x'"}, InputError, "column 'a' holds values of 2 types"),
        ({"query": "SELECT 1 AS a UNION ALL SELECT 0.5"}, InputError, "column 'a' holds values of 2 types"),
        ({"query": "SELECT 1", "separator": ";"}, OptionError, "separator= means nothing"),
        ({"query": "SELECT 1", "format": "fimi"}, OptionError, "a frame has no format 'fimi'"),
    ],
)
def test_bad_queries_are_refused_in_one_sentence(how, error, problem):
    connection = connect(pl.DataFrame({"id": [1], "item": ["a"]}))
    with pytest.raises(error, match=problem):
        read(connection, **how)
    assert read(connection, query="SELECT id, item FROM t", row="id", item="item").n == 1


def test_a_query_is_for_a_database():
    with pytest.raises(
        OptionError, match="query= is for a database, not for list; give its URL, or an open connection"
    ):
        read([["a"]], query="SELECT 1")


class Cursor:
    """A cursor of a library that gives records, decimals and UUIDs; it notes how it was opened and closed."""

    description = ("id",), ("item",)

    def __init__(self, log, *how, **more):
        self._log, self._left = log, [{"id": UUID(int=at), "item": at and Decimal("1.50")} for at in (0, 1, 2)]
        self._left[0]["item"] = None
        log.append((how, more))

    def execute(self, query):
        self._log.append(query)

    def fetchmany(self, size):
        some, self._left = self._left[:size], self._left[size:]
        return some

    def close(self):
        self._log.append("closed")


def connection_of(library, log):
    methods = {"cursor": lambda _, *how, **more: Cursor(log, *how, **more), "commit": None, "close": None}
    return type("Connection", (), {**methods, "autocommit": False, "__module__": f"{library}.connections"})()


@pytest.mark.parametrize(
    ("library", "opened"),
    [
        ("pymysql", (("unbuffered",), {})),
        ("psycopg", (("discreet",), {"withhold": False})),
        ("pyodbc", ((), {})),
        ("mysql", ((), {})),
    ],
)
def test_results_stay_on_the_server(monkeypatch, library, opened):
    monkeypatch.setattr("discreet.io.queries.LINES", 1)
    monkeypatch.setitem(sys.modules, "pymysql.cursors", SimpleNamespace(SSCursor="unbuffered"))
    log = []
    rows = read(connection_of(library, log), query="SELECT", format="table", columns=["id", "item"])
    names = [f"id={UUID(int=at)}" for at in (0, 1, 2)]
    assert rows == Transactions([{names[0]}, {names[1], "item=1.50"}, {names[2], "item=1.50"}])
    assert log == [opened, "SELECT", "closed"]


def test_a_cursor_is_closed_where_reading_stops(monkeypatch):
    monkeypatch.setattr("discreet.io.queries.LINES", 1)
    log = []
    with pytest.raises(BudgetError):
        read(connection_of("mysql", log), query="SELECT", memory=1)
    assert log[-1] == "closed"


PEOPLE = pl.DataFrame({"sex": ["f", "m", "f", "m"] * 5, "smoker": ["yes", "no"] * 10})


@pytest.fixture
def years(tmp_path):
    """A folder of two partitions, with files beside that are no data."""
    for year in ("2020", "2021"):
        (tmp_path / "people" / f"year={year}").mkdir(parents=True)
        PEOPLE.write_parquet(tmp_path / "people" / f"year={year}" / "part-0.parquet")
        (tmp_path / "people" / f"year={year}" / "_metadata.parquet").write_bytes(b"no data")
    (tmp_path / "people" / "_SUCCESS").write_bytes(b"")
    return tmp_path / "people"


def test_partitions_are_columns(years):
    both = [PEOPLE.with_columns(pl.lit(year).alias("year")) for year in (2020, 2021)]
    expected = read(pl.concat(both))
    assert read(years) == read(f"{years}/*/*.parquet") == read(f"{years}/**/*.parquet") == expected
    assert str(read(years).reading).endswith("; 2 files of one table")
    assert read(years / "year=2020") == read(PEOPLE)  # it names no column of the files within
    assert read(years, drop="year") == read(pl.concat(both), drop="year")


def test_partitions_may_be_text_or_missing(years):
    (years / "year=2021").rename(years / "year=__HIVE_DEFAULT_PARTITION__")
    assert {label for label in read(years).labels if label.startswith("year")} == {"year=2020"}
    (years / "year=2020").rename(years / "year=a%2Fb")
    assert {label for label in read(years).labels if label.startswith("year")} == {"year=a/b"}


def spoil(years, name, frame):
    (years / name).parent.mkdir(exist_ok=True)
    frame.write_parquet(years / name) if isinstance(frame, pl.DataFrame) else (years / name).write_bytes(frame)


@pytest.mark.parametrize(
    ("name", "frame", "problem"),
    [
        (
            "year=2021/b.parquet",
            PEOPLE[["sex"]],
            "column 'smoker' is String in year=2020/part-0.parquet and missing in year=2021/b.parquet",
        ),
        (
            "year=2021/b.parquet",
            PEOPLE.with_columns(sex=1),
            "column 'sex' is String in year=2020/part-0.parquet and Int32 in year=2021/b",
        ),
        (
            "year=2020/a.parquet",
            PEOPLE.with_columns(year=1),
            "'year' is in the files and in the names of their folders",
        ),
        ("year=2021/b.parquet", b"", "b.parquet: the file is empty; an export has probably failed"),
        ("year=2021/b.parquet", b"no table", "b.parquet: this is no Parquet file"),
        ("month=5/b.parquet", PEOPLE, "the folders within do not have the same partitions"),
        ("_delta_log/0.json", b"{}", "this is a table of Delta Lake, where files may be outdated"),
        ("metadata/v1.metadata.json", b"{}", "this is a table of Iceberg, where files may be outdated"),
    ],
)
def test_folders_that_are_no_table_are_refused(years, name, frame, problem):
    spoil(years, name, frame)
    for reader in (read, lambda place: scan(place, min_support=1, items="sex")):
        with pytest.raises(InputError, match=f"people: .*{problem}"):
            reader(years)


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ("people", "this is a directory; give a file in it, or a folder of Parquet files"),
        ("*.parquet", "there is no such file; check the pattern of names"),
        ("*.csv", "rows.csv is no Parquet file, and only these are read as parts of one table; name it alone"),
    ],
)
def test_places_without_parquet_are_refused(tmp_path, place, problem):
    (tmp_path / "people").mkdir()
    (tmp_path / "rows.csv").write_text("a,b\n")
    with pytest.raises(InputError, match=problem):
        read(tmp_path / place)


def test_parts_may_have_their_columns_in_another_order(years):
    rows = read(years)
    spoil(years, "year=2021/b.parquet", PEOPLE.select(reversed(PEOPLE.columns)))
    assert (read(years).n, read(years).labels) == (rows.n + len(PEOPLE), rows.labels)


@pytest.mark.parametrize("link", ["symlink_to", "hardlink_to"])
def test_a_file_by_two_names_does_not_count_twice(tmp_path, link):
    PEOPLE.write_parquet(tmp_path / "a.parquet")
    getattr(tmp_path / "b.parquet", link)(tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"a\.parquet and .*b\.parquet are one file, whose rows would count twice"):
        read(tmp_path)


def test_a_pattern_that_runs_in_circles_is_refused(tmp_path):
    PEOPLE.write_parquet(tmp_path / "a.parquet")
    (tmp_path / "again").symlink_to(tmp_path)
    assert read(tmp_path).n == len(PEOPLE)
    with pytest.raises(InputError, match="are one file, whose rows would count twice"):
        read(tmp_path / "**" / "*.parquet")


def test_parts_that_are_listed_are_not_taken_for_tables_of_the_same_people(years):
    with pytest.raises(OptionError, match="if they are parts of one table, give their folder, or a pattern of names"):
        read(sorted(years.rglob("part-*.parquet")))


def test_the_command_line_reads_folders_and_patterns(years):
    digest = hashlib.sha256()
    for year in (2020, 2021):
        digest.update(f"year={year}\n".encode() + (years / f"year={year}" / "part-0.parquet").read_bytes())
    for place in (years, years / "*" / "*.parquet"):
        result = CliRunner().invoke(main, ["audit", str(place), "--min-support", "5", "-k", "3", "--json"])
        found = json.loads(result.stdout)
        assert (found["reading"]["n"], found["input"]["sha256"]) == (40, digest.hexdigest())
    assert "2 files of one table" in result.stderr


def test_a_folder_that_does_not_fit_is_scanned(tmp_path):
    folder = tmp_path / "rows"
    folder.mkdir()
    for at in range(2):
        items = [[f"item {at + number // 500 + more}" for more in range(50)] for number in range(4000)]
        pl.DataFrame({"items": items}).write_parquet(folder / f"{at}.parquet", row_group_size=500)
    words = ["mine", str(folder), "--min-support", "1000", "--out", str(tmp_path / "mined.json"), "--memory"]
    results = [CliRunner().invoke(main, [*words, memory]) for memory in ("1GB", "2500KB")]
    assert [result.exit_code for result in results] == [0, 0]
    assert ["it is scanned twice" in result.stderr for result in results] == [False, True]
    assert results[0].stdout == results[1].stdout
