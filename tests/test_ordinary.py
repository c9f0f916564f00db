"""Ordinary files keep their verdicts: what is written to stop a wrong one must not trouble those who are right."""

import ordinary
import pytest

VERDICTS = ordinary.read_verdicts()
FEWEST = 200


def test_there_are_many_ordinary_files_and_a_verdict_for_each():
    assert len(VERDICTS) >= FEWEST
    assert sorted(VERDICTS) == sorted(ordinary.make_files())


@pytest.mark.parametrize("name", VERDICTS)
def test_an_ordinary_file_keeps_its_verdict(name, tmp_path):
    assert ordinary.judge(ordinary.make_files()[name], tmp_path) == VERDICTS[name]
