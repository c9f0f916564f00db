"""What another web page can do to a running app from the user's own browser: nothing."""

import http.server
import threading

import pytest


@pytest.fixture
def stranger(server):
    """A page of another origin that tries to reach the app by a form, a script and a frame."""
    body = f"""<!doctype html><title>stranger</title>
      <form method="post" action="{server.origin}/api/read" enctype="text/plain">
        <input name='{{"sample": "clinic", "x": "' value='"}}'><button>Win a prize</button>
      </form>
      <iframe src="{server.origin}/"></iframe>""".encode()

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        yield other.server_address[1]
        other.shutdown()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"], ids=["another port", "another site"])
def test_a_form_of_another_page_is_refused_though_the_user_has_the_cookie(page, server, stranger, host):
    page.goto(server.address)
    page.goto(f"http://{host}:{stranger}/")
    with page.expect_response(lambda response: response.url == f"{server.origin}/api/read") as answer:
        page.get_by_role("button", name="Win a prize").click()
    assert answer.value.status == 403
    page.complaints.clear()  # the browser tells of the frame and of the answer, as it should


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"], ids=["another port", "another site"])
def test_a_script_of_another_page_reads_nothing(page, server, stranger, host):
    page.goto(server.address)
    page.goto(f"http://{host}:{stranger}/")
    ask = """address => fetch(address, {credentials: "include"}).then(() => "read", () => "refused")"""
    assert page.evaluate(ask, f"{server.origin}/api/samples") == "refused"
    page.complaints.clear()


def test_another_page_cannot_frame_the_app(page, server, stranger):
    page.goto(server.address)
    page.goto(f"http://127.0.0.1:{stranger}/")
    assert "Publish patterns" not in "".join(frame.content() for frame in page.frames[1:])
    page.complaints.clear()


def test_without_the_token_there_is_a_sentence_and_nothing_else(page, server):
    answer = page.goto(f"{server.origin}/?token=wrong")
    assert answer.status == 403
    assert "discreet serve" in page.inner_text("body")


def test_the_token_does_not_stay_in_the_address_bar(page, server):
    page.goto(server.address)
    assert "token" not in page.url


def test_nothing_is_asked_of_any_other_host(page, server):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(server.address)
    page.wait_for_load_state("networkidle")
    assert [url for url in asked if not url.startswith((server.origin, "data:", "blob:"))] == []
