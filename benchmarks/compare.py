"""Compare what two source trees give: ``python benchmarks/compare.py OLD NEW OUT``.

OLD and NEW are values for PYTHONPATH. Both run the commands of commands.py in fresh processes. An output is *equal*,
byte for byte; or it differs in *words*, while numbers, signs and structure are the same; or it differs in *numbers*,
and the exit code is 1. Seconds, dates, digests and paths do not count. Outputs of OLD are kept in OUT, and used again
while OLD stays the same; those of NEW are made anew. OUT/differences.txt lists every difference.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from difflib import SequenceMatcher
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Final, NamedTuple

from commands import COMMANDS, FILES, LIBRARY, ON_PUBLIC, PRINTED, commands_of, write_inputs

# What may differ from run to run. The digest of a file depends on its words, and the file itself is compared.
VOLATILE: Final = [
    (re.compile(r"\b[0-9a-f]{64}\b|sha256-[\w+/]{43}="), "SHA256"),
    (re.compile(r"\b\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?([+-]\d\d:\d\d|Z)?)?"), "DATE"),
    (re.compile(r"\b[\d.,]+ (s|ms|seconds?|minutes?)\b"), "TIME"),
    (re.compile(r'("(?:\w+_)?seconds": )[\d.e-]+'), r"\1null"),
    (re.compile(r"(?m)(?<= {4})\d+\.\d{2,3}(?=( +(whole|exact))?$)"), "TIME"),  # a column of seconds
]
# Numbers, signs, words in capitals (verdicts) and single letters (items), except k and the article.
FACTS: Final = re.compile(r"\d+(?:[.,]\d+)*%?|[∧∨¬⊆⊂∅−+×=≤≥<>✓✗]|\b[A-Z]{3,}\b|\b[b-jl-zB-Z]\b")
SENTENCE: Final = re.compile(r"[A-Za-z]{2,}[,:;]? [a-z]{2,}")
EXACT: Final = re.compile(r"(\.(exit|csv|dat|spmf|out)|\b(mine|query)\.stdout|(?<!README)(?<!report)\.txt)$")


class Difference(NamedTuple):
    """A place where two outputs differ, and whether only words do."""

    old: str
    new: str
    only_words: bool


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the commands with both trees, compare their outputs, and return 1 if numbers differ."""
    parser = argparse.ArgumentParser(description="Compare the outputs of two source trees.")
    parser.add_argument("old", type=Path, metavar="OLD", help="a value for PYTHONPATH")
    parser.add_argument("new", type=Path, metavar="NEW", help="another one")
    parser.add_argument("out", type=Path, metavar="OUT", help="the folder for all outputs")
    parser.add_argument(
        "--only", nargs="+", metavar="CASE", choices=[*COMMANDS, *LIBRARY], help="run these cases alone"
    )
    parser.add_argument("--jobs", type=int, metavar="N", default=2, help="how many cases run at a time")
    options = parser.parse_args(arguments)
    for tree in (options.old, options.new):
        if not (tree / "discreet" / "__init__.py").exists():
            parser.error(f"{tree} holds no package discreet, so another one would run; give the folder src")
    out = options.out.resolve()
    has_public = write_inputs(out / "inputs")
    cases = [case for case in options.only or [*COMMANDS, *LIBRARY] if has_public or case not in ON_PUBLIC]
    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(partial(run, tree=options.old.resolve(), folder=out / "old", reuse=True), cases))
        list(pool.map(partial(run, tree=options.new.resolve(), folder=out / "new", reuse=False), cases))
    return summarise(out, cases)


