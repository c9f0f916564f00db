"""A real notebook kernel on the interpreter that runs the tests, which leaves nothing behind."""

import sys

import pytest

nbclient = pytest.importorskip("nbclient", reason="needs nbclient: pip install 'discreet[test]'")
pytest.importorskip("ipykernel", reason="needs ipykernel: pip install 'discreet[test]'")

nbformat, traitlets = pytest.importorskip("nbformat"), pytest.importorskip("traitlets")
kernelspec, manager = pytest.importorskip("jupyter_client.kernelspec"), pytest.importorskip("jupyter_client.manager")


class Here(kernelspec.KernelSpecManager):
    """Knows one kernel, and installs none."""

    def get_kernel_spec(self, kernel_name):
        command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", "--log-level=ERROR"]
        return kernelspec.KernelSpec(argv=command, display_name=kernel_name, language="python")


class Manager(manager.AsyncKernelManager):
    @traitlets.default("kernel_spec_manager")
    def _here(self):
        return Here(parent=self)


class Client(nbclient.NotebookClient):
    """Runs a notebook, and keeps every message that is an output."""

    def __init__(self, notebook, folder):
        where = {"metadata": {"path": str(folder)}}
        super().__init__(notebook, timeout=300, kernel_manager_class=Manager, resources=where)
        self.seen = []

    def process_message(self, message, cell, cell_index):
        if message["msg_type"].endswith(("display_data", "stream")):
            self.seen.append((message["msg_type"], message["content"]))
            self.hear(message)
        return super().process_message(message, cell, cell_index)

    def hear(self, message):
        """Is told each output as it comes."""


def apart(folder, monkeypatch):
    """Let Jupyter and IPython write to a folder of the test alone."""
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        place = folder / name.lower()
        place.mkdir()
        monkeypatch.setenv(name, str(place))


def notebook(*cells):
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
