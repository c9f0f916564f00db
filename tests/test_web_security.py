"""Nobody is let in but whoever has the token, on a page of this server, by a name of this machine."""

import json

import pytest
from web import BASE, PORT, TOKEN, TestClient, served

COOKIE = {"Cookie": f"discreet-{PORT}={TOKEN}"}
PAGES = ["/", "/check", "/fix", "/handover", "/hide", "/query", "/verify", "/compare"]
ADDRESSES = [*PAGES, "/api/samples", "/api/loaded", "/api/jobs", "/static/page.js", "/static/tooltips.js", "/nowhere"]
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@pytest.fixture(scope="module")
def client():
    with served(many=0) as found:
        yield found


@pytest.fixture
def stranger(client):
    """A client without a cookie."""
    return TestClient(client.app, base_url=BASE, follow_redirects=False)


@pytest.mark.parametrize("address", ADDRESSES)
def test_nothing_is_told_without_the_token(stranger, address):
    found = stranger.get(address)
    assert found.status_code == 403
    assert "discreet serve" in found.text


@pytest.mark.parametrize("address", ADDRESSES[:-1])
def test_whoever_has_the_cookie_is_let_in(client, address):
    assert client.get(address).status_code == 200


@pytest.mark.parametrize("cookie", ["", "x", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "é"])
def test_a_wrong_cookie_is_no_cookie(stranger, cookie):
    header = f"discreet-{PORT}={cookie}".encode("latin-1")
    assert stranger.get("/api/samples", headers={"Cookie": header}).status_code == 403


def test_the_cookie_of_a_server_on_another_port_is_no_cookie(stranger):
    assert stranger.get("/", headers={"Cookie": f"discreet-{PORT + 1}={TOKEN}"}).status_code == 403


def test_a_broken_cookie_of_somebody_else_does_no_harm(stranger):
    header = {"Cookie": f'a"b{{=; =;;; discreet-{PORT}={TOKEN}; x=("'}
    assert stranger.get("/api/samples", headers=header).status_code == 200


def test_the_token_gives_the_cookie_and_leads_on_without_itself(stranger):
    found = stranger.get(f"/check?data=clinic&token={TOKEN}&min_support=5%25")
    assert found.status_code == 303
    assert found.headers["location"] == "/check?data=clinic&min_support=5%25"
    cookie = found.headers["set-cookie"]
    assert cookie.startswith(f"discreet-{PORT}={TOKEN};")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}


def test_a_wrong_token_gives_no_cookie(stranger):
    found = stranger.get("/?token=wrong")
    assert found.status_code == 403
    assert "set-cookie" not in found.headers


def test_a_wrong_token_is_refused_even_with_the_cookie(client):
    assert client.get("/?token=wrong").status_code == 403


@pytest.mark.parametrize("address", ["//example.org/", "/api/samples", "/static/page.js", "//", "/\\example.org"])
def test_the_token_leads_to_pages_of_ours_alone(stranger, address):
    found = stranger.get(f"{BASE}{address}?token={TOKEN}")
    assert found.status_code == 403
    assert "location" not in found.headers


def test_a_visitor_from_elsewhere_is_led_on_by_a_page_of_ours(stranger):
    asked = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    found = stranger.get(f"/check?data=%22%3E%3Cscript%3E&token={TOKEN}", headers=asked)
    assert found.status_code == 200
    assert "url=/check?data=%22%3E%3Cscript%3E" in found.text
    assert "set-cookie" in found.headers


def test_the_token_for_one_visit_is_good_for_one():
    with served(many=0) as client:
        stranger = TestClient(client.app, base_url=BASE, follow_redirects=False)
        assert [stranger.get("/?token=once").status_code for _ in range(2)] == [303, 403]
        assert TOKEN in stranger.cookies.values()


def test_an_empty_token_is_none():
    with served(many=0) as client:
        stranger = TestClient(client.app, base_url=BASE, follow_redirects=False)
        stranger.get("/?token=once")
        stranger.cookies.clear()
        assert stranger.get("/?token=").status_code == 403


