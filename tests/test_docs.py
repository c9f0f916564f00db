"""The documents say what the program says. ``make docs`` runs this file, which writes the generated pages anew."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import zlib
from importlib import import_module
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path
from pkgutil import iter_modules, resolve_name
from types import ModuleType

import click
import pytest

import discreet
from discreet.cli import main

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
HAS_SPARK = find_spec("pyspark") and shutil.which("java")
WRITTEN = "<!-- Written by `make docs` from help texts, docstrings or decision records: change those. -->"
REFERENCE = ("rows", "patterns", "audit", "attack", "block", "hide", "measures", "reports", "data", "errors")
CODES = """`discreet --help` lists the commands, `discreet --version` tells the version. Every command takes `-h` or `--help`,
and ends with one of these exit codes:

| exit code | what it means |
|---|---|
| 0 | done, or safe to publish |
| 1 | unsafe to publish. `audit`: REVIEW or WITHHOLD; `detect`: there is a channel; `block`: the policy asks for more; `verify`: there is a fault |
| 2 | wrong usage or input; one line on stderr says what |
| 129, 130, 143 | stopped by SIGHUP, Ctrl-C or SIGTERM; what was not whole is removed |
| 141 | the reader of a pipe went away; files and folders that were asked for are written |

Progress is shown on stderr: on a terminal as a bar, elsewhere as a line every ten seconds, from the tenth on. `--json` gives everything that was found, for a program.

| command | what it does |
|---|---|
"""  # noqa: E501 - a line of a table is a line


def commands(command=main, path=("discreet",)):
    """A command and all below it, each with its path and click's context."""
    context = click.Context(command, info_name=" ".join(path), help_option_names=["-h", "--help"])
    yield path, command, context
    for name in sorted(getattr(command, "commands", {})):
        yield from commands(command.commands[name], (*path, name))


def page_of(path):
    """The page of a command; that of discreet itself lists them all."""
    return DOCS / "cli" / f"{'-'.join(path)}.md" if len(path) > 1 else DOCS / "cli.md"


def plain(text):
    """Text of a program, such that Markdown changes nothing in it."""
    return re.sub(r"([*_<\[\]`|])", r"\\\1", " ".join(text.split()))


def command_page(path, command, context):
    """The page of one command: what --help says, laid out for a reader."""
    usage = " ".join(["[OPTIONS]", *(piece for piece in command.collect_usage_pieces(context) if piece != "[OPTIONS]")])
    parts = [f"# {' '.join(path)}", WRITTEN, *map(plain, command.help.split("\n\n"))]
    parts.append(f"```text\n{' '.join(path)} {usage}\n```")
    options = [option.get_help_record(context) or ("", "") for option in command.get_params(context)]
    parts.append("## Options")
    parts.append("\n".join(f"- `{names}`: {plain(sentence)}" for names, sentence in options if sentence))
    below = getattr(command, "commands", {})
    if below:
        lines = [f"- [{' '.join((*path, name))}]({page_of((*path, name)).name})" for name in sorted(below)]
        parts += ["## Commands", "\n".join(lines)]
    if examples(command):
        parts += ["## Examples", "```text\n" + "\n".join(examples(command)) + "\n```"]
    return "\n\n".join(parts) + "\n"


def examples(command):
    """The command lines at the end of a help text."""
    text = (command.epilog or "").replace("\b", "")
    return [line.strip().removeprefix("Example: ") for line in text.splitlines() if "discreet " in line]


def cli_page():
    """The page on the command line as a whole."""
    rows = [
        f"| [{' '.join(path)}](cli/{page_of(path).name}) | {plain(command.get_short_help_str(200))} |"
        for path, command, _ in commands()
        if len(path) > 1
    ]
    return f"# Command line\n\n{WRITTEN}\n\n{CODES}" + "\n".join(rows) + "\n"


def roff(text):
    """Text of a program, such that roff changes nothing in it."""
    plain = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain


def man_page():
    """The page for man: each command in a paragraph, its examples, and the exit codes; --help has the options."""
    lines = [
        '.\\" Written by `make docs` from help texts: change those.',
        f'.TH DISCREET 1 "" "discreet {discreet.__version__}"',
        *(".SH NAME", f"discreet \\- {roff(main.help.rstrip('.'))}"),
        *(".SH SYNOPSIS", ".B discreet", roff("COMMAND [OPTIONS] [ARGUMENTS]")),
        *(".SH COMMANDS", roff("`discreet COMMAND --help` lists the options of a command.")),
    ]
    for path, command, context in commands():
        if len(path) > 1:
            usage = " ".join((*path, *command.collect_usage_pieces(context)))
            lines += [f".SS {roff(usage)}", roff(command.help.split("\n\n")[0]), ".PP", ".nf"]
            lines += [*map(roff, examples(command)), ".fi"]
    lines.append(".SH EXIT STATUS")
    for code, meaning in re.findall(r"^\| (\d[\d, ]*) \| (.*) \|$", CODES, re.MULTILINE):
        lines += [".TP", f".B {code}", roff(meaning.replace("`", ""))]
    return "\n".join(lines) + "\n"


