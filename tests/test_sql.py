"""Databases: what is in a table is what is in a file; what is rare stays there; and nothing is told of where it is."""

import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
from io import BytesIO
from pathlib import Path
from time import perf_counter
from urllib.parse import quote

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import discreet
from discreet import InputError, Merged, OptionError, OutputError, Transactions, hide, read, scan, write
from discreet.cli import main
from discreet.io import databases, drivers
from discreet.io.lines import quote_names, split_name
from discreet.io.options import RowOptions

duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install 'discreet[sql]'")
pytest.importorskip("adbc_driver_postgresql", reason="the driver is not installed: pip install 'discreet[sql]'")

PROGRAMS = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)
USER, PASSWORD = "owner-of-the-ward", "s3/cr;t w%rd@'q\"zx"
IN_URL = quote(PASSWORD, safe="")
COLUMNS = {"row": "patient", "item": "drug"}
ASKED = {"table": "stays", **COLUMNS}
LINES = [(7, "a"), (3, "a"), (7, "b"), (7, "a"), (12, "c")]


def pieces(*words):
    """All pieces of four letters: whoever knows one knows too much."""
    return {word[at : at + 4] for word in words for at in range(len(word) - 3)}


PRIVATE = (*pieces(PASSWORD, IN_URL), USER, "127.0.0.1")

labels = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=5),
    st.lists(st.text(max_size=4), min_size=1, max_size=5),
)


class Server:
    """A PostgreSQL server of ours, in a folder of its own; who comes needs the password."""

    def __init__(self, folder):
        self.folder = folder
        self.user = "postgres" if os.getuid() == 0 else None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"postgresql://{USER}:{IN_URL}@127.0.0.1:{self.port}/postgres"

    def make(self):
        word = self.folder / "word"
        word.write_text(PASSWORD)
        if self.user:
            shutil.chown(self.folder, self.user)
            shutil.chown(word, self.user)
        self._run(
            "initdb", "-U", USER, f"--pwfile={word}", "-A", "scram-sha-256", "-E", "UTF8", "--no-sync", "--no-locale"
        )
        self.start()

    def start(self):
        # The compiler of queries and workers of its own would only slow small tests down.
        told = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c fsync=off -c jit=off"
        self._run("pg_ctl", "-w", "-l", str(self.folder / "log"), "-o", told, "start")

    def stop(self):
        self._run("pg_ctl", "-w", "-m", "immediate", "stop")

    def execute(self, *statements):
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(self.url, autocommit=True) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def _run(self, program, *arguments):
        subprocess.run(
            [PROGRAMS / program, "-D", self.folder / "data", *arguments],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, user=self.user, cwd="/",
        )  # fmt: skip


@pytest.fixture(scope="module")
def server():
    if PROGRAMS is None or not (PROGRAMS / "initdb").exists():
        pytest.skip("PostgreSQL is not installed: apt install postgresql")
    folder = Path(subprocess.run(["mktemp", "-d"], capture_output=True, text=True, check=True).stdout.strip())  # noqa: S607 - short, as the names of sockets must be
    folder.chmod(0o755)
    server = Server(folder)
    try:
        server.make()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "duckdb", "postgresql"])
def url(request, tmp_path):
    """A database in which nothing is yet."""
    if request.param != "postgresql":
        return f"{request.param}:///{tmp_path / 'ward'}"
    server = request.getfixturevalue("server")
    server.execute("DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
    return server.url


@pytest.fixture
def stays(tmp_path):
    """A SQLite database with a table of lines."""
    return made(tmp_path / "ward.db", "CREATE TABLE stays (patient INTEGER, drug TEXT)", LINES)


def made(path, statement, lines):
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.executemany(f"INSERT INTO {statement.split()[2]} VALUES (?, ?)", lines)  # noqa: S608 - ours
    connection.commit()
    connection.close()
    return f"sqlite:///{path}"


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)))


