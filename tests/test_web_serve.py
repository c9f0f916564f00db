"""``discreet serve``: up quickly, one line, and gone without a trace."""

import os
import re
import signal
import socket
import subprocess
import sys
import textwrap
import time
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest
import web

import discreet
from discreet.web import server
from discreet.web.server import is_confirmed
from discreet.web.state import State, Uploads

PATIENCE = 60
CODE = "from discreet.cli import main; main()"


def command(*arguments):
    return [sys.executable, "-P", "-c", CODE, "serve", "--no-browser", *map(str, arguments)]


@contextmanager
def serving(folder, *arguments):
    """A server whose temporary files go below ``folder``, its address, and how long the first page took."""
    folder.mkdir(exist_ok=True)
    start = time.perf_counter()
    environment = {**os.environ, "TMPDIR": str(folder)}
    with subprocess.Popen(
        command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            line = process.stdout.readline()
            address = re.search(r"http://127\.0\.0\.1:\d+/\S*", line)[0]
            with httpx.Client(base_url=address.split("/?")[0].split("/check")[0], timeout=PATIENCE) as client:
                client.first = client.get(address, follow_redirects=True)
                client.seconds = time.perf_counter() - start
                client.address, client.line = address, line
                yield process, client
        finally:
            process.kill()


def workers_of(process):
    """The ids of the processes that a server has started."""
    threads = Path(f"/proc/{process.pid}/task").iterdir()
    return [int(number) for thread in threads for number in (thread / "children").read_text().split()]


def is_there(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def facts(client, verb, **asked):
    for _ in range(PATIENCE // 5):
        found = client.post(f"/api/{verb}", json={**asked, "wait": 5})
        if found.status_code != 202:
            break
    assert found.status_code == 200, found.text
    return found.json()


@pytest.mark.usefixtures("signals")
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_server_ends_cleanly_in_the_midst_of_work(tmp_path, end, record_property):
    with serving(tmp_path / "t") as (process, client):
        assert client.first.status_code == 200
        assert "Publish patterns, not people" in client.first.text
        assert discreet.__version__ in client.first.text
        client.post("/api/upload", content=b"a,b\n", headers={"X-File-Name": "x.csv"})
        asked = {"data": "clinic", "min_support": "1%", "k": 10, "wait": 0}
        job = client.post("/api/advise", json=asked).json()["job"]
        workers = workers_of(process)
        assert len(workers) == 2
        assert [path.stat().st_mode & 0o777 for path in (tmp_path / "t").iterdir()] == [0o700]
        start = time.perf_counter()
        process.send_signal(end)
        rest, wrong = process.communicate(timeout=PATIENCE)
        seconds = time.perf_counter() - start
        assert process.returncode == 0
        assert (rest, wrong) == ("", "")
        assert not any(map(is_there, workers))
        assert list((tmp_path / "t").iterdir()) == []
        assert job
    record_property("first page after seconds", client.seconds)
    record_property("ended after seconds", seconds)
    print(f"first page after {client.seconds:.2f} s, ended after {seconds:.2f} s")  # noqa: T201 - a figure


def test_a_server_that_is_killed_takes_its_workers_with_it(tmp_path):
    with serving(tmp_path / "t") as (process, client):
        facts(client, "read", sample="clinic")
        workers = workers_of(process)
        assert len(workers) == 2
        process.kill()
        process.wait()
        end = time.monotonic() + PATIENCE
        while any(map(is_there, workers)) and time.monotonic() < end:
            time.sleep(0.05)
        assert not any(map(is_there, workers))


def test_two_servers_run_side_by_side_and_do_not_know_each_other(tmp_path):
    with serving(tmp_path / "one") as (_, one), serving(tmp_path / "two") as (_, two):
        assert one.address != two.address
        assert facts(one, "audit", data="pkdd2005", min_support=3, k=2) == {
            **facts(two, "audit", data="pkdd2005", min_support=3, k=2),
            "seconds": facts(one, "audit", data="pkdd2005", min_support=3, k=2)["seconds"],
        }
        stranger = httpx.get(two.base_url.join("/api/samples"), cookies=dict(one.cookies))
        assert stranger.status_code == 403


def test_the_server_opens_on_its_file_and_says_so_in_one_line(tmp_path):
    file = tmp_path / "rows.dat"
    file.write_text("1 2 3\n" * 48 + "1 2\n" * 2 + "4\n" * 50)
    with serving(tmp_path / "t", file, "--format", "fimi") as (_, client):
        assert re.fullmatch(
            r"discreet is at http://127\.0\.0\.1:\d+/check\?data=\w+&token=\S{43} .*\n",
            client.line,
        )
        assert client.first.status_code == 200
        assert "token" not in str(client.first.url)
        data = re.search(r"data=(\w+)", client.address)[1]
        found = facts(client, "audit", data=data, min_support=10, k=10)
        assert (found["verdict"], found["channels"]) == ("WITHHOLD", 1)
    assert file.exists()


def test_a_file_opens_on_how_it_is_read_unless_that_is_told(tmp_path):
    file = tmp_path / "orders.csv"
    file.write_text("order,item\n1,tea\n1,milk\n2,tea\n")
    state = State(many=0)
    state.uploads = Uploads(1000)
    try:
        page, asked = server._first_page(state, file, {"separator": ","})
        upload = state.uploads.get(asked["upload"])
        assert (page, upload.path, upload.options) == ("/", file, {"separator": ","})
        page, asked = server._first_page(state, file, {"row": "order", "item": "item"})
        assert (page, asked.keys()) == ("/check", {"data"})
        assert state.data(asked["data"]).options == {"row": "order", "item": "item", "holds": "rows"}
    finally:
        state.clean_up()


def test_files_beside_a_file_are_named_at_the_start_and_never_by_a_request(tmp_path):
    file, codes = tmp_path / "visits.csv", tmp_path / "codes.csv"
    file.write_text("visit,code\n1,7\n1,8\n2,7\n")
    codes.write_text("code,name\n7,asthma\n8,gout\n")
    with web.served(many=1) as client:
        upload = client.state.uploads.add(file, {"labels": str(codes), "separator": ","})
        seen = web.facts(client, "preview", upload=upload.id)
        assert [row["items"] for row in seen["rows"]] == [["asthma", "gout"], ["asthma"]]
        assert str(codes) not in str({**seen, "page": client.get(f"/?upload={upload.id}").text})
        assert web.answer(client, "preview", upload=upload.id, labels=str(codes)).status_code == 400


@pytest.mark.parametrize(
    ("name", "data", "told", "expected"),
    [
        ("a.csv", b"tea,milk\nmilk\n", {}, False),
        ("a.csv", b"tea,milk\nmilk\n", {"format": "baskets"}, True),
        ("a.csv", b"tea,milk\nmilk\n", {"format": "csv"}, False),
        ("a.csv", b"order,item\n1,tea\n", {}, False),
        ("a.csv", b"order,item\n1,tea\n", {"row": "order", "item": "item"}, True),
        ("a.csv", b"tea,milk\n0,1\n", {"format": "onehot"}, True),
        ("a.dat", b"1 2\n", {}, False),
        ("a.dat", b"1 2\n", {"format": "fimi"}, True),
        ("a.dat", b"1 2\n", {"format": "onehot", "row": "id"}, True),
        ("a.json", b'{"n": 1, "patterns": []}', {"format": "json"}, True),
        ("a.parquet", b"PAR1", {}, False),
    ],
)
def test_a_reading_is_confirmed_if_its_shape_is_told(tmp_path, name, data, told, expected):
    (tmp_path / name).write_bytes(data)
    assert is_confirmed(tmp_path / name, told) == expected


@pytest.mark.parametrize("name", ["missing.csv", ".", "empty.csv"])
def test_a_file_that_cannot_be_read_is_a_sentence(tmp_path, name):
    (tmp_path / "empty.csv").touch()
    done = subprocess.run(command(tmp_path / name), capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 2
    assert done.stdout == ""
    assert re.fullmatch(r"error: .*; .*|error: .*: .*", done.stderr.strip())


def test_a_port_that_is_taken_is_a_sentence():
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        port = other.getsockname()[1]
        done = subprocess.run(command("--port", port), capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 2
    assert done.stderr == f"error: the port {port} is taken; give another, or leave it out for any free one\n"


def test_without_the_extra_it_is_told_how_to_get_it():
    code = "import sys; sys.modules['starlette'] = None; " + CODE
    done = subprocess.run(
        [sys.executable, "-c", code, "serve", "--no-browser"],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 2
    assert done.stderr == (
        "error: the web app needs packages that are not installed; install them with: pip install 'discreet[web]'\n"
    )


def test_an_interrupt_before_it_is_up_is_one(monkeypatch):
    from click.testing import CliRunner

    from discreet.cli import main

    def interrupted(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("discreet.web.server.serve", interrupted)
    assert CliRunner().invoke(main, ["serve", "--no-browser"]).exit_code == 130


def test_the_server_loads_nothing_that_computes():
    code = textwrap.dedent("""
        import sys
        import discreet.web
        assert "starlette" not in sys.modules
        from discreet.web import server
        server.State()
        print([name for name in ("numba", "polars", "pandas", "pyarrow", "highspy") if name in sys.modules])
    """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert done.stdout == "[]\n"


def test_importing_discreet_loads_no_server():
    code = "import sys, discreet, discreet.cli; print('starlette' in sys.modules or 'uvicorn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert done.stdout == "False\n"


def test_small_answers_are_sent_at_once():
    with server._bind(0) as bound:
        # asyncio sends at once only on a socket that was made with its protocol named.
        assert bound.proto == socket.IPPROTO_TCP
        assert bound.getsockname()[0] == "127.0.0.1"


@pytest.mark.usefixtures("signals")
def test_the_address_that_a_browser_is_started_with_is_good_for_one_visit(tmp_path):
    """Others can see it in the list of processes; what is printed only the owner sees."""
    code = textwrap.dedent("""
        import webbrowser
        from discreet.web.server import serve
        webbrowser.open = lambda address: print(address, flush=True)
        serve(say=lambda line: print(line, flush=True))
    """)
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            lines = sorted([process.stdout.readline() for _ in range(2)], key=len)
            visit, printed = (re.search(r"http\S+", line)[0] for line in lines)
            assert visit != printed
            assert [httpx.get(visit).status_code for _ in range(2)] == [303, 403]
            assert [httpx.get(printed).status_code for _ in range(2)] == [303, 303]
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE)
    assert list(tmp_path.iterdir()) == []


def test_a_real_server_refuses_what_a_browser_would_not_send(tmp_path):
    with serving(tmp_path / "t", "--max-upload", "10kB") as (_, client):
        host = client.base_url.host, client.base_url.port
        for request in (
            b"GET /api/samples HTTP/1.1\r\n\r\n",
            b"GET /api/samples HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n",
            b"GET /api/samples HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n",
            b"GET http://example.org/api/samples HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n",
            b"GET /static/../security.py HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n" % host[1],
            b"\0" * 100 + b"\r\n\r\n",
        ):
            with socket.create_connection(host, timeout=PATIENCE) as link:
                link.sendall(request)
                assert re.match(rb"HTTP/1.1 40[03] ", link.recv(1000))
        found = client.post("/api/upload", content=iter([b"x" * 9_000] * 2), headers={"X-File-Name": "x.csv"})
        assert found.status_code == 413
        assert [path.name for path in next((tmp_path / "t").iterdir()).iterdir()] == ["jobs"]
        assert client.get("/api/samples").headers.get("server") is None
