"""The Python of a page runs in a folder with the files that the page shows."""  # noqa: INP001 - the pages are no package

from pathlib import Path

import pytest

from tests.documents import write_files

collect_ignore = ["conftest.py"]  # it holds no examples, and two modules of one name cannot both be looked through


@pytest.fixture(autouse=True)
def _in_a_folder_with_the_files_of_the_page(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(request.path)
