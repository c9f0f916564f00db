"""Assertions of tests run: none stands where an example may pass by it."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
FORKS = ast.If | ast.ExceptHandler | ast.Match
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def is_fork(node):
    """Whether a statement has a part that may not run to its end."""
    is_suppressed = isinstance(node, ast.With) and any("suppress" in ast.unparse(item) for item in node.items)
    return is_suppressed or isinstance(node, FORKS)


def own_nodes(function):
    """Yield the nodes below one, but for those of functions within it."""
    stack = list(ast.iter_child_nodes(function))
    while stack:
        node = stack.pop()
        yield node
        stack += [] if isinstance(node, FUNCTIONS) else ast.iter_child_nodes(node)


def is_check(node):
    """Whether a statement asserts something, or that something is raised."""
    is_raised = isinstance(node, ast.With) and any("raises" in ast.unparse(item.context_expr) for item in node.items)
    return is_raised or isinstance(node, ast.Assert)


def passed_by(source):
    """Return the lines of checks in a branch of a function, and of ways out of a test before its end.

    >>> passed_by("def test(x):\\n    if x:\\n        assert x > 1")
    [3]
    >>> passed_by("def test(x):\\n    if not x:\\n        return\\n    assert x > 1")
    [3]
    """
    functions = [
        node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    lines = set()
    for function in functions:
        branched = [node for fork in own_nodes(function) if is_fork(fork) for node in own_nodes(fork)]
        lines |= {node.lineno for node in branched if is_check(node)}
        if function.name.startswith("test"):
            lines |= {node.lineno for node in branched if isinstance(node, ast.Return | ast.Continue)}
    return sorted(lines)


@pytest.mark.parametrize("file", sorted(TESTS.rglob("*.py")), ids=lambda file: file.stem)
def test_no_check_stands_where_an_example_may_pass_by_it(file):
    assert passed_by(file.read_text(encoding="utf-8")) == []