def test_a_table_gives_the_rows_that_its_lines_give_in_csv(stays):
    lines = "".join(f"{row},{item}\n" for row, item in sorted(LINES))
    expected = read(BytesIO(f"patient,drug\n{lines}".encode()), format="csv", **COLUMNS)
    assert read(stays, **ASKED) == expected
    assert list(expected.ids) == [3, 7, 12]


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(items=labels, rows=st.lists(st.sets(st.integers(0, 4), min_size=1), max_size=8), least=st.integers(1, 4))
@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_what_is_written_is_read_and_what_is_scanned_is_what_is_read_merged(tmp_path, kind, items, rows, least):
    baskets = [{items[at % len(items)] for at in row} for row in rows]
    ids = [f"{number % 3}é'{number}" for number in range(len(rows))]
    url = f"{kind}:///{tmp_path / os.urandom(8).hex()}"
    write(Transactions(baskets, ids=ids), url, **ASKED)
    expected = sorted(zip(ids, map(frozenset, baskets), strict=True))
    found = read(url, **ASKED)
    assert list(zip(found.ids, found, strict=True)) == expected
    assert scan(url, min_support=least, **ASKED) == Merged.of(baskets, least)
    assert scan(url, min_support=least, query="SELECT * FROM stays -- all", **COLUMNS) == Merged.of(baskets, least)


@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(items=labels, rows=st.lists(st.sets(st.integers(0, 4), min_size=1), max_size=8), least=st.integers(1, 4))
def test_postgresql_gives_back_what_was_written_and_scans_as_it_reads(server, items, rows, least):
    kept = [item.replace("\0", "0") if isinstance(item, str) else item for item in items]
    baskets = [{kept[at % len(kept)] for at in row} for row in rows]
    server.execute("DROP TABLE IF EXISTS stays")
    write(Transactions(baskets, ids=list(range(len(rows)))), server.url, **ASKED)
    assert list(read(server.url, **ASKED)) == list(map(frozenset, baskets))
    assert scan(server.url, min_support=least, **ASKED) == Merged.of(baskets, least)


def test_names_are_names_whatever_stands_in_them(url):
    rows = Transactions([["x'; DROP TABLE a; --", 'q"'], ["q\\"]], ids=["1) --", "ü"])
    names = {"table": '"a""; DROP TABLE b; --"', "row": 'r"; --', "item": "i'.x"}
    write(rows, url, **names)
    assert read(url, **names) == rows
    assert scan(url, min_support=1, **names) == Merged.of(rows, 1)
    with pytest.raises(InputError, match="no such table"):
        read(url, **{**names, "table": "b"})


@pytest.mark.parametrize("table", ["", ".", "a.", ".a", 'a"b', '"a', "a.b.c", 'stays"; DROP TABLE stays', "a\0b"])
def test_what_is_no_name_of_a_table_is_refused(table):
    with pytest.raises(OptionError, match="give its name"):
        split_name(table)


def test_a_name_may_have_a_schema_and_quotes():
    assert (split_name("ward.stays"), split_name('"a.b"."c""d"'), quote_names("a", 'b"')) == (
        ("ward", "stays"),
        ("a.b", 'c"d'),
        '"a"."b"""',
    )


def test_text_is_told_apart_by_its_letters_whatever_the_database_does(tmp_path):
    lines = [("a", "X"), ("A", "x"), ("a", "x"), ("B", "X")]
    expected = [("A", {"x"}), ("B", {"X"}), ("a", {"X", "x"})]
    first = made(
        tmp_path / "ward.db", "CREATE TABLE stays (patient TEXT COLLATE NOCASE, drug TEXT COLLATE NOCASE)", lines
    )
    connection = duckdb.connect(str(tmp_path / "ward.duckdb"))
    connection.execute("CREATE TABLE stays (patient VARCHAR COLLATE NOCASE, drug VARCHAR COLLATE NOCASE)")
    connection.executemany("INSERT INTO stays VALUES (?, ?)", lines)
    connection.close()
    for url in (first, f"duckdb:///{tmp_path}/ward.duckdb"):
        found = read(url, **ASKED)
        assert list(zip(found.ids, found, strict=True)) == expected
        assert scan(url, min_support=2, **ASKED) == Merged.of([row for _, row in expected], 2)


