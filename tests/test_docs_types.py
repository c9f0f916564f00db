"""The Python of the first pages passes ``mypy --strict``, as that of a reader who types it must."""

import re
from importlib.resources import files
from pathlib import Path

import pytest
from mypy import api

ROOT = Path(__file__).parent.parent
PAGES = ["README.md", *(f"docs/{name}.md" for name in ("index", "tutorial", "recipes", "attack", "rules", "policies"))]
TRAPS = """
from discreet import Verdict, audit, mine

rows = [["a", "b"]] * 20 + [["a"]] * 12
result = audit(rows, min_support=10, k=10)
is_safe: bool = result.is_safe
is_same: bool = result.verdict == "RELEASE" or result.verdict != "REVIEW" or "WITHHOLD" == result.verdict
is_member: bool = result.verdict in ("RELEASE", "REVIEW") or result.verdict in [Verdict.REVIEW]
many: int = len(result.channels) + result.exposed.rows + len(result.findings)
counts: list[int] = [one["count"] for one in mine(rows, min_support=10).to_dicts()]
frames = result.channels.to_pandas(), result.findings.to_polars()
"""


def python_of(page):
    """The Python that a page shows, without what it prints."""
    blocks = re.findall(r"^```pycon\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith((">>>", "..."))]
    return "".join(f"{line[4:]}\n" for line in lines)


@pytest.fixture
def check(tmp_path, monkeypatch):
    """A function that checks texts, each as a file, by mypy alone: none of our settings, and no stubs of others."""
    monkeypatch.setenv("MYPYPATH", str(ROOT / "src"))
    monkeypatch.chdir(tmp_path)
    settings = ["--strict", "--follow-imports=silent", "--config-file=", f"--cache-dir={ROOT / '.mypy_cache' / 'docs'}"]
    settings += [f"--disable-error-code={code}" for code in ("import-untyped", "import-not-found")]

    def run(texts):
        for name, text in texts.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        return api.run([*settings, *texts])

    return run


def test_every_line_of_the_first_pages_passes_mypy(check):
    texts = {f"{Path(page).stem.lower()}.py": python_of(page) for page in PAGES}
    assert all(texts.values())
    written, _, code = check({**texts, "traps.py": TRAPS})
    assert (code, written) == (0, f"Success: no issues found in {len(texts) + 1} source files\n")


def test_mypy_sees_the_types(check):
    written, _, code = check({"wrong.py": TRAPS + "number: int = result.channels\n"})
    assert code == 1
    assert 'expression has type "Channels", variable has type "int"' in written


def test_the_package_says_that_it_has_types():
    assert (files("discreet") / "py.typed").is_file()
