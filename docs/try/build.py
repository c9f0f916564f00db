"""Build the page that audits in the browser alone, as one file: Python, NumPy and discreet are within it.

``make page`` runs this. Pyodide and NumPy for WebAssembly come by npm, pinned by their SHA-256; click is
the installed one, and discreet the one in ``src``. The same sources give the same bytes.
"""

import base64
import gzip
import hashlib
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
CACHE: Final = ROOT / ".venv" / "page"
PYODIDE: Final = "0.27.7"
EPOCH: Final = (1980, 1, 1, 0, 0, 0)  # of zip files
UNUSED: Final = ("/tests/", "/f2py/", "/include/", "/_pyinstaller/", "/distutils/", "/doc/")  # parts of NumPy


class Package(NamedTuple):
    """A package of npm in one version, and the SHA-256 of its file."""

    name: str
    sha256: str


PACKAGES: Final = {
    "pyodide": Package(f"pyodide@{PYODIDE}", "89d5d952675eb08e11286e52c7238f1248ce71726e896db9703e73bef23dc343"),
    # Made with the same Emscripten (3.1.58) for the same Python (3.12).
    "numpy": Package(
        "@emscripten-forge/numpy@2.0.1-py312h4e66579-0",
        "7c6dab4b681b15286f10ab9972147f599d91df4ea881f61fb58ad39349423d84",
    ),
}


def main(target: str) -> None:
    """Write the page to a file."""
    pyodide = _read_tar(_download("pyodide"))
    (packed,) = (data for name, data in _read_tar(_download("numpy")).items() if name.endswith(".tar.gz"))
    numpy = {
        name.partition("site-packages/")[2]: data
        for name, data in _read_tar(packed).items()
        if "site-packages/numpy/" in name and not name.endswith(".pyi") and not any(part in name for part in UNUSED)
    }
    script = b"\n".join([*(pyodide[f"package/{name}.js"] for name in ("pyodide.asm", "pyodide")), _read("worker.js")])
    files = {
        **{name: pyodide[f"package/{name}"] for name in ("pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")},
        "numpy.zip": _zip(numpy.items()),
        "click.zip": _zip(_list_package("click")),
        "discreet.zip": _zip(_list_package("discreet")),
        "worker.py": _read("worker.py"),
    }
    place = Path(target)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(_assemble(script, files), encoding="utf-8")
    print(f"{place}: {place.stat().st_size / 1e6:.1f} MB, one file that needs nothing else")


def _assemble(script: bytes, files: dict[str, bytes]) -> str:
    """Return the page; its policy allows the one script, the one style, and no connection."""
    sys.path.insert(0, str(ROOT / "src"))
    from discreet import __version__  # noqa: PLC0415 - the one that is packed

    own, style = _read("page.js").decode(), _read("page.css").decode()
    policy = (
        f"default-src 'none'; connect-src 'none'; script-src {_hash(own)} 'wasm-unsafe-eval'; "
        f"style-src {_hash(style)}; worker-src blob:; form-action 'none'; base-uri 'none'"
    )
    packed = {"worker.js": script, **files}
    parts = "\n".join(f'<script type="text/plain" id="{name}">{_pack(data)}</script>' for name, data in packed.items())
    page = _read("page.html").decode()
    values = {"policy": policy, "style": style, "version": __version__, "pyodide": PYODIDE, "script": own}
    for name, value in {**values, "parts": parts}.items():
        page = page.replace(f"{{{name}}}", value, 1)
    return page


def _download(name: str) -> bytes:
    """Return a package, from an earlier build if there is one; refuse any other bytes than those that were tried."""
    package = PACKAGES[name]
    kept = CACHE / package.sha256
    if not kept.is_file():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=kept.parent) as folder:
            subprocess.run(["npm", "pack", "--silent", "--pack-destination", folder, package.name], check=True)
            next(Path(folder).iterdir()).replace(kept)
    data = kept.read_bytes()
    if hashlib.sha256(data).hexdigest() != package.sha256:
        kept.unlink()
        sys.exit(f"{package.name} is not what was tried; see what changed, and do not use it")
    return data


def _read_tar(data: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=BytesIO(data)) as archive:
        members = [member for member in archive if member.isfile()]
        return {member.name: file.read() for member in members if (file := archive.extractfile(member))}


def _list_package(name: str) -> Iterable[tuple[str, bytes]]:
    """Yield the files of a package of Python."""
    spec = find_spec(name)
    folder = ROOT / "src" / name if name == "discreet" or spec is None else Path(str(spec.origin)).parent
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield f"{name}/{path.relative_to(folder).as_posix()}", path.read_bytes()


def _zip(files: Iterable[tuple[str, bytes]]) -> bytes:
    """Return files as a zip file that is the same whenever it is made; the page packs it as a whole."""
    target = BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, EPOCH), data)
    return target.getvalue()


def _read(name: str) -> bytes:
    return (HERE / name).read_bytes()


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _pack(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, mtime=0)).decode()


if __name__ == "__main__":
    main(sys.argv[1])