def run(case: str, tree: Path, folder: Path, *, reuse: bool) -> None:
    """Run the commands of a case in a folder of its own, unless its outputs are there and may be used again."""
    place, stamp, commands = folder / case, folder / f"{case}.stamp", list(commands_of(case))
    files = [file for file in FILES.items() if any(file[0] in words for _, words in commands)]
    stamped = json.dumps([digest(tree), commands, files, PRINTED])
    if reuse and stamp.exists() and stamp.read_text() == stamped:
        return
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    inputs = folder.parent / "inputs"
    for file in inputs.iterdir():
        (place / file.name).symlink_to(file)
    settings = {"PYTHONPATH": str(tree), "DISCREET_DATA": str(inputs), "COLUMNS": "120", "NO_COLOR": "1"}
    start = partial(subprocess.run, cwd=place, env=os.environ | settings, capture_output=True, check=False)
    for number, (title, words) in enumerate(commands, start=1):
        done = start([sys.executable, "-c", *words], stdin=subprocess.DEVNULL)
        for kind, text in (("stdout", done.stdout), ("stderr", done.stderr), ("exit", b"%d\n" % done.returncode)):
            text_anywhere = text.replace(bytes(place), b"HERE").replace(bytes(tree), b"TREE")
            (place / f"{number:02} {title}.{kind}").write_bytes(text_anywhere)
    stamp.write_text(stamped)


