"""Formats: which file is of which format, and which functions read and write it."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from discreet.errors import Option, OptionError
from discreet.io.files import Place, check_there, is_url, naming, suffix_of


@dataclass(frozen=True)
class Format:
    """A file format: what it holds, how its files end, which options its reader of rows has, if a line is a row.

    One without suffixes has to be named. Its module in this folder has ``read`` and ``write`` if it holds rows,
    ``read_patterns`` and ``write_patterns`` if it holds patterns, and is loaded when it is first asked for. ``lines``
    tells how rows with a line each are read in pieces; ``without`` gives a table back that has lost items.
    """

    name: str
    suffixes: tuple[str, ...]
    rows: bool = True
    patterns: bool = True
    options: frozenset[str] = frozenset()
    lines: bool = False

    @property
    def module(self) -> ModuleType:
        """The module with the functions of this format."""
        return import_module(f"discreet.io.formats.{self.name}")


FORMATS: Final = {
    form.name: form
    for form in (
        Format("fimi", (".dat", ".fimi"), patterns=False, lines=True),
        Format("spmf", (".txt", ".spmf"), lines=True),
        Format("csv", (".csv", ".basket"), options=frozenset({"separator", "row", "item"}), lines=True),
        Format("onehot", (), patterns=False, options=frozenset({"separator", "row"})),
        Format("parquet", (".parquet", ".pq"), options=frozenset({"items", "row", "item"})),
        Format("json", (".json",), rows=False),
        Format("borgelt", (".out",), rows=False),
    )
}


def find(place: Place, name: str | None, *, what: str) -> Format:
    """Return the format called ``name``, else that of the suffix of ``place``; it must hold ``what``, rows or patterns.

    >>> find("retail.dat.gz", None, what="rows").name
    'fimi'
    """
    able = {form.name: form for form in FORMATS.values() if getattr(form, what)}
    if is_url(place):
        check_there(place)
    if name is not None:
        if name not in able:
            raise OptionError(f"format is {str(name)[:40]!r}; {what} can be in one of {', '.join(able)}")
        return able[name]
    suffix = suffix_of(place)
    for form in able.values():
        if suffix in form.suffixes:
            return form
    known = ", ".join(form.name + f" ({' '.join(form.suffixes)})" * bool(form.suffixes) for form in able.values())
    told = f"the suffix {suffix[:40]!r} tells no format" if suffix else "there is no suffix to tell the format"
    raise OptionError(f"{told} of {what}; name one with ", Option("format"), f": {known}")


def format_of(source: Place, name: str | None, *, what: str) -> Format:
    """Return the format of a source; that there is no such file is said before anything about its suffix."""
    try:
        return find(source, name, what=what)
    except OptionError:
        with naming(source):
            check_there(source)
        raise


def reading(form: Format, name: str | None, given: Mapping[str, str]) -> dict[str, Any]:
    """Check the options of a reader, and return them.

    Where both the format and the separator of a CSV file are named, its lines are meant to be what they are read as.
    """
    check_options(given, form.options, f"the format {form.name}")
    return {**given, "is_meant": True} if form.name == "csv" and name and "separator" in given else dict(given)


def check_options(given: Iterable[str], allowed: Collection[str], what: str) -> None:
    """Refuse options that ``what`` does not have."""
    for name in given:
        if name not in allowed:
            raise OptionError(Option(name), f" means nothing for {what}; leave it out, or name the right format")
