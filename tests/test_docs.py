"""The documents say what the program says. ``make docs`` writes docs/cli.md anew."""

import re
from pathlib import Path

import click
import pytest

import discreet
from discreet.cli import main

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
HEAD = """# Command line

Written by `make docs` from the help texts. Exit codes: 0 done, or safe to publish; 1 unsafe to publish (`audit`: REVIEW
or WITHHOLD; `detect`: there is a channel; `block`: the policy asks for more; `verify`: there is a fault); 2 wrong usage
or input (one line on stderr says what); 130 stopped by Ctrl-C; 141 the reader of a pipe went away.
"""


def commands(command, path):
    """A command and all below it, each with its path."""
    yield path, command
    for name in sorted(getattr(command, "commands", {})):
        yield from commands(command.commands[name], (*path, name))


def help_page():
    """docs/cli.md as the help texts have it."""
    parts = [HEAD]
    for path, command in commands(main, ("discreet",)):
        context = click.Context(command, info_name=" ".join(path), terminal_width=100, max_content_width=100)
        context.help_option_names = ["-h", "--help"]
        parts.append(f"\n## {' '.join(path)}\n\n```text\n{command.get_help(context).strip()}\n```\n")
    return "".join(parts)


def links(page):
    """The files of ours that a page links to."""
    targets = re.findall(r"\]\(([^)#:]+?\.md)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    return {(page.parent / target).resolve() for target in targets}


def test_the_cli_page_is_what_help_says():
    assert help_page() == (DOCS / "cli.md").read_text(encoding="utf-8")


def test_every_page_is_linked_from_the_index():
    assert set(PAGES) - {DOCS / "index.md"} <= links(DOCS / "index.md")


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.name)
def test_every_link_between_pages_leads_somewhere(page):
    assert [target for target in links(page) if not target.is_file()] == []


def test_the_first_screen_names_how_to_start():
    first_screen = "\n".join((ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:30])
    assert {"make demo", "make test"} <= set(re.findall(r"make \w+", first_screen))


def test_the_papers_page_names_only_what_is_there():
    named = re.findall(r"`((?:src|tests|docs)/[\w./-]+)`", (DOCS / "papers.md").read_text(encoding="utf-8"))
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_version_is_that_of_the_project():
    assert f'version = "{discreet.__version__}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


if __name__ == "__main__":
    (DOCS / "cli.md").write_text(help_page(), encoding="utf-8")
