"""Trees as a publication: what ``--tree`` says of FILE, and how that is judged."""

from collections.abc import Mapping
from typing import Any, Final

import click

from discreet.cli.place import put
from discreet.cli.reading import digested

TREE: Final = (
    click.option(
        "--tree",
        is_flag=True,
        help="FILE holds a decision tree, a forest or a list of rules: of scikit-learn as text or dot, PMML, or JSON.",
    ),
)


def judged_tree(
    file: str,
    told: Mapping[str, Any],
    by: Mapping[str, Any],
    alone: Mapping[str, Any],
    *,
    out: str | None,
    explain: int,
    as_json: bool,
    quiet: bool,
    **reading: Any,  # noqa: ANN401 - as candidate takes them
) -> int:
    """Judge the tree of FILE and report; refuse options that are for itemsets and rules ``alone``."""
    import discreet
    from discreet import OptionError, read_tree, report

    known: Any = {"format": reading.pop("format"), "n": reading.pop("n"), "rows": reading.pop("rows_file")}
    for name, value in {**told, **alone, "schema": by["schema"], **reading}.items():
        if value is not None and value is not False:
            raise OptionError(f"--{name.replace('_', '-')} is not for trees; leave one out")
    trees, source = digested(file, lambda place: read_tree(place, **known))
    result = discreet.audit(trees, k=by["k"], policy=by["policy"])
    shown: Any = {"source": source}
    put(out, report.tree_json(result, **shown), report.tree_text(result, explain=explain, **shown), as_json=as_json)
    if out not in {None, "-"} and not quiet:
        click.echo(f"{result.verdict.name}; the report was written to {out}", err=True)
    return int(result.verdict is not discreet.Verdict.RELEASE)