@pytest.mark.parametrize("lines", [1, 2, 3])
def test_rows_are_read_whole_however_the_lines_are_cut(stays, monkeypatch, lines):
    expected = read(stays, **ASKED)
    monkeypatch.setattr("discreet.io.drivers.LINES", lines)
    assert read(stays, **ASKED) == expected
    assert scan(stays, min_support=1, **ASKED) == Merged.of(expected, 1)


def test_reading_can_be_stopped_in_the_middle(url):
    def stop(*_):
        raise KeyboardInterrupt

    write(Transactions([["a"], ["b"]], ids=[1, 2]), url, **ASKED)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            databases.read(url, RowOptions(**ASKED), progress=stop)
    assert read(url, **ASKED).n == 2


def test_an_empty_table_has_no_rows(tmp_path):
    url = made(tmp_path / "ward.db", "CREATE TABLE stays (patient INTEGER, drug TEXT)", [])
    assert (read(url, **ASKED).n, scan(url, min_support=1, **ASKED).n) == (0, 0)


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ([(1, "a"), (None, "b"), (None, "c")], "2 row ids are missing"),
        ([(1, None), (2, "b")], "1 items are missing"),
        ([(1, 1.5)], "type real"),
        ([(1, "a"), (1, 2)], "type integer and text"),
        ([(b"x", "a")], "type blob"),
    ],
)
def test_values_that_name_nothing_are_refused(tmp_path, lines, sentence):
    url = made(tmp_path / "ward.db", "CREATE TABLE stays (patient, drug)", lines)
    for reader in (read, lambda *place, **asked: scan(*place, min_support=1, **asked)):
        with pytest.raises(InputError, match=sentence):
            reader(url, **ASKED)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"table": "wards", **COLUMNS}, "there is no such table"),
        ({"table": "stays", "row": "Patient", "item": "drug"}, "no column is called 'Patient'"),
        ({"query": "SELECT patient FROM stays", **COLUMNS}, "no column is called 'drug'"),
        ({"query": "SELEC", **COLUMNS}, "check"),
        ({"query": "SELECT 1; DROP TABLE stays", **COLUMNS}, "check"),
    ],
)
def test_what_is_not_there_is_said_in_a_sentence(url, asked, sentence):
    write(Transactions([["a"]], ids=[1]), url, **ASKED)
    with pytest.raises(InputError, match=sentence) as error:
        read(url, **asked)
    assert "\n" not in str(error.value)
    assert read(url, **ASKED).n == 1


@pytest.mark.parametrize(
    "asked",
    [{}, COLUMNS, {"table": "stays"}, {"table": "stays", "query": "SELECT 1", **COLUMNS}, {**ASKED, "format": "csv"}],
)
def test_what_does_not_name_lines_is_refused(stays, asked):
    with pytest.raises(OptionError):
        read(stays, **asked)


@pytest.mark.parametrize("url", ["sqlite:///no/such.db", "duckdb:///no/such.duckdb"])
def test_a_file_that_is_not_there_is_not_made(url):
    with pytest.raises(InputError, match="no such file"):
        read(url, **ASKED)


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
def test_a_file_that_is_no_database_is_refused(tmp_path, scheme):
    (tmp_path / "junk").write_bytes(b"no database " * 1000)
    with pytest.raises(InputError, match="is no"):
        read(f"{scheme}:///{tmp_path / 'junk'}", **ASKED)


@pytest.mark.parametrize("reader", [read, discreet.read_patterns, discreet.read_sensitive])
def test_the_url_of_anything_else_is_refused_without_being_told(reader):
    with pytest.raises(discreet.DiscreetError) as error:
        reader("mysql://ada:secret@host/ward.csv")
    assert "secret" not in str(error.value)
    assert "host/ward" not in str(error.value)


@pytest.mark.parametrize("package", ["duckdb", "pyarrow", "adbc_driver_postgresql.dbapi"])
def test_without_its_packages_a_database_names_the_extra(monkeypatch, tmp_path, package):
    monkeypatch.setitem(sys.modules, package, None)
    url = f"duckdb:///{tmp_path}/x" if not package.startswith("adbc") else "postgresql://ada:secret@host/ward"
    with pytest.raises(OptionError, match=r"pip install 'discreet\[sql\]'"):
        read(url, **ASKED)