def digest(tree: Path) -> str:
    """Return a digest of all files of a tree, caches aside."""
    files = [path for path in sorted(tree.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    parts = (part for path in files for part in (bytes(path.relative_to(tree)), path.read_bytes()))
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def summarise(out: Path, cases: Sequence[str]) -> int:
    """Print how many outputs differ, list all differences in a file, and return 1 if numbers differ."""
    found = {
        f"{case}/{name}": list(pair) for case in cases for name, pair in compare(out / "old" / case, out / "new" / case)
    }
    words = [name for name, many in found.items() if many and all(one.only_words for one in many)]
    numbers = {name: [one for one in many if not one.only_words] for name, many in found.items()}
    numbers = {name: many for name, many in numbers.items() if many}
    sentences = Counter((one.old, one.new) for many in found.values() for one in set(many) if one.only_words)
    errors = [
        name for name in found if name.endswith(".exit") and (out / "old" / name).read_text() not in {"0\n", "1\n"}
    ]
    lines = [
        "Numbers or structure:",
        *(f"{name}\n  − {one.old}\n  + {one.new}" for name, many in numbers.items() for one in many),
        "\nWords, and in how many outputs:",
        *(f"{many}\n  − {old}\n  + {new}" for (old, new), many in sorted(sentences.items())),
        "\nOutputs that differ in words only:",
        *words,
    ]
    (out / "differences.txt").write_text("\n".join(lines) + "\n")
    for name, many in numbers.items():
        print(f"{name}: {len(many)} numbers or parts differ")
    print(f"Commands that end in an error with OLD: {', '.join(errors) or 'none'}")
    counts = len(found) - len(words) - len(numbers), len(words), len(sentences), len(numbers)
    print("{} outputs equal, {} differ in words only ({} sentences), {} in numbers".format(*counts))
    print(f"All differences: {out / 'differences.txt'}")
    return int(bool(numbers))


def compare(old: Path, new: Path) -> Iterator[tuple[Path, Iterator[Difference]]]:
    """Yield the name of each output of a case, and how it differs."""
    sides = [{path.relative_to(side) for path in side.rglob("*") if not path.is_symlink()} for side in (old, new)]
    for name in sorted(sides[0] | sides[1]):
        if all(name in side for side in sides):
            yield name, differences(old / name, new / name)
        else:
            states = ("there" if name in side else "missing" for side in sides)
            yield name, iter([Difference(*states, only_words=False)])


def differences(old: Path, new: Path) -> Iterator[Difference]:
    """Yield where two files differ: in their modes, or in what they hold."""
    modes = [oct(path.stat().st_mode) for path in (old, new)]
    if modes[0] != modes[1]:
        yield Difference(*modes, only_words=False)
    if old.is_dir() or new.is_dir() or old.read_bytes() == new.read_bytes():
        return
    try:
        before, after = (steady(path.read_bytes().decode()) for path in (old, new))
    except UnicodeDecodeError:
        yield Difference("bytes", "other bytes", only_words=False)
        return
    if EXACT.search(old.name):
        lines = zip([*before.splitlines(), "the end"], [*after.splitlines(), "the end"], strict=False)
        yield from (Difference(*pair, only_words=False) for pair in lines if pair[0] != pair[1])
    elif before.startswith(("{", "[")):
        yield from in_json(before, after)
    elif before.lstrip().startswith("<"):
        yield from in_lines(markup(before), markup(after))
    else:
        yield from in_lines(before.splitlines(), after.splitlines())


def steady(text: str) -> str:
    """Return the text without what changes from run to run.

    >>> steady('{"seconds": 0.25, "date": "2026-01-31T10:00:00Z"} in 3.2 s')
    '{"seconds": null, "date": "DATE"} in TIME'
    """
    for pattern, name in VOLATILE:
        text = pattern.sub(name, text)
    return text


def facts(line: str) -> list[str]:
    """Return what may not change in a line: a whole tag, or the numbers, signs, verdicts and items of a sentence.

    >>> facts("WITHHOLD: 3 of 12 rows, by b ∧ ¬c")
    ['WITHHOLD', '3', '12', 'b', '∧', '¬', 'c']
    """
    return [line] if line.startswith("<") else FACTS.findall(line)


def in_lines(old: Sequence[str], new: Sequence[str], facts: Callable[[str], list[str]] = facts) -> Iterator[Difference]:
    """Yield the lines that differ; line by line where as many stand on both sides, else as a block.

    >>> [one.only_words for one in in_lines(["3 rows", "k = 2"], ["3 people", "k = 3"])]
    [True, False]
    """
    for change, *ends in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        before, after = old[ends[0] : ends[1]], new[ends[2] : ends[3]]
        pairs = zip(before, after, strict=True) if len(before) == len(after) else [(before, after)]
        for pair in pairs if change != "equal" else ():
            blocks = [[block] if isinstance(block, str) else block for block in pair]
            counts = [Counter(fact for line in block for fact in facts(line)) for block in blocks]
            yield Difference(*("\n    ".join(block).strip() for block in blocks), only_words=counts[0] == counts[1])


def in_json(old: str, new: str) -> Iterator[Difference]:
    """Yield the leaves of two JSON texts that differ; in sentences, words may.

    >>> [one.only_words for one in in_json('{"a": 1, "b": "Two of 3"}', '{"a": 2, "b": "A pair of 3"}')]
    [False, True]
    """
    try:
        sides = [list(leaves(json.loads(text))) for text in (old, new)]
    except ValueError:
        yield from in_lines(old.splitlines(), new.splitlines())
        return
    if [path for path, _ in sides[0]] != [path for path, _ in sides[1]]:
        yield from in_lines(*([f"{path} {value!r}" for path, value in side] for side in sides), lambda line: [line])
        return
    for (path, before), (_, after) in zip(*sides, strict=True):
        if isinstance(before, str) and isinstance(after, str) and SENTENCE.search(before) and SENTENCE.search(after):
            yield from in_lines([before], [after])
        elif repr(before) != repr(after):
            yield Difference(f"{path} {before!r}", repr(after), only_words=False)


def leaves(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Yield the path and the value of each leaf.

    >>> list(leaves({"a": [1, {}]}))
    [('.a.0', 1), ('.a.1', {})]
    """
    parts = list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ())
    for name, part in parts:
        yield from leaves(part, f"{path}.{name}")
    if not parts:
        yield path, value


def markup(text: str) -> list[str]:
    """Return tags and texts, a line each; attributes that are sentences are texts, too.

    >>> markup('<p class="a" title="A small note">1 <b>row</b></p>')
    ['<p class=a>', 'A small note', '1', '<b>', 'row', '</b>', '</p>']
    """
    page = Page()
    page.feed(text)
    return page.lines


class Page(HTMLParser):
    """The tags and texts of a page, as lines."""

    def __init__(self) -> None:
        """Begin with no line."""
        super().__init__()
        self.lines: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Add a tag, and its sentences."""
        sentences = [value for _, value in attrs if value and SENTENCE.search(value)]
        names = (f" {name}={value}" for name, value in attrs if value not in sentences)
        self.lines += [f"<{tag}{''.join(names)}>", *sentences]

    def handle_endtag(self, tag: str) -> None:
        """Add the end of a tag."""
        self.lines.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        """Add the lines of a text."""
        self.lines += [line.strip() for line in data.splitlines() if line.strip()]


if __name__ == "__main__":
    sys.exit(main())
