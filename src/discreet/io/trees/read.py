"""Files of decision trees, as scikit-learn prints and draws them and PMML holds them: numbers as they are printed."""

from collections.abc import Callable, Mapping
from typing import Final

from discreet.errors import InputError, OptionError
from discreet.io.files import Data
from discreet.io.trees import dot, pmml, text
from discreet.io.trees.stated import Stated

READERS: Final[Mapping[str, Callable[[Data], tuple[Stated, ...]]]] = {
    "text": text.read,
    "dot": dot.read,
    "pmml": pmml.read,
}
JSON: Final = "json"
"""Our own format holds leaves as they are, and is read where those are known."""
BEGINNINGS: Final = {b"|": "text", b"#": "text", b"digraph": "dot", b"<": "pmml", b"{": JSON}
PICKLED: Final = (b"\x80", b"PK\x03\x04", b"\x93NUMPY")
BLANK: Final = b" \t\r\n"


def format_of(data: Data, name: str | None) -> str:
    """Return the format called ``name``, or the one that the file's first characters tell.

    >>> format_of(b"digraph Tree {", None), format_of(b"|--- age <= 40.50", None)
    ('dot', 'text')
    """
    known = (*READERS, JSON)
    if name is not None:
        if name not in known:
            raise OptionError(f"format is {str(name)[:40]!r}; trees can be in one of {', '.join(known)}")
        return name
    begins = bytes(data[:1000]).removeprefix(b"\xef\xbb\xbf").lstrip(BLANK)
    for beginning, form in BEGINNINGS.items():
        if begins.startswith(beginning):
            return form
    if begins.startswith(PICKLED):
        raise InputError(
            "this is a pickle or an archive, which is run when it is opened, and so is not read; give the tree as text"
        )
    raise InputError(
        "the file does not begin as a tree does; give what export_text or export_graphviz writes, PMML or JSON, or "
        f"name its format: {', '.join(known)}"
    )