def test_a_table_that_is_there_is_not_touched(url):
    write(Transactions([["a"]], ids=[1]), url, **ASKED)
    with pytest.raises(OutputError, match="such a table already"):
        write(Transactions([["b"]], ids=[2]), url, **ASKED)
    assert [sorted(row) for row in read(url, **ASKED)] == [["a"]]


def test_what_fails_in_the_middle_of_writing_leaves_nothing(url, monkeypatch):
    def broken(*_):
        yield [1], ["a"]
        raise InputError("broken")

    monkeypatch.setattr("discreet.io.lines.NewRows.chunks", broken)
    with pytest.raises(OutputError, match="broken"):
        write(Transactions([["a"]], ids=[1]), url, **ASKED)
    monkeypatch.undo()
    assert url.startswith("postgresql") or not Path(url.partition("://")[2][1:]).exists()
    write(Transactions([["a"]], ids=[1]), url, **ASKED)


@pytest.mark.parametrize(
    ("rows", "ids"),
    [([["a"], []], None), ([["a"], ["b"]], [1, 1]), ([["a"]], [1.5]), ([["a"], ["b"]], [1, "x"]), ([["a", 1]], None),
     ([[2**63]], None), ([["\ud800"]], None)],
)  # fmt: skip
def test_rows_that_lines_cannot_hold_are_refused(tmp_path, rows, ids):
    with pytest.raises(OutputError):
        write(Transactions(rows, ids=ids), f"sqlite:///{tmp_path / 'ward.db'}", **ASKED)
    assert list(tmp_path.iterdir()) == []


def test_a_character_that_postgresql_cannot_hold_is_refused_and_nothing_is_left(server):
    server.execute("DROP TABLE IF EXISTS stays")
    with pytest.raises(OutputError, match="character"):
        write(Transactions([["a\0b"]]), server.url, **ASKED)
    with pytest.raises(InputError, match="no such table"):
        read(server.url, **ASKED)


def test_types_of_postgresql_with_a_text_that_people_know_are_read(server):
    server.execute(
        "DROP TABLE IF EXISTS odd",
        "CREATE TABLE odd (a uuid, b varchar(9), c smallint, d numeric, e date)",
        "INSERT INTO odd VALUES ('550e8400-e29b-41d4-a716-446655440000', 'ä', 7, 1.5, '2020-01-01')",
    )
    rows = read(server.url, table="public.odd", row="a", item="b")
    assert (list(rows.ids), list(rows)) == (["550e8400-e29b-41d4-a716-446655440000"], [{"ä"}])
    assert list(read(server.url, table="odd", row="b", item="c")) == [{7}]
    for name in "de":
        with pytest.raises(InputError, match="CAST"):
            read(server.url, table="odd", row=name, item="b")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (IN_URL, "wr0ng", "refuses the user or the password"),
        (f":{IN_URL}", "", "refuses the user or the password"),
        ("/postgres", "/nowhere", "no such database"),
        ("127.0.0.1:", "127.0.0.1:1", "cannot be reached|no address"),
        ("127.0.0.1", "[", "no address"),
    ],
)
def test_a_server_that_lets_nobody_in_is_told_in_a_sentence_and_nothing_of_it(server, old, new, sentence, monkeypatch):
    monkeypatch.delenv("PGPASSWORD", raising=False)
    with pytest.raises(InputError, match=sentence) as error:
        read(server.url.replace(old, new, 1) if old != "/postgres" else server.url.removesuffix(old) + new, **ASKED)
    assert [word for word in (*PRIVATE, str(server.port), "wr0ng") if word in str(error.value)] == []