def reference_page():
    """The page on the Python names: what each is, in its own first sentence."""
    parts = [
        "# Python",
        WRITTEN,
        "Everything that is public, in the order of the work. Inside the package are more names; they may change.",
    ]
    for name in REFERENCE:
        page = DOCS / "api" / f"{name}.md"
        title = page.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
        things = [thing for path in described(page) for thing in named(path)]
        rows = [f"| [`{called(path)}`](api/{name}.md#{path}) | {sentence} |" for path, sentence in things]
        parts += [f"## [{title}](api/{name}.md)", "\n".join(["| name | what it is |", "|---|---|", *rows])]
    return "\n\n".join(parts) + "\n"


def called(path):
    """A name as a program calls it: without discreet, and once where a verb has a module of its name."""
    parts = path.split(".")[1:]
    return ".".join(parts[:-1] if parts[-1:] == parts[-2:-1] else parts)


def value_of(path):
    """What stands at a path of the reference; a verb beside a module of its name stands there as if it were in it."""
    parts = path.split(".")
    if parts[-1] == parts[-2] and not hasattr(import_module(".".join(parts[:-1])), parts[-1]):
        return getattr(import_module(".".join(parts[:-2])), parts[-1])
    return resolve_name(path)


def named(path):
    """What is documented at a path: a name, or the public names of a module; each with its first sentence."""
    value = value_of(path)
    if isinstance(value, ModuleType):
        inside = [f"{path}.{name}" for name in getattr(value, "__all__", ())]
        return [pair for inner in inside for pair in named(inner)]
    about = getattr(value, "__doc__", None) or ""
    ours = getattr(value, "__module__", "").startswith("discreet")
    return [(path, about.strip().splitlines()[0].replace("``", "`").replace("|", r"\|"))] if ours and about else []


def decisions_page():
    """The list of decision records."""
    records = sorted((DOCS / "decisions").glob("0*.md"))
    titles = [record.read_text(encoding="utf-8").splitlines()[0].lstrip("# ").split(" ", 1) for record in records]
    lines = [
        f"{int(number)}. [{title}]({record.name})" for (number, title), record in zip(titles, records, strict=True)
    ]
    head = "What was decided, why, what was measured and what was not taken, in a few lines each."
    return f"# Decisions\n\n{WRITTEN}\n\n{head}\n\n" + "\n".join(lines) + "\n"


