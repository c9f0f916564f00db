"""Achilles: an export of invented patients, with the linked small tables of all domains, audited as a whole."""

import csv
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple, TypeAlias

import children
from report import Check, Part, line, title

Key: TypeAlias = tuple[int | str, ...]  # an analysis, and its strata

SEED: Final = 1
PATIENTS: Final = 5_000
CONCEPTS: Final = 400  # of a domain
RECORDS: Final = 24  # of a patient in a domain, at most
DELETED: Final = 5  # counts up to this are left out, as Achilles does by default
DOMAINS: Final = (2, 4, 6, 7, 8, 9, 10, 13, 18, 21)  # visits, conditions, procedures, drugs, and so on
VISITS: Final = 2
MONTHS: Final = [f"{year}{month:02d}" for year in range(2010, 2025) for month in range(1, 13)]
SEXES: Final = ("8507", "8532")
RACES: Final = {"8527": 70, "8515": 10, "8516": 15, "0": 5}
ETHNICITIES: Final = {"0": 90, "38003563": 10}
TYPES: Final = ("38000177", "38000178")
SECONDS: Final = 10.0
MEGABYTES: Final = 1_000.0
K: Final = DELETED + 1
WIDTHS: Final = (-34, 12, 12)
AUDIT: Final = """
import sys, time
start = time.perf_counter()
from discreet import audit, read_counts
found = audit(read_counts(sys.argv[1]), k=int(sys.argv[2]))
print(time.perf_counter() - start, len(found.evidence.cells))
"""


class Patient(NamedTuple):
    """An invented person: year of birth, sex, race, ethnicity, age at first observation, and whether alive."""

    born: str
    sex: str
    race: str
    ethnicity: str
    age: str
    is_alive: bool


def invent(people: int = PATIENTS, seed: int = SEED) -> dict[Key, int]:
    """Return the counts of an export; small ones are left out.

    >>> counts = invent(50)
    >>> counts[1,], min(counts.values()), counts == invent(50)
    (50, 6, True)
    """
    draw, counts = random.Random(seed), Counter[Key]()  # noqa: S311 - invented
    for _ in range(people):
        patient = _draw_patient(draw)
        counts.update(_list_person(patient))
        counts.update(_list_records(patient, draw))
    return {key: many for key, many in counts.items() if many > DELETED}


def _draw_patient(draw: random.Random) -> Patient:
    race, ethnicity = (draw.choices([*shares], [*shares.values()])[0] for shares in (RACES, ETHNICITIES))
    born, age = str(draw.randint(1920, 2020)), str(draw.randint(0, 90))
    return Patient(born, draw.choice(SEXES), race, ethnicity, age, draw.random() >= 0.05)  # noqa: PLR2004 - one of 20


def _list_person(one: Patient) -> Iterator[Key]:
    """Yield the counts of people that a patient is in."""
    yield from ((1,), (2, one.sex), (3, one.born), (4, one.race), (5, one.ethnicity), (10, one.born, one.sex))
    yield from ((12, one.race, one.ethnicity), (101, one.age), (102, one.sex, one.age))
    if one.is_alive:
        yield (11, one.born, one.sex)


def _list_records(one: Patient, draw: random.Random) -> Iterator[Key]:
    """Yield the counts of records that those of a patient are in, and of people, each once."""
    people = set[Key]()
    for domain in DOMAINS:
        for _ in range(draw.randint(0, RECORDS)):
            concept = str(int(draw.paretovariate(0.6)) % CONCEPTS + 1_000 * domain)
            month, kind = draw.choice(MONTHS), draw.choice(TYPES)
            year, decade, first = month[:4], str((int(month[:4]) - int(one.born)) // 10), 100 * domain
            people |= {(first, concept), (first + 2, concept, month), (first + 4, concept, year, one.sex, decade)}
            if domain == VISITS:
                people |= {(first + 12, year, one.sex, decade), (first + 21, year)}
            yield from ((first + 1, concept), (first + 5, concept, kind), (first + 20, month))
    yield from sorted(people, key=str)


def write(counts: dict[Key, int], place: Path) -> None:
    """Write an export as Achilles does."""
    with place.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["analysis_id", *(f"stratum_{number}" for number in range(1, 6)), "count_value"])
        writer.writerows([*key, *[""] * (6 - len(key)), many] for key, many in counts.items())


def measure() -> Part:
    """Print the time and the memory of an audit of a whole export; return them, and what they show."""
    title(f"An Achilles export of {PATIENTS:,} invented patients, in a process of its own")
    with TemporaryDirectory() as folder:
        place, counts = Path(folder) / "achilles_results.csv", invent()
        write(counts, place)
        timed, peak = children.output(AUDIT + children.PEAK, place, K).splitlines()
    seconds, found = timed.split()
    print(
        line(
            WIDTHS,
            (f"{len(counts):,} lines, {int(found):,} findings", f"{float(seconds):.1f} s", f"{float(peak):,.0f} MB"),
        )
    )
    checks = [
        Check(f"{len(counts):,} lines in less than {SECONDS:g} s", f"{float(seconds):.1f}", float(seconds) < SECONDS),
        Check(f"and within {MEGABYTES:,.0f} MB", f"{float(peak):,.0f}", float(peak) < MEGABYTES),
    ]
    return Part([{"lines": len(counts), "seconds": float(seconds), "megabytes": float(peak)}], checks)
