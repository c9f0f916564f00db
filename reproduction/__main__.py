"""Make a figure of a paper anew: ``make reproduce FIGURE=icdm05-fig2``, or ``python -m reproduction icdm05-fig2``."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path

from discreet import DiscreetError, InputError, OptionError, OutputError, read
from discreet.report import save
from reproduction.figure import figure_csv, figure_svg, figure_text
from reproduction.run import EXPERIMENTS, run


def main(words: Sequence[str] | None = None) -> None:
    """Print a figure as a table, and write it as CSV and SVG; without a name, list the figures."""
    parser = ArgumentParser(prog="python -m reproduction", description="Make a figure of a paper anew.")
    parser.add_argument("name", nargs="?", help="the figure; without it, the figures are listed")
    parser.add_argument("--data", metavar="FILE", help="rows to use in place of the data sets of the paper")
    parser.add_argument("--out", metavar="FOLDER", default=".", help="folder for NAME.csv and NAME.svg [default: here]")
    parser.add_argument("--quick", action="store_true", help="first and last settings only, few generated rows")
    parser.add_argument("--download", action="store_true", help="fetch data sets that are not on this machine")
    asked = parser.parse_args(words)
    try:
        if asked.name is None:
            print(*_list_figures(), sep="\n")
        else:
            _make(asked.name, asked.data, Path(asked.out), quick=asked.quick, download=asked.download)
    except DiscreetError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


def _make(name: str, data: str | None, out: Path, *, quick: bool, download: bool) -> None:
    if name not in EXPERIMENTS:
        raise OptionError(f"there is no figure {name[:40]!r}; 'python -m reproduction' lists them")
    places = [out / f"{name}.{suffix}" for suffix in ("csv", "svg")]
    if data is not None and Path(data).resolve() in {place.resolve() for place in places}:
        raise OutputError(f"--out would overwrite {data}, which is to be read; name another folder")
    try:
        rows = None if data is None else read(data)
        figure = run(name, rows, data=Path(data or "").name, quick=quick, download=download)
    except InputError as error:
        hint = ", with --download here, or give rows of your own with --data" * (data is None)
        raise InputError(f"{error}{hint}") from None
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"--out is {out}, which is no folder and cannot be made ({error.strerror})") from None
    for place, content in zip(places, (figure_csv(figure), figure_svg(figure)), strict=True):
        save(place, [content])
    print(*figure_text(figure), sep="\n")
    print(f"written to {places[0]} and {places[1].name}", file=sys.stderr)


def _list_figures() -> Iterator[str]:
    width = max(map(len, EXPERIMENTS))
    for name, experiment in EXPERIMENTS.items():
        yield f"{name:<{width}}  {experiment.title} ({', '.join(experiment.data)})"
    yield "\nMake one of them:  make reproduce FIGURE=NAME"


if __name__ == "__main__":
    main()