def plan():
    """The rooms by rank, and the doors between them, from pyproject.toml."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["discreet"]
    rooms = [
        f"| {rank} | `{room}` | {table['rooms'][room]} |"
        for rank, rooms in enumerate(table["ranks"], 1)
        for room in rooms
    ]
    doors = [f"| `{door['from']}` | `{door['to']}` | {door['why']} |" for door in table["doors"]]
    parts = [
        ["| rank | room | what it holds |", "|---|---|---|", *rooms],
        ["Doors, the only imports to a higher rank:"],
    ]
    return "\n\n".join(map("\n".join, [*parts, ["| from | to | why |", "|---|---|---|", *doors]]))


def with_plan(page):
    """A page with the plan between its marks."""
    head, _, rest = page.read_text(encoding="utf-8").partition("<!-- plan -->")
    return f"{head}<!-- plan -->\n\n{plan()}\n\n<!-- end of plan -->{rest.partition('<!-- end of plan -->')[2]}"


def generated():
    """Every page that ``make docs`` writes, with its text."""
    return {
        **{page: with_plan(page) for page in (ROOT / "CONTRIBUTING.md", DOCS / "how-it-works.md")},
        **{page_of(path): command_page(path, *rest) for path, *rest in commands()},
        DOCS / "cli.md": cli_page(),
        DOCS / "discreet.1": man_page(),
        DOCS / "api.md": reference_page(),
        DOCS / "decisions" / "index.md": decisions_page(),
    }


def pages():
    """Every page of the documents."""
    return sorted(DOCS.rglob("*.md"))


def links(page):
    """The files of ours that a page links to."""
    targets = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    return {(page.parent / target).resolve() for target in targets}


def public_modules():
    """The modules that have public names: discreet itself, and those below it that list theirs."""
    names = [f"discreet.{module.name}" for module in iter_modules(discreet.__path__) if not module.name.startswith("_")]
    apart = {"discreet.kernels", "discreet.cli", "discreet.web", *["discreet.spark"] * (not HAS_SPARK)}
    loaded = [import_module(name) for name in names if name not in apart]
    return [discreet, *(module for module in loaded if hasattr(module, "__all__"))]


def described(page):
    """The paths of what a page of the reference describes."""
    return re.findall(r"^::: (\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE)


def public_names():
    """Every public name, with the paths at which the reference may have it: where it is offered, or where made."""
    for module in public_modules():
        for name in module.__all__:
            home = getattr(getattr(module, name), "__module__", module.__name__)
            places = {"discreet", module.__name__, home}
            yield (
                f"{module.__name__}.{name}",
                {way for place in places for way in (f"{place}.{name}", f"{place}.{name}.{name}")},
            )


@pytest.mark.parametrize("page", generated(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_generated_pages_are_up_to_date(page):
    assert page.read_text(encoding="utf-8") == generated()[page], "run make docs"


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
def test_man_can_read_its_page():
    command = ["groff", "-man", "-ww", "-Kutf8", "-Tutf8", "-P-cbou", str(DOCS / "discreet.1")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    words = " ".join(done.stdout.replace("\N{HYPHEN}", "-").split())
    assert [path for path, *_ in commands() if " ".join(path) not in words] == []
    assert [
        line for path, command, _ in commands() if path[1:] for line in examples(command) if line not in words
    ] == []


def test_no_page_of_a_command_is_left_over():
    assert set((DOCS / "cli").glob("*.md")) <= set(generated())


@pytest.mark.parametrize("path", [path for path, *_ in commands()], ids=" ".join)
def test_every_option_of_a_command_stands_on_its_page(path):
    command = {way: command for way, command, _ in commands()}[path]
    text = page_of(path).read_text(encoding="utf-8")
    options = [word for option in command.params if isinstance(option, click.Option) for word in option.opts]
    assert [word for word in options if not re.search(rf"`[^`\n]*(?<![\w-]){word}(?![\w-])[^`\n]*`", text)] == []


@pytest.mark.parametrize("path", [path for path, *_ in commands()], ids=" ".join)
def test_examples_of_help_texts_name_options_that_exist(path):
    command, context = {way: rest for way, *rest in commands()}[path]
    for line in examples(command):
        words = shlex.split(line)
        words = list(takewhile(lambda word: word not in {"|", ">"}, words[words.index("discreet") :]))
        called, depth = command, len(path)
        while words[depth:] and words[depth] in getattr(called, "commands", {}):
            called, depth = called.commands[words[depth]], depth + 1
        called.make_parser(context).parse_args(words[depth:])


def test_every_public_name_is_in_the_reference():
    paths = {path for page in (DOCS / "api").glob("*.md") for path in described(page)}
    loaded = {path for path in paths if HAS_SPARK or not path.startswith("discreet.spark.")}
    modules = {path for path in loaded if isinstance(value_of(path), ModuleType)}
    assert [
        name for name, ways in public_names() if paths.isdisjoint(ways) and name.rsplit(".", 1)[0] not in modules
    ] == []


def test_the_reference_names_each_thing_once():
    paths = [path for page in (DOCS / "api").glob("*.md") for path in described(page)]
    assert sorted(set(paths)) == sorted(paths)


def test_every_page_can_be_reached_from_the_first():
    reached, new = set(), {DOCS / "index.md"}
    while new:
        reached |= new
        new = {page for old in new if old.suffix == ".md" for page in links(old)} & set(pages()) - reached
    assert [page.name for page in pages() if page not in reached] == []


@pytest.mark.parametrize("page", [ROOT / "README.md", *pages()], ids=lambda page: page.name)
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


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built as ``make docs`` does, in a folder of its own; its exit code, and what it warned of."""
    pytest.importorskip("mkdocs", reason="mkdocs is in the extra docs: pip install '.[docs]'")
    place = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(place)]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, check=False
    )
    return (
        place,
        done.returncode,
        [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith("INFO")],
    )


def test_the_site_is_built_without_a_warning(site):
    _, code, said = site
    assert (said, code) == ([], 0)


def test_the_site_has_a_place_for_every_public_name(site):
    packed = (site[0] / "objects.inv").read_bytes().split(b"\n", 4)[4]
    lines = [line.split() for line in zlib.decompress(packed).decode().splitlines()]
    listed = {name for name, role, *_ in lines if role != "py:module"}
    assert [name for name, ways in public_names() if listed.isdisjoint(ways)] == []


def test_the_site_asks_no_other_host_for_anything(site):
    loads = re.compile(r"""<(?:script|img|iframe|link)\b[^>]*?\b(?:src|href)=["']?(?:https?:)?//[^>]*>""")
    pages = sorted(site[0].rglob("*.html"))
    assert pages
    assert {page.name: found for page in pages if (found := loads.findall(page.read_text(encoding="utf-8")))} == {}


if __name__ == "__main__":
    for place, words in generated().items():
        place.parent.mkdir(exist_ok=True)
        place.write_text(words, encoding="utf-8")
