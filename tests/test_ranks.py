"""Rooms import from rooms to their left alone: the table in pyproject.toml, checked against the syntax trees."""

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "discreet"
PLAN = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["discreet"]
RANK = {room: rank for rank, rooms in enumerate(PLAN["ranks"]) for room in rooms}
DOORS = {(door["from"], door["to"]) for door in PLAN["doors"]}


def dotted(path):
    """The name that a file is imported by."""
    return ".".join(("discreet", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")


MODULES = {dotted(path): path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}


def room_of(module):
    """The room of a module or of a name in it; ``discreet`` itself is above all rooms, __main__ starts the last."""
    return [*module.split("."), ""][1].replace("__main__", "cli")


def imports(source, names=MODULES):
    """Yield each import of ours, late ones included: the module, and the name taken from it ("" for the module)."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=aliases):
                yield from ((alias.name, "") for alias in aliases if alias.name.split(".")[0] == "discreet")
            case ast.ImportFrom(module=str(module), names=aliases, level=0) if module.split(".")[0] == "discreet":
                for alias in aliases:
                    inner = f"{module}.{alias.name}"
                    yield (inner, "") if inner in names else (module, alias.name)


def run(source):
    """The source without what only type checkers read: that is never imported."""
    tree = ast.parse(source)
    tree.body = [
        node for node in tree.body if not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test))
    ]
    return ast.unparse(tree)


def private_uses(source):
    """Yield the private names that are reached through an imported module, such as ``problem._coded``."""
    tree = ast.parse(source)
    aliases = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "discreet":
            aliases |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if is_private(attribute):
                if aliases.get(name) in MODULES:
                    yield aliases[name], attribute


def is_private(name):
    return name.startswith("_") and not name.startswith("__")


def is_door(module, target):
    return any(module == start and (target == end or target.startswith(f"{end}.")) for start, end in DOORS)


def faults(module, source):
    """What is wrong with the imports of a module, in words."""
    room, found = room_of(module), []
    for target, name in imports(source):
        other = room_of(target)
        if target == "discreet" and name not in {"", "__version__"} and room not in PLAN["faces"]:
            found.append(f"{name} comes from discreet itself, which is above")
        if not other or other == room:
            continue
        if is_private(name) or any(map(is_private, target.split("."))):
            found.append(f"{target}.{name} is private to {other}")
        if RANK[other] >= RANK[room] and not is_door(module, target):
            found.append(f"{other} is not to the left of {room}")
    found += [f"{target}.{name} is private" for target, name in private_uses(source) if room_of(target) != room]
    return found


def test_every_entry_of_the_package_is_a_room_and_has_a_rank():
    others = {"__init__.py", "__main__.py", "py.typed"}
    entries = {path.stem for path in SOURCE.iterdir() if path.name not in {"__pycache__", *others}}
    assert entries == set(RANK) == set(PLAN["rooms"])
    assert len(entries) + len(others) <= 19
    assert len(PLAN["ranks"]) <= 12


def test_doors_are_few_and_are_all_used():
    used = {
        (module, end)
        for module, source in MODULES.items()
        for target, _ in imports(source)
        for start, end in DOORS
        if module == start and (target == end or target.startswith(f"{end}."))
    }
    assert used == DOORS
    assert len(DOORS) <= 5


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_from_its_own_room_and_from_its_left(module):
    assert module == "discreet" or faults(module, MODULES[module]) == []


@pytest.mark.parametrize("module", [module for module in MODULES if room_of(module) == "cli"])
@pytest.mark.parametrize(
    "line",
    [
        "from discreet.hiding.problem import _coded",
        "def late():\n    from discreet.hiding.problem import _coded",
        "from discreet.hiding import problem\nproblem._coded",
    ],
)
def test_a_private_name_of_another_room_is_refused_wherever_it_is_imported(module, line):
    assert faults(module, f"{MODULES[module]}\n{line}\n") != []


@pytest.mark.parametrize("line", ["from discreet.report import save", "def late():\n    import discreet.report.text"])
def test_an_import_from_the_right_is_refused_wherever_it_stands(line):
    assert faults("discreet.hiding.problem", line) != []


def test_no_modules_import_each_other_in_a_circle_but_through_doors():
    graph = {
        module: {target for target, _ in imports(run(source)) if target in MODULES and not is_door(module, target)}
        for module, source in MODULES.items()
        if module != "discreet"
    }
    before = None
    while before != graph:  # whoever imports none of the rest, or is imported by none, is on no circle
        before, left = graph, set(graph)
        imported = {target for module, targets in graph.items() for target in targets - {module}}
        graph = {module: targets & left for module, targets in graph.items() if targets & left - {module}}
        graph = {module: targets for module, targets in graph.items() if module in imported}
    assert sorted(graph) == []


def test_no_room_has_the_name_of_a_public_function():
    init = ast.parse(MODULES["discreet"])
    imported = [alias for node in init.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    public = {alias.asname or alias.name for alias in imported}
    assert set(RANK).isdisjoint(public)


@pytest.mark.parametrize("module", [module for module in MODULES if room_of(module) == "kernels"])
def test_a_kernel_file_imports_nothing_of_ours_but_what_all_share(module):
    below = {
        "search_lists": ("frames", "search_frames"),
        "search_frames": ("frames",),
        "polytopes": ("simplex",),
        "compiled": ("entry", "lowering", "reading"),
        "lowering": ("entry", "writers"),
        "reading": ("writers",),
    }
    names = ("common", "compiled", "shapes", "words", *below.get(module.rpartition(".")[2], ()))
    shared = {f"discreet.kernels.{name}" for name in names}
    shared |= {"discreet.kernels"}
    assert {target for target, _ in imports(MODULES[module])} <= shared


VERIFIER = "discreet.blocking.verify"


@pytest.mark.parametrize("module", [module for module in MODULES if module.startswith(VERIFIER)])
def test_the_verifier_is_short_and_imports_nothing_of_ours_but_errors_sizes_and_a_kernel_of_its_own(module):
    allowed = ("discreet.errors", "discreet.runtime.parquet_footer", "discreet.kernels", VERIFIER)
    assert [target for target, _ in imports(MODULES[module]) if not target.startswith(allowed)] == []
    assert len(MODULES[module].splitlines()) < 300


def test_the_kernel_of_the_verifier_is_its_own():
    used = {module for module, text in MODULES.items() if "kernels.recount" in text}
    assert used == {f"{VERIFIER}_cells"}


@pytest.mark.parametrize("module", MODULES)
def test_a_module_is_read_in_one_sitting(module):
    assert len(MODULES[module].splitlines()) <= 700
