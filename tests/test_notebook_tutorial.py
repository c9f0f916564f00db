"""The tutorial notebook runs from its first cell to its last, and ends with a release that is verified."""

import json
from pathlib import Path

import pytest

TUTORIAL = Path(__file__).parent.parent / "examples" / "tutorial.ipynb"


def test_the_tutorial_is_kept_without_what_a_run_leaves_in_it():
    kept = json.loads(TUTORIAL.read_text(encoding="utf-8"))
    assert set(kept["metadata"]) == {"kernelspec", "language_info"}
    for cell in kept["cells"]:
        assert cell["metadata"] == {}
        assert cell.get("outputs", []) == []
        assert cell.get("execution_count") is None
    names = [cell["id"] for cell in kept["cells"]]
    assert len(set(names)) == len(names)
    text = json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    assert TUTORIAL.read_text(encoding="utf-8") == text


@pytest.fixture
def ran(tmp_path, monkeypatch):
    """The cells of the tutorial by their names, after a run in a fresh kernel."""
    import kernel

    kernel.apart(tmp_path, monkeypatch)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    client = kernel.Client(kernel.nbformat.read(TUTORIAL, as_version=4), tmp_path)
    cells = client.execute()["cells"]
    left = [path.name for path in tmp_path.iterdir() if not path.name.startswith(("ipythondir", "jupyter_"))]
    assert left == []
    return {cell["id"]: cell for cell in cells}


def shown(cell):
    """What a cell printed, and the text and HTML of what it shows."""
    outputs = cell["outputs"]
    parts = [part for output in outputs for part in (output.get("text", ""), *output.get("data", {}).values())]
    return "\n".join(parts)


def test_the_tutorial_runs_and_ends_with_a_good_verification(ran):
    code = [cell for cell in ran.values() if cell["cell_type"] == "code"]
    assert [output for cell in code for output in cell["outputs"] if output["output_type"] == "error"] == []
    assert [output for cell in code for output in cell["outputs"] if output.get("name") == "stderr"] == []
    assert "WITHHOLD" in shown(ran["audit"])
    assert "= 1" in shown(ran["explain"])
    assert "DO-NOT-RELEASE" not in shown(ran["write"])
    assert shown(ran["verify"]).startswith("GOOD: ")
    assert shown(ran["verify"]).endswith("True")
    assert "depression & sertraline: " in shown(ran["query"])
    assert shown(ran["query"]).count(" rows before, 0 now") == 2
    for name in ("load", "mine", "audit", "channels", "tradeoff", "compare", "block", "hide"):
        assert "<table" in shown(ran[name])
