"""Every command that the documents show runs, ends with the exit code that they tell, and writes what they show.

A block of console has lines that begin with "$ ", each with what it writes below; all of a page run in one folder, in
their order. Any other block whose first line names a file, such as "# secret.txt", is that file. A command ends with
exit code 0 unless "$ echo $?" asks. In what is shown, … stands for anything: within a line, or, alone in it, for lines.
What begins with "read as" is what the command writes to stderr and stdout; otherwise stdout alone is shown.
"""

import re
import shlex
import shutil
import sqlite3
import tomllib
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from documents import DOCS, write_copies, write_files

from discreet.cli import main

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_RUN = {
    "pip": "installs, which the tests need not do again",
    "make": "sets up an environment of its own",
    "uvx": "installs into an environment of its own; tests/test_running.py starts the same script",
    "pipx": "likewise",
    "docker": "needs a daemon; .ci/container runs the steps of the Dockerfile without one",
    "eval": "is for a shell of the reader's; tests/test_running.py asks for what it evaluates",
    "curl": "asks a running server; tests/test_web_*.py ask the same",
    "discreet serve": "does not end by itself; tests/test_web_*.py start it",
    "python": "runs reproduction, which takes up to a minute; tests/test_reproduce.py runs it on few rows",
}
GIVEN = {
    "baskets.csv": "bread,red wine,milk\nbread,red wine\nbeer,chips,bread\nbeer,chips\nmilk\nbread,milk\n" * 20,
    "partners.txt": "bread milk\n",
    "press.txt": "beer\n",
}
"""Files that pages speak of and the reader is to have."""


def steps(text):
    """Each command in the blocks of a page, with the text that is shown below it."""
    for block in BLOCK.findall(text):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.replace("\\\n", " ").partition("\n")
            yield command.strip(), shown


def pattern(shown):
    """A regular expression of what is shown; columns beside a number that is left out may be wider."""
    lines = [re.escape(line.rstrip()) for line in shown.rstrip("\n").split("\n")]
    lines = [re.sub(r"(?:\\ ){2,}", " +", line).replace("…", ".*") if "…" in line else line for line in lines]
    return "\n".join("(?:.*\n)*?.*" if line == ".*" else line for line in lines)


def run(command, *, with_stderr=False):
    """Run a command of a page in this process; its exit code, and what it writes: to stderr, too, if it fails."""
    before, _, command = command.rpartition("| ")
    given = b"".join(Path(name).read_bytes() for name in before.split()[1:])  # by cat
    words = shlex.split(command, comments=True)
    if words[0] == "mv":
        shutil.move(*words[1:])
        return 0, ""
    assert words[0] == "discreet", f"{command}: say in NOT_RUN why it is not run"
    result = CliRunner().invoke(main, words[1:], input=given)
    written = result.output if with_stderr or result.exit_code > 1 else result.stdout
    return result.exit_code, "\n".join(line.rstrip() for line in written.splitlines()).rstrip("\n")


def is_run(command):
    """Whether a command is run here; NOT_RUN says why others are not."""
    words = shlex.split(command, comments=True)
    if "--epsilon" in words and not find_spec("opendp"):
        return False
    return not any(words[: len(start.split())] == start.split() for start in NOT_RUN)


def pages():
    """The documents that show commands."""
    return [page for page in sorted(DOCS.rglob("*.md")) if "```console" in page.read_text(encoding="utf-8")]


@pytest.fixture(autouse=True)
def _in_a_folder_with_what_is_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_files(DOCS / "your-data.md")
    write_copies()
    for name, text in GIVEN.items():
        Path(name).write_text(text, encoding="utf-8")
    shutil.copytree(ROOT / "tests" / "acro_sessions" / "session-1.0.2", "outputs")
    rows = enumerate(GIVEN["baskets.csv"].splitlines(), start=1)
    shop = sqlite3.connect("shop.db")
    shop.execute("CREATE TABLE receipts (receipt INTEGER, product TEXT)")
    shop.executemany(
        "INSERT INTO receipts VALUES (?, ?)", [(row, item) for row, line in rows for item in line.split(",")]
    )
    shop.commit()
    shop.close()


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_every_command_of_a_page_does_what_the_page_says(page):
    text = page.read_text(encoding="utf-8")
    write_files(page)
    shown_steps = [*steps(text), ("", "")]
    every = [pair for pair in pairwise(shown_steps) if pair[0][0] != "echo $?" and is_run(pair[0][0])]
    for (command, shown), (after, told) in every:
        code, written = run(command, with_stderr=shown.startswith("read as"))
        assert code == (int(told) if after == "echo $?" else 0), f"{command}\n{written}"
        assert not shown or re.fullmatch(pattern(shown), written), f"{command}\n{written}"


def test_the_commands_of_the_readme_give_the_numbers_of_its_picture_and_of_its_python():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = [line.split("  #")[0].strip() for line in re.findall(r"^ {4}(discreet .*)", text, re.MULTILINE)]
    written = {line.split()[1]: run(line) for line in filter(is_run, lines)}
    codes = {"generate": 0, "audit": 1, "report": 1, "block": 0, "verify": 0}
    assert {name: code for name, (code, _) in written.items()} == codes
    assert (
        "WITHHOLD, with one person as a red dot among 128: 128 less 127 leaves 1" in text
    )  # the words for the picture
    assert "('WITHHOLD', 164, 166)" in text
    assert written["audit"][1].startswith("WITHHOLD: clinic.csv, 307 closed itemsets")
    assert "164 maximal channels" in written["audit"][1]
    assert "166 of 2,000 rows are exposed" in written["audit"][1]
    assert "sup(LDL high, blood pressure high) 128 − sup(LDL high, blood pressure high, hypertension) 127 = 1" in text
    assert "LDL high ∧ blood pressure high ∧ ¬hypertension: 1 row = 128 − 127" in written["audit"][1]
    assert "(True, 334, 92, 0.0)" in text
    assert re.search(r"242 frequent itemsets.*exact.*334 before: 92 were left out", written["block"][1], re.DOTALL)
    assert written["verify"][1].startswith("GOOD: 242 itemsets")


def test_fewer_than_ten_commands_lead_from_nothing_to_a_verified_release():
    commands = [command for command, _ in steps((DOCS / "tutorial.md").read_text(encoding="utf-8"))]
    way = [command for command in commands[: commands.index("discreet verify release") + 1] if command != "echo $?"]
    assert way[0].startswith("pip install")
    assert len(way) < 10


def test_no_page_shows_commands_that_nobody_runs():
    shell = re.compile(r"^ {4}discreet .*|^ *```(?:bash|sh|shell)$", re.MULTILINE)
    found = {page.name: shell.findall(page.read_text(encoding="utf-8")) for page in DOCS.rglob("*.md")}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize("language", ["toml", "yaml"])
def test_settings_that_a_page_shows_can_be_read(language):
    load = {"toml": tomllib.loads, "yaml": yaml.safe_load}[language]
    blocks = [
        block
        for page in DOCS.rglob("*.md")
        for block in re.findall(
            rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        )
    ]
    assert blocks
    assert all(load(block) for block in blocks)
