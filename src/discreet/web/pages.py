"""Pages: the steps and the tools, their addresses and templates, and answers that are neither."""

import json
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader
from starlette.responses import HTMLResponse, JSONResponse, Response

HERE: Final = Path(__file__).parent
TEMPLATES: Final = Environment(loader=FileSystemLoader(HERE / "templates"), autoescape=True)
STEPS: Final = {
    "/": ("load", "Load"),
    "/check": ("check", "Check"),
    "/fix": ("fix", "Fix"),
    "/handover": ("handover", "Hand over"),
}
TOOLS: Final = {
    "/hide": ("hide", "Hide"),
    "/query": ("query", "Query"),
    "/verify": ("verify", "Verify"),
    "/compare": ("compare", "Compare"),
}
PAGES: Final = {path: name for path, (name, _) in {**STEPS, **TOOLS}.items()}
"""The template of each page, by its address; and what the steps and the tools are called."""


class JsonAnswer(JSONResponse):
    """JSON in ASCII, which can hold any label."""

    def render(self, content: object) -> bytes:
        """Return the bytes."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


def answer_error(path: str, status: int, title: str, sentence: str) -> Response:
    """Return an error: to a program as JSON, to a person as a page."""
    if path.startswith("/api/"):
        return JsonAnswer({"error": sentence}, status_code=status)
    page = TEMPLATES.get_template("error.html").render(title=title, sentence=sentence)
    return HTMLResponse(page, status_code=status)
