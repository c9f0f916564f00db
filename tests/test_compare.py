"""The comparison of two source trees tells other words from other numbers."""

import compare
import pytest

# A command line that says one sentence on stdout, and in a file.
CLI = """
import json
def main():
    print({0!r})
    json.dump({{"sentence": {0!r}}}, open("said.json", "w"))
"""


@pytest.fixture
def compared(tmp_path, monkeypatch, capsys):
    """Compare two trees that say one sentence each; return the exit code and the summary."""
    monkeypatch.setenv("DISCREET_DATA", str(tmp_path))

    def compared(old, new):
        trees = [tmp_path / "trees" / name for name in ("old", "new")]
        for tree, sentence in zip(trees, (old, new), strict=True):
            (tree / "discreet").mkdir(parents=True, exist_ok=True)
            (tree / "discreet" / "__init__.py").touch()
            (tree / "discreet" / "cli.py").write_text(CLI.format(sentence))
        code = compare.main([*map(str, trees), str(tmp_path / "out"), "--only", "quest"])
        return code, capsys.readouterr().out

    return compared


@pytest.mark.parametrize(
    ("new", "code", "summary"),
    [
        ("3 of 12 rows are exposed", 0, "7 outputs equal, 0 differ in words only (0 sentences), 0 in numbers"),
        ("Of 12 people, 3 are exposed", 0, "4 outputs equal, 3 differ in words only (1 sentences), 0 in numbers"),
        ("4 of 12 rows are exposed", 1, "4 outputs equal, 0 differ in words only (0 sentences), 3 in numbers"),
    ],
)
def test_other_words_are_not_other_numbers(compared, new, code, summary):
    found, text = compared("3 of 12 rows are exposed", new)
    assert (found, summary in text) == (code, True)


def test_the_old_tree_runs_anew_if_it_has_changed(compared):
    compared("3 of 12 rows are exposed", "3 of 12 rows are exposed")
    assert compared("4 of 12 rows are exposed", "4 of 12 rows are exposed")[0] == 0
