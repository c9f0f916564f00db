"""What the site needs beyond MkDocs: folders in the nav, files from outside docs/, and docstrings made ready."""

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from griffe import Extension, Function, Module, Object
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT: Final = Path(__file__).parent
LINK: Final = re.compile(r"\[(?P<text>[^\]]*)\]\((?P<target>[^)#:\s]+)(?P<anchor>#[^)\s]*)?\)")
OUTSIDE: Final = {
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "benchmarks/README.md": "project/benchmarks.md",
    "examples/tutorial.ipynb": "project/tutorial.ipynb",
    "src/discreet/blocking/verify.py": "project/verify.md",
}
"""Files of the repository that are part of the site, too: links to them lead somewhere here as well as there."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put all pages of a folder, in the order of their names, where the nav names the folder."""
    config.nav = _with_pages(config.nav, Path(config.docs_dir))
    return config


def _with_pages(entry: Any, docs: Path) -> Any:  # noqa: ANN401 - lists, maps and text, as they come from YAML
    if isinstance(entry, dict):
        return {title: _with_pages(below, docs) for title, below in entry.items()}
    if isinstance(entry, list):
        parts = [_with_pages(below, docs) for below in entry]
        return [page for part in parts for page in (part if isinstance(part, list) else [part])]
    if not entry.endswith("/"):
        return entry
    pages = sorted((docs / entry).glob("*.md"), key=lambda page: (page.stem != "index", page.stem))
    return [page.relative_to(docs).as_posix() for page in pages]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files from outside docs/; a program becomes a page that shows it."""
    for path, uri in OUTSIDE.items():
        text = (ROOT / path).read_text(encoding="utf-8")
        shown = f"# {path}\n\n```python\n{text}```\n" if path.endswith(".py") else text
        files.append(File.generated(config, uri, content=shown))
    return files


def on_page_markdown(markdown: str, page: Page, files: Files, **_: Any) -> str:  # noqa: ANN401 - MkDocs passes more
    """Lead links to files outside docs/, or from there, to where they are in the site; keep only the text of others."""
    place = page.file.src_uri
    here = next((path for path, uri in OUTSIDE.items() if uri == place), f"docs/{place}")

    def led(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(here), link["target"]))
        uri = OUTSIDE.get(path, path.removeprefix("docs/"))
        if not (ROOT / path).is_file():
            return link[0]
        if files.get_file_from_path(uri) is None:
            return link["text"]
        return f"[{link['text']}]({posixpath.relpath(uri, posixpath.dirname(place) or '.')}{link['anchor'] or ''})"

    return LINK.sub(led, markdown)


def on_post_page(output: str, **_: Any) -> str:  # noqa: ANN401 - MkDocs passes more
    """Give the search a name, which a screen reader says; the theme leaves it without."""
    return output.replace(
        'data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"'
    )


class Docstrings(Extension):
    """Docstrings as pages need them: examples are code, named tuples tell their fields, and no verb is lost."""

    def __init__(self) -> None:
        """Begin with no verbs."""
        self.verbs: list[Function] = []

    def on_function_instance(self, *, func: Function, **_: Any) -> None:  # noqa: ANN401 - griffe passes more
        """Keep a verb that stands beside a module of its name, which griffe lets take its place."""
        home = func.parent.filepath
        if home.name == "__init__.py" and (home.parent / f"{func.name}.py").exists():
            self.verbs.append(func)

    def on_package(self, *, pkg: Module, **_: Any) -> None:  # noqa: ANN401 - griffe passes more
        """Put those verbs into the modules, where others stand, too: discreet.audit.audit is one of them."""
        for verb in self.verbs:
            place = pkg[verb.path.removeprefix(f"{pkg.path}.")]
            if place.is_module:
                place.set_member(verb.name, verb)

    def on_object(self, *, obj: Object, **_: Any) -> None:  # noqa: ANN401 - griffe passes more
        """Fence the examples of one docstring: paragraphs that begin with >>>."""
        if obj.docstring:
            paragraphs = obj.docstring.value.split("\n\n")
            fenced = [f"```pycon\n{part}\n```" if part.startswith(">>>") else part for part in paragraphs]
            obj.docstring.value = "\n\n".join([*fenced, *_fields(obj)])


def _fields(obj: Object) -> Iterator[str]:
    """Yield the fields of a named tuple as a block; those of a dataclass stand in its signature."""
    if obj.is_class and any(str(base) == "NamedTuple" for base in obj.bases):
        fields = [field for field in obj.attributes.values() if "property" not in field.labels]
        lines = [f"{field.name}: {field.annotation}" + (f" = {field.value}" if field.value else "") for field in fields]
        yield "```python\n" + "\n".join(lines) + "\n```"
