"""A module imports only from its left: the layers of docs/how-it-works.md, read from the source."""

import ast
from pathlib import Path

import pytest

import discreet

SOURCE = Path(discreet.__file__).parent
LAYERS = (
    "errors",
    "footer",
    "thresholds",
    "labels",
    "markup",
    "notebook",
    "machine",
    "kernels",
    "program",
    "order",
    "query",
    "baskets",
    "transactions",
    "merged",
    "patterns",
    "io",
    "inverted",
    "generate",
    "datasets",
    "mine",
    "family",
    "channels",
    "detect",
    "verdict",
    "policy",
    "measure",
    "acyclic",
    "attack",
    "release",
    "block",
    "hide",
    "implications",
    "checks",
    "changes",
    "rules",
    "trees",
    "audit",
    "tradeoff",
    "verify",
    "report",
    "folder",
    "reproduce",
    "spark",
    "web",
    "cli",
)
DOORS = {
    "transactions": {"io"},
    "audit": {"report", "tradeoff"},
    "release": {"report", "block"},
    "rules": {"report"},
    "trees": {"report"},
}
"""Where a method is a door to the right, such as ``Transactions.from_onehot``; it imports when it is called."""

PUBLIC_MODULES = {"generate", "datasets", "measure", "report", "folder", "reproduce", "web"}
"""Public by their own names, so that ``import discreet`` need not load them."""

FACES = {"cli": PUBLIC_MODULES, "web": PUBLIC_MODULES | {"baskets", "io", "machine", "policy"}}
"""What people see stands on public names; the web app also guesses how files are shaped, and bounds memory."""

MODULES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


def layer(path):
    """The first part of a module's name below ``discreet``."""
    return path.relative_to(SOURCE).with_suffix("").parts[0]


def imported(path):
    """The dotted names that a module imports from ``discreet``, wherever in the file it does."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from (name.name for name in names if name.name.split(".")[0] == "discreet")
            case ast.ImportFrom(module=str(module), names=names, level=0) if module.split(".")[0] == "discreet":
                yield from (f"{module}.{name.name}" for name in names)


def name_of(path):
    return str(path.relative_to(SOURCE))


def test_every_module_has_its_layer():
    assert {layer(path) for path in MODULES} <= set(LAYERS)


@pytest.mark.parametrize("path", [path for path in MODULES if layer(path) not in FACES], ids=name_of)
def test_a_module_imports_only_from_its_left(path):
    allowed = {"__version__", *LAYERS[: LAYERS.index(layer(path)) + 1], *DOORS.get(layer(path), ())}
    assert [name for name in imported(path) if name == "discreet" or name.split(".")[1] not in allowed] == []


@pytest.mark.parametrize("path", [path for path in MODULES if layer(path) == "kernels"], ids=name_of)
def test_a_kernel_file_imports_nothing_of_ours_but_bits_and_room(path):
    shared = ("discreet.kernels.bits.", "discreet.kernels.room.")
    assert [name for name in imported(path) if not name.startswith(shared)] == []


@pytest.mark.parametrize("path", [path for path in MODULES if layer(path) == "verify"], ids=name_of)
def test_the_verifier_is_short_and_imports_nothing_of_ours_but_errors_and_sizes(path):
    own = ("discreet.errors.", "discreet.runtime.parquet_footer.", "discreet.verify.")
    assert [name for name in imported(path) if not name.startswith(own)] == []
    assert len(path.read_text(encoding="utf-8").splitlines()) < 200


@pytest.mark.parametrize("path", [path for path in MODULES if layer(path) in FACES], ids=name_of)
def test_the_command_line_and_the_web_app_use_only_public_names(path):
    own = f"discreet.{layer(path)}"
    public = {f"discreet.{name}" for name in ["__version__", *discreet.__all__, *FACES[layer(path)]]}
    names = [name for name in imported(path) if name != "discreet" and not name.startswith(own)]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    attributes = [
        f"discreet.{node.attr}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "discreet"
    ]
    assert [name for name in [*names, *attributes] if ".".join(name.split(".")[:2]) not in public] == []
