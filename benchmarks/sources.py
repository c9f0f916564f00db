"""The rows to measure on: public data sets where they are on this machine, generated ones where not."""

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from discreet import InputError, Transactions, write
from discreet.data import generate
from discreet.data.patterns import Kind
from discreet.io import datasets


class Plan(NamedTuple):
    """What to measure on a data set: shares from high to low, and the few cases that only some data sets have.

    ``papers`` are the shares at which the papers' detectors end, ``hashed`` those at which the baseline runs;
    ``blocked`` are a share and a k each, and ``followed`` the shares at which commands after an audit are timed.
    """

    shares: tuple[str, ...]
    frequent: tuple[str, ...] = ()
    apriori: tuple[str, ...] = ()
    heavy: tuple[tuple[str, Kind], ...] = ()
    papers: tuple[str, ...] = ()
    hashed: tuple[str, ...] = ()
    tradeoff: tuple[str, ...] = ()
    blocked: tuple[tuple[str, int], ...] = ()
    followed: tuple[str, ...] = ()


class Source(NamedTuple):
    """Rows of whole numbers, in memory and as a FIMI file, and what to measure on them."""

    name: str
    transactions: Transactions
    path: Path
    plan: Plan

    def lists(self) -> list[list[int]]:
        """Return the rows as peers take them."""
        with self.path.open() as file:
            return [[int(item) for item in line.split()] for line in file]


# apriori takes minutes elsewhere, and is never near the best there.
PUBLIC: Final[Mapping[str, Plan]] = {
    "mushroom": Plan(
        ("10%", "5%", "1%"),
        frequent=("10%",),
        heavy=(("0.1%", "closed"), ("0.1%", "maximal"), ("5%", "frequent")),
        papers=("20%", "10%"),
        hashed=("10%", "1%"),
        tradeoff=("35%", "30%", "25%", "20%", "15%", "10%"),
        blocked=(("25%", 10), ("15%", 10)),
        followed=("1%",),
    ),
    "chess": Plan(
        ("75%", "60%", "50%"),
        heavy=(("50%", "closed"), ("40%", "closed")),
        papers=("85%", "75%"),
        blocked=(("80%", 10),),
    ),
    "connect": Plan(("90%", "80%", "70%"), apriori=("90%",), followed=("70%",)),
    "retail": Plan(
        ("0.4%", "0.1%", "0.05%"),
        apriori=("0.4%",),
        heavy=(("0.01%", "closed"),),
        hashed=("0.4%",),
        blocked=(("0.4%", 50),),
        followed=("0.1%",),
    ),
    "T10I4D100K": Plan(("0.5%", "0.1%"), apriori=("0.5%",)),
    "kosarak_head36682": Plan(("1%", "0.5%")),
    "accidents_head15224": Plan(("50%", "30%"), heavy=(("20%", "closed"),)),
    "BMS-WebView-1": Plan(("0.1%", "0.06%")),
}

GENERATED: Final[Mapping[str, tuple[Callable[[], Transactions], Plan]]] = {
    "clinic": (
        lambda: generate.clinic(50_000, seed=1),
        Plan(
            ("5%", "1%", "0.1%"),
            frequent=("5%",),
            heavy=(("0.01%", "closed"), ("0.01%", "maximal")),
            papers=("5%", "1%"),
            hashed=("1%", "0.1%"),
            tradeoff=("30%", "25%", "20%", "15%", "10%", "5%"),
            blocked=(("1%", 10),),
            followed=("1%",),
        ),
    ),
    "quest": (
        lambda: generate.quest(50_000, seed=1),
        Plan(("1%", "0.5%", "0.1%"), apriori=("1%",), heavy=(("0.02%", "closed"),), hashed=("0.5%",)),
    ),
}


def gather(folder: Path, *, only: Collection[str] = (), quick: bool = False) -> list[Source]:
    """Return the sources named in ``only``, or all; their files are written to ``folder``.

    Generated ones stand in where no public one is on this machine. ``quick`` keeps two, with a case of each sort.
    """
    public = {name: plan for name, plan in PUBLIC.items() if name in only or not only}
    missing: list[str] = []
    found = dict(islice(_load(public, missing), 2 if quick else None))
    if missing:
        print(f"Not found where DISCREET_DATA points to, or damaged: {', '.join(missing)}")
    if not found:
        print("The rows are generated.")
        named = [name for name in GENERATED if name in only] or list(GENERATED)
        found = {name: (GENERATED[name][0](), GENERATED[name][1]) for name in named}
    return [source(name, rows, _quick(plan) if quick else plan, folder) for name, (rows, plan) in found.items()]


def source(name: str, rows: Transactions, plan: Plan, folder: Path) -> Source:
    """Return a source, its rows written to ``folder``, uncompressed; labels of text become numbers."""
    if not all(isinstance(label, int) for label in rows.labels):
        rows = Transactions.from_codes(rows.offsets.copy(), rows.items.copy(), range(len(rows.labels)))
    path = folder / f"{name}.dat"
    write(rows, path)
    return Source(name, rows, path, plan)


def _load(plans: Mapping[str, Plan], missing: list[str]) -> Iterator[tuple[str, tuple[Transactions, Plan]]]:
    """Yield the data sets that are there; add the names of the others to ``missing``."""
    for name, plan in plans.items():
        try:
            yield name, (datasets.load(name), plan)
        except InputError:
            missing.append(name)


def _quick(plan: Plan) -> Plan:
    return plan._replace(
        shares=plan.shares[:1],
        apriori=(),
        heavy=plan.heavy[:1],
        papers=plan.papers[:1],
        hashed=plan.hashed[:1],
        blocked=plan.blocked[:1],
    )