@pytest.mark.parametrize("host", [f"127.0.0.1:{PORT}", f"localhost:{PORT}", f"[::1]:{PORT}"])
def test_this_machine_has_three_names(client, host):
    assert client.get("/api/samples", headers={"Host": host, **COOKIE}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "example.org",
        f"example.org:{PORT}",
        "127.0.0.1",
        "localhost",
        f"127.0.0.1:{PORT + 1}",
        f"127.0.0.1:{PORT}.example.org",
        f"127.0.0.1.example.org:{PORT}",
        f"localhost.:{PORT}",
        f"LOCALHOST:{PORT}",
        f"127.0.0.1:0{PORT}",
        f"127.1:{PORT}",
        f"2130706433:{PORT}",
        f"0.0.0.0:{PORT}",
        f"localhost:{PORT}@example.org",
        f"example.org#localhost:{PORT}",
        f" 127.0.0.1:{PORT}",
        "",
    ],
)
def test_any_other_name_is_foreign(client, host):
    assert client.get("/api/samples", headers={"Host": host, **COOKIE}).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://example.org"},
        {"Origin": f"http://127.0.0.1:{PORT + 1}"},
        {"Origin": f"http://localhost:{PORT}"},
        {"Origin": f"https://127.0.0.1:{PORT}"},
        {"Origin": f"http://127.0.0.1:{PORT}.example.org"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": BASE, "Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.parametrize("address", ["/api/cancel", "/api/remove", "/api/audit", "/api/upload"])
def test_another_page_cannot_ask_for_anything_to_be_done(client, address, headers):
    assert client.post(address, json={"job": "x"}, headers=headers).status_code == 403
    assert client.state.jobs.running() == []


@pytest.mark.parametrize("headers", [{}, {"Origin": BASE}, {"Origin": BASE, "Sec-Fetch-Site": "same-origin"}])
def test_a_page_of_ours_can(client, headers):
    assert client.post("/api/cancel", json={"job": "x"}, headers=headers).status_code == 404


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("address", ["/api/samples", "/api/audit?data=clinic&k=5", "/static/page.js", "/api/files/x/y"])
def test_another_page_cannot_fetch_what_ours_can(client, address, site):
    for headers in ({}, {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}):
        assert client.get(address, headers={"Sec-Fetch-Site": site, **headers}).status_code == 403


def test_another_page_cannot_show_ours_in_a_frame(client):
    headers = {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
    assert client.get("/", headers=headers).status_code == 403
    assert client.get("/").headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b'{"job": "x"}', "text/plain"),
        (b'{"job": "x"}', "application/x-www-form-urlencoded"),
        (b'{"job": "x"}', ""),
        (b'{"job": "x"', "application/json"),
        (b"[]", "application/json"),
        (b"[" * 100_000, "application/json"),
        (b"\xff\xfe", "application/json"),
    ],
)
def test_a_body_is_a_json_object_and_says_so(client, body, kind):
    found = client.post("/api/cancel", content=body, headers={"Content-Type": kind})
    assert found.status_code == 400
    assert found.json()["error"]


def test_a_body_has_a_limit(client):
    body = json.dumps({"job": "x" * (1 << 20)}).encode()
    found = client.post("/api/cancel", content=body, headers={"Content-Type": "application/json"})
    assert found.status_code == 413
    found = client.post("/api/cancel", content=iter([body]), headers={"Content-Type": "application/json"})
    assert found.status_code == 413


@pytest.mark.parametrize(
    "address",
    [
        *("upload", "preview", "cancel", "remove", "findings", "published", "items", "combinations", "hide"),
        *("compare_hiding", "query", "verify", "compare_releases"),
    ],
)
def test_what_changes_something_or_holds_labels_is_not_asked_by_an_address(client, address):
    found = client.get(f"/api/{address}?data=clinic&query=secret")
    assert found.status_code == 405
    assert "error" in found.json()


@pytest.mark.parametrize(
    "address",
    [
        "/static/../security.py",
        "/static/..%2Fsecurity.py",
        "/static/%2e%2e/security.py",
        "/static/....//security.py",
        "/static//etc/passwd",
        "/static/%2Fetc%2Fpasswd",
        "/static/..%5Csecurity.py",
        "/static/",
        "/static",
        "/api/files/x/..%2F..%2Fetc%2Fpasswd",
        "/api/files/../../etc/passwd",
        "/api/files/%2e%2e/x",
    ],
)
def test_no_file_but_ours_is_given(client, address):
    assert client.get(f"{BASE}{address}").status_code in {307, 404, 405}


@pytest.mark.parametrize("address", [*ADDRESSES, "/api/nowhere"])
@pytest.mark.parametrize("cookie", [COOKIE, {}])
def test_every_answer_keeps_browsers_careful(stranger, address, cookie):
    found = stranger.get(address, headers=cookie)
    assert {name: found.headers.get(name) for name in HEADERS} == HEADERS
    kept = "no-cache" if cookie and address.startswith("/static") else "no-store"
    assert found.headers["cache-control"] == kept


def test_what_holds_no_data_is_sent_once(client):
    for address in ("/static/tooltips.js", "/static/page.js"):
        mark = client.get(address).headers["etag"]
        assert client.get(address, headers={"If-None-Match": mark}).status_code == 304


def test_no_page_has_a_script_within_it_or_from_elsewhere(client):
    for page in PAGES:
        text = client.get(page).text
        assert "<script" in text
        assert all(
            tag.startswith((' type="module" src="/static/', ' src="/static/')) for tag in text.split("<script")[1:]
        )
        assert " onclick=" not in text
        assert "//cdn" not in text


def test_unknown_data_leads_to_the_start_page_with_a_sentence(client):
    found = client.get("/check?data=%3Cscript%3E")
    assert found.status_code == 404
    assert "load the file again" in found.text
    assert "Publish patterns, not people" in found.text
    assert "<script>" not in found.text


def test_an_unknown_address_is_told_in_words(client):
    assert "error" in client.get("/api/nowhere").json()
    assert "Start page" in client.get("/nowhere").text


def test_without_workers_every_job_says_so(client):
    found = client.get("/api/audit?data=clinic&min_support=5%25&k=10")
    assert found.status_code == 503
    assert found.json() == {"error": "No worker process could be started; stop `discreet serve` and start it again."}


@pytest.mark.parametrize(("address", "name"), [("/api/samples", "routes.list_samples"), ("/", "routes.list_samples")])
def test_what_nobody_foresaw_tells_nothing(client, monkeypatch, capfd, address, name):
    def unforeseen():
        raise KeyError("a label")

    monkeypatch.setattr(f"discreet.web.{name}", unforeseen)
    visitor = TestClient(client.app, base_url=BASE, raise_server_exceptions=False)
    found = visitor.get(address, headers=COOKIE)
    assert found.status_code == 500
    assert "did not foresee" in found.text
    assert "label" not in found.text
    assert {name: found.headers.get(name) for name in HEADERS} == HEADERS
    assert capfd.readouterr() == ("", "")
