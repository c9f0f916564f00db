"""``discreet generate``: synthetic rows, the same bytes for the same seed."""

from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet import Transactions

SEED: Final = click.option("--seed", type=int, default=0, show_default=True, help="Another seed gives other rows.")
OUT: Final = click.option("--out", required=True, metavar="FILE", help="Where the rows go; - for stdout.")
FORMAT: Final = click.option(
    "--format", metavar="FORMAT", help="How they are written; without it, by the suffix of --out."
)


@click.group(epilog="Example: discreet generate clinic --rows 1000 --out clinic.csv")
def generate() -> None:
    """Write synthetic rows to a file."""


@generate.command(
    short_help="Write an invented clinic.",
    epilog="Example: discreet generate clinic --rows 1000 --seed 7 --out clinic.csv",
)
@click.option("--rows", type=int, default=1000, show_default=True, help="How many patients.")
@SEED
@OUT
@FORMAT
def clinic(*, rows: int, seed: int, out: str, format: str | None) -> None:  # noqa: A002 - as in write()
    """Write an invented clinic: sex, age, smoking, diagnoses, tests and drugs of patients."""
    from discreet import Transactions
    from discreet.data.generate import clinic as generate_clinic

    # Without the names of the patients, which only number the rows: not every format can hold them.
    _write(lambda: Transactions(generate_clinic(rows, seed=seed)), out, format)


@generate.command(
    short_help="Write market baskets by the IBM Quest generator.",
    epilog="Example: discreet generate quest --rows 100000 --length 10 --pattern-length 4 --out t10i4.dat",
)
@click.option("--rows", type=int, default=100_000, show_default=True, help="How many baskets: D.")
@click.option("--length", type=float, default=10, show_default=True, help="Mean number of items in a basket: T.")
@click.option("--pattern-length", type=float, default=4, show_default=True, help="Mean size of a planted itemset: I.")
@click.option("--items", type=int, default=1000, show_default=True, help="How many items there are: N.")
@click.option("--patterns", type=int, default=2000, show_default=True, help="How many itemsets are planted: L.")
@click.option(
    "--correlation", type=float, default=0.5, show_default=True, help="How much a planted itemset takes over."
)
@click.option("--corruption", type=float, default=0.5, show_default=True, help="How much of one is lost in a basket.")
@click.option("--corruption-variance", type=float, default=0.1, show_default=True, help="How much that varies.")
@SEED
@OUT
@FORMAT
def quest(*, rows: int, out: str, format: str | None, **parameters: Any) -> None:  # noqa: A002, ANN401 - as in write() and quest()
    """Write market baskets as the IBM Quest generator draws them (Agrawal and Srikant, 1994)."""
    from discreet.data.generate import quest as generate_quest

    _write(lambda: generate_quest(rows, **parameters), out, format)


def _write(draw: "Callable[[], Transactions]", out: str, how: str | None) -> None:
    """Draw the rows and write them."""
    from discreet import write
    from discreet.cli.watch import watching

    with watching():
        rows = draw()
    write(rows, out, format=how)