def test_the_password_may_come_from_the_environment(server, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    server.execute("DROP TABLE IF EXISTS stays")
    write(Transactions([["a"]]), server.url, **ASKED)
    assert read(server.url.replace(f":{IN_URL}", ""), **ASKED).n == 1


def long_table(server, name, lines):
    """Ten lines a row: four of 20 items that many rows hold, six of items that few do."""
    server.execute(
        f"DROP TABLE IF EXISTS {name}",
        f"CREATE TABLE {name} AS SELECT (i / 10)::int AS patient, 'drug ' || (CASE WHEN i % 10 < 4 "  # noqa: S608 - ours
        f"THEN i / 10 * (1 + i % 10) % 20 ELSE 20 + (i::bigint * 7919) % 50021 END) AS drug "
        f"FROM generate_series(0, {lines - 1}) i",
    )


@pytest.fixture
def arrived(monkeypatch):
    """How many lines each batch has that comes from PostgreSQL, as Arrow counts them, before any of ours sees it."""
    lines, ours = [], drivers.batch_arrow

    def counted(reader):
        for batch in reader:
            lines.append(batch.num_rows)
            yield batch

    monkeypatch.setattr(drivers, "batch_arrow", lambda reader: ours(counted(reader)))
    return lines


@pytest.mark.parametrize("lines", [200_000, pytest.param(5_000_000, marks=pytest.mark.skipif(
    "DISCREET_LARGE" not in os.environ, reason="takes a minute: set DISCREET_LARGE to run it"))])  # fmt: skip
def test_fewer_than_half_of_the_lines_travel_when_most_items_are_rare(
    server, lines, tmp_path, arrived, record_property
):
    long_table(server, "long", lines)
    out, start = tmp_path / "audit.json", perf_counter()
    done = run("audit", server.url, "--table", "long", "--row", "patient", "--item", "drug",
               "--min-support", "1%", "-k", 5, "--out", out)  # fmt: skip
    seconds, travelled = perf_counter() - start, sum(arrived)
    record_property(
        f"audit of {lines:,} lines in PostgreSQL", f"{travelled:,} lines transferred, {seconds:.1f} seconds"
    )
    assert 0 < travelled < lines / 2
    assert done.exit_code in {0, 1}
    assert [word for word in PRIVATE if word in done.output + out.read_text()] == []
    told = []
    merged = scan(server.url, table="long", min_support="1%", progress=lambda _, come: told.append(come), **COLUMNS)
    assert (merged.n, len(merged.labels), told[-1]) == (lines // 10, 20, travelled)
    # Of five million lines the rows take too long to read.
    rows = read(server.url, table="long", **COLUMNS) if lines <= 200_000 else merged
    assert merged == (rows if rows is merged else Merged.of(rows, "1%"))
    assert f'"{discreet.audit(rows, min_support="1%", k=5).verdict.name}"' in out.read_text()


@pytest.mark.parametrize("arguments", [
    ["detect", "URL", "--min-support", "1%"],
    ["detect", "patterns.json", "--rows", "URL"],
    ["audit", "patterns.json", "--rows", "URL"],
    ["report", "URL", "--min-support", "1%"],
], ids=" ".join)  # fmt: skip
def test_what_needs_no_row_ids_leaves_rare_items_in_the_database(server, arguments, tmp_path, arrived, monkeypatch):
    monkeypatch.chdir(tmp_path)
    long_table(server, "long", 100_000)
    rows = read(server.url, table="long", **COLUMNS)
    arrived.clear()
    discreet.write_patterns(discreet.mine(rows, min_support="1%", kind="maximal"), "patterns.json")
    given = [server.url if part == "URL" else part for part in arguments]
    done = run(*given, "--table", "long", "--row", "patient", "--item", "drug", "-k", 5)
    assert (done.exit_code, done.stderr if done.exit_code == 2 else "") in {(0, ""), (1, "")}
    assert 0 < sum(arrived) < 50_000


@pytest.mark.parametrize(
    "reader",
    [
        lambda url, progress, **asked: databases.read(url, RowOptions(**asked), progress=progress),
        lambda url, **asked: scan(url, min_support=1, **asked),
    ],
)
def test_a_server_that_goes_away_in_the_middle_is_told_in_a_sentence(server, reader):
    long_table(server, "long", 2_000_000)
    killed = threading.Event()

    def kill(*_):
        if not killed.is_set():
            killed.set()
            server.stop()

    try:
        with pytest.raises(InputError, match="went away") as error:
            reader(server.url, table="long", progress=kill, **COLUMNS)
    finally:
        if killed.is_set():
            server.start()
    assert [word for word in PRIVATE if word in str(error.value)] == []


def test_a_server_that_is_killed_leaves_no_half_of_a_report(server, tmp_path):
    long_table(server, "long", 2_000_000)
    out = tmp_path / "audit.json"
    command = [sys.executable, "-m", "discreet", "audit", server.url, "--table", "long", "--row", "patient",
               "--item", "drug", "--min-support", "1%", "-k", "5", "--out", out]  # fmt: skip
    if not (Path(discreet.__file__).parent / "__main__.py").exists():
        command[1:3] = ["-c", "from discreet.cli import main; main()"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        wait_for_query(server)
        server.stop()
        said = "".join(process.communicate(timeout=100))
    finally:
        process.kill()
        server.start()
    assert process.returncode == 2
    assert said.count("\n") == 1
    assert "went away" in said
    assert [word for word in PRIVATE if word in said] == []
    assert list(tmp_path.iterdir()) == []


def wait_for_query(server):
    from adbc_driver_postgresql import dbapi

    with dbapi.connect(server.url, autocommit=True) as connection, connection.cursor() as cursor:
        for _ in range(1000):
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%lines%' AND query NOT LIKE '%pg_stat%'"
            )
            if cursor.fetchone()[0]:
                return
            threading.Event().wait(0.05)
    pytest.fail("the command line has not come to the server")


COMMANDS = {
    "audit": ["--min-support", "1", "-k", "2"],
    "detect": ["--min-support", "1", "-k", "2"],
    "mine": ["--min-support", "1"],
    "tradeoff": ["--min-support", "1,2", "-k", "2"],
    "block": ["--min-support", "1", "-k", "2", "--method", "suppress"],
    "query": ["a & ~b"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_give_of_a_table_what_they_give_of_a_file(stays, tmp_path, command):
    file = tmp_path / "stays.csv"
    file.write_text("patient,drug\n" + "".join(f"{row},{item}\n" for row, item in sorted(LINES)))
    rest = [*COMMANDS[command], "--row", "patient", "--item", "drug", "--json"]
    expected, found = run(command, file, *rest), run(command, stays, *rest, "--table", "stays")
    assert found.exit_code == expected.exit_code
    assert len(without_source(expected.stdout)) > 2
    assert without_source(found.stdout) == without_source(expected.stdout)


def without_source(text):
    return [
        line for line in text.splitlines() if not any(word in line.lower() for word in ("stays", "sha256", '"reading"'))
    ]


def test_a_report_names_the_table_and_a_digest_but_not_where_it_is(stays, tmp_path):
    out = tmp_path / "page.html"
    asked = ["--table", "stays", "--row", "patient", "--item", "drug", "--min-support", "1", "-k", "2"]
    assert run("report", stays, *asked, "--out", out).exit_code == 1
    page = out.read_text()
    assert "table stays of a SQLite database" in page
    assert "ward.db" not in page


def test_hidden_rows_go_to_a_new_table(url, tmp_path):
    rows = Transactions([["a", "b"], ["a", "b", "c"], ["b"]], ids=[1, 2, 3])
    write(rows, url, **ASKED)
    (tmp_path / "secret.txt").write_text("a, b\n")
    columns = ["--table", "stays", "--row", "patient", "--item", "drug", "--sensitive", tmp_path / "secret.txt"]
    done = run("hide", url, *columns, "--out-table", "shared")
    assert done.exit_code == 0
    assert read(url, table="shared", **COLUMNS) == hide(rows, [["a", "b"]]).transactions
    assert [word for word in PRIVATE if word in done.output] == []
    assert read(url, **ASKED) == rows


@pytest.mark.parametrize(("table", "sentence"), [("stays", "there is such a table already"), ("no.where", "schema")])
def test_a_new_table_that_cannot_be_made_is_refused_before_any_row_is_read(url, tmp_path, monkeypatch, table, sentence):
    rows = Transactions([["a", "b"], ["b"]], ids=[1, 2])
    write(rows, url, **ASKED)
    (tmp_path / "secret.txt").write_text("a, b\n")
    monkeypatch.setattr(databases, "collect_rows", lambda _: pytest.fail("rows were read"))
    columns = ["--table", "stays", "--row", "patient", "--item", "drug", "--sensitive", tmp_path / "secret.txt"]
    done = run("hide", url, *columns, "--out-table", table)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert sentence in done.stderr
    monkeypatch.undo()
    assert read(url, **ASKED) == rows


def test_a_new_table_that_could_be_made_is_not_there_afterwards(url):
    write(Transactions([["a"]], ids=[1]), url, **ASKED)
    for _ in range(2):
        databases.rehearse(url, table="shared", **COLUMNS)
    with pytest.raises(InputError, match="no such table"):
        read(url, table="shared", **COLUMNS)


def test_a_table_that_another_makes_meanwhile_is_not_touched(url, tmp_path, monkeypatch):
    rows, other = Transactions([["a", "b"], ["b"]], ids=[1, 2]), Transactions([["c"]], ids=[3])
    write(rows, url, **ASKED)
    (tmp_path / "secret.txt").write_text("a, b\n")
    rehearse = databases.rehearse

    def meanwhile(*place, **named):
        rehearse(*place, **named)
        write(other, url, **named)

    monkeypatch.setattr(databases, "rehearse", meanwhile)
    columns = ["--table", "stays", "--row", "patient", "--item", "drug", "--sensitive", tmp_path / "secret.txt"]
    done = run("hide", url, *columns, "--out-table", "shared")
    assert done.exit_code == 2
    assert "there is such a table already" in done.stderr
    assert read(url, table="shared", **COLUMNS) == other


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
def test_rehearsing_makes_no_file(tmp_path, scheme):
    databases.rehearse(f"{scheme}:///{tmp_path / 'ward'}", table="shared", **COLUMNS)
    assert list(tmp_path.iterdir()) == []


def test_more_different_rows_than_memory_allows_are_refused_as_those_of_a_file_are(tmp_path):
    rows = [[item for at, item in enumerate("abcd") if number >> at & 1] for number in range(1, 16)]
    write(Transactions(rows), f"sqlite:///{tmp_path}/ward.db", **ASKED)
    write(rows, tmp_path / "rows.csv")
    sentences = []
    for place, asked in ((tmp_path / "rows.csv", {}), (f"sqlite:///{tmp_path}/ward.db", ASKED)):
        with pytest.raises(discreet.BudgetError, match="15 different rows of frequent items") as error:
            scan(place, min_support=1, memory=1150, **asked)
        sentences.append(str(error.value))
    assert sentences[0] == sentences[1]


ADDRESSES = {
    "url": f"postgresql://ada.l:{PASSWORD}@127.0.0.1:1/ward",
    "encoded url": f"postgresql://ada.l:{IN_URL}@127.0.0.1:1/ward",
    "url without a database": f"postgresql://ada.l:{IN_URL}@localhost",
    "parameters of a url": f"postgresql://127.0.0.1:1/ward?user=ada.l&password={IN_URL}",
    "keys": f"host=127.0.0.1 port=1 user=ada.l password='{PASSWORD}'",
    "variable": f"PGPASSWORD={PASSWORD}",
    "another scheme": f"mysql://ada.l:{PASSWORD}@127.0.0.1:1/ward",
}
"""How people write where a database is, and who they are."""

ROWS = ["--table", "stays", "--row", "patient", "--item", "drug"]
PLACES = [
    ["audit", "URL", "-k", "2"],
    ["audit", "URL", "-k", "2", "--min-support", "1"],
    ["audit", "URL", "-k", "2", "--min-support", "1", *ROWS],
    ["audit", "FILE", "-k", "2", "--min-support", "1", *ROWS[2:], "--query", "URL"],
    *(["audit", "FILE", "-k", "2", "--min-support", "1", *ROWS, option, "URL"]
      for option in ("--table", "--row", "--item", "--format", "--separator", "--out", "--exposed", "--sacro",
                     "--policy", "--memory", "--rows", "--kind", "--max-patterns", "-k", "--min-support")),
    ["audit", "FILE", "-kURL"],
    ["audit", "FILE", "--memory=URL"],
    ["audit", "FILE", "--out=URL", "-k", "2"],
    ["audit", "FILE", "URL", "-k", "2"],
    ["audit", "FILE", "--URL"],
    ["URL"],
    ["detect", "patterns.json", "-k", "2", "--rows", "URL", *ROWS],
    ["mine", "URL", "--min-support", "1", "--out", "URL"],
    ["mine", "FILE", "--min-support", "1", *ROWS, "--out", "URL"],
    ["tradeoff", "FILE", "--min-support", "URL", "-k", "URL", *ROWS],
    ["verify", "URL"],
    ["index", "URL"],
    ["query", "URL", "a"],
    ["query", "FILE", "a", *ROWS, "--index", "URL"],
    ["report", "URL", "-k", "2"],
    ["report", "FILE", "-k", "2", "--min-support", "1", *ROWS, "--csv", "URL"],
    ["report", "URL"],
    ["block", "URL", "-k", "2", "--min-support", "1", "--out", "URL"],
    ["block", "FILE", "-k", "2", "--min-support", "1", *ROWS, "--method", "URL"],
    ["hide", "URL", "--sensitive", "URL"],
    ["hide", "FILE", "--sensitive", "secret.txt", *ROWS, "--out-table", "URL"],
    ["hide", "FILE", "--sensitive", "secret.txt", *ROWS, "--psi", "URL"],
    ["generate", "quest", "--out", "URL"],
    ["serve", "URL"],
]  # fmt: skip


@pytest.mark.parametrize("arguments", PLACES, ids=" ".join)
@pytest.mark.parametrize("address", ADDRESSES)
def test_no_command_tells_a_piece_of_a_password_or_who_has_it(arguments, address, stays, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("secret.txt").write_text("a, b\n")
    discreet.write_patterns(discreet.mine([["a"], ["a"]], min_support=1), "patterns.json")
    given = [part.replace("URL", ADDRESSES[address]).replace("FILE", stays) for part in arguments]
    done = run(*given)
    lines = [line for line in done.stderr.splitlines() if not line.startswith("read as ")]
    assert (done.exit_code, done.stdout, len(lines)) == (2, "", 1)
    names = [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")]
    texts = [path.read_bytes().decode(errors="replace") for path in tmp_path.rglob("*") if path.is_file()]
    told = "\n".join([done.output, *names, *texts])
    assert [word for word in (*pieces(PASSWORD, IN_URL), "ada.l", "127.0.0.1") if word in told] == []


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize(
    "verb",
    [
        lambda url, _: read(url, **ASKED),
        lambda url, _: scan(url, min_support=1, **ASKED),
        lambda url, _: discreet.read_patterns(url),
        lambda url, _: discreet.read_sensitive(url),
        lambda url, _: write([["a"]], url, **ASKED),
        lambda url, _: write([["a"]], url),
        *(lambda url, stays, name=name: read(stays, **{**ASKED, name: url}) for name in ("table", "row", "item")),
        lambda url, stays: read(stays, query=url, **COLUMNS),
    ],
    ids=["read", "scan", "patterns", "sensitive", "write", "file", "table", "row", "item", "query"],
)
def test_no_error_of_the_library_tells_a_piece_of_a_password_or_who_has_it(verb, address, stays):
    with pytest.raises(discreet.DiscreetError) as error:
        verb(ADDRESSES[address], stays)
    assert [word for word in (*pieces(PASSWORD, IN_URL), "ada.l", "127.0.0.1") if word in str(error.value)] == []


def test_a_transaction_sees_one_state_of_the_database(server, monkeypatch):
    server.execute("DROP TABLE IF EXISTS stays")
    write(Transactions([["a"], ["a"]]), server.url, **ASKED)
    count = databases.Session.count

    def meanwhile(session):
        found = count(session)
        server.execute("INSERT INTO stays VALUES (9, 'b')")
        return found

    monkeypatch.setattr(databases.Session, "count", meanwhile)
    assert scan(server.url, min_support=1, **ASKED) == Merged.of([["a"], ["a"]], 1)
